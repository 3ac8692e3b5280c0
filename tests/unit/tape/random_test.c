// Z3, tapes: random input is recorded, and played in a second world, in parts of random length: after each of them, both worlds
// have the same digest. Memory runs out now and then.
#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "unit/tape/mend.h"
#include "unit/time/rich.h"

enum { STEPS = 24, HANDLES = 8, BIG_WORDS = 50 };

typedef struct tapes {
    rich game;
    rich viewer;
    uint64_t random;
    mica_world *input;
    mica_buffer tape;
    mica_entity handles[HANDLES]; // of entities that input has spawned
    uint64_t digests[STEPS + 1];
    uint32_t steps; // that can be played
    bool unsure;    // a step has failed for lack of memory: if it was written, playing ends there
} tapes;

static uint32_t below(tapes *s, uint32_t end)
{
    return (uint32_t)(cast_random(&s->random) % end);
}

// Input

static mica_entity choose(tapes *s)
{
    mica_entity own = s->handles[below(s, HANDLES)];
    return below(s, 2) ? own : rich_choose(&s->game, cast_random(&s->random));
}

static void make_value(tapes *s, uint32_t type, float words[BIG_WORDS], mica_value *value_out)
{
    const mica_type_info *info = mica_type_get_info(s->game.c.world, s->game.types[type]);
    for (uint32_t i = 0; i < BIG_WORDS; i++) {
        words[i] = (float)below(s, 100);
    }
    bool has = info->size > 0 && type != CAST_SHEET && below(s, 4) > 0;
    *value_out = (mica_value){.type = s->game.types[type]};
    if (has) {
        *value_out = (mica_value){s->game.types[type], words, info->size, 1, NULL};
    }
}

static void spawn(tapes *s)
{
    float words[2][BIG_WORDS];
    mica_value values[2];
    make_value(s, below(s, RICH_TYPES), words[0], &values[0]);
    make_value(s, below(s, RICH_TYPES), words[1], &values[1]);
    s->handles[below(s, HANDLES)] = mica_spawn_values(s->input, values, below(s, 3));
}

static void spawn_many(tapes *s)
{
    const Vec2 places[3] = {{1, 2}, {(float)below(s, 9), 4}, {5, 6}};
    const mica_value value = {s->game.types[CAST_POSITION], places, sizeof *places, 3, NULL};
    mica_entity entities[3];
    if (mica_spawn_many(s->input, s->game.bundle, 3, &value, below(s, 2), entities) == MICA_OK) {
        s->handles[below(s, HANDLES)] = entities[below(s, 3)];
    }
}

static void add_facet(tapes *s, mica_entity owner)
{
    float words[BIG_WORDS];
    mica_value value;
    make_value(s, below(s, RICH_TYPES), words, &value);
    mica_type key = below(s, 2) ? s->game.types[below(s, RICH_TYPES)] : (mica_type){0};
    s->handles[below(s, HANDLES)] =
        mica_facet_add_values(s->input, owner, key, 1 + below(s, 4), &value, below(s, 2));
}

static void change(tapes *s, mica_entity entity)
{
    float words[BIG_WORDS];
    mica_value value;
    make_value(s, below(s, RICH_TYPES), words, &value);
    mica_type removed = s->game.types[below(s, RICH_TYPES)];
    mica_change(s->input, entity, &value, 1, &removed, below(s, 2));
}

static void set(tapes *s, mica_entity entity)
{
    float words[BIG_WORDS];
    mica_value value;
    make_value(s, below(s, RICH_TYPES), words, &value);
    if (value.data) {
        mica_set_value(s->input, entity, value.type, value.data, value.size);
    } else {
        mica_add(s->input, entity, value.type);
    }
}

static void toggle(tapes *s, mica_entity entity)
{
    static const uint32_t toggles[] = {CAST_SPLIT, CAST_SPARSE, CAST_MARK, CAST_BYTES, RICH_STEADY};
    mica_type type = s->game.types[toggles[below(s, 5)]];
    if (below(s, 2)) {
        mica_enable(s->input, entity, type);
    } else {
        mica_disable(s->input, entity, type);
    }
}

static void send(tapes *s)
{
    const mica_type events[] = {s->game.c.score, s->game.c.secret, s->game.c.vec2};
    const Vec2 values[3] = {{(float)below(s, 9), 1}, {2, 3}, {4, 5}};
    mica_type type = events[below(s, 3)];
    const mica_value sent = {type, values, sizeof *values, 1 + below(s, 3), NULL};
    const mica_value normal = {.type = type};
    mica_send_values(s->input, below(s, 4) ? &sent : &normal, 1);
}

static void name(tapes *s, mica_entity entity)
{
    char text[16];
    (void)snprintf(text, sizeof text, "name %u", (unsigned)below(s, 10));
    mica_entity_set_name(s->input, entity, below(s, 3) ? text : NULL);
}

// Some of it is refused: for dead entities, and facets of facets.
static void make_input(tapes *s)
{
    mica_entity entity = choose(s);
    switch (below(s, 12)) {
    case 0: spawn(s); break;
    case 1: spawn_many(s); break;
    case 2: add_facet(s, entity); break;
    case 3: s->handles[below(s, HANDLES)] = mica_clone(s->input, entity); break;
    case 4: mica_despawn(s->input, entity); break;
    case 5: change(s, entity); break;
    case 6: mica_remove(s->input, entity, s->game.types[below(s, RICH_TYPES)]); break;
    case 7: toggle(s, entity); break;
    case 8: send(s); break;
    case 9: name(s, entity); break;
    default: set(s, entity); break;
    }
    test_error_clear(&s->game.c.t.error);
}

// Recording and playing

static void begin_trouble(tapes *s, rich *r)
{
    bool some = below(s, 4) == 0;
    test_memory_fail_at(&r->c.t.memory, some ? 1 + below(s, 40) : 0, TEST_MEMORY_ONCE);
}

static bool end_trouble(rich *r)
{
    bool refused = r->c.t.memory.refusals > 0;
    test_memory_fail_at(&r->c.t.memory, 0, TEST_MEMORY_ONCE);
    return refused;
}

// Steps. Returns false if memory ran out when the step had begun: the tape cannot be played beyond it.
static bool step(tapes *s, double dt)
{
    mica_world *world = s->game.c.world;
    uint32_t waiting = mica_commands_count(s->input);
    uint64_t digest = mica_world_digest(world);
    test_memory_fail_at(&s->game.c.t.memory, below(s, 4) ? 0 : 1 + below(s, 6), TEST_MEMORY_ONCE);
    mica_result result = mica_step(world, dt);
    if (!end_trouble(&s->game)) {
        REQUIRE_EQUAL(MICA_OK, result);
        return true;
    }
    if (result && waiting == mica_commands_count(s->input) && digest == mica_world_digest(world)) {
        REQUIRE_EQUAL(MICA_OK, mica_step(world, dt));
        s->unsure = true;
        return true;
    }
    return false; // or a system lacked it
}

static bool record(tapes *s, uint32_t number)
{
    static const double times[] = {0.3, 0.3, 0.3, 0, 0.125};
    mica_world *world = s->game.c.world;
    for (uint32_t i = below(s, 2) ? 0 : below(s, 12); i > 0; i--) {
        begin_trouble(s, &s->game);
        make_input(s);
        end_trouble(&s->game);
        test_error_clear(&s->game.c.t.error);
    }
    REQUIRE_TEXT("", mica_world_validate(world) ? s->game.c.t.error.last.sentence : "");
    bool whole = step(s, times[below(s, 5)]);
    test_error_clear(&s->game.c.t.error); // what could not be applied
    if (whole) {
        s->digests[number] = rich_digest(&s->game);
        s->steps = number;
    }
    return whole;
}

static void play(tapes *s)
{
    rich *r = &s->viewer;
    const mica_stream stream = {.data = s->tape.data, .size = s->tape.size};
    uint64_t at = 0;
    while (at < s->steps) {
        uint64_t played;
        uint64_t count = 1 + below(s, s->steps - at < 5 ? (uint32_t)(s->steps - at) : 5);
        test_memory_fail_at(&r->c.t.memory, below(s, 4) ? 0 : 1 + below(s, 12), TEST_MEMORY_ONCE);
        mica_result result = mica_tape_play(r->c.world, &stream, at, count, &played);
        bool refused = end_trouble(r);
        bool wrong = result && !refused && !(s->unsure && result == MICA_ERROR_DESYNC);
        REQUIRE_TEXT("", wrong ? r->c.t.error.last.sentence : "");
        at += played;
        REQUIRE_TEXT("", mica_world_validate(r->c.world) ? r->c.t.error.last.sentence : "");
        if (s->digests[at] != rich_digest(r)) {
            REQUIRE(result || refused); // a step ran in part, or a system lacked memory
            return;
        }
        if (result && !refused) {
            return;
        }
        test_error_clear(&r->c.t.error);
    }
}

// Plays the tape with some wrong bytes, and right sums.
static void play_wrong(tapes *s)
{
    rich *r = &s->viewer;
    for (uint32_t i = 1 + below(s, 8); i > 0; i--) {
        s->tape.data[below(s, (uint32_t)s->tape.size)] ^= (unsigned char)(1u << below(s, 8));
    }
    mend_tape(s->tape.data, s->tape.size, mica_world_hash(r->c.world), 0);
    uint64_t played;
    const mica_stream stream = {.data = s->tape.data, .size = s->tape.size};
    mica_result result = mica_tape_play(r->c.world, &stream, 0, 0, &played);
    test_error_clear(&r->c.t.error);
    REQUIRE_TEXT("", mica_world_validate(r->c.world) ? r->c.t.error.last.sentence : "");
    REQUIRE(result != MICA_ERROR_BASE || played == 0);
    REQUIRE(s->digests[0] == rich_digest(r) || played > 0 || result == MICA_ERROR_DESYNC);
}

static void record_tape(tapes *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->random = seed;
    rich_begin(&s->game, NULL);
    rich_begin(&s->viewer, NULL);
    for (uint32_t i = below(s, 60); i > 0; i--) {
        uint64_t choice = cast_random(&s->random);
        rich_do(&s->game, choice);
        rich_do(&s->viewer, choice);
    }
    s->digests[0] = rich_digest(&s->game);
    REQUIRE_EQUAL(s->digests[0], rich_digest(&s->viewer));
    const mica_tape_desc desc = {.hash_steps = below(s, 4)};
    s->input = mica_tape_begin(s->game.c.world, &(mica_stream){.buffer = &s->tape}, &desc);
    REQUIRE(s->input != NULL);
    REQUIRE_EQUAL(s->digests[0], rich_digest(&s->game));
    for (uint32_t i = 1; i <= STEPS && record(s, i); i++) {
    }
    REQUIRE_EQUAL(MICA_OK, mica_tape_end(s->game.c.world));
}

static void use_tape(uint64_t seed, void (*use)(tapes *s))
{
    static tapes s;
    record_tape(&s, seed);
    use(&s);
    mica_buffer_free(&s.tape);
    test_error_clear(&s.viewer.c.t.error);
    rich_end(&s.game);
    rich_end(&s.viewer);
}

static void record_and_play(uint64_t seed)
{
    use_tape(seed, play);
}

static void record_and_play_wrong(uint64_t seed)
{
    use_tape(seed, play_wrong);
}

static void random_input_plays_again(void)
{
    test_run_seeds(60, 1000, record_and_play);
}

static void wrong_bytes_do_no_harm(void)
{
    test_run_seeds(60, 1000, record_and_play_wrong);
}

TESTS(tape_random, random_input_plays_again, wrong_bytes_do_no_harm)
