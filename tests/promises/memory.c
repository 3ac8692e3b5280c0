// What mica/memory.h promises.
#include "promise.h"

#include <string.h>

PROMISE(mica_world_allocator)
{
    test_world t;
    mica_world *world = test_world_begin(&t);

    // [allocator.source]
    mica_allocator allocator = mica_world_allocator(world);
    CHECK(allocator.resize == t.desc.allocator.resize);
    CHECK_POINTER(t.desc.allocator.user, allocator.user);

    // [allocator.own]
    mica_memory_stats before = mica_world_get_stats(world).memory;
    void *block = allocator.resize(allocator.user, NULL, 0, 100, 8);
    REQUIRE(block != NULL);
    mica_memory_stats after = mica_world_get_stats(world).memory;
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

TESTS(memory, promise_of_mica_world_allocator)
