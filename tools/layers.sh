#!/bin/sh
# Checks every #include in src/ against the map src/LAYERS.
#
# usage: layers.sh [ROOT]
#
# One line "file:line: sentence" per violation, and exit status 1 if there is any.
#   - "room/header.h": of the own room, or of a room the map grants; *_internal.h of the own room only
#   - *_internal.h are those headers that no other room reaches: neither by itself, nor through a header that it reaches
#   - <mica/header.h>: always; <mica.h>: never, it is for users
#   - <header.h>: of the C standard, or pthread.h; base/memory.c also has malloc.h, for Windows, and
#     base/file.c what files are reached by
#   - a room's line in the map grants only rooms of lines above it
cd "${1:-$(dirname "$0")/..}" || exit 2

if [ ! -f src/LAYERS ]; then
    echo "src/LAYERS:1: the map is missing"
    exit 1
fi

find src -type f \( -name '*.c' -o -name '*.h' \) | LC_ALL=C sort | awk '
function complain(where, sentence) {
    print where ": " sentence
    violations++
}

function read_map(    line, number, colon, room, grants, count, i) {
    while ((getline line < "src/LAYERS") > 0) {
        number++
        sub(/#.*/, "", line)
        if (line ~ /^[ \t]*$/) continue
        colon = index(line, ":")
        room = colon ? substr(line, 1, colon - 1) : line
        gsub(/[ \t]/, "", room)
        if (!colon || room == "") {
            complain("src/LAYERS:" number, "not of the form \"room : rooms it may include\"")
            continue
        }
        if (room in rooms) complain("src/LAYERS:" number, "room " room " has two lines")
        count = split(substr(line, colon + 1), grants, " ")
        for (i = 1; i <= count; i++) {
            if (!(grants[i] in rooms))
                complain("src/LAYERS:" number, \
                    room " is granted " grants[i] ", which is not on a line above: arrows point downwards")
            granted[room, grants[i]] = 1
        }
        rooms[room] = 1
    }
    close("src/LAYERS")
}

function folder(path) {
    return sub(/\/[^\/]*$/, "", path) ? path : ""
}

function check_quoted(where, room, header,    other) {
    other = folder(header)
    if (other == "")
        complain(where, "\"" header "\" does not spell its room: write \"" room "/" header "\"")
    else if (("/" header) ~ /\/\.\.?\//)
        complain(where, "\"" header "\" is a relative path: spell the room from src/")
    else if (other == "mica" || header ~ /^mica\//)
        complain(where, "\"" header "\" is public: write <" header ">")
    else if (header !~ /\.h$/)
        complain(where, "\"" header "\" is not a header")
    else if (!(other in rooms))
        complain(where, "\"" header "\" is of no room in src/LAYERS")
    else if (other != room && header ~ /_internal\.h$/)
        complain(where, "\"" header "\" is internal to " other)
    else if (other != room && !((room, other) in granted))
        complain(where, "src/LAYERS does not grant " room " the room " other)
    else if (!(("src/" header) in exists))
        complain(where, "\"" header "\" does not exist")
    else
        note_header(where, room, header, other)
}

# Who includes a header: another room, or headers of its own.
function note_header(where, room, header, other,    file) {
    file = where
    sub(/:[0-9]*$/, "", file)
    if (other != room) {
        reached["src/" header] = 1
    } else if (file ~ /\.h$/) {
        from[++edges] = file
        onto[edges] = "src/" header
        if (header ~ /_internal\.h$/ && file !~ /_internal\.h$/)
            complain(where, "\"" header "\" is internal, and this header is not")
    }
}

function check_internal(    i, more, file) {
    do {
        more = 0
        for (i = 1; i <= edges; i++)
            if ((from[i] in reached) && !(onto[i] in reached)) more = reached[onto[i]] = 1
    } while (more)
    for (i = 1; i <= NR; i++) {
        file = files[i]
        if (file ~ /\.h$/ && file !~ /_internal\.h$/ && !(file in reached))
            complain(file ":1", "no other room reaches this header: call it *_internal.h")
    }
}

function check_angled(where, file, header) {
    if (header == "mica.h")
        complain(where, "<mica.h> is for users: include the part you need")
    else if (header !~ /^mica\/(detail\/)?[a-z0-9_]+\.h$/ && !(header in standard) && !((file, header) in excepted))
        complain(where, "<" header "> is neither a public header of mica nor of the C standard")
}

function check_file(file,    line, number, room, where, inside, rest) {
    room = folder(file)
    room = room == "src" ? "" : substr(room, 5)
    if (room == "")
        complain(file ":1", "a source file outside of any room")
    else if (!(room in rooms) && !(room in unknown)) {
        unknown[room] = 1
        complain(file ":1", "room " room " has no line in src/LAYERS")
    }
    while ((getline line < file) > 0) {
        number++
        # What is inside a block comment is no include.
        if (inside) {
            if (!match(line, /\*\//)) continue
            line = substr(line, RSTART + 2)
            inside = 0
        }
        rest = line
        while (match(rest, /\/\*/)) {
            rest = substr(rest, RSTART + 2)
            if (!match(rest, /\*\//)) { inside = 1; break }
            rest = substr(rest, RSTART + 2)
        }
        if (line !~ /^[ \t]*#[ \t]*include/) continue
        where = file ":" number
        sub(/^[ \t]*#[ \t]*include[ \t]*/, "", line)
        if (match(line, /^"[^"]+"/)) check_quoted(where, room, substr(line, 2, RLENGTH - 2))
        else if (match(line, /^<[^>]+>/)) check_angled(where, file, substr(line, 2, RLENGTH - 2))
        else complain(where, "an include that names no file")
    }
    close(file)
}

BEGIN {
    split("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal " \
        "stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath " \
        "threads time uchar wchar wctype pthread", names, " ")
    for (i in names) standard[names[i] ".h"] = 1
    excepted["src/base/memory.c", "malloc.h"] = 1
    excepted["src/base/memory.c", "sys/mman.h"] = 1
    excepted["src/base/clock.c", "windows.h"] = 1
    excepted["src/base/thread.c", "windows.h"] = 1
    excepted["src/base/thread.c", "unistd.h"] = 1
    excepted["src/base/thread.c", "sched.h"] = 1
    excepted["src/base/thread.h", "intrin.h"] = 1
    split("fcntl sys/stat unistd io windows", names, " ")
    for (i in names) excepted["src/base/file.c", names[i] ".h"] = 1
    read_map()
}
{ files[NR] = $0; exists[$0] = 1 }
END {
    for (i = 1; i <= NR; i++) check_file(files[i])
    check_internal()
    exit violations > 0
}
'
