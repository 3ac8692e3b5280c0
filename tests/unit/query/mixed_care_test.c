// Queries with sparse terms: values with hooks, values side by side, memory that runs out.
#include "query/filtered_internal.h"

#include "store/table/sheet.h"
#include "unit/query/small.h"
#include "unit/tracked.h"

static void values_with_hooks_are_reached_row_by_row(void)
{
    static tracker track;
    small s;
    mica_world *world = small_begin(&s);
    tracker_begin(&track);
    mica_type_desc desc = tracked_desc(&track, "Moved", true);
    desc.storage = MICA_SPARSE;
    mica_type moved = mica_type_register(world, &desc);
    desc = tracked_desc(&track, "Hooked", false);
    desc.storage = MICA_SPARSE;
    mica_type hooked = mica_type_register(world, &desc);
    static mica_entity e[WRITTEN];
    for (int32_t i = 0; i < WRITTEN; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s.loose, Num, i));
    }
    for (int32_t i = WRITTEN; i-- > 0;) {
        mica_add(world, e[i], moved);
        mica_add(world, e[i], hooked);
    }
    mica_query query =
        mica_query_new(world, &(mica_query_desc){.terms = {{s.loose, MICA_READ},
                                                           {moved, MICA_WRITE},
                                                           {hooked, MICA_WRITE},
                                                           {s.column, MICA_WITHOUT}}});
    mica_query alone = small_query(&s, (mica_term){moved, MICA_WRITE}, NO_TERM, NO_TERM);
    mica_iter it;
    mica_iter_begin(world, alone, &it); // they lie side by side here
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(WRITTEN < MICAI_ROWS ? WRITTEN : MICAI_ROWS, it.count);
    CHECK(tracked_is(&track, mica_write(&it, 0), TRACKED_DEFAULT));
    mica_iter_end(&it);
    REQUIRE_EQUAL(MICA_OK, mica_despawn(world, mica_spawn(world, MICA_ADD(moved))));
    mica_remove(world, e[5], moved);
    mica_add(world, e[5], moved);
    mica_remove(world, e[9], hooked);
    mica_add(world, e[9], hooked);
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    uint32_t refused = mica_read(&it, 1) == NULL;
    if (refused) {
        CHECK_ERROR(&s.t, MICA_ERROR_TERM,
                    "mica_read: values of 'Moved' have hooks, and do not lie side by side "
                    "here; use mica_read_row");
        CHECK_POINTER(NULL, mica_write(&it, 1));
        CHECK_ERROR(&s.t, MICA_ERROR_TERM,
                    "mica_write: values of 'Moved' have hooks, and do not lie side by side "
                    "here; use mica_write_row");
        CHECK_POINTER(NULL, MICA_READ_AS(&it, 1, tracked));
        CHECK_ERROR(&s.t, MICA_ERROR_TERM,
                    "MICA_READ_AS: values of 'Moved' have hooks, and do not lie side by side "
                    "here; use mica_read_row");
    }
    CHECK_POINTER(NULL, mica_write(&it, 2)); // also those that are moved as bytes
    CHECK_ERROR(&s.t, MICA_ERROR_TERM,
                "mica_write: values of 'Hooked' have hooks, and do not lie side by side here; use "
                "mica_write_row");
    for (uint32_t i = 0; i < it.count; i++) {
        CHECK(tracked_is(&track, mica_read_row(&it, 1, i), TRACKED_DEFAULT));
        ((tracked *)mica_write_row(&it, 1, i))->number = i;
        ((tracked *)mica_write_row(&it, 2, i))->number = i;
    }
    mica_iter_end(&it);
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    for (uint32_t i = 0; i < it.count; i++) {
        CHECK(tracked_is(&track, mica_read_row(&it, 1, i), i));
        CHECK(tracked_is(&track, mica_read_row(&it, 2, i), i));
    }
    mica_iter_end(&it);
    CHECK(refused);
    small_end(&s);
    CHECK_TRACKED(&track, 0);
}

// Whether they were read before, and whether they are written at once or row by row.
static void values_side_by_side_are_written_where_they_lie(void)
{
    for (uint32_t way = 0; way < 4; way++) {
        small s;
        mica_world *world = small_begin(&s);
        enum { COUNT = 8 * MICAI_ROWS };
        static mica_entity e[COUNT];
        static Num numbers[COUNT];
        for (int32_t i = 0; i < COUNT; i++) {
            numbers[i].n = i;
        }
        mica_bundle bundle = mica_bundle_new(world, &s.column, 1); // all side by side
        const mica_value values_of = MICA_COPY_OF_ARRAY(s.column, numbers);
        REQUIRE_EQUAL(MICA_OK, mica_spawn_many(world, bundle, COUNT, &values_of, 1, e));
        enum { BEGIN = COUNT - 2 * MICAI_ROWS }; // the last two sheets
        for (uint32_t i = 0; i < BEGIN; i++) {
            mica_add(world, e[i], s.mark);
        }
        mica_query query = small_query(&s, (mica_term){s.mark, MICA_WITHOUT},
                                       (mica_term){s.column, MICA_WRITE}, NO_TERM);
        mica_iter it;
        mica_iter_begin(world, query, &it);
        while (mica_iter_next(&it)) {
            const Num *seen = way & 1 ? mica_read(&it, 1) : NULL;
            Num *values = way & 2 ? NULL : mica_write(&it, 1);
            for (uint32_t i = 0; i < it.count; i++) {
                Num *one = values ? &values[i] : mica_write_row(&it, 1, i);
                CHECK(!seen || one == &seen[i]);
                one->n = -one->n;
            }
        }
        for (int32_t i = 0; i < COUNT; i++) {
            CHECK_EQUAL(i < BEGIN ? i : -i, small_num(&s, e[i], s.column));
        }
        small_end(&s);
    }
}

TEST_WITH(small, s, an_iteration_that_gets_no_memory_has_no_segments)
{
    mica_world *world = s->world;
    static mica_entity e[WRITTEN];
    small_spawn_crossed(s, e);
    mica_query query = small_cross(s);
    mica_result result = MICA_ERROR_MEMORY;
    uint32_t refused = 0;
    for (uint64_t k = 1; result; k++) {
        mica_iter it;
        test_memory_fail_at(&s->t.memory, k, TEST_MEMORY_ONCE);
        result = mica_iter_begin(world, query, &it);
        test_memory_fail_at(&s->t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(result != MICA_OK, test_error_clear(&s->t.error));
        CHECK_EQUAL(!result, mica_iter_next(&it));
        CHECK_EQUAL(result, mica_iter_end(&it));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        CHECK_EQUAL(MICA_OK, mica_remove(world, e[0], s->mark)); // nothing stands open
        refused += result != MICA_OK;
    }
    CHECK_EQUAL(2, refused); // the walk, and its memory
}

TEST_WITH(small, s, a_query_that_gets_no_memory_is_none)
{
    mica_world *world = s->world;
    mica_query query = {0};
    for (uint64_t k = 1; MICA_IS_NONE(query); k++) {
        test_memory_fail_at(&s->t.memory, k, TEST_MEMORY_ONCE);
        query = mica_query_new(world, &(mica_query_desc){.terms = {{s->loose, MICA_READ},
                                                                   {s->column, MICA_WITHOUT},
                                                                   {s->mark, MICA_ANY}},
                                                         .name = "mixed"});
        CHECK_EQUAL(MICA_IS_NONE(query), test_error_clear(&s->t.error));
        test_memory_fail_at(&s->t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
}

TESTS(mixed_care, values_with_hooks_are_reached_row_by_row,
      values_side_by_side_are_written_where_they_lie,
      an_iteration_that_gets_no_memory_has_no_segments, a_query_that_gets_no_memory_is_none)
