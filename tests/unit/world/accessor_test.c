// Tests of src/world/accessor.c and of what mica/accessor.h does inline.
#include <mica/accessor.h>

#include <inttypes.h>
#include <stdio.h>

#include "state/state.h"
#include "store/table/row.h"
#include "unit/world/fixture.h"

static const mica_view_values *spot_of(const mica_accessor *accessor, mica_entity entity)
{
    const mica_view_record *record = mica_view_slots_find(accessor->face->slots, entity);
    return record ? mica_view_find(accessor->rows, record->where) : NULL;
}

TEST_WITH(fixture, f, an_accessor_gives_what_get_gives)
{
    mica_accessor positions = mica_accessor_new(f->world, f->position);
    mica_accessor healths = mica_accessor_new(f->world, f->health);
    mica_entity entities[20];
    for (int32_t i = 0; i < 20; i++) {
        entities[i] = fixture_spawn(f, i);
        if (i % 3 == 0) {
            mica_add(f->world, entities[i], f->frozen); // another table, the same columns
        }
        if (i % 4 == 0) {
            mica_set(f->world, entities[i], MICA_VALUE(f->health, Health, i));
        }
    }
    for (int32_t i = 0; i < 20; i++) {
        const void *position = mica_get(f->world, entities[i], f->position);
        CHECK_POINTER(position, mica_accessor_get(&positions, entities[i]));
        CHECK_POINTER(position, mica_accessor_get_mut(&positions, entities[i]));
        const void *health = mica_get(f->world, entities[i], f->health);
        CHECK_EQUAL(i % 4 == 0, health != NULL);
        CHECK_POINTER(health, mica_accessor_get(&healths, entities[i])); // silently
        CHECK_POINTER(health, mica_accessor_get_mut(&healths, entities[i]));
    }
    CHECK_EQUAL(MICA_OK, mica_last_error(f->world)->code);
}

TEST_WITH(fixture, f, an_accessor_stays_good_while_tables_come_and_go)
{
    mica_accessor positions = mica_accessor_new(f->world, f->position);
    for (int32_t round = 0; round < 5; round++) {
        for (int32_t i = 0; i < 30; i++) {
            mica_entity e = fixture_spawn(f, i);
            if (i % 2 == 0) {
                mica_remove(f->world, e, f->player);
            }
            CHECK(((const Position *)mica_accessor_get(&positions, e))->x == (float)i);
        }
        mica_world_clear(f->world);
        mica_world_reclaim(f->world);
        mica_add(f->world, mica_spawn_values(f->world, NULL, 0), f->velocity);
    }
}

static void all_types_are_reached_alike(void)
{
    enum { TYPES = 201 };
    fixture f;
    fixture_begin(&f);
    static mica_type types[TYPES];
    static mica_accessor accessors[TYPES];
    static uint32_t numbers[TYPES];
    mica_value values[TYPES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        char name[8];
        snprintf(name, sizeof name, "T%u", (unsigned)i);
        types[i] =
            mica_type_register(f.world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
        accessors[i] = mica_accessor_new(f.world, types[i]);
        numbers[i] = i;
        if (i % 3 != 0) {
            values[count++] = MICA_COPY_OF(types[i], numbers[i]);
        }
    }
    mica_entity e = mica_spawn_values(f.world, values, count);
    for (uint32_t i = 0; i < TYPES; i++) {
        const uint32_t *value = mica_accessor_get(&accessors[i], e);
        CHECK_EQUAL(i % 3 != 0, value != NULL);
        CHECK(value == NULL || *value == i);
        CHECK_POINTER(value, mica_accessor_get_mut(&accessors[i], e));
        CHECK_POINTER(value, mica_get(f.world, e, types[i]));
        CHECK_POINTER(value, mica_get_mut(f.world, e, types[i]));
        CHECK_POINTER(value, mica_get_as(f.world, e, types[i], 4, NULL));
        CHECK_POINTER(value, mica_get_mut_as(f.world, e, types[i], 4, NULL));
        // None of them is looked up any longer than the first.
        const mica_view_values *spot = spot_of(&accessors[i], e);
        CHECK_EQUAL(value != NULL, spot != NULL && spot->data != NULL && spot->tick != NULL);
    }
    CHECK_EQUAL(MICA_OK, mica_last_error(f.world)->code);
    fixture_end(&f);
}

// One entity in each of so many tables that the last have sheets whose numbers are beyond those for
// which small sheets have spots.
typedef struct crowd {
    fixture f;
    mica_type tags[16];
    mica_entity entities[MICAI_DIRECTORY_SMALL * 2];
} crowd;

enum { CROWD = MICAI_DIRECTORY_SMALL * 2 };

static void crowd_begin(crowd *c)
{
    fixture_begin(&c->f);
    for (uint32_t k = 0; k < 16; k++) {
        const char name[] = {'T', (char)('a' + k), '\0'};
        c->tags[k] = mica_type_register(c->f.world, &(mica_type_desc){.name = name});
    }
    for (uint32_t i = 0; i < CROWD; i++) {
        mica_type types[16];
        uint32_t count = 0;
        for (uint32_t k = 0; k < 16; k++) {
            if (i >> k & 1) {
                types[count++] = c->tags[k];
            }
        }
        c->entities[i] = fixture_spawn(&c->f, (int32_t)i);
        CHECK_EQUAL(MICA_OK, test_add_types(c->f.world, c->entities[i], types, count));
    }
}

static void values_in_small_tables_of_large_worlds_are_read_and_written(void)
{
    static crowd c;
    crowd_begin(&c);
    fixture *f = &c.f;
    mica_accessor positions = mica_accessor_new(f->world, f->position);
    uint32_t without = 0;
    for (uint32_t i = 0; i < CROWD; i++) {
        mica_entity e = c.entities[i];
        const mica_view_values *spot = spot_of(&positions, e);
        without += !spot || !spot->data;
        const Position *read = mica_get(f->world, e, f->position);
        REQUIRE(read != NULL);
        CHECK(read->x == (float)i);
        CHECK_POINTER(read, mica_accessor_get(&positions, e));
        CHECK_POINTER(read, MICA_GET(f->world, e, f->position, Position));
        f->world->view.tick = 100 + 4 * i; // each of them counts as a change
        micai_row row =
            micai_row_of(&f->world->state->store, micai_slots_find(&f->world->state->slots, e));
        CHECK_POINTER(read, mica_get_mut(f->world, e, f->position));
        CHECK_EQUAL(f->world->view.tick, row.sheet->pages[1].tick);
        f->world->view.tick++;
        CHECK_POINTER(read, MICA_GET_MUT(f->world, e, f->position, Position));
        CHECK_EQUAL(f->world->view.tick, row.sheet->pages[1].tick);
        f->world->view.tick++;
        Position *write = mica_accessor_get_mut(&positions, e);
        CHECK_POINTER(read, write);
        CHECK_EQUAL(f->world->view.tick, row.sheet->pages[1].tick);
        write->x += 1000;
        CHECK_POINTER(NULL, mica_get(f->world, e, f->health));
    }
    CHECK(without >= CROWD / 4);
    for (uint32_t i = 0; i < CROWD; i++) {
        CHECK(MICA_GET(f->world, c.entities[i], f->position, Position)->x == 1000 + (float)i);
    }
    CHECK_EQUAL(MICA_OK, mica_last_error(f->world)->code);
    fixture_end(f);
}

// A small table that grows gets its spots then; one that is reclaimed leaves none behind.
static void spots_come_with_growth_and_go_with_the_table(void)
{
    static crowd c;
    crowd_begin(&c);
    fixture *f = &c.f;
    mica_accessor positions = mica_accessor_new(f->world, f->position);
    mica_entity e = c.entities[CROWD - 1];
    const mica_view_values *spot = spot_of(&positions, e);
    CHECK(!spot || !spot->data);
    for (uint32_t i = 0; i < 2 * MICAI_ROWS_FIRST; i++) {
        CHECK(mica_alive(f->world, mica_clone(f->world, e)));
        CHECK_POINTER(mica_get(f->world, e, f->position), mica_accessor_get(&positions, e));
    }
    spot = spot_of(&positions, e);
    CHECK(spot && spot->data && spot->tick);
    CHECK(MICA_GET(f->world, e, f->position, Position)->x == (float)(CROWD - 1));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    mica_world_clear(f->world);
    mica_world_reclaim(f->world);
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    const mica_view_type *type = positions.rows;
    uint32_t left = 0;
    for (uint32_t i = 0; i < type->block_count; i++) {
        for (uint32_t k = 0; type->blocks[i] && k < MICAI_INDEX_BLOCK_SIZE; k++) {
            left += type->blocks[i][k].data || type->blocks[i][k].tick;
        }
    }
    CHECK_EQUAL(0, left);
    fixture_end(f);
}

TEST_WITH(fixture, f, taking_a_value_mutable_counts_as_a_change)
{
    mica_accessor positions = mica_accessor_new(f->world, f->position);
    mica_entity e = fixture_spawn(f, 1);
    micai_row row =
        micai_row_of(&f->world->state->store, micai_slots_find(&f->world->state->slots, e));
    f->world->view.tick = 50;
    mica_accessor_get(&positions, e);
    CHECK(row.sheet->pages[1].tick != 50);
    mica_accessor_get_mut(&positions, e);
    CHECK_EQUAL(50, row.sheet->pages[1].tick);
    CHECK(row.sheet->pages[2].tick != 50);
}

TEST_WITH(fixture, f, the_dead_are_errors)
{
    mica_accessor positions = mica_accessor_new(f->world, f->position);
    mica_entity dead = fixture_spawn(f, 1);
    mica_despawn(f->world, dead);
    fixture_spawn(f, 2); // in its slot
    const mica_entity wrong[] = {dead, (mica_entity){0}, {UINT64_MAX}, mica_entity_make(9999, 0)};
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_POINTER(NULL, mica_accessor_get(&positions, wrong[i]));
        CHECK_EQUAL(MICA_ERROR_ENTITY, f->t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f->t.error));
        CHECK_POINTER(NULL, mica_accessor_get_mut(&positions, wrong[i]));
        CHECK_EQUAL(MICA_ERROR_ENTITY, f->t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f->t.error));
    }
}

TEST_WITH(fixture, f, a_wrong_type_gives_an_accessor_that_gives_nothing)
{
    test_world other;
    mica_type foreign = fixture_foreign(&other);
    mica_entity e = fixture_spawn(f, 1);
    const struct {
        mica_type type;
        mica_result code;
    } wrong[] = {{foreign, MICA_ERROR_TYPE},
                 {(mica_type){0}, MICA_ERROR_TYPE},
                 {f->player, MICA_ERROR_SIZE}};
    for (uint32_t i = 0; i < 3; i++) {
        mica_accessor none = mica_accessor_new(f->world, wrong[i].type);
        CHECK_EQUAL(wrong[i].code, f->t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f->t.error));
        CHECK_POINTER(NULL, mica_accessor_get(&none, e));
        CHECK_EQUAL(MICA_ERROR_TYPE, f->t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f->t.error));
        CHECK_POINTER(NULL, mica_accessor_get_mut(&none, e));
        CHECK_EQUAL(1, test_error_clear(&f->t.error));
    }
    mica_accessor of_null = mica_accessor_new(NULL, f->position);
    CHECK_POINTER(NULL, mica_accessor_get(&of_null, e));
    CHECK_POINTER(NULL, mica_accessor_get_mut(&of_null, e));
    CHECK_EQUAL(0, f->t.error.calls); // there is no world to report to
    test_world_end(&other);
}

TEST_WITH(fixture, f, the_size_of_the_c_type_can_be_checked)
{
    mica_entity e = fixture_spawn(f, 1);
    mica_accessor positions = mica_accessor_new(f->world, f->position);
    mica_accessor healths = mica_accessor_new(f->world, f->health);
    mica_accessor none = mica_accessor_new(f->world, f->player);
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_accessor_new: 'Player' is a tag and has no value");
    CHECK_POINTER(mica_get(f->world, e, f->position), MICA_ACCESSOR_GET(&positions, e, Position));
    MICA_ACCESSOR_GET_MUT(&positions, e, Position)->x = 7;
    CHECK(MICA_GET(f->world, e, f->position, Position)->x == 7);
    CHECK_POINTER(NULL, MICA_ACCESSOR_GET(&healths, e, Health)); // it is not there
    CHECK_POINTER(NULL, MICA_ACCESSOR_GET(&positions, e, Health));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE,
                "MICA_ACCESSOR_GET: component 'Position' has size 8, not 4");
    CHECK_POINTER(NULL, MICA_ACCESSOR_GET_MUT(&positions, e, tracked));
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_last_error(f->world)->code);
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_POINTER(NULL, MICA_ACCESSOR_GET(&none, e, Position));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE, "MICA_ACCESSOR_GET: the accessor is none");
    CHECK_POINTER(NULL, MICA_ACCESSOR_GET_MUT(&none, e, Position));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE, "MICA_ACCESSOR_GET_MUT: the accessor is none");
}

TEST_WITH(fixture, f, another_layout_is_refused_and_says_both)
{
    mica_entity e = fixture_spawn(f, 1);
    const uint32_t layouts[] = {0, MICA_VIEW_LAYOUT + 1, MICA_VIEW_LAYOUT ^ UINT32_C(1) << 24};
    for (uint32_t i = 0; i < 3; i++) {
        mica_accessor none = mica_accessor_new_any(f->world, f->position, layouts[i]);
        char sentence[160];
        snprintf(sentence, sizeof sentence,
                 "mica_accessor_new: the program was compiled for layout %" PRIx32
                 ", the library has %" PRIx32,
                 layouts[i], MICA_VIEW_LAYOUT);
        CHECK_ERROR(&f->t, MICA_ERROR_VERSION, sentence);
        CHECK_EQUAL(0, none.size);
        CHECK_POINTER(NULL, mica_accessor_get(&none, e));
        CHECK_ERROR(&f->t, MICA_ERROR_TYPE, "mica_accessor_get: the accessor is none");
        CHECK_POINTER(NULL, mica_accessor_get_mut(&none, e));
        CHECK_ERROR(&f->t, MICA_ERROR_TYPE, "mica_accessor_get_mut: the accessor is none");
    }
    CHECK(mica_accessor_new_any(f->world, f->position, MICA_VIEW_LAYOUT).size > 0);
}

TESTS(accessor, an_accessor_gives_what_get_gives, an_accessor_stays_good_while_tables_come_and_go,
      all_types_are_reached_alike, values_in_small_tables_of_large_worlds_are_read_and_written,
      spots_come_with_growth_and_go_with_the_table, taking_a_value_mutable_counts_as_a_change,
      the_dead_are_errors, a_wrong_type_gives_an_accessor_that_gives_nothing,
      the_size_of_the_c_type_can_be_checked, another_layout_is_refused_and_says_both)
