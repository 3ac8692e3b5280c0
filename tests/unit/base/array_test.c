// Tests of base/array.
#include "base/array.h"

#include "runner/host.h"
#include "runner/test.h"

#include <stdio.h>
#include <string.h>

typedef MICAI_ARRAY(uint32_t) numbers;

TEST_WITH(test_host, t, an_array_begins_empty_and_ends_empty)
{
    micai_host *host = &t->host;
    numbers array = {0};
    micai_array_free(host, &array);
    CHECK_EQUAL(0, t->memory.allocations);

    CHECK(micai_array_reserve(host, &array, 1));
    array.items[array.count++] = 5;
    micai_array_free(host, &array);
    CHECK_POINTER(NULL, array.items);
    CHECK_EQUAL(0, array.count);
    CHECK_EQUAL(0, array.capacity);
}

TEST_WITH(test_host, t, items_stay_when_the_array_grows)
{
    micai_host *host = &t->host;
    numbers array = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        REQUIRE(micai_array_reserve(host, &array, 1));
        array.items[array.count++] = i * 3;
    }
    CHECK_EQUAL(1000, array.count);
    for (uint32_t i = 0; i < 1000; i++) {
        REQUIRE_EQUAL(i * 3, array.items[i]);
    }
    micai_array_free(host, &array);
}

TEST_WITH(test_host, t, an_array_grows_by_half_and_at_least_to_eight)
{
    micai_host *host = &t->host;
    numbers array = {0};
    static const uint32_t capacities[] = {8, 12, 18, 27, 40, 60, 90};
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        REQUIRE(micai_array_reserve(host, &array, 1));
        CHECK_EQUAL(capacities[i], array.capacity);
        CHECK_EQUAL(array.capacity * sizeof(uint32_t), t->memory.bytes);
        array.count = array.capacity;
    }
    // A large wish is granted exactly.
    CHECK(micai_array_reserve(host, &array, 1000));
    CHECK_EQUAL(1090, array.capacity);
    micai_array_free(host, &array);
}

TEST_WITH(test_host, t, room_that_is_there_costs_nothing)
{
    micai_host *host = &t->host;
    numbers array = {0};
    CHECK(micai_array_reserve(host, &array, 0));
    CHECK_POINTER(NULL, array.items);
    CHECK(micai_array_reserve(host, &array, 5));
    uint32_t *items = array.items;
    CHECK(micai_array_reserve(host, &array, 8));
    array.count = 8;
    CHECK(micai_array_reserve(host, &array, 0));
    CHECK_POINTER(items, array.items);
    CHECK_EQUAL(1, t->memory.allocations);
    micai_array_free(host, &array);
}

TEST_WITH(test_host, t, items_may_have_any_type)
{
    micai_host *host = &t->host;
    struct odd {
        char bytes[7];
    };
    MICAI_ARRAY(struct odd) structs = {0};
    MICAI_ARRAY(const char *) texts = {0};
    MICAI_ARRAY(long double) wide = {0};
    REQUIRE(micai_array_reserve(host, &structs, 3));
    REQUIRE(micai_array_reserve(host, &texts, 3));
    REQUIRE(micai_array_reserve(host, &wide, 3));
    CHECK_EQUAL(8 * 7 + 8 * sizeof(char *) + 8 * sizeof(long double), t->memory.bytes);
    texts.items[texts.count++] = "text";
    wide.items[wide.count++] = 1.5L;
    CHECK_TEXT("text", texts.items[0]);
    micai_array_free(host, &structs);
    micai_array_free(host, &texts);
    micai_array_free(host, &wide);
}

TEST_WITH(test_host, t, a_refusal_is_reported_and_leaves_the_array_as_it_was)
{
    micai_host *host = &t->host;
    numbers array = {0};
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONCE);
    CHECK(!micai_array_reserve(host, &array, 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 32 bytes");
    CHECK_POINTER(NULL, array.items);
    CHECK_EQUAL(0, array.capacity);

    REQUIRE(micai_array_reserve(host, &array, 8));
    for (uint32_t i = 0; i < 8; i++) {
        array.items[array.count++] = i;
    }
    numbers before = array;
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONCE);
    CHECK(!micai_array_reserve(host, &array, 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 48 bytes");
    CHECK_POINTER(before.items, array.items);
    CHECK_EQUAL(before.count, array.count);
    CHECK_EQUAL(before.capacity, array.capacity);
    for (uint32_t i = 0; i < 8; i++) {
        CHECK_EQUAL(i, array.items[i]);
    }
    micai_array_free(host, &array);
}

TEST_WITH(test_host, t, more_items_than_can_be_counted_are_refused)
{
    micai_host *host = &t->host;
    numbers array = {0};
    REQUIRE(micai_array_reserve(host, &array, 8));
    array.count = 8;
    numbers before = array;
    CHECK(!micai_array_reserve(host, &array, UINT32_MAX - 7));
    CHECK_ERROR(t, MICA_ERROR_MEMORY,
                "4294967296 items of 4 bytes are more than an array can hold");
    CHECK(!micai_array_reserve(host, &array, UINT32_MAX));
    CHECK_ERROR(t, MICA_ERROR_MEMORY,
                "4294967303 items of 4 bytes are more than an array can hold");
    CHECK_POINTER(before.items, array.items);
    CHECK_EQUAL(8, array.capacity);
    micai_array_free(host, &array);
}

TEST_WITH(test_host, t, more_bytes_than_memory_has_are_refused)
{
    micai_host *host = &t->host;
    void *items = NULL;
    uint32_t capacity = 0;
    char sentence[100];
    size_t item_size = SIZE_MAX / 2;
    snprintf(sentence, sizeof sentence, "3 items of %llu bytes are more than an array can hold",
             (unsigned long long)item_size);
    CHECK(!micai_array_grow(host, &items, &capacity, 0, 3, item_size, 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, sentence);

    // Eight would overflow, two do not: they are asked for, and refused by the allocator.
    snprintf(sentence, sizeof sentence, "the allocator refused %llu bytes",
             (unsigned long long)item_size * 2);
    CHECK(!micai_array_grow(host, &items, &capacity, 0, 2, item_size, 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, sentence);
    CHECK_POINTER(NULL, items);
    CHECK_EQUAL(0, capacity);
}

static void *refuse_and_record(void *user, void *block, size_t old_size, size_t new_size,
                               size_t align)
{
    (void)block;
    (void)old_size;
    (void)align;
    *(size_t *)user = new_size;
    return NULL;
}

TEST_WITH(test_host, t, half_as_much_again_stops_at_the_largest_count)
{
    micai_host *host = &t->host;
    size_t asked = 0;
    host->allocator = (mica_allocator){refuse_and_record, &asked};
    char byte = 0;
    char *items = &byte;
    uint32_t capacity = UINT32_MAX - 10;
    CHECK(!micai_array_grow(host, &items, &capacity, UINT32_MAX - 10, 1, 1, 1));
    CHECK_EQUAL(UINT32_MAX, asked);
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK_POINTER(&byte, items);
    CHECK_EQUAL(UINT32_MAX - 10, capacity);
}

static void validate_finds_an_array_that_is_damaged(void) // L1
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    numbers array = {0};
    CHECK_EQUAL(MICA_OK, micai_array_validate(host, &array, "numbers"));
    REQUIRE(micai_array_reserve(host, &array, 1));
    CHECK_EQUAL(MICA_OK, micai_array_validate(host, &array, "numbers"));
    array.count = 9; // of 8
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_array_validate(host, &array, "numbers"));
    CHECK_ERROR(&t, MICA_ERROR_CORRUPT, "invariant L1 is broken: the array of numbers is damaged");
    array.count = 0;
    micai_array_free(host, &array);
    test_host_end(&t);
}

TESTS(array, an_array_begins_empty_and_ends_empty, items_stay_when_the_array_grows,
      an_array_grows_by_half_and_at_least_to_eight, room_that_is_there_costs_nothing,
      items_may_have_any_type, a_refusal_is_reported_and_leaves_the_array_as_it_was,
      more_items_than_can_be_counted_are_refused, more_bytes_than_memory_has_are_refused,
      half_as_much_again_stops_at_the_largest_count, validate_finds_an_array_that_is_damaged)
