#!/bin/sh
# The core suites, compiled by clang, under its sanitizer of undefined behaviour, which tells of things that gcc's
# lets pass.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
have clang || close_skipped "no clang (apt-get install clang)"
build_for ubsan -DCMAKE_C_COMPILER=clang \
    '-DCMAKE_C_FLAGS=-fsanitize=undefined,local-bounds -fno-sanitize-recover=all' ||
    close_failed "the build failed"
exec tools/run-tests.sh build/ubsan core
