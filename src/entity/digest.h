// The hash and the digest of all entities: of their values, names and facets.
//
// Room:    entity. Called by inspect/ (hash).
#ifndef MICAI_ENTITY_DIGEST_H
#define MICAI_ENTITY_DIGEST_H

#include "state/state.h"

// Sums up the terms (core/hash_term.h) of all entities. Fails with MICA_ERROR_MEMORY, reported for
// `call`, if there is no memory to gather a value.
mica_result micai_entities_hash(mica_world *world, const char *call, uint64_t *hash_out);

// Hashes all columns of all tables and pools in their order; and names and facets.
uint64_t micai_entities_digest(const micai_state *state);

#endif
