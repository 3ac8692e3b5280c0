# A function for the scripts that read C. They put this file before a program of their own.

# The line without comments and strings; `inside` says whether a block comment is open.
function code(line,    out, c, pair, quote) {
    out = ""
    quote = ""
    while (line != "") {
        c = substr(line, 1, 1)
        pair = substr(line, 1, 2)
        if (inside) {
            if (pair == "*/") { inside = 0; line = substr(line, 3) } else line = substr(line, 2)
        } else if (quote != "") {
            if (c == "\\") line = substr(line, 3)
            else { if (c == quote) quote = ""; line = substr(line, 2) }
        } else if (pair == "//") {
            return out
        } else if (pair == "/*") {
            inside = 1
            line = substr(line, 3)
        } else {
            if (c == "\"" || c == "\047") quote = c; else out = out c
            line = substr(line, 2)
        }
    }
    return out
}
