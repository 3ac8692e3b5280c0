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
# listed NAME: the files of a list.
listed() {
    awk -v start="set($1" '
        $1 == start { list = 1; next }
        list { for (i = 1; i <= NF; i++) { file = $i; sub(/\)$/, "", file); print file } }
        list && /\)/ { exit }' src/CMakeLists.txt | tr '\n' ' '
}
sources=$(listed MICA_SOURCES | sed 's| world/exported_inlines\.c | |')
per_entity=$(listed MICA_COLD_PER_ENTITY_SOURCES)
cold=
for file in $(listed MICA_COLD_SOURCES); do
    case " $per_entity" in
    *" $file "*) ;;
    *) cold="$cold $file" ;;
    esac
done

# write WANT FILES TARGET
write() {
    awk -v root=. -v version="$version" -v want="$1" -v files="$2" -v cold="$cold" \
        -f tools/code.awk -f tools/amalgamate.awk >"$3.new"
    mv "$3.new" "$3"
}
write header "$headers" "$out/mica.h"
write cpp mica.hpp "$out/mica.hpp"
write source "$sources" "$out/mica.c"
wc -lc "$out/mica.h" "$out/mica.c" "$out/mica.hpp" | awk '$3 != "total" { print $3 ": " $1 " lines, " $2 " bytes" }'
