// Loading: the content of an image is read, checked and created on a stage. Then it replaces the
// content of the world, or is merged into it. image_internal.h has the order of sections.
#include "image/load_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "entity/change.h"
#include "image/remap_internal.h"
#include "image/schema_internal.h"
#include "image/section_internal.h"

void micai_load_fail(micai_loading *l, const char *what)
{
    micai_archive_fail(l->r, MICA_ERROR_IMAGE, "the image is damaged: %s", what);
}

bool micai_load_check(micai_loading *l, mica_result result, const char *what)
{
    if (result == MICA_ERROR_CORRUPT) {
        micai_load_fail(l, what);
    } else if (result && !l->r->failed) {
        l->r->failed = result;
    }
    return !l->r->failed;
}

bool micai_load_reserve(micai_loading *l, micai_scratch *memory, size_t size)
{
    if (size > memory->size) {
        micai_release(l->r->host, memory->data, memory->size, SCRATCH_ALIGN);
        memory->size = 0;
        memory->data = micai_alloc(l->r->host, size, SCRATCH_ALIGN);
        memory->size = memory->data ? size : 0;
        if (!memory->data) {
            micai_archive_fail_memory(l->r);
        }
    }
    return !l->r->failed;
}

// Values

static void load_by_hook(micai_loading *l, const char *name, const micai_type *type,
                         unsigned char *values, uint32_t count)
{
    micai_archive *r = l->r;
    uint32_t listed;
    uint32_t made = 0;
    micai_serialize(r, begin_list, name, &listed, count);
    if (!r->failed && listed != count) {
        micai_load_fail(l, "values are missing");
    }
    while (made < count && !r->failed) {
        uint32_t size;
        const unsigned char *data;
        micai_serialize(r, bytes, NULL, &data, &size);
        if (!r->failed && type) {
            void *value = values + (size_t)made * type->info.size;
            r->failed = micai_hook_load(&l->state->gate, type, value, data, size);
        }
        made += !r->failed;
    }
    micai_serialize(r, end, name);
    if (r->failed && type) {
        micai_hook_destruct(&l->state->gate, type, values, made);
    }
}

static void make_values(micai_loading *l, const micai_type *type, const micai_plan_in *plan,
                        unsigned char *values, uint32_t count)
{
    micai_gate *gate = &l->state->gate;
    bool made = !micai_plan_in_is_same(plan) || type->info.hooks.construct;
    if (MICAI_CANARY("image.default")) {
        made = false;
    }
    l->r->failed = made ? micai_hook_construct(gate, type, values, count) : MICA_OK;
    if (!l->r->failed && !micai_convert_in(l->r, plan, l->source.data, values, count) && made) {
        micai_hook_destruct(gate, type, values, count);
    }
}

void micai_load_values(micai_archive *r, const char *name, uint32_t number, void *values,
                       uint32_t count)
{
    micai_loading *l = r->user;
    const micai_schema_type *as = &r->schema->types[number];
    const micai_type *type = values ? r->types[number] : NULL;
    if (as->way == MICAI_SCHEMA_HOOKS) {
        load_by_hook(l, name, type, values, count);
        return;
    }
    if (as->way != MICAI_SCHEMA_FIELDS && as->way != MICAI_SCHEMA_BYTES) {
        micai_load_fail(l, "there are values of a type that has none");
        return;
    }
    if (count > 1 && (uint64_t)as->size * count > MICAI_IMAGE_BATCH_SIZE) {
        micai_load_fail(l, "a batch of values is too large");
    }
    if (!r->failed && micai_load_reserve(l, &l->source, (size_t)as->size * count)) {
        micai_serialize(r, values, name, as, l->source.data, count);
    }
    if (!r->failed && l->merges) {
        micai_remap_mark(r->schema, as, l->source.data, count);
    }
    if (!r->failed && type && count > 0) {
        make_values(l, type, l->match.plans[number], values, count);
    }
}

bool micai_load_is_refused(micai_loading *l, uint32_t number)
{
    if (!l->r->failed && l->match.refused[number]) {
        micai_archive_fail(l->r, MICA_ERROR_SCHEMA,
                           "the image has '%.80s', which is not registered here",
                           l->schema.types[number].name);
    }
    return l->r->failed != MICA_OK;
}

// The whole image

static void load_schema(micai_loading *l)
{
    micai_schema_serialize(l->r, &l->arena, &l->schema);
    l->matcher =
        (micai_matcher){.archive = l->r, .arena = &l->arena, .registry = &l->state->registry};
    l->matcher.notes_end = &l->matcher.notes;
    if (!l->r->failed) {
        micai_match_types(&l->matcher, &l->stage, l->desc, &l->match);
        l->r->types = l->match.types;
    }
}

static void load_savers(micai_loading *l)
{
    for (uint32_t i = 0; i < micai_saver_count && !l->r->failed; i++) {
        micai_serialize(l->r, begin_section, micai_savers[i]->section);
        if (!l->r->failed) {
            l->loaded[i] = micai_savers[i]->load(l->world, l->r);
        }
        micai_serialize(l->r, end_section, micai_savers[i]->section);
    }
}

static void load_all(micai_loading *l)
{
    micai_archive *r = l->r;
    void (*const sections[])(micai_archive *) = {micai_serialize_groups, micai_serialize_facets,
                                                 micai_serialize_names, micai_serialize_resources};
    micai_batch *rows = micai_batch_alloc(r);
    micai_serialize_world(r);
    if (!r->failed) {
        load_schema(l);
    }
    if (!r->failed) {
        micai_serialize_slots(r);
    }
    if (!r->failed) {
        micai_serialize_tables(r, rows);
    }
    if (!r->failed) {
        micai_serialize_pools(r, rows);
    }
    for (uint32_t i = 0; i < sizeof sections / sizeof *sections && !r->failed; i++) {
        sections[i](r);
    }
    micai_links_check_loaded(l);
    load_savers(l);
}

static mica_result reserve(micai_loading *l, const char *call)
{
    if (l->merges) {
        return micai_merge_reserve(&l->merge, l->world, l->stage.state, &l->orders, call,
                                   l->desc->drop_names);
    }
    mica_result result = micai_links_reserve_loaded(l);
    result = result ? result : micai_stage_reserve(&l->stage);
    return result || !l->desc->notify ? result : micai_change_begin_set(l->world, &l->set);
}

// Commits the image, or undoes everything.
static void finish(micai_loading *l, mica_result result)
{
    if (!result && l->merges) {
        micai_merge_commit(&l->merge);
    } else if (!result) {
        micai_links_begin_loaded(l);
        micai_stage_commit(&l->stage);
        micai_links_end_loaded(l);
    }
    for (uint32_t i = 0; i < micai_saver_count; i++) {
        if (!result && !l->merges) {
            micai_savers[i]->commit(l->world, l->loaded[i]);
        } else if (l->loaded[i]) {
            micai_savers[i]->cancel(l->world, l->loaded[i]);
        }
    }
    if (result && l->merges) {
        micai_merge_cancel(&l->merge);
        // They may have types that are unregistered below.
        micai_store_take_back(&l->state->store, l->tables);
    }
    micai_stage_end(&l->stage);
    if (result) {
        micai_stage_unregister_types(&l->stage);
    }
    micai_links_free_loaded(l);
    micai_release(&l->world->host, l->source.data, l->source.size, SCRATCH_ALIGN);
    micai_release(&l->world->host, l->values.data, l->values.size, SCRATCH_ALIGN);
}

// Chooses the codec by the first byte: a binary image begins with a byte that text cannot have.
static const micai_codec *codec_of(micai_input *input)
{
    int first = micai_input_peek(input);
    return first == '{' || first == ' ' || first == '\n' || first == '\r' || first == '\t'
               ? &micai_codec_json
               : &micai_codec_binary;
}

static mica_result read_image(micai_loading *l, const char *call, micai_input *input)
{
    const micai_codec *codec = codec_of(input);
    mica_result result = micai_stage_begin(&l->stage, l->world);
    l->r = result ? NULL : codec->open(&l->world->host, call, NULL, input);
    if (l->r) {
        l->r->user = l;
        l->r->values = micai_load_values;
        load_all(l);
        result = codec->close(l->r, l->r->failed);
    } else if (!result) {
        result = l->world->host.failed;
    }
    result = result ? result : reserve(l, call);
    finish(l, result);
    return result;
}

static void notify_listener(const micai_loading *l)
{
    for (const micai_note *one = l->matcher.notes; one && l->desc->listener; one = one->next) {
        mica_load_note note = {one->what, one->type, one->field, one->sentence};
        const micai_host_saved saved = micai_host_begin_stream(&l->world->host);
        l->desc->listener(l->world, &note, l->desc->user);
        micai_host_end_stream(&l->world->host, saved);
    }
}

mica_result micai_image_check(mica_world *world, const char *call, const mica_stream *stream,
                              uint32_t zeroes)
{
    if (!stream) {
        return micai_fail_null(&world->host, call, "stream");
    }
    mica_result result = micai_world_guard_idle(world, call);
    return result || zeroes == 0
               ? result
               : micai_fail(&world->host, MICA_ERROR_DESC,
                            "%s: the descriptor was not zeroed before it was filled in", call);
}

static mica_result check_desc(mica_world *world, const char *call, const mica_load_desc *desc)
{
    micai_host *host = &world->host;
    if ((unsigned)desc->unknown >= MICA_UNKNOWN_COUNT) {
        return micai_fail(host, MICA_ERROR_ARGUMENT, "%s: there is no policy %u for unknown types",
                          call, (unsigned)desc->unknown);
    }
    if (desc->alias_count > 0 && !desc->aliases) {
        return micai_fail_null(host, call, "aliases");
    }
    for (uint32_t i = 0; i < desc->alias_count; i++) {
        const mica_alias *alias = &desc->aliases[i];
        if (!alias->type || !alias->was) {
            return micai_fail(host, MICA_ERROR_ARGUMENT, "%s: alias %" PRIu32 " does not say %s",
                              call, i, alias->type ? "what it was" : "of which type it is");
        }
    }
    return MICA_OK;
}

static mica_result check(mica_world *world, const char *call, const mica_stream *stream,
                         const mica_load_desc *desc)
{
    mica_result result = micai_image_check(world, call, stream, desc->first_zero | desc->last_zero);
    return result ? result : check_desc(world, call, desc);
}

// The memory that loading may use by default: a base, and an amount for each byte of the image. So
// a small image cannot use up all memory. Worlds need up to 20 bytes for each byte of their image,
// unless slots are far apart.
#define MEMORY_BASE (UINT64_C(128) << 20)
#define MEMORY_EACH UINT64_C(128)

static void limit_memory(const micai_loading *l, micai_input *input)
{
    uint64_t chosen = l->desc->memory_max;
    micai_memory_limit(&l->world->host, chosen ? chosen : MEMORY_BASE + MEMORY_EACH * input->end,
                       chosen ? "the image needs more memory than mica_load_desc.memory_max allows"
                              : "the image needs more memory than its size accounts for; if it is "
                                "to be trusted, allow more with mica_load_desc.memory_max");
    input->expansion = chosen ? 0 : MEMORY_EACH;
}

// Loads an image after all arguments but the stream are checked.
static mica_result load(micai_loading *l, const char *call, const mica_stream *stream)
{
    micai_input input;
    mica_result result = micai_input_open(&input, &l->world->host, call, stream);
    if (!result) {
        limit_memory(l, &input);
        result = micai_memory_remove_limit(&l->world->host, read_image(l, call, &input));
        micai_input_close(&input);
    }
    return result;
}

static const mica_load_desc defaults;

mica_result mica_world_load(mica_world *world, const mica_stream *stream,
                            const mica_load_desc *desc)
{
    static const char call[] = "mica_world_load";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    desc = desc ? desc : &defaults;
    mica_result result = check(world, call, stream, desc);
    if (result) {
        return result;
    }
    micai_loading l = {.world = world, .state = world->state, .desc = desc};
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    micai_host_begin(&world->host, call);
    result = load(&l, call, stream);
    micai_host_end(&world->host);
    if (!result) {
        notify_listener(&l);
    }
    micai_arena_free(&world->host, &l.arena);
    if (!desc->notify) {
        return result;
    }
    if (!result) {
        micai_notify_loaded(world, call, &l.set);
    }
    micai_arena_rewind(&world->scratch, mark);
    return micai_world_finish(world, call, result);
}

mica_result mica_subset_load(mica_world *world, const mica_stream *stream,
                             const mica_load_desc *desc, mica_entity *entities_out,
                             uint32_t capacity, mica_subset_stats *stats_out)
{
    static const char call[] = "mica_subset_load";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    desc = desc ? desc : &defaults;
    mica_result result = check(world, call, stream, desc);
    if (!result && !entities_out && capacity > 0) {
        result = micai_fail_null(&world->host, call, "entities_out");
    }
    if (result) {
        return result;
    }
    micai_loading l = {.world = world, .state = world->state, .desc = desc, .merges = true};
    l.tables = micai_world_begin(world, call);
    result = load(&l, call, stream);
    if (!result) {
        micai_merge_list(&l.merge, entities_out, capacity);
        micai_merge_notify(&l.merge);
    }
    if (!result && stats_out) {
        *stats_out = l.merge.stats;
    }
    micai_merge_end(&l.merge);
    micai_world_end(world, l.tables, result);
    if (!result) {
        notify_listener(&l);
    }
    micai_arena_free(&world->host, &l.arena);
    return micai_world_finish(world, call, result);
}
