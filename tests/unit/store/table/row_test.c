#include "store/table/row.h"

#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

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
            CHECK_EQUAL(row, micai_row_number(fixture_row(&f, entities[i])));
        }
        CHECK_TRACKED(&f.tracker, 20);
        fixture_end(&f);
    }
}

// S3: telling an addition from a removal by "new > old" is wrong where a change does both. Here the
// set grows as a number while a type goes, and shrinks while one comes.
TEST_WITH(fixture, f, a_mixed_change_adds_and_removes_whatever_the_numbers)
{
    static const struct {
        uint64_t from, to;
    } changes[] = {
        {BIT(A) | BIT(B), BIT(A) | BIT(E)}, // B goes, E, which is higher, comes
        {BIT(A) | BIT(E), BIT(A) | BIT(B)}, // the other way round
        {BIT(E), BIT(A) | BIT(B) | BIT(MOVED)},
        {BIT(A) | BIT(MOVED) | BIT(TAG_0), BIT(B) | BIT(HOOKED) | BIT(MOVED) | BIT(TAG_3)},
    };
    for (uint32_t i = 0; i < 4; i++) {
        micai_table *table = fixture_table(f, changes[i].from);
        const micai_transition *t = fixture_to(f, table, changes[i].to);
        mica_entity stays = fixture_spawn(f, table, 50 + i);
        mica_entity entity = fixture_spawn(f, table, i);
        mica_entity last = fixture_spawn(f, table, 60 + i);
        uint64_t moves = f->store.row_moves;
        fixture_move(f, t, entity, i);
        CHECK_EQUAL(moves + 2, f->store.row_moves); // the entity, and the last into its place
        CHECK_POINTER(t->target, fixture_row(f, entity).sheet->table);
        CHECK(fixture_holds(f, entity, i, 0));
        CHECK(fixture_holds(f, stays, 50 + i, 0));
        CHECK(fixture_holds(f, last, 60 + i, 0));
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    }
    CHECK_EQUAL(0, f->tracker.constructs); // nothing was made twice
}

// S3.3
TEST_WITH(fixture, f, values_are_carried_and_never_copied)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
    mica_entity entities[7];
    for (uint32_t i = 0; i < 7; i++) {
        entities[i] = fixture_spawn(f, table, i);
    }
    const uint32_t copies = f->tracker.copies;
    const micai_transition *add = fixture_one(f, table, E, false);
    const micai_transition *drop = fixture_one(f, add->target, MOVED, true);
    for (uint32_t i = 0; i < 7; i++) {
        fixture_move(f, add, entities[i], i);
    }
    for (uint32_t i = 0; i < 7; i += 2) {
        fixture_move(f, drop, entities[i], i);
    }
    CHECK_EQUAL(copies, f->tracker.copies);
    CHECK_EQUAL(0, f->tracker.constructs);
    for (uint32_t i = 0; i < 7; i++) {
        CHECK(fixture_holds(f, entities[i], i, 0));
    }
    CHECK_TRACKED(&f->tracker, 7 + 3);
}

TEST_WITH(fixture, f, a_row_knows_its_table_number_and_cell)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(B));
    mica_entity entities[7];
    fixture_spawn_many(f, table, 7, entities);
    for (uint32_t i = 0; i < 7; i++) {
        micai_row row = fixture_row(f, entities[i]);
        CHECK_POINTER(table, micai_row_table(row));
        CHECK_EQUAL(i, micai_row_number(row));
        micai_cell cell = micai_row_cell(row, 2);
        CHECK_POINTER(table, cell.table);
        CHECK_EQUAL(2, cell.column);
        CHECK_EQUAL(i, cell.row);
    }
    CHECK_EQUAL(7, micai_row_next(table, 1).row);
}

// Moves an entity on the fast path.
static void move_fast(fixture *f, const micai_transition *t, mica_entity entity, uint32_t number)
{
    REQUIRE(micai_transition_is_fast(t));
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f->store, t->target, 1));
    const uint32_t b = number * 3;
    const big e = {number, ~(uint64_t)number};
    const uint64_t a = number;
    if (t->kind == MICAI_TRANSITION_ADD && t->steps->column) {
        const uint32_t added = t->steps->type->number;
        const void *data = added == A ? &a : added == B ? &b : (const void *)&e;
        micai_row_fill(micai_row_raw(t->target), t->steps->fill, data);
    }
    micai_row_move_fast(&f->store, t, fixture_row(f, entity), micai_slots_find(&f->slots, entity),
                        f->tick);
}

static void check_move(uint64_t from, uint32_t number, bool remove, uint32_t which, bool fast)
{
    fixture f;
    fixture_begin(&f);
    micai_table *source = fixture_table(&f, from);
    const micai_transition *t = fixture_one(&f, source, number, remove);
    mica_entity entities[9];
    fixture_spawn_many(&f, source, 9, entities);
    f.tick = 20;
    (fast ? move_fast : fixture_move)(&f, t, entities[which], which);
    CHECK_POINTER(t->target, fixture_table_of(&f, entities[which]));
    for (uint32_t i = 0; i < 9; i++) {
        CHECK(fixture_holds(&f, entities[i], i, 0));
    }
    CHECK_EQUAL(which == 8 ? 1 : 2, f.store.row_moves);
    CHECK_EQUAL(20, t->target->sheets.items[0]->pages[0].tick); // a row was added
    micai_sheet *hole = source->sheets.items[which / MICAI_ROWS];
    CHECK_EQUAL(which == 8 ? 1 : 20, hole->pages[0].tick); // one was moved to its place
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
    fixture_end(&f);
}

// By transitions that admit the fast path, rows are moved in one walk; it does what the general path does.
static void rows_that_are_bytes_move_in_one_walk(void)
{
    static const struct {
        uint64_t from;
        uint32_t number;
        bool remove;
    } moves[] = {{BIT(A) | BIT(B), E, false},         {BIT(A) | BIT(B) | BIT(E), B, true},
                 {BIT(A) | BIT(B) | BIT(E), A, true}, {BIT(A) | BIT(B), TAG_0, false},
                 {BIT(A) | BIT(E), B, false},         {BIT(A) | BIT(B) | BIT(E), E, true}};
    for (size_t m = 0; m < sizeof moves / sizeof moves[0]; m++) {
        for (uint32_t which = 0; which < 18; which++) {
            check_move(moves[m].from, moves[m].number, moves[m].remove, which % 9, which < 9);
        }
    }
}

// A value is filled in behind the last row of the target, as long as there is room, and the row follows.
TEST_WITH(fixture, f, the_fast_path_is_taken_where_there_is_room)
{
    micai_table *a = fixture_table(f, BIT(A));
    const micai_transition *t = fixture_one(f, a, E, false);
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f->store, t->target, 2));
    CHECK(micai_row_has_capacity(t->target));
    mica_entity entity = fixture_spawn(f, a, 4);
    move_fast(f, t, entity, 4);
    CHECK(fixture_holds(f, entity, 4, 0));
    fixture_spawn(f, t->target, 5);
    CHECK_EQUAL(t->target->capacity, t->target->count);
    CHECK(micai_transition_is_fast(t) && !micai_row_has_capacity(t->target));
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f->store, t->target, 1));
    CHECK(micai_row_has_capacity(t->target));
}

static void many_rows_are_appended_across_sheets(void)
{
    for (uint32_t before = 0; before < 6; before++) {
        fixture f;
        fixture_begin(&f);
        micai_table *table = fixture_table(&f, BIT(A) | BIT(HOOKED));
        mica_entity entities[6];
        fixture_spawn_many(&f, table, before, entities);
        REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f.store, table, 11));
        REQUIRE_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 11));
        for (uint32_t c = 1; c < 3; c++) {
            REQUIRE_EQUAL(MICA_OK, micai_table_kind(table, c)->construct(
                                       &f.store, micai_row_next(table, c), 11, NULL, 0));
        }
        mica_entity made[11];
        micai_row_append_many(&f.store, table, 5, made, 30);
        micai_row_append_many(&f.store, table, 6, before % 2 ? made + 5 : NULL, 31);
        CHECK_EQUAL(before + 11, table->count);
        for (uint32_t i = 0; i < before; i++) {
            CHECK(fixture_holds(&f, entities[i], i, 0));
        }
        for (uint32_t i = 0; i < (before % 2 ? 11u : 5u); i++) {
            CHECK(fixture_holds(&f, made[i], 0, BIT(A) | BIT(HOOKED)));
            CHECK_EQUAL(before + i, micai_row_number(fixture_row(&f, made[i])));
        }
        CHECK_EQUAL(31, micai_table_sheet(table, table->count - 1)->pages[0].tick);
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
        fixture_end(&f);
    }
}

// A row that goes changes no value of others, unless one moves into its place.
TEST_WITH(fixture, f, dropping_the_last_row_touches_nothing)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(HOOKED));
    mica_entity entities[6];
    fixture_spawn_many(f, table, 6, entities);
    f->tick = 9;
    fixture_despawn(f, entities[5]);
    CHECK_EQUAL(1, micai_sheet_tick(table->sheets.items[0], 1));
    CHECK_EQUAL(1, micai_sheet_tick(table->sheets.items[1], 1));
    fixture_despawn(f, entities[1]);
    CHECK_EQUAL(9, micai_sheet_tick(table->sheets.items[0], 1));
    CHECK_EQUAL(1, table->sheets.items[0]->pages[1].tick ? 0 : 1); // by the rows' page alone
    CHECK_EQUAL(1, micai_sheet_tick(table->sheets.items[1], 1));
}

TESTS(row, the_last_row_fills_the_hole_and_its_entity_is_found_there,
      a_mixed_change_adds_and_removes_whatever_the_numbers, values_are_carried_and_never_copied,
      a_row_knows_its_table_number_and_cell, rows_that_are_bytes_move_in_one_walk,
      the_fast_path_is_taken_where_there_is_room, many_rows_are_appended_across_sheets,
      dropping_the_last_row_touches_nothing)
