// What mica/trace.h promises.
#include "promise.h"

#include "runner/folder.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 16 };

// Who is reported, and what.
typedef struct listener {
    uint32_t counts[MICA_TRACE_KIND_COUNT]; // that began
    uint32_t ended[MICA_TRACE_KIND_COUNT];
    const char *open[DEPTH]; // the names of what is going on
    uint32_t depth;
    mica_trace_point last; // its name is not to be read
    uint64_t now;
} listener;

static void note(const mica_trace_point *point)
{
    listener *e = point->user;
    CHECK(point->time_ns >= e->now); // [trace.clock]
    e->now = point->time_ns;
    e->last = *point;
    if (!point->ended) {
        CHECK_EQUAL(point->time_ns, point->began_ns); // [trace.began]
        CHECK_EQUAL(0, point->rows);
        e->counts[point->kind]++;
        if (point->kind != MICA_TRACE_MARK && e->depth < DEPTH) {
            e->open[e->depth++] = point->name;
        }
        return;
    }
    e->ended[point->kind]++;
    CHECK(point->began_ns <= point->time_ns);

    // what ends is what began last
    CHECK(e->depth > 0);
    if (e->depth > 0) {
        CHECK_TEXT(e->open[--e->depth], point->name);
    }
}

static void idle(mica_iter *it)
{
    (void)it;
}

static bool never(const mica_iter *it)
{
    (void)it;
    return false;
}

// Calls that are made inside of something, and what they return.
static mica_result inside[5];

static void act(mica_world *world)
{
    inside[0] = mica_trace_set(world, NULL, NULL);
    inside[1] = mica_trace_begin(world, &(mica_stream){.path = "never"}, NULL);
    inside[2] = mica_trace_end(world);
    inside[3] = mica_trace_mark(world, "mark");
    mica_trace_span span = mica_trace_span_begin(world, "span");
    inside[4] = mica_trace_span_end(&span);
}

static void act_in_system(mica_iter *it)
{
    act(it->world);
}

static mica_result act_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 0, 4 * (size_t)count);
    act(context->user);
    return MICA_OK;
}

static void act_in_handler(mica_world *world, const mica_error *error, void *user)
{
    (void)error, (void)user;
    act(world);
}

static void change_world(const mica_trace_point *point)
{
    act(point->world);
    CHECK(MICA_IS_NONE(mica_spawn_values(point->world, NULL, 0)));
    CHECK_EQUAL(1, mica_entity_count(point->world));
}

static void check_shut(test_world *t)
{
    mica_world *world = t->world;
    mica_type hooked = mica_type_register(world, &(mica_type_desc){.name = "Hooked",
                                                                   .size = 4,
                                                                   .align = 4,
                                                                   .user = world,
                                                                   .hooks.construct = act_in_hook});
    mica_despawn(world, mica_spawn(world, MICA_ADD(hooked)));
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(MICA_ERROR_HOOK, inside[i]);
    }
    CHECK_EQUAL(5, test_error_clear(&t->error));
    mica_world_set_error_handler(world, act_in_handler, NULL);
    mica_despawn(world, (mica_entity){0});
    mica_world_set_error_handler(world, test_error_record, &t->error);
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(MICA_ERROR_HANDLER, inside[i]);
    }
}

static void check_recording(test_world *t)
{
    act(mica_world_later(t->world));
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(MICA_ERROR_RECORDING, inside[i]);
    }
    CHECK_EQUAL(MICA_ERROR_RECORDING, t->error.last.code);
    CHECK_EQUAL(5, test_error_clear(&t->error));
}

static void check_iterating(test_world *t)
{
    mica_query all = mica_query_new(t->world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(t->world, all, &it);
    act(t->world);
    mica_iter_end(&it);
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(MICA_ERROR_ITERATING, inside[i]);
    }
    CHECK_EQUAL(MICA_OK, inside[3]);
    CHECK_EQUAL(MICA_OK, inside[4]);
    CHECK_EQUAL(3, test_error_clear(&t->error));
}

static jmp_buf way_out;

static void jump(mica_iter *it)
{
    (void)it;
    longjmp(way_out, 1);
}

static void end_all(mica_iter *it)
{
    mica_world_end_iterations(it->world);
}

static bool step_is_left(mica_world *world)
{
    if (setjmp(way_out) == 0) {
        mica_step(world, 0);
        return false;
    }
    return true;
}

PROMISE(mica_trace_set)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type tag = MICA_TAG(world, Tag);
    mica_spawn(world, MICA_ADD(tag));
    mica_system_add(
        world,
        &(mica_system_desc){.name = "tagged", .update = idle, .query.terms = {{tag, MICA_WITH}}});
    mica_system_add(world, &(mica_system_desc){.name = "never", .update = idle, .when = never});

    // [trace.set]
    listener e = {0};
    mica_step(world, 0);
    CHECK_EQUAL(MICA_OK, mica_trace_set(world, note, &e));
    mica_spawn_values(mica_world_later(world), NULL, 0);
    mica_step(world, 0);
    CHECK_EQUAL(1, e.counts[MICA_TRACE_STEP]);
    CHECK_EQUAL(1, e.counts[MICA_TRACE_PHASE]);
    CHECK_EQUAL(2, e.counts[MICA_TRACE_SYSTEM]); // [trace.system]
    CHECK_EQUAL(1, e.counts[MICA_TRACE_COMMANDS]);

    // [trace.order]
    CHECK_EQUAL(0, e.depth);
    for (int kind = 0; kind < MICA_TRACE_SPAN; kind++) {
        CHECK_EQUAL(e.counts[kind], e.ended[kind]);
    }
    mica_add(mica_world_later(world), mica_spawn_values(world, NULL, 0), tag);
    mica_commands_apply(world); // [trace.commands]
    CHECK_EQUAL(2, e.counts[MICA_TRACE_COMMANDS]);
    CHECK_EQUAL(1, e.last.rows);
    mica_systems_run(world, (mica_system[]){mica_system_find(world, "tagged")}, 1, 0);
    CHECK_EQUAL(2, e.counts[MICA_TRACE_STEP]); // [trace.step]
    CHECK_EQUAL(0, e.depth);

    // [trace.set]: another in its place; NULL
    listener other = {0};
    CHECK_EQUAL(MICA_OK, mica_trace_set(world, note, &other));
    mica_step(world, 0);
    CHECK_EQUAL(2, e.counts[MICA_TRACE_STEP]);
    CHECK_EQUAL(1, other.counts[MICA_TRACE_STEP]);
    CHECK_EQUAL(MICA_OK, mica_trace_set(world, NULL, NULL));
    CHECK_EQUAL(MICA_OK, mica_trace_set(world, NULL, NULL));
    mica_step(world, 0);
    CHECK_EQUAL(1, other.counts[MICA_TRACE_STEP]);

    // [trace.left]
    mica_system jumping =
        mica_system_add(world, &(mica_system_desc){.name = "jumping", .update = jump});
    e = (listener){0};
    mica_trace_set(world, note, &e);
    CHECK(step_is_left(world));
    CHECK(mica_world_end_iterations(world) > 0);
    CHECK_EQUAL(1, e.counts[MICA_TRACE_STEP]);
    CHECK_EQUAL(0, e.ended[MICA_TRACE_STEP] + e.ended[MICA_TRACE_PHASE]);
    CHECK_EQUAL(2, e.ended[MICA_TRACE_SYSTEM]); // those before it
    mica_system_remove(world, jumping);
    mica_system ending =
        mica_system_add(world, &(mica_system_desc){.name = "ending", .update = end_all});
    e = (listener){0};
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_step(world, 0));
    CHECK_REPORTED(&t, MICA_ERROR_ITERATOR);
    CHECK_EQUAL(0, e.ended[MICA_TRACE_STEP] + e.ended[MICA_TRACE_PHASE]);
    mica_system_remove(world, ending);
    e = (listener){0};
    mica_step(world, 0);
    CHECK_EQUAL(0, e.depth);
    CHECK_EQUAL(1, e.ended[MICA_TRACE_STEP]);

    // [trace.iterating]
    check_iterating(&t);
    mica_system acting =
        mica_system_add(world, &(mica_system_desc){.name = "acting", .update = act_in_system});
    mica_step(world, 0);
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(MICA_ERROR_ITERATING, inside[i]);
    }
    CHECK_EQUAL(3, test_error_clear(&t.error));
    mica_system_remove(world, acting);

    // [trace.fail]: all codes but MICA_ERROR_ARGUMENT
    CHECK_EQUAL(MICA_ERROR_NULL, mica_trace_set(NULL, note, &e));
    check_shut(&t);
    check_recording(&t);
    mica_trace_set(world, NULL, NULL);
    test_memory_fail_at(&t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_trace_set(world, note, &e));
    test_memory_fail_at(&t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_REPORTED(&t, MICA_ERROR_MEMORY);

    // [trace.looks]
    mica_world_clear(world);
    mica_spawn_values(world, NULL, 0);
    mica_trace_set(world, change_world, NULL);
    mica_trace_mark(world, "mark");
    mica_trace_set(world, NULL, NULL);
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(MICA_ERROR_HANDLER, inside[i]);
    }
    CHECK_EQUAL(0, test_error_clear(&t.error)); // as in the handler: reported elsewhere

    // [trace.fail]: MICA_ERROR_ARGUMENT
    mica_buffer buffer = {0};
    mica_trace_begin(world, &(mica_stream){.buffer = &buffer}, NULL);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_trace_set(world, note, &e));
    CHECK_REPORTED(&t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_trace_set(world, NULL, NULL));
    CHECK_REPORTED(&t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_OK, mica_trace_end(world));
    mica_buffer_free(&buffer);
    test_world_end(&t);
}

PROMISE(mica_trace_span_begin)
{
    test_world t;
    mica_world *world = test_world_begin(&t);

    // [span.begin]
    listener e = {0};
    mica_trace_set(world, note, &e);
    mica_trace_span outer = mica_trace_span_begin(world, "outer");
    mica_trace_span inner = mica_trace_span_begin(world, "inner");
    CHECK_EQUAL(2, e.counts[MICA_TRACE_SPAN]);
    CHECK_EQUAL(2, e.depth);
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&inner));
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&outer));
    CHECK_EQUAL(2, e.ended[MICA_TRACE_SPAN]);

    // [span.cost]: it asks for nothing
    mica_trace_set(world, NULL, NULL);
    uint64_t allocations = t.memory.allocations;
    outer = mica_trace_span_begin(world, "outer");
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&outer));
    CHECK_EQUAL(allocations, t.memory.allocations);

    // [span.fail]
    mica_trace_span none = mica_trace_span_begin(NULL, "none");
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&none));
    none = mica_trace_span_begin(world, NULL);
    CHECK_REPORTED(&t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&none));
    mica_trace_set(world, note, &e);
    check_shut(&t);
    check_recording(&t);
    CHECK_EQUAL(2, e.counts[MICA_TRACE_SPAN]);
    test_world_end(&t);
}

PROMISE(mica_trace_span_end)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    listener e = {0};
    listener other = {0};

    // [span.end]
    mica_trace_span span = {0};
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&span));
    span = mica_trace_span_begin(world, "early");
    mica_trace_set(world, note, &e);
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&span));
    CHECK_EQUAL(0, e.ended[MICA_TRACE_SPAN]);
    span = mica_trace_span_begin(world, "of another");
    uint64_t began = e.now;
    do { // for a clock that ticks slowly
        mica_trace_mark(world, "wait");
    } while (e.now == began);
    mica_trace_set(world, note, &other);
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&span));
    CHECK_EQUAL(0, e.ended[MICA_TRACE_SPAN] + other.ended[MICA_TRACE_SPAN]);
    span = mica_trace_span_begin(world, "late");
    mica_trace_set(world, NULL, NULL);
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&span));
    CHECK_EQUAL(0, other.ended[MICA_TRACE_SPAN]);

    // once, and no more
    other = (listener){0};
    mica_trace_set(world, note, &other);
    span = mica_trace_span_begin(world, "once");
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&span));
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&span));
    CHECK_EQUAL(1, other.ended[MICA_TRACE_SPAN]);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_trace_span_end(NULL));
    test_world_end(&t);
}

PROMISE(mica_trace_mark)
{
    // [span.name]: the case of mica_trace_begin() shows it
    test_world t;
    mica_world *world = test_world_begin(&t);
    CHECK_EQUAL(MICA_OK, mica_trace_mark(world, "nobody hears"));
    listener e = {0};
    mica_trace_set(world, note, &e);
    CHECK_EQUAL(MICA_OK, mica_trace_mark(world, "now"));
    CHECK_EQUAL(1, e.counts[MICA_TRACE_MARK]);
    CHECK(!e.last.ended);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_trace_mark(NULL, "now"));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_trace_mark(world, NULL));
    CHECK_REPORTED(&t, MICA_ERROR_NULL);
    check_shut(&t);
    check_recording(&t);
    CHECK_EQUAL(1, e.counts[MICA_TRACE_MARK]);
    test_world_end(&t);
}

// A stream of functions: the bytes, and after how many it refuses.
typedef struct sink {
    char bytes[400000];
    size_t size, limit, largest;
    uint32_t refused;
} sink;

static sink pipe_end;

static bool take(void *user, const void *data, size_t size)
{
    sink *s = user;
    s->largest = size > s->largest ? size : s->largest;
    if (s->size + size > s->limit) {
        s->refused++;
        return false;
    }
    memcpy(s->bytes + s->size, data, size);
    s->size += size;
    return true;
}

static uint32_t count_in(const char *text, const char *part)
{
    uint32_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) {
        count++;
    }
    return count;
}

static void *refuse_memory(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    (void)user, (void)block, (void)old_size, (void)new_size, (void)align;
    return NULL;
}

static void check_begin_refused(test_world *t, mica_result code, const mica_stream *stream,
                                const mica_trace_desc *desc)
{
    size_t bytes = t->memory.bytes;
    CHECK_EQUAL(code, mica_trace_begin(t->world, stream, desc));
    CHECK_REPORTED(t, code);
    CHECK_EQUAL(bytes, t->memory.bytes);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_trace_end(t->world)); // nothing is being written
    CHECK_REPORTED(t, MICA_ERROR_ARGUMENT);
}

PROMISE(mica_trace_begin)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_system_add(world, &(mica_system_desc){.name = "idle", .update = idle});
    test_folder folder;
    test_folder_begin(&folder);
    char path[TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s", test_folder_path(&folder, "trace.json"));
    const char *kept = test_folder_path(&folder, "trace.json");
    test_file_write(path, "before", 6);

    // [trace.write], [trace.defaults]
    CHECK_EQUAL(MICA_OK, mica_trace_begin(world, &(mica_stream){.path = path}, NULL));
    memset(path, 'x', 8); // [trace.path]
    mica_trace_span open = mica_trace_span_begin(world, "never ends");
    mica_step(world, 0);
    mica_trace_mark(world, "here");

    // [trace.until_then]: path and buffer
    char text[4096] = "";
    CHECK_EQUAL(6, test_file_read(kept, text, sizeof text));
    CHECK_BYTES("before", text, 6);

    // [trace.whole]
    CHECK_EQUAL(MICA_OK, mica_trace_end(world));
    size_t size = test_file_read(kept, text, sizeof text - 1);
    REQUIRE(size < sizeof text);
    text[size] = '\0';
    CHECK_EQUAL('[', text[0]);
    CHECK_TEXT("\n]\n", text + size - 3);
    CHECK_EQUAL(1, count_in(text, "\"name\":\"mica\"")); // NULL: that is its name
    CHECK_EQUAL(1, count_in(text, "\"cat\":\"step\""));
    CHECK_EQUAL(1, count_in(text, "\"cat\":\"phase\""));
    CHECK_EQUAL(1, count_in(text, "\"name\":\"idle\""));
    CHECK_EQUAL(1, count_in(text, "\"name\":\"here\""));
    CHECK_EQUAL(0, count_in(text, "never ends"));
    CHECK_EQUAL(1, test_folder_count(&folder));
    mica_trace_span_end(&open);

    // [trace.until_then]: a function
    pipe_end = (sink){.limit = sizeof pipe_end.bytes};
    const mica_stream functions = {.write = take, .user = &pipe_end};
    CHECK_EQUAL(MICA_OK,
                mica_trace_begin(world, &functions, &(mica_trace_desc){.name = "called so"}));
    for (int i = 0; i < 3000; i++) {
        mica_trace_mark(world, "mark");
    }
    CHECK(pipe_end.size > 0);
    CHECK(pipe_end.largest <= 65536);
    CHECK_EQUAL(MICA_OK, mica_trace_end(world));
    CHECK_EQUAL(3000, count_in(pipe_end.bytes, "\"name\":\"mark\""));
    CHECK_EQUAL(1, count_in(pipe_end.bytes, "called so"));

    // [span.name]: what is written
    char name[MICA_NAME_SIZE_MAX + 100];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    mica_buffer buffer = {0};
    CHECK_EQUAL(MICA_OK, mica_trace_begin(world, &(mica_stream){.buffer = &buffer}, NULL));
    mica_trace_mark(world, name);
    CHECK_EQUAL(0, buffer.size);
    CHECK_EQUAL(MICA_OK, mica_trace_end(world));
    REQUIRE(buffer.size > MICA_NAME_SIZE_MAX);
    name[MICA_NAME_SIZE_MAX] = '\0';
    buffer.data[buffer.size - 1] = '\0';
    CHECK_EQUAL(1, count_in((const char *)buffer.data, name));

    // [trace.begin_fail]: all codes but those below
    CHECK_EQUAL(MICA_ERROR_NULL, mica_trace_begin(NULL, &functions, NULL));
    check_begin_refused(&t, MICA_ERROR_NULL, NULL, NULL);
    check_begin_refused(&t, MICA_ERROR_DESC, &functions, &(mica_trace_desc){.first_zero = 1});
    check_begin_refused(&t, MICA_ERROR_DESC, &functions, &(mica_trace_desc){.last_zero = 1});
    check_begin_refused(&t, MICA_ERROR_NAME, &functions, &(mica_trace_desc){.name = "a/b\n"});
    check_shut(&t);
    check_iterating(&t);
    check_recording(&t);
    mica_result result = MICA_ERROR_MEMORY;
    pipe_end = (sink){.limit = sizeof pipe_end.bytes};
    for (uint64_t which = 1; result; which++) {
        size_t bytes = t.memory.bytes;
        test_memory_fail_at(&t.memory, which, TEST_MEMORY_ONWARDS);
        result = mica_trace_begin(world, &functions, NULL);
        test_memory_fail_at(&t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            CHECK_REPORTED(&t, MICA_ERROR_MEMORY);
            CHECK_EQUAL(bytes, t.memory.bytes);
        }
    }

    // [trace.begin_fail]: MICA_ERROR_ARGUMENT
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_trace_begin(world, &functions, NULL));
    CHECK_REPORTED(&t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_OK, mica_trace_end(world));
    check_begin_refused(&t, MICA_ERROR_ARGUMENT, &(mica_stream){.data = text, .size = 1}, NULL);
    check_begin_refused(&t, MICA_ERROR_ARGUMENT, &(mica_stream){0}, NULL);

    // [trace.begin_fail]: MICA_ERROR_STREAM
    snprintf(path, sizeof path, "%s", test_folder_path(&folder, "nowhere/trace.json"));
    check_begin_refused(&t, MICA_ERROR_STREAM, &(mica_stream){.path = path}, NULL);
    mica_buffer_free(&buffer);
    CHECK_EQUAL(1, test_folder_count(&folder));

    // with the world
    snprintf(path, sizeof path, "%s", test_folder_path(&folder, "trace.json"));
    CHECK_EQUAL(MICA_OK, mica_trace_begin(world, &(mica_stream){.path = path}, NULL));
    mica_trace_mark(world, "last words");
    test_world_end(&t);
    size = test_file_read(path, text, sizeof text - 1);
    REQUIRE(size < sizeof text);
    text[size] = '\0';
    CHECK_EQUAL(1, count_in(text, "last words"));
    CHECK_TEXT("\n]\n", text + size - 3);
    test_folder_end(&folder);
}

PROMISE(mica_trace_end)
{
    test_world t;
    mica_world *world = test_world_begin(&t);

    // [trace.end_fail]: MICA_ERROR_ARGUMENT
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_trace_end(world));
    CHECK_REPORTED(&t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_trace_end(NULL));
    listener e = {0};
    mica_trace_set(world, note, &e);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_trace_end(world));
    CHECK_REPORTED(&t, MICA_ERROR_ARGUMENT);
    mica_trace_set(world, NULL, NULL);

    // [trace.refused], [trace.end_fail]: MICA_ERROR_STREAM, MICA_ERROR_MEMORY
    pipe_end = (sink){.limit = 0};
    mica_trace_begin(world, &(mica_stream){.write = take, .user = &pipe_end}, NULL);
    for (int i = 0; i < 3000; i++) {
        CHECK_EQUAL(MICA_OK, mica_trace_mark(world, "mark"));
        CHECK_EQUAL(MICA_OK, mica_step(world, 0));
    }
    CHECK_EQUAL(1, pipe_end.refused);
    CHECK_EQUAL(MICA_ERROR_STREAM, mica_trace_end(world));
    CHECK_EQUAL(1, pipe_end.refused);
    CHECK_REPORTED(&t, MICA_ERROR_STREAM);

    // [trace.end_fail]: it has ended
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_trace_end(world));
    CHECK_REPORTED(&t, MICA_ERROR_ARGUMENT);
    mica_buffer buffer = {.allocator = {refuse_memory, NULL}};
    CHECK_EQUAL(MICA_OK, mica_trace_begin(world, &(mica_stream){.buffer = &buffer}, NULL));
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_trace_end(world));
    CHECK_REPORTED(&t, MICA_ERROR_MEMORY);
    CHECK_EQUAL(0, buffer.size);

    // [trace.path]: the buffer is not needed after the end
    CHECK_EQUAL(MICA_OK, mica_trace_mark(world, "after"));
    CHECK_EQUAL(MICA_OK, mica_trace_set(world, note, &e));
    test_world_end(&t);
}

typedef struct batches {
    uint32_t count;
    uint64_t rows;
    bool wrong;
} batches;

static void note_batch(const mica_trace_point *point)
{
    batches *b = point->user;
    if (point->kind == MICA_TRACE_SYSTEM) {
        b->wrong = b->wrong || !point->ended || strcmp(point->name, "idle") != 0 ||
                   point->thread >= 3 || point->began_ns == 0 || point->time_ns < point->began_ns ||
                   point->segments == 0 || point->rows != (b->count % 3 == 2 ? 2 : 4);
        b->count++;
        b->rows += point->rows;
    } else {
        b->wrong = b->wrong || point->thread != 0;
    }
}

static void batches_of_systems_are_reported(void)
{
    // [trace.thread], [trace.batch]
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type type =
        mica_type_register(world, &(mica_type_desc){.name = "Type", .size = 4, .align = 4});
    for (uint32_t i = 0; i < 10; i++) {
        mica_spawn(world, MICA_ADD(type));
    }
    mica_system_add(world, &(mica_system_desc){.name = "idle",
                                               .update = idle,
                                               .run = MICA_PARALLEL,
                                               .batch_rows = 4,
                                               .query.terms = {{type, MICA_READ}}});
    mica_world_start_workers(world, 3);
    batches b = {0};
    mica_trace_set(world, note_batch, &b);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        mica_world_shuffle_workers(world, seed);
        CHECK_EQUAL(MICA_OK, mica_step(world, 1));
        CHECK_EQUAL(3 * seed, b.count);
        CHECK_EQUAL(10 * seed, b.rows);
    }
    CHECK(!b.wrong);
    mica_trace_set(world, NULL, NULL);

    // in a file: a thread of its own for each worker
    mica_buffer buffer = {0};
    mica_trace_begin(world, &(mica_stream){.buffer = &buffer}, NULL);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(MICA_OK, mica_trace_end(world));
    CHECK(strstr((const char *)buffer.data, "\"tid\":1") != NULL);
    mica_buffer_free(&buffer);
    test_world_end(&t);
}

TESTS(trace, batches_of_systems_are_reported, promise_of_mica_trace_set,
      promise_of_mica_trace_span_begin, promise_of_mica_trace_span_end, promise_of_mica_trace_mark,
      promise_of_mica_trace_begin, promise_of_mica_trace_end)
