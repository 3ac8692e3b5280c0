#!/bin/sh
# The Debian packages: lintian has nothing to say, dpkg installs them into an empty root beside libc6, and hello-world is
# built against what was installed, by pkg-config and by CMake.
cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh
tools/setup.sh debian || close_skipped "no dpkg-buildpackage, debhelper or lintian"
have lintian pkg-config || close_skipped "no lintian or pkg-config"
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(tools/version.sh)
root=$work/root

# check WHAT COMMAND...: one case.
check() {
    what=$1
    shift
    if "$@" >"$work/said" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        sed 's/^/    /' "$work/said"
    fi
}

check "deb.sh" tools/deb.sh build/deb

# All but what it would like best, such as a homepage.
clean() {
    lintian --allow-root --fail-on error,warning build/deb/mica_*.changes 2>"$work/lintian" >&2 && status=0 || status=$?
    cat "$work/lintian"
    [ "$status" -eq 0 ] && ! grep -q '^[EW]: ' "$work/lintian"
}
check "lintian finds no errors and no warnings" clean

# What the packages depend on must be in them or in libc6, which is all that this root has.
install_packages() {
    mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
    dpkg -s libc6 >"$root/var/lib/dpkg/status"
    dpkg --root="$root" --force-not-root --force-script-chrootless --log="$work/log" \
        --install build/deb/libmica0.2_*.deb build/deb/libmica-dev_*.deb build/deb/mica-tools_*.deb
}
check "dpkg installs the packages" install_packages

libdir=$(dirname "$(find "$root" -name libmica.a)")
export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"
# shellcheck disable=SC2046
compile() { cc -std=c11 $(pkg-config --cflags mica) examples/hello.c -o "$work/hello" $(pkg-config --libs mica); }
# shellcheck disable=SC2046
compile_static() {
    cc -std=c11 -static $(pkg-config --cflags mica) examples/hello.c -o "$work/hello_static" \
        $(pkg-config --static --libs mica)
}
hello() { "$1" | diff examples/hello.expected -; }
linked() { readelf -d "$work/hello" | grep "NEEDED.*libmica\.so\.${version%.*}\]"; }
found() {
    cp -r tests/install "$work/project" &&
        cmake -S "$work/project/package" -B "$work/package" -DCMAKE_PREFIX_PATH="$root/usr" -DMICA_WANTED="${version%.*}" &&
        cmake --build "$work/package" && [ "$("$work/package/use_shared")" = "mica $version, alive" ]
}
tool() { "$root/usr/bin/mica" --version | grep "^mica $version, "; }
check "hello-world compiles, shared" compile
check "hello-world needs the library by its version" linked
check "hello-world prints what it should, shared" hello "$work/hello"
check "hello-world compiles, static" compile_static
check "hello-world prints what it should, static" hello "$work/hello_static"
check "find_package" found
check "the tool runs" tool

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
