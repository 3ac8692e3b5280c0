#!/bin/sh
# A release as tools/dist.sh writes it: the sums are right, the tarball unpacks to one folder, that folder packs to the
# same bytes again, and hello-world compiles with the two files.
set -u
. "$(dirname "$0")/../cases.sh"

if ! tar --version 2>/dev/null | grep -q GNU || ! command -v sha256sum >/dev/null; then
    echo "skipped: no GNU tar, or no sha256sum"
    exit 77
fi

check "dist.sh" sh "$root/tools/dist.sh" "$work/dist"
cd "$work/dist" || exit 1
name=mica-$("$root/tools/version.sh")

sums() {
    (cut -d ' ' -f 3 SHA256SUMS; echo SHA256SUMS) | sort >"$work/summed"
    sha256sum --check --strict SHA256SUMS && find . -type f | sed 's|^\./||' | sort | diff "$work/summed" -
}
check "every file has its sum" sums

# Somebody else, somewhere else: nothing of the tree, of its history or of the one who packs goes in.
unpack() { (umask 077 && tar -xzf "$name.tar.gz" -C "$work"); }
packed_again() {
    (
        umask 077
        cd / && TZ=Asia/Tokyo sh "$work/$name/tools/dist.sh" "$work/again"
    ) && diff SHA256SUMS "$work/again/SHA256SUMS"
}
one_folder() { tar -tzf "$name.tar.gz" | cut -d / -f 1 | sort -u | diff - "$work/name"; }
echo "$name" >"$work/name"
check "the tarball has one folder, named by the version" one_folder
check "the tarball unpacks" unpack
check "what was unpacked packs to the same bytes" packed_again

# says EXPECTED COMMAND...
says() {
    expected=$1
    shift
    "$@" | diff "$expected" -
}
mkdir "$work/program"
cp mica.c mica.h "$root/examples/hello.c" "$work/program"
cd "$work/program" || exit 1
check "hello-world compiles with the two files" cc -std=c11 -O0 -I. hello.c mica.c -lm -o hello
check "hello-world prints what it should" says "$root/examples/hello.expected" ./hello

conclude
