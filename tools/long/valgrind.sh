#!/bin/sh
# The core suites under valgrind: what the sanitizers cannot see, such as reads of memory that was
# never written. Optimised, with assertions: not optimised, some suites take ten minutes and more each.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
have valgrind || close_skipped "no valgrind (apt-get install valgrind libc6-dbg)"
build_for valgrind -DMICA_TEST_TIMEOUT=900 || close_failed "the build failed"
export MICA_TEST_WRAPPER='valgrind -q --error-exitcode=9 --leak-check=full'
exec tools/run-tests.sh build/valgrind core
