#!/bin/sh
# Plays the game without a terminal: from the first screen to the amulet, turns that are taken back, and
# arguments that are wrong.
#
# usage: check.sh ROGUE
set -u
rogue=$1
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# check WHAT STATUS: a case, passed if the status is 0.
check() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
    fi
}

keys=$(cat "$here/won.keys")
some=$(printf '%.200s' "$keys")
{ "$rogue" 1 "" && "$rogue" 1 "$some" && "$rogue" 1 "$keys"; } >"$work/screens" 2>&1
check "it can be played to the end" $?
diff "$here/rogue.expected" "$work/screens"
check "the screens are as expected" $?
missing=
for key in 'h j k l' 'y u b n' '>' '.' z q; do
    "$rogue" 1 "" | tail -n 2 | grep -qF " $key " || missing="$missing $key"
done
[ -z "$missing" ]
check "the screen shows the keys, all but:$missing" $?

"$rogue" 1 "$some" >"$work/before"
"$rogue" 1 "$some"hjkl.zzzzz >"$work/back" 2>&1
cmp -s "$work/before" "$work/back"
check "turns that are taken back have not been" $?
"$rogue" 1 "${some}zzzz$(printf '%s' "$some" | tail -c 4)" >"$work/again" 2>&1
cmp -s "$work/before" "$work/again"
check "what is done again is the same again" $?
"$rogue" 1 zzzz >"$work/back" 2>&1 && "$rogue" 1 "" | cmp -s - "$work/back"
check "before the beginning there is nothing" $?
"$rogue" 1 '?QX%>' >"$work/said" 2>&1 && cmp -s "$work/back" "$work/said"
check "other keys do nothing" $?

"$rogue" </dev/null >"$work/said" 2>&1
[ $? -eq 2 ] && grep -q '^usage: rogue' "$work/said"
check "without a terminal it says what to do" $?
"$rogue" one >"$work/said" 2>&1 </dev/null
[ $? -eq 2 ] && grep -q '^usage: rogue' "$work/said"
check "it says what arguments there are" $?

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
