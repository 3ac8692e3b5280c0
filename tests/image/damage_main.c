// Images that are damaged in every way: tests/unit/image/damage_test.c, all of it.
#include "runner/test.h"

SUITES(damage)
