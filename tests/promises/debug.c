// What mica/debug.h promises.
#include "promise.h"
#include "runner/hooked.h"

#include <stdlib.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Label {
    char text[16];
} Label;

typedef struct Target {
    mica_entity who;
} Target;

// The same with room between the fields, and in another order.
typedef struct Apart {
    double unnamed;
    float y;
    char filler[12];
    float x;
} Apart;

typedef struct room {
    test_world t;
    mica_world *world;
    mica_type position, split, ring, sparse, tag;
} room;

static mica_type register_stored(mica_world *world, const char *name, mica_storage storage)
{
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.name = name;
    desc.storage = storage;
    desc.toggle = storage == MICA_TABLE;
    return mica_type_register(world, &desc);
}

static void register_all(room *r)
{
    r->position = register_stored(r->world, "Position", MICA_TABLE);
    r->split = register_stored(r->world, "Split", MICA_SPLIT);
    r->ring = register_stored(r->world, "Ring", MICA_RING);
    r->sparse = register_stored(r->world, "Sparse", MICA_SPARSE);
    r->tag = MICA_TAG(r->world, Tag);
}

static mica_world *begin(room *r)
{
    r->world = test_world_begin(&r->t);
    register_all(r);
    return r->world;
}

static void hear_nothing(const mica_observer_event *h)
{
    (void)h;
}

static void nothing(mica_iter *it)
{
    (void)it;
}

PROMISE(mica_world_get_stats)
{
    room r;
    mica_world *world = begin(&r);
    mica_entity entity = mica_spawn(world, MICA_ADD(r.position));
    mica_facet_add_values(world, entity, r.tag, 1, NULL, 0);
    mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_observer_new(world, &(mica_observer_desc){
                                 .type = r.sparse, .events = MICA_ON_ADD, .call = hear_nothing});

    // [stats.cost]: it asks for nothing
    uint64_t allocations = r.t.memory.allocations;
    mica_world_stats stats = mica_world_get_stats(world);
    CHECK_EQUAL(allocations, r.t.memory.allocations);
    CHECK_EQUAL(1, stats.entities);
    CHECK_EQUAL(1, stats.facets);
    CHECK_EQUAL(5, stats.types);
    uint32_t tables = 0;
    uint32_t rows = 0;
    mica_table_info info;
    for (; mica_table_get_info(world, tables, &info); tables++) {
        rows += info.rows;
    }
    CHECK_EQUAL(tables, stats.tables);
    CHECK_EQUAL(rows, stats.rows);
    CHECK_EQUAL(1, stats.observers);

    // [memory.held]
    CHECK_EQUAL(r.t.memory.bytes, stats.memory.bytes);
    CHECK_EQUAL(r.t.memory.peak_bytes, stats.memory.peak_bytes);
    CHECK_EQUAL(r.t.memory.blocks, stats.memory.blocks);
    CHECK_EQUAL(r.t.memory.allocations, stats.memory.allocations);

    // [stats.queries]
    CHECK_EQUAL(1, stats.queries);
    mica_system_add(world, &(mica_system_desc){.name = "none", .update = nothing, .end = nothing});
    CHECK_EQUAL(1, mica_world_get_stats(world).queries);
    mica_system own = mica_system_add(
        world, &(mica_system_desc){
                   .name = "own", .update = nothing, .query.terms = {{r.ring, MICA_READ}}});
    CHECK_EQUAL(2, mica_world_get_stats(world).queries);
    mica_system_remove(world, own);
    CHECK_EQUAL(1, mica_world_get_stats(world).queries);

    // [stats.row_moves]
    mica_add(world, entity, r.tag);
    CHECK_EQUAL(stats.row_moves + 1, mica_world_get_stats(world).row_moves);
    mica_add(world, entity, r.sparse);
    CHECK_EQUAL(stats.row_moves + 1, mica_world_get_stats(world).row_moves);

    // [stats.page_moves]
    mica_bundle bundle = mica_bundle_new(world, &r.split, 1);
    mica_spawn_many(world, bundle, 3000, NULL, 0, NULL);
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{r.split, MICA_READ}}});
    stats = mica_world_get_stats(world);
    mica_add_all(world, query, r.tag, NULL);
    CHECK(mica_world_get_stats(world).page_moves > stats.page_moves);
    CHECK(mica_world_get_stats(world).row_moves < stats.row_moves + 3000);

    // [stats.ring_moves]: mica_world_compact(), below
    // [stats.commands]
    mica_world *later = mica_world_later(world);
    mica_remove(later, entity, r.tag);
    mica_despawn(later, entity);
    mica_entity other = mica_spawn_values(world, NULL, 0);
    mica_add(later, other, r.tag);
    mica_despawn(world, other);
    mica_commands_apply(world);
    CHECK_EQUAL(2, mica_world_get_stats(world).commands);
    CHECK_EQUAL(1, mica_world_get_stats(world).commands_dropped);

    // [stats.fail]
    stats = mica_world_get_stats(NULL);
    CHECK_ZERO(stats);
    test_world_end(&r.t);
}

PROMISE(mica_type_get_stats)
{
    room r;
    mica_world *world = begin(&r);
    mica_type types[5] = {r.position, r.split, r.ring, r.sparse, r.tag};
    CHECK_EQUAL(0, mica_type_get_stats(world, r.ring).rows);
    for (int i = 0; i < 5; i++) {
        mica_spawn(world, MICA_ADD(types[i]));
        mica_spawn(world, MICA_ADD(types[i]), MICA_ADD(types[(i + 1) % 5]));
        mica_despawn(world, mica_spawn(world, MICA_ADD(types[i])));
    }

    // [stats.cost]: it asks for nothing
    uint64_t allocations = r.t.memory.allocations;
    for (int i = 0; i < 5; i++) {
        mica_type_stats stats = mica_type_get_stats(world, types[i]);
        CHECK_EQUAL(3, stats.rows);
        CHECK_EQUAL(i == 3, stats.tables == 0);
        CHECK_EQUAL(i == 4, stats.bytes < 3 * sizeof(Position));
    }
    CHECK_EQUAL(allocations, r.t.memory.allocations);
    mica_type_stats stats = mica_type_get_stats(world, (mica_type){0});
    CHECK_ZERO(stats);
    CHECK_REPORTED(&r.t, MICA_ERROR_TYPE);
    stats = mica_type_get_stats(NULL, r.position);
    CHECK_ZERO(stats);
    test_world_end(&r.t);
}

static void hash_in_hook(void *given)
{
    room *r = given;
    CHECK_EQUAL(0, mica_world_hash(r->world));
    CHECK_EQUAL(0, mica_world_digest(r->world));
}

// A split value that is too large for what the world has at hand.
typedef struct Wide {
    int64_t numbers[1000];
} Wide;

static mica_type register_wide(mica_world *world)
{
    mica_type_desc desc = MICA_DESCRIBE(Wide, numbers);
    desc.storage = MICA_SPLIT;
    return mica_type_register(world, &desc);
}

PROMISE(mica_world_hash)
{
    room r;
    mica_world *world = begin(&r);
    CHECK_EQUAL(0, mica_world_hash(world)); // of nobody

    // [hash.content]: handle and name
    mica_entity one = mica_spawn_values(world, NULL, 0);
    uint64_t hash = mica_world_hash(world);
    mica_entity two = mica_spawn_values(world, NULL, 0);
    uint64_t both = mica_world_hash(world);
    CHECK(hash != both);
    mica_despawn(world, two);
    CHECK_EQUAL(hash, mica_world_hash(world));
    mica_despawn(world, mica_spawn_at(world, mica_entity_make(1, 1)));
    mica_spawn_at(world, mica_entity_make(1, 7));
    CHECK(mica_world_hash(world) != both);
    mica_despawn(world, mica_entity_make(1, 7));
    mica_entity_set_name(world, one, "one");
    CHECK(mica_world_hash(world) != hash);
    mica_entity_set_name(world, one, NULL);
    CHECK_EQUAL(hash, mica_world_hash(world));

    // [hash.content]: types, fields, disabled components; owner and key of a facet
    mica_type types[4] = {r.position, r.split, r.ring, r.sparse};
    for (int i = 0; i < 4; i++) {
        mica_set(world, one, MICA_VALUE(types[i], Position, 1, 2));
        uint64_t with = mica_world_hash(world);
        CHECK(with != hash);
        mica_set(world, one, MICA_VALUE(types[i], Position, 1, 3));
        CHECK(mica_world_hash(world) != with);
        mica_set(world, one, MICA_VALUE(types[i], Position, 1, 2));
        CHECK_EQUAL(with, mica_world_hash(world));
        mica_remove(world, one, types[i]);
        CHECK_EQUAL(hash, mica_world_hash(world));
    }
    mica_set(world, one, MICA_VALUE(r.position, Position, 1, 2));
    uint64_t with = mica_world_hash(world);
    mica_disable(world, one, r.position);
    CHECK(mica_world_hash(world) != with);
    mica_enable(world, one, r.position);
    mica_entity facet = mica_facet_add_values(world, one, r.tag, 1, NULL, 0);
    uint64_t front = mica_world_hash(world);
    mica_despawn(world, facet);
    mica_world_reclaim(world);
    facet = mica_facet_add_values(world, one, r.tag, 2, NULL, 0);
    CHECK(mica_world_hash(world) != front);
    mica_despawn(world, facet);
    CHECK_EQUAL(with, mica_world_hash(world));

    // [hash.content]: resources
    mica_resource_set(world, MICA_VALUE(r.position, Position, 1, 2));
    uint64_t resource = mica_world_hash(world);
    CHECK(resource != with);
    mica_resource_set(world, MICA_VALUE(r.position, Position, 1, 3));
    CHECK(mica_world_hash(world) != resource);
    mica_resource_remove(world, r.position);
    mica_despawn(world, one);

    // [hash.same]
    test_world other;
    mica_world *elsewhere = test_world_begin(&other);
    mica_type tag = MICA_TAG(elsewhere, Tag);
    mica_type ring = register_stored(elsewhere, "Ring", MICA_SPLIT);
    mica_type_desc apart = MICA_DESCRIBE(Apart, y, x);
    apart.name = "Position";
    apart.toggle = true;
    mica_type position = mica_type_register(elsewhere, &apart);
    for (uint32_t i = 0; i < 30; i++) {
        mica_entity entity = mica_spawn_at(world, mica_entity_make(100 + i, 3));
        mica_set(world, entity, MICA_VALUE(r.position, Position, 1, (float)i));
        if (i % 3 == 0) {
            mica_set(world, entity, MICA_VALUE(r.ring, Position, 2, (float)i), MICA_ADD(r.tag));
        }
        uint32_t back = 29 - i;
        entity = mica_spawn_at(elsewhere, mica_entity_make(100 + back, 3));
        if (back % 3 == 0) {
            mica_set(elsewhere, entity, MICA_ADD(tag), MICA_VALUE(ring, Position, 2, (float)back));
        }
        Apart value;
        memset(&value, (int)i, sizeof value);
        value.x = 1;
        value.y = (float)back;
        mica_set(elsewhere, entity, MICA_COPY_OF(position, value));
    }
    CHECK_EQUAL(mica_world_hash(world), mica_world_hash(elsewhere));
    CHECK(mica_world_digest(world) != mica_world_digest(elsewhere));
    test_world_end(&other);

    // [hash.bytes]
    mica_type bytes = mica_type_register(
        world, &(mica_type_desc){.name = "Bytes", .size = sizeof(Apart), .align = _Alignof(Apart)});
    Apart value;
    memset(&value, 0, sizeof value);
    one = mica_spawn(world, (mica_value){bytes, &value, sizeof value, 1, NULL});
    hash = mica_world_hash(world);
    value.filler[3] = 1;
    mica_set_value(world, one, bytes, &value, sizeof value);
    CHECK(mica_world_hash(world) != hash);

    // [hash.fail], [hash.cost]
    CHECK_EQUAL(0, mica_world_hash(NULL));
    test_check_hook(&r.t, r.world, hash_in_hook, &r, 2);
    mica_spawn(world, MICA_ADD(register_wide(world)));
    test_memory_fail_at(&r.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(0, mica_world_hash(world));
    CHECK_REPORTED(&r.t, MICA_ERROR_MEMORY);
    CHECK(mica_world_digest(world) != 0);
    test_memory_fail_at(&r.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK(mica_world_hash(world) != 0);
    test_world_end(&r.t);
}

// Some history.
static void live(room *r)
{
    mica_world *world = r->world;
    mica_entity last = (mica_entity){0};
    mica_world *later = mica_world_later(world);
    for (int i = 0; i < 50; i++) {
        mica_entity entity = mica_spawn(world, MICA_VALUE(r->position, Position, 1, (float)i));
        if (i % 2) {
            mica_set(world, entity, MICA_ADD(r->ring), MICA_ADD(r->sparse));
        }
        if (i % 5 == 0) {
            mica_despawn(later, entity);
        }
        if (i % 7 == 0) {
            mica_set(world, last, MICA_ADD(r->split));
            test_error_clear(&r->t.error);
        }
        last = entity;
    }
    mica_step(world, 0.5f);
    mica_entity_set_name(world, last, "last");
}

PROMISE(mica_world_digest)
{
    room r;
    mica_world *world = begin(&r);
    live(&r);

    // [digest.same]
    room again;
    begin(&again);
    live(&again);
    CHECK_EQUAL(mica_world_digest(world), mica_world_digest(again.world));
    test_world_end(&again.t);

    // [digest.padding]
    Apart values[2];
    uint64_t digests[2];
    for (int i = 0; i < 2; i++) {
        test_world t;
        mica_world *apart = test_world_begin(&t);
        memset(&values[i], i ? 0xA5 : 0, sizeof values[i]);
        values[i].x = values[i].y = 1;
        mica_spawn(apart, MICA_COPY_OF(MICA_REGISTER(apart, Apart, x, y), values[i]));
        Label label = {"text"};
        memset(label.text + 5, i, sizeof label.text - 5);
        mica_spawn(apart, MICA_COPY_OF(MICA_REGISTER(apart, Label, text), label));
        digests[i] = mica_world_digest(apart);
        test_world_end(&t);
    }
    CHECK_EQUAL(digests[0], digests[1]);

    // [digest.exact]: row order
    mica_world_clear(world);
    mica_world_reclaim(world);
    mica_entity a = mica_spawn(world, MICA_ADD(r.tag));
    mica_entity b = mica_spawn(world, MICA_ADD(r.tag));
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(digest, mica_world_digest(world));
    uint64_t hash = mica_world_hash(world);
    mica_remove(world, a, r.tag);
    mica_add(world, a, r.tag);
    CHECK_EQUAL(hash, mica_world_hash(world));
    CHECK(mica_world_digest(world) != digest);

    // [digest.exact]: free and retired slots, generations
    digest = mica_world_digest(world);
    mica_despawn(world, mica_spawn_values(world, NULL, 0));
    CHECK_EQUAL(hash, mica_world_hash(world));
    CHECK(mica_world_digest(world) != digest);
    digest = mica_world_digest(world);
    mica_despawn(world, mica_spawn_at(world, mica_entity_make(500, MICA_GENERATION_LAST)));
    CHECK(mica_world_digest(world) != digest);

    // [digest.exact]: ticks
    digest = mica_world_digest(world);
    mica_world_tick(world);
    CHECK(mica_world_digest(world) != digest);

    // [digest.exact]: tables and their order
    digest = mica_world_digest(world);
    mica_type types[2] = {r.ring, r.tag};
    mica_bundle bundle = mica_bundle_new(world, types, 2);
    mica_bundle_reserve(world, bundle, 1);
    CHECK_EQUAL(hash, mica_world_hash(world));
    CHECK(mica_world_digest(world) != digest);
    CHECK(mica_alive(world, b));

    // [digest.exact]: split types
    mica_spawn(world, MICA_VALUE(r.ring, Position, 1, 2));
    mica_spawn(world, MICA_VALUE(r.ring, Position, 3, 4));
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, r.ring, MICA_TABLE));
    digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, r.ring, MICA_SPLIT));
    CHECK(mica_world_digest(world) != digest);
    CHECK_EQUAL(0, mica_world_digest(NULL));
    test_world_end(&r.t);
}

static void reclaim_in_hook(void *given)
{
    room *r = given;
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_world_reclaim(r->world));
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_world_compact(r->world));
}

#ifndef MICAI_TEST_SMALL_PAGES
// [reclaim.unused]: slots; of so many entities one in 100,000 stays.
static void check_slots_go_back(room *r, uint32_t count, size_t kept_max)
{
    mica_entity *entities = malloc(count * sizeof *entities);
    REQUIRE(entities != NULL);
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(r->world));
    size_t before = r->t.memory.bytes;
    for (uint32_t i = 0; i < count; i++) {
        entities[i] = mica_spawn_values(r->world, NULL, 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        CHECK(i % 100000 == 99999 || mica_despawn(r->world, entities[i]) == MICA_OK);
    }
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(r->world));
    CHECK(r->t.memory.bytes < before + kept_max);
    CHECK_EQUAL(MICA_OK, mica_world_validate(r->world));
    for (uint32_t i = 0; i < count; i++) {
        CHECK(mica_alive(r->world, entities[i]) == (i % 100000 == 99999));
    }
    free(entities);
}
#endif

PROMISE(mica_world_reclaim)
{
    room r;
    mica_world *world = begin(&r);
    mica_entity kept = mica_spawn(
        world, MICA_VALUE(r.position, Position, 1, 2), MICA_VALUE(r.split, Position, 3, 4),
        MICA_VALUE(r.ring, Position, 5, 6), MICA_VALUE(r.sparse, Position, 7, 8));
    mica_type types[5] = {r.position, r.split, r.ring, r.sparse, r.tag};
    mica_world *later = mica_world_later(world);
    mica_world_reclaim(world);
    size_t bytes = r.t.memory.bytes;
    uint32_t tables = mica_world_get_stats(world).tables;
    uint64_t hash = mica_world_hash(world);

    // [reclaim.unused]
    mica_bundle bundle = mica_bundle_new(world, types, 5);
    mica_entity_reserve(world, 20000);
    mica_bundle_reserve(world, bundle, 20000);
    mica_entity dead = (mica_entity){0};
    for (uint32_t i = 0; i < 20000; i++) {
        mica_entity entity = mica_spawn_bundle(world, bundle, NULL, 0);
        mica_remove(world, entity, types[i % 5]);
        dead = i == 9000 ? entity : dead;
        mica_send(world, MICA_ADD(r.position));
        mica_despawn(later, entity);
    }
    mica_commands_apply(world);
    mica_step(world, 0);
    mica_step(world, 0);
    mica_bundle_free(world, bundle);
    size_t most = r.t.memory.bytes - bytes;
    CHECK(most > 100000);
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK_EQUAL(MICA_OK,
                mica_world_reclaim(world)); // of ways, what was not taken since the last time
    CHECK_EQUAL(tables, mica_world_get_stats(world).tables);
    CHECK(r.t.memory.bytes < bytes + most / 10);
    CHECK_EQUAL(hash, mica_world_hash(world));
    CHECK(mica_alive(world, kept));

    // [reclaim.slots]
    CHECK(!mica_alive(world, dead));
    CHECK(MICA_IS_NONE(mica_spawn_at(world, dead)));
    CHECK_REPORTED(&r.t, MICA_ERROR_OCCUPIED);
    mica_entity first = mica_spawn_values(world, NULL, 0);
    mica_entity second = mica_spawn_values(world, NULL, 0);
    mica_despawn(world, first);
    CHECK_EQUAL(mica_entity_slot(first), mica_entity_slot(mica_spawn_values(world, NULL, 0)));
    mica_entity last = (mica_entity){0};
    for (int i = 0; i < 10000; i++) {
        mica_entity next = mica_spawn_values(world, NULL, 0);
        CHECK(!MICA_EQUAL(next, dead));
        if (i > 5000) { // the first of them had lived beside one who is alive
            CHECK(mica_entity_slot(next) == mica_entity_slot(last) + 1);
        }
        last = next;
    }
    CHECK(mica_alive(world, second));

    // [reclaim.moves]: and stay as they are
    Position value = {0, 0};
    CHECK(MICA_LOAD(world, kept, r.split, value) && value.y == 4);
    CHECK(MICA_LOAD(world, kept, r.ring, value) && value.y == 6);
    CHECK(MICA_LOAD(world, kept, r.sparse, value) && value.y == 8);

    // [reclaim.iterating]
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, all, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_reclaim(world));
    CHECK_REPORTED(&r.t, MICA_ERROR_ITERATING);
    mica_iter_end(&it);

    // [reclaim.fail]: MICA_ERROR_MEMORY. [reclaim.cost]
    mica_world_clear(world);
    for (int i = 0; i < 100; i++) {
        mica_spawn(world, MICA_ADD(r.position), MICA_ADD(r.ring), MICA_ADD(r.sparse));
        mica_despawn(world, mica_spawn(world, MICA_ADD(r.tag), MICA_ADD(r.split)));
    }
    hash = mica_world_hash(world);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t which = 1; result; which++) {
        bytes = r.t.memory.bytes;
        test_memory_fail_at(&r.t.memory, which, TEST_MEMORY_ONWARDS);
        result = mica_world_reclaim(world);
        test_memory_fail_at(&r.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK(which > 1 || r.t.memory.bytes < bytes);
        CHECK_EQUAL(hash, mica_world_hash(world));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        if (result) {
            CHECK_REPORTED(&r.t, MICA_ERROR_MEMORY);
        }
    }
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_reclaim(NULL));
#ifndef MICAI_TEST_SMALL_PAGES // or there are other neighbours
    check_slots_go_back(&r, 200000, 200000);
    check_slots_go_back(&r, 1000000, (2 << 20) + 200000);
#endif

    // [reclaim.fail]: MICA_ERROR_HOOK
    test_check_hook(&r.t, r.world, reclaim_in_hook, &r, 2);
    test_world_end(&r.t);
}

static uint32_t count_segments(mica_world *world, mica_query query)
{
    uint32_t segments = 0;
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        segments++;
    }
    return segments;
}

PROMISE(mica_world_compact)
{
    room r;
    mica_world *world = begin(&r);
    mica_type sets[3][3] = {{r.ring}, {r.ring, r.tag}, {r.ring, r.tag, r.position}};
    mica_bundle bundles[3];
    for (uint32_t i = 0; i < 3; i++) {
        bundles[i] = mica_bundle_new(world, sets[i], i + 1);
    }
    mica_query query = mica_query_new(
        world, &(mica_query_desc){.terms = {{r.ring, MICA_READ}}, .no_entities = true});

    // [rings.when]: after a call that changes many
    for (int i = 0; i < 3; i++) {
        mica_spawn_many(world, bundles[i], 100, NULL, 0, NULL);
    }
    CHECK_EQUAL(1, count_segments(world, query));

    // [rings.segments]
    mica_entity came = mica_spawn(world, MICA_VALUE(r.ring, Position, 1, 2));
    mica_entity other = mica_spawn(world, MICA_VALUE(r.ring, Position, 3, 4), MICA_ADD(r.tag));
    CHECK(count_segments(world, query) > 1);
    CHECK_EQUAL(302, mica_query_count(world, query));
    CHECK(((const Position *)mica_get(world, came, r.ring))->y == 2);

    // [rings.together], [rings.moves]
    CHECK_EQUAL(MICA_OK, mica_world_compact(world)); // the array grows
    CHECK_EQUAL(1, count_segments(world, query));
    came = mica_spawn(world, MICA_VALUE(r.ring, Position, 1, 2));
    other = mica_spawn(world, MICA_VALUE(r.ring, Position, 3, 4), MICA_ADD(r.tag));
    uint64_t moves = mica_world_get_stats(world).ring_moves;
    uint64_t hash = mica_world_hash(world);
    CHECK_EQUAL(MICA_OK, mica_world_compact(world));
    CHECK_EQUAL(1, count_segments(world, query));
    CHECK(mica_world_get_stats(world).ring_moves - moves <= 20);
    CHECK(mica_world_get_stats(world).ring_moves > moves);
    CHECK_EQUAL(hash, mica_world_hash(world));
    CHECK(((const Position *)mica_get(world, other, r.ring))->y == 4);
    moves = mica_world_get_stats(world).ring_moves;
    CHECK_EQUAL(MICA_OK, mica_world_compact(world));
    CHECK_EQUAL(moves, mica_world_get_stats(world).ring_moves);

    // [rings.when]: at the beginning of a step
    mica_despawn(world, came);
    mica_spawn(world, MICA_ADD(r.ring));
    mica_spawn(world, MICA_ADD(r.ring));
    CHECK(count_segments(world, query) > 1);
    mica_step(world, 0);
    CHECK_EQUAL(1, count_segments(world, query));
    mica_world *later = mica_world_later(world);
    for (int i = 0; i < 10; i++) {
        mica_spawn(later, MICA_ADD(r.ring));
    }
    mica_commands_apply(world);
    CHECK_EQUAL(1, count_segments(world, query));

    // [rings.memory]
    for (int i = 0; i < 500; i++) {
        mica_spawn(world, MICA_ADD(r.ring));
        mica_spawn(world, MICA_ADD(r.ring), MICA_ADD(r.tag));
    }
    hash = mica_world_hash(world);
    test_memory_fail_at(&r.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_world_compact(world));
    CHECK_REPORTED(&r.t, MICA_ERROR_MEMORY);

    // [rings.silent]
    CHECK_EQUAL(MICA_OK, mica_step(world, 0));
    test_memory_fail_at(&r.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(hash, mica_world_hash(world));
    CHECK_EQUAL(MICA_OK, mica_world_compact(world));

    // [rings.fail]
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_compact(world));
    CHECK_REPORTED(&r.t, MICA_ERROR_ITERATING);
    mica_iter_end(&it);
    test_check_hook(&r.t, r.world, reclaim_in_hook, &r, 2);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_compact(NULL));
    test_world_end(&r.t);
}

PROMISE(mica_text_quote)
{
    // [quote.text]
    char text[64];
    const char field[8] = "door";
    CHECK_EQUAL(6, mica_text_quote(field, sizeof field, text, sizeof text));
    CHECK_TEXT("\"door\"", text);
    CHECK_EQUAL(4, mica_text_quote(field, 2, text, sizeof text));
    CHECK_TEXT("\"do\"", text);

    // [quote.numbers]
    mica_text_quote("\"\\\n\xc2\x9b\xff\xc3\xa9", 8, text, sizeof text);
    CHECK_TEXT("\"\\x22\\x5c\\x0a\\xc2\\x9b\\xff\xc3\xa9\"", text);

    // [quote.length]
    CHECK_EQUAL(6, mica_text_quote(field, sizeof field, text, 4));
    CHECK_TEXT("\"do", text);

    // [quote.null]
    CHECK_EQUAL(2, mica_text_quote(NULL, 0, text, sizeof text));
    CHECK_TEXT("\"\"", text);
    CHECK_EQUAL(6, mica_text_quote(field, sizeof field, NULL, 0));

    // [quote.fail]
    CHECK_EQUAL(0, mica_text_quote(NULL, 1, text, sizeof text));
    CHECK_EQUAL(0, mica_text_quote(field, sizeof field, NULL, 1));
}

static void print_in_hook(void *given)
{
    room *r = given;
    char text[64] = "?";
    CHECK_EQUAL(0, TEST_PRINT(text, mica_entity_print, r->world, (mica_entity){0}));
    CHECK_TEXT("", text);
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_entity_print(r->world, (mica_entity){0}, NULL));
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_world_print(r->world, NULL));
}

// Errors of a stream, which keeps what it has.
static void check_failures(room *r, mica_entity entity)
{
    mica_world *world = r->world;
    mica_buffer buffer = {0};
    const mica_stream stream = {.buffer = &buffer};
    const mica_stream of_bytes = {.data = "", .size = 1};
    const mica_stream nowhere = {.path = "/nowhere/at/all.txt"};
    CHECK_EQUAL(MICA_OK, mica_entity_print(world, (mica_entity){0}, &stream));
    CHECK_TEXT("none (dead)\n", (const char *)buffer.data);

    CHECK_EQUAL(MICA_ERROR_NULL, mica_entity_print(NULL, entity, &stream));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_entity_print(world, entity, &of_bytes));
    CHECK_REPORTED(&r->t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_ERROR_DESC,
                mica_entity_print(world, entity, &(mica_stream){.path = "x", .last_zero = 1}));
    CHECK_REPORTED(&r->t, MICA_ERROR_DESC);
    CHECK_EQUAL(MICA_ERROR_STREAM, mica_entity_print(world, entity, &nowhere));
    CHECK_REPORTED(&r->t, MICA_ERROR_STREAM);
    mica_type wide = register_wide(world);
    mica_set(world, entity, MICA_ADD(wide));
    for (uint64_t k = 1; k <= 2; k++) {
        test_memory_fail_at(&r->t.memory, 0, TEST_MEMORY_ONCE);
        mica_world_reclaim(world);
        test_memory_fail_at(&r->t.memory, k, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_ERROR_MEMORY, mica_entity_print(world, entity, &stream));
        CHECK_EQUAL(1, r->t.memory.refusals);
        CHECK_REPORTED(&r->t, MICA_ERROR_MEMORY);
    }
    test_memory_fail_at(&r->t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_TEXT("none (dead)\n", (const char *)buffer.data);
    mica_buffer_free(&buffer);
}

PROMISE(mica_entity_print)
{
    room r;
    mica_world *world = begin(&r);
    mica_type target = MICA_REGISTER(world, Target, who);
    char text[256];

    // [print.line]
    mica_entity entity = mica_spawn(
        world, MICA_VALUE(r.position, Position, 1, 2), MICA_VALUE(r.split, Position, 3, 4),
        MICA_VALUE(r.ring, Position, 5, 6), MICA_VALUE(r.sparse, Position, 7, 8), MICA_ADD(r.tag));
    mica_entity_set_name(world, entity, "somebody");
    TEST_PRINT(text, mica_entity_print, world, entity);
    CHECK_TEXT("0.0 \"somebody\" Position{x: 1, y: 2} Split{x: 3, y: 4} Ring{x: 5, y: 6} "
               "Sparse{x: 7, y: 8} Tag\n",
               text);

    // [print.stream]: a buffer, whose content is a C string [stream.zero]; standard output
    mica_buffer buffer = {0};
    CHECK_EQUAL(MICA_OK, mica_entity_print(world, entity, &(mica_stream){.buffer = &buffer}));
    CHECK_EQUAL(strlen(text), buffer.size);
    CHECK_EQUAL(0, buffer.data[buffer.size]);
    CHECK_TEXT(text, (const char *)buffer.data);
    mica_buffer_free(&buffer);
    CHECK_EQUAL(MICA_OK, mica_entity_print(world, entity, NULL));

    // [print.entity]
    const mica_entity named[4] = {entity, mica_entity_make(12, 3), mica_entity_make(13, 4),
                                  (mica_entity){0}};
    static const char *const expected[4] = {"{who: \"somebody\"}", "{who: 12.3}",
                                            "{who: 13.4 (dead)}", "{who: none}"};
    mica_spawn_at(world, named[1]);
    for (int i = 0; i < 4; i++) {
        mica_entity aims = mica_spawn(world, MICA_VALUE(target, Target, named[i]));
        TEST_PRINT(text, mica_entity_print, world, aims);
        CHECK(strstr(text, expected[i]) != NULL);
    }

    // [print.quotes]
    mica_type label = MICA_REGISTER(world, Label, text);
    mica_entity labelled = mica_spawn(world, MICA_VALUE(label, Label, "a\n\x1b[2J"));
    mica_entity_set_name(world, labelled, "\"b\"");
    TEST_PRINT(text, mica_entity_print, world, labelled);
    CHECK(strstr(text, " \"\\x22b\\x22\" Label{text: \"a\\x0a\\x1b[2J\"}\n") != NULL);

    // [print.fail]
    check_failures(&r, entity);
    test_check_hook(&r.t, r.world, print_in_hook, &r, 3);
    test_world_end(&r.t);
}

PROMISE(mica_world_print)
{
    room r;
    mica_world *world = begin(&r);
    mica_spawn(world, MICA_ADD(r.ring), MICA_ADD(r.sparse));
    mica_resource_set(world, MICA_VALUE(r.position, Position, 1, 2));
    uint64_t digest = mica_world_digest(world);
    char text[2048];

    // [print.line]: for each table, pool and resource
    TEST_PRINT(text, mica_world_print, world);
    CHECK(strstr(text, "Ring") != NULL);
    CHECK(strstr(text, "Sparse") != NULL);
    CHECK(strstr(text, "resource Position{x: 1, y: 2}\n") != NULL);

    // [print.stream]
    CHECK_EQUAL(MICA_OK, mica_world_print(world, NULL));
    CHECK_EQUAL(digest, mica_world_digest(world));

    // [print.fail]
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_print(NULL, NULL));
    test_world_end(&r.t);
}

TESTS(debug, promise_of_mica_world_get_stats, promise_of_mica_type_get_stats,
      promise_of_mica_world_hash, promise_of_mica_world_digest, promise_of_mica_world_reclaim,
      promise_of_mica_world_compact, promise_of_mica_entity_print, promise_of_mica_world_print,
      promise_of_mica_text_quote)
