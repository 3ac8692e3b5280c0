// Tests of src/event/queue.c with src/system: S3.6, a reader in a phase with a time step of its own keeps an
// event until that phase has run twice.
#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Hit {
    uint32_t number;
} Hit;

typedef struct reader {
    mica_type hit;
    mica_cursor cursor;
    uint32_t expected;    // the number that comes next
    uint32_t runs;        // and came to their end
    bool fails;           // before it reads
    const uint32_t *sent; // NULL: nobody counts
} reader;

enum { EVENTS_MAX = 2048 };

// For each event that was sent, how many runs have begun since.
static uint32_t runs_since[EVENTS_MAX];

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type hit;
    mica_phase fixed; // every second
    reader reader;    // in it
    uint32_t sent;
} scene;

static void read_all(mica_world *world, reader *r)
{
    uint32_t count;
    for (const Hit *h; (h = MICA_EVENTS(world, r->hit, Hit, &r->cursor, &count)) != NULL;) {
        for (uint32_t i = 0; i < count; i++) {
            CHECK_EQUAL(r->expected++, h[i].number);
        }
    }
    CHECK_EQUAL(0, r->cursor.missed);
}

static void update(mica_iter *it)
{
    reader *r = it->user;
    if (r->fails) {
        mica_system_fail(it, 0, "on purpose");
        return;
    }
    for (uint32_t i = 0; r->sent && i < *r->sent; i++) {
        runs_since[i]++;
    }
    read_all(it->world, r);
    r->runs++;
}

static mica_system add_reader(scene *s, const char *name, reader *r, mica_phase phase)
{
    r->hit = s->hit;
    mica_system added =
        mica_system_add(s->world, &(mica_system_desc){.name = name,
                                                      .update = update,
                                                      .user = r,
                                                      .phase = phase,
                                                      .events = {{s->hit, MICA_READ}}});
    REQUIRE(!MICA_IS_NONE(added));
    return added;
}

static void scene_begin(scene *s)
{
    memset(s, 0, sizeof *s);
    s->world = test_world_begin(&s->t);
    s->hit = MICA_REGISTER(s->world, Hit, number);
    s->fixed = mica_phase_add(s->world, &(mica_phase_desc){.name = "fixed", .fixed_dt = 1});
    add_reader(s, "reader", &s->reader, s->fixed);
}

static void scene_end(scene *s)
{
    CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
    test_world_end(&s->t);
}

static void send(scene *s)
{
    CHECK_EQUAL(MICA_OK, mica_send(s->world, MICA_VALUE(s->hit, Hit, s->sent)));
    s->sent++;
}

static void step(scene *s, double dt)
{
    CHECK_EQUAL(MICA_OK, mica_step(s->world, dt));
}

static void an_event_waits_until_the_phase_has_run_twice(void) // S3.6
{
    scene s;
    scene_begin(&s);
    send(&s);
    for (uint32_t i = 0; i < 10; i++) { // many frames, no run
        step(&s, 0);
        CHECK_EQUAL(1, test_event_count(s.world, s.hit));
    }
    step(&s, 1);
    CHECK_EQUAL(1, s.reader.runs);
    CHECK_EQUAL(1, s.reader.expected); // it has read it
    for (uint32_t i = 0; i < 10; i++) {
        CHECK_EQUAL(1, test_event_count(s.world, s.hit));
        step(&s, 0);
    }
    step(&s, 1);
    CHECK_EQUAL(0, test_event_count(s.world, s.hit));
    scene_end(&s);
}

TEST_WITH(scene, s, runs_of_one_step_count_each)
{
    send(s);
    step(s, 0);
    step(s, 0);
    CHECK_EQUAL(1, test_event_count(s->world, s->hit));
    step(s, 2);
    CHECK_EQUAL(2, s->reader.runs);
    CHECK_EQUAL(0, test_event_count(s->world, s->hit));
    // What was sent in the frame that runs is there in the next, as ever.
    send(s);
    step(s, 5);
    CHECK_EQUAL(1, test_event_count(s->world, s->hit));
    step(s, 0);
    CHECK_EQUAL(0, test_event_count(s->world, s->hit));
}

TEST_WITH(scene, s, other_events_and_readers_go_on_as_ever)
{
    mica_type other =
        mica_type_register(s->world, &(mica_type_desc){.name = "Other", .size = 4, .align = 4});
    reader often = {0};
    add_reader(s, "often", &often, (mica_phase){0});
    for (uint32_t frame = 0; frame < 50; frame++) {
        send(s);
        CHECK_EQUAL(MICA_OK, mica_send(s->world, MICA_ADD(other)));
        CHECK_EQUAL(frame == 0 ? 1 : 2, test_event_count(s->world, other)); // two frames
        step(s, frame % 10 == 9 ? 1 : 0);
        CHECK_EQUAL(frame + 1, often.expected); // each once, in the frame that it was sent in
    }
    CHECK_EQUAL(5, s->reader.runs);
    CHECK_EQUAL(50, s->reader.expected);
    CHECK_EQUAL(50, often.runs);
}

TEST_WITH(scene, s, a_run_that_fails_does_not_count)
{
    send(s);
    step(s, 0);
    s->reader.fails = true;
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(s->world, 1));
        CHECK_EQUAL(1, test_error_clear(&s->t.error));
    }
    s->reader.fails = false;
    for (uint32_t i = 0; i < 4; i++) { // frames that end well, without a run
        step(s, 0);
        CHECK_EQUAL(1, test_event_count(s->world, s->hit));
    }
    step(s, 1);
    CHECK_EQUAL(1, s->reader.expected);
    step(s, 1);
    CHECK_EQUAL(0, test_event_count(s->world, s->hit));
}

TEST_WITH(scene, s, who_does_not_read_does_not_hold)
{
    mica_system own = mica_system_find(s->world, "reader");
    CHECK_EQUAL(MICA_OK, mica_system_remove(s->world, own));
    mica_system_add(s->world, &(mica_system_desc){.name = "sender",
                                                  .update = update,
                                                  .user = &s->reader,
                                                  .phase = s->fixed,
                                                  .events = {{s->hit, MICA_WRITE}}});
    send(s);
    step(s, 0);
    CHECK_EQUAL(1, test_event_count(s->world, s->hit));
    step(s, 0);
    CHECK_EQUAL(0, test_event_count(s->world, s->hit));
}

TEST_WITH(scene, s, a_reader_that_goes_or_moves_lets_go)
{
    mica_system own = mica_system_find(s->world, "reader");
    send(s);
    for (uint32_t i = 0; i < 5; i++) {
        step(s, 0);
    }
    CHECK_EQUAL(1, test_event_count(s->world, s->hit));
    CHECK_EQUAL(MICA_OK, mica_system_move(s->world, own, (mica_phase){0}, (mica_system){0}));
    step(s, 0);
    CHECK_EQUAL(0, test_event_count(s->world, s->hit));
    CHECK_EQUAL(1, s->reader.expected);
    CHECK_EQUAL(MICA_OK, mica_system_move(s->world, own, s->fixed, (mica_system){0}));
    send(s);
    for (uint32_t i = 0; i < 5; i++) {
        step(s, 0);
    }
    CHECK_EQUAL(1, test_event_count(s->world, s->hit));
    CHECK_EQUAL(MICA_OK, mica_system_remove(s->world, own));
    step(s, 0);
    CHECK_EQUAL(0, test_event_count(s->world, s->hit));
}

TEST_WITH(scene, s, a_disabled_reader_holds_no_longer_than_its_phase)
{
    CHECK_EQUAL(MICA_OK, mica_system_disable(s->world, mica_system_find(s->world, "reader")));
    send(s);
    step(s, 1);
    CHECK_EQUAL(1, test_event_count(s->world, s->hit));
    step(s, 1);
    CHECK_EQUAL(0, test_event_count(s->world, s->hit));
}

TEST_WITH(scene, s, of_two_phases_the_slower_one_holds)
{
    mica_phase slow = mica_phase_add(s->world, &(mica_phase_desc){.name = "slow", .fixed_dt = 4});
    reader other = {0};
    add_reader(s, "other", &other, slow);
    send(s);
    for (uint32_t i = 0; i < 7; i++) {
        step(s, 1);
        CHECK_EQUAL(1, test_event_count(s->world, s->hit));
    }
    step(s, 1);
    CHECK_EQUAL(2, other.runs);
    CHECK_EQUAL(0, test_event_count(s->world, s->hit));
}

static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 10) % limit;
}

static void send_some(mica_iter *it)
{
    scene *s = it->user;
    if (random_below(3) == 0) {
        send(s);
    }
}

// Frames of all lengths; events from before the phase, in it, behind it and from outside.
static void whatever_the_order_of_sending_and_running_nothing_is_missed(void) // S3.6
{
    for (uint32_t seed = 0; seed < 20; seed++) {
        scene s;
        scene_begin(&s);
        memset(runs_since, 0, sizeof runs_since);
        s.reader.sent = &s.sent;
        random_state = seed;
        mica_phase first = mica_phase_find(s.world, "update");
        mica_phase last = mica_phase_add(s.world, &(mica_phase_desc){.name = "last"});
        const mica_phase phases[] = {first, s.fixed, last};
        const char *const names[] = {"first", "within", "last"};
        for (uint32_t i = 0; i < 3; i++) {
            mica_system_add(s.world, &(mica_system_desc){.name = names[i],
                                                         .update = send_some,
                                                         .user = &s,
                                                         .phase = phases[i],
                                                         .events = {{s.hit, MICA_WRITE}}});
        }
        reader outside = {.hit = s.hit};
        for (uint32_t frame = 0; frame < 300 && s.sent + 32 < EVENTS_MAX; frame++) {
            if (random_below(2) == 0) {
                send(&s);
            }
            step(&s, random_below(4) == 0 ? random_below(4) : random_below(3) * 0.25);
            read_all(s.world, &outside);
            CHECK_EQUAL(s.sent, outside.expected);
            // All that have not been there for two runs can still be read.
            uint32_t needed = 0;
            while (needed < s.sent && runs_since[s.sent - 1 - needed] < 2) {
                needed++;
            }
            CHECK(test_event_count(s.world, s.hit) >= needed);
        }
        // When nothing is sent any more, all go.
        for (uint32_t i = 0; i < 3; i++) {
            CHECK_EQUAL(MICA_OK, mica_system_remove(s.world, mica_system_find(s.world, names[i])));
        }
        for (uint32_t i = 0; i < 4; i++) {
            step(&s, 1);
        }
        CHECK_EQUAL(0, test_event_count(s.world, s.hit));
        CHECK_EQUAL(s.sent, s.reader.expected);
        scene_end(&s);
    }
}

// However many frames: what is kept is what was sent in a few runs of the phase.
TEST_WITH(scene, s, what_is_kept_does_not_grow)
{
    uint32_t most = 0;
    for (uint32_t frame = 0; frame < 2000; frame++) {
        send(s);
        step(s, 0.125);
        uint32_t count = test_event_count(s->world, s->hit);
        most = count > most ? count : most;
    }
    CHECK_EQUAL(250, s->reader.runs);
    CHECK(most <= 5 * 8); // of a run each
}

TESTS(fixed, an_event_waits_until_the_phase_has_run_twice, runs_of_one_step_count_each,
      other_events_and_readers_go_on_as_ever, a_run_that_fails_does_not_count,
      who_does_not_read_does_not_hold, a_reader_that_goes_or_moves_lets_go,
      a_disabled_reader_holds_no_longer_than_its_phase, of_two_phases_the_slower_one_holds,
      whatever_the_order_of_sending_and_running_nothing_is_missed, what_is_kept_does_not_grow)
