#!/bin/sh
# The suites that change worlds at random, or in all ways, in worlds that compare all their bytes with a mirror: a
# change that a snapshot would not find is found after the call that made it.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
export MICA_TEST_VERIFYING=1
build asan -DMICA_TEST_TIMEOUT=1800 || close_failed "the build failed"
exec tools/run-tests.sh build/asan 'quick|full|long' -R '^(model|model_small|model_general|exhaustive|oom|oom_small|contract|contract_small|unit_[a-z]*_small|unit_store|unit_system)$'
