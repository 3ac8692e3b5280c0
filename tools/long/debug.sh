#!/bin/sh
# Every suite that runs the library, not optimised, with internal assertions.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
export MICA_TEST_TIER=long
build debug -DMICA_TEST_TIMEOUT=900 || close_failed "the build failed"
exec tools/run-tests.sh build/debug 'quick|long' -LE tree
