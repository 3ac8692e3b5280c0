// All memory comes from the host's allocator and is counted. No other code calls malloc.
//
// Room:    base. Called by every room.
//
// Invariants, swept by the allocator of the tests:
//   M1  A block is resized and freed with its own size and alignment.
//   M2  host->memory counts exactly the allocated blocks. The counts are zero after a world is
//       freed.
// And swept by micai_memory_validate():
//   M3  Allocated bytes do not exceed their peak, blocks do not exceed allocations, and every block
//       has at least one byte.
//   M7  A limit exists only during the call that set it.
#ifndef MICAI_BASE_MEMORY_H
#define MICAI_BASE_MEMORY_H

#include "base/host.h"

// The memory of micai_alloc() is not initialized. Size 0 returns NULL without calling the allocator
// and is not an error. Otherwise NULL means failure or an overflow of the size; both report
// MICA_ERROR_MEMORY.
void *micai_alloc(micai_host *host, size_t size, size_t align);
void *micai_alloc_zeroed(micai_host *host, size_t size, size_t align);
void *micai_alloc_array(micai_host *host, size_t count, size_t item_size, size_t align);

// Returns NULL on failure without reporting it, for memory that is optional.
void *micai_alloc_try(micai_host *host, size_t size, size_t align);

// Returns NULL on failure; the block is then unchanged. new_size must not be 0; old_size 0
// allocates.
void *micai_resize(micai_host *host, void *block, size_t old_size, size_t new_size, size_t align);

// Returns true if the allocator can probably provide `size` bytes, and always below a gigabyte.
// Otherwise reports MICA_ERROR_MEMORY. This check precedes long series of allocations, so that
// failure does not come after gigabytes were touched.
bool micai_probe(micai_host *host, uint64_t size);

// Limits memory to `extra` bytes more than are allocated now, until the limit is removed.
// Allocations beyond the limit fail with MICA_ERROR_LIMIT and this sentence, which must outlive the
// limit. Raising does nothing if there is no limit.
void micai_memory_limit(micai_host *host, uint64_t extra, const char *sentence);
void micai_memory_raise_limit(micai_host *host, uint64_t extra);

// Removes the limit after a call that returned `result`. Returns MICA_ERROR_LIMIT instead of MICA_ERROR_MEMORY if that is
// what was reported last: callers of functions that allocate do not know about the limit.
mica_result micai_memory_remove_limit(micai_host *host, mica_result result);

// Does nothing if the block is NULL.
void micai_release(micai_host *host, void *block, size_t size, size_t align);

// Copies a string with its terminating zero. Release the copy with micai_release_text().
char *micai_copy_text(micai_host *host, const char *text);
void micai_release_text(micai_host *host, char *text);

mica_result micai_memory_validate(micai_host *host);

// The default allocator, used if the allocator of a descriptor is zero.
void *micai_system_resize(void *user, void *block, size_t old_size, size_t new_size, size_t align);

#endif
