#!/bin/sh
# Checks that nothing in src/ but base/memory.c calls the C library's allocator.
#
# usage: allocations.sh [ROOT]
#
# One line "file:line: sentence" per violation, and exit status 1 if there is any.
code=$(cat "$(dirname "$0")/code.awk") || exit 2
cd "${1:-$(dirname "$0")/..}" || exit 2

find src -type f \( -name '*.c' -o -name '*.h' \) ! -path src/base/memory.c | LC_ALL=C sort | awk "$code"'
{
    file = $0
    number = 0
    inside = 0
    while ((getline line < file) > 0) {
        number++
        # Most lines cannot be guilty; look closer only at those that name one of them.
        if (!inside && line !~ /alloc|free|strdup|strndup|\/\*/) continue
        rest = code(line)
        while (match(rest, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/)) {
            before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : ""
            name = substr(rest, RSTART, RLENGTH - 1)
            sub(/[ \t]+$/, "", name)
            if (before !~ /[.>0-9]/ && name ~ forbidden) {
                print file ":" number ": calls " name "(); only src/base/memory.c may"
                violations++
            }
            rest = substr(rest, RSTART + RLENGTH)
        }
    }
    close(file)
}
BEGIN {
    forbidden = "^(malloc|calloc|realloc|reallocarray|free|aligned_alloc|posix_memalign|memalign|" \
        "valloc|alloca|strdup|strndup)$"
}
END { exit violations > 0 }
'
