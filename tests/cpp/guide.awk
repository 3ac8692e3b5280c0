# Takes the C++ out of a page of documentation. A block with an `int main(` is the page's program. Without one,
# all blocks are one program, in order: what stands at the left margin and begins like a type or a directive
# goes above main(), the rest into it. On pages for those who come from elsewhere, the last cell of a row of a
# table, if it is code and nothing else, is a statement of it.
#
# usage: awk -v code=FILE -v text=FILE -f guide.awk PAGE
#
# Leaves the program, and what it must print.

function is_outside(i) {
    return lines[i] ~ /^(#|struct |class |template |using |namespace )/
}

function ends_outside(i, first) {
    return lines[first] ~ /^(#|using )/ || lines[first] ~ /;( *\/\/.*)?$/ && i == first ||
        lines[i] ~ /^}/
}

function take(   i, first) {
    inside = inside "std::puts(\"@@ " ++number "\");\n"
    expected = expected "@@ " number "\n"
    for (i = 1; i <= count; i++) {
        if (is_outside(i)) {
            first = i
            outside = outside lines[i] "\n"
            while (!ends_outside(i, first) && i < count) {
                outside = outside lines[++i] "\n"
            }
        } else {
            inside = inside lines[i] "\n"
        }
    }
}

FILENAME ~ /coming-from/ && !open && /^\| .* \|$/ {
    row = $0
    sub(/ \|$/, "", row)
    if (match(row, /\| `[^`]*`$/)) {
        row = substr(row, RSTART + 3, RLENGTH - 4)
        gsub(/\\\|/, "|", row)
        inside = inside row (row ~ /[;}]$/ ? "" : ";") "\n"
    }
    next
}

/^```/ && !open {
    open = 1
    kind = substr($0, 4)
    count = 0
    main = 0
    next
}

/^```/ {
    open = 0
    if (kind == "cpp" && main) {
        whole = 1
        for (i = 1; i <= count; i++) {
            print lines[i] >code
        }
    } else if (kind == "cpp") {
        take()
    } else if (kind == "text" && was == "cpp") {
        for (i = 1; i <= count; i++) {
            expected = expected lines[i] "\n"
        }
    }
    was = kind
    next
}

open {
    lines[++count] = $0
    main = main || /^int main\(/
}

END {
    printf "%s", expected >text
    if (!whole) {
        print "#include <mica.hpp>\n#include <cstdio>" >code
        print outside "int main()\n{\nstd::setvbuf(stdout, nullptr, _IONBF, 0);\n" inside "}" >code
    }
}
