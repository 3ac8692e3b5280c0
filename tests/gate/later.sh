#!/bin/sh
# Checks that a change that is recorded and carried out later costs at most twice what it costs at once, by
# counting instructions: a component that is set and removed again.
#
# usage: later.sh LATER_PROGRAM
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v valgrind >/dev/null 2>&1; then
    echo "SKIPPED gate/later: there is no valgrind"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
fi
if ! valgrind -q --tool=none "$program" now 1 >"$work/said" 2>&1 &&
    grep -q 'debuginfo reader' "$work/said"; then
    echo "SKIPPED gate/later: valgrind cannot read what this compiler writes"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
fi

# count now|later: instructions per entity.
count() {
    if ! valgrind --tool=callgrind --callgrind-out-file="$work/out" \
        --toggle-collect=change_measured "$program" "$1" 1000 >"$work/said" 2>&1; then
        cat "$work/said" >&2
        return 1
    fi
    sed -n 's/^totals: *\([0-9]*\).*/\1/p' "$work/out" | awk '{ printf "%d", $1 / 1000 }'
}

now=$(count now) && later=$(count later)
if [ -z "${now:-}" ] || [ -z "${later:-}" ] || [ "$now" -eq 0 ]; then
    echo "FAILED gate/later: nothing was counted"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
echo "a component set and removed: $now instructions at once, $later later"
if [ $((later)) -gt $((now * 2)) ]; then
    echo "FAILED gate/later: it costs more than twice as much"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
echo "1 passed, 0 failed, 0 skipped"
