// The paged kind: what kind.h promises of any, and spans.
#include "store/table/kind.h"

#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

static micai_span read(micai_table *table, uint32_t column, uint32_t row)
{
    return micai_kind_paged.read((micai_cell){table, column, row});
}

static micai_span write(fixture *f, micai_table *table, uint32_t column, uint32_t row)
{
    // As the general loop of iterations does it.
    micai_cell cell = {table, column, row};
    micai_span span = micai_kind_paged.read(cell);
    micai_kind_paged.touch(cell, span.count, f->tick);
    return span;
}

// Where the pages stop to lie side by side, counted from a row.
static uint32_t run_end(const micai_table *table, uint32_t column, uint32_t row)
{
    uint32_t sheet = row / MICAI_ROWS;
    const unsigned char *data = table->sheets.items[sheet]->pages[column].data;
    size_t page = MICAI_ROWS * table->layout.strips[column].size;
    uint32_t last = (table->count - 1) / MICAI_ROWS;
    while (sheet < last && table->sheets.items[sheet + 1]->pages[column].data == data + page) {
        data += page;
        sheet++;
    }
    uint32_t end = (sheet + 1) * MICAI_ROWS;
    return end < table->count ? end : table->count;
}

TEST_WITH(fixture, f, a_span_runs_across_the_pages_of_an_extent)
{
    micai_table *table = fixture_table(f, BIT(A));
    bool across = false;
    for (uint32_t i = 0; i < 42; i++) {
        fixture_spawn(f, table, i);
    }
    for (uint32_t row = 0; row < 42; row++) {
        micai_span span = read(table, 1, row);
        REQUIRE_EQUAL(run_end(table, 1, row) - row, span.count);
        const uint64_t *values = span.data;
        for (uint32_t i = 0; i < span.count; i++) {
            CHECK_EQUAL(row + i, values[i]);
        }
        across = across || span.count > MICAI_ROWS;
    }
    CHECK(across);
}

TEST_WITH(fixture, f, a_write_span_stamps_the_pages_it_covers)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(B));
    for (uint32_t i = 0; i < 42; i++) {
        fixture_spawn(f, table, i);
    }
    f->tick = 77;
    micai_span span = write(f, table, 2, 9);
    uint32_t end = 9 + span.count;
    CHECK_EQUAL(run_end(table, 2, 9), end);
    for (uint32_t s = 0; s < table->sheets.count; s++) {
        const micai_sheet *sheet = table->sheets.items[s];
        CHECK_EQUAL(s >= 2 && s * MICAI_ROWS < end, sheet->pages[2].tick == 77);
        CHECK(sheet->pages[1].tick != 77);
    }
}

// Three rows of a type in raw memory, after others.
typedef struct scene {
    fixture f;
    micai_table *table;
    mica_entity entities[6];
    const micai_kind *kind;
} scene;

static void begin(scene *s, uint64_t bits, uint32_t rows)
{
    fixture_begin(&s->f);
    s->table = fixture_table(&s->f, bits);
    fixture_spawn_many(&s->f, s->table, rows, s->entities);
    s->kind = micai_table_kind(s->table, 1);
    CHECK_POINTER(&micai_kind_paged, s->kind);
    CHECK_TEXT("paged", s->kind->name);
    CHECK(!s->kind->outside);
}

static micai_cell cell_at(const scene *s, uint32_t row)
{
    return (micai_cell){s->table, 1, row};
}

static const tracked *tracked_at(const scene *s, uint32_t row)
{
    return s->kind->read(cell_at(s, row)).data;
}

static void values_are_made_of_defaults_of_one_or_of_many(void)
{
    scene s;
    begin(&s, BIT(A), 3);
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&s.f.store, s.table, 9));
    const uint64_t values[9] = {10, 11, 12, 13, 14, 15, 16, 17, 18};
    for (uint32_t way = 0; way < 3; way++) {
        CHECK_EQUAL(MICA_OK, s.kind->construct(&s.f.store, cell_at(&s, 3), 9, way ? values : NULL,
                                               way == 2 ? 8 : 0));
        for (uint32_t i = 0; i < 9; i++) {
            const micai_sheet *sheet = micai_table_sheet(s.table, 3 + i);
            uint64_t expected = way == 0 ? 0 : way == 1 ? 10 : values[i];
            CHECK_EQUAL(expected, *(uint64_t *)micai_sheet_at(sheet, 1, (3 + i) % MICAI_ROWS));
        }
    }
    CHECK_EQUAL(3, s.table->count); // raw rows still
    s.kind->destruct(&s.f.store, cell_at(&s, 3), 9);
    fixture_end(&s.f);
}

static void values_are_all_made_or_none(void)
{
    for (uint32_t number = MOVED; number <= HOOKED; number++) {
        for (uint32_t which = 1; which <= 9; which++) {
            scene s;
            begin(&s, BIT(number), 3);
            REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&s.f.store, s.table, 9));
            tracked values[9];
            for (uint32_t i = 0; i < 9; i++) {
                values[i] = tracked_make(&s.f.tracker, 50 + i);
            }
            for (uint32_t way = 0; way < 3; way++) {
                const void *data = way ? values : NULL;
                uint32_t stride = way == 2 ? sizeof(tracked) : 0;
                s.f.tracker.until_failure = which;
                CHECK_EQUAL(MICA_ERROR_HOOK,
                            s.kind->construct(&s.f.store, cell_at(&s, 3), 9, data, stride));
                CHECK_EQUAL(1, test_error_clear(&s.f.t.error));
                CHECK_TRACKED(&s.f.tracker, 3 + 9);
                CHECK_EQUAL(MICA_OK,
                            s.kind->construct(&s.f.store, cell_at(&s, 3), 9, data, stride));
                CHECK_TRACKED(&s.f.tracker, 3 + 9 + 9);
                s.kind->destruct(&s.f.store, cell_at(&s, 3), 9);
                CHECK_TRACKED(&s.f.tracker, 3 + 9);
            }
            for (uint32_t i = 0; i < 9; i++) {
                tracked_drop(&s.f.tracker, &values[i]);
            }
            fixture_end(&s.f);
        }
    }
}

static void a_loaded_value_is_a_copy(void)
{
    for (uint32_t number = MOVED; number <= HOOKED; number++) {
        scene s;
        begin(&s, BIT(number), 5);
        tracked copy;
        memset(&copy, 0xA5, sizeof copy);
        CHECK_EQUAL(MICA_OK, s.kind->load(&s.f.store, cell_at(&s, 4), &copy));
        CHECK(tracked_is(&s.f.tracker, &copy, 4));
        CHECK(tracked_is(&s.f.tracker, tracked_at(&s, 4), 4));
        CHECK_TRACKED(&s.f.tracker, 6);
        tracked_drop(&s.f.tracker, &copy);
        s.f.tracker.until_failure = 1;
        CHECK_EQUAL(MICA_ERROR_HOOK, s.kind->load(&s.f.store, cell_at(&s, 4), &copy));
        CHECK_EQUAL(1, test_error_clear(&s.f.t.error));
        CHECK_TRACKED(&s.f.tracker, 5);
        fixture_end(&s.f);
    }
    scene s;
    begin(&s, BIT(A), 5);
    uint64_t copy = 0;
    CHECK_EQUAL(MICA_OK, s.kind->load(&s.f.store, cell_at(&s, 3), &copy));
    CHECK_EQUAL(3, copy);
    fixture_end(&s.f);
}

static void a_replaced_value_ends_and_the_new_one_is_not_copied(void)
{
    for (uint32_t number = MOVED; number <= HOOKED; number++) {
        scene s;
        begin(&s, BIT(number), 5);
        const mica_hooks *hooks = &s.f.registry.list.items[number]->info.hooks;
        tracked value = {0};
        REQUIRE_EQUAL(MICA_OK, s.kind->load(&s.f.store, cell_at(&s, 2), &value));
        uint32_t copies = s.f.tracker.copies;
        uint32_t destructs = s.f.tracker.destructs;
        s.kind->replace(&s.f.store, cell_at(&s, 4), &value, 99);
        CHECK(tracked_is(&s.f.tracker, tracked_at(&s, 4), 2));
        CHECK_EQUAL(copies, s.f.tracker.copies);
        CHECK_EQUAL(destructs + 1, s.f.tracker.destructs);
        CHECK_EQUAL(hooks->move ? 1 : 0, s.f.tracker.moves - (hooks->move ? 3 : 0));
        CHECK_EQUAL(99, micai_table_sheet(s.table, 4)->pages[1].tick);
        CHECK(micai_table_sheet(s.table, 0)->pages[1].tick != 99);
        CHECK_TRACKED(&s.f.tracker, 5);
        fixture_end(&s.f);
    }
}

static void a_value_is_moved_by_its_hook(void)
{
    scene s;
    begin(&s, BIT(MOVED), 5);
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&s.f.store, s.table, 1));
    uint32_t moves = s.f.tracker.moves;
    s.kind->move(&s.f.store, cell_at(&s, 5), cell_at(&s, 1)); // row 1 is raw now
    CHECK_EQUAL(moves + 1, s.f.tracker.moves);
    const micai_sheet *sheet = micai_table_sheet(s.table, 5);
    CHECK(tracked_is(&s.f.tracker, micai_sheet_at(sheet, 1, 1), 1));
    s.kind->move(&s.f.store, cell_at(&s, 1), cell_at(&s, 5));
    CHECK(fixture_holds(&s.f, s.entities[1], 1, 0));
    fixture_end(&s.f);
}

static void touching_rows_puts_the_tick_on_their_pages(void)
{
    scene s;
    fixture_begin(&s.f);
    s.table = fixture_table(&s.f, BIT(A) | BIT(B));
    s.kind = micai_table_kind(s.table, 1);
    mica_entity entities[14];
    fixture_spawn_many(&s.f, s.table, 14, entities);
    s.kind->touch(cell_at(&s, 7), 2, 50); // the last of sheet 1, the first of sheet 2
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(i == 1 || i == 2, s.table->sheets.items[i]->pages[1].tick == 50);
        CHECK(s.table->sheets.items[i]->pages[2].tick != 50);
    }
    uint32_t end = 0;
    CHECK_EQUAL(50, micai_table_tick(s.table, 1, 5, &end));
    CHECK_EQUAL(8, end);
    CHECK_EQUAL(1, micai_table_tick(s.table, 2, 5, &end)); // when the rows came
    CHECK_EQUAL(1, micai_table_tick(s.table, 1, 13, &end));
    CHECK_EQUAL(14, end);
    fixture_end(&s.f);
}

TESTS(paged, a_span_runs_across_the_pages_of_an_extent, a_write_span_stamps_the_pages_it_covers,
      values_are_made_of_defaults_of_one_or_of_many, values_are_all_made_or_none,
      a_loaded_value_is_a_copy, a_replaced_value_ends_and_the_new_one_is_not_copied,
      a_value_is_moved_by_its_hook, touching_rows_puts_the_tick_on_their_pages)
