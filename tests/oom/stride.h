// Which failures are tried where a whole scenario is run for each.
#ifndef TEST_OOM_STRIDE_H
#define TEST_OOM_STRIDE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Every one. In emulators and the like (MICA_TEST_TIER=core) every fifth: calls come several times, and each of
// their allocations is met in one of them.
static inline uint64_t oom_stride(void)
{
    const char *tier = getenv("MICA_TEST_TIER");
    return tier && strcmp(tier, "core") == 0 ? 5 : 1;
}

#endif
