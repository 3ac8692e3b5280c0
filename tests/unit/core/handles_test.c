// Handle tables: numbers that are given out, kept and used again.
#include "core/handles.h"

#include "runner/host.h"
#include "runner/test.h"

static int things[8];

static void enter_all(micai_host *host, micai_handles *handles)
{
    for (uint32_t i = 0; i < 8; i++) {
        REQUIRE(micai_handles_reserve(host, handles, "call", "things"));
        CHECK_EQUAL(i, micai_handles_add(handles, &things[i]));
    }
}

TEST_WITH(test_host, t, a_thing_keeps_its_number_when_others_go)
{
    micai_host *host = &t->host;
    micai_handles handles = {0};
    enter_all(host, &handles);
    micai_handles_remove(&handles, 2);
    micai_handles_remove(&handles, 5);
    CHECK_EQUAL(6, micai_handles_count(&handles));
    CHECK_POINTER(NULL, micai_handles_at(&handles, 2));
    CHECK_POINTER(&things[7], micai_handles_at(&handles, 7));
    CHECK_POINTER(NULL, micai_handles_at(&handles, 8));
    CHECK_POINTER(NULL, micai_handles_at(&handles, UINT32_MAX));
    CHECK_EQUAL(MICA_OK, micai_handles_validate(host, &handles, "things"));
    REQUIRE(micai_handles_reserve(host, &handles, "call", "things"));
    CHECK_EQUAL(5, micai_handles_add(&handles, &things[0])); // the last that became free
    micai_handles_free(host, &handles);
    CHECK_EQUAL(0, micai_handles_count(&handles));
}

TEST_WITH(test_host, t, removing_needs_no_memory)
{
    micai_host *host = &t->host;
    micai_handles handles = {0};
    enter_all(host, &handles);
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONWARDS);
    for (uint32_t i = 0; i < 8; i++) {
        micai_handles_remove(&handles, i);
    }
    CHECK_EQUAL(MICA_OK, micai_handles_validate(host, &handles, "things"));
    test_memory_fail_at(&t->memory, 0, TEST_MEMORY_ONCE);
    micai_handles_free(host, &handles);
}

TEST_WITH(test_host, t, refused_memory_reserves_nothing)
{
    micai_host *host = &t->host;
    micai_handles handles = {0};
    for (uint64_t k = 1; k <= 2; k++) { // the list of things, that of free numbers
        test_memory_fail_at(&t->memory, k, TEST_MEMORY_ONCE);
        CHECK(!micai_handles_reserve(host, &handles, "call", "things"));
        CHECK_EQUAL(1, test_error_clear(&t->error));
        micai_handles_free(host, &handles);
    }
}

TEST_WITH(test_host, t, there_are_only_so_many_numbers)
{
    micai_host *host = &t->host;
    micai_handles handles = {.list = {.count = MICAI_STAMP_NUMBER_MAX + 1}};
    CHECK(!micai_handles_reserve(host, &handles, "mica_thing_add", "things"));
    CHECK_ERROR(t, MICA_ERROR_LIMIT, "mica_thing_add: too many things");
}

static void validation_finds_numbers_that_are_lost_or_free_twice(void) // L2
{
    static const char sentence[] =
        "invariant L2 is broken: numbers of things are lost, or free twice";
    test_host t;
    micai_host *host = test_host_begin(&t);
    micai_handles handles = {0};
    enter_all(host, &handles);
    handles.list.items[3] = NULL;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_handles_validate(host, &handles, "things"));
    CHECK_ERROR(&t, MICA_ERROR_CORRUPT, sentence);
    handles.list.items[3] = &things[3];
    micai_handles_remove(&handles, 3);
    micai_handles_remove(&handles, 4);
    handles.free_list.items[1] = 3;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_handles_validate(host, &handles, "things"));
    CHECK_ERROR(&t, MICA_ERROR_CORRUPT, sentence);
    micai_handles_free(host, &handles);
    test_host_end(&t);
}

TESTS(handles, a_thing_keeps_its_number_when_others_go, removing_needs_no_memory,
      refused_memory_reserves_nothing, there_are_only_so_many_numbers,
      validation_finds_numbers_that_are_lost_or_free_twice)
