// What a step costs beside what its systems do.
//
//   step_idle  100 systems whose queries match nothing, per system
//   step_busy  the same where each has one entity
//
// There is no limit: with plain arrays, nobody is asked.
#include <mica/system.h>
#include <mica/world.h>

#include <stdio.h>

#include "harness.h"
#include "host.h"
#include "kernels.h"
#include "scenarios.h"

typedef struct idle_state {
    mica_world *world;
    uint64_t updates; // of idle systems none, ever
} idle_state;

static void count_update(mica_iter *it)
{
    idle_state *s = it->user;
    s->updates++;
}

static void idle_teardown(void *state)
{
    idle_state *s = state;
    mica_world_free(s->world);
    bench_free(s);
}

static void *idle_setup(const bench_case *what)
{
    idle_state *s = bench_alloc(sizeof *s);
    *s = (idle_state){.world = mica_world_new(NULL)};
    mica_type position = MICA_REGISTER(s->world, Position, x, y);
    mica_type velocity = MICA_REGISTER(s->world, Velocity, x, y);
    for (uint32_t i = 0; i < what->n; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "idle %u", (unsigned)i);
        mica_system system = mica_system_add(
            s->world,
            &(mica_system_desc){.name = name,
                                .update = count_update,
                                .user = s,
                                .query.terms = {{position, MICA_WRITE}, {velocity, MICA_READ}}});
        if (MICA_IS_NONE(system)) {
            idle_teardown(s);
            return NULL;
        }
    }
    mica_spawn(s->world, MICA_ADD(position)); // which does not match
    return s;
}

static void *busy_setup(const bench_case *what)
{
    idle_state *s = idle_setup(what);
    if (s != NULL) {
        mica_entity entity = mica_query_first(
            s->world, mica_query_new(s->world, &(mica_query_desc){.everything = true}));
        mica_add(s->world, entity, mica_type_find(s->world, "Velocity"));
    }
    return s;
}

static void idle_run(void *state)
{
    const idle_state *s = state;
    mica_step(s->world, 0.0);
}

static uint64_t idle_check(void *state)
{
    const idle_state *s = state;
    return s->updates;
}

static const bench_scenario scenarios[] = {
    {.name = "step_idle",
     .text = "a step of 100 systems without matches, per system",
     .sizes = {100},
     .sides = {[BENCH_MICA] = {.setup = idle_setup,
                               .run = idle_run,
                               .check = idle_check,
                               .teardown = idle_teardown}}},
    {.name = "step_busy",
     .text = "a step of 100 systems with an entity each, per system",
     .sizes = {100},
     .sides = {[BENCH_MICA] = {.setup = busy_setup,
                               .run = idle_run,
                               .check = idle_check,
                               .teardown = idle_teardown}}},
};

const bench_family bench_step = {scenarios, sizeof scenarios / sizeof scenarios[0]};
