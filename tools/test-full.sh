#!/bin/sh
# make test-full: builds the preset `release` and runs the full tier: what the quick tier samples, whole, and what takes
# long to build.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh

tools/setup.sh full || close_failed "tools are missing"
build release || close_failed "the build failed"

status=0
tools/run-tests.sh build/release 'quick|full' || status=$?
rm -rf build/jobs/full # for tools/report.sh
mkdir -p build/jobs
cp -r build/release/results build/jobs/full
exit "$status"
