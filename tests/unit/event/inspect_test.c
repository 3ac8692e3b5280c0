// Tests of looking in: src/inspect/observers.c.
#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"

static void ignore(const mica_observer_event *h)
{
    (void)h;
}

TEST_WITH(test_world, t, observers_are_walked_with_what_they_listen_to)
{
    mica_world *w = t->world;
    mica_type tag = MICA_TAG(w, Tag);
    CHECK(MICA_IS_NONE(mica_observer_next(w, (mica_observer){0})));
    mica_observer gone = mica_observer_new(
        w, &(mica_observer_desc){.type = tag, .events = MICA_ON_ADD, .call = ignore});
    mica_observer typed =
        mica_observer_new(w, &(mica_observer_desc){.type = tag,
                                                   .events = MICA_ON_ADD | MICA_ON_REMOVE,
                                                   .call = ignore,
                                                   .user = t,
                                                   .name = "listener"});
    mica_observer matching = mica_observer_new(
        w, &(mica_observer_desc){
               .query.terms = {{tag, MICA_WITH}}, .events = MICA_ON_ENTER, .call = ignore});
    mica_observer_free(w, gone);
    CHECK(MICA_EQUAL(typed, mica_observer_next(w, (mica_observer){0})));
    CHECK(MICA_EQUAL(matching, mica_observer_next(w, typed)));
    CHECK(MICA_IS_NONE(mica_observer_next(w, matching)));
    CHECK(MICA_IS_NONE(mica_observer_next(w, gone)));
    CHECK_ERROR(t, MICA_ERROR_OBSERVER,
                "mica_observer_next: the observer is freed, or of another world");

    mica_observer_info info;
    REQUIRE(mica_observer_get_info(w, typed, &info));
    CHECK_TEXT("listener", info.name);
    CHECK_EQUAL(MICA_ON_ADD | MICA_ON_REMOVE, info.events);
    CHECK(MICA_EQUAL(tag, info.type));
    CHECK(MICA_IS_NONE(info.query));
    CHECK_POINTER(t, info.user);
    REQUIRE(mica_observer_get_info(w, matching, &info));
    CHECK(!info.name);
    CHECK(MICA_IS_NONE(info.type));
    CHECK_EQUAL(1, mica_query_term(w, info.query, 0).access == MICA_WITH);
}

TEST_WITH(test_world, t, the_own_query_of_an_observer_goes_with_it_alone)
{
    mica_world *w = t->world;
    mica_type tag = MICA_TAG(w, Tag);
    mica_observer observer = mica_observer_new(
        w, &(mica_observer_desc){
               .query.terms = {{tag, MICA_WITH}}, .events = MICA_ON_ENTER, .call = ignore});
    mica_observer_info info;
    REQUIRE(mica_observer_get_info(w, observer, &info));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_query_free(w, info.query));
    CHECK_ERROR(t, MICA_ERROR_ARGUMENT,
                "mica_query_free: this query is the own one of a system or an observer, and goes "
                "with that");
    mica_spawn(w, MICA_ADD(tag));
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(w, info.query, &it));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_observer_free(w, observer));
    CHECK_ERROR(
        t, MICA_ERROR_ITERATING,
        "mica_observer_free: refused while a query of 'Tag' is being iterated; do it "
        "afterwards, or end that with mica_iter_end or, if it is lost, mica_world_end_iterations");
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    CHECK_EQUAL(MICA_OK, mica_world_validate(w));
    CHECK_EQUAL(MICA_OK, mica_observer_free(w, observer));
    CHECK_EQUAL(0, mica_world_get_stats(w).queries);
}

static mica_observer to_free;
static mica_observer found; // that comes behind it

static void free_another(const mica_observer_event *h)
{
    mica_observer_free(h->world, to_free);
    found = mica_observer_next(h->world, h->observer);
}

TEST_WITH(test_world, t, one_that_is_freed_while_others_are_reported_is_passed_over)
{
    mica_world *w = t->world;
    mica_observer_new(w, &(mica_observer_desc){.events = MICA_ON_SPAWN, .call = free_another});
    to_free = mica_observer_new(w, &(mica_observer_desc){.events = MICA_ON_SPAWN, .call = ignore});
    mica_observer last =
        mica_observer_new(w, &(mica_observer_desc){.events = MICA_ON_SPAWN, .call = ignore});
    mica_spawn_values(w, NULL, 0);
    CHECK(MICA_EQUAL(last, found));
}

TEST_WITH(test_world, t, queues_tell_how_many_events_of_which_frame_they_have)
{
    mica_world *w = t->world;
    mica_type hit = mica_type_register(w, &(mica_type_desc){.name = "Hit", .size = 4, .align = 4});
    mica_event_info info;
    CHECK(!mica_event_get_info(w, hit, &info)); // none was ever sent
    for (int32_t i = 0; i < 3; i++) {
        mica_send(w, MICA_ADD(hit));
    }
    REQUIRE(mica_event_get_info(w, hit, &info));
    CHECK_EQUAL(3, info.now);
    CHECK_EQUAL(0, info.last);
    CHECK_EQUAL(3, info.sent);
    CHECK(info.bytes >= 12 && info.bytes <= mica_world_get_stats(w).memory.bytes);
    mica_step(w, 0);
    mica_send(w, MICA_ADD(hit));
    REQUIRE(mica_event_get_info(w, hit, &info));
    CHECK_EQUAL(1, info.now);
    CHECK_EQUAL(3, info.last);
    CHECK_EQUAL(4, info.sent);
    mica_step(w, 0);
    mica_step(w, 0);
    REQUIRE(mica_event_get_info(w, hit, &info));
    CHECK_EQUAL(0, info.now + info.last);
    CHECK_EQUAL(4, info.sent);
}

TESTS(inspect, observers_are_walked_with_what_they_listen_to,
      the_own_query_of_an_observer_goes_with_it_alone,
      one_that_is_freed_while_others_are_reported_is_passed_over,
      queues_tell_how_many_events_of_which_frame_they_have)
