// Matching types. match_internal.h has the contract.
#include "image/match_internal.h"

#include <inttypes.h>
#include <string.h>

#include "entity/change.h"
#include "image/schema_internal.h"
#include "query/query.h"

// Returns the world's type for a type name of the image, or NULL.
static const micai_type *find(micai_matcher *m, const char *name)
{
    const micai_type *type = micai_registry_find_name(m->registry, name);
    if (type) {
        return type;
    }
    uint32_t alias = micai_aliases_find_type(&m->aliases, name);
    for (; !type && alias != MICAI_ALIAS_NONE; alias = m->aliases.next[alias]) {
        type = micai_registry_find_name(m->registry, m->aliases.list[alias].type);
    }
    if (type) {
        micai_matcher_note(m, MICA_TYPE_RENAMED, type->info.name, NULL,
                           "'%.80s' was called '%.80s'", type->info.name, name);
    }
    return type;
}

// Returns true if values of the image's type can be loaded as values of the world's type.
static bool fits(micai_matcher *m, const micai_schema_type *as, const micai_type *type)
{
    const mica_type_info *info = &type->info;
    const char *fault = NULL;
    if (as->way == MICAI_SCHEMA_CLOSED) {
        return true; // there are no values
    }
    if ((info->size == 0) != (as->way == MICAI_SCHEMA_NONE)) {
        fault = info->size == 0 ? "is a tag, and has values in the image"
                                : "has values, and is a tag in the image";
    } else if ((as->way == MICAI_SCHEMA_HOOKS) != (info->hooks.load != NULL)) {
        fault = info->hooks.load ? "is loaded by a hook, and was saved by none"
                                 : "was saved by a hook, and is loaded by none";
    }
    if (fault) {
        micai_archive_fail(m->archive, MICA_ERROR_SCHEMA, "'%.80s' %s", info->name, fault);
    } else if (as->storage != info->storage) {
        micai_matcher_note(m, MICA_STORAGE_CHANGED, info->name, NULL,
                           "'%.80s' was stored as %s, and is stored as %s now", info->name,
                           micai_storage_name(as->storage), micai_storage_name(info->storage));
    }
    return !fault;
}

static bool has_values(const micai_schema_type *as)
{
    return as->way == MICAI_SCHEMA_FIELDS || as->way == MICAI_SCHEMA_BYTES;
}

static const micai_type *add_type(micai_matcher *m, micai_stage *stage, const mica_type_desc *desc)
{
    micai_registry *registry = &stage->world->state->registry;
    micai_archive *a = m->archive;
    mica_type type = (mica_type){0};
    micai_use_all(stage->world->state);
    if (!micai_change_reserve_types(stage->world, registry->list.count + 1)) {
        type = micai_registry_register(a->host, registry, a->call, desc);
    }
    if (MICA_IS_NONE(type)) {
        a->failed = a->failed ? a->failed : a->host->failed;
        return NULL;
    }
    return micai_registry_find(registry, type);
}

// Returns the bytes of the image's default value for a type that was registered without it.
static const void *make_default(micai_matcher *m, const micai_type *type, uint32_t number)
{
    micai_archive *a = m->archive;
    const micai_plan_in *plan = micai_convert_plan(m, number, type);
    unsigned char *value =
        plan ? micai_arena_alloc(a->host, m->arena, type->info.size, type->info.align) : NULL;
    if (!value) {
        micai_archive_fail_memory(a);
        return NULL;
    }
    memset(value, 0, type->info.size);
    bool made = micai_convert_in(a, plan, a->schema->types[number].default_value, value, 1);
    return made ? value : NULL;
}

// Registers a type as the image describes it. A type with a default is registered twice: the first
// time without it, to determine the layout of its fields.
static const micai_type *register_unknown(micai_matcher *m, micai_stage *stage, uint32_t number,
                                          const micai_match *match)
{
    micai_archive *a = m->archive;
    const micai_schema_type *as = &a->schema->types[number];
    for (uint32_t i = 0; i < as->field_count; i++) {
        if (as->fields[i].kind == MICA_KIND_STRUCT && !match->types[as->fields[i].type]) {
            micai_archive_fail(a, MICA_ERROR_SCHEMA,
                               "'%.80s' has a field of a type that does not exist", as->name);
            return NULL;
        }
    }
    mica_type_desc desc;
    if (!micai_schema_describe(a, m->arena, number, match->types, &desc)) {
        return NULL;
    }
    micai_registry_mark mark = micai_registry_get_mark(m->registry);
    const micai_type *type = add_type(m, stage, &desc);
    if (type && as->default_value) {
        desc.default_value = make_default(m, type, number);
        micai_registry_rewind(&stage->world->state->registry, mark);
        m->plans[number] = NULL; // it refers to the type that was unregistered
        type = desc.default_value ? add_type(m, stage, &desc) : NULL;
    }
    if (type) {
        micai_matcher_note(m, MICA_TYPE_KEPT, type->info.name, NULL,
                           "'%.80s' is new, as the image describes it", type->info.name);
    }
    return type;
}

static void match_one(micai_matcher *m, micai_stage *stage, mica_unknown unknown, uint32_t number,
                      micai_match *match)
{
    micai_archive *a = m->archive;
    const micai_schema_type *as = &a->schema->types[number];
    const micai_type *type = find(m, as->name);
    if (type && m->sources[type->number] != UINT32_MAX) {
        micai_archive_fail(a, MICA_ERROR_SCHEMA, "'%.80s' and '%.80s' are both '%.80s' here",
                           a->schema->types[m->sources[type->number]].name, as->name,
                           type->info.name);
        return;
    }
    if (type && !fits(m, as, type)) {
        return;
    }
    if (!type && unknown == MICA_UNKNOWN_KEPT && as->way != MICAI_SCHEMA_CLOSED) {
        type = register_unknown(m, stage, number, match);
    } else if (!type) {
        match->refused[number] = unknown == MICA_UNKNOWN_REFUSED;
        if (unknown == MICA_UNKNOWN_DROPPED) {
            micai_matcher_note(m, MICA_TYPE_DROPPED, as->name, NULL, "'%.80s' is left out",
                               as->name);
        }
    }
    match->types[number] = type;
    if (type) {
        m->sources[type->number] = number;
    }
    if (type && has_values(as) && !a->failed) {
        match->plans[number] = micai_convert_plan(m, number, type);
    }
}

// Allocates the arrays, with space for the world's types and all types of the image.
static bool prepare(micai_matcher *m, const mica_load_desc *desc, micai_match *match_out)
{
    micai_archive *a = m->archive;
    size_t count = a->schema->count;
    size_t types = m->registry->list.count + count;
    match_out->types = micai_archive_alloc(a, m->arena, count, sizeof *match_out->types);
    match_out->plans = micai_archive_alloc(a, m->arena, count, sizeof *match_out->plans);
    match_out->refused = micai_archive_alloc(a, m->arena, count, sizeof *match_out->refused);
    m->plans = micai_archive_alloc(a, m->arena, count, sizeof *m->plans);
    m->sources = micai_archive_alloc(a, m->arena, types, sizeof *m->sources);
    if (!a->failed &&
        !micai_aliases_index(a->host, m->arena, desc->aliases, desc->alias_count, &m->aliases)) {
        micai_archive_fail_memory(a);
    }
    for (size_t n = 0; n < types && !a->failed; n++) {
        m->sources[n] = UINT32_MAX;
    }
    return !a->failed;
}

void micai_match_types(micai_matcher *m, micai_stage *stage, const mica_load_desc *desc,
                       micai_match *match_out)
{
    bool prepared = prepare(m, desc, match_out);
    for (uint32_t n = 0; prepared && n < m->archive->schema->count && !m->archive->failed; n++) {
        match_one(m, stage, desc->unknown, n, match_out);
    }
}
