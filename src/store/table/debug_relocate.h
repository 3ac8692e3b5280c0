// Stirring: in a world that is relocate_always, for debugging, every structural change moves the memory of
// what it touched, so that a pointer kept too long leads to memory that was given back, which the
// address sanitizer sees. There are no short cuts in such a world.
//
// Room:    store/table. Called by world/ and query/ at the end of structural changes.
#ifndef MICAI_STORE_TABLE_STIR_H
#define MICAI_STORE_TABLE_STIR_H

#include "store/table/store.h"

// Moves the sheets of rows `first` to `end`. What there is no memory for, stays.
void micai_stir_sheets(micai_store *store, micai_table *table, uint32_t first, uint32_t end);

// A row has come, changed, or gone; and so has the last one of its table.
static inline void micai_stir_row(micai_store *store, micai_table *table, uint32_t row)
{
    if (store->relocate_always) {
        micai_stir_sheets(store, table, row, row + 1);
        micai_stir_sheets(store, table, table->count - 1, table->count);
    }
}

// Rows from `first` on have.
static inline void micai_stir_from(micai_store *store, micai_table *table, uint32_t first)
{
    if (store->relocate_always) {
        micai_stir_sheets(store, table, first, table->count);
    }
}

#endif
