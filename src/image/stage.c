// The stage. stage.h has the contract.
#include "image/stage.h"

#include <string.h>

#include "event/saver.h"
#include "store/pool/replace.h"
#include "store/table/replace.h"

mica_result micai_stage_begin(micai_stage *stage, mica_world *world)
{
    micai_core *core = world->core;
    *stage = (micai_stage){.world = world, .types = micai_registry_here(&core->registry)};
    micai_core *made = micai_alloc_zeroed(&world->host, sizeof *made, _Alignof(micai_core));
    if (!made) {
        return MICA_ERROR_MEMORY;
    }
    stage->core = made;
    made->host = core->host;
    made->gate = core->gate;
    micai_slots_init(&made->slots, core->slots.limit);
    micai_facets_init(&made->facets);
    micai_pools_init(&made->pools, &core->gate, core->pools.restless);
    mica_result result = micai_store_init(&made->store, &core->gate, &core->registry, &stage->now,
                                          core->store.restless);
    made->store.slots = &made->slots;
    return result ? result : micai_replace_begin(&core->store, &made->store);
}

void micai_stage_end(micai_stage *stage)
{
    micai_core *made = stage->core;
    for (uint32_t n = 0; n < stage->resources.count; n++) {
        if (stage->resources.items[n].value) {
            micai_resources_end(stage->world->core, stage->world->core->registry.list.items[n],
                                stage->resources.items[n].value);
        }
    }
    micai_array_free(&stage->world->host, &stage->resources);
    if (made) {
        micai_names_free(made);
        micai_facets_free(made);
        micai_pools_free(&made->pools);
        micai_store_free(&made->store);
        micai_slots_free(made->host, &made->slots);
        micai_release(made->host, made, sizeof *made, _Alignof(micai_core));
    }
}

void micai_stage_forget_types(micai_stage *stage)
{
    micai_core *core = stage->world->core;
    micai_replace_take_back(&core->store, stage->types.count);
    micai_pools_take_back(&core->pools, stage->types.count, stage->types.sparse_count);
    micai_queues_take_back(core, stage->types.count);
    micai_resources_take_back(core, stage->types.count);
    micai_registry_rewind(&core->registry, stage->types);
}

micai_resource *micai_stage_resource(micai_stage *stage, const micai_type *type)
{
    uint32_t had = stage->resources.count;
    uint32_t extra = type->number >= had ? type->number + 1 - had : 0;
    if (!micai_array_reserve(&stage->world->host, &stage->resources, extra) ||
        micai_resources_reserve(stage->world->core, type)) {
        return NULL;
    }
    memset(&stage->resources.items[had], 0, extra * sizeof *stage->resources.items);
    stage->resources.count += extra;
    return &stage->resources.items[type->number];
}

mica_result micai_stage_reserve(micai_stage *stage)
{
    if (micai_rings_settle(&stage->core->store, UINT32_MAX)) {
        return micai_fail_within(&stage->world->host, MICA_ERROR_MEMORY,
                                 "no memory for a ring to grow");
    }
    return micai_replace_reserve(&stage->world->core->store, &stage->core->store);
}

// Of names and facets, those who have any.
static uint32_t count_keepers(const micai_core *core)
{
    return (uint32_t)(core->names.list.count > 0) + (core->facets.count > 0);
}

static void exchange_kept(micai_core *core, micai_core *made)
{
    uint32_t before = count_keepers(core);
    const micai_slots slots = core->slots;
    core->slots = made->slots;
    made->slots = slots;
    const micai_names names = core->names;
    core->names = made->names;
    made->names = names;
    const micai_facets facets = core->facets;
    core->facets = made->facets;
    made->facets = facets;
    made->keepers = before;
    core->keepers += count_keepers(core) - before;
}

void micai_stage_commit(micai_stage *stage)
{
    mica_world *world = stage->world;
    micai_core *core = world->core;
    micai_replace_commit(&core->store, &stage->core->store);
    micai_pools_exchange(&core->pools, &stage->core->pools);
    exchange_kept(core, stage->core);
    micai_bundles_forget_all(&core->bundles);
    for (uint32_t n = 0; n < stage->resources.count; n++) {
        micai_resource *one = &stage->resources.items[n];
        if (one->bits) {
            one->value = micai_resources_exchange(core, core->registry.list.items[n], one->value);
        }
    }
    core->time = stage->time;
    world->view.tick = stage->tick;
    for (const micai_host *host = world->host.next; host; host = host->next) {
        host->world->view.tick = stage->tick;
    }
}
