#!/bin/sh
# The core suites as 32-bit programs.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
tools/setup.sh m32 || close_skipped "no 32-bit toolchain"
mkdir -p build/m32
echo 'int main(void) { return 0; }' >build/m32/probe.c
gcc -m32 -o build/m32/probe build/m32/probe.c && build/m32/probe ||
    close_skipped "this machine runs no 32-bit programs"

# SSE, because x87 rounds differently. The kernel's headers are where those for 64 bits are.
build_for m32 -DMICA_TEST_TIMEOUT=600 -DCMAKE_C_COMPILER=gcc "-DCMAKE_C_FLAGS=-m32 -msse2 -mfpmath=sse \
-idirafter /usr/include/$(gcc -print-multiarch)" ||
    close_failed "the build failed"
exec tools/run-tests.sh build/m32 core
