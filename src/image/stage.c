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
    micai_state *made = micai_state_alloc(state->host);
    if (!made) {
        return MICA_ERROR_MEMORY;
    }
    stage->state = made;
    made->gate = state->gate;
    micai_slots_init(&made->slots, state->slots.limit);
    mica_result result = micai_state_open(made, &state->gate, &state->registry, &stage->now,
                                          state->store.relocate_always);
    return result ? result : micai_replace_begin(&state->store, &made->store);
}

void micai_stage_end(micai_stage *stage)
{
    micai_state *made = stage->state;
    for (uint32_t n = 0; n < stage->resources.count; n++) {
        if (stage->resources.items[n].value) {
            micai_resources_destroy_value(stage->world->state,
                                          stage->world->state->registry.list.items[n],
                                          stage->resources.items[n].value);
        }
    }
    micai_array_free(&stage->world->host, &stage->resources);
    if (made) {
        micai_state_close(made);
        micai_state_release(made->host, made);
    }
}

void micai_stage_forget_types(micai_stage *stage)
{
    micai_state *state = stage->world->state;
    micai_replace_take_back(&state->store, stage->types.count);
    micai_pools_take_back(&state->pools, stage->types.count, stage->types.sparse_count);
    micai_queues_take_back(state, stage->types.count);
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
    if (micai_rings_compact(&stage->state->store, UINT32_MAX)) {
        return micai_fail_within(&stage->world->host, MICA_ERROR_MEMORY,
                                 "no memory for a ring to grow");
    }
    return micai_replace_reserve(&stage->world->state->store, &stage->state->store);
}

static void exchange_kept(micai_state *state, micai_state *made)
{
    const micai_slots slots = state->slots;
    state->slots = made->slots;
    made->slots = slots;
    micai_sides_exchange(state, made);
}

void micai_stage_commit(micai_stage *stage)
{
    mica_world *world = stage->world;
    micai_state *state = world->state;
    micai_replace_commit(&state->store, &stage->state->store);
    micai_pools_exchange(&state->pools, &stage->state->pools);
    exchange_kept(state, stage->state);
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
