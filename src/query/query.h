// Queries: compiled terms and the tables that match them.
//
// Room:    query. Called by system/ (its queries, its iterations), event/, image/ and inspect/.
//
// Invariants, swept by micai_query_validate() and cited by tests:
//   Q1  `tables` has exactly the tables that match, in the order of their creation.
//   Q2  term_columns[m * term_count + t] is the column of term t in table m.
//   Q3  An open iteration has a query that exists. It continues at a row of that query, with
//       functions that suit the query. Its name is that of the query or of the running system.
//   Q4  A query follows from its terms: type sets, masks and functions. Its terms have registered
//       types, each once. Its handle names it.
//   Q5  The state counts the queries that are not hidden. The room listens to the store.
//   Q6  Values are hidden (pool->view.hidden, micai_directory_hide) while exactly one walk has
//       gathered them to write them back. No other walk reads them. The state counts their types.
//   Q7  No query and no walk selects changes since a moment in the future.
//   Q8  Cached segments that are marked as valid agree with the tables.
#ifndef MICAI_QUERY_QUERY_H
#define MICAI_QUERY_QUERY_H

#include <mica/query.h>

#include "core/unclaimed.h"
#include "entity/locate.h"
#include "state/state.h"
#include "store/table/row.h"

// The change that a term requires, after a tick.
typedef enum micai_change_filter {
    MICAI_FILTER_NONE,
    MICAI_FILTER_CHANGED,
    MICAI_FILTER_ADDED
} micai_change_filter;

typedef struct micai_term {
    const micai_type *type;
    mica_access access;
    bool include_disabled;             // MICA_INCLUDE_DISABLED
    bool touch;                        // MICA_TOUCH
    micai_change_filter change_filter; // MICA_CHANGED, MICA_ADDED
    uint32_t size;                     // of the type's values
    // Two arrays in the memory of a walk, used by query/gather. The first has gathered values. The
    // second has their original addresses or, for a sparse term, their rows in its pool.
    size_t values_offset;
    size_t locations_offset;
} micai_term;

// The column of a term in a table.
typedef struct micai_term_column {
    uint16_t column;   // 0: none
    uint16_t position; // of its values in the table, for query/segment
} micai_term_column;

// What an access requires and permits.
typedef struct micai_access_flags {
    bool required, excluded, any, read, write;
} micai_access_flags;

typedef struct micai_query {
    // read by every iteration, side by side
    mica_query handle;
    char *name; // NULL: unnamed
    // Moves an iterator over all rows to its next segment. NULL: the query is filtered.
    bool (*next_segment)(mica_iter *it);
    uint64_t readable; // bit per term with data
    uint64_t writable;
    MICAI_ARRAY(micai_table *) tables;
    struct micai_cached_segment *cached; // one per table, for query/segment; NULL: none
    size_t cached_stride;                // bytes of each
    uint64_t cached_at;                  // store.address_changes for which they are valid; 0: never
    uint64_t last_address_changes;       // store.address_changes when the last iteration began
    size_t cached_size;                  // bytes of all
    uint32_t term_count;

    uint32_t declaring_systems;   // systems that list it in their .queries
    uint64_t seed;                // of the handle: queries created up to this one
    mica_type_set required_types; // of tables, as the two that follow
    mica_type_set excluded_types;
    mica_type_set any_types; // at least one of these, or a sparse one, unless empty
    uint64_t touch;          // bit per term that only mica_touch() stamps
    uint64_t split;          // bit per term with data that is stored in pieces: mica_read_field()
    bool no_facets;          // tables of facets do not match
    bool no_entities;        // entities are not provided
    bool hidden; // used by the library only: not listed, not counted, handle not returned
    bool owned;  // a system or an observer owns and frees it; part of the handle
    const struct micai_filtered *filtered; // its functions, if it is filtered; NULL: it is not
    bool simple;                           // the simple loop can iterate over it: query/segment
    bool pools_only;      // every table matches and none is read: only pools matter
    const micai_type *of; // the relation whose sources match; NULL: no restriction
    mica_entity of_target;
    bool of_below;
    bool pinned;              // no term is sparse, and some values cannot be copied as bytes
    uint64_t sparse;          // bit per term whose type is sparse
    uint64_t conditional;     // bit per term that may be off in some rows: query/row_filter
    uint64_t change_filtered; // bit per term with a change filter
    uint64_t required;        // bit per term that every match has
    uint64_t excluded;        // bit per term that no match has
    uint64_t any_of;          // bit per MICA_ANY term: a match has at least one
    uint64_t optional;        // bit per term that can be read and may be missing
    uint64_t since;           // changes must be later than this tick
    uint32_t block_rows;      // rows, alignment and bytes of a walk's block, if filtered
    uint32_t block_align;
    size_t block_size;
    MICAI_ARRAY(micai_term_column) term_columns;
    micai_term terms[MICA_TERMS_MAX];
} micai_query;

// The call that creates a query and its owner, for sentences: "mica_query_new",
// "mica_system_add: system 'move'".
typedef struct micai_query_origin {
    const char *call;
    const char *noun;
    const char *name; // NULL: unnamed
    bool hidden;      // used by the library only
    bool owned;       // a system or an observer owns and frees it
} micai_query_origin;

typedef struct micai_queries {
    micai_handles handles;
    micai_unclaimed unclaimed; // moments of a loaded image, by names of queries
} micai_queries;

// Opens the room unless it is open. Returns NULL on MICA_ERROR_MEMORY.
micai_queries *micai_queries_open(mica_world *world);

// Returns the query of a handle, or NULL if it is none, freed or foreign. micai_query_find()
// reports that.
static inline micai_query *micai_query_look_up(const mica_world *world, mica_query query)
{
    const micai_queries *queries = world->state->modules[MICAI_MODULE_QUERY].data;
    micai_query *found = queries ? micai_handles_find(&queries->handles, query.bits) : NULL;
    return found && found->handle.bits == query.bits ? found : NULL;
}

micai_query *micai_query_find(mica_world *world, const char *call, mica_query query);

// Sets `filtered` and `gathers`. Called before there is a type or a query that makes a query
// filtered: query/use. So programs that have none do not link what filtered queries need.
void micai_filtered_use(micai_walks *walks);
bool micai_filtered_is_used(const micai_walks *walks);

// Uses all kinds of columns and filtered queries. Called by functions that register types, or change
// their storage, whatever storage that is: query/use.
void micai_use_all(micai_state *state);

// Returns true if rows match one by one. Otherwise whole tables match.
static inline bool micai_query_is_filtered(const micai_query *query)
{
    return (query->sparse | query->conditional) != 0;
}

// Returns the number of its open iterations.
uint32_t micai_query_count_walks(const micai_state *state, const micai_query *query);

// Returns a moment for change detection. Earlier writes are not later than it. Exceptions are the
// writes of open iterations other than `ended` (or NULL). Later writes are later than it.
uint64_t micai_query_tick(mica_world *world, const micai_walk *ended);

// Returns the flags of a valid access.
micai_access_flags micai_query_access_flags(mica_access access);

// Adds a term. Fails like mica_query_new().
mica_result micai_query_add_term(mica_world *world, const micai_query_origin *origin,
                                 micai_query *query, mica_term term);

// Adds a term to the masks of its query. Terms are added in order.
void micai_query_add_to_masks(micai_query *query, uint32_t term);

// Returns the type set to which the type of a term belongs, or NULL.
mica_type_set *micai_query_type_set(micai_query *query, uint32_t term);

// Returns the access of a term with its filters, as in the descriptor.
uint32_t micai_query_term_access(const micai_term *term);

// Returns the public handle of a query with this number.
mica_query micai_query_make_handle(const micai_state *state, const micai_query *query,
                                   uint32_t number);

// Return true if the type is a term: of a query; of a walk, for state->walks.has_term.
bool micai_query_has_term(const micai_query *query, const micai_type *type);
bool micai_query_walk_has_term(const micai_walk *walk, const micai_type *type);

// Writes 'name', or "a query of" its first types, as text for a sentence. For
// state->walks.describe.
void micai_query_describe(const micai_query *query, char *text, size_t size);

// Returns true if the table is one of its matching tables.
bool micai_query_has_table(const micai_query *query, const micai_table *table);

// Returns true if the walk has gathered values of the type to write them back. For
// state->walks.gathers.
bool micai_query_walk_gathers(const micai_walk *walk, const micai_type *type);

// Returns true if the query reads values of the type.
bool micai_query_reads(const micai_query *query, const micai_type *type);

// Returns the room's listener at the store.
micai_listener micai_query_listener(mica_world *world);

mica_result micai_query_validate(mica_world *world, const void *data);

// Creates a query. Returns none on failure, reported.
mica_query micai_query_new(mica_world *world, const micai_query_origin *origin,
                           const mica_query_desc *desc);

// Frees a query that has no open iteration and that no system declares.
void micai_query_free(mica_world *world, micai_query *query);

// Claims the moment that the last loaded image has for the query's name. From then on the query
// selects changes since that moment. Does nothing if the query is unnamed or has no change filter.
// Called once for each query that the program creates.
void micai_query_resume(mica_world *world, micai_query *query);

// Selects changes since a moment of an image. A moment in the future selects all changes.
void micai_query_set_moment(const mica_world *world, micai_query *query, uint64_t moment);

// Compiles the same query anew, without a handle. Returns NULL on failure, reported.
// micai_query_replace() puts the new query in the place of the old one, which it frees.
// micai_query_discard() frees the new one.
micai_query *micai_query_recompile(mica_world *world, const micai_query *query);
void micai_query_replace(mica_world *world, micai_query *query, micai_query *recompiled);
void micai_query_discard(mica_world *world, micai_query *query);

// Updates what depends on the columns of tables and on how they are stored. The tables are the
// same.
void micai_query_update_columns(micai_query *query);

// Returns true if a table matches, apart from conditions on its rows.
bool micai_query_matches(const micai_query *query, const micai_table *table);

// Returns the number of a table among the matching ones, or UINT32_MAX.
uint32_t micai_query_find_table(const micai_query *query, const micai_table *table);

// Returns true if a table has any of these types.
bool micai_query_table_has_any(const micai_table *table, const mica_type_set *set);

// Return the number of matching entities; all of them (and their number); the first ones, at most
// `most`, and their number.
uint32_t micai_query_count(const mica_world *world, const micai_query *query);
uint32_t micai_query_list(const mica_world *world, const micai_query *query,
                          mica_entity *entities_out);
uint32_t micai_query_first(const mica_world *world, const micai_query *query, uint32_t most,
                           mica_entity *entities_out);

// Returns true if a living entity matches.
bool micai_query_has_entity(const mica_world *world, const micai_query *query,
                            micai_entity_ref ref);

// An iteration begins in two steps. The first opens a walk of a query, under a name. It returns
// NULL on MICA_ERROR_MEMORY. The second initializes an iterator over up to `rows` rows, from a row
// of a matching table on. walk->next() moves it to the first segment.
micai_walk *micai_query_open_walk(mica_world *world, const char *call, micai_query *query,
                                  const char *name);
void micai_iter_init(mica_iter *it_out, mica_world *world, micai_walk *walk, uint32_t match,
                     uint32_t row, uint32_t rows);

// Does both, for all rows. `before` is the open walk of an iteration that has ended, or NULL. It is
// reused or closed.
micai_walk *micai_iter_begin_all(mica_iter *it_out, mica_world *world, const char *call,
                                 micai_query *query, const char *name, micai_walk *before);

// A part of an iteration: `rows` candidates from a row on. Candidates are the rows of the matching tables, from table
// `match` on, or of the pool or group that a filtered query visits instead. UINT32_MAX rows: all.
typedef struct micai_query_part {
    uint32_t match;
    uint32_t row;
    uint32_t rows;
} micai_query_part;

// Begins a part. Returns NULL on MICA_ERROR_MEMORY.
micai_walk *micai_iter_begin_part(mica_iter *it_out, mica_world *world, const char *call,
                                  micai_query *query, const char *name, micai_query_part part);

// Returns how many candidates a filtered query visits in a pool or group. UINT32_MAX: it visits tables.
uint32_t micai_query_pool_rows(const micai_state *state, const micai_query *query);

// Initializes an iterator that has no rows because of an error.
void micai_iter_init_failed(mica_iter *it_out, mica_world *world, mica_result result);

// Returns the checksum of an iterator. If it fits the stored one, the world and the walk exist and
// may be read. A closed walk may serve another iteration. Memory that has the same byte everywhere,
// such as zeroes, never fits.
static inline uint64_t micai_iter_checksum(const mica_world *world, const micai_walk *walk,
                                           uint64_t serial)
{
    return ~((uintptr_t)world + (uintptr_t)walk + serial);
}

static inline bool micai_iter_is_valid(const mica_iter *it)
{
    return it && it->check == micai_iter_checksum(it->world, it->walk, it->serial);
}

static inline bool micai_iter_is_open(const mica_iter *it)
{
    return micai_iter_is_valid(it) && it->walk && it->walk->serial == it->serial;
}

// Reports why an iteration cannot be used: it is not open, or a step holds it.
void micai_iter_refuse(const mica_iter *it, const char *call);

// Returns MICA_ERROR_ITERATOR, reported, if the iterator is not at a segment.
mica_result micai_iter_check_segment(const mica_iter *it, const char *call);

// Ends an open iteration. Returns false, so that it can be walk->next().
bool micai_iter_stop(mica_iter *it);

// Ends an iteration over all its rows. If the query filters changes, its next iteration selects
// changes since now. Returns false.
bool micai_iter_finish(mica_iter *it);

#endif
