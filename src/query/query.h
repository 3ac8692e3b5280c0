// Queries: compiled terms and the tables that match them.
//
// Room:    query. Called by system/ (its queries, its iterations).
//
// Invariants, swept by the room's validate and cited by tests:
//   Q1  `tables` is exactly the tables that match, by creation.
//   Q2  found[m * term_count + t] is what term t finds in table m.
//   Q3  an open iteration is of a query that there is. It goes on at a row that the query has, in a way
//       that is one, under the query's name or that of the system that runs.
//   Q4  a query is what its terms make of it: sets, what can be read and written, the loop. Its terms
//       are of types that there are, each once. Its handle names it.
//   Q5  the state knows how many queries there
//       are that are not hidden; the room listens to the store.
//   Q6  values are hidden (pool->view.hidden, micai_directory_hide) while one walk, and no other that
//       reads them, has brought them together to be written; the state knows of how many types.
//   Q7  no query and no walk asks for changes since a moment that is still to come.
//   Q8  cached segments, where they are said to be right, are what the tables would say.
#ifndef MICAI_QUERY_QUERY_H
#define MICAI_QUERY_QUERY_H

#include <mica/query.h>

#include "core/unclaimed.h"
#include "entity/locate.h"
#include "state/state.h"
#include "store/table/row.h"

// What a term wants to have happened, since a moment.
typedef enum micai_news { MICAI_NEWS_NONE, MICAI_NEWS_CHANGED, MICAI_NEWS_ADDED } micai_news;

typedef struct micai_term {
    const micai_type *type;
    mica_access access;
    bool even;       // MICA_INCLUDE_DISABLED
    bool touch;      // MICA_TOUCH
    micai_news news; // MICA_CHANGED, MICA_ADDED
    uint32_t size;   // of the type's values
    size_t values;   // in the memory of a walk: where they are gathered, and where they came from:
    size_t homes;    // query/gather; of a sparse term, rows in its pool
} micai_term;

// What a term finds in a table.
typedef struct micai_found {
    uint16_t column; // 0: nothing
    uint16_t lane;   // for query/segment
} micai_found;

// What an access makes of a term.
typedef struct micai_use {
    bool needed, forbidden, any, read, write;
} micai_use;

typedef struct micai_query {
    // what every iteration looks at, side by side
    mica_query handle;
    char *name; // NULL: none
    // over all rows, where tables match as a whole; NULL: rows match one by one
    bool (*loop)(mica_iter *it);
    uint64_t readable; // bit per term with data
    uint64_t writable;
    MICAI_ARRAY(micai_table *) tables;
    struct micai_cached_segment *cached; // of each table, for query/segment; NULL: none
    size_t cached_stride;                // of each
    uint64_t cached_at;   // the store's count of address changes for which they are right; 0: none
    uint64_t cached_seen; // and the one that the last iteration came upon
    size_t cached_size;   // in bytes, of all
    uint32_t term_count;

    uint32_t users;       // systems that have declared it
    uint64_t seed;        // of the handle: how many had been made with it
    mica_type_set needed; // in tables, as the two that follow
    mica_type_set forbidden;
    mica_type_set any; // at least one of these, or of the sparse ones, unless empty
    uint64_t touch;    // bit per term of these that is stamped only where mica_touch() says so
    uint64_t split;    // bit per term with data that lies in pieces, not whole: mica_read_field()
    bool no_facets;    // tables of facets do not match
    bool no_entities;  // are shown
    bool hidden;       // the library's own: not listed, not counted, and nobody has its handle
    bool owned;        // by a system or an observer, and freed with that; part of the handle
    bool simple;       // is iterated by the simple loop: query/segment
    bool anywhere;     // every table matches, and none is read: only pools matter
    bool pinned;       // no term is sparse, and some values must be read where they lie
    uint64_t sparse;   // bit per term that is
    uint64_t conditional;     // bit per term that does not count in all rows: query/row_filter
    uint64_t change_filtered; // bit per term that wants something to have happened
    uint64_t required;        // bit per term that all that match have
    uint64_t excluded;        // that none of them has
    uint64_t any_of;          // of which any will do
    uint64_t optional;        // that can be read and may be missing
    uint64_t since;           // something has happened since this tick
    uint32_t block_rows;      // what a walk needs, where there are such
    uint32_t block_align;
    size_t block_size;
    MICAI_ARRAY(micai_found) found;
    micai_term terms[MICA_TERMS_MAX];
} micai_query;

typedef struct micai_queries {
    micai_handles handles;
    micai_unclaimed unclaimed; // moments of an image that was loaded, by names of queries
} micai_queries;

// The room, opened if it is not yet. NULL: MICA_ERROR_MEMORY.
micai_queries *micai_queries_open(mica_world *world);

// The query of a handle; NULL if it is none, freed or foreign. find() reports that.
static inline micai_query *micai_query_look_up(const mica_world *world, mica_query query)
{
    const micai_queries *queries = world->state->modules[MICAI_MODULE_QUERY].data;
    micai_query *found = queries ? micai_handles_find(&queries->handles, query.bits) : NULL;
    return found && found->handle.bits == query.bits ? found : NULL;
}

micai_query *micai_query_find(mica_world *world, const char *call, mica_query query);

// Do rows match one by one, not whole tables?
static inline bool micai_query_goes_by_rows(const micai_query *query)
{
    return (query->sparse | query->conditional) != 0;
}

// How many iterations of it are open?
uint32_t micai_query_count_walks(const micai_state *state, const micai_query *query);

// What was written until now is not newer than the tick it gives, but for what an iteration other than
// `ended` may still write; what will be written is.
uint64_t micai_query_mark(mica_world *world, const micai_walk *ended);

// Of an access that is one.
micai_use micai_query_use(mica_access access);

// Enters a term, the last one, into the masks of its query. And where its type is to be, of the sets: NULL, in none.
void micai_query_enter_masks(micai_query *query, uint32_t term);
mica_type_set *micai_query_set(micai_query *query, uint32_t term);

// The access of a term and its filters, as they were given.
uint32_t micai_query_word(const micai_term *term);

// What is given out for a query.
mica_query micai_query_handle(const micai_state *state, const micai_query *query, uint32_t number);

// Is the type a term? For state->walks.names: of what is walked?
bool micai_query_has_term(const micai_query *query, const micai_type *type);
bool micai_query_names(const micai_walk *walk, const micai_type *type);

// For state->walks.describe: 'name', or "a query of" its first types, as text for a sentence.
void micai_query_describe(const micai_query *query, char *text, size_t size);

// Is it one of the tables that match?
bool micai_query_has_table(const micai_query *query, const micai_table *table);

// For state->walks.gathers: has it brought values of the type together, to be written back?
bool micai_query_gathers(const micai_walk *walk, const micai_type *type);

// Are values of the type among what is walked?
bool micai_query_reads(const micai_query *query, const micai_type *type);

// The room's listener at the store.
micai_listener micai_query_listener(mica_world *world);

// The room's validate.
mica_result micai_query_validate_room(mica_world *world, void *data);

// Who makes a query, for sentences: "mica_query_new", "mica_system_add: system 'move'".
typedef struct micai_maker {
    const char *call;
    const char *what;
    const char *name; // NULL: it has none
    bool hidden;      // it is for the library itself
    bool owned;       // it belongs to a system or an observer, and goes with that
} micai_maker;

// None on failure, which has been reported. And back, of one that nobody iterates or has declared.
mica_query micai_query_make(mica_world *world, const micai_maker *by, const mica_query_desc *desc);
void micai_query_unmake(mica_world *world, micai_query *query);

// A query with a name that asks for changes claims the moment that the image which was loaded last has for this
// name, and asks for changes since then. Called once for each query that the program has created.
void micai_query_resume(mica_world *world, micai_query *query);

// The query asks for changes since a moment of an image; since ever, if the moment is still to come.
void micai_query_set_moment(const mica_world *world, micai_query *query, uint64_t moment);

// The same query as one that there is, compiled anew, in no list: NULL, reported, on failure. It takes the
// place of that; or goes again.
micai_query *micai_query_compile_again(mica_world *world, const micai_query *query);
void micai_query_replace(mica_world *world, micai_query *query, micai_query *again);
void micai_query_drop(mica_world *world, micai_query *query);

// What a query found in tables may be in another place there, or kept in another way: looks again. The
// tables are the same.
void micai_query_look_again(micai_query *query);

// Does a table match, as far as tables can? Which of the matching ones is it: UINT32_MAX, if it is
// none, also of those that may yet be made while an iteration is open. Has it any of these types?
bool micai_query_matches(const micai_query *query, const micai_table *table);
uint32_t micai_query_match(const micai_query *query, const micai_table *table);
bool micai_query_overlaps(const micai_table *table, const mica_type_set *set);

// Of what matches: how many entities, all of them (the same number), the first of them (none, if
// there is none), and whether a living one is among them. Where whole tables match, the world need
// not be asked.
uint32_t micai_query_count(const mica_world *world, const micai_query *query);
uint32_t micai_query_list(const mica_world *world, const micai_query *query,
                          mica_entity *entities_out);
mica_entity micai_query_first(const mica_world *world, const micai_query *query);
bool micai_query_has(const mica_world *world, const micai_query *query, micai_entity_ref ref);

// Iterating has two halves. A walk of a query is opened, under a name, by one thread: NULL is
// MICA_ERROR_MEMORY. And an iterator is aimed at rows of it: up to `rows` of them, from a row of
// one of the matching tables on. Its first segment comes with walk->next().
micai_walk *micai_query_walk(mica_world *world, const char *call, micai_query *query,
                             const char *name);
void micai_iter_aim(mica_iter *it_out, mica_world *world, micai_walk *walk, uint32_t match,
                    uint32_t row, uint32_t rows);

// Both at once, for all rows. `before` is a walk of an iteration that has come to its end, still open, which
// is used or closed; or NULL.
micai_walk *micai_iter_begin_all(mica_iter *it_out, mica_world *world, const char *call,
                                 micai_query *query, const char *name, micai_walk *before);

// Aims an iterator at nothing; `result` is why.
void micai_iter_miss(mica_iter *it_out, mica_world *world, mica_result result);

// What an iterator says of itself is believed if this fits. Then its world is one, and its walk, if it
// has one, that world's, whose memory is there: only then it is looked at. A closed walk may have become
// that of another iteration. Memory that holds one value throughout, zeroes for instance, never fits.
static inline uint64_t micai_iter_check(const mica_world *world, const micai_walk *walk,
                                        uint64_t serial)
{
    return ~((uintptr_t)world + (uintptr_t)walk + serial);
}

static inline bool micai_iter_is_known(const mica_iter *it)
{
    return it && it->check == micai_iter_check(it->world, it->walk, it->serial);
}

static inline bool micai_iter_is_open(const mica_iter *it)
{
    return micai_iter_is_known(it) && it->walk && it->walk->serial == it->serial;
}

// Reports what is wrong with an iteration that is not open.
void micai_iter_refuse(const mica_iter *it, const char *call);

// MICA_ERROR_ITERATOR, reported, if it is not at a segment.
mica_result micai_iter_check_shown(const mica_iter *it, const char *call);

// Ends an iteration that is open; for walk->next(), too. Always false, so that a loop can end in it. The second, of one that has
// come to its end and may have asked for changes: the next one asks for those since now.
bool micai_iter_stop(mica_iter *it);
bool micai_iter_finish(mica_iter *it);

#endif
