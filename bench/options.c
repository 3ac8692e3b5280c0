// Options of mica_bench. See options.h.
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS_DEFAULT = 15, REPEATS_MAX = 100000 };

#define N_MAX UINT32_C(100000000)

void options_print_help(void)
{
    printf("mica_bench: mica beside plain arrays that do the same work.\n"
           "\n"
           "  --list          name the scenarios and stop; with --csv, all cases\n"
           "  --filter TEXT   only scenarios with TEXT in their name\n"
           "  --policy NAME   only this storage policy:");
    for (int i = 0; i < BENCH_POLICY_COUNT; i++) {
        printf(" %s", bench_policy_names[i]);
    }
    printf("\n"
           "  --n N           N entities, 1 to %u, instead of each scenario's own sizes\n"
           "  --max N         leave out cases of more than N\n"
           "  --growth        the sizes of growth curves, of scenarios that have one\n"
           "  --cases FILE    only the cases that FILE lists: lines that begin with scenario,\n"
           "                  policy and n, or with #\n"
           "  --repeat R      at least R samples of each side, 1 to %d; the smallest counts\n"
           "                  (default %d; 1 is exactly one, for a quick look)\n"
           "  --count         do mica's work once per case, in the function bench_counted(), for\n"
           "                  a profiler; print the items it is to be divided by\n"
           "  --csv           comma-separated values\n"
           "  --help          this text\n"
           "\n"
           "limit: the same on plain, aligned C arrays without bookkeeping.\n"
           "floor: the same with the least bookkeeping that has generational handles.\n"
           "ratio: mica / limit. Figures are per item; compile with -O3 and for your machine.\n",
           (unsigned)N_MAX, REPEATS_MAX, REPEATS_DEFAULT);
}

bool options_find_policy(const char *name, bench_policy *policy_out)
{
    for (int i = 0; i < BENCH_POLICY_COUNT; i++) {
        if (strcmp(name, bench_policy_names[i]) == 0) {
            *policy_out = (bench_policy)i;
            return true;
        }
    }
    return false;
}

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
    options_out->one_policy = options_find_policy(text, &options_out->policy);
    if (!options_out->one_policy) {
        fprintf(stderr, "mica_bench: there is no policy '%s'; see --help\n", text);
    }
    return options_out->one_policy;
}

static bool parse_flag(const char *name, options *options_out)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--list", &options_out->list},
                 {"--count", &options_out->count},
                 {"--growth", &options_out->growth},
                 {"--csv", &options_out->csv},
                 {"--help", &options_out->help}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(name, flags[i].name) == 0) {
            *flags[i].flag = true;
            return true;
        }
    }
    return false;
}

static bool takes_value(const char *name)
{
    static const char *const names[] = {"--filter", "--cases", "--policy",
                                        "--n",      "--max",   "--repeat"};
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
    if (strcmp(name, "--cases") == 0) {
        options_out->cases = value;
        return true;
    }
    if (strcmp(name, "--policy") == 0) {
        return parse_policy(value, options_out);
    }
    if (strcmp(name, "--n") == 0) {
        return parse_number(name, value, N_MAX, &options_out->n);
    }
    if (strcmp(name, "--max") == 0) {
        return parse_number(name, value, N_MAX, &options_out->max);
    }
    return parse_number(name, value, REPEATS_MAX, &options_out->repeats);
}

bool options_parse(int argc, char **argv, options *options_out)
{
    *options_out = (options){.repeats = REPEATS_DEFAULT, .max = N_MAX};
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
