// Unit tests of src/core, one file per source file.
#include "runner/test.h"

SUITES(field, hook, mark, set, slot, slot_list, slot_pending, type, unclaimed)
