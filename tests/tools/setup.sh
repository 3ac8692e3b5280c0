#!/bin/sh
# Checks what is installed when, by tools/setup.sh and by `make demo` and `make demo-window`, which begin with it: on
# machines with an apt-get that writes down what it is called with, and installs nothing. What is missing is named before it
# is installed; on a terminal that is asked. Nothing that is there is upgraded. MICA_NO_APT=1 turns all of it off.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
skipped=0

# Nothing of this goes into the tree.
mkdir "$work/tree"
cp -r "$root/Makefile" "$root/tools" "$work/tree"

# A machine that has the shell's own tools, those that are named, and apt-get. Asked what it would do (-s), that says that
# strace needs an upgrade, as does SDL2 if the machine is `outdated`. When it installs cmake, there is a cmake, which stops
# what comes next.
machine() {
    rm -rf "${work:?}/bin" "$work/outdated"
    mkdir "$work/bin"
    for tool in cat chmod dirname env getconf grep make mkdir sed sh sort tr; do
        ln -s "$(command -v $tool)" "$work/bin/$tool"
    done
    cat >"$work/bin/apt-get" <<END
#!/bin/sh
echo "apt-get \$*" >>"$work/calls"
case \$* in
"-s "*strace) echo "Inst libc6 [2.36-1] (2.36-9 Debian)"; echo "Inst strace (6.1 Debian)" ;;
"-s "*libsdl2-dev)
    [ ! -f "$work/outdated" ] || echo "Inst libudev1 [252.1] (252.2 Debian)"
    echo "Inst libsdl2-dev (2.26 Debian)" ;;
"-s "*) echo "Inst something (1.0 Debian)" ;;
*) echo "apt-get \$*" ;;
esac
case \$* in
"install "*" cmake") cat "$work/cmake" >"$work/bin/cmake"; chmod +x "$work/bin/cmake" ;;
esac
END
    printf '#!/bin/sh\necho 0\n' >"$work/bin/id"
    printf '#!/bin/sh\necho "cmake $*"\nexit 1\n' >"$work/cmake"
    printf '#!/bin/sh\nexit 1\n' >"$work/none"
    for tool in "$@"; do
        case $tool in
        cmake) cp "$work/cmake" "$work/bin/cmake" ;;
        no-sdl2) cp "$work/none" "$work/bin/pkg-config" ;;
        outdated) touch "$work/outdated" ;;
        *) printf '#!/bin/sh\n' >"$work/bin/$tool" ;;
        esac
    done
    chmod +x "$work/bin"/*
}

pass() { passed=$((passed + 1)); }

# fail SENTENCE: with what was said and what was called.
fail() {
    failed=$((failed + 1))
    echo "FAILED: $1, got"
    sed 's/^/    /' "$work/said" "$work/calls"
}

# sets_up WHAT STATUS TIER SAID [NO_APT]: the exit status and all that is said.
sets_up() {
    status=0
    : >"$work/calls"
    PATH=$work/bin MICA_NO_APT=${5:-} "$work/bin/sh" "$root/tools/setup.sh" "$3" >"$work/said" 2>&1 || status=$?
    if [ "$status" -eq "$2" ] && [ "$(cat "$work/said")" = "$4" ]; then
        pass
    else
        fail "$1: expected exit status $2 and '$4', got $status"
    fi
}

machine cmake ctest gcc
sets_up "where nothing is missing nothing is said" 0 demo ""
sets_up "what will be installed is told before it is" 0 reference \
    "installing with apt-get (MICA_NO_APT=1 keeps it from that): doxygen
apt-get update -q
apt-get install -y --no-install-recommends --no-upgrade doxygen"
sets_up "nothing is installed where that is turned off" 1 reference \
    "missing, and not installed, because MICA_NO_APT=1: doxygen" 1
machine cmake ctest gcc g++ clang clang++ nm pkg-config clang-format valgrind gdb meson ninja
sets_up "tests go on without what only some of them need" 0 full \
    "missing, and not installed, because MICA_NO_APT=1: strace" 1
sets_up "nothing that is there is upgraded" 0 full \
    "installing with apt-get (MICA_NO_APT=1 keeps it from that): strace
apt-get update -q
not installed, because it would upgrade libc6: strace"
machine cmake ctest gcc
sets_up "the quick tests need a compiler and cmake, and can use clang-format" 0 test \
    "missing, and not installed, because MICA_NO_APT=1: clang-format" 1
machine gcc
sets_up "nothing goes on without what everything needs" 1 full \
    "missing, and not installed, because MICA_NO_APT=1: binutils clang clang-format cmake g++ gdb libc6-dbg \
meson ninja-build pkg-config strace valgrind" 1

# What is looked for: these words of what is said, and these calls of apt-get, all of them.
has() { tr -d '\r' <"$work/said" | grep -qF -e "$1"; }
called() { [ "$(cat "$work/calls")" = "$1" ]; }
installs() {
    called "apt-get update -q
apt-get -s install -y --no-install-recommends --no-upgrade $1
apt-get install -y --no-install-recommends --no-upgrade $1"
}

# runs TARGET [NO_APT]: make, as somebody has it without a terminal.
runs() {
    : >"$work/calls"
    env -i "PATH=$work/bin" "MICA_NO_APT=${2:-}" make -C "$work/tree" "$1" >"$work/said" 2>&1 </dev/null
}
# checks WHAT COMMAND...
checks() {
    what=$1
    shift
    if "$@"; then pass; else fail "$what"; fi
}

machine cmake ctest gcc
runs demo
checks "make demo calls no apt-get where nothing is missing" called ""
checks "make demo builds" has "cmake --preset release"
machine ctest gcc
runs demo
checks "make demo names what is missing" has "installing with apt-get (MICA_NO_APT=1 keeps it from that): cmake"
checks "make demo installs that alone, and upgrades nothing" installs cmake
checks "make demo goes on" has "cmake --preset release"
machine ctest gcc
runs demo 1
checks "make demo says what it cannot do without" has "missing, and not installed, because MICA_NO_APT=1: cmake"
checks "make demo calls no apt-get if that is turned off" called ""
machine cmake ctest gcc no-sdl2
runs demo-window
checks "make demo-window names what is missing" has "installing with apt-get (MICA_NO_APT=1 keeps it from that): libsdl2-dev"
checks "make demo-window installs that alone, and upgrades nothing" installs libsdl2-dev
checks "make demo-window goes on" has "cmake --preset release"
runs demo-window 1
checks "make demo-window calls no apt-get if that is turned off" called ""
machine cmake ctest gcc no-sdl2 outdated
runs demo-window
checks "make demo-window says what it would have to upgrade" \
    has "not installed, because it would upgrade libudev1: libsdl2-dev"
checks "make demo-window does not upgrade it" called "apt-get update -q
apt-get -s install -y --no-install-recommends --no-upgrade libsdl2-dev"

# answers ANSWER COMMAND...: the same on a terminal, where somebody answers.
answers() {
    : >"$work/calls"
    answer=$1
    shift
    (sleep 0.5; echo "$answer") | "$script" -qec "env -i PATH=$work/bin $*" /dev/null >"$work/said" 2>&1
}

if script=$(command -v script); then
    machine cmake ctest gcc no-sdl2
    answers n "$work/bin/sh" "$root/tools/setup.sh" reference
    checks "on a terminal it is asked" has "Install with apt-get? [Y/n]"
    checks "on a terminal, nothing is installed if the answer is no" called ""
    checks "what was refused is said" has "because you said so: doxygen"
    answers y "$work/bin/sh" "$root/tools/setup.sh" reference
    checks "on a terminal, it is installed if the answer is yes" installs doxygen
    answers n make -C "$work/tree" demo-window
    checks "make demo-window asks on a terminal" has "missing: libsdl2-dev"
    checks "make demo-window calls no apt-get if the answer is no" called ""
    answers "" make -C "$work/tree" demo-window
    checks "make demo-window installs if the answer is the default" installs libsdl2-dev
    machine ctest gcc
    answers n make -C "$work/tree" demo
    checks "make demo asks on a terminal" has "missing: cmake"
    checks "make demo calls no apt-get if the answer is no" called ""
else
    skipped=1
    echo "skipped: no script, which runs a command on a terminal (apt-get install bsdutils)"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
