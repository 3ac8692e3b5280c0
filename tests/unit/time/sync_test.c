// Z3, the sync test: what it says of systems that do not repeat, and that it changes nothing else.
#include <mica.h>
#include <setjmp.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Speed {
    float x, y;
} Speed;

// How a system does not repeat.
typedef enum sky_fault {
    NO_FAULT,
    VALUE,    // it writes another value to the third row
    PASSING,  // the same, and the next system overwrites it
    BIRTH,    // it spawns every second time
    NAME,     // it gives another name
    EVENT,    // it sends another event
    RESOURCE, // it writes another one
    ORDER,    // it moves another row
    FAILURE,  // it fails
    TAKING,   // it takes a snapshot
    STORAGE,  // it changes a storage
    LEAVING   // it is left by longjmp()
} sky_fault;

typedef struct sky {
    test_world t;
    mica_world *world;
    mica_type speed, mass, tag, clock;
    mica_entity birds[5];
    sky_fault fault;
    uint32_t runs; // outside of the world: this is the mistake
} sky;

static jmp_buf outside;

// Commands: they get the address of the sky.

static void move_row(mica_world *world, const void *data)
{
    const sky *s = *(sky *const *)data;
    mica_add(world, s->birds[s->runs % 3], s->tag);
    mica_remove(world, s->birds[s->runs % 3], s->tag);
}

static void take_one(mica_world *world, const void *data)
{
    (void)data;
    CHECK(MICA_IS_NONE(mica_snapshot_take(world)));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_last_error(world)->code);
}

static void change_storage(mica_world *world, const void *data)
{
    const sky *s = *(sky *const *)data;
    mica_type_change_storage(world, s->mass, s->runs % 2 ? MICA_TABLE : MICA_SPARSE);
}

static void record(mica_world *later, const sky *s, uint32_t value)
{
    char name[] = "bird 0";
    name[5] = (char)('0' + value % 10);
    if (s->fault == BIRTH && value % 2) {
        mica_spawn(later, MICA_VALUE(s->speed, Speed, 1, 1));
    } else if (s->fault == NAME) {
        mica_entity_set_name(later, s->birds[1], name);
    }
    mica_call_fn *call = s->fault == ORDER     ? move_row
                         : s->fault == TAKING  ? take_one
                         : s->fault == STORAGE ? change_storage
                                               : NULL;
    if (call) {
        mica_defer_call(later, call, &s, sizeof s);
    }
}

// The wind: once per run of the system.
static void blow(mica_iter *it)
{
    sky *s = it->user;
    uint32_t value = ++s->runs;
    if (s->fault == EVENT) {
        mica_send(it->world, MICA_VALUE(s->speed, Speed, (float)value, 0));
    } else if (s->fault == RESOURCE) {
        MICA_RESOURCE_MUT(it->world, s->clock, Speed)->x = (float)value;
    } else if (s->fault == FAILURE) {
        mica_system_fail(it, 7, "no wind");
    } else if (s->fault == LEAVING) {
        longjmp(outside, 1);
    }
    if (s->fault > PASSING) {
        record(mica_later(it), s, value);
    }
}

static void drift(mica_iter *it)
{
    const sky *s = it->user;
    Speed *speeds = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        speeds[i].x += 1;
        bool other =
            (s->fault == VALUE || s->fault == PASSING) && MICA_EQUAL(it->entities[i], s->birds[2]);
        speeds[i].y = other ? (float)s->runs : 0;
    }
}

static void settle(mica_iter *it)
{
    const sky *s = it->user;
    Speed *speeds = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count && s->fault == PASSING; i++) {
        speeds[i].y = 0;
    }
}

static mica_world *begin(sky *s, sky_fault fault)
{
    *s = (sky){.fault = fault};
    mica_world *world = s->world = test_world_begin(&s->t);
    s->clock = MICA_REGISTER(world, Speed, x, y);
    mica_type_desc desc = MICA_DESCRIBE(Speed, x, y);
    desc.name = "Flight";
    s->speed = mica_type_register(world, &desc);
    desc = (mica_type_desc){.name = "Mass", .size = sizeof(float), .align = sizeof(float)};
    desc.storage = MICA_SPARSE;
    s->mass = mica_type_register(world, &desc);
    s->tag = mica_type_register(world, &(mica_type_desc){.name = "tag"});
    mica_resource_set(world, MICA_VALUE(s->clock, Speed, 0, 0));
    for (int i = 0; i < 5; i++) {
        s->birds[i] = mica_spawn(world, MICA_VALUE(s->speed, Speed, (float)i, 0),
                                 MICA_VALUE(s->mass, float, 1));
    }
    mica_system_add(world, &(mica_system_desc){.name = "drift",
                                               .begin = blow,
                                               .update = drift,
                                               .user = s,
                                               .query.terms = {{s->speed, MICA_WRITE}},
                                               .resources = {{s->clock, MICA_WRITE}},
                                               .events = {{s->speed, MICA_WRITE}}});
    mica_system_add(world, &(mica_system_desc){.name = "settle",
                                               .update = settle,
                                               .user = s,
                                               .query.terms = {{s->speed, MICA_WRITE}}});
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    return world;
}

static void end(sky *s)
{
    CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
    test_world_end(&s->t);
}

// Runs the test, and checks the sentence (NULL: there is none).
static mica_desync run(sky_fault fault, const char *sentence)
{
    sky s;
    mica_world *world = begin(&s, fault);
    mica_step(world, 1);
    mica_desync desync = {.phase = "old"};
    mica_result result = mica_sync_test(world, 1, &desync);
    CHECK_EQUAL(sentence ? MICA_ERROR_DESYNC : MICA_OK, result);
    if (sentence) {
        CHECK_TEXT(sentence, mica_last_error(world)->sentence);
        CHECK_REPORTED(&s.t, MICA_ERROR_DESYNC);
    }
    CHECK_EQUAL(3, s.runs);
    CHECK(MICA_GET(world, s.birds[3], s.speed, Speed)->x == 5); // two steps
    end(&s);
    return desync;
}

static void each_fault_is_named(void)
{
    mica_desync d = run(NO_FAULT, NULL);
    CHECK(!d.phase && !d.system && MICA_IS_NONE(d.type) && MICA_IS_NONE(d.entity) && !d.field);
    run(VALUE,
        "mica_sync_test: two runs of the step differ after system 'drift': 'Flight.y' of entity "
        "2.0");
    run(PASSING, "mica_sync_test: two runs of the step differ after system 'drift': 'Flight'");
    run(BIRTH,
        "mica_sync_test: two runs of the step differ after the commands of phase 'update': entity 6.0 exists only once");
    run(NAME,
        "mica_sync_test: two runs of the step differ after the commands of phase 'update': the name "
        "of entity 1.0");
    run(EVENT, "mica_sync_test: two runs of the step differ after system 'drift': the events");
    run(RESOURCE, "mica_sync_test: two runs of the step differ after system 'drift': 'Speed.x'");
    run(ORDER,
        "mica_sync_test: two runs of the step differ after the step: the order of rows, or a tick");
}

// Between snapshots, a test is like a step.
static void snapshots_are_as_after_a_step(void)
{
    sky s, other;
    mica_world *world = begin(&s, NO_FAULT);
    mica_world *same = begin(&other, NO_FAULT);
    mica_snapshot first = mica_snapshot_take(world);
    mica_snapshot second = mica_snapshot_take(same);
    mica_remove(world, s.birds[0], s.mass);
    mica_remove(same, other.birds[0], other.mass);
    CHECK_EQUAL(MICA_OK, mica_sync_test(world, 1, NULL));
    CHECK_EQUAL(MICA_OK, mica_step(same, 1));
    CHECK_EQUAL(mica_world_digest(same), mica_world_digest(world));
    CHECK_EQUAL(first.bits, mica_snapshot_current(world).bits);
    CHECK(MICA_IS_NONE(mica_snapshot_next(world, first)));
    mica_time_stats stats = mica_time_get_stats(world);
    CHECK(stats.snapshots == 1 && stats.taken == 1 && stats.restored == 0 && stats.log_bytes == 0);
    mica_snapshot later = mica_snapshot_take(world);
    CHECK_EQUAL(mica_world_hash(world), mica_snapshot_hash(world, later));
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, first));
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(same, second));
    CHECK_EQUAL(mica_world_digest(same), mica_world_digest(world));
    end(&s);
    end(&other);
}

static void a_redo_is_left_alone(void)
{
    sky s;
    mica_world *world = begin(&s, NO_FAULT);
    mica_time_end(world);
    mica_time_begin(world, &(mica_time_desc){.redo = true});
    mica_snapshot first = mica_snapshot_take(world);
    mica_step(world, 1);
    mica_snapshot second = mica_snapshot_take(world);
    uint64_t digest = mica_world_digest(world);
    mica_snapshot_restore(world, first);
    CHECK_EQUAL(MICA_OK, mica_sync_test(world, 1, NULL));
    CHECK_EQUAL(MICA_OK, mica_sync_test(world, 1, NULL));
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, second));
    CHECK_EQUAL(digest, mica_world_digest(world));
    end(&s);
}

static void a_step_that_fails_ends_the_test(void)
{
    sky s;
    mica_world *world = begin(&s, FAILURE);
    mica_snapshot first = mica_snapshot_take(world);
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_sync_test(world, 1, NULL));
    CHECK_REPORTED(&s.t, MICA_ERROR_FAILED);
    CHECK_EQUAL(1, s.runs);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_sync_test(world, -1, NULL));
    CHECK_REPORTED(&s.t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, first));
    CHECK_EQUAL(digest, mica_world_digest(world));
    end(&s);
}

// What a program's trace has seen.
typedef struct seen {
    uint32_t steps, systems;
} seen;

static void see(const mica_trace_point *point)
{
    seen *all = point->user;
    all->steps += point->kind == MICA_TRACE_STEP && point->ended;
    all->systems += point->kind == MICA_TRACE_SYSTEM && point->ended;
}

static void a_trace_has_both_runs(void)
{
    sky s;
    mica_world *world = begin(&s, NO_FAULT);
    seen all = {0};
    mica_trace_set(world, see, &all);
    CHECK_EQUAL(MICA_OK, mica_sync_test(world, 1, NULL));
    CHECK(all.steps == 2 && all.systems == 4);
    mica_step(world, 1);
    CHECK(all.steps == 3 && all.systems == 6);
    mica_buffer text = {0};
    mica_trace_set(world, NULL, NULL);
    mica_trace_begin(world, &(mica_stream){.buffer = &text}, NULL);
    CHECK_EQUAL(MICA_OK, mica_sync_test(world, 1, NULL));
    CHECK_EQUAL(MICA_OK, mica_trace_end(world));
    CHECK(text.size > 0 && strstr((const char *)text.data, "drift"));
    mica_buffer_free(&text);
    end(&s);
}

// Without memory, the world has made the step or not, and its snapshots are as before.
static void memory_may_run_out_at_any_point(void)
{
    for (int fault = NO_FAULT; fault <= VALUE; fault++) {
        mica_result result = MICA_ERROR_MEMORY;
        for (uint64_t which = 1; result == MICA_ERROR_MEMORY; which++) {
            sky s;
            mica_world *world = begin(&s, (sky_fault)fault);
            mica_snapshot first = mica_snapshot_take(world);
            uint64_t digest = mica_world_digest(world);
            test_memory_fail_at(&s.t.memory, which, TEST_MEMORY_ONCE);
            result = mica_sync_test(world, 1, NULL);
            test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
            if (result) {
                CHECK_REPORTED(&s.t, result);
            }
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
            float x = MICA_GET(world, s.birds[3], s.speed, Speed)->x;
            CHECK(x == 4 || (result == MICA_ERROR_MEMORY && x == 3));
            CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, first));
            CHECK_EQUAL(digest, mica_world_digest(world));
            end(&s);
        }
        CHECK_EQUAL(fault == VALUE ? MICA_ERROR_DESYNC : MICA_OK, result);
    }
}

static void what_would_break_the_test_is_refused(void)
{
    sky s;
    mica_world *world = begin(&s, TAKING);
    CHECK_EQUAL(MICA_OK, mica_sync_test(world, 1, NULL));
    CHECK_EQUAL(2, s.t.error.calls);
    s.t.error.calls = 0;
    s.fault = STORAGE;
    mica_snapshot first = mica_snapshot_take(world);
    CHECK_EQUAL(MICA_ERROR_TIME, mica_sync_test(world, 1, NULL));
    CHECK_REPORTED(&s.t, MICA_ERROR_TIME);
    CHECK(!mica_snapshot_is_kept(world, first));
    s.fault = NO_FAULT;
    CHECK_EQUAL(MICA_OK, mica_sync_test(world, 1, NULL));
    end(&s);
}

// Leaves a test in its first or second run.
static void leave(sky *s)
{
    if (setjmp(outside) == 0) {
        mica_sync_test(s->world, 1, NULL);
        CHECK(false);
    }
    CHECK_EQUAL(1, mica_world_end_iterations(s->world));
}

static void a_test_that_is_left_is_forgotten(void)
{
    sky s;
    mica_world *world = begin(&s, LEAVING);
    seen all = {0};
    mica_trace_set(world, see, &all);
    mica_snapshot first = mica_snapshot_take(world);
    uint64_t digest = mica_world_digest(world);
    mica_despawn(world, s.birds[4]);
    leave(&s);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, first));
    CHECK_EQUAL(digest, mica_world_digest(world));
    leave(&s);
    s.fault = NO_FAULT;
    all = (seen){0};
    mica_step(world, 1);
    CHECK(all.steps == 1 && all.systems == 2);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, first));
    CHECK_EQUAL(digest, mica_world_digest(world));
    s.fault = LEAVING;
    leave(&s);
    end(&s); // the world is freed
}

TESTS(time_sync, each_fault_is_named, snapshots_are_as_after_a_step, a_redo_is_left_alone,
      a_step_that_fails_ends_the_test, a_trace_has_both_runs, memory_may_run_out_at_any_point,
      what_would_break_the_test_is_refused, a_test_that_is_left_is_forgotten)
