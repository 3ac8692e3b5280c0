// The model test. Beside what every test program understands:
//
//   --seed N     the first tape's seed; the others follow it
//   --steps N    operations per tape
//   --tapes N    how many tapes
//   --seconds N  begins no further tapes after as many seconds
//   --whole      does not cut down what fails
//
// MICA_TEST_TIER=quick runs 30,000 steps, MICA_TEST_TIER=night 12 million, from a seed of its own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/options.h"
#include "runner/test.h"
#include "runner/tier.h"

extern const test_suite test_suite_model, test_suite_replay;

// A few entities fill many sheets of 4 rows, and only the first ones of larger ones. The general
// loop is walked by some operations only, and what they walk over is the same.
#if defined(MICAI_TEST_SMALL_PAGES) && !defined(MICAI_TEST_GENERAL_LOOP)
model_options model_run = {.seed = 1, .steps = 150, .tapes = 1200};
#else
model_options model_run = {.seed = 1, .steps = 150, .tapes = 480};
#endif

static void read_environment(void)
{
    if (test_tier_is("quick")) {
        model_run.tapes = 200;
    } else if (test_tier_is("night")) {
        model_run.seed = (uint64_t)time(NULL) * 1000000;
        model_run.tapes = 80000;
    }
}

// Takes our options out of the list; returns how many arguments are left.
static int read_options(int count, char **arguments)
{
    int left = 1;
    for (int i = 1; i < count; i++) {
        unsigned long long number = i + 1 < count ? strtoull(arguments[i + 1], NULL, 10) : 0;
        if (strcmp(arguments[i], "--seed") == 0) {
            model_run.seed = number;
        } else if (strcmp(arguments[i], "--steps") == 0) {
            model_run.steps = (uint32_t)number;
        } else if (strcmp(arguments[i], "--tapes") == 0) {
            model_run.tapes = (uint32_t)number;
        } else if (strcmp(arguments[i], "--seconds") == 0) {
            model_run.seconds = (uint32_t)number;
            model_run.tapes = UINT32_MAX;
        } else if (strcmp(arguments[i], "--whole") == 0) {
            model_run.whole = true;
            continue;
        } else {
            arguments[left++] = arguments[i];
            continue;
        }
        i++;
    }
    return left;
}

int main(int argument_count, char **arguments)
{
    static const test_suite *const suites[] = {&test_suite_replay, &test_suite_model,
                                               &test_suite_0};
    read_environment();
    argument_count = read_options(argument_count, arguments);
    return test_main(suites, argument_count, arguments);
}
