#!/bin/sh
# The core suites on a big-endian machine, s390x, under qemu.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
tools/setup.sh s390x || close_skipped "no s390x toolchain"
build_for s390x -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=s390x \
    -DCMAKE_C_COMPILER=s390x-linux-gnu-gcc -DCMAKE_EXE_LINKER_FLAGS=-static \
    -DMICA_TEST_TIMEOUT=1200 || close_failed "the build failed"
export MICA_TEST_WRAPPER=qemu-s390x
exec tools/run-tests.sh build/s390x core
