// Tests of src/entity/locate.c.
#include "entity/locate.h"

#include <stdio.h>

#include "store/table/row.h"
#include "unit/world/fixture.h"

static micai_entity_ref look_up(const fixture *f, mica_entity entity)
{
    const micai_record *record = micai_slots_find(&f->world->state->slots, entity);
    REQUIRE(record != NULL);
    return (micai_entity_ref){entity, record};
}

static const micai_type *type_of(const fixture *f, mica_type type)
{
    const micai_type *found = micai_registry_find(&f->world->state->registry, type);
    REQUIRE(found != NULL);
    return found;
}

static micai_value find(const fixture *f, mica_entity entity, mica_type type)
{
    return micai_value_find(f->world->state, look_up(f, entity), type_of(f, type));
}

static uint64_t tick_of(const fixture *f, mica_entity entity, mica_type type)
{
    micai_row row = micai_row_of(&f->world->state->store, look_up(f, entity).record);
    uint32_t column = micai_table_column(micai_row_table(row), type_of(f, type)->number);
    uint32_t end;
    return micai_table_tick(micai_row_table(row), column, micai_row_number(row), &end);
}

TEST_WITH(fixture, f, what_an_entity_has_is_found_and_nothing_else)
{
    for (int32_t n = 0; n < 10; n++) {
        fixture_spawn(f, 100 + n); // so that the row is not the first
    }
    mica_entity e = fixture_spawn(f, 3);
    mica_entity empty = mica_spawn_values(f->world, NULL, 0);
    const mica_type there[] = {f->position, f->velocity, f->moved, f->hooked};
    for (uint32_t i = 0; i < 4; i++) {
        micai_value value = find(f, e, there[i]);
        REQUIRE(micai_value_is_there(value));
        CHECK_POINTER(mica_get(f->world, e, there[i]), micai_value_read(value));
        CHECK_POINTER(mica_get(f->world, e, there[i]), micai_value_see(f->world, "test", value));
        CHECK(micai_value_has(f->world->state, look_up(f, e), type_of(f, there[i])));
        CHECK(!micai_value_is_there(find(f, empty, there[i])));
    }
    // A tag is had, and has no value.
    CHECK(!micai_value_is_there(find(f, e, f->player)));
    CHECK(micai_value_has(f->world->state, look_up(f, e), type_of(f, f->player)));
    CHECK(!micai_value_has(f->world->state, look_up(f, e), type_of(f, f->frozen)));
    CHECK(!micai_value_has(f->world->state, look_up(f, e), type_of(f, f->health)));
}

TEST_WITH(fixture, f, all_types_of_an_entity_are_walked_in_order)
{
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    CHECK_EQUAL(MICAI_BITS_END, micai_value_next(f->world->state, look_up(f, e), 0));
    uint32_t expected[60];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 180; i++) {
        char name[8];
        snprintf(name, sizeof name, "T%u", (unsigned)i);
        mica_type type = mica_type_register(
            f->world, &(mica_type_desc){.name = name, .size = i % 2 * 4, .align = i % 2 * 4});
        if (i % 3 == 0) {
            mica_add(f->world, e, type);
            expected[count++] = type_of(f, type)->number;
        }
    }
    uint32_t walked = 0;
    for (uint32_t n = micai_value_next(f->world->state, look_up(f, e), 0); n != MICAI_BITS_END;
         n = micai_value_next(f->world->state, look_up(f, e), n + 1)) {
        REQUIRE(walked < count);
        CHECK_EQUAL(expected[walked++], n);
    }
    CHECK_EQUAL(count, walked);
}

TEST_WITH(fixture, f, opening_counts_as_a_change_and_reading_does_not)
{
    mica_entity e = fixture_spawn(f, 3);
    micai_value position = find(f, e, f->position);
    f->world->view.tick = 50;
    micai_value_read(position);
    micai_value_see(f->world, "test", position);
    CHECK(tick_of(f, e, f->position) != 50);
    CHECK_POINTER(micai_value_read(position), micai_value_open(f->world, "test", position));
    CHECK_EQUAL(50, tick_of(f, e, f->position));
    CHECK(tick_of(f, e, f->velocity) != 50);
}

TEST_WITH(fixture, f, writing_takes_a_copy_and_ends_what_was_there)
{
    mica_entity e = fixture_spawn(f, 3);
    tracked value = tracked_make(&f->tracker, 50);
    const mica_type types[] = {f->moved, f->hooked};
    for (uint32_t i = 0; i < 2; i++) {
        micai_value there = find(f, e, types[i]);
        f->world->view.tick = 50 + i;
        f->tracker.until_failure = 1;
        CHECK_EQUAL(MICA_ERROR_HOOK, micai_value_write(f->world, "test", there, &value));
        CHECK_EQUAL(1, test_error_clear(&f->t.error));
        CHECK(tracked_is(&f->tracker, micai_value_read(there), 3));
        CHECK(tick_of(f, e, types[i]) != 50 + i);
        CHECK_EQUAL(MICA_OK, micai_value_write(f->world, "test", there, &value));
        CHECK(tracked_is(&f->tracker, micai_value_read(there), 50));
        CHECK_EQUAL(50 + i, tick_of(f, e, types[i]));
        CHECK_TRACKED(&f->tracker, 3);
    }
    tracked_drop(&f->tracker, &value);
}

TESTS(value, what_an_entity_has_is_found_and_nothing_else,
      all_types_of_an_entity_are_walked_in_order, opening_counts_as_a_change_and_reading_does_not,
      writing_takes_a_copy_and_ends_what_was_there)
