// The rows of <mica/component.h>.
#include "negative/table.h"

#include <string.h>

static void spawning_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const Position p = {1, 2};
    const mica_value good = {t->position, &p, sizeof p, 1, NULL};
    const mica_value wrong_size = {t->position, &p, 4, 1, NULL};
    const mica_value tag_data = {t->tag, &p, sizeof p, 1, NULL};
    const mica_value twice[] = {good, good};
    const mica_value then_none[] = {good, {(mica_type){0}, NULL, 0, 0, NULL}};

    NULL_WORLD(mica_spawn_values, NONES, mica_spawn_values(w, &good, 1));
    REFUSED(mica_spawn_values, NONES, mica_spawn_values(w, &good, 1));
    NONES(mica_spawn_values.values.null, MICA_ERROR_NULL, mica_spawn_values(w, NULL, 1));
    WITH_BAD_TYPES(mica_spawn_values.values, NONES, MICA_ERROR_TYPE,
                   mica_spawn_values(w, &(mica_value){x, NULL, 0, 0, NULL}, 1));
    NONES(mica_spawn_values.values.with_size, MICA_ERROR_SIZE,
          mica_spawn_values(w, &wrong_size, 1));
    NONES(mica_spawn_values.values.with_tag_data, MICA_ERROR_SIZE,
          mica_spawn_values(w, &tag_data, 1));
    WORKS(mica_spawn_values.values.with_twice, mica_spawn_values(w, twice, 2).bits);
    WORKS(mica_spawn_values.count.zero, mica_spawn_values(w, NULL, 0).bits);
    NONES(mica_spawn_values.count.huge, MICA_ERROR_MEMORY,
          mica_spawn_values(w, then_none, HUGE_COUNT));

    NULL_WORLD(mica_clone, NONES, mica_clone(w, t->full));
    REFUSED(mica_clone, NONES, mica_clone(w, t->full));
    BAD_ENTITIES(mica_clone.entity, NONES, MICA_ERROR_ENTITY, mica_clone(w, x));
    table_end(t);
}

// What is given to a bundle of position, weight and tag, right and wrong. Rows that work make the
// world anew, and its types with it: they come last.
typedef struct bundle_values {
    mica_value right[3], twice[3], small[3], tagged[3], other[3];
} bundle_values;

static bundle_values list_values(const table *t)
{
    static const Position p = {1, 2};
    static const int32_t weight = 3;
    const mica_value position = MICA_COPY_OF(t->position, p);
    const mica_value heavy = MICA_COPY_OF(t->weight, weight);
    const mica_value tag = MICA_ADD(t->tag);
    return (bundle_values){.right = {position, heavy, tag},
                           .twice = {position, position, tag},
                           .small = {{t->position, &p, 4, 1, NULL}, heavy, tag},
                           .tagged = {position, heavy, {t->tag, &p, sizeof p, 1, NULL}},
                           .other = {{t->position, &p, sizeof p, 0, "Velocity"}, heavy, tag}};
}

static void spawning_from_bundles_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const bundle_values v = list_values(t);

    NULL_WORLD(mica_spawn_bundle, NONES, mica_spawn_bundle(w, t->bundle, v.right, 3));
    REFUSED(mica_spawn_bundle, NONES, mica_spawn_bundle(w, t->bundle, v.right, 3));
    BAD_BUNDLES(mica_spawn_bundle.bundle, NONES, MICA_ERROR_BUNDLE,
                mica_spawn_bundle(w, x, v.right, 3));
    NONES(mica_spawn_bundle.values.null, MICA_ERROR_NULL, mica_spawn_bundle(w, t->bundle, NULL, 3));
    NONES(mica_spawn_bundle.values.with_twice, MICA_ERROR_ARGUMENT,
          mica_spawn_bundle(w, t->bundle, v.twice, 3));
    WITH_BAD_TYPES(
        mica_spawn_bundle.values, NONES, MICA_ERROR_TYPE,
        mica_spawn_bundle(
            w, t->bundle,
            (mica_value[]){{x, NULL, 0, 0, NULL}, {x, NULL, 0, 0, NULL}, {x, NULL, 0, 0, NULL}},
            3));
    NONES(mica_spawn_bundle.values.with_size, MICA_ERROR_SIZE,
          mica_spawn_bundle(w, t->bundle, v.small, 3));
    NONES(mica_spawn_bundle.values.with_c_type, MICA_ERROR_C_TYPE,
          mica_spawn_bundle(w, t->bundle, v.other, 3));
    NONES(mica_spawn_bundle.values.with_tag_data, MICA_ERROR_SIZE,
          mica_spawn_bundle(w, t->bundle, v.tagged, 3));
    NONES(mica_spawn_bundle.value_count.zero, MICA_ERROR_ARGUMENT,
          mica_spawn_bundle(w, t->bundle, v.right, 0));
    NONES(mica_spawn_bundle.value_count.huge, MICA_ERROR_ARGUMENT,
          mica_spawn_bundle(w, t->bundle, v.right, UINT32_MAX));
    table_end(t);
}

static void spawning_many_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const bundle_values v = list_values(t);
    mica_entity spawned[2];

    NULL_WORLD(mica_spawn_many, FAILS, mica_spawn_many(w, t->bundle, 1, v.right, 3, spawned));
    REFUSED(mica_spawn_many, FAILS, mica_spawn_many(w, t->bundle, 1, v.right, 3, spawned));
    BAD_BUNDLES(mica_spawn_many.bundle, FAILS, MICA_ERROR_BUNDLE,
                mica_spawn_many(w, x, 1, v.right, 3, spawned));
    SILENT(mica_spawn_many.count.zero, !mica_spawn_many(w, t->bundle, 0, v.right, 3, spawned));
    FAILS(mica_spawn_many.count.huge, MICA_ERROR_LIMIT,
          mica_spawn_many(w, t->bundle, UINT32_MAX, NULL, 0, spawned));
    FAILS(mica_spawn_many.arrays.null, MICA_ERROR_NULL,
          mica_spawn_many(w, t->bundle, 2, NULL, 3, spawned));
    FAILS(mica_spawn_many.arrays.with_twice, MICA_ERROR_ARGUMENT,
          mica_spawn_many(w, t->bundle, 1, v.twice, 3, spawned));
    WITH_BAD_TYPES(
        mica_spawn_many.arrays, FAILS, MICA_ERROR_TYPE,
        mica_spawn_many(
            w, t->bundle, 1,
            (mica_value[]){{x, NULL, 0, 0, NULL}, {x, NULL, 0, 0, NULL}, {x, NULL, 0, 0, NULL}}, 3,
            spawned));
    FAILS(mica_spawn_many.arrays.with_size, MICA_ERROR_SIZE,
          mica_spawn_many(w, t->bundle, 1, v.small, 3, spawned));
    FAILS(mica_spawn_many.arrays.with_c_type, MICA_ERROR_C_TYPE,
          mica_spawn_many(w, t->bundle, 1, v.other, 3, spawned));
    FAILS(mica_spawn_many.arrays.with_tag_data, MICA_ERROR_SIZE,
          mica_spawn_many(w, t->bundle, 1, v.tagged, 3, spawned));
    FAILS(mica_spawn_many.array_count.zero, MICA_ERROR_ARGUMENT,
          mica_spawn_many(w, t->bundle, 1, v.right, 0, spawned));
    FAILS(mica_spawn_many.array_count.huge, MICA_ERROR_ARGUMENT,
          mica_spawn_many(w, t->bundle, 1, v.right, UINT32_MAX, spawned));
    WORKS(mica_spawn_many.entities_out.null, !mica_spawn_many(w, t->bundle, 1, NULL, 0, NULL));
    table_end(t);
}

static void bundles_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_type twice[] = {t->position, t->position};
    const mica_type then_none[] = {t->position, (mica_type){0}};

    NULL_WORLD(mica_bundle_new, NONES, mica_bundle_new(w, &t->position, 1));
    ALLOWED(mica_bundle_new, !mica_bundle_free(w, mica_bundle_new(w, &t->position, 1)));
    NONES(mica_bundle_new.types.null, MICA_ERROR_NULL, mica_bundle_new(w, NULL, 1));
    WITH_BAD_TYPES(mica_bundle_new.types, NONES, MICA_ERROR_TYPE, mica_bundle_new(w, &x, 1));
    NONES(mica_bundle_new.types.with_twice, MICA_ERROR_ARGUMENT, mica_bundle_new(w, twice, 2));
    SILENT(mica_bundle_new.count.zero, !mica_bundle_free(w, mica_bundle_new(w, NULL, 0)));
    NONES(mica_bundle_new.count.huge, MICA_ERROR_MEMORY, mica_bundle_new(w, then_none, HUGE_COUNT));

    NULL_WORLD(mica_bundle_free, FAILS, mica_bundle_free(w, t->bundle));
    ALLOWED(mica_bundle_free, !mica_bundle_free(w, mica_bundle_new(w, &t->position, 1)));
    BAD_BUNDLES(mica_bundle_free.bundle, FAILS, MICA_ERROR_BUNDLE, mica_bundle_free(w, x));

    NULL_WORLD(mica_bundle_reserve, FAILS, mica_bundle_reserve(w, t->bundle, 1));
    REFUSED(mica_bundle_reserve, FAILS, mica_bundle_reserve(w, t->bundle, 1));
    BAD_BUNDLES(mica_bundle_reserve.bundle, FAILS, MICA_ERROR_BUNDLE, mica_bundle_reserve(w, x, 1));
    SILENT(mica_bundle_reserve.count.zero, !mica_bundle_reserve(w, t->bundle, 0));
    FAILS(mica_bundle_reserve.count.huge, MICA_ERROR_LIMIT,
          mica_bundle_reserve(w, t->bundle, UINT32_MAX));
    table_end(t);
}

static void ends_and_names_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_entity e = t->named;

    NULL_WORLD(mica_despawn_many, FAILS, mica_despawn_many(w, &e, 1));
    REFUSED(mica_despawn_many, FAILS, mica_despawn_many(w, &e, 1));
    FAILS(mica_despawn_many.entities.null, MICA_ERROR_NULL, mica_despawn_many(w, NULL, 1));
    WITH_BAD_ENTITIES(mica_despawn_many.entities, FAILS, MICA_ERROR_ENTITY,
                      mica_despawn_many(w, (const mica_entity[]){e, x}, 2));
    SILENT(mica_despawn_many.count.zero, !mica_despawn_many(w, NULL, 0));
    FAILS(mica_despawn_many.count.huge, MICA_ERROR_ENTITY,
          mica_despawn_many(w, (const mica_entity[]){e, {0}}, UINT32_MAX));

    NULL_WORLD(mica_entity_set_name, FAILS, mica_entity_set_name(w, e, "new"));
    ALLOWED(mica_entity_set_name, !mica_entity_set_name(w, e, "taken"));
    BAD_ENTITIES(mica_entity_set_name.entity, FAILS, MICA_ERROR_ENTITY,
                 mica_entity_set_name(w, x, "new"));
    SILENT(mica_entity_set_name.name.null, !mica_entity_set_name(w, t->bare, NULL));
    BAD_NAMES(mica_entity_set_name.name, FAILS, MICA_ERROR_NAME, mica_entity_set_name(w, e, x));
    FAILS(mica_entity_set_name.name.taken, MICA_ERROR_NAME,
          mica_entity_set_name(w, t->bare, "taken"));
    FAILS(mica_entity_set_name.name.path, MICA_ERROR_NAME, mica_entity_set_name(w, t->bare, "a/b"));

    NULL_WORLD(mica_entity_name, NULLS, mica_entity_name(w, e));
    ALLOWED(mica_entity_name, !strcmp(mica_entity_name(w, e), "taken"));
    BAD_ENTITIES(mica_entity_name.entity, NULLS, MICA_ERROR_ENTITY, mica_entity_name(w, x));

    NULL_WORLD(mica_entity_find, NONES, mica_entity_find(w, "taken"));
    ALLOWED(mica_entity_find, MICA_EQUAL(e, mica_entity_find(w, "taken")));
    NONES(mica_entity_find.name.null, MICA_ERROR_NULL, mica_entity_find(w, NULL));
    BAD_NAMES(mica_entity_find.name, SILENT, MICA_OK, !mica_entity_find(w, x).bits);
    SILENT(mica_entity_find.name.unknown, !mica_entity_find(w, "unknown").bits);
    table_end(t);
}

static void adding_and_removing_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_entity e = t->bare;

    NULL_WORLD(mica_add, FAILS, mica_add(w, e, t->tag));
    REFUSED(mica_add, FAILS, mica_add(w, e, t->tag));
    BAD_ENTITIES(mica_add.entity, FAILS, MICA_ERROR_ENTITY, mica_add(w, x, t->tag));
    BAD_TYPES(mica_add.type, FAILS, MICA_ERROR_TYPE, mica_add(w, e, x));

    NULL_WORLD(mica_remove, FAILS, mica_remove(w, t->full, t->tag));
    REFUSED(mica_remove, FAILS, mica_remove(w, t->full, t->tag));
    BAD_ENTITIES(mica_remove.entity, FAILS, MICA_ERROR_ENTITY, mica_remove(w, x, t->tag));
    BAD_TYPES(mica_remove.type, FAILS, MICA_ERROR_TYPE, mica_remove(w, t->full, x));
    table_end(t);
}

static void setting_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const Position p = {1, 2};
    const uint32_t size = sizeof p;

    NULL_WORLD(mica_set_value, FAILS, mica_set_value(w, t->bare, t->position, &p, size));
    REFUSED(mica_set_value, FAILS, mica_set_value(w, t->bare, t->position, &p, size));
    BAD_ENTITIES(mica_set_value.entity, FAILS, MICA_ERROR_ENTITY,
                 mica_set_value(w, x, t->position, &p, size));
    BAD_TYPES(mica_set_value.type, FAILS, MICA_ERROR_TYPE, mica_set_value(w, t->bare, x, &p, size));
    FAILS(mica_set_value.data.null, MICA_ERROR_NULL,
          mica_set_value(w, t->full, t->position, NULL, size));
    FAILS(mica_set_value.size.zero, MICA_ERROR_SIZE,
          mica_set_value(w, t->bare, t->position, &p, 0));
    FAILS(mica_set_value.size.wrong, MICA_ERROR_SIZE,
          mica_set_value(w, t->full, t->position, &p, 4));
    FAILS(mica_set_value.size.huge, MICA_ERROR_SIZE,
          mica_set_value(w, t->full, t->position, &p, UINT32_MAX));

    const mica_value good = {t->position, &p, size, 1, NULL};
    const mica_value wrong_size = {t->position, &p, 4, 1, NULL};
    const mica_value tag_data = {t->tag, &p, size, 1, NULL};
    const mica_value twice[] = {good, good};
    const mica_value then_none[] = {good, {(mica_type){0}, NULL, 0, 0, NULL}};

    NULL_WORLD(mica_set_values, FAILS, mica_set_values(w, t->bare, &good, 1));
    REFUSED(mica_set_values, FAILS, mica_set_values(w, t->bare, &good, 1));
    BAD_ENTITIES(mica_set_values.entity, FAILS, MICA_ERROR_ENTITY, mica_set_values(w, x, &good, 1));
    FAILS(mica_set_values.values.null, MICA_ERROR_NULL, mica_set_values(w, t->bare, NULL, 1));
    WITH_BAD_TYPES(
        mica_set_values.values, FAILS, MICA_ERROR_TYPE,
        mica_set_values(w, t->bare, (const mica_value[]){good, {x, NULL, 0, 0, NULL}}, 2));
    FAILS(mica_set_values.values.with_size, MICA_ERROR_SIZE,
          mica_set_values(w, t->bare, &wrong_size, 1));
    FAILS(mica_set_values.values.with_tag_data, MICA_ERROR_SIZE,
          mica_set_values(w, t->bare, &tag_data, 1));
    SILENT(mica_set_values.values.with_twice, !mica_set_values(w, t->full, twice, 2));
    SILENT(mica_set_values.count.zero, !mica_set_values(w, t->bare, NULL, 0));
    FAILS(mica_set_values.count.huge, MICA_ERROR_MEMORY,
          mica_set_values(w, t->bare, then_none, HUGE_COUNT));

    const mica_type *tag = &t->tag;
    const mica_type tags[] = {t->tag, t->tag};
    const mica_type tag_then_none[] = {t->tag, (mica_type){0}};
    NULL_WORLD(mica_change, FAILS, mica_change(w, t->bare, &good, 1, tag, 1));
    REFUSED(mica_change, FAILS, mica_change(w, t->bare, &good, 1, tag, 1));
    BAD_ENTITIES(mica_change.entity, FAILS, MICA_ERROR_ENTITY, mica_change(w, x, &good, 1, tag, 1));
    FAILS(mica_change.values.null, MICA_ERROR_NULL, mica_change(w, t->full, NULL, 1, tag, 1));
    WITH_BAD_TYPES(mica_change.values, FAILS, MICA_ERROR_TYPE,
                   mica_change(w, t->full, &(mica_value){x, NULL, 0, 0, NULL}, 1, tag, 1));
    FAILS(mica_change.values.with_size, MICA_ERROR_SIZE,
          mica_change(w, t->full, &wrong_size, 1, tag, 1));
    FAILS(mica_change.values.with_tag_data, MICA_ERROR_SIZE,
          mica_change(w, t->full, &tag_data, 1, &t->weight, 1));
    SILENT(mica_change.values.with_twice, !mica_change(w, t->full, twice, 2, NULL, 0));
    SILENT(mica_change.value_count.zero, !mica_change(w, t->bare, NULL, 0, tag, 1));
    FAILS(mica_change.value_count.huge, MICA_ERROR_MEMORY,
          mica_change(w, t->full, then_none, HUGE_COUNT, tag, 1));
    FAILS(mica_change.removed.null, MICA_ERROR_NULL, mica_change(w, t->full, &good, 1, NULL, 1));
    WITH_BAD_TYPES(mica_change.removed, FAILS, MICA_ERROR_TYPE,
                   mica_change(w, t->full, &good, 1, (const mica_type[]){t->tag, x}, 2));
    SILENT(mica_change.removed.with_twice, !mica_change(w, t->bare, NULL, 0, tags, 2));
    SILENT(mica_change.removed_count.zero, !mica_change(w, t->full, &good, 1, NULL, 0));
    FAILS(mica_change.removed_count.huge, MICA_ERROR_MEMORY,
          mica_change(w, t->full, &good, 1, tag_then_none, HUGE_COUNT));
    mica_type_set added = {0};
    mica_type_set_add(w, &added, t->tag);
    const mica_type_set *none = &t->set;
    mica_type_set foreign = {.words = {0, 0, 0, UINT64_C(1) << 63}};
    NULL_WORLD(mica_change_sets, FAILS, mica_change_sets(w, t->bare, &added, NULL));
    REFUSED(mica_change_sets, FAILS, mica_change_sets(w, t->bare, &added, NULL));
    BAD_ENTITIES(mica_change_sets.entity, FAILS, MICA_ERROR_ENTITY,
                 mica_change_sets(w, x, &added, NULL));
    SILENT(mica_change_sets.added.null, !mica_change_sets(w, t->bare, NULL, none));
    FAILS(mica_change_sets.added.foreign, MICA_ERROR_TYPE,
          mica_change_sets(w, t->full, &foreign, NULL));
    SILENT(mica_change_sets.removed.null, !mica_change_sets(w, t->full, &added, NULL));
    FAILS(mica_change_sets.removed.foreign, MICA_ERROR_TYPE,
          mica_change_sets(w, t->full, &added, &foreign));
    table_end(t);
}

static void reading_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_type p = t->position;

    NULL_WORLD(mica_get, NULLS, mica_get(w, t->full, p));
    ALLOWED(mica_get, mica_get(w, t->full, p));
    BAD_ENTITIES(mica_get.entity, NULLS, MICA_ERROR_ENTITY, mica_get(w, x, p));
    BAD_TYPES(mica_get.type, NULLS, MICA_ERROR_TYPE, mica_get(w, t->full, x));
    NULL_WORLD(mica_get_mut, NULLS, mica_get_mut(w, t->full, p));
    ALLOWED(mica_get_mut, mica_get_mut(w, t->full, p));
    BAD_ENTITIES(mica_get_mut.entity, NULLS, MICA_ERROR_ENTITY, mica_get_mut(w, x, p));
    BAD_TYPES(mica_get_mut.type, NULLS, MICA_ERROR_TYPE, mica_get_mut(w, t->full, x));

    NULL_WORLD(mica_get_as, NULLS, mica_get_as(w, t->full, p, 8, NULL));
    ALLOWED(mica_get_as, mica_get_as(w, t->full, p, 8, NULL));
    BAD_ENTITIES(mica_get_as.entity, NULLS, MICA_ERROR_ENTITY, mica_get_as(w, x, p, 8, NULL));
    BAD_TYPES(mica_get_as.type, NULLS, MICA_ERROR_TYPE, mica_get_as(w, t->full, x, 8, NULL));
    NULLS(mica_get_as.size.zero, MICA_ERROR_SIZE, mica_get_as(w, t->full, p, 0, NULL));
    NULLS(mica_get_as.size.wrong, MICA_ERROR_SIZE, mica_get_as(w, t->full, p, 4, NULL));
    NULLS(mica_get_as.size.huge, MICA_ERROR_SIZE, mica_get_as(w, t->full, p, UINT32_MAX, NULL));

    NULL_WORLD(mica_try_get, NULLS, mica_try_get(w, t->full, p));
    ALLOWED(mica_try_get, mica_try_get(w, t->full, p));
    BAD_ENTITIES(mica_try_get.entity, SILENT, MICA_OK, !mica_try_get(w, x, p));
    BAD_TYPES(mica_try_get.type, NULLS, MICA_ERROR_TYPE, mica_try_get(w, t->full, x));
    NULL_WORLD(mica_try_get_as, NULLS, mica_try_get_as(w, t->full, p, 8, NULL));
    ALLOWED(mica_try_get_as, mica_try_get_as(w, t->full, p, 8, NULL));
    BAD_ENTITIES(mica_try_get_as.entity, SILENT, MICA_OK, !mica_try_get_as(w, x, p, 8, NULL));
    BAD_TYPES(mica_try_get_as.type, NULLS, MICA_ERROR_TYPE,
              mica_try_get_as(w, t->full, x, 8, NULL));
    NULLS(mica_try_get_as.size.zero, MICA_ERROR_SIZE, mica_try_get_as(w, t->full, p, 0, NULL));
    NULLS(mica_try_get_as.size.wrong, MICA_ERROR_SIZE, mica_try_get_as(w, t->full, p, 4, NULL));
    NULLS(mica_try_get_as.size.huge, MICA_ERROR_SIZE,
          mica_try_get_as(w, t->full, p, UINT32_MAX, NULL));

    float xy[2];
    NULL_WORLD(mica_load, NULLS, mica_load(w, t->full, p, xy, 8));
    ALLOWED(mica_load, mica_load(w, t->full, p, xy, 8));
    BAD_ENTITIES(mica_load.entity, NULLS, MICA_ERROR_ENTITY, mica_load(w, x, p, xy, 8));
    BAD_TYPES(mica_load.type, NULLS, MICA_ERROR_TYPE, mica_load(w, t->full, x, xy, 8));
    NULLS(mica_load.value_out.null, MICA_ERROR_NULL, mica_load(w, t->full, p, NULL, 8));
    NULLS(mica_load.size.zero, MICA_ERROR_SIZE, mica_load(w, t->full, p, xy, 0));
    NULLS(mica_load.size.wrong, MICA_ERROR_SIZE, mica_load(w, t->full, p, xy, 4));
    NULLS(mica_load.size.huge, MICA_ERROR_SIZE, mica_load(w, t->full, p, xy, UINT32_MAX));

    NULL_WORLD(mica_get_mut_as, NULLS, mica_get_mut_as(w, t->full, p, 8, NULL));
    ALLOWED(mica_get_mut_as, mica_get_mut_as(w, t->full, p, 8, NULL));
    BAD_ENTITIES(mica_get_mut_as.entity, NULLS, MICA_ERROR_ENTITY,
                 mica_get_mut_as(w, x, p, 8, NULL));
    BAD_TYPES(mica_get_mut_as.type, NULLS, MICA_ERROR_TYPE,
              mica_get_mut_as(w, t->full, x, 8, NULL));
    NULLS(mica_get_mut_as.size.zero, MICA_ERROR_SIZE, mica_get_mut_as(w, t->full, p, 0, NULL));
    NULLS(mica_get_mut_as.size.wrong, MICA_ERROR_SIZE, mica_get_mut_as(w, t->full, p, 4, NULL));
    NULLS(mica_get_mut_as.size.huge, MICA_ERROR_SIZE,
          mica_get_mut_as(w, t->full, p, UINT32_MAX, NULL));

    NULL_WORLD(mica_has, NULLS, mica_has(w, t->full, p));
    ALLOWED(mica_has, mica_has(w, t->full, p));
    BAD_ENTITIES(mica_has.entity, SILENT, MICA_OK, !mica_has(w, x, p));
    BAD_TYPES(mica_has.type, NULLS, MICA_ERROR_TYPE, mica_has(w, t->full, x));

    mica_type_set found = {0};
    NULL_WORLD(mica_entity_types, FAILS, mica_entity_types(w, t->full, &found));
    ALLOWED(mica_entity_types, !mica_entity_types(w, t->full, &found));
    BAD_ENTITIES(mica_entity_types.entity, FAILS, MICA_ERROR_ENTITY,
                 mica_entity_types(w, x, &found));
    FAILS(mica_entity_types.types_out.null, MICA_ERROR_NULL, mica_entity_types(w, t->full, NULL));
    table_end(t);
}

TESTS(table_component, spawning_refuses_bad_arguments, spawning_from_bundles_refuses_bad_arguments,
      spawning_many_refuses_bad_arguments, bundles_refuse_bad_arguments,
      ends_and_names_refuse_bad_arguments, adding_and_removing_refuse_bad_arguments,
      setting_refuses_bad_arguments, reading_refuses_bad_arguments)
