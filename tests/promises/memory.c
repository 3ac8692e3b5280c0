// What mica/memory.h promises.
#include "promise.h"

#include <string.h>

PROMISE(mica_memory_get_stats)
{
    test_world t;
    mica_world *world = test_world_begin(&t);

    // [memory.held]
    for (int i = 0; i < 1000; i++) {
        mica_spawn_values(world, NULL, 0);
    }
    mica_memory_stats stats = mica_memory_get_stats(world);
    CHECK_EQUAL(t.memory.bytes, stats.bytes);
    CHECK_EQUAL(t.memory.peak_bytes, stats.peak_bytes);
    CHECK_EQUAL(t.memory.blocks, stats.blocks);
    CHECK_EQUAL(t.memory.allocations, stats.allocations);
    test_world_end(&t);

    // [memory.null]
    stats = mica_memory_get_stats(NULL);
    CHECK_BYTES(&(mica_memory_stats){0}, &stats, sizeof stats);
}

PROMISE(mica_world_allocator)
{
    test_world t;
    mica_world *world = test_world_begin(&t);

    // [allocator.source]
    mica_allocator allocator = mica_world_allocator(world);
    CHECK(allocator.resize == t.desc.allocator.resize);
    CHECK_POINTER(t.desc.allocator.user, allocator.user);

    // [allocator.own]
    mica_memory_stats before = mica_memory_get_stats(world);
    void *block = allocator.resize(allocator.user, NULL, 0, 100, 8);
    REQUIRE(block != NULL);
    mica_memory_stats after = mica_memory_get_stats(world);
    CHECK_BYTES(&before, &after, sizeof after);
    CHECK_EQUAL(MICA_OK, mica_world_free(world));
    t.world = NULL;
    memset(block, 1, 100);
    allocator.resize(allocator.user, block, 100, 0, 8);
    test_world_end(&t);

    // [allocator.source]: the C library; [allocator.null]
    world = mica_world_new(NULL);
    allocator = mica_world_allocator(world);
    REQUIRE(allocator.resize != NULL);
    block = allocator.resize(allocator.user, NULL, 0, 100, 64);
    CHECK_EQUAL(0, (uintptr_t)block % 64);
    allocator.resize(allocator.user, block, 100, 0, 64);
    mica_world_free(world);
    allocator = mica_world_allocator(NULL);
    CHECK(allocator.resize == NULL);
    CHECK_POINTER(NULL, allocator.user);
}

TESTS(memory, promise_of_mica_memory_get_stats, promise_of_mica_world_allocator)
