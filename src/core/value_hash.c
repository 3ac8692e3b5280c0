// Hashing values. value_hash.h has the contract.
#include "core/value_hash.h"

#include <string.h>

#include "base/bytes.h"
#include "base/canary.h"

// Reads an integer of 1, 2, 4 or 8 bytes in the byte order of this machine.
static uint64_t load(const unsigned char *bytes, uint32_t size)
{
    uint8_t a;
    uint16_t b;
    uint32_t c;
    uint64_t d;
    switch (size) {
    case 1: memcpy(&a, bytes, 1); return a;
    case 2: memcpy(&b, bytes, 2); return b;
    case 4: memcpy(&c, bytes, 4); return c;
    default: memcpy(&d, bytes, 8); return d;
    }
}

uint32_t micai_value_count_text(const unsigned char *bytes, uint32_t size)
{
    const unsigned char *end = memchr(bytes, 0, size);
    return end ? (uint32_t)(end - bytes) : size;
}

static const micai_type *nested_of(const micai_registry *types, const mica_field_info *field)
{
    return field->kind == MICA_KIND_STRUCT ? micai_registry_find(types, field->type) : NULL;
}

static uint64_t hash_field(const micai_registry *types, const mica_field_info *field,
                           uint64_t name_hash, const unsigned char *bytes)
{
    if (field->kind == MICA_KIND_CHAR) {
        return micai_hash_mix(name_hash ^
                              micai_hash_bytes(bytes, micai_value_count_text(bytes, field->size)));
    }
    const micai_type *nested = nested_of(types, field);
    uint32_t size = field->size / field->count;
    uint64_t hash = name_hash + field->count;
    for (uint32_t i = 0; i < field->count; i++, bytes += size) {
        hash = micai_hash_mix(
            hash ^ (nested ? micai_hash_value(types, nested, bytes) : load(bytes, size)));
    }
    return hash;
}

uint64_t micai_hash_value(const micai_registry *types, const micai_type *type,
                          const unsigned char *value)
{
    const mica_type_info *info = &type->info;
    if (info->field_count == 0) {
        return micai_hash_bytes(value, info->size);
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mica_field_info *field = &info->fields[i];
        sum += hash_field(types, field, type->field_hashes[i], value + field->offset);
    }
    return sum;
}

// Runs

static micai_value_run run_of_field(const mica_field_info *field, uint32_t begin)
{
    micai_value_run run = {.begin = begin, .end = field->offset + field->size, .unit = 1};
    run.text = field->kind == MICA_KIND_CHAR && field->count > 1;
    run.before = run.text ? begin - field->offset : 0;
    if (!run.text && !micai_is_little_endian()) {
        run.unit = field->size / field->count;
    }
    return run;
}

static bool find_run(const micai_registry *types, const mica_type_info *info, uint32_t from,
                     micai_value_run *run_out);

// Finds the first run at or after `from` in the structs of a field.
static bool find_run_in_structs(const micai_registry *types, const mica_field_info *field,
                                uint32_t from, micai_value_run *run_out)
{
    const mica_type_info *nested = &micai_registry_find(types, field->type)->info;
    for (uint32_t at = from; at < field->offset + field->size;) {
        uint32_t inside = (at - field->offset) % nested->size;
        at -= inside;
        if (find_run(types, nested, inside, run_out)) {
            run_out->begin += at;
            run_out->end += at;
            return true;
        }
        at += nested->size;
    }
    return false;
}

// Finds the first run at or after `from`, in one field. Recursion is limited: types nest at most
// MICA_NESTING_MAX deep.
static bool find_run(const micai_registry *types, const mica_type_info *info, uint32_t from,
                     micai_value_run *run_out)
{
    if (info->field_count == 0) {
        *run_out = (micai_value_run){.begin = from, .end = info->size, .unit = 1};
        return from < info->size;
    }
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mica_field_info *field = &info->fields[i];
        if (field->offset + field->size <= from) {
            continue;
        }
        uint32_t begin = field->offset > from ? field->offset : from;
        if (field->kind != MICA_KIND_STRUCT) {
            *run_out = run_of_field(field, begin);
            return true;
        }
        if (find_run_in_structs(types, field, begin, run_out)) {
            return true;
        }
    }
    return false;
}

bool micai_value_next_run(const micai_registry *types, const micai_type *type, uint32_t from,
                          uint32_t end, micai_value_run *run_out)
{
    if (!find_run(types, &type->info, from, run_out) || run_out->begin >= end) {
        return false;
    }
    micai_value_run next;
    while (!run_out->text && run_out->end < end &&
           find_run(types, &type->info, run_out->end, &next) &&
           (next.begin == run_out->end || MICAI_CANARY("core.run_gap")) && !next.text &&
           next.unit == run_out->unit) {
        run_out->end = next.end;
    }
    run_out->end = run_out->end < end ? run_out->end : end;
    return true;
}
