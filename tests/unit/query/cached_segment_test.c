// Small tables again and again: where their values are is looked up once, while nothing moves.
#include "query/segment_internal.h"

#include "unit/query/fixture.h"

// Walks the movers and adds to each; the rows there were.
static uint32_t walk(fixture *f, int32_t add)
{
    uint32_t rows = 0;
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f->world, f->query, &it));
    while (mica_iter_next(&it)) {
        Position *position = mica_write(&it, 0);
        const Velocity *velocity = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++, rows++) {
            const Velocity *own = mica_get(f->world, it.entities[i], f->velocity);
            CHECK_POINTER(own, &velocity[i]);
            position[i].y += add;
        }
    }
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    return rows;
}

// Does the next iteration go by cached segments, if nothing happens before? Queries that the general loop is to iterate
// have none.
static bool is_cached(const fixture *f)
{
    const micai_query *query = micai_query_look_up(f->world, f->query);
    return query->cached_at == f->world->state->store.address_changes;
}

#ifdef MICAI_TEST_GENERAL_LOOP
enum { CACHES = 0 };
#else
enum { CACHES = 1 };
#endif

TEST_WITH(fixture, f, the_second_iteration_looks_up_where_values_are_and_the_third_does_not)
{
    mica_world *world = f->world;
    fixture_spawn_movers(f, 3, NULL);
    CHECK_EQUAL(3, walk(f, 1));
    CHECK(!is_cached(f));
    uint64_t blocks = f->t.memory.blocks;
    CHECK_EQUAL(3, walk(f, 1));
    CHECK_EQUAL(CACHES, is_cached(f));
    CHECK_EQUAL(blocks + CACHES, f->t.memory.blocks);
    CHECK_EQUAL(3, walk(f, 1));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK(f->t.memory.blocks <= blocks);
    CHECK_EQUAL(3, walk(f, 1));
}

TEST_WITH(fixture, f, rows_that_come_and_go_are_seen_without_looking_again)
{
    mica_world *world = f->world;
    mica_entity movers[3];
    fixture_spawn_movers(f, 3, movers);
    walk(f, 1);
    walk(f, 1);
    CHECK_EQUAL(CACHES, is_cached(f));
    mica_despawn(world, movers[0]);
    CHECK_EQUAL(CACHES, is_cached(f));
    CHECK_EQUAL(2, walk(f, 1));
    mica_despawn(world, movers[1]);
    mica_despawn(world, movers[2]);
    CHECK_EQUAL(0, walk(f, 1));
    fixture_spawn_movers(f, 2, NULL);
    CHECK_EQUAL(2, walk(f, 1));
}

// Tables that grow, that are new, that become large, that are emptied and go.
TEST_WITH(fixture, f, whatever_moves_is_looked_up_again)
{
    mica_world *world = f->world;
    static mica_entity entities[8 * 5 + 28 * 40 + 4 * (MICAI_ROWS / 2)]; // of all rounds
    uint32_t count = 0;
    for (uint32_t round = 0; round < 12; round++) {
        uint32_t more = round < 8 ? 5 + round * 40 : MICAI_ROWS / 2;
        fixture_spawn_movers(f, more, &entities[count]);
        count += more;
        if (round % 3 == 1) {
            CHECK_EQUAL(MICA_OK, mica_add(world, entities[round], f->frozen));
        }
        for (uint32_t again = 0; again < 3; again++) {
            CHECK_EQUAL(count, walk(f, 1));
        }
        CHECK_EQUAL(CACHES, is_cached(f));
    }
    for (uint32_t i = 0; i < count; i++) {
        CHECK_EQUAL(MICA_OK, mica_despawn(world, entities[i]));
    }
    CHECK_EQUAL(0, walk(f, 1));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK_EQUAL(0, walk(f, 1));
    CHECK_EQUAL(0, walk(f, 1));
}

TEST_WITH(fixture, f, pages_are_stamped_and_those_of_missing_components_are_none)
{
    mica_world *world = f->world;
    mica_entity entities[2];
    fixture_spawn_movers(f, 2, entities);
    CHECK_EQUAL(MICA_OK, mica_remove(world, entities[1], f->velocity));
    mica_query optional =
        mica_query_new(world, &(mica_query_desc){.terms = {{f->position, MICA_READ},
                                                           {f->velocity, MICA_OPTIONAL_WRITE}}});
    for (uint64_t tick = 50; tick < 54; tick++) {
        world->view.tick = tick;
        uint32_t there = 0, missing = 0;
        mica_iter it;
        mica_iter_begin(world, optional, &it);
        while (mica_iter_next(&it)) {
            there += mica_write(&it, 1) != NULL;
            missing += mica_write(&it, 1) == NULL;
        }
        CHECK_EQUAL(1, there);
        CHECK_EQUAL(1, missing);
        const micai_sheet *sheet = fixture_table(f, entities[0])->sheets.items[0];
        CHECK_EQUAL(tick, sheet->pages[2].tick);
        CHECK(sheet->pages[1].tick < 50);
    }
}

// Nothing but the lookup is lost.
TEST_WITH(fixture, f, without_memory_it_goes_on_as_before)
{
    fixture_spawn_movers(f, 3, NULL);
    walk(f, 1);
    test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONWARDS);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQUAL(3, walk(f, 1));
        CHECK(!is_cached(f));
    }
    test_memory_fail_at(&f->t.memory, 0, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(3, walk(f, 1));
    CHECK_EQUAL(CACHES, is_cached(f));
}

// An iteration by cached segments goes on by itself when a page moves before its next segment.
TEST_WITH(fixture, f, pages_that_move_in_the_middle_of_an_iteration_are_found)
{
    mica_world *world = f->world;
    mica_entity entities[4];
    fixture_spawn_movers(f, 4, entities);
    mica_add(world, entities[2], f->frozen);
    mica_add(world, entities[3], f->frozen);
    walk(f, 1);
    walk(f, 1);
    CHECK_EQUAL(CACHES, is_cached(f));
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(world, f->query, &it));
    CHECK(mica_iter_next(&it));
    micai_table *other =
        fixture_table(f, it.entities[0].bits == entities[0].bits ? entities[2] : entities[0]);
    micai_sheet *sheet = other->sheets.items[0];
    const unsigned char *before = sheet->pages[1].data;
    micai_extent *extent =
        micai_extent_new(&world->host, sizeof(Position), _Alignof(Position), sheet->capacity, 1);
    REQUIRE(extent != NULL);
    micai_sheet_move_page(&world->state->store, sheet, 1, micai_extent_page(extent, 0));
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(2, it.count);
    Position *position = mica_write(&it, 0);
    CHECK(position && (unsigned char *)position == sheet->pages[1].data);
    CHECK((unsigned char *)position != before);
    position->x = 77;
    CHECK_EQUAL(77, ((const Position *)mica_get(world, it.entities[0], f->position))->x);
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(4, walk(f, 1));
}

// What an open iteration looks at is not made anew by another.
TEST_WITH(fixture, f, iterations_of_one_query_inside_each_other_have_the_same_rows)
{
    mica_world *world = f->world;
    mica_entity entities[4];
    fixture_spawn_movers(f, 4, entities);
    mica_add(world, entities[1], f->frozen);
    for (uint32_t round = 0; round < 3; round++) {
        uint32_t rows = 0;
        mica_iter outer;
        mica_iter_begin(world, f->query, &outer);
        while (mica_iter_next(&outer)) {
            const Velocity *velocity = mica_read(&outer, 1);
            CHECK_EQUAL(4, walk(f, 1));
            micai_table *table = fixture_table(f, outer.entities[0]);
            micai_sheet *sheet = table->sheets.items[0]; // its page may lie elsewhere now
            micai_sheet_set_page(&world->state->store, sheet, 2, sheet->pages[2]);
            CHECK_EQUAL(4, walk(f, 1));
            for (uint32_t i = 0; i < outer.count; i++, rows++) {
                CHECK_POINTER(mica_get(world, outer.entities[i], f->velocity), &velocity[i]);
            }
        }
        CHECK_EQUAL(4, rows);
    }
}

// As many as a query can have, all of them written: nothing has more to be stamped.
TEST_WITH(test_world, t, sixty_four_terms_that_are_written_are_cut_too)
{
    mica_world *world = t->world;
    mica_term terms[MICA_TERMS_MAX];
    mica_type types[MICA_TERMS_MAX];
    for (uint32_t i = 0; i < MICA_TERMS_MAX; i++) {
        char name[8];
        snprintf(name, sizeof name, "T%u", (unsigned)i);
        types[i] =
            mica_type_register(world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
        terms[i] = (mica_term){types[i], MICA_WRITE};
    }
    mica_bundle bundle = mica_bundle_new(world, types, MICA_TERMS_MAX);
    REQUIRE_EQUAL(MICA_OK, mica_spawn_many(world, bundle, 3, NULL, 0, NULL));
    mica_query query = mica_query_new(
        world, &(mica_query_desc){.more_terms = terms, .more_count = MICA_TERMS_MAX});
    for (int32_t time = 0; time < 3; time++) {
        mica_iter it;
        mica_iter_begin(world, query, &it);
        uint32_t rows = 0;
        while (mica_iter_next(&it)) {
            rows += it.count;
            CHECK_EQUAL(time, *(int32_t *)mica_write(&it, 63));
            *(int32_t *)mica_write(&it, 63) = time + 1;
        }
        CHECK_EQUAL(3, rows);
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
}

TESTS(cached_segment, the_second_iteration_looks_up_where_values_are_and_the_third_does_not,
      rows_that_come_and_go_are_seen_without_looking_again, whatever_moves_is_looked_up_again,
      pages_are_stamped_and_those_of_missing_components_are_none,
      without_memory_it_goes_on_as_before, pages_that_move_in_the_middle_of_an_iteration_are_found,
      iterations_of_one_query_inside_each_other_have_the_same_rows,
      sixty_four_terms_that_are_written_are_cut_too)
