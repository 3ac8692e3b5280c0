// Snapshots in a rich world, with the k-th allocation refused, for all k: a call that fails says so once and leaves
// everything as it was; the same call then succeeds.
#include <mica.h>

#include "oom/stride.h"
#include "runner/test.h"
#include "unit/time/rich.h"

enum { ACTS = 25, TAKEN = 6, ALLOCATIONS_MAX = 3000 };

typedef struct scene {
    rich r;
    mica_world *world;
    mica_snapshot taken[TAKEN];
    uint64_t digests[TAKEN];
    uint64_t random;
} scene;

static void act(scene *s)
{
    for (int i = 0; i < ACTS; i++) {
        rich_do(&s->r, cast_random(&s->random));
    }
}

// The calls, by number; NULL results are passed as an error.
static mica_result call(scene *s, uint32_t number)
{
    mica_world *world = s->world;
    if (number == 0) {
        return mica_time_begin(world, &(mica_time_desc){.redo = true});
    }
    if (number <= TAKEN) {
        s->taken[number - 1] = mica_snapshot_take(world);
        return MICA_IS_NONE(s->taken[number - 1]) ? MICA_ERROR_MEMORY : MICA_OK;
    }
    static const uint32_t places[] = {2, 5, 0, 4};
    if (number < TAKEN + 5) {
        return mica_snapshot_restore(world, s->taken[places[number - TAKEN - 1]]);
    }
    return mica_snapshot_drop(world, s->taken[number == TAKEN + 5 ? 2 : 1]);
}

// Tries the call with each allocation refused; what succeeds has what it should.
static void check_call(scene *s, uint32_t number, test_memory_mode mode)
{
    static const uint32_t places[] = {2, 5, 0, 4};
    test_memory *memory = &s->r.c.t.memory;
    uint64_t digest = rich_digest(&s->r);
    uint32_t snapshots = mica_time_get_stats(s->world).snapshots;
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = oom_first(); result && k < ALLOCATIONS_MAX; k += oom_stride()) {
        test_memory_fail_at(memory, k, mode);
        result = call(s, number);
        test_memory_fail_at(memory, 0, mode);
        if (result) {
            CHECK_REPORTED(&s->r.c.t, MICA_ERROR_MEMORY);
            REQUIRE_EQUAL(digest, rich_digest(&s->r));
            REQUIRE_EQUAL(MICA_OK, mica_world_validate(s->world));
            REQUIRE_EQUAL(snapshots, mica_time_get_stats(s->world).snapshots);
        }
    }
    REQUIRE_EQUAL(MICA_OK, result);
    REQUIRE_EQUAL(MICA_OK, mica_world_validate(s->world));
    if (number > TAKEN && number < TAKEN + 5) {
        REQUIRE_EQUAL(s->digests[places[number - TAKEN - 1]], rich_digest(&s->r));
    } else {
        REQUIRE_EQUAL(digest, rich_digest(&s->r));
    }
    if (number > 0 && number <= TAKEN) {
        s->digests[number - 1] = digest;
    }
}

static void run(uint64_t seed, test_memory_mode mode)
{
    static scene s;
    s.random = seed;
    rich_begin(&s.r, NULL);
    s.world = s.r.c.world;
    for (uint32_t number = 0; number < TAKEN + 7; number++) {
        if (number <= TAKEN) {
            act(&s);
        }
        check_call(&s, number, mode);
    }
    rich_end(&s.r);
}

static void one_refusal_leaves_world_and_snapshots_as_they_were(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        run(seed, TEST_MEMORY_ONCE);
    }
}

static void lasting_refusals_leave_world_and_snapshots_as_they_were(void)
{
    for (uint64_t seed = 5; seed <= 8; seed++) {
        run(seed, TEST_MEMORY_ONWARDS);
    }
}

TESTS(time, one_refusal_leaves_world_and_snapshots_as_they_were,
      lasting_refusals_leave_world_and_snapshots_as_they_were)
