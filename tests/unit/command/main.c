// Unit tests of src/command, one file per source file, and random commands beside direct calls.
#include "runner/test.h"

SUITES(buffer, random, record, replay, send)
