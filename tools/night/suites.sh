#!/bin/sh
# The suites labelled `night`, and every suite in its long form.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
build release || close_failed "the build failed"
MICA_TEST_TIER=night tools/run-tests.sh --may-be-empty build/release night
status=$?
awk '/^model: / { steps += $2 } / (sequences|worlds)/ { sub(/^.*: /, ""); sequences += $1 }
    END { print "figure: " steps + 0 " steps of the model, " sequences + 0 " sequences" }' \
    build/release/results/*_night.log
exit $status
