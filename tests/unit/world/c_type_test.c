// Tests of names of C types, which macros compare with the component's: mica/type.h. In every build.
#define MICA_CHECK_C_TYPES 1
#include "unit/world/fixture.h"

#include <string.h>

#define CHECK_OTHER(f, call, name, c_type, other)                                                  \
    CHECK_ERROR(&(f)->t, MICA_ERROR_C_TYPE,                                                        \
                call ": component '" name "' is of C type '" c_type "', not '" other "'")

static void two_structs_of_one_size_do_not_pass_for_each_other(void) // S0.5
{
    fixture f;
    fixture_begin(&f);
    mica_world *world = f.world;
    mica_entity e = mica_spawn(world, MICA_VALUE(f.position, Position, 1, 2),
                               MICA_VALUE(f.velocity, Velocity, 3, 4));
    REQUIRE(mica_alive(world, e));
    CHECK(MICA_GET(world, e, f.position, Position)->y == 2);
    CHECK(MICA_GET_MUT(world, e, f.velocity, Velocity)->y == 4);
    uint64_t digest = mica_world_digest(world);

    CHECK_POINTER(NULL, MICA_GET(world, e, f.position, Velocity));
    CHECK_OTHER(&f, "MICA_GET", "Position", "Position", "Velocity");
    CHECK_POINTER(NULL, MICA_GET_MUT(world, e, f.velocity, Position));
    CHECK_OTHER(&f, "MICA_GET_MUT", "Velocity", "Velocity", "Position");
    CHECK(MICA_IS_NONE(mica_spawn(world, MICA_VALUE(f.velocity, Position, 1, 2),
                                  MICA_VALUE(f.position, Velocity, 1, 2))));
    CHECK_OTHER(&f, "mica_spawn", "Velocity", "Velocity", "Position");
    CHECK_EQUAL(MICA_ERROR_C_TYPE,
                mica_set(world, e, MICA_VALUE(f.position, Position, 8, 9),
                         MICA_VALUE(f.velocity, Position, 1, 2), MICA_ADD(f.frozen)));
    CHECK_OTHER(&f, "mica_set", "Velocity", "Velocity", "Position");
    CHECK_EQUAL(digest, mica_world_digest(world)); // no effect
    fixture_end(&f);
}

TEST_WITH(fixture, f, the_name_is_looked_at_wherever_values_are_given)
{
    mica_world *world = f->world;
    mica_entity e = mica_spawn_values(world, NULL, 0);
    const mica_type types[] = {f->position, f->velocity};
    mica_bundle bundle = mica_bundle_new(world, types, 2);
    const mica_value right[] = {MICA_VALUE(f->position, Position, 1, 2),
                                MICA_VALUE(f->velocity, Velocity, 3, 4)};
    const mica_value wrong[] = {MICA_VALUE(f->position, Velocity, 1, 2),
                                MICA_VALUE(f->velocity, Position, 3, 4)};
    for (int i = 0; i < 3; i++) { // by the short cut, if there is one
        mica_entity one = mica_spawn_bundle(world, bundle, right, 2);
        REQUIRE(mica_alive(world, one));
        CHECK(MICA_GET(world, one, f->velocity, Velocity)->x == 3);
        one = mica_spawn(world, right[1], right[0]);
        CHECK(MICA_GET(world, one, f->position, Position)->y == 2);
    }
    uint64_t digest = mica_world_digest(world);
    CHECK(MICA_IS_NONE(mica_spawn_bundle(world, bundle, wrong, 2)));
    CHECK_OTHER(f, "mica_spawn_bundle", "Position", "Position", "Velocity");
    CHECK_EQUAL(MICA_ERROR_C_TYPE, mica_spawn_many(world, bundle, 1, wrong, 2, NULL));
    CHECK_OTHER(f, "mica_spawn_many", "Position", "Position", "Velocity");
    CHECK_EQUAL(MICA_ERROR_C_TYPE, mica_change(world, e, wrong, 2, NULL, 0));
    CHECK_OTHER(f, "mica_change", "Position", "Position", "Velocity");
    CHECK_EQUAL(MICA_ERROR_C_TYPE, mica_set_values(world, e, wrong, 2));
    CHECK_OTHER(f, "mica_set", "Position", "Position", "Velocity");
    CHECK(MICA_IS_NONE(mica_facet_add_values(world, e, f->frozen, 0, wrong, 2)));
    CHECK_OTHER(f, "mica_facet_add", "Position", "Position", "Velocity");
    CHECK_EQUAL(MICA_ERROR_C_TYPE,
                mica_resource_set(world, MICA_VALUE(f->position, Velocity, 1, 2)));
    CHECK_OTHER(f, "mica_resource_set", "Position", "Position", "Velocity");
    CHECK_EQUAL(MICA_ERROR_C_TYPE, mica_send(world, MICA_VALUE(f->position, Velocity, 1, 2)));
    CHECK_OTHER(f, "mica_send", "Position", "Position", "Velocity");
    CHECK_EQUAL(digest, mica_world_digest(world));

    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, bundle, 1, right, 2, NULL));
    CHECK_EQUAL(MICA_OK, mica_change(world, e, right, 2, NULL, 0));
    CHECK(MICA_GET(world, e, f->velocity, Velocity)->y == 4);
}

TEST_WITH(fixture, f, commands_are_compared_when_they_are_recorded)
{
    mica_world *later = mica_world_later(f->world);
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    CHECK(MICA_IS_NONE(mica_spawn(later, MICA_VALUE(f->position, Velocity, 1, 2))));
    CHECK_OTHER(f, "mica_spawn", "Position", "Position", "Velocity");
    CHECK_EQUAL(MICA_ERROR_C_TYPE, mica_set(later, e, MICA_VALUE(f->position, Velocity, 1, 2)));
    CHECK_OTHER(f, "mica_set", "Position", "Position", "Velocity");
    CHECK_EQUAL(MICA_OK, mica_set(later, e, MICA_VALUE(f->position, Position, 1, 2)));
    mica_entity spawned = mica_spawn(later, MICA_VALUE(f->position, Position, 5, 6));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK(MICA_GET(f->world, e, f->position, Position)->y == 2);
    CHECK(MICA_GET(f->world, spawned, f->position, Position)->y == 6);
}

TEST_WITH(fixture, f, the_name_is_looked_at_wherever_values_are_got)
{
    mica_world *world = f->world;
    mica_entity e = mica_spawn(world, MICA_VALUE(f->position, Position, 1, 2));
    mica_accessor positions = mica_accessor_new(world, f->position);
    CHECK(MICA_ACCESSOR_GET(&positions, e, Position)->y == 2);
    CHECK(MICA_ACCESSOR_GET_MUT(&positions, e, Position)->y == 2);
    CHECK_POINTER(NULL, MICA_ACCESSOR_GET(&positions, e, Velocity));
    CHECK_OTHER(f, "MICA_ACCESSOR_GET", "Position", "Position", "Velocity");
    CHECK_POINTER(NULL, MICA_ACCESSOR_GET_MUT(&positions, e, Velocity));
    CHECK_OTHER(f, "MICA_ACCESSOR_GET_MUT", "Position", "Position", "Velocity");

    mica_resource_set(world, MICA_VALUE(f->position, Position, 3, 4));
    CHECK(MICA_RESOURCE(world, f->position, Position)->y == 4);
    CHECK_POINTER(NULL, MICA_RESOURCE(world, f->position, Velocity));
    CHECK_OTHER(f, "MICA_RESOURCE", "Position", "Position", "Velocity");
    CHECK_POINTER(NULL, MICA_RESOURCE_MUT(world, f->position, Velocity));
    CHECK_OTHER(f, "MICA_RESOURCE_MUT", "Position", "Position", "Velocity");

    mica_cursor seen = {0};
    uint32_t count = 9;
    mica_send(world, MICA_VALUE(f->position, Position, 5, 6));
    CHECK_POINTER(NULL, MICA_EVENTS(world, f->position, Velocity, &seen, &count));
    CHECK_OTHER(f, "MICA_EVENTS", "Position", "Position", "Velocity");
    CHECK_EQUAL(0, count);
    CHECK(MICA_EVENTS(world, f->position, Position, &seen, &count)->y == 6); // it was not read
    CHECK_EQUAL(1, count);

    mica_query query =
        mica_query_new(world, &(mica_query_desc){.terms = {{f->position, MICA_WRITE}}});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        CHECK(MICA_READ_AS(&it, 0, Position)->y == 2);
        CHECK(MICA_WRITE_AS(&it, 0, Position)->y == 2);
        CHECK_POINTER(NULL, MICA_READ_AS(&it, 0, Velocity));
        CHECK_OTHER(f, "MICA_READ_AS", "Position", "Position", "Velocity");
        CHECK_POINTER(NULL, MICA_WRITE_AS(&it, 0, Velocity));
        CHECK_OTHER(f, "MICA_WRITE_AS", "Position", "Position", "Velocity");
        CHECK(MICA_READ_FIELD(&it, 0, Position, y).base != NULL);
        CHECK_POINTER(NULL, MICA_READ_FIELD(&it, 0, Velocity, y).base);
        CHECK_OTHER(f, "MICA_READ_FIELD", "Position", "Position", "Velocity");
        CHECK_POINTER(NULL, MICA_WRITE_FIELD(&it, 0, Velocity, y).base);
        CHECK_OTHER(f, "MICA_WRITE_FIELD", "Position", "Position", "Velocity");
    }
}

typedef struct Vec2 {
    float x, y;
} Vec2;
typedef Vec2 Place;
typedef int32_t Triple[3];

TEST_WITH(fixture, f, a_type_of_several_names_has_one_here_or_none)
{
    mica_world *world = f->world;
    mica_type place = MICA_REGISTER(world, Place, x, y);
    mica_entity e = mica_spawn(world, MICA_VALUE(place, Place, 1, 2));
    CHECK_POINTER(NULL, MICA_GET(world, e, place, Vec2));
    CHECK_OTHER(f, "MICA_GET", "Place", "Place", "Vec2");
    CHECK(((const Vec2 *)mica_get(world, e, place))->y == 2); // which knows no names

    mica_type_desc desc = MICA_DESCRIBE(Place, x, y);
    desc.name = "Spot";
    desc.c_type = "struct Vec2"; // as it is spoken of
    mica_type spot = mica_type_register(world, &desc);
    CHECK_TEXT("struct Vec2", mica_type_get_info(world, spot)->c_type);
    CHECK_EQUAL(MICA_OK, mica_set(world, e, MICA_VALUE(spot, Vec2, 3, 4)));
    CHECK(MICA_GET(world, e, spot, struct Vec2)->y == 4);
    CHECK(MICA_GET_MUT(world, e, spot, const Vec2)->y == 4);

    desc.name = "Anything";
    desc.c_type = NULL;
    mica_type anything = mica_type_register(world, &desc);
    CHECK_POINTER(NULL, mica_type_get_info(world, anything)->c_type);
    CHECK_EQUAL(MICA_OK, mica_set(world, e, MICA_VALUE(anything, Vec2, 5, 6)));
    CHECK(MICA_GET(world, e, anything, Position)->y == 6); // what has no name is not compared
}

TEST_WITH(test_world, t, names_fit_whatever_stands_before_them)
{
    mica_world *world = t->world;
    mica_type_desc desc = {.name = "T", .size = 4, .align = 4, .c_type = "game::Position"};
    mica_type type = mica_type_register(world, &desc);
    mica_entity e = mica_spawn(world, MICA_ADD(type));
    static const char *const fit[] = {
        "game::Position",   "Position",           "struct Position", "const struct game::Position",
        "::game::Position", "my::game::Position", "class Position"};
    static const char *const others[] = {
        "Velocity",  "NoPosition",           "::", "game", "osition", "other::Position", "",
        "PositionX", "game::Position::Inner"};
    for (size_t i = 0; i < sizeof fit / sizeof *fit; i++) {
        CHECK(mica_get_as(world, e, type, 4, fit[i]) != NULL);
    }
    CHECK_EQUAL(MICA_OK, mica_last_error(world)->code);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CHECK(mica_get_as(world, e, type, 4, others[i]) == NULL);
        CHECK_EQUAL(MICA_ERROR_C_TYPE, mica_last_error(world)->code);
        test_error_clear(&t->error);
    }
}

TEST_WITH(fixture, f, the_name_is_registered_with_the_type)
{
    mica_world *world = f->world;
    CHECK_TEXT("Position", mica_type_get_info(world, f->position)->c_type);
    CHECK_POINTER(NULL, mica_type_get_info(world, f->frozen)->c_type);
    // Again, with another; without one; and as somebody else may write it.
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.c_type = "Velocity";
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(&f->t, MICA_ERROR_SHAPE,
                "mica_type_register: 'Position' is registered with another C type");
    desc.c_type = NULL;
    CHECK(MICA_EQUAL(f->position, mica_type_register(world, &desc)));
    desc.c_type = "struct Position";
    CHECK(MICA_EQUAL(f->position, mica_type_register(world, &desc)));
    CHECK_TEXT("Position", mica_type_get_info(world, f->position)->c_type);

    char long_name[MICA_NAME_SIZE_MAX + 2];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    desc.c_type = long_name;
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(
        &f->t, MICA_ERROR_NAME,
        "mica_type_register: the name of the C type of 'Position' is longer than 255 bytes");
}

TEST_WITH(test_world, t, values_of_any_type_carry_their_name)
{
    mica_world *world = t->world;
    mica_type real = MICA_REGISTER(world, double);
    mica_type letter = MICA_REGISTER(world, char);
    mica_type flag = MICA_REGISTER(world, bool);
    mica_type triple = MICA_REGISTER(world, Triple);
    mica_entity e = mica_spawn(world, MICA_VALUE(real, double, 1.5), MICA_VALUE(letter, char, 'm'),
                               MICA_VALUE(flag, bool, true), MICA_VALUE(triple, Triple, 1, 2, 3));
    CHECK(*MICA_GET(world, e, real, double) == 1.5);
    CHECK_EQUAL('m', *MICA_GET(world, e, letter, char));
    CHECK(*MICA_GET(world, e, flag, bool));
    CHECK_EQUAL(3, ((const int32_t *)mica_get(world, e, triple))[2]);
    // A wrong size is that, whatever the name.
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_set(world, e, MICA_VALUE(real, char, 'x')));
    CHECK_ERROR(t, MICA_ERROR_SIZE, "mica_set: component 'double' has size 8, not 1");
    mica_type tag = MICA_TAG(world, Tag);
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_set(world, e, MICA_VALUE(tag, char, 'x')));
    CHECK_ERROR(t, MICA_ERROR_SIZE, "mica_set: 'Tag' is a tag and has no value");
}

TESTS(c_type, two_structs_of_one_size_do_not_pass_for_each_other,
      the_name_is_looked_at_wherever_values_are_given, commands_are_compared_when_they_are_recorded,
      the_name_is_looked_at_wherever_values_are_got, a_type_of_several_names_has_one_here_or_none,
      names_fit_whatever_stands_before_them, the_name_is_registered_with_the_type,
      values_of_any_type_carry_their_name)
