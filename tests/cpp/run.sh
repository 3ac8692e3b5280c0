#!/bin/sh
# Programs in C++17 over the library: each *_test.cpp with pages of a few rows, as C++20 without exceptions, and
# under the sanitizers (ends_test.cpp with both compilers, where they have them); shared_test.cpp with a library that it loads; and the programs of the guides and of
# examples/cpp, which must print what stands beside them.
#
# usage: run.sh LIBRARY LIBRARY_OF_SMALL_PAGES SHARED_LIBRARY
set -u
library=$1
small=$2
shared=$3
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

# run NAME: what the program says, if it fails; its last line is of counts.
run() {
    if [ -x "$work/$1" ]; then
        "$work/$1" >"$work/$1.said" 2>&1
    fi
    grep -Eq '^[0-9]+ passed, [0-9]+ failed, 0 skipped$' "$work/$1.said" ||
        echo "0 passed, 1 failed, 0 skipped" >>"$work/$1.said"
    tail -n 1 "$work/$1.said" | grep -q ' 0 failed' || sed '$d' "$work/$1.said"
    tail -n 1 "$work/$1.said" >>"$work/counts"
}

: >"$work/counts"
suites='lifetime world system threads part ends'

# guide PAGE: its program in C++, and what it prints.
guide() {
    rm -f "$work"/guide*
    awk -v code="$work/guide.cpp" -v text="$work/guide.expected" -f tests/cpp/guide.awk "$1"
    build g++ guide "$work/guide.cpp" "$library" -Wno-unused
    # What it prints, then what the library has to say: only one of them is buffered.
    "$work/guide" >"$work/guide.out" 2>"$work/guide.err"
    cat "$work/guide.err" >>"$work/guide.out"
    if diff "$work/guide.expected" "$work/guide.out" >>"$work/guide.said" 2>&1; then
        echo "1 passed, 0 failed, 0 skipped" >>"$work/counts"
    else
        echo "FAILED: the program of $1"
        cat "$work/guide.said"
        echo "0 passed, 1 failed, 0 skipped" >>"$work/counts"
    fi
}

# example COMPILER SOURCE: prints what stands beside it.
example() {
    rm -f "$work"/example*
    build "$1" example "$2" "$library"
    if "$work/example" >"$work/example.out" 2>>"$work/example.said" &&
        diff "${2%.cpp}.expected" "$work/example.out" >>"$work/example.said" 2>&1; then
        echo "1 passed, 0 failed, 0 skipped" >>"$work/counts"
    else
        echo "FAILED: $2, $1"
        cat "$work/example.said"
        echo "0 passed, 1 failed, 0 skipped" >>"$work/counts"
    fi
}

one=77
if command -v g++ >/dev/null 2>&1; then
    one=0
    for suite in $suites; do
        build g++ "small_$suite" "tests/cpp/${suite}_test.cpp" "$small" -DMICAI_TEST_SMALL_PAGES \
            -Wuseless-cast &
        build g++ "bare_$suite" "tests/cpp/${suite}_test.cpp" "$library" -std=c++20 -O2 \
            -fno-exceptions -fno-rtti
        wait
        run "small_$suite"
        run "bare_$suite"
    done
    build g++ model_small tests/cpp/model_test.cpp "$small" -DMICAI_TEST_SMALL_PAGES &
    build g++ model_bare tests/cpp/model_test.cpp "$library" -O2 -DNDEBUG -fno-exceptions -fno-rtti
    wait
    run model_small
    run model_bare
    # What is inline keeps to the bounds of arrays, those at the end of structs included.
    build g++ bounds tests/cpp/lifetime_test.cpp "$library" -fsanitize=bounds-strict \
        -fno-sanitize-recover=all
    run bounds
    # Objects that end anywhere are a question for the address sanitizer.
    if echo "int main() {}" | g++ -fsanitize=address -x c++ -o "$work/probe" - 2>/dev/null; then
        build g++ sanitized tests/cpp/ends_test.cpp "$library" -g -fsanitize=address
        run sanitized
    else
        echo "skipped: g++ has no address sanitizer"
    fi
    # Two binaries that hide their symbols from each other.
    build g++ libplugin.so tests/cpp/shared_plugin.cpp "$shared" -fPIC -shared -fvisibility=hidden
    build g++ shared tests/cpp/shared_test.cpp "$shared" -fvisibility=hidden \
        -Wl,--no-as-needed "$work/libplugin.so" -Wl,-rpath,"$work:$(dirname "$shared")"
    run shared
    guide docs/guide/types.md
    guide docs/guide/cpp.md
    guide docs/coming-from/entt.md
    guide docs/coming-from/bevy.md
    for source in examples/cpp/*.cpp; do
        example g++ "$source"
    done
fi
if command -v clang++ >/dev/null 2>&1; then
    one=0
    for suite in $suites model; do
        build clang++ "sanitized_$suite" "tests/cpp/${suite}_test.cpp" "$library" -g \
            -fsanitize=address,undefined -fno-sanitize-recover=all
        run "sanitized_$suite"
    done
    for source in examples/cpp/*.cpp; do
        example clang++ "$source"
    done
fi
if [ "$one" -eq 77 ]; then
    echo "skipped: neither g++ nor clang++"
    exit 77
fi
awk '{ passed += $1; failed += $3 }
    END { print passed " passed, " failed " failed, 0 skipped"; exit failed > 0 }' "$work/counts"
