// A world of a few types of numbers, for tests of one thing each.
#ifndef TEST_QUERY_SMALL_H
#define TEST_QUERY_SMALL_H

#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Num {
    int32_t n;
} Num;

typedef struct small {
    test_world t;
    mica_world *world;
    mica_type column, loose, other, stable, mark; // but for the first, sparse
} small;

mica_world *small_begin(small *s);
void small_end(small *s);

// Another sparse type of numbers.
mica_type small_register(mica_world *world, const char *name, bool stable);

mica_query small_query(small *s, mica_term a, mica_term b, mica_term c);

#define NO_TERM ((mica_term){0})

// Gives an entity a number; the number it has, INT32_MIN if it has none.
void small_put(small *s, mica_entity entity, mica_type type, int32_t n);
int32_t small_num(small *s, mica_entity entity, mica_type type);

enum { WRITTEN = 40 };

// Entities whose other pool has the opposite order, so that one of both is gathered; the query that
// writes them; the same number for all rows of a term.
void small_spawn_crossed(small *s, mica_entity e[WRITTEN]);
mica_query small_cross(small *s);
void small_write_all(const mica_iter *it, uint32_t term, int32_t n);

#endif
