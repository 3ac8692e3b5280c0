// The tests' allocator: gives memory as unkindly as its contract allows, and notices what is wrong.
//
// - A new block is filled with 0xA5 (`fill`), a freed one with 0xDD before it goes.
// - A resize always moves the block.
// - A block has the alignment that was asked for and, if that is small, no better one.
// - A block must be resized and freed with the size and alignment it has (M1).
// - Any allocation can be made to fail; one above a gibibyte always does.
//
// Hold it in the test, begin it, hand out `allocator`, end it. For one thread at a time.
#ifndef TEST_RUNNER_MEMORY_H
#define TEST_RUNNER_MEMORY_H

#include <mica/memory.h>

typedef struct test_block test_block;

typedef enum test_memory_mode { TEST_MEMORY_ONCE, TEST_MEMORY_ONWARDS } test_memory_mode;

enum { TEST_MEMORY_BUCKETS = 1024 };

typedef struct test_memory {
    mica_allocator allocator;
    unsigned char fill; // of new blocks; may be changed at any time

    // Read-only.
    size_t bytes;         // out now
    size_t peak_bytes;    // most ever out
    uint64_t blocks;      // out now
    uint64_t allocations; // granted: new blocks and resizes
    uint64_t refusals;    // since test_memory_fail_at()

    // Private.
    uint64_t until_failure; // allocations up to the one that fails, that one included; 0: none does
    test_memory_mode mode;
    test_block *buckets[TEST_MEMORY_BUCKETS]; // the blocks that are out, by address
} test_memory;

void test_memory_begin(test_memory *memory);

// From now on the `which`-th allocation or resize is refused, the first being 1: that one only, or
// it and all that follow. 0: none is. Sets `refusals` to 0.
void test_memory_fail_at(test_memory *memory, uint64_t which, test_memory_mode mode);

// Tells tools that know which bytes were written that these are, for tests that look at raw memory on purpose.
void test_memory_mark_written(const void *bytes, size_t size);

// Fails the test if a block is still out, and gives such blocks back.
#define test_memory_end(memory) test_memory_end_at(memory, __FILE__, __LINE__)
void test_memory_end_at(test_memory *memory, const char *file, int line);

#endif
