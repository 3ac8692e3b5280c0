// Bytes per entity with Position and Velocity, 16 bytes of values.
//
//   mem2           asked of the allocator
//   mem2_resident  by how much the process grew in memory
#include <mica/debug.h>

#include "floor.h"
#include "harness.h"
#include "pairs.h"
#include "plain.h"
#include "scenarios.h"

static double grown_since(size_t before)
{
    size_t now = bench_resident_size();
    return before > 0 ? (double)now - (double)before : -1;
}

// mica. Never ended in between, so entity i is in row i.

typedef struct mica_state {
    pair_world pairs;
    uint32_t n;
    size_t resident_before;
} mica_state;

static void *mem2_mica_setup(const bench_case *what)
{
    pair_world pairs;
    if (!pairs_begin(&pairs, what->policy)) {
        return NULL;
    }
    mica_state *s = bench_alloc_touched(sizeof *s);
    *s = (mica_state){.pairs = pairs, .n = what->n, .resident_before = bench_resident_size()};
    return s;
}

static void mem2_mica_run(void *state)
{
    const mica_state *s = state;
    pairs_spawn_all(&s->pairs, NULL, s->n);
}

static double mem2_mica_asked(void *state)
{
    const mica_state *s = state;
    return (double)mica_world_get_stats(s->pairs.world).memory.bytes;
}

static double mem2_mica_resident(void *state)
{
    const mica_state *s = state;
    return grown_since(s->resident_before);
}

static uint64_t mem2_mica_check(void *state)
{
    mica_state *s = state;
    return pairs_check_rows(&s->pairs);
}

static void mem2_mica_teardown(void *state)
{
    mica_state *s = state;
    pairs_end(&s->pairs);
    bench_free(s);
}

// limit

typedef struct plain_state {
    plain_growing arrays;
    uint32_t n;
    size_t resident_before;
} plain_state;

static void *mem2_limit_setup(const bench_case *what)
{
    plain_state *s = bench_alloc_touched(sizeof *s);
    *s = (plain_state){.n = what->n, .resident_before = bench_resident_size()};
    return s;
}

static void mem2_limit_run(void *state)
{
    plain_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        plain_push(&s->arrays, position_of(i), velocity_of(i));
    }
}

static double mem2_limit_asked(void *state)
{
    const plain_state *s = state;
    return (double)(s->arrays.capacity * (sizeof(Position) + sizeof(Velocity)));
}

static double mem2_limit_resident(void *state)
{
    const plain_state *s = state;
    return grown_since(s->resident_before);
}

static uint64_t mem2_limit_check(void *state)
{
    const plain_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_pair(i, &s->arrays.position[i], &s->arrays.velocity[i]);
    }
    return sum;
}

static void mem2_limit_teardown(void *state)
{
    plain_state *s = state;
    plain_drop(&s->arrays);
    bench_free(s);
}

// floor. Never ended in between, so entity i is in row i.

typedef struct floor_state {
    floor_world world;
    uint32_t n;
    size_t resident_before;
} floor_state;

static void *mem2_floor_setup(const bench_case *what)
{
    floor_state *s = bench_alloc_touched(sizeof *s);
    floor_begin(&s->world);
    s->n = what->n;
    s->resident_before = bench_resident_size();
    return s;
}

static void mem2_floor_run(void *state)
{
    floor_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        floor_spawn(&s->world, position_of(i), velocity_of(i));
    }
}

static double mem2_floor_asked(void *state)
{
    const floor_state *s = state;
    return (double)floor_size(&s->world);
}

static double mem2_floor_resident(void *state)
{
    const floor_state *s = state;
    return grown_since(s->resident_before);
}

static uint64_t mem2_floor_check(void *state)
{
    const floor_state *s = state;
    const floor_table *t = &s->world.tables[FLOOR_PAIR];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_pair(i, &t->position[i], &t->velocity[i]);
    }
    return sum;
}

static void mem2_floor_teardown(void *state)
{
    floor_state *s = state;
    floor_end(&s->world);
    bench_free(s);
}

static const bench_scenario scenarios[] = {
    {.name = "mem2",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_ALL,
     .text = "bytes asked of the allocator per entity with two components",
     .sizes = {65536, 1048576},
     .unit = BENCH_BYTES,
     .fresh = true,
     .sides = {[BENCH_MICA] = {.setup = mem2_mica_setup,
                               .run = mem2_mica_run,
                               .value = mem2_mica_asked,
                               .check = mem2_mica_check,
                               .teardown = mem2_mica_teardown},
               [BENCH_LIMIT] = {.setup = mem2_limit_setup,
                                .run = mem2_limit_run,
                                .value = mem2_limit_asked,
                                .check = mem2_limit_check,
                                .teardown = mem2_limit_teardown},
               [BENCH_FLOOR] = {.setup = mem2_floor_setup,
                                .run = mem2_floor_run,
                                .value = mem2_floor_asked,
                                .check = mem2_floor_check,
                                .teardown = mem2_floor_teardown}}},
    {.name = "mem2_resident",
     .text = "growth of resident memory per entity with two components",
     .sizes = {65536, 1048576},
     .unit = BENCH_BYTES,
     .fresh = true,
     .sides = {[BENCH_MICA] = {.setup = mem2_mica_setup,
                               .run = mem2_mica_run,
                               .value = mem2_mica_resident,
                               .check = mem2_mica_check,
                               .teardown = mem2_mica_teardown},
               [BENCH_LIMIT] = {.setup = mem2_limit_setup,
                                .run = mem2_limit_run,
                                .value = mem2_limit_resident,
                                .check = mem2_limit_check,
                                .teardown = mem2_limit_teardown},
               [BENCH_FLOOR] = {.setup = mem2_floor_setup,
                                .run = mem2_floor_run,
                                .value = mem2_floor_resident,
                                .check = mem2_floor_check,
                                .teardown = mem2_floor_teardown}}},
};

const bench_family bench_memory = {scenarios, sizeof scenarios / sizeof scenarios[0]};
