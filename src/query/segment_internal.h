// Segments of matching tables: their rows and the addresses of their values. In this room, only
// this file depends on how tables store their rows.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_SEGMENT_INTERNAL_H
#define MICAI_QUERY_SEGMENT_INTERNAL_H

#include "base/number.h"
#include "entity/locate.h"
#include "query/cached_segment.h"

// Returns true if the simple loop can iterate over the query. Called once per compilation.
bool micai_segment_is_simple(const micai_query *query);

// Returns true if values of the type are stored in pieces, so that only fields can be accessed in
// place.
bool micai_segment_is_split(const micai_type *type);

// Returns the cell of a row of a term in the current segment, which is not a block. The table is
// NULL if the component is missing.
micai_cell micai_segment_cell(const mica_iter *it, uint32_t term, uint32_t row);

// Finds some bytes of the values of a split term in the current segment, which is not a block. The
// data is NULL if the component is missing. Returns MICA_ERROR_FIELD if the bytes are in several
// pieces.
mica_result micai_segment_field(const mica_iter *it, uint32_t term, uint32_t offset, uint32_t size,
                                micai_field_span *field_out);

// walk->next() for all queries that are not filtered. Moves the iterator to the next segment, or
// ends the iteration and returns false. cached_segment.h has the one for all rows of a simple
// query.
bool micai_segment_next(mica_iter *it);

// Returns the walk->next() for all rows, or NULL if the query is filtered. Called once per
// compilation.
bool (*micai_segment_choose_next(const micai_query *query))(mica_iter *it);

// Frees the cached segments.
void micai_segment_free_cached(micai_host *host, micai_query *query);

// Returns false if cached segments are marked as valid and are wrong.
bool micai_segment_is_cache_valid(const mica_world *world, const micai_query *query);

// walk->next() for a query whose values may lie side by side across all tables. Returns all rows at
// once if they do, and continues table by table if not.
bool micai_segment_next_sweep(mica_iter *it);

// Rows of one column. They ascend unless the table has an index. The table is NULL if the values
// cannot be accessed like this.
typedef struct micai_column_rows {
    micai_table *table;
    uint32_t column;
    uint32_t strip;
    uint32_t size; // bytes of a value
    const uint32_t *rows;
    uint32_t count;
} micai_column_rows;

micai_column_rows micai_segment_column_rows(micai_table *table, uint32_t column,
                                            const uint32_t *rows, uint32_t count);

// Stamp the values as written; copy them to an array, or back.
void micai_segment_stamp_rows(const mica_world *world, const micai_column_rows *all);
void micai_segment_copy_rows(const micai_column_rows *all, unsigned char *values, bool write_back);

// Stamps values that lie side by side as changed.
void micai_segment_touch(const mica_world *world, micai_cell cell, uint32_t count);

// Does the same for a row of a term in the current segment, which is not a block. Does nothing if
// the component is missing. For mica_touch().
void micai_segment_touch_row(const mica_iter *it, uint32_t term, uint32_t row);

// Returns the entities of a row and of the rows after it in the same sheet.
static inline const mica_entity *micai_segment_entities(const micai_table *table, uint32_t row)
{
    return micai_sheet_ids(micai_table_sheet(table, row)) + (row & (MICAI_ROWS - 1));
}

// Returns the end of the rows that lie side by side, from `row` on, at most `end`.
static inline uint32_t micai_segment_contiguous_end(const micai_table *table, uint32_t row,
                                                    uint32_t end)
{
    const micai_sheet *sheet = micai_table_sheet(table, row);
    return micai_smaller((sheet->index + sheet->adjacent) << MICAI_ROW_SHIFT, end);
}

// Sets the segment of the iterator: up to `rows` rows from the walk's row on that lie side by side.
// Moves the walk behind them. Terms that are `off` count as missing.
void micai_segment_show(mica_iter *it, micai_table *table, uint32_t rows, uint64_t off);

// Returns the column of a type in a matching table.
micai_term_column micai_segment_term_column(const micai_table *table, const micai_type *type);

#endif
