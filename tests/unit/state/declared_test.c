// Tests of src/state/declared.c: S1.4, what a system has not declared is refused where it is used.
#include "state/declared.h"

#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Place {
    float x;
} Place;

typedef struct Score {
    uint32_t points;
} Score;

typedef struct Hit {
    uint32_t number;
} Hit;

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type place, score, other, hit;
    mica_query all; // called "all"
    mica_query unnamed;
    mica_cursor cursor;
    void (*act)(struct scene *s, const mica_iter *it);
    char part; // in which function: one of "?(.)"
    uint32_t acted;
} scene;

static void scene_begin(scene *s)
{
    memset(s, 0, sizeof *s);
    s->world = test_world_begin(&s->t);
    s->place = MICA_REGISTER(s->world, Place, x);
    s->score = MICA_REGISTER(s->world, Score, points);
    s->other =
        mica_type_register(s->world, &(mica_type_desc){.name = "Other", .size = 4, .align = 4});
    s->hit = MICA_REGISTER(s->world, Hit, number);
    s->all = mica_query_new(s->world, &(mica_query_desc){.everything = true, .name = "all"});
    s->unnamed = mica_query_new(s->world, &(mica_query_desc){.terms = {{s->place, MICA_READ}}});
    mica_spawn(s->world, MICA_ADD(s->place));
    mica_resource_set(s->world, MICA_VALUE(s->score, Score, 5), MICA_ADD(s->other));
    mica_send(s->world, MICA_VALUE(s->hit, Hit, 1));
}

static void scene_end(scene *s)
{
    test_world_end(&s->t);
}

static void act(const mica_iter *it, char part)
{
    scene *s = it->user;
    if (s->part == part) {
        s->act(s, it);
        s->acted++;
    }
}

static bool when(const mica_iter *it)
{
    act(it, '?');
    return true;
}

static void at_begin(mica_iter *it)
{
    act(it, '(');
}

static void update(mica_iter *it)
{
    act(it, '.');
}

static void at_end(mica_iter *it)
{
    act(it, ')');
}

// Runs what is to be tried in each function of a system that declares what `desc` says, with rows and
// without.
static void try_in(scene *s, void (*what)(scene *s, const mica_iter *it),
                   const mica_system_desc *desc)
{
    static const char parts[] = "?(.)";
    for (uint32_t i = 0; i < 8; i++) {
        mica_system_desc own = *desc;
        own.name = "try";
        own.user = s;
        own.when = when;
        own.begin = at_begin;
        own.update = update;
        own.end = at_end;
        if (i % 2 == 0) {
            own.query = (mica_query_desc){.terms = {{s->place, MICA_WRITE}}};
        }
        mica_system system = mica_system_add(s->world, &own);
        REQUIRE(!MICA_IS_NONE(system));
        s->act = what;
        s->part = parts[i / 2];
        s->acted = 0;
        CHECK_EQUAL(MICA_OK,
                    mica_systems_run(s->world, &system, 1, 1)); // does not ask its condition
        CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
        CHECK_EQUAL(s->part == '?' ? 1 : 2, s->acted);
        CHECK_EQUAL(MICA_OK, mica_system_remove(s->world, system));
        mica_send(s->world, MICA_VALUE(s->hit, Hit, 1));
    }
}

#define REFUSED(s, holds, sentence)                                                                \
    do {                                                                                           \
        CHECK(holds);                                                                              \
        CHECK_ERROR(&(s)->t, MICA_ERROR_UNDECLARED, sentence);                                     \
    } while (0)

static void iterate_undeclared(scene *s, const mica_iter *it)
{
    mica_world *world = it->world;
    mica_iter own;
    REFUSED(s, mica_iter_begin(world, s->all, &own) == MICA_ERROR_UNDECLARED,
            "mica_iter_begin: system 'try' has not declared that it iterates query 'all'; add that "
            "to its .queries");
    CHECK(!mica_iter_next(&own));                         // without a further word
    mica_entity entity = mica_query_first(world, s->all); // to ask for entities is free
    CHECK_EQUAL(1, mica_query_count(world, s->all));
    CHECK(mica_query_contains(world, s->all, entity));
    REFUSED(s, mica_iter_begin_entity(world, s->unnamed, entity, &own) == MICA_ERROR_UNDECLARED,
            "mica_iter_begin_entity: system 'try' has not declared that it iterates this query; "
            "add that to its .queries");
    // As if by somebody else, who has kept the world.
    REFUSED(s, mica_iter_begin(s->world, s->all, &own) == MICA_ERROR_UNDECLARED,
            "mica_iter_begin: system 'try' has not declared that it iterates query 'all'; add that "
            "to its .queries");
    CHECK(mica_get(world, entity, s->place) != NULL); // single entities are reached freely
}

static void queries_that_are_not_declared_are_not_iterated(void) // S1.4
{
    scene s;
    scene_begin(&s);
    try_in(&s, iterate_undeclared, &(mica_system_desc){0});
    scene_end(&s);
}

static void iterate_declared(scene *s, const mica_iter *it)
{
    const mica_query queries[] = {s->all, s->unnamed};
    for (uint32_t i = 0; i < 2; i++) {
        mica_iter own;
        uint32_t rows = 0;
        CHECK_EQUAL(MICA_OK, mica_iter_begin(it->world, queries[i], &own));
        while (mica_iter_next(&own)) {
            rows += own.count;
        }
        CHECK_EQUAL(1, rows);
    }
}

static void several_queries_can_be_declared(void) // S1.2
{
    scene s;
    scene_begin(&s);
    try_in(&s, iterate_declared, &(mica_system_desc){.queries = {s.all, s.unnamed}});
    scene_end(&s);
}

static void use_resources_undeclared(scene *s, const mica_iter *it)
{
    mica_world *world = it->world;
    REFUSED(s, !mica_resource_get(world, s->score),
            "mica_resource_get: system 'try' has not declared that it reads resource 'Score'; add "
            "that to its .resources");
    REFUSED(s, !MICA_RESOURCE(world, s->score, Score),
            "MICA_RESOURCE: system 'try' has not declared that it reads resource 'Score'; add "
            "that to its .resources");
    REFUSED(s, !mica_resource_get_mut(world, s->score),
            "mica_resource_get_mut: system 'try' has not declared that it writes resource 'Score'; "
            "add that to its .resources");
    REFUSED(s, !mica_resource_get(world, s->score),
            "mica_resource_get: system 'try' has not declared that it reads resource 'Score'; add "
            "that to its .resources");
    REFUSED(s, mica_resource_set(world, MICA_VALUE(s->score, Score, 7)) == MICA_ERROR_UNDECLARED,
            "mica_resource_set: system 'try' has not declared that it writes resource 'Score'; add "
            "that to its .resources");
    REFUSED(s, mica_resource_remove(world, s->score) == MICA_ERROR_UNDECLARED,
            "mica_resource_remove: system 'try' has not declared that it writes resource 'Score'; "
            "add that to its .resources");
    REFUSED(s, !mica_resource_get(s->world, s->score), // through a world that was kept
            "mica_resource_get: system 'try' has not declared that it reads resource 'Score'; add "
            "that to its .resources");
}

static void resources_that_are_not_declared_are_not_reached(void) // S1.4
{
    scene s;
    scene_begin(&s);
    try_in(&s, use_resources_undeclared, &(mica_system_desc){.resources = {{s.other, MICA_WRITE}}});
    CHECK_EQUAL(5, MICA_RESOURCE(s.world, s.score, Score)->points);
    scene_end(&s);
}

static void read_a_resource(scene *s, const mica_iter *it)
{
    mica_world *world = it->world;
    const Score *score = MICA_RESOURCE(world, s->score, Score);
    CHECK(score && score->points == 5);
    CHECK(mica_resource_get(world, s->score) != NULL);
    REFUSED(s, !MICA_RESOURCE_MUT(world, s->score, Score),
            "MICA_RESOURCE_MUT: system 'try' has not declared that it writes resource 'Score'; "
            "add that to its .resources");
    REFUSED(s,
            mica_resource_set(world, MICA_ADD(s->other), MICA_VALUE(s->score, Score, 7)) ==
                MICA_ERROR_UNDECLARED,
            "mica_resource_set: system 'try' has not declared that it writes resource 'Score'; add "
            "that to its .resources");
    REFUSED(s, mica_resource_remove(world, s->score) == MICA_ERROR_UNDECLARED,
            "mica_resource_remove: system 'try' has not declared that it writes resource 'Score'; "
            "add that to its .resources");
}

TEST_WITH(scene, s, to_read_a_resource_is_not_to_write_it)
{
    try_in(s, read_a_resource,
           &(mica_system_desc){.resources = {{s->score, MICA_READ}, {s->other, MICA_WRITE}}});
}

static void write_a_resource(scene *s, const mica_iter *it)
{
    mica_world *world = it->world;
    Score *score = MICA_RESOURCE_MUT(world, s->score, Score);
    CHECK(score != NULL && MICA_RESOURCE(world, s->score, Score) == score);
    CHECK_EQUAL(MICA_OK, mica_resource_remove(world, s->score));
    CHECK(!mica_resource_get(world, s->score));
    CHECK_EQUAL(MICA_OK, mica_resource_set(world, MICA_VALUE(s->score, Score, 5)));
}

TEST_WITH(scene, s, to_write_a_resource_is_to_read_it)
{
    try_in(s, write_a_resource, &(mica_system_desc){.resources = {{s->score, MICA_WRITE}}});
}

static void use_events_undeclared(scene *s, const mica_iter *it)
{
    mica_world *world = it->world;
    uint32_t count = 7;
    mica_cursor cursor = {0};
    REFUSED(s, !mica_events(world, s->hit, &cursor, &count),
            "mica_events: system 'try' has not declared that it reads event 'Hit'; add that to its "
            ".events");
    CHECK_EQUAL(0, count);
    CHECK_EQUAL(0, cursor.type.bits);
    REFUSED(s, mica_send(world, MICA_VALUE(s->hit, Hit, 7)) == MICA_ERROR_UNDECLARED,
            "mica_send: system 'try' has not declared that it sends event 'Hit'; add that to its "
            ".events");
    REFUSED(s, mica_send(s->world, MICA_VALUE(s->hit, Hit, 7)) == MICA_ERROR_UNDECLARED,
            "mica_send: system 'try' has not declared that it sends event 'Hit'; add that to its "
            ".events");
}

static void events_that_are_not_declared_are_neither_read_nor_sent(void) // S1.4
{
    scene s;
    scene_begin(&s);
    try_in(&s, use_events_undeclared, &(mica_system_desc){.resources = {{s.hit, MICA_WRITE}}});
    scene_end(&s);
}

static void send_only(scene *s, const mica_iter *it)
{
    CHECK_EQUAL(MICA_OK, mica_send(it->world, MICA_VALUE(s->hit, Hit, 7)));
    CHECK_EQUAL(MICA_ERROR_UNDECLARED,
                mica_send(it->world, MICA_VALUE(s->hit, Hit, 7), MICA_ADD(s->other)));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    uint32_t count;
    REFUSED(s, !mica_events(it->world, s->hit, &s->cursor, &count),
            "mica_events: system 'try' has not declared that it reads event 'Hit'; add that to its "
            ".events");
}

static void read_only(scene *s, const mica_iter *it)
{
    uint32_t count;
    mica_cursor fresh = {0};
    CHECK(mica_events(it->world, s->hit, &fresh, &count) != NULL);
    CHECK(test_event_count(it->world, s->hit) > 0);
    REFUSED(s, mica_send(it->world, MICA_VALUE(s->hit, Hit, 7)) == MICA_ERROR_UNDECLARED,
            "mica_send: system 'try' has not declared that it sends event 'Hit'; add that to its "
            ".events");
}

static void send_and_read(scene *s, const mica_iter *it)
{
    uint32_t count;
    mica_cursor fresh = {0};
    CHECK_EQUAL(MICA_OK, mica_send(it->world, MICA_VALUE(s->hit, Hit, 7)));
    CHECK(mica_events(it->world, s->hit, &fresh, &count) != NULL);
}

TEST_WITH(scene, s, to_send_is_not_to_read_and_both_can_be_declared)
{
    try_in(s, send_only, &(mica_system_desc){.events = {{s->hit, MICA_WRITE}}});
    try_in(s, read_only, &(mica_system_desc){.events = {{s->hit, MICA_READ}}});
    try_in(s, send_and_read,
           &(mica_system_desc){.events = {{s->hit, MICA_READ}, {s->hit, MICA_WRITE}}});
}

// Observers and handlers that are called meanwhile

static void reach_all(scene *s, mica_world *world)
{
    mica_iter own;
    uint32_t count;
    mica_cursor fresh = {0};
    CHECK_EQUAL(MICA_OK, mica_iter_begin(world, s->all, &own));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&own));
    CHECK(mica_resource_get(world, s->score) != NULL);
    CHECK(mica_events(world, s->hit, &fresh, &count) != NULL);
}

static uint32_t reported;

static void observe(const mica_observer_event *h)
{
    scene *s = h->user;
    reach_all(s, s->world);
    CHECK_EQUAL(MICA_OK, mica_send(s->world, MICA_VALUE(s->hit, Hit, 3)));
    Score *score = mica_resource_get_mut(s->world, s->score);
    CHECK(score != NULL);
    reported++;
}

static void set_what_is_observed(scene *s, const mica_iter *it)
{
    mica_entity entity = mica_query_first(it->world, s->all);
    reported = 0;
    CHECK_EQUAL(MICA_OK, mica_set(it->world, entity, MICA_VALUE(s->place, Place, 3)));
    CHECK_EQUAL(1, reported);
    // Behind it, the system is itself again.
    CHECK(!mica_resource_get(it->world, s->score));
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, s->t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
}

TEST_WITH(scene, s, observers_that_a_system_sets_off_are_not_part_of_it)
{
    mica_observer observer = mica_observer_new(
        s->world,
        &(mica_observer_desc){.type = s->place, .events = MICA_ON_SET, .call = observe, .user = s});
    CHECK(!MICA_IS_NONE(observer));
    mica_system_desc desc = {.name = "try", .update = update, .user = s};
    s->act = set_what_is_observed;
    s->part = '.';
    CHECK(!MICA_IS_NONE(mica_system_add(s->world, &desc)));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(1, s->acted);
}

static void hear_error(mica_world *world, const mica_error *error, void *user)
{
    (void)error;
    reach_all(user, world);
    reported++;
}

static void make_a_mistake(scene *s, const mica_iter *it)
{
    reported = 0;
    CHECK(!mica_get(it->world, (mica_entity){0}, s->place));
    CHECK_EQUAL(1, reported);
}

TEST_WITH(scene, s, error_handlers_that_a_system_calls_are_not_part_of_it)
{
    mica_world_set_error_handler(s->world, hear_error, s);
    mica_system_desc desc = {.name = "try", .update = update, .user = s};
    s->act = make_a_mistake;
    s->part = '.';
    CHECK(!MICA_IS_NONE(mica_system_add(s->world, &desc)));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(1, s->acted);
}

static void call_back(mica_world *world, const void *data)
{
    scene *s;
    memcpy(&s, data, sizeof s);
    reach_all(s, world);
    reported++;
}

static void record_a_call(scene *s, const mica_iter *it)
{
    CHECK_EQUAL(MICA_OK, mica_defer_call(mica_later(it), call_back, &s, sizeof s));
}

TEST_WITH(scene, s, commands_that_a_system_recorded_are_not_part_of_it)
{
    reported = 0;
    try_in(s, record_a_call, &(mica_system_desc){0});
    CHECK_EQUAL(14, reported);
}

static void record_events(scene *s, const mica_iter *it)
{
    mica_world *later = mica_later(it);
    CHECK_EQUAL(MICA_OK, mica_send(later, MICA_VALUE(s->hit, Hit, 7)));
    REFUSED(s, mica_send(later, MICA_ADD(s->other)) == MICA_ERROR_UNDECLARED,
            "mica_send: system 'try' has not declared that it sends event 'Other'; add that to its "
            ".events");
    CHECK_EQUAL(1, mica_commands_count(later));
}

TEST_WITH(scene, s, events_that_a_system_records_are_its_own)
{
    try_in(s, record_events, &(mica_system_desc){.events = {{s->hit, MICA_WRITE}}});
    CHECK_EQUAL(0, test_event_count(s->world, s->other));
}

TEST_WITH(scene, s, a_query_that_is_declared_is_not_freed)
{
    mica_system_desc desc = {.name = "a", .update = update, .user = s, .queries = {s->all}};
    mica_system a = mica_system_add(s->world, &desc);
    desc.name = "b";
    mica_system b = mica_system_add(s->world, &desc);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_query_free(s->world, s->all));
    CHECK_ERROR(&s->t, MICA_ERROR_ARGUMENT,
                "mica_query_free: query 'all' is among the .queries of 2 systems, to be removed "
                "first");
    CHECK_EQUAL(MICA_OK, mica_system_remove(s->world, a));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_query_free(s->world, s->all));
    CHECK_ERROR(&s->t, MICA_ERROR_ARGUMENT,
                "mica_query_free: query 'all' is among the .queries of 1 system, to be removed "
                "first");
    CHECK_EQUAL(MICA_OK,
                mica_type_change_storage(s->world, s->place, MICA_RING)); // compiles it anew
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_query_free(s->world, s->all));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK_EQUAL(MICA_OK, mica_system_remove(s->world, b));
    CHECK_EQUAL(MICA_OK, mica_query_free(s->world, s->all));
}

TESTS(declared, queries_that_are_not_declared_are_not_iterated, several_queries_can_be_declared,
      resources_that_are_not_declared_are_not_reached, to_read_a_resource_is_not_to_write_it,
      to_write_a_resource_is_to_read_it, events_that_are_not_declared_are_neither_read_nor_sent,
      to_send_is_not_to_read_and_both_can_be_declared,
      observers_that_a_system_sets_off_are_not_part_of_it,
      error_handlers_that_a_system_calls_are_not_part_of_it,
      commands_that_a_system_recorded_are_not_part_of_it, events_that_a_system_records_are_its_own,
      a_query_that_is_declared_is_not_freed)
