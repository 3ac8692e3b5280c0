// What mica/phase.h promises.
#include "promise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Systems that write their letter, and do something.
typedef struct stage {
    test_world t;
    mica_world *world;
    mica_phase update;
    char played[100];
} stage;

typedef struct actor {
    char letter;
    stage *s;
    void (*act)(mica_iter *it, struct actor *self);
    mica_phase phase; // that it does something to, or asks for
    mica_type type;
    uint32_t seen;
    double progress;
} actor;

static void play(mica_iter *it)
{
    actor *self = it->user;
    size_t length = strlen(self->s->played);
    REQUIRE(length + 1 < sizeof self->s->played);
    self->s->played[length] = self->letter;
    self->s->played[length + 1] = 0;
    if (self->act) {
        self->act(it, self);
    }
}

static mica_world *begin(stage *s)
{
    memset(s, 0, sizeof *s);
    s->world = test_world_begin(&s->t);
    s->update = mica_phase_find(s->world, "update");
    return s->world;
}

static mica_system add(stage *s, actor *who, mica_system_desc desc)
{
    char name[] = {who->letter, 0};
    who->s = s;
    desc.name = name;
    desc.update = play;
    desc.user = who;
    return mica_system_add(s->world, &desc);
}

static void check_step(stage *s, double dt, const char *expected)
{
    s->played[0] = 0;
    CHECK_EQUAL(MICA_OK, mica_step(s->world, dt));
    CHECK_TEXT(expected, s->played);
}

static void check_code(stage *s, mica_result code)
{
    CHECK_EQUAL(code, s->t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
}

static void check_refused(stage *s, mica_result code, mica_result result)
{
    CHECK_EQUAL(code, result);
    check_code(s, code);
}

// One of another world, and one that was.
static mica_phase make_foreign(void)
{
    stage s;
    begin(&s);
    mica_phase_add(s.world, &(mica_phase_desc){.name = "x"});
    mica_phase foreign = mica_phase_add(s.world, &(mica_phase_desc){.name = "foreign"});
    test_world_end(&s.t);
    return foreign;
}

static void refuse(stage *s, mica_result code, const mica_phase_desc *desc)
{
    char before[500];
    char after[500];
    TEST_PRINT(before, mica_schedule_print, s->world);
    CHECK(MICA_IS_NONE(mica_phase_add(s->world, desc)));
    check_code(s, code);
    TEST_PRINT(after, mica_schedule_print, s->world);
    CHECK_TEXT(before, after);
}

static void change_inside(mica_iter *it, actor *self)
{
    CHECK(MICA_IS_NONE(mica_phase_add(it->world, &(mica_phase_desc){.name = "late"})));
    check_code(self->s, MICA_ERROR_ITERATING);
    check_refused(self->s, MICA_ERROR_ITERATING, mica_phase_remove(it->world, self->phase));
    check_refused(self->s, MICA_ERROR_ITERATING,
                  mica_phase_move(it->world, self->phase, (mica_phase){0}));
}

static void spawn_and_count(mica_iter *it, actor *self)
{
    CHECK(it->time == 0.5 * self->seen);
    CHECK(it->dt == 0.5f);
    CHECK_EQUAL(self->seen, mica_entity_count(it->world));
    mica_spawn(mica_later(it), MICA_ADD(self->type));
    self->seen++;
}

PROMISE(mica_phase_add)
{
    // [phase.add_cost]: tests/gate/growth.c
    // [phase.fixed], [phase.commands]
    {
        stage s;
        mica_world *world = begin(&s);
        mica_phase fixed =
            mica_phase_add(world, &(mica_phase_desc){.name = "fixed", .fixed_dt = 0.5});
        actor a = {.letter = 'a', .act = spawn_and_count, .type = MICA_TAG(world, Tag)};
        add(&s, &a, (mica_system_desc){.phase = fixed});
        check_step(&s, 1.75, "aaa");
        check_step(&s, 0.125, "");
        check_step(&s, 0.75, "aa");
        CHECK_EQUAL(5, mica_entity_count(world));
        test_world_end(&s.t);
    }

    stage s;
    mica_world *world = begin(&s);

    // [phase.add_fail]: all codes but MICA_ERROR_ARGUMENT, also before there is anything else
    refuse(&s, MICA_ERROR_NULL, NULL);
    CHECK(MICA_IS_NONE(mica_phase_add(NULL, &(mica_phase_desc){.name = "x"})));
    refuse(&s, MICA_ERROR_NAME, &(mica_phase_desc){.name = "update"});
    refuse(&s, MICA_ERROR_NAME, &(mica_phase_desc){0});
    refuse(&s, MICA_ERROR_NAME, &(mica_phase_desc){.name = ""});
    refuse(&s, MICA_ERROR_DESC, &(mica_phase_desc){.name = "x", .first_zero = 1});
    refuse(&s, MICA_ERROR_DESC, &(mica_phase_desc){.name = "x", .last_zero = 1});
    refuse(&s, MICA_ERROR_PHASE, &(mica_phase_desc){.name = "x", .before = make_foreign()});
    for (uint32_t k = 1; MICA_IS_NONE(mica_phase_find(world, "physics")); k++) {
        test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONCE);
        mica_phase made = mica_phase_add(
            world, &(mica_phase_desc){.name = "physics", .before = s.update, .fixed_dt = 0.5});
        test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK(MICA_EQUAL(made, mica_phase_find(world, "physics")));
        if (MICA_IS_NONE(made)) {
            check_code(&s, MICA_ERROR_MEMORY);
        }
    }
    mica_phase physics = mica_phase_find(world, "physics");
    refuse(&s, MICA_ERROR_NAME, &(mica_phase_desc){.name = "physics"});

    // [phase.add_fail]: MICA_ERROR_ARGUMENT
    const double wrong[] = {-1, (double)NAN, (double)INFINITY, 1e39};
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        refuse(&s, MICA_ERROR_ARGUMENT, &(mica_phase_desc){.name = "x", .fixed_dt = wrong[i]});
    }
    refuse(&s, MICA_ERROR_ARGUMENT, &(mica_phase_desc){.name = "x", .max_runs = 3});

    // [phase.between_steps]
    mica_phase last = mica_phase_add(world, &(mica_phase_desc){.name = "last"});
    actor a = {.letter = 'a', .act = change_inside, .phase = last};
    actor b = {.letter = 'b'};
    actor c = {.letter = 'c'};
    add(&s, &c, (mica_system_desc){.phase = last});
    add(&s, &a, (mica_system_desc){0});
    add(&s, &b, (mica_system_desc){.phase = physics});
    check_step(&s, 1, "bbac");
    a.act = NULL;

    // What its descriptor says: at most eight runs in a step, unless it says otherwise; time beyond that is lost.
    check_step(&s, 100, "bbbbbbbbac");
    CHECK(test_phase_info(world, physics).lost == 96);
    check_step(&s, 0.25, "ac");
    check_step(&s, 0.25, "bac");
    test_world_end(&s.t);
}

PROMISE(mica_phase_remove)
{
    // [phase.remove_cost]: tests/gate/growth.c
    stage s;
    mica_world *world = begin(&s);

    // [phase.remove]: "update" stays, also where nothing was made yet
    check_refused(&s, MICA_ERROR_ARGUMENT, mica_phase_remove(world, s.update));
    mica_phase late = mica_phase_add(world, &(mica_phase_desc){.name = "late"});
    actor a = {.letter = 'a'};
    mica_system system = add(&s, &a, (mica_system_desc){.phase = late});
    check_refused(&s, MICA_ERROR_ARGUMENT, mica_phase_remove(world, late));
    check_step(&s, 1, "a");

    // [phase.remove]: MICA_ERROR_ARGUMENT while it has systems
    mica_system_move(world, system, (mica_phase){0}, (mica_system){0});
    CHECK_EQUAL(MICA_OK, mica_phase_remove(world, late));
    CHECK(MICA_IS_NONE(mica_phase_find(world, "late")));
    check_step(&s, 1, "a");

    // [phase.remove_fail]: MICA_ERROR_PHASE
    check_refused(&s, MICA_ERROR_PHASE, mica_phase_remove(world, (mica_phase){0}));
    check_refused(&s, MICA_ERROR_PHASE, mica_phase_remove(world, late));
    check_refused(&s, MICA_ERROR_PHASE, mica_phase_remove(world, make_foreign()));

    // [phase.remove_fail]: MICA_ERROR_NULL; mica_phase_add() shows MICA_ERROR_ITERATING
    CHECK_EQUAL(MICA_ERROR_NULL, mica_phase_remove(NULL, late));
    test_world_end(&s.t);
}

PROMISE(mica_phase_move)
{
    // [phase.move_cost]: tests/gate/growth.c
    stage s;
    mica_world *world = begin(&s);
    mica_phase late = mica_phase_add(world, &(mica_phase_desc){.name = "late"});
    mica_phase last = mica_phase_add(world, &(mica_phase_desc){.name = "last"});
    actor a = {.letter = 'a'};
    actor b = {.letter = 'b'};
    actor c = {.letter = 'c'};
    mica_system first = add(&s, &a, (mica_system_desc){0});
    add(&s, &b, (mica_system_desc){.phase = late});
    add(&s, &c, (mica_system_desc){.phase = last, .after = {first}});
    check_step(&s, 1, "abc");

    // [phase.move]
    CHECK_EQUAL(MICA_OK, mica_phase_move(world, late, s.update));
    check_step(&s, 1, "bac");
    CHECK_EQUAL(MICA_OK, mica_phase_move(world, late, (mica_phase){0}));
    check_step(&s, 1, "acb");
    CHECK_EQUAL(MICA_OK, mica_phase_move(world, late, late));
    check_step(&s, 1, "acb");

    // [phase.move_order]
    check_refused(&s, MICA_ERROR_ORDER, mica_phase_move(world, last, s.update));
    check_refused(&s, MICA_ERROR_ORDER, mica_phase_move(world, s.update, (mica_phase){0}));
    check_step(&s, 1, "acb");

    // [phase.move_fail]
    mica_phase foreign = make_foreign();
    check_refused(&s, MICA_ERROR_PHASE, mica_phase_move(world, (mica_phase){0}, late));
    check_refused(&s, MICA_ERROR_PHASE, mica_phase_move(world, foreign, late));
    check_refused(&s, MICA_ERROR_PHASE, mica_phase_move(world, late, foreign));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_phase_move(NULL, late, last));
    check_step(&s, 1, "acb");
    test_world_end(&s.t);

    // The phase that every world has takes memory when it is first used.
    world = begin(&s);
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONWARDS);
    mica_result result = mica_phase_move(world, s.update, (mica_phase){0});
    test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
    check_refused(&s, MICA_ERROR_MEMORY, result);
    test_world_end(&s.t);
}

PROMISE(mica_phase_find)
{
    stage s;
    mica_world *world = begin(&s);

    // [phase.find]
    CHECK(!MICA_IS_NONE(s.update));
    mica_phase late = mica_phase_add(world, &(mica_phase_desc){.name = "late"});
    CHECK(MICA_EQUAL(late, mica_phase_find(world, "late")));
    CHECK(MICA_EQUAL(s.update, mica_phase_find(world, "update"))); // as before there was another
    CHECK(MICA_IS_NONE(mica_phase_find(world, "Late")));

    // [phase.find]: MICA_ERROR_NULL
    CHECK(MICA_IS_NONE(mica_phase_find(world, NULL)));
    check_code(&s, MICA_ERROR_NULL);
    CHECK(MICA_IS_NONE(mica_phase_find(NULL, "late")));
    test_world_end(&s.t);
}

static void note_progress(mica_iter *it, actor *self)
{
    self->progress = mica_phase_progress(it->world, self->phase);
}

PROMISE(mica_phase_progress)
{
    stage s;
    mica_world *world = begin(&s);

    // [phase.progress_fail]
    CHECK(mica_phase_progress(world, s.update) == 0);
    mica_phase physics =
        mica_phase_add(world, &(mica_phase_desc){.name = "physics", .fixed_dt = 1});
    mica_phase draw = mica_phase_add(world, &(mica_phase_desc){.name = "draw"});
    CHECK(mica_phase_progress(world, (mica_phase){0}) == 0);
    check_code(&s, MICA_ERROR_PHASE);
    CHECK(mica_phase_progress(NULL, physics) == 0);

    // [phase.progress]
    CHECK(mica_phase_progress(world, physics) == 0);
    CHECK_EQUAL(MICA_OK, mica_step(world, 0.75));
    CHECK(mica_phase_progress(world, physics) == 0.75);
    CHECK_EQUAL(MICA_OK, mica_step(world, 0.75));
    CHECK(mica_phase_progress(world, physics) == 0.5);
    CHECK(mica_phase_progress(world, draw) == 0);

    // [phase.progress_step]: before it, in it, and behind it
    actor before = {.letter = 'a', .act = note_progress, .phase = physics};
    actor inside = {.letter = 'b', .act = note_progress, .phase = physics};
    actor behind = {.letter = 'c', .act = note_progress, .phase = physics};
    add(&s, &before, (mica_system_desc){0});
    add(&s, &inside, (mica_system_desc){.phase = physics});
    add(&s, &behind, (mica_system_desc){.phase = draw});
    check_step(&s, 1.75, "abbc");
    CHECK(before.progress == 0.5);
    CHECK(inside.progress >= 0 && inside.progress < 1);
    CHECK(behind.progress == 0.25);
    CHECK(mica_phase_progress(world, physics) == 0.25);
    for (uint32_t i = 0; i < 300; i++) {
        CHECK_EQUAL(MICA_OK, mica_step(world, 0.1 * (i % 7)));
        double progress = mica_phase_progress(world, physics);
        CHECK(progress >= 0 && progress < 1);
        CHECK(inside.progress >= 0 && inside.progress < 1);
        s.played[0] = 0;
    }
    test_world_end(&s.t);
}

static void record_tag(mica_iter *it, actor *self)
{
    CHECK_EQUAL(self->seen, mica_entity_count(it->world));
    mica_spawn(mica_later(it), MICA_ADD(self->type));
    self->seen++;
    self->progress = it->time;
}

static void note_time(mica_iter *it, actor *self)
{
    self->progress = it->time;
    if (self->seen) {
        mica_system_fail(it, 0, "on purpose");
    }
}

static void check_list(stage *s, const mica_phase *list, uint32_t count, const char *expected)
{
    s->played[0] = 0;
    CHECK_EQUAL(MICA_OK, mica_phases_run(s->world, list, count, 2));
    CHECK_TEXT(expected, s->played);
}

PROMISE(mica_phases_run)
{
    stage s;
    mica_world *world = begin(&s);
    mica_phase turn = mica_phase_add(world, &(mica_phase_desc){.name = "turn", .manual = true});
    mica_phase fixed = mica_phase_add(world, &(mica_phase_desc){.name = "fixed", .fixed_dt = 8});
    actor a = {.letter = 'a', .act = record_tag, .type = MICA_TAG(world, Tag)};
    actor b = {.letter = 'b', .act = note_time};
    actor c = {.letter = 'c', .act = note_time};
    add(&s, &a, (mica_system_desc){.phase = turn});
    mica_system second = add(&s, &b, (mica_system_desc){.phase = fixed});
    add(&s, &c, (mica_system_desc){0});

    // [phase.manual]
    check_step(&s, 1, "c");

    // [phases.run]: commands of the first are there for the second
    check_list(&s, (mica_phase[]){turn, s.update, turn, fixed}, 4, "acab");
    CHECK_EQUAL(2, mica_entity_count(world));

    // [phases.manual_time]: in images, tests/unit/image/image_test.c
    CHECK(a.progress == 2);

    // [phases.other_time]
    CHECK(b.progress == 1 && c.progress == 1);
    check_step(&s, 6.5, "c");
    check_step(&s, 0.5, "cb");
    CHECK(b.progress == 0);

    // [phases.frame]: events stay, and the memory is the same again after a step
    mica_type note =
        mica_type_register(world, &(mica_type_desc){.name = "Note", .size = 4, .align = 4});
    mica_send(world, MICA_VALUE(note, uint32_t, 1));
    uint32_t *memory = MICA_FRAME_ARRAY(world, uint32_t, 4);
    for (uint32_t i = 0; i < 3; i++) {
        check_list(&s, &s.update, 1, "c");
        CHECK(MICA_FRAME_ARRAY(world, uint32_t, 4) != memory);
        CHECK_EQUAL(1, test_event_count(world, note));
    }
    CHECK(c.progress == 8);
    check_step(&s, 0, "c");
    CHECK_POINTER(memory, MICA_FRAME_ARRAY(world, uint32_t, 4));
    check_step(&s, 0, "c");
    CHECK_EQUAL(0, test_event_count(world, note));

    // [phases.counted]
    CHECK_EQUAL(2, test_system_info(world, second).stats.runs);
    CHECK_EQUAL(2, test_phase_info(world, turn).runs);

    // [phases.fail]
    s.played[0] = 0;
    check_refused(&s, MICA_ERROR_PHASE, mica_phases_run(world, (mica_phase[]){turn, {0}}, 2, 1));
    check_refused(&s, MICA_ERROR_PHASE,
                  mica_phases_run(world, (mica_phase[]){turn, make_foreign()}, 2, 1));
    check_refused(&s, MICA_ERROR_NULL, mica_phases_run(world, NULL, 1, 1));
    check_refused(&s, MICA_ERROR_ARGUMENT, mica_phases_run(world, &turn, 1, -1));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_phases_run(NULL, &turn, 1, 1));
    CHECK_TEXT("", s.played);

    // [phases.stop]
    b.seen = 1;
    check_refused(&s, MICA_ERROR_FAILED,
                  mica_phases_run(world, (mica_phase[]){turn, fixed, s.update}, 3, 2));
    CHECK_TEXT("ab", s.played);
    check_list(&s, &turn, 1, "a");
    CHECK(a.progress == 6);

    // [phases.none]
    check_list(&s, NULL, 0, "");
    test_world_end(&s.t);
}

TESTS(phase, promise_of_mica_phases_run, promise_of_mica_phase_add, promise_of_mica_phase_remove,
      promise_of_mica_phase_move, promise_of_mica_phase_find, promise_of_mica_phase_progress)
