#!/bin/sh
# The core suites on a machine whose memory is ordered more weakly, and whose char is unsigned: aarch64, under qemu.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
tools/setup.sh aarch64 || close_skipped "no aarch64 toolchain"
build_for aarch64 -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_EXE_LINKER_FLAGS=-static \
    -DMICA_TEST_TIMEOUT=1200 || close_failed "the build failed"
export MICA_TEST_WRAPPER=qemu-aarch64
exec tools/run-tests.sh build/aarch64 core
