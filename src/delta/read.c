// Reading and checking a delta: the head and the types. load_internal.h has the contract, delta_internal.h the format.
#include "delta/load_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"

bool micai_delta_fail(micai_delta_load *l, const char *what)
{
    if (!l->failed) {
        l->failed =
            micai_fail(l->host, MICA_ERROR_IMAGE, "%s: the delta is damaged: %s", l->call, what);
    }
    return false;
}

bool micai_delta_fail_memory(micai_delta_load *l)
{
    l->failed = l->failed ? l->failed : MICA_ERROR_MEMORY;
    return false;
}

bool micai_delta_fail_schema(micai_delta_load *l, const char *format, const char *name)
{
    if (!l->failed) {
        l->failed = micai_fail(l->host, MICA_ERROR_SCHEMA, format, l->call, name);
    }
    return false;
}

bool micai_delta_is_read(micai_delta_load *l, const micai_unpacker *from)
{
    return !l->failed && (!from->failed || micai_delta_fail(l, "it ends in the middle"));
}

void *micai_delta_alloc(micai_delta_load *l, size_t size, size_t align)
{
    void *memory = micai_arena_alloc(l->host, &l->arena, size, align);
    if (!memory) {
        micai_delta_fail_memory(l);
    }
    return memory;
}

// Head

static mica_result fail_image(micai_delta_load *l, const char *what)
{
    return micai_fail(l->host, MICA_ERROR_IMAGE, "%s: %s", l->call, what);
}

mica_result micai_delta_read_head(micai_delta_load *l, micai_unpacker *from)
{
    const unsigned char *begin = from->at;
    size_t size = (size_t)micai_unpack_left(from);
    const unsigned char *magic = micai_unpack_bytes(from, MICAI_DELTA_MAGIC_SIZE);
    if (!magic || memcmp(magic, MICAI_DELTA_MAGIC, MICAI_DELTA_MAGIC_SIZE) != 0) {
        return fail_image(l, "this is no delta");
    }
    uint64_t version = micai_unpack_fixed(from, 1);
    if (version > MICA_DELTA_VERSION) {
        return micai_fail(l->host, MICA_ERROR_VERSION,
                          "%s: the delta has version %" PRIu64 "; this library reads %u", l->call,
                          version, MICA_DELTA_VERSION);
    }
    uint64_t flags = micai_unpack_fixed(from, 1);
    l->before = micai_unpack_fixed(from, 8);
    l->after = micai_unpack_fixed(from, 8);
    l->rounds = (flags & MICAI_DELTA_ROUNDS) != 0;
    if (from->failed || version == 0 || flags > MICAI_DELTA_ROUNDS ||
        micai_unpack_left(from) < MICAI_DELTA_SUM_SIZE) {
        return fail_image(l, "the delta is damaged: its head is wrong");
    }
    from->end -= MICAI_DELTA_SUM_SIZE;
    micai_unpacker sum = {from->end, from->end + MICAI_DELTA_SUM_SIZE, false};
    return micai_unpack_fixed(&sum, MICAI_DELTA_SUM_SIZE) ==
                   micai_hash_bytes(begin, size - MICAI_DELTA_SUM_SIZE)
               ? MICA_OK
               : fail_image(l, "the delta is damaged: its checksum is wrong");
}

// Types

static bool read_steps(micai_delta_load *l, micai_unpacker *from, micai_leaves *leaves)
{
    uint64_t count = micai_unpack_number(from);
    if (count > leaves->count || (count > 0 && !l->rounds)) {
        return micai_delta_fail(l, "fields are rounded that cannot be");
    }
    for (; count > 0 && !from->failed; count--) {
        uint64_t place = micai_unpack_number(from);
        uint64_t bits = micai_unpack_fixed(from, 8);
        double step;
        memcpy(&step, &bits, sizeof step);
        if (place >= leaves->count || !micai_leaf_can_round(leaves->items[place].kind, step)) {
            return micai_delta_fail(l, "fields are rounded that cannot be");
        }
        leaves->items[place].step = step;
    }
    return micai_delta_is_read(l, from);
}

static bool read_type_of(micai_delta_load *l, micai_unpacker *from, micai_delta_type *one)
{
    const micai_registry *registry = &l->state->registry;
    char name[MICA_NAME_SIZE_MAX + 1];
    bool named = micai_unpack_text(from, name);
    uint64_t layout = micai_unpack_fixed(from, 4);
    if (!named) {
        return micai_delta_fail(l, "a type has no name");
    }
    if (!micai_delta_is_read(l, from)) {
        return false;
    }
    one->type = micai_registry_find_name(registry, name);
    if (!one->type) {
        return micai_delta_fail_schema(l, "%s: the delta has '%.80s', which is not registered here",
                                       name);
    }
    if (!micai_leaves_make(l->host, &l->arena, registry, one->type, &one->leaves)) {
        return micai_delta_fail_memory(l);
    }
    if ((one->leaves.layout & UINT32_MAX) != layout) {
        return micai_delta_fail_schema(l, "%s: '%.80s' is described differently in the delta",
                                       name);
    }
    return read_steps(l, from, &one->leaves);
}

mica_result micai_delta_read_types(micai_delta_load *l, micai_unpacker *from)
{
    uint64_t count = micai_unpack_number(from);
    if (count > l->state->registry.list.count) {
        micai_delta_fail_schema(l, "%s: the delta has more types than %s", "are registered here");
    }
    if (!micai_delta_is_read(l, from)) {
        return l->failed;
    }
    l->types =
        micai_delta_alloc(l, ((size_t)count + 1) * sizeof *l->types, _Alignof(micai_delta_type));
    bool *known =
        l->types ? micai_delta_alloc(l, l->state->registry.list.count + (size_t)1, 1) : NULL;
    if (known) {
        memset(known, 0, l->state->registry.list.count);
    }
    while (known && l->type_count < count && read_type_of(l, from, &l->types[l->type_count])) {
        uint32_t number = l->types[l->type_count++].type->number;
        if (known[number]) {
            micai_delta_fail(l, "a type occurs twice");
            return l->failed;
        }
        known[number] = true;
    }
    return l->failed;
}

// Returns memory for a value of any type.
static void *alloc_value(micai_delta_load *l)
{
    const micai_registry *registry = &l->state->registry;
    size_t size = 1;
    size_t align = 1;
    for (uint32_t n = 0; n < registry->list.count; n++) {
        const mica_type_info *info = &registry->list.items[n]->info;
        size = info->size > size ? info->size : size;
        align = info->align > align ? info->align : align;
    }
    return micai_delta_alloc(l, size, align);
}

mica_result micai_delta_read(micai_delta_load *l, micai_unpacker *from)
{
    l->space = alloc_value(l);
    bool good = l->space && micai_delta_read_entities(l, from);
    for (uint32_t i = 0; i < l->type_count && good; i++) {
        good = micai_delta_read_values(l, from, &l->types[i]);
    }
    if (good && micai_unpack_left(from) > 0) {
        micai_delta_fail(l, "it does not end where it should");
    }
    return l->failed;
}
