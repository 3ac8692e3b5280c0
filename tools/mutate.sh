#!/bin/sh
# Mutation: mistakes are put into src/core, src/store, src/state, src/entity and src/query, one at a time (tools/mutants.awk), and
# the suites are run, those of its room first, until one fails. What survives them all is listed: a test that
# is missing, or a change that makes no difference.
#
# usage: mutate.sh [--seed N] [--count N] [--only TEXT] [--list]
#
#   --count  so many, chosen by the seed (1); without, all
#   --only   those of files whose path contains the text; --only src/core/slot.c:123 those of one line
#   --list   prints them and runs nothing
#
# The library with tiny pages is a shared one here, and the suites are those of the release build, linked to it: for each
# mutant one file is compiled, and the library linked. One that does not compile, or compiles to the same
# bytes, is not counted. build/mutants/log has what became of each. One takes 4 to 5 seconds of a processor on average: 2 if it
# is killed, 22 if it survives. All of them are a night for two.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh

seed=1
count=0
only=
list=no
while [ $# -gt 0 ]; do
    case $1 in
    --seed) seed=$2 && shift ;;
    --count) count=$2 && shift ;;
    --only) only=$2 && shift ;;
    --list) list=yes ;;
    *) echo "usage: mutate.sh [--seed N] [--count N] [--only TEXT] [--list]" >&2 && exit 2 ;;
    esac
    shift
done

home=build/mutants
mkdir -p $home/objects

# "file:line<TAB>kind<TAB>the line", chosen: each gets a number from the seed, and those with the lowest are taken.
for file in $(find src/core src/store src/state src/entity src/query -name '*.c' | LC_ALL=C sort); do
    awk -f tools/mutants.awk "$file" | sed "s|^|$file:|"
done | awk -F'\t' -v only="$only" 'index($1 ":", only)' |
    awk -v seed="$seed" 'BEGIN { x = seed * 7919 + 12345 }
        { x = (x * 69069 + 1) % 4294967296; printf "%010d\t%s\n", x, $0 }' >$home/all
if [ "$count" -gt 0 ]; then
    LC_ALL=C sort $home/all | head -n "$count" | cut -f 2- | LC_ALL=C sort >$home/chosen
else
    cut -f 2- $home/all >$home/chosen
fi
if [ $list = yes ]; then
    cat $home/chosen
    exit
fi

# The suites, the quickest first: most mutants are killed by one of the first ten, which together take two seconds.
# What survives costs as much as they all, so cases that take long are left out where quicker ones look at the same.
suites='unit_pool_small unit_system unit_core negative unit_store unit_event_small unit_world_small
    unit_command_small damage_small promises_small exhaustive unit_query_small unit_image_small
    model_small contract_small oom_small'
first_of() {
    case $1 in
    src/core/*) echo unit_core ;;
    src/store/table/*) echo unit_store ;;
    src/store/pool/*) echo unit_pool_small ;;
    src/state/* | src/entity/* | src/world/*) echo unit_world_small ;;
    *) echo unit_query_small ;;
    esac
}
options_of() {
    case $1 in
    unit_world_small) echo --skip four_thousand_million ;;
    promises_small) echo --skip promise_of_mica_world_save --skip promise_of_mica_part_load ;;
    unit_image_small) echo --skip damage/ --skip an_image_that_was_changed ;;
    exhaustive) echo --length 4 ;;
    model_small) echo --seed 1 --tapes 150 --steps 150 --whole ;;
    # One refusal is left to be survived, by each call.
    oom_small) echo --skip from_there_on --skip running_out_of_memory ;;
    esac
}

# shellcheck disable=SC2086
quietly $home.configure.log cmake --preset release &&
    quietly $home.build.log cmake --build build/release --parallel "$jobs" --target $suites ||
    close_failed "the build failed"

# compile FOLDER SOURCE OBJECT; assertions name the source without the folder, so that equal objects are equal.
compile() {
    gcc "-fmacro-prefix-map=$1=" -std=c11 -O1 -w -fPIC -fexceptions -ffp-contract=off -DMICA_BUILD -DMICAI_TEST_SMALL_PAGES \
        -Iinclude -Isrc -c "$1$2" -o "$3" 2>/dev/null
}
object_of() { echo "$home/objects/$(echo "$1" | tr / _).o"; }
# What has not changed since the library was linked is as good as new.
newest=$(find src include -name '*.h' -newer $home/libmica_small.so 2>/dev/null)
number=0
objects=
for file in $(find src -name '*.c'); do
    object=$(object_of "$file")
    objects="$objects $object"
    if [ -z "$newest" ] && [ -f $home/libmica_small.so ] && [ "$object" -nt "$file" ]; then
        continue
    fi
    rm -f "$object"
    compile "" "$file" "$object" &
    number=$((number + 1))
    [ $((number % jobs)) -ne 0 ] || wait
done
wait
# shellcheck disable=SC2086
gcc -shared $objects -lm -o $home/libmica_small.so || close_failed "the library does not link"
mkdir -p $home/programs
for suite in $suites; do
    # shellcheck disable=SC2046
    gcc $(find "build/release/tests/CMakeFiles/$suite.dir" -name '*.o') \
        build/release/librunner_over_mica_small.a -L$home -lmica_small -lm -lpthread -o "$home/programs/$suite" ||
        close_failed "$suite does not link"
done
gcc -std=c11 -w -DMICAI_TEST_SMALL_PAGES -Iinclude tests/unit/inspect/print.c \
    -L$home -lmica_small -o $home/programs/print || close_failed "print does not link"
suites="print $suites"

# run SUITE FOLDER SECONDS: does it pass in that time, with the library that is in the folder? The seconds are
# those of the processor, whatever else the machine does.
run() {
    # Words that are meant to be split.
    # shellcheck disable=SC2046
    (
        ulimit -v 4000000 2>/dev/null
        ulimit -c 0
        ulimit -t "$3"
        MICA_TEST_TIER=core LD_LIBRARY_PATH=$2 timeout 300 "$home/programs/$1" $(options_of "$1") --stop \
            >"$2/said" 2>&1 </dev/null
        exit $?   # so that it is this shell
    ) 2>/dev/null # which says what it died of
}
# passes SUITE FOLDER SECONDS: the same; and does what is printed read as it does without a mutant?
passes() {
    run "$@" && { [ "$1" != print ] || sed 's/[0-9]* bytes$//' "$2/said" | cmp -s - $home/printed; }
}
# $spent: milliseconds of the processor that what this shell ran has taken so far.
look_at_clock() {
    times >$home/times
    spent=$(tr 'ms' '  ' <$home/times | awk 'NR == 2 { printf "%d\n", 1000 * (60 * ($1 + $3) + $2 + $4) }')
}
run print $home 300
sed 's/[0-9]* bytes$//' $home/said >$home/printed
# Without a mutant all pass; whoever takes four times as long with one goes round in circles.
look_at_clock
for suite in $suites; do
    began=$spent
    passes "$suite" $home 300 || close_failed "$suite fails without a mutant: $(tail -n 3 $home/said)"
    look_at_clock
    echo $((2 + 4 * (spent - began) / 1000)) >"$home/$suite.limit"
done

# try FILE LINE TEXT FOLDER: what becomes of a mutant, in a word or two.
try() {
    mkdir -p "$4/$(dirname "$1")"
    MUTANT=$3 awk -v line="$2" 'NR == line { print ENVIRON["MUTANT"]; next } { print }' "$1" >"$4/$1"
    original=$(object_of "$1")

    if ! compile "$4/" "$1" "$4/mutant.o"; then
        echo stillborn
        return
    fi
    if cmp -s "$4/mutant.o" "$original"; then
        echo same
        return
    fi
    # shellcheck disable=SC2046
    gcc -shared $(echo $objects | tr ' ' '\n' | grep -v "^$original\$") "$4/mutant.o" -lm -o "$4/libmica_small.so" ||
        return
    first=$(first_of "$1")
    for suite in $first $(echo "$suites" | tr ' ' '\n' | grep -v "^$first\$"); do
        if ! passes "$suite" "$4" "$(cat "$home/$suite.limit")"; then
            echo "killed by $suite $(sed -n 's/^FAILED //p' "$4/said" | head -n 1)"
            return
        fi
    done
    echo survived
}

# worker NUMBER: every so many-th mutant.
worker() {
    folder=$home/worker.$1
    rm -rf "$folder"
    mkdir -p "$folder"
    tab=$(printf '\t')
    awk -v me="$1" -v all="$jobs" 'NR % all == me' $home/chosen >"$folder/mine"
    while IFS="$tab" read -r place kind text; do
        became=$(try "${place%:*}" "${place#*:}" "$text" "$folder")
        printf '%s\t%s\t%s\t%s\n' "$became" "$place" "$kind" "$text" >>$home/log
    done <"$folder/mine"
}
: >$home/log
number=0
while [ $number -lt "$jobs" ]; do
    worker $number &
    number=$((number + 1))
done
wait

awk -F'\t' '$1 == "survived" { print "survived: " $2 " " $3 ":" $4 }' $home/log | LC_ALL=C sort
awk -F'\t' -v seed="$seed" -v count="$count" '
    $1 ~ /^killed/ { killed++ }
    $1 == "survived" { survived++ }
    END {
        all = killed + survived
        printf "figure: %.1f %% of %d mutants killed", all ? 100 * killed / all : 0, all
        if (count) printf ", chosen by seed %d", seed
        print "\ngate: 80 %"
        met = all && killed >= 0.8 * all
        print met ? "1 passed, 0 failed" : "0 passed, 1 failed"
        exit !met
    }' $home/log
