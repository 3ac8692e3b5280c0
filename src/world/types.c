// The public functions on component sets that need the world: for its types and its memory.
#include "core/types.h"

#include "state/state.h"

// The type, if world, set and type are all good; otherwise NULL, reported.
static const micai_type *check(mica_world *world, const char *call, const mica_types *set,
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

void mica_types_free(mica_world *world, mica_types *set)
{
    if (!world || !set) {
        micai_fail_null(micai_world_host(world), "mica_types_free", world ? "set" : "world");
        return;
    }
    micai_types_free(&world->host, set);
}

mica_result mica_types_add(mica_world *world, mica_types *target, mica_type type)
{
    static const char call[] = "mica_types_add";
    const micai_type *found = check(world, call, target, type);
    if (!found) {
        return world && target ? MICA_ERROR_TYPE : MICA_ERROR_NULL;
    }
    micai_host_begin(&world->host, call);
    mica_result result = micai_types_add(&world->host, target, found->number);
    micai_host_end(&world->host);
    return result;
}

mica_result mica_types_remove(mica_world *world, mica_types *target, mica_type type)
{
    const micai_type *found = check(world, "mica_types_remove", target, type);
    if (!found) {
        return world && target ? MICA_ERROR_TYPE : MICA_ERROR_NULL;
    }
    micai_types_remove(target, found->number);
    return MICA_OK;
}

static mica_result combine(mica_world *world, const char *call, mica_types *target,
                           const mica_types *a, const mica_types *b, unsigned parts)
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

mica_result mica_types_copy(mica_world *world, mica_types *target, const mica_types *source)
{
    return combine(world, "mica_types_copy", target, source, source, MICAI_TYPES_BOTH);
}

mica_result mica_types_union(mica_world *world, mica_types *target, const mica_types *a,
                             const mica_types *b)
{
    return combine(world, "mica_types_union", target, a, b,
                   MICAI_TYPES_BOTH | MICAI_TYPES_ONLY_A | MICAI_TYPES_ONLY_B);
}

mica_result mica_types_intersection(mica_world *world, mica_types *target, const mica_types *a,
                                    const mica_types *b)
{
    return combine(world, "mica_types_intersection", target, a, b, MICAI_TYPES_BOTH);
}

mica_result mica_types_difference(mica_world *world, mica_types *target, const mica_types *a,
                                  const mica_types *b)
{
    return combine(world, "mica_types_difference", target, a, b, MICAI_TYPES_ONLY_A);
}

bool mica_types_has(mica_world *world, const mica_types *set, mica_type type)
{
    const mica_types empty = {0};
    const micai_type *found = check(world, "mica_types_has", set ? set : &empty, type);
    return found && set && micai_types_has(set, found->number);
}

mica_type mica_types_next(mica_world *world, const mica_types *set, mica_type previous)
{
    const mica_types empty = {0};
    set = set ? set : &empty;
    uint32_t number = 0;
    if (!world) {
        micai_fail_null(NULL, "mica_types_next", "world");
        return mica_type_none();
    }
    if (!mica_type_is_none(previous)) {
        const micai_type *found = check(world, "mica_types_next", set, previous);
        if (!found) {
            return mica_type_none();
        }
        number = found->number + 1;
    }
    number = micai_types_next(set, number);
    return number < world->state->registry.list.count
               ? world->state->registry.list.items[number]->info.type
               : mica_type_none();
}

uint32_t mica_types_column_count(mica_world *world, const mica_types *set)
{
    if (!world) {
        micai_fail_null(NULL, "mica_types_column_count", "world");
        return 0;
    }
    return set ? micai_types_rank(set, world->state->registry.column_words.items,
                                  world->state->registry.column_words.count, MICAI_BITS_END)
               : 0;
}

int32_t mica_types_column(mica_world *world, const mica_types *set, mica_type type)
{
    const mica_types empty = {0};
    set = set ? set : &empty;
    const micai_type *found = check(world, "mica_types_column", set, type);
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
