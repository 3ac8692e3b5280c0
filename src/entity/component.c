// The public calls that change one component: add, remove, set. change_several.c changes several at
// once.
//
// A call looks for the transition of the entity's table and the type, or for the pool. It uses the
// fast path (fast.h) if that is admitted. Otherwise it handles calls without effect, and overwrites
// existing values. A micai_change does everything else, including errors.
#include <mica/component.h>

#include <assert.h>
#include <string.h>

#include "base/compiler.h"
#include "entity/change.h"
#include "entity/fast.h"
#include "entity/locate.h"
#include "state/recorder.h"

// Returns the transition that adds or removes one type, if its target has capacity. Returns NULL
// otherwise. A transition that exists implies a valid type handle, and that the entity lacks the
// type (to add) or has it (to remove).
static inline const micai_transition *find_one(const mica_world *world, micai_row row,
                                               mica_type type, micai_transition_kind kind)
{
    const micai_table *source = micai_row_table(row);
    const micai_transition *t =
        micai_transition_peek(&world->state->store.transitions, kind, type.bits, source);
    return t && micai_row_has_capacity(t->target) ? t : NULL;
}

// One type, the general case

// The arguments of a call.
typedef struct request {
    mica_world *world;
    const char *call;
    mica_entity entity;
    mica_type type;
    const void *data; // NULL: the default
    uint32_t size;
    bool remove;
} request;

MICAI_COLD static mica_result change_long(const request *r)
{
    micai_change c;
    const mica_value value = {r->type, r->data, r->size, 1, NULL};
    mica_result result = micai_change_begin(&c, r->world, r->call, r->entity, 1);
    if (!result) {
        result = r->remove ? micai_change_remove(&c, r->type, MICAI_NO_POSITION)
                           : micai_change_set(&c, &value, MICAI_NO_POSITION);
    }
    return micai_change_finish(&c, result);
}

// The data may be the value itself, or overlap it.
static inline void overwrite(void *value, const void *data, size_t size)
{
    if (size == 8) { // the most common size gets inline code
        memmove(value, data, 8);
    } else {
        memmove(value, data, size);
    }
}

// Overwrites an existing value of a type that can be copied, in place.
static mica_result set_present(mica_world *world, const char *call, micai_entity_ref ref,
                               const micai_type *type, const void *data)
{
    void *ticked = type->plain ? micai_value_open_ticked(world, ref, type->info.type) : NULL;
    if (ticked) {
        overwrite(ticked, data, type->info.size);
        return MICA_OK;
    }
    return micai_fast_overwrite(world, call, ref, type, data);
}

// Returns true if the fast path may change the pool now. It notifies observers in an open world
// only.
static bool may_change_pool(const mica_world *world, const micai_pool *pool, const micai_type *type)
{
    enum { SILENT = MICAI_FAST_UNOBSERVED | MICAI_FAST_UNMATCHED };
    return world->busy == 0 ||
           ((pool->fast_paths & SILENT) == SILENT && micai_change_may_flip(world, type));
}

static bool change_in_pool(const request *r, const micai_type *type, mica_result *result_out)
{
    mica_world *world = r->world;
    micai_pool *pool = micai_pools_find(&world->state->pools, type->info.type);
    bool may =
        pool && micai_fast_can_match(world, pool->fast_paths) && may_change_pool(world, pool, type);
    uint32_t *entry =
        pool ? micai_pool_ready_if(pool, may, mica_entity_slot(r->entity), r->remove) : NULL;
    if (!entry) {
        return false;
    }
    *result_out = !micai_fast_is_unmatched(pool->fast_paths)
                      ? micai_fast_pool_matched(world, r->call, pool, entry, r->entity, r->data)
                  : r->remove
                      ? micai_fast_pool_remove(world, r->call, pool, entry, r->entity)
                      : micai_fast_pool_add(world, r->call, pool, entry, r->entity, r->data);
    return true;
}

static bool change_in_table(const request *r, const micai_type *type, micai_record *record,
                            mica_result *result_out)
{
    mica_world *world = r->world;
    const micai_list list = {&type, r->remove ? 0 : 1, 1};
    const micai_transition *t =
        world->busy == 0
            ? micai_transition_find(&world->state->store,
                                    r->remove ? MICAI_TRANSITION_REMOVE : MICAI_TRANSITION_ADD,
                                    micai_row_table(micai_fast_row(world, record)), &list)
            : NULL;
    if (!t || !micai_row_has_capacity(t->target) || !micai_fast_can_match(world, t->fast_paths)) {
        return false;
    }
    *result_out = !micai_fast_is_unmatched(t->fast_paths)
                      ? micai_fast_matched(world, r->call, t, record, r->data)
                  : r->remove ? micai_fast_remove(world, r->call, t, record)
                              : micai_fast_add(world, r->call, t, record, r->data);
    return true;
}

// Changes a living entity, if that needs no micai_change. The sizes of values have been checked.
// Handles calls without effect first.
static bool change_short(const request *r, const micai_type *type, micai_record *record,
                         mica_result *result_out)
{
    mica_world *world = r->world;
    micai_state *state = world->state;
    const micai_entity_ref ref = {r->entity, record};
    bool present = micai_value_has(state, ref, type);
    if (present == r->remove) {
        return micai_pool_keeps(type) ? change_in_pool(r, type, result_out)
                                      : change_in_table(r, type, record, result_out);
    }
    if (r->data && (!micai_hook_can_copy(type) || micai_type_is_watched(type, MICA_ON_REPLACE))) {
        return false;
    }
    *result_out = r->data ? set_present(world, r->call, ref, type, r->data)
                          : micai_world_finish(world, r->call, MICA_OK);
    return true;
}

// The general case, after the fast paths.
MICAI_NOINLINE static mica_result change_any(const request *r)
{
    if (r->world && !r->world->host.hook && !r->world->host.handler) {
        micai_state *state = r->world->state;
        const micai_type *type = micai_registry_find(&state->registry, r->type);
        micai_record *record = type ? micai_slots_find(&state->slots, r->entity) : NULL;
        uint32_t size = record && r->data ? type->info.size : 0;
        mica_result result;
        if (record && r->size == size && (size > 0 || !r->data) &&
            change_short(r, type, record, &result)) {
            return result;
        }
    }
    return change_long(r);
}

// The same, including recording worlds.

MICAI_NOINLINE static mica_result add_any(mica_world *world, mica_entity entity, mica_type type)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    return recorder ? recorder->set(world, "mica_add", entity, type, NULL, 0)
                    : change_any(&(request){
                          .world = world, .call = "mica_add", .entity = entity, .type = type});
}

MICAI_NOINLINE static mica_result remove_any(mica_world *world, mica_entity entity, mica_type type)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    return recorder ? recorder->remove(world, "mica_remove", entity, type)
                    : change_any(&(request){.world = world,
                                            .call = "mica_remove",
                                            .entity = entity,
                                            .type = type,
                                            .remove = true});
}

MICAI_NOINLINE static mica_result set_any(mica_world *world, const char *call, mica_entity entity,
                                          mica_type type, const void *data, uint32_t size)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    return recorder ? recorder->set(world, call, entity, type, data, size)
                    : change_any(&(request){world, call, entity, type, data, size, false});
}

// Adding

// Adds without the fast path of the pool, or finds that the entity is in it.
MICAI_NOINLINE static mica_result add_in_pool(mica_world *world, mica_entity entity, mica_type type,
                                              micai_pool *pool)
{
    uint32_t *entry = pool ? micai_fast_entry(pool, entity) : NULL;
    if (entry) {
        return micai_fast_pool_add(world, "mica_add", pool, entry, entity, NULL);
    }
    return pool && micai_pool_find(pool, entity) ? micai_world_finish(world, "mica_add", MICA_OK)
                                                 : add_any(world, entity, type);
}

MICAI_NOINLINE static mica_result add_sparse(mica_world *world, mica_entity entity, mica_type type)
{
    micai_pool *pool = micai_fast_pool(world, entity, type);
    uint32_t *entry = pool ? micai_fast_entry_plain(pool, entity) : NULL;
    if (!entry) {
        return add_in_pool(world, entity, type, pool);
    }
    micai_fast_pool_add_plain(world, pool, entry, entity, pool->type->info.default_value);
    return MICA_OK;
}

// Adds by a known transition: with a value, or without the fast path.
MICAI_NOINLINE static mica_result add_by(mica_world *world, const micai_transition *t,
                                         micai_record *record, mica_entity entity, mica_type type)
{
    return micai_fast_is_unmatched(t->fast_paths)
               ? micai_fast_add(world, "mica_add", t, record, NULL)
               : add_any(world, entity, type);
}

// Returns true if the call has no effect. That is an add of a type that the entity has in its
// table, or a remove of one that it lacks.
static inline bool is_done(const mica_world *world, const micai_record *record, mica_type type,
                           bool remove)
{
    const micai_type *found = micai_registry_find(&world->state->registry, type);
    return found && !micai_pool_keeps(found) &&
           micai_table_has(micai_row_table(micai_fast_row(world, record)), found->number) != remove;
}

MICAI_NOINLINE static mica_result add_unknown(mica_world *world, mica_entity entity, mica_type type,
                                              const micai_record *record)
{
    return is_done(world, record, type, false) ? micai_world_finish(world, "mica_add", MICA_OK)
                                               : add_any(world, entity, type);
}

mica_result mica_add(mica_world *world, mica_entity entity, mica_type type)
{
    if (micai_stamp_is_sparse(type.bits)) {
        return add_sparse(world, entity, type);
    }
    micai_record *record = micai_fast_record(world, entity);
    if (!record) {
        return add_any(world, entity, type);
    }
    micai_row row = micai_fast_row(world, record);
    const micai_transition *t = find_one(world, row, type, MICAI_TRANSITION_ADD);
    if (!t) {
        return add_unknown(world, entity, type, record);
    }
    return micai_transition_is_fast(t) && !t->steps->column
               ? micai_fast_move(world, t, micai_row_get_memory(row), record)
               : add_by(world, t, record, entity, type);
}

// Removing

// Removes without the fast path of the pool, or finds that the entity is not in it.
MICAI_NOINLINE static mica_result remove_in_pool(mica_world *world, mica_entity entity,
                                                 mica_type type, micai_pool *pool)
{
    uint32_t *entry = pool ? micai_pool_find(pool, entity) : NULL;
    if (!entry && pool && micai_fast_record(world, entity)) {
        return micai_world_finish(world, "mica_remove", MICA_OK);
    }
    return entry && micai_fast_is_unmatched(pool->fast_paths)
               ? micai_fast_pool_remove(world, "mica_remove", pool, entry, entity)
               : remove_any(world, entity, type);
}

MICAI_NOINLINE static mica_result remove_sparse(mica_world *world, mica_entity entity,
                                                mica_type type)
{
    micai_pool *pool =
        world && world->busy == 0 ? micai_pools_find(&world->state->pools, type) : NULL;
    bool fast = pool && micai_pool_is_fast(pool);
    uint32_t *entry = fast ? micai_pool_find(pool, entity) : NULL;
    if (!entry) {
        return remove_in_pool(world, entity, type, pool);
    }
    micai_fast_pool_remove_plain(world, pool, entry, entity);
    return MICA_OK;
}

MICAI_NOINLINE static mica_result remove_by(mica_world *world, const micai_transition *t,
                                            micai_record *record, mica_entity entity,
                                            mica_type type)
{
    return micai_fast_is_unmatched(t->fast_paths)
               ? micai_fast_remove(world, "mica_remove", t, record)
               : remove_any(world, entity, type);
}

MICAI_NOINLINE static mica_result remove_unknown(mica_world *world, mica_entity entity,
                                                 mica_type type, const micai_record *record)
{
    return is_done(world, record, type, true) ? micai_world_finish(world, "mica_remove", MICA_OK)
                                              : remove_any(world, entity, type);
}

mica_result mica_remove(mica_world *world, mica_entity entity, mica_type type)
{
    if (micai_stamp_is_sparse(type.bits)) {
        return remove_sparse(world, entity, type);
    }
    micai_record *record = micai_fast_record(world, entity);
    if (!record) {
        return remove_any(world, entity, type);
    }
    micai_row row = micai_fast_row(world, record);
    const micai_transition *t = find_one(world, row, type, MICAI_TRANSITION_REMOVE);
    if (!t) {
        return remove_unknown(world, entity, type, record);
    }
    return micai_transition_is_fast(t)
               ? micai_fast_move(world, t, micai_row_get_memory(row), record)
               : remove_by(world, t, record, entity, type);
}

// Setting

// Overwrites an existing value in a pool, if it is bytes, not observed and not hidden.
static bool overwrite_in_pool(const mica_world *world, micai_pool *pool, mica_entity entity,
                              const void *data)
{
    bool may = micai_pool_admits(pool, MICAI_FAST_BYTES | MICAI_FAST_UNOBSERVED) &&
               !pool->index.view.hidden;
    const uint32_t *entry = micai_pool_ready_if(pool, may, mica_entity_slot(entity), true);
    if (entry) {
        micai_pool_touch(pool, *entry - 1, world->view.tick);
        overwrite(micai_pool_value(pool, *entry - 1), data, pool->index.view.size);
    }
    return entry != NULL;
}

// Sets without the fast path of the pool. The parameters of this function and the next begin with
// those of the public function, in its order. Any other order would make callers move registers.
MICAI_NOINLINE static mica_result set_in_pool(mica_world *world, mica_entity entity,
                                              micai_pool *pool, const void *data, uint32_t size,
                                              const char *call)
{
    bool good = data && size == pool->index.view.size && size > 0;
    uint32_t *entry = good ? micai_fast_entry(pool, entity) : NULL;
    if (entry) {
        return micai_fast_pool_add(world, call, pool, entry, entity, data);
    }
    return good && overwrite_in_pool(world, pool, entity, data)
               ? MICA_OK
               : set_any(world, call, entity, pool->type->info.type, data, size);
}

MICAI_NOINLINE static mica_result set_sparse(mica_world *world, mica_entity entity, mica_type type,
                                             const void *data, uint32_t size, const char *call)
{
    micai_pool *pool = micai_fast_pool(world, entity, type);
    if (!pool) {
        return set_any(world, call, entity, type, data, size);
    }
    bool fast = micai_pool_is_fast(pool) && data && size == pool->index.view.size && size > 0;
    uint32_t *entry = fast ? micai_fast_entry_plain(pool, entity) : NULL;
    if (!entry) {
        return set_in_pool(world, entity, pool, data, size, call);
    }
    micai_fast_pool_add_plain(world, pool, entry, entity, data);
    return MICA_OK;
}

// Overwrites an existing value in a table in place, if it is bytes.
static inline bool overwrite_in_table(const mica_world *world, const micai_record *record,
                                      mica_type type, const void *data, uint32_t size)
{
    const micai_state *state = world->state;
    micai_directory_value found =
        micai_directory_find(&state->store.directory, type, record->where);
    if (!data || !found.known || found.size != size ||
        !state->registry.list.items[micai_stamp_number(type.bits)]->plain ||
        !micai_directory_value_open(found, world->view.tick)) {
        return false;
    }
    overwrite(micai_directory_value_data(found), data, found.size);
    return true;
}

// Sets by a known transition, without the fast path.
MICAI_NOINLINE static mica_result set_by(mica_world *world, const char *call, mica_entity entity,
                                         mica_type type, const void *data, uint32_t size)
{
    micai_record *record = micai_fast_record(world, entity);
    const micai_transition *t =
        find_one(world, micai_fast_row(world, record), type, MICAI_TRANSITION_ADD);
    return data && size > 0 && size == (t->steps->expected & UINT32_MAX) &&
                   micai_fast_is_unmatched(t->fast_paths)
               ? micai_fast_add(world, call, t, record, data)
               : set_any(world, call, entity, type, data, size);
}

// Sets without a transition, usually an existing value. The parameters are in the order of the
// public function, followed by the record. Any other order would make the fast path move registers.
MICAI_NOINLINE static mica_result set_with_record(mica_world *world, const char *call,
                                                  mica_type type, const void *data, uint32_t size,
                                                  const micai_record *record)
{
    return overwrite_in_table(world, record, type, data, size)
               ? MICA_OK
               : set_any(world, call, micai_row_entity(micai_fast_row(world, record)), type, data,
                         size);
}

// Sets during iteration, and in the general case. Handlers must not change anything.
MICAI_NOINLINE static mica_result set_without_record(mica_world *world, const char *call,
                                                     mica_entity entity, mica_type type,
                                                     const void *data, uint32_t size)
{
    const micai_record *record = world && !world->recorder && !world->host.handler
                                     ? micai_slots_find(&world->state->slots, entity)
                                     : NULL;
    return record && overwrite_in_table(world, record, type, data, size)
               ? MICA_OK
               : set_any(world, call, entity, type, data, size);
}

static inline mica_result set_one(mica_world *world, const char *call, mica_entity entity,
                                  mica_type type, const void *data, uint32_t size)
{
    if (micai_stamp_is_sparse(type.bits)) {
        return set_sparse(world, entity, type, data, size, call);
    }
    micai_record *record = micai_fast_record(world, entity);
    if (!record) {
        return set_without_record(world, call, entity, type, data, size);
    }
    micai_row row = micai_fast_row(world, record);
    const micai_transition *t = find_one(world, row, type, MICAI_TRANSITION_ADD);
    if (!t) {
        return set_with_record(world, call, type, data, size, record);
    }
    if (!data || size != t->size) {
        return set_by(world, call, entity, type, data, size);
    }
    micai_row_fill(micai_row_raw(t->target), t->steps->fill, data);
    return micai_fast_move(world, t, micai_row_get_memory(row), record);
}

mica_result mica_set_value(mica_world *world, mica_entity entity, mica_type type, const void *data,
                           uint32_t size)
{
    return set_one(world, "mica_set_value", entity, type, data, size);
}

// Sets one value whose C type is compared first, or several values for one entity, which is an
// error.
MICAI_NOINLINE static mica_result set_value_any(mica_world *world, mica_entity entity,
                                                const mica_value *value)
{
    static const char call[] = "mica_set";
    const micai_type *type =
        world ? micai_registry_find(&world->state->registry, value->type) : NULL;
    return value->count == 0 && (!type || micai_type_is_c(type, value->c_type))
               ? set_one(world, call, entity, value->type, value->data, value->size)
               : micai_set_list(world, call, entity, value, 1);
}

mica_result mica_set_values(mica_world *world, mica_entity entity, const mica_value *values,
                            uint32_t count)
{
    static const char call[] = "mica_set";
    if (!values && count > 0) {
        return micai_fail_null(micai_world_host(world), call, "values");
    }
    if (count != 1) {
        return micai_set_list(world, call, entity, values, count);
    }
    return values->count == 1
               ? set_one(world, call, entity, values->type, values->data, values->size)
               : set_value_any(world, entity, values);
}

// For commands that are replayed

// Writes the value and moves the row. Not inline, so that finding the transition saves no
// registers.
MICAI_NOINLINE static mica_result fill_and_move(mica_world *world, const micai_transition *t,
                                                micai_row_memory *memory, micai_record *record,
                                                const void *data)
{
    micai_row_fill(micai_row_raw(t->target), t->steps->fill, data);
    return micai_fast_move(world, t, memory, record);
}

// Do the same as the public calls.
MICAI_NOINLINE static mica_result set_public(mica_world *world, mica_entity entity,
                                             const micai_type *type, const void *data)
{
    return data ? mica_set_value(world, entity, type->info.type, data, type->info.size)
                : mica_add(world, entity, type->info.type);
}

mica_result micai_set_known(mica_world *world, mica_entity entity, micai_record *record,
                            const micai_type *type, const void *data)
{
    micai_row row = micai_fast_row(world, record);
    const micai_transition *t = find_one(world, row, type->info.type, MICAI_TRANSITION_ADD);
    if (t && data && type->info.size == t->size) {
        return fill_and_move(world, t, micai_row_get_memory(row), record, data);
    }
    if (t && !data && micai_transition_is_fast(t) && !t->steps->column) {
        return micai_fast_move(world, t, micai_row_get_memory(row), record);
    }
    return set_public(world, entity, type, data);
}

mica_result micai_remove_known(mica_world *world, mica_entity entity, micai_record *record,
                               const micai_type *type)
{
    micai_row row = micai_fast_row(world, record);
    const micai_transition *t = find_one(world, row, type->info.type, MICAI_TRANSITION_REMOVE);
    return t && micai_transition_is_fast(t)
               ? micai_fast_move(world, t, micai_row_get_memory(row), record)
               : mica_remove(world, entity, type->info.type);
}
