// Tests of base/memory.
#include "base/memory.h"

#include "runner/host.h"
#include "runner/test.h"

#include <stdio.h>
#include <string.h>

static bool is_aligned(const void *pointer, size_t align)
{
    return (uintptr_t)pointer % align == 0;
}

TEST_WITH(test_host, t, blocks_have_the_alignment_asked_for)
{
    micai_host *host = &t->host;
    for (size_t align = 1; align <= 4096; align *= 2) {
        void *block = micai_alloc(host, 10, align);
        CHECK(block != NULL && is_aligned(block, align));
        micai_release(host, block, 10, align);
    }
}

TEST_WITH(test_host, t, no_bytes_are_no_block_and_no_failure)
{
    micai_host *host = &t->host;
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_POINTER(NULL, micai_alloc(host, 0, 8));
    CHECK_POINTER(NULL, micai_alloc_zeroed(host, 0, 8));
    CHECK_POINTER(NULL, micai_alloc_array(host, 0, 8, 8));
    CHECK_POINTER(NULL, micai_alloc_array(host, 8, 0, 8));
    CHECK_POINTER(NULL, micai_alloc_array(host, SIZE_MAX, 0, 8));
    micai_release(host, NULL, 0, 8);
    micai_release_text(host, NULL);
    CHECK_EQUAL(0, t->memory.refusals);
    CHECK_EQUAL(0, host->memory.allocations);
    CHECK_EQUAL(MICA_OK, host->last_error.code);
}

TEST_WITH(test_host, t, zeroed_memory_is_zero)
{
    micai_host *host = &t->host;
    static const unsigned char zeroes[300];
    void *block = micai_alloc_zeroed(host, sizeof zeroes, 4);
    REQUIRE(block != NULL);
    CHECK_BYTES(zeroes, block, sizeof zeroes);
    micai_release(host, block, sizeof zeroes, 4);
}

TEST_WITH(test_host, t, a_resized_block_keeps_its_bytes)
{
    micai_host *host = &t->host;
    char *block = micai_alloc(host, 8, 8);
    REQUIRE(block != NULL);
    memcpy(block, "1234567", 8);
    block = micai_resize(host, block, 8, 1000, 8);
    REQUIRE(block != NULL);
    CHECK_TEXT("1234567", block);
    block = micai_resize(host, block, 1000, 4, 8);
    REQUIRE(block != NULL);
    CHECK_BYTES("1234", block, 4);
    micai_release(host, block, 4, 8);
}

TEST_WITH(test_host, t, what_is_out_is_counted)
{
    micai_host *host = &t->host;
    const mica_memory_stats *memory = &host->memory;
    void *a = micai_alloc_array(host, 10, 10, 4);
    void *b = micai_resize(host, NULL, 0, 50, 16);
    CHECK_EQUAL(150, memory->bytes);
    CHECK_EQUAL(2, memory->blocks);
    CHECK_EQUAL(2, memory->allocations);

    b = micai_resize(host, b, 50, 500, 16);
    CHECK_EQUAL(600, memory->bytes);
    CHECK_EQUAL(2, memory->blocks);
    b = micai_resize(host, b, 500, 20, 16);
    CHECK_EQUAL(120, memory->bytes);
    CHECK_EQUAL(4, memory->allocations);

    micai_release(host, a, 100, 4);
    CHECK_EQUAL(20, memory->bytes);
    CHECK_EQUAL(1, memory->blocks);
    micai_release(host, b, 20, 16);
    CHECK_EQUAL(0, memory->bytes);
    CHECK_EQUAL(0, memory->blocks);
    CHECK_EQUAL(4, memory->allocations);
    CHECK_EQUAL(600, memory->peak_bytes);
}

TEST_WITH(test_host, t, a_refusal_is_reported_and_nothing_is_counted)
{
    micai_host *host = &t->host;
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_POINTER(NULL, micai_alloc(host, 1, 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 1 bytes");
    CHECK_POINTER(NULL, micai_alloc_zeroed(host, 123, 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 123 bytes");
    CHECK_POINTER(NULL, micai_alloc_array(host, 3, 7, 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 21 bytes");
    CHECK_POINTER(NULL, micai_resize(host, NULL, 0, 9, 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 9 bytes");
    CHECK_POINTER(NULL, micai_copy_text(host, "four"));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 5 bytes");
    CHECK_EQUAL(5, t->memory.refusals);
    CHECK_EQUAL(0, host->memory.bytes);
    CHECK_EQUAL(0, host->memory.peak_bytes);
    CHECK_EQUAL(0, host->memory.blocks);
    CHECK_EQUAL(0, host->memory.allocations);
}

TEST_WITH(test_host, t, a_refused_resize_leaves_the_block_as_it_was)
{
    micai_host *host = &t->host;
    char *block = micai_alloc(host, 8, 8);
    REQUIRE(block != NULL);
    memcpy(block, "1234567", 8);
    mica_memory_stats before = host->memory;
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONCE);
    CHECK_POINTER(NULL, micai_resize(host, block, 8, 16, 8));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 16 bytes");
    CHECK_TEXT("1234567", block);
    CHECK_BYTES(&before, &host->memory, sizeof before);
    micai_release(host, block, 8, 8);
}

TEST_WITH(test_host, t, an_array_whose_size_overflows_is_refused_without_asking)
{
    micai_host *host = &t->host;
    char sentence[100];
    snprintf(sentence, sizeof sentence, "%llu items of 2 bytes are more than memory can hold",
             (unsigned long long)(SIZE_MAX / 2 + 1));
    CHECK_POINTER(NULL, micai_alloc_array(host, SIZE_MAX / 2 + 1, 2, 8));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, sentence);
    snprintf(sentence, sizeof sentence, "2 items of %llu bytes are more than memory can hold",
             (unsigned long long)SIZE_MAX);
    CHECK_POINTER(NULL, micai_alloc_array(host, 2, SIZE_MAX, 8));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, sentence);
    CHECK_EQUAL(0, t->memory.refusals);

    // The largest size that does not overflow is for the allocator to refuse.
    snprintf(sentence, sizeof sentence, "the allocator refused %llu bytes",
             (unsigned long long)SIZE_MAX);
    CHECK_POINTER(NULL, micai_alloc_array(host, 1, SIZE_MAX, 8));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, sentence);
    CHECK_EQUAL(1, t->memory.refusals);
}

TEST_WITH(test_host, t, text_is_copied_with_its_end)
{
    micai_host *host = &t->host;
    char source[] = "Position";
    char *copy = micai_copy_text(host, source);
    char *empty = micai_copy_text(host, "");
    source[0] = 'X';
    CHECK_TEXT("Position", copy);
    CHECK_TEXT("", empty);
    CHECK_EQUAL(9 + 1, host->memory.bytes);
    micai_release_text(host, copy);
    micai_release_text(host, empty);
}

static void a_host_without_an_allocator_uses_the_c_library(void)
{
    micai_host host = {0};
    for (size_t align = 1; align <= 8192; align *= 2) {
        unsigned char *block = micai_alloc(&host, 33, align);
        REQUIRE(block != NULL);
        CHECK(is_aligned(block, align));
        memset(block, 7, 33);
        block = micai_resize(&host, block, 33, 10000, align);
        REQUIRE(block != NULL);
        CHECK(is_aligned(block, align));
        CHECK_EQUAL(7, block[0]);
        CHECK_EQUAL(7, block[32]);
        memset(block, 8, 10000);
        block = micai_resize(&host, block, 10000, 5, align);
        REQUIRE(block != NULL);
        CHECK(is_aligned(block, align));
        CHECK_EQUAL(8, block[4]);
        CHECK_EQUAL(5, host.memory.bytes);
        micai_release(&host, block, 5, align);
    }
    CHECK_EQUAL(0, host.memory.blocks);
}

static void the_c_library_is_not_asked_for_aligned_sizes_that_overflow(void)
{
#ifdef _WIN32
    SKIP("_aligned_malloc() looks after this itself");
#else
    CHECK_POINTER(NULL, micai_system_resize(NULL, NULL, 0, SIZE_MAX, 64));
    CHECK_POINTER(NULL, micai_system_resize(NULL, NULL, 0, SIZE_MAX - 62, 64));
#endif
}

TEST_WITH(test_host, t, validate_finds_memory_that_is_miscounted)
{
    micai_host *host = &t->host;
    void *block = micai_alloc(host, 10, 8);
    const mica_memory_stats right = host->memory;
    host->memory.bytes = 11;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_memory_validate(host));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT, "invariant M3 is broken: memory is miscounted");
    host->memory = right;
    micai_release(host, block, 10, 8);
}

TEST_WITH(test_host, t, gigabytes_are_asked_for_before_they_are_got_piece_by_piece)
{
    micai_host *host = &t->host;
    const uint64_t gigabyte = UINT64_C(1) << 30;
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONWARDS);
    CHECK(micai_probe(host, 0));
    CHECK(micai_probe(host, gigabyte - 1));
    CHECK_EQUAL(0, t->memory.refusals);
    test_memory_fail_at(&t->memory, 0, TEST_MEMORY_ONCE);
    mica_memory_stats before = host->memory;
    CHECK(micai_probe(host, gigabyte)); // which the tests' allocator gives, and no more than that
    CHECK(!micai_probe(host, gigabyte + 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 1073741825 bytes in all");
    CHECK(!micai_probe(host, UINT64_MAX));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 18446744073709551615 bytes in all");
    CHECK_BYTES(&before, &host->memory, sizeof before); // it is not counted
}

// On Linux they begin with a huge page, if there are such.
static void large_blocks_keep_their_bytes_in_whatever_size(void)
{
    const size_t huge = (size_t)2 << 20;
    const size_t sizes[] = {huge - 64, huge, huge + 64, 2 * huge + 4096, huge - 4096, 64};
    size_t size = 64;
    unsigned char *block = micai_system_resize(NULL, NULL, 0, size, 64);
    REQUIRE(block);
    memset(block, 7, size);
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        block = micai_system_resize(NULL, block, size, sizes[i], 64);
        REQUIRE(block);
        size = sizes[i];
        CHECK_EQUAL(0, (uintptr_t)block % 64);
#ifdef __linux__
        CHECK_EQUAL(0, size < huge ? 0 : (uintptr_t)block % huge);
#endif
        CHECK_EQUAL(7, block[0]);
        CHECK_EQUAL(7, block[63]);
        block[size - 1] = 7;
    }
    CHECK_POINTER(NULL, micai_system_resize(NULL, NULL, 0, SIZE_MAX - 2 * huge, 64));
    CHECK_POINTER(NULL, micai_system_resize(NULL, block, size, 0, 64));
}

TEST_WITH(test_host, t, beyond_a_limit_memory_is_refused)
{
    micai_host *host = &t->host;
    void *first = micai_alloc(host, 1000, 8);
    micai_memory_raise_limit(host, 1); // there is none
    void *second = micai_alloc(host, 1000, 8);
    micai_memory_limit(host, 100, "it is too much");
    CHECK_POINTER(NULL, micai_alloc(host, 101, 8));
    CHECK_EQUAL(MICA_ERROR_LIMIT, host->failed);
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK_POINTER(NULL, micai_resize(host, first, 1000, 1101, 8));
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK_POINTER(NULL, micai_alloc_try(host, 101, 8));
    CHECK_EQUAL(0, t->memory.refusals);
    CHECK_EQUAL(2000, host->memory.bytes);
    first = micai_resize(host, first, 1000, 1100, 8);
    CHECK(first != NULL);
    micai_memory_raise_limit(host, 50);
    void *third = micai_alloc(host, 50, 8);
    CHECK(third != NULL);
    CHECK_POINTER(NULL, micai_alloc_try(host, 1, 8));
    micai_release(host, third, 50, 8); // makes room
    third = micai_alloc(host, 50, 8);
    CHECK(third != NULL);
    micai_memory_limit(host, UINT64_MAX, "it is too much");
    micai_memory_raise_limit(host, UINT64_MAX);
    CHECK_EQUAL(SIZE_MAX, host->memory_max);
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_memory_validate(host));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT, "invariant M7 is broken: a limit of memory was left behind");
    CHECK_EQUAL(MICA_OK, micai_memory_remove_limit(host, MICA_OK));
    CHECK_EQUAL(MICA_OK, micai_memory_validate(host));
    micai_release(host, first, 1100, 8);
    micai_release(host, second, 1000, 8);
    micai_release(host, third, 50, 8);
}

TESTS(memory, blocks_have_the_alignment_asked_for, large_blocks_keep_their_bytes_in_whatever_size,
      no_bytes_are_no_block_and_no_failure, zeroed_memory_is_zero, a_resized_block_keeps_its_bytes,
      what_is_out_is_counted, a_refusal_is_reported_and_nothing_is_counted,
      a_refused_resize_leaves_the_block_as_it_was,
      an_array_whose_size_overflows_is_refused_without_asking, text_is_copied_with_its_end,
      a_host_without_an_allocator_uses_the_c_library,
      the_c_library_is_not_asked_for_aligned_sizes_that_overflow,
      validate_finds_memory_that_is_miscounted,
      gigabytes_are_asked_for_before_they_are_got_piece_by_piece, beyond_a_limit_memory_is_refused)
