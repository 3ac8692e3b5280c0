// Lookups of candidates in pools. They decide which candidates pass, and they store the pool rows
// in the block, where the values will be accessed.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_LOOKUP_INTERNAL_H
#define MICAI_QUERY_LOOKUP_INTERNAL_H

#include "query/filtered_internal.h"

#define MICAI_LOOKUPS_MAX 8u

// The view is a copy, so that it need not be loaded again for every entity.
typedef struct micai_lookup {
    const micai_pool *pool;
    mica_view_pool view;
    bool contains_all;   // all candidates are in it
    bool disabled;       // some values may be disabled, and do not pass then
    uint32_t *pool_rows; // receives the row of each candidate
} micai_lookup;

typedef struct micai_lookups {
    micai_lookup list[MICAI_LOOKUPS_MAX];
    uint32_t count;
    bool disabled;                          // at least one lookup has `disabled`
    uint32_t unused_rows[MICAI_BLOCK_ROWS]; // receives rows that are not needed
} micai_lookups;

// Begins without lookups; adds one. `pool_rows` has capacity for a block; NULL: rows are not
// needed.
void micai_lookups_begin(micai_lookups *all_out);
void micai_lookups_add(micai_lookups *all, const micai_pool *pool, bool contains_all, bool disabled,
                       uint32_t *pool_rows);

// Returns how many of the first candidates are in all pools. Stores their pool rows at the
// beginning of a block. Does not check whether they are disabled.
uint32_t micai_lookups_find_rows(const micai_lookups *all, const mica_entity *ids, uint32_t count);

// Appends those of `count` consecutive candidates that are in all pools to a block, which has
// capacity for all of them. micai_lookups_find_rows() has already stored the first `found`; the
// block is empty unless that is 0.
void micai_lookups_append(const micai_lookups *all, micai_block *block, const mica_entity *ids,
                          uint32_t row, uint32_t count, uint32_t found);

// Removes rows of a block, from one on, whose entities are not in all pools.
void micai_lookups_filter(const micai_lookups *all, micai_block *block, uint32_t from);

// Returns how many of the first candidates are consecutive in all pools, and stores their first
// pool row. Returns 0 if they are too few. `last`: no candidates follow, so a short run suffices if
// it has all. The time is proportional to the result.
uint32_t micai_lookups_find_run(const micai_lookups *all, const mica_entity *ids, uint32_t count,
                                bool last);

#endif
