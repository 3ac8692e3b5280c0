# The table of mica beside other libraries, and how each was measured.
#
# usage: awk -f common.awk -f peers.awk WORKLOADS WAYS PEERS SECOND
#
# The arguments are files of docs/performance: workloads.csv, ways.csv, peers.csv and second.csv. SECOND has figures of
# another run, which stand beside those of PEERS with a mark.

FNR == 1 { file++; next }
{ split_csv($0, f) }
file == 1 { about[f[1]] = f[2]; workloads[++workload_count] = f[1] }
file == 2 { ways[++way_count] = f[1] SUBSEP f[2]; text_of[f[1], f[2]] = f[3] }
file == 3 || file == 4 {
    key = f[4] SUBSEP f[5]
    there[key] = 1
    time[file, f[1], f[2], key] = f[6] + 0
    if (file == 3 || !(f[1] in version)) version[f[1]] = f[3]
    used[f[1], f[2]] = 1
    if (f[1] !~ /^(limit|floor|mica)$/ && (!(key in best) || f[6] + 0 < best[key])) best[key] = f[6] + 0
}

# What one way of a library took, in both runs; empty: was not measured.
function both(library, way, key,    text) {
    if ((3, library, way, key) in time) text = figure(time[3, library, way, key])
    if ((4, library, way, key) in time) text = text (text ? ", " : "") figure(time[4, library, way, key]) "²"
    return text
}

function quickest(library, way, key) {
    return (3, library, way, key) in time ? time[3, library, way, key] : time[4, library, way, key]
}

# The ways of one library at a workload, the quickest first: into `order`; returns how many.
function sort_ways(library, key, order,    i, part, count, k, j, held) {
    count = 0
    for (i = 1; i <= way_count; i++) {
        split(ways[i], part, SUBSEP)
        if (part[1] == library && both(library, part[2], key) != "") order[++count] = part[2]
    }
    for (k = 2; k <= count; k++)
        for (j = k; j > 1 && quickest(library, order[j], key) < quickest(library, order[j - 1], key); j--) {
            held = order[j]; order[j] = order[j - 1]; order[j - 1] = held
        }
    return count
}

function cell(library, key,    order, count, k, text) {
    count = sort_ways(library, key, order)
    for (k = 1; k <= count; k++)
        text = text (k > 1 ? ", " : "") both(library, order[k], key) \
            (library ~ /^(limit|floor)$/ || order[k] == "" ? "" : " " order[k])
    return text
}

# mica against the best of the others in both runs; by its figure of the second run if there is one.
function against(way, key) {
    if (!(key in best)) return ""
    if ((4, "mica", way, key) in time) return sprintf("%.2f²", time[4, "mica", way, key] / best[key])
    return sprintf("%.2f", time[3, "mica", way, key] / best[key])
}

# One line for each way of mica; the first has the others.
function show(workload, n,    key, order, count, k, limit, way, row) {
    key = workload SUBSEP n
    count = sort_ways("mica", key, order)
    limit = (3, "limit", "plain", key) in time ? time[3, "limit", "plain", key] : 0
    for (k = 1; k <= (count ? count : 1); k++) {
        way = order[k]
        if (k == 1)
            row = "`" workload "` | " (n == 1 ? "" : thousands(n)) " | " cell("limit", key) " | " cell("floor", key) \
                " | " cell("EnTT", key) " | " cell("flecs", key) " | " cell("pico_ecs", key) " | " cell("mustache", key)
        else
            row = " | | | | | | |"
        row = row " | " (count ? "**" both("mica", way, key) "**" (way == "" ? "" : " " way) : "")
        row = row " | " (count && limit ? sprintf("%.2f", quickest("mica", way, key) / limit) : "")
        print "| " row " | " (count ? against(way, key) : "") " |"
    }
}

END {
    print "| workload | N | limit | floor | EnTT | flecs | pico_ecs | mustache | mica | × limit | × best other |"
    print "| --- | ---: | ---: | ---: | --- | --- | --- | --- | --- | ---: | ---: |"
    count = split("1 64 520 1000 1024 65536 100000 1048576", sizes, " ")
    for (w = 1; w <= workload_count; w++)
        for (s = 1; s <= count; s++)
            if ((workloads[w], sizes[s]) in there) show(workloads[w], sizes[s])
    print "\n× best other: mica against the quickest way of any other library; below 1, mica is faster. Each way of mica has a line,"
    print "its quickest first. A small ² marks figures of the second run; all others are of one run.\n"
    print "### The workloads\n"
    print "Position{float x, y}, Velocity{float x, y}, Data{int32, double, uint8, uint32}. Six types are registered,"
    print "and a query of Position and Velocity exists before the clock starts. Figures are nanoseconds per item, unless the"
    print "line says otherwise.\n"
    print "| workload | what |"
    print "| --- | --- |"
    for (w = 1; w <= workload_count; w++) print "| `" workloads[w] "` | " about[workloads[w]] " |"
    print "\n### The ways\n"
    print "Each library is measured the way its documentation teaches first, and the fastest way it documents. mica's checks"
    print "are on, as always: it checks every handle, type and value on every call. The others are compiled with NDEBUG, as"
    print "mica is, which switches off their checks.\n"
    print "| library | version | way | what |"
    print "| --- | --- | --- | --- |"
    for (i = 1; i <= way_count; i++) {
        split(ways[i], part, SUBSEP)
        if (part[2] != "" && (part[1], part[2]) in used)
            printf "| %s | %s | %s | %s |\n", part[1], version[part[1]], part[2], text_of[part[1], part[2]]
    }
    print "\nEnTT's default entity type has room for 1,048,575 entities: its figures at 1,048,576 are those of two fewer."
}
