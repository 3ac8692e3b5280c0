#!/bin/sh
# Proves the test runner: runs a program whose checks fail on purpose and compares what it prints.
#
#   selftest.sh COMMAND...    how to run the program made of selftest.c ("qemu-s390x ./selftest")
#
# CC: the compiler that must refuse a test nobody listed; cc by default.
set -u
unset MICA_TEST_SEED MICA_TEST_SEEDS

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
skipped=0

# check WHAT COMMAND...: one case, which passes if the command does.
check()
{
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        echo "FAILED self/$what"
        failed=$((failed + 1))
    fi
}

# Line numbers, folders and addresses are different everywhere.
plain()
{
    tr -d '\r' | sed -E \
        -e 's|^  [^ ]*[/\\]?(selftest\.c\|memory\.c):[0-9]+: |  \1: |' \
        -e 's/^    (expected|actual  ) (0x[0-9a-f]+|[0-9A-Fa-f]{8,16})$/    \1 POINTER/' \
        -e 's/(0x[0-9a-f]+|[0-9A-Fa-f]{8,16}) is no block/POINTER is no block/'
}

command=$*

# prints STATUS OPTIONS...: does the program return that and print what $work/expected holds?
prints()
{
    wanted=$1
    shift
    $command "$@" >"$work/raw" 2>"$work/errors"
    status=$?
    plain <"$work/raw" >"$work/actual"
    [ "$status" -eq "$wanted" ] || echo "status $status instead of $wanted"
    diff -u "$work/expected" "$work/actual" && [ "$status" -eq "$wanted" ]
}

cat >"$work/expected" <<'END'
FAILED self/a failed check goes on
  selftest.c: CHECK(1 + 1 == 3)
  selftest.c: CHECK(2 + 2 == 5)
FAILED self/a random test ends with the seed that fails
  seed 3
  selftest.c: CHECK(seed < 3)
FAILED self/integers show both values
  selftest.c: CHECK_EQUAL(5, 1 + 3)
    expected 5 (0x5)
    actual   4 (0x4)
  selftest.c: CHECK_EQUAL(-1, UINT64_MAX)
    expected -1 (0xffffffffffffffff)
    actual   18446744073709551615 (0xffffffffffffffff)
  selftest.c: CHECK_EQUAL(INT64_MIN, 255u)
    expected -9223372036854775808 (0x8000000000000000)
    actual   255 (0xff)
  selftest.c: CHECK_EQUAL(true, false)
    expected 1 (0x1)
    actual   0 (0x0)
FAILED self/texts show both values
  selftest.c: CHECK_TEXT("Position", "Velocity")
    expected "Position"
    actual   "Velocity"
  selftest.c: CHECK_TEXT(NULL, "")
    expected NULL
    actual   ""
FAILED self/bytes show where they differ
  selftest.c: CHECK_BYTES("\1\2\3\4", "\1\2\377\4", 4)
    at byte  2 of 4
    expected 03 04
    actual   ff 04
FAILED self/pointers show both values
  selftest.c: CHECK_POINTER(&places[0], &places[1])
    expected POINTER
    actual   POINTER
FAILED self/a failed requirement leaves the test
  selftest.c: REQUIRE_EQUAL(1, 2)
    expected 1 (0x1)
    actual   2 (0x2)
FAILED self/a failed requirement in a helper leaves the test
  selftest.c: REQUIRE(false)
FAILED self/nothing is checked
  checked nothing
FAILED self/nothing but setting up and tearing down
  checked nothing
SKIPPED self/a skipped test is reported: there is no moon tonight
FAILED self/a failure before a skip counts
  selftest.c: CHECK(false)
SKIPPED self/a failure before a skip counts: too late
FAILED self/a leak is noticed
  selftest.c: 10 bytes in 1 blocks were not given back
FAILED self/wrong calls of the allocator are noticed
  memory.c: M1: a block of 10 bytes aligned to 8 comes as 11 bytes aligned to 8
  memory.c: M1: a block of 10 bytes aligned to 8 comes as 10 bytes aligned to 16
  memory.c: POINTER is no block of this memory
  memory.c: no block, but sizes 10 and 0
  memory.c: alignment 24 is no power of two
  memory.c: POINTER is no block of this memory
FAILED self/writing behind an aligned block is noticed
  memory.c: byte 2 behind a block of 100 bytes was written
FAILED self/errors are compared by code and sentence
  selftest.c: CHECK_ERROR(&t, MICA_ERROR_TYPE, "the name is short")
    expected "MICA_ERROR_TYPE"
    actual   "MICA_ERROR_NAME"
  selftest.c: CHECK_ERROR(&t, MICA_ERROR_TYPE, "the name is short")
    expected "the name is short"
    actual   "the name is too long"
  selftest.c: CHECK_ERROR(&t, MICA_ERROR_NAME, "the name is too long")
  selftest.c: 0 errors were reported
  selftest.c: 2 errors were not looked at, the last MICA_ERROR_LIMIT: no room
FAILED self/what the host counts must be what is out
  selftest.c: M2: the host counts 1 bytes in 0 blocks, the allocator 0 in 0
2 passed, 16 failed, 1 skipped
END
check "failures are reported" prints 1

echo '1 passed, 0 failed, 0 skipped' >"$work/expected"
check "a filter chooses" prints 0 --filter everything_holds

printf 'self/everything holds\n1 passed, 0 failed, 0 skipped\n' >"$work/expected"
check "a verbose run names its tests" prints 0 --verbose --filter 'self/everything holds'

printf 'self/a failure before a skip counts\nself/a skipped test is reported\n' |
    sort -r >"$work/expected"
check "a list runs nothing" prints 0 --list --filter skip

printf 'self/a failure before a skip counts\n' >"$work/expected"
check "what is skipped is not there" prints 0 --list --filter skip --skip skipped_test --skip everything

printf 'FAILED self/a failed check goes on\n  selftest.c: ...\n0 passed, 1 failed, 0 skipped\n' >"$work/expected"
check "the first check that fails ends a run that stops" prints 1 --stop --filter 'a failed check goes on'

export MICA_TEST_SEED=2
echo '1 passed, 0 failed, 0 skipped' >"$work/expected"
check "one seed can be chosen" prints 0 --filter 'a random test'
unset MICA_TEST_SEED
export MICA_TEST_SEEDS=2
check "the number of seeds can be chosen" prints 0 --filter 'a random test'
unset MICA_TEST_SEEDS

printf 'no test matches "unheard of"\n0 passed, 0 failed, 0 skipped\n' >"$work/expected"
check "a filter that finds nothing fails" prints 1 --filter 'unheard of'

: >"$work/expected"
check "an unknown option is refused" prints 2 --unknown
check "a filter without text is refused" prints 2 --filter
check "a skip without text is refused" prints 2 --skip
check "too many skips are refused" prints 2 --skip 1 --skip 2 --skip 3 --skip 4 --skip 5 --skip 6 --skip 7 --skip 8

# compiles TEXT: does a file of tests with this text in it? The compiler speaks into $work/errors.
compiles()
{
    {
        echo '#include "runner/test.h"'
        echo 'static void a_listed_test(void) { CHECK(true); }'
        echo "$1"
        echo 'TESTS(some, a_listed_test)'
    } >"$work/some.c"
    ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$here/.." -c "$work/some.c" \
        -o "$work/some.o" 2>"$work/errors"
}

forgotten_test_is_named()
{
    ! compiles 'static void a_forgotten_test(void) { CHECK(true); }' &&
        grep -q 'a_forgotten_test' "$work/errors"
}

if command -v "${CC:-cc}" >/dev/null 2>&1; then
    check "a listed test compiles" compiles ''
    check "a forgotten test does not compile" forgotten_test_is_named
else
    echo "SKIPPED self/a forgotten test does not compile: there is no ${CC:-cc}"
    skipped=1
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
