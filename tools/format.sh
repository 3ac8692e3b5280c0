#!/bin/sh
# Formats all C and C++ files with clang-format 14, or checks that nothing would change.
#
# usage: format.sh [--check]
#
# Other versions lay out code differently: with them, --check is a skip (exit status 77).
cd "$(dirname "$0")/.." || exit 1

formatter=
for candidate in clang-format-14 clang-format; do
    if command -v "$candidate" >/dev/null 2>&1 &&
        "$candidate" --version | grep -q 'version 14\.'; then
        formatter=$candidate
        break
    fi
done
if [ -z "$formatter" ]; then
    echo "skipped: formatting needs clang-format 14 (apt-get install clang-format-14)"
    [ "${1:-}" = --check ] && exit 77
    exit 1
fi

folders=
for folder in include src tests bench examples demo tools; do
    [ -d "$folder" ] && folders="$folders $folder"
done
# files COMMAND...: runs it over all of them.
files() {
    # shellcheck disable=SC2086
    find $folders -type f \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.hpp' \) -print0 | xargs -0 "$@"
}

if [ "${1:-}" != --check ]; then
    files "$formatter" -i
    exit
fi
# One line per place, not the compiler-like picture of each.
if said=$(files "$formatter" --dry-run 2>&1) && [ -z "$said" ]; then
    exit 0
fi
echo "$said" | sed -n 's/^\([^ :]*:[0-9]*\):[0-9]*: .*/\1: not as clang-format lays it out/p' | uniq
echo "make format lays it out"
exit 1
