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
for storage in table split sparse ring; do
    picture=$here/$storage.svg
    if ! "$draw" "$storage" >"$work/picture"; then
        failed=$((failed + 1))
    elif ! $check; then
        cp "$work/picture" "$picture"
    elif cmp -s "$work/picture" "$picture"; then
        passed=$((passed + 1))
    else
        echo "FAILED: $storage.svg is not what is drawn; run draw.sh"
        failed=$((failed + 1))
    fi
done
if $check; then
    echo "$passed passed, $failed failed, 0 skipped"
fi
[ "$failed" -eq 0 ]
