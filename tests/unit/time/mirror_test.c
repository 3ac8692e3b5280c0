// Blocks and logs.
#include "time/mirror_internal.h"

#include "runner/test.h"
#include "runner/world.h"
#include "state/state.h"

#include <string.h>

static void put(micai_time_heap *heap, micai_time_log *log, micai_time_block *block, size_t offset,
                size_t size, int value)
{
    unsigned char bytes[64];
    memset(bytes, value, sizeof bytes);
    REQUIRE(micai_time_log_write(heap, log, (micai_range){block, offset, size}, bytes));
}

static void merged_logs_have_each_byte_once(void)
{
    test_world t;
    micai_time_heap heap = {.host = &test_world_begin(&t)->host};
    micai_time_block block = {0};
    REQUIRE(micai_time_block_grow(heap.host, &block, 64));
    micai_time_log log = {0}, later = {0};
    put(&heap, &log, &block, 0, 8, 1);
    put(&heap, &log, &block, 32, 16, 1);
    put(&heap, &later, &block, 4, 32, 2); // between the two
    put(&heap, &later, &block, 36, 4, 2);
    put(&heap, &later, &block, 60, 4, 2);
    unsigned char newest[64];
    memcpy(newest, block.bytes, sizeof newest);

    REQUIRE(micai_time_log_append(&heap, &log, &later, true));
    CHECK_EQUAL(0, later.changes.count);
    CHECK_EQUAL(4, log.changes.count);
    CHECK_EQUAL(8 + 16 + 24 + 4, log.bytes.count);
    const unsigned char oldest[64] = {0};
    micai_time_log_swap_backward(&log);
    CHECK_EQUAL(0, memcmp(block.bytes, oldest, sizeof oldest));
    micai_time_log_swap_forward(&log);
    CHECK_EQUAL(0, memcmp(block.bytes, newest, sizeof newest));
    micai_time_log_free(&heap, &log);
    micai_time_block_free(heap.host, &block);
    micai_time_heap_free(&heap);
    test_world_end(&t);
}

static void a_merged_block_that_has_grown_is_kept(void)
{
    test_world t;
    micai_time_heap heap = {.host = &test_world_begin(&t)->host};
    micai_time_block block = {0};
    REQUIRE(micai_time_block_grow(heap.host, &block, 32));
    micai_time_log log = {0}, later = {0};
    put(&heap, &log, &block, 0, 32, 1);
    REQUIRE(micai_time_block_grow(heap.host, &block, 64));
    put(&heap, &later, &block, 0, 64, 2);
    REQUIRE(micai_time_log_append(&heap, &log, &later, true));
    CHECK_EQUAL(64, log.bytes.count);
    const unsigned char oldest[64] = {0};
    micai_time_log_swap_backward(&log);
    CHECK_EQUAL(0, memcmp(block.bytes, oldest, sizeof oldest));
    micai_time_log_free(&heap, &log);
    micai_time_block_free(heap.host, &block);
    micai_time_heap_free(&heap);
    test_world_end(&t);
}

static void logs_of_4_gib_are_not_merged(void)
{
    test_world t;
    micai_time_heap heap = {.host = &test_world_begin(&t)->host};
    micai_time_log log = {.bytes = {NULL, UINT32_MAX - 10, UINT32_MAX - 10}}; // pretended
    micai_time_log later = {.bytes = {NULL, 11, 11}};
    for (int undoes = 0; undoes < 2; undoes++) {
        micai_host_begin(heap.host, "merge");
        CHECK(!micai_time_log_append(&heap, &log, &later, undoes));
        micai_host_end(heap.host);
        CHECK_ERROR(&t, MICA_ERROR_MEMORY,
                    "merge: the changes between two snapshots would take 4 GiB or more");
        CHECK_EQUAL(UINT32_MAX - 10, log.bytes.count);
        CHECK_EQUAL(11, later.bytes.count);
    }
    test_world_end(&t);
}

// A world in which a value changes before each snapshot, thinned out.
static void merged_snapshots_of_small_changes_stay_within_the_budget(void)
{
    enum { BUDGET = 16384 };
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type number = mica_type_register(
        world, &(mica_type_desc){.name = "Number", .size = 4, .align = 4, .plain = true});
    mica_entity entity = mica_spawn(world, MICA_ADD(number));
    REQUIRE_EQUAL(MICA_OK,
                  mica_time_begin(world, &(mica_time_desc){.budget = BUDGET, .thin = true}));
    mica_snapshot first = mica_snapshot_take(world);
    REQUIRE_EQUAL(MICA_OK, mica_snapshot_pin(world, first, true));
    for (int i = 0; i < 1000; i++) {
        *(int *)mica_get_mut(world, entity, number) = i + 1;
        mica_world_tick(world);
        REQUIRE(!MICA_IS_NONE(mica_snapshot_take(world)));
        CHECK(mica_time_get_stats(world).log_bytes <= BUDGET);
    }
    CHECK(mica_time_get_stats(world).snapshots > 8);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, first));
    CHECK_EQUAL(0, *(const int *)mica_get(world, entity, number));
    test_world_end(&t);
}

TESTS(time_mirror, merged_logs_have_each_byte_once, a_merged_block_that_has_grown_is_kept,
      logs_of_4_gib_are_not_merged, merged_snapshots_of_small_changes_stay_within_the_budget)
