// Iterations that are used wrongly, and those inside of each other.
#include "query/query.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/query/fixture.h"

// Nesting and ending

TEST_WITH(fixture, f, the_same_query_is_iterated_inside_itself)
{
    mica_world *world = f->world;
    const uint32_t count = MICAI_ROWS + 2;
    fixture_spawn_movers(f, count, NULL);
    mica_spawn(world, MICA_ADD(f->position), MICA_ADD(f->velocity), MICA_ADD(f->frozen));
    uint64_t pairs = 0;
    uint32_t outer_segments = 0;
    uint32_t inner_segments = 0;
    mica_iter a;
    mica_iter_begin(world, f->query, &a);
    while (mica_iter_next(&a)) {
        outer_segments++;
        mica_iter b;
        mica_iter_begin(world, f->query, &b);
        while (mica_iter_next(&b)) {
            inner_segments++;
            pairs += (uint64_t)a.count * b.count;
        }
    }
    CHECK_EQUAL((uint64_t)(count + 1) * (count + 1), pairs);
    CHECK_EQUAL(outer_segments * outer_segments, inner_segments);
    CHECK_EQUAL(0, world->state->walks.count);
}

TEST_WITH(fixture, f, iterations_are_ended_early_and_in_any_order)
{
    mica_world *world = f->world;
    fixture_spawn_movers(f, 2 * MICAI_ROWS, NULL);
    for (uint32_t order = 0; order < 6; order++) {
        static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                             {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        mica_iter its[3];
        for (uint32_t i = 0; i < 3; i++) {
            mica_iter_begin(world, f->query, &its[i]);
        }
        CHECK(mica_iter_next(&its[0]) && mica_iter_next(&its[2]));
        for (uint32_t i = 0; i < 3; i++) {
            CHECK(MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
            CHECK_EQUAL(1, test_error_clear(&f->t.error));
            mica_iter *it = &its[orders[order][i]];
            mica_iter_end(it);
            CHECK_EQUAL(0, it->count);
            CHECK_EQUAL(2 - i, world->state->walks.count);
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
            mica_iter_end(it); // again: nothing happens
        }
        CHECK_EQUAL(MICA_OK, mica_despawn(world, mica_spawn_values(world, NULL, 0)));
    }
    // One is walked to its end while the other stands.
    mica_iter a;
    mica_iter_begin(world, f->query, &a);
    mica_iter b;
    mica_iter_begin(world, f->query, &b);
    while (mica_iter_next(&a)) {
    }
    CHECK_EQUAL(1, world->state->walks.count);
    CHECK(mica_iter_next(&b));
    mica_iter_end(&b);
}

// Where they are kept does not move, and serves again.
static void many_iterations_are_open_and_ended_oldest_first(void)
{
    enum { COUNT = 2000 };
    fixture f;
    mica_world *world = fixture_begin(&f);
    fixture_spawn_movers(&f, 1, NULL);
    static mica_iter its[COUNT];
    uint64_t blocks = 0;
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            REQUIRE_EQUAL(MICA_OK, mica_iter_begin(world, f.query, &its[i]));
            REQUIRE(mica_iter_next(&its[i]));
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        CHECK_EQUAL(COUNT, world->state->walks.count);
        for (uint32_t i = 0; i < COUNT; i++) {
            REQUIRE(mica_read(&its[i], 0) == mica_read(&its[COUNT - 1], 0));
            REQUIRE_EQUAL(MICA_OK, mica_iter_end(&its[i]));
        }
        CHECK_EQUAL(0, world->state->walks.count);
        CHECK(round < 2 || blocks == f.t.memory.blocks);
        blocks = f.t.memory.blocks;
    }
    CHECK(sizeof(mica_iter) <= 96); // on whatever stack
    fixture_end(&f);
}

// A table that matches is made while one entity is iterated: before its row, and behind it. The table
// is not what the iteration is of, and has no rows.
TEST_WITH(fixture, f, a_table_that_appears_is_not_taken_for_that_of_the_one_entity)
{
    mica_world *world = f->world;
    mica_entity entities[3];
    fixture_spawn_movers(f, 3, entities);
    mica_entity other = (mica_entity){0};
    for (uint32_t i = 0; i < 3; i++) {
        other = mica_spawn_values(world, NULL, 0);
    }
    mica_iter none;
    CHECK_EQUAL(MICA_OK, mica_iter_begin_entity(world, f->query, other, &none));
    mica_iter one;
    CHECK_EQUAL(MICA_OK, mica_iter_begin_entity(world, f->query, entities[2], &one));
    CHECK(mica_iter_next(&one));
    const mica_type types[] = {f->position, f->velocity, f->weight};
    CHECK(!MICA_IS_NONE(mica_bundle_new(world, types, 3)));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    CHECK(!mica_iter_next(&none));
    CHECK(!mica_iter_next(&one));
}

TEST_WITH(fixture, f, what_makes_no_rows_is_allowed_during_iteration)
{
    mica_world *world = f->world;
    mica_entity entities[3];
    fixture_spawn_movers(f, 3, entities);
    uint64_t hash = mica_world_hash(world);
    uint64_t moves = mica_world_get_stats(world).row_moves;
    const Position p = {9, 9};
    mica_iter it;
    mica_iter_begin(world, f->query, &it);
    REQUIRE(mica_iter_next(&it));
    // What is there may be set and taken.
    CHECK_EQUAL(MICA_OK, mica_set_value(world, entities[0], f->position, &p, sizeof p));
    CHECK_EQUAL(MICA_OK, mica_set(world, entities[1], MICA_VALUE(f->position, Position, 8, 8),
                                  MICA_VALUE(f->velocity, Velocity, 7, 7)));
    CHECK_EQUAL(MICA_OK, mica_change(world, entities[1], &MICA_VALUE(f->position, Position, 6, 6),
                                     1, &f->weight, 1));
    CHECK(mica_get_mut(world, entities[2], f->velocity) != NULL);
    CHECK(MICA_GET_MUT(world, entities[2], f->velocity, Velocity) != NULL);
    CHECK(mica_world_hash(world) != hash);
    hash = mica_world_hash(world);
    // Adding what is there and removing what is not do nothing.
    CHECK_EQUAL(MICA_OK, mica_add(world, entities[0], f->position));
    CHECK_EQUAL(MICA_OK,
                test_add_types(world, entities[0], (mica_type[]){f->velocity, f->position}, 2));
    CHECK_EQUAL(MICA_OK, mica_set_value(world, entities[0], f->position, NULL, 0));
    CHECK_EQUAL(MICA_OK, mica_remove(world, entities[0], f->weight));
    CHECK_EQUAL(MICA_OK,
                mica_change(world, entities[0], NULL, 0, (mica_type[]){f->weight, f->frozen}, 2));
    CHECK_EQUAL(MICA_OK, mica_set_values(world, entities[0], NULL, 0));
    CHECK_EQUAL(MICA_OK, mica_change(world, entities[0], NULL, 0, NULL, 0));
    CHECK_EQUAL(hash, mica_world_hash(world));
    CHECK_EQUAL(moves, mica_world_get_stats(world).row_moves);
    // Names, types, queries, sets.
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, entities[0], "first"));
    CHECK_TEXT("first", mica_entity_name(world, entities[0]));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, entities[0], NULL));
    CHECK(!MICA_IS_NONE(MICA_TAG(world, Late)));
    mica_query late =
        mica_query_new(world, &(mica_query_desc){.terms = {{f->position, MICA_READ}}});
    CHECK_EQUAL(3, mica_query_count(world, late));
    CHECK_EQUAL(MICA_OK, mica_query_free(world, late));
    CHECK_EQUAL(MICA_OK, mica_entity_reserve(world, 100));
    // The segment stands where it stood.
    CHECK_POINTER(mica_get(world, it.entities[0], f->position), mica_read(&it, 0));
    mica_iter_end(&it);
}

// A bundle makes a table, which the open query enters behind the others.
TEST_WITH(fixture, f, tables_may_appear_during_iteration)
{
    mica_world *world = f->world;
    fixture_spawn_movers(f, 1, NULL);
    mica_iter it;
    mica_iter_begin(world, f->query, &it);
    REQUIRE(mica_iter_next(&it));
    mica_type types[3] = {f->position, f->velocity};
    for (uint32_t i = 0; i < 20; i++) {
        char name[8];
        snprintf(name, sizeof name, "T%" PRIu32, i);
        types[2] = mica_type_register(world, &(mica_type_desc){.name = name});
        CHECK(mica_bundle_new(world, types, 3).bits != 0);
    }
    CHECK_EQUAL(21, micai_query_find(world, "test", f->query)->tables.count);
    CHECK(!mica_iter_next(&it));
}

// Wrong uses

TEST_WITH(fixture, f, terms_are_used_as_they_are_declared)
{
    mica_world *world = f->world;
    mica_spawn(world, MICA_ADD(f->position), MICA_ADD(f->velocity), MICA_ADD(f->frozen));
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {
                                                                    {f->position, MICA_READ},
                                                                    {f->velocity, MICA_WITH},
                                                                    {f->weight, MICA_WITHOUT},
                                                                    {f->frozen, MICA_READ},
                                                                }});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM,
                "mica_write: term 0 ('Position') is only read; use mica_read, or declare it "
                "MICA_WRITE");
    CHECK_POINTER(NULL, MICA_WRITE_AS(&it, 0, Position));
    CHECK_ERROR(
        &f->t, MICA_ERROR_TERM,
        "MICA_WRITE_AS: term 0 ('Position') is only read; use mica_read, or declare it MICA_WRITE");
    CHECK_POINTER(NULL, mica_read(&it, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM,
                "mica_read: term 1 ('Velocity') only filters; declare it MICA_READ or MICA_WRITE");
    CHECK_POINTER(NULL, mica_write(&it, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM,
                "mica_write: term 2 ('Weight') only filters; declare it MICA_READ or MICA_WRITE");
    CHECK_POINTER(NULL, MICA_READ_AS(&it, 1, Velocity));
    CHECK_ERROR(
        &f->t, MICA_ERROR_TERM,
        "MICA_READ_AS: term 1 ('Velocity') only filters; declare it MICA_READ or MICA_WRITE");
    CHECK_POINTER(NULL, mica_read_row(&it, 1, 0));
    CHECK_ERROR(
        &f->t, MICA_ERROR_TERM,
        "mica_read_row: term 1 ('Velocity') only filters; declare it MICA_READ or MICA_WRITE");
    CHECK_POINTER(NULL, mica_read(&it, 3));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM, "mica_read: term 3 ('Frozen') is a tag and has no values");
    CHECK_POINTER(NULL, mica_read(&it, 4));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM, "mica_read: there is no term 4 of the query; it has 4");
    CHECK_POINTER(NULL, mica_write(&it, 31));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM, "mica_write: there is no term 31 of the query; it has 4");
    CHECK_POINTER(NULL, mica_read(&it, UINT32_MAX));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM,
                "mica_read: there is no term 4294967295 of the query; it has 4");
    CHECK_POINTER(NULL, MICA_READ_AS(&it, 77, Velocity));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM, "MICA_READ_AS: there is no term 77 of the query; it has 4");
    CHECK_POINTER(NULL, MICA_WRITE_AS(&it, 32, Velocity));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM,
                "MICA_WRITE_AS: there is no term 32 of the query; it has 4");
    // The iteration is none the worse.
    CHECK(mica_read(&it, 0) != NULL);
    CHECK(!mica_iter_next(&it));
}

TEST_WITH(fixture, f, a_type_of_another_size_is_refused)
{
    mica_world *world = f->world;
    fixture_spawn_movers(f, 1, NULL);
    mica_iter it;
    mica_iter_begin(world, f->query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(NULL, MICA_READ_AS(&it, 1, int32_t));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "MICA_READ_AS: component 'Velocity' has size 8, not 4");
    CHECK_POINTER(NULL, mica_write_as(&it, 0, 12, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "MICA_WRITE_AS: component 'Position' has size 8, not 12");
    CHECK_POINTER(mica_read(&it, 1), MICA_READ_AS(&it, 1, Velocity));
    CHECK_POINTER(mica_write(&it, 0), MICA_WRITE_AS(&it, 0, Position));
    mica_iter_end(&it);
}

TEST_WITH(fixture, f, an_iteration_that_has_ended_says_so)
{
    mica_world *world = f->world;
    fixture_spawn_movers(f, 1, NULL);
    mica_iter it;
    mica_iter_begin(world, f->query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK(!mica_iter_next(&it));
    CHECK(!mica_iter_next(&it));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "mica_iter_next: the iteration has ended");
    CHECK_POINTER(NULL, mica_read(&it, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "mica_read: the iteration has ended");
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "mica_write: the iteration has ended");
    CHECK_POINTER(NULL, MICA_READ_AS(&it, 0, Position));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "MICA_READ_AS: the iteration has ended");
    CHECK_POINTER(NULL, MICA_WRITE_AS(&it, 0, Position));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "MICA_WRITE_AS: the iteration has ended");
    mica_iter_begin(world, f->query, &it);
    mica_iter_end(&it);
    CHECK(!mica_iter_next(&it));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "mica_iter_next: the iteration has ended");
    // A copy of an open one, used after its original ended.
    mica_iter_begin(world, f->query, &it);
    mica_iter copy = it;
    mica_iter_end(&it);
    CHECK(!mica_iter_next(&copy));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "mica_iter_next: the iteration has ended");
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(&copy));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "mica_iter_end: the iteration has ended");
}

TEST_WITH(fixture, f, the_end_of_an_iteration_tells_why_it_ended)
{
    mica_world *world = f->world;
    fixture_spawn_movers(f, 1, NULL);
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(world, f->query, &it));
    while (mica_iter_next(&it)) {
    }
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it)); // it came to its end
    CHECK_EQUAL(MICA_OK, mica_iter_begin(world, f->query, &it));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it)); // it was ended,
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it)); // and has been
    CHECK_EQUAL(MICA_ERROR_QUERY, mica_iter_begin(world, (mica_query){0}, &it));
    CHECK_ERROR(&f->t, MICA_ERROR_QUERY, "mica_iter_begin: the query is none");
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(MICA_ERROR_QUERY, mica_iter_end(&it)); // it never began; that was said
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_iter_begin_entity(world, f->query, (mica_entity){0}, &it));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_iter_begin_entity: the entity is none");
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_iter_end(&it));
}

TEST_WITH(fixture, f, before_the_first_segment_there_is_nothing_to_read)
{
    mica_world *world = f->world;
    fixture_spawn_movers(f, 1, NULL);
    mica_iter it;
    mica_iter_begin(world, f->query, &it);
    CHECK_EQUAL(0, it.count);
    CHECK_POINTER(NULL, mica_read(&it, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "mica_read: there is no segment before mica_iter_next");
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR,
                "mica_write: there is no segment before mica_iter_next");
    CHECK_POINTER(NULL, MICA_READ_AS(&it, 1, Velocity));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR,
                "MICA_READ_AS: there is no segment before mica_iter_next");
    CHECK_POINTER(NULL, mica_read_row(&it, 1, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR,
                "mica_read_row: there is no segment before mica_iter_next");
    CHECK(mica_iter_next(&it));
    CHECK(mica_read(&it, 1) != NULL && mica_write(&it, 0) != NULL);
    mica_iter_end(&it);
}

// They report to standard error: there is no world that could be trusted. (mica_read() and
// mica_write() themselves trust what they are given, as they must to cost nothing.)
static void what_is_no_iteration_is_refused(void)
{
    mica_iter its[2];
    memset(&its[0], 0, sizeof its[0]);
    memset(&its[1], 0xA5, sizeof its[1]);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(NULL));
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(!mica_iter_next(&its[i]));
        CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(&its[i]));
        CHECK_POINTER(NULL, mica_iter_values_any(&its[i], 0, false));
        CHECK_POINTER(NULL, mica_read_row(&its[i], 0, 0));
        CHECK_POINTER(NULL, mica_read_as(&its[i], 0, 4, NULL));
        CHECK_POINTER(NULL, mica_write_as(&its[i], 0, 4, NULL));
    }
    CHECK_POINTER(NULL, mica_read(&its[0], 0));
    CHECK_POINTER(NULL, mica_write(&its[0], 0));
    CHECK(!mica_iter_next(NULL));
    CHECK_POINTER(NULL, mica_read_row(NULL, 0, 0));
    CHECK_POINTER(NULL, mica_read_as(NULL, 0, 4, NULL));
    CHECK_POINTER(NULL, mica_write_as(NULL, 0, 4, NULL));
}

// Hooks

static mica_query hook_query;
static mica_result hook_results[2];

static mica_result iterate_in_a_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 0, (size_t)count * context->type->size);
    mica_world *world = context->type->user;
    mica_iter it;
    hook_results[0] = mica_iter_begin(world, hook_query, &it);
    CHECK(!mica_iter_next(&it));
    hook_results[1] = mica_iter_begin_entity(world, hook_query, (mica_entity){0}, &it);
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_iter_end(&it));
    return MICA_OK;
}

TEST_WITH(fixture, f, a_hook_cannot_iterate)
{
    mica_world *world = f->world;
    hook_query = f->query;
    mica_type type =
        mica_type_register(world, &(mica_type_desc){.name = "Hooked",
                                                    .size = 4,
                                                    .align = 4,
                                                    .user = world,
                                                    .hooks.construct = iterate_in_a_hook});
    CHECK(!MICA_IS_NONE(mica_spawn(world, MICA_ADD(type))));
    CHECK_EQUAL(MICA_ERROR_HOOK, hook_results[0]);
    CHECK_EQUAL(MICA_ERROR_HOOK, hook_results[1]);
    CHECK_EQUAL(2, f->t.error.calls);
    CHECK_TEXT("mica_iter_begin_entity: refused inside the construct hook of 'Hooked'",
               mica_last_error(world)->sentence);
    test_error_clear(&f->t.error);
    CHECK_EQUAL(0, world->busy);
}

// Of an iterator whose address is known, and only of that, it is looked at what is in it.
TEST_WITH(fixture, f, an_iterator_that_is_in_use_begins_nothing_else)
{
    fixture_spawn_movers(f, 1, NULL);
    mica_iter it;
    mica_iter other;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f->world, f->query, &it));
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f->world, f->query, &other));
    CHECK(mica_iter_next(&it));
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_EQUAL(MICA_ERROR_ITERATOR,
                    i == 0 ? mica_iter_begin(f->world, f->query, &it)
                           : mica_iter_begin_entity(f->world, f->query, it.entities[0], &it));
        CHECK_ERROR(
            &f->t, MICA_ERROR_ITERATOR,
            i == 0
                ? "mica_iter_begin: this iterator has an iteration of 'movers' open; end that with "
                  "mica_iter_end or, if it is lost, mica_world_end_iterations"
                : "mica_iter_begin_entity: this iterator has an iteration of 'movers' open; end that "
                  "with mica_iter_end or, if it is lost, mica_world_end_iterations");
        CHECK(mica_read(&it, 0) != NULL); // it goes on
    }
    mica_iter copy = it; // which is known by nothing
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f->world, f->query, &copy));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&copy));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f->world, f->query, &it)); // it has ended
    memset(&it, 0x5a, sizeof it); // lost, and others came to be in its place
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f->world, f->query, &it));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    CHECK_EQUAL(2, mica_world_end_iterations(f->world));
}

TEST_WITH(fixture, f, what_is_only_read_is_reported_what_to_declare)
{
    mica_spawn(f->world, MICA_ADD(f->position), MICA_ADD(f->velocity));
    mica_query query = mica_query_new(
        f->world,
        &(mica_query_desc){.name = "some",
                           .terms = {{f->position, MICA_OPTIONAL}, {f->velocity, MICA_ANY}}});
    mica_iter it;
    mica_iter_begin(f->world, query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM,
                "mica_write: term 0 ('Position') of query 'some' is only read; use mica_read, or "
                "declare it MICA_OPTIONAL_WRITE");
    CHECK_POINTER(NULL, mica_write(&it, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM,
                "mica_write: term 1 ('Velocity') of query 'some' is only read, as MICA_ANY is; use "
                "mica_read, or mica_get_mut per entity");
    CHECK_POINTER(NULL, mica_write(&it, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM, "mica_write: there is no term 2 of query 'some'; it has 2");
    mica_iter_end(&it);
}

TESTS(iter_misuse, an_iterator_that_is_in_use_begins_nothing_else,
      what_is_only_read_is_reported_what_to_declare, the_same_query_is_iterated_inside_itself,
      iterations_are_ended_early_and_in_any_order, many_iterations_are_open_and_ended_oldest_first,
      what_makes_no_rows_is_allowed_during_iteration, tables_may_appear_during_iteration,
      a_table_that_appears_is_not_taken_for_that_of_the_one_entity,
      terms_are_used_as_they_are_declared, a_type_of_another_size_is_refused,
      an_iteration_that_has_ended_says_so, the_end_of_an_iteration_tells_why_it_ended,
      a_hook_cannot_iterate, before_the_first_segment_there_is_nothing_to_read,
      what_is_no_iteration_is_refused)
