// Every sequence of operations up to a length.
#ifndef TEST_EXHAUSTIVE_H
#define TEST_EXHAUSTIVE_H

#include <stdint.h>

enum { EXHAUSTIVE_LENGTH_MAX = 8 };

// The length for a world that begins empty, 1 to EXHAUSTIVE_LENGTH_MAX; one less, but at least one,
// for a world that begins with entities.
extern uint32_t exhaustive_length;

#endif
