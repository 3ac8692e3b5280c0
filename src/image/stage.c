// The stage. stage_internal.h has the contract.
#include "image/stage_internal.h"

#include <string.h>

#include "entity/data.h"
#include "event/saver.h"
#include "store/pool/replace.h"
#include "store/table/replace.h"

mica_result micai_stage_begin(micai_stage *stage, mica_world *world)
{
    micai_state *state = world->state;
    *stage = (micai_stage){.world = world, .types = micai_registry_get_mark(&state->registry)};
    micai_state *staged = micai_state_alloc(state->host);
    if (!staged) {
        return MICA_ERROR_MEMORY;
    }
    stage->state = staged;
    staged->gate = state->gate;
    micai_slots_init(&staged->slots, state->slots.limit);
    mica_result result = micai_state_open(staged, &state->gate, &state->registry, &stage->now,
                                          state->store.relocate_always);
    micai_pools_use(&staged->pools);
    return result ? result : micai_replace_begin(&state->store, &staged->store);
}

void micai_stage_end(micai_stage *stage)
{
    micai_state *staged = stage->state;
    for (uint32_t n = 0; n < stage->resources.count; n++) {
        if (stage->resources.items[n].value) {
            micai_resources_destroy_value(stage->world->state,
                                          stage->world->state->registry.list.items[n],
                                          stage->resources.items[n].value);
        }
    }
    micai_array_free(&stage->world->host, &stage->resources);
    if (staged) {
        micai_state_close(staged);
        micai_state_release(staged->host, staged);
    }
}

void micai_stage_unregister_types(micai_stage *stage)
{
    micai_state *state = stage->world->state;
    micai_replace_take_back(&state->store, stage->types.count);
    micai_pools_take_back(&state->pools, stage->types.count, stage->types.sparse_count);
    micai_queues_free_from(state, stage->types.count);
    micai_resources_take_back(state, stage->types.count);
    micai_registry_rewind(&state->registry, stage->types);
}

micai_resource *micai_stage_resource(micai_stage *stage, const micai_type *type)
{
    uint32_t had = stage->resources.count;
    uint32_t extra = type->number >= had ? type->number + 1 - had : 0;
    if (!micai_array_reserve(&stage->world->host, &stage->resources, extra) ||
        micai_resources_reserve(stage->world->state, type)) {
        return NULL;
    }
    memset(&stage->resources.items[had], 0, extra * sizeof *stage->resources.items);
    stage->resources.count += extra;
    return &stage->resources.items[type->number];
}

mica_result micai_stage_reserve(micai_stage *stage)
{
    if (micai_store_compact_rings(&stage->state->store, UINT32_MAX)) {
        return micai_fail_within(&stage->world->host, MICA_ERROR_MEMORY,
                                 "no memory for a ring to grow");
    }
    return micai_replace_reserve(&stage->world->state->store, &stage->state->store);
}

static void swap_slots_and_sides(micai_state *state, micai_state *staged)
{
    const micai_slots slots = state->slots;
    state->slots = staged->slots;
    staged->slots = slots;
    micai_sides_exchange(state, staged);
}

void micai_stage_commit(micai_stage *stage)
{
    mica_world *world = stage->world;
    micai_state *state = world->state;
    micai_replace_commit(&state->store, &stage->state->store);
    micai_pools_exchange(&state->pools, &stage->state->pools);
    swap_slots_and_sides(state, stage->state);
    micai_bundles_forget(micai_bundles_of(state));
    for (uint32_t n = 0; n < stage->resources.count; n++) {
        micai_resource *one = &stage->resources.items[n];
        if (one->bits) {
            one->value = micai_resources_exchange(state, state->registry.list.items[n], one->value);
        }
    }
    state->time = stage->time;
    world->view.tick = stage->tick;
    for (const micai_host *host = world->host.next; host; host = host->next) {
        host->world->view.tick = stage->tick;
    }
}
