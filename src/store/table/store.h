// The store: all tables of a world, found by archetype, connected by edges.
//
// Room:    store/table. Called by world/ (all), query/ (matching, whole tables).
//
// An edge says where adding or removing leads from a table, and which columns to copy on the way.
// It is worked out once. Edges are kept in a small sorted array per table, by what changes: tables
// have few, and an array indexed by type would cost a fragmented world more than its data.
//
// Tables come and go; who wants to know listens. A listener may refuse a new table (for lack of
// memory); then there is no such table.
//
// Invariants, swept by micai_store_validate():
//   G1  tables.items[id] has that id; by_set finds it by its archetype and nothing else. Ids are in
//       the order of creation, also after some tables were reclaimed.
//   G2  an edge's target is the source's archetype with the edge's change, and its copies are all
//       columns they share, ids included.
//   G3  the tables have as many rows as entities are alive, and each of these is in one row.
//   G4  every sheet number is in use by one sheet or in the list of free ones.
//   G5  the edges that a sheet knows it led along last are its table's, and still there.
#ifndef MICAI_STORE_TABLE_STORE_H
#define MICAI_STORE_TABLE_STORE_H

#include "base/map.h"
#include "core/types.h"
#include "store/table/table.h"

// A column that source and target share; its size saves a look into either.
typedef struct micai_copy {
    uint16_t source;
    uint16_t target;
    uint32_t size;
} micai_copy;

struct micai_edge {
    uint64_t key;   // what changes: micai_edge_key()
    mica_type type; // the one type that changes; none: several
    uint32_t size;  // of its values
    micai_table *source;
    micai_table *target;
    uint32_t shared_count;
    uint32_t word_count; // those of the shared columns that have 8 bytes; they come first
    uint32_t added_count;
    uint32_t removed_count;
    bool plain; // no column of either table has hooks
    // shared columns, the ids first; then those only the target has; then those only the source has
    micai_copy copies[];
};

typedef struct micai_listener {
    // A table was made. All or nothing: a refusal undoes what the listener did. NULL: never mind.
    mica_result (*made)(void *user, micai_table *table);
    // The tables that are dying are about to go.
    void (*going)(void *user);
    void *user;
} micai_listener;

enum { MICAI_LISTENERS_MAX = 4 };

// What a sheet left behind when it grew: its smaller pages, without their values. Kept until the
// next growth, so that whoever was given a pointer into them can still tell where it points now.
typedef struct micai_left {
    micai_sheet *sheet; // NULL: nothing
    micai_page *pages;
} micai_left;

struct micai_store {
    micai_host *host;
    micai_gate *gate;
    micai_slots *slots;
    const micai_registry *registry;
    mica_view_store view; // the sheets by number; accessors look into it

    MICAI_ARRAY(micai_table *) tables; // by id, in the order of creation
    micai_map by_set;
    micai_table *root; // of entities without components

    uint32_t sheet_count;    // numbers given out, at view.sheets
    uint32_t sheet_capacity; // room there
    MICAI_ARRAY(uint32_t) free_sheets;

    micai_listener listeners[MICAI_LISTENERS_MAX];
    uint32_t listener_count;

    micai_left left;

    uint64_t row_moves;
    uint64_t page_moves;
    uint64_t page_copies;
    bool sharing; // some page may be shared
};

mica_result micai_store_init(micai_store *store, micai_gate *gate, const micai_registry *registry);

// Destructs all values and gives everything back. Works on a store whose init failed.
void micai_store_free(micai_store *store);

void micai_store_listen(micai_store *store, micai_listener listener);

// The table of an archetype, made if there is none. NULL on failure, which has been reported.
micai_table *micai_store_table(micai_store *store, const mica_types *set);

static inline uint64_t micai_edge_key(uint32_t number, bool remove)
{
    return (uint64_t)number << 1 | remove;
}

// The edge for adding or removing one type that makes a difference. NULL on failure.
micai_edge *micai_store_edge(micai_store *store, micai_table *table, uint32_t number, bool remove);

// The edge to the table of another archetype, for changes of several types.
micai_edge *micai_store_edge_to(micai_store *store, micai_table *table, const mica_types *set);

// The archetype of a table, as a set.
mica_result micai_store_set_of(micai_store *store, const micai_table *table, mica_types *set_out);

static inline mica_result micai_table_reserve(micai_store *store, micai_table *table,
                                              uint32_t extra)
{
    bool ready = extra <= table->capacity - table->count && !store->sharing;
    return ready ? MICA_OK : micai_table_make_room(store, table, extra);
}

static inline mica_result micai_table_reserve_remove(micai_store *store, micai_table *table,
                                                     uint32_t row)
{
    return store->sharing ? micai_table_own_ends(store, table, row) : MICA_OK;
}

// The short cut: an edge for this type that led from this sheet last, if a row can be moved along
// it without further ado, NULL otherwise. The type's handle is known to be good because the edge's
// is, and that the table lacks (or has) it because the edge is there. Changes come in runs of the
// same kind; that the sheet knows, not only its table, saves the hot path a load it would wait for.
static inline const micai_edge *micai_store_ready_edge(const micai_store *store,
                                                       const micai_sheet *sheet, mica_type type,
                                                       bool remove)
{
    const micai_edge *edge = sheet->recent[remove];
    bool ready = edge && edge->type.bits == type.bits && store->gate->busy == 0 &&
                 !store->sharing && edge->target->count < edge->target->capacity;
    return ready ? edge : NULL;
}

// Opens a page for writing its values: makes it one's own and stamps it.
static inline mica_result micai_sheet_open(micai_store *store, micai_sheet *sheet, uint32_t column,
                                           uint64_t tick)
{
    mica_result result = sheet->shared ? micai_sheet_own_page(store, sheet, column) : MICA_OK;
    if (!result) {
        sheet->pages[column].tick = tick;
    }
    return result;
}

// Where a value that was given as `data` is, now that a table has grown: the same, unless it lies
// in the table itself, as a value got from the world does.
const void *micai_store_follow(const micai_store *store, const void *data);

// Where an entity is.
typedef struct micai_place {
    micai_sheet *sheet;
    uint32_t offset;
} micai_place;

static inline micai_place micai_store_place(const micai_store *store, const micai_record *record)
{
    return (micai_place){store->view.sheets[record->where >> MICAI_ROW_SHIFT],
                         record->where & (MICAI_ROWS - 1)};
}

static inline uint32_t micai_place_row(micai_place place)
{
    return place.sheet->index << MICAI_ROW_SHIFT | place.offset;
}

// Commit of a removal: fills the hole at a place, whose values have been moved away or ended, from
// the last row, and drops that.
void micai_store_drop(micai_store *store, micai_place place, uint64_t tick);

// Commit of a move along an edge, of the entity whose record is given: the row's shared columns go
// to the end of the target, where a row must have been reserved and its added columns filled;
// values only the source has are destructed; the hole is filled; records follow. Always MICA_OK, so
// that a caller can end in it.
mica_result micai_store_move(micai_store *store, const micai_edge *edge, micai_place place,
                             micai_record *record, uint64_t tick);

// Whole tables along edges: all rows of the source go to the target, full sheets by handing over
// their pages. Reserve prepares everything, added columns filled with `data` or their defaults;
// commit or cancel follows. Only edges of one type are given data.
typedef struct micai_transfer {
    const micai_edge *edge;
    const void *data;
    uint32_t rows;
    MICAI_ARRAY(micai_sheet *) sheets; // new ones in the target's layout, with added pages only
} micai_transfer;

mica_result micai_transfer_reserve(micai_store *store, const micai_edge *edge, const void *data,
                                   micai_transfer *transfer_out);
void micai_transfer_commit(micai_store *store, micai_transfer *transfer, uint64_t tick);
void micai_transfer_cancel(micai_store *store, micai_transfer *transfer);

// Drops all rows of all tables; the entities' slots are the caller's business.
void micai_store_clear(micai_store *store);

// Gives back empty tables and sheets without rows.
void micai_store_reclaim(micai_store *store);

mica_result micai_store_validate(micai_store *store);

#endif
