// Every sequence of operations up to a length: 5 in the quick tier, 4 where the general loop iterates;
// 6 in the long and night tiers, unless the program was built to be slow.
//
//   --length N     up to N operations, whatever the tier; then the runner's options
#include "exhaustive/exhaustive.h"
#include "runner/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MICAI_TEST_GENERAL_LOOP
uint32_t exhaustive_length = 4;
#else
uint32_t exhaustive_length = 5;
#endif

extern const test_suite test_suite_exhaustive, test_suite_later, test_suite_mix;

// Three million sequences take half a minute; under a sanitizer, or not optimised, many minutes.
static bool is_quick_build(void)
{
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}

int main(int argument_count, char **arguments)
{
    const char *tier = getenv("MICA_TEST_TIER");
    if (tier && (strcmp(tier, "long") == 0 || strcmp(tier, "night") == 0) && is_quick_build()) {
        exhaustive_length = 6;
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
