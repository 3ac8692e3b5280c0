// Tests of mica/model.h, which is all macros and inline functions.
#include "runner/test.h"

SUITES(model)
