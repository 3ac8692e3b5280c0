#!/bin/sh
# Prints the version, which is written in include/mica/api.h.
#
# usage: version.sh [--check]          --check: whether the files that repeat it agree
set -u
cd "$(dirname "$0")/.." || exit 1

part() { sed -n "s/^#define MICA_VERSION_$1 //p" include/mica/api.h; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)

if [ "${1:-}" != --check ]; then
    echo "$version"
    exit
fi

passed=0
failed=0
# says FILE SED: what the script prints first of the file must be the version.
says() {
    found=$(sed -n "$2" "$1" | head -n 1)
    if [ "$found" = "$version" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1 has version '$found', include/mica/api.h has $version"
    fi
}
says README.md 's/.*Version \([0-9.]*\),.*/\1/p'
says meson.build "s/^ *version: '\([0-9.]*\)'.*/\1/p"
says packaging/debian/changelog 's/^mica (\([0-9.]*\)-.*/\1/p'
says packaging/vcpkg/mica/vcpkg.json 's/.*"version": "\([0-9.]*\)".*/\1/p'
says packaging/conan/conanfile.py 's/^ *version = "\([0-9.]*\)".*/\1/p'
says CHANGELOG.md 's/^## \([0-9.]*\).*/\1/p'
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
