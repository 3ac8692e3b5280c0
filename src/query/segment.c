// Splits the rows of matching tables into segments. Two loops give the same rows in the same order.
// A sweep returns all rows at once.
//
// The simple loop is for queries whose columns are all paged, in one strip. Values that lie side by
// side in one column do so in all columns. A segment begins with a sheet and has whole sheets.
// Usually these are all sheets of a table, across the pages of an extent.
//
// The general loop computes for each column how many rows from the current one on lie side by side.
// It takes the smallest number. Its segments may begin and end anywhere. Values in a ring, for
// example, end with the run of the ring.
//
// A sweep has one segment: all values of a ring, across tables.
#include "query/segment_internal.h"

#include <string.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "base/number.h"
#include "query/filtered_internal.h"

// Returns true if a column of the type consists of whole values and flags only.
static bool is_simple(const micai_type *type)
{
    const micai_kind *kind = micai_kind_of(type);
    return kind == &micai_kind_paged;
}

bool micai_segment_is_simple(const micai_query *query)
{
#ifdef MICAI_TEST_GENERAL_LOOP
    bool simple = false;
#else
    bool simple = true;
#endif
    for (uint32_t t = 0; simple && t < query->term_count; t++) {
        const micai_type *type = query->terms[t].type;
        bool stamps = type->info.row_stamps || query->terms[t].touch;
        simple = type->info.size == 0 ||
                 (is_simple(type) &&
                  !(stamps && micai_query_access_flags(query->terms[t].access).write));
    }
    return simple;
}

bool micai_segment_is_split(const micai_type *type)
{
    return micai_kind_of(type)->find != NULL;
}

micai_cell micai_segment_cell(const mica_iter *it, uint32_t term, uint32_t row)
{
    const micai_walk *walk = it->walk;
    const micai_block *block = micai_query_is_filtered(walk->query) ? walk->memory : NULL;
    bool off = block && !(block->present >> term & 1);
    uint32_t column =
        off ? 0 : micai_table_column(walk->segment_table, walk->query->terms[term].type->number);
    return column ? (micai_cell){walk->segment_table, column, walk->segment_row + row}
                  : (micai_cell){0};
}

mica_result micai_segment_field(const mica_iter *it, uint32_t term, uint32_t offset, uint32_t size,
                                micai_field_span *field_out)
{
    const micai_cell cell = micai_segment_cell(it, term, 0);
    *field_out = cell.table ? micai_table_kind(cell.table, cell.column)->find(cell, offset, size)
                            : (micai_field_span){0};
    return cell.table && !field_out->data ? MICA_ERROR_FIELD : MICA_OK;
}

micai_term_column micai_segment_term_column(const micai_table *table, const micai_type *type)
{
    uint32_t column = micai_table_column(table, type->number);
    return (micai_term_column){(uint16_t)column, table->layout.columns[column].strip};
}

// Visits the terms of a bit mask that have a column in the current table.
#define FOR_COLUMNS(found, columns, terms)                                                         \
    const micai_term_column *found;                                                                \
    for (uint64_t rest_ = (terms); rest_ != 0; rest_ &= rest_ - 1)                                 \
        if ((found = &(columns)[micai_bits_lowest(rest_)])->column != 0)

// Returns the first table with rows, from the current one on, or NULL. Moves the walk there.
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

// A query without terms has no columns and no array to point into.
static inline const micai_term_column *columns_of(const micai_walk *walk)
{
    static const micai_term_column nothing;
    const micai_query *query = walk->query;
    return query->term_count > 0
               ? &query->term_columns.items[(size_t)walk->match * query->term_count]
               : &nothing;
}

static inline void touch_pages(mica_world *world, micai_sheet *sheet,
                               const micai_term_column *columns, uint64_t terms)
{
    FOR_COLUMNS(found, columns, terms)
    {
        micai_sheet_stamp(sheet, found->position, world->view.tick);
    }
}

// Sets what inline readers use. The pointers were set before.
static inline void set_segment(mica_iter *it, const micai_query *query, mica_entity *entities,
                               uint32_t count)
{
    it->pointers = it->walk->pointers;
    it->readable = query->readable & ~query->split;
    it->writable = query->writable & ~query->split;
    it->entities = query->no_entities ? NULL : entities;
    it->count = count;
}

// Sets the segment of `count` rows that begins with row `offset` of a sheet.
static inline void show_sheet(mica_iter *it, micai_walk *walk, micai_sheet *sheet, uint32_t offset,
                              uint32_t count, const micai_term_column *columns)
{
    const micai_query *query = walk->query;
    touch_pages(it->world, sheet, columns, query->writable);
    for (uint64_t rest = query->readable; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        walk->pointers[t] = columns[t].column ? sheet->pages[columns[t].position].data +
                                                    (size_t)offset * query->terms[t].size
                                              : NULL;
    }
    set_segment(it, query, micai_sheet_ids(sheet) + offset, count);
}

// Cached segments

static size_t cached_stride_of(const micai_query *query)
{
    return sizeof(micai_cached_segment) +
           (query->term_count + micai_bits_ones(query->writable) + 1) * sizeof(void *);
}

static void fill_cached(const micai_query *query, uint32_t match, micai_cached_segment *segment_out)
{
    micai_table *table = query->tables.items[match];
    micai_sheet *sheet = table->sheets.count > 0 ? micai_table_sheet(table, 0) : NULL;
    segment_out->table = table;
    segment_out->entities = sheet && !query->no_entities ? micai_sheet_ids(sheet) : NULL;
    segment_out->max_rows = sheet ? MICAI_ROWS : 0;
    void **ticks = &segment_out->pointers[query->term_count];
    memset(ticks, 0, (micai_bits_ones(query->writable) + 1) * sizeof *ticks);
    for (uint32_t t = 0; t < query->term_count; t++) {
        const micai_term_column *found =
            &query->term_columns.items[(size_t)match * query->term_count + t];
        micai_page *page = sheet && found->column ? &sheet->pages[found->position] : NULL;
        segment_out->pointers[t] = page && query->readable >> t & 1 ? page->data : NULL;
        if (page && query->writable >> t & 1) {
            *ticks++ = &page->tick;
        }
    }
}

void micai_segment_free_cached(micai_host *host, micai_query *query)
{
    micai_release(host, query->cached, query->cached_size, _Alignof(max_align_t));
    query->cached = NULL;
    query->cached_size = 0;
    query->cached_stride = 0;
    query->cached_at = query->last_address_changes = 0;
}

// Returns true if cached segments are valid for an iteration that begins. They are created if no
// address has changed since the last iteration. They must not be replaced while another iteration
// uses them.
static bool prepare_cached(mica_world *world, micai_query *query)
{
    uint64_t now = world->state->store.address_changes;
    if (world->state->original && !query->owned) { // other systems may be using it
        return false;
    }
    bool again = query->last_address_changes == now && query->term_count > 0 &&
                 micai_query_count_walks(world->state, query) == 1;
    query->last_address_changes = now;
    if (!again) {
        return false;
    }
    size_t size = query->tables.count * cached_stride_of(query);
    if (size > query->cached_size) {
        micai_segment_free_cached(&world->host, query);
        query->cached = micai_alloc_try(&world->host, size, _Alignof(max_align_t));
        query->cached_size = query->cached ? size : 0;
        query->last_address_changes = now;
    }
    if (!query->cached) {
        return false;
    }
    query->cached_stride = cached_stride_of(query);
    query->cached_at = now;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        fill_cached(query, m, micai_cached_segment_of(query, m));
    }
    return true;
}

// Q8
bool micai_segment_is_cache_valid(const mica_world *world, const micai_query *query)
{
    uint64_t now = world->state->store.address_changes;
    size_t size = query->cached ? cached_stride_of(query) : 0;
    bool right = query->cached_at <= now && query->last_address_changes <= now &&
                 query->cached_stride == size && query->cached_size % sizeof(void *) == 0 &&
                 (query->cached || query->cached_size == 0);
    if (!right || query->cached_at != now) {
        return right;
    }
    right = query->simple && query->cached && query->cached_size >= query->tables.count * size;
    for (uint32_t m = 0; right && m < query->tables.count; m++) {
        void
            *should[sizeof(micai_cached_segment) / sizeof(void *) + (size_t)2 * MICA_TERMS_MAX + 1];
        fill_cached(query, m, (micai_cached_segment *)(void *)should);
        right = memcmp(micai_cached_segment_of(query, m), should, size) == 0;
    }
    return right;
}

// Continues without valid cached segments.
MICAI_NOINLINE static bool next_uncached(mica_iter *it)
{
    micai_walk *walk = it->walk;
    bool begins = walk->match == 0 && walk->row == 0;
    if (begins && prepare_cached(it->world, walk->query)) {
        return micai_segment_next_cached(it);
    }
    walk->next = micai_segment_next;
    return micai_segment_next(it);
}

bool micai_segment_next_cached(mica_iter *it)
{
    micai_walk *walk = it->walk;
    const micai_query *query = walk->query;
    if (MICAI_LIKELY(micai_segment_step_cached(it, walk, query))) {
        if (walk->match == query->tables.count) {
            walk->next = micai_iter_stop;
        }
        return true;
    }
    if (query->cached_at != it->world->state->store.address_changes) {
        return next_uncached(it);
    }
    return micai_segment_next(it);
}

// Returns true if a sweep can return all rows: one term in a ring, and no entities.
static bool can_sweep(const micai_query *query)
{
    const micai_term *term = &query->terms[0];
    bool stamps = query->writable && (term->touch || term->type->info.row_stamps);
    return query->no_entities && !query->no_facets && query->term_count == 1 && !stamps &&
           !micai_query_is_filtered(query) && (query->required & 1) && query->readable == 1 &&
           micai_kind_of(term->type)->ring;
}

bool (*micai_segment_choose_next(const micai_query *query))(mica_iter *it)
{
    return micai_query_is_filtered(query) ? NULL
           : can_sweep(query)             ? micai_segment_next_sweep
           : query->simple                ? micai_segment_next_cached
                                          : micai_segment_next;
}

// Sets the pointers of the terms to the current row. Returns how many rows, up to `count`, lie side
// by side in all of them.
static uint32_t find_spans(micai_walk *walk, micai_table *table, const micai_term_column *columns,
                           uint32_t count)
{
    for (uint64_t rest = walk->query->readable; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        walk->pointers[t] = NULL;
        if (columns[t].column) {
            micai_span span = micai_table_kind(table, columns[t].column)
                                  ->read((micai_cell){table, columns[t].column, walk->row});
            walk->pointers[t] = span.data;
            count = micai_smaller(count, span.count);
        }
    }
    return count;
}

static void advance(micai_walk *walk, const micai_table *table, uint32_t count)
{
    uint32_t end = walk->row + count;
    bool last = end == table->count;
    walk->rows -= count;
    walk->match += last;
    walk->row = last ? 0 : end;
}

// For simple queries: rows of the first sheet and of adjacent sheets. A query that only reads does
// not touch the adjacent ones.
MICAI_NOINLINE static void show_simple(mica_iter *it, micai_table *table, uint32_t rows)
{
    micai_walk *walk = it->walk;
    const micai_term_column *columns = columns_of(walk);
    const micai_sheet *first = micai_table_sheet(table, walk->row);
    uint32_t offset = walk->row & (MICAI_ROWS - 1);
    uint32_t most = micai_smaller(rows, table->count - walk->row);
    uint32_t count = micai_smaller(most, (first->adjacent << MICAI_ROW_SHIFT) - offset);
    if (MICAI_CANARY("query.segment_end")) {
        count = (first->adjacent << MICAI_ROW_SHIFT) - offset;
    }
    uint64_t writable = walk->query->writable;
    for (uint32_t end = MICAI_ROWS - offset; writable && end < count; end += MICAI_ROWS) {
        touch_pages(it->world, micai_table_sheet(table, walk->row + end), columns, writable);
    }
    walk->segment_table = table;
    walk->segment_row = walk->row;
    show_sheet(it, walk, micai_table_sheet(table, walk->row), offset, count, columns);
    advance(walk, table, count);
}

// Terms that are off are not stamped.
MICAI_NOINLINE static void show_general(mica_iter *it, micai_table *table, uint32_t rows,
                                        uint64_t off)
{
    micai_walk *walk = it->walk;
    const micai_query *query = walk->query;
    const micai_term_column *columns = columns_of(walk);
    micai_span ids = micai_kind_paged.read((micai_cell){table, 0, walk->row});
    uint32_t count = find_spans(walk, table, columns, micai_smaller(ids.count, rows));
    walk->segment_table = table;
    walk->segment_row = walk->row;
    FOR_COLUMNS(found, columns, query->writable & ~(query->touch | off))
    {
        micai_cell cell = {table, found->column, walk->row};
        micai_table_kind(table, found->column)->touch(cell, count, it->world->view.tick);
    }
    set_segment(it, query, ids.data, count);
    advance(walk, table, count);
}

bool micai_segment_next_sweep(mica_iter *it)
{
    micai_walk *walk = it->walk;
    const micai_query *query = walk->query;
    micai_span all = micai_rings_sweep(&it->world->state->store.rings, query->terms[0].type,
                                       query->writable ? it->world->view.tick : 0);
    if (all.count == 0) {
        walk->next = micai_segment_next;
        return micai_segment_next(it);
    }
    walk->pointers[0] = all.data;
    it->pointers = walk->pointers;
    walk->match = UINT32_MAX;
    walk->next = micai_iter_stop;
    it->readable = 1; // the single term
    it->writable = query->writable;
    it->count = all.count;
    return true;
}

bool micai_segment_next(mica_iter *it)
{
    micai_walk *walk = it->walk;
    micai_table *table = walk->rows > 0 ? find_table(walk) : NULL;
    if (!table) {
        return micai_iter_stop(it);
    }
    micai_segment_show(it, table, walk->rows, 0);
    return true;
}

void micai_segment_show(mica_iter *it, micai_table *table, uint32_t rows, uint64_t off)
{
    if (it->walk->query->simple) {
        show_simple(it, table, rows);
    } else {
        show_general(it, table, rows, off);
    }
    for (; off != 0; off &= off - 1) {
        it->walk->pointers[micai_bits_lowest(off)] = NULL;
    }
}

// Changes of values

void micai_segment_touch(const mica_world *world, micai_cell cell, uint32_t count)
{
    micai_table_kind(cell.table, cell.column)->touch(cell, count, world->view.tick);
}

void micai_segment_touch_row(const mica_iter *it, uint32_t term, uint32_t row)
{
    const micai_cell cell = micai_segment_cell(it, term, row);
    if (cell.table) {
        micai_segment_touch(it->world, cell, 1);
    }
}

// Rows of one column

// Pages of a strip, or blocks of an index, lead to the values.
micai_column_rows micai_segment_column_rows(micai_table *table, uint32_t column,
                                            const uint32_t *rows, uint32_t count)
{
    bool accessible = table->index || micai_table_kind(table, column) == &micai_kind_paged;
    const micai_column *of = &table->layout.columns[column];
    return (micai_column_rows){accessible ? table : NULL, column, of->strip,
                               of->type->info.size,       rows,   count};
}

void micai_segment_stamp_rows(const mica_world *world, const micai_column_rows *all)
{
    uint64_t tick = world->view.tick;
    bool each = micai_ticks_strip(&all->table->layout, all->column) != 0;
    const uint32_t *rows = all->rows;
    uint32_t count = all->count;
    for (uint32_t i = 0; i < count;) {
        micai_sheet *sheet = micai_table_sheet(all->table, rows[i]);
        uint32_t first = sheet->index << MICAI_ROW_SHIFT;
        micai_sheet_stamp(sheet, all->strip, tick);
        for (; i < count && rows[i] - first < MICAI_ROWS; i++) {
            if (each) {
                micai_ticks_touch((micai_cell){all->table, all->column, rows[i]}, 1, tick);
            }
        }
    }
}

// `size` may be a constant for the compiler. Rows ascend, so that most are in the same sheet as the
// row before.
static inline void copy_ascending(const micai_column_rows *all, unsigned char *values,
                                  uint32_t size, bool write_back)
{
    const uint32_t *rows = all->rows;
    uint32_t count = all->count;
    for (uint32_t i = 0; i < count;) {
        const micai_sheet *sheet = micai_table_sheet(all->table, rows[i]);
        unsigned char *page = sheet->pages[all->strip].data;
        uint32_t first = sheet->index << MICAI_ROW_SHIFT;
        for (; i < count && rows[i] - first < MICAI_ROWS; i++) {
            unsigned char *stored = page + (size_t)(rows[i] - first) * size;
            unsigned char *value = values + (size_t)i * size;
            memcpy(write_back ? stored : value, write_back ? value : stored, size);
        }
    }
}

// Rows of a pool have any order. Only blocks of large values may have fewer rows than a sheet.
static inline void copy_scattered(const micai_column_rows *all, unsigned char *values,
                                  uint32_t size, bool write_back)
{
    const mica_view_pool *view = &all->table->index->view;
    const mica_view_block *blocks = view->blocks;
    const uint32_t *rows = all->rows;
    uint32_t count = all->count;
    uint32_t shift = size <= 16 ? MICAI_ROW_SHIFT : view->block_shift;
    uint32_t inside = (UINT32_C(1) << shift) - 1;
    for (uint32_t i = 0; i < count; i++) {
        unsigned char *stored = blocks[rows[i] >> shift].data + (size_t)(rows[i] & inside) * size;
        unsigned char *value = values + (size_t)i * size;
        memcpy(write_back ? stored : value, write_back ? value : stored, size);
    }
}

#define COPY(copy, size) /* common sizes are constants */                                          \
    switch (size) {                                                                                \
    case 4: copy(all, values, 4, write_back); break;                                               \
    case 8: copy(all, values, 8, write_back); break;                                               \
    case 12: copy(all, values, 12, write_back); break;                                             \
    case 16: copy(all, values, 16, write_back); break;                                             \
    default: copy(all, values, size, write_back);                                                  \
    }

void micai_segment_copy_rows(const micai_column_rows *all, unsigned char *values, bool write_back)
{
    if (all->table->index) {
        COPY(copy_scattered, all->size)
    } else {
        COPY(copy_ascending, all->size)
    }
}
