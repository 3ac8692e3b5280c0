// A monotonic clock: changes of the time of day do not affect it.
//
// Room:    base. Called by core/ (seals), system/ (timings) and inspect/ (traces).
#ifndef MICAI_BASE_CLOCK_H
#define MICAI_BASE_CLOCK_H

#include <stdint.h>

// Returns nanoseconds since an arbitrary start.
uint64_t micai_clock_ns(void);

#endif
