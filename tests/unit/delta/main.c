// Unit tests of src/delta.
#include "runner/test.h"

SUITES(delta_random, delta_size)
