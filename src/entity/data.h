// The data of entity/ in the world's state: bundles, names, facets. It follows the state in the
// same block.
//
// Room:    entity. Called by world/ and image/, which create states, and by command/ and inspect/.
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

// Open and close the tables and pools of a state with open slots, without entities. `now` is the
// address of the current tick. Opening fails with MICA_ERROR_MEMORY. A failed or zeroed state can
// be closed. Closing destroys all values and also closes the slots.
mica_result micai_state_open(micai_state *state, micai_gate *gate, const micai_registry *registry,
                             const uint64_t *now, bool relocate_always);
void micai_state_close(micai_state *state);

// Destroys all values of entities.
void micai_state_clear(micai_state *state);

// Free unused memory. The reserve function fails with MICA_ERROR_MEMORY.
mica_result micai_state_reserve_reclaim(micai_state *state);
void micai_state_reclaim(micai_state *state);

// Allocate a zeroed state in which only this data is initialized; free it. Returns NULL on
// MICA_ERROR_MEMORY.
micai_state *micai_state_alloc(micai_host *host);
void micai_state_release(micai_host *host, micai_state *state);

// Copies of a state, of so many bytes, share all memory that it points to. They are allocated empty, and only
// their own memory is released.
size_t micai_state_size(void);
micai_state *micai_state_alloc_copy(micai_host *host);
void micai_state_release_copy(micai_host *host, micai_state *copy);

#endif
