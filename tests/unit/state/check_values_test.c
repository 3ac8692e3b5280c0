// Tests of src/state/check_values.c.
#include <mica/query.h>

#include "unit/world/fixture.h"

static mica_query query_positions(const fixture *f)
{
    return mica_query_new(f->world, &(mica_query_desc){.terms = {{f->position, MICA_WRITE}}});
}

TEST_WITH(fixture, f, macros_know_how_many_values_there_are)
{
    Position several[3] = {{1, 2}, {3, 4}, {5, 6}};
    const Position *first = several;
    typedef float Matrix[4][4];
    Matrix matrices[2] = {{{1}}, {{2}}};
    const mica_value value = MICA_VALUE(f->position, Position, 1, 2); // one, known by its C type
    CHECK_EQUAL(0, value.count);
    CHECK_TEXT("Position", value.c_type);
    CHECK_EQUAL(1, MICA_COPY_OF(f->position, several[1]).count);
    CHECK_EQUAL(1, MICA_COPY_OF(f->position, *first).count);
    CHECK_EQUAL(1, MICA_COPY_OF(f->position, matrices[0]).count);
    CHECK_EQUAL(0, MICA_ADD(f->position).count);
    CHECK_EQUAL(0, MICA_COPY_OF_ARRAY(f->position, first).count);
    CHECK_EQUAL(0, MICA_COPY_OF_ARRAY(f->position, &several[1]).count);
#ifdef __GNUC__
    CHECK_EQUAL(3, MICA_COPY_OF_ARRAY(f->position, several).count);
    CHECK_EQUAL(2, MICA_COPY_OF_ARRAY(f->position, matrices).count);
#endif
    CHECK_EQUAL(8, MICA_COPY_OF_ARRAY(f->position, several).size);
    CHECK_EQUAL(64, MICA_COPY_OF_ARRAY(f->position, matrices).size);
}

TEST_WITH(fixture, f, one_value_is_not_enough_for_many_entities)
{
    const mica_type types[] = {f->position, f->frozen};
    mica_bundle bundle = mica_bundle_new(f->world, types, 2);
    const Position one = {1, 2};
    const Position four[4] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}};
    mica_value arrays[] = {MICA_COPY_OF(f->position, one), MICA_ADD(f->frozen)};
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_spawn_many(f->world, bundle, 10, arrays, 2, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_spawn_many: 1 value of 'Position' for 10 entities");
    arrays[0] = (mica_value){f->position, four, sizeof four[0], 4, NULL};
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_spawn_many(f->world, bundle, 5, arrays, 2, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_spawn_many: 4 values of 'Position' for 5 entities");
    CHECK_EQUAL(0, mica_entity_count(f->world));
    // More than enough, and nobody knows.
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, bundle, 3, arrays, 2, NULL));
    arrays[0].count = 0;
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, bundle, 4, arrays, 2, NULL));
    arrays[0] = MICA_COPY_OF(f->position, one);
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, bundle, 1, arrays, 2, NULL));
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, bundle, 0, arrays, 2, NULL));
    CHECK_EQUAL(8, mica_entity_count(f->world));
}

TEST_WITH(fixture, f, several_values_are_too_many_for_one_entity)
{
    mica_bundle bundle = mica_bundle_new(f->world, &f->position, 1);
    const Position two[2] = {{1, 2}, {3, 4}};
    const mica_value array = {f->position, two, sizeof two[0], 2, NULL};
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    CHECK(MICA_IS_NONE(mica_spawn(f->world, array)));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_spawn: 2 values of 'Position' for one entity");
    CHECK(MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, &array, 1)));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_spawn_bundle: 2 values of 'Position' for one entity");
    // The short cuts, which there are after the first, take as little.
    mica_entity first = mica_spawn_bundle(f->world, bundle, &MICA_COPY_OF(f->position, two[0]), 1);
    CHECK(MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, &array, 1)));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_spawn_bundle: 2 values of 'Position' for one entity");
    CHECK_EQUAL(MICA_OK, mica_remove(f->world, first, f->position));
    CHECK_EQUAL(MICA_OK, mica_set(f->world, first, MICA_COPY_OF(f->position, two[1])));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_set(f->world, e, array));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_set: 2 values of 'Position' for one entity");
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_set(f->world, first, array)); // it is there
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_set: 2 values of 'Position' for one entity");
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_change(f->world, e, &array, 1, NULL, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_change: 2 values of 'Position' for one entity");
    CHECK(!mica_has(f->world, e, f->position));
    CHECK_EQUAL(2, mica_entity_count(f->world));
    // One, and nobody knows.
    const mica_value known = {f->position, two, sizeof two[0], 1, NULL};
    const mica_value unknown = {f->position, two, sizeof two[0], 0, NULL};
    CHECK_EQUAL(MICA_OK, mica_set(f->world, e, known));
    CHECK_EQUAL(MICA_OK, mica_set(f->world, first, unknown));
    CHECK(!MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, &known, 1)));
    CHECK(!MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, &unknown, 1)));
}

TEST_WITH(fixture, f, a_whole_array_given_as_one_value_is_reported_of_the_right_macro)
{
    mica_bundle bundle = mica_bundle_new(f->world, &f->position, 1);
    Position ten[10] = {{0, 0}};
    const mica_value whole = MICA_COPY_OF(f->position, ten);
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_spawn_many(f->world, bundle, 10, &whole, 1, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE,
                "mica_spawn_many: component 'Position' has size 8, not 80; for an array use "
                "MICA_COPY_OF_ARRAY");
    CHECK(MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, &whole, 1)));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE,
                "mica_spawn_bundle: component 'Position' has size 8, not 80");
    const mica_value odd = {f->position, ten, 12, 0, NULL};
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_spawn_many(f->world, bundle, 10, &odd, 1, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_spawn_many: component 'Position' has size 8, not 12");
}

TEST_WITH(fixture, f, data_that_is_null_has_no_size)
{
    const mica_value value = {f->position, NULL, sizeof(Position), 0, NULL};
    mica_bundle bundle = mica_bundle_new(f->world, &f->position, 1);
    mica_entity bare = mica_spawn_values(f->world, NULL, 0);
    mica_entity full = mica_spawn_bundle(f->world, bundle, NULL, 0);
    CHECK(MICA_IS_NONE(mica_spawn(f->world, value)));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL,
                "mica_spawn: the data of 'Position' is null, but its size is 8");
    CHECK(MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, &value, 1)));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL,
                "mica_spawn_bundle: the data of 'Position' is null, but its size is 8");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_spawn_many(f->world, bundle, 2, &value, 1, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL,
                "mica_spawn_many: the data of 'Position' is null, but its size is 8");
    for (uint32_t i = 0; i < 2; i++) {
        mica_entity e = i == 0 ? bare : full;
        CHECK_EQUAL(MICA_ERROR_NULL, mica_set(f->world, e, value));
        CHECK_ERROR(&f->t, MICA_ERROR_NULL,
                    "mica_set: the data of 'Position' is null, but its size is 8");
        CHECK_EQUAL(MICA_ERROR_NULL, mica_set_value(f->world, e, f->position, NULL, 8));
        CHECK_ERROR(&f->t, MICA_ERROR_NULL,
                    "mica_set_value: the data of 'Position' is null, but its size is 8");
        CHECK_EQUAL(MICA_ERROR_NULL, mica_change(f->world, e, &value, 1, NULL, 0));
        CHECK_ERROR(&f->t, MICA_ERROR_NULL,
                    "mica_change: the data of 'Position' is null, but its size is 8");
    }
    CHECK_EQUAL(MICA_ERROR_NULL,
                mica_set_all(f->world, query_positions(f), f->position, NULL, 8, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL,
                "mica_set_all: the data of 'Position' is null, but its size is 8");
    CHECK(!mica_has(f->world, bare, f->position));
    CHECK_EQUAL(2, mica_entity_count(f->world));
}

// Data of a tag is not looked at, so it may be anything.
TEST_WITH(fixture, f, a_tag_has_size_0_and_any_data)
{
    const Position p = {1, 2};
    const mica_value tag = {f->frozen, &p, 0, 1, NULL};
    const mica_value sized = {f->frozen, &p, sizeof p, 1, NULL};
    mica_bundle bundle = mica_bundle_new(f->world, &f->frozen, 1);
    mica_query query = query_positions(f);
    mica_entity e = mica_spawn(f->world, tag, MICA_COPY_OF(f->position, p));
    CHECK(mica_has(f->world, e, f->frozen));
    CHECK_EQUAL(MICA_OK, mica_set(f->world, e, tag)); // it is there
    CHECK_EQUAL(MICA_OK, mica_set(f->world, e, tag, MICA_COPY_OF(f->position, p)));
    CHECK_EQUAL(MICA_OK, mica_set_value(f->world, e, f->player, &p, 0));
    CHECK_EQUAL(MICA_OK, mica_change(f->world, e, &tag, 1, &f->player, 1));
    CHECK_EQUAL(MICA_OK, mica_set_all(f->world, query, f->frozen, &p, 0, NULL));
    CHECK_EQUAL(MICA_OK, mica_set_all(f->world, query, f->player, &p, 0, NULL));
    CHECK(mica_has(f->world, e, f->player));
    CHECK(!MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, &tag, 1)));
    CHECK(!MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, &tag, 1)));
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, bundle, 3, &tag, 1, NULL));
    CHECK_EQUAL(6, mica_entity_count(f->world));

    CHECK(MICA_IS_NONE(mica_spawn(f->world, sized)));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_spawn: 'Frozen' is a tag and has no value");
    CHECK(MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, &sized, 1)));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_spawn_bundle: 'Frozen' is a tag and has no value");
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_spawn_many(f->world, bundle, 2, &sized, 1, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_spawn_many: 'Frozen' is a tag and has no value");
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_set_all(f->world, query, f->frozen, NULL, 4, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_set_all: 'Frozen' is a tag and has no value");
}

TEST_WITH(fixture, f, of_a_list_the_sentence_says_which)
{
    const mica_type none = (mica_type){0};
    const mica_type types[] = {f->position, none};
    const mica_value values[] = {MICA_ADD(f->position), MICA_ADD(f->velocity), MICA_ADD(none)};
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    CHECK(MICA_IS_NONE(mica_spawn_values(f->world, values, 3)));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_spawn: value 2: the component type is none; was it registered?");
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_set_values(f->world, e, values, 3));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_set: value 2: the component type is none; was it registered?");
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_change(f->world, e, &values[1], 1, types, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_change: type 1: the component type is none; was it registered?");
    CHECK_EQUAL(MICA_ERROR_TYPE, test_add_types(f->world, e, types, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_change: value 1: the component type is none; was it registered?");
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_change(f->world, e, NULL, 0, types, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_change: type 1: the component type is none; was it registered?");
    CHECK(MICA_IS_NONE(mica_bundle_new(f->world, types, 2)));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_bundle_new: type 1: the component type is none; was it registered?");
    mica_bundle bundle = mica_bundle_new(f->world, &f->position, 1);
    CHECK(MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, &values[2], 1)));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_spawn_bundle: value 0: the component type is none; was it registered?");
    // Where there is no list, there is nothing to say.
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_add(f->world, e, none));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE, "mica_add: the component type is none; was it registered?");
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_set(f->world, e, values[2]));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE, "mica_set: the component type is none; was it registered?");
}

TESTS(given, macros_know_how_many_values_there_are, one_value_is_not_enough_for_many_entities,
      several_values_are_too_many_for_one_entity,
      a_whole_array_given_as_one_value_is_reported_of_the_right_macro,
      data_that_is_null_has_no_size, a_tag_has_size_0_and_any_data,
      of_a_list_the_sentence_says_which)
