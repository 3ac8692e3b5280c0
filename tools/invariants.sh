#!/bin/sh
# Checks the numbers of invariants.
#
# usage: invariants.sh [ROOT]
#
# One line "file:line: sentence" per violation, and exit status 1 if there is any.
#   - a number is defined once, in one file head of src/: "//   T1  a sentence"
#   - a number that src/ reports ("T1", for micai_fail_invariant) is defined, and some test expects it: alone or
#     among others in a string, or as "invariant T1 is broken"
cd "${1:-$(dirname "$0")/..}" || exit 2

for folder in tests src; do
    [ -d "$folder" ] && find "$folder" -type f \( -name '*.c' -o -name '*.h' \)
done | LC_ALL=C sort -r | awk '
# Tests come first.
BEGIN { number = "[A-Z][0-9][0-9]?" }

function complain(place, sentence) {
    print place ": " sentence
    violations++
}

function expect(line,    words, count, i) {
    while (match(line, "(\"|invariant )" number "( " number ")*(\"| is broken)")) {
        count = split(substr(line, RSTART, RLENGTH), words, /[^A-Z0-9]+/)
        for (i = 1; i <= count; i++) expected[words[i]] = 1
        line = substr(line, RSTART + RLENGTH)
    }
}

function define(line, place) {
    if (!match(line, "^//   " number " ")) return
    line = substr(line, 6, RLENGTH - 6)
    if (line in defined) complain(place, line " is defined in " defined[line] ", too")
    else defined[line] = place
}

function report(line, place) {
    while (match(line, "\"" number "\"")) {
        reported[substr(line, RSTART + 1, RLENGTH - 2)] = place
        line = substr(line, RSTART + RLENGTH)
    }
}

{
    file = $0
    at = 0
    while ((getline line < file) > 0) {
        at++
        if (file ~ /^tests\//) expect(line)
        else {
            define(line, file ":" at)
            report(line, file ":" at)
        }
    }
    close(file)
}
END {
    for (one in reported) {
        if (!(one in defined)) complain(reported[one], one " is defined in no file head")
        if (!(one in expected)) complain(reported[one], one " is expected by no test")
    }
    exit violations > 0
}
'
