#!/bin/sh
# make demo: builds and runs examples/hello.c.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
tools/setup.sh demo || exit 1
quietly build/release.configure.log cmake --preset release &&
    quietly build/demo.build.log \
        cmake --build build/release --target hello --parallel "$jobs" || exit 1
exec build/release/examples/hello
