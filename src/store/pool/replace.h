// Replacing: swaps the content of a world's pools with that of other pools. Also functions to build
// those other pools from an image.
//
// Room:    store/pool. Called by image/.
//
//     micai_pools_init(&other, ...)
//     ... its pools are opened and filled ...
//     micai_pools_reserve_exchange(pools, &other, ...)  both then have the same pools and groups
//     micai_pools_exchange(pools, &other)               cannot fail
//     micai_pools_free(&other)                          the old content
//
// Pools and groups keep their address: accessors, queries and bundles point at them.
#ifndef MICAI_STORE_POOL_REPLACE_H
#define MICAI_STORE_POOL_REPLACE_H

#include "store/pool/group.h"

// Fails with MICA_ERROR_MEMORY or MICA_ERROR_LIMIT. The other pools get the same groups with their
// matching entities, in the order of the pools. Rows that move for this get `tick`. `seal` is the
// state's.
mica_result micai_pools_reserve_exchange(micai_pools *pools, micai_pools *other, uint64_t seal,
                                         uint64_t tick);
void micai_pools_exchange(micai_pools *pools, micai_pools *other);

// Frees the empty pools of types from number `types` on, and shortens the list of sparse types,
// because those types are removed.
void micai_pools_take_back(micai_pools *pools, uint32_t types, uint32_t sparse_types);

// micai_groups_counterpart() returns the corresponding group of the other pools.
// micai_group_reorder() puts the list of a group in this order. It returns false if the entities
// are not the same.
micai_group *micai_groups_counterpart(const micai_pools *pools, const micai_pools *other,
                                      const micai_group *group);
bool micai_group_reorder(micai_group *group, const mica_entity *entities, uint32_t count);

// Reserves rows after the last for living entities. A null entity is a hole of a stable pool. Fails
// with MICA_ERROR_MEMORY or MICA_ERROR_LIMIT. Fails with MICA_ERROR_CORRUPT, unreported, for an
// entity that is in the pool or an invalid hole. The pool is then unusable.
mica_result micai_pool_reserve_restore(micai_pools *pools, micai_pool *pool,
                                       const mica_entity *entities, uint32_t count);

// Appends the entities, whose values, flags and ticks were filled in, with one common tick.
void micai_pool_restore(micai_pools *pools, micai_pool *pool, const mica_entity *entities,
                        uint32_t count, uint64_t tick);

// Sets the order in which holes are filled. Returns false if the holes are not these rows. The
// first hole is pool->index.first_hole, and micai_pool_next_hole() returns the next.
bool micai_pool_restore_holes(micai_pool *pool, const uint64_t *rows, uint32_t count);

static inline uint32_t micai_pool_next_hole(const micai_pool *pool, uint32_t hole)
{
    return (uint32_t)micai_pool_entity(pool, hole).bits;
}

#endif
