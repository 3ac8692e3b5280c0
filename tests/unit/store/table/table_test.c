#include "store/table/table.h"

#include <string.h>

#include "core/watch.h"
#include "runner/test.h"
#include "unit/store/table/fixture.h"

_Static_assert(MICAI_ROWS == 4 && MICAI_ROWS_FIRST == 1, "these tests count rows of small sheets");

TEST_WITH(fixture, f, the_first_sheet_grows_by_doubling_and_then_others_follow)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
    static const uint32_t small[] = {1, 2, 4, 4};
    mica_entity entities[18];
    CHECK_EQUAL(0, table->capacity);
    CHECK_EQUAL(0, table->sheets.count);
    for (uint32_t i = 0; i < 18; i++) {
        entities[i] = fixture_spawn(f, table, i);
        if (i < 4) {
            CHECK_EQUAL(small[i], table->capacity);
        } else {
            CHECK(table->capacity > i);
            CHECK_EQUAL(table->sheets.count * MICAI_ROWS, table->capacity);
        }
        for (uint32_t j = 0; j <= i; j++) {
            CHECK(fixture_holds(f, entities[j], j, 0));
        }
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    }
    CHECK_EQUAL(7, table->sheets.count);
}

TEST_WITH(fixture, f, room_for_many_is_made_at_once)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(MOVED));
    CHECK_EQUAL(MICA_OK, micai_table_reserve(&f->store, table, 0));
    CHECK_EQUAL(0, table->capacity);
    CHECK_EQUAL(MICA_OK, micai_table_reserve(&f->store, table, 3));
    CHECK_EQUAL(4, table->capacity);
    CHECK_EQUAL(MICA_OK, micai_table_reserve(&f->store, table, 37));
    CHECK(table->capacity >= 37);
    uint64_t allocations = f->t.memory.allocations;
    CHECK_EQUAL(MICA_OK, micai_table_reserve(&f->store, table, 37));
    CHECK_EQUAL(allocations, f->t.memory.allocations);
    CHECK_EQUAL(0, table->count);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));

    // A small sheet without rows grows, too.
    micai_table *other = fixture_table(f, BIT(MOVED));
    CHECK_EQUAL(MICA_OK, micai_table_reserve(&f->store, other, 1));
    CHECK_EQUAL(MICA_OK, micai_table_reserve(&f->store, other, 2));
    CHECK_EQUAL(2, other->capacity);
}

TEST_WITH(fixture, f, the_pages_of_a_small_sheet_lie_in_one_block)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
    for (uint32_t rows = 1; rows <= 4; rows *= 2) {
        CHECK_EQUAL(MICA_OK, micai_table_reserve(&f->store, table, rows));
        const micai_page *pages = table->sheets.items[0]->pages;
        for (uint32_t s = 1; s < table->layout.strip_count; s++) {
            CHECK_EQUAL(rows < MICAI_ROWS, pages[s].extent == pages[0].extent);
            CHECK_EQUAL(0, (uintptr_t)pages[s].data % MICAI_PAGE_ALIGN);
        }
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    }
}

TEST_WITH(fixture, f, more_rows_than_can_be_numbered_are_refused)
{
    micai_table *table = fixture_table(f, BIT(A));
    fixture_spawn(f, table, 1);
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_table_reserve(&f->store, table, UINT32_MAX));
    CHECK_ERROR(&f->t, MICA_ERROR_LIMIT, "a table of 1 rows cannot take 4294967295 more");
    CHECK_EQUAL(1, table->capacity);
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
            bool without_slab = !MICA_IS_NONE(refused) && f.slots.slabs.single > MICAI_SLAB_PAGES;
            bool was_refused = reached && !without_slab;
            test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
            CHECK_EQUAL(was_refused, MICA_IS_NONE(refused));
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

TEST_WITH(fixture, f, room_stays_when_rows_go_until_it_is_trimmed)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(MOVED));
    mica_entity entities[9];
    for (uint32_t i = 0; i < 9; i++) {
        entities[i] = fixture_spawn(f, table, i);
    }
    const uint32_t capacity = table->capacity;
    for (uint32_t i = 5; i < 9; i++) {
        fixture_despawn(f, entities[i]);
    }
    CHECK_EQUAL(capacity, table->capacity);
    micai_table_trim(&f->store, table);
    CHECK_EQUAL(8, table->capacity);
    CHECK_EQUAL(2, table->sheets.count);
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(fixture_holds(f, entities[i], i, 0));
        fixture_despawn(f, entities[i]);
    }
    micai_table_trim(&f->store, table);
    CHECK_EQUAL(0, table->capacity);
    CHECK_POINTER(NULL, table->sheets.items);
    CHECK(fixture_holds(f, fixture_spawn(f, table, 5), 5, 0));
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

// T8
TEST_WITH(fixture, f, a_table_admits_the_fast_path_if_its_rows_are_bytes)
{
    CHECK_EQUAL(MICAI_FAST_ALL, f->store.root->fast_paths);
    CHECK_EQUAL(MICAI_FAST_ALL,
                fixture_table(f, BIT(A) | BIT(B) | BIT(TAG_0) | BIT(E))->fast_paths);
    const uint32_t observed_alike = MICAI_FAST_UNOBSERVED | MICAI_FAST_UNMATCHED;
    CHECK_EQUAL(observed_alike, fixture_table(f, BIT(A) | BIT(HOOKED))->fast_paths);
    CHECK_EQUAL(observed_alike, fixture_table(f, BIT(MOVED))->fast_paths);
}

// T8
TEST_WITH(fixture, f, observing_a_type_closes_the_fast_path_of_its_tables)
{
    micai_table *a = fixture_table(f, BIT(A));
    micai_table *b = fixture_table(f, BIT(B));
    f->registry.list.items[A]->watched = MICAI_WATCH_ROWS;
    CHECK_EQUAL(MICAI_FAST_BYTES | MICAI_FAST_PLAIN, micai_table_find_fast_paths(&f->store, a));
    CHECK_EQUAL(MICAI_FAST_ALL, micai_table_find_fast_paths(&f->store, b));
    CHECK_BROKEN(f, "T8");
    micai_table_update_fast_paths(&f->store, a);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    f->registry.list.items[A]->watched = 0;
    micai_table_update_fast_paths(&f->store, a);
    CHECK_EQUAL(MICAI_FAST_ALL, a->fast_paths);
}

// T8, G5
TEST_WITH(fixture, f, a_table_that_is_updated_leaves_the_others_their_fast_paths)
{
    micai_table *a = fixture_table(f, BIT(A));
    micai_table *b = fixture_table(f, BIT(B));
    micai_table *hooked = fixture_table(f, BIT(HOOKED));
    mica_entity entities[12];
    fixture_spawn_many(f, a, 10, entities);
    fixture_spawn(f, b, 10);
    fixture_spawn(f, hooked, 11);
    const micai_transition *other = fixture_one(f, b, E, false);
    const micai_transition *own = fixture_one(f, a, E, false); // of the same type
    const micai_transition *back = fixture_one(f, own->target, E, true);
    const micai_transition *elsewhere = fixture_one(f, b, TAG_0, false);

    for (uint32_t i = 0; i < 2; i++) { // the second time nothing changes
        fixture_set_bytes(f, a, false);
        CHECK(!micai_table_is_bytes(a));
        CHECK(micai_table_is_bytes(b) && micai_table_is_bytes(f->store.root));
        CHECK(!micai_transition_is_fast(own) && !micai_transition_is_fast(back));
        CHECK(micai_transition_is_fast(other) && micai_transition_is_fast(elsewhere));
    }
    fixture_set_bytes(f, a, true);
    CHECK_EQUAL(MICAI_FAST_ALL, a->fast_paths);
    CHECK(micai_transition_is_fast(own) && micai_transition_is_fast(back));
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));

    // Rows of a table with hooks are never bytes.
    fixture_set_bytes(f, hooked, false);
    fixture_set_bytes(f, hooked, true);
    CHECK(!micai_table_is_bytes(hooked));
    for (uint32_t i = 0; i < 10; i++) {
        CHECK(fixture_holds(f, entities[i], i, 0));
    }
}

TEST_WITH(fixture, f, a_value_is_filled_as_bytes_where_it_is_nothing_else)
{
    const micai_table *table = fixture_table(f, BIT(A) | BIT(MOVED) | BIT(HOOKED) | BIT(E));
    CHECK_EQUAL(1, micai_table_fill(table, 1).strip);
    CHECK_EQUAL(8, micai_table_fill(table, 1).size);
    CHECK_EQUAL(0, micai_table_fill(table, 2).strip);
    CHECK_EQUAL(0, micai_table_fill(table, 2).size);
    CHECK_EQUAL(0, micai_table_fill(table, 3).strip);
    CHECK_EQUAL(4, micai_table_fill(table, 4).strip);
    CHECK_EQUAL(16, micai_table_fill(table, 4).size);
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
                mica_view_values spot = fixture_spot(&f, E, row.sheet->number);
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

// What was given as a value may lie in the pages that a sheet replaced.
TEST_WITH(fixture, f, a_value_in_pages_that_were_shed_is_followed_to_the_new_ones)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(MOVED));
    mica_entity entities[2];
    fixture_spawn_many(f, table, 2, entities);
    micai_store_clear_replaced(&f->store);
    const unsigned char *second = fixture_value(f, entities[1], MOVED);
    CHECK_POINTER(second, micai_store_follow(&f->store, second));
    CHECK_POINTER(NULL, micai_store_follow(&f->store, NULL));
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f->store, table, 1));
    REQUIRE(f->store.replaced != NULL);
    CHECK_POINTER(table, f->store.replaced->table);
    CHECK_POINTER(table->sheets.items[0], f->store.replaced->sheet);
    CHECK(fixture_value(f, entities[1], MOVED) != second);
    CHECK_POINTER(fixture_value(f, entities[1], MOVED), micai_store_follow(&f->store, second));
    CHECK_POINTER(f, micai_store_follow(&f->store, f)); // elsewhere
    CHECK_POINTER(NULL, micai_store_follow(&f->store, NULL));
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f->store, fixture_table(f, BIT(B)), 1));
    CHECK_POINTER(fixture_value(f, entities[1], MOVED), micai_store_follow(&f->store, second));
    CHECK_POINTER(NULL, f->store.replaced->next); // a first sheet sheds nothing
    micai_store_clear_replaced(&f->store);        // at the end of a change
    CHECK(!micai_store_has_moved(&f->store));
    CHECK_POINTER(second, micai_store_follow(&f->store, second));
}

// A change may make several tables grow, and be given values that lie in each of them.
TEST_WITH(fixture, f, values_of_all_tables_that_grow_in_one_change_are_followed)
{
    static const uint64_t bits[] = {BIT(A) | BIT(MOVED), BIT(B) | BIT(E), BIT(A) | BIT(HOOKED)};
    static const uint32_t types[] = {MOVED, E, A};
    micai_table *tables[3];
    mica_entity entities[3];
    const void *given[3];
    for (uint32_t i = 0; i < 3; i++) {
        tables[i] = fixture_table(f, bits[i]);
        REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f->store, tables[i], 1));
        entities[i] = fixture_spawn(f, tables[i], i + 1);
        given[i] = fixture_value(f, entities[i], types[i]);
    }
    CHECK(!micai_store_has_moved(&f->store));
    for (uint32_t i = 0; i < 3; i++) {
        REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f->store, tables[i], tables[i]->capacity));
        for (uint32_t k = 0; k < 3; k++) {
            const void *value = fixture_value(f, entities[k], types[k]);
            CHECK_EQUAL(k > i, value == given[k]);
            CHECK_POINTER(value, micai_store_follow(&f->store, given[k]));
        }
    }
    uint32_t count = 0;
    for (const micai_replaced *replaced = f->store.replaced; replaced;
         replaced = replaced->next, count++) {
        CHECK_POINTER(tables[2 - count], replaced->table); // the last one first
        CHECK_EQUAL(MICAI_ROWS_FIRST, replaced->rows);
        CHECK_EQUAL(replaced->table->layout.strip_count, replaced->page_count);
    }
    CHECK_EQUAL(3, count);
    size_t bytes = f->host->memory.bytes;
    micai_store_drop_replaced(&f->store, tables[1], NULL);
    CHECK(f->host->memory.bytes < bytes);
    CHECK_POINTER(given[1], micai_store_follow(&f->store, given[1]));
    CHECK_POINTER(fixture_value(f, entities[0], types[0]), micai_store_follow(&f->store, given[0]));
    micai_store_drop_replaced(&f->store, tables[2], tables[0]->sheets.items[0]); // another's sheet
    CHECK_POINTER(tables[2], f->store.replaced->table);
    micai_store_drop_replaced(&f->store, tables[2], tables[2]->sheets.items[0]);
    CHECK_POINTER(tables[0], f->store.replaced->table);
    CHECK_POINTER(NULL, f->store.replaced->next);
    micai_store_clear_replaced(&f->store);
    CHECK(!micai_store_has_moved(&f->store));
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(fixture_holds(f, entities[i], i + 1, 0));
    }
}

TEST_WITH(fixture, f, what_a_table_sheds_goes_with_the_table)
{
    micai_table *table = fixture_table(f, BIT(A));
    mica_entity entity = fixture_spawn(f, table, 1);
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f->store, table, table->capacity));
    CHECK(micai_store_has_moved(&f->store));
    fixture_despawn(f, entity);
    micai_store_take_back(&f->store, table->id);
    CHECK(!micai_store_has_moved(&f->store));
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
    ids[1] = (mica_entity){0};
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

static void validate_finds_wrong_fast_paths_of_a_table(void)
{
    breakable b;
    breakable_begin(&b);
    for (uint32_t bit = 1; bit <= MICAI_FAST_ALL; bit *= 2) {
        b.table->fast_paths ^= (uint8_t)bit;
        CHECK_BROKEN(&b.f, "T8");
        b.table->fast_paths ^= (uint8_t)bit;
    }
    fixture_set_bytes(&b.f, b.table, false);
    CHECK_BROKEN(&b.f, "T8");
    fixture_set_bytes(&b.f, b.table, true);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&b.f.store));
    fixture_end(&b.f);
}

TESTS(table, the_first_sheet_grows_by_doubling_and_then_others_follow,
      the_pages_of_a_small_sheet_lie_in_one_block, room_for_many_is_made_at_once,
      more_rows_than_can_be_numbered_are_refused, a_refused_row_leaves_the_count_as_it_was,
      room_stays_when_rows_go_until_it_is_trimmed,
      a_small_sheet_that_is_full_takes_rows_again_when_one_goes,
      a_table_admits_the_fast_path_if_its_rows_are_bytes,
      observing_a_type_closes_the_fast_path_of_its_tables,
      a_table_that_is_updated_leaves_the_others_their_fast_paths,
      a_value_is_filled_as_bytes_where_it_is_nothing_else,
      growth_that_is_refused_leaves_the_rows_as_they_were,
      a_value_in_pages_that_were_shed_is_followed_to_the_new_ones,
      values_of_all_tables_that_grow_in_one_change_are_followed,
      what_a_table_sheds_goes_with_the_table, validate_finds_a_row_that_is_not_its_entitys,
      validate_finds_a_small_sheet_in_the_middle, validate_finds_a_miscounted_capacity,
      validate_finds_a_lost_tail, validate_finds_wrong_fast_paths_of_a_table)
