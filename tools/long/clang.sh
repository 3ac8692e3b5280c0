#!/bin/sh
# Compiled by clang, without warnings, and under its sanitizer of undefined behaviour, which tells of things that
# gcc's lets pass: every suite that runs the library, with more seeds for random tests than elsewhere.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
have clang || close_skipped "no clang (apt-get install clang)"
quietly build/clang.configure.log cmake -S . -B build/clang -DCMAKE_C_COMPILER=clang \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-O2 -g' -DMICA_INSTALL=OFF -DMICA_TEST_TIMEOUT=900 \
    '-DCMAKE_C_FLAGS=-fsanitize=undefined,local-bounds -fno-sanitize-recover=all' &&
    quietly build/clang.build.log cmake --build build/clang --parallel "$jobs" ||
    close_failed "the build failed"
export MICA_TEST_SEEDS=1000
exec tools/run-tests.sh build/clang 'quick|full|long' -LE tree
