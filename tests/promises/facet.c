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
        mica_facet_add(g->world, g->car, g->collider, FRONT, MICA_VALUE(g->collider, Collider, 1));
    g->rear =
        mica_facet_add(g->world, g->car, g->collider, REAR, MICA_VALUE(g->collider, Collider, 2));
    return g->world;
}

static float radius_of(garage *g, mica_entity entity)
{
    const Collider *collider = mica_get(g->world, entity, g->collider);
    return collider ? collider->radius : -1;
}

PROMISE(mica_facet_add_values)
{
    garage g;
    mica_world *world = begin(&g);

    // [facet.new]
    CHECK(mica_alive(world, g.front));
    CHECK(radius_of(&g, g.front) == 1);
    CHECK(radius_of(&g, g.rear) == 2);
    CHECK(radius_of(&g, g.car) == 9);
    mica_entity bare = mica_facet_add_values(world, g.car, (mica_type){0}, 7, NULL, 0);
    CHECK(mica_alive(world, bare));
    CHECK(!mica_has(world, bare, g.collider));

    // [facet.fail]: MICA_ERROR_KEY
    uint64_t digest = mica_world_digest(world);
    CHECK(MICA_IS_NONE(mica_facet_add_values(world, g.car, g.collider, FRONT, NULL, 0)));
    CHECK_REPORTED(&g.t, MICA_ERROR_KEY);
    CHECK(MICA_IS_NONE(mica_facet_add_values(world, g.car, (mica_type){0}, 0, NULL, 0)));
    CHECK_REPORTED(&g.t, MICA_ERROR_KEY);

    // [facet.fail]: MICA_ERROR_ARGUMENT, and the errors of mica_spawn()
    CHECK(MICA_IS_NONE(mica_facet_add_values(world, g.front, g.collider, 5, NULL, 0)));
    CHECK_REPORTED(&g.t, MICA_ERROR_ARGUMENT);
    const mica_value wrong = {g.collider, &digest, 3, 1, NULL};
    CHECK(MICA_IS_NONE(mica_facet_add_values(world, g.car, g.collider, 5, &wrong, 1)));
    CHECK_REPORTED(&g.t, MICA_ERROR_SIZE);
    mica_entity dead = mica_entity_make(999, 0);
    CHECK(MICA_IS_NONE(mica_facet_add_values(world, dead, g.collider, 5, NULL, 0)));
    CHECK_REPORTED(&g.t, MICA_ERROR_ENTITY);
    CHECK_EQUAL(digest, mica_world_digest(world));

    // [facet.new_cost]: tests/gate/growth.c. [facet.list]: what begin() has called
    test_world_end(&g.t);
}

PROMISE(mica_facet_find)
{
    garage g;
    mica_world *world = begin(&g);

    // [facet.find]: a map has them
    CHECK(MICA_EQUAL(g.rear, mica_facet_find(world, g.car, g.collider, REAR)));
    CHECK(MICA_EQUAL(g.car, mica_facet_find(world, g.car, (mica_type){0}, 0)));

    // [facet.find]: none
    CHECK(MICA_IS_NONE(mica_facet_find(world, g.car, g.collider, 9)));
    CHECK(MICA_IS_NONE(mica_facet_find(world, g.car, g.mark, REAR)));
    CHECK_EQUAL(0, g.t.error.calls);
    test_world_end(&g.t);
}

PROMISE(mica_facet_next)
{
    garage g;
    mica_world *world = begin(&g);

    // [facet.next]
    mica_entity at = mica_facet_next(world, g.car, (mica_entity){0});
    CHECK(MICA_EQUAL(g.front, at));
    at = mica_facet_next(world, g.car, at);
    CHECK(MICA_EQUAL(g.rear, at));

    // [facet.next]: the end
    CHECK(MICA_IS_NONE(mica_facet_next(world, g.car, at)));
    CHECK_EQUAL(0, g.t.error.calls);

    // [facet.next_fail]
    mica_entity other = mica_spawn_values(world, NULL, 0);
    CHECK(MICA_IS_NONE(mica_facet_next(world, other, g.front)));
    CHECK_REPORTED(&g.t, MICA_ERROR_ARGUMENT);
    CHECK(MICA_IS_NONE(mica_facet_next(world, g.car, other)));
    CHECK_REPORTED(&g.t, MICA_ERROR_ARGUMENT);
    test_world_end(&g.t);
}

PROMISE(mica_facet_owner)
{
    garage g;
    mica_world *world = begin(&g);

    // [facet.owner]
    CHECK(MICA_EQUAL(g.car, mica_facet_owner(world, g.front)));
    CHECK(MICA_EQUAL(g.car, mica_facet_owner(world, g.car)));

    // [facet.owner]: none on failure
    mica_despawn(world, g.front);
    CHECK(MICA_IS_NONE(mica_facet_owner(world, g.front)));
    CHECK_REPORTED(&g.t, MICA_ERROR_ENTITY);
    test_world_end(&g.t);
}

PROMISE(mica_facet_key)
{
    garage g;
    mica_world *world = begin(&g);

    // [facet.key]
    mica_type component = (mica_type){0};
    uint32_t role = 99;
    CHECK_EQUAL(MICA_OK, mica_facet_key(world, g.rear, &component, &role));
    CHECK(MICA_EQUAL(g.collider, component));
    CHECK_EQUAL(REAR, role);
    CHECK_EQUAL(MICA_OK, mica_facet_key(world, g.car, &component, &role));
    CHECK(MICA_IS_NONE(component));
    CHECK_EQUAL(0, role);

    // [facet.key_null]
    CHECK_EQUAL(MICA_OK, mica_facet_key(world, g.front, NULL, &role));
    CHECK_EQUAL(FRONT, role);
    CHECK_EQUAL(MICA_OK, mica_facet_key(world, g.front, &component, NULL));
    CHECK(MICA_EQUAL(g.collider, component));

    // [facet.key_fail]
    role = 99;
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_facet_key(world, (mica_entity){0}, &component, &role));
    CHECK_REPORTED(&g.t, MICA_ERROR_ENTITY);
    CHECK_EQUAL(99, role);
    CHECK(MICA_EQUAL(g.collider, component));
    test_world_end(&g.t);
}

PROMISE(mica_iter_owners)
{
    garage g;
    mica_world *world = begin(&g);
    mica_query all = mica_query_new(world, &(mica_query_desc){.terms = {{g.collider, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(world, all, &it);
    CHECK_POINTER(NULL,
                  mica_iter_owners(&it)); // [owners.fail]
    CHECK_REPORTED(&g.t, MICA_ERROR_ITERATOR);
    uint32_t facets = 0;
    while (mica_iter_next(&it)) {
        // [owners.rows]
        const mica_entity *owners = mica_iter_owners(&it);
        REQUIRE(owners != NULL);
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK(MICA_EQUAL(g.car, owners[i]));
            facets += !MICA_EQUAL(owners[i], it.entities[i]);
        }

        // [owners.same]: no row is a facet
        if (MICA_EQUAL(g.car, it.entities[0])) {
            CHECK_POINTER(it.entities, owners);
        }

        // [owners.valid]: it is asked for anew in each
    }
    CHECK_EQUAL(2, facets);

    // [owners.same]: NULL for a query with .no_entities
    mica_query nameless = mica_query_new(
        world, &(mica_query_desc){.terms = {{g.collider, MICA_READ}}, .no_entities = true});
    mica_iter_begin(world, nameless, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(NULL, mica_iter_owners(&it));
    CHECK_EQUAL(0, g.t.error.calls);
    mica_iter_end(&it);

    // [owners.fail]
    mica_add(world, g.front, g.mark);
    mica_add(world, g.car, g.mark);
    mica_query sparse = mica_query_new(world, &(mica_query_desc){.terms = {{g.mark, MICA_WITH}}});
    mica_iter_begin(world, sparse, &it);
    REQUIRE(mica_iter_next(&it));
    test_memory_fail_at(&g.t.memory, 1, TEST_MEMORY_ONWARDS);
    const mica_entity *owners = mica_iter_owners(&it);
    test_memory_fail_at(&g.t.memory, 0, TEST_MEMORY_ONCE);
    if (!owners) {
        CHECK_REPORTED(&g.t, MICA_ERROR_MEMORY);
        owners = mica_iter_owners(&it);
    }
    REQUIRE(owners != NULL);
    CHECK(MICA_EQUAL(g.car, owners[0]));
    mica_iter_end(&it);
    test_world_end(&g.t);
}

TESTS(facet, promise_of_mica_facet_add_values, promise_of_mica_facet_find,
      promise_of_mica_facet_next, promise_of_mica_facet_owner, promise_of_mica_facet_key,
      promise_of_mica_iter_owners)
