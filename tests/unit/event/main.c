// Unit tests of src/event, one file per source file, and random changes beside a model that predicts what
// is reported.
#include "runner/test.h"

SUITES(existing, fixed, inspect, observer, order, parts, queue, random, signal, tell)
