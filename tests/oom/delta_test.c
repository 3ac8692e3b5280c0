// Deltas between rich worlds, with the k-th allocation refused, for all k: a call that fails says so once and leaves both
// worlds as they were; the same call then succeeds.
#include <mica.h>

#include "oom/stride.h"
#include "runner/test.h"
#include "unit/time/rich.h"

enum { ACTS = 40, DELTAS = 3, ALLOCATIONS_MAX = 5000 };

typedef struct scene {
    rich leader, follower;
    mica_snapshot taken[DELTAS + 1];
    mica_buffer delta;
    uint64_t random;
} scene;

// Saves, or loads.
static mica_result call(scene *s, uint32_t number, bool load, bool rounds)
{
    const mica_stream bytes = {.data = s->delta.data, .size = s->delta.size};
    const mica_stream buffer = {.buffer = &s->delta};
    const mica_delta_field field = {s->leader.types[CAST_POSITION], "x", 0.5};
    const mica_delta_desc desc = {.fields = &field, .field_count = rounds};
    return load ? mica_delta_load(s->follower.c.world, &bytes)
                : mica_delta_save(s->leader.c.world, s->taken[number], s->taken[number + 1],
                                  &buffer, &desc);
}

// Tries the call with each allocation refused.
static void check_call(scene *s, uint32_t number, bool load, bool rounds, test_memory_mode mode)
{
    rich *r = load ? &s->follower : &s->leader;
    uint64_t digest = rich_digest(r);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = oom_first(); result && k < ALLOCATIONS_MAX; k += oom_stride()) {
        test_memory_fail_at(&r->c.t.memory, k, mode);
        result = call(s, number, load, rounds);
        test_memory_fail_at(&r->c.t.memory, 0, mode);
        if (result) {
            CHECK_REPORTED(&r->c.t, MICA_ERROR_MEMORY);
            REQUIRE_EQUAL(digest, rich_digest(r));
            REQUIRE_EQUAL(MICA_OK, mica_world_validate(r->c.world));
        }
    }
    REQUIRE_EQUAL(MICA_OK, result);
    REQUIRE_EQUAL(MICA_OK, mica_world_validate(r->c.world));
}

static void run(uint64_t seed, test_memory_mode mode)
{
    static scene s;
    s = (scene){.random = seed};
    bool rounds = seed % 2 == 0;
    rich_begin(&s.leader, NULL);
    rich_begin(&s.follower, NULL);
    mica_world *world = s.leader.c.world;
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    s.taken[0] = mica_snapshot_take(world);
    for (uint32_t number = 0; number < DELTAS; number++) {
        for (int i = 0; i < ACTS; i++) {
            rich_do(&s.leader, cast_random(&s.random));
        }
        s.taken[number + 1] = mica_snapshot_take(world);
        check_call(&s, number, false, rounds, mode);
        check_call(&s, number, true, rounds, mode);
        uint64_t hash = mica_snapshot_hash(world, s.taken[number + 1]);
        REQUIRE(rounds || hash == mica_world_hash(s.follower.c.world));
    }
    mica_buffer_free(&s.delta);
    rich_end(&s.leader);
    rich_end(&s.follower);
}

static void one_refusal_leaves_both_worlds_as_they_were(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        run(seed, TEST_MEMORY_ONCE);
    }
}

static void lasting_refusals_leave_both_worlds_as_they_were(void)
{
    for (uint64_t seed = 5; seed <= 8; seed++) {
        run(seed, TEST_MEMORY_ONWARDS);
    }
}

TESTS(delta, one_refusal_leaves_both_worlds_as_they_were,
      lasting_refusals_leave_both_worlds_as_they_were)
