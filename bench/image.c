// Images: a world of n entities with a position and a velocity, to a file and back.
//
//   image_save  writing
//   image_load  reading, in the place of what was read before
//
// The limit writes, and reads into new memory, the same bytes: three plain arrays, of ids, positions
// and velocities. Neither waits for the disk.
#include <mica/image.h>
#include <mica/world.h>

#include <stdio.h>

#include "harness.h"
#include "kernels.h"
#include "plain.h"
#include "scenarios.h"

static bool put(void *user, const void *data, size_t size)
{
    return fwrite(data, 1, size, user) == size;
}

static size_t get(void *user, void *data, size_t size)
{
    return fread(data, 1, size, user);
}

static FILE *open_file(void)
{
    FILE *file = tmpfile();
    if (file != NULL) {
        setvbuf(file, NULL, _IONBF, 0); // both sides bring blocks of their own
    }
    return file;
}

// mica

typedef struct mica_state {
    mica_world *world;
    mica_type position;
    mica_type velocity;
    FILE *file;
    bool failed;
} mica_state;

static void save_mica_run(void *state)
{
    mica_state *s = state;
    rewind(s->file);
    const mica_stream stream = {.write = put, .user = s->file};
    s->failed = mica_world_save(s->world, &stream, NULL) != MICA_OK || s->failed;
}

static void load_mica_run(void *state)
{
    mica_state *s = state;
    rewind(s->file);
    const mica_stream stream = {.read = get, .user = s->file};
    s->failed = mica_world_load(s->world, &stream, NULL) != MICA_OK || s->failed;
}

static void *save_mica_setup(const bench_case *what)
{
    mica_state *s = bench_alloc_touched(sizeof *s);
    mica_world *world = mica_world_new(NULL);
    *s = (mica_state){.world = world, .file = open_file()};
    if (world == NULL || s->file == NULL) {
        return NULL;
    }
    s->position = MICA_REGISTER(world, Position, x, y);
    s->velocity = MICA_REGISTER(world, Velocity, x, y);
    plain_arrays arrays = plain_make(what->n);
    const mica_type types[] = {s->position, s->velocity};
    mica_bundle bundle = mica_bundle_new(world, types, 2);
    const mica_value values[] = {{s->position, arrays.position, sizeof(Position), what->n, NULL},
                                 {s->velocity, arrays.velocity, sizeof(Velocity), what->n, NULL}};
    mica_spawn_many(world, bundle, what->n, values, 2, NULL);
    plain_free(&arrays);
    return s;
}

static void *load_mica_setup(const bench_case *what)
{
    mica_state *s = save_mica_setup(what);
    if (s != NULL) {
        save_mica_run(s);
    }
    return s;
}

static uint64_t mica_check(void *state)
{
    const mica_state *s = state;
    uint64_t sum = s->failed;
    uint32_t i = 0;
    for (mica_entity e = mica_entity_next(s->world, (mica_entity){0}); !MICA_IS_NONE(e);
         e = mica_entity_next(s->world, e)) {
        sum +=
            check_pair(i++, mica_get(s->world, e, s->position), mica_get(s->world, e, s->velocity));
    }
    return sum;
}

static void mica_teardown(void *state)
{
    mica_state *s = state;
    mica_world_free(s->world);
    fclose(s->file);
    bench_free(s);
}

// limit

typedef struct limit_state {
    plain_arrays arrays;
    uint64_t *ids;
    FILE *file;
    bool failed;
} limit_state;

static void save_limit_run(void *state)
{
    limit_state *s = state;
    uint32_t n = s->arrays.n;
    rewind(s->file);
    s->failed = fwrite(s->ids, sizeof *s->ids, n, s->file) != n ||
                fwrite(s->arrays.position, sizeof(Position), n, s->file) != n ||
                fwrite(s->arrays.velocity, sizeof(Velocity), n, s->file) != n || s->failed;
}

static void load_limit_run(void *state)
{
    limit_state *s = state;
    uint32_t n = s->arrays.n;
    uint64_t *ids = bench_alloc(n * sizeof *ids);
    plain_arrays arrays = {.position = bench_alloc(n * sizeof(Position)),
                           .velocity = bench_alloc(n * sizeof(Velocity)),
                           .n = n};
    rewind(s->file);
    s->failed = fread(ids, sizeof *ids, n, s->file) != n ||
                fread(arrays.position, sizeof(Position), n, s->file) != n ||
                fread(arrays.velocity, sizeof(Velocity), n, s->file) != n || s->failed;
    plain_free(&s->arrays);
    bench_free(s->ids);
    s->arrays = arrays;
    s->ids = ids;
}

static void *save_limit_setup(const bench_case *what)
{
    limit_state *s = bench_alloc_touched(sizeof *s);
    *s = (limit_state){.arrays = plain_make(what->n),
                       .ids = bench_alloc_touched(what->n * sizeof *s->ids),
                       .file = open_file()};
    return s->file != NULL ? s : NULL;
}

static void *load_limit_setup(const bench_case *what)
{
    limit_state *s = save_limit_setup(what);
    if (s != NULL) {
        save_limit_run(s);
    }
    return s;
}

static uint64_t limit_check(void *state)
{
    const limit_state *s = state;
    return plain_check(&s->arrays) + s->failed;
}

static void limit_teardown(void *state)
{
    limit_state *s = state;
    plain_free(&s->arrays);
    bench_free(s->ids);
    fclose(s->file);
    bench_free(s);
}

#define SIDES(what)                                                                                \
    {                                                                                              \
        [BENCH_MICA] = {.setup = what##_mica_setup,                                                \
                        .run = what##_mica_run,                                                    \
                        .check = mica_check,                                                       \
                        .teardown = mica_teardown},                                                \
        [BENCH_LIMIT] = {.setup = what##_limit_setup,                                              \
                         .run = what##_limit_run,                                                  \
                         .check = limit_check,                                                     \
                         .teardown = limit_teardown},                                              \
    }

static const bench_scenario scenarios[] = {
    {.name = "image_save", .text = "a world saved to a file", .sides = SIDES(save)},
    {.name = "image_load", .text = "and loaded again", .sides = SIDES(load)},
};

const bench_family bench_image = {scenarios, sizeof scenarios / sizeof scenarios[0]};
