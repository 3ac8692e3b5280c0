// All pools of a world, and presence.
#include "unit/store/pool/fixture.h"

static void a_pool_is_made_once_and_found_by_handle(void)
{
    static fixture f;
    fixture_begin(&f, false);
    const micai_type *type = fixture_type(&f, STABLE);
    CHECK_POINTER(NULL, micai_pools_find(&f.pools, type->info.type));
    micai_pool *pool = micai_pools_open(&f.pools, type);
    CHECK(pool != NULL);
    CHECK_POINTER(pool, micai_pools_open(&f.pools, type));
    CHECK_POINTER(pool, micai_pools_find(&f.pools, type->info.type));
    CHECK_POINTER(NULL, micai_pools_find(&f.pools, fixture_type(&f, TABLED)->info.type));
    CHECK_POINTER(NULL, micai_pools_find(&f.pools, fixture_type(&f, NOTE)->info.type));
    CHECK_POINTER(NULL, micai_pools_find(&f.pools, (mica_type){0}));
    mica_type foreign = {type->info.type.bits ^ UINT64_C(1) << 63};
    CHECK_POINTER(NULL, micai_pools_find(&f.pools, foreign));
    CHECK(micai_pool_keeps(type) && !micai_pool_keeps(fixture_type(&f, TABLED)));
    fixture_end(&f);
}

static void a_pool_that_gets_no_memory_is_not_there(void)
{
    static fixture f;
    fixture_begin(&f, false);
    micai_pool *pool = NULL;
    for (uint64_t k = 1; !pool; k++) {
        test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
        pool = micai_pools_open(&f.pools, fixture_type(&f, HOOKED));
        CHECK_EQUAL(!pool, test_error_clear(&f.t.error));
        CHECK_VALID(&f);
    }
    test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
    fixture_end(&f);
}

// Beyond 64 there is a second word of presence, beyond 128 a third.
static void an_entity_may_be_in_two_hundred_pools(void)
{
    static fixture f;
    fixture_begin(&f, false);
    enum { COUNT = 200 };
    uint32_t types[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        types[i] = fixture_register_tag(&f);
    }
    mica_entity all = fixture_spawn(&f);
    mica_entity some = fixture_spawn(&f);
    mica_entity none = fixture_spawn(&f);
    for (uint32_t i = COUNT; i-- > 0;) { // the last word first
        fixture_give(&f, types[i], all, 0);
        if (i % 50 == 7) {
            fixture_give(&f, types[i], some, 0);
        }
    }
    CHECK_VALID(&f);
    uint32_t expected = 0;
    for (uint32_t n = micai_pools_next(&f.pools, mica_entity_slot(all), 0); n != MICAI_BITS_END;
         n = micai_pools_next(&f.pools, mica_entity_slot(all), n + 1)) {
        CHECK_EQUAL(types[expected++], n);
    }
    CHECK_EQUAL(COUNT, expected);
    uint32_t slot = mica_entity_slot(some);
    CHECK_EQUAL(types[7], micai_pools_next(&f.pools, slot, 0));
    CHECK_EQUAL(types[7], micai_pools_next(&f.pools, slot, types[7]));
    CHECK_EQUAL(types[57], micai_pools_next(&f.pools, slot, types[7] + 1));
    CHECK_EQUAL(types[157], micai_pools_next(&f.pools, slot, types[107] + 1));
    CHECK_EQUAL(MICAI_BITS_END, micai_pools_next(&f.pools, slot, types[157] + 1));
    CHECK_EQUAL(MICAI_BITS_END, micai_pools_next(&f.pools, mica_entity_slot(none), 0));
    CHECK_EQUAL(COUNT + 4, f.pools.row_count);
    CHECK_EQUAL(0, micai_presence_of(&f.pools, 99, slot));
    fixture_despawn(&f, all);
    CHECK_EQUAL(4, f.pools.row_count);
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK_EQUAL(i % 50 == 7, micai_pool_size(fixture_pool(&f, types[i])));
    }
    CHECK_VALID(&f);
    fixture_end(&f);
}

// Pages of slots know of 63 words of presence, and whether there are any further ones.
static void of_thousands_of_pools_only_those_near_a_slot_are_asked(void)
{
    static fixture f;
    fixture_begin(&f, false);
    enum { COUNT = 66 * 64 };
    static uint32_t types[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        types[i] = fixture_register_tag(&f);
    }
    static const uint32_t in[] = {61 * 64, 63 * 64 + 5, 65 * 64 + 1};
    mica_entity entity = fixture_spawn(&f);
    uint32_t words[3];
    for (uint32_t i = 0; i < 3; i++) {
        fixture_give(&f, types[in[i]], entity, 0);
        words[i] = f.registry.list.items[types[in[i]]]->sparse / 64;
    }
    REQUIRE(words[0] < 63 && words[1] >= 63 && words[2] > words[1]);
    uint32_t slot = mica_entity_slot(entity);
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    CHECK_EQUAL(words[0], micai_presence_next(&f.pools, page, 0));
    CHECK_EQUAL(words[0], micai_presence_next(&f.pools, page, words[0] - 1));
    CHECK_EQUAL(63, micai_presence_next(&f.pools, page, words[0]));
    CHECK_EQUAL(64, micai_presence_next(&f.pools, page, 63));
    CHECK_EQUAL(words[2], micai_presence_next(&f.pools, page, words[2] - 1));
    CHECK_EQUAL(UINT32_MAX, micai_presence_next(&f.pools, page, f.pools.presence.count - 1));
    CHECK_EQUAL(UINT32_MAX, micai_presence_next(&f.pools, page + 1, 0));
    uint32_t number = 0;
    for (uint32_t i = 0; i < 3; i++, number++) {
        number = micai_pools_next(&f.pools, slot, number);
        CHECK_EQUAL(types[in[i]], number);
    }
    CHECK_VALID(&f);
    fixture_take(&f, types[in[1]], entity);
    CHECK_EQUAL(MICA_OK, micai_pools_reserve_reclaim(&f.pools));
    micai_pools_reclaim(&f.pools);
    CHECK_EQUAL(63, micai_presence_next(&f.pools, page, words[0]));
    CHECK_VALID(&f);
    mica_entity other = fixture_spawn(&f);
    fixture_give(&f, types[in[0]], other, 0);
    fixture_despawn(&f, entity);
    CHECK_EQUAL(1, f.pools.row_count);
    CHECK_VALID(&f);
    fixture_despawn(&f, other);
    CHECK_EQUAL(0, f.pools.row_count);
    CHECK_EQUAL(MICA_OK, micai_pools_reserve_reclaim(&f.pools));
    micai_pools_reclaim(&f.pools);
    CHECK_EQUAL(UINT32_MAX, micai_presence_next(&f.pools, page, 0));
    CHECK_VALID(&f);
    fixture_end(&f);
}

// S3.7
static void who_ends_leaves_all_pools_it_is_in(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity e[3];
    fixture_spawn_many(&f, 3, e);
    for (uint32_t i = 0; i < 3; i++) {
        fixture_give(&f, MARK, e[i], 0);
        fixture_give(&f, HOOKED, e[i], i);
        fixture_give(&f, STABLE_HOOKED, e[i], i);
    }
    uint32_t before = f.tracker.alive;
    fixture_despawn(&f, e[1]);
    CHECK_EQUAL(before - 2, f.tracker.alive);
    CHECK_EQUAL(6, f.pools.row_count);
    mica_entity heir = fixture_spawn(&f);
    CHECK_EQUAL(mica_entity_slot(e[1]), mica_entity_slot(heir));
    CHECK(!fixture_has(&f, MARK, heir) && !fixture_has(&f, HOOKED, heir));
    micai_pools_clear(&f.pools);
    CHECK_EQUAL(0, f.pools.row_count);
    CHECK_TRACKED(&f.tracker, 0);
    fixture_end(&f);
}

// S2.6
static void a_slot_far_away_costs_a_leaf_and_not_an_array(void)
{
    static fixture f;
    fixture_begin(&f, false);
    const uint32_t slot = MICAI_SLOT_PAGE_SIZE > 4 ? 100000000 : 100000;
    mica_entity near = fixture_spawn(&f);
    mica_entity distant = mica_entity_make(slot, 3);
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve_at(f.host, &f.slots, distant));
    micai_slots_take_at(&f.slots, distant, 0);
    size_t bytes = f.host->memory.bytes;
    fixture_give(&f, NOTE, near, 1);
    fixture_give(&f, NOTE, distant, 2);
    fixture_give(&f, MARK, distant, 2);
    // An array would have four bytes per slot; there is a pointer per page.
    CHECK(MICAI_SLOT_PAGE_SIZE == 4 || f.host->memory.bytes - bytes < slot / 50);
    CHECK(fixture_says(&f, NOTE, distant, 2) && fixture_says(&f, NOTE, near, 1));
    CHECK(!fixture_has(&f, MARK, near) && fixture_has(&f, MARK, distant));
    const micai_pool *pool = fixture_pool(&f, NOTE);
    uint32_t leaves = 0;
    for (uint32_t page = 0; page < pool->index.view.leaf_count; page++) {
        leaves += pool->index.view.leaves[page] != NULL;
    }
    CHECK_EQUAL(2, leaves);
    CHECK_EQUAL(MICAI_INDEX_NONE, micai_pool_row(pool, slot / 2));
    CHECK_EQUAL(MICAI_INDEX_NONE, micai_pool_row(pool, UINT32_MAX));
    CHECK_EQUAL(0, micai_presence_of(&f.pools, 0, slot / 2));
    CHECK_EQUAL(0, micai_presence_of(&f.pools, 0, UINT32_MAX));
    CHECK_VALID(&f);
    fixture_take(&f, NOTE, distant);
    fixture_take(&f, MARK, distant);
    CHECK_EQUAL(MICA_OK, micai_pools_reserve_reclaim(&f.pools));
    micai_pools_reclaim(&f.pools);
    CHECK_POINTER(NULL, pool->index.view.leaves[slot >> MICAI_SLOT_PAGE_SHIFT]);
    CHECK_POINTER(NULL, pool->presence->pages.items[slot >> MICAI_SLOT_PAGE_SHIFT]);
    CHECK(fixture_says(&f, NOTE, near, 1));
    fixture_take(&f, NOTE, near);
    CHECK_EQUAL(MICA_OK, micai_pools_reserve_reclaim(&f.pools));
    micai_pools_reclaim(&f.pools);
    CHECK_POINTER(NULL, pool->presence->pages.items[0]);
    fixture_end(&f);
}

static void room_is_made_for_every_slot_there_is(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity last = fixture_spawn(&f);
    while (mica_entity_slot(last) < 2 * MICAI_SLOT_PAGE_SIZE) {
        last = fixture_spawn(&f);
    }
    micai_pool *pool = fixture_pool(&f, MARK);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = 1; result; k++) {
        test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
        result = micai_pool_reserve_slots(&f.pools, pool, (micai_slot_capacity){0});
        CHECK_EQUAL(result != MICA_OK, test_error_clear(&f.t.error));
        CHECK_VALID(&f);
    }
    test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
    for (uint32_t slot = 0; slot <= mica_entity_slot(last); slot++) {
        CHECK(micai_index_entry(&pool->index, slot) != NULL);
    }
    fixture_end(&f);
}

static void reclaiming_that_gets_no_memory_changes_no_value(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity e[40];
    fixture_spawn_many(&f, 40, e);
    static const uint32_t sorts[] = {NOTE, MARK, MOVED, STABLE};
    for (uint32_t s = 0; s < 4; s++) {
        for (uint32_t i = 0; i < 40; i++) {
            fixture_give(&f, sorts[s], e[i], i);
        }
        for (uint32_t i = 2; i < 40; i++) {
            fixture_take(&f, sorts[s], e[i]);
        }
    }
    size_t bytes = f.host->memory.bytes;
    mica_result result = MICA_ERROR_MEMORY;
    uint64_t k = 1;
    for (; result; k++) {
        test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
        result = micai_pools_reserve_reclaim(&f.pools);
        CHECK_EQUAL(result != MICA_OK, test_error_clear(&f.t.error));
        if (result) {
            CHECK(f.host->memory.bytes <= bytes); // what was given back stays so
            CHECK_VALID(&f);
        }
    }
    test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK(k > 3);
    micai_pools_reclaim(&f.pools);
    CHECK(f.host->memory.bytes < bytes);
    CHECK_EQUAL(2, fixture_pool(&f, STABLE)->table.count);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(fixture_says(&f, NOTE, e[i], i) && fixture_says(&f, MOVED, e[i], i) &&
              fixture_says(&f, STABLE, e[i], i) && fixture_has(&f, MARK, e[i]));
    }
    fixture_end(&f);
}

static void memory_of_pools_is_reported_from_other_memory(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity e = fixture_spawn(&f);
    fixture_give(&f, NOTE, e, 1);
    fixture_give(&f, STABLE, e, 1);
    fixture_give(&f, MARK, e, 1);
    const char *value = fixture_value(&f, NOTE, e);
    CHECK(micai_pools_hold(&f.pools, value, 1));
    CHECK(micai_pools_hold(&f.pools, value + 15, 1));
    CHECK(!micai_pools_hold(&f.pools, value + 16, 1)); // raw
    CHECK(micai_pools_hold(&f.pools, value - 1, 2));
    CHECK(!micai_pools_hold(&f.pools, value - 1, 1));
    CHECK(micai_pools_hold(&f.pools, fixture_value(&f, STABLE, e), 8));
    CHECK(!micai_pools_hold(&f.pools, &f, sizeof f));
    fixture_end(&f);
}

// As that of the whole world is.
static void the_digest_is_the_same_in_another_world(void)
{
    static fixture a;
    static fixture b;
    fixture_begin(&a, false);
    fixture_begin(&b, false);
    micai_registry_free(b.host, &b.registry);
    micai_registry_init(&b.registry, 0, 8); // another seal: other handles of types
    micai_kinds_use_all(&b.registry);
    fixture_register_all(&b);
    for (uint32_t i = 0; i < 5; i++) {
        fixture_give(&a, i % 2 ? NOTE : MARK, fixture_spawn(&a), i);
        fixture_give(&b, i % 2 ? NOTE : MARK, fixture_spawn(&b), i);
    }
    CHECK(fixture_type(&a, NOTE)->info.type.bits != fixture_type(&b, NOTE)->info.type.bits);
    CHECK_EQUAL(micai_pools_digest(&a.pools, &a.registry, 5),
                micai_pools_digest(&b.pools, &b.registry, 5));
    fixture_end(&a);
    fixture_end(&b);
}

static void the_digest_sees_order_and_ticks(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity e[3];
    fixture_spawn_many(&f, 3, e);
    uint64_t empty = micai_pools_digest(&f.pools, &f.registry, 5);
    CHECK_EQUAL(5, empty);
    for (uint32_t i = 0; i < 3; i++) {
        fixture_give(&f, NOTE, e[i], i);
    }
    uint64_t before = micai_pools_digest(&f.pools, &f.registry, 5);
    CHECK(before != empty && before != micai_pools_digest(&f.pools, &f.registry, 6));
    fixture_take(&f, NOTE, e[1]);
    fixture_give(&f, NOTE, e[1], 1); // the same entities, in another order
    uint64_t turned = micai_pools_digest(&f.pools, &f.registry, 5);
    CHECK(turned != before);
    fixture_take(&f, NOTE, e[2]);
    fixture_give(&f, NOTE, e[2], 2); // and back
    CHECK_EQUAL(before, micai_pools_digest(&f.pools, &f.registry, 5));
    f.tick = 2;
    micai_pool_stamp(fixture_pool(&f, NOTE), 0, 1, f.tick);
    CHECK(before != micai_pools_digest(&f.pools, &f.registry, 5));
    fixture_pool(&f, WIDE); // nobody is in it
    uint64_t touched = micai_pools_digest(&f.pools, &f.registry, 5);
    fixture_give(&f, WIDE, e[0], 0);
    CHECK(touched != micai_pools_digest(&f.pools, &f.registry, 5));
    fixture_take(&f, WIDE, e[0]);
    CHECK_EQUAL(touched, micai_pools_digest(&f.pools, &f.registry, 5));
    fixture_end(&f);
}

// A few of each invariant; tests/damage breaks more fields.
static void what_is_broken_is_named(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity e = fixture_spawn(&f);
    fixture_give(&f, NOTE, e, 1);
    micai_pool *pool = fixture_pool(&f, NOTE);
    uint32_t slot = mica_entity_slot(e);
    micai_table_set_count(&pool->table, 0);
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_pools_validate(&f.pools, &f.registry, f.tick));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT,
                "invariant P16 is broken: rows and their entities do not find each other");
    micai_table_set_count(&pool->table, 1);
    *micai_pool_mask(pool, slot) = 0;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_pools_validate(&f.pools, &f.registry, f.tick));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT,
                "invariant P1 is broken: the pool of 'Note' has an entity that is not present");
    *micai_pool_mask(pool, slot) = pool->bit | pool->bit << 1;
    CHECK_BROKEN(&f, "P7");
    *micai_pool_mask(pool, slot) = pool->bit;
    f.pools.row_count++;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_pools_validate(&f.pools, &f.registry, f.tick));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT, "invariant P7 is broken: pools have 1 values, not 2");
    f.pools.row_count--;
    CHECK_EQUAL(MICA_OK, micai_pool_reserve(&f.pools, pool, 1000)); // nothing is to be settled
    CHECK_VALID(&f);
    pool->table.capacity++;
    CHECK_BROKEN(&f, "T5");
    pool->table.capacity--;
    pool->table.tail = NULL;
    CHECK_BROKEN(&f, "T6");
    micai_table_find_tail(&pool->table);
    pool->column = 0;
    CHECK_BROKEN(&f, "P6");
    pool->column = 1;
    pool->index.first_hole = 0;
    CHECK_BROKEN(&f, "P3");
    pool->index.first_hole = MICAI_INDEX_NONE;
    fixture_end(&f);
}

TESTS(pools, a_pool_is_made_once_and_found_by_handle, a_pool_that_gets_no_memory_is_not_there,
      an_entity_may_be_in_two_hundred_pools, of_thousands_of_pools_only_those_near_a_slot_are_asked,
      who_ends_leaves_all_pools_it_is_in, a_slot_far_away_costs_a_leaf_and_not_an_array,
      room_is_made_for_every_slot_there_is, reclaiming_that_gets_no_memory_changes_no_value,
      memory_of_pools_is_reported_from_other_memory, the_digest_sees_order_and_ticks,
      the_digest_is_the_same_in_another_world, what_is_broken_is_named)
