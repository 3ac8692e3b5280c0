// Worlds over kinds of column that only the tests have.
#include "runner/test.h"

SUITES(kinds)
