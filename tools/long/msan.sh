#!/bin/sh
# The core suites and the model under the memory sanitizer: decisions that depend on memory which was never written.
# Optimised, with assertions, as for valgrind, which sees the same in more time and cannot run all of these. Not
# `damage`, which breaks and compares bytes that nobody has written, nor `promises`, whose hooks write no values.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
have clang || close_skipped "no clang (apt-get install clang)"
build_for msan -DCMAKE_C_COMPILER=clang -DMICA_TEST_TIMEOUT=900 \
    "-DCMAKE_C_FLAGS=-fsanitize=memory -fsanitize-memory-track-origins -fno-omit-frame-pointer \
-fsanitize-ignorelist=$PWD/tools/long/msan.ignore" &&
    quietly build/msan.build.log cmake --build build/msan --target model_small --parallel "$jobs" ||
    close_failed "the build failed"
exec tools/run-tests.sh build/msan 'core|memory' -E '^(model|model_general|damage.*|promises.*)$'
