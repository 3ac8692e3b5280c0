#include "runner/rows.h"

#include <string.h>

// A part of a value that lies in one piece, whatever the storage.
typedef struct part {
    uint32_t offset, size;
} part;

// The parts of a field: one, or as many as an array has elements that may be apart.
static uint32_t count_parts(const mica_field_info *field)
{
    return field->strips == MICA_STRIPS_EACH ? field->count : 1;
}

static part find_part(const mica_field_info *field, uint32_t number)
{
    uint32_t size = field->size / count_parts(field);
    return (part){field->offset + number * size, size};
}

static bool load_part(const mica_iter *it, uint32_t term, part p, uint32_t row,
                      unsigned char *value_out)
{
    mica_read_fields fields = mica_read_field(it, term, p.offset, p.size, NULL);
    if (fields.base) {
        memcpy(value_out + p.offset, mica_read_in(fields, row), p.size);
    }
    return fields.base != NULL;
}

static bool store_part(const mica_iter *it, uint32_t term, part p, uint32_t row,
                       const unsigned char *value)
{
    mica_write_fields fields = mica_write_field(it, term, p.offset, p.size, NULL);
    if (fields.base) {
        memcpy(mica_write_in(fields, row), value + p.offset, p.size);
    }
    return fields.base != NULL;
}

bool test_row_load(const mica_iter *it, uint32_t term, const mica_type_info *type, uint32_t row,
                   void *value_out)
{
    bool good = true;
    memset(value_out, 0, type->size);
    if (type->field_count == 0) {
        return load_part(it, term, (part){0, type->size}, row, value_out);
    }
    for (uint32_t f = 0; good && f < type->field_count; f++) {
        for (uint32_t n = 0; good && n < count_parts(&type->fields[f]); n++) {
            good = load_part(it, term, find_part(&type->fields[f], n), row, value_out);
        }
    }
    return good;
}

bool test_row_store(const mica_iter *it, uint32_t term, const mica_type_info *type, uint32_t row,
                    const void *value)
{
    bool good = true;
    if (type->field_count == 0) {
        return store_part(it, term, (part){0, type->size}, row, value);
    }
    for (uint32_t f = 0; good && f < type->field_count; f++) {
        for (uint32_t n = 0; good && n < count_parts(&type->fields[f]); n++) {
            good = store_part(it, term, find_part(&type->fields[f], n), row, value);
        }
    }
    return good;
}
