// Tests of src/system/phase.c: S3.10, phases that come, go and move. What they run is in step_test.c and
// fixed_test.c.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit/system/stage.h"

static mica_phase add(stage *s, const char *name, mica_phase before)
{
    mica_phase added = mica_phase_add(s->world, &(mica_phase_desc){.name = name, .before = before});
    REQUIRE(!MICA_IS_NONE(added));
    return added;
}

TEST_WITH(stage, s, a_world_has_one_phase_from_the_beginning)
{
    uint64_t blocks = s->t.memory.blocks;
    mica_phase update = mica_phase_find(s->world, "update");
    CHECK(!MICA_IS_NONE(update));
    mica_phase_info stats = test_phase_info(s->world, update);
    CHECK_TEXT("update", stats.name);
    CHECK_EQUAL(0, stats.systems + stats.runs);
    CHECK(mica_phase_progress(s->world, update) == 0);
    CHECK_EQUAL(blocks, s->t.memory.blocks); // it costs nothing
    actor a = {.letter = 'a'};
    stage_add_plain(s, &a, (mica_phase){0});
    CHECK(MICA_EQUAL(update, mica_phase_find(s->world, "update")));
    CHECK_EQUAL(1, test_phase_info(s->world, update).systems);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(1, test_phase_info(s->world, update).runs);
    CHECK_TEXT("a", stage_read(s));
}

TEST_WITH(stage, s, the_first_phase_can_be_named_before_there_is_anything_else)
{
    actor a = {.letter = 'a'};
    actor b = {.letter = 'b'};
    mica_phase update = mica_phase_find(s->world, "update");
    mica_phase early = add(s, "early", update);
    stage_add_plain(s, &a, update);
    stage_add_plain(s, &b, early);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("ba", stage_read(s));
}

TEST_WITH(stage, s, phases_run_in_their_order)
{
    actor actors[] = {{.letter = 'a'}, {.letter = 'b'}, {.letter = 'c'}, {.letter = 'd'}};
    mica_phase last = add(s, "last", (mica_phase){0});
    mica_phase third = add(s, "third", last);
    mica_phase first = add(s, "first", mica_phase_find(s->world, "update"));
    stage_add_plain(s, &actors[3], last);
    stage_add_plain(s, &actors[2], third);
    stage_add_plain(s, &actors[1], (mica_phase){0});
    stage_add_plain(s, &actors[0], first);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("abcd", stage_read(s));
    CHECK(MICA_EQUAL(third, mica_phase_find(s->world, "third")));
}

TEST_WITH(stage, s, phases_move_with_their_systems)
{
    actor actors[] = {{.letter = 'a'}, {.letter = 'b'}, {.letter = 'c'}, {.letter = 'd'}};
    mica_phase update = mica_phase_find(s->world, "update");
    mica_phase late = add(s, "late", (mica_phase){0});
    stage_add_plain(s, &actors[0], update);
    stage_add_plain(s, &actors[1], update);
    stage_add_plain(s, &actors[2], late);
    stage_add_plain(s, &actors[3], late);
    CHECK_EQUAL(MICA_OK, mica_phase_move(s->world, late, update));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("cdab", stage_read(s));
    CHECK_EQUAL(MICA_OK, mica_phase_move(s->world, late, late)); // where it is
    CHECK_EQUAL(MICA_OK, mica_phase_move(s->world, late, (mica_phase){0}));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("abcd", stage_read(s));
    CHECK_EQUAL(MICA_OK, mica_phase_move(s->world, update, (mica_phase){0}));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("cdab", stage_read(s));
    CHECK(MICA_EQUAL(mica_system_find(s->world, "d"), mica_system_find(s->world, "d")));
    CHECK_EQUAL(2, test_phase_info(s->world, late).systems);
}

TEST_WITH(stage, s, a_phase_does_not_move_past_a_system_that_one_of_its_systems_names)
{
    actor a = {.letter = 'a'};
    actor b = {.letter = 'b'};
    mica_phase update = mica_phase_find(s->world, "update");
    mica_phase late = add(s, "late", (mica_phase){0});
    mica_system first = stage_add_plain(s, &a, update);
    stage_add(s, &b, "", &(mica_system_desc){.phase = late, .after = {first}});
    uint64_t digest = mica_world_digest(s->world);
    CHECK_EQUAL(MICA_ERROR_ORDER, mica_phase_move(s->world, late, update));
    CHECK_ERROR(&s->t, MICA_ERROR_ORDER,
                "mica_phase_move: system 'b' is to run after 'a', and would not");
    CHECK_EQUAL(MICA_ERROR_ORDER, mica_phase_move(s->world, update, (mica_phase){0}));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK_EQUAL(digest, mica_world_digest(s->world));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("ab", stage_read(s));
}

TEST_WITH(stage, s, a_phase_goes_when_it_has_no_systems)
{
    actor a = {.letter = 'a'};
    mica_phase update = mica_phase_find(s->world, "update");
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_phase_remove(s->world, update));
    CHECK_ERROR(&s->t, MICA_ERROR_ARGUMENT, "mica_phase_remove: phase 'update' stays");
    mica_phase late = add(s, "late", (mica_phase){0});
    mica_system system = stage_add_plain(s, &a, late);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_phase_remove(s->world, late));
    CHECK_ERROR(&s->t, MICA_ERROR_ARGUMENT,
                "mica_phase_remove: phase 'late' has systems; remove or move those first");
    CHECK_EQUAL(MICA_OK, mica_system_move(s->world, system, update, (mica_system){0}));
    CHECK_EQUAL(MICA_OK, mica_phase_remove(s->world, late));
    CHECK(MICA_IS_NONE(mica_phase_find(s->world, "late")));
    CHECK_EQUAL(MICA_ERROR_PHASE, mica_phase_remove(s->world, late));
    CHECK_ERROR(&s->t, MICA_ERROR_PHASE,
                "mica_phase_remove: the phase is removed, or of another world");
    mica_phase again = add(s, "late", update); // its name is free
    CHECK(!MICA_EQUAL(late, again));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("a", stage_read(s));
}

TEST_WITH(stage, s, phases_that_are_none_removed_or_foreign_are_refused)
{
    stage other;
    stage_begin(&other);
    mica_phase own = add(s, "own", (mica_phase){0});
    mica_phase gone = add(s, "gone", (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_phase_remove(s->world, gone));
    mica_phase bad[] = {gone, add(&other, "foreign", (mica_phase){0}),
                        mica_phase_find(other.world, "update")};
    actor a = {.letter = 'a'};
    mica_system system = stage_add_plain(s, &a, (mica_phase){0});
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQUAL(MICA_ERROR_PHASE, mica_phase_remove(s->world, bad[i]));
        CHECK_EQUAL(MICA_ERROR_PHASE, mica_phase_move(s->world, bad[i], own));
        CHECK_EQUAL(MICA_ERROR_PHASE, mica_phase_move(s->world, own, bad[i]));
        CHECK_EQUAL(MICA_ERROR_PHASE, mica_system_move(s->world, system, bad[i], (mica_system){0}));
        CHECK(mica_phase_progress(s->world, bad[i]) == 0);
        CHECK(test_phase_info(s->world, bad[i]).name == NULL);
        CHECK(MICA_IS_NONE(
            mica_phase_add(s->world, &(mica_phase_desc){.name = "new", .before = bad[i]})));
        CHECK(MICA_IS_NONE(mica_system_add(
            s->world,
            &(mica_system_desc){.name = "new", .update = actor_update, .phase = bad[i]})));
        CHECK_TEXT("mica_system_add: the phase is removed, or of another world",
                   s->t.error.last.sentence);
        CHECK_EQUAL(8, test_error_clear(&s->t.error));
    }
    CHECK_EQUAL(MICA_ERROR_PHASE, mica_phase_move(s->world, (mica_phase){0}, own));
    CHECK_ERROR(&s->t, MICA_ERROR_PHASE, "mica_phase_move: the phase is none");
    stage_end(&other);
}

#define CHECK_NO_PHASE(s, code, sentence, ...)                                                     \
    do {                                                                                           \
        CHECK_EQUAL(0, mica_phase_add((s)->world, &(mica_phase_desc){__VA_ARGS__}).bits);          \
        CHECK_ERROR(&(s)->t, code, sentence);                                                      \
    } while (0)

TEST_WITH(stage, s, bad_descriptors_make_no_phase)
{
    CHECK_NO_PHASE(s, MICA_ERROR_NAME, "mica_phase_add: there is a phase 'update' already",
                   .name = "update");
    add(s, "taken", (mica_phase){0});
    uint64_t digest = mica_world_digest(s->world);
    CHECK_NO_PHASE(s, MICA_ERROR_DESC,
                   "mica_phase_add: the descriptor was not zeroed before it was filled in",
                   .name = "a", .first_zero = 1);
    CHECK_NO_PHASE(s, MICA_ERROR_DESC,
                   "mica_phase_add: the descriptor was not zeroed before it was filled in",
                   .name = "a", .last_zero = 1);
    CHECK_NO_PHASE(s, MICA_ERROR_NAME, "mica_phase_add: the name is missing", .name = NULL);
    CHECK_NO_PHASE(s, MICA_ERROR_NAME, "mica_phase_add: there is a phase 'taken' already",
                   .name = "taken");
    CHECK_NO_PHASE(s, MICA_ERROR_NAME, "mica_phase_add: there is a phase 'update' already",
                   .name = "update");
    CHECK_NO_PHASE(s, MICA_ERROR_ARGUMENT,
                   "mica_phase_add: phase 'a' has .max_runs without .fixed_dt", .name = "a",
                   .max_runs = 1);
    const double bad[] = {-1, -1e-300, NAN, INFINITY, 3.5e38};
    for (uint32_t i = 0; i < 5; i++) {
        CHECK_EQUAL(
            0, mica_phase_add(s->world, &(mica_phase_desc){.name = "a", .fixed_dt = bad[i]}).bits);
        CHECK_EQUAL(MICA_ERROR_ARGUMENT, s->t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&s->t.error));
    }
    CHECK_NO_PHASE(s, MICA_ERROR_ARGUMENT,
                   "mica_phase_add: a time step of -2 for phase 'a'; it must be 0 or more, and no "
                   "more than a float can hold",
                   .name = "a", .fixed_dt = -2);
    CHECK_EQUAL(0, mica_phase_add(s->world, NULL).bits);
    CHECK_ERROR(&s->t, MICA_ERROR_NULL, "mica_phase_add: desc is null");
    CHECK_EQUAL(0, mica_phase_find(s->world, NULL).bits);
    CHECK_ERROR(&s->t, MICA_ERROR_NULL, "mica_phase_find: name is null");
    CHECK_EQUAL(0, mica_phase_find(s->world, "a").bits);
    CHECK_EQUAL(digest, mica_world_digest(s->world));
}

TEST_WITH(stage, s, a_phases_name_is_copied)
{
    char name[] = "late";
    mica_phase late = add(s, name, (mica_phase){0});
    name[0] = 'd';
    CHECK_TEXT("late", test_phase_info(s->world, late).name);
    CHECK(MICA_EQUAL(late, mica_phase_find(s->world, "late")));
    CHECK(MICA_IS_NONE(mica_phase_find(s->world, name)));
}

static mica_phase inner_phase;

static void change_phases(const mica_iter *it, actor *self)
{
    CHECK(MICA_IS_NONE(mica_phase_add(it->world, &(mica_phase_desc){.name = "new"})));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_phase_remove(it->world, inner_phase));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_phase_move(it->world, inner_phase, (mica_phase){0}));
    CHECK_TEXT("mica_phase_move: refused while system 'a' runs; note what is to be done and do it "
               "after mica_step",
               self->stage->t.error.last.sentence);
    CHECK_EQUAL(3, test_error_clear(&self->stage->t.error));
    CHECK(MICA_EQUAL(inner_phase, mica_phase_find(it->world, "inner"))); // to look is free
    CHECK_TEXT("inner", test_phase_info(it->world, inner_phase).name);
}

TEST_WITH(stage, s, phases_come_go_and_move_between_steps)
{
    inner_phase = add(s, "inner", (mica_phase){0});
    actor a = {.letter = 'a', .act = change_phases};
    stage_add_plain(s, &a, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_TEXT("a", stage_read(s));
}

static void many_phases_move_as_an_array_would(void)
{
    enum { PHASES = 8, MOVES = 200 };
    stage s;
    stage_begin(&s);
    actor actors[PHASES];
    mica_phase phases[PHASES];
    uint32_t order[PHASES];
    for (uint32_t i = 0; i < PHASES; i++) {
        char name[] = {(char)('A' + (int)i), '\0'};
        phases[i] = add(&s, name, (mica_phase){0});
        actors[i] = (actor){.letter = (char)('a' + (int)i)};
        stage_add_plain(&s, &actors[i], phases[i]);
        order[i] = i;
    }
    uint32_t random = 11;
    for (uint32_t n = 0; n < MOVES; n++) {
        random = random * 1664525u + 1013904223u;
        uint32_t from = (random >> 8) % PHASES;
        uint32_t to = (random >> 16) % PHASES;
        uint32_t moved = order[from];
        for (uint32_t i = from; i + 1 < PHASES; i++) {
            order[i] = order[i + 1];
        }
        mica_phase next = to + 1 < PHASES ? phases[order[to]] : (mica_phase){0};
        for (uint32_t i = PHASES - 1; i > to; i--) {
            order[i] = order[i - 1];
        }
        order[to] = moved;
        CHECK_EQUAL(MICA_OK, mica_phase_move(s.world, phases[moved], next));
        char expected[PHASES + 1] = {0};
        for (uint32_t i = 0; i < PHASES; i++) {
            expected[i] = (char)('a' + (int)order[i]);
        }
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
        CHECK_TEXT(expected, stage_read(&s));
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    stage_end(&s);
}

TESTS(phase, a_world_has_one_phase_from_the_beginning,
      the_first_phase_can_be_named_before_there_is_anything_else, phases_run_in_their_order,
      phases_move_with_their_systems,
      a_phase_does_not_move_past_a_system_that_one_of_its_systems_names,
      a_phase_goes_when_it_has_no_systems, phases_that_are_none_removed_or_foreign_are_refused,
      bad_descriptors_make_no_phase, a_phases_name_is_copied, phases_come_go_and_move_between_steps,
      many_phases_move_as_an_array_would)
