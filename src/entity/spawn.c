// Spawning and despawning: the public calls, which check their arguments, and their fast paths. A
// micai_change does everything else.
#include <mica/component.h>

#include <inttypes.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "entity/change.h"
#include "entity/data.h"
#include "entity/fast.h"
#include "entity/locate.h"
#include "state/recorder.h"

enum { SPAWN_MAX = 64 }; // most values that are looked up

// Values

// Returns the transition that spawns a list of values, according to its key, or NULL.
static inline const micai_transition *find_spawn(micai_state *state, const mica_value *values,
                                                 uint32_t count)
{
    uint64_t key = 0;
    for (uint32_t i = 0; count <= SPAWN_MAX && i < count; i++) {
        key = micai_list_key_add(key, values[i].type.bits);
    }
    const micai_transition *t =
        micai_transition_seek(&state->store.transitions, MICAI_TRANSITION_SPAWN, key, NULL);
    return t && t->step_count == count ? t : NULL;
}

// Records a spawn in a recording world. Returns the future entity, or none if it is refused.
MICAI_NOINLINE static mica_entity record_one(mica_world *world, const char *call,
                                             const micai_bundle *bundle, const mica_value *values,
                                             uint32_t count)
{
    mica_entity entity;
    return world->recorder->spawn(world, call, bundle, values, count, 1, &entity) ? (mica_entity){0}
                                                                                  : entity;
}

// Spawns an entity without components. Unlike a micai_change it needs no scratch memory: memory
// that was reserved for slots is enough.
static mica_entity spawn_empty_long(mica_world *world, const char *call)
{
    if (micai_world_guard_change(world, call)) {
        return (mica_entity){0};
    }
    micai_host_begin(&world->host, call);
    mica_entity entity = micai_spawn_empty(world, call);
    micai_host_end(&world->host);
    (void)micai_world_finish(world, call, MICA_OK);
    return entity;
}

// Uses the handle `pending` or, if that is null, any.
MICAI_COLD static mica_entity spawn_values_long(mica_world *world, mica_entity pending,
                                                const mica_value *values, uint32_t count)
{
    static const char call[] = "mica_spawn";
    if (!world || (!values && count > 0)) {
        micai_fail_null(micai_world_host(world), call, world ? "values" : "world");
        return (mica_entity){0};
    }
    if (count == 0 && MICA_IS_NONE(pending)) {
        return spawn_empty_long(world, call);
    }
    micai_change c;
    mica_result result = micai_change_begin_spawn(&c, world, call, count);
    c.pending = pending;
    for (uint32_t i = 0; !result && i < count; i++) {
        result = micai_change_set(&c, &values[i], i);
    }
    mica_entity entity = micai_change_finish_spawn(&c, result);
    (void)micai_world_finish(world, call, MICA_OK);
    return entity;
}

// Handles lists other than the last, transitions without the fast path, and the general case.
MICAI_NOINLINE static mica_result spawn_pending_any(mica_world *world, mica_entity pending,
                                                    const mica_value *values, uint32_t count)
{
    const micai_transition *t = find_spawn(world->state, values, count);
    mica_entity entity = t && micai_row_has_capacity(t->target)
                             ? micai_fast_spawn(world, t, values, pending)
                             : (mica_entity){0};
    entity = MICA_IS_NONE(entity) ? spawn_values_long(world, pending, values, count) : entity;
    return MICA_IS_NONE(entity) ? micai_world_failed(world) : MICA_OK;
}

mica_result micai_spawn_pending(mica_world *world, mica_entity pending, const mica_value *values,
                                uint32_t count)
{
    const micai_transition *t =
        micai_transition_last(&world->state->store.transitions, MICAI_TRANSITION_SPAWN);
    if (t->step_count == count && micai_transition_is_fast(t) &&
        micai_row_has_capacity(t->target) && micai_fast_fill(t, values)) {
        micai_fast_append_pending(world, t->target, pending);
        return MICA_OK;
    }
    return spawn_pending_any(world, pending, values, count);
}

// Spawns by a transition with capacity. Returns none if it cannot.
static inline mica_entity spawn_by(mica_world *world, const micai_transition *t,
                                   const mica_value *values)
{
    return micai_transition_is_fast(t) && micai_fast_fill(t, values)
               ? micai_fast_append(world, t->target)
               : micai_fast_spawn(world, t, values, (mica_entity){0});
}

// Spawns with values whose C types are compared first. Returns none if one differs.
MICAI_NOINLINE static mica_entity spawn_compared(mica_world *world, const micai_transition *t,
                                                 const mica_value *values)
{
    enum { COMPARED_MAX = 16 };
    mica_value plain[COMPARED_MAX];
    bool compared = false;
    for (uint32_t i = 0; i < t->step_count; i++) {
        if (i == COMPARED_MAX || !micai_type_is_c(t->steps[i].type, values[i].c_type)) {
            return (mica_entity){0};
        }
        bool compares = values[i].count == 0 && values[i].c_type;
        plain[i] = values[i];
        plain[i].count = compares ? 1 : values[i].count;
        compared = compared || compares;
    }
    return compared ? spawn_by(world, t, plain) : (mica_entity){0};
}

// Handles lists other than the last, transitions without the fast path, and the general case.
MICAI_NOINLINE static mica_entity spawn_values_any(mica_world *world, const mica_value *values,
                                                   uint32_t count)
{
    mica_entity entity = (mica_entity){0};
    if (world && values && world->busy == 0) {
        const micai_transition *t = find_spawn(world->state, values, count);
        if (t && micai_fast_has_room(world->state, t->target)) {
            entity = spawn_by(world, t, values);
            entity = MICA_IS_NONE(entity) ? spawn_compared(world, t, values) : entity;
        }
    }
    return MICA_IS_NONE(entity) ? spawn_values_long(world, entity, values, count) : entity;
}

// Spawns in a world that may be changed. Not inline, so that recording saves no registers for it.
MICAI_NOINLINE static mica_entity spawn_values_now(mica_world *world, const mica_value *values,
                                                   uint32_t count)
{
    const micai_transition *t =
        micai_transition_last(&world->state->store.transitions, MICAI_TRANSITION_SPAWN);
    if (t->step_count == count && micai_transition_is_fast(t) &&
        micai_fast_has_room(world->state, t->target) && micai_fast_fill(t, values)) {
        return micai_fast_append(world, t->target);
    }
    return spawn_values_any(world, values, count);
}

// Spawns without components, in a world that may be changed. Not inline, so that spawning with
// values saves no registers for it.
MICAI_NOINLINE static mica_entity spawn_empty_now(mica_world *world)
{
    micai_table *root = world->state->store.root;
    return root->fast_paths == MICAI_FAST_ALL && micai_fast_has_room(world->state, root)
               ? micai_fast_append(world, root)
               : spawn_values_long(world, (mica_entity){0}, NULL, 0);
}

mica_entity mica_spawn_values(mica_world *world, const mica_value *values, uint32_t count)
{
    if (world && world->busy == 0) {
        if (values) {
            return spawn_values_now(world, values, count);
        }
        if (count == 0) {
            return spawn_empty_now(world);
        }
    }
    return micai_recorder_of(world) && (values || count == 0)
               ? record_one(world, "mica_spawn", NULL, values, count)
               : spawn_values_any(world, values, count);
}

mica_entity mica_spawn_at(mica_world *world, mica_entity entity)
{
    static const char call[] = "mica_spawn_at";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return (mica_entity){0};
    }
    if (micai_world_guard(world, call)) {
        return (mica_entity){0};
    }
    micai_host_begin(&world->host, call);
    mica_result result = micai_spawn_at(world, entity);
    micai_host_end(&world->host);
    (void)micai_world_finish(world, call, MICA_OK);
    return result ? (mica_entity){0} : entity;
}

// Bundles

// Returns the transition of a bundle with capacity for one more entity, or NULL. Stores it in the
// bundle's place, so that the next call needs one comparison.
static inline const micai_transition *find_bundle(const mica_world *world, mica_bundle bundle)
{
    if (world->busy != 0) {
        return NULL;
    }
    micai_bundles *bundles = micai_bundles_of(world->state);
    const micai_bundle *found = micai_handles_find(&bundles->handles, bundle.bits);
    if (!found || found->handle.bits != bundle.bits || !found->spawn) {
        return NULL;
    }
    *micai_bundle_place_of(bundles, bundle) = (micai_bundle_place){bundle.bits, found->spawn};
    return micai_fast_has_room(world->state, found->spawn->target) ? found->spawn : NULL;
}

// Checks that the values match the types of the bundle: one each, or an array with one per entity.
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
        if (type != bundle->types[i]) {
            return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                              "%s: value %" PRIu32 " is of '%s', the bundle has '%s' there", call,
                              i, type->info.name, bundle->types[i]->info.name);
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

// Spawns with checked values. If the fast path needs only capacity, this reserves it. A value in
// the growing table itself can still be read at its old address.
static mica_entity spawn_of(mica_world *world, const char *call, const micai_bundle *bundle,
                            const mica_value *values)
{
    micai_state *state = world->state;
    const micai_transition *t = bundle->spawn;
    if (values && world->busy == 0 && micai_transition_is_fast(t) &&
        !micai_fast_has_room(state, t->target)) {
        if (micai_store_reserve(&state->store, t->target, 1)) {
            return (mica_entity){0};
        }
        if (micai_fast_fill(t, values)) {
            return micai_fast_append(world, t->target);
        }
    }
    micai_change c;
    mica_result result = micai_change_begin_bundle(&c, world, call, bundle);
    for (uint32_t i = 0; !result && i < bundle->count; i++) {
        result = micai_change_give(&c, bundle->types[i], values ? values[i].data : NULL);
    }
    return micai_change_finish_spawn(&c, result);
}

// Checks that arrays of values that cannot be copied lie outside the world and do not overlap.
static mica_result check_sources(mica_world *world, const char *call, const micai_bundle *bundle,
                                 const mica_value *arrays, uint32_t count)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && arrays && i < bundle->count; i++) {
        const micai_type *type = bundle->types[i];
        if (micai_hook_can_copy(type)) {
            continue;
        }
        result = micai_value_check_source(world, call, type, arrays[i].data, count);
        for (uint32_t j = 0; !result && j < i; j++) {
            result = micai_value_check_overlap(world, call, bundle->types[j], arrays[j].data, type,
                                               arrays[i].data, count);
        }
    }
    return result;
}

MICAI_COLD static mica_entity spawn_bundle_long(mica_world *world, mica_bundle bundle,
                                                const mica_value *values, uint32_t count)
{
    static const char call[] = "mica_spawn_bundle";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return (mica_entity){0};
    }
    if (world->recorder) {
        const micai_bundle *known = micai_bundle_find(world, call, bundle);
        bool fits = known && !check_values(world, call, known, values, count, NULL);
        return fits ? record_one(world, call, known, values, count) : (mica_entity){0};
    }
    if (micai_world_guard_change(world, call)) {
        return (mica_entity){0};
    }
    uint32_t tables = micai_world_begin(world, call);
    micai_bundle *found = micai_bundle_open(world, call, bundle);
    mica_result result =
        found ? check_values(world, call, found, values, count, NULL) : micai_world_failed(world);
    mica_entity entity = found && !result ? spawn_of(world, call, found, values) : (mica_entity){0};
    micai_world_end(world, tables, MICA_IS_NONE(entity) ? micai_world_failed(world) : MICA_OK);
    (void)micai_world_finish(world, call, MICA_OK);
    return entity;
}

// Spawn by a transition with capacity whose list has `count` types: on the fast path; as bytes with
// pools, flags or rings. The parameters begin with those of the public function, in its order. They
// are not inline, so that neither saves registers for the other.

MICAI_NOINLINE static mica_entity spawn_bundle_fast(mica_world *world, mica_bundle bundle,
                                                    const mica_value *values, uint32_t count,
                                                    const micai_transition *t)
{
    micai_table *table = t->target; // before the values, which may alias anything
    return micai_fast_fill(t, values) ? micai_fast_append(world, table)
                                      : spawn_bundle_long(world, bundle, values, count);
}

MICAI_NOINLINE static mica_entity spawn_bundle_bytes(mica_world *world, mica_bundle bundle,
                                                     const mica_value *values, uint32_t count,
                                                     const micai_transition *t)
{
    mica_entity entity = micai_fast_spawn(world, t, values, (mica_entity){0});
    return MICA_IS_NONE(entity) ? spawn_bundle_long(world, bundle, values, count) : entity;
}

// Handles bundles other than the last of their place, and the general case.
MICAI_NOINLINE static mica_entity spawn_bundle_any(mica_world *world, mica_bundle bundle,
                                                   const mica_value *values, uint32_t count)
{
    const micai_transition *t = world && values ? find_bundle(world, bundle) : NULL;
    if (!t || t->step_count != count) {
        return spawn_bundle_long(world, bundle, values, count);
    }
    return micai_transition_is_fast(t) ? spawn_bundle_fast(world, bundle, values, count, t)
                                       : spawn_bundle_bytes(world, bundle, values, count, t);
}

mica_entity mica_spawn_bundle(mica_world *world, mica_bundle bundle, const mica_value *values,
                              uint32_t count)
{
    if (!world || !values || world->busy != 0) {
        return spawn_bundle_any(world, bundle, values, count);
    }
    const micai_bundle_place *place = micai_bundle_place_of(micai_bundles_of(world->state), bundle);
    const micai_transition *t = place->spawn;
    if (place->bits != bundle.bits || t->step_count != count ||
        !micai_fast_has_room(world->state, t->target)) {
        return spawn_bundle_any(world, bundle, values, count);
    }
    return micai_transition_is_fast(t) ? spawn_bundle_fast(world, bundle, values, count, t)
                                       : spawn_bundle_bytes(world, bundle, values, count, t);
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

// Returns true if the call takes ownership of values on success.
static bool hands_over(const micai_bundle *bundle, const mica_value *arrays)
{
    bool hands = false;
    for (uint32_t i = 0; arrays && i < bundle->count; i++) {
        hands = hands || !micai_hook_can_copy(bundle->types[i]);
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
        result = result ? result : micai_spawn_many(world, found, count, arrays, entities_out);
    }
    if (!result) {
        micai_store_tidy(&world->state->store, tables);
    }
    result = micai_world_end(world, tables, result);
    mica_result paid = micai_world_finish(world, call, result);
    return found && hands_over(found, arrays) ? result : paid;
}

// Clones

// Gives a change a copy of each value of an entity. Disabled values are also disabled in the clone.
static mica_result give_values(micai_change *c, micai_entity_ref ref)
{
    mica_world *world = c->world;
    mica_result result = MICA_OK;
    for (uint32_t n = micai_value_next(world->state, ref, 0); !result && n != MICAI_BITS_END;
         n = micai_value_next(world->state, ref, n + 1)) {
        const micai_type *type = world->state->registry.list.items[n];
        if (!micai_hook_can_copy(type)) {
            return micai_fail(&world->host, MICA_ERROR_HOOK,
                              "%s: '%s' has a destruct hook but no copy hook", c->call,
                              type->info.name);
        }
        micai_value value = micai_value_find(world->state, ref, type);
        const void *data =
            micai_value_is_there(value) ? micai_value_see(world, c->call, value) : NULL;
        if (!data && micai_value_is_there(value)) {
            return MICA_ERROR_MEMORY;
        }
        result = micai_change_give(c, type, data);
        if (!result && type->info.toggle && !micai_value_is_on(world->state, ref, type)) {
            result = micai_change_switch(c, type, true);
        }
    }
    return result;
}

mica_entity micai_spawn_clone(mica_world *world, const char *call, mica_entity entity,
                              mica_entity pending)
{
    mica_entity copied = micai_fast_clone(world, entity, pending);
    if (!MICA_IS_NONE(copied)) {
        return copied;
    }
    const micai_entity_ref ref = {entity, micai_slots_find(&world->state->slots, entity)};
    uint32_t types = 0;
    for (uint32_t n = micai_value_next(world->state, ref, 0); n != MICAI_BITS_END;
         n = micai_value_next(world->state, ref, n + 1)) {
        types++;
    }
    micai_change c;
    mica_result result = micai_change_begin_spawn(&c, world, call, types);
    c.pending = pending;
    mica_entity clone = micai_change_finish_spawn(&c, result ? result : give_values(&c, ref));
    (void)micai_world_finish(world, call, MICA_OK);
    return clone;
}

mica_entity mica_clone(mica_world *world, mica_entity entity)
{
    static const char call[] = "mica_clone";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return (mica_entity){0};
    }
    if (world->recorder) {
        return world->recorder->clone(world, call, entity);
    }
    if (!micai_slots_find(&world->state->slots, entity)) {
        micai_slots_fail(&world->host, call, entity);
        return (mica_entity){0};
    }
    return micai_spawn_clone(world, call, entity, (mica_entity){0});
}

// Despawning

static mica_result despawn_list(mica_world *world, const char *call, const mica_entity *entities,
                                uint32_t count)
{
    micai_host_begin(&world->host, call);
    mica_result result = micai_despawn_many(world, call, entities, count);
    micai_host_end(&world->host);
    return micai_world_finish(world, call, result);
}

MICAI_COLD static mica_result despawn_long(mica_world *world, mica_entity entity)
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
    return result ? result : despawn_list(world, call, &entity, 1);
}

// Handles rings and the general case.
MICAI_NOINLINE static mica_result despawn_any(mica_world *world, mica_entity entity)
{
    micai_row_memory *memory;
    micai_record *record =
        micai_fast_find(world, entity, MICAI_FAST_BYTES | MICAI_FAST_UNOBSERVED, &memory);
    return record ? micai_fast_despawn_bytes(world, entity, record, memory)
                  : despawn_long(world, entity);
}

mica_result mica_despawn(mica_world *world, mica_entity entity)
{
    micai_row_memory *memory;
    micai_record *record = micai_fast_find(world, entity, MICAI_FAST_ALL, &memory);
    if (!record) {
        return despawn_any(world, entity);
    }
    return world->state->pools.row_count > 0
               ? micai_fast_despawn_from_pools(world, entity, record, memory)
               : micai_fast_despawn(world, entity, record, memory);
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
    if (micai_fast_despawn_many(world, entities, count)) {
        return MICA_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!micai_slots_find(&world->state->slots, entities[i])) {
            return micai_slots_fail(&world->host, call, entities[i]);
        }
    }
    mica_result result = micai_world_guard_change(world, call);
    return result ? result : despawn_list(world, call, entities, count);
}
