// The public functions on component sets that need a world, for its types and memory.
//
// Room:    world.
#include "core/types.h"

#include "state/state.h"

// Returns the type if world, set and type are valid. Otherwise returns NULL and reports the error.
static const micai_type *check(mica_world *world, const char *call, const mica_type_set *set,
                               mica_type type)
{
    if (!world || !set) {
        micai_fail_null(micai_world_host(world), call, world ? "set" : "world");
        return NULL;
    }
    const micai_type *found = micai_registry_find(&world->state->registry, type);
    if (!found) {
        micai_registry_fail(&world->host, call, type);
    }
    return found;
}

void mica_type_set_free(mica_world *world, mica_type_set *set)
{
    if (!world || !set) {
        micai_fail_null(micai_world_host(world), "mica_type_set_free", world ? "set" : "world");
        return;
    }
    micai_types_free(&world->host, set);
}

mica_result mica_type_set_add(mica_world *world, mica_type_set *target, mica_type type)
{
    static const char call[] = "mica_type_set_add";
    const micai_type *found = check(world, call, target, type);
    if (!found) {
        return world && target ? MICA_ERROR_TYPE : MICA_ERROR_NULL;
    }
    micai_host_begin(&world->host, call);
    mica_result result = micai_types_add(&world->host, target, found->number);
    micai_host_end(&world->host);
    return result;
}

// Finds all types of a list before it adds one.
static mica_result add_list(mica_world *world, const char *call, mica_type_set *target,
                            const mica_type *types, uint32_t count)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        const micai_type *found = check(world, call, target, types[i]);
        if (!found) {
            return MICA_ERROR_TYPE;
        }
        last = found->number > last ? found->number : last;
    }
    mica_result result = micai_types_reserve(&world->host, target, last / 64 + 1);
    for (uint32_t i = 0; !result && i < count; i++) {
        micai_types_put(target, micai_registry_find(&world->state->registry, types[i])->number);
    }
    return result;
}

mica_result mica_type_set_add_list(mica_world *world, mica_type_set *target, const mica_type *types,
                                   uint32_t count)
{
    static const char call[] = "mica_type_set_add_list";
    if (!world || !target || (!types && count > 0)) {
        return micai_fail_null(micai_world_host(world), call,
                               !world    ? "world"
                               : !target ? "target"
                                         : "types");
    }
    micai_host_begin(&world->host, call);
    mica_result result = add_list(world, call, target, types, count);
    micai_host_end(&world->host);
    return result;
}

mica_result mica_type_set_remove(mica_world *world, mica_type_set *target, mica_type type)
{
    const micai_type *found = check(world, "mica_type_set_remove", target, type);
    if (!found) {
        return world && target ? MICA_ERROR_TYPE : MICA_ERROR_NULL;
    }
    micai_types_remove(target, found->number);
    return MICA_OK;
}

static mica_result combine(mica_world *world, const char *call, mica_type_set *target,
                           const mica_type_set *a, const mica_type_set *b, unsigned parts)
{
    if (!world || !target || !a || !b) {
        return micai_fail_null(micai_world_host(world), call,
                               !world    ? "world"
                               : !target ? "target"
                                         : "a source");
    }
    micai_host_begin(&world->host, call);
    mica_result result = micai_types_combine(&world->host, target, a, b, parts);
    micai_host_end(&world->host);
    return result;
}

mica_result mica_type_set_copy(mica_world *world, mica_type_set *target,
                               const mica_type_set *source)
{
    return combine(world, "mica_type_set_copy", target, source, source, MICAI_TYPES_BOTH);
}

mica_result mica_type_set_union(mica_world *world, mica_type_set *target, const mica_type_set *a,
                                const mica_type_set *b)
{
    return combine(world, "mica_type_set_union", target, a, b,
                   MICAI_TYPES_BOTH | MICAI_TYPES_ONLY_A | MICAI_TYPES_ONLY_B);
}

mica_result mica_type_set_intersection(mica_world *world, mica_type_set *target,
                                       const mica_type_set *a, const mica_type_set *b)
{
    return combine(world, "mica_type_set_intersection", target, a, b, MICAI_TYPES_BOTH);
}

mica_result mica_type_set_difference(mica_world *world, mica_type_set *target,
                                     const mica_type_set *a, const mica_type_set *b)
{
    return combine(world, "mica_type_set_difference", target, a, b, MICAI_TYPES_ONLY_A);
}

bool mica_type_set_has(mica_world *world, const mica_type_set *set, mica_type type)
{
    const mica_type_set empty = {0};
    const micai_type *found = check(world, "mica_type_set_has", set ? set : &empty, type);
    return found && set && micai_types_has(set, found->number);
}

mica_type mica_type_set_next(mica_world *world, const mica_type_set *set, mica_type previous)
{
    const mica_type_set empty = {0};
    set = set ? set : &empty;
    uint32_t number = 0;
    if (!world) {
        micai_fail_null(NULL, "mica_type_set_next", "world");
        return (mica_type){0};
    }
    if (!MICA_IS_NONE(previous)) {
        const micai_type *found = check(world, "mica_type_set_next", set, previous);
        if (!found) {
            return (mica_type){0};
        }
        number = found->number + 1;
    }
    number = micai_types_next(set, number);
    return number < world->state->registry.list.count
               ? world->state->registry.list.items[number]->info.type
               : (mica_type){0};
}

uint32_t mica_type_set_list(mica_world *world, const mica_type_set *set, mica_type *types_out,
                            uint32_t capacity)
{
    const mica_type_set empty = {0};
    set = set ? set : &empty;
    if (!world || (!types_out && capacity > 0)) {
        micai_fail_null(micai_world_host(world), "mica_type_set_list",
                        world ? "types_out" : "world");
        return 0;
    }
    const micai_registry *registry = &world->state->registry;
    uint32_t count = 0;
    for (uint32_t n = micai_types_next(set, 0); n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        const micai_type *type = micai_registry_at(registry, n);
        if (type && count < capacity) {
            types_out[count] = type->info.type;
        }
        count += type != NULL;
    }
    return count;
}

uint32_t mica_type_set_column_count(mica_world *world, const mica_type_set *set)
{
    if (!world) {
        micai_fail_null(NULL, "mica_type_set_column_count", "world");
        return 0;
    }
    return set ? micai_types_rank(set, world->state->registry.column_words.items,
                                  world->state->registry.column_words.count, MICAI_BITS_END)
               : 0;
}

int32_t mica_type_set_column(mica_world *world, const mica_type_set *set, mica_type type)
{
    const mica_type_set empty = {0};
    set = set ? set : &empty;
    const micai_type *found = check(world, "mica_type_set_column", set, type);
    if (!found || !micai_types_has(set, found->number)) {
        return -1;
    }
    const micai_registry *registry = &world->state->registry;
    const uint64_t *words = registry->column_words.items;
    uint32_t count = registry->column_words.count;
    return micai_bits_has(words, count, found->number)
               ? (int32_t)micai_types_rank(set, words, count, found->number)
               : -1;
}
