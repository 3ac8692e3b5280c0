// Every sequence of operations up to a length: 5, or 4 where the general loop iterates and in the
// quick tier, unless it is said.
//
//   --length N     up to N operations; then the runner's options. With 6, eight million sequences take minutes.
#include "exhaustive/exhaustive.h"
#include "runner/test.h"
#include "runner/tier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MICAI_TEST_GENERAL_LOOP
uint32_t exhaustive_length = 4;
#else
uint32_t exhaustive_length = 5;
#endif

extern const test_suite test_suite_exhaustive, test_suite_later, test_suite_mix;

int main(int argument_count, char **arguments)
{
    if (test_tier_is("quick")) {
        exhaustive_length = 4;
    }
    if (argument_count > 2 && strcmp(arguments[1], "--length") == 0) {
        long length = strtol(arguments[2], NULL, 10);
        if (length < 1 || length > EXHAUSTIVE_LENGTH_MAX) {
            fprintf(stderr, "--length takes 1 to %d\n", EXHAUSTIVE_LENGTH_MAX);
            return 2;
        }
        exhaustive_length = (uint32_t)length;
        arguments[2] = arguments[0];
        argument_count -= 2;
        arguments += 2;
    }
    static const test_suite *const suites[] = {&test_suite_exhaustive, &test_suite_later,
                                               &test_suite_mix, &test_suite_0};
    return test_main(suites, argument_count, arguments);
}
