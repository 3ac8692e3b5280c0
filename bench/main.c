// mica_bench: which cases, and what is printed of them. Measuring is in harness.c, the work in the
// scenario files, the options in options.c.
//
// Exit code: 0; 1 if a case failed or its sides disagree; 2 if the options are wrong.
#include "harness.h"
#include "host.h"
#include "options.h"
#include "scenarios.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_FAILED = 1, EXIT_OPTIONS = 2 };

static const bench_family *const families[] = {
    &bench_entity,  &bench_create,  &bench_access,  &bench_change, &bench_iterate,  &bench_sparse,
    &bench_group,   &bench_ring,    &bench_sys7,    &bench_step,   &bench_memory,   &bench_world,
    &bench_toggle,  &bench_storage, &bench_later,   &bench_facet,  &bench_relation, &bench_event,
    &bench_changed, &bench_observe, &bench_image,   &bench_churn,  &bench_gets,     &bench_tables,
    &bench_wide,    &bench_kinds,   &bench_members, &bench_time,   &bench_thread,
};

enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

static const uint32_t default_sizes[BENCH_SIZES_MAX] = {1000, 65536, 1048576};

// Output

static void print_header(bool csv)
{
    if (csv) {
        printf("scenario,policy,n,unit,per_item,limit_per_item,floor_per_item,ratio\n");
    } else {
        printf("%-22s %-8s %9s  %-5s %10s %10s %10s %8s\n", "scenario", "policy", "n", "unit",
               "mica", "limit", "floor", "ratio");
    }
}

// "" for what is not known.
static const char *figure_text(bool known, double value, int digits, char *text, size_t size)
{
    text[0] = '\0';
    if (known) {
        snprintf(text, size, "%.*f", digits, value);
    }
    return text;
}

static void print_result(bool csv, const bench_scenario *scenario, const bench_case *what,
                         const bench_result *result)
{
    char texts[BENCH_SIDE_COUNT + 1][32];
    const bench_figure *mica = &result->sides[BENCH_MICA];
    const bench_figure *limit = &result->sides[BENCH_LIMIT];
    bool stands = result->error == NULL;
    for (int side = 0; side < BENCH_SIDE_COUNT; side++) {
        const bench_figure *figure = &result->sides[side];
        figure_text(stands && figure->known, figure->per_item, 4, texts[side], sizeof texts[side]);
    }
    bool has_ratio = stands && mica->known && limit->known && limit->per_item > 0;
    char *ratio = texts[BENCH_SIDE_COUNT];
    figure_text(has_ratio, has_ratio ? mica->per_item / limit->per_item : 0, 3, ratio,
                sizeof texts[BENCH_SIDE_COUNT]);
    const char *form =
        csv ? "%s,%s,%u,%s,%s,%s,%s,%s\n" : "%-22s %-8s %9u  %-5s %10s %10s %10s %8s\n";
    printf(form, scenario->name, bench_policy_names[what->policy], (unsigned)what->n,
           stands ? bench_unit_names[scenario->unit] : "error", texts[BENCH_MICA],
           texts[BENCH_LIMIT], texts[BENCH_FLOOR], ratio);
    fflush(stdout);
    if (!stands) {
        fprintf(stderr, "mica_bench: %s, %s, n = %u: %s\n", scenario->name,
                bench_policy_names[what->policy], (unsigned)what->n, result->error);
    }
}

// Cases. Each is measured, counted, or named.

static bool can(const bench_scenario *scenario, bench_policy policy)
{
    return scenario->sparse_only ? policy == BENCH_SPARSE
           : scenario->ring_only ? policy == BENCH_RING
                                 : policy == BENCH_TABLE || (scenario->policies >> policy & 1) != 0;
}

static bool visit_case(const options *o, const bench_scenario *scenario, const bench_case *what)
{
    const char *policy = bench_policy_names[what->policy];
    if (what->n > o->max) {
        return true;
    }
    if (o->list) {
        printf("%s,%s,%u\n", scenario->name, policy, (unsigned)what->n);
        return true;
    }
    if (o->count) {
        uint32_t items;
        bool fine = bench_count(scenario, what, &items);
        printf(fine ? "%s %s %u %u\n" : "%s %s %u could not be set up\n", scenario->name, policy,
               (unsigned)what->n, (unsigned)items);
        return fine;
    }
    bench_result result;
    bool fine = bench_measure(scenario, what, o->repeats, &result);
    print_result(o->csv, scenario, what, &result);
    return fine;
}

static bool visit_policy(const options *o, const bench_scenario *scenario, bench_policy policy)
{
    if (o->n > 0 && !scenario->fixed_size && !o->growth) {
        bench_case what = {o->n, policy};
        return visit_case(o, scenario, &what);
    }
    const uint32_t *sizes = scenario->sizes[0] > 0 ? scenario->sizes : default_sizes;
    int size_count = BENCH_SIZES_MAX;
    if (o->growth) {
        sizes = scenario->growth;
        size_count = BENCH_GROWTH_MAX;
    }
    bool fine = true;
    for (int i = 0; i < size_count && sizes[i] > 0; i++) {
        bench_case what = {sizes[i], policy};
        fine = visit_case(o, scenario, &what) && fine;
    }
    return fine;
}

static bool visit_scenario(const options *o, const bench_scenario *scenario)
{
    bool fine = true;
    for (int i = 0; i < BENCH_POLICY_COUNT; i++) {
        bool wanted = !o->one_policy || o->policy == (bench_policy)i;
        if (wanted && can(scenario, (bench_policy)i)) {
            fine = visit_policy(o, scenario, (bench_policy)i) && fine;
        }
    }
    return fine;
}

static bool is_wanted(const options *o, const bench_scenario *scenario)
{
    return (o->filter == NULL || strstr(scenario->name, o->filter) != NULL) &&
           (!o->growth || scenario->growth[0] > 0);
}

static int visit_all(const options *o)
{
    bool fine = true;
    size_t found = 0;
    for (int f = 0; f < FAMILY_COUNT; f++) {
        for (size_t i = 0; i < families[f]->count; i++) {
            const bench_scenario *scenario = &families[f]->scenarios[i];
            if (!is_wanted(o, scenario)) {
                continue;
            }
            found++;
            if (o->list && !o->csv) {
                printf("%-22s %s\n", scenario->name, scenario->text);
            } else {
                fine = visit_scenario(o, scenario) && fine;
            }
        }
    }
    if (found == 0) {
        fprintf(stderr, "mica_bench: no scenario has '%s' in its name; see --list\n",
                o->filter != NULL ? o->filter : "");
        return EXIT_OPTIONS;
    }
    return fine ? 0 : EXIT_FAILED;
}

static const bench_scenario *find_scenario(const char *name)
{
    for (int f = 0; f < FAMILY_COUNT; f++) {
        for (size_t i = 0; i < families[f]->count; i++) {
            if (strcmp(families[f]->scenarios[i].name, name) == 0) {
                return &families[f]->scenarios[i];
            }
        }
    }
    return NULL;
}

// One line of a file of cases: EXIT_OPTIONS if it is none.
static int visit_line(const options *o, const char *line)
{
    char name[64] = "";
    char policy_name[16] = "";
    unsigned n = 0;
    if (line[0] == '#' || line[0] == '\n') {
        return 0;
    }
    bench_case what;
    const bench_scenario *scenario = NULL;
    if (sscanf(line, "%63s %15s %u", name, policy_name, &n) == 3 && n > 0) {
        scenario = find_scenario(name);
    }
    if (scenario == NULL || !options_find_policy(policy_name, &what.policy) ||
        !can(scenario, what.policy)) {
        fprintf(stderr, "mica_bench: %s: there is no such case: %s", o->cases, line);
        return EXIT_OPTIONS;
    }
    what.n = n;
    return visit_case(o, scenario, &what) ? 0 : EXIT_FAILED;
}

static int visit_file(const options *o)
{
    FILE *file = fopen(o->cases, "r");
    if (file == NULL) {
        fprintf(stderr, "mica_bench: cannot read '%s'\n", o->cases);
        return EXIT_OPTIONS;
    }
    char line[256];
    int worst = 0;
    while (worst != EXIT_OPTIONS && fgets(line, sizeof line, file) != NULL) {
        int result = visit_line(o, line);
        worst = result > worst ? result : worst;
    }
    fclose(file);
    return worst;
}

int main(int argc, char **argv)
{
    options o;
    if (!options_parse(argc, argv, &o)) {
        return EXIT_OPTIONS;
    }
    if (o.help) {
        options_print_help();
        return 0;
    }
    bench_host_begin();
    if (!o.list && !o.count) {
        print_header(o.csv);
    }
    return o.cases != NULL ? visit_file(&o) : visit_all(&o);
}
