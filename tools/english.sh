#!/bin/sh
# Counts sentences that must be read twice: those that carry a mark of tools/english.awk. Reads the prose of markdown
# files (without blocks of code) and the comments of C and C++ files. A cell of a table, a heading and an item
# of a list end a sentence, too.
#
# usage: english.sh [--list] PATH...
#
# One line per PATH, which is a file or a folder, and a total if there are several: sentences, how many are marked, percent,
# words per sentence, how many sentences have more than 25 words, words of the longest. With --list, above that: each marked sentence as
# "file:line: [mark] sentence", and each long one as "file:line: [40 words] sentence".
list=0
if [ "${1:-}" = --list ]; then
    list=1
    shift
fi
marks=$(dirname "$0")/english.awk
[ $# -gt 0 ] || { echo "usage: english.sh [--list] PATH..." >&2; exit 2; }

for path in "$@"; do
    [ -e "$path" ] || { echo "english.sh: $path is not there" >&2; exit 2; }
    find "$path" -type f \( -name '*.md' -o -name '*.h' -o -name '*.c' -o -name '*.hpp' \) | LC_ALL=C sort |
        sed "s|^|$path	|"
done | LC_ALL=C awk -F '\t' -v list="$list" -v most=25 "$(cat "$marks")"'
function report(sentence, why) {
    if (list) print file ":" first ": [" why "] " sentence
}

# A sentence as patterns see it.
function plain(sentence) {
    sentence = tolower(sentence)
    gsub(/[^a-z0-9_ \047]+/, " & ", sentence)
    gsub(/ code /, " CODE ", sentence)
    gsub(/ +/, " ", sentence)
    return " " sentence " "
}

function take_sentence(sentence,    text, words, n, i, count) {
    gsub(/ +/, " ", sentence)
    sub(/^ /, "", sentence)
    sub(/ +$/, "", sentence)
    n = split(sentence, words, " ")
    for (i = 1; i <= n; i++) if (words[i] ~ /[A-Za-z0-9]/) count++
    if (!count) return
    sentences[path]++
    length_of[path] += count
    if (count > longest[path]) longest[path] = count
    if (count > most) { long_ones[path]++; report(sentence, count " words") }
    if (sentence ~ /\?$/) return
    text = without_harmless(plain(sentence))
    for (i = 1; i <= marks; i++) {
        if (text ~ mark_pattern[i]) {
            marked[path]++
            report(sentence, mark_name[i])
            return
        }
    }
}

# Ends a paragraph: cuts what was gathered into sentences. A full stop of an abbreviation ends none.
function end_paragraph(    text, at) {
    text = paragraph
    paragraph = ""
    gsub(/(e\.g\.|i\.e\.|cf\.|vs\.|etc\.) /, "CODE ", text)
    while (match(text, /[.!?]["\047)*_]* +/)) {
        at = RSTART + RLENGTH
        take_sentence(substr(text, 1, at - 1))
        text = substr(text, at)
    }
    take_sentence(text)
}

function add(text) {
    if (paragraph == "") first = number
    paragraph = paragraph " " text
}

function without_code(text) {
    gsub(/`[^`]*`/, "CODE", text)
    gsub(/!\[[^]]*\]\([^)]*\)/, "", text)
    gsub(/\]\([^)]*\)/, "", text)
    gsub(/[*[]/, "", text)
    gsub(/https?:[^ ]*/, "CODE", text)
    return text
}

function read_markdown(line,    cells, n, i) {
    if (line ~ /^[ \t]*```/) { end_paragraph(); fenced = !fenced; return }
    if (fenced) return
    line = without_code(line)
    if (line ~ /^[ \t]*$/) { end_paragraph(); return }
    if (line ~ /^\|/) {
        end_paragraph()
        if (line ~ /^[-| :]*$/) return
        gsub(/\\\|/, " ", line)
        n = split(line, cells, "|")
        for (i = 1; i <= n; i++) { add(cells[i]); end_paragraph() }
        return
    }
    if (line ~ /^#/ || line ~ /^[ \t]*(-|[0-9]+\.) /) end_paragraph()
    sub(/^[ \t]*(#+|-|[0-9]+\.) /, "", line)
    sub(/^> ?/, "", line)
    add(line)
}

# Comments: lines that follow each other with "//" in one column are one paragraph. Code and tables in them are indented by three blanks.
function read_code(line,    at, text) {
    if (block) {
        if ((at = index(line, "*/"))) { block = 0; line = substr(line, 1, at - 1) }
        sub(/^ *\*? ?/, "", line)
        add(without_code(line))
        if (!block) end_paragraph()
        return
    }
    text = line
    gsub(/"([^"\\]|\\.)*"/, "\"\"", text) # a string has no comments
    at = index(text, "//")
    if (!at && (at = index(text, "/*"))) {
        end_paragraph()
        text = substr(text, at + 2)
        if ((at = index(text, "*/"))) text = substr(text, 1, at - 1)
        else block = 1
        add(without_code(text))
        if (!block) end_paragraph()
        return
    }
    if (!at) { end_paragraph(); column = 0; return }
    if (at != column || substr(text, 1, at - 1) ~ /[^ ]/) end_paragraph()
    column = at
    text = substr(line, index(line, substr(text, at, 3)) + 2)
    sub(/ *\\$/, "", text)
    if (text ~ /^ *$/) { end_paragraph(); return }
    if (text ~ /^   / && text !~ /^ *(-|[0-9]+\.|[A-Z][0-9]+) /) { end_paragraph(); return }
    gsub(/\[[a-z_0-9]+\.[a-z_0-9]+\]/, "", text)
    if (text ~ /^ *(-|[0-9]+\.|[A-Z][0-9]+) /) end_paragraph()
    sub(/^ *(-|[0-9]+\.|[A-Z][0-9]+) /, "", text)
    add(without_code(text))
}

{
    path = $1
    file = $2
    if (!(path in seen)) { seen[path] = 1; paths[++path_count] = path }
    number = fenced = block = column = 0
    paragraph = ""
    while ((getline line < file) > 0) {
        number++
        if (file ~ /\.md$/) read_markdown(line)
        else read_code(line)
    }
    close(file)
    end_paragraph()
}

function show(name, all, bad, words, over, most_words) {
    printf "%-34s %6d sentences %5d marked %5.1f %%  mean %4.1f words %5d over %d  longest %3d\n", name, all, bad,
        all ? 100 * bad / all : 0, all ? words / all : 0, over, most, most_words
}

END {
    for (i = 1; i <= path_count; i++) {
        p = paths[i]
        show(p, sentences[p], marked[p], length_of[p], long_ones[p], longest[p])
        all += sentences[p]; bad += marked[p]; words += length_of[p]; over += long_ones[p]
        if (longest[p] > most_words) most_words = longest[p]
    }
    if (path_count > 1) show("total", all, bad, words, over, most_words)
}
'
