// Tests of src/entity/spawn.c.
#include <mica/component.h>

#include <string.h>

#include "state/state.h"
#include "unit/world/fixture.h"

enum { MANY = 3 * MICAI_ROWS + 2 }; // several sheets, and a part of one

TEST_WITH(fixture, f, an_entity_is_spawned_with_its_values)
{
    mica_entity a = fixture_spawn(f, 1);
    mica_entity b = fixture_spawn(f, 2);
    CHECK(fixture_holds(f, a, 1));
    CHECK(fixture_holds(f, b, 2));
    CHECK_EQUAL(2, mica_entity_count(f->world));
    CHECK_EQUAL(2, mica_world_get_stats(f->world).rows);
    CHECK_EQUAL(0, fixture_moves(f));
    CHECK_TRACKED(&f->tracker, 4);
    CHECK_EQUAL(0, f->tracker.constructs); // values are copied, not made and overwritten
}

TEST_WITH(fixture, f, values_without_data_are_defaults)
{
    mica_entity e = mica_spawn(f->world, MICA_ADD(f->health), MICA_ADD(f->position),
                               MICA_ADD(f->frozen), MICA_ADD(f->moved));
    CHECK_EQUAL(100, MICA_GET(f->world, e, f->health, Health)->points);
    CHECK_BYTES("\0\0\0\0\0\0\0\0", mica_get(f->world, e, f->position), 8);
    CHECK(mica_has(f->world, e, f->frozen));
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->moved), TRACKED_DEFAULT));
    CHECK_EQUAL(1, f->tracker.constructs);
}

TEST_WITH(fixture, f, an_entity_may_be_spawned_without_values)
{
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    CHECK(mica_alive(f->world, e));
    mica_type_set types = {0};
    CHECK_EQUAL(MICA_OK, mica_entity_types(f->world, e, &types));
    CHECK_EQUAL(0, mica_type_set_count(&types));
}

TEST_WITH(fixture, f, of_two_values_of_one_type_the_later_counts)
{
    tracked one = tracked_make(&f->tracker, 1);
    tracked two = tracked_make(&f->tracker, 2);
    mica_entity e = mica_spawn(f->world, MICA_VALUE(f->position, Position, 1, 1),
                               ((mica_value){f->moved, &one, sizeof one, 1, NULL}),
                               MICA_VALUE(f->position, Position, 2, 2),
                               ((mica_value){f->moved, &two, sizeof two, 1, NULL}));
    CHECK(MICA_GET(f->world, e, f->position, Position)->x == 2);
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->moved), 2));
    mica_entity d = mica_spawn(f->world, MICA_VALUE(f->health, Health, 5), MICA_ADD(f->health));
    CHECK_EQUAL(100, MICA_GET(f->world, d, f->health, Health)->points);
    tracked_drop(&f->tracker, &one);
    tracked_drop(&f->tracker, &two);
    CHECK_TRACKED(&f->tracker, 1);
}

TEST_WITH(fixture, f, a_wrong_value_spawns_nothing)
{
    test_world other;
    mica_type foreign = fixture_foreign(&other);
    const Position p = {1, 2};
    CHECK(MICA_IS_NONE(mica_spawn(f->world, ((mica_value){f->velocity, &p, 12, 1, NULL}))));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_spawn: component 'Velocity' has size 8, not 12");
    CHECK(MICA_IS_NONE(mica_spawn(f->world, ((mica_value){f->velocity, &p, 0, 1, NULL}))));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_spawn: component 'Velocity' has size 8, not 0");
    CHECK(MICA_IS_NONE(mica_spawn(f->world, ((mica_value){f->velocity, NULL, 4, 0, NULL}))));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL,
                "mica_spawn: the data of 'Velocity' is null, but its size is 4");
    CHECK(MICA_IS_NONE(mica_spawn(f->world, ((mica_value){f->frozen, &p, 8, 1, NULL}))));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_spawn: 'Frozen' is a tag and has no value");
    CHECK(MICA_IS_NONE(mica_spawn(f->world, MICA_ADD(f->position), MICA_ADD(foreign))));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_spawn: value 1: the component type is of another world, or no type at all");
    CHECK(MICA_IS_NONE(mica_spawn(f->world, MICA_ADD((mica_type){0}))));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_spawn: value 0: the component type is none; was it registered?");
    CHECK(MICA_IS_NONE(mica_spawn_values(f->world, NULL, 1)));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_spawn: values is null");
    CHECK_EQUAL(0, mica_entity_count(f->world));
    test_world_end(&other);
}

// The missing shrink of document S0: a spawn that fails leaves all counts as they were.
TEST_WITH(fixture, f, a_spawn_whose_hook_fails_leaves_the_count_as_it_was)
{
    fixture_spawn(f, 1);
    tracked value = tracked_make(&f->tracker, 2);
    const mica_value values[] = {MICA_VALUE(f->position, Position, 1, 2),
                                 {f->moved, &value, sizeof value, 1, NULL},
                                 {f->hooked, &value, sizeof value, 1, NULL},
                                 MICA_ADD(f->velocity),
                                 MICA_ADD(f->player)};
    for (uint32_t which = 1; which <= 2; which++) {
        f->tracker.until_failure = which;
        CHECK(MICA_IS_NONE(mica_spawn_values(f->world, values, 5)));
        CHECK_ERROR(&f->t, MICA_ERROR_HOOK,
                    which == 1 ? "mica_spawn: the copy hook of 'Moved' failed"
                               : "mica_spawn: the copy hook of 'Hooked' failed");
        CHECK_EQUAL(1, mica_entity_count(f->world));
        CHECK_EQUAL(1, mica_world_get_stats(f->world).rows);
        CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
        CHECK_TRACKED(&f->tracker, 3);
    }
    mica_entity e = mica_spawn_values(f->world, values, 5);
    CHECK_EQUAL(1, mica_entity_slot(e)); // the slot was not used up
    tracked_drop(&f->tracker, &value);
}

static void at_the_limit_nothing_is_spawned(void)
{
    fixture f;
    fixture_prepare(&f);
    f.t.desc.max_entities = 3;
    fixture_open(&f);
    const mica_type types[] = {f.position, f.moved};
    mica_bundle bundle = mica_bundle_new(f.world, types, 2);
    mica_entity e = fixture_spawn(&f, 1);
    fixture_spawn(&f, 2);
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_spawn_many(f.world, bundle, 2, NULL, 0, NULL));
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_last_error(f.world)->code);
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK_EQUAL(2, mica_entity_count(f.world));
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f.world, bundle, 1, NULL, 0, NULL));
    CHECK(MICA_IS_NONE(mica_spawn(f.world, MICA_ADD(f.moved))));
    CHECK_EQUAL(MICA_ERROR_LIMIT, f.t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK(MICA_IS_NONE(mica_spawn_bundle(f.world, bundle, NULL, 0)));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK(MICA_IS_NONE(mica_clone(f.world, e)));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK_EQUAL(3, mica_entity_count(f.world));
    CHECK_TRACKED(&f.tracker, 5);
    mica_despawn(f.world, e);
    CHECK(!MICA_IS_NONE(mica_spawn(f.world, MICA_ADD(f.moved))));
    fixture_end(&f);
}

TEST_WITH(fixture, f, a_clone_has_the_same_components_with_copied_values)
{
    mica_entity original = (mica_entity){0};
    for (int32_t i = 0; i < 9; i++) { // so that the table grows under the original
        original = fixture_spawn(f, i);
        CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, original, i == 8 ? "original" : NULL));
    }
    for (uint32_t i = 0; i < MANY; i++) {
        mica_entity clone = mica_clone(f->world, original);
        CHECK(fixture_holds(f, clone, 8));
        CHECK_POINTER(NULL, mica_entity_name(f->world, clone));
    }
    CHECK(fixture_holds(f, original, 8));
    CHECK_TEXT("original", mica_entity_name(f->world, original));
    CHECK_TRACKED(&f->tracker, 2 * (9 + MANY));
    CHECK_EQUAL(0, f->tracker.constructs);

    mica_entity empty = mica_spawn_values(f->world, NULL, 0);
    mica_entity twin = mica_clone(f->world, empty);
    CHECK(mica_alive(f->world, twin) && !MICA_EQUAL(empty, twin));
}

TEST_WITH(fixture, f, a_clone_that_fails_leaves_nothing)
{
    mica_entity e = fixture_spawn(f, 1);
    for (uint32_t which = 1; which <= 2; which++) {
        f->tracker.until_failure = which;
        CHECK(MICA_IS_NONE(mica_clone(f->world, e)));
        CHECK_ERROR(&f->t, MICA_ERROR_HOOK,
                    which == 1 ? "mica_clone: the copy hook of 'Moved' failed"
                               : "mica_clone: the copy hook of 'Hooked' failed");
        CHECK_TRACKED(&f->tracker, 2);
    }
    CHECK_EQUAL(1, mica_entity_count(f->world));
    mica_despawn(f->world, e);
    CHECK(MICA_IS_NONE(mica_clone(f->world, e)));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_clone: entity 0.0 is dead, or of another world");
    CHECK(MICA_IS_NONE(mica_clone(f->world, (mica_entity){0})));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_clone: the entity is none");
}

TEST_WITH(fixture, f, what_ends_but_cannot_be_copied_is_not_cloned)
{
    mica_type_desc desc = tracked_desc(&f->tracker, "Unique", true);
    desc.hooks.copy = NULL;
    mica_type unique = mica_type_register(f->world, &desc);
    mica_entity e = mica_spawn(f->world, MICA_ADD(unique), MICA_ADD(f->position));
    CHECK(MICA_IS_NONE(mica_clone(f->world, e)));
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK,
                "mica_clone: 'Unique' has a destruct hook but no copy hook");
    CHECK_EQUAL(1, mica_entity_count(f->world));
}

TEST_WITH(fixture, f, many_are_spawned_across_sheets)
{
    static Position positions[MANY];
    static tracked values[MANY];
    static mica_entity entities[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        positions[i] = (Position){(float)i, 1};
        values[i] = tracked_make(&f->tracker, i);
    }
    const mica_type types[] = {f->moved, f->player, f->position, f->health, f->hooked};
    const mica_value arrays[] = {MICA_COPY_OF_ARRAY(f->moved, values), MICA_ADD(f->player),
                                 MICA_COPY_OF_ARRAY(f->position, positions), MICA_ADD(f->health),
                                 MICA_COPY_OF_ARRAY(f->hooked, values)};
    mica_bundle bundle = mica_bundle_new(f->world, types, 5);
    mica_spawn_bundle(f->world, bundle, NULL, 0); // so that the rows begin within a sheet
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, bundle, MANY, arrays, 5, entities));
    for (uint32_t i = 0; i < MANY; i++) {
        CHECK(MICA_GET(f->world, entities[i], f->position, Position)->x == (float)i);
        CHECK_EQUAL(100, MICA_GET(f->world, entities[i], f->health, Health)->points);
        CHECK(tracked_is(&f->tracker, mica_get(f->world, entities[i], f->moved), i));
        CHECK(tracked_is(&f->tracker, mica_get(f->world, entities[i], f->hooked), i));
        CHECK(mica_has(f->world, entities[i], f->player));
        tracked_drop(&f->tracker, &values[i]);
    }
    CHECK_TRACKED(&f->tracker, 2 * (MANY + 1));
    CHECK_EQUAL(MANY + 1, mica_entity_count(f->world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));

    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, bundle, 0, arrays, 5, entities));
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, bundle, 3, NULL, 0, NULL));
    CHECK_EQUAL(MANY + 4, mica_entity_count(f->world));
}

TEST_WITH(fixture, f, spawning_many_is_all_or_none)
{
    const mica_type types[] = {f->position, f->moved, f->frozen, f->hooked};
    mica_bundle bundle = mica_bundle_new(f->world, types, 4);
    mica_spawn_bundle(f->world, bundle, NULL, 0);
    mica_entity entities[12];
    memset(entities, 0xA5, sizeof entities);
    const mica_entity before = entities[0];
    for (uint32_t which = 1; which <= 24; which++) {
        f->tracker.until_failure = which;
        CHECK_EQUAL(MICA_ERROR_HOOK, mica_spawn_many(f->world, bundle, 12, NULL, 0, entities));
        CHECK_ERROR(&f->t, MICA_ERROR_HOOK,
                    which <= 12 ? "mica_spawn_many: the construct hook of 'Moved' failed"
                                : "mica_spawn_many: the construct hook of 'Hooked' failed");
        CHECK_EQUAL(1, mica_entity_count(f->world));
        CHECK_TRACKED(&f->tracker, 2);
        CHECK_EQUAL(before.bits, entities[0].bits);
        CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    }
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, bundle, 12, NULL, 0, entities));
    CHECK_EQUAL(1, mica_entity_slot(entities[0]));
}

// S0.7
TEST_WITH(fixture, f, the_entity_that_fills_the_hole_is_found_at_its_new_row)
{
    enum { COUNT = 10 };
    mica_entity entities[COUNT];
    bool alive[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        entities[i] = fixture_spawn(f, i);
        alive[i] = true;
    }
    static const uint32_t order[] = {0, 9, 4, 1, 8, 3, 7, 2, 6, 5};
    for (uint32_t k = 0; k < COUNT; k++) {
        CHECK_EQUAL(MICA_OK, mica_despawn(f->world, entities[order[k]]));
        alive[order[k]] = false;
        for (int32_t i = 0; i < COUNT; i++) {
            CHECK_EQUAL(alive[i], mica_alive(f->world, entities[i]));
            CHECK(!alive[i] || fixture_holds(f, entities[i], i));
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
        CHECK_TRACKED(&f->tracker, 2 * (COUNT - 1 - k));
    }
}

TEST_WITH(fixture, f, despawning_the_dead_is_an_error_and_harmless)
{
    mica_entity e = fixture_spawn(f, 1);
    mica_entity other = fixture_spawn(f, 2);
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, e));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(f->world, e));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_despawn: entity 0.0 is dead, or of another world");
    CHECK(fixture_holds(f, other, 2));
}

TEST_WITH(fixture, f, many_are_despawned_and_each_of_them_once)
{
    mica_entity entities[12];
    for (int32_t i = 0; i < 12; i++) {
        entities[i] = fixture_spawn(f, i);
    }
    const mica_entity gone[] = {entities[3], entities[11], entities[3], entities[0],
                                entities[7], entities[0],  entities[11]};
    CHECK_EQUAL(MICA_OK, mica_despawn_many(f->world, gone, 7));
    CHECK_EQUAL(8, mica_entity_count(f->world));
    for (int32_t i = 0; i < 12; i++) {
        bool is_gone = i == 3 || i == 11 || i == 0 || i == 7;
        CHECK_EQUAL(!is_gone, mica_alive(f->world, entities[i]));
        CHECK(is_gone || fixture_holds(f, entities[i], i));
    }
    CHECK_TRACKED(&f->tracker, 16);
    CHECK_EQUAL(MICA_OK, mica_despawn_many(f->world, NULL, 0));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_despawn_many(f->world, NULL, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_despawn_many: entities is null");
}

TEST_WITH(fixture, f, one_dead_among_many_keeps_them_all_alive)
{
    mica_entity entities[5];
    for (int32_t i = 0; i < 5; i++) {
        entities[i] = fixture_spawn(f, i);
    }
    mica_despawn(f->world, entities[2]);
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn_many(f->world, entities, 5));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY,
                "mica_despawn_many: entity 2.0 is dead, or of another world");
    CHECK_EQUAL(4, mica_entity_count(f->world));
    entities[2] = (mica_entity){0};
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn_many(f->world, entities, 5));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_despawn_many: the entity is none");
    CHECK_EQUAL(4, mica_entity_count(f->world));
    CHECK_TRACKED(&f->tracker, 8);
}

TEST_WITH(fixture, f, clearing_ends_every_entity_and_keeps_the_types)
{
    mica_query query = mica_query_new(
        f->world,
        &(mica_query_desc){.terms = {{f->position, MICA_READ}, {f->frozen, MICA_WITHOUT}}});
    mica_entity e = (mica_entity){0};
    for (int32_t i = 0; i < 9; i++) {
        e = fixture_spawn(f, i);
    }
    mica_entity_set_name(f->world, e, "last");
    mica_spawn(f->world, MICA_ADD(f->hooked));
    uint32_t tables = mica_world_get_stats(f->world).tables;
    CHECK_EQUAL(MICA_OK, mica_world_clear(f->world));
    CHECK_EQUAL(0, mica_entity_count(f->world));
    CHECK_EQUAL(0, mica_world_get_stats(f->world).rows);
    CHECK_EQUAL(tables, mica_world_get_stats(f->world).tables);
    CHECK_EQUAL(7, test_type_count(f->world));
    CHECK_EQUAL(0, mica_query_count(f->world, query));
    CHECK(!mica_alive(f->world, e));
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, "last")));
    CHECK_TRACKED(&f->tracker, 0);
    CHECK_EQUAL(0, mica_world_hash(f->world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));

    // The highest slot died last, so it is used first.
    e = fixture_spawn(f, 3);
    CHECK_EQUAL(9, mica_entity_slot(e));
    CHECK_EQUAL(1, mica_entity_generation(e));
    CHECK_EQUAL(1, mica_query_count(f->world, query));
    CHECK(fixture_holds(f, e, 3));
}

TEST_WITH(fixture, f, everything_structural_is_refused_while_a_query_is_iterated)
{
    mica_entity e = fixture_spawn(f, 1);
    const mica_type types[] = {f->position};
    mica_bundle bundle = mica_bundle_new(f->world, types, 1);
    mica_query query = mica_query_new(
        f->world, &(mica_query_desc){.terms = {{f->position, MICA_READ}}, .name = "sweep"});
    uint64_t digest = mica_world_digest(f->world);
    mica_iter it;
    mica_iter_begin(f->world, query, &it);
    REQUIRE(mica_iter_next(&it));
#define CHECK_REFUSED_AS(call, name, advice)                                                       \
    do {                                                                                           \
        CHECK(call);                                                                               \
        CHECK_ERROR(&f->t, MICA_ERROR_ITERATING,                                                   \
                    name ": refused while 'sweep' is being iterated; " advice                      \
                         "do it afterwards, or end that with mica_iter_end or, if it is lost, "    \
                         "mica_world_end_iterations");                                             \
    } while (0)
#define CHECK_REFUSED(call, name) CHECK_REFUSED_AS(call, name, "record it with mica_later, ")
    CHECK_REFUSED(MICA_IS_NONE(mica_spawn_values(f->world, NULL, 0)), "mica_spawn");
    CHECK_REFUSED_AS(MICA_IS_NONE(mica_spawn_at(f->world, mica_entity_make(9, 9))), "mica_spawn_at",
                     "");
    CHECK_REFUSED(MICA_IS_NONE(mica_spawn(f->world, MICA_ADD(f->position))), "mica_spawn");
    CHECK_REFUSED(MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, NULL, 0)), "mica_spawn_bundle");
    CHECK_REFUSED(mica_spawn_many(f->world, bundle, 1, NULL, 0, NULL), "mica_spawn_many");
    CHECK_REFUSED_AS(mica_bundle_reserve(f->world, bundle, 1000), "mica_bundle_reserve", "");
    CHECK_REFUSED(MICA_IS_NONE(mica_clone(f->world, e)), "mica_clone");
    CHECK_REFUSED(mica_despawn(f->world, e), "mica_despawn");
    CHECK_REFUSED(mica_despawn_many(f->world, &e, 1), "mica_despawn_many");
    CHECK_REFUSED(mica_add(f->world, e, f->frozen), "mica_add");
    CHECK_REFUSED(mica_remove(f->world, e, f->position), "mica_remove");
    CHECK_REFUSED(mica_set_value(f->world, e, f->health, &(Health){1}, sizeof(Health)),
                  "mica_set_value");
    CHECK_REFUSED(mica_set(f->world, e, MICA_VALUE(f->health, Health, 1)), "mica_set");
    CHECK_REFUSED(mica_change(f->world, e, NULL, 0, &f->position, 1), "mica_change");
    CHECK_REFUSED_AS(mica_world_clear(f->world), "mica_world_clear", "");
    CHECK_REFUSED_AS(mica_world_reclaim(f->world), "mica_world_reclaim", "");
    CHECK_REFUSED_AS(mica_world_free(f->world), "mica_world_free", "");
#undef CHECK_REFUSED
#undef CHECK_REFUSED_AS
    CHECK_EQUAL(digest, mica_world_digest(f->world));

    // What moves nothing is allowed.
    CHECK_EQUAL(MICA_OK, mica_add(f->world, e, f->position));
    CHECK_EQUAL(MICA_OK, test_add_types(f->world, e, types, 1));
    CHECK_EQUAL(MICA_OK, mica_remove(f->world, e, f->frozen));
    CHECK_EQUAL(MICA_OK, mica_change(f->world, e, NULL, 0, &f->frozen, 1));
    CHECK_EQUAL(MICA_OK, mica_set(f->world, e, MICA_VALUE(f->velocity, Velocity, 2, 0)));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, e, "e"));
    mica_iter_end(&it);
    CHECK(fixture_holds(f, e, 1));
}

TEST_WITH(fixture, f, a_bundle_made_during_iteration_disturbs_nothing)
{
    for (int32_t i = 0; i < 3; i++) {
        fixture_spawn(f, i);
    }
    mica_query query =
        mica_query_new(f->world, &(mica_query_desc){.terms = {{f->position, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(f->world, query, &it);
    uint32_t seen = 0;
    for (uint32_t i = 0; mica_iter_next(&it); i++) {
        seen += it.count;
        mica_type types[] = {f->position, f->frozen, f->health};
        for (uint32_t n = 1; n <= 3; n++) {
            CHECK(mica_bundle_new(f->world, types, n).bits != 0);
        }
    }
    CHECK_EQUAL(3, seen);
}

static void a_null_world_is_an_error(void)
{
    const mica_entity e = mica_entity_make(1, 1);
    CHECK(MICA_IS_NONE(mica_spawn_values(NULL, NULL, 0)));
    CHECK(MICA_IS_NONE(mica_spawn_bundle(NULL, (mica_bundle){0}, NULL, 0)));
    CHECK(MICA_IS_NONE(mica_clone(NULL, e)));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_spawn_many(NULL, (mica_bundle){0}, 1, NULL, 0, NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_despawn_many(NULL, &e, 1));
}

TESTS(spawn, an_entity_is_spawned_with_its_values, values_without_data_are_defaults,
      an_entity_may_be_spawned_without_values, of_two_values_of_one_type_the_later_counts,
      a_wrong_value_spawns_nothing, a_spawn_whose_hook_fails_leaves_the_count_as_it_was,
      at_the_limit_nothing_is_spawned, a_clone_has_the_same_components_with_copied_values,
      a_clone_that_fails_leaves_nothing, what_ends_but_cannot_be_copied_is_not_cloned,
      many_are_spawned_across_sheets, spawning_many_is_all_or_none,
      the_entity_that_fills_the_hole_is_found_at_its_new_row,
      despawning_the_dead_is_an_error_and_harmless, many_are_despawned_and_each_of_them_once,
      one_dead_among_many_keeps_them_all_alive, clearing_ends_every_entity_and_keeps_the_types,
      everything_structural_is_refused_while_a_query_is_iterated,
      a_bundle_made_during_iteration_disturbs_nothing, a_null_world_is_an_error)
