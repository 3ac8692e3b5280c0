// Unit tests of src/core, one file per source file.
#include "runner/test.h"

SUITES(field, hook, set, slot, slot_list, type)
