// The dose of a suite, from MICA_TEST_TIER: "quick" in `make test`, "core" in emulators and the like, "night", or
// unset: the whole suite.
#ifndef TEST_RUNNER_TIER_H
#define TEST_RUNNER_TIER_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool test_tier_is(const char *name)
{
    const char *tier = getenv("MICA_TEST_TIER");
    return tier && strcmp(tier, name) == 0;
}

// Returns true if a sample is enough, because the whole suite runs elsewhere.
static inline bool test_tier_is_small(void)
{
    return test_tier_is("quick") || test_tier_is("core");
}

#endif
