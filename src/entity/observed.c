// Watching: applies what observers watch to everything that fast paths depend on. notify.h has the
// contract.
#include "core/watch.h"

#include "entity/notify.h"

// Returns true if the type is watched and in a pool. Tables do not know that, so every despawn must
// check its entity.
static bool is_pool_watched(const micai_type *type)
{
    return micai_pool_keeps(type) && micai_type_is_watched(type, MICAI_WATCH_BEFORE);
}

static uint32_t count_watched_pools(const micai_registry *registry)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < registry->list.count; n++) {
        count += is_pool_watched(registry->list.items[n]);
    }
    return count;
}

static void set_watched_pools(micai_state *state, uint32_t count)
{
    bool watched = count > 0;
    if (watched != (state->pools_watched > 0)) {
        state->side_tables_in_use += watched ? 1 : UINT32_MAX;
    }
    state->pools_watched = count;
}

void micai_watch_pools(micai_state *state)
{
    set_watched_pools(state, count_watched_pools(&state->registry));
}

static void update_fast_paths(micai_state *state)
{
    for (uint32_t id = 0; id < state->store.tables.count; id++) {
        micai_table_update_fast_paths(&state->store, state->store.tables.items[id]);
    }
    micai_transitions_update(&state->store, NULL);
}

void micai_watch_type(mica_world *world, const micai_type *type, uint32_t watched)
{
    micai_state *state = world->state;
    micai_type *changed = state->registry.list.items[type->number];
    if (changed->watched == watched) {
        return;
    }
    uint32_t others = state->pools_watched - is_pool_watched(type);
    changed->watched = watched;
    changed->plain = micai_hook_has_none(type) &&
                     !micai_type_is_watched(type, MICAI_WATCH_VALUES) && !type->relation;
    update_fast_paths(state);
    micai_toggle_watch(&state->store, type);
    micai_pool *pool =
        type->sparse < state->pools.list.count ? state->pools.list.items[type->sparse] : NULL;
    if (pool) {
        micai_pool_update_fast_paths(&state->pools, pool);
    }
    set_watched_pools(state, others + is_pool_watched(type));
}

void micai_watch_entities(mica_world *world, uint32_t watched)
{
    micai_state *state = world->state;
    if (state->registry.watched != watched) {
        state->registry.watched = watched;
        update_fast_paths(state);
    }
}

bool micai_watch_is_right(const micai_state *state)
{
    return state->pools_watched == count_watched_pools(&state->registry);
}

bool micai_watch_is_idle(const micai_state *state)
{
    uint32_t watched = state->registry.watched;
    bool alone = false;
    for (uint32_t n = 0; n < state->registry.list.count; n++) {
        const micai_type *type = state->registry.list.items[n];
        watched |= type->watched;
        for (uint32_t bit = 0; bit < MICAI_KINDS_OF_TYPES; bit++) {
            alone = alone || type->single_listener[bit];
        }
    }
    return watched == 0 && !alone && state->observers == 0 && state->query_observers == 0 &&
           state->notifying == 0 && !state->observer && state->observers_created == 0;
}
