// Arenas: memory that is handed out piece by piece and taken back all at once.
//
// Room:    base. Called by core/ (types), world/ (scratch of a call).
//
// Blocks are kept across resets, so that a steady frame stops asking the allocator.
//
// Invariants, swept by the unit tests and, the last one, by micai_arena_validate():
//   A1  pieces do not overlap and have the alignment that was asked for.
//   A2  after a reset no piece is out and no block has been given back; after free, all have.
//   A3  `current` is one of the blocks and has `used` bytes.
#ifndef MICAI_BASE_ARENA_H
#define MICAI_BASE_ARENA_H

#include "base/memory.h"

typedef struct micai_arena_block micai_arena_block;

struct micai_arena_block {
    micai_arena_block *next;
    size_t size; // bytes after the head
};

typedef struct micai_arena {
    micai_arena_block *first;   // in the order of use
    micai_arena_block *current; // pieces are cut from here; later blocks are empty; NULL: all are
    size_t used;                // bytes cut from `current`
} micai_arena;

// Where an arena stood, to go back to.
typedef struct micai_arena_mark {
    micai_arena_block *current;
    size_t used;
} micai_arena_mark;

// Bytes of a block, unless a larger piece is asked for.
#define MICAI_ARENA_BLOCK_MIN (4096 - sizeof(micai_arena_block))

#ifdef MICAI_TEST_SMALL_PAGES
// For suites that refuse memory: every piece that fits no larger block has one of its own, once, and can be
// refused.
extern bool micai_arena_blocks_are_tiny;
#endif

// Not initialised. NULL on refusal, which has been reported. Size 0 gives a pointer not to be used.
void *micai_arena_alloc(micai_host *host, micai_arena *arena, size_t size, size_t align);

// The same from the block that pieces are cut from just now; NULL, silently, if it does not fit there.
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

// For `count` items side by side, however many that are.
void *micai_arena_alloc_array(micai_host *host, micai_arena *arena, size_t count, size_t item_size,
                              size_t align);

// Rewinding takes back the pieces cut since the mark, resetting takes back all; marks of pieces
// taken back are void. Both are O(1).
static inline micai_arena_mark micai_arena_get_mark(const micai_arena *arena)
{
    return (micai_arena_mark){arena->current, arena->used};
}

void micai_arena_rewind(micai_arena *arena, micai_arena_mark mark);
void micai_arena_reset(micai_arena *arena);
void micai_arena_free(micai_host *host, micai_arena *arena);

// Is there a block of so many bytes?
bool micai_arena_has_block(const micai_arena *arena, size_t size);

mica_result micai_arena_validate(micai_host *host, const micai_arena *arena);

#endif
