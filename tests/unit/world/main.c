// Unit tests of src/world, one file per source file.
#include "runner/test.h"

SUITES(access, accessor, bundle, c_type, care, change, debug, declared, entity, facet, facet_random,
       given, handler, hash, hook, inspect, last_slot, name, plan, plan_many, quick, resource,
       restless, room, set, several, spawn, stamp, type, value, world)
