#!/bin/sh
# Every fuzz target for two hours: ten million executions and more.
cd "$(dirname "$0")/../.." || exit 1
MICA_FUZZ_SECONDS=${MICA_FUZZ_SECONDS:-7200} exec tools/long/fuzz.sh
