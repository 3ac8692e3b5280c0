// Tests of src/system/order.c: S3.10, the order in which systems run.
#include "system/system.h"
#include "unit/system/stage.h"

TEST_WITH(stage, s, a_system_is_put_right_before_the_first_that_it_names)
{
    actor actors[] = {{.letter = 'a'}, {.letter = 'b'}, {.letter = 'c'}, {.letter = 'd'}};
    stage_add_plain(s, &actors[0], (mica_phase){0});
    mica_system b = stage_add_plain(s, &actors[1], (mica_phase){0});
    mica_system c = stage_add_plain(s, &actors[2], (mica_phase){0});
    mica_system d = stage_add(s, &actors[3], "", &(mica_system_desc){.before = {c, b}});
    CHECK(!MICA_IS_NONE(d));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("adbc", stage_read(s));
    CHECK_EQUAL(d.bits, mica_system_find(s->world, "d").bits); // they have other places now
    CHECK_EQUAL(c.bits, mica_system_find(s->world, "c").bits);
}

TEST_WITH(stage, s, a_system_that_names_others_to_run_after_comes_last)
{
    actor actors[] = {{.letter = 'a'}, {.letter = 'b'}, {.letter = 'c'}};
    mica_system a = stage_add_plain(s, &actors[0], (mica_phase){0});
    stage_add_plain(s, &actors[1], (mica_phase){0});
    CHECK(!MICA_IS_NONE(stage_add(s, &actors[2], "", &(mica_system_desc){.after = {a}})));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("abc", stage_read(s));
}

TEST_WITH(stage, s, systems_of_other_phases_can_be_named)
{
    actor actors[] = {{.letter = 'a'}, {.letter = 'b'}, {.letter = 'c'}};
    mica_phase late = mica_phase_add(s->world, &(mica_phase_desc){.name = "late"});
    mica_system b = stage_add_plain(s, &actors[1], late);
    mica_system a = stage_add(s, &actors[0], "", &(mica_system_desc){.before = {b}});
    CHECK(!MICA_IS_NONE(a));
    CHECK(!MICA_IS_NONE(
        stage_add(s, &actors[2], "", &(mica_system_desc){.phase = late, .after = {a}})));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("abc", stage_read(s));
}

TEST_WITH(stage, s, what_cannot_run_where_it_asks_to_is_not_added)
{
    actor actors[] = {{.letter = 'a'}, {.letter = 'b'}, {.letter = 'c'}};
    mica_phase late = mica_phase_add(s->world, &(mica_phase_desc){.name = "late"});
    mica_system a = stage_add_plain(s, &actors[0], (mica_phase){0});
    mica_system b = stage_add_plain(s, &actors[1], (mica_phase){0});
    uint64_t digest = mica_world_digest(s->world);
    // Before one, and after another that comes later.
    CHECK(MICA_IS_NONE(
        stage_add(s, &actors[2], "", &(mica_system_desc){.before = {a}, .after = {b}})));
    CHECK_ERROR(
        &s->t, MICA_ERROR_ORDER,
        "mica_system_add: system 'c' is to run before 'a' and after 'b', but 'a' runs before 'b'");
    CHECK(MICA_IS_NONE(
        stage_add(s, &actors[2], "", &(mica_system_desc){.before = {a}, .after = {b, a}})));
    CHECK_ERROR(
        &s->t, MICA_ERROR_ORDER,
        "mica_system_add: system 'c' is to run before 'a' and after 'b', but 'a' runs before 'b'");
    CHECK(MICA_IS_NONE(
        stage_add(s, &actors[2], "", &(mica_system_desc){.before = {b}, .after = {b}})));
    CHECK_ERROR(&s->t, MICA_ERROR_ORDER,
                "mica_system_add: system 'c' is to run both before and after 'b'");
    // Before one of an earlier phase.
    CHECK(MICA_IS_NONE(
        stage_add(s, &actors[2], "", &(mica_system_desc){.phase = late, .before = {a}})));
    CHECK_ERROR(&s->t, MICA_ERROR_ORDER,
                "mica_system_add: system 'c' is to run before 'a', and would not");
    CHECK_EQUAL(digest, mica_world_digest(s->world));
    CHECK(MICA_IS_NONE(mica_system_find(s->world, "c")));
    CHECK_EQUAL(0, test_phase_info(s->world, late).systems);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("ab", stage_read(s));
}

TEST_WITH(stage, s, removed_and_foreign_systems_cannot_be_named)
{
    stage other;
    stage_begin(&other);
    actor a = {.letter = 'a'};
    actor b = {.letter = 'b'};
    actor c = {.letter = 'c'};
    mica_system gone = stage_add_plain(s, &a, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_system_remove(s->world, gone));
    mica_system foreign = stage_add_plain(&other, &b, (mica_phase){0});
    CHECK(MICA_IS_NONE(stage_add(s, &c, "", &(mica_system_desc){.before = {gone}})));
    CHECK_ERROR(&s->t, MICA_ERROR_SYSTEM,
                "mica_system_add: system 'c': .before names a system that is removed, or of "
                "another world");
    CHECK(MICA_IS_NONE(stage_add(s, &c, "", &(mica_system_desc){.after = {foreign}})));
    CHECK_ERROR(&s->t, MICA_ERROR_SYSTEM,
                "mica_system_add: system 'c': .after names a system that is removed, or of "
                "another world");
    stage_end(&other);
}

TEST_WITH(stage, s, one_that_was_named_may_go)
{
    actor a = {.letter = 'a'};
    actor b = {.letter = 'b'};
    mica_system gone = stage_add_plain(s, &a, (mica_phase){0});
    mica_system stays = stage_add(s, &b, "", &(mica_system_desc){.after = {gone}});
    CHECK_EQUAL(MICA_OK, mica_system_remove(s->world, gone));
    gone = stage_add_plain(s, &a, (mica_phase){0}); // another of that name is not meant
    CHECK_EQUAL(MICA_OK, mica_system_move(s->world, stays, (mica_phase){0}, gone));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("ba", stage_read(s));
}

TEST_WITH(stage, s, systems_move_within_a_phase_and_to_others)
{
    actor actors[] = {{.letter = 'a'}, {.letter = 'b'}, {.letter = 'c'}};
    mica_phase late = mica_phase_add(s->world, &(mica_phase_desc){.name = "late"});
    mica_system a = stage_add_plain(s, &actors[0], (mica_phase){0});
    mica_system b = stage_add_plain(s, &actors[1], (mica_phase){0});
    mica_system c = stage_add_plain(s, &actors[2], (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_system_move(s->world, c, (mica_phase){0}, a));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("cab", stage_read(s));
    CHECK_EQUAL(MICA_OK, mica_system_move(s->world, c, (mica_phase){0}, (mica_system){0}));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("abc", stage_read(s));
    CHECK_EQUAL(MICA_OK, mica_system_move(s->world, a, late, (mica_system){0}));
    CHECK_EQUAL(late.bits, test_system_info(s->world, a).phase.bits);
    CHECK_EQUAL(1, test_phase_info(s->world, late).systems);
    CHECK_EQUAL(MICA_OK, mica_system_move(s->world, b, late, a));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("cba", stage_read(s));
    CHECK_EQUAL(MICA_OK, mica_system_move(s->world, a, (mica_phase){0}, c));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("acb", stage_read(s));
    CHECK_EQUAL(b.bits, mica_system_find(s->world, "b").bits);
}

TEST_WITH(stage, s, a_system_does_not_move_past_one_that_it_names_or_that_names_it)
{
    actor actors[] = {{.letter = 'a'}, {.letter = 'b'}, {.letter = 'c'}};
    mica_phase early =
        mica_phase_add(s->world, &(mica_phase_desc){.name = "early",
                                                    .before = mica_phase_find(s->world, "update")});
    mica_system a = stage_add_plain(s, &actors[0], (mica_phase){0});
    mica_system b = stage_add(s, &actors[1], "", &(mica_system_desc){.after = {a}});
    mica_system c = stage_add_plain(s, &actors[2], (mica_phase){0});
    uint64_t digest = mica_world_digest(s->world);
    CHECK_EQUAL(MICA_ERROR_ORDER, mica_system_move(s->world, b, (mica_phase){0}, a));
    CHECK_ERROR(&s->t, MICA_ERROR_ORDER,
                "mica_system_move: system 'b' is to run after 'a', and would not");
    CHECK_EQUAL(MICA_ERROR_ORDER, mica_system_move(s->world, a, (mica_phase){0}, c));
    CHECK_ERROR(&s->t, MICA_ERROR_ORDER,
                "mica_system_move: system 'b' is to run after 'a', and would not");
    CHECK_EQUAL(MICA_ERROR_ORDER, mica_system_move(s->world, b, early, (mica_system){0}));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK_EQUAL(digest, mica_world_digest(s->world));
    CHECK_EQUAL(0, test_phase_info(s->world, early).systems);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("abc", stage_read(s));
    CHECK_EQUAL(MICA_OK, mica_system_move(s->world, a, early, (mica_system){0}));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("abc", stage_read(s));
}

TEST_WITH(stage, s, a_system_moves_before_others_of_that_phase_only)
{
    actor a = {.letter = 'a'};
    actor b = {.letter = 'b'};
    mica_phase late = mica_phase_add(s->world, &(mica_phase_desc){.name = "late"});
    mica_system first = stage_add_plain(s, &a, (mica_phase){0});
    mica_system second = stage_add_plain(s, &b, late);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_system_move(s->world, first, (mica_phase){0}, first));
    CHECK_ERROR(&s->t, MICA_ERROR_ARGUMENT, "mica_system_move: system 'a' is the same");
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_system_move(s->world, first, (mica_phase){0}, second));
    CHECK_ERROR(&s->t, MICA_ERROR_ARGUMENT,
                "mica_system_move: system 'b' is not in phase 'update'");
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("ab", stage_read(s));
}

static void move_itself(const mica_iter *it, actor *self)
{
    CHECK_EQUAL(MICA_ERROR_ITERATING,
                mica_system_move(it->world, self->system, (mica_phase){0}, (mica_system){0}));
    CHECK_EQUAL(1, test_error_clear(&self->stage->t.error));
}

TEST_WITH(stage, s, systems_do_not_move_during_a_step)
{
    actor a = {.letter = 'a', .act = move_itself};
    a.system = stage_add_plain(s, &a, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("a", stage_read(s));
}

// A random order of many, moved about, beside a plain array.
static void many_moves_keep_the_order_that_an_array_has(void)
{
    enum { SYSTEMS = 12, MOVES = 300 };
    stage s;
    stage_begin(&s);
    actor actors[SYSTEMS];
    mica_system systems[SYSTEMS];
    uint32_t order[SYSTEMS];
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        actors[i] = (actor){.letter = (char)('a' + (int)i)};
        systems[i] = stage_add_plain(&s, &actors[i], (mica_phase){0});
        order[i] = i;
    }
    uint32_t random = 7;
    for (uint32_t n = 0; n < MOVES; n++) {
        random = random * 1664525u + 1013904223u;
        uint32_t from = (random >> 8) % SYSTEMS;
        uint32_t to = (random >> 16) % SYSTEMS; // where it is to be; the others close up
        uint32_t moved = order[from];
        for (uint32_t i = from; i + 1 < SYSTEMS; i++) {
            order[i] = order[i + 1];
        }
        mica_system next = to + 1 < SYSTEMS ? systems[order[to]] : (mica_system){0};
        for (uint32_t i = SYSTEMS - 1; i > to; i--) {
            order[i] = order[i - 1];
        }
        order[to] = moved;
        CHECK_EQUAL(MICA_OK, mica_system_move(s.world, systems[moved], (mica_phase){0}, next));
        char expected[SYSTEMS + 1] = {0};
        for (uint32_t i = 0; i < SYSTEMS; i++) {
            expected[i] = (char)('a' + (int)order[i]);
        }
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
        CHECK_TEXT(expected, stage_read(&s));
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    stage_end(&s);
}

// Y2: what is asked is what another system has declared.
static void break_running(const mica_iter *it, actor *self)
{
    stage *s = self->stage;
    micai_state *state = s->world->state;
    micai_declared *declared = state->declared;
    state->declared = &micai_systems_look_up(micai_systems_of(s->world), self->system)->declared;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(it->world));
    state->declared = declared;
    CHECK_ERROR(&s->t, MICA_ERROR_CORRUPT,
                "invariant Y2 is broken: the running system does not exist (in system 'a')");
    CHECK_EQUAL(MICA_OK, mica_world_validate(it->world));
    self->acted++;
}

TEST_WITH(stage, s, validate_finds_a_system_that_runs_and_is_none)
{
    actor a = {.letter = 'a', .act = break_running};
    actor b = {.letter = 'b'};
    stage_add_plain(s, &a, (mica_phase){0});
    a.system = stage_add_plain(s, &b, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(1, a.acted);
    CHECK_TEXT("ab", stage_read(s));
}

// Y4. The place that is wrong is reported, too.
TEST_WITH(stage, s, validate_finds_a_system_that_runs_in_the_wrong_order)
{
    actor actors[] = {{.letter = 'a'}, {.letter = 'b'}};
    mica_system a = stage_add_plain(s, &actors[0], (mica_phase){0});
    mica_system b = stage_add_plain(s, &actors[1], (mica_phase){0});
    micai_system *one = micai_systems_look_up(micai_systems_of(s->world), b);
    one->before[0] = a;
    s->t.error.blind = true;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(s->world));
    CHECK_TEXT("invariant Y4 is broken: systems run in the wrong order", s->t.error.last.sentence);
    CHECK_EQUAL(2, test_error_clear(&s->t.error));
    one->before[0] = (mica_system){0};
    CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
}

TESTS(order, validate_finds_a_system_that_runs_and_is_none,
      validate_finds_a_system_that_runs_in_the_wrong_order,
      a_system_is_put_right_before_the_first_that_it_names,
      a_system_that_names_others_to_run_after_comes_last, systems_of_other_phases_can_be_named,
      what_cannot_run_where_it_asks_to_is_not_added, removed_and_foreign_systems_cannot_be_named,
      one_that_was_named_may_go, systems_move_within_a_phase_and_to_others,
      a_system_does_not_move_past_one_that_it_names_or_that_names_it,
      a_system_moves_before_others_of_that_phase_only, systems_do_not_move_during_a_step,
      many_moves_keep_the_order_that_an_array_has)
