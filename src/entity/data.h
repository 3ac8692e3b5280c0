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

// A block for a state, zeroed, in which only this is set up. NULL: MICA_ERROR_MEMORY. And gives it back.
micai_state *micai_state_alloc(micai_host *host);
void micai_state_release(micai_host *host, micai_state *state);

#endif
