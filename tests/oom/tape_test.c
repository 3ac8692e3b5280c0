// Tapes, with the k-th allocation refused, for all k. A call that fails says so once. A step that cannot be written does not
// begin, and its input waits. Playing ends behind the last whole step, and goes on from there.
#include <mica.h>

#include "oom/stride.h"
#include "runner/test.h"
#include "runner/world.h"

enum { STEPS = 6, TYPES = 6, ALLOCATIONS_MAX = 2000 };

typedef struct Pair {
    float x, y;
} Pair;

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_world *input;
    mica_type types[TYPES];
    mica_bundle bundle;
    mica_entity first;
} scene;

static void open_scene(scene *s)
{
    static const char *const names[TYPES] = {"A", "B", "C", "D", "E", "F"};
    s->world = test_world_begin(&s->t);
    for (int i = 0; i < TYPES; i++) {
        mica_type_desc desc = MICA_DESCRIBE(Pair, x, y);
        desc.name = names[i];
        desc.toggle = i % 2 == 0;
        desc.storage = i > 3 ? MICA_SPARSE : MICA_TABLE;
        s->types[i] = mica_type_register(s->world, &desc);
    }
    s->bundle = mica_bundle_new(s->world, s->types, 2);
    s->first = mica_spawn(s->world, MICA_VALUE(s->types[0], Pair, 1, 2));
}

// Some of each kind. The calls themselves are refused elsewhere.
static void make_input(scene *s, int number)
{
    mica_type type = s->types[number % TYPES];
    mica_entity entity = mica_spawn(s->input, MICA_VALUE(type, Pair, 3, 4));
    mica_spawn_many(s->input, s->bundle, 2, NULL, 0, NULL);
    mica_facet_add(s->input, entity, type, 1, MICA_VALUE(s->types[1], Pair, 5, 6));
    mica_set(s->input, s->first, MICA_VALUE(type, Pair, (float)number, 1));
    mica_disable(s->input, s->first, s->types[0]);
    mica_clone(s->input, s->first);
    mica_entity_set_name(s->input, entity, (char[2]){(char)('a' + number)});
    mica_send(s->input, MICA_VALUE(s->types[0], Pair, 7, 8));
}

// Tries a step with each allocation refused. Until the input is applied, nothing has happened.
static void step(scene *s)
{
    bool begun = false;
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = oom_first(); result && !begun && k < ALLOCATIONS_MAX; k += oom_stride()) {
        uint64_t digest = mica_world_digest(s->world);
        uint32_t waiting = mica_commands_count(s->input);
        test_memory_fail_at(&s->t.memory, k, TEST_MEMORY_ONCE);
        result = mica_step(s->world, 0.5);
        test_memory_fail_at(&s->t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            CHECK_REPORTED(&s->t, MICA_ERROR_MEMORY);
            REQUIRE_EQUAL(MICA_OK, mica_world_validate(s->world));
            begun =
                digest != mica_world_digest(s->world) || waiting != mica_commands_count(s->input);
        }
    }
    REQUIRE(!result || begun);
    if (begun) {
        REQUIRE_EQUAL(MICA_OK, mica_step(s->world, 0.5)); // what is left
    }
}

static void recording_survives_refusals(void)
{
    scene s = {0};
    mica_buffer tape = {0};
    open_scene(&s);
    s.input = NULL;
    for (uint64_t k = 1; !s.input && k < ALLOCATIONS_MAX; k++) {
        uint64_t digest = mica_world_digest(s.world);
        test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONCE);
        s.input = mica_tape_begin(s.world, &(mica_stream){.buffer = &tape}, NULL);
        test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
        if (!s.input) {
            CHECK_REPORTED(&s.t, MICA_ERROR_MEMORY);
        }
        REQUIRE_EQUAL(digest, mica_world_digest(s.world));
        REQUIRE_EQUAL(MICA_OK, mica_world_validate(s.world));
    }
    REQUIRE(s.input != NULL);
    for (int i = 0; i < STEPS; i++) {
        make_input(&s, i);
        step(&s);
    }
    REQUIRE_EQUAL(MICA_OK, mica_tape_end(s.world));
    mica_buffer_free(&tape);
    test_world_end(&s.t);
}

static void record(mica_buffer *tape, uint64_t digests[STEPS + 1])
{
    scene s = {0};
    open_scene(&s);
    digests[0] = mica_world_digest(s.world);
    s.input = mica_tape_begin(s.world, &(mica_stream){.buffer = tape}, NULL);
    for (int i = 1; i <= STEPS; i++) {
        make_input(&s, i);
        REQUIRE_EQUAL(MICA_OK, mica_step(s.world, 0.5));
        digests[i] = mica_world_digest(s.world);
    }
    REQUIRE_EQUAL(MICA_OK, mica_tape_end(s.world));
    test_world_end(&s.t);
}

static void playing_survives_refusals(void)
{
    mica_buffer tape = {0};
    uint64_t digests[STEPS + 1];
    record(&tape, digests);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = oom_first(); result && k < ALLOCATIONS_MAX; k += oom_stride()) {
        scene s = {0};
        uint64_t played;
        open_scene(&s);
        const mica_stream stream = {.data = tape.data, .size = tape.size};
        test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONCE);
        result = mica_tape_play(s.world, &stream, 0, 0, &played);
        test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            CHECK_REPORTED(&s.t, MICA_ERROR_MEMORY);
        }
        REQUIRE_EQUAL(MICA_OK, mica_world_validate(s.world));
        if (digests[played] == mica_world_digest(s.world)) { // no step has run in part
            uint64_t more;
            REQUIRE_EQUAL(MICA_OK, mica_tape_play(s.world, &stream, played, 0, &more));
            REQUIRE_EQUAL(STEPS, played + more);
            REQUIRE_EQUAL(digests[STEPS], mica_world_digest(s.world));
        }
        test_world_end(&s.t);
    }
    REQUIRE_EQUAL(MICA_OK, result);
    mica_buffer_free(&tape);
}

TESTS(tape, recording_survives_refusals, playing_survives_refusals)
