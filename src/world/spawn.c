// Spawning and despawning: entities come with their components and go with them. One by one it is a
// plan, unless there is a short cut; many at once are made column by column.
#include <mica/component.h>

#include <inttypes.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "store/table/stir.h"
#include "world/plan.h"
#include "world/value.h"

// Makes an entity of the row behind a table's last, which was reserved and whose values are made.
static inline mica_entity commit_row(micai_core *core, micai_table *table, uint64_t tick)
{
    mica_entity entity = micai_slots_take(&core->slots, table->next);
    micai_row_append(table, entity, tick);
    return entity;
}

MICAI_COLD static mica_result reserve_slowly(mica_world *world, micai_table *table, uint32_t count)
{
    micai_host_begin(&world->host);
    mica_result result = micai_slots_reserve(&world->host, &world->core->slots, count);
    result = result ? result : micai_table_reserve(&world->core->store, table, count);
    micai_host_end(&world->host);
    return result;
}

static inline mica_result reserve_rows(mica_world *world, micai_table *table, uint32_t count)
{
    bool ready =
        micai_slots_are_ready(&world->core->slots, count) && micai_table_is_ready(table, count);
    return ready ? MICA_OK : reserve_slowly(world, table, count);
}

// Carries out what was planned so far, if all went well; none otherwise.
static mica_entity finish(micai_plan *plan, mica_result result)
{
    result = result ? result : micai_plan_carry_out(plan);
    mica_entity entity = micai_plan_end(plan);
    return result ? mica_entity_none() : entity;
}

mica_entity mica_spawn_values(mica_world *world, const mica_value *values, uint32_t count)
{
    static const char call[] = "mica_spawn";
    if (!values && count > 0) {
        micai_fail_null(micai_world_host(world), call, "values");
        return mica_entity_none();
    }
    micai_plan plan;
    mica_result result = micai_plan_begin_spawn(&plan, world, call, count);
    for (uint32_t i = 0; !result && i < count; i++) {
        result = micai_plan_set(&plan, values[i].type, values[i].data, values[i].size);
    }
    return finish(&plan, result);
}

mica_entity mica_spawn_empty(mica_world *world)
{
    static const char call[] = "mica_spawn_empty";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return mica_entity_none();
    }
    micai_table *root = world->core->store.root;
    if (micai_world_guard(world, call) || reserve_rows(world, root, 1)) {
        return mica_entity_none();
    }
    mica_entity entity = commit_row(world->core, root, world->view.tick);
    micai_stir_from(&world->core->store, root, root->count - 1);
    return entity;
}

mica_entity mica_spawn_at(mica_world *world, mica_entity entity)
{
    static const char call[] = "mica_spawn_at";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return mica_entity_none();
    }
    if (micai_world_guard(world, call)) {
        return mica_entity_none();
    }
    micai_table *root = world->core->store.root;
    uint32_t tables = micai_world_begin(world);
    mica_result result = micai_slots_reserve_at(&world->host, &world->core->slots, entity);
    result = result ? result : micai_table_reserve(&world->core->store, root, 1);
    if (micai_world_end(world, tables, result)) {
        return mica_entity_none();
    }
    micai_slots_take_at(&world->core->slots, entity, root->next);
    micai_row_append(root, entity, world->view.tick);
    micai_stir_from(&world->core->store, root, root->count - 1);
    return entity;
}

// Bundles

// The short cut: a bundle that was admitted, with room for one more. NULL otherwise.
static inline const micai_bundle *find_short_cut(const micai_core *core, mica_bundle bundle)
{
    uint32_t number = micai_stamp_number(bundle.bits);
    if (number >= core->bundles.list.count || core->gate.busy != 0) {
        return NULL;
    }
    const micai_bundle *found = core->bundles.list.items[number];
    bool ready =
        found && found->handle.bits == bundle.bits && found->quick &&
        found->table->count < found->table->capacity &&
        (core->slots.free_first != MICAI_SLOT_NONE || core->slots.fresh < core->slots.ready);
    return ready ? found : NULL;
}

// Fills in the values of a bundle; false if one is missing, or not what it should be.
static inline bool fill_all(const micai_bundle *bundle, const micai_table *table,
                            const mica_value *values)
{
    const micai_raw raw = micai_row_raw(table);
    const micai_bundle_item *end = bundle->items + bundle->count;
    for (const micai_bundle_item *item = bundle->items; item < end; item++, values++) {
        if (values->type.bits != item->bits || values->size != item->fill.size) {
            return false;
        }
        if (values->data) {
            micai_row_fill(raw, item->fill, values->data);
        } else if (item->fill.size > 0) {
            return false;
        }
    }
    return true;
}

// Are these values what the bundle is made of?
static mica_result check_values(mica_world *world, const char *call, const micai_bundle *bundle,
                                const mica_value *values, uint32_t count)
{
    if (!values && count > 0) {
        return micai_fail_null(&world->host, call, "values");
    }
    if (values && count != bundle->count) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: %" PRIu32 " values for a bundle of %" PRIu32, call, count,
                          bundle->count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const micai_type *type = micai_world_type(world, call, values[i].type);
        if (!type) {
            return MICA_ERROR_TYPE;
        }
        if (type != bundle->items[i].type) {
            return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                              "%s: value %" PRIu32 " is of '%s', the bundle has '%s' there", call,
                              i, type->info.name, bundle->items[i].type->info.name);
        }
        bool given = values[i].size > 0 || (values[i].data && type->info.size > 0);
        mica_result result =
            given ? micai_world_check_size(world, call, type, values[i].size) : MICA_OK;
        if (result) {
            return result;
        }
    }
    return MICA_OK;
}

// Of values that were checked.
static mica_entity spawn_of(mica_world *world, const char *call, const micai_bundle *bundle,
                            const mica_value *values)
{
    micai_plan plan;
    mica_result result = micai_plan_begin_spawn(&plan, world, call, bundle->count);
    plan.target = bundle->table;
    for (uint32_t i = 0; !result && i < bundle->count; i++) {
        result = micai_plan_give(&plan, bundle->items[i].type, values ? values[i].data : NULL);
    }
    return finish(&plan, result);
}

// Arrays of values that cannot be copied lie outside of the world, and each has its own.
static mica_result check_sources(mica_world *world, const char *call, const micai_bundle *bundle,
                                 const mica_value *arrays, uint32_t count)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && arrays && i < bundle->count; i++) {
        const micai_type *type = bundle->items[i].type;
        if (micai_hook_can_copy(type)) {
            continue;
        }
        result = micai_value_check_source(world, call, type, arrays[i].data, count);
        for (uint32_t j = 0; !result && j < i; j++) {
            result = micai_value_check_apart(world, call, bundle->items[j].type, arrays[j].data,
                                             type, arrays[i].data, count);
        }
    }
    return result;
}

MICAI_COLD static mica_entity spawn_slowly(mica_world *world, mica_bundle bundle,
                                           const mica_value *values, uint32_t count)
{
    static const char call[] = "mica_spawn_bundle";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return mica_entity_none();
    }
    uint32_t tables = micai_world_begin(world);
    micai_bundle *found = micai_bundle_open(world, call, bundle);
    mica_result result =
        found ? check_values(world, call, found, values, count) : micai_world_failed(world);
    mica_entity entity = result ? mica_entity_none() : spawn_of(world, call, found, values);
    micai_world_end(world, tables,
                    mica_entity_is_none(entity) ? micai_world_failed(world) : MICA_OK);
    return entity;
}

mica_entity mica_spawn_bundle(mica_world *world, mica_bundle bundle, const mica_value *values,
                              uint32_t count)
{
    if (world && values) {
        micai_core *core = world->core;
        const micai_bundle *ready = find_short_cut(core, bundle);
        micai_table *table = ready ? ready->table : NULL;
        if (ready && count == ready->count && fill_all(ready, table, values)) {
            return commit_row(core, table, world->view.tick);
        }
    }
    return spawn_slowly(world, bundle, values, count);
}

// Undoes the values of the first `items` items in `count` raw rows. Values that were given, of a type
// that cannot be copied, go back.
static void unmake_columns(mica_world *world, const micai_bundle *bundle, uint32_t items,
                           uint32_t count, const mica_value *arrays)
{
    while (items-- > 0) {
        const micai_bundle_item *item = &bundle->items[items];
        if (!item->column) {
            continue;
        }
        const micai_kind *kind = micai_table_kind(bundle->table, item->column);
        micai_cell cell = micai_row_next(bundle->table, item->column);
        if (!arrays || !arrays[items].data || micai_hook_can_copy(item->type)) {
            kind->end(&world->core->store, cell, count);
            continue;
        }
        unsigned char *array = (unsigned char *)arrays[items].data;
        for (uint32_t i = 0; i < count; i++, cell.row++) {
            kind->load(&world->core->store, cell, array + (size_t)i * item->type->info.size);
        }
    }
}

// The values of `count` raw rows, column by column, all or none.
static mica_result make_columns(mica_world *world, const micai_bundle *bundle, uint32_t count,
                                const mica_value *arrays)
{
    micai_store *store = &world->core->store;
    for (uint32_t i = 0; i < bundle->count; i++) {
        const micai_bundle_item *item = &bundle->items[i];
        if (!item->column) {
            continue;
        }
        const void *array = arrays ? micai_store_follow(store, arrays[i].data) : NULL;
        mica_result result = micai_table_kind(bundle->table, item->column)
                                 ->make(store, micai_row_next(bundle->table, item->column), count,
                                        array, item->type->info.size);
        if (result) {
            unmake_columns(world, bundle, i, count, arrays);
            return result;
        }
    }
    return MICA_OK;
}

mica_result mica_spawn_many(mica_world *world, mica_bundle bundle, uint32_t count,
                            const mica_value *arrays, uint32_t array_count,
                            mica_entity *entities_out)
{
    static const char call[] = "mica_spawn_many";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    uint32_t tables = micai_world_begin(world);
    micai_bundle *found = micai_bundle_open(world, call, bundle);
    mica_result result =
        found ? check_values(world, call, found, arrays, array_count) : micai_world_failed(world);
    result = result ? result : check_sources(world, call, found, arrays, count);
    result = result ? result : reserve_rows(world, found->table, count);
    result = result ? result : make_columns(world, found, count, arrays);
    if (!result) {
        uint32_t first = found->table->count;
        micai_row_append_many(&world->core->store, found->table, count, entities_out,
                              world->view.tick);
        micai_stir_from(&world->core->store, found->table, first);
    }
    return micai_world_end(world, tables, result);
}

// Clones

// Gives a plan a copy of each value of an entity.
static mica_result give_values(micai_plan *plan, const micai_record *record)
{
    mica_world *world = plan->world;
    mica_result result = MICA_OK;
    for (uint32_t n = micai_value_next(world->core, record, 0); !result && n != MICAI_BITS_END;
         n = micai_value_next(world->core, record, n + 1)) {
        const micai_type *type = world->core->registry.list.items[n];
        if (!micai_hook_can_copy(type)) {
            return micai_fail(&world->host, MICA_ERROR_HOOK,
                              "%s: '%s' has a destruct hook but no copy hook", plan->call,
                              type->info.name);
        }
        micai_value value = micai_value_find(world->core, record, type);
        const void *data = micai_value_is_there(value) ? micai_value_see(world, value) : NULL;
        if (!data && micai_value_is_there(value)) {
            return MICA_ERROR_MEMORY;
        }
        if (MICAI_CANARY("world.clone")) {
            data = NULL;
        }
        result = micai_plan_give(plan, type, data);
    }
    return result;
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
    uint32_t types = 0;
    for (uint32_t n = micai_value_next(world->core, record, 0); n != MICAI_BITS_END;
         n = micai_value_next(world->core, record, n + 1)) {
        types++;
    }
    micai_plan plan;
    mica_result result = micai_plan_begin_spawn(&plan, world, call, types);
    result = result ? result : give_values(&plan, record);
    return finish(&plan, result);
}

// Ends

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
    micai_row row = micai_row_of(&world->core->store, record);
    mica_result result = micai_world_guard(world, call);
    if (result) {
        return result;
    }
    uint32_t tables = micai_world_begin(world);
    result = micai_table_reserve_remove(&world->core->store, micai_row_table(row),
                                        micai_row_number(row));
    if (!result) {
        micai_plan_end_entity(world, entity, row);
    }
    return micai_world_end(world, tables, result);
}

mica_result mica_despawn(mica_world *world, mica_entity entity)
{
    const micai_record *record = world ? micai_slots_find(&world->core->slots, entity) : NULL;
    if (record && world->core->gate.busy == 0 && micai_core_keeps_nothing(world->core)) {
        micai_core *core = world->core;
        micai_row row = micai_row_of(&core->store, record);
        if (micai_row_table(row)->quick) {
            micai_row_drop_quickly(&core->store, row, world->view.tick);
            micai_slots_give(core->host, &core->slots, entity);
            return MICA_OK;
        }
    }
    return despawn_slowly(world, entity);
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
    if (result) {
        return result;
    }
    uint32_t tables = micai_world_begin(world);
    result = micai_plan_reserve_end(world, entities, count);
    for (uint32_t i = 0; !result && i < count; i++) {
        const micai_record *record = micai_slots_find(&world->core->slots, entities[i]);
        if (record) { // one that stands in the list twice has ended
            micai_plan_end_entity(world, entities[i], micai_row_of(&world->core->store, record));
        }
    }
    return micai_world_end(world, tables, result);
}
