// Flips bits. Beside what every test program understands:
//
//   --seed N     of the choice of bits
//   --flips N    how many
//   --explain 1  prints which fields were not noticed, and which crashed
//
// MICA_TEST_TIER=night flips a million, from a seed of its own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "damage/flip.h"
#include "runner/test.h"

extern const test_suite test_suite_flip;

flip_options flip_run = {.seed = 1, .flips = 4000};

static void read_environment(void)
{
    const char *tier = getenv("MICA_TEST_TIER");
    if (tier && strcmp(tier, "night") == 0) {
        flip_run.seed = (uint64_t)time(NULL);
        flip_run.flips = 1000000;
    }
}

// Takes our options out of the list; returns how many arguments are left.
static int read_options(int count, char **arguments)
{
    int left = 1;
    for (int i = 1; i < count; i++) {
        unsigned long long number = i + 1 < count ? strtoull(arguments[i + 1], NULL, 10) : 0;
        if (strcmp(arguments[i], "--seed") == 0) {
            flip_run.seed = number;
        } else if (strcmp(arguments[i], "--flips") == 0) {
            flip_run.flips = (uint32_t)number;
        } else if (strcmp(arguments[i], "--explain") == 0) {
            flip_run.explain = number != 0;
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
    static const test_suite *const suites[] = {&test_suite_flip, &test_suite_0};
    read_environment();
    argument_count = read_options(argument_count, arguments);
    return test_main(suites, argument_count, arguments);
}
