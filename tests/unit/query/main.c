// Unit tests of src/query, one file per source file.
#include "runner/test.h"

SUITES(query, iter, bulk)
