// Iterating: segments, one entity, rows, the two loops.
#include "query/query.h"

#include "base/hash.h"
#include "unit/query/fixture.h"

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
                wrong += !MICA_EQUAL(it.entities[i], entities[row]) || p[i].x != (int32_t)row ||
                         v[i].x != -(int32_t)row ||
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
            a->pages[c].data + a->pages[c].extent->unit != b->pages[c].data) {
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
    const mica_value arrays[] = {MICA_COPY_OF_ARRAY(f.position, positions),
                                 MICA_COPY_OF_ARRAY(f.velocity, velocities)};
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, f.mover, ROWS, arrays, 2, entities));
    const micai_table *table = fixture_table(&f, entities[0]);
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

TEST_WITH(fixture, f, empty_tables_have_no_segments)
{
    mica_world *world = f->world;
    mica_entity first = mica_spawn(world, MICA_ADD(f->position), MICA_ADD(f->velocity));
    mica_entity gone =
        mica_spawn(world, MICA_ADD(f->position), MICA_ADD(f->velocity), MICA_ADD(f->weight));
    mica_entity last =
        mica_spawn(world, MICA_ADD(f->position), MICA_ADD(f->velocity), MICA_ADD(f->frozen));
    mica_despawn(world, gone);
    mica_iter it;
    mica_iter_begin(world, f->query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(1, it.count);
    CHECK_EQUAL(first.bits, it.entities[0].bits);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(1, it.count);
    CHECK_EQUAL(last.bits, it.entities[0].bits);
    CHECK(!mica_iter_next(&it));
    mica_world_clear(world);
    mica_iter_begin(world, f->query, &it);
    CHECK(!mica_iter_next(&it));
}

TEST_WITH(fixture, f, a_query_of_everything_is_iterated_too)
{
    mica_world *world = f->world;
    fixture_spawn_movers(f, MICAI_ROWS + 1, NULL);
    mica_spawn_values(world, NULL, 0);
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
}

// S0.9: an optional component is an array where it is there, NULL where it is not.
TEST_WITH(fixture, f, s0_9_optional_and_any_terms_are_null_where_they_are_absent)
{
    mica_world *world = f->world;
    mica_entity both = mica_spawn(world, MICA_VALUE(f->position, Position, 1, 2),
                                  MICA_VALUE(f->velocity, Velocity, 3, 4));
    mica_entity one = mica_spawn(world, MICA_VALUE(f->position, Position, 5, 6));
    mica_query query =
        mica_query_new(world, &(mica_query_desc){.terms = {
                                                     {f->velocity, MICA_OPTIONAL_WRITE},
                                                     {f->position, MICA_ANY},
                                                     {f->weight, MICA_OPTIONAL},
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
}

// One entity

TEST_WITH(fixture, f, one_entity_is_iterated_if_it_matches)
{
    mica_world *world = f->world;
    static mica_entity entities[2 * MICAI_ROWS + 1];
    const uint32_t count = 2 * MICAI_ROWS + 1;
    fixture_spawn_movers(f, count, entities);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < count; i++) {
        mica_iter it;
        mica_iter_begin_entity(world, f->query, entities[i], &it);
        REQUIRE(mica_iter_next(&it));
        wrong += it.count != 1 || !MICA_EQUAL(entities[i], it.entities[0]);
        wrong += mica_write(&it, 0) != mica_get(world, entities[i], f->position);
        wrong += mica_read(&it, 1) != mica_get(world, entities[i], f->velocity);
        wrong += mica_iter_next(&it);
    }
    CHECK_EQUAL(0, wrong);
    mica_entity other = mica_spawn(world, MICA_ADD(f->position));
    mica_iter it;
    mica_iter_begin_entity(world, f->query, other, &it);
    CHECK(!mica_iter_next(&it)); // silently: it does not match
    mica_despawn(world, other);
    mica_iter_begin_entity(world, f->query, other, &it);
    CHECK_EQUAL(MICA_ERROR_ENTITY, f->t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK(!mica_iter_next(&it));
    mica_iter_begin_entity(world, f->query, (mica_entity){0}, &it);
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_iter_begin_entity: the entity is none");
    CHECK(!mica_iter_next(&it));
}

TEST_WITH(fixture, f, a_row_of_a_term_is_reached_by_number)
{
    mica_world *world = f->world;
    mica_entity entities[3];
    fixture_spawn_movers(f, 3, entities);
    mica_iter it;
    mica_iter_begin(world, f->query, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK_POINTER(mica_get(world, it.entities[i], f->position), mica_read_row(&it, 0, i));
            CHECK_POINTER(mica_get(world, it.entities[i], f->velocity), mica_read_row(&it, 1, i));
        }
    }
    mica_iter one;
    mica_iter_begin_entity(world, f->query, entities[0], &one);
    REQUIRE(mica_iter_next(&one));
    CHECK_POINTER(NULL, mica_read_row(&one, 0, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_read_row: row 1 of a segment of 1");
    CHECK_POINTER(NULL, mica_read_row(&one, 2, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM,
                "mica_read_row: there is no term 2 of query 'movers'; it has 2");
    CHECK_POINTER(NULL, mica_read_row(&one, UINT32_MAX, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_TERM,
                "mica_read_row: there is no term 4294967295 of query 'movers'; it has 2");
    mica_iter_end(&one);
    CHECK_POINTER(NULL, mica_read_row(&one, 0, 0));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "mica_read_row: the iteration has ended");
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
    micai_iter_init(&it, world, micai_query_open_walk(world, "test", query, NULL), match, row,
                    rows);
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

TEST_WITH(fixture, f, both_loops_give_the_same_rows_in_the_same_order)
{
    mica_world *world = f->world;
    static mica_entity entities[5 * MICAI_ROWS + 3];
    const uint32_t count = 5 * MICAI_ROWS + 3;
    fixture_spawn_movers(f, count, entities);
    for (uint32_t i = 0; i < count; i += 3) {
        mica_add(world, entities[i], i % 2 ? f->frozen : f->weight);
    }
    mica_despawn_many(world, entities, 5);
    const mica_query_desc descs[] = {
        {.everything = true},
        {.terms = {{f->position, MICA_WRITE}, {f->velocity, MICA_READ}}},
        {.terms = {{f->weight, MICA_OPTIONAL_WRITE}, {f->position, MICA_WITH}}},
        {.terms = {{f->frozen, MICA_ANY}, {f->weight, MICA_ANY}, {f->velocity, MICA_WRITE}}},
    };
    for (uint32_t q = 0; q < sizeof descs / sizeof descs[0]; q++) {
        micai_query *query = micai_query_find(world, "test", mica_query_new(world, &descs[q]));
        world->view.tick++;
        trace simple = walk(world, query, true, 0, 0, UINT32_MAX);
        CHECK(simple.count > 0);
        check_alike(simple, walk(world, query, false, 0, 0, UINT32_MAX));
        for (uint32_t i = 0; i < count; i += MICAI_ROWS / 2) {
            const micai_record *record = micai_slots_find(&world->state->slots, entities[i]);
            if (!record) {
                continue;
            }
            micai_row row = micai_row_of(&world->state->store, record);
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
}

// As batches will be: some rows, from the middle of one table's to the middle of another's.
TEST_WITH(fixture, f, an_iterator_is_aimed_at_any_rows)
{
    mica_world *world = f->world;
    const uint32_t count = 5 * MICAI_ROWS;
    static mica_entity entities[5 * MICAI_ROWS];
    for (uint32_t row = 0; row < 4 * MICAI_ROWS; row += 2 * MICAI_ROWS) { // two sheets side by side
        REQUIRE(!mica_spawn_many(world, f->mover, 2 * MICAI_ROWS, NULL, 0, entities + row));
    }
    fixture_spawn_movers(f, MICAI_ROWS, entities + 4 * MICAI_ROWS);
    mica_spawn(world, MICA_ADD(f->position), MICA_ADD(f->velocity), MICA_ADD(f->frozen));
    micai_query *query = micai_query_find(world, "test", f->query);
    for (uint32_t row = 0; row < count; row += MICAI_ROWS / 2) {
        for (uint32_t rows = 0; rows <= count - row + 1; rows += MICAI_ROWS / 2 + 1) {
            mica_iter it;
            micai_iter_init(&it, world, micai_query_open_walk(world, "test", query, NULL), 0, row,
                            rows);
            uint32_t next = row;
            while (mica_iter_next(&it)) {
                for (uint32_t i = 0; i < it.count; i++, next++) {
                    REQUIRE(next == count || MICA_EQUAL(entities[next], it.entities[i]));
                    REQUIRE(mica_write_row(&it, 0, i) ==
                            mica_get(world, it.entities[i], f->position));
                }
            }
            CHECK_EQUAL(row + rows, next);
        }
    }
}

TESTS(iter, segments_cover_every_row_once_in_order, segments_run_across_the_pages_of_an_extent,
      empty_tables_have_no_segments, a_query_of_everything_is_iterated_too,
      s0_9_optional_and_any_terms_are_null_where_they_are_absent,
      one_entity_is_iterated_if_it_matches, a_row_of_a_term_is_reached_by_number,
      both_loops_give_the_same_rows_in_the_same_order, an_iterator_is_aimed_at_any_rows)
