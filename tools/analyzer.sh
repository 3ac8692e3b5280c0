#!/bin/sh
# gcc -fanalyzer over src/ and the tool.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
if ! have gcc; then
    echo "skipped: no gcc (apt-get install gcc)"
    exit 77
fi
# -O1: the analyzer sees through inlined functions, yet paths stay few.
# shellcheck disable=SC2086
find src tools/mica -name '*.c' -print0 | xargs -0 -n 1 -P "$jobs" \
    $limit gcc -std=c11 -O1 -fanalyzer -Wall -Wextra -Werror -DMICA_BUILD -Iinclude -Isrc -c -o /dev/null
