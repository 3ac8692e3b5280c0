// JSON that is written: json.h says how it looks.
//
// Room:    image. Reached by micai_codec_json.
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "image/json.h"
#include "image/json_write.h"

#include <mica/image.h>

static uint64_t get_number(const unsigned char *bytes, uint32_t size)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < size; i++) {
        number |= (uint64_t)bytes[i] << (8 * i);
    }
    return number;
}

// A number of so many bytes, the highest bit of which is the sign.
static int64_t get_signed(const unsigned char *bytes, uint32_t size)
{
    uint64_t number = get_number(bytes, size);
    assert(size >= 1 && size <= 8); // as every number has
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    number = (number ^ sign) - sign;
    int64_t result;
    memcpy(&result, &number, sizeof result);
    return result;
}

static uint32_t text_size(const unsigned char *text, uint32_t room)
{
    const unsigned char *end = memchr(text, 0, room);
    return end ? (uint32_t)(end - text) : room;
}

typedef struct json_writer {
    micai_writer base;
    micai_output *output;
    micai_json_writer text;
    bool in_lines[MICAI_JSON_DEPTH_MAX + 1]; // by depth: objects in this list have a line each
} json_writer;

static micai_json_writer *text_of(micai_writer *w)
{
    return &((json_writer *)w)->text;
}

// Tells those who walk that they need not go on.
static void settle(micai_writer *w)
{
    json_writer *j = (json_writer *)w;
    w->failed = w->failed ? w->failed : j->output->failed;
}

static void write_object(micai_writer *w, const char *name)
{
    json_writer *j = (json_writer *)w;
    bool in_line = !name && j->in_lines[j->text.depth];
    micai_json_open_object(&j->text, name, in_line ? MICAI_JSON_LINE : MICAI_JSON_TALL);
}

// Is it a list of many small objects, which are better read like a table?
static bool has_small_objects(const char *list)
{
    static const char *const lists[] = {"facets", "fields", "names", "values"};
    bool has = false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        has = has || strcmp(list, lists[i]) == 0;
    }
    return has;
}

static void write_list(micai_writer *w, const char *name, uint32_t count)
{
    char key[MICAI_JSON_COUNT_KEY_SIZE];
    micai_json_write_unsigned(text_of(w), micai_json_count_key(name, key), count);
    micai_json_open_list(text_of(w), name, MICAI_JSON_TALL);
    ((json_writer *)w)->in_lines[text_of(w)->depth] = has_small_objects(name);
}

static void end_written(micai_writer *w, const char *name)
{
    (void)name;
    micai_json_close(text_of(w));
    settle(w);
}

static void end_written_section(micai_writer *w)
{
    end_written(w, NULL);
}

static void write_number(micai_writer *w, const char *name, uint64_t number)
{
    micai_json_write_unsigned(text_of(w), name, number);
}

static void write_integer(micai_writer *w, const char *name, int64_t number)
{
    micai_json_write_signed(text_of(w), name, number);
}

static void write_real(micai_writer *w, const char *name, double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    micai_json_write_real(text_of(w), name, bits, 8);
}

static void write_flag(micai_writer *w, const char *name, bool flag)
{
    micai_json_write_bool(text_of(w), name, flag);
}

static void write_text(micai_writer *w, const char *name, const char *text)
{
    micai_json_write_text(text_of(w), name, text, strlen(text));
}

static void write_blob(micai_writer *w, const char *name, const void *data, uint32_t size)
{
    micai_json_write_bytes(text_of(w), name, data, size);
    settle(w);
}

static void put_entity(micai_json_writer *text, const char *name, mica_entity entity)
{
    char handle[MICA_ENTITY_TEXT_SIZE];
    if (mica_entity_is_none(entity)) {
        micai_json_write_null(text, name);
    } else if (entity.bits >> 32 == 0) { // no handle has these
        micai_json_write_unsigned(text, name, entity.bits);
    } else {
        mica_entity_text(entity, handle);
        micai_json_write_text(text, name, handle, strlen(handle));
    }
}

static void write_entity(micai_writer *w, const char *name, mica_entity entity)
{
    put_entity(text_of(w), name, entity);
}

static void write_type(micai_writer *w, const char *name, uint32_t number)
{
    if (!name) {
        micai_json_fill(text_of(w));
    }
    write_text(w, name, w->schema->types[number].name);
}

static void write_numbers(micai_writer *w, const char *name, const uint64_t *list, uint32_t count)
{
    micai_json_open_list(text_of(w), name, MICAI_JSON_FULL);
    for (uint32_t i = 0; i < count; i++) {
        micai_json_write_unsigned(text_of(w), NULL, list[i]);
    }
    micai_json_close(text_of(w));
    settle(w);
}

static void write_entities(micai_writer *w, const char *name, const mica_entity *list,
                           uint32_t count)
{
    micai_json_open_list(text_of(w), name, MICAI_JSON_FULL);
    for (uint32_t i = 0; i < count; i++) {
        put_entity(text_of(w), NULL, list[i]);
    }
    micai_json_close(text_of(w));
    settle(w);
}

static void write_flags(micai_writer *w, const char *name, const unsigned char *list,
                        uint32_t count)
{
    micai_json_open_list(text_of(w), name, MICAI_JSON_FULL);
    for (uint32_t i = 0; i < count; i++) {
        micai_json_write_unsigned(text_of(w), NULL, list[i]);
    }
    micai_json_close(text_of(w));
    settle(w);
}

static void put_fields(micai_writer *w, const char *name, const micai_schema_type *type,
                       const unsigned char *value);

static void put_enum(micai_json_writer *text, const char *name, const micai_schema_field *field,
                     int64_t value)
{
    for (uint32_t i = 0; i < field->enumerator_count; i++) {
        const mica_enumerator *one = &field->enumerators[i];
        if (one->value == value && micai_json_is_utf8(one->name, strlen(one->name))) {
            micai_json_write_text(text, name, one->name, strlen(one->name));
            return;
        }
    }
    micai_json_write_signed(text, name, value);
}

static void put_element(micai_writer *w, const char *name, const micai_schema_field *field,
                        const unsigned char *bytes)
{
    micai_json_writer *text = text_of(w);
    switch (field->kind) {
    case MICA_KIND_I8:
    case MICA_KIND_I16:
    case MICA_KIND_I32:
    case MICA_KIND_I64: micai_json_write_signed(text, name, get_signed(bytes, field->size)); break;
    case MICA_KIND_F32:
    case MICA_KIND_F64:
        micai_json_write_real(text, name, get_number(bytes, field->size), field->size);
        break;
    case MICA_KIND_BOOL: micai_json_write_bool(text, name, bytes[0] != 0); break;
    case MICA_KIND_ENTITY: put_entity(text, name, (mica_entity){get_number(bytes, 8)}); break;
    case MICA_KIND_STRUCT: put_fields(w, name, &w->schema->types[field->type], bytes); break;
    case MICA_KIND_ENUM: put_enum(text, name, field, get_signed(bytes, field->size)); break;
    default: micai_json_write_unsigned(text, name, get_number(bytes, field->size)); break;
    }
}

static void put_field(micai_writer *w, const micai_schema_field *field, const unsigned char *bytes)
{
    if (field->kind == MICA_KIND_CHAR) {
        micai_json_write_text(text_of(w), field->name, (const char *)bytes,
                              text_size(bytes, field->count));
    } else if (field->count == 1) {
        put_element(w, field->name, field, bytes);
    } else {
        micai_json_open_list(text_of(w), field->name, MICAI_JSON_LINE);
        for (uint32_t i = 0; i < field->count; i++) {
            put_element(w, NULL, field, bytes + (size_t)i * field->size);
        }
        micai_json_close(text_of(w));
    }
}

static void put_fields(micai_writer *w, const char *name, const micai_schema_type *type,
                       const unsigned char *value)
{
    micai_json_open_object(text_of(w), name, MICAI_JSON_LINE);
    for (uint32_t i = 0; i < type->field_count; i++) {
        put_field(w, &type->fields[i], value + type->fields[i].offset);
    }
    micai_json_close(text_of(w));
}

// Names of fields are keys, which have no other way to be written.
static bool can_be_keys(micai_writer *w, const micai_schema_type *type)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const char *name = type->fields[i].name;
        if (!micai_json_is_utf8(name, strlen(name))) {
            w->failed =
                micai_fail(w->host, MICA_ERROR_NAME,
                           "%s: field %" PRIu32
                           " of '%.80s' has a name that is not UTF-8, as keys of JSON must be",
                           w->call, i, type->name);
            return false;
        }
        if (type->fields[i].kind == MICA_KIND_STRUCT &&
            !can_be_keys(w, &w->schema->types[type->fields[i].type])) {
            return false;
        }
    }
    return true;
}

static void write_values(micai_writer *w, const char *name, const micai_schema_type *type,
                         const unsigned char *values, uint32_t count)
{
    if (w->failed || !can_be_keys(w, type)) {
        return;
    }
    micai_json_open_list(text_of(w), name, MICAI_JSON_TALL);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *value = values + (size_t)i * type->size;
        if (type->way == MICAI_SCHEMA_FIELDS) {
            put_fields(w, NULL, type, value);
        } else {
            micai_json_write_bytes(text_of(w), NULL, value, type->size);
        }
    }
    micai_json_close(text_of(w));
    settle(w);
}

static const micai_encoder encoder = {
    .begin_section = write_object,
    .begin_object = write_object,
    .begin_list = write_list,
    .end = end_written,
    .end_section = end_written_section,
    .number = write_number,
    .integer = write_integer,
    .real = write_real,
    .flag = write_flag,
    .text = write_text,
    .bytes = write_blob,
    .entity = write_entity,
    .type = write_type,
    .numbers = write_numbers,
    .entities = write_entities,
    .flags = write_flags,
    .values = write_values,
};

micai_writer *micai_json_open_writer(micai_host *host, const char *call, micai_output *output)
{
    json_writer *j = micai_alloc(host, sizeof *j, _Alignof(json_writer));
    if (!j) {
        return NULL;
    }
    j->base = (micai_writer){.encoder = &encoder, .host = host, .call = call};
    j->output = output;
    micai_json_begin(&j->text, output);
    micai_json_open_object(&j->text, NULL, MICAI_JSON_TALL);
    micai_json_write_unsigned(&j->text, MICAI_JSON_VERSION_KEY, MICA_IMAGE_VERSION);
    return &j->base;
}

mica_result micai_json_close_writer(micai_writer *w, mica_result result)
{
    json_writer *j = (json_writer *)w;
    if (!result && !w->failed) {
        micai_json_close(&j->text);
        micai_json_end(&j->text);
        settle(w);
    }
    result = result ? result : w->failed;
    micai_release(w->host, j, sizeof *j, _Alignof(json_writer));
    return result;
}

const micai_codec micai_codec_json = {micai_json_open_writer, micai_json_close_writer,
                                      micai_json_open_reader, micai_json_close_reader};
