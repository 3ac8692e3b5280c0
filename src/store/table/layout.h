// Layouts: the columns of a table and the strips they consist of. A layout can be replaced while the
// table stays who it is (id, archetype, edges, matches of queries).
//
//   | pointers to what each column has outside, the last first, if `outside` | columns | strips |      one block
//
// Room:    store/table. Called by tables, sheets and edges; world/ and query/ read columns.
//
// Column 0 is the entity ids; a data column's number is 1 plus the number of types with columns
// below its own in the archetype. So column 0 also says "has no column". Strip 0 is the ids, too;
// the strips of a column lie side by side, in the order of columns.
//
// Invariants, swept by micai_layout_validate():
//   U1  the columns are the ids and one for each type that has one, in order, of that type's
//       size and kind.
//   U2  the strips are what the kinds describe.
//   U3  `plain`, `light` and `outside` are what the columns say.
#ifndef MICAI_STORE_TABLE_LAYOUT_H
#define MICAI_STORE_TABLE_LAYOUT_H

#include "store/table/kind.h"

#define MICAI_COLUMNS_MAX 65534u // and as many strips

typedef struct micai_layout {
    micai_column *columns; // one block with all the rest
    micai_strip *strips;
    uint16_t column_count; // ids included
    uint16_t strip_count;
    bool plain;   // rows are nothing but the bytes of their strips: no hooks, nothing outside
    bool light;   // the same, but for what lies in rings, without hooks either
    bool outside; // some kind keeps values outside the strips
} micai_layout;

// What the kind of a column keeps of it outside the strips, NULL where that is nothing: of a layout of which
// some kind may; of any.
static inline void **micai_layout_outside(const micai_layout *layout, uint32_t column)
{
    return (void **)(void *)layout->columns - 1 - column;
}

static inline void *micai_layout_look_outside(const micai_layout *layout, uint32_t column)
{
    return layout->outside ? *micai_layout_outside(layout, column) : NULL;
}

// The type of the values with hooks that a strip holds whole; NULL: its cells are bytes.
static inline const micai_type *micai_layout_hooked(const micai_layout *layout, uint32_t strip)
{
    const micai_strip *cells = &layout->strips[strip];
    return cells->hooked ? layout->columns[cells->column].type : NULL;
}

// The layout of the types in a bitset, which are listed by number. MICA_ERROR_LIMIT, MICA_ERROR_MEMORY.
mica_result micai_layout_make(micai_host *host, micai_type *const *types,
                              const uint64_t *column_words, uint32_t word_count,
                              micai_layout *layout_out);
void micai_layout_free(micai_host *host, micai_layout *layout);

// Is the layout that of the types in a bitset?
mica_result micai_layout_validate(micai_host *host, micai_type *const *types,
                                  const uint64_t *column_words, uint32_t word_count,
                                  const micai_layout *layout);

// Are the values of a column moved by their kind, because bytes of strips are not all there is to it?
bool micai_column_needs_care(const micai_layout *layout, uint32_t column);

// Do the values of a column lie whole in one of its strips?
bool micai_column_is_whole(const micai_layout *layout, uint32_t column);

#endif
