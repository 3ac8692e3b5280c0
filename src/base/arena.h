// Arenas: memory that is allocated piece by piece and released all at once.
//
// Room:    base. Called by core/ (types), store/, entity/, query/ and command/ (scratch memory of a call),
//          image/ (loading), system/ (the frame arena).
//
// A reset keeps the blocks, so a steady frame does not call the allocator.
//
// Invariants. The unit tests sweep A1 and A2, micai_arena_validate() sweeps A3:
//   A1  Allocations do not overlap. Each has the alignment that the caller requested.
//   A2  After a reset, no allocation is valid and all blocks are kept. After free, all blocks are
//       released.
//   A3  `current` is one of the blocks and has at least `used` bytes.
#ifndef MICAI_BASE_ARENA_H
#define MICAI_BASE_ARENA_H

#include "base/memory.h"

typedef struct micai_arena_block micai_arena_block;

struct micai_arena_block {
    micai_arena_block *next;
    size_t size; // bytes after the head
};

typedef struct micai_arena {
    micai_arena_block *first; // in order of use
    // the block that serves allocations; later blocks are empty; NULL: all blocks are empty
    micai_arena_block *current;
    size_t used; // bytes allocated from `current`
} micai_arena;

// A position in an arena that micai_arena_rewind() can return to.
typedef struct micai_arena_mark {
    micai_arena_block *current;
    size_t used;
} micai_arena_mark;

// The size of a block, unless one allocation needs more.
#define MICAI_ARENA_BLOCK_MIN (4096 - sizeof(micai_arena_block))

#ifdef MICAI_TEST_SMALL_PAGES
// For out-of-memory tests: each new block holds one allocation only. So the tests can refuse each
// of them.
extern bool micai_arena_blocks_are_tiny;
#endif

// The memory is not initialized. Returns NULL on failure, which is reported. For size 0, the
// pointer must not be used.
void *micai_arena_alloc(micai_host *host, micai_arena *arena, size_t size, size_t align);

// Allocates from the current block only. Returns NULL without reporting if the size does not fit.
static inline void *micai_arena_alloc_fast(micai_arena *arena, size_t size, size_t align)
{
    micai_arena_block *block = arena->current;
    if (!block) {
        return NULL;
    }
    unsigned char *end = (unsigned char *)(block + 1) + arena->used;
    size_t padding = (size_t)(0 - (uintptr_t)end) & (align - 1);
    size_t rest = block->size - arena->used;
    if (padding > rest || size > rest - padding) {
        return NULL;
    }
    arena->used += padding + size;
    return end + padding;
}

// Fails with MICA_ERROR_MEMORY if the total size overflows.
void *micai_arena_alloc_array(micai_host *host, micai_arena *arena, size_t count, size_t item_size,
                              size_t align);

// Changes the size of the last allocation in place. Returns false, without effect, if it is another
// one, or if the new size does not fit the current block.
bool micai_arena_resize_last(micai_arena *arena, const void *piece, size_t old_size,
                             size_t new_size);

// micai_arena_rewind() releases everything allocated since the mark, micai_arena_reset() releases
// everything. Marks set after that point become invalid. Both take constant time.
static inline micai_arena_mark micai_arena_get_mark(const micai_arena *arena)
{
    return (micai_arena_mark){arena->current, arena->used};
}

void micai_arena_rewind(micai_arena *arena, micai_arena_mark mark);
void micai_arena_reset(micai_arena *arena);
void micai_arena_free(micai_host *host, micai_arena *arena);

// Returns true if some block has at least `size` bytes.
bool micai_arena_has_block(const micai_arena *arena, size_t size);

mica_result micai_arena_validate(micai_host *host, const micai_arena *arena);

#endif
