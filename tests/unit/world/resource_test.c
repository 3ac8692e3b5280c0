// Tests of src/world/resource.c: S3.9, one value of a type per world.
#include <mica/resource.h>

#include "unit/world/fixture.h"

static void a_world_has_one_value_of_a_type(void) // S3.9
{
    fixture f;
    fixture_begin(&f);
    CHECK(!mica_resource_get(f.world, f.position));
    CHECK_POINTER(NULL, mica_resource_get(f.world, f.position)); // silently
    CHECK_EQUAL(MICA_OK, mica_last_error(f.world)->code);
    CHECK_EQUAL(MICA_OK, mica_resource_set(f.world, MICA_VALUE(f.position, Position, 3, 4),
                                           MICA_ADD(f.health)));
    CHECK(mica_resource_get(f.world, f.position) != NULL);
    CHECK(!mica_resource_get(f.world, f.velocity));
    const Position *position = MICA_RESOURCE(f.world, f.position, Position);
    REQUIRE(position != NULL);
    CHECK(position->x == 3 && position->y == 4);
    CHECK_EQUAL(100, MICA_RESOURCE(f.world, f.health, Health)->points); // its default
    // No entity has it, and those that have the component have another.
    CHECK_EQUAL(0, mica_entity_count(f.world));
    mica_entity e = fixture_spawn(&f, 9);
    CHECK(MICA_GET(f.world, e, f.position, Position)->x == 9);
    CHECK(position->x == 3);
    CHECK_EQUAL(MICA_OK, mica_resource_remove(f.world, f.position));
    CHECK_POINTER(NULL, mica_resource_get(f.world, f.position));
    CHECK_EQUAL(MICA_OK, mica_resource_remove(f.world, f.position)); // nothing happens
    CHECK(mica_has(f.world, e, f.position));
    fixture_end(&f);
}

TEST_WITH(fixture, f, a_resource_keeps_its_address)
{
    mica_resource_set(f->world, MICA_VALUE(f->position, Position, 1, 2));
    Position *position = MICA_RESOURCE_MUT(f->world, f->position, Position);
    REQUIRE(position != NULL);
    position->y = 7;
    for (int32_t i = 0; i < 100; i++) {
        char name[] = {'T', (char)('a' + i / 10), (char)('a' + i % 10), 0};
        mica_type type =
            mica_type_register(f->world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
        CHECK_EQUAL(MICA_OK, mica_resource_set(f->world, MICA_COPY_OF(type, i)));
        fixture_spawn(f, i);
    }
    CHECK_EQUAL(MICA_OK, mica_world_clear(f->world)); // keeps it
    CHECK_EQUAL(MICA_OK, mica_resource_set(f->world, MICA_VALUE(f->position, Position, 5, 6)));
    CHECK_POINTER(position, mica_resource_get(f->world, f->position));
    CHECK_POINTER(position, mica_resource_get_mut(f->world, f->position));
    CHECK(position->x == 5 && position->y == 6);
}

static void values_are_made_and_ended_once(void)
{
    fixture f;
    fixture_begin(&f);
    tracked five = tracked_make(&f.tracker, 5);
    tracked six = tracked_make(&f.tracker, 6);
    CHECK_EQUAL(MICA_OK, mica_resource_set(f.world, MICA_COPY_OF(f.hooked, five)));
    CHECK(tracked_is(&f.tracker, mica_resource_get(f.world, f.hooked), 5));
    CHECK_TRACKED(&f.tracker, 3);
    CHECK_EQUAL(MICA_OK,
                mica_resource_set(f.world, MICA_COPY_OF(f.hooked, six), MICA_ADD(f.moved)));
    CHECK(tracked_is(&f.tracker, mica_resource_get(f.world, f.hooked), 6));
    CHECK(tracked_is(&f.tracker, mica_resource_get(f.world, f.moved), TRACKED_DEFAULT));
    CHECK_TRACKED(&f.tracker, 4);
    // Of itself: nothing happens.
    const mica_value same = {f.moved, mica_resource_get(f.world, f.moved), sizeof(tracked), 1,
                             NULL};
    uint32_t copies = f.tracker.copies;
    CHECK_EQUAL(MICA_OK, mica_resource_set(f.world, same));
    CHECK_EQUAL(copies, f.tracker.copies);
    CHECK_EQUAL(MICA_OK, mica_resource_remove(f.world, f.moved));
    CHECK_TRACKED(&f.tracker, 3);
    tracked_drop(&f.tracker, &five);
    tracked_drop(&f.tracker, &six);
    CHECK_TRACKED(&f.tracker, 1);
    fixture_end(&f); // the last is ended with the world
}

TEST_WITH(fixture, f, all_are_set_or_none)
{
    mica_resource_set(f->world, MICA_VALUE(f->position, Position, 1, 2), MICA_ADD(f->moved));
    uint64_t hash = mica_world_hash(f->world);
    f->tracker.until_failure = 1;
    CHECK_EQUAL(MICA_ERROR_HOOK,
                mica_resource_set(f->world, MICA_VALUE(f->position, Position, 8, 9),
                                  MICA_ADD(f->health), MICA_ADD(f->moved)));
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK, "mica_resource_set: the construct hook of 'Moved' failed");
    CHECK_EQUAL(hash, mica_world_hash(f->world));
    CHECK(!mica_resource_get(f->world, f->health));
    f->tracker.until_failure = 1;
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_resource_set(f->world, MICA_ADD(f->hooked))); // a new one
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK, "mica_resource_set: the construct hook of 'Hooked' failed");
    CHECK(!mica_resource_get(f->world, f->hooked));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT,
                mica_resource_set(f->world, MICA_ADD(f->health), MICA_ADD(f->health)));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_resource_set: 'Health' is listed twice, and the world has one");
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_resource_set(f->world, MICA_ADD(f->frozen)));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_resource_set: 'Frozen' is a tag and has no value");
    CHECK_POINTER(NULL, MICA_RESOURCE(f->world, f->position, Health));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "MICA_RESOURCE: component 'Position' has size 8, not 4");
    CHECK_EQUAL(hash, mica_world_hash(f->world));
}

static void the_hash_counts_resources_in(void)
{
    fixture f, g;
    fixture_begin(&f);
    fixture_begin(&g);
    uint64_t empty = mica_world_hash(f.world);
    mica_resource_set(f.world, MICA_VALUE(f.position, Position, 1, 2));
    mica_resource_set(f.world, MICA_VALUE(f.velocity, Velocity, 3, 4));
    mica_resource_set(g.world, MICA_VALUE(g.velocity, Velocity, 3, 4),
                      MICA_VALUE(g.position, Position, 1, 2));
    CHECK(mica_world_hash(f.world) != empty);
    CHECK_EQUAL(mica_world_hash(f.world), mica_world_hash(g.world)); // in any order
    CHECK_EQUAL(mica_world_digest(f.world), mica_world_digest(g.world));
    MICA_RESOURCE_MUT(g.world, g.position, Position)->x = 2;
    CHECK(mica_world_hash(f.world) != mica_world_hash(g.world));
    CHECK(mica_world_digest(f.world) != mica_world_digest(g.world));
    mica_resource_remove(f.world, f.position);
    mica_resource_remove(f.world, f.velocity);
    CHECK_EQUAL(empty, mica_world_hash(f.world));
    fixture_end(&g);
    fixture_end(&f);
}

// In a system, during an iteration, and on a world that records.
static void count(mica_iter *it)
{
    const fixture *f = it->user;
    Health *score = MICA_RESOURCE_MUT(it->world, f->health, Health);
    score->points += (int32_t)it->count;
    if (!mica_resource_get(it->world, f->velocity)) {
        mica_resource_set(it->world, MICA_VALUE(f->velocity, Velocity, 1, 1));
    }
    mica_world *later = mica_later(it);
    CHECK_POINTER(score, mica_resource_get(later, f->health));
    CHECK_POINTER(NULL, mica_resource_get_mut(later, f->health));
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_resource_set(later, MICA_ADD(f->health)));
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_resource_remove(later, f->health));
}

TEST_WITH(fixture, f, systems_reach_resources)
{
    for (int32_t i = 0; i < 5; i++) {
        fixture_spawn(f, i);
    }
    mica_resource_set(f->world, MICA_VALUE(f->health, Health, 0));
    mica_system_add(f->world, &(mica_system_desc){.name = "count",
                                                  .update = count,
                                                  .user = f,
                                                  .query.terms = {{f->position, MICA_READ}},
                                                  .resources = {{f->health, MICA_WRITE},
                                                                {f->velocity, MICA_WRITE}}});
    CHECK_EQUAL(MICA_OK, mica_step(f->world, 1));
    CHECK_EQUAL(MICA_OK, mica_step(f->world, 1));
    CHECK_EQUAL(10, MICA_RESOURCE(f->world, f->health, Health)->points);
    CHECK(mica_resource_get(f->world, f->velocity) != NULL);
    test_error_clear(&f->t.error);
}

TESTS(resource, a_world_has_one_value_of_a_type, a_resource_keeps_its_address,
      values_are_made_and_ended_once, all_are_set_or_none, the_hash_counts_resources_in,
      systems_reach_resources)
