// Unit tests of src/world, one file per source file.
#include "runner/test.h"

SUITES(access, accessor, bundle, c_type, care, change, change_many, change_reserve, change_run,
       debug, declared, entity, facet, facet_random, fast_paths, given, handler, hash, hook,
       inspect, last_slot, name, resource, relocate_always, set, several, spawn, stamp, type, value,
       world)
