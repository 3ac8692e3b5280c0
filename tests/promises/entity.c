// What mica/entity.h promises.
#include "promise.h"

PROMISE(mica_entity_none)
{
    CHECK(mica_entity_is_none(mica_entity_none()));
}

PROMISE(mica_entity_make)
{
    mica_entity entity = mica_entity_make(12, 3);
    CHECK_EQUAL(12, mica_entity_slot(entity));
    CHECK_EQUAL(3, mica_entity_generation(entity));
}

PROMISE(mica_entity_is_none)
{
    // "The handle { 0 } is no entity"
    CHECK(mica_entity_is_none((mica_entity){0}));
    CHECK(!mica_entity_is_none(mica_entity_make(0, 0)));
}

PROMISE(mica_entity_equal)
{
    CHECK(mica_entity_equal(mica_entity_make(1, 2), mica_entity_make(1, 2)));
    CHECK(!mica_entity_equal(mica_entity_make(1, 2), mica_entity_make(1, 3)));
    CHECK(!mica_entity_equal(mica_entity_make(1, 2), mica_entity_make(2, 2)));
}

PROMISE(mica_entity_slot)
{
    CHECK_EQUAL(UINT32_MAX - 1, mica_entity_slot(mica_entity_make(UINT32_MAX - 1, 7)));
}

PROMISE(mica_entity_generation)
{
    // "Meaningless for none", which is why it is not asked here. "The last generation of a slot"
    CHECK_EQUAL(MICA_GENERATION_LAST,
                mica_entity_generation(mica_entity_make(0, MICA_GENERATION_LAST)));
}

PROMISE(mica_entity_text)
{
    // "into `text` and returns it"
    char text[MICA_ENTITY_TEXT_SIZE];
    CHECK_POINTER(text, mica_entity_text(mica_entity_make(12, 3), text));
    CHECK_TEXT("12.3", text);
    CHECK_TEXT("none", mica_entity_text(mica_entity_none(), text));
    mica_entity longest = mica_entity_make(UINT32_MAX, MICA_GENERATION_LAST);
    CHECK_TEXT("4294967295.2147483646", mica_entity_text(longest, text));

    // "NULL text: NULL, silently"
    CHECK_POINTER(NULL, mica_entity_text(longest, NULL));
}

PROMISE(mica_spawn_empty)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = 6;
    mica_world *world = test_world_open(&t);

    // "A new entity without components"
    mica_entity first = mica_spawn_empty(world);
    CHECK(mica_alive(world, first));
    mica_types types = {0};
    CHECK_EQUAL(MICA_OK, mica_entity_types(world, first, &types));
    CHECK_EQUAL(0, mica_types_count(&types));
    mica_types_free(world, &types);

    // "slots taken by handle are stepped over"
    mica_spawn_at(world, mica_entity_make(1, 0));
    mica_entity third = mica_spawn_empty(world);
    CHECK_EQUAL(2, mica_entity_slot(third));

    // "Freed slots are used again, last freed first, before any that were never used"
    mica_despawn(world, third);
    mica_despawn(world, first);
    CHECK_EQUAL(0, mica_entity_slot(mica_spawn_empty(world)));
    mica_entity again = mica_spawn_empty(world);
    CHECK_EQUAL(2, mica_entity_slot(again));
    CHECK_EQUAL(3, mica_entity_slot(mica_spawn_empty(world)));

    // "for ever": the handle that was kept too long
    CHECK(!mica_entity_equal(third, again));
    CHECK(!mica_alive(world, third));

    // "MICA_ERROR_LIMIT at the world's entity limit, MICA_ERROR_MEMORY; then returns none"
    mica_spawn_empty(world);
    mica_spawn_empty(world);
    CHECK_EQUAL(6, mica_entity_count(world));
    CHECK(mica_entity_is_none(mica_spawn_empty(world)));
    CHECK_EQUAL(MICA_ERROR_LIMIT, t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t.error));
    test_world_end(&t);
    world = test_world_begin(&t);
    test_memory_fail_at(&t.memory, 1, TEST_MEMORY_ONCE);
    CHECK(mica_entity_is_none(mica_spawn_empty(world)));
    CHECK_EQUAL(MICA_ERROR_MEMORY, t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t.error));
    CHECK_EQUAL(0, mica_entity_count(world));
    test_world_end(&t);
}

PROMISE(mica_spawn_at)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = 200000000;
    mica_world *world = test_world_open(&t);

    // "A new entity with exactly this handle", "Returns `entity`"
    mica_entity wanted = mica_entity_make(7, 5);
    CHECK(mica_entity_equal(wanted, mica_spawn_at(world, wanted)));
    CHECK(mica_alive(world, wanted));

    // "one at 100,000,000 costs a page of 4,096 slots, and a pointer for each such page before it"; with tiny pages
    // there are more of those
#ifndef MICAI_TEST_SMALL_PAGES
    size_t before = t.memory.bytes;
    mica_entity far_away = mica_entity_make(100000000, 0);
    CHECK(mica_entity_equal(far_away, mica_spawn_at(world, far_away)));
    CHECK(t.memory.bytes - before < 100000000 / 4096 * 2 * sizeof(void *) + (1 << 18));
    mica_despawn(world, far_away);
#endif

    // "O(1); for a slot that was used before, the first time looks at all free slots": tests/gate/growth.c.
    // "if the slot is in use or its generation has moved past the handle's (the dead stay dead)"
    CHECK(mica_entity_is_none(mica_spawn_at(world, mica_entity_make(7, 9))));
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, t.error.last.code);
    mica_despawn(world, wanted);
    CHECK(mica_entity_is_none(mica_spawn_at(world, wanted)));
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, t.error.last.code);
    CHECK(!mica_entity_is_none(mica_spawn_at(world, mica_entity_make(7, 6))));
    CHECK_EQUAL(2, test_error_clear(&t.error));

    // "MICA_ERROR_ENTITY if no handle can look like this, MICA_ERROR_LIMIT beyond the limit"
    CHECK(mica_entity_is_none(mica_spawn_at(world, mica_entity_none())));
    CHECK_EQUAL(MICA_ERROR_ENTITY, t.error.last.code);
    CHECK(mica_entity_is_none(mica_spawn_at(world, mica_entity_make(200000000, 0))));
    CHECK_EQUAL(MICA_ERROR_LIMIT, t.error.last.code);
    CHECK_EQUAL(2, test_error_clear(&t.error));
    test_memory_fail_at(&t.memory, 1, TEST_MEMORY_ONCE);
    CHECK(mica_entity_is_none(mica_spawn_at(world, mica_entity_make(100000, 0))));
    CHECK_EQUAL(MICA_ERROR_MEMORY, t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t.error));
    CHECK_EQUAL(1, mica_entity_count(world));
    test_world_end(&t);
}

static mica_entity order[4];
static uint32_t order_count;

static void note_end(const mica_happening *h)
{
    order[order_count++] = h->entity;
}

PROMISE(mica_despawn)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type tag = MICA_TAG(world, Tag);
    mica_entity entity = mica_spawn(world, MICA_ADD(tag));
    mica_entity facet = mica_extend(world, entity, mica_type_none(), 1, MICA_ADD(tag));
    REQUIRE(!mica_entity_is_none(facet));

    // "Ends an entity, and its facets before it"
    order_count = 0;
    mica_observe(world,
                 &(mica_observer_desc){.type = tag, .on = MICA_ON_DESPAWN, .call = note_end});
    CHECK_EQUAL(MICA_OK, mica_despawn(world, entity));
    CHECK(!mica_alive(world, entity));
    CHECK(!mica_alive(world, facet));
    REQUIRE_EQUAL(2, order_count);
    CHECK(mica_entity_equal(facet, order[0]));
    CHECK(mica_entity_equal(entity, order[1]));

    // "O(1), and O(1) for each of those": tests/gate/growth.c.
    // "The dead, none and impossible handles: MICA_ERROR_ENTITY, no effect"
    mica_entity living = mica_spawn(world, MICA_ADD(tag));
    uint64_t digest = mica_world_digest(world);
    const mica_entity wrong[] = {entity, mica_entity_none(), {UINT64_MAX}, {7}};
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
    mica_entity entity = mica_spawn_empty(world);
    CHECK(mica_alive(world, entity));

    // "False, silently, for the dead, for none, for handles that were never given out"
    mica_despawn(world, entity);
    CHECK(!mica_alive(world, entity));
    CHECK(!mica_alive(world, mica_entity_none()));
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
    mica_entity entity = mica_spawn_empty(world);
    mica_spawn_empty(world);

    // "How many entities are alive, facets (mica/facet.h) not counted". "O(1)": a number that is kept
    mica_extend(world, entity, mica_type_none(), 1, MICA_ADD(MICA_TAG(world, Tag)));
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
    mica_spawn_empty(world);

    // "the next `count` that are spawned", "need no memory for their slots": their rows have room by another call
    mica_bundle bundle = mica_bundle_new(world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(world, bundle, 100000));
    CHECK_EQUAL(MICA_OK, mica_entity_reserve(world, 100000));
    uint64_t allocations = t.memory.allocations;
    for (uint32_t i = 0; i < 100000; i++) {
        mica_spawn_empty(world);
    }
    CHECK_EQUAL(allocations, t.memory.allocations);

    // "That room stays until it is used, or until mica_world_reclaim()"
    mica_world_clear(world);
    mica_world_reclaim(world);
    CHECK_EQUAL(MICA_OK, mica_entity_reserve(world, 100000));
    size_t reserved = t.memory.bytes;
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK(t.memory.bytes + 100000 * 8 <= reserved);

    // "A call that is refused, MICA_ERROR_MEMORY or MICA_ERROR_LIMIT, keeps nothing of what it had got"
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
        entities[i] = mica_spawn_empty(world);
    }
    mica_extend(world, entities[0], mica_type_none(), 1, MICA_ADD(MICA_TAG(world, Tag)));
    mica_despawn(world, entities[3]);

    // "Walks all living entities, without facets, in slot order", "which may be none, to begin"
    mica_entity at = mica_entity_next(world, mica_entity_none());
    CHECK(mica_entity_equal(entities[0], at));
    at = mica_entity_next(world, at);
    CHECK(mica_entity_equal(entities[1], at));

    // "or a handle that has died meanwhile"
    mica_despawn(world, entities[1]);
    at = mica_entity_next(world, at);
    CHECK(mica_entity_equal(entities[2], at));
    at = mica_entity_next(world, at);
    CHECK(mica_entity_equal(entities[4], at));

    // "None at the end"
    CHECK(mica_entity_is_none(mica_entity_next(world, at)));
    test_world_end(&t);
}

TESTS(entity, promise_of_mica_entity_none, promise_of_mica_entity_make,
      promise_of_mica_entity_is_none, promise_of_mica_entity_equal, promise_of_mica_entity_slot,
      promise_of_mica_entity_generation, promise_of_mica_entity_text, promise_of_mica_spawn_empty,
      promise_of_mica_spawn_at, promise_of_mica_despawn, promise_of_mica_alive,
      promise_of_mica_entity_count, promise_of_mica_entity_reserve, promise_of_mica_entity_next)
