#!/bin/sh
# The library and the examples for WebAssembly, with clang and wasi-libc: what the examples print is checked
# in Node, which runs what a browser runs. The shared library is not for there.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
tools/setup.sh wasm || close_skipped "no clang, wasm-ld, wasi-libc or node"
echo 'int main(void) { return 0; }' >build/wasm.c
clang --target=wasm32-wasi build/wasm.c -o build/wasm.wasm || close_skipped "no wasi-libc"
node --no-warnings tests/wasm/run.mjs build/wasm.wasm || close_skipped "node is without node:wasi"

quietly build/wasm.configure.log cmake -S . -B build/wasm \
    -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/wasi.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DMICA_BUILD_TESTS=OFF -DMICA_BUILD_DEMO=OFF -DMICA_BUILD_TOOL=OFF -DMICA_INSTALL=OFF &&
    quietly build/wasm.build.log cmake --build build/wasm --parallel "$jobs" ||
    close_failed "the build failed"

passed=0
failed=0
for expected in examples/*.expected; do
    name=$(basename "$expected" .expected)
    if node --no-warnings tests/wasm/run.mjs "build/wasm/examples/$name.wasm" 2>build/wasm.said |
        diff -u "$expected" - >build/wasm.diff; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        cat build/wasm.said build/wasm.diff
    fi
done
echo "hello.wasm: $(wc -c <build/wasm/examples/hello.wasm) bytes"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
