// Observed changes. They are compared with the same calls in mica without observers.
//
//   observe        per entity: Data is set, with a value, and removed; one observer counts what is added,
//                  another what is removed
//   observe_query  the same, but the observers count who begins and ceases to match a query
#include <mica/observer.h>

#include "harness.h"
#include "host.h"
#include "pairs.h"
#include "scenarios.h"

typedef struct observe_state {
    pair_world pairs;
    mica_entity *handles;
    uint32_t n;
    uint64_t come, gone;
} observe_state;

static void *begin_free(const bench_case *what)
{
    pair_world pairs;
    if (!pairs_begin(&pairs, what->policy)) {
        return NULL;
    }
    observe_state *s = bench_alloc(sizeof *s);
    *s = (observe_state){
        .pairs = pairs, .handles = bench_alloc(what->n * sizeof(mica_entity)), .n = what->n};
    pairs_spawn_all(&s->pairs, s->handles, what->n);
    return s;
}

static void count(const mica_observer_event *h)
{
    ++*(uint64_t *)h->user;
}

static void *begin(const bench_case *what)
{
    observe_state *s = begin_free(what);
    if (s) {
        mica_type data = s->pairs.data;
        mica_observer_new(s->pairs.world, &(mica_observer_desc){.type = data,
                                                                .events = MICA_ON_ADD,
                                                                .call = count,
                                                                .user = &s->come});
        mica_observer_new(s->pairs.world, &(mica_observer_desc){.type = data,
                                                                .events = MICA_ON_REMOVE,
                                                                .call = count,
                                                                .user = &s->gone});
    }
    return s;
}

static void *begin_query(const bench_case *what)
{
    observe_state *s = begin_free(what);
    if (s) {
        mica_observer_desc desc = {
            .query.terms = {{s->pairs.data, MICA_READ}, {s->pairs.position, MICA_READ}},
            .call = count};
        desc.events = MICA_ON_ENTER;
        desc.user = &s->come;
        mica_observer_new(s->pairs.world, &desc);
        desc.events = MICA_ON_LEAVE;
        desc.user = &s->gone;
        mica_observer_new(s->pairs.world, &desc);
    }
    return s;
}

static void end(void *state)
{
    observe_state *s = state;
    pairs_end(&s->pairs);
    bench_free(s->handles);
    bench_free(s);
}

static uint64_t check(void *state)
{
    observe_state *s = state;
    uint64_t sum = s->come - s->gone;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += pairs_check(&s->pairs, i, s->handles[i]);
    }
    return sum;
}

static void addrem(void *state)
{
    const observe_state *s = state;
    mica_world *world = s->pairs.world;
    mica_type type = s->pairs.data;
    for (uint32_t i = 0; i < s->n; i++) {
        Data data = data_of(i);
        mica_set_value(world, s->handles[i], type, &data, sizeof data);
        mica_remove(world, s->handles[i], type);
    }
}

static const bench_scenario scenarios[] = {
    {.name = "observe",
     .policies = BENCH_ALSO_SPARSE,
     .text = "add a component and remove it, observed; against no observer",
     .sides =
         {[BENCH_MICA] = {.setup = begin, .run = addrem, .check = check, .teardown = end},
          [BENCH_LIMIT] = {.setup = begin_free, .run = addrem, .check = check, .teardown = end}}},
    {.name = "observe_query",
     .policies = BENCH_ALSO_SPARSE,
     .text = "the same, matches of a query observed; against no observer",
     .sides =
         {[BENCH_MICA] = {.setup = begin_query, .run = addrem, .check = check, .teardown = end},
          [BENCH_LIMIT] = {.setup = begin_free, .run = addrem, .check = check, .teardown = end}}},
};

const bench_family bench_observe = {scenarios, sizeof scenarios / sizeof scenarios[0]};
