// How much is to be run, from the command line and the environment.
#ifndef TEST_MODEL_OPTIONS_H
#define TEST_MODEL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct model_options {
    uint64_t seed;    // of the first tape; the others have those that follow
    uint32_t steps;   // of a tape
    uint32_t tapes;   // how many
    uint32_t seconds; // after which no further tapes are begun; 0: no end
    bool whole;       // those that fail are not cut down
} model_options;

extern model_options model_run;

#endif
