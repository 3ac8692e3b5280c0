// Tests of src/base/print.c.
#include "base/print.h"

#include <string.h>

#include "runner/test.h"

static void a_text_is_cut_and_its_whole_length_is_told(void)
{
    for (size_t size = 0; size < 12; size++) {
        char text[12];
        memset(text, '#', sizeof text);
        micai_printer to;
        CHECK_EQUAL(MICA_OK, micai_printer_to_text(&to, NULL, "call", text, size));
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

static void nothing_printed_is_an_empty_text(void)
{
    char text[4] = "abc";
    micai_printer to;
    CHECK_EQUAL(MICA_OK, micai_printer_to_text(&to, NULL, "call", text, sizeof text));
    CHECK_TEXT("", text);
    CHECK_EQUAL(0, to.length);
}

static void a_file_gets_everything(void)
{
    FILE *file = tmpfile();
    REQUIRE(file);
    micai_printer to;
    CHECK_EQUAL(MICA_OK, micai_printer_to_file(&to, NULL, "call", file));
    micai_print(&to, "%s", "one");
    micai_print(&to, " %d", 234);
    CHECK_EQUAL(7, to.length);
    rewind(file);
    char text[12] = {0};
    CHECK_EQUAL(7, fread(text, 1, sizeof text, file));
    CHECK_TEXT("one 234", text);
    fclose(file);
}

TESTS(print, a_text_is_cut_and_its_whole_length_is_told, nothing_printed_is_an_empty_text,
      a_file_gets_everything)
