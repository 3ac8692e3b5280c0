// Leaves. leaf.h has the contract.
#include "delta/leaf.h"

#include <float.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "core/hook.h"
#include "core/value_hash.h"
#include "image/way.h"

// Making

static const micai_type *nested_of(const micai_registry *registry, const mica_field_info *field)
{
    return field->kind == MICA_KIND_STRUCT ? micai_registry_find(registry, field->type) : NULL;
}

static uint32_t count_leaves(const micai_registry *registry, const mica_type_info *info)
{
    uint32_t count = info->field_count == 0 && info->size > 0;
    for (uint32_t i = 0; i < info->field_count; i++) {
        const micai_type *nested = nested_of(registry, &info->fields[i]);
        count += nested ? info->fields[i].count * count_leaves(registry, &nested->info) : 1;
    }
    return count;
}

// Appends the leaves of a struct at an offset. Recursion is limited: types nest at most MICA_NESTING_MAX
// deep.
static void list_leaves(const micai_registry *registry, const mica_type_info *info, uint32_t offset,
                        micai_leaves *leaves)
{
    if (info->field_count == 0 && info->size > 0) {
        leaves->items[leaves->count++] =
            (micai_leaf){.offset = offset, .size = 1, .count = info->size};
    }
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mica_field_info *field = &info->fields[i];
        const micai_type *nested = nested_of(registry, field);
        uint32_t size = field->size / field->count;
        for (uint32_t n = 0; nested && n < field->count; n++) {
            list_leaves(registry, &nested->info, offset + field->offset + n * size, leaves);
        }
        if (!nested) {
            leaves->items[leaves->count++] = (micai_leaf){.field = field,
                                                          .kind = field->kind,
                                                          .offset = offset + field->offset,
                                                          .size = size,
                                                          .count = field->count};
        }
    }
}

static uint64_t hash_enumerators(const mica_enumerator *list, uint64_t hash)
{
    for (; list->name; list++) {
        hash = micai_hash_add(hash, micai_hash_text(list->name));
        hash = micai_hash_add(hash, (uint64_t)list->value);
    }
    return hash;
}

static uint64_t hash_layout(const micai_registry *registry, const mica_type_info *info)
{
    uint64_t hash = micai_hash_add(info->field_count, info->field_count > 0 ? 0 : info->size);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mica_field_info *field = &info->fields[i];
        const micai_type *nested = nested_of(registry, field);
        hash = micai_hash_add(hash, micai_hash_text(field->name));
        hash = micai_hash_add(hash, (uint64_t)field->kind << 32 | field->count);
        hash = nested ? micai_hash_add(hash, hash_layout(registry, &nested->info)) : hash;
        hash = field->kind == MICA_KIND_ENUM
                   ? hash_enumerators(field->enumerators,
                                      micai_hash_add(hash, field->size / field->count))
                   : hash;
    }
    return hash;
}

bool micai_leaves_make(micai_host *host, micai_arena *arena, const micai_registry *registry,
                       const micai_type *type, micai_leaves *leaves_out)
{
    const mica_type_info *info = &type->info;
    uint32_t count = count_leaves(registry, info);
    *leaves_out = (micai_leaves){.mask_size = (count + 7) / 8};
    leaves_out->items = micai_arena_alloc_array(host, arena, count + (size_t)1, // tags have none
                                                sizeof *leaves_out->items, _Alignof(micai_leaf));
    if (!leaves_out->items) {
        return false;
    }
    list_leaves(registry, info, 0, leaves_out);
    leaves_out->layout = hash_layout(registry, info) + info->toggle;
    if (info->default_value) {
        leaves_out->layout = micai_hash_add(leaves_out->layout,
                                            micai_hash_value(registry, type, info->default_value));
    }
    return true;
}

bool micai_leaves_prepare(micai_host *host, micai_arena *arena, const micai_type *type,
                          micai_leaves *leaves)
{
    const mica_type_info *info = &type->info;
    uint32_t align = info->align > 0 ? info->align : 1;
    leaves->mask = micai_arena_alloc(host, arena, leaves->mask_size + (size_t)1, 1);
    leaves->initial =
        leaves->mask ? micai_arena_alloc(host, arena, info->size + (size_t)1, align) : NULL;
    if (leaves->initial) {
        micai_leaves_begin(type, leaves->initial);
    }
    return leaves->initial != NULL;
}

mica_result micai_leaves_check(micai_host *host, const char *call, const micai_registry *registry,
                               const micai_type *type, mica_result code, const char *what)
{
    micai_schema_way way = micai_schema_way_of(registry, type);
    const char *name = type->info.name;
    if (way == MICAI_SCHEMA_HOOKS) {
        return micai_fail(host, code, "%s: '%.80s' is saved by a hook; %s have fields only", call,
                          name, what);
    }
    if (way == MICAI_SCHEMA_CLOSED) {
        return micai_fail(host, code,
                          "%s: '%.80s' has no fields; name them with MICA_DESCRIBE (in C++ in a "
                          "mica::about), or declare it plain",
                          call, name);
    }
    return micai_hook_allows_byte_copy(type)
               ? MICA_OK
               : micai_fail(host, code,
                            "%s: '%.80s' has hooks that copy, move or destroy values; %s have "
                            "only bytes",
                            call, name, what);
}

// Rounding. The nearest multiple of a step, and which one it is, are found alike on all machines: there are
// only divisions and products of doubles, and conversions.

static double float_of(const micai_leaf *leaf, const unsigned char *bytes)
{
    float narrow;
    double wide;
    if (leaf->kind == MICA_KIND_F32) {
        memcpy(&narrow, bytes, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, bytes, sizeof wide);
    return wide;
}

static void put_multiple(const micai_leaf *leaf, int64_t multiple, unsigned char *bytes)
{
    double wide = (double)multiple * leaf->step;
    float narrow = (float)wide;
    memcpy(bytes, leaf->kind == MICA_KIND_F32 ? (void *)&narrow : (void *)&wide, leaf->size);
}

// Passes out the number of the nearest multiple. Returns false if it is none, or too large.
static bool divide(const micai_leaf *leaf, const unsigned char *bytes, int64_t *multiple_out)
{
    double limit = leaf->kind == MICA_KIND_F32 ? 4194304.0 : 1125899906842624.0;
    double quotient = float_of(leaf, bytes) / leaf->step;
    if (!(quotient > -limit && quotient < limit)) {
        return false;
    }
    *multiple_out = (int64_t)(quotient < 0 ? quotient - 0.5 : quotient + 0.5);
    return true;
}

// Does the same, and returns false if the value that stands for the multiple has another one.
static bool find_multiple(const micai_leaf *leaf, const unsigned char *bytes, int64_t *multiple_out)
{
    unsigned char rounded[sizeof(double)];
    int64_t again;
    if (!divide(leaf, bytes, multiple_out)) {
        return false;
    }
    put_multiple(leaf, *multiple_out, rounded);
    return divide(leaf, rounded, &again) && again == *multiple_out;
}

bool micai_leaf_can_round(mica_kind kind, double step)
{
    return (kind == MICA_KIND_F32 || kind == MICA_KIND_F64) &&
           step >= (kind == MICA_KIND_F32 ? (double)FLT_MIN : DBL_MIN) && step <= DBL_MAX;
}

static bool differs_rounded(const micai_leaf *leaf, const unsigned char *before,
                            const unsigned char *after)
{
    for (uint32_t i = 0; i < leaf->count; i++, before += leaf->size, after += leaf->size) {
        int64_t from, to;
        bool had = find_multiple(leaf, before, &from);
        bool has = find_multiple(leaf, after, &to);
        if (had && has ? from != to : memcmp(before, after, leaf->size) != 0) {
            return true;
        }
    }
    return false;
}

// Comparing

static bool is_text(const micai_leaf *leaf)
{
    return leaf->kind == MICA_KIND_CHAR && leaf->count > 1;
}

static bool differs(const micai_leaf *leaf, const unsigned char *before, const unsigned char *after)
{
    if (leaf->step > 0) {
        return differs_rounded(leaf, before, after);
    }
    if (is_text(leaf)) {
        uint32_t length = micai_value_count_text(before, leaf->count);
        return length != micai_value_count_text(after, leaf->count) ||
               memcmp(before, after, length) != 0;
    }
    return memcmp(before, after, (size_t)leaf->size * leaf->count) != 0;
}

static bool is_set(const unsigned char *mask, uint32_t place)
{
    return (mask[place / 8] >> (place % 8) & 1) != 0;
}

bool micai_leaves_compare(const micai_leaves *leaves, const unsigned char *before,
                          const unsigned char *after, unsigned char *mask)
{
    bool any = false;
    memset(mask, 0, leaves->mask_size);
    for (uint32_t i = 0; i < leaves->count; i++) {
        uint32_t offset = leaves->items[i].offset;
        if (differs(&leaves->items[i], before + offset, after + offset)) {
            mask[i / 8] |= (unsigned char)(1u << (i % 8));
            any = true;
        }
    }
    return any;
}

// Writing

// Copies elements, with their lowest byte first on one of the sides.
static void copy_elements(unsigned char *target, const unsigned char *source, uint32_t size,
                          uint32_t count)
{
    if (micai_is_little_endian() || size == 1) {
        memcpy(target, source, (size_t)size * count);
        return;
    }
    for (uint32_t i = 0; i < size * count; i++) {
        target[i] = source[i - i % size + (size - 1 - i % size)];
    }
}

static void write_elements(const unsigned char *bytes, uint32_t size, uint32_t count,
                           micai_packer *to)
{
    unsigned char *space = micai_pack_space(to, (size_t)size * count);
    if (space) {
        copy_elements(space, bytes, size, count);
    }
}

// A multiple is written as 1 plus the difference, whose sign is the lowest bit; a value that is no multiple
// as 0 and its bytes.
static void write_rounded(const micai_leaf *leaf, const unsigned char *before,
                          const unsigned char *after, micai_packer *to)
{
    for (uint32_t i = 0; i < leaf->count; i++, before += leaf->size, after += leaf->size) {
        int64_t from, next;
        if (find_multiple(leaf, before, &from) && find_multiple(leaf, after, &next)) {
            int64_t way = next - from;
            micai_pack_number(to, 1 + ((uint64_t)(way < 0 ? -way : way) << 1 | (way < 0)));
        } else {
            micai_pack_number(to, 0);
            write_elements(after, leaf->size, 1, to);
        }
    }
}

static void write_exact(const micai_leaf *leaf, const unsigned char *value, micai_packer *to)
{
    if (is_text(leaf)) {
        uint32_t length = micai_value_count_text(value, leaf->count);
        micai_pack_number(to, length);
        micai_pack_bytes(to, value, length);
        return;
    }
    if (leaf->kind != MICA_KIND_BOOL) {
        write_elements(value, leaf->size, leaf->count, to);
        return;
    }
    for (uint32_t i = 0; i < leaf->count; i++) {
        bool flag;
        memcpy(&flag, value + (size_t)i * leaf->size, sizeof flag);
        micai_pack_fixed(to, flag, 1);
    }
}

void micai_leaves_write(const micai_leaves *leaves, const unsigned char *mask,
                        const unsigned char *before, const unsigned char *after, micai_packer *to)
{
    for (uint32_t i = 0; i < leaves->count; i++) {
        const micai_leaf *leaf = &leaves->items[i];
        if (is_set(mask, i) && leaf->step > 0) {
            write_rounded(leaf, before + leaf->offset, after + leaf->offset, to);
        } else if (is_set(mask, i)) {
            write_exact(leaf, after + leaf->offset, to);
        }
    }
}

// Reading

static void read_rounded(const micai_leaf *leaf, micai_unpacker *from, unsigned char *value)
{
    for (uint32_t i = 0; i < leaf->count && !from->failed; i++, value += leaf->size) {
        uint64_t code = micai_unpack_number(from);
        if (code == 0) {
            const unsigned char *bytes = micai_unpack_bytes(from, leaf->size);
            if (bytes) {
                copy_elements(value, bytes, leaf->size, 1);
            }
            continue;
        }
        int64_t multiple;
        uint64_t way = (code - 1) >> 1;
        if (!find_multiple(leaf, value, &multiple) || way > UINT64_C(1) << 51) {
            from->failed = true;
            return;
        }
        multiple += ((code - 1) & 1) != 0 ? -(int64_t)way : (int64_t)way;
        put_multiple(leaf, multiple, value);
    }
}

static void read_text(const micai_leaf *leaf, micai_unpacker *from, unsigned char *value)
{
    uint64_t length = micai_unpack_number(from);
    const unsigned char *text =
        length <= leaf->count ? micai_unpack_bytes(from, (size_t)length) : NULL;
    if (!text || micai_value_count_text(text, (uint32_t)length) < length) {
        from->failed = true;
        return;
    }
    memcpy(value, text, (size_t)length);
    memset(value + length, 0, leaf->count - (size_t)length);
}

static void read_exact(const micai_leaf *leaf, micai_unpacker *from, unsigned char *value)
{
    uint32_t size = leaf->kind == MICA_KIND_BOOL ? 1 : leaf->size;
    const unsigned char *bytes = micai_unpack_bytes(from, (size_t)size * leaf->count);
    if (bytes && leaf->kind != MICA_KIND_BOOL) {
        copy_elements(value, bytes, size, leaf->count);
        return;
    }
    for (uint32_t i = 0; bytes && i < leaf->count; i++) {
        bool flag = bytes[i] != 0;
        from->failed = from->failed || bytes[i] > 1;
        memcpy(value + (size_t)i * leaf->size, &flag, sizeof flag);
    }
}

void micai_leaves_read(const micai_leaves *leaves, const unsigned char *mask, micai_unpacker *from,
                       unsigned char *value)
{
    for (uint32_t i = 0; i < leaves->count && !from->failed; i++) {
        const micai_leaf *leaf = &leaves->items[i];
        if (!is_set(mask, i)) {
            continue;
        }
        if (leaf->step > 0) {
            read_rounded(leaf, from, value + leaf->offset);
        } else if (is_text(leaf)) {
            read_text(leaf, from, value + leaf->offset);
        } else {
            read_exact(leaf, from, value + leaf->offset);
        }
    }
}
