#!/bin/sh
# The library built with Meson: its examples, what it exports, as an installed library that is found through pkg-config,
# and as a subproject.
set -u
. "$(dirname "$0")/../cases.sh"
version=$("$root/tools/version.sh")

for tool in meson ninja pkg-config; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: no $tool (apt-get install meson ninja-build pkg-config)"
        exit 77
    fi
done

# says PROGRAM: it runs, and prints this version.
says() {
    out=$("$@") && echo "$out" && [ "$out" = "mica $version, alive" ]
}

# Not optimized: that is what takes long.
check "meson setup" meson setup "$work/build" "$root" --buildtype debug --warnlevel 2 --werror \
    --default-library both --prefix "$work/prefix" --libdir lib
check "ninja" ninja -C "$work/build"
check "meson test" meson test -C "$work/build"
check "meson install" meson install -C "$work/build"

exported() {
    nm -D --defined-only "$work/prefix/lib/libmica.so" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort |
        diff "$root/tests/symbols.list" -
}
check "the shared library exports what that of CMake does" exported

headers() { (cd "$root/include" && find . -type f) | sort >"$work/headers" &&
    (cd "$work/prefix/include" && find . -type f) | sort | diff "$work/headers" -; }
check "all headers are installed" headers

PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
export PKG_CONFIG_PATH
# compile PROGRAM SOURCE LINKER_OPTION PKG_CONFIG_OPTION: the answers of pkg-config are lists of words.
# shellcheck disable=SC2046,SC2086
compile() {
    cc -std=c11 $(pkg-config --cflags mica) "$2" -o "$1" $3 $(pkg-config $4 --libs mica)
}
hello() {
    LD_LIBRARY_PATH=$work/prefix/lib "$1" | diff "$root/examples/hello.expected" -
}
check "pkg-config has the version" [ "$(pkg-config --modversion mica)" = "$version" ]
check "hello-world compiles, shared" compile "$work/hello" "$root/examples/hello.c" "" ""
check "hello-world prints what it should, shared" hello "$work/hello"
check "hello-world compiles, static" compile "$work/hello_static" "$root/examples/hello.c" -static --static
check "hello-world prints what it should, static" hello "$work/hello_static"

# In a release, files that no inner loop calls are compiled for size. What is compiled is not needed for that.
small() {
    meson setup "$work/release" "$root" -Dtests=false || return 1
    awk '/^set\(MICA_COLD_SOURCES/ { list = 1; next } list && /\.c/ { n++ } list && /\)/ { print n; exit }' \
        "$root/src/CMakeLists.txt" >"$work/wanted"
    grep -c '"command":.* -O3 .* -Os ' "$work/release/compile_commands.json" | diff "$work/wanted" -
}
check "a release is optimized as CMake does it" small

# As a subproject, which builds the library and nothing else.
mkdir -p "$work/project/subprojects"
cp "$root/tests/meson/meson.build" "$root/tests/install/use.c" "$work/project"
ln -s "$root" "$work/project/subprojects/mica"
check "meson setup with a subproject" meson setup "$work/sub" "$work/project" --buildtype debug
check "a subproject builds" ninja -C "$work/sub"
check "a program with mica as a subproject" says "$work/sub/use"
no_examples() { [ -z "$(find "$work/sub" -name 'hello*')" ]; }
check "a subproject builds no examples" no_examples

conclude
