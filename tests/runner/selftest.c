// A program whose checks fail on purpose. selftest.sh compares its output with what it must be.
#include "runner/host.h"
#include "runner/test.h"

static void everything_holds(void)
{
    CHECK(1 + 1 == 2);
    CHECK_EQUAL(-1, (int8_t)-1);
    CHECK_EQUAL(200, (unsigned char)200);
    CHECK_TEXT(NULL, NULL);
    CHECK_TEXT("same", "same");
    CHECK_BYTES("same", "same", 5);
    CHECK_BYTES(NULL, NULL, 0);
    CHECK_POINTER(NULL, NULL);
    REQUIRE(true);
    REQUIRE_EQUAL(3, UINT64_C(3));
    REQUIRE_TEXT("a", "a");
    REQUIRE_BYTES("a", "a", 1);
    REQUIRE_POINTER(NULL, NULL);
}

static void a_failed_check_goes_on(void)
{
    CHECK(1 + 1 == 3);
    CHECK(2 + 2 == 5);
}

static void run_seed(uint64_t seed)
{
    CHECK(seed < 3);
}

static void a_random_test_ends_with_the_seed_that_fails(void)
{
    test_run_seeds(9, 9, run_seed);
}

static void integers_show_both_values(void)
{
    CHECK_EQUAL(5, 1 + 3);
    CHECK_EQUAL(-1, UINT64_MAX);
    CHECK_EQUAL(INT64_MIN, 255u);
    CHECK_EQUAL(true, false);
}

static void texts_show_both_values(void)
{
    CHECK_TEXT("Position", "Velocity");
    CHECK_TEXT(NULL, "");
}

static void bytes_show_where_they_differ(void)
{
    CHECK_BYTES("\1\2\3\4", "\1\2\377\4", 4);
}

static void pointers_show_both_values(void)
{
    static const char places[2];
    CHECK_POINTER(&places[0], &places[1]);
}

static void a_failed_requirement_leaves_the_test(void)
{
    REQUIRE_EQUAL(1, 2);
    CHECK_TEXT("not", "reached");
}

static void leave(void)
{
    REQUIRE(false);
}

static void a_failed_requirement_in_a_helper_leaves_the_test(void)
{
    leave();
    CHECK_TEXT("not", "reached");
}

static void nothing_is_checked(void) {}

static void nothing_but_setting_up_and_tearing_down(void)
{
    test_host t;
    test_host_begin(&t);
    test_host_end(&t);
}

static void a_skipped_test_is_reported(void)
{
    SKIP("there is no moon tonight");
}

static void a_failure_before_a_skip_counts(void)
{
    CHECK(false);
    SKIP("too late");
}

static void a_leak_is_noticed(void)
{
    test_memory memory;
    test_memory_begin(&memory);
    CHECK(memory.allocator.resize(&memory, NULL, 0, 10, 8) != NULL);
    test_memory_end(&memory);
}

static void wrong_calls_of_the_allocator_are_noticed(void)
{
    test_memory memory;
    test_memory_begin(&memory);
    mica_resize_fn *resize = memory.allocator.resize;
    char *block = resize(&memory, NULL, 0, 10, 8);
    REQUIRE(block != NULL);
    resize(&memory, block, 11, 0, 8);
    resize(&memory, block, 10, 20, 16);
    resize(&memory, block + 1, 10, 0, 8);
    resize(&memory, NULL, 10, 0, 8);
    resize(&memory, NULL, 0, 10, 24);
    resize(&memory, block, 10, 0, 8);
    resize(&memory, block, 10, 0, 8);
    test_memory_end(&memory);
}

static void writing_behind_an_aligned_block_is_noticed(void)
{
    test_memory memory;
    test_memory_begin(&memory);
    char *block = memory.allocator.resize(&memory, NULL, 0, 100, 4096);
    REQUIRE(block != NULL);
    block[102] = 1;
    memory.allocator.resize(&memory, block, 100, 0, 4096);
    test_memory_end(&memory);
}

static void memory_is_filled_moved_and_refused(void)
{
    test_memory memory;
    test_memory_begin(&memory);
    mica_resize_fn *resize = memory.allocator.resize;
    test_memory_fail_at(&memory, 2, TEST_MEMORY_ONCE);
    unsigned char *block = resize(&memory, NULL, 0, 4, 1);
    REQUIRE(block != NULL);
    CHECK_BYTES("\xa5\xa5\xa5\xa5", block, 4);
    CHECK((uintptr_t)block % 2 == 1);
    CHECK_POINTER(NULL, resize(&memory, block, 4, 8, 1));
    CHECK_EQUAL(1, memory.refusals);
    unsigned char *moved = resize(&memory, block, 4, 4, 1);
    CHECK(moved != NULL && moved != block);
    test_memory_fail_at(&memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_POINTER(NULL, resize(&memory, NULL, 0, 1, 1));
    CHECK_POINTER(NULL, resize(&memory, NULL, 0, 1, 1));
    CHECK_EQUAL(2, memory.refusals);
    test_memory_fail_at(&memory, 0, TEST_MEMORY_ONCE);
    CHECK_POINTER(NULL, resize(&memory, NULL, 0, SIZE_MAX, 1));
    CHECK_EQUAL(1, memory.refusals);
    CHECK_EQUAL(4, memory.bytes);
    CHECK_EQUAL(8, memory.peak_bytes);
    CHECK_EQUAL(2, memory.allocations);
    resize(&memory, moved, 4, 0, 1);
    test_memory_end(&memory);
}

static void report(test_host *t, mica_result code, const char *sentence)
{
    mica_error error = {.code = code};
    for (size_t i = 0; sentence[i] != '\0'; i++) {
        error.sentence[i] = sentence[i];
    }
    t->host.error_handler(NULL, &error, t->host.error_user);
}

static void errors_are_compared_by_code_and_sentence(void)
{
    test_host t;
    test_host_begin(&t);
    report(&t, MICA_ERROR_NAME, "the name is too long");
    CHECK_ERROR(&t, MICA_ERROR_NAME, "the name is too long");
    report(&t, MICA_ERROR_NAME, "the name is too long");
    CHECK_ERROR(&t, MICA_ERROR_TYPE, "the name is short");
    CHECK_ERROR(&t, MICA_ERROR_NAME, "the name is too long");
    report(&t, MICA_ERROR_NAME, "the name is too long");
    report(&t, MICA_ERROR_LIMIT, "no room");
    test_host_end(&t);
}

static void what_the_host_counts_must_be_what_is_out(void)
{
    test_host t;
    test_host_begin(&t);
    CHECK_EQUAL(0, t.host.memory.bytes);
    t.host.memory.bytes = 1;
    test_host_end(&t);
}

TESTS(self, everything_holds, a_failed_check_goes_on, a_random_test_ends_with_the_seed_that_fails,
      integers_show_both_values, texts_show_both_values, bytes_show_where_they_differ,
      pointers_show_both_values, a_failed_requirement_leaves_the_test,
      a_failed_requirement_in_a_helper_leaves_the_test, nothing_is_checked,
      nothing_but_setting_up_and_tearing_down, a_skipped_test_is_reported,
      a_failure_before_a_skip_counts, a_leak_is_noticed, wrong_calls_of_the_allocator_are_noticed,
      writing_behind_an_aligned_block_is_noticed, memory_is_filled_moved_and_refused,
      errors_are_compared_by_code_and_sentence, what_the_host_counts_must_be_what_is_out)

SUITES(self)
