// A world of every sort of thing: what the tests of damage break.
#ifndef TEST_DAMAGE_EVERYTHING_H
#define TEST_DAMAGE_EVERYTHING_H

#include <mica.h>

#include "runner/host.h"
#include "system/system.h"

typedef struct everything {
    test_memory memory;
    mica_world *world;
    test_error error;
    mica_iter outer, inner;   // open
    mica_iter driven, sieved; // the same, of queries with sparse terms: by a pool, by tables
    mica_iter grouped;        // by a group
    mica_iter timed;          // by what changed
} everything;

void everything_begin(everything *e);
void everything_end(everything *e);

#endif
