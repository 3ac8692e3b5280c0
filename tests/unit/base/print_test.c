// Tests of src/base/print.c.
#include "base/print.h"

#include <string.h>

#include "runner/test.h"

static mica_result print_two(micai_printer *to, const char *call, void *what)
{
    CHECK_TEXT("call", call);
    micai_print(to, "%s", (const char *)what);
    micai_print(to, " %d", 234);
    CHECK_EQUAL(7, to->length);
    return MICA_OK;
}

static mica_result print_nothing(micai_printer *to, const char *call, void *what)
{
    (void)to;
    (void)call;
    (void)what;
    return MICA_ERROR_HOOK;
}

static char one[] = "one";

static void a_text_is_cut_and_its_whole_length_is_told(void)
{
    for (size_t size = 0; size < 12; size++) {
        char text[12];
        memset(text, '#', sizeof text);
        CHECK_EQUAL(7, micai_print_text(NULL, "call", text, size, print_two, one));
        if (size > 0) {
            size_t kept = size > 7 ? 7 : size - 1;
            CHECK_EQUAL(kept, strlen(text));
            CHECK(strncmp(text, "one 234", kept) == 0);
        }
        CHECK_EQUAL('#', text[size > 7 ? 8 : size]);
    }
    CHECK_EQUAL(7, micai_print_text(NULL, "call", NULL, 0, print_two, one));
}

static void nothing_printed_is_an_empty_text(void)
{
    char text[4] = "abc";
    CHECK_EQUAL(0, micai_print_text(NULL, "call", text, sizeof text, print_nothing, NULL));
    CHECK_TEXT("", text);
}

static void a_file_gets_everything(void)
{
    FILE *file = tmpfile();
    REQUIRE(file);
    CHECK_EQUAL(MICA_OK, micai_print_file(NULL, "call", file, print_two, one));
    CHECK_EQUAL(MICA_ERROR_HOOK, micai_print_file(NULL, "call", file, print_nothing, NULL));
    rewind(file);
    char text[12] = {0};
    CHECK_EQUAL(7, fread(text, 1, sizeof text, file));
    CHECK_TEXT("one 234", text);
    fclose(file);
}

TESTS(print, a_text_is_cut_and_its_whole_length_is_told, nothing_printed_is_an_empty_text,
      a_file_gets_everything)
