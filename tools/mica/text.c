// Text: what types and values look like.
#include "tool.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void tool_text_clear(tool_text *text)
{
    text->size = 0;
    if (text->chars) {
        text->chars[0] = '\0';
    }
}

static void out_of_memory(void)
{
    fprintf(stderr, "mica: there is no more memory\n");
    exit(TOOL_TROUBLE);
}

// So many more characters fit.
static void reserve(tool_text *text, size_t more)
{
    size_t needed = text->size + more + 1;
    if (needed > text->capacity) {
        text->capacity = needed * 2;
        text->chars = realloc(text->chars, text->capacity);
        if (!text->chars) {
            out_of_memory();
        }
    }
}

void tool_text_add(tool_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    reserve(text, more > 0 ? (size_t)more : 0);
    va_start(arguments, format);
    vsnprintf(text->chars + text->size, text->capacity - text->size, format, arguments);
    va_end(arguments);
    text->size += more > 0 ? (size_t)more : 0;
}

void tool_text_free(tool_text *text)
{
    free(text->chars);
    *text = (tool_text){0};
}

static void add_quoted(tool_text *text, const void *bytes, size_t count)
{
    size_t size = mica_text_quote(bytes, count, NULL, 0);
    reserve(text, size);
    text->size += mica_text_quote(bytes, count, text->chars + text->size, size + 1);
}

static const char *const storages[MICA_STORAGE_COUNT] = {"table", "sparse", "split", "ring"};

static void describe_field(tool_text *text, mica_world *world, const mica_field_info *field)
{
    const mica_type_info *nested =
        field->kind == MICA_KIND_STRUCT ? mica_type_get_info(world, field->type) : NULL;
    tool_text_add(text, "%s %s", field->name, nested ? nested->name : mica_kind_name(field->kind));
    if (field->count > 1) {
        tool_text_add(text, "[%" PRIu32 "]", field->count);
    }
}

void tool_describe(tool_text *text, mica_world *world, const mica_type_info *type)
{
    tool_text_add(text, "%s", storages[type->storage]);
    if (type->size == 0) {
        tool_text_add(text, ", tag");
    } else if (type->hooks.save) {
        tool_text_add(text, ", saved by hooks");
    } else {
        tool_text_add(text, ", %" PRIu32 " bytes", type->size);
    }
    tool_text_add(text, "%s%s%s%s", type->stable ? ", stable" : "", type->toggle ? ", toggle" : "",
                  type->row_stamps ? ", row stamps" : "", type->saved ? ", saved" : "");
    for (uint32_t i = 0; i < type->field_count && !type->hooks.save; i++) {
        tool_text_add(text, "%s", i == 0 ? ": " : ", ");
        describe_field(text, world, &type->fields[i]);
    }
}

static int64_t get_signed(const unsigned char *bytes, uint32_t size)
{
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    switch (size) {
    case 1: memcpy(&i8, bytes, size); return i8;
    case 2: memcpy(&i16, bytes, size); return i16;
    case 4: memcpy(&i32, bytes, size); return i32;
    default: memcpy(&i64, bytes, sizeof i64); return i64;
    }
}

static uint64_t get_unsigned(const unsigned char *bytes, uint32_t size)
{
    uint64_t value = (uint64_t)get_signed(bytes, size);
    return size < 8 ? value & ((UINT64_C(1) << (8 * size)) - 1) : value;
}

static void tell_entity(tool_text *text, const unsigned char *bytes)
{
    mica_entity entity;
    char handle[MICA_ENTITY_TEXT_SIZE];
    memcpy(&entity, bytes, sizeof entity);
    tool_text_add(text, "%s", mica_entity_text(entity, handle));
}

static void tell_enum(tool_text *text, const mica_field_info *field, int64_t value)
{
    for (const mica_enumerator *e = field->enumerators; e && e->name; e++) {
        if (e->value == value) {
            tool_text_add(text, "%s", e->name);
            return;
        }
    }
    tool_text_add(text, "%" PRId64, value);
}

// As many digits as tell it from its neighbours.
static void tell_float(tool_text *text, const unsigned char *bytes, uint32_t size)
{
    float narrow = 0;
    double wide = 0;
    if (size == sizeof narrow) {
        memcpy(&narrow, bytes, sizeof narrow);
        for (int digits = 6; digits <= 9; digits++) {
            char number[32];
            snprintf(number, sizeof number, "%.*g", digits, (double)narrow);
            if (digits == 9 || strtof(number, NULL) == narrow) {
                tool_text_add(text, "%s", number);
                return;
            }
        }
    }
    memcpy(&wide, bytes, sizeof wide);
    char number[32];
    snprintf(number, sizeof number, "%.15g", wide);
    tool_text_add(text, "%s", number);
    if (strtod(number, NULL) != wide && wide == wide) {
        text->size -= strlen(number);
        tool_text_add(text, "%.17g", wide);
    }
}

static void tell_element(tool_text *text, mica_world *world, const mica_field_info *field,
                         const unsigned char *bytes, uint32_t size)
{
    switch (field->kind) {
    case MICA_KIND_U8:
    case MICA_KIND_U16:
    case MICA_KIND_U32:
    case MICA_KIND_U64: tool_text_add(text, "%" PRIu64, get_unsigned(bytes, size)); break;
    case MICA_KIND_F32:
    case MICA_KIND_F64: tell_float(text, bytes, size); break;
    case MICA_KIND_BOOL: tool_text_add(text, "%s", bytes[0] ? "true" : "false"); break;
    case MICA_KIND_ENTITY: tell_entity(text, bytes); break;
    case MICA_KIND_STRUCT:
        tool_tell_value(text, world, mica_type_get_info(world, field->type), bytes);
        break;
    case MICA_KIND_ENUM: tell_enum(text, field, get_signed(bytes, size)); break;
    default: tool_text_add(text, "%" PRId64, get_signed(bytes, size)); break;
    }
}

void tool_tell_field(tool_text *text, mica_world *world, const mica_field_info *field,
                     const unsigned char *value)
{
    const unsigned char *bytes = value + field->offset;
    uint32_t size = field->size / field->count;
    if (field->kind == MICA_KIND_CHAR) {
        add_quoted(text, bytes, field->size);
        return;
    }
    if (field->count == 1) {
        tell_element(text, world, field, bytes, size);
        return;
    }
    for (uint32_t i = 0; i < field->count; i++) {
        tool_text_add(text, "%s", i == 0 ? "[" : ", ");
        tell_element(text, world, field, bytes + (size_t)i * size, size);
    }
    tool_text_add(text, "]");
}

static bool put_hex(void *out, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        tool_text_add(out, "%02x", bytes[i]);
    }
    return true;
}

void tool_tell_value(tool_text *text, mica_world *world, const mica_type_info *type,
                     const void *value)
{
    char why[MICA_HOOK_WHY_SIZE] = "";
    const mica_allocator allocator = {0};
    const mica_hook_context context = {type, type->user, &allocator, why};
    if (type->hooks.save) {
        type->hooks.save(value, put_hex, text, &context);
    } else if (type->field_count == 0) {
        put_hex(text, value, type->size);
    } else {
        for (uint32_t i = 0; i < type->field_count; i++) {
            tool_text_add(text, "%s%s ", i == 0 ? "{" : ", ", type->fields[i].name);
            tool_tell_field(text, world, &type->fields[i], value);
        }
        tool_text_add(text, "}");
    }
}

uint32_t tool_event_count(mica_world *world, mica_type type)
{
    mica_event_info info;
    mica_event_get_info(world, type, &info);
    return info.now + info.last;
}
