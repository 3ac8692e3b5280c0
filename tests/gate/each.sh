#!/bin/sh
# Checks that each() of the C++ header is the loop that one writes in C, with gcc and with clang:
#
#   by instructions  what a further row costs is at most the same (a five-hundredth is for what the first call
#                    costs, which moves with the layout of the heap), loop by loop, for a query that is iterated by
#                    hand and for a system; what an each() costs beside its rows, which it ends by a call, at most
#                    150 more
#   by registers     where the loop in C works on eight floats at a time, so does the other
#
# usage: each.sh LIBRARY
set -u
library=$1
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

fail() {
    failed=$((failed + 1))
    echo "FAILED gate/each: $1"
}

# build CC CXX [option...]
build() {
    cc=$1 cxx=$2
    shift 2
    "$cc" -std=c11 -O3 "$@" -Iinclude -c tests/gate/each.c -o "$work/c.o" &&
        "$cxx" -std=c++17 -O3 "$@" -Iinclude -c tests/gate/each.cpp -o "$work/cpp.o"
}

# count WHAT ROWS: instructions; leaves what the program printed.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect=measured \
        "$work/each" "$1" "$2" >"$work/printed" 2>"$work/said" || cat "$work/said" >&2
    sed -n 's/^totals: *\([0-9]*\).*/\1/p' "$work/out"
}

# compare LOOP COMPILER: what 20,000 rows more cost.
compare() {
    c_few=$(count "c_$1" 1000) && c_many=$(count "c_$1" 21000) && cp "$work/printed" "$work/c"
    cpp_few=$(count "cpp_$1" 1000) && cpp_many=$(count "cpp_$1" 21000)
    if [ -z "${c_few:-}" ] || [ -z "${cpp_few:-}" ] || [ "${c_few:-0}" -eq 0 ]; then
        fail "$1, $2: nothing was counted"
        return
    fi
    c_more=$((c_many - c_few)) cpp_more=$((cpp_many - cpp_few))
    echo "$1, $2: 20,000 rows in C $c_more instructions, with each() $cpp_more; 1,000: $c_few, $cpp_few"
    if ! cmp -s "$work/c" "$work/printed"; then
        fail "$1, $2: the results differ"
    elif [ $((cpp_more * 1000)) -gt $((c_more * 1002)) ] || [ $((cpp_few - c_few)) -gt 150 ]; then
        fail "$1, $2: each() costs more than the loop in C"
    else
        passed=$((passed + 1))
    fi
}

# wide OBJECT FUNCTION: does it multiply or add eight floats at a time?
wide() {
    objdump -d --no-show-raw-insn -C "$1" |
        awk -v name="$2" '/^[0-9a-f]+ <.*>:$/ { in_it = index($0, name) } in_it' |
        grep -Eq 'v(mul|add|fmadd[0-9]*)ps .*%ymm'
}

if ! command -v valgrind >/dev/null 2>&1 || ! command -v objdump >/dev/null 2>&1; then
    echo "SKIPPED gate/each: there is no valgrind, or no objdump"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
fi
for pair in gcc:g++ clang:clang++; do
    cc=${pair%:*} cxx=${pair#*:}
    if ! command -v "$cxx" >/dev/null 2>&1 || ! command -v "$cc" >/dev/null 2>&1; then
        continue
    fi
    if ! build "$cc" "$cxx" || ! "$cxx" "$work/c.o" "$work/cpp.o" "$library" -lm -lpthread -o "$work/each"
    then
        fail "$cxx: does not compile"
        continue
    fi
    if ! valgrind -q --tool=none "$work/each" c_move 1 >"$work/said" 2>&1 &&
        grep -q 'debuginfo reader' "$work/said"; then
        echo "$cxx: valgrind cannot read what it writes"
    else
        for loop in move pick sum step; do
            compare $loop "$cxx"
        done
    fi
    case $(uname -m) in
    x86_64)
        build "$cc" "$cxx" -mavx2 -mfma
        if ! wide "$work/c.o" c_move; then
            echo "$cc: the loop in C is not of eight at a time"
        elif wide "$work/cpp.o" "cpp_move(" &&
            { wide "$work/cpp.o" "::update(mica_iter*)" || wide "$work/cpp.o" "::run(mica_iter*"; }; then # what update() calls
            echo "$cxx: eight at a time, as in C"
            passed=$((passed + 1))
        else
            fail "$cxx: the loop in C is of eight at a time, and each() is not"
        fi
        ;;
    esac
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
