// Layouts: the columns of a table and the strips of each column. A layout can be replaced while the
// table keeps its identity (id, archetype, edges, matches of queries).
//
//     | outside pointers, last column first, if `outside` | columns | strips |      one block
//
// Room:    store/table. Called by tables, sheets and transitions. store/pool builds layouts. image/
//          and inspect/ read columns.
//
// Column 0 holds the entity ids. The number of a data column is 1 plus the number of types below
// its own in the archetype that have columns. Column number 0 also means "has no column". Strip 0
// holds the ids, too. The strips of a column are adjacent and in column order.
//
// Invariants, checked by micai_layout_validate():
//   U1  The columns are the ids and one column per type that has one, in order. Each has the size
//       and kind of its type.
//   U2  The strips are those that the kinds describe.
//   U3  `plain`, `bytes` and `outside` agree with the columns, and `careful` of each column with its
//       strips and kind.
#ifndef MICAI_STORE_TABLE_LAYOUT_H
#define MICAI_STORE_TABLE_LAYOUT_H

#include "store/table/kind.h"

#define MICAI_COLUMNS_MAX 65534u // and at most as many strips

typedef struct micai_layout {
    micai_column *columns; // start of columns and strips in the one block
    micai_strip *strips;
    uint16_t column_count; // including the ids
    uint16_t strip_count;
    bool plain;   // rows are only the bytes of their strips: no hooks, no values outside
    bool bytes;   // like `plain`, but values may also lie in rings
    bool outside; // some kind keeps values outside the strips
} micai_layout;

// Return the pointer to a column's values outside the strips, or NULL. micai_layout_outside()
// requires `outside`. micai_layout_get_outside() accepts every layout.
static inline void **micai_layout_outside(const micai_layout *layout, uint32_t column)
{
    return (void **)(void *)layout->columns - 1 - column;
}

static inline void *micai_layout_get_outside(const micai_layout *layout, uint32_t column)
{
    return layout->outside ? *micai_layout_outside(layout, column) : NULL;
}

// Returns the type of a strip that holds whole values with hooks, or NULL if its cells are bytes.
static inline const micai_type *micai_layout_hooked(const micai_layout *layout, uint32_t strip)
{
    const micai_strip *cells = &layout->strips[strip];
    return cells->hooked ? layout->columns[cells->column].type : NULL;
}

// Builds the layout for the types in a bitset. `types` is indexed by type number. Fails with
// MICA_ERROR_LIMIT or MICA_ERROR_MEMORY.
mica_result micai_layout_make(micai_host *host, micai_type *const *types,
                              const uint64_t *column_words, uint32_t word_count,
                              micai_layout *layout_out);
void micai_layout_free(micai_host *host, micai_layout *layout);

// Checks that the layout is the one for the types in a bitset.
mica_result micai_layout_validate(micai_host *host, micai_type *const *types,
                                  const uint64_t *column_words, uint32_t word_count,
                                  const micai_layout *layout);

// Returns true if one strip of the column holds whole values.
bool micai_column_is_whole(const micai_layout *layout, uint32_t column);

#endif
