// JSON that is read: json.h says how it looks.
//
// Room:    image. Reached by micai_codec_json.
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/canary.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/memory.h"
#include "image/json.h"
#include "image/json_read.h"

#include <mica/image.h>

static void put_number(unsigned char *bytes, uint64_t number, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(number >> (8 * i));
    }
}

// A name of an enum's value; without a name: the names of its field are listed.
typedef struct micai_json_name {
    const micai_schema_field *field;
    const mica_enumerator *of;
} micai_json_name;

typedef struct json_reader {
    micai_reader base;
    micai_input *input;
    micai_json_reader text;
    micai_map types;       // by name, to their numbers in the schema
    uint32_t types_listed; // of the schema, which grows
    micai_map names;       // of values of enums, to their places in the list
    MICAI_ARRAY(micai_json_name) name_list;
} json_reader;

// Fails where the last token stands.
#define fail(j, ...) (micai_json_fail(&(j)->text, __VA_ARGS__), note_failure(j))

static void note_failure(json_reader *j)
{
    j->base.failed = j->base.failed ? j->base.failed : j->text.failed;
}

static micai_json_token next(json_reader *j)
{
    if (j->base.failed) {
        return MICAI_JSON_END;
    }
    micai_json_token token = micai_json_next(&j->text);
    if (token == MICAI_JSON_END && !j->text.failed) {
        micai_json_fail(&j->text, "the document ends too early");
    }
    note_failure(j);
    return token;
}

// The token behind a key; of a list, the next. False after a failure.
static bool begin(json_reader *j, const char *name)
{
    if (name) {
        micai_json_token token = next(j);
        if (!j->base.failed && (token != MICAI_JSON_KEY || strcmp(j->text.text, name) != 0)) {
            fail(j, "\"%.80s\" is missing", name);
        }
    }
    next(j);
    return !j->base.failed;
}

static const char *called(const char *name)
{
    return name ? name : "an item";
}

// The token of a thing must be this; what it is called otherwise.
static bool expect(json_reader *j, const char *name, micai_json_token token, const char *what)
{
    if (begin(j, name) && j->text.token != token) {
        fail(j, "%.80s is to be %s", called(name), what);
    }
    return !j->base.failed;
}

static void expect_close(json_reader *j, const char *what)
{
    if (next(j) != MICAI_JSON_CLOSE && !j->base.failed) {
        fail(j, "%.80s has more than it can have", what);
    }
}

static void read_object(micai_reader *r, const char *name)
{
    expect((json_reader *)r, name, MICAI_JSON_OBJECT, "an object");
}

static uint64_t read_number(micai_reader *r, const char *name, uint64_t max)
{
    json_reader *j = (json_reader *)r;
    uint64_t number = 0;
    if (expect(j, name, MICAI_JSON_INTEGER, "a whole number") &&
        (!micai_json_to_unsigned(&j->text, &number) || number > max)) {
        fail(j, "%.80s cannot be %s", called(name), j->text.text);
    }
    return r->failed ? 0 : number;
}

// Each item has two characters at least.
static uint32_t read_list(micai_reader *r, const char *name, uint32_t max)
{
    json_reader *j = (json_reader *)r;
    char key[MICAI_JSON_COUNT_KEY_SIZE];
    uint64_t count = read_number(r, micai_json_count_key(name, key), max);
    if (count > micai_input_left(j->input)) {
        fail(j, "%" PRIu64 " items of %.80s cannot be", count, name);
    }
    expect(j, name, MICAI_JSON_LIST, "a list");
    return r->failed ? 0 : (uint32_t)count;
}

static void end_read(micai_reader *r, const char *name)
{
    expect_close((json_reader *)r, called(name));
}

static void end_read_section(micai_reader *r)
{
    expect_close((json_reader *)r, "a section");
}

static int64_t read_integer(micai_reader *r, const char *name)
{
    json_reader *j = (json_reader *)r;
    int64_t number = 0;
    if (expect(j, name, MICAI_JSON_INTEGER, "a whole number") &&
        !micai_json_to_signed(&j->text, &number)) {
        fail(j, "%.80s cannot be %s", called(name), j->text.text);
    }
    return r->failed ? 0 : number;
}

// The token is there.
static uint64_t take_real(json_reader *j, const char *name, uint32_t size)
{
    uint64_t bits = 0;
    micai_json_token token = j->text.token;
    if (token == MICAI_JSON_INTEGER || token == MICAI_JSON_REAL) {
        if (!micai_json_scan_real(j->text.text, size, &bits)) {
            fail(j, "%.80s cannot be %s: that is beyond all floats", called(name), j->text.text);
        }
    } else if (token != MICAI_JSON_TEXT || !micai_json_scan_special(j->text.text, size, &bits)) {
        fail(j, "%.80s is to be a number, or \"NaN\" or \"Infinity\"", called(name));
    }
    return j->base.failed ? 0 : bits;
}

static double read_real(micai_reader *r, const char *name)
{
    json_reader *j = (json_reader *)r;
    uint64_t bits = begin(j, name) ? take_real(j, name, 8) : 0;
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static bool take_flag(json_reader *j, const char *name)
{
    bool flag = j->text.token == MICAI_JSON_TRUE;
    if (!flag && j->text.token != MICAI_JSON_FALSE) {
        fail(j, "%.80s is to be true or false", called(name));
    }
    return flag;
}

static bool read_flag(micai_reader *r, const char *name)
{
    json_reader *j = (json_reader *)r;
    return begin(j, name) && take_flag(j, name);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Bytes, the object of which has begun. They take the place of their digits.
static const unsigned char *take_bytes(json_reader *j, const char *name, size_t *size_out)
{
    *size_out = 0;
    if (!expect(j, "bytes", MICAI_JSON_TEXT, "a string")) {
        return NULL;
    }
    char *text = j->text.text;
    size_t size = j->text.size;
    bool right = size % 2 == 0;
    for (size_t i = 0; right && i < size; i += 2) {
        int high = hex_digit(text[i]);
        int low = hex_digit(text[i + 1]);
        right = high >= 0 && low >= 0;
        text[i / 2] = (char)(unsigned char)(high * 16 + low);
    }
    if (!right) {
        fail(j, "bytes are written in pairs of digits: 0 to 9, a to f");
        return NULL;
    }
    expect_close(j, called(name));
    *size_out = j->base.failed ? 0 : size / 2;
    return j->base.failed ? NULL : (const unsigned char *)text;
}

static const unsigned char *read_blob(micai_reader *r, const char *name, uint32_t *size_out)
{
    json_reader *j = (json_reader *)r;
    size_t size = 0;
    const unsigned char *bytes = NULL;
    if (expect(j, name, MICAI_JSON_OBJECT, "an object with bytes")) {
        bytes = take_bytes(j, name, &size);
    }
    if (size > UINT32_MAX) {
        fail(j, "%.80s has too many bytes", called(name));
        size = 0;
    }
    *size_out = (uint32_t)size;
    return r->failed ? NULL : bytes;
}

// Text of up to so many bytes, without zeroes; the token is there. NULL after a failure.
static const char *take_text(json_reader *j, const char *name, size_t max, size_t *size_out)
{
    const char *text = NULL;
    size_t size = 0;
    if (j->text.token == MICAI_JSON_TEXT) {
        text = j->text.text;
        size = j->text.size;
    } else if (j->text.token == MICAI_JSON_OBJECT) {
        text = (const char *)take_bytes(j, name, &size);
    } else {
        fail(j, "%.80s is to be a string", called(name));
    }
    if (!j->base.failed && size > max) {
        fail(j, "%.80s is longer than %llu bytes", called(name), (unsigned long long)max);
    } else if (text && !j->base.failed && memchr(text, 0, size)) {
        fail(j, "%.80s has a zero in it", called(name));
    }
    *size_out = j->base.failed ? 0 : size;
    return j->base.failed ? NULL : text;
}

static void read_text(micai_reader *r, const char *name, char text_out[MICA_NAME_SIZE_MAX + 1])
{
    json_reader *j = (json_reader *)r;
    size_t size = 0;
    const char *text = begin(j, name) ? take_text(j, name, MICA_NAME_SIZE_MAX, &size) : NULL;
    if (text) {
        memcpy(text_out, text, size);
    }
    text_out[size] = '\0';
}

// "slot.generation", as mica_entity_text() writes it.
static bool scan_entity(const char *text, mica_entity *entity_out)
{
    uint64_t parts[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        const char *from = text;
        for (; *text >= '0' && *text <= '9' && parts[i] <= UINT32_MAX; text++) {
            parts[i] = parts[i] * 10 + (uint64_t)(*text - '0');
        }
        bool needless = *from == '0' && text > from + 1;
        if (text == from || needless || *text != (i == 0 ? '.' : '\0')) {
            return false;
        }
        text++;
    }
    *entity_out = (mica_entity){(parts[1] + 1) << 32 | parts[0]};
    return parts[0] <= UINT32_MAX && parts[1] < UINT32_MAX;
}

static mica_entity take_entity(json_reader *j, const char *name)
{
    mica_entity entity = {0};
    bool right = j->text.token == MICAI_JSON_NULL;
    if (j->text.token == MICAI_JSON_TEXT) {
        right = scan_entity(j->text.text, &entity);
    } else if (j->text.token == MICAI_JSON_INTEGER) {
        right = micai_json_to_unsigned(&j->text, &entity.bits);
    }
    if (!right) {
        fail(j, "%.80s is to be an entity, such as \"12.3\", or null", called(name));
    }
    return right ? entity : (mica_entity){0};
}

static mica_entity read_entity(micai_reader *r, const char *name)
{
    json_reader *j = (json_reader *)r;
    return begin(j, name) ? take_entity(j, name) : (mica_entity){0};
}

static bool is_called(const void *context, uint32_t value, const void *key)
{
    const micai_schema *schema = context;
    return strcmp(schema->types[value].name, key) == 0;
}

static uint32_t find_type(const json_reader *j, const char *name)
{
    return micai_map_find(&j->types, micai_hash_text(name), is_called, j->base.schema, name);
}

// Types that have come since. Of several with the same name, the first counts.
static bool list_types(json_reader *j)
{
    uint32_t count = j->base.schema->count;
    if (!micai_map_reserve(j->base.host, &j->types, count - j->types_listed)) {
        j->base.failed = MICA_ERROR_MEMORY;
        return false;
    }
    for (; j->types_listed < count; j->types_listed++) {
        const char *name = j->base.schema->types[j->types_listed].name;
        if (find_type(j, name) == MICAI_MAP_NONE) {
            micai_map_insert(&j->types, micai_hash_text(name), j->types_listed);
        }
    }
    return true;
}

static uint32_t read_type(micai_reader *r, const char *name)
{
    json_reader *j = (json_reader *)r;
    char text[MICA_NAME_SIZE_MAX + 1];
    read_text(r, name, text);
    uint32_t number = !r->failed && list_types(j) ? find_type(j, text) : 0;
    if (number == MICAI_MAP_NONE) {
        fail(j, "there is no type '%s' in the image", text);
        number = 0;
    }
    return number;
}

// A list of so many items, each of which is read by its function into its place.
typedef void take_item(json_reader *j, const void *how, unsigned char *out);

static void read_items(json_reader *j, const char *name, uint32_t count, take_item *take,
                       const void *how, unsigned char *out, size_t size)
{
    expect(j, name, MICAI_JSON_LIST, "a list");
    for (uint32_t i = 0; i < count && !j->base.failed; i++) {
        if (next(j) == MICAI_JSON_CLOSE) {
            fail(j, "%.80s has %" PRIu32 " items and not %" PRIu32, called(name), i, count);
        } else if (!j->base.failed) {
            take(j, how, out + i * size);
        }
    }
    expect_close(j, called(name));
    if (j->base.failed) {
        memset(out, 0, count * size);
    }
}

static void take_number(json_reader *j, const void *how, unsigned char *out)
{
    uint64_t number;
    (void)how;
    if (j->text.token != MICAI_JSON_INTEGER || !micai_json_to_unsigned(&j->text, &number)) {
        fail(j, "an item is to be a whole number");
        return;
    }
    memcpy(out, &number, sizeof number);
}

static void read_numbers(micai_reader *r, const char *name, uint64_t *list_out, uint32_t count)
{
    read_items((json_reader *)r, name, count, take_number, NULL, (unsigned char *)list_out,
               sizeof *list_out);
}

static void take_entity_item(json_reader *j, const void *how, unsigned char *out)
{
    (void)how;
    mica_entity entity = take_entity(j, NULL);
    memcpy(out, &entity, sizeof entity);
}

static void read_entities(micai_reader *r, const char *name, mica_entity *list_out, uint32_t count)
{
    read_items((json_reader *)r, name, count, take_entity_item, NULL, (unsigned char *)list_out,
               sizeof *list_out);
}

static void take_flag_item(json_reader *j, const void *how, unsigned char *out)
{
    uint64_t number;
    (void)how;
    if (j->text.token != MICAI_JSON_INTEGER || !micai_json_to_unsigned(&j->text, &number) ||
        number > 1) {
        fail(j, "an item is to be 0 or 1");
        return;
    }
    *out = (unsigned char)number;
}

static void read_flags(micai_reader *r, const char *name, unsigned char *list_out, uint32_t count)
{
    read_items((json_reader *)r, name, count, take_flag_item, NULL, list_out, 1);
}

// Values

static void take_fields(json_reader *j, const micai_schema_type *type, unsigned char *out);

static void take_unsigned(json_reader *j, const micai_schema_field *field, unsigned char *out)
{
    uint64_t number;
    uint64_t max = UINT64_MAX >> (64 - 8 * field->size);
    if (j->text.token != MICAI_JSON_INTEGER) {
        fail(j, "%.80s is to be a whole number", field->name);
    } else if (!micai_json_to_unsigned(&j->text, &number) || number > max) {
        fail(j, "%.80s, of kind %s, cannot be %s", field->name, mica_kind_name(field->kind),
             j->text.text);
    } else {
        put_number(out, number, field->size);
    }
}

static void take_signed(json_reader *j, const micai_schema_field *field, unsigned char *out)
{
    int64_t number;
    int64_t max = INT64_MAX >> (64 - 8 * field->size);
    if (j->text.token != MICAI_JSON_INTEGER) {
        fail(j, "%.80s is to be a whole number", field->name);
    } else if (!micai_json_to_signed(&j->text, &number) || number > max || number < -max - 1) {
        fail(j, "%.80s, of kind %s, cannot be %s", field->name, mica_kind_name(field->kind),
             j->text.text);
    } else {
        put_number(out, (uint64_t)number, field->size);
    }
}

typedef struct name_key {
    const micai_schema_field *field;
    const char *name; // NULL: of the field itself
} name_key;

static bool is_named(const void *context, uint32_t value, const void *key)
{
    const json_reader *j = context;
    const name_key *wanted = key;
    const micai_json_name *one = &j->name_list.items[value];
    return one->field == wanted->field &&
           (one->of && wanted->name ? strcmp(one->of->name, wanted->name) == 0
                                    : !one->of && !wanted->name);
}

static uint64_t hash_of(const micai_schema_field *field, const char *name)
{
    uint64_t hash = micai_hash_mix((uint64_t)(uintptr_t)field);
    return name ? micai_hash_add(hash, micai_hash_text(name)) : hash;
}

static uint32_t find_name(const json_reader *j, const micai_schema_field *field, const char *name)
{
    return micai_map_find(&j->names, hash_of(field, name), is_named, j, &(name_key){field, name});
}

// There is room for it. Of several with the same name, the first counts.
static void list_name(json_reader *j, const micai_schema_field *field, const mica_enumerator *of)
{
    const char *name = of ? of->name : NULL;
    if (find_name(j, field, name) == MICAI_MAP_NONE) {
        micai_map_insert(&j->names, hash_of(field, name), j->name_list.count);
        j->name_list.items[j->name_list.count++] = (micai_json_name){field, of};
    }
}

// The names of a field are listed when the first value comes.
static bool list_names(json_reader *j, const micai_schema_field *field)
{
    if (find_name(j, field, NULL) != MICAI_MAP_NONE) {
        return true;
    }
    uint32_t count = field->enumerator_count + 1;
    if (!micai_map_reserve(j->base.host, &j->names, count) ||
        !micai_array_reserve(j->base.host, &j->name_list, count)) {
        j->base.failed = MICA_ERROR_MEMORY;
        return false;
    }
    list_name(j, field, NULL);
    for (uint32_t i = 0; i < field->enumerator_count; i++) {
        list_name(j, field, &field->enumerators[i]);
    }
    return true;
}

static void take_enum(json_reader *j, const micai_schema_field *field, unsigned char *out)
{
    if (j->text.token != MICAI_JSON_TEXT) {
        take_signed(j, field, out);
        return;
    }
    if (!list_names(j, field)) {
        return;
    }
    uint32_t found = find_name(j, field, j->text.text);
    if (found == MICAI_MAP_NONE) {
        fail(j, "%.80s has no value '%.80s'", field->name, j->text.text);
        return;
    }
    put_number(out, (uint64_t)j->name_list.items[found].of->value, field->size);
}

static void take_element(json_reader *j, const void *how, unsigned char *out)
{
    const micai_schema_field *field = how;
    switch (field->kind) {
    case MICA_KIND_I8:
    case MICA_KIND_I16:
    case MICA_KIND_I32:
    case MICA_KIND_I64: take_signed(j, field, out); break;
    case MICA_KIND_F32:
    case MICA_KIND_F64: put_number(out, take_real(j, field->name, field->size), field->size); break;
    case MICA_KIND_BOOL: *out = take_flag(j, field->name); break;
    case MICA_KIND_ENTITY: put_number(out, take_entity(j, field->name).bits, 8); break;
    case MICA_KIND_STRUCT: take_fields(j, &j->base.schema->types[field->type], out); break;
    case MICA_KIND_ENUM: take_enum(j, field, out); break;
    default: take_unsigned(j, field, out); break;
    }
}

// Behind its key.
static void read_field(json_reader *j, const micai_schema_field *field, unsigned char *out)
{
    if (field->kind == MICA_KIND_CHAR) {
        size_t size = 0;
        const char *text = begin(j, NULL) ? take_text(j, field->name, field->count, &size) : NULL;
        memset(out, 0, field->count);
        if (text) {
            memcpy(out, text, size);
        }
    } else if (field->count == 1) {
        if (begin(j, NULL)) {
            take_element(j, field, out);
        }
    } else {
        read_items(j, NULL, field->count, take_element, field, out, field->size);
    }
}

// Most often the fields come in their order.
static const micai_schema_field *find_field(const micai_schema_type *type, uint32_t likely,
                                            const char *name)
{
    if (likely < type->field_count && strcmp(type->fields[likely].name, name) == 0) {
        return &type->fields[likely];
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (strcmp(type->fields[i].name, name) == 0) {
            return &type->fields[i];
        }
    }
    return NULL;
}

// The object of a value. No key comes twice, so that all fields are there if there are as many.
static void take_fields(json_reader *j, const micai_schema_type *type, unsigned char *out)
{
    uint32_t count = 0;
    if (j->text.token != MICAI_JSON_OBJECT) {
        fail(j, "a value of '%.80s' is to be an object", type->name);
        return;
    }
    for (micai_json_token token = next(j); token == MICAI_JSON_KEY; token = next(j)) {
        const micai_schema_field *field = find_field(type, count, j->text.text);
        if (!field) {
            fail(j, "'%.80s' has no field '%.80s'", type->name, j->text.text);
            return;
        }
        read_field(j, field, out + field->offset);
        count++;
    }
    bool whole = count == type->field_count;
    if (MICAI_CANARY("image.missing_field")) {
        whole = true;
    }
    if (!j->base.failed && !whole) {
        fail(j, "a value of '%.80s' has %" PRIu32 " fields and not %" PRIu32, type->name, count,
             type->field_count);
    }
}

static void take_value(json_reader *j, const void *how, unsigned char *out)
{
    const micai_schema_type *type = how;
    if (type->way == MICAI_SCHEMA_FIELDS) {
        take_fields(j, type, out);
        return;
    }
    size_t size = 0;
    const unsigned char *bytes = NULL;
    if (j->text.token == MICAI_JSON_OBJECT) {
        bytes = take_bytes(j, type->name, &size);
    }
    if (!j->base.failed && (!bytes || size != type->size)) {
        fail(j, "a value of '%.80s' is to be %" PRIu32 " bytes", type->name, type->size);
    } else if (bytes) {
        memcpy(out, bytes, size);
    }
}

static void read_values(micai_reader *r, const char *name, const micai_schema_type *type,
                        unsigned char *values_out, uint32_t count)
{
    read_items((json_reader *)r, name, count, take_value, type, values_out, type->size);
}

static void tell_where(const micai_reader *r, char text[MICAI_WHERE_SIZE])
{
    const json_reader *j = (const json_reader *)r;
    snprintf(text, MICAI_WHERE_SIZE, "line %" PRIu64 ", column %" PRIu64 ": ", j->text.line,
             j->text.column);
}

static const micai_decoder decoder = {
    .begin_section = read_object,
    .begin_object = read_object,
    .begin_list = read_list,
    .end = end_read,
    .end_section = end_read_section,
    .number = read_number,
    .integer = read_integer,
    .real = read_real,
    .flag = read_flag,
    .text = read_text,
    .bytes = read_blob,
    .entity = read_entity,
    .type = read_type,
    .numbers = read_numbers,
    .entities = read_entities,
    .flags = read_flags,
    .values = read_values,
    .where = tell_where,
};

static void free_reader(json_reader *j)
{
    micai_json_reader_end(&j->text);
    micai_map_free(j->base.host, &j->types);
    micai_map_free(j->base.host, &j->names);
    micai_array_free(j->base.host, &j->name_list);
    micai_release(j->base.host, j, sizeof *j, _Alignof(json_reader));
}

static void read_head(json_reader *j)
{
    if (begin(j, NULL) && j->text.token != MICAI_JSON_OBJECT) {
        fail(j, "an image is an object");
    }
    uint64_t version = read_number(&j->base, MICAI_JSON_VERSION_KEY, UINT64_MAX);
    if (!j->base.failed && version == 0) {
        fail(j, "there is no version 0");
    } else if (!j->base.failed && version > MICA_IMAGE_VERSION) {
        micai_reader_fail(&j->base, MICA_ERROR_VERSION,
                          "the image is of version %" PRIu64 "; up to %u can be read", version,
                          MICA_IMAGE_VERSION);
    }
    j->base.version = (uint32_t)version;
}

micai_reader *micai_json_open_reader(micai_host *host, const char *call, micai_input *input)
{
    json_reader *j = micai_alloc_zeroed(host, sizeof *j, _Alignof(json_reader));
    if (!j) {
        return NULL;
    }
    j->base = (micai_reader){.decoder = &decoder, .host = host, .call = call};
    j->input = input;
    micai_json_reader_begin(&j->text, host, call, input);
    read_head(j);
    if (j->base.failed) {
        host->failed = j->base.failed;
        free_reader(j);
        return NULL;
    }
    return &j->base;
}

mica_result micai_json_close_reader(micai_reader *r, mica_result result)
{
    json_reader *j = (json_reader *)r;
    if (!result) {
        expect_close(j, "an image");
    }
    if (!result && !r->failed) {
        micai_json_next(&j->text);
        note_failure(j);
    }
    result = result ? result : r->failed;
    free_reader(j);
    return result;
}
