// What lies around a full word of 64 bits: sets of types, terms, strips, rows.
#include "runner/test.h"

SUITES(rows, sets)
