#!/bin/sh
# make dist: writes what a release consists of: the sources as mica-VERSION.tar.gz, the library as two files (mica.h and
# mica.c, and mica.hpp for C++), and SHA256SUMS, which `sha256sum --check` reads.
#
# The same sources give the same bytes, whoever packs them, wherever and whenever. All files get the date of the last
# commit, or SOURCE_DATE_EPOCH if that is set. In an unpacked tarball, which has no commits, they keep the date they have.
#
# usage: dist.sh [DIRECTORY]          build/dist, unless another is given
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/dist}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

version=$(tools/version.sh)
tools/version.sh --check >"$work/check" || { cat "$work/check" >&2; exit 1; }

if [ -e .git ]; then
    # What is committed, as it is now: files that were removed since then are not there.
    git ls-files >"$work/tracked"
    while IFS= read -r file; do
        [ ! -f "$file" ] || echo "$file"
    done <"$work/tracked" >"$work/files"
    git diff --quiet HEAD || echo "note: the tarball contains changes that are not committed" >&2
    date=$(git log -1 --format=%ct)
else
    find . -path ./build -prune -o -type f -print | sed 's|^\./||' >"$work/files"
    date=$(tr '\n' '\0' <"$work/files" | xargs -0 stat -c %Y | sort -n | tail -n 1)
fi
date=${SOURCE_DATE_EPOCH:-$date}

# The order of the files, their dates, owners and modes are fixed here; what gzip would add is left out (-n).
LC_ALL=C sort -o "$work/files" "$work/files"
tar --create --format=ustar --no-recursion --files-from "$work/files" --transform "s|^|mica-$version/|" \
    --mtime "@$date" --owner 0 --group 0 --numeric-owner --mode 'u+rw,go-w,a+rX' --file "$work/mica.tar"
gzip -9 -n -c "$work/mica.tar" >"$out/mica-$version.tar.gz"
tools/amalgamate.sh "$out" >/dev/null
cd "$out"
sha256sum "mica-$version.tar.gz" mica.c mica.h mica.hpp >SHA256SUMS
wc -c "mica-$version.tar.gz" mica.c mica.h mica.hpp SHA256SUMS | awk -v out="$out" '$2 != "total" { print out "/" $2 ": " $1 " bytes" }'
