// The same loops over the same queries, in C (each.c) and in C++ (each.cpp), and what they are run by.
#ifndef TEST_GATE_EACH_H
#define TEST_GATE_EACH_H

#include <mica.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;

// Loops over {Position, MICA_WRITE}, {Velocity, MICA_READ}: positions move; count those on the right, by
// the entity; are summed up.
void c_move(mica_world *world, mica_query query);
uint64_t c_pick(mica_world *world, mica_query query);
float c_sum(mica_world *world, mica_query query);

// And what a system calls.
void c_update(mica_iter *it);

#ifdef __cplusplus
}
#endif

#endif
