// Unit tests of src/image, one file per source file.
#include "runner/test.h"

SUITES(damage, evolve, hostile, image, json, json_number, json_read, json_world, json_write,
       other_program, part, resume, resume_random)
