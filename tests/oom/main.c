// Memory runs out everywhere.
#include "runner/test.h"

SUITES(oom, kernel, first, mix, model, resource, toggle, change, command, delta, facet, observer,
       image, relation, system, tape, thread, time, trace)
