// Saving: one walk over the state of a world, or over a subset of it. image_internal.h has the
// order of sections.
#include "image/save_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "entity/facet.h"
#include "entity/locate.h"
#include "event/saver.h"
#include "image/convert_internal.h"
#include "image/remap_internal.h"
#include "image/schema_internal.h"
#include "image/section_internal.h"
#include "query/saver.h"
#include "store/table/replace.h"
#include "system/saver.h"

const micai_saver *const micai_savers[] = {&micai_queue_saver, &micai_query_saver,
                                           &micai_system_saver};
const uint32_t micai_saver_count = sizeof micai_savers / sizeof *micai_savers;

// Values

static bool reserve_bytes(micai_saving *s, size_t size)
{
    if (size > s->capacity - s->size) {
        size_t wider = s->capacity * 2 > s->size + size ? s->capacity * 2 : s->size + size;
        unsigned char *bytes = micai_resize(s->w->host, s->bytes, s->capacity, wider, 64);
        if (!bytes) {
            micai_archive_fail_memory(s->w);
            return false;
        }
        s->bytes = bytes;
        s->capacity = wider;
    }
    return true;
}

static bool put(void *out, const void *data, size_t size)
{
    micai_saving *s = out;
    if (size > UINT32_MAX - s->size || !reserve_bytes(s, size)) {
        return false;
    }
    if (size > 0) {
        memcpy(s->bytes + s->size, data, size);
    }
    s->size += size;
    return true;
}

void micai_save_by_hook(micai_saving *s, const micai_type *type, const void *value)
{
    s->size = 0;
    mica_result result = micai_hook_save(&s->state->gate, type, value, put, s);
    if (!s->w->failed && result) {
        s->w->failed = result;
    }
    const unsigned char *bytes = s->bytes;
    uint32_t size = (uint32_t)s->size;
    micai_serialize(s->w, bytes, NULL, &bytes, &size);
}

// Returns true if values of the type have references that the image renumbers.
static bool are_renumbered(const micai_saving *s, const micai_type *type)
{
    return s->subset && micai_remap_is_needed(&s->state->registry, type);
}

static mica_entity renumber(void *user, mica_entity entity)
{
    micai_saving *s = user;
    entity = micai_selection_entity(s->subset, entity);
    s->lost_references += MICA_IS_NONE(entity);
    return entity;
}

// Converts values into s->bytes. Returns false if the archive has failed.
static bool convert(micai_saving *s, const micai_type *type, const unsigned char *values,
                    uint32_t count)
{
    const micai_schema_type *as = micai_save_described(s, type);
    s->size = 0;
    if (s->w->failed || !reserve_bytes(s, (size_t)as->size * count)) {
        return false;
    }
    if (count > 0 && micai_convert_is_same(&s->state->registry, type)) {
        memcpy(s->bytes, values, (size_t)as->size * count);
    } else {
        unsigned char *next = s->bytes;
        for (uint32_t i = 0; i < count; i++, values += type->info.size) {
            next = micai_convert_out(&s->state->registry, type, values, next);
        }
    }
    if (are_renumbered(s, type)) {
        micai_remap_saved(s->w->schema, as, s->bytes, count, renumber, s);
    }
    return true;
}

void micai_save_values(micai_archive *a, const char *name, const micai_type *type,
                       const void *values, uint32_t count)
{
    micai_saving *s = a->user;
    const micai_schema_type *as = micai_save_described(s, type);
    const unsigned char *bytes = values;
    if (as->way == MICAI_SCHEMA_HOOKS) {
        micai_serialize(a, begin_list, name, &count, UINT32_MAX);
        for (uint32_t i = 0; i < count; i++) {
            micai_save_by_hook(s, type, bytes + (size_t)i * type->info.size);
        }
        micai_serialize(a, end, name);
    } else if (micai_convert_is_same(&s->state->registry, type) && !are_renumbered(s, type)) {
        micai_serialize(a, values, name, as, (unsigned char *)bytes, count);
    } else if (convert(s, type, bytes, count)) {
        micai_serialize(a, values, name, as, s->bytes, count);
    }
}

// Implements `values` of the archive: does the same by number in the schema.
static void save_values(micai_archive *a, const char *name, uint32_t number, void *values,
                        uint32_t count)
{
    micai_save_values(a, name, a->types[number], values, count);
}

static void save_all(micai_saving *s, micai_schema *schema)
{
    micai_batch *rows = micai_batch_alloc(s->w);
    micai_serialize_world(s->w);
    micai_schema_serialize(s->w, &s->arena, schema);
    micai_serialize_slots(s->w);
    micai_serialize_tables(s->w, rows);
    micai_serialize_pools(s->w, rows);
    micai_serialize_groups(s->w);
    micai_serialize_facets(s->w);
    micai_serialize_names(s->w);
    micai_serialize_resources(s->w);
    for (uint32_t i = 0; i < micai_saver_count && !s->w->failed; i++) {
        micai_serialize(s->w, begin_section, micai_savers[i]->section);
        micai_savers[i]->save(s->world, s->w);
        micai_serialize(s->w, end_section, micai_savers[i]->section);
    }
}

// Types

// Returns true if the image has anything of a type.
static bool has_any(const micai_saving *s, const micai_type *type)
{
    const micai_store *store = &s->state->store;
    const micai_pool *pool = micai_pools_find(&s->state->pools, type->info.type);
    bool any = pool && micai_save_has_rows(s, &pool->table);
    for (uint32_t id = 0; id < store->tables.count && !any; id++) {
        const micai_table *table = store->tables.items[id];
        any = micai_table_has(table, type->number) && micai_save_has_rows(s, table);
    }
    return any || micai_save_has_resource(s, type->number) ||
           (type->info.saved && !s->subset && micai_queue_has_events(s->state, type->number));
}

// Lists the types of a subset, with the types of nested structs and of keys of facets. For a whole
// world, passes out NULL: all types. Returns false without memory.
static bool want_types(micai_saving *s, const bool **wanted_out)
{
    const micai_registry *registry = &s->state->registry;
    const micai_facets *facets = micai_facets_of(s->state);
    *wanted_out = NULL;
    bool *wanted = s->subset ? micai_arena_alloc_array(s->w->host, &s->arena, registry->list.count,
                                                       sizeof *wanted, 1)
                             : NULL;
    if (!wanted) {
        return !s->subset;
    }
    for (uint32_t n = 0; n < registry->list.count; n++) {
        wanted[n] = n != registry->hidden && has_any(s, registry->list.items[n]);
    }
    for (uint32_t i = 0; i < facets->list.count; i++) {
        const micai_facet *one = &facets->list.items[i];
        if (!MICA_IS_NONE(one->facet) && one->component != MICAI_FACET_NONE &&
            micai_selection_has(s->subset, one->facet)) {
            wanted[one->component] = true;
        }
    }
    for (uint32_t n = registry->list.count; n-- > 0;) { // nested structs were registered before
        const mica_type_info *info = &registry->list.items[n]->info;
        for (uint32_t i = 0; wanted[n] && i < info->field_count; i++) {
            if (info->fields[i].kind == MICA_KIND_STRUCT) {
                const micai_type *nested = micai_registry_find(registry, info->fields[i].type);
                assert(nested); // or it could not have been registered
                wanted[nested->number] = true;
            }
        }
    }
    *wanted_out = wanted;
    return true;
}

// Fails if the image would have values that cannot be saved. Runs before the first byte is written.
static mica_result check_types(micai_saving *s)
{
    for (uint32_t n = 0; n < s->state->registry.list.count; n++) {
        const micai_type *type = s->state->registry.list.items[n];
        if (s->w->numbers[n] != UINT32_MAX &&
            micai_save_described(s, type)->way == MICAI_SCHEMA_CLOSED && has_any(s, type)) {
            return micai_fail(
                &s->world->host, MICA_ERROR_TYPE,
                "%s: '%.80s' has no fields; name them with MICA_DESCRIBE (in C++ in a "
                "mica::about), declare it plain, or give it hooks to save and load",
                s->w->call, type->info.name);
        }
    }
    return MICA_OK;
}

// Public functions

static mica_result write_image(micai_saving *s, const char *call, const micai_codec *codec,
                               micai_output *output)
{
    micai_host *host = &s->world->host;
    s->w = codec->open(host, call, output, NULL);
    if (!s->w) {
        return host->failed;
    }
    micai_schema schema;
    const bool *wanted;
    s->w->values = save_values;
    s->w->user = s;
    s->w->partial = s->subset != NULL;
    mica_result result = want_types(s, &wanted) ? MICA_OK : MICA_ERROR_MEMORY;
    result =
        result ? result : micai_schema_make(s->w, &s->arena, &s->state->registry, wanted, &schema);
    result = result ? result : check_types(s);
    if (!result) {
        save_all(s, &schema);
        result = s->w->failed;
    }
    result = codec->close(s->w, result);
    micai_release(host, s->bytes, s->capacity, 64);
    micai_arena_free(host, &s->arena);
    return result;
}

// Saves an image after all arguments but the stream are checked.
static mica_result save(micai_saving *s, const char *call, const mica_stream *stream,
                        const mica_save_desc *desc)
{
    micai_output output;
    mica_result result =
        micai_output_open(&output, &s->world->host, call, stream, MICAI_OUTPUT_LARGE);
    if (!result) {
        result = write_image(
            s, call, desc->format == MICA_IMAGE_JSON ? &micai_codec_json : &micai_codec_binary,
            &output);
        result = micai_output_close(&output, result);
    }
    return result;
}

static mica_result check(mica_world *world, const char *call, const mica_stream *stream,
                         const mica_save_desc *desc)
{
    mica_result result = micai_image_check(world, call, stream, desc->first_zero | desc->last_zero);
    if (!result && (unsigned)desc->format >= MICA_IMAGE_FORMAT_COUNT) {
        result = micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: there is no format %u", call,
                            (unsigned)desc->format);
    }
    return result;
}

static const mica_save_desc defaults;

mica_result mica_world_save(mica_world *world, const mica_stream *stream,
                            const mica_save_desc *desc)
{
    static const char call[] = "mica_world_save";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    desc = desc ? desc : &defaults;
    mica_result result = check(world, call, stream, desc);
    if (result) {
        return result;
    }
    micai_saving s = {.world = world, .state = world->state};
    micai_host_begin(&world->host, call);
    result = save(&s, call, stream, desc);
    micai_host_end(&world->host);
    return result;
}

mica_result mica_subset_save(mica_world *world, mica_query query, const mica_stream *stream,
                             const mica_save_desc *desc, mica_subset_stats *stats_out)
{
    static const char call[] = "mica_subset_save";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    desc = desc ? desc : &defaults;
    mica_result result = check(world, call, stream, desc);
    const micai_query *found = result ? NULL : micai_query_find(world, call, query);
    if (!found) {
        return result ? result : micai_world_failed(world);
    }
    micai_selection subset;
    micai_saving s = {.world = world, .state = world->state, .subset = &subset};
    micai_host_begin(&world->host, call);
    result = micai_selection_begin(&subset, world, found);
    result = result ? result : save(&s, call, stream, desc);
    if (!result && stats_out) {
        uint32_t facets = micai_save_count_facets(&s);
        *stats_out = (mica_subset_stats){.entities = micai_selection_count(&subset) - facets,
                                         .facets = facets,
                                         .lost_references = s.lost_references};
    }
    micai_selection_end(&world->host, &subset);
    micai_host_end(&world->host);
    return result;
}
