#include "store/table/directory.h"

#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

_Static_assert(MICAI_INDEX_BLOCK_SIZE == 2 && MICAI_DIRECTORY_SMALL == 8,
               "these tests count sheets of small blocks");

// A directory of a host of its own, and two types in no registry.
typedef struct scene {
    test_host t;
    micai_host *host;
    micai_directory directory;
    micai_type five, nine;
} scene;

static void scene_begin(scene *s)
{
    *s = (scene){.five = {.number = 5, .info = {.size = 8, .type = {.bits = 55}}},
                 .nine = {.number = 9, .info = {.size = 4, .type = {.bits = 99}}}};
    s->host = test_host_begin(&s->t);
}

static void scene_end(scene *s)
{
    micai_directory_free(s->host, &s->directory);
    CHECK_EQUAL(0, s->directory.view.type_count);
    test_host_end(&s->t);
}

// As a new sheet does it.
static mica_result reserve(scene *s, uint32_t type, uint32_t sheet)
{
    mica_result result = micai_directory_grow(s->host, &s->directory, sheet + 1);
    return result ? result : micai_directory_reserve(s->host, &s->directory, type, sheet);
}

TEST_WITH(scene, s, a_type_is_known_once_it_was_entered)
{
    CHECK_EQUAL(MICA_OK, micai_directory_enter(s->host, &s->directory, &s->nine));
    CHECK_EQUAL(10, s->directory.view.type_count);
    CHECK_EQUAL(99, s->directory.view.types[9]->bits);
    CHECK_EQUAL(4, s->directory.view.types[9]->size);
    for (uint32_t n = 0; n < 9; n++) { // handles of types that no table has had are nobody's
        CHECK_EQUAL(0, s->directory.view.types[n]->bits);
        CHECK_EQUAL(0, s->directory.view.types[n]->block_count);
    }
    CHECK_EQUAL(MICA_OK, micai_directory_enter(s->host, &s->directory, &s->five));
    CHECK_EQUAL(10, s->directory.view.type_count);
    CHECK_EQUAL(55, s->directory.view.types[5]->bits);
    CHECK_EQUAL(8, s->directory.view.types[5]->size);
}

TEST_WITH(scene, s, shelves_are_made_where_there_is_something_to_put)
{
    REQUIRE_EQUAL(MICA_OK, micai_directory_enter(s->host, &s->directory, &s->five));
    REQUIRE_EQUAL(MICA_OK, reserve(s, 5, 21));
    for (uint32_t sheet = 0; sheet < 40; sheet++) {
        mica_view_values *spot = micai_directory_pointer(&s->directory, 5, sheet);
        CHECK_EQUAL(sheet == 20 || sheet == 21, spot != NULL);
        CHECK(!spot || (!spot->data && !spot->tick));
    }
    CHECK_POINTER(NULL, micai_directory_pointer(&s->directory, 5, UINT32_MAX));
    mica_view_values *spot = micai_directory_pointer(&s->directory, 5, 21);
    spot->data = (unsigned char *)s;
    REQUIRE_EQUAL(MICA_OK, reserve(s, 5, 2));
    REQUIRE_EQUAL(MICA_OK, reserve(s, 5, 400));
    CHECK_POINTER(spot, micai_directory_pointer(&s->directory, 5, 21)); // spots do not move
    CHECK_POINTER(s, spot->data);
    CHECK(micai_directory_pointer(&s->directory, 5, 2) != NULL);
    CHECK_POINTER(NULL, micai_directory_pointer(&s->directory, 5, 4));
    uint64_t allocations = s->t.memory.allocations;
    CHECK_EQUAL(MICA_OK, reserve(s, 5, 3));
    CHECK_EQUAL(MICA_OK, reserve(s, 5, 401));
    CHECK_EQUAL(allocations, s->t.memory.allocations);
}

TEST_WITH(scene, s, growing_sheet_by_sheet_copies_shelves_rarely)
{
    REQUIRE_EQUAL(MICA_OK, micai_directory_enter(s->host, &s->directory, &s->five));
    uint64_t before = s->t.memory.allocations;
    for (uint32_t sheet = 0; sheet < 2000; sheet++) {
        REQUIRE_EQUAL(MICA_OK, reserve(s, 5, sheet));
    }
    CHECK(s->t.memory.allocations - before < 1000 + 60); // a shelf for two sheets, and the lists
}

TEST_WITH(scene, s, shelves_on_which_nothing_is_are_given_back)
{
    REQUIRE_EQUAL(MICA_OK, micai_directory_enter(s->host, &s->directory, &s->five));
    for (uint32_t sheet = 0; sheet < 8; sheet++) {
        REQUIRE_EQUAL(MICA_OK, reserve(s, 5, sheet));
    }
    uint64_t blocks = s->t.memory.blocks;
    micai_directory_pointer(&s->directory, 5, 3)->data = (unsigned char *)s;
    micai_directory_trim(s->host, &s->directory);
    CHECK_EQUAL(blocks - 3, s->t.memory.blocks);
    for (uint32_t sheet = 0; sheet < 8; sheet++) {
        CHECK_EQUAL(sheet / 2 == 1, micai_directory_pointer(&s->directory, 5, sheet) != NULL);
    }
    CHECK_POINTER(s, micai_directory_pointer(&s->directory, 5, 3)->data);
    CHECK_EQUAL(MICA_OK, reserve(s, 5, 7));
    CHECK_POINTER(NULL, micai_directory_pointer(&s->directory, 5, 7)->data);
}

// D5: what was put there before is found by number alone, and so is what comes later.
TEST_WITH(scene, s, flat_shelves_lie_side_by_side_however_they_grow)
{
    REQUIRE_EQUAL(MICA_OK, micai_directory_enter(s->host, &s->directory, &s->five));
    REQUIRE_EQUAL(MICA_OK, reserve(s, 5, 3));
    REQUIRE_EQUAL(MICA_OK, reserve(s, 5, 20));
    const mica_view_type *entry = s->directory.view.types[5];
    micai_directory_pointer(&s->directory, 5, 3)->data = (unsigned char *)&s->five;
    micai_directory_pointer(&s->directory, 5, 20)->data = (unsigned char *)&s->nine;
    CHECK_POINTER(NULL, entry->flat);
    REQUIRE_EQUAL(MICA_OK, micai_directory_flatten(s->host, &s->directory, 5));
    uint64_t blocks = s->t.memory.blocks;
    CHECK_EQUAL(MICA_OK, micai_directory_flatten(s->host, &s->directory, 5)); // it is
    REQUIRE_EQUAL(MICA_OK, reserve(s, 5, 400));
    micai_directory_pointer(&s->directory, 5, 400)->data = (unsigned char *)s;
    micai_directory_trim(s->host, &s->directory); // as one block it stays
    CHECK_EQUAL(blocks, s->t.memory.blocks);
    for (uint32_t sheet = 0; sheet <= 400; sheet++) {
        const mica_view_values *spot = mica_view_find_flat(entry, sheet << MICA_VIEW_ROW_SHIFT);
        CHECK_POINTER(entry->flat + sheet, spot);
        CHECK_POINTER(spot, mica_view_find(entry, sheet << MICA_VIEW_ROW_SHIFT));
        const void *put = sheet == 3 ? (void *)&s->five : sheet == 20 ? (void *)&s->nine : NULL;
        CHECK_POINTER(sheet == 400 ? s : put, spot->data);
    }
}

// Hidden from those who look for values, not from those who keep the spots; and whatever grows
// meanwhile.
TEST_WITH(scene, s, a_hidden_type_shows_no_spots)
{
    REQUIRE_EQUAL(MICA_OK, micai_directory_enter(s->host, &s->directory, &s->five));
    REQUIRE_EQUAL(MICA_OK, reserve(s, 5, 1));
    mica_view_values *spot = micai_directory_pointer(&s->directory, 5, 1);
    const uint32_t where = UINT32_C(1) << MICA_VIEW_ROW_SHIFT;
    spot->data = (unsigned char *)s;
    CHECK_POINTER(spot, mica_view_find(s->directory.view.types[5], where));
    CHECK(!micai_directory_is_hidden(&s->directory, 5));
    micai_directory_hide(&s->directory, 5, true);
    REQUIRE_EQUAL(MICA_OK, micai_directory_enter(s->host, &s->directory, &s->nine));
    REQUIRE_EQUAL(MICA_OK, reserve(s, 5, 300));
    CHECK(micai_directory_is_hidden(&s->directory, 5) &&
          !micai_directory_is_hidden(&s->directory, 9));
    for (uint32_t sheet = 0; sheet <= 300; sheet++) {
        CHECK_POINTER(
            NULL, mica_view_find(s->directory.view.types[5], sheet << MICA_VIEW_ROW_SHIFT)->data);
    }
    CHECK_POINTER(spot, micai_directory_pointer(&s->directory, 5, 1));
    micai_directory_hide(&s->directory, 5, false);
    CHECK_POINTER(spot, mica_view_find(s->directory.view.types[5], where));
}

// The same of flat blocks, whether they became so before or after; and of those that nobody hides.
static void a_hidden_flat_type_shows_no_spots(void)
{
    for (uint32_t late = 0; late < 2; late++) {
        scene s;
        scene_begin(&s);
        REQUIRE_EQUAL(MICA_OK, micai_directory_enter(s.host, &s.directory, &s.five));
        REQUIRE_EQUAL(MICA_OK, micai_directory_enter(s.host, &s.directory, &s.nine));
        REQUIRE_EQUAL(MICA_OK, reserve(&s, 5, 1));
        micai_directory_pointer(&s.directory, 5, 1)->data = (unsigned char *)&s;
        const mica_view_type *entry = s.directory.view.types[5];
        for (uint32_t turn = 0; turn < 2; turn++) {
            if (turn == late) {
                REQUIRE_EQUAL(MICA_OK, micai_directory_flatten(s.host, &s.directory, 5));
            } else {
                micai_directory_hide(&s.directory, 5, true);
            }
        }
        REQUIRE_EQUAL(MICA_OK, micai_directory_flatten(s.host, &s.directory, 9));
        REQUIRE_EQUAL(MICA_OK, reserve(&s, 5, 300));
        CHECK(micai_directory_is_hidden(&s.directory, 5));
        for (uint32_t sheet = 0; sheet <= 300; sheet++) {
            const uint32_t where = sheet << MICA_VIEW_ROW_SHIFT;
            CHECK_POINTER(NULL, mica_view_find_flat(entry, where)->data);
            CHECK_POINTER(NULL, mica_view_find(entry, where)->data);
        }
        CHECK_POINTER(s.directory.view.types[9]->visible_flat, s.directory.view.types[9]->flat);
        micai_directory_hide(&s.directory, 5, false);
        const uint32_t where = UINT32_C(1) << MICA_VIEW_ROW_SHIFT;
        CHECK_POINTER(&s, mica_view_find_flat(entry, where)->data);
        CHECK_POINTER(mica_view_find(entry, where), mica_view_find_flat(entry, where));
        scene_end(&s);
    }
}

static void a_refused_spot_leaves_the_directory_as_it_was(void)
{
    for (uint64_t k = 1;; k++) {
        scene s;
        scene_begin(&s);
        REQUIRE_EQUAL(MICA_OK, micai_directory_enter(s.host, &s.directory, &s.five));
        REQUIRE_EQUAL(MICA_OK, reserve(&s, 5, 0));
        mica_view_values *spot = micai_directory_pointer(&s.directory, 5, 0);
        spot->data = (unsigned char *)&s;
        test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = micai_directory_enter(s.host, &s.directory, &s.nine);
        result = result ? result : reserve(&s, 5, 30);
        result = result ? result : reserve(&s, 9, 1);
        result = result ? result : micai_directory_flatten(s.host, &s.directory, 9);
        result = result ? result : reserve(&s, 9, 99);
        bool was_refused = s.t.memory.refusals > 0;
        CHECK_EQUAL(was_refused ? MICA_ERROR_MEMORY : MICA_OK, result);
        CHECK_EQUAL(was_refused, test_error_clear(&s.t.error));
        CHECK_POINTER(spot, micai_directory_pointer(&s.directory, 5, 0));
        CHECK_POINTER(&s, spot->data);
        CHECK_EQUAL(55, s.directory.view.types[5]->bits);
        test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_OK, micai_directory_enter(s.host, &s.directory, &s.nine));
        CHECK_EQUAL(MICA_OK, reserve(&s, 9, 1));
        CHECK_EQUAL(MICA_OK, micai_directory_flatten(s.host, &s.directory, 9));
        CHECK_EQUAL(MICA_OK, reserve(&s, 9, 99));
        const mica_view_type *entry = s.directory.view.types[9];
        CHECK_POINTER(entry->flat + 99, micai_directory_pointer(&s.directory, 9, 99));
        scene_end(&s);
        if (!was_refused) {
            break;
        }
    }
}

// In a store

TEST_WITH(fixture, f, tables_enter_the_types_they_have_columns_of)
{
    CHECK_EQUAL(0, f->store.directory.view.type_count);
    fixture_table(f, BIT(TAG_0) | BIT(B));
    const mica_view_store *view = &f->store.directory.view;
    REQUIRE_EQUAL(B + 1, view->type_count);
    CHECK_EQUAL(0, view->types[TAG_0]->bits); // a tag has no values to be found
    CHECK_EQUAL(0, view->types[A]->bits);
    CHECK_EQUAL(f->registry.list.items[B]->info.type.bits, view->types[B]->bits);
    CHECK_EQUAL(4, view->types[B]->size);
    fixture_table(f, BIT(A));
    CHECK_EQUAL(f->registry.list.items[A]->info.type.bits, view->types[A]->bits);
}

// Has every sheet of a table the right spots, if it is one that has any?
static void check_spots(fixture *f, const micai_table *table)
{
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        micai_sheet *sheet = table->sheets.items[i];
        bool expected = sheet->number < MICAI_DIRECTORY_SMALL || sheet->capacity > MICAI_ROWS_FIRST;
        for (uint32_t n = 0; n < TYPES; n++) {
            mica_view_values spot = fixture_spot(f, n, sheet->number);
            uint32_t column = micai_table_column(table, n);
            bool there = expected && column;
            CHECK_POINTER(there ? sheet->pages[column].data : NULL, spot.data);
            CHECK_POINTER(there ? &sheet->pages[column].tick : NULL, spot.tick);
        }
    }
}

// D1
TEST_WITH(fixture, f, a_spot_follows_a_small_sheet_that_grows)
{
    micai_table *table = fixture_table(f, BIT(TAG_0) | BIT(A) | BIT(MOVED) | BIT(E));
    const unsigned char *before = NULL;
    for (uint32_t i = 0; i < 21; i++) {
        mica_entity entity = fixture_spawn(f, table, i);
        check_spots(f, table);
        micai_row row = fixture_row(f, entity);
        mica_view_values spot = fixture_spot(f, A, row.sheet->number);
        CHECK_POINTER(fixture_value(f, entity, A), spot.data + row.offset * 8);
        if (i == 1 || i == 2) {
            CHECK(spot.data != before); // it grew
        }
        before = spot.data;
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    }
}

// D2: small sheets have spots while there are few sheets, and larger ones always.
TEST_WITH(fixture, f, small_sheets_of_a_world_with_many_sheets_have_no_spots)
{
    for (uint32_t i = 0; i < 12; i++) {
        fixture_register(f, TYPES + i, 0);
        micai_table *table = fixture_table(f, BIT(A) | BIT(B) | BIT(TYPES + i));
        mica_entity entity = fixture_spawn(f, table, i);
        REQUIRE_EQUAL(i, table->sheets.items[0]->number);
        CHECK_EQUAL(i < MICAI_DIRECTORY_SMALL, fixture_spot(f, A, i).data != NULL);
        check_spots(f, table);
        CHECK(fixture_holds(f, entity, i, 0));
    }
    for (uint32_t i = 0; i < 12; i++) { // a second row makes each of them larger
        micai_table *table = fixture_table(f, BIT(A) | BIT(B) | BIT(TYPES + i));
        fixture_spawn(f, table, 1);
        CHECK(fixture_spot(f, A, i).data != NULL);
        check_spots(f, table);
    }
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
}

// D2
TEST_WITH(fixture, f, spots_go_with_freed_sheets)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(HOOKED));
    mica_entity entities[30];
    fixture_spawn_many(f, table, 30, entities);
    uint32_t sheets = f->store.sheets.count;
    for (uint32_t i = 30; i-- > 5;) {
        fixture_despawn(f, entities[i]);
    }
    micai_table_trim(&f->store, table);
    for (uint32_t number = 0; number < sheets; number++) {
        CHECK_EQUAL(f->store.sheets.items[number] != NULL, fixture_spot(f, A, number).data != NULL);
        CHECK_EQUAL(f->store.sheets.items[number] != NULL,
                    fixture_spot(f, HOOKED, number).tick != NULL);
    }
    // A number that is used again for another table has that table's spots alone.
    micai_table *other = fixture_table(f, BIT(B) | BIT(HOOKED));
    for (uint32_t i = 0; i < 20; i++) {
        fixture_spawn(f, other, i);
    }
    check_spots(f, table);
    check_spots(f, other);
    micai_store_clear(&f->store);
    micai_slots_clear(f->host, &f->slots);
    fixture_reclaim(f);
    for (uint32_t number = 0; number < sheets; number++) {
        for (uint32_t n = 0; n < TYPES; n++) {
            CHECK_POINTER(NULL, fixture_spot(f, n, number).data);
            CHECK_POINTER(NULL, fixture_spot(f, n, number).tick);
        }
    }
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
}

TEST_WITH(fixture, f, validate_finds_a_spot_that_is_wrong)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(B));
    mica_entity entities[6];
    fixture_spawn_many(f, table, 6, entities);
    micai_sheet *sheet = table->sheets.items[0];
    mica_view_values *spot = micai_directory_pointer(&f->store.directory, A, sheet->number);
    const mica_view_values right = *spot;
    spot->data += 8;
    CHECK_BROKEN(f, "D1");
    *spot = right;
    spot->data = sheet->pages[2].data;
    CHECK_BROKEN(f, "D1");
    *spot = right;
    spot->tick = &sheet->pages[2].tick;
    CHECK_BROKEN(f, "D1");
    *spot = right;
    spot->data = NULL; // a page without data would be written, too
    CHECK_BROKEN(f, "D1");
    *spot = right;
    spot->written_tick = *spot->tick + 1; // a write then would not count
    CHECK_BROKEN(f, "D1");
    spot->written_tick = *spot->tick;
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    spot->tick = NULL; // a page that may not be written would be
    spot->written_tick = 1;
    CHECK_BROKEN(f, "D1");
    *spot = (mica_view_values){0}; // is always right
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    spot->written_tick = 1;
    CHECK_BROKEN(f, "D1");
    *spot = right;
    spot->tick = NULL; // it may be read only
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    *spot = right;
}

TEST_WITH(fixture, f, validate_finds_a_spot_where_there_is_nothing)
{
    micai_table *table = fixture_table(f, BIT(A));
    micai_table *other = fixture_table(f, BIT(B));
    fixture_spawn(f, table, 1);
    fixture_spawn(f, other, 2);
    micai_sheet *sheet = table->sheets.items[0];
    REQUIRE_EQUAL(0, sheet->number);
    mica_view_values *spot =
        micai_directory_pointer(&f->store.directory, A, 1); // that is the other's
    REQUIRE(spot != NULL);
    *spot = fixture_spot(f, A, 0);
    CHECK_BROKEN(f, "D2");
    spot->data = NULL;
    CHECK_BROKEN(f, "D2");
    *spot = (mica_view_values){.written_tick = 1};
    CHECK_BROKEN(f, "D2");
    *spot = (mica_view_values){0};
    REQUIRE_EQUAL(MICA_OK, micai_directory_grow(f->host, &f->store.directory, 4));
    REQUIRE_EQUAL(MICA_OK, micai_directory_reserve(f->host, &f->store.directory, A, 3));
    spot = micai_directory_pointer(&f->store.directory, A, 3); // no sheet has that number
    *spot = fixture_spot(f, A, 0);
    CHECK_BROKEN(f, "D2");
    *spot = (mica_view_values){0};
}

TESTS(directory, a_type_is_known_once_it_was_entered,
      shelves_are_made_where_there_is_something_to_put,
      growing_sheet_by_sheet_copies_shelves_rarely, shelves_on_which_nothing_is_are_given_back,
      flat_shelves_lie_side_by_side_however_they_grow, a_hidden_type_shows_no_spots,
      a_hidden_flat_type_shows_no_spots, a_refused_spot_leaves_the_directory_as_it_was,
      tables_enter_the_types_they_have_columns_of, a_spot_follows_a_small_sheet_that_grows,
      small_sheets_of_a_world_with_many_sheets_have_no_spots, spots_go_with_freed_sheets,
      validate_finds_a_spot_that_is_wrong, validate_finds_a_spot_where_there_is_nothing)
