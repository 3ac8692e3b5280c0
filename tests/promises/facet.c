// What mica/facet.h promises.
#include "promise.h"

typedef struct Collider {
    float radius;
} Collider;

enum { FRONT = 1, REAR };

typedef struct garage {
    test_world t;
    mica_world *world;
    mica_type collider, mark;
    mica_entity car, front, rear;
} garage;

static mica_world *begin(garage *g)
{
    g->world = test_world_begin(&g->t);
    g->collider = MICA_REGISTER(g->world, Collider, radius);
    g->mark = MICA_SPARSE_TAG(g->world, Mark);
    g->car = mica_spawn(g->world, MICA_VALUE(g->collider, Collider, 9));
    g->front =
        mica_extend(g->world, g->car, g->collider, FRONT, MICA_VALUE(g->collider, Collider, 1));
    g->rear =
        mica_extend(g->world, g->car, g->collider, REAR, MICA_VALUE(g->collider, Collider, 2));
    return g->world;
}

static float radius_of(garage *g, mica_entity entity)
{
    const Collider *collider = mica_get(g->world, entity, g->collider);
    return collider ? collider->radius : -1;
}

PROMISE(mica_extend_values)
{
    garage g;
    mica_world *world = begin(&g);

    // "A new facet of `owner` under a key, with these components", "Returns its handle"
    CHECK(mica_alive(world, g.front));
    CHECK(radius_of(&g, g.front) == 1);
    CHECK(radius_of(&g, g.rear) == 2);
    CHECK(radius_of(&g, g.car) == 9);
    mica_entity bare = mica_extend_values(world, g.car, mica_type_none(), 7, NULL, 0);
    CHECK(mica_alive(world, bare));
    CHECK(!mica_has(world, bare, g.collider));

    // "MICA_ERROR_KEY if the owner has that key already, which it always has if it is (none, 0)"
    uint64_t digest = mica_world_digest(world);
    CHECK(mica_entity_is_none(mica_extend_values(world, g.car, g.collider, FRONT, NULL, 0)));
    CHECK_TOLD(&g.t, MICA_ERROR_KEY);
    CHECK(mica_entity_is_none(mica_extend_values(world, g.car, mica_type_none(), 0, NULL, 0)));
    CHECK_TOLD(&g.t, MICA_ERROR_KEY);

    // "MICA_ERROR_ARGUMENT if the owner is a facet", "with the errors of mica_spawn()"
    CHECK(mica_entity_is_none(mica_extend_values(world, g.front, g.collider, 5, NULL, 0)));
    CHECK_TOLD(&g.t, MICA_ERROR_ARGUMENT);
    const mica_value wrong = {g.collider, &digest, 3, 1};
    CHECK(mica_entity_is_none(mica_extend_values(world, g.car, g.collider, 5, &wrong, 1)));
    CHECK_TOLD(&g.t, MICA_ERROR_SIZE);
    mica_entity dead = mica_entity_make(999, 0);
    CHECK(mica_entity_is_none(mica_extend_values(world, dead, g.collider, 5, NULL, 0)));
    CHECK_TOLD(&g.t, MICA_ERROR_ENTITY);
    CHECK_EQUAL(digest, mica_world_digest(world));

    // "O(1)": tests/gate/growth.c. "is this with a list of values": what begin() has called
    test_world_end(&g.t);
}

PROMISE(mica_extend_compared)
{
    garage g;
    mica_world *world = begin(&g);
    Collider small = {0.5f};
    mica_value values[] = {MICA_FROM(g.collider, small)};
    mica_entity facet = mica_extend_compared(world, g.car, mica_type_none(), 3, values, 1);
    CHECK(radius_of(&g, facet) == 0.5f);
    test_world_end(&g.t);
}

PROMISE(mica_facet_find)
{
    garage g;
    mica_world *world = begin(&g);

    // "The facet of an entity under a key; under (none, 0), the entity itself". "O(1)": a map
    CHECK(mica_entity_equal(g.rear, mica_facet_find(world, g.car, g.collider, REAR)));
    CHECK(mica_entity_equal(g.car, mica_facet_find(world, g.car, mica_type_none(), 0)));

    // "None, silently, if it has no such facet"
    CHECK(mica_entity_is_none(mica_facet_find(world, g.car, g.collider, 9)));
    CHECK(mica_entity_is_none(mica_facet_find(world, g.car, g.mark, REAR)));
    CHECK_EQUAL(0, g.t.error.calls);
    test_world_end(&g.t);
}

PROMISE(mica_facet_next)
{
    garage g;
    mica_world *world = begin(&g);

    // "in the order in which they were made: the first one after `previous`, or after none"
    mica_entity at = mica_facet_next(world, g.car, mica_entity_none());
    CHECK(mica_entity_equal(g.front, at));
    at = mica_facet_next(world, g.car, at);
    CHECK(mica_entity_equal(g.rear, at));

    // "None at the end"
    CHECK(mica_entity_is_none(mica_facet_next(world, g.car, at)));
    CHECK_EQUAL(0, g.t.error.calls);

    // "MICA_ERROR_ARGUMENT if `previous` is no facet of it"
    mica_entity other = mica_spawn_empty(world);
    CHECK(mica_entity_is_none(mica_facet_next(world, other, g.front)));
    CHECK_TOLD(&g.t, MICA_ERROR_ARGUMENT);
    CHECK(mica_entity_is_none(mica_facet_next(world, g.car, other)));
    CHECK_TOLD(&g.t, MICA_ERROR_ARGUMENT);
    test_world_end(&g.t);
}

PROMISE(mica_facet_owner)
{
    garage g;
    mica_world *world = begin(&g);

    // "To whom a facet belongs", "Of an entity that is no facet, itself"
    CHECK(mica_entity_equal(g.car, mica_facet_owner(world, g.front)));
    CHECK(mica_entity_equal(g.car, mica_facet_owner(world, g.car)));

    // "None on failure"
    mica_despawn(world, g.front);
    CHECK(mica_entity_is_none(mica_facet_owner(world, g.front)));
    CHECK_TOLD(&g.t, MICA_ERROR_ENTITY);
    test_world_end(&g.t);
}

PROMISE(mica_facet_key)
{
    garage g;
    mica_world *world = begin(&g);

    // "The key of a facet; (none, 0) of an entity that is none"
    mica_type component = mica_type_none();
    uint32_t role = 99;
    CHECK_EQUAL(MICA_OK, mica_facet_key(world, g.rear, &component, &role));
    CHECK(mica_type_equal(g.collider, component));
    CHECK_EQUAL(REAR, role);
    CHECK_EQUAL(MICA_OK, mica_facet_key(world, g.car, &component, &role));
    CHECK(mica_type_is_none(component));
    CHECK_EQUAL(0, role);

    // "Either pointer may be NULL"
    CHECK_EQUAL(MICA_OK, mica_facet_key(world, g.front, NULL, &role));
    CHECK_EQUAL(FRONT, role);
    CHECK_EQUAL(MICA_OK, mica_facet_key(world, g.front, &component, NULL));
    CHECK(mica_type_equal(g.collider, component));

    // "A call that fails writes nothing"
    role = 99;
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_facet_key(world, mica_entity_none(), &component, &role));
    CHECK_TOLD(&g.t, MICA_ERROR_ENTITY);
    CHECK_EQUAL(99, role);
    CHECK(mica_type_equal(g.collider, component));
    test_world_end(&g.t);
}

PROMISE(mica_owners)
{
    garage g;
    mica_world *world = begin(&g);
    mica_query all = mica_query_new(world, &(mica_query_desc){.terms = {{g.collider, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(world, all, &it);
    CHECK_POINTER(NULL,
                  mica_owners(&it)); // "NULL and MICA_ERROR_ITERATOR if the iteration is at none"
    CHECK_TOLD(&g.t, MICA_ERROR_ITERATOR);
    uint32_t facets = 0;
    while (mica_iter_next(&it)) {
        // "`it->count` handles, beside `it->entities`"
        const mica_entity *owners = mica_owners(&it);
        REQUIRE(owners != NULL);
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK(mica_entity_equal(g.car, owners[i]));
            facets += !mica_entity_equal(owners[i], it.entities[i]);
        }

        // "Where none of the rows is a facet, that pointer itself"
        if (mica_entity_equal(g.car, it.entities[0])) {
            CHECK_POINTER(it.entities, owners);
        }

        // "Valid until the next segment": it is asked for anew in each
    }
    CHECK_EQUAL(2, facets);

    // "where it is NULL, because the query has .no_entities, NULL"
    mica_query nameless = mica_query_new(
        world, &(mica_query_desc){.terms = {{g.collider, MICA_READ}}, .no_entities = true});
    mica_iter_begin(world, nameless, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(NULL, mica_owners(&it));
    CHECK_EQUAL(0, g.t.error.calls);
    mica_iter_end(&it);

    // "NULL and MICA_ERROR_MEMORY where owners had to be brought together first"
    mica_add(world, g.front, g.mark);
    mica_add(world, g.car, g.mark);
    mica_query sparse = mica_query_new(world, &(mica_query_desc){.terms = {{g.mark, MICA_WITH}}});
    mica_iter_begin(world, sparse, &it);
    REQUIRE(mica_iter_next(&it));
    test_memory_fail_at(&g.t.memory, 1, TEST_MEMORY_ONWARDS);
    const mica_entity *owners = mica_owners(&it);
    test_memory_fail_at(&g.t.memory, 0, TEST_MEMORY_ONCE);
    if (!owners) {
        CHECK_TOLD(&g.t, MICA_ERROR_MEMORY);
        owners = mica_owners(&it);
    }
    REQUIRE(owners != NULL);
    CHECK(mica_entity_equal(g.car, owners[0]));
    mica_iter_end(&it);
    test_world_end(&g.t);
}

TESTS(facet, promise_of_mica_extend_values, promise_of_mica_extend_compared,
      promise_of_mica_facet_find, promise_of_mica_facet_next, promise_of_mica_facet_owner,
      promise_of_mica_facet_key, promise_of_mica_owners)
