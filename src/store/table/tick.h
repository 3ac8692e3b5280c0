// Ticks of rows: when a value in a table changed last, and when it was added.
//
// Room:    store/table. Called by kinds, by what moves rows by kind, by world/ (value), query/ (screens).
//
// A column of a type with row stamps has two strips more, a tick for each row: that of the last change,
// and that of adding. What moves rows moves strips, and so ticks; new values get the present one
// (micai_row_fill_value() and the kind's make()), what is touched that of the touch. Two strips of 8
// bytes, not one of 16: who asks for changes reads no more than he needs, and cells of 8 bytes move
// quickest. Rows behind the last have any ticks.
//
// Of other columns nothing is known of a row but the ticks of its pages (sheet.h): the latest of all that
// happened to the rows around it.
//
// Invariants, swept by micai_ticks_validate():
//   T10 no row was added after it changed, and none changed after its pages were touched. Holes have any ticks.
#ifndef MICAI_STORE_TABLE_TICK_H
#define MICAI_STORE_TABLE_TICK_H

#include "store/table/layout.h"

// Of a value.
typedef struct micai_ticks {
    uint64_t changed;
    uint64_t added;
} micai_ticks;

// The strip of a column's ticks of changes, which that of adding follows; 0: it has none.
static inline uint32_t micai_ticks_strip(const micai_layout *layout, uint32_t column)
{
    const micai_column *asked = &layout->columns[column];
    uint32_t last = asked->strip + asked->strip_count - UINT32_C(1);
    last -= layout->strips[last].flags;
    return layout->strips[last].ticks ? last - 1 : 0;
}

// Has the component of a cell ticks of rows? Quicker than to look for the strip, and asked by the kinds.
static inline bool micai_ticks_are_kept(const micai_type *type)
{
    return type->info.row_stamps;
}

// Of a column that has ticks: those of a row.
micai_ticks micai_ticks_get(micai_cell cell);
void micai_ticks_set(micai_cell cell, micai_ticks ticks);

// The same: those of `count` new values; the tick of having changed so many values; those of a row that
// moves.
void micai_ticks_make(micai_store *store, micai_cell cell, uint32_t count);
void micai_ticks_touch(micai_cell cell, uint32_t count, uint64_t tick);
void micai_ticks_move(micai_cell target, micai_cell source);

// Has nothing changed, or been added, after a tick, in any row from this one up to `end_out`, as far as ticks
// of pages say? Column 0: of a tag.
bool micai_ticks_are_old(micai_cell cell, bool added, uint64_t since, uint32_t *end_out);

// Of up to 64 rows that share memory, as micai_toggle_flags() has flags: in which something has, as bits.
uint64_t micai_ticks_find_newer(micai_cell cell, uint32_t count, bool added, uint64_t since);

// Of a table whose pages are in order.
mica_result micai_ticks_validate(micai_store *store, const micai_table *table);

#endif
