// Unit tests of src/store/table, one file per source file.
#include "runner/test.h"

SUITES(compact, directory, layout, page, paged, ring, row, sheet, store, table, transfer,
       transition, transition_map)
