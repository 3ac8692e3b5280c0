// Replacing: swaps the content of a store with that of another one. Also functions to build the
// other store from the rows of an image.
//
// Room:    store/table. Called by image/.
//
//     micai_store_init(&other, ...)                   own slots, no listeners
//     micai_replace_begin(store, &other)              other knows all types that the store knows
//     ... tables and rows ...
//     micai_replace_reserve(store, &other)            notifies the store's listeners of its tables
//     micai_replace_commit(store, &other)             swaps the two; cannot fail
//     micai_store_free(&other)                        the old content
//
// Tables are created anew. Objects that others point at keep their address: the store, its
// directories, and their entries of types.
#ifndef MICAI_STORE_TABLE_REPLACE_H
#define MICAI_STORE_TABLE_REPLACE_H

#include "store/table/store.h"

// The first two fail with MICA_ERROR_MEMORY. Reserve notifies all listeners or none.
mica_result micai_replace_begin(const micai_store *store, micai_store *other);
mica_result micai_replace_reserve(micai_store *store, micai_store *other);
void micai_replace_commit(micai_store *store, micai_store *other);

// Removes types from number `types` on, after all tables with them were freed.
void micai_replace_take_back(micai_store *store, uint32_t types);

// micai_table_run_length() returns how many rows from `row` on share one tick.
// micai_table_own_tick() returns that tick for a column (column 0: rows added or moved).
// micai_table_sweep_tick() returns the tick of the last write to all rows at once.
uint32_t micai_table_run_length(const micai_table *table, uint32_t row);
const mica_entity *micai_table_entities(const micai_table *table, uint32_t row); // adjacent
uint64_t micai_table_own_tick(const micai_table *table, uint32_t column, uint32_t row);
uint64_t micai_table_sweep_tick(const micai_table *table, uint32_t column);

// Set flags or ticks of values in rows after the last, which were reserved. The column must have
// flags or ticks.
void micai_replace_flags(micai_store *store, micai_cell cell, const unsigned char *flags,
                         uint32_t count);
void micai_replace_ticks(micai_cell cell, const uint64_t *changed, const uint64_t *added,
                         uint32_t count);

// Appends living entities as rows whose values were filled in. `ticks` has one entry per column.
void micai_replace_rows(micai_store *store, micai_table *table, const mica_entity *entities,
                        uint32_t count, const uint64_t *ticks);

// Sets the tick of writes to all rows at once, if the column has one.
void micai_replace_sweep_tick(micai_store *store, const micai_type *type, uint64_t tick);

#endif
