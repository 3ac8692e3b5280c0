// What the library says no to.
#include "runner/test.h"

SUITES(codes)
