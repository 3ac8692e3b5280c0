#!/bin/sh
# Every fuzz target for a minute, beginning with its corpus; for MICA_FUZZ_SECONDS, if that is set.
cd "$(dirname "$0")/../.." || exit 1
passed=0
failed=0
skipped=0
figure=
for target in tests/fuzz/*_fuzz.c; do
    name=$(basename "$target" _fuzz.c)
    log=build/fuzz-$name.log
    status=0
    tools/fuzz.sh "$name" "${MICA_FUZZ_SECONDS:-60}" >"$log" 2>&1 || status=$?
    case $status in
    0) passed=$((passed + 1)) ;;
    77)
        skipped=$((skipped + 1))
        echo "skipped: $name: $(tail -n 1 "$log")"
        ;;
    *)
        failed=$((failed + 1))
        echo "FAILED: $name"
        tail -n 40 "$log"
        ;;
    esac
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
    figure="$figure${figure:+, }$name ${executions:-0}"
done
echo "figure: executions: $figure"
echo "gate: none crashes"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
