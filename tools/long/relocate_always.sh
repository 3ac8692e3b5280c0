#!/bin/sh
# The suites that change worlds at random, in worlds that move their memory at every change, under the
# address sanitizer: whoever in the library, or in a test, keeps a pointer too long is found.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
export MICA_TEST_RELOCATING=1
build asan -DMICA_TEST_TIMEOUT=900 || close_failed "the build failed"
exec tools/run-tests.sh build/asan 'quick|full|long' -R '^(model|model_small|model_general|exhaustive|contract|contract_small)$'
