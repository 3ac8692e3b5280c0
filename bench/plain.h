// Plain arrays of positions and velocities: what the limit of most scenarios works on.
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

#include "host.h"
#include "kernels.h"

// Fixed at n, 64-byte aligned, filled with the first values of entities 0 to n-1.
typedef struct plain_arrays {
    Position *position;
    Velocity *velocity;
    uint32_t n;
} plain_arrays;

static inline plain_arrays plain_make(uint32_t n)
{
    plain_arrays arrays = {.position = bench_alloc_touched(n * sizeof(Position)),
                           .velocity = bench_alloc_touched(n * sizeof(Velocity)),
                           .n = n};
    for (uint32_t i = 0; i < n; i++) {
        arrays.position[i] = position_of(i);
        arrays.velocity[i] = velocity_of(i);
    }
    return arrays;
}

static inline void plain_free(plain_arrays *arrays)
{
    bench_free(arrays->position);
    bench_free(arrays->velocity);
}

static inline uint64_t plain_check(const plain_arrays *arrays)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < arrays->n; i++) {
        sum += check_pair(i, &arrays->position[i], &arrays->velocity[i]);
    }
    return sum;
}

// Growing by doubling, from nothing.
typedef struct plain_growing {
    Position *position;
    Velocity *velocity;
    uint32_t count;
    uint32_t capacity;
} plain_growing;

static inline uint32_t plain_next_capacity(uint32_t capacity)
{
    return capacity > 0 ? capacity * 2 : 64;
}

static inline uint32_t plain_push(plain_growing *arrays, Position position, Velocity velocity)
{
    if (arrays->count == arrays->capacity) {
        uint32_t capacity = plain_next_capacity(arrays->capacity);
        arrays->position = bench_resize(arrays->position, capacity * sizeof(Position));
        arrays->velocity = bench_resize(arrays->velocity, capacity * sizeof(Velocity));
        arrays->capacity = capacity;
    }
    uint32_t row = arrays->count++;
    arrays->position[row] = position;
    arrays->velocity[row] = velocity;
    return row;
}

static inline void plain_drop(plain_growing *arrays)
{
    bench_drop(arrays->position);
    bench_drop(arrays->velocity);
}

#endif
