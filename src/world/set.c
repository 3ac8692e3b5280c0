// The public functions on component sets that need the world: for its types and its memory.
#include "core/set.h"

#include "world/world.h"

// The type, if world, set and type are all good; otherwise NULL, reported.
static const micai_type *check(mica_world *world, const char *call, const mica_type_set *set,
                               mica_type type)
{
    if (!world || !set) {
        micai_fail_null(micai_world_host(world), call, world ? "set" : "world");
        return NULL;
    }
    const micai_type *found = micai_types_find(&world->types, type);
    if (!found) {
        micai_types_fail(&world->host, call, type);
    }
    return found;
}

void mica_type_set_free(mica_world *world, mica_type_set *set)
{
    if (!world || !set) {
        micai_fail_null(micai_world_host(world), "mica_type_set_free", world ? "set" : "world");
        return;
    }
    micai_set_free(&world->host, set);
}

mica_result mica_type_set_add(mica_world *world, mica_type_set *target, mica_type type)
{
    const micai_type *found = check(world, "mica_type_set_add", target, type);
    if (!found) {
        return world && target ? MICA_ERROR_TYPE : MICA_ERROR_NULL;
    }
    return micai_set_add(&world->host, target, found->number);
}

mica_result mica_type_set_remove(mica_world *world, mica_type_set *target, mica_type type)
{
    const micai_type *found = check(world, "mica_type_set_remove", target, type);
    if (!found) {
        return world && target ? MICA_ERROR_TYPE : MICA_ERROR_NULL;
    }
    micai_set_remove(target, found->number);
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
    return micai_set_combine(&world->host, target, a, b, parts);
}

mica_result mica_type_set_copy(mica_world *world, mica_type_set *target,
                               const mica_type_set *source)
{
    return combine(world, "mica_type_set_copy", target, source, source, MICAI_SET_BOTH);
}

mica_result mica_type_set_union(mica_world *world, mica_type_set *target, const mica_type_set *a,
                                const mica_type_set *b)
{
    return combine(world, "mica_type_set_union", target, a, b,
                   MICAI_SET_BOTH | MICAI_SET_ONLY_A | MICAI_SET_ONLY_B);
}

mica_result mica_type_set_intersection(mica_world *world, mica_type_set *target,
                                       const mica_type_set *a, const mica_type_set *b)
{
    return combine(world, "mica_type_set_intersection", target, a, b, MICAI_SET_BOTH);
}

mica_result mica_type_set_difference(mica_world *world, mica_type_set *target,
                                     const mica_type_set *a, const mica_type_set *b)
{
    return combine(world, "mica_type_set_difference", target, a, b, MICAI_SET_ONLY_A);
}

bool mica_type_set_has(mica_world *world, const mica_type_set *set, mica_type type)
{
    const mica_type_set empty = {0};
    const micai_type *found = check(world, "mica_type_set_has", set ? set : &empty, type);
    return found && set && micai_set_has(set, found->number);
}

mica_type mica_type_set_next(mica_world *world, const mica_type_set *set, mica_type previous)
{
    const mica_type_set empty = {0};
    set = set ? set : &empty;
    uint32_t number = 0;
    if (!world) {
        micai_fail_null(NULL, "mica_type_set_next", "world");
        return MICA_NO_TYPE;
    }
    if (!mica_type_is_none(previous)) {
        const micai_type *found = check(world, "mica_type_set_next", set, previous);
        if (!found) {
            return MICA_NO_TYPE;
        }
        number = found->number + 1;
    }
    number = micai_set_next(set, number);
    return number < world->types.list.count ? world->types.list.items[number]->info.type
                                            : MICA_NO_TYPE;
}

uint32_t mica_type_set_column_count(mica_world *world, const mica_type_set *set)
{
    if (!world) {
        micai_fail_null(NULL, "mica_type_set_column_count", "world");
        return 0;
    }
    return set ? micai_set_rank(set, world->types.data_words.items, world->types.data_words.count,
                                MICAI_BITS_END)
               : 0;
}

int32_t mica_type_set_column(mica_world *world, const mica_type_set *set, mica_type type)
{
    const mica_type_set empty = {0};
    set = set ? set : &empty;
    const micai_type *found = check(world, "mica_type_set_column", set, type);
    if (!found || found->info.size == 0 || !micai_set_has(set, found->number)) {
        return -1;
    }
    return (int32_t)micai_set_rank(set, world->types.data_words.items,
                                   world->types.data_words.count, found->number);
}
