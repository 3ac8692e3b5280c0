// What mica/stream.h promises of its one function.
#include "promise.h"

PROMISE(mica_buffer_free)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    test_memory memory;
    test_memory_begin(&memory);
    mica_buffer buffer = {.allocator = memory.allocator};
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.buffer = &buffer}, NULL));
        CHECK(buffer.size > 0);
        CHECK(memory.blocks > 0);

        // [stream.free]
        mica_buffer_free(&buffer);
        CHECK_EQUAL(0, memory.blocks);
        CHECK_POINTER(NULL, buffer.data);
        CHECK_EQUAL(0, buffer.size);
    }

    // [stream.free_null]
    mica_buffer_free(NULL);
    test_memory_end(&memory);
    test_world_end(&t);
}

TESTS(stream, promise_of_mica_buffer_free)
