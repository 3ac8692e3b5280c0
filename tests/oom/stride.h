// Which failures are tried where a whole scenario is run for each.
#ifndef TEST_OOM_STRIDE_H
#define TEST_OOM_STRIDE_H

#include <stdint.h>
#include <time.h>

#include "runner/tier.h"

// Every one; in small doses every fifth. Calls come several times, and each of their allocations is
// met in one of them.
static inline uint64_t oom_stride(void)
{
    return test_tier_is_small() ? 5 : 1;
}

// The number of the first failure. In small doses it depends on the date, so that five days try all.
static inline uint64_t oom_first(void)
{
    return 1 + (uint64_t)(time(NULL) / (24 * 60 * 60)) % oom_stride();
}

#endif
