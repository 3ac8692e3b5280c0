// The allocator hook. A world takes all its memory from one function and gives all of it back.
#ifndef MICA_MEMORY_H
#define MICA_MEMORY_H

#include <mica/error.h>

#ifdef __cplusplus
extern "C" {
#endif

// One function for everything, told all it could want to know:
//   block == NULL                allocate new_size bytes (old_size is 0)
//   block != NULL, new_size > 0  resize, keeping the first min(old_size, new_size) bytes
//   block != NULL, new_size == 0 free; must succeed, the result is ignored
// `align` is a power of two, the same for the whole life of a block. Returning NULL means refusal:
// the block, if any, stays as it was, and the call that needed memory fails with
// MICA_ERROR_MEMORY and no other effect.
//
// Before a call takes a gigabyte or more in pieces, it asks for so much in one, and gives that back: if
// it is refused, the call fails at once, before memory has been touched.
typedef void *mica_resize_fn(void *user, void *block, size_t old_size, size_t new_size,
                             size_t align);

// Zero is the C library's allocator.
typedef struct mica_allocator {
    mica_resize_fn *resize;
    void *user;
} mica_allocator;

// What the world holds at this moment, as it was asked of the allocator. [memory.held]
typedef struct mica_memory_stats {
    size_t bytes;         // in use now
    size_t peak_bytes;    // most ever in use at once
    uint64_t blocks;      // allocated and not freed
    uint64_t allocations; // calls that allocated or resized, since the world was made
} mica_memory_stats;

// NULL world: all zero and MICA_ERROR_NULL. [memory.null]
MICA_API mica_memory_stats mica_memory(mica_world *world);

// Where the world gets its memory, also if that is the C library: for memory of the program's own
// that is to come from there, too. [allocator.source] What is taken is not counted above, and is to
// be given back to it, before or after the world is freed. [allocator.own] The function is never
// NULL, but for a NULL world: zero and MICA_ERROR_NULL. [allocator.null]
MICA_API mica_allocator mica_world_allocator(mica_world *world);

#ifdef __cplusplus
}
#endif

#endif
