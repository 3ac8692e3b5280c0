// Rows of tables and pools, in batches. A pool is a table with an index. section_internal.h has the
// contract.
#include <string.h>

#include "base/number.h"
#include "image/section_internal.h"
#include "store/table/replace.h"

// Building blocks of sections

void micai_serialize_list(micai_archive *a, const char *name, uint32_t max,
                          micai_next_item_fn *next, micai_item_fn *one, void *user)
{
    const micai_saving *s = micai_saving_of(a);
    uint32_t count = 0;
    uint32_t cursor = 0;
    while (s && next(s, &cursor)) {
        count++;
    }
    micai_serialize(a, begin_list, name, &count, max);
    cursor = 0;
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        one(a, s ? next(s, &cursor) : NULL, user);
    }
    micai_serialize(a, end, name);
}

// Serializes the size of a batch, which must not be 0.
static void serialize_count(micai_archive *a, uint32_t *count)
{
    micai_serialize_32(a, "count", count, MICAI_IMAGE_BATCH);
    if (*count == 0) {
        micai_load_fail(micai_loading_of(a), "a batch is empty");
    }
}

void micai_serialize_tick(micai_archive *a, const char *name, uint64_t *tick)
{
    micai_serialize(a, number, name, tick, a->reading ? micai_loading_of(a)->stage.tick : 0);
}

void micai_serialize_entities(micai_archive *a, const char *name, uint32_t count,
                              micai_entities_fn *call, void *user)
{
    mica_entity entities[MICAI_IMAGE_BATCH];
    uint32_t batches = (count + MICAI_IMAGE_BATCH - 1) / MICAI_IMAGE_BATCH;
    micai_serialize(a, begin_list, name, &batches, UINT32_MAX);
    for (uint32_t b = 0; b < batches && !a->failed; b++) {
        uint32_t here = micai_smaller(count - b * MICAI_IMAGE_BATCH, MICAI_IMAGE_BATCH);
        if (!a->reading) {
            call(a, user, entities, here);
        }
        micai_serialize(a, begin_object, NULL);
        serialize_count(a, &here);
        micai_serialize(a, entities, "entities", entities, here);
        micai_serialize(a, end, NULL);
        if (a->reading && !a->failed) {
            call(a, user, entities, here);
        }
    }
    micai_serialize(a, end, name);
}

micai_batch *micai_batch_alloc(micai_archive *a)
{
    micai_batch *rows =
        micai_arena_alloc(a->host, micai_arena_of(a), sizeof *rows, _Alignof(micai_batch));
    if (!rows) {
        micai_archive_fail_memory(a);
    }
    return rows;
}

// Saving: selecting rows

static bool is_saved(const micai_saving *s, const micai_table *table, uint32_t row)
{
    mica_entity entity = micai_table_entity(table, row);
    return !micai_is_hole(entity) && micai_selection_has(s->subset, entity);
}

bool micai_save_has_rows(const micai_saving *s, const micai_table *table)
{
    if (!s->subset || !table->index) {
        return s->subset ? micai_selection_rows(s->subset, table) > 0 : table->count > 0;
    }
    uint32_t row = 0;
    while (row < table->count && !is_saved(s, table, row)) {
        row++;
    }
    return row < table->count;
}

// Selects the next batch of rows that share a tick. Returns false at the end.
static bool next_rows(const micai_saving *s, micai_batch *rows)
{
    const micai_table *table = rows->table;
    rows->count = 0;
    while (rows->next < table->count && rows->count == 0) {
        rows->first = rows->next;
        rows->next += micai_smaller(micai_table_run_length(table, rows->first), rows->most);
        rows->count = s->subset ? 0 : rows->next - rows->first;
        for (uint32_t row = rows->first; s->subset && row < rows->next; row++) {
            rows->numbers[rows->count] = row;
            rows->count += is_saved(s, table, row);
        }
    }
    rows->scattered = s->subset && rows->count > 0;
    if (rows->scattered) {
        rows->first = rows->numbers[0];
        rows->scattered = rows->numbers[rows->count - 1] - rows->first != rows->count - 1;
    }
    return rows->count > 0;
}

// Returns the entities of a batch: in place, or copied if their handles differ in the image or some
// rows are holes.
static mica_entity *list_entities(const micai_saving *s, micai_batch *rows)
{
    const micai_table *table = rows->table;
    rows->values = rows->count;
    if (!s->subset && !(table->index && table->index->hole_count > 0)) {
        return (mica_entity *)micai_table_entities(table, rows->first);
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        mica_entity entity = micai_table_entity(table, micai_batch_at(rows, i));
        bool hole = micai_is_hole(entity);
        rows->values -= hole;
        rows->entities[i] = hole ? (mica_entity){0} : micai_save_handle(s, entity);
    }
    return rows->entities;
}

// Values

static bool is_hole(const micai_batch *rows, uint32_t i)
{
    return rows->values < rows->count && MICA_IS_NONE(rows->entities[i]);
}

// Copies values that are not contiguous, or not whole. Returns NULL on failure.
static void *gather_values(micai_saving *s, const micai_batch *rows, micai_cell cell,
                           const micai_type *type)
{
    size_t size = type->info.size;
    unsigned char *values =
        micai_arena_alloc_array(s->w->host, &s->arena, rows->values, size, type->info.align);
    unsigned char *next = values;
    s->w->failed = values ? MICA_OK : MICA_ERROR_MEMORY;
    for (uint32_t i = 0; i < rows->count && !s->w->failed; i++) {
        if (is_hole(rows, i)) {
            continue;
        }
        cell.row = micai_batch_at(rows, i);
        const void *value = micai_table_kind(cell.table, cell.column)->read(cell).data;
        if (value) {
            memcpy(next, value, size);
        } else {
            s->w->failed =
                micai_table_kind(cell.table, cell.column)->load(&s->state->store, cell, next);
        }
        next += size;
    }
    return s->w->failed ? NULL : values;
}

static void write_values(micai_saving *s, const micai_batch *rows, const micai_type *type,
                         uint32_t column)
{
    uint32_t count = rows->values;
    micai_cell cell = {rows->table, column, rows->first};
    micai_span side = micai_table_kind(cell.table, column)->read(cell);
    if (side.data && side.count >= rows->count && count == rows->count && !rows->scattered) {
        micai_save_values(s->w, "values", type, side.data, count);
        // types with hooks are stored whole
    } else if (micai_save_described(s, type)->way == MICAI_SCHEMA_HOOKS) {
        micai_serialize(s->w, begin_list, "values", &count, UINT32_MAX);
        for (uint32_t i = 0; i < rows->count; i++) {
            if (!is_hole(rows, i)) {
                cell.row = micai_batch_at(rows, i);
                micai_save_by_hook(s, type, micai_table_at(cell));
            }
        }
        micai_serialize(s->w, end, "values");
    } else if (!s->w->failed) {
        micai_arena_mark mark = micai_arena_get_mark(&s->arena);
        const void *values = gather_values(s, rows, cell, type);
        if (values) {
            micai_save_values(s->w, "values", type, values, count);
        }
        micai_arena_rewind(&s->arena, mark);
    }
}

static void read_values(micai_loading *l, const micai_batch *rows, uint32_t number)
{
    const micai_type *type = l->r->types[number];
    size_t size = type ? (size_t)type->info.size * rows->values : 0;
    if (!l->r->failed && micai_load_reserve(l, &l->values, size)) {
        micai_load_values(l->r, "values", number, l->values.data, rows->values);
    }
}

// Flags and ticks

static void list_flags(micai_batch *rows, const micai_type *type, uint32_t column)
{
    micai_cell cell = {rows->table, column, rows->first};
    const unsigned char *flags = type->info.toggle ? micai_toggle_flags(cell) : NULL;
    for (uint32_t i = 0; flags && i < rows->count; i++) {
        rows->flags[i] = flags[micai_batch_at(rows, i) - rows->first];
    }
    for (uint32_t i = 0; type->info.row_stamps && i < rows->count; i++) {
        cell.row = micai_batch_at(rows, i);
        micai_ticks ticks = is_hole(rows, i) ? (micai_ticks){0} : micai_ticks_get(cell);
        rows->changed[i] = ticks.changed;
        rows->added[i] = ticks.added;
    }
}

// Fills in flags and ticks that the image does not have, and checks the others. Holes have none.
static void check_flags(micai_loading *l, micai_batch *rows, const micai_schema_type *as,
                        const micai_type *type)
{
    if (!as->toggle) {
        memset(rows->flags, 0, rows->count);
    }
    if (!as->row_stamps && !as->toggle && !(type && type->info.row_stamps)) {
        return; // no one reads them
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        if (!as->row_stamps) {
            rows->changed[i] = rows->added[i] = rows->tick;
        } else if (rows->added[i] > rows->changed[i] || rows->changed[i] > rows->tick) {
            micai_load_fail(l, "a tick is invalid");
            return;
        }
        if (rows->flags[i] && type && !type->info.toggle) {
            micai_archive_fail(l->r, MICA_ERROR_SCHEMA,
                               "a value of '%.80s' is disabled in the image, and cannot be here",
                               type->info.name);
            return;
        }
        if (is_hole(rows, i)) {
            rows->flags[i] = 0;
            rows->changed[i] = rows->added[i] = 0;
        }
    }
}

// Both directions

bool micai_serialize_column(micai_archive *a, micai_batch *rows, uint32_t number, uint32_t column)
{
    micai_saving *s = micai_saving_of(a);
    micai_loading *l = micai_loading_of(a);
    const micai_schema_type *as = &a->schema->types[number];
    const micai_type *type = a->types[number];
    if (s && as->way != MICAI_SCHEMA_NONE) {
        write_values(s, rows, type, column);
    } else if (as->way != MICAI_SCHEMA_NONE) {
        read_values(l, rows, number);
    }
    bool there = l && type && !a->failed;
    if (s) {
        list_flags(rows, type, column);
    }
    if (as->toggle) {
        micai_serialize(a, flags, "disabled", rows->flags, rows->count);
    }
    if (as->row_stamps) {
        micai_serialize(a, numbers, "changed", rows->changed, rows->count);
        micai_serialize(a, numbers, "added", rows->added, rows->count);
    }
    if (l && !a->failed) {
        check_flags(l, rows, as, type);
    }
    if (there && a->failed) {
        micai_load_discard(l, type, l->values.data, rows->values);
    }
    return there && !a->failed;
}

static void serialize_batch(micai_archive *a, micai_batch *rows, micai_rows_fn *call, void *user)
{
    const micai_saving *s = micai_saving_of(a);
    mica_entity *entities = rows->entities;
    if (s) {
        const micai_table *table = rows->table;
        uint32_t end;
        next_rows(s, rows);
        entities = list_entities(s, rows);
        // the tick of a pool covers its values, too
        rows->row_tick = table->index ? micai_table_tick(table, table->layout.column_count - 1u,
                                                         rows->first, &end)
                                      : micai_table_own_tick(table, 0, rows->first);
    }
    micai_serialize(a, begin_object, NULL);
    serialize_count(a, &rows->count);
    micai_serialize_tick(a, "tick", &rows->row_tick);
    micai_serialize(a, entities, "entities", entities, rows->count);
    rows->values = s ? rows->values : rows->count;
    if (!a->failed) {
        call(a, rows, user);
    }
    micai_serialize(a, end, NULL);
}

uint32_t micai_image_largest(const micai_table *table)
{
    uint32_t largest = 0;
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        uint32_t size = micai_column_value_size(&table->layout.columns[c]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

uint32_t micai_begin_rows(micai_archive *a, const char *name, micai_table *table, micai_batch *rows)
{
    uint32_t batches = 0;
    rows->table = table;
    rows->next = 0;
    rows->most = table ? micai_image_rows(micai_image_largest(table)) : 0;
    while (table && next_rows(micai_saving_of(a), rows)) {
        batches++;
    }
    rows->next = 0;
    micai_serialize(a, begin_list, name, &batches, UINT32_MAX);
    return batches;
}

void micai_serialize_rows(micai_archive *a, const char *name, uint32_t batches, micai_batch *rows,
                          micai_rows_fn *call, void *user)
{
    for (uint32_t b = 0; b < batches && !a->failed; b++) {
        serialize_batch(a, rows, call, user);
    }
    micai_serialize(a, end, name);
}

// Loading: storing rows

void micai_load_store(micai_loading *l, micai_cell cell, const micai_type *type,
                      const micai_batch *rows, uint32_t first, uint32_t count,
                      unsigned char *values)
{
    micai_store *store = &l->stage.state->store;
    for (uint32_t i = 0, some = count; i < count && type->info.size > 0; i += some + 1) {
        if (rows->values < rows->count) {
            some = 0;
            while (i + some < count && !is_hole(rows, first + i + some)) {
                some++;
            }
        }
        if (some > 0) {
            micai_table_kind(cell.table, cell.column)
                ->take(store, (micai_cell){cell.table, cell.column, cell.row + i}, values, some);
            values += (size_t)some * type->info.size;
        }
    }
    if (type->info.toggle) {
        micai_replace_flags(store, cell, rows->flags + first, count);
    }
    if (type->info.row_stamps) {
        micai_replace_ticks(cell, rows->changed + first, rows->added + first, count);
    }
}

void micai_load_discard(micai_loading *l, const micai_type *type, void *values, uint32_t count)
{
    if (type->info.size > 0) {
        micai_hook_destruct(&l->state->gate, type, values, count);
    }
}
