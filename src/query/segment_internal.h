// Segments: which rows of matching tables match, and where they lie. The one part of this room that
// knows how tables keep their rows.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_SEGMENT_INTERNAL_H
#define MICAI_QUERY_SEGMENT_INTERNAL_H

#include "base/number.h"
#include "entity/locate.h"
#include "query/cached_segment.h"

// Can the simple loop iterate the query? Asked once, when it is compiled.
bool micai_segment_is_simple(const micai_query *query);

// Are values of the type in pieces, so that only fields can be reached?
bool micai_segment_is_split(const micai_type *type);

// Where a row of a term is, in the present segment, which is no block. No table: the component is
// missing.
micai_cell micai_segment_cell(const mica_iter *it, uint32_t term, uint32_t row);

// Some bytes of the values of a term that are in pieces, for the rows of the present segment, which is no
// block; NULL data: the component is not there. MICA_ERROR_FIELD: they are in several pieces.
mica_result micai_segment_find_part(const mica_iter *it, uint32_t term, uint32_t offset,
                                    uint32_t size, micai_field_span *part_out);

// The functions for walk->next(): each aims the iterator of an open walk at the next segment, or
// ends it and gives false. For all rows of a simple query, by cached segments (cached_segment.h); for anything.
bool micai_segment_next(mica_iter *it);

// Which one, for all rows. Asked when a query is compiled.
bool (*micai_segment_loop(const micai_query *query))(mica_iter *it);

// Gives the memory of cached segments back. Are they, if they are said to be right, right?
void micai_segment_forget(micai_host *host, micai_query *query);
bool micai_segment_is_cached(const mica_world *world, const micai_query *query);

// For one whose values may lie side by side in all tables: all rows at once, if they do now; else those of
// one table after the other.
bool micai_segment_next_sweep(mica_iter *it);

// Rows of one table and a column there: ascending, or of a table with an index. No table: the values are not to be
// reached like this.
typedef struct micai_rows {
    micai_table *table;
    uint32_t column;
    uint32_t lane;
    uint32_t size; // of a value
    const uint32_t *rows;
    uint32_t count;
} micai_rows;

micai_rows micai_segment_rows(micai_table *table, uint32_t column, const uint32_t *rows,
                              uint32_t count);

// Puts the tick of a write on the values. Copies them to values side by side, or back.
void micai_segment_stamp_rows(const mica_world *world, const micai_rows *all);
void micai_segment_copy_rows(const micai_rows *all, unsigned char *values, bool back);

// Values that lie side by side have changed. And, for mica_touch(), that of a row of the present segment of a term, which is no block
// and may not have the component.
void micai_segment_touch(const mica_world *world, micai_cell cell, uint32_t count);
void micai_segment_touch_row(const mica_iter *it, uint32_t term, uint32_t row);

// The entities of a row and of those that share memory with it, as micai_toggle_flags() has flags; and
// how far rows lie side by side, from one on and below `end`.
static inline const mica_entity *micai_segment_entities(const micai_table *table, uint32_t row)
{
    return micai_sheet_ids(micai_table_sheet(table, row)) + (row & (MICAI_ROWS - 1));
}

static inline uint32_t micai_segment_reach(const micai_table *table, uint32_t row, uint32_t end)
{
    const micai_sheet *sheet = micai_table_sheet(table, row);
    return micai_smaller((sheet->index + sheet->adjacent) << MICAI_ROW_SHIFT, end);
}

// Aims the iterator at rows from the one on that the walk is at, as many as there are side by side
// of `rows`, and the walk behind them. Terms that are `off` are not there.
void micai_segment_show(mica_iter *it, micai_table *table, uint32_t rows, uint64_t off);

// What a term finds in a table that matches.
micai_found micai_segment_find(const micai_table *table, const micai_type *type);

#endif
