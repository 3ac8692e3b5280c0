// Trees (tree.h): their memory, their values, and how they are written. src/image/binary.c and src/image/json.h
// describe the two forms.
#include "fuzz/tree.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/json_number_internal.h"
#include "image/json_write_internal.h"
#include "image/mend.h"

enum { NODES_MAX = 1 << 18, BYTES_MAX = 1 << 22, IMAGE_MAX = 1 << 21, FRAME_MAX = 1 << 16 };

// Memory

static tree nodes[NODES_MAX];
static char bytes[BYTES_MAX];
static tree_mark used;

tree_mark tree_here(void)
{
    return used;
}

void tree_rewind(tree_mark mark)
{
    used = mark;
}

char *tree_bytes(const void *source, uint32_t size, uint32_t more)
{
    if (size > BYTES_MAX / 4 || more > BYTES_MAX / 4 || used.bytes > BYTES_MAX - size - more - 1) {
        return NULL;
    }
    char *copy = &bytes[used.bytes];
    used.bytes += size + more + 1;
    if (size > 0) {
        memcpy(copy, source, size);
    }
    memset(copy + size, 0, more + 1);
    return copy;
}

tree *tree_new(tree_kind kind, const char *name)
{
    if (used.nodes == NODES_MAX) {
        return NULL;
    }
    tree *node = &nodes[used.nodes++];
    *node = (tree){.kind = kind};
    if (name) {
        node->name_size = (uint32_t)strlen(name);
        node->name = tree_bytes(name, node->name_size, 0);
        node->name = node->name ? node->name : "";
    }
    return node;
}

void tree_append(tree *parent, tree *child)
{
    child->next = NULL;
    *(parent->first ? &parent->last->next : &parent->first) = child;
    parent->last = child;
}

tree *tree_copy(const tree *source)
{
    tree *copy = tree_new(source->kind, NULL);
    if (!copy) {
        return NULL;
    }
    *copy = *source;
    copy->first = copy->last = copy->next = NULL;
    for (const tree *child = source->first; child; child = child->next) {
        tree *child_copy = tree_copy(child);
        if (!child_copy) {
            return NULL;
        }
        tree_append(copy, child_copy);
    }
    return copy;
}

tree *tree_find(const tree *parent, const char *name)
{
    tree *child = parent ? parent->first : NULL;
    while (child && (!child->name || strcmp(child->name, name) != 0)) {
        child = child->next;
    }
    return child;
}

uint32_t tree_count(const tree *parent)
{
    uint32_t count = 0;
    for (const tree *child = parent->first; child; child = child->next) {
        count++;
    }
    return count;
}

// Values

static tree *type_at(const tree *root, uint64_t number)
{
    const tree *list = tree_find(tree_find(root, "types"), "types");
    tree *type = list ? list->first : NULL;
    while (type && number-- > 0) {
        type = type->next;
    }
    return type;
}

static uint64_t number_of(const tree *parent, const char *name)
{
    const tree *found = tree_find(parent, name);
    return found ? found->number : 0;
}

static bool text_is(const tree *parent, const char *name, const char *text)
{
    const tree *found = tree_find(parent, name);
    return found && found->bytes && found->byte_count == strlen(text) &&
           memcmp(found->bytes, text, found->byte_count) == 0;
}

// The bytes of a value, again and again if the schema wants more of them.
typedef struct value_source {
    const tree *root;
    const tree *value;
    uint32_t at;
} value_source;

static uint64_t take(value_source *source, uint32_t size)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < size && source->value->byte_count > 0; i++) {
        uint64_t byte =
            (unsigned char)source->value->bytes[source->at++ % source->value->byte_count];
        number |= byte << (8 * i);
    }
    return number;
}

static tree *take_bytes(value_source *source, tree_kind kind, uint64_t size)
{
    tree *node = tree_new(kind, NULL);
    char *copy = node && size < BYTES_MAX ? tree_bytes(NULL, 0, (uint32_t)size) : NULL;
    for (uint32_t i = 0; copy && i < size; i++) {
        copy[i] = (char)take(source, 1);
    }
    if (copy) {
        node->bytes = copy;
        node->byte_count = (uint32_t)size;
    }
    return node;
}

static tree *take_value(value_source *source, const tree *type, uint32_t depth);

static const struct {
    tree_kind kind;
    uint32_t size;
} as_kinds[MICA_KIND_COUNT] = {
    [MICA_KIND_I8] = {TREE_INTEGER, 1},  [MICA_KIND_I16] = {TREE_INTEGER, 2},
    [MICA_KIND_I32] = {TREE_INTEGER, 4}, [MICA_KIND_I64] = {TREE_INTEGER, 8},
    [MICA_KIND_U8] = {TREE_NUMBER, 1},   [MICA_KIND_U16] = {TREE_NUMBER, 2},
    [MICA_KIND_U32] = {TREE_NUMBER, 4},  [MICA_KIND_U64] = {TREE_NUMBER, 8},
    [MICA_KIND_F32] = {TREE_REAL, 4},    [MICA_KIND_F64] = {TREE_REAL, 8},
    [MICA_KIND_BOOL] = {TREE_FLAG, 1},   [MICA_KIND_ENTITY] = {TREE_ENTITY, 8},
};

static uint64_t extend_sign(uint64_t number, uint32_t size)
{
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return (number ^ sign) - sign;
}

static tree *take_enum(value_source *source, const tree *field)
{
    uint64_t size = number_of(field, "size");
    tree *node = tree_new(TREE_ENUM, NULL);
    if (node) {
        node->size = size > 0 && size < 8 ? (uint32_t)size : 8;
        node->number = extend_sign(take(source, node->size), node->size);
        const tree *values = tree_find(field, "values");
        for (const tree *one = values ? values->first : NULL; one; one = one->next) {
            const tree *name = tree_find(one, "name");
            if (number_of(one, "value") == node->number && name) {
                node->bytes = name->bytes;
                node->byte_count = name->byte_count;
            }
        }
    }
    return node;
}

// Structs of structs have many elements: the values of one tree together take no more than these. Others stay bytes.
enum { ELEMENTS_MAX = 1 << 19 };
static uint32_t elements;

static tree *take_element(value_source *source, const tree *field, uint32_t kind, uint32_t depth)
{
    if (elements++ >= ELEMENTS_MAX) {
        return NULL;
    }
    if (kind == MICA_KIND_STRUCT) {
        return take_value(source, type_at(source->root, number_of(field, "type")), depth + 1);
    }
    if (kind == MICA_KIND_ENUM) {
        return take_enum(source, field);
    }
    tree *node = tree_new(as_kinds[kind].kind, NULL);
    if (node) {
        node->size = as_kinds[kind].size;
        node->number = take(source, node->size);
        if (node->kind == TREE_INTEGER) {
            node->number = extend_sign(node->number, node->size);
        }
    }
    return node;
}

static tree *take_field(value_source *source, const tree *field, uint32_t depth)
{
    uint32_t kind = 1;
    while (kind < MICA_KIND_COUNT && !text_is(field, "kind", mica_kind_name((mica_kind)kind))) {
        kind++;
    }
    uint64_t count = number_of(field, "count");
    if (kind == MICA_KIND_COUNT) {
        return NULL;
    }
    if (kind == MICA_KIND_CHAR) {
        return take_bytes(source, TREE_CHARS, count);
    }
    if (count == 1) {
        return take_element(source, field, kind, depth);
    }
    tree *row = tree_new(TREE_ROW, NULL);
    for (uint64_t i = 0; row && i < count; i++) {
        tree *element = take_element(source, field, kind, depth);
        if (!element) {
            return NULL;
        }
        tree_append(row, element);
    }
    return row;
}

// NULL: there are too many of them, or the schema is not one.
static tree *take_value(value_source *source, const tree *type, uint32_t depth)
{
    if (!type || depth > 20) {
        return NULL;
    }
    if (!text_is(type, "way", "fields")) {
        return take_bytes(source, TREE_RAW, number_of(type, "size"));
    }
    tree *object = tree_new(TREE_OBJECT, NULL);
    const tree *fields = tree_find(type, "fields");
    for (const tree *field = fields ? fields->first : NULL; object && field; field = field->next) {
        const tree *name = tree_find(field, "name");
        tree *member = name ? take_field(source, field, depth) : NULL;
        if (!member) {
            return NULL;
        }
        member->name = name->bytes;
        member->name_size = name->byte_count;
        tree_append(object, member);
    }
    return object;
}

static void expand_in(const tree *root, tree *parent)
{
    for (tree *child = parent->first; child; child = child->next) {
        if (child->kind == TREE_VALUE) {
            value_source source = {root, child, 0};
            tree_mark mark = tree_here();
            tree *value = take_value(&source, type_at(root, child->number), 0);
            if (value) {
                child->kind = value->kind;
                child->first = value->first;
                child->last = value->last;
                child->bytes = value->bytes;
                child->byte_count = value->byte_count;
            } else {
                tree_rewind(mark);
                child->kind = TREE_RAW;
            }
        } else {
            expand_in(root, child);
        }
    }
}

void tree_expand(tree *root)
{
    elements = 0;
    expand_in(root, root);
}

// Batches

static void resize_row(tree *row, uint32_t count)
{
    const tree *source = row->first;
    for (uint32_t had = tree_count(row); source && had < count; had++) {
        tree *copy = tree_copy(source);
        if (!copy) {
            return;
        }
        tree_append(row, copy);
        source = source->next;
    }
    tree *last = row->first;
    for (uint32_t i = 1; last && i < count; i++) {
        last = last->next;
    }
    if (last && count > 0) {
        last->next = NULL;
        row->last = last;
    } else if (count == 0) {
        row->first = row->last = NULL;
    }
}

static bool is_row(const tree *node)
{
    return node->kind == TREE_ROW ||
           (node->kind == TREE_LIST && node->first && node->first->kind == TREE_BYTES);
}

static void resize_rows(tree *parent, uint32_t was, uint32_t count)
{
    for (tree *child = parent->first; child; child = child->next) {
        if (!is_row(child)) {
            resize_rows(child, was, count);
        } else if (!child->is_wrong && tree_count(child) == was) {
            resize_row(child, count);
        }
    }
}

void tree_refit(tree *root)
{
    tree *count = root->first;
    if (root->kind == TREE_OBJECT && count && count->name && strcmp(count->name, "count") == 0) {
        const tree *row = count->next;
        while (row && !is_row(row)) {
            row = row->next;
        }
        if (row && !count->is_wrong && count->kind == TREE_NUMBER) {
            uint32_t now = tree_count(row);
            resize_rows(root, (uint32_t)count->number, now);
            count->number = now;
        }
        return;
    }
    for (tree *child = root->first; child; child = child->next) {
        tree_refit(child);
    }
}

// Writing

static struct {
    unsigned char data[IMAGE_MAX];
    size_t size;
    bool is_full;
    size_t frame; // where the frame begins that is being written
} image;

static void put(const void *data, size_t size)
{
    if (size > IMAGE_MAX - image.size) {
        image.is_full = true;
    } else if (size > 0) {
        memcpy(image.data + image.size, data, size);
        image.size += size;
    }
}

static void put_number(uint64_t number, uint32_t size)
{
    unsigned char number_bytes[8];
    for (uint32_t i = 0; i < 8; i++) {
        number_bytes[i] = (unsigned char)(number >> (8 * i));
    }
    put(number_bytes, size);
}

static tree_image finish_image(void)
{
    return (tree_image){image.data, image.is_full ? 0 : image.size};
}

// Binary. A frame has its size in front, which is filled in when it ends; the checksums are made right in the
// end.

static void begin_frame(void)
{
    image.frame = image.size;
    put_number(0, 4);
}

static void end_frame(void)
{
    size_t size = image.size - image.frame - 4;
    for (uint32_t i = 0; i < 4 && !image.is_full; i++) {
        image.data[image.frame + i] = (unsigned char)(size >> (8 * i));
    }
    put_number(0, 8);
}

static void put_payload(const char *data, size_t size)
{
    while (size > 0 && !image.is_full) {
        size_t space = FRAME_MAX - (image.size - image.frame - 4);
        size_t some = size < space ? size : space;
        put(data, some);
        data += some;
        size -= some;
        if (some == space) {
            end_frame();
            begin_frame();
        }
    }
}

static void put_payload_number(uint64_t number, uint32_t size)
{
    char number_bytes[8];
    for (uint32_t i = 0; i < 8; i++) {
        number_bytes[i] = (char)(number >> (8 * i));
    }
    put_payload(number_bytes, size < 8 ? size : 8);
}

static void put_binary(const tree *node)
{
    switch (node->kind) {
    case TREE_LIST: put_payload_number(tree_count(node) + node->number, 4); break;
    case TREE_OBJECT:
    case TREE_ROW: break;
    case TREE_TEXT:
    case TREE_BYTES: put_payload_number(node->byte_count, 4); // fall through
    case TREE_CHARS:
    case TREE_RAW: put_payload(node->bytes, node->byte_count); break;
    default: put_payload_number(node->number, node->size); break;
    }
    for (const tree *child = node->first; child && !image.is_full; child = child->next) {
        put_binary(child);
    }
}

static void put_section(const tree *section)
{
    char name[8] = {0};
    for (uint32_t i = 0; i < 8 && i < section->name_size; i++) {
        name[i] = section->name[i];
    }
    put(name, sizeof name);
    begin_frame();
    put_binary(section);
    bool has_more = image.size > image.frame + 4;
    end_frame();
    if (has_more) {
        begin_frame();
        end_frame();
    }
}

tree_image tree_write_binary(const tree *root)
{
    static const unsigned char magic[8] = {0x8e, 'm', 'i', 'c', 'a', '\r', '\n', 0x1a};
    static const tree end = {.kind = TREE_OBJECT, .name = "end", .name_size = 3};
    image.size = 0;
    image.is_full = false;
    put(magic, sizeof magic);
    put_number(root->number, 4);
    put_number(0, 4);
    put_number(0, 8);
    for (const tree *section = root->first; section; section = section->next) {
        put_section(section);
    }
    put_section(&end);
    mend(image.data, image.size);
    return finish_image();
}

// JSON

static void print(const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(text, (size_t)size);
}

static void put_string(const char *text, uint32_t size)
{
    put("\"", 1);
    for (uint32_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == '"' || c == '\\') {
            print("\\u%04x", c);
        } else {
            put(&text[i], 1);
        }
    }
    put("\"", 1);
}

static void put_hex(const char *data, uint32_t size)
{
    put("{\"bytes\":\"", 10);
    for (uint32_t i = 0; i < size && !image.is_full; i++) {
        print("%02x", (unsigned char)data[i]);
    }
    put("\"}", 2);
}

static void put_text(const tree *node, uint32_t size)
{
    if (micai_json_is_utf8(node->bytes, size)) {
        put_string(node->bytes, size);
    } else {
        put_hex(node->bytes, size);
    }
}

static void put_real(uint64_t bits, uint32_t size)
{
    char text[MICAI_JSON_REAL_SIZE];
    bool is_number;
    uint32_t count = micai_json_print_real(bits, size == 4 ? 4 : 8, text, &is_number);
    if (is_number) {
        put(text, count);
    } else {
        put_string(text, count);
    }
}

static void put_entity(uint64_t number)
{
    char text[MICA_ENTITY_TEXT_SIZE];
    const mica_entity entity = {number};
    if (MICA_IS_NONE(entity)) {
        put("null", 4);
    } else if (number >> 32 == 0) {
        print("%" PRIu64, number);
    } else {
        print("\"%s\"", mica_entity_text(entity, text));
    }
}

static void put_type(const tree *root, uint64_t number)
{
    const tree *name = tree_find(type_at(root, number), "name");
    if (name && name->kind == TREE_TEXT) {
        put_text(name, name->byte_count);
    } else {
        print("%" PRIu64, number);
    }
}

// Up to the first zero, as fixed text is.
static uint32_t text_size(const tree *node)
{
    const char *end = node->byte_count > 0 ? memchr(node->bytes, 0, node->byte_count) : NULL;
    return end ? (uint32_t)(end - node->bytes) : node->byte_count;
}

static void put_json(const tree *root, const tree *node);

static void put_children(const tree *root, const tree *node)
{
    bool is_object = node->kind == TREE_OBJECT;
    put(is_object ? "{" : "[", 1);
    for (const tree *child = node->first; child && !image.is_full; child = child->next) {
        if (is_object && child->name && child->kind == TREE_LIST) {
            char key[80];
            int size = snprintf(key, sizeof key, "%.*s_count",
                                (int)(child->name_size < 60 ? child->name_size : 60), child->name);
            put_string(key, (uint32_t)size);
            print(":%" PRIu64 ",", tree_count(child) + child->number);
        }
        if (is_object && child->name) {
            put_string(child->name, child->name_size);
            put(":", 1);
        }
        put_json(root, child);
        put(",", child->next ? 1 : 0);
    }
    put(is_object ? "}" : "]", 1);
}

static void put_json(const tree *root, const tree *node)
{
    switch (node->kind) {
    case TREE_INTEGER: print("%" PRId64, (int64_t)node->number); break;
    case TREE_REAL: put_real(node->number, node->size); break;
    case TREE_FLAG: print(node->number == 0 ? "false" : "true"); break;
    case TREE_ENTITY: put_entity(node->number); break;
    case TREE_TYPE: put_type(root, node->number); break;
    case TREE_TEXT: put_text(node, node->byte_count); break;
    case TREE_CHARS: put_text(node, text_size(node)); break;
    case TREE_BYTES:
    case TREE_RAW:
    case TREE_VALUE: put_hex(node->bytes, node->byte_count); break;
    case TREE_ENUM:
        if (node->byte_count > 0) {
            put_text(node, node->byte_count);
        } else {
            print("%" PRId64, (int64_t)node->number);
        }
        break;
    case TREE_OBJECT:
    case TREE_LIST:
    case TREE_ROW: put_children(root, node); break;
    default: print("%" PRIu64, node->number); break;
    }
}

tree_image tree_write_json(const tree *root)
{
    image.size = 0;
    image.is_full = false;
    print("{\"mica_image\":%" PRIu64, root->number);
    for (const tree *section = root->first; section; section = section->next) {
        put(",", 1);
        put_string(section->name, section->name_size);
        put(":", 1);
        put_json(root, section);
    }
    put("}", 1);
    return finish_image();
}
