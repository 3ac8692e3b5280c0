# A function for the scripts that look for "which storage is this?". They put this file, and code.awk,
# before a program of their own.
#
# To ask is to compare the storage of a type or the kind of a column, to switch or branch on it, and to look
# something up by it. To hand it on is not; neither is to check that it is below the count, or that two
# are the same.
BEGIN {
    # What tells the storage of a type, the kind of a column. "->" reads "." here.
    storage_teller = "(storage(_of\\[[^]]*\\])?|columns?(\\[[^]]*\\])?\\.kind)"
    storage_constant = "MICA_(STORAGE_[A-Z0-9_]+|TABLE|SPARSE|SPLIT|RING)"
    storage_path = "[][A-Za-z0-9_.()*]*" # what may stand before a member, casts included
    storage_told = "(" storage_path "[^A-Za-z0-9_])?" storage_teller
    storage_end = "([^A-Za-z0-9_.]|$)"
    storage_same = storage_told "\\)? *[=!]= *\\(*" storage_told storage_end
    storage_in_range = storage_told "\\)? *(<|>=) *MICA_STORAGE_COUNT" storage_end
    storage_question = "[^A-Za-z0-9_]" storage_teller "[ )]*([=!]=|[<>?]|&&|\\|\\|)" \
        "|([=!]=|[<>!]|&&|\\|\\|) *\\(*" storage_told storage_end \
        "|(if|while) *\\( *" storage_told " *\\)" \
        "|switch *\\(.*[^A-Za-z0-9_]" storage_teller storage_end \
        "|\\[" storage_told "\\]" \
        "|(case|[=!]=) *" storage_constant storage_end \
        "|[^A-Za-z0-9_]" storage_constant " *[=!]="
}

# Does a line of code, without comments and strings, ask?
function asks_storage(line) {
    if (line !~ /storage|kind|MICA_/) return 0
    line = " " line
    gsub(/->/, ".", line)
    gsub(storage_in_range, "", line)
    gsub(storage_same, "", line)
    return line ~ storage_question
}
