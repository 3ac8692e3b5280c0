// Changing what an entity has: add, remove, set, for one component and for several at once.
//
// One component is the hot path and has its own, straight code over cached edges. Several at once
// are worked out as a set and moved once.
#include <mica/component.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "world/world.h"

// Overwriting. A value with a copy hook is copied beside the old one first, since copying may fail.
static mica_result overwrite(mica_world *world, micai_place place, uint32_t column,
                             const void *data)
{
    micai_table *table = place.sheet->table;
    const micai_column *kind = &table->columns[column];
    mica_result result = micai_sheet_own_page(&world->core->store, place.sheet, column);
    if (result) {
        return result;
    }
    void *target = micai_sheet_at(place.sheet, column, place.offset);
    const mica_hooks *hooks = &kind->type->info.hooks;
    if (!hooks->copy && !hooks->destruct) {
        if (target != data) {
            micai_copy_bytes(target, data, kind->size);
        }
        place.sheet->pages[column].tick = world->view.tick;
        return MICA_OK;
    }
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    void *copy =
        micai_arena_alloc(&world->host, &world->scratch, kind->size, kind->type->info.align);
    result = copy ? micai_column_copy(&world->core->gate, kind, copy, data, 1) : MICA_ERROR_MEMORY;
    if (!result) {
        micai_column_destruct(&world->core->gate, kind, target,
                              MICAI_CANARY("world.overwrite") ? 0 : 1);
        micai_column_relocate(&world->core->gate, kind, target, copy, 1);
        place.sheet->pages[column].tick = world->view.tick;
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

static mica_result move(mica_world *world, const micai_edge *edge, micai_place place,
                        mica_entity entity)
{
    return micai_store_move(&world->core->store, edge, place,
                            micai_slots_at(&world->core->slots, mica_entity_slot(entity)),
                            world->view.tick);
}

// One component more, with a value or its default, or one less: the entity moves along an edge.
static mica_result change_one(mica_world *world, mica_entity entity, micai_place place,
                              const micai_type *type, bool remove, const void *data)
{
    micai_store *store = &world->core->store;
    micai_table *source = place.sheet->table;
    micai_edge *edge = micai_store_edge(store, source, type->number, remove);
    if (!edge) {
        return world->host.failed;
    }
    place.sheet->recent[remove] = edge;
    micai_table *target = edge->target;
    mica_result result = micai_table_reserve(store, target, 1);
    result = result ? result : micai_table_reserve_remove(store, source, micai_place_row(place));
    if (!result && edge->added_count > 0) {
        uint32_t column = edge->copies[edge->shared_count].target;
        data = micai_store_follow(store, data);
        result = micai_world_make_value(world, target, column, data);
    }
    return result ? result : move(world, edge, place, entity);
}

// Where the entity is; a NULL sheet, reported, if world or entity is no good.
static micai_place find_place(mica_world *world, const char *call, mica_entity entity)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return (micai_place){0};
    }
    const micai_record *record = micai_slots_find(&world->core->slots, entity);
    if (!record) {
        micai_slots_fail(&world->host, call, entity);
        return (micai_place){0};
    }
    return micai_store_place(&world->core->store, record);
}

// Each public function tries the short cut first, which calls nothing but the move it ends in; the
// slow way does everything, errors included.

MICAI_COLD static mica_result add_slowly(mica_world *world, mica_entity entity, mica_type type)
{
    static const char call[] = "mica_add";
    micai_place place = find_place(world, call, entity);
    const micai_type *found = place.sheet ? micai_world_type(world, call, type) : NULL;
    if (!found) {
        return micai_world_failed(world);
    }
    if (micai_table_has(place.sheet->table, found->number)) {
        return MICA_OK;
    }
    mica_result result = micai_world_guard(world, call);
    return result ? result : change_one(world, entity, place, found, false, NULL);
}

mica_result mica_add(mica_world *world, mica_entity entity, mica_type type)
{
    micai_record *record = world ? micai_slots_find(&world->core->slots, entity) : NULL;
    if (record) {
        micai_place place = micai_store_place(&world->core->store, record);
        const micai_edge *edge =
            micai_store_ready_edge(&world->core->store, place.sheet, type, false);
        if (edge && edge->size == 0) {
            return micai_store_move(&world->core->store, edge, place, record, world->view.tick);
        }
    }
    return add_slowly(world, entity, type);
}

MICAI_COLD static mica_result remove_slowly(mica_world *world, mica_entity entity, mica_type type)
{
    static const char call[] = "mica_remove";
    micai_place place = find_place(world, call, entity);
    const micai_type *found = place.sheet ? micai_world_type(world, call, type) : NULL;
    if (!found) {
        return micai_world_failed(world);
    }
    if (!micai_table_has(place.sheet->table, found->number)) {
        return MICA_OK;
    }
    mica_result result = micai_world_guard(world, call);
    return result ? result : change_one(world, entity, place, found, true, NULL);
}

mica_result mica_remove(mica_world *world, mica_entity entity, mica_type type)
{
    micai_record *record = world ? micai_slots_find(&world->core->slots, entity) : NULL;
    if (record) {
        micai_place place = micai_store_place(&world->core->store, record);
        const micai_edge *edge =
            micai_store_ready_edge(&world->core->store, place.sheet, type, true);
        if (edge) {
            return micai_store_move(&world->core->store, edge, place, record, world->view.tick);
        }
    }
    return remove_slowly(world, entity, type);
}

MICAI_COLD static mica_result set_slowly(mica_world *world, mica_entity entity, mica_type type,
                                         const void *data, uint32_t size)
{
    static const char call[] = "mica_set_value";
    micai_place place = find_place(world, call, entity);
    const micai_type *found = place.sheet ? micai_world_type(world, call, type) : NULL;
    if (!found) {
        return micai_world_failed(world);
    }
    if ((data || size) && (size != found->info.size || size == 0)) {
        return micai_world_check_size(world, call, found, size);
    }
    micai_table *table = place.sheet->table;
    if (!micai_table_has(table, found->number)) {
        mica_result result = micai_world_guard(world, call);
        return result ? result : change_one(world, entity, place, found, false, data);
    }
    uint32_t column = micai_table_column(table, found->number);
    return data && column ? overwrite(world, place, column, data) : MICA_OK;
}

mica_result mica_set_value(mica_world *world, mica_entity entity, mica_type type, const void *data,
                           uint32_t size)
{
    micai_record *record = world ? micai_slots_find(&world->core->slots, entity) : NULL;
    if (record) {
        micai_place place = micai_store_place(&world->core->store, record);
        const micai_edge *edge =
            micai_store_ready_edge(&world->core->store, place.sheet, type, false);
        if (edge && edge->plain && data && size > 0 && size == edge->size) {
            micai_table *target = edge->target;
            micai_page *page = &target->tail->pages[edge->copies[edge->shared_count].target];
            micai_copy_bytes(page->data + (size_t)(target->next & (MICAI_ROWS - 1)) * size, data,
                             size);
            return micai_store_move(&world->core->store, edge, place, record, world->view.tick);
        }
    }
    return set_slowly(world, entity, type, data, size);
}

// Several at once

// A change as it was asked for, resolved.
typedef struct edit {
    const char *call;
    const micai_type **types; // of the values
    const mica_value *values;
    uint32_t count;
    mica_types set; // what the entity will have
    bool structural;
} edit;

static mica_result resolve_values(mica_world *world, edit *change, const micai_table *table)
{
    for (uint32_t i = 0; i < change->count; i++) {
        const mica_value *value = &change->values[i];
        const micai_type *type = micai_world_type(world, change->call, value->type);
        if (!type) {
            return MICA_ERROR_TYPE;
        }
        mica_result result = MICA_OK;
        if (value->data || value->size) {
            result = micai_world_check_size(world, change->call, type, value->size);
        }
        result = result ? result : micai_types_add(&world->host, &change->set, type->number);
        if (result) {
            return result;
        }
        change->types[i] = type;
        change->structural = change->structural || !micai_table_has(table, type->number);
    }
    return MICA_OK;
}

static mica_result resolve_removed(mica_world *world, edit *change, const micai_table *table,
                                   const mica_type *removed, uint32_t removed_count)
{
    for (uint32_t i = 0; i < removed_count; i++) {
        const micai_type *type = micai_world_type(world, change->call, removed[i]);
        if (!type) {
            return MICA_ERROR_TYPE;
        }
        for (uint32_t j = 0; j < change->count; j++) {
            if (change->types[j] == type) {
                return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                                  "%s: '%s' is both set and removed", change->call,
                                  type->info.name);
            }
        }
        micai_types_remove(&change->set, type->number);
        change->structural = change->structural || micai_table_has(table, type->number);
    }
    return MICA_OK;
}

// The value given for a type; the last one counts. NULL: none, or the default.
static const void *data_for(const edit *change, const micai_type *type)
{
    for (uint32_t i = change->count; i-- > 0;) {
        if (change->types[i] == type) {
            return change->values[i].data;
        }
    }
    return NULL;
}

// Ends the first `count` copies. Bytes of a type without a copy hook are still the caller's.
static void drop_copies(mica_world *world, const edit *change, uint32_t count, void **copies)
{
    for (uint32_t i = 0; i < count; i++) {
        const mica_type_info *info = &change->types[i]->info;
        if (copies[i] && info->hooks.copy && info->hooks.destruct) {
            micai_hook_destruct(&world->core->gate, change->types[i], copies[i], 1);
        }
    }
}

// Copies of the values that overwrite others: one per value, NULL where none is needed. They are
// made before anything is changed, because copying may fail and because the values may themselves
// lie in rows that are about to move, and are moved in place at the end.
static mica_result copy_ahead(mica_world *world, const edit *change, const micai_table *table,
                              void **copies)
{
    for (uint32_t i = 0; i < change->count; i++) {
        const micai_type *type = change->types[i];
        uint32_t column = micai_table_column(table, type->number);
        const void *data = change->values[i].data;
        copies[i] = NULL;
        bool last = data_for(change, type) == data;
        if (!column || !data || !last) {
            continue;
        }
        const micai_column *kind = &table->columns[column];
        void *copy = micai_arena_alloc(&world->host, &world->scratch, kind->size, type->info.align);
        mica_result result =
            copy ? micai_column_copy(&world->core->gate, kind, copy, data, 1) : MICA_ERROR_MEMORY;
        if (result) {
            drop_copies(world, change, i, copies);
            return result;
        }
        copies[i] = copy;
    }
    return MICA_OK;
}

// The values the target has and the source has not, into the row behind the target's last.
static mica_result make_added(mica_world *world, const edit *change, const micai_edge *edge)
{
    micai_table *target = edge->target;
    const micai_copy *added = edge->copies + edge->shared_count;
    for (uint32_t i = 0; i < edge->added_count; i++) {
        const void *data = data_for(change, target->columns[added[i].target].type);
        mica_result result = micai_world_make_value(world, target, added[i].target,
                                                    micai_store_follow(&world->core->store, data));
        if (result) {
            while (i-- > 0) {
                const micai_type *type = target->columns[added[i].target].type;
                micai_world_undo_value(world, target, added[i].target, data_for(change, type));
            }
            return result;
        }
    }
    return MICA_OK;
}

// Cannot fail: the pages are owned, the copies made.
static void overwrite_all(mica_world *world, const edit *change, micai_place place, void **copies)
{
    for (uint32_t i = 0; i < change->count; i++) {
        const micai_type *type = change->types[i];
        if (!copies[i]) {
            continue;
        }
        uint32_t column = micai_table_column(place.sheet->table, type->number);
        const micai_column *kind = &place.sheet->table->columns[column];
        void *target = micai_sheet_at(place.sheet, column, place.offset);
        place.sheet->pages[column].tick = world->view.tick;
        micai_column_destruct(&world->core->gate, kind, target, 1);
        micai_column_relocate(&world->core->gate, kind, target, copies[i], 1);
    }
}

static mica_result reserve_move(mica_world *world, const edit *change, micai_place place,
                                micai_edge **edge_out)
{
    micai_store *store = &world->core->store;
    mica_result result = micai_world_guard(world, change->call);
    if (result) {
        return result;
    }
    *edge_out = micai_store_edge_to(store, place.sheet->table, &change->set);
    if (!*edge_out) {
        return world->host.failed;
    }
    result = micai_table_reserve(store, (*edge_out)->target, 1);
    result = result ? result
                    : micai_table_reserve_remove(store, place.sheet->table, micai_place_row(place));
    return result ? result : make_added(world, change, *edge_out);
}

static mica_result apply(mica_world *world, const edit *change, mica_entity entity,
                         micai_place place)
{
    micai_table *before = place.sheet->table;
    void **copies = micai_arena_alloc_array(&world->host, &world->scratch, change->count,
                                            sizeof *copies, _Alignof(void *));
    mica_result result = copies ? copy_ahead(world, change, before, copies) : MICA_ERROR_MEMORY;
    if (result) {
        return result;
    }
    micai_edge *edge = NULL;
    if (change->structural) {
        result = reserve_move(world, change, place, &edge);
    } else {
        result = micai_sheet_own(&world->core->store, place.sheet);
    }
    if (result) {
        drop_copies(world, change, change->count, copies);
        return result;
    }
    if (edge) {
        move(world, edge, place, entity);
        place =
            micai_store_place(&world->core->store, micai_slots_find(&world->core->slots, entity));
    }
    overwrite_all(world, change, place, copies);
    return MICA_OK;
}

static mica_result change_several(mica_world *world, const char *call, mica_entity entity,
                                  const mica_value *values, uint32_t value_count,
                                  const mica_type *removed, uint32_t removed_count)
{
    micai_place place = find_place(world, call, entity);
    if (!place.sheet) {
        return micai_world_failed(world);
    }
    if ((!values && value_count > 0) || (!removed && removed_count > 0)) {
        return micai_fail_null(&world->host, call, !values && value_count > 0 ? "values" : "types");
    }
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    edit change = {.call = call, .values = values, .count = value_count};
    change.types = micai_arena_alloc_array(&world->host, &world->scratch, value_count,
                                           sizeof *change.types, _Alignof(void *));
    micai_table *table = place.sheet->table;
    mica_result result = change.types ? micai_store_set_of(&world->core->store, table, &change.set)
                                      : MICA_ERROR_MEMORY;
    result = result ? result : resolve_values(world, &change, table);
    result = result ? result : resolve_removed(world, &change, table, removed, removed_count);
    result = result ? result : apply(world, &change, entity, place);
    micai_types_free(&world->host, &change.set);
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

mica_result mica_change(mica_world *world, mica_entity entity, const mica_value *values,
                        uint32_t value_count, const mica_type *removed, uint32_t removed_count)
{
    static const char call[] = "mica_change";
    if (world && !removed && removed_count > 0) {
        return micai_fail_null(&world->host, call, "removed");
    }
    return change_several(world, call, entity, values, value_count, removed, removed_count);
}

mica_result mica_set_values(mica_world *world, mica_entity entity, const mica_value *values,
                            uint32_t count)
{
    return change_several(world, "mica_set_values", entity, values, count, NULL, 0);
}

mica_result mica_remove_types(mica_world *world, mica_entity entity, const mica_type *types,
                              uint32_t count)
{
    return change_several(world, "mica_remove_types", entity, NULL, 0, types, count);
}

// Adding is setting without data.
mica_result mica_add_types(mica_world *world, mica_entity entity, const mica_type *types,
                           uint32_t count)
{
    static const char call[] = "mica_add_types";
    if (!world || (!types && count > 0)) {
        return micai_fail_null(micai_world_host(world), call, world ? "types" : "world");
    }
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    mica_value *values = micai_arena_alloc_array(&world->host, &world->scratch, count,
                                                 sizeof *values, _Alignof(mica_value));
    mica_result result = MICA_ERROR_MEMORY;
    if (values) {
        for (uint32_t i = 0; i < count; i++) {
            values[i] = (mica_value){.type = types[i]};
        }
        result = change_several(world, call, entity, values, count, NULL, 0);
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}
