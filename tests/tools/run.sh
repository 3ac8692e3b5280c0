#!/bin/sh
# Checks how suites are run and counted (tools/run-suite.sh, tools/run-tests.sh): what passes, fails,
# skips, dies, hangs or says nothing must be counted as what it is.
set -u
. "$(dirname "$0")/../cases.sh"
unset MICA_TEST_WRAPPER MALLOC_PERTURB_

# A build folder of CTest, with the suites that add() gives it.
begin() {
    rm -rf "$work/build"
    mkdir -p "$work/build"
    : >"$work/build/CTestTestfile.cmake"
}

# add NAME KIND SCRIPT: a suite labelled quick that runs the shell script.
add() {
    printf '#!/bin/sh\n%s\n' "$3" >"$work/build/$1.sh"
    chmod +x "$work/build/$1.sh"
    cat >>"$work/build/CTestTestfile.cmake" <<EOF
add_test($1 sh $root/tools/run-suite.sh $work/build/results $2 $1 $work/build/$1.sh)
set_tests_properties($1 PROPERTIES LABELS quick TIMEOUT 2 SKIP_RETURN_CODE 77)
EOF
}

# counts WHAT STATUS LINE [TEXT]: the last line, the exit status, and a text that is told.
counts() {
    status=0
    "$root/tools/run-tests.sh" "$work/build" quick >"$work/said" 2>&1 || status=$?
    if [ "$status" -eq "$2" ] && [ "$(tail -n 1 "$work/said")" = "$3" ] &&
        grep -q "${4:-passed}" "$work/said"; then
        pass
    else
        failed=$((failed + 1))
        echo "FAILED: $1: expected exit status $2, '$3' and '${4:-passed}', got $status and"
        sed 's/^/    /' "$work/said"
    fi
}

begin
add one --suite 'echo "3 passed, 0 failed, 0 skipped"'
add two --suite 'echo "4 passed, 0 failed, 0 skipped"'
add three --case 'echo "5 passed, 0 failed"'
add four --case 'echo fine'
counts "passed cases are added up" 0 "13 passed, 0 failed"

begin
add one --suite 'echo "3 passed, 2 failed, 0 skipped"; exit 1'
counts "failed cases are counted, and shown" 1 "3 passed, 2 failed" '2 FAILED'

begin
add one --suite 'echo "SKIPPED a/b: no moon"; echo "3 passed, 0 failed, 2 skipped"'
counts "skipped cases are told with their reason" 0 "3 passed, 0 failed, 2 skipped" \
    'one: SKIPPED a/b: no moon'

begin
add one --case 'echo "no such tool"; exit 77'
counts "a case with exit status 77 is skipped" 0 "0 passed, 0 failed, 1 skipped" 'one: no such tool'

begin
add one --case 'echo bad; exit 3'
counts "a case with another exit status failed" 1 "0 passed, 1 failed" 'exit status 3'

begin
add one --suite 'kill -ABRT $$'
add two --suite 'echo "4 passed, 0 failed, 0 skipped"'
counts "a suite that crashes is one failed case" 1 "4 passed, 1 failed" 'without its closing line'

begin
add one --suite 'echo "half of it"'
counts "a suite that ends early is one failed case" 1 "0 passed, 1 failed" \
    'without its closing line, exit status 0'

begin
add one --suite 'echo "7 passed, 0 failed, 0 skipped"; kill -SEGV $$'
counts "a suite that crashes after its closing line failed" 1 "7 passed, 1 failed" \
    'although no case failed'

begin
add one --suite 'echo "0 passed, 0 failed, 0 skipped"'
counts "a suite without cases failed" 1 "0 passed, 1 failed" 'no case was run'

begin
add one --suite 'exec sleep 20'
add two --suite 'echo "4 passed, 0 failed, 0 skipped"'
counts "a suite that hangs is one failed case" 1 "4 passed, 1 failed" 'killed'

begin
counts "no suites at all is a failure" 1 "0 passed, 1 failed" "no suite of"

begin
printf 'expected\n' >"$work/expected"
add one "--expect $work/expected" 'echo expected; echo "on the other channel" >&2'
counts "an output as expected passes" 0 "1 passed, 0 failed"
begin
add one "--expect $work/expected" 'echo unexpected'
counts "another output fails" 1 "0 passed, 1 failed" '^+unexpected'
begin
add one "--expect $work/expected" 'echo expected; exit 1'
counts "an output as expected with a bad exit status fails" 1 "0 passed, 1 failed" 'exit status 1'

begin
add one --suite 'echo "${MALLOC_PERTURB_:-0} passed, 0 failed, 0 skipped"'
counts "a suite gets memory that is not zero" 0 "90 passed, 0 failed"
begin
add gate_one --case 'echo "${MALLOC_PERTURB_:-7} passed, 0 failed, 0 skipped"'
counts "where instructions are counted memory is not filled" 0 "7 passed, 0 failed"

conclude
