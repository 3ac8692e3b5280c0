#!/bin/sh
# make game: a small game in the terminal.
#
# usage: game.sh [SEED [KEYS]]
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
tools/setup.sh demo || exit 1
quietly build/release.configure.log cmake --preset release && build_targets release rogue || exit 1
exec build/release/examples/game/rogue "$@"
