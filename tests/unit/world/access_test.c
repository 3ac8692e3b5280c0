// Tests of src/world/access.c.
#include <mica/component.h>

#include "state/state.h"
#include "store/table/row.h"
#include "unit/world/fixture.h"

typedef struct Wide {
    double values[3];
} Wide;

TEST_WITH(fixture, f, values_are_got_to_read_and_to_write)
{
    mica_entity e = fixture_spawn(f, 3);
    const Position *read = mica_get(f->world, e, f->position);
    Position *write = mica_get_mut(f->world, e, f->position);
    CHECK_POINTER(read, write);
    CHECK_POINTER(read, MICA_GET(f->world, e, f->position, Position));
    CHECK_POINTER(read, MICA_GET_MUT(f->world, e, f->position, Position));
    write->x = 12;
    CHECK(MICA_GET(f->world, e, f->position, Position)->x == 12);
}

TEST_WITH(fixture, f, taking_a_value_mutable_counts_as_a_change)
{
    mica_entity e = fixture_spawn(f, 3);
    micai_row row =
        micai_row_of(&f->world->state->store, micai_slots_find(&f->world->state->slots, e));
    uint32_t column = micai_table_column(micai_row_table(row), 1);
    uint32_t strip = micai_row_table(row)->layout.columns[column].strip;
    f->world->view.tick = 50;
    mica_get(f->world, e, f->position);
    CHECK(row.sheet->pages[strip].tick != 50);
    mica_get_mut(f->world, e, f->position);
    CHECK_EQUAL(50, row.sheet->pages[strip].tick);
    CHECK(row.sheet->pages[strip + 1].tick != 50);
    f->world->view.tick = 51;
    mica_get_mut_as(f->world, e, f->position, 8, NULL);
    CHECK_EQUAL(51, row.sheet->pages[strip].tick);
    f->world->view.tick = 52;
    mica_set(f->world, e, MICA_VALUE(f->velocity, Velocity, 1, 1));
    CHECK_EQUAL(51, row.sheet->pages[strip].tick);
    CHECK_EQUAL(52, row.sheet->pages[strip + 1].tick);
}

TEST_WITH(fixture, f, what_is_not_there_is_null_without_complaint)
{
    mica_entity e = fixture_spawn(f, 3);
    mica_entity empty = mica_spawn_values(f->world, NULL, 0);
    CHECK_POINTER(NULL, mica_get(f->world, e, f->health));
    CHECK_POINTER(NULL, mica_get_mut(f->world, e, f->health));
    CHECK_POINTER(NULL, mica_get_as(f->world, e, f->health, 4, NULL));
    CHECK_POINTER(NULL, mica_get_mut_as(f->world, e, f->health, 4, NULL));
    CHECK_POINTER(NULL, mica_get(f->world, empty, f->position));
    CHECK_POINTER(NULL, mica_get(f->world, e, f->player)); // a tag that it has
    CHECK_POINTER(NULL, mica_get_mut(f->world, e, f->player));
    CHECK_POINTER(NULL, mica_get(f->world, e, f->frozen)); // a tag that it has not
    CHECK_EQUAL(MICA_OK, mica_last_error(f->world)->code);
}

// S0.5
TEST_WITH(fixture, f, a_wrong_size_is_an_error_that_names_the_component)
{
    mica_entity e = fixture_spawn(f, 3);
    CHECK_POINTER(NULL, mica_get_as(f->world, e, f->velocity, 12, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "MICA_GET: component 'Velocity' has size 8, not 12");
    CHECK_POINTER(NULL, mica_get_mut_as(f->world, e, f->velocity, 12, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "MICA_GET_MUT: component 'Velocity' has size 8, not 12");
    CHECK_POINTER(NULL, MICA_GET(f->world, e, f->velocity, Wide));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "MICA_GET: component 'Velocity' has size 8, not 24");
    CHECK_POINTER(NULL, MICA_GET_MUT(f->world, e, f->velocity, char));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "MICA_GET_MUT: component 'Velocity' has size 8, not 1");
    CHECK_POINTER(NULL, mica_get_as(f->world, e, f->player, 1, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "MICA_GET: 'Player' is a tag and has no value");
    // The size is wrong whether or not the component is there.
    CHECK_POINTER(NULL, mica_get_as(f->world, e, f->health, 8, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "MICA_GET: component 'Health' has size 4, not 8");
}

TEST_WITH(fixture, f, of_the_dead_nothing_is_got_and_it_is_an_error)
{
    mica_entity dead = fixture_spawn(f, 3);
    mica_despawn(f->world, dead);
    fixture_spawn(f, 4); // in its slot
    mica_type_set types = {.words = {5}};
    CHECK_POINTER(NULL, mica_get(f->world, dead, f->position));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_get: entity 0.0 is dead, or of another world");
    CHECK_POINTER(NULL, mica_get_mut(f->world, dead, f->position));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_get_mut: entity 0.0 is dead, or of another world");
    CHECK_POINTER(NULL, mica_get_as(f->world, dead, f->position, 8, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "MICA_GET: entity 0.0 is dead, or of another world");
    CHECK_POINTER(NULL, mica_get_mut_as(f->world, dead, f->position, 99, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "MICA_GET_MUT: entity 0.0 is dead, or of another world");
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_entity_types(f->world, dead, &types));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY,
                "mica_entity_types: entity 0.0 is dead, or of another world");
    CHECK_EQUAL(5, types.words[0]); // as it was
    CHECK_POINTER(NULL, mica_get(f->world, (mica_entity){0}, f->position));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_get: the entity is none");
}

TEST_WITH(fixture, f, has_is_false_without_complaint_on_the_dead)
{
    mica_entity e = fixture_spawn(f, 3);
    CHECK(mica_has(f->world, e, f->position));
    CHECK(mica_has(f->world, e, f->player));
    CHECK(!mica_has(f->world, e, f->frozen));
    CHECK(!mica_has(f->world, e, f->health));
    mica_despawn(f->world, e);
    CHECK(!mica_has(f->world, e, f->position));
    CHECK(!mica_has(f->world, (mica_entity){0}, f->position));
    CHECK(!mica_has(f->world, (mica_entity){UINT64_MAX}, f->position));
    CHECK_EQUAL(MICA_OK, mica_last_error(f->world)->code);
}

TEST_WITH(fixture, f, foreign_types_are_errors)
{
    test_world other;
    mica_type foreign = fixture_foreign(&other);
    mica_entity e = fixture_spawn(f, 3);
    CHECK(!mica_has(f->world, e, foreign));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_has: the component type is of another world, or no type at all");
    CHECK(!mica_has(f->world, (mica_entity){0}, (mica_type){0}));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE, "mica_has: the component type is none; was it registered?");
    CHECK_POINTER(NULL, mica_get(f->world, e, foreign));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_get: the component type is of another world, or no type at all");
    CHECK_POINTER(NULL, mica_get_mut(f->world, e, (mica_type){0}));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_get_mut: the component type is none; was it registered?");
    CHECK_POINTER(NULL, mica_get_as(f->world, e, foreign, 8, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "MICA_GET: the component type is of another world, or no type at all");
    CHECK_POINTER(NULL, mica_get_mut_as(f->world, e, foreign, 8, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "MICA_GET_MUT: the component type is of another world, or no type at all");
    test_world_end(&other);
}

TEST_WITH(fixture, f, an_entity_of_another_world_is_caught_where_its_slot_differs)
{
    test_world other;
    fixture_foreign(&other);
    mica_spawn_values(other.world, NULL, 0);
    mica_entity stranger = mica_spawn_values(other.world, NULL, 0);
    fixture_spawn(f, 1);
    CHECK_POINTER(NULL, mica_get(f->world, stranger, f->position));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_get: entity 1.0 is dead, or of another world");
    test_world_end(&other);
}

// S0.4, S0.3, and the optional column of document S1, whose index was wrong where tags stand
// between: every value is found beside any choice of tags, present and absent.
TEST_WITH(fixture, f, tags_in_between_do_not_shift_the_columns)
{
    mica_type types[24]; // every other one a tag
    for (uint32_t i = 0; i < 24; i++) {
        const char name[] = {'T', (char)('a' + i), '\0'};
        types[i] = i % 2 == 0 ? mica_type_register(f->world, &(mica_type_desc){.name = name})
                              : mica_type_register(f->world, &(mica_type_desc){
                                                                 .name = name,
                                                                 .size = 4,
                                                                 .align = 4,
                                                             });
    }
    uint32_t seed = 12345;
    for (uint32_t round = 0; round < 100; round++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t bits = seed >> 8;
        mica_entity e = mica_spawn_values(f->world, NULL, 0);
        for (uint32_t i = 0; i < 24; i++) {
            if (bits >> i & 1) {
                const uint32_t value = round << 8 | i;
                CHECK_EQUAL(MICA_OK, i % 2 == 0 ? mica_add(f->world, e, types[i])
                                                : mica_set_value(f->world, e, types[i], &value, 4));
            }
        }
        mica_type_set set = {0};
        CHECK_EQUAL(MICA_OK, mica_entity_types(f->world, e, &set));
        uint32_t columns = 0;
        for (uint32_t i = 0; i < 24; i++) {
            bool present = bits >> i & 1;
            bool has_column = present && i % 2 != 0;
            CHECK_EQUAL(present, mica_has(f->world, e, types[i]));
            CHECK_EQUAL(present, mica_type_set_has(f->world, &set, types[i]));
            CHECK_EQUAL(has_column ? (int32_t)columns : -1,
                        mica_type_set_column(f->world, &set, types[i]));
            const uint32_t *value = mica_get(f->world, e, types[i]);
            CHECK_EQUAL(has_column, value != NULL);
            CHECK(value == NULL || *value == (round << 8 | i));
            columns += has_column;
        }
        CHECK_EQUAL(columns, mica_type_set_column_count(f->world, &set));
        mica_type_set_free(f->world, &set);
    }
}

// S1: the optional column in a query, beside tags; `without` returned nothing.
TEST_WITH(fixture, f, optional_and_without_work_beside_tags)
{
    for (int32_t i = 0; i < 12; i++) {
        mica_entity e = fixture_spawn(f, i);
        if (i % 2 == 0) {
            mica_set(f->world, e, MICA_VALUE(f->health, Health, i));
        }
        if (i % 3 == 0) {
            mica_add(f->world, e, f->frozen);
        }
    }
    mica_query query =
        mica_query_new(f->world, &(mica_query_desc){.terms = {{f->player, MICA_WITH},
                                                              {f->health, MICA_OPTIONAL},
                                                              {f->frozen, MICA_WITHOUT},
                                                              {f->position, MICA_READ}}});
    uint32_t seen = 0;
    mica_iter it;
    mica_iter_begin(f->world, query, &it);
    while (mica_iter_next(&it)) {
        const Health *health = mica_read(&it, 1);
        const Position *position = mica_read(&it, 3);
        for (uint32_t i = 0; i < it.count; i++) {
            int32_t n = (int32_t)position[i].x;
            CHECK(fixture_holds(f, it.entities[i], n));
            CHECK_EQUAL(n % 2 == 0, health != NULL);
            CHECK(health == NULL || health[i].points == n);
            CHECK(n % 3 != 0);
            seen |= 1u << n;
        }
    }
    CHECK_EQUAL(0xDB6, seen); // all of 0 to 11 but every third
    CHECK_EQUAL(8, mica_query_count(f->world, query));
}

TEST_WITH(fixture, f, the_types_of_an_entity_fill_any_set)
{
    mica_entity e = fixture_spawn(f, 3);
    mica_type many[300];
    for (uint32_t i = 0; i < 300; i++) {
        const char name[] = {'M', (char)('a' + i % 20), (char)('a' + i / 20), '\0'};
        many[i] = mica_type_register(f->world, &(mica_type_desc){.name = name});
    }
    mica_entity far = mica_spawn(f->world, MICA_ADD(many[299]), MICA_ADD(f->position));
    mica_type_set set = {0};
    CHECK_EQUAL(MICA_OK, mica_entity_types(f->world, far, &set));
    CHECK_EQUAL(2, mica_type_set_count(&set));
    CHECK(mica_type_set_has(f->world, &set, many[299]));
    CHECK_EQUAL(MICA_OK, mica_entity_types(f->world, e, &set)); // which was longer
    CHECK_EQUAL(5, mica_type_set_count(&set));
    CHECK(!mica_type_set_has(f->world, &set, many[299]));
    mica_type_set_free(f->world, &set);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_entity_types(f->world, e, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_entity_types: types_out is null");
    test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_entity_types(f->world, far, &set));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
}

static void a_null_world_is_an_error(void)
{
    const mica_entity e = mica_entity_make(1, 1);
    const mica_type type = {1};
    mica_type_set set = {0};
    CHECK_POINTER(NULL, mica_get(NULL, e, type));
    CHECK_POINTER(NULL, mica_get_mut(NULL, e, type));
    CHECK_POINTER(NULL, mica_get_as(NULL, e, type, 4, NULL));
    CHECK_POINTER(NULL, mica_get_mut_as(NULL, e, type, 4, NULL));
    CHECK(!mica_has(NULL, e, type));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_entity_types(NULL, e, &set));
}

TESTS(access, values_are_got_to_read_and_to_write, taking_a_value_mutable_counts_as_a_change,
      what_is_not_there_is_null_without_complaint,
      a_wrong_size_is_an_error_that_names_the_component,
      of_the_dead_nothing_is_got_and_it_is_an_error, has_is_false_without_complaint_on_the_dead,
      foreign_types_are_errors, an_entity_of_another_world_is_caught_where_its_slot_differs,
      tags_in_between_do_not_shift_the_columns, optional_and_without_work_beside_tags,
      the_types_of_an_entity_fill_any_set, a_null_world_is_an_error)
