// Unit tests of src/time.
#include "runner/test.h"

SUITES(time_history, time_younger, time_random)
