# The table of mica beside other libraries, goal by goal, and how each was measured.
#
# usage: awk -f common.awk -f peers.awk WORKLOADS GOALS WAYS PEERS
#
# WORKLOADS, GOALS, WAYS and PEERS are the files of docs/performance.

FNR == 1 { file++; next }
{ split_csv($0, f) }
file == 1 { about[f[1]] = f[2]; workloads[++workload_count] = f[1] }
file == 2 { goals[++goal_count] = $0 }
file == 3 { ways[++way_count] = f[1] SUBSEP f[2]; told[f[1], f[2]] = f[3] }
file == 4 {
    key = f[4] SUBSEP f[5]
    time[f[1], f[2], key] = f[6] + 0
    version[f[1]] = f[3]
    used[f[1], f[2]] = 1
    if (f[1] !~ /^(limit|floor|mica)$/ && (!(key in best) || f[6] + 0 < best[key])) best[key] = f[6] + 0
}

# All ways of one library: the quickest first.
function cell(library, key,    i, part, text, count, order, k, j, held) {
    count = 0
    for (i = 1; i <= way_count; i++) {
        split(ways[i], part, SUBSEP)
        if (part[1] == library && (library, part[2], key) in time) order[++count] = part[2]
    }
    for (k = 2; k <= count; k++)
        for (j = k; j > 1 && time[library, order[j], key] < time[library, order[j - 1], key]; j--) {
            held = order[j]; order[j] = order[j - 1]; order[j - 1] = held
        }
    for (k = 1; k <= count; k++)
        text = text (k > 1 ? ", " : "") figure(time[library, order[k], key]) \
            (library ~ /^(limit|floor)$/ || order[k] == "" ? "" : " " order[k])
    return text
}

function verdict(now, limit, goal, stretch, unit) {
    if (unit == "limit") now = limit > 0 ? sprintf("%.2f", now / limit) : 1e9
    if (stretch != "" && now + 0 <= stretch + 0) return "yes, and the stretch"
    return now + 0 <= goal + 0 ? "yes" : "**no**"
}

function unit_text(unit) {
    return unit == "ns" ? "" : unit == "limit" ? " × limit" : " " unit
}

END {
    print "| workload | N | limit | floor | EnTT | flecs | pico_ecs | mica | × limit | × best other | goal | reached |"
    print "| --- | ---: | ---: | ---: | --- | --- | --- | --- | ---: | ---: | ---: | --- |"
    for (i = 1; i <= goal_count; i++) {
        split_csv(goals[i] ",", f)
        workload = f[1]; n = f[2]; way = f[3]; unit = f[4]; goal = f[5]; stretch = f[6]
        key = workload SUBSEP n
        asked[key] = 1
        if (!(("mica", way, key) in time)) { missing = missing (missing ? ", " : "") workload " at " n; continue }
        now = time["mica", way, key]
        limit = ("limit", "plain", key) in time ? time["limit", "plain", key] : 0
        again = key == last
        last = key
        reached = verdict(now, limit, goal, stretch, unit)
        all++
        if (reached ~ /^yes/) yes++
        printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", \
            again ? "" : "`" workload "`", again || n == 1 ? "" : thousands(n), \
            again || !limit ? "" : figure(limit), again ? "" : cell("floor", key), \
            again ? "" : cell("EnTT", key), again ? "" : cell("flecs", key), again ? "" : cell("pico_ecs", key), \
            "**" figure(now) "**" (way == "" ? "" : " " way), limit ? sprintf("%.2f", now / limit) : "", \
            key in best ? sprintf("%.2f", now / best[key]) : "", \
            goal unit_text(unit) (stretch != "" ? " (" stretch ")" : ""), reached
    }
    printf "\n%d of %d goals are reached.", yes, all
    if (missing) printf " Not measured: %s.", missing
    print " In brackets, the stretch beyond a goal. × best other: mica against the quickest way of any other"
    print "library; below 1, mica is ahead.\n"

    print "Figures without a goal, of the same run:\n"
    print "| workload | N | limit | floor | EnTT | flecs | pico_ecs | mica |"
    print "| --- | ---: | ---: | ---: | --- | --- | --- | --- |"
    for (w = 1; w <= workload_count; w++) {
        count = split("64 520 1000 1024 65536 100000 1048576", sizes, " ")
        for (s = 1; s <= count; s++) {
            key = workloads[w] SUBSEP sizes[s]
            if (key in asked || !(key in best)) continue
            printf "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", workloads[w], thousands(sizes[s]), \
                cell("limit", key), cell("floor", key), cell("EnTT", key), cell("flecs", key), \
                cell("pico_ecs", key), cell("mica", key)
        }
    }
    print "\n### The workloads\n"
    print "Position{float x, y}, Velocity{float x, y}, Data{int32, double, uint8, uint32}. Six types are registered"
    print "and a query of Position and Velocity is there before the clock starts. Nanoseconds per item, where nothing"
    print "else is said.\n"
    print "| workload | what |"
    print "| --- | --- |"
    for (w = 1; w <= workload_count; w++) print "| `" workloads[w] "` | " about[workloads[w]] " |"
    print "\n### The ways\n"
    print "Each library by the way its documentation teaches first, and by the quickest that it documents. mica's checks"
    print "are on, as always: every handle, type and value is checked on every call. The others are compiled with NDEBUG, as"
    print "mica is, which switches their own checks off.\n"
    print "| library | version | way | what |"
    print "| --- | --- | --- | --- |"
    for (i = 1; i <= way_count; i++) {
        split(ways[i], part, SUBSEP)
        if (part[2] != "" && (part[1], part[2]) in used)
            printf "| %s | %s | %s | %s |\n", part[1], version[part[1]], part[2], told[part[1], part[2]]
    }
    print "\nEnTT's default entity has room for 1,048,575 at most: its figures at 1,048,576 are those of two fewer."
}
