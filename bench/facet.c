// Facets: four to an owner, each with a position.
//
//   facet_add     in a world that has only their owners
//   facet_find    by owner and key, owners shuffled
//   facet_remove  one by one, in the order they were made
//
// The limit is four places for each owner, and a byte for each that says whether it is taken.
#include <mica/facet.h>
#include <mica/world.h>

#include "harness.h"
#include "kernels.h"
#include "plain.h"
#include "scenarios.h"

enum { ROLES = 4 };

// What is left: a number for each facet that is there.
static uint64_t check_facet(uint32_t i, bool there)
{
    return there ? mix(i) : 0;
}

static uint32_t *shuffle_owners(uint32_t count)
{
    uint32_t *order = bench_alloc_touched(count * sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    shuffle(order, count);
    return order;
}

// mica

typedef struct mica_state {
    mica_world *world;
    mica_type position;
    mica_entity *owners;
    mica_entity *facets;
    uint32_t *order;
    uint32_t count; // of owners
    uint32_t found; // by the last run
} mica_state;

static void *add_mica_setup(const bench_case *what)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    uint32_t count = what->n / ROLES;
    mica_state *s = bench_alloc_touched(sizeof *s);
    *s = (mica_state){.world = world,
                      .position = MICA_REGISTER(world, Position, x, y),
                      .owners = bench_alloc_touched(count * sizeof(mica_entity)),
                      .facets = bench_alloc_touched((size_t)count * ROLES * sizeof(mica_entity)),
                      .order = shuffle_owners(count),
                      .count = count};
    for (uint32_t i = 0; i < count; i++) {
        s->owners[i] = mica_spawn_values(world, NULL, 0);
    }
    return s;
}

static void add_mica_run(void *state)
{
    mica_state *s = state;
    for (uint32_t i = 0; i < s->count * ROLES; i++) {
        Position p = position_of(i);
        s->facets[i] = mica_facet_add(s->world, s->owners[i / ROLES], s->position, 1 + i % ROLES,
                                      MICA_COPY_OF(s->position, p));
    }
}

static void *mica_setup(const bench_case *what)
{
    mica_state *s = add_mica_setup(what);
    if (s != NULL) {
        add_mica_run(s);
    }
    return s;
}

static void find_mica_run(void *state)
{
    mica_state *s = state;
    uint32_t found = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        mica_entity owner = s->owners[s->order[i]];
        for (uint32_t role = 1; role <= ROLES; role++) {
            found += !MICA_IS_NONE(mica_facet_find(s->world, owner, s->position, role));
        }
    }
    s->found = found;
}

static void remove_mica_run(void *state)
{
    mica_state *s = state;
    for (uint32_t i = 0; i < s->count * ROLES; i++) {
        mica_despawn(s->world, s->facets[i]);
    }
}

static uint64_t mica_check(void *state)
{
    const mica_state *s = state;
    uint64_t sum = s->found;
    for (uint32_t i = 0; i < s->count * ROLES; i++) {
        mica_entity facet =
            mica_facet_find(s->world, s->owners[i / ROLES], s->position, 1 + i % ROLES);
        sum += check_facet(i, !MICA_IS_NONE(facet));
    }
    return sum;
}

static void mica_teardown(void *state)
{
    mica_state *s = state;
    mica_world_free(s->world);
    bench_free(s->owners);
    bench_free(s->facets);
    bench_free(s->order);
    bench_free(s);
}

// limit

typedef struct limit_state {
    Position *position;
    uint8_t *taken;
    uint32_t *order;
    uint32_t count; // of owners
    uint32_t found;
} limit_state;

static void *add_limit_setup(const bench_case *what)
{
    uint32_t count = what->n / ROLES;
    limit_state *s = bench_alloc_touched(sizeof *s);
    *s = (limit_state){.position = bench_alloc((size_t)count * ROLES * sizeof(Position)),
                       .taken = bench_alloc_touched((size_t)count * ROLES),
                       .order = shuffle_owners(count),
                       .count = count};
    for (uint32_t i = 0; i < count * ROLES; i++) {
        s->taken[i] = 0;
    }
    return s;
}

static void add_limit_run(void *state)
{
    limit_state *s = state;
    for (uint32_t i = 0; i < s->count * ROLES; i++) {
        s->position[i] = position_of(i);
        s->taken[i] = 1;
    }
}

static void *limit_setup(const bench_case *what)
{
    limit_state *s = add_limit_setup(what);
    add_limit_run(s);
    return s;
}

static void find_limit_run(void *state)
{
    limit_state *s = state;
    uint32_t found = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t role = 0; role < ROLES; role++) {
            found += s->taken[s->order[i] * ROLES + role];
        }
    }
    s->found = found;
}

static void remove_limit_run(void *state)
{
    limit_state *s = state;
    for (uint32_t i = 0; i < s->count * ROLES; i++) {
        s->taken[i] = 0;
    }
}

static uint64_t limit_check(void *state)
{
    const limit_state *s = state;
    uint64_t sum = s->found;
    for (uint32_t i = 0; i < s->count * ROLES; i++) {
        sum += check_facet(i, s->taken[i] != 0);
    }
    return sum;
}

static void limit_teardown(void *state)
{
    limit_state *s = state;
    bench_free(s->position);
    bench_free(s->taken);
    bench_free(s->order);
    bench_free(s);
}

#define SIDES(setup_name, run_name)                                                                \
    {                                                                                              \
        [BENCH_MICA] = {.setup = setup_name##mica_setup,                                           \
                        .run = run_name##_mica_run,                                                \
                        .check = mica_check,                                                       \
                        .teardown = mica_teardown},                                                \
        [BENCH_LIMIT] = {.setup = setup_name##limit_setup,                                         \
                         .run = run_name##_limit_run,                                              \
                         .check = limit_check,                                                     \
                         .teardown = limit_teardown},                                              \
    }

static const bench_scenario scenarios[] = {
    {.name = "facet_add",
     .text = "further rows of entities, four each, under keys",
     .fresh = true,
     .sides = SIDES(add_, add)},
    {.name = "facet_find", .text = "a row by its key, owners shuffled", .sides = SIDES(, find)},
    {.name = "facet_remove",
     .text = "one by one, in order",
     .fresh = true,
     .sides = SIDES(, remove)},
};

const bench_family bench_facet = {scenarios, sizeof scenarios / sizeof scenarios[0]};
