// Sets of types, terms, pieces, fields and pools whose size is around a full word of 64 bits.
#include "boundary/boundary.h"

#include <stdlib.h>
#include <string.h>

static void sets_of_types_have_what_was_added(void)
{
    enum { MOST = 260 }; // a set keeps 256 bits in itself
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type types[MOST];
    register_types(world, types, 0, MOST, MICA_TABLE);
    const uint32_t counts[] = {63, 64, 65, 127, 128, 129, 255, 256, 257, 260};
    for (uint32_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        mica_type_set set = {0};
        mica_type_set last = {0};
        for (uint32_t i = 0; i < counts[c]; i++) {
            REQUIRE_EQUAL(MICA_OK, mica_type_set_add(world, &set, types[i]));
        }
        CHECK_EQUAL(counts[c], mica_type_set_count(&set));
        CHECK(mica_type_set_has(world, &set, types[counts[c] - 1]));
        CHECK(counts[c] == MOST || !mica_type_set_has(world, &set, types[counts[c]]));
        REQUIRE_EQUAL(MICA_OK, mica_type_set_add(world, &last, types[counts[c] - 1]));
        CHECK(mica_type_set_contains(&set, &last) && mica_type_set_overlaps(&set, &last));
        REQUIRE_EQUAL(MICA_OK, mica_type_set_difference(world, &set, &set, &last));
        CHECK_EQUAL(counts[c] - 1, mica_type_set_count(&set));
        CHECK(!mica_type_set_overlaps(&set, &last));
        mica_type seen = (mica_type){0};
        uint32_t count = 0;
        while (!MICA_IS_NONE(seen = mica_type_set_next(world, &set, seen))) {
            CHECK_EQUAL(types[count].bits, seen.bits);
            count++;
        }
        CHECK_EQUAL(counts[c] - 1, count);
        mica_type_set_free(world, &set);
        mica_type_set_free(world, &last);
    }
    test_world_end(&t);
}

// An entity that gets components one by one, has each value, and loses them from the other end.
static void entities_have_as_many_components(void)
{
    const mica_storage storages[] = {MICA_TABLE, MICA_RING, MICA_SPARSE};
    for (uint32_t s = 0; s < sizeof storages / sizeof *storages; s++) {
        test_world t;
        mica_world *world = test_world_begin(&t);
        mica_type types[BOUNDARY_MOST];
        register_types(world, types, 0, BOUNDARY_MOST, storages[s]);
        EACH_COUNT(n)
        {
            mica_entity entity = mica_spawn_values(world, NULL, 0);
            for (uint32_t i = 0; i < n; i++) {
                uint32_t value = i * 3;
                REQUIRE_EQUAL(MICA_OK, mica_set_value(world, entity, types[i], &value, 4));
            }
            mica_entity clone = mica_clone(world, entity);
            for (uint32_t i = 0; i < n; i++) {
                CHECK_EQUAL(i * 3, *MICA_GET(world, entity, types[i], uint32_t));
                CHECK_EQUAL(i * 3, *MICA_GET(world, clone, types[i], uint32_t));
            }
            CHECK(n == BOUNDARY_MOST || !mica_has(world, clone, types[n]));
            CHECK_VALID(world);
            REQUIRE_EQUAL(MICA_OK, mica_change(world, clone, NULL, 0, types, n - 1));
            CHECK(mica_has(world, clone, types[n - 1]) &&
                  (n == 1 || !mica_has(world, clone, types[0])));
            REQUIRE_EQUAL(MICA_OK, mica_despawn(world, entity));
            REQUIRE_EQUAL(MICA_OK, mica_despawn(world, clone));
        }
        test_world_end(&t);
    }
}

// A query of so many terms; entities that lack the last of them do not match.
static void queries_have_as_many_terms(void)
{
    const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE};
    const uint32_t counts[] = {32, 33, 63, 64};
    for (uint32_t c = 0; c < 8; c++) {
        uint32_t n = counts[c % 4];
        test_world t;
        mica_world *world = test_world_begin(&t);
        mica_type types[MICA_TERMS_MAX + 1];
        mica_term terms[MICA_TERMS_MAX + 1];
        register_types(world, types, 0, MICA_TERMS_MAX + 1, storages[c / 4]);
        for (uint32_t i = 0; i <= MICA_TERMS_MAX; i++) {
            terms[i] = (mica_term){types[i], i % 2 ? MICA_READ : MICA_WRITE};
        }
        mica_query query =
            mica_query_new(world, &(mica_query_desc){.more_terms = terms, .more_count = n});
        mica_entity all = mica_spawn_values(world, NULL, 0);
        mica_entity fewer = mica_spawn_values(world, NULL, 0);
        REQUIRE_EQUAL(MICA_OK, test_add_types(world, all, types, n));
        REQUIRE_EQUAL(MICA_OK, test_add_types(world, fewer, types, n - 1));
        mica_iter it;
        uint32_t rows = 0;
        REQUIRE_EQUAL(MICA_OK, mica_iter_begin(world, query, &it));
        while (mica_iter_next(&it)) {
            rows += it.count;
            CHECK_EQUAL(all.bits, it.entities[0].bits);
            CHECK(mica_read(&it, n - 1) != NULL);
        }
        CHECK_EQUAL(1, rows);
        CHECK_VALID(world);
        CHECK(MICA_IS_NONE(mica_query_new(
            world, &(mica_query_desc){.more_terms = terms, .more_count = MICA_TERMS_MAX + 1})));
        CHECK_EQUAL(1, test_error_clear(&t.error));
        test_world_end(&t);
    }
}

// The only term that must be met is the last; all others are optional, or one of several.
static void the_last_of_many_terms_is_read_where_it_is_there(void)
{
    const mica_access accesses[] = {MICA_OPTIONAL, MICA_ANY};
    const uint32_t counts[] = {63, 64};
    for (uint32_t c = 0; c < 4; c++) {
        uint32_t n = counts[c % 2];
        test_world t;
        mica_world *world = test_world_begin(&t);
        mica_type types[MICA_TERMS_MAX];
        mica_term terms[MICA_TERMS_MAX];
        register_types(world, types, 0, 40, MICA_TABLE);
        register_types(world, types + 40, 40, MICA_TERMS_MAX - 40, MICA_SPARSE);
        for (uint32_t i = 0; i < n; i++) {
            terms[i] = (mica_term){types[i], accesses[c / 2]};
        }
        uint32_t value = 9;
        mica_entity entity = mica_spawn(world, MICA_COPY_OF(types[n - 1], value));
        mica_query query =
            mica_query_new(world, &(mica_query_desc){.more_terms = terms, .more_count = n});
        mica_iter it;
        uint32_t rows = 0;
        REQUIRE_EQUAL(MICA_OK, mica_iter_begin(world, query, &it));
        while (mica_iter_next(&it)) {
            rows += it.count;
            const uint32_t *last = mica_read(&it, n - 1);
            CHECK(last && *last == 9);
            CHECK_POINTER(NULL, mica_read(&it, n - 2));
            CHECK_EQUAL(entity.bits, it.entities[0].bits);
        }
        CHECK_EQUAL(1, rows);
        CHECK_VALID(world);
        test_world_end(&t);
    }
}

// A split component of so many pieces, with and without strips for its toggle and its row stamps.
static void check_pieces(uint32_t n, bool toggle, bool row_stamps)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    uint32_t *value = calloc(n, sizeof *value);
    uint32_t *seen = calloc(n, sizeof *seen);
    REQUIRE(value && seen);
    mica_field_info field = {
        .name = "m", .kind = MICA_KIND_U32, .count = n, .strips = MICA_STRIPS_EACH};
    mica_type type = mica_type_register(world, &(mica_type_desc){.name = "Split",
                                                                 .size = 4 * n,
                                                                 .align = 4,
                                                                 .fields = &field,
                                                                 .field_count = 1,
                                                                 .toggle = toggle,
                                                                 .row_stamps = row_stamps,
                                                                 .storage = MICA_SPLIT});
    REQUIRE(!MICA_IS_NONE(type));
    mica_entity entities[3];
    for (uint32_t e = 0; e < 3; e++) {
        for (uint32_t i = 0; i < n; i++) {
            value[i] = e * 10000 + i;
        }
        entities[e] = mica_spawn_values(world, NULL, 0);
        REQUIRE_EQUAL(MICA_OK, mica_set_value(world, entities[e], type, value, 4 * n));
    }
    CHECK_VALID(world);
    CHECK(!toggle || mica_disable(world, entities[1], type) == MICA_OK);
    REQUIRE_EQUAL(MICA_OK, mica_despawn(world, entities[0]));
    REQUIRE(mica_load(world, entities[2], type, seen, 4 * n));
    CHECK_BYTES(value, seen, 4 * n);
    CHECK_EQUAL(!toggle, mica_is_enabled(world, entities[1], type));
    CHECK_VALID(world);
    free(value);
    free(seen);
    test_world_end(&t);
}

static void split_components_have_as_many_pieces(void)
{
    const uint32_t counts[] = {1, 60, 61, 62, 63, 64, 65, 127, 128, 129, MICA_STRIPS_MAX};
    for (uint32_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (uint32_t with = 0; with < 4; with++) {
            check_pieces(counts[c], with & 1, with & 2);
        }
    }
}

// A type of so many fields, through an image and back.
static void check_fields(uint32_t n, mica_image_format format)
{
    mica_field_info *fields = calloc(n, sizeof *fields);
    char(*names)[12] = calloc(n, sizeof *names);
    uint32_t *value = calloc(n, sizeof *value);
    uint32_t *seen = calloc(n, sizeof *seen);
    REQUIRE(fields && names && value && seen);
    for (uint32_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "f%u", (unsigned)i);
        fields[i] = (mica_field_info){
            .name = names[i], .kind = MICA_KIND_U32, .offset = 4 * i, .size = 4, .count = 1};
        value[i] = i + 1;
    }
    const mica_type_desc desc = {
        .name = "Wide", .size = 4 * n, .align = 4, .fields = fields, .field_count = n};
    mica_buffer image = {0};
    test_world from;
    mica_world *world = test_world_begin(&from);
    mica_entity entity = mica_spawn_values(world, NULL, 0);
    mica_type type = mica_type_register(world, &desc);
    REQUIRE_EQUAL(MICA_OK, mica_set_value(world, entity, type, value, 4 * n));
    REQUIRE_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.buffer = &image},
                                           &(mica_save_desc){.format = format}));
    test_world to;
    mica_world *loaded = test_world_begin(&to);
    type = mica_type_register(loaded, &desc);
    REQUIRE_EQUAL(MICA_OK, mica_world_load(loaded, &(mica_stream){.buffer = &image}, NULL));
    REQUIRE(mica_load(loaded, entity, type, seen, 4 * n));
    CHECK_BYTES(value, seen, 4 * n);
    CHECK_VALID(loaded);
    mica_buffer_free(&image);
    test_world_end(&from);
    test_world_end(&to);
    free(fields);
    free(names);
    free(value);
    free(seen);
}

static void types_have_as_many_fields(void)
{
    EACH_COUNT(n)
    {
        check_fields(n, MICA_IMAGE_BINARY);
        check_fields(n, MICA_IMAGE_JSON);
    }
    check_fields(MICA_FIELDS_MAX, MICA_IMAGE_BINARY);
}

// Pools are numbered, and an entity has a bit for each. Beyond 63 words, words share a bit that says where
// to look: types around that number, too.
static void sparse_components_are_found_by_their_number(void)
{
    enum { MOST = 64 * 64 + 130 };
    const uint32_t numbers[] = {0,    1,    62,   63,   64,   65,   127,  128,  129,  4030,    4031,
                                4032, 4033, 4094, 4095, 4096, 4097, 4159, 4160, 4161, MOST - 1};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type *types = calloc(MOST, sizeof *types);
    REQUIRE(types != NULL);
    register_types(world, types, 0, MOST, MICA_SPARSE);
    mica_entity all = mica_spawn_values(world, NULL, 0);
    for (uint32_t k = 0; k < NUMBERS; k++) {
        mica_entity one = mica_spawn_values(world, NULL, 0);
        REQUIRE_EQUAL(MICA_OK, mica_set_value(world, one, types[numbers[k]], &numbers[k], 4));
        REQUIRE_EQUAL(MICA_OK, mica_set_value(world, all, types[numbers[k]], &numbers[k], 4));
    }
    for (uint32_t k = 0; k < NUMBERS; k++) {
        mica_query query =
            mica_query_new(world, &(mica_query_desc){.terms = {{types[numbers[k]], MICA_READ},
                                                               {types[2], MICA_OPTIONAL}}});
        CHECK_EQUAL(2, count_rows(world, query));
        CHECK_EQUAL(numbers[k], *MICA_GET(world, all, types[numbers[k]], uint32_t));
        CHECK(k == 0 || !mica_has(world, all, types[numbers[k - 1] + 1]) ||
              numbers[k - 1] + 1 == numbers[k]);
    }
    CHECK_VALID(world);
    mica_type_set set = {0};
    REQUIRE_EQUAL(MICA_OK, mica_entity_types(world, all, &set));
    CHECK_EQUAL(NUMBERS, mica_type_set_count(&set));
    mica_type_set_free(world, &set);
    REQUIRE_EQUAL(MICA_OK, mica_despawn(world, all));
    CHECK_VALID(world);
    free(types);
    test_world_end(&t);
}

// A group of the last pool of one word and the first of the next.
TEST_WITH(test_world, t, groups_reach_over_words_of_pools)
{
    mica_world *world = t->world;
    mica_type types[BOUNDARY_MOST];
    register_types(world, types, 0, BOUNDARY_MOST, MICA_SPARSE);
    const uint32_t firsts[] = {62, 64, 126};
    for (uint32_t k = 0; k < 3; k++) {
        const mica_type *pair = &types[firsts[k]];
        mica_group group = mica_group_new(world, &(mica_group_desc){.owned = {pair[0], pair[1]}});
        REQUIRE(!MICA_IS_NONE(group));
        for (uint32_t i = 0; i < 130; i++) {
            mica_entity entity = mica_spawn(world, MICA_ADD(pair[0]));
            if (i % 3 == 0) {
                REQUIRE_EQUAL(MICA_OK, mica_add(world, entity, pair[1]));
            }
        }
        CHECK_EQUAL(44, test_group_count(world, group));
        CHECK_VALID(world);
    }
}

static void as_many_resources_are_set_at_once(void)
{
    EACH_COUNT(n)
    {
        test_world t;
        mica_world *world = test_world_begin(&t);
        mica_type types[BOUNDARY_MOST];
        mica_value values[BOUNDARY_MOST];
        uint32_t data[BOUNDARY_MOST];
        register_types(world, types, 0, BOUNDARY_MOST, MICA_TABLE);
        for (uint32_t i = 0; i < n; i++) {
            data[i] = 5 * i;
            values[i] = MICA_COPY_OF(types[i], data[i]);
        }
        REQUIRE_EQUAL(MICA_OK, mica_resource_set_values(world, values, n));
        for (uint32_t i = 0; i < n; i++) {
            CHECK_EQUAL(5 * i, *(const uint32_t *)mica_resource_get(world, types[i]));
        }
        CHECK(n == BOUNDARY_MOST || !mica_resource_get(world, types[n]));
        CHECK_VALID(world);
        values[n - 1] = values[0];
        CHECK_EQUAL(n == 1 ? MICA_OK : MICA_ERROR_ARGUMENT,
                    mica_resource_set_values(world, values, n));
        test_error_clear(&t.error);
        test_world_end(&t);
    }
}

TESTS(sets, sets_of_types_have_what_was_added, entities_have_as_many_components,
      queries_have_as_many_terms, the_last_of_many_terms_is_read_where_it_is_there,
      split_components_have_as_many_pieces, types_have_as_many_fields,
      sparse_components_are_found_by_their_number, groups_reach_over_words_of_pools,
      as_many_resources_are_set_at_once)
