#!/bin/sh
# make test-long: the full tier, then one job after the other, each a script of its own. Every job
# ends with the line "N passed, N failed[, N skipped]"; the last line here is their sum. `make report` makes
# a table of what they found.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
tools/setup.sh long || close_failed "tools are missing"

passed=0
failed=0
skipped=0

job tools/test-full.sh
job tools/check.sh
job tools/long/clang.sh
job tools/long/asan.sh
job tools/long/msan.sh
job tools/long/relocate_always.sh
job tools/long/verify_time.sh
job tools/long/tsan.sh
job tools/long/valgrind.sh
job tools/long/m32.sh
job tools/long/s390x.sh
job tools/long/aarch64.sh
job tools/long/mingw.sh
job tools/long/cross.sh
job tools/long/fuzz.sh
job tools/long/wasm.sh
job tools/long/debian.sh
job tools/long/sites.sh
job tools/long/soak.sh
job tools/long/mutants.sh
job tools/long/coverage.sh

echo "==== all jobs"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
