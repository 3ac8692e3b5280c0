// A fuzz target: a tape of operations (tests/model/tape.h), nine bytes each, on the library and on the model at
// once. Whatever the operations are, the two must not differ. Run by tools/fuzz.sh, and over its corpus by `make
// test`. Tapes are short, and all there is is looked at now and then: there are suites for long ones (tests/model),
// and this one lives from being quick. What numbers are compared with says nothing about tapes.
//
// flags: -fno-sanitize-coverage=trace-cmp
// with: tests/model/lab.c tests/model/model.c tests/model/ops_*.c tests/model/tape.c tests/unit/tracked.c
// with: tests/runner/capture.c tests/runner/host.c tests/runner/memory.c tests/runner/mirror.c tests/runner/rows.c
// with: tests/runner/world.c
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/tape.h"
#include "runner/test.h"

enum { OPERATION_SIZE = 9, OPERATIONS_MAX = 64, LOOK_EVERY = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// There is no test to fail here: what the helpers of the model find wrong ends the program.

void test_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    abort();
}

bool test_check(bool holds, const char *file, int line, const char *text)
{
    if (!holds) {
        test_fail(file, line, "%s", text);
    }
    return holds;
}

bool test_check_equal(test_integer expected, test_integer actual, const char *file, int line,
                      const char *text)
{
    return test_check(expected.bits == actual.bits && expected.is_negative == actual.is_negative,
                      file, line, text);
}

bool test_check_text(const char *expected, const char *actual, const char *file, int line,
                     const char *text)
{
    return test_check(expected && actual && strcmp(expected, actual) == 0, file, line, text);
}

bool test_check_bytes(const void *expected, const void *actual, size_t size, const char *file,
                      int line, const char *text)
{
    return test_check(memcmp(expected, actual, size) == 0, file, line, text);
}

bool test_check_pointer(const void *expected, const void *actual, const char *file, int line,
                        const char *text)
{
    return test_check(expected == actual, file, line, text);
}

test_integer test_signed(int64_t value)
{
    return (test_integer){(uint64_t)value, value < 0};
}

test_integer test_unsigned(uint64_t value)
{
    return (test_integer){value, false};
}

_Noreturn void test_leave(void)
{
    abort();
}

_Noreturn void test_skip(const char *reason)
{
    fprintf(stderr, "skipped: %s\n", reason);
    abort();
}

static uint16_t number_at(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tape_op tape[OPERATIONS_MAX];
    uint32_t count = 0;
    for (; size >= OPERATION_SIZE && count < OPERATIONS_MAX; size -= OPERATION_SIZE) {
        tape[count++] = (tape_op){(tape_code)(data[0] % TAPE_CODES), number_at(data + 1),
                                  number_at(data + 3), number_at(data + 5), number_at(data + 7)};
        data += OPERATION_SIZE;
    }
    const char *difference = count > 0 ? tape_run_looking(tape, count, LOOK_EVERY) : NULL;
    if (difference) {
        tape_print(tape, count, 0, difference);
        fflush(stdout);
        abort();
    }
    return 0;
}
