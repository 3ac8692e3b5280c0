// Tests of slots in src/system/wave.c: entities that come and go in batches, for thousands of steps.
#include <mica.h>

#include "core/slot.h"
#include "runner/test.h"
#include "runner/tier.h"
#include "runner/world.h"

typedef struct Life {
    uint32_t left;
} Life;

enum { ENTITIES = 100, BATCH_ROWS = 16 };

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type life, other;
} scene;

static void live(mica_iter *it)
{
    const scene *s = it->user;
    Life *lives = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        if (lives[i].left-- == 0) {
            mica_type next = lives[i].left % 3 == 0 ? s->other : s->life;
            // a spawn that fails is an error, which nobody looks at
            (void)mica_spawn(it->world,
                             MICA_VALUE(next, Life, (uint32_t)(mica_batch_seed(it) % 9) + i % 5));
            mica_despawn(it->world, it->entities[i]);
        }
    }
}

static void add_system(scene *s, const char *name, mica_type type)
{
    CHECK(!MICA_IS_NONE(
        mica_system_add(s->world, &(mica_system_desc){.name = name,
                                                      .update = live,
                                                      .user = s,
                                                      .run = MICA_PARALLEL,
                                                      .batch_rows = BATCH_ROWS,
                                                      .spawns = BATCH_ROWS,
                                                      .query.terms = {{type, MICA_WRITE}}})));
}

static void scene_prepare(scene *s, uint32_t max_entities)
{
    test_world_prepare(&s->t);
    s->t.desc.max_entities = max_entities;
    mica_world *world = s->world = test_world_open(&s->t);
    s->life = mica_type_register(
        world, &(mica_type_desc){.name = "life", .size = sizeof(Life), .align = 4});
    s->other = mica_type_register(
        world, &(mica_type_desc){
                   .name = "other", .size = sizeof(Life), .align = 4, .storage = MICA_SPARSE});
    for (uint32_t i = 0; i < ENTITIES; i++) {
        mica_spawn(world, MICA_VALUE(i % 2 ? s->life : s->other, Life, i % 7));
    }
    add_system(s, "live", s->life); // both in one wave
    add_system(s, "others", s->other);
}

static void scene_begin(scene *s)
{
    scene_prepare(s, 0);
}

static void scene_end(scene *s)
{
    test_world_end(&s->t);
}

static uint32_t find_last_slot(mica_world *world)
{
    uint32_t last = 0;
    mica_entity entity = {0};
    while (!MICA_IS_NONE(entity = mica_entity_next(world, entity))) {
        last = mica_entity_slot(entity);
    }
    return last;
}

static void step(scene *s)
{
    REQUIRE_EQUAL(MICA_OK, mica_step(s->world, 1));
    REQUIRE_EQUAL(MICA_OK, mica_world_validate(s->world));
}

TEST_WITH(scene, s, a_balanced_world_keeps_its_number_of_slots)
{
    mica_world_start_workers(s->world, 2);
    uint32_t last = 0;
    for (uint64_t i = 0; i < (test_tier_is_small() ? 500 : 2000); i++) {
        mica_world_shuffle_workers(s->world, i % 10);
        step(s);
        uint32_t now = find_last_slot(s->world);
        CHECK(i < 100 || now <= last);
        last = now > last ? now : last;
    }
    CHECK_EQUAL(ENTITIES, mica_entity_count(s->world));
    CHECK(last < 4 * ENTITIES);
}

TEST_WITH(scene, s, given_handles_stay_where_they_are)
{
    mica_world *world = s->world;
    mica_entity far[20];
    for (uint32_t i = 0; i < 20; i++) {
        far[i] = mica_entity_make(1000 + 50 * i, i % 3);
        CHECK(MICA_EQUAL(far[i], mica_spawn_at(world, far[i])));
        step(s);
        if (i % 4 == 3) {
            mica_despawn(world, far[i - 1]); // which is free now, and may be asked for again
            mica_entity again = mica_entity_make(1000 + 50 * (i - 1), 5);
            CHECK(MICA_EQUAL(again, mica_spawn_at(world, again)));
            far[i - 1] = again;
        }
    }
    for (uint32_t i = 0; i < 300; i++) {
        step(s);
        CHECK_EQUAL(1950, find_last_slot(world)); // nothing comes behind them
    }
    // some slot that is free
    uint32_t asked = 0;
    for (uint32_t slot = 0; slot < 300; slot++) {
        mica_entity entity = mica_entity_make(slot, 1000 + slot);
        if (!MICA_IS_NONE(mica_spawn_at(world, entity))) {
            asked++;
            step(s);
            CHECK(mica_alive(world, entity));
        } else {
            CHECK_REPORTED(&s->t, MICA_ERROR_OCCUPIED);
        }
        if (asked == 10) {
            break;
        }
    }
    CHECK(asked == 10);
    for (uint32_t i = 0; i < 20; i++) {
        CHECK(mica_alive(world, far[i]));
    }
}

TEST_WITH(scene, s, slots_are_reclaimed_between_waves)
{
    mica_world *world = s->world;
    for (uint32_t i = 0; i < 200; i++) {
        if (i % 10 == 0) {
            for (uint32_t k = 0; k < 300; k++) {
                mica_spawn(world, MICA_ADD(s->life));
            }
        }
        step(s);
        if (i % 10 == 5) {
            uint32_t left = 0;
            mica_entity entity = {0};
            while (!MICA_IS_NONE(entity = mica_entity_next(world, entity))) {
                if (left++ >= ENTITIES) {
                    mica_despawn(world, entity);
                }
            }
            CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        }
        CHECK(find_last_slot(world) < 4000);
    }
}

// A world that is restored, and reclaimed, comes to the same handles, on other threads.
TEST_WITH(scene, s, restored_worlds_come_to_the_same_handles)
{
    mica_world *world = s->world;
    CHECK_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    for (uint32_t i = 0; i < 40; i++) {
        if (i % 8 == 3) {
            mica_spawn_at(world, mica_entity_make(2000 + i * 100, 0));
        }
        mica_snapshot snapshot = mica_snapshot_take(world);
        REQUIRE(snapshot.bits != 0);
        uint64_t digests[2];
        for (uint32_t run = 0; run < 2; run++) {
            mica_world_start_workers(world, 1 + (run + i) % 3);
            mica_world_shuffle_workers(world, i * run);
            for (uint32_t k = 0; k < 4; k++) {
                step(s);
            }
            digests[run] = mica_world_digest(world);
            if (run == 0) {
                REQUIRE_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshot));
                REQUIRE_EQUAL(MICA_OK, mica_world_validate(world));
                if (i % 3 == 0) {
                    mica_world_reclaim(world);
                }
            }
        }
        CHECK(i % 3 == 0 || digests[0] == digests[1]);
        mica_snapshot_drop(world, snapshot);
    }
    mica_desync desync;
    mica_world_shuffle_workers(world, 9);
    for (uint32_t i = 0; i < 10; i++) {
        CHECK_EQUAL(MICA_OK, mica_sync_test(world, 1, &desync));
    }
}

static void use_limit(mica_iter *it)
{
    scene *s = it->user;
    uint32_t made = 0;
    while (!MICA_IS_NONE(mica_spawn(it->world, MICA_ADD(s->other))) && made < 200) {
        made++;
    }
    CHECK(made < 200);
}

static void the_limit_of_a_world_is_kept(void)
{
    static scene s;
    scene_prepare(&s, ENTITIES + 40);
    mica_world *world = s.world;
    // while all is balanced, the limit is never met: each lane has its part of what is left
    mica_system_remove(world, mica_system_find(world, "others"));
    mica_system_remove(world, mica_system_find(world, "live"));
    CHECK(!MICA_IS_NONE(mica_system_add(world, &(mica_system_desc){.name = "use",
                                                                   .update = use_limit,
                                                                   .user = &s,
                                                                   .run = MICA_CONCURRENT,
                                                                   .spawns = 1000,
                                                                   .batch_rows = 1000})));
    mica_despawn(world, mica_entity_next(world, (mica_entity){0}));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_REPORTED(&s.t, MICA_ERROR_LIMIT);
    CHECK_EQUAL(ENTITIES + 40, mica_entity_count(world));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1)); // none is left
    CHECK_REPORTED(&s.t, MICA_ERROR_LIMIT);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    mica_entity some = mica_entity_next(world, (mica_entity){0});
    mica_despawn(world, some);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_REPORTED(&s.t, MICA_ERROR_LIMIT);
    CHECK_EQUAL(ENTITIES + 40, mica_entity_count(world));
    scene_end(&s);
}

TESTS(wave_slots, a_balanced_world_keeps_its_number_of_slots, given_handles_stay_where_they_are,
      slots_are_reclaimed_between_waves, restored_worlds_come_to_the_same_handles,
      the_limit_of_a_world_is_kept)
