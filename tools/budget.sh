#!/bin/sh
# make budget: counts the instructions of the benchmark's cases and writes them to tests/gate/budget.list,
# where budgets are lowered to what is spent. How to raise one: tests/gate/budget.sh.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
tools/setup.sh test || exit 1
quietly build/release.configure.log cmake --preset release &&
    quietly build/bench.build.log \
        cmake --build build/release --target mica_bench --parallel "$jobs" || exit 1
written() { sed -n "s/^set($1 \"\(.*\)\")/\1/p" build/release/CMakeFiles/[0-9]*/CMakeCCompiler.cmake; }
exec tests/gate/budget.sh --write build/release/bench/mica_bench \
    "$(written CMAKE_C_COMPILER_ID)" "$(written CMAKE_C_COMPILER_VERSION)" "$(uname -m)"
