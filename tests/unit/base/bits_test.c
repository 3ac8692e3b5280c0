// Tests of base/bits, most of them against an array of bool.
#include "base/bits.h"

#include "base/hash.h"
#include "runner/test.h"

#include <string.h>

enum { BITS_MAX = 1024, WORDS_MAX = BITS_MAX / 64 };

static const uint32_t widths[] = {0,   1,   2,   31,  32,  63,  64,  65,  100, 127,
                                  128, 129, 191, 192, 255, 256, 257, 300, 512, 1000};
enum { WIDTH_COUNT = sizeof widths / sizeof *widths };

typedef struct pair {
    uint64_t words[WORDS_MAX];
    uint32_t count;
    bool model[BITS_MAX];
} pair;

// A set of `width` bits in which about one in `sparsity` is 1.
static pair make_pair(uint32_t width, uint64_t seed, uint32_t sparsity)
{
    pair made;
    memset(&made, 0, sizeof made);
    made.count = micai_bits_words(width);
    for (uint32_t i = 0; i < width; i++) {
        if (micai_hash_add(seed, i) % sparsity == 0) {
            micai_bits_set(made.words, i);
            made.model[i] = true;
        }
    }
    return made;
}

static uint32_t model_next(const pair *p, uint32_t from)
{
    for (uint32_t i = from; i < BITS_MAX; i++) {
        if (p->model[i]) {
            return i;
        }
    }
    return MICAI_BITS_END;
}

static void words_are_counted_for_any_number_of_bits(void)
{
    CHECK_EQUAL(0, micai_bits_words(0));
    CHECK_EQUAL(1, micai_bits_words(1));
    CHECK_EQUAL(1, micai_bits_words(64));
    CHECK_EQUAL(2, micai_bits_words(65));
    CHECK_EQUAL(2, micai_bits_words(128));
    CHECK_EQUAL(UINT32_C(1) << 26, micai_bits_words(UINT32_MAX));
}

static void ones_and_the_lowest_and_highest_of_a_word_are_found(void)
{
    CHECK_EQUAL(0, micai_bits_ones(0));
    CHECK_EQUAL(64, micai_bits_ones(UINT64_MAX));
    for (uint32_t i = 0; i < 64; i++) {
        uint64_t one = UINT64_C(1) << i;
        CHECK_EQUAL(1, micai_bits_ones(one));
        CHECK_EQUAL(i, micai_bits_ones(one - 1));
        CHECK_EQUAL(i, micai_bits_lowest(one));
        CHECK_EQUAL(i, micai_bits_lowest(UINT64_MAX << i));
        CHECK_EQUAL(i, micai_bits_highest(one));
        CHECK_EQUAL(63 - i, micai_bits_highest(UINT64_MAX >> i));
    }
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t word = micai_hash_mix(i);
        uint32_t ones = 0;
        for (uint32_t bit = 0; bit < 64; bit++) {
            ones += (uint32_t)(word >> bit & 1);
        }
        REQUIRE_EQUAL(ones, micai_bits_ones(word));
    }
}

static void a_bit_is_set_and_cleared_alone(void)
{
    uint64_t words[3] = {0};
    for (uint32_t bit = 0; bit < 192; bit++) {
        CHECK(!micai_bits_has(words, 3, bit));
        micai_bits_set(words, bit);
        micai_bits_set(words, bit);
        CHECK(micai_bits_has(words, 3, bit));
        CHECK_EQUAL(1, micai_bits_count(words, 3));
        micai_bits_clear(words, bit);
        micai_bits_clear(words, bit);
        CHECK_EQUAL(0, micai_bits_count(words, 3));
    }
    memset(words, 0xff, sizeof words);
    micai_bits_clear(words, 100);
    CHECK(!micai_bits_has(words, 3, 100));
    CHECK_EQUAL(191, micai_bits_count(words, 3));
}

static void there_are_no_bits_beyond_the_end(void)
{
    uint64_t words[2] = {UINT64_MAX, UINT64_MAX};
    CHECK(micai_bits_has(words, 2, 127));
    CHECK(!micai_bits_has(words, 2, 128));
    CHECK(!micai_bits_has(words, 1, 64));
    CHECK(!micai_bits_has(words, 2, UINT32_MAX));
    CHECK(!micai_bits_has(NULL, 0, 0));
    CHECK_EQUAL(MICAI_BITS_END, micai_bits_next(words, 2, 128));
    CHECK_EQUAL(MICAI_BITS_END, micai_bits_next(words, 2, UINT32_MAX));
    CHECK_EQUAL(MICAI_BITS_END, micai_bits_next(NULL, 0, 0));
    CHECK_EQUAL(0, micai_bits_count(NULL, 0));
}

static void sets_of_many_widths_agree_with_the_model(void)
{
    for (uint32_t w = 0; w < WIDTH_COUNT; w++) {
        for (uint32_t sparsity = 1; sparsity <= 100; sparsity = sparsity * 3 + 1) {
            pair p = make_pair(widths[w], w * 1000 + sparsity, sparsity);
            uint32_t ones = 0;
            for (uint32_t bit = 0; bit < BITS_MAX; bit++) {
                REQUIRE_EQUAL(p.model[bit], micai_bits_has(p.words, p.count, bit));
                REQUIRE_EQUAL(model_next(&p, bit), micai_bits_next(p.words, p.count, bit));
                ones += p.model[bit];
            }
            REQUIRE_EQUAL(ones, micai_bits_count(p.words, p.count));
        }
    }
}

static void check_two(const pair *a, const pair *b)
{
    bool equal = true;
    bool contain = true;
    bool overlap = false;
    for (uint32_t i = 0; i < BITS_MAX; i++) {
        equal = equal && a->model[i] == b->model[i];
        contain = contain && (a->model[i] || !b->model[i]);
        overlap = overlap || (a->model[i] && b->model[i]);
    }
    REQUIRE_EQUAL(equal, micai_bits_equal(a->words, a->count, b->words, b->count));
    REQUIRE_EQUAL(contain, micai_bits_contain(a->words, a->count, b->words, b->count));
    REQUIRE_EQUAL(overlap, micai_bits_overlap(a->words, a->count, b->words, b->count));
    uint64_t a_hash = micai_bits_hash(a->words, a->count);
    REQUIRE_EQUAL(equal, a_hash == micai_bits_hash(b->words, b->count));
}

static void two_sets_of_any_widths_compare_as_the_model_does(void)
{
    for (uint32_t w = 0; w < WIDTH_COUNT; w++) {
        for (uint32_t v = 0; v < WIDTH_COUNT; v++) {
            for (uint32_t sparsity = 1; sparsity <= 200; sparsity = sparsity * 5 + 1) {
                // The same seed makes one a part of the other, another seed neither.
                pair a = make_pair(widths[w], 1, sparsity);
                pair same = make_pair(widths[v], 1, sparsity);
                pair other = make_pair(widths[v], 2, sparsity + 1);
                check_two(&a, &same);
                check_two(&a, &other);
            }
        }
    }
}

static void one_bit_more_makes_sets_differ(void)
{
    for (uint32_t bit = 0; bit < 300; bit++) {
        pair a = make_pair(300, 5, 3);
        pair b = a;
        micai_bits_set(a.words, bit);
        micai_bits_clear(b.words, bit);
        CHECK(!micai_bits_equal(a.words, a.count, b.words, b.count));
        CHECK(micai_bits_contain(a.words, a.count, b.words, b.count));
        CHECK(!micai_bits_contain(b.words, b.count, a.words, a.count));
        CHECK(micai_bits_hash(a.words, a.count) != micai_bits_hash(b.words, b.count));
    }
}

static void trailing_zero_words_do_not_count(void)
{
    uint64_t words[WORDS_MAX] = {5, 0, 7};
    for (uint32_t count = 3; count < WORDS_MAX; count++) {
        CHECK(micai_bits_equal(words, 3, words, count));
        CHECK(micai_bits_contain(words, 3, words, count));
        CHECK_EQUAL(micai_bits_hash(words, 3), micai_bits_hash(words, count));
    }
    CHECK_EQUAL(micai_bits_hash(NULL, 0), micai_bits_hash(words + 3, 5));
    CHECK(micai_bits_equal(NULL, 0, words + 3, 5));
    // Words in between do.
    uint64_t closer[2] = {5, 7};
    CHECK(micai_bits_hash(words, 3) != micai_bits_hash(closer, 2));
}

static void hashes_are_the_same_on_every_machine(void)
{
    const uint64_t words[] = {UINT64_C(0x8000000000000001), 0, 3};
    const uint64_t one = 1;
    CHECK_EQUAL(0, micai_bits_hash(NULL, 0));
    CHECK_EQUAL(UINT64_C(0x2f58c2b9c19c4c4c), micai_bits_hash(&one, 1));
    CHECK_EQUAL(UINT64_C(0x50bdcc361b695c39), micai_bits_hash(words, 3));
}

TESTS(bits, words_are_counted_for_any_number_of_bits,
      ones_and_the_lowest_and_highest_of_a_word_are_found, a_bit_is_set_and_cleared_alone,
      there_are_no_bits_beyond_the_end, sets_of_many_widths_agree_with_the_model,
      two_sets_of_any_widths_compare_as_the_model_does, one_bit_more_makes_sets_differ,
      trailing_zero_words_do_not_count, hashes_are_the_same_on_every_machine)
