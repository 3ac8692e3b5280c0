// Checks and completes the fields of a component type. field.h lists the functions, mica/field.h
// has the public contract. A description is copied to an arena and checked there. If it is refused,
// the caller rewinds the arena, so nothing of it is kept.
#include "core/field.h"

#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "base/text.h"
#include "core/registry.h"

const char *mica_kind_name(mica_kind kind)
{
    static const char names[][8] = {"none", "i8",     "i16",    "i32", "i64", "u8",
                                    "u16",  "u32",    "u64",    "f32", "f64", "bool",
                                    "char", "entity", "struct", "enum"};
    _Static_assert(sizeof names / sizeof names[0] == MICA_KIND_COUNT, "a name per kind");
    return (unsigned)kind < MICA_KIND_COUNT ? names[kind] : names[0];
}

const char *micai_name_fault(const char *name)
{
    if (!name) {
        return "missing";
    }
    for (size_t size = 0; name[size]; size++) {
        if (size == MICA_NAME_SIZE_MAX) {
            return "longer than 255 bytes";
        }
        if (micai_text_is_control(name + size, 2)) {
            return "not printable";
        }
    }
    return name[0] ? NULL : "empty";
}

bool micai_name_is_valid(const char *name)
{
    return !micai_name_fault(name);
}

// The location of an error: every sentence begins with the names of the type and the field.
typedef struct location {
    micai_host *host;
    const char *type;
    const char *field;
} location;

static mica_result fail_field(const location *at, const char *what)
{
    micai_fail_within(at->host, MICA_ERROR_FIELD, "field '%s' of type '%s' %s", at->field, at->type,
                      what);
    return MICA_ERROR_FIELD;
}

static mica_result check_enumerators(const location *at, const mica_field_info *field)
{
    if (!field->enumerators || !field->enumerators[0].name) {
        return fail_field(at, "is an enum without names");
    }
    for (const mica_enumerator *e = field->enumerators; e->name; e++) {
        if (!micai_name_is_valid(e->name)) {
            return micai_fail_within(at->host, MICA_ERROR_FIELD,
                                     "field '%s' of type '%s' has an enumerator whose name is %s",
                                     at->field, at->type, micai_name_fault(e->name));
        }
    }
    return MICA_OK;
}

static const uint32_t kind_sizes[] = {0,
#define KIND_SIZE(name, size) size,
                                      MICA_KINDS(KIND_SIZE)
#undef KIND_SIZE
};

// Returns the size of one element. For an enum without a size, that is the size of int.
static mica_result find_element_size(const location *at, const micai_registry *types,
                                     const mica_field_info *field, uint32_t *size_out)
{
    if ((unsigned)field->kind == MICA_KIND_NONE || (unsigned)field->kind >= MICA_KIND_COUNT) {
        return fail_field(at, "has no kind");
    }
    *size_out = kind_sizes[field->kind];
    if (field->kind == MICA_KIND_STRUCT) {
        const micai_type *nested = micai_registry_find(types, field->type);
        if (!nested) {
            return fail_field(at, "is a struct of a type that is none, or of another world");
        }
        if (nested->info.size == 0) {
            return fail_field(at, "is a struct of a tag, which has no data");
        }
        if (nested->depth >= MICA_NESTING_MAX) {
            return micai_fail_within(
                at->host, MICA_ERROR_FIELD,
                "field '%s' of type '%s' is a struct of structs, more than %u deep", at->field,
                at->type, MICA_NESTING_MAX);
        }
        *size_out = nested->info.size;
    } else if (field->type.bits) {
        return fail_field(at, "names a type but is no struct");
    }
    if ((unsigned)field->strips >= MICA_STRIPS_COUNT) {
        return fail_field(at, "is to be in pieces that there are not");
    }
    if (field->kind == MICA_KIND_ENUM) {
        uint32_t count = field->count ? field->count : 1;
        *size_out = field->size ? field->size / count : (uint32_t)sizeof(int);
        if (*size_out != 1 && *size_out != 2 && *size_out != 4 && *size_out != 8) {
            return fail_field(at, "is an enum that has not 1, 2, 4 or 8 bytes");
        }
        return check_enumerators(at, field);
    }
    return field->enumerators ? fail_field(at, "has enumerators but is no enum") : MICA_OK;
}

static mica_result complete_field(const location *at, const micai_registry *types,
                                  uint32_t type_size, mica_field_info *field)
{
    uint32_t element = 0;
    mica_result result = find_element_size(at, types, field, &element);
    if (result) {
        return result;
    }
    if (!field->count) {
        field->count = field->size ? field->size / element : 1;
    }
    if (field->size && (uint64_t)field->count * element != field->size) {
        return micai_fail_within(at->host, MICA_ERROR_FIELD,
                                 "field '%s' of type '%s' has %" PRIu32
                                 " bytes, which is not %" PRIu32 " times %" PRIu32,
                                 at->field, at->type, field->size, field->count, element);
    }
    uint64_t size = (uint64_t)field->count * element;
    if (field->offset + size > type_size) {
        return micai_fail_within(at->host, MICA_ERROR_FIELD,
                                 "field '%s' of type '%s' ends at byte %" PRIu64
                                 ", outside the type's %" PRIu32,
                                 at->field, at->type, field->offset + size, type_size);
    }
    field->size = (uint32_t)size;
    return MICA_OK;
}

static const char *copy_text(micai_host *host, micai_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = micai_arena_alloc(host, arena, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

static mica_result copy_enumerators(micai_host *host, micai_arena *arena, mica_field_info *field)
{
    if (!field->enumerators) {
        return MICA_OK;
    }
    size_t count = 0;
    while (field->enumerators[count].name) {
        count++;
    }
    mica_enumerator *copies =
        micai_arena_alloc(host, arena, (count + 1) * sizeof *copies, _Alignof(mica_enumerator));
    if (!copies) {
        return MICA_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        copies[i] = field->enumerators[i];
        copies[i].name = copy_text(host, arena, copies[i].name);
        if (!copies[i].name) {
            return MICA_ERROR_MEMORY;
        }
    }
    copies[count] = (mica_enumerator){0};
    field->enumerators = copies;
    return MICA_OK;
}

static void sort_by_offset(mica_field_info *fields, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        mica_field_info field = fields[i];
        uint32_t to = i;
        for (; to > 0 && fields[to - 1].offset > field.offset; to--) {
            fields[to] = fields[to - 1];
        }
        fields[to] = field;
    }
}

// Fields are sorted, so only neighbors can overlap. Names are compared pairwise, which beats a map
// for the number of fields in a struct.
static mica_result check_neighbours(micai_host *host, const char *type,
                                    const mica_field_info *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool overlap = i > 0 && fields[i - 1].offset + fields[i - 1].size > fields[i].offset;
        if (MICAI_CANARY("core.field_overlap")) {
            overlap = false;
        }
        if (overlap) {
            return micai_fail_within(host, MICA_ERROR_FIELD,
                                     "fields '%s' and '%s' of type '%s' overlap",
                                     fields[i - 1].name, fields[i].name, type);
        }
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(fields[i].name, fields[j].name) == 0) {
                return micai_fail_within(host, MICA_ERROR_FIELD, "type '%s' has two fields '%s'",
                                         type, fields[i].name);
            }
        }
    }
    return MICA_OK;
}

mica_result micai_fields_copy(micai_host *host, const micai_registry *types, micai_arena *arena,
                              const mica_type_desc *desc, const mica_field_info **fields_out)
{
    *fields_out = NULL;
    if (desc->field_count == 0) {
        return MICA_OK;
    }
    if (!desc->fields) {
        return micai_fail_within(host, MICA_ERROR_NULL, "type '%s' has %" PRIu32 " fields at null",
                                 desc->name, desc->field_count);
    }
    if (desc->field_count > MICA_FIELDS_MAX) {
        return micai_fail_within(host, MICA_ERROR_FIELD,
                                 "type '%s' has %" PRIu32 " fields; %u is the most", desc->name,
                                 desc->field_count, MICA_FIELDS_MAX);
    }
    if (desc->field_count > desc->size) {
        return micai_fail_within(host, MICA_ERROR_FIELD,
                                 "type '%s' has %" PRIu32 " fields in %" PRIu32 " bytes",
                                 desc->name, desc->field_count, desc->size);
    }
    mica_field_info *fields = micai_arena_alloc(host, arena, desc->field_count * sizeof *fields,
                                                _Alignof(mica_field_info));
    if (!fields) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < desc->field_count; i++) {
        fields[i] = desc->fields[i];
        if (!micai_name_is_valid(fields[i].name)) {
            return micai_fail_within(host, MICA_ERROR_NAME,
                                     "field %" PRIu32 " of type '%s' has a name that is %s", i,
                                     desc->name, micai_name_fault(fields[i].name));
        }
        location at = {host, desc->name, fields[i].name};
        mica_result result = complete_field(&at, types, desc->size, &fields[i]);
        if (!result) {
            fields[i].name = copy_text(host, arena, fields[i].name);
            result = fields[i].name ? copy_enumerators(host, arena, &fields[i]) : MICA_ERROR_MEMORY;
        }
        if (result) {
            return result;
        }
    }
    sort_by_offset(fields, desc->field_count);
    *fields_out = fields;
    return check_neighbours(host, desc->name, fields, desc->field_count);
}

static bool enumerators_equal(const mica_enumerator *a, const mica_enumerator *b)
{
    if (!a || !b) {
        return a == b;
    }
    for (; a->name && b->name; a++, b++) {
        if (a->value != b->value || strcmp(a->name, b->name) != 0) {
            return false;
        }
    }
    return !a->name && !b->name;
}

bool micai_field_is_complete(const micai_registry *types, const mica_field_info *field)
{
    if ((unsigned)field->kind == MICA_KIND_NONE || (unsigned)field->kind >= MICA_KIND_COUNT ||
        field->count == 0) {
        return false;
    }
    const micai_type *nested = micai_registry_find(types, field->type);
    uint32_t element = kind_sizes[field->kind];
    if (field->kind == MICA_KIND_STRUCT) {
        element = nested ? nested->info.size : 0;
    } else if (field->kind == MICA_KIND_ENUM) {
        element = field->size / field->count;
    }
    bool possible = field->kind != MICA_KIND_ENUM || element == 1 || element == 2 || element == 4 ||
                    element == 8;
    return possible && element > 0 && (uint64_t)field->count * element == field->size &&
           (field->kind == MICA_KIND_STRUCT || field->type.bits == 0) &&
           (unsigned)field->strips < MICA_STRIPS_COUNT;
}

bool micai_fields_equal(const mica_field_info *a, const mica_field_info *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(a[i].name, b[i].name) != 0 || a[i].kind != b[i].kind ||
            a[i].offset != b[i].offset || a[i].count != b[i].count ||
            a[i].type.bits != b[i].type.bits || a[i].size != b[i].size ||
            a[i].strips != b[i].strips || !enumerators_equal(a[i].enumerators, b[i].enumerators)) {
            return false;
        }
    }
    return true;
}
