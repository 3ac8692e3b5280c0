// Tests of what spans all of src/world, for S3.5: whoever writes a page stamps it with the tick.
#include "state/state.h"
#include "store/table/row.h"
#include "unit/world/fixture.h"

// A tick that nothing was written under yet.
static uint64_t begin_tick(fixture *f)
{
    return ++f->world->view.tick;
}

// Under which tick the page with this value of the entity was written last; with no type, its row.
static uint64_t tick_of(fixture *f, mica_entity entity, mica_type type)
{
    const micai_record *record = micai_slots_find(&f->world->state->slots, entity);
    REQUIRE(record != NULL);
    const micai_sheet *sheet = micai_row_of(&f->world->state->store, record).sheet;
    const micai_type *found = micai_registry_find(&f->world->state->registry, type);
    uint32_t column = found ? micai_table_column(sheet->table, found->number) : 0;
    return micai_sheet_tick(sheet, sheet->table->layout.columns[column].strip);
}

#define CHECK_STAMPED(f, entity, type) CHECK_EQUAL((f)->world->view.tick, tick_of(f, entity, type))
#define CHECK_NOT_STAMPED(f, entity, type) CHECK((f)->world->view.tick > tick_of(f, entity, type))

TEST_WITH(fixture, f, a_new_entity_stamps_its_sheet)
{
    Position p = {1, 2};
    const mica_type plain_types[] = {f->position};
    const mica_type hooked_types[] = {f->moved};
    mica_bundle plain = mica_bundle_new(f->world, plain_types, 1);
    mica_bundle hooked = mica_bundle_new(f->world, hooked_types, 1);
    for (int round = 0; round < 2; round++) { // the second time there is a table, and room
        mica_entity many[3];
        begin_tick(f);
        CHECK_STAMPED(f, mica_spawn_values(f->world, NULL, 0), (mica_type){0});
        begin_tick(f);
        CHECK_STAMPED(f, mica_spawn_at(f->world, mica_entity_make(100 + (uint32_t)round, 0)),
                      (mica_type){0});
        begin_tick(f);
        mica_entity e = mica_spawn(f->world, MICA_VALUE(f->position, Position, 1, 2));
        CHECK_STAMPED(f, e, f->position);
        begin_tick(f);
        CHECK_STAMPED(f, mica_clone(f->world, e), f->position);
        begin_tick(f);
        CHECK_STAMPED(f, mica_spawn_bundle(f->world, plain, &MICA_COPY_OF(f->position, p), 1),
                      f->position);
        begin_tick(f);
        CHECK_STAMPED(f, mica_spawn_bundle(f->world, hooked, NULL, 0), f->moved);
        begin_tick(f);
        REQUIRE_EQUAL(MICA_OK, mica_spawn_many(f->world, plain, 3, NULL, 0, many));
        CHECK_STAMPED(f, many[0], f->position);
        CHECK_STAMPED(f, many[2], f->position);
    }
}

TEST_WITH(fixture, f, a_row_that_comes_or_goes_stamps_its_sheet)
{
    mica_entity a = fixture_spawn(f, 1);
    mica_entity b = fixture_spawn(f, 2);
    mica_entity c = fixture_spawn(f, 3);
    const mica_entity changed[] = {a, c}; // each when it has the first of the three rows
    for (int round = 0; round < 2; round++) {
        begin_tick(f);
        REQUIRE_EQUAL(MICA_OK, mica_add(f->world, changed[round], f->frozen));
        CHECK_STAMPED(f, changed[round], f->position);
        CHECK_STAMPED(f, b, f->position); // beside the row that filled the hole
        begin_tick(f);
        REQUIRE_EQUAL(MICA_OK, mica_remove(f->world, changed[round], f->frozen));
        CHECK_STAMPED(f, changed[round], f->position);
    }
    begin_tick(f);
    Health health = {5};
    REQUIRE_EQUAL(MICA_OK,
                  mica_set_value(f->world, c, f->health, &health, (uint32_t)sizeof health));
    CHECK_STAMPED(f, c, f->health);
    begin_tick(f);
    REQUIRE_EQUAL(MICA_OK, mica_despawn(f->world, a));
    CHECK_STAMPED(f, b, f->moved); // fills the hole
}

TEST_WITH(fixture, f, a_value_that_is_overwritten_stamps_its_page_and_no_other)
{
    mica_entity e = fixture_spawn(f, 1);
    Position p = {3, 4};
    tracked value = tracked_make(&f->tracker, 1);
    const uint32_t size = (uint32_t)sizeof value;
    begin_tick(f);
    REQUIRE_EQUAL(MICA_OK, mica_set_value(f->world, e, f->position, &p, (uint32_t)sizeof p));
    CHECK_STAMPED(f, e, f->position);
    CHECK_NOT_STAMPED(f, e, f->hooked);
    begin_tick(f);
    REQUIRE_EQUAL(MICA_OK, mica_set_value(f->world, e, f->hooked, &value, size));
    CHECK_STAMPED(f, e, f->hooked);
    CHECK_NOT_STAMPED(f, e, f->moved);
    begin_tick(f);
    REQUIRE_EQUAL(MICA_OK, mica_set_value(f->world, e, f->moved, &value, size));
    CHECK_STAMPED(f, e, f->moved);
    CHECK_NOT_STAMPED(f, e, f->position);
    begin_tick(f);
    const mica_value values[] = {{f->position, &p, (uint32_t)sizeof p, 1, NULL},
                                 {f->hooked, &value, size, 1, NULL}};
    REQUIRE_EQUAL(MICA_OK, mica_set_values(f->world, e, values, 2));
    CHECK_STAMPED(f, e, f->position);
    CHECK_STAMPED(f, e, f->hooked);
    CHECK_NOT_STAMPED(f, e, f->moved);
    tracked_drop(&f->tracker, &value);
}

TEST_WITH(fixture, f, what_is_taken_to_be_written_is_stamped_and_what_is_read_is_not)
{
    mica_entity e = fixture_spawn(f, 1);
    mica_accessor positions = mica_accessor_new(f->world, f->position);
    begin_tick(f);
    CHECK(mica_get(f->world, e, f->position) && mica_accessor_get(&positions, e));
    CHECK(MICA_GET(f->world, e, f->position, Position) != NULL);
    CHECK_NOT_STAMPED(f, e, f->position);
    CHECK(mica_get_mut(f->world, e, f->position) != NULL);
    CHECK_STAMPED(f, e, f->position);
    begin_tick(f);
    CHECK(MICA_GET_MUT(f->world, e, f->position, Position) != NULL);
    CHECK_STAMPED(f, e, f->position);
    begin_tick(f);
    CHECK(mica_accessor_get_mut(&positions, e) != NULL);
    CHECK_STAMPED(f, e, f->position);
    CHECK_NOT_STAMPED(f, e, f->velocity);
}

TEST_WITH(fixture, f, changes_by_query_stamp_what_they_change)
{
    mica_entity e = (mica_entity){0};
    for (int32_t i = 0; i < 9; i++) { // more than a sheet
        e = fixture_spawn(f, i);
    }
    mica_query query =
        mica_query_new(f->world, &(mica_query_desc){.terms = {{f->position, MICA_READ}}});
    Position p = {3, 4};
    tracked value = tracked_make(&f->tracker, 1);
    begin_tick(f);
    REQUIRE_EQUAL(MICA_OK,
                  mica_set_all(f->world, query, f->position, &p, (uint32_t)sizeof p, NULL));
    CHECK_STAMPED(f, e, f->position);
    CHECK_NOT_STAMPED(f, e, f->moved);
    begin_tick(f);
    REQUIRE_EQUAL(MICA_OK,
                  mica_set_all(f->world, query, f->moved, &value, (uint32_t)sizeof value, NULL));
    CHECK_STAMPED(f, e, f->moved);
    CHECK_NOT_STAMPED(f, e, f->position);
    begin_tick(f);
    REQUIRE_EQUAL(MICA_OK, mica_add_all(f->world, query, f->health, NULL));
    CHECK_STAMPED(f, e, f->health);
    begin_tick(f);
    REQUIRE_EQUAL(MICA_OK, mica_remove_all(f->world, query, f->health, NULL));
    CHECK_STAMPED(f, e, f->position);
    tracked_drop(&f->tracker, &value);
}

TESTS(stamp, a_new_entity_stamps_its_sheet, a_row_that_comes_or_goes_stamps_its_sheet,
      a_value_that_is_overwritten_stamps_its_page_and_no_other,
      what_is_taken_to_be_written_is_stamped_and_what_is_read_is_not,
      changes_by_query_stamp_what_they_change)
