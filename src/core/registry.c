// Registers component types. A registration builds the record in the arena and compares it with a
// type of the same name. A new type joins the lists, whose capacity is reserved before. Otherwise
// the arena is rewound.
#include "core/registry.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"
#include "core/field.h"
#include "core/field_strip.h"
#include "core/hook.h"
#include "core/watch.h"

void micai_registry_init(micai_registry *registry, uint32_t limit, uint64_t seal)
{
    memset(registry, 0, sizeof *registry);
    registry->seal = seal;
    registry->hidden = MICAI_NOT_HIDDEN;
    registry->limit = limit ? limit : MICAI_STAMP_NUMBER_MAX + 1;
}

// Types own no memory outside the arena.
void micai_registry_free(micai_host *host, micai_registry *registry)
{
    micai_array_free(host, &registry->list);
    micai_array_free(host, &registry->column_words);
    micai_map_free(host, &registry->by_name);
    micai_arena_free(host, &registry->arena);
}

static bool has_name(const void *context, uint32_t value, const void *key)
{
    const micai_registry *registry = context;
    return strcmp(registry->list.items[value]->info.name, key) == 0;
}

const micai_type *micai_registry_find_name(const micai_registry *registry, const char *name)
{
    uint32_t number =
        micai_map_find(&registry->by_name, micai_hash_text(name), has_name, registry, name);
    return number == MICAI_MAP_NONE ? NULL : registry->list.items[number];
}

mica_result micai_registry_fail(micai_host *host, const char *caller, mica_type type)
{
    if (MICA_IS_NONE(type)) {
        return micai_fail(host, MICA_ERROR_TYPE,
                          "%s: the component type is none; was it registered?", caller);
    }
    return micai_fail(host, MICA_ERROR_TYPE,
                      "%s: the component type is of another world, or no type at all", caller);
}

static bool hooks_equal(const mica_hooks *a, const mica_hooks *b)
{
    return a->construct == b->construct && a->destruct == b->destruct && a->copy == b->copy &&
           a->move == b->move && a->save == b->save && a->load == b->load;
}

static mica_result check_size(micai_host *host, const char *call, const mica_type_desc *desc)
{
    if (desc->size > MICA_TYPE_SIZE_MAX) {
        return micai_fail(host, MICA_ERROR_SIZE, "%s: '%s' has %" PRIu32 " bytes; %u is the most",
                          call, desc->name, desc->size, MICA_TYPE_SIZE_MAX);
    }
    if (desc->size == 0 && desc->align <= 1) {
        return MICA_OK;
    }
    if (desc->align == 0 || desc->align > MICA_TYPE_ALIGN_MAX ||
        (desc->align & (desc->align - 1)) != 0) {
        return micai_fail(host, MICA_ERROR_ALIGNMENT,
                          "%s: '%s' has alignment %" PRIu32 ", not a power of two up to %u", call,
                          desc->name, desc->align, MICA_TYPE_ALIGN_MAX);
    }
    if (desc->size == 0) {
        return micai_fail(host, MICA_ERROR_SIZE,
                          "%s: '%s' has alignment %" PRIu32 " but size 0; set .size to sizeof of "
                          "its type, or .align to 0 for a tag",
                          call, desc->name, desc->align);
    }
    if (desc->size % desc->align != 0) {
        return micai_fail(host, MICA_ERROR_SIZE,
                          "%s: '%s' has %" PRIu32 " bytes, which is not a multiple of its "
                          "alignment %" PRIu32,
                          call, desc->name, desc->size, desc->align);
    }
    return MICA_OK;
}

static mica_result fail_storage(micai_host *host, const char *call, const char *name,
                                mica_storage storage)
{
    return micai_fail(host, MICA_ERROR_ARGUMENT, "%s: there is no storage %u (of '%s')", call,
                      (unsigned)storage, name);
}

static mica_result check_desc(micai_host *host, const char *call, const mica_type_desc *desc)
{
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if (!micai_name_is_valid(desc->name)) {
        return micai_fail(host, MICA_ERROR_NAME, "%s: the name is %s", call,
                          micai_name_fault(desc->name));
    }
    if (desc->c_type && !micai_name_is_valid(desc->c_type)) {
        return micai_fail(host, MICA_ERROR_NAME, "%s: the name of the C type of '%s' is %s", call,
                          desc->name, micai_name_fault(desc->c_type));
    }
    const mica_hooks none = {0};
    if (desc->size == 0 && (desc->default_value || !hooks_equal(&desc->hooks, &none))) {
        return micai_fail(host, MICA_ERROR_ARGUMENT,
                          "%s: '%s' has size 0, a tag, but hooks or a default value", call,
                          desc->name);
    }
    if (desc->default_value && (desc->hooks.construct || desc->hooks.copy)) {
        return micai_fail(host, MICA_ERROR_ARGUMENT,
                          "%s: '%s' has a default value beside a construct or copy hook", call,
                          desc->name);
    }
    if (!desc->hooks.save != !desc->hooks.load) {
        return micai_fail(host, MICA_ERROR_ARGUMENT,
                          "%s: '%s' has a %s hook alone; values are saved and loaded, or neither",
                          call, desc->name, desc->hooks.save ? "save" : "load");
    }
    if (desc->storage >= MICA_STORAGE_COUNT) {
        return fail_storage(host, call, desc->name, desc->storage);
    }
    if (desc->stable && (desc->storage != MICA_SPARSE || desc->size == 0)) {
        return micai_fail(
            host, MICA_ERROR_ARGUMENT,
            "%s: '%s' is to be stable, which only sparse components with values can be", call,
            desc->name);
    }
    if (desc->size == 0 && desc->storage == MICA_RING) {
        return micai_fail(host, MICA_ERROR_ARGUMENT,
                          "%s: '%s' has size 0, a tag, and no values to be kept in a ring", call,
                          desc->name);
    }
    if (desc->toggle && desc->size == 0 && desc->storage != MICA_SPARSE) {
        return micai_fail(
            host, MICA_ERROR_ARGUMENT,
            "%s: '%s' is a tag in tables, which cannot have a toggle; make it sparse, "
            "or add and remove it",
            call, desc->name);
    }
    if (desc->row_stamps && desc->size == 0 && desc->storage != MICA_SPARSE) {
        return micai_fail(
            host, MICA_ERROR_ARGUMENT,
            "%s: '%s' is a tag in tables, which cannot have row stamps; make it sparse", call,
            desc->name);
    }
    return check_size(host, call, desc);
}

// Skips words before the name of a C type that do not identify it.
static const char *skip_words(const char *c_type)
{
    static const char *const words[] = {"const ", "struct ", "union ", "enum ", "class ", "::"};
    uint32_t i = 0;
    while (i < sizeof words / sizeof *words) {
        size_t length = strlen(words[i]);
        bool there = strncmp(c_type, words[i], length) == 0;
        c_type += there ? length : 0;
        i = there ? 0 : i + 1;
    }
    return c_type;
}

bool micai_c_type_matches(const char *a, const char *b)
{
    if (strcmp(a, b) == 0) { // nearly always
        return true;
    }
    a = skip_words(a);
    b = skip_words(b);
    size_t a_length = strlen(a);
    size_t b_length = strlen(b);
    const char *whole = a_length < b_length ? b : a;
    const char *part = a_length < b_length ? a : b;
    const char *end = whole + (a_length < b_length ? b_length - a_length : a_length - b_length);
    return strcmp(end, part) == 0 && (end == whole || (end - whole > 2 && end[-1] == ':'));
}

// Returns the first difference, worded for the error sentence, or NULL. The storage at registration
// is accepted as well as the current one, because modules that register a type know only the
// former.
static const char *find_difference(const micai_type *known, const mica_type_info *b)
{
    const mica_type_info *a = &known->info;
    if (a->size != b->size) {
        return "another size";
    }
    if (a->align != b->align) {
        return "another alignment";
    }
    if (a->c_type && b->c_type && !micai_c_type_matches(a->c_type, b->c_type)) {
        return "another C type";
    }
    if (a->field_count != b->field_count ||
        !micai_fields_equal(a->fields, b->fields, a->field_count)) {
        return "other fields";
    }
    if (!hooks_equal(&a->hooks, &b->hooks)) {
        return "other hooks";
    }
    if (!a->default_value != !b->default_value ||
        (a->default_value && memcmp(a->default_value, b->default_value, a->size) != 0)) {
        return "another default value";
    }
    if ((a->storage != b->storage && known->first_storage != b->storage) ||
        a->stable != b->stable) {
        return "another storage";
    }
    if (a->toggle != b->toggle) {
        return a->toggle ? "a toggle" : "no toggle";
    }
    if (a->row_stamps != b->row_stamps) {
        return a->row_stamps ? "row stamps" : "no row stamps";
    }
    if (a->plain != b->plain || a->saved != b->saved) {
        return "another word on images";
    }
    return a->user != b->user ? "another user pointer" : NULL;
}

static uint32_t find_depth(const micai_registry *registry, const mica_type_info *info)
{
    uint32_t depth = 1;
    for (uint32_t i = 0; i < info->field_count; i++) {
        if (info->fields[i].kind == MICA_KIND_STRUCT) {
            const micai_type *nested = micai_registry_find(registry, info->fields[i].type);
            assert(nested); // it was found when the field was copied, and types are never removed
            depth = nested->depth < depth ? depth : nested->depth + 1;
        }
    }
    return depth;
}

static const char *copy_text(micai_host *host, micai_registry *registry, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = micai_arena_alloc(host, &registry->arena, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

// Hashes the names of the fields, in the arena. Returns false on failure, which is reported.
static bool hash_fields(micai_host *host, micai_registry *registry, micai_type *type)
{
    uint32_t count = type->info.field_count;
    uint64_t *hashes = count > 0 ? micai_arena_alloc(host, &registry->arena, count * sizeof *hashes,
                                                     _Alignof(uint64_t))
                                 : NULL;
    for (uint32_t i = 0; hashes && i < count; i++) {
        hashes[i] = micai_hash_text(type->info.fields[i].name);
    }
    type->field_hashes = hashes;
    return hashes || count == 0;
}

// Builds a complete record in the arena without listing it. Returns NULL on failure, which is
// reported.
static micai_type *build(micai_host *host, micai_registry *registry, const char *call,
                         const mica_type_desc *desc)
{
    micai_type *type =
        micai_arena_alloc(host, &registry->arena, sizeof *type, _Alignof(micai_type));
    const char *name = type ? copy_text(host, registry, desc->name) : NULL;
    const char *c_type = name && desc->c_type ? copy_text(host, registry, desc->c_type) : NULL;
    if (!name || (desc->c_type && !c_type)) {
        return NULL;
    }
    *type = (micai_type){.info = {.name = name,
                                  .c_type = c_type,
                                  .size = desc->size,
                                  .align = desc->size ? desc->align : 1,
                                  .field_count = desc->field_count,
                                  .hooks = desc->hooks,
                                  .user = desc->user,
                                  .storage = desc->storage,
                                  .stable = desc->stable,
                                  .toggle = desc->toggle,
                                  .row_stamps = desc->row_stamps,
                                  .plain = desc->plain,
                                  .saved = desc->saved},
                         .sparse = MICAI_NOT_SPARSE,
                         .name_hash = micai_hash_text(name)};
    if (desc->default_value) {
        void *copy = micai_arena_alloc(host, &registry->arena, desc->size, desc->align);
        if (!copy) {
            return NULL;
        }
        type->info.default_value = memcpy(copy, desc->default_value, desc->size);
    }
    if (micai_fields_copy(host, registry, &registry->arena, desc, &type->info.fields) ||
        !hash_fields(host, registry, type)) {
        return NULL;
    }
    if (desc->storage == MICA_SPLIT &&
        registry->split(host, registry, &registry->arena, call, type)) {
        return NULL;
    }
    type->depth = find_depth(registry, &type->info);
    return type;
}

// Returns true if tables have columns for the values of the type.
static bool has_column(const micai_type *type)
{
    return type->info.size > 0 && type->info.storage != MICA_SPARSE;
}

static bool reserve(micai_host *host, micai_registry *registry)
{
    uint32_t words = micai_bits_words(registry->list.count + 1);
    return micai_array_reserve(host, &registry->list, 1) &&
           micai_array_reserve(host, &registry->column_words,
                               words - registry->column_words.count) &&
           micai_map_reserve(host, &registry->by_name, 1);
}

static uint64_t make_handle(const micai_registry *registry, const micai_type *type, uint32_t number)
{
    return micai_stamp_make_type(registry->seal, type->name_hash, number,
                                 type->first_storage == MICA_SPARSE);
}

// Lists the type everywhere but by name.
static mica_type commit(micai_registry *registry, micai_type *type)
{
    type->number = registry->list.count;
    type->first_storage = type->info.storage;
    type->plain = micai_hook_has_none(type);
    type->kinds = registry->kinds;
    type->info.type.bits = make_handle(registry, type, type->number);
    registry->list.items[registry->list.count++] = type;
    while (registry->column_words.count < micai_bits_words(registry->list.count)) {
        registry->column_words.items[registry->column_words.count++] = 0;
    }
    if (has_column(type)) {
        micai_bits_set(registry->column_words.items, type->number);
    }
    if (type->info.storage == MICA_SPARSE) {
        type->sparse = registry->sparse_count++;
    }
    return type->info.type;
}

const char *micai_storage_name(mica_storage storage)
{
    static const char names[][8] = {"table", "sparse", "split", "ring"};
    _Static_assert(sizeof names / sizeof names[0] == MICA_STORAGE_COUNT, "a name per storage");
    return names[storage];
}

mica_result micai_registry_check_storage(micai_host *host, micai_registry *registry,
                                         const char *call, const micai_type *type,
                                         mica_storage storage)
{
    const mica_type_info *info = &type->info;
    if (storage >= MICA_STORAGE_COUNT) {
        return fail_storage(host, call, info->name, storage);
    }
    if (storage != MICA_SPLIT || type->field_strip_count > 0) {
        return MICA_OK;
    }
    micai_arena_mark mark = micai_arena_get_mark(&registry->arena);
    mica_result result =
        registry->split(host, registry, &registry->arena, call, registry->list.items[type->number]);
    if (result) {
        micai_arena_rewind(&registry->arena, mark);
    }
    return result;
}

void micai_registry_set_storage(micai_registry *registry, const micai_type *type,
                                mica_storage storage)
{
    micai_type *changed = registry->list.items[type->number];
    changed->info.storage = storage;
    if (storage == MICA_SPARSE) {
        micai_bits_clear(registry->column_words.items, type->number);
        changed->sparse =
            changed->sparse == MICAI_NOT_SPARSE ? registry->sparse_count++ : changed->sparse;
    } else {
        micai_bits_set(registry->column_words.items, type->number);
    }
}

static bool is_full(const micai_registry *registry)
{
    return micai_registry_count(registry) >= registry->limit ||
           registry->list.count > MICAI_STAMP_NUMBER_MAX;
}

mica_type micai_registry_register(micai_host *host, micai_registry *registry, const char *call,
                                  const mica_type_desc *desc)
{
    if (check_desc(host, call, desc)) {
        return (mica_type){0};
    }
    micai_arena_mark mark = micai_arena_get_mark(&registry->arena);
    micai_type *type = build(host, registry, call, desc);
    const micai_type *known = type ? micai_registry_find_name(registry, desc->name) : NULL;
    mica_type result = (mica_type){0};
    if (known) {
        const char *difference = find_difference(known, &type->info);
        if (!difference) {
            result = known->info.type;
        } else {
            micai_fail(host, MICA_ERROR_SHAPE, "%s: '%s' is registered with %s", call, desc->name,
                       difference);
        }
    } else if (type && is_full(registry)) {
        micai_fail(host, MICA_ERROR_LIMIT,
                   "%s: '%s' is one more than the world's limit of %" PRIu32 " types", call,
                   desc->name, registry->limit);
    } else if (type && reserve(host, registry)) {
        micai_map_insert(&registry->by_name, type->name_hash, registry->list.count);
        return commit(registry, type);
    }
    micai_arena_rewind(&registry->arena, mark);
    return result;
}

mica_result micai_registry_register_all(micai_host *host, micai_registry *registry,
                                        const char *call, const mica_type_desc *descs,
                                        uint32_t count, mica_type *types_out)
{
    const micai_registry_mark mark = micai_registry_get_mark(registry);
    for (uint32_t i = 0; i < count; i++) {
        types_out[i] = micai_registry_register(host, registry, call, &descs[i]);
        if (MICA_IS_NONE(types_out[i])) {
            if (!MICAI_CANARY("core.register_some")) {
                micai_registry_rewind(registry, mark);
            }
            memset(types_out, 0, count * sizeof *types_out);
            return host->failed;
        }
    }
    return MICA_OK;
}

// No registered type can have this name.
static const char hidden_name[] = "#facet";

mica_result micai_registry_add_hidden(micai_host *host, micai_registry *registry, const char *call,
                                      uint32_t size, uint32_t align)
{
    if (registry->hidden != MICAI_NOT_HIDDEN) {
        return MICA_OK;
    }
    if (registry->list.count > MICAI_STAMP_NUMBER_MAX) {
        return micai_fail(host, MICA_ERROR_LIMIT, "%s: there are %" PRIu32 " types already", call,
                          registry->list.count);
    }
    const mica_type_desc desc = {.name = hidden_name, .size = size, .align = align};
    micai_arena_mark mark = micai_arena_get_mark(&registry->arena);
    micai_type *type = build(host, registry, call, &desc);
    if (!type || !reserve(host, registry)) {
        micai_arena_rewind(&registry->arena, mark);
        return MICA_ERROR_MEMORY;
    }
    registry->hidden = registry->list.count;
    commit(registry, type);
    return MICA_OK;
}

micai_registry_mark micai_registry_get_mark(const micai_registry *registry)
{
    return (micai_registry_mark){registry->list.count, registry->sparse_count, registry->hidden,
                                 micai_arena_get_mark(&registry->arena)};
}

void micai_registry_rewind(micai_registry *registry, micai_registry_mark mark)
{
    while (registry->list.count > mark.count) {
        const micai_type *type = registry->list.items[--registry->list.count];
        micai_map_remove(&registry->by_name, type->name_hash, type->number);
        micai_bits_clear(registry->column_words.items, type->number);
    }
    registry->column_words.count = micai_bits_words(registry->list.count);
    registry->sparse_count = mark.sparse_count;
    registry->hidden = mark.hidden;
    micai_arena_rewind(&registry->arena, mark.arena);
}

// Validation

bool micai_registry_contains(const micai_registry *registry, const micai_type *type)
{
    return type && type->number < registry->list.count &&
           registry->list.items[type->number] == type;
}

static bool are_valid_enumerators(const mica_enumerator *list)
{
    const mica_enumerator *e = list;
    while (e->name && micai_name_is_valid(e->name)) {
        e++;
    }
    return e > list && !e->name;
}

// Returns true if the field lies at or after `end`, inside its type, with a size that fits its
// kind.
static bool is_valid_field(const micai_registry *registry, const mica_type_info *info,
                           const mica_field_info *field, uint32_t end)
{
    return field->offset >= end && field->offset <= info->size &&
           field->size <= info->size - field->offset && micai_name_is_valid(field->name) &&
           micai_field_is_complete(registry, field) &&
           (field->kind == MICA_KIND_ENUM
                ? field->enumerators && are_valid_enumerators(field->enumerators)
                : !field->enumerators);
}

static mica_result validate_fields(micai_host *host, const micai_registry *registry,
                                   const micai_type *type)
{
    const mica_type_info *info = &type->info;
    if (info->field_count > MICA_FIELDS_MAX || (info->field_count == 0) != !info->fields ||
        !info->fields != !type->field_hashes) {
        return micai_fail_invariant(host, "K4", "type '%s' has lost its fields", info->name);
    }
    uint32_t end = 0;
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mica_field_info *field = &info->fields[i];
        if (!is_valid_field(registry, info, field, end)) {
            return micai_fail_invariant(host, "K4", "field '%s' of type '%s' is out of place",
                                        field->name, info->name);
        }
        if (type->field_hashes[i] != micai_hash_text(field->name)) {
            return micai_fail_invariant(host, "K4",
                                        "the name of field '%s' of type '%s' has another hash",
                                        field->name, info->name);
        }
        end = field->offset + field->size;
    }
    return MICA_OK;
}

static bool is_valid_shape(const mica_type_info *info)
{
    const mica_hooks none = {0};
    if (info->size == 0) {
        return info->align == 1 && !info->default_value && !info->stable &&
               info->storage != MICA_RING &&
               (!(info->toggle || info->row_stamps) || info->storage == MICA_SPARSE) &&
               hooks_equal(&info->hooks, &none);
    }
    return info->size <= MICA_TYPE_SIZE_MAX && info->align > 0 &&
           info->align <= MICA_TYPE_ALIGN_MAX && (info->align & (info->align - 1)) == 0 &&
           info->size % info->align == 0 && (!info->stable || info->storage == MICA_SPARSE) &&
           !info->hooks.save == !info->hooks.load &&
           (!info->default_value || (!info->hooks.construct && !info->hooks.copy));
}

// Adds hashes of the sparse numbers to `numbers`, so the caller can check that each occurs once.
static mica_result validate_type(micai_host *host, const micai_registry *registry, uint32_t n,
                                 uint64_t *numbers)
{
    const micai_type *type = registry->list.items[n];
    if (!micai_registry_contains(registry, type) || type->number != n ||
        type->first_storage >= MICA_STORAGE_COUNT ||
        type->info.type.bits != make_handle(registry, type, n)) {
        return micai_fail_invariant(host, "K1", "type %" PRIu32 " thinks it is another", n);
    }
    if ((type->watched & ~(uint32_t)MICAI_ON_ALL) != 0 ||
        type->plain != (micai_hook_has_none(type) &&
                        !micai_type_is_watched(type, MICAI_WATCH_VALUES) && !type->relation)) {
        return micai_fail_invariant(host, "K10", "type %" PRIu32 " is watched as no type is", n);
    }
    bool hidden = n == registry->hidden;
    if (hidden ? strcmp(type->info.name, hidden_name) != 0
               : !micai_name_is_valid(type->info.name)) {
        return micai_fail_invariant(host, hidden ? "K9" : "K2",
                                    "type %" PRIu32 " has lost its name", n);
    }
    if (type->name_hash != micai_hash_text(type->info.name) ||
        micai_registry_find_name(registry, type->info.name) != (hidden ? NULL : type)) {
        return micai_fail_invariant(host, "K2", "type '%s' is not found by name", type->info.name);
    }
    if (type->info.c_type && !micai_name_is_valid(type->info.c_type)) {
        return micai_fail_invariant(host, "K2", "type '%s' has lost the name of its C type",
                                    type->info.name);
    }
    bool column = micai_bits_has(registry->column_words.items, registry->column_words.count, n);
    if (column != has_column(type)) {
        return micai_fail_invariant(host, "K3", "type '%s' is wrongly said to have columns or not",
                                    type->info.name);
    }
    bool sparse = type->info.storage == MICA_SPARSE;
    if (type->info.storage >= MICA_STORAGE_COUNT ||
        ((sparse || type->sparse != MICAI_NOT_SPARSE) && type->sparse >= registry->sparse_count)) {
        return micai_fail_invariant(host, "K3", "type '%s' has the number of another sparse type",
                                    type->info.name);
    }
    *numbers += type->sparse != MICAI_NOT_SPARSE ? micai_hash_mix((uint64_t)type->sparse + 1) : 0;
    if (!is_valid_shape(&type->info)) {
        return micai_fail_invariant(host, "K6", "type '%s' cannot have been registered",
                                    type->info.name);
    }
    mica_result result = validate_fields(host, registry, type);
    if (!result &&
        (type->depth != find_depth(registry, &type->info) || type->depth > MICA_NESTING_MAX)) {
        result = micai_fail_invariant(host, "K5", "type '%s' is %" PRIu32 " deep", type->info.name,
                                      type->depth);
    }
    bool split = type->info.storage == MICA_SPLIT || type->strips || type->field_strip_count > 0;
    if (!result && split && !micai_field_strips_are_valid(registry, type)) {
        result = micai_fail_invariant(host, "K8", "type '%s' is in other pieces than its fields",
                                      type->info.name);
    }
    return result;
}

// Checks the structures for look-ups. Bits beyond the last type are zero (K3).
static mica_result validate_lists(micai_host *host, const micai_registry *registry)
{
    mica_result result = micai_arena_validate(host, &registry->arena);
    result = result ? result : micai_array_validate(host, &registry->list, "types");
    result =
        result ? result : micai_array_validate(host, &registry->column_words, "types with columns");
    uint32_t count = registry->list.count;
    result = result ? result : micai_map_validate(host, &registry->by_name, count);
    if (!result && registry->hidden != MICAI_NOT_HIDDEN && registry->hidden >= count) {
        result = micai_fail_invariant(host, "K9", "there is no type %" PRIu32 " to be hidden",
                                      registry->hidden);
    }
    uint32_t named = result ? 0 : micai_registry_count(registry);
    if (!result && registry->by_name.count != named) {
        result = micai_fail_invariant(host, "K2", "%" PRIu32 " names for %" PRIu32 " types",
                                      registry->by_name.count, named);
    }
    if (!result && (registry->column_words.count != micai_bits_words(count) ||
                    micai_bits_next(registry->column_words.items, registry->column_words.count,
                                    count) != MICAI_BITS_END)) {
        result = micai_fail_invariant(host, "K3", "there are no %" PRIu32 " types with columns",
                                      registry->column_words.count * 64);
    }
    if (!result && (named > registry->limit || registry->limit > MICAI_STAMP_NUMBER_MAX + 1)) {
        result = micai_fail_invariant(host, "K7", "%" PRIu32 " types, of at most %" PRIu32, named,
                                      registry->limit);
    }
    return result;
}

mica_result micai_registry_validate(micai_host *host, const micai_registry *registry)
{
    mica_result result = validate_lists(host, registry);
    uint64_t numbers = 0;
    for (uint32_t n = 0; !result && n < registry->list.count; n++) {
        result = validate_type(host, registry, n, &numbers);
    }
    bool counted = registry->sparse_count <= registry->list.count;
    for (uint32_t n = 0; counted && n < registry->sparse_count; n++) {
        numbers -= micai_hash_mix((uint64_t)n + 1);
    }
    if (!result && (!counted || numbers != 0)) {
        result = micai_fail_invariant(host, "K3", "there are not %" PRIu32 " sparse types",
                                      registry->sparse_count);
    }
    return result;
}
