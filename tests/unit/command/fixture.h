// A world with types of every sort and storage, to record changes in.
#ifndef TEST_COMMAND_FIXTURE_H
#define TEST_COMMAND_FIXTURE_H

#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Health {
    int32_t points; // 100 by default
} Health;

typedef struct Wide {
    int64_t numbers[9];
} Wide;

typedef struct fixture {
    test_world t;
    mica_world *world;
    tracker tracker;
    mica_type position; // fits into a command
    mica_type health;   // has a default
    mica_type wide;
    mica_type frozen;  // a tag
    mica_type moved;   // tracked, with a move hook
    mica_type owned;   // tracked, cannot be copied
    mica_type burning; // can be disabled
    mica_type loose;   // sparse
    mica_type marked;  // a sparse tag
    mica_query all;    // everybody
} fixture;

void fixture_begin(fixture *f);
void fixture_begin_as(fixture *f, bool relocate_always);

// Validates, frees, and checks that every tracked value has ended.
void fixture_end(fixture *f);

// A value of a tracked type that the world has not yet.
mica_value fixture_owned(fixture *f, tracked *made);

// The face that records for later.
mica_world *fixture_later(fixture *f);

// Carries out what waits; it must go well.
void fixture_apply(fixture *f);

#endif
