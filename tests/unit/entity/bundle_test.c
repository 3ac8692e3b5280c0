// Tests of src/entity/bundle.c. Values are as programs make them that do not compare C types: lists of
// others, that are not written into the call, take the general path.
#define MICA_CHECK_C_TYPES 0
#include <mica/component.h>

#include <stdio.h>
#include <string.h>

#include "entity/data.h"
#include "state/state.h"
#include "unit/world/fixture.h"

TEST_WITH(fixture, f, a_bundle_spawns_with_values_in_its_own_order)
{
    const mica_type types[] = {f->velocity, f->frozen, f->position};
    mica_bundle bundle = mica_bundle_new(f->world, types, 3);
    REQUIRE(bundle.bits != 0);
    const Position p = {1, 2};
    const Velocity v = {3, 4};
    const mica_value all[] = {MICA_COPY_OF(f->velocity, v), MICA_ADD(f->frozen),
                              MICA_COPY_OF(f->position, p)};
    const mica_value some[] = {MICA_ADD(f->velocity), MICA_ADD(f->frozen),
                               MICA_COPY_OF(f->position, p)};
    mica_entity full = mica_spawn_bundle(f->world, bundle, all, 3);
    mica_entity part = mica_spawn_bundle(f->world, bundle, some, 3);
    mica_entity none = mica_spawn_bundle(f->world, bundle, NULL, 0);
    const Velocity zero = {0, 0};
    CHECK_BYTES(&p, mica_get(f->world, full, f->position), 8);
    CHECK_BYTES(&v, mica_get(f->world, full, f->velocity), 8);
    CHECK_BYTES(&p, mica_get(f->world, part, f->position), 8);
    CHECK_BYTES(&zero, mica_get(f->world, part, f->velocity), 8);
    CHECK_BYTES(&zero, mica_get(f->world, none, f->position), 8);
    CHECK(mica_has(f->world, full, f->frozen) && mica_has(f->world, none, f->frozen));
    CHECK_EQUAL(2, mica_world_get_stats(f->world).tables);
}

TEST_WITH(fixture, f, a_value_of_the_table_that_grows_is_given_as_it_was)
{
    const mica_type types[] = {f->position, f->velocity};
    mica_bundle bundle = mica_bundle_new(f->world, types, 2);
    const Position p = {1, 2};
    const Velocity v = {3, 4};
    const mica_value first[] = {MICA_COPY_OF(f->position, p), MICA_COPY_OF(f->velocity, v)};
    mica_entity last = mica_spawn_bundle(f->world, bundle, first, 2);
    for (uint32_t i = 0; i < 3 * MICAI_ROWS; i++) {
        const Position *position = mica_get(f->world, last, f->position);
        const Velocity *velocity = mica_get(f->world, last, f->velocity);
        const mica_value values[] = {MICA_COPY_OF(f->position, *position),
                                     MICA_COPY_OF(f->velocity, *velocity)};
        last = mica_spawn_bundle(f->world, bundle, values, 2);
        CHECK_BYTES(&p, mica_get(f->world, last, f->position), 8);
        CHECK_BYTES(&v, mica_get(f->world, last, f->velocity), 8);
    }
    CHECK_EQUAL(1 + 3 * MICAI_ROWS, mica_entity_count(f->world));
}

TEST_WITH(fixture, f, a_bundle_of_values_with_hooks_uses_them)
{
    const mica_type types[] = {f->hooked, f->moved, f->health};
    mica_bundle bundle = mica_bundle_new(f->world, types, 3);
    tracked value = tracked_make(&f->tracker, 9);
    const mica_value one[] = {MICA_COPY_OF(f->hooked, value), MICA_ADD(f->moved),
                              MICA_ADD(f->health)};
    const mica_value both[] = {one[0], MICA_COPY_OF(f->moved, value), one[2]};
    mica_entity e = mica_spawn_bundle(f->world, bundle, one, 3);
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->hooked), 9));
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->moved), TRACKED_DEFAULT));
    CHECK_EQUAL(100, MICA_GET(f->world, e, f->health, Health)->points);
    for (uint32_t which = 1; which <= 2; which++) {
        f->tracker.until_failure = which;
        CHECK(MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, both, 3)));
        CHECK_ERROR(&f->t, MICA_ERROR_HOOK,
                    which == 1 ? "mica_spawn_bundle: the copy hook of 'Hooked' failed"
                               : "mica_spawn_bundle: the copy hook of 'Moved' failed");
        CHECK_TRACKED(&f->tracker, 3);
    }
    CHECK_EQUAL(1, mica_entity_count(f->world));
    tracked_drop(&f->tracker, &value);
}

TEST_WITH(fixture, f, bundles_of_nothing_and_of_tags_only_are_fine)
{
    mica_bundle nothing = mica_bundle_new(f->world, NULL, 0);
    const mica_type tags[] = {f->frozen, f->player};
    mica_bundle marks = mica_bundle_new(f->world, tags, 2);
    const mica_value marked[] = {MICA_ADD(f->frozen), MICA_ADD(f->player)};
    mica_entity a = mica_spawn_bundle(f->world, nothing, NULL, 0);
    mica_entity b = mica_spawn_bundle(f->world, marks, marked, 2);
    CHECK(mica_alive(f->world, a));
    CHECK(mica_has(f->world, b, f->frozen) && mica_has(f->world, b, f->player));
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, marks, 20, NULL, 0, NULL));
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, nothing, 20, NULL, 0, NULL));
    CHECK_EQUAL(42, mica_entity_count(f->world));
}

TEST_WITH(fixture, f, a_bundle_works_after_its_table_was_reclaimed)
{
    const mica_type types[] = {f->position, f->moved};
    mica_bundle bundle = mica_bundle_new(f->world, types, 2);
    mica_entity e = mica_spawn_bundle(f->world, bundle, NULL, 0);
    mica_despawn(f->world, e);
    uint32_t tables = mica_world_get_stats(f->world).tables;
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(f->world));
    CHECK_EQUAL(tables - 1, mica_world_get_stats(f->world).tables);
    mica_add(f->world, mica_spawn_values(f->world, NULL, 0), f->health); // takes the table's number
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    const Position p = {5, 6};
    const mica_value values[] = {MICA_COPY_OF(f->position, p), MICA_ADD(f->moved)};
    e = mica_spawn_bundle(f->world, bundle, values, 2);
    CHECK_BYTES(&p, mica_get(f->world, e, f->position), 8);
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->moved), TRACKED_DEFAULT));

    mica_despawn(f->world, e);
    mica_world_reclaim(f->world);
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, bundle, 2, NULL, 0, NULL));
    mica_world_clear(f->world);
    mica_world_reclaim(f->world);
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(f->world, bundle, 2));
    mica_world_reclaim(f->world);
    CHECK_EQUAL(MICA_OK, mica_bundle_free(f->world, bundle));
    CHECK_EQUAL(1, mica_world_get_stats(f->world).tables); // freeing made none
}

TEST_WITH(fixture, f, freeing_a_bundle_needs_no_memory)
{
    const mica_type types[] = {f->position, f->moved};
    mica_bundle bundle = mica_bundle_new(f->world, types, 2);
    mica_world_reclaim(f->world); // its table is gone
    test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_OK, mica_bundle_free(f->world, bundle));
    CHECK_EQUAL(0, f->t.memory.refusals);
}

TEST_WITH(fixture, f, reserved_room_makes_spawning_free_of_allocations)
{
    const mica_type types[] = {f->position, f->hooked};
    mica_bundle bundle = mica_bundle_new(f->world, types, 2);
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(f->world, bundle, 50));
    mica_spawn_bundle(f->world, bundle, NULL, 0); // the scratch memory is made once
    uint64_t allocations = mica_world_get_stats(f->world).memory.allocations;
    for (uint32_t i = 0; i < 20; i++) {
        CHECK(mica_alive(f->world, mica_spawn_bundle(f->world, bundle, NULL, 0)));
    }
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, bundle, 29, NULL, 0, NULL));
    CHECK_EQUAL(allocations, mica_world_get_stats(f->world).memory.allocations);
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(f->world, bundle, 0));
    CHECK_EQUAL(50, mica_entity_count(f->world));
}

// The fast path of spawns adds to at most 32 pools. A change spawns longer lists, and needs no memory
// either.
static void a_bundle_of_many_sparse_types_spawns_in_reserved_room(void)
{
    enum { TYPES_MAX = 100, ENTITIES = 3 };
    static const uint32_t counts[] = {31, 32, 33, TYPES_MAX};
    for (uint32_t c = 0; c < 4; c++) {
        mica_world *world = mica_world_new(NULL);
        mica_type types[TYPES_MAX];
        mica_value values[TYPES_MAX];
        uint64_t data[TYPES_MAX];
        for (uint32_t i = 0; i < counts[c]; i++) {
            char name[16];
            snprintf(name, sizeof name, "S%u", (unsigned)i);
            data[i] = 1000 + i;
            types[i] = mica_type_register(
                world,
                &(mica_type_desc){.name = name, .size = 8, .align = 8, .storage = MICA_SPARSE});
            values[i] = (mica_value){.type = types[i], .data = &data[i], .size = 8, .count = 1};
        }
        mica_bundle bundle = mica_bundle_new(world, types, counts[c]);
        CHECK_EQUAL(MICA_OK, mica_bundle_reserve(world, bundle, ENTITIES));
        uint64_t allocations = mica_world_get_stats(world).memory.allocations;
        for (uint32_t n = 0; n < ENTITIES; n++) {
            mica_entity e = mica_spawn_bundle(world, bundle, values, counts[c]);
            for (uint32_t i = 0; i < counts[c]; i++) {
                CHECK_BYTES(&data[i], mica_get(world, e, types[i]), 8);
            }
        }
        CHECK_EQUAL(allocations, mica_world_get_stats(world).memory.allocations);
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        mica_world_free(world);
    }
}

TEST_WITH(fixture, f, a_wrong_list_makes_no_bundle)
{
    test_world other;
    mica_type foreign = fixture_foreign(&other);
    const mica_type twice[] = {f->position, f->frozen, f->position};
    CHECK_EQUAL(0, mica_bundle_new(f->world, twice, 3).bits);
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_bundle_new: 'Position' is listed twice");
    const mica_type strange[] = {f->position, foreign};
    CHECK_EQUAL(0, mica_bundle_new(f->world, strange, 2).bits);
    CHECK_ERROR(
        &f->t, MICA_ERROR_TYPE,
        "mica_bundle_new: type 1: the component type is of another world, or no type at all");
    CHECK_EQUAL(0, mica_bundle_new(f->world, &(mica_type){0}, 1).bits);
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_bundle_new: type 0: the component type is none; was it registered?");
    CHECK_EQUAL(0, mica_bundle_new(f->world, NULL, 1).bits);
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_bundle_new: types is null");
    CHECK_EQUAL(1, mica_world_get_stats(f->world).tables);
    test_world_end(&other);
}

// Both functions refuse the values, with these words after their names; nobody comes.
static void check_values_refused(fixture *f, mica_bundle bundle, const mica_value *values,
                                 uint32_t count, mica_result code, const char *words)
{
    static const char *const names[] = {"mica_spawn_bundle: ", "mica_spawn_many: "};
    uint32_t entities = mica_entity_count(f->world);
    mica_entity out = mica_entity_make(7, 7);
    for (uint32_t i = 0; i < 2; i++) {
        if (i == 0) {
            CHECK(MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, values, count)));
        } else {
            CHECK_EQUAL(code, mica_spawn_many(f->world, bundle, 1, values, count, &out));
        }
        char sentence[252] = "";
        strcat(strcat(sentence, names[i]), words);
        CHECK_ERROR(&f->t, code, sentence);
    }
    CHECK_EQUAL(entities, mica_entity_count(f->world));
    CHECK(MICA_EQUAL(mica_entity_make(7, 7), out));
}

static void check_wrong_values(fixture *f, mica_bundle bundle, const mica_value *right)
{
    const Position p = {1, 2};
    const mica_value more[] = {right[0], right[1], right[2], MICA_ADD(f->health)};
    const mica_value swapped[] = {right[1], right[0], right[2]};
    const mica_value twice[] = {right[0], right[0], right[2]};
    const mica_value small[] = {{f->position, &p, 4, 1, NULL}, right[1], right[2]};
    const mica_value without_size[] = {{f->position, &p, 0, 1, NULL}, right[1], right[2]};
    const mica_value without_data[] = {{f->position, NULL, 4, 0, NULL}, right[1], right[2]};
    const mica_value tag_data[] = {right[0], {f->frozen, &p, sizeof p, 1, NULL}, right[2]};
    const mica_value tag_size[] = {right[0], {f->frozen, NULL, 1, 0, NULL}, right[2]};
    const mica_value none[] = {right[0], MICA_ADD((mica_type){0}), right[2]};
    check_values_refused(f, bundle, NULL, 3, MICA_ERROR_NULL, "values is null");
    check_values_refused(f, bundle, right, 2, MICA_ERROR_ARGUMENT, "2 values for a bundle of 3");
    check_values_refused(f, bundle, right, 0, MICA_ERROR_ARGUMENT, "0 values for a bundle of 3");
    check_values_refused(f, bundle, more, 4, MICA_ERROR_ARGUMENT, "4 values for a bundle of 3");
    check_values_refused(f, bundle, swapped, 3, MICA_ERROR_ARGUMENT,
                         "value 0 is of 'Frozen', the bundle has 'Position' there");
    check_values_refused(f, bundle, twice, 3, MICA_ERROR_ARGUMENT,
                         "value 1 is of 'Position', the bundle has 'Frozen' there");
    check_values_refused(f, bundle, small, 3, MICA_ERROR_SIZE,
                         "component 'Position' has size 8, not 4");
    check_values_refused(f, bundle, without_size, 3, MICA_ERROR_SIZE,
                         "component 'Position' has size 8, not 0");
    check_values_refused(f, bundle, without_data, 3, MICA_ERROR_NULL,
                         "the data of 'Position' is null, but its size is 4");
    check_values_refused(f, bundle, tag_data, 3, MICA_ERROR_SIZE,
                         "'Frozen' is a tag and has no value");
    check_values_refused(f, bundle, tag_size, 3, MICA_ERROR_SIZE,
                         "'Frozen' is a tag and has no value");
    check_values_refused(f, bundle, none, 3, MICA_ERROR_TYPE,
                         "value 1: the component type is none; was it registered?");
}

// Of a bundle that has a short cut, and of one that has none; before there is room, and with room.
TEST_WITH(fixture, f, values_that_do_not_fit_the_bundle_are_refused)
{
    const Position p = {1, 2};
    const Velocity v = {3, 4};
    tracked value = tracked_make(&f->tracker, 5);
    const mica_value plain[] = {MICA_COPY_OF(f->position, p), MICA_ADD(f->frozen),
                                MICA_COPY_OF(f->velocity, v)};
    const mica_value hooked[] = {plain[0], plain[1], MICA_COPY_OF(f->hooked, value)};
    const mica_value *const lists[] = {plain, hooked};
    for (uint32_t i = 0; i < 2; i++) {
        const mica_type types[] = {f->position, f->frozen, lists[i][2].type};
        mica_bundle bundle = mica_bundle_new(f->world, types, 3);
        check_wrong_values(f, bundle, lists[i]);
        CHECK_EQUAL(MICA_OK, mica_bundle_reserve(f->world, bundle, 2));
        check_wrong_values(f, bundle, lists[i]);
        mica_entity e = mica_spawn_bundle(f->world, bundle, lists[i], 3);
        CHECK_BYTES(&p, mica_get(f->world, e, f->position), sizeof p);
        CHECK(mica_has(f->world, e, f->frozen));
    }
    tracked_drop(&f->tracker, &value);
    CHECK_TRACKED(&f->tracker, 1);
}

TEST_WITH(fixture, f, a_bundle_of_nothing_takes_no_values)
{
    mica_bundle nothing = mica_bundle_new(f->world, NULL, 0);
    const mica_value value = MICA_ADD(f->frozen);
    check_values_refused(f, nothing, &value, 1, MICA_ERROR_ARGUMENT, "1 values for a bundle of 0");
    CHECK(mica_alive(f->world, mica_spawn_bundle(f->world, nothing, &value, 0)));
}

// Every function refuses the handle, with these words after its name.
static void check_refused(fixture *f, mica_bundle bundle, const char *words)
{
    static const char *const names[] = {
        "mica_bundle_free: ", "mica_bundle_reserve: ", "mica_spawn_bundle: ", "mica_spawn_many: "};
    for (uint32_t i = 0; i < 4; i++) {
        mica_result result = MICA_ERROR_BUNDLE;
        switch (i) {
        case 0: result = mica_bundle_free(f->world, bundle); break;
        case 1: result = mica_bundle_reserve(f->world, bundle, 1); break;
        case 2: CHECK(MICA_IS_NONE(mica_spawn_bundle(f->world, bundle, NULL, 0))); break;
        default: result = mica_spawn_many(f->world, bundle, 1, NULL, 0, NULL); break;
        }
        CHECK_EQUAL(MICA_ERROR_BUNDLE, result);
        char sentence[252] = "";
        strcat(strcat(sentence, names[i]), words);
        CHECK_ERROR(&f->t, MICA_ERROR_BUNDLE, sentence);
    }
}

TEST_WITH(fixture, f, none_freed_and_foreign_bundles_are_refused)
{
    test_world other;
    mica_type foreign = fixture_foreign(&other);
    mica_bundle stranger = mica_bundle_new(other.world, &foreign, 1);
    mica_bundle freed = mica_bundle_new(f->world, &f->position, 1);
    mica_bundle kept = mica_bundle_new(f->world, &f->velocity, 1);
    CHECK_EQUAL(MICA_OK, mica_bundle_free(f->world, freed));
    check_refused(f, (mica_bundle){0}, "the bundle is none");
    check_refused(f, freed, "the bundle is freed, or of another world");
    check_refused(f, stranger, "the bundle is freed, or of another world");
    check_refused(f, (mica_bundle){UINT64_MAX}, "the bundle is freed, or of another world");
    mica_bundle next = mica_bundle_new(f->world, &f->health, 1); // in the freed one's place
    check_refused(f, freed, "the bundle is freed, or of another world");
    CHECK(mica_has(f->world, mica_spawn_bundle(f->world, next, NULL, 0), f->health));
    CHECK(mica_has(f->world, mica_spawn_bundle(f->world, kept, NULL, 0), f->velocity));
    CHECK_EQUAL(2, micai_bundles_of(f->world->state)->handles.list.count);
    CHECK_EQUAL(0, mica_bundle_new(NULL, NULL, 0).bits);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_bundle_free(NULL, kept));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_bundle_reserve(NULL, kept, 1));
    test_world_end(&other);
}

// W3
TEST_WITH(fixture, f, validate_finds_a_bundle_with_another_transition)
{
    const mica_type types[] = {f->position, f->velocity, f->health};
    mica_bundle_new(f->world, types, 2);
    mica_bundle_new(f->world, types + 1, 2);
    const micai_bundles *bundles = micai_bundles_of(f->world->state);
    micai_bundle *bundle = bundles->handles.list.items[0];
    const micai_bundle *other = bundles->handles.list.items[1];
    micai_transition *spawn = bundle->spawn;
    bundle->spawn = other->spawn;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(f->world));
    CHECK_ERROR(&f->t, MICA_ERROR_CORRUPT, "invariant W3 is broken: bundle 0 has another's table");
    bundle->spawn = NULL; // and has it pinned nevertheless
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(f->world));
    CHECK_ERROR(&f->t, MICA_ERROR_CORRUPT,
                "invariant W3 is broken: 1 bundles have pinned 2 transitions");
    bundle->spawn = spawn;
    spawn->pins++;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(f->world));
    CHECK_ERROR(&f->t, MICA_ERROR_CORRUPT,
                "invariant W3 is broken: 2 bundles have pinned 3 transitions");
    spawn->pins--;
    const micai_type *type = bundle->types[0];
    bundle->types[0] = bundle->types[1];
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(f->world));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    bundle->types[0] = type;
}

// W3
TEST_WITH(fixture, f, bundles_of_one_list_pin_one_transition)
{
    const mica_type types[] = {f->position, f->velocity};
    const mica_type turned[] = {f->velocity, f->position};
    mica_bundle same[] = {mica_bundle_new(f->world, types, 2), mica_bundle_new(f->world, types, 2)};
    mica_bundle_new(f->world, turned, 2);
    const micai_transition *t = fixture_transition(f, (mica_entity){0}, types, 2, 2);
    REQUIRE(t != NULL);
    CHECK_EQUAL(2, t->pins);
    CHECK_EQUAL(1, fixture_transition(f, (mica_entity){0}, turned, 2, 2)->pins);
    CHECK_EQUAL(MICA_OK, mica_bundle_free(f->world, same[0]));
    CHECK_EQUAL(1, t->pins);
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    CHECK(mica_has(f->world, mica_spawn_bundle(f->world, same[1], NULL, 0), f->velocity));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(f->world)); // its table has a row
    CHECK_POINTER(t, fixture_transition(f, (mica_entity){0}, types, 2, 2));
    CHECK_EQUAL(MICA_OK, mica_bundle_free(f->world, same[1]));
    CHECK_EQUAL(0, t->pins);
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(f->world));
    CHECK_POINTER(NULL, fixture_transition(f, (mica_entity){0}, types, 2, 2));
}

// W3: more bundles than have a place each.
static void bundles_in_turn_are_each_spawned_from_until_they_are_freed(void)
{
    enum { MANY = 2 * MICAI_BUNDLE_PLACES + 1 };
    fixture f;
    fixture_begin(&f);
    const mica_type types[] = {f.position, f.velocity};
    const Position p = {1, 2};
    const Velocity v = {3, 4};
    const mica_value values[] = {MICA_COPY_OF(f.position, p), MICA_COPY_OF(f.velocity, v)};
    mica_bundle bundles[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        bundles[i] = mica_bundle_new(f.world, types + i % 2, 1 + (i % 2 == 0));
    }
    for (uint32_t i = 0; i < 3 * MANY; i++) {
        uint32_t n = i % MANY;
        mica_entity e = mica_spawn_bundle(f.world, bundles[n], values + n % 2, 1 + (n % 2 == 0));
        CHECK_BYTES(&v, mica_get(f.world, e, f.velocity), 8);
        CHECK_EQUAL(n % 2 == 0, mica_has(f.world, e, f.position));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    }
    for (uint32_t n = 0; n < MANY; n++) {
        CHECK(mica_alive(f.world,
                         mica_spawn_bundle(f.world, bundles[n], values + n % 2, 1 + (n % 2 == 0))));
        CHECK_EQUAL(MICA_OK, mica_bundle_free(f.world, bundles[n]));
        CHECK(
            MICA_IS_NONE(mica_spawn_bundle(f.world, bundles[n], values + n % 2, 1 + (n % 2 == 0))));
        CHECK_ERROR(&f.t, MICA_ERROR_BUNDLE,
                    "mica_spawn_bundle: the bundle is freed, or of another world");
    }
    const mica_bundle none[] = {{0}, {1}, {2}};
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(MICA_IS_NONE(mica_spawn_bundle(f.world, none[i], values, 2)));
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
    }
    fixture_end(&f);
}

// W3
TEST_WITH(fixture, f, validate_finds_a_place_of_a_bundle_with_another_transition)
{
    const mica_type types[] = {f->position, f->velocity};
    const Position p = {1, 2};
    const mica_value values[] = {MICA_COPY_OF(f->position, p)};
    mica_bundle bundle = mica_bundle_new(f->world, types, 1);
    mica_bundle other = mica_bundle_new(f->world, types, 2);
    micai_bundles *bundles = micai_bundles_of(f->world->state);
    micai_bundle_place *place = micai_bundle_place_of(bundles, bundle);
    mica_spawn_bundle(f->world, bundle, values, 1);
    CHECK(place->bits == bundle.bits);
    const micai_bundle *second = micai_handles_find(&bundles->handles, other.bits);
    micai_transition *spawn = place->spawn;
    place->spawn = second->spawn;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(f->world));
    CHECK_ERROR(&f->t, MICA_ERROR_CORRUPT, "invariant W3 is broken: a place has another's bundle");
    place->spawn = spawn;
}

// W3: a bundle pins another transition after a type is kept in other ways.
TEST_WITH(fixture, f, a_bundle_follows_its_types_to_other_storages)
{
    const mica_type types[] = {f->position, f->velocity};
    mica_bundle bundle = mica_bundle_new(f->world, types, 2);
    const micai_bundle *found = micai_bundles_of(f->world->state)->handles.list.items[0];
    const mica_storage storages[] = {MICA_SPARSE, MICA_SPLIT, MICA_RING, MICA_TABLE};
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(MICA_OK, mica_type_change_storage(f->world, f->velocity, storages[i]));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
        const Velocity by = {(float)i, 2};
        const mica_value values[] = {MICA_ADD(f->position), MICA_COPY_OF(f->velocity, by)};
        mica_entity e = mica_spawn_bundle(f->world, bundle, values, 2);
        Velocity got = {0};
        CHECK(mica_load(f->world, e, f->velocity, &got, sizeof got));
        CHECK(got.x == (float)i && got.y == 2 && mica_has(f->world, e, f->position));
        REQUIRE(found->spawn != NULL);
        CHECK_EQUAL(1, found->spawn->pins);
        CHECK_EQUAL(i == 0, found->spawn->steps[1].sparse);
        CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    }
}

// Lists of values

static const micai_transition *spawn_of(const fixture *f, const mica_value *values, uint32_t count)
{
    mica_type types[8];
    for (uint32_t i = 0; i < count; i++) {
        types[i] = values[i].type;
    }
    return fixture_transition(f, (mica_entity){0}, types, count, count);
}

static bool is_fast(const micai_transition *t)
{
    return t && micai_transition_is_fast(t);
}

// The order and the values of one entity are not those of the next.
TEST_WITH(fixture, f, what_is_spawned_of_values_is_right_whatever_was_spawned_before)
{
    mica_type kinds[20];
    for (uint32_t k = 0; k < 20; k++) { // more than there are places
        char name[16];
        snprintf(name, sizeof name, "kind %u", (unsigned)k);
        kinds[k] =
            mica_type_register(f->world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
    }
    for (uint32_t i = 0; i < 400; i++) {
        const Position position = {(float)i, 1};
        const uint32_t number = i;
        const mica_value values[] = {MICA_COPY_OF(f->position, position), MICA_ADD(f->player),
                                     MICA_COPY_OF(kinds[i * 7 % (1 + i / 20)], number)};
        const mica_value turned[] = {values[2], values[0]};
        mica_entity e =
            i % 3 ? mica_spawn_values(f->world, values, 3) : mica_spawn_values(f->world, turned, 2);
        const Position *at = mica_get(f->world, e, f->position);
        const uint32_t *found = mica_get(f->world, e, values[2].type);
        REQUIRE(at && found);
        CHECK(at->x == (float)i && at->y == 1);
        CHECK_EQUAL(i, *found);
        CHECK_EQUAL(i % 3 != 0, mica_has(f->world, e, f->player));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    }
}

static void never_mind(const mica_observer_event *h)
{
    (void)h;
}

TEST_WITH(fixture, f, a_list_is_spawned_fast_while_nobody_observes)
{
    const mica_value values[] = {MICA_VALUE(f->velocity, Velocity, 1, 2), MICA_ADD(f->frozen),
                                 MICA_VALUE(f->health, Health, 3)};
    CHECK(!spawn_of(f, values, 3));
    mica_entity e = mica_spawn_values(f->world, values, 3);
    const micai_transition *t = spawn_of(f, values, 3);
    CHECK(is_fast(t) && t->pins == 0);
    CHECK(!spawn_of(f, values, 2));
    mica_observer observer = mica_observer_new(
        f->world,
        &(mica_observer_desc){.type = f->health, .events = MICA_ON_ADD, .call = never_mind});
    CHECK_POINTER(t, spawn_of(f, values, 3));
    CHECK(!is_fast(t));
    mica_entity other = mica_spawn_values(f->world, values, 3);
    CHECK_EQUAL(3, MICA_GET(f->world, other, f->health, Health)->points);
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    mica_observer_free(f->world, observer);
    CHECK(is_fast(t));
    CHECK_EQUAL(3, MICA_GET(f->world, e, f->health, Health)->points);
}

TEST_WITH(fixture, f, a_list_that_was_spawned_is_dropped_with_its_table)
{
    const mica_value values[] = {MICA_VALUE(f->velocity, Velocity, 1, 2)};
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, mica_spawn_values(f->world, values, 1)));
    CHECK(is_fast(spawn_of(f, values, 1)));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(f->world));
    CHECK(!spawn_of(f, values, 1));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    mica_entity e = mica_spawn_values(f->world, values, 1);
    CHECK(MICA_GET(f->world, e, f->velocity, Velocity)->y == 2);
}

// Neither lists with hooks nor lists in which one type is given twice, of which there is no transition.
TEST_WITH(fixture, f, what_is_more_than_bytes_is_not_spawned_fast)
{
    tracked source = tracked_make(&f->tracker, 1);
    const mica_value values[] = {MICA_COPY_OF(f->hooked, source), MICA_VALUE(f->health, Health, 3),
                                 MICA_VALUE(f->health, Health, 4), MICA_ADD(f->position)};
    for (uint32_t first = 0; first < 4; first++) {
        for (uint32_t end = first + 1; end <= 4; end++) {
            mica_entity e = mica_spawn_values(f->world, values + first, end - first);
            CHECK(!MICA_IS_NONE(e));
            bool twice = first <= 1 && end >= 3;
            const micai_transition *t = spawn_of(f, values + first, end - first);
            CHECK_EQUAL(!twice, t != NULL);
            CHECK_EQUAL(!twice && first > 0, is_fast(t));
        }
    }
    tracked_drop(&f->tracker, &source);
}

// After a list was spawned, what is not exactly right is an error, or done, as before.
TEST_WITH(fixture, f, the_fast_path_takes_only_values_that_are_exactly_right)
{
    test_world other;
    mica_type foreign = fixture_foreign(&other);
    const Health three = {3};
    const mica_value right[] = {MICA_COPY_OF(f->health, three), MICA_ADD(f->player)};
    mica_spawn_values(f->world, right, 2);
    REQUIRE(is_fast(spawn_of(f, right, 2)));
    const struct {
        mica_value value;
        mica_result code;
    } wrong[] = {{{f->health, &three, 8, 1, NULL}, MICA_ERROR_SIZE},
                 {{f->health, &three, 4, 2, NULL}, MICA_ERROR_ARGUMENT},
                 {{f->health, NULL, 4, 1, NULL}, MICA_ERROR_NULL},
                 {{foreign, &three, 4, 1, NULL}, MICA_ERROR_TYPE}};
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const mica_value values[] = {wrong[i].value, right[1]};
        CHECK(MICA_IS_NONE(mica_spawn_values(f->world, values, 2)));
        CHECK_EQUAL(wrong[i].code, mica_last_error(f->world)->code);
        CHECK_EQUAL(1, test_error_clear(&f->t.error));
    }
    const mica_value sized[] = {right[0], {f->player, NULL, 4, 1, NULL}};
    CHECK(MICA_IS_NONE(mica_spawn_values(f->world, sized, 2)));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    const mica_value defaults[] = {MICA_ADD(f->health), right[1]};
    mica_entity e = mica_spawn_values(f->world, defaults, 2);
    CHECK_EQUAL(100, MICA_GET(f->world, e, f->health, Health)->points);
    const mica_value twice[] = {right[0], right[1], MICA_VALUE(f->health, Health, 5)};
    e = mica_spawn_values(f->world, twice, 3);
    CHECK_EQUAL(5, MICA_GET(f->world, e, f->health, Health)->points);
    CHECK_EQUAL(3, mica_world_get_stats(f->world).entities);
    test_world_end(&other);
}

TESTS(bundle, a_bundle_spawns_with_values_in_its_own_order,
      a_value_of_the_table_that_grows_is_given_as_it_was, a_bundle_of_values_with_hooks_uses_them,
      bundles_of_nothing_and_of_tags_only_are_fine, a_bundle_works_after_its_table_was_reclaimed,
      freeing_a_bundle_needs_no_memory, reserved_room_makes_spawning_free_of_allocations,
      a_bundle_of_many_sparse_types_spawns_in_reserved_room, a_wrong_list_makes_no_bundle,
      values_that_do_not_fit_the_bundle_are_refused, a_bundle_of_nothing_takes_no_values,
      none_freed_and_foreign_bundles_are_refused, validate_finds_a_bundle_with_another_transition,
      bundles_of_one_list_pin_one_transition,
      bundles_in_turn_are_each_spawned_from_until_they_are_freed,
      validate_finds_a_place_of_a_bundle_with_another_transition,
      a_bundle_follows_its_types_to_other_storages,
      what_is_spawned_of_values_is_right_whatever_was_spawned_before,
      a_list_is_spawned_fast_while_nobody_observes,
      a_list_that_was_spawned_is_dropped_with_its_table,
      what_is_more_than_bytes_is_not_spawned_fast,
      the_fast_path_takes_only_values_that_are_exactly_right)
