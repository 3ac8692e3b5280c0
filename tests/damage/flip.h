// Flipping bits of a world, one at a time, and looking what validation makes of it.
#ifndef TEST_DAMAGE_FLIP_H
#define TEST_DAMAGE_FLIP_H

#include "damage/everything.h"

typedef struct flip_options {
    uint64_t seed;
    uint32_t flips;
    bool apart;   // blocks have unmapped pages between them
    bool explain; // print which fields were not noticed, and where it crashed
} flip_options;

extern flip_options flip_run;

typedef struct flip_counts {
    uint32_t reported;
    uint32_t unnoticed;
    uint32_t missed;  // of these, in fields that an invariant speaks of
    uint32_t crashed; // by a signal, or not done after a second
} flip_counts;

// False: this machine cannot, and nothing was done.
bool flip_all(everything *e, const flip_options *options, flip_counts *counts_out);

#endif
