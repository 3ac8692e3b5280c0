// Queries that cannot be made, and handles of none.
#include "query/query.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/query/cast.h"

// Handles

// Every function that takes a query, with one that is not there.
static void check_no_query(cast *c, mica_query query, const char *what)
{
    mica_world *world = c->world;
    char sentence[128];
    char text[8] = "before";
    uint32_t changed = 77;
    const Health health = {1};
#define NO_QUERY(call, holds)                                                                      \
    CHECK(holds);                                                                                  \
    snprintf(sentence, sizeof sentence, call ": the query is %s", what);                           \
    CHECK_ERROR(&c->t, MICA_ERROR_QUERY, sentence)
    NO_QUERY("mica_query_count", mica_query_count(world, query) == 0);
    NO_QUERY("mica_query_first", MICA_IS_NONE(mica_query_first(world, query)));
    NO_QUERY("mica_query_contains", !mica_query_contains(world, query, c->entities[1]));
    NO_QUERY("mica_query_explain", mica_query_explain(world, query, c->entities[1], text,
                                                      sizeof text) == MICA_ERROR_QUERY);
    NO_QUERY("mica_add_all", mica_add_all(world, query, c->health, &changed) == MICA_ERROR_QUERY);
    NO_QUERY("mica_remove_all",
             mica_remove_all(world, query, c->health, &changed) == MICA_ERROR_QUERY);
    NO_QUERY("mica_set_all", mica_set_all(world, query, c->health, &health, sizeof health,
                                          &changed) == MICA_ERROR_QUERY);
    NO_QUERY("mica_despawn_all", mica_despawn_all(world, query, &changed) == MICA_ERROR_QUERY);
    NO_QUERY("mica_query_free", mica_query_free(world, query) == MICA_ERROR_QUERY);
    CHECK_EQUAL(77, changed);
    CHECK_TEXT("before", text);
    // An iteration that never began says why at its begin, once, and has no segments.
    mica_iter it;
    mica_iter_begin(world, query, &it);
    NO_QUERY("mica_iter_begin", !mica_iter_next(&it));
    mica_iter_end(&it);
    mica_iter_begin_entity(world, query, c->entities[1], &it);
    NO_QUERY("mica_iter_begin_entity", !mica_iter_next(&it));
    CHECK_EQUAL(SHAPES, mica_entity_count(world));
#undef NO_QUERY
}

static void queries_that_are_none_freed_or_foreign_are_refused(void)
{
    cast c;
    cast other;
    mica_world *world = cast_begin(&c);
    cast_begin(&other);
    // Before the first query there is no list of them either.
    check_no_query(&c, (mica_query){0}, "none");
    mica_query freed = QUERY(world, {c.position, MICA_READ});
    CHECK_EQUAL(MICA_OK, mica_query_free(world, freed));
    check_no_query(&c, freed, "freed, or of another world");
    mica_query reused = QUERY(world, {c.position, MICA_READ}); // in the same place
    CHECK(freed.bits != reused.bits);
    check_no_query(&c, freed, "freed, or of another world");
    mica_query foreign = QUERY(other.world, {other.position, MICA_READ});
    check_no_query(&c, foreign, "freed, or of another world");
    check_no_query(&c, (mica_query){UINT64_MAX}, "freed, or of another world");
    check_no_query(&c, (mica_query){0}, "none");
    CHECK_EQUAL(8, mica_query_count(world, reused));
    cast_end(&c);
    cast_end(&other);
}

TEST_WITH(cast, c, a_query_that_is_being_iterated_is_not_freed)
{
    mica_world *world = c->world;
    mica_query query = mica_query_new(
        world, &(mica_query_desc){.terms = {{c->position, MICA_READ}}, .name = "movers"});
    mica_query other = QUERY(world, {c->velocity, MICA_READ});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_query_free(world, query));
    CHECK_ERROR(
        &c->t, MICA_ERROR_ITERATING,
        "mica_query_free: refused while 'movers' is being iterated; do it afterwards, or end that with mica_iter_end or, if it is lost, mica_world_end_iterations");
    CHECK_EQUAL(MICA_OK, mica_query_free(world, other));
    CHECK(mica_iter_next(&it));
    mica_iter_end(&it);
    CHECK_EQUAL(MICA_OK, mica_query_free(world, query));
}

// The sentence is about the query that is to be freed, not about another that is open too.
TEST_WITH(cast, c, a_query_is_freed_while_others_are_iterated)
{
    mica_world *world = c->world;
    mica_query outer = mica_query_new(
        world, &(mica_query_desc){.terms = {{c->position, MICA_READ}}, .name = "outer"});
    mica_query inner = mica_query_new(
        world, &(mica_query_desc){.terms = {{c->position, MICA_READ}}, .name = "inner"});
    mica_iter a;
    mica_iter_begin(world, outer, &a);
    mica_iter b;
    mica_iter_begin(world, inner, &b);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_query_free(world, outer));
    CHECK_ERROR(
        &c->t, MICA_ERROR_ITERATING,
        "mica_query_free: refused while 'outer' is being iterated; do it afterwards, or end that with mica_iter_end or, if it is lost, mica_world_end_iterations");
    mica_iter_end(&a);
    CHECK_EQUAL(MICA_OK, mica_query_free(world, outer));
    mica_iter_end(&b);
}

// Bad descriptors

#define CHECK_NO_QUERY(c, code, sentence, ...)                                                     \
    do {                                                                                           \
        CHECK(MICA_IS_NONE(mica_query_new((c)->world, &(mica_query_desc){__VA_ARGS__})));          \
        CHECK_ERROR(&(c)->t, code, sentence);                                                      \
    } while (0)

TEST_WITH(test_world, t, terms_may_be_64_and_not_more)
{
    mica_world *world = t->world;
    mica_term terms[MICA_TERMS_MAX + 1];
    for (uint32_t i = 0; i <= MICA_TERMS_MAX; i++) {
        char name[8];
        snprintf(name, sizeof name, "T%" PRIu32, i);
        terms[i].type =
            mica_type_register(world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
        terms[i].access = MICA_OPTIONAL;
    }
    mica_entity entity = mica_spawn(world, MICA_VALUE(terms[63].type, int32_t, 63));
    mica_query_desc desc = {.more_terms = terms, .more_count = MICA_TERMS_MAX};
    mica_query query = mica_query_new(world, &desc);
    CHECK(!MICA_IS_NONE(query));
    mica_iter it;
    mica_iter_begin_entity(world, query, entity, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(63, *(const int32_t *)mica_read(&it, 63));
    CHECK_POINTER(NULL, mica_read(&it, 62));
    CHECK_POINTER(NULL, mica_read(&it, 31));
    CHECK_POINTER(NULL, mica_write(&it, 63));
    CHECK_ERROR(
        t, MICA_ERROR_TERM,
        "mica_write: term 63 ('T63') is only read; use mica_read, or declare it MICA_OPTIONAL_WRITE");
    CHECK_POINTER(NULL, mica_read(&it, 64));
    CHECK_ERROR(t, MICA_ERROR_TERM, "mica_read: there is no term 64 of the query; it has 64");
    mica_iter_end(&it);

    desc.more_count = MICA_TERMS_MAX + 1;
    CHECK(MICA_IS_NONE(mica_query_new(world, &desc)));
    CHECK_ERROR(t, MICA_ERROR_TERMS, "mica_query_new: more than 64 terms");
    memcpy(desc.terms, terms, sizeof desc.terms);
    desc.more_terms = &terms[MICA_TERMS_INLINE];
    desc.more_count = MICA_TERMS_MAX - MICA_TERMS_INLINE;
    CHECK(!MICA_IS_NONE(mica_query_new(world, &desc)));
    desc.more_count++;
    CHECK(MICA_IS_NONE(mica_query_new(world, &desc)));
    CHECK_ERROR(t, MICA_ERROR_TERMS, "mica_query_new: more than 64 terms");
    desc.more_terms = terms; // not read beyond what may be
    desc.more_count = UINT32_MAX;
    memset(desc.terms, 0, sizeof desc.terms);
    CHECK(MICA_IS_NONE(mica_query_new(world, &desc)));
    CHECK_ERROR(t, MICA_ERROR_TERMS, "mica_query_new: more than 64 terms");
}

TEST_WITH(cast, c, a_component_stands_in_one_term_only)
{
    const mica_term again = {c->frozen, MICA_WITH};
    CHECK_NO_QUERY(c, MICA_ERROR_TERMS,
                   "mica_query_new: term 1: 'Position' stands in term 0 already",
                   .terms = {{c->position, MICA_READ}, {c->position, MICA_WITHOUT}});
    CHECK_NO_QUERY(c, MICA_ERROR_TERMS,
                   "mica_query_new: term 1: 'Position' stands in term 0 already",
                   .terms = {{c->position, MICA_READ}, {c->position, MICA_READ}});
    CHECK_NO_QUERY(c, MICA_ERROR_TERMS, "mica_query_new: term 1: 'Frozen' stands in term 0 already",
                   .terms = {{c->frozen, MICA_ANY}}, .more_terms = &again, .more_count = 1);
    CHECK_EQUAL(0, mica_world_get_stats(c->world).queries);
}

static void terms_of_unknown_access_or_type_are_refused(void)
{
    cast c;
    cast other;
    cast_begin(&c);
    cast_begin(&other);
    const mica_term none = {(mica_type){0}, MICA_READ};
    CHECK_NO_QUERY(&c, MICA_ERROR_ARGUMENT,
                   "mica_query_new: term 0: there is no access 8 (of 'Position')",
                   .terms = {{c.position, MICA_ACCESS_COUNT}});
    // A type that was never registered does not drop its term, nor those behind it.
    CHECK_NO_QUERY(&c, MICA_ERROR_TYPE,
                   "mica_query_new: term 0: the component type is none; was it registered?",
                   .terms = {{(mica_type){0}, MICA_WITHOUT}});
    CHECK_NO_QUERY(&c, MICA_ERROR_TYPE,
                   "mica_query_new: term 1: the component type is none; was it registered?",
                   .terms = {{c.position, MICA_READ}, {(mica_type){0}, MICA_READ}});
    CHECK_NO_QUERY(&c, MICA_ERROR_TYPE,
                   "mica_query_new: term 0: the component type is none; was it registered?",
                   .terms = {{(mica_type){0}, MICA_ACCESS_NONE}, {c.position, MICA_READ}});
    CHECK_NO_QUERY(&c, MICA_ERROR_ARGUMENT,
                   "mica_query_new: term 0: there is no access 255 (of 'Position')",
                   .terms = {{c.position, 255}});
    CHECK_NO_QUERY(&c, MICA_ERROR_ARGUMENT,
                   "mica_query_new: term 0: there is no filter 10 (of 'Position')",
                   .terms = {{c.position, MICA_READ | 0x1000}});
    CHECK_NO_QUERY(&c, MICA_ERROR_ARGUMENT,
                   "mica_query_new: term 0: there is no filter fffff0 (of 'Position')",
                   .terms = {{c.position, UINT32_MAX}});
    CHECK_NO_QUERY(&c, MICA_ERROR_TYPE,
                   "mica_query_new: term 0: the component type is none; was it registered?",
                   .more_terms = &none, .more_count = 1);
    CHECK_NO_QUERY(
        &c, MICA_ERROR_TYPE,
        "mica_query_new: term 0: the component type is of another world, or no type at all",
        .terms = {{other.position, MICA_READ}});
    cast_end(&c);
    cast_end(&other);
}

// The list {{frozen}} of a type that was forgotten to be registered is all zero.
TEST_WITH(cast, c, a_type_that_is_none_never_widens_a_query)
{
    mica_world *world = c->world;
    const mica_type forgotten = (mica_type){0};
    const char sentence[] =
        "mica_query_new: no terms; a query of all entities says so with .everything = true";
    CHECK_NO_QUERY(c, MICA_ERROR_TERMS, sentence, .terms = {{forgotten, 0}});
    CHECK_NO_QUERY(
        c, MICA_ERROR_TERMS,
        "mica_query_new: query 'nothing said': no terms; a query of all entities says so with .everything = true",
        .name = "nothing said");
    mica_query none = mica_query_new(world, &(mica_query_desc){.terms = {{forgotten, 0}}});
    CHECK_EQUAL(1, test_error_clear(&c->t.error));
    uint32_t entities = mica_world_get_stats(world).entities;
    CHECK_EQUAL(MICA_ERROR_QUERY, mica_despawn_all(world, none, NULL));
    CHECK_EQUAL(1, test_error_clear(&c->t.error));
    CHECK_EQUAL(entities, mica_world_get_stats(world).entities);
    const mica_term more = {forgotten, 0};
    CHECK_NO_QUERY(c, MICA_ERROR_TYPE,
                   "mica_query_new: term 0: the component type is none; was it registered?",
                   .more_terms = &more, .more_count = 1);
}

TEST_WITH(cast, c, everything_goes_with_no_terms)
{
    const mica_term more = {c->frozen, MICA_WITH};
    CHECK_NO_QUERY(c, MICA_ERROR_TERMS, "mica_query_new: .everything goes with no terms",
                   .terms = {{c->position, MICA_READ}}, .everything = true);
    CHECK_NO_QUERY(c, MICA_ERROR_TERMS, "mica_query_new: .everything goes with no terms",
                   .more_terms = &more, .more_count = 1, .everything = true);
}

TEST_WITH(cast, c, the_access_of_a_term_must_be_named)
{
    const mica_term more = {c->frozen, 0};
    CHECK_NO_QUERY(
        c, MICA_ERROR_ARGUMENT,
        "mica_query_new: term 0: the access of 'Position' must be named: MICA_READ, MICA_WITH or another",
        .terms = {{c->position, 0}});
    CHECK_NO_QUERY(
        c, MICA_ERROR_ARGUMENT,
        "mica_query_new: term 1: the access of 'Velocity' must be named: MICA_READ, MICA_WITH or another",
        .terms = {{c->position, MICA_READ}, {c->velocity, MICA_ACCESS_NONE}});
    CHECK_NO_QUERY(
        c, MICA_ERROR_ARGUMENT,
        "mica_query_new: term 0: the access of 'Frozen' must be named: MICA_READ, MICA_WITH or another",
        .more_terms = &more, .more_count = 1);
}

TEST_WITH(cast, c, bad_descriptors_make_no_query)
{
    mica_world *world = c->world;
    char long_name[MICA_NAME_SIZE_MAX + 2];
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = 0;
    CHECK_NO_QUERY(c, MICA_ERROR_DESC,
                   "mica_query_new: the descriptor was not zeroed before it was filled in",
                   .first_zero = 1);
    CHECK_NO_QUERY(c, MICA_ERROR_DESC,
                   "mica_query_new: the descriptor was not zeroed before it was filled in",
                   .last_zero = 1);
    CHECK_NO_QUERY(c, MICA_ERROR_NULL, "mica_query_new: more_terms is null", .more_count = 1);
    CHECK_NO_QUERY(c, MICA_ERROR_NAME, "mica_query_new: the name of the query is empty",
                   .name = "");
    CHECK_NO_QUERY(c, MICA_ERROR_NAME,
                   "mica_query_new: the name of the query is longer than 255 bytes",
                   .name = long_name);
    mica_query_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    CHECK(MICA_IS_NONE(mica_query_new(world, &garbage)));
    CHECK_ERROR(&c->t, MICA_ERROR_DESC,
                "mica_query_new: the descriptor was not zeroed before it was filled in");
    CHECK(MICA_IS_NONE(mica_query_new(world, NULL)));
    CHECK_ERROR(&c->t, MICA_ERROR_NULL, "mica_query_new: desc is null");
    CHECK_EQUAL(0, mica_world_get_stats(world).queries);
}

TEST_WITH(cast, c, the_name_of_a_query_is_copied)
{
    mica_world *world = c->world;
    char name[] = "movers";
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true, .name = name});
    name[0] = 'X';
    CHECK_TEXT("movers", cast_inside(world, query)->name);
}

// They report to standard error: there is no world to ask for its handler.
static void without_a_world_there_are_no_queries(void)
{
    char text[4];
    const mica_query query = {1};
    const mica_type type = {1};
    CHECK(MICA_IS_NONE(mica_query_new(NULL, &(mica_query_desc){.everything = true})));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_query_free(NULL, query));
    CHECK_EQUAL(0, mica_query_count(NULL, query));
    CHECK(MICA_IS_NONE(mica_query_first(NULL, query)));
    CHECK(!mica_query_contains(NULL, query, (mica_entity){0}));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_query_explain(NULL, query, (mica_entity){0}, text, 4));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_add_all(NULL, query, type, NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_remove_all(NULL, query, type, NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_set_all(NULL, query, type, text, 4, NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_despawn_all(NULL, query, NULL));
    mica_iter it;
    mica_iter_begin(NULL, query, &it);
    CHECK(!mica_iter_next(&it));
    mica_iter_begin_entity(NULL, query, (mica_entity){0}, &it);
    CHECK(!mica_iter_next(&it));
}

TEST_WITH(cast, c, there_are_not_more_queries_than_numbers)
{
    mica_world *world = c->world;
    mica_query query = QUERY(world, {c->position, MICA_READ});
    micai_queries *queries = world->state->modules[MICAI_MODULE_QUERY].data;
    uint32_t count = queries->handles.list.count;
    world->host.verify = NULL; // nobody may look at so many
    queries->handles.list.count = MICAI_STAMP_NUMBER_MAX + 1;
    c->t.error.blind = true;
    CHECK(MICA_IS_NONE(mica_query_new(world, &(mica_query_desc){.everything = true})));
    queries->handles.list.count = count;
    CHECK_ERROR(&c->t, MICA_ERROR_LIMIT, "mica_query_new: too many queries");
    CHECK_EQUAL(8, mica_query_count(world, query));
}

TESTS(query_desc, queries_that_are_none_freed_or_foreign_are_refused,
      a_query_that_is_being_iterated_is_not_freed, a_query_is_freed_while_others_are_iterated,
      terms_may_be_64_and_not_more, a_component_stands_in_one_term_only,
      terms_of_unknown_access_or_type_are_refused, a_type_that_is_none_never_widens_a_query,
      everything_goes_with_no_terms, the_access_of_a_term_must_be_named,
      bad_descriptors_make_no_query, the_name_of_a_query_is_copied,
      without_a_world_there_are_no_queries, there_are_not_more_queries_than_numbers)
