#!/bin/sh
# cppcheck over src/ and the tool.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
if ! have cppcheck; then
    echo "skipped: no cppcheck (apt-get install cppcheck)"
    exit 77
fi
mkdir -p build/cppcheck
# shellcheck disable=SC2086
exec $limit cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr -j "$jobs" \
    --cppcheck-build-dir=build/cppcheck \
    --enable=warning,performance,portability --suppress=missingIncludeSystem \
    -DMICA_BUILD -D__GNUC__=12 -U_WIN32 -U__cplusplus -I include -I src src tools/mica
