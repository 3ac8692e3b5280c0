#!/bin/sh
# Checks that loops over rows become vector code: those of examples, demo and benchmark that vector.list
# names, compiled with -O3 by gcc and by clang for processors with AVX2, must do arithmetic on whole
# registers of 32 bytes, at least one instruction for each loop. (Two floats of one struct in half a
# register would not count: that is how far a compiler gets that does not see that rows are alike.)
#
# Exit status 77 where there is neither compiler, or another processor.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ "$(uname -m)" = x86_64 ] || { echo "skipped: vector.list is for x86_64"; exit 77; }
compilers=
for compiler in gcc clang; do
    have $compiler && compilers="$compilers $compiler"
done
[ -n "$compilers" ] || { echo "skipped: there is neither gcc nor clang"; exit 77; }

# whole_registers FUNCTION <ASSEMBLY: how many instructions of the function, or of what a compiler split
# off it, add, subtract, multiply or divide packed floats or integers in 32 bytes.
whole_registers() {
    awk -v wanted="$1" '
        /^[A-Za-z_][A-Za-z0-9_.]*:/ { name = $0; sub(/[.:].*/, "", name) }
        name == wanted && /^[ \t]*v(add|sub|mul|div|fn?m(add|sub)[0-9]+)p[sd][ \t].*%ymm/ { count++ }
        name == wanted && /^[ \t]*vp(add|sub|mull)[bwdq][ \t].*%ymm/ { count++ }
        END { print count + 0 }'
}

checked=0
failed=0
for compiler in $compilers; do
    last=
    while read -r file function loops only; do
        case $file in '#'* | '') continue ;; esac
        [ "${only:-$compiler}" = "$compiler" ] || continue
        if [ "$file" != "$last" ]; then
            $compiler -std=c11 -O3 -march=x86-64-v3 -DNDEBUG -Iinclude -Ibench -S "$file" \
                -o "$work/assembly" || exit 1
            last=$file
        fi
        found=$(whole_registers "$function" <"$work/assembly")
        checked=$((checked + 1))
        if [ "$found" -lt "$loops" ]; then
            failed=$((failed + 1))
            echo "$file: $compiler makes $found vector instructions of the $loops loops of $function()"
        fi
    done <tools/vector.list
done
echo "$checked functions checked, $failed without vector code"
[ "$failed" -eq 0 ]
