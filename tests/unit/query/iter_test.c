#include "query/query.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "unit/query/fixture.h"

static micai_table *table_of(fixture *f, mica_entity entity)
{
    const micai_record *record = micai_slots_find(&f->world->core->slots, entity);
    return micai_row_of(&f->world->core->store, record).sheet->table;
}

// Segments

static void segments_cover_every_row_once_in_order(void)
{
    for (uint32_t count = 1; count <= 3 * MICAI_ROWS + 1; count += MICAI_ROWS / 4) {
        fixture f;
        static mica_entity entities[3 * MICAI_ROWS + 1];
        mica_world *world = fixture_begin(&f);
        fixture_spawn_movers(&f, count, entities);
        uint32_t row = 0;
        uint32_t wrong = 0;
        mica_iter it;
        mica_iter_begin(world, f.query, &it);
        CHECK_POINTER(world, it.world);
        CHECK_POINTER(NULL, it.user);
        while (mica_iter_next(&it)) {
            Position *p = mica_write(&it, 0);
            const Velocity *v = mica_read(&it, 1);
            wrong += it.count == 0 || p != mica_read(&it, 0);
            for (uint32_t i = 0; i < it.count; i++, row++) {
                wrong += !mica_entity_equal(it.entities[i], entities[row]) ||
                         p[i].x != (int32_t)row || v[i].x != -(int32_t)row ||
                         &p[i] != mica_get(world, entities[row], f.position) ||
                         &v[i] != mica_get(world, entities[row], f.velocity);
                p[i].y = v[i].x;
            }
        }
        CHECK_EQUAL(count, row);
        CHECK_EQUAL(0, wrong);
        CHECK_EQUAL(0, it.count);
        const Position *last = mica_get(world, entities[count - 1], f.position);
        CHECK_EQUAL(-(int32_t)(count - 1), last->y);
        fixture_end(&f);
    }
}

// Do the pages of the movers' columns lie side by side in these two sheets?
static bool are_adjacent(const micai_sheet *a, const micai_sheet *b)
{
    for (uint32_t c = 0; c < 3; c++) {
        if (a->pages[c].extent != b->pages[c].extent ||
            a->pages[c].data + a->pages[c].extent->page_size != b->pages[c].data) {
            return false;
        }
    }
    return true;
}

static void segments_run_across_the_pages_of_an_extent(void)
{
    enum { ROWS = 40 * MICAI_ROWS - 1 };
    fixture f;
    mica_world *world = fixture_begin(&f);
    static Position positions[ROWS];
    static Velocity velocities[ROWS];
    static mica_entity entities[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) {
        positions[i] = (Position){(int32_t)i, 0};
        velocities[i] = (Velocity){-(int32_t)i, 0};
    }
    const mica_value arrays[] = {MICA_FROM_ARRAY(f.position, positions),
                                 MICA_FROM_ARRAY(f.velocity, velocities)};
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, f.mover, ROWS, arrays, 2, entities));
    const micai_table *table = table_of(&f, entities[0]);
    uint32_t row = 0;
    uint32_t longest = 0;
    mica_iter it;
    mica_iter_begin(world, f.query, &it);
    while (mica_iter_next(&it)) {
        CHECK_BYTES(positions + row, mica_write(&it, 0), it.count * sizeof *positions);
        CHECK_BYTES(velocities + row, mica_read(&it, 1), it.count * sizeof *velocities);
        CHECK_BYTES(entities + row, it.entities, it.count * sizeof *entities);
        // It ends where it must, and not before.
        row += it.count;
        CHECK(row == ROWS ||
              (row % MICAI_ROWS == 0 &&
               !are_adjacent(micai_table_sheet(table, row - 1), micai_table_sheet(table, row))));
        longest = it.count > longest ? it.count : longest;
    }
    CHECK_EQUAL(ROWS, row);
    CHECK(longest >= 2 * MICAI_ROWS);
    fixture_end(&f);
}

static void empty_tables_have_no_segments(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_entity first = mica_spawn(world, MICA_ADD(f.position), MICA_ADD(f.velocity));
    mica_entity gone =
        mica_spawn(world, MICA_ADD(f.position), MICA_ADD(f.velocity), MICA_ADD(f.weight));
    mica_entity last =
        mica_spawn(world, MICA_ADD(f.position), MICA_ADD(f.velocity), MICA_ADD(f.frozen));
    mica_despawn(world, gone);
    mica_iter it;
    mica_iter_begin(world, f.query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(1, it.count);
    CHECK_EQUAL(first.bits, it.entities[0].bits);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(1, it.count);
    CHECK_EQUAL(last.bits, it.entities[0].bits);
    CHECK(!mica_iter_next(&it));
    mica_world_clear(world);
    mica_iter_begin(world, f.query, &it);
    CHECK(!mica_iter_next(&it));
    fixture_end(&f);
}

static void a_query_of_everything_is_iterated_too(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    fixture_spawn_movers(&f, MICAI_ROWS + 1, NULL);
    mica_spawn_empty(world);
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    uint32_t count = 0;
    mica_iter it;
    mica_iter_begin(world, all, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            count += mica_alive(world, it.entities[i]);
        }
    }
    CHECK_EQUAL(MICAI_ROWS + 2, count);
    fixture_end(&f);
}

// S0.9: an optional component is an array where it is there, NULL where it is not.
static void s0_9_optional_and_any_terms_are_null_where_they_are_absent(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_entity both = mica_spawn(world, MICA_VALUE(f.position, Position, 1, 2),
                                  MICA_VALUE(f.velocity, Velocity, 3, 4));
    mica_entity one = mica_spawn(world, MICA_VALUE(f.position, Position, 5, 6));
    mica_query query =
        mica_query_new(world, &(mica_query_desc){.terms = {
                                                     {f.velocity, MICA_OPTIONAL_WRITE},
                                                     {f.position, MICA_ANY},
                                                     {f.weight, MICA_OPTIONAL},
                                                 }});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(both.bits, it.entities[0].bits);
    CHECK_EQUAL(3, MICA_WRITE_AS(&it, 0, Velocity)->x);
    CHECK_EQUAL(3, MICA_READ_AS(&it, 0, Velocity)->x);
    CHECK_EQUAL(1, MICA_READ_AS(&it, 1, Position)->x);
    CHECK_POINTER(NULL, mica_read(&it, 2));
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(one.bits, it.entities[0].bits);
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_POINTER(NULL, MICA_WRITE_AS(&it, 0, Velocity));
    CHECK_POINTER(NULL, mica_read_row(&it, 0, 0));
    CHECK_EQUAL(5, MICA_READ_AS(&it, 1, Position)->x);
    CHECK(!mica_iter_next(&it));
    fixture_end(&f);
}

// One entity

static void one_entity_is_iterated_if_it_matches(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    static mica_entity entities[2 * MICAI_ROWS + 1];
    const uint32_t count = 2 * MICAI_ROWS + 1;
    fixture_spawn_movers(&f, count, entities);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < count; i++) {
        mica_iter it;
        mica_iter_begin_entity(world, f.query, entities[i], &it);
        REQUIRE(mica_iter_next(&it));
        wrong += it.count != 1 || !mica_entity_equal(entities[i], it.entities[0]);
        wrong += mica_write(&it, 0) != mica_get(world, entities[i], f.position);
        wrong += mica_read(&it, 1) != mica_get(world, entities[i], f.velocity);
        wrong += mica_iter_next(&it);
    }
    CHECK_EQUAL(0, wrong);
    mica_entity other = mica_spawn(world, MICA_ADD(f.position));
    mica_iter it;
    mica_iter_begin_entity(world, f.query, other, &it);
    CHECK(!mica_iter_next(&it)); // silently: it does not match
    mica_despawn(world, other);
    mica_iter_begin_entity(world, f.query, other, &it);
    CHECK_EQUAL(MICA_ERROR_ENTITY, f.t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK(!mica_iter_next(&it));
    mica_iter_begin_entity(world, f.query, mica_entity_none(), &it);
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY, "mica_iter_begin_entity: the entity is none");
    CHECK(!mica_iter_next(&it));
    fixture_end(&f);
}

static void a_row_of_a_term_is_reached_by_number(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_entity entities[3];
    fixture_spawn_movers(&f, 3, entities);
    mica_iter it;
    mica_iter_begin(world, f.query, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK_POINTER(mica_get(world, it.entities[i], f.position), mica_read_row(&it, 0, i));
            CHECK_POINTER(mica_get(world, it.entities[i], f.velocity), mica_read_row(&it, 1, i));
        }
    }
    mica_iter one;
    mica_iter_begin_entity(world, f.query, entities[0], &one);
    REQUIRE(mica_iter_next(&one));
    CHECK_POINTER(NULL, mica_read_row(&one, 0, 1));
    CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT, "mica_read_row: row 1 of a segment of 1");
    CHECK_POINTER(NULL, mica_read_row(&one, 2, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM,
                "mica_read_row: there is no term 2 of query 'movers'; it has 2");
    CHECK_POINTER(NULL, mica_read_row(&one, UINT32_MAX, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM,
                "mica_read_row: there is no term 4294967295 of query 'movers'; it has 2");
    mica_iter_end(&one);
    CHECK_POINTER(NULL, mica_read_row(&one, 0, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "mica_read_row: the iteration has ended");
    fixture_end(&f);
}

// Nesting and ending

static void the_same_query_is_iterated_inside_itself(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    const uint32_t count = MICAI_ROWS + 2;
    fixture_spawn_movers(&f, count, NULL);
    mica_spawn(world, MICA_ADD(f.position), MICA_ADD(f.velocity), MICA_ADD(f.frozen));
    uint64_t pairs = 0;
    uint32_t outer_segments = 0;
    uint32_t inner_segments = 0;
    mica_iter a;
    mica_iter_begin(world, f.query, &a);
    while (mica_iter_next(&a)) {
        outer_segments++;
        mica_iter b;
        mica_iter_begin(world, f.query, &b);
        while (mica_iter_next(&b)) {
            inner_segments++;
            pairs += (uint64_t)a.count * b.count;
        }
    }
    CHECK_EQUAL((uint64_t)(count + 1) * (count + 1), pairs);
    CHECK_EQUAL(outer_segments * outer_segments, inner_segments);
    CHECK_EQUAL(0, world->core->walks.count);
    fixture_end(&f);
}

static void iterations_are_ended_early_and_in_any_order(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    fixture_spawn_movers(&f, 2 * MICAI_ROWS, NULL);
    for (uint32_t order = 0; order < 6; order++) {
        static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                             {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        mica_iter its[3];
        for (uint32_t i = 0; i < 3; i++) {
            mica_iter_begin(world, f.query, &its[i]);
        }
        CHECK(mica_iter_next(&its[0]) && mica_iter_next(&its[2]));
        for (uint32_t i = 0; i < 3; i++) {
            CHECK(mica_entity_is_none(mica_spawn_empty(world)));
            CHECK_EQUAL(1, test_error_clear(&f.t.error));
            mica_iter *it = &its[orders[order][i]];
            mica_iter_end(it);
            CHECK_EQUAL(0, it->count);
            CHECK_EQUAL(2 - i, world->core->walks.count);
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
            mica_iter_end(it); // again: nothing happens
        }
        CHECK_EQUAL(MICA_OK, mica_despawn(world, mica_spawn_empty(world)));
    }
    // One is walked to its end while the other stands.
    mica_iter a;
    mica_iter_begin(world, f.query, &a);
    mica_iter b;
    mica_iter_begin(world, f.query, &b);
    while (mica_iter_next(&a)) {
    }
    CHECK_EQUAL(1, world->core->walks.count);
    CHECK(mica_iter_next(&b));
    mica_iter_end(&b);
    fixture_end(&f);
}

// Where they are kept does not move, and serves again.
static void many_iterations_are_open_and_ended_oldest_first(void)
{
    enum { COUNT = 2000 };
    fixture f;
    mica_world *world = fixture_begin(&f);
    fixture_spawn_movers(&f, 1, NULL);
    static mica_iter its[COUNT];
    uint64_t blocks = 0;
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            REQUIRE_EQUAL(MICA_OK, mica_iter_begin(world, f.query, &its[i]));
            REQUIRE(mica_iter_next(&its[i]));
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        CHECK_EQUAL(COUNT, world->core->walks.count);
        for (uint32_t i = 0; i < COUNT; i++) {
            REQUIRE(mica_read(&its[i], 0) == mica_read(&its[COUNT - 1], 0));
            REQUIRE_EQUAL(MICA_OK, mica_iter_end(&its[i]));
        }
        CHECK_EQUAL(0, world->core->walks.count);
        CHECK(round == 0 || blocks == f.t.memory.blocks);
        blocks = f.t.memory.blocks;
    }
    CHECK(sizeof(mica_iter) <= 96); // on whatever stack
    fixture_end(&f);
}

// A table that matches is made while one entity is iterated: before its row, and behind it. The table
// is not what the iteration is of, and has no rows.
static void a_table_that_appears_is_not_taken_for_that_of_the_one_entity(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_entity entities[3];
    fixture_spawn_movers(&f, 3, entities);
    mica_entity other = mica_entity_none();
    for (uint32_t i = 0; i < 3; i++) {
        other = mica_spawn_empty(world);
    }
    mica_iter none;
    CHECK_EQUAL(MICA_OK, mica_iter_begin_entity(world, f.query, other, &none));
    mica_iter one;
    CHECK_EQUAL(MICA_OK, mica_iter_begin_entity(world, f.query, entities[2], &one));
    CHECK(mica_iter_next(&one));
    const mica_type types[] = {f.position, f.velocity, f.weight};
    CHECK(!mica_bundle_is_none(mica_bundle_new(world, types, 3)));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    CHECK(!mica_iter_next(&none));
    CHECK(!mica_iter_next(&one));
    fixture_end(&f);
}

static void what_makes_no_rows_is_allowed_during_iteration(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_entity entities[3];
    fixture_spawn_movers(&f, 3, entities);
    uint64_t hash = mica_world_hash(world);
    uint64_t moves = mica_world_stats(world).row_moves;
    const Position p = {9, 9};
    mica_iter it;
    mica_iter_begin(world, f.query, &it);
    REQUIRE(mica_iter_next(&it));
    // What is there may be set and taken.
    CHECK_EQUAL(MICA_OK, mica_set_value(world, entities[0], f.position, &p, sizeof p));
    CHECK_EQUAL(MICA_OK, mica_set(world, entities[1], MICA_VALUE(f.position, Position, 8, 8),
                                  MICA_VALUE(f.velocity, Velocity, 7, 7)));
    CHECK_EQUAL(MICA_OK, mica_change(world, entities[1], &MICA_VALUE(f.position, Position, 6, 6), 1,
                                     &f.weight, 1));
    CHECK(mica_get_mut(world, entities[2], f.velocity) != NULL);
    CHECK(MICA_GET_MUT(world, entities[2], f.velocity, Velocity) != NULL);
    CHECK(mica_world_hash(world) != hash);
    hash = mica_world_hash(world);
    // Adding what is there and removing what is not do nothing.
    CHECK_EQUAL(MICA_OK, mica_add(world, entities[0], f.position));
    CHECK_EQUAL(MICA_OK,
                mica_add_types(world, entities[0], (mica_type[]){f.velocity, f.position}, 2));
    CHECK_EQUAL(MICA_OK, mica_set_value(world, entities[0], f.position, NULL, 0));
    CHECK_EQUAL(MICA_OK, mica_remove(world, entities[0], f.weight));
    CHECK_EQUAL(MICA_OK,
                mica_remove_types(world, entities[0], (mica_type[]){f.weight, f.frozen}, 2));
    CHECK_EQUAL(MICA_OK, mica_set_values(world, entities[0], NULL, 0));
    CHECK_EQUAL(MICA_OK, mica_change(world, entities[0], NULL, 0, NULL, 0));
    CHECK_EQUAL(hash, mica_world_hash(world));
    CHECK_EQUAL(moves, mica_world_stats(world).row_moves);
    // Names, types, queries, sets.
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, entities[0], "first"));
    CHECK_TEXT("first", mica_entity_name(world, entities[0]));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, entities[0], NULL));
    CHECK(!mica_type_is_none(MICA_TAG(world, Late)));
    mica_query late = mica_query_new(world, &(mica_query_desc){.terms = {{f.position, MICA_READ}}});
    CHECK_EQUAL(3, mica_query_count(world, late));
    CHECK_EQUAL(MICA_OK, mica_query_free(world, late));
    CHECK_EQUAL(MICA_OK, mica_entity_reserve(world, 100));
    // The segment stands where it stood.
    CHECK_POINTER(mica_get(world, it.entities[0], f.position), mica_read(&it, 0));
    mica_iter_end(&it);
    fixture_end(&f);
}

// A bundle makes a table, which the open query enters behind the others.
static void tables_may_appear_during_iteration(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    fixture_spawn_movers(&f, 1, NULL);
    mica_iter it;
    mica_iter_begin(world, f.query, &it);
    REQUIRE(mica_iter_next(&it));
    mica_type types[3] = {f.position, f.velocity};
    for (uint32_t i = 0; i < 20; i++) {
        char name[8];
        snprintf(name, sizeof name, "T%" PRIu32, i);
        types[2] = mica_type_register_tag(world, name);
        CHECK(mica_bundle_new(world, types, 3).bits != 0);
    }
    CHECK_EQUAL(21, micai_query_find(world, "test", f.query)->tables.count);
    CHECK(!mica_iter_next(&it));
    fixture_end(&f);
}

// Wrong uses

static void terms_are_used_as_they_are_declared(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_spawn(world, MICA_ADD(f.position), MICA_ADD(f.velocity), MICA_ADD(f.frozen));
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {
                                                                    {f.position, MICA_READ},
                                                                    {f.velocity, MICA_WITH},
                                                                    {f.weight, MICA_WITHOUT},
                                                                    {f.frozen, MICA_READ},
                                                                }});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM,
                "mica_write: term 0 ('Position') is only read; use mica_read, or declare it "
                "MICA_WRITE");
    CHECK_POINTER(NULL, MICA_WRITE_AS(&it, 0, Position));
    CHECK_ERROR(
        &f.t, MICA_ERROR_TERM,
        "MICA_WRITE_AS: term 0 ('Position') is only read; use mica_read, or declare it MICA_WRITE");
    CHECK_POINTER(NULL, mica_read(&it, 1));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM,
                "mica_read: term 1 ('Velocity') only filters; declare it MICA_READ or MICA_WRITE");
    CHECK_POINTER(NULL, mica_write(&it, 2));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM,
                "mica_write: term 2 ('Weight') only filters; declare it MICA_READ or MICA_WRITE");
    CHECK_POINTER(NULL, MICA_READ_AS(&it, 1, Velocity));
    CHECK_ERROR(
        &f.t, MICA_ERROR_TERM,
        "MICA_READ_AS: term 1 ('Velocity') only filters; declare it MICA_READ or MICA_WRITE");
    CHECK_POINTER(NULL, mica_read_row(&it, 1, 0));
    CHECK_ERROR(
        &f.t, MICA_ERROR_TERM,
        "mica_read_row: term 1 ('Velocity') only filters; declare it MICA_READ or MICA_WRITE");
    CHECK_POINTER(NULL, mica_read(&it, 3));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM, "mica_read: term 3 ('Frozen') is a tag and has no values");
    CHECK_POINTER(NULL, mica_read(&it, 4));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM, "mica_read: there is no term 4 of the query; it has 4");
    CHECK_POINTER(NULL, mica_write(&it, 31));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM, "mica_write: there is no term 31 of the query; it has 4");
    CHECK_POINTER(NULL, mica_read(&it, UINT32_MAX));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM,
                "mica_read: there is no term 4294967295 of the query; it has 4");
    CHECK_POINTER(NULL, MICA_READ_AS(&it, 77, Velocity));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM, "MICA_READ_AS: there is no term 77 of the query; it has 4");
    CHECK_POINTER(NULL, MICA_WRITE_AS(&it, 32, Velocity));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM, "MICA_WRITE_AS: there is no term 32 of the query; it has 4");
    // The iteration is none the worse.
    CHECK(mica_read(&it, 0) != NULL);
    CHECK(!mica_iter_next(&it));
    fixture_end(&f);
}

static void a_type_of_another_size_is_refused(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    fixture_spawn_movers(&f, 1, NULL);
    mica_iter it;
    mica_iter_begin(world, f.query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(NULL, MICA_READ_AS(&it, 1, int32_t));
    CHECK_ERROR(&f.t, MICA_ERROR_SIZE, "MICA_READ_AS: component 'Velocity' has size 8, not 4");
    CHECK_POINTER(NULL, mica_write_sized(&it, 0, 12));
    CHECK_ERROR(&f.t, MICA_ERROR_SIZE, "MICA_WRITE_AS: component 'Position' has size 8, not 12");
    CHECK_POINTER(mica_read(&it, 1), MICA_READ_AS(&it, 1, Velocity));
    CHECK_POINTER(mica_write(&it, 0), MICA_WRITE_AS(&it, 0, Position));
    mica_iter_end(&it);
    fixture_end(&f);
}

static void an_iteration_that_has_ended_says_so(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    fixture_spawn_movers(&f, 1, NULL);
    mica_iter it;
    mica_iter_begin(world, f.query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK(!mica_iter_next(&it));
    CHECK(!mica_iter_next(&it));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "mica_iter_next: the iteration has ended");
    CHECK_POINTER(NULL, mica_read(&it, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "mica_read: the iteration has ended");
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "mica_write: the iteration has ended");
    CHECK_POINTER(NULL, MICA_READ_AS(&it, 0, Position));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "MICA_READ_AS: the iteration has ended");
    CHECK_POINTER(NULL, MICA_WRITE_AS(&it, 0, Position));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "MICA_WRITE_AS: the iteration has ended");
    mica_iter_begin(world, f.query, &it);
    mica_iter_end(&it);
    CHECK(!mica_iter_next(&it));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "mica_iter_next: the iteration has ended");
    // A copy of an open one, used after its original ended.
    mica_iter_begin(world, f.query, &it);
    mica_iter copy = it;
    mica_iter_end(&it);
    CHECK(!mica_iter_next(&copy));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "mica_iter_next: the iteration has ended");
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(&copy));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "mica_iter_end: the iteration has ended");
    fixture_end(&f);
}

static void the_end_of_an_iteration_tells_why_it_ended(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    fixture_spawn_movers(&f, 1, NULL);
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(world, f.query, &it));
    while (mica_iter_next(&it)) {
    }
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it)); // it came to its end
    CHECK_EQUAL(MICA_OK, mica_iter_begin(world, f.query, &it));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it)); // it was ended,
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it)); // and has been
    CHECK_EQUAL(MICA_ERROR_QUERY, mica_iter_begin(world, mica_query_none(), &it));
    CHECK_ERROR(&f.t, MICA_ERROR_QUERY, "mica_iter_begin: the query is none");
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(MICA_ERROR_QUERY, mica_iter_end(&it)); // it never began; that was said
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_iter_begin_entity(world, f.query, mica_entity_none(), &it));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY, "mica_iter_begin_entity: the entity is none");
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_iter_end(&it));
    fixture_end(&f);
}

static void before_the_first_segment_there_is_nothing_to_read(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    fixture_spawn_movers(&f, 1, NULL);
    mica_iter it;
    mica_iter_begin(world, f.query, &it);
    CHECK_EQUAL(0, it.count);
    CHECK_POINTER(NULL, mica_read(&it, 1));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "mica_read: there is no segment before mica_iter_next");
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "mica_write: there is no segment before mica_iter_next");
    CHECK_POINTER(NULL, MICA_READ_AS(&it, 1, Velocity));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR,
                "MICA_READ_AS: there is no segment before mica_iter_next");
    CHECK_POINTER(NULL, mica_read_row(&it, 1, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR,
                "mica_read_row: there is no segment before mica_iter_next");
    CHECK(mica_iter_next(&it));
    CHECK(mica_read(&it, 1) != NULL && mica_write(&it, 0) != NULL);
    mica_iter_end(&it);
    fixture_end(&f);
}

// They report to standard error: there is no world that could be trusted. (mica_read() and
// mica_write() themselves trust what they are given, as they must to cost nothing.)
static void what_is_no_iteration_is_refused(void)
{
    mica_iter its[2];
    memset(&its[0], 0, sizeof its[0]);
    memset(&its[1], 0xA5, sizeof its[1]);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(NULL));
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(!mica_iter_next(&its[i]));
        CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(&its[i]));
        CHECK_POINTER(NULL, mica_iter_reach(&its[i], 0, false));
        CHECK_POINTER(NULL, mica_read_row(&its[i], 0, 0));
        CHECK_POINTER(NULL, mica_read_sized(&its[i], 0, 4));
        CHECK_POINTER(NULL, mica_write_sized(&its[i], 0, 4));
    }
    CHECK_POINTER(NULL, mica_read(&its[0], 0));
    CHECK_POINTER(NULL, mica_write(&its[0], 0));
    CHECK(!mica_iter_next(NULL));
    CHECK_POINTER(NULL, mica_read_row(NULL, 0, 0));
    CHECK_POINTER(NULL, mica_read_sized(NULL, 0, 4));
    CHECK_POINTER(NULL, mica_write_sized(NULL, 0, 4));
}

// Two loops

typedef struct trace {
    uint64_t rows;  // hash of entities and where their values are
    uint64_t world; // digest afterwards
    uint32_t count;
} trace;

// Some rows of a query, by one of the loops.
static trace walk(mica_world *world, micai_query *query, bool simple, uint32_t match, uint32_t row,
                  uint32_t rows)
{
    trace seen = {0};
    mica_iter it;
    bool kept = query->simple;
    query->simple = simple;
    micai_iter_aim(&it, world, micai_query_walk(world, "test", query, NULL), match, row, rows);
    query->simple = kept;
    while (mica_iter_next(&it)) {
        CHECK(it.count > 0);
        for (uint32_t i = 0; i < it.count; i++) {
            seen.rows = micai_hash_add(seen.rows, it.entities[i].bits);
            for (uint32_t t = 0; t < query->term_count; t++) {
                const void *value = query->readable >> t & 1 ? mica_read_row(&it, t, i) : NULL;
                seen.rows = micai_hash_add(seen.rows, (uintptr_t)value);
            }
        }
        seen.count += it.count;
    }
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    seen.world = mica_world_digest(world);
    return seen;
}

static void check_alike(trace a, trace b)
{
    CHECK_EQUAL(a.count, b.count);
    CHECK_EQUAL(a.rows, b.rows);
    CHECK_EQUAL(a.world, b.world);
}

static void both_loops_give_the_same_rows_in_the_same_order(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    static mica_entity entities[5 * MICAI_ROWS + 3];
    const uint32_t count = 5 * MICAI_ROWS + 3;
    fixture_spawn_movers(&f, count, entities);
    for (uint32_t i = 0; i < count; i += 3) {
        mica_add(world, entities[i], i % 2 ? f.frozen : f.weight);
    }
    mica_despawn_many(world, entities, 5);
    const mica_query_desc descs[] = {
        {.everything = true},
        {.terms = {{f.position, MICA_WRITE}, {f.velocity, MICA_READ}}},
        {.terms = {{f.weight, MICA_OPTIONAL_WRITE}, {f.position, MICA_WITH}}},
        {.terms = {{f.frozen, MICA_ANY}, {f.weight, MICA_ANY}, {f.velocity, MICA_WRITE}}},
    };
    for (uint32_t q = 0; q < sizeof descs / sizeof descs[0]; q++) {
        micai_query *query = micai_query_find(world, "test", mica_query_new(world, &descs[q]));
        world->view.tick++;
        trace simple = walk(world, query, true, 0, 0, UINT32_MAX);
        CHECK(simple.count > 0);
        check_alike(simple, walk(world, query, false, 0, 0, UINT32_MAX));
        for (uint32_t i = 0; i < count; i += MICAI_ROWS / 2) {
            const micai_record *record = micai_slots_find(&world->core->slots, entities[i]);
            if (!record) {
                continue;
            }
            micai_row row = micai_row_of(&world->core->store, record);
            uint32_t match = 0;
            while (match < query->tables.count &&
                   query->tables.items[match] != micai_row_table(row)) {
                match++;
            }
            world->view.tick++; // the first of them stamps
            simple = walk(world, query, i % 4 == 0, match, micai_row_number(row), 1);
            check_alike(simple, walk(world, query, i % 4 != 0, match, micai_row_number(row), 1));
        }
    }
    fixture_end(&f);
}

// As batches will be: some rows, from the middle of one table's to the middle of another's.
static void an_iterator_is_aimed_at_any_rows(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    const uint32_t count = 3 * MICAI_ROWS;
    static mica_entity entities[3 * MICAI_ROWS];
    fixture_spawn_movers(&f, count, entities);
    mica_spawn(world, MICA_ADD(f.position), MICA_ADD(f.velocity), MICA_ADD(f.frozen));
    micai_query *query = micai_query_find(world, "test", f.query);
    for (uint32_t row = 0; row < count; row += MICAI_ROWS / 2) {
        for (uint32_t rows = 0; rows <= count - row + 1; rows += MICAI_ROWS / 2 + 1) {
            mica_iter it;
            micai_iter_aim(&it, world, micai_query_walk(world, "test", query, NULL), 0, row, rows);
            uint32_t next = row;
            while (mica_iter_next(&it)) {
                for (uint32_t i = 0; i < it.count; i++, next++) {
                    REQUIRE(next == count || mica_entity_equal(entities[next], it.entities[i]));
                    REQUIRE(mica_write_row(&it, 0, i) ==
                            mica_get(world, it.entities[i], f.position));
                }
            }
            CHECK_EQUAL(row + rows, next);
        }
    }
    fixture_end(&f);
}

// Hooks

static mica_query hook_query;
static mica_result hook_results[2];

static mica_result iterate_in_a_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target;
    (void)count;
    mica_world *world = context->type->user;
    mica_iter it;
    hook_results[0] = mica_iter_begin(world, hook_query, &it);
    CHECK(!mica_iter_next(&it));
    hook_results[1] = mica_iter_begin_entity(world, hook_query, mica_entity_none(), &it);
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_iter_end(&it));
    return MICA_OK;
}

static void a_hook_cannot_iterate(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    hook_query = f.query;
    mica_type type =
        mica_type_register(world, &(mica_type_desc){.name = "Hooked",
                                                    .size = 4,
                                                    .align = 4,
                                                    .user = world,
                                                    .hooks.construct = iterate_in_a_hook});
    CHECK(!mica_entity_is_none(mica_spawn(world, MICA_ADD(type))));
    CHECK_EQUAL(MICA_ERROR_HOOK, hook_results[0]);
    CHECK_EQUAL(MICA_ERROR_HOOK, hook_results[1]);
    CHECK_EQUAL(2, f.t.error.calls);
    CHECK_TEXT("mica_iter_begin_entity: refused inside the construct hook of 'Hooked'",
               mica_last_error(world)->sentence);
    test_error_clear(&f.t.error);
    CHECK_EQUAL(0, world->core->gate.busy);
    fixture_end(&f);
}

// Ticks, shared pages, memory

static void write_terms_stamp_the_pages_and_read_terms_do_not(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_entity entities[1];
    fixture_spawn_movers(&f, 1, entities);
    mica_query reading = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.position, MICA_READ}, {f.velocity, MICA_OPTIONAL}}});
    world->view.tick = 50;
    uint64_t digest = mica_world_digest(world);
    mica_iter it;
    mica_iter_begin(world, reading, &it);
    while (mica_iter_next(&it)) {
    }
    mica_iter_begin(world, f.query, &it); // opened, not walked
    mica_iter_end(&it);
    CHECK_EQUAL(digest, mica_world_digest(world));
    mica_iter_begin(world, f.query, &it);
    while (mica_iter_next(&it)) {
    }
    CHECK(digest != mica_world_digest(world));
    const micai_sheet *sheet = table_of(&f, entities[0])->sheets.items[0];
    CHECK_EQUAL(50, sheet->pages[1].tick); // position
    CHECK(sheet->pages[0].tick != 50 && sheet->pages[2].tick != 50);
    mica_query optional =
        mica_query_new(world, &(mica_query_desc){.terms = {{f.weight, MICA_OPTIONAL_WRITE},
                                                           {f.velocity, MICA_OPTIONAL_WRITE}}});
    world->view.tick = 60;
    mica_iter_begin_entity(world, optional, entities[0], &it);
    while (mica_iter_next(&it)) {
    }
    CHECK_EQUAL(60, sheet->pages[2].tick);
    CHECK_EQUAL(50, sheet->pages[1].tick);
    fixture_end(&f);
}

static void all_pages_of_a_written_segment_are_stamped(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    const uint32_t count = 12 * MICAI_ROWS;
    static mica_entity entities[12 * MICAI_ROWS];
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, f.mover, count, NULL, 0, entities));
    world->view.tick = 50;
    mica_iter it;
    mica_iter_begin(world, f.query, &it);
    while (mica_iter_next(&it)) {
    }
    const micai_table *table = table_of(&f, entities[0]);
    for (uint32_t i = 0; i < count / MICAI_ROWS; i++) {
        CHECK_EQUAL(50, table->sheets.items[i]->pages[1].tick);
        CHECK(table->sheets.items[i]->pages[2].tick != 50);
    }
    fixture_end(&f);
}

// As somebody who keeps a snapshot does: a second reference to pages of the movers' table. The
// other holder's pages are let go with release_shared().
static void share(fixture *f, micai_table *table, uint32_t sheet, uint32_t column,
                  micai_page *kept_out)
{
    micai_sheet_share_page(&f->world->core->store, table->sheets.items[sheet], column);
    *kept_out = table->sheets.items[sheet]->pages[column];
}

static void release_shared(fixture *f, micai_page *kept)
{
    micai_page_release(&f->world->host, kept);
}

static void shared_pages_are_copied_before_they_are_written(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    const uint32_t count = 4 * MICAI_ROWS;
    static mica_entity entities[4 * MICAI_ROWS];
    fixture_spawn_movers(&f, count, entities);
    micai_table *table = table_of(&f, entities[0]);
    static Position before[4 * MICAI_ROWS];
    for (uint32_t i = 0; i < count; i++) {
        before[i] = *(const Position *)mica_get(world, entities[i], f.position);
    }
    // The first, one in the middle of an extent, and a page that is only read.
    micai_page kept[3];
    share(&f, table, 0, 1, &kept[0]);
    share(&f, table, 2, 1, &kept[1]);
    share(&f, table, 3, 2, &kept[2]);
    uint64_t copies = mica_world_stats(world).page_copies;

    // Reading copies nothing.
    mica_query reading = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.position, MICA_READ}, {f.velocity, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(world, reading, &it);
    uint32_t rows = 0;
    while (mica_iter_next(&it)) {
        rows += it.count;
    }
    CHECK_EQUAL(count, rows);
    CHECK_EQUAL(copies, mica_world_stats(world).page_copies);
    CHECK_POINTER(kept[0].data, table->sheets.items[0]->pages[1].data);

    rows = 0;
    mica_iter_begin(world, f.query, &it);
    while (mica_iter_next(&it)) {
        Position *p = mica_write(&it, 0);
        for (uint32_t i = 0; i < it.count; i++, rows++) {
            p[i].x += 1000000;
        }
    }
    CHECK_EQUAL(count, rows);
    CHECK_EQUAL(copies + 2, mica_world_stats(world).page_copies);
    CHECK_BYTES(&before[0], kept[0].data, MICAI_ROWS * sizeof(Position));
    CHECK_BYTES(&before[2 * MICAI_ROWS], kept[1].data, MICAI_ROWS * sizeof(Position));
    CHECK_POINTER(kept[2].data, table->sheets.items[3]->pages[2].data);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < count; i++) {
        const Position *p = mica_get(world, entities[i], f.position);
        wrong += p->x != before[i].x + 1000000;
    }
    CHECK_EQUAL(0, wrong);
    for (uint32_t i = 0; i < 3; i++) {
        release_shared(&f, &kept[i]);
    }
    fixture_end(&f);
}

// However a page came to be copied, the segments before and after it end there.
static void a_page_that_was_copied_lies_beside_no_other(void)
{
    for (uint32_t way = 0; way < 4; way++) {
        fixture f;
        mica_world *world = fixture_begin(&f);
        enum { COUNT = 8 * MICAI_ROWS };
        static mica_entity entities[COUNT];
        fixture_spawn_movers(&f, COUNT, entities);
        micai_table *table = table_of(&f, entities[0]);
        for (uint32_t sheet = 1; sheet < 7; sheet += 2) {
            for (uint32_t column = 0; column < 3; column++) {
                micai_page kept;
                share(&f, table, sheet, column, &kept);
                mica_entity entity = entities[sheet * MICAI_ROWS];
                const Position p = {(int32_t)(sheet * MICAI_ROWS), 7};
                mica_result result = MICA_OK;
                switch (way) {
                case 0: result = mica_set_value(world, entity, f.position, &p, sizeof p); break;
                case 1:
                    result = mica_set(world, entity, MICA_VALUE(f.position, Position, p.x, 7));
                    break;
                case 2: CHECK(mica_get_mut(world, entity, f.position) != NULL); break;
                default:
                    // Into the last row and out again: the rows of both sheets are written.
                    result = mica_add(world, entity, f.frozen);
                    result = result ? result : mica_remove(world, entity, f.frozen);
                    break;
                }
                CHECK_EQUAL(MICA_OK, result);
                release_shared(&f, &kept);
            }
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        uint32_t rows = 0;
        uint32_t wrong = 0;
        mica_iter it;
        mica_iter_begin(world, f.query, &it);
        while (mica_iter_next(&it)) {
            Position *p = mica_write(&it, 0);
            const Velocity *v = mica_read(&it, 1);
            for (uint32_t i = 0; i < it.count; i++, rows++) {
                wrong += &p[i] != mica_get(world, it.entities[i], f.position) ||
                         &v[i] != mica_get(world, it.entities[i], f.velocity) || p[i].x != -v[i].x;
            }
        }
        CHECK_EQUAL(COUNT, rows);
        CHECK_EQUAL(0, wrong);
        fixture_end(&f);
    }
}

static void a_shared_page_that_cannot_be_copied_ends_the_iteration(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_entity entities[2];
    fixture_spawn_movers(&f, 2, entities);
    mica_query both = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.position, MICA_WRITE}, {f.velocity, MICA_WRITE}}});
    micai_page kept;
    share(&f, table_of(&f, entities[0]), 0, 2, &kept);
    world->view.tick = 50;
    uint64_t digest = mica_world_digest(world);
    mica_iter it;
    mica_iter_begin(world, both, &it);
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(MICA_ERROR_MEMORY, f.t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_last_error(world)->code);
    CHECK_EQUAL(0, world->core->walks.count);
    CHECK_EQUAL(0, it.count);
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_iter_end(&it)); // it does not look finished
    CHECK(!mica_iter_next(&it));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR, "mica_iter_next: the iteration has ended");
    // With memory it works.
    mica_iter_begin(world, both, &it);
    CHECK(mica_iter_next(&it));
    mica_iter_end(&it);
    release_shared(&f, &kept);
    fixture_end(&f);
}

static void an_iteration_that_gets_no_memory_has_no_segments(void)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    fixture_spawn_movers(&f, 1, NULL);
    mica_iter its[40];
    uint32_t open = 0;
    uint64_t digest = mica_world_digest(world);
    // Memory is asked for by each that no iteration has left any behind for.
    for (uint32_t i = 0; i < 40; i++) {
        test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
        mica_iter_begin(world, f.query, &its[i]);
        if (f.t.memory.refusals > 0) {
            CHECK_EQUAL(MICA_ERROR_MEMORY, f.t.error.last.code);
            CHECK_EQUAL(1, test_error_clear(&f.t.error));
            CHECK(!mica_iter_next(&its[i])); // silently: it was said
            CHECK_EQUAL(MICA_ERROR_MEMORY, mica_iter_end(&its[i]));
            test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
            mica_iter_begin(world, f.query, &its[i]);
            open++;
        }
    }
    test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK(open >= 3);
    CHECK_EQUAL(40, world->core->walks.count);
    CHECK_EQUAL(digest, mica_world_digest(world));
    for (uint32_t i = 0; i < 40; i++) {
        CHECK(mica_iter_next(&its[i]));
        mica_iter_end(&its[i]);
    }
    fixture_end(&f);
}

// Of an iterator whose address is known, and only of that, it is looked at what is in it.
static void an_iterator_that_is_in_use_begins_nothing_else(void)
{
    fixture f;
    fixture_begin(&f);
    fixture_spawn_movers(&f, 1, NULL);
    mica_iter it;
    mica_iter other;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f.world, f.query, &it));
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f.world, f.query, &other));
    CHECK(mica_iter_next(&it));
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_EQUAL(MICA_ERROR_ITERATOR,
                    i == 0 ? mica_iter_begin(f.world, f.query, &it)
                           : mica_iter_begin_entity(f.world, f.query, it.entities[0], &it));
        CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR,
                    i == 0
                        ? "mica_iter_begin: this iterator has an iteration open; end that with "
                          "mica_iter_end or, if it is lost, mica_world_end_iterations"
                        : "mica_iter_begin_entity: this iterator has an iteration open; end that "
                          "with mica_iter_end or, if it is lost, mica_world_end_iterations");
        CHECK(mica_read(&it, 0) != NULL); // it goes on
    }
    mica_iter copy = it; // which is known by nothing
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f.world, f.query, &copy));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&copy));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f.world, f.query, &it)); // it has ended
    memset(&it, 0x5a, sizeof it); // lost, and others came to be in its place
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f.world, f.query, &it));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    CHECK_EQUAL(2, mica_world_end_iterations(f.world));
    fixture_end(&f);
}

static void what_is_only_read_is_told_what_to_declare(void)
{
    fixture f;
    fixture_begin(&f);
    mica_spawn(f.world, MICA_ADD(f.position), MICA_ADD(f.velocity));
    mica_query query = mica_query_new(
        f.world,
        &(mica_query_desc){.name = "some",
                           .terms = {{f.position, MICA_OPTIONAL}, {f.velocity, MICA_ANY}}});
    mica_iter it;
    mica_iter_begin(f.world, query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM,
                "mica_write: term 0 ('Position') of query 'some' is only read; use mica_read, or "
                "declare it MICA_OPTIONAL_WRITE");
    CHECK_POINTER(NULL, mica_write(&it, 1));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM,
                "mica_write: term 1 ('Velocity') of query 'some' is only read, as MICA_ANY is; use "
                "mica_read, or mica_get_mut per entity");
    CHECK_POINTER(NULL, mica_write(&it, 2));
    CHECK_ERROR(&f.t, MICA_ERROR_TERM, "mica_write: there is no term 2 of query 'some'; it has 2");
    mica_iter_end(&it);
    fixture_end(&f);
}

TESTS(iter, an_iterator_that_is_in_use_begins_nothing_else,
      what_is_only_read_is_told_what_to_declare, segments_cover_every_row_once_in_order,
      segments_run_across_the_pages_of_an_extent, empty_tables_have_no_segments,
      a_query_of_everything_is_iterated_too,
      s0_9_optional_and_any_terms_are_null_where_they_are_absent,
      one_entity_is_iterated_if_it_matches, a_row_of_a_term_is_reached_by_number,
      the_same_query_is_iterated_inside_itself, iterations_are_ended_early_and_in_any_order,
      many_iterations_are_open_and_ended_oldest_first,
      what_makes_no_rows_is_allowed_during_iteration, tables_may_appear_during_iteration,
      a_table_that_appears_is_not_taken_for_that_of_the_one_entity,

      terms_are_used_as_they_are_declared, a_type_of_another_size_is_refused,
      an_iteration_that_has_ended_says_so, the_end_of_an_iteration_tells_why_it_ended,
      both_loops_give_the_same_rows_in_the_same_order, an_iterator_is_aimed_at_any_rows,
      a_hook_cannot_iterate, before_the_first_segment_there_is_nothing_to_read,
      what_is_no_iteration_is_refused, write_terms_stamp_the_pages_and_read_terms_do_not,
      all_pages_of_a_written_segment_are_stamped, shared_pages_are_copied_before_they_are_written,
      a_page_that_was_copied_lies_beside_no_other,
      a_shared_page_that_cannot_be_copied_ends_the_iteration,
      an_iteration_that_gets_no_memory_has_no_segments)
