#!/bin/sh
# Builds a fuzz target (tests/fuzz/NAME_fuzz.c) with libFuzzer and the sanitizers, and runs it for a while,
# beginning with the corpus tests/fuzz/corpus/NAME.
#
# usage: fuzz.sh NAME [SECONDS]
#
# What it finds on the way is kept in build/fuzz/NAME.corpus, and what goes wrong in build/fuzz/NAME-*, to be
# put into the corpus when it is mended. Exit status 77: clang, or its fuzzer, is missing.
set -eu
cd "$(dirname "$0")/.."
name=$1
seconds=${2:-60}
clang=$(command -v clang-14 || command -v clang) || {
    echo "clang is missing"
    exit 77
}
mkdir -p "build/fuzz/$name.corpus"
# What is at the address NULL + 0 is nobody's business, and nobody looks there.
flags="-std=c11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize=pointer-overflow \
    -fno-sanitize-recover=all"
if ! echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return n > 9 && !d; }' |
    $clang $flags -x c - -o build/fuzz/probe 2>/dev/null; then
    echo "libFuzzer is missing"
    exit 77
fi
# What else the target is made of, it says itself: lines "// with: FILE...", which may have stars; and how it wants
# to be compiled: "// flags: FLAG...".
with=$(sed -n 's|^// with: ||p' "tests/fuzz/${name}_fuzz.c")
flags="$flags $(sed -n 's|^// flags: ||p' "tests/fuzz/${name}_fuzz.c")"
# shellcheck disable=SC2046,SC2086
$clang -DMICAI_TEST_SMALL_PAGES $flags -Iinclude -Isrc -Itests -ffp-contract=off \
    "tests/fuzz/${name}_fuzz.c" $with $(find src -name '*.c') -lm -lpthread -o "build/fuzz/$name"
"build/fuzz/$name" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=60 -print_final_stats=1 -error_exitcode=1 \
    -artifact_prefix="build/fuzz/$name-" "build/fuzz/$name.corpus" "tests/fuzz/corpus/$name"
