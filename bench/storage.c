// Fields of components, and changing how a component is kept.
//
//   field1_whole   one float of a component of eight, plus a half; the limit is an array of floats
//   field1_split   the same, split
//   change_split, change_sparse, change_ring
//                  a component of 32 bytes is kept in another way, and as before again
#include "harness.h"
#include "plain.h"
#include "scenarios.h"

#include <mica.h>

typedef struct Eight {
    float a, b, c, d, e, f, g, h;
} Eight;

typedef struct field_state {
    mica_world *world;
    mica_type eight;
    mica_query query;
    mica_storage storage; // that it is changed to
    mica_entity *entities;
    float *floats; // the limit's
    uint32_t n;
} field_state;

static field_state *make_state(uint32_t n, mica_storage storage)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    mica_type_desc desc = MICA_DESCRIBE(Eight, a, b, c, d, e, f, g, h);
    desc.storage = storage;
    field_state *s = bench_alloc(sizeof *s);
    *s = (field_state){.world = world,
                       .eight = mica_type_register(world, &desc),
                       .entities = bench_alloc(n * sizeof(mica_entity)),
                       .n = n};
    s->query = mica_query_new(world, &(mica_query_desc){.terms = {{s->eight, MICA_WRITE}}});
    for (uint32_t i = 0; i < n; i++) {
        s->entities[i] = mica_spawn(world, MICA_VALUE(s->eight, Eight, .c = (float)(i % 97)));
    }
    return s;
}

static void end_state(void *state)
{
    field_state *s = state;
    if (s->world) {
        mica_world_free(s->world);
    }
    bench_free(s->entities);
    bench_free(s->floats);
    bench_free(s);
}

static void *whole_setup(const bench_case *what)
{
    return make_state(what->n, MICA_TABLE);
}

static void *split_setup(const bench_case *what)
{
    return make_state(what->n, MICA_SPLIT);
}

static void step_floats(float *restrict values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] += 0.5f;
    }
}

static void field_run(void *state)
{
    const field_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->query, &it);
    while (mica_iter_next(&it)) {
        mica_write_fields c = MICA_WRITE_FIELD(&it, 0, Eight, c);
        if (c.stride == sizeof(float)) {
            step_floats(c.base, it.count);
            continue;
        }
        for (uint32_t i = 0; i < it.count; i++) {
            MICA_WRITE_IN(c, i, float) += 0.5f;
        }
    }
}

static uint64_t add_up(uint64_t sum, uint32_t i, float value)
{
    return sum + (uint64_t)((double)value * 2) * (i % 31 + 1);
}

static uint64_t field_check(void *state)
{
    const field_state *s = state;
    uint64_t sum = 0;
    Eight eight;
    for (uint32_t i = 0; i < s->n && MICA_LOAD(s->world, s->entities[i], s->eight, eight); i++) {
        sum = add_up(sum, i, eight.c);
    }
    return sum;
}

// The limit

static void *limit_setup(const bench_case *what)
{
    field_state *s = bench_alloc(sizeof *s);
    *s = (field_state){.floats = bench_alloc(what->n * sizeof(float)), .n = what->n};
    for (uint32_t i = 0; i < what->n; i++) {
        s->floats[i] = (float)(i % 97);
    }
    return s;
}

static void limit_run(void *state)
{
    field_state *s = state;
    step_floats(s->floats, s->n);
}

static uint64_t limit_check(void *state)
{
    const field_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum = add_up(sum, i, s->floats[i]);
    }
    return sum;
}

// Changing: two changes a run.

static void *to_split_setup(const bench_case *what)
{
    field_state *s = make_state(what->n, MICA_TABLE);
    if (s != NULL) {
        s->storage = MICA_SPLIT;
    }
    return s;
}

static void *to_sparse_setup(const bench_case *what)
{
    field_state *s = make_state(what->n, MICA_TABLE);
    if (s != NULL) {
        s->storage = MICA_SPARSE;
    }
    return s;
}

static void *to_ring_setup(const bench_case *what)
{
    field_state *s = make_state(what->n, MICA_TABLE);
    if (s != NULL) {
        s->storage = MICA_RING;
    }
    return s;
}

static void change_run(void *state)
{
    const field_state *s = state;
    mica_type_change_storage(s->world, s->eight, s->storage);
    mica_type_change_storage(s->world, s->eight, MICA_TABLE);
}

static uint32_t twice(uint32_t n)
{
    return 2 * n;
}

static const bench_scenario scenarios[] = {
    {.name = "field1_whole",
     .text = "one float of a component of eight, which lies whole",
     .sides = {{whole_setup, NULL, field_run, field_check, end_state, NULL},
               {limit_setup, NULL, limit_run, limit_check, end_state, NULL}}},
    {.name = "field1_split",
     .text = "one float of a component of eight, which is split",
     .sides = {{split_setup, NULL, field_run, field_check, end_state, NULL},
               {limit_setup, NULL, limit_run, limit_check, end_state, NULL}}},
    {.name = "change_split",
     .text = "32 bytes from tables to split and back, per value and change",
     .items = twice,
     .sides = {{to_split_setup, NULL, change_run, field_check, end_state, NULL}}},
    {.name = "change_sparse",
     .text = "32 bytes from tables to a pool and back, per value and change",
     .items = twice,
     .sides = {{to_sparse_setup, NULL, change_run, field_check, end_state, NULL}}},
    {.name = "change_ring",
     .text = "32 bytes from tables to a ring and back, per value and change",
     .items = twice,
     .sides = {{to_ring_setup, NULL, change_run, field_check, end_state, NULL}}},
};

const bench_family bench_storage = {scenarios, sizeof scenarios / sizeof scenarios[0]};
