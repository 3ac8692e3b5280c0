// Unit tests of src/event, one file per source file.
#include "runner/test.h"

SUITES(queue)
