// Systems on threads: cells in a pond swim after their mothers, eat, divide and die. Rows of these systems are divided
// into batches, which threads run at the same time. With 1, 2 and 4 threads the pond is the same.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Place;

typedef struct {
    float x, y;
} Speed;

typedef struct {
    float energy;
} Cell;

typedef struct {
    mica_entity cell;
} Mother;

typedef struct {
    float energy;
    uint32_t cells;
} Total;

typedef struct {
    mica_type place, speed, cell, mother;
    mica_type total; // a resource
    mica_accessor places;
} Pond;

// A number from 0 to 1 for a cell. It follows from the batch's seed and the cell, never from the thread.
static float chance(const mica_iter *it, uint32_t i)
{
    uint64_t random = (mica_batch_seed(it) ^ it->entities[i].bits) * UINT64_C(0x9e3779b97f4a7c15);
    return (float)(random >> 40) * 0x1p-24f;
}

// Reads other entities: the places of the mothers, which no system of the same wave writes.
static void follow(mica_iter *it)
{
    const Pond *pond = it->user;
    const Place *places = mica_read(it, 0);
    const Mother *mothers = mica_read(it, 1);
    Speed *speeds = mica_write(it, 2);
    for (uint32_t i = 0; i < it->count; i++) {
        if (mica_alive(it->world, mothers[i].cell)) {
            const Place *mother = MICA_ACCESSOR_GET(&pond->places, mothers[i].cell, Place);
            speeds[i].x = (mother->x - places[i].x) * 0.5f;
            speeds[i].y = (mother->y - places[i].y) * 0.5f;
        }
    }
}

static void swim(mica_iter *it)
{
    Place *places = mica_write(it, 0);
    const Speed *speeds = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        places[i].x += speeds[i].x * it->dt;
        places[i].y += speeds[i].y * it->dt;
    }
}

// Creates and despawns entities. The commands of all batches run after the phase, in the order of the batches. So each
// new cell has the same handle on any number of threads.
static void live(mica_iter *it)
{
    const Pond *pond = it->user;
    const Place *places = mica_read(it, 0);
    Cell *cells = mica_write(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        cells[i].energy += chance(it, i) - 0.5f;
        if (cells[i].energy < 0) {
            mica_despawn(it->world, it->entities[i]);
        } else if (cells[i].energy > 2) {
            cells[i].energy -= 1;
            mica_spawn(it->world, MICA_COPY_OF(pond->place, places[i]),
                       MICA_VALUE(pond->speed, Speed, chance(it, i), 0),
                       MICA_VALUE(pond->cell, Cell, 1),
                       MICA_VALUE(pond->mother, Mother, it->entities[i]));
        }
    }
}

// Adds up floats. Each batch has a sum of its own. They are combined in the order of the batches, because the sum of
// floats depends on their order.
static void weigh(mica_iter *it)
{
    const Cell *cells = mica_read(it, 0);
    Total *sum = mica_reduce(it);
    for (uint32_t i = 0; i < it->count; i++) {
        sum->energy += cells[i].energy;
    }
    sum->cells += it->count;
}

static void combine(void *total, const void *value)
{
    Total *sum = total;
    const Total *batch = value;
    sum->energy += batch->energy;
    sum->cells += batch->cells;
}

enum { BATCH = 256 }; // rows

static void add_systems(mica_world *w, Pond *pond)
{
    const mica_system_desc systems[] = {
        {.name = "follow",
         .update = follow,
         .query.terms = {{pond->place, MICA_READ},
                         {pond->mother, MICA_READ},
                         {pond->speed, MICA_WRITE}},
         .others = {pond->place}},
        {.name = "swim",
         .update = swim,
         .query.terms = {{pond->place, MICA_WRITE}, {pond->speed, MICA_READ}}},
        {.name = "live",
         .update = live,
         .query.terms = {{pond->place, MICA_READ}, {pond->cell, MICA_WRITE}},
         .spawns = BATCH}, // at most one for each row
        {.name = "weigh",
         .update = weigh,
         .query.terms = {{pond->cell, MICA_READ}},
         .reduce = {pond->total, combine}},
    };
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        mica_system_desc desc = systems[i];
        desc.user = pond;
        desc.run = MICA_PARALLEL;
        desc.batch_rows = BATCH;
        mica_system_add(w, &desc);
    }
}

// Plays 60 steps, prints a summary, and returns the digest of the world.
static uint64_t play(uint32_t threads)
{
    Pond pond;
    mica_world *w = mica_world_new(NULL);
    pond.place = MICA_REGISTER(w, Place, x, y);
    pond.speed = MICA_REGISTER(w, Speed, x, y);
    pond.cell = MICA_REGISTER(w, Cell, energy);
    pond.mother = MICA_REGISTER(w, Mother, cell);
    pond.total = MICA_REGISTER(w, Total, energy, cells);
    pond.places = mica_accessor_new(w, pond.place);
    add_systems(w, &pond);
    for (uint32_t i = 0; i < 4000; i++) {
        mica_spawn(w, MICA_VALUE(pond.place, Place, (float)(i % 64), (float)(i / 64)),
                   MICA_VALUE(pond.speed, Speed, 0, 0), MICA_VALUE(pond.cell, Cell, 1));
    }
    bool good = mica_world_start_workers(w, threads) == MICA_OK;
    for (int step = 0; good && step < 60; step++) {
        good = mica_step(w, 0.25) == MICA_OK;
    }
    uint64_t digest = mica_world_digest(w);
    const Total *total = MICA_RESOURCE(w, pond.total, Total);
    if (good && total) {
        printf("%u thread%s: %u cells, energy %.3f\n", (unsigned)threads, threads > 1 ? "s" : "",
               (unsigned)total->cells, (double)total->energy);
    }
    mica_world_free(w);
    return good ? digest : 0;
}

int main(void)
{
    uint64_t one = play(1);
    uint64_t two = play(2);
    uint64_t four = play(4);
    bool same = one != 0 && one == two && one == four;
    printf("digests: %s\n", same ? "all the same" : "they differ");
    return !same;
}
