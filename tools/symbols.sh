#!/bin/sh
# Checks what the built libraries define:
#   - no variable that can change: nothing in writable sections, constant tables apart
#   - no use of the allocator but in base/memory.c
#   - the shared library exports mica_* only
#   - the static library defines mica_* and micai_* only
#
# usage: symbols.sh libmica.a libmica.so
set -u
static=$1
shared=$2
passed=0
failed=0

# check WHAT VIOLATIONS: a case, passed if there are none.
check() {
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        echo "$2" | sed 's/^/    /'
    fi
}

# A library without symbols would pass every check below.
defined=$(nm -g --defined-only "$static" | awk 'NF == 3')
check "the static library defines something" "$([ -n "$defined" ] || echo "$static is empty")"
exported=$(nm -D --defined-only "$shared" | awk 'NF == 3')
check "the shared library exports something" "$([ -n "$exported" ] || echo "$shared is empty")"

# Tables of constant pointers live in .data.rel.ro, which is read-only once the program runs.
check "no variable of the library can change" "$(nm --format=sysv --defined-only "$static" |
    awk -F'|' 'NF >= 7 {
        gsub(/ /, "", $1); gsub(/ /, "", $7); gsub(/ /, "", $3)
        if ($7 ~ /^\.(data|bss|tdata|tbss)/ && $7 !~ /^\.data\.rel\.ro/ || $3 == "C" || $7 == "*COM*")
            print $1 " in " $7
    }')"

check "only base/memory.c uses the allocator" "$(nm -A --undefined-only "$static" |
    awk '$NF ~ /^(malloc|calloc|realloc|reallocarray|free|aligned_alloc|posix_memalign|memalign|strdup|strndup|asprintf|vasprintf|getline)$/ &&
        $0 !~ /:memory\.c\.(o|obj):/')"

check "the shared library exports mica_* only" "$(echo "$exported" | awk '$3 !~ /^mica_/ { print $3 }')"
check "the static library defines mica_* and micai_* only" \
    "$(echo "$defined" | awk '$3 !~ /^micai?_/ { print $3 }')"

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
