// Unit tests of src/delta.
#include "runner/test.h"

SUITES(delta_leaf, delta_random, delta_size)
