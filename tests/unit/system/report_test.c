// Tests of src/system/report.c, and of what is counted and timed: S1.4, S3.10. What is printed is in
// examples/schedule.expected and in the guide.
#include <string.h>

#include "base/clock.h"
#include "runner/print.h"
#include "unit/system/stage.h"

static void counts_are_kept_always(void) // S3.10
{
    stage s;
    stage_begin(&s);
    actor a = {.letter = 'a'};
    actor b = {.letter = 'b'};
    mica_system system =
        stage_add(&s, &a, "?()", &(mica_system_desc){.query.terms = {{s.position, MICA_READ}}});
    mica_system once = stage_add_plain(&s, &b, (mica_phase){0});
    mica_system_stats stats = test_system_info(s.world, system).stats;
    CHECK_EQUAL(0, stats.runs + stats.skipped + stats.segments + stats.rows + stats.timed);
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1)); // nothing matches: a run all the same
    mica_spawn(s.world, MICA_ADD(s.position));
    for (uint32_t i = 0; i < 2; i++) {
        mica_spawn(s.world, MICA_ADD(s.position), MICA_ADD(s.velocity));
    }
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    a.unwilling = true;
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    stats = test_system_info(s.world, system).stats;
    CHECK_EQUAL(3, stats.runs);
    CHECK_EQUAL(1, stats.skipped);
    CHECK_EQUAL(4, stats.segments);
    CHECK_EQUAL(6, stats.rows);
    CHECK_EQUAL(0, stats.timed + stats.last_ns + stats.total_ns);
    stats = test_system_info(s.world, once).stats;
    CHECK_EQUAL(4, stats.runs);
    CHECK_EQUAL(0, stats.segments + stats.rows);
    stage_read(&s);
    stage_end(&s);
}

static void wait_a_while(const mica_iter *it, actor *self)
{
    (void)it;
    uint64_t from = micai_clock_ns();
    while (micai_clock_ns() - from < 200000) {
    }
    self->acted++;
}

static void runs_are_timed_while_that_is_switched_on(void) // S1.4
{
    stage s;
    stage_begin(&s);
    actor a = {.letter = 'a', .act = wait_a_while};
    actor b = {.letter = 'b'};
    mica_system slow = stage_add_plain(&s, &a, (mica_phase){0});
    mica_system quick = stage_add(&s, &b, "?", &(mica_system_desc){0});
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    CHECK_EQUAL(0, test_system_info(s.world, slow).stats.total_ns);
    CHECK_EQUAL(MICA_OK, mica_world_set_timing(s.world, true));
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    mica_system_stats stats = test_system_info(s.world, slow).stats;
    CHECK_EQUAL(2, stats.runs);
    CHECK_EQUAL(1, stats.timed);
    CHECK(stats.last_ns >= 200000);
    CHECK_EQUAL(stats.last_ns, stats.total_ns);
    // The time of one is not that of the next; a run that is skipped takes none.
    b.unwilling = true;
    mica_system_stats before = test_system_info(s.world, quick).stats;
    CHECK_EQUAL(1, before.timed);
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    mica_system_stats after = test_system_info(s.world, quick).stats;
    CHECK_EQUAL(before.total_ns, after.total_ns);
    CHECK_EQUAL(1, after.timed);
    CHECK_EQUAL(MICA_OK, mica_systems_run(s.world, &slow, 1, 1)); // by hand, too
    stats = test_system_info(s.world, slow).stats;
    CHECK_EQUAL(3, stats.timed);
    CHECK(stats.total_ns >= 600000 && stats.last_ns < stats.total_ns);
    CHECK_EQUAL(MICA_OK, mica_world_set_timing(s.world, false));
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    CHECK_EQUAL(stats.total_ns, test_system_info(s.world, slow).stats.total_ns);
    CHECK_EQUAL(3, test_system_info(s.world, slow).stats.timed);
    stage_read(&s);
    stage_end(&s);
}

TEST_WITH(stage, s, the_table_says_what_was_not_timed)
{
    actor a = {.letter = 'a'};
    stage_add_plain(s, &a, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    char text[512];
    TEST_PRINT(text, mica_timings_print, s->world);
    CHECK_TEXT("system                         runs  skipped   segments         rows    last us    "
               "mean us  share\n"
               "a                                 1        0          0            0          -    "
               "      -      -\n",
               text);
    CHECK_EQUAL(MICA_OK, mica_world_set_timing(s->world, true));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    TEST_PRINT(text, mica_timings_print, s->world);
    CHECK(strstr(text, "100.0%\n") != NULL && strstr(text, "-") == NULL);
    CHECK_TEXT("aa", stage_read(s));
}

static void switch_timing(const mica_iter *it, actor *self)
{
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_set_timing(it->world, true));
    CHECK_EQUAL(1, test_error_clear(&self->stage->t.error));
}

TEST_WITH(stage, s, timing_is_switched_between_steps)
{
    actor a = {.letter = 'a', .act = switch_timing};
    mica_system system = stage_add_plain(s, &a, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(0, test_system_info(s->world, system).stats.timed);
    CHECK_TEXT("a", stage_read(s));
}

TEST_WITH(stage, s, systems_that_are_gone_have_no_counts)
{
    actor a = {.letter = 'a'};
    mica_system system = stage_add_plain(s, &a, (mica_phase){0});
    CHECK_EQUAL(MICA_OK, mica_system_remove(s->world, system));
    mica_system_stats stats = test_system_info(s->world, system).stats;
    CHECK_ERROR(&s->t, MICA_ERROR_SYSTEM,
                "mica_system_get_info: the system is removed, or of another world");
    CHECK_EQUAL(0, stats.runs + stats.skipped);
    CHECK(!mica_system_is_enabled(s->world, system));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
}

// Conflicts

static void do_nothing(mica_iter *it)
{
    (void)it;
}

static mica_system add(stage *s, const char *name, mica_system_desc desc)
{
    desc.name = name;
    desc.update = do_nothing;
    mica_system added = mica_system_add(s->world, &desc);
    REQUIRE(!MICA_IS_NONE(added));
    return added;
}

static const char *conflict(stage *s, mica_system a, mica_system b)
{
    static char text[128];
    char again[128];
    bool conflicts = mica_systems_conflict(s->world, a, b, text, sizeof text);
    CHECK_EQUAL(conflicts, text[0] != '\0');
    CHECK_EQUAL(conflicts, mica_systems_conflict(s->world, b, a, again, sizeof again));
    CHECK_TEXT(text, again);
    CHECK_EQUAL(conflicts, mica_systems_conflict(s->world, a, b, NULL, 0));
    return text;
}

static void systems_conflict_where_one_writes_what_the_other_reaches(void) // S3.10
{
    stage s;
    stage_begin(&s);
    mica_query writers = mica_query_new(
        s.world,
        &(mica_query_desc){.terms = {{s.velocity, MICA_OPTIONAL_WRITE}, {s.frozen, MICA_WITH}}});
    mica_system reads = add(
        &s, "reads",
        (mica_system_desc){.query.terms = {{s.position, MICA_READ}, {s.velocity, MICA_OPTIONAL}},
                           .resources = {{s.score, MICA_READ}},
                           .events = {{s.hit, MICA_READ}}});
    mica_system reads_too =
        add(&s, "reads too",
            (mica_system_desc){.query.terms = {{s.position, MICA_ANY}, {s.velocity, MICA_ANY}},
                               .resources = {{s.score, MICA_READ}},
                               .events = {{s.hit, MICA_READ}}});
    mica_system writes =
        add(&s, "writes",
            (mica_system_desc){.query.terms = {{s.position, MICA_WRITE}},
                               .queries = {writers},
                               .resources = {{s.score, MICA_WRITE}},
                               .events = {{s.hit, MICA_WRITE}, {s.hit, MICA_READ}}});
    mica_system marks =
        add(&s, "marks", (mica_system_desc){.query.terms = {{s.position, MICA_WITH}}});
    mica_system nothing = add(&s, "nothing", (mica_system_desc){0});
    CHECK_TEXT("", conflict(&s, reads, reads_too));
    CHECK_TEXT("Position, Velocity, resource Score, event Hit", conflict(&s, reads, writes));
    CHECK_TEXT("Position, Velocity, resource Score, event Hit", conflict(&s, reads_too, writes));
    CHECK_TEXT("", conflict(&s, marks, writes)); // it needs no data
    mica_system asks = add(
        &s, "asks", (mica_system_desc){.query.terms = {{s.position, MICA_WITH | MICA_CHANGED}}});
    CHECK_TEXT("Position", conflict(&s, asks, writes)); // but this reads when it was written
    CHECK_TEXT("", conflict(&s, asks, reads));
    CHECK_TEXT("", conflict(&s, nothing, writes));
    CHECK_TEXT("Position, Velocity, resource Score, event Hit", conflict(&s, writes, writes));
    stage_end(&s);
}

TEST_WITH(stage, s, who_reads_and_sends_an_event_conflicts_with_who_reads_it)
{
    mica_system reads = add(s, "reads", (mica_system_desc){.events = {{s->hit, MICA_READ}}});
    mica_system both =
        add(s, "both", (mica_system_desc){.events = {{s->hit, MICA_READ}, {s->hit, MICA_WRITE}}});
    mica_system turned =
        add(s, "turned", (mica_system_desc){.events = {{s->hit, MICA_WRITE}, {s->hit, MICA_READ}}});
    CHECK_TEXT("event Hit", conflict(s, reads, both));
    CHECK_TEXT("event Hit", conflict(s, both, reads));
    CHECK_TEXT("event Hit", conflict(s, both, turned));
    CHECK_TEXT("event Hit", conflict(s, both, both));
}

TEST_WITH(stage, s, systems_whose_rows_are_never_the_same_do_not_conflict)
{
    mica_system frozen =
        add(s, "frozen",
            (mica_system_desc){.query.terms = {{s->position, MICA_WRITE}, {s->frozen, MICA_WITH}}});
    mica_system others = add(
        s, "others",
        (mica_system_desc){.query.terms = {{s->position, MICA_WRITE}, {s->frozen, MICA_WITHOUT}}});
    mica_query all =
        mica_query_new(s->world, &(mica_query_desc){.terms = {{s->position, MICA_READ}}});
    mica_system both = add(
        s, "both",
        (mica_system_desc){.query.terms = {{s->velocity, MICA_WRITE}, {s->frozen, MICA_WITHOUT}},
                           .queries = {all}});
    CHECK_TEXT("", conflict(s, frozen, others));
    CHECK_TEXT("Position", conflict(s, frozen, both));
    CHECK_TEXT("Position", conflict(s, others, both));
}

static void components_conflict_whatever_their_storage(void)
{
    const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_SPLIT, MICA_RING};
    for (uint32_t i = 0; i < 4; i++) {
        stage s;
        stage_begin(&s);
        mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
        desc.name = "Place";
        desc.storage = storages[i];
        mica_type place = mica_type_register(s.world, &desc);
        mica_system a =
            add(&s, "a", (mica_system_desc){.query.terms = {{place, MICA_WRITE | MICA_TOUCH}}});
        mica_system b =
            add(&s, "b", (mica_system_desc){.query.terms = {{place, MICA_READ | MICA_CHANGED}}});
        mica_system c = add(
            &s, "c",
            (mica_system_desc){.query.terms = {{s.position, MICA_READ}, {place, MICA_WITHOUT}}});
        CHECK_TEXT("Place", conflict(&s, a, b));
        CHECK_TEXT("", conflict(&s, a, c));
        stage_end(&s);
    }
}

TEST_WITH(stage, s, what_is_said_of_a_conflict_is_cut)
{
    mica_system a = add(
        s, "a",
        (mica_system_desc){.query.terms = {{s->position, MICA_WRITE}, {s->velocity, MICA_WRITE}}});
    char whole[64];
    CHECK(mica_systems_conflict(s->world, a, a, whole, sizeof whole));
    CHECK_TEXT("Position, Velocity", whole);
    for (size_t size = 1; size <= strlen(whole) + 1; size++) {
        char text[64];
        memset(text, 'x', sizeof text);
        CHECK(mica_systems_conflict(s->world, a, a, text, size));
        CHECK_EQUAL(size - 1, strlen(text));
        CHECK_EQUAL(0, strncmp(whole, text, size - 1));
        CHECK_EQUAL('x', text[size]);
    }
    char text[8] = "before";
    CHECK(!mica_systems_conflict(s->world, a, (mica_system){0}, text, sizeof text));
    CHECK_ERROR(&s->t, MICA_ERROR_SYSTEM, "mica_systems_conflict: the system is none");
    CHECK_TEXT("", text);
    CHECK(!mica_systems_conflict(s->world, a, a, NULL, 8));
    CHECK_ERROR(&s->t, MICA_ERROR_NULL, "mica_systems_conflict: text is null");
}

TESTS(report, counts_are_kept_always, runs_are_timed_while_that_is_switched_on,
      the_table_says_what_was_not_timed, timing_is_switched_between_steps,
      systems_that_are_gone_have_no_counts,
      systems_conflict_where_one_writes_what_the_other_reaches,
      who_reads_and_sends_an_event_conflicts_with_who_reads_it,
      systems_whose_rows_are_never_the_same_do_not_conflict,
      components_conflict_whatever_their_storage, what_is_said_of_a_conflict_is_cut)
