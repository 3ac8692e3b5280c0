#!/bin/sh
# make report: one table of what the tiers found when they ran last, printed and written to docs/report.md. Runs
# nothing: `make test-long && make report`, or `make test-night && make report`.
#
# Its rows are the jobs of build/jobs (tools/common.sh) and, of the quick tier, its suites, those of one kind taken
# together. Exit status 1 unless all gates are met: something failed, is below its figure, was
# never run, or was run on another commit than the rest. What a machine cannot do is skipped, and said; it does
# not fail.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unmet=0

# figure LOG, gate LOG: the last that was told.
figure() { sed -n 's/^figure: //p' "$1" 2>/dev/null | tail -n 1; }
gate() { sed -n 's/^gate: //p' "$1" 2>/dev/null | tail -n 1; }

# row NAME PASSED FAILED SKIPPED SECONDS FIGURE GATE [WHY NOT]
row() {
    met=yes
    note=${8:-}
    if [ "$3" -gt 0 ]; then
        note="$3 failed"
    elif [ -z "$note" ] && [ "$2" -eq 0 ]; then
        met=skipped
    fi
    if [ -n "$note" ]; then
        met="**no**: $note"
        unmet=$((unmet + 1))
    elif [ "$4" -gt 0 ] && [ "$met" = yes ]; then
        met="yes, $4 skipped"
    fi
    echo "| $1 | $(($2 + $3 + $4)) | $5 | $6 | ${7:-none fails} | $met |" >>"$work/rows"
}

# What the jobs should have run on.
here=$(commit)

# told KIND LOG...: what the suites of a kind count, added up.
told() {
    kind=$1
    shift
    case $kind in
    damage) pattern='^[0-9]+ breaks' what='broken fields' ;;
    exhaustive) pattern='^[a-z]+: [0-9]+ (sequences|worlds)' what='sequences of operations' ;;
    model) pattern='^model: [0-9]+ steps' what='steps' ;;
    oom) pattern='^oom: [0-9]+ allocations' what='refused allocations' ;;
    size) pattern='^hello: [0-9]+ bytes' what='bytes of hello-world' ;;
    *) return ;;
    esac
    cat "$@" | awk -v pattern="$pattern" -v what="$what" '
        $0 ~ pattern { sub(/^[a-z]+: /, ""); sum += $1 }
        END { if (sum) print sum, what }'
}

# The full tier, by the word that its suites begin with.
results=build/jobs/full
if [ -d "$results" ]; then
    : >"$work/kinds"
    for counts in "$results"/*.counts; do
        name=$(basename "$counts" .counts)
        echo "${name%%_*} $name" >>"$work/kinds"
    done
    for kind in $(cut -d ' ' -f 1 "$work/kinds" | LC_ALL=C sort -u); do
        names=$(sed -n "s/^$kind //p" "$work/kinds")
        sums=$(for name in $names; do cat "$results/$name.counts"; done |
            awk '{ p += $1; f += $2; s += $3; t += $4 } END { printf "%d %d %d %.0f", p, f, s, t }')
        # shellcheck disable=SC2046,SC2086
        row "$kind" $sums "$(told "$kind" $(for name in $names; do echo "$results/$name.log"; done))" ""
    done
fi

# The jobs, in the order the tiers have them; those of the night once they have run.
for script in $(sed -n 's/^job //p' tools/test-long.sh tools/test-night.sh); do
    name=$(job_name "$script")
    log=build/jobs/$name.log
    if [ -f "build/jobs/$name.row" ]; then
        read -r passed failed skipped seconds on <"build/jobs/$name.row"
        other=
        [ "$on" = "$here" ] || other="ran on $on"
        row "\`$name\`" "$passed" "$failed" "$skipped" "$seconds" "$(figure "$log")" "$(gate "$log")" "$other"
    elif [ "${name#night}" = "$name" ]; then
        row "\`$name\`" 0 0 0 "" "" "" "never run"
    fi
done

processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
{
    echo "# Report"
    echo
    echo "What \`make test-long\` (and, if it ran, \`make test-night\`) found, as \`make report\` wrote it down. The rows in plain type"
    echo "are the suites of the full tier, the others the jobs of \`tools/long\` and \`tools/night\`."
    echo
    echo "- $(date -u '+%Y-%m-%d %H:%M') UTC, commit $here"
    echo "- $(uname -srm), ${processor:-an unknown processor}, $jobs processors"
    echo "- $(gcc --version 2>/dev/null | head -n 1); $(clang --version 2>/dev/null | head -n 1)"
    if [ "$unmet" -eq 0 ]; then
        echo "- All gates are met."
    else
        echo "- Gates that are not met: $unmet."
    fi
    echo
    echo "| suite | cases | seconds | figure | gate | met |"
    echo "| --- | ---: | ---: | --- | --- | --- |"
    cat "$work/rows"
} >"$work/report"
cp "$work/report" docs/report.md
cat docs/report.md
[ "$unmet" -eq 0 ]
