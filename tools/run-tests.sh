#!/bin/sh
# Runs the suites of one build that carry a label, and adds up their cases.
#
# usage: run-tests.sh [--may-be-empty] BUILD LABEL [ctest option...]
#
# Prints what failed, what was skipped and why, a table, and as the last line
# "N passed, N failed[, N skipped]". Exit status 1 if anything failed.
set -u
. "$(dirname "$0")/common.sh"

may_be_empty=no
if [ "$1" = --may-be-empty ]; then
    may_be_empty=yes
    shift
fi
build=$1
label=$2
shift 2
results=$build/results

# Suites that are labelled `core` run where everything takes long; the quick tier is a sample. Some have less to do
# there.
case $label in
core | quick) export MICA_TEST_TIER="$label" ;;
esac

# Two jobs that share a build would take each other's results away if somebody in a hurry ran them side by side: one
# waits for the other.
mkdir -p "$build"
if command -v flock >/dev/null; then
    exec 9>"$build/testing.lock"
    flock 9
fi

rm -rf "$results"
mkdir -p "$results"
names=$(ctest --test-dir "$build" -N -L "^($label)\$" "$@" | sed -n 's/^ *Test *#[0-9]*: *//p')
if [ -z "$names" ]; then
    echo "no suite of $build has the label '$label'"
    [ "$may_be_empty" = yes ] && echo "0 passed, 0 failed" && exit 0
    echo "0 passed, 1 failed"
    exit 1
fi

{
    ctest --test-dir "$build" -L "^($label)\$" -j "$jobs" "$@" 2>&1 9>&-
    echo $? >"$results/ctest.status"
} | tee "$results/ctest.log" | progress "testing"
ctest_status=$(cat "$results/ctest.status")

# A suite that was killed left no counts.
for name in $names; do
    if [ ! -f "$results/$name.counts" ]; then
        echo "killed, or never started; see $results/ctest.log" >>"$results/$name.log"
        echo "0 1 0 0" >"$results/$name.counts"
    fi
done

all_passed=0 all_failed=0 all_skipped=0
table=
for name in $names; do
    read -r passed failed skipped seconds <"$results/$name.counts"
    all_passed=$((all_passed + passed))
    all_failed=$((all_failed + failed))
    all_skipped=$((all_skipped + skipped))
    note=$(sed -n 's/.*\(seeds* from [0-9]*\).*/\1/p' "$results/$name.log" | head -n 1)
    if [ "$failed" -gt 0 ]; then
        note="$note${note:+, }$failed FAILED"
        echo "---- $name failed:"
        tail -n 100 "$results/$name.log"
        echo "----"
    fi
    if [ "$skipped" -gt 0 ]; then
        note="$note${note:+, }$skipped skipped"
        reasons=$(grep -i '^ *skip' "$results/$name.log" || tail -n 1 "$results/$name.log")
        echo "$reasons" | sed "s/^ */$name: /"
    fi
    row=$(printf '%-28s %6d %9s' "$name" $((passed + failed + skipped)) "$seconds")
    table="$table$row${note:+  $note}
"
done

printf '%-28s %6s %9s\n' suite cases seconds
printf '%s' "$table"
if [ "$ctest_status" -ne 0 ] && [ "$all_failed" -eq 0 ]; then
    echo "ctest failed although no suite did; see $results/ctest.log"
    all_failed=1
fi
if [ "$all_skipped" -gt 0 ]; then
    echo "$all_passed passed, $all_failed failed, $all_skipped skipped"
else
    echo "$all_passed passed, $all_failed failed"
fi
[ "$all_failed" -eq 0 ]
