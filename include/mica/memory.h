// Custom allocators and memory statistics. A world allocates and frees all its memory with one
// function.
#ifndef MICA_MEMORY_H
#define MICA_MEMORY_H

#include <mica/error.h>

#ifdef __cplusplus
extern "C" {
#endif

// One function allocates, resizes and frees.
//   block == NULL                allocate new_size bytes (old_size is 0)
//   block != NULL, new_size > 0  resize, keeping the first min(old_size, new_size) bytes
//   block != NULL, new_size == 0 free; must succeed, the result is ignored
// `align` is a power of two, and the same for the whole life of a block. The function may return
// NULL to refuse. It must then leave the block, if any, as it was. The call that needed memory
// fails with MICA_ERROR_MEMORY and has no other effect.
//
// Before a call allocates a gigabyte or more in pieces, it tests whether there is that much. It
// allocates one block of the total size and frees it. If the allocator refuses that block, the call
// fails at once.
typedef void *mica_resize_fn(void *user, void *block, size_t old_size, size_t new_size,
                             size_t align);

// An allocator. All zero means the C library's.
typedef struct mica_allocator {
    mica_resize_fn *resize;
    void *user;
} mica_allocator;

// The memory of a world at this moment, in bytes and blocks requested from the
// allocator. [memory.held]
typedef struct mica_memory_stats {
    size_t bytes;         // in use now
    size_t peak_bytes;    // maximum in use at once
    uint64_t blocks;      // allocated and not freed
    uint64_t allocations; // calls that allocated or resized, since the world was created
} mica_memory_stats;

// Returns the allocator of the world, which may be the C library's, for memory that the program
// wants from the same source. [allocator.source] mica_memory_stats does not count that memory. The
// program must free it itself, before or after the world is freed. [allocator.own] If `world` is
// NULL, returns all zero and reports MICA_ERROR_NULL. Otherwise `resize` is never NULL, even for
// the C library's allocator. [allocator.null]
MICA_API mica_allocator mica_world_allocator(mica_world *world);

#ifdef __cplusplus
}
#endif

#endif
