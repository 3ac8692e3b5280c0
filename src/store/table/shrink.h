// Shrinking: frees the unused part of memory that is partly in use.
//
// Room:    store/table. Called by the store and by pools when they reclaim memory.
#ifndef MICAI_STORE_TABLE_SHRINK_H
#define MICAI_STORE_TABLE_SHRINK_H

#include "store/table/table.h"

// Shrinks the last sheet of a table without empty sheets, and moves pages out of extents that are
// largely unused. On MICA_ERROR_MEMORY it stops, and the table is valid.
mica_result micai_shrink_table(micai_store *store, micai_table *table);

#endif
