// Unit tests of src/time.
#include "runner/test.h"

<<<<<<< HEAD
SUITES(time_compare, time_history, time_mirror, time_random)
=======
SUITES(time_history, time_younger, time_random)
>>>>>>> 74357df73be790588aabf116daa319400c8ed607
