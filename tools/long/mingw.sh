#!/bin/sh
# The core suites as Windows programs, compiled by mingw-w64 and run by wine.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
tools/setup.sh mingw || close_skipped "no mingw-w64, or no wine"
wine=$(command -v wine || command -v wine64)
build_for mingw -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_PROCESSOR=x86_64 \
    -DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc -DCMAKE_EXE_LINKER_FLAGS=-static \
    -DMICA_TEST_TIMEOUT=1200 || close_failed "the build failed"
# It keeps its settings here, and its complaints about sound and screens to itself.
export WINEPREFIX="$PWD/build/wine" WINEDEBUG=-all
wineserver -k 2>/dev/null # one that a run left which was interrupted
"$wine" wineboot >build/wine.log 2>&1 || close_skipped "wine does not start: $(tail -n 1 build/wine.log)"
export MICA_TEST_WRAPPER="$wine"
# One server for all of them: one that goes when it has nothing to do may be going when the next suite comes. That
# of wineboot does, and none is started beside it.
timeout 60 wineserver -w
wineserver -p || close_failed "no wineserver that stays"
status=0
tools/run-tests.sh build/mingw core || status=$?
wineserver -k 2>/dev/null
exit $status
