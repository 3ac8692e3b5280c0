#!/bin/sh
# Compiles, never runs: each public header alone, the macros as documented, and what must be refused
# (wrong_*.c in both languages; wrong_*.cpp in C++, each naming in its first line what is said then; those
# that say so, without any warnings);
# as C11 and as C++17, with gcc and with clang. In C++ no header and no macro has an old-style cast.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror'
headers=$(cd include && ls mica.h mica/*.h mica/detail/*.h)
headers_cpp=$(cd include && ls mica.hpp mica/hpp/*.hpp)
wrongs=$(cd tests/compile && ls wrong_*.c)
wrongs_cpp=$(cd tests/compile && ls wrong_*.cpp)

# compile COMPILER LANGUAGE FILE [option...]: says on $said what the compiler said.
compile() {
    compiler=$1 language=$2 file=$3
    shift 3
    case $language in
    c) standard='-std=c11' ;;
    c++) standard='-std=c++17 -Wold-style-cast' ;;
    esac
    [ "$compiler" = g++ ] && standard="$standard -Wuseless-cast"
    # The warnings are a list of words.
    # shellcheck disable=SC2086
    $compiler -x $language $standard $warnings -Iinclude -fsyntax-only "$@" "$file" \
        >"$said" 2>&1
}

fail() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    sed 's/^/    /' "$said"
}

# try COMPILER LANGUAGE: all cases. Writes its counts to a file of its own.
try() {
    said=$work/$1.said
    passed=0 failed=0
    for header in $headers $([ "$2" = c++ ] && echo "$headers_cpp"); do
        # Twice: the include guard counts, too.
        printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$header" "$header" \
            >"$work/$1.c"
        if compile "$1" "$2" "$work/$1.c"; then
            passed=$((passed + 1))
        else
            fail "<$header> alone, $1"
        fi
    done
    if compile "$1" "$2" tests/compile/macros.c; then
        passed=$((passed + 1))
    else
        fail "macros.c, $1"
    fi
    for wrong in $wrongs $([ "$2" = c++ ] && echo "$wrongs_cpp"); do
        expected=$(sed -n '1s,^// says: ,,p' "tests/compile/$wrong")
        expected=${expected:-mica_field_has_no_kind|mica_field_is_a_pointer|no kind|a pointer is no field|array of arrays}
        silent=
        grep -q 'An error, not a warning' "tests/compile/$wrong" && silent=-w
        if ! compile "$1" "$2" "tests/compile/$wrong"; then
            fail "$wrong, $1, without what is wrong"
        elif compile "$1" "$2" "tests/compile/$wrong" -DMICA_TEST_WRONG ${silent:+"$silent"}; then
            fail "$wrong, $1, compiles with what is wrong"
        elif ! grep -Eq "$expected" "$said"; then
            fail "$wrong, $1, is refused for another reason"
        else
            passed=$((passed + 1))
        fi
    done
    echo "$passed $failed 0" >"$work/$1.counts"
}

# Two at a time: one compiler for C beside one for C++.
for pair in gcc:g++ clang:clang++; do
    for entry in "c ${pair%:*}" "c++ ${pair#*:}"; do
        compiler=${entry#* }
        if command -v "$compiler" >/dev/null 2>&1; then
            try "$compiler" "${entry% *}" >"$work/$compiler.report" 2>&1 &
        else
            echo "skipped: no $compiler" >"$work/$compiler.report"
            echo "0 0 1" >"$work/$compiler.counts"
        fi
    done
    wait
done

cat "$work"/*.report
cat "$work"/*.counts | awk '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        if (NR != 4) { print "a compiler left no counts"; failed++ }
        print passed " passed, " failed " failed, " skipped " skipped"
        exit failed > 0
    }'
