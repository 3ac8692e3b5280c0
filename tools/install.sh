#!/bin/sh
# make install: builds the libraries and installs them under a prefix.
#
# usage: install.sh PREFIX          DESTDIR, if set, is put before all paths
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
tools/setup.sh demo || exit 1
quietly build/install.configure.log cmake --preset install "-DCMAKE_INSTALL_PREFIX=$1" &&
    quietly build/install.build.log cmake --build build/install --parallel "$jobs" || exit 1
exec cmake --install build/install
