// Schemas: created from types, serialized, and turned back into descriptors of types.
// schema_internal.h has the contract.
#include "image/schema_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "core/field.h"
#include "entity/locate.h"
#include "image/convert_internal.h"
#include "image/opaque_internal.h"
#include "image/way.h"

static const char *const ways[] = {"none", "fields", "bytes", "hooks", "closed"};
static const char *const pieces[] = {"fields", "whole", "each"};

#define COUNT_OF(list) ((uint32_t)(sizeof(list) / sizeof *(list)))

_Static_assert(COUNT_OF(ways) == MICAI_SCHEMA_WAY_COUNT, "a name per way");
_Static_assert(COUNT_OF(pieces) == MICA_STRIPS_COUNT, "a name per kind of pieces");

// Returns true if a value can be saved as a nested struct: by fields or as bytes, without hooks.
static bool can_nest(const micai_registry *registry, const micai_type *type)
{
    const mica_type_info *info = &type->info;
    bool whole = info->field_count > 0 ? !info->hooks.save : info->plain && !info->hooks.save;
    for (uint32_t i = 0; whole && i < info->field_count; i++) {
        whole = info->fields[i].kind != MICA_KIND_STRUCT ||
                can_nest(registry, micai_registry_find(registry, info->fields[i].type));
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
    if (!can_nest(registry, type)) {
        return MICAI_SCHEMA_CLOSED;
    }
    return info->field_count > 0 ? MICAI_SCHEMA_FIELDS : MICAI_SCHEMA_BYTES;
}

// Creating

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
                                         .size = micai_convert_element_size(registry, field),
                                         .offset = offset,
                                         .type = nested ? numbers[nested->number] : 0,
                                         .enumerator_count = count_enumerators(field),
                                         .enumerators = field->enumerators,
                                         .strips = field->strips};
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

mica_result micai_schema_make(micai_archive *a, micai_arena *arena, const micai_registry *registry,
                              const bool *wanted, micai_schema *schema_out)
{
    uint32_t count = registry->list.count;
    uint32_t *numbers = micai_archive_alloc(a, arena, count, sizeof *numbers);
    const micai_type **listed = micai_archive_alloc(a, arena, count, sizeof *listed);
    micai_schema_type *types = micai_archive_alloc(a, arena, count, sizeof *types);
    *schema_out = (micai_schema){types, 0};
    a->schema = schema_out;
    a->numbers = numbers;
    a->types = listed;
    for (uint32_t n = 0; !a->failed && n < count; n++) {
        numbers[n] = UINT32_MAX;
        if (n != registry->hidden && (!wanted || wanted[n])) {
            numbers[n] = schema_out->count++;
            listed[numbers[n]] = registry->list.items[n];
            a->failed = describe(a->host, arena, registry, registry->list.items[n], numbers,
                                 &types[numbers[n]]);
        }
    }
    return a->failed;
}

// The section. Fields and enumerators are serialized as copies, since those that are saved belong
// to the world.

static const char *name_way(uint32_t way)
{
    return ways[way];
}

static const char *name_strips(uint32_t of)
{
    return pieces[of];
}

static const char *name_storage(uint32_t storage)
{
    return micai_storage_name((mica_storage)storage);
}

static const char *name_kind(uint32_t kind)
{
    return mica_kind_name((mica_kind)kind);
}

// Serializes one of several words.
static void serialize_word(micai_archive *a, const char *what, const char *(*name)(uint32_t word),
                           uint32_t count, uint32_t *word)
{
    const char *text = a->reading ? NULL : name(*word);
    micai_serialize(a, text, what, &text);
    if (!a->reading) {
        return;
    }
    *word = 0;
    while (*word < count && strcmp(text, name(*word)) != 0) {
        (*word)++;
    }
    if (*word == count) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "there is no %s '%.80s'", what, text);
        *word = 0;
    }
}

static void serialize_name(micai_archive *a, micai_arena *arena, const char **name)
{
    micai_serialize(a, text, "name", name);
    if (!a->reading) {
        return;
    }
    if (!micai_name_is_valid(*name)) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "a name in its schema is %s",
                           micai_name_fault(*name));
    }
    char *copy = micai_archive_alloc(a, arena, strlen(*name) + 1, 1);
    *name = copy ? strcpy(copy, *name) : "";
}

const micai_schema_field *micai_schema_find_field(const micai_schema_type *type, uint32_t likely,
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

static bool has_name(const void *context, uint32_t value, const void *key)
{
    const micai_schema_field *field = context;
    return strcmp(field->enumerators[value].name, key) == 0;
}

uint32_t micai_schema_find_name(const micai_schema_field *field, const char *name)
{
    return micai_map_find(&field->by_name, micai_hash_text(name), has_name, field, name);
}

bool micai_schema_index_names(micai_host *host, micai_arena *arena, micai_schema_field *field)
{
    if (!micai_map_open(host, arena, field->enumerator_count, &field->by_name)) {
        return false;
    }
    for (uint32_t i = 0; i < field->enumerator_count; i++) {
        const char *name = field->enumerators[i].name;
        if (micai_schema_find_name(field, name) == MICAI_MAP_NONE) {
            micai_map_insert(&field->by_name, micai_hash_text(name), i);
        }
    }
    return true;
}

static void serialize_enum(micai_archive *a, micai_arena *arena, micai_schema_field *field)
{
    micai_serialize_32(a, "size", &field->size, 8);
    uint32_t size = field->size;
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "an enum cannot have %" PRIu32 " bytes", size);
    }
    uint32_t count = field->enumerator_count;
    micai_serialize(a, begin_list, "values", &count, UINT32_MAX - 1);
    if (count == 0) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "an enum in its schema has no values");
    }
    mica_enumerator *list =
        a->reading ? micai_archive_alloc(a, arena, (size_t)count + 1, sizeof *list) : NULL;
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        mica_enumerator one = a->reading ? (mica_enumerator){0} : field->enumerators[i];
        micai_serialize(a, begin_object, NULL);
        serialize_name(a, arena, &one.name);
        micai_serialize(a, integer, "value", &one.value);
        micai_serialize(a, end, NULL);
        if (list) {
            list[i] = one;
        }
    }
    micai_serialize(a, end, "values");
    if (list && !a->failed) {
        list[count] = (mica_enumerator){0};
        field->enumerators = list;
        field->enumerator_count = count;
        if (!micai_schema_index_names(a->host, arena, field)) {
            micai_archive_fail_memory(a);
        }
    }
}

static void serialize_struct(micai_archive *a, micai_schema_field *field, micai_schema_type *of)
{
    micai_serialize(a, type, "type", &field->type); // a type that was serialized before
    if (!a->reading || a->failed) {
        return;
    }
    const micai_schema_type *nested = &a->schema->types[field->type];
    if (nested->way != MICAI_SCHEMA_FIELDS && nested->way != MICAI_SCHEMA_BYTES) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "'%.80s.%.80s' is a struct without values",
                           of->name, field->name);
    }
    field->size = nested->size;
    of->depth = nested->depth < of->depth ? of->depth : nested->depth + 1;
}

static const uint32_t kind_sizes[] = {0,
#define KIND_SIZE(name, size) size,
                                      MICA_KINDS(KIND_SIZE)
#undef KIND_SIZE
};

// While loading, places a field behind the one before it.
static void place_field(micai_archive *a, micai_schema_field *field, micai_schema_type *of)
{
    field->offset = of->size;
    uint64_t size = of->size + (uint64_t)field->size * field->count;
    if (field->count == 0 || size > MICA_TYPE_SIZE_MAX) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "'%.80s.%.80s' cannot have %" PRIu32 " elements",
                           of->name, field->name, field->count);
    }
    of->size = a->failed ? 0 : (uint32_t)size;
}

static void serialize_field(micai_archive *a, micai_arena *arena, micai_schema_field *field,
                            micai_schema_type *of)
{
    uint32_t kind = field->kind;
    uint32_t strips = field->strips;
    micai_serialize(a, begin_object, NULL);
    serialize_name(a, arena, &field->name);
    serialize_word(a, "kind", name_kind, MICA_KIND_COUNT, &kind);
    if (kind == MICA_KIND_NONE) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "a field in its schema has no kind");
    }
    micai_serialize_32(a, "count", &field->count, MICA_TYPE_SIZE_MAX);
    serialize_word(a, "pieces", name_strips, COUNT_OF(pieces), &strips);
    field->kind = (mica_kind)kind;
    field->strips = (mica_strips)strips;
    if (a->reading) {
        field->size = kind == MICA_KIND_BOOL ? 1 : kind_sizes[kind];
    }
    if (kind == MICA_KIND_STRUCT) {
        serialize_struct(a, field, of);
    } else if (kind == MICA_KIND_ENUM) {
        serialize_enum(a, arena, field);
    }
    micai_serialize(a, end, NULL);
    if (a->reading) {
        place_field(a, field, of);
    }
}

// Adds a loaded field, whose name must differ from those before it.
static void add_field(micai_archive *a, const micai_schema_type *type, micai_schema_field *fields,
                      uint32_t place, const micai_schema_field *field)
{
    for (uint32_t i = 0; i < place && !a->failed; i++) {
        if (strcmp(fields[i].name, field->name) == 0) {
            micai_archive_fail(a, MICA_ERROR_IMAGE, "'%.80s.%.80s' occurs twice", type->name,
                               field->name);
        }
    }
    fields[place] = *field;
}

static void serialize_fields(micai_archive *a, micai_arena *arena, micai_schema_type *type)
{
    uint32_t count = type->field_count;
    micai_serialize(a, begin_list, "fields", &count, MICA_FIELDS_MAX);
    if (count == 0) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "'%.80s' has no fields", type->name);
    }
    micai_schema_field *fields =
        a->reading ? micai_archive_alloc(a, arena, count, sizeof *fields) : NULL;
    type->depth = a->reading ? 1 : type->depth;
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        micai_schema_field field = a->reading ? (micai_schema_field){0} : type->fields[i];
        serialize_field(a, arena, &field, type);
        if (fields) {
            add_field(a, type, fields, i, &field);
        }
    }
    micai_serialize(a, end, "fields");
    if (type->depth > MICA_NESTING_MAX) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "'%.80s' is %" PRIu32 " deep", type->name,
                           type->depth);
    }
    if (a->reading) {
        type->fields = fields;
        type->field_count = a->failed ? 0 : count;
    }
}

static void serialize_size(micai_archive *a, micai_schema_type *type)
{
    micai_serialize_32(a, "size", &type->size, MICA_TYPE_SIZE_MAX);
    micai_serialize_32(a, "align", &type->align, MICA_TYPE_ALIGN_MAX);
    type->depth = 1;
    bool good = type->size > 0 && type->align > 0 && (type->align & (type->align - 1)) == 0 &&
                type->size % type->align == 0;
    if (!good) {
        micai_archive_fail(a, MICA_ERROR_IMAGE,
                           "'%.80s' cannot have %" PRIu32 " bytes, aligned to %" PRIu32, type->name,
                           type->size, type->align);
    }
}

static void serialize_default(micai_archive *a, micai_arena *arena, micai_schema_type *type)
{
    bool has_default = type->default_value != NULL;
    micai_serialize(a, flag, "has_default", &has_default);
    if (!has_default) {
        return;
    }
    if (type->way != MICAI_SCHEMA_FIELDS && type->way != MICAI_SCHEMA_BYTES) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "'%.80s' has no values, but a default", type->name);
    }
    unsigned char *value = a->reading ? micai_archive_alloc(a, arena, type->size, 1)
                                      : (unsigned char *)type->default_value;
    if (value) {
        micai_serialize(a, values, "default", type, value, 1);
    }
    type->default_value = value;
}

static void check_storage(micai_archive *a, micai_schema_type *type)
{
    type->pooled = strcmp(micai_storage_name(type->storage), "sparse") == 0;
    bool tag = type->way == MICAI_SCHEMA_NONE;
    if ((type->stable && (!type->pooled || tag)) ||
        (tag && !type->pooled && (type->toggle || type->row_stamps))) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "'%.80s' cannot be stored as it says", type->name);
    }
}

static void serialize_type(micai_archive *a, micai_arena *arena, micai_schema_type *type)
{
    uint32_t way = type->way;
    uint32_t storage = type->storage;
    micai_serialize(a, begin_object, NULL);
    serialize_name(a, arena, &type->name);
    serialize_word(a, "way", name_way, COUNT_OF(ways), &way);
    serialize_word(a, "storage", name_storage, MICA_STORAGE_COUNT, &storage);
    type->way = (micai_schema_way)way;
    type->storage = (mica_storage)storage;
    micai_serialize(a, flag, "stable", &type->stable);
    micai_serialize(a, flag, "toggle", &type->toggle);
    micai_serialize(a, flag, "row_stamps", &type->row_stamps);
    micai_serialize(a, flag, "saved", &type->saved);
    if (way == MICAI_SCHEMA_FIELDS) {
        serialize_fields(a, arena, type);
    } else if (way == MICAI_SCHEMA_BYTES) {
        serialize_size(a, type);
    }
    serialize_default(a, arena, type);
    micai_serialize(a, end, NULL);
    if (a->reading) {
        check_storage(a, type);
    }
}

// While loading, grows the schema as types arrive: a damaged count must not allocate much memory.
static bool reserve_type(micai_archive *a, micai_arena *arena, micai_schema *schema,
                         uint32_t *capacity)
{
    if (schema->count == *capacity) {
        uint32_t wider = *capacity * 2 + 16;
        micai_schema_type *types = micai_archive_alloc(a, arena, wider, sizeof *types);
        if (!types) {
            return false;
        }
        if (schema->count > 0) {
            memcpy(types, schema->types, schema->count * sizeof *types);
        }
        schema->types = types;
        *capacity = wider;
    }
    schema->types[schema->count] = (micai_schema_type){0};
    return true;
}

void micai_schema_serialize(micai_archive *a, micai_arena *arena, micai_schema *schema)
{
    uint32_t capacity = 0;
    uint32_t count = schema->count;
    a->schema = schema;
    micai_serialize(a, begin_section, "types");
    micai_serialize(a, begin_list, "types", &count, MICAI_STAMP_NUMBER_MAX);
    for (uint32_t n = 0; n < count && !a->failed; n++) {
        if (!a->reading || reserve_type(a, arena, schema, &capacity)) {
            serialize_type(a, arena, &schema->types[n]);
            schema->count += a->reading && !a->failed;
        }
    }
    micai_serialize(a, end, "types");
    micai_serialize(a, end_section, "types");
}

// Descriptors

static uint32_t align_of(const mica_field_info *field, const micai_type *nested)
{
    return nested ? nested->info.align : field->size / field->count;
}

static bool describe_all_fields(micai_archive *a, micai_arena *arena, const micai_schema_type *type,
                                const micai_type *const *types, mica_type_desc *desc)
{
    mica_field_info *fields = micai_archive_alloc(a, arena, type->field_count, sizeof *fields);
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
                                      .size = (uint32_t)((uint64_t)element * source->count),
                                      .count = source->count,
                                      .type = nested ? nested->info.type : (mica_type){0},
                                      .enumerators = source->enumerators,
                                      .strips = source->strips};
        uint32_t align = align_of(&fields[i], nested);
        end = (end + align - 1) / align * align;
        fields[i].offset = (uint32_t)end;
        end += (uint64_t)element * source->count;
        desc->align = align > desc->align ? align : desc->align;
        if (end > MICA_TYPE_SIZE_MAX) {
            micai_archive_fail(a, MICA_ERROR_SCHEMA, "'%.80s' is larger than types can be",
                               type->name);
            return false;
        }
    }
    desc->size = (uint32_t)((end + desc->align - 1) / desc->align * desc->align);
    desc->fields = fields;
    desc->field_count = type->field_count;
    return fields != NULL;
}

bool micai_schema_describe(micai_archive *a, micai_arena *arena, uint32_t number,
                           const micai_type *const *types, mica_type_desc *desc_out)
{
    const micai_schema_type *type = &a->schema->types[number];
    *desc_out = (mica_type_desc){.name = type->name,
                                 .storage = type->storage,
                                 .stable = type->stable,
                                 .toggle = type->toggle,
                                 .row_stamps = type->row_stamps,
                                 .saved = type->saved};
    switch (type->way) {
    case MICAI_SCHEMA_FIELDS: return describe_all_fields(a, arena, type, types, desc_out);
    case MICAI_SCHEMA_BYTES:
        desc_out->size = type->size;
        desc_out->align = type->align;
        desc_out->plain = true;
        return true;
    case MICAI_SCHEMA_HOOKS: micai_opaque_describe(desc_out); return true;
    default: return true;
    }
}
