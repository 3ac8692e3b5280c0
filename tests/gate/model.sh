#!/bin/sh
# Checks that a model (S1.5, S3.11) costs nothing, by counting instructions: what is done a thousand times
# through the functions of a model costs what it costs through those behind them, or less. How a compiler
# begins a loop may differ by a few.
#
# usage: model.sh MODEL_PROGRAM
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v valgrind >/dev/null 2>&1; then
    echo "SKIPPED gate/model: there is no valgrind"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
fi
if ! valgrind --tool=callgrind --callgrind-out-file="$work/out" "$program" \
    >"$work/cases" 2>"$work/said"; then
    if grep -q 'debuginfo reader' "$work/said"; then
        echo "SKIPPED gate/model: valgrind cannot read what this compiler writes"
        echo "0 passed, 0 failed, 1 skipped"
        exit 77
    fi
    cat "$work/said" >&2
    echo "FAILED gate/model: the program failed"
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
        if (called ~ /^(plain|model)_/) cost[called] += $2
    }
    END { for (one in cost) print one, cost[one] }' "$work/out" >"$work/costs"

awk 'FNR == NR { cost[$1] = $2; next }
    {
        for (i = 1; i <= NF; i++) {
            plain = cost["plain_" $i]; model = cost["model_" $i]
            if (!plain || !model) { print "FAILED gate/model: " $i ": nothing was counted"; failed++; continue }
            printf "%-10s plain: %8d  model: %8d\n", $i, plain, model
            if (model > plain + 16) { print "FAILED gate/model: " $i " costs more"; failed++ } else passed++
        }
    }
    END { printf "%d passed, %d failed, 0 skipped\n", passed, failed; exit failed > 0 || !passed }
' "$work/costs" "$work/cases"
