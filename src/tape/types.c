// The types of a tape, and hashes of the world.
#include <string.h>

#include "entity/digest.h"
#include "tape/tape_internal.h"

static bool reserve_known(micai_tape_types *types)
{
    uint32_t count = types->known.count;
    uint32_t all = types->registry->list.count;
    if (all > count) {
        if (!micai_array_reserve(types->host, &types->known, all - count)) {
            return false;
        }
        for (; count < all; count++) {
            types->known.items[count] = NULL;
        }
        types->known.count = all;
    }
    return true;
}

static bool make_type(micai_tape_types *types, const micai_type *type, micai_tape_type *one)
{
    *one = (micai_tape_type){.type = type};
    return micai_leaves_make(types->host, &types->arena, types->registry, type, &one->leaves) &&
           micai_leaves_prepare(types->host, &types->arena, type, &one->leaves);
}

micai_tape_type *micai_tape_types_open(micai_tape_types *types, const micai_type *type)
{
    if (!reserve_known(types)) {
        return NULL;
    }
    micai_tape_type **place = &types->known.items[type->number];
    if (!*place) {
        micai_arena_mark mark = micai_arena_get_mark(&types->arena);
        micai_tape_type *one =
            micai_arena_alloc(types->host, &types->arena, sizeof *one, _Alignof(micai_tape_type));
        if (!one || !make_type(types, type, one)) {
            micai_arena_rewind(&types->arena, mark);
            return NULL;
        }
        *place = one;
    }
    return *place;
}

bool micai_tape_types_add(micai_tape_types *types, micai_tape_type *one)
{
    if (!micai_array_reserve(types->host, &types->list, 1)) {
        return false;
    }
    one->numbered = true;
    one->number = types->list.count;
    types->list.items[types->list.count++] = one;
    return true;
}

void micai_tape_types_free(micai_tape_types *types)
{
    micai_array_free(types->host, &types->known);
    micai_array_free(types->host, &types->list);
    micai_arena_free(types->host, &types->arena);
}

mica_result micai_tape_types_check(const micai_tape_types *types, const char *call,
                                   mica_result code, const micai_type *type)
{
    return micai_leaves_check(types->host, call, types->registry, type, code, "tapes");
}

mica_result micai_tape_hash_world(mica_world *world, const char *call, uint64_t *hash_out)
{
    *hash_out = 0;
    micai_sums to = {.sums = hash_out};
    mica_result result = micai_entities_hash(world, call, &to);
    if (!result) {
        micai_resources_hash(world->state, &to);
    }
    return result;
}
