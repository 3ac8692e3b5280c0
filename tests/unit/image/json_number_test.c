// Tests of src/image/json_number.c: S2.9, floats that come back bit for bit.
#include "image/json_number_internal.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "runner/test.h"

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Reads what was printed.
static bool scan(const char *text, bool number, uint32_t size, uint64_t *bits_out)
{
    return number ? micai_json_scan_real(text, size, bits_out)
                  : micai_json_scan_special(text, size, bits_out);
}

static void check_printed(const char *expected, uint64_t bits, uint32_t size)
{
    char text[MICAI_JSON_REAL_SIZE];
    bool number;
    uint64_t back = ~bits;
    CHECK_EQUAL(strlen(expected), micai_json_print_real(bits, size, text, &number));
    CHECK_TEXT(expected, text);
    CHECK(scan(text, number, size, &back));
    CHECK_EQUAL(bits, back);
}

static void floats_are_as_short_as_they_can_be(void) // S2.9
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0, "0.0"},
        {-0.0, "-0.0"},
        {1, "1.0"},
        {-1, "-1.0"},
        {10, "10.0"},
        {100, "100.0"},
        {0.1, "0.1"},
        {0.2, "0.2"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {0.5, "0.5"},
        {123.456, "123.456"},
        {0.00001, "0.00001"},
        {0.000001, "1e-6"},
        {0.0000015, "1.5e-6"},
        {9007199254740991.0, "9007199254740991.0"},
        {9007199254740992.0, "9007199254740992.0"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e16"},
        {1.5e16, "1.5e16"},
        {1e21, "1e21"},
        {1e22, "1e22"},
        {1e23, "1e23"}, // has no double: the nearest reads so
        {4.35, "4.35"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {2.225073858507201e-308, "2.225073858507201e-308"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
        {9.5367431640625e-7, "9.5367431640625e-7"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_printed(rows[i].text, bits_of(rows[i].value), 8);
    }
}

static void floats_of_four_bytes_are_shorter(void)
{
    check_printed("0.1", bits_of_float(0.1f), 4);
    check_printed("16777216.0", bits_of_float(16777216.0f), 4);
    check_printed("33554432.0", bits_of_float(33554432.0f), 4);
    check_printed("3.4028235e38", 0x7f7fffff, 4);
    check_printed("1.1754944e-38", 0x00800000, 4);
    check_printed("1e-45", 1, 4);
    check_printed("-0.0", 0x80000000, 4);
    check_printed("0.33333334", bits_of_float(1.0f / 3), 4);
    check_printed("8589935000.0", bits_of_float(8589934592.0f), 4);
}

static void what_is_no_number_has_a_name(void)
{
    check_printed("NaN", UINT64_C(0x7ff8000000000000), 8);
    check_printed("Infinity", UINT64_C(0x7ff0000000000000), 8);
    check_printed("-Infinity", UINT64_C(0xfff0000000000000), 8);
    check_printed("NaN(0xfff8000000000000)", UINT64_C(0xfff8000000000000), 8);
    check_printed("NaN(0x7ff0000000000001)", UINT64_C(0x7ff0000000000001), 8);
    check_printed("NaN", 0x7fc00000, 4);
    check_printed("Infinity", 0x7f800000, 4);
    check_printed("-Infinity", 0xff800000, 4);
    check_printed("NaN(0x7f800001)", 0x7f800001, 4);
    check_printed("NaN(0xffffffff)", 0xffffffff, 4);
    static const char *const wrong[] = {"",
                                        "nan",
                                        "NaN ",
                                        "NaN()",
                                        "NaN(0x7f800000)", // infinity
                                        "NaN(0x00000001)", // a number
                                        "NaN(0x7fc00001",
                                        "NaN(0x7fc00001]",
                                        "NaN(0x7fC00001)", // as it is not written
                                        "NaN(0x7fc0001)",
                                        "NaN(0x7ff8000000000001)",
                                        "+Infinity",
                                        "Infinity0",
                                        "inf"};
    uint64_t bits;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(!micai_json_scan_special(wrong[i], 4, &bits));
    }
}

static void any_number_is_read_as_the_nearest_float(void)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"1", 1},
        {"-0", -0.0},
        {"0e99999999999", 0},
        {"1E2", 100},
        {"1e+2", 100},
        {"100e-2", 1},
        {"0.000000000000000000000000000001e30", 1},
        {"9007199254740993", 9007199254740992.0}, // half way: to the even one
        {"9007199254740993.0000000000000000000001", 9007199254740994.0}, // a little more
        {"9007199254740995", 9007199254740996.0},
        {"2.4703282292062327e-324", 0},      // below half of the smallest
        {"2.4703282292062328e-324", 5e-324}, // above it
        {"1e-400", 0},
        {"-1e-99999", -0.0},
        {"1.7976931348623158079e308", 1.7976931348623157e308},
        {"2.2250738585072011e-308", 2.225073858507201e-308}, // at which others have hung
        {"0.1000000000000000055511151231257827021181583404541015625", 0.1},
    };
    uint64_t bits;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK(micai_json_scan_real(rows[i].text, 8, &bits));
        CHECK_EQUAL(bits_of(rows[i].value), bits);
    }
    // Not by way of a double, which would be rounded twice.
    CHECK(micai_json_scan_real("1.00000017881393432617187499", 4, &bits));
    CHECK_EQUAL(0x3f800001, bits);
    CHECK(micai_json_scan_real("1.00000017881393432617187501", 4, &bits));
    CHECK_EQUAL(0x3f800002, bits);
}

static void what_is_beyond_all_floats_is_refused(void)
{
    uint64_t bits;
    CHECK(!micai_json_scan_real("1e309", 8, &bits));
    CHECK(!micai_json_scan_real("-1e999999999999", 8, &bits));
    CHECK(!micai_json_scan_real("1.7976931348623159e308", 8, &bits));
    CHECK(!micai_json_scan_real("1e39", 4, &bits));
    CHECK(!micai_json_scan_real("3.4028236e38", 4, &bits));
    CHECK(micai_json_scan_real("3.4028235e38", 4, &bits));
}

// A generator of its own, so that no suite changes because of another.
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void any_bits_come_back(void)
{
    uint64_t state = 88172645463325252;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&state);
        char text[MICAI_JSON_REAL_SIZE];
        bool number;
        uint64_t back = ~bits;
        uint32_t size = i % 2 ? 8 : 4;
        bits = size == 4 ? (uint32_t)bits : bits;
        uint32_t length = micai_json_print_real(bits, size, text, &number);
        CHECK_EQUAL(strlen(text), length);
        CHECK(scan(text, number, size, &back));
        REQUIRE_EQUAL(bits, back);
    }
}

static void the_locale_makes_no_difference(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "German"};
    const char *set = NULL;
    for (size_t i = 0; !set && i < sizeof names / sizeof names[0]; i++) {
        set = setlocale(LC_ALL, names[i]);
    }
    check_printed("123.456", bits_of(123.456), 8);
    setlocale(LC_ALL, "C");
    if (!set) {
        SKIP("there is no locale with another decimal point");
    }
}

TESTS(json_number, floats_are_as_short_as_they_can_be, floats_of_four_bytes_are_shorter,
      what_is_no_number_has_a_name, any_number_is_read_as_the_nearest_float,
      what_is_beyond_all_floats_is_refused, any_bits_come_back, the_locale_makes_no_difference)
