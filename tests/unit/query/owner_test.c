// Facets in queries: who matches, and to whom rows belong.
#include "unit/query/fixture.h"

#include <string.h>

enum { OWNERS = 30, EACH = 3 };

typedef struct crowd {
    fixture f;
    mica_world *world;
    mica_type loose;  // sparse
    mica_type toggle; // in tables, can be disabled
    mica_entity owners[OWNERS];
    mica_entity facets[OWNERS][EACH];
} crowd;

// Owners and facets have a position, which says whose it is; all but the owners a toggle; every other row
// is loose.
static void crowd_begin(crowd *c)
{
    c->world = fixture_begin(&c->f);
    c->loose = mica_type_register(
        c->world,
        &(mica_type_desc){.name = "Loose", .storage = MICA_SPARSE, .size = 4, .align = 4});
    c->toggle = mica_type_register(
        c->world, &(mica_type_desc){.name = "Toggle", .size = 4, .align = 4, .toggle = true});
    for (int32_t o = 0; o < OWNERS; o++) {
        mica_value at = MICA_VALUE(c->f.position, Position, o, 0);
        c->owners[o] = mica_spawn_values(c->world, &at, 1);
    }
    for (int32_t i = 0; i < EACH; i++) {
        for (int32_t o = 0; o < OWNERS; o++) {
            const mica_value values[] = {MICA_VALUE(c->f.position, Position, o, 1 + i),
                                         MICA_ADD(c->toggle)};
            c->facets[o][i] = mica_facet_add_values(c->world, c->owners[o], c->f.position,
                                                    (uint32_t)(1 + i), values, 2);
        }
    }
    for (uint32_t o = 0; o < OWNERS; o += 2) {
        mica_add(c->world, c->owners[o], c->loose);
        for (uint32_t i = 0; i < EACH; i++) {
            mica_add(c->world, c->facets[o + 1][i], c->loose);
        }
    }
}

static mica_query ask(crowd *c, mica_query_desc desc)
{
    mica_query query = mica_query_new(c->world, &desc);
    REQUIRE(!MICA_IS_NONE(query));
    return query;
}

// Iterates; checks that every row's owner is who its position says. Returns the rows, and how many of
// them are facets.
static uint32_t walk(crowd *c, mica_query query, uint32_t *facets_out)
{
    mica_iter it;
    uint32_t rows = 0;
    uint32_t wrong = 0;
    *facets_out = 0;
    mica_iter_begin(c->world, query, &it);
    while (mica_iter_next(&it)) {
        const mica_entity *owners = mica_iter_owners(&it);
        bool all_plain = true;
        for (uint32_t i = 0; i < it.count; i++) {
            const Position *p = mica_get(c->world, it.entities[i], c->f.position);
            bool facet = p->y > 0;
            wrong += !MICA_EQUAL(owners[i], c->owners[p->x]);
            wrong += facet == MICA_EQUAL(owners[i], it.entities[i]);
            *facets_out += facet;
            all_plain = all_plain && !facet;
        }
        wrong += all_plain != (owners == it.entities);
        rows += it.count;
    }
    CHECK_EQUAL(0, wrong);
    CHECK_EQUAL(rows, mica_query_count(c->world, query));
    return rows;
}

static void queries_find_facets_unless_they_are_reported_not_to(void) // S0.6
{
    static crowd c;
    crowd_begin(&c);
    mica_query all = ask(&c, (mica_query_desc){.everything = true});
    mica_query entities = ask(&c, (mica_query_desc){.everything = true, .no_facets = true});
    mica_query at = ask(&c, (mica_query_desc){.terms = {{c.f.position, MICA_READ}}});
    mica_query plain =
        ask(&c, (mica_query_desc){.terms = {{c.f.position, MICA_READ}}, .no_facets = true});
    uint32_t facets;
    CHECK_EQUAL(OWNERS * (1 + EACH), walk(&c, all, &facets));
    CHECK_EQUAL(OWNERS * EACH, facets);
    CHECK_EQUAL(OWNERS, walk(&c, entities, &facets));
    CHECK_EQUAL(0, facets);
    CHECK_EQUAL(OWNERS * (1 + EACH), walk(&c, at, &facets));
    CHECK_EQUAL(OWNERS, walk(&c, plain, &facets));
    CHECK_EQUAL(0, facets);
    CHECK(mica_query_contains(c.world, at, c.facets[3][1]));
    CHECK(!mica_query_contains(c.world, plain, c.facets[3][1]));
    char text[100];
    mica_query_explain(c.world, plain, c.facets[3][1], text, sizeof text);
    char id[MICA_ENTITY_TEXT_SIZE];
    CHECK(strncmp(text, "entity ", 7) == 0);
    CHECK(strstr(text, mica_entity_text(c.facets[3][1], id)) == text + 7);
    CHECK(strstr(text, " does not match: it is a facet") != NULL);
    fixture_end(&c.f);
}

static void a_table_of_facets_that_is_made_later_is_found_or_left_out(void)
{
    static fixture f;
    mica_world *world = fixture_begin(&f);
    mica_query plain = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.position, MICA_READ}}, .no_facets = true});
    mica_query all = mica_query_new(world, &(mica_query_desc){.terms = {{f.position, MICA_READ}}});
    mica_entity e = mica_spawn(world, MICA_ADD(f.position));
    mica_facet_add(world, e, f.position, 1, MICA_ADD(f.position));
    mica_facet_add(world, e, f.position, 2, MICA_ADD(f.position), MICA_ADD(f.velocity));
    CHECK_EQUAL(1, mica_query_count(world, plain));
    CHECK_EQUAL(3, mica_query_count(world, all));
    CHECK(MICA_EQUAL(e, mica_query_first(world, plain)));
    fixture_end(&f);
}

static void owners_are_brought_together_where_rows_are(void)
{
    static crowd c;
    crowd_begin(&c);
    const mica_query_desc descs[] = {
        {.terms = {{c.loose, MICA_READ}}},
        {.terms = {{c.loose, MICA_READ}, {c.f.position, MICA_READ}}},
        {.terms = {{c.loose, MICA_WITHOUT}, {c.f.position, MICA_READ}}},
        {.terms = {{c.loose, MICA_OPTIONAL}, {c.f.position, MICA_READ}}},
    };
    const uint32_t rows[] = {OWNERS / 2, OWNERS / 2, OWNERS / 2, OWNERS};
    for (uint32_t i = 0; i < 4; i++) {
        mica_query_desc desc = descs[i];
        uint32_t facets;
        CHECK_EQUAL(rows[i] * (1 + EACH), walk(&c, ask(&c, desc), &facets));
        CHECK_EQUAL(rows[i] * EACH, facets);
        desc.no_facets = true;
        CHECK_EQUAL(rows[i], walk(&c, ask(&c, desc), &facets));
        CHECK_EQUAL(0, facets);
    }
    fixture_end(&c.f);
}

static void owners_are_those_of_rows_that_are_enabled(void)
{
    static crowd c;
    crowd_begin(&c);
    for (uint32_t o = 0; o < OWNERS; o++) {
        if (o % 3 != 0 && o < OWNERS / 2) {
            mica_disable(c.world, c.facets[o][o % EACH], c.toggle);
        }
    }
    mica_query query = ask(&c, (mica_query_desc){.terms = {{c.toggle, MICA_WRITE}}});
    uint32_t facets;
    CHECK_EQUAL(OWNERS * EACH - OWNERS / 3, walk(&c, query, &facets));
    CHECK_EQUAL(OWNERS * EACH - OWNERS / 3, facets);
    fixture_end(&c.f);
}

static void groups_serve_queries_of_facets(void)
{
    static crowd c;
    crowd_begin(&c);
    mica_type mark = MICA_SPARSE_TAG(c.world, Mark);
    mica_group_new(c.world, &(mica_group_desc){.owned = {c.loose}, .required = {mark}});
    mica_query all = ask(&c, (mica_query_desc){.terms = {{c.loose, MICA_READ}, {mark, MICA_WITH}}});
    mica_query plain = ask(&c, (mica_query_desc){.terms = {{c.loose, MICA_READ}, {mark, MICA_WITH}},
                                                 .no_facets = true});
    uint32_t marked = 0;
    for (uint32_t o = 0; o < OWNERS; o += 3) {
        mica_add(c.world, c.owners[o], mark);
        mica_add(c.world, c.facets[o][0], mark);
        marked++;
    }
    uint32_t facets;
    CHECK_EQUAL(marked, walk(&c, all, &facets));
    CHECK_EQUAL(marked / 2, facets);
    CHECK_EQUAL(marked / 2, walk(&c, plain, &facets));
    CHECK_EQUAL(0, facets);
    fixture_end(&c.f);
}

static void a_query_without_facets_stays_one_when_a_storage_changes(void)
{
    static crowd c;
    crowd_begin(&c);
    mica_query plain =
        ask(&c, (mica_query_desc){.terms = {{c.f.position, MICA_READ}}, .no_facets = true});
    uint32_t facets;
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(c.world, c.f.position, MICA_SPARSE));
    CHECK_EQUAL(OWNERS, walk(&c, plain, &facets));
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(c.world, c.f.position, MICA_TABLE));
    CHECK_EQUAL(OWNERS, walk(&c, plain, &facets));
    CHECK_EQUAL(0, facets);
    fixture_end(&c.f);
}

static void owners_of_one_row_are_one(void)
{
    static crowd c;
    crowd_begin(&c);
    mica_query at = ask(&c, (mica_query_desc){.terms = {{c.f.position, MICA_READ}}});
    for (uint32_t o = 0; o < OWNERS; o++) {
        mica_iter it;
        mica_iter_begin_entity(c.world, at, c.facets[o][o % EACH], &it);
        REQUIRE(mica_iter_next(&it));
        CHECK(MICA_EQUAL(c.owners[o], mica_iter_owners(&it)[0]));
        mica_iter_end(&it);
    }
    fixture_end(&c.f);
}

static void a_query_that_shows_no_entities_shows_no_owners(void)
{
    static crowd c;
    crowd_begin(&c);
    const mica_query_desc desc = {.terms = {{c.f.position, MICA_READ}}, .no_entities = true};
    mica_query all = ask(&c, desc);
    mica_query plain =
        ask(&c, (mica_query_desc){
                    .terms = {{c.f.position, MICA_READ}}, .no_entities = true, .no_facets = true});
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(c.world, c.f.position, MICA_RING));
    CHECK_EQUAL(MICA_OK, mica_world_compact(c.world));
    CHECK_EQUAL(OWNERS * (1 + EACH), mica_query_count(c.world, all));
    mica_iter it;
    uint32_t rows = 0;
    mica_iter_begin(c.world, plain, &it);
    while (mica_iter_next(&it)) {
        const Position *p = mica_read(&it, 0);
        CHECK_POINTER(NULL, mica_iter_owners(&it));
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK_EQUAL(0, p[i].y); // of an owner
        }
        rows += it.count;
    }
    CHECK_EQUAL(OWNERS, rows);
    fixture_end(&c.f);
}

static void owners_that_cannot_be_brought_together_are_null(void)
{
    static crowd c;
    crowd_begin(&c);
    mica_query query = ask(&c, (mica_query_desc){.terms = {{c.loose, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(c.world, query, &it);
    CHECK_POINTER(NULL, mica_iter_owners(&it));
    CHECK_ERROR(&c.f.t, MICA_ERROR_ITERATOR,
                "mica_iter_owners: there is no segment before mica_iter_next");
    REQUIRE(mica_iter_next(&it));
    test_memory_fail_at(&c.f.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_POINTER(NULL, mica_iter_owners(&it));
    test_memory_fail_at(&c.f.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, c.f.t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&c.f.t.error));
    CHECK(mica_iter_owners(&it) != NULL);
    mica_iter_end(&it);
    CHECK_POINTER(NULL, mica_iter_owners(&it));
    CHECK_ERROR(&c.f.t, MICA_ERROR_ITERATOR, "mica_iter_owners: the iteration has ended");
    fixture_end(&c.f);
}

TESTS(owner, queries_find_facets_unless_they_are_reported_not_to,
      a_table_of_facets_that_is_made_later_is_found_or_left_out,
      owners_are_brought_together_where_rows_are, owners_are_those_of_rows_that_are_enabled,
      groups_serve_queries_of_facets, a_query_without_facets_stays_one_when_a_storage_changes,
      owners_of_one_row_are_one, a_query_that_shows_no_entities_shows_no_owners,
      owners_that_cannot_be_brought_together_are_null)
