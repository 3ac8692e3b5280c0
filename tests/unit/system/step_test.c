// Tests of src/system/step.c: S1.2, S1.3, what a step calls, in which order, and what ends it. Phases with a
// time step of their own are in fixed_test.c.
#include <setjmp.h>
#include <string.h>

#include "system/system.h"
#include "unit/system/stage.h"

static void fill(stage *s)
{
    mica_spawn(s->world, MICA_ADD(s->position));
    mica_spawn(s->world, MICA_ADD(s->position), MICA_ADD(s->velocity));
}

static void a_system_begins_updates_each_segment_and_ends(void) // S1.2
{
    stage s;
    stage_begin(&s);
    actor a = {.letter = 'a'};
    actor b = {.letter = 'b'};
    stage_add(&s, &a, "()", &(mica_system_desc){.query.terms = {{s.position, MICA_READ}}});
    stage_add(&s, &b, "?()", &(mica_system_desc){.query.terms = {{s.velocity, MICA_READ}}});
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1)); // nothing matches, no table at all
    CHECK_TEXT("()?()", stage_read(&s));
    fill(&s);
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    CHECK_TEXT("(aa)?(b)", stage_read(&s));
    CHECK_EQUAL(MICA_OK, mica_world_clear(s.world)); // tables without rows
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    CHECK_TEXT("()?()", stage_read(&s));
    stage_end(&s);
}

static void check_no_rows(const mica_iter *it, actor *self)
{
    CHECK_EQUAL(0, it->count);
    CHECK_POINTER(self->stage->world, it->world);
    CHECK(mica_read(it, 0) == NULL);
    CHECK_ERROR(&self->stage->t, MICA_ERROR_ITERATOR,
                "mica_read: system 'a' has no rows here; those of its query are for its update");
    CHECK(mica_iter_owners(it) == NULL);
    CHECK_EQUAL(1, test_error_clear(&self->stage->t.error));
    self->acted++;
}

TEST_WITH(stage, s, beginning_ending_and_asking_have_no_rows)
{
    fill(s);
    const actor_part parts[] = {IN_WHEN, IN_BEGIN, IN_END};
    for (uint32_t i = 0; i < 3; i++) {
        actor a = {.letter = 'a', .act = check_no_rows, .acts_in = parts[i]};
        mica_system added =
            stage_add(s, &a, "?()", &(mica_system_desc){.query.terms = {{s->position, MICA_READ}}});
        CHECK_EQUAL(MICA_OK, mica_step(s->world, 0.5));
        CHECK_TEXT("?(aa)", stage_read(s));
        CHECK_EQUAL(1, a.acted);
        CHECK(a.dt == 0.5f);
        CHECK_EQUAL(MICA_OK, mica_system_remove(s->world, added));
    }
}

static void a_system_of_no_query_runs_once_whatever_is_in_the_world(void) // S1.2
{
    stage s;
    stage_begin(&s);
    actor a = {.letter = 'a', .act = check_no_rows, .acts_in = IN_UPDATE};
    stage_add(&s, &a, "()", &(mica_system_desc){0});
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 0.25));
    fill(&s);
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 0.25));
    CHECK_TEXT("(a)(a)", stage_read(&s));
    CHECK_EQUAL(2, a.acted);
    CHECK(a.dt == 0.25f && a.time == 0.25);
    stage_end(&s);
}

static void a_condition_is_asked_first_and_may_say_no(void) // S1.2
{
    stage s;
    stage_begin(&s);
    fill(&s);
    actor a = {.letter = 'a', .unwilling = true};
    actor b = {.letter = 'b'};
    mica_system asked =
        stage_add(&s, &a, "?()", &(mica_system_desc){.query.terms = {{s.position, MICA_READ}}});
    stage_add_plain(&s, &b, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    CHECK_TEXT("?b?b", stage_read(&s));
    CHECK_EQUAL(2, test_system_info(s.world, asked).stats.skipped);
    CHECK_EQUAL(0, test_system_info(s.world, asked).stats.runs);
    a.unwilling = false;
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    CHECK_TEXT("?(aa)b", stage_read(&s));
    CHECK_EQUAL(2, test_system_info(s.world, asked).stats.skipped);
    CHECK_EQUAL(1, test_system_info(s.world, asked).stats.runs);
    stage_end(&s);
}

static uint64_t tick_seen;

static void see_tick(const mica_iter *it, actor *self)
{
    uint64_t tick = it->world->view.tick;
    if (self->acted++ > 0) {
        CHECK_EQUAL(tick_seen, tick);
    }
    tick_seen = tick;
}

TEST_WITH(stage, s, all_functions_of_a_run_are_in_one_tick)
{
    fill(s);
    actor a = {.letter = 'a', .act = see_tick};
    actor b = {.letter = 'b', .act = see_tick};
    stage_add(s, &a, "?()", &(mica_system_desc){.query.terms = {{s->position, MICA_READ}}});
    stage_add(s, &b, "?()", &(mica_system_desc){0});
    uint64_t before = s->world->view.tick;
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("?(aa)?(b)", stage_read(s));
    CHECK_EQUAL(5, a.acted);
    CHECK_EQUAL(before + 2, s->world->view.tick);
    CHECK_EQUAL(before + 2, tick_seen);
}

static void touch_entity(const mica_iter *it, actor *self)
{
    Position *p = mica_get_mut(it->world, self->entity, self->stage->position);
    if (p) {
        p->x++;
    }
}

TEST_WITH(stage, s, what_a_system_changes_when_it_ends_is_news_to_its_next_run)
{
    mica_entity entity = mica_spawn(s->world, MICA_ADD(s->position));
    actor a = {.letter = 'a', .act = touch_entity, .acts_in = IN_END, .entity = entity};
    actor b = {.letter = 'b'};
    stage_add(s, &a, ")",
              &(mica_system_desc){.query.terms = {{s->position, MICA_READ | MICA_CHANGED}}});
    stage_add(s, &b, "",
              &(mica_system_desc){.query.terms = {{s->position, MICA_READ | MICA_CHANGED}}});
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("a)b", stage_read(s));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("a)b", stage_read(s)); // its update had not seen that
    a.act = NULL;
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("a))", stage_read(s));
}

// Switching

static void switch_other(const mica_iter *it, actor *self)
{
    bool on = mica_system_is_enabled(it->world, self->system);
    CHECK_EQUAL(MICA_OK, on ? mica_system_disable(it->world, self->system)
                            : mica_system_enable(it->world, self->system));
    CHECK(mica_system_is_enabled(it->world, self->system) != on);
}

TEST_WITH(stage, s, switching_from_a_system_counts_at_once)
{
    fill(s);
    actor a = {.letter = 'a'};
    actor b = {.letter = 'b', .act = switch_other, .acts_in = IN_BEGIN};
    actor c = {.letter = 'c'};
    mica_system before = stage_add_plain(s, &a, (mica_phase){0});
    mica_system own =
        stage_add(s, &b, "(", &(mica_system_desc){.query.terms = {{s->position, MICA_READ}}});
    mica_system behind = stage_add_plain(s, &c, (mica_phase){0});
    b.system = behind;
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("a(bb", stage_read(s));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("a(bbc", stage_read(s));
    b.system = before; // it has run already: from the next step on
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("a(bbc(bbc", stage_read(s));
    b.system = own; // what runs goes on
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("a(bbcac", stage_read(s));
}

TEST_WITH(stage, s, a_system_can_be_added_disabled)
{
    actor a = {.letter = 'a'};
    mica_system added = stage_add(s, &a, "?()", &(mica_system_desc){.disabled = true});
    CHECK(!mica_system_is_enabled(s->world, added));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("", stage_read(s));
    CHECK_EQUAL(0, test_system_info(s->world, added).stats.skipped);
    CHECK_EQUAL(MICA_OK, mica_system_enable(s->world, added));
    CHECK_EQUAL(MICA_OK, mica_system_enable(s->world, added)); // it is
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("?(a)", stage_read(s));
}

// By hand

static void despawn_later(const mica_iter *it, actor *self)
{
    CHECK_EQUAL(MICA_OK, mica_despawn(mica_later(it), self->entity));
    self->acted++;
}

TEST_WITH(stage, s, one_system_runs_by_hand_enabled_or_not_whatever_its_condition_says)
{
    mica_entity entity = mica_spawn(s->world, MICA_ADD(s->position));
    mica_send(s->world, MICA_VALUE(s->hit, Hit, 1));
    actor a = {.letter = 'a', .unwilling = true, .act = despawn_later, .acts_in = IN_BEGIN};
    a.entity = entity;
    actor b = {.letter = 'b'};
    mica_system added =
        stage_add(s, &a, "?()",
                  &(mica_system_desc){.disabled = true, .query.terms = {{s->position, MICA_READ}}});
    mica_system other = stage_add_plain(s, &b, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 0.5));
    CHECK_TEXT("b", stage_read(s));
    CHECK_EQUAL(MICA_OK, mica_systems_run(s->world, &added, 1, 0.125));
    CHECK_TEXT("(a)", stage_read(s));
    CHECK(a.dt == 0.125f && a.time == 0.5);
    CHECK(!mica_alive(s->world, entity)); // its commands were carried out
    // Neither time nor frames have gone on.
    CHECK_EQUAL(MICA_OK, mica_systems_run(s->world, &other, 1, 1));
    CHECK_EQUAL(MICA_OK, mica_systems_run(s->world, &other, 1, 1));
    CHECK_TEXT("bb", stage_read(s));
    CHECK(b.time == 0.5);
    CHECK_EQUAL(1, test_event_count(s->world, s->hit));
    CHECK_EQUAL(1, test_system_info(s->world, added).stats.runs);
    CHECK_EQUAL(0, test_system_info(s->world, added).stats.skipped);
    CHECK_EQUAL(1, test_phase_info(s->world, mica_phase_find(s->world, "update")).runs);
}

static void run_itself(const mica_iter *it, actor *self)
{
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_systems_run(it->world, &self->system, 1, 1));
    CHECK_ERROR(
        &self->stage->t, MICA_ERROR_ITERATING,
        "mica_systems_run: a step is running, which ends when its systems have returned or, "
        "if one was left by longjmp or an exception, with mica_world_end_iterations (in "
        "system 'a')");
    self->acted++;
}

TEST_WITH(stage, s, running_by_hand_fails_as_a_step_does)
{
    actor a = {.letter = 'a', .act = run_itself};
    a.system = stage_add_plain(s, &a, (mica_phase){0});
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_systems_run(s->world, &a.system, 1, -1));
    CHECK_ERROR(&s->t, MICA_ERROR_ARGUMENT,
                "mica_systems_run: a time step of -1; it must be 0 or more, and no more than a "
                "float can hold");
    CHECK_EQUAL(MICA_ERROR_SYSTEM, mica_systems_run(s->world, &(mica_system){0}, 1, 1));
    CHECK_ERROR(&s->t, MICA_ERROR_SYSTEM, "mica_systems_run: systems[0]: the system is none");
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(MICA_OK, mica_systems_run(s->world, &a.system, 1, 1));
    CHECK_EQUAL(2, a.acted);
    CHECK_TEXT("aa", stage_read(s));
    a.act = NULL;
    a.fails_in = IN_UPDATE;
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_systems_run(s->world, &a.system, 1, 1));
    CHECK_ERROR(&s->t, MICA_ERROR_FAILED, "mica_systems_run: system 'a': tripped over 7");
    CHECK_TEXT("a", stage_read(s));
}

// Failing

static void a_system_that_fails_ends_the_step(void) // S1.4
{
    const struct {
        actor_part part;
        const char *journal;
        uint32_t runs, segments, rows;
    } cases[] = {{IN_WHEN, "b?", 0, 0, 0},
                 {IN_BEGIN, "b?(", 1, 0, 0},
                 {IN_UPDATE, "b?(a", 1, 1, 1},
                 {IN_END, "b?(aa)", 1, 2, 2}};
    for (uint32_t i = 0; i < 4; i++) {
        stage s;
        stage_begin(&s);
        fill(&s);
        actor b = {.letter = 'b'};
        actor a = {.letter = 'a', .fails_in = cases[i].part, .act = despawn_later};
        actor c = {.letter = 'c'};
        a.entity = mica_spawn(s.world, MICA_ADD(s.velocity));
        mica_phase late = mica_phase_add(s.world, &(mica_phase_desc){.name = "late"});
        stage_add_plain(&s, &b, (mica_phase){0});
        mica_system failing =
            stage_add(&s, &a, "?()", &(mica_system_desc){.query.terms = {{s.position, MICA_READ}}});
        stage_add_plain(&s, &c, (mica_phase){0});
        stage_add_plain(&s, &(actor){.letter = 'd'}, late);
        CHECK_EQUAL(MICA_OK, mica_system_disable(s.world, mica_system_find(s.world, "d")));
        mica_send(s.world, MICA_VALUE(s.hit, Hit, 1));
        CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(s.world, 1));
        CHECK_ERROR(&s.t, MICA_ERROR_FAILED, "mica_step: system 'a': tripped over 7");
        CHECK_TEXT(cases[i].journal, stage_read(&s));
        CHECK(!mica_alive(s.world, a.entity)); // what it recorded is carried out
        CHECK_EQUAL(0, s.world->busy);
        CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
        mica_system_stats stats = test_system_info(s.world, failing).stats;
        CHECK_EQUAL(cases[i].runs, stats.runs);
        CHECK_EQUAL(cases[i].segments, stats.segments);
        CHECK_EQUAL(cases[i].rows, stats.rows);
        // It does not count: no time has passed, no frame is over.
        a.fails_in = IN_NONE;
        a.act = NULL;
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
        CHECK_TEXT("b?(aa)c", stage_read(&s));
        CHECK(a.time == 0);
        CHECK_EQUAL(1, test_event_count(s.world, s.hit));
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
        CHECK_TEXT("b?(aa)c", stage_read(&s));
        CHECK(a.time == 1);
        CHECK_EQUAL(0, test_event_count(s.world, s.hit));
        stage_end(&s);
    }
}

static int64_t value_seen;

static void note_value(mica_world *world, const mica_error *error, void *user)
{
    (void)user;
    CHECK_EQUAL(MICA_ERROR_FAILED, error->code);
    CHECK_POINTER(error, mica_last_error(world));
    value_seen = error->value;
}

static void fail_with_value(const mica_iter *it, actor *self)
{
    CHECK_EQUAL(MICA_OK, mica_system_fail(it, -(INT64_C(1) << 40), "no such level"));
    CHECK_EQUAL(MICA_OK, mica_system_fail(it, 2, "for the second time"));
    self->acted++;
}

static void the_value_of_a_system_reaches_the_caller(void) // S1.7
{
    stage s;
    stage_begin(&s);
    actor a = {.letter = 'a', .act = fail_with_value};
    a.system = stage_add_plain(&s, &a, (mica_phase){0});
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(s.world, 1));
    CHECK(mica_last_error(s.world)->value == -(INT64_C(1) << 40));
    CHECK_ERROR(&s.t, MICA_ERROR_FAILED, "mica_step: system 'a': no such level");
    CHECK_EQUAL(MICA_ERROR_NAME, mica_system_add(s.world, &(mica_system_desc){0}).bits
                                     ? MICA_OK
                                     : mica_last_error(s.world)->code);
    CHECK(mica_last_error(s.world)->value == 0); // of another error
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    mica_world_set_error_handler(s.world, note_value, NULL);
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_systems_run(s.world, &a.system, 1, 1));
    CHECK(value_seen == -(INT64_C(1) << 40));
    mica_clear_error(s.world);
    CHECK(mica_last_error(s.world)->value == 0);
    mica_world_set_error_handler(s.world, test_error_record, &s.t.error);
    stage_read(&s);
    stage_end(&s);
}

static void fail_again(const mica_iter *it, actor *self)
{
    CHECK_EQUAL(MICA_OK, mica_system_fail(it, 0, "for the first time"));
    CHECK_EQUAL(MICA_OK, mica_system_fail(it, 0, "for the second time"));
    self->acted++;
}

TEST_WITH(stage, s, a_system_fails_once)
{
    actor a = {.letter = 'a', .act = fail_again};
    stage_add_plain(s, &a, (mica_phase){0});
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(s->world, 1));
    CHECK_ERROR(&s->t, MICA_ERROR_FAILED, "mica_step: system 'a': for the first time");
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(s->world, 1)); // of another step, it is reported again
    CHECK_ERROR(&s->t, MICA_ERROR_FAILED, "mica_step: system 'a': for the first time");
    CHECK_TEXT("aa", stage_read(s));
}

static mica_query other_query;

static void fail_for_another(const mica_iter *it, actor *self)
{
    mica_iter own;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(it->world, other_query, &own));
    CHECK(mica_iter_next(&own));
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_system_fail(&own, 0, "not this one"));
    CHECK_ERROR(&self->stage->t, MICA_ERROR_ITERATOR,
                "mica_system_fail: this is an iteration, but not a system's own (in system 'a')");
    CHECK_EQUAL(MICA_OK, mica_iter_end(&own));
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_system_fail(&own, 0, "nor this"));
    CHECK_EQUAL(1, test_error_clear(&self->stage->t.error));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_system_fail(it, 0, NULL));
    CHECK_EQUAL(1, test_error_clear(&self->stage->t.error));
}

TEST_WITH(stage, s, only_a_systems_own_iteration_fails_it)
{
    fill(s);
    other_query = mica_query_new(s->world, &(mica_query_desc){.everything = true});
    actor a = {.letter = 'a', .act = fail_for_another};
    stage_add(s, &a, "", &(mica_system_desc){.queries = {other_query}});
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("a", stage_read(s));
}

static mica_iter left_open;

static void fail_with_an_iteration_open(const mica_iter *it, actor *self)
{
    (void)self;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(it->world, other_query, &left_open));
    CHECK(mica_iter_next(&left_open));
    CHECK_EQUAL(MICA_OK, mica_system_fail(it, 0, "in the middle"));
}

static void a_system_that_fails_need_not_end_what_it_iterates(void)
{
    const actor_part parts[] = {IN_WHEN, IN_BEGIN, IN_UPDATE, IN_END};
    for (uint32_t i = 0; i < 4; i++) {
        stage s;
        stage_begin(&s);
        fill(&s);
        other_query = mica_query_new(s.world, &(mica_query_desc){.everything = true});
        actor a = {.letter = 'a', .act = fail_with_an_iteration_open, .acts_in = parts[i]};
        stage_add(&s, &a, "?()",
                  &(mica_system_desc){.queries = {other_query},
                                      .query.terms = {{s.position, MICA_READ}}});
        CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(s.world, 1));
        CHECK_ERROR(&s.t, MICA_ERROR_FAILED, "mica_step: system 'a': in the middle");
        CHECK_EQUAL(0, s.world->busy);
        CHECK(!MICA_IS_NONE(mica_spawn_values(s.world, NULL, 0)));
        stage_read(&s);
        stage_end(&s);
    }
}

static void fail_at_length(const mica_iter *it, actor *self)
{
    char long_text[400];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    CHECK_EQUAL(MICA_OK, mica_system_fail(it, 0, "%s", long_text));
    self->acted++;
}

TEST_WITH(stage, s, the_sentence_of_a_failure_is_cut_where_it_ends)
{
    actor a = {.letter = 'a', .act = fail_at_length};
    stage_add_plain(s, &a, (mica_phase){0});
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(s->world, 1));
    CHECK_EQUAL(0, strncmp("mica_step: system 'a': xxxx", s->t.error.last.sentence, 27));
    CHECK_EQUAL(sizeof s->t.error.last.sentence - 1, strlen(s->t.error.last.sentence));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK_TEXT("a", stage_read(s));
}

// Commands

static void spawn_later(const mica_iter *it, actor *self)
{
    CHECK(!MICA_IS_NONE(mica_spawn(mica_later(it), MICA_ADD(self->stage->frozen))));
    self->acted++;
}

static uint32_t seen[8];
static uint32_t seen_count;

static void see_count(const mica_iter *it, actor *self)
{
    (void)self;
    seen[seen_count++ % 8] = mica_entity_count(it->world);
}

TEST_WITH(stage, s, commands_are_carried_out_when_their_phase_has_run)
{
    seen_count = 0;
    mica_phase late = mica_phase_add(s->world, &(mica_phase_desc){.name = "late"});
    actor a = {.letter = 'a', .act = spawn_later};
    actor b = {.letter = 'b', .act = see_count};
    actor c = {.letter = 'c', .act = see_count};
    actor d = {.letter = 'd', .act = see_count};
    stage_add(s, &a, "?()", &(mica_system_desc){0}); // each of its functions records
    stage_add_plain(s, &b, (mica_phase){0});
    stage_add(s, &c, "", &(mica_system_desc){.replay_first = true});
    stage_add_plain(s, &d, late);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("?(a)bcd", stage_read(s));
    CHECK_EQUAL(0, seen[0]);
    CHECK_EQUAL(4, seen[1]); // it asks for that
    CHECK_EQUAL(4, seen[2]);
    CHECK_EQUAL(MICA_OK, mica_system_move(s->world, mica_system_find(s->world, "a"),
                                          (mica_phase){0}, (mica_system){0}));
    seen_count = 0;
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("bc?(a)d", stage_read(s));
    CHECK_EQUAL(4, seen[1]);
    CHECK_EQUAL(8, seen[2]);
}

TEST_WITH(stage, s, a_disabled_system_asks_for_no_commands)
{
    seen_count = 0;
    actor a = {.letter = 'a', .act = spawn_later};
    actor b = {.letter = 'b'};
    actor c = {.letter = 'c', .act = see_count};
    stage_add_plain(s, &a, (mica_phase){0});
    stage_add(s, &b, "", &(mica_system_desc){.replay_first = true, .disabled = true});
    stage_add_plain(s, &c, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("ac", stage_read(s));
    CHECK_EQUAL(0, seen[0]);
    CHECK_EQUAL(1, mica_entity_count(s->world));
}

// Leaving

static jmp_buf way_out;

static void jump(const mica_iter *it, actor *self)
{
    (void)it;
    if (self->acted++ == 0) {
        longjmp(way_out, 1);
    }
}

static void after_a_longjmp_out_of_any_function_steps_go_on(void)
{
    static const actor_part parts[] = {IN_WHEN, IN_BEGIN, IN_UPDATE, IN_END};
    static stage s; // not changed by what the jump undoes
    static actor a;
    static volatile uint32_t i;
    for (i = 0; i < 4; i++) {
        stage_begin(&s);
        fill(&s);
        a = (actor){.letter = 'a', .act = jump, .acts_in = parts[i]};
        stage_add(&s, &a, "?()", &(mica_system_desc){.query.terms = {{s.position, MICA_READ}}});
        if (!setjmp(way_out)) {
            mica_step(s.world, 1);
            CHECK(false);
        }
        CHECK_EQUAL(1, mica_world_end_iterations(s.world));
        CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
        CHECK_EQUAL(MICA_OK, mica_resource_set(s.world, MICA_ADD(s.score))); // nobody runs
        stage_read(&s);
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
        CHECK_TEXT("?(aa)", stage_read(&s));
        CHECK(a.time == 0);
        stage_end(&s);
    }
}

static void end_all_and_go(const mica_iter *it, actor *self)
{
    mica_world *world = it->world;
    mica_phase phase = test_system_info(world, self->system).phase;
    CHECK_EQUAL(1, mica_world_end_iterations(world));
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, self->system)); // the world is open
    CHECK_EQUAL(MICA_OK, mica_phase_remove(world, phase));
}

static void a_step_that_was_ended_touches_nothing_that_is_gone(void)
{
    const actor_part parts[] = {IN_WHEN, IN_BEGIN, IN_UPDATE, IN_END};
    for (uint32_t i = 0; i < 8; i++) {
        stage s;
        stage_begin(&s);
        fill(&s);
        mica_phase late = mica_phase_add(
            s.world, &(mica_phase_desc){.name = "late", .fixed_dt = i < 4 ? 0.25 : 0});
        actor a = {.letter = 'a', .act = end_all_and_go, .acts_in = parts[i % 4]};
        a.system =
            stage_add(&s, &a, "?()",
                      &(mica_system_desc){.query.terms = {{s.position, MICA_READ}}, .phase = late});
        CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_step(s.world, 1));
        CHECK_ERROR(
            &s.t, MICA_ERROR_ITERATOR,
            "mica_step: a system that is gone has ended the step with mica_world_end_iterations");
        CHECK_EQUAL(0, s.world->busy);
        CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
        stage_read(&s);
        stage_end(&s);
    }
}

// What is called by a command in the middle of a step, with two systems to come: those after it in its phase,
// and in the next.
typedef struct ending {
    mica_system next;
    mica_system last;
    mica_phase phase;
    bool steps; // once more, from inside
} ending;

static void end_step(mica_world *world, const void *data)
{
    const ending *e = data;
    CHECK_EQUAL(0, mica_world_end_iterations(world));
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, e->next));
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, e->last));
    CHECK_EQUAL(MICA_OK, mica_phase_remove(world, e->phase));
    if (e->steps) {
        CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    }
}

static ending to_end;

static void record_end(const mica_iter *it, actor *self)
{
    if (self->acted++ == 0) {
        CHECK_EQUAL(MICA_OK, mica_defer_call(mica_later(it), end_step, &to_end, sizeof to_end));
    }
}

static void a_step_that_a_command_has_ended_touches_nothing_that_is_gone(void)
{
    for (uint32_t way = 0; way < 6; way++) {
        stage s;
        stage_begin(&s);
        actor a = {.letter = 'a', .act = record_end};
        actor b = {.letter = 'b'};
        actor c = {.letter = 'c'};
        mica_phase early = mica_phase_add(
            s.world, &(mica_phase_desc){.name = "early",
                                        .fixed_dt = way % 3 == 2 ? 0.5 : 0, // runs twice
                                        .before = mica_phase_find(s.world, "update")});
        to_end = (ending){.steps = way >= 3};
        stage_add_plain(&s, &a, early);
        to_end.phase = mica_phase_add(s.world, &(mica_phase_desc){.name = "late"});
        to_end.next = stage_add(&s, &b, "",
                                &(mica_system_desc){.replay_first = way % 3 == 0, .phase = early});
        to_end.last = stage_add_plain(&s, &c, to_end.phase);
        CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_step(s.world, 1));
        CHECK_ERROR(&s.t, MICA_ERROR_ITERATOR,
                    "mica_step: a function that was called by a command has called "
                    "mica_world_end_iterations; what waits behind it still does");
        static const char *const journals[] = {"a", "ab", "ab", "aa", "aba", "abaa"};
        CHECK_TEXT(journals[way], stage_read(&s));
        CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 0.5));
        CHECK_TEXT("a", stage_read(&s));
        stage_end(&s);
    }
}

TESTS(step, a_system_begins_updates_each_segment_and_ends, beginning_ending_and_asking_have_no_rows,
      a_system_of_no_query_runs_once_whatever_is_in_the_world,
      a_condition_is_asked_first_and_may_say_no, all_functions_of_a_run_are_in_one_tick,
      what_a_system_changes_when_it_ends_is_news_to_its_next_run,
      switching_from_a_system_counts_at_once, a_system_can_be_added_disabled,
      one_system_runs_by_hand_enabled_or_not_whatever_its_condition_says,
      running_by_hand_fails_as_a_step_does, a_system_that_fails_ends_the_step,
      the_value_of_a_system_reaches_the_caller, a_system_fails_once,
      only_a_systems_own_iteration_fails_it, a_system_that_fails_need_not_end_what_it_iterates,
      the_sentence_of_a_failure_is_cut_where_it_ends,
      commands_are_carried_out_when_their_phase_has_run, a_disabled_system_asks_for_no_commands,
      after_a_longjmp_out_of_any_function_steps_go_on,
      a_step_that_was_ended_touches_nothing_that_is_gone,
      a_step_that_a_command_has_ended_touches_nothing_that_is_gone)
