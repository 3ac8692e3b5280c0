# shellcheck shell=sh
# Shared by scripts that are suites, in folders of tests/: sourced, not run. They work in the folder $work, which is
# removed when they end, say of each case that it passed or failed, and end with conclude.

# shellcheck disable=SC2034 # for those who source this
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
skipped=0

pass() { passed=$((passed + 1)); }

# fail WHAT TEXT: the text says more.
fail() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    printf '%s\n' "$2" | sed 's/^/    /'
}

# check WHAT COMMAND...: a case, passed if the command succeeds. What it printed is in $work/said.
check() {
    what=$1
    shift
    if "$@" >"$work/said" 2>&1; then
        pass
    else
        fail "$what" "$(cat "$work/said")"
    fi
}

# check_none WHAT VIOLATIONS: a case, passed if there are none.
check_none() {
    if [ -z "$2" ]; then
        pass
    else
        fail "$1" "$2"
    fi
}

conclude() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}
