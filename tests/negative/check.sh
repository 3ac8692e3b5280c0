#!/bin/sh
# Checks that the negative table is whole: the rows that the program tries are those that follow from
# the public headers (functions.sh), no fewer and no more; those are the headers of all that the
# library exports; and every error that belongs to no world was reported on standard error. Then, that
# this check itself notices what it should.
#
# usage: check.sh NEGATIVE [LIBRARY]
set -u
. "$(dirname "$0")/../cases.sh"
here=$(cd "$(dirname "$0")" && pwd)
negative=$1
library=${2:-}

# compare ROOT ROWS: the rows there are against those there must be, one line per difference.
compare() {
    if ! sh "$here/functions.sh" "$1" >"$work/derived" 2>"$work/said"; then
        cat "$work/said"
        return
    fi
    LC_ALL=C sort -u "$work/derived" >"$work/wanted"
    sed 's/ .*//' "$2" | LC_ALL=C sort >"$work/rows"
    uniq -d "$work/rows" | sed 's/$/: two rows/'
    uniq "$work/rows" | LC_ALL=C comm -23 "$work/wanted" - | sed 's/$/: no such row in the table/'
    uniq "$work/rows" | LC_ALL=C comm -13 "$work/wanted" - | sed 's/$/: no such function, parameter or kind/'
}

: >"$work/tried"
if MICA_NEGATIVE_ROWS=$work/tried "$negative" --filter table >"$work/out" 2>"$work/err"; then
    check_none "the table was tried" ""
else
    check_none "the table was tried" "$(cat "$work/out")"
fi
check_none "the rows are those that follow from the headers" "$(compare "$root" "$work/tried")"

reported=$(grep -c ' reported$' "$work/tried")
heard=$(grep -c '^mica: ' "$work/err")
check_none "errors that belong to no world were reported" \
    "$([ "$reported" -eq "$heard" ] || echo "$reported rows, $heard lines on standard error")"

# An export that the headers are read past would have no rows, and nobody would miss them.
sh "$here/functions.sh" --functions "$root" | LC_ALL=C sort >"$work/functions"
if [ -n "$library" ] && command -v nm >/dev/null 2>&1; then
    nm -D --defined-only "$library" | awk '$3 ~ /^mica_/ { print $3 }' | LC_ALL=C sort >"$work/exports"
    check_none "every export was found in the headers" "$(LC_ALL=C comm -13 "$work/functions" "$work/exports")"
fi

# A tree with one header, and the rows that are right for it.
plant() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/include/mica"
    printf '%s\n' "$@" >"$work/tree/include/mica/planted.h"
}
rows() {
    printf '%s\n' "$@" >"$work/planted"
}

# says WHAT [LINE]: what comes of comparing them; nothing, or exactly that line.
says() {
    said=$(compare "$work/tree" "$work/planted" | grep -v 'the exception .* is of a row')
    [ "$said" = "${2:-}" ] && said= || said="expected: ${2:-}
got:      $said"
    check_none "$1" "$said"
}

# The exceptions are those of the real headers.
sed '/^mica_[a-z_.]* /d' "$here/functions.sh" >"$work/functions.sh"
here=$work

plant '// mica_gone(mica_world *world);' '#define MICA_API' \
    'MICA_API mica_result mica_poke(mica_world *world,' '                           float dt);'
rows mica_poke.world.null 'mica_poke.world.null told' mica_poke.world.iterating \
    mica_poke.dt.negative mica_poke.dt.nan mica_poke.dt.infinite
says "a row that is there twice" 'mica_poke.world.null: two rows'
rows 'mica_poke.world.null told' mica_poke.world.iterating mica_poke.dt.negative mica_poke.dt.nan \
    mica_poke.dt.infinite
says "a table that is whole"
rows mica_poke.world.null mica_poke.world.iterating mica_poke.dt.negative mica_poke.dt.infinite
says "a row that is missing" 'mica_poke.dt.nan: no such row in the table'
rows mica_poke.world.null mica_poke.world.iterating mica_poke.dt.negative mica_poke.dt.nan \
    mica_poke.dt.infinite mica_peek.world.null
says "a row too many" 'mica_peek.world.null: no such function, parameter or kind'

rows mica_peek.it.null
plant 'static inline bool mica_peek(uint32_t bits)' '{' '    return bits != 0;' '}' \
    'MICA_API void mica_take(bool yes);'
says "an inline function that takes no world has no rows" \
    'mica_peek.it.null: no such function, parameter or kind'
plant 'MICA_INLINE bool mica_peek(mica_world *world)' '{' '    return world != 0;' '}'
rows mica_peek.world.null mica_peek.world.iterating
says "an inline function that takes a world has rows"
plant 'MICA_API void mica_fill(mica_entity entity, char text[24]);'
rows mica_fill.text.null mica_fill.entity.none mica_fill.entity.impossible \
    mica_fill.entity.unissued mica_fill.entity.dead mica_fill.entity.recycled mica_fill.entity.ones \
    mica_fill.entity.foreign
says "an array is a pointer"
plant 'MICA_API void mica_fly(mica_wing *wing);'
says "a type that nothing is known of" \
    'functions.sh: it is not said what can be wrong with a "mica_wing *" like wing of mica_fly'
rm "$work/tree/include/mica/planted.h"
says "a tree without headers" 'functions.sh: no public headers here'

conclude
