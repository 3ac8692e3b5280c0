#!/bin/sh
# The hello-world, linked against the static library with unused sections dropped and stripped, is
# not larger than 150 KiB.
#
# usage: size.sh LIBRARY
set -eu

library=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
limit=$((150 * 1024))

if nm "$library" 2>/dev/null | grep -q '__asan_\|__tsan_\|__gcov_'; then
    echo "skipped: an instrumented library weighs more"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
${CC:-cc} -std=c11 -O2 -I"$root/include" "$root/examples/hello.c" "$library" -lm \
    -Wl,--gc-sections -s -o "$work/hello"
size=$(wc -c <"$work/hello")
echo "hello: $size bytes, limit $limit"
if [ "$size" -le "$limit" ]; then
    echo "1 passed, 0 failed, 0 skipped"
else
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
