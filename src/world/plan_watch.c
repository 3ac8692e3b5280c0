// Watching: what observers listen to is entered where short cuts are judged. world/tidings.h has the
// contract.
#include "core/watch.h"

#include "world/tidings.h"

// Is it watched, and in a pool? Tables know nothing of that, so every entity that goes has to be asked.
static bool is_pool_watched(const micai_type *type)
{
    return micai_pool_keeps(type) && micai_watches(type, MICAI_WATCH_BEFORE);
}

static uint32_t count_watched_pools(const micai_registry *registry)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < registry->list.count; n++) {
        count += is_pool_watched(registry->list.items[n]);
    }
    return count;
}

static void set_watched_pools(micai_core *core, uint32_t count)
{
    bool watched = count > 0;
    if (watched != (core->pools_watched > 0)) {
        core->keepers += watched ? 1 : UINT32_MAX;
    }
    core->pools_watched = count;
}

void micai_watch_pools(micai_core *core)
{
    set_watched_pools(core, count_watched_pools(&core->registry));
}

static void judge_tables(micai_core *core)
{
    for (uint32_t id = 0; id < core->store.tables.count; id++) {
        micai_table_judge(&core->store, core->store.tables.items[id]);
    }
}

void micai_watch_type(mica_world *world, const micai_type *type, uint32_t watched)
{
    micai_core *core = world->core;
    micai_type *changed = core->registry.list.items[type->number];
    if (changed->watched == watched) {
        return;
    }
    uint32_t others = core->pools_watched - is_pool_watched(type);
    changed->watched = watched;
    changed->plain = micai_hook_has_none(type) && !micai_watches(type, MICA_ON_SET);
    judge_tables(core);
    micai_edge_forget(&core->store, type->number);
    micai_toggle_watch(&core->store, type);
    micai_pool *pool =
        type->sparse < core->pools.list.count ? core->pools.list.items[type->sparse] : NULL;
    if (pool) {
        micai_pool_judge(&core->pools, pool);
    }
    set_watched_pools(core, others + is_pool_watched(type));
}

void micai_watch_entities(mica_world *world, uint32_t watched)
{
    micai_core *core = world->core;
    if (core->registry.watched != watched) {
        core->registry.watched = watched;
        judge_tables(core);
    }
}

bool micai_watch_is_right(const micai_core *core)
{
    return core->pools_watched == count_watched_pools(&core->registry);
}

bool micai_watch_is_idle(const micai_core *core)
{
    uint32_t watched = core->registry.watched;
    bool alone = false;
    for (uint32_t n = 0; n < core->registry.list.count; n++) {
        const micai_type *type = core->registry.list.items[n];
        watched |= type->watched;
        for (uint32_t bit = 0; bit < MICAI_KINDS_OF_TYPES; bit++) {
            alone = alone || type->alone[bit];
        }
    }
    return watched == 0 && !alone && core->observers == 0 && core->matchers == 0 &&
           core->telling == 0 && !core->observer && core->observers_made == 0;
}
