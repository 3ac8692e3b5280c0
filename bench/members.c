// Groups that own some of what they need, or nothing.
//
//   agree_N     a query of two sparse components that joined in the same order
//   differ_N    the same, joined in orders that have nothing in common
//   pairs3_N    entities with two of three components, a third of them each pair, and a loop for each pair
//
// N says which groups there are: `alone` none, `partly` one that owns the first component and needs the second, `listed`
// one that owns nothing. Of pairs3, `grouped` is all three: one pair is owned, one partly, one listed.
#include "harness.h"
#include "host.h"
#include "kernels.h"
#include "scenarios.h"

#include <mica.h>

enum { PAIRS = 3 };

typedef struct Push {
    float x, y;
} Push;

typedef struct member_state {
    mica_world *world;
    mica_type types[PAIRS];
    mica_query queries[PAIRS];
    uint32_t query_count;
    mica_entity *entities;
    uint32_t n;
} member_state;

static member_state *make_state(uint32_t n)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    member_state *s = bench_alloc(sizeof *s);
    *s = (member_state){.world = world,
                        .types = {MICA_REGISTER_SPARSE(world, Position, x, y),
                                  MICA_REGISTER_SPARSE(world, Velocity, x, y),
                                  MICA_REGISTER_SPARSE(world, Push, x, y)},
                        .entities = bench_alloc(n * sizeof(mica_entity)),
                        .n = n};
    for (uint32_t i = 0; i < n; i++) {
        s->entities[i] = mica_spawn_values(world, NULL, 0);
    }
    return s;
}

// The first is written, the second read.
static void add_query(member_state *s, uint32_t first, uint32_t second)
{
    s->queries[s->query_count++] =
        mica_query_new(s->world, &(mica_query_desc){.terms = {{s->types[first], MICA_WRITE},
                                                              {s->types[second], MICA_READ}}});
}

static void give(const member_state *s, uint32_t i, uint32_t type)
{
    const Position value = position_of(i); // all have two floats
    mica_set_value(s->world, s->entities[i], s->types[type], &value, sizeof value);
}

static void members_run(void *state)
{
    const member_state *s = state;
    for (uint32_t q = 0; q < s->query_count; q++) {
        mica_iter it;
        mica_iter_begin(s->world, s->queries[q], &it);
        while (mica_iter_next(&it)) {
            Position *at = mica_write(&it, 0);
            const Velocity *by = mica_read(&it, 1);
            for (uint32_t i = 0; i < it.count; i++) {
                kernel_move(&at[i], &by[i], BENCH_DT);
            }
        }
    }
}

static uint64_t members_check(void *state)
{
    const member_state *s = state;
    uint64_t count = 0;
    for (uint32_t q = 0; q < s->query_count; q++) {
        count += mica_query_count(s->world, s->queries[q]);
    }
    return count;
}

static void members_teardown(void *state)
{
    member_state *s = state;
    mica_world_free(s->world);
    bench_free(s->entities);
    bench_free(s);
}

// Two components

static member_state *make_two(uint32_t n, bool agree)
{
    member_state *s = make_state(n);
    if (s == NULL) {
        return NULL;
    }
    uint32_t *order = bench_alloc(n * sizeof *order);
    shuffle(order, n);
    for (uint32_t i = 0; i < n; i++) {
        give(s, order[i], 0);
    }
    for (uint32_t i = 0; i < n; i++) {
        give(s, agree ? order[i] : order[order[i]], 1);
    }
    bench_free(order);
    add_query(s, 0, 1);
    return s;
}

static void *add_group(member_state *s, mica_group_desc desc)
{
    if (s != NULL) {
        mica_group_new(s->world, &desc);
    }
    return s;
}

static void *agree_alone_setup(const bench_case *what)
{
    return make_two(what->n, true);
}

static void *agree_partly_setup(const bench_case *what)
{
    member_state *s = make_two(what->n, true);
    return s ? add_group(s, (mica_group_desc){.owned = {s->types[0]}, .required = {s->types[1]}})
             : s;
}

static void *agree_listed_setup(const bench_case *what)
{
    member_state *s = make_two(what->n, true);
    return s ? add_group(s, (mica_group_desc){.required = {s->types[0], s->types[1]}}) : s;
}

static void *differ_alone_setup(const bench_case *what)
{
    return make_two(what->n, false);
}

static void *differ_partly_setup(const bench_case *what)
{
    member_state *s = make_two(what->n, false);
    return s ? add_group(s, (mica_group_desc){.owned = {s->types[0]}, .required = {s->types[1]}})
             : s;
}

static void *differ_listed_setup(const bench_case *what)
{
    member_state *s = make_two(what->n, false);
    return s ? add_group(s, (mica_group_desc){.required = {s->types[0], s->types[1]}}) : s;
}

// Pairs of three

static member_state *make_pairs(uint32_t n)
{
    member_state *s = make_state(n);
    for (uint32_t i = 0; s && i < n; i++) {
        give(s, i, i % PAIRS);
        give(s, i, (i + 1) % PAIRS);
    }
    for (uint32_t p = 0; s && p < PAIRS; p++) {
        add_query(s, p, (p + 1) % PAIRS);
    }
    return s;
}

static void *pairs3_alone_setup(const bench_case *what)
{
    return make_pairs(what->n);
}

static void *pairs3_grouped_setup(const bench_case *what)
{
    member_state *s = make_pairs(what->n);
    if (s != NULL) {
        const mica_type *t = s->types;
        add_group(s, (mica_group_desc){.owned = {t[0], t[1]}});
        add_group(s, (mica_group_desc){.owned = {t[2]}, .required = {t[1]}});
        add_group(s, (mica_group_desc){.required = {t[2], t[0]}});
    }
    return s;
}

#define SCENARIO(label, says)                                                                      \
    {                                                                                              \
        .name = #label, .text = (says), .sparse_only = true, .sides = {                            \
            [BENCH_MICA] = {.setup = label##_setup,                                                \
                            .run = members_run,                                                    \
                            .check = members_check,                                                \
                            .teardown = members_teardown}                                          \
        }                                                                                          \
    }

static const bench_scenario scenarios[] = {
    SCENARIO(agree_alone, "a query of two sparse components in the same order, without a group"),
    SCENARIO(agree_partly, "the same; a group owns the first"),
    SCENARIO(agree_listed, "the same; a group owns nothing"),
    SCENARIO(differ_alone, "a query of two sparse components in other orders, without a group"),
    SCENARIO(differ_partly, "the same; a group owns the first"),
    SCENARIO(differ_listed, "the same; a group owns nothing"),
    SCENARIO(pairs3_alone, "three sparse components by pairs, without groups"),
    SCENARIO(pairs3_grouped, "the same; a group for each pair, and owned what can be"),
};

const bench_family bench_members = {scenarios, sizeof scenarios / sizeof scenarios[0]};
