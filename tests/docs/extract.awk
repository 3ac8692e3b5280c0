# Takes the code out of one page of documentation. CONTRIBUTING.md says how pages are written.
#
# usage: awk -v page=docs/tour.md -v out=FOLDER -f extract.awk docs/tour.md
#
# Leaves in the folder:
#   page.c      all blocks of C that are no programs, in order, as one program
#   N.c         block number N, if it is a program
#   N.expected  what block number N prints
#   blocks      a line for each block: its number, its line in the page, "program" or "part"
#   problems    what is wrong with the page as such, one sentence per line

function problem(line, sentence) {
    print page ":" line ": " sentence >(out "/problems")
}

# Parts: what must stand outside of functions goes above main(), the rest into it.
function is_outside(i) {
    return lines[i] ~ /^(#|typedef )/ || is_line(i) || is_function(i)
}

# A model, or data that it is made of.
function is_line(i) {
    return lines[i] ~ /^(MICA_MODEL.*\)|static const .*;|static mica_[a-z]+ [a-z_, ]+;)$/
}

# Its head may take several lines; the brace after it stands alone.
function is_function(i) {
    if (lines[i] !~ /^[A-Za-z].*[,)]$/) {
        return 0
    }
    while (lines[i] ~ /,$/ && lines[i + 1] ~ /^ /) {
        i++
    }
    return lines[i] ~ /\)$/ && lines[i + 1] == "{"
}

function ends_outside(i, first) {
    if (is_line(first)) {
        return 1
    }
    if (lines[first] ~ /^#/) {
        return lines[i] !~ /\\$/
    }
    if (lines[first] ~ /^typedef /) {
        return lines[i] ~ /^(}|typedef ).*;$/
    }
    return lines[i] == "}"
}

function line_number(i) {
    return "#line " (start + i) " \"" page "\"\n"
}

function take_part(   i, first) {
    inside = inside "    micai_docs_mark(" number ");\n" line_number(1)
    for (i = 1; i <= count; i++) {
        if (is_outside(i)) {
            first = i
            outside = outside line_number(i) lines[i] "\n"
            while (!ends_outside(i, first) && i < count) {
                outside = outside lines[++i] "\n"
            }
            inside = inside line_number(i + 1)
        } else {
            inside = inside lines[i] "\n"
        }
    }
    print number, start, "part" >(out "/blocks")
    has_parts = 1
}

function take_program(   i, file) {
    file = out "/" number ".c"
    print "#line " (start + 1) " \"" page "\"" >file
    for (i = 1; i <= count; i++) {
        print lines[i] >file
    }
    close(file)
    print number, start, "program" >(out "/blocks")
}

function take_c(   i, program) {
    number++
    printf "" >(out "/" number ".expected")
    for (i = 1; i <= count; i++) {
        program = program || lines[i] ~ /^int main\(/
    }
    if (program) {
        take_program()
    } else {
        take_part()
    }
    awaits_text = 1
}

function take_text(   i) {
    if (after_cpp) {
        after_cpp = 0
        return
    }
    if (!awaits_text) {
        problem(start, "a block of output without a block of C before it")
        return
    }
    for (i = 1; i <= count; i++) {
        print lines[i] >(out "/" number ".expected")
    }
    awaits_text = 0
}

# Pages for those who come from elsewhere have tables, what one wrote there, what one writes here. The last cell
# of a row, if it is code and nothing else, is a statement; a table is a block. Some are in C++: tests/cpp.
function is_table_of_code() {
    return page ~ /coming-from/ && page !~ /coming-from\/(entt|bevy)/ && !open && /^\| .* \|$/
}

is_table_of_code() {
    if (!in_table) {
        in_table = 1
        start = NR - 1
        count = 0
        delete lines
    }
    lines[++count] = ""
    row = $0
    sub(/ \|$/, "", row)
    if (match(row, /\| `[^`]*`$/)) {
        statement = substr(row, RSTART + 3, RLENGTH - 4)
        gsub(/\\\|/, "|", statement)
        lines[count] = statement (statement ~ /[;}]$/ ? "" : ";")
    }
    next
}
in_table {
    in_table = 0
    take_c()
    awaits_text = 0
}

/^```/ && !open {
    open = 1
    kind = substr($0, 4)
    start = NR
    count = 0
    delete lines
    next
}

/^```/ {
    open = 0
    if (kind == "c") {
        take_c()
    } else if (kind == "text") {
        take_text()
    } else if (kind == "cpp" && page ~ /^docs\/(guide\/(types|cpp)|coming-from\/(entt|bevy)).md$/) {
        after_cpp = 1 # tests/cpp looks at it
    } else if (kind == "cpp" && page == "README.md") {
        # run.sh compares it with an example
    } else if (kind ~ /^(cpp entt|c flecs|rust)$/ && page ~ /^docs\/coming-from\//) {
        # what one wrote there
    } else if (kind != "" && kind != "sh" && kind != "cmake" && kind != "meson") {
        problem(start, "a block of an unknown kind: " kind)
    }
    next
}

/^[ \t]+```/ && !open { problem(NR, "a block that is indented is not checked") }

open { lines[++count] = $0 }

END {
    if (in_table) {
        take_c()
    }
    if (open) {
        problem(start, "a block without an end")
    }
    if (has_parts) {
        file = out "/page.c"
        print "#include \"prelude.h\"" >file
        printf "%s", outside >file
        print "#line 1 \"the frame of " page "\"" >file
        print "int main(void)\n{\n    micai_docs_begin();" >file
        printf "%s", inside >file
        print "#line 1 \"the frame of " page "\"" >file
        print "    micai_docs_end();\n    return 0;\n}" >file
    }
}
