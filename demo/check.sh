#!/bin/sh
# Checks the demo where there is no terminal: it runs, says what happened, writes a picture; and says what is
# wrong with its arguments.
#
# usage: check.sh FLOCK
set -u
flock=$1
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

"$flock" --birds 3000 --frames 60 --picture "$work/flock.png" </dev/null >"$work/said" 2>&1
check "it runs" $?
grep -Eq '^60 frames of 1/30 s in [0-9.]+ s: [0-9]+ a second$' "$work/said"
check "it says how long that took" $?
grep -Eq '^[23][0-9]{3} birds, [0-9]+ in panic; [0-9]+ were born, [0-9]+ starved, [0-9]+ were caught$' "$work/said"
check "it says what happened" $?
grep -Eq '^move +120 ' "$work/said"
check "what has a time step of its own ran twice in a frame" $?
[ "$(head -c 8 "$work/flock.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
check "the picture is one" $?
"$flock" --birds 3000 --frames 60 --picture "$work/again.png" </dev/null >/dev/null 2>&1
cmp -s "$work/flock.png" "$work/again.png"
check "the same again is the same again" $?
# Z4: the digest, on so many threads.
digest() {
    "$flock" --birds 9000 --frames 30 --threads "$1" --picture "$work/again.png" </dev/null 2>&1 |
        sed -n "s/^$1 threads*, digest \([0-9a-f]\{16\}\)\$/\1/p"
}
one=$(digest 1)
[ -n "$one" ]
check "it says on how many threads it ran, and the digest" $?
[ "$one" = "$(digest 2)" ] && [ "$one" = "$(digest 5)" ]
check "the digest is the same on 1, 2 and 5 threads" $?
# press FRAMES KEYS: the keys after so many frames, a key that does nothing for x; leaves in said where that ends.
press() {
    "$flock" --birds 3000 --frames "$1" --keys "$2" --picture "$work/again.png" </dev/null 2>&1 |
        sed -n 's/, back in [0-9.]* ms$//p' >"$work/said"
}
# ends WHAT FRAMES: a case, passed if it ended there.
ends() {
    [ "$(cat "$work/said")" = "$2" ]
    check "$1" $?
}
press 60 ',,,xx'
ends "keys go back a frame each" "frame 57 of 60"
press 60 ',,,..'
ends "and forward again" "frame 59 of 60"
press 60 ',,.....'
ends "after the last frame there is a new one" "frame 63 of 63"
press 60 ',,,,,,,, xxxxxxx'
ends "it goes on from an earlier frame" "frame 60 of 60"
cmp -s "$work/flock.png" "$work/again.png"
check "the same frames give the same picture" $?
press 60 ',,,,,,,,-xxxxxxx'
ends "with fewer birds there is another future" "frame 52 of 52"
press 60 rxxxxxxxxx
ends "it rewinds" "frame 50 of 60"
press 60 rxxxxxxxxxrxxx
ends "the same key stops that" "frame 50 of 60"
press 5 rxxxxxxxxx.
ends "it stops at the beginning" "frame 1 of 5"
press 60 ',,s,'
ends "another storage has another history" "frame 58 of 58"
press 20 tttttx
ends "a key changes the number of threads" "frame 26 of 26"
"$flock" --birds 0 </dev/null >"$work/said" 2>&1
[ $? -eq 2 ] && grep -q '^usage: flock' "$work/said"
check "it says what arguments there are" $?
for key in space . , r + - s t q; do
    grep '^keys: ' "$work/said" | grep -qF -e " $key "
    check "it says what $key does" $?
done
"$flock" --birds 10 --frames 1 --picture "$work/none/flock.png" </dev/null >"$work/said" 2>&1
[ $? -eq 1 ] && grep -q "^flock: $work/none/flock.png: " "$work/said"
check "it says that the picture cannot be written" $?

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
