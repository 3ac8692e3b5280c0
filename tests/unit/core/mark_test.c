#include "core/mark.h"

#include "runner/host.h"
#include "runner/test.h"

TEST_WITH(test_host, t, a_mark_is_made_when_it_is_asked_for_and_kept)
{
    micai_host *host = &t->host;
    micai_marks marks = {0};
    const uint32_t slots[] = {0, 1, 3 * MICAI_SLOT_PAGE_SIZE + 1, MICAI_SLOT_PAGE_SIZE};
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(i == 1 || !micai_marks_find(&marks, slots[i])); // its neighbour was made
        uint32_t *mark = micai_marks_get_or_add(host, &marks, slots[i]);
        REQUIRE(mark != NULL);
        CHECK_EQUAL(0, *mark);
        *mark = i + 7;
    }
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(i + 7, *micai_marks_find(&marks, slots[i]));
    }
    CHECK(!micai_marks_find(&marks, UINT32_MAX - 1));
    CHECK_EQUAL(MICA_OK, micai_marks_validate(host, &marks));
    micai_marks_free(host, &marks);
}

TEST_WITH(test_host, t, a_mark_that_memory_is_refused_for_is_none)
{
    micai_host *host = &t->host;
    micai_marks marks = {0};
    for (uint64_t k = 1; k <= 2; k++) { // the list, its first part
        test_memory_fail_at(&t->memory, k, TEST_MEMORY_ONCE);
        CHECK(!micai_marks_get_or_add(host, &marks, 5));
        CHECK_EQUAL(1, test_error_clear(&t->error));
        micai_marks_free(host, &marks);
    }
    CHECK(micai_marks_get_or_add(host, &marks, 5) != NULL);
    micai_marks_free(host, &marks);
}

TESTS(mark, a_mark_is_made_when_it_is_asked_for_and_kept, a_mark_that_memory_is_refused_for_is_none)
