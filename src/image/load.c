// Loading: what an image has is read, checked and made on a stage, and then takes the place of what the
// world has. image.h has the order.
#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <mica/image.h>

#include "base/canary.h"
#include "core/revive.h"
#include "image/codec.h"
#include "image/image.h"
#include "image/match.h"
#include "image/schema.h"
#include "store/pool/replace.h"
#include "store/table/replace.h"
#include "world/plan.h"

// Memory for values on their way.
typedef struct scratch {
    unsigned char *data;
    size_t size;
} scratch;

#define SCRATCH_ALIGN MICA_TYPE_ALIGN_MAX // of whatever type they are

typedef struct loading {
    micai_reader *r;
    mica_world *world;
    micai_core *core;
    const mica_load_desc *desc;
    micai_stage stage;
    micai_arena arena;
    micai_schema schema;
    micai_matcher matcher;
    micai_match match;
    scratch source;   // in the image's layout
    scratch values;   // in that of memory
    void *waiting[8]; // of savers
} loading;

void micai_reader_fail(micai_reader *r, mica_result code, const char *format, ...)
{
    char text[200];
    char where[MICAI_WHERE_SIZE] = "";
    if (r->failed) {
        return;
    }
    if (r->decoder->where) {
        r->decoder->where(r, where);
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    r->failed = micai_fail(r->host, code, "%s: %s%s", r->call, where, text);
}

static void fail(loading *l, const char *what)
{
    micai_reader_fail(l->r, MICA_ERROR_IMAGE, "the image is damaged: %s", what);
}

// A result that has been reported, unless it says that the image cannot be.
static bool take(loading *l, mica_result result, const char *what)
{
    if (result == MICA_ERROR_CORRUPT) {
        fail(l, what);
    } else if (result && !l->r->failed) {
        l->r->failed = result;
    }
    return !l->r->failed;
}

static bool reserve_scratch(loading *l, scratch *memory, size_t size)
{
    if (size > memory->size) {
        micai_release(l->r->host, memory->data, memory->size, SCRATCH_ALIGN);
        memory->size = 0;
        memory->data = micai_alloc(l->r->host, size, SCRATCH_ALIGN);
        memory->size = memory->data ? size : 0;
        if (!memory->data) {
            l->r->failed = l->r->failed ? l->r->failed : MICA_ERROR_MEMORY;
        }
    }
    return !l->r->failed;
}

static uint64_t read_tick(loading *l, const char *name)
{
    return micai_read(l->r, number, name, l->stage.tick);
}

// How many things of a batch.
static uint32_t read_count(loading *l)
{
    uint32_t count = (uint32_t)micai_read(l->r, number, "count", MICAI_IMAGE_BATCH);
    if (!l->r->failed && count == 0) {
        fail(l, "something comes in no pieces");
    }
    return l->r->failed ? 0 : count;
}

// Values

static void load_by_hook(loading *l, const char *name, const micai_type *type,
                         unsigned char *values, uint32_t count)
{
    micai_reader *r = l->r;
    uint32_t listed = micai_read(r, begin_list, name, count);
    uint32_t made = 0;
    if (!r->failed && listed != count) {
        fail(l, "values are missing");
    }
    while (made < count && !r->failed) {
        uint32_t size;
        const unsigned char *data = micai_read(r, bytes, NULL, &size);
        if (!r->failed && type) {
            void *value = values + (size_t)made * type->info.size;
            r->failed = micai_hook_load(&l->core->gate, type, value, data, size);
        }
        made += !r->failed;
    }
    micai_read(r, end, name);
    if (r->failed && type) {
        micai_hook_destruct(&l->core->gate, type, values, made);
    }
}

static void make_values(loading *l, const micai_type *type, const micai_plan_in *plan,
                        unsigned char *values, uint32_t count)
{
    micai_gate *gate = &l->core->gate;
    bool made = !micai_plan_in_is_same(plan) || type->info.hooks.construct;
    if (MICAI_CANARY("image.default")) {
        made = false;
    }
    l->r->failed = made ? micai_hook_construct(gate, type, values, count) : MICA_OK;
    if (!l->r->failed && !micai_convert_in(l->r, plan, l->source.data, values, count) && made) {
        micai_hook_destruct(gate, type, values, count);
    }
}

// Of a type that the world has not, values are passed over.
static void load_values(micai_reader *r, const char *name, uint32_t number, void *values,
                        uint32_t count)
{
    loading *l = r->user;
    const micai_schema_type *as = &r->schema->types[number];
    const micai_type *type = r->types[number];
    if (as->way == MICAI_SCHEMA_HOOKS) {
        load_by_hook(l, name, type, values, count);
        return;
    }
    if (!l->match.plans[number] && type) {
        fail(l, "there are values of a type that has none");
        return;
    }
    if (count > 1 && (uint64_t)as->size * count > MICAI_IMAGE_BATCH_SIZE) {
        fail(l, "values come in pieces that are too large");
    }
    if (!r->failed && reserve_scratch(l, &l->source, (size_t)as->size * count)) {
        micai_read(r, values, name, as, l->source.data, count);
    }
    if (!r->failed && type && count > 0) {
        make_values(l, type, l->match.plans[number], values, count);
    }
}

static bool is_refused(loading *l, uint32_t number)
{
    if (!l->r->failed && l->match.refused[number]) {
        micai_reader_fail(l->r, MICA_ERROR_SCHEMA,
                          "the image has '%.80s', which is not registered here",
                          l->schema.types[number].name);
    }
    return l->r->failed != MICA_OK;
}

// What comes beside the values of a batch: flags, and ticks of each.
typedef struct beside {
    uint64_t tick; // of all of them
    unsigned char flags[MICAI_IMAGE_BATCH];
    uint64_t changed[MICAI_IMAGE_BATCH];
    uint64_t added[MICAI_IMAGE_BATCH];
} beside;

static void load_beside(loading *l, uint32_t number, uint32_t count, beside *b)
{
    micai_reader *r = l->r;
    const micai_schema_type *as = &l->schema.types[number];
    const micai_type *type = l->match.types[number];
    if (as->toggle) {
        micai_read(r, flags, "disabled", b->flags, count);
    } else {
        memset(b->flags, 0, count);
    }
    if (as->row_stamps) {
        micai_read(r, numbers, "changed", b->changed, count);
        micai_read(r, numbers, "added", b->added, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!as->row_stamps) {
            b->changed[i] = b->added[i] = b->tick;
        } else if (b->added[i] > b->changed[i] || b->changed[i] > b->tick) {
            fail(l, "a tick cannot be");
            return;
        }
        if (b->flags[i] && type && !type->info.toggle) {
            micai_reader_fail(r, MICA_ERROR_SCHEMA,
                              "a value of '%.80s' is disabled in the image, and cannot be here",
                              type->info.name);
            return;
        }
    }
}

// Entities

static bool load_floors(loading *l)
{
    micai_reader *r = l->r;
    micai_slots *slots = &l->stage.core->slots;
    uint32_t count = micai_read(r, begin_list, "floors", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        micai_read(r, begin_object, NULL);
        uint32_t first = (uint32_t)micai_read(r, number, "first", UINT32_MAX);
        uint32_t slots_there = (uint32_t)micai_read(r, number, "count", UINT32_MAX);
        uint32_t floor = (uint32_t)micai_read(r, number, "floor", UINT32_MAX);
        micai_read(r, end, NULL);
        if (!r->failed) {
            take(l, micai_revive_floor(r->host, slots, first, slots_there, floor),
                 "slots begin where none can be");
        }
    }
    micai_read(r, end, "floors");
    return !r->failed;
}

static void load_free(loading *l)
{
    micai_reader *r = l->r;
    mica_entity entities[MICAI_IMAGE_BATCH];
    uint32_t last = MICAI_SLOT_NONE;
    uint32_t batches = micai_read(r, begin_list, "free", UINT32_MAX);
    for (uint32_t b = 0; b < batches && !r->failed; b++) {
        micai_read(r, begin_object, NULL);
        uint32_t count = read_count(l);
        micai_read(r, entities, "entities", entities, count);
        micai_read(r, end, NULL);
        for (uint32_t i = 0; i < count && !r->failed; i++) {
            take(l, micai_revive_free(r->host, &l->stage.core->slots, entities[i], &last),
                 "a slot that is free cannot be");
        }
    }
    micai_read(r, end, "free");
}

// Which slot will be the next that was never used.
static uint32_t load_slots(loading *l)
{
    micai_reader *r = l->r;
    micai_read(r, begin_section, "entities");
    uint32_t fresh = (uint32_t)micai_read(r, number, "fresh", UINT32_MAX);
    load_floors(l);
    uint32_t count = micai_read(r, begin_list, "retired", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        uint32_t slot = (uint32_t)micai_read(r, number, NULL, UINT32_MAX);
        if (!r->failed) {
            take(l, micai_revive_retired(r->host, &l->stage.core->slots, slot),
                 "a slot that is retired cannot be");
        }
    }
    micai_read(r, end, "retired");
    load_free(l);
    r->decoder->end_section(r);
    return fresh;
}

// Tables

// One table of the image, and where its rows go.
typedef struct table_in {
    micai_table *table; // NULL: to nowhere
    uint32_t *columns;  // numbers in the schema of types that have columns
    uint32_t column_count;
    uint64_t *ticks; // by column of the table
    uint32_t *made;  // columns in which values have been made
    uint32_t made_count;
    bool facets;
} table_in;

static void load_column(loading *l, table_in *t, uint32_t number, uint32_t count, uint64_t moved,
                        beside *b)
{
    micai_reader *r = l->r;
    micai_store *store = &l->stage.core->store;
    const micai_type *type = l->match.types[number];
    micai_read(r, begin_object, NULL);
    if (micai_read(r, type, "type") != number) {
        fail(l, "a column stands in the place of another");
    }
    uint64_t tick = read_tick(l, "tick");
    uint64_t swept = read_tick(l, "swept");
    size_t size = type ? (size_t)type->info.size * count : 0;
    if (!r->failed && reserve_scratch(l, &l->values, size)) {
        load_values(r, "values", number, l->values.data, count);
    }
    if (!r->failed && type) {
        micai_cell cell = {t->table, micai_table_column(t->table, type->number), t->table->count};
        micai_table_kind(cell.table, cell.column)->take(store, cell, l->values.data, count);
        t->made[t->made_count++] = cell.column;
        t->ticks[cell.column] = tick;
    }
    b->tick = tick > moved ? tick : moved;
    b->tick = swept > b->tick ? swept : b->tick;
    if (!r->failed) {
        load_beside(l, number, count, b);
    }
    if (!r->failed && type) {
        micai_cell cell = {t->table, micai_table_column(t->table, type->number), t->table->count};
        if (type->info.toggle) {
            micai_replace_flags(store, cell, b->flags, count);
        }
        if (type->info.row_stamps) {
            micai_replace_ticks(cell, b->changed, b->added, count);
        }
        micai_replace_sweep_tick(store, type, swept);
    }
    micai_read(r, end, NULL);
}

static void load_owners(loading *l, table_in *t, uint32_t count)
{
    micai_reader *r = l->r;
    mica_entity owners[MICAI_IMAGE_BATCH];
    micai_store *store = &l->stage.core->store;
    micai_read(r, entities, "owners", owners, count);
    if (!r->failed) {
        micai_cell cell = {t->table, micai_table_column(t->table, l->core->registry.hidden),
                           t->table->count};
        r->failed = micai_table_kind(cell.table, cell.column)
                        ->make(store, cell, count, owners, sizeof *owners);
    }
}

// Room for the rows, and their slots.
static void begin_rows(loading *l, const table_in *t, const mica_entity *entities, uint32_t count)
{
    micai_core *made = l->stage.core;
    take(l, micai_table_reserve(&made->store, t->table, count), "too many rows");
    for (uint32_t i = 0; i < count && !l->r->failed; i++) {
        take(l, micai_revive_alive(l->r->host, &made->slots, entities[i]),
             "an entity is there twice, or cannot be");
    }
}

static void load_rows(loading *l, table_in *t, beside *b)
{
    micai_reader *r = l->r;
    mica_entity entities[MICAI_IMAGE_BATCH];
    micai_read(r, begin_object, NULL);
    uint32_t count = read_count(l);
    uint64_t moved = read_tick(l, "tick");
    micai_read(r, entities, "entities", entities, count);
    if (!r->failed) {
        begin_rows(l, t, entities, count);
    }
    if (!r->failed && t->facets) {
        load_owners(l, t, count);
    }
    t->made_count = 0;
    uint32_t columns = micai_read(r, begin_list, "columns", t->column_count);
    if (!r->failed && columns != t->column_count) {
        fail(l, "columns are missing");
    }
    for (uint32_t c = 0; c < columns && !r->failed; c++) {
        load_column(l, t, t->columns[c], count, moved, b);
    }
    micai_read(r, end, "columns");
    micai_read(r, end, NULL);
    micai_store *store = &l->stage.core->store;
    if (!r->failed) {
        t->ticks[0] = moved;
        micai_replace_rows(store, t->table, entities, count, t->ticks);
        return;
    }
    for (uint32_t i = 0; i < t->made_count; i++) {
        micai_cell cell = {t->table, t->made[i], t->table->count};
        micai_table_kind(cell.table, cell.column)->end(store, cell, count);
    }
}

// The types of a table: those that the world has into the set.
static void load_types(loading *l, table_in *t, mica_types *set, bool *refused_out)
{
    micai_reader *r = l->r;
    uint32_t count = micai_read(r, begin_list, "types", l->schema.count);
    uint32_t next = 0;
    *refused_out = false;
    t->columns = r->failed ? NULL
                           : micai_arena_alloc_array(r->host, &l->arena, count + (size_t)1,
                                                     sizeof *t->columns, _Alignof(uint32_t));
    if (!t->columns && !r->failed) {
        r->failed = MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        uint32_t number = micai_read(r, type, NULL);
        const micai_schema_type *as = &l->schema.types[number];
        const micai_type *type = l->match.types[number];
        if (!r->failed && (number < next || as->pooled)) {
            fail(l, "a table has types that it cannot have");
        }
        next = number + 1;
        if (as->way != MICAI_SCHEMA_NONE) {
            t->columns[t->column_count++] = number;
        }
        *refused_out = *refused_out || l->match.refused[number];
        if (!r->failed && type) {
            take(l, micai_types_add(r->host, set, type->number), "");
        }
    }
    micai_read(r, end, "types");
}

// The type that rows of facets have.
static void hide_type(loading *l, mica_types *set)
{
    micai_registry *registry = &l->core->registry;
    mica_result result = registry->hidden == MICAI_NOT_HIDDEN
                             ? micai_plan_reserve_types(l->world, registry->list.count + 1)
                             : MICA_OK;
    result = result ? result
                    : micai_registry_hide(l->r->host, registry, l->r->call,
                                          (uint32_t)sizeof(mica_entity),
                                          (uint32_t) _Alignof(mica_entity));
    result = result ? result : micai_types_add(l->r->host, set, registry->hidden);
    take(l, result, "");
}

static void open_table(loading *l, table_in *t, const mica_types *set)
{
    micai_host *host = l->r->host;
    micai_table *table = micai_store_table(&l->stage.core->store, set);
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

static void load_table(loading *l, beside *b)
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
        (void)is_refused(l, t.columns[i]);
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
        t.table->idle = idle && t.table->count == 0 && t.table != l->stage.core->store.root;
    }
    micai_read(r, end, "rows");
    micai_read(r, end, NULL);
    micai_types_free(r->host, &set);
    micai_arena_rewind(&l->arena, mark);
}

static void load_tables(loading *l, uint32_t fresh, beside *b)
{
    micai_reader *r = l->r;
    micai_store *store = &l->stage.core->store;
    micai_read(r, begin_section, "tables");
    uint64_t settled = micai_read(r, number, "settled", SIZE_MAX / 2);
    uint64_t young = micai_read(r, number, "young", SIZE_MAX / 2);
    uint32_t count = micai_read(r, begin_list, "tables", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        load_table(l, b);
    }
    micai_read(r, end, "tables");
    r->decoder->end_section(r);
    store->settled = (size_t)settled;
    store->young = (size_t)young;
    if (!r->failed) {
        take(l, micai_revive_end(&l->stage.core->slots, fresh), "slots are missing");
    }
}

// Pools

static void check_alive(loading *l, const mica_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count && !l->r->failed; i++) {
        if (!mica_entity_is_none(entities[i]) &&
            !micai_slots_find(&l->stage.core->slots, entities[i])) {
            fail(l, "an entity that is not there has a component");
        }
    }
}

// What is not stable has no holes: `count` entities become fewer, and what is beside them.
static uint32_t close_up(mica_entity *entities, beside *b, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!mica_entity_is_none(entities[i])) {
            entities[kept] = entities[i];
            b->flags[kept] = b->flags[i];
            b->changed[kept] = b->changed[i];
            b->added[kept++] = b->added[i];
        }
    }
    return kept;
}

// Values that lie side by side into the places of those whom they belong to.
static void place_values(loading *l, micai_pool *pool, const mica_entity *entities, uint32_t count)
{
    unsigned char *value = l->values.data;
    for (uint32_t i = 0; i < count && pool->view.size > 0;) {
        uint32_t block = UINT32_C(1) << pool->view.block_shift;
        uint32_t place = pool->count + i;
        uint32_t room = block - (place & (block - 1));
        uint32_t some = 0;
        while (i + some < count && some < room && !mica_entity_is_none(entities[i + some])) {
            some++;
        }
        if (some > 0) {
            micai_hook_relocate(&l->core->gate, pool->type, micai_pool_value(pool, place), value,
                                some);
        }
        value += (size_t)some * pool->view.size;
        i += some > 0 ? some : 1;
    }
}

static void load_places(loading *l, uint32_t number, micai_pool *pool, beside *b)
{
    micai_reader *r = l->r;
    mica_entity entities[MICAI_IMAGE_BATCH];
    const micai_type *type = l->match.types[number];
    micai_read(r, begin_object, NULL);
    uint32_t count = read_count(l);
    b->tick = read_tick(l, "tick");
    micai_read(r, entities, "entities", entities, count);
    check_alive(l, entities, count);
    uint32_t values = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool hole = mica_entity_is_none(entities[i]);
        values += !hole;
        if (hole && !l->schema.types[number].stable && !r->failed) {
            fail(l, "there is a hole where there can be none");
        }
    }
    bool any = l->schema.types[number].way != MICAI_SCHEMA_NONE;
    if (!r->failed && any &&
        reserve_scratch(l, &l->values, type ? (size_t)type->info.size * values : 0)) {
        load_values(r, "values", number, l->values.data, values);
    }
    bool made = !r->failed && any && type;
    if (!r->failed) {
        load_beside(l, number, count, b);
    }
    micai_read(r, end, NULL);
    if (!r->failed && pool) {
        count = type->info.stable ? count : close_up(entities, b, count);
        take(l, micai_pool_reserve_revival(&l->stage.core->pools, pool, entities, count),
             "an entity has a component twice");
    }
    if (!r->failed && pool) {
        place_values(l, pool, entities, count);
        micai_pool_revive(
            &l->stage.core->pools, pool,
            &(micai_revival){entities, count, b->tick, b->flags, b->changed, b->added});
    } else if (made && r->failed) {
        micai_hook_destruct(&l->core->gate, type, l->values.data, values);
    }
}

// Holes are listed in no more memory than they have been read with.
static void load_holes(loading *l, micai_pool *pool)
{
    micai_reader *r = l->r;
    uint32_t most = pool ? pool->hole_count : UINT32_MAX;
    uint32_t count = micai_read(r, begin_list, "holes", UINT32_MAX);
    bool wanted = pool && pool->type->info.stable;
    if (!r->failed && wanted && count != most) {
        fail(l, "there are other holes");
    }
    micai_arena_mark mark = micai_arena_here(&l->arena);
    uint64_t *holes = NULL;
    if (!r->failed && wanted) {
        holes =
            micai_arena_alloc_array(r->host, &l->arena, count, sizeof *holes, _Alignof(uint64_t));
        r->failed = holes ? MICA_OK : MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        uint64_t hole = micai_read(r, number, NULL, UINT32_MAX);
        if (holes) {
            holes[i] = hole;
        }
    }
    micai_read(r, end, "holes");
    if (!r->failed && wanted && !micai_pool_revive_holes(pool, holes, count)) {
        fail(l, "there are other holes");
    }
    micai_arena_rewind(&l->arena, mark);
}

static void load_pool(loading *l, beside *b)
{
    micai_reader *r = l->r;
    micai_pool *pool = NULL;
    micai_read(r, begin_object, NULL);
    uint32_t number = micai_read(r, type, "type");
    const micai_type *type = r->failed || is_refused(l, number) ? NULL : l->match.types[number];
    if (!r->failed && !l->schema.types[number].pooled) {
        fail(l, "there is a pool of what is in tables");
    }
    if (!r->failed && type) {
        pool = micai_pools_open(&l->stage.core->pools, type);
        r->failed = pool ? MICA_OK : MICA_ERROR_MEMORY;
    }
    if (!r->failed && pool && pool->count > 0) {
        fail(l, "there are two pools of a type");
    }
    uint32_t batches = micai_read(r, begin_list, "places", UINT32_MAX);
    for (uint32_t i = 0; i < batches && !r->failed; i++) {
        load_places(l, number, pool, b);
    }
    micai_read(r, end, "places");
    load_holes(l, pool);
    micai_read(r, end, NULL);
}

static void load_pools(loading *l, beside *b)
{
    micai_reader *r = l->r;
    micai_read(r, begin_section, "pools");
    uint32_t count = micai_read(r, begin_list, "pools", l->schema.count);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        load_pool(l, b);
    }
    micai_read(r, end, "pools");
    r->decoder->end_section(r);
    if (!r->failed) {
        take(l,
             micai_pools_reserve_exchange(&l->core->pools, &l->stage.core->pools, l->core->seal,
                                          l->stage.tick),
             "");
    }
}

// Groups

// A list of types, as far as a group can have them; those that are not there make it none.
static uint32_t load_group_types(loading *l, const char *name, const micai_type **types_out)
{
    micai_reader *r = l->r;
    uint32_t count = micai_read(r, begin_list, name, 2 * MICA_GROUP_TYPES_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        types_out[i] = l->match.types[micai_read(r, type, NULL)];
    }
    micai_read(r, end, name);
    return r->failed ? 0 : count;
}

static const micai_group *find_group(const loading *l, const micai_type *const *with,
                                     uint32_t needed, const micai_type *const *without,
                                     uint32_t forbidden)
{
    const micai_groups *groups = &l->core->pools.groups;
    for (uint32_t n = 0; n < groups->list.count; n++) {
        const micai_group *group = groups->list.items[n];
        bool same = group && group->index && group->needed_count == needed &&
                    group->pool_count == needed + forbidden;
        for (uint32_t i = 0; same && i < group->pool_count; i++) {
            same = group->pools[i]->type == (i < needed ? with[i] : without[i - needed]);
        }
        if (same) {
            return group;
        }
    }
    return NULL;
}

static void load_order(loading *l, const micai_group *group)
{
    micai_reader *r = l->r;
    micai_arena_mark mark = micai_arena_here(&l->arena);
    micai_group *twin =
        group ? micai_groups_twin(&l->core->pools, &l->stage.core->pools, group) : NULL;
    uint32_t most = twin ? twin->index->count : 0;
    mica_entity *order =
        twin && !r->failed
            ? micai_arena_alloc_array(r->host, &l->arena, most + (size_t)MICAI_IMAGE_BATCH,
                                      sizeof *order, _Alignof(mica_entity))
            : NULL;
    if (twin && !order && !r->failed) {
        r->failed = MICA_ERROR_MEMORY;
    }
    mica_entity past[MICAI_IMAGE_BATCH];
    uint32_t batches = micai_read(r, begin_list, "order", UINT32_MAX);
    uint32_t total = 0;
    for (uint32_t b = 0; b < batches && !r->failed; b++) {
        micai_read(r, begin_object, NULL);
        uint32_t count = read_count(l);
        bool kept = order && total <= most;
        micai_read(r, entities, "entities", kept ? order + total : past, count);
        total = kept ? total + count : most + 1;
        micai_read(r, end, NULL);
    }
    micai_read(r, end, "order");
    if (MICAI_CANARY("image.order")) {
        total = most + 1;
    }
    if (!r->failed && order && total == most) {
        (void)micai_group_reorder(twin, order, total); // of others than it has, there is no order
    }
    micai_arena_rewind(&l->arena, mark);
}

static void load_groups(loading *l)
{
    micai_reader *r = l->r;
    micai_read(r, begin_section, "groups");
    uint32_t count = micai_read(r, begin_list, "groups", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        const micai_type *with[2 * MICA_GROUP_TYPES_MAX];
        const micai_type *without[2 * MICA_GROUP_TYPES_MAX];
        micai_read(r, begin_object, NULL);
        uint32_t needed = load_group_types(l, "with", with);
        uint32_t forbidden = load_group_types(l, "without", without);
        load_order(l, r->failed ? NULL : find_group(l, with, needed, without, forbidden));
        micai_read(r, end, NULL);
    }
    micai_read(r, end, "groups");
    r->decoder->end_section(r);
}

// What is kept by entity

// The table that a living entity of the stage is in; NULL: it is not alive.
static micai_table *table_of(const loading *l, mica_entity entity, micai_row *row_out)
{
    const micai_record *record = micai_slots_find(&l->stage.core->slots, entity);
    if (!record) {
        return NULL;
    }
    *row_out = micai_row_of(&l->stage.core->store, record);
    return micai_row_table(*row_out);
}

static void load_facet(loading *l)
{
    micai_reader *r = l->r;
    micai_read(r, begin_object, NULL);
    mica_entity facet = micai_read(r, entity, "facet");
    uint32_t component = MICAI_FACET_NONE;
    if (micai_read(r, flag, "has_component")) {
        uint32_t number = micai_read(r, type, "component");
        const micai_type *type = r->failed ? NULL : l->match.types[number];
        if (!r->failed && !type) {
            micai_reader_fail(r, MICA_ERROR_SCHEMA, "facets belong to '%.80s', which is not here",
                              l->schema.types[number].name);
        }
        component = type ? type->number : component;
    }
    uint32_t role = (uint32_t)micai_read(r, number, "role", UINT32_MAX);
    micai_read(r, end, NULL);
    micai_row row;
    micai_table *table = r->failed ? NULL : table_of(l, facet, &row);
    if (!r->failed && (!table || !table->facet)) {
        fail(l, "a facet is none");
    }
    if (r->failed) {
        return;
    }
    mica_entity owner;
    memcpy(&owner,
           micai_table_at(micai_row_cell(row, micai_table_column(table, l->core->registry.hidden))),
           sizeof owner);
    const micai_table *owners = table_of(l, owner, &row);
    if (!owners || owners->facet) {
        fail(l, "a facet belongs to nobody");
        return;
    }
    take(l, micai_facets_revive(l->stage.core, facet, owner, component, role),
         "a facet is there twice");
}

static void load_facets(loading *l)
{
    micai_reader *r = l->r;
    const micai_store *store = &l->stage.core->store;
    uint32_t rows = 0;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        rows += store->tables.items[id]->facet ? store->tables.items[id]->count : 0;
    }
    micai_read(r, begin_section, "facets");
    uint32_t count = micai_read(r, begin_list, "facets", UINT32_MAX);
    if (!r->failed && count != rows) {
        fail(l, "facets are missing");
    }
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        load_facet(l);
    }
    micai_read(r, end, "facets");
    r->decoder->end_section(r);
}

static void load_names(loading *l)
{
    micai_reader *r = l->r;
    micai_core *made = l->stage.core;
    micai_read(r, begin_section, "names");
    uint32_t count = micai_read(r, begin_list, "names", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        char name[MICA_NAME_SIZE_MAX + 1];
        micai_read(r, begin_object, NULL);
        mica_entity entity = micai_read(r, entity, "entity");
        micai_read(r, text, "name", name);
        micai_read(r, end, NULL);
        if (!r->failed && (!micai_names_accept(name) || !micai_slots_find(&made->slots, entity) ||
                           micai_names_get(&made->names, entity) ||
                           !mica_entity_is_none(micai_names_find(&made->names, name)))) {
            fail(l, "a name cannot be, or is there twice");
        }
        if (!r->failed) {
            take(l, micai_names_set(made, entity, name), "");
        }
    }
    micai_read(r, end, "names");
    r->decoder->end_section(r);
}

// Resources

// Those of types that are saved on both sides become those of the image, be it none.
static void clear_resources(loading *l)
{
    for (uint32_t n = 0; n < l->schema.count && !l->r->failed; n++) {
        const micai_type *type = l->match.types[n];
        if (type && l->schema.types[n].saved && type->info.saved && type->info.size > 0) {
            micai_resource *place = micai_stage_resource(&l->stage, type);
            if (!place) {
                l->r->failed = MICA_ERROR_MEMORY;
            } else {
                place->bits = type->info.type.bits;
            }
        }
    }
}

static void load_resource(loading *l)
{
    micai_reader *r = l->r;
    micai_read(r, begin_object, NULL);
    uint32_t number = micai_read(r, type, "type");
    const micai_schema_type *as = r->failed ? NULL : &l->schema.types[number];
    if (as && (!as->saved || as->way == MICAI_SCHEMA_NONE || as->way == MICAI_SCHEMA_CLOSED)) {
        fail(l, "there is a resource that cannot be");
    }
    const micai_type *type = r->failed || is_refused(l, number) ? NULL : l->match.types[number];
    type = type && type->info.saved ? type : NULL;
    if (type && l->stage.resources.items[type->number].value) {
        fail(l, "a resource is there twice");
        return;
    }
    void *value = type ? micai_alloc(r->host, type->info.size, type->info.align) : NULL;
    if (type && !value) {
        r->failed = MICA_ERROR_MEMORY;
    } else if (!r->failed) {
        const micai_type *known = l->match.types[number];
        size_t size = known && !type ? known->info.size : 0;
        if (reserve_scratch(l, &l->values, size)) {
            load_values(r, "value", number, type ? value : l->values.data, 1);
        }
        if (!r->failed && known && !type) { // the world does not save it
            micai_hook_destruct(&l->core->gate, known, l->values.data, 1);
        }
    }
    if (value && r->failed) {
        micai_release(r->host, value, type->info.size, type->info.align);
    } else if (value) {
        l->stage.resources.items[type->number].value = value;
    }
    micai_read(r, end, NULL);
}

static void load_resources(loading *l)
{
    micai_reader *r = l->r;
    clear_resources(l);
    micai_read(r, begin_section, "resources");
    uint32_t count = micai_read(r, begin_list, "resources", l->schema.count);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        load_resource(l);
    }
    micai_read(r, end, "resources");
    r->decoder->end_section(r);
}

// All of it

static void load_head(loading *l)
{
    micai_reader *r = l->r;
    micai_read(r, begin_section, "world");
    l->stage.tick = micai_read(r, number, "tick", MICAI_IMAGE_TICK_MAX);
    l->stage.time = micai_read(r, real, "time");
    if (!r->failed && (l->stage.tick == 0 || !(l->stage.time >= 0 && l->stage.time <= DBL_MAX))) {
        fail(l, "the time cannot be");
    }
    r->decoder->end_section(r);
}

static void load_schema(loading *l)
{
    micai_schema_read(l->r, &l->arena, &l->schema);
    l->matcher = (micai_matcher){.reader = l->r,
                                 .arena = &l->arena,
                                 .registry = &l->core->registry,
                                 .aliases = l->desc->aliases,
                                 .alias_count = l->desc->alias_count};
    if (!l->r->failed) {
        micai_match_types(&l->matcher, &l->stage, l->desc->unknown, &l->match);
        l->r->types = l->match.types;
    }
}

static void load_savers(loading *l)
{
    for (uint32_t i = 0; i < micai_saver_count && !l->r->failed; i++) {
        micai_read(l->r, begin_section, micai_savers[i]->section);
        if (!l->r->failed) {
            l->waiting[i] = micai_savers[i]->load(l->world, l->r);
        }
        l->r->decoder->end_section(l->r);
    }
}

static void load_all(loading *l)
{
    beside *b = micai_arena_alloc(l->r->host, &l->arena, sizeof *b, _Alignof(beside));
    if (!b) {
        l->r->failed = MICA_ERROR_MEMORY;
        return;
    }
    load_head(l);
    if (!l->r->failed) {
        load_schema(l);
    }
    uint32_t fresh = l->r->failed ? 0 : load_slots(l);
    void (*const parts[])(loading *) = {load_groups, load_facets, load_names, load_resources,
                                        load_savers};
    if (!l->r->failed) {
        load_tables(l, fresh, b);
    }
    if (!l->r->failed) {
        load_pools(l, b);
    }
    for (uint32_t i = 0; i < sizeof parts / sizeof *parts && !l->r->failed; i++) {
        parts[i](l);
    }
}

static void finish(loading *l, mica_result result)
{
    if (!result) {
        micai_stage_commit(&l->stage);
    }
    for (uint32_t i = 0; i < micai_saver_count; i++) {
        if (!result) {
            micai_savers[i]->commit(l->world, l->waiting[i]);
        } else if (l->waiting[i]) {
            micai_savers[i]->cancel(l->world, l->waiting[i]);
        }
    }
    micai_stage_end(&l->stage);
    if (result) {
        micai_stage_forget_types(&l->stage);
    }
    micai_release(&l->world->host, l->source.data, l->source.size, SCRATCH_ALIGN);
    micai_release(&l->world->host, l->values.data, l->values.size, SCRATCH_ALIGN);
}

// Told by the first byte: that of a binary image is none of text.
static const micai_codec *codec_of(micai_input *input)
{
    int first = micai_input_peek(input);
    return first == '{' || first == ' ' || first == '\n' || first == '\r' || first == '\t'
               ? &micai_codec_json
               : &micai_codec_binary;
}

static mica_result read_image(loading *l, const char *call, micai_input *input)
{
    const micai_codec *codec = codec_of(input);
    mica_result result = micai_stage_begin(&l->stage, l->world);
    l->r = result ? NULL : codec->open_reader(&l->world->host, call, input);
    if (l->r) {
        l->r->user = l;
        l->r->values = load_values;
        load_all(l);
        result = codec->close_reader(l->r, l->r->failed);
    } else if (!result) {
        result = l->world->host.failed;
    }
    result = result ? result : micai_stage_reserve(&l->stage);
    finish(l, result);
    return result;
}

static void tell(const loading *l)
{
    // The first comes first.
    micai_note *notes = NULL;
    for (micai_note *note = l->matcher.first_note; note;) {
        micai_note *next = note->next;
        note->next = notes;
        notes = note;
        note = next;
    }
    for (; notes && l->desc->listener; notes = notes->next) {
        mica_load_note note = {notes->what, notes->type, notes->field, notes->sentence};
        mica_result failed = micai_host_begin_stream(&l->world->host);
        l->desc->listener(l->world, &note, l->desc->user);
        micai_host_end_stream(&l->world->host, failed);
    }
}

mica_result micai_image_check_waiting(mica_world *world, const char *call)
{
    if (world->core->waiting || world->core->slots.pending > 0) {
        return micai_fail(&world->host, MICA_ERROR_ITERATING,
                          "%s: commands wait; carry them out first, with mica_commands_apply",
                          call);
    }
    return MICA_OK;
}

static mica_result check_desc(mica_world *world, const char *call, const mica_load_desc *desc)
{
    micai_host *host = &world->host;
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if ((unsigned)desc->unknown >= MICA_UNKNOWN_COUNT) {
        return micai_fail(host, MICA_ERROR_ARGUMENT,
                          "%s: there is no way %u with types that are not known", call,
                          (unsigned)desc->unknown);
    }
    if (desc->alias_count > 0 && !desc->aliases) {
        return micai_fail_null(host, call, "aliases");
    }
    for (uint32_t i = 0; i < desc->alias_count; i++) {
        const mica_alias *alias = &desc->aliases[i];
        if (!alias->type || !alias->was) {
            return micai_fail(host, MICA_ERROR_ARGUMENT, "%s: alias %" PRIu32 " does not say %s",
                              call, i, alias->type ? "what it was" : "of which type it is");
        }
    }
    return MICA_OK;
}

mica_result mica_world_load(mica_world *world, const mica_stream *stream,
                            const mica_load_desc *desc)
{
    static const char call[] = "mica_world_load";
    const mica_load_desc defaults = {0};
    if (!world || !stream) {
        return micai_fail_null(micai_world_host(world), call, world ? "stream" : "world");
    }
    desc = desc ? desc : &defaults;
    mica_result result = micai_world_guard(world, call);
    result = result ? result : check_desc(world, call, desc);
    result = result ? result : micai_image_check_waiting(world, call);
    micai_input input;
    if (result) {
        return result;
    }
    loading l = {.world = world, .core = world->core, .desc = desc};
    micai_host_begin(&world->host, call);
    result = micai_input_open(&input, &world->host, call, stream);
    if (!result) {
        result = read_image(&l, call, &input);
        micai_input_close(&input);
    }
    micai_host_end(&world->host);
    if (!result) {
        tell(&l);
    }
    micai_arena_free(&world->host, &l.arena);
    return result;
}
