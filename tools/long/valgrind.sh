#!/bin/sh
# The core suites under valgrind: what the sanitizers cannot see, such as reads of memory that was
# never written. Optimised, with assertions: not optimised, some suites take ten minutes and more each. Of suites that
# run with tiny pages, too, and take minutes here, these will do.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
have valgrind || close_skipped "no valgrind (apt-get install valgrind libc6-dbg)"
build_for valgrind -DMICA_TEST_TIMEOUT=900 || close_failed "the build failed"
export MICA_TEST_WRAPPER='valgrind -q --error-exitcode=9 --leak-check=full'
exec tools/run-tests.sh build/valgrind core -E '^(contract|promises|unit_query|unit_image)$'
