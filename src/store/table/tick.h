// Row stamps: per row, the tick of a value's last change and the tick at which it was added.
//
// Room:    store/table. Called by kinds, by row moves through kinds, by entity/ (locate), query/
//          (row filters) and image/.
//
// A column of a type with row stamps has two more strips with a tick per row: last change and
// addition. Ticks move with rows, like all strips. New values get the current tick
// (micai_row_fill_value() and the kind's construct()). Touched values get the tick of the touch.
// There are two strips of 8 bytes instead of one of 16. So a search for changes reads only one of
// them, and cells of 8 bytes move fastest. Rows after the last have undefined ticks.
//
// Other columns have only the ticks of their pages (sheet.h): the latest change of any nearby row.
//
// Invariants, checked by micai_ticks_validate():
//   T10 In every row, added <= changed <= the tick of its pages. Holes have undefined ticks.
#ifndef MICAI_STORE_TABLE_TICK_H
#define MICAI_STORE_TABLE_TICK_H

#include "store/table/layout.h"

// The ticks of a value.
typedef struct micai_ticks {
    uint64_t changed;
    uint64_t added;
} micai_ticks;

// Returns the strip of a column's change ticks, or 0. The strip of addition ticks follows it.
static inline uint32_t micai_ticks_strip(const micai_layout *layout, uint32_t column)
{
    const micai_column *asked = &layout->columns[column];
    uint32_t last = asked->strip + asked->strip_count - UINT32_C(1);
    last -= layout->strips[last].flags;
    return layout->strips[last].ticks ? last - 1 : 0;
}

// Returns true if the type has row stamps. Faster than looking for the strip, and used by kinds.
static inline bool micai_ticks_are_kept(const micai_type *type)
{
    return type->info.row_stamps;
}

// Get or set the ticks of a row, in a column that has row stamps.
micai_ticks micai_ticks_get(micai_cell cell);
void micai_ticks_set(micai_cell cell, micai_ticks ticks);

// Also for columns with row stamps. micai_ticks_init() sets both ticks of `count` new values.
// micai_ticks_touch() sets the change tick of `count` values. micai_ticks_move() copies the ticks
// of a moved row.
void micai_ticks_init(micai_store *store, micai_cell cell, uint32_t count);
void micai_ticks_touch(micai_cell cell, uint32_t count, uint64_t tick);
void micai_ticks_move(micai_cell target, micai_cell source);

// Returns true if the page ticks prove that no value changed, or was added, after `since` in the
// rows from this one up to `end_out`. Column 0: of a tag.
bool micai_ticks_are_old(micai_cell cell, bool added, uint64_t since, uint32_t *end_out);

// Returns a bitmask of the rows that changed, or were added, after `since`. The up to 64 rows must
// be in one sheet.
uint64_t micai_ticks_find_newer(micai_cell cell, uint32_t count, bool added, uint64_t since);

// Checks a table whose pages are valid.
mica_result micai_ticks_validate(micai_store *store, const micai_table *table);

#endif
