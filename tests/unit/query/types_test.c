// Tests of src/query/types.c: S1.3, which components the rows of a segment have.
#include "unit/query/fixture.h"

#include <stdio.h>
#include <string.h>

typedef struct crowd {
    fixture f;
    mica_world *world;
    mica_type loose, toggle, ring;
} crowd;

static void crowd_begin(crowd *c)
{
    c->world = fixture_begin(&c->f);
    c->loose = mica_type_register(
        c->world,
        &(mica_type_desc){.name = "Loose", .storage = MICA_SPARSE, .size = 4, .align = 4});
    c->toggle = mica_type_register(
        c->world, &(mica_type_desc){.name = "Toggle", .size = 4, .align = 4, .toggle = true});
    c->ring = mica_type_register(
        c->world, &(mica_type_desc){.name = "Ring", .storage = MICA_RING, .size = 4, .align = 4});
    // Tables of several sets, some rows loose, some disabled.
    for (uint32_t i = 0; i < 60; i++) {
        mica_value values[4];
        uint32_t count = 0;
        values[count++] = MICA_ADD(c->f.position);
        if (i % 3 == 0) {
            values[count++] = MICA_ADD(c->f.frozen);
        }
        if (i % 2 == 0) {
            values[count++] = MICA_ADD(c->toggle);
        }
        if (i % 5 < 3) {
            values[count++] = MICA_ADD(c->ring);
        }
        mica_entity entity = mica_spawn_values(c->world, values, count);
        if (i % 7 < 3) {
            mica_add(c->world, entity, c->loose);
        }
        if (i % 4 == 0) {
            mica_disable(c->world, entity, c->toggle);
        }
    }
}

static mica_query ask(crowd *c, mica_query_desc desc)
{
    mica_query query = mica_query_new(c->world, &desc);
    REQUIRE(!MICA_IS_NONE(query));
    return query;
}

// What all rows have, but for what is sparse, one by one.
static void find_common(crowd *c, const mica_iter *it, mica_type_set *common)
{
    mica_type_set one = {0};
    for (uint32_t i = 0; i < it->count; i++) {
        CHECK_EQUAL(MICA_OK, mica_entity_types(c->world, it->entities[i], &one));
        CHECK_EQUAL(MICA_OK, i == 0 ? mica_type_set_copy(c->world, common, &one)
                                    : mica_type_set_intersection(c->world, common, common, &one));
    }
    mica_type_set_free(c->world, &one);
    CHECK_EQUAL(MICA_OK, mica_type_set_remove(c->world, common, c->loose));
}

static uint32_t check_walk(crowd *c, mica_query query)
{
    mica_type_set types = {0};
    mica_type_set common = {0};
    uint32_t rows = 0;
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(c->world, query, &it));
    while (mica_iter_next(&it)) {
        find_common(c, &it, &common);
        CHECK_EQUAL(MICA_OK, mica_iter_types(&it, &types));
        CHECK(mica_type_set_equal(&common, &types));
        CHECK(mica_type_set_has(c->world, &types, c->f.position));
        rows += it.count;
    }
    mica_type_set_free(c->world, &types);
    mica_type_set_free(c->world, &common);
    return rows;
}

static void a_segment_has_what_all_its_rows_have(void) // S1.3
{
    crowd c;
    crowd_begin(&c);
    mica_type position = c.f.position;
    CHECK_EQUAL(60, check_walk(&c, ask(&c, (mica_query_desc){.terms = {{position, MICA_READ}}})));
    CHECK_EQUAL(20, check_walk(&c, ask(&c, (mica_query_desc){.terms = {{position, MICA_WRITE},
                                                                       {c.f.frozen, MICA_WITH}}})));
    // Blocks, of rows from several tables.
    CHECK(check_walk(&c, ask(&c, (mica_query_desc){.terms = {{position, MICA_READ},
                                                             {c.loose, MICA_WRITE}}})) > 0);
    CHECK(check_walk(&c, ask(&c, (mica_query_desc){.terms = {{position, MICA_READ},
                                                             {c.toggle, MICA_READ}}})) > 0);
    CHECK(check_walk(&c, ask(&c, (mica_query_desc){.terms = {{position, MICA_READ},
                                                             {c.ring, MICA_OPTIONAL},
                                                             {c.loose, MICA_WITHOUT}}})) > 0);
    fixture_end(&c.f);
}

static void facets_have_no_more_than_they_were_given(void)
{
    crowd c;
    crowd_begin(&c);
    mica_entity owner = mica_spawn(c.world, MICA_ADD(c.f.weight));
    mica_facet_add(c.world, owner, c.f.weight, 1, MICA_ADD(c.f.position), MICA_ADD(c.f.frozen));
    CHECK_EQUAL(61,
                check_walk(&c, ask(&c, (mica_query_desc){.terms = {{c.f.position, MICA_READ}}})));
    fixture_end(&c.f);
}

static void where_entities_are_not_shown_it_is_what_the_query_asks_for(void)
{
    crowd c;
    crowd_begin(&c);
    mica_query queries[] = {
        ask(&c, (mica_query_desc){.terms = {{c.ring, MICA_READ}}, .no_entities = true}),
        ask(&c, (mica_query_desc){.terms = {{c.ring, MICA_READ}, {c.f.position, MICA_WITH}},
                                  .no_entities = true})};
    CHECK_EQUAL(MICA_OK, mica_world_compact(c.world));
    for (uint32_t i = 0; i < 2; i++) {
        mica_type_set types = {0};
        mica_iter it;
        mica_iter_begin(c.world, queries[i], &it);
        while (mica_iter_next(&it)) {
            CHECK_EQUAL(MICA_OK, mica_iter_types(&it, &types));
            CHECK_EQUAL(1 + i, mica_type_set_count(&types));
            CHECK(mica_type_set_has(c.world, &types, c.ring));
        }
        mica_type_set_free(c.world, &types);
    }
    fixture_end(&c.f);
}

TEST_WITH(fixture, f, a_large_set_takes_memory_or_is_left_as_it_was)
{
    mica_world *world = f->world;
    mica_type last = (mica_type){0};
    for (uint32_t i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%u", (unsigned)i);
        last = mica_type_register(world, &(mica_type_desc){.name = name});
    }
    mica_spawn(world, MICA_ADD(f->position), MICA_ADD(last));
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{last, MICA_WITH}}});
    mica_type_set types = {0};
    CHECK_EQUAL(MICA_OK, mica_type_set_add(world, &types, f->weight));
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_iter_types(&it, &types));
    CHECK(test_error_names_call(&f->t.error));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_EQUAL(1, mica_type_set_count(&types));
    CHECK(mica_type_set_has(world, &types, f->weight));
    CHECK_EQUAL(MICA_OK, mica_iter_types(&it, &types));
    CHECK_EQUAL(2, mica_type_set_count(&types));
    CHECK(mica_type_set_has(world, &types, last));
    mica_iter_end(&it);
    mica_type_set_free(world, &types);
}

TEST_WITH(fixture, f, there_must_be_a_segment_and_a_set)
{
    mica_world *world = f->world;
    fixture_spawn_movers(f, 3, NULL);
    mica_type_set types = {0};
    mica_iter it;
    mica_iter_begin(world, f->query, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_types(&it, &types));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR,
                "mica_iter_types: there is no segment before mica_iter_next");
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_iter_types(&it, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_iter_types: types_out is null");
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_types(&it, &types));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "mica_iter_types: the iteration has ended");
    CHECK_EQUAL(0, mica_type_set_count(&types));
}

TESTS(types, a_segment_has_what_all_its_rows_have, facets_have_no_more_than_they_were_given,
      where_entities_are_not_shown_it_is_what_the_query_asks_for,
      a_large_set_takes_memory_or_is_left_as_it_was, there_must_be_a_segment_and_a_set)
