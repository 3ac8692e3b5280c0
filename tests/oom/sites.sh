#!/bin/sh
# Do the scenarios of the out-of-memory suites reach every allocation of the library, and was every
# one of them refused? Lists the call sites in src/, how often the programs came by, and whether the
# memory that was asked for there has been refused at least once.
#
# usage: sites.sh BUILD PROGRAM...
#
# BUILD is a build of the preset `coverage`. Runs the programs, anew. One line per site; then
# "N passed, N failed": a site passes if it was refused, or is excused below. Exit status 77, a skip,
# where tools are missing.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
for tool in gcov addr2line; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "skipped: no $tool"
        exit 77
    fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sites that cannot be refused: the function they stand in, the function called, and why.
excuses() {
    cat <<'END'
END
}

# What asks for memory, directly or by way of another of these.
calls='micai_(alloc|alloc_zeroed|alloc_array|resize|array_reserve|array_grow|map_reserve|arena_alloc'
calls="$calls|arena_alloc_array|copy_text|extent_new|set_add|set_reserve|set_combine"
calls="$calls|sheet_new|sheet_make|table_reserve"
calls="$calls|slots_reserve|slots_reserve_at|store_table|store_edge|store_edge_to|transfer_reserve"
calls="$calls|pools_open|pool_reserve|pool_reserve_places|pool_reserve_slot|pool_reserve_slots"
calls="$calls|pool_reserve_reclaim|pools_reserve_reclaim|group_make|sorting_begin"
calls="$calls|walk_reserve)"

# file:line caller function. Definitions and declarations begin at the margin, calls do not. What stands
# in a macro is a call where the macro is used.
find_sites() {
    (cd "$root" && find src -name '*.c' | LC_ALL=C sort | xargs awk -v calls="$calls" '
        macro { macro = /\\$/; next }
        /^#define/ { macro = /\\$/; next }
        /^[A-Za-z]/ && match($0, /[A-Za-z0-9_]+\(/) { caller = substr($0, RSTART, RLENGTH - 1) }
        /^[ \t]/ {
            text = $0
            sub(/\/\/.*/, "", text)
            while (match(text, calls "\\(")) {
                print FILENAME ":" FNR, caller, substr(text, RSTART, RLENGTH - 1)
                text = substr(text, RSTART + RLENGTH)
            }
        }')
}

# file:line count, of the lines of src/ that were run. Sources may be named as seen from where they were
# compiled.
find_counts() {
    find "$build/src" -name '*.gcda' | while read -r data; do
        (cd "$build/src" && gcov -t "$data" 2>/dev/null)
    done | awk -F: '
        $3 == "Source" { file = $4; sub(/^.*\/src\//, "src/", file) }
        $1 ~ /[0-9]/ && $2 + 0 > 0 {
            count = $1
            gsub(/[ *]/, "", count)
            line = $2
            gsub(/ /, "", line)
            print file ":" line, count
        }'
}

# file:line, of all that a refusal came back to.
find_refused() {
    for program in "$@"; do
        sed -n 's/.*(+\(0x[0-9a-f]*\)).*/\1/p' "$work/$(basename "$program").list" |
            addr2line -e "$program" | sed -n 's,^.*/\(src/[^ ]*\).*,\1,p'
    done
}

find "$build" -name '*.gcda' -exec rm -f {} +
for program in "$@"; do
    list=$work/$(basename "$program").list
    if ! MICA_OOM_SITES=$list "$program" >"$work/said" 2>&1; then
        cat "$work/said"
        echo "$program failed"
        echo "0 passed, 1 failed"
        exit 1
    fi
    if [ ! -s "$list" ]; then
        echo "skipped: this C library does not tell callers"
        exit 77
    fi
done

{
    excuses | sed 's/^/excuse /'
    find_counts | sed 's/^/count /'
    find_refused "$@" | sed 's/^/refused /'
    find_sites | sed 's/^/site /'
} | awk -v root="$root/" '
$1 == "excuse" {
    key = $2 " " $3
    sub(/^excuse [^ ]* [^ ]* /, "")
    excuses[key] = $0
}
$1 == "count" { counts[$2] += $3 }
$1 == "refused" { refused[$2] = 1 }
$1 == "site" {
    key = $3 " " $4
    verdict = "refused"
    if (!($2 in refused)) {
        verdict = "NEVER REFUSED"
        if (key in excuses) {
            verdict = "excused: " excuses[key]
            used[key] = 1
        }
    }
    passed += verdict !~ /^NEVER/
    failed += verdict ~ /^NEVER/
    printf "%-28s %-24s %-26s %9.0f  %s\n", $2, $3, $4, counts[$2], verdict
}
END {
    for (key in excuses)
        if (!(key in used)) {
            print key ": the excuse is not needed"
            failed++
        }
    if (passed == 0) failed++
    print passed " passed, " failed + 0 " failed"
    exit failed > 0
}'
