// Edges: where adding or removing leads from a table, and what to copy on the way.
//
// Room:    store/table. Called by world/ and query/ (changes of one entity, of whole tables).
//
// An edge is worked out once. Edges are kept in a small sorted array per table, by what changes:
// tables have few, and an array indexed by type would cost a fragmented world more than its data.
// Of changes of several types at once there are as many as pairs of tables, so a table keeps only the
// last few edges of those. Changes come many alike in a row, so the store also remembers, per type,
// the edge that led
// somewhere last, if rows can be moved along it without further ado: the short cut of hot paths.
//
// Invariants, swept by micai_edge_validate() and cited by tests:
//   G2  an edge's target is the source's archetype with the edge's change, and its copies are all
//       they have in common, ids included. Its size and fill are those of the type that changes, and it is
//       direct if it can be. A table's edges are sorted by key; no two have the same change; at most MICAI_EDGES_WIDE
//       change several types. The steps of such an edge are the types that change, each once, those
//       that come first, and how their values are filled in.
//   G5  the edges that are remembered exist, lead between tables that are bare, those whose rows lie in
//       strips apart from the others, and change the type and in the direction they are remembered for.
//       Those of types that are watched are apart from both, and there are none if a query is.
#ifndef MICAI_STORE_TABLE_EDGE_H
#define MICAI_STORE_TABLE_EDGE_H

#include "core/stamp.h"
#include "core/types.h"
#include "store/table/table.h"

#define MICAI_EDGES_WIDE 8u // of several types, that a table keeps
#define MICAI_EDGE_NO_SIZE UINT64_MAX

// A strip, or a column, of the source and one of the target.
typedef struct micai_copy {
    uint16_t source;
    uint16_t target;
    uint32_t size; // of a cell; saves a look into either layout
} micai_copy;

// One of several types that change.
typedef struct micai_step {
    uint64_t bits;   // its handle
    uint64_t given;  // what a value says that is filled in for it: its size, and how many there are
    micai_fill fill; // how it is; nothing, if it is a tag, goes, or is not filled in as bytes
} micai_step;

struct micai_edge {
    uint64_t key;   // what changes: micai_edge_key()
    mica_type type; // the one type that changes; none: several
    uint64_t
        size; // of its values, if such can be filled in and nothing else is to be done: no flag to
              // be set. MICAI_EDGE_NO_SIZE otherwise, which is not what anybody gives
    micai_fill fill; // how its value is filled in in the target, if that is done as bytes
    micai_table *source;
    micai_table *target;
    // How many there are in `copies`, in this order.
    uint32_t eight_count;   // strips both have, of 8 bytes: so common that they are not asked
    uint32_t strip_count;   // and all strips both have that are moved as bytes, those included
    uint32_t dropped_count; // strips only the source has, but for those whose cells lie outside
    uint32_t careful_count; // columns both have whose kind moves them
    uint32_t added_count;   // columns only the target has
    uint32_t removed_count; // columns only the source has
    uint64_t used;          // when it was looked for last, by the store's count of that
    uint32_t step_count;    // types that change, if they are several; 0: it is one
    uint32_t given_count;   // and those of them that come
    bool direct; // it is one, rows are nothing but bytes, and its value, if it has any, lies whole
                 // in one strip and nothing else comes or goes with it
    micai_step *steps;   // behind the copies, in the order they were listed in last; NULL: none
    micai_copy copies[]; // the ids first
};

static inline const micai_copy *micai_edge_dropped(const micai_edge *edge)
{
    return edge->copies + edge->strip_count;
}

static inline const micai_copy *micai_edge_careful(const micai_edge *edge)
{
    return micai_edge_dropped(edge) + edge->dropped_count;
}

static inline const micai_copy *micai_edge_added(const micai_edge *edge)
{
    return micai_edge_careful(edge) + edge->careful_count;
}

static inline const micai_copy *micai_edge_removed(const micai_edge *edge)
{
    return micai_edge_added(edge) + edge->added_count;
}

// Does a value come along it, which is filled in as bytes?
static inline bool micai_edge_fills(const micai_edge *edge)
{
    return edge->fill.strip != 0;
}

static inline uint64_t micai_edge_key(uint32_t number, bool remove)
{
    return (uint64_t)number << 1 | remove;
}

// How rows go along an edge that is remembered: between tables that are quick; that are light, but not both
// quick; between any that are bare, and observers of the type are told.
typedef enum micai_edge_way { MICAI_EDGE_QUICK, MICAI_EDGE_LIGHT, MICAI_EDGE_TOLD } micai_edge_way;

// Where such an edge is remembered.
static inline uint32_t micai_edge_slot(uint32_t number, bool remove, micai_edge_way way)
{
    return number << 3 | (uint32_t)remove << 2 | (uint32_t)way;
}

// The edge for adding or removing one type that makes a difference. NULL on failure, reported.
micai_edge *micai_edge_of(micai_store *store, micai_table *table, uint32_t number, bool remove);

// The edge to the table of another archetype, for changes of several types.
micai_edge *micai_edge_to(micai_store *store, micai_table *table, const mica_types *set);

// Frees the edges of a table that lead to dying ones, or all.
void micai_edge_free(micai_store *store, micai_table *table, bool all);

// Frees the edges of a table that were not looked for since the last time.
void micai_edge_drop_unused(micai_store *store, micai_table *table);

// Stands where none is remembered: leads from no table, so that hot paths need not ask whether there
// is one. Shared by all worlds, and never written.
micai_edge *micai_edge_nowhere(void);

// Remembers an edge as the last of its type, if it can be a short cut. Cannot fail.
void micai_edge_remember(micai_store *store, micai_edge *edge);

// An edge of one type that there is and that can be gone along as bytes, with room for one more. NULL: none.
micai_edge *micai_edge_look(micai_store *store, const micai_table *table, uint32_t number,
                            bool remove);

// No edge is remembered for a type any more, nor any list of several.
void micai_edge_forget(micai_store *store, uint32_t number);

// Of a store whose tables are in order; the second, if the first finds nothing in any of them.
mica_result micai_edge_validate(micai_store *store, const micai_table *table);
mica_result micai_edge_validate_recent(micai_store *store);

#endif
