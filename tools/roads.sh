#!/bin/sh
# Lists every call that src/ROADS does not grant: storage tests, rows, pools, slots, notifications; and
# functions that are named by an adverb.
#
# usage: roads.sh [ROOT] [--summary | --table]
#
# One line "file:line: sentence" per violation, kind by kind, and exit status 1 if there is any.
#   --summary  only how many there are, per kind and per file
#   --table    the list, and the names of the table that no function has: they were renamed, or are gone
# A call in a comment or a string is none. Declarations count as calls, so that the files that declare
# a function must be granted it.
code=$(cd "$(dirname "$0")" && cat code.awk storage.awk) || exit 2
root=$(dirname "$0")/..
mode=list
for argument in "$@"; do
    case $argument in
    --summary) mode=summary ;;
    --table) mode=table ;;
    -*) echo "usage: roads.sh [ROOT] [--summary | --table]" >&2 && exit 2 ;;
    *) root=$argument ;;
    esac
done
cd "$root" || exit 2

if [ ! -f src/ROADS ]; then
    echo "src/ROADS:1: the table is missing"
    exit 1
fi

find src include -type f \( -name '*.c' -o -name '*.h' \) | LC_ALL=C sort | awk -v mode="$mode" "$code"'
function trim(text) {
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    return text
}

function fault(where, sentence) {
    print where ": " sentence
    faults++
}

# "kind : names : places", a line of the table.
function read_line(where, line,    parts, kind) {
    if (split(line, parts, ":") != 3 || trim(parts[1]) == "" || trim(parts[2]) == "") {
        fault(where, "not of the form \"kind : functions : rooms and files that may call them\"")
        return
    }
    kind = trim(parts[1])
    if (!(kind in known)) { known[kind] = 1; kinds[++kind_count] = kind }
    kind_of[++line_count] = kind
    where_of[line_count] = where
    names_of[line_count] = parts[2]
    places_of[line_count] = parts[3]
}

function read_table(    line, number) {
    while ((getline line < "src/ROADS") > 0) {
        number++
        sub(/#.*/, "", line)
        if (line !~ /^[ \t]*$/) read_line("src/ROADS:" number, line)
    }
    close("src/ROADS")
}

function fits(name, pattern) {
    gsub(/\*/, "[A-Za-z0-9_]*", pattern)
    return name ~ ("^" pattern "$")
}

# Has a line of the table the name?
function has_name(i, name,    words, count, w, matches) {
    count = split(names_of[i], words, " ")
    for (w = 1; w <= count; w++) {
        if (words[w] ~ /^-/) { if (fits(name, substr(words[w], 2))) return 0 }
        else if (fits(name, words[w])) { used[i, words[w]] = 1; matches = 1 }
    }
    return matches
}

# The first line of the table that has the name: of adverbs, or of all other kinds. 0: none.
function find_line(name, adverbs,    i) {
    if (!((name, adverbs) in lines)) {
        lines[name, adverbs] = 0
        for (i = line_count; i > 0; i--)
            if ((kind_of[i] == "adverbs") == adverbs && has_name(i, name)) lines[name, adverbs] = i
    }
    return lines[name, adverbs]
}

# Does a line of the table grant the file what it has?
function is_granted(i, file,    places, count, p) {
    count = split(places_of[i], places, " ")
    for (p = 1; p <= count; p++)
        if (index(file, "src/" places[p] "/") == 1 || file == "src/" places[p] ".c" ||
            file == "src/" places[p] ".h") return 1
    return 0
}

function note(i, number, sentence,    kind) {
    kind = kind_of[i]
    counts[kind]++
    found[kind, counts[kind]] = file ":" number ": " kind ": " sentence
    if (!((kind, file) in counts_of)) files_of[kind, ++file_counts[kind]] = file
    counts_of[kind, file]++
}

# What a line of code calls, and whether it asks which storage a type has.
function check_calls(text,    i, name) {
    i = find_line("QUESTION", 0)
    if (i && asks_storage(text) && !is_granted(i, file))
        note(i, number, "asks which storage a type has; src/ROADS does not grant it")
    while (match(text, /[A-Za-z_][A-Za-z0-9_]* *\(/)) {
        name = substr(text, RSTART, RLENGTH - 1)
        text = substr(text, RSTART + RLENGTH)
        sub(/ +$/, "", name)
        i = find_line(name, 0)
        if (i && !is_granted(i, file))
            note(i, number, "calls " name "(); src/ROADS does not grant it")
    }
}

# A function begins at the left margin. It is defined there if a brace comes before the next semicolon.
function check_names(text,    name) {
    if (text ~ /^[A-Za-z_]/ && match(text, /[A-Za-z_][A-Za-z0-9_]*\(/)) {
        name = substr(text, RSTART, RLENGTH - 1)
        adverb = find_line(name, 1)
        adverb_name = name
        adverb_number = number
    }
    if (adverb && match(text, /[{;]/)) {
        if (substr(text, RSTART, 1) == "{")
            note(adverb, adverb_number, adverb_name "() is named by an adverb")
        adverb = 0
    }
}

function check_file(    line, text) {
    number = inside = adverb = 0
    while ((getline line < file) > 0) {
        number++
        text = code(line)
        if (file ~ /^src\//) check_calls(text)
        check_names(text)
    }
    close(file)
}

function print_list(    k, i) {
    for (k = 1; k <= kind_count; k++)
        for (i = 1; i <= counts[kinds[k]]; i++) print found[kinds[k], i]
}

function print_summary(    k, kind, i, f) {
    for (k = 1; k <= kind_count; k++) {
        kind = kinds[k]
        print kind ": " counts[kind] + 0 " in " file_counts[kind] + 0 " files"
        for (i = 1; i <= file_counts[kind]; i++) {
            f = files_of[kind, i]
            printf "%6d %s\n", counts_of[kind, f], f
        }
    }
}

# Every name in the table is that of a function. (Adverbs are there to find nothing.)
function check_table(    i, words, count, w) {
    for (i = 1; i <= line_count; i++) {
        count = kind_of[i] == "adverbs" ? 0 : split(names_of[i], words, " ")
        for (w = 1; w <= count; w++)
            if (words[w] != "QUESTION" && words[w] !~ /^-/ && !((i, words[w]) in used))
                fault(where_of[i], "there is no function " words[w])
    }
}

BEGIN { read_table() }
{ file = $0; check_file() }
END {
    for (k = 1; k <= kind_count; k++) all += counts[kinds[k]]
    if (mode == "summary") print_summary()
    else print_list()
    if (mode == "table") check_table()
    exit faults > 0 || all > 0
}
'
