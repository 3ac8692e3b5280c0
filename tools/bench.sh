#!/bin/sh
# make bench: builds the benchmark for this machine and runs it with the given options.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
tools/setup.sh demo || exit 1
build bench || exit 1
exec build/bench/bench/mica_bench "$@"
