// Tests of base/arena.
#include "base/arena.h"

#include "base/hash.h"
#include "runner/host.h"
#include "runner/test.h"

#include <stdio.h>
#include <string.h>

enum { PIECES = 500 };

typedef struct piece {
    unsigned char *bytes;
    size_t size;
    size_t align;
} piece;

static bool is_aligned(const void *pointer, size_t align)
{
    return (uintptr_t)pointer % align == 0;
}

// Cuts pieces of many sizes and alignments, the same for the same seed, and marks each throughout.
static void cut_pieces(micai_host *host, micai_arena *arena, piece *pieces, uint64_t seed)
{
    for (uint32_t i = 0; i < PIECES; i++) {
        uint64_t random = micai_hash_add(seed, i);
        pieces[i].size = (size_t)(random % 50 == 0 ? random / 50 % 20000 : random / 50 % 200);
        pieces[i].align = (size_t)1 << (random >> 40) % 9;
        pieces[i].bytes = micai_arena_alloc(host, arena, pieces[i].size, pieces[i].align);
        REQUIRE(pieces[i].bytes != NULL);
        memset(pieces[i].bytes, (int)(i % 251), pieces[i].size);
    }
}

// A1: a mark that was overwritten shows an overlap.
static void check_pieces(const piece *pieces)
{
    for (uint32_t i = 0; i < PIECES; i++) {
        REQUIRE(is_aligned(pieces[i].bytes, pieces[i].align));
        for (size_t at = 0; at < pieces[i].size; at++) {
            REQUIRE_EQUAL(i % 251, pieces[i].bytes[at]);
        }
    }
}

TEST_WITH(test_host, t, pieces_are_aligned_and_do_not_overlap)
{
    micai_host *host = &t->host;
    for (uint64_t seed = 0; seed < 20; seed++) {
        micai_arena arena = {0};
        piece pieces[PIECES];
        cut_pieces(host, &arena, pieces, seed);
        check_pieces(pieces);
        micai_arena_free(host, &arena);
    }
}

TEST_WITH(test_host, t, the_same_pieces_after_a_reset_take_the_same_places_and_no_new_memory)
{
    micai_host *host = &t->host;
    micai_arena arena = {0};
    piece first[PIECES];
    piece again[PIECES];
    cut_pieces(host, &arena, first, 7);
    uint64_t allocations = t->memory.allocations;
    CHECK(allocations > 1);
    for (int frame = 0; frame < 3; frame++) {
        micai_arena_reset(&arena);
        cut_pieces(host, &arena, again, 7);
        check_pieces(again);
        CHECK_BYTES(first, again, sizeof first);
    }
    CHECK_EQUAL(allocations, t->memory.allocations);
    micai_arena_free(host, &arena);
}

TEST_WITH(test_host, t, frames_that_differ_soon_need_no_new_memory)
{
    micai_host *host = &t->host;
    micai_arena arena = {0};
    piece pieces[PIECES];
    uint64_t allocations = 0;
    for (uint64_t frame = 0; frame < 60; frame++) {
        if (frame == 40) {
            allocations = t->memory.allocations;
        }
        micai_arena_reset(&arena);
        cut_pieces(host, &arena, pieces, frame % 4);
        check_pieces(pieces);
    }
    CHECK_EQUAL(allocations, t->memory.allocations);
    micai_arena_free(host, &arena);
}

TEST_WITH(test_host, t, a_reset_keeps_the_blocks_and_a_free_gives_them_back)
{
    micai_host *host = &t->host;
    micai_arena arena = {0};
    for (int i = 0; i < 10; i++) {
        CHECK(micai_arena_alloc(host, &arena, 3000, 8) != NULL);
    }
    size_t bytes = t->memory.bytes;
    micai_arena_reset(&arena);
    CHECK_EQUAL(bytes, t->memory.bytes);
    micai_arena_free(host, &arena);
    CHECK_EQUAL(0, t->memory.blocks);
    CHECK_POINTER(NULL, arena.first);
    CHECK_POINTER(NULL, arena.current);
    CHECK_EQUAL(0, arena.used);

    // An arena that was freed is an empty one.
    CHECK(micai_arena_alloc(host, &arena, 1, 1) != NULL);
    micai_arena_free(host, &arena);
    micai_arena_free(host, &arena);
}

TEST_WITH(test_host, t, a_rewind_takes_back_what_was_cut_since_the_mark)
{
    micai_host *host = &t->host;
    micai_arena arena = {0};
    unsigned char *kept = micai_arena_alloc(host, &arena, 100, 4);
    REQUIRE(kept != NULL);
    memset(kept, 1, 100);
    micai_arena_mark mark = micai_arena_get_mark(&arena);
    unsigned char *small = micai_arena_alloc(host, &arena, 40, 8);
    for (int i = 0; i < 10; i++) {
        unsigned char *large = micai_arena_alloc(host, &arena, 5000, 16);
        REQUIRE(large != NULL);
        memset(large, 2, 5000);
    }
    uint64_t allocations = t->memory.allocations;

    micai_arena_rewind(&arena, mark);
    CHECK_POINTER(small, micai_arena_alloc(host, &arena, 40, 8));
    for (int i = 0; i < 10; i++) {
        unsigned char *large = micai_arena_alloc(host, &arena, 5000, 16);
        REQUIRE(large != NULL);
        memset(large, 3, 5000);
    }
    CHECK_EQUAL(allocations, t->memory.allocations);
    for (int i = 0; i < 100; i++) {
        REQUIRE_EQUAL(1, kept[i]);
    }
    micai_arena_free(host, &arena);
}

TEST_WITH(test_host, t, a_mark_of_the_empty_arena_takes_everything_back)
{
    micai_host *host = &t->host;
    micai_arena arena = {0};
    micai_arena_mark mark = micai_arena_get_mark(&arena);
    void *first = micai_arena_alloc(host, &arena, 10, 1);
    micai_arena_alloc(host, &arena, 9000, 1);
    micai_arena_rewind(&arena, mark);
    CHECK_POINTER(first, micai_arena_alloc(host, &arena, 10, 1));
    CHECK_EQUAL(2, t->memory.allocations);
    micai_arena_free(host, &arena);
}

TEST_WITH(test_host, t, a_kept_block_that_is_too_small_waits_for_a_piece_that_fits)
{
    micai_host *host = &t->host;
    micai_arena arena = {0};
    unsigned char *small = micai_arena_alloc(host, &arena, 4000, 1);
    unsigned char *large = micai_arena_alloc(host, &arena, 100000, 1);
    micai_arena_reset(&arena);
    // In the other order, each still finds its block.
    CHECK_POINTER(large, micai_arena_alloc(host, &arena, 100000, 1));
    CHECK_POINTER(small, micai_arena_alloc(host, &arena, 4000, 1));
    CHECK_EQUAL(2, t->memory.allocations);
    micai_arena_free(host, &arena);
}

TEST_WITH(test_host, t, large_alignments_are_met)
{
    micai_host *host = &t->host;
    micai_arena arena = {0};
    for (size_t align = 1; align <= 65536; align *= 2) {
        CHECK(is_aligned(micai_arena_alloc(host, &arena, 3, align), align));
    }
    micai_arena_free(host, &arena);
}

TEST_WITH(test_host, t, a_piece_of_no_bytes_is_a_pointer)
{
    micai_host *host = &t->host;
    micai_arena arena = {0};
    CHECK(micai_arena_alloc(host, &arena, 0, 8) != NULL);
    CHECK(micai_arena_alloc(host, &arena, 0, 8) != NULL);
    micai_arena_free(host, &arena);
}

// Which are tiny while memory is refused.
static void keep_blocks_large(void)
{
#ifdef MICAI_TEST_SMALL_PAGES
    micai_arena_blocks_are_tiny = false;
#endif
}

TEST_WITH(test_host, t, a_refusal_is_reported_and_leaves_the_arena_as_it_was)
{
    micai_host *host = &t->host;
    micai_arena arena = {0};
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONCE);
    keep_blocks_large();
    CHECK_POINTER(NULL, micai_arena_alloc(host, &arena, 1, 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 4096 bytes");
    CHECK_POINTER(NULL, arena.first);

    void *kept = micai_arena_alloc(host, &arena, 1000, 8);
    REQUIRE(kept != NULL);
    micai_arena before = arena;
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONCE);
    CHECK_POINTER(NULL, micai_arena_alloc(host, &arena, 50000, 8));
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK_BYTES(&before, &arena, sizeof arena);
    CHECK(micai_arena_alloc(host, &arena, 50000, 8) != NULL);
    micai_arena_free(host, &arena);
}

TEST_WITH(test_host, t, a_piece_larger_than_memory_is_refused)
{
    micai_host *host = &t->host;
    micai_arena arena = {0};
    char sentence[100];
    for (size_t less = 0; less < 20; less += 5) {
        snprintf(sentence, sizeof sentence, "a piece of %llu bytes is more than memory can hold",
                 (unsigned long long)(SIZE_MAX - less));
        CHECK_POINTER(NULL, micai_arena_alloc(host, &arena, SIZE_MAX - less, 16));
        CHECK_ERROR(t, MICA_ERROR_MEMORY, sentence);
    }
    CHECK_POINTER(NULL, micai_arena_alloc(host, &arena, SIZE_MAX / 2, 16));
    CHECK_EQUAL(1, test_error_clear(&t->error));
    // So many items that their size would wrap around to 8 bytes.
    CHECK_POINTER(NULL, micai_arena_alloc_array(host, &arena, SIZE_MAX / 8 + 2, 8, 8));
    CHECK_EQUAL(MICA_ERROR_MEMORY, t->error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK_EQUAL(0, t->memory.allocations);
    micai_arena_free(host, &arena);
}

static void validate_finds_an_arena_that_is_damaged(void) // A3
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    micai_arena arena = {0};
    CHECK_EQUAL(MICA_OK, micai_arena_validate(host, &arena));
    micai_arena_alloc(host, &arena, 4000, 8);
    micai_arena_alloc(host, &arena, 4000, 8); // in a block of its own
    CHECK_EQUAL(MICA_OK, micai_arena_validate(host, &arena));
    size_t used = arena.used;
    arena.used = arena.current->size + 1;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_arena_validate(host, &arena));
    CHECK_ERROR(&t, MICA_ERROR_CORRUPT,
                "invariant A3 is broken: the blocks of an arena are damaged");
    arena.used = used;
    micai_arena_block *next = arena.first->next;
    arena.first->next = NULL; // the current one is not reached
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_arena_validate(host, &arena));
    CHECK_EQUAL(1, test_error_clear(&t.error));
    arena.first->next = next;
    micai_arena_free(host, &arena);
    test_host_end(&t);
}

TEST_WITH(test_host, t, room_is_that_of_the_largest_block)
{
    micai_host *host = &t->host;
    micai_arena arena = {0};
    CHECK(!micai_arena_has_block(&arena, 1));
    micai_arena_alloc(host, &arena, 8, 8);
    micai_arena_alloc(host, &arena, 100000, 8);
    micai_arena_alloc(host, &arena, 8, 8);
    micai_arena_reset(&arena);
    CHECK(micai_arena_has_block(&arena, 100000));
    CHECK(!micai_arena_has_block(&arena, 1000000));
    micai_arena_free(host, &arena);
}

static void the_last_piece_grows_and_shrinks_in_place(void) // S1.8
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    micai_arena arena = {0};
    unsigned char *a = micai_arena_alloc(host, &arena, 100, 16);
    unsigned char *b = micai_arena_alloc(host, &arena, 100, 16);
    size_t used = arena.used;
    CHECK(!micai_arena_resize_last(&arena, a, 100, 120)); // another is the last
    CHECK(!micai_arena_resize_last(&arena, b, 100, MICAI_ARENA_BLOCK_MIN));
    CHECK(!micai_arena_resize_last(&arena, b, SIZE_MAX, 1));
    CHECK_EQUAL(used, arena.used);
    CHECK(micai_arena_resize_last(&arena, b, 100, arena.current->size - arena.used + 100));
    CHECK_EQUAL(arena.current->size, arena.used);
    CHECK(micai_arena_resize_last(&arena, b, arena.used - used + 100, 10));
    CHECK_EQUAL(used - 90, arena.used);
    CHECK_POINTER(b + 16, micai_arena_alloc(host, &arena, 1, 16));
    CHECK_EQUAL(MICA_OK, micai_arena_validate(host, &arena));
    micai_arena_reset(&arena);
    CHECK(!micai_arena_resize_last(&arena, b, 10, 20));
    micai_arena_free(host, &arena);
    test_host_end(&t);
}

TESTS(arena, the_last_piece_grows_and_shrinks_in_place, pieces_are_aligned_and_do_not_overlap,
      the_same_pieces_after_a_reset_take_the_same_places_and_no_new_memory,
      frames_that_differ_soon_need_no_new_memory,
      a_reset_keeps_the_blocks_and_a_free_gives_them_back,
      a_rewind_takes_back_what_was_cut_since_the_mark,
      a_mark_of_the_empty_arena_takes_everything_back,
      a_kept_block_that_is_too_small_waits_for_a_piece_that_fits, large_alignments_are_met,
      a_piece_of_no_bytes_is_a_pointer, a_refusal_is_reported_and_leaves_the_arena_as_it_was,
      a_piece_larger_than_memory_is_refused, validate_finds_an_arena_that_is_damaged,
      room_is_that_of_the_largest_block)
