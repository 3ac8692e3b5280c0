// The hash of one value: of its named fields or, if the type has no fields, of its bytes.
//
// Room:    core. Called by inspect/ and event/.
#ifndef MICAI_CORE_VALUE_HASH_H
#define MICAI_CORE_VALUE_HASH_H

#include "core/registry.h"

uint64_t micai_hash_value(const micai_registry *types, const mica_type_info *info,
                          const unsigned char *value);

#endif
