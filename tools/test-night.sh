#!/bin/sh
# make test-night: the long tier, then the suites labelled `night`, and every suite in its long form.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh

status=0
tools/test-long.sh || status=1
echo "==== night"
build release || close_failed "the build failed"
MICA_TEST_TIER=night tools/run-tests.sh --may-be-empty build/release night || status=1
exit $status
