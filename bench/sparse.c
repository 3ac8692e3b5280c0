// Sparse components where tables have no counterpart.
//
//   view2, view3   queries of two and three sparse components, each joined in another random order
//   view3_partly   the same, but the first two in one order
//   addrem9        per entity: add Data with a value, remove it again; eight more components in its row
//   despawn_N      entities with two sparse components end, N sparse types being registered
#include "harness.h"
#include "host.h"
#include "kernels.h"
#include "scenarios.h"

#include <mica.h>
#include <stdio.h>

typedef struct sparse_state {
    mica_world *world;
    mica_type position, velocity, sprite, data;
    mica_query query;
    mica_entity *entities;
    uint32_t n;
} sparse_state;

static sparse_state *make_state(uint32_t n)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    sparse_state *s = bench_alloc(sizeof *s);
    *s = (sparse_state){.world = world,
                        .position = MICA_REGISTER_SPARSE(world, Position, x, y),
                        .velocity = MICA_REGISTER_SPARSE(world, Velocity, x, y),
                        .sprite = MICA_REGISTER_SPARSE(world, Sprite, character),
                        .data = MICA_REGISTER_SPARSE(world, Data, number, real, flag, seed),
                        .entities = bench_alloc(n * sizeof(mica_entity)),
                        .n = n};
    return s;
}

static void end_state(void *state)
{
    sparse_state *s = state;
    mica_world_free(s->world);
    bench_free(s->entities);
    bench_free(s);
}

// Views

// Shuffled as often as it says: another order each time.
static void give_all(sparse_state *s, mica_type type, const void *value, uint32_t size,
                     uint32_t times)
{
    uint32_t *order = bench_alloc(s->n * sizeof *order);
    shuffle(order, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t at = i;
        for (uint32_t t = 0; t < times; t++) {
            at = order[at];
        }
        mica_set_value(s->world, s->entities[at], type, value, size);
    }
    bench_free(order);
}

// `agree`: the first two come in the same order.
static sparse_state *make_view(uint32_t n, bool three, bool agree)
{
    sparse_state *s = make_state(n);
    if (s == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        s->entities[i] = mica_spawn_values(s->world, NULL, 0);
    }
    const Position position = {1, 2};
    const Velocity velocity = {1, 1};
    const Sprite sprite = {.character = 7};
    give_all(s, s->position, &position, sizeof position, 1);
    give_all(s, s->velocity, &velocity, sizeof velocity, agree ? 1 : 2);
    give_all(s, s->sprite, &sprite, sizeof sprite, 3);
    s->query = mica_query_new(s->world, &(mica_query_desc){.terms = {{s->position, MICA_WRITE},
                                                                     {s->velocity, MICA_READ},
                                                                     {s->sprite, MICA_READ}}});
    if (!three) {
        s->query = mica_query_new(
            s->world,
            &(mica_query_desc){.terms = {{s->position, MICA_WRITE}, {s->velocity, MICA_READ}}});
    }
    return s;
}

static void *view2_setup(const bench_case *what)
{
    return make_view(what->n, false, false);
}

static void *view3_setup(const bench_case *what)
{
    return make_view(what->n, true, false);
}

static void *view3_partly_setup(const bench_case *what)
{
    return make_view(what->n, true, true);
}

static void view2_run(void *state)
{
    const sparse_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->query, &it);
    while (mica_iter_next(&it)) {
        Position *position = mica_write(&it, 0);
        const Velocity *velocity = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            kernel_move(&position[i], &velocity[i], BENCH_DT);
        }
    }
}

static void view3_run(void *state)
{
    const sparse_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->query, &it);
    while (mica_iter_next(&it)) {
        Position *position = mica_write(&it, 0);
        const Velocity *velocity = mica_read(&it, 1);
        const Sprite *sprite = mica_read(&it, 2);
        for (uint32_t i = 0; i < it.count; i++) {
            position[i].x += velocity[i].x * (float)sprite[i].character;
            position[i].y += velocity[i].y * (float)sprite[i].character;
        }
    }
}

static void view3_partly_run(void *state)
{
    view3_run(state);
}

// Wide rows

enum { WIDE = 8 };

static void *addrem9_setup(const bench_case *what)
{
    sparse_state *s = make_state(what->n);
    if (s == NULL) {
        return NULL;
    }
    mica_type wide[WIDE];
    for (uint32_t i = 0; i < WIDE; i++) {
        char name[16];
        snprintf(name, sizeof name, "Wide%u", (unsigned)i);
        wide[i] =
            mica_type_register(s->world, &(mica_type_desc){.name = name, .size = 16, .align = 8});
    }
    mica_bundle bundle = mica_bundle_new(s->world, wide, WIDE);
    mica_spawn_many(s->world, bundle, what->n, NULL, 0, s->entities);
    return s;
}

static void addrem9_run(void *state)
{
    const sparse_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        Data data = data_of(i);
        mica_set_value(s->world, s->entities[i], s->data, &data, sizeof data);
        mica_remove(s->world, s->entities[i], s->data);
    }
}

// Ends

static void *despawn_setup(uint32_t n, uint32_t types)
{
    sparse_state *s = make_state(n);
    for (uint32_t i = s ? mica_world_get_stats(s->world).types : types; i < types; i++) {
        char name[16];
        snprintf(name, sizeof name, "More%u", (unsigned)i);
        mica_add(
            s->world, mica_spawn_values(s->world, NULL, 0),
            mica_type_register(s->world, &(mica_type_desc){.name = name, .storage = MICA_SPARSE}));
    }
    return s;
}

static void *despawn_4_setup(const bench_case *what)
{
    return despawn_setup(what->n, 4);
}

static void *despawn_64_setup(const bench_case *what)
{
    return despawn_setup(what->n, 64);
}

static void *despawn_256_setup(const bench_case *what)
{
    return despawn_setup(what->n, 256);
}

static void despawn_prepare(void *state)
{
    sparse_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        const Position position = position_of(i);
        const Velocity velocity = velocity_of(i);
        s->entities[i] = mica_spawn(s->world, MICA_COPY_OF(s->position, position),
                                    MICA_COPY_OF(s->velocity, velocity));
    }
}

static void despawn_run(void *state)
{
    const sparse_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        mica_despawn(s->world, s->entities[i]);
    }
}

static uint64_t count_all(void *state)
{
    const sparse_state *s = state;
    return mica_entity_count(s->world);
}

#define SIDE(name)                                                                                 \
    {                                                                                              \
        [BENCH_MICA] = {                                                                           \
            .setup = name##_setup,                                                                 \
            .run = name##_run,                                                                     \
            .check = count_all,                                                                    \
            .teardown = end_state                                                                  \
        }                                                                                          \
    }
#define ENDS(name)                                                                                 \
    {                                                                                              \
        [BENCH_MICA] = {                                                                           \
            .setup = name##_setup,                                                                 \
            .prepare = despawn_prepare,                                                            \
            .run = despawn_run,                                                                    \
            .check = count_all,                                                                    \
            .teardown = end_state                                                                  \
        }                                                                                          \
    }

static const bench_scenario scenarios[] = {
    {.name = "view2",
     .policies = BENCH_ALSO_SPARSE,
     .sparse_only = true,
     .text = "a query of two sparse components, shuffled",
     .sides = SIDE(view2)},
    {.name = "view3",
     .policies = BENCH_ALSO_SPARSE,
     .sparse_only = true,
     .text = "a query of three sparse components, shuffled",
     .sides = SIDE(view3)},
    {.name = "view3_partly",
     .policies = BENCH_ALSO_SPARSE,
     .sparse_only = true,
     .text = "the same, two of them in one order",
     .sides = SIDE(view3_partly)},
    {.name = "addrem9",
     .policies = BENCH_ALSO_SPARSE,
     .sparse_only = true,
     .text = "add a sparse component to a row of eight and remove it, per pair",
     .sides = SIDE(addrem9)},
    {.name = "despawn_4",
     .policies = BENCH_ALSO_SPARSE,
     .sparse_only = true,
     .text = "two sparse components, 4 registered",
     .sides = ENDS(despawn_4)},
    {.name = "despawn_64",
     .policies = BENCH_ALSO_SPARSE,
     .sparse_only = true,
     .text = "the same, 64 registered",
     .sides = ENDS(despawn_64)},
    {.name = "despawn_256",
     .policies = BENCH_ALSO_SPARSE,
     .sparse_only = true,
     .text = "the same, 256 registered",
     .sides = ENDS(despawn_256)},
};

const bench_family bench_sparse = {scenarios, sizeof scenarios / sizeof scenarios[0]};
