#!/bin/sh
# Every fuzz target for a minute, beginning with its corpus.
cd "$(dirname "$0")/../.." || exit 1
passed=0
failed=0
skipped=0
for target in tests/fuzz/*_fuzz.c; do
    name=$(basename "$target" _fuzz.c)
    status=0
    tools/fuzz.sh "$name" "${MICA_FUZZ_SECONDS:-60}" >"build/fuzz-$name.log" 2>&1 || status=$?
    case $status in
    0) passed=$((passed + 1)) ;;
    77)
        skipped=$((skipped + 1))
        echo "skipped: $name: $(tail -n 1 "build/fuzz-$name.log")"
        ;;
    *)
        failed=$((failed + 1))
        echo "FAILED: $name"
        tail -n 40 "build/fuzz-$name.log"
        ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
