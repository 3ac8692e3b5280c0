// Tests of looking in: src/inspect/queries.c.
#include <string.h>

#include "unit/query/fixture.h"

TEST_WITH(test_world, t, queries_are_walked_as_long_as_they_are_there)
{
    mica_world *w = t->world;
    CHECK(MICA_IS_NONE(mica_query_next(w, (mica_query){0})));
    mica_query queries[3];
    for (uint32_t i = 0; i < 3; i++) {
        queries[i] = mica_query_new(w, &(mica_query_desc){.everything = true});
    }
    mica_query_free(w, queries[1]);
    mica_query q = mica_query_next(w, (mica_query){0});
    CHECK(MICA_EQUAL(queries[0], q));
    q = mica_query_next(w, q);
    CHECK(MICA_EQUAL(queries[2], q));
    CHECK(MICA_IS_NONE(mica_query_next(w, q)));
    CHECK_EQUAL(2, mica_world_get_stats(w).queries);

    CHECK(MICA_IS_NONE(mica_query_next(w, queries[1])));
    CHECK_EQUAL(MICA_ERROR_QUERY, t->error.last.code);
    test_error_clear(&t->error);
}

TEST_WITH(test_world, t, terms_are_reported_as_they_were_given)
{
    mica_world *w = t->world;
    mica_type_desc desc = {.name = "T", .size = 4, .align = 4, .toggle = true};
    mica_type type = mica_type_register(w, &desc);
    mica_type value = mica_type_register(w, &(mica_type_desc){.name = "V", .size = 4, .align = 4});
    mica_type tag = MICA_SPARSE_TAG(w, Tag);
    const mica_term terms[] = {{type, MICA_OPTIONAL | MICA_INCLUDE_DISABLED | MICA_CHANGED},
                               {value, MICA_WRITE | MICA_TOUCH},
                               {tag, MICA_WITHOUT}};
    mica_query q = mica_query_new(
        w,
        &(mica_query_desc){.more_terms = terms, .more_count = 3, .name = "q", .no_entities = true});
    for (uint32_t i = 0; i < 3; i++) {
        mica_term term = mica_query_term(w, q, i);
        CHECK(MICA_EQUAL(terms[i].type, term.type));
        CHECK_EQUAL(terms[i].access, term.access);
    }
    mica_term none = mica_query_term(w, q, 3);
    CHECK(MICA_IS_NONE(none.type) && none.access == 0);

    mica_query_info info;
    REQUIRE(mica_query_get_info(w, q, &info));
    CHECK_TEXT("q", info.name);
    CHECK_EQUAL(3, info.terms);
    CHECK(info.no_entities && !info.no_facets);
    CHECK_EQUAL(0, info.since);
    uint64_t moment = mica_world_tick(w);
    mica_query_set_since(w, q, moment);
    REQUIRE(mica_query_get_info(w, q, &info));
    CHECK_EQUAL(moment, info.since);
}

TEST_WITH(test_world, t, the_tables_that_match_are_reported)
{
    mica_world *w = t->world;
    mica_type a = MICA_TAG(w, A);
    mica_type b = MICA_TAG(w, B);
    mica_query q = mica_query_new(w, &(mica_query_desc){.terms = {{a, MICA_WITH}}});
    mica_query_info info;
    REQUIRE(mica_query_get_info(w, q, &info));
    CHECK(!info.name);
    CHECK_EQUAL(0, info.tables);
    CHECK_EQUAL(UINT32_MAX, mica_query_table(w, q, 0));
    mica_spawn(w, MICA_ADD(b));
    mica_spawn(w, MICA_ADD(a));
    mica_spawn(w, MICA_ADD(a), MICA_ADD(b));
    REQUIRE(mica_query_get_info(w, q, &info));
    CHECK_EQUAL(2, info.tables);
    CHECK_EQUAL(2, mica_query_table(w, q, 0)); // behind those of nothing and of B
    CHECK_EQUAL(3, mica_query_table(w, q, 1));
    CHECK_EQUAL(UINT32_MAX, mica_query_table(w, q, 2));
}

TEST_WITH(test_world, t, iterations_that_are_open_are_counted)
{
    mica_world *w = t->world;
    mica_spawn_values(w, NULL, 0);
    mica_query q = mica_query_new(w, &(mica_query_desc){.everything = true});
    mica_iter outer;
    mica_iter inner;
    mica_iter_begin(w, q, &outer);
    mica_iter_begin(w, q, &inner);
    mica_query_info info;
    REQUIRE(mica_query_get_info(w, q, &info));
    CHECK_EQUAL(2, info.iterations);
    mica_iter_end(&inner);
    mica_iter_end(&outer);
    REQUIRE(mica_query_get_info(w, q, &info));
    CHECK_EQUAL(0, info.iterations);
    CHECK_EQUAL(0, info.terms);
}

TESTS(inspect, queries_are_walked_as_long_as_they_are_there, terms_are_reported_as_they_were_given,
      the_tables_that_match_are_reported, iterations_that_are_open_are_counted)
