// Unit tests of src/time.
#include "runner/test.h"

SUITES(time_compare, time_history, time_mirror, time_sync, time_twin, time_younger, time_random)
