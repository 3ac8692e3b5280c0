// Components that are switched off and on.
//
//   toggle_on_off           disabled and enabled again, one entity after the other; per call
//   toggle_on_off_accessor  the same, through a prepared accessor
//   iter_on_<what>          Position, Velocity: a step of those whose Position is enabled, per entity
//                           that there is: 1, 10, 50, 90 % scattered, or in runs of 1,000 rows that
//                           begin with so many; 100: all, none having been disabled; 100b: all, some
//                           having been
//   iter_masks_<what>       the same by masks: everybody is met, and 64 at a time it is asked who is
//                           enabled
//
// The limit has a byte for each entity, and asks it.
#include <mica/toggle.h>
#include <mica/world.h>

#include "harness.h"
#include "kernels.h"
#include "pairs.h"
#include "plain.h"
#include "scenarios.h"

typedef struct pattern {
    uint32_t percent;
    bool runs;
    bool before; // some were disabled
} pattern;

typedef struct mica_state {
    mica_world *world;
    mica_type position, velocity;
    mica_query movers;
    mica_query everybody; // disabled or not
    mica_accessor positions;
    mica_entity *entities;
    uint32_t n;
    bool split; // values are reached by field, or as copies
} mica_state;

typedef struct plain_state {
    plain_arrays arrays;
    unsigned char *off;
} plain_state;

static bool is_on(const pattern *p, uint32_t i)
{
    uint32_t mixed = (i * UINT32_C(2654435761)) >> 16;
    return p->runs ? i % 1000 < p->percent * 10 : mixed % 100 < p->percent;
}

static mica_state *mica_make(const bench_case *what)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    mica_type_desc position = MICA_DESCRIBE(Position, x, y);
    mica_type_desc velocity = MICA_DESCRIBE(Velocity, x, y);
    position.toggle = true;
    position.storage = pairs_storage(what->policy);
    velocity.storage = position.storage;
    mica_state *s = bench_alloc(sizeof *s);
    *s = (mica_state){.world = world,
                      .position = mica_type_register(world, &position),
                      .velocity = mica_type_register(world, &velocity),
                      .entities = bench_alloc(what->n * sizeof(mica_entity)),
                      .n = what->n,
                      .split = what->policy == BENCH_SPLIT};
    s->movers = mica_query_new(
        world, &(mica_query_desc){.terms = {{s->position, MICA_WRITE}, {s->velocity, MICA_READ}}});
    s->everybody = mica_query_new(
        world, &(mica_query_desc){.terms = {{s->position, MICA_WRITE | MICA_INCLUDE_DISABLED},
                                            {s->velocity, MICA_READ}}});
    s->positions = mica_accessor_new(world, s->position);
    for (uint32_t i = 0; i < s->n; i++) {
        const Position p = position_of(i);
        const Velocity v = velocity_of(i);
        s->entities[i] =
            mica_spawn(world, MICA_COPY_OF(s->position, p), MICA_COPY_OF(s->velocity, v));
    }
    return s;
}

static void *mica_setup(const bench_case *what, const pattern *p)
{
    mica_state *s = mica_make(what);
    for (uint32_t i = 0; s != NULL && i < s->n; i++) {
        if (!is_on(p, i)) {
            mica_disable(s->world, s->entities[i], s->position);
        }
        if (p->before && i % 3 == 0) {
            mica_disable(s->world, s->entities[i], s->position);
            mica_enable(s->world, s->entities[i], s->position);
        }
    }
    return s;
}

// Of split components, each field is an array, unless scattered rows were brought together.
static void move_floats(float *restrict position, const float *restrict velocity, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        position[i] += velocity[i] * BENCH_DT;
    }
}

static void move_fields(mica_write_fields position, mica_read_fields velocity, uint32_t count)
{
    if (position.stride == sizeof(float) && velocity.stride == sizeof(float)) {
        move_floats(position.base, velocity.base, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        MICA_WRITE_IN(position, i, float) += MICA_READ_IN(velocity, i, float) * BENCH_DT;
    }
}

static void iter_split_run(const mica_state *s)
{
    mica_iter it;
    mica_iter_begin(s->world, s->movers, &it);
    while (mica_iter_next(&it)) {
        move_fields(MICA_WRITE_FIELD(&it, 0, Position, x), MICA_READ_FIELD(&it, 1, Velocity, x),
                    it.count);
        move_fields(MICA_WRITE_FIELD(&it, 0, Position, y), MICA_READ_FIELD(&it, 1, Velocity, y),
                    it.count);
    }
}

static void iter_mica_run(void *state)
{
    const mica_state *s = state;
    if (s->split) {
        iter_split_run(s);
        return;
    }
    mica_iter it;
    mica_iter_begin(s->world, s->movers, &it);
    while (mica_iter_next(&it)) {
        Position *position = mica_write(&it, 0);
        const Velocity *velocity = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            kernel_move(&position[i], &velocity[i], BENCH_DT);
        }
    }
}

static void masks_mica_run(void *state)
{
    const mica_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->everybody, &it);
    while (mica_iter_next(&it)) {
        Position *position = mica_write(&it, 0);
        const Velocity *velocity = mica_read(&it, 1);
        for (uint32_t row = 0; row < it.count; row += 64) {
            uint64_t enabled = mica_read_enabled(&it, 0, row);
            for (uint32_t i = row; enabled != 0; i++, enabled >>= 1) {
                if (enabled & 1) {
                    kernel_move(&position[i], &velocity[i], BENCH_DT);
                }
            }
        }
    }
}

static void toggle_mica_run(void *state)
{
    const mica_state *s = state;
    mica_world *world = s->world;
    mica_type type = s->position;
    const mica_entity *entities = s->entities;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        mica_disable(world, entities[i], type);
        mica_enable(world, entities[i], type);
    }
}

static void toggle_accessor_run(void *state)
{
    const mica_state *s = state;
    const mica_accessor positions = s->positions;
    const mica_entity *entities = s->entities;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        mica_accessor_disable(&positions, entities[i]);
        mica_accessor_enable(&positions, entities[i]);
    }
}

static uint64_t mica_check(void *state)
{
    const mica_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        Position p;
        Velocity v;
        sum += MICA_LOAD(s->world, s->entities[i], s->position, p) &&
                       MICA_LOAD(s->world, s->entities[i], s->velocity, v)
                   ? check_pair(i, &p, &v)
                   : 0;
        sum += mica_is_enabled(s->world, s->entities[i], s->position);
    }
    return sum;
}

static void mica_teardown(void *state)
{
    mica_state *s = state;
    mica_world_free(s->world);
    bench_free(s->entities);
    bench_free(s);
}

// limit

static void *plain_setup(const bench_case *what, const pattern *p)
{
    plain_state *s = bench_alloc(sizeof *s);
    *s = (plain_state){.arrays = plain_make(what->n), .off = bench_alloc(what->n)};
    for (uint32_t i = 0; i < what->n; i++) {
        s->off[i] = !is_on(p, i);
    }
    return s;
}

static void iter_plain_run(void *state)
{
    const plain_state *s = state;
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        if (!s->off[i]) {
            kernel_move(&s->arrays.position[i], &s->arrays.velocity[i], BENCH_DT);
        }
    }
}

static void toggle_plain_run(void *state)
{
    const plain_state *s = state;
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        s->off[i] = 1;
        bench_barrier();
        s->off[i] = 0;
        bench_barrier();
    }
}

static uint64_t plain_check_all(void *state)
{
    const plain_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        sum += check_pair(i, &s->arrays.position[i], &s->arrays.velocity[i]) + !s->off[i];
    }
    return sum;
}

static void plain_teardown(void *state)
{
    plain_state *s = state;
    plain_free(&s->arrays);
    bench_free(s->off);
    bench_free(s);
}

static uint32_t twice(uint32_t n)
{
    return 2 * n;
}

#define PATTERN(name, percent, runs, before)                                                       \
    static const pattern pattern_##name = {percent, runs, before};                                 \
    static void *setup_##name(const bench_case *what)                                              \
    {                                                                                              \
        return mica_setup(what, &pattern_##name);                                                  \
    }                                                                                              \
    static void *setup_plain_##name(const bench_case *what)                                        \
    {                                                                                              \
        return plain_setup(what, &pattern_##name);                                                 \
    }
PATTERN(100, 100, false, false)
PATTERN(100b, 100, false, true)
PATTERN(1, 1, false, false)
PATTERN(10, 10, false, false)
PATTERN(50, 50, false, false)
PATTERN(90, 90, false, false)
PATTERN(1_runs, 1, true, false)
PATTERN(10_runs, 10, true, false)
PATTERN(50_runs, 50, true, false)
PATTERN(90_runs, 90, true, false)

#define ITER(what, line)                                                                           \
    STEP_OF("iter_on_" #what, what, line, iter_mica_run, BENCH_ALSO_SPARSE | BENCH_ALSO_SPLIT)
#define MASKS(what, line)                                                                          \
    STEP_OF("iter_masks_" #what, what, line, masks_mica_run, BENCH_ALSO_SPARSE)
#define STEP_OF(title, what, line, work, kept)                                                     \
    {                                                                                              \
        .name = title, .text = line, .policies = kept, .sides = {                                  \
            [BENCH_MICA] = {.setup = setup_##what,                                                 \
                            .run = work,                                                           \
                            .check = mica_check,                                                   \
                            .teardown = mica_teardown},                                            \
            [BENCH_LIMIT] = {.setup = setup_plain_##what,                                          \
                             .run = iter_plain_run,                                                \
                             .check = plain_check_all,                                             \
                             .teardown = plain_teardown}                                           \
        }                                                                                          \
    }
#define TOGGLE(title, line, work)                                                                  \
    {                                                                                              \
        .name = title, .text = line, .policies = BENCH_ALSO_SPARSE | BENCH_ALSO_SPLIT,             \
        .items = twice, .sides = {                                                                 \
            [BENCH_MICA] = {.setup = setup_100,                                                    \
                            .run = work,                                                           \
                            .check = mica_check,                                                   \
                            .teardown = mica_teardown},                                            \
            [BENCH_LIMIT] = {.setup = setup_plain_100,                                             \
                             .run = toggle_plain_run,                                              \
                             .check = plain_check_all,                                             \
                             .teardown = plain_teardown}                                           \
        }                                                                                          \
    }

static const bench_scenario scenarios[] = {
    TOGGLE("toggle_on_off", "disable and enable a component, per call", toggle_mica_run),
    TOGGLE("toggle_on_off_accessor", "the same through an accessor", toggle_accessor_run),
    ITER(100, "a step of all, nothing ever disabled"),
    ITER(100b, "a step of all, some having been disabled before"),
    ITER(1, "a step of 1 % that are enabled, scattered; per entity"),
    ITER(10, "10 %"),
    ITER(50, "50 %"),
    ITER(90, "90 %"),
    ITER(1_runs, "a step of 1 % that are enabled, in runs; per entity"),
    ITER(10_runs, "10 %"),
    ITER(50_runs, "50 %"),
    ITER(90_runs, "90 %"),
    MASKS(100b, "by masks: a step of all, some having been disabled before"),
    MASKS(1, "by masks: a step of 1 % that are enabled, scattered; per entity"),
    MASKS(10, "10 %"),
    MASKS(50, "50 %"),
    MASKS(90, "90 %"),
    MASKS(50_runs, "by masks: a step of 50 % that are enabled, in runs; per entity"),
};

const bench_family bench_toggle = {scenarios, sizeof scenarios / sizeof scenarios[0]};
