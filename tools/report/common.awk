# Shared by the reports: fields of a line of CSV, and figures as people read them.

# Splits a line with quoted fields into `fields`; returns how many.
function split_csv(line, fields,    count, field, rest) {
    count = 0
    rest = line
    while (1) {
        if (substr(rest, 1, 1) == "\"") {
            match(rest, /^"[^"]*"/)
            field = substr(rest, 2, RLENGTH - 2)
            rest = substr(rest, RLENGTH + 1)
        } else {
            match(rest, /^[^,]*/)
            field = substr(rest, 1, RLENGTH)
            rest = substr(rest, RLENGTH + 1)
        }
        fields[++count] = field
        if (rest == "") return count
        rest = substr(rest, 2)
    }
}

# 1048576: 1,048,576
function thousands(number,    text) {
    text = sprintf("%d", number)
    while (match(text, /[0-9][0-9][0-9][0-9](,|$)/))
        text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
    return text
}

# Three digits that mean something.
function figure(number) {
    if (number >= 1000) return thousands(number + 0.5)
    if (number >= 100) return sprintf("%.0f", number)
    if (number >= 10) return sprintf("%.1f", number)
    if (number >= 1) return sprintf("%.2f", number)
    return sprintf("%.3f", number)
}
