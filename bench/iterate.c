// Queries: the same work on every entity that matches.
//
//   iter1       Position: x and y plus one
//   iter2       Position, Velocity: a step
//   iter_mixed  the same, where entities differ: entity i has Velocity if i is even, Data if it is a
//               multiple of 3, Health of 4, Damage of 5; per match
//   frag26      26 kinds of entity, 20 of each, that have nothing in common but Data2, doubled
//
// Loops over rows are shared by the sides, so that only the way to the rows differs.
#include <mica/debug.h>

#include "harness.h"
#include "pairs.h"
#include "plain.h"
#include "scenarios.h"

enum { FRAG_KINDS = 26, FRAG_EACH = 20, FRAG_COUNT = FRAG_KINDS * FRAG_EACH };

static void step_rows(Position *restrict position, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kernel_one(&position[i]);
    }
}

static void move_rows(Position *restrict position, const Velocity *restrict velocity,
                      uint32_t count, float dt)
{
    for (uint32_t i = 0; i < count; i++) {
        kernel_move(&position[i], &velocity[i], dt);
    }
}

static void double_rows(Data2 *restrict data, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kernel_double(&data[i]);
    }
}

// iter1, iter2: mica

typedef struct mica_state {
    pair_world pairs;
    mica_query query;
    mica_entity *entities;
    uint32_t n;
} mica_state;

static mica_state *mica_make(const bench_case *what)
{
    uint32_t n = what->n;
    pair_world pairs;
    if (!pairs_begin(&pairs, what->policy)) {
        return NULL;
    }
    mica_state *s = bench_alloc(sizeof *s);
    *s = (mica_state){.pairs = pairs,
                      .query = pairs.movers,
                      .entities = bench_alloc(n * sizeof(mica_entity)),
                      .n = n};
    return s;
}

static void *iter2_mica_setup(const bench_case *what)
{
    mica_state *s = mica_make(what);
    if (s != NULL) {
        pairs_spawn_all(&s->pairs, s->entities, what->n);
        mica_world_compact(s->pairs.world);
    }
    return s;
}

static void *iter1_mica_setup(const bench_case *what)
{
    mica_state *s = iter2_mica_setup(what);
    if (s != NULL) {
        s->query = mica_query_new(s->pairs.world,
                                  &(mica_query_desc){.terms = {{s->pairs.position, MICA_WRITE}}});
    }
    return s;
}

// Of split components, each field is an array.

static void step_floats(float *restrict values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] += 1.0f;
    }
}

static void move_floats(float *restrict at, const float *restrict by, uint32_t count, float dt)
{
    for (uint32_t i = 0; i < count; i++) {
        at[i] += by[i] * dt;
    }
}

static void iter1_split_run(const mica_state *s)
{
    mica_iter it;
    mica_iter_begin(s->pairs.world, s->query, &it);
    while (mica_iter_next(&it)) {
        step_floats(MICA_WRITE_FIELD(&it, 0, Position, x).base, it.count);
        step_floats(MICA_WRITE_FIELD(&it, 0, Position, y).base, it.count);
    }
}

static void iter2_split_run(const mica_state *s)
{
    mica_iter it;
    mica_iter_begin(s->pairs.world, s->query, &it);
    while (mica_iter_next(&it)) {
        move_floats(MICA_WRITE_FIELD(&it, 0, Position, x).base,
                    MICA_READ_FIELD(&it, 1, Velocity, x).base, it.count, BENCH_DT);
        move_floats(MICA_WRITE_FIELD(&it, 0, Position, y).base,
                    MICA_READ_FIELD(&it, 1, Velocity, y).base, it.count, BENCH_DT);
    }
}

static void iter1_mica_run(void *state)
{
    const mica_state *s = state;
    if (s->pairs.split) {
        iter1_split_run(s);
        return;
    }
    mica_iter it;
    mica_iter_begin(s->pairs.world, s->query, &it);
    while (mica_iter_next(&it)) {
        step_rows(mica_write(&it, 0), it.count);
    }
}

static void iter2_mica_run(void *state)
{
    const mica_state *s = state;
    if (s->pairs.split) {
        iter2_split_run(s);
        return;
    }
    mica_iter it;
    mica_iter_begin(s->pairs.world, s->query, &it);
    while (mica_iter_next(&it)) {
        move_rows(mica_write(&it, 0), mica_read(&it, 1), it.count, BENCH_DT);
    }
}

static uint64_t iter_mica_check(void *state)
{
    mica_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += pairs_check(&s->pairs, i, s->entities[i]);
    }
    return sum;
}

static void iter_mica_teardown(void *state)
{
    mica_state *s = state;
    pairs_end(&s->pairs);
    bench_free(s->entities);
    bench_free(s);
}

// iter1, iter2: limit

static void *iter_limit_setup(const bench_case *what)
{
    plain_arrays *s = bench_alloc(sizeof *s);
    *s = plain_make(what->n);
    return s;
}

static void iter1_limit_run(void *state)
{
    const plain_arrays *s = state;
    step_rows(s->position, s->n);
}

static void iter2_limit_run(void *state)
{
    const plain_arrays *s = state;
    move_rows(s->position, s->velocity, s->n, BENCH_DT);
}

static uint64_t iter_limit_check(void *state)
{
    return plain_check(state);
}

static void iter_limit_teardown(void *state)
{
    plain_free(state);
    bench_free(state);
}

// iter_mixed: which entity has what.

enum { MIXED_VELOCITY = 1, MIXED_DATA = 2, MIXED_HEALTH = 4, MIXED_DAMAGE = 8, MIXED_COUNT = 16 };

static uint32_t mixed_parts(uint32_t i)
{
    return (i % 2 == 0 ? MIXED_VELOCITY : 0) | (i % 3 == 0 ? MIXED_DATA : 0) |
           (i % 4 == 0 ? MIXED_HEALTH : 0) | (i % 5 == 0 ? MIXED_DAMAGE : 0);
}

static uint32_t mixed_matches(uint32_t n)
{
    return n - n / 2;
}

// iter_mixed: mica

static void *mixed_mica_setup(const bench_case *what)
{
    mica_state *s = mica_make(what);
    if (s == NULL) {
        return NULL;
    }
    const pair_world *p = &s->pairs;
    for (uint32_t i = 0; i < what->n; i++) {
        uint32_t parts = mixed_parts(i);
        Position position = position_of(i);
        Velocity velocity = velocity_of(i);
        mica_value values[5];
        uint32_t count = 0;
        values[count++] = MICA_COPY_OF(p->position, position);
        if (parts & MIXED_VELOCITY) {
            values[count++] = MICA_COPY_OF(p->velocity, velocity);
        }
        if (parts & MIXED_DATA) {
            values[count++] = MICA_ADD(p->data);
        }
        if (parts & MIXED_HEALTH) {
            values[count++] = MICA_ADD(p->health);
        }
        if (parts & MIXED_DAMAGE) {
            values[count++] = MICA_ADD(p->damage);
        }
        s->entities[i] = mica_spawn_values(p->world, values, count);
    }
    mica_world_compact(p->world);
    return s;
}

static uint64_t mixed_mica_check(void *state)
{
    const mica_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        Position position;
        sum += MICA_LOAD(s->pairs.world, s->entities[i], s->pairs.position, position)
                   ? check_position(i, &position)
                   : 0;
    }
    return sum;
}

// iter_mixed: limit. One pair of arrays for each combination of components.

typedef struct mixed_state {
    plain_arrays tables[MIXED_COUNT]; // Position; Velocity too, used or not
    uint32_t *entities[MIXED_COUNT];
} mixed_state;

static void *mixed_limit_setup(const bench_case *what)
{
    mixed_state *s = bench_alloc(sizeof *s);
    uint32_t counts[MIXED_COUNT] = {0};
    for (uint32_t i = 0; i < what->n; i++) {
        counts[mixed_parts(i)]++;
    }
    for (uint32_t parts = 0; parts < MIXED_COUNT; parts++) {
        s->tables[parts] = plain_make(counts[parts]);
        s->tables[parts].n = 0;
        s->entities[parts] = bench_alloc(counts[parts] * sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < what->n; i++) {
        plain_arrays *table = &s->tables[mixed_parts(i)];
        uint32_t row = table->n++;
        table->position[row] = position_of(i);
        table->velocity[row] = velocity_of(i);
        s->entities[mixed_parts(i)][row] = i;
    }
    return s;
}

static void mixed_limit_run(void *state)
{
    const mixed_state *s = state;
    for (uint32_t parts = 0; parts < MIXED_COUNT; parts++) {
        if (parts & MIXED_VELOCITY) {
            const plain_arrays *table = &s->tables[parts];
            move_rows(table->position, table->velocity, table->n, BENCH_DT);
        }
    }
}

static uint64_t mixed_limit_check(void *state)
{
    const mixed_state *s = state;
    uint64_t sum = 0;
    for (uint32_t parts = 0; parts < MIXED_COUNT; parts++) {
        const plain_arrays *table = &s->tables[parts];
        for (uint32_t row = 0; row < table->n; row++) {
            sum += check_position(s->entities[parts][row], &table->position[row]);
        }
    }
    return sum;
}

static void mixed_limit_teardown(void *state)
{
    mixed_state *s = state;
    for (uint32_t parts = 0; parts < MIXED_COUNT; parts++) {
        plain_free(&s->tables[parts]);
        bench_free(s->entities[parts]);
    }
    bench_free(s);
}

// frag26: what entities start with. Doubled often enough, values become infinite; that takes no
// longer.

static Data2 frag_value(uint32_t i)
{
    return (Data2){(float)(int32_t)i};
}

static uint64_t frag_check_value(uint32_t i, const Data2 *data)
{
    return mix(mix(bits_of_floats(data->value, 0)) + i);
}

// frag26: mica

typedef struct frag_state {
    mica_world *world;
    mica_type data2;
    mica_query query;
    mica_entity entities[FRAG_COUNT];
} frag_state;

static mica_type register_letter(mica_world *world, bench_policy policy, uint32_t kind)
{
    const char name[2] = {(char)('A' + kind), '\0'};
    const mica_field_info field = {.name = "value", .kind = MICA_KIND_F32};
    return pairs_register(world, policy,
                          (mica_type_desc){.name = name,
                                           .size = sizeof(float),
                                           .align = _Alignof(float),
                                           .fields = &field,
                                           .field_count = 1});
}

static void *frag_mica_setup(const bench_case *what)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    frag_state *s = bench_alloc(sizeof *s);
    *s = (frag_state){.world = world,
                      .data2 = pairs_register(world, what->policy, MICA_DESCRIBE(Data2, value))};
    s->query = mica_query_new(world, &(mica_query_desc){.terms = {{s->data2, MICA_WRITE}}});
    for (uint32_t i = 0; i < FRAG_COUNT; i++) {
        mica_type letter = register_letter(world, what->policy, i / FRAG_EACH);
        s->entities[i] = mica_spawn(world, MICA_VALUE(letter, float, 1.0f),
                                    MICA_VALUE(s->data2, Data2, frag_value(i).value));
    }
    return s;
}

static void frag_mica_run(void *state)
{
    const frag_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->query, &it);
    while (mica_iter_next(&it)) {
        double_rows(mica_write(&it, 0), it.count);
    }
}

static uint64_t frag_mica_check(void *state)
{
    const frag_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < FRAG_COUNT; i++) {
        const Data2 *data = MICA_GET(s->world, s->entities[i], s->data2, Data2);
        sum += data != NULL ? frag_check_value(i, data) : 0;
    }
    return sum;
}

static void frag_mica_teardown(void *state)
{
    frag_state *s = state;
    mica_world_free(s->world);
    bench_free(s);
}

// frag26: limit. One array.

static void *frag_limit_setup(const bench_case *what)
{
    (void)what;
    Data2 *data = bench_alloc(FRAG_COUNT * sizeof *data);
    for (uint32_t i = 0; i < FRAG_COUNT; i++) {
        data[i] = frag_value(i);
    }
    return data;
}

static void frag_limit_run(void *state)
{
    double_rows(state, FRAG_COUNT);
}

static uint64_t frag_limit_check(void *state)
{
    const Data2 *data = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < FRAG_COUNT; i++) {
        sum += frag_check_value(i, &data[i]);
    }
    return sum;
}

static const bench_scenario scenarios[] = {
    {.name = "iter1",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_ALL,
     .text = "a query of one component",
     .sides = {[BENCH_MICA] = {.setup = iter1_mica_setup,
                               .run = iter1_mica_run,
                               .check = iter_mica_check,
                               .teardown = iter_mica_teardown},
               [BENCH_LIMIT] = {.setup = iter_limit_setup,
                                .run = iter1_limit_run,
                                .check = iter_limit_check,
                                .teardown = iter_limit_teardown}}},
    {.name = "iter2",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_ALL,
     .text = "a query of two components",
     .sides = {[BENCH_MICA] = {.setup = iter2_mica_setup,
                               .run = iter2_mica_run,
                               .check = iter_mica_check,
                               .teardown = iter_mica_teardown},
               [BENCH_LIMIT] = {.setup = iter_limit_setup,
                                .run = iter2_limit_run,
                                .check = iter_limit_check,
                                .teardown = iter_limit_teardown}}},
    {.name = "iter_mixed",
     .policies = BENCH_ALSO_ALL,
     .text = "a query of two components over many tables, per match",
     .items = mixed_matches,
     .sides = {[BENCH_MICA] = {.setup = mixed_mica_setup,
                               .run = iter2_mica_run,
                               .check = mixed_mica_check,
                               .teardown = iter_mica_teardown},
               [BENCH_LIMIT] = {.setup = mixed_limit_setup,
                                .run = mixed_limit_run,
                                .check = mixed_limit_check,
                                .teardown = mixed_limit_teardown}}},
    {.name = "frag26",
     .policies = 1 << BENCH_SPARSE, // of a ring: sweep26; one component in common is no group
     .text = "a query over 26 kinds of entity, 20 of each",
     .sizes = {FRAG_COUNT},
     .fixed_size = true,
     .sides = {[BENCH_MICA] = {.setup = frag_mica_setup,
                               .run = frag_mica_run,
                               .check = frag_mica_check,
                               .teardown = frag_mica_teardown},
               [BENCH_LIMIT] = {.setup = frag_limit_setup,
                                .run = frag_limit_run,
                                .check = frag_limit_check,
                                .teardown = bench_free}}},
};

const bench_family bench_iterate = {scenarios, sizeof scenarios / sizeof scenarios[0]};
