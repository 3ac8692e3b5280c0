// Unit tests of src/world, one file per source file.
#include "runner/test.h"

SUITES(entity, set, type, world)
