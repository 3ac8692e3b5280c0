// Hashing single values. value_hash.h has the contract.
#include "core/value_hash.h"

#include <string.h>

#include "base/hash.h"

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

static uint64_t hash_text_field(const unsigned char *bytes, uint32_t size)
{
    uint32_t used = 0;
    while (used < size && bytes[used]) {
        used++;
    }
    return micai_hash_bytes(bytes, used);
}

static uint64_t hash_field(const micai_registry *types, const mica_field_info *field,
                           const unsigned char *bytes)
{
    if (field->kind == MICA_KIND_CHAR) {
        return hash_text_field(bytes, field->size);
    }
    uint32_t size = field->size / field->count;
    uint64_t hash = field->count;
    for (uint32_t i = 0; i < field->count; i++, bytes += size) {
        uint64_t element =
            field->kind == MICA_KIND_STRUCT
                ? micai_hash_value(types, &micai_registry_find(types, field->type)->info, bytes)
                : load(bytes, size);
        hash = micai_hash_add(hash, element);
    }
    return hash;
}

// Sums the hashes of the fields, each with its name. So neither the order of fields nor padding
// affects the result.
uint64_t micai_hash_value(const micai_registry *types, const mica_type_info *info,
                          const unsigned char *value)
{
    if (info->field_count == 0) {
        return micai_hash_bytes(value, info->size);
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mica_field_info *field = &info->fields[i];
        sum += micai_hash_add(micai_hash_text(field->name),
                              hash_field(types, field, value + field->offset));
    }
    return sum;
}
