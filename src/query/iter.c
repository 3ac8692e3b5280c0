// Iterating: cutting the rows of matching tables into segments.
//
// A segment is as many rows as lie side by side in every column the query reads, entity ids
// included: usually all rows of a table, across the pages of an extent.
#include "query/query.h"

#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "base/compiler.h"

static uint32_t check_of(const mica_world *world, uint32_t serial)
{
    return (uint32_t)((uintptr_t)world / _Alignof(max_align_t)) ^ serial * UINT32_C(0x9e3779b1);
}

// The iteration among the open ones: where it was opened, unless one below it has been closed.
static micai_walk *find_walk(const mica_iter *it)
{
    if (MICAI_LIKELY(it->place < it->world->core->walks.count &&
                     it->world->core->walks.items[it->place].serial == it->serial)) {
        return &it->world->core->walks.items[it->place];
    }
    for (uint32_t i = it->world->core->walks.count; i-- > 0;) {
        if (it->world->core->walks.items[i].serial == it->serial) {
            return &it->world->core->walks.items[i];
        }
    }
    return NULL;
}

bool micai_iter_is_open(const mica_iter *it)
{
    return it->world && it->check == check_of(it->world, it->serial) && it->query && find_walk(it);
}

static void close_walk(mica_iter *it)
{
    micai_walk *walk = find_walk(it);
    micai_walk *end = it->world->core->walks.items + it->world->core->walks.count;
    memmove(walk, walk + 1, (size_t)(end - walk - 1) * sizeof *walk);
    it->world->core->walks.count--;
    micai_gate_open(&it->world->core->gate);
    it->query->walks--;
    it->query = NULL;
    it->count = 0;
    it->readable = it->writable = 0;
}

mica_result micai_iter_begin(mica_world *world, micai_query *query, const char *name,
                             mica_iter *it_out)
{
    // Not the pointers: they are set before they are read.
    it_out->count = 0;
    it_out->entities = NULL;
    it_out->world = world;
    it_out->user = NULL;
    it_out->dt = 0;
    it_out->readable = it_out->writable = 0;
    it_out->serial = 0;
    it_out->check = check_of(world, 0);
    it_out->query = NULL;
    it_out->place = it_out->match = it_out->row = it_out->single = 0;
    it_out->result = MICA_OK;
    if (!query || !micai_array_reserve(&world->host, &world->core->walks, 1)) {
        return query ? MICA_ERROR_MEMORY : MICA_ERROR_QUERY;
    }
    it_out->serial =
        ++world->core->last_serial ? world->core->last_serial : ++world->core->last_serial;
    it_out->check = check_of(world, it_out->serial);
    it_out->query = query; // readable and writable are for the first segment to set
    it_out->place = world->core->walks.count;
    world->core->walks.items[world->core->walks.count++] =
        (micai_walk){it_out->serial, name, &query->walks};
    micai_gate_shut(&world->core->gate);
    query->walks++;
    return MICA_OK;
}

// False, reported, if there is no world to iterate or nowhere to put the iteration.
static bool check_begin(mica_world *world, const char *call, mica_iter *it_out)
{
    if (!it_out) {
        micai_fail_null(micai_world_host(world), call, "it_out");
    } else if (!world) {
        micai_fail_null(NULL, call, "world");
        memset(it_out, 0, sizeof *it_out);
    }
    return world && it_out;
}

void mica_iter_begin(mica_world *world, mica_query query, mica_iter *it_out)
{
    static const char call[] = "mica_iter_begin";
    if (!check_begin(world, call, it_out)) {
        return;
    }
    micai_query *found = micai_query_find(world, call, query);
    micai_iter_begin(world, found, found ? found->name : NULL, it_out);
}

// Which of the matching tables this is; their count if it is none. They stand in the order of ids.
static uint32_t find_match(const micai_query *query, const micai_table *table)
{
    uint32_t from = 0;
    uint32_t to = query->tables.count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (query->tables.items[middle]->id < table->id) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    bool found = from < query->tables.count && query->tables.items[from] == table;
    return found ? from : query->tables.count;
}

void mica_iter_begin_entity(mica_world *world, mica_query query, mica_entity entity,
                            mica_iter *it_out)
{
    static const char call[] = "mica_iter_begin_entity";
    if (!check_begin(world, call, it_out)) {
        return;
    }
    micai_query *found = micai_query_find(world, call, query);
    const micai_record *record = micai_slots_find(&world->core->slots, entity);
    if (found && !record) {
        micai_slots_fail(&world->host, call, entity);
        found = NULL;
    }
    if (micai_iter_begin(world, found, found ? found->name : NULL, it_out)) {
        return;
    }
    micai_place place = micai_store_place(&world->core->store, record);
    it_out->single = 1;
    it_out->match = find_match(found, place.sheet->table);
    it_out->row = micai_place_row(place);
}

// Walks the terms of a bit mask that have a column in the present table.
#define FOR_COLUMNS(column, columns, terms)                                                        \
    for (uint32_t left_ = (terms), column; left_ != 0; left_ &= left_ - 1)                         \
        if ((column = (columns)[micai_bits_lowest(left_)]) != 0)

static mica_result own_columns(mica_world *world, micai_sheet *sheet, const uint16_t *columns,
                               uint32_t terms)
{
    FOR_COLUMNS(column, columns, terms)
    {
        mica_result result = micai_sheet_own_page(&world->core->store, sheet, column);
        if (result) {
            return result;
        }
    }
    return MICA_OK;
}

// Makes what will be written one's own, all of it, then stamps it. Only the first sheet of a
// segment can be shared, so only there it can fail.
static mica_result open_for_writing(mica_world *world, micai_sheet *sheet, const uint16_t *columns,
                                    uint32_t terms)
{
    mica_result result = sheet->shared ? own_columns(world, sheet, columns, terms) : MICA_OK;
    if (result) {
        return result;
    }
    FOR_COLUMNS(column, columns, terms)
    {
        sheet->pages[column].tick = world->view.tick;
    }
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
    for (uint32_t i = 1; it->query->writable && i < run; i++) {
        open_for_writing(it->world, table->sheets.items[sheet->index + i], columns,
                         it->query->writable);
    }
    uint32_t end = (sheet->index + run) << MICAI_ROW_SHIFT;
    return (end < table->count || MICAI_CANARY("query.segment_end") ? end : table->count) -
           (sheet->index << MICAI_ROW_SHIFT);
}

// A query without terms has no columns, and no array of them to point into.
static const uint16_t *columns_of(const mica_iter *it)
{
    const micai_query *query = it->query;
    return query->term_count > 0 ? &query->columns.items[(size_t)it->match * query->term_count]
                                 : NULL;
}

// The segment that begins with row `offset` of a sheet.
static inline mica_result begin_segment(mica_iter *it, micai_sheet *sheet, uint32_t offset,
                                        const uint16_t *columns)
{
    const micai_query *query = it->query;
    mica_result result = open_for_writing(it->world, sheet, columns, query->writable);
    if (result) {
        return result;
    }
    for (uint32_t left = query->readable; left != 0; left &= left - 1) {
        uint32_t t = micai_bits_lowest(left);
        uint32_t size = query->terms[t].type->info.size;
        it->pointers[t] = columns[t] ? sheet->pages[columns[t]].data + (size_t)offset * size : NULL;
    }
    it->readable = query->readable;
    it->writable = query->writable;
    it->entities = micai_sheet_ids(sheet) + offset;
    return MICA_OK;
}

// The one row of an iteration over a single entity; then none.
static mica_result next_single(mica_iter *it)
{
    const micai_table *table = it->query->tables.items[it->match];
    mica_result result = begin_segment(it, micai_table_sheet(table, it->row),
                                       it->row & (MICAI_ROWS - 1), columns_of(it));
    it->count = 1;
    it->match = it->query->tables.count;
    return result;
}

// Segments begin with a sheet, and end with one or with the table.
static mica_result next_segment(mica_iter *it, const micai_table *table)
{
    const uint16_t *columns = columns_of(it);
    micai_sheet *sheet = micai_table_sheet(table, it->row);
    mica_result result = begin_segment(it, sheet, 0, columns);
    if (result) {
        return result;
    }
    uint32_t left = table->count - it->row;
    it->count = left < MICAI_ROWS ? left : MICAI_ROWS;
    if (left > MICAI_ROWS && sheet->run > 1) {
        it->count = run_on(it, table, sheet, columns);
    }
    bool last = it->count == left;
    it->match += last;
    it->row = last ? 0 : it->row + it->count;
    return MICA_OK;
}

static bool refuse_next(mica_iter *it)
{
    // One that never began has said why; anything else that is not open is a mistake.
    if (!it || !it->world || it->check != check_of(it->world, it->serial)) {
        micai_fail(NULL, MICA_ERROR_ITERATOR, "mica_iter_next: this is no iteration");
    } else if (it->serial != 0) {
        micai_fail(&it->world->host, MICA_ERROR_ITERATOR,
                   "mica_iter_next: the iteration has ended");
    }
    return false;
}

bool mica_iter_next(mica_iter *it)
{
    if (!it || !micai_iter_is_open(it)) {
        return refuse_next(it);
    }
    uint32_t tables = it->query->tables.count;
    while (it->match < tables && it->query->tables.items[it->match]->count == 0) {
        it->match++;
    }
    if (it->match < tables) {
        it->result =
            it->single ? next_single(it) : next_segment(it, it->query->tables.items[it->match]);
        if (MICAI_LIKELY(!it->result)) {
            return true;
        }
    }
    close_walk(it);
    return false;
}

void mica_iter_end(mica_iter *it)
{
    if (it && micai_iter_is_open(it)) {
        close_walk(it);
    }
}

// Reaching the data

static bool is_known(const mica_iter *it)
{
    return it && it->world && it->check == check_of(it->world, it->serial);
}

static void *refuse(const mica_iter *it, uint32_t term, const char *call)
{
    if (!is_known(it)) {
        micai_fail(NULL, MICA_ERROR_ITERATOR, "%s: this is no iteration", call);
        return NULL;
    }
    micai_host *host = &it->world->host;
    // One that was closed behind its back still names a query, which may be gone.
    if (!it->query || !find_walk(it)) {
        micai_fail(host, MICA_ERROR_ITERATOR, "%s: the iteration has ended", call);
        return NULL;
    }
    if (it->count == 0) {
        micai_fail(host, MICA_ERROR_ITERATOR, "%s: there is no segment before mica_iter_next",
                   call);
        return NULL;
    }
    if (term >= it->query->term_count) {
        micai_fail(host, MICA_ERROR_TERM,
                   "%s: there is no term %" PRIu32 "; the query has %" PRIu32, call, term,
                   it->query->term_count);
        return NULL;
    }
    const micai_term *wrong = &it->query->terms[term];
    const char *name = wrong->type->info.name;
    if (wrong->type->info.size == 0) {
        micai_fail(host, MICA_ERROR_TERM, "%s: term %" PRIu32 " ('%s') is a tag and has no values",
                   call, term, name);
    } else if (it->query->readable >> term & 1) {
        micai_fail(host, MICA_ERROR_TERM,
                   "%s: term %" PRIu32 " ('%s') is only read; use mica_read, or declare it "
                   "MICA_WRITE",
                   call, term, name);
    } else {
        micai_fail(host, MICA_ERROR_TERM,
                   "%s: term %" PRIu32 " ('%s') only filters; declare it MICA_READ or MICA_WRITE",
                   call, term, name);
    }
    return NULL;
}

void *mica_iter_refuse(const mica_iter *it, uint32_t term, bool write)
{
    return refuse(it, term, write ? "mica_write" : "mica_read");
}

static void *find_row(const mica_iter *it, uint32_t term, uint32_t row, const char *call)
{
    if (row >= it->count) {
        micai_fail(&it->world->host, MICA_ERROR_ARGUMENT,
                   "%s: row %" PRIu32 " of a segment of %" PRIu32, call, row, it->count);
        return NULL;
    }
    unsigned char *values = it->pointers[term];
    return values ? values + (size_t)row * it->query->terms[term].type->info.size : NULL;
}

const void *mica_read_row(const mica_iter *it, uint32_t term, uint32_t row)
{
    if (!it || !micai_iter_is_open(it) || term >= MICA_TERMS_MAX || !(it->readable >> term & 1)) {
        return refuse(it, term, "mica_read_row");
    }
    return find_row(it, term, row, "mica_read_row");
}

void *mica_write_row(const mica_iter *it, uint32_t term, uint32_t row)
{
    if (!it || !micai_iter_is_open(it) || term >= MICA_TERMS_MAX || !(it->writable >> term & 1)) {
        return refuse(it, term, "mica_write_row");
    }
    return find_row(it, term, row, "mica_write_row");
}

static bool has_size(const mica_iter *it, const char *call, uint32_t term, uint32_t size)
{
    return micai_world_check_size(it->world, call, it->query->terms[term].type, size) == MICA_OK;
}

const void *mica_read_sized(const mica_iter *it, uint32_t term, uint32_t size)
{
    if (!it || !micai_iter_is_open(it) || term >= MICA_TERMS_MAX || !(it->readable >> term & 1)) {
        return mica_iter_refuse(it, term, false);
    }
    return has_size(it, "mica_read_sized", term, size) ? it->pointers[term] : NULL;
}

void *mica_write_sized(const mica_iter *it, uint32_t term, uint32_t size)
{
    if (!it || !micai_iter_is_open(it) || term >= MICA_TERMS_MAX || !(it->writable >> term & 1)) {
        return mica_iter_refuse(it, term, true);
    }
    return has_size(it, "mica_write_sized", term, size) ? it->pointers[term] : NULL;
}
