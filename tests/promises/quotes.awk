# What the cases of a file of promises quote: a line "function<TAB>quote" for each, in order. A case that quotes
# nothing is a line with its name alone.

function take(    from) {
    while (match(comment, /"[^"]*"/)) {
        from = substr(comment, RSTART + 1, RLENGTH - 2)
        comment = substr(comment, RSTART + RLENGTH)
        gsub(/[ \t]+/, " ", from)
        print name "\t" from
    }
    comment = ""
}

/^PROMISE\(mica_[a-z0-9_]+\)$/ {
    name = substr($0, 9, length($0) - 9)
    print name "\t"
    next
}
name != "" && /^ *\/\// {
    line = $0
    sub(/^ *\/\/ ?/, "", line)
    comment = comment line " "
    next
}
name != "" { take() }
/^}/ { name = "" }
