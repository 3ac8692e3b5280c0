// Queries whose rows match one by one: because terms are sparse, can be disabled, or ask for changes.
//
// Room:    query, private to it.
//
// Candidates are rows of one table after the other: of the archetypes that match; or of a pool that all have to be in,
// or of a group that serves the query, if these are a good deal fewer (candidates_internal.h). A row filter
// (row_filter_internal.h) says which of them pass. Long runs of rows that pass are segments. Short ones go into a
// *block* of up to MICAI_BLOCK_ROWS rows. Nothing but ids is copied for that: values of a term are gathered when they
// are asked for, if they do not lie side by side anyway, and written back when the block is left (gather.h). One
// row at a time is reached in place.
//
// A row is seen in the state that it has when its segment begins. So what can change meanwhile (flags, ticks) is asked
// anew by every next().
//
// Optional terms are there, or are not, for all rows of a segment: it ends where that changes.
//
// Entities that were added in the same order lie in the same order everywhere. A run of them that is in all pools is a
// segment whose values lie side by side, found by comparing ids; nothing is looked up. Where that is too short, but the
// rows of a block are in long runs, it is shown run by run: the rest stays in the block for the next segments. Not where
// terms are conditional, see above.
#ifndef MICAI_QUERY_FILTERED_INTERNAL_H
#define MICAI_QUERY_FILTERED_INTERNAL_H

#include "entity/locate.h"
#include "query/query.h"

#define MICAI_BLOCK_ROWS 256u

// Rows side by side that are too few to be worth a segment of their own; still fewer where tests have tiny
// blocks.
#define MICAI_SHORT_RUN (MICA_VIEW_ROW_SHIFT < 4 ? 4u : 16u)

// The present segment.
typedef struct micai_block {
    mica_world *world;
    micai_table *table;     // the rows are of this archetype; NULL: of what drives the walk
    const mica_entity *ids; // of the rows
    uint32_t count;
    bool run; // the rows follow each other, from `first` on
    uint32_t first;
    uint64_t gathered; // bit per term: its values lie side by side, at the walk's pointers
    uint64_t written;  // those of them that are to be written back
    uint64_t touched;  // bit per term: may be written, where it lies
    uint64_t present;  // bit per term that can be read: all rows have it
    uint64_t
        placed; // bit per sparse term whose rows in its pool are known: at its homes, as uint32_t
    uint64_t
        straight; // those of them whose rows follow each other; of a run, only the first is there
    // What was listed: all rows, of which the present ones may be a part.
    uint32_t listed; // 0: nothing was, the rows are a run of the candidates
    uint32_t from;   // the first of the present ones; what is behind these comes next, run by run
    uint64_t
        noted; // bit per sparse term whose rows in its pool are those of all listed; of a run, of its first row
    // bit per row that does not follow the one before, here or in a pool that is noted; if there are runs
    uint64_t breaks[MICAI_BLOCK_ROWS / 64];
    uint32_t rows[MICAI_BLOCK_ROWS];
    mica_entity entities[MICAI_BLOCK_ROWS];
} micai_block;

// Are the values of a type in no table?
static inline bool micai_type_is_sparse(const micai_type *type)
{
    return micai_pool_keeps(type);
}

// Does it matter whether a term's component is enabled? Or, too, when something happened to it?
static inline bool micai_term_is_toggled(const micai_term *term)
{
    return term->type->info.toggle && !term->even;
}

static inline bool micai_term_is_conditional(const micai_term *term)
{
    return micai_term_is_toggled(term) || term->news != MICAI_NEWS_NONE;
}

// Is a term, which is conditional, off in a row that has its component?
bool micai_term_is_off(const micai_term *term, micai_cell cell, uint64_t since);

// The pool of a sparse term; NULL: no entity was ever in it.
static inline micai_pool *micai_term_pool(const micai_state *state, const micai_query *query,
                                          uint32_t term)
{
    return micai_pools_find(&state->pools, query->terms[term].type->info.type);
}

// When all terms are known: where the walk's memory has capacity for each of them.
void micai_filtered_lay_out(micai_query *query);
bool micai_filtered_is_laid_out(const micai_query *query);

// Is the memory of a walk, whose query and driver are right, what its world may write back from?
bool micai_filtered_is_block(const mica_world *world, const micai_walk *walk);

// How many numbers from the first on follow each other.
static inline uint32_t micai_numbers_run(const uint32_t *numbers, uint32_t count)
{
    uint32_t run = 1;
    while (run < count && numbers[run] == numbers[0] + run) {
        run++;
    }
    return run;
}

// The present rows, if they do not follow each other.
static inline const uint32_t *micai_block_rows(const micai_block *block)
{
    return block->rows + block->from;
}

// The rows in the pool of a sparse term that can be read, one for each of the present rows, as far as they are known.
static inline uint32_t *micai_block_places(const micai_block *block, const micai_term *term)
{
    return (uint32_t *)(void *)((unsigned char *)block + term->homes) + block->from;
}

// Gets the memory of a walk; MICA_ERROR_MEMORY. Aims it at the rows it is to have: all there are (`whole`), or some of
// an archetype.
mica_result micai_filtered_open(mica_world *world, micai_walk *walk);
void micai_filtered_aim(mica_world *world, micai_walk *walk, bool whole);

// For walk->next().
bool micai_filtered_next(mica_iter *it);

// Of what matches: how many, all of them (the list may be NULL), the first; and is it among them?
uint32_t micai_filtered_list(const mica_world *world, const micai_query *query,
                             mica_entity *entities_out);
mica_entity micai_filtered_first(const mica_world *world, const micai_query *query);
bool micai_filtered_has(const mica_world *world, const micai_query *query, micai_entity_ref ref);

#endif
