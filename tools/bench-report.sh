#!/bin/sh
# make bench-report: measures everything and writes docs/performance.md, with tables and pictures.
#
# usage: bench-report.sh [--quick | --draw | --check]
#
#   --quick  few entities and samples, and into build/report: to see that it works
#   --draw   measures nothing: tables and pictures from the figures that are there
#   --check  is docs/performance.md what the figures give? Exit status 77 if there is none
#
# Figures are in performance/: scenarios.csv and growth.csv, which this measures, machine.txt; peers.csv
# (library, way, version, workload, n, ns) and second.csv (the same, of another run), which come from elsewhere: other
# libraries are no part of this tree; snapshots.csv (workload, n, library, way, ns), which does, too; workloads.csv and
# ways.csv, written by hand; second.txt, on the second run, notes.txt, on where the time goes, and snapshots.txt, on
# snapshots, if they are there.
# Leave the machine alone meanwhile: it takes the better part of an hour.
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh
way=${1:-}
folder=docs
case $way in
'' | --draw) ;;
--quick) folder=build/report ;;
--check)
    if [ ! -f docs/performance.md ]; then
        echo "skipped: nothing has been measured yet (make bench-report)"
        exit 77
    fi
    ;;
*)
    echo "usage: bench-report.sh [--quick | --draw | --check]" >&2
    exit 2
    ;;
esac
data=$folder/performance
page=$folder/performance.md
bench=build/bench/bench/mica_bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$data"
if [ "$way" = --quick ]; then
    for file in workloads ways peers second; do
        [ ! -f "docs/performance/$file.csv" ] || cp "docs/performance/$file.csv" "$data/"
    done
fi

# Measuring

# measure NAME OPTION...: the cases that the benchmark's options give, into NAME.csv; says how far it is.
measure() {
    name=$1
    shift
    all=$("$bench" --list --csv "$@" | wc -l)
    "$bench" --csv "$@" >"$work/$name.csv" &
    running=$!
    while kill -0 $running 2>/dev/null; do
        sleep 1
        [ -s "$work/$name.csv" ] || continue
        done=$(($(wc -l <"$work/$name.csv") - 1))
        latest=$(tail -n 1 "$work/$name.csv" | cut -d, -f1-3 | tr ',' ' ')
        if [ -t 2 ]; then
            printf '\r\033[K%s: %d of %d, %s' "$name" "$done" "$all" "$latest" >&2
        elif [ $((done / 50)) -gt "${said:-0}" ]; then
            said=$((done / 50))
            echo "$name: $done of $all, $latest" >&2
        fi
    done
    said=0
    if ! wait $running; then
        echo "$name: a case failed" >&2
        return 1
    fi
    [ ! -t 2 ] || printf '\r\033[K' >&2
    echo "$name: $all cases" >&2
    cp "$work/$name.csv" "$data/$name.csv"
}

describe_machine() {
    compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' build/bench/CMakeCache.txt)
    flags=$(sed -n 's/^CMAKE_C_FLAGS_RELEASE:[A-Z]*=//p' build/bench/CMakeCache.txt)
    cat <<EOF
processor: $(lscpu | sed -n 's/^Model name: *//p' | head -n 1), family $(lscpu | sed -n 's/^CPU family: *//p'), model $(lscpu | sed -n 's/^Model: *//p'); $(getconf _NPROCESSORS_ONLN) threads
caches: $(lscpu | sed -n 's/^\(L[123][di]*\) cache: */\1 /p' | tr '\n' ',' | sed 's/,$//; s/,/, /g')
memory: $(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)
system: $(uname -s) $(uname -r), $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)
compiler: $("$compiler" --version | head -n 1)
flags: $flags
mica: $(tools/version.sh), $(git rev-parse --short HEAD 2>/dev/null || echo unknown)
date: $(date -u +%Y-%m-%d)
EOF
}

measure_all() {
    tools/setup.sh demo && build bench || return 1
    if [ "$way" = --quick ]; then
        measure scenarios --max 5000 --repeat 1 && measure growth --growth --max 5000 --repeat 1
    else
        measure scenarios && measure growth --growth --repeat 2
    fi || return 1
    "$bench" --list >"$data/scenarios.txt"
    describe_machine >"$data/machine.txt"
}

# Pictures

# line SCENARIO POLICY COLUMN NAME COLOUR: appends a line over n to the picture that is being made.
blocks=0
colours=
line() {
    awk -F, -v scenario="$1" -v policy="$2" -v column="$3" -v name="$4" '
        $1 == scenario && $2 == policy && $column != "" { points = points $3 " " $column "\n" }
        END { if (points) printf "\"%s\"\n%s\n\n", name, points; exit !points }' \
        "$data/growth.csv" >>"$work/lines" || return 0
    blocks=$((blocks + 1))
    colours="$colours $5"
}

# picture FILE HEADING X Y LOG_Y: draws the lines, and begins with none.
picture() {
    gnuplot -e "data='$work/lines'; blocks=$blocks; colours='$colours'; output_file='$data/$1.svg'; \
        heading='$2'; x_label='$3'; y_label='$4'; log_y=$5" tools/report/plot.gp || return 1
    : >"$work/lines"
    blocks=0
    colours=
}

# over_entities SCENARIO HEADING UNIT LOG_Y: every storage against limit and floor.
over_entities() {
    for policy in table sparse group ring split; do
        line "$1" $policy 5 $policy $policy
    done
    line "$1" table 7 floor floor
    line "$1" table 6 limit limit
    picture "$1" "$2" entities "$3 per entity" "$4"
}

draw_all() {
    tools/setup.sh report || return 1
    : >"$work/lines"
    over_entities iter1 'iter1: a query of one component' ns 1
    over_entities iter2 'iter2: a query of two components' ns 1
    over_entities create2 'create2: spawned one by one, new memory' ns 1
    over_entities recreate2 'recreate2: spawned one by one, used memory' ns 1
    over_entities create2_bulk 'create2_bulk: spawned in one call, new memory' ns 1
    over_entities destroy2 'destroy2: despawned in order' ns 1
    over_entities destroy_random 'destroy_random: despawned, shuffled' ns 1
    over_entities get1_rand 'get1_rand: one component through handles, shuffled' ns 1
    over_entities get1_rand_accessor 'get1_rand_accessor: the same through an accessor' ns 1
    over_entities addrem1 'addrem1: a component added and removed' ns 1
    over_entities toggle_tag 'toggle_tag: a tag added and removed' ns 1
    over_entities mem2 'mem2: bytes asked of the allocator, 16 of them values' bytes 0
    for policy in table sparse ring; do
        line types_spawn $policy 5 "spawn, $policy" $policy
    done
    picture types_spawn 'spawn against registered types' 'registered types' 'ns per entity' 0
    for policy in table sparse ring; do
        line types_despawn $policy 5 "despawn, $policy" $policy
    done
    picture types_despawn 'despawn against registered types' 'registered types' 'ns per entity' 0
    line tables_iter table 5 'query, per entity' table
    line tables_iter table 6 'one array, per entity' limit
    line tables_step table 5 'step, per table' second
    picture tables_iter 'ten entities per table: a query, a step' tables ns 1
    line tables_create table 5 'ten entities each, per entity' table
    line table_new table 5 'the first entity, 100 queries' second
    picture tables_create 'spawning into new tables' tables ns 1
    line query_new table 5 'a query made and freed' table
    picture query_new 'a new query' tables ns 1
    line table_memory table 5 'per table with one entity' table
    line tables_memory table 5 'per entity of ten, beyond values' second
    picture table_memory 'memory of tables' tables bytes 1
}

# The page

bullet() { sed -n "s/^$1: //p" "$data/machine.txt"; }
shown() { printf '![%s](performance/%s.svg)\n' "$1" "$1"; }
write_page() {
    cat <<EOF
# Performance

This page shows what mica costs, from a thousand to millions of entities, and compares it with EnTT, flecs and pico_ecs.
\`make bench-report\` writes it. Times are nanoseconds per item. Each is the smallest of many samples, and the sides of a
comparison take turns. The *limit* is the same work on plain C arrays, 64-byte aligned, without bookkeeping. The *floor*
has the least bookkeeping that supports generational handles. Times differ from machine to machine; ratios differ less.

| | |
| --- | --- |
| processor | $(bullet processor) |
| caches | $(bullet caches) |
| memory | $(bullet memory) |
| system | $(bullet system) |
| compiler | $(bullet compiler) |
| flags | \`$(bullet flags)\` |
| mica | $(bullet mica) |
| date | $(bullet date) |

EOF
    if [ -f "$data/peers.csv" ]; then
        printf '## Beside other libraries\n\n'
        printf 'One interleaved run of all of them on one machine, compiled with the same flags; every checksum is the same.\n'
        printf 'No row is left out.\n\n'
        awk -f tools/report/common.awk -f tools/report/peers.awk "$data/workloads.csv" \
            "$data/ways.csv" "$data/peers.csv" "$data/second.csv" || return 1
        echo
    fi
    if [ -f "$data/second.txt" ]; then
        cat "$data/second.txt"
        echo
    fi
    if [ -f "$data/notes.txt" ]; then
        cat "$data/notes.txt"
        echo
    fi
    if [ -f "$data/snapshots.csv" ]; then
        cat "$data/snapshots.txt"
        echo
        awk -f tools/report/common.awk -f tools/report/snapshots.awk "$data/scenarios.txt" "$data/snapshots.csv" || return 1
        echo
    fi
    cat <<EOF
## Over the number of entities

Per storage, from 1,000 to 16,777,216 entities with two components of 8 bytes, against limit and floor. Where a line
rises, caches end: see where the limit does.

EOF
    for name in iter1 iter2 create2 recreate2 create2_bulk destroy2 destroy_random get1_rand \
        get1_rand_accessor addrem1 toggle_tag mem2; do
        shown $name
    done
    awk -F, '$1 == "mem2" && $2 == "table" && $3 >= 1000000 { n = $3; bytes = $5 }
        END { if (n) printf "\n%d entities with two components take %.0f MiB, %.1f bytes each.\n", n, n * bytes / 1048576, bytes }' \
        "$data/growth.csv"
    cat <<EOF

## Over types and tables

Registered types that an entity does not have cost nothing. A table costs as much as its columns.

EOF
    for name in types_spawn types_despawn tables_iter tables_create query_new table_memory; do
        shown $name
    done
    cat <<EOF

## All scenarios

These are all cases of the benchmark (\`make bench\`), by storage and number of entities. A ratio in brackets compares
with the limit, where plain arrays can do the job. Figures are per entity unless the right column says otherwise.

EOF
    awk -f tools/report/common.awk -f tools/report/scenarios.awk "$data/scenarios.txt" "$data/scenarios.csv"
}

if [ "$way" = --check ]; then
    write_page >"$work/page" || exit 1
    if ! cmp -s "$work/page" "$page"; then
        echo "$page is not what the figures give: tools/bench-report.sh --draw"
        exit 1
    fi
    exit 0
fi
[ "$way" = --draw ] || measure_all || exit 1
draw_all || exit 1
write_page >"$work/page" || exit 1
cp "$work/page" "$page"
echo "$page is written" >&2
