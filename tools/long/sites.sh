#!/bin/sh
# Whether the out-of-memory scenarios reach every allocation of the library, and refuse every one.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
build coverage -DMICA_TEST_TIMEOUT=900 || close_failed "the build failed"
status=0
tests/oom/sites.sh build/coverage build/coverage/tests/oom build/coverage/tests/oom_small \
    >build/sites.log || status=$?
[ "$status" -ne 77 ] || close_skipped "$(sed -n 's/^skipped: //p' build/sites.log)"
grep -v ' refused$' build/sites.log
exit "$status"
