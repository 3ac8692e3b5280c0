// One component of one entity, through its handle: read, changed, written back.
//
//   get1_seq      in the order of creation
//   get1_rand     shuffled
//   ..._accessor  the same, through a prepared accessor
//   ..._many      the same, some hundred in a call
//   set_present   overwritten as a whole, in the order of creation
//
// The limit indexes an array; the floor checks the handle's generation and finds table and row.
#include <mica/accessor.h>

#include "floor.h"
#include "harness.h"
#include "pairs.h"
#include "plain.h"
#include "scenarios.h"

// mica

typedef struct mica_state {
    pair_world pairs;
    mica_accessor positions;
    mica_entity *made;    // handles as they were made
    mica_entity *visited; // the same, in the order they are visited
    uint32_t n;
} mica_state;

static mica_state *mica_setup(const bench_case *what)
{
    uint32_t n = what->n;
    pair_world pairs;
    if (!pairs_begin(&pairs, what->policy)) {
        return NULL;
    }
    mica_state *s = bench_alloc(sizeof *s);
    *s = (mica_state){.pairs = pairs,
                      .positions = mica_accessor_new(pairs.world, pairs.position),
                      .made = bench_alloc(n * sizeof(mica_entity)),
                      .visited = bench_alloc(n * sizeof(mica_entity)),
                      .n = n};
    pairs_spawn_all(&s->pairs, s->made, n);
    return s;
}

static void *seq_mica_setup(const bench_case *what)
{
    mica_state *s = mica_setup(what);
    if (s != NULL) {
        memcpy(s->visited, s->made, what->n * sizeof(mica_entity));
    }
    return s;
}

static void *rand_mica_setup(const bench_case *what)
{
    mica_state *s = mica_setup(what);
    if (s == NULL) {
        return NULL;
    }
    uint32_t *order = bench_alloc(what->n * sizeof *order);
    shuffle(order, what->n);
    for (uint32_t i = 0; i < what->n; i++) {
        s->visited[i] = s->made[order[i]];
    }
    bench_free(order);
    return s;
}

// Values that lie nowhere whole: a copy of each goes out and back.
static void get_split_run(const mica_state *s)
{
    mica_world *world = s->pairs.world;
    mica_type type = s->pairs.position;
    for (uint32_t i = 0; i < s->n; i++) {
        Position position;
        if (MICA_LOAD(world, s->visited[i], type, position)) {
            kernel_touch(&position);
            mica_set(world, s->visited[i], MICA_COPY_OF(type, position));
        }
    }
}

static void get_mica_run(void *state)
{
    const mica_state *s = state;
    if (s->pairs.split) {
        get_split_run(s);
        return;
    }
    mica_world *world = s->pairs.world;
    mica_type type = s->pairs.position;
    const mica_entity *visited = s->visited;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        Position *position = mica_get_mut(world, visited[i], type);
        if (position != NULL) {
            kernel_touch(position);
        }
    }
}

static void get_accessor_run(void *state)
{
    const mica_state *s = state;
    const mica_accessor positions = s->positions;
    const mica_entity *visited = s->visited;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        Position *position = MICA_ACCESSOR_GET_MUT(&positions, visited[i], Position);
        if (position != NULL) {
            kernel_touch(position);
        }
    }
}

static void get_many_run(void *state)
{
    enum { SOME = 256 };
    const mica_state *s = state;
    for (uint32_t from = 0, some; from < s->n; from += some) {
        void *found[SOME];
        some = s->n - from < SOME ? s->n - from : SOME;
        mica_accessor_get_mut_many(&s->positions, s->visited + from, some, found);
        for (uint32_t i = 0; i < some; i++) {
            if (found[i] != NULL) {
                kernel_touch(found[i]);
            }
        }
    }
}

static void set_mica_run(void *state)
{
    const mica_state *s = state;
    mica_world *world = s->pairs.world;
    mica_type type = s->pairs.position;
    const mica_entity *visited = s->visited;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        const Position position = position_of(i + 1);
        mica_set(world, visited[i], MICA_COPY_OF(type, position));
    }
}

static uint64_t get_mica_check(void *state)
{
    mica_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += pairs_check(&s->pairs, i, s->made[i]);
    }
    return sum;
}

static void get_mica_teardown(void *state)
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
    uint32_t *names; // in the order they are visited
} plain_state;

static plain_state *plain_setup(uint32_t n)
{
    plain_state *s = bench_alloc(sizeof *s);
    *s = (plain_state){.arrays = plain_make(n), .names = bench_alloc(n * sizeof(uint32_t))};
    return s;
}

static void *seq_limit_setup(const bench_case *what)
{
    plain_state *s = plain_setup(what->n);
    for (uint32_t i = 0; i < what->n; i++) {
        s->names[i] = i;
    }
    return s;
}

static void *rand_limit_setup(const bench_case *what)
{
    plain_state *s = plain_setup(what->n);
    shuffle(s->names, what->n);
    return s;
}

static void get_limit_run(void *state)
{
    const plain_state *s = state;
    Position *position = s->arrays.position;
    const uint32_t *names = s->names;
    uint32_t n = s->arrays.n;
    for (uint32_t i = 0; i < n; i++) {
        kernel_touch(&position[names[i]]);
    }
}

static void set_limit_run(void *state)
{
    const plain_state *s = state;
    Position *position = s->arrays.position;
    const uint32_t *names = s->names;
    uint32_t n = s->arrays.n;
    for (uint32_t i = 0; i < n; i++) {
        position[names[i]] = position_of(i + 1);
    }
}

static uint64_t get_limit_check(void *state)
{
    plain_state *s = state;
    return plain_check(&s->arrays);
}

static void get_limit_teardown(void *state)
{
    plain_state *s = state;
    plain_free(&s->arrays);
    bench_free(s->names);
    bench_free(s);
}

// floor

typedef struct floor_state {
    floor_world world;
    uint64_t *made;    // handles as they were made
    uint64_t *visited; // the same, in the order they are visited
    uint32_t n;
} floor_state;

static floor_state *floor_setup(uint32_t n)
{
    floor_state *s = bench_alloc(sizeof *s);
    *s = (floor_state){.made = bench_alloc(n * sizeof(uint64_t)),
                       .visited = bench_alloc(n * sizeof(uint64_t)),
                       .n = n};
    floor_begin(&s->world);
    for (uint32_t i = 0; i < n; i++) {
        s->made[i] = floor_spawn(&s->world, position_of(i), velocity_of(i));
    }
    return s;
}

static void *seq_floor_setup(const bench_case *what)
{
    floor_state *s = floor_setup(what->n);
    memcpy(s->visited, s->made, what->n * sizeof(uint64_t));
    return s;
}

static void *rand_floor_setup(const bench_case *what)
{
    floor_state *s = floor_setup(what->n);
    uint32_t *order = bench_alloc(what->n * sizeof *order);
    shuffle(order, what->n);
    for (uint32_t i = 0; i < what->n; i++) {
        s->visited[i] = s->made[order[i]];
    }
    bench_free(order);
    return s;
}

static void get_floor_run(void *state)
{
    const floor_state *s = state;
    const floor_record *records = s->world.records;
    const uint64_t *visited = s->visited;
    uint32_t n = s->n;
    Position *position[FLOOR_TABLE_COUNT];
    for (int i = 0; i < FLOOR_TABLE_COUNT; i++) {
        position[i] = s->world.tables[i].position;
    }
    for (uint32_t i = 0; i < n; i++) {
        floor_record record = records[(uint32_t)visited[i]];
        if (record.generation == (uint16_t)(visited[i] >> 32)) {
            kernel_touch(&position[record.table][record.row]);
        }
    }
}

static void set_floor_run(void *state)
{
    const floor_state *s = state;
    const floor_record *records = s->world.records;
    const uint64_t *visited = s->visited;
    uint32_t n = s->n;
    Position *position[FLOOR_TABLE_COUNT];
    for (int i = 0; i < FLOOR_TABLE_COUNT; i++) {
        position[i] = s->world.tables[i].position;
    }
    for (uint32_t i = 0; i < n; i++) {
        floor_record record = records[(uint32_t)visited[i]];
        if (record.generation == (uint16_t)(visited[i] >> 32)) {
            position[record.table][record.row] = position_of(i + 1);
        }
    }
}

static uint64_t get_floor_check(void *state)
{
    floor_state *s = state;
    const floor_table *t = &s->world.tables[FLOOR_PAIR];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t row = s->world.records[(uint32_t)s->made[i]].row;
        sum += check_pair(i, &t->position[row], &t->velocity[row]);
    }
    return sum;
}

static void get_floor_teardown(void *state)
{
    floor_state *s = state;
    floor_end(&s->world);
    bench_free(s->made);
    bench_free(s->visited);
    bench_free(s);
}

static const bench_scenario scenarios[] = {
    {.name = "get1_seq",
     .policies = BENCH_ALSO_ALL,
     .text = "change one component through handles, in the order of creation",
     .sides = {[BENCH_MICA] = {.setup = seq_mica_setup,
                               .run = get_mica_run,
                               .check = get_mica_check,
                               .teardown = get_mica_teardown},
               [BENCH_LIMIT] = {.setup = seq_limit_setup,
                                .run = get_limit_run,
                                .check = get_limit_check,
                                .teardown = get_limit_teardown},
               [BENCH_FLOOR] = {.setup = seq_floor_setup,
                                .run = get_floor_run,
                                .check = get_floor_check,
                                .teardown = get_floor_teardown}}},
    {.name = "get1_rand",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_ALL,
     .text = "the same, shuffled",
     .sides = {[BENCH_MICA] = {.setup = rand_mica_setup,
                               .run = get_mica_run,
                               .check = get_mica_check,
                               .teardown = get_mica_teardown},
               [BENCH_LIMIT] = {.setup = rand_limit_setup,
                                .run = get_limit_run,
                                .check = get_limit_check,
                                .teardown = get_limit_teardown},
               [BENCH_FLOOR] = {.setup = rand_floor_setup,
                                .run = get_floor_run,
                                .check = get_floor_check,
                                .teardown = get_floor_teardown}}},
    {.name = "get1_seq_accessor",
     .policies = BENCH_ALSO_GROUP,
     .text = "change one component through a prepared accessor, in the order of creation",
     .sides = {[BENCH_MICA] = {.setup = seq_mica_setup,
                               .run = get_accessor_run,
                               .check = get_mica_check,
                               .teardown = get_mica_teardown},
               [BENCH_LIMIT] = {.setup = seq_limit_setup,
                                .run = get_limit_run,
                                .check = get_limit_check,
                                .teardown = get_limit_teardown},
               [BENCH_FLOOR] = {.setup = seq_floor_setup,
                                .run = get_floor_run,
                                .check = get_floor_check,
                                .teardown = get_floor_teardown}}},
    {.name = "get1_rand_accessor",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_GROUP,
     .text = "the same, shuffled",
     .sides = {[BENCH_MICA] = {.setup = rand_mica_setup,
                               .run = get_accessor_run,
                               .check = get_mica_check,
                               .teardown = get_mica_teardown},
               [BENCH_LIMIT] = {.setup = rand_limit_setup,
                                .run = get_limit_run,
                                .check = get_limit_check,
                                .teardown = get_limit_teardown},
               [BENCH_FLOOR] = {.setup = rand_floor_setup,
                                .run = get_floor_run,
                                .check = get_floor_check,
                                .teardown = get_floor_teardown}}},
    {.name = "get1_rand_many",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_GROUP,
     .text = "the same, 256 in a call",
     .sides = {[BENCH_MICA] = {.setup = rand_mica_setup,
                               .run = get_many_run,
                               .check = get_mica_check,
                               .teardown = get_mica_teardown},
               [BENCH_LIMIT] = {.setup = rand_limit_setup,
                                .run = get_limit_run,
                                .check = get_limit_check,
                                .teardown = get_limit_teardown},
               [BENCH_FLOOR] = {.setup = rand_floor_setup,
                                .run = get_floor_run,
                                .check = get_floor_check,
                                .teardown = get_floor_teardown}}},
    {.name = "set_present",
     .policies = BENCH_ALSO_ALL,
     .text = "overwrite one component through handles, in the order of creation",
     .sides = {[BENCH_MICA] = {.setup = seq_mica_setup,
                               .run = set_mica_run,
                               .check = get_mica_check,
                               .teardown = get_mica_teardown},
               [BENCH_LIMIT] = {.setup = seq_limit_setup,
                                .run = set_limit_run,
                                .check = get_limit_check,
                                .teardown = get_limit_teardown},
               [BENCH_FLOOR] = {.setup = seq_floor_setup,
                                .run = set_floor_run,
                                .check = get_floor_check,
                                .teardown = get_floor_teardown}}},
};

const bench_family bench_access = {scenarios, sizeof scenarios / sizeof scenarios[0]};
