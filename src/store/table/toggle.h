// Toggles: values in tables that are disabled and enabled in place.
//
// Room:    store/table. Called by entity/ (locate, watching), query/ (row filters), image/ and by
//          row moves.
//
// A column of a type with a toggle has a strip of flags, one byte per row: 1 if the value is
// disabled. Flags move with rows, like all strips. New values are enabled (micai_row_fill_value()
// and the kind's construct()). Rows after the last have undefined flags.
//
// `has_disabled` marks a column that may have disabled values. Most columns never have any, and
// iterating them reads no flags. A value is disabled in place, or moves in from a column that has
// disabled values. So micai_toggle_spread() marks the target before rows move by a transition. A
// transition admits fast paths only while its target needs no new mark. A column that loses its
// last disabled value stays marked until micai_toggle_unmark().
//
// Flags have value pointers in a directory of their own (store->flags). These are writable only in
// columns with disabled values that no observer watches. So callers that find one need no other
// check.
//
// Invariants, checked by micai_toggle_validate():
//   F1  Flags are 0 or 1.
//   F2  In a column without `has_disabled`, all flags are 0.
//   F3  Only columns with flags have `has_disabled`. `disabled_columns` of a table counts them.
#ifndef MICAI_STORE_TABLE_TOGGLE_H
#define MICAI_STORE_TABLE_TOGGLE_H

#include "store/table/layout.h"

typedef struct micai_transition micai_transition;

// Returns the strip of a column's flags, or 0.
static inline uint32_t micai_toggle_strip(const micai_layout *layout, uint32_t column)
{
    const micai_column *asked = &layout->columns[column];
    uint32_t last = asked->strip + asked->strip_count - UINT32_C(1);
    return layout->strips[last].flags ? last : 0;
}

// Returns the flag of a row, followed by those of the rest of its sheet.
const unsigned char *micai_toggle_flags(micai_cell cell);

// Returns true if the value is disabled. False for columns without flags.
bool micai_toggle_is_off(micai_cell cell);

// Skips rows that are all disabled, or all enabled, in steps of 64 from a multiple of 64 up to
// `end`. Returns the first row that was not skipped.
uint32_t micai_toggle_skip(micai_cell cell, uint32_t end, bool off);

// Disables or enables the values of `count` rows and touches those that change.
void micai_toggle_set(micai_store *store, micai_cell cell, uint32_t count, bool off, uint64_t tick);

// Sets the flag of a new value, which has not been written before.
void micai_toggle_init(micai_store *store, micai_cell cell, bool off);

// Sets `has_disabled` of a column with flags.
void micai_toggle_mark(micai_store *store, micai_table *table, uint32_t column);

// Sets or clears `has_disabled` as it was when the table had the rows that it has again: a column that stays
// marked is iterated in another way.
void micai_toggle_restore(micai_store *store, micai_table *table, uint32_t column,
                          bool has_disabled);

// Update which flags are writable through value pointers, after their condition has changed.
// micai_toggle_update_pointers() is for one column. micai_toggle_watch() is for all tables with a
// type, when observers start or stop watching it.
void micai_toggle_update_pointers(micai_store *store, micai_table *table, uint32_t column);
void micai_toggle_watch(micai_store *store, const micai_type *type);

// Clears `has_disabled` where all values are enabled.
void micai_toggle_unmark(micai_store *store, micai_table *table);

// micai_toggle_spread() sets `has_disabled` in the target before rows move by a transition.
// micai_toggle_covers() returns true if it would change nothing.
void micai_toggle_spread(micai_store *store, const micai_transition *t);
bool micai_toggle_covers(const micai_transition *t);

// Checks a table whose pages are valid.
mica_result micai_toggle_validate(micai_store *store, const micai_table *table);

#endif
