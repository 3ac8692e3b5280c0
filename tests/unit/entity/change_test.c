// Tests of src/entity/change.c.
#include <mica/component.h>

#include <stdio.h>
#include <string.h>

#include "state/state.h"
#include "unit/world/fixture.h"

// S3.3
TEST_WITH(fixture, f, adding_gives_a_default_and_carries_the_rest)
{
    mica_entity entities[10];
    for (int32_t i = 0; i < 10; i++) {
        entities[i] = fixture_spawn(f, i);
    }
    const uint32_t copies = f->tracker.copies;
    for (int32_t i = 0; i < 10; i += 3) {
        CHECK_EQUAL(MICA_OK, mica_add(f->world, entities[i], f->health));
        CHECK_EQUAL(MICA_OK, mica_add(f->world, entities[i], f->frozen));
    }
    for (int32_t i = 0; i < 10; i++) {
        const Health *health = MICA_GET(f->world, entities[i], f->health, Health);
        CHECK_EQUAL(i % 3 == 0, health != NULL);
        CHECK(health == NULL || health->points == 100);
        CHECK_EQUAL(i % 3 == 0, mica_has(f->world, entities[i], f->frozen));
        CHECK(fixture_holds(f, entities[i], i));
    }
    CHECK_EQUAL(copies, f->tracker.copies); // values are moved, never cloned
    CHECK_EQUAL(0, f->tracker.constructs);
    CHECK_TRACKED(&f->tracker, 20);

    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_add(f->world, e, f->moved));
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->moved), TRACKED_DEFAULT));
    CHECK_EQUAL(1, f->tracker.constructs);
}

TEST_WITH(fixture, f, removing_ends_the_value_and_carries_the_rest)
{
    mica_entity entities[10];
    for (int32_t i = 0; i < 10; i++) {
        entities[i] = fixture_spawn(f, i);
    }
    for (int32_t i = 0; i < 10; i += 2) {
        CHECK_EQUAL(MICA_OK, mica_remove(f->world, entities[i], f->moved));
    }
    for (int32_t i = 0; i < 10; i++) {
        CHECK_EQUAL(i % 2 != 0, mica_has(f->world, entities[i], f->moved));
        CHECK(i % 2 == 0 || fixture_holds(f, entities[i], i));
        CHECK(tracked_is(&f->tracker, mica_get(f->world, entities[i], f->hooked), i));
        CHECK(MICA_GET(f->world, entities[i], f->position, Position)->x == (float)i);
    }
    CHECK_TRACKED(&f->tracker, 15);
    CHECK_EQUAL(MICA_OK, mica_remove(f->world, entities[1], f->player)); // a tag
    CHECK(!mica_has(f->world, entities[1], f->player));
}

// S3.3
TEST_WITH(fixture, f, what_changes_nothing_moves_nothing)
{
    fixture_spawn(f, 0);
    mica_entity e = fixture_spawn(f, 1);
    fixture_spawn(f, 2);
    const void *position = mica_get(f->world, e, f->position);
    mica_world_stats before = mica_world_get_stats(f->world);
    uint64_t digest = mica_world_digest(f->world);
    tracker watched = f->tracker;
    const mica_type there[] = {f->player, f->moved, f->position};
    const mica_type absent[] = {f->frozen, f->health};
    CHECK_EQUAL(MICA_OK, mica_add(f->world, e, f->position));
    CHECK_EQUAL(MICA_OK, mica_add(f->world, e, f->player));
    CHECK_EQUAL(MICA_OK, mica_add(f->world, e, f->moved));
    CHECK_EQUAL(MICA_OK, test_add_types(f->world, e, there, 3));
    CHECK_EQUAL(MICA_OK, mica_change(f->world, e, NULL, 0, NULL, 0));
    CHECK_EQUAL(MICA_OK, mica_remove(f->world, e, f->frozen));
    CHECK_EQUAL(MICA_OK, mica_remove(f->world, e, f->health));
    CHECK_EQUAL(MICA_OK, mica_change(f->world, e, NULL, 0, absent, 2));
    CHECK_EQUAL(MICA_OK, mica_change(f->world, e, NULL, 0, NULL, 0));
    CHECK_EQUAL(MICA_OK, mica_set_value(f->world, e, f->position, NULL, 0));
    CHECK_EQUAL(MICA_OK, mica_set_value(f->world, e, f->player, NULL, 0));
    CHECK_EQUAL(MICA_OK, mica_set(f->world, e, MICA_ADD(f->position), MICA_ADD(f->moved)));
    CHECK_EQUAL(MICA_OK, mica_set_values(f->world, e, NULL, 0));
    CHECK_EQUAL(MICA_OK, mica_change(f->world, e, NULL, 0, absent, 2));
    CHECK_EQUAL(MICA_OK, mica_change(f->world, e, NULL, 0, NULL, 0));
    mica_world_stats after = mica_world_get_stats(f->world);
    CHECK_EQUAL(before.row_moves, after.row_moves);
    CHECK_EQUAL(before.tables, after.tables);
    CHECK_EQUAL(digest, mica_world_digest(f->world));
    CHECK_POINTER(position, mica_get(f->world, e, f->position));
    CHECK_EQUAL(0, memcmp(&watched, &f->tracker, sizeof watched));
}

TEST_WITH(fixture, f, setting_adds_what_is_absent_and_overwrites_what_is_there)
{
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    Position p = {3, 4};
    CHECK_EQUAL(MICA_OK, mica_set_value(f->world, e, f->position, &p, sizeof p));
    CHECK_BYTES(&p, mica_get(f->world, e, f->position), sizeof p);
    uint64_t moves = fixture_moves(f);
    p.x = 5;
    CHECK_EQUAL(MICA_OK, mica_set_value(f->world, e, f->position, &p, sizeof p));
    CHECK_BYTES(&p, mica_get(f->world, e, f->position), sizeof p);
    CHECK_EQUAL(moves, fixture_moves(f));
    CHECK_EQUAL(MICA_OK, mica_set_value(f->world, e, f->health, NULL, 0)); // adds only
    CHECK_EQUAL(100, MICA_GET(f->world, e, f->health, Health)->points);
    CHECK_EQUAL(MICA_OK, mica_set_value(f->world, e, f->frozen, NULL, 0));
    CHECK(mica_has(f->world, e, f->frozen));
    CHECK_BYTES(&p, mica_get(f->world, e, f->position), sizeof p);
}

TEST_WITH(fixture, f, overwriting_copies_the_new_value_and_ends_the_old_one)
{
    mica_entity e = fixture_spawn(f, 1);
    tracked value = tracked_make(&f->tracker, 50);
    const mica_type types[] = {f->moved, f->hooked};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t copies = f->tracker.copies;
        uint32_t ends = f->tracker.destructs;
        CHECK_EQUAL(MICA_OK, mica_set_value(f->world, e, types[i], &value, sizeof value));
        CHECK(tracked_is(&f->tracker, mica_get(f->world, e, types[i]), 50));
        CHECK_EQUAL(copies + 1, f->tracker.copies);
        CHECK_EQUAL(ends + 1, f->tracker.destructs);
        CHECK_TRACKED(&f->tracker, 3);

        f->tracker.until_failure = 1;
        CHECK_EQUAL(MICA_ERROR_HOOK, mica_set_value(f->world, e, types[i], &value, sizeof value));
        CHECK_ERROR(&f->t, MICA_ERROR_HOOK,
                    i == 0 ? "mica_set_value: the copy hook of 'Moved' failed"
                           : "mica_set_value: the copy hook of 'Hooked' failed");
        CHECK(tracked_is(&f->tracker, mica_get(f->world, e, types[i]), 50));
        CHECK_TRACKED(&f->tracker, 3);
    }
    // From itself.
    CHECK_EQUAL(MICA_OK, mica_set_value(f->world, e, f->moved, mica_get(f->world, e, f->moved),
                                        sizeof(tracked)));
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->moved), 50));
    tracked_drop(&f->tracker, &value);
    CHECK_TRACKED(&f->tracker, 2);
}

TEST_WITH(fixture, f, a_value_may_be_set_to_itself)
{
    mica_entity e = fixture_spawn(f, 3);
    const mica_type types[] = {f->position, f->velocity, f->moved, f->hooked};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t size = mica_type_get_info(f->world, types[i])->size;
        CHECK_EQUAL(MICA_OK,
                    mica_set_value(f->world, e, types[i], mica_get(f->world, e, types[i]), size));
    }
    CHECK(fixture_holds(f, e, 3));
    CHECK_TRACKED(&f->tracker, 2);
}

TEST_WITH(fixture, f, an_addition_that_fails_leaves_the_entity_where_it_was)
{
    mica_entity e = mica_spawn(f->world, MICA_VALUE(f->position, Position, 1, 2));
    uint64_t moves = fixture_moves(f);
    tracked value = tracked_make(&f->tracker, 50);
    f->tracker.until_failure = 1;
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_add(f->world, e, f->moved));
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK, "mica_add: the construct hook of 'Moved' failed");
    f->tracker.until_failure = 1;
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_set_value(f->world, e, f->moved, &value, sizeof value));
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK, "mica_set_value: the copy hook of 'Moved' failed");
    const mica_type both[] = {f->hooked, f->moved};
    for (uint32_t which = 1; which <= 2; which++) {
        f->tracker.until_failure = which;
        CHECK_EQUAL(MICA_ERROR_HOOK, test_add_types(f->world, e, both, 2));
        CHECK_ERROR(&f->t, MICA_ERROR_HOOK,
                    which == 1 ? "mica_change: the construct hook of 'Hooked' failed"
                               : "mica_change: the construct hook of 'Moved' failed");
    }
    CHECK_EQUAL(moves, fixture_moves(f));
    CHECK(!mica_has(f->world, e, f->moved) && !mica_has(f->world, e, f->hooked));
    CHECK(MICA_GET(f->world, e, f->position, Position)->y == 2);
    tracked_drop(&f->tracker, &value);
    CHECK_TRACKED(&f->tracker, 0);
}

// S3: telling an addition from a removal by "new > old" is wrong for a mixed change. Types with
// lower and with higher numbers come and go in one move.
TEST_WITH(fixture, f, a_mixed_change_is_one_move_whatever_the_numbers)
{
    const mica_type pairs[][2] = {
        {f->position, f->health}, // the lower one is removed, the higher added: the set grows
        {f->health, f->position}, // the other way round: it shrinks
        {f->frozen, f->player},   {f->player, f->frozen}, {f->moved, f->hooked},
        {f->hooked, f->moved},    {f->frozen, f->moved},  {f->moved, f->frozen},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        mica_type gone = pairs[i][0];
        mica_type come = pairs[i][1];
        mica_entity e =
            mica_spawn(f->world, MICA_VALUE(f->velocity, Velocity, 7, 8), MICA_ADD(gone));
        uint64_t moves = fixture_moves(f);
        const mica_value value = MICA_ADD(come);
        CHECK_EQUAL(MICA_OK, mica_change(f->world, e, &value, 1, &gone, 1));
        CHECK_EQUAL(moves + 1, fixture_moves(f));
        CHECK(!mica_has(f->world, e, gone));
        CHECK(mica_has(f->world, e, come));
        CHECK(MICA_GET(f->world, e, f->velocity, Velocity)->x == 7);
        mica_type_set types = {0};
        mica_entity_types(f->world, e, &types);
        CHECK_EQUAL(2, mica_type_set_count(&types));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    }
    CHECK_TRACKED(&f->tracker, 3);
}

// S3.3
TEST_WITH(fixture, f, several_changes_at_once_are_one_move)
{
    mica_entity first = fixture_spawn(f, 0);
    mica_entity e = fixture_spawn(f, 1);
    tracked value = tracked_make(&f->tracker, 77);
    uint64_t moves = fixture_moves(f);
    uint32_t copies = f->tracker.copies;
    const mica_value values[] = {
        {f->moved, &value, sizeof value, 1, NULL}, // overwrites
        MICA_VALUE(f->position, Position, 9, 9),   // overwrites
        MICA_VALUE(f->health, Health, 5),          // is new
        MICA_ADD(f->velocity),                     // is there: stays
        MICA_ADD(f->frozen),
    };
    const mica_type removed[] = {f->hooked, f->player};
    CHECK_EQUAL(MICA_OK, mica_change(f->world, e, values, 5, removed, 2));
    CHECK_EQUAL(moves + 1, fixture_moves(f)); // it was the last row
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->moved), 77));
    CHECK_EQUAL(copies + 1, f->tracker.copies);
    CHECK(MICA_GET(f->world, e, f->position, Position)->x == 9);
    CHECK_EQUAL(5, MICA_GET(f->world, e, f->health, Health)->points);
    CHECK(MICA_GET(f->world, e, f->velocity, Velocity)->x == 2);
    CHECK(mica_has(f->world, e, f->frozen));
    CHECK(!mica_has(f->world, e, f->hooked) && !mica_has(f->world, e, f->player));
    tracked_drop(&f->tracker, &value);
    CHECK_TRACKED(&f->tracker, 3);
    CHECK(fixture_holds(f, first, 0));

    // Back, in one move, too.
    moves = fixture_moves(f);
    const mica_type all[] = {f->hooked, f->player};
    CHECK_EQUAL(MICA_OK, test_add_types(f->world, e, all, 2));
    const mica_type off[] = {f->frozen, f->health, f->frozen};
    CHECK_EQUAL(MICA_OK, mica_change(f->world, e, NULL, 0, off, 3));
    CHECK_EQUAL(moves + 2, fixture_moves(f));
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->hooked), TRACKED_DEFAULT));
    CHECK_POINTER(NULL, mica_get(f->world, e, f->health));
}

TEST_WITH(fixture, f, a_change_that_fails_changes_nothing)
{
    mica_entity e =
        mica_spawn(f->world, MICA_ADD(f->moved), MICA_VALUE(f->position, Position, 1, 2));
    tracked value = tracked_make(&f->tracker, 77);
    const mica_value values[] = {MICA_VALUE(f->position, Position, 5, 5),
                                 {f->moved, &value, sizeof value, 1, NULL},
                                 {f->hooked, &value, sizeof value, 1, NULL},
                                 MICA_ADD(f->frozen)};
    uint64_t digest = mica_world_digest(f->world);
    for (uint32_t which = 1; which <= 2; which++) {
        f->tracker.until_failure = which;
        CHECK_EQUAL(MICA_ERROR_HOOK, mica_set_values(f->world, e, values, 4));
        CHECK_ERROR(&f->t, MICA_ERROR_HOOK,
                    which == 1 ? "mica_set: the copy hook of 'Moved' failed"
                               : "mica_set: the copy hook of 'Hooked' failed");
        CHECK_EQUAL(digest, mica_world_digest(f->world));
        CHECK_TRACKED(&f->tracker, 2);
    }
    // The second of two copies that overwrite.
    CHECK_EQUAL(MICA_OK, mica_add(f->world, e, f->hooked));
    f->tracker.until_failure = 2;
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_set_values(f->world, e, values, 3));
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK, "mica_set: the copy hook of 'Hooked' failed");
    CHECK(MICA_GET(f->world, e, f->position, Position)->x == 1);
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->moved), TRACKED_DEFAULT));
    CHECK_TRACKED(&f->tracker, 3);
    tracked_drop(&f->tracker, &value);
}

TEST_WITH(fixture, f, of_two_settings_of_one_type_the_later_counts)
{
    tracked one = tracked_make(&f->tracker, 1);
    tracked two = tracked_make(&f->tracker, 2);
    const mica_value values[] = {MICA_VALUE(f->position, Position, 1, 1),
                                 {f->moved, &one, sizeof one, 1, NULL},
                                 MICA_VALUE(f->position, Position, 2, 2),
                                 {f->moved, &two, sizeof two, 1, NULL}};
    mica_entity there = mica_spawn(f->world, MICA_ADD(f->position), MICA_ADD(f->moved));
    mica_entity absent = mica_spawn_values(f->world, NULL, 0);
    const mica_entity both[] = {there, absent};
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_EQUAL(MICA_OK, mica_set_values(f->world, both[i], values, 4));
        CHECK(MICA_GET(f->world, both[i], f->position, Position)->x == 2);
        CHECK(tracked_is(&f->tracker, mica_get(f->world, both[i], f->moved), 2));
    }
    CHECK_TRACKED(&f->tracker, 4);

    // A value and, later, none: there is nothing to set, with hooks or without.
    const mica_value undone[] = {MICA_VALUE(f->position, Position, 3, 3),
                                 {f->moved, &one, sizeof one, 1, NULL},
                                 MICA_ADD(f->position),
                                 MICA_ADD(f->moved)};
    CHECK_EQUAL(MICA_OK, mica_set_values(f->world, there, undone, 4));
    CHECK(MICA_GET(f->world, there, f->position, Position)->x == 2);
    CHECK(tracked_is(&f->tracker, mica_get(f->world, there, f->moved), 2));

    // The same value twice.
    const mica_value twice[] = {{f->moved, &one, sizeof one, 1, NULL},
                                {f->moved, &one, sizeof one, 1, NULL}};
    CHECK_EQUAL(MICA_OK, mica_set_values(f->world, there, twice, 2));
    CHECK(tracked_is(&f->tracker, mica_get(f->world, there, f->moved), 1));
    CHECK_TRACKED(&f->tracker, 4);
    tracked_drop(&f->tracker, &one);
    tracked_drop(&f->tracker, &two);
}

TEST_WITH(fixture, f, a_type_both_set_and_removed_is_an_error)
{
    mica_entity e = fixture_spawn(f, 1);
    const mica_value value = MICA_VALUE(f->velocity, Velocity, 5, 5);
    const mica_type removed[] = {f->frozen, f->velocity};
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_change(f->world, e, &value, 1, removed, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_change: 'Velocity' is both set and removed");
    CHECK(fixture_holds(f, e, 1));
}

// S0.5
TEST_WITH(fixture, f, wrong_sizes_are_errors_that_name_the_component)
{
    mica_entity e = fixture_spawn(f, 1);
    const double wide[2] = {1, 2};
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_set_value(f->world, e, f->velocity, wide, 12));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_set_value: component 'Velocity' has size 8, not 12");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_set_value(f->world, e, f->velocity, NULL, 12));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL,
                "mica_set_value: the data of 'Velocity' is null, but its size is 12");
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_set_value(f->world, e, f->velocity, wide, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_set_value: component 'Velocity' has size 8, not 0");
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_set_value(f->world, e, f->player, wide, 8));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_set_value: 'Player' is a tag and has no value");
    const mica_value values[] = {MICA_VALUE(f->position, Position, 9, 9),
                                 {f->velocity, wide, 16, 1, NULL}};
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_set_values(f->world, e, values, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_set: component 'Velocity' has size 8, not 16");
    const mica_value tag = {f->player, wide, sizeof wide, 1, NULL};
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_change(f->world, e, &tag, 1, NULL, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_change: 'Player' is a tag and has no value");
    CHECK(fixture_holds(f, e, 1));
}

TEST_WITH(fixture, f, nulls_are_reported_by_name)
{
    mica_entity e = fixture_spawn(f, 1);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_set_values(f->world, e, NULL, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_set: values is null");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_change(f->world, e, NULL, 1, NULL, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_change: values is null");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_change(f->world, e, NULL, 0, NULL, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_change: removed is null");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_add(NULL, e, f->position));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_remove(NULL, e, f->position));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_set_value(NULL, e, f->position, NULL, 0));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_set_values(NULL, e, NULL, 0));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_change(NULL, e, NULL, 0, NULL, 0));
}

// Every function of the file refuses this entity or type, in these words after its name.
typedef enum call { ADD, REMOVE, SET_VALUE, SET_VALUES, CHANGE, CALLS } call;

static mica_result run_call(mica_world *world, call which, mica_entity e, mica_type type)
{
    const mica_value value = {.type = type};
    switch (which) {
    case ADD: return mica_add(world, e, type);
    case REMOVE: return mica_remove(world, e, type);
    case SET_VALUE: return mica_set_value(world, e, type, NULL, 0);
    case SET_VALUES: return mica_set_values(world, e, &value, 1);
    default: return mica_change(world, e, NULL, 0, &type, 1);
    }
}

static void check_refused(fixture *f, mica_entity e, mica_type type, mica_result code,
                          const char *words)
{
    static const char *const names[CALLS] = {"mica_add", "mica_remove", "mica_set_value",
                                             "mica_set", "mica_change"};
    for (uint32_t which = 0; which < CALLS; which++) {
        CHECK_EQUAL(code, run_call(f->world, (call)which, e, type));
        bool listed = which == CHANGE;
        char sentence[252] = "";
        strcat(strcat(sentence, names[which]), ": ");
        strcat(strcat(sentence, listed && code == MICA_ERROR_TYPE ? "type 0: " : ""), words);
        CHECK_ERROR(&f->t, code, sentence);
    }
}

TEST_WITH(fixture, f, the_dead_and_foreign_types_are_refused_by_every_function)
{
    test_world other;
    mica_type foreign = fixture_foreign(&other);
    mica_entity dead = fixture_spawn(f, 0);
    mica_despawn(f->world, dead);
    mica_entity e = fixture_spawn(f, 1); // in the same slot
    check_refused(f, dead, f->position, MICA_ERROR_ENTITY,
                  "entity 0.0 is dead, or of another world");
    check_refused(f, (mica_entity){0}, f->position, MICA_ERROR_ENTITY, "the entity is none");
    check_refused(f, e, foreign, MICA_ERROR_TYPE,
                  "the component type is of another world, or no type at all");
    check_refused(f, e, (mica_type){0}, MICA_ERROR_TYPE,
                  "the component type is none; was it registered?");
    CHECK(fixture_holds(f, e, 1));
    test_world_end(&other);
}

// S0: pointers into buckets dangle when the map of archetypes grows. Hundreds of tables come to be
// while entities stand in them and move through them.
TEST_WITH(fixture, f, entities_are_found_after_hundreds_of_tables_were_made)
{
    mica_type tags[9];
    for (uint32_t i = 0; i < 9; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        tags[i] = mica_type_register(f->world, &(mica_type_desc){.name = name});
    }
    mica_entity entities[512];
    for (uint32_t i = 0; i < 512; i++) {
        entities[i] = fixture_spawn(f, (int32_t)i);
        for (uint32_t bit = 0; bit < 9; bit++) {
            if (i >> bit & 1) {
                CHECK_EQUAL(MICA_OK, mica_add(f->world, entities[i], tags[bit]));
            }
        }
    }
    CHECK(mica_world_get_stats(f->world).tables >= 512);
    for (uint32_t i = 0; i < 512; i++) {
        CHECK(fixture_holds(f, entities[i], (int32_t)i));
        for (uint32_t bit = 0; bit < 9; bit++) {
            CHECK_EQUAL(i >> bit & 1, mica_has(f->world, entities[i], tags[bit]));
        }
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
}

// Plain rows are moved by their bytes, common sizes by code of their own.
TEST_WITH(fixture, f, plain_values_of_any_size_are_carried)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 8, 8, 12, 16, 20, 24, 32, 100};
    enum { SIZES = sizeof sizes / sizeof sizes[0], COUNT = 11 };
    mica_type types[SIZES];
    unsigned char bytes[COUNT][100];
    mica_entity entities[COUNT];
    for (uint32_t s = 0; s < SIZES; s++) {
        const char name[] = {'S', (char)('a' + s), '\0'};
        types[s] = mica_type_register(
            f->world, &(mica_type_desc){.name = name, .size = sizes[s], .align = 1});
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        memset(bytes[i], (int)(i + 1), sizeof bytes[i]);
        entities[i] = mica_spawn_values(f->world, NULL, 0);
        for (uint32_t s = 0; s < SIZES; s++) {
            CHECK_EQUAL(MICA_OK,
                        mica_set_value(f->world, entities[i], types[s], bytes[i], sizes[s]));
        }
    }
    // Out of the middle, out of the front, off the end; then one component less, and one gone.
    for (uint32_t i = 5; i < 5 + COUNT; i += 2) {
        CHECK_EQUAL(MICA_OK, mica_add(f->world, entities[i % COUNT], f->frozen));
    }
    for (uint32_t s = 0; s < SIZES; s += 3) {
        CHECK_EQUAL(MICA_OK, mica_remove(f->world, entities[s % 4], types[s]));
        CHECK_EQUAL(MICA_OK,
                    mica_set_value(f->world, entities[s % 4], types[s], bytes[s % 4], sizes[s]));
    }
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, entities[4]));
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t s = 0; i != 4 && s < SIZES; s++) {
            CHECK_BYTES(bytes[i], mica_get(f->world, entities[i], types[s]), sizes[s]);
        }
    }
}

// The table the value lies in grows, again and again, while the value is being handed in.
// A new entity with the values that `first` has, in one of several ways.
enum { WAYS_TO_COPY = 6 };

static mica_entity copy_first(fixture *f, mica_entity first, mica_bundle bundle, int way)
{
    const Position *p = mica_get(f->world, first, f->position);
    const tracked *m = mica_get(f->world, first, f->moved);
    const mica_value values[] = {{f->moved, m, sizeof *m, 1, NULL},
                                 {f->position, p, sizeof *p, 1, NULL}};
    mica_entity e = (mica_entity){0};
    switch (way) {
    case 0: e = mica_spawn_values(f->world, values, 2); break;
    case 1: e = mica_spawn_bundle(f->world, bundle, values, 2); break;
    case 2: mica_spawn_many(f->world, bundle, 1, values, 2, &e); break;
    case 3:
        e = mica_spawn_values(f->world, NULL, 0);
        mica_set_values(f->world, e, values, 2);
        break;
    case 4:
        e = mica_spawn_values(f->world, &values[1], 1);
        mica_set_value(f->world, e, f->moved, m, sizeof *m);
        break;
    default:
        e = mica_spawn(f->world, MICA_ADD(f->moved));
        mica_set_value(f->world, e, f->position, p, sizeof *p);
        m = mica_get(f->world, first, f->moved);
        mica_set_value(f->world, e, f->moved, m, sizeof *m);
        break;
    }
    return e;
}

// Each way by itself, so that it is the one that makes the table grow and its rows move.
static void a_value_may_come_from_the_world_itself(void)
{
    for (int way = 0; way < WAYS_TO_COPY; way++) {
        fixture f;
        fixture_begin(&f);
        mica_entity first =
            mica_spawn(f.world, MICA_VALUE(f.position, Position, 8, 9), MICA_ADD(f.moved));
        const mica_type types[] = {f.moved, f.position};
        mica_bundle bundle = mica_bundle_new(f.world, types, 2);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < 300; i++) {
            mica_entity e = copy_first(&f, first, bundle, way);
            const Position *got = mica_get(f.world, e, f.position);
            wrong += !got || got->x != 8 || got->y != 9 ||
                     !tracked_is(&f.tracker, mica_get(f.world, e, f.moved), TRACKED_DEFAULT);
        }
        CHECK_EQUAL(0, wrong);
        CHECK_TRACKED(&f.tracker, 301);
        fixture_end(&f);
    }
}

// By the short cut: each is the last edge that was taken.
TEST_WITH(fixture, f, a_default_that_is_added_leaves_nothing_of_what_was_there)
{
    for (int32_t i = 0; i < 40; i++) {
        mica_entity e = mica_spawn_values(f->world, NULL, 0);
        CHECK_EQUAL(MICA_OK, mica_add(f->world, e, f->position));
        CHECK_EQUAL(MICA_OK, mica_add(f->world, e, f->health));
        Position *position = mica_get_mut(f->world, e, f->position);
        Health *health = mica_get_mut(f->world, e, f->health);
        CHECK(position->x == 0 && position->y == 0);
        CHECK_EQUAL(100, health->points);
        *position = (Position){9, 9};
        health->points = 9;
        if (i % 2) {
            CHECK_EQUAL(MICA_OK, mica_despawn(f->world, e));
        }
    }
}

TEST_WITH(fixture, f, values_of_any_size_are_overwritten_where_they_are)
{
    unsigned char bytes[64];
    for (uint32_t size = 1; size <= sizeof bytes / 2; size++) {
        char name[16];
        snprintf(name, sizeof name, "%u bytes", (unsigned)size);
        mica_type type =
            mica_type_register(f->world, &(mica_type_desc){.name = name, .size = size, .align = 1});
        mica_entity both[2];
        for (uint32_t i = 0; i < 2; i++) {
            memset(bytes, 0, sizeof bytes);
            both[i] = mica_spawn_values(f->world, NULL, 0);
            mica_set_value(f->world, both[i], type, bytes, size);
        }
        for (uint32_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (unsigned char)(i + size);
        }
        uint64_t moves = fixture_moves(f);
        CHECK_EQUAL(MICA_OK, mica_set_value(f->world, both[0], type, bytes, size));
        CHECK_BYTES(bytes, mica_get(f->world, both[0], type), size);
        CHECK_EQUAL(moves, fixture_moves(f));
        // The other's value stands behind it: half of what is given is the value itself.
        unsigned char *first = mica_get_mut(f->world, both[0], type);
        memcpy(mica_get_mut(f->world, both[1], type), bytes + size, size);
        CHECK_EQUAL(MICA_OK, mica_set_value(f->world, both[0], type, first + size / 2, size));
        CHECK_BYTES(bytes + size / 2, mica_get(f->world, both[0], type), size);
        CHECK_BYTES(bytes + size, mica_get(f->world, both[1], type), size);
    }
}

TESTS(change, adding_gives_a_default_and_carries_the_rest,
      removing_ends_the_value_and_carries_the_rest, what_changes_nothing_moves_nothing,
      setting_adds_what_is_absent_and_overwrites_what_is_there,
      overwriting_copies_the_new_value_and_ends_the_old_one, a_value_may_be_set_to_itself,
      an_addition_that_fails_leaves_the_entity_where_it_was,
      a_mixed_change_is_one_move_whatever_the_numbers, several_changes_at_once_are_one_move,
      a_change_that_fails_changes_nothing, of_two_settings_of_one_type_the_later_counts,
      a_type_both_set_and_removed_is_an_error, wrong_sizes_are_errors_that_name_the_component,
      nulls_are_reported_by_name, the_dead_and_foreign_types_are_refused_by_every_function,
      entities_are_found_after_hundreds_of_tables_were_made, plain_values_of_any_size_are_carried,
      a_value_may_come_from_the_world_itself,
      a_default_that_is_added_leaves_nothing_of_what_was_there,
      values_of_any_size_are_overwritten_where_they_are)
