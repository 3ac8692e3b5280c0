// Tests of src/system/step.c: S3.10, phases with a time step of their own.
#include <math.h>
#include <setjmp.h>

#include "system/system.h"
#include "unit/system/stage.h"

static mica_phase add(stage *s, const char *name, double fixed_dt, uint32_t max_runs)
{
    mica_phase added =
        mica_phase_add(s->world, &(mica_phase_desc){.name = name,
                                                    .fixed_dt = fixed_dt,
                                                    .max_runs = max_runs,
                                                    .before = mica_phase_find(s->world, "update")});
    REQUIRE(!MICA_IS_NONE(added));
    return added;
}

static void a_phase_runs_as_often_as_its_time_step_fits(void) // S3.10
{
    stage s;
    stage_begin(&s);
    mica_phase physics = add(&s, "physics", 0.25, 0);
    actor f = {.letter = 'f'};
    actor u = {.letter = 'u'};
    stage_add_plain(&s, &f, physics);
    stage_add_plain(&s, &u, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 0.125));
    CHECK_TEXT("u", stage_read(&s));
    CHECK(mica_phase_progress(s.world, physics) == 0.5);
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 0.125));
    CHECK_TEXT("fu", stage_read(&s));
    CHECK(f.dt == 0.25f && f.time == 0);
    CHECK(u.dt == 0.125f && u.time == 0.125);
    CHECK(mica_phase_progress(s.world, physics) == 0);
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 0.8125));
    CHECK_TEXT("fffu", stage_read(&s));
    CHECK(f.dt == 0.25f && f.time == 0.75); // its own runs, added up
    CHECK(mica_phase_progress(s.world, physics) == 0.25);
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 0));
    CHECK_TEXT("u", stage_read(&s));
    mica_phase_info stats = test_phase_info(s.world, physics);
    CHECK_EQUAL(4, stats.runs);
    CHECK(stats.lost == 0);
    CHECK(mica_phase_progress(s.world, mica_phase_find(s.world, "update")) == 0);
    stage_end(&s);
}

static uint64_t random_state;

static double random_unit(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) / 9007199254740992.0;
}

// Frames of all lengths beside the plainest accumulator.
static void runs_are_those_that_an_accumulator_counts(void)
{
    const struct {
        double fixed_dt, longest;
        uint32_t max_runs;
    } cases[] = {{1.0 / 60, 1.0 / 30, 0}, {1.0 / 120, 0.1, 3}, {0.1, 0.5, 1},
                 {1.0 / 3, 4, 8},         {7, 2, 0},           {1e-3, 1, 5}};
    for (uint32_t c = 0; c < 6; c++) {
        stage s;
        stage_begin(&s);
        random_state = c;
        mica_phase phase = add(&s, "fixed", cases[c].fixed_dt, cases[c].max_runs);
        actor f = {.letter = 'f'};
        mica_system system = stage_add_plain(&s, &f, phase);
        double lag = 0;
        double lost = 0;
        uint64_t runs = 0;
        uint64_t most = cases[c].max_runs > 0 ? cases[c].max_runs : 8;
        for (uint32_t frame = 0; frame < 2000; frame++) {
            double dt = random_unit() * cases[c].longest * (frame % 7 == 0 ? 0 : 1);
            uint64_t here = 0;
            for (lag += dt; lag >= cases[c].fixed_dt && here < most; here++) {
                lag -= cases[c].fixed_dt;
            }
            if (lag >= cases[c].fixed_dt) {
                double rest = fmod(lag, cases[c].fixed_dt);
                lost += lag - rest;
                lag = rest;
            }
            runs += here;
            f.dt = -1;
            CHECK_EQUAL(MICA_OK, mica_step(s.world, dt));
            CHECK_EQUAL(runs, test_system_info(s.world, system).stats.runs);
            CHECK(here > 0 ? f.dt == (float)cases[c].fixed_dt : f.dt == -1);
            CHECK(here == 0 || f.time == (double)(runs - 1) * cases[c].fixed_dt);
            double progress = mica_phase_progress(s.world, phase);
            CHECK(progress >= 0 && progress < 1 && progress == lag / cases[c].fixed_dt);
        }
        CHECK_EQUAL(runs, test_phase_info(s.world, phase).runs);
        CHECK(test_phase_info(s.world, phase).lost == lost);
        stage_read(&s);
        stage_end(&s);
    }
}

TEST_WITH(stage, s, time_beyond_the_most_runs_is_lost)
{
    mica_phase few = add(s, "few", 0.25, 2);
    mica_phase eight = add(s, "eight", 0.25, 0); // the default
    actor f = {.letter = 'f'};
    actor e = {.letter = 'e'};
    stage_add_plain(s, &f, few);
    stage_add_plain(s, &e, eight);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 100.125));
    CHECK_TEXT("ffeeeeeeee", stage_read(s));
    CHECK(test_phase_info(s->world, few).lost == 99.5);
    CHECK(test_phase_info(s->world, eight).lost == 98);
    CHECK(mica_phase_progress(s->world, few) == 0.5);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 0.125)); // they do not catch up
    CHECK_TEXT("fe", stage_read(s));
    CHECK(f.time == 0.5 && e.time == 2);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 3e38));
    CHECK_TEXT("ffeeeeeeee", stage_read(s));
    double progress = mica_phase_progress(s->world, few);
    CHECK(progress >= 0 && progress < 1);
}

static double progress_seen[8];
static mica_phase progress_of;

static void see_progress(const mica_iter *it, actor *self)
{
    progress_seen[self->acted++ % 8] = mica_phase_progress(it->world, progress_of);
}

TEST_WITH(stage, s, progress_is_that_of_the_step_that_runs)
{
    mica_phase physics = progress_of = add(s, "physics", 0.25, 0);
    actor f = {.letter = 'f', .act = see_progress};
    actor u = {.letter = 'u', .act = see_progress};
    stage_add_plain(s, &f, physics);
    stage_add_plain(s, &u, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 0.625));
    CHECK_TEXT("ffu", stage_read(s));
    CHECK(progress_seen[0] == 0.5); // of the second, and below 1 in the middle of several runs
    CHECK_EQUAL(2, f.acted);
    CHECK_EQUAL(1, u.acted);
    f.acted = u.acted = 0;
    CHECK_EQUAL(MICA_OK,
                mica_systems_run(s->world, (mica_system[]){mica_system_find(s->world, "u")}, 1, 1));
    CHECK(progress_seen[0] == 0.5);
    CHECK_TEXT("u", stage_read(s));
}

static double progress_called;

static void ask_progress(mica_world *world, const void *data)
{
    (void)data;
    progress_called = mica_phase_progress(world, progress_of);
}

static double call_for_progress(stage *s)
{
    progress_called = -1;
    CHECK_EQUAL(MICA_OK, mica_defer_call(mica_world_later(s->world), ask_progress, NULL, 0));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(s->world));
    return progress_called;
}

static void record_asking(const mica_iter *it, actor *self)
{
    self->acted++;
    CHECK_EQUAL(MICA_OK, mica_defer_call(mica_later(it), ask_progress, NULL, 0));
}

TEST_WITH(stage, s, commands_see_the_progress_of_the_step_they_are_carried_out_in)
{
    mica_phase physics = progress_of = add(s, "physics", 1, 0);
    actor a = {.letter = 'a', .act = record_asking};
    actor b = {.letter = 'b'};
    actor c = {.letter = 'c'};
    stage_add_plain(s, &a, (mica_phase){0});
    mica_phase last = mica_phase_add(s->world, &(mica_phase_desc){.name = "last"});
    stage_add_plain(s, &b, last);
    stage_add_plain(s, &c, last);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 0.25));
    CHECK(progress_called == 0.25); // of the step that ran then
    b.fails_in = IN_UPDATE;
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(s->world, 0.5));
    CHECK(progress_called == 0.75);
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK_TEXT("abcab", stage_read(s));
    CHECK(mica_phase_progress(s->world, physics) == 0.25); // that did not count,
    CHECK(call_for_progress(s) == 0.25);                   // for nobody
}

// What has passed in a phase, all of it.
typedef struct passed {
    double progress, lost;
    uint64_t digest;
} passed;

static passed look(stage *s, mica_phase phase)
{
    return (passed){mica_phase_progress(s->world, phase), test_phase_info(s->world, phase).lost,
                    mica_world_digest(s->world)};
}

static void check_same(passed before, passed after)
{
    CHECK(before.progress == after.progress);
    CHECK(before.lost == after.lost);
    CHECK_EQUAL(before.digest, after.digest);
}

static void a_step_that_fails_leaves_time_and_lag_as_they_were(void)
{
    for (uint32_t way = 0; way < 3; way++) { // in the phase, in one behind it, in one before it
        stage s;
        stage_begin(&s);
        mica_phase first = add(&s, "first", 0.5, 0);
        mica_phase physics = add(&s, "physics", 0.25, 2);
        actor f = {.letter = 'f'};
        actor u = {.letter = 'u'};
        actor a = {.letter = 'a'};
        stage_add_plain(&s, &a, first);
        stage_add_plain(&s, &f, physics);
        stage_add_plain(&s, &u, (mica_phase){0});
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 0.375));
        CHECK_TEXT("fu", stage_read(&s));
        actor *failing = way == 0 ? &f : way == 1 ? &u : &a;
        failing->fails_in = IN_UPDATE;
        passed before = look(&s, physics);
        passed first_before = look(&s, first);
        for (uint32_t i = 0; i < 3; i++) { // time is lost in these, if they counted
            CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(s.world, 1));
            CHECK_EQUAL(1, test_error_clear(&s.t.error));
            passed after = look(&s, physics);
            before.digest = after.digest; // systems had ticks
            check_same(before, after);
            CHECK(look(&s, first).progress == first_before.progress);
            CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
        }
        failing->fails_in = IN_NONE;
        stage_read(&s);
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 0.25));
        CHECK_TEXT("afu", stage_read(&s));
        CHECK(f.time == 0.25 && u.time == 0.375 && a.time == 0);
        CHECK(test_phase_info(s.world, physics).lost == 0);
        stage_end(&s);
    }
}

static jmp_buf way_out;

static void jump(const mica_iter *it, actor *self)
{
    (void)it;
    if (self->acted++ == 1) {
        longjmp(way_out, 1);
    }
}

static void end_all(const mica_iter *it, actor *self)
{
    if (self->acted++ == 1) {
        mica_world_end_iterations(it->world);
    }
}

static void a_step_that_is_left_leaves_time_and_lag_as_they_were(void)
{
    static stage s; // not changed by what the jump undoes
    static actor f;
    static mica_phase physics;
    static volatile uint32_t way;
    for (way = 0; way < 2; way++) {
        stage_begin(&s);
        physics = progress_of = add(&s, "physics", 0.25, 3);
        f = (actor){.letter = 'f', .act = way == 0 ? jump : end_all};
        stage_add_plain(&s, &f, physics);
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 0.125));
        if (!setjmp(way_out)) {
            CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_step(s.world, 2));
            CHECK_EQUAL(1, test_error_clear(&s.t.error));
        } else {
            CHECK_EQUAL(1, mica_world_end_iterations(s.world));
        }
        CHECK_TEXT("ff", stage_read(&s));
        CHECK(mica_phase_progress(s.world, physics) == 0.5);
        CHECK(call_for_progress(&s) == 0.5);
        CHECK(test_phase_info(s.world, physics).lost == 0);
        CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 0.25));
        CHECK_TEXT("f", stage_read(&s));
        CHECK(f.time == 0);
        stage_end(&s);
    }
}

static void spawn_later(const mica_iter *it, actor *self)
{
    CHECK(!MICA_IS_NONE(mica_spawn(mica_later(it), MICA_ADD(self->stage->frozen))));
}

static uint32_t counts[4];

static void see_count(const mica_iter *it, actor *self)
{
    counts[self->acted++ % 4] = mica_entity_count(it->world);
}

TEST_WITH(stage, s, commands_are_carried_out_after_each_run)
{
    mica_phase physics = add(s, "physics", 0.25, 0);
    actor f = {.letter = 'f', .act = spawn_later};
    actor g = {.letter = 'g', .act = see_count};
    stage_add_plain(s, &f, physics);
    stage_add_plain(s, &g, physics);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 0.75));
    CHECK_TEXT("fgfgfg", stage_read(s));
    CHECK_EQUAL(0, counts[0]);
    CHECK_EQUAL(1, counts[1]);
    CHECK_EQUAL(2, counts[2]);
    CHECK_EQUAL(3, mica_entity_count(s->world));
}

TEST_WITH(stage, s, the_time_of_phases_is_part_of_the_digest)
{
    add(s, "physics", 0.25, 0);
    uint64_t digests[4];
    for (uint32_t i = 0; i < 4; i++) {
        digests[i] = mica_world_digest(s->world);
        CHECK_EQUAL(MICA_OK, mica_step(s->world, 0.125));
        for (uint32_t k = 0; k < i; k++) {
            CHECK(digests[k] != digests[i]);
        }
    }
}

TEST_WITH(stage, s, by_hand_a_system_has_the_time_of_steps_whatever_its_phase)
{
    mica_phase physics = add(s, "physics", 0.25, 0);
    actor f = {.letter = 'f'};
    mica_system system = stage_add_plain(s, &f, physics);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 0.625));
    CHECK(f.dt == 0.25f && f.time == 0.25);
    CHECK_EQUAL(MICA_OK, mica_systems_run(s->world, &system, 1, 2));
    CHECK(f.dt == 2 && f.time == 0.625);
    CHECK(mica_phase_progress(s->world, physics) == 0.5);
    CHECK_TEXT("fff", stage_read(s));
}

TEST_WITH(stage, s, a_disabled_system_does_not_hold_time_back)
{
    mica_phase physics = add(s, "physics", 0.25, 0);
    actor f = {.letter = 'f'};
    mica_system system =
        stage_add(s, &f, "", &(mica_system_desc){.phase = physics, .disabled = true});
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(MICA_OK, mica_system_enable(s->world, system));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 0.25));
    CHECK_TEXT("f", stage_read(s));
    CHECK(f.time == 1);
}

TESTS(fixed, a_phase_runs_as_often_as_its_time_step_fits, runs_are_those_that_an_accumulator_counts,
      time_beyond_the_most_runs_is_lost, progress_is_that_of_the_step_that_runs,
      commands_see_the_progress_of_the_step_they_are_carried_out_in,
      a_step_that_fails_leaves_time_and_lag_as_they_were,
      a_step_that_is_left_leaves_time_and_lag_as_they_were, commands_are_carried_out_after_each_run,
      the_time_of_phases_is_part_of_the_digest, a_disabled_system_does_not_hold_time_back,
      by_hand_a_system_has_the_time_of_steps_whatever_its_phase)
