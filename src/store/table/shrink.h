// Compacting: memory of which part is in use and part is not, when it is to be given back.
//
// Room:    store/table. Called by the store, when it reclaims.
#ifndef MICAI_STORE_TABLE_COMPACT_H
#define MICAI_STORE_TABLE_COMPACT_H

#include "store/table/table.h"

// Of a table that has no sheet without rows: makes its last sheet as small as its rows allow, and
// moves pages out of extents that are to a good part unused. MICA_ERROR_MEMORY: no more was moved, and the
// table is well.
mica_result micai_compact_table(micai_store *store, micai_table *table);

#endif
