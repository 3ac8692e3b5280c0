#!/bin/sh
# make reference: the reference of the public headers, as pages for a browser, in build/reference/html. It has no
# warnings: one is a failure.
#
# usage: reference.sh [--check]      --check: installs nothing; without doxygen it is a skip (exit status 77)
cd "$(dirname "$0")/.." || exit 1
if [ "${1:-}" = --check ]; then
    if ! command -v doxygen >/dev/null 2>&1; then
        echo "skipped: no doxygen (apt-get install doxygen)"
        exit 77
    fi
else
    tools/setup.sh reference || exit 1
fi

MICA_VERSION=$(tools/version.sh)
export MICA_VERSION
rm -rf build/reference
mkdir -p build/reference
said=$(doxygen tools/Doxyfile 2>&1) || {
    echo "$said"
    exit 1
}
if [ -n "$said" ]; then
    echo "$said"
    echo "the reference has warnings"
    exit 1
fi
# What our comments are turned into doxygen cannot know: that before functions, that before macros, that
# behind members.
has() {
    if ! grep -qs "$2" "build/reference/html/$1"; then
        echo "the reference lacks '$2' in $1"
        exit 1
    fi
}
has component_8h.html 'A new entity with these components'
has type_8h.html 'registers the struct T under its own name'
has structmica__world__desc.html 'prints to standard error'
[ "${1:-}" = --check ] || echo "build/reference/html/index.html"
