// The terms of mica_world_hash(), which is their sum. No term depends on another one. So the hash of a
// later state is that of an earlier one, minus the terms that went, plus those that came.
//
// Room:    core. Called by entity/ and inspect/.
#ifndef MICAI_CORE_HASH_TERM_H
#define MICAI_CORE_HASH_TERM_H

#include <mica/entity.h>

#include "core/value_hash.h"

// A living entity, whether it is a facet or not.
static inline uint64_t micai_hash_alive(mica_entity entity)
{
    return micai_hash_mix(entity.bits + UINT64_C(0x9e3779b97f4a7c15));
}

// A type that an entity has, with its value (NULL for a tag) and whether it is enabled. The hidden
// type of facets has no term.
static inline uint64_t micai_hash_pair(const micai_registry *types, const micai_type *type,
                                       mica_entity entity, const void *value, bool on)
{
    uint64_t hash = value ? micai_hash_value(types, type, (const unsigned char *)value) : 0;
    hash = on ? hash : micai_hash_mix(hash + 1);
    return micai_hash_mix(micai_hash_mix(entity.bits + type->name_hash) ^ hash);
}

// The name of an entity: the hash of its text.
static inline uint64_t micai_hash_name(mica_entity entity, uint64_t text_hash)
{
    return micai_hash_add(micai_hash_mix(entity.bits), text_hash);
}

// A facet, with its owner and key. `component` is NULL if the key has none.
static inline uint64_t micai_hash_facet(mica_entity facet, mica_entity owner,
                                        const micai_type *component, uint32_t role)
{
    uint64_t hash = micai_hash_add(micai_hash_mix(facet.bits), owner.bits);
    return micai_hash_add(micai_hash_add(hash, component ? component->name_hash : 0), role);
}

static inline uint64_t micai_hash_resource(const micai_registry *types, const micai_type *type,
                                           const void *value)
{
    return micai_hash_add(micai_hash_mix(type->name_hash),
                          micai_hash_value(types, type, (const unsigned char *)value));
}

#endif
