// Snapshots of a world of 52 bytes per entity: an id and 44 bytes of values. In a frame, 62,500 entities
// move: 0.5 MB are written. Nine snapshots are kept. Figures are those of one call, unless it says otherwise.
//
//   time_take         after a frame
//   time_take_still   after a frame in which nothing was written
//   time_take_churn   after 300 scattered changes: 100 entities are despawned, 100 spawned, and 100 get or
//                     lose a tag
//   time_take_thin    after a frame, in a full history that is thinned out
//   time_back         a restore of the last snapshot, a frame after it
//   time_back_8       a restore of the snapshot eight frames before
//   time_rollback     the same, and nine frames with a snapshot each; frames are not counted
//   time_compare      reporting what a frame has changed, per value
//   time_history      a history of 600 frames, thinned out, with a budget of the world's own size: bytes of the logs
//   time_history_gap  the most frames that must be run again to reach any frame of that history
//
// The limit has the same bytes in one block and copies all of them, to the same place each time.
#include <mica/system.h>
#include <mica/time.h>
#include <mica/world.h>

#include <string.h>

#include "harness.h"
#include "host.h"
#include "kernels.h"
#include "scenarios.h"

enum {
    ENTITY_SIZE = 52,
    MOVING = 62500,
    BACK = 8,
    CHURN = 100,
    HISTORY = 600,
    GAP = 64,
    FRAMES = 2 * HISTORY // until a history is full
};

static uint32_t one(uint32_t n)
{
    (void)n;
    return 1;
}

static uint32_t moving(uint32_t n)
{
    (void)n;
    return MOVING;
}

// The next of a row of numbers below a limit.
static uint32_t next_place(uint64_t *random, uint32_t limit)
{
    *random = mix(*random);
    return (uint32_t)(*random >> 32) % limit;
}

// mica

typedef struct mica_state {
    mica_world *world;
    mica_type position, velocity, data, data2, moves, tag;
    mica_system mover;
    mica_entity *entities;
    uint32_t n;
    bool failed;
    uint64_t random;
    uint64_t compared; // values
    double counted_ns;
    mica_snapshot *taken; // by frame
    uint32_t taken_count;
} mica_state;

static void move(mica_iter *it)
{
    Position *position = mica_write(it, 0);
    const Velocity *velocity = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        kernel_move(&position[i], &velocity[i], BENCH_DT);
    }
}

// Writes nothing. Each step in which a system runs has a tick of its own.
static void watch(mica_iter *it)
{
    (void)it;
}

static mica_entity spawn(const mica_state *s, uint32_t i)
{
    const Position position = position_of(i);
    const Velocity velocity = velocity_of(i);
    const Data data = data_of(i);
    const Data2 data2 = {0.5f};
    const mica_value values[] = {MICA_COPY_OF(s->position, position),
                                 MICA_COPY_OF(s->velocity, velocity), MICA_COPY_OF(s->data, data),
                                 MICA_COPY_OF(s->data2, data2), MICA_ADD(s->moves)};
    return mica_spawn_values(s->world, values, i < MOVING ? 5 : 4);
}

static mica_state *make(const bench_case *what, const mica_time_desc *desc)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    mica_state *s = bench_alloc_touched(sizeof *s);
    *s = (mica_state){.world = world,
                      .position = MICA_REGISTER(world, Position, x, y),
                      .velocity = MICA_REGISTER(world, Velocity, x, y),
                      .data = MICA_REGISTER(world, Data, number, real, flag, seed),
                      .data2 = MICA_REGISTER(world, Data2, value),
                      .moves = mica_type_register(world, &(mica_type_desc){.name = "Moves"}),
                      .tag = mica_type_register(world, &(mica_type_desc){.name = "Tag"}),
                      .entities = bench_alloc(what->n * sizeof(mica_entity)),
                      .taken = bench_alloc(FRAMES * sizeof(mica_snapshot)),
                      .n = what->n};
    for (uint32_t i = 0; i < s->n; i++) {
        s->entities[i] = spawn(s, i);
    }
    s->mover = mica_system_add(world, &(mica_system_desc){.name = "move",
                                                          .update = move,
                                                          .query.terms = {{s->position, MICA_WRITE},
                                                                          {s->velocity, MICA_READ},
                                                                          {s->moves, MICA_WITH}}});
    mica_system_add(world, &(mica_system_desc){.name = "watch", .update = watch});
    s->failed = mica_time_begin(world, desc) != MICA_OK;
    return s;
}

static mica_snapshot take(mica_state *s)
{
    mica_snapshot snapshot = mica_snapshot_take(s->world);
    s->failed = MICA_IS_NONE(snapshot) || s->failed;
    return snapshot;
}

static mica_snapshot oldest(const mica_state *s)
{
    return mica_snapshot_next(s->world, (mica_snapshot){0});
}

static mica_snapshot newest(const mica_state *s)
{
    return mica_snapshot_previous(s->world, (mica_snapshot){0});
}

static void go_back(mica_state *s, mica_snapshot snapshot)
{
    s->failed = mica_snapshot_restore(s->world, snapshot) != MICA_OK || s->failed;
}

static void frame(mica_state *s)
{
    mica_step(s->world, 1.0 / 64);
}

static void drop_old(const mica_state *s)
{
    while (mica_time_get_stats(s->world).snapshots > BACK) {
        mica_snapshot_drop(s->world, oldest(s));
    }
}

static void frames(mica_state *s)
{
    for (uint32_t i = 0; i < BACK; i++) {
        drop_old(s);
        frame(s);
        take(s);
    }
}

static void *mica_setup(const bench_case *what)
{
    mica_state *s = make(what, NULL);
    if (s != NULL) {
        take(s);
        frames(s);
    }
    return s;
}

static uint64_t mica_check(void *state)
{
    const mica_state *s = state;
    uint64_t sum = s->failed;
    for (uint32_t i = 0; i < s->n; i++) {
        const Position *position = mica_get(s->world, s->entities[i], s->position);
        sum += position != NULL ? check_position(i, position) : 0;
    }
    return sum;
}

static void mica_teardown(void *state)
{
    mica_state *s = state;
    mica_world_free(s->world);
    bench_free(s->entities);
    bench_free(s->taken);
    bench_free(s);
}

static void take_mica_prepare(void *state)
{
    drop_old(state);
    frame(state);
}

static void take_mica_run(void *state)
{
    take(state);
}

static void still_mica_prepare(void *state)
{
    mica_state *s = state;
    mica_system_disable(s->world, s->mover);
    take_mica_prepare(s);
}

static void churn_mica_prepare(void *state)
{
    mica_state *s = state;
    still_mica_prepare(s);
    for (uint32_t i = 0; i < CHURN; i++) {
        uint32_t place = next_place(&s->random, s->n);
        mica_despawn(s->world, s->entities[place]);
        s->entities[place] = spawn(s, place);
        mica_entity entity = s->entities[next_place(&s->random, s->n)];
        if (mica_has(s->world, entity, s->tag)) {
            mica_remove(s->world, entity, s->tag);
        } else {
            mica_add(s->world, entity, s->tag);
        }
    }
}

static void back_mica_prepare(void *state)
{
    frame(state);
}

static void back_mica_run(void *state)
{
    go_back(state, newest(state));
}

static void back_8_mica_prepare(void *state)
{
    mica_state *s = state;
    while (mica_time_get_stats(s->world).snapshots <= BACK) {
        frame(s);
        take(s);
    }
}

static void back_8_mica_run(void *state)
{
    go_back(state, oldest(state));
}

static void rollback_mica_run(void *state)
{
    mica_state *s = state;
    uint64_t start = bench_now_ns();
    go_back(s, oldest(s));
    uint64_t counted = bench_now_ns() - start;
    for (uint32_t i = 0; i <= BACK; i++) {
        frame(s);
        start = bench_now_ns();
        take(s);
        counted += bench_now_ns() - start;
    }
    start = bench_now_ns();
    mica_snapshot_drop(s->world, oldest(s));
    s->counted_ns = (double)(counted + bench_now_ns() - start);
}

static double mica_counted(void *state)
{
    const mica_state *s = state;
    return s->counted_ns;
}

static bool count_difference(const mica_state_difference *difference)
{
    mica_state *s = difference->user;
    s->compared += difference->kind == MICA_STATE_CHANGED;
    return true;
}

static void compare_mica_run(void *state)
{
    mica_state *s = state;
    mica_snapshot to = newest(s);
    mica_snapshot from = mica_snapshot_previous(s->world, to);
    s->compared = 0;
    s->failed = mica_snapshot_compare(s->world, from, to, count_difference, s) != MICA_OK ||
                s->compared != MOVING || s->failed;
}

// A history

static void *thin_mica_setup(const bench_case *what)
{
    const size_t size = ENTITY_SIZE + sizeof(uint64_t); // with the record of the entity
    return make(what,
                &(mica_time_desc){.budget = what->n * size, .thin = true, .dense = 1, .gap = GAP});
}

static void thin_mica_run(void *state)
{
    mica_state *s = state;
    while (s->taken_count < FRAMES) {
        frame(s);
        s->taken[s->taken_count++] = take(s);
    }
}

static void *thin_full_mica_setup(const bench_case *what)
{
    mica_state *s = thin_mica_setup(what);
    if (s != NULL) {
        thin_mica_run(s);
    }
    return s;
}

static void thin_mica_prepare(void *state)
{
    frame(state);
}

static double history_mica_bytes(void *state)
{
    const mica_state *s = state;
    return (double)mica_time_get_stats(s->world).log_bytes;
}

static double history_mica_gap(void *state)
{
    const mica_state *s = state;
    uint32_t most = 0;
    uint32_t last = UINT32_MAX; // kept
    for (uint32_t i = 0; i < FRAMES; i++) {
        last = mica_snapshot_is_kept(s->world, s->taken[i]) ? i : last;
        bool counts = i >= FRAMES - HISTORY;
        uint32_t gap = last == UINT32_MAX ? HISTORY : i - last;
        most = counts && gap > most ? gap : most;
    }
    return most;
}

// limit

typedef struct limit_state {
    unsigned char *world;
    unsigned char *copy;
    unsigned char *later; // the newest copy, while `copy` is an older one
    size_t size;
    uint32_t n;
    uint64_t random;
    double counted_ns;
} limit_state;

// Behind the ids.
static Position *positions(const limit_state *s)
{
    return (Position *)(void *)(s->world + s->n * sizeof(uint64_t));
}

static void limit_frame(const limit_state *s)
{
    Position *position = positions(s);
    const Velocity *velocity = (const Velocity *)(const void *)(position + s->n);
    for (uint32_t i = 0; i < s->n && i < MOVING; i++) {
        kernel_move(&position[i], &velocity[i], BENCH_DT);
    }
}

static void limit_frames(const limit_state *s)
{
    for (uint32_t i = 0; i < BACK; i++) {
        limit_frame(s);
    }
}

static void take_limit_run(void *state)
{
    const limit_state *s = state;
    memcpy(s->copy, s->world, s->size);
}

static void back_limit_run(void *state)
{
    const limit_state *s = state;
    memcpy(s->world, s->copy, s->size);
}

static limit_state *limit_make(const bench_case *what)
{
    limit_state *s = bench_alloc_touched(sizeof *s);
    size_t size = (size_t)what->n * ENTITY_SIZE;
    *s = (limit_state){.world = bench_alloc_touched(size),
                       .copy = bench_alloc_touched(size),
                       .later = bench_alloc_touched(size),
                       .size = size,
                       .n = what->n};
    Position *position = positions(s);
    Velocity *velocity = (Velocity *)(void *)(position + s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        position[i] = position_of(i);
        velocity[i] = velocity_of(i);
    }
    return s;
}

static void *limit_setup(const bench_case *what)
{
    limit_state *s = limit_make(what);
    limit_frames(s);
    take_limit_run(s);
    return s;
}

static void *back_8_limit_setup(const bench_case *what)
{
    limit_state *s = limit_make(what);
    take_limit_run(s);
    limit_frames(s);
    return s;
}

static uint64_t limit_check(void *state)
{
    const limit_state *s = state;
    const Position *position = positions(s);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_position(i, &position[i]);
    }
    return sum;
}

static void limit_teardown(void *state)
{
    limit_state *s = state;
    bench_free(s->world);
    bench_free(s->copy);
    bench_free(s->later);
    bench_free(s);
}

static void limit_prepare(void *state)
{
    limit_frame(state);
}

static void churn_limit_prepare(void *state)
{
    limit_state *s = state;
    Position *position = positions(s);
    for (uint32_t i = 0; i < CHURN; i++) {
        uint32_t place = next_place(&s->random, s->n);
        position[place] = position_of(place);
        (void)next_place(&s->random, s->n);
    }
}

static void back_8_limit_prepare(void *state)
{
    limit_frames(state);
}

static void nothing(void *state)
{
    (void)state;
}

static void rollback_limit_run(void *state)
{
    limit_state *s = state;
    uint64_t start = bench_now_ns();
    back_limit_run(s);
    uint64_t counted = bench_now_ns() - start;
    for (uint32_t i = 0; i <= BACK; i++) {
        limit_frame(s);
        start = bench_now_ns();
        memcpy(i == 0 ? s->copy : s->later, s->world, s->size);
        counted += bench_now_ns() - start;
    }
    s->counted_ns = (double)counted;
}

static double limit_counted(void *state)
{
    const limit_state *s = state;
    return s->counted_ns;
}

#define SIZES                                                                                      \
    {                                                                                              \
        100000, 1000000                                                                            \
    }
#define MICA(set_up, ready, work, measured)                                                        \
    [BENCH_MICA] = {.setup = set_up,                                                               \
                    .prepare = ready,                                                              \
                    .run = work,                                                                   \
                    .check = mica_check,                                                           \
                    .teardown = mica_teardown,                                                     \
                    .value = measured}
#define LIMIT(set_up, ready, work, measured)                                                       \
    [BENCH_LIMIT] = {.setup = set_up,                                                              \
                     .prepare = ready,                                                             \
                     .run = work,                                                                  \
                     .check = limit_check,                                                         \
                     .teardown = limit_teardown,                                                   \
                     .value = measured}

static const bench_scenario scenarios[] = {
    {.name = "time_take",
     .text = "a snapshot, 0.5 MB written, of 52 bytes per entity; in all",
     .sizes = SIZES,
     .items = one,
     .sides = {MICA(mica_setup, take_mica_prepare, take_mica_run, NULL),
               LIMIT(limit_setup, limit_prepare, take_limit_run, NULL)}},
    {.name = "time_take_still",
     .text = "the same, nothing written",
     .sizes = SIZES,
     .items = one,
     .sides = {MICA(mica_setup, still_mica_prepare, take_mica_run, NULL),
               LIMIT(limit_setup, nothing, take_limit_run, NULL)}},
    {.name = "time_take_churn",
     .text = "the same after 300 scattered spawns, despawns, and tags added and removed",
     .sizes = SIZES,
     .items = one,
     .sides = {MICA(mica_setup, churn_mica_prepare, take_mica_run, NULL),
               LIMIT(limit_setup, churn_limit_prepare, take_limit_run, NULL)}},
    {.name = "time_take_thin",
     .text = "a snapshot, 0.5 MB written, where a full history is thinned out",
     .sizes = SIZES,
     .items = one,
     .sides = {MICA(thin_full_mica_setup, thin_mica_prepare, take_mica_run, NULL)}},
    {.name = "time_back",
     .text = "a restore of the last snapshot, 0.5 MB written since; in all",
     .sizes = SIZES,
     .items = one,
     .sides = {MICA(mica_setup, back_mica_prepare, back_mica_run, NULL),
               LIMIT(limit_setup, limit_prepare, back_limit_run, NULL)}},
    {.name = "time_back_8",
     .text = "a restore, eight such frames back",
     .sizes = SIZES,
     .items = one,
     .sides = {MICA(mica_setup, back_8_mica_prepare, back_8_mica_run, NULL),
               LIMIT(back_8_limit_setup, back_8_limit_prepare, back_limit_run, NULL)}},
    {.name = "time_rollback",
     .text = "eight frames back, and nine frames with snapshots, without the frames; in all",
     .sizes = SIZES,
     .items = one,
     .sides = {MICA(mica_setup, nothing, rollback_mica_run, mica_counted),
               LIMIT(back_8_limit_setup, nothing, rollback_limit_run, limit_counted)}},
    {.name = "time_compare",
     .text = "what a frame changed, reported; per value",
     .sizes = SIZES,
     .items = moving,
     .sides = {MICA(mica_setup, NULL, compare_mica_run, NULL)}},
    {.name = "time_history",
     .text =
         "logs of a history of 600 frames of 0.5 MB each, at most as large as the world; in all",
     .sizes = SIZES,
     .unit = BENCH_BYTES,
     .fresh = true,
     .items = one,
     .sides = {MICA(thin_mica_setup, NULL, thin_mica_run, history_mica_bytes)}},
    {.name = "time_history_gap",
     .text = "the most frames to run again to reach one of those frames",
     .sizes = SIZES,
     .unit = BENCH_COUNT,
     .fresh = true,
     .items = one,
     .sides = {MICA(thin_mica_setup, NULL, thin_mica_run, history_mica_gap)}},
};

const bench_family bench_time = {scenarios, sizeof scenarios / sizeof scenarios[0]};
