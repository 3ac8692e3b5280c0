// Unit tests of src/core, one file per source file.
#include "runner/test.h"

SUITES(field, handles, hook, lane, mark, set, slot, slot_exchange, slot_list, slot_pending, type,
       unclaimed, value_hash)
