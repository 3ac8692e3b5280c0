#!/bin/sh
# clang-tidy over src/, with the checks chosen in .clang-tidy.
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
# shellcheck disable=SC2016
find src -name '*.c' -print0 | xargs -0 -n 1 -P "$jobs" sh -c '
    out=$("$0" --quiet "$1" -- -std=c11 -DMICA_BUILD -Iinclude -Isrc 2>/dev/null) && [ -z "$out" ] ||
        { echo "$out"; exit 1; }' "$tidy"
