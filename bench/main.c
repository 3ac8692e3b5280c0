// mica_bench: options and output. Measuring is in harness.c, the work in the scenario files.
//
// Exit code: 0; 1 if a case failed or its sides disagree; 2 if the options are wrong.
#include "harness.h"
#include "host.h"
#include "scenarios.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_FAILED = 1, EXIT_OPTIONS = 2, REPEATS_DEFAULT = 15, REPEATS_MAX = 100000 };

#define N_MAX UINT32_C(100000000)

static const bench_family *const families[] = {
    &bench_entity, &bench_create, &bench_access,  &bench_change,  &bench_iterate,
    &bench_sparse, &bench_group,  &bench_ring,    &bench_sys7,    &bench_step,
    &bench_memory, &bench_world,  &bench_toggle,  &bench_storage, &bench_later,
    &bench_facet,  &bench_event,  &bench_changed, &bench_observe, &bench_image,
};

enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

static const uint32_t default_sizes[BENCH_SIZES_MAX] = {1000, 65536, 1048576};

typedef struct options {
    const char *filter; // part of the name; NULL: all scenarios
    bool one_policy;    // only `policy`; false: all
    bench_policy policy;
    uint32_t n; // 0: the scenario's own sizes
    uint32_t repeats;
    bool list;
    bool csv;
    bool help;
} options;

static void print_help(void)
{
    printf("mica_bench: mica beside plain arrays that do the same work.\n"
           "\n"
           "  --list          name the scenarios and stop\n"
           "  --filter TEXT   only scenarios with TEXT in their name\n"
           "  --policy NAME   only this storage policy:");
    for (int i = 0; i < BENCH_POLICY_COUNT; i++) {
        printf(" %s", bench_policy_names[i]);
    }
    printf("\n"
           "  --n N           N entities, 1 to %u, instead of each scenario's own sizes\n"
           "  --repeat R      at least R samples of each side, 1 to %d; the smallest counts\n"
           "                  (default %d)\n"
           "  --csv           comma-separated values\n"
           "  --help          this text\n"
           "\n"
           "limit: the same on plain, aligned C arrays without bookkeeping.\n"
           "floor: the same with the least bookkeeping that has generational handles.\n"
           "ratio: mica / limit. Figures are per item; compile with -O3 and for your machine.\n",
           (unsigned)N_MAX, REPEATS_MAX, REPEATS_DEFAULT);
}

// Options

static bool parse_number(const char *name, const char *text, uint32_t max, uint32_t *number_out)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
    if (value < 1 || value > max || errno != 0 || *end != '\0') {
        fprintf(stderr, "mica_bench: %s takes a number from 1 to %u, not '%s'\n", name,
                (unsigned)max, text);
        return false;
    }
    *number_out = (uint32_t)value;
    return true;
}

static bool parse_policy(const char *text, options *options_out)
{
    for (int i = 0; i < BENCH_POLICY_COUNT; i++) {
        if (strcmp(text, bench_policy_names[i]) == 0) {
            options_out->one_policy = true;
            options_out->policy = (bench_policy)i;
            return true;
        }
    }
    fprintf(stderr, "mica_bench: there is no policy '%s'; see --help\n", text);
    return false;
}

static bool parse_flag(const char *name, options *options_out)
{
    if (strcmp(name, "--list") == 0) {
        options_out->list = true;
    } else if (strcmp(name, "--csv") == 0) {
        options_out->csv = true;
    } else if (strcmp(name, "--help") == 0) {
        options_out->help = true;
    } else {
        return false;
    }
    return true;
}

static bool takes_value(const char *name)
{
    static const char *const names[] = {"--filter", "--policy", "--n", "--repeat"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool parse_value(const char *name, const char *value, options *options_out)
{
    if (strcmp(name, "--filter") == 0) {
        options_out->filter = value;
        return true;
    }
    if (strcmp(name, "--policy") == 0) {
        return parse_policy(value, options_out);
    }
    if (strcmp(name, "--n") == 0) {
        return parse_number(name, value, N_MAX, &options_out->n);
    }
    return parse_number(name, value, REPEATS_MAX, &options_out->repeats);
}

static bool parse_options(int argc, char **argv, options *options_out)
{
    *options_out = (options){.repeats = REPEATS_DEFAULT};
    for (int i = 1; i < argc; i++) {
        if (parse_flag(argv[i], options_out)) {
            continue;
        }
        if (!takes_value(argv[i])) {
            fprintf(stderr, "mica_bench: unknown option '%s'; see --help\n", argv[i]);
            return false;
        }
        if (i + 1 == argc) {
            fprintf(stderr, "mica_bench: %s needs a value; see --help\n", argv[i]);
            return false;
        }
        if (!parse_value(argv[i], argv[i + 1], options_out)) {
            return false;
        }
        i++;
    }
    return true;
}

static bool is_wanted(const options *o, const bench_scenario *scenario)
{
    return o->filter == NULL || strstr(scenario->name, o->filter) != NULL;
}

// Output

static void print_header(bool csv)
{
    if (csv) {
        printf("scenario,policy,n,unit,per_item,limit_per_item,floor_per_item,ratio\n");
    } else {
        printf("%-18s %-8s %9s  %-5s %10s %10s %10s %8s\n", "scenario", "policy", "n", "unit",
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
        csv ? "%s,%s,%u,%s,%s,%s,%s,%s\n" : "%-18s %-8s %9u  %-5s %10s %10s %10s %8s\n";
    printf(form, scenario->name, bench_policy_names[what->policy], (unsigned)what->n,
           stands ? bench_unit_names[scenario->unit] : "error", texts[BENCH_MICA],
           texts[BENCH_LIMIT], texts[BENCH_FLOOR], ratio);
    fflush(stdout);
    if (!stands) {
        fprintf(stderr, "mica_bench: %s, %s, n = %u: %s\n", scenario->name,
                bench_policy_names[what->policy], (unsigned)what->n, result->error);
    }
}

// Running

static bool run_case(const options *o, const bench_scenario *scenario, const bench_case *what)
{
    bench_result result;
    bool fine = bench_measure(scenario, what, o->repeats, &result);
    print_result(o->csv, scenario, what, &result);
    return fine;
}

static bool run_policy(const options *o, const bench_scenario *scenario, bench_policy policy)
{
    if (o->n > 0 && !scenario->fixed_size) {
        bench_case what = {o->n, policy};
        return run_case(o, scenario, &what);
    }
    const uint32_t *sizes = scenario->sizes[0] > 0 ? scenario->sizes : default_sizes;
    bool fine = true;
    for (int i = 0; i < BENCH_SIZES_MAX && sizes[i] > 0; i++) {
        bench_case what = {sizes[i], policy};
        fine = run_case(o, scenario, &what) && fine;
    }
    return fine;
}

static bool run_scenario(const options *o, const bench_scenario *scenario)
{
    bool fine = true;
    for (int i = 0; i < BENCH_POLICY_COUNT; i++) {
        bool can = scenario->sparse_only ? i == BENCH_SPARSE
                   : scenario->ring_only ? i == BENCH_RING
                                         : i == BENCH_TABLE || (scenario->policies >> i & 1) != 0;
        bool wanted = !o->one_policy || o->policy == (bench_policy)i;
        if (can && wanted) {
            fine = run_policy(o, scenario, (bench_policy)i) && fine;
        }
    }
    return fine;
}

static int run_all(const options *o)
{
    bool fine = true;
    size_t found = 0;
    for (int f = 0; f < FAMILY_COUNT; f++) {
        for (size_t i = 0; i < families[f]->count; i++) {
            const bench_scenario *scenario = &families[f]->scenarios[i];
            if (!is_wanted(o, scenario)) {
                continue;
            }
            if (o->list) {
                printf("%-18s %s\n", scenario->name, scenario->text);
            } else {
                if (found == 0) {
                    print_header(o->csv);
                }
                fine = run_scenario(o, scenario) && fine;
            }
            found++;
        }
    }
    if (found == 0) {
        fprintf(stderr, "mica_bench: no scenario has '%s' in its name; see --list\n", o->filter);
        return EXIT_OPTIONS;
    }
    return fine ? 0 : EXIT_FAILED;
}

int main(int argc, char **argv)
{
    options o;
    if (!parse_options(argc, argv, &o)) {
        return EXIT_OPTIONS;
    }
    if (o.help) {
        print_help();
        return 0;
    }
    bench_host_begin();
    return run_all(&o);
}
