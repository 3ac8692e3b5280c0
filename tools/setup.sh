#!/bin/sh
# Installs what is missing, with apt; silent and quick when nothing is.
#
# usage: setup.sh demo | window | report | reference | debian | test | full | long | m32 | s390x | aarch64 | mingw | wasm
#
#   demo       what it takes to build: cmake and a C compiler
#   window     demo, and SDL2
#   report     demo, and gnuplot
#   reference  doxygen
#   debian     demo, and what builds and checks Debian packages
#   test       demo, and clang-format
#   full       test, and gcc and clang for C and C++, pkg-config, meson, gdb, valgrind, strace
#   long       full, and gcovr, cppcheck, clang-tidy, libFuzzer, doxygen
#   m32, s390x, aarch64, mingw, wasm
#              demo, and what compiles for those machines and runs what was compiled
#
# It names what is missing. On a terminal it asks once, elsewhere it installs. As root it calls apt-get itself,
# otherwise through sudo. Where it can do neither it prints the command to run and fails. It upgrades nothing:
# packages that cannot be installed without that are named and left out.
#
# With MICA_NO_APT=1 it installs nothing. It says what is missing, and fails if nothing works without that;
# tests that need any of the rest are skipped.
set -u

tier=${1:-demo}
missing=
required=yes # what is asked for; `no`: only some tests need it
fatal=no     # something is missing that is required

lack() {
    missing="$missing $1"
    [ $required = no ] || fatal=yes
}

# need PACKAGES TOOL...: the packages are needed unless all the tools are there.
need() {
    packages=$1
    shift
    for tool in "$@"; do
        if ! command -v "$tool" >/dev/null 2>&1; then
            lack "$packages"
            return
        fi
    done
}

# need_any PACKAGES TOOL...: the packages are needed unless one of the tools is there.
need_any() {
    packages=$1
    shift
    for tool in "$@"; do
        command -v "$tool" >/dev/null 2>&1 && return
    done
    lack "$packages"
}

# need_probe PACKAGES COMPILER...: the packages are needed unless an empty program can be made.
need_probe() {
    packages=$1
    shift
    probe=$(mktemp -d)
    printf '#include <stdio.h>\nint main(void) { return 0; }\n' >"$probe/probe.c"
    "$@" "$probe/probe.c" -o "$probe/probe" >/dev/null 2>&1 || lack "$packages"
    rm -rf "$probe"
}

case $tier in
reference) need doxygen doxygen ;;
*)
    need cmake cmake ctest
    need_any "gcc libc6-dev" cc gcc clang
    ;;
esac
case $tier in
demo | reference) ;;
window)
    need_any pkg-config pkg-config
    pkg-config --exists sdl2 2>/dev/null || lack libsdl2-dev
    ;;
report) need gnuplot-nox gnuplot ;;
debian)
    need dpkg-dev dpkg-buildpackage
    need debhelper dh
    need lintian lintian
    ;;
test)
    required=no
    need_any clang-format clang-format-14 clang-format
    ;;
full | long)
    required=no
    need "gcc libc6-dev" gcc
    need g++ g++
    need clang clang clang++
    need binutils nm
    need_any pkg-config pkg-config
    need_any clang-format clang-format-14 clang-format
    need "valgrind libc6-dbg" valgrind
    need strace strace
    need gdb gdb
    need meson meson
    need ninja-build ninja
    if [ "$tier" = long ]; then
        need gcovr gcovr
        need cppcheck cppcheck
        need_any clang-tidy clang-tidy-14 clang-tidy
        need_probe libclang-rt-14-dev clang -fsanitize=fuzzer-no-link,address
        need doxygen doxygen
    fi
    ;;
# Not gcc-multilib for 32 bits: that and compilers for other machines exclude each other.
m32) need_probe "libc6-dev-i386 lib32gcc-12-dev" gcc -m32 ;;
s390x) need "gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user" s390x-linux-gnu-gcc qemu-s390x ;;
aarch64)
    need "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" aarch64-linux-gnu-gcc qemu-aarch64
    ;;
mingw)
    need gcc-mingw-w64-x86-64 x86_64-w64-mingw32-gcc
    need_any "wine64 wine" wine wine64
    ;;
wasm)
    need clang clang
    need lld wasm-ld
    need nodejs node
    need_probe "wasi-libc libclang-rt-14-dev-wasm32" clang --target=wasm32-wasi
    ;;
*)
    echo "usage: setup.sh demo | window | report | reference | debian | test | full | long | m32 | s390x | aarch64 | mingw | wasm" >&2
    exit 2
    ;;
esac

[ -n "$missing" ] || exit 0

# One of each, without leading space.
missing=$(echo "$missing" | tr ' ' '\n' | sed '/^$/d' | sort -u | tr '\n' ' ' | sed 's/ $//')
install="apt-get install -y --no-install-recommends --no-upgrade $missing"

go_without() {
    echo "missing, and not installed, because $1: $missing" >&2
    [ $fatal = no ]
    exit
}
if [ "${MICA_NO_APT:-}" = 1 ]; then
    go_without "MICA_NO_APT=1"
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "missing, and there is no apt-get to install it; as Debian calls them: $missing" >&2
    exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
    sudo=
elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    sudo=sudo
else
    echo "something is missing; as root, run:" >&2
    echo "    apt-get update && $install" >&2
    exit 1
fi

# Standard output belongs to the caller; all this is said on the other.
if [ -t 0 ] && [ -t 2 ]; then
    printf 'missing: %s\nInstall with apt-get? [Y/n] ' "$missing" >&2
    read -r answer
    case $answer in
    "" | [Yy]*) ;;
    *) go_without "you said so" ;;
    esac
else
    echo "installing with apt-get (MICA_NO_APT=1 keeps it from that): $missing" >&2
fi

apt() { $sudo env DEBIAN_FRONTEND=noninteractive apt-get "$@" </dev/null; }

failed() {
    echo "could not install; as root, run:" >&2
    echo "    apt-get update && $install" >&2
    exit 1
}
apt update -q >&2 || failed

# Nothing that is there is upgraded: packages that would do that are left out, and named.
options='install -y --no-install-recommends --no-upgrade'
added=
left=
for package in $missing; do
    # shellcheck disable=SC2086 # a list of words
    upgraded=$(apt -s $options "$package" 2>/dev/null | sed -n 's/^Inst \([^ ]*\) \[.*/\1/p' | tr '\n' ' ')
    if [ -n "$upgraded" ]; then
        echo "not installed, because it would upgrade ${upgraded% }: $package" >&2
        left="$left $package"
    else
        added="$added $package"
    fi
done
if [ -n "$added" ]; then
    # shellcheck disable=SC2086
    apt $options $added >&2 || failed
fi
[ -z "$left" ] || [ $fatal = no ]
