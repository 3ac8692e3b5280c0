#!/bin/sh
# Draws the pictures of this folder anew, or checks that they are what would be drawn.
#
# usage: draw.sh [--check] DRAW      DRAW is draw.c, compiled
set -u
here=$(cd "$(dirname "$0")" && pwd)
check=false
if [ "${1:-}" = --check ]; then
    check=true
    shift
fi
draw=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
# picture NAME COMMAND...: the command prints it.
picture() {
    name=$1
    shift
    if ! "$@" >"$work/picture"; then
        failed=$((failed + 1))
    elif ! $check; then
        cp "$work/picture" "$here/$name.svg"
    elif cmp -s "$work/picture" "$here/$name.svg"; then
        passed=$((passed + 1))
    else
        echo "FAILED: $name.svg is not what is drawn; run draw.sh"
        failed=$((failed + 1))
    fi
}

# inside X Y FILE: the picture in FILE, as a part of another one.
inside() { sed "1s/<svg [^>]*width/<svg x=\"$1\" y=\"$2\" width/" "$3"; }

# all_storages: the four pictures on one page. They were drawn as $work/NAME.
all_storages() {
    echo '<svg xmlns="http://www.w3.org/2000/svg" width="1352" height="546" font-family="monospace" font-size="12">'
    echo '<rect width="1352" height="546" fill="white"/>'
    inside 0 0 "$work/table"
    inside 0 262 "$work/sparse"
    inside 0 404 "$work/ring"
    inside 748 0 "$work/split"
    echo '</svg>'
}

for storage in table split sparse ring; do
    picture "$storage" "$draw" "$storage"
    cp "$work/picture" "$work/$storage"
done
picture storages all_storages
picture house awk -f "$here/house.awk" "$here/../../src/LAYERS" "$here/../internals.md"
if $check; then
    echo "$passed passed, $failed failed, 0 skipped"
fi
[ "$failed" -eq 0 ]
