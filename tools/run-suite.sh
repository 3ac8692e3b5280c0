#!/bin/sh
# Runs one suite for CTest and leaves its counts for tools/run-tests.sh.
#
# usage: run-suite.sh RESULTS --suite NAME PROGRAM...       must end with "N passed, N failed, ..."
#        run-suite.sh RESULTS --case NAME COMMAND...        one case, unless it ends with that line
#        run-suite.sh RESULTS --expect FILE NAME PROGRAM... one case: prints exactly FILE
#
# RESULTS/NAME.log is what the suite printed, RESULTS/NAME.counts is "passed failed skipped seconds".
# Exit status 77 of a case is a skip. MICA_TEST_WRAPPER, if set, is put before a program: valgrind,
# an emulator.
set -u

results=$1
kind=$2
shift 2
expected=
if [ "$kind" = --expect ]; then
    expected=$1
    shift
fi
name=$1
shift

mkdir -p "$results"
log=$results/$name.log
rm -f "$results/$name.counts"

# Suites that do not use the tests' allocator get memory from the C library. Its blocks are filled with 0xa5 when
# they are new and with 0x5a when they are freed, so that nothing depends on zeroes (glibc; others take no notice).
# What a large block gains by realloc() is not filled. Not where instructions are counted.
case $name in
gate_*) ;;
*) export MALLOC_PERTURB_=90 ;;
esac

now() { date +%s.%N 2>/dev/null || date +%s; }
began=$(now)
status=0
case $kind in
--suite)
    # The wrapper is a command line: it is meant to be split into words.
    # shellcheck disable=SC2086
    ${MICA_TEST_WRAPPER:-} "$@" >"$log" 2>&1 </dev/null || status=$?
    ;;
--case)
    "$@" >"$log" 2>&1 </dev/null || status=$?
    ;;
--expect)
    # shellcheck disable=SC2086
    ${MICA_TEST_WRAPPER:-} "$@" >"$results/$name.out" 2>"$log" </dev/null || status=$?
    if ! diff -u "$expected" "$results/$name.out" >>"$log" 2>&1; then
        echo "the output is not that of $expected" >>"$log"
        [ "$status" -ne 0 ] || status=1
    fi
    ;;
esac
ended=$(now)
case ${MICA_TEST_WRAPPER:-} in
*wine*) sed -i 's/\r$//' "$log" ;; # lines end so there
esac

closing=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1)
if [ -n "$closing" ]; then
    # shellcheck disable=SC2046
    set -- $(echo "$closing" | tr -cd '0-9 ')
    passed=$1 failed=$2 skipped=${3:-0}
    if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
        echo "exit status $status although no case failed" >>"$log"
        failed=1
    elif [ $((passed + failed + skipped)) -eq 0 ]; then
        echo "no case was run" >>"$log"
        failed=1
    fi
elif [ "$kind" = --suite ]; then
    echo "died without its closing line, exit status $status" >>"$log"
    passed=0 failed=1 skipped=0
elif [ "$status" -eq 77 ]; then
    passed=0 failed=0 skipped=1
elif [ "$status" -eq 0 ]; then
    passed=1 failed=0 skipped=0
else
    echo "exit status $status" >>"$log"
    passed=0 failed=1 skipped=0
fi

echo "$passed $failed $skipped $(echo "$began $ended" | awk '{ printf "%.1f", $2 - $1 }')" \
    >"$results/$name.counts"
cat "$log"
[ "$failed" -eq 0 ] || exit 1
[ "$passed" -gt 0 ] || exit 77
