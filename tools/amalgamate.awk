# Writes mica.h, mica.hpp or mica.c: the program of tools/amalgamate.sh, which puts code.awk before it.
#
# variables: root, the tree; want, "header", "cpp" or "source"; files, what to begin with, in order; cold, those of them
# that are in no inner loop.
#
# What a file keeps to itself (static functions and variables, types, enumerators) has short names, which
# other files have too. In one file they get the name of theirs in front: `refuse` of world/plan.c becomes
# plan_refuse. Every use is renamed that is not a member: after . or ->, or declared in a struct. Comments
# and strings stay as they are. Macros of a file are undefined at its end.
#
# What files share (micai_*) is declared in their headers, and these declarations become static, which
# makes the functions static too; constants are made so where they are defined. Each header comes where it is included for the first time.

function fail(sentence) {
    print "amalgamate: " sentence >"/dev/stderr"
    failed = 1
    exit 1
}

# Reads a file into lines[1..count]; returns count.
function slurp(path, lines,    count, line, status) {
    count = 0
    while ((status = (getline line < path)) > 0) lines[++count] = line
    if (status < 0) fail("cannot read " path)
    close(path)
    return count
}

# The prefix of a file's own names: what its file is called, and its rooms where others are called so too.
function prefix_of(file,    base) {
    base = file
    sub(/^.*\//, "", base)
    sub(/\.c$/, "", base)
    if (called[base] > 1) {
        base = file
        sub(/\.c$/, "", base)
        gsub(/\//, "_", base)
    }
    return base "_"
}

# Notes the enumerators in the text of an enum, after its opening brace.
function note_enumerators(text,    parts, n, i) {
    sub(/\}.*/, "", text)
    n = split(text, parts, ",")
    for (i = 1; i <= n; i++) {
        sub(/^[ \t]+/, "", parts[i])
        if (match(parts[i], /^[A-Za-z_][A-Za-z_0-9]*/)) own[substr(parts[i], 1, RLENGTH)] = 1
    }
}

# Notes the names in one declaration of a file: `text` is all of it, from its first column to the brace,
# semicolon or equals sign that ends its head; of enums and structs, to the end.
function note(text,    head) {
    if (text ~ /^(typedef )?(struct|union|enum)[ {]/) {
        head = text
        sub(/^typedef /, "", head)
        if (match(head, /^(struct|union|enum) [A-Za-z_0-9]+ \{/)) {
            split(head, words, " ")
            own[words[2]] = 1
        }
        if (head ~ /^enum/) {
            sub(/^[^{]*\{/, "", head)
            note_enumerators(head)
        }
    }
    if (text ~ /^typedef /) {
        head = text
        sub(/^.*\}/, "", head)
        sub(/;.*$/, "", head)
        if (match(head, /[A-Za-z_0-9]+$/)) own[substr(head, RSTART)] = 1
    } else if (text ~ /^([A-Z_]+ )?static /) {
        head = text
        sub(/(struct|union) \{.*\} /, "", head) # of a struct without a name
        sub(/[=;{].*$/, "", head)
        sub(/^[^(]*\(\*/, "", head) # of a function that gives one, or of a pointer to one
        sub(/[()].*$/, "", head)
        sub(/\[.*$/, "", head)
        sub(/[ \t]+$/, "", head)
        if (match(head, /[A-Za-z_0-9]+$/)) own[substr(head, RSTART)] = 1
    }
}

# All names that a file keeps to itself: own[].
function note_all(lines, count,    i, text, open, line) {
    split("", own)
    open = 0
    inside = 0
    for (i = 1; i <= count; i++) {
        line = code(lines[i])
        if (!open) {
            if (line !~ /^[A-Za-z]/) continue
            if (line !~ /^([A-Z_]+ )?(static|typedef|struct|union|enum)[ {]/) continue
            text = line
            open = 1
        } else {
            text = text " " line
        }
        # A type ends at its semicolon in the first column's brace, others where their body begins.
        if (text ~ /^(typedef )?(struct|union|enum)[ {]/) {
            if (text ~ /\{/ ? line ~ /\}.*;[ \t]*$/ : line ~ /;[ \t]*$/) open = 0
        } else if (text ~ /(struct|union) \{/ ? line ~ /^\}/ : line ~ /[{;=]/) {
            open = 0
        }
        if (!open) note(text)
    }
    for (name in own) if (name ~ /^micai?_/ || name ~ /^MICAI?_/) delete own[name]
}

# The line with the file's own names in their long form. `member` says that it is in a struct, where names
# before ; , [ : and ) are members; the type of MICAI_ARRAY(T) is none.
function rename(line, prefix, member,    out, token, before, after) {
    out = ""
    while (match(line, /[A-Za-z_][A-Za-z_0-9]*|[0-9][A-Za-z_0-9.]*|"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\/.*/)) {
        token = substr(line, RSTART, RLENGTH)
        before = out substr(line, 1, RSTART - 1)
        after = substr(line, RSTART + RLENGTH)
        if ((token in own) && before !~ /(\.|->)[ ]*$/ &&
            !(member && after ~ /^ ?[;,\[:)]/ && before !~ /MICAI_ARRAY\($/)) {
            token = prefix token
        }
        out = before token
        line = after
    }
    return out line
}

# A line of an internal header, with what it declares static.
function keep_inside(line, following) {
    if (line ~ /^static inline /) {
        sub(/^static/, "MICAI_LOCAL", line)
    } else if (line ~ /^extern const [a-z_0-9]+ micai_/) {
        sub(/^extern/, "MICAI_LOCAL", line)
    } else if (line !~ /^(static|typedef|struct [a-z_0-9]+ \{|union|enum|extern)/ &&
               (line ~ /^[a-z].*[ *]micai_[a-z_0-9]+\(/ ||
                line ~ /^[a-z][a-z_0-9 ]*[a-z_0-9] \*?$/ && following ~ /^\*?micai_[a-z_0-9]+\(/)) {
        line = "MICAI_LOCAL " line
    }
    return line
}

# Puts a header in place, unless it is there already.
function put_header(path, shown,    lines, count, i) {
    if (path in there) return
    there[path] = 1
    count = slurp(path, lines)
    if (shown != "") print "\n// ---- " shown "\n"
    for (i = 1; i <= count; i++) {
        if (lines[i] ~ /^#include [<"]/) {
            put_include(lines[i])
        } else {
            print want == "source" ? keep_inside(lines[i], lines[i + 1]) : lines[i]
        }
    }
}

# Puts in place what an include names. Public headers of C, with their C++ halves, are all in mica.h, which
# the others include.
function put_include(line,    target) {
    target = line
    sub(/^#include [<"]/, "", target)
    sub(/[>"].*$/, "", target)
    if (line ~ /^#include "/) {
        put_header(root "/src/" target, "src/" target)
    } else if (target ~ /^mica\.h$|^mica\//) {
        if (want == "header" || want == "cpp" && target ~ /\.hpp$/) {
            put_header(root "/include/" target, "include/" target)
        } else if (want == "cpp") {
            print "#include \"mica.h\""
        }
    } else {
        print line
    }
}

# What sources ask of the system's headers (#define _POSIX_C_SOURCE 200809L) must come before the first of
# them: the most that is asked for.
function note_wanted(file,    lines, count, i, words) {
    count = slurp(root "/src/" file, lines)
    for (i = 1; i <= count; i++) {
        if (lines[i] !~ /^#define _[A-Z_]+ [0-9]/) continue
        split(lines[i], words, " ")
        if (!(words[2] in wanted)) asked[++asked_count] = words[2]
        if (words[3] + 0 > wanted[words[2]] + 0) wanted[words[2]] = words[3]
    }
}

function put_wanted(    i) {
    print "#ifndef _WIN32"
    for (i = 1; i <= asked_count; i++) {
        print "#ifndef " asked[i]
        print "#define " asked[i] " " wanted[asked[i]]
        print "#endif"
    }
    print "#endif"
}

# Marks the functions of a file as cold: the compiler optimizes them for size, which takes less time. Each begins in the
# last line before its brace that starts in the first column, or one line earlier if its type has a line of its own.
function mark_cold(lines, count,    i, first) {
    for (i = 2; i <= count; i++) {
        if (lines[i] != "{") continue
        first = i - 1
        while (lines[first] !~ /^[A-Za-z]/ || lines[first - 1] ~ /^[A-Za-z][^;]*$/) first--
        if (lines[first] ~ /\(/ || lines[first + 1] ~ /\(/) lines[first] = "MICAI_SMALL " lines[first]
    }
}

# Puts a source in place.
function put_source(file,    lines, count, i, prefix, member, macros, macro) {
    count = slurp(root "/src/" file, lines)
    note_all(lines, count)
    if (file in is_cold) mark_cold(lines, count)
    prefix = prefix_of(file)
    print "\n// ---- src/" file "\n"
    member = 0
    split("", macros)
    for (i = 1; i <= count; i++) {
        if (lines[i] ~ /^#include [<"]/) {
            put_include(lines[i])
            continue
        }
        if (lines[i] ~ /^#define _[A-Z_]+ [0-9]/) continue # put_wanted()
        if (lines[i] ~ /^#define [A-Za-z]/) {
            macro = substr(lines[i], 9)
            sub(/[^A-Za-z_0-9].*$/, "", macro)
            macros[macro] = 1
        } else if (lines[i] ~ /^#undef /) {
            delete macros[substr(lines[i], 8)]
        }
        if (lines[i] ~ /^const [a-z_0-9]+ micai_/) lines[i] = "MICAI_LOCAL " lines[i]
        if (lines[i] ~ /^(typedef )?(struct|union)[^;()]*\{$/) member = 1
        print rename(lines[i], prefix, member && lines[i] !~ /^\}/)
        if (lines[i] ~ /^\}/) member = 0
    }
    for (i = 1; i <= count; i++) { # in the order of the file, whatever the order of the array
        macro = substr(lines[i], 9)
        sub(/[^A-Za-z_0-9].*$/, "", macro)
        if (lines[i] ~ /^#define / && (macro in macros)) {
            print "#undef " macro
            delete macros[macro]
        }
    }
}

# The licence, as a comment.
function put_licence(    lines, count, i) {
    count = slurp(root "/LICENSE", lines)
    for (i = 1; i <= count; i++) print lines[i] == "" ? "//" : "// " lines[i]
}

BEGIN {
    n = split(files, list, " ")
    if (n == 0) fail("no files")
    if (want != "source") {
        print "// mica " version " in two files, of which this is the header" (want == "cpp" ? " for C++17, if you like" : "") \
            "; mica.c is the other. Written by"
        print "// `make amalgamate`; change the files that it was made of, which are named below.\n//"
        put_licence()
        for (i = 1; i <= n; i++) put_header(root "/include/" list[i], i > 1 ? "include/" list[i] : "")
    } else {
        print "// mica " version " in two files, of which this is the source; mica.h is the other. Written by"
        print "// `make amalgamate`; change the files that it was made of, which are named below.\n//"
        print "//   cc -std=c11 -O2 -c mica.c\n//"
        put_licence()
        print ""
        print "#ifdef __cplusplus"
        print "#error mica.c is C, also for programs in C++: cc -std=c11 -O2 -c mica.c"
        print "#else // and no further word"
        for (i = 1; i <= n; i++) note_wanted(list[i])
        put_wanted()
        print "#ifdef __clang__"
        print "// The same floating-point results on every machine: no fused multiply-add behind our back."
        print "#pragma STDC FP_CONTRACT OFF"
        print "#endif\n"
        print "#define MICA_EXPORT_INLINES // what is inline in the header is exported, too"
        print "#include \"mica.h\"\n"
        print "// What files shared is shared by nobody else now; some of it was for tests."
        print "#if defined(__GNUC__)"
        print "#define MICAI_LOCAL static __attribute__((unused))"
        print "#else"
        print "#define MICAI_LOCAL static"
        print "#endif"
        print "// What is not called in anybody's inner loop is to be small."
        print "#if defined(__GNUC__)"
        print "#define MICAI_SMALL __attribute__((cold))"
        print "#else"
        print "#define MICAI_SMALL"
        print "#endif"
        split(cold, words, " ")
        for (i in words) is_cold[words[i]] = 1
        for (i = 1; i <= n; i++) {
            base = list[i]
            sub(/^.*\//, "", base)
            sub(/\.c$/, "", base)
            called[base]++
        }
        for (i = 1; i <= n; i++) put_source(list[i])
        print "#endif"
    }
    exit failed
}
