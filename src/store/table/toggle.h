// Toggles: values in tables that are disabled, and enabled again, where they are.
//
// Room:    store/table. Called by world/ (value), query/ (screens), and by what moves rows.
//
// A column of a type with a toggle has a strip of flags, a byte for each row: 1 says that its value is
// disabled. What moves rows moves strips, and so flags; new values are enabled (micai_row_fill() and
// the kind's make()). Rows behind the last have any flags.
//
// A column in which some value may be disabled is *dimmed*. Most never are, and whoever iterates them
// need not look at flags at all. Values come to be disabled in two ways only: by being disabled there,
// and by moving there from a dimmed column. So rows that move by a transition dim what they come to
// first (micai_toggle_spread), and it admits fast paths only while there is nothing to be dimmed.
// A column that no value is disabled in any more stays dimmed until somebody looks.
//
// Flags have spots of their own, in a directory of their own (store->flags), which are there to be
// written only in columns with disabled values that nobody watches: so that who finds one need not ask.
//
// Invariants, swept by micai_toggle_validate():
//   F1  flags are 0 or 1.
//   F2  in a column that is not dimmed, all are 0.
//   F3  only columns with flags are dimmed; `dimmed` of a table counts them.
#ifndef MICAI_STORE_TABLE_TOGGLE_H
#define MICAI_STORE_TABLE_TOGGLE_H

#include "store/table/layout.h"

typedef struct micai_transition micai_transition;

// The strip of a column's flags; 0: it has none.
static inline uint32_t micai_toggle_strip(const micai_layout *layout, uint32_t column)
{
    const micai_column *asked = &layout->columns[column];
    uint32_t last = asked->strip + asked->strip_count - UINT32_C(1);
    return layout->strips[last].flags ? last : 0;
}

// The flag of a row, in front of those of all that share memory with it: of MICAI_ROWS, those that
// begin with a multiple of that.
const unsigned char *micai_toggle_flags(micai_cell cell);

// Is a value that has a flag disabled?
bool micai_toggle_is_off(micai_cell cell);

// Passes over rows that are all disabled, or all enabled, 64 at a time, from one on that is a multiple of
// that, below `end`: the first row that was not passed over.
uint32_t micai_toggle_skip(micai_cell cell, uint32_t end, bool off);

// Disables the values of `count` rows, or enables them, and touches those that change.
void micai_toggle_set(micai_store *store, micai_cell cell, uint32_t count, bool off, uint64_t tick);

// Writes the flag of a value that is new in its row, whose flag has not been written yet.
void micai_toggle_make(micai_store *store, micai_cell cell, bool off);

// A column with flags is dimmed from now on.
void micai_toggle_dim(micai_store *store, micai_table *table, uint32_t column);

// Finds anew who may write the flags of a column without asking: what that depends on has changed. In all
// tables that keep a type, which is watched from now on, or no more.
void micai_toggle_show(micai_store *store, micai_table *table, uint32_t column);
void micai_toggle_watch(micai_store *store, const micai_type *type);

// Looks whether the columns of a table are rightly dimmed.
void micai_toggle_look(micai_store *store, micai_table *table);

// Rows are about to move by a transition: dims what they may dim. Is there nothing to be dimmed?
void micai_toggle_spread(micai_store *store, const micai_transition *t);
bool micai_toggle_covers(const micai_transition *t);

// Of a table whose pages are in order.
mica_result micai_toggle_validate(micai_store *store, const micai_table *table);

#endif
