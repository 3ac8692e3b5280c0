# What differs between a header and its promises, a line each. Given, in this order: sentences.awk of the
# header, quotes.awk of the promises, and the header itself.

FNR == 1 { file++ }
file == 1 {
    split($0, part, "\t")
    if (!(part[1] in declared)) functions[++function_count] = part[1]
    declared[part[1]] = 1
    if (part[2] == 0) next
    group[part[2]] = group[part[2]] " " part[1] " "
    if ((part[2], part[3]) in known) next
    known[part[2], part[3]] = 1
    sentence[++sentence_count] = part[3]
    owner[sentence_count] = part[2]
    next
}
file == 2 {
    split($0, part, "\t")
    if (part[2] == "") {
        if (part[1] in cases) print part[1] ": two cases"
        cases[part[1]] = 1
    } else {
        quote[++quote_count] = part[2]
        quoter[quote_count] = part[1]
    }
    next
}
/^ *\/\// || /[^:]\/\/ / {
    line = $0
    sub(/^.*\/\/ ?/, "", line)
    gsub(/[ \t]+/, " ", line)
    all = all line " "
}
END {
    for (i = 1; i <= function_count; i++)
        if (!(functions[i] in cases)) print functions[i] ": no case"
    for (name in cases)
        if (!(name in declared)) print name ": not declared in this header"
    for (i = 1; i <= quote_count; i++) {
        if (!index(all, quote[i])) {
            print quoter[i] ": not in the header: \"" quote[i] "\""
            continue
        }
        for (j = 1; j <= sentence_count; j++)
            if (!shown[j] && index(group[owner[j]], " " quoter[i] " ") && index(sentence[j], quote[i])) {
                shown[j] = 1
                break
            }
    }
    for (j = 1; j <= sentence_count; j++)
        if (!shown[j]) {
            split(group[owner[j]], of, " ")
            print of[1] ": nobody shows: \"" sentence[j] "\""
        }
}
