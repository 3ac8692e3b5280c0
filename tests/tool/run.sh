#!/bin/sh
# Checks the command-line tool: what each command prints, and what it ends with.
#
# usage: run.sh MICA SAMPLE
set -u
mica=$1
sample=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

complain() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    sed 's/^/    /' said
}

# ends STATUS WHAT ARGUMENT...: the tool ends with that; what it prints is in `said`, and errors in `wrong`.
ends() {
    wanted=$1
    what=$2
    shift 2
    "$mica" "$@" >said 2>wrong
    status=$?
    if [ $status -eq "$wanted" ]; then
        passed=$((passed + 1))
    else
        cat wrong >>said
        complain "$what: ended with $status, not $wanted"
    fi
}

# says FILE WHAT: `said` (or another file) is standard input, line by line.
says() {
    cat >expected
    if cmp -s "$1" expected; then
        passed=$((passed + 1))
    else
        diff expected "$1" >difference
        mv difference said
        complain "$2"
    fi
}

# is WHAT CONDITION...
is() {
    what=$1
    shift
    if "$@" >judged 2>&1; then
        passed=$((passed + 1))
    else
        mv judged said
        complain "$what"
    fi
}

for kind in one same other; do
    "$sample" $kind binary $kind.mica && "$sample" $kind json $kind.json || exit 1
done

# Help, and what is not understood.

ends 0 "help" --help
is "help is about all commands" sh -c 'for c in info json diff check; do grep -q "mica $c " said || exit 1; done'
ends 0 "help of a command" info --help
ends 2 "nothing is asked for"
is "then the help is shown" grep -q "mica info FILE" wrong
ends 0 "version" --version
is "the version is printed" grep -q "^mica [0-9.]*, images of version 4$" said
ends 2 "no such command" eat one.mica
says wrong "a command that there is not" <<'END'
mica: there is no command eat; mica --help says what there is
END
ends 2 "no such option" info --loud one.mica
says wrong "an option that there is not" <<'END'
mica: there is no option --loud; mica --help says what there is
END
ends 2 "too few files" diff one.mica
says wrong "files that are missing" <<'END'
mica: not as many files as are taken by diff; mica --help says what there is
END
ends 2 "too many files" info one.mica other.mica

# info

ends 0 "info" info one.mica
sed -i.bak "1s/ [0-9]* bytes/ SIZE bytes/" said
says said "what is in an image" <<'END'
one.mica: binary image, SIZE bytes
  entities  3, 1 with a name
  facets    2
  tables    8
types, entities that have them, what they are:
  Vec2                              0  table, 8 bytes: x f32, y f32
  Body                              1  table, 48 bytes: at Vec2, mass f64, label char[8], layers u8[3], solid bool, parent entity, mood enum
  Heat                              2  ring, 8 bytes: x f32, y f32
  Target                            1  sparse, 8 bytes, toggle: x f32, y f32
  Frozen                            1  table, tag
  Selected                          1  sparse, tag
  Bytes                             1  table, 2 bytes
  Word                              1  table, saved by hooks
  Gravity                           0  table, 8 bytes, saved: x f32, y f32
                             resource  = {x 0, y -9.81}
END
ends 0 "info of JSON, from standard input" info - <other.json
is "JSON is told from binary" grep -q "^standard input: JSON image, [0-9]* bytes$" said
is "events are counted" grep -q "1  events$" said

# json

ends 0 "json" json one.mica
is "it is what the library would have saved" cmp said one.json
ends 0 "json to a file" json one.mica made.json
is "nothing is printed then" test ! -s said
is "the file is the same" cmp made.json one.json
ends 0 "json of json" json one.json
is "it is the same again" cmp said one.json
ends 2 "json to where nothing can be" json one.mica no/such/folder
is "why is said" grep -q "^mica: one.mica: 'no/such/folder' cannot be written: there is no such file or folder$" wrong
if [ -w /dev/full ]; then
    "$mica" json one.mica >/dev/full 2>wrong
    status=$?
    is "a full disk is trouble" test $status -eq 2
fi

# diff

ends 0 "the same file" diff one.mica one.mica
is "then nothing is printed" test ! -s said
ends 0 "the same world in another format" diff --exact one.mica one.json
is "then nothing is printed" test ! -s said
ends 0 "the same content" diff one.mica same.mica
says said "the same content, but not the same" <<'END'
the same content; its order, its ticks or the handles that come next differ
END
ends 1 "the same content, exactly" diff one.mica same.json --exact
ends 1 "diff" diff one.mica other.json
says said "every difference" <<'END'
type Body: table, 48 bytes: at Vec2, mass f64, label char[8], layers u8[3], solid bool, parent entity, mood enum -> table, 56 bytes: at Vec2, mass f64, label char[8], layers u8[3], solid bool, parent entity, mood enum, extra i64
type Heat: ring, 8 bytes: x f32, y f32 -> split, 8 bytes: x f32, y f32
type Selected: only in one.mica
type Chosen: only in other.json
entity 0.0 'boss' name: boss -> chief
entity 0.0 'boss' Body.at: {x 1, y 2} -> {x 1, y 2.5}
entity 0.0 'boss' Body.mass: 0.25 -> 0.1
entity 0.0 'boss' Body.label: "a\x22b" -> "c\x0a"
entity 0.0 'boss' Body.layers: [1, 2, 3] -> [1, 2, 4]
entity 0.0 'boss' Body.solid: true -> false
entity 0.0 'boss' Body.parent: none -> 0.0
entity 0.0 'boss' Body.mood: sad -> 7
entity 0.0 'boss' facet (Heat, 5) Heat.x: 8 -> 9
entity 1.0 Target: enabled -> disabled
entity 1.0 Selected: only in one.mica
entity 1.0 Bytes: abcd -> abce
entity 1.0 Word: abcd -> abce
entity 1.0 Chosen: only in other.json
entity 2.0 Frozen: only in one.mica
entity 2.0 Bytes: only in other.json
entity 2.0 facet (Frozen, 1): only in one.mica
entity 2.0 facet (none, 2): only in other.json
entity 4.0: only in other.json
resource Gravity.y: -9.81 -> -1.62
events of Gravity: 0 -> 1
25 differences
END
ends 1 "diff, the other way round" diff other.json one.mica
is "as many differences" grep -q "^25 differences$" said
ends 2 "diff with a file that is not there" diff one.mica missing.mica
ends 2 "diff with a file that is no image" diff one.mica "$mica"

# check

ends 0 "check" check one.mica other.json
says said "what is fine" <<'END'
one.mica: fine: 3 entities, 9 types
other.json: fine: 4 entities, 9 types
END
head -c 1000 one.mica >cut.mica
ends 1 "a file that was cut" check cut.mica
is "why is said" grep -q "^mica: cut.mica: byte [0-9]*, in '[a-z]*': the image ends in the middle$" wrong
sed 's/"tick": [0-9]*/"tick": x/' one.json >bad.json
ends 1 "bad JSON" check bad.json
says wrong "line and column" <<'END'
mica: bad.json: line 4, column 13: a value is missing
END
ends 2 "no such file" check missing.mica
says wrong "why" <<'END'
mica: missing.mica: cannot be read: No such file or directory
END
ends 2 "the worst of several counts" check cut.mica missing.mica one.mica
: >empty
ends 1 "an empty file" check empty

# Progress

ends 0 "progress is shown if asked for" check --progress one.mica
is "there is a bar" grep -q "reading one.mica \[#*\.*\] *[0-9]* %" wrong
ends 0 "progress of what has no known end" check --progress - <one.mica
is "there are megabytes" grep -q "reading standard input: 0.0 MB" wrong
ends 0 "no terminal" check one.mica
is "then there is none" test ! -s wrong

echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
