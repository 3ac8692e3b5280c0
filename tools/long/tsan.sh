#!/bin/sh
# The core suites under the thread sanitizer.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
build tsan -DMICA_TEST_TIMEOUT=600 || close_failed "the build failed"
exec tools/run-tests.sh build/tsan core
