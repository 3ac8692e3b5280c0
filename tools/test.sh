#!/bin/sh
# make test: builds the preset `quick` and runs the quick tier: every suite, in a small dose.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh

tools/setup.sh test || close_failed "tools are missing"
build quick || close_failed "the build failed"
exec tools/run-tests.sh build/quick quick
