// What mica/entity.h promises.
#include "promise.h"

PROMISE(mica_entity_make)
{
    // [entity.make]
    mica_entity entity = mica_entity_make(12, 3);
    CHECK_EQUAL(12, mica_entity_slot(entity));
    CHECK_EQUAL(3, mica_entity_generation(entity));
}

PROMISE(mica_entity_slot)
{
    // [entity.slot]
    CHECK_EQUAL(UINT32_MAX - 1, mica_entity_slot(mica_entity_make(UINT32_MAX - 1, 7)));
}

PROMISE(mica_entity_generation)
{
    // [entity.generation]: that of none is not asked for. [handle.last]
    CHECK_EQUAL(MICA_GENERATION_LAST,
                mica_entity_generation(mica_entity_make(0, MICA_GENERATION_LAST)));
}

PROMISE(mica_entity_text)
{
    // [entity.text]
    char text[MICA_ENTITY_TEXT_SIZE];
    CHECK_POINTER(text, mica_entity_text(mica_entity_make(12, 3), text));
    CHECK_TEXT("12.3", text);
    CHECK_TEXT("none", mica_entity_text((mica_entity){0}, text));
    mica_entity longest = mica_entity_make(UINT32_MAX, MICA_GENERATION_LAST);
    CHECK_TEXT("4294967295.2147483646", mica_entity_text(longest, text));

    // [entity.text_null]
    CHECK_POINTER(NULL, mica_entity_text(longest, NULL));
}

PROMISE(mica_spawn_at)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = 200000000;
    mica_world *world = test_world_open(&t);

    // [spawn.at]
    mica_entity wanted = mica_entity_make(7, 5);
    CHECK(MICA_EQUAL(wanted, mica_spawn_at(world, wanted)));
    CHECK(mica_alive(world, wanted));

    // [spawn.at_memory]; with tiny pages there are more of those
#ifndef MICAI_TEST_SMALL_PAGES
    size_t before = t.memory.bytes;
    mica_entity far_away = mica_entity_make(100000000, 0);
    CHECK(MICA_EQUAL(far_away, mica_spawn_at(world, far_away)));
    CHECK(t.memory.bytes - before < 100000000 / 4096 * 2 * sizeof(void *) + (1 << 18));
    mica_despawn(world, far_away);
#endif

    // [spawn.at_cost]: tests/gate/growth.c. [spawn.at_fail]: MICA_ERROR_OCCUPIED
    CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(7, 9))));
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, t.error.last.code);
    mica_despawn(world, wanted);
    CHECK(MICA_IS_NONE(mica_spawn_at(world, wanted)));
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, t.error.last.code);
    CHECK(!MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(7, 6))));
    CHECK_EQUAL(2, test_error_clear(&t.error));

    // [spawn.at_fail]: MICA_ERROR_ENTITY, MICA_ERROR_LIMIT, MICA_ERROR_MEMORY
    CHECK(MICA_IS_NONE(mica_spawn_at(world, (mica_entity){0})));
    CHECK_EQUAL(MICA_ERROR_ENTITY, t.error.last.code);
    CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(200000000, 0))));
    CHECK_EQUAL(MICA_ERROR_LIMIT, t.error.last.code);
    CHECK_EQUAL(2, test_error_clear(&t.error));
    test_memory_fail_at(&t.memory, 1, TEST_MEMORY_ONCE);
    CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(100000, 0))));
    CHECK_EQUAL(MICA_ERROR_MEMORY, t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t.error));
    CHECK_EQUAL(1, mica_entity_count(world));
    test_world_end(&t);
}

static mica_entity order[4];
static uint32_t order_count;

static void note_end(const mica_observer_event *h)
{
    order[order_count++] = h->entity;
}

PROMISE(mica_despawn)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type tag = MICA_TAG(world, Tag);
    mica_entity entity = mica_spawn(world, MICA_ADD(tag));
    mica_entity facet = mica_facet_add(world, entity, (mica_type){0}, 1, MICA_ADD(tag));
    REQUIRE(!MICA_IS_NONE(facet));

    // [despawn.facets]
    order_count = 0;
    mica_observer_new(
        world, &(mica_observer_desc){.type = tag, .events = MICA_ON_DESPAWN, .call = note_end});
    CHECK_EQUAL(MICA_OK, mica_despawn(world, entity));
    CHECK(!mica_alive(world, entity));
    CHECK(!mica_alive(world, facet));
    REQUIRE_EQUAL(2, order_count);
    CHECK(MICA_EQUAL(facet, order[0]));
    CHECK(MICA_EQUAL(entity, order[1]));

    // [despawn.cost]: tests/gate/growth.c. [despawn.dead]
    mica_entity living = mica_spawn(world, MICA_ADD(tag));
    uint64_t digest = mica_world_digest(world);
    const mica_entity wrong[] = {entity, (mica_entity){0}, {UINT64_MAX}, {7}};
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(world, wrong[i]));
        CHECK_EQUAL(1, test_error_clear(&t.error));
    }
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK(mica_alive(world, living));
    test_world_end(&t);
}

PROMISE(mica_alive)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_entity entity = mica_spawn_values(world, NULL, 0);
    CHECK(mica_alive(world, entity));

    // [entity.alive]
    mica_despawn(world, entity);
    CHECK(!mica_alive(world, entity));
    CHECK(!mica_alive(world, (mica_entity){0}));
    CHECK(!mica_alive(world, mica_entity_make(1000, 0)));
    CHECK(!mica_alive(world, mica_entity_make(0, 99)));
    CHECK(!mica_alive(world, (mica_entity){UINT64_MAX}));
    test_world_end(&t);
}

PROMISE(mica_entity_count)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    CHECK_EQUAL(0, mica_entity_count(world));
    mica_entity entity = mica_spawn_values(world, NULL, 0);
    mica_spawn_values(world, NULL, 0);

    // [entity.count]: a number that is kept
    mica_facet_add(world, entity, (mica_type){0}, 1, MICA_ADD(MICA_TAG(world, Tag)));
    CHECK_EQUAL(2, mica_entity_count(world));
    mica_despawn(world, entity);
    CHECK_EQUAL(1, mica_entity_count(world));
    test_world_end(&t);
}

PROMISE(mica_entity_reserve)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = 200000;
    mica_world *world = test_world_open(&t);
    mica_spawn_values(world, NULL, 0);

    // [entity.reserve]: their rows have room by another call
    mica_bundle bundle = mica_bundle_new(world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(world, bundle, 100000));
    CHECK_EQUAL(MICA_OK, mica_entity_reserve(world, 100000));
    uint64_t allocations = t.memory.allocations;
    for (uint32_t i = 0; i < 100000; i++) {
        mica_spawn_values(world, NULL, 0);
    }
    CHECK_EQUAL(allocations, t.memory.allocations);

    // [entity.reserve_kept]
    mica_world_clear(world);
    mica_world_reclaim(world);
    CHECK_EQUAL(MICA_OK, mica_entity_reserve(world, 100000));
    size_t reserved = t.memory.bytes;
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK(t.memory.bytes + 100000 * 8 <= reserved);

    // [entity.reserve_fail]
    size_t before = t.memory.bytes;
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_entity_reserve(world, 200001));
    test_memory_fail_at(&t.memory, 3, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_entity_reserve(world, 100000));
    test_memory_fail_at(&t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(2, test_error_clear(&t.error));
    CHECK(t.memory.bytes < before + 4096);
    test_world_end(&t);
}

PROMISE(mica_entity_next)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_entity entities[5];
    for (int i = 0; i < 5; i++) {
        entities[i] = mica_spawn_values(world, NULL, 0);
    }
    mica_facet_add(world, entities[0], (mica_type){0}, 1, MICA_ADD(MICA_TAG(world, Tag)));
    mica_despawn(world, entities[3]);

    // [entity.next]: from none on
    mica_entity at = mica_entity_next(world, (mica_entity){0});
    CHECK(MICA_EQUAL(entities[0], at));
    at = mica_entity_next(world, at);
    CHECK(MICA_EQUAL(entities[1], at));

    // [entity.next]: from a handle that has died
    mica_despawn(world, entities[1]);
    at = mica_entity_next(world, at);
    CHECK(MICA_EQUAL(entities[2], at));
    at = mica_entity_next(world, at);
    CHECK(MICA_EQUAL(entities[4], at));

    // [entity.next]: the end
    CHECK(MICA_IS_NONE(mica_entity_next(world, at)));
    test_world_end(&t);
}

TESTS(entity, promise_of_mica_entity_make, promise_of_mica_entity_slot,
      promise_of_mica_entity_generation, promise_of_mica_entity_text, promise_of_mica_spawn_at,
      promise_of_mica_despawn, promise_of_mica_alive, promise_of_mica_entity_count,
      promise_of_mica_entity_reserve, promise_of_mica_entity_next)
