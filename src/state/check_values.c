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

const micai_type *micai_world_type_sized(mica_world *world, const char *call, mica_type type,
                                         uint64_t size)
{
    const micai_type *found = micai_world_type(world, call, type);
    bool fits = found && (size == MICAI_ANY_SIZE ||
                          !micai_world_check_size(world, call, found, (uint32_t)size));
    return fits ? found : NULL;
}

mica_result micai_world_check_c_type(mica_world *world, const char *call, const micai_type *type,
                                     const char *c_type)
{
    if (!type->info.c_type || micai_c_type_matches(type->info.c_type, c_type)) {
        return MICA_OK;
    }
    return micai_fail(&world->host, MICA_ERROR_C_TYPE,
                      "%s: component '%.60s' is of C type '%.60s', not '%.60s'", call,
                      type->info.name, type->info.c_type, c_type);
}

// Returns the C type name of a value, or NULL if it has none. MICA_VALUE() stores the name after the value.
// So the name can only be located if the value has the right size.
static const char *find_c_type(const micai_type *type, const mica_value *value)
{
    if (!value->data || type->info.size == 0 || value->size != (type->info.size | MICA_NAMED)) {
        return NULL;
    }
    size_t behind = micai_round_up(type->info.size, _Alignof(const char *));
    const char *c_type;
    memcpy(&c_type, (const unsigned char *)value->data + behind, sizeof c_type);
    return c_type;
}

void mica_values_compare(mica_world *world, mica_value *values, uint32_t count)
{
    for (uint32_t i = 0; world && values && i < count; i++) {
        const micai_type *type = micai_registry_find(&world->state->registry, values[i].type);
        if (!type) {
            return; // the list may be shorter than it claims to be
        }
        const char *c_type = find_c_type(type, &values[i]);
        if (c_type && (!type->info.c_type || micai_c_type_matches(type->info.c_type, c_type))) {
            values[i].size = type->info.size;
        }
    }
}

static bool is_default(const micai_type *type, const mica_value *value)
{
    return value->size == 0 && (!value->data || type->info.size == 0);
}

static uint32_t size_without_flag(const mica_value *value)
{
    bool named = (value->size & ~(2 * MICA_TYPE_SIZE_MAX - 1)) == MICA_NAMED;
    return named ? value->size ^ MICA_NAMED : value->size;
}

static mica_result check_data(mica_world *world, const char *call, const micai_type *type,
                              const mica_value *value)
{
    if (!value->data && type->info.size > 0) {
        return micai_fail(&world->host, MICA_ERROR_NULL,
                          "%s: the data of '%s' is null, but its size is %" PRIu32, call,
                          type->info.name, size_without_flag(value));
    }
    const char *c_type = find_c_type(type, value);
    return c_type ? micai_world_check_c_type(world, call, type, c_type)
                  : micai_world_check_size(world, call, type, size_without_flag(value));
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
    uint32_t given = size_without_flag(array);
    if (array->data && size > 0 && given > size && given % size == 0) {
        return micai_fail(&world->host, MICA_ERROR_SIZE,
                          "%s: component '%s' has size %" PRIu32 ", not %" PRIu32
                          "; for an array use MICA_COPY_OF_ARRAY",
                          call, type->info.name, size, given);
    }
    mica_result result = check_data(world, call, type, array);
    if (!result && array->count > 0 && array->count < count) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: %" PRIu32 " value%s of '%s' for %" PRIu32 " entities", call,
                          array->count, array->count == 1 ? "" : "s", type->info.name, count);
    }
    return result;
}
