#include <mica/type_set.h>

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

// Every third type is a tag, so that columns and types are numbered differently.
enum { TYPES = 700, SETS = 6, TAG_EVERY = 3 };

static mica_type types[TYPES];

static void register_types(mica_world *world, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%u", (unsigned)i);
        bool is_tag = i % TAG_EVERY == 0;
        types[i] = mica_type_register(
            world,
            &(mica_type_desc){.name = name, .size = is_tag ? 0 : 4, .align = is_tag ? 0 : 4});
        REQUIRE(!MICA_IS_NONE(types[i]));
    }
}

static uint32_t next_random(uint64_t *seed, uint32_t below)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)(*seed >> 32) % below;
}

// The naive model of a set.
typedef struct model {
    bool has[TYPES];
} model;

static void compare_members(mica_world *world, const mica_type_set *set, const model *m)
{
    mica_type member = (mica_type){0};
    uint32_t count = 0;
    uint32_t columns = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        bool has_column = m->has[i] && i % TAG_EVERY != 0;
        REQUIRE_EQUAL(m->has[i], mica_type_set_has(world, set, types[i]));
        REQUIRE_EQUAL(has_column ? (int32_t)columns : -1,
                      mica_type_set_column(world, set, types[i]));
        if (m->has[i]) {
            member = mica_type_set_next(world, set, member);
            REQUIRE_EQUAL(types[i].bits, member.bits);
        }
        count += m->has[i];
        columns += has_column;
    }
    REQUIRE(MICA_IS_NONE(mica_type_set_next(world, set, member)));
    REQUIRE_EQUAL(count, mica_type_set_count(set));
    REQUIRE_EQUAL(columns, mica_type_set_column_count(world, set));
}

static void compare_pair(const mica_type_set *a, const mica_type_set *b, const model *ma,
                         const model *mb)
{
    bool contains = true;
    bool overlaps = false;
    for (uint32_t i = 0; i < TYPES; i++) {
        contains = contains && (!mb->has[i] || ma->has[i]);
        overlaps = overlaps || (ma->has[i] && mb->has[i]);
    }
    bool equal = memcmp(ma, mb, sizeof *ma) == 0;
    REQUIRE_EQUAL(contains, mica_type_set_contains(a, b));
    REQUIRE_EQUAL(overlaps, mica_type_set_overlaps(a, b));
    REQUIRE_EQUAL(equal, mica_type_set_equal(a, b));
}

typedef enum operation {
    ADD,
    REMOVE,
    COPY,
    UNION,
    INTERSECTION,
    DIFFERENCE,
    FREE,
    OPERATIONS
} operation;

static bool combine(operation op, bool a, bool b)
{
    switch (op) {
    case COPY: return a;
    case UNION: return a || b;
    case INTERSECTION: return a && b;
    case DIFFERENCE: return a && !b;
    default: return false;
    }
}

static void run_operation(mica_world *world, operation op, mica_type_set *sets, model *models,
                          uint64_t *seed)
{
    uint32_t target = next_random(seed, SETS);
    uint32_t a = next_random(seed, SETS);
    uint32_t b = next_random(seed, SETS);
    // Some sets stay small for long: the first two only get types that are held inline.
    uint32_t below = target < 2 ? 256 : TYPES;
    mica_result result = MICA_OK;
    switch (op) {
    case ADD:
    case REMOVE:
        for (int i = 0; i < 20 && !result; i++) {
            uint32_t type = next_random(seed, below);
            models[target].has[type] = op == ADD;
            result = op == ADD ? mica_type_set_add(world, &sets[target], types[type])
                               : mica_type_set_remove(world, &sets[target], types[type]);
        }
        REQUIRE_EQUAL(MICA_OK, result);
        return;
    case COPY: result = mica_type_set_copy(world, &sets[target], &sets[a]); break;
    case UNION: result = mica_type_set_union(world, &sets[target], &sets[a], &sets[b]); break;
    case INTERSECTION:
        result = mica_type_set_intersection(world, &sets[target], &sets[a], &sets[b]);
        break;
    case DIFFERENCE:
        result = mica_type_set_difference(world, &sets[target], &sets[a], &sets[b]);
        break;
    default: mica_type_set_free(world, &sets[target]); break;
    }
    REQUIRE_EQUAL(MICA_OK, result);
    model expected;
    for (uint32_t i = 0; i < TYPES; i++) {
        expected.has[i] = combine(op, models[a].has[i], models[b].has[i]);
    }
    models[target] = expected;
}

// S0.2
TEST_WITH(test_world, t, every_operation_agrees_with_a_naive_model)
{
    mica_world *world = t->world;
    register_types(world, TYPES);
    static model models[SETS];
    memset(models, 0, sizeof models);
    mica_type_set sets[SETS] = {0};
    uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
    for (int step = 0; step < 1500; step++) {
        // More adding than anything else, or all sets soon are empty.
        uint32_t choice = next_random(&seed, 2 * OPERATIONS);
        run_operation(world, choice < OPERATIONS ? (operation)choice : ADD, sets, models, &seed);
        uint32_t a = next_random(&seed, SETS);
        uint32_t b = next_random(&seed, SETS);
        compare_members(world, &sets[a], &models[a]);
        compare_pair(&sets[a], &sets[b], &models[a], &models[b]);
    }
    for (uint32_t i = 0; i < SETS; i++) {
        compare_members(world, &sets[i], &models[i]);
        for (uint32_t j = 0; j < SETS; j++) {
            compare_pair(&sets[i], &sets[j], &models[i], &models[j]);
        }
    }
    for (uint32_t i = 0; i < SETS; i++) {
        mica_type_set_free(world, &sets[i]);
    }
}

// S0.2
TEST_WITH(test_world, t, a_set_over_the_first_256_types_never_allocates)
{
    mica_world *world = t->world;
    register_types(world, 300);
    uint64_t allocations = mica_world_get_stats(world).memory.allocations;
    mica_type_set a = {0};
    mica_type_set b = {0};
    mica_type_set c = {0};
    for (uint32_t i = 0; i < 256; i++) {
        CHECK_EQUAL(MICA_OK, mica_type_set_add(world, i % 2 ? &a : &b, types[i]));
    }
    CHECK_EQUAL(MICA_OK, mica_type_set_union(world, &c, &a, &b));
    CHECK_EQUAL(256, mica_type_set_count(&c));
    CHECK_EQUAL(MICA_OK, mica_type_set_intersection(world, &c, &c, &a));
    CHECK(mica_type_set_equal(&c, &a));
    CHECK_EQUAL(MICA_OK, mica_type_set_difference(world, &c, &c, &a));
    CHECK_EQUAL(MICA_OK, mica_type_set_copy(world, &a, &b));
    CHECK_EQUAL(MICA_OK, mica_type_set_remove(world, &a, types[299]));
    CHECK_EQUAL(allocations, mica_world_get_stats(world).memory.allocations);

    CHECK_EQUAL(MICA_OK, mica_type_set_add(world, &a, types[256]));
    CHECK_EQUAL(allocations + 1, mica_world_get_stats(world).memory.allocations);
    // Made of one that has more.
    CHECK_EQUAL(MICA_OK, mica_type_set_intersection(world, &c, &a, &b));
    CHECK_EQUAL(MICA_OK, mica_type_set_difference(world, &c, &b, &a));
    CHECK_EQUAL(MICA_OK, mica_type_set_remove(world, &a, types[256]));
    CHECK_EQUAL(MICA_OK, mica_type_set_copy(world, &c, &a));
    CHECK(mica_type_set_equal(&c, &a));
    CHECK_EQUAL(allocations + 1, mica_world_get_stats(world).memory.allocations);
    mica_type_set_free(world, &a);
    mica_type_set_free(world, &a); // empty now: always right
    CHECK_EQUAL(0, mica_type_set_count(&a));
}

// S0.2
static void tags_have_no_column(void) // S0.4
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    register_types(world, 300);
    mica_type_set set = {0};
    const uint32_t numbers[] = {0, 1, 3, 4, 6, 7, 63, 64, 65, 258, 259};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        CHECK_EQUAL(MICA_OK, mica_type_set_add(world, &set, types[numbers[i]]));
    }
    CHECK_EQUAL(11, mica_type_set_count(&set));
    CHECK_EQUAL(6, mica_type_set_column_count(world, &set));
    CHECK_EQUAL(-1, mica_type_set_column(world, &set, types[0]));
    CHECK_EQUAL(0, mica_type_set_column(world, &set, types[1]));
    CHECK_EQUAL(-1, mica_type_set_column(world, &set, types[2])); // not in the set
    CHECK_EQUAL(1, mica_type_set_column(world, &set, types[4]));
    CHECK_EQUAL(2, mica_type_set_column(world, &set, types[7]));
    CHECK_EQUAL(-1, mica_type_set_column(world, &set, types[63]));
    CHECK_EQUAL(3, mica_type_set_column(world, &set, types[64]));
    CHECK_EQUAL(4, mica_type_set_column(world, &set, types[65]));
    CHECK_EQUAL(-1, mica_type_set_column(world, &set, types[258]));
    CHECK_EQUAL(5, mica_type_set_column(world, &set, types[259]));
    mica_type_set_free(world, &set);
    test_world_end(&t);
}

TEST_WITH(test_world, t, a_refused_operation_leaves_the_target_as_it_was)
{
    mica_world *world = t->world;
    register_types(world, 500);
    mica_type_set small = {0};
    mica_type_set large = {0};
    mica_type_set_add(world, &small, types[5]);
    mica_type_set_add(world, &large, types[499]);
    mica_type_set before = small;
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_type_set_add(world, &small, types[499]));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "mica_type_set_add: the allocator refused 32 bytes");
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_type_set_copy(world, &small, &large));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "mica_type_set_copy: the allocator refused 32 bytes");
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_type_set_union(world, &small, &small, &large));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "mica_type_set_union: the allocator refused 32 bytes");
    CHECK_BYTES(&before, &small, sizeof small);
    mica_type_set_free(world, &large);
}

TEST_WITH(test_world, t, nulls_are_reported_by_name)
{
    mica_world *world = t->world;
    register_types(world, 2);
    mica_type_set set = {0};
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_add(world, NULL, types[0]));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_set_add: set is null");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_remove(world, NULL, types[0]));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_set_remove: set is null");
    mica_type_set_free(world, NULL);
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_set_free: set is null");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_copy(world, NULL, &set));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_set_copy: target is null");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_copy(world, &set, NULL));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_set_copy: a source is null");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_union(world, NULL, &set, &set));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_set_union: target is null");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_union(world, &set, NULL, &set));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_set_union: a source is null");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_intersection(world, &set, &set, NULL));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_set_intersection: a source is null");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_difference(world, &set, NULL, NULL));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_set_difference: a source is null");
}

TEST_WITH(test_world, t, a_null_set_counts_as_empty_where_it_is_read)
{
    mica_world *world = t->world;
    register_types(world, 2);
    CHECK(!mica_type_set_has(world, NULL, types[1]));
    CHECK(MICA_IS_NONE(mica_type_set_next(world, NULL, (mica_type){0})));
    CHECK(MICA_IS_NONE(mica_type_set_next(world, NULL, types[0])));
    CHECK_EQUAL(0, mica_type_set_column_count(world, NULL));
    CHECK_EQUAL(-1, mica_type_set_column(world, NULL, types[1]));
    CHECK_EQUAL(0, mica_type_set_count(NULL));
    CHECK(mica_type_set_contains(NULL, NULL) && mica_type_set_equal(NULL, NULL));
    CHECK(!mica_type_set_overlaps(NULL, NULL));
}

// The type is refused with this ending by every function on sets that takes one.
static void check_refused(test_world *t, mica_type type, bool is_none)
{
    mica_world *world = t->world;
    mica_type_set set = {.words = {~UINT64_C(0)}};
    const mica_type_set before = set;
    static const char *const sentences[][2] = {
        {"mica_type_set_add: the component type is of another world, or no type at all",
         "mica_type_set_add: the component type is none; was it registered?"},
        {"mica_type_set_remove: the component type is of another world, or no type at all",
         "mica_type_set_remove: the component type is none; was it registered?"},
        {"mica_type_set_has: the component type is of another world, or no type at all",
         "mica_type_set_has: the component type is none; was it registered?"},
        {"mica_type_set_column: the component type is of another world, or no type at all",
         "mica_type_set_column: the component type is none; was it registered?"},
    };
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_type_set_add(world, &set, type));
    CHECK_ERROR(t, MICA_ERROR_TYPE, sentences[0][is_none]);
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_type_set_remove(world, &set, type));
    CHECK_ERROR(t, MICA_ERROR_TYPE, sentences[1][is_none]);
    CHECK(!mica_type_set_has(world, &set, type));
    CHECK_ERROR(t, MICA_ERROR_TYPE, sentences[2][is_none]);
    CHECK_EQUAL(-1, mica_type_set_column(world, &set, type));
    CHECK_ERROR(t, MICA_ERROR_TYPE, sentences[3][is_none]);
    if (!is_none) {
        CHECK(MICA_IS_NONE(mica_type_set_next(world, &set, type)));
        CHECK_ERROR(
            t, MICA_ERROR_TYPE,
            "mica_type_set_next: the component type is of another world, or no type at all");
    }
    CHECK_BYTES(&before, &set, sizeof set);
}

TEST_WITH(test_world, t, no_type_and_foreign_types_are_refused)
{
    mica_world *world = t->world;
    register_types(world, 70);
    test_world other;
    test_world_begin(&other);
    mica_type foreign = MICA_TAG(other.world, T0); // the same name and number
    check_refused(t, foreign, false);
    check_refused(t, (mica_type){0}, true);
    check_refused(t, (mica_type){UINT64_C(0xA5A5A5A5A5A5A5A5)}, false);
    check_refused(t, (mica_type){UINT64_MAX}, false);
    check_refused(t, (mica_type){types[0].bits + 1}, false);
    test_world_end(&other);
}

TEST_WITH(test_world, t, types_beyond_those_of_the_world_are_not_walked)
{
    mica_world *world = t->world;
    register_types(world, 2);
    mica_type_set set = {.words = {1u << 1 | 1u << 2}}; // of a world with more types
    mica_type type = mica_type_set_next(world, &set, (mica_type){0});
    CHECK_EQUAL(types[1].bits, type.bits);
    CHECK(MICA_IS_NONE(mica_type_set_next(world, &set, type)));
    CHECK_EQUAL(1, mica_type_set_column_count(world, &set));
}

TESTS(set, every_operation_agrees_with_a_naive_model,
      a_set_over_the_first_256_types_never_allocates, tags_have_no_column,
      a_refused_operation_leaves_the_target_as_it_was, nulls_are_reported_by_name,
      a_null_set_counts_as_empty_where_it_is_read, no_type_and_foreign_types_are_refused,
      types_beyond_those_of_the_world_are_not_walked)
