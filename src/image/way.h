// How values of a type are saved, in images and in deltas.
//
// Room:    image. Called by delta/.
#ifndef MICAI_IMAGE_WAY_H
#define MICAI_IMAGE_WAY_H

#include "core/archive.h"
#include "core/registry.h"

micai_schema_way micai_schema_way_of(const micai_registry *registry, const micai_type *type);

// Returns true if a type of the world is sparse, so that its loaded values go to a pool.
bool micai_schema_is_sparse(const micai_type *type);

#endif
