// What mica/inspect.h promises.
#include "promise.h"
#include "runner/hooked.h"

#include <string.h>

typedef struct Position {
    float x, y;
} Position;

// A world of every storage.
typedef struct house {
    test_world t;
    mica_world *world;
    mica_type position, split, ring, sparse, loose, stable, tag, big;
    mica_entity entity;
    mica_query query;
} house;

static mica_type register_stored(mica_world *world, const char *name, mica_storage storage)
{
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.name = name;
    desc.storage = storage;
    desc.stable = strcmp(name, "Stable") == 0;
    desc.toggle = strcmp(name, "Split") == 0;
    return mica_type_register(world, &desc);
}

static mica_world *begin(house *h)
{
    h->world = test_world_begin(&h->t);
    h->position = register_stored(h->world, "Position", MICA_TABLE);
    h->split = register_stored(h->world, "Split", MICA_SPLIT);
    h->ring = register_stored(h->world, "Ring", MICA_RING);
    h->sparse = register_stored(h->world, "Sparse", MICA_SPARSE);
    h->loose = register_stored(h->world, "Loose", MICA_SPARSE);
    h->stable = register_stored(h->world, "Stable", MICA_SPARSE);
    h->tag = MICA_TAG(h->world, Tag);
    h->entity =
        mica_spawn(h->world, MICA_VALUE(h->position, Position, 1, 2),
                   MICA_VALUE(h->split, Position, 3, 4), MICA_VALUE(h->ring, Position, 5, 6),
                   MICA_VALUE(h->sparse, Position, 7, 8), MICA_ADD(h->tag));
    h->query = mica_query_new(h->world, &(mica_query_desc){.terms = {{h->position, MICA_READ}}});
    return h->world;
}

// The table that the entity is in.
static uint32_t its_table(house *h)
{
    mica_row_range stretch;
    uint32_t table = 0;
    mica_table_info info;
    while (mica_table_get_info(h->world, table, &info)) {
        for (uint32_t row = 0; mica_table_range(h->world, table, (mica_type){0}, row, &stretch);
             row = stretch.row + stretch.count) {
            for (uint32_t i = 0; i < stretch.count; i++) {
                if (MICA_EQUAL(stretch.entities[i], h->entity)) {
                    return table;
                }
            }
        }
        table++;
    }
    return UINT32_MAX;
}

// [inspect.unchanged]
typedef struct still {
    uint64_t digest, allocations, queries;
} still;

static still hold(house *h)
{
    return (still){mica_world_digest(h->world), h->t.memory.allocations,
                   mica_world_get_stats(h->world).queries};
}

static void check_still(house *h, still before)
{
    CHECK_EQUAL(before.allocations, h->t.memory.allocations);
    CHECK_EQUAL(before.digest, mica_world_digest(h->world));
    CHECK_EQUAL(before.queries, mica_world_get_stats(h->world).queries);
}

static void inspect_in_hook(void *given)
{
    house *h = given;
    mica_table_info table = {.rows = 1};
    CHECK(!mica_table_get_info(h->world, 0, &table));
    CHECK_ZERO(table);
    mica_column_info column = {.bytes = 1};
    CHECK(!mica_column_get_info(h->world, 0, 0, &column));
    CHECK_ZERO(column);
    mica_row_range stretch = {.row = 1};
    CHECK(!mica_table_range(h->world, 0, h->position, 0, &stretch));
    CHECK_ZERO(stretch);
    CHECK_POINTER(NULL, mica_table_field(h->world, 0, h->position, 0, 0, 4).base);
    mica_pool_info pool = {.count = 1};
    CHECK(!mica_pool_get_info(h->world, h->sparse, &pool));
    CHECK_ZERO(pool);
    CHECK(!mica_pool_range(h->world, h->sparse, 0, &stretch));
    mica_location at = {1, 1};
    CHECK(!mica_entity_get_location(h->world, h->entity, h->position, &at));
    CHECK_ZERO(at);
}

PROMISE(mica_table_get_info)
{
    house h;
    mica_world *world = begin(&h);
    mica_table_info info;
    still before = hold(&h);

    // [table.numbers]
    uint32_t count = 0;
    while (mica_table_get_info(world, count, &info)) {
        count++;
    }
    CHECK_ZERO(info);
    CHECK_EQUAL(mica_world_get_stats(world).tables, count);
    uint32_t table = its_table(&h);
    REQUIRE(mica_table_get_info(world, table, &info));
    CHECK_EQUAL(1, info.rows);
    CHECK(info.capacity >= 1);
    CHECK_EQUAL(1, info.sheets);
    CHECK_EQUAL(4, info.components); // [table.components], sparse ones aside
    CHECK(info.bytes >= 3 * sizeof(Position) + sizeof(mica_entity));
    CHECK(!info.facets);
    check_still(&h, before);

    // [table.facets]
    mica_entity facet = mica_facet_add(world, h.entity, h.tag, 1, MICA_ADD(h.position));
    mica_entity owner = h.entity;
    h.entity = facet;
    REQUIRE(mica_table_get_info(world, its_table(&h), &info));
    CHECK(info.facets && info.rows == 1);
    CHECK_EQUAL(1, info.components);
    h.entity = owner;

    // [table.tidy]
    mica_despawn(world, mica_spawn(world, MICA_ADD(h.ring)));
    mica_despawn(world, facet);
    uint32_t tables = mica_world_get_stats(world).tables;
    mica_world_reclaim(world);
    CHECK(mica_world_get_stats(world).tables < tables);
    CHECK(mica_table_get_info(world, its_table(&h), &info) && info.rows == 1);

    // [table.inspect]: it goes through its sheets and components
    CHECK(!mica_table_get_info(NULL, 0, &info));
    CHECK_ZERO(info);
    CHECK(!mica_table_get_info(world, 0, NULL));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    test_check_hook(&h.t, h.world, inspect_in_hook, &h, 7);
    test_world_end(&h.t);
}

PROMISE(mica_column_get_info)
{
    house h;
    mica_world *world = begin(&h);
    uint32_t table = its_table(&h);

    // [column.order]
    const mica_type types[4] = {h.position, h.split, h.ring, h.tag};
    const mica_storage storages[4] = {MICA_TABLE, MICA_SPLIT, MICA_RING, MICA_TABLE};
    mica_column_info info;
    still before = hold(&h);
    for (uint32_t i = 0; i < 4; i++) {
        REQUIRE(mica_column_get_info(world, table, i, &info));
        CHECK(MICA_EQUAL(types[i], info.type));
        CHECK_EQUAL(storages[i], info.storage);
        CHECK_EQUAL(i == 3, info.bytes == 0);
        CHECK(!info.has_disabled);
    }
    CHECK(!mica_column_get_info(world, table, 4, &info));
    CHECK_ZERO(info);
    CHECK(!mica_column_get_info(world, UINT32_MAX, 0, &info));
    CHECK(!mica_column_get_info(world, table, UINT32_MAX, &info));
    check_still(&h, before);

    // [column.disabled]
    mica_disable(world, h.entity, h.split);
    CHECK(mica_column_get_info(world, table, 1, &info) && info.has_disabled);

    // [column.tag], whatever it was registered with
    static const mica_storage asked[2] = {MICA_SPLIT, MICA_RING};
    static const char *const names[2] = {"SplitTag", "RingTag"};
    for (int i = 0; i < 2; i++) {
        mica_type tag =
            mica_type_register(world, &(mica_type_desc){.name = names[i], .storage = asked[i]});
        if (MICA_IS_NONE(tag)) {
            test_error_clear(&h.t.error);
            continue;
        }
        h.entity = mica_spawn(world, MICA_ADD(tag));
        REQUIRE(mica_column_get_info(world, its_table(&h), 0, &info));
        CHECK_EQUAL(MICA_TABLE, info.storage);
    }
    CHECK(!mica_column_get_info(world, 0, 0, NULL));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    test_world_end(&h.t);
}

PROMISE(mica_table_range)
{
    house h;
    mica_world *world = begin(&h);
    uint32_t table = its_table(&h);
    mica_entity others[2500];
    mica_type types[4] = {h.position, h.split, h.ring, h.tag};
    mica_bundle bundle = mica_bundle_new(world, types, 4);
    mica_spawn_many(world, bundle, 2500, NULL, 0, others);
    mica_row_range stretch;
    still before = hold(&h);

    // [range.begin]: all of them, one after the other; [range.limit]
    for (int i = 0; i < 5; i++) {
        mica_type type = i < 4 ? types[i] : (mica_type){0}; // [range.entities]
        uint32_t row = 0;
        while (mica_table_range(world, table, type, row, &stretch)) {
            CHECK_EQUAL(row, stretch.row);
            CHECK(stretch.count > 0 && stretch.count <= 1024);
            CHECK(mica_alive(world, stretch.entities[0]));
            CHECK_EQUAL(i == 0 || i == 2,
                        stretch.data != NULL); // [range.no_data]
            if (stretch.data) {
                CHECK_POINTER(mica_get(world, stretch.entities[stretch.count - 1], type),
                              (const Position *)stretch.data + stretch.count - 1);
            }
            row += stretch.count;
        }
        CHECK_EQUAL(2501, row);
        CHECK(mica_table_range(world, table, type, 7, &stretch));
        CHECK_EQUAL(7, stretch.row);
        CHECK(MICA_EQUAL(others[6], stretch.entities[0]));
    }

    // [range.begin]: false where there is none
    CHECK(!mica_table_range(world, table, h.position, 2501, &stretch));
    CHECK_ZERO(stretch);
    CHECK(!mica_table_range(world, table, h.position, UINT32_MAX, &stretch));
    CHECK(!mica_table_range(world, UINT32_MAX, h.position, 0, &stretch));
    CHECK(!mica_table_range(world, table, h.sparse, 0, &stretch));
    check_still(&h, before);

    // [range.changed], [range.missed], [range.entities]
    for (int i = 0; i < 5; i++) {
        mica_type type = i < 4 ? types[i] : (mica_type){0};
        uint64_t mark = mica_world_tick(world);
        REQUIRE(mica_table_range(world, table, type, 2000, &stretch));
        CHECK(stretch.changed <= mark);
        mica_entity in_it = stretch.entities[stretch.count / 2];
        if (i < 3) {
            mica_set(world, in_it, MICA_VALUE(type, Position, 9, 9));
        } else {
            mica_despawn(world, in_it);
        }
        REQUIRE(mica_table_range(world, table, type, 2000, &stretch));
        CHECK(stretch.changed > mark);
    }
    uint64_t mark = mica_world_tick(world);
    mica_spawn_bundle(world, bundle, NULL, 0);
    mica_table_info info;
    mica_table_get_info(world, table, &info);
    for (int i = 0; i < 5; i++) {
        mica_type type = i < 4 ? types[i] : (mica_type){0};
        REQUIRE(mica_table_range(world, table, type, info.rows - 1, &stretch));
        CHECK_EQUAL(1, stretch.count);
        CHECK(stretch.changed > mark);
    }

    // [range.fail]: MICA_ERROR_NULL, MICA_ERROR_TYPE, MICA_ERROR_HOOK
    CHECK(!mica_table_range(NULL, table, h.position, 0, &stretch));
    CHECK(!mica_table_range(world, table, h.position, 0, NULL));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    CHECK(!mica_table_range(world, table, (mica_type){12345}, 0, &stretch));
    CHECK_REPORTED(&h.t, MICA_ERROR_TYPE);
    CHECK_ZERO(stretch);
    test_check_hook(&h.t, h.world, inspect_in_hook, &h, 7);

    // [range.fail]: MICA_ERROR_ITERATING
    for (int i = 0; i < 30; i++) {
        mica_set(world, others[i * 3], MICA_VALUE(h.sparse, Position, 1, 1));
    }
    mica_query mixed = mica_query_new(
        world, &(mica_query_desc){.terms = {{h.position, MICA_WRITE}, {h.sparse, MICA_WRITE}}});
    mica_iter it;
    mica_iter_begin(world, mixed, &it);
    REQUIRE(mica_iter_next(&it));
    mica_write(&it, 0);
    mica_write(&it, 1);
    uint32_t refused = 0;
    refused += !mica_table_range(world, table, h.position, 0, &stretch);
    refused += !mica_pool_range(world, h.sparse, 0, &stretch);
    refused += !mica_table_field(world, table, h.position, 0, 0, 4).base;
    CHECK(refused > 0);
    CHECK_EQUAL(MICA_ERROR_ITERATING, h.t.error.last.code);
    CHECK_EQUAL(refused, test_error_clear(&h.t.error));
    CHECK(mica_table_range(world, table, h.ring, 0, &stretch));
    mica_iter_end(&it);
    test_world_end(&h.t);
}

PROMISE(mica_table_field)
{
    house h;
    mica_world *world = begin(&h);
    uint32_t table = its_table(&h);
    mica_type types[3] = {h.position, h.split, h.ring};
    still before = hold(&h);

    // [range.field]
    for (int i = 0; i < 3; i++) {
        mica_read_fields fields =
            mica_table_field(world, table, types[i], 0, offsetof(Position, y), sizeof(float));
        REQUIRE(fields.base != NULL);
        CHECK(*(const float *)fields.base == (float)(2 + 2 * i));
        CHECK_EQUAL(i == 1 ? sizeof(float) : sizeof(Position), fields.stride);

        // [range.field_none]
        CHECK_POINTER(NULL, mica_table_field(world, table, types[i], 1, 0, 4).base);
        CHECK_POINTER(NULL, mica_table_field(world, UINT32_MAX, types[i], 0, 0, 4).base);

        // [range.field_fail]: MICA_ERROR_FIELD
        static const uint32_t wrong[4][2] = {{0, 0}, {4, 8}, {9, 1}, {UINT32_MAX, 2}};
        for (int k = 0; k < 4; k++) {
            CHECK_POINTER(
                NULL, mica_table_field(world, table, types[i], 0, wrong[k][0], wrong[k][1]).base);
            CHECK_REPORTED(&h.t, MICA_ERROR_FIELD);
        }
        const void *whole = mica_table_field(world, table, types[i], 0, 0, 8).base;
        CHECK_EQUAL(i != 1, whole != NULL);
        if (i == 1) {
            CHECK_REPORTED(&h.t, MICA_ERROR_FIELD);
        }
    }
    CHECK_POINTER(NULL, mica_table_field(world, table, h.tag, 0, 0, 4).base);
    CHECK_POINTER(NULL, mica_table_field(world, table, h.sparse, 0, 0, 4).base);

    // [range.field_fail]: the others, as mica_table_range(), which is shown there
    CHECK_POINTER(NULL, mica_table_field(NULL, table, h.position, 0, 0, 4).base);
    CHECK_POINTER(NULL, mica_table_field(world, table, (mica_type){0}, 0, 0, 4).base);
    CHECK_REPORTED(&h.t, MICA_ERROR_TYPE);
    check_still(&h, before);
    test_world_end(&h.t);
}

PROMISE(mica_pool_get_info)
{
    house h;
    mica_world *world = begin(&h);
    mica_pool_info info;

    // [pool.none]: not sparse
    CHECK(!mica_pool_get_info(world, h.position, &info));
    CHECK_ZERO(info);

    // [pool.none]: not used yet
    mica_query_new(world, &(mica_query_desc){.terms = {{h.loose, MICA_READ}}});
    CHECK(!mica_pool_get_info(world, h.loose, &info));
    CHECK_ZERO(info);
    mica_bundle bundle = mica_bundle_new(world, &h.loose, 1);
    CHECK(mica_pool_get_info(world, h.loose, &info));
    CHECK_EQUAL(0, info.count);
    mica_bundle_reserve(world, bundle, 10);
    CHECK(mica_pool_get_info(world, h.loose, &info));
    CHECK(info.count == 0 && info.capacity >= 10 && info.bytes >= 10 * sizeof(Position));
    mica_bundle_free(world, bundle);
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, h.loose, MICA_TABLE));
    CHECK(!mica_pool_get_info(world, h.loose, &info));
    still before = hold(&h);
    REQUIRE(mica_pool_get_info(world, h.sparse, &info));
    check_still(&h, before);
    CHECK_EQUAL(1, info.count);
    CHECK(info.capacity >= 1);
    CHECK_EQUAL(0, info.holes);
    CHECK(info.bytes >= sizeof(Position) + sizeof(mica_entity));
    CHECK_EQUAL(0, info.groups);
    CHECK(MICA_IS_NONE(info.owner));

    // [pool.holes]
    mica_entity several[4];
    for (int i = 0; i < 4; i++) {
        several[i] = mica_spawn(world, MICA_ADD(h.stable), MICA_ADD(h.sparse));
    }
    mica_remove(world, several[1], h.stable);
    mica_remove(world, several[1], h.sparse);
    REQUIRE(mica_pool_get_info(world, h.stable, &info));
    CHECK_EQUAL(3, info.count);
    CHECK_EQUAL(1, info.holes);
    REQUIRE(mica_pool_get_info(world, h.sparse, &info));
    CHECK_EQUAL(4, info.count);
    CHECK_EQUAL(0, info.holes);

    // [pool.groups], [pool.owner]
    mica_group group = mica_group_new(
        world, &(mica_group_desc){.owned = {h.sparse}, .required = {h.stable}, .name = "pair"});
    REQUIRE(mica_pool_get_info(world, h.sparse, &info));
    CHECK_EQUAL(1, info.groups);
    CHECK(MICA_EQUAL(group, info.owner));
    REQUIRE(mica_pool_get_info(world, h.stable, &info));
    CHECK_EQUAL(1, info.groups);
    CHECK(MICA_IS_NONE(info.owner));

    // [pool.fail]
    CHECK(!mica_pool_get_info(NULL, h.sparse, &info));
    CHECK(!mica_pool_get_info(world, h.sparse, NULL));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    CHECK(!mica_pool_get_info(world, (mica_type){0}, &info));
    CHECK_REPORTED(&h.t, MICA_ERROR_TYPE);
    test_check_hook(&h.t, h.world, inspect_in_hook, &h, 7);
    test_world_end(&h.t);
}

PROMISE(mica_pool_range)
{
    house h;
    mica_world *world = begin(&h);
    mica_entity several[100];
    for (int i = 0; i < 100; i++) {
        several[i] = mica_spawn(world, MICA_VALUE(h.stable, Position, (float)i, 0));
    }
    for (int i = 0; i < 100; i += 3) {
        mica_despawn(world, several[i]);
    }

    // [pool.range]: holes are passed over
    still before = hold(&h);
    mica_row_range stretch;
    uint32_t count = 0;
    for (uint32_t row = 0; mica_pool_range(world, h.stable, row, &stretch);
         row = stretch.row + stretch.count) {
        CHECK(stretch.row >= row && stretch.count > 0);
        for (uint32_t i = 0; i < stretch.count; i++) {
            CHECK_POINTER(mica_get(world, stretch.entities[i], h.stable),
                          (const Position *)stretch.data + i);
        }
        count += stretch.count;
    }
    CHECK_ZERO(stretch);
    CHECK_EQUAL(66, count);
    check_still(&h, before);

    // [pool.range]: the rest is as for tables
    CHECK(!mica_pool_range(world, h.stable, UINT32_MAX, &stretch));
    CHECK(!mica_pool_range(world, h.position, 0, &stretch));
    CHECK(!mica_pool_range(world, h.loose, 0, &stretch));
    CHECK(!mica_pool_range(world, (mica_type){0}, 0, &stretch));
    CHECK_REPORTED(&h.t, MICA_ERROR_TYPE);
    CHECK(!mica_pool_range(world, h.stable, 0, NULL));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    uint64_t mark = mica_world_tick(world);
    REQUIRE(mica_pool_range(world, h.stable, 0, &stretch));
    CHECK(stretch.changed <= mark);
    mica_set(world, stretch.entities[0], MICA_VALUE(h.stable, Position, 1, 1));
    REQUIRE(mica_pool_range(world, h.stable, 0, &stretch));
    CHECK(stretch.changed > mark);

    mica_world_clear(world);
    CHECK(!mica_pool_range(world, h.stable, 0, &stretch));
    CHECK_ZERO(stretch);
    test_world_end(&h.t);
}

// The row range at the location shows the entity, and its value.
static void check_location(house *h, mica_entity entity, mica_type type, bool pool)
{
    mica_location at;
    REQUIRE(mica_entity_get_location(h->world, entity, type, &at));
    CHECK_EQUAL(pool, at.table == UINT32_MAX);
    mica_row_range range;
    REQUIRE(pool ? mica_pool_range(h->world, type, at.row, &range)
                 : mica_table_range(h->world, at.table, type, at.row, &range));
    CHECK_EQUAL(at.row, range.row);
    CHECK(MICA_EQUAL(entity, range.entities[0]));
    if (!MICA_IS_NONE(type) && range.data) {
        CHECK_POINTER(mica_get(h->world, entity, type), range.data);
    }
}

static void check_locations(house *h, mica_entity entity)
{
    check_location(h, entity, (mica_type){0}, false);
    const mica_type types[] = {h->position, h->split, h->ring, h->tag};
    for (uint32_t i = 0; i < 4; i++) {
        check_location(h, entity, types[i], false);
    }
    check_location(h, entity, h->sparse, true);
    check_location(h, entity, h->stable, true);
}

// S0.11
PROMISE(mica_entity_get_location)
{
    // [location.get]: of each storage, after others moved, of facets, and of stable values behind holes
    house h;
    mica_world *world = begin(&h);
    mica_entity several[100];
    for (uint32_t i = 0; i < 100; i++) {
        several[i] = mica_clone(world, h.entity);
        mica_set(world, several[i], MICA_VALUE(h.stable, Position, (float)i, 0));
    }
    mica_entity facet =
        mica_facet_add(world, several[99], h.position, 3, MICA_VALUE(h.position, Position, 1, 2));
    check_location(&h, facet, h.position, false);
    check_location(&h, facet, (mica_type){0}, false);
    still before = hold(&h);
    for (uint32_t i = 0; i < 100; i++) {
        check_locations(&h, several[i]);
    }
    check_still(&h, before);
    for (uint32_t i = 0; i < 99; i += 3) {
        mica_despawn(world, several[i]);
    }
    for (uint32_t i = 1; i < 99; i++) {
        if (i % 3 != 0) {
            check_locations(&h, several[i]);
        }
    }

    // [location.cost]: tests/gate/growth.c
    mica_location at = {7, 7};

    // [location.missing]
    CHECK(!mica_entity_get_location(world, facet, h.split, &at));
    CHECK_ZERO(at);
    CHECK(!mica_entity_get_location(world, facet, h.sparse, &at));
    CHECK(!mica_entity_get_location(world, facet, h.loose, &at));

    // [location.fail]
    at = (mica_location){7, 7};
    CHECK(!mica_entity_get_location(world, several[0], h.position, &at));
    CHECK_REPORTED(&h.t, MICA_ERROR_ENTITY);
    CHECK_ZERO(at);
    mica_type other = {h.position.bits ^ UINT64_C(1) << 63};
    CHECK(!mica_entity_get_location(world, h.entity, other, &at));
    CHECK_REPORTED(&h.t, MICA_ERROR_TYPE);
    CHECK(!mica_entity_get_location(world, h.entity, h.position, NULL));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    CHECK(!mica_entity_get_location(NULL, h.entity, h.position, &at));
    test_world_end(&h.t);
}

PROMISE(mica_group_next)
{
    house h;
    mica_world *world = begin(&h);
    CHECK(MICA_IS_NONE(mica_group_next(world, (mica_group){0})));
    mica_group one =
        mica_group_new(world, &(mica_group_desc){.owned = {h.sparse}, .required = {h.loose}});
    mica_group two = mica_group_new(world, &(mica_group_desc){.required = {h.stable, h.loose}});
    still before = hold(&h);
    mica_group seen = mica_group_next(world, (mica_group){0});
    CHECK(MICA_EQUAL(one, seen));
    seen = mica_group_next(world, seen);
    CHECK(MICA_EQUAL(two, seen));
    CHECK(MICA_IS_NONE(mica_group_next(world, seen)));
    check_still(&h, before);

    // [group.inspect]: an error for what is gone
    mica_group_free(world, one);
    CHECK(MICA_EQUAL(two, mica_group_next(world, (mica_group){0})));
    CHECK(MICA_IS_NONE(mica_group_next(world, one)));
    CHECK_REPORTED(&h.t, MICA_ERROR_GROUP);
    CHECK(MICA_IS_NONE(mica_group_next(NULL, two)));
    test_world_end(&h.t);
}

PROMISE(mica_group_get_info)
{
    house h;
    mica_world *world = begin(&h);
    mica_group group = mica_group_new(world, &(mica_group_desc){.owned = {h.sparse},
                                                                .required = {h.loose},
                                                                .without = {h.stable},
                                                                .name = "trio"});
    mica_add(world, h.entity, h.loose);
    mica_group_info info;
    still before = hold(&h);
    REQUIRE(mica_group_get_info(world, group, &info));
    check_still(&h, before);
    CHECK_TEXT("trio", info.name);

    // [group.count]: as entities enter and leave: tests/promises/group.c
    CHECK_EQUAL(1, info.count);
    CHECK(MICA_EQUAL(h.sparse, info.owned[0]) && MICA_IS_NONE(info.owned[1]));
    CHECK(MICA_EQUAL(h.loose, info.required[0]) && MICA_IS_NONE(info.required[1]));
    CHECK(MICA_EQUAL(h.stable, info.without[0]) && MICA_IS_NONE(info.without[1]));
    mica_group_free(world, group);
    CHECK(!mica_group_get_info(world, group, &info));
    CHECK_REPORTED(&h.t, MICA_ERROR_GROUP);
    CHECK_ZERO(info);
    CHECK(!mica_group_get_info(world, group, NULL));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    test_world_end(&h.t);
}

static void nothing(mica_iter *it)
{
    (void)it;
}

static void hear_nothing(const mica_observer_event *happening)
{
    (void)happening;
}

PROMISE(mica_query_next)
{
    house h;
    mica_world *world = begin(&h);

    // [query.inspect]: systems without one have none
    mica_system_add(world, &(mica_system_desc){.name = "own",
                                               .update = nothing,
                                               .query.terms = {{h.ring, MICA_READ}}});
    mica_observer_new(world, &(mica_observer_desc){.query.terms = {{h.split, MICA_WITH}},
                                                   .events = MICA_ON_ENTER,
                                                   .call = hear_nothing});
    static const char *const names[3] = {"one", "two", "three"};
    for (int round = 0; round < 3; round++) {
        uint32_t count = 0;
        still before = hold(&h);
        for (mica_query q = mica_query_next(world, (mica_query){0}); !MICA_IS_NONE(q);
             q = mica_query_next(world, q)) {
            mica_query_info info;
            CHECK(mica_query_get_info(world, q, &info));
            CHECK_EQUAL(1, info.terms);
            count++;
        }
        check_still(&h, before);
        CHECK_EQUAL(3, count);
        CHECK_EQUAL(3, mica_world_get_stats(world).queries);
        mica_system_add(world, &(mica_system_desc){.name = names[round], .update = nothing});
    }

    // [inspect.gone]
    mica_query_free(world, h.query);
    CHECK(MICA_IS_NONE(mica_query_next(world, h.query)));
    CHECK_REPORTED(&h.t, MICA_ERROR_QUERY);
    CHECK(MICA_IS_NONE(mica_query_next(NULL, (mica_query){0})));
    test_world_end(&h.t);
    world = begin(&h); // a world that has none
    mica_query_free(world, h.query);
    CHECK(MICA_IS_NONE(mica_query_next(world, (mica_query){0})));
    test_world_end(&h.t);
}

PROMISE(mica_query_get_info)
{
    // [query.inspect_cost]: tests/gate/growth.c
    house h;
    mica_world *world = begin(&h);
    mica_query query = mica_query_new(
        world,
        &(mica_query_desc){.terms = {{h.position, MICA_READ | MICA_CHANGED}, {h.tag, MICA_WITH}},
                           .name = "two",
                           .no_facets = true});
    mica_query bare =
        mica_query_new(world, &(mica_query_desc){.everything = true, .no_entities = true});
    mica_system_add(world,
                    &(mica_system_desc){.name = "user", .update = nothing, .queries = {query}});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    mica_query_info info;
    still before = hold(&h);
    REQUIRE(mica_query_get_info(world, query, &info));
    check_still(&h, before);
    CHECK_TEXT("two", info.name);
    CHECK_EQUAL(2, info.terms);
    CHECK_EQUAL(1, info.tables);
    CHECK_EQUAL(1, info.iterations);
    CHECK_EQUAL(1, info.systems);
    CHECK(!info.no_entities && info.no_facets);
    CHECK_EQUAL(0, info.since);
    while (mica_iter_next(&it)) {
    }
    REQUIRE(mica_query_get_info(world, query, &info));
    CHECK_EQUAL(0, info.iterations);
    CHECK_EQUAL(mica_query_since(world, query), info.since);
    CHECK(info.since > 0);
    REQUIRE(mica_query_get_info(world, bare, &info));
    CHECK_TEXT(NULL, info.name);
    CHECK_EQUAL(0, info.terms);
    CHECK_EQUAL(mica_world_get_stats(world).tables, info.tables);
    CHECK(info.no_entities && !info.no_facets);
    mica_iter_begin(world, bare, &it);
    while (mica_iter_next(&it)) {
    }
    REQUIRE(mica_query_get_info(world, bare, &info));
    CHECK_EQUAL(0, info.since); // [query.no_since]
    CHECK(!mica_query_get_info(world, (mica_query){0}, &info));
    CHECK_REPORTED(&h.t, MICA_ERROR_QUERY);
    CHECK_ZERO(info);
    test_world_end(&h.t);
}

PROMISE(mica_query_term)
{
    house h;
    mica_world *world = begin(&h);
    const mica_term terms[6] = {
        {h.position, MICA_WRITE | MICA_TOUCH}, {h.split, MICA_OPTIONAL | MICA_INCLUDE_DISABLED},
        {h.ring, MICA_READ | MICA_ADDED},      {h.sparse, MICA_ANY},
        {h.loose, MICA_ANY | MICA_CHANGED},    {h.tag, MICA_WITHOUT}};
    mica_query query =
        mica_query_new(world, &(mica_query_desc){.more_terms = terms, .more_count = 6});

    // [query.term]
    still before = hold(&h);
    for (uint32_t i = 0; i < 6; i++) {
        mica_term term = mica_query_term(world, query, i);
        CHECK(MICA_EQUAL(terms[i].type, term.type));
        CHECK_EQUAL(terms[i].access, term.access);
    }

    // [query.term_end]
    mica_term behind = mica_query_term(world, query, 6);
    CHECK(MICA_IS_NONE(behind.type) && behind.access == 0);
    behind = mica_query_term(world, query, UINT32_MAX);
    CHECK(MICA_IS_NONE(behind.type));
    check_still(&h, before);
    behind = mica_query_term(world, (mica_query){0}, 0);
    CHECK(MICA_IS_NONE(behind.type));
    CHECK_REPORTED(&h.t, MICA_ERROR_QUERY);
    test_world_end(&h.t);
}

PROMISE(mica_query_table)
{
    house h;
    mica_world *world = begin(&h);
    CHECK_EQUAL(its_table(&h), mica_query_table(world, h.query, 0));
    CHECK_EQUAL(UINT32_MAX, mica_query_table(world, h.query, 1));
    CHECK_EQUAL(UINT32_MAX, mica_query_table(world, h.query, UINT32_MAX));
    CHECK_EQUAL(UINT32_MAX, mica_query_table(world, (mica_query){0}, 0));
    CHECK_REPORTED(&h.t, MICA_ERROR_QUERY);

    // numbers that have moved on
    mica_spawn(world, MICA_ADD(h.position));
    mica_despawn(world, h.entity);
    mica_world_reclaim(world);
    mica_table_info info;
    REQUIRE(mica_table_get_info(world, mica_query_table(world, h.query, 0), &info));
    CHECK_EQUAL(1, info.rows);
    CHECK_EQUAL(1, info.components);
    CHECK_EQUAL(UINT32_MAX, mica_query_table(world, h.query, 1));
    test_world_end(&h.t);
}

static void the_system_that_owns_a_query(void)
{
    house h;
    mica_world *world = begin(&h);
    mica_system system = mica_system_add(
        world, &(mica_system_desc){
                   .name = "own", .update = nothing, .query.terms = {{h.ring, MICA_READ}}});
    mica_system_add(world, &(mica_system_desc){.name = "bare", .update = nothing});
    mica_system_info info;
    REQUIRE(mica_system_get_info(world, system, &info));

    // [query.system]
    mica_query_info query;
    REQUIRE(mica_query_get_info(world, info.query, &query));
    CHECK(MICA_EQUAL(system, query.system));

    // [query.system]: none
    uint32_t owned = 0;
    for (mica_query q = mica_query_next(world, (mica_query){0}); !MICA_IS_NONE(q);
         q = mica_query_next(world, q)) {
        REQUIRE(mica_query_get_info(world, q, &query));
        owned += !MICA_IS_NONE(query.system);
    }
    CHECK_EQUAL(1, owned);
    test_world_end(&h.t);
}

PROMISE(mica_phase_next)
{
    house h;
    mica_world *world = begin(&h);
    still before = hold(&h);
    mica_phase update = mica_phase_next(world, (mica_phase){0});
    CHECK(MICA_IS_NONE(mica_phase_next(world, update)));
    CHECK(MICA_IS_NONE(mica_phase_next(world, (mica_phase){12345})));
    CHECK_REPORTED(&h.t, MICA_ERROR_PHASE);
    check_still(&h, before);
    CHECK(MICA_EQUAL(update, mica_phase_find(world, "update")));

    // [phase.inspect]
    mica_phase early = mica_phase_add(world, &(mica_phase_desc){.name = "early", .before = update});
    mica_phase late = mica_phase_add(world, &(mica_phase_desc){.name = "late"});
    CHECK(MICA_EQUAL(early, mica_phase_next(world, (mica_phase){0})));
    CHECK(MICA_EQUAL(update, mica_phase_next(world, early)));
    CHECK(MICA_EQUAL(late, mica_phase_next(world, update)));
    CHECK(MICA_IS_NONE(mica_phase_next(world, late)));
    mica_phase_remove(world, late);
    CHECK(MICA_IS_NONE(mica_phase_next(world, late)));
    CHECK_REPORTED(&h.t, MICA_ERROR_PHASE);
    test_world_end(&h.t);
}

PROMISE(mica_phase_get_info)
{
    house h;
    mica_world *world = begin(&h);
    mica_phase_info info;
    still before = hold(&h);
    CHECK(mica_phase_get_info(world, mica_phase_next(world, (mica_phase){0}), &info));
    check_still(&h, before);
    CHECK_TEXT("update", info.name);
    CHECK(info.systems == 0 && info.fixed_dt == 0 && info.max_runs == 0 && !info.manual);
    mica_phase fixed = mica_phase_add(world, &(mica_phase_desc){.name = "fixed", .fixed_dt = 0.25});
    mica_system_add(world, &(mica_system_desc){.name = "in", .update = nothing, .phase = fixed});
    REQUIRE(mica_phase_get_info(world, fixed, &info));
    CHECK_TEXT("fixed", info.name);
    CHECK_EQUAL(1, info.systems);
    CHECK(info.fixed_dt == 0.25);
    CHECK_EQUAL(8, info.max_runs);

    // [phase.lost]
    CHECK_EQUAL(MICA_OK, mica_step(world, 2.5));
    REQUIRE(mica_phase_get_info(world, fixed, &info));
    CHECK_EQUAL(8, info.runs);
    CHECK(info.lost == 0.5);

    // [phase.inspect]
    CHECK(!mica_phase_get_info(world, (mica_phase){0}, &info));
    CHECK_REPORTED(&h.t, MICA_ERROR_PHASE);
    CHECK_ZERO(info);
    CHECK(!mica_phase_get_info(world, fixed, NULL));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    test_world_end(&h.t);
}

PROMISE(mica_system_next)
{
    // [system.inspect]
    house h;
    mica_world *world = begin(&h);
    CHECK(MICA_IS_NONE(mica_system_next(world, (mica_system){0})));
    mica_phase early = mica_phase_add(
        world, &(mica_phase_desc){.name = "early", .before = mica_phase_find(world, "update")});
    mica_system third = mica_system_add(world, &(mica_system_desc){.name = "c", .update = nothing});
    mica_system second = mica_system_add(
        world, &(mica_system_desc){.name = "b", .update = nothing, .before = {third}});
    mica_system first =
        mica_system_add(world, &(mica_system_desc){.name = "a", .update = nothing, .phase = early});
    still before = hold(&h);
    CHECK(MICA_EQUAL(first, mica_system_next(world, (mica_system){0})));
    CHECK(MICA_EQUAL(second, mica_system_next(world, first)));
    CHECK(MICA_EQUAL(third, mica_system_next(world, second)));
    CHECK(MICA_IS_NONE(mica_system_next(world, third)));
    check_still(&h, before);
    mica_system_remove(world, second);
    CHECK(MICA_IS_NONE(mica_system_next(world, second)));
    CHECK_REPORTED(&h.t, MICA_ERROR_SYSTEM);
    CHECK(MICA_EQUAL(third, mica_system_next(world, first)));
    test_world_end(&h.t);
}

static bool wanted = true;

static bool is_wanted(const mica_iter *it)
{
    (void)it;
    return wanted;
}

PROMISE(mica_system_get_info)
{
    house h;
    mica_world *world = begin(&h);
    mica_system system =
        mica_system_add(world, &(mica_system_desc){.name = "all",
                                                   .update = nothing,
                                                   .when = is_wanted,
                                                   .user = &h,
                                                   .replay_first = true,
                                                   .query.terms = {{h.ring, MICA_READ}},
                                                   .queries = {h.query},
                                                   .resources = {{h.position, MICA_WRITE}},
                                                   .events = {{h.split, MICA_READ}}});
    mica_system_info info;
    still before = hold(&h);
    REQUIRE(mica_system_get_info(world, system, &info));
    check_still(&h, before);
    CHECK_TEXT("all", info.name);
    CHECK(MICA_EQUAL(mica_phase_find(world, "update"), info.phase));
    CHECK(!MICA_IS_NONE(info.query));
    CHECK_POINTER(&h, info.user);
    CHECK(info.enabled && info.conditional && info.replay_first);
    CHECK(MICA_EQUAL(h.query, info.queries[0]) && MICA_IS_NONE(info.queries[1]));
    CHECK(MICA_EQUAL(h.position, info.resources[0].type));
    CHECK_EQUAL(MICA_WRITE, info.resources[0].access);
    CHECK(MICA_IS_NONE(info.resources[1].type));
    CHECK(MICA_EQUAL(h.split, info.events[0].type));
    CHECK_EQUAL(MICA_READ, info.events[0].access);
    CHECK(MICA_IS_NONE(info.events[1].type));

    // [system.stats]: it never runs, and once it does
    CHECK_ZERO(info.stats);
    mica_entity entity = mica_spawn(world, MICA_ADD(h.ring));
    wanted = false;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    wanted = true;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    REQUIRE(mica_system_get_info(world, system, &info));
    CHECK_EQUAL(1, info.stats.runs);
    CHECK_EQUAL(1, info.stats.skipped);
    CHECK(info.stats.segments >= 1 && info.stats.rows >= info.stats.segments);
    CHECK_EQUAL(0, info.stats.timed + info.stats.last_ns + info.stats.total_ns);
    mica_despawn(world, entity);

    // [system.no_query]
    system = mica_system_add(world, &(mica_system_desc){.name = "once", .update = nothing});
    mica_system_disable(world, system);
    REQUIRE(mica_system_get_info(world, system, &info));
    CHECK(MICA_IS_NONE(info.query));
    CHECK(!info.enabled && !info.conditional && !info.replay_first);
    CHECK(!mica_system_get_info(world, (mica_system){0}, &info));
    CHECK_REPORTED(&h.t, MICA_ERROR_SYSTEM);
    CHECK_ZERO(info);
    test_world_end(&h.t);
}

static mica_observer kept;

static void free_and_look(const mica_observer_event *happening)
{
    mica_world *world = happening->world;
    mica_observer_free(world, happening->observer);
    CHECK(MICA_EQUAL(kept, mica_observer_next(world, (mica_observer){0})));
    CHECK(MICA_IS_NONE(mica_observer_next(world, kept)));
}

PROMISE(mica_observer_next)
{
    house h;
    mica_world *world = begin(&h);
    CHECK(MICA_IS_NONE(mica_observer_next(world, (mica_observer){0})));
    mica_observer first = mica_observer_new(
        world, &(mica_observer_desc){.events = MICA_ON_SPAWN, .call = free_and_look});
    kept = mica_observer_new(
        world, &(mica_observer_desc){.type = h.tag, .events = MICA_ON_ADD, .call = hear_nothing});
    still before = hold(&h);
    CHECK(MICA_EQUAL(first, mica_observer_next(world, (mica_observer){0})));
    CHECK(MICA_EQUAL(kept, mica_observer_next(world, first)));
    CHECK(MICA_IS_NONE(mica_observer_next(world, kept)));
    check_still(&h, before);

    // [observer.inspect]: also while they are still reported
    mica_spawn_values(world, NULL, 0);
    CHECK(MICA_IS_NONE(mica_observer_next(world, first)));
    CHECK_REPORTED(&h.t, MICA_ERROR_OBSERVER);
    test_world_end(&h.t);
}

PROMISE(mica_observer_get_info)
{
    house h;
    mica_world *world = begin(&h);
    mica_observer observer = mica_observer_new(world, &(mica_observer_desc){.type = h.tag,
                                                                            .events = MICA_ON_ADD,
                                                                            .call = hear_nothing,
                                                                            .user = &h,
                                                                            .name = "listener"});
    mica_observer_info info;
    still before = hold(&h);
    REQUIRE(mica_observer_get_info(world, observer, &info));
    check_still(&h, before);
    CHECK_TEXT("listener", info.name);
    CHECK_EQUAL(MICA_ON_ADD, info.events);
    CHECK(MICA_EQUAL(h.tag, info.type) && MICA_EQUAL(h.tag, info.types[0]));
    CHECK(MICA_IS_NONE(info.query) && !info.disabled);
    CHECK_POINTER(&h, info.user);
    observer = mica_observer_new(world, &(mica_observer_desc){.query.terms = {{h.tag, MICA_WITH}},
                                                              .events = MICA_ON_ENTER,
                                                              .call = hear_nothing});
    REQUIRE(mica_observer_get_info(world, observer, &info));
    CHECK_TEXT(NULL, info.name);
    CHECK(MICA_IS_NONE(info.type));
    CHECK_EQUAL(1, mica_query_count(world, info.query));
    mica_observer_free(world, observer);
    CHECK(!mica_observer_get_info(world, observer, &info));
    CHECK_REPORTED(&h.t, MICA_ERROR_OBSERVER);
    CHECK_ZERO(info);
    test_world_end(&h.t);
}

static mica_result fail_to_construct(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count, (void)context;
    return MICA_ERROR_HOOK;
}

PROMISE(mica_event_get_info)
{
    house h;
    mica_world *world = begin(&h);
    mica_event_info info;

    // [queue.inspect]: false, also if sending failed
    memset(&info, 0xA5, sizeof info);
    CHECK(!mica_event_get_info(world, h.position, &info));
    CHECK_ZERO(info);
    CHECK(!mica_event_get_info(world, h.tag, &info));
    mica_type failing = mica_type_register(
        world, &(mica_type_desc){
                   .name = "Failing", .size = 4, .align = 4, .hooks.construct = fail_to_construct});
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_send(world, MICA_ADD(failing)));
    CHECK_REPORTED(&h.t, MICA_ERROR_HOOK);
    CHECK(!mica_event_get_info(world, failing, &info));
    CHECK_ZERO(info);

    mica_send(world, MICA_ADD(h.position));
    mica_step(world, 0);
    mica_send(world, MICA_ADD(h.position), MICA_ADD(h.position));
    still before = hold(&h);
    REQUIRE(mica_event_get_info(world, h.position, &info));
    check_still(&h, before);
    CHECK_EQUAL(2, info.now);
    CHECK_EQUAL(1, info.last);
    CHECK_EQUAL(3, info.sent);

    // [queue.count]
    mica_cursor cursor = {0};
    uint32_t count = 0;
    uint32_t read = 0;
    while (mica_events(world, h.position, &cursor, &count)) {
        read += count;
    }
    CHECK_EQUAL(3, read);
    CHECK(info.bytes >= 3 * sizeof(Position));
    mica_step(world, 0);
    mica_step(world, 0);
    mica_world_reclaim(world);
    REQUIRE(mica_event_get_info(world, h.position, &info));
    CHECK_EQUAL(0, info.now + info.last);
    CHECK_EQUAL(3, info.sent);
    CHECK_EQUAL(0, info.bytes);
    CHECK(!mica_event_get_info(world, (mica_type){0}, &info));
    CHECK_REPORTED(&h.t, MICA_ERROR_TYPE);
    CHECK(!mica_event_get_info(world, h.position, NULL));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    test_world_end(&h.t);
}

static void read_positions(mica_iter *it)
{
    const house *h = it->user;
    uint32_t count;
    mica_events_unread(it, h->position, &count);
}

PROMISE(mica_reader_get_info)
{
    house h;
    mica_world *world = begin(&h);
    mica_reader_info info;
    uint32_t count;

    // [reader.end]: plain cursors are not included
    mica_send(world, MICA_ADD(h.position));
    mica_cursor plain = {0};
    mica_events(world, h.position, &plain, &count);
    memset(&info, 0xA5, sizeof info);
    CHECK(!mica_reader_get_info(world, h.position, 0, &info));
    CHECK_ZERO(info);

    // [reader.next]: systems in their order, then cursors by name
    mica_system second =
        mica_system_add(world, &(mica_system_desc){.name = "a second",
                                                   .update = read_positions,
                                                   .user = &h,
                                                   .disabled = true,
                                                   .events = {{h.position, MICA_READ}}});
    mica_system_add(world, &(mica_system_desc){.name = "sender",
                                               .update = read_positions,
                                               .user = &h,
                                               .disabled = true,
                                               .events = {{h.position, MICA_WRITE}}});
    mica_system first =
        mica_system_add(world, &(mica_system_desc){.name = "first",
                                                   .update = read_positions,
                                                   .user = &h,
                                                   .before = {second},
                                                   .events = {{h.position, MICA_READ}}});
    mica_cursor named = {.name = "b"};
    mica_events(world, h.position, &named, &count);
    named.name = "a";
    mica_events(world, h.position, &named, &count);
    mica_step(world, 0);
    mica_send(world, MICA_ADD(h.position), MICA_ADD(h.position));
    static const char *const names[] = {"first", "a second", "a", "b"};
    static const uint64_t unread[] = {2, 3, 2, 2}; // [reader.unread]
    still before = hold(&h);
    for (uint32_t i = 0; i < 4; i++) {
        REQUIRE(mica_reader_get_info(world, h.position, i, &info));
        CHECK_TEXT(names[i], info.name);
        CHECK_EQUAL(i == 0 ? first.bits : i == 1 ? second.bits : 0, info.system.bits);
        CHECK_EQUAL(unread[i], info.unread);
        CHECK_EQUAL(0, info.missed);
    }
    CHECK(!mica_reader_get_info(world, h.position, 4, &info));
    check_still(&h, before);

    // [reader.missed]
    for (int i = 0; i < 3; i++) {
        mica_step(world, 0);
    }
    REQUIRE(mica_reader_get_info(world, h.position, 0, &info));
    CHECK_EQUAL(0, info.missed + info.unread);
    REQUIRE(mica_reader_get_info(world, h.position, 1, &info));
    CHECK_EQUAL(0, info.missed + info.unread); // it has not begun
    REQUIRE(mica_reader_get_info(world, h.position, 2, &info));
    CHECK_EQUAL(2, info.missed);
    CHECK_EQUAL(0, info.unread);
    CHECK_POINTER(NULL, mica_events(world, h.position, &named, &count));
    CHECK_EQUAL(2, named.missed);
    REQUIRE(mica_reader_get_info(world, h.position, 2, &info));
    CHECK_EQUAL(2, info.missed);

    // [reader.cost]
    uint64_t allocations = h.t.memory.allocations;
    CHECK(mica_reader_get_info(world, h.position, 2, &info));
    CHECK_EQUAL(allocations, h.t.memory.allocations);

    // [reader.fail]: in a hook, walk_in_hook()
    CHECK(!mica_reader_get_info(world, (mica_type){0}, 0, &info));
    CHECK_REPORTED(&h.t, MICA_ERROR_TYPE);
    CHECK(!mica_reader_get_info(world, h.position, 0, NULL));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    test_world_end(&h.t);
}

static void walk_in_hook(void *given)
{
    house *h = given;
    CHECK(MICA_IS_NONE(mica_resource_next(h->world, (mica_type){0})));
    CHECK(MICA_IS_NONE(mica_entity_named(h->world, 0)));
    mica_reader_info reader;
    CHECK(!mica_reader_get_info(h->world, h->position, 0, &reader));
    char text[64];
    CHECK_EQUAL(0, TEST_PRINT(text, mica_table_print, h->world, 0));
    CHECK_EQUAL(0, TEST_PRINT(text, mica_query_print, h->world, h->query));
}

PROMISE(mica_resource_next)
{
    house h;
    mica_world *world = begin(&h);
    CHECK(MICA_IS_NONE(mica_resource_next(world, (mica_type){0})));

    // [resource.next]
    mica_resource_set(world, MICA_ADD(h.ring), MICA_ADD(h.loose), MICA_ADD(h.position));
    mica_resource_remove(world, h.loose);
    still before = hold(&h);
    CHECK(MICA_EQUAL(h.position, mica_resource_next(world, (mica_type){0})));
    CHECK(MICA_EQUAL(h.ring, mica_resource_next(world, h.position)));
    CHECK(MICA_EQUAL(h.ring, mica_resource_next(world, h.split))); // of which there is none
    CHECK(MICA_IS_NONE(mica_resource_next(world, h.ring)));
    CHECK(MICA_IS_NONE(mica_resource_next(world, h.tag)));
    check_still(&h, before);

    // [resource.next_fail]
    CHECK(MICA_IS_NONE(mica_resource_next(NULL, (mica_type){0})));
    CHECK(MICA_IS_NONE(mica_resource_next(world, (mica_type){12345})));
    CHECK_REPORTED(&h.t, MICA_ERROR_TYPE);
    mica_entity_set_name(world, h.entity, "somebody");
    test_check_hook(&h.t, h.world, walk_in_hook, &h, 5);
    test_world_end(&h.t);
}

PROMISE(mica_entity_named)
{
    house h;
    mica_world *world = begin(&h);
    CHECK(MICA_IS_NONE(mica_entity_named(world, 0)));

    // [name.next]
    mica_entity other = mica_spawn_values(world, NULL, 0);
    mica_spawn_values(world, NULL, 0);
    mica_entity_set_name(world, h.entity, "one");
    mica_entity_set_name(world, other, "two");
    still before = hold(&h);
    mica_entity seen[2] = {mica_entity_named(world, 0), mica_entity_named(world, 1)};
    CHECK(MICA_EQUAL(h.entity, seen[0]) || MICA_EQUAL(h.entity, seen[1]));
    CHECK(MICA_EQUAL(other, seen[0]) || MICA_EQUAL(other, seen[1]));

    // [name.next]: the end
    CHECK(MICA_IS_NONE(mica_entity_named(world, 2)));
    CHECK(MICA_IS_NONE(mica_entity_named(world, UINT32_MAX)));
    check_still(&h, before);
    mica_despawn(world, h.entity);
    CHECK(MICA_EQUAL(other, mica_entity_named(world, 0)));
    CHECK(MICA_IS_NONE(mica_entity_named(world, 1)));

    // [name.next_fail]
    CHECK(MICA_IS_NONE(mica_entity_named(NULL, 0)));
    test_check_hook(&h.t, h.world, walk_in_hook, &h, 5);
    test_world_end(&h.t);
}

// How often a text is in another.
static uint32_t count_in(const char *text, const char *part)
{
    uint32_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) {
        count++;
    }
    return count;
}

PROMISE(mica_table_print)
{
    house h;
    mica_world *world = begin(&h);
    char text[2048];

    // [table.print_stream]: standard output
    still before = hold(&h);
    CHECK_EQUAL(MICA_OK, mica_table_print(world, its_table(&h), NULL));
    check_still(&h, before);

    // [table.print]
    TEST_PRINT(text, mica_table_print, world, its_table(&h));
    CHECK_EQUAL(5, count_in(text, "\n"));
    static const char *const names[4] = {"Position", "Split", "Ring", "Tag"};
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(1, count_in(text, names[i]));
    }

    // [table.print_none]
    CHECK(TEST_PRINT(text, mica_table_print, world, UINT32_MAX) > 0);

    // [table.print_stream]: failures
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_table_print(world, 0, &(mica_stream){0}));
    CHECK_REPORTED(&h.t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_table_print(NULL, 0, NULL));
    test_world_end(&h.t);
}

PROMISE(mica_query_print)
{
    house h;
    mica_world *world = begin(&h);
    mica_spawn(world, MICA_ADD(h.position));
    char text[2048];

    // [table.print_stream]: standard output
    still before = hold(&h);
    CHECK_EQUAL(MICA_OK, mica_query_print(world, h.query, NULL));
    check_still(&h, before);

    // [table.print]: a line for itself, one for its term, two for the tables that match
    TEST_PRINT(text, mica_query_print, world, h.query);
    CHECK_EQUAL(4, count_in(text, "\n"));
    CHECK_EQUAL(1, count_in(text, "Position"));
    CHECK_EQUAL(2, count_in(text, "  table "));

    // [table.print_none]
    CHECK(TEST_PRINT(text, mica_query_print, world, (mica_query){0}) > 0);

    // [table.print_stream]: failures
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_query_print(world, h.query, &(mica_stream){0}));
    CHECK_REPORTED(&h.t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_query_print(NULL, h.query, NULL));
    test_world_end(&h.t);
}

TESTS(inspect, promise_of_mica_table_get_info, promise_of_mica_column_get_info,
      promise_of_mica_table_range, promise_of_mica_table_field, promise_of_mica_pool_get_info,
      promise_of_mica_pool_range, promise_of_mica_entity_get_location, promise_of_mica_group_next,
      promise_of_mica_group_get_info, promise_of_mica_query_next, promise_of_mica_query_get_info,
      promise_of_mica_query_term, promise_of_mica_query_table, the_system_that_owns_a_query,
      promise_of_mica_phase_next, promise_of_mica_phase_get_info, promise_of_mica_system_next,
      promise_of_mica_system_get_info, promise_of_mica_observer_next,
      promise_of_mica_observer_get_info, promise_of_mica_event_get_info,
      promise_of_mica_reader_get_info, promise_of_mica_resource_next, promise_of_mica_entity_named,
      promise_of_mica_table_print, promise_of_mica_query_print)
