// What may run at the same time.
#include "runner/test.h"

SUITES(threads, stress)
