// The public functions on resources. state/resource.h stores them.
//
// Room:    world.
#include <mica/resource.h>

#include <string.h>

#include "base/canary.h"
#include "entity/locate.h"
#include "state/declared.h"

// A value that is being set. It is built in its final block if the world has no such resource yet,
// otherwise in scratch memory.
typedef struct assignment {
    const micai_type *type;
    const void *data;         // NULL: the default
    unsigned char *new_value; // NULL: nothing to do, because the resource was assigned to itself
    unsigned char *before;    // current value of the world; NULL: none
} assignment;

static void release_value(micai_host *host, const micai_type *type, void *value)
{
    micai_release(host, value, type->info.size, type->info.align);
}

// Guards changes of resources. Refused on a recording face, because the change would not be
// recorded.
static mica_result check_open(mica_world *world, const char *call)
{
    mica_result result = micai_world_guard_edit(world, call);
    return !result && world->recorder ? micai_world_refuse(world, call) : result;
}

// Refuses a type that is listed twice. `listed` has the previous types; NULL: there is one value
// only. Also refuses one value that cannot be copied for two types.
static mica_result check_others(mica_world *world, const char *call, const assignment *assignments,
                                uint32_t i, uint64_t *listed)
{
    const assignment *one = &assignments[i];
    if (!listed) {
        return MICA_OK;
    }
    uint64_t *word = &listed[one->type->number / 64];
    const uint64_t bit = UINT64_C(1) << (one->type->number % 64);
    if ((*word & bit) != 0) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: '%s' is listed twice, and the world has one", call,
                          one->type->info.name);
    }
    *word |= bit;
    mica_result result = MICA_OK;
    for (uint32_t k = 0; !result && !micai_hook_can_copy(one->type) && k < i; k++) {
        result = micai_value_check_overlap(world, call, assignments[k].type, assignments[k].data,
                                           one->type, one->data, 1);
    }
    return result;
}

// Checks one value, and against the previous ones. Does not construct it yet.
static mica_result check_assignment(mica_world *world, const char *call, const mica_value *value,
                                    assignment *assignments, uint32_t i, uint64_t *listed)
{
    const micai_type *type = micai_world_type_in(world, call, "value", i, value->type);
    if (!type) {
        return micai_world_failed(world);
    }
    assignment *one = &assignments[i];
    *one = (assignment){.type = type,
                        .data = value->data,
                        .before = micai_resources_find(&world->state->resources, value->type)};
    mica_result result = type->info.size == 0 ? micai_world_check_size(world, call, type, 0)
                                              : micai_world_check_value(world, call, type, value);
    if (!result && one->data != one->before) {
        result = micai_value_check_source(world, call, type, one->data, 1);
    }
    result = result ? result : micai_world_use_resource(world, call, value->type, MICA_WRITE);
    return result ? result : check_others(world, call, assignments, i, listed);
}

static mica_result construct_new(mica_world *world, assignment *one)
{
    const mica_type_info *info = &one->type->info;
    if (one->data && one->data == one->before) {
        return MICA_OK;
    }
    if (micai_resources_reserve(world->state, one->type)) {
        return MICA_ERROR_MEMORY;
    }
    unsigned char *new_value =
        one->before ? micai_arena_alloc(&world->host, &world->scratch, info->size, info->align)
                    : micai_alloc(&world->host, info->size, info->align);
    if (!new_value) {
        return MICA_ERROR_MEMORY;
    }
    micai_gate *gate = &world->state->gate;
    mica_result result = one->data ? micai_hook_copy(gate, one->type, new_value, one->data, 1)
                                   : micai_hook_construct(gate, one->type, new_value, 1);
    if (!result) {
        one->new_value = new_value;
    } else if (!one->before) {
        release_value(&world->host, one->type, new_value);
    }
    return result;
}

static void destroy_new(mica_world *world, const assignment *one)
{
    micai_gate *gate = &world->state->gate;
    if (!one->new_value) {
        return;
    }
    if (one->data) {
        micai_hook_undo_copy(gate, one->type, one->new_value, one->data, 1);
    } else {
        micai_hook_destruct(gate, one->type, one->new_value, 1);
    }
    if (!one->before) {
        release_value(&world->host, one->type, one->new_value);
    }
}

static void install(micai_state *state, const assignment *one)
{
    if (one->new_value && one->before) {
        if (!MICAI_CANARY("world.resource_end")) {
            micai_hook_destruct(&state->gate, one->type, one->before, 1);
        }
        micai_hook_relocate(&state->gate, one->type, one->before, one->new_value, 1);
    } else if (one->new_value) {
        state->resources.items[one->type->number] =
            (micai_resource){one->type->info.type.bits, one->new_value};
    }
}

static mica_result set_all(mica_world *world, const char *call, const mica_value *values,
                           uint32_t count)
{
    const uint32_t words = world->state->registry.list.count / 64 + 1;
    assignment *assignments = micai_arena_alloc_array(&world->host, &world->scratch, count,
                                                      sizeof *assignments, _Alignof(assignment));
    uint64_t *listed = assignments && count > 1
                           ? micai_arena_alloc_array(&world->host, &world->scratch, words,
                                                     sizeof *listed, _Alignof(uint64_t))
                           : NULL;
    if (!assignments || (count > 1 && !listed)) {
        return MICA_ERROR_MEMORY;
    }
    if (listed) {
        memset(listed, 0, words * sizeof *listed);
    }
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < count; i++) {
        result = check_assignment(world, call, &values[i], assignments, i, listed);
    }
    uint32_t made = 0;
    while (!result && made < count) {
        result = construct_new(world, &assignments[made]);
        made += !result;
    }
    for (uint32_t i = 0; !result && i < count; i++) {
        install(world->state, &assignments[i]);
    }
    while (result && made > 0) {
        destroy_new(world, &assignments[--made]);
    }
    return result;
}

mica_result mica_resource_set_values(mica_world *world, const mica_value *values, uint32_t count)
{
    static const char call[] = "mica_resource_set";
    if (!world || (!values && count > 0)) {
        return micai_fail_null(micai_world_host(world), call, world ? "values" : "world");
    }
    mica_result result = check_open(world, call);
    if (result) {
        return result;
    }
    micai_host_begin(&world->host, call);
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    result = set_all(world, call, values, count);
    micai_arena_rewind(&world->scratch, mark);
    micai_host_end(&world->host);
    return result;
}

// Returns the value, if the world has it. Errors are reported, a wrong size included.
static void *look_up(mica_world *world, const char *call, mica_type type, uint64_t size,
                     const char *c_type, mica_access access)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    bool fits = !micai_world_guard_read(world, call) &&
                micai_world_type_as(world, call, type, size, c_type) &&
                !micai_world_use_resource(world, call, type, access);
    return fits ? micai_resources_find(&world->state->resources, type) : NULL;
}

static void *look_up_open(mica_world *world, const char *call, mica_type type, uint64_t size,
                          const char *c_type)
{
    // A concurrent system may write the resources that it declares; no other system of its wave uses them.
    const struct micai_declared *declared =
        world && world->state->original ? world->state->declared : NULL;
    bool concurrent = declared && declared->run == MICA_CONCURRENT;
    return world && !concurrent && check_open(world, call)
               ? NULL
               : look_up(world, call, type, size, c_type, MICA_WRITE);
}

const void *mica_resource_get(mica_world *world, mica_type type)
{
    return look_up(world, "mica_resource_get", type, MICAI_ANY_SIZE, NULL, MICA_READ);
}

void *mica_resource_get_mut(mica_world *world, mica_type type)
{
    return look_up_open(world, "mica_resource_get_mut", type, MICAI_ANY_SIZE, NULL);
}

const void *mica_resource_get_as(mica_world *world, mica_type type, uint32_t size,
                                 const char *c_type)
{
    return look_up(world, "MICA_RESOURCE", type, size, c_type, MICA_READ);
}

void *mica_resource_get_mut_as(mica_world *world, mica_type type, uint32_t size, const char *c_type)
{
    return look_up_open(world, "MICA_RESOURCE_MUT", type, size, c_type);
}

mica_result mica_resource_remove(mica_world *world, mica_type type)
{
    static const char call[] = "mica_resource_remove";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = check_open(world, call);
    const micai_type *found = result ? NULL : micai_world_type(world, call, type);
    if (!found || micai_world_use_resource(world, call, type, MICA_WRITE)) {
        return micai_world_failed(world);
    }
    unsigned char *value = micai_resources_find(&world->state->resources, type);
    if (value) {
        micai_host_begin(&world->host, call);
        world->state->resources.items[found->number] = (micai_resource){0};
        micai_resources_destroy_value(world->state, found, value);
        micai_host_end(&world->host);
    }
    return MICA_OK;
}
