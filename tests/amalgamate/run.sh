#!/bin/sh
# The library as two files (tools/amalgamate.sh): compiled alone, without a warning, with gcc and clang,
# they define what the library defines and nothing else; every example prints on them what it should;
# the headers are headers for C++17; and the pages that say how to compile them say it right.
#
# usage: run.sh LIBRARY          the static library, to compare with
set -u
. "$(dirname "$0")/../cases.sh"
library=$1
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'

# Nothing of the tree can help from here on.
check "amalgamate.sh" sh "$root/tools/amalgamate.sh" "$work/two"
cp -r "$root/examples" "$work/examples"
cd "$work" || exit 1

# compile COMPILER OPTIMIZATION: mica.c alone; leaves what the compiler said, and the seconds it took.
compile() {
    began=$(date +%s)
    # The warnings are a list of words.
    # shellcheck disable=SC2086
    "$1" -std=c11 "$2" $warnings -c two/mica.c -o "$1.o" >"$1.said" 2>&1
    echo "$1 $2: $(($(date +%s) - began)) s, $(size "$1.o" | awk 'END { print $1 }') bytes of code" \
        >"$1.took"
}

# says EXPECTED PROGRAM
says() { "$2" | diff -u "$1" -; }

# Warnings are errors: an object is there if there was none.
compiled() { cat "$1.said" && [ -f "$1.o" ]; }

header() {
    cat >"$1.cpp" <<'END'
#include "two/mica.hpp"
#include "two/mica.h"
#include "two/mica.hpp"
struct Position {
    float x, y;
};
int main()
{
    mica::world world;
    mica::entity e = world.spawn(Position{1, 2});
    const Position *p = world.get<Position>(e);
    return p && p->y == 2 ? 0 : 1;
}
END
    # shellcheck disable=SC2086
    "$1" -std=c++17 -Wold-style-cast -Wsign-conversion $warnings "$1.cpp" "$2.o" -lm -o "$1.header" &&
        "./$1.header"
}

# As C++, one sentence, and not a thousand.
as_cpp() {
    "$1" -x c++ -c two/mica.c -o "$1.wrong.o" >"$1.wrong" 2>&1 && return 1
    cat "$1.wrong"
    grep -q 'error.*mica\.c is C' "$1.wrong" && [ "$(grep -c 'error: ' "$1.wrong")" -eq 1 ]
}

# defined OBJECTS: its symbols that others can see. Lists of the library's own are among them, if they are
# declared without their length: C has no other way.
defined() { nm -g --defined-only "$1" | awk 'NF == 3 && ($3 ~ /^mica_/ || $2 == "T") { print $3 }' | sort; }
only_public() {
    defined "$1" >inside
    defined "$library" | grep '^mica_' | diff - inside
}

for compiler in gcc clang; do
    if command -v "$compiler" >/dev/null 2>&1; then
        # Optimized code takes its time: little of it with one of the two, none with the other.
        compile "$compiler" "$([ "$compiler" = gcc ] && echo -O1 || echo -O0)" &
    fi
done
wait
for pair in gcc:g++ clang:clang++; do
    cc=${pair%:*} cxx=${pair#*:}
    if ! command -v "$cc" >/dev/null 2>&1 || ! command -v "$cxx" >/dev/null 2>&1; then
        echo "skipped: no $cc and $cxx"
        skipped=$((skipped + 1))
        continue
    fi
    cat "$cc.took"
    check "mica.c, $cc" compiled "$cc"
    check "mica.c, $cc, defines what the library does" only_public "$cc.o"
    check "mica.h and mica.hpp, $cxx" header "$cxx" "$cc"
    check "mica.c is not C++, $cxx" as_cpp "$cxx"
    for example in examples/*.c; do
        name=$(basename "$example" .c)
        # All of them with one compiler; hello-world with both.
        [ "$cc" = gcc ] || [ "$name" = hello ] || continue
        check "$name compiles, $cc" "$cc" -std=c11 -Itwo "$example" "$cc.o" -lm -o "$cc.$name"
        check "$name on two files, $cc" says "examples/$name.expected" "./$cc.$name"
    done
done

# told PAGE: what the page says, with what is compiled already in place of mica.c.
told() {
    command=$(grep '^cc .* app\.c mica\.c ' "$1" | sed 's/mica\.c/mica.o/')
    rm -f app
    echo "$command"
    [ -n "$command" ] && sh -c "$command" && says examples/hello.expected ./app
}
cp examples/hello.c app.c
cp two/mica.h .
cp gcc.o mica.o 2>/dev/null || cp clang.o mica.o
check "as README.md says it" told "$root/README.md"
check "as the guide says it" told "$root/docs/guide/getting.md"

conclude
