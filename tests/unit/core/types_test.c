#include "core/types.h"

#include <string.h>

#include "runner/host.h"
#include "runner/test.h"

static mica_type_set make_set(micai_host *host, const uint32_t *numbers, size_t count)
{
    mica_type_set set = {0};
    for (size_t i = 0; i < count; i++) {
        REQUIRE_EQUAL(MICA_OK, micai_types_add(host, &set, numbers[i]));
    }
    return set;
}

#define SET(host, ...)                                                                             \
    make_set(host, (const uint32_t[]){__VA_ARGS__},                                                \
             sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

// The set holds exactly these, and drops them.
#define CHECK_SET(host, set, ...)                                                                  \
    check_set(host, set, (const uint32_t[]){__VA_ARGS__},                                          \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), __LINE__)

static void check_set(micai_host *host, mica_type_set *set, const uint32_t *numbers, size_t count,
                      int line)
{
    uint32_t number = micai_types_next(set, 0);
    for (size_t i = 0; i < count; i++) {
        test_check_equal(test_unsigned(numbers[i]), test_unsigned(number), __FILE__, line, "next");
        number = micai_types_next(set, number + 1);
    }
    test_check_equal(test_unsigned(MICAI_BITS_END), test_unsigned(number), __FILE__, line, "end");
    micai_types_free(host, set);
}

// S0.2
TEST_WITH(test_host, t, a_type_is_in_the_set_from_add_to_remove)
{
    micai_host *host = &t->host;
    mica_type_set set = {0};
    const uint32_t numbers[] = {0, 1, 63, 64, 255, 256, 257, 319, 320, 699, 5000};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        CHECK(!micai_types_has(&set, numbers[i]));
        CHECK_EQUAL(MICA_OK, micai_types_add(host, &set, numbers[i]));
        CHECK_EQUAL(MICA_OK, micai_types_add(host, &set, numbers[i]));
        CHECK(micai_types_has(&set, numbers[i]));
        CHECK_EQUAL(i + 1, mica_type_set_count(&set));
    }
    CHECK(!micai_types_has(&set, 2) && !micai_types_has(&set, 698) &&
          !micai_types_has(&set, 900000));
    micai_types_remove(&set, 256);
    micai_types_remove(&set, 256);
    micai_types_remove(&set, 900000);
    micai_types_remove(&set, 0);
    CHECK_SET(host, &set, 1, 63, 64, 255, 257, 319, 320, 699, 5000);
    CHECK_EQUAL(0, mica_type_set_count(&set));
}

// S0.2
TEST_WITH(test_host, t, the_first_256_types_need_no_memory)
{
    micai_host *host = &t->host;
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONWARDS);
    mica_type_set a = SET(host, 0, 100, 255);
    mica_type_set b = SET(host, 7, 100);
    mica_type_set c = {0};
    CHECK_EQUAL(MICA_OK, micai_types_reserve(host, &c, MICA_TYPE_SET_INLINE_WORDS));
    CHECK_EQUAL(MICA_OK,
                micai_types_combine(host, &c, &a, &b,
                                    MICAI_TYPES_BOTH | MICAI_TYPES_ONLY_A | MICAI_TYPES_ONLY_B));
    CHECK_EQUAL(0, t->memory.allocations);
    CHECK_POINTER(NULL, c.more);
    CHECK_EQUAL(MICA_ERROR_MEMORY, micai_types_add(host, &c, 256));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 8 bytes");
    CHECK_SET(host, &c, 0, 7, 100, 255);
}

// S0.2
TEST_WITH(test_host, t, combining_takes_the_parts_that_are_asked_for)
{
    micai_host *host = &t->host;
    mica_type_set a = SET(host, 1, 70, 300);
    mica_type_set b = SET(host, 2, 70, 600);
    mica_type_set target = SET(host, 5, 999); // what it held goes
    CHECK_EQUAL(MICA_OK, micai_types_combine(host, &target, &a, &b, MICAI_TYPES_BOTH));
    CHECK_SET(host, &target, 70);
    CHECK_EQUAL(MICA_OK, micai_types_combine(host, &target, &a, &b, MICAI_TYPES_ONLY_A));
    CHECK_SET(host, &target, 1, 300);
    CHECK_EQUAL(MICA_OK, micai_types_combine(host, &target, &a, &b, MICAI_TYPES_ONLY_B));
    CHECK_SET(host, &target, 2, 600);
    CHECK_EQUAL(MICA_OK,
                micai_types_combine(host, &target, &a, &b,
                                    MICAI_TYPES_BOTH | MICAI_TYPES_ONLY_A | MICAI_TYPES_ONLY_B));
    CHECK_SET(host, &target, 1, 2, 70, 300, 600);
    CHECK_EQUAL(MICA_OK, micai_types_combine(host, &target, &a, &b, 0));
    CHECK_EQUAL(0, mica_type_set_count(&target));
    micai_types_free(host, &target);
    micai_types_free(host, &a);
    micai_types_free(host, &b);
}

// S0.2
TEST_WITH(test_host, t, the_target_may_be_a_source)
{
    micai_host *host = &t->host;
    mica_type_set a = SET(host, 1, 70);
    mica_type_set b = SET(host, 70, 600); // a has to grow while it is read
    CHECK_EQUAL(MICA_OK,
                micai_types_combine(host, &a, &a, &b, MICAI_TYPES_BOTH | MICAI_TYPES_ONLY_B));
    CHECK_EQUAL(MICA_OK, micai_types_combine(host, &b, &a, &b, MICAI_TYPES_ONLY_B));
    CHECK_EQUAL(0, mica_type_set_count(&b));
    CHECK_EQUAL(MICA_OK, micai_types_combine(host, &a, &a, &a, MICAI_TYPES_BOTH));
    CHECK_SET(host, &a, 70, 600);
    micai_types_free(host, &b);
}

// What a set needs depends on what is in it, not on what it was made of.
TEST_WITH(test_host, t, what_is_left_of_large_sets_needs_no_memory)
{
    micai_host *host = &t->host;
    mica_type_set small = SET(host, 1, 255);
    mica_type_set large = SET(host, 1, 200, 300);
    mica_type_set once = SET(host, 5, 900);
    micai_types_remove(&once, 900);
    mica_type_set target = {0};
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_OK, micai_types_combine(host, &target, &small, &large, MICAI_TYPES_BOTH));
    CHECK_EQUAL(1, mica_type_set_count(&target));
    CHECK(micai_types_has(&target, 1));
    CHECK_EQUAL(MICA_OK, micai_types_combine(host, &target, &small, &large, MICAI_TYPES_ONLY_A));
    CHECK(mica_type_set_count(&target) == 1 && micai_types_has(&target, 255));
    CHECK_EQUAL(MICA_OK, micai_types_combine(host, &target, &once, &once, MICAI_TYPES_BOTH));
    CHECK(mica_type_set_equal(&target, &once));
    CHECK_EQUAL(MICA_OK, micai_types_combine(host, &target, &large, &large, MICAI_TYPES_ONLY_A));
    CHECK_EQUAL(0, mica_type_set_count(&target));
    CHECK_EQUAL(MICA_ERROR_MEMORY,
                micai_types_combine(host, &target, &large, &large, MICAI_TYPES_BOTH));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 8 bytes");
    test_memory_fail_at(&t->memory, 0, TEST_MEMORY_ONWARDS);
    micai_types_free(host, &large);
    micai_types_free(host, &once);
}

TEST_WITH(test_host, t, a_refusal_leaves_the_target_as_it_was)
{
    micai_host *host = &t->host;
    mica_type_set target = SET(host, 3, 260);
    mica_type_set source = SET(host, 9, 500);
    mica_type_set before = target;
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_ERROR_MEMORY,
                micai_types_combine(host, &target, &source, &source, MICAI_TYPES_BOTH));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 32 bytes");
    CHECK_EQUAL(MICA_ERROR_MEMORY, micai_types_reserve(host, &target, 100));
    CHECK_EQUAL(MICA_ERROR_MEMORY, micai_types_add(host, &target, 100000));
    CHECK_EQUAL(2, test_error_clear(&t->error));
    CHECK_BYTES(&before, &target, sizeof target);
    CHECK_SET(host, &target, 3, 260);
    micai_types_free(host, &source);
}

// S0.2
TEST_WITH(test_host, t, comparing_sets_of_unequal_length_goes_on_with_zeroes)
{
    micai_host *host = &t->host;
    mica_type_set none = {0};
    mica_type_set few = SET(host, 5, 200);
    mica_type_set same = SET(host, 5, 200, 400);
    micai_types_remove(&same, 400); // equal, but longer
    mica_type_set many = SET(host, 5, 90, 200, 400);
    mica_type_set far = SET(host, 400);

    CHECK(mica_type_set_equal(&few, &same) && mica_type_set_equal(&same, &few));
    CHECK(!mica_type_set_equal(&few, &many) && !mica_type_set_equal(&many, &few));
    CHECK(mica_type_set_contains(&many, &few) && !mica_type_set_contains(&few, &many));
    CHECK(mica_type_set_contains(&many, &far) && !mica_type_set_contains(&far, &many));
    CHECK(mica_type_set_contains(&few, &same) && mica_type_set_contains(&same, &few));
    CHECK(mica_type_set_contains(&none, &none) && mica_type_set_contains(&few, &none));
    CHECK(mica_type_set_overlaps(&few, &many) && mica_type_set_overlaps(&many, &far));
    CHECK(!mica_type_set_overlaps(&few, &far) && !mica_type_set_overlaps(&far, &few));
    CHECK(!mica_type_set_overlaps(&none, &many) && !mica_type_set_overlaps(&none, &none));

    micai_types_free(host, &few);
    micai_types_free(host, &same);
    micai_types_free(host, &many);
    micai_types_free(host, &far);
}

static void a_null_set_counts_as_empty(void)
{
    mica_type_set none = {0};
    mica_type_set some = {.words = {1}};
    CHECK(mica_type_set_contains(NULL, NULL) && mica_type_set_contains(&some, NULL));
    CHECK(mica_type_set_contains(NULL, &none) && !mica_type_set_contains(NULL, &some));
    CHECK(!mica_type_set_overlaps(NULL, &some) && !mica_type_set_overlaps(&some, NULL));
    CHECK(mica_type_set_equal(NULL, &none) && mica_type_set_equal(NULL, NULL));
    CHECK(!mica_type_set_equal(NULL, &some) && !mica_type_set_equal(&some, NULL));
    CHECK_EQUAL(0, mica_type_set_count(NULL));
}

// S0.2
TEST_WITH(test_host, t, the_rank_counts_masked_types_below_a_number)
{
    micai_host *host = &t->host;
    mica_type_set set = SET(host, 0, 1, 63, 64, 65, 300, 511, 640);
    uint64_t mask[8]; // types 0 to 511, all but 1 and 64
    memset(mask, 0xff, sizeof mask);
    micai_bits_clear(mask, 1);
    micai_bits_clear(mask, 64);

    const uint32_t numbers[] = {0, 1, 2, 63, 64, 65, 66, 300, 301, 511, 512, 641, MICAI_BITS_END};
    const uint32_t ranks[] = {0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        CHECK_EQUAL(ranks[i], micai_types_rank(&set, mask, 8, numbers[i]));
    }
    CHECK_EQUAL(0, micai_types_rank(&set, mask, 0, MICAI_BITS_END));
    CHECK_EQUAL(2, micai_types_rank(&set, mask, 1, MICAI_BITS_END));
    micai_types_free(host, &set);
}

TESTS(set, a_type_is_in_the_set_from_add_to_remove, the_first_256_types_need_no_memory,
      combining_takes_the_parts_that_are_asked_for, the_target_may_be_a_source,
      what_is_left_of_large_sets_needs_no_memory, a_refusal_leaves_the_target_as_it_was,
      comparing_sets_of_unequal_length_goes_on_with_zeroes, a_null_set_counts_as_empty,
      the_rank_counts_masked_types_below_a_number)
