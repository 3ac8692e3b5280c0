#!/bin/sh
# Checks that an entity's end costs what the entity has, and not what is registered, by counting
# instructions: with 64 sparse types what it costs with 4, within a hundredth; with 256 up to 120 more, as it has
# one after the first 64 then; and with 1,024 up to 14 more for each of twelve words of presence. (Which types an
# entity has is a word for every 64 of them that somebody near it has. Here one has them all.)
#
# usage: ends.sh ENDS_PROGRAM
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v valgrind >/dev/null 2>&1; then
    echo "SKIPPED gate/ends: there is no valgrind"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
fi
if ! valgrind -q --tool=none "$program" 4 1 >"$work/said" 2>&1 &&
    grep -q 'debuginfo reader' "$work/said"; then
    echo "SKIPPED gate/ends: valgrind cannot read what this compiler writes"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
fi

# count TYPES: instructions per entity that ends.
count() {
    if ! valgrind --tool=callgrind --callgrind-out-file="$work/out" \
        --toggle-collect=end_measured "$program" "$1" 500 >"$work/said" 2>&1; then
        cat "$work/said" >&2
        return 1
    fi
    sed -n 's/^totals: *\([0-9]*\).*/\1/p' "$work/out" | awk '{ printf "%d", $1 / 500 }'
}

few=$(count 4) && some=$(count 64) && many=$(count 256) && most=$(count 1024)
if [ -z "${few:-}" ] || [ -z "${some:-}" ] || [ -z "${most:-}" ] || [ "$few" -eq 0 ]; then
    echo "FAILED gate/ends: nothing was counted"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
echo "an end with 4 sparse types: $few instructions, with 64: $some, with 256: $many, with 1,024: $most"
if [ $((some * 100)) -gt $((few * 101)) ] || [ $((many - few)) -gt 120 ] ||
    [ $((most - many)) -gt 168 ]; then
    echo "FAILED gate/ends: it costs what is registered"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
echo "1 passed, 0 failed, 0 skipped"
