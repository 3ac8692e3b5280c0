#!/bin/sh
# make test: builds the release preset and runs the quick tier.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh

tools/setup.sh test || close_failed "tools are missing"
build release || close_failed "the build failed"
exec tools/run-tests.sh build/release quick
