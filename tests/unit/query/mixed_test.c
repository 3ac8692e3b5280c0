// Queries with sparse terms: what drives them, values that are brought together or lie where they are,
// rows, several iterations at once.
#include "query/filtered_internal.h"

#include <stdio.h>

#include "unit/query/small.h"

// S2.2. The order of results is that of the set that drives.
TEST_WITH(small, s, the_smallest_set_drives)
{
    mica_world *world = s->world;
    mica_entity e[10];
    for (int32_t i = 0; i < 10; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s->column, Num, i));
    }
    for (int32_t i = 10; i-- > 0;) {
        small_put(s, e[i], s->loose, i);
    }
    for (int32_t i = 0; i < 8; i += 2) {
        small_put(s, e[(i + 4) % 10], s->other, i);
    }
    mica_query both =
        small_query(s, (mica_term){s->loose, MICA_READ}, (mica_term){s->other, MICA_READ},
                    (mica_term){s->column, MICA_READ});
    mica_iter it;
    mica_iter_begin(world, both, &it);
    REQUIRE(it.walk->driver != NULL);
    CHECK_EQUAL(s->other.bits, it.walk->driver->handle);
    CHECK(mica_iter_next(&it));
    REQUIRE_EQUAL(4, it.count);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(e[(2 * i + 4) % 10].bits, it.entities[i].bits);
    }
    CHECK(!mica_iter_next(&it));
    // Of tables that are smaller than any pool, the rows.
    mica_type few = MICA_TAG(world, Few);
    mica_add(world, e[3], few);
    mica_add(world, e[1], few);
    mica_query tagged =
        small_query(s, (mica_term){s->loose, MICA_WRITE}, (mica_term){few, MICA_WITH}, NO_TERM);
    mica_iter_begin(world, tagged, &it);
    CHECK_POINTER(NULL, it.walk->driver);
    CHECK(mica_iter_next(&it));
    REQUIRE_EQUAL(2, it.count);
    CHECK_EQUAL(e[3].bits, it.entities[0].bits);
    CHECK_EQUAL(e[1].bits, it.entities[1].bits);
    mica_iter_end(&it);
    CHECK_EQUAL(e[3].bits, mica_query_first(world, tagged).bits);
}

TEST_WITH(small, s, a_pool_that_nobody_has_ever_joined_is_empty)
{
    mica_world *world = s->world;
    mica_entity e = mica_spawn(world, MICA_VALUE(s->column, Num, 4));
    mica_query needed = small_query(s, (mica_term){s->column, MICA_READ},
                                    (mica_term){s->loose, MICA_READ}, NO_TERM);
    mica_query absent = small_query(s, (mica_term){s->column, MICA_READ},
                                    (mica_term){s->loose, MICA_WITHOUT}, NO_TERM);
    mica_query optional = small_query(s, (mica_term){s->column, MICA_READ},
                                      (mica_term){s->loose, MICA_OPTIONAL_WRITE}, NO_TERM);
    mica_query any =
        small_query(s, (mica_term){s->mark, MICA_ANY}, (mica_term){s->loose, MICA_ANY}, NO_TERM);
    CHECK_EQUAL(0, mica_query_count(world, needed));
    CHECK(!mica_query_contains(world, needed, e));
    CHECK(MICA_IS_NONE(mica_query_first(world, needed)));
    CHECK_EQUAL(1, mica_query_count(world, absent));
    CHECK_EQUAL(0, mica_query_count(world, any));
    mica_iter it;
    mica_iter_begin(world, needed, &it);
    CHECK(!mica_iter_next(&it));
    mica_iter_begin_entity(world, needed, e, &it);
    CHECK(!mica_iter_next(&it));
    mica_iter_begin(world, optional, &it);
    CHECK(mica_iter_next(&it));
    CHECK_POINTER(NULL, mica_read(&it, 1));
    CHECK_POINTER(NULL, mica_write(&it, 1));
    CHECK_POINTER(NULL, mica_write_row(&it, 1, 0));
    mica_iter_end(&it);
}

// Values that lie side by side are not copied.
TEST_WITH(small, s, what_lies_side_by_side_is_handed_out_where_it_lies)
{
    mica_world *world = s->world;
    mica_entity e[20];
    for (int32_t i = 0; i < 20; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s->loose, Num, i), MICA_VALUE(s->column, Num, i));
    }
    mica_query query = small_query(s, (mica_term){s->loose, MICA_WRITE},
                                   (mica_term){s->column, MICA_WRITE}, NO_TERM);
    int32_t met = 0;
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        Num *loose = mica_write(&it, 0);
        CHECK_POINTER(mica_get(world, e[met], s->loose), loose);
        CHECK_POINTER(mica_get(world, e[met + 3], s->loose), mica_read_row(&it, 0, 3));
        const Num *column = mica_write(&it, 1);
        CHECK_POINTER(mica_get(world, e[met], s->column), column);
        for (uint32_t i = 0; i < it.count; i++, met++) {
            CHECK_EQUAL(met, loose[i].n);
            CHECK_EQUAL(met, column[i].n);
            loose[i].n += 100;
        }
    }
    CHECK_EQUAL(20, met);
    CHECK_EQUAL(119, small_num(s, e[19], s->loose));
}

TEST_WITH(small, s, gathered_values_are_written_back)
{
    mica_world *world = s->world;
    static mica_entity e[WRITTEN];
    small_spawn_crossed(s, e);
    mica_query query = small_cross(s);
    for (uint32_t end = 0; end < 3; end++) {
        mica_iter it;
        mica_iter_begin(world, query, &it);
        CHECK(mica_iter_next(&it));
        CHECK_EQUAL(WRITTEN, it.count);
        CHECK(mica_read(&it, 0) != mica_get(world, it.entities[0], s->loose) ||
              mica_read(&it, 1) != mica_get(world, it.entities[0], s->other));
        for (uint32_t t = 0; t < 3; t++) {
            small_write_all(&it, t, (int32_t)(100 * end + t));
        }
        if (end == 0) {
            CHECK(!mica_iter_next(&it));
        } else if (end == 1) {
            CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
        } else {
            CHECK_EQUAL(1, mica_world_end_iterations(world));
        }
        for (uint32_t i = 0; i < WRITTEN; i++) {
            CHECK_EQUAL(100 * end, small_num(s, e[i], s->loose));
            CHECK_EQUAL(100 * end + 1, small_num(s, e[i], s->other));
            CHECK_EQUAL(100 * end + 2, small_num(s, e[i], s->stable));
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
}

TEST_WITH(small, s, what_is_only_read_is_not_written_back)
{
    mica_world *world = s->world;
    static mica_entity e[WRITTEN];
    small_spawn_crossed(s, e);
    mica_query query = small_query(s, (mica_term){s->loose, MICA_READ},
                                   (mica_term){s->other, MICA_WRITE}, NO_TERM);
    uint64_t digest = mica_world_digest(world);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    const Num *loose = mica_read(&it, 0);
    const Num *other = mica_read(&it, 1);
    for (uint32_t i = 0; i < it.count; i++) {
        CHECK_EQUAL(loose[i].n, other[i].n);
    }
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_ERROR(
        &s->t, MICA_ERROR_TERM,
        "mica_write: term 0 ('Loose') is only read; use mica_read, or declare it MICA_WRITE");
    CHECK_POINTER(NULL, mica_write_row(&it, 0, 0));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(digest, mica_world_digest(world)); // nobody wrote
}

static uint64_t tick_of(small *s, mica_type type)
{
    const micai_pool *pool = micai_pools_find(&s->world->state->pools, type);
    uint32_t end;
    return micai_table_tick(&pool->table, pool->column, 0, &end);
}

TEST_WITH(small, s, what_is_written_is_stamped_and_nothing_else)
{
    mica_world *world = s->world;
    mica_entity e[3];
    for (int32_t i = 0; i < 3; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s->loose, Num, i), MICA_VALUE(s->stable, Num, i),
                          MICA_VALUE(s->other, Num, i), MICA_ADD(s->mark));
    }
    mica_query query =
        small_query(s, (mica_term){s->loose, MICA_WRITE}, (mica_term){s->other, MICA_READ},
                    (mica_term){s->stable, MICA_WRITE});
    uint64_t before = world->view.tick;
    world->view.tick++;
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    CHECK(mica_write(&it, 0) && mica_read(&it, 1) && mica_read(&it, 2));
    CHECK_EQUAL(world->view.tick, tick_of(s, s->loose));
    CHECK_EQUAL(before, tick_of(s, s->other));
    CHECK_EQUAL(before, tick_of(s, s->stable)); // to be written, and was not
    CHECK(mica_write_row(&it, 2, 1) != NULL);
    CHECK_EQUAL(world->view.tick, tick_of(s, s->stable));
    mica_iter_end(&it);
    CHECK_EQUAL(2, small_num(s, e[2], s->loose));
}

// Rows

TEST_WITH(small, s, a_row_is_reached_in_place)
{
    mica_world *world = s->world;
    static mica_entity e[WRITTEN];
    small_spawn_crossed(s, e);
    mica_query query = small_cross(s);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    for (uint32_t i = 0; i < it.count; i++) {
        CHECK_POINTER(mica_get(world, it.entities[i], s->loose), mica_read_row(&it, 0, i));
        CHECK_POINTER(mica_get(world, it.entities[i], s->other), mica_write_row(&it, 1, i));
        ((Num *)mica_write_row(&it, 1, i))->n = (int32_t)(500 + i);
        CHECK_EQUAL(500 + i, small_num(s, it.entities[i], s->other));
    }
    CHECK_POINTER(NULL, mica_read_row(&it, 0, it.count));
    CHECK_ERROR(&s->t, MICA_ERROR_ARGUMENT, "mica_read_row: row 40 of a segment of 40");
    mica_iter_end(&it);
}

// Whatever was asked for before: one row, all rows, to read, to write. The last word is what stays.
TEST_WITH(small, s, rows_and_whole_terms_see_the_same_values)
{
    mica_world *world = s->world;
    static mica_entity e[WRITTEN];
    small_spawn_crossed(s, e);
    mica_query query = small_cross(s);
    for (uint32_t order = 0; order < 8; order++) {
        for (uint32_t t = 0; t < 2; t++) {
            mica_iter it;
            const mica_type type = t ? s->other : s->loose;
            mica_iter_begin(world, query, &it);
            REQUIRE(mica_iter_next(&it));
            mica_entity who = it.entities[3];
            mica_entity neighbour = it.entities[4];
            if (order & 1) {
                CHECK(mica_read(&it, t) != NULL);
            }
            int32_t n = (int32_t)(1000 + 10 * order);
            ((Num *)mica_write_row(&it, t, 3))->n = n;
            CHECK_EQUAL(n, ((const Num *)mica_read_row(&it, t, 3))->n);
            CHECK_EQUAL(n, ((const Num *)mica_read(&it, t))[3].n);
            if (order & 2) {
                Num *all = mica_write(&it, t);
                CHECK_EQUAL(n, all[3].n);
                all[4].n = n + 1;
            }
            if (order & 4) {
                ((Num *)mica_write_row(&it, t, 3))->n = n + 2;
                CHECK_EQUAL(n + 2, ((const Num *)mica_read(&it, t))[3].n);
            }
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
            mica_iter_end(&it);
            CHECK_EQUAL(order & 4 ? n + 2 : n, small_num(s, who, type));
            CHECK(!(order & 2) || small_num(s, neighbour, type) == n + 1);
        }
    }
}

// Several at once

TEST_WITH(small, s, iterations_of_mixed_queries_stand_inside_each_other)
{
    mica_world *world = s->world;
    static mica_entity e[WRITTEN];
    small_spawn_crossed(s, e);
    mica_query query = small_cross(s);
    mica_query reading = small_query(s, (mica_term){s->other, MICA_READ}, NO_TERM, NO_TERM);
    mica_iter outer;
    mica_iter inner;
    uint32_t seen = 0;
    mica_iter_begin(world, query, &outer);
    while (mica_iter_next(&outer)) {
        small_write_all(&outer, 0, 9);
        mica_iter_begin(world, reading, &inner);
        while (mica_iter_next(&inner)) {
            seen += inner.count;
            CHECK(mica_read(&inner, 0) != NULL);
        }
        CHECK_EQUAL(MICA_ERROR_ITERATING, mica_remove(world, e[0], s->loose));
        CHECK_EQUAL(1, test_error_clear(&s->t.error));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    CHECK_EQUAL(WRITTEN, seen);
    for (uint32_t i = 0; i < WRITTEN; i++) {
        CHECK_EQUAL(9, small_num(s, e[i], s->loose));
    }
}

// S2.6, from outside.
TEST_WITH(small, s, an_entity_far_away_has_sparse_components_too)
{
    mica_world *world = s->world;
    uint32_t slot = MICAI_SLOT_PAGE_SIZE > 4 ? 100000000 : 100000;
    mica_entity near = mica_spawn(world, MICA_VALUE(s->loose, Num, 1));
    mica_entity distant = mica_spawn_at(world, mica_entity_make(slot, 0));
    size_t bytes = mica_world_get_stats(world).memory.bytes;
    small_put(s, distant, s->loose, 2);
    CHECK(MICAI_SLOT_PAGE_SIZE == 4 ||
          mica_world_get_stats(world).memory.bytes - bytes < slot / 50);
    mica_query query = small_query(s, (mica_term){s->loose, MICA_READ}, NO_TERM, NO_TERM);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(2, it.count);
    CHECK_EQUAL(near.bits, it.entities[0].bits);
    CHECK_EQUAL(distant.bits, it.entities[1].bits);
    CHECK_EQUAL(2, ((const Num *)mica_read(&it, 0))[1].n);
    mica_iter_end(&it);
}

// More sparse types than a word has bits.
TEST_WITH(small, s, terms_of_several_words_of_presence_are_sieved_together)
{
    mica_world *world = s->world;
    mica_type many[150];
    for (uint32_t i = 0; i < 150; i++) {
        char name[8];
        snprintf(name, sizeof name, "M%u", (unsigned)i);
        many[i] = i % 2 ? small_register(world, name, false)
                        : mica_type_register(
                              world, &(mica_type_desc){.name = name, .storage = MICA_SPARSE});
    }
    mica_entity e[8];
    for (uint32_t i = 0; i < 8; i++) {
        e[i] = mica_spawn_values(world, NULL, 0);
        if (i & 1) {
            mica_add(world, e[i], many[0]);
        }
        if (i & 2) {
            small_put(s, e[i], many[71], (int32_t)i);
        }
        if (i & 4) {
            small_put(s, e[i], many[141], (int32_t)i);
        }
    }
    mica_query query =
        small_query(s, (mica_term){many[0], MICA_WITHOUT}, (mica_term){many[71], MICA_READ},
                    (mica_term){many[141], MICA_OPTIONAL});
    CHECK_EQUAL(2, mica_query_count(world, query));
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(1, it.count);
    CHECK_EQUAL(e[2].bits, it.entities[0].bits);
    CHECK_POINTER(NULL, mica_read(&it, 2));
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(e[6].bits, it.entities[0].bits);
    CHECK_EQUAL(6, ((const Num *)mica_read(&it, 2))->n);
    CHECK(!mica_iter_next(&it));
    char text[200];
    CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, e[1], text, sizeof text));
    CHECK_TEXT("entity 1.0 does not match: it has 'M0', it has no 'M71'", text);
    mica_query any =
        small_query(s, (mica_term){many[71], MICA_ANY}, (mica_term){many[141], MICA_ANY}, NO_TERM);
    CHECK_EQUAL(6, mica_query_count(world, any));
    CHECK_EQUAL(MICA_OK, mica_query_explain(world, any, e[1], text, sizeof text));
    CHECK_TEXT("entity 1.0 does not match: it has none of 'M71', 'M141'", text);
    CHECK_EQUAL(MICA_OK, mica_query_explain(world, any, e[4], text, sizeof text));
    CHECK_TEXT("entity 4.0 matches", text);
}

TEST_WITH(small, s, a_table_that_appears_is_passed_by_a_walk_of_a_pool)
{
    mica_world *world = s->world;
    mica_entity e = mica_spawn(world, MICA_VALUE(s->loose, Num, 1), MICA_VALUE(s->column, Num, 2));
    mica_query query = small_query(s, (mica_term){s->loose, MICA_WRITE},
                                   (mica_term){s->column, MICA_OPTIONAL_WRITE}, NO_TERM);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    mica_type tags[] = {MICA_TAG(world, New), s->column};
    mica_bundle_new(world, tags, 2);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(1, it.count);
    CHECK_EQUAL(2, ((const Num *)mica_write(&it, 1))->n);
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(1, small_num(s, e, s->loose));
}

TESTS(mixed, the_smallest_set_drives, a_pool_that_nobody_has_ever_joined_is_empty,
      what_lies_side_by_side_is_handed_out_where_it_lies, gathered_values_are_written_back,
      what_is_only_read_is_not_written_back, what_is_written_is_stamped_and_nothing_else,
      a_row_is_reached_in_place, rows_and_whole_terms_see_the_same_values,
      iterations_of_mixed_queries_stand_inside_each_other,
      an_entity_far_away_has_sparse_components_too,
      terms_of_several_words_of_presence_are_sieved_together,
      a_table_that_appears_is_passed_by_a_walk_of_a_pool)
