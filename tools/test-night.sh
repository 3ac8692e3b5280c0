#!/bin/sh
# make test-night: the long tier, then the jobs that take hours.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh

status=0
tools/test-long.sh || status=1

passed=0
failed=0
skipped=0
job tools/night/suites.sh
job tools/night/soak.sh
job tools/night/fuzz.sh
job tools/night/mutants.sh

echo "==== all jobs of the night"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$status" -eq 0 ]
