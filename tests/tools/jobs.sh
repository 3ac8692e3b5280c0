#!/bin/sh
# Checks how jobs are counted and reported (job in tools/common.sh, tools/report.sh), in a tree of its own with jobs
# of its own; and what tools/mutants.awk makes of a source.
set -u
. "$(dirname "$0")/../cases.sh"

# A tree with the jobs that add() gives it.
begin() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/tools/long" "$work/tree/tools/night" "$work/tree/docs"
    cp "$root/tools/common.sh" "$root/tools/report.sh" "$work/tree/tools"
    printf '. tools/common.sh\npassed=0 failed=0 skipped=0\n' >"$work/tree/tools/test-long.sh"
    : >"$work/tree/tools/test-night.sh"
}

# add NAME SCRIPT: a job of the long tier.
add() {
    printf '#!/bin/sh\n%s\n' "$2" >"$work/tree/tools/long/$1.sh"
    chmod +x "$work/tree/tools/long/$1.sh"
    echo "job tools/long/$1.sh" >>"$work/tree/tools/test-long.sh"
}

run() { (cd "$work/tree" && sh tools/test-long.sh >"$work/said" 2>&1); }

# reports WHAT STATUS TEXT: the exit status of a report, and a text that is in it.
reports() {
    status=0
    (cd "$work/tree" && sh tools/report.sh) >"$work/said" 2>&1 || status=$?
    if [ "$status" -eq "$2" ] && grep -qF "$3" "$work/said" && cmp -s "$work/said" "$work/tree/docs/report.md"; then
        pass
    else
        failed=$((failed + 1))
        echo "FAILED: $1: expected exit status $2 and '$3', got $status and"
        sed 's/^/    /' "$work/said"
    fi
}

begin
add good 'echo "figure: 99 % of it"; echo "gate: 97 %"; echo "3 passed, 0 failed, 1 skipped"'
reports "a job that was never run" 1 '| `good` | 0 |  |  | none fails | **no**: never run |'
run
reports "a job with its figure and gate" 0 '| 99 % of it | 97 % | yes, 1 skipped |'

begin
add bad 'echo "2 passed, 1 failed"; exit 1'
add other 'echo "2 passed, 0 failed"'
run
reports "a job that failed" 1 '| none fails | **no**: 1 failed |'

begin
add dies 'echo half; exit 3'
run
reports "a job that died" 1 '**no**: 1 failed'

begin
add lies 'echo "2 passed, 0 failed"; exit 1'
run
reports "a job whose exit status says otherwise" 1 '**no**: 1 failed'

begin
add cannot 'echo "skipped: no moon"; echo "0 passed, 0 failed, 1 skipped"'
run
reports "a job that this machine cannot do" 0 '| none fails | skipped |'

begin
add old 'echo "2 passed, 0 failed"'
run
sed -i.old 's/[^ ]*$/elsewhere/' "$work/tree/build/jobs/old.row"
reports "a job that ran on another commit" 1 '**no**: ran on elsewhere'

begin
add good 'echo "2 passed, 0 failed"'
run
mkdir -p "$work/tree/build/jobs/full"
for suite in model model_small; do
    echo "2 0 0 1.5" >"$work/tree/build/jobs/full/$suite.counts"
    echo "model: 700 steps on 7 tapes, seeds from 1" >"$work/tree/build/jobs/full/$suite.log"
done
reports "suites of the full tier, those of a kind together" 0 '| model | 4 | 3 | 1400 steps | none fails | yes |'

# mutates WHAT LINE EXPECTED...: the mutants of a line inside a function, "kind text", in any order.
mutates() {
    what=$1
    printf '%s\n' "$2" >"$work/line.c"
    shift 2
    expected=$(printf '%s\n' "$@" | sed '/^$/d' | LC_ALL=C sort)
    got=$(awk -f "$root/tools/mutants.awk" "$work/line.c" | cut -f 2- | sed 's/	 */ /' | LC_ALL=C sort)
    if [ "$got" = "$expected" ]; then
        pass
    else
        failed=$((failed + 1))
        printf 'FAILED: %s: expected\n%s\ngot\n%s\n' "$what" "$expected" "$got"
    fi
}
mutates "a comparison" '    if (a < b) {' 'compare if (a <= b) {' 'negate if (!(a < b)) {'
mutates "a statement" '    act(world);' 'delete ;'
mutates "an assignment" '    a->count += 1;' 'arithmetic a->count -= 1;' 'delete ;'
mutates "a declaration stays" '    uint32_t count = table;' ''
mutates "logic" '    return a && b;' 'logic return a || b;'
mutates "constants" '    return false;' 'constant return true;'
mutates "texts stay" '    return "a < b && true";' ''
mutates "comments stay" '    // a < b' ''
mutates "assertions stay" '    assert(a < b);' ''
mutates "assertions stay to their end" '    assert(a < b &&
           c < d);' ''
mutates "prefetches stay" '    MICAI_PREFETCH(&a[i + 1]);' ''
mutates "directives stay" '#if A < B' ''

conclude
