// Checks of the arguments of calls: lists of type handles, and values.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "state/state.h"

const micai_type *micai_world_type_in(mica_world *world, const char *call, const char *what,
                                      uint32_t place, mica_type type)
{
    const micai_type *found = micai_registry_find(&world->state->registry, type);
    if (!found) {
        char where[96];
        snprintf(where, sizeof where, place == MICAI_NO_POSITION ? "%s" : "%s: %s %" PRIu32, call,
                 what, place);
        micai_registry_fail(&world->host, where, type);
    }
    return found;
}

const micai_type *micai_world_type_as(mica_world *world, const char *call, mica_type type,
                                      uint64_t size, const char *c_type)
{
    const micai_type *found = micai_world_type(world, call, type);
    bool fits = found && (size == MICAI_ANY_SIZE ||
                          !micai_world_check_size(world, call, found, (uint32_t)size));
    return fits && (!c_type || !micai_world_check_c_type(world, call, found, c_type)) ? found
                                                                                      : NULL;
}

mica_result micai_world_check_c_type(mica_world *world, const char *call, const micai_type *type,
                                     const char *c_type)
{
    if (micai_type_is_c(type, c_type)) {
        return MICA_OK;
    }
    return micai_fail(&world->host, MICA_ERROR_C_TYPE,
                      "%s: component '%.60s' is of C type '%.60s', not '%.60s'", call,
                      type->info.name, type->info.c_type, c_type);
}

static bool is_default(const micai_type *type, const mica_value *value)
{
    return value->size == 0 && (!value->data || type->info.size == 0);
}

static mica_result check_data(mica_world *world, const char *call, const micai_type *type,
                              const mica_value *value)
{
    if (!value->data && type->info.size > 0) {
        return micai_fail(&world->host, MICA_ERROR_NULL,
                          "%s: the data of '%s' is null, but its size is %" PRIu32, call,
                          type->info.name, value->size);
    }
    mica_result result = micai_world_check_size(world, call, type, value->size);
    return result || value->count > 0 ? result
                                      : micai_world_check_c_type(world, call, type, value->c_type);
}

mica_result micai_world_check_value(mica_world *world, const char *call, const micai_type *type,
                                    const mica_value *value)
{
    if (is_default(type, value)) {
        return MICA_OK;
    }
    mica_result result = check_data(world, call, type, value);
    if (!result && value->count > 1) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: %" PRIu32 " values of '%s' for one entity", call, value->count,
                          type->info.name);
    }
    return result;
}

mica_result micai_world_check_array(mica_world *world, const char *call, const micai_type *type,
                                    const mica_value *array, uint32_t count)
{
    if (is_default(type, array)) {
        return MICA_OK;
    }
    uint32_t size = type->info.size;
    uint32_t given = array->size;
    if (array->data && size > 0 && given > size && given % size == 0) {
        return micai_fail(&world->host, MICA_ERROR_SIZE,
                          "%s: component '%s' has size %" PRIu32 ", not %" PRIu32
                          "; for an array use MICA_COPY_OF_ARRAY",
                          call, type->info.name, size, given);
    }
    mica_result result = check_data(world, call, type, array);
    uint32_t known = array->count == 0 && array->c_type ? 1 : array->count;
    if (!result && known > 0 && known < count) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: %" PRIu32 " value%s of '%s' for %" PRIu32 " entities", call, known,
                          known == 1 ? "" : "s", type->info.name, count);
    }
    return result;
}
