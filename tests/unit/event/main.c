// Unit tests of src/event, one file per source file, and random changes beside a model that predicts what
// is reported.
#include "runner/test.h"

SUITES(fixed, inspect, observer, order, queue, random, tell)
