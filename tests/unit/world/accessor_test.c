// Tests of src/world/accessor.c and of what mica/accessor.h does inline.
#include <mica/accessor.h>

#include <stdio.h>

#include "unit/world/fixture.h"
#include "world/world.h"

static void an_accessor_gives_what_get_gives(void)
{
    fixture f;
    fixture_begin(&f);
    mica_accessor positions = mica_accessor_new(f.world, f.position);
    mica_accessor healths = mica_accessor_new(f.world, f.health);
    mica_entity entities[20];
    for (int32_t i = 0; i < 20; i++) {
        entities[i] = fixture_spawn(&f, i);
        if (i % 3 == 0) {
            mica_add(f.world, entities[i], f.frozen); // another table, the same columns
        }
        if (i % 4 == 0) {
            mica_set(f.world, entities[i], MICA_VALUE(f.health, Health, i));
        }
    }
    for (int32_t i = 0; i < 20; i++) {
        const void *position = mica_get(f.world, entities[i], f.position);
        CHECK_POINTER(position, mica_accessor_get(&positions, entities[i]));
        CHECK_POINTER(position, mica_accessor_get_mut(&positions, entities[i]));
        const void *health = mica_get(f.world, entities[i], f.health);
        CHECK_EQUAL(i % 4 == 0, health != NULL);
        CHECK_POINTER(health, mica_accessor_get(&healths, entities[i])); // silently
        CHECK_POINTER(health, mica_accessor_get_mut(&healths, entities[i]));
    }
    CHECK_EQUAL(MICA_OK, mica_last_error(f.world)->code);
    fixture_end(&f);
}

static void an_accessor_stays_good_while_tables_come_and_go(void)
{
    fixture f;
    fixture_begin(&f);
    mica_accessor positions = mica_accessor_new(f.world, f.position);
    for (int32_t round = 0; round < 5; round++) {
        for (int32_t i = 0; i < 30; i++) {
            mica_entity e = fixture_spawn(&f, i);
            if (i % 2 == 0) {
                mica_remove(f.world, e, f.player);
            }
            CHECK(((const Position *)mica_accessor_get(&positions, e))->x == (float)i);
        }
        mica_world_clear(f.world);
        mica_world_reclaim(f.world);
        mica_add(f.world, mica_spawn_empty(f.world), f.velocity);
    }
    fixture_end(&f);
}

static void types_beyond_the_first_are_reached_too(void)
{
    fixture f;
    fixture_begin(&f);
    mica_type types[150];
    mica_accessor accessors[150];
    mica_entity e = mica_spawn_empty(f.world);
    for (uint32_t i = 0; i < 150; i++) {
        char name[8];
        snprintf(name, sizeof name, "T%u", (unsigned)i);
        types[i] =
            mica_type_register(f.world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
        accessors[i] = mica_accessor_new(f.world, types[i]);
        if (i % 3 != 0) {
            mica_set_value(f.world, e, types[i], &i, 4);
        }
    }
    for (uint32_t i = 0; i < 150; i++) {
        const uint32_t *value = mica_accessor_get(&accessors[i], e);
        uint32_t *writable = mica_accessor_get_mut(&accessors[i], e);
        CHECK_EQUAL(i % 3 != 0, value != NULL);
        CHECK_POINTER(value, writable);
        CHECK(value == NULL || *value == i);
    }
    fixture_end(&f);
}

static void taking_a_value_mutable_counts_as_a_change(void)
{
    fixture f;
    fixture_begin(&f);
    mica_accessor positions = mica_accessor_new(f.world, f.position);
    mica_entity e = fixture_spawn(&f, 1);
    micai_place place =
        micai_store_place(&f.world->core->store, micai_slots_find(&f.world->core->slots, e));
    f.world->view.tick = 50;
    mica_accessor_get(&positions, e);
    CHECK(place.sheet->pages[1].tick != 50);
    mica_accessor_get_mut(&positions, e);
    CHECK_EQUAL(50, place.sheet->pages[1].tick);
    CHECK(place.sheet->pages[2].tick != 50);
    fixture_end(&f);
}

// T3
static void a_shared_value_is_copied_before_it_is_handed_out_to_write(void)
{
    fixture f;
    fixture_begin(&f);
    mica_accessor positions = mica_accessor_new(f.world, f.position);
    mica_entity e = fixture_spawn(&f, 1);
    shared_pages *shared = fixture_share(&f);
    const Position *read = mica_accessor_get(&positions, e);
    CHECK(read->x == 1);
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_POINTER(NULL, mica_accessor_get_mut(&positions, e));
    CHECK_EQUAL(MICA_ERROR_MEMORY, f.t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    Position *write = mica_accessor_get_mut(&positions, e);
    REQUIRE(write != NULL);
    write->x = 99;
    CHECK(MICA_GET(f.world, e, f.position, Position)->x == 99);
    fixture_unshare(&f, shared);
    fixture_end(&f);
}

static void the_dead_are_errors(void)
{
    fixture f;
    fixture_begin(&f);
    mica_accessor positions = mica_accessor_new(f.world, f.position);
    mica_entity dead = fixture_spawn(&f, 1);
    mica_despawn(f.world, dead);
    fixture_spawn(&f, 2); // in its slot
    const mica_entity wrong[] = {dead, mica_entity_none(), {UINT64_MAX}, mica_entity_make(9999, 0)};
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_POINTER(NULL, mica_accessor_get(&positions, wrong[i]));
        CHECK_EQUAL(MICA_ERROR_ENTITY, f.t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        CHECK_POINTER(NULL, mica_accessor_get_mut(&positions, wrong[i]));
        CHECK_EQUAL(MICA_ERROR_ENTITY, f.t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
    }
    fixture_end(&f);
}

static void a_wrong_type_gives_an_accessor_that_gives_nothing(void)
{
    fixture f;
    fixture_begin(&f);
    test_world other;
    mica_type foreign = fixture_foreign(&other);
    mica_entity e = fixture_spawn(&f, 1);
    const struct {
        mica_type type;
        mica_result code;
    } wrong[] = {{foreign, MICA_ERROR_TYPE},
                 {mica_type_none(), MICA_ERROR_TYPE},
                 {f.player, MICA_ERROR_SIZE}};
    for (uint32_t i = 0; i < 3; i++) {
        mica_accessor none = mica_accessor_new(f.world, wrong[i].type);
        CHECK_EQUAL(wrong[i].code, f.t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        CHECK_POINTER(NULL, mica_accessor_get(&none, e));
        CHECK_EQUAL(MICA_ERROR_TYPE, f.t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        CHECK_POINTER(NULL, mica_accessor_get_mut(&none, e));
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
    }
    mica_accessor of_null = mica_accessor_new(NULL, f.position);
    CHECK_POINTER(NULL, mica_accessor_get(&of_null, e));
    CHECK_POINTER(NULL, mica_accessor_get_mut(&of_null, e));
    CHECK_EQUAL(0, f.t.error.calls); // there is no world to report to
    test_world_end(&other);
    fixture_end(&f);
}

TESTS(accessor, an_accessor_gives_what_get_gives, an_accessor_stays_good_while_tables_come_and_go,
      types_beyond_the_first_are_reached_too, taking_a_value_mutable_counts_as_a_change,
      a_shared_value_is_copied_before_it_is_handed_out_to_write, the_dead_are_errors,
      a_wrong_type_gives_an_accessor_that_gives_nothing)
