#!/bin/sh
# clang --analyze over src/ and the tool.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
if ! have clang; then
    echo "skipped: no clang (apt-get install clang)"
    exit 77
fi
export limit
# A warning does not make clang fail: what it says does.
# shellcheck disable=SC2016
find src tools/mica -name '*.c' -print0 | xargs -0 -n 1 -P "$jobs" sh -c '
    status=0
    out=$($limit clang --analyze --analyzer-output text -std=c11 -DMICA_BUILD -Iinclude -Isrc \
        -o /dev/null "$0" 2>&1) || status=$?
    if [ "$status" -ne 0 ] || [ -n "$out" ]; then
        echo "$out"
        echo "$0: exit status $status of clang" # 124: it took too long
        exit 1
    fi'
