// Filtered queries: rows match one by one, because terms are sparse, can be disabled, or select
// changes.
//
// Room:    query, private to it.
//
// Candidates are the rows of the matching tables, or of a pool or group that has far fewer rows
// (candidates_internal.h). A row filter (row_filter_internal.h) selects the rows that pass. A long
// run of them is a segment of its own. Short runs are collected in a *block* of up to
// MICAI_BLOCK_ROWS rows. A block copies row numbers and ids only. Values of a term are gathered
// when they are accessed, unless they lie side by side. They are written back when the walk leaves
// the block (gather_internal.h). A single value is accessed in place.
//
// A row is seen in the state that it has when its segment begins. So every next() reads flags and
// ticks anew.
//
// Optional terms are present in all rows of a segment, or in none. The segment ends where that
// changes.
//
// Entities that were added in the same order have the same order in all tables and pools. A run of
// them that is in all pools is a segment whose values lie side by side. It is found by comparing
// ids, without lookups. Runs may be too short for that although the rows of a block are in long
// runs. Then the block is split into these runs, one segment each. That is not done if terms are
// conditional, because their state must be read when a segment begins.
#ifndef MICAI_QUERY_FILTERED_INTERNAL_H
#define MICAI_QUERY_FILTERED_INTERNAL_H

#include "entity/locate.h"
#include "query/query.h"

#define MICAI_BLOCK_ROWS 256u

// A shorter run is not worth a segment of its own. It is smaller still in tests with tiny blocks.
#define MICAI_SHORT_RUN (MICA_VIEW_ROW_SHIFT < 4 ? 4u : 16u)

// The current segment, and the listed rows that come after it.
typedef struct micai_block {
    mica_world *world;
    micai_table *table;     // the matching table of the rows; NULL: rows of the driver
    const mica_entity *ids; // of the rows
    uint32_t count;
    bool run; // the rows are consecutive, starting at `first`
    uint32_t first;
    uint64_t contiguous;  // bit per term: walk->pointers has its values side by side
    uint64_t write_back;  // of these, the gathered ones that must be written back
    uint64_t writable;    // of `contiguous`, those that were opened for writing
    uint64_t present;     // bit per readable term that all rows have
    uint64_t located;     // bit per sparse term whose pool rows are known: micai_block_pool_rows()
    uint64_t consecutive; // of these, those with consecutive pool rows; the first one is stored
    // All listed rows. The current segment may be a part of them.
    uint32_t listed_count; // 0: no list; the rows are a run of the candidates
    uint32_t segment_from; // the current segment begins here; the next one follows
    // Bit per sparse term whose pool rows were found while the block was filled. For a run of
    // candidates, only the first pool row is stored.
    uint64_t located_listed;
    // bit per listed row that is not consecutive to the row before, in the list or a pool above
    uint64_t breaks[MICAI_BLOCK_ROWS / 64];
    uint32_t rows[MICAI_BLOCK_ROWS];
    mica_entity entities[MICAI_BLOCK_ROWS];
} micai_block;

// Returns true if the values of a type are in a pool.
static inline bool micai_type_is_sparse(const micai_type *type)
{
    return micai_pool_keeps(type);
}

// Returns true if a disabled component counts as absent to the term.
static inline bool micai_term_ignores_disabled(const micai_term *term)
{
    return term->type->info.toggle && !term->include_disabled;
}

// Returns true if the term may be off in rows that have its component (row_filter_internal.h).
static inline bool micai_term_is_conditional(const micai_term *term)
{
    return micai_term_ignores_disabled(term) || term->change_filter != MICAI_FILTER_NONE;
}

// Returns true if a conditional term is off in a row that has its component.
bool micai_term_is_off(const micai_term *term, micai_cell cell, uint64_t since);

// Returns the pool of a sparse term, or NULL if it was never used.
static inline micai_pool *micai_term_pool(const micai_state *state, const micai_query *query,
                                          uint32_t term)
{
    return micai_pools_find(&state->pools, query->terms[term].type->info.type);
}

// Sets the offsets and sizes of a walk's block, after all terms were added. They stay 0 if the query
// is not filtered.
void micai_filtered_lay_out(micai_query *query);
bool micai_filtered_is_laid_out(const micai_query *query);

// Returns true if the block of a walk, whose query and driver are valid, can safely be written
// back.
bool micai_filtered_is_block_valid(const mica_world *world, const micai_walk *walk);

// Returns how many of the first numbers are consecutive.
static inline uint32_t micai_count_consecutive(const uint32_t *numbers, uint32_t count)
{
    uint32_t run = 1;
    while (run < count && numbers[run] == numbers[0] + run) {
        run++;
    }
    return run;
}

// Returns the listed rows of the current segment.
static inline const uint32_t *micai_block_rows(const micai_block *block)
{
    return block->rows + block->segment_from;
}

// Returns the pool rows of a readable sparse term, one for each row of the current segment. Those
// of `block->located` are valid.
static inline uint32_t *micai_block_pool_rows(const micai_block *block, const micai_term *term)
{
    return (uint32_t *)(void *)((unsigned char *)block + term->locations_offset) +
           block->segment_from;
}

// What other files of the room call of filtered queries. They call it through the query, so that
// only programs that may have such a query link it (query.h).
struct micai_filtered {
    mica_result (*restrict_to)(mica_world *world, const micai_query_origin *origin,
                               micai_query *query, const mica_query_of *of);
    void (*lay_out)(micai_query *query);
    mica_result (*open)(mica_world *world, micai_walk *walk);
    void (*start)(mica_world *world, micai_walk *walk, bool many);
    uint32_t (*pool_rows)(const micai_state *state, const micai_query *query);
    uint32_t (*list)(const mica_world *world, const micai_query *query, mica_entity *entities_out);
    uint32_t (*first)(const mica_world *world, const micai_query *query, uint32_t most,
                      mica_entity *entities_out);
    bool (*has)(const mica_world *world, const micai_query *query, micai_entity_ref ref);
    // query/gather
    bool (*has_copies)(const mica_iter *it, uint32_t term);
    void *(*values)(const mica_iter *it, uint32_t term, bool write, const char *call);
    void *(*value)(const mica_iter *it, uint32_t term, uint32_t row, bool write);
    mica_result (*field)(const mica_iter *it, uint32_t term, uint32_t offset, uint32_t size,
                         bool write, const char *call, micai_field_span *field_out);
    micai_cell (*cell)(const mica_iter *it, uint32_t term, uint32_t row);
    void (*touch)(const mica_iter *it, uint32_t term, uint32_t row);
};

// Restricts a query to sources of a target, and adds the term that it needs. Fails like
// mica_query_new().
mica_result micai_query_restrict(mica_world *world, const micai_query_origin *origin,
                                 micai_query *query, const mica_query_of *of);

// The functions of queries with .of.
extern const struct micai_filtered micai_filtered_sources;

// Allocates the memory of a walk. MICA_ERROR_MEMORY.
mica_result micai_filtered_open(mica_world *world, micai_walk *walk);

// Sets the functions of a walk, and its driver if it visits more than one row (`many`).
void micai_filtered_start(mica_world *world, micai_walk *walk, bool many);

// Returns how many rows of a pool or group are candidates. UINT32_MAX: rows of tables are.
uint32_t micai_filtered_pool_rows(const micai_state *state, const micai_query *query);

// walk->next() of filtered queries.
bool micai_filtered_next(mica_iter *it);

// Return the number of matches, which are listed unless the list is NULL; the first ones, at most
// `most`, and their number; true if an entity matches.
uint32_t micai_filtered_list(const mica_world *world, const micai_query *query,
                             mica_entity *entities_out);
uint32_t micai_filtered_first(const mica_world *world, const micai_query *query, uint32_t most,
                              mica_entity *entities_out);
bool micai_filtered_has(const mica_world *world, const micai_query *query, micai_entity_ref ref);

#endif
