#include "store/table/sheet.h"

#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

static void a_page_of_ones_own_is_not_copied(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A));
    fixture_spawn(&f, table, 1);
    micai_sheet *sheet = table->sheets.items[0];
    const unsigned char *data = sheet->pages[1].data;
    uint64_t allocations = f.t.memory.allocations;
    CHECK_EQUAL(MICA_OK, micai_sheet_own_page(&f.store, sheet, 1));
    CHECK_EQUAL(MICA_OK, micai_sheet_own(&f.store, sheet));
    CHECK_POINTER(data, sheet->pages[1].data);
    CHECK_EQUAL(allocations, f.t.memory.allocations);

    // One that was shared and is not any more is not copied either.
    kept k = fixture_keep(&f, sheet, 1);
    fixture_drop(&f, &k);
    CHECK(sheet->shared);
    CHECK_EQUAL(MICA_OK, micai_sheet_own(&f.store, sheet));
    CHECK(!sheet->shared);
    CHECK_POINTER(data, sheet->pages[1].data);
    CHECK_EQUAL(0, f.store.page_copies);
    fixture_end(&f);
}

// T3
static void owning_a_shared_page_copies_it_and_leaves_the_old_bytes(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(B));
    for (uint32_t i = 0; i < 7; i++) {
        fixture_spawn(&f, table, i);
    }
    micai_sheet *sheet = table->sheets.items[1];
    micai_sheet_touch(sheet, 1, 42);
    kept k = fixture_keep(&f, sheet, 1);
    CHECK_EQUAL(MICA_OK, micai_sheet_own_page(&f.store, sheet, 1));
    CHECK(sheet->pages[1].data != k.page.data);
    CHECK_EQUAL(42, sheet->pages[1].tick);
    CHECK_EQUAL(0, (uintptr_t)sheet->pages[1].data % MICAI_PAGE_ALIGN);
    CHECK_BYTES(k.bytes, sheet->pages[1].data, 3 * 8);
    CHECK_EQUAL(1, micai_page_references(&sheet->pages[1]));
    CHECK_EQUAL(1, micai_page_references(&k.page));
    memset(sheet->pages[1].data, 0, 3 * 8);
    CHECK(fixture_kept(&k));
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store)); // the copy is no neighbour
    fixture_drop(&f, &k);
    fixture_end(&f);
}

static void a_page_that_cannot_be_copied_stays_shared(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(MOVED));
    mica_entity entities[2];
    fixture_spawn_many(&f, table, 2, entities);
    micai_sheet *sheet = table->sheets.items[0];
    kept k = fixture_keep(&f, sheet, 1);
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, micai_sheet_own_page(&f.store, sheet, 1));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    f.tracker.until_failure = 2;
    CHECK_EQUAL(MICA_ERROR_HOOK, micai_sheet_own(&f.store, sheet));
    CHECK_ERROR(&f.t, MICA_ERROR_HOOK, "the copy hook of 'Moved' failed");
    CHECK(sheet->shared);
    CHECK_POINTER(k.page.data, sheet->pages[1].data);
    CHECK_EQUAL(2, micai_page_references(&k.page));
    CHECK_EQUAL(0, f.store.page_copies);
    CHECK_TRACKED(&f.tracker, 2);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
    fixture_drop(&f, &k);
    CHECK(fixture_holds(&f, entities[1], 1, 0));
    fixture_end(&f);
}

static void opening_a_page_makes_it_ones_own_and_touches_it(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(B));
    fixture_spawn(&f, table, 1);
    micai_sheet *sheet = table->sheets.items[0];
    kept k = fixture_keep(&f, sheet, 1);
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, micai_sheet_open(&f.store, sheet, 1, 7));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK(sheet->pages[1].tick != 7);
    CHECK_EQUAL(MICA_OK, micai_sheet_open(&f.store, sheet, 1, 8));
    CHECK_EQUAL(8, sheet->pages[1].tick);
    CHECK_EQUAL(1, micai_page_references(&sheet->pages[1]));
    CHECK(sheet->pages[2].tick != 8);
    CHECK(k.page.tick != 8);
    fixture_drop(&f, &k);
    fixture_end(&f);
}

static void a_strips_tick_is_the_later_of_its_own_and_that_of_the_rows(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(B));
    f.tick = 5;
    fixture_spawn(&f, table, 1);
    micai_sheet *sheet = table->sheets.items[0];
    CHECK_EQUAL(5, micai_sheet_tick(sheet, 1));
    micai_sheet_touch(sheet, 1, 7);
    CHECK_EQUAL(7, micai_sheet_tick(sheet, 1));
    CHECK_EQUAL(5, micai_sheet_tick(sheet, 2));
    micai_sheet_touch(sheet, 0, 9);
    CHECK_EQUAL(9, micai_sheet_tick(sheet, 1));
    CHECK_EQUAL(9, micai_sheet_tick(sheet, 2));
    f.tick = 11;
    fixture_spawn(&f, table, 2); // the sheet grows: ticks stay
    CHECK_EQUAL(7, sheet->pages[1].tick);
    fixture_end(&f);
}

// T7
static void sheets_reach_as_far_as_every_page_has_its_neighbour(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(B));
    for (uint32_t i = 0; i < 40; i++) {
        fixture_spawn(&f, table, i);
    }
    bool far = false;
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        uint32_t reach = 1;
        while (i + reach < table->sheets.count &&
               micai_sheet_adjoins(table->sheets.items[i + reach - 1],
                                   table->sheets.items[i + reach])) {
            reach++;
        }
        CHECK_EQUAL(reach, table->sheets.items[i]->reach);
        far = far || reach > 1;
    }
    CHECK(far);
    // A page of one's own in the middle parts them.
    uint32_t at = 0;
    while (table->sheets.items[at]->reach < 3) {
        at++;
    }
    uint32_t reach = table->sheets.items[at]->reach;
    kept k = fixture_keep(&f, table->sheets.items[at + 1], 2);
    CHECK_EQUAL(reach, table->sheets.items[at]->reach);
    REQUIRE_EQUAL(MICA_OK, micai_sheet_own_page(&f.store, table->sheets.items[at + 1], 2));
    CHECK_EQUAL(1, table->sheets.items[at]->reach);
    CHECK_EQUAL(1, table->sheets.items[at + 1]->reach);
    CHECK_EQUAL(reach - 2, table->sheets.items[at + 2]->reach);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
    fixture_drop(&f, &k);
    fixture_end(&f);
}

static void a_sheet_number_is_used_again(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A));
    micai_sheet *sheets[5];
    for (uint32_t i = 0; i < 5; i++) {
        sheets[i] = micai_sheet_new(&f.store, table, MICAI_ROWS);
        REQUIRE(sheets[i] != NULL);
        CHECK_EQUAL(i, sheets[i]->number);
        CHECK_POINTER(sheets[i], f.store.sheets.items[i]);
    }
    micai_sheet_free(&f.store, sheets[1]);
    micai_sheet_free(&f.store, sheets[3]);
    CHECK_POINTER(NULL, f.store.sheets.items[1]);
    sheets[3] = micai_sheet_new(&f.store, table, MICAI_ROWS);
    sheets[1] = micai_sheet_new(&f.store, table, MICAI_ROWS);
    CHECK_EQUAL(3, sheets[3]->number); // the last that was freed first
    CHECK_EQUAL(1, sheets[1]->number);
    CHECK_EQUAL(5, f.store.sheets.count);
    for (uint32_t i = 0; i < 5; i++) {
        micai_sheet_free(&f.store, sheets[i]);
    }
    fixture_end(&f);
}

static void a_refused_sheet_takes_no_number(void)
{
    for (uint64_t k = 1;; k++) {
        fixture f;
        fixture_begin(&f);
        micai_table *table = fixture_table(&f, BIT(A) | BIT(E));
        test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
        micai_sheet *sheet = micai_sheet_new(&f.store, table, MICAI_ROWS);
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

static void validate_finds_miscounted_references(void)
{
    breakable b;
    breakable_begin(&b);
    micai_page *page = &b.sheet->pages[1];
    page->extent->references[0] = 0;
    CHECK_BROKEN(&b.f, "T13");
    page->extent->references[0] = 1;
    page->extent->live = 0;
    CHECK_BROKEN(&b.f, "T13");
    page->extent->live = 2;
    CHECK_BROKEN(&b.f, "T13");
    page->extent->live = 1;
    fixture_end(&b.f);
}

static void validate_finds_a_shared_page_of_a_sheet_that_does_not_know(void)
{
    breakable b;
    breakable_begin(&b);
    mica_view_spot *spot = micai_directory_spot(&b.f.store.directory, A, b.sheet->number);
    spot->tick = NULL; // else it is the spot that is found
    micai_page_share(&b.sheet->pages[1]);
    CHECK_BROKEN(&b.f, "T3");
    b.sheet->pages[1].extent->references[0]--;
    spot->tick = &b.sheet->pages[1].tick;
    fixture_end(&b.f);
}

static void validate_finds_a_wrong_reach(void)
{
    breakable b;
    breakable_begin(&b);
    b.sheet->reach++;
    CHECK_BROKEN(&b.f, "T7");
    b.sheet->reach = 0;
    CHECK_BROKEN(&b.f, "T7");
    b.sheet->reach = 1;
    fixture_end(&b.f);
}

// T8: owning one page after the other is enough, also where others have let go of theirs.
static void a_sheet_is_shared_until_none_of_its_pages_is(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(B));
    fixture_spawn(&f, table, 1);
    micai_sheet *sheet = table->sheets.items[0];
    kept a = fixture_keep(&f, sheet, 1);
    kept b = fixture_keep(&f, sheet, 2);
    CHECK_EQUAL(MICA_OK, micai_sheet_own_page(&f.store, sheet, 1));
    CHECK(sheet->shared && !table->quick);
    fixture_drop(&f, &b); // nobody else has it any more
    CHECK_EQUAL(MICA_OK, micai_sheet_own_page(&f.store, sheet, 2));
    CHECK(!sheet->shared && table->quick);
    CHECK_EQUAL(1, f.store.page_copies);
    CHECK_POINTER(&sheet->pages[2].tick, fixture_spot(&f, B, sheet->number).tick);
    fixture_drop(&f, &a);
    fixture_end(&f);
}

TESTS(sheet, a_sheet_is_shared_until_none_of_its_pages_is, a_page_of_ones_own_is_not_copied,
      owning_a_shared_page_copies_it_and_leaves_the_old_bytes,
      a_page_that_cannot_be_copied_stays_shared, opening_a_page_makes_it_ones_own_and_touches_it,
      a_strips_tick_is_the_later_of_its_own_and_that_of_the_rows,
      sheets_reach_as_far_as_every_page_has_its_neighbour, a_sheet_number_is_used_again,
      a_refused_sheet_takes_no_number, validate_finds_a_sheet_that_is_lost,
      validate_finds_a_page_outside_its_extent, validate_finds_miscounted_references,
      validate_finds_a_shared_page_of_a_sheet_that_does_not_know, validate_finds_a_wrong_reach)
