// Entities without components: what a handle costs by itself.
//
//   entity_spawn       in a fresh world: new memory
//   entity_despawn     in the order they were spawned
//   entity_alive_seq   is it alive, in the order they were spawned
//   entity_alive_rand  the same, shuffled
//
// The limit is a byte per entity that says whether it is there; the floor, a generation and a list
// of free slots, 8 bytes per entity.
#include <mica/component.h>
#include <mica/world.h>

#include "floor.h"
#include "harness.h"
#include "plain.h"
#include "scenarios.h"

static uint32_t *visit_order(uint32_t n, bool shuffled)
{
    uint32_t *order = bench_alloc(n * sizeof *order);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    if (shuffled) {
        shuffle(order, n);
    }
    return order;
}

// What is left of the entities: a number for each that lives.
static uint64_t check_entity(uint32_t i, bool alive)
{
    return alive ? mix(i) : 0;
}

// mica

typedef struct mica_state {
    mica_world *world;
    mica_entity *made;    // handles as they were made
    mica_entity *visited; // the same, in the order they are visited
    uint32_t n;
    uint32_t found; // alive, by the last run
} mica_state;

static void *spawn_mica_setup(const bench_case *what)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    mica_state *s = bench_alloc_touched(sizeof *s);
    *s = (mica_state){.world = world,
                      .made = bench_alloc_touched(what->n * sizeof(mica_entity)),
                      .visited = bench_alloc(what->n * sizeof(mica_entity)),
                      .n = what->n};
    return s;
}

static void spawn_mica_run(void *state)
{
    mica_state *s = state;
    mica_world *world = s->world;
    mica_entity *made = s->made;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        made[i] = mica_spawn_values(world, NULL, 0);
    }
}

static void *living_mica_setup(const bench_case *what, bool shuffled)
{
    mica_state *s = spawn_mica_setup(what);
    if (s == NULL) {
        return NULL;
    }
    spawn_mica_run(s);
    uint32_t *order = visit_order(s->n, shuffled);
    for (uint32_t i = 0; i < s->n; i++) {
        s->visited[i] = s->made[order[i]];
    }
    bench_free(order);
    return s;
}

static void *seq_mica_setup(const bench_case *what)
{
    return living_mica_setup(what, false);
}

static void *rand_mica_setup(const bench_case *what)
{
    return living_mica_setup(what, true);
}

static void despawn_mica_run(void *state)
{
    mica_state *s = state;
    mica_world *world = s->world;
    const mica_entity *visited = s->visited;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        mica_despawn(world, visited[i]);
    }
}

static void alive_mica_run(void *state)
{
    mica_state *s = state;
    mica_world *world = s->world;
    const mica_entity *visited = s->visited;
    uint32_t n = s->n;
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        found += mica_alive(world, visited[i]);
    }
    s->found = found;
}

static uint64_t mica_check(void *state)
{
    const mica_state *s = state;
    uint64_t sum = s->found + mica_entity_count(s->world);
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_entity(i, mica_alive(s->world, s->made[i]));
    }
    return sum;
}

static void mica_teardown(void *state)
{
    mica_state *s = state;
    mica_world_free(s->world);
    bench_free(s->made);
    bench_free(s->visited);
    bench_free(s);
}

// limit. Names are numbers; there is room for n from the start.

typedef struct plain_state {
    uint8_t *alive;
    uint32_t *made;
    uint32_t *visited;
    uint32_t n;
    uint32_t count;
    uint32_t found;
} plain_state;

static void *spawn_limit_setup(const bench_case *what)
{
    plain_state *s = bench_alloc_touched(sizeof *s);
    *s = (plain_state){.alive = bench_alloc(what->n),
                       .made = bench_alloc_touched(what->n * sizeof(uint32_t)),
                       .visited = bench_alloc(what->n * sizeof(uint32_t)),
                       .n = what->n};
    return s;
}

static void spawn_limit_run(void *state)
{
    plain_state *s = state;
    uint8_t *restrict alive = s->alive;
    uint32_t *restrict made = s->made;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        alive[i] = 1;
        made[i] = i;
    }
    s->count = n;
}

static void *living_limit_setup(const bench_case *what, bool shuffled)
{
    plain_state *s = spawn_limit_setup(what);
    spawn_limit_run(s);
    bench_free(s->visited);
    s->visited = visit_order(s->n, shuffled);
    return s;
}

static void *seq_limit_setup(const bench_case *what)
{
    return living_limit_setup(what, false);
}

static void *rand_limit_setup(const bench_case *what)
{
    return living_limit_setup(what, true);
}

static void despawn_limit_run(void *state)
{
    plain_state *s = state;
    uint8_t *alive = s->alive;
    const uint32_t *visited = s->visited;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        alive[visited[i]] = 0;
    }
    s->count -= n;
}

static void alive_limit_run(void *state)
{
    plain_state *s = state;
    const uint8_t *alive = s->alive;
    const uint32_t *visited = s->visited;
    uint32_t n = s->n;
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        found += alive[visited[i]];
    }
    s->found = found;
}

static uint64_t limit_check(void *state)
{
    const plain_state *s = state;
    uint64_t sum = s->found + s->count;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_entity(i, s->alive[s->made[i]]);
    }
    return sum;
}

static void limit_teardown(void *state)
{
    plain_state *s = state;
    bench_free(s->alive);
    bench_free(s->made);
    bench_free(s->visited);
    bench_free(s);
}

// floor

typedef struct floor_state {
    floor_world world;
    uint64_t *made;
    uint64_t *visited;
    uint32_t n;
    uint32_t count;
    uint32_t found;
} floor_state;

static void *spawn_floor_setup(const bench_case *what)
{
    floor_state *s = bench_alloc_touched(sizeof *s);
    *s = (floor_state){.made = bench_alloc_touched(what->n * sizeof(uint64_t)),
                       .visited = bench_alloc(what->n * sizeof(uint64_t)),
                       .n = what->n};
    floor_begin(&s->world);
    return s;
}

static void spawn_floor_run(void *state)
{
    floor_state *s = state;
    uint64_t *made = s->made;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        made[i] = floor_handle(&s->world, floor_take_slot(&s->world));
    }
    s->count = n;
}

static void *living_floor_setup(const bench_case *what, bool shuffled)
{
    floor_state *s = spawn_floor_setup(what);
    spawn_floor_run(s);
    uint32_t *order = visit_order(s->n, shuffled);
    for (uint32_t i = 0; i < s->n; i++) {
        s->visited[i] = s->made[order[i]];
    }
    bench_free(order);
    return s;
}

static void *seq_floor_setup(const bench_case *what)
{
    return living_floor_setup(what, false);
}

static void *rand_floor_setup(const bench_case *what)
{
    return living_floor_setup(what, true);
}

static void despawn_floor_run(void *state)
{
    floor_state *s = state;
    const uint64_t *visited = s->visited;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        if (floor_alive(&s->world, visited[i])) {
            floor_free_slot(&s->world, (uint32_t)visited[i]);
            s->count--;
        }
    }
}

static void alive_floor_run(void *state)
{
    floor_state *s = state;
    const uint64_t *visited = s->visited;
    uint32_t n = s->n;
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        found += floor_alive(&s->world, visited[i]);
    }
    s->found = found;
}

static uint64_t floor_check(void *state)
{
    const floor_state *s = state;
    uint64_t sum = s->found + s->count;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_entity(i, floor_alive(&s->world, s->made[i]));
    }
    return sum;
}

static void floor_teardown(void *state)
{
    floor_state *s = state;
    floor_end(&s->world);
    bench_free(s->made);
    bench_free(s->visited);
    bench_free(s);
}

#define SIDES(setup_name, run_name)                                                                \
    {                                                                                              \
        [BENCH_MICA] = {.setup = setup_name##_mica_setup,                                          \
                        .run = run_name##_mica_run,                                                \
                        .check = mica_check,                                                       \
                        .teardown = mica_teardown},                                                \
        [BENCH_LIMIT] = {.setup = setup_name##_limit_setup,                                        \
                         .run = run_name##_limit_run,                                              \
                         .check = limit_check,                                                     \
                         .teardown = limit_teardown},                                              \
        [BENCH_FLOOR] = {.setup = setup_name##_floor_setup,                                        \
                         .run = run_name##_floor_run,                                              \
                         .check = floor_check,                                                     \
                         .teardown = floor_teardown},                                              \
    }

static const bench_scenario scenarios[] = {
    {.name = "entity_spawn",
     .text = "spawn empty entities in a fresh world",
     .fresh = true,
     .sides = SIDES(spawn, spawn)},
    {.name = "entity_despawn",
     .text = "despawn empty entities in the order they were spawned",
     .fresh = true,
     .sides = SIDES(seq, despawn)},
    {.name = "entity_alive_seq",
     .text = "is it alive, in the order they were spawned",
     .sides = SIDES(seq, alive)},
    {.name = "entity_alive_rand", .text = "the same, shuffled", .sides = SIDES(rand, alive)},
};

const bench_family bench_entity = {scenarios, sizeof scenarios / sizeof scenarios[0]};
