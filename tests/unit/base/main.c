// Unit tests of base/: one suite per source file.
#include "runner/test.h"

SUITES(arena, array, bits, hash, host, map, memory)
