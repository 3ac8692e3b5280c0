// Z5: queries over the sources of a target, and over everything below it, against plain loops.
#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

enum { ENTITIES = 400, TERMS = 6 };

typedef struct Number {
    int64_t value;
} Number;

typedef struct forest {
    test_world t;
    mica_world *world;
    mica_type column, pooled, tag, mark, toggled;
    mica_relation child_of;
    mica_type type; // of the relation
    mica_entity entities[ENTITIES];
    uint64_t random;
} forest;

static uint32_t below(forest *f, uint32_t end)
{
    f->random = f->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(f->random >> 33) % end;
}

static mica_type register_one(mica_world *world, const char *name, mica_storage storage,
                              bool toggle)
{
    return mica_type_register(world, &(mica_type_desc){.name = name,
                                                       .size = sizeof(Number),
                                                       .align = _Alignof(Number),
                                                       .storage = storage,
                                                       .toggle = toggle,
                                                       .plain = true});
}

static void forest_begin(forest *f)
{
    mica_world *world = f->world = test_world_begin(&f->t);
    f->random = 5;
    f->column = register_one(world, "Column", MICA_TABLE, false);
    f->pooled = register_one(world, "Pooled", MICA_SPARSE, false);
    f->toggled = register_one(world, "Toggled", MICA_TABLE, true);
    f->tag = MICA_TAG(world, Tag);
    f->mark = MICA_SPARSE_TAG(world, Mark);
    f->child_of =
        mica_relation_add(world, &(mica_relation_desc){.name = "ChildOf", .cleanup = MICA_CASCADE});
    f->type = mica_relation_type(world, f->child_of);
    const mica_type types[] = {f->column, f->pooled, f->toggled, f->tag, f->mark};
    for (uint32_t i = 0; i < ENTITIES; i++) {
        mica_entity e = f->entities[i] = mica_spawn_values(world, NULL, 0);
        for (uint32_t t = 0; t < 5; t++) {
            const Number number = {i};
            if (below(f, 3) > 0) {
                CHECK_EQUAL(MICA_OK,
                            t < 3 ? mica_set_value(world, e, types[t], &number, sizeof number)
                                  : mica_add(world, e, types[t]));
            }
        }
        if (mica_has(world, e, f->toggled) && below(f, 3) == 0) {
            CHECK_EQUAL(MICA_OK, mica_disable(world, e, f->toggled));
        }
        if (i > 0) { // the first few have many
            CHECK_EQUAL(MICA_OK, mica_link(world, e, f->child_of,
                                           f->entities[below(f, i < 3         ? i
                                                                : below(f, 2) ? 3
                                                                              : i)]));
        }
    }
}

static void forest_end(forest *f)
{
    test_world_end(&f->t);
}

// Returns whether an entity matches the terms.
static bool has_terms(forest *f, mica_entity entity, const mica_term *terms, uint32_t count)
{
    bool has = true;
    for (uint32_t i = 0; has && i < count; i++) {
        uint32_t access = terms[i].access;
        bool there = mica_has(f->world, entity, terms[i].type) &&
                     (!MICA_EQUAL(terms[i].type, f->toggled) ||
                      mica_is_enabled(f->world, entity, terms[i].type));
        has = access == MICA_WITHOUT ? !there : there || access == MICA_OPTIONAL;
    }
    return has;
}

static uint32_t list_plainly(forest *f, mica_entity target, bool all, const mica_term *terms,
                             uint32_t count, mica_entity *list)
{
    uint32_t listed = 0;
    if (all) {
        mica_descent descent = mica_descend(f->world, target, f->child_of);
        for (mica_entity e; (e = mica_descent_next(&descent)).bits;) {
            list[listed] = e;
            listed += has_terms(f, e, terms, count);
        }
        return listed;
    }
    static mica_entity sources[ENTITIES];
    uint32_t found = mica_sources(f->world, target, f->child_of, 0, sources, ENTITIES);
    for (uint32_t i = 0; i < found; i++) {
        list[listed] = sources[i];
        listed += has_terms(f, sources[i], terms, count);
    }
    return listed;
}

static void check_values(const mica_iter *it, forest *f, uint32_t term, mica_type type)
{
    const Number *values = mica_read(it, term);
    for (uint32_t i = 0; i < it->count; i++) {
        const Number *value = mica_get(f->world, it->entities[i], type);
        CHECK_EQUAL(value != NULL, values != NULL);
        CHECK(!value || !values || value->value == values[i].value);
    }
}

static void compare(forest *f, mica_query query, mica_entity target, bool all,
                    const mica_term *terms, uint32_t count)
{
    static mica_entity expected[ENTITIES];
    uint32_t listed = list_plainly(f, target, all, terms, count, expected);
    mica_iter it;
    uint32_t seen = 0;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f->world, query, &it));
    while (mica_iter_next(&it)) {
        REQUIRE(seen + it.count <= listed);
        CHECK(memcmp(expected + seen, it.entities, it.count * sizeof *expected) == 0);
        seen += it.count;
        for (uint32_t t = 0; t < count; t++) {
            if (terms[t].access == MICA_READ || terms[t].access == MICA_OPTIONAL) {
                check_values(&it, f, t, terms[t].type);
            }
        }
    }
    CHECK_EQUAL(listed, seen);
    CHECK_EQUAL(listed, mica_query_count(f->world, query));
    CHECK(
        MICA_EQUAL(listed > 0 ? expected[0] : (mica_entity){0}, mica_query_first(f->world, query)));
    uint32_t contained = 0;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        contained += mica_query_contains(f->world, query, f->entities[i]);
    }
    CHECK_EQUAL(listed, contained);
}

TEST_WITH(forest, f, sources_match_in_their_order)
{
    const mica_term lists[TERMS][3] = {
        {{f->column, MICA_READ}},
        {{f->pooled, MICA_READ}},
        {{f->column, MICA_READ}, {f->pooled, MICA_READ}, {f->tag, MICA_WITHOUT}},
        {{f->mark, MICA_WITH}, {f->column, MICA_OPTIONAL}},
        {{f->toggled, MICA_READ}, {f->mark, MICA_WITHOUT}},
        {{f->pooled, MICA_OPTIONAL}, {f->tag, MICA_WITH}},
    };
    for (uint32_t n = 0; n < 2 * TERMS + 2; n++) {
        bool all = n % 2;
        mica_query_desc desc = {.of = {f->child_of, f->entities[0], all}};
        uint32_t count = 0;
        const mica_term *terms = lists[n / 2 % TERMS];
        while (n < 2 * TERMS && count < 3 && terms[count].access) {
            desc.terms[count] = terms[count];
            count++;
        }
        mica_query query = mica_query_new(f->world, &desc);
        REQUIRE(query.bits != 0);
        for (uint32_t i = 0; i < 60; i++) {
            mica_entity target = f->entities[i < 10 ? i : below(f, ENTITIES)];
            CHECK_EQUAL(MICA_OK, mica_query_set_of(f->world, query, target));
            compare(f, query, target, all, terms, count);
        }
        CHECK_EQUAL(MICA_OK, mica_query_set_of(f->world, query, (mica_entity){0}));
        CHECK_EQUAL(0, mica_query_count(f->world, query));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
        CHECK_EQUAL(MICA_OK, mica_query_free(f->world, query));
    }
}

TEST_WITH(forest, f, values_of_sources_are_written)
{
    mica_query query = mica_query_new(
        f->world, &(mica_query_desc){.terms = {{f->column, MICA_WRITE}, {f->pooled, MICA_WRITE}},
                                     .of = {f->child_of, f->entities[1], true}});
    mica_iter it;
    uint32_t written = 0;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f->world, query, &it));
    while (mica_iter_next(&it)) {
        Number *a = mica_write(&it, 0);
        Number *b = mica_write(&it, 1);
        for (uint32_t i = 0; i < it.count; i++, written++) {
            a[i].value = -1;
            b[i].value = -2;
        }
    }
    uint32_t found = 0;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const Number *a = mica_get(f->world, f->entities[i], f->column);
        const Number *b = mica_get(f->world, f->entities[i], f->pooled);
        bool is = a && b && a->value == -1 && b->value == -2;
        CHECK_EQUAL(is, mica_query_contains(f->world, query, f->entities[i]));
        found += is;
    }
    CHECK_EQUAL(written, found);
}

TEST_WITH(forest, f, only_changed_sources_match)
{
    mica_query query = mica_query_new(
        f->world, &(mica_query_desc){.terms = {{f->column, MICA_READ | MICA_CHANGED}},
                                     .of = {f->child_of, f->entities[0], true}});
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f->world, query, &it));
    while (mica_iter_next(&it)) {
    }
    CHECK_EQUAL(0, mica_query_count(f->world, query));
    mica_entity first = mica_query_first(f->world, query);
    CHECK(MICA_IS_NONE(first));
    const Number number = {7};
    CHECK_EQUAL(MICA_OK,
                mica_set_value(f->world, f->entities[5], f->column, &number, sizeof number));
    CHECK(mica_query_contains(f->world, query, f->entities[5]));
}

TEST_WITH(forest, f, everything_below_is_despawned_by_a_query)
{
    mica_entity other = mica_spawn_values(f->world, NULL, 0);
    mica_query query =
        mica_query_new(f->world, &(mica_query_desc){.of = {f->child_of, f->entities[0], true}});
    CHECK_EQUAL(ENTITIES - 1, mica_query_count(f->world, query));
    CHECK_EQUAL(MICA_OK, mica_despawn_all(f->world, query, NULL));
    CHECK_EQUAL(2, mica_entity_count(f->world));
    CHECK_EQUAL(MICA_OK, mica_link(f->world, other, f->child_of, f->entities[0]));
    CHECK_EQUAL(1, mica_query_count(f->world, query));
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, f->entities[0]));
    CHECK_EQUAL(0, mica_query_count(f->world, query));
}

static void ignore(const mica_observer_event *event)
{
    (void)event;
}

static void count_rows(mica_iter *it)
{
    *(uint32_t *)it->user += it->count;
}

TEST_WITH(forest, f, systems_may_have_such_queries)
{
    uint32_t rows = 0;
    mica_system_add(f->world,
                    &(mica_system_desc){.name = "count",
                                        .update = count_rows,
                                        .user = &rows,
                                        .query.of = {f->child_of, f->entities[0], false}});
    CHECK_EQUAL(MICA_OK, mica_step(f->world, 1));
    CHECK_EQUAL(mica_source_count(f->world, f->entities[0], f->child_of), rows);
}

TEST_WITH(forest, f, what_does_not_match_is_explained)
{
    char text[128];
    mica_query query =
        mica_query_new(f->world, &(mica_query_desc){.of = {f->child_of, f->entities[0], false}});
    mica_entity other = mica_spawn_values(f->world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_query_explain(f->world, query, other, text, sizeof text));
    CHECK_TEXT("entity 400.0 does not match: 'ChildOf' does not lead to 0.0, it has no 'ChildOf'",
               text);
    mica_observer_new(f->world,
                      &(mica_observer_desc){.query.of = {f->child_of, f->entities[0], false},
                                            .events = MICA_ON_ENTER,
                                            .call = ignore});
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_observer_new: the query has .of, and links of others decide what matches; "
                "observe 'ChildOf'");
}

static uint32_t batches;

static void count_sources(mica_iter *it)
{
    forest *f = it->user;
    Number *numbers = mica_write(it, 0);
    batches |= UINT32_C(1) << mica_batch(it);
    for (uint32_t i = 0; i < it->count; i++) {
        numbers[i].value = mica_depth(it->world, it->entities[i], f->child_of);
        mica_link(it->world, it->entities[i], f->child_of, f->entities[0]);
    }
}

// Sources are not rows that can be divided.
TEST_WITH(forest, f, such_queries_are_one_batch_of_parallel_systems)
{
    mica_world *world = f->world;
    mica_entity root = mica_spawn_values(world, NULL, 0);
    mica_link(world, f->entities[0], f->child_of, root);
    mica_system_desc desc = {.name = "count",
                             .update = count_sources,
                             .user = f,
                             .run = MICA_PARALLEL,
                             .batch_rows = 4,
                             .query.terms = {{f->column, MICA_WRITE}},
                             .query.of = {.relation = f->child_of, .target = root, .below = true}};
    REQUIRE(!MICA_IS_NONE(mica_system_add(world, &desc)));
    CHECK_EQUAL(MICA_OK, mica_world_start_workers(world, 3));
    uint32_t below_root = 0;
    mica_descent descent = mica_descend(world, root, f->child_of);
    for (mica_entity e; !MICA_IS_NONE(e = mica_descent_next(&descent));) {
        below_root += mica_has(world, e, f->column) && !MICA_EQUAL(e, root);
    }
    CHECK(below_root > 8);
    batches = 0;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(1, batches);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    // All of them are children of the first now, but for itself, which is refused.
    uint32_t moved = mica_source_count(world, f->entities[0], f->child_of);
    CHECK(moved + 1 >= below_root);
    (void)test_error_clear(&f->t.error);
}

TESTS(relation_query, such_queries_are_one_batch_of_parallel_systems, sources_match_in_their_order,
      values_of_sources_are_written, only_changed_sources_match,
      everything_below_is_despawned_by_a_query, systems_may_have_such_queries,
      what_does_not_match_is_explained)
