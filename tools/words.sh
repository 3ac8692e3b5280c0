#!/bin/sh
# Checks that what is known in one place is spoken of there only: where values lie, and which storage
# they have.
#
# usage: words.sh [ROOT]
#
# One line "file:line: sentence" per violation, and exit status 1 if there is any.
#   - sheets, pages and strips: not in the rooms above store/, not even in comments. One part of query/
#     makes segments of them. Snapshots copy their bytes. The schema of images has the strips of fields.
#   - mica_view_...: of the public headers, in detail/ and accessor.h only
#   - "which storage is this?": asked in store/, by the router, by the plan and by queries with sparse
#     terms; the registry, which numbers types by it, knows. Asking is to call micai_pool_keeps, and what
#     storage.awk finds.
code=$(cd "$(dirname "$0")" && cat code.awk storage.awk) || exit 2
cd "${1:-$(dirname "$0")/..}" || exit 2

find src include -type f \( -name '*.c' -o -name '*.h' \) | LC_ALL=C sort | awk "$code"'
BEGIN {
    words = "(sheet|page|strip)s?"
    free_of_words = "^src/" # but for what follows; the same below
    may_say = "^src/(base|core|store)/|^src/query/segment(_internal)?\\.[ch]$|^src/image/schema\\.c$" \
        "|^src/time/(mirror|entries|twin|scan|restore|sides|verify|history)(_internal)?\\.[ch]$"

    view = "mica_view_[a-z0-9_]*"
    free_of_view = "^include/"
    may_view = "^include/mica/(detail/[a-z_]*|accessor)\\.h$"

    free_of_questions = "^src/"
    may_ask = "^src/store/|^src/core/registry\\.[ch]$|^src/entity/" \
        "|^src/query/filtered_internal\\.h$|^src/image/schema\\.c$"
}

function complain(sentence) {
    print file ":" number ": " sentence
    violations++
}

function check_words(line) {
    line = " " line " "
    if (match(tolower(line), "[^a-z]" words "[^a-z]"))
        complain("says \"" substr(line, RSTART + 1, RLENGTH - 2) \
            "\"; only src/store, src/query/segment and src/time/scan may")
}

function check_view(line) {
    if (match(tolower(line), view))
        complain("names " substr(line, RSTART, RLENGTH) "; only detail/ and accessor.h may")
}

function check_questions(line) {
    line = code(line)
    if (asks_storage(line) || line ~ /micai_pool_keeps/)
        complain("asks which storage it is; only src/store, src/entity, src/query/filtered and " \
            "src/image/schema may")
}

{
    file = $0
    number = 0
    inside = 0
    while ((getline line < file) > 0) {
        number++
        if (file ~ free_of_words && file !~ may_say) check_words(line)
        if (file ~ free_of_view && file !~ may_view) check_view(line)
        if (file ~ free_of_questions && file !~ may_ask) check_questions(line)
    }
    close(file)
}
END { exit violations > 0 }
'
