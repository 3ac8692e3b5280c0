// The hash and the digest of all entities: of their values, names and facets.
//
// Room:    entity. Called by inspect/ (hash) and time/ (sync test).
#ifndef MICAI_ENTITY_DIGEST_H
#define MICAI_ENTITY_DIGEST_H

#include "state/state.h"

// Sums of terms (core/hash_term.h): those of entities, names and facets, then one for each type.
enum { MICAI_SUM_ENTITIES, MICAI_SUM_NAMES, MICAI_SUM_FACETS, MICAI_SUM_TYPES };

typedef struct micai_sums {
    uint64_t *sums;
    bool apart; // otherwise there is one sum for all
} micai_sums;

static inline void micai_sums_add(micai_sums *to, uint32_t place, uint64_t term)
{
    to->sums[to->apart ? place : 0] += term;
}

// Adds the terms of all entities. Fails with MICA_ERROR_MEMORY, reported for `call`, if there is no
// memory to gather a value. The second adds those of all resources.
mica_result micai_entities_hash(mica_world *world, const char *call, micai_sums *to);
void micai_resources_hash(const micai_state *state, micai_sums *to);

// Hashes all columns of all tables and pools in their order; and names and facets.
uint64_t micai_entities_digest(const micai_state *state);

#endif
