// Unit tests of src/system, one file per source file, and what is said of systems' mistakes.
#include "runner/test.h"

SUITES(conflict, error, inspect, system, order, step, phase, fixed, list, frame, report, trace,
       wave, wave_slots, worker)
