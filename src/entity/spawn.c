// Spawning and despawning: entities come with their components and go with them. Arguments are
// checked here, and short cuts taken; everything else is the plan's.
#include <mica/component.h>

#include <inttypes.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "entity/data.h"
#include "entity/locate.h"
#include "entity/plan.h"
#include "state/recorder.h"

// Short cuts: is there room for one more in a table that is quick? Then its values are filled in, and
// it becomes an entity.
static inline bool has_room(const micai_state *state, const micai_table *table)
{
    return micai_row_has_room(table) &&
           (state->slots.free_first != MICAI_SLOT_NONE || state->slots.fresh < state->slots.ready);
}

static inline mica_entity append(micai_state *state, micai_table *table, uint64_t tick)
{
    mica_entity entity = micai_slots_take(&state->slots, table->next);
    micai_row_append(table, entity, tick);
    return entity;
}

// The same for one whose slot was taken for it.
static inline mica_entity append_pending(micai_state *state, micai_table *table,
                                         mica_entity pending, uint64_t tick)
{
    micai_slots_settle(&state->slots, pending, table->next);
    micai_row_append(table, pending, tick);
    return pending;
}

// Carries out what was planned so far, if all went well; none otherwise.
static mica_entity finish(micai_plan *plan, mica_result result)
{
    result = result ? result : micai_plan_carry_out(plan);
    mica_entity entity = micai_plan_end(plan);
    return result ? mica_entity_none() : entity;
}

// The same of a plan for these values, whose shape is remembered.
static mica_entity finish_values(micai_plan *plan, mica_result result, const mica_value *values,
                                 uint32_t count)
{
    for (uint32_t i = 0; !result && i < count; i++) {
        result = micai_plan_set(plan, &values[i], i);
    }
    result = result ? result : micai_plan_carry_out(plan);
    if (!result) {
        micai_shape_remember(plan->world->state, plan, values, count);
    }
    mica_entity entity = micai_plan_end(plan);
    return result ? mica_entity_none() : entity;
}

// Fills in the values of a bundle or a shape; false if one is missing, or not what it should be.
static inline bool fill_all(const micai_table *table, const micai_bundle_item *items,
                            const mica_value *values, uint32_t count)
{
    const micai_row raw = micai_row_raw(table);
    const micai_bundle_item *end = items + count;
    for (const micai_bundle_item *item = items; item < end; item++, values++) {
        if (!micai_bundle_expects(item, values)) {
            return false;
        }
        if (MICAI_LIKELY(values->data)) {
            micai_row_fill(raw, item->fill, values->data);
        } else if (item->fill.size > 0) {
            return false;
        }
    }
    return true;
}

// The same where there are pools, flags or rings: all is looked at before anything is changed. With a
// handle that was given out, or with none as any. None if it does not go this way.
MICAI_APART static mica_entity spawn_apart(micai_state *state, micai_table *table,
                                           const micai_bundle_item *items, const mica_value *values,
                                           uint32_t count, mica_entity pending, uint64_t tick)
{
    const micai_slots *slots = &state->slots;
    bool any = mica_entity_is_none(pending);
    uint32_t slot = !any                                   ? mica_entity_slot(pending)
                    : slots->free_first != MICAI_SLOT_NONE ? slots->free_first
                                                           : slots->fresh;
    for (uint32_t i = 0; i < count; i++) {
        const micai_bundle_item *item = &items[i];
        if (!micai_bundle_takes(item, &values[i]) ||
            (item->pool && !micai_pool_ready_if(item->pool, item->pool->plain, slot, false))) {
            return mica_entity_none();
        }
    }
    const micai_row raw = micai_row_raw(table);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].column) {
            micai_row_fill_value(&state->store, raw, items[i].fill, values[i].data);
        }
    }
    mica_entity entity =
        any ? append(state, table, tick) : append_pending(state, table, pending, tick);
    for (uint32_t i = 0; i < count; i++) {
        micai_pool *pool = items[i].pool;
        if (pool && pool->simple) {
            micai_pool_add_fast(&state->pools, pool, micai_index_at(&pool->index, slot), entity,
                                values[i].data, tick);
        } else if (pool) {
            micai_pool_append_bytes(&state->pools, pool, micai_index_at(&pool->index, slot), entity,
                                    values[i].data, tick);
        }
    }
    for (uint32_t i = 0; i < count; i++) { // all of them are there when groups look
        if (items[i].pool && !items[i].pool->simple) {
            micai_pool_regroup(&state->pools, items[i].pool, slot, tick);
        }
    }
    return entity;
}

// Values

// The short cut: the shape of these values, with room for one more. NULL otherwise.
static inline const micai_shape *find_shape(const micai_state *state, const mica_value *values,
                                            uint32_t count)
{
    const micai_shape *shape =
        micai_shape_find(micai_bundles_of(state), micai_shape_key(values, count));
    return shape && shape->count == count && has_room(state, shape->table) ? shape : NULL;
}

// On a face that records: the entity to be; none, if that is refused.
MICAI_APART static mica_entity record_one(mica_world *world, const char *call,
                                          const micai_bundle *bundle, const mica_value *values,
                                          uint32_t count)
{
    mica_entity entity;
    return world->recorder->spawn(world, call, bundle, values, count, 1, &entity)
               ? mica_entity_none()
               : entity;
}

MICAI_COLD static mica_entity spawn_values_slowly(mica_world *world, const mica_value *values,
                                                  uint32_t count)
{
    static const char call[] = "mica_spawn";
    if (!world || (!values && count > 0)) {
        micai_fail_null(micai_world_host(world), call, world ? "values" : "world");
        return mica_entity_none();
    }
    micai_plan plan;
    mica_result result = micai_plan_begin_spawn(&plan, world, call, count);
    mica_entity entity = finish_values(&plan, result, values, count);
    (void)micai_world_finish(world, call, MICA_OK);
    return entity;
}

// The shape is remembered as if any entity had been spawned with it.
MICAI_COLD static mica_result spawn_pending_slowly(mica_world *world, mica_entity pending,
                                                   const mica_value *values, uint32_t count)
{
    micai_plan plan;
    mica_result result = micai_plan_begin_spawn(&plan, world, "mica_spawn", count);
    plan.pending = pending;
    return mica_entity_is_none(finish_values(&plan, result, values, count))
               ? micai_world_failed(world)
               : MICA_OK;
}

mica_result micai_spawn_pending(mica_world *world, mica_entity pending, const mica_value *values,
                                uint32_t count)
{
    micai_state *state = world->state;
    const micai_shape *shape =
        count <= MICAI_SHAPE_TYPES
            ? micai_shape_find(micai_bundles_of(state), micai_shape_key(values, count))
            : NULL;
    micai_table *table = shape && shape->count == count ? shape->table : NULL;
    if (!table || !micai_row_has_room(table)) {
        return spawn_pending_slowly(world, pending, values, count);
    }
    if (shape->way == MICAI_WAY_QUICK && fill_all(table, shape->items, values, count)) {
        append_pending(state, table, pending, world->view.tick);
        return MICA_OK;
    }
    bool done = shape->way == MICAI_WAY_APART &&
                !mica_entity_is_none(spawn_apart(state, table, shape->items, values, count, pending,
                                                 world->view.tick));
    return done ? MICA_OK : spawn_pending_slowly(world, pending, values, count);
}

// The short cut of shapes with pools, flags or rings; and all the rest.
MICAI_APART static mica_entity spawn_values_apart(mica_world *world, const mica_value *values,
                                                  uint32_t count)
{
    mica_entity entity = mica_entity_none();
    if (world && values && count <= MICAI_SHAPE_TYPES && world->busy == 0) {
        const micai_shape *shape = find_shape(world->state, values, count);
        if (shape && shape->way == MICAI_WAY_APART) {
            entity = spawn_apart(world->state, shape->table, shape->items, values, count,
                                 mica_entity_none(), world->view.tick);
        }
    }
    return mica_entity_is_none(entity) ? spawn_values_slowly(world, values, count) : entity;
}

MICAI_APART static mica_entity spawn_values_elsewhere(mica_world *world, const mica_value *values,
                                                      uint32_t count)
{
    return micai_recorder_of(world) && (values || count == 0)
               ? record_one(world, "mica_spawn", NULL, values, count)
               : spawn_values_apart(world, values, count);
}

mica_entity mica_spawn_values(mica_world *world, const mica_value *values, uint32_t count)
{
    if (world && values && count <= MICAI_SHAPE_TYPES && world->busy == 0) {
        micai_state *state = world->state;
        const micai_shape *shape = find_shape(state, values, count);
        micai_table *table = shape ? shape->table : NULL;
        if (shape && shape->way == MICAI_WAY_QUICK &&
            fill_all(table, shape->items, values, count)) {
            return append(state, table, world->view.tick);
        }
    }
    return spawn_values_elsewhere(world, values, count);
}

MICAI_COLD static mica_entity spawn_empty_slowly(mica_world *world)
{
    static const char call[] = "mica_spawn_empty";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return mica_entity_none();
    }
    if (world->recorder) {
        return record_one(world, call, NULL, NULL, 0);
    }
    if (micai_world_guard_change(world, call)) {
        return mica_entity_none();
    }
    micai_host_begin(&world->host, call);
    mica_entity entity = micai_plan_spawn_empty(world);
    micai_host_end(&world->host);
    (void)micai_world_finish(world, call, MICA_OK);
    return entity;
}

mica_entity mica_spawn_empty(mica_world *world)
{
    if (world && world->busy == 0) {
        micai_state *state = world->state;
        micai_table *root = state->store.root;
        if (root->quick && has_room(state, root)) {
            return append(state, root, world->view.tick);
        }
    }
    return spawn_empty_slowly(world);
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
    micai_host_begin(&world->host, call);
    mica_result result = micai_plan_spawn_at(world, entity);
    micai_host_end(&world->host);
    (void)micai_world_finish(world, call, MICA_OK);
    return result ? mica_entity_none() : entity;
}

// Bundles

// The short cut: a bundle that was admitted, with room for one more. NULL otherwise.
static inline const micai_bundle *find_short_cut(const mica_world *world, mica_bundle bundle)
{
    const micai_state *state = world->state;
    uint32_t number = micai_stamp_number(bundle.bits);
    if (number >= micai_bundles_of(state)->handles.list.count || world->busy != 0) {
        return NULL;
    }
    const micai_bundle *found = micai_bundles_of(state)->handles.list.items[number];
    bool ready = found && found->quick.bits == bundle.bits && has_room(state, found->table);
    return ready ? found : NULL;
}

// Are these values what the bundle is made of? One each, or as many as there are entities.
static mica_result check_values(mica_world *world, const char *call, const micai_bundle *bundle,
                                const mica_value *values, uint32_t count, const uint32_t *entities)
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
        const micai_type *type = micai_world_type_in(world, call, "value", i, values[i].type);
        if (!type) {
            return MICA_ERROR_TYPE;
        }
        if (type != bundle->items[i].type) {
            return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                              "%s: value %" PRIu32 " is of '%s', the bundle has '%s' there", call,
                              i, type->info.name, bundle->items[i].type->info.name);
        }
        mica_result result = entities
                                 ? micai_world_check_array(world, call, type, &values[i], *entities)
                                 : micai_world_check_value(world, call, type, &values[i]);
        if (result) {
            return result;
        }
    }
    return MICA_OK;
}

// Of values that were checked. Where room was all that was missing for the short cut, it is made: a value
// that lies in the table itself can still be read where it was.
static mica_entity spawn_of(mica_world *world, const char *call, const micai_bundle *bundle,
                            const mica_value *values)
{
    micai_state *state = world->state;
    micai_table *table = bundle->table;
    if (values && world->busy == 0 && bundle->quick.bits == bundle->handle.bits &&
        !has_room(state, table)) {
        if (micai_store_reserve(&state->store, table, 1)) {
            return mica_entity_none();
        }
        if (fill_all(table, bundle->items, values, bundle->count)) {
            return append(state, table, world->view.tick);
        }
    }
    micai_plan plan;
    mica_result result = micai_plan_begin_bundle(&plan, world, call, bundle);
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
    if (world->recorder) {
        const micai_bundle *known = micai_bundle_find(world, call, bundle);
        bool fits = known && !check_values(world, call, known, values, count, NULL);
        return fits ? record_one(world, call, known, values, count) : mica_entity_none();
    }
    if (micai_world_guard_change(world, call)) {
        return mica_entity_none();
    }
    uint32_t tables = micai_world_begin(world, call);
    micai_bundle *found = micai_bundle_open(world, call, bundle);
    mica_result result =
        found ? check_values(world, call, found, values, count, NULL) : micai_world_failed(world);
    mica_entity entity =
        found && !result ? spawn_of(world, call, found, values) : mica_entity_none();
    micai_world_end(world, tables,
                    mica_entity_is_none(entity) ? micai_world_failed(world) : MICA_OK);
    (void)micai_world_finish(world, call, MICA_OK);
    return entity;
}

// The short cut of bundles with pools, flags or rings.
MICAI_APART static mica_entity spawn_elsewhere(mica_world *world, mica_bundle bundle,
                                               const mica_value *values, uint32_t count)
{
    if (world && values && world->busy == 0) {
        micai_state *state = world->state;
        uint32_t number = micai_stamp_number(bundle.bits);
        const micai_bundle *found = number < micai_bundles_of(state)->handles.list.count
                                        ? micai_bundles_of(state)->handles.list.items[number]
                                        : NULL;
        bool ready = found && found->handle.bits == bundle.bits && found->way == MICAI_WAY_APART &&
                     found->count == count && has_room(state, found->table);
        mica_entity entity = ready ? spawn_apart(state, found->table, found->items, values, count,
                                                 mica_entity_none(), world->view.tick)
                                   : mica_entity_none();
        if (!mica_entity_is_none(entity)) {
            return entity;
        }
    }
    return spawn_slowly(world, bundle, values, count);
}

mica_entity mica_spawn_bundle(mica_world *world, mica_bundle bundle, const mica_value *values,
                              uint32_t count)
{
    if (world && values) {
        micai_state *state = world->state;
        const micai_bundle *ready = find_short_cut(world, bundle);
        micai_table *table = ready ? ready->table : NULL;
        if (ready && count == ready->count && fill_all(table, ready->items, values, count)) {
            return append(state, table, world->view.tick);
        }
    }
    return spawn_elsewhere(world, bundle, values, count);
}

static mica_result record_many(mica_world *world, const char *call, mica_bundle bundle,
                               uint32_t count, const mica_value *arrays, uint32_t array_count,
                               mica_entity *entities_out)
{
    const micai_bundle *found = micai_bundle_find(world, call, bundle);
    if (!found) {
        return micai_world_failed(world);
    }
    mica_result result = check_values(world, call, found, arrays, array_count, &count);
    result = result ? result : check_sources(world, call, found, arrays, count);
    return result ? result
                  : world->recorder->spawn(world, call, found, arrays, array_count, count,
                                           entities_out);
}

// Is it given values that it has when it went well?
static bool hands_over(const micai_bundle *bundle, const mica_value *arrays)
{
    bool hands = false;
    for (uint32_t i = 0; arrays && i < bundle->count; i++) {
        hands = hands || !micai_hook_can_copy(bundle->items[i].type);
    }
    return hands;
}

mica_result mica_spawn_many(mica_world *world, mica_bundle bundle, uint32_t count,
                            const mica_value *arrays, uint32_t array_count,
                            mica_entity *entities_out)
{
    static const char call[] = "mica_spawn_many";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    if (world->recorder) {
        return record_many(world, call, bundle, count, arrays, array_count, entities_out);
    }
    mica_result result = micai_world_guard_change(world, call);
    if (result) {
        return result;
    }
    uint32_t tables = micai_world_begin(world, call);
    micai_bundle *found = micai_bundle_open(world, call, bundle);
    result = micai_world_failed(world);
    if (found) {
        result = check_values(world, call, found, arrays, array_count, &count);
        result = result ? result : check_sources(world, call, found, arrays, count);
        result = result ? result : micai_plan_spawn_many(world, found, count, arrays, entities_out);
    }
    result = micai_world_end(world, tables, result);
    mica_result paid = micai_world_finish(world, call, result);
    return found && hands_over(found, arrays) ? result : paid;
}

// Clones

// Gives a plan a copy of each value of an entity; what is disabled is disabled in the clone, too.
static mica_result give_values(micai_plan *plan, micai_living who)
{
    mica_world *world = plan->world;
    mica_result result = MICA_OK;
    for (uint32_t n = micai_value_next(world->state, who, 0); !result && n != MICAI_BITS_END;
         n = micai_value_next(world->state, who, n + 1)) {
        const micai_type *type = world->state->registry.list.items[n];
        if (!micai_hook_can_copy(type)) {
            return micai_fail(&world->host, MICA_ERROR_HOOK,
                              "%s: '%s' has a destruct hook but no copy hook", plan->call,
                              type->info.name);
        }
        micai_value value = micai_value_find(world->state, who, type);
        const void *data =
            micai_value_is_there(value) ? micai_value_see(world, plan->call, value) : NULL;
        if (!data && micai_value_is_there(value)) {
            return MICA_ERROR_MEMORY;
        }
        if (MICAI_CANARY("entity.clone")) {
            data = NULL;
        }
        result = micai_plan_give(plan, type, data);
        if (!result && type->info.toggle && !micai_value_is_on(world->state, who, type)) {
            result = micai_plan_switch(plan, type, true);
        }
    }
    return result;
}

mica_entity micai_spawn_clone(mica_world *world, const char *call, mica_entity entity,
                              mica_entity pending)
{
    const micai_living who = {entity, micai_slots_find(&world->state->slots, entity)};
    uint32_t types = 0;
    for (uint32_t n = micai_value_next(world->state, who, 0); n != MICAI_BITS_END;
         n = micai_value_next(world->state, who, n + 1)) {
        types++;
    }
    micai_plan plan;
    mica_result result = micai_plan_begin_spawn(&plan, world, call, types);
    plan.pending = pending;
    return finish(&plan, result ? result : give_values(&plan, who));
}

mica_entity mica_clone(mica_world *world, mica_entity entity)
{
    static const char call[] = "mica_clone";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return mica_entity_none();
    }
    if (world->recorder) {
        return world->recorder->clone(world, call, entity);
    }
    if (!micai_slots_find(&world->state->slots, entity)) {
        micai_slots_fail(&world->host, call, entity);
        return mica_entity_none();
    }
    mica_entity clone = micai_spawn_clone(world, call, entity, mica_entity_none());
    (void)micai_world_finish(world, call, MICA_OK);
    return clone;
}

// Ends

static mica_result end_many(mica_world *world, const char *call, const mica_entity *entities,
                            uint32_t count)
{
    micai_host_begin(&world->host, call);
    mica_result result = micai_plan_end_many(world, call, entities, count);
    micai_host_end(&world->host);
    return micai_world_finish(world, call, result);
}

MICAI_COLD static mica_result despawn_slowly(mica_world *world, mica_entity entity)
{
    static const char call[] = "mica_despawn";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    if (world->recorder) {
        return world->recorder->despawn(world, call, &entity, 1);
    }
    if (!micai_slots_find(&world->state->slots, entity)) {
        return micai_slots_fail(&world->host, call, entity);
    }
    mica_result result = micai_world_guard_change(world, call);
    return result ? result : end_many(world, call, &entity, 1);
}

// The record and the home of an entity that may end as bytes, of a quick table or of a light one; NULL, if
// it may not, or is none. Of the last in a slot there is something to report.
static inline micai_record *find_end(const mica_world *world, mica_entity entity, bool light,
                                     micai_home **home_out)
{
    micai_record *record = world ? micai_slots_find(&world->state->slots, entity) : NULL;
    if (record && !micai_slots_is_last(entity) && world->busy == 0 && world->state->keepers == 0) {
        micai_row row = micai_row_of(&world->state->store, record);
        *home_out = micai_row_home(row);
        const micai_table *table = micai_row_table(row);
        return (light ? table->light : table->quick) ? record : NULL;
    }
    return NULL;
}

// The slot first, so that the rest has fewer registers to save.
MICAI_APART static mica_result end_quickly(mica_world *world, mica_entity entity,
                                           micai_record *record, micai_home *home)
{
    micai_state *state = world->state;
    micai_row row = micai_row_in(home, record->where);
    micai_slots_give_on(&state->slots, mica_entity_slot(entity), record);
    micai_row_drop_fast(&state->store, row, world->view.tick);
    return MICA_OK;
}

// Where there are pools, it leaves those it is in first.
MICAI_APART static mica_result despawn_from_pools(mica_world *world, mica_entity entity,
                                                  micai_record *record, micai_home *home)
{
    micai_pools_forget(&world->state->pools, mica_entity_slot(entity), world->view.tick);
    return end_quickly(world, entity, record, home);
}

// Where there are rings.
MICAI_APART static mica_result despawn_lightly(mica_world *world, mica_entity entity)
{
    micai_home *home;
    micai_record *record = find_end(world, entity, true, &home);
    if (!record) {
        return despawn_slowly(world, entity);
    }
    micai_state *state = world->state;
    if (state->pools.kept > 0) {
        micai_pools_forget(&state->pools, mica_entity_slot(entity), world->view.tick);
    }
    micai_row row = micai_row_in(home, record->where);
    micai_slots_give_on(&state->slots, mica_entity_slot(entity), record);
    micai_row_drop_with_rings(&state->store, row, world->view.tick);
    return MICA_OK;
}

mica_result mica_despawn(mica_world *world, mica_entity entity)
{
    micai_home *home;
    micai_record *record = find_end(world, entity, false, &home);
    if (!record) {
        return despawn_lightly(world, entity);
    }
    return world->state->pools.kept > 0 ? despawn_from_pools(world, entity, record, home)
                                        : end_quickly(world, entity, record, home);
}

// Ends all of them, one after the other, if each may end as bytes: first that is asked of all, then none can
// be refused any more. False: nothing was done. Records are asked for some time before they are needed.
static bool end_all_quickly(mica_world *world, const mica_entity *entities, uint32_t count)
{
    enum { AHEAD = 16 };
    micai_state *state = world->state;
    micai_home *home;
    bool quick = world->busy == 0;
    for (uint32_t i = 0; quick && i < count; i++) {
        quick = find_end(world, entities[i], false, &home) != NULL;
    }
    if (!quick) {
        return false;
    }
    bool pools = state->pools.kept > 0;
    for (uint32_t i = 0; i < count; i++) {
        if (count - i > AHEAD) {
            MICAI_PREFETCH(micai_slots_at(&state->slots, mica_entity_slot(entities[i + AHEAD])));
        }
        uint32_t slot = mica_entity_slot(entities[i]);
        micai_record *record = micai_slots_at(&state->slots, slot);
        if (!micai_record_is_of(record, entities[i])) {
            continue; // it stands in the list twice
        }
        micai_row row = micai_row_of(&state->store, record);
        if (pools) {
            micai_pools_forget(&state->pools, slot, world->view.tick);
        }
        micai_slots_give_on(&state->slots, slot, record);
        micai_row_drop_fast(&state->store, row, world->view.tick);
    }
    return true;
}

mica_result mica_despawn_many(mica_world *world, const mica_entity *entities, uint32_t count)
{
    static const char call[] = "mica_despawn_many";
    if (!world || (!entities && count > 0)) {
        return micai_fail_null(micai_world_host(world), call, world ? "entities" : "world");
    }
    if (world->recorder) {
        return world->recorder->despawn(world, call, entities, count);
    }
    if (end_all_quickly(world, entities, count)) {
        return MICA_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!micai_slots_find(&world->state->slots, entities[i])) {
            return micai_slots_fail(&world->host, call, entities[i]);
        }
    }
    mica_result result = micai_world_guard_change(world, call);
    return result ? result : end_many(world, call, entities, count);
}
