// Tests of src/system/step.c: S1.6, lists of phases and of systems that are run by themselves.
#include "runner/print.h"
#include "unit/system/stage.h"

static mica_phase add_manual(stage *s, const char *name)
{
    mica_phase added = mica_phase_add(s->world, &(mica_phase_desc){.name = name, .manual = true});
    REQUIRE(!MICA_IS_NONE(added));
    return added;
}

static void steps_leave_manual_phases_out(void) // S1.6
{
    stage s;
    stage_begin(&s);
    mica_phase turn = add_manual(&s, "turn");
    actor a = {.letter = 'a'};
    actor b = {.letter = 'b'};
    stage_add_plain(&s, &a, turn);
    stage_add_plain(&s, &b, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    CHECK_TEXT("b", stage_read(&s));
    CHECK_EQUAL(0, test_phase_info(s.world, turn).runs);
    CHECK(test_phase_info(s.world, turn).manual);
    CHECK(!test_phase_info(s.world, mica_phase_find(s.world, "update")).manual);
    CHECK_EQUAL(MICA_OK, mica_phases_run(s.world, &turn, 1, 0.5));
    CHECK_TEXT("a", stage_read(&s));
    CHECK(a.dt == 0.5f && a.time == 0);
    CHECK(mica_phase_progress(s.world, turn) == 0);
    char text[200];
    TEST_PRINT(text, mica_schedule_print, s.world);
    CHECK_TEXT("phase update\n  b\nphase turn, manual\n  a\n", text);
    stage_end(&s);
}

static void a_world_has_several_schedules(void) // S1.6
{
    stage s;
    stage_begin(&s);
    const mica_phase day[] = {add_manual(&s, "work"), add_manual(&s, "eat")};
    const mica_phase night[] = {add_manual(&s, "sleep"), day[1], day[1]};
    actor w = {.letter = 'w'};
    actor e = {.letter = 'e'};
    actor z = {.letter = 'z'};
    stage_add_plain(&s, &w, day[0]);
    stage_add_plain(&s, &e, day[1]);
    stage_add_plain(&s, &z, night[0]);
    CHECK_EQUAL(MICA_OK, mica_phases_run(s.world, day, 2, 16));
    CHECK_EQUAL(MICA_OK, mica_phases_run(s.world, night, 3, 8));
    CHECK_TEXT("wezee", stage_read(&s));
    CHECK(w.time == 0 && e.time == 24 && z.time == 0); // each has the time of its own runs
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 100));
    CHECK_EQUAL(MICA_OK, mica_phases_run(s.world, day, 2, 1));
    CHECK(w.time == 16 && e.time == 32);
    CHECK_EQUAL(4, test_phase_info(s.world, day[1]).runs);
    CHECK_TEXT("we", stage_read(&s));
    stage_end(&s);
}

TEST_WITH(stage, s, other_phases_run_with_the_time_of_the_world)
{
    mica_phase fixed = mica_phase_add(s->world, &(mica_phase_desc){.name = "fixed", .fixed_dt = 4});
    actor f = {.letter = 'f'};
    actor u = {.letter = 'u', .unwilling = true};
    actor d = {.letter = 'd'};
    stage_add_plain(s, &f, fixed);
    stage_add(s, &u, "?", &(mica_system_desc){0});
    stage_add(s, &d, "", &(mica_system_desc){.disabled = true});
    mica_send(s->world, MICA_VALUE(s->hit, Hit, 1));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("?", stage_read(s));
    const mica_phase both[] = {fixed, mica_phase_find(s->world, "update")};
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQUAL(MICA_OK, mica_phases_run(s->world, both, 2, 0.5));
        CHECK_TEXT("f?", stage_read(s)); // conditions are asked, disabled systems left out
    }
    CHECK(f.dt == 0.5f && f.time == 1 && u.time == 1);
    CHECK(mica_phase_progress(s->world, fixed) == 0.25);
    CHECK_EQUAL(1, test_event_count(s->world, s->hit)); // no frame has ended
    CHECK_EQUAL(4, test_system_info(s->world, mica_system_find(s->world, "u")).stats.skipped);
}

static void spawn_next(const mica_iter *it, actor *self)
{
    CHECK_EQUAL(self->acted++, mica_entity_count(it->world));
    mica_spawn(mica_later(it), MICA_ADD(self->stage->position));
}

TEST_WITH(stage, s, commands_are_applied_after_each_item_of_a_list)
{
    mica_phase turn = add_manual(s, "turn");
    actor a = {.letter = 'a', .act = spawn_next};
    mica_system added = stage_add_plain(s, &a, turn);
    CHECK_EQUAL(MICA_OK, mica_phases_run(s->world, (mica_phase[]){turn, turn, turn}, 3, 1));
    CHECK_EQUAL(3, mica_entity_count(s->world));
    CHECK_EQUAL(MICA_OK, mica_systems_run(s->world, (mica_system[]){added, added}, 2, 1));
    CHECK_EQUAL(5, mica_entity_count(s->world));
    CHECK(a.time == 3); // of its phase, which systems do not advance
    CHECK_EQUAL(MICA_OK, mica_phases_run(s->world, &turn, 1, 0));
    CHECK(a.time == 3);
    stage_read(s);
}

static void systems_run_in_the_order_of_the_list(void) // S1.6
{
    stage s;
    stage_begin(&s);
    mica_phase turn = add_manual(&s, "turn");
    actor a = {.letter = 'a', .unwilling = true};
    actor b = {.letter = 'b'};
    mica_system list[3];
    list[1] = stage_add(&s, &a, "?()", &(mica_system_desc){.disabled = true, .phase = turn});
    list[0] = list[2] = stage_add_plain(&s, &b, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_systems_run(s.world, list, 3, 0.25));
    CHECK_TEXT("b(a)b", stage_read(&s));
    CHECK_EQUAL(MICA_OK, mica_systems_run(s.world, list, 0, 0.25));
    CHECK_EQUAL(MICA_OK, mica_systems_run(s.world, NULL, 0, 0.25));
    CHECK_EQUAL(MICA_OK, mica_phases_run(s.world, NULL, 0, 0.25));
    CHECK_TEXT("", stage_read(&s));
    stage_end(&s);
}

static void a_list_ends_at_the_first_that_fails(void) // S1.6, S1.4
{
    stage s;
    stage_begin(&s);
    const mica_phase list[] = {add_manual(&s, "one"), add_manual(&s, "two"),
                               add_manual(&s, "three")};
    actor actors[] = {{.letter = 'a'}, {.letter = 'b', .fails_in = IN_UPDATE}, {.letter = 'c'}};
    mica_system systems[3];
    for (uint32_t i = 0; i < 3; i++) {
        systems[i] = stage_add_plain(&s, &actors[i], list[i]);
    }
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_phases_run(s.world, list, 3, 2));
    CHECK_ERROR(&s.t, MICA_ERROR_FAILED, "mica_phases_run: system 'b': tripped over 7");
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_systems_run(s.world, systems, 3, 2));
    CHECK_ERROR(&s.t, MICA_ERROR_FAILED, "mica_systems_run: system 'b': tripped over 7");
    CHECK_TEXT("abab", stage_read(&s));
    actors[1].fails_in = IN_NONE;
    CHECK_EQUAL(MICA_OK, mica_phases_run(s.world, list, 3, 2));
    CHECK_TEXT("abc", stage_read(&s));
    CHECK(actors[0].time == 2 && actors[1].time == 0 && actors[2].time == 0);
    CHECK_EQUAL(2, test_phase_info(s.world, list[1]).runs);
    CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    stage_end(&s);
}

static void run_lists(const mica_iter *it, actor *self)
{
    mica_phase update = mica_phase_find(it->world, "update");
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_phases_run(it->world, &update, 1, 1));
    CHECK_EQUAL(1, test_error_clear(&self->stage->t.error));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_systems_run(it->world, &self->system, 1, 1));
    CHECK_EQUAL(1, test_error_clear(&self->stage->t.error));
    self->acted++;
}

TEST_WITH(stage, s, a_list_is_checked_before_it_runs)
{
    mica_phase turn = add_manual(s, "turn");
    mica_phase gone = add_manual(s, "gone");
    mica_phase_remove(s->world, gone);
    actor a = {.letter = 'a', .act = run_lists};
    a.system = stage_add_plain(s, &a, turn);
    CHECK_EQUAL(MICA_ERROR_PHASE, mica_phases_run(s->world, (mica_phase[]){turn, gone}, 2, 1));
    CHECK_ERROR(&s->t, MICA_ERROR_PHASE,
                "mica_phases_run: phases[1]: the phase is removed, or of another world");
    CHECK_EQUAL(MICA_ERROR_PHASE, mica_phases_run(s->world, (mica_phase[]){{0}, turn}, 2, 1));
    CHECK_ERROR(&s->t, MICA_ERROR_PHASE, "mica_phases_run: phases[0]: the phase is none");
    CHECK_EQUAL(MICA_ERROR_SYSTEM,
                mica_systems_run(s->world, (mica_system[]){a.system, {turn.bits}}, 2, 1));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK_TEXT("", stage_read(s));
    CHECK_EQUAL(MICA_OK, mica_phases_run(s->world, &turn, 1, 1));
    CHECK_EQUAL(1, a.acted);
    CHECK_EQUAL(
        0, mica_phase_add(s->world, &(mica_phase_desc){.name = "x", .manual = true, .fixed_dt = 1})
               .bits);
    CHECK_ERROR(&s->t, MICA_ERROR_ARGUMENT,
                "mica_phase_add: phase 'x' has .manual and .fixed_dt; steps do not run a manual "
                "phase, and give it no time");
    stage_read(s);
}

TEST_WITH(stage, s, a_list_of_the_first_phase_runs_in_a_world_without_systems)
{
    mica_phase update = mica_phase_find(s->world, "update");
    CHECK_EQUAL(MICA_OK, mica_phases_run(s->world, &update, 1, 1));
    CHECK_EQUAL(1, test_phase_info(s->world, update).runs);
}

TESTS(list, steps_leave_manual_phases_out, a_world_has_several_schedules,
      other_phases_run_with_the_time_of_the_world, commands_are_applied_after_each_item_of_a_list,
      systems_run_in_the_order_of_the_list, a_list_ends_at_the_first_that_fails,
      a_list_is_checked_before_it_runs, a_list_of_the_first_phase_runs_in_a_world_without_systems)
