// Pages under an iteration: ticks, pages that are shared, memory that runs out.
#include "query/query.h"

#include "unit/query/fixture.h"

static void write_terms_stamp_the_pages_and_read_terms_do_not(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_entity entities[1];
    fixture_spawn_movers(&f, 1, entities);
    mica_query reading = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.position, MICA_READ}, {f.velocity, MICA_OPTIONAL}}});
    world->view.tick = 50;
    uint64_t digest = mica_world_digest(world);
    mica_iter it;
    mica_iter_begin(world, reading, &it);
    while (mica_iter_next(&it)) {
    }
    mica_iter_begin(world, f.query, &it); // opened, not walked
    mica_iter_end(&it);
    CHECK_EQUAL(digest, mica_world_digest(world));
    mica_iter_begin(world, f.query, &it);
    while (mica_iter_next(&it)) {
    }
    CHECK(digest != mica_world_digest(world));
    const micai_sheet *sheet = fixture_table(&f, entities[0])->sheets.items[0];
    CHECK_EQUAL(50, sheet->pages[1].tick); // position
    CHECK(sheet->pages[0].tick != 50 && sheet->pages[2].tick != 50);
    mica_query optional =
        mica_query_new(world, &(mica_query_desc){.terms = {{f.weight, MICA_OPTIONAL_WRITE},
                                                           {f.velocity, MICA_OPTIONAL_WRITE}}});
    world->view.tick = 60;
    mica_iter_begin_entity(world, optional, entities[0], &it);
    while (mica_iter_next(&it)) {
    }
    CHECK_EQUAL(60, sheet->pages[2].tick);
    CHECK_EQUAL(50, sheet->pages[1].tick);
    fixture_end(&f);
}

static void all_pages_of_a_written_segment_are_stamped(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    const uint32_t count = 12 * MICAI_ROWS;
    static mica_entity entities[12 * MICAI_ROWS];
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, f.mover, count, NULL, 0, entities));
    world->view.tick = 50;
    mica_iter it;
    mica_iter_begin(world, f.query, &it);
    while (mica_iter_next(&it)) {
    }
    const micai_table *table = fixture_table(&f, entities[0]);
    for (uint32_t i = 0; i < count / MICAI_ROWS; i++) {
        CHECK_EQUAL(50, table->sheets.items[i]->pages[1].tick);
        CHECK(table->sheets.items[i]->pages[2].tick != 50);
    }
    fixture_end(&f);
}

// As somebody who keeps a snapshot does: a second reference to pages of the movers' table. The
// other holder's pages are let go with release_shared().
static void share(fixture *f, micai_table *table, uint32_t sheet, uint32_t column,
                  micai_page *kept_out)
{
    micai_sheet_share_page(&f->world->state->store, table->sheets.items[sheet], column);
    *kept_out = table->sheets.items[sheet]->pages[column];
}

static void release_shared(fixture *f, micai_page *kept)
{
    micai_page_release(&f->world->host, kept);
}

static void shared_pages_are_copied_before_they_are_written(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    const uint32_t count = 4 * MICAI_ROWS;
    static mica_entity entities[4 * MICAI_ROWS];
    fixture_spawn_movers(&f, count, entities);
    micai_table *table = fixture_table(&f, entities[0]);
    static Position before[4 * MICAI_ROWS];
    for (uint32_t i = 0; i < count; i++) {
        before[i] = *(const Position *)mica_get(world, entities[i], f.position);
    }
    // The first, one in the middle of an extent, and a page that is only read.
    micai_page kept[3];
    share(&f, table, 0, 1, &kept[0]);
    share(&f, table, 2, 1, &kept[1]);
    share(&f, table, 3, 2, &kept[2]);
    uint64_t copies = world->state->store.page_copies;

    // Reading copies nothing.
    mica_query reading = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.position, MICA_READ}, {f.velocity, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(world, reading, &it);
    uint32_t rows = 0;
    while (mica_iter_next(&it)) {
        rows += it.count;
    }
    CHECK_EQUAL(count, rows);
    CHECK_EQUAL(copies, world->state->store.page_copies);
    CHECK_POINTER(kept[0].data, table->sheets.items[0]->pages[1].data);

    rows = 0;
    mica_iter_begin(world, f.query, &it);
    while (mica_iter_next(&it)) {
        Position *p = mica_write(&it, 0);
        for (uint32_t i = 0; i < it.count; i++, rows++) {
            p[i].x += 1000000;
        }
    }
    CHECK_EQUAL(count, rows);
    CHECK_EQUAL(copies + 2, world->state->store.page_copies);
    CHECK_BYTES(&before[0], kept[0].data, MICAI_ROWS * sizeof(Position));
    CHECK_BYTES(&before[2 * MICAI_ROWS], kept[1].data, MICAI_ROWS * sizeof(Position));
    CHECK_POINTER(kept[2].data, table->sheets.items[3]->pages[2].data);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < count; i++) {
        const Position *p = mica_get(world, entities[i], f.position);
        wrong += p->x != before[i].x + 1000000;
    }
    CHECK_EQUAL(0, wrong);
    for (uint32_t i = 0; i < 3; i++) {
        release_shared(&f, &kept[i]);
    }
    fixture_end(&f);
}

// However a page came to be copied, the segments before and after it end there.
static void a_page_that_was_copied_lies_beside_no_other(void)
{
    for (uint32_t way = 0; way < 4; way++) {
        fixture f;
        mica_world *world = fixture_begin(&f);
        enum { COUNT = 8 * MICAI_ROWS };
        static mica_entity entities[COUNT];
        fixture_spawn_movers(&f, COUNT, entities);
        micai_table *table = fixture_table(&f, entities[0]);
        for (uint32_t sheet = 1; sheet < 7; sheet += 2) {
            for (uint32_t column = 0; column < 3; column++) {
                micai_page kept;
                share(&f, table, sheet, column, &kept);
                mica_entity entity = entities[sheet * MICAI_ROWS];
                const Position p = {(int32_t)(sheet * MICAI_ROWS), 7};
                mica_result result = MICA_OK;
                switch (way) {
                case 0: result = mica_set_value(world, entity, f.position, &p, sizeof p); break;
                case 1:
                    result = mica_set(world, entity, MICA_VALUE(f.position, Position, p.x, 7));
                    break;
                case 2: CHECK(mica_get_mut(world, entity, f.position) != NULL); break;
                default:
                    // Into the last row and out again: the rows of both sheets are written.
                    result = mica_add(world, entity, f.frozen);
                    result = result ? result : mica_remove(world, entity, f.frozen);
                    break;
                }
                CHECK_EQUAL(MICA_OK, result);
                release_shared(&f, &kept);
            }
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        uint32_t rows = 0;
        uint32_t wrong = 0;
        mica_iter it;
        mica_iter_begin(world, f.query, &it);
        while (mica_iter_next(&it)) {
            Position *p = mica_write(&it, 0);
            const Velocity *v = mica_read(&it, 1);
            for (uint32_t i = 0; i < it.count; i++, rows++) {
                wrong += &p[i] != mica_get(world, it.entities[i], f.position) ||
                         &v[i] != mica_get(world, it.entities[i], f.velocity) || p[i].x != -v[i].x;
            }
        }
        CHECK_EQUAL(COUNT, rows);
        CHECK_EQUAL(0, wrong);
        fixture_end(&f);
    }
}

static void a_shared_page_that_cannot_be_copied_ends_the_iteration(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_entity entities[2];
    fixture_spawn_movers(&f, 2, entities);
    mica_query both = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.position, MICA_WRITE}, {f.velocity, MICA_WRITE}}});
    micai_page kept;
    share(&f, fixture_table(&f, entities[0]), 0, 2, &kept);
    world->view.tick = 50;
    uint64_t digest = mica_world_digest(world);
    mica_iter it;
    mica_iter_begin(world, both, &it);
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(MICA_ERROR_MEMORY, f.t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_last_error(world)->code);
    CHECK_EQUAL(0, world->state->walks.count);
    CHECK_EQUAL(0, it.count);
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_iter_end(&it)); // it does not look finished
    CHECK(!mica_iter_next(&it));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "mica_iter_next: the iteration has ended");
    // With memory it works.
    mica_iter_begin(world, both, &it);
    CHECK(mica_iter_next(&it));
    mica_iter_end(&it);
    release_shared(&f, &kept);
    fixture_end(&f);
}

static void an_iteration_that_gets_no_memory_has_no_segments(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    fixture_spawn_movers(&f, 1, NULL);
    mica_iter its[40];
    uint32_t open = 0;
    uint64_t digest = mica_world_digest(world);
    // Memory is asked for by each that no iteration has left any behind for.
    for (uint32_t i = 0; i < 40; i++) {
        test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
        mica_iter_begin(world, f.query, &its[i]);
        if (f.t.memory.refusals > 0) {
            CHECK_EQUAL(MICA_ERROR_MEMORY, f.t.error.last.code);
            CHECK_EQUAL(1, test_error_clear(&f.t.error));
            CHECK(!mica_iter_next(&its[i])); // silently: it was said
            CHECK_EQUAL(MICA_ERROR_MEMORY, mica_iter_end(&its[i]));
            test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
            mica_iter_begin(world, f.query, &its[i]);
            open++;
        }
    }
    test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK(open >= 3);
    CHECK_EQUAL(40, world->state->walks.count);
    CHECK_EQUAL(digest, mica_world_digest(world));
    for (uint32_t i = 0; i < 40; i++) {
        CHECK(mica_iter_next(&its[i]));
        mica_iter_end(&its[i]);
    }
    fixture_end(&f);
}

TESTS(iter_page, write_terms_stamp_the_pages_and_read_terms_do_not,
      all_pages_of_a_written_segment_are_stamped, shared_pages_are_copied_before_they_are_written,
      a_page_that_was_copied_lies_beside_no_other,
      a_shared_page_that_cannot_be_copied_ends_the_iteration,
      an_iteration_that_gets_no_memory_has_no_segments)
