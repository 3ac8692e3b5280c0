// Tests of src/base/print.c.
#include "base/print.h"

#include <string.h>

#include "runner/host.h"
#include "runner/test.h"

static void a_text_is_truncated_and_its_whole_length_is_counted(void)
{
    for (size_t size = 0; size < 12; size++) {
        char text[12];
        memset(text, '#', sizeof text);
        micai_printer to = {.text = size > 0 ? text : NULL, .size = size};
        micai_print(&to, "%s", "one");
        micai_print(&to, " %d", 234);
        CHECK_EQUAL(7, to.length);
        if (size > 0) {
            size_t kept = size > 7 ? 7 : size - 1;
            CHECK_EQUAL(kept, strlen(text));
            CHECK(strncmp(text, "one 234", kept) == 0);
        }
        CHECK_EQUAL('#', text[size > 7 ? 8 : size]);
    }
}

TEST_WITH(test_host, t, a_stream_gets_everything_or_nothing)
{
    micai_host *host = &t->host;
    mica_buffer buffer = {0};
    const mica_stream stream = {.buffer = &buffer};
    micai_printer to;
    for (uint32_t i = 0; i < 2; i++) { // the second time, it fails: the buffer keeps what it has
        REQUIRE(!micai_print_begin(&to, host, "mica_x", &stream));
        for (int k = 0; k < 30000; k++) {
            micai_print(&to, "%d,", k + (int)i);
        }
        mica_result result = i == 0 ? MICA_OK : MICA_ERROR_HOOK;
        CHECK_EQUAL(result, micai_print_end(&to, result));
        CHECK_EQUAL(10 * 2 + 90 * 3 + 900 * 4 + 9000 * 5 + 20000 * 6, buffer.size);
        CHECK(strncmp("0,1,2,", (const char *)buffer.data, 6) == 0);
        CHECK_TEXT("29998,29999,", (const char *)buffer.data + buffer.size - 12);
    }
    mica_buffer_free(&buffer);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, micai_print_begin(&to, host, "mica_x", &(mica_stream){0}));
    CHECK_ERROR(t, MICA_ERROR_ARGUMENT,
                "mica_x: the stream has none of path, buffer, data and functions");
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, micai_print_begin(&to, host, "mica_x", &stream));
    CHECK_REPORTED(t, MICA_ERROR_MEMORY);
}

TEST_WITH(test_host, t, a_piece_that_is_too_long_is_truncated)
{
    micai_host *host = &t->host;
    mica_buffer buffer = {0};
    micai_printer to;
    REQUIRE(!micai_print_begin(&to, host, "mica_x", &(mica_stream){.buffer = &buffer}));
    micai_print(&to, "%*s", (int)MICAI_OUTPUT_SPACE + 9, "x");
    micai_print(&to, "end");
    CHECK_EQUAL(MICA_OK, micai_print_end(&to, MICA_OK));
    CHECK_EQUAL(MICAI_OUTPUT_SPACE - 1 + 3, buffer.size);
    CHECK_TEXT("  end", (const char *)buffer.data + buffer.size - 5);
    mica_buffer_free(&buffer);
}

TESTS(print, a_text_is_truncated_and_its_whole_length_is_counted,
      a_stream_gets_everything_or_nothing, a_piece_that_is_too_long_is_truncated)
