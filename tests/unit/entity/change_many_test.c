// Tests of src/entity/change_many.c.
#include "entity/change.h"

#include "entity/bundle.h"
#include "unit/world/fixture.h"

// Bundles

static const micai_bundle *open_bundle(const fixture *f, const mica_type *types, uint32_t count)
{
    mica_bundle bundle = mica_bundle_new(f->world, types, count);
    const micai_bundle *found = micai_bundle_open(f->world, "test", bundle);
    REQUIRE(found != NULL);
    return found;
}

TEST_WITH(fixture, f, a_change_of_a_bundle_spawns_into_the_table_that_was_prepared)
{
    const mica_type types[] = {f->player, f->moved, f->position};
    const micai_bundle *bundle = open_bundle(f, types, 3);
    uint32_t tables = mica_world_get_stats(f->world).tables;
    micai_change c;
    mica_result result = micai_change_begin_bundle(&c, f->world, "test", bundle);
    for (uint32_t i = 0; i < 3; i++) {
        result = result ? result : micai_change_give(&c, bundle->types[i], NULL);
    }
    CHECK_EQUAL(MICA_OK, result ? result : micai_change_run(&c));
    mica_entity e = micai_change_end(&c);
    CHECK(mica_has(f->world, e, f->player) && mica_has(f->world, e, f->position));
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->moved), TRACKED_DEFAULT));
    CHECK_EQUAL(tables, mica_world_get_stats(f->world).tables);
    CHECK_POINTER(fixture_table(f, e), bundle->spawn->target);

    mica_iter it;
    mica_iter_begin(f->world, mica_query_new(f->world, &(mica_query_desc){.everything = true}),
                    &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, micai_change_begin_bundle(&c, f->world, "test", bundle));
    CHECK(MICA_IS_NONE(micai_change_end(&c)));
    mica_iter_end(&it);
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
}

static uint32_t fast_paths_of(const micai_bundle *bundle)
{
    return bundle->spawn->fast_paths;
}

// Tags need no filling in, values do: of one with hooks, bytes are not enough.
TEST_WITH(fixture, f, a_bundle_takes_the_fast_path_if_all_its_values_are_bytes)
{
    const mica_type bytes[] = {f->player, f->position, f->health};
    const mica_type hooked[] = {f->player, f->hooked};
    CHECK_EQUAL(MICAI_FAST_ALL, fast_paths_of(open_bundle(f, bytes, 0)));
    CHECK_EQUAL(MICAI_FAST_ALL, fast_paths_of(open_bundle(f, bytes, 1)));
    CHECK_EQUAL(MICAI_FAST_ALL, fast_paths_of(open_bundle(f, bytes, 3)));
    CHECK_EQUAL(MICAI_FAST_UNOBSERVED | MICAI_FAST_UNMATCHED,
                fast_paths_of(open_bundle(f, hooked, 2)));
}

// Whole tables

static const micai_type *type_of(const fixture *f, mica_type type)
{
    return micai_registry_find(&f->world->state->registry, type);
}

TEST_WITH(fixture, f, tables_that_are_listed_are_changed_and_no_others)
{
    mica_entity has = fixture_spawn(f, 1);
    mica_entity lacks = mica_spawn(f->world, MICA_ADD(f->frozen));
    mica_entity other = mica_spawn(f->world, MICA_ADD(f->health));
    micai_table *tables[] = {fixture_table(f, has), fixture_table(f, lacks)};
    tracked value = tracked_make(&f->tracker, 50);
    const micai_type *hooked = type_of(f, f->hooked);
    CHECK_EQUAL(MICA_OK, micai_change_tables(f->world, tables, 2, hooked, false, &value));
    CHECK(tracked_is(&f->tracker, mica_get(f->world, has, f->hooked), 50));
    CHECK(tracked_is(&f->tracker, mica_get(f->world, lacks, f->hooked), 50));
    CHECK(!mica_has(f->world, other, f->hooked));

    // Without data, what is there stays as it is.
    micai_table *again[] = {fixture_table(f, has), fixture_table(f, lacks),
                            fixture_table(f, other)};
    CHECK_EQUAL(MICA_OK, micai_change_tables(f->world, again, 3, hooked, false, NULL));
    CHECK(tracked_is(&f->tracker, mica_get(f->world, has, f->hooked), 50));
    CHECK(tracked_is(&f->tracker, mica_get(f->world, other, f->hooked), TRACKED_DEFAULT));

    micai_table *last[] = {fixture_table(f, has), fixture_table(f, other)};
    CHECK_EQUAL(MICA_OK, micai_change_tables(f->world, last, 2, hooked, true, NULL));
    CHECK(!mica_has(f->world, has, f->hooked) && !mica_has(f->world, other, f->hooked));
    CHECK(mica_has(f->world, lacks, f->hooked) && mica_has(f->world, has, f->moved));
    tracked_drop(&f->tracker, &value);
    CHECK_TRACKED(&f->tracker, 2);
}

// The data lies in a table that is overwritten, and grows.
TEST_WITH(fixture, f, a_value_of_the_world_itself_can_be_given_to_all)
{
    mica_entity has = fixture_spawn(f, 1);
    mica_entity others[20];
    for (uint32_t i = 0; i < 20; i++) {
        others[i] = mica_spawn(f->world, MICA_ADD(f->position), MICA_ADD(f->velocity),
                               MICA_ADD(f->player), MICA_ADD(f->moved));
    }
    micai_table *tables[] = {fixture_table(f, has), fixture_table(f, others[0])};
    const void *data = mica_get(f->world, has, f->hooked);
    CHECK_EQUAL(MICA_OK,
                micai_change_tables(f->world, tables, 2, type_of(f, f->hooked), false, data));
    CHECK(fixture_holds(f, has, 1));
    for (uint32_t i = 0; i < 20; i++) {
        CHECK(tracked_is(&f->tracker, mica_get(f->world, others[i], f->hooked), 1));
    }
}

// Ends

TEST_WITH(fixture, f, an_entity_ends_once_however_often_it_is_listed)
{
    mica_entity e = fixture_spawn(f, 1);
    mica_entity other = fixture_spawn(f, 2);
    const mica_entity list[] = {e, e, e};
    CHECK_EQUAL(MICA_OK, micai_despawn_many(f->world, "test", list, 3));
    CHECK(!mica_alive(f->world, e) && fixture_holds(f, other, 2));
    CHECK_EQUAL(1, mica_entity_count(f->world));
    CHECK_TRACKED(&f->tracker, 2);
}

static void an_end_takes_the_name_along(void)
{
    for (int way = 0; way < 3; way++) {
        fixture f;
        fixture_begin(&f);
        mica_entity e = fixture_spawn(&f, 1);
        mica_entity other = mica_spawn_values(f.world, NULL, 0);
        mica_entity_set_name(f.world, e, "gone");
        mica_entity_set_name(f.world, other, "other");
        micai_state *state = f.world->state;
        micai_row row = micai_row_of(&state->store, micai_slots_find(&state->slots, e));
        switch (way) {
        case 0: CHECK_EQUAL(MICA_OK, micai_despawn_many(f.world, "test", &e, 1)); break;
        case 1: micai_despawn_table(f.world, micai_row_table(row)); break;
        default: micai_despawn_all(f.world, "test");
        }
        CHECK(!mica_alive(f.world, e));
        CHECK(MICA_IS_NONE(mica_entity_find(f.world, "gone")));
        CHECK_EQUAL(way < 2, mica_alive(f.world, other));
        CHECK_EQUAL(way < 2, !MICA_IS_NONE(mica_entity_find(f.world, "other")));
        CHECK_TRACKED(&f.tracker, 0);
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
        fixture_end(&f);
    }
}

// W4
TEST_WITH(fixture, f, names_are_a_side_table_in_use_while_there_are_any)
{
    micai_state *state = f->world->state;
    mica_entity e[3];
    for (uint32_t i = 0; i < 3; i++) {
        e[i] = mica_spawn_values(f->world, NULL, 0);
    }
    CHECK_EQUAL(0, state->side_tables_in_use);
    mica_entity_set_name(f->world, e[0], "a");
    mica_entity_set_name(f->world, e[0], "b");
    mica_entity_set_name(f->world, e[1], "c");
    CHECK_EQUAL(1, state->side_tables_in_use);
    mica_entity_set_name(f->world, e[0], NULL);
    CHECK_EQUAL(1, state->side_tables_in_use);
    mica_despawn(f->world, e[1]);
    CHECK_EQUAL(0, state->side_tables_in_use);
    mica_entity_set_name(f->world, e[2], "d");
    state->side_tables_in_use = 0;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(f->world));
    CHECK_ERROR(&f->t, MICA_ERROR_CORRUPT,
                "invariant W6 is broken: there are 1 side tables in use, not 0");
    state->side_tables_in_use = 1;
    mica_world_clear(f->world);
    CHECK_EQUAL(0, state->side_tables_in_use);
}

TESTS(change_many, a_change_of_a_bundle_spawns_into_the_table_that_was_prepared,
      a_bundle_takes_the_fast_path_if_all_its_values_are_bytes,
      tables_that_are_listed_are_changed_and_no_others,
      a_value_of_the_world_itself_can_be_given_to_all,
      an_entity_ends_once_however_often_it_is_listed, an_end_takes_the_name_along,
      names_are_a_side_table_in_use_while_there_are_any)
