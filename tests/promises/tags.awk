# Compares the tags of public headers with the tests that cite them: a line "file: sentence" for each difference.
#
# usage: awk -f tags.awk HEADER... TESTS...             headers (.h) first; TESTS (.c) are files of promises
#        awk -v want=functions -f tags.awk HEADER...    only lists the functions that the headers declare and the library exports
#
# A tag is [noun.word], small letters, in a comment. The comment of a function is the one above it, or above the
# first of several that stand together without a blank line. If a struct stands between, one blank line may follow the
# struct. Lines of code in a comment are indented by three, and are no sentences.

function base_of(path) {
    sub(/^.*\//, "", path)
    return path
}

# The next tag of `rest`, "" if there is none; `before_tag` and `rest` are what stands before and behind it.
function next_tag(    at, tag) {
    before_tag = ""
    while (match(rest, /\[[a-z]+\.[a-z0-9]+(_[a-z0-9]+)*\]/)) {
        at = RSTART
        tag = substr(rest, RSTART + 1, RLENGTH - 2)
        before_tag = before_tag substr(rest, 1, at - 1)
        rest = substr(rest, at + RLENGTH)
        if (before_tag !~ /[A-Za-z0-9_]$/) return tag
        before_tag = before_tag "[" tag "]" # an index
    }
    return ""
}

# Tags in a line of a comment of a header. `unit`: the comment's number, or 0 if it is above nothing.
function note_tags(text, unit,    tag) {
    rest = text
    while ((tag = next_tag()) != "") {
        if (tag in place) {
            complain(file, FNR, "[" tag "]: also at " place[tag])
            continue
        }
        tags[++tag_count] = tag
        place[tag] = file ":" FNR
        unit_of[tag] = unit
        if (unit) {
            tagged[unit] = 1
            tail[unit] = ""
        }
    }
    if (unit && text !~ /^   /) tail[unit] = tail[unit] rest " "
}

function complain(name, line, sentence) {
    if (want == "") print name ":" (line ? line ":" : "") " " sentence
}

function declare(name) {
    if (name in header_of) return # it was declared, and is defined here
    functions[++function_count] = name
    header_of[name] = file
    exported[name] = is_export
    comment_of[name] = unit
    if (unit) under[unit] = under[unit] " " name
}

function close_unit() {
    unit = 0
    commenting = 0
    after_struct = 0
}

FNR == 1 {
    file = base_of(FILENAME)
    is_header = file ~ /\.h$/
    close_unit()
    in_declaration = 0
    in_struct = 0
    case_name = ""
}

# Headers.

is_header && in_declaration { # up to its end
    if ($0 ~ /^}/ || (!body && $0 ~ /;[ \t]*(\/\/.*)?$/)) in_declaration = 0
    if ($0 ~ /^{/) body = 1
    if (pending && match($0, /mica_[a-z0-9_]+\(/)) {
        declare(substr($0, RSTART, RLENGTH - 1))
        pending = 0
    }
    next
}
is_header && /^\/\// {
    if (!commenting) {
        close_unit()
        unit = ++unit_count
    }
    commenting = 1
    note_tags(substr($0, 3), unit)
    next
}
is_header && match($0, /\/\/ /) { note_tags(substr($0, RSTART + 2), 0) }
is_header && in_struct {
    if ($0 ~ /^}/) {
        in_struct = 0
        after_struct = 1
    }
    next
}
is_header && unit && /^typedef struct [a-z_]+ {$/ {
    commenting = 0
    in_struct = 1
    next
}
is_header && after_struct && /^$/ {
    after_struct = 0
    next
}
is_header && /^static inline .*mica_[a-z0-9_]*_\(/ { # a helper
    close_unit()
    next
}
is_header && /^(MICA_USE_RESULT )?(MICA_API|MICA_INLINE|MICA_INLINE_ALWAYS|static inline) / {
    is_export = $0 !~ /^static/
    commenting = 0
    after_struct = 0
    body = 0
    pending = !match($0, /mica_[a-z0-9_]+\(/)
    if (!pending) declare(substr($0, RSTART, RLENGTH - 1))
    in_declaration = $0 !~ /;[ \t]*(\/\/.*)?$/
    next
}
is_header && /^MICA_PRINTF|^MICA_USE_RESULT$/ { next } # an attribute on a line of its own
is_header {
    close_unit()
    next
}

# Tests.

/^PROMISE\(mica_[a-z0-9_]+\)$/ {
    case_name = substr($0, 9, length($0) - 9)
    if (case_name in test_of) complain(file, FNR, case_name ": two cases")
    else cases[++case_count] = case_name
    test_of[case_name] = file
    next
}
match($0, /\/\/ /) {
    rest = substr($0, RSTART + 2)
    while ((tag = next_tag()) != "") {
        if (!(tag in place)) complain(file, FNR, "[" tag "]: no header has it")
        cited[tag] = 1
        cited_in[tag, case_name] = 1
    }
}
/^}/ { case_name = "" }

function is_cited(tag, names,    list, count, i) {
    if (names == "") return tag in cited
    count = split(names, list, " ")
    for (i = 1; i <= count; i++)
        if ((tag, list[i]) in cited_in) return 1
    return 0
}

END {
    for (i = 1; i <= function_count; i++) {
        name = functions[i]
        if (want == "functions") {
            if (exported[name]) print name
            continue
        }
        unit = comment_of[name]
        if (!(name in test_of)) complain(header_of[name], 0, name ": no case")
        if (!unit || !tagged[unit]) complain(header_of[name], 0, name ": no tag in its comment")
        else if (tail[unit] ~ /[A-Za-z]/ && !told[unit]++) {
            gsub(/[ \t]+/, " ", tail[unit])
            complain(header_of[name], 0, name ": no tag behind \"" substr(tail[unit], 2, length(tail[unit]) - 2) "\"")
        }
    }
    if (want == "functions") exit
    for (i = 1; i <= tag_count; i++) {
        names = under[unit_of[tags[i]]]
        if (!is_cited(tags[i], names)) {
            split(place[tags[i]], part, ":")
            complain(part[1], part[2], "[" tags[i] "]: " (names == "" ? "no test" : "no case of" names) " cites it")
        }
    }
    for (i = 1; i <= case_count; i++) {
        name = cases[i]
        home = test_of[name]
        sub(/\.c$/, ".h", home)
        if (header_of[name] != home) complain(test_of[name], 0, name ": not declared in " home)
    }
}
