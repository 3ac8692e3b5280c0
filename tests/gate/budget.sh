#!/bin/sh
# Checks that nothing has become more expensive, by counting instructions: every case of the benchmark
# that budget.list names is done once under callgrind and costs, per item, at most its budget and a
# hundredth of it.
#
# usage: budget.sh [--write] BENCH_PROGRAM COMPILER VERSION PROCESSOR
#
#   --write  keeps what was measured in budget.list. Budgets are lowered to it, never raised: who
#            wants to spend more puts - in the place of the budget, writes, and says why in the commit.
#            A new line is scenario, policy, n and -.
#
# Another compiler counts otherwise, so the list says whose figures it has; elsewhere this is skipped.
# The C library is told to do without what only some processors have, and there is no environment, which
# moves memory about.
set -u
writes=no
if [ "$1" = --write ]; then
    writes=yes
    shift
fi
program=$1
compiler="$2 ${3%%.*} $4"
list=$(dirname "$0")/budget.list
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() {
    echo "SKIPPED gate/budget: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
}
fail() {
    echo "FAILED gate/budget: $1"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
}

command -v valgrind >/dev/null 2>&1 || skip "there is no valgrind"
if ! grep -qx "# of $compiler" "$list"; then
    [ $writes = no ] || fail "the list has the figures $(sed -n 's/^# of /of /p' "$list"), this is $compiler"
    skip "the budgets are those $(sed -n 's/^# of /of /p' "$list"), this is $compiler"
fi

# A file for each call of bench_counted(): out.1, out.2 and so on, in the order of the list.
without=-AVX2,-AVX2_Usable,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM
if ! env -i PATH="$PATH" GLIBC_TUNABLES=glibc.cpu.hwcaps=$without valgrind --tool=callgrind --callgrind-out-file="$work/out" --collect-atstart=no \
    --toggle-collect=bench_counted --dump-after=bench_counted \
    "$program" --count --cases "$list" >"$work/cases" 2>"$work/said"; then
    grep -q 'debuginfo reader' "$work/said" && skip "valgrind cannot read what this compiler writes"
    cat "$work/said" "$work/cases"
    fail "the benchmark failed"
fi
number=0
while read -r scenario policy n items; do
    number=$((number + 1))
    sed -n "s/^totals: */$scenario $policy $n $items /p" "$work/out.$number"
done <"$work/cases" >"$work/counts"

if [ $writes = yes ]; then
    awk 'FNR == NR { measured[$1, $2, $3] = sprintf("%.2f", $5 / $4); next }
        /^#/ || NF < 4 { print; next }
        {
            now = measured[$1, $2, $3]
            budget = $4 == "-" || now + 0 < $4 + 0 ? now : $4
            printf "%-22s %-7s %5d %10s %10s\n", $1, $2, $3, budget, now
        }' "$work/counts" "$list" >"$work/list" && cp "$work/list" "$list"
    exit
fi

awk 'FNR == NR { count[$1, $2, $3] = $5 / $4; next }
    /^#/ || NF < 4 { next }
    {
        now = count[$1, $2, $3]
        what = $1 ", " $2 ", n = " $3
        if (!now) { print "FAILED gate/budget: " what ": nothing was counted"; failed++; next }
        printf "%-22s %-7s %5d %10.2f, budget %s\n", $1, $2, $3, now, $4
        if ($4 == "-") { print "FAILED gate/budget: " what " has no budget: see budget.sh"; failed++ }
        else if (now > $4 * 1.01) {
            printf "FAILED gate/budget: %s: %.2f instructions per item, the budget is %s\n", what, now, $4
            failed++
        } else passed++
    }
    END { printf "%d passed, %d failed, 0 skipped\n", passed, failed; exit failed > 0 || !passed }
' "$work/counts" "$list"
