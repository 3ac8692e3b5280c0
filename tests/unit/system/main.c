// Unit tests of src/system, one file per source file.
#include "runner/test.h"

SUITES(system)
