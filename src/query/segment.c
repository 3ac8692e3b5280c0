// Cutting the rows of matching tables into segments, in two ways that give the same rows in the
// same order.
//
// The simple loop is for queries all of whose columns are paged. Then what lies side by side in one
// column does so in all: a segment begins with a sheet and has whole sheets, usually all of a
// table, across the pages of an extent.
//
// The general loop asks each column how many rows from the present one on it has side by side, and
// takes the smallest. Its segments may begin and end anywhere.
#include "query/segment.h"

#include "base/canary.h"
#include "base/compiler.h"

bool micai_segment_is_simple(const micai_query *query)
{
#ifdef MICAI_TEST_GENERAL_LOOP
    (void)query;
    return false;
#else
    (void)query; // every column there is is paged
    return true;
#endif
}

mica_entity micai_segment_first(const micai_table *table)
{
    return micai_sheet_ids(micai_table_sheet(table, 0))[0];
}

micai_row micai_segment_place(mica_world *world, const micai_record *record)
{
    micai_place place = micai_store_place(&world->core->store, record);
    return (micai_row){place.sheet->table, micai_place_row(place)};
}

// Walks the terms of a bit mask that have a column in the present table.
#define FOR_COLUMNS(column, columns, terms)                                                        \
    for (uint64_t left_ = (terms), column; left_ != 0; left_ &= left_ - 1)                         \
        if ((column = (columns)[micai_bits_lowest(left_)]) != 0)

// The first table from the present one on that has rows; NULL: none.
static inline micai_table *find_table(micai_walk *walk)
{
    const micai_query *query = walk->query;
    uint32_t match = walk->match;
    while (match < query->tables.count) {
        if (query->tables.items[match]->count > 0) {
            walk->match = match;
            return query->tables.items[match];
        }
        match++;
    }
    return NULL;
}

// A query of everything has no columns, and no array of them to point into.
static inline const uint16_t *columns_of(const micai_walk *walk)
{
    const micai_query *query = walk->query;
    return query->term_count > 0 ? &query->columns.items[(size_t)walk->match * query->term_count]
                                 : NULL;
}

// Makes the pages that will be written one's own.
static mica_result own_columns(mica_world *world, micai_sheet *sheet, const uint16_t *columns,
                               uint64_t terms)
{
    FOR_COLUMNS(column, columns, terms)
    {
        mica_result result = micai_sheet_own_page(&world->core->store, sheet, (uint32_t)column);
        if (result) {
            return result;
        }
    }
    return MICA_OK;
}

static inline void stamp_columns(mica_world *world, micai_sheet *sheet, const uint16_t *columns,
                                 uint64_t terms)
{
    FOR_COLUMNS(column, columns, terms)
    {
        sheet->pages[column].tick = world->view.tick;
    }
}

// What inline readers find: pointers are set before.
static inline void show(mica_iter *it, const micai_query *query, mica_entity *entities,
                        uint32_t count)
{
    it->readable = query->readable;
    it->writable = query->writable;
    it->entities = entities;
    it->count = count;
}

// The segment of `count` rows that begins with row `offset` of a sheet. All that will be written of
// the sheet is made one's own, then stamped: either everything or nothing.
static inline mica_result begin_segment(mica_iter *it, micai_walk *walk, micai_sheet *sheet,
                                        uint32_t offset, uint32_t count, const uint16_t *columns)
{
    const micai_query *query = walk->query;
    mica_result result =
        sheet->shared ? own_columns(it->world, sheet, columns, query->writable) : MICA_OK;
    if (result) {
        return result;
    }
    stamp_columns(it->world, sheet, columns, query->writable);
    for (uint64_t left = query->readable; left != 0; left &= left - 1) {
        uint32_t t = micai_bits_lowest(left);
        walk->pointers[t] =
            columns[t] ? sheet->pages[columns[t]].data + (size_t)offset * query->terms[t].size
                       : NULL;
    }
    show(it, query, micai_sheet_ids(sheet) + offset, count);
    return MICA_OK;
}

// How many sheets of a run a segment that begins with `sheet` can have: as many as hold rows, and
// not those that are shared, which may have to be copied before they are written.
static uint32_t measure_run(const mica_iter *it, const micai_table *table, const micai_sheet *sheet)
{
    uint32_t end = (table->count + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT;
    uint32_t run = sheet->run < end - sheet->index ? sheet->run : end - sheet->index;
    for (uint32_t i = 1; it->world->core->store.sharing && i < run; i++) {
        if (table->sheets.items[sheet->index + i]->shared) {
            return i;
        }
    }
    return run;
}

// Lets a segment that begins with a sheet run on; returns its rows. A query that only reads does
// not even look at the sheets.
static uint32_t run_on(const mica_iter *it, const micai_table *table, const micai_sheet *sheet,
                       const uint16_t *columns)
{
    uint32_t run = measure_run(it, table, sheet);
    uint64_t writable = it->walk->query->writable;
    for (uint32_t i = 1; writable && i < run; i++) {
        stamp_columns(it->world, table->sheets.items[sheet->index + i], columns, writable);
    }
    uint32_t end = (sheet->index + run) << MICAI_ROW_SHIFT;
    bool past = end >= table->count;
    if (MICAI_CANARY("query.segment_end")) {
        past = false;
    }
    return (past ? table->count : end) - (sheet->index << MICAI_ROW_SHIFT);
}

bool micai_segment_next_simple(mica_iter *it)
{
    micai_walk *walk = it->walk;
    micai_table *table = find_table(walk);
    if (!table) {
        return micai_iter_stop(it, MICA_OK);
    }
    const uint16_t *columns = columns_of(walk);
    micai_sheet *sheet = micai_table_sheet(table, walk->row);
    uint32_t left = table->count - walk->row;
    uint32_t count = left < MICAI_ROWS ? left : MICAI_ROWS;
    mica_result result = begin_segment(it, walk, sheet, 0, count, columns);
    if (result) {
        return micai_iter_stop(it, result);
    }
    if (left > MICAI_ROWS && sheet->run > 1) {
        it->count = count = run_on(it, table, sheet, columns);
    }
    bool last = count == left;
    walk->match += last;
    walk->row = last ? 0 : walk->row + count;
    return true;
}

// Once: the row that the walk is at.
bool micai_segment_next_one(mica_iter *it)
{
    micai_walk *walk = it->walk;
    const micai_query *query = walk->query;
    if (walk->match >= query->tables.count) {
        return micai_iter_stop(it, MICA_OK);
    }
    micai_sheet *sheet = micai_table_sheet(query->tables.items[walk->match], walk->row);
    mica_result result =
        begin_segment(it, walk, sheet, walk->row & (MICAI_ROWS - 1), 1, columns_of(walk));
    walk->match = query->tables.count;
    return result ? micai_iter_stop(it, result) : true;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Points at the values of the terms from the present row on; returns how many rows, up to `count`,
// lie side by side in all of them.
static uint32_t find_spans(micai_walk *walk, const micai_table *table, const uint16_t *columns,
                           uint32_t count)
{
    for (uint64_t left = walk->query->readable; left != 0; left &= left - 1) {
        uint32_t t = micai_bits_lowest(left);
        walk->pointers[t] = NULL;
        if (columns[t]) {
            micai_span span = micai_table_read_span(table, columns[t], walk->row);
            walk->pointers[t] = span.data;
            count = smaller(count, span.count);
        }
    }
    return count;
}

bool micai_segment_next_general(mica_iter *it)
{
    micai_walk *walk = it->walk;
    const micai_query *query = walk->query;
    micai_table *table = walk->rows > 0 ? find_table(walk) : NULL;
    if (!table) {
        return micai_iter_stop(it, MICA_OK);
    }
    const uint16_t *columns = columns_of(walk);
    micai_sheet *first = micai_table_sheet(table, walk->row);
    mica_result result = own_columns(it->world, first, columns, query->writable);
    if (result) {
        return micai_iter_stop(it, result);
    }
    micai_span ids = micai_table_read_span(table, 0, walk->row);
    uint32_t count = find_spans(walk, table, columns, smaller(ids.count, walk->rows));
    if (it->world->core->store.sharing) { // the next sheet may have to be made one's own
        count = smaller(count, MICAI_ROWS - (walk->row & (MICAI_ROWS - 1)));
    }
    uint32_t end = walk->row + count;
    for (uint32_t row = walk->row; row < end; row = (row | (MICAI_ROWS - 1)) + 1) {
        stamp_columns(it->world, micai_table_sheet(table, row), columns, query->writable);
    }
    show(it, query, ids.data, count);
    bool last = end == table->count;
    walk->rows -= count;
    walk->match += last;
    walk->row = last ? 0 : end;
    return true;
}
