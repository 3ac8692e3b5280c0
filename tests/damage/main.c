// What validation makes of worlds that are damaged.
#include "runner/test.h"

SUITES(broken)
