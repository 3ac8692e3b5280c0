// The one way to memory: through the host's allocator, counted. Nothing else calls malloc.
//
// Room:    base. Called by every room.
//
// Invariants, swept by the tests' allocator:
//   M1  a block is resized and freed with the size and alignment it has.
//   M2  host->memory counts exactly the blocks that are out; it is zero when a world is gone.
// And swept by micai_memory_validate():
//   M3  no more blocks and bytes are out than were ever, and every block has a byte.
//   M7  there is a limit only while a call that set one is at work.
#ifndef MICAI_BASE_MEMORY_H
#define MICAI_BASE_MEMORY_H

#include "base/host.h"

// The memory is not initialised. Size 0 gives NULL without asking anybody, and is no failure.
// Refusal, and a size that overflows, report MICA_ERROR_MEMORY and give NULL.
void *micai_alloc(micai_host *host, size_t size, size_t align);
void *micai_alloc_zeroed(micai_host *host, size_t size, size_t align);
void *micai_alloc_array(micai_host *host, size_t count, size_t item_size, size_t align);

// Without a word on refusal, for what is not needed.
void *micai_alloc_try(micai_host *host, size_t size, size_t align);

// NULL on refusal: the block stays as it was. new_size must not be 0; old_size 0 allocates.
void *micai_resize(micai_host *host, void *block, size_t old_size, size_t new_size, size_t align);

// Would the allocator give so many bytes? Asked before so much is got piece by piece that finding out
// on the way would have touched gigabytes; less than one is always true. False, reported, if not.
bool micai_probe(micai_host *host, uint64_t size);

// Sets a limit: `extra` bytes more than are out now, until the limit is removed. Beyond it memory is refused, which
// reports MICA_ERROR_LIMIT with this sentence, which must outlive the limit. Raising it does nothing if there is none.
void micai_memory_limit(micai_host *host, uint64_t extra, const char *sentence);
void micai_memory_raise_limit(micai_host *host, uint64_t extra);
void micai_memory_remove_limit(micai_host *host);

// NULL block: nothing happens. Named so because `free` must not be.
void micai_release(micai_host *host, void *block, size_t size, size_t align);

// A copy of a string, terminating zero included; give it back with micai_release_text().
char *micai_copy_text(micai_host *host, const char *text);
void micai_release_text(micai_host *host, char *text);

mica_result micai_memory_validate(micai_host *host);

// The allocator that zero stands for.
void *micai_system_resize(void *user, void *block, size_t old_size, size_t new_size, size_t align);

#endif
