#!/bin/sh
# Checks what must not grow with the world, by counting instructions:
#
#   S3.4  making table 10,001 costs what making table 101 costs, within a tenth, with 20 queries to
#         be told of it.
#
# usage: run.sh TABLES_PROGRAM
#
# Counted are 50 tables each, the first from 101 and from 10,001 on that make nothing grow: a single
# one may be lucky or unlucky in the hash map. From 97 to 192 tables that map is 38 to 75 % full, from
# 6,145 to 12,288 as well; at 101 it is 39 % full and at 10,001 it is 61 % full, which is within what
# the tenth allows.
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v valgrind >/dev/null 2>&1; then
    echo "SKIPPED gate/tables: there is no valgrind"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
fi

# count FIRST: instructions per table.
count() {
    if ! valgrind --tool=callgrind --callgrind-out-file="$work/out" \
        --toggle-collect=make_measured "$program" "$1" 50 >"$work/said" 2>&1; then
        cat "$work/said" >&2
        return 1
    fi
    sed -n 's/^totals: *\([0-9]*\).*/\1/p' "$work/out" | awk '{ printf "%d", $1 / 50 }'
}

if ! valgrind -q --tool=none "$program" 1 1 >"$work/said" 2>&1 &&
    grep -q 'debuginfo reader' "$work/said"; then
    echo "SKIPPED gate/tables: valgrind cannot read what this compiler writes"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
fi

early=$(count 101) && late=$(count 10001)
if [ -z "${early:-}" ] || [ -z "${late:-}" ] || [ "$early" -eq 0 ]; then
    echo "FAILED gate/tables: nothing was counted"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
echo "making table 101: $early instructions, table 10,001: $late"
if [ $((late * 100)) -gt $((early * 110)) ] || [ $((late * 100)) -lt $((early * 90)) ]; then
    echo "FAILED gate/tables: they differ by more than a tenth"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
echo "1 passed, 0 failed, 0 skipped"
