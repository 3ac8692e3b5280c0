// Splits values into strips. field_strip.h has the contract.
#include "core/field_strip.h"

#include <assert.h>
#include <inttypes.h>

// Receives strips. It counts them and, if the pointers are not NULL, stores them or compares them
// with `others`. Strips beyond `most` are only counted. Counting stops beyond MICA_STRIPS_MAX,
// because nested structs can have too many fields to count.
typedef struct sink {
    const micai_registry *registry;
    micai_field_strip *kept;
    const micai_field_strip *others;
    uint32_t most;
    uint32_t count;
    bool equal;
} sink;

static void add_strip(sink *to, uint32_t offset, uint32_t size, uint32_t align)
{
    if (to->count < to->most && to->kept) {
        to->kept[to->count] = (micai_field_strip){offset, size, align};
    }
    if (to->count < to->most && to->others) {
        const micai_field_strip *other = &to->others[to->count];
        to->equal =
            to->equal && other->offset == offset && other->size == size && other->align == align;
    }
    to->count++;
}

static bool has_too_many(const sink *to)
{
    return to->count > MICA_STRIPS_MAX;
}

static void add_fields(sink *to, const mica_type_info *info, uint32_t offset);

// Adds a field of the value at `offset`. Recursion is limited: types nest at most MICA_NESTING_MAX
// deep.
static void add_field(sink *to, const mica_field_info *field, uint32_t offset)
{
    const micai_type *nested =
        field->kind == MICA_KIND_STRUCT ? micai_registry_find(to->registry, field->type) : NULL;
    uint32_t size = field->size / field->count;
    uint32_t align = nested ? nested->info.align : size;
    bool array = field->count > 1 && field->strips != MICA_STRIPS_EACH;
    if (array || field->strips == MICA_STRIPS_WHOLE) {
        add_strip(to, offset + field->offset, field->size, align);
        return;
    }
    for (uint32_t i = 0; i < field->count && !has_too_many(to); i++) {
        uint32_t at = offset + field->offset + i * size;
        if (nested && nested->info.field_count > 0) {
            add_fields(to, &nested->info, at);
        } else {
            add_strip(to, at, size, align);
        }
    }
}

static void add_fields(sink *to, const mica_type_info *info, uint32_t offset)
{
    for (uint32_t i = 0; i < info->field_count && !has_too_many(to); i++) {
        add_field(to, &info->fields[i], offset);
    }
}

// Returns true if bytes outside of all fields may be padding. They may if they are fewer than the
// alignment of their end, which is capped by that of the type.
static bool is_padding(const mica_type_info *info, uint32_t begin, uint32_t end)
{
    uint32_t align = end & (~end + 1); // largest power of two that divides `end`
    align = align < info->align && end < info->size ? align : info->align;
    return end - begin < align;
}

static mica_result check_gaps(micai_host *host, const char *call, const micai_registry *registry,
                              const mica_type_info *info)
{
    uint32_t begin = 0;
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i <= info->field_count; i++) {
        const mica_field_info *field = i < info->field_count ? &info->fields[i] : NULL;
        uint32_t end = field ? field->offset : info->size;
        if (begin < end && !is_padding(info, begin, end)) {
            return micai_fail(host, MICA_ERROR_FIELD,
                              "%s: bytes %" PRIu32 " to %" PRIu32
                              " of '%s' are of no field, and would be lost when it is split",
                              call, begin, end - 1, info->name);
        }
        bool opened = field && field->kind == MICA_KIND_STRUCT &&
                      field->strips != MICA_STRIPS_WHOLE &&
                      (field->count == 1 || field->strips == MICA_STRIPS_EACH);
        if (opened) {
            const micai_type *nested = micai_registry_find(registry, field->type);
            assert(nested); // it was found when the field was copied, and types are never removed
            result = nested->info.field_count > 0 ? check_gaps(host, call, registry, &nested->info)
                                                  : MICA_OK;
        }
        begin = field ? field->offset + field->size : end;
    }
    return result;
}

// Fails if the type has hooks or no fields.
static mica_result check(micai_host *host, const char *call, const mica_type_info *info)
{
    const mica_hooks *hooks = &info->hooks;
    if (hooks->construct || hooks->destruct || hooks->copy || hooks->move) {
        return micai_fail(host, MICA_ERROR_ARGUMENT,
                          "%s: '%s' has hooks, which work on whole values; it cannot be split",
                          call, info->name);
    }
    return info->field_count > 0
               ? MICA_OK
               : micai_fail(host, MICA_ERROR_ARGUMENT,
                            "%s: '%s' has no fields to split it into; name them with "
                            "MICA_DESCRIBE (in C++ in a mica::about)",
                            call, info->name);
}

mica_result micai_field_strips_make(micai_host *host, const micai_registry *registry,
                                    micai_arena *arena, const char *call, micai_type *type)
{
    mica_result result = check(host, call, &type->info);
    if (result) {
        return result;
    }
    sink counted = {.registry = registry};
    add_fields(&counted, &type->info, 0);
    if (has_too_many(&counted)) {
        return micai_fail(host, MICA_ERROR_LIMIT,
                          "%s: '%s' would be split into more than %u strips, which is the most",
                          call, type->info.name, MICA_STRIPS_MAX);
    }
    result = check_gaps(host, call, registry, &type->info);
    if (result) {
        return result;
    }
    micai_field_strip *strips =
        micai_arena_alloc(host, arena, counted.count * sizeof *strips, _Alignof(micai_field_strip));
    if (!strips) {
        return MICA_ERROR_MEMORY;
    }
    sink made = {.registry = registry, .kept = strips, .most = counted.count};
    add_fields(&made, &type->info, 0);
    type->strips = strips;
    type->field_strip_count = made.count;
    return MICA_OK;
}

bool micai_field_strips_are_valid(const micai_registry *registry, const micai_type *type)
{
    uint32_t count = type->field_strip_count;
    if (count == 0 || count > MICA_STRIPS_MAX) {
        return false;
    }
    sink compared = {.registry = registry, .others = type->strips, .most = count, .equal = true};
    add_fields(&compared, &type->info, 0);
    return compared.equal && compared.count == count;
}
