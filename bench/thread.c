// The same loops in a system that runs alone, and in one whose rows are divided among threads.
//
//   thread_light_1, _2   positions += velocities * dt, on one thread and on two
//   thread_heavy_1, _2   four square roots per row
//
// "limit" is the same system, alone: what threads gain, or cost.
#include <mica/debug.h>
#include <mica/thread.h>
#include <mica/world.h>

#include <math.h>

#include "harness.h"
#include "host.h"
#include "kernels.h"
#include "scenarios.h"

typedef struct thread_state {
    mica_world *world;
    mica_type position;
} thread_state;

static void run_light(mica_iter *it)
{
    Position *p = mica_write(it, 0);
    const Velocity *v = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].x += v[i].x * it->dt;
        p[i].y += v[i].y * it->dt;
    }
}

static void run_heavy(mica_iter *it)
{
    Position *p = mica_write(it, 0);
    const Velocity *v = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        float x = v[i].x;
        for (int k = 0; k < 4; k++) {
            x = sqrtf(x * x + p[i].y + 1);
        }
        p[i].x = x;
    }
}

static void teardown(void *state)
{
    thread_state *s = state;
    mica_world_free(s->world);
    bench_free(s);
}

static void *set_up(const bench_case *what, mica_update_fn *update, mica_run run, uint32_t threads)
{
    thread_state *s = bench_alloc(sizeof *s);
    s->world = mica_world_new(NULL);
    s->position = MICA_REGISTER(s->world, Position, x, y);
    mica_type velocity = MICA_REGISTER(s->world, Velocity, x, y);
    for (uint32_t i = 0; i < what->n; i++) {
        mica_spawn(s->world, MICA_VALUE(s->position, Position, 0, (float)(i % 100)),
                   MICA_VALUE(velocity, Velocity, 1, (float)(i % 7)));
    }
    mica_system system = mica_system_add(
        s->world,
        &(mica_system_desc){.name = "run",
                            .update = update,
                            .run = run,
                            .query.terms = {{s->position, MICA_WRITE}, {velocity, MICA_READ}}});
    if (MICA_IS_NONE(system) || (threads > 1 && mica_world_start_workers(s->world, threads))) {
        teardown(s);
        return NULL;
    }
    return s;
}

static void *light_alone(const bench_case *what)
{
    return set_up(what, run_light, MICA_ALONE, 1);
}

static void *light_1(const bench_case *what)
{
    return set_up(what, run_light, MICA_PARALLEL, 1);
}

static void *light_2(const bench_case *what)
{
    return set_up(what, run_light, MICA_PARALLEL, 2);
}

static void *heavy_alone(const bench_case *what)
{
    return set_up(what, run_heavy, MICA_ALONE, 1);
}

static void *heavy_1(const bench_case *what)
{
    return set_up(what, run_heavy, MICA_PARALLEL, 1);
}

static void *heavy_2(const bench_case *what)
{
    return set_up(what, run_heavy, MICA_PARALLEL, 2);
}

static void run_step(void *state)
{
    const thread_state *s = state;
    mica_step(s->world, 0.01);
}

static uint64_t check(void *state)
{
    const thread_state *s = state;
    return mica_world_hash(s->world);
}

#define SIZES                                                                                      \
    {                                                                                              \
        64, 1024, 65536, 1048576                                                                   \
    }
#define SIDE(begin)                                                                                \
    {                                                                                              \
        .setup = (begin), .run = run_step, .check = check, .teardown = teardown                    \
    }

static const bench_scenario scenarios[] = {
    {.name = "thread_light_1",
     .text = "a light loop in a parallel system on one thread, per entity",
     .sizes = SIZES,
     .sides = {[BENCH_MICA] = SIDE(light_1), [BENCH_LIMIT] = SIDE(light_alone)}},
    {.name = "thread_light_2",
     .text = "a light loop in a parallel system on two threads, per entity",
     .sizes = SIZES,
     .sides = {[BENCH_MICA] = SIDE(light_2), [BENCH_LIMIT] = SIDE(light_alone)}},
    {.name = "thread_heavy_1",
     .text = "a heavy loop in a parallel system on one thread, per entity",
     .sizes = SIZES,
     .sides = {[BENCH_MICA] = SIDE(heavy_1), [BENCH_LIMIT] = SIDE(heavy_alone)}},
    {.name = "thread_heavy_2",
     .text = "a heavy loop in a parallel system on two threads, per entity",
     .sizes = SIZES,
     .sides = {[BENCH_MICA] = SIDE(heavy_2), [BENCH_LIMIT] = SIDE(heavy_alone)}},
};

const bench_family bench_thread = {scenarios, sizeof scenarios / sizeof scenarios[0]};
