#include "store/table/sheet.h"

#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

TEST_WITH(fixture, f, a_strips_tick_is_the_later_of_its_own_and_that_of_the_rows)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(B));
    f->tick = 5;
    fixture_spawn(f, table, 1);
    micai_sheet *sheet = table->sheets.items[0];
    CHECK_EQUAL(5, micai_sheet_tick(sheet, 1));
    micai_sheet_touch(sheet, 1, 7);
    CHECK_EQUAL(7, micai_sheet_tick(sheet, 1));
    CHECK_EQUAL(5, micai_sheet_tick(sheet, 2));
    micai_sheet_touch(sheet, 0, 9);
    CHECK_EQUAL(9, micai_sheet_tick(sheet, 1));
    CHECK_EQUAL(9, micai_sheet_tick(sheet, 2));
    f->tick = 11;
    fixture_spawn(f, table, 2); // the sheet grows: ticks stay
    CHECK_EQUAL(7, sheet->pages[1].tick);
}

// T7
TEST_WITH(fixture, f, sheets_reach_as_far_as_every_page_has_its_neighbour)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(B));
    for (uint32_t i = 0; i < 40; i++) {
        fixture_spawn(f, table, i);
    }
    bool far = false;
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        uint32_t adjacent = 1;
        while (i + adjacent < table->sheets.count &&
               micai_sheet_adjoins(table->sheets.items[i + adjacent - 1],
                                   table->sheets.items[i + adjacent])) {
            adjacent++;
        }
        CHECK_EQUAL(adjacent, table->sheets.items[i]->adjacent);
        far = far || adjacent > 1;
    }
    CHECK(far);
    // A page in the middle that has moved parts them.
    uint32_t at = 0;
    while (table->sheets.items[at]->adjacent < 3) {
        at++;
    }
    uint32_t adjacent = table->sheets.items[at]->adjacent;
    micai_extent *extent = micai_extent_new(f->host, 4, 4, MICAI_ROWS, 1);
    REQUIRE(extent != NULL);
    micai_sheet_move_page(&f->store, table->sheets.items[at + 1], 2, micai_extent_page(extent, 0));
    micai_table_update_adjacent(table, at + 1, at + 2);
    CHECK_EQUAL(1, table->sheets.items[at]->adjacent);
    CHECK_EQUAL(1, table->sheets.items[at + 1]->adjacent);
    CHECK_EQUAL(adjacent - 2, table->sheets.items[at + 2]->adjacent);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
}

TEST_WITH(fixture, f, a_sheet_number_is_used_again)
{
    micai_table *table = fixture_table(f, BIT(A));
    micai_sheet *sheets[5];
    for (uint32_t i = 0; i < 5; i++) {
        sheets[i] = micai_sheet_new(&f->store, table, i, MICAI_ROWS);
        REQUIRE(sheets[i] != NULL);
        CHECK_EQUAL(i, sheets[i]->number);
        CHECK_EQUAL(i, sheets[i]->index);
        CHECK_POINTER(sheets[i], f->store.sheets.items[i]);
    }
    micai_sheet_free(&f->store, sheets[1]);
    micai_sheet_free(&f->store, sheets[3]);
    CHECK_POINTER(NULL, f->store.sheets.items[1]);
    sheets[3] = micai_sheet_new(&f->store, table, 3, MICAI_ROWS);
    sheets[1] = micai_sheet_new(&f->store, table, 1, MICAI_ROWS);
    CHECK_EQUAL(3, sheets[3]->number); // the last that was freed first
    CHECK_EQUAL(1, sheets[1]->number);
    CHECK_EQUAL(5, f->store.sheets.count);
    for (uint32_t i = 0; i < 5; i++) {
        micai_sheet_free(&f->store, sheets[i]);
    }
}

static void a_refused_sheet_takes_no_number(void)
{
    for (uint64_t k = 1;; k++) {
        fixture f;
        fixture_begin(&f);
        micai_table *table = fixture_table(&f, BIT(A) | BIT(E));
        test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
        micai_sheet *sheet = micai_sheet_new(&f.store, table, 0, MICAI_ROWS);
        bool was_refused = f.t.memory.refusals > 0;
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(was_refused, sheet == NULL);
        CHECK_EQUAL(was_refused, test_error_clear(&f.t.error));
        CHECK_EQUAL(!was_refused, f.store.sheets.count);
        if (sheet) {
            micai_sheet_free(&f.store, sheet);
        }
        fixture_end(&f);
        if (!was_refused) {
            break;
        }
    }
}

// Five rows in a table, of which the tests then break something.
typedef struct breakable {
    fixture f;
    micai_table *table;
    micai_sheet *sheet;
    mica_entity entities[5];
} breakable;

static void breakable_begin(breakable *b)
{
    fixture_begin(&b->f);
    b->table = fixture_table(&b->f, BIT(A) | BIT(B));
    fixture_spawn_many(&b->f, b->table, 5, b->entities);
    b->sheet = b->table->sheets.items[0];
    CHECK_EQUAL(MICA_OK, micai_store_validate(&b->f.store));
}

static void validate_finds_a_sheet_that_is_lost(void)
{
    breakable b;
    breakable_begin(&b);
    b.sheet->index = 1;
    CHECK_BROKEN(&b.f, "T4");
    b.sheet->index = 0;
    b.sheet->number = 1000;
    CHECK_BROKEN(&b.f, "T4");
    b.sheet->number = b.table->sheets.items[1]->number;
    CHECK_BROKEN(&b.f, "T4");
    b.sheet->number = micai_slots_find(&b.f.slots, b.entities[0])->where >> MICAI_ROW_SHIFT;
    b.sheet->table = b.f.store.root;
    CHECK_BROKEN(&b.f, "T4");
    b.sheet->table = b.table;
    fixture_end(&b.f);
}

static void validate_finds_a_page_outside_its_extent(void)
{
    breakable b;
    breakable_begin(&b);
    micai_page *page = &b.sheet->pages[1];
    const micai_page right = *page;
    page->data += 8;
    CHECK_BROKEN(&b.f, "T12");
    page->data = right.data - right.extent->unit;
    CHECK_BROKEN(&b.f, "T12");
    page->data = right.data + right.extent->unit * right.extent->unit_count;
    CHECK_BROKEN(&b.f, "T12");
    page->data = NULL;
    CHECK_BROKEN(&b.f, "T12");
    *page = b.sheet->pages[2];
    CHECK_BROKEN(&b.f, "T12");
    *page = right;
    fixture_end(&b.f);
}

static void validate_finds_miscounted_pages(void)
{
    breakable b;
    breakable_begin(&b);
    micai_page *page = &b.sheet->pages[1];
    page->extent->live = 0;
    CHECK_BROKEN(&b.f, "T13");
    page->extent->live = 2;
    CHECK_BROKEN(&b.f, "T13");
    page->extent->live = 1;
    fixture_end(&b.f);
}

static void validate_finds_a_wrong_reach(void)
{
    breakable b;
    breakable_begin(&b);
    b.sheet->adjacent++;
    CHECK_BROKEN(&b.f, "T7");
    b.sheet->adjacent = 0;
    CHECK_BROKEN(&b.f, "T7");
    b.sheet->adjacent = 1;
    fixture_end(&b.f);
}

TESTS(sheet, a_strips_tick_is_the_later_of_its_own_and_that_of_the_rows,
      sheets_reach_as_far_as_every_page_has_its_neighbour, a_sheet_number_is_used_again,
      a_refused_sheet_takes_no_number, validate_finds_a_sheet_that_is_lost,
      validate_finds_a_page_outside_its_extent, validate_finds_miscounted_pages,
      validate_finds_a_wrong_reach)
