// Changing what an entity has: add, remove, set, for one component. several.c is for several at once.
//
// Each function for one component tries the short cuts first, which call nothing but the move they end
// in. Otherwise, setting what is there is for the router; the plan does everything else, errors included.
// The short cuts of pools are apart from those of tables, which would have to save registers for them.
// Faces that record take no short cut, and turn off where the others begin to plan, or before.
#include <mica/component.h>

#include <assert.h>
#include <string.h>

#include "base/compiler.h"
#include "entity/locate.h"
#include "entity/plan.h"
#include "state/recorder.h"

// Short cuts are for living entities of a world that may be changed: their record; NULL otherwise. Faces
// that record are never open, and need not look for the entity twice.
static inline micai_record *find_record(const mica_world *world, mica_entity entity)
{
    return world && world->busy == 0 ? micai_slots_find(&world->state->slots, entity) : NULL;
}

// In tables: the edge along which the entity can go at once; NULL otherwise.
static inline const micai_edge *find_edge(const mica_world *world, const micai_record *record,
                                          mica_type type, bool remove, micai_row *row_out)
{
    *row_out = micai_row_of(&world->state->store, record);
    return micai_row_ready(&world->state->store, micai_row_table(*row_out), type, remove);
}

// The same where there are rings.
static inline const micai_edge *find_light_edge(const mica_world *world, const micai_record *record,
                                                mica_type type, bool remove, micai_row *row_out)
{
    *row_out = micai_row_of(&world->state->store, record);
    return micai_row_ready_with_rings(&world->state->store, micai_row_table(*row_out), type,
                                      remove);
}

// The same of a type that is observed.
static inline const micai_edge *find_told_edge(const mica_world *world, const micai_record *record,
                                               mica_type type, bool remove, micai_row *row_out)
{
    *row_out = micai_row_of(&world->state->store, record);
    return micai_row_ready_and_told(&world->state->store, micai_row_table(*row_out), type, remove);
}

// Where somebody observes queries: what they are told of has no edge that is remembered, and nobody else's short
// cut has to be asked for. False: nothing was done.
static inline bool change_matched(mica_world *world, const char *call, mica_entity entity,
                                  mica_type type, const void *data, uint64_t size, bool remove)
{
    return world->state->matchers > 0 &&
           micai_plan_one(world, call, entity, type, data, size, remove);
}

// Goes along an edge that find_edge() gave. What the short cuts end in, so that they save no registers.
MICAI_APART static mica_result go(mica_world *world, const micai_edge *edge, micai_home *home,
                                  micai_record *record)
{
    micai_row row = micai_row_in(home, record->where);
    micai_row_move_fast(&world->state->store, edge, row, record, world->view.tick);
    return MICA_OK;
}

// In pools: of a living entity, that of the type, if what is in it may come and go now: also while the
// world is iterated, if it is a tag that may flip. NULL otherwise.
static micai_pool *find_pool(const mica_world *world, mica_entity entity, mica_type type)
{
    const micai_state *state = world ? world->state : NULL;
    micai_pool *pool = state && micai_slots_find(&state->slots, entity)
                           ? micai_pools_find(&state->pools, type)
                           : NULL;
    return pool && (world->busy == 0 || micai_plan_may_flip(world, pool->type)) ? pool : NULL;
}

// Where it can be added to its pool at once; NULL otherwise.
static inline uint32_t *find_entry(const mica_world *world, mica_entity entity, mica_type type,
                                   micai_pool **pool_out)
{
    micai_pool *pool =
        find_record(world, entity) ? micai_pools_find(&world->state->pools, type) : NULL;
    *pool_out = pool;
    return pool ? micai_pool_ready_if(pool, pool->quick, mica_entity_slot(entity), false) : NULL;
}

// Adds it, with a copy of the data or, if there is none, of zeroes.
static inline void *join(mica_world *world, micai_pool *pool, uint32_t *entry, mica_entity entity,
                         const void *data)
{
    return micai_pool_add_fast(&world->state->pools, pool, entry, entity, data, world->view.tick);
}

// Short cuts that tell. Where one listens who listens alone, telling is a call and what shuts and opens the world
// around it; whoever it is, what is told afterwards comes last, so that little has to be kept meanwhile.

static inline void tell_goes(mica_world *world, const char *call, mica_entity entity,
                             const micai_type *type, const void *value)
{
    micai_ear *ear = micai_tidings_find_alone(world, type, MICA_ON_REMOVE);
    if (ear) {
        micai_tidings_tell_alone(world, call, ear, entity, MICA_ON_REMOVE, value);
    } else {
        micai_tidings_tell_one(world, call, entity, type, MICA_ON_REMOVE, value);
    }
}

// Along an edge of find_told_edge(): with data of its size; with one type less. The whole call.
MICAI_APART static mica_result go_and_tell(mica_world *world, const char *call,
                                           const micai_edge *edge, micai_record *record,
                                           const void *data)
{
    micai_store *store = &world->state->store;
    micai_row row = micai_row_of(store, record);
    mica_entity entity = micai_row_entity(row);
    if (!edge->direct) {
        return micai_plan_go(world, call, edge, entity, record, data);
    }
    micai_row raw = micai_row_raw(edge->target);
    micai_row_fill(raw, edge->fill, data);
    const void *value = micai_row_coming(edge, raw);
    micai_row_move_fast(store, edge, row, record, world->view.tick);
    return micai_tidings_end_come(world, call, entity,
                                  world->state->registry.list.items[edge->key >> 1], value, true);
}

MICAI_APART static mica_result tell_and_go(mica_world *world, const char *call,
                                           const micai_edge *edge, mica_entity entity,
                                           micai_record *record)
{
    micai_store *store = &world->state->store;
    micai_row row = micai_row_of(store, record);
    if (!edge->direct) {
        return micai_plan_go(world, call, edge, entity, record, NULL);
    }
    tell_goes(world, call, entity, world->state->registry.list.items[edge->key >> 1],
              micai_row_going(edge, row));
    row = micai_row_of(store, record);
    if (MICAI_LIKELY(edge->source->dimmed == 0)) {
        micai_row_move_fast(store, edge, row, record, world->view.tick);
    } else { // something was disabled meanwhile, perhaps, of which the target is to hear
        micai_row_move(store, edge, row, record, world->view.tick);
    }
    return micai_world_finish(world, call, MICA_OK);
}

// Adding

MICAI_COLD static mica_result add_slowly(mica_world *world, mica_entity entity, mica_type type)
{
    if (micai_plan_one(world, "mica_add", entity, type, NULL, 0, false)) {
        return micai_world_finish(world, "mica_add", MICA_OK);
    }
    micai_plan plan;
    mica_result result = micai_plan_begin(&plan, world, "mica_add", entity, 1);
    result = result ? result : micai_plan_set(&plan, &(mica_value){.type = type}, MICAI_ALONE);
    return micai_plan_finish(&plan, result);
}

// Faces that record; pools that are not quick, and tags while the world is iterated. The pool, if it is
// known already.
MICAI_APART static mica_result add_beside(mica_world *world, mica_entity entity, mica_type type,
                                          micai_pool *known)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    if (recorder) {
        return recorder->set(world, "mica_add", entity, type, NULL, 0);
    }
    micai_pool *pool = known ? known : find_pool(world, entity, type);
    uint32_t *entry =
        pool ? micai_pool_ready_if(pool, pool->plain, mica_entity_slot(entity), false) : NULL;
    if (entry) {
        micai_pool_add_bytes(&world->state->pools, pool, entry, entity,
                             pool->type->info.default_value, world->view.tick);
        return MICA_OK;
    }
    return pool && micai_plan_join(world, "mica_add", pool, entity, pool->type->info.default_value,
                                   false)
               ? micai_world_finish(world, "mica_add", MICA_OK)
               : add_slowly(world, entity, type);
}

// The pool is one that is fast, and has no entry for find_entry().
MICAI_APART static mica_result add_observed(mica_world *world, mica_entity entity, mica_type type,
                                            micai_pool *pool)
{
    uint32_t *entry = micai_pool_ready_if(pool, pool->fast, mica_entity_slot(entity), false);
    if (!entry || pool->plain) {
        return add_beside(world, entity, type, pool);
    }
    const micai_type *known = pool->type;
    const void *value = join(world, pool, entry, entity, known->info.default_value);
    return micai_tidings_end_come(world, "mica_add", entity, known, value, false);
}

MICAI_APART static mica_result add_to_pool(mica_world *world, mica_entity entity, mica_type type)
{
    micai_pool *pool;
    uint32_t *entry = find_entry(world, entity, type, &pool);
    if (!entry) {
        return pool ? add_observed(world, entity, type, pool)
                    : add_beside(world, entity, type, pool);
    }
    join(world, pool, entry, entity, pool->type->info.default_value);
    return MICA_OK;
}

// Where nobody's short cut leads: those who observe queries, pools.
MICAI_APART static mica_result add_otherwise(mica_world *world, mica_entity entity, mica_type type)
{
    return change_matched(world, "mica_add", entity, type, NULL, 0, false)
               ? micai_world_finish(world, "mica_add", MICA_OK)
               : add_to_pool(world, entity, type);
}

// Where there are rings. The record is that of find_record().
MICAI_APART static mica_result add_lightly(mica_world *world, mica_entity entity, mica_type type,
                                           micai_record *record)
{
    micai_store *store = &world->state->store;
    micai_row row;
    const micai_edge *edge = find_light_edge(world, record, type, false, &row);
    if (!edge) {
        edge = find_told_edge(world, record, type, false, &row);
        return edge ? micai_plan_go(world, "mica_add", edge, entity, record, NULL)
                    : add_otherwise(world, entity, type);
    }
    if (micai_edge_fills(edge)) {
        uint32_t number = micai_stamp_number(type.bits); // good, because the edge's is
        micai_row_fill_value(store, micai_row_raw(edge->target), edge->fill,
                             world->state->registry.list.items[number]->info.default_value);
    }
    micai_row_move_with_rings(store, edge, row, record, world->view.tick);
    return MICA_OK;
}

// A type with values, along the edge of find_edge().
MICAI_APART static mica_result add_filled(mica_world *world, mica_type type, micai_record *record)
{
    micai_row row;
    const micai_edge *edge = find_edge(world, record, type, false, &row);
    uint32_t number = micai_stamp_number(type.bits); // good, because the edge's is
    micai_row_fill_value(&world->state->store, micai_row_raw(edge->target), edge->fill,
                         world->state->registry.list.items[number]->info.default_value);
    return go(world, edge, micai_row_home(row), record);
}

// There is no record: the world is shut, or the entity is none. Who records need not go further.
MICAI_APART static mica_result add_shut(mica_world *world, mica_entity entity, mica_type type)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    return recorder ? recorder->set(world, "mica_add", entity, type, NULL, 0)
                    : add_to_pool(world, entity, type);
}

mica_result mica_add(mica_world *world, mica_entity entity, mica_type type)
{
    if (micai_stamp_is_sparse(type.bits)) {
        return add_to_pool(world, entity, type);
    }
    micai_row row;
    micai_record *record = find_record(world, entity);
    if (!record) {
        return add_shut(world, entity, type);
    }
    const micai_edge *edge = find_edge(world, record, type, false, &row);
    if (!edge) {
        return add_lightly(world, entity, type, record);
    }
    if (micai_edge_fills(edge)) {
        return add_filled(world, type, record);
    }
    return go(world, edge, micai_row_home(row), record);
}

// Removing

MICAI_COLD static mica_result remove_slowly(mica_world *world, mica_entity entity, mica_type type)
{
    if (micai_plan_one(world, "mica_remove", entity, type, NULL, 0, true)) {
        return micai_world_finish(world, "mica_remove", MICA_OK);
    }
    micai_plan plan;
    mica_result result = micai_plan_begin(&plan, world, "mica_remove", entity, 0);
    result = result ? result : micai_plan_remove(&plan, type, MICAI_ALONE);
    return micai_plan_finish(&plan, result);
}

// Faces that record; pools that are not quick, and tags while the world is iterated. The pool, if it is
// known already; who is in it is alive.
MICAI_APART static mica_result remove_beside(mica_world *world, mica_entity entity, mica_type type,
                                             micai_pool *known)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    if (recorder) {
        return recorder->remove(world, "mica_remove", entity, type);
    }
    uint32_t slot = mica_entity_slot(entity);
    micai_pool *pool =
        known && micai_pool_find(known, entity) ? known : find_pool(world, entity, type);
    uint32_t *entry = pool ? micai_pool_ready_if(pool, pool->plain, slot, true) : NULL;
    if (entry) {
        micai_pool_remove_bytes(&world->state->pools, pool, entry, slot, world->view.tick);
        return MICA_OK;
    }
    return pool && micai_plan_leave(world, "mica_remove", pool, entity)
               ? micai_world_finish(world, "mica_remove", MICA_OK)
               : remove_slowly(world, entity, type);
}

// The pool is one that is fast.
MICAI_APART static mica_result notify_and_remove(mica_world *world, mica_entity entity,
                                                 mica_type type, micai_pool *pool)
{
    uint32_t *entry = micai_pool_find(pool, entity);
    if (!entry) {
        return remove_beside(world, entity, type, pool);
    }
    tell_goes(world, "mica_remove", entity, pool->type, micai_pool_value_fast(pool, *entry - 1));
    micai_pool_remove_fast(&world->state->pools, pool, entry, mica_entity_slot(entity),
                           world->view.tick);
    return micai_world_finish(world, "mica_remove", MICA_OK);
}

MICAI_APART static mica_result remove_from_pool(mica_world *world, mica_entity entity,
                                                mica_type type)
{
    micai_pool *pool =
        world && world->busy == 0 ? micai_pools_find(&world->state->pools, type) : NULL;
    uint32_t *entry = pool && pool->quick ? micai_pool_find(pool, entity) : NULL;
    if (!entry) {
        return pool && pool->fast ? notify_and_remove(world, entity, type, pool)
                                  : remove_beside(world, entity, type, pool);
    }
    micai_pool_remove_fast(&world->state->pools, pool, entry, mica_entity_slot(entity),
                           world->view.tick);
    return MICA_OK;
}

// Where nobody's short cut leads: those who observe queries, pools.
MICAI_APART static mica_result remove_otherwise(mica_world *world, mica_entity entity,
                                                mica_type type)
{
    return change_matched(world, "mica_remove", entity, type, NULL, 0, true)
               ? micai_world_finish(world, "mica_remove", MICA_OK)
               : remove_from_pool(world, entity, type);
}

// Where there are rings. The record is that of find_record().
MICAI_APART static mica_result remove_lightly(mica_world *world, mica_entity entity, mica_type type,
                                              micai_record *record)
{
    micai_row row;
    const micai_edge *edge = find_light_edge(world, record, type, true, &row);
    if (!edge) {
        edge = find_told_edge(world, record, type, true, &row);
        return edge ? tell_and_go(world, "mica_remove", edge, entity, record)
                    : remove_otherwise(world, entity, type);
    }
    micai_row_move_with_rings(&world->state->store, edge, row, record, world->view.tick);
    return MICA_OK;
}

MICAI_APART static mica_result remove_shut(mica_world *world, mica_entity entity, mica_type type)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    return recorder ? recorder->remove(world, "mica_remove", entity, type)
                    : remove_from_pool(world, entity, type);
}

mica_result mica_remove(mica_world *world, mica_entity entity, mica_type type)
{
    if (micai_stamp_is_sparse(type.bits)) {
        return remove_from_pool(world, entity, type);
    }
    micai_row row;
    micai_record *record = find_record(world, entity);
    if (!record) {
        return remove_shut(world, entity, type);
    }
    const micai_edge *edge = find_edge(world, record, type, true, &row);
    if (!edge) {
        return remove_lightly(world, entity, type, record);
    }
    return go(world, edge, micai_row_home(row), record);
}

// Setting

// The value to be overwritten, if there is one and nothing is wrong; nothing otherwise. Whether values
// that cannot be copied may be given is for the plan to say.
static micai_value find_present(const mica_world *world, mica_entity entity, mica_type type,
                                const void *data, uint64_t size)
{
    const micai_value nothing = {0};
    const micai_record *record = world ? micai_slots_find(&world->state->slots, entity) : NULL;
    const micai_type *found = record ? micai_registry_find(&world->state->registry, type) : NULL;
    return found && data && size == found->info.size && micai_hook_can_copy(found)
               ? micai_value_find(world->state, (micai_living){entity, record}, found)
               : nothing;
}

// A value that is there, and that somebody observes.
MICAI_APART static mica_result set_watched(mica_world *world, const char *call, mica_entity entity,
                                           micai_value present, const void *data)
{
    mica_result result = micai_tidings_check_depth(world, call);
    result = result ? result : micai_value_write(world, call, present, data);
    if (!result) {
        const micai_living who = {entity, micai_slots_find(&world->state->slots, entity)};
        micai_tidings_tell_one(world, call, entity, present.type, MICA_ON_SET,
                               micai_value_look_at(world->state, who, present.type));
    }
    return micai_world_finish(world, call, result);
}

// What is there stays where it is, and needs no plan to be overwritten.
MICAI_COLD static mica_result set_slowly(mica_world *world, const char *call, mica_entity entity,
                                         mica_type type, const void *data, uint64_t size)
{
    micai_value present = find_present(world, entity, type, data, size);
    if (micai_value_is_there(present)) {
        mica_result result = micai_world_edit(world, call);
        result = result ? result : micai_world_reach(world, call, present.type);
        return result ? result
               : micai_watches(present.type, MICA_ON_SET)
                   ? set_watched(world, call, entity, present, data)
                   : micai_value_write(world, call, present, data);
    }
    if (data && micai_plan_one(world, call, entity, type, data, size, false)) {
        return micai_world_finish(world, call, MICA_OK);
    }
    const mica_value value = {type, data, (uint32_t)size, (uint32_t)(size >> 32)};
    micai_plan plan;
    mica_result result = micai_plan_begin(&plan, world, call, entity, 1);
    result = result ? result : micai_plan_set(&plan, &value, MICAI_ALONE);
    return micai_plan_finish(&plan, result);
}

// What is given may be the value itself, or overlap it.
static inline void overwrite(void *value, const void *data, size_t size)
{
    if (size == 8) { // so common that it is not asked
        memmove(value, data, 8);
    } else {
        memmove(value, data, size);
    }
}

// What is in a table and has ticks is overwritten, if it is nothing but bytes.
static bool set_ticked(mica_world *world, mica_entity entity, mica_type type, const void *data,
                       uint64_t size)
{
    const micai_type *found = micai_registry_find(&world->state->registry, type);
    if (!found || !data || size != found->info.size || !found->plain) {
        return false;
    }
    const micai_living who = {entity, micai_slots_find(&world->state->slots, entity)};
    void *value = micai_value_open_ticked(world, who, type);
    if (value) {
        overwrite(value, data, found->info.size);
    }
    return value != NULL;
}

// What is in a pool is overwritten, if it is nothing but bytes. Handlers may change nothing. And pools
// that are not quick; and faces that record.
MICAI_APART static mica_result set_beside(mica_world *world, mica_entity entity, mica_type type,
                                          const void *data, uint64_t size, const char *call)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    if (recorder) {
        return recorder->set(world, call, entity, type, data, size);
    }
    const micai_state *state = world && !world->host.handler ? world->state : NULL;
    micai_pool *pool = state && micai_slots_find(&state->slots, entity)
                           ? micai_pools_find(&state->pools, type)
                           : NULL;
    if (state && !pool && set_ticked(world, entity, type, data, size)) {
        return MICA_OK;
    }
    if (pool && data && size == pool->index.view.size && size > 0) {
        bool may = pool->plain && !pool->index.view.hidden;
        const uint32_t *entry = micai_pool_ready_if(pool, may, mica_entity_slot(entity), true);
        if (entry) {
            void *value = micai_pool_value(pool, *entry - 1);
            assert(value); // it has a size
            micai_pool_stamp(pool, *entry - 1, 1, world->view.tick);
            overwrite(value, data, pool->index.view.size);
            return MICA_OK;
        }
        uint32_t *raw = micai_pool_ready_if(pool, pool->plain && world->busy == 0,
                                            mica_entity_slot(entity), false);
        if (raw) {
            micai_pool_add_bytes(&world->state->pools, pool, raw, entity, data, world->view.tick);
            return MICA_OK;
        }
        if (micai_plan_join(world, call, pool, entity, data, true)) {
            return micai_world_finish(world, call, MICA_OK);
        }
    }
    return set_slowly(world, call, entity, type, data, size);
}

// The pool is one that is fast, and has no entry for find_entry(); the data has its size.
MICAI_APART static mica_result set_observed(mica_world *world, mica_entity entity, mica_type type,
                                            const void *data, micai_pool *pool, const char *call)
{
    uint32_t *entry = micai_pool_ready_if(pool, true, mica_entity_slot(entity), false);
    if (!entry || pool->plain) {
        return set_beside(world, entity, type, data, pool->index.view.size, call);
    }
    const micai_type *known = pool->type; // before bytes are written, which may be anything
    const void *value = join(world, pool, entry, entity, data);
    return micai_tidings_end_come(world, call, entity, known, value, true);
}

MICAI_APART static mica_result set_in_pool(mica_world *world, mica_entity entity, mica_type type,
                                           const void *data, uint64_t size, const char *call)
{
    micai_pool *pool;
    uint32_t *entry = find_entry(world, entity, type, &pool);
    if (!entry || !data || size == 0 || size != pool->index.view.size) {
        return pool && pool->fast && data && size == pool->index.view.size && size > 0
                   ? set_observed(world, entity, type, data, pool, call)
                   : set_beside(world, entity, type, data, size, call);
    }
    join(world, pool, entry, entity, data);
    return MICA_OK;
}

// Where there are rings.
MICAI_APART static mica_result set_lightly(mica_world *world, const char *call, mica_entity entity,
                                           mica_type type, const void *data, uint64_t size)
{
    micai_row row;
    micai_record *record = find_record(world, entity);
    const micai_edge *edge =
        record && data ? find_light_edge(world, record, type, false, &row) : NULL;
    if (!edge || !micai_edge_fills(edge) || edge->fill.size != size) {
        return set_in_pool(world, entity, type, data, size, call);
    }
    micai_store *store = &world->state->store;
    micai_row_fill_value(store, micai_row_raw(edge->target), edge->fill, data);
    micai_row_move_with_rings(store, edge, row, record, world->view.tick);
    return MICA_OK;
}

// A value that comes to a table with a flag or ticks, along an edge of find_edge(). And sizes that are wrong.
MICAI_APART static mica_result set_apart(mica_world *world, const char *call, mica_entity entity,
                                         mica_type type, const void *data, uint64_t size)
{
    micai_row row;
    micai_record *record = find_record(world, entity);
    const micai_edge *edge = record && data ? find_edge(world, record, type, false, &row) : NULL;
    if (!edge || !micai_edge_fills(edge) || edge->fill.size != size) {
        return set_slowly(world, call, entity, type, data, size);
    }
    micai_row_fill_value(&world->state->store, micai_row_raw(edge->target), edge->fill, data);
    return go(world, edge, micai_row_home(row), record);
}

// Where somebody observes queries.
MICAI_APART static mica_result set_matched(mica_world *world, const char *call, mica_entity entity,
                                           mica_type type, const void *data, uint64_t size)
{
    return data && micai_plan_one(world, call, entity, type, data, size, false)
               ? micai_world_finish(world, call, MICA_OK)
               : set_lightly(world, call, entity, type, data, size);
}

// A value that is there, in a table: if it is nothing but bytes, it is overwritten where it is.
static inline bool overwrite_present(mica_world *world, const micai_record *record, mica_type type,
                                     const void *data, uint64_t size)
{
    const micai_state *state = world->state;
    micai_reach found = micai_directory_reach(&state->store.directory, type, record->where);
    if (!data || !found.known || found.size != size ||
        !state->registry.list.items[micai_stamp_number(type.bits)]->plain ||
        !micai_reach_open(found, world->view.tick)) {
        return false;
    }
    overwrite(micai_reach_value(found), data, found.size);
    return true;
}

// Of one that find_record() knows: that, and what is observed. Who it is says its row. Arguments stand where they
// do in the public function, and the record behind them: in any other order, those who do not come here would move
// registers for it.
MICAI_APART static mica_result set_elsewhere(mica_world *world, const char *call, mica_type type,
                                             const void *data, uint64_t size, micai_record *record)
{
    micai_row row;
    const micai_edge *edge = find_told_edge(world, record, type, false, &row);
    if (edge && data && micai_edge_fills(edge) && edge->fill.size == size) {
        return go_and_tell(world, call, edge, record, data);
    }
    if (overwrite_present(world, record, type, data, size)) {
        return MICA_OK;
    }
    mica_entity entity = micai_row_entity(row);
    return world->state->matchers > 0 ? set_matched(world, call, entity, type, data, size)
                                      : set_lightly(world, call, entity, type, data, size);
}

// The world is shut, or there is no record. Handlers may change nothing.
MICAI_APART static mica_result set_inside(mica_world *world, const char *call, mica_entity entity,
                                          mica_type type, const void *data, uint64_t size)
{
    if (!world || world->host.handler) {
        return set_slowly(world, call, entity, type, data, size);
    }
    const micai_record *record = micai_slots_find(&world->state->slots, entity);
    return record && overwrite_present(world, record, type, data, size)
               ? MICA_OK
               : set_lightly(world, call, entity, type, data, size);
}

MICAI_APART static mica_result set_shut(mica_world *world, const char *call, mica_entity entity,
                                        mica_type type, const void *data, uint64_t size)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    return recorder ? recorder->set(world, call, entity, type, data, size)
                    : set_inside(world, call, entity, type, data, size);
}

// `size` has in its upper half how many values there are, if they are several.
static inline mica_result set_one(mica_world *world, const char *call, mica_entity entity,
                                  mica_type type, const void *data, uint64_t size)
{
    if (micai_stamp_is_sparse(type.bits)) {
        return set_in_pool(world, entity, type, data, size, call);
    }
    micai_row row;
    micai_record *record = find_record(world, entity);
    if (!record) {
        return set_shut(world, call, entity, type, data, size);
    }
    const micai_edge *edge = find_edge(world, record, type, false, &row);
    if (!edge) {
        return set_elsewhere(world, call, type, data, size, record);
    }
    if (!data || size != edge->size) {
        return set_apart(world, call, entity, type, data, size);
    }
    micai_row_fill(micai_row_raw(edge->target), edge->fill, data);
    return go(world, edge, micai_row_home(row), record);
}

mica_result mica_set_value(mica_world *world, mica_entity entity, mica_type type, const void *data,
                           uint32_t size)
{
    return set_one(world, "mica_set_value", entity, type, data, size);
}

mica_result mica_set_values(mica_world *world, mica_entity entity, const mica_value *values,
                            uint32_t count)
{
    static const char call[] = "mica_set";
    if (!values && count > 0) {
        return micai_fail_null(micai_world_host(world), call, "values");
    }
    if (count != 1) {
        return micai_change_values(world, call, entity, values, count);
    }
    const uint64_t one = UINT64_C(1) << 32;
    uint64_t size = (uint64_t)values->count << 32 | values->size;
    return set_one(world, call, entity, values->type, values->data, size & ~one);
}

// For commands that are carried out

// Fills in the value, and goes. Apart, so that what finds the way saves no registers.
MICAI_APART static mica_result fill_and_go(mica_world *world, const micai_edge *edge,
                                           micai_home *home, micai_record *record, const void *data)
{
    micai_row_fill(micai_row_raw(edge->target), edge->fill, data);
    return go(world, edge, home, record);
}

// The same for what has no short cut.
MICAI_APART static mica_result change_elsewhere(mica_world *world, mica_entity entity,
                                                const micai_type *type, const void *data)
{
    const mica_type bits = type->info.type;
    return data ? mica_set_value(world, entity, bits, data, type->info.size)
                : mica_add(world, entity, bits);
}

mica_result micai_change_set(mica_world *world, mica_entity entity, micai_record *record,
                             const micai_type *type, const void *data)
{
    const mica_type bits = type->info.type;
    micai_row row;
    const micai_edge *edge =
        micai_stamp_is_sparse(bits.bits) ? NULL : find_edge(world, record, bits, false, &row);
    if (edge && data && type->info.size == edge->size) {
        return fill_and_go(world, edge, micai_row_home(row), record, data);
    }
    if (edge && !data && !micai_edge_fills(edge)) {
        return go(world, edge, micai_row_home(row), record);
    }
    return change_elsewhere(world, entity, type, data);
}

mica_result micai_change_remove(mica_world *world, mica_entity entity, micai_record *record,
                                const micai_type *type)
{
    const mica_type bits = type->info.type;
    micai_row row;
    const micai_edge *edge =
        micai_stamp_is_sparse(bits.bits) ? NULL : find_edge(world, record, bits, true, &row);
    return edge ? go(world, edge, micai_row_home(row), record) : mica_remove(world, entity, bits);
}
