#!/bin/sh
# Checks what the built libraries define:
#   - no variable that can change: nothing in writable sections, constant tables apart
#   - no use of the allocator but in base/memory.c
#   - the shared library exports mica_* only
#   - the static library defines mica_* and micai_* only
#   - what the shared library exports is what tests/symbols.list says, so that nothing comes or goes unseen
#   - what a public header has as a function is exported, or docs/guide/bindings.md says what it computes; names that
#     end in an underscore are for macros
#   - every public macro is in docs/guide/bindings.md, beside functions that are exported, or a struct
#
# usage: symbols.sh libmica.a libmica.so
#        symbols.sh --list libmica.so          writes tests/symbols.list anew
set -u
root=$(cd "$(dirname "$0")/.." && pwd)

# exports LIBRARY
exports() { nm -D --defined-only "$1" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort; }

if [ "$1" = --list ]; then
    exports "$2" >"$root/tests/symbols.list"
    exit
fi
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

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exports "$shared" >"$work/exports"
check "the exports are those of tests/symbols.list (if that is meant: tools/symbols.sh --list $shared)" \
    "$(diff "$root/tests/symbols.list" "$work/exports" | grep '^[<>]')"

check "docs/guide/bindings.md names every function of a public header that is not exported" \
    "$(cd "$root/include/mica" && sed -n 's/^static inline [^(]*\(mica_[a-z0-9_]*[a-z0-9]\)(.*/\1/p' ./*.h |
        while read -r name; do
            grep -q "\`$name\`" "$root/docs/guide/bindings.md" || echo "$name"
        done)"

# Rows of the page: | `MICA_GET`, `MICA_GET_MUT` | `mica_get_as`, ... |
awk -F'|' '/^\| `(MICA|mica)_/ { print $2 }' "$root/docs/guide/bindings.md" |
    grep -o '`[A-Za-z_0-9]*`' | tr -d '`' | LC_ALL=C sort >"$work/told"
# Lists of codes and kinds are no calls; those of mica/model.h have further macros inside.
(cd "$root/include/mica" && cat ./*.h) |
    sed -n 's/^#define \(\(MICA\|mica\)_[A-Za-z_0-9]*[A-Za-z]\)(.*/\1/p' |
    grep -v '^MICA_\(RESULTS\|RESULT_CODE\|KINDS\|KIND_CODE\|PRINTF\)$' |
    grep -v '^MICA_\(MODEL_\(DESC\|STAMP\|WORDS\)\|TERM_\(ADVANCE\|MEMBER\|GET\)\)_' | LC_ALL=C sort -u >"$work/macros"
check "every macro is in docs/guide/bindings.md, once" "$(diff "$work/told" "$work/macros" | grep '^[<>]')"
check "the functions that docs/guide/bindings.md names are exported" \
    "$(awk -F'|' '/^\| `(MICA|mica)_/ { print $3 }' "$root/docs/guide/bindings.md" |
        grep -o '`mica_[a-z_0-9]*`' | tr -d '`' | LC_ALL=C sort -u | LC_ALL=C comm -23 - "$work/exports" |
        while read -r name; do
            grep -q "^} $name;" "$root"/include/mica/*.h || echo "$name"
        done)"

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
