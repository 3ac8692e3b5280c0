// Changes that are recorded during an iteration and carried out at its end. What they are held against
// is mica, too: the same calls made directly, by handle, on a world that nobody iterates.
//
//   deferred_addrem  of all entities with Position and Velocity: Data is set, with a value, and removed
//                    again in another iteration
//   deferred_spawn   entities with Position and Velocity, after all were ended
#include <mica/command.h>

#include "harness.h"
#include "host.h"
#include "pairs.h"
#include "scenarios.h"

typedef struct later_state {
    pair_world pairs;
    mica_query with_data;
    mica_entity *handles;
    uint32_t n;
} later_state;

static void *begin(const bench_case *what)
{
    pair_world pairs;
    if (!pairs_begin(&pairs, what->policy)) {
        return NULL;
    }
    later_state *s = bench_alloc(sizeof *s);
    *s = (later_state){.pairs = pairs,
                       .with_data = mica_query_new(
                           pairs.world, &(mica_query_desc){.terms = {{pairs.data, MICA_WITH}}}),
                       .handles = bench_alloc(what->n * sizeof(mica_entity)),
                       .n = what->n};
    pairs_spawn_all(&s->pairs, s->handles, what->n);
    return s;
}

static void end(void *state)
{
    later_state *s = state;
    pairs_end(&s->pairs);
    bench_free(s->handles);
    bench_free(s);
}

static uint64_t check(void *state)
{
    later_state *s = state;
    uint64_t sum = mica_query_count(s->pairs.world, s->with_data);
    for (uint32_t i = 0; i < s->n; i++) {
        sum += pairs_check(&s->pairs, i, s->handles[i]);
    }
    return sum;
}

static void addrem_later(void *state)
{
    const later_state *s = state;
    mica_world *world = s->pairs.world;
    mica_type type = s->pairs.data;
    mica_iter it;
    uint32_t number = 0;
    mica_iter_begin(world, s->pairs.movers, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            Data data = data_of(number++);
            mica_set_value(mica_later(&it), it.entities[i], type, &data, sizeof data);
        }
    }
    mica_iter_begin(world, s->with_data, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            mica_remove(mica_later(&it), it.entities[i], type);
        }
    }
}

static void addrem_now(void *state)
{
    const later_state *s = state;
    mica_world *world = s->pairs.world;
    mica_type type = s->pairs.data;
    for (uint32_t i = 0; i < s->n; i++) {
        Data data = data_of(i);
        mica_set_value(world, s->handles[i], type, &data, sizeof data);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        mica_remove(world, s->handles[i], type);
    }
}

static void end_all(void *state)
{
    const later_state *s = state;
    mica_world_clear(s->pairs.world);
}

static void spawn_all(later_state *s, mica_world *face)
{
    for (uint32_t i = 0; i < s->n; i++) {
        Position position = position_of(i);
        Velocity velocity = velocity_of(i);
        s->handles[i] = mica_spawn(face, MICA_COPY_OF(s->pairs.position, position),
                                   MICA_COPY_OF(s->pairs.velocity, velocity));
    }
}

static void spawn_later(void *state)
{
    later_state *s = state;
    mica_world *world = s->pairs.world;
    spawn_all(s, mica_world_later(world));
    mica_commands_apply(world);
}

static void spawn_now(void *state)
{
    later_state *s = state;
    spawn_all(s, s->pairs.world);
}

static const bench_scenario scenarios[] = {
    {.name = "deferred_addrem",
     .policies = BENCH_ALSO_SPARSE,
     .text = "add a component and remove it, recorded; against direct calls",
     .sides =
         {[BENCH_MICA] = {.setup = begin, .run = addrem_later, .check = check, .teardown = end},
          [BENCH_LIMIT] = {.setup = begin, .run = addrem_now, .check = check, .teardown = end}}},
    {.name = "deferred_spawn",
     .policies = BENCH_ALSO_SPARSE,
     .text = "spawn pairs, recorded; against direct calls",
     .sides = {[BENCH_MICA] = {.setup = begin,
                               .prepare = end_all,
                               .run = spawn_later,
                               .check = check,
                               .teardown = end},
               [BENCH_LIMIT] = {.setup = begin,
                                .prepare = end_all,
                                .run = spawn_now,
                                .check = check,
                                .teardown = end}}},
};

const bench_family bench_later = {scenarios, sizeof scenarios / sizeof scenarios[0]};
