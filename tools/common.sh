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

# progress WHAT: prints how far something is, from lines that say so: "[ 42%] ..." of a build, "12/73 Test ..." of
# tests. On a terminal that is one line, which is overwritten; elsewhere ten lines.
progress() {
    progress_terminal=no
    if [ -t 1 ]; then
        progress_terminal=yes
    fi
    awk -v what="$1" -v terminal=$progress_terminal '
        function show(percent) {
            if (terminal == "yes" && percent != last) printf "\r%s: %d %%\033[K", what, percent
            if (terminal == "no" && int(percent / 10) > int(last / 10)) print what ": " percent " %"
            fflush()
            last = percent
        }
        /^\[ *[0-9]+%\]/ { show(substr($0, 2, 3) + 0) }
        match($0, /^ *[0-9]+\/[0-9]+ Test /) {
            split($1, of, "/")
            show(int(100 * of[1] / of[2]))
        }
        END { if (terminal == "yes") printf "\r\033[K" }'
}

# build PRESET [cmake option...]: configures and builds all of build/PRESET, and prints how far it is.
build() {
    build_preset=$1
    shift
    quietly "build/$build_preset.configure.log" cmake --preset "$build_preset" "$@" && build_targets "$build_preset" all
}

# build_targets PRESET TARGET...: builds these of a configured preset.
build_targets() {
    build_preset=$1
    shift
    build_log=build/$build_preset.$1.log
    { cmake --build "build/$build_preset" --target "$@" --parallel "$jobs" 2>&1; echo "exit status $?"; } |
        tee "$build_log" | progress "building"
    if [ "$(tail -n 1 "$build_log")" != "exit status 0" ]; then
        grep -v '^\[ *[0-9]*%\]' "$build_log" # without the progress of the build
        return 1
    fi
}

# build_for NAME [cmake option...]: the suites that run on other machines, into build/NAME. Optimised, but
# with symbols; only what those suites need is built.
build_for() {
    build_machine=$1
    shift
    quietly "build/$build_machine.configure.log" cmake -S . -B "build/$build_machine" \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-O2 -g' -DMICA_INSTALL=OFF \
        -DMICA_BUILD_EXAMPLES=OFF -DMICA_BUILD_DEMO=OFF -DMICA_BUILD_TOOL=OFF "$@" &&
        quietly "build/$build_machine.build.log" \
            cmake --build "build/$build_machine" --target core_suites --parallel "$jobs"
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

# job SCRIPT [argument...]: runs one of the scripts that end with the line "N passed, N failed[, N skipped]", and adds
# its counts to $passed, $failed and $skipped. What it said stays in build/jobs/NAME.log; its counts, time and the
# commit it was about in build/jobs/NAME.row, for tools/report.sh. A line "figure: ..." of what it says is
# its figure there, and "gate: ..." what that must be; without, nothing must fail.
job() {
    mkdir -p build/jobs
    job_files=build/jobs/$(job_name "$1")
    job_log=$job_files.log
    rm -f "$job_files.row"
    echo "==== $1"
    job_began=$(date +%s)
    { "$@" 2>&1; echo "exit status $?"; } | tee "$job_log" | sed '/^exit status [0-9]*$/d'
    job_seconds=$(($(date +%s) - job_began))
    closing=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$job_log" | tail -n 1)
    status=$(sed -n '$s/^exit status //p' "$job_log")
    if [ -z "$closing" ]; then
        closing='0 passed, 1 failed'
        echo "$1 died without its closing line"
    fi
    # shellcheck disable=SC2046
    set -- "$1" $(echo "$closing" | tr -cd '0-9 ')
    if [ "$status" != 0 ] && [ "$3" -eq 0 ]; then
        echo "$1: exit status $status although no case failed"
        set -- "$1" "$2" 1 "${4:-0}"
    fi
    passed=$((passed + $2))
    failed=$((failed + $3))
    skipped=$((skipped + ${4:-0}))
    echo "$2 $3 ${4:-0} $job_seconds $(commit)" >"$job_files.row"
}

# job_name SCRIPT: tools/test.sh is `test`, tools/long/asan.sh `asan`, tools/night/fuzz.sh `night_fuzz`.
job_name() { echo "$1" | sed 's|^tools/||; s|^long/||; s|/|_|; s|\.sh$||'; }

# commit: what is tested, in a word; with a + if the tree has changes beside it.
commit() {
    if have git && git rev-parse --short HEAD >/dev/null 2>&1; then
        git rev-parse --short HEAD | tr -d '\n'
        git diff --quiet HEAD -- . ':!docs/report.md' 2>/dev/null && echo || echo +
    else
        echo unknown
    fi
}
