#include <mica/entity.h>

#include <stdlib.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"
#include "state/state.h"

static bool is_at(mica_entity entity, uint32_t slot, uint32_t generation)
{
    return MICA_EQUAL(entity, mica_entity_make(slot, generation));
}

typedef struct heard {
    uint32_t calls;
    mica_world *world;
    char sentence[128];
} heard;

static void hear(mica_world *world, mica_log_level level, const char *sentence, void *user)
{
    heard *log = user;
    CHECK_EQUAL(MICA_LOG_INFO, level);
    log->calls++;
    log->world = world;
    strncpy(log->sentence, sentence, sizeof log->sentence - 1);
}

TEST_WITH(test_world, t, an_entity_lives_from_spawn_to_despawn)
{
    mica_world *world = t->world;
    CHECK_EQUAL(0, mica_entity_count(world));
    mica_entity a = mica_spawn_values(world, NULL, 0);
    mica_entity b = mica_spawn_values(world, NULL, 0);
    CHECK(!MICA_IS_NONE(a) && !MICA_EQUAL(a, b));
    CHECK(mica_alive(world, a) && mica_alive(world, b));
    CHECK_EQUAL(2, mica_entity_count(world));
    CHECK_EQUAL(MICA_OK, mica_despawn(world, a));
    CHECK(!mica_alive(world, a) && mica_alive(world, b));
    CHECK_EQUAL(1, mica_entity_count(world));
}

// S3.1
TEST_WITH(test_world, t, a_stale_handle_is_dead_and_despawning_it_is_harmless)
{
    mica_world *world = t->world;
    mica_entity stale = mica_spawn_values(world, NULL, 0);
    mica_despawn(world, stale);
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(world, stale));
    CHECK_ERROR(t, MICA_ERROR_ENTITY, "mica_despawn: entity 0.0 is dead, or of another world");
    mica_entity next = mica_spawn_values(world, NULL, 0);
    CHECK(is_at(next, 0, 1));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(world, stale));
    CHECK_ERROR(t, MICA_ERROR_ENTITY, "mica_despawn: entity 0.0 is dead, or of another world");
    CHECK(mica_alive(world, next) && !mica_alive(world, stale));
}

TEST_WITH(test_world, t, handles_that_no_entity_can_have_are_dead)
{
    mica_world *world = t->world;
    mica_entity entity = mica_spawn_values(world, NULL, 0);
    mica_despawn(world, mica_spawn_values(world, NULL, 0));
    const struct {
        mica_entity handle;
        const char *sentence;
    } rows[] = {
        {(mica_entity){0}, "mica_despawn: the entity is none"},
        {{.bits = UINT64_MAX}, "mica_despawn: 0xffffffffffffffff is no handle of any entity"},
        {{.bits = 1}, "mica_despawn: 0x0000000000000001 is no handle of any entity"},
        {{.bits = UINT64_C(0x8000000200000001)}, // what the record of the free slot 1 holds
         "mica_despawn: 0x8000000200000001 is no handle of any entity"},
        {mica_entity_make(UINT32_MAX, 0),
         "mica_despawn: 0x00000001ffffffff is no handle of any entity"},
        {mica_entity_make(0, 1), "mica_despawn: entity 0.1 is dead, or of another world"},
        {mica_entity_make(1, 1), "mica_despawn: entity 1.1 is dead, or of another world"},
        {mica_entity_make(2, 0), "mica_despawn: entity 2.0 is dead, or of another world"},
        {mica_entity_make(UINT32_MAX - 1, MICA_GENERATION_LAST),
         "mica_despawn: entity 4294967294.2147483646 is dead, or of another world"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK(!mica_alive(world, rows[i].handle));
        CHECK_EQUAL(0, t->error.calls);
        CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(world, rows[i].handle));
        CHECK_ERROR(t, MICA_ERROR_ENTITY, rows[i].sentence);
    }
    CHECK(mica_alive(world, entity));
    CHECK_EQUAL(1, mica_entity_count(world));
}

// How many of the handles are alive.
static uint32_t count_alive(mica_world *world, const mica_entity *handles, uint32_t count)
{
    uint32_t alive = 0;
    for (uint32_t i = 0; i < count; i++) {
        alive += mica_alive(world, handles[i]);
    }
    return alive;
}

// The slot is at its last generation: its occupant's death retires it for ever.
static void check_retirement(test_world *t, heard *log, const mica_entity *stale, uint32_t count)
{
    mica_world *world = t->world;
    mica_entity last = micai_slots_age(&world->state->slots, stale[count], MICA_GENERATION_LAST);
    CHECK(mica_alive(world, last));
    CHECK_EQUAL(0, log->calls);
    CHECK_EQUAL(MICA_OK, mica_despawn(world, last));
    CHECK_EQUAL(1, log->calls);
    CHECK_POINTER(world, log->world);
    CHECK_TEXT("entity slot 0 is retired after its last generation", log->sentence);
    CHECK(!mica_alive(world, last));
    CHECK_EQUAL(0, count_alive(world, stale, count + 1));

    for (uint32_t i = 1; i < 20; i++) {
        CHECK(is_at(mica_spawn_values(world, NULL, 0), i, 0));
    }
    const uint32_t generations[] = {0, 1, 1 << 20, MICA_GENERATION_LAST};
    for (size_t i = 0; i < 4; i++) {
        CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(0, generations[i]))));
        CHECK_ERROR(t, MICA_ERROR_OCCUPIED, "mica_spawn_at: slot 0 is retired");
    }
    CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(0, MICA_GENERATION_LAST + 1))));
    CHECK_ERROR(t, MICA_ERROR_ENTITY,
                "mica_spawn_at: 0x8000000000000000 is no handle of any entity");
    CHECK_EQUAL(0, count_alive(world, stale, count + 1));
}

// S3.1
static void a_stale_handle_never_revives_however_often_its_slot_is_recycled(void)
{
    enum { CYCLES = 1 << 20 };
    mica_entity *handles = malloc((CYCLES + 1) * sizeof *handles);
    REQUIRE(handles != NULL);
    heard log = {0};
    test_world t;
    test_world_prepare(&t);
    t.desc.log_handler = hear;
    t.desc.log_user = &log;
    mica_world *world = test_world_open(&t);

    handles[0] = mica_spawn_values(world, NULL, 0);
    uint32_t wrong = 0;
    for (uint32_t i = 1; i <= CYCLES; i++) {
        wrong += mica_despawn(world, handles[i - 1]) != MICA_OK;
        wrong += mica_alive(world, handles[i - 1]);
        handles[i] = mica_spawn_values(world, NULL, 0);
        wrong += !is_at(handles[i], 0, i);
        wrong += mica_alive(world, handles[i - 1]);
        if (i % (CYCLES / 8) == 0) {
            CHECK_EQUAL(1, count_alive(world, handles, i + 1));
        }
    }
    CHECK_EQUAL(0, wrong);
    CHECK(mica_alive(world, handles[CYCLES]));
    CHECK_EQUAL(1, mica_entity_count(world));

    check_retirement(&t, &log, handles, CYCLES);
    test_world_end(&t);
    free(handles);
}

// S0.1
static void running_out_of_entities_is_an_error_and_the_world_goes_on(void)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = 5;
    mica_world *world = test_world_open(&t);
    mica_entity entities[5];
    for (uint32_t i = 0; i < 5; i++) {
        entities[i] = mica_spawn_values(world, NULL, 0);
    }
    for (int again = 0; again < 2; again++) {
        CHECK(MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
        CHECK_ERROR(&t, MICA_ERROR_LIMIT,
                    "mica_spawn: the world's limit of 5 entity slots would be passed: 5 in use");
    }
    CHECK_EQUAL(5, mica_entity_count(world));
    CHECK_EQUAL(5, count_alive(world, entities, 5));
    CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(5, 0))));
    CHECK_ERROR(&t, MICA_ERROR_LIMIT, "mica_spawn_at: slot 5 is beyond the world's limit of 5");
    CHECK_EQUAL(MICA_OK, mica_entity_reserve(world, 0));
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_entity_reserve(world, 1));
    CHECK_ERROR(
        &t, MICA_ERROR_LIMIT,
        "mica_entity_reserve: the world's limit of 5 entity slots would be passed: 5 in use");

    mica_despawn(world, entities[2]);
    CHECK(is_at(mica_spawn_values(world, NULL, 0), 2, 1));
    CHECK(MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    CHECK_ERROR(&t, MICA_ERROR_LIMIT,
                "mica_spawn: the world's limit of 5 entity slots would be passed: 5 in use");
    test_world_end(&t);
}

// S0.1
static void retired_slots_shrink_the_room(void)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = 4;
    mica_world *world = test_world_open(&t);
    // One retires ahead of the fresh slots, one among them.
    mica_entity ahead = mica_spawn_at(world, mica_entity_make(2, MICA_GENERATION_LAST));
    mica_entity first = mica_spawn_values(world, NULL, 0);
    CHECK(is_at(first, 0, 0));
    CHECK_EQUAL(MICA_OK, mica_despawn(world, ahead));
    first = micai_slots_age(&world->state->slots, first, MICA_GENERATION_LAST);
    CHECK_EQUAL(MICA_OK, mica_despawn(world, first));

    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_entity_reserve(world, 3));
    CHECK_ERROR(
        &t, MICA_ERROR_LIMIT,
        "mica_entity_reserve: the world's limit of 4 entity slots would be passed: 0 in use");
    CHECK_EQUAL(MICA_OK, mica_entity_reserve(world, 2));
    CHECK(is_at(mica_spawn_values(world, NULL, 0), 1, 0));
    CHECK(is_at(mica_spawn_values(world, NULL, 0), 3, 0));
    CHECK(MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    CHECK_ERROR(&t, MICA_ERROR_LIMIT,
                "mica_spawn: the world's limit of 4 entity slots would be passed: 2 in use");
    CHECK_EQUAL(MICA_OK, mica_despawn(world, mica_entity_make(3, 0)));
    CHECK(is_at(mica_spawn_values(world, NULL, 0), 3, 1));
    test_world_end(&t);
}

// S2.6
static void an_entity_at_slot_100000000_costs_a_page_and_no_array(void)
{
    // Small pages are 1024 times smaller; so that there are as many, the slot is as far.
    const uint32_t slot = UINT32_C(100000000) >> (12 - MICAI_SLOT_PAGE_SHIFT);
    test_world t;
    mica_world *world = test_world_begin(&t);
    size_t before = mica_world_get_stats(world).memory.bytes;
    mica_entity far = mica_spawn_at(world, mica_entity_make(slot, 7));
    CHECK(is_at(far, slot, 7));
    CHECK(mica_alive(world, far));
    CHECK(mica_world_get_stats(world).memory.bytes - before < 1 << 20);
    CHECK_EQUAL(1, mica_entity_count(world));
    CHECK_EQUAL(far.bits, mica_entity_next(world, (mica_entity){0}).bits);

    CHECK(is_at(mica_spawn_values(world, NULL, 0), 0, 0));
    CHECK(is_at(mica_spawn_values(world, NULL, 0), 1, 0));
    CHECK(mica_world_get_stats(world).memory.bytes - before < 1 << 20);
    CHECK_EQUAL(MICA_OK, mica_despawn(world, far));
    CHECK(is_at(mica_spawn_values(world, NULL, 0), slot, 8));
    test_world_end(&t);
}

// S2.6
TEST_WITH(test_world, t, fresh_slots_step_over_slots_taken_by_handle)
{
    mica_world *world = t->world;
    mica_spawn_at(world, mica_entity_make(1, 4));
    mica_spawn_at(world, mica_entity_make(2, 0));
    mica_spawn_at(world, mica_entity_make(5, 0));
    const uint32_t slots[] = {0, 3, 4, 6, 7};
    for (size_t i = 0; i < 5; i++) {
        CHECK(is_at(mica_spawn_values(world, NULL, 0), slots[i], 0));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    CHECK_EQUAL(8, mica_entity_count(world));
}

// S2.6
TEST_WITH(test_world, t, spawn_at_can_take_a_slot_out_of_the_free_list)
{
    mica_world *world = t->world;
    mica_entity entities[6];
    for (uint32_t i = 0; i < 6; i++) {
        entities[i] = mica_spawn_values(world, NULL, 0);
    }
    for (uint32_t i = 0; i < 6; i++) {
        mica_despawn(world, entities[i]);
    }
    CHECK(is_at(mica_spawn_at(world, mica_entity_make(3, 1)), 3, 1)); // in the middle
    CHECK(is_at(mica_spawn_at(world, mica_entity_make(5, 9)), 5, 9)); // the first
    CHECK(is_at(mica_spawn_at(world, mica_entity_make(0, 2)), 0, 2)); // the last
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    CHECK(is_at(mica_spawn_values(world, NULL, 0), 4, 1));
    CHECK(is_at(mica_spawn_values(world, NULL, 0), 2, 1));
    CHECK(is_at(mica_spawn_values(world, NULL, 0), 1, 1));
    CHECK(is_at(mica_spawn_values(world, NULL, 0), 6, 0));
    CHECK_EQUAL(0, count_alive(world, entities, 6));
}

TEST_WITH(test_world, t, spawn_at_says_why_a_slot_is_occupied)
{
    mica_world *world = t->world;
    mica_spawn_at(world, mica_entity_make(1, 3));
    mica_despawn(world, mica_spawn_at(world, mica_entity_make(2, 8)));
    mica_despawn(world, mica_spawn_at(world, mica_entity_make(3, MICA_GENERATION_LAST)));

    CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(1, 3))));
    CHECK_ERROR(t, MICA_ERROR_OCCUPIED, "mica_spawn_at: slot 1 is in use by entity 1.3");
    CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(1, 4))));
    CHECK_ERROR(t, MICA_ERROR_OCCUPIED, "mica_spawn_at: slot 1 is in use by entity 1.3");
    CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(2, 8))));
    CHECK_ERROR(t, MICA_ERROR_OCCUPIED,
                "mica_spawn_at: slot 2 has moved past generation 8; its next is 9");
    CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(2, 0))));
    CHECK_ERROR(t, MICA_ERROR_OCCUPIED,
                "mica_spawn_at: slot 2 has moved past generation 0; its next is 9");
    CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(3, 0))));
    CHECK_ERROR(t, MICA_ERROR_OCCUPIED, "mica_spawn_at: slot 3 is retired");
    CHECK_EQUAL(1, mica_entity_count(world));
}

TEST_WITH(test_world, t, spawn_at_refuses_what_is_no_handle)
{
    mica_world *world = t->world;
    uint64_t allocations = mica_world_get_stats(world).memory.allocations;
    const struct {
        uint64_t bits;
        const char *sentence;
    } rows[] = {
        {0, "mica_spawn_at: the entity is none"},
        {17, "mica_spawn_at: 0x0000000000000011 is no handle of any entity"},
        {UINT64_C(0x8000000000000000),
         "mica_spawn_at: 0x8000000000000000 is no handle of any entity"},
        {UINT64_C(0x8000000100000000), // what the record of a virgin slot holds
         "mica_spawn_at: 0x8000000100000000 is no handle of any entity"},
        {UINT64_C(0x00000001ffffffff),
         "mica_spawn_at: 0x00000001ffffffff is no handle of any entity"},
        {UINT64_MAX, "mica_spawn_at: 0xffffffffffffffff is no handle of any entity"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK(MICA_IS_NONE(mica_spawn_at(world, (mica_entity){.bits = rows[i].bits})));
        CHECK_ERROR(t, MICA_ERROR_ENTITY, rows[i].sentence);
    }
    CHECK_EQUAL(0, mica_entity_count(world));
    CHECK_EQUAL(allocations, mica_world_get_stats(world).memory.allocations);
}

static uint32_t count_pages(const micai_slots *slots)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < slots->view.page_count; i++) {
        count += slots->view.pages[i] != NULL;
    }
    return count;
}

TEST_WITH(test_world, t, reserved_entities_are_spawned_without_new_slot_pages)
{
    mica_world *world = t->world;
    mica_spawn_at(world, mica_entity_make(50, 0));
    CHECK_EQUAL(MICA_OK, mica_entity_reserve(world, 100));
    uint32_t pages = count_pages(&world->state->slots);
    for (uint32_t i = 0; i < 100; i++) {
        CHECK(is_at(mica_spawn_values(world, NULL, 0), i < 50 ? i : i + 1, 0));
    }
    CHECK_EQUAL(pages, count_pages(&world->state->slots));
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_entity_reserve(world, UINT32_MAX));
    CHECK_ERROR(
        t, MICA_ERROR_LIMIT,
        "mica_entity_reserve: the world's limit of 4294967295 entity slots would be passed: 101 in use");
}

TEST_WITH(test_world, t, entities_are_walked_in_slot_order)
{
    mica_world *world = t->world;
    CHECK(MICA_IS_NONE(mica_entity_next(world, (mica_entity){0})));
    const mica_entity entities[] = {mica_entity_make(0, 0), mica_entity_make(3, 5),
                                    mica_entity_make(4, 0), mica_entity_make(90, 1)};
    for (size_t i = 4; i-- > 0;) {
        mica_spawn_at(world, entities[i]);
    }
    mica_entity entity = (mica_entity){0};
    for (size_t i = 0; i < 4; i++) {
        entity = mica_entity_next(world, entity);
        CHECK_EQUAL(entities[i].bits, entity.bits);
    }
    CHECK(MICA_IS_NONE(mica_entity_next(world, entity)));
    CHECK(MICA_IS_NONE(mica_entity_next(world, mica_entity_make(UINT32_MAX, 0))));
    CHECK(MICA_IS_NONE(mica_entity_next(world, mica_entity_make(UINT32_MAX - 1, 0))));
}

TEST_WITH(test_world, t, a_walk_may_despawn_what_it_meets)
{
    mica_world *world = t->world;
    for (int i = 0; i < 10; i++) {
        mica_spawn_values(world, NULL, 0);
    }
    uint32_t met = 0;
    for (mica_entity e = mica_entity_next(world, (mica_entity){0}); !MICA_IS_NONE(e);
         e = mica_entity_next(world, e)) {
        CHECK(is_at(e, met, 0));
        met++;
        CHECK_EQUAL(MICA_OK, mica_despawn(world, e));
    }
    CHECK_EQUAL(10, met);
    CHECK_EQUAL(0, mica_entity_count(world));
}

TESTS(entity, an_entity_lives_from_spawn_to_despawn,
      a_stale_handle_is_dead_and_despawning_it_is_harmless,
      handles_that_no_entity_can_have_are_dead,
      a_stale_handle_never_revives_however_often_its_slot_is_recycled,
      running_out_of_entities_is_an_error_and_the_world_goes_on, retired_slots_shrink_the_room,
      an_entity_at_slot_100000000_costs_a_page_and_no_array,
      fresh_slots_step_over_slots_taken_by_handle, spawn_at_can_take_a_slot_out_of_the_free_list,
      spawn_at_says_why_a_slot_is_occupied, spawn_at_refuses_what_is_no_handle,
      reserved_entities_are_spawned_without_new_slot_pages, entities_are_walked_in_slot_order,
      a_walk_may_despawn_what_it_meets)
