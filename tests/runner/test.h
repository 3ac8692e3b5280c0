// The test runner. A test is a function without arguments whose name is a sentence:
//
//   #include "runner/test.h"
//
//   static void a_freed_slot_is_used_again(void)
//   {
//       CHECK_EQUAL(1, slot);
//   }
//
//   TESTS(slot, a_freed_slot_is_used_again)        // last in the file, up to 64 tests
//
// and the program says which suites it is made of:
//
//   SUITES(slot, name)                             // in main.c, up to 40 suites
//
// Where tests begin and end alike, with T_begin(&v) and T_end(&v), they are written
//
//   TEST_WITH(T, v, a_freed_slot_is_used_again)    // in the body, `T *v`
//   {
//       CHECK_EQUAL(1, v->slot);
//   }
//
// A test that is not listed is an unused static function, which does not compile under -Werror.
//
// A failed check prints file, line, expression and both values, and the test goes on; the REQUIRE
// variants leave the test, by longjmp(), leaking what it holds. A test that ran no check fails.
// Plain C11: runs under emulators, on one thread.
#ifndef TEST_RUNNER_TEST_H
#define TEST_RUNNER_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct test_case {
    const char *name;
    void (*run)(void); // NULL ends the list
} test_case;

typedef struct test_suite {
    const char *name;
    const test_case *cases;
} test_suite;

// Ends the list of suites.
extern const test_suite test_suite_0;

int test_main(const test_suite *const *suites, int argument_count, char **arguments);

// An integer of any type, so that -1 and UINT64_MAX are two.
typedef struct test_integer {
    uint64_t bits;
    bool is_negative;
} test_integer;

test_integer test_signed(int64_t value);
test_integer test_unsigned(uint64_t value);

// Behind the macros: each counts a check and returns whether it held. `text` is the check as written.
bool test_check(bool holds, const char *file, int line, const char *text);
bool test_check_equal(test_integer expected, test_integer actual, const char *file, int line,
                      const char *text);
bool test_check_text(const char *expected, const char *actual, const char *file, int line,
                     const char *text);
bool test_check_bytes(const void *expected, const void *actual, size_t size, const char *file,
                      int line, const char *text);
bool test_check_pointer(const void *expected, const void *actual, const char *file, int line,
                        const char *text);

// For helpers: a failure in words. What a helper finds right is not counted as a check, so that a
// test which only sets up and tears down has checked nothing.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void test_fail(const char *file, int line, const char *format, ...);

_Noreturn void test_leave(void);
_Noreturn void test_skip(const char *reason);

// For random tests: calls `run` with the seeds from 1 to `small` in a small tier (tier.h), else to `whole`. MICA_TEST_SEED=N
// runs that seed only, MICA_TEST_SEEDS=N so many. Ends after a seed that fails, which is printed with the failure.
void test_run_seeds(uint64_t small, uint64_t whole, void (*run)(uint64_t seed));

// clang-format off
#define TEST_INTEGER(x)                                                                            \
    _Generic((x), char: test_signed, signed char: test_signed, short: test_signed,                 \
             int: test_signed, long: test_signed, long long: test_signed,                          \
             default: test_unsigned)(x)
// clang-format on

#define TEST_OR_LEAVE(check) ((check) ? (void)0 : test_leave())

#define CHECK(condition) ((void)test_check(condition, __FILE__, __LINE__, "CHECK(" #condition ")"))
#define REQUIRE(condition)                                                                         \
    TEST_OR_LEAVE(test_check(condition, __FILE__, __LINE__, "REQUIRE(" #condition ")"))

// Integers, of any two types.
#define CHECK_EQUAL(expected, actual)                                                              \
    ((void)test_check_equal(TEST_INTEGER(expected), TEST_INTEGER(actual), __FILE__, __LINE__,      \
                            "CHECK_EQUAL(" #expected ", " #actual ")"))
#define REQUIRE_EQUAL(expected, actual)                                                            \
    TEST_OR_LEAVE(test_check_equal(TEST_INTEGER(expected), TEST_INTEGER(actual), __FILE__,         \
                                   __LINE__, "REQUIRE_EQUAL(" #expected ", " #actual ")"))

// Strings. NULL equals only NULL.
#define CHECK_TEXT(expected, actual)                                                               \
    ((void)test_check_text(expected, actual, __FILE__, __LINE__,                                   \
                           "CHECK_TEXT(" #expected ", " #actual ")"))
#define REQUIRE_TEXT(expected, actual)                                                             \
    TEST_OR_LEAVE(test_check_text(expected, actual, __FILE__, __LINE__,                            \
                                  "REQUIRE_TEXT(" #expected ", " #actual ")"))

#define CHECK_BYTES(expected, actual, size)                                                        \
    ((void)test_check_bytes(expected, actual, size, __FILE__, __LINE__,                            \
                            "CHECK_BYTES(" #expected ", " #actual ", " #size ")"))
#define REQUIRE_BYTES(expected, actual, size)                                                      \
    TEST_OR_LEAVE(test_check_bytes(expected, actual, size, __FILE__, __LINE__,                     \
                                   "REQUIRE_BYTES(" #expected ", " #actual ", " #size ")"))

#define CHECK_POINTER(expected, actual)                                                            \
    ((void)test_check_pointer(expected, actual, __FILE__, __LINE__,                                \
                              "CHECK_POINTER(" #expected ", " #actual ")"))
#define REQUIRE_POINTER(expected, actual)                                                          \
    TEST_OR_LEAVE(test_check_pointer(expected, actual, __FILE__, __LINE__,                         \
                                     "REQUIRE_POINTER(" #expected ", " #actual ")"))

#define TEST_WITH(T, v, name)                                                                      \
    static void name##_with(T *v);                                                                 \
    static void name(void)                                                                         \
    {                                                                                              \
        T v;                                                                                       \
        T##_begin(&v);                                                                             \
        name##_with(&v);                                                                           \
        T##_end(&v);                                                                               \
    }                                                                                              \
    static void name##_with(T *v)

// Leaves the test; it is counted as skipped and the reason is printed.
#define SKIP(reason) test_skip(reason)

// How the lists are taken apart: filled up with 0 to a fixed length, so that nothing has to be
// counted. The 65th test would be an unused function; a 41st suite meets TEST_SUITES_FULL_<suite>,
// which is no macro.
// clang-format off
#define TESTS(suite, ...)                                                                          \
    TEST_CASES_(suite, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                \
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                                    \
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                                    \
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, )
#define TEST_CASES_(suite, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, aa, ab, ac, ad, ae, af,         \
                    b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, ba, bb, bc, bd, be, bf,                \
                    c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, ca, cb, cc, cd, ce, cf,                \
                    d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, da, db, dc, dd, de, df, ...)           \
    static const test_case test_cases_##suite[] = {                                                \
        {#a0, a0}, {#a1, a1}, {#a2, a2}, {#a3, a3}, {#a4, a4}, {#a5, a5}, {#a6, a6}, {#a7, a7},    \
        {#a8, a8}, {#a9, a9}, {#aa, aa}, {#ab, ab}, {#ac, ac}, {#ad, ad}, {#ae, ae}, {#af, af},    \
        {#b0, b0}, {#b1, b1}, {#b2, b2}, {#b3, b3}, {#b4, b4}, {#b5, b5}, {#b6, b6}, {#b7, b7},    \
        {#b8, b8}, {#b9, b9}, {#ba, ba}, {#bb, bb}, {#bc, bc}, {#bd, bd}, {#be, be}, {#bf, bf},    \
        {#c0, c0}, {#c1, c1}, {#c2, c2}, {#c3, c3}, {#c4, c4}, {#c5, c5}, {#c6, c6}, {#c7, c7},    \
        {#c8, c8}, {#c9, c9}, {#ca, ca}, {#cb, cb}, {#cc, cc}, {#cd, cd}, {#ce, ce}, {#cf, cf},    \
        {#d0, d0}, {#d1, d1}, {#d2, d2}, {#d3, d3}, {#d4, d4}, {#d5, d5}, {#d6, d6}, {#d7, d7},    \
        {#d8, d8}, {#d9, d9}, {#da, da}, {#db, db}, {#dc, dc}, {#dd, dd}, {#de, de}, {#df, df},    \
        {NULL, NULL}};                                                                             \
    extern const test_suite test_suite_##suite;                                                    \
    const test_suite test_suite_##suite = {#suite, test_cases_##suite};

#define SUITES(...)                                                                                \
    TEST_SUITES_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                      \
                 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                               \
                 0, 0, 0, 0, 0, 0, 0, 0, 0, )
#define TEST_SUITES_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, aa, ab, ac, ad, ae, af,               \
                     b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, ba, bb, bc, bd, be, bf,               \
                     c0, c1, c2, c3, c4, c5, c6, c7, full, ...)                                    \
    TEST_SUITES_FULL_##full                                                                        \
    extern const test_suite                                                                        \
        test_suite_##a0, test_suite_##a1, test_suite_##a2, test_suite_##a3, test_suite_##a4,       \
        test_suite_##a5, test_suite_##a6, test_suite_##a7, test_suite_##a8, test_suite_##a9,       \
        test_suite_##aa, test_suite_##ab, test_suite_##ac, test_suite_##ad, test_suite_##ae,       \
        test_suite_##af, test_suite_##b0, test_suite_##b1, test_suite_##b2, test_suite_##b3,       \
        test_suite_##b4, test_suite_##b5, test_suite_##b6, test_suite_##b7, test_suite_##b8,       \
        test_suite_##b9, test_suite_##ba, test_suite_##bb, test_suite_##bc, test_suite_##bd,       \
        test_suite_##be, test_suite_##bf, test_suite_##c0, test_suite_##c1, test_suite_##c2,       \
        test_suite_##c3, test_suite_##c4, test_suite_##c5, test_suite_##c6, test_suite_##c7;       \
    int main(int argument_count, char **arguments)                                                 \
    {                                                                                              \
        static const test_suite *const suites[] = {                                                \
            &test_suite_##a0, &test_suite_##a1, &test_suite_##a2, &test_suite_##a3,                \
            &test_suite_##a4, &test_suite_##a5, &test_suite_##a6, &test_suite_##a7,                \
            &test_suite_##a8, &test_suite_##a9, &test_suite_##aa, &test_suite_##ab,                \
            &test_suite_##ac, &test_suite_##ad, &test_suite_##ae, &test_suite_##af,                \
            &test_suite_##b0, &test_suite_##b1, &test_suite_##b2, &test_suite_##b3,                \
            &test_suite_##b4, &test_suite_##b5, &test_suite_##b6, &test_suite_##b7,                \
            &test_suite_##b8, &test_suite_##b9, &test_suite_##ba, &test_suite_##bb,                \
            &test_suite_##bc, &test_suite_##bd, &test_suite_##be, &test_suite_##bf,                \
            &test_suite_##c0, &test_suite_##c1, &test_suite_##c2, &test_suite_##c3,                \
            &test_suite_##c4, &test_suite_##c5, &test_suite_##c6, &test_suite_##c7,                \
            &test_suite_0};                                                                        \
        return test_main(suites, argument_count, arguments);                                       \
    }
#define TEST_SUITES_FULL_0
// clang-format on

#endif
