// Tests of looking in: src/inspect/systems.c.
#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"

static void idle(mica_iter *it)
{
    (void)it;
}

static bool never(const mica_iter *it)
{
    (void)it;
    return false;
}

TEST_WITH(test_world, t, phases_and_systems_are_walked_in_the_order_they_run_in)
{
    mica_world *w = t->world;
    mica_phase update = mica_phase_find(w, "update");
    CHECK(MICA_EQUAL(update, mica_phase_next(w, (mica_phase){0})));
    CHECK(MICA_IS_NONE(mica_system_next(w, (mica_system){0})));
    mica_system last = mica_system_add(w, &(mica_system_desc){.name = "last", .update = idle});
    mica_system first =
        mica_system_add(w, &(mica_system_desc){.name = "first", .update = idle, .before = {last}});
    mica_phase physics = mica_phase_add(
        w,
        &(mica_phase_desc){.name = "physics", .fixed_dt = 0.25, .max_runs = 3, .before = update});
    mica_system fall =
        mica_system_add(w, &(mica_system_desc){.name = "fall", .update = idle, .phase = physics});

    CHECK(MICA_EQUAL(physics, mica_phase_next(w, (mica_phase){0})));
    CHECK(MICA_EQUAL(update, mica_phase_next(w, physics)));
    CHECK(MICA_IS_NONE(mica_phase_next(w, update)));
    CHECK(MICA_EQUAL(fall, mica_system_next(w, (mica_system){0})));
    CHECK(MICA_EQUAL(first, mica_system_next(w, fall)));
    CHECK(MICA_EQUAL(last, mica_system_next(w, first)));
    CHECK(MICA_IS_NONE(mica_system_next(w, last)));

    mica_phase_info phase;
    REQUIRE(mica_phase_get_info(w, physics, &phase));
    CHECK_TEXT("physics", phase.name);
    CHECK_EQUAL(1, phase.systems);
    CHECK(phase.fixed_dt == 0.25);
    CHECK_EQUAL(3, phase.max_runs);
    REQUIRE(mica_phase_get_info(w, update, &phase));
    CHECK_EQUAL(2, phase.systems);
    CHECK(phase.fixed_dt == 0);
    CHECK_EQUAL(0, phase.max_runs);
}

TEST_WITH(test_world, t, what_is_removed_is_an_error_and_no_way_to_go_on)
{
    mica_world *w = t->world;
    mica_system gone = mica_system_add(w, &(mica_system_desc){.name = "gone", .update = idle});
    mica_phase left = mica_phase_add(w, &(mica_phase_desc){.name = "left"});
    mica_system_add(w, &(mica_system_desc){.name = "stays", .update = idle});
    mica_system_remove(w, gone);
    mica_phase_remove(w, left);
    CHECK(MICA_IS_NONE(mica_system_next(w, gone)));
    CHECK_EQUAL(MICA_ERROR_SYSTEM, t->error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK(MICA_IS_NONE(mica_phase_next(w, left)));
    CHECK_ERROR(t, MICA_ERROR_PHASE, "mica_phase_next: the phase is removed, or of another world");
    mica_phase_info info;
    CHECK(!mica_phase_get_info(w, (mica_phase){0}, &info));
    CHECK_ERROR(t, MICA_ERROR_PHASE, "mica_phase_get_info: the phase is none");
    CHECK(!info.name);
}

TEST_WITH(test_world, t, systems_tell_what_they_were_added_with)
{
    mica_world *w = t->world;
    mica_type a = mica_type_register(w, &(mica_type_desc){.name = "A", .size = 4, .align = 4});
    mica_type b = mica_type_register(w, &(mica_type_desc){.name = "B", .size = 4, .align = 4});
    mica_query other = mica_query_new(w, &(mica_query_desc){.terms = {{b, MICA_READ}}});
    mica_system full = mica_system_add(w, &(mica_system_desc){.name = "full",
                                                              .update = idle,
                                                              .query.terms = {{a, MICA_WRITE}},
                                                              .user = t,
                                                              .when = never,
                                                              .queries = {other},
                                                              .resources = {{a, MICA_READ}},
                                                              .events = {{b, MICA_WRITE}},
                                                              .disabled = true,
                                                              .replay_first = true});
    mica_system bare = mica_system_add(w, &(mica_system_desc){.name = "bare", .update = idle});

    mica_system_info info;
    REQUIRE(mica_system_get_info(w, full, &info));
    CHECK_TEXT("full", info.name);
    CHECK(MICA_EQUAL(mica_phase_find(w, "update"), info.phase));
    CHECK_POINTER(t, info.user);
    CHECK(!info.enabled && info.conditional && info.replay_first);
    CHECK(MICA_EQUAL(other, info.queries[0]) && MICA_IS_NONE(info.queries[1]));
    CHECK(MICA_EQUAL(a, info.resources[0].type) && info.resources[0].access == MICA_READ);
    CHECK(MICA_IS_NONE(info.resources[1].type));
    CHECK(MICA_EQUAL(b, info.events[0].type) && info.events[0].access == MICA_WRITE);
    CHECK_EQUAL(MICA_WRITE, mica_query_term(w, info.query, 0).access);

    mica_query_info query;
    REQUIRE(mica_query_get_info(w, info.query, &query));
    CHECK(MICA_EQUAL(full, query.system));
    REQUIRE(mica_query_get_info(w, other, &query));
    CHECK(MICA_IS_NONE(query.system)); // declared, not its own
    CHECK_EQUAL(1, query.systems);

    REQUIRE(mica_system_get_info(w, bare, &info));
    CHECK(MICA_IS_NONE(info.query));
    CHECK(info.enabled && !info.conditional && !info.replay_first && !info.user);
}

TEST_WITH(test_world, t, the_own_query_of_a_system_goes_with_it_alone)
{
    mica_world *w = t->world;
    mica_type tag = MICA_TAG(w, Tag);
    mica_system system = mica_system_add(
        w, &(mica_system_desc){.name = "mark", .update = idle, .query.terms = {{tag, MICA_WITH}}});
    mica_system_info info;
    REQUIRE(mica_system_get_info(w, system, &info));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_query_free(w, info.query));
    CHECK_ERROR(t, MICA_ERROR_ARGUMENT,
                "mica_query_free: this query is the own one of a system or an observer, and goes "
                "with that");
    mica_system_desc other = {.name = "other", .update = idle, .queries = {info.query}};
    CHECK(MICA_IS_NONE(mica_system_add(w, &other)));
    CHECK_ERROR(t, MICA_ERROR_ARGUMENT,
                "mica_system_add: system 'other', query 0: it is the own one of a system or an "
                "observer, and goes with that");
    mica_spawn(w, MICA_ADD(tag));
    CHECK_EQUAL(MICA_OK, mica_step(w, 1));
    CHECK_EQUAL(MICA_OK, mica_world_validate(w));
    CHECK_EQUAL(MICA_OK, mica_system_remove(w, system));
    CHECK_EQUAL(0, mica_world_get_stats(w).queries);
}

TEST_WITH(test_world, t, functions_without_rows_share_a_query_that_nobody_sees)
{
    mica_world *w = t->world;
    mica_system system = mica_system_add(w, &(mica_system_desc){.name = "bare", .update = idle});
    mica_system_add(w, &(mica_system_desc){.name = "bare too", .update = idle, .begin = idle});
    mica_query query = mica_query_new(w, &(mica_query_desc){.everything = true});
    CHECK_EQUAL(1, mica_world_get_stats(w).queries);
    CHECK(MICA_EQUAL(query, mica_query_next(w, (mica_query){0})));
    CHECK(MICA_IS_NONE(mica_query_next(w, query)));
    CHECK_EQUAL(MICA_OK, mica_world_validate(w));
    CHECK_EQUAL(MICA_OK, mica_query_free(w, query));
    CHECK_EQUAL(MICA_OK, mica_system_remove(w, system));
    CHECK_EQUAL(0, mica_world_get_stats(w).queries);
    CHECK_EQUAL(MICA_OK, mica_step(w, 1));
}

// What a system finds when it looks in.
typedef struct finding {
    uint32_t tables;
    uint32_t iterations;
} finding;

static void look_in(mica_iter *it)
{
    finding *f = it->user;
    mica_table_info table;
    while (mica_table_get_info(it->world, f->tables, &table)) {
        f->tables++;
    }
    mica_system_info me;
    mica_query_info query;
    mica_system_get_info(it->world, mica_system_find(it->world, "look in"), &me);
    mica_query_get_info(it->world, me.query, &query);
    f->iterations = query.iterations;
}

TEST_WITH(test_world, t, a_system_may_look_in)
{
    mica_world *w = t->world;
    mica_type tag = MICA_TAG(w, Tag);
    mica_spawn(w, MICA_ADD(tag));
    finding f = {0};
    mica_system_add(w, &(mica_system_desc){.name = "look in",
                                           .update = look_in,
                                           .query.terms = {{tag, MICA_WITH}},
                                           .user = &f});
    CHECK_EQUAL(MICA_OK, mica_step(w, 1));
    CHECK_EQUAL(2, f.tables);
    CHECK_EQUAL(1, f.iterations);
}

TESTS(inspect, phases_and_systems_are_walked_in_the_order_they_run_in,
      what_is_removed_is_an_error_and_no_way_to_go_on, systems_tell_what_they_were_added_with,
      the_own_query_of_a_system_goes_with_it_alone,
      functions_without_rows_share_a_query_that_nobody_sees, a_system_may_look_in)
