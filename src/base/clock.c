// Reads the system's monotonic clock. clock.h has the contract.
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
// NOLINTNEXTLINE(bugprone-reserved-identifier): POSIX defines this name
#define _POSIX_C_SOURCE 200112L // for clock_gettime
#endif

#include "base/clock.h"

#include <time.h>

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

uint64_t micai_clock_ns(void)
{
    LARGE_INTEGER ticks;
    LARGE_INTEGER per_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&per_second);
    uint64_t whole = (uint64_t)(ticks.QuadPart / per_second.QuadPart);
    uint64_t rest = (uint64_t)(ticks.QuadPart % per_second.QuadPart);
    return whole * UINT64_C(1000000000) +
           rest * UINT64_C(1000000000) / (uint64_t)per_second.QuadPart;
}

#else

uint64_t micai_clock_ns(void)
{
    struct timespec now = {0};
#if defined(CLOCK_MONOTONIC)
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
#else
    (void)timespec_get(&now, TIME_UTC);
#endif
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#endif
