// A world of sparse components, for the tests of groups and of sorting.
#ifndef TEST_QUERY_CREW_H
#define TEST_QUERY_CREW_H

#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Place {
    int32_t x, y;
} Place;

typedef struct Speed {
    int32_t x, y, z;
} Speed;

typedef struct Mass {
    int64_t grams;
} Mass;

enum { MANY = 1000 };

typedef struct crew {
    test_world t;
    mica_world *world;
    mica_type place, speed, mass, rock; // sparse; the last is stable
    mica_type asleep;                   // a sparse tag
    mica_type table;                    // in tables
    mica_query movers;                  // place written, speed read
    mica_entity entities[MANY];
} crew;

// Rows of pools lie side by side in a sheet, at least: a query of so many rows has no more segments than this.
static inline uint32_t crew_segments_max(uint32_t rows)
{
    return (rows + (1u << MICA_VIEW_ROW_SHIFT) - 1) >> MICA_VIEW_ROW_SHIFT;
}

typedef struct crew_walked {
    uint32_t rows;
    uint32_t segments;
    int32_t xs[MANY];
} crew_walked;

mica_world *crew_begin(crew *f);
mica_world *crew_begin_as(crew *f, bool relocate_always);
void crew_end(crew *f);

// Entity i has place {i, i}; every `of`-th has speed {i, 0, 0}.
void crew_spawn(crew *f, int32_t count, int32_t of);

// A group called "movers" that owns places and speeds.
mica_group crew_own(crew *f);

// Walks the movers; each must have the values it was given.
crew_walked crew_walk(crew *f);

// The largest x first. `user` counts the calls.
int crew_by_x_down(const mica_sort_item *a, const mica_sort_item *b, void *user);

#endif
