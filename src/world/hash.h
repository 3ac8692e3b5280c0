// The hash of one value: fields under their names, or bytes, if the type has no fields.
//
// Room:    world. Called by world/ and by rooms that keep values of their own.
#ifndef MICAI_WORLD_HASH_H
#define MICAI_WORLD_HASH_H

#include "core/registry.h"

uint64_t micai_hash_value(const micai_registry *types, const mica_type_info *info,
                          const unsigned char *value);

#endif
