// What is younger than a snapshot: a restore takes it back to what it was when it was created.
#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Pair {
    float x, y;
} Pair;

static mica_snapshot take(mica_world *world)
{
    mica_snapshot snapshot = mica_snapshot_take(world);
    REQUIRE(!MICA_IS_NONE(snapshot));
    return snapshot;
}

static void a_younger_pool_is_empty_and_has_no_hole(void)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type_desc desc = MICA_DESCRIBE(Pair, x, y);
    desc.storage = MICA_SPARSE;
    mica_type type = mica_type_register(world, &desc);
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    mica_snapshot first = take(world);
    mica_entity entity = mica_spawn(world, MICA_VALUE(type, Pair, 1, 2));
    mica_snapshot second = take(world);
    REQUIRE_EQUAL(MICA_OK, mica_snapshot_restore(world, first));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    CHECK(!mica_alive(world, entity));
    CHECK(!mica_snapshot_is_kept(world, second));
    entity = mica_spawn(world, MICA_VALUE(type, Pair, 3, 4));
    CHECK(((const Pair *)mica_get(world, entity, type))->x == 3);
    test_world_end(&t);
}

static void a_younger_phase_has_no_time(void)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    mica_snapshot snapshot = take(world);
    mica_phase phase = mica_phase_add(world, &(mica_phase_desc){.name = "slow", .fixed_dt = 1});
    REQUIRE_EQUAL(MICA_OK, mica_step(world, 0.75));
    CHECK(mica_phase_progress(world, phase) > 0.7);
    REQUIRE_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshot));
    CHECK(mica_phase_progress(world, phase) == 0);
    test_world_end(&t);
}

TESTS(time_younger, a_younger_pool_is_empty_and_has_no_hole, a_younger_phase_has_no_time)
