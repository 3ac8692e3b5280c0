#!/bin/sh
# make test: builds the release preset and runs the quick tier.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh

tools/setup.sh test || close_failed "tools are missing"
build release || close_failed "the build failed"

status=0
tools/run-tests.sh build/release quick || status=$?
rm -rf build/jobs/quick # for tools/report.sh
mkdir -p build/jobs
cp -r build/release/results build/jobs/quick
exit "$status"
