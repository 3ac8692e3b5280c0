// Replacing: another store takes the place of what a store has, with all its tables. And what is needed
// to make that other one as a third was: the rows of an image.
//
// Room:    store/table. Called by image/.
//
//   micai_store_init(&other, ...)                   slots of its own, nobody who listens
//   micai_replace_begin(store, &other)              it knows all types that the store knows
//   ... tables and rows ...
//   micai_replace_reserve(store, &other)            those who listen to the store know its tables
//   micai_replace_commit(store, &other)             exchanges the two; cannot fail
//   micai_store_free(&other)                        what was there before
//
// Tables are made anew; what others point to stays where it is: the store, its directories, and what
// they know of each type.
#ifndef MICAI_STORE_TABLE_REPLACE_H
#define MICAI_STORE_TABLE_REPLACE_H

#include "store/table/store.h"

// MICA_ERROR_MEMORY. The second: all or none.
mica_result micai_replace_begin(const micai_store *store, micai_store *other);
mica_result micai_replace_reserve(micai_store *store, micai_store *other);
void micai_replace_commit(micai_store *store, micai_store *other);

// Types from number `types` on go again, and so have all tables that had them.
void micai_replace_take_back(micai_store *store, uint32_t types);

// How many rows of a table, from one on, are such that one tick speaks of them; the tick of what a column
// has in them (column 0: of rows that came, or moved), and that of writes to all rows at once.
uint32_t micai_table_stretch(const micai_table *table, uint32_t row);
const mica_entity *micai_table_entities(const micai_table *table, uint32_t row); // side by side
uint64_t micai_table_own_tick(const micai_table *table, uint32_t column, uint32_t row);
uint64_t micai_table_sweep_tick(const micai_table *table, uint32_t column);

// Rows behind the last, for which room was reserved. Flags and ticks of their values: of a column that
// has flags; that has ticks.
void micai_replace_flags(micai_store *store, micai_cell cell, const unsigned char *flags,
                         uint32_t count);
void micai_replace_ticks(micai_cell cell, const uint64_t *changed, const uint64_t *added,
                         uint32_t count);

// Their values are there: entities that are alive join the table in them. `ticks` are by column.
void micai_replace_rows(micai_store *store, micai_table *table, const mica_entity *entities,
                        uint32_t count, const uint64_t *ticks);

// The tick of writes to all rows at once, of a column that has such.
void micai_replace_sweep_tick(micai_store *store, const micai_type *type, uint64_t tick);

#endif
