// Lists and counts of observers; freeing, enabling and disabling them. observer.h has the contract.
// observer_new.c creates them.
#include "event/observer.h"

#include "base/bits.h"
#include "base/canary.h"
#include "base/hash.h"
#include "entity/change.h"

// The other parts share the name of the head.
void micai_observer_release(mica_world *world, micai_observer *observer)
{
    if (!MICA_IS_NONE(observer->query)) {
        micai_query_free(world, micai_query_look_up(world, observer->query));
    }
    if (observer->head == observer) {
        micai_release_text(&world->host, observer->callback.name);
    }
    micai_release(&world->host, observer, sizeof *observer, _Alignof(micai_observer));
}

// Returns the query of an observer; NULL: it has none.
static const micai_query *query_of(mica_world *world, const micai_observer *observer)
{
    return MICA_IS_NONE(observer->query) ? NULL : micai_query_look_up(world, observer->query);
}

// Counting

static void count_kinds(micai_kind_counts *counts, uint32_t kinds, uint32_t by)
{
    for (; kinds != 0; kinds &= kinds - 1) {
        counts->counts[micai_bits_lowest(kinds)] += by;
    }
}

uint32_t micai_kinds_counted(const micai_kind_counts *counts)
{
    uint32_t kinds = 0;
    for (uint32_t bit = 0; bit < MICAI_KINDS; bit++) {
        kinds |= (uint32_t)(counts->counts[bit] > 0) << bit;
    }
    return kinds;
}

micai_callback *micai_observers_find_single(const micai_observers *all,
                                            const micai_observed_type *type, uint32_t bit)
{
    micai_observer *single = type->active.counts[bit] == 1
                                 ? micai_handles_at(&all->handles, type->numbers.counts[bit])
                                 : NULL;
    if (single && MICAI_CANARY("event.unfiltered")) {
        return &single->callback;
    }
    return single && !single->filtered ? &single->callback : NULL;
}

static micai_observed_type *observed(const micai_observers *all, const micai_type *type)
{
    return &all->by_type.items[type->number];
}

// Updates O5 when an observer is enabled (1) or not any more (-1).
static void count_active(mica_world *world, const micai_observers *all,
                         const micai_observer *observer, uint32_t by)
{
    if (!observer->type) {
        return;
    }
    micai_observed_type *of = observed(all, observer->type);
    count_kinds(&of->active, observer->events, by);
    count_kinds(&of->numbers, observer->events, by * observer->number);
    micai_type *type = world->state->registry.list.items[observer->type->number];
    for (uint32_t kinds = observer->events; kinds != 0; kinds &= kinds - 1) {
        uint32_t bit = micai_bits_lowest(kinds);
        type->single_listener[bit] = micai_observers_find_single(all, of, bit);
    }
}

bool micai_observer_is_open(mica_world *world, const micai_observer *observer)
{
    const micai_query *query = query_of(world, observer);
    return !observer->type && (!query || micai_query_requires_nothing(query));
}

static void count_type(mica_world *world, const micai_observers *all, const micai_type *type,
                       uint32_t kinds, uint32_t by)
{
    micai_kind_counts *watching = &observed(all, type)->watching;
    count_kinds(watching, kinds, by);
    micai_watch_type(world, type, micai_kinds_counted(watching));
}

// Updates what is watched for an observer (O3), unless it is counted, or not counted, already.
static void count_watching(mica_world *world, micai_observers *all, micai_observer *observer,
                           bool counted)
{
    const micai_query *query = query_of(world, observer);
    uint32_t by = counted ? 1 : UINT32_MAX;
    if (observer->counted == counted) {
        return;
    }
    observer->counted = counted;
    if (observer->type) {
        count_type(world, all, observer->type, observer->events, by);
    }
    for (uint32_t t = 0; query && t < query->term_count; t++) {
        count_type(world, all, query->terms[t].type, observer->events, by);
    }
    if (micai_observer_is_open(world, observer)) {
        count_kinds(&all->watching, observer->events, by);
        micai_watch_entities(world, micai_kinds_counted(&all->watching));
    }
}

// Lists

const micai_observer micai_observer_hole = {.freed = true, .since = MICAI_OBSERVER_DISABLED};

static uint32_t *place_in(const micai_observers *all, const micai_observer_list *listeners,
                          micai_observer *observer)
{
    return listeners == &all->lifecycle_observers ? &observer->lifecycle_place : &observer->place;
}

static void append(const micai_observers *all, micai_observer_list *listeners,
                   micai_observer *observer)
{
    *place_in(all, listeners, observer) = listeners->list.count;
    listeners->list.items[listeners->list.count++] = observer;
}

static void compact(const micai_observers *all, micai_observer_list *listeners)
{
    uint32_t count = listeners->list.count;
    listeners->list.count = listeners->holes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const micai_observer *kept = listeners->list.items[i];
        if (kept != &micai_observer_hole) {
            append(all, listeners, micai_handles_at(&all->handles, kept->number));
        }
    }
}

static void remove_listener(const micai_observers *all, micai_observer_list *listeners,
                            micai_observer *observer)
{
    listeners->list.items[*place_in(all, listeners, observer)] = &micai_observer_hole;
    listeners->holes++;
    if (listeners->holes > listeners->list.count / 2) {
        compact(all, listeners);
    }
}

// Return the lists that contain an observer: that of its type or of queries, and that of spawns and
// despawns. NULL: none.
static micai_observer_list *subject_list(micai_observers *all, const micai_observer *observer)
{
    micai_observer_list *queries = MICA_IS_NONE(observer->query) ? NULL : &all->query_observers;
    return observer->type ? &observed(all, observer->type)->listeners : queries;
}

static micai_observer_list *lifecycle_list(micai_observers *all, const micai_observer *observer)
{
    return (observer->events & MICAI_ON_ENTITIES) != 0 ? &all->lifecycle_observers : NULL;
}

// Removes an observer from every list and frees it. No notification may be running.
static void remove_observer(mica_world *world, micai_observers *all, micai_observer *observer)
{
    micai_handles_remove(&all->handles, observer->number);
    if (subject_list(all, observer)) {
        remove_listener(all, subject_list(all, observer), observer);
    }
    if (lifecycle_list(all, observer)) {
        remove_listener(all, lifecycle_list(all, observer), observer);
    }
    if (!MICAI_CANARY("event.unwatched")) {
        count_watching(world, all, observer, false);
    }
    world->state->query_observers = all->query_observers.list.count;
    micai_observer_release(world, observer);
}

static void uncount_disabled(mica_world *world, micai_observers *all)
{
    for (uint32_t i = 0; i < all->handles.list.count; i++) {
        micai_observer *observer = all->handles.list.items[i];
        if (observer && !micai_observer_is_enabled(observer)) {
            count_watching(world, all, observer, false);
        }
    }
    all->overdue = false;
}

// Runs at the end of an observed call: notifies of postponed sets, removes freed observers, does not
// watch any more what only disabled ones listen to, and replays what observers have recorded. Inside
// an iteration or a replay, its end does that.
static mica_result finish_call(mica_world *world, void *data, const char *call)
{
    micai_observers *all = data;
    micai_observers_notify_postponed(world, call);
    while (all->last_freed) {
        micai_observer *observer = all->last_freed;
        all->last_freed = observer->next_freed;
        all->freed--;
        remove_observer(world, all, observer);
    }
    if (all->overdue) {
        uncount_disabled(world, all);
    }
    uint32_t recorded = world->state->recorded;
    world->state->recorded = 0;
    world->state->needs_flush = false;
    return recorded > 0 ? micai_commands_replay_from(world, call, recorded - 1) : MICA_OK;
}

// Reserves an entry for a type in `by_type`.
static bool reserve_type(micai_host *host, micai_observers *all, const micai_type *type)
{
    if (type->number < all->by_type.count) {
        return true;
    }
    uint32_t extra = type->number + 1 - all->by_type.count;
    if (!micai_array_reserve(host, &all->by_type, extra)) {
        return false;
    }
    memset(all->by_type.items + all->by_type.count, 0, extra * sizeof *all->by_type.items);
    all->by_type.count += extra;
    return true;
}

// Reserved space stays if a later step fails.
bool micai_observer_reserve(mica_world *world, micai_observers *all, const micai_observer *observer,
                            uint32_t count)
{
    micai_host *host = &world->host;
    const micai_query *query = query_of(world, observer);
    bool reserved = !observer->type || reserve_type(host, all, observer->type);
    for (uint32_t t = 0; reserved && query && t < query->term_count; t++) {
        reserved = reserve_type(host, all, query->terms[t].type);
    }
    micai_observer_list *subject = reserved ? subject_list(all, observer) : NULL;
    micai_observer_list *lifecycle = lifecycle_list(all, observer);
    return reserved && (!subject || micai_array_reserve(host, &subject->list, 1)) &&
           (!lifecycle || micai_array_reserve(host, &lifecycle->list, count));
}

void micai_observer_register(mica_world *world, micai_observers *all, micai_observer *observer)
{
    if (subject_list(all, observer)) {
        append(all, subject_list(all, observer), observer);
    }
    if (lifecycle_list(all, observer)) {
        append(all, lifecycle_list(all, observer), observer);
    }
    world->state->query_observers = all->query_observers.list.count;
    if (micai_observer_is_enabled(observer)) {
        count_active(world, all, observer, 1);
        count_watching(world, all, observer, true);
    }
}

// The module

// Runs when the world is freed, before any value is destroyed. What observers record is dropped.
static void notify_of_free(mica_world *world, void *data)
{
    const micai_state *state = world->state;
    (void)data;
    if (world->notify_on_free && !MICAI_CANARY("event.freed_silently")) {
        micai_despawn_notify_tables(world, "mica_world_free", state->store.tables.items,
                                    state->store.tables.count);
    }
}

static void close_module(mica_world *world, void *data)
{
    micai_observers *all = data;
    micai_host *host = &world->host;
    for (uint32_t i = 0; i < all->handles.list.count; i++) {
        if (all->handles.list.items[i]) {
            micai_observer_release(world, all->handles.list.items[i]);
        }
    }
    for (uint32_t n = 0; n < all->by_type.count; n++) {
        micai_array_free(host, &all->by_type.items[n].listeners.list);
    }
    micai_array_free(host, &all->by_type);
    micai_array_free(host, &all->query_observers.list);
    micai_array_free(host, &all->lifecycle_observers.list);
    micai_array_free(host, &all->postponed);
    micai_handles_free(host, &all->handles);
    micai_release(host, all, sizeof *all, _Alignof(micai_observers));
}

micai_observers *micai_observers_open(mica_world *world)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_OBSERVER];
    if (!module->data) {
        micai_observers *all =
            micai_alloc_zeroed(&world->host, sizeof *all, _Alignof(micai_observers));
        if (all) {
            *module = (micai_module){.data = all,
                                     .destroy_values = notify_of_free,
                                     .close = close_module,
                                     .replay = finish_call,
                                     .notify = micai_observers_notify,
                                     .notify_one = micai_observers_notify_one,
                                     .reserve = micai_observers_reserve};
        }
    }
    return module->data;
}

// Handles

mica_observer micai_observer_handle(const micai_state *state, const micai_observer *observer,
                                    uint32_t number)
{
    uint64_t hash = micai_hash_add(observer->seed, observer->events);
    hash = micai_hash_add(hash, observer->type ? observer->type->name_hash : 0);
    return (mica_observer){micai_stamp_make(state->seal, hash, number)};
}

micai_observer *micai_observers_find(mica_world *world, const char *call, mica_observer observer)
{
    const micai_observers *all = micai_observers_of(world);
    micai_observer *found =
        all ? micai_handles_at(&all->handles, micai_stamp_number(observer.bits)) : NULL;
    if (!found || found->freed || found->callback.event.observer.bits != observer.bits) {
        micai_fail(&world->host, MICA_ERROR_OBSERVER, "%s: the observer is %s", call,
                   observer.bits ? "freed, or of another world" : "none");
        return NULL;
    }
    return found;
}

// Begins a public call about an existing observer. Returns NULL with a report on failure, whose code
// it passes out.
static micai_observer *begin_call(mica_world *world, const char *call, mica_observer observer,
                                  mica_result *result_out)
{
    *result_out =
        world ? micai_world_guard_edit(world, call) : micai_fail_null(NULL, call, "world");
    micai_observer *found = *result_out ? NULL : micai_observers_find(world, call, observer);
    if (!*result_out && !found) {
        *result_out = MICA_ERROR_OBSERVER;
    }
    return found;
}

// Runs what is due at the end of an observed call, unless one is unfinished.
static void finish_now(mica_world *world, micai_observers *all, const char *call)
{
    if (world->state->notifying == 0) {
        finish_call(world, all, call);
    } else {
        world->state->needs_flush = true;
    }
}

// An observer that is freed or disabled is not called any more, not even by the call that is
// unfinished.
static void silence(mica_world *world, const micai_observers *all, micai_observer *part)
{
    if (micai_observer_is_enabled(part)) {
        count_active(world, all, part, UINT32_MAX);
        part->since = MICAI_OBSERVER_DISABLED;
    }
}

mica_result mica_observer_free(mica_world *world, mica_observer observer)
{
    static const char call[] = "mica_observer_free";
    mica_result result;
    micai_observer *found = begin_call(world, call, observer, &result);
    if (!found) {
        return result;
    }
    const micai_query *query = query_of(world, found);
    if (query && micai_query_count_walks(world->state, query) > 0) {
        return micai_world_refuse_for(world, call, query);
    }
    micai_observers *all = micai_observers_of(world);
    for (micai_observer *part = found; part; part = part->next_part) {
        silence(world, all, part);
        part->freed = true;
        part->next_freed = all->last_freed;
        all->last_freed = part;
        all->freed++;
    }
    world->state->observers--;
    finish_now(world, all, call);
    return MICA_OK;
}

// Enabling and disabling

mica_result mica_observer_enable(mica_world *world, mica_observer observer)
{
    mica_result result;
    micai_observer *found = begin_call(world, "mica_observer_enable", observer, &result);
    if (!found || micai_observer_is_enabled(found)) {
        return result;
    }
    micai_observers *all = micai_observers_of(world);
    uint64_t since = ++world->state->observers_created; // the change that runs began earlier
    if (MICAI_CANARY("event.enabled_at_once")) {
        since = 1;
    }
    for (micai_observer *part = found; part; part = part->next_part) {
        part->since = since;
        count_active(world, all, part, 1);
        count_watching(world, all, part, true);
    }
    return MICA_OK;
}

mica_result mica_observer_disable(mica_world *world, mica_observer observer)
{
    static const char call[] = "mica_observer_disable";
    mica_result result;
    micai_observer *found = begin_call(world, call, observer, &result);
    if (!found || !micai_observer_is_enabled(found)) {
        return result;
    }
    micai_observers *all = micai_observers_of(world);
    for (micai_observer *part = found; part; part = part->next_part) {
        silence(world, all, part);
    }
    all->overdue = true;
    finish_now(world, all, call);
    return MICA_OK;
}

bool mica_observer_is_enabled(mica_world *world, mica_observer observer)
{
    static const char call[] = "mica_observer_is_enabled";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return false;
    }
    if (micai_world_guard_read(world, call)) {
        return false;
    }
    const micai_observer *found = micai_observers_find(world, call, observer);
    return found && micai_observer_is_enabled(found);
}
