#!/bin/sh
# Checks that what should grow with n as n does, or as n log n, does so, by counting instructions: each
# case of growth.c is done for a few and for eight times as many, and may cost twelve times as much
# (or, where each of n things is n large, ninety-six times). Some have a limit for each of many, too.
#
# usage: growth.sh GROWTH_PROGRAM
#
# Eight times n log n is ten to eleven times at these sizes; n squared is sixty-four times.
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v valgrind >/dev/null 2>&1; then
    echo "SKIPPED gate/growth: there is no valgrind"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
fi
if ! valgrind --tool=callgrind --callgrind-out-file="$work/out" "$program" \
    >"$work/cases" 2>"$work/said"; then
    if grep -q 'debuginfo reader' "$work/said"; then
        echo "SKIPPED gate/growth: valgrind cannot read what this compiler writes"
        echo "0 passed, 0 failed, 1 skipped"
        exit 77
    fi
    cat "$work/said" >&2
    echo "FAILED gate/growth: the program failed"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi

# What the measured functions cost, with all they called: the line after the one that says how often
# they were called. Names are written once, and then by number.
awk '/^c?fn=/ {
        number = $0; sub(/^c?fn=/, "", number); sub(/\).*/, ")", number)
        if (match($0, /\) /)) name[number] = substr($0, RSTART + 2)
        called = name[number]
    }
    /^calls=/ {
        getline
        if (called ~ /^(few|many)_/) cost[called] += $2
    }
    END { for (one in cost) print one, cost[one] }' "$work/out" >"$work/costs"

awk 'FNR == NR { cost[$1] = $2; next }
    {
        few = cost["few_" $1]; many = cost["many_" $1]
        allowed = 12 * ($4 == 2 ? 8 : 1)
        if (!few || !many) { print "FAILED gate/growth: " $1 ": nothing was counted"; failed++; next }
        printf "%-20s %6d: %10d  %6d: %11d  %6.1f times\n", $1, $2, few, $3, many, many / few
        if (many > few * allowed) {
            print "FAILED gate/growth: " $1 ": more than " allowed " times"
            failed++
        } else if ($5 > 0 && many > $3 * $5) {
            print "FAILED gate/growth: " $1 ": more than " $5 " instructions each"
            failed++
        } else {
            passed++
        }
    }
    END { printf "%d passed, %d failed, 0 skipped\n", passed, failed; exit failed > 0 || !passed }
' "$work/costs" "$work/cases"
