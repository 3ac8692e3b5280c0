// Memory runs out everywhere.
#include "runner/test.h"

SUITES(oom, kernel, first, mix, model, resource, toggle, change, command, facet, observer, image,
       system, time, trace)
