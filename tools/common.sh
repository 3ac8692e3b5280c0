# shellcheck shell=sh
# Shared by the scripts in tools/: sourced from the root of the tree, not run.

jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# make hands its own options down; the builds below choose theirs.
unset MAKEFLAGS MAKELEVEL MFLAGS

# have TOOL...: are all of them installed?
have() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null 2>&1 || return 1
    done
}

# To be put before a command that might never end, such as an analyzer: five minutes.
limit=
if have timeout; then
    # shellcheck disable=SC2034
    limit='timeout -v -k 10 300'
fi

# quietly LOG COMMAND...: runs it, and shows what it said only if it fails.
quietly() {
    quiet_log=$1
    shift
    mkdir -p "$(dirname "$quiet_log")"
    if ! "$@" >"$quiet_log" 2>&1; then
        grep -v '^\[ *[0-9]*%\]' "$quiet_log" # without the progress of a build
        return 1
    fi
}

# build PRESET [cmake option...]: configures and builds all of build/PRESET.
build() {
    build_preset=$1
    shift
    quietly "build/$build_preset.configure.log" cmake --preset "$build_preset" "$@" &&
        quietly "build/$build_preset.build.log" \
            cmake --build "build/$build_preset" --parallel "$jobs"
}

# The last line of a job that could not even begin, and of one that this machine cannot do.
close_failed() {
    echo "$1"
    echo "0 passed, 1 failed"
    exit 1
}
close_skipped() {
    echo "skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
