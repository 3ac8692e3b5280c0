// Pools in which entities are looked up: whether a candidate passes is asked of the pools in which its values will be
// looked for, and the rows found there are noted in the block.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_LOOKUP_INTERNAL_H
#define MICAI_QUERY_LOOKUP_INTERNAL_H

#include "query/filtered_internal.h"

#define MICAI_LOOKUPS_MAX 8u

// What is known of a pool is copied, so that it need not be read again for every entity.
typedef struct micai_lookup {
    const micai_pool *pool;
    mica_view_pool view;
    bool certain;        // all candidates are in it
    bool disabled;       // values may be, and that matters
    uint32_t *rows_note; // where the entities of the block have their values in it
} micai_lookup;

typedef struct micai_lookups {
    micai_lookup list[MICAI_LOOKUPS_MAX];
    uint32_t count;
    bool disabled;                     // something is in one of them
    uint32_t unread[MICAI_BLOCK_ROWS]; // for notes that are not read
} micai_lookups;

// None; and one more. `rows_note`: one for each row of a block; NULL, if they are not read.
void micai_lookups_begin(micai_lookups *all_out);
void micai_lookups_add(micai_lookups *all, const micai_pool *pool, bool certain, bool disabled,
                       uint32_t *rows_note);

// How many candidates that follow each other are in all pools, from the first on? Their rows are noted as those of the first
// in a block. Whether they are disabled there is not asked.
uint32_t micai_lookups_note(const micai_lookups *all, const mica_entity *ids, uint32_t count);

// Takes candidates that follow each other into a block, those whose entities are in all pools. There is capacity for
// all. So many of the first have been noted: then the block has none yet.
void micai_lookups_take(const micai_lookups *all, micai_block *block, const mica_entity *ids,
                        uint32_t row, uint32_t count, uint32_t noted);

// Keeps those of a block's rows, from one on, whose entities are in all pools.
void micai_lookups_keep(const micai_lookups *all, micai_block *block, uint32_t from);

// Entities that follow each other here may do so in all pools, if they were added in the same order: how many of
// them do, from the first on, whose rows are noted? 0: too few. `last`: nothing comes behind these; then few
// will do. Takes time in proportion to what it returns.
uint32_t micai_lookups_agree(const micai_lookups *all, const mica_entity *ids, uint32_t count,
                             bool last);

#endif
