// Pages under an iteration: ticks, pages that were moved, memory that runs out.
#include "query/query.h"

#include "unit/query/fixture.h"

TEST_WITH(fixture, f, write_terms_stamp_the_pages_and_read_terms_do_not)
{
    mica_world *world = f->world;
    mica_entity entities[1];
    fixture_spawn_movers(f, 1, entities);
    mica_query reading = mica_query_new(
        world,
        &(mica_query_desc){.terms = {{f->position, MICA_READ}, {f->velocity, MICA_OPTIONAL}}});
    world->view.tick = 50;
    uint64_t digest = mica_world_digest(world);
    mica_iter it;
    mica_iter_begin(world, reading, &it);
    while (mica_iter_next(&it)) {
    }
    mica_iter_begin(world, f->query, &it); // opened, not walked
    mica_iter_end(&it);
    CHECK_EQUAL(digest, mica_world_digest(world));
    mica_iter_begin(world, f->query, &it);
    while (mica_iter_next(&it)) {
    }
    CHECK(digest != mica_world_digest(world));
    const micai_sheet *sheet = fixture_table(f, entities[0])->sheets.items[0];
    CHECK_EQUAL(50, sheet->pages[1].tick); // position
    CHECK(sheet->pages[0].tick != 50 && sheet->pages[2].tick != 50);
    mica_query optional =
        mica_query_new(world, &(mica_query_desc){.terms = {{f->weight, MICA_OPTIONAL_WRITE},
                                                           {f->velocity, MICA_OPTIONAL_WRITE}}});
    world->view.tick = 60;
    mica_iter_begin_entity(world, optional, entities[0], &it);
    while (mica_iter_next(&it)) {
    }
    CHECK_EQUAL(60, sheet->pages[2].tick);
    CHECK_EQUAL(50, sheet->pages[1].tick);
}

TEST_WITH(fixture, f, all_pages_of_a_written_segment_are_stamped)
{
    mica_world *world = f->world;
    const uint32_t count = 12 * MICAI_ROWS;
    static mica_entity entities[12 * MICAI_ROWS];
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, f->mover, count, NULL, 0, entities));
    world->view.tick = 50;
    mica_iter it;
    mica_iter_begin(world, f->query, &it);
    while (mica_iter_next(&it)) {
    }
    const micai_table *table = fixture_table(f, entities[0]);
    for (uint32_t i = 0; i < count / MICAI_ROWS; i++) {
        CHECK_EQUAL(50, table->sheets.items[i]->pages[1].tick);
        CHECK(table->sheets.items[i]->pages[2].tick != 50);
    }
}

// The segments before and after it end there.
TEST_WITH(fixture, f, a_page_that_was_moved_lies_beside_no_other)
{
    mica_world *world = f->world;
    enum { COUNT = 8 * MICAI_ROWS };
    static mica_entity entities[COUNT];
    fixture_spawn_movers(f, COUNT, entities);
    micai_table *table = fixture_table(f, entities[0]);
    for (uint32_t i = 1; i < 7; i += 2) {
        for (uint32_t strip = 0; strip < 3; strip++) {
            const micai_strip *cells = &table->layout.strips[strip];
            micai_extent *extent = micai_extent_new(&world->host, cells->size,
                                                    micai_strip_align(cells), MICAI_ROWS, 1);
            REQUIRE(extent != NULL);
            micai_sheet_move_page(&world->state->store, table->sheets.items[i], strip,
                                  micai_extent_page(extent, 0));
            micai_table_update_adjacent(table, i, i + 1);
        }
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    uint32_t rows = 0;
    uint32_t wrong = 0;
    mica_iter it;
    mica_iter_begin(world, f->query, &it);
    while (mica_iter_next(&it)) {
        Position *p = mica_write(&it, 0);
        const Velocity *v = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++, rows++) {
            wrong += &p[i] != mica_get(world, it.entities[i], f->position) ||
                     &v[i] != mica_get(world, it.entities[i], f->velocity) || p[i].x != -v[i].x;
        }
    }
    CHECK_EQUAL(COUNT, rows);
    CHECK_EQUAL(0, wrong);
}

TEST_WITH(fixture, f, an_iteration_that_gets_no_memory_has_no_segments)
{
    mica_world *world = f->world;
    fixture_spawn_movers(f, 1, NULL);
    mica_iter its[40];
    uint32_t open = 0;
    uint64_t digest = mica_world_digest(world);
    // Memory is asked for by each that no iteration has left any behind for.
    for (uint32_t i = 0; i < 40; i++) {
        test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONCE);
        mica_iter_begin(world, f->query, &its[i]);
        if (f->t.memory.refusals > 0) {
            CHECK_EQUAL(MICA_ERROR_MEMORY, f->t.error.last.code);
            CHECK_EQUAL(1, test_error_clear(&f->t.error));
            CHECK(!mica_iter_next(&its[i])); // silently: it was said
            CHECK_EQUAL(MICA_ERROR_MEMORY, mica_iter_end(&its[i]));
            test_memory_fail_at(&f->t.memory, 0, TEST_MEMORY_ONCE);
            mica_iter_begin(world, f->query, &its[i]);
            open++;
        }
    }
    test_memory_fail_at(&f->t.memory, 0, TEST_MEMORY_ONCE);
    CHECK(open >= 3);
    CHECK_EQUAL(40, world->state->walks.count);
    CHECK_EQUAL(digest, mica_world_digest(world));
    for (uint32_t i = 0; i < 40; i++) {
        CHECK(mica_iter_next(&its[i]));
        mica_iter_end(&its[i]);
    }
}

TESTS(iter_page, write_terms_stamp_the_pages_and_read_terms_do_not,
      all_pages_of_a_written_segment_are_stamped, a_page_that_was_moved_lies_beside_no_other,
      an_iteration_that_gets_no_memory_has_no_segments)
