// Unit tests of src/store/table, one file per source file.
#include "runner/test.h"

SUITES(page, store, table, transfer)
