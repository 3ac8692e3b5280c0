// Worlds of many tables: n archetypes, each a set of 14 types of one float that no other has, beside Data2,
// which all have; ten entities of each where nothing else is said.
//
//   tables_iter    Data2 of all doubled by a query, per entity; the limit is one array
//   tables_step    the same by a system, in a step, per table
//   tables_create  spawned one by one in a fresh world, per entity
//   tables_memory  bytes per entity asked of the allocator beyond what its values take
//   table_memory   bytes per table with one entity
//   query_new      a query of two terms made and freed while the tables are there, per query
//   table_new      the first entity of an archetype, with 100 queries, per table
#include <mica/debug.h>
#include <mica/query.h>
#include <mica/system.h>
#include <mica/world.h>

#include <stdio.h>

#include "harness.h"
#include "host.h"
#include "kernels.h"
#include "scenarios.h"

enum { LETTERS = 14, EACH = 10, MANY_QUERIES = 100, TABLES_MAX = (1 << LETTERS) - 1 };

typedef struct tables_state {
    mica_world *world;
    mica_type data2;
    mica_type letters[LETTERS];
    mica_query query;
    uint32_t tables;
    uint32_t each;        // entities of each
    uint64_t value_bytes; // of all that were spawned
    mica_entity *entities;
} tables_state;

static float first_value(uint32_t i)
{
    return (float)(int32_t)(i % 1000);
}

static mica_entity spawn(tables_state *s, uint32_t table, uint32_t number)
{
    mica_value values[LETTERS + 1];
    const Data2 data = {first_value(number)};
    uint32_t count = 0;
    values[count++] = MICA_COPY_OF(s->data2, data);
    for (uint32_t letter = 0; letter < LETTERS; letter++) {
        if ((table + 1) >> letter & 1) {
            values[count++] =
                (mica_value){s->letters[letter], &data.value, sizeof data.value, 1, NULL};
        }
    }
    s->value_bytes += count * sizeof(float);
    return mica_spawn_values(s->world, values, count);
}

static void spawn_all(void *state)
{
    tables_state *s = state;
    for (uint32_t table = 0; table < s->tables; table++) {
        for (uint32_t i = 0; i < s->each; i++) {
            uint32_t number = table * s->each + i;
            s->entities[number] = spawn(s, table, number);
        }
    }
}

static void end_state(void *state)
{
    tables_state *s = state;
    mica_world_free(s->world);
    bench_free(s->entities);
    bench_free(s);
}

// With no entity yet.
static tables_state *begin(const bench_case *what, uint32_t each)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL || what->n > TABLES_MAX) {
        return NULL;
    }
    tables_state *s = bench_alloc(sizeof *s);
    *s = (tables_state){.world = world,
                        .data2 = MICA_REGISTER(world, Data2, value),
                        .tables = what->n,
                        .each = each,
                        .entities = bench_alloc(what->n * each * sizeof(mica_entity))};
    for (uint32_t i = 0; i < LETTERS; i++) {
        const char name[2] = {(char)('A' + i), '\0'};
        s->letters[i] = mica_type_register(
            world, &(mica_type_desc){.name = name, .size = sizeof(float), .align = sizeof(float)});
    }
    s->query = mica_query_new(world, &(mica_query_desc){.terms = {{s->data2, MICA_WRITE}}});
    return s;
}

static void *empty_setup(const bench_case *what)
{
    return begin(what, EACH);
}

static void *full_setup(const bench_case *what)
{
    tables_state *s = begin(what, EACH);
    if (s != NULL) {
        spawn_all(s);
    }
    return s;
}

static void *one_each_setup(const bench_case *what)
{
    return begin(what, 1);
}

static uint64_t check_value(uint32_t i, float value)
{
    return mix(mix(bits_of_floats(value, 0)) + i);
}

static uint64_t check(void *state)
{
    const tables_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->tables * s->each; i++) {
        const Data2 *data = MICA_GET(s->world, s->entities[i], s->data2, Data2);
        sum += data != NULL ? check_value(i, data->value) : 0;
    }
    return sum;
}

// Iteration

static void double_rows(Data2 *restrict data, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kernel_double(&data[i]);
    }
}

static void iter_run(void *state)
{
    const tables_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->query, &it);
    while (mica_iter_next(&it)) {
        double_rows(mica_write(&it, 0), it.count);
    }
}

static void update(mica_iter *it)
{
    double_rows(mica_write(it, 0), it->count);
}

static void *step_setup(const bench_case *what)
{
    tables_state *s = full_setup(what);
    if (s != NULL) {
        mica_system_add(s->world, &(mica_system_desc){.name = "double",
                                                      .update = update,
                                                      .query.terms = {{s->data2, MICA_WRITE}}});
    }
    return s;
}

static void step_run(void *state)
{
    const tables_state *s = state;
    mica_step(s->world, 0.0);
}

typedef struct plain_state {
    Data2 *data;
    uint32_t n;
} plain_state;

static void *limit_setup(const bench_case *what)
{
    plain_state *s = bench_alloc(sizeof *s);
    *s = (plain_state){.data = bench_alloc_touched(what->n * EACH * sizeof(Data2)),
                       .n = what->n * EACH};
    for (uint32_t i = 0; i < s->n; i++) {
        s->data[i].value = first_value(i);
    }
    return s;
}

static void limit_run(void *state)
{
    const plain_state *s = state;
    double_rows(s->data, s->n);
}

static uint64_t limit_check(void *state)
{
    const plain_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_value(i, s->data[i].value);
    }
    return sum;
}

static void limit_teardown(void *state)
{
    plain_state *s = state;
    bench_free(s->data);
    bench_free(s);
}

// Memory

static double bytes_beyond_values(void *state)
{
    const tables_state *s = state;
    return (double)mica_world_get_stats(s->world).memory.bytes - (double)s->value_bytes;
}

static double bytes(void *state)
{
    const tables_state *s = state;
    return (double)mica_world_get_stats(s->world).memory.bytes;
}

// Queries

static void query_new_run(void *state)
{
    const tables_state *s = state;
    mica_query query = mica_query_new(
        s->world,
        &(mica_query_desc){.terms = {{s->data2, MICA_WRITE}, {s->letters[3], MICA_READ}}});
    mica_query_free(s->world, query);
}

static void *queries_setup(const bench_case *what)
{
    tables_state *s = begin(what, 1);
    for (uint32_t i = 1; s != NULL && i < MANY_QUERIES; i++) {
        mica_query_new(s->world,
                       &(mica_query_desc){.terms = {
                                              {s->letters[i % LETTERS], MICA_READ},
                                              {s->letters[(i / LETTERS + i + 1) % LETTERS],
                                               i & 1 ? MICA_READ : MICA_WITHOUT},
                                          }});
    }
    return s;
}

static uint32_t entities_of(uint32_t n)
{
    return n * EACH;
}

static uint32_t one(uint32_t n)
{
    (void)n;
    return 1;
}

#define GROWTH                                                                                     \
    {                                                                                              \
        1, 10, 100, 1000, 10000                                                                    \
    }

#define MICA_SIDE(start, work)                                                                     \
    [BENCH_MICA] = {.setup = start, .run = work, .check = check, .teardown = end_state}
#define MICA_VALUED(start, measured)                                                               \
    [BENCH_MICA] = {.setup = start,                                                                \
                    .run = spawn_all,                                                              \
                    .value = measured,                                                             \
                    .check = check,                                                                \
                    .teardown = end_state}

static const bench_scenario scenarios[] = {
    {.name = "tables_iter",
     .text = "a query over 10,000 tables of ten entities, per entity",
     .sizes = {10000},
     .growth = GROWTH,
     .items = entities_of,
     .sides = {MICA_SIDE(full_setup, iter_run), [BENCH_LIMIT] = {.setup = limit_setup,
                                                                 .run = limit_run,
                                                                 .check = limit_check,
                                                                 .teardown = limit_teardown}}},
    {.name = "tables_step",
     .text = "a step of one system over as many, per table",
     .sizes = {10000},
     .growth = GROWTH,
     .sides = {MICA_SIDE(step_setup, step_run)}},
    {.name = "tables_create",
     .text = "spawn ten entities of each of 10,000 sets of components, per entity",
     .sizes = {10000},
     .growth = GROWTH,
     .fresh = true,
     .items = entities_of,
     .sides = {MICA_SIDE(empty_setup, spawn_all)}},
    {.name = "tables_memory",
     .text = "bytes per entity of these beyond its values",
     .sizes = {10000},
     .growth = GROWTH,
     .unit = BENCH_BYTES,
     .fresh = true,
     .items = entities_of,
     .sides = {MICA_VALUED(empty_setup, bytes_beyond_values)}},
    {.name = "table_memory",
     .text = "bytes per table of one entity",
     .sizes = {10000},
     .growth = GROWTH,
     .unit = BENCH_BYTES,
     .fresh = true,
     .sides = {MICA_VALUED(one_each_setup, bytes)}},
    {.name = "query_new",
     .text = "a query made and freed among 10,000 tables, per query",
     .sizes = {10000},
     .growth = GROWTH,
     .items = one,
     .sides = {MICA_SIDE(full_setup, query_new_run)}},
    {.name = "table_new",
     .text = "the first entity of an archetype, with 100 queries, per table",
     .sizes = {1000, 10000},
     .growth = GROWTH,
     .fresh = true,
     .sides = {MICA_SIDE(queries_setup, spawn_all)}},
};

const bench_family bench_tables = {scenarios, sizeof scenarios / sizeof scenarios[0]};
