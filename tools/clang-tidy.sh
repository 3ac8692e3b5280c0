#!/bin/sh
# clang-tidy over src/ and the tool, with the checks chosen in .clang-tidy.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
tidy=
for candidate in clang-tidy-14 clang-tidy; do
    if have "$candidate"; then
        tidy=$candidate
        break
    fi
done
if [ -z "$tidy" ]; then
    echo "skipped: no clang-tidy (apt-get install clang-tidy)"
    exit 77
fi
export limit
# shellcheck disable=SC2016
find src tools/mica -name '*.c' -print0 | xargs -0 -n 1 -P "$jobs" sh -c '
    status=0
    out=$($limit "$0" --quiet "$1" -- -std=c11 -DMICA_BUILD -Iinclude -Isrc 2>/dev/null) || status=$?
    if [ "$status" -ne 0 ] || [ -n "$out" ]; then
        echo "$out"
        echo "$1: exit status $status of $0" # 124: it took too long
        exit 1
    fi' "$tidy"
