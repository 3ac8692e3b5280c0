// What mica/thread.h promises.
#include "promise.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if defined(MICA_NO_THREADS) || defined(__wasm__)
enum { HAS_THREADS = 0 };
#else
enum { HAS_THREADS = 1 };
#endif

enum { ROWS = 10, BATCH_ROWS = 4, BATCHES = 3, MANY_ROWS = 60000 };

typedef struct Position {
    float x, y;
} Position;

typedef struct Speed {
    float x, y;
} Speed;

typedef struct Weight {
    float kg;
} Weight;

typedef struct Score {
    int32_t points;
} Score;

typedef struct Sum {
    uint64_t steps; // a number that depends on the order of what was combined
    float total;
} Sum;

typedef struct Hit {
    uint32_t number;
} Hit;

// What systems do here. Only batch 0 calls `act`, once in a step, so that no checks are made at the same time.
typedef struct stage {
    test_world t;
    mica_world *world;
    mica_type position, speed, weight, hot, score, sum, hit, frozen;
    mica_query all;
    mica_accessor positions, speeds, hots;
    mica_entity rows[ROWS];
    mica_entity other; // has a speed, a weight and a name
    void (*act)(mica_iter *it, struct stage *s);
    bool acted;
    uint32_t fails;   // a bit for each batch that fails
    char said[12000]; // by the error handler: a line for each error
} stage;

static void say(stage *s, const char *format, ...)
{
    size_t used = strlen(s->said);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(s->said + used, sizeof s->said - used, format, arguments);
    va_end(arguments);
}

static void note(mica_world *world, const mica_error *error, void *user)
{
    (void)world;
    say(user, "%s: %s\n", mica_result_name(error->code), error->sentence);
}

static void note_log(mica_world *world, mica_log_level level, const char *sentence, void *user)
{
    (void)world, (void)level;
    say(user, "%s\n", sentence);
}

static mica_world *begin(stage *s)
{
    memset(s, 0, sizeof *s);
    test_world_prepare(&s->t);
    s->t.desc.error_handler = note;
    s->t.desc.error_user = s;
    s->t.desc.log_handler = note_log;
    s->t.desc.log_user = s;
    mica_world *world = s->world = test_world_open(&s->t);
    s->position = MICA_REGISTER(world, Position, x, y);
    s->speed = MICA_REGISTER(world, Speed, x, y);
    s->weight = MICA_REGISTER_SPARSE(world, Weight, kg);
    s->hot = mica_type_register(
        world, &(mica_type_desc){.name = "Hot", .size = 4, .align = 4, .toggle = true});
    s->score = MICA_REGISTER(world, Score, points);
    s->sum = MICA_REGISTER(world, Sum, steps, total);
    s->hit = MICA_REGISTER(world, Hit, number);
    s->frozen = MICA_TAG(world, Frozen);
    s->all = mica_query_new(world, &(mica_query_desc){.terms = {{s->speed, MICA_READ}}});
    for (uint32_t i = 0; i < ROWS; i++) {
        s->rows[i] = mica_spawn(world, MICA_VALUE(s->position, Position, (float)i, 0));
    }
    s->other =
        mica_spawn(world, MICA_VALUE(s->speed, Speed, 3, 4), MICA_VALUE(s->weight, Weight, 5));
    mica_add(world, s->other, s->hot);
    mica_entity_set_name(world, s->other, "other");
    mica_resource_set(world, MICA_VALUE(s->score, Score, 7));
    s->positions = mica_accessor_new(world, s->position);
    s->speeds = mica_accessor_new(world, s->speed);
    s->hots = mica_accessor_new(world, s->hot);
    return world;
}

static void end(stage *s)
{
    CHECK_TEXT("", s->said);
    test_world_end(&s->t);
}

static void check_said(stage *s, const char *expected)
{
    CHECK_TEXT(expected, s->said);
    s->said[0] = '\0';
}

static void update(mica_iter *it)
{
    stage *s = it->user;
    Position *positions = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        positions[i].y += 1;
    }
    if (mica_batch(it) == 0 && s->act && !s->acted) {
        s->acted = true;
        s->act(it, s);
    }
    if (s->fails >> mica_batch(it) & 1) {
        mica_system_fail(it, mica_batch(it), "batch %u", mica_batch(it));
        mica_system_fail(it, -1, "again");
    }
}

// The rest of a system, which writes positions in batches of 4 rows.
static mica_system_desc desc_of(stage *s, const char *name)
{
    return (mica_system_desc){.name = name,
                              .update = update,
                              .user = s,
                              .run = MICA_PARALLEL,
                              .batch_rows = BATCH_ROWS,
                              .query.terms = {{s->position, MICA_WRITE}}};
}

static mica_system add(stage *s, const char *name)
{
    mica_system_desc desc = desc_of(s, name);
    return mica_system_add(s->world, &desc);
}

static mica_result step(stage *s, void (*act)(mica_iter *it, stage *s))
{
    s->act = act;
    s->acted = false;
    mica_result result = mica_step(s->world, 1);
    CHECK(!act || s->acted);
    CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
    return result;
}

// Engines

typedef struct engine {
    uint32_t calls;
    uint32_t count; // of the last call
    bool reversed;
    bool lazy; // makes one call only
} engine;

static void run_in_turn(void *user, mica_work_fn *work, void *data, uint32_t count)
{
    engine *e = user;
    e->calls++;
    e->count = count;
    for (uint32_t i = 0; i < count; i++) {
        work(data, e->reversed ? count - 1 - i : i);
        if (e->lazy) {
            break;
        }
    }
}

static mica_workers workers_of(engine *e, uint32_t count)
{
    return (mica_workers){.run = run_in_turn, .user = e, .count = count};
}

static void use_engine(stage *s, engine *e, uint32_t count)
{
    const mica_workers workers = workers_of(e, count);
    CHECK_EQUAL(MICA_OK, mica_world_use_workers(s->world, &workers));
}

// Runs the stage on 1, 2 and 3 threads and on engines, in their order and shuffled, and compares what `play`
// returns, which is a hash, and what was said.
static void check_same(uint64_t (*play)(stage *s))
{
    static stage s;
    static char first_said[sizeof s.said];
    uint64_t first = 0;
    for (uint32_t way = 0; way < 5; way++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            engine e = {.reversed = way == 4};
            begin(&s);
            if (way < 3) {
                CHECK_EQUAL(MICA_OK, mica_world_start_workers(s.world, way + 1));
            } else {
                use_engine(&s, &e, way);
            }
            mica_world_shuffle_workers(s.world, seed);
            uint64_t hash = play(&s);
            if (way == 0 && seed == 0) {
                first = hash;
                memcpy(first_said, s.said, sizeof first_said);
            }
            CHECK_EQUAL(first, hash);
            CHECK_TEXT(first_said, s.said);
            s.said[0] = '\0';
            end(&s);
        }
    }
}

// What systems may and may not do

static void read_others(mica_iter *it, stage *s)
{
    mica_world *world = it->world;
    CHECK(world != s->world);
    CHECK(mica_later(it) == world);

    // [thread.has]
    CHECK(mica_alive(world, s->other));
    CHECK(!mica_alive(world, (mica_entity){0}));
    CHECK(mica_has(world, s->other, s->weight));
    CHECK(!mica_has(world, s->other, s->position));
    CHECK(mica_is_enabled(world, s->other, s->hot));
    CHECK_TEXT("other", mica_entity_name(world, s->other));
    CHECK(MICA_EQUAL(s->other, mica_entity_find(world, "other")));

    // [thread.others]
    float kg;
    const Speed *speed = mica_get(world, s->other, s->speed);
    CHECK(speed && speed->x == 3);
    CHECK(mica_try_get(world, s->other, s->speed) == speed);
    CHECK(mica_try_get(world, s->rows[0], s->speed) == NULL);
    CHECK(mica_load(world, s->other, s->weight, &kg, sizeof kg) && kg == 5);

    // [thread.accessor]
    const void *found[2];
    CHECK(mica_accessor_get(&s->speeds, s->other) == speed);
    CHECK(MICA_ACCESSOR_GET(&s->speeds, s->other, Speed) == speed);
    CHECK_EQUAL(
        1, mica_accessor_get_many(&s->speeds, (mica_entity[]){s->other, s->rows[1]}, 2, found));
    CHECK(found[0] == speed && found[1] == NULL);

    // [thread.resources]
    CHECK_EQUAL(7, MICA_RESOURCE(world, s->score, Score)->points);
}

static void read_undeclared(mica_iter *it, stage *s)
{
    float kg;
    mica_iter own;
    uint32_t count;
    mica_world *world = it->world;
    CHECK(mica_get(world, s->other, s->weight) == NULL);
    CHECK(mica_try_get(world, s->other, s->weight) == NULL);
    CHECK(!mica_load(world, s->other, s->weight, &kg, sizeof kg));
    CHECK(mica_get(world, s->rows[9], s->position) == NULL);
    CHECK(mica_resource_get(world, s->sum) == NULL);
    CHECK(MICA_UNREAD(it, s->hit, Hit, &count) == NULL);
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, mica_send(world, MICA_VALUE(s->hit, Hit, 1)));
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, mica_iter_begin(world, s->all, &own));
}

static void reach_written(mica_iter *it, stage *s)
{
    (void)it;
    void *found[2] = {s, s};
    const void *seen[2] = {s, s};
    CHECK(mica_accessor_get(&s->positions, s->rows[9]) == NULL);
    CHECK_EQUAL(0, mica_accessor_get_many(&s->positions, s->rows + 8, 2, seen));
    CHECK(seen[0] == NULL && seen[1] == NULL);
    CHECK(mica_accessor_get_mut(&s->positions, s->rows[9]) == NULL);
    CHECK(mica_accessor_get_mut(&s->speeds, s->other) == NULL);
    CHECK_EQUAL(0, mica_accessor_get_mut_many(&s->speeds, &s->other, 1, found));
    CHECK(found[0] == NULL);
}

static void write_others(mica_iter *it, stage *s)
{
    mica_world *world = it->world;
    CHECK(mica_get_mut(world, s->other, s->speed) == NULL);
    CHECK(mica_get_mut(world, s->rows[0], s->position) == NULL);
    CHECK(MICA_GET_MUT(world, s->other, s->weight, Weight) == NULL);
    CHECK(mica_resource_get_mut(world, s->score) == NULL);
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_resource_set(world, MICA_VALUE(s->score, Score, 8)));
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_resource_remove(world, s->score));
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_enable_all(world, s->all, s->hot, &(uint32_t){0}));
}

static void read_whole(mica_iter *it, stage *s)
{
    (void)s;
    mica_world *world = it->world;
    CHECK_EQUAL(0, mica_world_hash(world));
    CHECK_EQUAL(0, mica_world_digest(world));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_validate(world));
    mica_buffer buffer = {0};
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_print(world, &(mica_stream){.buffer = &buffer}));
    CHECK_EQUAL(MICA_ERROR_ITERATING,
                mica_entity_print(world, s->other, &(mica_stream){.buffer = &buffer}));
    CHECK_EQUAL(MICA_ERROR_ITERATING,
                mica_schedule_print(world, &(mica_stream){.buffer = &buffer}));
    CHECK_EQUAL(0, buffer.size);
    mica_buffer_free(&buffer);
    CHECK_EQUAL(0, mica_world_get_stats(world).entities);
}

static void change_whole(mica_iter *it, stage *s)
{
    mica_world *world = it->world;
    mica_cursor named = {.name = "reader"};
    uint32_t count;
    CHECK(MICA_IS_NONE(mica_type_register(world, &(mica_type_desc){.name = "late"})));
    CHECK(MICA_IS_NONE(mica_query_new(world, &(mica_query_desc){.everything = true})));
    CHECK(MICA_IS_NONE(
        mica_system_add(world, &(mica_system_desc){.name = "late", .update = update})));
    CHECK(mica_commands_new(world) == NULL);
    CHECK(mica_events(world, s->hit, &named, &count) == NULL);
    CHECK_EQUAL(0, mica_accessor_new(world, s->speed).size);
    CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(1000, 1))));
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_world_clear(world));
}

static void change_more(mica_iter *it, stage *s)
{
    mica_world *world = it->world;
    mica_cursor named = {.name = "reader"};
    mica_cursor plain = {0};
    uint32_t count = 1;
    const mica_system self = mica_system_find(world, "act");
    CHECK_TEXT("", mica_last_error(world)->sentence);
    CHECK(mica_events(world, s->hit, &named, &count) == NULL);
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_cursor_remove(world, "reader"));
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_system_disable(world, self));
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_trace_mark(world, "mark"));
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_commands_apply(world));
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_world_set_error_handler(world, note, s));
    CHECK_EQUAL(0, mica_world_end_iterations(world));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(world, 1));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_last_error(world)->code);

    // what is allowed
    mica_iter own;
    CHECK(mica_events(world, s->hit, &plain, &count) == NULL);
    CHECK_EQUAL(0, count);
    CHECK_EQUAL(1, mica_query_count(world, s->all));
    CHECK_EQUAL(MICA_OK, mica_iter_begin_entity(world, s->all, s->other, &own));
    CHECK(mica_iter_next(&own));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&own));
    CHECK_EQUAL(ROWS + 1, mica_entity_count(world));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_check_change(world));
    CHECK_EQUAL(0, mica_commands_count(world));
    CHECK(mica_world_tick(world) > 0);
}

static void use_main(mica_iter *it, stage *s)
{
    (void)it;
    mica_world *world = s->world;
    CHECK(mica_get(world, s->other, s->speed) == NULL);
    CHECK(!mica_has(world, s->other, s->speed));
    CHECK(MICA_IS_NONE(mica_spawn(world, MICA_ADD(s->speed))));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_despawn(world, s->other));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_set(world, s->other, MICA_VALUE(s->speed, Speed, 1, 1)));
    CHECK(mica_resource_get(world, s->score) == NULL);
    CHECK_EQUAL(0, mica_world_hash(world));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(world, 1));
}

// Errors of the main world come first.
static void use_main_often(mica_iter *it, stage *s)
{
    CHECK(mica_get_mut(it->world, s->other, s->speed) == NULL);
    for (uint32_t i = 0; i < 11; i++) {
        CHECK_EQUAL(MICA_ERROR_ITERATING, mica_despawn(s->world, s->other));
    }
}

#define RECORDING(call)                                                                            \
    "MICA_ERROR_RECORDING: " call                                                                  \
    ": cannot be recorded; do it in a system that runs alone, or have a function do it that is "   \
    "recorded with mica_defer_call (in system 'act')\n"
#define BESIDE(call, type)                                                                         \
    "MICA_ERROR_UNDECLARED: " call                                                                 \
    ": system 'act' runs beside others, and has not declared that it reads '" type                 \
    "' of any entity: .others; its own rows are in `it`\n"
#define UNDECLARED(call, does, list)                                                               \
    "MICA_ERROR_UNDECLARED: " call ": system 'act' has not declared that it " does                 \
    "; add that to its ." list "\n"
#define WRITTEN(call)                                                                              \
    "MICA_ERROR_UNDECLARED: " call ": 'Position' is being written by systems that run together\n"
#define OPENED(call)                                                                               \
    "MICA_ERROR_RECORDING: " call                                                                  \
    ": refused while systems run together; write the rows of the query, or record mica_set with "  \
    "it->world\n"
#define WHOLE(call)                                                                                \
    "MICA_ERROR_ITERATING: " call                                                                  \
    ": refused while systems run together, because it reads what others write; do it in a system " \
    "that runs alone (in system 'act')\n"
#define ITERATING(call)                                                                            \
    "MICA_ERROR_ITERATING: " call                                                                  \
    ": refused while a query of 'Speed' is being iterated; do it afterwards, or end that with "    \
    "mica_iter_end or, if it is lost, mica_world_end_iterations\n"
#define STEPPING(call)                                                                             \
    "MICA_ERROR_ITERATING: " call                                                                  \
    ": a step is running, which ends when its systems have returned or, if one was left by "       \
    "longjmp or an exception, with mica_world_end_iterations (in system 'act')\n"
#define MAIN(call)                                                                                 \
    "MICA_ERROR_ITERATING: " call                                                                  \
    ": refused while systems run together; use the it->world of each\n"

static void systems_reach_what_they_declare(void)
{
    stage s;
    mica_world *world = begin(&s);
    mica_system_desc desc = desc_of(&s, "act");
    desc.others[0] = s.speed;
    desc.others[1] = s.weight;
    desc.resources[0] = (mica_term){s.score, MICA_READ};
    mica_system system = mica_system_add(world, &desc);
    CHECK_EQUAL(MICA_OK, step(&s, read_others));
    check_said(&s, "");
    mica_system_remove(world, system);

    desc.others[1] = (mica_type){0};
    desc.events[0] = (mica_term){s.hit, MICA_READ};
    desc.queries[0] = s.all;
    system = mica_system_add(world, &desc);
    CHECK_EQUAL(MICA_OK, step(&s, change_more));
    check_said(&s,
               RECORDING("mica_events") RECORDING("mica_cursor_remove")
                   RECORDING("mica_system_disable") RECORDING("mica_trace_mark")
                       RECORDING("mica_commands_apply") RECORDING("mica_world_set_error_handler")
                           RECORDING("mica_world_end_iterations") STEPPING("mica_step"));
    mica_system_remove(world, system);
    desc.queries[0] = (mica_query){0};
    desc.events[0] = (mica_term){0};
    system = mica_system_add(world, &desc);
    CHECK_EQUAL(MICA_OK, step(&s, read_undeclared));
    check_said(&s,
               BESIDE("mica_get", "Weight") BESIDE("mica_try_get", "Weight")
                   BESIDE("mica_load", "Weight") BESIDE("mica_get", "Position")
                       UNDECLARED("mica_resource_get", "reads resource 'Sum'", "resources")
                           UNDECLARED("MICA_UNREAD", "reads event 'Hit'", "events")
                               UNDECLARED("mica_send", "sends event 'Hit'", "events")
                                   UNDECLARED("mica_iter_begin", "iterates this query", "queries"));
    // [thread.accessor], [thread.write]
    CHECK_EQUAL(MICA_OK, step(&s, reach_written));
    check_said(&s, WRITTEN("mica_accessor_get") WRITTEN("mica_accessor_get_many")
                       WRITTEN("mica_accessor_get_many") OPENED("mica_accessor_get_mut")
                           OPENED("mica_accessor_get_mut") OPENED("mica_accessor_get_mut_many"));
    CHECK_EQUAL(MICA_OK, step(&s, write_others));
    check_said(&s, RECORDING("mica_get_mut") RECORDING("mica_get_mut") RECORDING("MICA_GET_MUT")
                       RECORDING("mica_resource_get_mut") RECORDING("mica_resource_set")
                           RECORDING("mica_resource_remove") RECORDING("mica_enable_all"));
    // [thread.whole]
    CHECK_EQUAL(MICA_OK, step(&s, read_whole));
    check_said(&s, WHOLE("mica_world_hash") WHOLE("mica_world_digest") WHOLE("mica_world_validate")
                       WHOLE("mica_world_print") WHOLE("mica_entity_print")
                           WHOLE("mica_schedule_print") WHOLE("mica_world_get_stats"));
    CHECK_EQUAL(MICA_OK, step(&s, change_whole));
    check_said(&s, RECORDING("mica_type_register") RECORDING("mica_query_new")
                       RECORDING("mica_system_add") RECORDING("mica_commands_new")
                           UNDECLARED("mica_events", "reads event 'Hit'", "events")
                               RECORDING("mica_accessor_new") RECORDING("mica_spawn_at")
                                   RECORDING("mica_world_clear"));
    // [thread.record]: change_more() and change_whole()
    // [thread.main]
    CHECK_EQUAL(MICA_OK, step(&s, use_main));
    check_said(&s, MAIN("mica_despawn") MAIN("mica_get") MAIN("mica_has") MAIN("mica_resource_get")
                       MAIN("mica_set") MAIN("mica_spawn") MAIN("mica_step")
                           MAIN("mica_world_hash")); // in the order of their texts
    CHECK_EQUAL(7, MICA_RESOURCE(world, s.score, Score)->points);

    // [thread.main_errors]
    CHECK_EQUAL(MICA_OK, step(&s, use_main_often));
    check_said(
        &s,
        MAIN("mica_despawn") MAIN("mica_despawn") MAIN("mica_despawn") MAIN("mica_despawn") MAIN(
            "mica_despawn") MAIN("mica_despawn") MAIN("mica_despawn")
            MAIN("mica_despawn") "3 errors of accessors and of the main world are left out: there were too many while systems ran together\n" RECORDING(
                "mica_get_mut"));

    // what was hidden is there again
    CHECK(mica_accessor_get(&s.positions, s.rows[9]) != NULL);
    CHECK(mica_accessor_get_mut(&s.speeds, s.other) != NULL);
    CHECK(mica_get_mut(world, s.other, s.speed) != NULL);
    end(&s);
}

// Toggles of other entities, commands and events

static void record(mica_iter *it, stage *s)
{
    // [thread.commands], [thread.toggle]
    mica_world *world = it->world;
    CHECK_EQUAL(MICA_OK, mica_disable(world, s->other, s->hot));
    CHECK_EQUAL(MICA_OK, mica_set(world, s->other, MICA_VALUE(s->speed, Speed, 8, 8)));
    mica_entity made = mica_spawn(world, MICA_VALUE(s->position, Position, 50, 50));
    CHECK(!MICA_IS_NONE(made));
    CHECK(!mica_alive(world, made));
    CHECK_EQUAL(MICA_OK, mica_add(world, made, s->frozen));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, made, "made"));
    CHECK_EQUAL(MICA_OK, mica_send(world, MICA_VALUE(s->hit, Hit, 1)));
    CHECK_EQUAL(MICA_OK, mica_despawn(world, s->rows[5]));
    const Speed *speed = mica_get(world, s->other, s->speed);
    CHECK(speed && speed->x == 3);
    CHECK(mica_is_enabled(world, s->other, s->hot));
    CHECK(mica_alive(world, s->rows[5]));
}

static void disable_by_accessor(mica_iter *it, stage *s)
{
    (void)it;
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_accessor_disable(&s->hots, s->other));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_accessor_enable(&s->hots, s->other));
}

static void spawn_more(mica_iter *it, stage *s)
{
    mica_world *world = it->world;
    CHECK(!MICA_IS_NONE(mica_spawn(world, MICA_ADD(s->frozen))));
    CHECK(!MICA_IS_NONE(mica_clone(world, s->other)));
    CHECK(MICA_IS_NONE(mica_spawn(world, MICA_ADD(s->frozen))));
    CHECK(MICA_IS_NONE(mica_clone(world, s->other)));
}

static void changes_are_recorded_and_applied_in_order(void)
{
    stage s;
    mica_world *world = begin(&s);
    mica_system_desc desc = desc_of(&s, "act");
    desc.others[0] = s.speed;
    desc.events[0] = (mica_term){s.hit, MICA_WRITE};
    desc.spawns = 2;
    mica_system_add(world, &desc);
    CHECK_EQUAL(MICA_OK, step(&s, record));
    check_said(&s, "");
    mica_entity made = mica_entity_find(world, "made");
    CHECK(mica_has(world, made, s.frozen));
    CHECK(!mica_alive(world, s.rows[5]));
    CHECK(!mica_is_enabled(world, s.other, s.hot));
    CHECK(MICA_GET(world, s.other, s.speed, Speed)->x == 8);
    CHECK_EQUAL(1, test_event_count(world, s.hit));
    mica_enable(world, s.other, s.hot);

    // [thread.toggle]
    CHECK_EQUAL(MICA_OK, step(&s, disable_by_accessor));
    check_said(&s, MAIN("mica_accessor_disable") MAIN("mica_accessor_enable"));
    CHECK(mica_is_enabled(world, s.other, s.hot));

    // more entities than .spawns: the rest is refused, and the others are there
    uint32_t before = mica_entity_count(world);
    CHECK_EQUAL(MICA_OK, step(&s, spawn_more));
    check_said(
        &s,
        "MICA_ERROR_LIMIT: mica_spawn: system 'act' runs beside others, and has too few slots left; .spawns says how many entities a batch creates at most\nMICA_ERROR_LIMIT: mica_clone: system 'act' runs beside others, and has too few slots left; .spawns says how many entities a batch creates at most\n");
    CHECK_EQUAL(before + 2, mica_entity_count(world));
    end(&s);
}

static void send_one(mica_iter *it)
{
    const stage *s = it->user;
    const Position *positions = mica_read(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        mica_send(it->world, MICA_VALUE(s->hit, Hit, (uint32_t)positions[i].x));
    }
}

static void send_number(mica_iter *it)
{
    const stage *s = it->user;
    mica_send(it->world, MICA_VALUE(s->hit, Hit, 100 + mica_batch(it)));
}

// Commands come in the order of systems, batches and rows.
static uint64_t play_events(stage *s)
{
    mica_system_desc first = desc_of(s, "first");
    first.update = send_one;
    first.query.terms[0].access = MICA_READ;
    first.events[0] = (mica_term){s->hit, MICA_WRITE};
    mica_system_add(s->world, &first);
    mica_system_desc second = first;
    second.name = "second";
    second.update = send_number;
    mica_system_add(s->world, &second);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    uint32_t count;
    uint32_t at = 0;
    mica_cursor cursor = {0};
    const Hit *hits;
    while ((hits = mica_events(s->world, s->hit, &cursor, &count)) != NULL) {
        for (uint32_t i = 0; i < count; i++, at++) {
            CHECK_EQUAL(at < ROWS ? at : 100 + (at - ROWS), hits[i].number);
        }
    }
    CHECK(at >= ROWS + BATCHES); // batches of small pages have several segments
    return mica_world_digest(s->world);
}

static void commands_come_in_the_order_of_systems_batches_and_rows(void)
{
    // [thread.commands]
    check_same(play_events);
}

// Each batch of a system reads all its events, and the system has read them then.
static void add_hits(mica_iter *it)
{
    const stage *s = it->user;
    Position *positions = mica_write(it, 0);
    uint32_t count;
    float sum = 0;
    const Hit *hits;
    while ((hits = MICA_UNREAD(it, s->hit, Hit, &count)) != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            sum += (float)hits[i].number;
        }
    }
    for (uint32_t i = 0; i < it->count; i++) {
        positions[i].y += sum; // of the first segment of the batch
    }
}

static uint64_t play_reading(stage *s)
{
    mica_world *world = s->world;
    mica_system_desc desc = desc_of(s, "reader");
    desc.update = add_hits;
    desc.events[0] = (mica_term){s->hit, MICA_READ};
    mica_system_add(world, &desc);
    for (uint32_t i = 1; i < 4; i++) {
        mica_send(world, MICA_VALUE(s->hit, Hit, i));
        mica_send(world, MICA_VALUE(s->hit, Hit, 10 * i));
        CHECK_EQUAL(MICA_OK, mica_step(world, 1));
        for (uint32_t k = 0; k < ROWS; k += BATCH_ROWS) {
            CHECK(MICA_GET(world, s->rows[k], s->position, Position)->y ==
                  (float)(11 * (i * (i + 1) / 2)));
        }
    }
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK(MICA_GET(world, s->rows[0], s->position, Position)->y == 66);
    return mica_world_digest(world);
}

static void batches_read_all_events(void)
{
    // [thread.events]
    check_same(play_reading);
}

static void write_resource(mica_iter *it)
{
    const stage *s = it->user;
    CHECK_EQUAL(0, it->count);
    MICA_RESOURCE_MUT(it->world, s->score, Score)->points++;
    CHECK_EQUAL(0, mica_batch(it));
}

static void concurrent_systems_write_resources(void)
{
    // [thread.resources]
    stage s;
    mica_world *world = begin(&s);
    mica_system_add(world, &(mica_system_desc){.name = "score",
                                               .update = write_resource,
                                               .user = &s,
                                               .run = MICA_CONCURRENT,
                                               .resources = {{s.score, MICA_WRITE}}});
    add(&s, "act");
    CHECK_EQUAL(MICA_OK, step(&s, NULL));
    CHECK_EQUAL(8, MICA_RESOURCE(world, s.score, Score)->points);
    CHECK(MICA_GET(world, s.rows[9], s.position, Position)->y == 1);
    end(&s);
}

// Errors and failures

static void err(mica_iter *it)
{
    const stage *s = it->user;
    const Position *positions = mica_read(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        mica_get(it->world, mica_entity_make((uint32_t)positions[i].x + 100, 1), s->speed);
    }
}

// As err(), but 3 errors for each row: 12 for a batch of 4.
static void err_often(mica_iter *it)
{
    const stage *s = it->user;
    const Position *positions = mica_read(it, 0);
    for (uint32_t i = 0; i < 3 * it->count; i++) {
        uint32_t number = (uint32_t)positions[i / 3].x * 3 + i % 3;
        mica_get(it->world, mica_entity_make(number + 100, 1), s->speed);
    }
}

static void add_erring(stage *s, const char *name, mica_update_fn *function)
{
    mica_system_desc desc = desc_of(s, name);
    desc.update = function;
    desc.others[0] = s->speed;
    desc.query.terms[0].access = MICA_READ;
    mica_system_add(s->world, &desc);
}

static uint64_t play_errors(stage *s)
{
    add_erring(s, "first", err);
    add_erring(s, "second", err);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    uint32_t said = 0;
    for (uint32_t i = 0; i < 2 * ROWS; i++) {
        char line[200];
        snprintf(
            line, sizeof line,
            "MICA_ERROR_ENTITY: mica_get: entity %u.1 is dead, or of another world (in system '%s')",
            (unsigned)(i % ROWS + 100), i < ROWS ? "first" : "second");
        const char *here = s->said + said;
        size_t length = strcspn(here, "\n");
        CHECK(length == strlen(line) && memcmp(here, line, length) == 0);
        said += (uint32_t)length + 1;
    }
    CHECK_EQUAL(strlen(s->said), said);
    return mica_world_digest(s->world);
}

static uint64_t play_many_errors(stage *s)
{
    add_erring(s, "often", err_often);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    char expected[4000] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < 3 * ROWS; i++) { // 12 for each batch of 4 rows
        if (i < 24 && i % 12 < 4) {
            continue;
        }
        used += (size_t)snprintf(expected + used, sizeof expected - used,
                                 "MICA_ERROR_ENTITY: mica_get: entity %u.1 is dead, or of another "
                                 "world (in system 'often')\n%s",
                                 (unsigned)i + 100,
                                 i % 12 == 11 ? "4 errors of a batch of system 'often' are left "
                                                "out: there were too many\n"
                                              : "");
    }
    CHECK_TEXT(expected, s->said);
    return mica_world_digest(s->world);
}

static void errors_come_in_the_order_of_systems_and_batches(void)
{
    // [thread.errors]
    check_same(play_errors);
    check_same(play_many_errors);
}

static void count_up(mica_iter *it)
{
    const stage *s = it->user;
    Weight *weights = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        weights[i].kg += 1;
    }
    if (s->fails >> (8 + mica_batch(it)) & 1) {
        mica_system_fail(it, 1000 + mica_batch(it), "heavy %u", mica_batch(it));
    }
}

static void play_end(mica_iter *it)
{
    say(it->user, "end\n");
}

static uint64_t play_failures(stage *s)
{
    mica_world *world = s->world;
    for (uint32_t i = 0; i < ROWS; i++) {
        mica_set(world, s->rows[i], MICA_VALUE(s->weight, Weight, 0));
    }
    mica_system_desc desc = desc_of(s, "light");
    mica_system_add(world, &desc);
    desc = desc_of(s, "heavy");
    desc.query.terms[0] = (mica_term){s->weight, MICA_WRITE};
    desc.update = count_up;
    mica_system_add(world, &desc);
    desc = desc_of(s, "never");
    desc.begin = play_end;
    mica_system_add(world, &desc);
    s->fails = 1 << 1 | 1 << 2 | 1 << 8;
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(world, 1));
    CHECK_EQUAL(1, mica_last_error(world)->value); // of the first failure
    for (uint32_t i = 0; i < ROWS; i++) {          // the rows of batches that have not failed
        CHECK(i >= BATCH_ROWS || MICA_GET(world, s->rows[i], s->position, Position)->y == 1);
        CHECK(i < BATCH_ROWS || MICA_GET(world, s->rows[i], s->weight, Weight)->kg == 1);
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    uint64_t hash = mica_world_digest(world);
    CHECK_TEXT("MICA_ERROR_FAILED: mica_step: system 'light': batch 1\n"
               "MICA_ERROR_FAILED: mica_step: system 'light': batch 2\n"
               "MICA_ERROR_FAILED: mica_step: system 'heavy': heavy 0\n",
               s->said);

    // the next step works
    s->fails = 0;
    say(s, "next\n");
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    return hash ^ mica_world_digest(world);
}

static void the_first_failure_ends_the_step(void)
{
    // [thread.fail]
    check_same(play_failures);
}

// Functions without rows

static void begin_run(mica_iter *it)
{
    stage *s = it->user;
    CHECK(it->world == s->world);
    CHECK_EQUAL(0, it->count);
    CHECK_EQUAL(0, mica_batch(it));
    CHECK(mica_world_hash(it->world) != 0);
    CHECK(mica_get_mut(it->world, s->other, s->speed) != NULL);
    say(s, "begin\n");
}

static void end_run(mica_iter *it)
{
    stage *s = it->user;
    const Position *position = mica_get(it->world, s->rows[9], s->position);
    say(s, "end %g\n", position ? (double)position->y : -1);
}

static bool when_acted(const mica_iter *it)
{
    stage *s = it->user;
    say(s, "when\n");
    return s->fails == 0;
}

static uint64_t play_rowless(stage *s)
{
    mica_world *world = s->world;
    mica_system_desc desc = desc_of(s, "act");
    desc.begin = begin_run;
    desc.end = end_run;
    desc.when = when_acted;
    mica_system system = mica_system_add(world, &desc);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    s->fails = 1 << 7;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(1, test_system_info(world, system).stats.runs);
    CHECK_EQUAL(1, test_system_info(world, system).stats.skipped);
    CHECK_EQUAL(ROWS, test_system_info(world, system).stats.rows);
    s->fails = 0;
    CHECK_TEXT("when\nbegin\nend 1\nwhen\n", s->said);
    CHECK_EQUAL(MICA_OK, mica_systems_run(world, &system, 1, 1)); // without `when`
    CHECK_TEXT("when\nbegin\nend 1\nwhen\nbegin\nend 2\n", s->said);
    s->fails = 1; // the system fails in its first batch, and its `end` is not called
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_systems_run(world, &system, 1, 1));
    mica_phase phase = mica_phase_find(world, "update");
    s->fails = 0;
    say(s, "phase\n");
    CHECK_EQUAL(MICA_OK, mica_phases_run(world, &phase, 1, 1));
    return mica_world_digest(world);
}

static void functions_without_rows_run_alone(void)
{
    // [thread.rowless]
    check_same(play_rowless);
}

// Systems of a wave that are disabled, removed and added; the world is the same on any number of threads

static void move_speeds(mica_iter *it)
{
    Speed *speeds = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        speeds[i].x += (float)(mica_batch_seed(it) % 1000);
    }
}

static void select_changed(mica_iter *it)
{
    stage *s = it->user;
    for (uint32_t i = 0; i < it->count; i++) {
        mica_add(mica_later(it), it->entities[i], s->frozen);
    }
}

static uint64_t play_wave(stage *s)
{
    mica_world *world = s->world;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        mica_set(world, s->rows[i], MICA_VALUE(s->speed, Speed, 1, 1));
    }
    mica_system first = add(s, "first");
    mica_system_desc desc = desc_of(s, "speeds");
    desc.update = move_speeds;
    desc.query.terms[0] = (mica_term){s->speed, MICA_WRITE};
    mica_system second = mica_system_add(world, &desc);
    desc = desc_of(s, "changed");
    desc.update = select_changed;
    desc.query.terms[0] = (mica_term){s->weight, MICA_READ | MICA_CHANGED};
    mica_system_add(world, &desc);
    for (uint32_t i = 0; i < 12; i++) {
        switch (i) {
        case 2: mica_system_disable(world, first); break;
        case 3: mica_system_disable(world, second); break;
        case 4: mica_system_enable(world, first); break;
        case 5: mica_system_remove(world, first); break;
        case 6: mica_system_enable(world, second); break;
        case 7: first = add(s, "first"); break;
        case 8: mica_system_move(world, first, (mica_phase){0}, second); break;
        case 9: mica_set(world, s->rows[2], MICA_VALUE(s->weight, Weight, 1)); break;
        default: break;
        }
        CHECK_EQUAL(MICA_OK, mica_step(world, 1));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        hash = hash * 31 + mica_world_digest(world);
        CHECK_EQUAL(i >= 9, mica_has(world, s->rows[2], s->frozen));
    }
    CHECK(mica_has(world, s->other, s->frozen)); // the first time, everything has changed
    CHECK(MICA_GET(world, s->rows[0], s->position, Position)->y == 8);
    const mica_system both[] = {second, first};
    CHECK_EQUAL(MICA_OK, mica_systems_run(world, both, 2, 1));
    CHECK(MICA_GET(world, s->rows[0], s->position, Position)->y == 9);
    return hash * 31 + mica_world_digest(world);
}

static void the_world_is_the_same_on_any_number_of_threads(void)
{
    // [thread.same]: more of it in tests/unit/system/wave_test.c
    check_same(play_wave);
}

static void pause(mica_iter *it)
{
    (void)it;
}

static void small_waves_run_on_the_calling_thread(void)
{
    // [thread.small]
    stage s;
    mica_world *world = begin(&s);
    engine e = {0};
    use_engine(&s, &e, 2);
    mica_system_desc desc = desc_of(&s, "act");
    desc.update = pause;
    mica_system system = mica_system_add(world, &desc);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(0, e.calls);
    mica_system_remove(world, system);

    desc.batch_rows = 0;
    mica_system_add(world, &desc);
    for (uint32_t i = 0; i < MANY_ROWS; i++) {
        mica_spawn(world, MICA_VALUE(s.position, Position, 1, 1));
    }
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(1, e.calls);
    CHECK_EQUAL(2, e.count);
    end(&s);
}

// Hooks and the allocator

typedef struct heap {
    const mica_allocator *behind;
    uint32_t inside;
    bool twice;
} heap;

static void *resize_watched(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    heap *h = user;
    h->twice = h->twice || h->inside > 0;
    h->inside++;
    void *changed = h->behind->resize(h->behind->user, block, old_size, new_size, align);
    h->inside--;
    return changed;
}

static mica_result copy_hook(void *target, const void *source, uint32_t count,
                             const mica_hook_context *context)
{
    (void)context;
    memcpy(target, source, count * sizeof(Sum));
    for (uint32_t i = 0; i < count; i++) {
        ((Sum *)target)[i].steps++;
    }
    return MICA_OK;
}

static void record_hooked(mica_iter *it)
{
    const stage *s = it->user;
    for (uint32_t i = 0; i < it->count; i++) {
        mica_set(mica_later(it), it->entities[i], MICA_VALUE(s->sum, Sum, 1, 1));
        char *memory = MICA_FRAME_ARRAY(it->world, char, 3000);
        if (memory) {
            memset(memory, (int)i, 3000);
        }
    }
}

static void the_allocator_is_called_by_one_thread_at_a_time(void)
{
    // [thread.allocator]
    stage s = {0};
    heap h = {0};
    test_world_prepare(&s.t);
    mica_allocator behind = s.t.memory.allocator;
    h.behind = &behind;
    s.t.desc.allocator = (mica_allocator){.resize = resize_watched, .user = &h};
    mica_world *world = s.world = test_world_open(&s.t);
    s.position = MICA_REGISTER(world, Position, x, y);
    s.sum = mica_type_register(world, &(mica_type_desc){.name = "Sum",
                                                        .size = sizeof(Sum),
                                                        .align = _Alignof(Sum),
                                                        .hooks.copy = copy_hook});
    for (uint32_t i = 0; i < 500; i++) {
        mica_spawn(world, MICA_VALUE(s.position, Position, (float)i, 0));
    }
    mica_system_desc desc = desc_of(&s, "act");
    desc.update = record_hooked;
    mica_system_add(world, &desc);
    mica_world_start_workers(world, 3);
    for (uint64_t i = 1; i < 20; i++) {
        mica_world_shuffle_workers(world, i);
        CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    }
    CHECK(!h.twice);
    CHECK_EQUAL(MICA_OK, mica_world_start_workers(world, 1));
    test_world_end(&s.t);
}

// The functions

PROMISE(mica_world_start_workers)
{
    stage s;
    mica_world *world = begin(&s);
    mica_system_desc desc = desc_of(&s, "act");
    desc.update = pause;
    mica_system_add(world, &desc);

    // [workers.start]; [workers.none]: without threads, 1
    CHECK_EQUAL(MICA_OK, mica_world_start_workers(world, 3));
    CHECK_EQUAL(HAS_THREADS ? 3 : 1, mica_world_worker_count(world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(MICA_OK, mica_world_start_workers(world, 2));
    CHECK_EQUAL(HAS_THREADS ? 2 : 1, mica_world_worker_count(world));

    // [workers.cores]
    CHECK_EQUAL(MICA_OK, mica_world_start_workers(world, 0));
    uint32_t cores = mica_world_worker_count(world);
    CHECK(HAS_THREADS ? cores >= 1 && cores <= MICA_THREADS_MAX : cores == 1);

    // [workers.stop]
    CHECK_EQUAL(MICA_OK, mica_world_start_workers(world, 1));
    CHECK_EQUAL(1, mica_world_worker_count(world));
    CHECK_EQUAL(MICA_OK, mica_world_start_workers(world, 1));

    // [workers.sleep]: tests/threads/threads_test.c
    // [workers.start_fail]: tests/negative/codes_test.c

    // [workers.fail]
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_start_workers(NULL, 1));
    CHECK_EQUAL(MICA_OK, mica_world_start_workers(world, 2));
    uint32_t count = mica_world_worker_count(world);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_world_start_workers(world, MICA_THREADS_MAX + 1));
    mica_iter it;
    mica_iter_begin(world, s.all, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_start_workers(world, 3));
    mica_iter_end(&it);
    mica_world *commands = mica_commands_new(world);
    mica_entity waiting = mica_spawn(commands, MICA_ADD(s.frozen));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_start_workers(world, 3));
    mica_commands_apply(commands);
    CHECK(mica_alive(world, waiting));
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(count, mica_world_worker_count(world));
    check_said(
        &s,
        "MICA_ERROR_ARGUMENT: mica_world_start_workers: 257 threads; there may be 256\n" ITERATING(
            "mica_world_start_workers") "MICA_ERROR_ITERATING: mica_world_start_workers: commands wait; apply them first, with mica_commands_apply\n");
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));

    // [workers.fail]: MICA_ERROR_MEMORY; none runs then
    mica_world_start_workers(world, 1);
    mica_world_start_workers(NULL, 1);
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(HAS_THREADS ? MICA_ERROR_MEMORY : MICA_OK, mica_world_start_workers(world, 200));
    test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(1, mica_world_worker_count(world));
    CHECK_EQUAL(HAS_THREADS != 0,
                strncmp(s.said, "MICA_ERROR_MEMORY: mica_world_start_workers",
                        strlen("MICA_ERROR_MEMORY: mica_world_start_workers")) == 0);
    s.said[0] = '\0';

    // [workers.free]: their threads and memory
    CHECK_EQUAL(MICA_OK, mica_world_start_workers(world, 4));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    end(&s);
}

PROMISE(mica_world_worker_count)
{
    // [workers.count]: before any were started, too
    stage s;
    begin(&s);
    CHECK_EQUAL(1, mica_world_worker_count(s.world));
    CHECK_EQUAL(MICA_OK, mica_world_start_workers(s.world, 2));
    CHECK_EQUAL(HAS_THREADS ? 2 : 1, mica_world_worker_count(s.world));
    engine e = {0};
    use_engine(&s, &e, 5);
    CHECK_EQUAL(5, mica_world_worker_count(s.world));

    // [workers.count_fail]
    CHECK_EQUAL(0, mica_world_worker_count(NULL));
    end(&s);
}

PROMISE(mica_world_use_workers)
{
    stage s;
    mica_world *world = begin(&s);
    add(&s, "act");
    mica_world_shuffle_workers(world, 1); // no wave is too small then

    // [workers.own_stops]
    engine e = {0};
    CHECK_EQUAL(MICA_OK, mica_world_start_workers(world, 2));
    use_engine(&s, &e, 3);
    CHECK_EQUAL(3, mica_world_worker_count(world));

    // [workers.own]: in turn, in any order
    CHECK_EQUAL(MICA_OK, step(&s, NULL));
    CHECK_EQUAL(1, e.calls);
    CHECK_EQUAL(3, e.count);
    e.reversed = true;
    CHECK_EQUAL(MICA_OK, step(&s, NULL));
    CHECK_EQUAL(2, e.calls);
    CHECK(MICA_GET(world, s.rows[9], s.position, Position)->y == 2);

    // [workers.own_none]
    CHECK_EQUAL(MICA_OK, mica_world_use_workers(world, NULL));
    CHECK_EQUAL(1, mica_world_worker_count(world));
    CHECK_EQUAL(MICA_OK, step(&s, NULL));
    CHECK_EQUAL(2, e.calls);
    use_engine(&s, &e, 2);
    CHECK_EQUAL(MICA_OK, mica_world_start_workers(world, 2));
    CHECK_EQUAL(MICA_OK, step(&s, NULL));
    CHECK_EQUAL(2, e.calls);

    // [workers.own_fail]
    use_engine(&s, &e, 2);
    mica_workers workers = workers_of(&e, 2);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_use_workers(NULL, &workers));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_use_workers(NULL, NULL));
    workers.run = NULL;
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_use_workers(world, &workers));
    workers = workers_of(&e, 0);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_world_use_workers(world, &workers));
    workers = workers_of(&e, MICA_THREADS_MAX + 1);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_world_use_workers(world, &workers));
    workers = workers_of(&e, 4);
    mica_iter it;
    mica_iter_begin(world, s.all, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_use_workers(world, &workers));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_use_workers(world, NULL));
    mica_iter_end(&it);
    CHECK_EQUAL(2, mica_world_worker_count(world));
    check_said(
        &s,
        "MICA_ERROR_NULL: mica_world_use_workers: workers->run is null\nMICA_ERROR_ARGUMENT: mica_world_use_workers: a count of 0; it must be 1 at least\nMICA_ERROR_ARGUMENT: mica_world_use_workers: 257 threads; there may be 256\n" ITERATING(
            "mica_world_use_workers") ITERATING("mica_world_use_workers"));
    CHECK_EQUAL(MICA_OK, step(&s, NULL));
    CHECK_EQUAL(3, e.calls);
    end(&s);
}

enum { NUMBERS = 64 };

typedef struct numbers {
    uint32_t batches[NUMBERS]; // of rows
    uint64_t seeds[NUMBERS];   // of batches
    uint32_t at[NUMBERS];      // how often each batch had a segment
} numbers;

static numbers seen;

static void note_batch(mica_iter *it)
{
    const Position *positions = mica_read(it, 0);
    uint32_t batch = mica_batch(it);
    seen.at[batch]++;
    seen.seeds[batch] = mica_batch_seed(it);
    for (uint32_t i = 0; i < it->count; i++) {
        seen.batches[(uint32_t)positions[i].x] = batch;
    }
}

static void check_no_batch(mica_iter *it, stage *s)
{
    // [batch.none]: an iteration in a batch
    mica_iter own;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(it->world, s->all, &own));
    CHECK(mica_iter_next(&own));
    CHECK_EQUAL(0, mica_batch(&own));
    CHECK(mica_reduce(&own) == NULL);
    mica_iter_end(&own);
}

PROMISE(mica_batch)
{
    // [batch.of]: tests/unit/relation/query_test.c. [batch.number]
    stage s;
    mica_world *world = begin(&s);
    mica_system_desc desc = desc_of(&s, "note");
    desc.update = note_batch;
    desc.query.terms[0].access = MICA_READ;
    mica_system_add(world, &desc);
    for (uint32_t run = 0; run < 3; run++) {
        memset(&seen, 0xFF, sizeof seen);
        CHECK_EQUAL(MICA_OK, mica_world_start_workers(world, run + 1));
        mica_world_shuffle_workers(world, run);
        CHECK_EQUAL(MICA_OK, mica_step(world, 1));
        for (uint32_t i = 0; i < ROWS; i++) {
            CHECK_EQUAL(i / BATCH_ROWS, seen.batches[i]);
        }
        CHECK_EQUAL(UINT32_MAX, seen.at[BATCHES]);
    }

    // [batch.none]
    mica_iter it;
    mica_iter_begin(world, s.all, &it);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(0, mica_batch(&it));
    mica_iter_end(&it);
    desc = desc_of(&s, "inner");
    desc.queries[0] = s.all;
    mica_system_add(world, &desc);
    CHECK_EQUAL(MICA_OK, step(&s, check_no_batch));
    check_said(
        &s,
        "MICA_ERROR_ITERATOR: mica_reduce: this is not the update of a system with .reduce (in system 'inner')\n");

    // [batch.fail]
    CHECK_EQUAL(0, mica_batch(&it));
    CHECK_EQUAL(0, mica_batch(NULL));
    check_said(&s, "MICA_ERROR_ITERATOR: mica_batch: the iteration has ended\n");
    end(&s);
}

PROMISE(mica_batch_seed)
{
    // [batch.seed]
    stage s;
    mica_world *world = begin(&s);
    mica_system_desc desc = desc_of(&s, "note");
    desc.update = note_batch;
    desc.query.terms[0].access = MICA_READ;
    mica_system first = mica_system_add(world, &desc);
    mica_system_disable(world, first);
    desc.name = "other";
    mica_system second = mica_system_add(world, &desc);
    uint64_t all[12] = {0};
    for (uint32_t run = 0; run < 12; run += 3) {
        if (run == 6) {
            mica_system_disable(world, second);
            mica_system_enable(world, first);
        }
        CHECK_EQUAL(MICA_OK, mica_step(world, 1));
        memcpy(all + run, seen.seeds, 3 * sizeof *all);
    }
    for (uint32_t i = 0; i < 12; i++) {
        for (uint32_t k = 0; k < i; k++) {
            CHECK(all[i] != all[k]);
        }
    }

    // the same in another world, on other threads
    stage again;
    begin(&again);
    desc = desc_of(&again, "other");
    desc.update = note_batch;
    desc.query.terms[0].access = MICA_READ;
    mica_system_add(again.world, &desc);
    mica_world_start_workers(again.world, 3);
    mica_world_shuffle_workers(again.world, 5);
    CHECK_EQUAL(MICA_OK, mica_step(again.world, 1));
    CHECK_BYTES(all, seen.seeds, 3 * sizeof *all);
    end(&again);

    // [batch.seed_fail]
    mica_iter it;
    mica_iter_begin(world, s.all, &it);
    mica_iter_end(&it);
    CHECK_EQUAL(0, mica_batch_seed(&it));
    CHECK_EQUAL(0, mica_batch_seed(NULL));
    check_said(&s, "MICA_ERROR_ITERATOR: mica_batch_seed: the iteration has ended\n");
    end(&s);
}

static void sum_up(mica_iter *it)
{
    const Position *positions = mica_read(it, 0);
    Sum *sum = mica_reduce(it);
    for (uint32_t i = 0; i < it->count; i++) {
        sum->total += positions[i].x * 0.1f;
    }
    sum->steps = sum->steps * 10 + it->count;
}

static void combine_sums(void *total, const void *value)
{
    Sum *all = total;
    const Sum *one = value;
    all->steps = all->steps * 1000 + one->steps;
    all->total += one->total;
}

static mica_system add_sum(stage *s, mica_type into)
{
    mica_system_desc desc = desc_of(s, "sum");
    desc.update = sum_up;
    desc.query.terms[0].access = MICA_READ;
    desc.reduce.into = into;
    desc.reduce.combine = combine_sums;
    return mica_system_add(s->world, &desc);
}

static uint64_t play_sums(stage *s)
{
    add_sum(s, s->sum);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    const Sum *sum = MICA_RESOURCE(s->world, s->sum, Sum);
    uint64_t hash = sum->steps;
    CHECK(sum->total > 4.4 && sum->total < 4.6);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(hash, sum->steps); // it began anew
    return mica_world_digest(s->world);
}

static void reduce_nothing(mica_iter *it, stage *s)
{
    (void)s;
    CHECK(mica_reduce(it) == NULL);
}

PROMISE(mica_reduce)
{
    // [reduce.combine]
    check_same(play_sums);

    // [reduce.value], [reduce.combine]: a default
    stage s;
    mica_world *world = begin(&s);
    mica_type from = mica_type_register(world, &(mica_type_desc){.name = "from",
                                                                 .size = sizeof(Sum),
                                                                 .align = _Alignof(Sum),
                                                                 .default_value = &(Sum){7, 100}});
    mica_system system = add_sum(&s, from);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    const Sum *sum = mica_resource_get(world, from);
    REQUIRE(sum);
    CHECK(sum->total > 404.4f && sum->total < 404.6f);

    // a run without rows
    mica_query rows = mica_query_new(world, &(mica_query_desc){.terms = {{s.position, MICA_WITH}}});
    mica_despawn_all(world, rows, NULL);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(7, sum->steps);
    CHECK(sum->total == 100);
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, system));

    // [reduce.fail]
    mica_spawn(world, MICA_ADD(s.position));
    add(&s, "act");
    CHECK_EQUAL(MICA_OK, step(&s, reduce_nothing));
    mica_iter it;
    mica_iter_begin(world, s.all, &it);
    CHECK(mica_reduce(&it) == NULL);
    mica_iter_end(&it);
    CHECK(mica_reduce(&it) == NULL);
    CHECK(mica_reduce(NULL) == NULL);
    check_said(
        &s,
        "MICA_ERROR_ITERATOR: mica_reduce: this is not the update of a system with .reduce (in system 'act')\nMICA_ERROR_ITERATOR: mica_reduce: this is not the update of a system with .reduce\nMICA_ERROR_ITERATOR: mica_reduce: the iteration has ended\n");
    end(&s);
}

static uint32_t order[8];
static uint32_t ordered;

static void note_order(mica_iter *it)
{
    if (ordered == 0 || order[ordered - 1] != mica_batch(it)) {
        order[ordered++ % 8] = mica_batch(it);
    }
}

PROMISE(mica_world_shuffle_workers)
{
    // [shuffle.order]: on one thread
    stage s;
    mica_world *world = begin(&s);
    mica_system_desc desc = desc_of(&s, "order");
    desc.update = note_order;
    mica_system_add(world, &desc);
    uint32_t others = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        ordered = 0;
        CHECK_EQUAL(MICA_OK, mica_world_shuffle_workers(world, seed));
        CHECK_EQUAL(MICA_OK, mica_step(world, 1));
        CHECK_EQUAL(3, ordered);
        CHECK_EQUAL(3, order[0] + order[1] + order[2]);
        bool same = order[0] == 0 && order[1] == 1;
        CHECK(seed > 0 || same);
        others += !same;
    }
    CHECK(others > 5);
    CHECK_EQUAL(MICA_OK, mica_world_shuffle_workers(world, 0));
    ordered = 0;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK(order[0] == 0 && order[1] == 1 && order[2] == 2);

    // [shuffle.fail]
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_shuffle_workers(NULL, 1));
    mica_iter it;
    mica_iter_begin(world, s.all, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_shuffle_workers(world, 1));
    mica_iter_end(&it);
    check_said(&s, ITERATING("mica_world_shuffle_workers"));
    end(&s);
    begin(&s);
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_world_shuffle_workers(s.world, 1));
    test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
    s.said[0] = '\0';
    end(&s);
}

TESTS(thread, systems_reach_what_they_declare, changes_are_recorded_and_applied_in_order,
      commands_come_in_the_order_of_systems_batches_and_rows, batches_read_all_events,
      concurrent_systems_write_resources, errors_come_in_the_order_of_systems_and_batches,
      the_first_failure_ends_the_step, functions_without_rows_run_alone,
      the_world_is_the_same_on_any_number_of_threads, small_waves_run_on_the_calling_thread,
      the_allocator_is_called_by_one_thread_at_a_time, promise_of_mica_world_start_workers,
      promise_of_mica_world_worker_count, promise_of_mica_world_use_workers, promise_of_mica_batch,
      promise_of_mica_batch_seed, promise_of_mica_reduce, promise_of_mica_world_shuffle_workers)
