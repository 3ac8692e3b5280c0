// Schemas: made of the types of a world, written, read, and made types of again. schema.h has the
// contract.
#include "image/schema.h"

#include <inttypes.h>
#include <string.h>

#include "core/field.h"
#include "entity/locate.h"
#include "image/blob.h"
#include "image/convert.h"

static const char *const ways[] = {"none", "fields", "bytes", "hooks", "closed"};
static const char *const pieces[] = {"fields", "whole", "each"};

#define COUNT_OF(list) ((uint32_t)(sizeof(list) / sizeof *(list)))

_Static_assert(COUNT_OF(ways) == MICAI_SCHEMA_WAY_COUNT, "a name per way");
_Static_assert(COUNT_OF(pieces) == MICA_PIECES_COUNT, "a name per kind of pieces");

// Of a type that is a field: hooks are not asked for parts of values.
static bool has_parts(const micai_registry *registry, const micai_type *type)
{
    const mica_type_info *info = &type->info;
    bool whole = info->field_count > 0 ? !info->hooks.save : info->plain && !info->hooks.save;
    for (uint32_t i = 0; whole && i < info->field_count; i++) {
        whole = info->fields[i].kind != MICA_KIND_STRUCT ||
                has_parts(registry, micai_registry_find(registry, info->fields[i].type));
    }
    return whole;
}

micai_schema_way micai_schema_way_of(const micai_registry *registry, const micai_type *type)
{
    const mica_type_info *info = &type->info;
    if (info->size == 0) {
        return MICAI_SCHEMA_NONE;
    }
    if (info->hooks.save) {
        return MICAI_SCHEMA_HOOKS;
    }
    if (!has_parts(registry, type)) {
        return MICAI_SCHEMA_CLOSED;
    }
    return info->field_count > 0 ? MICAI_SCHEMA_FIELDS : MICAI_SCHEMA_BYTES;
}

// Making

static uint32_t count_enumerators(const mica_field_info *field)
{
    uint32_t count = 0;
    while (field->enumerators && field->enumerators[count].name) {
        count++;
    }
    return count;
}

static mica_result describe_fields(micai_host *host, micai_arena *arena,
                                   const micai_registry *registry, const mica_type_info *info,
                                   const uint32_t *numbers, micai_schema_type *type)
{
    micai_schema_field *fields = micai_arena_alloc_array(
        host, arena, info->field_count, sizeof *fields, _Alignof(micai_schema_field));
    if (!fields) {
        return MICA_ERROR_MEMORY;
    }
    uint32_t offset = 0;
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mica_field_info *field = &info->fields[i];
        const micai_type *nested =
            field->kind == MICA_KIND_STRUCT ? micai_registry_find(registry, field->type) : NULL;
        fields[i] = (micai_schema_field){.name = field->name,
                                         .kind = field->kind,
                                         .count = field->count,
                                         .size = nested ? micai_convert_size(registry, nested)
                                                 : field->kind == MICA_KIND_BOOL
                                                     ? 1
                                                     : field->size / field->count,
                                         .offset = offset,
                                         .type = nested ? numbers[nested->number] : 0,
                                         .enumerator_count = count_enumerators(field),
                                         .enumerators = field->enumerators,
                                         .pieces = field->pieces};
        offset += fields[i].size * fields[i].count;
    }
    type->fields = fields;
    type->field_count = info->field_count;
    return MICA_OK;
}

bool micai_schema_is_sparse(const micai_type *type)
{
    return micai_pool_keeps(type);
}

static mica_result describe(micai_host *host, micai_arena *arena, const micai_registry *registry,
                            const micai_type *type, const uint32_t *numbers,
                            micai_schema_type *described)
{
    const mica_type_info *info = &type->info;
    micai_schema_way way = micai_schema_way_of(registry, type);
    bool sized = way == MICAI_SCHEMA_FIELDS || way == MICAI_SCHEMA_BYTES;
    *described = (micai_schema_type){.name = info->name,
                                     .way = way,
                                     .storage = info->storage,
                                     .pooled = micai_schema_is_sparse(type),
                                     .stable = info->stable,
                                     .toggle = info->toggle,
                                     .row_stamps = info->row_stamps,
                                     .saved = info->saved,
                                     .size = sized ? micai_convert_size(registry, type) : 0,
                                     .align = way == MICAI_SCHEMA_BYTES ? info->align : 0,
                                     .depth = type->depth};
    mica_result result = way == MICAI_SCHEMA_FIELDS
                             ? describe_fields(host, arena, registry, info, numbers, described)
                             : MICA_OK;
    if (!result && info->default_value && sized) {
        unsigned char *value = micai_arena_alloc(host, arena, described->size, 1);
        if (value) {
            micai_convert_out(registry, type, info->default_value, value);
        }
        described->default_value = value;
        result = value ? MICA_OK : MICA_ERROR_MEMORY;
    }
    return result;
}

mica_result micai_schema_make(micai_host *host, micai_arena *arena, const micai_registry *registry,
                              const bool *wanted, micai_schema *schema_out, uint32_t **numbers_out)
{
    uint32_t count = registry->list.count;
    uint32_t *numbers =
        micai_arena_alloc_array(host, arena, count, sizeof *numbers, _Alignof(uint32_t));
    micai_schema_type *types = numbers ? micai_arena_alloc_array(host, arena, count, sizeof *types,
                                                                 _Alignof(micai_schema_type))
                                       : NULL;
    if (!types) {
        return MICA_ERROR_MEMORY;
    }
    mica_result result = MICA_OK;
    uint32_t described = 0;
    for (uint32_t n = 0; !result && n < count; n++) {
        bool listed = n != registry->hidden && (!wanted || wanted[n]);
        numbers[n] = listed ? described : UINT32_MAX;
        if (listed) {
            result = describe(host, arena, registry, registry->list.items[n], numbers,
                              &types[described++]);
        }
    }
    *schema_out = (micai_schema){types, described};
    *numbers_out = numbers;
    return result;
}

// Writing

static void write_field(micai_writer *w, const micai_schema_field *field)
{
    micai_write(w, begin_object, NULL);
    micai_write(w, text, "name", field->name);
    micai_write(w, text, "kind", mica_kind_name(field->kind));
    micai_write(w, number, "count", field->count);
    micai_write(w, text, "pieces", pieces[field->pieces]);
    if (field->kind == MICA_KIND_STRUCT) {
        micai_write(w, type, "type", field->type);
    }
    if (field->kind == MICA_KIND_ENUM) {
        micai_write(w, number, "size", field->size);
        micai_write(w, begin_list, "values", field->enumerator_count);
        for (uint32_t i = 0; i < field->enumerator_count; i++) {
            micai_write(w, begin_object, NULL);
            micai_write(w, text, "name", field->enumerators[i].name);
            micai_write(w, integer, "value", field->enumerators[i].value);
            micai_write(w, end, NULL);
        }
        micai_write(w, end, "values");
    }
    micai_write(w, end, NULL);
}

static void write_type(micai_writer *w, const micai_schema_type *type)
{
    micai_write(w, begin_object, NULL);
    micai_write(w, text, "name", type->name);
    micai_write(w, text, "way", ways[type->way]);
    micai_write(w, text, "storage", micai_storage_name(type->storage));
    micai_write(w, flag, "stable", type->stable);
    micai_write(w, flag, "toggle", type->toggle);
    micai_write(w, flag, "row_stamps", type->row_stamps);
    micai_write(w, flag, "saved", type->saved);
    if (type->way == MICAI_SCHEMA_BYTES) {
        micai_write(w, number, "size", type->size);
        micai_write(w, number, "align", type->align);
    }
    if (type->way == MICAI_SCHEMA_FIELDS) {
        micai_write(w, begin_list, "fields", type->field_count);
        for (uint32_t i = 0; i < type->field_count; i++) {
            write_field(w, &type->fields[i]);
        }
        micai_write(w, end, "fields");
    }
    micai_write(w, flag, "has_default", type->default_value != NULL);
    if (type->default_value) {
        micai_write(w, values, "default", type, type->default_value, 1);
    }
    micai_write(w, end, NULL);
}

void micai_schema_write(micai_writer *w)
{
    micai_write(w, begin_section, "types");
    micai_write(w, begin_list, "types", w->schema->count);
    for (uint32_t n = 0; n < w->schema->count; n++) {
        write_type(w, &w->schema->types[n]);
    }
    micai_write(w, end, "types");
    w->encoder->end_section(w);
}

// Reading

typedef struct parse {
    micai_reader *r;
    micai_arena *arena;
} parse;

static void *cut(parse *p, size_t count, size_t size)
{
    void *piece = p->r->failed ? NULL
                               : micai_arena_alloc_array(p->r->host, p->arena, count, size,
                                                         _Alignof(max_align_t));
    if (!piece && !p->r->failed) {
        p->r->failed = MICA_ERROR_MEMORY;
    }
    return piece;
}

// A name that is good; NULL: the reader has failed.
static const char *read_name(parse *p, const char *what)
{
    char text[MICA_NAME_SIZE_MAX + 1];
    micai_read(p->r, text, what, text);
    if (!p->r->failed && !micai_name_is_good(text)) {
        micai_reader_fail(p->r, MICA_ERROR_IMAGE, "a name in its schema is %s",
                          micai_name_fault(text));
    }
    char *name = cut(p, strlen(text) + 1, 1);
    return name ? strcpy(name, text) : "";
}

// One of several words.
static uint32_t read_word(parse *p, const char *what, const char *const *words, uint32_t count)
{
    char text[MICA_NAME_SIZE_MAX + 1];
    micai_read(p->r, text, what, text);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
    }
    if (!p->r->failed) {
        micai_reader_fail(p->r, MICA_ERROR_IMAGE, "there is no %s '%.80s'", what, text);
    }
    return 0;
}

static mica_storage read_storage(parse *p)
{
    const char *names[MICA_STORAGE_COUNT];
    for (uint32_t i = 0; i < MICA_STORAGE_COUNT; i++) {
        names[i] = micai_storage_name((mica_storage)i);
    }
    return (mica_storage)read_word(p, "storage", names, MICA_STORAGE_COUNT);
}

static mica_kind read_kind(parse *p)
{
    const char *names[MICA_KIND_COUNT];
    for (uint32_t i = 0; i < MICA_KIND_COUNT; i++) {
        names[i] = mica_kind_name((mica_kind)i);
    }
    uint32_t kind = read_word(p, "kind", names, MICA_KIND_COUNT);
    if (!p->r->failed && kind == MICA_KIND_NONE) {
        micai_reader_fail(p->r, MICA_ERROR_IMAGE, "a field in its schema has no kind");
    }
    return (mica_kind)kind;
}

static const uint32_t kind_sizes[] = {0,
#define KIND_SIZE(name, size) size,
                                      MICA_KINDS(KIND_SIZE)
#undef KIND_SIZE
};

static void read_enum(parse *p, micai_schema_field *field)
{
    field->size = (uint32_t)micai_read(p->r, number, "size", 8);
    uint32_t size = field->size;
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        micai_reader_fail(p->r, MICA_ERROR_IMAGE, "an enum of %" PRIu32 " bytes cannot be", size);
    }
    uint32_t count = micai_read(p->r, begin_list, "values", UINT32_MAX - 1);
    if (count == 0) {
        micai_reader_fail(p->r, MICA_ERROR_IMAGE, "an enum in its schema has no values");
    }
    mica_enumerator *list = cut(p, (size_t)count + 1, sizeof *list);
    for (uint32_t i = 0; list && i < count; i++) {
        micai_read(p->r, begin_object, NULL);
        const char *name = read_name(p, "name");
        list[i] = (mica_enumerator){name, micai_read(p->r, integer, "value")};
        micai_read(p->r, end, NULL);
        list = p->r->failed ? NULL : list;
    }
    micai_read(p->r, end, "values");
    if (list) {
        list[count] = (mica_enumerator){0};
        field->enumerators = list;
        field->enumerator_count = count;
    }
}

static void read_struct(parse *p, micai_schema_field *field, micai_schema_type *of)
{
    field->type = micai_read(p->r, type, "type"); // one that came before
    const micai_schema_type *nested = p->r->failed ? NULL : &p->r->schema->types[field->type];
    if (!nested) {
        return;
    }
    if (nested->way != MICAI_SCHEMA_FIELDS && nested->way != MICAI_SCHEMA_BYTES) {
        micai_reader_fail(p->r, MICA_ERROR_IMAGE, "'%.80s.%.80s' is a struct without values",
                          of->name, field->name);
    }
    field->size = nested->size;
    of->depth = nested->depth < of->depth ? of->depth : nested->depth + 1;
}

static void read_field(parse *p, micai_schema_field *field, micai_schema_type *of)
{
    micai_read(p->r, begin_object, NULL);
    *field = (micai_schema_field){.name = read_name(p, "name")};
    field->kind = read_kind(p);
    field->count = (uint32_t)micai_read(p->r, number, "count", MICA_TYPE_SIZE_MAX);
    field->pieces = (mica_pieces)read_word(p, "pieces", pieces, COUNT_OF(pieces));
    field->size = field->kind == MICA_KIND_BOOL ? 1 : kind_sizes[field->kind];
    if (field->kind == MICA_KIND_STRUCT) {
        read_struct(p, field, of);
    } else if (field->kind == MICA_KIND_ENUM) {
        read_enum(p, field);
    }
    micai_read(p->r, end, NULL);
    field->offset = of->size;
    uint64_t size = of->size + (uint64_t)field->size * field->count;
    if (!p->r->failed && (field->count == 0 || size > MICA_TYPE_SIZE_MAX)) {
        micai_reader_fail(p->r, MICA_ERROR_IMAGE, "'%.80s.%.80s' cannot have %" PRIu32 " elements",
                          of->name, field->name, field->count);
    }
    of->size = p->r->failed ? 0 : (uint32_t)size;
}

static void read_fields(parse *p, micai_schema_type *type)
{
    uint32_t count = micai_read(p->r, begin_list, "fields", MICA_FIELDS_MAX);
    micai_schema_field *fields = cut(p, count, sizeof *fields);
    type->depth = 1;
    if (!p->r->failed && count == 0) {
        micai_reader_fail(p->r, MICA_ERROR_IMAGE, "'%.80s' has no fields", type->name);
    }
    for (uint32_t i = 0; fields && i < count && !p->r->failed; i++) {
        read_field(p, &fields[i], type);
        for (uint32_t k = 0; k < i && !p->r->failed; k++) {
            if (strcmp(fields[k].name, fields[i].name) == 0) {
                micai_reader_fail(p->r, MICA_ERROR_IMAGE, "'%.80s.%.80s' is there twice",
                                  type->name, fields[i].name);
            }
        }
    }
    micai_read(p->r, end, "fields");
    if (!p->r->failed && type->depth > MICA_NESTING_MAX) {
        micai_reader_fail(p->r, MICA_ERROR_IMAGE, "'%.80s' is %" PRIu32 " deep", type->name,
                          type->depth);
    }
    type->fields = fields;
    type->field_count = p->r->failed ? 0 : count;
}

static void read_size(parse *p, micai_schema_type *type)
{
    type->size = (uint32_t)micai_read(p->r, number, "size", MICA_TYPE_SIZE_MAX);
    type->align = (uint32_t)micai_read(p->r, number, "align", MICA_TYPE_ALIGN_MAX);
    type->depth = 1;
    bool good = type->size > 0 && type->align > 0 && (type->align & (type->align - 1)) == 0 &&
                type->size % type->align == 0;
    if (!p->r->failed && !good) {
        micai_reader_fail(p->r, MICA_ERROR_IMAGE,
                          "'%.80s' cannot have %" PRIu32 " bytes, aligned to %" PRIu32, type->name,
                          type->size, type->align);
    }
}

static void read_default(parse *p, micai_schema_type *type)
{
    bool values = type->way == MICAI_SCHEMA_FIELDS || type->way == MICAI_SCHEMA_BYTES;
    if (!micai_read(p->r, flag, "has_default")) {
        return;
    }
    if (!values) {
        micai_reader_fail(p->r, MICA_ERROR_IMAGE, "'%.80s' has no values, but a default",
                          type->name);
    }
    unsigned char *value = cut(p, type->size, 1);
    if (value) {
        micai_read(p->r, values, "default", type, value, 1);
    }
    type->default_value = value;
}

static void read_type(parse *p, micai_schema_type *type)
{
    micai_reader *r = p->r;
    micai_read(r, begin_object, NULL);
    *type = (micai_schema_type){.name = read_name(p, "name")};
    type->way = (micai_schema_way)read_word(p, "way", ways, COUNT_OF(ways));
    type->storage = read_storage(p);
    type->pooled = strcmp(micai_storage_name(type->storage), "sparse") == 0;
    type->stable = micai_read(r, flag, "stable");
    type->toggle = micai_read(r, flag, "toggle");
    type->row_stamps = micai_read(r, flag, "row_stamps");
    type->saved = micai_read(r, flag, "saved");
    if (type->way == MICAI_SCHEMA_FIELDS) {
        read_fields(p, type);
    } else if (type->way == MICAI_SCHEMA_BYTES) {
        read_size(p, type);
    }
    read_default(p, type);
    micai_read(r, end, NULL);
    bool tag = type->way == MICAI_SCHEMA_NONE;
    if (!r->failed && ((type->stable && (!type->pooled || tag)) ||
                       (tag && !type->pooled && (type->toggle || type->row_stamps)))) {
        micai_reader_fail(r, MICA_ERROR_IMAGE, "'%.80s' cannot be stored as it says", type->name);
    }
}

// Room is made as types come: a count alone is not believed.
static micai_schema_type *make_room(parse *p, const micai_schema *schema, uint32_t *capacity)
{
    if (schema->count < *capacity) {
        return schema->types;
    }
    uint32_t wider = *capacity * 2 + 16;
    micai_schema_type *types = cut(p, wider, sizeof *types);
    if (types && schema->count > 0) {
        memcpy(types, schema->types, schema->count * sizeof *types);
    }
    *capacity = types ? wider : *capacity;
    return types;
}

void micai_schema_read(micai_reader *r, micai_arena *arena, micai_schema *schema_out)
{
    parse p = {r, arena};
    uint32_t capacity = 0;
    *schema_out = (micai_schema){0};
    r->schema = schema_out;
    micai_read(r, begin_section, "types");
    uint32_t count = micai_read(r, begin_list, "types", MICAI_STAMP_NUMBER_MAX);
    for (uint32_t n = 0; n < count && !r->failed; n++) {
        micai_schema_type *types = make_room(&p, schema_out, &capacity);
        if (!types) {
            break;
        }
        schema_out->types = types;
        read_type(&p, &types[n]);
        schema_out->count = r->failed ? n : n + 1;
    }
    micai_read(r, end, "types");
    r->decoder->end_section(r);
}

// Types of it

static uint32_t align_of(const mica_field_info *field, const micai_type *nested)
{
    return nested ? nested->info.align : field->size / field->count;
}

static bool describe_all_fields(micai_reader *r, micai_arena *arena, const micai_schema_type *type,
                                const micai_type *const *types, mica_type_desc *desc)
{
    parse p = {r, arena};
    mica_field_info *fields = cut(&p, type->field_count, sizeof *fields);
    uint64_t end = 0;
    desc->align = 1;
    for (uint32_t i = 0; fields && i < type->field_count; i++) {
        const micai_schema_field *source = &type->fields[i];
        const micai_type *nested = source->kind == MICA_KIND_STRUCT ? types[source->type] : NULL;
        uint32_t element = nested                           ? nested->info.size
                           : source->kind == MICA_KIND_BOOL ? (uint32_t)sizeof(bool)
                                                            : source->size;
        fields[i] = (mica_field_info){.name = source->name,
                                      .kind = source->kind,
                                      .size = element,
                                      .count = source->count,
                                      .type = nested ? nested->info.type : mica_type_none(),
                                      .enumerators = source->enumerators,
                                      .pieces = source->pieces};
        fields[i].size = (uint32_t)((uint64_t)element * source->count);
        uint32_t align = align_of(&fields[i], nested);
        end = (end + align - 1) / align * align;
        fields[i].offset = (uint32_t)end;
        end += (uint64_t)element * source->count;
        desc->align = align > desc->align ? align : desc->align;
        if (end > MICA_TYPE_SIZE_MAX) {
            micai_reader_fail(r, MICA_ERROR_SCHEMA, "'%.80s' is larger than types can be",
                              type->name);
            return false;
        }
    }
    desc->size = (uint32_t)((end + desc->align - 1) / desc->align * desc->align);
    desc->fields = fields;
    desc->field_count = type->field_count;
    return fields != NULL;
}

bool micai_schema_describe(micai_reader *r, micai_arena *arena, uint32_t number,
                           const micai_type *const *types, mica_type_desc *desc_out)
{
    const micai_schema_type *type = &r->schema->types[number];
    *desc_out = (mica_type_desc){.name = type->name,
                                 .storage = type->storage,
                                 .stable = type->stable,
                                 .toggle = type->toggle,
                                 .row_stamps = type->row_stamps,
                                 .saved = type->saved};
    switch (type->way) {
    case MICAI_SCHEMA_FIELDS: return describe_all_fields(r, arena, type, types, desc_out);
    case MICAI_SCHEMA_BYTES:
        desc_out->size = type->size;
        desc_out->align = type->align;
        desc_out->plain = true;
        return true;
    case MICAI_SCHEMA_HOOKS: micai_blob_describe(desc_out); return true;
    default: return true;
    }
}
