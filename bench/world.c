// Worlds as such.
//
//   init  a world made and freed. Plain arrays have no counterpart.
#include <mica/world.h>

#include "harness.h"
#include "host.h"
#include "scenarios.h"

typedef struct init_state {
    uint64_t failures;
} init_state;

static void *init_setup(const bench_case *what)
{
    (void)what;
    init_state *s = bench_alloc(sizeof *s);
    s->failures = 0;
    return s;
}

static void init_run(void *state)
{
    init_state *s = state;
    mica_world *world = mica_world_new(NULL);
    s->failures += world == NULL;
    s->failures += mica_world_free(world) != MICA_OK;
}

static uint64_t init_check(void *state)
{
    const init_state *s = state;
    return s->failures;
}

static const bench_scenario scenarios[] = {
    {.name = "init",
     .text = "make a world and free it",
     .sizes = {1},
     .fixed_size = true,
     .sides = {[BENCH_MICA] = {.setup = init_setup,
                               .run = init_run,
                               .check = init_check,
                               .teardown = bench_free}}},
};

const bench_family bench_world = {scenarios, sizeof scenarios / sizeof scenarios[0]};
