#!/bin/sh
# make deb: builds the Debian packages from the tarball of `make dist`, as packaging/debian says, without signing them.
#
# usage: deb.sh [DIRECTORY]          build/deb, unless another is given; what was in it is removed
set -eu
cd "$(dirname "$0")/.."
. tools/common.sh
tools/setup.sh debian
out=${1:-build/deb}
version=$(tools/version.sh)

rm -rf "$out"
quietly "$out.dist.log" tools/dist.sh "$out/dist"
cp "$out/dist/mica-$version.tar.gz" "$out/mica_$version.orig.tar.gz"
tar -xzf "$out/mica_$version.orig.tar.gz" -C "$out"
cp -r packaging/debian "$out/mica-$version/debian"
log=$(cd "$(dirname "$out")" && pwd)/$(basename "$out").log
cd "$out/mica-$version"
quietly "$log" env DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:+$DEB_BUILD_OPTIONS }parallel=$jobs" dpkg-buildpackage --no-sign
cd ..
ls ./*.deb
