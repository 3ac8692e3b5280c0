// Queries with sparse terms: where blocks of rows end.
#include "query/filtered_internal.h"

#include <stdio.h>

#include "unit/query/small.h"

TEST_WITH(small, s, a_block_ends_where_optional_terms_change)
{
    mica_world *world = s->world;
    mica_type extra = MICA_TAG(world, Extra); // another table in between
    mica_type beside =
        mica_type_register(world, &(mica_type_desc){.name = "Beside", .size = 4, .align = 4});
    for (uint32_t i = 0; i < 20; i++) { // so many that the pool drives
        mica_spawn_values(world, NULL, 0);
    }
    static const bool loose[] = {1, 1, 0, 0, 1, 1, 1, 0};
    static const bool column[] = {0, 0, 0, 0, 0, 1, 1, 1};
    for (int32_t i = 0; i < 8; i++) {
        mica_entity e = mica_spawn(world, MICA_VALUE(s->other, Num, i));
        if (loose[i]) {
            small_put(s, e, s->loose, i);
        }
        if (column[i]) {
            mica_add(world, e, beside);
        }
        if (i == 1) {
            mica_add(world, e, extra);
        }
    }
    mica_query query =
        small_query(s, (mica_term){s->other, MICA_READ}, (mica_term){s->loose, MICA_OPTIONAL},
                    (mica_term){beside, MICA_OPTIONAL});
    static const uint32_t expected[] = {2, 2, 1, 2, 1};
    mica_iter it;
    uint32_t at = 0;
    mica_iter_begin(world, query, &it);
    for (uint32_t n = 0; n < 5; n++) {
        REQUIRE(mica_iter_next(&it));
        CHECK_EQUAL(expected[n], it.count);
        CHECK_EQUAL(loose[at], mica_read(&it, 1) != NULL);
        CHECK_EQUAL(column[at], mica_read(&it, 2) != NULL);
        CHECK_EQUAL(column[at], mica_read_row(&it, 2, 0) != NULL);
        at += it.count;
    }
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(8, at);
}

TEST_WITH(small, s, a_block_has_256_rows_at_most_and_fewer_of_big_values)
{
    mica_world *world = s->world;
    static const uint32_t sizes[] = {4, 1000, 40000, 70000, 1 << 18};
    static const uint32_t rows[] = {256, 65, 1, 1, 1};
    enum { COUNT = 600, BIG = 5 };
    static mica_entity e[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s->column, Num, i));
    }
    mica_type big[BIG];
    for (uint32_t b = 0; b < BIG; b++) {
        char name[8];
        snprintf(name, sizeof name, "B%u", (unsigned)b);
        big[b] = mica_type_register(
            world,
            &(mica_type_desc){.name = name, .storage = MICA_SPARSE, .size = sizes[b], .align = 4});
        uint32_t count = b < 2 ? COUNT : 5;
        for (uint32_t i = count; i-- > 0;) { // against the order of the table
            REQUIRE_EQUAL(MICA_OK, mica_add(world, e[i], big[b]));
            ((uint32_t *)mica_get_mut(world, e[i], big[b]))[sizes[b] / 4 - 1] = i;
        }
        mica_query query =
            mica_query_new(world, &(mica_query_desc){.terms = {{big[b], MICA_WRITE},
                                                               {s->column, MICA_READ},
                                                               {s->mark, MICA_OPTIONAL}}});
        uint32_t seen = 0;
        mica_iter it;
        mica_iter_begin(world, query, &it);
        while (mica_iter_next(&it)) {
            CHECK(it.count == rows[b] || seen + it.count == count);
            uint32_t *values = mica_write(&it, 0);
            const Num *column = mica_read(&it, 1);
            for (uint32_t i = 0; i < it.count; i++) {
                uint32_t *last = &values[(i + 1) * (sizes[b] / 4) - 1];
                CHECK_EQUAL(column[i].n, *last);
                *last += 7000;
            }
            seen += it.count;
        }
        CHECK_EQUAL(count, seen);
        CHECK_EQUAL(7002, ((const uint32_t *)mica_get(world, e[2], big[b]))[sizes[b] / 4 - 1]);
        mica_despawn_all(world, query, NULL);
        for (uint32_t i = 0; i < count; i++) {
            e[i] = mica_spawn(world, MICA_VALUE(s->column, Num, (int32_t)i));
        }
    }
}

TEST_WITH(small, s, blocks_of_tables_end_where_runs_are_worth_keeping)
{
    mica_world *world = s->world;
    enum { COUNT = 100 };
    for (int32_t i = 0; i < COUNT; i++) {
        mica_entity e = mica_spawn(world, MICA_VALUE(s->column, Num, i));
        if (i != 50) {
            mica_add(world, e, s->mark);
        }
    }
    mica_query query = small_query(s, (mica_term){s->mark, MICA_WITHOUT},
                                   (mica_term){s->column, MICA_WRITE}, NO_TERM);
    CHECK_EQUAL(1, mica_query_count(world, query));
    mica_query marked =
        small_query(s, (mica_term){s->mark, MICA_ANY}, (mica_term){s->column, MICA_WRITE}, NO_TERM);
    mica_iter it;
    uint32_t seen = 0;
    mica_iter_begin(world, marked, &it);
    while (mica_iter_next(&it)) {
        Num *values = mica_write(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK_EQUAL(seen + i + (seen + i >= 50), values[i].n);
        }
        if (it.walk->next == micai_filtered_next && sizeof(Num) << MICA_VIEW_ROW_SHIFT > 1000) {
            CHECK_EQUAL(seen == 0 ? 50 : 49, it.count); // both where they lie
            CHECK_POINTER(mica_get(world, it.entities[0], s->column), values);
        }
        seen += it.count;
    }
    CHECK_EQUAL(COUNT - 1, seen);
}

TEST_WITH(small, s, holes_of_a_stable_pool_are_passed_over)
{
    mica_world *world = s->world;
    enum { COUNT = 50 };
    mica_entity e[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s->stable, Num, i), MICA_VALUE(s->loose, Num, i));
    }
    for (uint32_t i = 0; i < COUNT; i += 2) {
        mica_remove(world, e[i], s->stable);
    }
    mica_query query = small_query(s, (mica_term){s->stable, MICA_WRITE}, NO_TERM, NO_TERM);
    CHECK_EQUAL(COUNT / 2, mica_query_count(world, query));
    mica_iter it;
    uint32_t seen = 0;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        Num *values = mica_write(&it, 0);
        for (uint32_t i = 0; i < it.count; i++, seen++) {
            CHECK_EQUAL(e[2 * seen + 1].bits, it.entities[i].bits);
            CHECK_EQUAL(2 * seen + 1, values[i].n);
            values[i].n = -(int32_t)seen;
        }
    }
    CHECK_EQUAL(COUNT / 2, seen);
    CHECK_EQUAL(-3, small_num(s, e[7], s->stable));
}

// They lie in blocks of fewer rows than others have.
TEST_WITH(small, s, big_values_of_a_stable_pool_are_gathered_and_written_back)
{
    mica_world *world = s->world;
    enum { COUNT = 700 };
    typedef struct Big {
        int32_t n[100];
    } Big;
    const mica_type_desc desc = {
        .name = "Big", .size = sizeof(Big), .align = 4, .storage = MICA_SPARSE, .stable = true};
    mica_type big = mica_type_register(world, &desc);
    static mica_entity e[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s->loose, Num, i));
    }
    for (int32_t i = COUNT; i-- > 0;) { // in the other order
        Big value = {.n = {[0] = i, [99] = i}};
        mica_set_value(world, e[i], big, &value, sizeof value);
    }
    mica_query query =
        small_query(s, (mica_term){s->loose, MICA_READ}, (mica_term){big, MICA_WRITE}, NO_TERM);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        const Num *loose = mica_read(&it, 0);
        Big *values = mica_write(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK(values[i].n[0] == loose[i].n && values[i].n[99] == loose[i].n);
            values[i].n[99] += COUNT;
        }
    }
    for (int32_t i = 0; i < COUNT; i++) {
        CHECK_EQUAL(i + COUNT, ((const Big *)mica_get(world, e[i], big))->n[99]);
    }
}

TESTS(block, a_block_ends_where_optional_terms_change,
      big_values_of_a_stable_pool_are_gathered_and_written_back,
      a_block_has_256_rows_at_most_and_fewer_of_big_values,
      blocks_of_tables_end_where_runs_are_worth_keeping, holes_of_a_stable_pool_are_passed_over)
