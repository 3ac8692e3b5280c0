// Unit tests of src/store/pool, one file per source file.
#include "runner/test.h"

SUITES(pool, pools)
