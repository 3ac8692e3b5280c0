// A world with movers, and a query over them.
#ifndef TEST_QUERY_FIXTURE_H
#define TEST_QUERY_FIXTURE_H

#include <mica.h>

#include "query/query.h"
#include "runner/test.h"
#include "runner/world.h"

typedef struct Position {
    int32_t x, y;
} Position;

typedef struct Velocity {
    int32_t x, y;
} Velocity;

typedef struct fixture {
    test_world t;
    mica_world *world;
    mica_type position, velocity, weight, frozen;
    mica_bundle mover; // position, velocity
    mica_query query;  // position written, velocity read; "movers"
} fixture;

mica_world *fixture_begin(fixture *f);
void fixture_end(fixture *f);

// `count` movers; the x of the i-th position is i, of its velocity -i. `entities_out` may be NULL.
void fixture_spawn_movers(fixture *f, uint32_t count, mica_entity *entities_out);

// Where an entity is.
micai_table *fixture_table(fixture *f, mica_entity entity);

#endif
