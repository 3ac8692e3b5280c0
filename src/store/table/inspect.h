// The layout of a table's rows, for mica/inspect.h.
//
// Room:    store/table. Called by inspect/.
#ifndef MICAI_STORE_TABLE_INSPECT_H
#define MICAI_STORE_TABLE_INSPECT_H

#include <mica/inspect.h>

#include "store/table/table.h"

// Fills in all members except the number of components, because some of those are hidden.
void micai_table_inspect(const micai_table *table, mica_table_info *info_out);

// micai_column_size() returns the bytes of a column; column 0 is the ids. micai_column_storage()
// returns the public name of its storage.
size_t micai_column_size(const micai_table *table, uint32_t column);
const char *micai_column_storage(const micai_table *table, uint32_t column);

// Returns the rows from `row` on that are adjacent and share a tick. Column 0: of a tag, or of no
// type.
void micai_table_inspect_rows(const micai_table *table, uint32_t column, uint32_t row,
                              mica_row_range *range_out);

// Returns bytes of the values of a column with data, from a row on. NULL if they are in several
// strips.
micai_field_span micai_table_field(micai_cell cell, uint32_t offset, uint32_t size);

#endif
