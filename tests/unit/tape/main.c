// Unit tests of src/tape.
#include "runner/test.h"

SUITES(tape_random, tape_size)
