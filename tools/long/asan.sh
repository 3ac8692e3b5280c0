#!/bin/sh
# Every suite that runs the library, under the address and undefined behaviour sanitizers, with more
# seeds for random tests than in the full tier.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
build asan -DMICA_TEST_TIMEOUT=900 || close_failed "the build failed"
export MICA_TEST_SEEDS=500
exec tools/run-tests.sh build/asan 'quick|full|long' -LE tree
