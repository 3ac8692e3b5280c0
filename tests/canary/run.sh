#!/bin/sh
# Checks that the tests find bugs. For every canary in src/ the suite that tests/canary/list names must
# fail while the canary is on, and pass while none is. A canary without a row, a row without a canary
# and a room with fewer than two canaries are failures too.
#
# usage: run.sh PROGRAMS        the folder with the programs canary_<suite>
set -u
. "$(dirname "$0")/../cases.sh"
cd "$(dirname "$0")/../.." || exit 1
programs=$1
unset MICA_CANARY MICA_TEST_TIER
ulimit -c 0

sed -e 's/#.*//' -e '/^[[:space:]]*$/d' tests/canary/list >"$work/rows"
awk '{ print $1 }' "$work/rows" | LC_ALL=C sort >"$work/listed"
# "room canary" for every one that is planted; the room is the first folder in src/.
find src -type f \( -name '*.c' -o -name '*.h' \) ! -path src/base/canary.h \
    -exec grep -Ho 'MICAI_CANARY([^)]*)' {} + |
    sed 's|^src/\([^/]*\)/.*("\(.*\)")|\1 \2|' | LC_ALL=C sort >"$work/planted"
awk '{ print $2 }' "$work/planted" | LC_ALL=C sort >"$work/names"

check_none "every canary has a row in tests/canary/list" \
    "$(LC_ALL=C comm -23 "$work/names" "$work/listed")"
check_none "every row has a canary in src/" "$(LC_ALL=C comm -13 "$work/names" "$work/listed")"
check_none "a canary is planted in one place and listed once" "$(uniq -d "$work/names")"
check_none "a canary's name begins with its room" \
    "$(awk '{ split($2, part, "."); if (part[1] != $1) print $2 " in " $1 }' "$work/planted")"
check_none "every room has two canaries" "$(sed -n 's/^\([a-z]*\)[a-z/]* *:.*/\1/p' src/LAYERS |
    awk 'NR == FNR { count[$1]++; next } count[$1] < 2 { print $1 " has " count[$1] + 0 }' \
        "$work/planted" -)"

# run CANARY PROGRAM ARGUMENT...: leaves the exit status in `status`; 124 is a program that hangs.
run() {
    canary=$1
    program=$programs/canary_$2
    shift 2
    status=0
    MICA_CANARY=$canary timeout 300 "$program" "$@" >"$work/said" 2>&1 </dev/null || status=$?
}

# The same rows without their canaries, each once.
awk '{ $1 = ""; print }' "$work/rows" | LC_ALL=C sort -u >"$work/suites"
while read -r row; do
    # shellcheck disable=SC2086
    run "" $row
    check_none "without a canary: $row" "$([ "$status" -eq 0 ] || {
        echo "exit status $status" && tail -n 20 "$work/said"
    })"
done <"$work/suites"

# A failed check, a failed assertion and a crash all tell; a program that hangs does not.
while read -r row; do
    # shellcheck disable=SC2086
    run $row 2>/dev/null
    check_none "caught: $row" "$(case $status in
        0) echo "nothing failed" ;;
        124) echo "the program hangs" ;;
        esac)"
done <"$work/rows"

conclude
