#!/bin/sh
# Compiles and runs every block of C in README.md, CONTRIBUTING.md, CHANGELOG.md, examples/README.md, packaging/README.md
# and docs/, and compares what it prints with the page. Follows every link between pages, and looks for every name of ours
# that is spoken of. CONTRIBUTING.md says how pages are written.
#
# usage: run.sh LIBMICA [COMPILER]
set -u
cd "$(dirname "$0")/../.." || exit 1
library=$1
cc=${2:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

warnings='-Wall -Wextra -Wpedantic -Wconversion -Werror'
# compile SOURCE PROGRAM [option...]
compile() {
    compile_source=$1 compile_program=$2
    shift 2
    # The warnings are a list of words.
    # shellcheck disable=SC2086
    "$cc" -std=c11 -O0 $warnings "$@" -Iinclude -Itests/docs "$compile_source" "$library" -lm \
        -pthread -o "$compile_program" 2>"$compile_program.said"
}

pass() { passed=$((passed + 1)); }

# fail SENTENCE [FILE]: shows the file, too.
fail() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2"
}

# compare PLACE EXPECTED PRINTED
compare() {
    if cmp -s "$2" "$3"; then
        pass
    else
        diff -u --label page --label printed "$2" "$3" >"$3.diff"
        fail "$1: prints something else than the page says" "$3.diff"
    fi
}

# program PAGE NUMBER LINE: compiled and run on its own.
program() {
    if ! compile "$out/$2.c" "$out/$2"; then
        fail "$1:$3: the program does not compile" "$out/$2.said"
    elif ! "$out/$2" >"$out/$2.printed" 2>&1; then
        fail "$1:$3: the program fails" "$out/$2.printed"
    else
        compare "$1:$3" "$out/$2.expected" "$out/$2.printed"
    fi
}

# parts PAGE: the rest of the page, as one program. Leaves N.printed for every block it got to.
parts() {
    [ -f "$out/page.c" ] || return
    if ! compile "$out/page.c" "$out/page" -Wno-unused; then
        fail "$1: does not compile" "$out/page.said"
        return
    fi
    status=0
    "$out/page" >"$out/page.printed" 2>&1 || status=$?
    awk -v out="$out" '
        /^@@ [0-9]+$/ { file = out "/" $2 ".printed"; printf "" >file; next }
        { print >file }' "$out/page.printed"
    if [ "$status" -ne 0 ] || ! [ -f "$out/0.printed" ]; then
        fail "$1: ended with status $status" "$out/page.printed"
    fi
}

# check_page PAGE: every block of it is a case.
check_page() {
    out=$work/page
    rm -rf "$out"
    mkdir "$out"
    : >"$out/blocks"
    awk -v page="$1" -v out="$out" -f tests/docs/extract.awk "$1" || fail "$1: cannot be read"
    if [ -f "$out/problems" ]; then
        fail "$1: has problems" "$out/problems"
    fi
    parts "$1"
    while read -r number line kind; do
        case $kind in
        program) program "$1" "$number" "$line" ;;
        part) # those that were not reached have been reported
            [ ! -f "$out/$number.printed" ] ||
                compare "$1:$line" "$out/$number.expected" "$out/$number.printed" ;;
        esac
    done <"$out/blocks"
}

# prose PAGE: without blocks of code.
prose() { awk '/^```/ { code = !code; next } !code' "$1"; }

# is_there FILE: it is, or will be: pages that `make report` and `make bench-report` write, when they are run.
is_there() {
    [ -e "$1" ] || case $(realpath -m --relative-to=. "$1") in
    docs/report.md | docs/performance.md) true ;;
    *) false ;;
    esac
}

# Headings as links name them: small letters, digits and hyphens; the second of two that are alike has -1 behind it.
anchors() {
    prose "$1" | sed -n 's/^##* //p' | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g' |
        awk '{ print $0 (seen[$0]++ ? "-" seen[$0] - 1 : "") }'
}

# Links to files of ours, and to headings in them; one case per page. Code has brackets, and no links.
check_links() {
    broken=
    for link in $(prose "$1" | sed 's/`[^`]*`//g' | grep -o '](\([^) ]*\)' | sed 's/^](//'); do
        target=$(dirname "$1")/${link%%#*}
        case $link in
        http*) ;;
        '#'*) anchors "$1" | grep -qx "${link#*#}" || broken="$broken $link" ;;
        *'#'*)
            { [ -f "$target" ] && anchors "$target" | grep -qx "${link#*#}"; } ||
                broken="$broken $link"
            ;;
        *) is_there "$target" || broken="$broken $link" ;;
        esac
    done
    if [ -z "$broken" ]; then
        pass
    else
        fail "$1: links to what is not there:$broken"
    fi
}

# Names of functions, macros and options, and of files in the tree, that a page speaks of are there; one case per
# page. Those that end in _ are beginnings of several.
names() { grep -aoE '\b(mica|MICA|micai|MICAI)_[A-Za-z0-9_]*[A-Za-z0-9]\b'; }
find CMakeLists.txt CMakePresets.json meson.build bench cmake include src tests tools -type f ! -path '*/corpus/*' \
    ! -path '*/docs/wrong/*' -exec cat {} + | names | sort -u >"$work/names"
check_names() {
    prose "$1" | names | sort -u | comm -23 - "$work/names" >"$work/missing"
    prose "$1" | grep -oE '`(bench|demo|docs|examples|include|packaging|src|tests|tools)/[A-Za-z0-9_/.-]+`' | tr -d '`' |
        while read -r file; do
            is_there "$file" || echo "$file"
        done >>"$work/missing"
    if [ -s "$work/missing" ]; then
        fail "$1: speaks of what is not there:" "$work/missing"
    else
        pass
    fi
}

# Tests of a feature name its row: every test that a row of a table leads to does, or one in its folder; one case per page.
check_rows() {
    sed -n 's/^| \(S[0-9]*\.[0-9]*\) |/\1/p' "$1" >"$work/rows"
    while read -r row rest; do
        for test in $(echo "$rest" | grep -o '](\(\.\./\)*tests/[^)#]*' | sed 's/^](//'); do
            grep -rqE "${row%.*}\.${row#*.}([^0-9]|\$)" "$(dirname "$1")/$test" || echo "$row $test"
        done
    done <"$work/rows" >"$work/missing"
    if [ -s "$work/missing" ]; then
        fail "$1: rows lead to tests that do not name them:" "$work/missing"
    else
        pass
    fi
}

# First the check itself: each page in wrong/ has one mistake, and must fail.
# refuses PAGE: in a shell of its own, so that its failures are not counted.
refuses() (
    failed=0
    check_page "$1" >/dev/null
    check_links "$1" >/dev/null
    check_names "$1" >/dev/null
    check_rows "$1" >/dev/null
    [ "$failed" -gt 0 ]
)
for page in tests/docs/wrong/*.md; do
    if refuses "$page"; then
        pass
    else
        fail "$page: its mistake is not found"
    fi
done
check_page tests/docs/right.md
check_links tests/docs/right.md
check_names tests/docs/right.md
check_rows tests/docs/right.md
check_page tests/docs/right-coming-from.md

for page in README.md CONTRIBUTING.md CHANGELOG.md examples/README.md packaging/README.md $(find docs -name '*.md' | sort); do
    check_page "$page"
    check_links "$page"
    check_names "$page"
    check_rows "$page"
done

# Every page can be come to: decisions from the list of decisions, all others from the list of pages.
missing=
for page in $(find docs -name '*.md' ! -name README.md | sort); do
    case $page in
    docs/decisions/*) list=docs/decisions/README.md ;;
    *) list=docs/README.md ;;
    esac
    grep -q "](${page#"${list%README.md}"})" "$list" || missing="$missing $page"
done
if [ -z "$missing" ]; then
    pass
else
    fail "docs: no page leads to:$missing"
fi
# Pages that headers, examples and sources name are there.
missing=
for page in $(grep -rhoE '\bdocs/[a-z/-]+\.md' include src examples demo tools | sort -u); do
    is_there "$page" || missing="$missing $page"
done
if [ -z "$missing" ]; then
    pass
else
    fail "sources name pages that are not there:$missing"
fi

# Readers find pages by words: tests/docs/search.list says which word leads where.
# opening PAGE: what stands above its first heading of the second level.
opening() { awk '/^## / { exit } { print }' "$1"; }
# check_search LIST: sets $missing to the lines of the list that do not hold.
check_search() {
    missing=
    while IFS= read -r line; do
        word=${line%%: *}
        page=${line#*: }
        case $page in
        docs/guide/*) read_it=opening ;;
        *) read_it=prose ;;
        esac
        { [ -f "$page" ] && "$read_it" "$page" | prose - | tr '\n' ' ' | grep -qiw -e "$word" -e "${word}s"; } ||
            missing="$missing
$line"
    done <"$1"
}
grep -v '^#' tests/docs/search.list >"$work/search"
check_search "$work/search"
if [ -z "$missing" ]; then
    pass
else
    fail "tests/docs/search.list: these words are not on their pages:$missing"
fi
for word in serialize serialization snapshot SoA 'structure of arrays' 'sparse set' archetype parallel thread scene \
    prefab hierarchy parent undo rollback 'hot reload' pipeline singleton tag relationship; do
    if grep -q "^$word: " tests/docs/search.list; then
        pass
    else
        fail "tests/docs/search.list: no page answers $word"
    fi
done
printf 'tag: docs/guide/none.md\nxylophone: docs/tour.md\nWebAssembly: docs/guide/json.md\n' >"$work/search"
check_search "$work/search"
if [ "$(echo "$missing" | sed 1d)" = "$(cat "$work/search")" ]; then
    pass
else
    fail "tests/docs/run.sh: words that are not on their pages are not found"
fi

# Plain English: few or no sentences carry a mark of tools/english.awk; english.list says how many. First the tool itself.
marked() { tools/english.sh "$@" | sed -n '$s/.* sentences *\([0-9]*\) marked.*/\1/p'; }
for file in tests/docs/english/*; do
    expected=0
    case $file in
    */marked.*) expected=$(tools/english.sh "$file" | awk '{ print $2 }') ;;
    esac
    if [ "$(marked "$file")" = "$expected" ]; then
        pass
    else
        tools/english.sh --list "$file" >"$work/english"
        fail "$file: not $expected sentences are marked" "$work/english"
    fi
done
# check_english LIST: a case for each line.
check_english() {
    while read -r path most; do
        share=$(tools/english.sh "$path" | sed -n '$s/.* marked *\([0-9.]*\) %.*/\1/p')
        # A share of less than 0.05 % counts as none.
        if [ -n "$share" ] && [ "$(marked "$path")" -gt 0 ] && [ "$share" = 0.0 ]; then
            share=0.1
        fi
        if [ -n "$share" ] && awk -v share="$share" -v most="$most" 'BEGIN { exit !(share + 0 <= most + 0) }'; then
            pass
        else
            tools/english.sh --list "$path" | grep -v '\[[0-9]* words\]' >"$work/english"
            fail "$path: $share % of its sentences carry a mark of tools/english.awk, not $most %" "$work/english"
        fi
    done <"$1"
}
# refuses_english PATH PERCENT: the check fails then.
refuses_english() (
    failed=0
    echo "$1 $2" >"$work/english.list"
    check_english "$work/english.list" >/dev/null
    [ "$failed" -eq 1 ]
)
if refuses_english tests/docs/english/marked.md 3 && ! refuses_english tests/docs/english/plain.md 0; then
    pass
else
    fail "tests/docs/run.sh: marked sentences are not found"
fi
grep -v '^#' tests/docs/english.list >"$work/english.list"
check_english "$work/english.list"
# Words that the project does not use. First the tool itself.
printf 'int count_stir; // it leapt\n// told\nint told_of, stirred, years;\n' >"$work/names.c"
printf 'A gift, an ear, and a leap, as I told you.\n' >"$work/names.md"
if [ "$(tools/dictionary.sh "$work" | sed 's,.*/,,' | tr '\n' ' ')" = \
    'names.c:1: stir names.c:2: told names.c:3: told names.md:1: gift ' ]; then
    pass
else
    tools/dictionary.sh "$work" >"$work/english"
    fail "tools/dictionary.sh: does not find what it should" "$work/english"
fi
if tools/dictionary.sh >"$work/english"; then
    pass
else
    fail "names, comments or pages have words of tools/dictionary.list" "$work/english"
fi

# The README: its first programs are examples, but for line breaks, and it is short.
# first_block KIND: the first block of that kind.
first_block() { awk -v kind="\`\`\`$1" '$0 == kind { open = 1; next } open && /^```/ { exit } open' README.md; }
# tokens: the program on standard input without line breaks, blanks and comments that fill a line.
tokens() { sed '/^\/\/ /d' | tr -d '[:space:]'; }
for example in examples/hello.c examples/cpp/hello.cpp; do
    if [ "$(tokens <"$example")" = "$(first_block "${example##*.}" | tokens)" ]; then
        pass
    else
        fail "README.md: the first program in ${example##*.} is not $example"
    fi
done
if [ "$(wc -l <README.md)" -le 120 ]; then
    pass
else
    fail "README.md: longer than 120 lines"
fi

# The guide to errors explains every code, the list of examples names each once.
missing=
for code in $(sed -n 's/^    X(\([A-Z_]*\), ".*/\1/p' include/mica/error.h); do
    grep -q "MICA_$code\`" docs/guide/errors.md || missing="$missing MICA_$code"
done
for example in examples/*.c examples/cpp/*.cpp; do
    name=$(basename "${example%.c*}")
    file=${example#examples/}
    [ "$(grep -c "^| \[$name\]($file) | [a-z]" examples/README.md)" -eq 1 ] || missing="$missing $example"
done
if [ -z "$missing" ]; then
    pass
else
    fail "docs: nothing about:$missing"
fi

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
