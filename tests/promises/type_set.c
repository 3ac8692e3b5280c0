// What mica/type_set.h promises.
#include "promise.h"

#include <string.h>

enum { TYPES = 600 };

// A world with many types: every third is a tag, and of the others some are sparse, split and in rings. A set
// over the first 256 needs no memory, one that goes further does.
typedef struct stage {
    test_world t;
    mica_world *world;
    mica_type all[TYPES];
    mica_type foreign;
    mica_type_set few, many; // numbers 1, 2, 5, 100; 2, 5, 255, 256, 599
} stage;

static const uint32_t few[] = {1, 2, 5, 100}, many[] = {2, 5, 255, 256, 599};

static void fill(stage *s, mica_type_set *set, const uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        CHECK_EQUAL(MICA_OK, mica_type_set_add(s->world, set, s->all[numbers[i]]));
    }
}

static mica_world *begin(stage *s)
{
    static const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_SPLIT, MICA_RING};
    s->world = test_world_begin(&s->t);
    static const mica_field_info field = {.name = "value", .kind = MICA_KIND_F32};
    for (uint32_t i = 0; i < TYPES; i++) {
        char name[] = {'T', (char)('0' + i / 100), (char)('0' + i / 10 % 10), (char)('0' + i % 10),
                       0};
        mica_type_desc desc = {.name = name};
        if (i % 3 != 0) {
            desc.size = desc.align = 4;
            desc.fields = &field;
            desc.field_count = 1;
            desc.storage = storages[i % 4];
        }
        s->all[i] = mica_type_register(s->world, &desc);
    }
    mica_world *other = mica_world_new(NULL);
    s->foreign = MICA_TAG(other, Tag);
    mica_world_free(other);
    s->few = s->many = (mica_type_set){0};
    uint64_t allocations = s->t.memory.allocations;
    fill(s, &s->few, few, 4);
    CHECK_EQUAL(allocations, s->t.memory.allocations);
    fill(s, &s->many, many, 5);
    CHECK(s->t.memory.allocations > allocations);
    return s->world;
}

static void end(stage *s)
{
    mica_type_set_free(s->world, &s->few);
    mica_type_set_free(s->world, &s->many);
    test_world_end(&s->t);
}

// Exactly these numbers are in the set.
static bool is(stage *s, const mica_type_set *set, const uint32_t *numbers, uint32_t count)
{
    bool right = mica_type_set_count(set) == count;
    for (uint32_t i = 0; i < count; i++) {
        right = right && mica_type_set_has(s->world, set, s->all[numbers[i]]);
    }
    return right;
}

#define CHECK_IS(s, set, ...)                                                                      \
    CHECK(is(s, set, (const uint32_t[]){__VA_ARGS__},                                              \
             sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

PROMISE(mica_type_set_free)
{
    // [set.free]: always right, also twice
    stage s;
    mica_world *world = begin(&s);
    size_t bytes = s.t.memory.bytes;
    mica_type_set_free(world, &s.many);
    CHECK(s.t.memory.bytes < bytes);
    CHECK_EQUAL(0, mica_type_set_count(&s.many));
    mica_type_set_free(world, &s.many);
    mica_type_set_free(world, &s.few);
    CHECK_EQUAL(0, mica_type_set_count(&s.few));
    mica_type_set_free(world, NULL);
    CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_OK, mica_type_set_add(world, &s.many, s.all[599]));
    CHECK_IS(&s, &s.many, 599);
    end(&s);
}

PROMISE(mica_type_set_add)
{
    stage s;
    mica_world *world = begin(&s);

    // [set.add]
    CHECK_EQUAL(MICA_OK, mica_type_set_add(world, &s.few, s.all[3]));
    CHECK_IS(&s, &s.few, 1, 2, 3, 5, 100);
    CHECK_EQUAL(MICA_OK, mica_type_set_add(world, &s.few, s.all[3]));
    CHECK_EQUAL(MICA_OK, mica_type_set_add(world, &s.few, s.all[511]));
    CHECK_IS(&s, &s.few, 1, 2, 3, 5, 100, 511);

    // Fails with MICA_ERROR_MEMORY at most, beside null pointers and foreign types, and leaves the target as it was
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_type_set_add(world, &s.few, s.foreign));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_type_set_add(world, &s.few, (mica_type){0}));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_add(world, NULL, s.all[1]));
    CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_add(NULL, &s.few, s.all[1]));
    CHECK_IS(&s, &s.few, 1, 2, 3, 5, 100, 511);
    mica_type_set empty = {0};
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_type_set_add(world, &empty, s.all[599]));
    CHECK_REPORTED(&s.t, MICA_ERROR_MEMORY);
    CHECK_EQUAL(0, mica_type_set_count(&empty));
    end(&s);
}

// S0.10
PROMISE(mica_type_set_add_list)
{
    stage s;
    mica_world *world = begin(&s);
    const mica_type list[] = {s.all[3], s.all[100], s.all[300], s.all[3]};

    // [set.add_list_any]
    CHECK_EQUAL(MICA_OK, mica_type_set_add_list(world, &s.few, NULL, 0));
    CHECK_IS(&s, &s.few, 1, 2, 5, 100);
    CHECK_EQUAL(MICA_OK, mica_type_set_add_list(world, &s.few, list, 4));

    // [set.add_list]
    CHECK_IS(&s, &s.few, 1, 2, 3, 5, 100, 300);
    const mica_type bad[] = {s.all[4], s.foreign}, none[] = {s.all[4], (mica_type){0}};
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_type_set_add_list(world, &s.few, bad, 2));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_type_set_add_list(world, &s.few, none, 2));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_add_list(world, &s.few, NULL, 1));
    CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_add_list(world, NULL, list, 4));
    CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_add_list(NULL, &s.few, list, 4));
    CHECK_IS(&s, &s.few, 1, 2, 3, 5, 100, 300);
    mica_type_set empty = {0};
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_type_set_add_list(world, &empty, list, 4));
    CHECK_REPORTED(&s.t, MICA_ERROR_MEMORY);
    CHECK_EQUAL(0, mica_type_set_count(&empty));
    end(&s);
}

PROMISE(mica_type_set_remove)
{
    // [set.add]: without the type
    stage s;
    mica_world *world = begin(&s);
    CHECK_EQUAL(MICA_OK, mica_type_set_remove(world, &s.many, s.all[599]));
    CHECK_EQUAL(MICA_OK, mica_type_set_remove(world, &s.many, s.all[2]));
    CHECK_EQUAL(MICA_OK, mica_type_set_remove(world, &s.many, s.all[7]));
    CHECK_IS(&s, &s.many, 5, 255, 256);
    CHECK_EQUAL(MICA_OK, mica_type_set_remove(world, &s.few, s.all[599]));
    CHECK_IS(&s, &s.few, 1, 2, 5, 100);
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_type_set_remove(world, &s.few, s.foreign));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_remove(world, NULL, s.all[1]));
    CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_remove(NULL, &s.few, s.all[1]));
    CHECK_IS(&s, &s.few, 1, 2, 5, 100);
    end(&s);
}

PROMISE(mica_type_set_copy)
{
    // [set.join]: a copy; [set.target]
    stage s;
    mica_world *world = begin(&s);
    mica_type_set copy = {0};
    CHECK_EQUAL(MICA_OK, mica_type_set_copy(world, &copy, &s.many));
    CHECK_IS(&s, &copy, 2, 5, 255, 256, 599);
    CHECK_EQUAL(MICA_OK, mica_type_set_copy(world, &copy, &copy));
    CHECK_IS(&s, &copy, 2, 5, 255, 256, 599);
    mica_type_set_remove(world, &copy, s.all[599]);
    CHECK_IS(&s, &s.many, 2, 5, 255, 256, 599);
    CHECK_EQUAL(MICA_OK, mica_type_set_copy(world, &copy, &s.few));
    CHECK_IS(&s, &copy, 1, 2, 5, 100);
    CHECK(mica_type_set_equal(&copy, &s.few));
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONCE);
    mica_type_set empty = {0};
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_type_set_copy(world, &empty, &s.many));
    CHECK_REPORTED(&s.t, MICA_ERROR_MEMORY);
    CHECK_EQUAL(0, mica_type_set_count(&empty));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_copy(world, NULL, &s.many));
    CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_copy(world, &copy, NULL));
    CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_copy(NULL, &copy, &s.many));
    CHECK_IS(&s, &copy, 1, 2, 5, 100);
    mica_type_set_free(world, &copy);
    end(&s);
}

typedef mica_result combine(mica_world *, mica_type_set *, const mica_type_set *,
                            const mica_type_set *);

// What of two sets is in the combination, in all the ways the target may be one of them.
static void check_combination(combine *call, const uint32_t *ab, uint32_t ab_count,
                              const uint32_t *ba, uint32_t ba_count)
{
    stage s;
    mica_world *world = begin(&s);
    mica_type_set target = {0};
    CHECK_EQUAL(MICA_OK, call(world, &target, &s.few, &s.many));
    CHECK(is(&s, &target, ab, ab_count));
    CHECK_EQUAL(MICA_OK, call(world, &target, &s.many, &s.few));
    CHECK(is(&s, &target, ba, ba_count));
    CHECK(is(&s, &s.few, few, 4) && is(&s, &s.many, many, 5));

    mica_type_set_copy(world, &target, &s.few);
    CHECK_EQUAL(MICA_OK, call(world, &target, &target, &s.many));
    CHECK(is(&s, &target, ab, ab_count));
    mica_type_set_copy(world, &target, &s.few);
    CHECK_EQUAL(MICA_OK, call(world, &target, &s.many, &target));
    CHECK(is(&s, &target, ba, ba_count));
    mica_type_set_copy(world, &target, &s.many);
    CHECK_EQUAL(MICA_OK, call(world, &target, &s.few, &target));
    CHECK(is(&s, &target, ab, ab_count));

    // Failures leave the target as it was
    mica_type_set_copy(world, &target, &s.few);
    CHECK_EQUAL(MICA_ERROR_NULL, call(world, NULL, &s.few, &s.many));
    CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_ERROR_NULL, call(world, &target, NULL, &s.many));
    CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_ERROR_NULL, call(world, &target, &s.many, NULL));
    CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_ERROR_NULL, call(NULL, &target, &s.few, &s.many));
    CHECK(is(&s, &target, few, 4));
    mica_type_set_free(world, &target);
    mica_type_set_add(world, &target, s.all[7]);
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONCE);
    mica_result result = call(world, &target, &s.many, &s.many);
    if (s.t.memory.refusals > 0) {
        CHECK_EQUAL(MICA_ERROR_MEMORY, result);
        CHECK_REPORTED(&s.t, MICA_ERROR_MEMORY);
        CHECK_IS(&s, &target, 7);
    }
    test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
    mica_type_set_free(world, &target);
    end(&s);
}

PROMISE(mica_type_set_union)
{
    // [set.join]: union
    const uint32_t either[] = {1, 2, 5, 100, 255, 256, 599};
    check_combination(mica_type_set_union, either, 7, either, 7);
}

PROMISE(mica_type_set_intersection)
{
    // [set.join]: intersection
    const uint32_t both[] = {2, 5};
    check_combination(mica_type_set_intersection, both, 2, both, 2);
}

PROMISE(mica_type_set_difference)
{
    // [set.join]: difference
    check_combination(mica_type_set_difference, (const uint32_t[]){1, 100}, 2,
                      (const uint32_t[]){255, 256, 599}, 3);
}

PROMISE(mica_type_set_has)
{
    stage s;
    mica_world *world = begin(&s);

    // [set.has]
    CHECK(mica_type_set_has(world, &s.many, s.all[599]));
    CHECK(!mica_type_set_has(world, &s.many, s.all[598]));
    CHECK(!mica_type_set_has(world, &s.few, s.all[599]));

    // [set.null]
    CHECK(!mica_type_set_has(world, NULL, s.all[1]));
    CHECK(!mica_type_set_has(world, &s.few, s.foreign));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK(!mica_type_set_has(world, &s.few, (mica_type){0}));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK(!mica_type_set_has(world, NULL, s.foreign));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK(!mica_type_set_has(NULL, &s.few, s.all[1]));
    end(&s);
}

PROMISE(mica_type_set_contains)
{
    stage s;
    mica_world *world = begin(&s);
    mica_type_set part = {0}, empty = {0};
    mica_type_set_add(world, &part, s.all[5]);

    // [set.contains]
    CHECK(mica_type_set_contains(&s.few, &part) && mica_type_set_contains(&s.many, &part));
    CHECK(!mica_type_set_contains(&part, &s.few) && !mica_type_set_contains(&s.few, &s.many));
    CHECK(mica_type_set_contains(&s.many, &s.many));
    mica_type_set_add(world, &part, s.all[599]);
    CHECK(mica_type_set_contains(&s.many, &part) && !mica_type_set_contains(&s.few, &part));
    mica_type_set_remove(world, &part, s.all[599]); // it has room further on, and nothing in it
    CHECK(mica_type_set_contains(&s.few, &part));
    CHECK(mica_type_set_contains(&s.few, &empty) && mica_type_set_contains(&s.few, NULL));
    CHECK(mica_type_set_contains(NULL, NULL) && mica_type_set_contains(NULL, &empty));
    CHECK(!mica_type_set_contains(NULL, &part));
    mica_type_set_free(world, &part);
    end(&s);
}

PROMISE(mica_type_set_overlaps)
{
    stage s;
    mica_world *world = begin(&s);
    mica_type_set other = {0};
    mica_type_set_add(world, &other, s.all[256]);

    // [set.overlaps]
    CHECK(mica_type_set_overlaps(&s.few, &s.many) && mica_type_set_overlaps(&s.many, &s.few));
    CHECK(mica_type_set_overlaps(&other, &s.many) && mica_type_set_overlaps(&s.many, &other));
    CHECK(!mica_type_set_overlaps(&other, &s.few) && !mica_type_set_overlaps(&s.few, &other));
    CHECK(!mica_type_set_overlaps(NULL, &s.few) && !mica_type_set_overlaps(&s.few, NULL));
    CHECK(!mica_type_set_overlaps(NULL, NULL));
    mica_type_set_free(world, &other);
    end(&s);
}

PROMISE(mica_type_set_equal)
{
    stage s;
    mica_world *world = begin(&s);
    mica_type_set other = {0}, empty = {0};

    // [set.equal]
    mica_type_set_copy(world, &other, &s.many);
    CHECK(mica_type_set_equal(&other, &s.many));
    mica_type_set_remove(world, &other, s.all[599]);
    CHECK(!mica_type_set_equal(&other, &s.many));
    mica_type_set_difference(world, &other, &other, &s.many);
    CHECK(mica_type_set_equal(&other, &empty) && mica_type_set_equal(&empty, &other));
    CHECK(mica_type_set_equal(NULL, &empty) && mica_type_set_equal(&other, NULL));
    CHECK(mica_type_set_equal(NULL, NULL) && !mica_type_set_equal(NULL, &s.few));
    mica_type_set_free(world, &other);
    end(&s);
}

PROMISE(mica_type_set_count)
{
    // [set.count]
    stage s;
    begin(&s);
    CHECK_EQUAL(4, mica_type_set_count(&s.few));
    CHECK_EQUAL(5, mica_type_set_count(&s.many));
    CHECK_EQUAL(0, mica_type_set_count(NULL));
    CHECK_EQUAL(0, mica_type_set_count(&(mica_type_set){0}));
    end(&s);
}

PROMISE(mica_type_set_next)
{
    // [set.next]
    stage s;
    mica_world *world = begin(&s);
    mica_type at = (mica_type){0};
    for (uint32_t i = 0; i < 5; i++) {
        at = mica_type_set_next(world, &s.many, at);
        CHECK(MICA_EQUAL(s.all[many[i]], at));
    }
    CHECK(MICA_IS_NONE(mica_type_set_next(world, &s.many, at)));
    CHECK(MICA_EQUAL(s.all[255], mica_type_set_next(world, &s.many, s.all[77])));
    CHECK(MICA_IS_NONE(mica_type_set_next(world, &s.few, s.all[599])));
    CHECK(MICA_IS_NONE(mica_type_set_next(world, NULL, (mica_type){0})));
    CHECK(MICA_IS_NONE(mica_type_set_next(world, &s.many, s.foreign)));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK(MICA_IS_NONE(mica_type_set_next(NULL, &s.many, (mica_type){0})));

    // The components of a facet are those it was given, and no others
    mica_entity facet =
        mica_facet_add(world, mica_spawn_values(world, NULL, 0), s.all[0], 1, MICA_ADD(s.all[4]));
    mica_type_set set = {0};
    mica_entity_types(world, facet, &set);
    at = mica_type_set_next(world, &set, (mica_type){0});
    CHECK(MICA_EQUAL(s.all[4], at));
    CHECK(MICA_IS_NONE(mica_type_set_next(world, &set, at)));
    end(&s);
}

// Somebody with all types of a set, and the number of the table that has the row.
static uint32_t find_table(stage *s, const mica_type_set *set)
{
    mica_entity entity = mica_spawn_values(s->world, NULL, 0);
    for (mica_type at = mica_type_set_next(s->world, set, (mica_type){0}); !MICA_IS_NONE(at);
         at = mica_type_set_next(s->world, set, at)) {
        CHECK_EQUAL(MICA_OK, mica_add(s->world, entity, at));
    }
    mica_table_info info = {0};
    uint32_t table = 0;
    while (mica_table_get_info(s->world, table, &info) && info.rows == 0) {
        table++;
    }
    CHECK_EQUAL(1, info.rows);
    return table;
}

// S0.10
PROMISE(mica_type_set_list)
{
    // [set.list]
    stage s;
    mica_world *world = begin(&s);
    mica_type list[8] = {{0}};
    CHECK_EQUAL(5, mica_type_set_list(world, &s.many, list, 8));
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(MICA_EQUAL(s.all[many[i]], list[i]));
    }
    CHECK(MICA_IS_NONE(list[5]));
    mica_type_set again = {0};
    CHECK_EQUAL(MICA_OK, mica_type_set_add_list(world, &again, list, 5));
    CHECK(mica_type_set_equal(&again, &s.many));
    mica_type_set_free(world, &again);

    // [set.list]: wherever a list goes
    mica_bundle bundle = mica_bundle_new(world, list, mica_type_set_list(world, &s.few, list, 8));
    mica_entity e = mica_spawn_bundle(world, bundle, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_entity_types(world, e, &again));
    CHECK(mica_type_set_equal(&again, &s.few));

    // [set.list_count]
    mica_type two[3] = {{0}};
    CHECK_EQUAL(5, mica_type_set_list(world, &s.many, two, 2));
    CHECK(MICA_EQUAL(s.all[5], two[1]) && MICA_IS_NONE(two[2]));
    CHECK_EQUAL(5, mica_type_set_list(world, &s.many, NULL, 0));
    CHECK_EQUAL(0, mica_type_set_list(world, &(mica_type_set){0}, NULL, 0));
    CHECK_EQUAL(0, mica_type_set_list(world, NULL, two, 2));

    // [set.list_fail]
    CHECK_EQUAL(0, mica_type_set_list(world, &s.few, NULL, 1));
    CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
    CHECK_EQUAL(0, mica_type_set_list(NULL, &s.few, two, 2));
    end(&s);
}

PROMISE(mica_type_set_column_count)
{
    // [set.columns]: how many
    stage s;
    mica_world *world = begin(&s);
    CHECK_EQUAL(0, mica_type_set_column_count(world, NULL));
    CHECK_EQUAL(0, mica_type_set_column_count(world, &(mica_type_set){0}));
    CHECK_EQUAL(0, mica_type_set_column_count(NULL, &s.few));
    const mica_type_set *sets[] = {&s.few, &s.many};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t table = find_table(&s, sets[i]), columns = 0;
        mica_column_info column;
        for (uint32_t c = 0; mica_column_get_info(world, table, c, &column); c++) {
            columns += mica_type_get_info(world, column.type)->size > 0;
        }
        CHECK_EQUAL(columns, mica_type_set_column_count(world, sets[i]));
        CHECK(columns > 0 && columns < mica_type_set_count(sets[i]));
        mica_world_clear(world);
    }
    end(&s);
}

PROMISE(mica_type_set_column)
{
    // [set.columns]: which; [set.no_column]
    stage s;
    mica_world *world = begin(&s);
    uint32_t table = find_table(&s, &s.many);
    mica_column_info column;
    int32_t expected = 0;
    for (uint32_t c = 0; mica_column_get_info(world, table, c, &column); c++) {
        bool tag = mica_type_get_info(world, column.type)->size == 0;
        CHECK_EQUAL(tag ? -1 : expected, mica_type_set_column(world, &s.many, column.type));
        expected += !tag;
    }
    CHECK_EQUAL(-1, mica_type_set_column(world, &s.few, s.all[1]));    // sparse
    CHECK_EQUAL(-1, mica_type_set_column(world, &s.few, s.all[4]));    // not in it
    CHECK_EQUAL(-1, mica_type_set_column(world, &s.many, s.all[255])); // a tag
    CHECK_EQUAL(-1, mica_type_set_column(world, NULL, s.all[2]));
    CHECK_EQUAL(-1, mica_type_set_column(world, &s.many, s.foreign));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK_EQUAL(-1, mica_type_set_column(NULL, &s.many, s.all[2]));

    // Another storage, another number
    int32_t before = mica_type_set_column(world, &s.few, s.all[100]);
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, s.all[1], MICA_TABLE));
    CHECK_EQUAL(0, mica_type_set_column(world, &s.few, s.all[1]));
    CHECK_EQUAL(before + 1, mica_type_set_column(world, &s.few, s.all[100]));
    end(&s);
}

TESTS(type_set, promise_of_mica_type_set_free, promise_of_mica_type_set_add,
      promise_of_mica_type_set_add_list, promise_of_mica_type_set_list,
      promise_of_mica_type_set_remove, promise_of_mica_type_set_copy,
      promise_of_mica_type_set_union, promise_of_mica_type_set_intersection,
      promise_of_mica_type_set_difference, promise_of_mica_type_set_has,
      promise_of_mica_type_set_contains, promise_of_mica_type_set_overlaps,
      promise_of_mica_type_set_equal, promise_of_mica_type_set_count, promise_of_mica_type_set_next,
      promise_of_mica_type_set_column_count, promise_of_mica_type_set_column)
