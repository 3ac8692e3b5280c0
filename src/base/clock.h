// A clock that runs on, whatever the time of day is set to.
//
// Room:    base. Called by core/ (seals) and system/ (timings).
#ifndef MICAI_BASE_CLOCK_H
#define MICAI_BASE_CLOCK_H

#include <stdint.h>

// Nanoseconds since some moment.
uint64_t micai_clock_ns(void);

#endif
