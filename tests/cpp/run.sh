#!/bin/sh
# Programs in C++17 over the library: lifetime_test.cpp and model_test.cpp with pages of a few rows, without
# exceptions, and under the sanitizers; and the program of the guide, which must print what the guide says.
#
# usage: run.sh LIBRARY LIBRARY_OF_SMALL_PAGES
set -u
library=$1
small=$2
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Werror'

# build COMPILER NAME SOURCE LIBRARY [option...]: leaves the program, or what the compiler said.
build() {
    compiler=$1 name=$2 source=$3 archive=$4
    shift 4
    # The warnings are a list of words.
    # shellcheck disable=SC2086
    $compiler -std=c++17 $warnings "$@" -Iinclude "$source" "$archive" -lm -lpthread \
        -o "$work/$name" >"$work/$name.said" 2>&1
}

# run NAME: what the program says; its last line is of counts.
run() {
    if [ -x "$work/$1" ]; then
        "$work/$1" >"$work/$1.said" 2>&1
    fi
    grep -Eq '^[0-9]+ passed, [0-9]+ failed, 0 skipped$' "$work/$1.said" ||
        echo "0 passed, 1 failed, 0 skipped" >>"$work/$1.said"
    sed '$d' "$work/$1.said"
    tail -n 1 "$work/$1.said" >>"$work/counts"
}

: >"$work/counts"
# The guide: its one block of C++ and the text behind it.
awk -v code="$work/guide.cpp" -v text="$work/guide.expected" '
    /^```cpp$/ { to = code; next }
    /^```text$/ && was == code { to = text; next }
    /^```/ { was = to; to = ""; next }
    to { print >to }' docs/guide/types.md

one=77
if command -v g++ >/dev/null 2>&1; then
    one=0
    build g++ small tests/cpp/lifetime_test.cpp "$small" -DMICAI_TEST_SMALL_PAGES -Wuseless-cast &
    build g++ bare tests/cpp/lifetime_test.cpp "$library" -O2 -fno-exceptions -fno-rtti
    wait
    # What is inline keeps to the bounds of arrays, those at the end of structs included.
    build g++ bounds tests/cpp/lifetime_test.cpp "$library" -fsanitize=bounds-strict \
        -fno-sanitize-recover=all
    build g++ model_small tests/cpp/model_test.cpp "$small" -DMICAI_TEST_SMALL_PAGES &
    build g++ model_bare tests/cpp/model_test.cpp "$library" -O2 -DNDEBUG -fno-exceptions -fno-rtti
    wait
    run small
    run model_small
    run model_bare
    run bare
    run bounds
    build g++ guide "$work/guide.cpp" "$library"
    # What it prints, then what the library has to say: only one of them is buffered.
    "$work/guide" >"$work/guide.out" 2>"$work/guide.err"
    cat "$work/guide.err" >>"$work/guide.out"
    if diff "$work/guide.expected" "$work/guide.out" >>"$work/guide.said" 2>&1; then
        echo "1 passed, 0 failed, 0 skipped" >>"$work/counts"
    else
        echo "FAILED: the program of docs/guide/types.md"
        cat "$work/guide.said"
        echo "0 passed, 1 failed, 0 skipped" >>"$work/counts"
    fi
fi
if command -v clang++ >/dev/null 2>&1; then
    one=0
    build clang++ sanitized tests/cpp/lifetime_test.cpp "$library" -g -fsanitize=address,undefined \
        -fno-sanitize-recover=all
    build clang++ model_sanitized tests/cpp/model_test.cpp "$library" -g \
        -fsanitize=address,undefined -fno-sanitize-recover=all
    run sanitized
    run model_sanitized
fi
if [ "$one" -eq 77 ]; then
    echo "skipped: neither g++ nor clang++"
    exit 77
fi
awk '{ passed += $1; failed += $3 }
    END { print passed " passed, " failed " failed, 0 skipped"; exit failed > 0 }' "$work/counts"
