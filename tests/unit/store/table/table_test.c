#include "store/table/table.h"

#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

_Static_assert(MICAI_ROWS == 4 && MICAI_ROWS_FIRST == 1, "these tests count rows of small sheets");

// S0.4
static void a_column_is_numbered_by_the_data_carrying_types_below(void)
{
    fixture f;
    fixture_begin(&f);
    const micai_table *table =
        fixture_table(&f, BIT(TAG_0) | BIT(A) | BIT(TAG_3) | BIT(MOVED) | BIT(E));
    CHECK_EQUAL(0, micai_table_column(table, TAG_0)); // has no column
    CHECK_EQUAL(1, micai_table_column(table, A));
    CHECK_EQUAL(0, micai_table_column(table, B)); // not in the table
    CHECK_EQUAL(0, micai_table_column(table, TAG_3));
    CHECK_EQUAL(2, micai_table_column(table, MOVED));
    CHECK_EQUAL(3, micai_table_column(table, E));
    CHECK_EQUAL(0, micai_table_column(table, 64));
    CHECK_EQUAL(0, micai_table_column(table, 100000));
    CHECK(micai_table_has(table, TAG_0) && micai_table_has(table, E));
    CHECK(!micai_table_has(table, B) && !micai_table_has(table, 100000));
    CHECK_EQUAL(4, table->column_count);
    fixture_end(&f);
}

// S0.4
static void columns_are_numbered_across_words_of_64_types(void)
{
    fixture f;
    fixture_begin(&f);
    mica_types set = fixture_set(BIT(A) | BIT(TAG_3) | BIT(B));
    for (uint32_t number = TYPES; number < 400; number++) {
        char name[] = "T000";
        name[1] = (char)('0' + number / 100);
        name[2] = (char)('0' + number / 10 % 10);
        name[3] = (char)('0' + number % 10);
        bool is_tag = number % 5 == 0;
        REQUIRE(!mica_type_is_none(micai_registry_register(
            f.host, &f.registry,
            &(mica_type_desc){.name = name, .size = is_tag ? 0 : 2, .align = is_tag ? 0 : 2})));
        if (number % 3 == 0) {
            REQUIRE_EQUAL(MICA_OK, micai_types_add(f.host, &set, number));
        }
    }
    const micai_table *table = micai_store_table(&f.store, &set);
    uint32_t expected = 2;
    for (uint32_t number = TYPES; number < 400; number++) {
        bool has_column = number % 3 == 0 && number % 5 != 0;
        expected += has_column;
        CHECK_EQUAL(has_column ? expected : 0, micai_table_column(table, number));
    }
    CHECK_EQUAL(expected + 1, table->column_count);
    mica_types again = {0};
    CHECK_EQUAL(MICA_OK, micai_store_set_of(&f.store, table, &again));
    CHECK(mica_types_equal(&set, &again));
    micai_types_free(f.host, &again);
    micai_types_free(f.host, &set);
    fixture_end(&f);
}

// S0.3
static void a_tag_costs_a_bit_and_no_column(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *plain = fixture_table(&f, BIT(A));
    micai_table *tagged = fixture_table(&f, BIT(A) | BIT(TAG_0) | BIT(TAG_3));
    CHECK_EQUAL(plain->column_count, tagged->column_count);
    size_t before = f.t.memory.bytes;
    fixture_spawn(&f, plain, 1);
    size_t with_slot = f.t.memory.bytes;
    fixture_spawn(&f, tagged, 2);
    CHECK(f.t.memory.bytes - with_slot <= with_slot - before);
    CHECK_EQUAL(1, tagged->sheets.items[0]->pages[1].extent->page_size / 8);
    fixture_end(&f);
}

static void the_first_sheet_grows_by_doubling_and_then_others_follow(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
    static const uint32_t small[] = {1, 2, 4, 4};
    mica_entity entities[18];
    CHECK_EQUAL(0, table->capacity);
    CHECK_EQUAL(0, table->sheets.count);
    for (uint32_t i = 0; i < 18; i++) {
        entities[i] = fixture_spawn(&f, table, i);
        if (i < 4) {
            CHECK_EQUAL(small[i], table->capacity);
        } else {
            CHECK(table->capacity > i);
            CHECK_EQUAL(table->sheets.count * MICAI_ROWS, table->capacity);
        }
        for (uint32_t j = 0; j <= i; j++) {
            CHECK(fixture_holds(&f, entities[j], j, 0));
        }
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
    }
    CHECK_EQUAL(7, table->sheets.count);
    fixture_end(&f);
}

static void room_for_many_is_made_at_once(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED));
    CHECK_EQUAL(MICA_OK, micai_table_reserve(&f.store, table, 0));
    CHECK_EQUAL(0, table->capacity);
    CHECK_EQUAL(MICA_OK, micai_table_reserve(&f.store, table, 3));
    CHECK_EQUAL(4, table->capacity);
    CHECK_EQUAL(MICA_OK, micai_table_reserve(&f.store, table, 37));
    CHECK(table->capacity >= 37);
    uint64_t allocations = f.t.memory.allocations;
    CHECK_EQUAL(MICA_OK, micai_table_reserve(&f.store, table, 37));
    CHECK_EQUAL(allocations, f.t.memory.allocations);
    CHECK_EQUAL(0, table->count);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));

    // A small sheet without rows grows, too.
    micai_table *other = fixture_table(&f, BIT(MOVED));
    CHECK_EQUAL(MICA_OK, micai_table_reserve(&f.store, other, 1));
    CHECK_EQUAL(MICA_OK, micai_table_reserve(&f.store, other, 2));
    CHECK_EQUAL(2, other->capacity);
    fixture_end(&f);
}

static void more_rows_than_can_be_numbered_are_refused(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A));
    fixture_spawn(&f, table, 1);
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_table_reserve(&f.store, table, UINT32_MAX));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT, "a table of 1 rows cannot take 4294967295 more");
    CHECK_EQUAL(1, table->capacity);
    fixture_end(&f);
}

// S0.8, and the missing shrink of document S0: a row that could not be made in every column is in
// none of them.
static void a_refused_row_leaves_the_count_as_it_was(void)
{
    for (uint32_t rows = 0; rows < 10; rows++) {
        for (uint64_t k = 1;; k++) {
            fixture f;
            fixture_begin(&f);
            micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
            mica_entity entities[10];
            for (uint32_t i = 0; i < rows; i++) {
                entities[i] = fixture_spawn(&f, table, i);
            }
            test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
            mica_entity refused = fixture_spawn(&f, table, 99);
            bool was_refused = f.t.memory.refusals > 0;
            test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
            CHECK_EQUAL(was_refused, mica_entity_is_none(refused));
            CHECK_EQUAL(was_refused, test_error_clear(&f.t.error));
            CHECK_EQUAL(rows + !was_refused, table->count);
            CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
            for (uint32_t i = 0; i < rows; i++) {
                CHECK(fixture_holds(&f, entities[i], i, 0));
            }
            mica_entity made = fixture_spawn(&f, table, 100);
            CHECK(fixture_holds(&f, made, 100, 0));
            fixture_end(&f);
            if (!was_refused) {
                break;
            }
        }
    }
}

// S0.7
static void the_last_row_fills_the_hole_and_its_entity_is_found_there(void)
{
    for (uint32_t gone = 0; gone < 11; gone++) {
        fixture f;
        fixture_begin(&f);
        micai_table *table = fixture_table(&f, BIT(A) | BIT(B) | BIT(MOVED) | BIT(HOOKED));
        mica_entity entities[11];
        for (uint32_t i = 0; i < 11; i++) {
            entities[i] = fixture_spawn(&f, table, i);
        }
        uint64_t moves = f.store.row_moves;
        fixture_despawn(&f, entities[gone]);
        CHECK_EQUAL(10, table->count);
        CHECK_EQUAL(moves + (gone < 10), f.store.row_moves);
        for (uint32_t i = 0; i < 11; i++) {
            if (i == gone) {
                CHECK_POINTER(NULL, micai_slots_find(&f.slots, entities[i]));
                continue;
            }
            CHECK(fixture_holds(&f, entities[i], i, 0));
            uint32_t row = i == 10 ? gone : i; // only the last has moved
            CHECK_EQUAL(row, micai_place_row(fixture_place(&f, entities[i])));
        }
        CHECK_TRACKED(&f.tracker, 20);
        fixture_end(&f);
    }
}

static void room_stays_when_rows_go_until_it_is_trimmed(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED));
    mica_entity entities[9];
    for (uint32_t i = 0; i < 9; i++) {
        entities[i] = fixture_spawn(&f, table, i);
    }
    const uint32_t capacity = table->capacity;
    for (uint32_t i = 5; i < 9; i++) {
        fixture_despawn(&f, entities[i]);
    }
    CHECK_EQUAL(capacity, table->capacity);
    micai_table_trim(&f.store, table);
    CHECK_EQUAL(8, table->capacity);
    CHECK_EQUAL(2, table->sheets.count);
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(fixture_holds(&f, entities[i], i, 0));
        fixture_despawn(&f, entities[i]);
    }
    micai_table_trim(&f.store, table);
    CHECK_EQUAL(0, table->capacity);
    CHECK_POINTER(NULL, table->sheets.items);
    CHECK(fixture_holds(&f, fixture_spawn(&f, table, 5), 5, 0));
    fixture_end(&f);
}

// Where the pages stop to lie side by side, counted from a row.
static uint32_t run_end(const micai_table *table, uint32_t column, uint32_t row)
{
    uint32_t sheet = row / MICAI_ROWS;
    const unsigned char *data = table->sheets.items[sheet]->pages[column].data;
    size_t page = MICAI_ROWS * table->columns[column].size;
    uint32_t last = (table->count - 1) / MICAI_ROWS;
    while (sheet < last && table->sheets.items[sheet + 1]->pages[column].data == data + page) {
        data += page;
        sheet++;
    }
    uint32_t end = (sheet + 1) * MICAI_ROWS;
    return end < table->count ? end : table->count;
}

static void a_span_runs_across_the_pages_of_an_extent(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A));
    bool across = false;
    for (uint32_t i = 0; i < 42; i++) {
        fixture_spawn(&f, table, i);
    }
    for (uint32_t row = 0; row < 42; row++) {
        micai_span span = micai_table_read_span(table, 1, row);
        REQUIRE_EQUAL(run_end(table, 1, row) - row, span.count);
        const uint64_t *values = span.data;
        for (uint32_t i = 0; i < span.count; i++) {
            CHECK_EQUAL(row + i, values[i]);
        }
        across = across || span.count > MICAI_ROWS;
    }
    CHECK(across);
    fixture_end(&f);
}

static void a_write_span_stamps_the_pages_it_covers(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(B));
    for (uint32_t i = 0; i < 42; i++) {
        fixture_spawn(&f, table, i);
    }
    f.tick = 77;
    micai_span span = micai_table_write_span(&f.store, table, 2, 9, f.tick);
    uint32_t end = 9 + span.count;
    CHECK_EQUAL(run_end(table, 2, 9), end);
    for (uint32_t s = 0; s < table->sheets.count; s++) {
        const micai_sheet *sheet = table->sheets.items[s];
        CHECK_EQUAL(s >= 2 && s * MICAI_ROWS < end, sheet->pages[2].tick == 77);
        CHECK(sheet->pages[1].tick != 77);
    }
    CHECK_EQUAL(0, f.store.page_copies);
    fixture_end(&f);
}

// T3
static void writing_a_shared_page_copies_it_first(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(B));
    for (uint32_t i = 0; i < 16; i++) {
        fixture_spawn(&f, table, i);
    }
    kept k = fixture_keep(&f, table->sheets.items[2], 1);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));

    // Reading does not copy, nor does writing another column.
    CHECK_EQUAL(run_end(table, 1, 8) - 8, micai_table_read_span(table, 1, 8).count);
    CHECK(micai_table_write_span(&f.store, table, 2, 8, f.tick).data != NULL);
    CHECK_EQUAL(0, f.store.page_copies);

    micai_span span = micai_table_write_span(&f.store, table, 1, 9, f.tick);
    CHECK_EQUAL(3, span.count); // the copy is no neighbour any more
    CHECK_EQUAL(9, *(uint64_t *)span.data);
    CHECK_EQUAL(1, f.store.page_copies);
    memset(span.data, 0xFF, span.count * sizeof(uint64_t));
    CHECK(fixture_kept(&k));
    CHECK_EQUAL(1, micai_page_references(&k.page));

    // It is ours now.
    CHECK_POINTER(span.data, micai_table_write_span(&f.store, table, 1, 9, f.tick).data);
    CHECK_EQUAL(1, f.store.page_copies);
    fixture_drop(&f, &k);
    fixture_end(&f);
}

// T3
static void a_write_span_ends_where_a_shared_page_begins(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A));
    for (uint32_t i = 0; i < 16; i++) {
        fixture_spawn(&f, table, i);
    }
    kept k = fixture_keep(&f, table->sheets.items[3], 1);
    f.tick = 5;
    micai_span span = micai_table_write_span(&f.store, table, 1, 9, f.tick);
    CHECK_EQUAL(3, span.count);
    CHECK(table->sheets.items[3]->pages[1].tick != 5);
    span = micai_table_write_span(&f.store, table, 1, 12, f.tick);
    CHECK_EQUAL(4, span.count);
    memset(span.data, 0, 32);
    CHECK(fixture_kept(&k));
    fixture_drop(&f, &k);
    fixture_end(&f);
}

static void a_write_span_without_memory_is_null_and_the_page_stays_shared(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A));
    fixture_spawn(&f, table, 1);
    kept k = fixture_keep(&f, table->sheets.items[0], 1);
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
    micai_span span = micai_table_write_span(&f.store, table, 1, 0, f.tick);
    CHECK_POINTER(NULL, span.data);
    CHECK_EQUAL(0, span.count);
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK_EQUAL(2, micai_page_references(&k.page));
    CHECK_EQUAL(0, f.store.page_copies);
    CHECK(fixture_kept(&k));
    fixture_drop(&f, &k);
    fixture_end(&f);
}

enum { COLUMNS = 4 };

// Keeps every page of a sheet.
static void keep_all(fixture *f, micai_sheet *sheet, kept *k)
{
    REQUIRE_EQUAL(COLUMNS, sheet->table->column_count);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        k[c] = fixture_keep(f, sheet, c);
    }
}

static void check_and_drop_all(fixture *f, kept *k)
{
    for (uint32_t c = 0; c < COLUMNS; c++) {
        CHECK(fixture_kept(&k[c]));
        fixture_drop(f, &k[c]);
    }
}

// T3
static void appending_to_a_shared_sheet_copies_it_first(void)
{
    for (uint32_t rows = 1; rows < 10; rows++) {
        fixture f;
        fixture_begin(&f);
        micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
        mica_entity entities[20];
        for (uint32_t i = 0; i < rows; i++) {
            entities[i] = fixture_spawn(&f, table, i);
        }
        kept k[COLUMNS];
        uint32_t last = (rows - 1) / MICAI_ROWS;
        keep_all(&f, table->sheets.items[last], k);
        for (uint32_t i = rows; i < 20; i++) {
            entities[i] = fixture_spawn(&f, table, i);
        }
        for (uint32_t i = 0; i < 20; i++) {
            CHECK(fixture_holds(&f, entities[i], i, 0));
        }
        CHECK_EQUAL(rows % MICAI_ROWS ? COLUMNS : 0, f.store.page_copies);
        check_and_drop_all(&f, k);
        CHECK_TRACKED(&f.tracker, 40);
        fixture_end(&f);
    }
}

// T3
static void removing_from_shared_sheets_copies_them_first(void)
{
    for (uint32_t gone = 0; gone < 10; gone++) {
        fixture f;
        fixture_begin(&f);
        micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
        mica_entity entities[10];
        for (uint32_t i = 0; i < 10; i++) {
            entities[i] = fixture_spawn(&f, table, i);
        }
        kept k[3][COLUMNS];
        for (uint32_t s = 0; s < 3; s++) {
            keep_all(&f, table->sheets.items[s], k[s]);
        }
        fixture_despawn(&f, entities[gone]);
        for (uint32_t i = 0; i < 10; i++) {
            CHECK(i == gone || fixture_holds(&f, entities[i], i, 0));
        }
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
        for (uint32_t s = 0; s < 3; s++) {
            check_and_drop_all(&f, k[s]);
        }
        CHECK_TRACKED(&f.tracker, 18);
        fixture_end(&f);
    }
}

// T3
static void moving_between_shared_sheets_copies_them_first(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *source = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
    micai_edge *edge = micai_store_edge(&f.store, source, TAG_3, false);
    mica_entity entities[8];
    for (uint32_t i = 0; i < 8; i++) {
        entities[i] = fixture_spawn(&f, i < 5 ? source : edge->target, i);
    }
    kept k[3][COLUMNS];
    keep_all(&f, source->sheets.items[0], k[0]);
    keep_all(&f, source->sheets.items[1], k[1]);
    keep_all(&f, edge->target->sheets.items[0], k[2]);
    fixture_move(&f, edge, entities[1], 99);
    for (uint32_t i = 0; i < 8; i++) {
        CHECK(fixture_holds(&f, entities[i], i, 0));
    }
    for (uint32_t s = 0; s < 3; s++) {
        check_and_drop_all(&f, k[s]);
    }
    CHECK_TRACKED(&f.tracker, 16);
    fixture_end(&f);
}

static void values_in_shared_pages_are_the_others_to_end(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
    for (uint32_t i = 0; i < 6; i++) {
        fixture_spawn(&f, table, i);
    }
    kept k[COLUMNS];
    keep_all(&f, table->sheets.items[0], k);
    micai_store_clear(&f.store);
    micai_slots_clear(f.host, &f.slots);
    CHECK_TRACKED(&f.tracker, 8);
    mica_entity entity = fixture_spawn(&f, table, 9);
    CHECK(fixture_holds(&f, entity, 9, 0));
    check_and_drop_all(&f, k);
    CHECK_TRACKED(&f.tracker, 2);
    fixture_end(&f);
}

static void a_sheet_that_cannot_be_copied_refuses_the_change(void)
{
    for (uint64_t k = 1; k <= COLUMNS; k++) {
        fixture f;
        fixture_begin(&f);
        micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
        mica_entity entities[3];
        for (uint32_t i = 0; i < 3; i++) {
            entities[i] = fixture_spawn(&f, table, i);
        }
        kept pages[COLUMNS];
        keep_all(&f, table->sheets.items[0], pages);
        test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
        CHECK(mica_entity_is_none(fixture_spawn(&f, table, 3)));
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_ERROR_MEMORY, micai_table_reserve_remove(&f.store, table, 0));
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
        CHECK_EQUAL(3, table->count);
        for (uint32_t i = 0; i < 3; i++) {
            CHECK(fixture_holds(&f, entities[i], i, 0));
        }
        check_and_drop_all(&f, pages);
        fixture_end(&f);
    }
}

// Five rows in table `broken`, of which the tests then break something.
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
    for (uint32_t i = 0; i < 5; i++) {
        b->entities[i] = fixture_spawn(&b->f, b->table, i);
    }
    b->sheet = b->table->sheets.items[0];
    CHECK_EQUAL(MICA_OK, micai_table_validate(&b->f.store, b->table));
}

// Exactly the invariant `which` is reported.
#define CHECK_BROKEN(b, which)                                                                     \
    do {                                                                                           \
        CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_table_validate(&(b)->f.store, (b)->table));          \
        CHECK(strstr((b)->f.t.error.last.sentence, which) != NULL);                                \
        CHECK_EQUAL(1, test_error_clear(&(b)->f.t.error));                                         \
    } while (0)

static void validate_finds_a_row_that_is_not_its_entitys(void)
{
    breakable b;
    breakable_begin(&b);
    micai_record *record = micai_slots_find(&b.f.slots, b.entities[2]);
    record->where++;
    CHECK_BROKEN(&b, "T1");
    record->where--;
    mica_entity *ids = micai_sheet_ids(b.sheet);
    ids[1] = b.entities[3];
    CHECK_BROKEN(&b, "T1");
    ids[1] = mica_entity_none();
    CHECK_BROKEN(&b, "T1");
    ids[1] = b.entities[1];
    fixture_end(&b.f);
}

static void validate_finds_a_small_sheet_in_the_middle(void)
{
    breakable b;
    breakable_begin(&b);
    b.sheet->capacity = 2;
    CHECK_BROKEN(&b, "T2");
    b.sheet->capacity = 8;
    CHECK_BROKEN(&b, "T2");
    b.sheet->capacity = 4;
    fixture_end(&b.f);
}

static void validate_finds_a_sheet_that_is_lost(void)
{
    breakable b;
    breakable_begin(&b);
    b.sheet->index = 1;
    CHECK_BROKEN(&b, "T4");
    b.sheet->index = 0;
    b.sheet->number = 1000;
    CHECK_BROKEN(&b, "T4");
    b.sheet->number = b.table->sheets.items[1]->number;
    CHECK_BROKEN(&b, "T4");
    b.sheet->number = micai_slots_find(&b.f.slots, b.entities[0])->where >> MICAI_ROW_SHIFT;
    b.sheet->quick[0]++;
    CHECK_BROKEN(&b, "T4");
    b.sheet->quick[0]--;
    b.sheet->table = b.f.store.root;
    CHECK_BROKEN(&b, "T4");
    b.sheet->table = b.table;
    fixture_end(&b.f);
}

static void validate_finds_a_miscounted_capacity(void)
{
    breakable b;
    breakable_begin(&b);
    b.table->capacity++;
    CHECK_BROKEN(&b, "T5");
    b.table->capacity--;
    uint32_t count = b.table->count;
    b.table->count = b.table->capacity + 1;
    CHECK_BROKEN(&b, "T5");
    b.table->count = count;
    fixture_end(&b.f);
}

static void validate_finds_a_lost_tail(void)
{
    breakable b;
    breakable_begin(&b);
    micai_sheet *tail = b.table->tail;
    b.table->tail = b.sheet;
    CHECK_BROKEN(&b, "T6");
    b.table->tail = NULL;
    CHECK_BROKEN(&b, "T6");
    b.table->tail = tail;
    b.table->next++;
    CHECK_BROKEN(&b, "T6");
    b.table->next--;
    fixture_end(&b.f);
}

// T6
static void a_small_sheet_that_is_full_takes_rows_again_when_one_goes(void)
{
    for (uint32_t rows = 1; rows < 8; rows++) {
        fixture f;
        fixture_begin(&f);
        micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED));
        mica_entity entities[8];
        for (uint32_t i = 0; i < rows; i++) {
            entities[i] = fixture_spawn(&f, table, i);
        }
        micai_table_trim(&f.store, table);
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
        fixture_despawn(&f, entities[0]);
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
        entities[0] = fixture_spawn(&f, table, 0);
        for (uint32_t i = 0; i < rows; i++) {
            CHECK(fixture_holds(&f, entities[i], i, 0));
        }
        fixture_end(&f);
    }
}

static void validate_finds_a_page_outside_its_extent(void)
{
    breakable b;
    breakable_begin(&b);
    micai_page *page = &b.sheet->pages[1];
    const micai_page right = *page;
    page->data += 8;
    CHECK_BROKEN(&b, "P1");
    page->data = right.data - right.extent->page_size;
    CHECK_BROKEN(&b, "P1");
    page->data = right.data + right.extent->page_size * right.extent->page_count;
    CHECK_BROKEN(&b, "P1");
    page->data = NULL;
    CHECK_BROKEN(&b, "P1");
    *page = b.sheet->pages[2];
    CHECK_BROKEN(&b, "P1");
    *page = right;
    fixture_end(&b.f);
}

static void validate_finds_miscounted_references(void)
{
    breakable b;
    breakable_begin(&b);
    micai_page *page = &b.sheet->pages[1];
    micai_page_share(page); // without telling the sheet
    CHECK_BROKEN(&b, "P2");
    page->extent->references[0] = 0;
    CHECK_BROKEN(&b, "P2");
    page->extent->references[0] = 1;
    page->extent->live = 0;
    CHECK_BROKEN(&b, "P2");
    page->extent->live = 2;
    CHECK_BROKEN(&b, "P2");
    page->extent->live = 1;
    fixture_end(&b.f);
}

TESTS(table, a_column_is_numbered_by_the_data_carrying_types_below,
      columns_are_numbered_across_words_of_64_types, a_tag_costs_a_bit_and_no_column,
      the_first_sheet_grows_by_doubling_and_then_others_follow, room_for_many_is_made_at_once,
      more_rows_than_can_be_numbered_are_refused, a_refused_row_leaves_the_count_as_it_was,
      the_last_row_fills_the_hole_and_its_entity_is_found_there,
      room_stays_when_rows_go_until_it_is_trimmed, a_span_runs_across_the_pages_of_an_extent,
      a_write_span_stamps_the_pages_it_covers, writing_a_shared_page_copies_it_first,
      a_write_span_ends_where_a_shared_page_begins,
      a_write_span_without_memory_is_null_and_the_page_stays_shared,
      appending_to_a_shared_sheet_copies_it_first, removing_from_shared_sheets_copies_them_first,
      moving_between_shared_sheets_copies_them_first, values_in_shared_pages_are_the_others_to_end,
      a_sheet_that_cannot_be_copied_refuses_the_change,
      validate_finds_a_row_that_is_not_its_entitys, validate_finds_a_small_sheet_in_the_middle,
      validate_finds_a_sheet_that_is_lost, validate_finds_a_miscounted_capacity,
      validate_finds_a_lost_tail, a_small_sheet_that_is_full_takes_rows_again_when_one_goes,
      validate_finds_a_page_outside_its_extent, validate_finds_miscounted_references)
