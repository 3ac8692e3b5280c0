// Groups of sparse components, and sorting.
//
//   group2        Position, Velocity, owned by a group: a step
//   group3        the same with a Drag, owned too
//   group_addrem  Velocity taken from each of them and given back, the group leaving and entering
//   sort          positions in random order, sorted by x
//
// Entities joined the pools in another order each, and as many others have Position alone.
#include "harness.h"
#include "plain.h"
#include "scenarios.h"

#include <mica.h>

typedef struct Drag {
    float x, y;
} Drag;

static Drag drag_of(uint32_t i)
{
    return (Drag){1.0f / (float)(1 + (i & 3)), 0.5f};
}

static void move_rows(Position *restrict position, const Velocity *restrict velocity,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kernel_move(&position[i], &velocity[i], BENCH_DT);
    }
}

static void drag_rows(Position *restrict position, const Velocity *restrict velocity,
                      const Drag *restrict drag, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        position[i].x += velocity[i].x * drag[i].x;
        position[i].y += velocity[i].y * drag[i].y;
    }
}

// mica

typedef struct group_state {
    mica_world *world;
    mica_type position, velocity, drag;
    mica_query query;
    mica_entity *entities;
    uint32_t *order;
    uint32_t n;
} group_state;

static group_state *make_state(uint32_t n)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    group_state *s = bench_alloc(sizeof *s);
    *s = (group_state){.world = world,
                       .position = MICA_REGISTER_SPARSE(world, Position, x, y),
                       .velocity = MICA_REGISTER_SPARSE(world, Velocity, x, y),
                       .drag = MICA_REGISTER_SPARSE(world, Drag, x, y),
                       .entities = bench_alloc(n * sizeof(mica_entity)),
                       .order = bench_alloc(n * sizeof(uint32_t)),
                       .n = n};
    shuffle(s->order, n);
    for (uint32_t i = 0; i < n; i++) {
        Position position = position_of(i);
        s->entities[i] = mica_spawn_values(world, NULL, 0);
        mica_spawn(world, MICA_ADD(s->position));
        mica_set(world, s->entities[i], MICA_COPY_OF(s->position, position));
    }
    return s;
}

static void give_velocities(group_state *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        Velocity velocity = velocity_of(s->order[i]);
        mica_set(s->world, s->entities[s->order[i]], MICA_COPY_OF(s->velocity, velocity));
    }
}

static void *group2_mica_setup(const bench_case *what)
{
    group_state *s = make_state(what->n);
    if (s != NULL) {
        mica_group_new(s->world, &(mica_group_desc){.owned = {s->position, s->velocity}});
        give_velocities(s);
        s->query = mica_query_new(
            s->world,
            &(mica_query_desc){.terms = {{s->position, MICA_WRITE}, {s->velocity, MICA_READ}}});
    }
    return s;
}

static void *group3_mica_setup(const bench_case *what)
{
    group_state *s = make_state(what->n);
    if (s != NULL) {
        mica_group_new(s->world, &(mica_group_desc){.owned = {s->position, s->velocity, s->drag}});
        give_velocities(s);
        for (uint32_t i = s->n; i-- > 0;) {
            Drag drag = drag_of(i);
            mica_set(s->world, s->entities[i], MICA_COPY_OF(s->drag, drag));
        }
        s->query = mica_query_new(s->world, &(mica_query_desc){.terms = {{s->position, MICA_WRITE},
                                                                         {s->velocity, MICA_READ},
                                                                         {s->drag, MICA_READ}}});
    }
    return s;
}

static void group2_mica_run(void *state)
{
    const group_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->query, &it);
    while (mica_iter_next(&it)) {
        move_rows(mica_write(&it, 0), mica_read(&it, 1), it.count);
    }
}

static void group3_mica_run(void *state)
{
    const group_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->query, &it);
    while (mica_iter_next(&it)) {
        drag_rows(mica_write(&it, 0), mica_read(&it, 1), mica_read(&it, 2), it.count);
    }
}

static void group_addrem_mica_run(void *state)
{
    const group_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        Velocity velocity = velocity_of(i);
        mica_remove(s->world, s->entities[i], s->velocity);
        mica_set(s->world, s->entities[i], MICA_COPY_OF(s->velocity, velocity));
    }
}

static uint64_t group_mica_check(void *state)
{
    const group_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_position(i, mica_get(s->world, s->entities[i], s->position));
    }
    return sum;
}

static void group_mica_teardown(void *state)
{
    group_state *s = state;
    mica_world_free(s->world);
    bench_free(s->entities);
    bench_free(s->order);
    bench_free(s);
}

// limit

typedef struct plain_state {
    plain_arrays arrays;
    Drag *drag;
    Position *spare;
    uint32_t *order;
} plain_state;

static void *group_limit_setup(const bench_case *what)
{
    plain_state *s = bench_alloc(sizeof *s);
    *s = (plain_state){.arrays = plain_make(what->n),
                       .drag = bench_alloc_touched(what->n * sizeof(Drag)),
                       .spare = bench_alloc_touched(what->n * sizeof(Position)),
                       .order = bench_alloc(what->n * sizeof(uint32_t))};
    for (uint32_t i = 0; i < what->n; i++) {
        s->drag[i] = drag_of(i);
    }
    shuffle(s->order, what->n);
    return s;
}

static void group2_limit_run(void *state)
{
    const plain_state *s = state;
    move_rows(s->arrays.position, s->arrays.velocity, s->arrays.n);
}

static void group3_limit_run(void *state)
{
    const plain_state *s = state;
    drag_rows(s->arrays.position, s->arrays.velocity, s->drag, s->arrays.n);
}

static uint64_t group_limit_check(void *state)
{
    const plain_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        sum += check_position(i, &s->arrays.position[i]);
    }
    return sum;
}

static void group_limit_teardown(void *state)
{
    plain_state *s = state;
    plain_free(&s->arrays);
    bench_free(s->drag);
    bench_free(s->spare);
    bench_free(s->order);
    bench_free(s);
}

// sort: each x is there once.

static int by_x(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    const Position *x = a->value;
    const Position *y = b->value;
    return (x->x > y->x) - (x->x < y->x);
}

static int by_y(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    const Position *x = a->value;
    const Position *y = b->value;
    return (x->y > y->y) - (x->y < y->y);
}

static void *sort_mica_setup(const bench_case *what)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    group_state *s = bench_alloc(sizeof *s);
    *s = (group_state){.world = world,
                       .position = MICA_REGISTER_SPARSE(world, Position, x, y),
                       .entities = bench_alloc(what->n * sizeof(mica_entity)),
                       .order = bench_alloc(what->n * sizeof(uint32_t)),
                       .n = what->n};
    shuffle(s->order, what->n);
    for (uint32_t i = 0; i < what->n; i++) {
        s->entities[i] =
            mica_spawn(world, MICA_VALUE(s->position, Position, (float)s->order[i], (float)i));
    }
    s->query = mica_query_new(world, &(mica_query_desc){.terms = {{s->position, MICA_READ}}});
    return s;
}

static void sort_mica_prepare(void *state)
{
    const group_state *s = state;
    mica_sort(s->world, s->position, by_y, NULL);
}

static void sort_mica_run(void *state)
{
    const group_state *s = state;
    mica_sort(s->world, s->position, by_x, NULL);
}

static uint64_t sort_mica_check(void *state)
{
    const group_state *s = state;
    uint64_t sum = 0;
    uint32_t place = 0;
    mica_iter it;
    mica_iter_begin(s->world, s->query, &it);
    while (mica_iter_next(&it)) {
        const Position *position = mica_read(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            sum += check_position(place++, &position[i]);
        }
    }
    return sum;
}

static void sort_limit_prepare(void *state)
{
    plain_state *s = state;
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        s->arrays.position[i] = (Position){(float)s->order[i], (float)i};
    }
}

// A merge sort of the values themselves, with nothing that leads to them.
static void sort_limit_run(void *state)
{
    plain_state *s = state;
    uint32_t n = s->arrays.n;
    for (uint32_t length = 1; length < n; length *= 2) {
        const Position *from = s->arrays.position;
        Position *to = s->spare;
        for (uint32_t run = 0; run < n; run += 2 * length) {
            uint32_t middle = run + length < n ? run + length : n;
            uint32_t end = run + 2 * length < n ? run + 2 * length : n;
            uint32_t a = run;
            uint32_t b = middle;
            for (uint32_t i = run; i < end; i++) {
                bool first = b == end || (a < middle && from[a].x <= from[b].x);
                to[i] = first ? from[a++] : from[b++];
            }
        }
        s->spare = s->arrays.position;
        s->arrays.position = to;
    }
}

static const bench_scenario scenarios[] = {
    {.name = "group2",
     .text = "a query of two components that a group owns",
     .sparse_only = true,
     .sides = {[BENCH_MICA] = {.setup = group2_mica_setup,
                               .run = group2_mica_run,
                               .check = group_mica_check,
                               .teardown = group_mica_teardown},
               [BENCH_LIMIT] = {.setup = group_limit_setup,
                                .run = group2_limit_run,
                                .check = group_limit_check,
                                .teardown = group_limit_teardown}}},
    {.name = "group3",
     .text = "a query of three components that a group owns",
     .sparse_only = true,
     .sides = {[BENCH_MICA] = {.setup = group3_mica_setup,
                               .run = group3_mica_run,
                               .check = group_mica_check,
                               .teardown = group_mica_teardown},
               [BENCH_LIMIT] = {.setup = group_limit_setup,
                                .run = group3_limit_run,
                                .check = group_limit_check,
                                .teardown = group_limit_teardown}}},
    {.name = "group_addrem",
     .text = "a component removed and added, its owning group left and entered",
     .sparse_only = true,
     .sides = {[BENCH_MICA] = {.setup = group2_mica_setup,
                               .run = group_addrem_mica_run,
                               .check = group_mica_check,
                               .teardown = group_mica_teardown}}},
    {.name = "sort",
     .text = "a sparse component sorted by its values",
     .sparse_only = true,
     .sides = {[BENCH_MICA] = {.setup = sort_mica_setup,
                               .prepare = sort_mica_prepare,
                               .run = sort_mica_run,
                               .check = sort_mica_check,
                               .teardown = group_mica_teardown},
               [BENCH_LIMIT] = {.setup = group_limit_setup,
                                .prepare = sort_limit_prepare,
                                .run = sort_limit_run,
                                .check = group_limit_check,
                                .teardown = group_limit_teardown}}},
};

const bench_family bench_group = {scenarios, sizeof scenarios / sizeof scenarios[0]};
