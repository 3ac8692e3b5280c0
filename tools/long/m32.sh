#!/bin/sh
# The core suites as 32-bit programs.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
mkdir -p build/m32
printf '#include <stdio.h>\nint main(void) { return 0; }\n' >build/m32/probe.c
gcc -m32 -o build/m32/probe build/m32/probe.c 2>/dev/null && build/m32/probe 2>/dev/null ||
    close_skipped "no 32-bit toolchain (apt-get install libc6-dev-i386 lib32gcc-12-dev)"

# SSE, because x87 rounds differently.
quietly build/m32.configure.log cmake -S . -B build/m32 -DCMAKE_C_COMPILER=gcc \
    -DCMAKE_BUILD_TYPE=Release '-DCMAKE_C_FLAGS=-m32 -msse2 -mfpmath=sse' \
    -DCMAKE_C_FLAGS_RELEASE='-O2 -g' -DMICA_INSTALL=OFF &&
    quietly build/m32.build.log cmake --build build/m32 --parallel "$jobs" ||
    close_failed "the build failed"
exec tools/run-tests.sh build/m32 core
