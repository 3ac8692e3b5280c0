// Unit tests of src/relation.
#include "runner/test.h"

SUITES(relation_random)
