#include "store/table/table.h"

#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

_Static_assert(MICAI_ROWS == 4 && MICAI_ROWS_FIRST == 1, "these tests count rows of small sheets");

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

static void the_pages_of_a_small_sheet_lie_in_one_block(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
    for (uint32_t rows = 1; rows <= 4; rows *= 2) {
        CHECK_EQUAL(MICA_OK, micai_table_reserve(&f.store, table, rows));
        const micai_page *pages = table->sheets.items[0]->pages;
        for (uint32_t s = 1; s < table->layout.strip_count; s++) {
            CHECK_EQUAL(rows < MICAI_ROWS, pages[s].extent == pages[0].extent);
            CHECK_EQUAL(0, (uintptr_t)pages[s].data % MICAI_PAGE_ALIGN);
        }
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
    }
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
// none of them. A slab that is refused is done without.
static void check_refused_rows(test_memory_mode mode)
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
            test_memory_fail_at(&f.t.memory, k, mode);
            mica_entity refused = fixture_spawn(&f, table, 99);
            bool reached = f.t.memory.refusals > 0;
            bool without_slab =
                !mica_entity_is_none(refused) && f.slots.slabs.single > MICAI_SLAB_PAGES;
            bool was_refused = reached && !without_slab;
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
            if (!reached) {
                break;
            }
        }
    }
}

static void a_refused_row_leaves_the_count_as_it_was(void)
{
    check_refused_rows(TEST_MEMORY_ONCE);
    check_refused_rows(TEST_MEMORY_ONWARDS);
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
        kept k[STRIPS];
        uint32_t last = (rows - 1) / MICAI_ROWS;
        fixture_keep_all(&f, table->sheets.items[last], k);
        for (uint32_t i = rows; i < 20; i++) {
            entities[i] = fixture_spawn(&f, table, i);
        }
        for (uint32_t i = 0; i < 20; i++) {
            CHECK(fixture_holds(&f, entities[i], i, 0));
        }
        CHECK_EQUAL(rows % MICAI_ROWS ? STRIPS : 0, f.store.page_copies);
        fixture_drop_all(&f, k);
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
        kept k[3][STRIPS];
        for (uint32_t s = 0; s < 3; s++) {
            fixture_keep_all(&f, table->sheets.items[s], k[s]);
        }
        fixture_despawn(&f, entities[gone]);
        for (uint32_t i = 0; i < 10; i++) {
            CHECK(i == gone || fixture_holds(&f, entities[i], i, 0));
        }
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
        for (uint32_t s = 0; s < 3; s++) {
            fixture_drop_all(&f, k[s]);
        }
        CHECK_TRACKED(&f.tracker, 18);
        fixture_end(&f);
    }
}

static void values_in_shared_pages_are_the_others_to_end(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
    for (uint32_t i = 0; i < 6; i++) {
        fixture_spawn(&f, table, i);
    }
    kept k[STRIPS];
    fixture_keep_all(&f, table->sheets.items[0], k);
    micai_store_clear(&f.store);
    micai_slots_clear(f.host, &f.slots);
    CHECK_TRACKED(&f.tracker, 8);
    mica_entity entity = fixture_spawn(&f, table, 9);
    CHECK(fixture_holds(&f, entity, 9, 0));
    fixture_drop_all(&f, k);
    CHECK_TRACKED(&f.tracker, 2);
    fixture_end(&f);
}

static void a_sheet_that_cannot_be_copied_refuses_the_change(void)
{
    for (uint64_t k = 1; k <= STRIPS; k++) {
        fixture f;
        fixture_begin(&f);
        micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
        mica_entity entities[3];
        for (uint32_t i = 0; i < 3; i++) {
            entities[i] = fixture_spawn(&f, table, i);
        }
        kept pages[STRIPS];
        fixture_keep_all(&f, table->sheets.items[0], pages);
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
        fixture_drop_all(&f, pages);
        fixture_end(&f);
    }
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

// Writes down of which tables it hears that they were judged.
typedef struct ear {
    uint32_t heard;
    const micai_table *last;
} ear;

static void hear_judged(void *user, micai_table *table)
{
    ear *e = user;
    e->heard++;
    e->last = table;
}

static void ignore_going(void *user)
{
    (void)user;
}

// T8
static void a_table_is_quick_if_its_rows_are_bytes_and_its_pages_its_own(void)
{
    fixture f;
    fixture_begin(&f);
    CHECK(f.store.root->quick);
    CHECK(fixture_table(&f, BIT(A) | BIT(B) | BIT(TAG_0) | BIT(E))->quick);
    CHECK(!fixture_table(&f, BIT(A) | BIT(HOOKED))->quick);
    CHECK(!fixture_table(&f, BIT(MOVED))->quick);
    fixture_end(&f);
}

// T8
static void a_share_takes_exactly_that_table_off_the_short_cuts(void)
{
    fixture f;
    fixture_begin(&f);
    ear e = {0};
    REQUIRE_EQUAL(MICA_OK, micai_store_listen(&f.store, (micai_listener){.going = ignore_going,
                                                                         .judged = hear_judged,
                                                                         .user = &e}));
    micai_table *a = fixture_table(&f, BIT(A));
    micai_table *b = fixture_table(&f, BIT(B));
    micai_table *hooked = fixture_table(&f, BIT(HOOKED));
    mica_entity entities[12];
    fixture_spawn_many(&f, a, 10, entities);
    fixture_spawn(&f, b, 10);
    fixture_spawn(&f, hooked, 11);
    micai_edge *other = micai_edge_of(&f.store, b, E, false);
    micai_edge_remember(&f.store, other);
    micai_edge *own = micai_edge_of(&f.store, a, E, false);
    micai_edge_remember(&f.store, own); // the same key: only one of them is remembered
    micai_edge *back = micai_edge_of(&f.store, own->target, E, true);
    micai_edge_remember(&f.store, back);
    micai_edge *elsewhere = micai_edge_of(&f.store, b, TAG_0, false);
    micai_edge_remember(&f.store, elsewhere);
    CHECK_EQUAL(0, e.heard);

    kept k[3];
    for (uint32_t i = 0; i < 3; i++) { // the first share takes it off, others change nothing
        k[i] = fixture_keep(&f, a->sheets.items[i], 1);
        CHECK(!a->quick);
        CHECK(b->quick && f.store.root->quick);
        CHECK_EQUAL(i + 1, a->shared_count);
        CHECK_EQUAL(1, e.heard);
        CHECK_POINTER(a, e.last);
        CHECK_POINTER(micai_edge_nowhere(), f.store.recent.items[own->key << 2]);
        CHECK_POINTER(micai_edge_nowhere(), f.store.recent.items[back->key << 2]);
        CHECK_POINTER(elsewhere, f.store.recent.items[elsewhere->key << 2]); // not its business
    }
    micai_edge_remember(&f.store, other); // between tables that are quick still
    CHECK_POINTER(other, f.store.recent.items[other->key << 2]);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(!a->quick);
        REQUIRE_EQUAL(MICA_OK, micai_sheet_own(&f.store, a->sheets.items[i]));
        CHECK_EQUAL(2 - i, a->shared_count);
    }
    CHECK(a->quick);
    CHECK_EQUAL(2, e.heard);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));

    // A table with hooks is never quick: sharing makes no difference to it.
    kept h = fixture_keep(&f, hooked->sheets.items[0], 1);
    REQUIRE_EQUAL(MICA_OK, micai_sheet_own(&f.store, hooked->sheets.items[0]));
    CHECK(!hooked->quick);
    CHECK_EQUAL(2, e.heard);
    fixture_drop(&f, &h);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(fixture_kept(&k[i]));
        fixture_drop(&f, &k[i]);
    }
    for (uint32_t i = 0; i < 10; i++) {
        CHECK(fixture_holds(&f, entities[i], i, 0));
    }
    fixture_end(&f);
}

// T8: whatever owns the last shared sheet, or gives it back, brings the short cuts back.
static void a_table_without_shared_sheets_is_quick_again(void)
{
    for (uint32_t way = 0; way < 4; way++) {
        fixture f;
        fixture_begin(&f);
        micai_table *table = fixture_table(&f, BIT(A) | BIT(B) | BIT(E));
        mica_entity entities[6];
        fixture_spawn_many(&f, table, 6, entities);
        kept k[STRIPS];
        fixture_keep_all(&f, table->sheets.items[1], k);
        CHECK(!table->quick);
        switch (way) {
        case 0: fixture_spawn(&f, table, 6); break;
        case 1: fixture_despawn(&f, entities[0]); break;
        case 2: REQUIRE_EQUAL(MICA_OK, micai_table_own_from(&f.store, table, 2)); break;
        default:
            micai_store_clear(&f.store);
            micai_slots_clear(f.host, &f.slots);
            break;
        }
        CHECK(table->quick);
        CHECK_EQUAL(0, table->shared_count);
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
        fixture_drop_all(&f, k);
        fixture_end(&f);
    }
}

static void a_value_is_filled_as_bytes_where_it_is_nothing_else(void)
{
    fixture f;
    fixture_begin(&f);
    const micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED) | BIT(E));
    CHECK_EQUAL(1, micai_table_fill(table, 1).strip);
    CHECK_EQUAL(8, micai_table_fill(table, 1).size);
    CHECK_EQUAL(0, micai_table_fill(table, 2).strip);
    CHECK_EQUAL(0, micai_table_fill(table, 2).size);
    CHECK_EQUAL(0, micai_table_fill(table, 3).strip);
    CHECK_EQUAL(4, micai_table_fill(table, 4).strip);
    CHECK_EQUAL(16, micai_table_fill(table, 4).size);
    fixture_end(&f);
}

// Growth that fails at any point loses and leaks nothing: small sheets that get larger pages, many
// sheets at once, and the spots of both.
static void growth_that_is_refused_leaves_the_rows_as_they_were(void)
{
    for (uint32_t rows = 0; rows < 10; rows++) {
        for (uint64_t k = 1;; k++) {
            fixture f;
            fixture_begin(&f);
            micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED) | BIT(E));
            mica_entity entities[10];
            fixture_spawn_many(&f, table, rows, entities);
            const uint32_t capacity = table->capacity;
            test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
            mica_result result = micai_table_reserve(&f.store, table, 27);
            bool was_refused = f.t.memory.refusals > 0;
            test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
            CHECK_EQUAL(was_refused ? MICA_ERROR_MEMORY : MICA_OK, result);
            CHECK_EQUAL(was_refused, test_error_clear(&f.t.error));
            CHECK(table->capacity >= (was_refused ? capacity : rows + 27));
            CHECK_EQUAL(rows, table->count);
            CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
            for (uint32_t i = 0; i < rows; i++) {
                CHECK(fixture_holds(&f, entities[i], i, 0));
                micai_row row = fixture_row(&f, entities[i]);
                mica_view_spot spot = fixture_spot(&f, E, row.sheet->number);
                CHECK_POINTER(row.sheet->pages[4].data, spot.data);
                CHECK_POINTER(&row.sheet->pages[4].tick, spot.tick);
            }
            CHECK_EQUAL(MICA_OK, micai_table_reserve(&f.store, table, 27));
            CHECK(fixture_holds(&f, fixture_spawn(&f, table, 77), 77, 0));
            fixture_end(&f);
            if (!was_refused) {
                break;
            }
        }
    }
}

// What was given as a value may lie in the pages that a sheet shed.
static void a_value_in_pages_that_were_shed_is_followed_to_the_new_ones(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED));
    mica_entity entities[2];
    fixture_spawn_many(&f, table, 2, entities);
    micai_store_clear_shed(&f.store);
    const unsigned char *second = fixture_value(&f, entities[1], MOVED);
    CHECK_POINTER(second, micai_store_follow(&f.store, second));
    CHECK_POINTER(NULL, micai_store_follow(&f.store, NULL));
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f.store, table, 1));
    CHECK(f.store.shed.sheet != NULL);
    CHECK(fixture_value(&f, entities[1], MOVED) != second);
    CHECK_POINTER(fixture_value(&f, entities[1], MOVED), micai_store_follow(&f.store, second));
    CHECK_POINTER(&f, micai_store_follow(&f.store, &f)); // elsewhere
    CHECK_POINTER(NULL, micai_store_follow(&f.store, NULL));
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f.store, fixture_table(&f, BIT(B)), 1));
    CHECK_POINTER(NULL, f.store.shed.sheet); // kept until the next growth
    fixture_end(&f);
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

static void validate_finds_a_row_that_is_not_its_entitys(void)
{
    breakable b;
    breakable_begin(&b);
    micai_record *record = micai_slots_find(&b.f.slots, b.entities[2]);
    record->where++;
    CHECK_BROKEN(&b.f, "T1");
    record->where--;
    mica_entity *ids = micai_sheet_ids(b.sheet);
    ids[1] = b.entities[3];
    CHECK_BROKEN(&b.f, "T1");
    ids[1] = mica_entity_none();
    CHECK_BROKEN(&b.f, "T1");
    ids[1] = b.entities[1];
    fixture_end(&b.f);
}

static void validate_finds_a_small_sheet_in_the_middle(void)
{
    breakable b;
    breakable_begin(&b);
    b.sheet->capacity = 2;
    CHECK_BROKEN(&b.f, "T2");
    b.sheet->capacity = 8;
    CHECK_BROKEN(&b.f, "T2");
    b.sheet->capacity = 4;
    fixture_end(&b.f);
}

static void validate_finds_a_miscounted_capacity(void)
{
    breakable b;
    breakable_begin(&b);
    b.table->capacity++;
    CHECK_BROKEN(&b.f, "T5");
    b.table->capacity--;
    uint32_t count = b.table->count;
    b.table->count = b.table->capacity + 1;
    CHECK_BROKEN(&b.f, "T5");
    b.table->count = count;
    fixture_end(&b.f);
}

static void validate_finds_a_lost_tail(void)
{
    breakable b;
    breakable_begin(&b);
    micai_sheet *tail = b.table->tail;
    b.table->tail = b.sheet;
    CHECK_BROKEN(&b.f, "T6");
    b.table->tail = NULL;
    CHECK_BROKEN(&b.f, "T6");
    b.table->tail = tail;
    b.table->next++;
    CHECK_BROKEN(&b.f, "T6");
    b.table->next--;
    fixture_end(&b.f);
}

static void validate_finds_a_table_that_was_judged_wrongly(void)
{
    breakable b;
    breakable_begin(&b);
    b.table->quick = false;
    CHECK_BROKEN(&b.f, "T8");
    b.table->quick = true;
    b.table->shared_count++;
    CHECK_BROKEN(&b.f, "T8");
    b.table->shared_count--;
    kept k = fixture_keep(&b.f, b.sheet, 1);
    b.table->quick = true;
    CHECK_BROKEN(&b.f, "T8");
    b.table->quick = false;
    CHECK_EQUAL(MICA_OK, micai_store_validate(&b.f.store));
    REQUIRE_EQUAL(MICA_OK, micai_sheet_own(&b.f.store, b.sheet));
    fixture_drop(&b.f, &k);
    fixture_end(&b.f);
}

TESTS(table, the_first_sheet_grows_by_doubling_and_then_others_follow,
      the_pages_of_a_small_sheet_lie_in_one_block, room_for_many_is_made_at_once,
      more_rows_than_can_be_numbered_are_refused, a_refused_row_leaves_the_count_as_it_was,
      room_stays_when_rows_go_until_it_is_trimmed, appending_to_a_shared_sheet_copies_it_first,
      removing_from_shared_sheets_copies_them_first, values_in_shared_pages_are_the_others_to_end,
      a_sheet_that_cannot_be_copied_refuses_the_change,
      a_small_sheet_that_is_full_takes_rows_again_when_one_goes,
      a_table_is_quick_if_its_rows_are_bytes_and_its_pages_its_own,
      a_share_takes_exactly_that_table_off_the_short_cuts,
      a_table_without_shared_sheets_is_quick_again,
      a_value_is_filled_as_bytes_where_it_is_nothing_else,
      growth_that_is_refused_leaves_the_rows_as_they_were,
      a_value_in_pages_that_were_shed_is_followed_to_the_new_ones,
      validate_finds_a_row_that_is_not_its_entitys, validate_finds_a_small_sheet_in_the_middle,
      validate_finds_a_miscounted_capacity, validate_finds_a_lost_tail,
      validate_finds_a_table_that_was_judged_wrongly)
