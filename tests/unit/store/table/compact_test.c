#include "store/table/shrink.h"

#include "runner/test.h"
#include "unit/store/table/fixture.h"

enum { COUNT = 6 * MICAI_ROWS };

typedef struct scene {
    fixture f;
    micai_table *table;
    mica_entity entities[COUNT];
} scene;

// Many rows, of which the first `rows` stay.
static void begin(scene *s, uint32_t rows)
{
    fixture_begin(&s->f);
    s->table = fixture_table(&s->f, BIT(A) | BIT(TAG_3) | BIT(MOVED) | BIT(HOOKED));
    fixture_spawn_many(&s->f, s->table, COUNT, s->entities);
    for (uint32_t i = COUNT; i-- > rows;) {
        fixture_despawn(&s->f, s->entities[i]);
    }
    micai_table_trim(&s->f.store, s->table);
}

static void end(scene *s, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        CHECK(fixture_holds(&s->f, s->entities[i], i, 0));
    }
    CHECK_EQUAL(MICA_OK, micai_store_validate(&s->f.store));
    CHECK_TRACKED(&s->f.tracker, 2 * rows);
    fixture_end(&s->f);
}

// Pages that the extents of a table have, and those in use.
static void count_pages(const micai_table *table, uint32_t *all_out, uint32_t *used_out)
{
    *all_out = *used_out = 0;
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        for (uint32_t s = 0; s < table->layout.strip_count; s++) {
            const micai_page *page = &table->sheets.items[i]->pages[s];
            *all_out +=
                page->data == micai_extent_data(page->extent) ? page->extent->unit_count : 0;
            ++*used_out;
        }
    }
}

static void the_last_sheet_gets_as_small_as_its_rows_allow(void)
{
    for (uint32_t rows = 1; rows <= MICAI_ROWS; rows++) {
        scene s;
        begin(&s, rows);
        CHECK_EQUAL(MICAI_ROWS, s.table->capacity);
        CHECK_EQUAL(MICA_OK, micai_shrink_table(&s.f.store, s.table));
        CHECK(s.table->capacity >= rows && s.table->capacity < 2 * rows);
        end(&s, rows);
    }
}

static void pages_leave_extents_that_are_hardly_used(void)
{
    for (uint32_t rows = 1; rows <= COUNT; rows++) {
        scene s;
        begin(&s, rows);
        uint64_t tick = micai_sheet_tick(s.table->sheets.items[0], 1);
        CHECK_EQUAL(MICA_OK, micai_shrink_table(&s.f.store, s.table));
        uint32_t all;
        uint32_t used;
        count_pages(s.table, &all, &used);
        CHECK(all >= used && (all - used) * 4 <= all);
        CHECK_EQUAL(tick, micai_sheet_tick(s.table->sheets.items[0], 1));
        // There is nothing left to do.
        uint64_t allocations = s.f.t.memory.allocations;
        CHECK_EQUAL(MICA_OK, micai_shrink_table(&s.f.store, s.table));
        CHECK_EQUAL(allocations, s.f.t.memory.allocations);
        end(&s, rows);
    }
}

static void neighbours_stay_neighbours(void)
{
    scene s;
    begin(&s, 3 * MICAI_ROWS);
    CHECK_EQUAL(MICA_OK, micai_shrink_table(&s.f.store, s.table));
    uint32_t adjacent = s.table->sheets.items[0]->adjacent + s.table->sheets.items[1]->adjacent;
    CHECK(adjacent > 2);
    end(&s, 3 * MICAI_ROWS);
}

static void a_refusal_leaves_the_table_well(void)
{
    bool was_refused = true;
    for (uint64_t which = 1; was_refused; which++) {
        scene s;
        begin(&s, MICAI_ROWS + 1);
        test_memory_fail_at(&s.f.t.memory, which, TEST_MEMORY_ONCE);
        mica_result result = micai_shrink_table(&s.f.store, s.table);
        was_refused = s.f.t.memory.refusals > 0;
        test_memory_fail_at(&s.f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(was_refused ? MICA_ERROR_MEMORY : MICA_OK, result);
        CHECK_EQUAL(was_refused, test_error_clear(&s.f.t.error));
        end(&s, MICAI_ROWS + 1);
    }
}

TESTS(compact, the_last_sheet_gets_as_small_as_its_rows_allow,
      pages_leave_extents_that_are_hardly_used, neighbours_stay_neighbours,
      a_refusal_leaves_the_table_well)
