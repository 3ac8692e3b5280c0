#!/bin/sh
# Counts what one public call passes through (bench/walks.c), on its first and on its second execution:
#
#   calls         of functions of mica, each execution counted
#   functions     of mica that run, each counted once
#   files         below src/ and include/ that have code that runs
#   instructions  of these functions, without those of the C library
#
# usage: walks.sh
#
# Prints a table in Markdown. The build has no optimization, so a call in the source is a call of the program.
# Functions that are always inlined (include/mica/detail/view.h) are the exception: their files count, their calls do
# not, and their instructions count for the caller. Internal assertions are off.
#
# The files of callgrind stay in build/walks: out.1 and out.2 are the two executions of the first walk, out.3 and
# out.4 those of the second, and so on. To see the calls:
#
#   callgrind_annotate --tree=calling --threshold=100 build/walks/out.1
#
# Its totals and percentages are wrong, because callgrind is switched on and off. The other figures are right.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
tools/setup.sh full || exit 1
if ! have valgrind; then
    echo "walks.sh needs valgrind" >&2
    exit 1
fi

folder=build/walks
quietly $folder.configure.log cmake -S . -B $folder \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG='-O0 -g -DNDEBUG' -DMICA_BUILD_BENCH=ON \
    -DMICA_BUILD_TESTS=OFF -DMICA_BUILD_EXAMPLES=OFF -DMICA_BUILD_DEMO=OFF \
    -DMICA_BUILD_TOOL=OFF -DMICA_INSTALL=OFF &&
    quietly $folder.build.log cmake --build $folder --target mica_walks --parallel "$jobs" || exit 1

# The tree as the compiler writes it, which may be a symbolic link.
root=$(sed -n 's/^CMAKE_HOME_DIRECTORY:[A-Z]*=//p' $folder/CMakeCache.txt)

rm -f $folder/out*
if ! valgrind --tool=callgrind --callgrind-out-file=$folder/out --dump-instr=no \
    --instr-atstart=no --dump-after=walk_counted \
    $folder/bench/mica_walks >$folder/names 2>$folder/said; then
    cat $folder/said >&2
    exit 1
fi

# count FILE: calls, functions, files and instructions of mica in a file that callgrind wrote. Its lines:
#
#   fl= fi= fe=   the file of the lines that follow
#   fn=           the function of the lines that follow
#   cfi= cfl=     the file of the next callee, if it differs
#   cfn=          the next callee
#   calls=N ...   N calls of it; the next line is their inclusive cost
#   LINE COST     the function's own cost in that source line
#
# A name is "(id) name" the first time, and "(id)" from then on. An uncompressed file has plain names.
count() {
    awk -v root="$root/" '
    function name(kind, text,    id) {
        if (!match(text, /^\([0-9]+\)/)) return text
        id = kind substr(text, 1, RLENGTH)
        if (length(text) > RLENGTH) names[id] = substr(text, RLENGTH + 2)
        return names[id]
    }
    function is_own(path) { return index(path, root "src/") == 1 || index(path, root "include/") == 1 }
    function enter_file(path) {
        file = path
        if (is_own(path)) files[path]
    }
    function enter_function(text) {
        own = is_own(file)
        if (own) functions[file, text]
    }
    function size(set,    key, n) {
        n = 0
        for (key in set) n++
        return n
    }
    {
        value = $0
        sub(/^[a-z]+=/, "", value)
    }
    /^f[lie]=/ { enter_file(name("file", value)) }
    /^fn=/ { enter_function(name("function", value)) }
    /^cf[il]=/ { called_file = name("file", value) }
    /^cfn=/ { name("function", value) }
    /^calls=/ {
        if (is_own(called_file == "" ? file : called_file)) calls += value
        called_file = ""
        getline
        next
    }
    /^[0-9+*-]/ { if (own) instructions += $2 }
    END { print calls + 0, size(functions), size(files), instructions + 0 }
    ' "$1"
}

number=0
while read -r name; do
    first=$(count $folder/out.$((number + 1))) && second=$(count $folder/out.$((number + 2))) || exit 1
    number=$((number + 2))
    echo "$first $second | $name"
done <$folder/names >$folder/rows
awk -F ' [|] ' '
    BEGIN {
        print "| walk | first: calls | functions | files | instructions |" \
            " second: calls | functions | files | instructions |"
        print "| --- | --: | --: | --: | --: | --: | --: | --: | --: |"
    }
    {
        row = "| " $2 " |"
        cells = split($1, cell, " ")
        for (i = 1; i <= cells; i++) {
            row = row " " cell[i] " |"
            if (cell[i] == 0) empty = 1
        }
        print row
    }
    END {
        if (empty || NR == 0) {
            print "walks.sh: nothing was counted" >"/dev/stderr"
            exit 1
        }
    }' $folder/rows
