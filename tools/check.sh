#!/bin/sh
# make check: everything that reads the code without running it.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
tools/setup.sh long || close_failed "tools are missing"

passed=0
failed=0
skipped=0

# check WHAT COMMAND...: one case. Exit status 77 is a skip.
check() {
    what=$1
    shift
    status=0
    said=$("$@" 2>&1) || status=$?
    case $status in
    0) passed=$((passed + 1)) verdict=passed ;;
    77) skipped=$((skipped + 1)) verdict=skipped ;;
    *) failed=$((failed + 1)) verdict=FAILED ;;
    esac
    printf '%-13s %s\n' "$what" "$verdict"
    [ "$status" -eq 0 ] || echo "$said"
}

check layers tools/layers.sh
check allocations tools/allocations.sh
check words tools/words.sh
check roads tools/roads.sh --table
check dictionary tools/dictionary.sh
check format tools/format.sh --check
check reference tools/reference.sh --check
check cppcheck tools/cppcheck.sh
check clang-tidy tools/clang-tidy.sh
check vector tools/vector.sh
check analyzer tools/analyzer.sh
check clang-analyze tools/clang-analyze.sh

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
