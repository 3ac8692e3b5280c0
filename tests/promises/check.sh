#!/bin/sh
# Checks that every public function has its case, and every sentence above it is quoted there (promise.h). A
# case for each header; then, that this check itself notices what it should.
#
# usage: check.sh [HEADER...]       without names, all there are; with names, those alone: check.sh world frame
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
skipped=0

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

# compare HEADER PROMISES: a line for each difference.
compare() {
    awk -f "$here/sentences.awk" "$1" >"$work/sentences"
    awk -f "$here/quotes.awk" "$2" >"$work/quotes"
    awk -f "$here/compare.awk" "$work/sentences" "$work/quotes" "$1"
}

names=$*
for header in "$root"/include/mica/*.h; do
    name=$(basename "$header" .h)
    case " ${names:-$name} " in
    *" $name "*) ;;
    *) continue ;;
    esac
    awk -f "$here/sentences.awk" "$header" >"$work/declared"
    cut -f 1 "$work/declared" >>"$work/all"
    if [ -f "$here/$name.c" ]; then
        check "$name.h" "$(compare "$header" "$here/$name.c")"
    elif [ -s "$work/declared" ]; then
        skipped=$((skipped + 1))
        echo "skipped: $name.h: its promises are still to be written"
    fi
done

# A function that the headers are read past would have no case, and nobody would miss it.
if [ -z "$names" ]; then
    check "every export was found in the headers" \
        "$(LC_ALL=C sort -u "$work/all" | LC_ALL=C comm -3 - "$root/tests/symbols.list")"
fi

# says WHAT [LINE...]: what comes of comparing the two that were planted.
says() {
    what=$1
    shift
    expected=$([ $# -eq 0 ] || printf '%s\n' "$@")
    said=$(compare "$work/planted.h" "$work/planted.c")
    check "$what" "$([ "$said" = "$expected" ] || printf 'expected: %s\ngot:      %s\n' "$expected" "$said")"
}

cat >"$work/planted.h" <<'END'
// Prose at the head, with no function.

// Pokes it. Twice, if that
// is asked for:
//
//   mica_poke(world); mica_poke(world);
//
// MICA_ERROR_NULL.
MICA_API mica_result mica_poke(mica_world *world, // the one
                               uint32_t count);
MICA_INLINE bool
mica_poked(mica_world *world)
{
    return world != 0;
}

MICA_USE_RESULT MICA_API bool mica_bare(void);
END
whole='PROMISE(mica_poke)
{
    // "Pokes it", and "if that
    // is asked for"
    act();
    // "MICA_ERROR_NULL"
}
PROMISE(mica_poked)
{
}
PROMISE(mica_bare)
{
}'
echo "$whole" >"$work/planted.c"
says "promises that are whole"
echo "$whole" | sed '/^PROMISE(mica_bare)/,$d' >"$work/planted.c"
says "a function without a case" 'mica_bare: no case'
echo "$whole" | sed 's/mica_bare/mica_bore/' >"$work/planted.c"
says "a case of another function" 'mica_bare: no case' 'mica_bore: not declared in this header'
echo "$whole" | sed 's/MICA_ERROR_NULL/MICA_ERROR_/;s/Pokes it/Pokes/' >"$work/planted.c"
says "a shorter quote"
echo "$whole" | sed '/MICA_ERROR_NULL/d' >"$work/planted.c"
says "a sentence that nobody shows" 'mica_poke: nobody shows: "MICA_ERROR_NULL."'
echo "$whole" | sed 's/Pokes it/Prods it/' >"$work/planted.c"
says "a quote that is not in the header" 'mica_poke: not in the header: "Prods it"' \
    'mica_poke: nobody shows: "Pokes it."'
echo "$whole" | sed '/MICA_ERROR_NULL/d;/PROMISE(mica_poked)/,/^}/s/^}/    \/\/ "MICA_ERROR_NULL"\
}/' >"$work/planted.c"
says "functions under one comment share its sentences"
echo "$whole" | sed '/MICA_ERROR_NULL/d;/PROMISE(mica_bare)/,/^}/s/^}/    \/\/ "MICA_ERROR_NULL"\
}/' >"$work/planted.c"
says "other functions do not" 'mica_poke: nobody shows: "MICA_ERROR_NULL."'
echo "$whole" | sed 's/act();/act(); \/\/ MICA_ERROR/;s/"MICA_ERROR_NULL"/"it" "it"/' >"$work/planted.c"
says "a quote is for one sentence" 'mica_poke: nobody shows: "MICA_ERROR_NULL."'
{ echo "$whole" && echo 'PROMISE(mica_bare)'; } >"$work/planted.c"
says "two cases of one function" 'mica_bare: two cases'

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
