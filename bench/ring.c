// Rings.
//
//   sweep26      26 kinds of entity, 20 of each, that have nothing in common but Data2, doubled: frag26,
//                in a ring, by a query that does not ask whose values they are
//   sweep        the same with all n entities, of 26 kinds
//   ring_in      settling a ring of 65,536 values of 16 kinds to which 1,000 have come; per settling
//   ring_out     from which 1,000 have gone
//   ring_insert  1,000 entities of 16 kinds come, kind by kind, and are settled; per settling
//   ring_remove  and go, by one call
//   ring_best    Position and Velocity of 16 kinds, a step, where both rings are aligned
//   ring_worst   where every run of one begins in the middle of that of the other
//
// The limit of the first two and of the last two is one array; that of the others, 16 arrays at whose
// ends values are written, or not.
#include "harness.h"
#include "host.h"
#include "kernels.h"
#include "scenarios.h"

#include <mica.h>

enum { KINDS = 26, EACH = 20, GROUPS = 16, SETTLED = 65536, BATCH = 1000 };

static const char *const letters[KINDS] = {"A", "B", "C", "D", "E", "F", "G", "H", "I",
                                           "J", "K", "L", "M", "N", "O", "P", "Q", "R",
                                           "S", "T", "U", "V", "W", "X", "Y", "Z"};

typedef struct ring_state {
    mica_world *world;
    mica_type data2, position, velocity;
    mica_type tags[KINDS];
    mica_bundle bundles[GROUPS];
    mica_query query;
    mica_entity *entities;
    uint32_t n;
    mica_entity batch[BATCH];
} ring_state;

static ring_state *make_state(uint32_t n)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    ring_state *s = bench_alloc(sizeof *s);
    *s = (ring_state){.world = world,
                      .data2 = MICA_REGISTER_RING(world, Data2, value),
                      .position = MICA_REGISTER_RING(world, Position, x, y),
                      .velocity = MICA_REGISTER_RING(world, Velocity, x, y),
                      .entities = bench_alloc(n * sizeof(mica_entity)),
                      .n = n};
    for (uint32_t i = 0; i < KINDS; i++) {
        s->tags[i] = mica_type_register(world, &(mica_type_desc){.name = letters[i]});
    }
    return s;
}

static void end_state(void *state)
{
    ring_state *s = state;
    mica_world_free(s->world);
    bench_free(s->entities);
    bench_free(s);
}

// Sweeps

static Data2 value_of(uint32_t i)
{
    return (Data2){(float)(int32_t)i};
}

static uint64_t check_value(uint32_t i, const Data2 *data)
{
    return mix(mix(bits_of_floats(data->value, 0)) + i);
}

static void double_rows(Data2 *restrict data, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kernel_double(&data[i]);
    }
}

static void *sweep_setup(const bench_case *what)
{
    ring_state *s = make_state(what->n);
    if (s == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < what->n; i++) {
        Data2 value = value_of(i);
        const mica_value values[] = {{s->data2, &value, sizeof value, 1, NULL},
                                     {.type = s->tags[i % KINDS], .count = 1}};
        s->entities[i] = mica_spawn_values(s->world, values, 2);
    }
    s->query = mica_query_new(
        s->world, &(mica_query_desc){.terms = {{s->data2, MICA_WRITE}}, .no_entities = true});
    mica_world_compact(s->world);
    return s;
}

static void sweep_run(void *state)
{
    const ring_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->query, &it);
    while (mica_iter_next(&it)) {
        double_rows(mica_write(&it, 0), it.count);
    }
}

static uint64_t sweep_check(void *state)
{
    const ring_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const Data2 *data = MICA_GET(s->world, s->entities[i], s->data2, Data2);
        sum += data != NULL ? check_value(i, data) : 0;
    }
    return sum;
}

typedef struct limit_state {
    uint32_t n;
    Data2 *data;
    Position *position;
    Velocity *velocity;
} limit_state;

static limit_state *make_limit(uint32_t n)
{
    limit_state *s = bench_alloc(sizeof *s);
    *s = (limit_state){.n = n,
                       .data = bench_alloc_touched(n * sizeof(Data2)),
                       .position = bench_alloc_touched(n * sizeof(Position)),
                       .velocity = bench_alloc_touched(n * sizeof(Velocity))};
    return s;
}

static void limit_teardown(void *state)
{
    limit_state *s = state;
    bench_free(s->data);
    bench_free(s->position);
    bench_free(s->velocity);
    bench_free(s);
}

static void *sweep_limit_setup(const bench_case *what)
{
    limit_state *s = make_limit(what->n);
    for (uint32_t i = 0; i < what->n; i++) {
        s->data[i] = value_of(i);
    }
    return s;
}

static void sweep_limit_run(void *state)
{
    const limit_state *s = state;
    double_rows(s->data, s->n);
}

static uint64_t sweep_limit_check(void *state)
{
    const limit_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_value(i, &s->data[i]);
    }
    return sum;
}

// Settling

static uint32_t one_item(uint32_t n)
{
    (void)n;
    return 1;
}

// The first of n entities that is of a kind.
static uint32_t begin_of(uint32_t n, uint32_t kind)
{
    return (uint32_t)((uint64_t)n * kind / GROUPS);
}

static void *settle_setup(const bench_case *what)
{
    ring_state *s = make_state(what->n);
    if (s == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < GROUPS; i++) {
        s->bundles[i] = mica_bundle_new(s->world, (mica_type[]){s->position, s->tags[i]}, 2);
        uint32_t first = begin_of(what->n, i);
        mica_spawn_many(s->world, s->bundles[i], begin_of(what->n, i + 1) - first, NULL, 0,
                        s->entities + first);
    }
    return s;
}

// The i-th of a batch is of kind i % GROUPS.
static void come(ring_state *s)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        s->batch[i] = mica_spawn_bundle(s->world, s->bundles[i % GROUPS], NULL, 0);
    }
}

static void go(ring_state *s)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        mica_despawn(s->world, s->batch[i]);
    }
}

static void in_prepare(void *state)
{
    ring_state *s = state;
    if (mica_alive(s->world, s->batch[0])) {
        go(s);
        mica_world_compact(s->world);
    }
    come(s);
}

static void out_prepare(void *state)
{
    ring_state *s = state;
    come(s);
    mica_world_compact(s->world);
    go(s);
}

static void settle_run(void *state)
{
    ring_state *s = state;
    mica_world_compact(s->world);
}

static void insert_prepare(void *state)
{
    ring_state *s = state;
    if (mica_alive(s->world, s->batch[0])) {
        mica_despawn_many(s->world, s->batch, BATCH);
    }
}

static void insert_run(void *state)
{
    ring_state *s = state;
    uint32_t done = 0;
    for (uint32_t i = 0; i < GROUPS; i++) {
        uint32_t count = (BATCH - done) / (GROUPS - i);
        mica_spawn_many(s->world, s->bundles[i], count, NULL, 0, s->batch + done);
        done += count;
    }
}

static void remove_prepare(void *state)
{
    insert_run(state);
}

static void remove_run(void *state)
{
    ring_state *s = state;
    mica_despawn_many(s->world, s->batch, BATCH);
}

static uint64_t settle_check(void *state)
{
    const ring_state *s = state;
    uint64_t found = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        found += mica_get(s->world, s->entities[i], s->position) != NULL;
    }
    return found;
}

// Alignment

static void set_pair(const ring_state *s, mica_entity entity, uint32_t i)
{
    const Position position = {(float)(int32_t)i, 1};
    const Velocity velocity = {1, (float)(int32_t)i};
    mica_set_value(s->world, entity, s->position, &position, sizeof position);
    mica_set_value(s->world, entity, s->velocity, &velocity, sizeof velocity);
}

// Entities that have one of the two only come first, and go again: what is behind them in that ring is
// rolled by as many, half of each run.
static ring_state *make_pairs(uint32_t n, bool aligned)
{
    ring_state *s = make_state(n);
    if (s == NULL) {
        return NULL;
    }
    uint32_t each = n / GROUPS;
    mica_entity *first = bench_alloc(n * sizeof *first);
    mica_bundle alone = mica_bundle_new(s->world, (mica_type[]){s->velocity}, 1);
    mica_spawn_many(s->world, alone, each / 2 + GROUPS, NULL, 0, first);
    for (uint32_t i = 0; i < GROUPS; i++) {
        mica_bundle both =
            mica_bundle_new(s->world, (mica_type[]){s->position, s->velocity, s->tags[i]}, 3);
        uint32_t from = begin_of(n, i);
        mica_spawn_many(s->world, both, begin_of(n, i + 1) - from, NULL, 0, s->entities + from);
    }
    mica_world_compact(s->world);
    for (uint32_t i = 0; i < n; i++) {
        set_pair(s, s->entities[i], i);
    }
    if (!aligned) {
        mica_despawn_many(s->world, first, each / 2);
        mica_world_compact(s->world);
    }
    bench_free(first);
    s->query = mica_query_new(s->world, &(mica_query_desc){.terms = {{s->position, MICA_WRITE},
                                                                     {s->velocity, MICA_READ}}});
    return s;
}

static void *best_setup(const bench_case *what)
{
    return make_pairs(what->n, true);
}

static void *worst_setup(const bench_case *what)
{
    return make_pairs(what->n, false);
}

static void move_rows(Position *restrict position, const Velocity *restrict velocity,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kernel_move(&position[i], &velocity[i], BENCH_DT);
    }
}

static void pairs_run(void *state)
{
    const ring_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->query, &it);
    while (mica_iter_next(&it)) {
        move_rows(mica_write(&it, 0), mica_read(&it, 1), it.count);
    }
}

static uint64_t check_moved(uint32_t i, const Position *position)
{
    return mix(mix(bits_of_floats(position->x, position->y)) + i);
}

static uint64_t pairs_sum(void *state)
{
    const ring_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const Position *position = MICA_GET(s->world, s->entities[i], s->position, Position);
        sum += position != NULL ? check_moved(i, position) : 0;
    }
    return sum;
}

static void *pairs_limit_setup(const bench_case *what)
{
    limit_state *s = make_limit(what->n);
    for (uint32_t i = 0; i < what->n; i++) {
        s->position[i] = (Position){(float)(int32_t)i, 1};
        s->velocity[i] = (Velocity){1, (float)(int32_t)i};
    }
    return s;
}

static void pairs_limit_run(void *state)
{
    const limit_state *s = state;
    move_rows(s->position, s->velocity, s->n);
}

static uint64_t pairs_limit_sum(void *state)
{
    const limit_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_moved(i, &s->position[i]);
    }
    return sum;
}

#define SWEEP_SIDES                                                                                \
    {                                                                                              \
        [BENCH_MICA] = {.setup = sweep_setup,                                                      \
                        .run = sweep_run,                                                          \
                        .check = sweep_check,                                                      \
                        .teardown = end_state},                                                    \
        [BENCH_LIMIT] = {                                                                          \
            .setup = sweep_limit_setup,                                                            \
            .run = sweep_limit_run,                                                                \
            .check = sweep_limit_check,                                                            \
            .teardown = limit_teardown                                                             \
        }                                                                                          \
    }

#define SETTLE_SIDES(prepared, ran)                                                                \
    {                                                                                              \
        [BENCH_MICA] = {                                                                           \
            .setup = settle_setup,                                                                 \
            .prepare = (prepared),                                                                 \
            .run = (ran),                                                                          \
            .check = settle_check,                                                                 \
            .teardown = end_state                                                                  \
        }                                                                                          \
    }

#define PAIRS_SIDES(set_up)                                                                        \
    {                                                                                              \
        [BENCH_MICA] = {.setup = (set_up),                                                         \
                        .run = pairs_run,                                                          \
                        .check = pairs_sum,                                                        \
                        .teardown = end_state},                                                    \
        [BENCH_LIMIT] = {                                                                          \
            .setup = pairs_limit_setup,                                                            \
            .run = pairs_limit_run,                                                                \
            .check = pairs_limit_sum,                                                              \
            .teardown = limit_teardown                                                             \
        }                                                                                          \
    }

static const bench_scenario scenarios[] = {
    {.name = "sweep26",
     .text = "one component of 26 kinds of entity, 20 of each, in a ring",
     .ring_only = true,
     .sizes = {KINDS * EACH},
     .fixed_size = true,
     .sides = SWEEP_SIDES},
    {.name = "sweep", .text = "the same, of all", .ring_only = true, .sides = SWEEP_SIDES},
    {.name = "ring_in",
     .text = "settle a ring to which 1,000 of 16 kinds have come, per settling",
     .ring_only = true,
     .sizes = {SETTLED},
     .fixed_size = true,
     .items = one_item,
     .sides = SETTLE_SIDES(in_prepare, settle_run)},
    {.name = "ring_out",
     .text = "the same, from which 1,000 have gone",
     .ring_only = true,
     .sizes = {SETTLED},
     .fixed_size = true,
     .items = one_item,
     .sides = SETTLE_SIDES(out_prepare, settle_run)},
    {.name = "ring_insert",
     .text = "spawn 1,000 of 16 kinds, kind by kind, per 1,000",
     .ring_only = true,
     .sizes = {SETTLED},
     .fixed_size = true,
     .items = one_item,
     .sides = SETTLE_SIDES(insert_prepare, insert_run)},
    {.name = "ring_remove",
     .text = "despawn them, by one call",
     .ring_only = true,
     .sizes = {SETTLED},
     .fixed_size = true,
     .items = one_item,
     .sides = SETTLE_SIDES(remove_prepare, remove_run)},
    {.name = "ring_best",
     .text = "a query of two components of 16 kinds, rings aligned",
     .ring_only = true,
     .sizes = {65536, 1048576},
     .sides = PAIRS_SIDES(best_setup)},
    {.name = "ring_worst",
     .text = "the same, each run of one ring beginning in the middle of the other's",
     .ring_only = true,
     .sizes = {65536, 1048576},
     .sides = PAIRS_SIDES(worst_setup)},
};

const bench_family bench_ring = {scenarios, sizeof scenarios / sizeof scenarios[0]};
