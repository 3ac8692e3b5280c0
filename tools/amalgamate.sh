#!/bin/sh
# make amalgamate: writes the whole library as two files, mica.h and mica.c, to be copied into another
# program's tree, and mica.hpp for those in C++. What goes in is what src/CMakeLists.txt lists.
#
# usage: amalgamate.sh [DIRECTORY]          build/amalgamated, unless told otherwise
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/amalgamated}
mkdir -p "$out"

version=$(tools/version.sh)

# mica.c includes mica.h as world/exported_inlines.c includes public headers, which can be done once.
#
# What mica.h includes comes in its order, other public headers after that.
headers="mica.h $(cd include && ls mica/*.h mica/detail/*.h | tr '\n' ' ')"
sources=$(awk '
    /^set\(MICA_SOURCES/ { list = 1; next }
    list { for (i = 1; i <= NF; i++) { file = $i; sub(/\)$/, "", file); print file } }
    list && /\)/ { exit }' src/CMakeLists.txt | grep -v '^world/exported_inlines\.c$' |
    awk '!seen[$1]++' | tr '\n' ' ')

# write WANT FILES TARGET
write() {
    awk -v root=. -v version="$version" -v want="$1" -v files="$2" \
        -f tools/code.awk -f tools/amalgamate.awk >"$3.new"
    mv "$3.new" "$3"
}
write header "$headers" "$out/mica.h"
write cpp mica.hpp "$out/mica.hpp"
write source "$sources" "$out/mica.c"
wc -lc "$out/mica.h" "$out/mica.c" "$out/mica.hpp" | awk '$3 != "total" { print $3 ": " $1 " lines, " $2 " bytes" }'
