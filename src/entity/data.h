// What entity/ stores in the world's state: bundles, names, facets. It lies behind the state, in the same block.
//
// Room:    entity. Called by world/ and image/, which create states.
#ifndef MICAI_ENTITY_DATA_H
#define MICAI_ENTITY_DATA_H

#include "entity/bundle.h"
#include "entity/facet.h"
#include "entity/name.h"

typedef struct micai_entity_data {
    micai_bundles bundles;
    micai_names names;
    micai_facets facets;
} micai_entity_data;

static inline micai_entity_data *micai_entity_data_of(const micai_state *state)
{
    return (micai_entity_data *)(void *)state->entity_data;
}

static inline micai_bundles *micai_bundles_of(const micai_state *state)
{
    return &micai_entity_data_of(state)->bundles;
}

// The stores of a state, whose slots are open: tables and pools, without entities; in memory that says what tick it is.
// MICA_ERROR_MEMORY: they can be closed all the same, as those of a zeroed state can. Closing destroys all values, and
// closes the slots, too.
mica_result micai_state_open(micai_state *state, micai_gate *gate, const micai_registry *registry,
                             const uint64_t *now, bool relocate_always);
void micai_state_close(micai_state *state);

// Destroys all values of entities.
void micai_state_clear(micai_state *state);

// Gives memory back that is not used. Reserving may fail: MICA_ERROR_MEMORY.
mica_result micai_state_reserve_reclaim(micai_state *state);
void micai_state_reclaim(micai_state *state);

// A block for a state, zeroed, in which only this is set up. NULL: MICA_ERROR_MEMORY. And gives it back.
micai_state *micai_state_alloc(micai_host *host);
void micai_state_release(micai_host *host, micai_state *state);

#endif
