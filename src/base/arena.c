// Arenas: the implementation. arena.h has the contract.
//
// Room:    base. Called by core/, store/, entity/, query/, image/ and system/.
//
//   first -> [head|bytes.......] -> [head|bytes...  ] -> [head|            ] -> [head|      ]
//             full                   current, `used`      empty, kept            empty, kept
//
// An allocation that does not fit the current block uses the first later block that is large
// enough. That block moves up behind the current one. The rejected alternative, skipping blocks
// that are too small, would waste them until the next reset. After a reset, the same allocations
// fall into the same blocks and need no new memory.
#include "base/arena.h"

#include <assert.h>

// Memory starts after the block's head. Each allocation aligns itself, so the block needs no
// alignment of its own.
enum { BLOCK_SIZE_MIN = MICAI_ARENA_BLOCK_MIN, BLOCK_SIZE_MAX = 1024 * 1024 };

#ifdef MICAI_TEST_SMALL_PAGES
bool micai_arena_blocks_are_tiny;
#else
enum { micai_arena_blocks_are_tiny = false };
#endif

static bool is_tiny(const micai_arena_block *block)
{
    return micai_arena_blocks_are_tiny && block->size < BLOCK_SIZE_MIN;
}

static size_t total_size(const micai_arena_block *block)
{
    return sizeof *block + block->size;
}

static unsigned char *bytes_of(micai_arena_block *block)
{
    return (unsigned char *)(block + 1);
}

// Allocates after the first `used` bytes of the block. Returns NULL if the size does not fit.
static void *alloc_in_block(micai_arena_block *block, size_t *used, size_t size, size_t align)
{
    uintptr_t end = (uintptr_t)(bytes_of(block) + *used);
    size_t padding = (size_t)(0 - end) & (align - 1);
    size_t rest = block->size - *used;
    if (padding > rest || size > rest - padding) {
        return NULL;
    }
    unsigned char *piece = bytes_of(block) + *used + padding;
    *used += padding + size;
    return piece;
}

// Returns the link to the block after the current one.
static micai_arena_block **next_of(micai_arena *arena)
{
    return arena->current == NULL ? &arena->first : &arena->current->next;
}

static void enter_block(micai_arena *arena, micai_arena_block *block, size_t used)
{
    micai_arena_block **next = next_of(arena);
    block->next = *next;
    *next = block;
    arena->current = block;
    arena->used = used;
}

// Returns NULL if no kept block is large enough.
static void *alloc_from_kept(micai_arena *arena, size_t size, size_t align)
{
    for (micai_arena_block **link = next_of(arena); *link != NULL; link = &(*link)->next) {
        micai_arena_block *block = *link;
        size_t used = 0;
        void *piece = is_tiny(block) ? NULL : alloc_in_block(block, &used, size, align);
        if (piece != NULL) {
            *link = block->next;
            enter_block(arena, block, used);
            return piece;
        }
    }
    return NULL;
}

// Returns twice the size of the current block, within limits, or `needed` if that is larger.
static size_t new_block_size(const micai_arena *arena, size_t needed)
{
    size_t size = BLOCK_SIZE_MIN;
    if (arena->current != NULL) {
        size_t current = arena->current->size;
        size = current < BLOCK_SIZE_MAX / 2 ? current * 2 : BLOCK_SIZE_MAX;
    }
    return micai_arena_blocks_are_tiny || size < needed ? needed : size;
}

static void *alloc_from_new(micai_host *host, micai_arena *arena, size_t size, size_t align)
{
    if (size > SIZE_MAX - align - sizeof(micai_arena_block)) {
        micai_fail_within(host, MICA_ERROR_MEMORY,
                          "a piece of %llu bytes is more than memory can hold",
                          (unsigned long long)size);
        return NULL;
    }
    size_t block_size = new_block_size(arena, size + align - 1);
    micai_arena_block *block =
        micai_alloc(host, sizeof *block + block_size, _Alignof(micai_arena_block));
    if (block == NULL) {
        return NULL;
    }
    block->size = block_size;
    size_t used = 0;
    void *piece = alloc_in_block(block, &used, size, align);
    enter_block(arena, block, used);
    return piece;
}

void *micai_arena_alloc(micai_host *host, micai_arena *arena, size_t size, size_t align)
{
    assert(align != 0 && (align & (align - 1)) == 0);
    void *piece = NULL;
    if (arena->current != NULL && !is_tiny(arena->current)) {
        piece = alloc_in_block(arena->current, &arena->used, size, align);
    }
    if (piece == NULL) {
        piece = alloc_from_kept(arena, size, align);
    }
    if (piece == NULL) {
        piece = alloc_from_new(host, arena, size, align);
    }
    return piece;
}

void *micai_arena_alloc_array(micai_host *host, micai_arena *arena, size_t count, size_t item_size,
                              size_t align)
{
    bool fits = item_size == 0 || count <= SIZE_MAX / item_size;
    return micai_arena_alloc(host, arena, fits ? count * item_size : SIZE_MAX, align);
}

bool micai_arena_resize_last(micai_arena *arena, const void *piece, size_t old_size,
                             size_t new_size)
{
    micai_arena_block *block = arena->current;
    if (block == NULL || old_size > arena->used ||
        (const unsigned char *)piece != bytes_of(block) + arena->used - old_size ||
        new_size > block->size - (arena->used - old_size)) {
        return false;
    }
    arena->used = arena->used - old_size + new_size;
    return true;
}

void micai_arena_rewind(micai_arena *arena, micai_arena_mark mark)
{
    arena->current = mark.current;
    arena->used = mark.used;
}

void micai_arena_reset(micai_arena *arena)
{
    arena->current = NULL;
    arena->used = 0;
}

void micai_arena_free(micai_host *host, micai_arena *arena)
{
    for (micai_arena_block *block = arena->first; block != NULL;) {
        micai_arena_block *next = block->next;
        micai_release(host, block, total_size(block), _Alignof(micai_arena_block));
        block = next;
    }
    *arena = (micai_arena){0};
}

bool micai_arena_has_block(const micai_arena *arena, size_t size)
{
    const micai_arena_block *block = arena->first;
    while (block != NULL && block->size < size) {
        block = block->next;
    }
    return block != NULL;
}

mica_result micai_arena_validate(micai_host *host, const micai_arena *arena)
{
    const micai_arena_block *block = arena->first;
    while (block != NULL && block != arena->current) {
        block = block->next;
    }
    bool right =
        arena->current == NULL ? arena->used == 0 : block != NULL && arena->used <= block->size;
    return right ? MICA_OK : micai_fail_invariant(host, "A3", "the blocks of an arena are damaged");
}
