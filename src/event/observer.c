// Making and freeing observers. observer.h has the contract.
#include "event/observer.h"

#include <inttypes.h>

#include "base/bits.h"
#include "base/canary.h"
#include "base/hash.h"
#include "core/field.h"

static void free_observer(mica_world *world, micai_observer *observer)
{
    if (!mica_query_is_none(observer->query)) {
        micai_query_unmake(world, micai_query_look_up(world, observer->query));
    }
    micai_release_text(&world->host, observer->ear.name);
    micai_release(&world->host, observer, sizeof *observer, _Alignof(micai_observer));
}

// Watching

// The query of an observer; NULL: it has none.
static const micai_query *query_of(mica_world *world, const micai_observer *observer)
{
    return mica_query_is_none(observer->query) ? NULL : micai_query_look_up(world, observer->query);
}

uint32_t micai_observers_watch_type(mica_world *world, const micai_observers *all,
                                    const micai_type *type)
{
    uint32_t watched = 0;
    if (type->number < all->by_type.count) {
        const micai_ears *ears = &all->by_type.items[type->number];
        for (uint32_t i = 0; i < ears->count; i++) {
            watched |= ears->items[i]->on;
        }
    }
    for (uint32_t i = 0; i < all->matchers.count; i++) {
        const micai_query *query = query_of(world, all->matchers.items[i]);
        watched |= query && micai_query_has_term(query, type) ? all->matchers.items[i]->on : 0;
    }
    return watched;
}

uint32_t micai_observers_watch_entities(mica_world *world, const micai_observers *all)
{
    uint32_t watched = 0;
    for (uint32_t i = 0; i < all->list.count; i++) {
        const micai_observer *observer = all->list.items[i];
        if (observer && !observer->type) {
            const micai_query *query = query_of(world, observer);
            watched |= !query || micai_query_is_open(query) ? observer->on : 0;
        }
    }
    return watched;
}

micai_ear *micai_observers_find_alone(const micai_ears *ears, uint32_t what)
{
    micai_ear *alone = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < ears->count; i++) {
        if ((ears->items[i]->on & what) != 0 && !ears->items[i]->freed) {
            alone = &ears->items[i]->ear;
            count++;
        }
    }
    return count == 1 ? alone : NULL;
}

// O5, of a type that is or was observed.
static void find_alone(mica_world *world, const micai_observers *all, const micai_type *type)
{
    micai_type *observed = world->core->registry.list.items[type->number];
    for (uint32_t kinds = MICAI_ON_TYPE; kinds != 0; kinds &= kinds - 1) {
        uint32_t what = kinds & (~kinds + 1);
        observed->alone[micai_bits_lowest(what)] =
            micai_observers_find_alone(&all->by_type.items[type->number], what);
    }
}

// What is watched of a type, and of entities, is found anew.
static void watch_type(mica_world *world, const micai_observers *all, const micai_type *type)
{
    micai_watch_type(world, type, micai_observers_watch_type(world, all, type));
}

static void watch(mica_world *world, const micai_observers *all, const micai_type *type,
                  const micai_query *query)
{
    if (type) {
        watch_type(world, all, type);
    }
    for (uint32_t t = 0; query && t < query->term_count; t++) {
        watch_type(world, all, query->terms[t].type);
    }
    if (!type) {
        micai_watch_entities(world, micai_observers_watch_entities(world, all));
    }
    world->core->matchers = all->matchers.count;
}

// Lists

static micai_ears *ears_of(const micai_observers *all, const micai_type *type)
{
    return &all->by_type.items[type->number];
}

static void strike(micai_ears *ears, const micai_observer *observer)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ears->count; i++) {
        if (ears->items[i] != observer) {
            ears->items[kept++] = ears->items[i];
        }
    }
    ears->count = kept;
}

// Takes an observer out of everything; nobody is being told.
static void remove_observer(mica_world *world, micai_observers *all, micai_observer *observer)
{
    uint32_t number = micai_stamp_number(observer->ear.told.observer.bits);
    all->list.items[number] = NULL;
    all->free_list.items[all->free_list.count++] = number;
    strike(&all->matchers, observer);
    strike(&all->comers, observer);
    if (observer->type) {
        strike(ears_of(all, observer->type), observer);
        find_alone(world, all, observer->type);
    }
    if (!MICAI_CANARY("event.unwatched")) {
        watch(world, all, observer->type, query_of(world, observer));
    }
    free_observer(world, observer);
}

// The call is over in which some were freed.
static mica_result settle_room(mica_world *world, void *state, const char *call)
{
    micai_observers *all = state;
    (void)call;
    for (uint32_t i = 0; all->freed > 0 && i < all->list.count; i++) {
        micai_observer *observer = all->list.items[i];
        if (observer && observer->freed) {
            all->freed--;
            remove_observer(world, all, observer);
        }
    }
    return MICA_OK;
}

// Room for one more in all lists that it may have to be in. What was made stays, as room.
static bool reserve_lists(mica_world *world, micai_observers *all, const micai_type *type)
{
    micai_host *host = &world->host;
    if (!micai_array_reserve(host, &all->list, 1) ||
        !micai_array_reserve(host, &all->free_list, all->list.count + 1 - all->free_list.count) ||
        !micai_array_reserve(host, &all->matchers, 1) ||
        !micai_array_reserve(host, &all->comers, 1)) {
        return false;
    }
    if (!type) {
        return true;
    }
    if (type->number >= all->by_type.count) {
        uint32_t extra = type->number + 1 - all->by_type.count;
        if (!micai_array_reserve(host, &all->by_type, extra)) {
            return false;
        }
        memset(all->by_type.items + all->by_type.count, 0, extra * sizeof *all->by_type.items);
        all->by_type.count += extra;
    }
    return micai_array_reserve(host, ears_of(all, type), 1);
}

static void append(micai_ears *ears, micai_observer *observer)
{
    ears->items[ears->count++] = observer;
}

static void enter(mica_world *world, micai_observers *all, micai_observer *observer)
{
    uint32_t number =
        all->free_list.count > 0 ? all->free_list.items[--all->free_list.count] : all->list.count++;
    observer->seed = ++world->core->observers_made;
    observer->ear.told.observer = micai_observer_handle(world->core, observer, number);
    observer->ear.told.later = &all->later->face;
    all->list.items[number] = observer;
    world->core->observers++;
    if (observer->type) {
        append(ears_of(all, observer->type), observer);
        find_alone(world, all, observer->type);
    }
    if (!mica_query_is_none(observer->query)) {
        append(&all->matchers, observer);
    }
    if ((observer->on & MICAI_ON_ENTITIES) != 0) {
        append(&all->comers, observer);
    }
    watch(world, all, observer->type, query_of(world, observer));
}

// The room

static void close_room(mica_world *world, void *state)
{
    micai_observers *all = state;
    micai_host *host = &world->host;
    for (uint32_t i = 0; i < all->list.count; i++) {
        if (all->list.items[i]) {
            free_observer(world, all->list.items[i]);
        }
    }
    for (uint32_t n = 0; n < all->by_type.count; n++) {
        micai_array_free(host, &all->by_type.items[n]);
    }
    micai_array_free(host, &all->by_type);
    micai_array_free(host, &all->matchers);
    micai_array_free(host, &all->comers);
    micai_array_free(host, &all->list);
    micai_array_free(host, &all->free_list);
    micai_release(host, all, sizeof *all, _Alignof(micai_observers));
}

static bool owns(const void *state, uint64_t query)
{
    const micai_observers *all = state;
    bool own = false;
    for (uint32_t i = 0; i < all->list.count; i++) {
        own = own || (all->list.items[i] && all->list.items[i]->query.bits == query);
    }
    return own;
}

static micai_observers *open_room(mica_world *world)
{
    micai_room *room = &world->core->rooms[MICAI_ROOM_OBSERVER];
    if (!room->state) {
        micai_observers *all =
            micai_alloc_zeroed(&world->host, sizeof *all, _Alignof(micai_observers));
        if (all) {
            micai_room_open(room, (micai_room){.state = all,
                                               .close = close_room,
                                               .validate = micai_observers_validate,
                                               .settle = settle_room,
                                               .owns = owns,
                                               .tell = micai_observers_tell,
                                               .tell_one = micai_observers_tell_one});
        }
    }
    return room->state;
}

// Making

mica_observer micai_observer_handle(const micai_core *core, const micai_observer *observer,
                                    uint32_t number)
{
    uint64_t hash = micai_hash_add(observer->seed, observer->on);
    hash = micai_hash_add(hash, observer->type ? observer->type->name_hash : 0);
    return (mica_observer){micai_stamp_make(core->seal, hash, number)};
}

// Does a descriptor say what matches?
static bool has_query(const mica_query_desc *desc)
{
    bool has = desc->first_zero || desc->more_terms || desc->more_count || desc->everything ||
               desc->no_entities || desc->no_facets || desc->name || desc->last_zero;
    for (uint32_t i = 0; !has && i < MICA_TERMS_INSIDE; i++) {
        has = desc->terms[i].type.bits || desc->terms[i].access;
    }
    return has;
}

typedef struct subject {
    const micai_type *type; // NULL: none
    bool query;             // it is a query
} subject;

static const char *describe(const subject *of)
{
    return of->type ? "a component" : of->query ? "a query" : "all entities";
}

// The first of several kinds, as programs write it.
static const char *name_kind(uint32_t kinds)
{
    static const char *const names[] = {"MICA_ON_LEAVE",   "MICA_ON_DISABLE", "MICA_ON_REMOVE",
                                        "MICA_ON_DESPAWN", "MICA_ON_SPAWN",   "MICA_ON_ADD",
                                        "MICA_ON_SET",     "MICA_ON_ENABLE",  "MICA_ON_ENTER"};
    uint32_t first = micai_bits_lowest(kinds);
    return first < sizeof names / sizeof names[0] ? names[first] : "what no MICA_ON_ names";
}

// Are these kinds of what is to be observed?
static mica_result check_kinds(mica_world *world, const char *call, uint32_t on, const subject *of)
{
    uint32_t there = of->type ? MICAI_ON_TYPE : of->query ? MICAI_ON_QUERY : MICAI_ON_ENTITIES;
    uint32_t toggles = MICA_ON_ENABLE | MICA_ON_DISABLE;
    if (on == 0) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: .on is 0; name what is to be told, as MICA_ON_ADD", call);
    }
    if ((on & ~there) != 0) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: %s is nothing to be told of %s",
                          call, name_kind(on & ~there), describe(of));
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
    if (desc->name && !micai_name_is_good(desc->name)) {
        return micai_fail(host, MICA_ERROR_NAME, "%s: the name of the observer is %s", call,
                          micai_name_fault(desc->name));
    }
    *of = (subject){.query = has_query(&desc->query)};
    if (!mica_type_is_none(desc->type)) {
        of->type = micai_world_type(world, call, desc->type);
        if (!of->type) {
            return MICA_ERROR_TYPE;
        }
        if (of->query) {
            return micai_fail(host, MICA_ERROR_ARGUMENT,
                              "%s: both '%.80s' and a query are to be observed; that takes two",
                              call, of->type->info.name);
        }
    }
    return check_kinds(world, call, desc->on, of);
}

// Observers are told in the moment when something happens: what asks for the past is not for them.
static mica_result check_terms(mica_world *world, const char *call, mica_query made)
{
    const micai_query *query = micai_query_look_up(world, made);
    if (query && query->timed != 0) {
        return micai_fail(
            &world->host, MICA_ERROR_ARGUMENT,
            "%s: MICA_CHANGED and MICA_ADDED are for iterations; observe what is set, or "
            "added",
            call);
    }
    return query ? MICA_OK : micai_world_failed(world);
}

// All that it consists of; NULL, reported, on failure.
static micai_observer *build(mica_world *world, const char *call, const mica_observer_desc *desc,
                             const subject *of)
{
    micai_observer *observer =
        micai_alloc_zeroed(&world->host, sizeof *observer, _Alignof(micai_observer));
    if (!observer) {
        return NULL;
    }
    observer->on = desc->on;
    observer->type = of->type;
    observer->ear.call = desc->call;
    observer->ear.told.type = desc->type;
    observer->ear.told.user = desc->user;
    observer->ear.name = desc->name ? micai_copy_text(&world->host, desc->name) : NULL;
    bool made = observer->ear.name || !desc->name;
    if (made && of->query) {
        const micai_maker by = {call, "observer", desc->name, false};
        observer->query = micai_query_make(world, &by, &desc->query);
        made = check_terms(world, call, observer->query) == MICA_OK;
    }
    if (!made) {
        free_observer(world, observer);
        return NULL;
    }
    return observer;
}

static mica_observer make(mica_world *world, const char *call, const mica_observer_desc *desc,
                          const subject *of)
{
    const mica_observer none = {0};
    micai_observers *all = open_room(world);
    mica_world *later = all ? micai_commands_later(world, call) : NULL;
    if (!later) {
        return none;
    }
    all->later = micai_buffer_of(later);
    if (all->list.count > MICAI_STAMP_NUMBER_MAX && all->free_list.count == 0) {
        micai_fail(&world->host, MICA_ERROR_LIMIT, "%s: too many observers", call);
        return none;
    }
    micai_observer *observer =
        reserve_lists(world, all, of->type) ? build(world, call, desc, of) : NULL;
    if (!observer) {
        return none;
    }
    enter(world, all, observer);
    return observer->ear.told.observer;
}

mica_observer mica_observe(mica_world *world, const mica_observer_desc *desc)
{
    static const char call[] = "mica_observe";
    subject of = {0};
    if (!world || !desc) {
        micai_fail_null(micai_world_host(world), call, world ? "desc" : "world");
        return mica_observer_none();
    }
    if (micai_world_edit(world, call) || check_desc(world, call, desc, &of)) {
        return mica_observer_none();
    }
    micai_host_begin(&world->host, call);
    mica_observer observer = make(world, call, desc, &of);
    micai_host_end(&world->host);
    return observer;
}

micai_observer *micai_observers_find(mica_world *world, const char *call, mica_observer observer)
{
    const micai_observers *all = micai_observers_of(world);
    uint32_t number = micai_stamp_number(observer.bits);
    micai_observer *found = all && number < all->list.count ? all->list.items[number] : NULL;
    if (!found || found->freed || found->ear.told.observer.bits != observer.bits) {
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
    mica_result result = micai_world_edit(world, call);
    if (result) {
        return result;
    }
    micai_observer *found = micai_observers_find(world, call, observer);
    if (!found) {
        return MICA_ERROR_OBSERVER;
    }
    const micai_query *query = query_of(world, found);
    if (query && micai_query_count_walks(world->core, query) > 0) {
        return micai_world_refuse_for(world, call, query->name);
    }
    micai_observers *all = micai_observers_of(world);
    found->freed = true;
    all->freed++;
    world->core->observers--;
    if (found->type) {
        find_alone(world, all, found->type);
    }
    if (world->core->telling == 0) {
        settle_room(world, all, call);
    } else {
        world->core->owing = true;
    }
    return MICA_OK;
}
