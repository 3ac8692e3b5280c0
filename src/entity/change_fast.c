// Changing what an entity has: the public calls for one component and for several, with their fast paths.
//
// A change of one type, or of a list, is looked up among the transitions of the entity's table. One that admits the fast
// path is run here: values are filled in, the row moves, nobody is notified. Others that are nothing but bytes are run
// here, too, with rings, flags and ticks looked after and with observers notified (change_bytes). Sparse types have no
// transition; their pools admit the same. Everything else, errors included, is a micai_change.
//
// Faces that record take no fast path: their world is never open.
#include <mica/component.h>

#include <assert.h>
#include <string.h>

#include "base/compiler.h"
#include "entity/change.h"
#include "entity/locate.h"
#include "state/recorder.h"

// Fast paths are for living entities of a world that may be changed: their record; NULL otherwise.
static inline micai_record *find_record(const mica_world *world, mica_entity entity)
{
    return world && world->busy == 0 ? micai_slots_find(&world->state->slots, entity) : NULL;
}

// The transition that adds one type to an entity, or removes it, with capacity in its target; NULL: not known. That the
// type's handle is good, and the entity lacks the type, or has it, is known because the transition is there.
static inline const micai_transition *find_one(const mica_world *world, micai_row row,
                                               mica_type type, micai_transition_kind kind)
{
    const micai_table *source = micai_row_table(row);
    const micai_transition *t =
        micai_transition_peek(&world->state->store.transitions, kind, type.bits, source);
    return t && micai_row_has_room(t->target) ? t : NULL;
}

static inline micai_row row_of(const mica_world *world, const micai_record *record)
{
    return micai_row_of(&world->state->store, record);
}

// What fast paths end in, so that they save no registers.
MICAI_APART static mica_result move_fast(mica_world *world, const micai_transition *t,
                                         micai_home *home, micai_record *record)
{
    micai_row row = micai_row_in(home, record->where);
    micai_row_move_fast(&world->state->store, t, row, record, world->view.tick);
    return MICA_OK;
}

// One type, as bytes

// Is all bytes, and does no observer of a query have to be notified?
static inline bool is_unmatched(uint32_t fast_paths)
{
    enum { NEEDED = MICAI_FAST_BYTES | MICAI_FAST_UNMATCHED };
    return (fast_paths & NEEDED) == NEEDED;
}

// Observers of a type that is about to be removed.
static inline void notify_removed(mica_world *world, const char *call, mica_entity entity,
                                  const micai_type *type, const void *value)
{
    micai_ear *ear = micai_tidings_find_alone(world, type, MICA_ON_REMOVE);
    if (ear) {
        micai_tidings_tell_alone(world, call, ear, entity, MICA_ON_REMOVE, value);
    } else {
        micai_tidings_tell_one(world, call, entity, type, MICA_ON_REMOVE, value);
    }
}

// With observers of queries, each of which has a bit: the notifications of a change, before and after it.
typedef struct matched_change {
    micai_tidings tidings;
    uint64_t matched[1];
} matched_change;

static void begin_matched(matched_change *c, mica_world *world, const char *call,
                          mica_entity entity, const micai_type *type, bool remove, bool given)
{
    c->matched[0] = 0;
    c->tidings = micai_tidings_begin(world, call);
    c->tidings.who =
        (micai_living){entity, micai_slots_at(&world->state->slots, mica_entity_slot(entity))};
    c->tidings.one = type;
    c->tidings.comes = !remove;
    c->tidings.goes = remove;
    c->tidings.given = given;
    c->tidings.matched = c->matched;
    micai_tidings_tell(world, &c->tidings, MICAI_WATCH_BEFORE);
}

static mica_result end_matched(matched_change *c, mica_world *world)
{
    micai_tidings_tell(world, &c->tidings, MICAI_WATCH_AFTER);
    return micai_world_finish(world, c->tidings.call, MICA_OK);
}

// Adds a type by a transition that is known and has capacity, with the data or (NULL) its default.
static inline void commit_added(mica_world *world, const micai_transition *t, micai_row row,
                                micai_record *record, const void *data)
{
    micai_store *store = &world->state->store;
    const micai_step *step = t->steps;
    if (step->column) {
        micai_row_fill_value(store, micai_row_raw(t->target), step->fill,
                             data ? data : step->type->info.default_value);
    }
    if (t->fast_paths & MICAI_FAST_PLAIN) {
        micai_row_move_fast(store, t, row, record, world->view.tick);
    } else {
        micai_row_move_with_rings(store, t, row, record, world->view.tick);
    }
}

MICAI_APART static mica_result add_matched(mica_world *world, const char *call,
                                           const micai_transition *t, micai_record *record,
                                           const void *data)
{
    matched_change c;
    micai_row row = row_of(world, record);
    begin_matched(&c, world, call, micai_row_entity(row), t->steps->type, false, data != NULL);
    commit_added(world, t, row, record, data);
    return end_matched(&c, world);
}

MICAI_APART static mica_result add_in_table(mica_world *world, const char *call,
                                            const micai_transition *t, micai_record *record,
                                            const void *data)
{
    uint32_t fast_paths = t->fast_paths;
    micai_row row = row_of(world, record);
    mica_entity entity = micai_row_entity(row);
    commit_added(world, t, row, record, data);
    if (fast_paths & MICAI_FAST_UNOBSERVED) {
        return MICA_OK;
    }
    const micai_type *type = t->steps->type;
    const void *value =
        fast_paths & MICAI_FAST_PLAIN
            ? micai_row_added_value(t, row_of(world, record))
            : micai_value_look_at(world->state, (micai_living){entity, record}, type);
    return micai_tidings_end_come(world, call, entity, type, value, data != NULL);
}

// Removes a type likewise. Observers may have disabled something, which the target does not know of yet.
static void commit_removed(mica_world *world, const micai_transition *t, micai_record *record)
{
    micai_row_move(&world->state->store, t, row_of(world, record), record, world->view.tick);
}

MICAI_APART static mica_result remove_matched(mica_world *world, const char *call,
                                              const micai_transition *t, micai_record *record)
{
    matched_change c;
    mica_entity entity = micai_row_entity(row_of(world, record));
    begin_matched(&c, world, call, entity, t->steps->type, true, false);
    commit_removed(world, t, record);
    return end_matched(&c, world);
}

MICAI_APART static mica_result remove_in_table(mica_world *world, const char *call,
                                               const micai_transition *t, micai_record *record)
{
    uint32_t fast_paths = t->fast_paths;
    const micai_type *type = t->steps->type;
    if (micai_watches(type, MICA_ON_REMOVE)) {
        micai_row row = row_of(world, record);
        mica_entity entity = micai_row_entity(row);
        notify_removed(
            world, call, entity, type,
            fast_paths & MICAI_FAST_PLAIN
                ? micai_row_removed_value(t, row)
                : micai_value_look_at(world->state, (micai_living){entity, record}, type));
    }
    if ((fast_paths & MICAI_FAST_PLAIN) && t->source->dimmed == 0) {
        micai_row_move_fast(&world->state->store, t, row_of(world, record), record,
                            world->view.tick);
    } else {
        commit_removed(world, t, record);
    }
    return micai_world_finish(world, call, MICA_OK);
}

// The same in a pool: of an entity that is not there yet, with data or (NULL) the default; that is there. The entry is
// that of its slot. Adding returns where the value is.
static inline const void *commit_to_pool(mica_world *world, micai_pool *pool, uint32_t *entry,
                                         mica_entity entity, const void *data)
{
    micai_pools *pools = &world->state->pools;
    const void *value = data ? data : pool->type->info.default_value;
    if (MICAI_LIKELY(pool->fast_paths & MICAI_FAST_PLAIN)) {
        return micai_pool_add_fast(pools, pool, entry, entity, value, world->view.tick);
    }
    micai_pool_add_bytes(pools, pool, entry, entity, value, world->view.tick);
    return micai_pool_value(pool, *entry - 1);
}

static inline void commit_from_pool(mica_world *world, micai_pool *pool, uint32_t *entry,
                                    mica_entity entity)
{
    uint32_t slot = mica_entity_slot(entity);
    if (MICAI_LIKELY(pool->fast_paths & MICAI_FAST_PLAIN)) {
        micai_pool_remove_fast(&world->state->pools, pool, entry, slot, world->view.tick);
    } else {
        micai_pool_remove_bytes(&world->state->pools, pool, entry, slot, world->view.tick);
    }
}

static mica_result change_pool_matched(mica_world *world, const char *call, micai_pool *pool,
                                       uint32_t *entry, mica_entity entity, const void *data)
{
    matched_change c;
    bool remove = *entry != 0;
    begin_matched(&c, world, call, entity, pool->type, remove, data != NULL);
    if (remove) {
        commit_from_pool(world, pool, entry, entity);
    } else {
        commit_to_pool(world, pool, entry, entity, data);
    }
    return end_matched(&c, world);
}

static inline mica_result add_to_pool(mica_world *world, const char *call, micai_pool *pool,
                                      uint32_t *entry, mica_entity entity, const void *data)
{
    bool observed = !(pool->fast_paths & MICAI_FAST_UNOBSERVED);
    const micai_type *type = pool->type;
    const void *value = commit_to_pool(world, pool, entry, entity, data);
    return observed ? micai_tidings_end_come(world, call, entity, type, value, data != NULL)
                    : MICA_OK;
}

static inline mica_result remove_from_pool(mica_world *world, const char *call, micai_pool *pool,
                                           uint32_t *entry, mica_entity entity)
{
    if (micai_watches(pool->type, MICA_ON_REMOVE)) {
        uint32_t row = *entry - 1;
        notify_removed(world, call, entity, pool->type,
                       MICAI_LIKELY(pool->fast_paths & MICAI_FAST_PLAIN)
                           ? micai_pool_value_fast(pool, row)
                           : micai_pool_value(pool, row));
    }
    commit_from_pool(world, pool, entry, entity);
    return micai_world_finish(world, call, MICA_OK);
}

// The entry of a slot in a pool whose entity can be added so; NULL: not so.
static inline uint32_t *find_entry(const micai_pool *pool, mica_entity entity)
{
    return micai_pool_ready_if(pool, is_unmatched(pool->fast_paths), mica_entity_slot(entity),
                               false);
}

// One type, in any way

// What is asked for, as it came from the caller.
typedef struct request {
    mica_world *world;
    const char *call;
    mica_entity entity;
    mica_type type;
    const void *data; // NULL: the default
    uint64_t size;    // the upper half says how many values there are, if they are several
    bool remove;
} request;

MICAI_COLD static mica_result change_long(const request *r)
{
    micai_change c;
    const mica_value value = {r->type, r->data, (uint32_t)r->size, (uint32_t)(r->size >> 32)};
    mica_result result = micai_change_begin(&c, r->world, r->call, r->entity, 1);
    if (!result) {
        result = r->remove ? micai_change_remove(&c, r->type, MICAI_ALONE)
                           : micai_change_set(&c, &value, MICAI_ALONE);
    }
    return micai_change_finish(&c, result);
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

// A value that is there, of a type that can be copied, stays where it is.
static mica_result set_present(mica_world *world, const char *call, micai_living who,
                               const micai_type *type, const void *data)
{
    void *ticked = type->plain ? micai_value_open_ticked(world, who, type->info.type) : NULL;
    if (ticked) {
        overwrite(ticked, data, type->info.size);
        return MICA_OK;
    }
    mica_result result = micai_world_reach(world, call, type);
    bool observed = micai_watches(type, MICA_ON_SET);
    result = result || !observed ? result : micai_tidings_check_depth(world, call);
    result = result
                 ? result
                 : micai_value_write(world, call, micai_value_find(world->state, who, type), data);
    if (observed && !result) {
        who.record = micai_slots_find(&world->state->slots, who.entity);
        micai_tidings_tell_one(world, call, who.entity, type, MICA_ON_SET,
                               micai_value_look_at(world->state, who, type));
    }
    return observed ? micai_world_finish(world, call, result) : result;
}

// Can observers of queries be notified without asking for memory?
static inline bool can_match(const mica_world *world, uint32_t fast_paths)
{
    return (fast_paths & MICAI_FAST_BYTES) &&
           ((fast_paths & MICAI_FAST_UNMATCHED) || world->state->matchers <= 64);
}

static bool change_in_pool(const request *r, const micai_type *type, mica_result *result_out)
{
    mica_world *world = r->world;
    micai_pool *pool = micai_pools_find(&world->state->pools, type->info.type);
    bool may = pool && can_match(world, pool->fast_paths) &&
               (world->busy == 0 || micai_change_may_flip(world, type));
    uint32_t *entry =
        pool ? micai_pool_ready_if(pool, may, mica_entity_slot(r->entity), r->remove) : NULL;
    if (!entry) {
        return false;
    }
    *result_out = !is_unmatched(pool->fast_paths)
                      ? change_pool_matched(world, r->call, pool, entry, r->entity, r->data)
                  : r->remove ? remove_from_pool(world, r->call, pool, entry, r->entity)
                              : add_to_pool(world, r->call, pool, entry, r->entity, r->data);
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
                                    micai_row_table(row_of(world, record)), &list)
            : NULL;
    if (!t || !micai_row_has_room(t->target) || !can_match(world, t->fast_paths)) {
        return false;
    }
    bool matched = !is_unmatched(t->fast_paths);
    if (r->remove) {
        *result_out = matched ? remove_matched(world, r->call, t, record)
                              : remove_in_table(world, r->call, t, record);
    } else {
        *result_out = matched ? add_matched(world, r->call, t, record, r->data)
                              : add_in_table(world, r->call, t, record, r->data);
    }
    return true;
}

// The change of a living entity by values that have the right size, if it needs no micai_change. What makes no
// difference is recognised first.
static bool change_short(const request *r, const micai_type *type, micai_record *record,
                         mica_result *result_out)
{
    mica_world *world = r->world;
    micai_state *state = world->state;
    const micai_living who = {r->entity, record};
    bool present = micai_value_has(state, who, type);
    *result_out = MICA_OK;
    if (present != r->remove) {
        if (r->data && micai_hook_can_copy(type)) {
            *result_out = set_present(world, r->call, who, type, r->data);
        }
        return !r->data || micai_hook_can_copy(type);
    }
    return micai_pool_keeps(type) ? change_in_pool(r, type, result_out)
                                  : change_in_table(r, type, record, result_out);
}

// Whatever the fast paths left.
MICAI_APART static mica_result change_any(const request *r)
{
    if (r->world && !r->world->host.hook && !r->world->host.handler) {
        micai_state *state = r->world->state;
        const micai_type *type = micai_registry_find(&state->registry, r->type);
        micai_record *record = type ? micai_slots_find(&state->slots, r->entity) : NULL;
        uint64_t size = record && r->data ? type->info.size : 0;
        mica_result result;
        if (record && r->size == size && (size > 0 || !r->data) &&
            change_short(r, type, record, &result)) {
            return result;
        }
    }
    return change_long(r);
}

// The same, and faces that record.

MICAI_APART static mica_result add_any(mica_world *world, mica_entity entity, mica_type type)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    return recorder ? recorder->set(world, "mica_add", entity, type, NULL, 0)
                    : change_any(&(request){
                          .world = world, .call = "mica_add", .entity = entity, .type = type});
}

MICAI_APART static mica_result remove_any(mica_world *world, mica_entity entity, mica_type type)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    return recorder ? recorder->remove(world, "mica_remove", entity, type)
                    : change_any(&(request){.world = world,
                                            .call = "mica_remove",
                                            .entity = entity,
                                            .type = type,
                                            .remove = true});
}

MICAI_APART static mica_result set_any(mica_world *world, const char *call, mica_entity entity,
                                       mica_type type, const void *data, uint64_t size)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    return recorder ? recorder->set(world, call, entity, type, data, size)
                    : change_any(&(request){world, call, entity, type, data, size, false});
}

// Adding

// The pool of a living entity's type, in a world that may be changed.
static inline micai_pool *find_pool(const mica_world *world, mica_entity entity, mica_type type)
{
    return find_record(world, entity) ? micai_pools_find(&world->state->pools, type) : NULL;
}

// Where it can be added to its pool on the fast path; NULL otherwise.
static inline uint32_t *find_fast_entry(const micai_pool *pool, mica_entity entity)
{
    return micai_pool_ready_if(pool, micai_pool_is_fast(pool), mica_entity_slot(entity), false);
}

// Whatever the fast path of its pool left.
MICAI_APART static mica_result add_sparse_any(mica_world *world, mica_entity entity, mica_type type,
                                              micai_pool *pool)
{
    uint32_t *entry = pool ? find_entry(pool, entity) : NULL;
    return entry ? add_to_pool(world, "mica_add", pool, entry, entity, NULL)
                 : add_any(world, entity, type);
}

MICAI_APART static mica_result add_sparse(mica_world *world, mica_entity entity, mica_type type)
{
    micai_pool *pool = find_pool(world, entity, type);
    uint32_t *entry = pool ? find_fast_entry(pool, entity) : NULL;
    if (!entry) {
        return add_sparse_any(world, entity, type, pool);
    }
    micai_pool_add_fast(&world->state->pools, pool, entry, entity, pool->type->info.default_value,
                        world->view.tick);
    return MICA_OK;
}

// By a transition that is known: with a value, or not on the fast path.
MICAI_APART static mica_result add_by(mica_world *world, const micai_transition *t,
                                      micai_record *record, mica_entity entity, mica_type type)
{
    return is_unmatched(t->fast_paths) ? add_in_table(world, "mica_add", t, record, NULL)
                                       : add_any(world, entity, type);
}

mica_result mica_add(mica_world *world, mica_entity entity, mica_type type)
{
    if (micai_stamp_is_sparse(type.bits)) {
        return add_sparse(world, entity, type);
    }
    micai_record *record = find_record(world, entity);
    if (!record) {
        return add_any(world, entity, type);
    }
    micai_row row = row_of(world, record);
    const micai_transition *t = find_one(world, row, type, MICAI_TRANSITION_ADD);
    if (!t) {
        return add_any(world, entity, type);
    }
    return micai_transition_is_fast(t) && !t->steps->column
               ? move_fast(world, t, micai_row_home(row), record)
               : add_by(world, t, record, entity, type);
}

// Removing

// Whatever the fast path of its pool left.
MICAI_APART static mica_result remove_sparse_any(mica_world *world, mica_entity entity,
                                                 mica_type type, micai_pool *pool)
{
    uint32_t *entry = pool && is_unmatched(pool->fast_paths) ? micai_pool_find(pool, entity) : NULL;
    return entry ? remove_from_pool(world, "mica_remove", pool, entry, entity)
                 : remove_any(world, entity, type);
}

MICAI_APART static mica_result remove_sparse(mica_world *world, mica_entity entity, mica_type type)
{
    micai_pool *pool =
        world && world->busy == 0 ? micai_pools_find(&world->state->pools, type) : NULL;
    bool fast = pool && micai_pool_is_fast(pool);
    uint32_t *entry = fast ? micai_pool_find(pool, entity) : NULL;
    if (!entry) {
        return remove_sparse_any(world, entity, type, pool);
    }
    micai_pool_remove_fast(&world->state->pools, pool, entry, mica_entity_slot(entity),
                           world->view.tick);
    return MICA_OK;
}

MICAI_APART static mica_result remove_by(mica_world *world, const micai_transition *t,
                                         micai_record *record, mica_entity entity, mica_type type)
{
    return is_unmatched(t->fast_paths) ? remove_in_table(world, "mica_remove", t, record)
                                       : remove_any(world, entity, type);
}

mica_result mica_remove(mica_world *world, mica_entity entity, mica_type type)
{
    if (micai_stamp_is_sparse(type.bits)) {
        return remove_sparse(world, entity, type);
    }
    micai_record *record = find_record(world, entity);
    if (!record) {
        return remove_any(world, entity, type);
    }
    micai_row row = row_of(world, record);
    const micai_transition *t = find_one(world, row, type, MICAI_TRANSITION_REMOVE);
    if (!t) {
        return remove_any(world, entity, type);
    }
    return micai_transition_is_fast(t) ? move_fast(world, t, micai_row_home(row), record)
                                       : remove_by(world, t, record, entity, type);
}

// Setting

// A value of a pool that is there, if it is nothing but bytes that nobody observes or has hidden.
static bool overwrite_in_pool(const mica_world *world, micai_pool *pool, mica_entity entity,
                              const void *data)
{
    bool may = micai_pool_admits(pool, MICAI_FAST_BYTES | MICAI_FAST_UNOBSERVED) &&
               !pool->index.view.hidden;
    const uint32_t *entry = micai_pool_ready_if(pool, may, mica_entity_slot(entity), true);
    if (entry) {
        micai_pool_stamp(pool, *entry - 1, 1, world->view.tick);
        overwrite(micai_pool_value(pool, *entry - 1), data, pool->index.view.size);
    }
    return entry != NULL;
}

// Whatever the fast path of its pool left.
MICAI_APART static mica_result set_in_pool(mica_world *world, const char *call, mica_entity entity,
                                           micai_pool *pool, const void *data, uint64_t size)
{
    bool good = data && size == pool->index.view.size && size > 0;
    uint32_t *entry = good ? find_entry(pool, entity) : NULL;
    if (entry) {
        return add_to_pool(world, call, pool, entry, entity, data);
    }
    return good && overwrite_in_pool(world, pool, entity, data)
               ? MICA_OK
               : set_any(world, call, entity, pool->type->info.type, data, size);
}

MICAI_APART static mica_result set_sparse(mica_world *world, const char *call, mica_entity entity,
                                          mica_type type, const void *data, uint64_t size)
{
    micai_pool *pool = find_pool(world, entity, type);
    if (!pool) {
        return set_any(world, call, entity, type, data, size);
    }
    bool good = data && size == pool->index.view.size && size > 0;
    uint32_t *entry = good ? find_fast_entry(pool, entity) : NULL;
    if (!entry) {
        return set_in_pool(world, call, entity, pool, data, size);
    }
    micai_pool_add_fast(&world->state->pools, pool, entry, entity, data, world->view.tick);
    return MICA_OK;
}

// A value that is there, in a table: if it is nothing but bytes, it is overwritten where it is.
static inline bool overwrite_in_table(const mica_world *world, const micai_record *record,
                                      mica_type type, const void *data, uint64_t size)
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

// By a transition that is known, but not on the fast path.
MICAI_APART static mica_result set_by(mica_world *world, const char *call, mica_entity entity,
                                      mica_type type, const void *data, uint64_t size)
{
    micai_record *record = find_record(world, entity);
    const micai_transition *t = find_one(world, row_of(world, record), type, MICAI_TRANSITION_ADD);
    return data && size > 0 && size == (t->steps->given & UINT32_MAX) && is_unmatched(t->fast_paths)
               ? add_in_table(world, call, t, record, data)
               : set_any(world, call, entity, type, data, size);
}

// Of an entity without a transition: a value that is there, mostly. Arguments stand where they do in the public function,
// and the record behind them: in any other order, the fast path would move registers for it.
MICAI_APART static mica_result set_with_record(mica_world *world, const char *call, mica_type type,
                                               const void *data, uint64_t size,
                                               const micai_record *record)
{
    return overwrite_in_table(world, record, type, data, size)
               ? MICA_OK
               : set_any(world, call, micai_row_entity(row_of(world, record)), type, data, size);
}

// Of a world that is iterated; and whatever else. Handlers may change nothing.
MICAI_APART static mica_result set_without_record(mica_world *world, const char *call,
                                                  mica_entity entity, mica_type type,
                                                  const void *data, uint64_t size)
{
    const micai_record *record = world && !world->recorder && !world->host.handler
                                     ? micai_slots_find(&world->state->slots, entity)
                                     : NULL;
    return record && overwrite_in_table(world, record, type, data, size)
               ? MICA_OK
               : set_any(world, call, entity, type, data, size);
}

// `size` has in its upper half how many values there are, if they are several.
static inline mica_result set_one(mica_world *world, const char *call, mica_entity entity,
                                  mica_type type, const void *data, uint64_t size)
{
    if (micai_stamp_is_sparse(type.bits)) {
        return set_sparse(world, call, entity, type, data, size);
    }
    micai_record *record = find_record(world, entity);
    if (!record) {
        return set_without_record(world, call, entity, type, data, size);
    }
    micai_row row = row_of(world, record);
    const micai_transition *t = find_one(world, row, type, MICAI_TRANSITION_ADD);
    if (!t) {
        return set_with_record(world, call, type, data, size, record);
    }
    if (!data || size != t->size) {
        return set_by(world, call, entity, type, data, size);
    }
    micai_row_fill(micai_row_raw(t->target), t->steps->fill, data);
    return move_fast(world, t, micai_row_home(row), record);
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
        return micai_set_list(world, call, entity, values, count);
    }
    const uint64_t one = UINT64_C(1) << 32;
    uint64_t size = (uint64_t)values->count << 32 | values->size;
    return set_one(world, call, entity, values->type, values->data, size & ~one);
}

// For commands that are replayed

// Fills in the value, and moves. Apart, so that what finds the transition saves no registers.
MICAI_APART static mica_result fill_and_move(mica_world *world, const micai_transition *t,
                                             micai_home *home, micai_record *record,
                                             const void *data)
{
    micai_row_fill(micai_row_raw(t->target), t->steps->fill, data);
    return move_fast(world, t, home, record);
}

// The same as public calls.
MICAI_APART static mica_result set_public(mica_world *world, mica_entity entity,
                                          const micai_type *type, const void *data)
{
    return data ? mica_set_value(world, entity, type->info.type, data, type->info.size)
                : mica_add(world, entity, type->info.type);
}

mica_result micai_set_known(mica_world *world, mica_entity entity, micai_record *record,
                            const micai_type *type, const void *data)
{
    micai_row row = row_of(world, record);
    const micai_transition *t = find_one(world, row, type->info.type, MICAI_TRANSITION_ADD);
    if (t && data && type->info.size == t->size) {
        return fill_and_move(world, t, micai_row_home(row), record, data);
    }
    if (t && !data && micai_transition_is_fast(t) && !t->steps->column) {
        return move_fast(world, t, micai_row_home(row), record);
    }
    return set_public(world, entity, type, data);
}

mica_result micai_remove_known(mica_world *world, mica_entity entity, micai_record *record,
                               const micai_type *type)
{
    micai_row row = row_of(world, record);
    const micai_transition *t = find_one(world, row, type->info.type, MICAI_TRANSITION_REMOVE);
    return t && micai_transition_is_fast(t) ? move_fast(world, t, micai_row_home(row), record)
                                            : mica_remove(world, entity, type->info.type);
}
