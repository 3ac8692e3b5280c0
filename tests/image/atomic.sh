#!/bin/sh
# Checks that saving to a path is all or nothing. A program saves over a file, and is killed, or told that
# the disk has failed, at each of its system calls in turn (strace), and on a disk that is full. Then the
# path has the old file or the new one, whole; the old one if the program says that it failed (but for the
# last step, when the new one is in place and only its folder could not be flushed), and nothing beside it.
#
# usage: atomic.sh SAVE_BYTES
set -u
save=$1
work=$(mktemp -d)
disk=
cleanup() {
    [ -z "$disk" ] || umount "$disk"
    rm -rf "$work"
}
trap cleanup EXIT
passed=0
failed=0
skipped=0

size=200000 # four blocks of 64 KiB
head -c 1000 /dev/zero | tr '\0' o >"$work/old"
head -c $size /dev/zero | tr '\0' n >"$work/new"

# begin FOLDER: with the old file in it.
begin() {
    rm -rf "${1:?}"/*
    cp "$work/old" "$1/file"
}

complain() {
    failed=$((failed + 1))
    echo "FAILED: $1"
}

# judge WHAT FOLDER STATUS [killed | lasting]: what is there after the program ended so.
judge() {
    what=$1
    folder=$2
    status=$3
    if cmp -s "$folder/file" "$work/old"; then
        found=old
    elif cmp -s "$folder/file" "$work/new"; then
        found=new
    else
        complain "$what: the file is neither the old one nor the new one"
        return
    fi
    beside=$(($(ls -A "$folder" | wc -l) - 1))
    case ${4:-} in
    killed) fine=$([ "$beside" -le 1 ] && echo yes) ;;
    lasting) fine=$([ "$status" -eq 1 ] && [ $found = new ] && [ "$beside" -eq 0 ] && echo yes) ;;
    *)
        case $status in
        0) fine=$([ $found = new ] && [ "$beside" -eq 0 ] && echo yes) ;;
        1) fine=$([ $found = old ] && [ "$beside" -eq 0 ] && echo yes) ;;
        *) fine= ;;
        esac
        ;;
    esac
    if [ "$fine" = yes ]; then
        passed=$((passed + 1))
    else
        complain "$what: exit status $status, the file is the $found one, with $beside files beside it"
    fi
}

mkdir "$work/folder"
begin "$work/folder"
"$save" "$work/folder/file" $size n
judge "nothing is wrong" "$work/folder" $?

# Permissions are handed on.
begin "$work/folder"
chmod 640 "$work/folder/file"
"$save" "$work/folder/file" $size n
if [ "$(ls -l "$work/folder/file" | cut -c 1-10)" = "-rw-r-----" ]; then
    passed=$((passed + 1))
else
    complain "the new file has other permissions than the old one"
fi

# Of a link, the link itself is replaced.
begin "$work/folder"
mkdir -p "$work/elsewhere"
cp "$work/old" "$work/elsewhere/file"
ln -sf "$work/elsewhere/file" "$work/folder/file"
"$save" "$work/folder/file" $size n
judge "a link is replaced" "$work/folder" $?
if [ ! -L "$work/folder/file" ] && cmp -s "$work/elsewhere/file" "$work/old"; then
    passed=$((passed + 1))
else
    complain "what a link leads to was written to"
fi

# inject CALL FAULT: strace, for the k-th call of that name, until there is none. The program's own calls
# on files come after those of its start: the ones counted are of the folder, or of numbers it has opened.
trace() {
    strace -f -qq -o "$work/trace" "$@" 2>"$work/said"
}

inject() {
    call=$1
    fault=$2
    number=1
    while :; do
        begin "$work/folder"
        trace -e trace="$call" -e inject="$call:$fault:when=$number" \
            "$save" "$work/folder/file" $size n
        status=$?
        # What was not reached was not injected.
        if ! grep -q -e INJECTED -e 'killed by' "$work/trace"; then
            break
        fi
        case $call:$fault in
        *signal=KILL) judge "killed at $call $number" "$work/folder" $status killed ;;
        fsync:*) # the first is of the file, the second of its folder
            judge "$call $number: $fault" "$work/folder" $status "$([ $number -eq 2 ] && echo lasting)"
            ;;
        *) judge "$call $number: $fault" "$work/folder" $status ;;
        esac
        number=$((number + 1))
    done
    if [ $number -le "$3" ]; then
        complain "$call is called $((number - 1)) times, and at least $3 were expected"
    fi
}

if command -v strace >/dev/null 2>&1 && trace true; then
    for fault in error=ENOSPC error=EIO signal=KILL; do
        inject write $fault 4
    done
    for fault in error=EIO signal=KILL; do
        inject fsync $fault 2
    done
    for call in rename renameat renameat2; do
        begin "$work/folder"
        trace -e trace=$call "$save" "$work/folder/file" $size n
        if grep -q "^[0-9]* *$call(" "$work/trace"; then
            inject $call error=EACCES 1
            inject $call signal=KILL 1
        fi
    done
    inject fchmod error=EPERM 1
    # An interruption is none.
    begin "$work/folder"
    trace -e trace=fsync,write -e inject=write:error=EINTR:when=2 -e inject=fsync:error=EINTR:when=1 \
        "$save" "$work/folder/file" $size n
    judge "interrupted" "$work/folder" $?
else
    skipped=$((skipped + 1))
    echo "skipped: killed at every write, flush and rename: strace is missing, or not allowed"
fi

# A disk that is full: one of 64 KiB, if it can be mounted; and a limit on the size of files.
mkdir "$work/disk"
if mount -t tmpfs -o size=64k tmpfs "$work/disk" 2>/dev/null; then
    disk=$work/disk
    begin "$disk"
    "$save" "$disk/file" $size n 2>"$work/said"
    judge "the disk is full" "$disk" $?
    if ! grep -q "the disk is full" "$work/said"; then
        complain "a full disk is not called so: $(cat "$work/said")"
    fi
else
    skipped=$((skipped + 1))
    echo "skipped: on a full disk: none can be mounted"
fi
begin "$work/folder"
(ulimit -f 100 && exec "$save" "$work/folder/file" $size n) 2>"$work/said"
judge "the file would be too large" "$work/folder" $?

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
