# The table of the benchmark's own scenarios.
#
# usage: awk -f common.awk -f scenarios.awk LIST CSV
#
# LIST is what `mica_bench --list` says, CSV what it measured.

FNR == NR { name = $1; sub(/^[^ ]+ +/, ""); about[name] = $0; next }
{ split_csv($0, f) }
f[1] == "scenario" { next }
{
    row = f[1] SUBSEP f[2]
    if (!(row in seen)) { seen[row] = 1; rows[++row_count] = row }
    column = f[3] + 0 <= 1024 ? 1 : f[3] + 0 <= 100000 ? 2 : 3
    text = figure(f[5] + 0) (f[8] != "" ? " (" sprintf("%.2f", f[8]) ")" : "")
    if (f[3] != 1000 && f[3] != 65536 && f[3] != 1048576) text = thousands(f[3]) ": " text
    cells[row, column] = cells[row, column] ((row, column) in cells && cells[row, column] != "" ? ", " : "") text
    unit[row] = f[4]
}
END {
    print "| scenario | storage | 1,000 | 65,536 | 1,048,576 | what |"
    print "| --- | --- | ---: | ---: | ---: | --- |"
    for (i = 1; i <= row_count; i++) {
        split(rows[i], part, SUBSEP)
        first = part[1] != last
        last = part[1]
        printf "| %s | %s | %s | %s | %s | %s |\n", first ? "`" part[1] "`" : "", part[2], \
            cells[rows[i], 1], cells[rows[i], 2], cells[rows[i], 3], \
            first ? about[part[1]] (unit[rows[i]] == "bytes" ? ", bytes" : "") : ""
    }
}
