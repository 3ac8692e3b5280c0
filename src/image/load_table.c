// Loading tables: their types, then their rows, some at a time, column by column.
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "core/revive.h"
#include "entity/locate.h"
#include "entity/plan.h"
#include "image/load_internal.h"
#include "image/schema_internal.h"
#include "store/table/replace.h"

// One table of the image, and where its rows go.
typedef struct table_in {
    micai_table *table; // NULL: to nowhere
    uint32_t *columns;  // numbers in the schema of types that have columns
    uint32_t column_count;
    uint64_t *ticks; // by column of the table
    uint32_t *made;  // columns in which values have been made
    uint32_t made_count;
    uint32_t *marks; // numbers in the schema of tags that are sparse here
    uint32_t mark_count;
    bool facets;
} table_in;

// Rows that come at once.
typedef struct rows_in {
    uint64_t tick;
    uint32_t count;
    mica_entity entities[MICAI_IMAGE_BATCH];
} rows_in;

// What a column of the table has beside values.
static void put_beside(micai_loading *l, micai_cell cell, const micai_type *type, uint32_t count,
                       const micai_beside *b)
{
    if (type->info.toggle) {
        micai_replace_flags(&l->stage.state->store, cell, b->flags, count);
    }
    if (type->info.row_stamps) {
        micai_replace_ticks(cell, b->changed, b->added, count);
    }
}

// A column of rows, which have come or moved at a tick. Of a type that is sparse here, it becomes a part of
// the pool.
static void load_column(micai_loading *l, table_in *t, uint32_t number, rows_in *rows,
                        micai_beside *b)
{
    micai_reader *r = l->r;
    micai_store *store = &l->stage.state->store;
    const micai_type *type = l->match.types[number];
    micai_read(r, begin_object, NULL);
    if (micai_read(r, type, "type") != number) {
        micai_load_fail(l, "a column stands in the place of another");
    }
    uint64_t tick = micai_load_tick(l, "tick");
    uint64_t swept = micai_load_tick(l, "swept");
    size_t size = type ? (size_t)type->info.size * rows->count : 0;
    if (!r->failed && micai_load_reserve(l, &l->values, size)) {
        micai_load_values(r, "values", number, l->values.data, rows->count);
    }
    bool made = !r->failed && type;
    bool pooled = type && micai_schema_is_sparse(type);
    micai_cell cell = {t->table, type && made ? micai_table_column(t->table, type->number) : 0,
                       t->table->count};
    if (made && !pooled) {
        micai_table_kind(cell.table, cell.column)->take(store, cell, l->values.data, rows->count);
        t->made[t->made_count++] = cell.column;
        t->ticks[cell.column] = tick;
    }
    b->tick = tick > rows->tick ? tick : rows->tick;
    b->tick = swept > b->tick ? swept : b->tick;
    if (!r->failed) {
        micai_load_beside(l, number, rows->count, b);
    }
    if (made && pooled) {
        micai_load_join(l, type, rows->entities, rows->count, b);
    } else if (!r->failed && type) {
        put_beside(l, cell, type, rows->count, b);
        micai_replace_sweep_tick(store, type, swept);
    }
    micai_read(r, end, NULL);
}

// Tags of a table that are sparse here.
static void join_marks(micai_loading *l, const table_in *t, rows_in *rows, micai_beside *b)
{
    b->tick = rows->tick;
    for (uint32_t i = 0; i < rows->count; i++) {
        b->flags[i] = 0;
        b->changed[i] = b->added[i] = rows->tick;
    }
    for (uint32_t i = 0; i < t->mark_count && !l->r->failed; i++) {
        micai_load_join(l, l->match.types[t->marks[i]], rows->entities, rows->count, b);
    }
}

static void load_owners(micai_loading *l, table_in *t, uint32_t count)
{
    micai_reader *r = l->r;
    mica_entity owners[MICAI_IMAGE_BATCH];
    micai_store *store = &l->stage.state->store;
    micai_read(r, entities, "owners", owners, count);
    if (!r->failed) {
        micai_cell cell = {t->table, micai_table_column(t->table, l->state->registry.hidden),
                           t->table->count};
        r->failed = micai_table_kind(cell.table, cell.column)
                        ->make(store, cell, count, owners, sizeof *owners);
    }
}

// Room for the rows, and their slots.
static void begin_rows(micai_loading *l, const table_in *t, const rows_in *rows)
{
    micai_state *made = l->stage.state;
    micai_load_take(l, micai_table_reserve(&made->store, t->table, rows->count), "too many rows");
    for (uint32_t i = 0; i < rows->count && !l->r->failed; i++) {
        uint32_t slot = mica_entity_slot(rows->entities[i]);
        if (slot >= made->slots.limit && slot != MICAI_SLOT_NONE) {
            micai_reader_fail(l->r, MICA_ERROR_LIMIT,
                              "the image has an entity in slot %" PRIu32
                              ", and this world has %" PRIu32 " slots at most",
                              slot, made->slots.limit);
            return;
        }
        micai_load_take(l, micai_revive_alive(l->r->host, &made->slots, rows->entities[i]),
                        "an entity is there twice, or cannot be");
    }
}

static void load_columns(micai_loading *l, table_in *t, rows_in *rows, micai_beside *b)
{
    micai_reader *r = l->r;
    t->made_count = 0;
    uint32_t columns = micai_read(r, begin_list, "columns", t->column_count);
    if (!r->failed && columns != t->column_count) {
        micai_load_fail(l, "columns are missing");
    }
    for (uint32_t c = 0; c < columns && !r->failed; c++) {
        load_column(l, t, t->columns[c], rows, b);
    }
    micai_read(r, end, "columns");
}

static void load_rows(micai_loading *l, table_in *t, micai_beside *b)
{
    micai_reader *r = l->r;
    micai_store *store = &l->stage.state->store;
    rows_in rows;
    micai_read(r, begin_object, NULL);
    rows.count = micai_load_count(l);
    rows.tick = micai_load_tick(l, "tick");
    micai_read(r, entities, "entities", rows.entities, rows.count);
    if (!r->failed) {
        begin_rows(l, t, &rows);
    }
    if (!r->failed && t->facets) {
        load_owners(l, t, rows.count);
    }
    load_columns(l, t, &rows, b);
    micai_read(r, end, NULL);
    if (!r->failed) {
        assert(t->ticks); // made with the table
        t->ticks[0] = rows.tick;
        micai_replace_rows(store, t->table, rows.entities, rows.count, t->ticks);
        join_marks(l, t, &rows, b);
        return;
    }
    for (uint32_t i = 0; i < t->made_count; i++) {
        micai_cell cell = {t->table, t->made[i], t->table->count};
        micai_table_kind(cell.table, cell.column)->end(store, cell, rows.count);
    }
}

// The types of a table: those that the world has into the set.
static void load_types(micai_loading *l, table_in *t, mica_types *set, bool *refused_out)
{
    micai_reader *r = l->r;
    uint32_t count = micai_read(r, begin_list, "types", l->schema.count);
    uint32_t next = 0;
    *refused_out = false;
    t->columns = r->failed ? NULL
                           : micai_arena_alloc_array(r->host, &l->arena, 2 * ((size_t)count + 1),
                                                     sizeof *t->columns, _Alignof(uint32_t));
    if (!t->columns && !r->failed) {
        r->failed = MICA_ERROR_MEMORY;
    }
    t->marks = t->columns ? t->columns + count : NULL;
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        uint32_t number = micai_read(r, type, NULL);
        const micai_schema_type *as = &l->schema.types[number];
        const micai_type *type = l->match.types[number];
        bool pooled = type && micai_schema_is_sparse(type);
        if (!r->failed && (number < next || as->pooled)) {
            micai_load_fail(l, "a table has types that it cannot have");
        }
        next = number + 1;
        if (as->way != MICAI_SCHEMA_NONE) {
            t->columns[t->column_count++] = number;
        } else if (pooled) {
            t->marks[t->mark_count++] = number;
        }
        *refused_out = *refused_out || l->match.refused[number];
        if (!r->failed && type && !pooled) {
            micai_load_take(l, micai_types_add(r->host, set, type->number), "");
        }
    }
    micai_read(r, end, "types");
}

// The type that rows of facets have.
static void hide_type(micai_loading *l, mica_types *set)
{
    micai_registry *registry = &l->state->registry;
    mica_result result = registry->hidden == MICAI_NOT_HIDDEN
                             ? micai_plan_reserve_types(l->world, registry->list.count + 1)
                             : MICA_OK;
    result = result ? result
                    : micai_registry_hide(l->r->host, registry, l->r->call,
                                          (uint32_t)sizeof(mica_entity),
                                          (uint32_t) _Alignof(mica_entity));
    result = result ? result : micai_types_add(l->r->host, set, registry->hidden);
    micai_load_take(l, result, "");
}

static void open_table(micai_loading *l, table_in *t, const mica_types *set)
{
    micai_host *host = l->r->host;
    micai_table *table = micai_store_table(&l->stage.state->store, set);
    uint32_t columns = table ? table->layout.column_count : 0;
    t->table = table;
    t->ticks = table ? micai_arena_alloc_array(host, &l->arena, columns, sizeof *t->ticks,
                                               _Alignof(uint64_t))
                     : NULL;
    t->made = t->ticks ? micai_arena_alloc_array(host, &l->arena, columns, sizeof *t->made,
                                                 _Alignof(uint32_t))
                       : NULL;
    if (!t->made) {
        l->r->failed = table ? MICA_ERROR_MEMORY : host->failed;
        return;
    }
    memset(t->ticks, 0, columns * sizeof *t->ticks);
}

static void load_table(micai_loading *l, micai_beside *b)
{
    micai_reader *r = l->r;
    table_in t = {0};
    mica_types set = {0};
    bool refused;
    micai_arena_mark mark = micai_arena_here(&l->arena);
    micai_read(r, begin_object, NULL);
    load_types(l, &t, &set, &refused);
    t.facets = micai_read(r, flag, "facets");
    bool idle = micai_read(r, flag, "idle");
    uint32_t batches = micai_read(r, begin_list, "rows", UINT32_MAX);
    for (uint32_t i = 0; refused && batches > 0 && i < t.column_count; i++) {
        (void)micai_load_is_refused(l, t.columns[i]);
    }
    if (!r->failed && refused && batches > 0) {
        micai_reader_fail(r, MICA_ERROR_SCHEMA,
                          "entities have a tag in the image that is not registered here");
    }
    if (!r->failed && t.facets) {
        hide_type(l, &set);
    }
    if (!r->failed && !refused) {
        open_table(l, &t, &set);
    }
    for (uint32_t i = 0; i < batches && !r->failed; i++) {
        load_rows(l, &t, b);
    }
    if (t.table && !r->failed) {
        t.table->idle = idle && t.table->count == 0 && t.table != l->stage.state->store.root;
    }
    micai_read(r, end, "rows");
    micai_read(r, end, NULL);
    micai_types_free(r->host, &set);
    micai_arena_rewind(&l->arena, mark);
}

void micai_load_tables(micai_loading *l, uint32_t fresh, micai_beside *b)
{
    micai_reader *r = l->r;
    micai_store *store = &l->stage.state->store;
    micai_read(r, begin_section, "tables");
    uint64_t settled = micai_read(r, number, "settled", SIZE_MAX / 2);
    uint64_t young = micai_read(r, number, "young", SIZE_MAX / 2);
    uint32_t count = micai_read(r, begin_list, "tables", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        load_table(l, b);
    }
    micai_read(r, end, "tables");
    micai_read(r, end_section, "tables");
    store->settled = (size_t)settled;
    store->young = (size_t)young;
    if (!r->failed) {
        micai_load_take(l, micai_revive_end(&l->stage.state->slots, fresh), "slots are missing");
    }
}
