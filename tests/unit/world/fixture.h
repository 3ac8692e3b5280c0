// A world with types of every sort, and values that are watched.
#ifndef TEST_WORLD_FIXTURE_H
#define TEST_WORLD_FIXTURE_H

#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Health {
    int32_t points; // 100 by default
} Health;

// Types are registered in the order they stand here: tags lie between those with data.
typedef struct fixture {
    test_world t;
    mica_world *world;
    tracker tracker;
    mica_type frozen; // a tag
    mica_type position;
    mica_type velocity;
    mica_type player; // a tag
    mica_type moved;  // tracked, with a move hook
    mica_type hooked; // tracked, without
    mica_type health;
} fixture;

void fixture_begin(fixture *f);

// Validates, frees, and checks that every tracked value has ended.
void fixture_end(fixture *f);

// For worlds with limits: prepare, change f->t.desc, open.
void fixture_prepare(fixture *f);
void fixture_open(fixture *f);

// An entity with position (n, -n), velocity (2n, 0), player, moved n and hooked n.
mica_entity fixture_spawn(fixture *f, int32_t n);

// Are those its values?
bool fixture_holds(fixture *f, mica_entity entity, int32_t n);

// A type and an entity of another world.
mica_type fixture_foreign(test_world *other);

// The table an entity is in.
struct micai_table *fixture_table(const fixture *f, mica_entity entity);

// The transition by which a list of types, of which the first `given` are added and the others removed, leads on from an
// entity's table; by which it is spawned (none). NULL: there is none.
const struct micai_transition *fixture_transition(const fixture *f, mica_entity entity,
                                                  const mica_type *types, uint32_t given,
                                                  uint32_t count);

// How many rows were ever copied.
uint64_t fixture_moves(const fixture *f);

#endif
