// Unit tests of base/: one suite per source file.
#include "runner/test.h"

SUITES(arena, array, bits, file, file_plain, hash, host, map, memory, print, slab, stream, text)
