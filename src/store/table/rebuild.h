// Rebuilding: changes the storage of a type's columns in every table that has the type.
//
// Room:    store/table. Called by entity/bulk.
//
// A table keeps its identity: id, archetype, rows, numbers of sheets. It gets a new layout and new
// sheets. Pages of all other columns are handed over, and values of the type are relocated. So the
// additional memory is one copy of the type's values.
//
// Reserve swaps layouts and sheets: the tables then have the new layout, in which values of the
// type are raw. The old layout and sheets are kept aside. Commit relocates the values. Cancel swaps
// back.
#ifndef MICAI_STORE_TABLE_REBUILD_H
#define MICAI_STORE_TABLE_REBUILD_H

#include "store/table/store.h"

typedef struct micai_rebuilt {
    micai_table *table;
    micai_table aside; // with the other layout: first the new one, then the old one
    uint32_t column;
} micai_rebuilt;

typedef struct micai_rebuild {
    const micai_type *type;
    micai_rebuilt *list; // one for each table that has the type
    uint32_t count;
    uint32_t made;      // number of entries whose new layout exists
    uint32_t exchanged; // number of entries that were swapped
} micai_rebuild;

// `type` already has the new storage, and layouts still have the old one. Reserve fails with
// MICA_ERROR_MEMORY or MICA_ERROR_LIMIT and changes nothing.
mica_result micai_rebuild_reserve(micai_store *store, const micai_type *type,
                                  micai_rebuild *rebuild_out);
void micai_rebuild_commit(micai_store *store, micai_rebuild *rebuild);
void micai_rebuild_cancel(micai_store *store, micai_rebuild *rebuild);

#endif
