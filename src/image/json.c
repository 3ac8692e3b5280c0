// The JSON codec: the content of an image as text, to read, to compare and, with care, to edit.
//
//   {
//     "mica_image": 1,                          the version of the format
//     "world": {                                a section is an object
//       "tick": 7
//     },
//     "tables": {
//       "tables_count": 1,                      the count of a list precedes it
//       "tables": [
//         ...
//           "values": [
//             {"x": 1.0, "name": "caf\u00e9", "friend": "12.3", "mood": "glad"}   a value in a line
//
// Members of sections and objects have a fixed order. Fields of values may have any order, but none
// may be missing. The kinds of values:
//
//   integers    numbers, exact                  bool     true, false
//   floats      the shortest exact text         char     a string; arrays: up to the first zero
//   entities    "slot.generation", or null      enums    the name of the value, or a number
//   structs     objects                         bytes    {"bytes": "00ff"}; also text if not UTF-8
//   arrays      lists                           types    by name
//
// json_number_internal.h has the format of floats, json_read_internal.h the restrictions. An entity
// whose bits no handle can have is written as a number.
//
// Room:    image. Called through micai_codec_json.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/canary.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/memory.h"
#include "image/codec_internal.h"
#include "image/json_item_internal.h"
#include "image/schema_internal.h"

#include <mica/image.h>

typedef struct json {
    micai_json items;
    // Writing, by depth: each object in this list has a line.
    bool in_lines[MICAI_JSON_DEPTH_MAX + 1];
    micai_map types;       // reading: numbers in the schema, by name
    uint32_t types_listed; // how many types of the schema, which grows, are in the map
} json;

static micai_json *json_of(micai_archive *a)
{
    return (micai_json *)a;
}

// Objects and lists

static void begin_object(micai_archive *a, const char *name)
{
    json *j = (json *)a;
    if (a->reading) {
        micai_json_expect(&j->items, name, MICAI_JSON_OBJECT, "an object");
        return;
    }
    bool in_line = !name && j->in_lines[j->items.out.depth];
    micai_json_open_object(&j->items.out, name, in_line ? MICAI_JSON_LINE : MICAI_JSON_TALL);
}

static void end(micai_archive *a, const char *name)
{
    micai_json_end_container(json_of(a), micai_json_label(name));
}

static void end_section(micai_archive *a, const char *name)
{
    (void)name;
    micai_json_end_container(json_of(a), "a section");
}

static void serialize_number(micai_archive *a, const char *name, uint64_t *number, uint64_t max)
{
    micai_json_member(json_of(a), name);
    micai_json_unsigned(json_of(a), name, NULL, number, max);
}

// Returns true for lists of many small objects, which are easier to read with one line for each.
static bool has_small_objects(const char *list)
{
    static const char *const lists[] = {"facets", "fields", "names", "values"};
    bool has = false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        has = has || strcmp(list, lists[i]) == 0;
    }
    return has;
}

// The count of items precedes a list. While reading, rejects counts beyond the characters that are
// left.
static void begin_list(micai_archive *a, const char *name, uint32_t *count, uint32_t max)
{
    json *j = (json *)a;
    char key[64];
    snprintf(key, sizeof key, "%s_count", name);
    micai_serialize_32(a, key, count, max);
    if (!a->reading) {
        micai_json_open_list(&j->items.out, name, MICAI_JSON_TALL);
        j->in_lines[j->items.out.depth] = has_small_objects(name);
        return;
    }
    if (*count > micai_input_left(j->items.in.input)) {
        micai_json_refuse(&j->items, "there cannot be %" PRIu32 " items of %.80s", *count, name);
    }
    micai_json_expect(&j->items, name, MICAI_JSON_LIST, "a list");
    *count = a->failed ? 0 : *count;
}

// Single items

static void serialize_integer(micai_archive *a, const char *name, int64_t *number)
{
    micai_json_member(json_of(a), name);
    micai_json_signed(json_of(a), name, NULL, number, INT64_MAX);
}

static void serialize_real(micai_archive *a, const char *name, double *real)
{
    uint64_t bits = 0;
    if (!a->reading) {
        memcpy(&bits, real, sizeof bits);
    }
    micai_json_member(json_of(a), name);
    micai_json_real(json_of(a), name, &bits, 8);
    memcpy(real, &bits, sizeof bits);
}

static void serialize_flag(micai_archive *a, const char *name, bool *flag)
{
    micai_json_member(json_of(a), name);
    micai_json_flag(json_of(a), name, flag);
}

static void serialize_entity(micai_archive *a, const char *name, mica_entity *entity)
{
    micai_json_member(json_of(a), name);
    micai_json_entity(json_of(a), name, entity);
}

static void read_text(micai_json *j, const char *name, char text_out[MICA_NAME_SIZE_MAX + 1])
{
    size_t size;
    const char *text;
    micai_json_member(j, name);
    micai_json_text(j, name, &text, &size, MICA_NAME_SIZE_MAX);
    memcpy(text_out, text ? text : "", size);
    text_out[size] = '\0';
}

static void serialize_text(micai_archive *a, const char *name, const char **text)
{
    if (a->reading) {
        read_text(json_of(a), name, a->text);
        *text = a->text;
    } else {
        micai_json_write_text(&json_of(a)->out, name, *text, strlen(*text));
    }
}

static void serialize_bytes(micai_archive *a, const char *name, const unsigned char **data,
                            uint32_t *size)
{
    micai_json *j = json_of(a);
    size_t wide = a->reading ? 0 : *size;
    if (a->reading) {
        micai_json_expect(j, name, MICAI_JSON_OBJECT, "an object with bytes");
    }
    micai_json_bytes(j, name, data, &wide);
    if (wide > UINT32_MAX) {
        micai_json_refuse(j, "%.80s has too many bytes", micai_json_label(name));
    }
    micai_json_take_failure(j);
    *size = a->failed ? 0 : (uint32_t)wide;
    *data = a->failed ? NULL : *data;
}

// Types

static bool is_called(const void *context, uint32_t value, const void *key)
{
    const micai_schema *schema = context;
    return strcmp(schema->types[value].name, key) == 0;
}

static uint32_t find_type(const json *j, const char *name)
{
    return micai_map_find(&j->types, micai_hash_text(name), is_called, j->items.base.schema, name);
}

// Adds the types that were read since the last call. If several have the same name, the first
// counts.
static bool list_types(json *j)
{
    micai_archive *a = &j->items.base;
    uint32_t count = a->schema->count;
    if (!micai_map_reserve(a->host, &j->types, count - j->types_listed)) {
        micai_archive_fail_memory(a);
        return false;
    }
    for (; j->types_listed < count; j->types_listed++) {
        const char *name = a->schema->types[j->types_listed].name;
        if (find_type(j, name) == MICAI_MAP_NONE) {
            micai_map_insert(&j->types, micai_hash_text(name), j->types_listed);
        }
    }
    return true;
}

static void write_type(micai_archive *a, const char *name, uint32_t number)
{
    const char *text = a->schema->types[number].name;
    if (!name) {
        micai_json_fill(&json_of(a)->out);
    }
    serialize_text(a, name, &text);
}

static void serialize_type(micai_archive *a, const char *name, uint32_t *number)
{
    json *j = (json *)a;
    char text[MICA_NAME_SIZE_MAX + 1];
    if (!a->reading) {
        write_type(a, name, *number);
        return;
    }
    read_text(&j->items, name, text);
    *number = !a->failed && list_types(j) ? find_type(j, text) : 0;
    if (*number == MICAI_MAP_NONE) {
        micai_json_refuse(&j->items, "there is no type '%s' in the image", text);
        *number = 0;
    }
}

// Lists of items

static void serialize_number_item(micai_json *j, const void *how, unsigned char *item)
{
    uint64_t number;
    (void)how;
    memcpy(&number, item, sizeof number);
    if (!j->base.reading) {
        micai_json_write_unsigned(&j->out, NULL, number);
    } else if (j->in.token != MICAI_JSON_INTEGER || !micai_json_to_unsigned(&j->in, &number)) {
        micai_json_refuse(j, "an item must be a whole number");
    } else {
        memcpy(item, &number, sizeof number);
    }
}

static void serialize_numbers(micai_archive *a, const char *name, uint64_t *list, uint32_t count)
{
    micai_json_items(json_of(a), name, MICAI_JSON_FULL, count, serialize_number_item, NULL, list,
                     sizeof *list);
}

static void serialize_entity_item(micai_json *j, const void *how, unsigned char *item)
{
    mica_entity entity;
    (void)how;
    memcpy(&entity, item, sizeof entity);
    micai_json_entity(j, NULL, &entity);
    if (j->base.reading) {
        memcpy(item, &entity, sizeof entity);
    }
}

static void serialize_entities(micai_archive *a, const char *name, mica_entity *list,
                               uint32_t count)
{
    micai_json_items(json_of(a), name, MICAI_JSON_FULL, count, serialize_entity_item, NULL, list,
                     sizeof *list);
}

static void serialize_flag_item(micai_json *j, const void *how, unsigned char *item)
{
    uint64_t number = *item;
    (void)how;
    if (!j->base.reading) {
        micai_json_write_unsigned(&j->out, NULL, number);
    } else if (j->in.token != MICAI_JSON_INTEGER || !micai_json_to_unsigned(&j->in, &number) ||
               number > 1) {
        micai_json_refuse(j, "an item must be 0 or 1");
    } else {
        *item = (unsigned char)number;
    }
}

static void serialize_flags(micai_archive *a, const char *name, unsigned char *list, uint32_t count)
{
    micai_json_items(json_of(a), name, MICAI_JSON_FULL, count, serialize_flag_item, NULL, list, 1);
}

// Names of enum values

static void read_enum(micai_json *j, const micai_schema_field *field, int64_t *value)
{
    uint32_t found = micai_schema_find_name(field, j->in.text);
    if (found == MICAI_MAP_NONE) {
        micai_json_refuse(j, "%.80s has no value '%.80s'", field->name, j->in.text);
    } else {
        *value = field->enumerators[found].value;
    }
}

// Returns the first name of a value that is UTF-8, or NULL.
static const char *name_of(const micai_schema_field *field, int64_t value)
{
    for (uint32_t i = 0; i < field->enumerator_count; i++) {
        const mica_enumerator *one = &field->enumerators[i];
        if (one->value == value && micai_json_is_utf8(one->name, strlen(one->name))) {
            return one->name;
        }
    }
    return NULL;
}

// Values

static void serialize_signed(micai_json *j, const char *name, const micai_schema_field *field,
                             uint64_t *bits, int64_t value)
{
    bool is_enum = field->kind == MICA_KIND_ENUM;
    const char *text = is_enum && !j->base.reading ? name_of(field, value) : NULL;
    if (text) {
        micai_json_write_text(&j->out, name, text, strlen(text));
    } else if (is_enum && j->base.reading && j->in.token == MICAI_JSON_TEXT) {
        read_enum(j, field, &value);
    } else {
        micai_json_signed(j, name, mica_kind_name(field->kind), &value,
                          INT64_MAX >> (64 - 8 * field->size));
    }
    *bits = (uint64_t)value;
}

// Serializes a scalar of any kind, in the bytes of its kind.
static void serialize_scalar(micai_json *j, const char *name, const micai_schema_field *field,
                             unsigned char *bytes)
{
    uint64_t bits = j->base.reading ? 0 : micai_get_little(bytes, field->size);
    bool flag = bits != 0;
    mica_entity entity = {bits};
    switch (field->kind) {
    case MICA_KIND_F32:
    case MICA_KIND_F64: micai_json_real(j, name, &bits, field->size); break;
    case MICA_KIND_BOOL:
        micai_json_flag(j, name, &flag);
        bits = flag;
        break;
    case MICA_KIND_ENTITY:
        micai_json_entity(j, name, &entity);
        bits = entity.bits;
        break;
    case MICA_KIND_I8:
    case MICA_KIND_I16:
    case MICA_KIND_I32:
    case MICA_KIND_I64:
    case MICA_KIND_ENUM:
        serialize_signed(j, name, field, &bits,
                         j->base.reading ? 0 : micai_get_little_signed(bytes, field->size));
        break;
    default:
        micai_json_unsigned(j, name, mica_kind_name(field->kind), &bits,
                            UINT64_MAX >> (64 - 8 * field->size));
        break;
    }
    if (j->base.reading) {
        micai_put_little(bytes, bits, field->size);
    }
}

static void serialize_fields(micai_json *j, const char *name, const micai_schema_type *type,
                             unsigned char *value);

static void serialize_element(micai_json *j, const char *name, const micai_schema_field *field,
                              unsigned char *bytes)
{
    if (field->kind == MICA_KIND_STRUCT) {
        serialize_fields(j, name, &j->base.schema->types[field->type], bytes);
    } else {
        serialize_scalar(j, name, field, bytes);
    }
}

static void serialize_element_item(micai_json *j, const void *how, unsigned char *item)
{
    const micai_schema_field *field = how;
    serialize_element(j, j->base.reading ? field->name : NULL, field, item);
}

static void serialize_characters(micai_json *j, const micai_schema_field *field,
                                 unsigned char *bytes)
{
    const char *text = (const char *)bytes;
    const unsigned char *end_of_text = j->base.reading ? NULL : memchr(bytes, 0, field->count);
    size_t size = end_of_text ? (size_t)(end_of_text - bytes) : field->count;
    micai_json_text(j, field->name, &text, &size, field->count);
    if (j->base.reading) {
        memset(bytes, 0, field->count);
        memcpy(bytes, text ? text : "", size);
    }
}

// Reading starts behind the key.
static void serialize_field(micai_json *j, const micai_schema_field *field, unsigned char *bytes)
{
    if (field->count > 1 && field->kind != MICA_KIND_CHAR) {
        micai_json_items(j, j->base.reading ? NULL : field->name, MICAI_JSON_LINE, field->count,
                         serialize_element_item, field, bytes, field->size);
        return;
    }
    micai_json_member(j, NULL);
    if (field->kind == MICA_KIND_CHAR) {
        serialize_characters(j, field, bytes);
    } else {
        serialize_element(j, field->name, field, bytes);
    }
}

// Reads the object of a value. Keys are unique, so all fields were read if the count is right.
static void read_fields(micai_json *j, const micai_schema_type *type, unsigned char *value)
{
    uint32_t count = 0;
    if (j->in.token != MICAI_JSON_OBJECT) {
        micai_json_refuse(j, "a value of '%.80s' must be an object", type->name);
        return;
    }
    while (micai_json_take(j) == MICAI_JSON_KEY) {
        const micai_schema_field *field = micai_schema_find_field(type, count, j->in.text);
        if (!field) {
            micai_json_refuse(j, "'%.80s' has no field '%.80s'", type->name, j->in.text);
            return;
        }
        serialize_field(j, field, value + field->offset);
        count++;
    }
    bool whole = count == type->field_count;
    if (MICAI_CANARY("image.missing_field")) {
        whole = true;
    }
    if (!whole) {
        micai_json_refuse(j, "a value of '%.80s' has %" PRIu32 " fields and not %" PRIu32,
                          type->name, count, type->field_count);
    }
}

static void serialize_fields(micai_json *j, const char *name, const micai_schema_type *type,
                             unsigned char *value)
{
    if (j->base.reading) {
        read_fields(j, type, value);
        return;
    }
    micai_json_open_object(&j->out, name, MICAI_JSON_LINE);
    for (uint32_t i = 0; i < type->field_count; i++) {
        serialize_field(j, &type->fields[i], value + type->fields[i].offset);
    }
    micai_json_close(&j->out);
}

static void serialize_value(micai_json *j, const void *how, unsigned char *value)
{
    const micai_schema_type *type = how;
    const unsigned char *bytes = j->base.reading ? NULL : value;
    size_t size = type->size;
    if (type->way == MICAI_SCHEMA_FIELDS) {
        serialize_fields(j, NULL, type, value);
        return;
    }
    if (!j->base.reading || j->in.token == MICAI_JSON_OBJECT) {
        micai_json_bytes(j, j->base.reading ? type->name : NULL, &bytes, &size);
    }
    if (!bytes || size != type->size) {
        micai_json_refuse(j, "a value of '%.80s' must be %" PRIu32 " bytes", type->name,
                          type->size);
    } else if (bytes && j->base.reading) {
        memcpy(value, bytes, size);
    }
}

// Fails if a field has a name that is not UTF-8: keys cannot be written as bytes.
static bool can_be_keys(micai_archive *a, const micai_schema_type *type)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const char *name = type->fields[i].name;
        if (!micai_json_is_utf8(name, strlen(name))) {
            a->failed =
                micai_fail(a->host, MICA_ERROR_NAME,
                           "%s: field %" PRIu32
                           " of '%.80s' has a name that is not UTF-8, as keys of JSON must be",
                           a->call, i, type->name);
            return false;
        }
        if (type->fields[i].kind == MICA_KIND_STRUCT &&
            !can_be_keys(a, &a->schema->types[type->fields[i].type])) {
            return false;
        }
    }
    return true;
}

static void serialize_values(micai_archive *a, const char *name, const micai_schema_type *type,
                             unsigned char *values, uint32_t count)
{
    if (a->reading || (!a->failed && can_be_keys(a, type))) {
        micai_json_items(json_of(a), name, MICAI_JSON_TALL, count, serialize_value, type, values,
                         type->size);
    }
}

static void say_where(const micai_archive *a, char text[MICAI_WHERE_SIZE])
{
    const micai_json *j = (const micai_json *)a;
    snprintf(text, MICAI_WHERE_SIZE, "line %" PRIu64 ", column %" PRIu64 ": ", j->in.line,
             j->in.column);
}

static const micai_archive_calls calls = {
    .begin_section = begin_object,
    .end_section = end_section,
    .begin_object = begin_object,
    .begin_list = begin_list,
    .end = end,
    .number = serialize_number,
    .integer = serialize_integer,
    .real = serialize_real,
    .flag = serialize_flag,
    .text = serialize_text,
    .bytes = serialize_bytes,
    .entity = serialize_entity,
    .type = serialize_type,
    .numbers = serialize_numbers,
    .entities = serialize_entities,
    .flags = serialize_flags,
    .values = serialize_values,
    .where = say_where,
};

// Opening and closing

static void free_json(json *j)
{
    micai_host *host = j->items.base.host;
    micai_json_reader_end(&j->items.in);
    micai_map_free(host, &j->types);
    micai_release(host, j, sizeof *j, _Alignof(json));
}

static void serialize_head(micai_json *j)
{
    micai_archive *a = &j->base;
    if (!a->reading) {
        micai_json_open_object(&j->out, NULL, MICAI_JSON_TALL);
    } else {
        micai_json_member(j, NULL);
    }
    if (a->reading && j->in.token != MICAI_JSON_OBJECT) {
        micai_json_refuse(j, "an image is an object");
    }
    uint64_t version = MICA_IMAGE_VERSION;
    serialize_number(a, "mica_image", &version, UINT64_MAX);
    if (!a->failed && version == 0) {
        micai_json_refuse(j, "there is no version 0");
    } else if (!a->failed && version > MICA_IMAGE_VERSION) {
        micai_archive_fail(a, MICA_ERROR_VERSION,
                           "the image is of version %" PRIu64 "; up to %u can be read", version,
                           MICA_IMAGE_VERSION);
    }
    a->version = (uint32_t)version;
}

static micai_archive *open_json(micai_host *host, const char *call, micai_output *output,
                                micai_input *input)
{
    json *j = micai_alloc_zeroed(host, sizeof *j, _Alignof(json));
    if (!j) {
        return NULL;
    }
    j->items.base =
        (micai_archive){.calls = &calls, .reading = input != NULL, .host = host, .call = call};
    micai_json_begin(&j->items.out, output);
    micai_json_reader_begin(&j->items.in, host, call, input);
    serialize_head(&j->items);
    if (j->items.base.failed) {
        host->failed = j->items.base.failed;
        free_json(j);
        return NULL;
    }
    return &j->items.base;
}

static mica_result close_json(micai_archive *a, mica_result result)
{
    micai_json *j = json_of(a);
    if (!result && (a->reading || !a->failed)) {
        micai_json_end_container(j, "an image");
    }
    if (!result && !a->failed && a->reading) {
        micai_json_next(&j->in);
    } else if (!result && !a->failed) {
        micai_json_end(&j->out);
    }
    micai_json_take_failure(j);
    result = result ? result : a->failed;
    free_json((json *)a);
    return result;
}

const micai_codec micai_codec_json = {open_json, close_json};
