// Plain queries, which need all their sparse terms: whether a row passes is asked of the pools themselves,
// in which its values will be looked for.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_PLAIN_H
#define MICAI_QUERY_PLAIN_H

#include "query/mixed_internal.h"

// Rows side by side that are too few to be worth a segment of their own; still fewer where tests have tiny
// blocks.
#define MICAI_SHORT_RUN (MICA_VIEW_ROW_SHIFT < 4 ? 4u : 16u)

// A pool in which entities are looked for. What is known of it is copied, so that it need not be read again for
// every row.
typedef struct micai_other {
    const micai_pool *pool;
    mica_view_pool view;
    bool disabled;    // values may be
    uint32_t *places; // where the rows have their values in it is noted here
} micai_other;

typedef struct micai_others {
    micai_other list[MICAI_PLAIN_MAX];
    uint32_t count;
    bool watched;                      // something is disabled in one of them
    uint32_t unread[MICAI_BLOCK_ROWS]; // for notes that nobody will read
} micai_others;

// None; and one more. `disabled`: values may be, and that matters. `places`, one for each row
// of a block: NULL, if nobody will read them.
void micai_others_begin(micai_others *all_out);
void micai_others_add(micai_others *all, const micai_pool *pool, bool disabled, uint32_t *places);

// Takes rows that follow each other into a block, those whose entities are in all pools. There is room for all
// of them.
void micai_others_take(const micai_others *all, micai_block *block, const mica_entity *ids,
                       uint32_t row, uint32_t rows);

// Entities that follow each other here may do so in all pools, if they came in the same order: how many of
// them do, from the first on, whose places are noted? 0: too few. `last`: nothing comes behind these; then few
// will do. It takes what it takes to compare as many as it gives, and a few more.
uint32_t micai_others_agree(const micai_others *all, const mica_entity *ids, uint32_t count,
                            bool last);

// Finds the runs of what was sieved, here and in all pools whose places are noted. False if they are short.
bool micai_runs_find(const micai_query *query, micai_block *block);

// Shows the next of them.
void micai_runs_show(micai_block *block);

#endif
