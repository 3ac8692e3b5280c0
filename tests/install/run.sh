#!/bin/sh
# Installs a build into a temporary prefix, and uses it from projects outside the tree: through
# CMake's find_package, through pkg-config, as a subdirectory, and through CMake's FetchContent. The
# last two build what is linked and nothing else.
#
# usage: run.sh BUILD
set -u
. "$(dirname "$0")/../cases.sh"
build=$1
prefix=$work/prefix
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")

version=$("$root/tools/version.sh")
major=${version%%.*} minor=${version#*.}
minor=${minor%.*}

# says PROGRAM: it runs, and tells this version.
says() {
    out=$("$@") && echo "$out" && [ "$out" = "mica $version, alive" ]
}

not() { ! "$@"; }

# The project is copied out of the tree, so that nothing in the tree can help it.
cp -r "$root/tests/install" "$work/project"

check "install" cmake --install "$build" --prefix "$prefix"
# Moved elsewhere: what was installed must not remember where.
mv "$prefix" "$work/moved" && prefix=$work/moved

tool_says() {
    "$prefix/bin/mica" --version | grep "^mica $version, "
}
check "the tool is installed" tool_says

configure() {
    cmake -S "$work/project/package" -B "$work/$1" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$cc" -DMICA_WANTED="$2"
}
check "find_package" configure package "$major.$minor"
check "a project with find_package builds" cmake --build "$work/package"
check "mica::mica, found" says "$work/package/use_static"
check "mica::mica_shared, found" says "$work/package/use_shared"
check "another version is not found" not configure other "$major.$((minor + 1))"

if command -v pkg-config >/dev/null 2>&1; then
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name mica.pc)")
    export PKG_CONFIG_PATH
    libdir=$(dirname "$PKG_CONFIG_PATH")
    # compile PROGRAM [option...]: pkg-config's answers are lists of words.
    # shellcheck disable=SC2046
    compile_shared() {
        "$cc" -std=c11 $(pkg-config --cflags mica) "$work/project/use.c" -o "$1" \
            $(pkg-config --libs mica)
    }
    # shellcheck disable=SC2046
    compile_static() {
        "$cc" -std=c11 -static $(pkg-config --cflags mica) "$work/project/use.c" -o "$1" \
            $(pkg-config --static --libs mica)
    }
    # shellcheck disable=SC2046
    compile_cpp() {
        c++ -std=c++17 $(pkg-config --cflags mica) "$work/project/use.cpp" -o "$1" \
            $(pkg-config --libs mica)
    }
    check "pkg-config tells the version" [ "$(pkg-config --modversion mica)" = "$version" ]
    check "pkg-config and cc, shared" compile_shared "$work/use_pc"
    check "the shared program runs" says env LD_LIBRARY_PATH="$libdir" "$work/use_pc"
    check "pkg-config and cc, static" compile_static "$work/use_pc_static"
    check "the static program runs" says "$work/use_pc_static"
    if command -v c++ >/dev/null 2>&1; then
        check "pkg-config and c++" compile_cpp "$work/use_pc_cpp"
        check "the program in C++ runs" says env LD_LIBRARY_PATH="$libdir" "$work/use_pc_cpp"
    else
        skipped=$((skipped + 2))
        echo "skipped: no c++"
    fi
else
    skipped=$((skipped + 7))
    echo "skipped: no pkg-config (apt-get install pkg-config)"
fi

# configure_sources PROJECT: one that builds mica with itself.
configure_sources() {
    cmake -S "$work/project/$1" -B "$work/$1" -DCMAKE_C_COMPILER="$cc" -DMICA_ROOT="$root"
}

# builds DIRECTORY LIBRARY: it has built that library of mica's, one program, and nothing else.
builds() {
    find "$1" -name 'libmica*.a' -o -name 'libmica*.so' | sed 's|.*/||' >"$work/built"
    find "$1" -path '*/CMakeFiles' -prune -o -type f -perm -100 ! -name '*.so*' -print |
        sed 's|.*/||' >>"$work/built"
    printf '%s\nuse\n' "$2" | diff - "$work/built"
}

check "add_subdirectory" configure_sources subdirectory
check "a project with a subdirectory builds, warnings or not" cmake --build "$work/subdirectory"
check "mica::mica, as a subdirectory" says "$work/subdirectory/use"
check "a subdirectory builds what is linked" builds "$work/subdirectory" libmica.a

static_alone() {
    cmake -S "$root" -B "$work/static" -DCMAKE_C_COMPILER="$cc" -DMICA_BUILD_SHARED=OFF -DMICA_BUILD_TESTS=OFF &&
        cmake --build "$work/static" --target help >"$work/targets" && ! grep mica_shared "$work/targets"
}
check "without the shared library, if that is turned off" static_alone

if command -v c++ >/dev/null 2>&1; then
    check "FetchContent" configure_sources fetch
    check "a project with FetchContent builds" cmake --build "$work/fetch"
    check "mica::mica_shared, fetched, in C++" says "$work/fetch/use"
    check "what is fetched builds what is linked" builds "$work/fetch" libmica.so
else
    skipped=$((skipped + 4))
    echo "skipped: no c++ (apt-get install g++)"
fi

conclude
