// Whole tables by transitions, in every situation of source and target.
#include "store/table/transfer.h"

#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

enum { ROWS_MAX = 40 };

// What changes on the way.
typedef enum change {
    ADD_DEFAULT,
    ADD_DATA,
    ADD_TAG,
    ADD_HOOKED,
    REMOVE_HOOKED,
    REMOVE_PLAIN,
    SEVERAL,
    CHANGES
} change;

static const struct {
    uint64_t from, to;
    uint32_t number; // of the one type
} changes[CHANGES] = {
    [ADD_DEFAULT] = {BIT(A) | BIT(MOVED), BIT(A) | BIT(MOVED) | BIT(E), E},
    [ADD_DATA] = {BIT(A) | BIT(HOOKED), BIT(A) | BIT(B) | BIT(HOOKED), B},
    [ADD_TAG] = {BIT(A) | BIT(MOVED) | BIT(HOOKED), BIT(A) | BIT(MOVED) | BIT(HOOKED) | BIT(TAG_3),
                 TAG_3},
    [ADD_HOOKED] = {BIT(A) | BIT(E) | BIT(HOOKED), BIT(A) | BIT(E) | BIT(HOOKED) | BIT(MOVED),
                    MOVED},
    [REMOVE_HOOKED] = {BIT(A) | BIT(MOVED) | BIT(HOOKED), BIT(A) | BIT(MOVED), HOOKED},
    [REMOVE_PLAIN] = {BIT(A) | BIT(B) | BIT(MOVED), BIT(B) | BIT(MOVED), A},
    [SEVERAL] = {BIT(A) | BIT(MOVED) | BIT(TAG_0), BIT(B) | BIT(HOOKED) | BIT(MOVED) | BIT(E), 0},
};

// Rows of source and target, and how many more each once had: the room is still there.
typedef struct situation {
    change what;
    uint32_t source, target;
    uint32_t source_spare, target_spare;
} situation;

typedef struct scene {
    fixture f;
    situation s;
    micai_transition *t;
    uint32_t data;
    mica_entity moving[ROWS_MAX]; // number: index
    mica_entity there[ROWS_MAX];  // number: 1000 + index
} scene;

static void fill_table(fixture *f, micai_table *table, uint32_t rows, uint32_t spare,
                       uint32_t number, mica_entity *entities)
{
    for (uint32_t i = 0; i < rows + spare; i++) {
        entities[i] = fixture_spawn(f, table, number + i);
    }
    for (uint32_t i = rows + spare; i-- > rows;) {
        fixture_despawn(f, entities[i]);
    }
}

static void begin(scene *c, situation s)
{
    fixture_begin(&c->f);
    c->s = s;
    c->data = 4711;
    micai_table *source = fixture_table(&c->f, changes[s.what].from);
    bool remove = (changes[s.what].to & BIT(changes[s.what].number)) == 0;
    c->t = s.what == SEVERAL ? fixture_to(&c->f, source, changes[s.what].to)
                             : fixture_one(&c->f, source, changes[s.what].number, remove);
    REQUIRE(c->t != NULL);
    fill_table(&c->f, source, s.source, s.source_spare, 0, c->moving);
    fill_table(&c->f, c->t->target, s.target, s.target_spare, 1000, c->there);
    c->f.store.row_moves = 0;
}

static const void *data_of(const scene *c)
{
    return c->s.what == ADD_DATA ? &c->data : NULL;
}

static uint32_t tracked_columns(uint64_t bits)
{
    return (bits & BIT(MOVED) ? 1 : 0) + (bits & BIT(HOOKED) ? 1 : 0);
}

static void check_before(scene *c)
{
    for (uint32_t i = 0; i < c->s.source; i++) {
        CHECK(fixture_holds(&c->f, c->moving[i], i, 0));
        CHECK_POINTER(c->t->source, fixture_table_of(&c->f, c->moving[i]));
        CHECK_EQUAL(i, micai_row_number(fixture_row(&c->f, c->moving[i])));
    }
    for (uint32_t i = 0; i < c->s.target; i++) {
        CHECK(fixture_holds(&c->f, c->there[i], 1000 + i, 0));
        CHECK_EQUAL(i, micai_row_number(fixture_row(&c->f, c->there[i])));
    }
    CHECK_EQUAL(MICA_OK, micai_store_validate(&c->f.store));
    CHECK_TRACKED(&c->f.tracker, c->s.source * tracked_columns(changes[c->s.what].from) +
                                     c->s.target * tracked_columns(changes[c->s.what].to));
}

static void check_after(scene *c)
{
    uint64_t added = changes[c->s.what].to & ~changes[c->s.what].from;
    uint64_t both = changes[c->s.what].to & changes[c->s.what].from;
    for (uint32_t i = 0; i < c->s.source; i++) {
        CHECK_POINTER(c->t->target, fixture_table_of(&c->f, c->moving[i]));
        if (c->s.what == ADD_DATA) {
            uint32_t *b = fixture_value(&c->f, c->moving[i], B);
            CHECK_EQUAL(4711, *b);
            *b = 3 * i;
            added = 0;
        }
        CHECK(fixture_holds(&c->f, c->moving[i], i, added));
    }
    for (uint32_t i = 0; i < c->s.target; i++) {
        CHECK_POINTER(c->t->target, fixture_table_of(&c->f, c->there[i]));
        CHECK(fixture_holds(&c->f, c->there[i], 1000 + i, 0));
    }
    CHECK_EQUAL(0, c->t->source->count);
    CHECK_EQUAL(c->s.source + c->s.target, c->t->target->count);
    CHECK(both != 0);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&c->f.store));
    CHECK_TRACKED(&c->f.tracker,
                  (c->s.source + c->s.target) * tracked_columns(changes[c->s.what].to));
}

// Full sheets cost no row; so does the rest, if the target has no part-filled sheet.
static void check_cost(scene *c, uint32_t copies_before, uint32_t moves_before)
{
    uint32_t rest = c->s.source % MICAI_ROWS;
    bool handed = rest > 0 && c->s.target % MICAI_ROWS == 0;
    uint32_t sheets = c->s.source / MICAI_ROWS + handed;
    CHECK_EQUAL(sheets * (c->t->strip_count + c->t->careful_count), c->f.store.page_moves);
    if (handed || rest == 0) {
        CHECK_EQUAL(0, c->f.store.row_moves);
    } else {
        CHECK(c->f.store.row_moves >= rest && c->f.store.row_moves < 2 * rest);
    }
    if (sheets * MICAI_ROWS >= c->s.source) {
        CHECK_EQUAL(copies_before, c->f.tracker.copies);
        CHECK_EQUAL(moves_before, c->f.tracker.moves);
    }
}

static void run(situation s)
{
    scene c;
    begin(&c, s);
    check_before(&c);
    uint32_t copies = c.f.tracker.copies;
    uint32_t moves = c.f.tracker.moves;
    micai_transfer transfer;
    REQUIRE_EQUAL(MICA_OK, micai_transfer_reserve(&c.f.store, c.t, data_of(&c), &transfer));
    micai_transfer_commit(&c.f.store, &transfer, c.f.tick);
    CHECK_EQUAL(s.source, transfer.rows);
    check_cost(&c, copies, moves);
    check_after(&c);
    // Both tables go on as any other.
    CHECK(fixture_holds(&c.f, fixture_spawn(&c.f, c.t->target, 500), 500, 0));
    CHECK(fixture_holds(&c.f, fixture_spawn(&c.f, c.t->source, 501), 501, 0));
    for (uint32_t i = 0; i < s.source; i++) {
        fixture_despawn(&c.f, c.moving[i]);
    }
    for (uint32_t i = 0; i < s.target; i++) {
        CHECK(fixture_holds(&c.f, c.there[i], 1000 + i, 0));
    }
    fixture_end(&c.f);
}

static void all_rows_arrive_in_an_empty_table(void)
{
    for (uint32_t what = 0; what < CHANGES; what++) {
        for (uint32_t rows = 1; rows < 20; rows++) {
            run((situation){.what = (change)what, .source = rows});
        }
    }
}

static void all_rows_arrive_beside_those_that_are_there(void)
{
    for (uint32_t what = 0; what < CHANGES; what++) {
        for (uint32_t rows = 1; rows < 11; rows++) {
            for (uint32_t there = 1; there < 10; there++) {
                run((situation){.what = (change)what, .source = rows, .target = there});
            }
        }
    }
}

static void all_rows_arrive_where_there_is_room_already(void)
{
    for (uint32_t what = 0; what < CHANGES; what++) {
        for (uint32_t rows = 1; rows < 10; rows++) {
            for (uint32_t there = 0; there < 6; there++) {
                run((situation){
                    .what = (change)what, .source = rows, .target = there, .target_spare = 1});
                run((situation){
                    .what = (change)what, .source = rows, .target = there, .target_spare = 9});
            }
        }
    }
}

static void rows_leave_a_table_that_keeps_its_room(void)
{
    for (uint32_t what = 0; what < CHANGES; what++) {
        for (uint32_t rows = 1; rows < 10; rows++) {
            run((situation){.what = (change)what, .source = rows, .source_spare = 7});
            run((situation){.what = (change)what, .source = rows, .source_spare = 1, .target = 2});
        }
    }
}

static void tables_travel_there_and_back(void)
{
    scene c;
    begin(&c, (situation){.what = ADD_DEFAULT, .source = 18});
    micai_transition *back = fixture_one(&c.f, c.t->target, E, true);
    for (int round = 0; round < 5; round++) {
        micai_transfer transfer;
        REQUIRE_EQUAL(MICA_OK, micai_transfer_reserve(&c.f.store, c.t, NULL, &transfer));
        micai_transfer_commit(&c.f.store, &transfer, c.f.tick);
        check_after(&c);
        REQUIRE_EQUAL(MICA_OK, micai_transfer_reserve(&c.f.store, back, NULL, &transfer));
        micai_transfer_commit(&c.f.store, &transfer, c.f.tick);
        check_before(&c);
    }
    CHECK_EQUAL(0, c.f.store.row_moves);
    fixture_end(&c.f);
}

static void a_cancelled_transfer_leaves_all_as_it_was(void)
{
    for (uint32_t what = 0; what < CHANGES; what++) {
        for (uint32_t rows = 1; rows < 8; rows++) {
            for (uint32_t there = 0; there < 4; there++) {
                scene c;
                begin(&c, (situation){.what = (change)what, .source = rows, .target = there});
                micai_transfer transfer;
                REQUIRE_EQUAL(MICA_OK,
                              micai_transfer_reserve(&c.f.store, c.t, data_of(&c), &transfer));
                micai_transfer_cancel(&c.f.store, &transfer);
                check_before(&c);
                CHECK_EQUAL(0, c.f.store.page_moves);
                fixture_end(&c.f);
            }
        }
    }
}

// S0.8
static void a_transfer_without_memory_leaves_all_as_it_was(void)
{
    for (uint32_t what = 0; what < CHANGES; what++) {
        for (uint32_t there = 0; there < 2; there++) {
            scene c;
            begin(&c, (situation){.what = (change)what, .source = 15, .target = there});
            for (uint64_t k = 1;; k++) {
                micai_transfer transfer;
                test_memory_fail_at(&c.f.t.memory, k, TEST_MEMORY_ONCE);
                mica_result result =
                    micai_transfer_reserve(&c.f.store, c.t, data_of(&c), &transfer);
                bool was_refused = c.f.t.memory.refusals > 0;
                test_memory_fail_at(&c.f.t.memory, 0, TEST_MEMORY_ONCE);
                CHECK_EQUAL(was_refused ? MICA_ERROR_MEMORY : MICA_OK, result);
                CHECK_EQUAL(was_refused, test_error_clear(&c.f.t.error));
                if (result == MICA_OK) {
                    micai_transfer_commit(&c.f.store, &transfer, c.f.tick);
                    check_after(&c);
                    break;
                }
                check_before(&c);
            }
            fixture_end(&c.f);
        }
    }
}

static void a_hook_that_fails_leaves_all_as_it_was(void)
{
    for (uint32_t there = 0; there < 3; there++) {
        for (uint32_t which = 1; which <= 15; which++) {
            scene c;
            begin(&c, (situation){.what = ADD_HOOKED, .source = 15, .target = there});
            micai_transfer transfer;
            c.f.tracker.until_failure = which;
            CHECK_EQUAL(MICA_ERROR_HOOK, micai_transfer_reserve(&c.f.store, c.t, NULL, &transfer));
            CHECK_ERROR(&c.f.t, MICA_ERROR_HOOK, "the construct hook of 'Moved' failed");
            check_before(&c);

            // The same with a value to copy.
            tracked value = tracked_make(&c.f.tracker, 3);
            c.f.tracker.until_failure = which;
            CHECK_EQUAL(MICA_ERROR_HOOK,
                        micai_transfer_reserve(&c.f.store, c.t, &value, &transfer));
            CHECK_ERROR(&c.f.t, MICA_ERROR_HOOK, "the copy hook of 'Moved' failed");
            tracked_drop(&c.f.tracker, &value);
            check_before(&c);
            fixture_end(&c.f);
        }
    }
}

static void columns_made_before_one_that_fails_are_ended(void)
{
    for (uint32_t which = 1; which <= 10; which++) {
        fixture f;
        fixture_begin(&f);
        micai_table *source = fixture_table(&f, BIT(A));
        micai_transition *t = fixture_to(&f, source, BIT(A) | BIT(MOVED) | BIT(HOOKED));
        mica_entity entities[5];
        for (uint32_t i = 0; i < 5; i++) {
            entities[i] = fixture_spawn(&f, source, i);
        }
        micai_transfer transfer;
        f.tracker.until_failure = which;
        CHECK_EQUAL(MICA_ERROR_HOOK, micai_transfer_reserve(&f.store, t, NULL, &transfer));
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        CHECK_TRACKED(&f.tracker, 0);
        CHECK_EQUAL(5, source->count);
        REQUIRE_EQUAL(MICA_OK, micai_transfer_reserve(&f.store, t, NULL, &transfer));
        micai_transfer_commit(&f.store, &transfer, f.tick);
        CHECK_TRACKED(&f.tracker, 10);
        for (uint32_t i = 0; i < 5; i++) {
            CHECK(fixture_holds(&f, entities[i], i, BIT(MOVED) | BIT(HOOKED)));
        }
        fixture_end(&f);
    }
}

static void a_value_with_hooks_is_copied_for_every_row(void)
{
    scene c;
    begin(&c, (situation){.what = ADD_HOOKED, .source = 7, .target = 1});
    tracked value = tracked_make(&c.f.tracker, 33);
    micai_transfer transfer;
    REQUIRE_EQUAL(MICA_OK, micai_transfer_reserve(&c.f.store, c.t, &value, &transfer));
    micai_transfer_commit(&c.f.store, &transfer, c.f.tick);
    tracked_drop(&c.f.tracker, &value);
    for (uint32_t i = 0; i < 7; i++) {
        CHECK(tracked_is(&c.f.tracker, fixture_value(&c.f, c.moving[i], MOVED), 33));
    }
    CHECK_TRACKED(&c.f.tracker, 2 * 8);
    fixture_end(&c.f);
}

// D1, D2: spots of what both have follow the sheet, those of removed types go, those of added ones
// come. Is every spot what the sheets say, for all types and sheets?
static void check_spots(const fixture *f)
{
    for (uint32_t number = 0; number < f->store.sheets.count; number++) {
        micai_sheet *sheet = f->store.sheets.items[number];
        for (uint32_t n = 0; n < TYPES; n++) {
            uint32_t column = sheet ? micai_table_column(sheet->table, n) : 0;
            bool expected =
                column && (number < MICAI_DIRECTORY_SMALL || sheet->capacity > MICAI_ROWS_FIRST);
            mica_view_values spot = fixture_spot(f, n, number);
            CHECK_POINTER(expected ? sheet->pages[column].data : NULL, spot.data);
            CHECK_POINTER(expected ? &sheet->pages[column].tick : NULL, spot.tick);
        }
    }
}

static void spots_travel_with_the_sheets(void)
{
    for (uint32_t what = 0; what < CHANGES; what++) {
        for (uint32_t rows = 1; rows < 20; rows += 3) {
            for (uint32_t there = 0; there < 6; there++) {
                scene c;
                begin(&c, (situation){.what = (change)what, .source = rows, .target = there});
                check_spots(&c.f);
                micai_transfer transfer;
                REQUIRE_EQUAL(MICA_OK,
                              micai_transfer_reserve(&c.f.store, c.t, data_of(&c), &transfer));
                check_spots(&c.f); // nothing has happened yet
                micai_transfer_commit(&c.f.store, &transfer, c.f.tick);
                check_spots(&c.f);
                CHECK_EQUAL(MICA_OK, micai_store_validate(&c.f.store));
                fixture_end(&c.f);
            }
        }
    }
}

TESTS(transfer, all_rows_arrive_in_an_empty_table, all_rows_arrive_beside_those_that_are_there,
      all_rows_arrive_where_there_is_room_already, rows_leave_a_table_that_keeps_its_room,
      tables_travel_there_and_back, a_cancelled_transfer_leaves_all_as_it_was,
      a_transfer_without_memory_leaves_all_as_it_was, a_hook_that_fails_leaves_all_as_it_was,
      columns_made_before_one_that_fails_are_ended, a_value_with_hooks_is_copied_for_every_row,
      spots_travel_with_the_sheets)
