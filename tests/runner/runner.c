// The test runner: runs the listed tests one after the other and prints what fails.
//
//   --list         prints the tests as "suite/name of the test" and runs none
//   --filter TEXT  runs those whose "suite/name" contains TEXT ('_' and ' ' are the same)
//   --skip TEXT    does not run those; may be given several times
//   --stop         ends with the first check that fails, after saying where
//   --verbose      prints every test before it runs
//
// The last line is always "N passed, N failed, N skipped". Returns 0 if nothing failed, 1 if
// something did or the filter found nothing, 2 for options it does not know.
#include "runner/test.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/tier.h"

const test_suite test_suite_0 = {NULL, NULL};

enum { LABEL_SIZE = 256, BYTES_SHOWN = 16, SKIPS_MAX = 8 };

// The test that is running. `leave` is where test_leave() goes.
static struct {
    char label[LABEL_SIZE]; // "suite/name of the test"
    unsigned long checks;
    unsigned long failures;
    bool skipped;
    uint64_t seed; // 0: the test is not random
    jmp_buf leave;
} running;

static struct {
    unsigned long passed;
    unsigned long failed;
    unsigned long skipped;
} totals;

static bool stops; // with the first failure

test_integer test_signed(int64_t value)
{
    return (test_integer){(uint64_t)value, value < 0};
}

test_integer test_unsigned(uint64_t value)
{
    return (test_integer){value, false};
}

static void print_totals(unsigned long failed)
{
    printf("%lu passed, %lu failed, %lu skipped\n", totals.passed, failed, totals.skipped);
}

static void begin_failure(const char *file, int line)
{
    if (running.failures == 0) {
        printf("FAILED %s\n", running.label);
        if (running.seed > 0) {
            printf("  seed %" PRIu64 "\n", running.seed);
        }
    }
    running.failures++;
    printf("  %s:%d: ", file, line);
    if (stops) {
        printf("...\n");
        print_totals(1);
        fflush(stdout);
        _Exit(1); // what is broken is not tidied up
    }
}

static void print_integer(const char *what, test_integer integer)
{
    if (integer.is_negative) {
        // Not through int64_t: the lowest has no positive.
        printf("    %s -%" PRIu64, what, 0 - integer.bits);
    } else {
        printf("    %s %" PRIu64, what, integer.bits);
    }
    printf(" (0x%" PRIx64 ")\n", integer.bits);
}

static void print_text(const char *what, const char *text)
{
    if (text == NULL) {
        printf("    %s NULL\n", what);
    } else {
        printf("    %s \"%s\"\n", what, text);
    }
}

static void print_bytes(const char *what, const unsigned char *bytes, size_t from, size_t size)
{
    printf("    %s", what);
    for (size_t i = from; i < size && i < from + BYTES_SHOWN; i++) {
        printf(" %02x", (unsigned)bytes[i]);
    }
    printf("\n");
}

bool test_check(bool holds, const char *file, int line, const char *text)
{
    running.checks++;
    if (!holds) {
        begin_failure(file, line);
        printf("%s\n", text);
    }
    return holds;
}

bool test_check_equal(test_integer expected, test_integer actual, const char *file, int line,
                      const char *text)
{
    bool holds = expected.bits == actual.bits && expected.is_negative == actual.is_negative;
    if (!test_check(holds, file, line, text)) {
        print_integer("expected", expected);
        print_integer("actual  ", actual);
    }
    return holds;
}

bool test_check_text(const char *expected, const char *actual, const char *file, int line,
                     const char *text)
{
    bool holds =
        expected == NULL || actual == NULL ? expected == actual : strcmp(expected, actual) == 0;
    if (!test_check(holds, file, line, text)) {
        print_text("expected", expected);
        print_text("actual  ", actual);
    }
    return holds;
}

bool test_check_bytes(const void *expected, const void *actual, size_t size, const char *file,
                      int line, const char *text)
{
    const unsigned char *a = expected;
    const unsigned char *b = actual;
    size_t at = 0;
    while (at < size && a[at] == b[at]) {
        at++;
    }
    if (!test_check(at == size, file, line, text)) {
        printf("    at byte  %lu of %lu\n", (unsigned long)at, (unsigned long)size);
        print_bytes("expected", a, at, size);
        print_bytes("actual  ", b, at, size);
    }
    return at == size;
}

bool test_check_pointer(const void *expected, const void *actual, const char *file, int line,
                        const char *text)
{
    if (!test_check(expected == actual, file, line, text)) {
        printf("    expected %p\n    actual   %p\n", expected, actual);
    }
    return expected == actual;
}

void test_fail(const char *file, int line, const char *format, ...)
{
    begin_failure(file, line);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

void test_leave(void)
{
    longjmp(running.leave, 1);
}

void test_skip(const char *reason)
{
    printf("SKIPPED %s: %s\n", running.label, reason);
    running.skipped = true;
    test_leave();
}

static uint64_t read_number(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

void test_run_seeds(uint64_t small, uint64_t whole, void (*run)(uint64_t seed))
{
    uint64_t only = read_number("MICA_TEST_SEED", 0);
    uint64_t count = read_number("MICA_TEST_SEEDS", test_tier_is_small() ? small : whole);
    uint64_t last = only > 0 ? only : count;
    for (uint64_t seed = only > 0 ? only : 1; seed <= last && running.failures == 0; seed++) {
        running.seed = seed;
        run(seed);
    }
    running.seed = 0;
}

// A failure counts even if the test skipped the rest of itself.
static void count_result(void)
{
    if (running.failures == 0 && !running.skipped && running.checks == 0) {
        printf("FAILED %s\n  checked nothing\n", running.label);
        running.failures++;
    }
    if (running.failures != 0) {
        totals.failed++;
    } else if (running.skipped) {
        totals.skipped++;
    } else {
        totals.passed++;
    }
}

static void run_case(const test_case *test, bool verbose)
{
    running.checks = 0;
    running.failures = 0;
    running.skipped = false;
    running.seed = 0;
    if (verbose) {
        printf("%s\n", running.label);
        fflush(stdout);
    }
    if (setjmp(running.leave) == 0) {
        test->run();
    }
    count_result();
    fflush(stdout);
}

static void set_label(const char *suite, const char *name)
{
    snprintf(running.label, sizeof running.label, "%s/%s", suite, name);
    for (char *c = strchr(running.label, '/'); *c != '\0'; c++) {
        if (*c == '_') {
            *c = ' ';
        }
    }
}

static bool is_same_letter(char a, char b)
{
    return a == b || ((a == '_' || a == ' ') && (b == '_' || b == ' '));
}

static bool begins_with(const char *text, const char *part)
{
    while (*part != '\0' && is_same_letter(*text, *part)) {
        text++;
        part++;
    }
    return *part == '\0';
}

static bool contains(const char *text, const char *part)
{
    for (; *text != '\0'; text++) {
        if (begins_with(text, part)) {
            return true;
        }
    }
    return false;
}

typedef struct options {
    const char *filter;
    const char *skips[SKIPS_MAX]; // up to NULL
    bool list;
    bool verbose;
} options;

static bool read_options(options *read, int argument_count, char **arguments)
{
    *read = (options){.filter = ""};
    int skips = 0;
    for (int i = 1; i < argument_count; i++) {
        if (strcmp(arguments[i], "--list") == 0) {
            read->list = true;
        } else if (strcmp(arguments[i], "--verbose") == 0) {
            read->verbose = true;
        } else if (strcmp(arguments[i], "--stop") == 0) {
            stops = true;
        } else if (strcmp(arguments[i], "--skip") == 0 && i + 1 < argument_count &&
                   skips + 1 < SKIPS_MAX) {
            i++;
            read->skips[skips++] = arguments[i];
        } else if (strcmp(arguments[i], "--filter") == 0 && i + 1 < argument_count) {
            i++;
            read->filter = arguments[i];
        } else {
            fprintf(stderr, "options: --list, --filter TEXT, --skip TEXT, --stop, --verbose\n");
            return false;
        }
    }
    return true;
}

static bool is_wanted(const options *read)
{
    for (const char *const *skip = read->skips; *skip != NULL; skip++) {
        if (contains(running.label, *skip)) {
            return false;
        }
    }
    return contains(running.label, read->filter);
}

// Returns how many tests the filter found.
static unsigned long run_suite(const test_suite *suite, const options *read)
{
    unsigned long found = 0;
    for (const test_case *test = suite->cases; test->run != NULL; test++) {
        set_label(suite->name, test->name);
        if (!is_wanted(read)) {
            continue;
        }
        found++;
        if (read->list) {
            printf("%s\n", running.label);
        } else {
            run_case(test, read->verbose);
        }
    }
    return found;
}

int test_main(const test_suite *const *suites, int argument_count, char **arguments)
{
    options read;
    if (!read_options(&read, argument_count, arguments)) {
        return 2;
    }
    unsigned long found = 0;
    for (; (*suites)->name != NULL; suites++) {
        found += run_suite(*suites, &read);
    }
    if (found == 0) {
        printf("no test matches \"%s\"\n", read.filter);
    }
    if (!read.list) {
        print_totals(totals.failed);
    }
    return totals.failed != 0 || found == 0;
}
