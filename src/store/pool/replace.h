// Replacing: what other pools have takes the place of what the pools of a world have. And what is needed
// to make those others as they were in an image.
//
// Room:    store/pool. Called by image/.
//
//   micai_pools_init(&other, ...)
//   ... pools of it are opened, and filled ...
//   micai_pools_reserve_exchange(pools, &other, ...)  both have the same pools, and the same groups
//   micai_pools_exchange(pools, &other)               cannot fail
//   micai_pools_free(&other)                          what was there before
//
// Pools and groups stay where they are: accessors, queries and bundles point to them.
#ifndef MICAI_STORE_POOL_REPLACE_H
#define MICAI_STORE_POOL_REPLACE_H

#include "store/pool/group.h"

// MICA_ERROR_MEMORY, MICA_ERROR_LIMIT. The groups of the others have who belongs there, in the order of
// pools; who has to move for that does so at this tick. The seal is the state's.
mica_result micai_pools_reserve_exchange(micai_pools *pools, micai_pools *other, uint64_t seal,
                                         uint64_t tick);
void micai_pools_exchange(micai_pools *pools, micai_pools *other);

// Takes back the pools, which are empty, of types from a number on, and of sparse ones from another: there
// are no such types any more.
void micai_pools_take_back(micai_pools *pools, uint32_t types, uint32_t sparse_types);

// The group among the others that stands for one; the list of a group is put in this order, if it is of
// exactly these entities.
micai_group *micai_groups_twin(const micai_pools *pools, const micai_pools *other,
                               const micai_group *group);
bool micai_group_reorder(micai_group *group, const mica_entity *entities, uint32_t count);

// Rows behind the last, for living entities; none: a hole, of a stable pool. MICA_ERROR_MEMORY,
// _LIMIT; MICA_ERROR_CORRUPT, unreported, if one is there already, or is a hole where there cannot be
// one: then the pool is of no more use.
mica_result micai_pool_reserve_restore(micai_pools *pools, micai_pool *pool,
                                       const mica_entity *entities, uint32_t count);

// Their values, flags and ticks are there: they join. The tick is that of all of them.
void micai_pool_restore(micai_pools *pools, micai_pool *pool, const mica_entity *entities,
                        uint32_t count, uint64_t tick);

// The holes in the order they are to be filled in; false if they are others. How to see them: the first
// is pool->index.first_hole, and each leads to the next.
bool micai_pool_restore_holes(micai_pool *pool, const uint64_t *rows, uint32_t count);

static inline uint32_t micai_pool_next_hole(const micai_pool *pool, uint32_t hole)
{
    return (uint32_t)micai_pool_entity(pool, hole).bits;
}

#endif
