// Tests of src/base/text.c. Which bytes are UTF-8 is in tests/unit/image/json_write_test.c.
#include "base/text.h"

#include <string.h>

#include "runner/test.h"

static void a_character_has_one_to_four_bytes(void)
{
    CHECK_EQUAL(1, micai_text_character("ab", 2));
    CHECK_EQUAL(1, micai_text_character("", 1)); // a zero is one
    CHECK_EQUAL(2, micai_text_character("\xc3\xa9s", 3));
    CHECK_EQUAL(3, micai_text_character("\xe2\x82\xac", 3));
    CHECK_EQUAL(4, micai_text_character("\xf0\x9f\x99\x82", 4));
    CHECK_EQUAL(0, micai_text_character("", 0));
    CHECK_EQUAL(0, micai_text_character("\xe2\x82\xac", 2)); // cut
    CHECK_EQUAL(0, micai_text_character("\xf0\x9f", 4));     // its zero ends it
}

static void control_characters_are_those_of_one_byte_and_of_two(void)
{
    for (int c = 1; c < 256; c++) {
        const char text[] = {(char)c, 0};
        CHECK_EQUAL(c < 0x20 || c == 0x7f, micai_text_is_control(text, 1));
        const char two[] = {'\xc2', (char)c, 0};
        CHECK_EQUAL(c >= 0x80 && c < 0xa0, micai_text_is_control(two, 2));
        CHECK(!micai_text_is_control(two, 1));
    }
    CHECK(!micai_text_is_control("\xc3\x80", 2));
    CHECK(!micai_text_is_control("", 0));
}

TESTS(text, a_character_has_one_to_four_bytes, control_characters_are_those_of_one_byte_and_of_two)
