// Tests of base/map, the larger ones against an array of bool.
#include "base/map.h"

#include "base/hash.h"
#include "runner/host.h"
#include "runner/test.h"

#include <string.h>

// The thing numbered `value` has the key keys[value].
static bool has_key(const void *context, uint32_t value, const void *key)
{
    const uint32_t *keys = context;
    return keys[value] == *(const uint32_t *)key;
}

TEST_WITH(test_host, t, an_empty_map_finds_nothing)
{
    micai_host *host = &t->host;
    micai_map map = {0};
    uint32_t key = 1;
    CHECK_EQUAL(MICAI_MAP_NONE, micai_map_find(&map, 1, has_key, &key, &key));
    CHECK(!micai_map_remove(&map, 1, 1));
    micai_map_clear(&map);
    CHECK_EQUAL(MICA_OK, micai_map_validate(host, &map, UINT32_MAX));
    micai_map_free(host, &map);
    CHECK_EQUAL(0, t->memory.allocations);
}

TEST_WITH(test_host, t, keys_with_the_same_hash_are_reported_apart)
{
    micai_host *host = &t->host;
    micai_map map = {0};
    uint32_t keys[6] = {10, 11, 12, 13, 14, 15};
    REQUIRE(micai_map_reserve(host, &map, 6));
    for (uint32_t i = 0; i < 5; i++) {
        micai_map_insert(&map, 7, i);
    }
    for (uint32_t i = 0; i < 5; i++) {
        CHECK_EQUAL(i, micai_map_find(&map, 7, has_key, keys, &keys[i]));
    }
    CHECK_EQUAL(MICAI_MAP_NONE, micai_map_find(&map, 7, has_key, keys, &keys[5]));
    CHECK_EQUAL(MICAI_MAP_NONE, micai_map_find(&map, 15, has_key, keys, &keys[0]));
    CHECK_EQUAL(MICA_OK, micai_map_validate(host, &map, UINT32_MAX));
    micai_map_free(host, &map);
}

TEST_WITH(test_host, t, a_map_in_an_arena_has_the_room_it_was_opened_with)
{
    micai_host *host = &t->host;
    micai_arena arena = {0};
    static uint32_t keys[100];
    for (uint32_t count = 0; count <= 100; count += 10) {
        micai_map map;
        REQUIRE(micai_map_open(host, &arena, count, &map));
        for (uint32_t i = 0; i < count; i++) {
            keys[i] = 3 * i;
            micai_map_insert(&map, micai_hash_mix(keys[i]), i);
        }
        for (uint32_t i = 0; i < count; i++) {
            CHECK_EQUAL(i, micai_map_find(&map, micai_hash_mix(keys[i]), has_key, keys, &keys[i]));
        }
        CHECK_EQUAL(MICA_OK, micai_map_validate(host, &map, count));
    }
    micai_map map;
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONWARDS);
    CHECK(!micai_map_open(host, &arena, 1000000, &map));
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK(!micai_map_open(host, &arena, UINT32_MAX, &map));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "4294967295 entries are more than a map can hold");
    test_memory_fail_at(&t->memory, 0, TEST_MEMORY_ONCE);
    micai_arena_free(host, &arena);
}

static bool must_not_be_asked(const void *context, uint32_t value, const void *key)
{
    (void)context;
    (void)key;
    CHECK_EQUAL(MICAI_MAP_NONE, value);
    return true;
}

TEST_WITH(test_host, t, another_hash_is_not_even_compared)
{
    micai_host *host = &t->host;
    micai_map map = {0};
    REQUIRE(micai_map_reserve(host, &map, 1));
    micai_map_insert(&map, 3, 0);
    CHECK_EQUAL(MICAI_MAP_NONE, micai_map_find(&map, 3 + 8, must_not_be_asked, NULL, NULL));
    micai_map_free(host, &map);
}

TEST_WITH(test_host, t, room_is_reserved_up_to_three_quarters)
{
    micai_host *host = &t->host;
    micai_map map = {0};
    CHECK(micai_map_reserve(host, &map, 0));
    CHECK_EQUAL(0, map.capacity);
    CHECK(micai_map_reserve(host, &map, 1));
    CHECK_EQUAL(8, map.capacity);
    CHECK(micai_map_reserve(host, &map, 6));
    CHECK_EQUAL(8, map.capacity);
    for (uint32_t i = 0; i < 6; i++) {
        micai_map_insert(&map, micai_hash_mix(i), i);
    }
    CHECK(micai_map_reserve(host, &map, 0));
    CHECK_EQUAL(8, map.capacity);
    CHECK(micai_map_reserve(host, &map, 1));
    CHECK_EQUAL(16, map.capacity);
    CHECK(micai_map_reserve(host, &map, 91));
    CHECK_EQUAL(256, map.capacity);
    CHECK_EQUAL(256 * sizeof(micai_map_entry), t->memory.bytes);
    CHECK_EQUAL(6, map.count);
    CHECK_EQUAL(MICA_OK, micai_map_validate(host, &map, UINT32_MAX));
    micai_map_free(host, &map);
    CHECK_POINTER(NULL, map.entries);
    CHECK_EQUAL(0, map.count);
    CHECK_EQUAL(0, map.capacity);
}

TEST_WITH(test_host, t, a_cleared_map_keeps_its_room)
{
    micai_host *host = &t->host;
    micai_map map = {0};
    uint32_t keys[20];
    REQUIRE(micai_map_reserve(host, &map, 20));
    for (uint32_t i = 0; i < 20; i++) {
        keys[i] = i;
        micai_map_insert(&map, micai_hash_mix(i), i);
    }
    micai_map_clear(&map);
    CHECK_EQUAL(0, map.count);
    CHECK_EQUAL(MICA_OK, micai_map_validate(host, &map, UINT32_MAX));
    CHECK_EQUAL(MICAI_MAP_NONE, micai_map_find(&map, micai_hash_mix(3), has_key, keys, &keys[3]));
    CHECK(micai_map_reserve(host, &map, 20));
    CHECK_EQUAL(1, t->memory.allocations);
    micai_map_free(host, &map);
}

TEST_WITH(test_host, t, only_the_entry_with_that_hash_and_number_is_removed)
{
    micai_host *host = &t->host;
    micai_map map = {0};
    uint32_t keys[3] = {0, 1, 2};
    REQUIRE(micai_map_reserve(host, &map, 3));
    micai_map_insert(&map, 5, 0);
    micai_map_insert(&map, 5, 1);
    micai_map_insert(&map, 6, 2);
    CHECK(!micai_map_remove(&map, 5, 2));
    CHECK(!micai_map_remove(&map, 6, 0));
    CHECK(!micai_map_remove(&map, 5 + 8, 0));
    CHECK(!micai_map_remove(&map, 0, MICAI_MAP_NONE));
    CHECK_EQUAL(3, map.count);
    CHECK(micai_map_remove(&map, 5, 0));
    CHECK(!micai_map_remove(&map, 5, 0));
    CHECK_EQUAL(2, map.count);
    CHECK_EQUAL(1, micai_map_find(&map, 5, has_key, keys, &keys[1]));
    CHECK_EQUAL(2, micai_map_find(&map, 6, has_key, keys, &keys[2]));
    CHECK_EQUAL(MICA_OK, micai_map_validate(host, &map, UINT32_MAX));
    micai_map_free(host, &map);
}

// Every set of homes in a map of 8, including runs that wrap round its end; every entry removed.
TEST_WITH(test_host, t, removal_closes_every_gap_in_a_small_map)
{
    micai_host *host = &t->host;
    uint32_t keys[6] = {0, 1, 2, 3, 4, 5};
    for (uint32_t homes = 0; homes < 8 * 8 * 8 * 8; homes++) {
        for (uint32_t removed = 0; removed < 6; removed++) {
            micai_map map = {0};
            REQUIRE(micai_map_reserve(host, &map, 6));
            uint64_t hashes[6] = {homes & 7, homes >> 3 & 7, homes >> 6 & 7, homes >> 9, 7, 6};
            for (uint32_t i = 0; i < 6; i++) {
                micai_map_insert(&map, hashes[i], i);
            }
            REQUIRE_EQUAL(8, map.capacity);
            REQUIRE(micai_map_remove(&map, hashes[removed], removed));
            REQUIRE_EQUAL(MICA_OK, micai_map_validate(host, &map, UINT32_MAX));
            for (uint32_t i = 0; i < 6; i++) {
                REQUIRE_EQUAL(i == removed ? MICAI_MAP_NONE : i,
                              micai_map_find(&map, hashes[i], has_key, keys, &keys[i]));
            }
            micai_map_free(host, &map);
        }
    }
}

enum { THINGS = 400 };

// How hashes are made: well, all alike, few, or close to the end of the map.
static uint64_t hash_of(uint32_t value, int kind)
{
    switch (kind) {
    case 0: return micai_hash_mix(value);
    case 1: return 12345;
    case 2: return value % 7;
    case 3: return UINT32_MAX - value % 5;
    default: return (uint64_t)value << 32 | value % 64;
    }
}

static void check_all(micai_host *host, const micai_map *map, const uint32_t *keys,
                      const bool *present, int kind)
{
    REQUIRE_EQUAL(MICA_OK, micai_map_validate(host, map, UINT32_MAX));
    uint32_t count = 0;
    for (uint32_t i = 0; i < THINGS; i++) {
        REQUIRE_EQUAL(present[i] ? i : MICAI_MAP_NONE,
                      micai_map_find(map, hash_of(i, kind), has_key, keys, &keys[i]));
        count += present[i];
    }
    REQUIRE_EQUAL(count, map->count);
}

static void run_against_the_model(micai_host *host, int kind, uint64_t seed)
{
    micai_map map = {0};
    uint32_t keys[THINGS];
    bool present[THINGS] = {false};
    for (uint32_t i = 0; i < THINGS; i++) {
        keys[i] = i * 17 + 3;
    }
    for (uint32_t step = 0; step < 2000; step++) {
        uint64_t random = micai_hash_add(seed, step);
        uint32_t thing = (uint32_t)(random % THINGS);
        // Some hundreds of steps mostly insert, the next mostly remove.
        bool inserts = (random >> 32) % 4 != (step / 300 % 2 == 0 ? 0 : 1);
        inserts = step / 300 % 2 == 0 ? inserts : !inserts;
        if (!present[thing] && inserts) {
            REQUIRE(micai_map_reserve(host, &map, 1));
            micai_map_insert(&map, hash_of(thing, kind), thing);
            present[thing] = true;
        } else if (!inserts) {
            REQUIRE_EQUAL(present[thing], micai_map_remove(&map, hash_of(thing, kind), thing));
            present[thing] = false;
        }
        if (step % 20 == 0) {
            check_all(host, &map, keys, present, kind);
        }
    }
    check_all(host, &map, keys, present, kind);
    micai_map_free(host, &map);
}

TEST_WITH(test_host, t, random_operations_agree_with_the_model_for_good_and_bad_hashes)
{
    micai_host *host = &t->host;
    for (int kind = 0; kind < 5; kind++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            run_against_the_model(host, kind, seed);
        }
    }
}

TEST_WITH(test_host, t, a_refusal_is_reported_and_leaves_the_map_as_it_was)
{
    micai_host *host = &t->host;
    micai_map map = {0};
    uint32_t keys[6] = {0, 1, 2, 3, 4, 5};
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONCE);
    CHECK(!micai_map_reserve(host, &map, 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 64 bytes");
    CHECK_EQUAL(0, map.capacity);

    REQUIRE(micai_map_reserve(host, &map, 6));
    for (uint32_t i = 0; i < 6; i++) {
        micai_map_insert(&map, i, i);
    }
    micai_map before = map;
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONCE);
    CHECK(!micai_map_reserve(host, &map, 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "the allocator refused 128 bytes");
    CHECK_BYTES(&before, &map, sizeof map);
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_EQUAL(i, micai_map_find(&map, i, has_key, keys, &keys[i]));
    }
    CHECK_EQUAL(MICA_OK, micai_map_validate(host, &map, UINT32_MAX));
    micai_map_free(host, &map);
}

TEST_WITH(test_host, t, more_entries_than_a_map_can_hold_are_refused)
{
    micai_host *host = &t->host;
    micai_map map = {0};
    CHECK(!micai_map_reserve(host, &map, UINT32_MAX));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "4294967295 entries are more than a map can hold");
    CHECK(!micai_map_reserve(host, &map, 3 * (UINT32_C(1) << 29) + 1));
    CHECK_ERROR(t, MICA_ERROR_MEMORY, "1610612737 entries are more than a map can hold");
    // The most it can hold is more than the tests' memory has, or any on a machine of 32 bits.
    CHECK(!micai_map_reserve(host, &map, 3 * (UINT32_C(1) << 29)));
    CHECK_ERROR(t, MICA_ERROR_MEMORY,
                sizeof(size_t) > 4 ? "the allocator refused 17179869184 bytes"
                                   : "2147483648 items of 8 bytes are more than memory can hold");
    CHECK_EQUAL(0, map.capacity);
}

TEST_WITH(test_host, t, validate_names_what_is_broken)
{
    micai_host *host = &t->host;
    micai_map map = {0};
    REQUIRE(micai_map_reserve(host, &map, 6));
    micai_map_insert(&map, 2, 0);
    micai_map_insert(&map, 2, 1);
    micai_map_entry *entries = map.entries;

    map.count = 3;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_map_validate(host, &map, UINT32_MAX));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT,
                "invariant H1 is broken: a map of 2 entries counts 3, with room for 6");
    map.count = 2;
    map.capacity = 7;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_map_validate(host, &map, UINT32_MAX));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT, "invariant H1 is broken: a map has a capacity of 7");
    map.capacity = 8;

    CHECK_EQUAL(MICA_OK, micai_map_validate(host, &map, 2));
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_map_validate(host, &map, 1));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT,
                "invariant H3 is broken: entry 3 of a map leads to 1, beyond 1");

    // A free entry between the second and its home.
    entries[2].value = MICAI_MAP_NONE;
    map.count = 1;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_map_validate(host, &map, UINT32_MAX));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT,
                "invariant H2 is broken: entry 3 of a map is not reached from its home");

    // Too full.
    for (uint32_t i = 0; i < 7; i++) {
        entries[i] = (micai_map_entry){i, i};
    }
    map.count = 7;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_map_validate(host, &map, UINT32_MAX));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT,
                "invariant H1 is broken: a map of 7 entries counts 7, with room for 6");
    micai_map_free(host, &map);
}

TESTS(map, an_empty_map_finds_nothing, keys_with_the_same_hash_are_reported_apart,
      another_hash_is_not_even_compared, room_is_reserved_up_to_three_quarters,
      a_cleared_map_keeps_its_room, only_the_entry_with_that_hash_and_number_is_removed,
      removal_closes_every_gap_in_a_small_map,
      random_operations_agree_with_the_model_for_good_and_bad_hashes,
      a_refusal_is_reported_and_leaves_the_map_as_it_was,
      more_entries_than_a_map_can_hold_are_refused,
      a_map_in_an_arena_has_the_room_it_was_opened_with, validate_names_what_is_broken)
