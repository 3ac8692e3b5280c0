// Tables: their types, then their rows in batches, column by column. section_internal.h has the
// contract.
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "core/restore.h"
#include "entity/change.h"
#include "image/schema_internal.h"
#include "image/section_internal.h"
#include "store/table/replace.h"

// A table of the image.
typedef struct table_state {
    micai_table *table; // loading: where rows go, or NULL
    bool facets;
    bool idle;
    uint32_t owners;       // the column of a facet's owners; UINT32_MAX: no facets
    uint32_t column_count; // without that column
    // For loading:
    uint32_t *columns; // numbers in the schema of types with values
    bool refused;      // the table must have no rows
    mica_type_set set; // the types of the table that the world has
    uint64_t *ticks;   // by column of the table
    uint32_t *filled;  // columns with values that were created
    uint32_t filled_count;
    uint32_t *sparse_tags; // numbers in the schema of tags that are sparse in this world
    uint32_t sparse_tag_count;
} table_state;

// Columns

static uint32_t find_owners(const micai_state *state, const micai_table *table)
{
    return table->facet ? micai_table_column(table, state->registry.hidden) : UINT32_MAX;
}

static void put_column(micai_loading *l, table_state *t, const micai_type *type,
                       const micai_batch *rows, uint64_t tick, uint64_t swept)
{
    micai_cell cell = {t->table, micai_table_column(t->table, type->number), t->table->count};
    micai_load_store(l, cell, type, rows, 0, rows->count, l->values.data);
    micai_replace_sweep_tick(&l->stage.state->store, type, swept);
    t->filled[t->filled_count++] = cell.column;
    t->ticks[cell.column] = tick;
}

// Serializes a column of a batch, with the tick at which its rows were added or moved. Values of a
// type that is sparse in this world go to its pool.
static void serialize_column(micai_archive *a, table_state *t, uint32_t number, uint32_t column,
                             micai_batch *rows)
{
    micai_loading *l = micai_loading_of(a);
    uint64_t tick = l ? 0 : micai_table_own_tick(t->table, column, rows->first);
    uint64_t swept = l ? 0 : micai_table_sweep_tick(t->table, column);
    uint32_t written = number;
    micai_serialize(a, begin_object, NULL);
    micai_serialize(a, type, "type", &written);
    if (written != number) {
        micai_load_fail(l, "a column is in the place of another");
    }
    micai_serialize_tick(a, "tick", &tick);
    micai_serialize_tick(a, "swept", &swept);
    rows->tick = tick > rows->row_tick ? tick : rows->row_tick;
    rows->tick = swept > rows->tick ? swept : rows->tick;
    bool there = micai_serialize_column(a, rows, number, column);
    if (there && micai_schema_is_sparse(a->types[number])) {
        micai_load_add_to_pool(l, a->types[number], rows);
    } else if (there) {
        put_column(l, t, a->types[number], rows, tick, swept);
    }
    micai_serialize(a, end, NULL);
}

static void serialize_columns(micai_archive *a, table_state *t, micai_batch *rows)
{
    uint32_t columns = t->column_count;
    t->filled_count = 0;
    micai_serialize(a, begin_list, "columns", &columns, t->column_count);
    if (columns != t->column_count) {
        micai_load_fail(micai_loading_of(a), "columns are missing");
    }
    for (uint32_t i = 0; i < columns && !a->failed; i++) {
        uint32_t c = a->reading ? 0 : i + 1 + (i + 1 >= t->owners);
        serialize_column(
            a, t, a->reading ? t->columns[i] : a->numbers[t->table->layout.columns[c].type->number],
            c, rows);
    }
    micai_serialize(a, end, "columns");
}

// Rows

static void serialize_owners(micai_archive *a, const table_state *t, const micai_batch *rows)
{
    const micai_saving *s = micai_saving_of(a);
    micai_cell cell = {t->table, t->owners, t->table->count};
    mica_entity owners[MICAI_IMAGE_BATCH];
    for (uint32_t i = 0; s && i < rows->count; i++) {
        cell.row = micai_batch_at(rows, i);
        memcpy(&owners[i], micai_table_at(cell), sizeof owners[i]);
        owners[i] = micai_save_handle(s, owners[i]);
    }
    micai_serialize(a, entities, "owners", owners, rows->count);
    if (!s && !a->failed) {
        a->failed = micai_table_kind(cell.table, cell.column)
                        ->construct(&micai_loading_of(a)->stage.state->store, cell, rows->count,
                                    owners, sizeof *owners);
    }
}

// Reserves rows for a loaded batch, and takes their slots.
static void begin_rows(micai_loading *l, const table_state *t, const micai_batch *rows)
{
    micai_state *staged = l->stage.state;
    micai_load_check(l, micai_table_reserve(&staged->store, t->table, rows->count),
                     "too many rows");
    for (uint32_t i = 0; i < rows->count && !l->r->failed; i++) {
        uint32_t slot = mica_entity_slot(rows->entities[i]);
        if (slot >= staged->slots.limit && slot != MICAI_SLOT_NONE) {
            micai_archive_fail(l->r, MICA_ERROR_LIMIT,
                               "the image has an entity in slot %" PRIu32
                               ", and this world has %" PRIu32 " slots at most",
                               slot, staged->slots.limit);
            return;
        }
        micai_load_check(l, micai_restore_alive(l->r->host, &staged->slots, rows->entities[i]),
                         "an entity is invalid, or occurs twice");
    }
}

// Adds the tags that are sparse in this world to their pools.
static void add_sparse_tags(micai_loading *l, const table_state *t, micai_batch *rows)
{
    rows->tick = rows->row_tick;
    for (uint32_t i = 0; i < rows->count; i++) {
        rows->flags[i] = 0;
        rows->changed[i] = rows->added[i] = rows->row_tick;
    }
    for (uint32_t i = 0; i < t->sparse_tag_count && !l->r->failed; i++) {
        micai_load_add_to_pool(l, l->r->types[t->sparse_tags[i]], rows);
    }
}

static void end_rows(micai_loading *l, table_state *t, micai_batch *rows)
{
    micai_store *store = &l->stage.state->store;
    if (!l->r->failed) {
        assert(t->ticks); // allocated with the table
        t->ticks[0] = rows->row_tick;
        micai_replace_rows(store, t->table, rows->entities, rows->count, t->ticks);
        add_sparse_tags(l, t, rows);
        return;
    }
    for (uint32_t i = 0; i < t->filled_count; i++) {
        micai_cell cell = {t->table, t->filled[i], t->table->count};
        micai_table_kind(cell.table, cell.column)->destruct(store, cell, rows->count);
    }
}

static void serialize_rows(micai_archive *a, micai_batch *rows, void *user)
{
    table_state *t = user;
    if (a->reading) {
        begin_rows(micai_loading_of(a), t, rows);
    }
    if (!a->failed && t->facets) {
        serialize_owners(a, t, rows);
    }
    if (!a->failed) {
        serialize_columns(a, t, rows);
        if (a->reading) {
            end_rows(micai_loading_of(a), t, rows);
        }
    }
}

// Tables

// Notes a type of a loaded table. Numbers of types must ascend.
static void note_type(micai_loading *l, table_state *t, uint32_t number, uint32_t next)
{
    const micai_schema_type *as = &l->schema.types[number];
    const micai_type *type = l->match.types[number];
    bool pooled = type && micai_schema_is_sparse(type);
    if (number < next || as->pooled) {
        micai_load_fail(l, "a table has types that it cannot have");
    }
    if (as->way != MICAI_SCHEMA_NONE) {
        t->columns[t->column_count++] = number;
    } else if (pooled) {
        t->sparse_tags[t->sparse_tag_count++] = number;
    }
    t->refused = t->refused || l->match.refused[number];
    if (!l->r->failed && type && !pooled) {
        micai_load_check(l, micai_types_add(l->r->host, &t->set, type->number), "");
    }
}

// Returns the next type of a saved table, by number.
static uint32_t next_type(const micai_saving *s, const micai_table *table, uint32_t from)
{
    uint32_t n = micai_bits_next(table->words, table->word_count, from);
    return n == s->state->registry.hidden ? micai_bits_next(table->words, table->word_count, n + 1)
                                          : n;
}

static void serialize_types(micai_archive *a, table_state *t)
{
    micai_saving *s = micai_saving_of(a);
    micai_loading *l = micai_loading_of(a);
    uint32_t count = s ? micai_bits_count(t->table->words, t->table->word_count) - t->facets : 0;
    uint32_t next = 0;
    micai_serialize(a, begin_list, "types", &count, a->schema->count);
    if (l) {
        t->columns = micai_archive_alloc(a, &l->arena, 2 * ((size_t)count + 1), sizeof *t->columns);
        t->sparse_tags = t->columns ? t->columns + count : NULL;
    }
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        uint32_t of = s ? next_type(s, t->table, next) : 0;
        uint32_t number = s ? a->numbers[of] : 0;
        micai_serialize(a, type, NULL, &number);
        if (l && !a->failed) {
            note_type(l, t, number, next);
        }
        next = s ? of + 1 : number + 1;
    }
    micai_serialize(a, end, "types");
}

// Adds the hidden type to the set. All tables of facets have it.
static void hide_type(micai_loading *l, mica_type_set *set)
{
    micai_registry *registry = &l->state->registry;
    mica_result result = registry->hidden == MICAI_NOT_HIDDEN
                             ? micai_change_reserve_types(l->world, registry->list.count + 1)
                             : MICA_OK;
    result = result ? result
                    : micai_registry_add_hidden(l->r->host, registry, l->r->call,
                                                (uint32_t)sizeof(mica_entity),
                                                (uint32_t) _Alignof(mica_entity));
    result = result ? result : micai_types_add(l->r->host, set, registry->hidden);
    micai_load_check(l, result, "");
}

// Opens the table for loaded rows. Fails if rows have types that are refused.
static void open_table(micai_loading *l, table_state *t, uint32_t batches)
{
    micai_archive *a = l->r;
    for (uint32_t i = 0; t->refused && batches > 0 && i < t->column_count; i++) {
        (void)micai_load_is_refused(l, t->columns[i]);
    }
    if (t->refused && batches > 0) {
        micai_archive_fail(a, MICA_ERROR_SCHEMA,
                           "entities have a tag in the image that is not registered here");
    }
    if (!a->failed && t->facets) {
        hide_type(l, &t->set);
    }
    if (a->failed || t->refused) {
        return;
    }
    t->table = micai_store_table(&l->stage.state->store, &t->set);
    if (!t->table) {
        a->failed = a->host->failed;
        return;
    }
    uint32_t columns = t->table->layout.column_count;
    t->owners = find_owners(l->state, t->table);
    t->ticks = micai_archive_alloc(a, &l->arena, columns, sizeof *t->ticks);
    t->filled = micai_archive_alloc(a, &l->arena, columns, sizeof *t->filled);
}

static void serialize_table(micai_archive *a, void *item, void *user)
{
    micai_loading *l = micai_loading_of(a);
    micai_table *table = item;
    micai_arena_mark mark = micai_arena_get_mark(micai_arena_of(a));
    table_state t = {0};
    if (table) {
        t = (table_state){.table = table, .facets = table->facet, .idle = table->idle};
        t.owners = find_owners(micai_saving_of(a)->state, table);
        t.column_count = table->layout.column_count - 1u - t.facets;
    }
    micai_serialize(a, begin_object, NULL);
    serialize_types(a, &t);
    micai_serialize(a, flag, "facets", &t.facets);
    micai_serialize(a, flag, "idle", &t.idle);
    uint32_t batches = micai_begin_rows(a, "rows", table, user);
    if (l && !a->failed) {
        open_table(l, &t, batches);
    }
    micai_serialize_rows(a, "rows", batches, user, serialize_rows, &t);
    if (l && !a->failed && t.table) {
        t.table->idle = t.idle && t.table->count == 0 && t.table != l->stage.state->store.root;
    }
    micai_serialize(a, end, NULL);
    micai_types_free(a->host, &t.set);
    micai_arena_rewind(micai_arena_of(a), mark);
}

// Returns the next table to save. A subset contains only tables with selected rows.
static void *next_table(const micai_saving *s, uint32_t *cursor)
{
    const micai_store *store = &s->state->store;
    while (*cursor < store->tables.count) {
        micai_table *table = store->tables.items[(*cursor)++];
        if (!s->subset || micai_save_has_rows(s, table)) {
            return table;
        }
    }
    return NULL;
}

void micai_serialize_tables(micai_archive *a, micai_batch *rows)
{
    const micai_saving *s = micai_saving_of(a);
    micai_loading *l = micai_loading_of(a);
    uint64_t settled = s && !s->subset ? s->state->store.bytes_in_use : 0;
    uint64_t young = s && !s->subset ? s->state->store.new_bytes : 0;
    micai_serialize(a, begin_section, "tables");
    micai_serialize(a, number, "settled", &settled, SIZE_MAX / 2);
    micai_serialize(a, number, "young", &young, SIZE_MAX / 2);
    micai_serialize_list(a, "tables", UINT32_MAX, next_table, serialize_table, rows);
    micai_serialize(a, end_section, "tables");
    if (l) {
        l->stage.state->store.bytes_in_use = (size_t)settled;
        l->stage.state->store.new_bytes = (size_t)young;
    }
    if (l && !a->failed) {
        micai_load_check(l, micai_restore_end(&l->stage.state->slots, l->fresh),
                         "slots are missing");
    }
}
