// A world with one entity of every shape that four types can make.
#ifndef TEST_QUERY_CAST_H
#define TEST_QUERY_CAST_H

#include <mica.h>

#include "query/query.h"
#include "runner/test.h"
#include "runner/world.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Health {
    int32_t points;
} Health;

enum { TYPES = 4, SHAPES = 1 << TYPES };

// `frozen` is a tag.
typedef struct cast {
    test_world t;
    mica_world *world;
    union {
        struct {
            mica_type position, velocity, health, frozen;
        };
        mica_type types[TYPES];
    };
    mica_entity entities[SHAPES]; // bit per type
} cast;

mica_world *cast_begin(cast *c);
void cast_end(cast *c);

// The parts of beginning: types in a new world; an entity of a shape.
void cast_register(cast *c);
mica_entity cast_spawn(cast *c, uint32_t shape);

micai_query *cast_inside(mica_world *world, mica_query query);

#define QUERY(world, ...) mica_query_new(world, &(mica_query_desc){.terms = {__VA_ARGS__}})

#endif
