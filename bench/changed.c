// Looking only at what changed.
//
//   changed_sparse       one in a hundred entities, scattered, is written; then those are read that changed, as
//                        far as is known without row stamps: nearly all. Per entity that there is
//   changed_sparse_runs  the same, those written being 1,024 of every 102,400
//   changed_rows         the same as the first, with row stamps: exactly those that changed are read
//   changed_rows_runs
//   changed_none         nothing is written, and those are read that changed: nobody
//   write_stamped        every entity is written, one by one through an accessor, with row stamps
//   iter_stamped         the same in a loop over a query
//
// The limit has a byte for each entity, sets it where it writes, and asks it.
#include <mica/accessor.h>
#include <mica/change_detection.h>
#include <mica/world.h>

#include "harness.h"
#include "kernels.h"
#include "pairs.h"
#include "plain.h"
#include "scenarios.h"

typedef struct pattern {
    uint32_t of; // one in so many is written; 0: none
    bool runs;
    bool row_stamps;
} pattern;

typedef struct mica_state {
    mica_world *world;
    mica_type position, velocity;
    mica_query changed, all;
    mica_accessor positions;
    mica_entity *entities;
    uint32_t *written;
    uint32_t written_count;
    uint32_t n;
    float sum;
} mica_state;

typedef struct plain_state {
    plain_arrays arrays;
    unsigned char *changed;
    uint32_t *written;
    uint32_t written_count;
    float sum;
} plain_state;

static bool is_written(const pattern *p, uint32_t i)
{
    return p->of != 0 && (p->runs ? i / 1024 % p->of == 0 : i % p->of == 0);
}

static uint32_t list_written(const pattern *p, uint32_t n, uint32_t *written)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (is_written(p, i)) {
            written[count++] = i;
        }
    }
    return count;
}

static void *mica_setup(const bench_case *what, const pattern *p)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    mica_type_desc position = MICA_DESCRIBE(Position, x, y);
    position.row_stamps = p->row_stamps;
    position.storage = pairs_storage(what->policy);
    mica_state *s = bench_alloc(sizeof *s);
    *s = (mica_state){.world = world,
                      .position = mica_type_register(world, &position),
                      .velocity = MICA_REGISTER(world, Velocity, x, y),
                      .entities = bench_alloc(what->n * sizeof(mica_entity)),
                      .written = bench_alloc(what->n * sizeof(uint32_t)),
                      .n = what->n};
    s->written_count = list_written(p, s->n, s->written);
    s->changed = mica_query_new(
        world, &(mica_query_desc){.terms = {{s->position, MICA_READ | MICA_CHANGED}}});
    s->all = mica_query_new(world, &(mica_query_desc){.terms = {{s->position, MICA_WRITE}}});
    s->positions = mica_accessor_new(world, s->position);
    for (uint32_t i = 0; i < s->n; i++) {
        const Position at = position_of(i);
        const Velocity v = velocity_of(i);
        s->entities[i] =
            mica_spawn(world, MICA_COPY_OF(s->position, at), MICA_COPY_OF(s->velocity, v));
    }
    mica_query_set_since(world, s->changed, mica_world_tick(world));
    return s;
}

static void read_changed(mica_state *s)
{
    mica_iter it;
    float sum = 0;
    mica_iter_begin(s->world, s->changed, &it);
    while (mica_iter_next(&it)) {
        const Position *position = mica_read(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            sum += position[i].x;
        }
    }
    s->sum = sum;
}

static void changed_mica_run(void *state)
{
    mica_state *s = state;
    const mica_accessor positions = s->positions;
    for (uint32_t i = 0; i < s->written_count; i++) {
        Position *position =
            MICA_ACCESSOR_GET_MUT(&positions, s->entities[s->written[i]], Position);
        position->x += 1;
    }
    read_changed(s);
}

static void write_mica_run(void *state)
{
    const mica_state *s = state;
    const mica_accessor positions = s->positions;
    for (uint32_t i = 0; i < s->n; i++) {
        Position *position = MICA_ACCESSOR_GET_MUT(&positions, s->entities[i], Position);
        position->x += 1;
    }
}

static void iter_mica_run(void *state)
{
    const mica_state *s = state;
    mica_iter it;
    mica_iter_begin(s->world, s->all, &it);
    while (mica_iter_next(&it)) {
        Position *position = mica_write(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            position[i].x += 1;
        }
    }
}

static uint64_t mica_check(void *state)
{
    const mica_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const Position *p = mica_get(s->world, s->entities[i], s->position);
        const Velocity *v = mica_get(s->world, s->entities[i], s->velocity);
        sum += p != NULL && v != NULL ? check_pair(i, p, v) : 0;
    }
    return sum;
}

static void mica_teardown(void *state)
{
    mica_state *s = state;
    mica_world_free(s->world);
    bench_free(s->entities);
    bench_free(s->written);
    bench_free(s);
}

// limit

static void *plain_setup(const bench_case *what, const pattern *p)
{
    plain_state *s = bench_alloc(sizeof *s);
    *s = (plain_state){.arrays = plain_make(what->n),
                       .changed = bench_alloc(what->n),
                       .written = bench_alloc(what->n * sizeof(uint32_t))};
    s->written_count = list_written(p, what->n, s->written);
    for (uint32_t i = 0; i < what->n; i++) {
        s->changed[i] = 0;
    }
    return s;
}

static void changed_plain_run(void *state)
{
    plain_state *s = state;
    float sum = 0;
    for (uint32_t i = 0; i < s->written_count; i++) {
        s->arrays.position[s->written[i]].x += 1;
        s->changed[s->written[i]] = 1;
    }
    bench_barrier();
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        if (s->changed[i]) {
            s->changed[i] = 0;
            sum += s->arrays.position[i].x;
        }
    }
    s->sum = sum;
}

static void write_plain_run(void *state)
{
    const plain_state *s = state;
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        s->arrays.position[i].x += 1;
        s->changed[i] = 1;
    }
}

static uint64_t plain_check_all(void *state)
{
    const plain_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        sum += check_pair(i, &s->arrays.position[i], &s->arrays.velocity[i]);
    }
    return sum;
}

static void plain_teardown(void *state)
{
    plain_state *s = state;
    plain_free(&s->arrays);
    bench_free(s->changed);
    bench_free(s->written);
    bench_free(s);
}

#define PATTERN(name, of, runs, row_stamps)                                                        \
    static const pattern pattern_##name = {of, runs, row_stamps};                                  \
    static void *setup_##name(const bench_case *what)                                              \
    {                                                                                              \
        return mica_setup(what, &pattern_##name);                                                  \
    }                                                                                              \
    static void *setup_plain_##name(const bench_case *what)                                        \
    {                                                                                              \
        return plain_setup(what, &pattern_##name);                                                 \
    }
PATTERN(sparse, 100, false, false)
PATTERN(sparse_runs, 100, true, false)
PATTERN(rows, 100, false, true)
PATTERN(rows_runs, 100, true, true)
PATTERN(none, 0, false, true)

#define WORK(title, line, what, mica_run, plain_run)                                               \
    {                                                                                              \
        .name = title, .text = line, .policies = BENCH_ALSO_SPARSE, .sides = {                     \
            [BENCH_MICA] = {.setup = setup_##what,                                                 \
                            .run = mica_run,                                                       \
                            .check = mica_check,                                                   \
                            .teardown = mica_teardown},                                            \
            [BENCH_LIMIT] = {.setup = setup_plain_##what,                                          \
                             .run = plain_run,                                                     \
                             .check = plain_check_all,                                             \
                             .teardown = plain_teardown}                                           \
        }                                                                                          \
    }

static const bench_scenario scenarios[] = {
    WORK("changed_sparse", "1 % written, scattered, then the changes are read; per entity", sparse,
         changed_mica_run, changed_plain_run),
    WORK("changed_sparse_runs", "1 % written, side by side", sparse_runs, changed_mica_run,
         changed_plain_run),
    WORK("changed_rows", "as changed_sparse, with row stamps", rows, changed_mica_run,
         changed_plain_run),
    WORK("changed_rows_runs", "as changed_sparse_runs, with row stamps", rows_runs,
         changed_mica_run, changed_plain_run),
    WORK("changed_none", "nothing is written, and nothing is found", none, changed_mica_run,
         changed_plain_run),
    WORK("write_stamped", "every value written through an accessor, with row stamps", none,
         write_mica_run, write_plain_run),
    WORK("iter_stamped", "every value written in a loop, with row stamps", none, iter_mica_run,
         write_plain_run),
};

const bench_family bench_changed = {scenarios, sizeof scenarios / sizeof scenarios[0]};
