#!/bin/sh
# Images cross between machines: what is written on 64 bits, on 32, and on a big-endian one (s390x, under
# qemu), is the same, byte for byte, and is loaded and saved again on each of the others as it was. After the
# jobs that build for these machines.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
work=build/cross
rm -rf "$work"
mkdir -p "$work"
passed=0
failed=0
skipped=0

# golden MACHINE ARGUMENT...: the program that writes images, on that machine.
golden() {
    machine=$1
    shift
    case $machine in
    s390x) qemu-s390x build/s390x/tests/golden "$@" ;;
    *) "build/$machine/tests/golden" "$@" ;;
    esac
}

machines=
for machine in release m32 s390x; do
    if [ ! -f "build/$machine/CMakeCache.txt" ]; then
        skipped=$((skipped + 1))
        echo "skipped: nothing was built for $machine"
    elif quietly "build/cross.$machine.log" cmake --build "build/$machine" --target golden; then
        machines="$machines $machine"
    else
        failed=$((failed + 1))
        echo "FAILED: the build for $machine"
    fi
done

# same WHAT PREFIX PREFIX: are the images of both the same?
same() {
    for ending in mica json part.mica part.json; do
        if cmp "$2.$ending" "$3.$ending"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED: $1, $ending"
        fi
    done
}

# A world of few entities, and of many.
for seed in 1 2 3 4 5; do
    first=
    for machine in $machines; do
        golden "$machine" "$seed" $((seed * seed * 40)) "$work/$machine.$seed" >/dev/null
        first=${first:-$work/$machine.$seed}
        same "seed $seed is written the same on $machine" "$first" "$work/$machine.$seed"
    done
    for writer in $machines; do
        for machine in $machines; do
            golden "$machine" again "$work/$writer.$seed" "$work/again" >/dev/null
            same "seed $seed of $writer crosses to $machine" "$first" "$work/again"
            rm -f "$work"/again.*
        done
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
