// Events: n of them sent one by one, and all read; the memory is that of the frame before last.
//
//   event_send  sending
//   event_read  reading
//   events_1m   a frame in which a million are sent by one system and read by another
//   event_cursor  a step in which a system reads n events, through a plain cursor
//   event_unread  the same with MICA_UNREAD, whose place is part of the world
//
// The limit is an array that is filled, and one that is added up.
#include <mica/event.h>
#include <mica/system.h>
#include <mica/world.h>

#include "harness.h"
#include "kernels.h"
#include "plain.h"
#include "scenarios.h"

// mica

typedef struct mica_state {
    mica_world *world;
    mica_type position;
    uint32_t n;
    float sum; // of the last run that read
    mica_cursor cursor;
} mica_state;

static void send_mica_run(void *state)
{
    mica_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        Position p = position_of(i);
        mica_send(s->world, MICA_COPY_OF(s->position, p));
    }
}

static void read_mica_run(void *state)
{
    mica_state *s = state;
    mica_cursor cursor = {0};
    uint32_t count;
    float sum = 0;
    for (const Position *p;
         (p = MICA_EVENTS(s->world, s->position, Position, &cursor, &count)) != NULL;) {
        for (uint32_t i = 0; i < count; i++) {
            sum += p[i].x;
        }
    }
    s->sum = sum;
}

static void *send_mica_setup(const bench_case *what)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    mica_state *s = bench_alloc_touched(sizeof *s);
    *s = (mica_state){
        .world = world, .position = MICA_REGISTER(world, Position, x, y), .n = what->n};
    send_mica_run(s);
    mica_step(world, 0);
    mica_step(world, 0); // they are gone
    return s;
}

static void *read_mica_setup(const bench_case *what)
{
    mica_state *s = send_mica_setup(what);
    if (s != NULL) {
        send_mica_run(s);
    }
    return s;
}

static uint64_t mica_check(void *state)
{
    const mica_state *s = state;
    mica_cursor cursor = {0};
    uint32_t count;
    uint64_t sum = (uint64_t)(s->sum > 0);
    uint32_t number = 0;
    for (const Position *p;
         (p = MICA_EVENTS(s->world, s->position, Position, &cursor, &count)) != NULL;) {
        for (uint32_t i = 0; i < count; i++) {
            sum += check_position(number++, &p[i]);
        }
    }
    return sum;
}

static void mica_teardown(void *state)
{
    mica_state *s = state;
    mica_world_free(s->world);
    bench_free(s);
}

// limit

typedef struct limit_state {
    Position *position;
    uint32_t n;
    float sum;
} limit_state;

static void send_limit_run(void *state)
{
    limit_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        s->position[i] = position_of(i);
    }
}

static void read_limit_run(void *state)
{
    limit_state *s = state;
    float sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += s->position[i].x;
    }
    s->sum = sum;
}

static void *send_limit_setup(const bench_case *what)
{
    limit_state *s = bench_alloc_touched(sizeof *s);
    *s = (limit_state){.position = bench_alloc_touched(what->n * sizeof(Position)), .n = what->n};
    return s;
}

static void *read_limit_setup(const bench_case *what)
{
    limit_state *s = send_limit_setup(what);
    send_limit_run(s);
    return s;
}

static uint64_t limit_check(void *state)
{
    const limit_state *s = state;
    uint64_t sum = (uint64_t)(s->sum > 0);
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_position(i, &s->position[i]);
    }
    return sum;
}

static void limit_teardown(void *state)
{
    limit_state *s = state;
    bench_free(s->position);
    bench_free(s);
}

// A frame

static void send_all(mica_iter *it)
{
    send_mica_run(it->user);
}

static void read_new(mica_iter *it)
{
    mica_state *s = it->user;
    uint32_t count;
    float sum = 0;
    for (const Position *p;
         (p = MICA_EVENTS(s->world, s->position, Position, &s->cursor, &count)) != NULL;) {
        for (uint32_t i = 0; i < count; i++) {
            sum += p[i].x;
        }
    }
    s->sum = sum;
}

static void *frame_mica_setup(const bench_case *what)
{
    mica_state *s = send_mica_setup(what);
    if (s == NULL) {
        return NULL;
    }
    mica_system_add(s->world, &(mica_system_desc){.name = "send",
                                                  .update = send_all,
                                                  .user = s,
                                                  .events = {{s->position, MICA_WRITE}}});
    mica_system_add(s->world, &(mica_system_desc){.name = "read",
                                                  .update = read_new,
                                                  .user = s,
                                                  .events = {{s->position, MICA_READ}}});
    return s;
}

static void frame_mica_run(void *state)
{
    const mica_state *s = state;
    mica_step(s->world, 0);
}

// Reading in a step

static void read_unread(mica_iter *it)
{
    mica_state *s = it->user;
    uint32_t count;
    float sum = 0;
    for (const Position *p; (p = MICA_UNREAD(it, s->position, Position, &count)) != NULL;) {
        for (uint32_t i = 0; i < count; i++) {
            sum += p[i].x;
        }
    }
    s->sum = sum;
}

static void *step_setup(const bench_case *what, mica_update_fn *update)
{
    mica_state *s = send_mica_setup(what);
    if (s != NULL) {
        mica_system_add(s->world, &(mica_system_desc){.name = "read",
                                                      .update = update,
                                                      .user = s,
                                                      .events = {{s->position, MICA_READ}}});
    }
    return s;
}

static void *cursor_mica_setup(const bench_case *what)
{
    return step_setup(what, read_new);
}

static void *unread_mica_setup(const bench_case *what)
{
    return step_setup(what, read_unread);
}

static uint32_t one_step(uint32_t n)
{
    (void)n;
    return 1;
}

static void step_mica_prepare(void *state)
{
    send_mica_run(state);
}

// Of what both have added up.
static uint64_t frame_mica_check(void *state)
{
    const mica_state *s = state;
    return (uint64_t)(s->sum > 0);
}

static void *frame_limit_setup(const bench_case *what)
{
    return send_limit_setup(what);
}

static void frame_limit_run(void *state)
{
    send_limit_run(state);
    bench_barrier();
    read_limit_run(state);
}

static uint64_t frame_limit_check(void *state)
{
    const limit_state *s = state;
    return (uint64_t)(s->sum > 0);
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
    {.name = "event_send", .text = "events sent one by one", .fresh = true, .sides = SIDES(send)},
    {.name = "event_read", .text = "and read", .sides = SIDES(read)},
    {.name = "events_1m",
     .text = "a frame in which systems send and read a million, per event",
     .sizes = {1000000},
     .sides = {[BENCH_MICA] = {.setup = frame_mica_setup,
                               .run = frame_mica_run,
                               .check = frame_mica_check,
                               .teardown = mica_teardown},
               [BENCH_LIMIT] = {.setup = frame_limit_setup,
                                .run = frame_limit_run,
                                .check = frame_limit_check,
                                .teardown = limit_teardown}}},
    {.name = "event_cursor",
     .text = "a step in which a system reads so many events, through a plain cursor; in all",
     .sizes = {1, 1000},
     .items = one_step,
     .sides = {[BENCH_MICA] = {.setup = cursor_mica_setup,
                               .prepare = step_mica_prepare,
                               .run = frame_mica_run,
                               .check = frame_mica_check,
                               .teardown = mica_teardown}}},
    {.name = "event_unread",
     .text = "the same with MICA_UNREAD",
     .sizes = {1, 1000},
     .items = one_step,
     .sides = {[BENCH_MICA] = {.setup = unread_mica_setup,
                               .prepare = step_mica_prepare,
                               .run = frame_mica_run,
                               .check = frame_mica_check,
                               .teardown = mica_teardown}}},
};

const bench_family bench_event = {scenarios, sizeof scenarios / sizeof scenarios[0]};
