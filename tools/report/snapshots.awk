# The table of snapshots beside copies of the world.
#
# usage: awk -f common.awk -f snapshots.awk LIST SNAPSHOTS
#
# LIST is what `mica_bench --list` says, SNAPSHOTS is snapshots.csv of docs/performance.

FNR == 1 { file++ }
file == 1 { name = $1; sub(/^[^ ]+ +/, ""); about[name] = $0; next }
FNR == 1 { next }
{
    split_csv($0, f)
    row = f[1] SUBSEP f[2]
    if (!(row in seen)) { seen[row] = 1; rows[++row_count] = row }
    time[row, f[3], f[4]] = f[5]
}

# In microseconds; empty: was not measured.
function cell(row, library, way) {
    return (row, library, way) in time ? figure(time[row, library, way] / 1000) : ""
}

function against(row, library, way) {
    return (row, library, way) in time ? thousands(time[row, library, way] / time[row, "mica", "snapshot"] + 0.5) : ""
}

END {
    print "| scenario | entities | memcpy | EnTT, pages | EnTT, snapshot | mica | memcpy / mica | EnTT snapshot / mica |"
    print "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for (i = 1; i <= row_count; i++) {
        split(rows[i], part, SUBSEP)
        printf "| %s | %s | %s | %s | %s | **%s** | %s | %s |\n", part[1] != last ? "`" part[1] "`" : "", \
            thousands(part[2]), cell(rows[i], "limit", "memcpy"), cell(rows[i], "EnTT", "pages"), \
            cell(rows[i], "EnTT", "snapshot"), cell(rows[i], "mica", "snapshot"), \
            against(rows[i], "limit", "memcpy"), against(rows[i], "EnTT", "snapshot")
        last = part[1]
    }
    print "\n| scenario | what |"
    print "| --- | --- |"
    last = ""
    for (i = 1; i <= row_count; i++) {
        split(rows[i], part, SUBSEP)
        if (part[1] != last) print "| `" part[1] "` | " about[part[1]] " |"
        last = part[1]
    }
}
