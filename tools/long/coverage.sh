#!/bin/sh
# How much of src/ the suites reach: at least 97 % of lines and 90 % of branches. Internal assertions
# are left out (mica_small always has them): their failing side cannot be reached.
# So are the ways that exceptions would take through calls (-fexceptions), and the builds of the library for
# planted bugs and other special suites: of a line that one of them does not run, gcov does not tell which branches
# those are. Counts of functions that tests leave by longjmp() are negative, and passed over.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
have gcovr || close_skipped "no gcovr (apt-get install gcovr)"
build coverage -DMICA_TEST_TIMEOUT=900 || close_failed "the build failed"
find build/coverage -name '*.gcda' -exec rm -f {} +
tools/run-tests.sh build/coverage 'quick|full|long' -LE tree ||
    close_failed "suites failed; coverage not judged"
status=0
gcovr -r . --filter src/ --exclude-unreachable-branches --exclude-throw-branches --exclude-lines-by-pattern '^ *assert\(' \
    --exclude-directories '.*/mica_(canaries|general|kinds|shared)\.dir' \
    --gcov-ignore-parse-errors --print-summary --fail-under-line 97 --fail-under-branch 90 build/coverage >build/coverage.log || status=$?
cat build/coverage.log
awk '/^lines:/ { lines = $2 } /^branches:/ { branches = $2 }
    END { sub(/%/, "", lines); sub(/%/, "", branches); print "figure: " lines " % of lines, " branches " % of branches" }' \
    build/coverage.log
echo "gate: 97 % of lines, 90 % of branches"
[ "$status" -eq 0 ] || close_failed "coverage is below 97 % of lines or 90 % of branches"
echo "1 passed, 0 failed"
