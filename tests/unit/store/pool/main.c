// Unit tests of src/store/pool, and of what only pools use of src/store/table.
#include "runner/test.h"

SUITES(pool, pools, index, stable, pool_row)
