// Notifications. notify.h has the contract.
#include "entity/notify.h"

#include "base/canary.h"

micai_notification micai_notification_begin(const mica_world *world, const char *call)
{
    return (micai_notification){.call = call, .made = world->state->observers_created};
}

void micai_notify(mica_world *world, micai_notification *notification, uint32_t kinds)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_OBSERVER];
    if (module->data) {
        module->notify(world, module->data, notification, kinds);
    }
}

// Notifications of one type

MICAI_NOINLINE static void notify_several(mica_world *world, const micai_notice *news,
                                          uint32_t what)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_OBSERVER];
    module->notify_one(world, module->data, news, what);
}

void micai_notify_one(mica_world *world, const char *call, mica_entity entity,
                      const micai_type *type, uint32_t what, const void *value)
{
    if (!micai_type_is_watched(type, what)) {
        return;
    }
    micai_callback *callback =
        world->busy == 0 ? micai_notify_find_single(world, type, what) : NULL;
    if (callback) {
        micai_notify_single(world, call, callback, entity, what, value);
        return;
    }
    const micai_notice news = {call, entity, type, value, world->state->observers_created};
    notify_several(world, &news, what);
}

// Uses the observers that exist at the start, because handlers may create and free observers. If a
// handler has set the value, that set was recorded, and it is not notified twice.
void micai_notify_added(mica_world *world, const char *call, mica_entity entity,
                        const micai_type *type, const void *value, bool given)
{
    micai_notice news = {call, entity, type, value, world->state->observers_created};
    bool set = given && micai_type_is_watched(type, MICA_ON_SET);
    if (MICAI_CANARY("entity.set_late")) {
        news.made = UINT64_MAX;
    }
    micai_notify_one(world, call, entity, type, MICA_ON_ADD, value);
    if (set && world->state->observers_created == news.made && !world->state->needs_flush) {
        micai_notify_one(world, call, entity, type, MICA_ON_SET, value);
    } else if (set) {
        notify_several(world, &news, MICA_ON_SET);
    }
}

mica_result micai_notify_added_any(mica_world *world, const char *call, mica_entity entity,
                                   const micai_type *type, const void *value, bool given)
{
    micai_notify_added(world, call, entity, type, value, given);
    return micai_world_finish(world, call, MICA_OK);
}

// The observer is still current, for the message.
void micai_notification_end_left(mica_world *world, const char *call, uint32_t walks)
{
    micai_state *state = world->state;
    char of[MICAI_WALK_TEXT];
    state->walks.describe(state->walks.newest->query, of, sizeof of);
    while (state->walks.count > walks) {
        micai_walk_leave(state->walks.newest);
        micai_walk_close(&state->walks, &state->gate, state->walks.newest);
    }
    const char *name = state->observer ? state->observer->name : NULL;
    micai_fail(&world->host, MICA_ERROR_ITERATING,
               "%s: %s%.80s%s left an iteration of %s open; mica_iter_end ends one", call,
               name ? "observer '" : "an observer", name ? name : "", name ? "'" : "", of);
}

void micai_notification_clear_up(mica_world *world, const char *call)
{
    if (world->state->walks.count > 0) {
        micai_notification_end_left(world, call, 0);
    }
    if (world->state->waiting) { // nothing waited before
        world->state->recorded = 1;
        world->state->needs_flush = true;
    }
}

// Types of a notification

static bool holds(const mica_type_set *set, const micai_type *type)
{
    return set && micai_types_has(set, type->number);
}

static bool comes(const micai_notification *notification, const micai_type *type)
{
    return (notification->one == type && notification->comes) || holds(notification->more, type);
}

static bool goes(const micai_notification *notification, const micai_type *type)
{
    return (notification->one == type && notification->goes) || holds(notification->less, type);
}

bool micai_notification_has(const micai_state *state, const micai_notification *notification,
                            const micai_type *type, bool after)
{
    if (after && (comes(notification, type) || goes(notification, type))) {
        return comes(notification, type);
    }
    return micai_value_has(state, notification->ref, type);
}

bool micai_notification_is_on(const micai_state *state, const micai_notification *notification,
                              const micai_type *type, bool after)
{
    bool flips = after && holds(notification->flips, type);
    if (MICAI_CANARY("entity.flips")) {
        flips = false;
    }
    if (after && (comes(notification, type) || goes(notification, type))) {
        return comes(notification, type) && !flips;
    }
    return after && notification->toggled == type
               ? !notification->off
               : micai_value_is_on(state, notification->ref, type) != flips;
}

// For another entity of the call, it is known only that the single type, or all its types, are
// added or removed.
bool micai_notification_holds_back(const micai_state *state, const micai_notification *notification,
                                   mica_entity entity, const micai_type *type)
{
    bool whole = notification->after ? notification->spawns : notification->ends;
    if (!MICA_EQUAL(entity, notification->ref.entity)) {
        bool alone = !notification->is_peer || (!whole && notification->one != type);
        if (MICAI_CANARY("entity.peers")) {
            alone = true;
        }
        return !alone && notification->is_peer(state, notification, entity);
    }
    bool moves =
        whole || (notification->after ? comes(notification, type) : goes(notification, type));
    return moves && (type->number < notification->next_type) != notification->after;
}

bool micai_notification_is_row_behind(const micai_state *state,
                                      const micai_notification *notification, mica_entity entity)
{
    const micai_record *record = micai_slots_at(&state->slots, mica_entity_slot(entity));
    micai_row row = micai_row_of(&state->store, record);
    micai_row now = micai_row_of(&state->store, notification->ref.record);
    return micai_row_table(row) == micai_row_table(now) &&
           micai_row_number(row) > micai_row_number(now);
}

bool micai_notification_is_listed(const micai_state *state, const micai_notification *notification,
                                  mica_entity entity)
{
    const micai_listed_peers *peers = notification->peers;
    bool passed = false;
    (void)state;
    for (uint32_t i = 0; i < peers->count; i++) {
        if (MICA_EQUAL(peers->entities[i], entity)) {
            return passed == notification->after && (!peers->count_in || peers->count_in[i]);
        }
        passed = passed || MICA_EQUAL(peers->entities[i], notification->ref.entity);
    }
    return false;
}

mica_result micai_notification_reserve(mica_world *world, uint32_t count, uint64_t **matched_out)
{
    uint32_t words = micai_notification_words(world->state);
    *matched_out = NULL;
    if (words == 0) {
        return MICA_OK;
    }
    *matched_out = micai_arena_alloc_array(&world->host, &world->scratch, count,
                                           words * sizeof **matched_out, _Alignof(uint64_t));
    return *matched_out ? MICA_OK : MICA_ERROR_MEMORY;
}

// Adds to the set, or removes from it, the types of an entity whose values observers watch.
static void note_set(mica_world *world, mica_type_set *set, micai_entity_ref ref, bool in)
{
    const micai_state *state = world->state;
    for (uint32_t n = micai_value_next(state, ref, 0); n != MICAI_BITS_END;
         n = micai_value_next(state, ref, n + 1)) {
        const micai_type *type = state->registry.list.items[n];
        if (type->info.size == 0 || !micai_type_is_watched(type, MICA_ON_SET)) {
            continue;
        }
        if (in) {
            micai_types_put(set, n);
        } else {
            micai_types_remove(set, n);
        }
    }
}

// Notifies observers of an entity whose values were all set.
static void notify_of_one(mica_world *world, micai_notification *notification, mica_entity entity,
                          mica_type_set *set)
{
    notification->ref = micai_entity_ref_of(world->state, entity);
    if (micai_notification_watched(world->state, notification->ref) & MICAI_WATCH_AFTER) {
        note_set(world, set, notification->ref, true);
        micai_notify(world, notification, MICAI_WATCH_AFTER);
        note_set(world, set, notification->ref, false);
    }
}

void micai_notify_spawned(mica_world *world, const char *call, const mica_entity *entities,
                          uint32_t count, mica_type_set *set)
{
    const micai_listed_peers peers = {.entities = entities, .count = count};
    micai_notification notification = micai_notification_begin(world, call);
    notification.spawns = true;
    notification.set = set;
    notification.is_peer = micai_notification_is_listed;
    notification.peers = &peers;
    for (uint32_t i = 0; i < count; i++) {
        notify_of_one(world, &notification, entities[i], set);
    }
}

// Tables come in their order, and rows in theirs.
static bool is_behind(const micai_state *state, const micai_notification *notification,
                      mica_entity entity)
{
    const micai_record *record = micai_slots_at(&state->slots, mica_entity_slot(entity));
    micai_row row = micai_row_of(&state->store, record);
    micai_row now = micai_row_of(&state->store, notification->ref.record);
    uint32_t table = micai_row_table(row)->id;
    uint32_t now_table = micai_row_table(now)->id;
    return table != now_table ? table > now_table : micai_row_number(row) > micai_row_number(now);
}

void micai_notify_loaded(mica_world *world, const char *call, mica_type_set *set)
{
    const micai_store *store = &world->state->store;
    micai_notification notification = micai_notification_begin(world, call);
    notification.spawns = true;
    notification.set = set;
    notification.is_peer = is_behind;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        const micai_table *table = store->tables.items[id];
        for (uint32_t row = 0; row < table->count; row++) {
            notify_of_one(world, &notification, micai_table_entity(table, row), set);
        }
    }
}

uint32_t micai_notification_watched(const micai_state *state, micai_entity_ref ref)
{
    uint32_t watched = state->registry.watched;
    for (uint32_t n = micai_value_next(state, ref, 0); n != MICAI_BITS_END;
         n = micai_value_next(state, ref, n + 1)) {
        watched |= state->registry.list.items[n]->watched;
    }
    return watched;
}

MICAI_COLD static mica_result refuse_depth(mica_world *world, const char *call)
{
    const micai_state *state = world->state;
    const char *name = state->observer ? state->observer->name : NULL;
    return micai_fail(
        &world->host, MICA_ERROR_LIMIT,
        "%s: refused inside %s%.80s%s: %d observers run, each because the one before it "
        "has set a value",
        call, name ? "observer '" : "an observer", name ? name : "", name ? "'" : "",
        MICA_OBSERVER_DEPTH);
}

mica_result micai_notification_reserve_sets(mica_world *world, const char *call, uint32_t count)
{
    const micai_state *state = world->state;
    if (state->notifying == 0) {
        return MICA_OK;
    }
    if (state->notifying < MICA_OBSERVER_DEPTH) {
        const micai_module *module = &state->modules[MICAI_MODULE_OBSERVER];
        micai_host_begin(&world->host, call);
        mica_result result = module->reserve(world, module->data, count);
        micai_host_end(&world->host);
        return result;
    }
    return refuse_depth(world, call);
}
