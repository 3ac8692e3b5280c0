#!/bin/sh
# make test-long: the quick tier, then one job after the other, each a script of its own. Every job
# ends with the line "N passed, N failed[, N skipped]"; the last line here is their sum.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
tools/setup.sh long || close_failed "tools are missing"

passed=0
failed=0
skipped=0
mkdir -p build/jobs

job() {
    log=build/jobs/$(basename "$1" .sh).log
    echo "==== $1"
    { "$@" 2>&1; echo "exit status $?"; } | tee "$log" | sed '/^exit status [0-9]*$/d'
    closing=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1)
    status=$(sed -n '$s/^exit status //p' "$log")
    if [ -z "$closing" ]; then
        closing='0 passed, 1 failed'
        echo "$1 died without its closing line"
    fi
    # shellcheck disable=SC2046
    set -- "$1" $(echo "$closing" | tr -cd '0-9 ')
    if [ "$status" != 0 ] && [ "$3" -eq 0 ]; then
        echo "$1: exit status $status although no case failed"
        set -- "$1" "$2" 1 "${4:-0}"
    fi
    passed=$((passed + $2))
    failed=$((failed + $3))
    skipped=$((skipped + ${4:-0}))
}

job tools/test.sh
job tools/check.sh
job tools/long/clang.sh
job tools/long/debug.sh
job tools/long/asan.sh
job tools/long/restless.sh
job tools/long/tsan.sh
job tools/long/valgrind.sh
job tools/long/m32.sh
job tools/long/s390x.sh
job tools/long/fuzz.sh
job tools/long/wasm.sh
job tools/long/sites.sh
job tools/long/coverage.sh

echo "==== all jobs"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
