# Makes doxygen's comments of ours, for tools/reference.sh: a header comes in and goes out, with nothing but its
# comments changed.
#
#   // before a declaration       is about it, and about those that follow it without a blank line
#   ...; // behind a member       is about the member, and so are lines below that begin in the same column
#   // that a blank line follows  is about nothing that has a name, and stays as it is
#   //   indented by three        is code
#
# So do comments inside functions. Macros whose names end in _ are the headers' own, and are left out. So are tags,
# [noun.word], which are for tests/promises.

# What doxygen would take for a command, a tag, emphasis or a reference; not in backticks.
function escape(text,   parts, count, i, out) {
    count = split(text, parts, "`")
    for (i = 1; i <= count; i++) {
        if (i % 2) {
            gsub(/[\\@#<>&*~]/, "\\\\&", parts[i])
        }
        out = out (i > 1 ? "`" : "") parts[i]
    }
    return out
}

function without_tags(text) {
    gsub(/ \[[a-z]+\.[a-z0-9_]+\]/, "", text)
    return text
}

function tell_line(text,   written) {
    written = text
    text = without_tags(text)
    if (text ~ /^ *$/ && written ~ /[^ ]/) { # nothing but a tag
        return
    }
    if (listed && text ~ /^   mica\//) {
        sub(/^   /, "", text)
        sub(/  +/, ": ", text)
        text = " - " text
    } else if (text ~ /^   /) {
        if (!in_code) {
            print "///\n/// @code{.cpp}"
        }
        in_code = 1
        print "/// " text
        return
    }
    end_code()
    print "///" escape(text)
}

function end_code() {
    if (in_code) {
        print "/// @endcode\n///"
    }
    in_code = 0
}

function tell(list, count,   i) {
    for (i = 1; i <= count; i++) {
        tell_line(list[i])
    }
    end_code()
}

# Leaves a comment as it is.
function leave(   i) {
    for (i = 1; i <= lines; i++) {
        print "//" comment[i]
    }
    lines = 0
}

function is_declaration(line) {
    return line ~ /^ *(MICA_|#define |typedef |enum |struct |class |template |[a-z:_<>]+ .*\()/
}

# Something that may have a comment before it, or share that of the one before.
function announce(line,   i) {
    if (lines > 0 && is_declaration(line) || lines > 0 && line ~ /^ *[A-Za-z].*[;,{=(\/]/) {
        tell(comment, lines)
        kept = lines
        for (i = 1; i <= lines; i++) {
            keep[i] = comment[i]
        }
        lines = 0
    } else if (lines > 0) {
        leave()
        kept = 0
    } else if (kept > 0 && line ~ /^(MICA_|#define )/) {
        tell(keep, kept)
    } else {
        kept = 0
    }
}

FNR == 1 {
    head = 1
    listed = FILENAME ~ /(^|\/)mica\.h$/
}

# The first comment of a file is about the file; that of mica.h, about everything.
head && /^\/\// {
    comment[++lines] = substr($0, 3)
    next
}
head {
    head = 0
    if (listed) {
        print "/// @mainpage mica\n///"
        tell(comment, lines)
        print ""
    }
    print "/// @file"
    tell(comment, lines)
    print ""
    lines = 0
}

# Inside a function, and inside a macro of the headers' own.
in_body {
    print
    in_body = $0 != indent "}"
    next
}
in_own {
    print
    in_own = $0 ~ /\\$/
    if (!in_own) {
        print "/// @endcond"
    }
    next
}

/^ *\/\// {
    column = match($0, /\/\//)
    text = substr($0, column + 2)
    if (column == behind) {
        print substr($0, 1, column - 1) "///<" escape(without_tags(text))
    } else {
        comment[++lines] = text
    }
    next
}

{ behind = 0 }

/^#define ([A-Za-z0-9_]*_|MICA_[A-Z]*_H|MICA_FIELDS_[0-9]*)(\(| |$)/ {
    leave()
    kept = 0
    print "/// @cond\n" $0
    in_own = $0 ~ /\\$/
    if (!in_own) {
        print "/// @endcond"
    }
    next
}

# The rest of a declaration, or of a macro.
in_declaration {
    print
    in_declaration = in_declaration == ";" ? (/;$/ ? "" : ";") : (/\\$/ ? "\\" : "")
    next
}

/^ *\{$/ {
    leave()
    kept = 0
    in_body = 1
    indent = $0
    sub(/\{$/, "", indent)
    print
    next
}

{
    announce($0)
    in_declaration = /^MICA_(API|USE_RESULT)/ && !/;$/ ? ";" : (/^#define.*\\$/ ? "\\" : "")
    behind = match($0, / \/\/ /) + 1
    if (behind > 1 && $0 !~ /^(#|\})/ && substr($0, 1, behind) !~ /^[^"]*"[^"]*$/) {
        print substr($0, 1, behind - 1) "///<" escape(without_tags(substr($0, behind + 2)))
    } else {
        behind = 0
        print
    }
}
