// Allocating and opening states with their data of entity/. data.h has the contract.
#include "entity/data.h"

_Static_assert(sizeof(micai_names) <= MICAI_SIDE_SIZE_MAX &&
                   sizeof(micai_facets) <= MICAI_SIDE_SIZE_MAX,
               "side tables are exchanged by way of a buffer");

#define SIZE (sizeof(micai_state) + sizeof(micai_entity_data))

micai_state *micai_state_alloc(micai_host *host)
{
    micai_state *state = micai_alloc_zeroed(host, SIZE, _Alignof(micai_state));
    if (state) {
        micai_entity_data *data = micai_entity_data_of(state);
        state->host = host;
        state->sides[MICAI_SIDE_NAMES] = (micai_side_table){&micai_names_side, &data->names};
        state->sides[MICAI_SIDE_FACETS] = (micai_side_table){&micai_facets_side, &data->facets};
        data->facets.free_first = MICAI_FACET_NONE;
        micai_bundles_init(&data->bundles);
    }
    return state;
}

micai_state *micai_state_alloc_copy(micai_host *host)
{
    return micai_alloc_zeroed(host, SIZE, _Alignof(micai_state));
}

size_t micai_state_size(void)
{
    return SIZE;
}

void micai_state_release_copy(micai_host *host, micai_state *copy)
{
    micai_release(host, copy, SIZE, _Alignof(micai_state));
}

mica_result micai_state_open(micai_state *state, micai_gate *gate, const micai_registry *registry,
                             const uint64_t *now, bool relocate_always)
{
    micai_pools_init(&state->pools, &state->store);
    mica_result result = micai_store_init(&state->store, gate, registry, now, relocate_always);
    state->store.slots = &state->slots;
    return result;
}

void micai_state_close(micai_state *state)
{
    if (state->pools.functions) {
        state->pools.functions->free(&state->pools);
    }
    micai_store_free(&state->store);
    micai_slots_free(state->host, &state->slots);
}

void micai_state_clear(micai_state *state)
{
    if (state->pools.functions) {
        state->pools.functions->clear(&state->pools);
    }
    micai_store_clear(&state->store);
}

mica_result micai_state_reserve_reclaim(micai_state *state)
{
    mica_result result = micai_slots_reserve_reclaim(state->host, &state->slots);
    result = result ? result : micai_store_reserve_reclaim(&state->store);
    return result ? result : micai_pools_reserve_reclaim(&state->pools);
}

void micai_state_reclaim(micai_state *state)
{
    micai_store_reclaim(&state->store);
    micai_pools_reclaim(&state->pools);
    micai_slots_reclaim(state->host, &state->slots);
}

void micai_state_release(micai_host *host, micai_state *state)
{
    micai_bundles_free(host, &micai_entity_data_of(state)->bundles);
    for (uint32_t i = 0; i < MICAI_SIDE_COUNT; i++) {
        state->sides[i].ops->free(state);
    }
    micai_release(host, state, SIZE, _Alignof(micai_state));
}
