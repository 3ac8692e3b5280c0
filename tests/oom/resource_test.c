// Resources and events, with the k-th allocation refused, for all k: the call fails and changes nothing.
#include <mica.h>

#include "oom/sites.h"
#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

static void resources_survive_every_refusal(void)
{
    static tracker seen;
    test_world t;
    test_world_prepare(&t);
    sites_watch(&t);
    mica_world *world = test_world_open(&t);
    tracker_begin(&seen);
    mica_type_desc desc = tracked_desc(&seen, "Tracked", true);
    mica_type watched = mica_type_register(world, &desc);
    mica_type plain =
        mica_type_register(world, &(mica_type_desc){.name = "Plain", .size = 5000, .align = 8});
    uint64_t refused = 0;
    for (uint32_t round = 0; round < 3; round++) { // two new, two that are there, one of each
        for (uint64_t k = 1;; k++) {
            uint64_t hash = mica_world_hash(world);
            uint32_t alive = seen.alive;
            test_memory_fail_at(&t.memory, k, TEST_MEMORY_ONCE);
            mica_result result = mica_resource_set(world, MICA_ADD(plain), MICA_ADD(watched));
            uint64_t refusals = t.memory.refusals;
            test_memory_fail_at(&t.memory, 0, TEST_MEMORY_ONCE);
            refused += refusals;
            if (refusals == 0) {
                CHECK_EQUAL(MICA_OK, result);
                break;
            }
            CHECK_EQUAL(MICA_ERROR_MEMORY, result);
            CHECK_EQUAL(1, test_error_clear(&t.error));
            CHECK_EQUAL(hash, mica_world_hash(world));
            CHECK_TRACKED(&seen, alive);
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        }
        CHECK_TRACKED(&seen, 1);
        if (round == 1) {
            mica_resource_remove(world, plain);
            mica_world_reclaim(world);
        }
    }
    CHECK(refused > 4);
    test_world_end(&t);
    CHECK_TRACKED(&seen, 0);
}

static void events_survive_every_refusal(void)
{
    static tracker seen;
    test_world t;
    test_world_prepare(&t);
    sites_watch(&t);
    mica_world *world = test_world_open(&t);
    tracker_begin(&seen);
    mica_type_desc desc = tracked_desc(&seen, "Tracked", true);
    mica_type watched = mica_type_register(world, &desc);
    mica_type plain =
        mica_type_register(world, &(mica_type_desc){.name = "Plain", .size = 5000, .align = 8});
    uint64_t refused = 0;
    for (uint32_t round = 1; round < 200; round++) {
        for (uint64_t k = 1;; k++) {
            uint64_t digest = mica_world_digest(world);
            uint32_t alive = seen.alive;
            test_memory_fail_at(&t.memory, k, TEST_MEMORY_ONCE);
            mica_result result =
                mica_send(world, MICA_ADD(watched), MICA_ADD(plain), MICA_ADD(watched));
            uint64_t refusals = t.memory.refusals;
            test_memory_fail_at(&t.memory, 0, TEST_MEMORY_ONCE);
            refused += refusals;
            if (refusals == 0) {
                CHECK_EQUAL(MICA_OK, result);
                break;
            }
            CHECK_EQUAL(MICA_ERROR_MEMORY, result);
            CHECK_EQUAL(1, test_error_clear(&t.error));
            CHECK_EQUAL(digest, mica_world_digest(world));
            CHECK_TRACKED(&seen, alive);
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        }
        CHECK_TRACKED(&seen, 2 * round);
    }
    CHECK(refused > 5);
    test_world_end(&t);
    CHECK_TRACKED(&seen, 0);
}

TESTS(resource, resources_survive_every_refusal, events_survive_every_refusal)
