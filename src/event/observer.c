// Creating and freeing observers. observer.h has the contract.
#include "event/observer.h"

#include <inttypes.h>

#include "base/bits.h"
#include "base/canary.h"
#include "base/hash.h"
#include "core/field.h"

static void free_observer(mica_world *world, micai_observer *observer)
{
    if (!MICA_IS_NONE(observer->query)) {
        micai_query_free(world, micai_query_look_up(world, observer->query));
    }
    micai_release_text(&world->host, observer->callback.name);
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
    return single ? &single->callback : NULL;
}

static micai_observed_type *observed(const micai_observers *all, const micai_type *type)
{
    return &all->by_type.items[type->number];
}

// Updates O5 when an observer of a type is added (1) or freed (-1).
static void count_active(mica_world *world, const micai_observers *all,
                         const micai_observer *observer, uint32_t by)
{
    uint32_t number = micai_stamp_number(observer->callback.event.observer.bits);
    micai_observed_type *of = observed(all, observer->type);
    count_kinds(&of->active, observer->events, by);
    count_kinds(&of->numbers, observer->events, by * number);
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

// Updates O3 when an observer is added (1) or removed (-1).
static void count_watching(mica_world *world, micai_observers *all, const micai_observer *observer,
                           uint32_t by)
{
    const micai_query *query = query_of(world, observer);
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
    world->state->query_observers = all->query_observers.list.count;
}

// Lists

const micai_observer micai_observer_hole = {.freed = true};

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
            uint32_t number = micai_stamp_number(kept->callback.event.observer.bits);
            append(all, listeners, micai_handles_at(&all->handles, number));
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
    micai_handles_remove(&all->handles, micai_stamp_number(observer->callback.event.observer.bits));
    if (subject_list(all, observer)) {
        remove_listener(all, subject_list(all, observer), observer);
    }
    if (lifecycle_list(all, observer)) {
        remove_listener(all, lifecycle_list(all, observer), observer);
    }
    if (!MICAI_CANARY("event.unwatched")) {
        count_watching(world, all, observer, UINT32_MAX);
    }
    free_observer(world, observer);
}

// Runs at the end of an observed call: notifies of postponed sets, and removes freed observers.
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
    return MICA_OK;
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

// Reserves space in all lists that will contain the observer. Reserved space stays if a later step
// fails.
static bool reserve_lists(mica_world *world, micai_observers *all, const micai_observer *observer)
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
           (!lifecycle || micai_array_reserve(host, &lifecycle->list, 1));
}

static void register_observer(mica_world *world, micai_observers *all, micai_observer *observer)
{
    uint32_t number = micai_handles_add(&all->handles, observer);
    observer->seed = ++world->state->observers_created;
    observer->callback.event.observer = micai_observer_handle(world->state, observer, number);
    observer->callback.event.later = &all->later->face;
    world->state->observers++;
    if (subject_list(all, observer)) {
        append(all, subject_list(all, observer), observer);
    }
    if (lifecycle_list(all, observer)) {
        append(all, lifecycle_list(all, observer), observer);
    }
    if (observer->type) {
        count_active(world, all, observer, 1);
    }
    count_watching(world, all, observer, 1);
}

// The module

static void close_module(mica_world *world, void *data)
{
    micai_observers *all = data;
    micai_host *host = &world->host;
    for (uint32_t i = 0; i < all->handles.list.count; i++) {
        if (all->handles.list.items[i]) {
            free_observer(world, all->handles.list.items[i]);
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

static micai_observers *open_module(mica_world *world)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_OBSERVER];
    if (!module->data) {
        micai_observers *all =
            micai_alloc_zeroed(&world->host, sizeof *all, _Alignof(micai_observers));
        if (all) {
            *module = (micai_module){.data = all,
                                     .close = close_module,
                                     .replay = finish_call,
                                     .notify = micai_observers_notify,
                                     .notify_one = micai_observers_notify_one,
                                     .reserve = micai_observers_reserve};
        }
    }
    return module->data;
}

// Creating

mica_observer micai_observer_handle(const micai_state *state, const micai_observer *observer,
                                    uint32_t number)
{
    uint64_t hash = micai_hash_add(observer->seed, observer->events);
    hash = micai_hash_add(hash, observer->type ? observer->type->name_hash : 0);
    return (mica_observer){micai_stamp_make(state->seal, hash, number)};
}

// Returns true if a descriptor contains a query.
static bool has_query(const mica_query_desc *desc)
{
    bool has = desc->first_zero || desc->more_terms || desc->more_count || desc->everything ||
               desc->no_entities || desc->no_facets || desc->name || desc->last_zero ||
               desc->of.relation.bits;
    for (uint32_t i = 0; !has && i < MICA_TERMS_INLINE; i++) {
        has = desc->terms[i].type.bits || desc->terms[i].access;
    }
    return has;
}

typedef struct subject {
    const micai_type *type; // NULL: none
    bool query;             // the subject is a query
} subject;

static const char *describe(const subject *of)
{
    return of->type ? "a component" : of->query ? "a query" : "all entities";
}

// Returns the name of the first of several kinds, as programs write it.
static const char *name_kind(uint32_t kinds)
{
    static const char *const names[] = {"MICA_ON_LEAVE",   "MICA_ON_DISABLE", "MICA_ON_REMOVE",
                                        "MICA_ON_DESPAWN", "MICA_ON_SPAWN",   "MICA_ON_ADD",
                                        "MICA_ON_SET",     "MICA_ON_ENABLE",  "MICA_ON_ENTER"};
    uint32_t first = micai_bits_lowest(kinds);
    return first < sizeof names / sizeof names[0] ? names[first] : "a bit without a name";
}

// Fails if the subject does not have one of these kinds of event.
static mica_result check_kinds(mica_world *world, const char *call, uint32_t on, const subject *of)
{
    uint32_t kinds = of->type ? MICAI_ON_TYPE : of->query ? MICAI_ON_QUERY : MICAI_ON_ENTITIES;
    uint32_t toggles = MICA_ON_ENABLE | MICA_ON_DISABLE;
    if (on == 0) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: .events is 0; set it to kinds of events, such as MICA_ON_ADD", call);
    }
    if ((on & ~kinds) != 0) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: %s is not an event of %s", call,
                          name_kind(on & ~kinds), describe(of));
    }
    if (of->type && (on & toggles) != 0 && !of->type->info.toggle) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: '%.80s' has no toggle; register it with .toggle = true", call,
                          of->type->info.name);
    }
    if (of->type && (on & MICA_ON_SET) != 0 && of->type->info.size == 0) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: '%.80s' is a tag and has no value to be set; observe MICA_ON_ADD",
                          call, of->type->info.name);
    }
    return MICA_OK;
}

static mica_result check_desc(mica_world *world, const char *call, const mica_observer_desc *desc,
                              subject *of)
{
    micai_host *host = &world->host;
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if (!desc->call) {
        return micai_fail_null(host, call, "desc->call");
    }
    if (desc->name && !micai_name_is_valid(desc->name)) {
        return micai_fail(host, MICA_ERROR_NAME, "%s: the name of the observer is %s", call,
                          micai_name_fault(desc->name));
    }
    *of = (subject){.query = has_query(&desc->query)};
    if (!MICA_IS_NONE(desc->type)) {
        of->type = micai_world_type(world, call, desc->type);
        if (!of->type) {
            return MICA_ERROR_TYPE;
        }
        if (of->query) {
            return micai_fail(
                host, MICA_ERROR_ARGUMENT,
                "%s: the descriptor names both '%.80s' and a query; use two observers", call,
                of->type->info.name);
        }
    }
    return check_kinds(world, call, desc->events, of);
}

// Observers are notified at the moment of a change. So queries that ask about earlier changes are
// refused.
static mica_result check_terms(mica_world *world, const char *call, mica_query made)
{
    const micai_query *query = micai_query_look_up(world, made);
    if (query && query->of) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: the query has .of, and links of others decide what matches; observe "
                          "'%.80s'",
                          call, query->of->info.name);
    }
    if (query && query->change_filtered != 0) {
        return micai_fail(
            &world->host, MICA_ERROR_ARGUMENT,
            "%s: MICA_CHANGED and MICA_ADDED are for iterations; observe what is set, or "
            "added",
            call);
    }
    return query ? MICA_OK : micai_world_failed(world);
}

// Creates an observer with its name and query. Returns NULL with a report on failure.
static micai_observer *construct_observer(mica_world *world, const char *call,
                                          const mica_observer_desc *desc, const subject *of)
{
    micai_observer *observer =
        micai_alloc_zeroed(&world->host, sizeof *observer, _Alignof(micai_observer));
    if (!observer) {
        return NULL;
    }
    observer->events = desc->events;
    observer->type = of->type;
    observer->callback.call = desc->call;
    observer->callback.event.type = desc->type;
    observer->callback.event.user = desc->user;
    observer->callback.name = desc->name ? micai_copy_text(&world->host, desc->name) : NULL;
    bool made = observer->callback.name || !desc->name;
    if (made && of->query) {
        const micai_query_origin origin = {
            .call = call, .noun = "observer", .name = desc->name, .owned = true};
        observer->query = micai_query_new(world, &origin, &desc->query);
        made = check_terms(world, call, observer->query) == MICA_OK;
    }
    if (!made) {
        free_observer(world, observer);
        return NULL;
    }
    return observer;
}

static mica_observer create_observer(mica_world *world, const char *call,
                                     const mica_observer_desc *desc, const subject *of)
{
    const mica_observer none = {0};
    micai_observers *all = open_module(world);
    mica_world *later = all ? micai_commands_later(world, call) : NULL;
    if (!later) {
        return none;
    }
    all->later = micai_buffer_of(later);
    micai_observer *observer = micai_handles_reserve(&world->host, &all->handles, call, "observers")
                                   ? construct_observer(world, call, desc, of)
                                   : NULL;
    if (observer && !reserve_lists(world, all, observer)) {
        free_observer(world, observer);
        observer = NULL;
    }
    if (!observer) {
        return none;
    }
    register_observer(world, all, observer);
    return observer->callback.event.observer;
}

mica_observer mica_observer_new(mica_world *world, const mica_observer_desc *desc)
{
    static const char call[] = "mica_observer_new";
    subject of = {0};
    if (!world || !desc) {
        micai_fail_null(micai_world_host(world), call, world ? "desc" : "world");
        return (mica_observer){0};
    }
    if (micai_world_guard_edit(world, call) || check_desc(world, call, desc, &of)) {
        return (mica_observer){0};
    }
    micai_host_begin(&world->host, call);
    mica_observer observer = create_observer(world, call, desc, &of);
    micai_host_end(&world->host);
    return observer;
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

mica_result mica_observer_free(mica_world *world, mica_observer observer)
{
    static const char call[] = "mica_observer_free";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_edit(world, call);
    if (result) {
        return result;
    }
    micai_observer *found = micai_observers_find(world, call, observer);
    if (!found) {
        return MICA_ERROR_OBSERVER;
    }
    const micai_query *query = query_of(world, found);
    if (query && micai_query_count_walks(world->state, query) > 0) {
        return micai_world_refuse_for(world, call, query);
    }
    micai_observers *all = micai_observers_of(world);
    found->freed = true;
    found->next_freed = all->last_freed;
    all->last_freed = found;
    all->freed++;
    world->state->observers--;
    if (found->type) {
        count_active(world, all, found, UINT32_MAX);
    }
    if (world->state->notifying == 0) {
        finish_call(world, all, call);
    } else {
        world->state->needs_flush = true;
    }
    return MICA_OK;
}
