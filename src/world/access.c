// Reading single values: the public functions.
//
// Room:    world.
#include <mica/component.h>

#include <inttypes.h>

#include "base/compiler.h"
#include "entity/locate.h"

mica_result micai_world_check_size(mica_world *world, const char *call, const micai_type *type,
                                   uint32_t size)
{
    if (size == type->info.size && size > 0) {
        return MICA_OK;
    }
    if (type->info.size == 0) {
        return micai_fail(&world->host, MICA_ERROR_SIZE, "%s: '%s' is a tag and has no value", call,
                          type->info.name);
    }
    return micai_fail(&world->host, MICA_ERROR_SIZE,
                      "%s: component '%s' has size %" PRIu32 ", not %" PRIu32, call,
                      type->info.name, type->info.size, size);
}

// The fast path. It calls nothing, so its callers save no registers. If it finds nothing, look_up()
// is called.
static inline micai_directory_value find_fast(const mica_world *world, mica_entity entity,
                                              mica_type type)
{
    const micai_record *record = world ? micai_slots_find(&world->state->slots, entity) : NULL;
    return record ? micai_directory_find(&world->state->store.directory, type, record->where)
                  : (micai_directory_value){0};
}

// The fast path to a sparse value. A write sets the tick.
static inline void *find_sparse_fast(const mica_world *world, mica_entity entity, mica_type type,
                                     uint64_t size, bool write)
{
    micai_pool *pool =
        world && !world->host.closed ? micai_pools_find(&world->state->pools, type) : NULL;
    const mica_view_pool *view = pool ? &pool->index.view : NULL;
    if (!view || view->hidden || view->size == 0 ||
        (size != MICAI_ANY_SIZE && size != view->size)) {
        return NULL;
    }
    const uint32_t *entry = micai_pool_find(pool, entity);
    if (!entry) {
        return NULL;
    }
    if (write) {
        micai_pool_touch(pool, *entry - 1, world->view.tick);
    }
    return mica_view_pool_value(view, *entry - 1, view->size);
}

// Returns the value, if the entity has it. Errors are reported, a wrong size included.
static micai_value look_up(mica_world *world, const char *call, mica_entity entity, mica_type type,
                           uint64_t size)
{
    const micai_value nothing = {0};
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return nothing;
    }
    const micai_record *record = micai_slots_find(&world->state->slots, entity);
    if (!record) {
        micai_slots_fail(&world->host, call, entity);
        return nothing;
    }
    const micai_type *found = micai_world_type(world, call, type);
    if (!found ||
        (size != MICAI_ANY_SIZE && micai_world_check_size(world, call, found, (uint32_t)size))) {
        return nothing;
    }
    micai_value value = micai_value_find(world->state, (micai_entity_ref){entity, record}, found);
    return micai_value_is_there(value) && micai_world_guard_access(world, call, found) ? nothing
                                                                                       : value;
}

MICAI_COLD static const void *get_any(mica_world *world, const char *call, mica_entity entity,
                                      mica_type type, uint64_t size)
{
    micai_value value = look_up(world, call, entity, type, size);
    return micai_value_is_there(value) ? micai_value_get(world, call, value) : NULL;
}

MICAI_COLD static void *get_mut_any(mica_world *world, const char *call, mica_entity entity,
                                    mica_type type, uint64_t size)
{
    if (world && world->state->original) {
        micai_world_refuse(world, call);
        return NULL;
    }
    micai_value value = look_up(world, call, entity, type, size);
    return micai_value_is_there(value) ? micai_value_open(world, call, value) : NULL;
}

// A separate function, so the path for table values saves no registers.
MICAI_NOINLINE static const void *get_in_pool(mica_world *world, mica_entity entity, mica_type type,
                                              uint64_t size, const char *call)
{
    const void *value = find_sparse_fast(world, entity, type, size, false);
    return value ? value : get_any(world, call, entity, type, size);
}

MICAI_NOINLINE static void *get_mut_in_pool(mica_world *world, mica_entity entity, mica_type type,
                                            uint64_t size, const char *call)
{
    void *value = find_sparse_fast(world, entity, type, size, true);
    if (!value && world && size == MICAI_ANY_SIZE) {
        const micai_entity_ref ref = {entity, micai_slots_find(&world->state->slots, entity)};
        value = micai_value_open_ticked(world, ref, type);
    }
    return value ? value : get_mut_any(world, call, entity, type, size);
}

const void *mica_get(mica_world *world, mica_entity entity, mica_type type)
{
    if (micai_stamp_is_sparse(type.bits)) {
        return get_in_pool(world, entity, type, MICAI_ANY_SIZE, "mica_get");
    }
    micai_directory_value found = find_fast(world, entity, type);
    return micai_directory_value_is_readable(found)
               ? micai_directory_value_data(found)
               : get_in_pool(world, entity, type, MICAI_ANY_SIZE, "mica_get");
}

void *mica_get_mut(mica_world *world, mica_entity entity, mica_type type)
{
    if (micai_stamp_is_sparse(type.bits)) {
        return get_mut_in_pool(world, entity, type, MICAI_ANY_SIZE, "mica_get_mut");
    }
    micai_directory_value found = find_fast(world, entity, type);
    return found.known && micai_directory_value_open(found, world->view.tick)
               ? micai_directory_value_data(found)
               : get_mut_in_pool(world, entity, type, MICAI_ANY_SIZE, "mica_get_mut");
}

// Compares the C type, unless its size differs: then the call that follows reports that.
MICAI_NOINLINE static bool is_c_type(mica_world *world, const char *call, mica_type type,
                                     uint32_t size, const char *c_type)
{
    const micai_type *found = world ? micai_registry_find(&world->state->registry, type) : NULL;
    return !found || size != found->info.size ||
           !micai_world_check_c_type(world, call, found, c_type);
}

const void *mica_get_as(mica_world *world, mica_entity entity, mica_type type, uint32_t size,
                        const char *c_type)
{
    static const char call[] = "MICA_GET";
    if (c_type && !is_c_type(world, call, type, size, c_type)) {
        return NULL;
    }
    if (micai_stamp_is_sparse(type.bits)) {
        return get_in_pool(world, entity, type, size, call);
    }
    micai_directory_value found = find_fast(world, entity, type);
    return micai_directory_value_is_readable(found) && found.size == size
               ? micai_directory_value_data(found)
               : get_in_pool(world, entity, type, size, call);
}

void *mica_get_mut_as(mica_world *world, mica_entity entity, mica_type type, uint32_t size,
                      const char *c_type)
{
    static const char call[] = "MICA_GET_MUT";
    if (c_type && !is_c_type(world, call, type, size, c_type)) {
        return NULL;
    }
    if (micai_stamp_is_sparse(type.bits)) {
        return get_mut_in_pool(world, entity, type, size, call);
    }
    micai_directory_value found = find_fast(world, entity, type);
    return micai_directory_value_is_writable(found) && found.size == size &&
                   micai_directory_value_open(found, world->view.tick)
               ? micai_directory_value_data(found)
               : get_mut_in_pool(world, entity, type, size, call);
}

// A dead entity has no value. The type and its size are checked all the same.
MICAI_NOINLINE static const void *try_get_any(mica_world *world, mica_entity entity, mica_type type,
                                              uint64_t size, const char *call)
{
    if (world && !micai_slots_find(&world->state->slots, entity)) {
        (void)micai_world_type_as(world, call, type, size, NULL);
        return NULL;
    }
    return get_in_pool(world, entity, type, size, call);
}

const void *mica_try_get(mica_world *world, mica_entity entity, mica_type type)
{
    micai_directory_value found = find_fast(world, entity, type);
    return micai_directory_value_is_readable(found)
               ? micai_directory_value_data(found)
               : try_get_any(world, entity, type, MICAI_ANY_SIZE, "mica_try_get");
}

const void *mica_try_get_as(mica_world *world, mica_entity entity, mica_type type, uint32_t size,
                            const char *c_type)
{
    static const char call[] = "MICA_TRY_GET";
    if (c_type && !is_c_type(world, call, type, size, c_type)) {
        return NULL;
    }
    micai_directory_value found = find_fast(world, entity, type);
    return micai_directory_value_is_readable(found) && found.size == size
               ? micai_directory_value_data(found)
               : try_get_any(world, entity, type, size, call);
}

bool mica_load(mica_world *world, mica_entity entity, mica_type type, void *value_out,
               uint32_t size)
{
    static const char call[] = "mica_load";
    if (world && !value_out) {
        micai_fail_null(&world->host, call, "value_out");
        return false;
    }
    micai_value value = look_up(world, call, entity, type, size);
    if (!micai_value_is_there(value)) {
        return false;
    }
    if (!micai_hook_allows_byte_copy(value.type)) {
        micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                   "%s: values of '%.80s' have hooks, which a copy would go without; use mica_get",
                   call, value.type->info.name);
        return false;
    }
    micai_value_load(world, value, value_out);
    return true;
}

bool mica_has(mica_world *world, mica_entity entity, mica_type type)
{
    return micai_value_ask(world, "mica_has", entity, type, micai_value_has);
}

mica_result mica_entity_types(mica_world *world, mica_entity entity, mica_type_set *types_out)
{
    static const char call[] = "mica_entity_types";
    if (!world || !types_out) {
        return micai_fail_null(micai_world_host(world), call, world ? "types_out" : "world");
    }
    const micai_record *record = micai_slots_find(&world->state->slots, entity);
    if (!record) {
        return micai_slots_fail(&world->host, call, entity);
    }
    mica_type_set types = {0};
    mica_result result = MICA_OK;
    const micai_entity_ref ref = {entity, record};
    micai_host_begin(&world->host, call);
    for (uint32_t n = micai_value_next(world->state, ref, 0); !result && n != MICAI_BITS_END;
         n = micai_value_next(world->state, ref, n + 1)) {
        result = micai_types_add(&world->host, &types, n);
    }
    micai_host_end(&world->host);
    if (!result) {
        micai_types_free(&world->host, types_out);
        *types_out = types;
    } else {
        micai_types_free(&world->host, &types);
    }
    return result;
}
