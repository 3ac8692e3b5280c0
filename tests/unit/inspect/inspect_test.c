// Tests of looking in: src/inspect/inspect.c, and what src/store says to it.
#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Place {
    int32_t x, y;
} Place;

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type whole, split, ring, sparse; // places
    mica_type tag;
} scene;

static mica_type register_place(mica_world *world, const char *name, mica_storage storage,
                                bool stable)
{
    mica_type_desc desc = MICA_DESCRIBE(Place, x, y);
    desc.name = name;
    desc.storage = storage;
    desc.stable = stable;
    return mica_type_register(world, &desc);
}

static mica_world *scene_begin(scene *s)
{
    s->world = test_world_begin(&s->t);
    s->whole = register_place(s->world, "Whole", MICA_TABLE, false);
    s->tag = MICA_TAG(s->world, Tag);
    s->split = register_place(s->world, "Split", MICA_SPLIT, false);
    s->ring = register_place(s->world, "Ring", MICA_RING, false);
    s->sparse = register_place(s->world, "Sparse", MICA_SPARSE, false);
    return s->world;
}

static void scene_end(scene *s)
{
    test_world_end(&s->t);
}

// With (n, -n) of a type.
static mica_entity spawn(const scene *s, mica_type type, int32_t n)
{
    return mica_spawn(s->world, MICA_VALUE(type, Place, n, -n));
}

TEST_WITH(scene, s, tables_are_walked_with_what_they_hold)
{
    mica_world *w = s->world;
    mica_spawn(w, MICA_ADD(s->ring), MICA_ADD(s->split), MICA_ADD(s->tag), MICA_ADD(s->whole),
               MICA_ADD(s->sparse));
    mica_spawn_values(w, NULL, 0);
    mica_spawn_values(w, NULL, 0);

    mica_table_info table;
    REQUIRE(mica_table_get_info(w, 0, &table));
    CHECK_EQUAL(2, table.rows);
    CHECK_EQUAL(0, table.components);
    REQUIRE(mica_table_get_info(w, 1, &table));
    CHECK_EQUAL(1, table.rows);
    CHECK_EQUAL(4, table.components); // the sparse one is in no table
    CHECK_EQUAL(1, table.sheets);
    CHECK(table.capacity >= 1);
    CHECK(!table.facets);

    const mica_type types[] = {s->whole, s->tag, s->split, s->ring};
    const mica_storage storages[] = {MICA_TABLE, MICA_TABLE, MICA_SPLIT, MICA_RING};
    size_t bytes = 0;
    for (uint32_t c = 0; c < 4; c++) {
        mica_column_info column;
        REQUIRE(mica_column_get_info(w, 1, c, &column));
        CHECK(MICA_EQUAL(types[c], column.type));
        CHECK_EQUAL(storages[c], column.storage);
        CHECK(MICA_EQUAL(column.type, s->tag)
                  ? column.bytes == 0
                  : column.bytes >= sizeof(Place) && column.bytes <= table.bytes);
        CHECK(!column.has_disabled);
        bytes += column.bytes;
    }
    CHECK(table.bytes >= bytes + sizeof(mica_entity));
    CHECK(table.bytes <= mica_world_get_stats(w).memory.bytes);
}

TEST_WITH(scene, s, numbers_beyond_the_last_give_nothing)
{
    mica_world *w = s->world;
    spawn(s, s->whole, 1);
    mica_table_info table;
    mica_column_info column;
    mica_row_range stretch;
    const mica_table_info no_table = {0};
    const mica_column_info no_column = {0};
    const mica_row_range no_stretch = {0};
    memset(&table, 1, sizeof table);
    CHECK(!mica_table_get_info(w, 2, &table));
    CHECK_BYTES(&no_table, &table, sizeof table);
    memset(&column, 1, sizeof column);
    CHECK(!mica_column_get_info(w, 1, 1, &column));
    CHECK_BYTES(&no_column, &column, sizeof column);
    CHECK(!mica_column_get_info(w, 2, 0, &column));
    memset(&stretch, 1, sizeof stretch);
    CHECK(!mica_table_range(w, 1, s->whole, 1, &stretch));
    CHECK_BYTES(&no_stretch, &stretch, sizeof stretch);
    CHECK(!mica_table_range(w, 2, s->whole, 0, &stretch));
    CHECK(!mica_table_range(w, 1, s->ring, 0, &stretch)); // which it has not
    CHECK(!mica_table_field(w, 1, s->whole, 1, 0, 4).base);
    CHECK(!mica_pool_range(w, s->whole, 0, &stretch));
    CHECK(MICA_IS_NONE(mica_entity_named(w, 0)));
    CHECK(MICA_IS_NONE(mica_resource_next(w, (mica_type){0})));
}

TEST_WITH(scene, s, a_walk_finds_as_many_tables_and_rows_as_there_are)
{
    mica_world *w = s->world;
    const mica_type types[] = {s->whole, s->tag, s->split, s->ring};
    for (int32_t i = 0; i < 64; i++) {
        mica_entity e = mica_spawn_values(w, NULL, 0);
        for (uint32_t k = 0; k < 4; k++) {
            if (i >> k & 1) {
                mica_add(w, e, types[k]);
            }
        }
    }
    uint32_t tables = 0;
    uint32_t rows = 0;
    mica_table_info table;
    for (; mica_table_get_info(w, tables, &table); tables++) {
        rows += table.rows;
    }
    CHECK_EQUAL(mica_world_get_stats(w).tables, tables);
    CHECK_EQUAL(mica_world_get_stats(w).rows, rows);
}

// Of a table or, without one, of a pool.
static bool next_stretch(mica_world *world, bool pool, mica_type type, uint32_t row,
                         mica_row_range *out)
{
    return pool ? mica_pool_range(world, type, row, out)
                : mica_table_range(world, 1, type, row, out);
}

static void stretches_have_every_row_once_with_its_entity_and_value(void)
{
    enum { COUNT = 2600 };
    scene s;
    mica_world *w = scene_begin(&s);
    const mica_type types[] = {s.whole, s.split, s.ring, s.sparse};
    for (uint32_t k = 0; k < 4; k++) {
        for (int32_t n = 0; n < COUNT; n++) {
            spawn(&s, types[k], n);
        }
        mica_query q =
            mica_query_new(w, &(mica_query_desc){.terms = {{types[k], MICA_WITH}}, .name = "all"});
        uint32_t seen = 0;
        mica_row_range stretch;
        for (uint32_t row = 0; next_stretch(w, k == 3, types[k], row, &stretch);
             row = stretch.row + stretch.count) {
            CHECK_EQUAL(row, stretch.row);
            REQUIRE(stretch.count > 0 && stretch.count <= 1024);
            for (uint32_t i = 0; i < stretch.count; i++) {
                Place place = {0};
                REQUIRE(mica_load(w, stretch.entities[i], types[k], &place, sizeof place));
                REQUIRE_EQUAL((int32_t)(row + i), place.x);
                REQUIRE(k == 1
                            ? !stretch.data
                            : memcmp(&place, (const Place *)stretch.data + i, sizeof place) == 0);
            }
            seen += stretch.count;
        }
        CHECK_EQUAL(COUNT, seen);
        mica_despawn_all(w, q, NULL);
        mica_query_free(w, q);
        mica_world_reclaim(w);
    }
    scene_end(&s);
}

TEST_WITH(scene, s, stretches_of_no_type_are_those_of_all_rows)
{
    mica_world *w = s->world;
    mica_entity e = mica_spawn_values(w, NULL, 0);
    mica_entity marked = mica_spawn(w, MICA_ADD(s->tag));
    mica_row_range stretch;
    REQUIRE(mica_table_range(w, 0, (mica_type){0}, 0, &stretch));
    CHECK_EQUAL(1, stretch.count);
    CHECK(MICA_EQUAL(e, stretch.entities[0]));
    CHECK(!stretch.data);
    REQUIRE(mica_table_range(w, 1, s->tag, 0, &stretch));
    CHECK(MICA_EQUAL(marked, stretch.entities[0]));
    CHECK(!stretch.data);
}

TEST_WITH(scene, s, fields_are_reached_in_every_storage_of_tables)
{
    mica_world *w = s->world;
    const mica_type types[] = {s->whole, s->split, s->ring};
    const size_t strides[] = {sizeof(Place), sizeof(int32_t), sizeof(Place)};
    for (uint32_t k = 0; k < 3; k++) {
        for (int32_t n = 0; n < 3; n++) {
            spawn(s, types[k], n);
        }
        mica_read_fields y = mica_table_field(w, 1 + k, types[k], 1, offsetof(Place, y), 4);
        REQUIRE(y.base);
        CHECK_EQUAL(strides[k], y.stride);
        CHECK_EQUAL(-1, MICA_READ_IN(y, 0, int32_t));
        CHECK_EQUAL(-2, MICA_READ_IN(y, 1, int32_t));
    }
    CHECK(!mica_table_field(w, 2, s->split, 0, 0, 8).base);
    CHECK_ERROR(&s->t, MICA_ERROR_FIELD,
                "mica_table_field: 8 bytes at 0 of 'Split' are in several pieces");
    CHECK(!mica_table_field(w, 1, s->whole, 0, 6, 4).base);
    CHECK_ERROR(&s->t, MICA_ERROR_FIELD,
                "mica_table_field: values of 'Whole' have 8 bytes, not 4 at 6");
}

// The stretches that are newer than a moment, and whether this entity is in one.
static uint32_t count_newer(mica_world *world, bool pool, mica_type type, uint64_t since,
                            mica_entity entity, bool *found_out)
{
    uint32_t newer = 0;
    *found_out = false;
    mica_row_range stretch;
    for (uint32_t row = 0; next_stretch(world, pool, type, row, &stretch);
         row = stretch.row + stretch.count) {
        newer += stretch.changed > since;
        for (uint32_t i = 0; i < stretch.count && stretch.changed > since; i++) {
            *found_out = *found_out || MICA_EQUAL(entity, stretch.entities[i]);
        }
    }
    return newer;
}

static void a_stretch_tells_when_its_values_changed_last(void)
{
    enum { COUNT = 2600 };
    scene s;
    mica_world *w = scene_begin(&s);
    const mica_type types[] = {s.whole, s.split, s.ring, s.sparse};
    for (uint32_t k = 0; k < 4; k++) {
        mica_entity middle = {0};
        for (int32_t n = 0; n < COUNT; n++) {
            mica_entity e = spawn(&s, types[k], n);
            middle = n == COUNT / 2 ? e : middle;
        }
        mica_world_compact(w);
        uint64_t seen = mica_world_tick(w);
        bool found;
        CHECK_EQUAL(0, count_newer(w, k == 3, types[k], seen, middle, &found));
        mica_set(w, middle, MICA_VALUE(types[k], Place, 1, 1));
        uint32_t newer = count_newer(w, k == 3, types[k], seen, middle, &found);
        CHECK(newer >= 1 && newer <= 2); // a ring may be cut in two there
        CHECK(found);
        if (k < 3) { // no row came or moved
            CHECK_EQUAL(0, count_newer(w, false, (mica_type){0}, seen, middle, &found));
            spawn(&s, types[k], 0);
            CHECK_EQUAL(1, count_newer(w, false, (mica_type){0}, seen, middle, &found));
        }
        mica_world_clear(w);
        mica_world_reclaim(w);
    }
    scene_end(&s);
}

TEST_WITH(scene, s, pools_tell_of_room_groups_and_holes)
{
    mica_world *w = s->world;
    mica_type stable = register_place(w, "Stable", MICA_SPARSE, true);
    mica_pool_info pool;
    CHECK(!mica_pool_get_info(w, s->sparse, &pool)); // nobody ever had it
    CHECK(!mica_pool_get_info(w, s->whole, &pool));
    mica_entity entities[6];
    for (int32_t i = 0; i < 6; i++) {
        entities[i] = spawn(s, stable, i);
        mica_add(w, entities[i], s->sparse);
    }
    mica_group group =
        mica_group_new(w, &(mica_group_desc){.owned = {s->sparse}, .required = {stable}});
    mica_despawn(w, entities[0]);
    mica_despawn(w, entities[3]);

    REQUIRE(mica_pool_get_info(w, s->sparse, &pool));
    CHECK_EQUAL(4, pool.count);
    CHECK_EQUAL(0, pool.holes);
    CHECK_EQUAL(1, pool.groups);
    CHECK(MICA_EQUAL(group, pool.owner));
    CHECK(pool.capacity >= 4);
    CHECK(pool.bytes >= 4 * (sizeof(Place) + sizeof(mica_entity)));
    REQUIRE(mica_pool_get_info(w, stable, &pool));
    CHECK_EQUAL(4, pool.count);
    CHECK_EQUAL(2, pool.holes);
    CHECK(MICA_IS_NONE(pool.owner));

    const int32_t left[] = {1, 2, 4, 5};
    uint32_t seen = 0;
    mica_row_range stretch;
    for (uint32_t row = 0; mica_pool_range(w, stable, row, &stretch);
         row = stretch.row + stretch.count) {
        const Place *places = stretch.data;
        for (uint32_t i = 0; i < stretch.count; i++, seen++) {
            REQUIRE(seen < 4);
            CHECK_EQUAL(left[seen], places[i].x);
            CHECK(MICA_EQUAL(entities[left[seen]], stretch.entities[i]));
        }
    }
    CHECK_EQUAL(4, seen);
}

TEST_WITH(scene, s, groups_are_walked_with_their_types)
{
    mica_world *w = s->world;
    mica_type a = MICA_SPARSE_TAG(w, A);
    mica_type b = MICA_SPARSE_TAG(w, B);
    CHECK(MICA_IS_NONE(mica_group_next(w, (mica_group){0})));
    mica_group gone = mica_group_new(w, &(mica_group_desc){.required = {a, b}});
    mica_group group = mica_group_new(
        w,
        &(mica_group_desc){.owned = {s->sparse}, .required = {a}, .without = {b}, .name = "crew"});
    mica_entity e = spawn(s, s->sparse, 1);
    mica_add(w, e, a);

    CHECK(MICA_EQUAL(gone, mica_group_next(w, (mica_group){0})));
    CHECK(MICA_EQUAL(group, mica_group_next(w, gone)));
    CHECK(MICA_IS_NONE(mica_group_next(w, group)));
    mica_group_free(w, gone);
    CHECK(MICA_EQUAL(group, mica_group_next(w, (mica_group){0})));
    CHECK(MICA_IS_NONE(mica_group_next(w, gone)));
    CHECK_ERROR(&s->t, MICA_ERROR_GROUP,
                "mica_group_next: the group is freed, or of another world");

    mica_group_info info;
    REQUIRE(mica_group_get_info(w, group, &info));
    CHECK_TEXT("crew", info.name);
    CHECK_EQUAL(1, info.count);
    CHECK(MICA_EQUAL(s->sparse, info.owned[0]) && MICA_IS_NONE(info.owned[1]));
    CHECK(MICA_EQUAL(a, info.required[0]) && MICA_IS_NONE(info.required[1]));
    CHECK(MICA_EQUAL(b, info.without[0]) && MICA_IS_NONE(info.without[1]));
}

TEST_WITH(scene, s, resources_and_names_are_walked)
{
    mica_world *w = s->world;
    mica_resource_set(w, MICA_VALUE(s->ring, Place, 1, 2), MICA_VALUE(s->whole, Place, 3, 4));
    mica_type first = mica_resource_next(w, (mica_type){0});
    CHECK(MICA_EQUAL(s->whole, first));
    mica_type second = mica_resource_next(w, first);
    CHECK(MICA_EQUAL(s->ring, second));
    CHECK(MICA_IS_NONE(mica_resource_next(w, second)));
    mica_resource_remove(w, s->whole);
    CHECK(MICA_EQUAL(s->ring, mica_resource_next(w, (mica_type){0})));

    mica_entity_set_name(w, mica_spawn_values(w, NULL, 0), "Anna");
    mica_entity_set_name(w, mica_spawn_values(w, NULL, 0), "Bob");
    uint32_t seen = 0;
    mica_entity e;
    for (uint32_t i = 0; !MICA_IS_NONE(e = mica_entity_named(w, i)); i++) {
        const char *name = mica_entity_name(w, e);
        REQUIRE(name);
        seen |= strcmp(name, "Anna") == 0 ? 1u : strcmp(name, "Bob") == 0 ? 2u : 4u;
    }
    CHECK_EQUAL(3, seen);
}

TEST_WITH(scene, s, facets_have_tables_of_their_own_and_no_component_for_it)
{
    mica_world *w = s->world;
    mica_entity owner = mica_spawn_values(w, NULL, 0);
    mica_entity facet = mica_facet_add(w, owner, s->whole, 1, MICA_VALUE(s->whole, Place, 5, 6));
    mica_table_info table;
    uint32_t t = 0;
    while (mica_table_get_info(w, t, &table) && !table.facets) {
        t++;
    }
    REQUIRE(table.facets);
    CHECK_EQUAL(1, table.rows);
    CHECK_EQUAL(1, table.components);
    mica_column_info column;
    REQUIRE(mica_column_get_info(w, t, 0, &column));
    CHECK(MICA_EQUAL(s->whole, column.type));
    CHECK(!mica_column_get_info(w, t, 1, &column));
    mica_row_range stretch;
    REQUIRE(mica_table_range(w, t, s->whole, 0, &stretch));
    CHECK(MICA_EQUAL(facet, stretch.entities[0]));
}

TEST_WITH(scene, s, a_column_in_which_something_is_disabled_is_disabled)
{
    mica_world *w = s->world;
    mica_type_desc desc = MICA_DESCRIBE(Place, x, y);
    desc.toggle = true;
    mica_type type = mica_type_register(w, &desc);
    mica_entity e = spawn(s, type, 1);
    mica_column_info column;
    REQUIRE(mica_column_get_info(w, 1, 0, &column));
    CHECK(!column.has_disabled);
    mica_disable(w, e, type);
    REQUIRE(mica_column_get_info(w, 1, 0, &column));
    CHECK(column.has_disabled);
}

TEST_WITH(scene, s, values_that_an_iteration_has_are_not_shown)
{
    mica_world *w = s->world;
    mica_type other = register_place(w, "Other", MICA_SPARSE, false);
    mica_entity a = spawn(s, other, 1);
    mica_entity b = spawn(s, s->sparse, 2);
    mica_add(w, a, s->sparse);
    mica_add(w, b, other);
    spawn(s, other, 3); // so that the one which fewer have leads, and the other's order differs
    mica_query q = mica_query_new(
        w, &(mica_query_desc){.terms = {{s->sparse, MICA_WRITE}, {other, MICA_WRITE}}});
    mica_iter it;
    mica_iter_begin(w, q, &it);
    REQUIRE(mica_iter_next(&it));
    REQUIRE(mica_write(&it, 1));
    mica_row_range stretch;
    s->t.error.blind = true; // it would look at these values, too
    CHECK(!mica_pool_range(w, other, 0, &stretch));
    CHECK_EQUAL(0, stretch.count);
    CHECK_ERROR(&s->t, MICA_ERROR_ITERATING,
                "mica_pool_range: 'Other' is gathered by the iteration of a query, which has "
                "its values until it goes on; use mica_write_row there");
    s->t.error.blind = false;
    CHECK(mica_pool_range(w, s->sparse, 0, &stretch));
    mica_iter_end(&it);
    CHECK(mica_pool_range(w, other, 0, &stretch));
}

TEST_WITH(scene, s, looking_allocates_and_changes_nothing)
{
    mica_world *w = s->world;
    mica_spawn(w, MICA_ADD(s->ring), MICA_ADD(s->split), MICA_ADD(s->tag), MICA_ADD(s->sparse));
    uint64_t digest = mica_world_digest(w);
    uint64_t allocations = s->t.memory.allocations;
    mica_table_info table;
    for (uint32_t t = 0; mica_table_get_info(w, t, &table); t++) {
        mica_column_info column;
        for (uint32_t c = 0; mica_column_get_info(w, t, c, &column); c++) {
            mica_row_range stretch;
            (void)mica_table_range(w, t, column.type, 0, &stretch);
            (void)mica_table_field(w, t, column.type, 0, 0, 4);
        }
    }
    for (mica_type t = mica_type_next(w, (mica_type){0}); !MICA_IS_NONE(t);
         t = mica_type_next(w, t)) {
        mica_pool_info pool;
        mica_event_info queue;
        (void)mica_pool_get_info(w, t, &pool);
        (void)mica_event_get_info(w, t, &queue);
    }
    mica_phase phase = mica_phase_next(w, (mica_phase){0});
    mica_phase_info info;
    CHECK(mica_phase_get_info(w, phase, &info)); // which is there before there are systems
    CHECK_TEXT("update", info.name);
    CHECK(MICA_IS_NONE(mica_phase_next(w, phase)));
    (void)mica_system_next(w, (mica_system){0});
    (void)mica_query_next(w, (mica_query){0});
    (void)mica_observer_next(w, (mica_observer){0});
    (void)mica_group_next(w, (mica_group){0});
    CHECK_EQUAL(allocations, s->t.memory.allocations);
    CHECK_EQUAL(digest, mica_world_digest(w));
}

TESTS(inspect, tables_are_walked_with_what_they_hold, numbers_beyond_the_last_give_nothing,
      a_walk_finds_as_many_tables_and_rows_as_there_are,
      stretches_have_every_row_once_with_its_entity_and_value,
      stretches_of_no_type_are_those_of_all_rows, fields_are_reached_in_every_storage_of_tables,
      a_stretch_tells_when_its_values_changed_last, pools_tell_of_room_groups_and_holes,
      groups_are_walked_with_their_types, resources_and_names_are_walked,
      facets_have_tables_of_their_own_and_no_component_for_it,
      a_column_in_which_something_is_disabled_is_disabled,
      values_that_an_iteration_has_are_not_shown, looking_allocates_and_changes_nothing)
