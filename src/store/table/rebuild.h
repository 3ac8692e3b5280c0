// Rebuilding: a type that tables keep gets columns of another kind, in every table that has it.
//
// Room:    store/table. Called by query/storage.
//
// A table stays who it is: id, archetype, rows, numbers of sheets. It gets another layout, and sheets for
// that; pages of all other columns change hands, values of the type are relocated. So the memory that is
// needed beside is that of the type's values, once.
//
// Reserve exchanges layouts and sheets: from then on the tables are the new ones, in which values of the
// type are raw, and the old ones lie aside. Commit relocates the values; cancel exchanges again.
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
    uint32_t made;      // of which the new ones are there,
    uint32_t exchanged; // and in place
} micai_rebuild;

// The type says already how it is to be kept; layouts say how it is. MICA_ERROR_MEMORY, MICA_ERROR_LIMIT:
// nothing has happened.
mica_result micai_rebuild_reserve(micai_store *store, const micai_type *type,
                                  micai_rebuild *rebuild_out);
void micai_rebuild_commit(micai_store *store, micai_rebuild *rebuild);
void micai_rebuild_cancel(micai_store *store, micai_rebuild *rebuild);

#endif
