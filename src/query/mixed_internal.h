// Queries with sparse terms: which rows match is asked row by row, and values that do not lie side
// by side are brought together.
//
// Room:    query, private to it.
//
// A walk of such a query is *driven* by the smallest set there is: a group that serves it
// (query/serve.h), the pool of a sparse component that all have, or the tables that match. What it
// meets is sieved, and gathered into blocks of up to MICAI_BLOCK_ROWS. Nothing but entities is
// copied for that: values of a term are gathered when they are asked for, if they do not lie side
// by side anyway, and written back when the block is left. One row at a time is reached in place.
//
// Optional terms are there, or are not, for all rows of a block: it ends where that changes.
//
// Where all sparse terms are needed, whether a row passes is asked of their pools. What is found there,
// the places of the values, is noted in the block, so that nobody looks for it again.
//
// Entities that came in the same order lie in the same order everywhere. A stretch of them that is in all
// pools is a segment whose values lie side by side, found by comparing who is there; nobody is sieved.
// Where that is too short, but what was sieved is in long runs, it is shown run by run: the rest stays in the
// block for the next segments. Not where terms are fickle: there, who comes next is asked when he comes.
//
// Where a query asks for nothing but a group, nothing is sieved or copied: a block is a stretch of the
// group's entities; and all of them, if the group owns whatever can be read.
#ifndef MICAI_QUERY_MIXED_INTERNAL_H
#define MICAI_QUERY_MIXED_INTERNAL_H

#include "entity/locate.h"
#include "query/query.h"

#define MICAI_BLOCK_ROWS 256u

#define MICAI_PLAIN_MAX 8u // sparse terms of a plain query

// The present segment.
typedef struct micai_block {
    mica_world *world;
    micai_table *table;     // the rows are of this one; NULL: they are places in the driver
    const mica_entity *ids; // of the rows
    uint32_t count;
    bool run; // the rows follow each other, from `first` on
    uint32_t first;
    uint64_t gathered; // bit per term: its values lie side by side, at the walk's pointers
    uint64_t written;  // those of them that are to be written back
    uint64_t touched;  // bit per term: may be written, where it lies
    uint64_t present;  // bit per term that may be missing, and is there; where rows of a table are
                       // shown instead: that is not disabled
    uint64_t placed;   // bit per sparse term whose places are known: at its homes, as uint32_t
    uint64_t
        straight; // those of them whose places follow each other; of a stretch, only the first is there
    // What was sieved: all rows, of which the present ones may be a part.
    uint32_t sieved; // 0: nothing was, the rows are a stretch of the driver or the table
    uint32_t from;   // the first of the present ones; what is behind these comes next, run by run
    uint64_t
        noted; // bit per sparse term whose places are those of all; of a stretch, of its first row
    // bit per row that does not follow the one before, here or in a pool that is noted; if there are runs
    uint64_t breaks[MICAI_BLOCK_ROWS / 64];
    uint32_t rows[MICAI_BLOCK_ROWS];
    mica_entity entities[MICAI_BLOCK_ROWS];
} micai_block;

// Are the values of a type in no table?
static inline bool micai_mixed_is_loose(const micai_type *type)
{
    return micai_pool_keeps(type);
}

// A term is of a sparse type: enters it, in the order of terms. MICA_ERROR_MEMORY.
mica_result micai_mixed_add(mica_world *world, micai_query *query, uint32_t term, micai_use use);

// When all terms are known: where the walk's memory has room for each of them.
void micai_mixed_lay_out(micai_query *query);

// Is what was worked out what the terms say? Is the room for them? Is a walk, by a pool or a group that
// may be none, driven as it can be, and at a place that there is?
bool micai_mixed_is_right(const micai_query *query);
bool micai_mixed_is_laid_out(const micai_query *query);
bool micai_mixed_is_driven(const micai_state *state, const micai_walk *walk);

// Is the memory of a walk, whose query and driver are right, what its world may write back from?
bool micai_mixed_is_block(const mica_world *world, const micai_walk *walk);

// Are the values of a type hidden, because a walk has them (query/gather)?
bool micai_mixed_is_hidden(const micai_state *state, const micai_type *type);

// How many numbers from the first on follow each other.
static inline uint32_t micai_mixed_run(const uint32_t *numbers, uint32_t count)
{
    uint32_t run = 1;
    while (run < count && numbers[run] == numbers[0] + run) {
        run++;
    }
    return run;
}

// The present rows, if they do not follow each other.
static inline const uint32_t *micai_mixed_rows(const micai_block *block)
{
    return block->rows + block->from;
}

// The places of a sparse term that can be read, one for each of the present rows, as far as they are known.
static inline uint32_t *micai_mixed_places(const micai_block *block, const micai_term *term)
{
    return (uint32_t *)(void *)((unsigned char *)block + term->homes) + block->from;
}

// Gets the memory of a walk; MICA_ERROR_MEMORY. Finds who drives it.
mica_result micai_mixed_open(mica_world *world, micai_walk *walk);
void micai_mixed_aim(mica_world *world, micai_walk *walk, bool whole);

// For walk->next().
bool micai_mixed_next(mica_iter *it);

// Of what matches: how many, all of them (the list may be NULL), the first; and is it among them?
uint32_t micai_mixed_list(const mica_world *world, const micai_query *query,
                          mica_entity *entities_out);
mica_entity micai_mixed_first(const mica_world *world, const micai_query *query);
bool micai_mixed_has(const mica_world *world, const micai_query *query, micai_living who);

#endif
