#!/bin/sh
# Finds the words of tools/dictionary.list: in C and C++ files as a word of a name, a comment or a string, in pages as a word.
#
# usage: dictionary.sh [PATH...]
#
# A PATH is a file or a folder; without any, the folders of the library, its pages and its programs. One line
# "file:line: word" per place, and exit status 1 if there is any.
list=$(cd "$(dirname "$0")" && pwd)/dictionary.list
if [ $# -eq 0 ]; then
    cd "$(dirname "$0")/.." || exit 2
    set -- src include tests docs examples demo bench README.md CONTRIBUTING.md
fi
find "$@" -path tests/docs/english -prune -o -type f \( -name '*.[ch]' -o -name '*.hpp' -o -name '*.cpp' -o -name '*.md' \) -print | LC_ALL=C sort |
    LC_ALL=C awk -v list="$list" '
BEGIN {
    while ((getline line < list) > 0) {
        if (line ~ /^#/ || split(line, field, " ") == 0) continue
        forbidden[field[1]] = 1
        if (field[2] == "docs") natural[field[1]] = 1
    }
}

{
    file = $0
    page = file ~ /\.md$/
    number = 0
    while ((getline line < file) > 0) {
        number++
        count = split(tolower(line), words, /[^a-z]+/)
        for (i = 1; i <= count; i++) {
            if (words[i] in forbidden && !(page && words[i] in natural)) {
                print file ":" number ": " words[i]
                found++
            }
        }
    }
    close(file)
}
END { exit found > 0 }
'
