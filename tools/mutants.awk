# The mutants of one source file: each is a mistake on one line that compiles, or nearly always does. Prints
# "line<TAB>kind<TAB>the line as it would be", in order of lines. clang-format has laid the file out, so that
# operators have spaces around them and statements a line each, or begin one.
#
#   compare    < becomes <=, == becomes !=, and the like
#   arithmetic + becomes -, + 1 becomes + 2, << becomes >>
#   logic      && becomes ||
#   negate     if (a) becomes if (!(a)); so do while and the question of ?:
#   constant   0 becomes 1, true becomes false
#   delete     a statement that is a call or an assignment goes

# replace FROM TO KIND: a mutant for each place of the line where FROM stands.
function replace(from, to, kind,    at, rest, before) {
    before = ""
    rest = $0
    while ((at = index(rest, from)) > 0) {
        before = before substr(rest, 1, at - 1)
        rest = substr(rest, at + length(from))
        if (gsub(/"/, "\"", before) % 2 == 0) print NR "\t" kind "\t" before to rest
        before = before from
    }
}

# The place where the parenthesis that opens at `at` closes; 0: not on this line.
function close_of(line, at,    depth) {
    for (; at <= length(line); at++) {
        if (substr(line, at, 1) == "(") depth++
        if (substr(line, at, 1) == ")" && --depth == 0) return at
    }
    return 0
}

function negate(word,    at, end) {
    at = index($0, word " (")
    if (!at) return
    at += length(word) + 1
    end = close_of($0, at)
    if (end) print NR "\tnegate\t" substr($0, 1, at) "!(" substr($0, at + 1, end - at) substr($0, end)
}

# What is not compiled, or no part of what the library does: comments, directives, assertions up to where they end,
# planted bugs; what only makes things quicker to reach.
/assert\(/ { asserted = 1 }
asserted { asserted = !/;$/; next }
/^ *\/\// || /^#/ || /\\$/ || /MICAI_CANARY|MICAI_PREFETCH/ { next }
/^[^ ]/ { next } # outside of functions
{ sub(/ \/\/ .*$/, "") }
/^    (static )?const .*\[\] = / { next }
{
    replace(" < ", " <= ", "compare")
    replace(" <= ", " < ", "compare")
    replace(" > ", " >= ", "compare")
    replace(" >= ", " > ", "compare")
    replace(" == ", " != ", "compare")
    replace(" != ", " == ", "compare")
    replace(" + 1", " + 2", "arithmetic")
    replace(" - 1", " - 2", "arithmetic")
    replace(" + ", " - ", "arithmetic")
    replace(" - ", " + ", "arithmetic")
    replace(" += ", " -= ", "arithmetic")
    replace(" -= ", " += ", "arithmetic")
    replace("++;", "--;", "arithmetic")
    replace("--;", "++;", "arithmetic")
    replace(" << ", " >> ", "arithmetic")
    replace(" >> ", " << ", "arithmetic")
    replace(" |= ", " &= ", "arithmetic")
    replace(" &= ~", " |= ", "arithmetic")
    replace(" && ", " || ", "logic")
    replace(" || ", " && ", "logic")
    negate("if")
    negate("while")
    replace(" = 0;", " = 1;", "constant")
    replace(" = 1;", " = 0;", "constant")
    replace("return 0;", "return 1;", "constant")
    replace("true", "false", "constant")
    replace("false", "true", "constant")
    # A call or an assignment, whole on its line; a declaration has two words before the sign.
    if ($0 ~ /^ +[a-z][a-zA-Z0-9_]*\(.*\);$/ || $0 ~ /^ +[*a-z][a-zA-Z0-9_.\[\]>*()-]* [-+|&^*\/]?=[^=].*;$/ ||
        $0 ~ /^ +[a-z][a-zA-Z0-9_.\[\]>-]*(\+\+|--);$/) {
        match($0, /^ */)
        print NR "\tdelete\t" substr($0, 1, RLENGTH) ";"
    }
}
