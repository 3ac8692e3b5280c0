// One call that may fail each; they say whether it worked.
#include "oom/kernel.h"

#include <inttypes.h>
#include <stdio.h>

#include "state/state.h"
#include "store/table/row.h"

static bool keep(scenario *s, uint32_t i, mica_entity entity)
{
    if (!MICA_IS_NONE(entity)) {
        s->entities[i] = entity;
    }
    return !MICA_IS_NONE(entity);
}

static micai_row row_of(scenario *s, mica_entity entity)
{
    return micai_row_of(&s->world->state->store, micai_slots_find(&s->world->state->slots, entity));
}

// The types of bundle i % 3.
static uint32_t bundle_size(uint32_t i)
{
    return i % 3 < 2 ? 3 : 4;
}

static bool make_bundle(scenario *s, uint32_t i)
{
    const mica_type types[3][4] = {{s->position, s->weight, s->tag},
                                   {s->handle, s->position, s->mover},
                                   {s->position, s->far_handle, s->far_tag, s->far_weight}};
    s->bundles[i] = mica_bundle_new(s->world, types[i], bundle_size(i));
    return s->bundles[i].bits != 0;
}

static bool make_query(scenario *s, uint32_t i)
{
    const mica_term more[] = {{s->far_weight, MICA_OPTIONAL}, {s->far_tag, MICA_WITHOUT}};
    const mica_query_desc descs[QUERIES] = {
        {.everything = true, .name = "everything"},
        {.terms = {{s->position, MICA_WRITE}}, .name = "movers"},
        {.terms = {{s->handle, MICA_WRITE}, {s->mover, MICA_OPTIONAL}}},
        {.terms = {{s->position, MICA_READ}}, .more_terms = more, .more_count = 2},
        {.terms = {{s->far_handle, MICA_ANY}, {s->handle, MICA_ANY}}},
        {.terms = {{s->far_weight, MICA_READ}, {s->far_tag, MICA_WITH}}, .name = "far"},
        {.terms = {{s->tag, MICA_WITHOUT}, {s->position, MICA_WITH}}},
        {.terms = {{s->weight, MICA_OPTIONAL_WRITE}}},
        {.terms = {{s->far_weight, MICA_READ}, {s->position, MICA_WITHOUT}}, .name = "lone"},
    };
    mica_query query = mica_query_new(s->world, &descs[i]);
    if (!MICA_IS_NONE(query)) {
        s->queries[i] = query;
    }
    return !MICA_IS_NONE(query);
}

static bool spawn_empty(scenario *s, uint32_t i)
{
    return keep(s, i, mica_spawn_values(s->world, NULL, 0));
}

static bool spawn_at(scenario *s, uint32_t i)
{
    return keep(s, 10 + i, mica_spawn_at(s->world, mica_entity_make(300 + 30 * i, i)));
}

static bool spawn_values(scenario *s, uint32_t i)
{
    const Handle handle = {MAGIC, (int32_t)i};
    return keep(s, 20 + i,
                mica_spawn(s->world, MICA_VALUE(s->position, Position, (int32_t)i, 1),
                           ((mica_value){s->handle, &handle, sizeof handle, 1, NULL}),
                           MICA_ADD(s->mover)));
}

static bool spawn_far_values(scenario *s, uint32_t i)
{
    return keep(s, 40 + i,
                mica_spawn(s->world, MICA_ADD(s->far_handle), MICA_ADD(s->position),
                           MICA_VALUE(s->far_weight, int32_t, (int32_t)i)));
}

static bool spawn_bundle(scenario *s, uint32_t i)
{
    const Position position = {(int32_t)i, 2};
    const Handle handle = {MAGIC, 50 + (int32_t)i};
    const int32_t weight = 3;
    const mica_value values[3][4] = {
        {MICA_COPY_OF(s->position, position), MICA_COPY_OF(s->weight, weight), MICA_ADD(s->tag)},
        {MICA_COPY_OF(s->handle, handle), MICA_COPY_OF(s->position, position), MICA_ADD(s->mover)},
        {MICA_COPY_OF(s->position, position), MICA_COPY_OF(s->far_handle, handle),
         MICA_ADD(s->far_tag), MICA_COPY_OF(s->far_weight, weight)}};
    return keep(s, 50 + i,
                mica_spawn_bundle(s->world, s->bundles[i % 3], values[i % 3], bundle_size(i)));
}

static bool spawn_default_bundle(scenario *s, uint32_t i)
{
    return keep(s, 70 + i, mica_spawn_bundle(s->world, s->bundles[i % 3], NULL, 0));
}

static bool spawn_many(scenario *s, uint32_t i)
{
    Position positions[9];
    Handle handles[9];
    for (int32_t n = 0; n < 9; n++) {
        positions[n] = (Position){n, 3};
        handles[n] = (Handle){MAGIC, 90 + n};
    }
    const mica_value arrays[3][4] = {
        {MICA_COPY_OF_ARRAY(s->position, positions), MICA_ADD(s->weight), MICA_ADD(s->tag)},
        {MICA_COPY_OF_ARRAY(s->handle, handles), MICA_COPY_OF_ARRAY(s->position, positions),
         MICA_ADD(s->mover)},
        {MICA_COPY_OF_ARRAY(s->position, positions), MICA_COPY_OF_ARRAY(s->far_handle, handles),
         MICA_ADD(s->far_tag), MICA_ADD(s->far_weight)}};
    return !mica_spawn_many(s->world, s->bundles[i % 3], 9, arrays[i % 3], bundle_size(i),
                            &s->entities[90 + 9 * i]);
}

static bool reserve_bundle(scenario *s, uint32_t i)
{
    return !mica_bundle_reserve(s->world, s->bundles[i], 20);
}

static bool set_name(scenario *s, uint32_t i)
{
    char name[16];
    snprintf(name, sizeof name, "entity %" PRIu32, i);
    return !mica_entity_set_name(s->world, s->entities[20 + i], name);
}

static bool change_name(scenario *s, uint32_t i)
{
    char name[24];
    snprintf(name, sizeof name, "renamed %" PRIu32, i);
    return !mica_entity_set_name(s->world, s->entities[20 + i], name);
}

static bool take_name(scenario *s, uint32_t i)
{
    return !mica_entity_set_name(s->world, s->entities[20 + i], NULL);
}

// In the way of slots that are taken in order.
static bool spawn_ahead(scenario *s, uint32_t i)
{
    return keep(
        s, 150 + i,
        mica_spawn_at(s->world, mica_entity_make(s->world->state->slots.fresh + 3 + 4 * i, i)));
}

static bool reserve_entities(scenario *s, uint32_t i)
{
    return !mica_entity_reserve(s->world, 30 + i);
}

static bool spawn_lone(scenario *s, uint32_t i)
{
    return keep(s, 160 + i, mica_spawn(s->world, MICA_VALUE(s->far_weight, int32_t, (int32_t)i)));
}

static bool get_types(scenario *s, uint32_t i)
{
    mica_type_set types = {0};
    bool worked = !mica_entity_types(s->world, s->entities[160 + i], &types);
    mica_type_set_free(s->world, &types);
    return worked;
}

// The last generation of a slot: its end is logged.
static bool retire(scenario *s, uint32_t i)
{
    micai_slots *slots = &s->world->state->slots;
    mica_entity last = micai_slots_age(slots, s->entities[150 + i], MICA_GENERATION_LAST);
    micai_row row = row_of(s, last);
    micai_sheet_ids(row.sheet)[row.offset] = last;
    return !mica_despawn(s->world, last);
}

static bool add_plain(scenario *s, uint32_t i)
{
    return !mica_add(s->world, s->entities[20 + i], s->weight);
}

static bool add_hooked(scenario *s, uint32_t i)
{
    return !mica_add(s->world, s->entities[40 + i], i % 2 ? s->handle : s->mover);
}

static bool add_far(scenario *s, uint32_t i)
{
    return !mica_add(s->world, s->entities[21 + i], s->far_handle);
}

static bool add_tag(scenario *s, uint32_t i)
{
    return !mica_add(s->world, s->entities[i], s->tag);
}

static bool add_types(scenario *s, uint32_t i)
{
    const mica_type types[] = {s->far_tag, s->handle, s->mover, s->position, s->far_handle};
    return !test_add_types(s->world, s->entities[2 * i], types, 5);
}

static bool set_absent(scenario *s, uint32_t i)
{
    const Handle handle = {MAGIC, 5};
    return !mica_set_value(s->world, s->entities[1 + 2 * i], i % 2 ? s->handle : s->far_handle,
                           &handle, sizeof handle);
}

static bool set_present(scenario *s, uint32_t i)
{
    const Handle handle = {MAGIC, 600 + (int32_t)i};
    return !mica_set_value(s->world, s->entities[22 + i], i % 2 ? s->handle : s->mover, &handle,
                           sizeof handle);
}

static bool set_values(scenario *s, uint32_t i)
{
    const Handle handle = {MAGIC, 700 + (int32_t)i};
    return !mica_set(
        s->world, s->entities[22 + i], ((mica_value){s->handle, &handle, sizeof handle, 1, NULL}),
        ((mica_value){s->far_handle, &handle, sizeof handle, 1, NULL}),
        MICA_VALUE(s->position, Position, 7, (int32_t)i),
        ((mica_value){s->mover, &handle, sizeof handle, 1, NULL}), MICA_ADD(s->far_tag));
}

static bool change(scenario *s, uint32_t i)
{
    const Handle handle = {MAGIC, 800 + (int32_t)i};
    const mica_value values[] = {{s->mover, &handle, sizeof handle, 1, NULL},
                                 MICA_ADD(s->far_handle),
                                 MICA_VALUE(s->weight, int32_t, 9)};
    const mica_type removed[] = {s->handle, s->far_tag};
    return !mica_change(s->world, s->entities[25 + i], values, 3, removed, 2);
}

static bool remove_one(scenario *s, uint32_t i)
{
    return !mica_remove(s->world, s->entities[22 + i], i % 2 ? s->position : s->mover);
}

static bool remove_types(scenario *s, uint32_t i)
{
    const mica_type types[] = {s->far_tag, s->handle, s->far_handle};
    return !mica_change(s->world, s->entities[2 * i], NULL, 0, types, 3);
}

static bool clone(scenario *s, uint32_t i)
{
    return keep(s, 130 + i, mica_clone(s->world, s->entities[22 + 5 * i]));
}

static bool despawn(scenario *s, uint32_t i)
{
    return !mica_despawn(s->world, s->entities[22 + 5 * i]);
}

static bool despawn_many(scenario *s, uint32_t i)
{
    (void)i;
    return !mica_despawn_many(s->world, &s->entities[90], 5);
}

// Every iteration stays open: the world's list of them must grow.
static bool open_iteration(scenario *s, uint32_t i)
{
    uint32_t errors = s->t.error.calls;
    mica_iter *it = &s->iterations[s->open];
    if (i % 2) {
        mica_iter_begin_entity(s->world, s->queries[0], s->entities[0], it);
    } else {
        mica_iter_begin(s->world, s->queries[i % QUERIES], it);
    }
    if (s->t.error.calls != errors) {
        mica_iter_end(it);
        return false;
    }
    s->open++;
    return true;
}

bool kernel_close_iterations(scenario *s, uint32_t i)
{
    (void)i;
    while (s->open > 0) {
        mica_iter_end(&s->iterations[--s->open]);
    }
    return true;
}

static void update(mica_iter *it)
{
    Position *p = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].y++;
    }
}

static bool add_system(scenario *s, uint32_t i)
{
    static const char *const names[SYSTEMS] = {"first", "second", "third"};
    mica_system_desc desc = {.name = names[i],
                             .update = update,
                             .query.terms = {{s->position, MICA_WRITE}, {s->far_tag, MICA_WITH}}};
    if (i == 1) {
        desc.query.terms[1].access = MICA_WITHOUT;
    }
    s->systems[i] = mica_system_add(s->world, &desc);
    return s->systems[i].bits != 0;
}

static bool step_once(scenario *s, uint32_t i)
{
    return !mica_step(s->world, 1.0 + i);
}

static bool query_add(scenario *s, uint32_t i)
{
    const mica_type types[] = {s->handle, s->tag, s->far_handle, s->far_tag, s->mover, s->weight};
    return !mica_add_all(s->world, s->queries[i % 2], types[i], &s->changed);
}

static bool query_remove(scenario *s, uint32_t i)
{
    const mica_type types[] = {s->far_handle, s->tag, s->mover};
    return !mica_remove_all(s->world, s->queries[1], types[i], &s->changed);
}

static bool query_set(scenario *s, uint32_t i)
{
    const Handle handle = {MAGIC, 1000};
    const Position position = {8, 8};
    switch (i) {
    case 0:
        return !mica_set_all(s->world, s->queries[1], s->position, &position, sizeof position,
                             &s->changed);
    case 1:
        return !mica_set_all(s->world, s->queries[1], s->far_handle, &handle, sizeof handle,
                             &s->changed);
    case 2:
        return !mica_set_all(s->world, s->queries[2], s->mover, &handle, sizeof handle,
                             &s->changed);
    default: return !mica_set_all(s->world, s->queries[6], s->tag, NULL, 0, &s->changed);
    }
}

static bool query_despawn(scenario *s, uint32_t i)
{
    return !mica_despawn_all(s->world, s->queries[5 - i], &s->changed);
}

// Writes what is there already, under the tick of the last write: an iteration that ends early has
// then changed nothing that shows.
static bool write_all(scenario *s, uint32_t i)
{
    (void)i;
    uint32_t errors = s->t.error.calls;
    mica_iter it;
    mica_iter_begin(s->world, s->queries[1], &it);
    while (mica_iter_next(&it)) {
        Position *p = mica_write(&it, 0);
        for (uint32_t row = 0; row < it.count; row++) {
            p[row].x = 8;
        }
    }
    return s->t.error.calls == errors;
}

static bool get_mut(scenario *s, uint32_t i)
{
    Position *p = mica_get_mut(s->world, s->entities[50 + i], s->position);
    return p != NULL;
}

static bool get_mut_sized(scenario *s, uint32_t i)
{
    return MICA_GET_MUT(s->world, s->entities[50 + i], s->position, Position) != NULL;
}

static bool use_accessor(scenario *s, uint32_t i)
{
    mica_accessor positions = mica_accessor_new(s->world, s->position);
    return positions.size > 0 && mica_accessor_get_mut(&positions, s->entities[50 + i]) != NULL;
}

static bool write_one(scenario *s, uint32_t i)
{
    uint32_t errors = s->t.error.calls;
    mica_iter it;
    mica_iter_begin_entity(s->world, s->queries[1], s->entities[50 + i], &it);
    while (mica_iter_next(&it)) {
        ((Position *)mica_write(&it, 0))->x = 8;
    }
    return s->t.error.calls == errors;
}

static bool set_plain(scenario *s, uint32_t i)
{
    return !mica_set(s->world, s->entities[50 + i], MICA_VALUE(s->position, Position, 8, 9));
}

static bool set_plain_value(scenario *s, uint32_t i)
{
    const Position position = {8, 10};
    return !mica_set_value(s->world, s->entities[50 + i], s->position, &position, sizeof position);
}

static bool toggle_tag(scenario *s, uint32_t i)
{
    mica_entity entity = s->entities[50 + i];
    return mica_has(s->world, entity, s->tag) ? !mica_remove(s->world, entity, s->tag)
                                              : !mica_add(s->world, entity, s->tag);
}

static bool tag_lone(scenario *s, uint32_t i)
{
    return !mica_add(s->world, s->entities[160 + i], s->tag);
}

static bool query_tag_lone(scenario *s, uint32_t i)
{
    (void)i;
    return !mica_add_all(s->world, s->queries[8], s->tag, &s->changed);
}

// The first row of the table, whose last row takes its place.
static bool despawn_first(scenario *s, uint32_t i)
{
    const micai_table *table = row_of(s, s->entities[160 + i]).sheet->table;
    return !mica_despawn(s->world, micai_sheet_ids(micai_table_sheet(table, 0))[0]);
}

static bool reclaim(scenario *s, uint32_t i)
{
    (void)i;
    return !mica_world_reclaim(s->world);
}

static bool clear(scenario *s, uint32_t i)
{
    (void)i;
    return !mica_world_clear(s->world);
}

static bool remove_system(scenario *s, uint32_t i)
{
    return !mica_system_remove(s->world, s->systems[i]);
}

static bool free_query(scenario *s, uint32_t i)
{
    bool worked = !mica_query_free(s->world, s->queries[i]);
    s->queries[i].bits = worked ? 0 : s->queries[i].bits;
    return worked;
}

static bool free_bundle(scenario *s, uint32_t i)
{
    return !mica_bundle_free(s->world, s->bundles[i]);
}

// clang-format off
#define STEP(function, times) {function, #function, times, 0, false}
#define STEP_AT(function, first) {function, #function, 1, first, false}
#define WITHIN_TICK(function) {function, #function, 1, 0, true}
const kernel_step kernel_steps[] = {
    STEP(make_bundle, 3),      STEP(make_query, 5),
    STEP(spawn_empty, 8),      STEP(spawn_at, 3),
    STEP(spawn_ahead, 2),      STEP(reserve_entities, 2), STEP_AT(retire, 1),
    STEP(spawn_values, 16),    STEP(spawn_far_values, 8),
    STEP(make_query, QUERIES), // the first five stay, without a handle
    STEP(spawn_bundle, 12),    STEP(spawn_default_bundle, 9),
    STEP(spawn_many, 3),       STEP(reserve_bundle, 3),
    STEP(set_name, 10),        STEP(change_name, 2),         STEP(take_name, 1),
    STEP(add_plain, 4),
    STEP(add_hooked, 6),       STEP(add_far, 3),
    STEP(add_tag, 3),          STEP(add_types, 3),
    STEP(set_absent, 4),       STEP(set_present, 6),
    STEP(add_system, SYSTEMS), STEP(step_once, 3), // from here on under other ticks
    STEP(set_present, 4),      STEP(set_values, 6),
    STEP(change, 6),           STEP(remove_one, 6),
    STEP(remove_types, 3),     STEP(clone, 3),
    STEP(spawn_values, 3),     STEP(spawn_bundle, 3),
    STEP(spawn_many, 2),       STEP(add_types, 2),
    STEP(open_iteration, ITERATIONS), STEP(kernel_close_iterations, 1),
    STEP(query_add, 6),        STEP(query_set, 4),
    STEP(step_once, 1),        STEP(query_remove, 3),
    STEP(spawn_many, 2),       STEP(query_add, 6),
    WITHIN_TICK(query_set),    STEP(write_all, 1),
    STEP(query_set, 4),        STEP(query_remove, 3),
    STEP(get_mut, 6),          STEP(set_values, 3),
    STEP(add_plain, 4),        STEP(spawn_bundle, 3),   STEP(despawn, 3),
    STEP(despawn_many, 1),     STEP(get_mut_sized, 1),  STEP(use_accessor, 1),
    STEP(write_one, 1),        STEP(set_plain, 1),      STEP(set_plain_value, 1),
    STEP_AT(toggle_tag, 0),    STEP_AT(toggle_tag, 0),
    STEP_AT(toggle_tag, 0),    STEP_AT(toggle_tag, 0),
    STEP(spawn_empty, 1),      STEP_AT(spawn_empty, 1),
    STEP_AT(spawn_ahead, 2),   STEP_AT(spawn_empty, 2),
    STEP(spawn_lone, 8),       STEP(get_types, 2),      STEP(despawn_first, 1),
    STEP_AT(tag_lone, 2),      STEP(query_tag_lone, 1),
    STEP(query_despawn, 2),    STEP(reclaim, 1),
    STEP(spawn_values, 8),     STEP(spawn_default_bundle, 6),
    STEP(remove_system, 2),    STEP(clear, 1),          STEP(reclaim, 1),
    STEP(free_bundle, 2),      STEP(free_query, 4),
    STEP(spawn_values, 4),     STEP(step_once, 1),
};
// clang-format on
const uint32_t kernel_step_count = sizeof kernel_steps / sizeof kernel_steps[0];
