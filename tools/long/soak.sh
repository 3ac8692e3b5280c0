#!/bin/sh
# Half a million entities that come and go for three minutes; as many as the two arguments say.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
build release || close_failed "the build failed"
exec build/release/tests/soak --entities "${1:-500000}" --seconds "${2:-180}" --seed "$(date +%Y%m%d)"
