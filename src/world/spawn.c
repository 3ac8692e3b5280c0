// Spawning and despawning: entities come with their components and go with them.
//
// Every function here first reserves (a slot, a row, the values that may fail to be made), then
// commits what cannot fail.
#include <mica/component.h>

#include <assert.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "world/world.h"

// One component of a new entity.
typedef struct given {
    const micai_type *type;
    const void *data; // NULL: default
} given;

// Makes an entity of the last row of a table, which was reserved and whose columns are filled.
static mica_entity commit_row(mica_world *world, micai_table *table)
{
    uint32_t where = table->next;
    mica_entity entity = micai_slots_take(&world->core->slots, where);
    micai_sheet_ids(table->tail)[where & (MICAI_ROWS - 1)] = entity;
    micai_sheet_stamp(table->tail, world->view.tick);
    micai_table_push(table);
    return entity;
}

static mica_result reserve_rows(mica_world *world, micai_table *table, uint32_t count)
{
    mica_result result = micai_slots_reserve(&world->host, &world->core->slots, count);
    return result ? result : micai_table_reserve(&world->core->store, table, count);
}

static const void *data_for(const given *items, uint32_t count, const micai_type *type)
{
    while (count-- > 0) {
        if (items[count].type == type) {
            return items[count].data;
        }
    }
    return NULL;
}

// Undoes the values of columns below `columns` in the row behind the last one.
static void unfill_row(mica_world *world, micai_table *table, uint32_t columns, const given *items,
                       uint32_t count)
{
    for (uint32_t c = 1; c < columns; c++) {
        micai_world_undo_value(world, table, c, data_for(items, count, table->columns[c].type));
    }
}

// The values of the row behind the last one, all or none.
static mica_result fill_row(mica_world *world, micai_table *table, const given *items,
                            uint32_t count)
{
    for (uint32_t c = 1; c < table->column_count; c++) {
        const void *data = data_for(items, count, table->columns[c].type);
        data = micai_store_follow(&world->core->store, data);
        mica_result result = micai_world_make_value(world, table, c, data);
        if (result) {
            unfill_row(world, table, MICAI_CANARY("world.failed_spawn") ? 0 : c, items, count);
            return result;
        }
    }
    return MICA_OK;
}

static mica_result resolve(mica_world *world, const char *call, const mica_value *values,
                           uint32_t count, given *items, mica_types *set)
{
    for (uint32_t i = 0; i < count; i++) {
        const micai_type *type = micai_world_type(world, call, values[i].type);
        if (!type) {
            return MICA_ERROR_TYPE;
        }
        mica_result result = MICA_OK;
        if (values[i].data || values[i].size) {
            result = micai_world_check_size(world, call, type, values[i].size);
        }
        result = result ? result : micai_types_add(&world->host, set, type->number);
        if (result) {
            return result;
        }
        items[i] = (given){type, values[i].data};
    }
    return MICA_OK;
}

mica_entity mica_spawn_values(mica_world *world, const mica_value *values, uint32_t count)
{
    static const char call[] = "mica_spawn_values";
    if (!world || (!values && count > 0)) {
        micai_fail_null(micai_world_host(world), call, world ? "values" : "world");
        return mica_entity_none();
    }
    if (micai_world_guard(world, call)) {
        return mica_entity_none();
    }
    mica_entity entity = mica_entity_none();
    mica_types set = {0};
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    given *items = micai_arena_alloc_array(&world->host, &world->scratch, count, sizeof *items,
                                           _Alignof(given));
    if (items && !resolve(world, call, values, count, items, &set)) {
        micai_table *table = micai_store_table(&world->core->store, &set);
        if (table && !reserve_rows(world, table, 1) && !fill_row(world, table, items, count)) {
            entity = commit_row(world, table);
        }
    }
    micai_arena_rewind(&world->scratch, mark);
    micai_types_free(&world->host, &set);
    return entity;
}

mica_entity mica_spawn_empty(mica_world *world)
{
    static const char call[] = "mica_spawn_empty";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return mica_entity_none();
    }
    if (micai_world_guard(world, call) || reserve_rows(world, world->core->store.root, 1)) {
        return mica_entity_none();
    }
    return commit_row(world, world->core->store.root);
}

mica_entity mica_spawn_at(mica_world *world, mica_entity entity)
{
    static const char call[] = "mica_spawn_at";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return mica_entity_none();
    }
    micai_table *root = world->core->store.root;
    if (micai_world_guard(world, call) ||
        micai_slots_reserve_at(&world->host, &world->core->slots, entity) ||
        micai_table_reserve(&world->core->store, root, 1)) {
        return mica_entity_none();
    }
    micai_slots_take_at(&world->core->slots, entity, root->next);
    micai_sheet_ids(root->tail)[root->next & (MICAI_ROWS - 1)] = entity;
    micai_sheet_stamp(root->tail, world->view.tick);
    micai_table_push(root);
    return entity;
}

// The short cut: a bundle of a table without hooks, which can be spawned without asking for memory.
// NULL otherwise.
static inline const micai_bundle *ready_bundle(const mica_world *world, mica_bundle bundle)
{
    uint32_t number = micai_stamp_number(bundle.bits);
    if (number >= world->core->bundles.list.count) {
        return NULL;
    }
    const micai_bundle *found = world->core->bundles.list.items[number];
    const micai_slots *slots = &world->core->slots;
    bool ready = found && found->handle.bits == bundle.bits && found->table &&
                 found->table->plain && found->table->count < found->table->capacity &&
                 world->core->gate.busy == 0 && !world->core->store.sharing &&
                 (slots->free_count > 0 || slots->fresh < slots->ready);
    return ready ? found : NULL;
}

// Copies the values of a bundle; false if one is missing.
static inline bool fill_all(const micai_bundle *bundle, const void *const *values)
{
    const micai_table *table = bundle->table;
    micai_page *pages = table->tail->pages;
    uint32_t offset = table->next & (MICAI_ROWS - 1);
    const micai_bundle_item *end = bundle->items + bundle->count;
    for (const micai_bundle_item *item = bundle->items; item < end; item++, values++) {
        if (item->column) {
            if (!*values) {
                return false;
            }
            micai_copy_bytes(pages[item->column].data + (size_t)offset * item->size, *values,
                             item->size);
        }
    }
    return true;
}

static mica_result fill_partly(mica_world *world, const micai_bundle *bundle,
                               const void *const *values)
{
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    given *items = micai_arena_alloc_array(&world->host, &world->scratch, bundle->count,
                                           sizeof *items, _Alignof(given));
    mica_result result = MICA_ERROR_MEMORY;
    if (items) {
        for (uint32_t i = 0; i < bundle->count; i++) {
            items[i] = (given){bundle->items[i].type, values ? values[i] : NULL};
        }
        result = fill_row(world, bundle->table, items, bundle->count);
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

MICAI_COLD static mica_entity spawn_slowly(mica_world *world, mica_bundle bundle,
                                           const void *const *values)
{
    micai_bundle *found = micai_bundle_open(world, "mica_spawn_bundle", bundle);
    assert(world || !found);
    if (!found || reserve_rows(world, found->table, 1) || fill_partly(world, found, values)) {
        return mica_entity_none();
    }
    return commit_row(world, found->table);
}

mica_entity mica_spawn_bundle(mica_world *world, mica_bundle bundle, const void *const *values)
{
    const micai_bundle *ready = world && values ? ready_bundle(world, bundle) : NULL;
    return ready && fill_all(ready, values) ? commit_row(world, ready->table)
                                            : spawn_slowly(world, bundle, values);
}

// Bulk

// Undoes the values of rows `from` to `to` behind the last one, in one column.
static void unfill_column(mica_world *world, micai_table *table, uint32_t column, uint32_t from,
                          uint32_t to, const void *array)
{
    if (array && !table->columns[column].type->info.hooks.copy) {
        return; // they are still the caller's
    }
    while (from < to) {
        uint32_t offset = from & (MICAI_ROWS - 1);
        uint32_t rows = MICAI_ROWS - offset < to - from ? MICAI_ROWS - offset : to - from;
        micai_column_destruct(&world->core->gate, &table->columns[column],
                              micai_sheet_at(micai_table_sheet(table, from), column, offset), rows);
        from += rows;
    }
}

// The values of `count` rows behind the last one in one column, sheet by sheet, all or none.
static mica_result fill_column(mica_world *world, micai_table *table, uint32_t column,
                               uint32_t count, const unsigned char *array)
{
    const micai_column *kind = &table->columns[column];
    uint32_t first = table->count;
    for (uint32_t row = first; row < first + count;) {
        micai_sheet *sheet = micai_table_sheet(table, row);
        uint32_t offset = row & (MICAI_ROWS - 1);
        uint32_t left = first + count - row;
        uint32_t rows = MICAI_ROWS - offset < left ? MICAI_ROWS - offset : left;
        void *target = micai_sheet_at(sheet, column, offset);
        mica_result result =
            array ? micai_column_copy(&world->core->gate, kind, target,
                                      array + (size_t)(row - first) * kind->size, rows)
                  : micai_hook_construct(&world->core->gate, kind->type, target, rows);
        if (result) {
            unfill_column(world, table, column, first, row, array);
            return result;
        }
        row += rows;
    }
    return MICA_OK;
}

static mica_result fill_columns(mica_world *world, const micai_bundle *bundle, uint32_t count,
                                const void *const *arrays)
{
    micai_table *table = bundle->table;
    for (uint32_t i = 0; i < bundle->count; i++) {
        uint32_t column = bundle->items[i].column;
        mica_result result =
            column ? fill_column(world, table, column, count,
                                 micai_store_follow(&world->core->store, arrays ? arrays[i] : NULL))
                   : MICA_OK;
        if (result) {
            while (i-- > 0) {
                if (bundle->items[i].column) {
                    unfill_column(world, table, bundle->items[i].column, table->count,
                                  table->count + count, arrays ? arrays[i] : NULL);
                }
            }
            return result;
        }
    }
    return MICA_OK;
}

static void commit_rows(mica_world *world, micai_table *table, uint32_t count,
                        mica_entity *entities_out)
{
    for (uint32_t done = 0; done < count;) {
        micai_sheet *sheet = micai_table_sheet(table, table->count);
        uint32_t offset = table->count & (MICAI_ROWS - 1);
        uint32_t rows = MICAI_ROWS - offset < count - done ? MICAI_ROWS - offset : count - done;
        mica_entity *ids = micai_sheet_ids(sheet) + offset;
        micai_slots_take_many(&world->core->slots, micai_sheet_where(sheet, offset), rows, ids);
        if (entities_out) {
            memcpy(entities_out + done, ids, rows * sizeof *ids);
        }
        micai_sheet_stamp(sheet, world->view.tick);
        micai_table_set_count(table, table->count + rows);
        done += rows;
    }
}

mica_result mica_spawn_many(mica_world *world, mica_bundle bundle, uint32_t count,
                            const void *const *arrays, mica_entity *entities_out)
{
    micai_bundle *found = micai_bundle_open(world, "mica_spawn_many", bundle);
    if (!found) {
        return micai_world_failed(world);
    }
    mica_result result = reserve_rows(world, found->table, count);
    result = result ? result : fill_columns(world, found, count, arrays);
    if (!result) {
        commit_rows(world, found->table, count, entities_out);
    }
    return result;
}

// Clones

static mica_result check_cloneable(mica_world *world, const char *call, const micai_table *table)
{
    for (uint32_t c = 1; !table->plain && c < table->column_count; c++) {
        const mica_type_info *info = &table->columns[c].type->info;
        if (info->hooks.destruct && !info->hooks.copy) {
            return micai_fail(&world->host, MICA_ERROR_HOOK,
                              "%s: '%s' has a destruct hook but no copy hook", call, info->name);
        }
    }
    return MICA_OK;
}

mica_entity mica_clone(mica_world *world, mica_entity entity)
{
    static const char call[] = "mica_clone";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return mica_entity_none();
    }
    const micai_record *record = micai_slots_find(&world->core->slots, entity);
    if (!record) {
        micai_slots_fail(&world->host, call, entity);
        return mica_entity_none();
    }
    micai_place place = micai_store_place(&world->core->store, record);
    micai_table *table = place.sheet->table;
    if (micai_world_guard(world, call) || check_cloneable(world, call, table) ||
        reserve_rows(world, table, 1)) {
        return mica_entity_none();
    }
    for (uint32_t c = 1; c < table->column_count; c++) {
        const void *value = micai_sheet_at(place.sheet, c, place.offset);
        if (micai_world_make_value(world, table, c, MICAI_CANARY("world.clone") ? NULL : value)) {
            unfill_row(world, table, c, NULL, 0); // check_cloneable() let only copies pass
            return mica_entity_none();
        }
    }
    return commit_row(world, table);
}

// Ends

static void end_entity(mica_world *world, mica_entity entity, micai_place place)
{
    micai_table *table = place.sheet->table;
    uint32_t row = micai_place_row(place);
    if (world->core->names.list.count > 0 && !MICAI_CANARY("world.name_of_the_dead")) {
        micai_names_remove(&world->host, &world->core->names, entity);
    }
    micai_table_destruct_row(&world->core->store, table, row);
    micai_store_drop(&world->core->store, place, world->view.tick);
    micai_slots_give(&world->host, &world->core->slots, entity);
}

MICAI_COLD static mica_result despawn_slowly(mica_world *world, mica_entity entity)
{
    static const char call[] = "mica_despawn";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    const micai_record *record = micai_slots_find(&world->core->slots, entity);
    if (!record) {
        return micai_slots_fail(&world->host, call, entity);
    }
    micai_place place = micai_store_place(&world->core->store, record);
    mica_result result = micai_world_guard(world, call);
    result = result ? result
                    : micai_table_reserve_remove(&world->core->store, place.sheet->table,
                                                 micai_place_row(place));
    if (!result) {
        end_entity(world, entity, place);
    }
    return result;
}

mica_result mica_despawn(mica_world *world, mica_entity entity)
{
    const micai_record *record = world ? micai_slots_find(&world->core->slots, entity) : NULL;
    if (record && world->core->gate.busy == 0 && !world->core->store.sharing &&
        world->core->names.list.count == 0) {
        micai_place place = micai_store_place(&world->core->store, record);
        if (place.sheet->table->plain) {
            micai_store_drop(&world->core->store, place, world->view.tick);
            micai_slots_give(&world->host, &world->core->slots, entity);
            return MICA_OK;
        }
    }
    return despawn_slowly(world, entity);
}

// Owns the sheets of all entities and the last ones of their tables: more than needed, but only
// where something is shared.
static mica_result reserve_ends(mica_world *world, const mica_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; world->core->store.sharing && i < count; i++) {
        const micai_record *record = micai_slots_find(&world->core->slots, entities[i]);
        assert(record); // the caller has looked
        micai_place place = micai_store_place(&world->core->store, record);
        micai_table *table = place.sheet->table;
        for (uint32_t s = place.sheet->index; s < table->sheets.count; s++) {
            mica_result result = micai_sheet_own(&world->core->store, table->sheets.items[s]);
            if (result) {
                return result;
            }
        }
    }
    return MICA_OK;
}

mica_result mica_despawn_many(mica_world *world, const mica_entity *entities, uint32_t count)
{
    static const char call[] = "mica_despawn_many";
    if (!world || (!entities && count > 0)) {
        return micai_fail_null(micai_world_host(world), call, world ? "entities" : "world");
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!micai_slots_find(&world->core->slots, entities[i])) {
            return micai_slots_fail(&world->host, call, entities[i]);
        }
    }
    mica_result result = micai_world_guard(world, call);
    result = result ? result : reserve_ends(world, entities, count);
    for (uint32_t i = 0; !result && i < count; i++) {
        const micai_record *record = micai_slots_find(&world->core->slots, entities[i]);
        if (record) {
            end_entity(world, entities[i], micai_store_place(&world->core->store, record));
        }
    }
    return result;
}
