// Relocating for debugging: in a world with relocate_always, every structural change moves the
// memory that it touched. So a pointer that is kept too long points at freed memory, which the
// address sanitizer detects. Fast paths are off in such a world.
//
// Room:    store/table. Called by entity/, image/ and store/pool at the end of structural changes.
#ifndef MICAI_STORE_TABLE_DEBUG_RELOCATE_H
#define MICAI_STORE_TABLE_DEBUG_RELOCATE_H

#include "store/table/store.h"

// Moves the sheets of rows `first` to `end`, as far as memory is available.
void micai_debug_relocate_sheets(micai_store *store, micai_table *table, uint32_t first,
                                 uint32_t end);

// Call after a row was added, changed or removed. Also moves the sheet of the last row.
static inline void micai_debug_relocate_row(micai_store *store, micai_table *table, uint32_t row)
{
    if (store->relocate_always) {
        micai_debug_relocate_sheets(store, table, row, row + 1);
        micai_debug_relocate_sheets(store, table, table->count - 1, table->count);
    }
}

// Does the same for all rows from `first` on.
static inline void micai_debug_relocate_from(micai_store *store, micai_table *table, uint32_t first)
{
    if (store->relocate_always) {
        micai_debug_relocate_sheets(store, table, first, table->count);
    }
}

#endif
