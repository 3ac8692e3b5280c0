// Memory runs out everywhere.
#include "runner/test.h"

SUITES(oom, kernel, first, mix, resource, toggle, change, command, facet, observer, image)
