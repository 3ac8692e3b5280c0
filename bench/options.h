// The options of mica_bench. Called by main.c.
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "harness.h"

typedef struct options {
    const char *filter; // part of the name; NULL: all scenarios
    const char *cases;  // a file that lists cases; NULL: all of the scenarios that are wanted
    bool one_policy;    // only `policy`; false: all
    bench_policy policy;
    uint32_t n;   // 0: the scenario's own sizes
    uint32_t max; // cases of more are left out
    uint32_t repeats;
    bool growth; // the sizes of growth curves, of scenarios that have one
    bool list;
    bool count;
    bool csv;
    bool help;
} options;

// The policy of that name. False if there is none.
bool options_find_policy(const char *name, bench_policy *policy_out);

// False if something is wrong with them, which has been said.
bool options_parse(int argc, char **argv, options *options_out);

void options_print_help(void);

#endif
