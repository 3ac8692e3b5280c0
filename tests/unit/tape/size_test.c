// How large tapes are: docs/decisions/tapes.md has these figures.
#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"

enum { STEPS = 3600, PLAYERS = 2 };

typedef struct Controls {
    int8_t x, y;
    bool jump;
    bool fire;
} Controls;

typedef struct Message {
    uint32_t kind;
    float x, y;
} Message;

typedef struct match {
    test_world t;
    mica_world *world;
    mica_world *input;
    mica_type controls;
    mica_type message;
    mica_entity players[PLAYERS];
    mica_buffer tape;
} match;

static void begin(match *m)
{
    *m = (match){0};
    m->world = test_world_begin(&m->t);
    m->controls = MICA_REGISTER(m->world, Controls, x, y, jump, fire);
    m->message = MICA_REGISTER(m->world, Message, kind, x, y);
    for (int i = 0; i < PLAYERS; i++) {
        m->players[i] = mica_spawn(m->world, MICA_ADD(m->controls));
    }
    m->input = mica_tape_begin(m->world, &(mica_stream){.buffer = &m->tape}, NULL);
    REQUIRE(m->input != NULL);
}

static size_t end(match *m)
{
    REQUIRE_EQUAL(MICA_OK, mica_tape_end(m->world));
    size_t size = m->tape.size;
    mica_buffer_free(&m->tape);
    test_world_end(&m->t);
    return size;
}

static void sizes_of_tapes(void)
{
    match m;
    begin(&m);
    CHECK_EQUAL(32, end(&m)); // no step

    begin(&m);
    for (int i = 0; i < STEPS; i++) {
        REQUIRE_EQUAL(MICA_OK, mica_step(m.world, 1.0 / 60));
    }
    CHECK_EQUAL(32 + 8 + 5 * STEPS, end(&m)); // no input

    begin(&m);
    for (int i = 0; i < STEPS; i++) {
        for (int k = 0; k < PLAYERS; k++) {
            mica_set(m.input, m.players[k],
                     MICA_VALUE(m.controls, Controls, (int8_t)(i % 100 + 1), -1, true, true));
        }
        REQUIRE_EQUAL(MICA_OK, mica_step(m.world, 1.0 / 60));
    }
    CHECK_EQUAL(82857, end(&m)); // 23 in each step: all controls of two players

    begin(&m);
    for (int i = 0; i < STEPS; i++) {
        mica_send(m.input, MICA_VALUE(m.message, Message, (uint32_t)i + 1, 1.5f, 2.5f));
        REQUIRE_EQUAL(MICA_OK, mica_step(m.world, 1.0 / 60));
    }
    CHECK_EQUAL(75656, end(&m)); // 21 in each step: an event of 12 bytes
}

TESTS(tape_size, sizes_of_tapes)
