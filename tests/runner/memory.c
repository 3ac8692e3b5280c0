// The tests' allocator.
//
// What is known of a block is kept apart from it, so that its end is the end of what malloc() gave
// and the address sanitizer sees the first byte too many. Blocks of large alignment have slack
// behind them instead, whose bytes are compared when the block goes.
//
//   raw -> [lead|block.........|slack]
#include "runner/memory.h"
#include "runner/test.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { FILL_NEW = 0xA5, FILL_FREED = 0xDD, FILL_SLACK = 0x5C };

// Tells tools that know which bytes were written (the memory sanitizer, valgrind) that a new block has none, although
// it has been filled.
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define MARK_UNWRITTEN(bytes, size) __msan_allocated_memory(bytes, size)
#define MARK_WRITTEN(bytes, size) __msan_unpoison(bytes, size)
#endif
#endif
#if !defined(MARK_UNWRITTEN) && defined(__has_include) && defined(__linux__)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define MARK_UNWRITTEN(bytes, size) (void)VALGRIND_MAKE_MEM_UNDEFINED(bytes, size)
#define MARK_WRITTEN(bytes, size) (void)VALGRIND_MAKE_MEM_DEFINED(bytes, size)
#endif
#endif
#if !defined(MARK_UNWRITTEN)
#define MARK_UNWRITTEN(bytes, size) (void)0
#define MARK_WRITTEN(bytes, size) ((void)(bytes), (void)(size))
#endif

// What malloc() promises, and what it is never asked for.
#ifdef _WIN32
#define MALLOC_ALIGN (2 * sizeof(void *))
#else
#define MALLOC_ALIGN _Alignof(max_align_t)
#endif
#define SIZE_LIMIT ((size_t)1 << 30)

struct test_block {
    test_block *next; // in the same bucket
    unsigned char *raw;
    unsigned char *bytes;
    size_t size;
    size_t align;
    size_t slack;
};

static test_block **bucket_of(test_memory *memory, const void *bytes)
{
    return &memory->buckets[(uintptr_t)bytes / 16 % TEST_MEMORY_BUCKETS];
}

// The link to the block; NULL if this allocator has no such block out.
static test_block **find_block(test_memory *memory, const void *bytes)
{
    for (test_block **link = bucket_of(memory, bytes); *link != NULL; link = &(*link)->next) {
        if ((*link)->bytes == bytes) {
            return link;
        }
    }
    return NULL;
}

// How far it is from `address` to the next odd multiple of `align`.
static size_t lead_of(uintptr_t address, size_t align)
{
    return (size_t)(align - address) & (2 * align - 1);
}

static test_block *make_block(size_t size, size_t align, unsigned char fill)
{
    size_t room = align < MALLOC_ALIGN ? align : align == MALLOC_ALIGN ? 0 : 2 * align;
    test_block *block = malloc(sizeof *block);
    unsigned char *raw = malloc(size + room);
    if (block == NULL || raw == NULL) {
        free(block);
        free(raw);
        return NULL;
    }
    size_t lead = room == 0 ? 0 : lead_of((uintptr_t)raw, align);
    *block = (test_block){NULL, raw, raw + lead, size, align, room - lead};
    memset(block->bytes, fill, size);
    MARK_UNWRITTEN(block->bytes, size);
    memset(block->bytes + size, FILL_SLACK, block->slack);
    return block;
}

static test_block *add_block(test_memory *memory, size_t size, size_t align)
{
    test_block *block = make_block(size, align, memory->fill);
    if (block == NULL) {
        return NULL;
    }
    test_block **bucket = bucket_of(memory, block->bytes);
    block->next = *bucket;
    *bucket = block;
    memory->bytes += size;
    memory->blocks++;
    if (memory->bytes > memory->peak_bytes) {
        memory->peak_bytes = memory->bytes;
    }
    return block;
}

static void remove_block(test_memory *memory, test_block **link)
{
    test_block *block = *link;
    for (size_t i = 0; i < block->slack; i++) {
        if (block->bytes[block->size + i] != FILL_SLACK) {
            test_fail(__FILE__, __LINE__, "byte %lu behind a block of %lu bytes was written",
                      (unsigned long)i, (unsigned long)block->size);
            break;
        }
    }
    *link = block->next;
    memory->bytes -= block->size;
    memory->blocks--;
    memset(block->bytes, FILL_FREED, block->size);
    free(block->raw);
    free(block);
}

static bool is_refused(test_memory *memory, size_t size)
{
    bool refused = size > SIZE_LIMIT;
    if (memory->until_failure == 1) {
        refused = true;
        if (memory->mode == TEST_MEMORY_ONCE) {
            memory->until_failure = 0;
        }
    } else if (memory->until_failure > 1) {
        memory->until_failure--;
    }
    memory->refusals += refused;
    return refused;
}

// M1, and what else the hook promises.
static bool is_right_call(test_block *const *link, const void *bytes, size_t old_size,
                          size_t new_size, size_t align)
{
    if (align == 0 || (align & (align - 1)) != 0) {
        test_fail(__FILE__, __LINE__, "alignment %lu is no power of two", (unsigned long)align);
        return false;
    }
    if (bytes == NULL) {
        if (old_size != 0 || new_size == 0) {
            test_fail(__FILE__, __LINE__, "no block, but sizes %lu and %lu",
                      (unsigned long)old_size, (unsigned long)new_size);
            return false;
        }
        return true;
    }
    if (link == NULL) {
        test_fail(__FILE__, __LINE__, "%p is no block of this memory", bytes);
        return false;
    }
    if (old_size != (*link)->size || align != (*link)->align) {
        test_fail(__FILE__, __LINE__,
                  "M1: a block of %lu bytes aligned to %lu comes as %lu bytes aligned to %lu",
                  (unsigned long)(*link)->size, (unsigned long)(*link)->align,
                  (unsigned long)old_size, (unsigned long)align);
        return false;
    }
    return true;
}

static void *resize_block(void *user, void *bytes, size_t old_size, size_t new_size, size_t align)
{
    test_memory *memory = user;
    test_block **link = bytes == NULL ? NULL : find_block(memory, bytes);
    if (!is_right_call(link, bytes, old_size, new_size, align)) {
        return NULL;
    }
    if (new_size == 0) {
        remove_block(memory, link);
        return NULL;
    }
    test_block *block = is_refused(memory, new_size) ? NULL : add_block(memory, new_size, align);
    if (block == NULL) {
        return NULL;
    }
    memory->allocations++;
    if (bytes != NULL) {
        memcpy(block->bytes, bytes, old_size < new_size ? old_size : new_size);
        // Looked for again: the new block may have come into the same bucket.
        remove_block(memory, find_block(memory, bytes));
    }
    return block->bytes;
}

void test_memory_mark_written(const void *bytes, size_t size)
{
    MARK_WRITTEN(bytes, size);
}

void test_memory_begin(test_memory *memory)
{
    memset(memory, 0, sizeof *memory);
    memory->allocator = (mica_allocator){resize_block, memory};
    memory->fill = FILL_NEW;
}

// Those of arenas, where they can be.
static void make_blocks_tiny(bool tiny)
{
#ifdef MICAI_TEST_SMALL_PAGES
    micai_arena_blocks_are_tiny = tiny;
#else
    (void)tiny;
#endif
}

void test_memory_fail_at(test_memory *memory, uint64_t which, test_memory_mode mode)
{
    memory->until_failure = which;
    memory->mode = mode;
    memory->refusals = 0;
    make_blocks_tiny(which > 0);
}

void test_memory_end_at(test_memory *memory, const char *file, int line)
{
    make_blocks_tiny(false);
    if (memory->blocks != 0) {
        test_fail(file, line, "%lu bytes in %lu blocks were not given back",
                  (unsigned long)memory->bytes, (unsigned long)memory->blocks);
    }
    for (size_t i = 0; i < TEST_MEMORY_BUCKETS; i++) {
        while (memory->buckets[i] != NULL) {
            remove_block(memory, &memory->buckets[i]);
        }
    }
}
