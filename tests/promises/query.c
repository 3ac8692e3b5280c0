// What mica/query.h promises.
#include "promise.h"

#include <stdio.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

static const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_SPLIT, MICA_RING};
enum { STORAGES = sizeof storages / sizeof storages[0], CROWD = 24 };

// Entities with positions, which are stored in each way in turn; every other one has a velocity, every third is
// frozen, and a few are marked.
typedef struct crowd {
    test_world t;
    mica_world *world;
    mica_type position, velocity, frozen, mark;
    mica_entity entities[CROWD];
    mica_query movers; // with position and velocity
} crowd;

static mica_world *begin(crowd *c, mica_storage storage)
{
    mica_world *world = c->world = test_world_begin(&c->t);
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.storage = storage;
    desc.toggle = true;
    c->position = mica_type_register(world, &desc);
    c->velocity = MICA_REGISTER(world, Velocity, x, y);
    c->frozen = MICA_TAG(world, Frozen);
    c->mark = MICA_SPARSE_TAG(world, Mark);
    for (uint32_t i = 0; i < CROWD; i++) {
        float number = (float)i;
        mica_entity entity = mica_spawn(world, MICA_VALUE(c->position, Position, number, -number));
        if (i % 2 == 0) {
            mica_set(world, entity, MICA_VALUE(c->velocity, Velocity, number * 10, 1));
        }
        if (i % 3 == 0) {
            mica_add(world, entity, c->frozen);
        }
        if (i % 5 == 0) {
            mica_add(world, entity, c->mark);
        }
        c->entities[i] = entity;
    }
    c->movers = mica_query_new(
        world, &(mica_query_desc){.terms = {{c->position, MICA_WRITE}, {c->velocity, MICA_READ}}});
    return world;
}

static mica_query ask(crowd *c, mica_query_desc desc)
{
    mica_query query = mica_query_new(c->world, &desc);
    REQUIRE(!MICA_IS_NONE(query));
    return query;
}

static float x_of(crowd *c, mica_entity entity)
{
    Position position = {-1, -1};
    MICA_LOAD(c->world, entity, c->position, position);
    return position.x;
}

// One error was reported, this one.
static void check_code(crowd *c, mica_result code)
{
    CHECK_EQUAL(code, c->t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&c->t.error));
}

// The same of a call that returns it, which has changed nothing.
static void check_refused(crowd *c, mica_result code, mica_result result, uint64_t digest)
{
    CHECK_EQUAL(code, result);
    check_code(c, code);
    CHECK_EQUAL(digest, mica_world_digest(c->world));
}

static void refuse_query(crowd *c, mica_result code, const mica_query_desc *desc)
{
    uint32_t before = mica_world_get_stats(c->world).queries;
    CHECK(MICA_IS_NONE(mica_query_new(c->world, desc)));
    check_code(c, code);
    CHECK_EQUAL(before, mica_world_get_stats(c->world).queries);
}

static mica_query made_inside;

static mica_result make_inside(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count;
    made_inside = mica_query_new(context->user, &(mica_query_desc){.everything = true});
    return MICA_OK;
}

PROMISE(mica_query_new)
{
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    const mica_term good = {c.position, MICA_READ};

    // [query.fail]: MICA_ERROR_NULL, MICA_ERROR_DESC, MICA_ERROR_TYPE, MICA_ERROR_NAME
    CHECK(MICA_IS_NONE(mica_query_new(NULL, &(mica_query_desc){.everything = true})));
    refuse_query(&c, MICA_ERROR_NULL, NULL);
    refuse_query(&c, MICA_ERROR_NULL, &(mica_query_desc){.more_count = 1});
    refuse_query(&c, MICA_ERROR_DESC, &(mica_query_desc){.first_zero = 1, .everything = true});
    refuse_query(&c, MICA_ERROR_DESC, &(mica_query_desc){.last_zero = 1, .everything = true});
    refuse_query(&c, MICA_ERROR_NAME, &(mica_query_desc){.everything = true, .name = ""});
    refuse_query(&c, MICA_ERROR_NAME, &(mica_query_desc){.everything = true, .name = "a\nb"});

    // [query.fail]: MICA_ERROR_ARGUMENT
    const uint32_t wrong[] = {
        MICA_ACCESS_NONE,
        MICA_ACCESS_COUNT,
        255,
        1 << 12 | MICA_READ,
        1u << 31 | MICA_READ,
        MICA_INCLUDE_DISABLED,
        MICA_READ | MICA_CHANGED | MICA_ADDED,
        MICA_WITHOUT | MICA_CHANGED,
        MICA_WITHOUT | MICA_ADDED,
        MICA_READ | MICA_TOUCH,
    };
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        refuse_query(&c, MICA_ERROR_ARGUMENT,
                     &(mica_query_desc){.terms = {{c.position, wrong[i]}}});
    }
    refuse_query(&c, MICA_ERROR_ARGUMENT,
                 &(mica_query_desc){.terms = {{c.velocity, MICA_READ | MICA_INCLUDE_DISABLED}}});
    refuse_query(&c, MICA_ERROR_ARGUMENT,
                 &(mica_query_desc){.terms = {{c.frozen, MICA_WRITE | MICA_TOUCH}}});

    // [query.fail]: MICA_ERROR_TERMS
    refuse_query(&c, MICA_ERROR_TERMS, &(mica_query_desc){0});
    refuse_query(&c, MICA_ERROR_TERMS, &(mica_query_desc){.terms = {good}, .everything = true});
    refuse_query(&c, MICA_ERROR_TERMS, &(mica_query_desc){.terms = {good, good}});
    refuse_query(&c, MICA_ERROR_TERMS,
                 &(mica_query_desc){.terms = {good, {c.position, MICA_WITHOUT}}});
    refuse_query(&c, MICA_ERROR_TERMS,
                 &(mica_query_desc){.terms = {good}, .more_terms = &good, .more_count = 1});
    mica_term many[MICA_TERMS_MAX + 1];
    for (uint32_t i = 0; i <= MICA_TERMS_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%u", (unsigned)i);
        many[i] =
            (mica_term){mica_type_register(world, &(mica_type_desc){.name = name}), MICA_OPTIONAL};
    }
    mica_query_desc all = {.more_terms = many, .more_count = MICA_TERMS_MAX + 1};
    refuse_query(&c, MICA_ERROR_TERMS, &all);
    all.more_count = MICA_TERMS_MAX;
    CHECK_EQUAL(CROWD, mica_query_count(world, ask(&c, all)));

    // S0.10 [query.sets]: terms after the listed ones, in order of registration
    mica_type_set marks = {0}, others = {0}, empty = {0};
    mica_type_set_add_list(world, &marks, (mica_type[]){c.mark, c.velocity}, 2);
    mica_type_set_add(world, &others, c.frozen);
    const mica_query_desc with_sets = {.terms = {good}, .with = &marks, .without = &others};
    mica_query sets = ask(&c, with_sets);
    mica_query listed = ask(&c, (mica_query_desc){.terms = {good,
                                                            {c.velocity, MICA_WITH},
                                                            {c.mark, MICA_WITH},
                                                            {c.frozen, MICA_WITHOUT}}});
    for (uint32_t i = 0; i < 5; i++) {
        const mica_term is = mica_query_term(world, sets, i);
        const mica_term as = mica_query_term(world, listed, i);
        CHECK(MICA_EQUAL(as.type, is.type) && as.access == is.access);
    }
    CHECK_EQUAL(mica_query_count(world, listed), mica_query_count(world, sets));
    CHECK(mica_query_count(world, sets) > 0);
    CHECK_EQUAL(CROWD - CROWD / 3,
                mica_query_count(world, ask(&c, (mica_query_desc){.without = &others})));
    refuse_query(&c, MICA_ERROR_TERMS, &(mica_query_desc){.with = &empty});
    refuse_query(&c, MICA_ERROR_TERMS, &(mica_query_desc){.with = &marks, .everything = true});
    mica_type_set beyond = {.words = {0, 0, 0, 1}};
    refuse_query(&c, MICA_ERROR_TYPE, &(mica_query_desc){.terms = {good}, .with = &beyond});

    // [query.sets_listed]
    sets = ask(&c, (mica_query_desc){
                       .terms = {{c.velocity, MICA_READ | MICA_CHANGED}, {c.frozen, MICA_WITHOUT}},
                       .with = &marks,
                       .without = &others});
    CHECK_EQUAL(MICA_READ | MICA_CHANGED, mica_query_term(world, sets, 0).access);
    CHECK(MICA_EQUAL(c.mark, mica_query_term(world, sets, 2).type));
    CHECK(MICA_IS_NONE(mica_query_term(world, sets, 3).type));

    // [query.sets_twice]
    refuse_query(&c, MICA_ERROR_TERMS, &(mica_query_desc){.with = &marks, .without = &marks});
    refuse_query(&c, MICA_ERROR_TERMS,
                 &(mica_query_desc){.terms = {{c.frozen, MICA_READ}}, .without = &others});
    refuse_query(&c, MICA_ERROR_TERMS,
                 &(mica_query_desc){.terms = {{c.mark, MICA_WITHOUT}}, .with = &marks});
    refuse_query(&c, MICA_ERROR_TERMS,
                 &(mica_query_desc){.terms = {{c.velocity, MICA_OPTIONAL}}, .with = &marks});

    // [query.fail]: sets count, too
    all.more_count = MICA_TERMS_MAX - 1;
    all.with = &marks;
    refuse_query(&c, MICA_ERROR_TERMS, &all);
    all.more_count = MICA_TERMS_MAX - 2;
    ask(&c, all);

    // [query.unregistered], also behind a gap
    const mica_term missing = {(mica_type){0}, MICA_READ};
    refuse_query(&c, MICA_ERROR_TYPE, &(mica_query_desc){.terms = {missing}});
    refuse_query(&c, MICA_ERROR_TYPE, &(mica_query_desc){.terms = {good, missing}});
    refuse_query(&c, MICA_ERROR_TYPE,
                 &(mica_query_desc){.terms = {good, {{0}, 0}, {c.frozen, MICA_WITH}}});
    refuse_query(&c, MICA_ERROR_TYPE, &(mica_query_desc){.more_terms = &missing, .more_count = 1});
    test_world other;
    mica_type foreign = MICA_TAG(test_world_begin(&other), Frozen);
    refuse_query(&c, MICA_ERROR_TYPE, &(mica_query_desc){.terms = {{foreign, MICA_WITH}}});
    test_world_end(&other);

    // [query.fail]: MICA_ERROR_HOOK, reported when the call around it is over
    mica_type nosy = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Nosy", .size = 4, .align = 4, .hooks.construct = make_inside, .user = world});
    made_inside = c.movers;
    mica_add(world, c.entities[0], nosy);
    CHECK(MICA_IS_NONE(made_inside));
    check_code(&c, MICA_ERROR_HOOK);

    // [query.fail]: MICA_ERROR_LIMIT, MICA_ERROR_MEMORY; sixteen million queries are too many for a
    // test
    mica_result code = MICA_ERROR_MEMORY;
    for (uint32_t k = 1; code == MICA_ERROR_MEMORY; k++) {
        uint64_t digest = mica_world_digest(world);
        test_memory_fail_at(&c.t.memory, k, TEST_MEMORY_ONCE);
        mica_query query = mica_query_new(
            world, &(mica_query_desc){.terms = {good, {c.mark, MICA_OPTIONAL}}, .name = "q"});
        code = MICA_IS_NONE(query) ? c.t.error.last.code : MICA_OK;
        test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(digest, mica_world_digest(world));
        CHECK_EQUAL(code == MICA_OK ? 0 : 1, test_error_clear(&c.t.error));
    }
    CHECK_EQUAL(MICA_OK, code);

    // [query.cost]: none at rows, as nothing is asked for that grows with them. [query.any_time]
    mica_iter it;
    mica_iter_begin(world, c.movers, &it);
    REQUIRE(mica_iter_next(&it));
    mica_query later = ask(&c, (mica_query_desc){.terms = {{c.velocity, MICA_READ}}});
    CHECK_EQUAL(CROWD / 2, mica_query_count(world, later));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    test_world_end(&c.t);
}

static void do_nothing(mica_iter *it)
{
    (void)it;
}

static void hear_nothing(const mica_observer_event *h)
{
    (void)h;
}

PROMISE(mica_query_set_of)
{
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    mica_relation child_of = mica_relation_add(world, &(mica_relation_desc){.name = "ChildOf"});
    mica_entity list[4];
    for (int i = 0; i < 4; i++) {
        list[i] = mica_spawn_values(world, NULL, 0);
    }
    CHECK_EQUAL(MICA_OK, mica_link(world, list[2], child_of, list[0]));
    CHECK_EQUAL(MICA_OK, mica_link(world, list[1], child_of, list[0]));
    CHECK_EQUAL(MICA_OK, mica_link(world, list[3], child_of, list[2]));

    // [query.of_order]
    mica_query of = ask(&c, (mica_query_desc){.of = {child_of, list[0], false}});
    mica_query below = ask(&c, (mica_query_desc){.of = {child_of, list[0], true}});
    CHECK_EQUAL(2, mica_query_count(world, of));
    CHECK(MICA_EQUAL(list[2], mica_query_first(world, of)));
    const mica_entity expected[] = {list[2], list[3], list[1]};
    uint32_t seen = 0;
    mica_iter it;
    mica_iter_begin(world, below, &it);
    while (mica_iter_next(&it)) {
        REQUIRE(seen + it.count <= 3);
        CHECK(memcmp(expected + seen, it.entities, it.count * sizeof *expected) == 0);
        seen += it.count;
    }
    CHECK_EQUAL(3, seen);

    // [query.set_of]
    CHECK_EQUAL(MICA_OK, mica_query_set_of(world, of, list[2]));
    CHECK(MICA_EQUAL(list[3], mica_query_first(world, of)));
    CHECK_EQUAL(MICA_OK, mica_query_set_of(world, of, (mica_entity){0}));
    CHECK_EQUAL(0, mica_query_count(world, of));

    // [query.of_order]: a dead target
    CHECK_EQUAL(MICA_OK, mica_query_set_of(world, of, list[2]));
    CHECK_EQUAL(MICA_OK, mica_despawn(world, list[2]));
    CHECK_EQUAL(0, mica_query_count(world, of));

    // [query.set_of_fail]
    uint64_t digest = mica_world_digest(world);
    mica_iter_begin(world, below, &it);
    check_refused(&c, MICA_ERROR_ITERATING, mica_query_set_of(world, below, list[1]), digest);
    mica_iter_end(&it);
    check_refused(&c, MICA_ERROR_ARGUMENT, mica_query_set_of(world, c.movers, list[1]), digest);
    check_refused(&c, MICA_ERROR_ENTITY, mica_query_set_of(world, of, list[2]), digest);
    CHECK(MICA_IS_NONE(mica_query_new(world, &(mica_query_desc){.of.relation.bits = 7})));
    CHECK_REPORTED(&c.t, MICA_ERROR_RELATION);
    CHECK(
        MICA_IS_NONE(mica_query_new(world, &(mica_query_desc){.of = {child_of, list[2], false}})));
    CHECK_REPORTED(&c.t, MICA_ERROR_ENTITY);
    test_world_end(&c.t);
}

PROMISE(mica_query_free)
{
    // [query.free_cost]: tests/gate/growth.c
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_query_free(NULL, c.movers));

    // [query.free_refused]: MICA_ERROR_ITERATING; another one goes at any time
    mica_query other = ask(&c, (mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, c.movers, &it);
    uint64_t digest = mica_world_digest(world);
    check_refused(&c, MICA_ERROR_ITERATING, mica_query_free(world, c.movers), digest);
    CHECK_EQUAL(MICA_OK, mica_query_free(world, other));
    while (mica_iter_next(&it)) {
    }

    // [query.free_refused]: MICA_ERROR_ARGUMENT, declared by a system
    mica_system user = mica_system_add(
        world, &(mica_system_desc){.name = "user", .update = do_nothing, .queries = {c.movers}});
    check_refused(&c, MICA_ERROR_ARGUMENT, mica_query_free(world, c.movers), digest);
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, user));

    // [query.free_refused]: MICA_ERROR_ARGUMENT, a system's or an observer's own
    mica_system system = mica_system_add(
        world, &(mica_system_desc){
                   .name = "own", .update = do_nothing, .query.terms = {{c.position, MICA_READ}}});
    mica_observer observer =
        mica_observer_new(world, &(mica_observer_desc){.events = MICA_ON_ENTER,
                                                       .call = hear_nothing,
                                                       .query.terms = {{c.position, MICA_READ}}});
    uint32_t own = 0;
    mica_query last = (mica_query){0};
    for (mica_query q = mica_query_next(world, (mica_query){0}); !MICA_IS_NONE(q);
         q = mica_query_next(world, q)) {
        if (!MICA_EQUAL(q, c.movers)) {
            check_refused(&c, MICA_ERROR_ARGUMENT, mica_query_free(world, q), digest);
            last = q;
            own++;
        }
    }
    CHECK_EQUAL(2, own);
    uint32_t queries = mica_world_get_stats(world).queries;
    mica_system_remove(world, system);
    mica_observer_free(world, observer);
    CHECK_EQUAL(queries - 2, mica_world_get_stats(world).queries);

    // [query.free_fail]
    CHECK_EQUAL(MICA_OK, mica_query_free(world, c.movers));
    check_refused(&c, MICA_ERROR_QUERY, mica_query_free(world, last), digest);
    check_refused(&c, MICA_ERROR_QUERY, mica_query_free(world, c.movers), digest);
    check_refused(&c, MICA_ERROR_QUERY, mica_query_free(world, (mica_query){0}), digest);
    test_world_end(&c.t);
}

// Everything that asks who matches gives the same answer, which is that of the iteration.
static void check_asking(crowd *c, mica_query query)
{
    mica_world *world = c->world;
    uint32_t count = mica_query_count(world, query);
    mica_entity first = mica_query_first(world, query);
    mica_entity seen[2 * CROWD];
    bool matches[CROWD];
    for (uint32_t i = 0; i < CROWD; i++) {
        char text[200];
        char id[MICA_ENTITY_TEXT_SIZE];
        char start[64];
        matches[i] = mica_query_contains(world, query, c->entities[i]);
        CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, c->entities[i], text, sizeof text));
        snprintf(start, sizeof start, "entity %s %s", mica_entity_text(c->entities[i], id),
                 matches[i] ? "matches" : "does not match: ");
        CHECK(strncmp(start, text, strlen(start)) == 0);
        CHECK(matches[i] == (strlen(start) == strlen(text)));
    }
    uint32_t total = 0;
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count && total < 2 * CROWD; i++) {
            seen[total++] = it.entities[i];
        }
    }
    CHECK_EQUAL(count, total);
    CHECK(MICA_EQUAL(first, total > 0 ? seen[0] : (mica_entity){0}));
    for (uint32_t i = 0; i < CROWD; i++) {
        uint32_t times = 0;
        for (uint32_t k = 0; k < total; k++) {
            times += MICA_EQUAL(seen[k], c->entities[i]);
        }
        CHECK_EQUAL(matches[i] ? 1 : 0, times);
    }
}

// One term, and all it can ask for, beside others.
static void check_all_accesses(crowd *c)
{
    static const uint32_t filters[] = {0, MICA_INCLUDE_DISABLED, MICA_CHANGED, MICA_ADDED,
                                       MICA_INCLUDE_DISABLED | MICA_CHANGED};
    for (uint32_t access = MICA_READ; access < MICA_ACCESS_COUNT; access++) {
        for (uint32_t f = 0; f < sizeof filters / sizeof filters[0]; f++) {
            for (uint32_t beside = 0; beside < 4; beside++) {
                if (access == MICA_WITHOUT && (filters[f] & (MICA_CHANGED | MICA_ADDED))) {
                    continue;
                }
                const mica_term others[] = {{{0}, 0},
                                            {c->mark, MICA_WITH},
                                            {c->frozen, MICA_ANY},
                                            {c->velocity, MICA_WITHOUT}};
                mica_query query = ask(
                    c,
                    (mica_query_desc){.terms = {{c->position, access | filters[f]}, others[beside]},
                                      .no_facets = f % 2 == 1});
                if (filters[f] & (MICA_CHANGED | MICA_ADDED)) {
                    CHECK_EQUAL(MICA_OK,
                                mica_query_set_since(c->world, query, mica_world_tick(c->world)));
                    mica_set(c->world, c->entities[4], MICA_VALUE(c->position, Position, 4, -4));
                    mica_remove(c->world, c->entities[5], c->position);
                    mica_add(c->world, c->entities[5], c->position);
                }
                check_asking(c, query);
                CHECK_EQUAL(MICA_OK, mica_query_free(c->world, query));
            }
        }
    }
}

PROMISE(mica_query_count)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        crowd c;
        mica_world *world = begin(&c, storages[s]);

        // [query.count]: whatever is disabled, has changed, or lies apart
        CHECK_EQUAL(CROWD / 2, mica_query_count(world, c.movers));
        mica_remove(world, c.entities[1], c.position);
        check_all_accesses(&c);

        // [query.facets]
        mica_despawn(world, c.entities[CROWD - 1]);
        c.entities[CROWD - 1] =
            mica_facet_add(world, c.entities[0], c.position, 1,
                           MICA_VALUE(c.position, Position, CROWD - 1, 0), MICA_ADD(c.mark));
        for (uint32_t i = 2; i < CROWD; i += 4) {
            mica_disable(world, c.entities[i], c.position);
        }
        check_all_accesses(&c);
        if (storages[s] == MICA_SPARSE) {
            mica_group_new(world, &(mica_group_desc){.required = {c.position, c.mark}});
            mica_group_new(world, &(mica_group_desc){.owned = {c.position}, .without = {c.mark}});
            check_all_accesses(&c);
        }

        // The same when values are kept in another way, or have been.
        for (uint32_t k = 1; k <= STORAGES && storages[s] != MICA_SPARSE; k++) {
            CHECK_EQUAL(MICA_OK,
                        mica_type_change_storage(world, c.position, storages[(s + k) % STORAGES]));
            check_all_accesses(&c);
        }

        // [query.count]: no row is looked at, and nothing is asked for
        uint64_t allocations = c.t.memory.allocations;
        mica_query_count(world, c.movers);
        CHECK_EQUAL(allocations, c.t.memory.allocations);

        // [query.count_fail]
        CHECK_EQUAL(0, mica_query_count(NULL, c.movers));
        CHECK_EQUAL(0, mica_query_count(world, (mica_query){0}));
        check_code(&c, MICA_ERROR_QUERY);
        CHECK_EQUAL(MICA_OK, mica_world_clear(world));
        CHECK_EQUAL(0, mica_query_count(world, c.movers));
        test_world_end(&c.t);
    }
}

PROMISE(mica_query_first)
{
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);

    // [query.count]: the first; check_asking() compares
    CHECK(mica_query_contains(world, c.movers, mica_query_first(world, c.movers)));
    mica_world_clear(world);
    CHECK(MICA_IS_NONE(mica_query_first(world, c.movers)));

    CHECK(MICA_IS_NONE(mica_query_first(NULL, c.movers)));
    CHECK(MICA_IS_NONE(mica_query_first(world, (mica_query){0})));
    check_code(&c, MICA_ERROR_QUERY);
    test_world_end(&c.t);
}

typedef struct Camera {
    int32_t n;
} Camera;

PROMISE(mica_query_single)
{
    for (int i = 0; i < 4; i++) {
        test_world t;
        mica_world *world = test_world_begin(&t);
        mica_type_desc desc = MICA_DESCRIBE(Camera, n);
        desc.storage = storages[i];
        desc.toggle = true;
        mica_type type = mica_type_register(world, &desc);
        mica_type tag = MICA_TAG(world, Tag);
        mica_query cameras = mica_query_new(
            world, &(mica_query_desc){.terms = {{type, MICA_WITH}}, .name = "cameras"});
        mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});

        // [single.fail]
        CHECK(MICA_IS_NONE(mica_query_single(world, cameras)));
        CHECK_ERROR(&t, MICA_ERROR_ARGUMENT, "mica_query_single: there is no match of 'cameras'");

        // [single.only]: also where other tables come first
        for (int n = 0; n < 100; n++) {
            mica_spawn(world, MICA_ADD(tag));
        }
        mica_entity one = mica_spawn(world, MICA_ADD(type), MICA_ADD(tag));
        CHECK(MICA_EQUAL(one, mica_query_single(world, cameras)));
        mica_entity other = mica_spawn(world, MICA_ADD(type));
        CHECK(MICA_IS_NONE(mica_query_single(world, cameras)));
        CHECK_ERROR(&t, MICA_ERROR_ARGUMENT,
                    "mica_query_single: there are several matches of 'cameras'");
        mica_disable(world, other, type);
        CHECK(MICA_EQUAL(one, mica_query_single(world, cameras)));
        mica_enable(world, other, type);
        mica_disable(world, one, type);
        CHECK(MICA_EQUAL(other, mica_query_single(world, cameras)));

        // [single.cost]: it needs no memory, and not all matches; [single.fail]
        CHECK(MICA_IS_NONE(mica_query_single(world, all)));
        CHECK_REPORTED(&t, MICA_ERROR_ARGUMENT);
        CHECK(MICA_IS_NONE(mica_query_single(NULL, all)));
        CHECK(MICA_IS_NONE(mica_query_single(world, (mica_query){0})));
        CHECK_REPORTED(&t, MICA_ERROR_QUERY);
        test_world_end(&t);
    }
}

PROMISE(mica_query_contains)
{
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    CHECK(mica_query_contains(world, c.movers, c.entities[0]));
    CHECK(!mica_query_contains(world, c.movers, c.entities[1]));

    // [query.dead]
    mica_despawn(world, c.entities[0]);
    CHECK(!mica_query_contains(world, c.movers, c.entities[0]));
    CHECK(!mica_query_contains(world, c.movers, (mica_entity){0}));
    CHECK(!mica_query_contains(world, c.movers, mica_entity_make(99999, 0)));
    mica_query everything = ask(&c, (mica_query_desc){.everything = true});
    CHECK(!mica_query_contains(world, everything, c.entities[0]));

    CHECK(!mica_query_contains(NULL, c.movers, c.entities[2]));
    CHECK(!mica_query_contains(world, (mica_query){0}, c.entities[2]));
    check_code(&c, MICA_ERROR_QUERY);
    test_world_end(&c.t);
}

PROMISE(mica_query_explain)
{
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    mica_query query = ask(&c, (mica_query_desc){.terms = {{c.position, MICA_READ},
                                                           {c.velocity, MICA_READ},
                                                           {c.frozen, MICA_WITHOUT}}});

    // [query.explain]; mica_query_count() has the others
    char text[120];
    CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, c.entities[2], text, sizeof text));
    CHECK_TEXT("entity 2.0 matches", text);
    CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, c.entities[3], text, sizeof text));
    CHECK_TEXT("entity 3.0 does not match: it has no 'Velocity', it has 'Frozen'", text);
    mica_disable(world, c.entities[2], c.position);
    CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, c.entities[2], text, sizeof text));
    CHECK_TEXT("entity 2.0 does not match: 'Position' is disabled", text);
    mica_despawn(world, c.entities[2]);
    CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, c.entities[2], text, sizeof text));
    CHECK_TEXT("entity 2.0 does not match: it is dead, or of another world", text);

    // [query.explain]: cut to the size
    memset(text, '~', sizeof text);
    CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, c.entities[4], text, 9));
    CHECK_TEXT("entity 4", text);
    CHECK_EQUAL('~', text[9]);
    CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, c.entities[4], text, 1));
    CHECK_TEXT("", text);

    // [query.explain_fail]
    text[0] = '~';
    uint64_t digest = mica_world_digest(world);
    check_refused(&c, MICA_ERROR_QUERY,
                  mica_query_explain(world, (mica_query){0}, c.entities[4], text, 9), digest);
    check_refused(&c, MICA_ERROR_ARGUMENT, mica_query_explain(world, query, c.entities[4], text, 0),
                  digest);
    check_refused(&c, MICA_ERROR_NULL, mica_query_explain(world, query, c.entities[4], NULL, 9),
                  digest);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_query_explain(NULL, query, c.entities[4], text, 9));
    CHECK_EQUAL('~', text[0]);
    test_world_end(&c.t);
}

// Changes of all that match, beside the same changes one by one in a twin of the world.

typedef enum doing { ADD, REMOVE, SET, DESPAWN } doing;
typedef enum deciding { TABLES, SPARSE_TERM, DISABLED, CHANGES, DECIDINGS } deciding;

static uint32_t reported;

static void count_happening(const mica_observer_event *h)
{
    (void)h;
    reported++;
}

typedef struct pair {
    crowd all, each;
    mica_type type[2]; // that is added, removed or set: in `all`, and in `each`
} pair;

static mica_type register_extra(mica_world *world, mica_storage storage)
{
    mica_type_desc desc = MICA_DESCRIBE(Velocity, x, y);
    desc.name = "Extra";
    desc.toggle = true;
    desc.storage = storage;
    return mica_type_register(world, &desc);
}

static mica_query ask_deciding(crowd *c, deciding by)
{
    mica_query_desc desc = {.terms = {{c->position, MICA_READ}, {c->frozen, MICA_WITHOUT}}};
    if (by == SPARSE_TERM) {
        desc.terms[2] = (mica_term){c->mark, MICA_WITH};
    }
    if (by == CHANGES) {
        desc.terms[0].access |= MICA_CHANGED;
    }
    return ask(c, desc);
}

static void prepare(crowd *c, mica_type *type, mica_storage storage, mica_storage extra,
                    deciding by)
{
    mica_world *world = begin(c, storage);
    *type = register_extra(world, extra);
    for (uint32_t i = 0; i < CROWD; i++) {
        if (i % 4 < 2) {
            float number = (float)i;
            mica_set(world, c->entities[i], MICA_VALUE(*type, Velocity, number, 1));
        }
        if (i % 8 == 1) {
            mica_disable(world, c->entities[i], *type);
        }
        if (by == DISABLED && i % 4 == 0) {
            mica_disable(world, c->entities[i], c->position);
        }
    }
    mica_observer_new(world,
                      &(mica_observer_desc){.events = MICA_ON_SPAWN | MICA_ON_DESPAWN |
                                                      MICA_ON_ADD | MICA_ON_REMOVE | MICA_ON_SET,
                                            .type = *type,
                                            .call = count_happening});
}

static const Velocity given = {7, 8};

static mica_result do_all(crowd *c, doing what, mica_query query, mica_type type, uint32_t *matched)
{
    switch (what) {
    case ADD: return mica_add_all(c->world, query, type, matched);
    case REMOVE: return mica_remove_all(c->world, query, type, matched);
    case SET: return mica_set_all(c->world, query, type, &given, sizeof given, matched);
    default: return mica_despawn_all(c->world, query, matched);
    }
}

static mica_result do_one(crowd *c, doing what, mica_entity entity, mica_type type)
{
    switch (what) {
    case ADD: return mica_add(c->world, entity, type);
    case REMOVE: return mica_remove(c->world, entity, type);
    case SET: return mica_set_value(c->world, entity, type, &given, sizeof given);
    default: return mica_despawn(c->world, entity);
    }
}

static void check_bulk(doing what, mica_storage storage, mica_storage extra, deciding by)
{
    pair p;
    prepare(&p.all, &p.type[0], storage, extra, by);
    prepare(&p.each, &p.type[1], storage, extra, by);
    CHECK_EQUAL(mica_world_hash(p.all.world), mica_world_hash(p.each.world));
    mica_query query = ask_deciding(&p.all, by);
    mica_query twin = ask_deciding(&p.each, by);
    if (by == CHANGES) {
        mica_query_set_since(p.all.world, query, mica_world_tick(p.all.world));
        mica_query_set_since(p.each.world, twin, mica_world_tick(p.each.world));
        for (uint32_t i = 0; i < CROWD; i += 2) {
            mica_set(p.all.world, p.all.entities[i], MICA_VALUE(p.all.position, Position, 1, 1));
            mica_set(p.each.world, p.each.entities[i], MICA_VALUE(p.each.position, Position, 1, 1));
        }
    }
    mica_entity matching[CROWD];
    uint32_t expected = 0;
    for (uint32_t i = 0; i < CROWD; i++) {
        if (mica_query_contains(p.each.world, twin, p.each.entities[i])) {
            matching[expected++] = p.each.entities[i];
        }
    }
    reported = 0;
    for (uint32_t i = 0; i < expected; i++) {
        CHECK_EQUAL(MICA_OK, do_one(&p.each, what, matching[i], p.type[1]));
    }
    uint32_t reported_each = reported;

    // All or none: wherever memory is refused, nothing has happened, and nobody was reported.
    reported = 0;
    uint64_t hash = mica_world_hash(p.all.world);
    mica_result result = MICA_ERROR_MEMORY;
    uint32_t matched = 12345;
    for (uint32_t k = 1; result == MICA_ERROR_MEMORY; k++) {
        test_memory_fail_at(&p.all.t.memory, k, TEST_MEMORY_ONCE);
        result = do_all(&p.all, what, query, p.type[0], &matched);
        test_memory_fail_at(&p.all.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            check_code(&p.all, MICA_ERROR_MEMORY);
            CHECK_EQUAL(hash, mica_world_hash(p.all.world));
            CHECK_EQUAL(12345, matched);
            CHECK_EQUAL(0, reported);
        }
    }
    CHECK_EQUAL(MICA_OK, result);
    CHECK_EQUAL(expected, matched);
    CHECK_EQUAL(reported_each, reported);
    CHECK_EQUAL(mica_world_hash(p.each.world), mica_world_hash(p.all.world));
    for (uint32_t i = 0; i < CROWD; i++) {
        CHECK(mica_is_enabled(p.all.world, p.all.entities[i], p.type[0]) ==
              mica_is_enabled(p.each.world, p.each.entities[i], p.type[1]));
    }
    test_world_end(&p.all.t);
    test_world_end(&p.each.t);
}

static void check_bulks(doing what)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        for (uint32_t e = 0; e < STORAGES; e++) {
            for (uint32_t by = 0; by < DECIDINGS; by++) {
                check_bulk(what, storages[s], storages[e], (deciding)by);
            }
        }
    }
}

// The errors that all of them have, and that these change nothing.
static void check_bulk_errors(doing what)
{
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    mica_type type = register_extra(world, MICA_TABLE);
    uint64_t digest = mica_world_digest(world);
    uint32_t matched = 12345;
    check_refused(&c, MICA_ERROR_QUERY, do_all(&c, what, (mica_query){0}, type, &matched), digest);
    if (what != DESPAWN) {
        check_refused(&c, MICA_ERROR_TYPE, do_all(&c, what, c.movers, (mica_type){0}, &matched),
                      digest);
    }
    c.world = NULL;
    CHECK_EQUAL(MICA_ERROR_NULL, do_all(&c, what, c.movers, type, &matched));
    c.world = mica_world_later(world);
    CHECK_EQUAL(MICA_ERROR_RECORDING, do_all(&c, what, c.movers, type, &matched));
    c.world = world;
    check_code(&c, MICA_ERROR_RECORDING);
    mica_iter it;
    mica_iter_begin(world, c.movers, &it);
    check_refused(&c, MICA_ERROR_ITERATING, do_all(&c, what, c.movers, type, &matched), digest);
    mica_iter_end(&it);
    CHECK_EQUAL(12345, matched);

    // `matched_out` may be NULL; and where nobody matches, nothing happens.
    CHECK_EQUAL(MICA_OK, do_all(&c, what, c.movers, type, NULL));
    mica_world_clear(world);
    CHECK_EQUAL(MICA_OK, do_all(&c, what, c.movers, type, &matched));
    CHECK_EQUAL(0, matched);
    test_world_end(&c.t);
}

enum { MANY = 3000 };

PROMISE(mica_add_all)
{
    // [all.tables]
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type position = MICA_REGISTER(world, Position, x, y);
    mica_type frozen = MICA_TAG(world, Frozen);
    for (uint32_t i = 0; i < MANY; i++) {
        mica_spawn(world, MICA_VALUE(position, Position, 1, 2));
    }
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{position, MICA_READ}}});
    mica_world_stats before = mica_world_get_stats(world);
    uint32_t matched = 0;
    CHECK_EQUAL(MICA_OK, mica_add_all(world, query, frozen, &matched));
    CHECK_EQUAL(MANY, matched);
    CHECK_EQUAL(before.row_moves, mica_world_get_stats(world).row_moves);
    CHECK(mica_world_get_stats(world).page_moves > before.page_moves);
    before = mica_world_get_stats(world);
    CHECK_EQUAL(MICA_OK, mica_remove_all(world, query, frozen, &matched));
    CHECK_EQUAL(before.row_moves, mica_world_get_stats(world).row_moves);

    // [all.matched]: also if they have it already
    CHECK_EQUAL(MICA_OK, mica_add_all(world, query, position, &matched));
    CHECK_EQUAL(MANY, matched);
    test_world_end(&t);

    // [all.one_by_one], [all.each]: as mica_add()
    check_bulks(ADD);

    // [all.matched]: NULL, and after a failure
    check_bulk_errors(ADD);
}

PROMISE(mica_remove_all)
{
    check_bulks(REMOVE);
    check_bulk_errors(REMOVE);
}

PROMISE(mica_set_all)
{
    check_bulks(SET);
    check_bulk_errors(SET);

    // [all.each]: as mica_set_value(); without data it adds only, and the size counts
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    uint64_t digest = mica_world_digest(world);
    check_refused(&c, MICA_ERROR_SIZE, mica_set_all(world, c.movers, c.velocity, &given, 4, NULL),
                  digest);
    check_refused(&c, MICA_ERROR_NULL, mica_set_all(world, c.movers, c.velocity, NULL, 8, NULL),
                  digest);
    uint64_t hash = mica_world_hash(world);
    CHECK_EQUAL(MICA_OK, mica_set_all(world, c.movers, c.velocity, NULL, 0, NULL));
    CHECK_EQUAL(hash, mica_world_hash(world));
    CHECK_EQUAL(MICA_OK, mica_set_all(world, c.movers, c.frozen, NULL, 0, NULL));
    CHECK(mica_has(world, c.entities[2], c.frozen));
    test_world_end(&c.t);
}

PROMISE(mica_despawn_all)
{
    check_bulks(DESPAWN);
    check_bulk_errors(DESPAWN);

    // [all.each]: as mica_despawn(); facets go with their owners, be they among those that match or
    // not
    for (uint32_t match = 0; match < 2; match++) {
        crowd c;
        mica_world *world = begin(&c, MICA_TABLE);
        mica_entity facet = mica_facet_add(world, c.entities[0], c.position, 1, MICA_ADD(c.frozen));
        mica_entity other = mica_facet_add(world, c.entities[1], c.position, 1, MICA_ADD(c.frozen));
        mica_entity_set_name(world, c.entities[0], "somebody");
        if (match) {
            mica_add(world, facet, c.position);
            mica_add(world, facet, c.velocity);
        }
        uint32_t matched = 0;
        CHECK_EQUAL(MICA_OK, mica_despawn_all(world, c.movers, &matched));
        CHECK_EQUAL(CROWD / 2 + match, matched);
        CHECK(!mica_alive(world, facet));
        CHECK(mica_alive(world, other));
        CHECK(MICA_IS_NONE(mica_entity_find(world, "somebody")));
        CHECK_EQUAL(CROWD / 2, mica_entity_count(world));
        test_world_end(&c.t);
    }
}

// Iterations

// An iteration that failed to begin: no segments, and not a further word.
static void check_missed(crowd *c, mica_iter *it, mica_result code, mica_result result)
{
    CHECK_EQUAL(code, result);
    check_code(c, code);
    CHECK(!mica_iter_next(it));
    CHECK(!mica_iter_next(it));
    CHECK_EQUAL(code, mica_iter_end(it));
    CHECK_EQUAL(code, mica_iter_end(it));
    CHECK_EQUAL(0, test_error_clear(&c->t.error));
}

typedef struct inside {
    mica_world *world;
    mica_query query;
    mica_entity entity; // none: all that match
    mica_iter *it;      // NULL: one of its own
    mica_result begun, ended;
    bool advanced;
} inside;

static inside hook_work;

static void iterate_inside(inside *w)
{
    mica_iter own;
    mica_iter *it = w->it ? w->it : &own;
    if (!w->it) {
        w->begun = MICA_IS_NONE(w->entity)
                       ? mica_iter_begin(w->world, w->query, it)
                       : mica_iter_begin_entity(w->world, w->query, w->entity, it);
    }
    w->advanced = mica_iter_next(it);
    w->ended = mica_iter_end(it);
}

static mica_result work_inside(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count, (void)context;
    iterate_inside(&hook_work);
    return MICA_OK;
}

static mica_result copy_and_work(void *target, const void *source, uint32_t count,
                                 const mica_hook_context *context)
{
    memcpy(target, source, count * sizeof(int32_t));
    return work_inside(target, count, context);
}

static mica_type register_nosy(crowd *c)
{
    return mica_type_register(
        c->world, &(mica_type_desc){.name = "Nosy",
                                    .size = 4,
                                    .align = 4,
                                    .hooks = {.construct = work_inside, .copy = copy_and_work}});
}

static void update_inside(mica_iter *it)
{
    inside *w = it->user;
    w->world = it->world;
    iterate_inside(w);
}

// The failures that both ways to begin have: `entity` is none for the first.
static void check_begin_failures(mica_entity (*pick)(const crowd *))
{
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    mica_entity entity = pick(&c);
    bool one = !MICA_IS_NONE(entity);
#define BEGIN(query, it)                                                                           \
    (one ? mica_iter_begin_entity(world, query, entity, it) : mica_iter_begin(world, query, it))

    // [iter.begin_fail]: MICA_ERROR_QUERY; none, freed, of another world
    mica_iter it;
    check_missed(&c, &it, MICA_ERROR_QUERY, BEGIN((mica_query){0}, &it));
    mica_query freed = ask(&c, (mica_query_desc){.everything = true});
    mica_query_free(world, freed);
    check_missed(&c, &it, MICA_ERROR_QUERY, BEGIN(freed, &it));
    crowd other;
    begin(&other, MICA_SPARSE);
    mica_query foreign = ask(&other, (mica_query_desc){.everything = true, .name = "foreign"});
    check_missed(&c, &it, MICA_ERROR_QUERY, BEGIN(foreign, &it));
    test_world_end(&other.t);

    // [iter.begin_fail]: MICA_ERROR_MEMORY, of a query whose values are brought together
    mica_query mixed =
        ask(&c, (mica_query_desc){.terms = {{c.position, MICA_WRITE}, {c.mark, MICA_WITH}}});
    test_memory_fail_at(&c.t.memory, 1, TEST_MEMORY_ONWARDS);
    mica_result result = BEGIN(mixed, &it);
    test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
    check_missed(&c, &it, MICA_ERROR_MEMORY, result);

    // [iter.begin_fail]: MICA_ERROR_HOOK, reported when the call around it is over
    hook_work = (inside){.world = world, .query = c.movers, .entity = entity};
    CHECK_EQUAL(MICA_OK, mica_add(world, c.entities[0], register_nosy(&c)));
    CHECK_EQUAL(MICA_ERROR_HOOK, hook_work.begun);
    CHECK(!hook_work.advanced);
    CHECK_EQUAL(MICA_ERROR_HOOK, hook_work.ended);
    check_code(&c, MICA_ERROR_HOOK);

    // [iter.begin_fail]: MICA_ERROR_UNDECLARED
    inside work = {.query = c.movers, .entity = entity};
    mica_system system = mica_system_add(
        world, &(mica_system_desc){.name = "nosy", .update = update_inside, .user = &work});
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, work.begun);
    CHECK(!work.advanced);
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, work.ended);
    check_code(&c, MICA_ERROR_UNDECLARED);
    mica_system_remove(world, system);
    mica_system_add(
        world, &(mica_system_desc){
                   .name = "nosy", .update = update_inside, .user = &work, .queries = {c.movers}});
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(MICA_OK, work.begun);

    // [iter.begin_null]
    CHECK_EQUAL(MICA_ERROR_NULL, BEGIN(c.movers, NULL));
    check_code(&c, MICA_ERROR_NULL);
    world = NULL;
    CHECK_EQUAL(MICA_ERROR_NULL, BEGIN(c.movers, &it));
    world = c.world;
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(&it));

    // [iter.begin_open]
    CHECK_EQUAL(MICA_OK, mica_iter_begin(world, c.movers, &it));
    REQUIRE(mica_iter_next(&it));
    uint32_t count = it.count;
    CHECK_EQUAL(MICA_ERROR_ITERATOR, BEGIN(c.movers, &it));
    check_code(&c, MICA_ERROR_ITERATOR);
    CHECK_EQUAL(count, it.count);
    CHECK(mica_write(&it, 0) != NULL);
    while (mica_iter_next(&it)) {
        count += it.count;
    }
    CHECK_EQUAL(CROWD / 2, count);
    test_world_end(&c.t);
#undef BEGIN
}

static mica_entity pick_none(const crowd *c)
{
    (void)c;
    return (mica_entity){0};
}

static mica_entity pick_first(const crowd *c)
{
    return c->entities[0];
}

PROMISE(mica_iter_begin)
{
    // [iter.begin_cost]: tests/gate/growth.c
    // [iter.begin]: all that match, through the face that records, too
    for (uint32_t s = 0; s < STORAGES; s++) {
        crowd c;
        mica_world *world = begin(&c, storages[s]);
        mica_iter it;
        uint32_t count = 0;
        CHECK_EQUAL(MICA_OK, mica_iter_begin(mica_world_later(world), c.movers, &it));
        while (mica_iter_next(&it)) {
            count += it.count;
        }
        CHECK_EQUAL(CROWD / 2, count);
        mica_world_clear(world);
        CHECK_EQUAL(MICA_OK, mica_iter_begin(world, c.movers, &it));
        CHECK(!mica_iter_next(&it));
        test_world_end(&c.t);
    }

    // [iter.begin_fail], [iter.begin_null], [iter.begin_open]
    check_begin_failures(pick_none);
}

PROMISE(mica_iter_begin_entity)
{
    // [iter.begin]: one entity
    for (uint32_t s = 0; s < STORAGES; s++) {
        crowd c;
        mica_world *world = begin(&c, storages[s]);
        mica_disable(world, c.entities[4], c.position);
        mica_query marked =
            ask(&c, (mica_query_desc){.terms = {{c.position, MICA_READ}, {c.mark, MICA_WITH}}});
        for (uint32_t i = 0; i < CROWD; i++) {
            const mica_query queries[] = {c.movers, marked};
            for (uint32_t q = 0; q < 2; q++) {
                mica_iter it;
                bool matches = mica_query_contains(world, queries[q], c.entities[i]);
                CHECK_EQUAL(MICA_OK, mica_iter_begin_entity(world, queries[q], c.entities[i], &it));
                CHECK(matches == mica_iter_next(&it));
                if (matches) {
                    CHECK_EQUAL(1, it.count);
                    CHECK(MICA_EQUAL(c.entities[i], it.entities[0]));
                    mica_read_fields x = MICA_READ_FIELD(&it, 0, Position, x);
                    REQUIRE(x.base != NULL);
                    CHECK(MICA_READ_IN(x, 0, float) == (float)i);
                    CHECK(!mica_iter_next(&it));
                }
            }
        }

        // [iter.begin_fail]: MICA_ERROR_ENTITY
        mica_despawn(world, c.entities[0]);
        mica_iter it;
        check_missed(&c, &it, MICA_ERROR_ENTITY,
                     mica_iter_begin_entity(world, c.movers, c.entities[0], &it));
        check_missed(&c, &it, MICA_ERROR_ENTITY,
                     mica_iter_begin_entity(world, c.movers, (mica_entity){0}, &it));
        test_world_end(&c.t);
    }
    check_begin_failures(pick_first);
}

static void advance_own(mica_iter *it)
{
    inside *w = it->user;
    w->it = it;
    iterate_inside(w);
}

// In how many segments a query of a ring comes whose rows are of eight sets of components.
static uint32_t count_segments(bool toggle, bool stamps, uint32_t access, bool no_facets)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.storage = MICA_RING;
    desc.toggle = toggle;
    desc.row_stamps = stamps;
    mica_type ring = mica_type_register(world, &desc);
    const mica_type tags[] = {MICA_TAG(world, A), MICA_TAG(world, B), MICA_TAG(world, C)};
    for (uint32_t i = 0; i < 400; i++) {
        mica_entity entity = mica_spawn(world, MICA_ADD(ring));
        for (uint32_t k = 0; k < 3; k++) {
            if (i >> k & 1) {
                mica_add(world, entity, tags[k]);
            }
        }
    }
    CHECK_EQUAL(MICA_OK, mica_world_compact(world));
    mica_query query = mica_query_new(
        world,
        &(mica_query_desc){.terms = {{ring, access}}, .no_entities = true, .no_facets = no_facets});
    uint32_t segments = 0;
    uint32_t rows = 0;
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        CHECK(it.entities == NULL);
        segments++;
        rows += it.count;
    }
    CHECK_EQUAL(400, rows);
    test_world_end(&t);
    return segments;
}

PROMISE(mica_iter_next)
{
    // [segment.one]
    CHECK_EQUAL(1, count_segments(false, false, MICA_READ, false));
    CHECK_EQUAL(1, count_segments(false, false, MICA_WRITE, false));
    CHECK_EQUAL(1, count_segments(true, false, MICA_WRITE | MICA_INCLUDE_DISABLED, false));
    CHECK_EQUAL(1, count_segments(false, true, MICA_READ, false));
    CHECK(count_segments(true, false, MICA_READ, false) >= 8);
    CHECK(count_segments(false, true, MICA_WRITE, false) >= 8);
    CHECK(count_segments(false, false, MICA_WRITE | MICA_TOUCH, false) >= 8);
    CHECK(count_segments(false, false, MICA_READ, true) >= 8);

    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);

    // [iter.next]: changes are possible again
    mica_iter it;
    mica_iter_begin(world, c.movers, &it);
    uint32_t segments = 0;
    while (mica_iter_next(&it)) {
        CHECK(it.count > 0);
        segments++;
    }
    CHECK(segments >= 2);
    CHECK_EQUAL(0, it.count);
    CHECK_EQUAL(MICA_OK, mica_remove(world, c.entities[0], c.velocity));

    // [iter.next_fail]: it has ended
    CHECK(!mica_iter_next(&it));
    check_code(&c, MICA_ERROR_ITERATOR);
    mica_iter_begin(world, c.movers, &it);
    mica_iter_end(&it);
    CHECK(!mica_iter_next(&it));
    check_code(&c, MICA_ERROR_ITERATOR);

    // [iter.next_fail]: NULL, zero, and garbage
    CHECK(!mica_iter_next(NULL));
    memset(&it, 0, sizeof it);
    CHECK(!mica_iter_next(&it));
    memset(&it, 0xA5, sizeof it);
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(0, test_error_clear(&c.t.error)); // no world can be reported of it

    // [iter.next_fail]: that of a system
    inside work = {0};
    mica_system system = mica_system_add(
        world, &(mica_system_desc){.name = "hasty",
                                   .update = advance_own,
                                   .query.terms = {{c.velocity, MICA_READ}, {c.frozen, MICA_WITH}},
                                   .user = &work});
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK(!work.advanced);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, work.ended);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, c.t.error.last.code);
    CHECK(test_error_clear(&c.t.error) >= 2);
    mica_system_remove(world, system);

    // [iter.next]: mica_iter_end() returns why it ended
    mica_iter_begin(world, c.movers, &it);
    for (uint32_t i = 0; i < CROWD; i++) {
        mica_add(mica_later(&it), c.entities[i], register_extra(world, MICA_TABLE));
    }
    test_memory_fail_at(&c.t.memory, 1, TEST_MEMORY_ONWARDS);
    while (mica_iter_next(&it)) {
    }
    test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
    check_code(&c, MICA_ERROR_MEMORY);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_iter_end(&it));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
    test_world_end(&c.t);
}

PROMISE(mica_iter_end)
{
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);

    // [iter.end]
    mica_iter its[3];
    for (uint32_t i = 0; i < 3; i++) {
        mica_iter_begin(world, c.movers, &its[i]);
        CHECK(mica_iter_next(&its[i]));
    }
    CHECK_EQUAL(MICA_OK, mica_iter_end(&its[0]));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&its[2]));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_despawn(world, c.entities[0]));
    check_code(&c, MICA_ERROR_ITERATING);

    // [iter.end_commands]
    mica_despawn(mica_later(&its[1]), c.entities[0]);
    CHECK(mica_alive(world, c.entities[0]));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&its[1]));
    CHECK(!mica_alive(world, c.entities[0]));

    // [iter.end_again]
    CHECK_EQUAL(MICA_OK, mica_iter_end(&its[1]));
    mica_iter it;
    mica_iter_begin(world, c.movers, &it);
    while (mica_iter_next(&it)) {
    }
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    CHECK_EQUAL(0, test_error_clear(&c.t.error));
    mica_iter_begin(world, (mica_query){0}, &it);
    CHECK_EQUAL(MICA_ERROR_QUERY, mica_iter_end(&it));
    check_code(&c, MICA_ERROR_QUERY);

    // [iter.end_fail]: no iteration
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(NULL));
    memset(&it, 0, sizeof it);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(&it));
    memset(&it, 0xA5, sizeof it);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(&it));

    // [iter.end_fail]: ended by mica_world_end_iterations()
    mica_iter_begin(world, c.movers, &it);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(1, mica_world_end_iterations(world));
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(&it));
    check_code(&c, MICA_ERROR_ITERATOR);

    // [iter.end_fail]: that of a system, which mica_iter_next() shows; MICA_ERROR_HOOK
    hook_work = (inside){0};
    mica_type nosy = register_nosy(&c);
    mica_add(world, c.entities[2], nosy);
    test_error_clear(&c.t.error);
    mica_iter_begin(world, c.movers, &it);
    CHECK(mica_iter_next(&it));
    hook_work = (inside){.it = &it};
    mica_set_value(world, c.entities[2], nosy, &(int32_t){1}, 4);
    CHECK(!hook_work.advanced);
    CHECK_EQUAL(MICA_ERROR_HOOK, hook_work.ended);
    CHECK_EQUAL(MICA_ERROR_HOOK, c.t.error.last.code);
    CHECK(test_error_clear(&c.t.error) > 0);
    CHECK(mica_write(&it, 0) != NULL);
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    test_world_end(&c.t);
}

PROMISE(mica_iter_types)
{
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);

    // [iter.types]; a disabled one is there, and that a row is a facet is no component
    mica_disable(world, c.entities[6], c.position);
    mica_facet_add(world, c.entities[0], c.position, 1, MICA_ADD(c.position), MICA_ADD(c.frozen));
    mica_type_set types = {0};
    mica_type_set own = {0};
    mica_iter it;
    mica_query everything = ask(&c, (mica_query_desc){.everything = true});
    mica_iter_begin(world, everything, &it);
    while (mica_iter_next(&it)) {
        CHECK_EQUAL(MICA_OK, mica_iter_types(&it, &types));

        // [iter.types_sparse]
        CHECK(!mica_type_set_has(world, &types, c.mark));
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK_EQUAL(MICA_OK, mica_entity_types(world, it.entities[i], &own));
            mica_type_set_remove(world, &own, c.mark);
            CHECK(mica_type_set_equal(&own, &types));
        }
    }

    // [iter.types_common]
    mica_query marked =
        ask(&c, (mica_query_desc){.terms = {{c.mark, MICA_WITH}, {c.position, MICA_OPTIONAL}}});
    mica_iter_begin(world, marked, &it);
    while (mica_iter_next(&it)) {
        mica_type_set common = {0};
        CHECK_EQUAL(MICA_OK, mica_iter_types(&it, &types));
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK_EQUAL(MICA_OK, mica_entity_types(world, it.entities[i], &own));
            CHECK_EQUAL(MICA_OK, i == 0
                                     ? mica_type_set_copy(world, &common, &own)
                                     : mica_type_set_intersection(world, &common, &common, &own));
        }
        mica_type_set_remove(world, &common, c.mark);
        CHECK(mica_type_set_equal(&common, &types));
        mica_type_set_free(world, &common);
    }

    // [iter.types_no_entities]: also where its rows are brought together
    for (uint32_t mixed = 0; mixed < 2; mixed++) {
        mica_query blind = ask(&c, (mica_query_desc){.terms = {{c.position, MICA_READ},
                                                               {c.frozen, MICA_WITHOUT},
                                                               {c.velocity, MICA_OPTIONAL},
                                                               {mixed ? c.mark : (mica_type){0},
                                                                mixed ? MICA_WITH : 0}},
                                                     .no_entities = true});
        mica_iter_begin(world, blind, &it);
        uint32_t segments = 0;
        while (mica_iter_next(&it)) {
            CHECK_EQUAL(MICA_OK, mica_iter_types(&it, &types));
            CHECK_EQUAL(1, mica_type_set_count(&types));
            CHECK(mica_type_set_has(world, &types, c.position));
            CHECK(it.entities == NULL);
            segments++;
        }
        CHECK(segments > 0);
    }

    // [iter.types_cost]: only instructions show it. [iter.types_fail]: MICA_ERROR_ITERATOR, and the
    // set is as it was
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_types(NULL, &types));
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_types(&it, &types));
    check_code(&c, MICA_ERROR_ITERATOR);
    mica_iter_begin(world, c.movers, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_types(&it, &types));
    check_code(&c, MICA_ERROR_ITERATOR);

    // [iter.types_fail]: MICA_ERROR_NULL, MICA_ERROR_MEMORY
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_iter_types(&it, NULL));
    check_code(&c, MICA_ERROR_NULL);
    mica_iter_end(&it);
    mica_type last = c.frozen;
    for (uint32_t i = 0; i < 600; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%u", (unsigned)i);
        last = mica_type_register(world, &(mica_type_desc){.name = name});
    }
    mica_add(world, c.entities[0], last);
    mica_query far_away = ask(&c, (mica_query_desc){.terms = {{last, MICA_WITH}}});
    mica_iter_begin(world, far_away, &it);
    REQUIRE(mica_iter_next(&it));
    test_memory_fail_at(&c.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_iter_types(&it, &types));
    test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
    check_code(&c, MICA_ERROR_MEMORY);
    CHECK_EQUAL(1, mica_type_set_count(&types));
    CHECK_EQUAL(MICA_OK, mica_iter_types(&it, &types));
    CHECK(mica_type_set_has(world, &types, last));
    mica_iter_end(&it);
    mica_type_set_free(world, &types);
    mica_type_set_free(world, &own);
    test_world_end(&c.t);
}

// Reaching values

PROMISE(mica_iter_values_any)
{
    // [read.behind]
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    mica_iter it;
    mica_iter_begin(world, c.movers, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(mica_read(&it, 0), mica_iter_values_any(&it, 0, false));
    CHECK_POINTER(mica_write(&it, 0), mica_iter_values_any(&it, 0, true));
    CHECK_POINTER(NULL, mica_iter_values_any(&it, 1, true));
    CHECK_ERROR(
        &c.t, MICA_ERROR_TERM,
        "mica_write: term 1 ('Velocity') is only read; use mica_read, or declare it MICA_WRITE");
    CHECK_POINTER(NULL, mica_iter_values_any(NULL, 0, false));
    mica_iter_end(&it);

    mica_query mixed =
        ask(&c, (mica_query_desc){.terms = {{c.position, MICA_WRITE}, {c.mark, MICA_WITH}}});
    mica_iter_begin(world, mixed, &it);
    REQUIRE(mica_iter_next(&it));
    void *values = mica_iter_values_any(&it, 0, true);
    CHECK(values != NULL);
    CHECK_POINTER(values, mica_write(&it, 0));
    mica_iter_end(&it);
    test_world_end(&c.t);
}

// Queries whose values lie side by side, and others whose values have to be brought together.
static mica_query ask_writing(crowd *c, uint32_t kind)
{
    mica_query_desc desc = {.terms = {{c->position, MICA_WRITE}}};
    if (kind == 1) {
        desc.terms[1] = (mica_term){c->mark, MICA_WITH};
    } else if (kind == 2) {
        desc.terms[1] = (mica_term){c->velocity, MICA_OPTIONAL};
        for (uint32_t i = 0; i < CROWD; i += 5) {
            mica_disable(c->world, c->entities[i], c->position);
        }
    }
    return ask(c, desc);
}

PROMISE(mica_read)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        for (uint32_t kind = 0; kind < 3; kind++) {
            crowd c;
            mica_world *world = begin(&c, storages[s]);
            mica_query query = ask_writing(&c, kind);
            bool split = storages[s] == MICA_SPLIT;
            mica_iter it;
            mica_iter_begin(world, query, &it);
            uint32_t total = 0;
            while (mica_iter_next(&it)) {
                total += it.count;
                const Position *values = mica_read(&it, 0);
                CHECK(split == (values == NULL));
                for (uint32_t i = 0; values && i < it.count; i++) {
                    // [read.values]
                    uint32_t slot = mica_entity_slot(it.entities[i]);
                    CHECK(values[i].x == (float)slot);
                }
                if (split) {
                    check_code(&c, MICA_ERROR_TERM);
                }
            }
            CHECK_EQUAL(kind == 0 ? CROWD : kind == 1 ? 5 : CROWD - 5, total);
            test_world_end(&c.t);
        }
    }

    // [read.optional], whatever decides that
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    mica_type sparse = register_extra(world, MICA_SPARSE);
    mica_set(world, c.entities[3], MICA_VALUE(sparse, Velocity, 5, 5));
    mica_disable(world, c.entities[4], c.position);
    mica_query optional = ask(&c, (mica_query_desc){.terms = {{c.velocity, MICA_OPTIONAL},
                                                              {c.position, MICA_OPTIONAL},
                                                              {sparse, MICA_OPTIONAL_WRITE}}});
    mica_iter it;
    mica_iter_begin(world, optional, &it);
    while (mica_iter_next(&it)) {
        const void *velocities = mica_read(&it, 0);
        const void *positions = mica_read(&it, 1);
        const void *extras = mica_read(&it, 2);
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK(mica_has(world, it.entities[i], c.velocity) == (velocities != NULL));
            CHECK(mica_is_enabled(world, it.entities[i], c.position) == (positions != NULL));
            CHECK(mica_has(world, it.entities[i], sparse) == (extras != NULL));
        }
    }

    // [read.access]: also a tag, and what only filters
    mica_query filters = ask(
        &c, (mica_query_desc){
                .terms = {{c.position, MICA_WITH}, {c.frozen, MICA_READ}, {sparse, MICA_WITHOUT}}});
    mica_iter_begin(world, filters, &it);
    REQUIRE(mica_iter_next(&it));
    const uint32_t wrong[] = {0, 1, 2, 3, 63, 64, UINT32_MAX};
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_POINTER(NULL, mica_read(&it, wrong[i]));
        check_code(&c, MICA_ERROR_TERM);
        CHECK_POINTER(NULL, mica_write(&it, wrong[i]));
        check_code(&c, MICA_ERROR_TERM);
    }
    mica_iter_end(&it);

    // [read.no_segment]: before the first, or past the last
    CHECK_POINTER(NULL, mica_read(&it, 0));
    check_code(&c, MICA_ERROR_ITERATOR);
    mica_iter_begin(world, filters, &it);
    CHECK_POINTER(NULL, mica_read(&it, 0));
    check_code(&c, MICA_ERROR_ITERATOR);
    mica_iter_end(&it);
    test_world_end(&c.t);
}

// The ways in which a segment is left.
typedef enum leaving { BY_NEXT, BY_END, BY_WORLD, BY_STEP, LEAVINGS } leaving;

typedef struct writing {
    crowd *c;
    uint32_t rows;
} writing;

// What a reader of the component, through the world, is reported while a segment has its values.
static void check_hidden(crowd *c, bool hidden)
{
    mica_world *world = c->world;
    Position position = {0, 0};
    mica_result code = hidden ? MICA_ERROR_ITERATING : MICA_OK;
    for (uint32_t i = 0; i < CROWD; i++) {
        mica_entity entity = c->entities[i];
        CHECK(hidden != MICA_LOAD(world, entity, c->position, position));
        CHECK_EQUAL(hidden ? 1 : 0, test_error_clear(&c->t.error));
        if (mica_type_get_info(world, c->position)->storage != MICA_SPLIT) {
            CHECK(hidden == (mica_get(world, entity, c->position) == NULL));
            CHECK(hidden == (mica_get_mut(world, entity, c->position) == NULL));
            CHECK_EQUAL(hidden ? 2 : 0, test_error_clear(&c->t.error));
        }
        position = (Position){(float)i, 0};
        CHECK_EQUAL(code, mica_set(world, entity, MICA_COPY_OF(c->position, position)));
        CHECK_EQUAL(hidden ? 1 : 0, test_error_clear(&c->t.error));
        CHECK(mica_has(world, entity, c->position));
    }
    mica_iter it;
    CHECK_EQUAL(code, mica_iter_begin(world, c->movers, &it));
    CHECK_EQUAL(hidden ? 1 : 0, test_error_clear(&c->t.error));
    mica_iter_end(&it);
}

// Writes the values of a segment, those of split ones by their fields.
static bool write_segment(crowd *c, const mica_iter *it, float add)
{
    mica_write_fields x = MICA_WRITE_FIELD(it, 0, Position, x);
    for (uint32_t i = 0; x.base && i < it->count; i++) {
        MICA_WRITE_IN(x, i, float) += add;
    }
    (void)c;
    return x.base != NULL;
}

static void write_in_update(mica_iter *it)
{
    writing *w = it->user;
    w->rows += write_segment(w->c, it, 1000) ? it->count : 0;
}

PROMISE(mica_write)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        for (uint32_t kind = 0; kind < 3; kind++) {
            for (uint32_t by = 0; by < LEAVINGS; by++) {
                // [write.copies]
                crowd c;
                mica_world *world = begin(&c, storages[s]);
                mica_query query = ask_writing(&c, kind);
                uint32_t written = 0;
                mica_iter it;
                if (by == BY_STEP) {
                    writing w = {&c, 0};
                    mica_query_desc desc = {.terms = {{c.position, MICA_WRITE}}};
                    if (kind == 1) {
                        desc.terms[1] = (mica_term){c.mark, MICA_WITH};
                    }
                    mica_system_add(world, &(mica_system_desc){.name = "write",
                                                               .update = write_in_update,
                                                               .query = desc,
                                                               .user = &w});
                    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
                    written = w.rows;
                } else {
                    mica_iter_begin(world, query, &it);
                    while (mica_iter_next(&it)) {
                        CHECK(write_segment(&c, &it, 1000));
                        written += it.count;
                        if (by != BY_NEXT) {
                            break;
                        }
                    }
                    if (by == BY_END) {
                        CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
                    } else if (by == BY_WORLD) {
                        CHECK_EQUAL(1, mica_world_end_iterations(world));
                    }
                }
                uint32_t changed = 0;
                for (uint32_t i = 0; i < CROWD; i++) {
                    float x = x_of(&c, c.entities[i]);
                    changed += x == (float)i + 1000;
                    CHECK(x == (float)i || x == (float)i + 1000);
                }
                CHECK_EQUAL(written, changed);
                CHECK(written > 0);
                check_hidden(&c, false);
                test_world_end(&c.t);
            }
        }

        // [write.alone]
        crowd c;
        mica_world *world = begin(&c, storages[s]);
        mica_query mixed = ask_writing(&c, 1);
        mica_iter it;
        mica_iter_begin(world, mixed, &it);
        REQUIRE(mica_iter_next(&it));
        if (storages[s] == MICA_SPLIT) {
            CHECK(write_segment(&c, &it, 0));
        } else {
            CHECK(mica_write(&it, 0) != NULL);
        }
        if (it.count > 1) {
            check_hidden(&c, true);
        }

        // [write.shown]
        uint64_t hash = mica_world_hash(world);
        char text[2][100];
        TEST_PRINT(text[0], mica_entity_print, world, it.entities[0]);
        write_segment(&c, &it, 5);
        TEST_PRINT(text[1], mica_entity_print, world, it.entities[0]);
        CHECK((hash == mica_world_hash(world)) == (it.count > 1));
        CHECK((strcmp(text[0], text[1]) == 0) == (it.count > 1));
        mica_iter_end(&it);
        check_hidden(&c, false);

        // What is only read stays where it is, for everybody.
        mica_iter_begin(world, mixed, &it);
        REQUIRE(mica_iter_next(&it));
        CHECK(MICA_READ_FIELD(&it, 0, Position, x).base != NULL);
        check_hidden(&c, false);
        mica_iter_end(&it);

        // [write.hooks]: values that another iteration reads
        if (storages[s] != MICA_SPLIT) {
            mica_iter reader;
            mica_iter_begin(world, c.movers, &reader);
            REQUIRE(mica_iter_next(&reader));
            mica_iter_begin(world, mixed, &it);
            REQUIRE(mica_iter_next(&it));
            if (it.count > 1) {
                CHECK_POINTER(NULL, mica_write(&it, 0));
                check_code(&c, MICA_ERROR_TERM);
            }
            CHECK(mica_write_row(&it, 0, 0) != NULL);
            mica_iter_end(&it);
            mica_iter_end(&reader);
        }
        test_world_end(&c.t);
    }

    // [write.hooks]: values with hooks
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    hook_work = (inside){0};
    mica_type hooked = mica_type_register(
        world,
        &(mica_type_desc){.name = "Hooked", .size = 4, .align = 4, .hooks.copy = copy_and_work});
    mica_query all = ask(&c, (mica_query_desc){.terms = {{c.position, MICA_WITH}}});
    CHECK_EQUAL(MICA_OK, mica_add_all(world, all, hooked, NULL));
    test_error_clear(&c.t.error);
    mica_query query =
        ask(&c, (mica_query_desc){.terms = {{hooked, MICA_WRITE}, {c.mark, MICA_WITH}}});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    REQUIRE(mica_iter_next(&it));
    REQUIRE(it.count > 1);
    CHECK_POINTER(NULL, mica_write(&it, 0));
    check_code(&c, MICA_ERROR_TERM);
    CHECK_POINTER(NULL, mica_read(&it, 0));
    check_code(&c, MICA_ERROR_TERM);
    CHECK(mica_read_row(&it, 0, 1) != NULL);
    CHECK(mica_write_row(&it, 0, 1) != NULL);
    mica_iter_end(&it);
    test_world_end(&c.t);
}

PROMISE(mica_read_row)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        for (uint32_t kind = 0; kind < 3; kind++) {
            crowd c;
            mica_world *world = begin(&c, storages[s]);
            mica_query query = ask_writing(&c, kind);
            mica_iter it;
            mica_iter_begin(world, query, &it);
            while (mica_iter_next(&it)) {
                if (storages[s] == MICA_SPLIT) { // [read.row]
                    CHECK_POINTER(NULL, mica_read_row(&it, 0, 0));
                    check_code(&c, MICA_ERROR_TERM);
                    continue;
                }
                for (uint32_t i = 0; i < it.count; i++) {
                    // [read.row], [read.row_pointer]: it is the value itself
                    const Position *position = mica_read_row(&it, 0, i);
                    REQUIRE(position != NULL);
                    CHECK_POINTER(mica_get(world, it.entities[i], c.position), position);
                }

                // [read.row_pointer]: then it is elsewhere
                const Position *all = mica_write(&it, 0);
                REQUIRE(all != NULL);
                for (uint32_t i = 0; i < it.count; i++) {
                    CHECK_POINTER(&all[i], mica_read_row(&it, 0, i));
                }

                // [read.row]: MICA_ERROR_ARGUMENT
                CHECK_POINTER(NULL, mica_read_row(&it, 0, it.count));
                check_code(&c, MICA_ERROR_ARGUMENT);
                CHECK_POINTER(NULL, mica_read_row(&it, 0, UINT32_MAX));
                check_code(&c, MICA_ERROR_ARGUMENT);
            }
            CHECK_POINTER(NULL, mica_read_row(&it, 0, 0));
            check_code(&c, MICA_ERROR_ITERATOR);
            test_world_end(&c.t);
        }
    }
}

PROMISE(mica_write_row)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        for (uint32_t kind = 0; kind < 3; kind++) {
            crowd c;
            mica_world *world = begin(&c, storages[s]);
            mica_query query = ask_writing(&c, kind);
            if (storages[s] == MICA_SPLIT) {
                test_world_end(&c.t);
                continue;
            }
            uint32_t rows = 0;
            mica_iter it;
            mica_iter_begin(world, query, &it);
            while (mica_iter_next(&it)) {
                for (uint32_t i = 0; i < it.count; i++, rows++) {
                    Position *position = mica_write_row(&it, 0, i);
                    REQUIRE(position != NULL);
                    position->x += 1000;
                    CHECK(x_of(&c, it.entities[i]) == position->x);
                }
                CHECK_POINTER(NULL, mica_write_row(&it, 0, it.count));
                check_code(&c, MICA_ERROR_ARGUMENT);
                CHECK_POINTER(NULL, mica_write_row(&it, 1, 0));
                check_code(&c, MICA_ERROR_TERM);
            }
            uint32_t changed = 0;
            for (uint32_t i = 0; i < CROWD; i++) {
                changed += x_of(&c, c.entities[i]) == (float)i + 1000;
            }
            CHECK_EQUAL(rows, changed);
            test_world_end(&c.t);
        }
    }
}

// Fields

static void end_nothing(void *values, uint32_t count, const mica_hook_context *context)
{
    (void)values, (void)count, (void)context;
}

// All values of an iteration, one by one, are those of the entities. Then each gets 1000 more.
static void check_rows(crowd *c, mica_iter *it)
{
    for (uint32_t i = 0; i < it->count; i++) {
        Position is = {-1, -1};
        CHECK(mica_load_row(it, 0, i, &is, sizeof is));
        CHECK(is.x == (float)mica_entity_slot(it->entities[i]) && is.y == -is.x);
        is.x += 1000;
        CHECK_EQUAL(MICA_OK, mica_store_row(it, 0, i, &is, sizeof is));
        Position now = {-1, -1};
        CHECK(MICA_LOAD_ROW(it, 0, i, now) && now.x == is.x && now.y == is.y);
    }
    (void)c;
}

// S1.9
PROMISE(mica_load_row)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        for (uint32_t kind = 0; kind < 3; kind++) {
            crowd c;
            mica_world *world = begin(&c, storages[s]);
            mica_query query = ask_writing(&c, kind);
            uint32_t count = mica_query_count(world, query), rows = 0;
            mica_iter it;
            mica_iter_begin(world, query, &it);
            Position is = {-1, -1};
            while (mica_iter_next(&it)) {
                // [row.load]
                check_rows(&c, &it);
                rows += it.count;

                // [row.fail]
                CHECK(!mica_load_row(&it, 0, it.count, &is, sizeof is));
                check_code(&c, MICA_ERROR_ARGUMENT);
                CHECK(!mica_load_row(&it, 0, 0, &is, 4));
                check_code(&c, MICA_ERROR_SIZE);
                CHECK(!mica_load_row(&it, 0, 0, NULL, sizeof is));
                check_code(&c, MICA_ERROR_NULL);
                CHECK(!mica_load_row(&it, 7, 0, &is, sizeof is));
                check_code(&c, MICA_ERROR_TERM);
            }
            CHECK(!mica_load_row(&it, 0, 0, &is, sizeof is));
            check_code(&c, MICA_ERROR_ITERATOR);
            CHECK(is.x == -1);
            CHECK_EQUAL(count, rows);
            for (uint32_t i = 0; i < CROWD; i++) {
                bool stored = mica_query_contains(world, query, c.entities[i]);
                CHECK(x_of(&c, c.entities[i]) == (float)i + (stored ? 1000 : 0));
            }
            test_world_end(&c.t);
        }
    }
    CHECK(!mica_load_row(NULL, 0, 0, NULL, 0));
}

// The whole term was gathered: its copies are the values until the iteration leaves the segment.
static void check_copies(mica_storage storage)
{
    crowd c;
    mica_world *world = begin(&c, storage);
    mica_query query = ask_writing(&c, 1);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    REQUIRE(mica_iter_next(&it) && it.count > 2);
    mica_write_fields x = mica_write_field(&it, 0, 0, 4, NULL);
    REQUIRE(x.base != NULL);
    *(float *)mica_write_in(x, 1) = 77;
    Position is = {0, 0};
    CHECK(MICA_LOAD_ROW(&it, 0, 1, is) && is.x == 77);
    is.x = 78;
    CHECK_EQUAL(MICA_OK, MICA_STORE_ROW(&it, 0, 1, is));
    CHECK(*(float *)mica_write_in(x, 1) == 78);
    mica_entity second = it.entities[1];
    mica_iter_end(&it);
    CHECK(x_of(&c, second) == 78);
    test_world_end(&c.t);
}

// Which rows count as changed after one of them was stored?
static uint32_t count_changed(mica_storage storage, uint32_t filter, bool mixed)
{
    crowd c;
    mica_world *world = begin(&c, storage);
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.name = "Stamped";
    desc.storage = storage;
    desc.row_stamps = true;
    mica_type stamped = mica_type_register(world, &desc);
    for (uint32_t i = 0; i < CROWD; i++) {
        mica_set(world, c.entities[i], MICA_VALUE(stamped, Position, 1, 2));
    }
    mica_query_desc asked = {.terms = {{stamped, MICA_WRITE | filter}}};
    asked.terms[1] = mixed ? (mica_term){c.mark, MICA_WITH} : (mica_term){{0}, 0};
    mica_query query = ask(&c, asked);
    mica_query changed = ask(&c, (mica_query_desc){.terms = {{stamped, MICA_READ | MICA_CHANGED}}});
    mica_query_set_since(world, changed, mica_world_tick(world));
    mica_iter it;
    mica_iter_begin(world, query, &it);
    REQUIRE(mica_iter_next(&it) && it.count > 2);
    CHECK_EQUAL(MICA_OK, MICA_STORE_ROW(&it, 0, 1, ((Position){5, 6})));
    mica_iter_end(&it);
    uint32_t count = mica_query_count(world, changed);
    test_world_end(&c.t);
    return count;
}

// S1.9
PROMISE(mica_store_row)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        // [row.load], [row.ticks]
        check_copies(storages[s]);
        CHECK(count_changed(storages[s], 0, false) >= 1);
        CHECK_EQUAL(1, count_changed(storages[s], 0, true));
        CHECK_EQUAL(0, count_changed(storages[s], MICA_TOUCH, false));
        CHECK_EQUAL(0, count_changed(storages[s], MICA_TOUCH, true));
    }
    for (uint32_t s = 0; s < 2 * STORAGES; s++) {
        // [row.missing]
        crowd c;
        mica_world *world = begin(&c, storages[s / 2]);
        mica_type_desc desc = MICA_DESCRIBE(Velocity, x, y);
        desc.name = "Speed";
        desc.storage = storages[s / 2];
        mica_type speed = mica_type_register(world, &desc);
        mica_query query =
            ask(&c, (mica_query_desc){.terms = {{c.position, MICA_READ},
                                                {speed, MICA_OPTIONAL_WRITE},
                                                {s % 2 ? c.mark : c.velocity, MICA_WITH}}});
        mica_iter it;
        mica_iter_begin(world, query, &it);
        REQUIRE(mica_iter_next(&it));
        Velocity is = {-1, -1};
        CHECK(!MICA_LOAD_ROW(&it, 1, 0, is));
        CHECK(is.x == -1);
        CHECK_EQUAL(MICA_ERROR_TERM, MICA_STORE_ROW(&it, 1, 0, is));
        CHECK_ERROR(
            &c.t, MICA_ERROR_TERM,
            "mica_store_row: term 1 ('Speed') is missing in this segment; mica_set adds it");

        // [row.fail], [row.variable]
        CHECK_EQUAL(MICA_ERROR_TERM, MICA_STORE_ROW(&it, 0, 0, is)); // only read
        check_code(&c, MICA_ERROR_TERM);
        CHECK_EQUAL(MICA_ERROR_SIZE, mica_store_row(&it, 1, 0, &is, 4));
        check_code(&c, MICA_ERROR_SIZE);
        CHECK_EQUAL(MICA_ERROR_NULL, mica_store_row(&it, 1, 0, NULL, 8));
        check_code(&c, MICA_ERROR_NULL);
        CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_store_row(&it, 1, it.count, &is, 8));
        check_code(&c, MICA_ERROR_ARGUMENT);
        mica_iter_end(&it);
        CHECK_EQUAL(MICA_ERROR_ITERATOR, MICA_STORE_ROW(&it, 1, 0, is));
        check_code(&c, MICA_ERROR_ITERATOR);
        test_world_end(&c.t);
    }
    // [row.fail]: values with hooks
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    mica_type hooked = mica_type_register(
        world,
        &(mica_type_desc){.name = "Hooked", .size = 4, .align = 4, .hooks.destruct = end_nothing});
    mica_add(world, c.entities[0], hooked);
    mica_query query = ask(&c, (mica_query_desc){.terms = {{hooked, MICA_WRITE}}});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    REQUIRE(mica_iter_next(&it));
    int32_t value = 0;
    CHECK(!MICA_LOAD_ROW(&it, 0, 0, value));
    CHECK_ERROR(&c.t, MICA_ERROR_ARGUMENT,
                "mica_load_row: values of 'Hooked' have hooks, which a copy would go without; use "
                "mica_read_row");
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, MICA_STORE_ROW(&it, 0, 0, value));
    check_code(&c, MICA_ERROR_ARGUMENT);
    mica_iter_end(&it);
    test_world_end(&c.t);
}

PROMISE(mica_read_field)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        for (uint32_t kind = 0; kind < 3; kind++) {
            // [fields.stride]
            crowd c;
            mica_world *world = begin(&c, storages[s]);
            mica_query query = ask_writing(&c, kind);
            bool split = storages[s] == MICA_SPLIT;
            mica_iter it;
            mica_iter_begin(world, query, &it);
            while (mica_iter_next(&it)) {
                mica_read_fields y = mica_read_field(&it, 0, 4, 4, NULL);
                REQUIRE(y.base != NULL);
                const unsigned char *base = y.base;
                for (uint32_t i = 0; i < it.count; i++) {
                    float value;
                    memcpy(&value, base + i * y.stride, sizeof value);
                    CHECK(value == -(float)mica_entity_slot(it.entities[i]));
                }
                // [fields.dense]
                if (split && kind == 0) {
                    CHECK_EQUAL(4, y.stride);
                }

                // [fields.fail]
                const uint32_t wrong[][2] = {{8, 4}, {0, 0},          {4, 8},
                                             {7, 2}, {UINT32_MAX, 2}, {1, UINT32_MAX}};
                for (uint32_t i = 0; i < 6; i++) {
                    CHECK_POINTER(NULL,
                                  mica_read_field(&it, 0, wrong[i][0], wrong[i][1], NULL).base);
                    check_code(&c, MICA_ERROR_FIELD);
                }
                CHECK((mica_read_field(&it, 0, 0, 8, NULL).base == NULL) == split);
                CHECK_EQUAL(split ? 1 : 0, test_error_clear(&c.t.error));
                CHECK((mica_read_field(&it, 0, 2, 4, NULL).base == NULL) == split);
                CHECK_EQUAL(split ? 1 : 0, test_error_clear(&c.t.error));
                CHECK(mica_read_field(&it, 0, 2, 2, NULL).base != NULL);
            }

            // [fields.rules]
            CHECK_POINTER(NULL, mica_read_field(&it, 0, 0, 4, NULL).base);
            check_code(&c, MICA_ERROR_ITERATOR);
            CHECK_POINTER(NULL, mica_read_field(NULL, 0, 0, 4, NULL).base);
            mica_iter_begin(world, query, &it);
            REQUIRE(mica_iter_next(&it));
            CHECK_POINTER(NULL, mica_read_field(&it, 9, 0, 4, NULL).base);
            check_code(&c, MICA_ERROR_TERM);
            CHECK_POINTER(NULL, mica_read_field(&it, 64, 0, 4, NULL).base);
            check_code(&c, MICA_ERROR_TERM);
            mica_iter_end(&it);

            // [fields.absent]
            mica_entity bare = mica_spawn(world, MICA_ADD(c.frozen));
            mica_query optional = ask(
                &c,
                (mica_query_desc){.terms = {{c.frozen, MICA_WITH}, {c.position, MICA_OPTIONAL}}});
            mica_iter_begin_entity(world, optional, bare, &it);
            REQUIRE(mica_iter_next(&it));
            CHECK_POINTER(NULL, mica_read_field(&it, 1, 0, 4, NULL).base);
            mica_iter_end(&it);
            test_world_end(&c.t);
        }
    }
}

static void check_c_type_of_fields(void)
{
    crowd c;
    mica_world *world = begin(&c, MICA_SPLIT);
    mica_iter it;
    mica_iter_begin(world, c.movers, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK(mica_read_field(&it, 0, 4, 4, "Position").base != NULL);
    CHECK(mica_write_field(&it, 0, 4, 4, "Position").base != NULL);
    CHECK_POINTER(NULL, mica_read_field(&it, 0, 4, 4, "Velocity").base);
    CHECK_ERROR(&c.t, MICA_ERROR_C_TYPE,
                "MICA_READ_FIELD: component 'Position' is of C type 'Position', not 'Velocity'");
    CHECK_POINTER(NULL, mica_write_field(&it, 0, 4, 4, "Velocity").base);
    CHECK_ERROR(&c.t, MICA_ERROR_C_TYPE,
                "MICA_WRITE_FIELD: component 'Position' is of C type 'Position', not 'Velocity'");
    mica_iter_end(&it);
    test_world_end(&c.t);
}

PROMISE(mica_write_field)
{
    check_c_type_of_fields(); // [fields.c_type]

    // [fields.split]
    crowd c;
    mica_world *world = begin(&c, MICA_SPLIT);
    mica_iter it;
    mica_iter_begin(world, c.movers, &it);
    while (mica_iter_next(&it)) {
        CHECK_POINTER(NULL, mica_read(&it, 0));
        CHECK_POINTER(NULL, mica_write(&it, 0));
        CHECK_POINTER(NULL, mica_read_row(&it, 0, 0));
        CHECK_POINTER(NULL, mica_write_row(&it, 0, 0));
        CHECK_POINTER(NULL, MICA_READ_AS(&it, 0, Position));
        CHECK_POINTER(NULL, MICA_WRITE_AS(&it, 0, Position));
        CHECK_EQUAL(MICA_ERROR_TERM, c.t.error.last.code);
        CHECK_EQUAL(6, test_error_clear(&c.t.error));
        mica_write_fields x = mica_write_field(&it, 0, 0, 4, NULL);
        REQUIRE(x.base != NULL);
        float *values = x.base;
        for (uint32_t i = 0; i < it.count; i++) {
            values[i] += 1000;
        }

        // [fields.rules]: what is only read is not written
        CHECK_POINTER(NULL, mica_write_field(&it, 1, 0, 4, NULL).base);
        check_code(&c, MICA_ERROR_TERM);
        CHECK_POINTER(NULL, mica_write_field(&it, 0, 0, 8, NULL).base);
        check_code(&c, MICA_ERROR_FIELD);
    }
    CHECK(x_of(&c, c.entities[2]) == 1002);
    test_world_end(&c.t);
}

PROMISE(mica_read_in)
{
    // [fields.row]
    const Position positions[] = {{1, 2}, {3, 4}};
    mica_read_fields y = {&positions[0].y, sizeof(Position)};
    CHECK_POINTER(&positions[1].y, mica_read_in(y, 1));
}

PROMISE(mica_write_in)
{
    Position positions[] = {{1, 2}, {3, 4}};
    mica_write_fields y = {&positions[0].y, sizeof(Position)};
    CHECK_POINTER(&positions[1].y, mica_write_in(y, 1));
    MICA_WRITE_IN(y, 1, float) -= 1;
    CHECK(positions[1].y == 3);
}

// C types

static void check_size_of_mica_read(void)
{
    // [read.as]: the size; also where it is absent
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    mica_query query =
        ask(&c, (mica_query_desc){.terms = {{c.position, MICA_READ}, {c.velocity, MICA_OPTIONAL}}});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        CHECK_POINTER(mica_read(&it, 0), mica_read_as(&it, 0, sizeof(Position), NULL));
        CHECK_POINTER(mica_read(&it, 1), mica_read_as(&it, 1, sizeof(Velocity), NULL));
        for (uint32_t term = 0; term < 2; term++) {
            CHECK_POINTER(NULL, mica_read_as(&it, term, 4, NULL));
            check_code(&c, MICA_ERROR_SIZE);
            CHECK_POINTER(NULL, mica_read_as(&it, term, 0, NULL));
            check_code(&c, MICA_ERROR_SIZE);
        }
        CHECK_POINTER(NULL, mica_read_as(&it, 2, 8, NULL));
        check_code(&c, MICA_ERROR_TERM);
    }
    CHECK_POINTER(NULL, mica_read_as(NULL, 0, 8, NULL));
    test_world_end(&c.t);
}

PROMISE(mica_read_as)
{
    check_size_of_mica_read();
    // [read.as]: the name
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    mica_iter it;
    mica_iter_begin(world, c.movers, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(mica_read(&it, 0), mica_read_as(&it, 0, sizeof(Position), "Position"));
    CHECK_POINTER(mica_read(&it, 0), mica_read_as(&it, 0, sizeof(Position), NULL));
    CHECK_POINTER(NULL, mica_read_as(&it, 0, sizeof(Position), "Velocity"));
    CHECK_ERROR(&c.t, MICA_ERROR_C_TYPE,
                "MICA_READ_AS: component 'Position' is of C type 'Position', not 'Velocity'");
    CHECK_POINTER(NULL, mica_read_as(&it, 0, 4, "Velocity"));
    check_code(&c, MICA_ERROR_SIZE);
    mica_iter_end(&it);
    CHECK_POINTER(NULL, mica_read_as(&it, 0, sizeof(Position), "Position"));
    check_code(&c, MICA_ERROR_ITERATOR);
    test_world_end(&c.t);
}

static void check_size_of_mica_write(void)
{
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    mica_iter it;
    mica_iter_begin(world, c.movers, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(mica_write(&it, 0), mica_write_as(&it, 0, sizeof(Position), NULL));
    CHECK_POINTER(NULL, mica_write_as(&it, 0, 12, NULL));
    check_code(&c, MICA_ERROR_SIZE);
    CHECK_POINTER(NULL, mica_write_as(&it, 1, sizeof(Velocity), NULL));
    check_code(&c, MICA_ERROR_TERM);
    mica_iter_end(&it);
    CHECK_POINTER(NULL, mica_write_as(NULL, 0, 8, NULL));
    test_world_end(&c.t);
}

PROMISE(mica_write_as)
{
    check_size_of_mica_write();
    crowd c;
    mica_world *world = begin(&c, MICA_TABLE);
    mica_iter it;
    mica_iter_begin(world, c.movers, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(mica_write(&it, 0), mica_write_as(&it, 0, sizeof(Position), "Position"));
    CHECK_POINTER(mica_write(&it, 0), mica_write_as(&it, 0, sizeof(Position), NULL));
    CHECK_POINTER(NULL, mica_write_as(&it, 0, sizeof(Position), "Velocity"));
    CHECK_ERROR(&c.t, MICA_ERROR_C_TYPE,
                "MICA_WRITE_AS: component 'Position' is of C type 'Position', not 'Velocity'");
    mica_iter_end(&it);
    test_world_end(&c.t);
}

TESTS(query, promise_of_mica_query_new, promise_of_mica_query_set_of, promise_of_mica_query_free,
      promise_of_mica_query_count, promise_of_mica_query_first, promise_of_mica_query_single,
      promise_of_mica_query_contains, promise_of_mica_query_explain, promise_of_mica_add_all,
      promise_of_mica_remove_all, promise_of_mica_set_all, promise_of_mica_despawn_all,
      promise_of_mica_iter_begin, promise_of_mica_iter_begin_entity, promise_of_mica_iter_next,
      promise_of_mica_iter_end, promise_of_mica_iter_types, promise_of_mica_iter_values_any,
      promise_of_mica_read, promise_of_mica_write, promise_of_mica_read_row,
      promise_of_mica_write_row, promise_of_mica_load_row, promise_of_mica_store_row,
      promise_of_mica_read_field, promise_of_mica_write_field, promise_of_mica_read_in,
      promise_of_mica_write_in, promise_of_mica_read_as, promise_of_mica_write_as)
