#!/bin/sh
# make demo: a flock of 100,000 birds in the terminal. make demo-window: in a window. Where there is no
# terminal, 300 frames of it, figures, and a picture of the last one.
#
# usage: demo.sh [--window] [flock's options...]
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
target=flock
if [ "${1:-}" = --window ]; then
    shift
    target=flock_window
    tools/setup.sh window || exit 1
else
    tools/setup.sh demo || exit 1
    [ -t 0 ] && [ -t 1 ] || set -- --picture build/flock.png "$@"
fi
quietly build/release.configure.log cmake --preset release && build_targets release "$target" || exit 1
exec "build/release/demo/$target" "$@"
