// Converting values. convert_internal.h has the contract.
#include "image/convert_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/canary.h"
#include "base/hash.h"
#include "image/schema_internal.h"

// Copies an element. Reverses its bytes on big-endian machines.
static void copy_element(unsigned char *target, const unsigned char *source, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        target[i] = source[micai_is_little_endian() ? i : size - 1 - i];
    }
}

// Saving

static const micai_type *struct_of(const micai_registry *registry, const mica_field_info *field)
{
    return micai_registry_find(registry, field->type);
}

uint32_t micai_convert_element_size(const micai_registry *registry, const mica_field_info *field)
{
    switch (field->kind) {
    case MICA_KIND_STRUCT: return micai_convert_size(registry, struct_of(registry, field));
    case MICA_KIND_BOOL: return 1;
    default: return field->size / field->count;
    }
}

uint32_t micai_convert_size(const micai_registry *registry, const micai_type *type)
{
    const mica_type_info *info = &type->info;
    uint32_t size = info->field_count == 0 ? info->size : 0;
    for (uint32_t i = 0; i < info->field_count; i++) {
        size += micai_convert_element_size(registry, &info->fields[i]) * info->fields[i].count;
    }
    return size;
}

static bool is_field_same(const micai_registry *registry, const mica_field_info *field)
{
    switch (field->kind) {
    case MICA_KIND_BOOL: return false; // the machine decides which of its bytes are true
    case MICA_KIND_CHAR: return field->count == 1;
    case MICA_KIND_STRUCT: return micai_convert_is_same(registry, struct_of(registry, field));
    default: return true;
    }
}

bool micai_convert_is_same(const micai_registry *registry, const micai_type *type)
{
    const mica_type_info *info = &type->info;
    if (info->field_count == 0) {
        return true;
    }
    uint32_t end = 0;
    bool same = micai_is_little_endian();
    for (uint32_t i = 0; same && i < info->field_count; i++) {
        same = info->fields[i].offset == end && is_field_same(registry, &info->fields[i]);
        end = info->fields[i].offset + info->fields[i].size;
    }
    return same && end == info->size;
}

static uint32_t text_length(const unsigned char *text, uint32_t size)
{
    const unsigned char *end = memchr(text, 0, size);
    return end ? (uint32_t)(end - text) : size;
}

// Copies text, and zeroes all bytes behind it.
static void copy_text(unsigned char *target, uint32_t size, const unsigned char *text,
                      uint32_t length)
{
    memcpy(target, text, length);
    memset(target + length, 0, size - length);
}

static unsigned char *put_field(const micai_registry *registry, const mica_field_info *field,
                                const unsigned char *value, unsigned char *out)
{
    if (field->kind == MICA_KIND_CHAR) {
        copy_text(out, field->size, value, text_length(value, field->size));
        return out + field->size;
    }
    uint32_t size = field->size / field->count;
    for (uint32_t i = 0; i < field->count; i++, value += size) {
        if (field->kind == MICA_KIND_STRUCT) {
            out = micai_convert_out(registry, struct_of(registry, field), value, out);
        } else if (field->kind == MICA_KIND_BOOL) {
            bool flag = false;
            for (uint32_t b = 0; b < size; b++) {
                flag = flag || value[b];
            }
            *out++ = flag;
        } else {
            copy_element(out, value, size);
            out += size;
        }
    }
    return out;
}

unsigned char *micai_convert_out(const micai_registry *registry, const micai_type *type,
                                 const unsigned char *value, unsigned char *out)
{
    const mica_type_info *info = &type->info;
    if (info->field_count == 0) {
        memcpy(out, value, info->size);
        return out + info->size;
    }
    for (uint32_t i = 0; i < info->field_count; i++) {
        out = put_field(registry, &info->fields[i], value + info->fields[i].offset, out);
    }
    return out;
}

// Plans

typedef enum op {
    OP_COPY,   // bytes
    OP_SAME,   // elements of the same kind, in this machine's byte order
    OP_BOOL,   // bools
    OP_TEXT,   // up to the first zero
    OP_NUMBER, // numbers of another kind
    OP_ENUM,   // enums, by name
    OP_STRUCT, // structs, by their own plan
} op;

// Maps the values of an enum in the image to those of the world.
typedef struct enum_names {
    micai_map by_value;              // the image's values, to their index
    const mica_enumerator **targets; // the world's, by the same index; NULL: no such name
} enum_names;

typedef struct step {
    op op;
    uint32_t from; // offset in the image's value
    uint32_t to;   // offset in the world's value
    uint32_t count;
    uint32_t from_size; // size of an element
    uint32_t to_size;
    const micai_schema_field *source;
    const mica_field_info *target;
    const micai_plan_in *inner; // for structs
    const enum_names *names;    // for enums
} step;

struct micai_plan_in {
    micai_plan_in *next; // with the same source
    const micai_type *target;
    const char *type;
    uint32_t from_size; // size of a value in the image
    uint32_t to_size;   // size of a value in memory
    uint32_t count;
    bool same; // one copy converts the whole value
    step *steps;
};

void micai_matcher_note(micai_matcher *m, mica_difference what, const char *type, const char *field,
                        const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t needed = (size > 0 && (size_t)size < sizeof text ? (size_t)size : sizeof text - 1) + 1;
    micai_note *note = micai_archive_alloc(m->archive, m->arena, 1, sizeof *note);
    char *sentence = micai_archive_alloc(m->archive, m->arena, needed, 1);
    if (!sentence) {
        return;
    }
    memcpy(sentence, text, needed - 1);
    sentence[needed - 1] = '\0';
    *note = (micai_note){NULL, what, type, field, sentence};
    *m->notes_end = note;
    m->notes_end = &note->next;
}

static const micai_schema_field *find_field(micai_matcher *m, const micai_schema_type *source,
                                            const mica_type_info *target, uint32_t number)
{
    const char *name = target->fields[number].name;
    const micai_schema_field *found = micai_schema_find_field(source, number, name);
    if (found) {
        return found;
    }
    uint32_t alias = micai_aliases_find_field(&m->aliases, target->name, name);
    for (; !found && alias != MICAI_ALIAS_NONE; alias = m->aliases.next[alias]) {
        found = micai_schema_find_field(source, number, m->aliases.list[alias].was);
    }
    if (found) {
        micai_matcher_note(m, MICA_FIELD_RENAMED, target->name, name,
                           "'%.80s.%.80s' was called '%.80s'", target->name, name, found->name);
    } else {
        micai_matcher_note(m, MICA_FIELD_ADDED, target->name, name,
                           "'%.80s.%.80s' is new, and has the default value", target->name, name);
    }
    return found;
}

static bool is_number(mica_kind kind)
{
    return (kind >= MICA_KIND_I8 && kind <= MICA_KIND_BOOL) || kind == MICA_KIND_ENUM;
}

static bool have_same_names(const micai_schema_field *source, const mica_field_info *target)
{
    uint32_t i = 0;
    while (i < source->enumerator_count && target->enumerators[i].name &&
           source->enumerators[i].value == target->enumerators[i].value &&
           strcmp(source->enumerators[i].name, target->enumerators[i].name) == 0) {
        i++;
    }
    return i == source->enumerator_count && !target->enumerators[i].name;
}

// Chooses the conversion of a field. Returns false if there is no conversion.
static bool choose_op(const micai_schema_field *source, const mica_field_info *target, step *s)
{
    bool same = source->kind == target->kind && s->from_size == s->to_size;
    switch (target->kind) {
    case MICA_KIND_STRUCT: s->op = OP_STRUCT; return source->kind == MICA_KIND_STRUCT;
    case MICA_KIND_CHAR: s->op = OP_TEXT; return source->kind == MICA_KIND_CHAR;
    case MICA_KIND_ENTITY: s->op = OP_SAME; return same;
    case MICA_KIND_ENUM:
        s->op = same && have_same_names(source, target) ? OP_SAME
                : source->kind == MICA_KIND_ENUM        ? OP_ENUM
                                                        : OP_NUMBER;
        return is_number(source->kind);
    case MICA_KIND_BOOL:
        s->op = source->kind == MICA_KIND_BOOL ? OP_BOOL : OP_NUMBER;
        return is_number(source->kind);
    default: s->op = same ? OP_SAME : OP_NUMBER; return is_number(source->kind);
    }
}

static void note_conversion(micai_matcher *m, const char *type, const step *s)
{
    const micai_schema_field *source = s->source;
    const mica_field_info *target = s->target;
    if (source->kind != target->kind || source->count != target->count ||
        (target->kind == MICA_KIND_ENUM && s->op != OP_SAME)) {
        micai_matcher_note(m, MICA_FIELD_CONVERTED, type, target->name,
                           "'%.80s.%.80s' was %" PRIu32 " %s, and is %" PRIu32 " %s", type,
                           target->name, source->count, mica_kind_name(source->kind), target->count,
                           mica_kind_name(target->kind));
    }
}

static bool has_value(const void *context, uint32_t value, const void *key)
{
    const mica_enumerator *list = context;
    return list[value].value == *(const int64_t *)key;
}

// Adds enumerators to the map. If several have the same value, the first counts.
static void index_values(micai_map *map, const mica_enumerator *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t hash = micai_hash_mix((uint64_t)list[i].value);
        if (micai_map_find(map, hash, has_value, list, &list[i].value) == MICAI_MAP_NONE) {
            micai_map_insert(map, hash, i);
        }
    }
}

static const enum_names *match_enum(micai_matcher *m, const micai_schema_field *source,
                                    const mica_enumerator *targets)
{
    uint32_t count = source->enumerator_count;
    enum_names *names = micai_archive_alloc(m->archive, m->arena, 1, sizeof *names);
    const mica_enumerator **found = micai_archive_alloc(m->archive, m->arena, count, sizeof *found);
    if (!found || !micai_map_open(m->archive->host, m->arena, count, &names->by_value)) {
        micai_archive_fail_memory(m->archive);
        return NULL;
    }
    names->targets = found;
    index_values(&names->by_value, source->enumerators, count);
    for (; targets->name; targets++) {
        uint32_t i = micai_schema_find_name(source, targets->name);
        if (i != MICAI_MAP_NONE && !found[i]) {
            found[i] = targets;
        }
    }
    // a name that the image has twice was found once
    for (uint32_t i = 0; i < count; i++) {
        found[i] = found[micai_schema_find_name(source, source->enumerators[i].name)];
    }
    return names;
}

static bool add_step(micai_matcher *m, micai_plan_in *plan, const mica_type_info *info,
                     const micai_schema_field *source, const mica_field_info *target)
{
    step *s = &plan->steps[plan->count++];
    *s = (step){.from = source->offset,
                .to = target->offset,
                .count = source->count < target->count ? source->count : target->count,
                .from_size = source->size,
                .to_size = target->size / target->count,
                .source = source,
                .target = target};
    if (!choose_op(source, target, s)) {
        micai_archive_fail(m->archive, MICA_ERROR_SCHEMA,
                           "'%.80s.%.80s' is %s, and %s in the image", info->name, target->name,
                           mica_kind_name(target->kind), mica_kind_name(source->kind));
        return false;
    }
    note_conversion(m, info->name, s);
    if (s->op == OP_ENUM) {
        s->names = match_enum(m, source, target->enumerators);
        return s->names != NULL;
    }
    if (s->op == OP_STRUCT) {
        s->inner = micai_convert_plan(m, source->type, struct_of(m->registry, target));
        return s->inner != NULL;
    }
    return true;
}

// Notes the fields of the image that no step uses.
static void note_removed(micai_matcher *m, const micai_plan_in *plan,
                         const micai_schema_type *source, const char *type)
{
    for (uint32_t i = 0; i < source->field_count; i++) {
        bool used = false;
        for (uint32_t s = 0; s < plan->count; s++) {
            used = used || plan->steps[s].source == &source->fields[i];
        }
        if (!used) {
            micai_matcher_note(m, MICA_FIELD_REMOVED, type, source->fields[i].name,
                               "'%.80s.%.80s' is left out", type, source->fields[i].name);
        }
    }
}

// Joins steps that copy adjacent bytes on both sides.
static void join_steps(micai_plan_in *plan)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        step s = plan->steps[i];
        if ((s.op == OP_SAME && (micai_is_little_endian() || s.to_size == 1)) ||
            (s.op == OP_STRUCT && s.inner->same && s.inner->from_size == s.from_size)) {
            s.op = OP_COPY;
            s.count *= s.from_size;
        }
        step *last = kept > 0 ? &plan->steps[kept - 1] : NULL;
        if (last && last->op == OP_COPY && s.op == OP_COPY && last->from + last->count == s.from &&
            last->to + last->count == s.to) {
            last->count += s.count;
        } else {
            plan->steps[kept++] = s;
        }
    }
    plan->count = kept;
    const step *only = plan->steps;
    plan->same = kept == 1 && only->op == OP_COPY && only->from == 0 && only->to == 0 &&
                 only->count == plan->from_size && only->count == plan->to_size;
}

static bool match_fields(micai_matcher *m, micai_plan_in *plan, const micai_schema_type *source,
                         const mica_type_info *info)
{
    for (uint32_t i = 0; i < info->field_count; i++) {
        const micai_schema_field *field = find_field(m, source, info, i);
        if (m->archive->failed || (field && !add_step(m, plan, info, field, &info->fields[i]))) {
            return false;
        }
    }
    note_removed(m, plan, source, info->name);
    join_steps(plan);
    return !m->archive->failed;
}

static bool match_bytes(micai_matcher *m, micai_plan_in *plan, const micai_schema_type *source,
                        const mica_type_info *info)
{
    if (source->size != info->size || source->way != MICAI_SCHEMA_BYTES || info->field_count > 0) {
        micai_archive_fail(m->archive, MICA_ERROR_SCHEMA,
                           "'%.80s' is %" PRIu32 " bytes%s, and %" PRIu32 " bytes%s in the image",
                           info->name, info->size, info->field_count > 0 ? " in fields" : "",
                           source->size, source->way == MICAI_SCHEMA_FIELDS ? " in fields" : "");
        return false;
    }
    plan->steps[plan->count++] =
        (step){.op = OP_COPY, .count = info->size, .from_size = 1, .to_size = 1};
    plan->same = true;
    return true;
}

static micai_plan_in *make_plan(micai_matcher *m, uint32_t number, const micai_type *target)
{
    const micai_schema_type *source = &m->archive->schema->types[number];
    const mica_type_info *info = &target->info;
    micai_plan_in *plan = micai_archive_alloc(m->archive, m->arena, 1, sizeof *plan);
    step *steps =
        micai_archive_alloc(m->archive, m->arena, info->field_count + (size_t)1, sizeof *steps);
    if (!steps) {
        return NULL;
    }
    *plan = (micai_plan_in){.target = target,
                            .type = info->name,
                            .from_size = source->size,
                            .to_size = info->size,
                            .steps = steps};
    bool fields = source->way == MICAI_SCHEMA_FIELDS && info->field_count > 0;
    bool made = fields ? match_fields(m, plan, source, info) : match_bytes(m, plan, source, info);
    return made ? plan : NULL;
}

// Nested structs of many types share one plan, so their differences are noted once.
const micai_plan_in *micai_convert_plan(micai_matcher *m, uint32_t source, const micai_type *target)
{
    micai_plan_in *found = m->plans[source];
    while (found && found->target != target) {
        found = found->next;
    }
    if (found) {
        return found;
    }
    micai_plan_in *plan = make_plan(m, source, target);
    if (plan) {
        plan->next = m->plans[source];
        m->plans[source] = plan;
    }
    return plan;
}

bool micai_plan_in_is_same(const micai_plan_in *plan)
{
    return plan->same;
}

// Loading

// A number of any kind.
typedef struct scalar {
    enum { SCALAR_SIGNED, SCALAR_UNSIGNED, SCALAR_REAL } is;
    int64_t i; // negative integers; others are in `u`
    uint64_t u;
    double d;
} scalar;

static scalar of_integer(int64_t i)
{
    return i < 0 ? (scalar){.is = SCALAR_SIGNED, .i = i}
                 : (scalar){.is = SCALAR_UNSIGNED, .u = (uint64_t)i};
}

static scalar read_scalar(const micai_schema_field *field, const unsigned char *bytes)
{
    uint64_t bits = micai_get_little(bytes, field->size);
    uint32_t low = (uint32_t)bits;
    float f;
    double d;
    switch (field->kind) {
    case MICA_KIND_F32: memcpy(&f, &low, 4); return (scalar){.is = SCALAR_REAL, .d = (double)f};
    case MICA_KIND_F64: memcpy(&d, &bits, 8); return (scalar){.is = SCALAR_REAL, .d = d};
    case MICA_KIND_U8:
    case MICA_KIND_U16:
    case MICA_KIND_U32:
    case MICA_KIND_U64:
    case MICA_KIND_BOOL: return (scalar){.is = SCALAR_UNSIGNED, .u = bits};
    default: return of_integer(micai_get_little_signed(bytes, field->size));
    }
}

// Converts a real to an integer. Returns false if it has a fraction or is out of range.
static bool to_integer(scalar *number)
{
    if (number->is != SCALAR_REAL) {
        return true;
    }
    double d = number->d;
    if (!(d >= -9223372036854775808.0 && d < 18446744073709551616.0) || d != floor(d)) {
        return false;
    }
    *number = d < 0 ? (scalar){.is = SCALAR_SIGNED, .i = (int64_t)d}
                    : (scalar){.is = SCALAR_UNSIGNED, .u = (uint64_t)d};
    return true;
}

static bool to_real(const scalar *number, mica_kind kind, double *real_out)
{
    double d = number->is == SCALAR_REAL       ? number->d
               : number->is == SCALAR_UNSIGNED ? (double)number->u
                                               : (double)number->i;
    *real_out = d;
    // The nearest float will do, unless the number is beyond all floats.
    if (number->is == SCALAR_REAL) {
        return kind == MICA_KIND_F64 || !isfinite(d) || isfinite((float)d);
    }
    // An integer must convert exactly. Beyond 2^53, or 2^24, not all do.
    if (kind == MICA_KIND_F32 && (double)(float)d != d) {
        return false;
    }
    return number->is == SCALAR_UNSIGNED ? d < 18446744073709551616.0 && (uint64_t)d == number->u
                                         : (int64_t)d == number->i;
}

static bool write_real(const scalar *number, mica_kind kind, unsigned char *bytes)
{
    double d;
    bool fits = to_real(number, kind, &d);
    float f = fits && kind == MICA_KIND_F32 ? (float)d : 0;
    if (fits) {
        memcpy(bytes, kind == MICA_KIND_F32 ? (void *)&f : (void *)&d,
               kind == MICA_KIND_F32 ? sizeof f : sizeof d);
    }
    return fits;
}

// Writes an integer of `size` bytes in this machine's byte order. Returns false if it is out of
// range.
static bool write_integer(const scalar *number, bool is_signed, uint32_t size, unsigned char *bytes)
{
    uint64_t bits = number->u;
    uint64_t most = UINT64_MAX >> (64 - 8 * size + is_signed);
    if (MICAI_CANARY("image.range")) {
        most = UINT64_MAX >> (64 - 8 * size);
    }
    if (number->is == SCALAR_SIGNED) {
        if (!is_signed || (uint64_t) - (number->i + 1) > most) {
            return false;
        }
        memcpy(&bits, &number->i, sizeof bits);
    } else if (number->u > most) {
        return false;
    }
    for (uint32_t i = 0; i < size; i++) {
        bytes[micai_is_little_endian() ? i : size - 1 - i] = (unsigned char)(bits >> (8 * i));
    }
    return true;
}

static bool write_scalar(scalar number, const mica_field_info *field, uint32_t size,
                         unsigned char *bytes)
{
    switch (field->kind) {
    case MICA_KIND_F32:
    case MICA_KIND_F64: return write_real(&number, field->kind, bytes);
    case MICA_KIND_BOOL: {
        if (!to_integer(&number) || number.is != SCALAR_UNSIGNED || number.u > 1) {
            return false;
        }
        bool flag = number.u == 1;
        memcpy(bytes, &flag, sizeof flag);
        return true;
    }
    case MICA_KIND_U8:
    case MICA_KIND_U16:
    case MICA_KIND_U32:
    case MICA_KIND_U64: return to_integer(&number) && write_integer(&number, false, size, bytes);
    default: return to_integer(&number) && write_integer(&number, true, size, bytes);
    }
}

static void fail_value(micai_archive *a, const micai_plan_in *plan, const step *s,
                       const unsigned char *from)
{
    const scalar number = read_scalar(s->source, from);
    char text[32];
    if (number.is == SCALAR_REAL) {
        snprintf(text, sizeof text, "%g", number.d);
    } else if (number.is == SCALAR_SIGNED) {
        snprintf(text, sizeof text, "%" PRId64, number.i);
    } else {
        snprintf(text, sizeof text, "%" PRIu64, number.u);
    }
    micai_archive_fail(a, MICA_ERROR_SCHEMA, "'%.80s.%.80s' is %s, and cannot be %s", plan->type,
                       s->target->name, mica_kind_name(s->target->kind), text);
}

// A value with a name becomes the world's value with that name. A value without a name stays the
// same number.
static bool convert_enum(micai_archive *a, const micai_plan_in *plan, const step *s,
                         const unsigned char *from, unsigned char *to)
{
    scalar number = read_scalar(s->source, from);
    int64_t value = number.is == SCALAR_SIGNED ? number.i : (int64_t)number.u;
    const mica_enumerator *known = s->source->enumerators;
    uint32_t i = micai_map_find(&s->names->by_value, micai_hash_mix((uint64_t)value), has_value,
                                known, &value);
    if (i != MICAI_MAP_NONE && !s->names->targets[i]) {
        micai_archive_fail(a, MICA_ERROR_SCHEMA, "'%.80s.%.80s' has no value '%.80s' any more",
                           plan->type, s->target->name, known[i].name);
        return false;
    }
    number = i != MICAI_MAP_NONE ? of_integer(s->names->targets[i]->value) : number;
    if (!write_scalar(number, s->target, s->to_size, to)) {
        fail_value(a, plan, s, from);
        return false;
    }
    return true;
}

static bool convert_text(micai_archive *a, const micai_plan_in *plan, const step *s,
                         const unsigned char *from, unsigned char *to)
{
    uint32_t used = text_length(from, s->source->count);
    if (used > s->target->count) {
        micai_archive_fail(a, MICA_ERROR_SCHEMA,
                           "'%.80s.%.80s' has room for %" PRIu32 " characters, not for %" PRIu32,
                           plan->type, s->target->name, s->target->count, used);
        return false;
    }
    copy_text(to, s->target->count, from, used);
    return true;
}

static bool convert_bool(micai_archive *a, const micai_plan_in *plan, const step *s,
                         const unsigned char *from, unsigned char *to)
{
    if (*from > 1) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "'%.80s.%.80s' is neither false nor true",
                           plan->type, s->target->name);
        return false;
    }
    bool flag = *from == 1;
    memcpy(to, &flag, sizeof flag);
    return true;
}

static bool convert_element(micai_archive *a, const micai_plan_in *plan, const step *s,
                            const unsigned char *from, unsigned char *to)
{
    switch (s->op) {
    case OP_BOOL: return convert_bool(a, plan, s, from, to);
    case OP_ENUM: return convert_enum(a, plan, s, from, to);
    case OP_STRUCT: return micai_convert_in(a, s->inner, from, to, 1);
    case OP_NUMBER:
        if (write_scalar(read_scalar(s->source, from), s->target, s->to_size, to)) {
            return true;
        }
        fail_value(a, plan, s, from);
        return false;
    default: copy_element(to, from, s->from_size); return true;
    }
}

static bool convert_value(micai_archive *a, const micai_plan_in *plan, const unsigned char *source,
                          unsigned char *value)
{
    bool fits = true;
    for (uint32_t i = 0; fits && i < plan->count; i++) {
        const step *s = &plan->steps[i];
        if (s->op == OP_COPY) {
            memcpy(value + s->to, source + s->from, s->count);
        } else if (s->op == OP_TEXT) {
            fits = convert_text(a, plan, s, source + s->from, value + s->to);
        } else {
            for (uint32_t e = 0; fits && e < s->count; e++) {
                fits = convert_element(a, plan, s, source + s->from + (size_t)e * s->from_size,
                                       value + s->to + (size_t)e * s->to_size);
            }
        }
    }
    return fits;
}

bool micai_convert_in(micai_archive *a, const micai_plan_in *plan, const unsigned char *source,
                      unsigned char *values, uint32_t count)
{
    bool fits = true;
    if (plan->same) {
        memcpy(values, source, (size_t)count * plan->to_size);
        return true;
    }
    for (uint32_t i = 0; fits && i < count; i++) {
        fits = convert_value(a, plan, source, values);
        source += plan->from_size;
        values += plan->to_size;
    }
    return fits;
}
