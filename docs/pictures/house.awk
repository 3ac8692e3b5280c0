# Draws the house: the rooms of the sources, from src/LAYERS. Each stands above the rooms that it may include, with
# the number and the first sentence of its section in docs/internals.md:
#
#   ### 3. store/table
#
#   [src/store/table](../src/store/table): sheets, layouts, kinds of column.
#
# usage: awk -f house.awk src/LAYERS docs/internals.md

function max(a, b) { return a > b ? a : b }

function plain(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    return text
}

function write(x, y, style, text) {
    printf "<text x=\"%d\" y=\"%d\"%s>%s</text>\n", x, y, style, plain(text)
}

# In lines of so many characters; returns how many lines, and leaves them in `line`.
function wrap(text, width,   words, count, i, n) {
    count = split(text, words, " ")
    n = 1
    line[1] = ""
    for (i = 1; i <= count; i++) {
        if (line[n] != "" && length(line[n] " " words[i]) > width) {
            line[++n] = ""
        }
        line[n] = line[n] (line[n] == "" ? "" : " ") words[i]
    }
    return n
}

# The map: a room is one floor above the highest of those it may include.
FILENAME ~ /LAYERS$/ && !/^#/ && / :/ {
    room = $1
    floor[room] = 0
    for (i = 3; i <= NF; i++) {
        floor[room] = max(floor[room], floor[$i] + 1)
    }
    place[room] = ++rooms_on[floor[room]]
    list[floor[room], place[room]] = room
    top = max(top, floor[room])
}

# The page.
/^### [0-9]+\. / {
    number[$3] = $2 + 0
}
/^\[src\/[a-z\/]*\]\(\.\.\/src\// {
    room = $0
    gsub(/^\[src\/|\].*$/, "", room)
    about[room] = $0
    sub(/^[^:]*: */, "", about[room])
    sub(/\. .*$|\.$/, "", about[room])
}

END {
    width = 760
    height = 60
    roof = 76
    total = roof + (top + 1) * (height + 6) + 30
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"monospace\" font-size=\"12\">\n", width, total
    printf "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", width, total
    printf "<polygon points=\"%d,%d %d,8 %d,%d\" fill=\"#e8d9c5\" stroke=\"#444\"/>\n", 10, roof - 6, width / 2, width - 10, roof - 6
    write(width / 2, 44, " font-weight=\"bold\" text-anchor=\"middle\"", "include/mica.h, mica.hpp")
    write(width / 2, 61, " text-anchor=\"middle\"", "public headers; every room may include them")
    colours = split("#cfe3f5 #d3ead9 #f6e7b8 #f3d3c2 #e4d7ef #d9e6e6 #f5dbe4 #e3e7c9", colour, " ")
    for (f = top; f >= 0; f--) {
        y = roof + (top - f) * (height + 6)
        wide = (width - 20 - 6 * (rooms_on[f] - 1)) / rooms_on[f]
        for (i = 1; i <= rooms_on[f]; i++) {
            room = list[f, i]
            x = 10 + (i - 1) * (wide + 6)
            printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#444\"/>\n", x, y, wide, height, colour[f % colours + 1]
            write(x + 10, y + 18, " font-weight=\"bold\"", room)
            if (room in number) {
                write(x + wide - 10, y + 18, " text-anchor=\"end\" fill=\"#555\"", "section " number[room])
            }
            n = wrap(about[room], int((wide - 20) / 7.3))
            for (l = 1; l <= n; l++) {
                write(x + 10, y + 19 + 15 * l, "", line[l])
            }
        }
    }
    write(10, total - 12, " fill=\"#555\"", "A room includes only what is below it.")
    print "</svg>"
}
