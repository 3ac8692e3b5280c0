#!/bin/sh
# Checks that every public function has its case and its tags, that every tag has a test that cites it, and every
# citation its tag (promise.h). A case for each header; then, that this check itself notices what it should.
#
# usage: check.sh [HEADER...]       without names, all headers; with names, only those: check.sh world frame
set -u
. "$(dirname "$0")/../cases.sh"
here=$(cd "$(dirname "$0")" && pwd)

names=$*
awk -f "$here/tags.awk" "$root"/include/mica/*.h "$here"/*.c >"$work/said"
for header in "$root"/include/mica/*.h; do
    name=$(basename "$header" .h)
    case " ${names:-$name} " in
    *" $name "*) check_none "$name.h" "$(grep "^$name\.[ch]:" "$work/said")" ;;
    esac
done

# A function that the headers are read past would have no case, and nobody would miss it.
if [ -z "$names" ]; then
    awk -v want=functions -f "$here/tags.awk" "$root"/include/mica/*.h "$root"/include/mica/detail/*.h |
        LC_ALL=C sort -u >"$work/functions"
    check_none "every export was found in the headers" "$(LC_ALL=C comm -3 "$work/functions" "$root/tests/symbols.list")"
fi

# Two headers and their promises, in order.
plant() {
    cat >"$work/planted.h" <<'END'
// Prose at the head, with no function. [poke.head] More of it.

// Pokes it. Twice, if that
// is asked for: [poke.twice]
//
//   mica_poke(world); mica_poke(world);
//
// MICA_ERROR_NULL. [poke.null]
MICA_API mica_result mica_poke(mica_world *world, // the one
                               uint32_t count);
MICA_INLINE bool
mica_poked(mica_world *world)
{
    return world != 0;
}

// What was poked. [poke.info]
typedef struct mica_poke_info {
    uint32_t count; // since then: list[a.b] [poke.count]
} mica_poke_info;

MICA_USE_RESULT MICA_API bool mica_poke_inspect(void);
END
    cat >"$work/other.h" <<'END'
// Prods it. [prod.once]
MICA_API void mica_prod(void);
END
    cat >"$work/planted.c" <<'END'
PROMISE(mica_poke)
{
    // [poke.twice], and of the head: [poke.head]
    act();
    // [poke.null]: with a few words
}
PROMISE(mica_poked)
{
}
PROMISE(mica_poke_inspect)
{
    act(); // [poke.info], [poke.count]
}
END
    cat >"$work/other.c" <<'END'
PROMISE(mica_prod)
{
    // [prod.once], as [poke.null]
}
END
}

# change FILE SED: plants all of it anew, with one change.
change() {
    plant
    sed "$2" "$work/$1" >"$work/changed"
    mv "$work/changed" "$work/$1"
}

# says WHAT [LINE...]: what comes of comparing what was planted.
says() {
    what=$1
    shift
    expected=$([ $# -eq 0 ] || printf '%s\n' "$@")
    said=$(awk -f "$here/tags.awk" "$work/planted.h" "$work/other.h" "$work/planted.c" "$work/other.c")
    check_none "$what" "$([ "$said" = "$expected" ] || printf 'expected: %s\ngot:      %s\n' "$expected" "$said")"
}

plant
says "promises that are whole"
change planted.c '/^PROMISE(mica_poked)/,/^}/d'
says "a function without a case" 'planted.h: mica_poked: no case'
change planted.c 's/(mica_poked)/(mica_pocked)/'
says "a case of another function" 'planted.h: mica_poked: no case' 'planted.c: mica_pocked: not declared in planted.h'
change other.c 's/(mica_prod)/(mica_poked)/;s/prod.once/poke.null/'
says "a case in the file of another header" 'other.c:1: mica_poked: two cases' 'other.h: mica_prod: no case' \
    'other.h:1: [prod.once]: no case of mica_prod cites it' 'other.c: mica_poked: not declared in other.h'
change planted.c '13a\
PROMISE(mica_poke)'
says "two cases of one function" 'planted.c:14: mica_poke: two cases'
change other.h '1d'
says "a function without a comment" 'other.c:3: [prod.once]: no header has it' 'other.h: mica_prod: no tag in its comment'
change other.h '1a\
\
'
says "a comment that a blank line parts from its function" 'other.h: mica_prod: no tag in its comment'
change other.h 's/once\]/Once]/'
says "a function without a tag" 'other.c:3: [prod.once]: no header has it' 'other.h: mica_prod: no tag in its comment'
change other.h 's/$/ It hurts./;2s/ It hurts.//'
says "a sentence behind the last tag" 'other.h: mica_prod: no tag behind "It hurts."'
change planted.c '/poke.null/d'
says "a tag that only cases of other functions cite" \
    'planted.h:8: [poke.null]: no case of mica_poke mica_poked cites it'
change planted.c '/poke.null/d;/^PROMISE(mica_poked)/,/^}/s/^{/{ \/\/ [poke.null]/'
says "functions under one comment share its tags"
change planted.c 's/: \[poke.head\]//'
says "a tag above no function that nobody cites" 'planted.h:1: [poke.head]: no test cites it'
change planted.c 's/, \[poke.count\]//;1i\
// [poke.count]
'
says "a tag above no function that is cited outside of all cases"
change planted.c '/poke.null/d;1i\
// [poke.null]
'
says "a tag above functions that is cited outside of all cases" \
    'planted.h:8: [poke.null]: no case of mica_poke mica_poked cites it'
change other.c 's/poke.null/poke.nil/'
says "a citation of no tag" 'other.c:3: [poke.nil]: no header has it'
change other.h 's/\[/[poke.null] [/'
says "a tag in two headers" 'other.h:1: [poke.null]: also at planted.h:8'
change planted.h 's/Pokes it\./& [poke.null]/'
says "a tag in two places of a header" 'planted.h:8: [poke.null]: also at planted.h:3'

conclude
