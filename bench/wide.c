// Rows of many components, and large ones; and worlds of many types.
//
//   wide_iter      two of 32 floats of an entity added, by a query
//   wide_addrem    a 33rd, added with a value and removed; the policy is that of the 33rd
//   wide_create    entities with all 32, one by one, after all were ended
//   big_iter       a component of 256 bytes, all of it written
//   big_addrem     Data added to such an entity and removed; the policy is that of Data
//   types_spawn    4,096 entities with two components after all were ended, n types being registered
//   types_despawn  and ended, one by one
//
// The limit: arrays, of which those that are added to have a byte that says what is there.
#include <mica/component.h>
#include <mica/query.h>
#include <mica/world.h>

#include <stdio.h>

#include "harness.h"
#include "host.h"
#include "pairs.h"
#include "scenarios.h"

enum { WIDE = 32, TYPED = 4096 };

typedef struct Big {
    float values[64];
} Big;

typedef struct wide_state {
    mica_world *world;
    mica_type wide[WIDE];
    mica_type big, data;
    mica_query query;
    mica_bundle bundle;
    mica_entity *entities;
    uint32_t n;
} wide_state;

static void end_state(void *state)
{
    wide_state *s = state;
    mica_world_free(s->world);
    bench_free(s->entities);
    bench_free(s);
}

static wide_state *begin(const bench_case *what, uint32_t n)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    mica_type_desc data = MICA_DESCRIBE(Data, number, real, flag, seed);
    data.storage = pairs_storage(what->policy);
    wide_state *s = bench_alloc(sizeof *s);
    *s = (wide_state){.world = world,
                      .data = mica_type_register(world, &data),
                      .entities = bench_alloc(n * sizeof(mica_entity)),
                      .n = n};
    return s;
}

static void step_one(float *restrict target, const float *restrict source, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        target[i] += source[i];
    }
}

static void step_big(Big *restrict big, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < 64; k++) {
            big[i].values[k] += 1.0f;
        }
    }
}

static uint64_t check_float(uint32_t i, float value)
{
    return mix(mix(bits_of_floats(value, 0)) + i);
}

// Wide rows

static void wide_spawn_all(void *state)
{
    wide_state *s = state;
    float value;
    const float zero = 0;
    mica_value values[WIDE];
    for (uint32_t k = 0; k < WIDE; k++) {
        bool set = k == 0 || k == WIDE - 1;
        values[k] = (mica_value){s->wide[k], set ? &value : &zero, sizeof value, 1, NULL};
    }
    for (uint32_t i = 0; i < s->n; i++) {
        value = (float)(int32_t)(i & 1023);
        s->entities[i] = mica_spawn_bundle(s->world, s->bundle, values, WIDE);
    }
}

static void *wide_empty_setup(const bench_case *what)
{
    wide_state *s = begin(what, what->n);
    if (s == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < WIDE; i++) {
        char name[16];
        snprintf(name, sizeof name, "Wide%u", (unsigned)i);
        s->wide[i] = mica_type_register(
            s->world,
            &(mica_type_desc){.name = name, .size = sizeof(float), .align = sizeof(float)});
    }
    s->bundle = mica_bundle_new(s->world, s->wide, WIDE);
    s->query = mica_query_new(
        s->world,
        &(mica_query_desc){.terms = {{s->wide[0], MICA_WRITE}, {s->wide[WIDE - 1], MICA_READ}}});
    return s;
}

static void *wide_setup(const bench_case *what)
{
    wide_state *s = wide_empty_setup(what);
    if (s != NULL) {
        wide_spawn_all(s);
    }
    return s;
}

static void wide_iter_run(void *state)
{
    const wide_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->query, &it);
    while (mica_iter_next(&it)) {
        step_one(mica_write(&it, 0), mica_read(&it, 1), it.count);
    }
}

static void addrem_run(void *state)
{
    const wide_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        Data data = data_of(i);
        mica_set_value(s->world, s->entities[i], s->data, &data, sizeof data);
        mica_remove(s->world, s->entities[i], s->data);
    }
}

static void end_all(void *state)
{
    const wide_state *s = state;
    mica_world_clear(s->world);
}

static uint64_t wide_check(void *state)
{
    const wide_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const float *value = MICA_GET(s->world, s->entities[i], s->wide[0], float);
        sum += value != NULL ? check_float(i, *value) : 0;
    }
    return sum;
}

// Big values

static void *big_setup(const bench_case *what)
{
    wide_state *s = begin(what, what->n);
    if (s == NULL) {
        return NULL;
    }
    s->big = mica_type_register(
        s->world, &(mica_type_desc){.name = "Big", .size = sizeof(Big), .align = _Alignof(Big)});
    s->query = mica_query_new(s->world, &(mica_query_desc){.terms = {{s->big, MICA_WRITE}}});
    for (uint32_t i = 0; i < s->n; i++) {
        const Big big = {.values = {(float)(int32_t)(i & 1023)}};
        s->entities[i] = mica_spawn(s->world, MICA_COPY_OF(s->big, big));
    }
    return s;
}

static void big_iter_run(void *state)
{
    const wide_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->query, &it);
    while (mica_iter_next(&it)) {
        step_big(mica_write(&it, 0), it.count);
    }
}

static uint64_t big_check(void *state)
{
    const wide_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const Big *big = MICA_GET(s->world, s->entities[i], s->big, Big);
        sum += big != NULL ? check_float(i, big->values[0]) + check_float(i, big->values[63]) : 0;
    }
    return sum;
}

// limit

typedef struct plain_state {
    float *columns[WIDE];
    Big *big;
    Data *data;
    uint8_t *has; // Data
    uint32_t n;
} plain_state;

static plain_state *plain_begin(uint32_t n)
{
    plain_state *s = bench_alloc(sizeof *s);
    *s =
        (plain_state){.data = bench_alloc_touched(n * sizeof(Data)), .has = bench_alloc(n), .n = n};
    memset(s->has, 0, n);
    return s;
}

static void plain_end(void *state)
{
    plain_state *s = state;
    for (uint32_t i = 0; i < WIDE; i++) {
        bench_free(s->columns[i]);
    }
    bench_free(s->big);
    bench_free(s->data);
    bench_free(s->has);
    bench_free(s);
}

static void plain_fill(void *state)
{
    plain_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        for (uint32_t k = 0; k < WIDE; k++) {
            bool set = k == 0 || k == WIDE - 1;
            s->columns[k][i] = set ? (float)(int32_t)(i & 1023) : 0.0f;
        }
        bench_barrier();
    }
}

static void *plain_wide_setup(const bench_case *what)
{
    plain_state *s = plain_begin(what->n);
    for (uint32_t k = 0; k < WIDE; k++) {
        s->columns[k] = bench_alloc(what->n * sizeof(float));
    }
    plain_fill(s);
    return s;
}

static void *plain_big_setup(const bench_case *what)
{
    plain_state *s = plain_begin(what->n);
    s->big = bench_alloc(what->n * sizeof(Big));
    for (uint32_t i = 0; i < s->n; i++) {
        s->big[i] = (Big){.values = {(float)(int32_t)(i & 1023)}};
    }
    return s;
}

static void plain_wide_iter_run(void *state)
{
    const plain_state *s = state;
    step_one(s->columns[0], s->columns[WIDE - 1], s->n);
}

static void plain_big_iter_run(void *state)
{
    const plain_state *s = state;
    step_big(s->big, s->n);
}

static void plain_addrem_run(void *state)
{
    const plain_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        s->data[i] = data_of(i);
        s->has[i] = 1;
        bench_barrier();
        s->has[i] = 0;
        bench_barrier();
    }
}

static void plain_end_all(void *state)
{
    (void)state;
}

static uint64_t plain_wide_check(void *state)
{
    const plain_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_float(i, s->columns[0][i]);
    }
    return sum;
}

static uint64_t plain_big_check(void *state)
{
    const plain_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_float(i, s->big[i].values[0]) + check_float(i, s->big[i].values[63]);
    }
    return sum;
}

// Many types: an entity has each of them, so that each has a table.

static void typed_spawn_all(void *state)
{
    wide_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        const Position position = position_of(i);
        const Velocity velocity = velocity_of(i);
        const mica_value values[] = {MICA_COPY_OF(s->wide[0], position),
                                     MICA_COPY_OF(s->wide[1], velocity)};
        s->entities[i] = mica_spawn_bundle(s->world, s->bundle, values, 2);
    }
}

static void typed_end_all(void *state)
{
    const wide_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        mica_despawn(s->world, s->entities[i]);
    }
}

static void *typed_setup(const bench_case *what)
{
    wide_state *s = begin(what, TYPED);
    if (s == NULL) {
        return NULL;
    }
    mica_type_desc position = MICA_DESCRIBE(Position, x, y);
    mica_type_desc velocity = MICA_DESCRIBE(Velocity, x, y);
    position.storage = velocity.storage = pairs_storage(what->policy);
    s->wide[0] = mica_type_register(s->world, &position);
    for (uint32_t i = mica_type_count(s->world) + 1; i < what->n; i++) {
        char name[16];
        snprintf(name, sizeof name, "Type%u", (unsigned)i);
        mica_type type = mica_type_register(
            s->world,
            &(mica_type_desc){.name = name, .size = 4, .align = 4, .storage = position.storage});
        mica_add(s->world, mica_spawn_values(s->world, NULL, 0), type);
    }
    s->wide[1] = mica_type_register(s->world, &velocity);
    s->bundle = mica_bundle_new(s->world, s->wide, 2);
    typed_spawn_all(s);
    return s;
}

// Begins with all of them, like any run that follows another.
static void *typed_empty_setup(const bench_case *what)
{
    wide_state *s = typed_setup(what);
    if (s != NULL) {
        typed_end_all(s);
    }
    return s;
}

static uint64_t typed_check(void *state)
{
    const wide_state *s = state;
    return mica_entity_count(s->world);
}

static uint32_t typed_items(uint32_t n)
{
    (void)n;
    return TYPED;
}

#define SIDES(start, get_ready, work, checked, plain_start, plain_ready, plain_work,               \
              plain_checked)                                                                       \
    {                                                                                              \
        [BENCH_MICA] = {.setup = start,                                                            \
                        .prepare = get_ready,                                                      \
                        .run = work,                                                               \
                        .check = checked,                                                          \
                        .teardown = end_state},                                                    \
        [BENCH_LIMIT] = {.setup = plain_start,                                                     \
                         .prepare = plain_ready,                                                   \
                         .run = plain_work,                                                        \
                         .check = plain_checked,                                                   \
                         .teardown = plain_end},                                                   \
    }
#define TYPES_SIDE(start, get_ready, work)                                                         \
    {                                                                                              \
        [BENCH_MICA] = {                                                                           \
            .setup = start,                                                                        \
            .prepare = get_ready,                                                                  \
            .run = work,                                                                           \
            .check = typed_check,                                                                  \
            .teardown = end_state                                                                  \
        }                                                                                          \
    }
#define TYPES_GROWTH                                                                               \
    {                                                                                              \
        4, 16, 64, 128, 256, 512, 1024                                                             \
    }

static const bench_scenario scenarios[] = {
    {.name = "wide_iter",
     .text = "a query of two of 32 components",
     .sizes = {1000, 65536},
     .sides = SIDES(wide_setup, NULL, wide_iter_run, wide_check, plain_wide_setup, NULL,
                    plain_wide_iter_run, plain_wide_check)},
    {.name = "wide_addrem",
     .text = "a 33rd component added to a row of 32 and removed, per pair",
     .policies = BENCH_ALSO_SPARSE,
     .sizes = {1000, 65536},
     .sides = SIDES(wide_setup, NULL, addrem_run, wide_check, plain_wide_setup, NULL,
                    plain_addrem_run, plain_wide_check)},
    {.name = "wide_create",
     .text = "spawn with 32 components, after all were despawned",
     .sizes = {1000, 65536},
     .sides = SIDES(wide_setup, end_all, wide_spawn_all, wide_check, plain_wide_setup,
                    plain_end_all, plain_fill, plain_wide_check)},
    {.name = "big_iter",
     .text = "a query of a component of 256 bytes",
     .sizes = {1000, 65536},
     .sides = SIDES(big_setup, NULL, big_iter_run, big_check, plain_big_setup, NULL,
                    plain_big_iter_run, plain_big_check)},
    {.name = "big_addrem",
     .text = "a component added beside one of 256 bytes and removed, per pair",
     .policies = BENCH_ALSO_SPARSE,
     .sizes = {1000, 65536},
     .sides = SIDES(big_setup, NULL, addrem_run, big_check, plain_big_setup, NULL, plain_addrem_run,
                    plain_big_check)},
    {.name = "types_spawn",
     .text = "spawn with two components, of n types that are registered",
     .policies = BENCH_ALSO_SPARSE,
     .sizes = {4, 1024},
     .growth = TYPES_GROWTH,
     .items = typed_items,
     .sides = TYPES_SIDE(typed_setup, typed_end_all, typed_spawn_all)},
    {.name = "types_despawn",
     .text = "despawn them",
     .policies = BENCH_ALSO_SPARSE,
     .sizes = {4, 1024},
     .growth = TYPES_GROWTH,
     .items = typed_items,
     .sides = TYPES_SIDE(typed_empty_setup, typed_spawn_all, typed_end_all)},
};

const bench_family bench_wide = {scenarios, sizeof scenarios / sizeof scenarios[0]};
