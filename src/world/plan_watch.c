// Watching: what observers listen to is entered where short cuts are judged. world/tidings.h has the
// contract.
#include "core/watch.h"

#include "world/tidings.h"

// Is anything watched that is in pools? Of that tables know nothing: so whoever ends has to be asked.
static bool are_pools_watched(const micai_registry *registry)
{
    bool watched = false;
    for (uint32_t n = 0; !watched && n < registry->list.count; n++) {
        const micai_type *type = registry->list.items[n];
        watched = micai_pool_keeps(type) && micai_watches(type, MICAI_WATCH_BEFORE);
    }
    return watched;
}

void micai_watch_pools(micai_core *core)
{
    bool watched = are_pools_watched(&core->registry);
    if (watched != core->pools_watched) {
        core->pools_watched = watched;
        core->keepers += watched ? 1 : UINT32_MAX;
    }
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
    micai_watch_pools(core);
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
    return micai_memory_holds_bool(&core->pools_watched) &&
           core->pools_watched == are_pools_watched(&core->registry);
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
