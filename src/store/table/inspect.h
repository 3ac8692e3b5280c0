// How the rows of a table lie, for those who look in from outside (mica/inspect.h).
//
// Room:    store/table. Called by world/inspect.
#ifndef MICAI_STORE_TABLE_INSPECT_H
#define MICAI_STORE_TABLE_INSPECT_H

#include <mica/inspect.h>

#include "store/table/table.h"

// All but the number of components, which some are hidden from.
void micai_table_inspect(const micai_table *table, mica_table_info *info_out);

// What a column takes; column 0 is the ids. How its values are kept, as users call it.
size_t micai_column_size(const micai_table *table, uint32_t column);
const char *micai_column_storage(const micai_table *table, uint32_t column);

// The rows from one that there is on that lie side by side and have a tick in common. Column 0: of a tag,
// or of no type.
void micai_table_inspect_rows(const micai_table *table, uint32_t column, uint32_t row,
                              mica_row_range *range_out);

// Bytes of the values of a column, which has them, from a row on. NULL: they are in several pieces.
micai_part micai_table_field(micai_cell cell, uint32_t offset, uint32_t size);

#endif
