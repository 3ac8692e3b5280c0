// Tests of core/unclaimed.
#include "core/unclaimed.h"

#include <stdio.h>
#include <string.h>

#include "runner/host.h"
#include "runner/test.h"

static bool add(micai_host *host, micai_unclaimed *all, uint32_t kind, char *name, uint64_t detail,
                uint64_t value)
{
    return micai_unclaimed_add(
        host, all,
        (micai_unclaimed_item){
            .name = name, .detail = detail, .kind = kind, .values = {value, ~value}});
}

// The value of what is claimed; 0: there was nothing.
static uint64_t claim(micai_host *host, micai_unclaimed *all, uint32_t kind, const char *name,
                      uint64_t detail)
{
    uint64_t values[2] = {0, ~UINT64_C(0)};
    bool claimed = micai_unclaimed_claim(host, all, kind, name, detail, values);
    CHECK_EQUAL(claimed, values[0] != 0);
    CHECK_EQUAL(~values[0], values[1]);
    CHECK_EQUAL(MICA_OK, micai_unclaimed_validate(host, all));
    return values[0];
}

TEST_WITH(test_host, t, state_is_claimed_by_kind_name_and_detail)
{
    micai_host *host = &t->host;
    micai_unclaimed all = {0};
    CHECK_EQUAL(0, claim(host, &all, 0, "a", 0));
    REQUIRE(add(host, &all, 0, "a", 0, 1));
    REQUIRE(add(host, &all, 1, "a", 0, 2));
    REQUIRE(add(host, &all, 0, "b", 0, 3));
    REQUIRE(add(host, &all, 0, "a", 7, 4));
    CHECK_EQUAL(0, claim(host, &all, 2, "a", 0));
    CHECK_EQUAL(0, claim(host, &all, 0, "c", 0));
    CHECK_EQUAL(0, claim(host, &all, 1, "a", 7));
    CHECK_EQUAL(4, claim(host, &all, 0, "a", 7));
    CHECK_EQUAL(2, claim(host, &all, 1, "a", 0));
    CHECK_EQUAL(1, claim(host, &all, 0, "a", 0));
    CHECK_EQUAL(0, claim(host, &all, 0, "a", 0));
    CHECK_EQUAL(1, all.left);
    micai_unclaimed_free(host, &all);
}

TEST_WITH(test_host, t, state_of_one_key_is_claimed_in_its_order)
{
    micai_host *host = &t->host;
    micai_unclaimed all = {0};
    for (uint64_t i = 1; i <= 20; i++) {
        REQUIRE(add(host, &all, 0, i % 2 ? "odd" : "even", 0, i));
    }
    for (uint64_t i = 1; i <= 5; i++) {
        CHECK_EQUAL(2 * i - 1, claim(host, &all, 0, "odd", 0));
    }
    REQUIRE(add(host, &all, 0, "odd", 0, 21)); // behind those that are left
    for (uint64_t i = 6; i <= 11; i++) {
        CHECK_EQUAL(2 * i - 1, claim(host, &all, 0, "odd", 0));
    }
    for (uint64_t i = 1; i <= 10; i++) {
        CHECK_EQUAL(2 * i, claim(host, &all, 0, "even", 0));
    }
    CHECK_EQUAL(0, t->memory.bytes); // released with the last
}

TEST_WITH(test_host, t, what_is_left_is_listed_in_its_order)
{
    micai_host *host = &t->host;
    micai_unclaimed all = {0};
    char name[16];
    for (uint32_t i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "name %u", (unsigned)i);
        REQUIRE(add(host, &all, i % 3, name, 0, i + 1));
    }
    for (uint32_t i = 0; i < 100; i += 2) {
        snprintf(name, sizeof name, "name %u", (unsigned)i);
        CHECK_EQUAL(i + 1, claim(host, &all, i % 3, name, 0));
    }
    uint32_t place = 0;
    for (uint32_t i = 3; i < 100; i += 6) { // odd, and of kind 0
        const micai_unclaimed_item *item = micai_unclaimed_next(&all, 0, &place);
        REQUIRE(item != NULL);
        CHECK_EQUAL(i + 1, item->values[0]);
    }
    CHECK_POINTER(NULL, micai_unclaimed_next(&all, 0, &place));
    CHECK_EQUAL(17, micai_unclaimed_count(&all, 0));
    CHECK_EQUAL(50, all.left);
    micai_unclaimed_free(host, &all);
    CHECK_EQUAL(0, t->memory.bytes);
}

TEST_WITH(test_host, t, nothing_is_added_without_memory)
{
    micai_host *host = &t->host;
    micai_unclaimed all = {0};
    micai_host_begin(host, "mica_x");
    for (uint64_t k = 1; k <= 3; k++) { // items, map, name
        test_memory_fail_at(&t->memory, k, TEST_MEMORY_ONCE);
        CHECK(!add(host, &all, 0, "a", 0, 1));
        test_memory_fail_at(&t->memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(0, all.left);
        CHECK_EQUAL(MICA_OK, micai_unclaimed_validate(host, &all));
        micai_unclaimed_free(host, &all);
    }
    micai_host_end(host);
    CHECK(test_error_clear(&t->error) > 0);
}

TESTS(unclaimed, state_is_claimed_by_kind_name_and_detail, state_of_one_key_is_claimed_in_its_order,
      what_is_left_is_listed_in_its_order, nothing_is_added_without_memory)
