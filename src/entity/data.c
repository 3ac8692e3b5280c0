// Allocating states with what entity/ stores in them. data.h has the contract.
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
    }
    return state;
}

void micai_state_release(micai_host *host, micai_state *state)
{
    micai_bundles_free(host, &micai_entity_data_of(state)->bundles);
    for (uint32_t i = 0; i < MICAI_SIDE_COUNT; i++) {
        state->sides[i].ops->free(state);
    }
    micai_release(host, state, SIZE, _Alignof(micai_state));
}
