#!/bin/sh
# The core suites on a big-endian machine, s390x, under qemu.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
have s390x-linux-gnu-gcc qemu-s390x || close_skipped "no s390x toolchain \
(apt-get install gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user)"

quietly build/s390x.configure.log cmake -S . -B build/s390x \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=s390x \
    -DCMAKE_C_COMPILER=s390x-linux-gnu-gcc -DCMAKE_EXE_LINKER_FLAGS=-static \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-O2 -g' \
    -DMICA_INSTALL=OFF -DMICA_TEST_TIMEOUT=300 &&
    quietly build/s390x.build.log cmake --build build/s390x --parallel "$jobs" ||
    close_failed "the build failed"
export MICA_TEST_WRAPPER=qemu-s390x
exec tools/run-tests.sh build/s390x core
