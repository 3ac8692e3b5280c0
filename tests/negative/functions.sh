#!/bin/sh
# What the negative table must hold, derived from the public headers: one line
# "function.parameter.kind" for every exported function, every parameter it has and every kind of bad
# argument that a parameter of that type can get. Exported is what is marked MICA_API or MICA_INLINE; of
# the inline functions, those that take a world, an iteration or an accessor have rows.
#
# usage: functions.sh [--functions] [ROOT]
#
# --functions prints the functions only, all of them. A type for which no kinds are known is an error: say below
# what can be wrong with it.
set -u
what=rows
if [ "${1:-}" = --functions ]; then
    what=functions
    shift
fi
cd "${1:-$(dirname "$0")/../..}" || exit 2

# Rows that are derived and cannot be: what the function is given cannot be told from what is right.
# One per line: row, reason.
exceptions() {
    cat <<'END'
mica_world_new.desc.contradictory no two fields of it speak of the same thing
mica_world_save.desc.contradictory no two fields of it speak of the same thing
mica_subset_save.desc.contradictory no two fields of it speak of the same thing
mica_relation_add.desc.contradictory no two fields of it speak of the same thing
mica_relation_add.desc.oversized it has no list
mica_group_new.desc.oversized its lists have the length they have
mica_time_begin.desc.oversized it has no list
mica_twin_new.desc.contradictory no two fields of it speak of the same thing
mica_tape_begin.desc.contradictory no two fields of it speak of the same thing
mica_tape_begin.desc.oversized it has no list
mica_trace_begin.desc.contradictory no two fields of it speak of the same thing
mica_accessor_get.accessor.garbage pointers in it are followed, inline
mica_accessor_get_mut.accessor.garbage pointers in it are followed, inline
mica_accessor_get_as.accessor.garbage pointers in it are followed, inline
mica_accessor_get_mut_as.accessor.garbage pointers in it are followed, inline
mica_accessor_get_many.accessor.garbage pointers in it are followed, inline or not
mica_accessor_get_many.count.huge the list has the length it has
mica_accessor_get_mut_many.accessor.garbage pointers in it are followed, inline or not
mica_accessor_get_mut_many.count.huge the list has the length it has
mica_text_quote.count.huge the text has the length it has
mica_phases_run.count.huge the list has the length it has
mica_systems_run.count.huge the list has the length it has
mica_accessor_enable.accessor.garbage pointers in it are followed, inline
mica_accessor_disable.accessor.garbage pointers in it are followed, inline
mica_accessor_is_enabled.accessor.garbage pointers in it are followed, inline
mica_read.it.garbage inline: one bit is looked at, nothing else
mica_read.it.closed inline: one bit is looked at, nothing else
mica_read.it.foreign inline: one bit is looked at, nothing else
mica_write.it.garbage inline: one bit is looked at, nothing else
mica_write.it.closed inline: one bit is looked at, nothing else
mica_write.it.foreign inline: one bit is looked at, nothing else
END
}

{
    exceptions | sed 's/^/exception /'
    find include/mica -name '*.h' 2>/dev/null | LC_ALL=C sort | while read -r header; do
        cat "$header"
    done
} | awk -v what="$what" '
function fail(sentence) {
    print "functions.sh: " sentence >"/dev/stderr"
    failed = 1
}

# The kinds of bad argument of a parameter, by its type and, where that says too little, its name.
function kinds_of(type, name, function_name,    handles, entities, set) {
    handles = "none garbage freed recycled foreign"
    entities = "none impossible unissued dead recycled ones foreign"
    if (type == "mica_world *" && name == "twin") return "null same foreign"
    if (type == "mica_world *") return "null iterating"
    if (type == "mica_entity") return entities
    if (type == "mica_type") return "none garbage foreign"
    if (type == "mica_relation") return "none garbage foreign"
    if (type == "mica_descent *") return "null zeroed ended changed"
    if (type ~ /^mica_(query|bundle|system|phase|group|observer)$/) return handles
    if (type == "mica_snapshot") return "none garbage dropped foreign"
    if (type ~ /^const mica_[a-z]*_desc \*$/)
        return "null zeroed garbage unended oversized contradictory"
    if (type == "mica_cursor *") return "null foreign misnamed"
    if (type == "const mica_accessor *") return "null none garbage"
    if (type ~ /^(const )?mica_iter \*$/ && name !~ /_out$/)
        return "null zeroed garbage unbegun ended closed foreign"
    if (type ~ /\*$/ && name ~ /_out$/) return "null"
    if (type == "const mica_type_set *" || type == "mica_type_set *") return "null foreign"
    if (type == "const mica_entity *") return "null with_" entities_with(entities)
    if (type == "const mica_phase *" || type == "const mica_system *") return "null " handles
    if (type == "const mica_type *") return "null with_none with_garbage with_foreign with_twice"
    if (type == "const mica_value *")
        return "null with_none with_garbage with_foreign with_size with_tag_data with_twice with_c_type"
    if (name == "c_type") return "null other"
    if (name == "call") return "null"
    if (type == "const char *" && name == "format") return "null empty long"
    if (type == "const char *")
        return "null empty long control" (function_name ~ /_find$/ ? " unknown" : " taken") \
            (function_name == "mica_entity_set_name" ? " path" : "")
    if (type == "const void *" || type == "const void *const *" || type == "char *") return "null"
    if (type ~ /^mica_(error_handler|compare|call_fn|trace_fn|state_difference_fn) \*$/) return "null"
    if (type == "mica_trace_span *") return "null zeroed"
    if (type == "const mica_view_record *") return "null"
    if (type == "mica_buffer *") return "null zeroed"
    if (type == "const mica_stream *") return "null zeroed garbage contradictory"
    if (type == "uint32_t" && name == "layout") return "zero other"
    if (type == "void *" && name ~ /^(user|data)$/) return "null"
    if (type ~ /^mica_(result|kind|storage)$/) return "beyond negative"
    if (type ~ /^(float|double)$/) return "negative nan infinite"
    if (type == "bool" || type == "int64_t" || (type == "uint64_t" && name == "seed")) return "-"
    if (type == "const mica_workers *") return "null zeroed empty huge"
    if (type == "uint32_t" && name == "threads") return "huge"
    if (name == "size") return type == "size_t" ? "zero" : "zero wrong huge"
    if (type == "size_t" && name == "align") return "zero odd huge"
    if (type ~ /^(uint32_t|size_t)$/ && name ~ /(count|capacity)$/) return "zero huge"
    if (type == "uint32_t" && name == "role")
        return "zero" (function_name ~ /_find$/ ? " unknown" : " taken")
    if (type == "uint32_t" && name == "term") return "unfit tag beyond huge"
    if (type == "uint32_t" && name ~ /^(row|offset|table|index)$/) return "beyond huge"
    if (type == "uint64_t" && name == "moment") return "zero beyond huge"
    if (type ~ /^uint(32|64)_t$/ && name == "first") return "huge"
    if (type == "uint64_t" && name == "count") return "huge"
    return ""
}
function entities_with(list) {
    gsub(/ /, " with_", list)
    return list
}

function trim(text) {
    gsub(/[ \t\n]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    return text
}

function parameter(text, function_name,    name, type, kinds, count, i, list) {
    text = trim(text)
    if (text == "void" || text == "" || text == "...") return
    if (text ~ /\[[^]]*\]$/) {
        sub(/\[[^]]*\]$/, "", text)
        sub(/[A-Za-z0-9_]+$/, "*&", text)
    }
    if (!match(text, /[A-Za-z0-9_]+$/)) {
        fail(function_name ": a parameter without a name: \"" text "\"")
        return
    }
    name = substr(text, RSTART)
    type = trim(substr(text, 1, RSTART - 1))
    kinds = kinds_of(type, name, function_name)
    if (kinds == "") {
        fail("it is not said what can be wrong with a \"" type "\" like " name " of " function_name)
        return
    }
    count = split(kinds, list, " ")
    for (i = 1; i <= count; i++)
        if (list[i] != "-") row(function_name "." name "." list[i])
}

function row(name) {
    if (name in reasons) used[name] = 1
    else if (what == "rows") print name
}

# A declaration without its end: return type, name, parameters.
function declare(text, is_inline,    open, head, body, name, depth, i, c, piece) {
    sub(/ MICA_PRINTF\([^)]*\)/, "", text)
    open = index(text, "(")
    if (open == 0) return
    head = trim(substr(text, 1, open - 1))
    match(head, /[A-Za-z0-9_]+$/)
    name = substr(head, RSTART)
    body = substr(text, open + 1)
    sub(/\)[^)]*$/, "", body)
    if (name in seen) return
    seen[name] = 1
    if (what == "functions") print name
    if (name ~ /_$/) return # private: behind a function without the underscore
    if (is_inline && body !~ /mica_(world|iter|accessor) \*/) return
    depth = 0
    piece = ""
    for (i = 1; i <= length(body); i++) {
        c = substr(body, i, 1)
        if (c == "(") depth++
        if (c == ")") depth--
        if (c == "," && depth == 0) {
            parameter(piece, name)
            piece = ""
        } else piece = piece c
    }
    parameter(piece, name)
}

/^exception / { reasons[$2] = 1; next }
{
    # Without comments and preprocessor lines.
    line = $0
    if (continued) { continued = line ~ /\\$/; next }
    if (line ~ /^[ \t]*#/) { continued = line ~ /\\$/; next }
    gsub(/\/\*[^*]*\*\//, "", line)
    sub(/\/\/.*/, "", line)
    text = text " " line
}

END {
    rest = text
    while (match(rest, /MICA_(API|INLINE|INLINE_ALWAYS) [^;{]*[;{]/)) {
        found = substr(rest, RSTART, RLENGTH - 1)
        rest = substr(rest, RSTART + RLENGTH)
        is_inline = found ~ /^MICA_INLINE/
        sub(/^MICA_[A-Z_]+ /, "", found)
        declare(found, is_inline)
    }
    for (name in reasons)
        if (!(name in used)) fail("the exception " name " is of a row that is not derived")
    if (text == "") fail("no public headers here")
    exit failed
}'
