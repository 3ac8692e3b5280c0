// Several components of one entity, through its handle, shuffled; and one of many types.
//
//   get2           Position moved by Velocity
//   get3_optional  the same, and pushed by Data, which every third entity has
//   get_200th      Position as in get1_rand, but the 200th type of its world
//   ..._accessor   through prepared accessors
//
// The limit indexes arrays.
#include <mica/accessor.h>
#include <mica/debug.h>

#include <stdio.h>

#include "harness.h"
#include "pairs.h"
#include "plain.h"
#include "scenarios.h"

enum { MANY_TYPES = 199 };

static bool has_data(uint32_t i)
{
    return i % 3 == 0;
}

static void push(Position *position, const Data *data)
{
    position->x += (float)data->flag;
}

// mica

typedef struct mica_state {
    pair_world pairs;
    mica_accessor positions, velocities, data;
    mica_entity *made;    // handles as they were made
    mica_entity *visited; // the same, in the order they are visited
    uint32_t n;
} mica_state;

static mica_state *begin(pair_world pairs, uint32_t n)
{
    mica_state *s = bench_alloc(sizeof *s);
    *s = (mica_state){.pairs = pairs,
                      .positions = mica_accessor_new(pairs.world, pairs.position),
                      .velocities = mica_accessor_new(pairs.world, pairs.velocity),
                      .data = mica_accessor_new(pairs.world, pairs.data),
                      .made = bench_alloc(n * sizeof(mica_entity)),
                      .visited = bench_alloc(n * sizeof(mica_entity)),
                      .n = n};
    pairs_spawn_all(&s->pairs, s->made, n);
    uint32_t *order = bench_alloc(n * sizeof *order);
    shuffle(order, n);
    for (uint32_t i = 0; i < n; i++) {
        s->visited[i] = s->made[order[i]];
    }
    bench_free(order);
    return s;
}

static void *mica_setup(const bench_case *what)
{
    pair_world pairs;
    return pairs_begin(&pairs, what->policy) ? begin(pairs, what->n) : NULL;
}

static void *optional_setup(const bench_case *what)
{
    mica_state *s = mica_setup(what);
    for (uint32_t i = 0; s != NULL && i < what->n; i++) {
        const Data data = data_of(i);
        if (has_data(i)) {
            mica_set(s->pairs.world, s->made[i], MICA_COPY_OF(s->pairs.data, data));
        }
    }
    return s;
}

// A second pair of types, after many others, takes the place of the first.
static void *many_types_setup(const bench_case *what)
{
    pair_world pairs;
    if (!pairs_begin(&pairs, what->policy)) {
        return NULL;
    }
    for (uint32_t i = mica_world_get_stats(pairs.world).types; i < MANY_TYPES; i++) {
        char name[16];
        snprintf(name, sizeof name, "Type%u", (unsigned)i);
        mica_type_register(pairs.world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
    }
    mica_type_desc position = MICA_DESCRIBE(Position, x, y);
    mica_type_desc velocity = MICA_DESCRIBE(Velocity, x, y);
    position.name = "Position200";
    velocity.name = "Velocity201";
    position.storage = velocity.storage = pairs_storage(what->policy);
    pairs.position = mica_type_register(pairs.world, &position);
    pairs.velocity = mica_type_register(pairs.world, &velocity);
    pairs.bundle = mica_bundle_new(pairs.world, (mica_type[]){pairs.position, pairs.velocity}, 2);
    return begin(pairs, what->n);
}

static void get2_run(void *state)
{
    const mica_state *s = state;
    mica_world *world = s->pairs.world;
    mica_type position_type = s->pairs.position;
    mica_type velocity_type = s->pairs.velocity;
    for (uint32_t i = 0; i < s->n; i++) {
        Position *position = mica_get_mut(world, s->visited[i], position_type);
        const Velocity *velocity = mica_get(world, s->visited[i], velocity_type);
        if (position != NULL && velocity != NULL) {
            kernel_move(position, velocity, BENCH_DT);
        }
    }
}

static void get2_accessor_run(void *state)
{
    const mica_state *s = state;
    const mica_accessor positions = s->positions;
    const mica_accessor velocities = s->velocities;
    for (uint32_t i = 0; i < s->n; i++) {
        Position *position = MICA_ACCESSOR_GET_MUT(&positions, s->visited[i], Position);
        const Velocity *velocity = MICA_ACCESSOR_GET(&velocities, s->visited[i], Velocity);
        if (position != NULL && velocity != NULL) {
            kernel_move(position, velocity, BENCH_DT);
        }
    }
}

static void get3_run(void *state)
{
    const mica_state *s = state;
    const pair_world pairs = s->pairs;
    for (uint32_t i = 0; i < s->n; i++) {
        Position *position = mica_get_mut(pairs.world, s->visited[i], pairs.position);
        const Velocity *velocity = mica_get(pairs.world, s->visited[i], pairs.velocity);
        const Data *data = mica_get(pairs.world, s->visited[i], pairs.data);
        if (position != NULL && velocity != NULL) {
            kernel_move(position, velocity, BENCH_DT);
            if (data != NULL) {
                push(position, data);
            }
        }
    }
}

static void get3_accessor_run(void *state)
{
    const mica_state *s = state;
    const mica_accessor positions = s->positions;
    const mica_accessor velocities = s->velocities;
    const mica_accessor some_data = s->data;
    for (uint32_t i = 0; i < s->n; i++) {
        Position *position = MICA_ACCESSOR_GET_MUT(&positions, s->visited[i], Position);
        const Velocity *velocity = MICA_ACCESSOR_GET(&velocities, s->visited[i], Velocity);
        const Data *data = MICA_ACCESSOR_GET(&some_data, s->visited[i], Data);
        if (position != NULL && velocity != NULL) {
            kernel_move(position, velocity, BENCH_DT);
            if (data != NULL) {
                push(position, data);
            }
        }
    }
}

static void touch_run(void *state)
{
    const mica_state *s = state;
    mica_world *world = s->pairs.world;
    mica_type type = s->pairs.position;
    for (uint32_t i = 0; i < s->n; i++) {
        Position *position = mica_get_mut(world, s->visited[i], type);
        if (position != NULL) {
            kernel_touch(position);
        }
    }
}

static void touch_accessor_run(void *state)
{
    const mica_state *s = state;
    const mica_accessor positions = s->positions;
    for (uint32_t i = 0; i < s->n; i++) {
        Position *position = MICA_ACCESSOR_GET_MUT(&positions, s->visited[i], Position);
        if (position != NULL) {
            kernel_touch(position);
        }
    }
}

static uint64_t mica_check(void *state)
{
    mica_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += pairs_check(&s->pairs, i, s->made[i]);
    }
    return sum;
}

static void mica_teardown(void *state)
{
    mica_state *s = state;
    pairs_end(&s->pairs);
    bench_free(s->made);
    bench_free(s->visited);
    bench_free(s);
}

// limit

typedef struct plain_state {
    plain_arrays arrays;
    Data *data;
    uint8_t *has; // Data
    uint32_t *order;
} plain_state;

static void *limit_setup(const bench_case *what)
{
    uint32_t n = what->n;
    plain_state *s = bench_alloc(sizeof *s);
    *s = (plain_state){.arrays = plain_make(n),
                       .data = bench_alloc_touched(n * sizeof(Data)),
                       .has = bench_alloc(n),
                       .order = bench_alloc(n * sizeof(uint32_t))};
    for (uint32_t i = 0; i < n; i++) {
        s->data[i] = data_of(i);
        s->has[i] = has_data(i);
    }
    shuffle(s->order, n);
    return s;
}

static void get2_limit_run(void *state)
{
    const plain_state *s = state;
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        uint32_t at = s->order[i];
        kernel_move(&s->arrays.position[at], &s->arrays.velocity[at], BENCH_DT);
    }
}

static void get3_limit_run(void *state)
{
    const plain_state *s = state;
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        uint32_t at = s->order[i];
        kernel_move(&s->arrays.position[at], &s->arrays.velocity[at], BENCH_DT);
        if (s->has[at]) {
            push(&s->arrays.position[at], &s->data[at]);
        }
    }
}

static void touch_limit_run(void *state)
{
    const plain_state *s = state;
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        kernel_touch(&s->arrays.position[s->order[i]]);
    }
}

static uint64_t limit_check(void *state)
{
    const plain_state *s = state;
    return plain_check(&s->arrays);
}

static void limit_teardown(void *state)
{
    plain_state *s = state;
    plain_free(&s->arrays);
    bench_free(s->data);
    bench_free(s->has);
    bench_free(s->order);
    bench_free(s);
}

#define SIDES(start, work, plain)                                                                  \
    {                                                                                              \
        [BENCH_MICA] = {.setup = start,                                                            \
                        .run = work,                                                               \
                        .check = mica_check,                                                       \
                        .teardown = mica_teardown},                                                \
        [BENCH_LIMIT] = {                                                                          \
            .setup = limit_setup, .run = plain, .check = limit_check, .teardown = limit_teardown}, \
    }

static const bench_scenario scenarios[] = {
    {.name = "get2",
     .policies = BENCH_ALSO_SPARSE,
     .text = "two components through handles, shuffled",
     .sides = SIDES(mica_setup, get2_run, get2_limit_run)},
    {.name = "get2_accessor",
     .policies = BENCH_ALSO_SPARSE,
     .text = "the same through prepared accessors",
     .sides = SIDES(mica_setup, get2_accessor_run, get2_limit_run)},
    {.name = "get3_optional",
     .policies = BENCH_ALSO_SPARSE,
     .text = "three components through handles; every third entity has the last one",
     .sides = SIDES(optional_setup, get3_run, get3_limit_run)},
    {.name = "get3_optional_accessor",
     .policies = BENCH_ALSO_SPARSE,
     .text = "the same through prepared accessors",
     .sides = SIDES(optional_setup, get3_accessor_run, get3_limit_run)},
    {.name = "get_200th",
     .policies = BENCH_ALSO_SPARSE,
     .text = "a component of the 200th type through handles, shuffled",
     .sides = SIDES(many_types_setup, touch_run, touch_limit_run)},
    {.name = "get_200th_accessor",
     .policies = BENCH_ALSO_SPARSE,
     .text = "the same through a prepared accessor",
     .sides = SIDES(many_types_setup, touch_accessor_run, touch_limit_run)},
};

const bench_family bench_gets = {scenarios, sizeof scenarios / sizeof scenarios[0]};
