// What mica/tape.h promises.
#include "promise.h"

#include "runner/folder.h"

#include <setjmp.h>
#include <stdio.h>

typedef struct Place {
    int32_t x, y;
    char note[8];
} Place;

typedef struct Padded {
    int8_t small;
    int32_t wide; // not named
} Padded;

typedef struct Order {
    int32_t kind;
} Order;

// A small simulation: places move to the right, and orders spawn.
typedef struct game {
    test_world t;
    mica_world *world;
    mica_world *input;
    mica_type place, speed, tag, padded, order, shut;
    mica_entity ship;
    mica_bundle bundle;
    uint32_t steps;     // that have run
    mica_result said;   // what input made in a step came to
    bool records;       // in a step
    int fails;          // the system fails in the step of this number
    bool leaves, stops; // the step is left
    int drift;          // what is not in the world: 0 in a simulation that repeats
} game;

static jmp_buf way_out;

static void move(mica_iter *it)
{
    game *g = it->user;
    Place *p = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].x += 1 + g->drift;
    }
}

static void rule(mica_iter *it)
{
    game *g = it->user;
    uint32_t count;
    for (const Order *o; (o = MICA_UNREAD(it, g->order, Order, &count)) != NULL;) {
        for (uint32_t i = 0; i < count; i++) {
            mica_spawn(mica_later(it), MICA_VALUE(g->place, Place, o[i].kind, 0, ""));
        }
    }
    g->steps++;
    if (g->records) {
        g->said = mica_add(g->input, g->ship, g->tag);
    }
    if (g->fails == (int)g->steps) {
        mica_system_fail(it, 7, "no");
    }
    if (g->leaves) {
        longjmp(way_out, 1);
    }
    if (g->stops) {
        mica_world_end_iterations(it->world);
    }
}

static void add_types(game *g)
{
    static const Padded padded = {1, 77};
    mica_type_desc bytes = MICA_DESCRIBE(Padded, small);
    bytes.default_value = &padded;
    g->place = MICA_REGISTER(g->world, Place, x, y, note);
    mica_type_desc desc = MICA_DESCRIBE(Place, x, y);
    desc.name = "Speed";
    desc.toggle = true;
    g->speed = mica_type_register(g->world, &desc);
    g->tag = MICA_TAG(g->world, Tag);
    g->padded = mica_type_register(g->world, &bytes);
    g->order = MICA_REGISTER(g->world, Order, kind);
    g->shut =
        mica_type_register(g->world, &(mica_type_desc){.name = "Shut", .size = 4, .align = 4});
}

static void open_game(game *g)
{
    *g = (game){0};
    g->world = test_world_begin(&g->t);
    add_types(g);
    const mica_type types[] = {g->place, g->speed};
    g->bundle = mica_bundle_new(g->world, types, 2);
    mica_system_add(g->world, &(mica_system_desc){.name = "move",
                                                  .update = move,
                                                  .user = g,
                                                  .query.terms = {{g->place, MICA_WRITE}}});
    mica_system_add(g->world, &(mica_system_desc){.name = "rule",
                                                  .update = rule,
                                                  .user = g,
                                                  .events = {{g->order, MICA_READ}}});
    g->ship = mica_spawn(g->world, MICA_VALUE(g->place, Place, 0, 0, "ship"));
}

static void begin(game *g, mica_buffer *tape, uint32_t hash_steps)
{
    g->input = mica_tape_begin(g->world, &(mica_stream){.buffer = tape},
                               &(mica_tape_desc){.hash_steps = hash_steps});
    REQUIRE(g->input != NULL);
}

static void put(const game *g, int x)
{
    REQUIRE_EQUAL(MICA_OK, mica_set(g->input, g->ship, MICA_VALUE(g->place, Place, x, 5, "put")));
}

static mica_result play(const game *g, const mica_buffer *tape, uint64_t first, uint64_t count,
                        uint64_t *played)
{
    return mica_tape_play(g->world, &(mica_stream){.data = tape->data, .size = tape->size}, first,
                          count, played);
}

static mica_result step(const game *g)
{
    return mica_step(g->world, 0.5);
}

// All kinds of input. Returns an entity that it spawns.
static mica_entity make_all_input(const game *g, int number)
{
    mica_world *input = g->input;
    mica_entity spawned = mica_spawn(input, MICA_VALUE(g->place, Place, number, 1, "new"));
    mica_entity many[2];
    mica_spawn_many(input, g->bundle, 2, NULL, 0, many);
    mica_add(input, spawned, g->tag);
    mica_set(input, g->ship, MICA_VALUE(g->place, Place, number, 2, "set"));
    mica_change(input, g->ship, &(mica_value){.type = g->speed}, 1, NULL, 0);
    mica_disable(input, g->ship, g->speed);
    mica_enable(input, many[0], g->speed);
    mica_remove(input, many[0], g->place);
    mica_despawn(input, many[1]);
    mica_clone(input, g->ship);
    mica_facet_add(input, spawned, g->tag, 3, MICA_VALUE(g->speed, Place, 1, 2, ""));
    mica_entity_set_name(input, spawned, number % 2 ? "odd" : "even");
    mica_send(input, MICA_VALUE(g->order, Order, number));
    mica_send(input, MICA_ADD(g->order));
    return spawned;
}

enum { STEPS = 4 };

// Records steps with all kinds of input, and the digest after each.
static void record_all(game *g, mica_buffer *tape, uint64_t digests[STEPS + 1])
{
    digests[0] = mica_world_digest(g->world);
    begin(g, tape, 1);
    mica_entity before = g->ship;
    for (int i = 1; i <= STEPS; i++) {
        mica_entity spawned = make_all_input(g, i);
        mica_set(g->input, before, MICA_VALUE(g->speed, Place, 9, 9, ""));
        before = spawned;
        REQUIRE_EQUAL(MICA_OK, mica_step(g->world, 0.25 * i));
        mica_entity_set_name(g->input, before, NULL);
        digests[i] = mica_world_digest(g->world);
    }
    REQUIRE_EQUAL(MICA_OK, mica_tape_end(g->world));
}

static bool fail_to_write(void *user, const void *data, size_t size)
{
    uint32_t *left = user;
    (void)data, (void)size;
    return *left > 0 && (*left)-- > 0;
}

static bool append(void *user, const void *data, size_t size)
{
    mica_buffer *bytes = user;
    static unsigned char space[10000];
    REQUIRE(bytes->size + size <= sizeof space);
    memcpy(space + bytes->size, data, size);
    bytes->data = space;
    bytes->size += size;
    return true;
}

static void check_refused(game *g, mica_result code, mica_result result, uint64_t digest)
{
    CHECK_EQUAL(code, result);
    CHECK_REPORTED(&g->t, code);
    CHECK_EQUAL(digest, mica_world_digest(g->world));
}

static void check_not_begun(game *g, mica_result code, const mica_stream *stream,
                            const mica_tape_desc *desc)
{
    uint64_t digest = mica_world_digest(g->world);
    CHECK(!mica_tape_begin(g->world, stream, desc));
    CHECK_REPORTED(&g->t, code);
    CHECK_EQUAL(digest, mica_world_digest(g->world));
}

static void call(mica_world *world, const void *data)
{
    (void)world, (void)data;
}

static void destroy(void *values, uint32_t count, const mica_hook_context *context)
{
    (void)values, (void)count, (void)context;
}

static void observe(const mica_observer_event *event)
{
    game *g = event->user;
    g->said = mica_add(g->input, g->ship, g->tag);
}

static void check_fields(void)
{
    game g, viewer;
    mica_buffer tape = {0};
    open_game(&g);
    open_game(&viewer);
    begin(&g, &tape, 0);
    const Padded value = {9, 1234};
    mica_set(g.input, g.ship, MICA_COPY_OF(g.padded, value));
    CHECK_EQUAL(MICA_OK, step(&g));
    CHECK_EQUAL(MICA_OK, mica_tape_end(g.world));
    CHECK_EQUAL(MICA_OK, play(&viewer, &tape, 0, 0, NULL));
    const Padded *played = mica_get(viewer.world, viewer.ship, viewer.padded);
    CHECK_EQUAL(9, played->small);
    CHECK_EQUAL(77, played->wide); // of the default value
    mica_buffer_free(&tape);
    test_world_end(&g.t);
    test_world_end(&viewer.t);
}

PROMISE(mica_tape_begin)
{
    game g;
    mica_buffer tape = {0};
    open_game(&g);
    const mica_stream stream = {.buffer = &tape};

    // [tape.unchanged], [tape.defaults], [tape.begin], [tape.valid]
    uint64_t digest = mica_world_digest(g.world);
    g.input = mica_tape_begin(g.world, &stream, NULL);
    REQUIRE(g.input != NULL);
    CHECK_EQUAL(digest, mica_world_digest(g.world));
    put(&g, 40);
    CHECK_EQUAL(1, mica_commands_count(g.input));
    const Place *place = mica_get(g.input, g.ship, g.place);
    CHECK_EQUAL(0, place->x); // it waits
    CHECK_EQUAL(MICA_OK, step(&g));
    place = mica_get(g.world, g.ship, g.place);
    CHECK_EQUAL(41, place->x);
    CHECK_EQUAL(0, mica_commands_count(g.input));

    // [tape.refused]
    put(&g, 50);
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_commands_apply(g.input));
    CHECK_REPORTED(&g.t, MICA_ERROR_RECORDING);
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_commands_discard(g.input));
    CHECK_REPORTED(&g.t, MICA_ERROR_RECORDING);
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_commands_free(g.input));
    CHECK_REPORTED(&g.t, MICA_ERROR_RECORDING);
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_defer_call(g.input, call, NULL, 0));
    CHECK_REPORTED(&g.t, MICA_ERROR_RECORDING);
    CHECK_EQUAL(1, mica_commands_count(g.input));

    // [tape.between]
    g.records = true;
    CHECK_EQUAL(MICA_OK, step(&g));
    CHECK_EQUAL(MICA_ERROR_ITERATING, g.said);
    CHECK_REPORTED(&g.t, MICA_ERROR_ITERATING);
    g.records = false;
    mica_observer observer = mica_observer_new(
        g.world,
        &(mica_observer_desc){.type = g.tag, .events = MICA_ON_ADD, .call = observe, .user = &g});
    mica_entity other = mica_spawn(g.input, MICA_ADD(g.tag));
    CHECK_EQUAL(MICA_OK, step(&g));
    CHECK_EQUAL(MICA_ERROR_ITERATING, g.said);
    CHECK_REPORTED(&g.t, MICA_ERROR_ITERATING);
    mica_observer_free(g.world, observer);

    // [tape.handles]
    CHECK(mica_has(g.world, other, g.tag));
    CHECK_EQUAL(MICA_OK, mica_remove(g.input, other, g.tag));
    CHECK_EQUAL(MICA_OK, step(&g));
    CHECK(mica_alive(g.world, other) && !mica_has(g.world, other, g.tag));

    // [tape.types]
    mica_type_desc desc = MICA_DESCRIBE(Order, kind);
    desc.name = "Hooked";
    desc.hooks.destruct = destroy;
    mica_type hooked = mica_type_register(g.world, &desc);
    const Order order = {3};
    const mica_type types[] = {g.shut, hooked};
    for (int i = 0; i < 2; i++) {
        const mica_value value = {types[i], &order, sizeof order, 1, NULL};
        CHECK_EQUAL(MICA_ERROR_TYPE,
                    mica_set_value(g.input, g.ship, types[i], &order, sizeof order));
        CHECK_REPORTED(&g.t, MICA_ERROR_TYPE);
        CHECK(MICA_IS_NONE(mica_spawn_values(g.input, &value, 1)));
        CHECK_REPORTED(&g.t, MICA_ERROR_TYPE);
        CHECK(MICA_IS_NONE(mica_facet_add_values(g.input, g.ship, g.tag, 1, &value, 1)));
        CHECK_REPORTED(&g.t, MICA_ERROR_TYPE);
        CHECK_EQUAL(MICA_ERROR_TYPE, mica_change(g.input, g.ship, &value, 1, NULL, 0));
        CHECK_REPORTED(&g.t, MICA_ERROR_TYPE);
        CHECK_EQUAL(MICA_ERROR_TYPE, mica_send_values(g.input, &value, 1));
        CHECK_REPORTED(&g.t, MICA_ERROR_TYPE);
        CHECK_EQUAL(0, mica_commands_count(g.input));
        CHECK_EQUAL(MICA_OK, mica_add(g.input, g.ship, types[i]));
        CHECK_EQUAL(MICA_OK, step(&g));
    }

    // [tape.fields]
    check_fields();

    // [tape.begin_fail]
    check_not_begun(&g, MICA_ERROR_ARGUMENT, &stream, NULL); // it is recorded
    CHECK_EQUAL(MICA_OK, mica_tape_end(g.world));
    CHECK(!mica_tape_begin(NULL, &stream, NULL));
    check_not_begun(&g, MICA_ERROR_NULL, NULL, NULL);
    check_not_begun(&g, MICA_ERROR_DESC, &stream, &(mica_tape_desc){.last_zero = 1});
    check_not_begun(&g, MICA_ERROR_ARGUMENT, &(mica_stream){.data = "", .size = 1}, NULL);
    check_not_begun(&g, MICA_ERROR_STREAM, &(mica_stream){.path = "no such folder/tape"}, NULL);
    mica_add(mica_world_later(g.world), g.ship, g.tag);
    check_not_begun(&g, MICA_ERROR_ITERATING, &stream, NULL);
    CHECK(!mica_tape_begin(mica_world_later(g.world), &stream, NULL));
    CHECK_REPORTED(&g.t, MICA_ERROR_RECORDING);
    mica_commands_apply(g.world);
    mica_world *commands = mica_commands_new(g.world);
    mica_spawn_values(commands, NULL, 0); // reserved
    check_not_begun(&g, MICA_ERROR_ITERATING, &stream, NULL);
    mica_commands_free(commands);
    mica_query all = mica_query_new(g.world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(g.world, all, &it);
    check_not_begun(&g, MICA_ERROR_ITERATING, &stream, NULL);
    mica_iter_end(&it);
    for (uint64_t which = 1; !mica_tape_begin(g.world, &stream, NULL); which++) {
        REQUIRE(which == 1 || g.t.memory.refusals > 0);
        test_error_clear(&g.t.error);
        test_memory_fail_at(&g.t.memory, which, TEST_MEMORY_ONCE);
    }
    test_memory_fail_at(&g.t.memory, 0, TEST_MEMORY_ONCE);
    test_error_clear(&g.t.error);
    CHECK_EQUAL(MICA_OK, mica_tape_end(g.world));
    mica_buffer_free(&tape);
    test_world_end(&g.t);
}

PROMISE(mica_tape_end)
{
    game g, viewer;
    mica_buffer tape = {0};
    open_game(&g);
    open_game(&viewer);

    // [tape.end]: the hash finds a simulation that does not repeat
    begin(&g, &tape, 0);
    CHECK_EQUAL(MICA_OK, step(&g));
    CHECK_EQUAL(0, tape.size); // [tape.until_then]: a buffer
    CHECK_EQUAL(MICA_OK, mica_tape_end(g.world));
    CHECK(tape.size > 0);
    viewer.drift = 1;
    CHECK_EQUAL(MICA_ERROR_DESYNC, play(&viewer, &tape, 0, 0, NULL));
    CHECK_REPORTED(&viewer.t, MICA_ERROR_DESYNC);

    // [tape.end_waiting]
    begin(&g, &tape, 0);
    put(&g, 99);
    mica_entity never = mica_spawn_values(g.input, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_tape_end(g.world));
    CHECK(!mica_alive(g.world, never));
    const Place *place = mica_get(g.world, g.ship, g.place);
    CHECK_EQUAL(1, place->x);

    // [tape.free], [tape.path]
    test_folder folder;
    test_folder_begin(&folder);
    const char *kept = test_folder_path(&folder, "match.tape");
    char path[TEST_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s", kept);
    game freed;
    open_game(&freed);
    freed.input = mica_tape_begin(freed.world, &(mica_stream){.path = path}, NULL);
    REQUIRE(freed.input != NULL);
    path[0] = 'x';
    put(&freed, 3);
    mica_step(freed.world, 0.5);
    CHECK_EQUAL(SIZE_MAX, test_file_read(kept, path, 1)); // [tape.until_then]: a path
    test_world_end(&freed.t);
    open_game(&freed);
    uint64_t played;
    CHECK_EQUAL(MICA_OK, mica_tape_play(freed.world, &(mica_stream){.path = kept}, 0, 0, &played));
    CHECK_EQUAL(1, played);
    test_folder_end(&folder);
    test_world_end(&freed.t);

    // [tape.until_then]: a callback has the input of a step that is left
    mica_buffer bytes = {0};
    game left, again;
    open_game(&left);
    open_game(&again);
    left.input = mica_tape_begin(left.world, &(mica_stream){.write = append, .user = &bytes}, NULL);
    put(&left, 7);
    CHECK_EQUAL(MICA_OK, step(&left));
    put(&left, 70);
    left.leaves = true;
    if (setjmp(way_out) == 0) {
        step(&left);
    }
    left.leaves = false;
    CHECK_EQUAL(MICA_ERROR_IMAGE, play(&again, &bytes, 0, 0, &played)); // it has no end yet
    CHECK_REPORTED(&again.t, MICA_ERROR_IMAGE);
    CHECK_EQUAL(2, played);
    place = mica_get(again.world, again.ship, again.place);
    CHECK_EQUAL(71, place->x);
    CHECK_EQUAL(1, mica_world_end_iterations(left.world));
    CHECK_EQUAL(MICA_OK, step(&left)); // everything goes on
    CHECK_EQUAL(MICA_OK, mica_tape_end(left.world));
    test_world_end(&left.t);
    test_world_end(&again.t);

    // [tape.write_error]
    for (uint32_t allowed = 0; allowed < 3; allowed++) {
        uint32_t writes = allowed;
        g.input =
            mica_tape_begin(g.world, &(mica_stream){.write = fail_to_write, .user = &writes}, NULL);
        REQUIRE(g.input != NULL);
        put(&g, 30);
        CHECK_EQUAL(MICA_OK, step(&g));
        place = mica_get(g.world, g.ship, g.place);
        CHECK_EQUAL(31, place->x);
        CHECK_EQUAL(MICA_ERROR_STREAM, mica_tape_end(g.world));
        CHECK_REPORTED(&g.t, MICA_ERROR_STREAM);
    }

    // [tape.end_fail]
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_tape_end(g.world));
    CHECK_REPORTED(&g.t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_tape_end(NULL));
    begin(&g, &tape, 0);
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_tape_end(g.input));
    CHECK_REPORTED(&g.t, MICA_ERROR_RECORDING);
    mica_query all = mica_query_new(g.world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(g.world, all, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_tape_end(g.world));
    CHECK_REPORTED(&g.t, MICA_ERROR_ITERATING);
    mica_iter_end(&it);
    CHECK_EQUAL(MICA_OK, mica_tape_end(g.world));
    mica_buffer_free(&tape);
    test_world_end(&g.t);
    test_world_end(&viewer.t);
}

// Plays a tape, of which the viewer's world differs by one thing.
static void check_desync(const mica_buffer *tape, int what)
{
    game viewer;
    uint64_t played;
    open_game(&viewer);
    if (what == 0) { // the free list
        mica_despawn(viewer.world, mica_spawn_values(viewer.world, NULL, 0));
    } else if (what == 1) { // something that is not in the world
        viewer.drift = 1;
    } else { // a step fails
        viewer.fails = 2;
    }
    mica_result result = play(&viewer, tape, 0, 0, &played);
    CHECK_EQUAL(what == 2 ? MICA_ERROR_FAILED : MICA_ERROR_DESYNC, result);
    CHECK(what == 2 || strstr(viewer.t.error.last.sentence, "step 1"));
    CHECK_REPORTED(&viewer.t, result);
    CHECK_EQUAL(what == 0 ? 0 : 1, played);
    CHECK_EQUAL(MICA_OK, mica_world_validate(viewer.world));
    test_world_end(&viewer.t);
}

// Checks that each shorter tape, and each with another byte, is refused, and that all before it was played.
static void check_damaged(const mica_buffer *tape, const uint64_t digests[STEPS + 1])
{
    unsigned char bytes[4000];
    REQUIRE(tape->size <= sizeof bytes);
    memcpy(bytes, tape->data, tape->size);
    for (size_t at = 0; at < 2 * tape->size; at++) {
        game viewer;
        uint64_t played;
        size_t place = at % tape->size;
        bool shorter = at >= tape->size;
        open_game(&viewer);
        bytes[place] ^= shorter ? 0 : 0x55;
        const mica_buffer other = {.data = bytes, .size = shorter ? place : tape->size};
        mica_result result = play(&viewer, &other, 0, 0, &played);
        bool base = !shorter && place >= 4 && place < 20; // [tape.base]: its hash and time
        mica_result expected = base                     ? MICA_ERROR_BASE
                               : !shorter && place == 3 ? MICA_ERROR_VERSION
                                                        : MICA_ERROR_IMAGE;
        bytes[place] ^= shorter ? 0 : 0x55;
        CHECK_EQUAL(expected, result);
        CHECK_REPORTED(&viewer.t, result);
        REQUIRE(played <= STEPS);
        CHECK_EQUAL(digests[played], mica_world_digest(viewer.world)); // [tape.stays]
        test_world_end(&viewer.t);
    }
}

static size_t fail_to_read(void *user, void *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return MICA_STREAM_FAILED;
}

// Other worlds, for which the tape is not.
static void check_schema(const mica_buffer *tape)
{
    for (int missing = 0; missing < 2; missing++) {
        game viewer = {0};
        viewer.world = test_world_begin(&viewer.t);
        viewer.place = MICA_REGISTER(viewer.world, Place, x, y, note);
        viewer.ship = mica_spawn(viewer.world, MICA_VALUE(viewer.place, Place, 0, 0, "ship"));
        if (missing) {
            mica_type_desc desc = MICA_DESCRIBE(Place, x); // one field less
            desc.name = "Speed";
            mica_type_register(viewer.world, &desc);
            MICA_TAG(viewer.world, Tag);
            MICA_REGISTER(viewer.world, Order, kind);
        }
        uint64_t digest = mica_world_digest(viewer.world);
        check_refused(&viewer, MICA_ERROR_SCHEMA, play(&viewer, tape, 0, 0, NULL), digest);
        test_world_end(&viewer.t);
    }
}

static void check_play_fails(const mica_buffer *tape)
{
    game g;
    open_game(&g);
    uint64_t digest = mica_world_digest(g.world);
    const mica_stream stream = {.data = tape->data, .size = tape->size};
    CHECK_EQUAL(MICA_ERROR_NULL, mica_tape_play(NULL, &stream, 0, 0, NULL));
    check_refused(&g, MICA_ERROR_NULL, mica_tape_play(g.world, NULL, 0, 0, NULL), digest);
    check_refused(&g, MICA_ERROR_STREAM,
                  mica_tape_play(g.world, &(mica_stream){.read = fail_to_read}, 0, 0, NULL),
                  digest);
    check_refused(&g, MICA_ERROR_ARGUMENT, play(&g, tape, STEPS + 1, 0, NULL), digest);
    mica_world *commands = mica_commands_new(g.world);
    mica_spawn_values(commands, NULL, 0);
    check_refused(&g, MICA_ERROR_ITERATING, play(&g, tape, 0, 0, NULL), mica_world_digest(g.world));
    mica_commands_free(commands);
    CHECK_EQUAL(MICA_ERROR_RECORDING,
                mica_tape_play(mica_world_later(g.world), &stream, 0, 0, NULL));
    CHECK_REPORTED(&g.t, MICA_ERROR_RECORDING);
    mica_query all = mica_query_new(g.world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(g.world, all, &it);
    check_refused(&g, MICA_ERROR_ITERATING, play(&g, tape, 0, 0, NULL), mica_world_digest(g.world));
    mica_iter_end(&it);
    mica_buffer other = {0};
    begin(&g, &other, 0);
    check_refused(&g, MICA_ERROR_ARGUMENT, play(&g, tape, 0, 0, NULL), mica_world_digest(g.world));
    CHECK_EQUAL(MICA_OK, mica_tape_end(g.world));
    mica_buffer_free(&other);
    test_world_end(&g.t);
}

static void check_failures(void)
{
    mica_buffer tape = {0};
    uint64_t played;
    for (int same = 0; same < 2; same++) {
        game g, viewer;
        open_game(&g);
        open_game(&viewer);
        g.fails = 2;
        viewer.fails = same ? 2 : 0;
        begin(&g, &tape, 1);
        for (int i = 1; i <= 3; i++) {
            put(&g, i);
            CHECK_EQUAL(i == 2 ? MICA_ERROR_FAILED : MICA_OK, step(&g));
        }
        CHECK_REPORTED(&g.t, MICA_ERROR_FAILED);
        CHECK_EQUAL(MICA_OK, mica_tape_end(g.world));
        CHECK_EQUAL(same ? MICA_OK : MICA_ERROR_DESYNC, play(&viewer, &tape, 0, 0, &played));
        CHECK_REPORTED(&viewer.t, same ? MICA_ERROR_FAILED : MICA_ERROR_DESYNC);
        CHECK_EQUAL(same ? 3 : 1, played);
        CHECK(!same || mica_world_digest(g.world) == mica_world_digest(viewer.world));
        test_world_end(&g.t);
        test_world_end(&viewer.t);
    }
    mica_buffer_free(&tape);
}

PROMISE(mica_tape_play)
{
    game g, viewer;
    mica_buffer tape = {0};
    uint64_t digests[STEPS + 1];
    uint64_t played = 77;
    open_game(&g);
    record_all(&g, &tape, digests);

    // [tape.input], [tape.play], [tape.played]
    open_game(&viewer);
    CHECK_EQUAL(MICA_OK, play(&viewer, &tape, 0, 0, &played));
    CHECK_EQUAL(STEPS, played);
    CHECK_EQUAL(digests[STEPS], mica_world_digest(viewer.world));
    CHECK_EQUAL(MICA_OK, play(&viewer, &tape, STEPS, 1, &played)); // the tape has ended
    CHECK_EQUAL(0, played);
    test_world_end(&viewer.t);

    // [tape.step], [tape.first], with snapshots
    open_game(&viewer);
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(viewer.world, NULL));
    mica_snapshot kept[STEPS + 1];
    for (uint64_t i = 0; i <= STEPS; i++) {
        kept[i] = mica_snapshot_take(viewer.world);
        CHECK_EQUAL(digests[i], mica_world_digest(viewer.world));
        CHECK_EQUAL(MICA_OK, play(&viewer, &tape, i, 1, &played));
        CHECK_EQUAL(i < STEPS, played);
    }
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(viewer.world, kept[1]));
    CHECK_EQUAL(MICA_OK, play(&viewer, &tape, 1, 2, NULL));
    CHECK_EQUAL(digests[3], mica_world_digest(viewer.world));

    // [tape.base]
    uint64_t digest = digests[3];
    check_refused(&viewer, MICA_ERROR_BASE, play(&viewer, &tape, 0, 0, NULL), digest);
    check_refused(&viewer, MICA_ERROR_BASE, play(&viewer, &tape, 2, 0, NULL), digest);
    test_world_end(&viewer.t);
    open_game(&viewer);
    CHECK_EQUAL(MICA_OK, mica_despawn(viewer.world, viewer.ship));
    mica_spawn_at(viewer.world, viewer.ship);
    test_error_clear(&viewer.t.error);
    CHECK_EQUAL(MICA_ERROR_BASE, play(&viewer, &tape, 0, 0, NULL));
    CHECK_REPORTED(&viewer.t, MICA_ERROR_BASE);
    test_world_end(&viewer.t);

    // [tape.desync], [tape.fails]
    check_desync(&tape, 0);
    check_desync(&tape, 2);
    mica_buffer shortened = {0};
    game once;
    open_game(&once);
    begin(&once, &shortened, 1);
    step(&once);
    step(&once);
    mica_tape_end(once.world);
    check_desync(&shortened, 1);
    test_world_end(&once.t);
    mica_buffer_free(&shortened);

    // [tape.failed]
    check_failures();

    // [tape.broken], [tape.play_fail], [tape.stays]
    check_damaged(&tape, digests);
    check_schema(&tape);
    check_play_fails(&tape);
    mica_buffer_free(&tape);
    test_world_end(&g.t);
}

static void a_playing_that_is_left_leaks_nothing(void)
{
    game g, viewer;
    mica_buffer tape = {0};
    uint64_t digests[STEPS + 1];
    open_game(&g);
    record_all(&g, &tape, digests);
    for (int way = 0; way < 3; way++) {
        open_game(&viewer);
        viewer.leaves = way < 2;
        viewer.stops = way == 2;
        if (setjmp(way_out) == 0) {
            CHECK_EQUAL(MICA_ERROR_ITERATOR, play(&viewer, &tape, 0, 0, NULL));
            CHECK_REPORTED(&viewer.t, MICA_ERROR_ITERATOR);
        } else {
            CHECK_EQUAL(1, mica_world_end_iterations(viewer.world));
        }
        if (way == 1) {
            CHECK_EQUAL(MICA_OK, mica_commands_apply(viewer.world)); // of the step that was left
            CHECK_EQUAL(MICA_ERROR_BASE, play(&viewer, &tape, 0, 0, NULL));
            CHECK_REPORTED(&viewer.t, MICA_ERROR_BASE);
        }
        test_world_end(&viewer.t);
    }
    mica_buffer_free(&tape);
    test_world_end(&g.t);
}

TESTS(tape, promise_of_mica_tape_begin, promise_of_mica_tape_end, promise_of_mica_tape_play,
      a_playing_that_is_left_leaks_nothing)
