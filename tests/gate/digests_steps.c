// Steps of the digest gate on the whole world, and the table of all steps.
#include "digests.h"

#include <stdlib.h>

// Entities

void digests_do_each(scene *s, const step *with)
{
    uint32_t count = s->count; // clones and facets that this creates are not among them
    for (uint32_t i = with->n - 1; i < count; i += with->n) {
        if (mica_alive(s->world, s->entities[i])) {
            digests_operate(s, with->what, s->entities[i], with->type);
        }
    }
}

void digests_do_back(scene *s, const step *with)
{
    for (uint32_t i = s->count / with->n; i > 0; i--) {
        mica_entity entity = s->entities[i * with->n - 1];
        if (mica_alive(s->world, entity)) {
            digests_operate(s, with->what, entity, with->type);
        }
    }
}

void digests_do_new(scene *s, const step *with)
{
    uint32_t count = s->count;
    for (uint32_t i = s->recorded; i < count; i += with->n) {
        digests_operate(s, with->what, s->entities[i], with->type);
    }
}

void digests_do_one(scene *s, const step *with)
{
    if (s->count > 0) {
        digests_operate(s, with->what, s->entities[with->n % s->count], with->type);
    }
}

void digests_despawn_many(scene *s, const step *with)
{
    mica_entity *list = digests_alloc(s->count, sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = with->n - 1; i < s->count; i += with->n) {
        list[count] = s->entities[i];
        count += mica_alive(s->world, s->entities[i]);
    }
    if (count > 0) {
        mica_despawn_many(s->target, list, count);
    }
    free(list);
}

void digests_change_all(scene *s, const step *with)
{
    mica_query query = digests_query(s, with->n);
    mica_type type = s->types[with->type];
    any_value data;
    mica_value value = digests_value(s, with->type, &data);
    uint32_t matched = 0;
    switch (with->what) {
    case ADD_ALL: mica_add_all(s->world, query, type, &matched); break;
    case REMOVE_ALL: mica_remove_all(s->world, query, type, &matched); break;
    case SET_ALL: mica_set_all(s->world, query, type, value.data, value.size, &matched); break;
    case ENABLE_ALL: mica_enable_all(s->world, query, type, &matched); break;
    case DISABLE_ALL: mica_disable_all(s->world, query, type, &matched); break;
    default: mica_despawn_all(s->world, query, &matched); break;
    }
    digests_note(s, matched);
}

// Commands

void digests_record(scene *s, const step *with)
{
    if (s->target == s->world) {
        s->recorded = s->count;
        s->target = with->what ? mica_world_later(s->world) : mica_commands_new(s->world);
    }
}

// Ends recording; frees the commands unless they are those of the world.
static void stop_recording(scene *s)
{
    mica_world *commands = s->target;
    s->target = s->world;
    if (commands != s->world && commands != mica_world_later(s->world)) {
        mica_commands_free(commands);
    }
}

void digests_apply(scene *s, const step *with)
{
    (void)with;
    digests_note(s, mica_commands_count(s->target));
    mica_commands_apply(s->target);
    stop_recording(s);
}

void digests_discard(scene *s, const step *with)
{
    (void)with;
    mica_commands_discard(s->target);
    stop_recording(s);
}

static void spawn_in_call(mica_world *world, const void *data)
{
    scene *s = *(scene *const *)data;
    mica_world *target = s->target;
    s->target = world;
    digests_fill(s, &(step)STEP(FILL, SET(PLACE) | SET(SPARSE) | SET(STABLE), 0, 3));
    s->target = target;
}

void digests_defer_call(scene *s, const step *with)
{
    for (uint32_t i = 0; i < with->n; i++) {
        mica_defer_call(s->target, spawn_in_call, &s, sizeof s);
    }
}

// Groups and order

void digests_group_new(scene *s, const step *with)
{
    if (MICA_IS_NONE(s->groups[with->what])) {
        digests_create_group(s, with->what);
    }
}

void digests_group_free(scene *s, const step *with)
{
    if (!MICA_IS_NONE(s->groups[with->what])) {
        mica_group_free(s->world, s->groups[with->what]);
        s->groups[with->what] = (mica_group){0};
    }
}

// Both backwards. Many values are the same, and stay in their order.
static int compare_pairs(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    int32_t left = ((const Pair *)a->value)->y / 64;
    int32_t right = ((const Pair *)b->value)->y / 64;
    return (left < right) - (left > right);
}

static int compare_slots(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    uint32_t left = mica_entity_slot(a->entity) / 2;
    uint32_t right = mica_entity_slot(b->entity) / 2;
    return (left < right) - (left > right);
}

static mica_compare *compare_for(uint32_t type)
{
    return digests_is_pair(type) ? compare_pairs : compare_slots;
}

void digests_group_sort(scene *s, const step *with)
{
    mica_group_sort(s->world, s->groups[with->what], s->types[with->type], compare_for(with->type),
                    NULL);
}

void digests_group_sort_like(scene *s, const step *with)
{
    mica_group_sort_like(s->world, s->groups[with->what], s->types[with->type]);
}

void digests_sort(scene *s, const step *with)
{
    mica_sort(s->world, s->types[with->type], compare_for(with->type), NULL);
}

void digests_sort_like(scene *s, const step *with)
{
    mica_sort_like(s->world, s->types[with->type], s->types[with->what]);
}

// The world

void digests_set_storage(scene *s, const step *with)
{
    mica_type_change_storage(s->world, s->types[with->type], (mica_storage)with->what);
}

void digests_clear(scene *s, const step *with)
{
    (void)with;
    mica_world_clear(s->world);
}

void digests_reclaim(scene *s, const step *with)
{
    (void)with;
    mica_world_reclaim(s->world);
}

void digests_compact(scene *s, const step *with)
{
    (void)with;
    mica_world_compact(s->world);
}

void digests_tick(scene *s, const step *with)
{
    (void)with;
    digests_note(s, mica_world_tick(s->world));
}

void digests_send(scene *s, const step *with)
{
    (void)with;
    const Pair value = {0.5f, (int32_t)(s->number++ % 1000)};
    mica_send(s->target, MICA_COPY_OF(s->score, value), MICA_COPY_OF(s->secret, value));
}

void digests_set_resource(scene *s, const step *with)
{
    (void)with;
    const Pair value = {0.25f, (int32_t)(s->number++ % 1000)};
    mica_resource_set(s->world, MICA_COPY_OF(s->score, value), MICA_COPY_OF(s->secret, value));
}

void digests_remove_resource(scene *s, const step *with)
{
    (void)with;
    mica_resource_remove(s->world, s->secret);
}

// Images

void digests_load(scene *s, const step *with)
{
    digests_apply(s, with);
    mica_buffer image = {0};
    mica_image_format format = with->what == JSON ? MICA_IMAGE_JSON : MICA_IMAGE_BINARY;
    DIGESTS_CHECK(s, !mica_world_save(s->world, &(mica_stream){.buffer = &image},
                                      &(mica_save_desc){.format = format}));
    digests_close(s);
    digests_open(s, with->what == OTHER_STORAGES);
    DIGESTS_CHECK(s, !mica_world_load(s->world, &(mica_stream){.buffer = &image}, NULL));
    mica_buffer_free(&image);
}

void digests_copy_part(scene *s, const step *with)
{
    digests_apply(s, with);
    mica_buffer image = {0};
    mica_subset_stats part = {0};
    DIGESTS_CHECK(s, !mica_subset_save(s->world, digests_query(s, with->what),
                                       &(mica_stream){.buffer = &image}, NULL, &part));
    uint32_t count = part.entities;
    mica_entity *entities = digests_alloc(count, sizeof *entities);
    DIGESTS_CHECK(s,
                  !mica_subset_load(s->world, &(mica_stream){.buffer = &image},
                                    &(mica_load_desc){.drop_names = true}, entities, count, &part));
    for (uint32_t i = 0; i < count; i++) {
        digests_keep(s, entities[i]);
    }
    digests_note(s, part.lost_references);
    free(entities);
    mica_buffer_free(&image);
}

// All steps

#define STEP_ROW(code, function) [code] = {#code, digests_##function},

static const struct {
    const char *name;
    step_fn *run;
} steps[STEP_COUNT] = {DIGESTS_STEPS(STEP_ROW)};

const char *digests_step_name(uint32_t code)
{
    return steps[code].name;
}

void digests_run_step(scene *s, step with)
{
    bool has_set = with.code >= FILL && with.code <= RESERVE; // `what` is a set of types
    if (has_set && with.what & SET(SUBJECT)) {
        with.what |= SET(s->subject);
    }
    if (with.type == SUBJECT) {
        with.type = s->subject;
    }
    steps[with.code].run(s, &with);
}
