// One pool: its room, its values, who comes and who goes.
#include <string.h>

#include <mica.h>

#include "store/table/kind_stable.h"
#include "unit/store/pool/fixture.h"

enum { MANY = 5 * (1 << MICA_VIEW_ROW_SHIFT) + 3 };

static const uint32_t sorts[] = {NOTE, MARK, STABLE, MOVED, HOOKED, STABLE_HOOKED, WIDE};
enum { SORTS = sizeof sorts / sizeof sorts[0] };

// S2.1
static void values_lie_side_by_side_in_the_order_they_came(void)
{
    static fixture f;
    static mica_entity entities[MANY];
    fixture_begin(&f, false);
    fixture_spawn_many(&f, MANY, entities);
    for (uint32_t i = 0; i < MANY; i++) {
        fixture_give(&f, NOTE, entities[MANY - 1 - i], i);
        fixture_give(&f, WIDE, entities[i], i);
    }
    const micai_pool *pool = fixture_pool(&f, NOTE);
    CHECK_EQUAL(MANY, micai_pool_size(pool));
    CHECK_EQUAL(0, (uintptr_t)micai_pool_value(fixture_pool(&f, WIDE), 0) % 256);
    for (uint32_t row = 0; row < MANY;) {
        const note *values = micai_pool_value(pool, row);
        const mica_entity *ids = micai_pool_entities(pool, row);
        uint32_t span = micai_pool_span(pool, row);
        REQUIRE(span > 0 && span <= MANY - row);
        CHECK_EQUAL(0, (uintptr_t)values % 64);
        CHECK_EQUAL(0, (uintptr_t)ids % 64);
        for (uint32_t i = 0; i < span; i++) {
            CHECK_EQUAL(entities[MANY - 1 - row - i].bits, ids[i].bits);
            CHECK_EQUAL(ids[i].bits, micai_pool_entity(pool, row + i).bits);
            CHECK_EQUAL(row + i, values[i].low);
            CHECK_EQUAL(span - i, micai_pool_span(pool, row + i));
        }
        row += span;
    }
    for (uint32_t i = 0; i < MANY; i++) {
        CHECK(fixture_says(&f, WIDE, entities[i], i));
    }
    // The first sheet has grown by itself; the next ones came together.
    CHECK_EQUAL(MICAI_ROWS, micai_pool_span(pool, 0));
    CHECK_EQUAL(3 * MICAI_ROWS, micai_pool_span(pool, MICAI_ROWS));
    fixture_end(&f);
}

// S2.1
static void who_leaves_is_replaced_by_the_last(void)
{
    static fixture f;
    static const uint32_t packed[] = {NOTE, MARK, MOVED, HOOKED, WIDE};
    mica_entity e[5];
    fixture_begin(&f, false);
    fixture_spawn_many(&f, 5, e);
    for (uint32_t s = 0; s < 5; s++) {
        for (uint32_t i = 0; i < 5; i++) {
            fixture_give(&f, packed[s], e[i], i);
        }
        const micai_pool *pool = fixture_pool(&f, packed[s]);
        fixture_take(&f, packed[s], e[1]);
        CHECK_EQUAL(e[4].bits, micai_pool_entity(pool, 1).bits);
        CHECK_EQUAL(4, pool->table.count);
        fixture_take(&f, packed[s], e[3]); // the last itself
        CHECK_EQUAL(3, pool->table.count);
        CHECK(!fixture_has(&f, packed[s], e[1]) && !fixture_has(&f, packed[s], e[3]));
        for (uint32_t i = 0; i < 5; i += 2) {
            CHECK(packed[s] == MARK ? fixture_has(&f, MARK, e[i])
                                    : fixture_says(&f, packed[s], e[i], i));
        }
        CHECK_VALID(&f);
        fixture_give(&f, packed[s], e[1], 21);
        CHECK_EQUAL(e[1].bits, micai_pool_entity(pool, 3).bits);
    }
    CHECK_EQUAL(5 * 4, f.pools.row_count);
    fixture_end(&f);
}

// A pool from which all have gone is used again.
static void the_only_one_leaves_and_comes_back(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity e = fixture_spawn(&f);
    for (uint32_t s = 0; s < SORTS; s++) {
        for (uint32_t i = 0; i < 3; i++) {
            fixture_give(&f, sorts[s], e, i);
            CHECK_EQUAL(1, micai_pool_size(fixture_pool(&f, sorts[s])));
            fixture_take(&f, sorts[s], e);
            CHECK_EQUAL(0, micai_pool_size(fixture_pool(&f, sorts[s])));
            CHECK(!fixture_has(&f, sorts[s], e));
        }
        CHECK(fixture_pool(&f, sorts[s])->table.count <= 1);
    }
    CHECK_EQUAL(0, f.pools.row_count);
    fixture_end(&f);
}

static void values_of_a_stable_pool_stay_while_others_come_and_go(void)
{
    static fixture f;
    static mica_entity e[MANY];
    static const void *at[MANY];
    fixture_begin(&f, false);
    fixture_spawn_many(&f, MANY, e);
    static const uint32_t stable[] = {STABLE, STABLE_HOOKED};
    for (uint32_t s = 0; s < 2; s++) {
        uint32_t number = stable[s];
        for (uint32_t i = 0; i < MANY; i++) {
            fixture_give(&f, number, e[i], i);
            at[i] = fixture_value(&f, number, e[i]);
        }
        for (uint32_t i = 0; i < MANY; i += 3) {
            fixture_take(&f, number, e[i]);
        }
        CHECK_VALID(&f);
        micai_pool *pool = fixture_pool(&f, number);
        CHECK_EQUAL(MANY, pool->table.count);
        CHECK_EQUAL((MANY + 2) / 3, pool->index.hole_count);
        CHECK_EQUAL(MANY - (MANY + 2) / 3, micai_pool_size(pool));
        CHECK(micai_pool_is_hole(pool, 0) && !micai_pool_is_hole(pool, 1));
        for (uint32_t i = 0; i < MANY; i++) {
            CHECK_EQUAL(i % 3 != 0, fixture_has(&f, number, e[i]));
            if (i % 3 != 0) {
                CHECK_POINTER(at[i], fixture_value(&f, number, e[i]));
                CHECK(fixture_says(&f, number, e[i], i));
            }
        }
        // The latest hole is filled first; when there is none left, the pool grows.
        const void *latest = at[(MANY - 1) / 3 * 3];
        fixture_give(&f, number, e[0], 100);
        CHECK_POINTER(latest, fixture_value(&f, number, e[0]));
        for (uint32_t i = 3; i < MANY; i += 3) {
            fixture_give(&f, number, e[i], i);
        }
        CHECK_EQUAL(0, pool->index.hole_count);
        CHECK_EQUAL(MANY, pool->table.count);
        static mica_entity more[MANY];
        fixture_spawn_many(&f, MANY, more);
        for (uint32_t i = 0; i < MANY; i++) {
            fixture_give(&f, number, more[i], i);
        }
        CHECK_POINTER(at[1], fixture_value(&f, number, e[1]));
        CHECK(fixture_says(&f, number, e[1], 1) &&
              fixture_says(&f, number, more[MANY - 1], MANY - 1));
        CHECK_VALID(&f);
    }
    CHECK_EQUAL(0, f.tracker.moves);
    fixture_end(&f);
}

static void a_span_ends_where_a_block_ends(void)
{
    static fixture f;
    static mica_entity e[MANY];
    const uint32_t block = 1 << MICA_VIEW_ROW_SHIFT;
    fixture_begin(&f, false);
    fixture_spawn_many(&f, MANY, e);
    for (uint32_t i = 0; i < MANY; i++) {
        fixture_give(&f, STABLE, e[i], i);
    }
    const micai_pool *pool = fixture_pool(&f, STABLE);
    CHECK_EQUAL(block, micai_pool_span(pool, 0));
    CHECK_EQUAL(1, micai_pool_span(pool, block - 1));
    CHECK_EQUAL(block, micai_pool_span(pool, block));
    CHECK_EQUAL(2, micai_pool_span(pool, 5 * block + 1));
    fixture_end(&f);
}

// Room

static void capacity_grows_at_once_and_goes_when_it_is_cancelled(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity e = fixture_spawn(&f);
    for (uint32_t s = 0; s < SORTS; s++) {
        fixture_give(&f, sorts[s], e, 5);
        micai_pool *pool = fixture_pool(&f, sorts[s]);
        bool stable = fixture_type(&f, sorts[s])->info.stable;
        uint32_t capacity = pool->table.capacity;
        const void *value = fixture_value(&f, sorts[s], e);
        CHECK_EQUAL(MICA_OK, micai_pool_reserve(&f.pools, pool, capacity - 1));
        CHECK_EQUAL(capacity, pool->table.capacity); // there was enough
        CHECK(!micai_store_has_moved(&f.store));
        CHECK_EQUAL(MICA_OK, micai_pool_reserve(&f.pools, pool, capacity));
        CHECK(pool->table.capacity > capacity);
        CHECK(micai_store_has_moved(&f.store));
        CHECK_POINTER(micai_store_follow(&f.store, value), fixture_value(&f, sorts[s], e));
        CHECK_EQUAL(stable || sorts[s] == MARK, value == fixture_value(&f, sorts[s], e));
        CHECK(sorts[s] == MARK || fixture_says(&f, sorts[s], e, 5));
        CHECK_VALID(&f);
        micai_store_clear_replaced(&f.store);
        CHECK_EQUAL(MICA_OK, micai_pool_reserve(&f.pools, pool, 3 * MICAI_ROWS));
        CHECK(pool->table.capacity > 3 * MICAI_ROWS);
        CHECK(sorts[s] == MARK || fixture_says(&f, sorts[s], e, 5));
        CHECK_VALID(&f);
        micai_store_clear_replaced(&f.store);
        pool->table.promised = MICAI_ROWS + 1; // as mica_reserve() does
        size_t bytes = f.host->memory.bytes;
        micai_pool_cancel(&f.pools, pool);
        CHECK_EQUAL(2, pool->table.sheets.count);
        CHECK(f.host->memory.bytes < bytes);
        CHECK_VALID(&f);
        pool->table.promised = 0;
        micai_pool_cancel(&f.pools, pool);
        CHECK_EQUAL(1, pool->table.sheets.count);
        CHECK_EQUAL(MICAI_ROWS, pool->table.capacity);
        micai_pool_cancel(&f.pools, pool); // nothing to give back
        CHECK_EQUAL(1, pool->table.sheets.count);
        CHECK(sorts[s] == MARK || fixture_says(&f, sorts[s], e, 5));
        CHECK_VALID(&f);
    }
    fixture_end(&f);
}

static void more_than_there_can_be_is_refused(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity e = fixture_spawn(&f);
    fixture_give(&f, NOTE, e, 5);
    micai_pool *pool = fixture_pool(&f, NOTE);
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_pool_reserve(&f.pools, pool, UINT32_MAX));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT, "a table of 1 rows cannot take 4294967295 more");
    CHECK_EQUAL(MICA_ERROR_MEMORY, micai_pool_reserve(&f.pools, pool, UINT32_C(1) << 30));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK_EQUAL(MICAI_ROWS_FIRST, pool->table.capacity);
    CHECK_EQUAL(1, pool->table.sheets.count);
    CHECK(!micai_store_has_moved(&f.store));
    CHECK(fixture_says(&f, NOTE, e, 5));
    fixture_end(&f);
}

// A leaf, or nothing: however many allocations there are, each may fail.
static void a_join_that_gets_no_memory_leaves_the_pool_as_it_was(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity first = fixture_spawn(&f);
    mica_entity last = first;
    while (mica_entity_slot(last) < 2 * MICAI_SLOT_PAGE_SIZE) {
        last = fixture_spawn(&f);
    }
    for (uint32_t s = 0; s < SORTS; s++) {
        mica_result result = MICA_ERROR_MEMORY;
        uint64_t k = 0;
        for (; result; k++) {
            test_memory_fail_at(&f.t.memory, k + 1, TEST_MEMORY_ONCE);
            result = fixture_try_give(&f, sorts[s], first, 1);
            CHECK_EQUAL(result != MICA_OK, test_error_clear(&f.t.error));
            CHECK_EQUAL(!result, fixture_has(&f, sorts[s], first));
            CHECK_VALID(&f);
        }
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK(k > 5 || sorts[s] != NOTE);
        micai_pool *pool = fixture_pool(&f, sorts[s]);
        mica_entity *more = micai_alloc(f.host, sizeof *more * pool->table.capacity, 8);
        uint32_t count = pool->table.capacity - pool->table.count;
        fixture_spawn_many(&f, count, more);
        for (uint32_t i = 0; i < count; i++) {
            fixture_give(&f, sorts[s], more[i], i);
        }
        micai_release(f.host, more, sizeof *more * (count + 1), 8);
        result = MICA_ERROR_MEMORY; // once more, of a pool that is full
        for (k = 0; result; k++) {
            test_memory_fail_at(&f.t.memory, k + 1, TEST_MEMORY_ONCE);
            result = fixture_try_give(&f, sorts[s], last, 1);
            CHECK_EQUAL(result != MICA_OK, test_error_clear(&f.t.error));
            CHECK_EQUAL(!result, fixture_has(&f, sorts[s], last));
            CHECK_VALID(&f);
        }
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK(k > 2);
        CHECK(sorts[s] == MARK || fixture_says(&f, sorts[s], last, 1));
    }
    fixture_end(&f);
}

// Values

static void a_value_is_copied_out_of_the_pool_that_grows_for_it(void)
{
    static fixture f;
    static const uint32_t with_values[] = {NOTE, STABLE, MOVED, HOOKED, STABLE_HOOKED, WIDE};
    static mica_entity e[MANY];
    fixture_begin(&f, false);
    fixture_spawn_many(&f, MANY, e);
    for (uint32_t s = 0; s < 6; s++) {
        micai_pool *pool = fixture_pool(&f, with_values[s]);
        fixture_give(&f, with_values[s], e[0], 77);
        for (uint32_t i = 1; i < MANY; i++) {
            uint32_t slot = mica_entity_slot(e[i]);
            REQUIRE_EQUAL(MICA_OK, micai_pool_reserve_slot(&f.pools, pool, slot));
            const void *source = fixture_value(&f, with_values[s], e[i - 1]);
            REQUIRE_EQUAL(MICA_OK, micai_pool_reserve(&f.pools, pool, 1));
            source = micai_store_follow(&f.store, source);
            CHECK_POINTER(fixture_value(&f, with_values[s], e[i - 1]), source);
            uint32_t row = micai_pool_next(pool);
            REQUIRE_EQUAL(MICA_OK, micai_pool_construct(&f.pools, pool, row, 1, source, 0));
            micai_pool_add(&f.pools, pool, row, e[i], f.tick);
            micai_store_clear_replaced(&f.store);
        }
        CHECK_VALID(&f);
        for (uint32_t i = 0; i < MANY; i++) {
            CHECK(fixture_says(&f, with_values[s], e[i], 77));
        }
    }
    fixture_end(&f);
}

static void several_values_are_made_behind_the_last(void)
{
    static fixture f;
    mica_entity e[3];
    fixture_begin(&f, false);
    fixture_spawn_many(&f, 3, e);
    const note given[3] = {{1, ~UINT64_C(1)}, {2, ~UINT64_C(2)}, {3, ~UINT64_C(3)}};
    micai_pool *pool = fixture_pool(&f, NOTE);
    fixture_give(&f, NOTE, fixture_spawn(&f), 0);
    REQUIRE_EQUAL(MICA_OK, micai_pool_reserve_slots(&f.pools, pool, (micai_slot_capacity){0}));
    REQUIRE_EQUAL(MICA_OK, micai_pool_reserve(&f.pools, pool, 100));
    CHECK_EQUAL(MICA_OK, micai_pool_construct(&f.pools, pool, 1, 3, given, sizeof(note)));
    micai_pool_undo(&f.pools, pool, 1, 3, given, sizeof(note));
    CHECK_EQUAL(MICA_OK, micai_pool_construct(&f.pools, pool, 1, 3, given, 0)); // one for all
    micai_pool_undo(&f.pools, pool, 1, 3, given, 0);
    CHECK_EQUAL(MICA_OK, micai_pool_construct(&f.pools, pool, 1, 3, NULL, 0)); // defaults
    for (uint32_t i = 0; i < 3; i++) {
        micai_pool_add(&f.pools, pool, 1 + i, e[i], f.tick);
        const note *value = fixture_value(&f, NOTE, e[i]);
        CHECK(value->low == 11 && value->high == 12);
    }
    fixture_end(&f);
}

static void values_are_made_all_or_none(void)
{
    static fixture f;
    static const uint32_t tracked_sorts[] = {MOVED, HOOKED, STABLE_HOOKED};
    fixture_begin(&f, false);
    tracked given[4];
    for (uint32_t i = 0; i < 4; i++) {
        given[i] = tracked_make(&f.tracker, i);
    }
    for (uint32_t s = 0; s < 3; s++) {
        micai_pool *pool = fixture_pool(&f, tracked_sorts[s]);
        REQUIRE_EQUAL(MICA_OK, micai_pool_reserve(&f.pools, pool, 4));
        for (uint32_t k = 1; k <= 4; k++) {
            f.tracker.until_failure = k;
            CHECK(micai_pool_construct(&f.pools, pool, 0, 4, given, sizeof(tracked)) != MICA_OK);
            CHECK_EQUAL(1, test_error_clear(&f.t.error));
            CHECK_TRACKED(&f.tracker, 4);
            f.tracker.until_failure = k;
            CHECK(micai_pool_construct(&f.pools, pool, 0, 4, NULL, 0) != MICA_OK);
            CHECK_EQUAL(1, test_error_clear(&f.t.error));
            CHECK_TRACKED(&f.tracker, 4);
        }
        f.tracker.until_failure = 0;
        CHECK_EQUAL(MICA_OK, micai_pool_construct(&f.pools, pool, 0, 4, given, sizeof(tracked)));
        CHECK_TRACKED(&f.tracker, 8);
        micai_pool_undo(&f.pools, pool, 0, 4, given, sizeof(tracked));
        CHECK_TRACKED(&f.tracker, 4);
    }
    for (uint32_t i = 0; i < 4; i++) {
        tracked_drop(&f.tracker, &given[i]);
    }
    fixture_end(&f);
}

// The last write to the values around a row.
static uint64_t tick_of(const micai_pool *pool, uint32_t row)
{
    uint32_t end;
    uint64_t tick = micai_table_tick(&pool->table, pool->column, row, &end);
    CHECK_EQUAL(micai_sheet_rows(row, pool->table.count - row), end - row);
    return tick;
}

static void hooks_are_called_once_per_value(void)
{
    static fixture f;
    enum { COUNT = 1 << (MICA_VIEW_ROW_SHIFT - 1) };
    static mica_entity e[COUNT + 1];
    fixture_begin(&f, false);
    fixture_spawn_many(&f, COUNT + 1, e);
    micai_pool *pool = fixture_pool(&f, MOVED);
    REQUIRE_EQUAL(MICA_OK, micai_pool_reserve(&f.pools, pool, COUNT));
    for (uint32_t i = 0; i < COUNT; i++) {
        fixture_give(&f, MOVED, e[i], i);
    }
    REQUIRE_EQUAL(COUNT, pool->table.capacity);
    CHECK_EQUAL(COUNT, f.tracker.copies);
    CHECK_EQUAL(0, f.tracker.moves);
    f.tracker.destructs = f.tracker.copies = 0;
    fixture_give(&f, MOVED, e[COUNT], COUNT); // all move, once
    CHECK_EQUAL(COUNT, f.tracker.moves);
    CHECK_EQUAL(1, f.tracker.copies);
    f.tracker.destructs = f.tracker.moves = f.tracker.copies = f.tracker.constructs = 0;
    fixture_take(&f, MOVED, e[1]); // one ends, the last moves
    CHECK_EQUAL(1, f.tracker.destructs);
    CHECK_EQUAL(1, f.tracker.moves);
    tracked other = tracked_make(&f.tracker, 99);
    micai_paged_replace(&f.store, micai_pool_cell(pool, 0), &other, 7);
    f.tick = 7;
    CHECK_EQUAL(2, f.tracker.destructs);
    CHECK_EQUAL(2, f.tracker.moves);
    CHECK(fixture_says(&f, MOVED, e[0], 99));
    CHECK_EQUAL(7, tick_of(pool, 0));
    micai_pool_clear(&f.pools, pool);
    CHECK_EQUAL(2 + COUNT, f.tracker.destructs);
    CHECK_EQUAL(0, f.tracker.copies + f.tracker.constructs);
    CHECK_TRACKED(&f.tracker, 0);
    fixture_end(&f);
}

// Ticks

static void ticks_tell_the_last_write_of_a_stretch(void)
{
    static fixture f;
    static mica_entity e[MANY];
    const uint32_t stretch = 1 << MICA_VIEW_ROW_SHIFT;
    fixture_begin(&f, false);
    fixture_spawn_many(&f, MANY, e);
    for (uint32_t i = 0; i < MANY; i++) {
        fixture_give(&f, NOTE, e[i], i);
    }
    const micai_pool *pool = fixture_pool(&f, NOTE);
    f.tick = 5;
    fixture_take(&f, NOTE, e[stretch]); // filled from behind
    CHECK_EQUAL(1, tick_of(pool, 0));
    CHECK_EQUAL(5, tick_of(pool, stretch));
    CHECK_EQUAL(1, tick_of(pool, 2 * stretch));
    CHECK_POINTER(&pool->table.sheets.items[1]->pages[1].tick, pool->index.view.blocks[1].tick);
    f.tick = 6;
    fixture_give(&f, NOTE, e[stretch], 0);
    CHECK_EQUAL(6, tick_of(pool, MANY - 1));
    f.tick = 4; // then some are of the future
    CHECK_BROKEN(&f, "T9");
    f.tick = 6;
    fixture_end(&f);
}

// The fast path

static bool is_fast(fixture *f, uint32_t number)
{
    return micai_pool_is_fast(fixture_pool(f, number));
}

static uint32_t *ready(const micai_pool *pool, uint32_t slot, bool there)
{
    return micai_pool_ready_if(pool, micai_pool_is_fast(pool), slot, there);
}

static void entities_are_added_and_removed_as_bytes(void)
{
    static fixture f;
    fixture_begin(&f, false);
    CHECK(is_fast(&f, NOTE) && is_fast(&f, MARK));
    CHECK(is_fast(&f, WIDE) && !is_fast(&f, STABLE));
    CHECK(!is_fast(&f, MOVED) && !is_fast(&f, HOOKED));
    mica_entity e[3];
    fixture_spawn_many(&f, 3, e);
    static const uint32_t fast[] = {NOTE, MARK, WIDE};
    for (uint32_t s = 0; s < 3; s++) {
        micai_pool *pool = fixture_pool(&f, fast[s]);
        CHECK_POINTER(NULL, ready(pool, mica_entity_slot(e[0]), false)); // no leaf yet
        REQUIRE_EQUAL(MICA_OK, micai_pool_reserve(&f.pools, pool, 3));
        fixture_give(&f, fast[s], e[0], 1);
        CHECK_POINTER(NULL, ready(pool, mica_entity_slot(e[0]), false));
        CHECK_POINTER(NULL, ready(pool, mica_entity_slot(e[1]), true));
        for (uint32_t i = 1; i < 3; i++) {
            uint32_t *entry = ready(pool, mica_entity_slot(e[i]), false);
            REQUIRE(entry != NULL);
            const note value = {i + 1, ~(uint64_t)(i + 1)};
            unsigned char bytes[256] = {0};
            memcpy(bytes, &value, sizeof value);
            micai_pool_add_fast(&f.pools, pool, entry, e[i], bytes, 1);
            CHECK_EQUAL(i, *entry - 1);
            CHECK_POINTER(entry, micai_pool_find(pool, e[i]));
        }
        const mica_entity later = {e[1].bits + (UINT64_C(1) << 32)}; // the same slot
        CHECK_POINTER(NULL, micai_pool_find(pool, later));
        CHECK_VALID(&f);
        uint32_t *entry = ready(pool, mica_entity_slot(e[0]), true);
        micai_pool_remove_fast(&f.pools, pool, entry, mica_entity_slot(e[0]), 1);
        CHECK(!fixture_has(&f, fast[s], e[0]));
        CHECK_POINTER(NULL, micai_pool_find(pool, e[0]));
        CHECK_EQUAL(e[2].bits, micai_pool_entity(pool, 0).bits);
        CHECK(fast[s] == MARK ||
              (fixture_says(&f, fast[s], e[1], 2) && fixture_says(&f, fast[s], e[2], 3)));
        entry = ready(pool, mica_entity_slot(e[1]), true); // the last
        micai_pool_remove_fast(&f.pools, pool, entry, mica_entity_slot(e[1]), 1);
        CHECK(fixture_has(&f, fast[s], e[2]));
        CHECK_VALID(&f);
    }
    CHECK_POINTER(NULL, ready(fixture_pool(&f, MOVED), 0, true));
    fixture_end(&f);
}

static void a_full_pool_is_not_ready(void)
{
    static fixture f;
    fixture_begin(&f, false);
    micai_pool *pool = fixture_pool(&f, NOTE);
    fixture_give(&f, NOTE, fixture_spawn(&f), 0);
    while (pool->table.count < pool->table.capacity) {
        fixture_give(&f, NOTE, fixture_spawn(&f), 0);
    }
    mica_entity e = fixture_spawn(&f);
    REQUIRE_EQUAL(MICA_OK, micai_pool_reserve_slot(&f.pools, pool, mica_entity_slot(e)));
    CHECK_POINTER(NULL, ready(pool, mica_entity_slot(e), false));
    fixture_end(&f);
}

// Reclaiming

static void room_that_is_not_used_is_given_back(void)
{
    static fixture f;
    static mica_entity e[MANY];
    fixture_begin(&f, false);
    fixture_spawn_many(&f, MANY, e);
    for (uint32_t s = 0; s < SORTS; s++) {
        micai_pool *pool = fixture_pool(&f, sorts[s]);
        for (uint32_t i = 0; i < MANY; i++) {
            fixture_give(&f, sorts[s], e[i], i);
        }
        for (uint32_t i = 3; i < MANY; i++) {
            fixture_take(&f, sorts[s], e[i]);
        }
        fixture_take(&f, sorts[s], e[1]);
        const void *kept = sorts[s] == MARK ? NULL : fixture_value(&f, sorts[s], e[2]);
        size_t bytes = f.host->memory.bytes;
        CHECK_EQUAL(MICA_OK, micai_pool_reserve_reclaim(&f.pools, pool));
        micai_pool_reclaim(&f.pools, pool);
        CHECK_VALID(&f);
        CHECK(f.host->memory.bytes < bytes);
        bool stable = fixture_type(&f, sorts[s])->info.stable;
        CHECK_EQUAL(stable ? 3 : 2, pool->table.count);
        CHECK_EQUAL(stable, pool->index.hole_count);
        CHECK_EQUAL(stable                 ? MICAI_ROWS
                    : MICAI_ROWS_FIRST > 2 ? MICAI_ROWS_FIRST
                                           : 2,
                    pool->table.capacity);
        for (uint32_t i = 0; i < 3; i++) {
            CHECK_EQUAL(i != 1, fixture_has(&f, sorts[s], e[i]));
            CHECK(i == 1 || sorts[s] == MARK || fixture_says(&f, sorts[s], e[i], i));
        }
        CHECK(!stable || fixture_value(&f, sorts[s], e[2]) == kept);
        fixture_give(&f, sorts[s], e[1], 1);
        fixture_give(&f, sorts[s], e[3], 3);
        CHECK(sorts[s] == MARK || fixture_says(&f, sorts[s], e[3], 3));
        CHECK_VALID(&f);
    }
    fixture_end(&f);
}

static void holes_between_values_are_found_again_after_reclaiming(void)
{
    static fixture f;
    static mica_entity e[MANY];
    fixture_begin(&f, false);
    fixture_spawn_many(&f, MANY, e);
    micai_pool *pool = fixture_pool(&f, STABLE);
    for (uint32_t i = 0; i < MANY; i++) {
        fixture_give(&f, STABLE, e[i], i);
    }
    static const uint32_t going[] = {5, MANY - 1, 2, MANY - 2, 0};
    for (uint32_t i = 0; i < 5; i++) {
        fixture_take(&f, STABLE, e[going[i]]);
    }
    CHECK_EQUAL(MICA_OK, micai_pools_reserve_reclaim(&f.pools));
    micai_pools_reclaim(&f.pools);
    CHECK_VALID(&f);
    CHECK_EQUAL(MANY - 2, pool->table.count);
    CHECK_EQUAL(3, pool->index.hole_count);
    static const uint32_t expected[] = {0, 2, 5, MANY - 2};
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(expected[i], micai_pool_next(pool));
        fixture_give(&f, STABLE, e[going[i]], 9);
    }
    fixture_end(&f);
}

static void an_empty_pool_keeps_nothing(void)
{
    static fixture f;
    static mica_entity e[MANY];
    fixture_begin(&f, false);
    fixture_spawn_many(&f, MANY, e);
    for (uint32_t s = 0; s < SORTS; s++) {
        for (uint32_t i = 0; i < MANY; i++) {
            fixture_give(&f, sorts[s], e[i], i);
        }
        micai_pool *pool = fixture_pool(&f, sorts[s]);
        micai_pool_clear(&f.pools, pool);
        CHECK_EQUAL(0, pool->table.count + pool->index.hole_count);
        CHECK_VALID(&f);
        CHECK_EQUAL(MICA_OK, micai_pool_reserve_reclaim(&f.pools, pool));
        micai_pool_reclaim(&f.pools, pool);
        CHECK_EQUAL(0, pool->table.capacity);
        CHECK(!pool->table.sheets.items && !pool->table.tail);
        CHECK(!pool->table.layout.outside || !micai_layout_get_outside(&pool->table.layout, 1));
        for (uint32_t page = 0; page < pool->index.view.leaf_count; page++) {
            CHECK_POINTER(NULL, pool->index.view.leaves[page]);
        }
        CHECK_VALID(&f);
        fixture_give(&f, sorts[s], e[0], 4);
        CHECK(sorts[s] == MARK || fixture_says(&f, sorts[s], e[0], 4));
    }
    fixture_end(&f);
}

// It is there for the type to come back.
static void a_pool_that_is_abandoned_keeps_nothing(void)
{
    static fixture f;
    static mica_entity e[MANY];
    fixture_begin(&f, false);
    fixture_spawn_many(&f, MANY, e);
    const micai_type *type = fixture_type(&f, NOTE);
    micai_pool *pool = fixture_pool(&f, NOTE);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < MANY; i++) {
            fixture_give(&f, NOTE, e[i], i);
        }
        micai_pool_abandon(&f.pools, pool);
        CHECK_POINTER(NULL, micai_pools_find(&f.pools, type->info.type));
        CHECK_EQUAL(0, pool->table.count + pool->table.capacity + pool->index.view.leaf_count);
        CHECK_EQUAL(0, f.pools.row_count);
        CHECK(!pool->index.view.leaves && !pool->index.view.blocks && !pool->table.sheets.items);
        CHECK_POINTER(pool, micai_pools_open(&f.pools, type));
    }
    fixture_end(&f);
}

// Large values, and none

static void a_stable_pool_that_nobody_is_in_begins_anew(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity e[9];
    fixture_spawn_many(&f, 9, e);
    micai_pool *pool = fixture_pool(&f, STABLE);
    for (uint32_t i = 0; i < 9; i++) {
        fixture_give(&f, STABLE, e[i], i);
    }
    for (uint32_t i = 0; i < 9; i++) {
        CHECK_EQUAL(9, pool->table.count);
        fixture_take(&f, STABLE, e[i]);
        CHECK_VALID(&f);
    }
    CHECK_EQUAL(0, pool->table.count);
    CHECK_EQUAL(0, pool->index.hole_count);
    fixture_give(&f, STABLE, e[3], 3);
    CHECK(fixture_says(&f, STABLE, e[3], 3));
    CHECK_EQUAL(1, pool->table.count);
    fixture_end(&f);
}

static void one_large_value_takes_no_more_than_a_block(void)
{
    CHECK_EQUAL(MICA_VIEW_ROW_SHIFT, micai_stable_shift(1));
    CHECK_EQUAL(0, micai_stable_shift(MICAI_BLOCK_BYTES));
    CHECK_EQUAL(0, micai_stable_shift(MICA_TYPE_SIZE_MAX));
    for (uint32_t stable = 0; stable < 2; stable++) {
        mica_world *world = mica_world_new(NULL);
        mica_type_desc desc = {.name = "Large",
                               .size = MICA_TYPE_SIZE_MAX,
                               .align = 8,
                               .storage = MICA_SPARSE,
                               .stable = stable};
        mica_type large = mica_type_register(world, &desc);
        mica_entity e = mica_spawn_values(world, NULL, 0);
        size_t before = mica_world_get_stats(world).memory.bytes;
        CHECK_EQUAL(MICA_OK, mica_add(world, e, large));
        CHECK(mica_world_get_stats(world).memory.bytes - before < MICA_TYPE_SIZE_MAX + 100000);
        mica_world_free(world);
    }
}

// relocating worlds

static void a_relocating_pool_moves_its_values_whenever_it_changes(void)
{
    static fixture f;
    fixture_begin(&f, true);
    mica_entity e[3];
    fixture_spawn_many(&f, 3, e);
    static const uint32_t packed[] = {NOTE, MOVED, HOOKED, WIDE};
    for (uint32_t s = 0; s < 4; s++) {
        micai_pool *pool = fixture_pool(&f, packed[s]);
        CHECK(!micai_pool_is_fast(pool));
        REQUIRE_EQUAL(MICA_OK,
                      micai_pool_reserve(&f.pools, pool, 3)); // they move only once each time
        for (uint32_t i = 0; i < 3; i++) {
            const void *before = i > 0 ? micai_pool_value(pool, 0) : NULL;
            fixture_give(&f, packed[s], e[i], i);
            CHECK(micai_pool_value(pool, 0) != before);
        }
        const void *before = micai_pool_value(pool, 0);
        fixture_take(&f, packed[s], e[0]);
        CHECK(micai_pool_value(pool, 0) != before);
        CHECK(fixture_says(&f, packed[s], e[1], 1) && fixture_says(&f, packed[s], e[2], 2));
        before = micai_pool_value(pool, 0);
        test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONWARDS);
        micai_pool_relocate(&f.pools, pool); // stays where it is, silently
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_POINTER(before, micai_pool_value(pool, 0));
    }
    fixture_give(&f, STABLE, e[0], 5);
    const void *stable = fixture_value(&f, STABLE, e[0]);
    fixture_give(&f, STABLE, e[1], 6);
    fixture_give(&f, MARK, e[1], 0);
    CHECK_POINTER(stable, fixture_value(&f, STABLE, e[0]));
    fixture_end(&f);
}

TESTS(pool, values_lie_side_by_side_in_the_order_they_came, who_leaves_is_replaced_by_the_last,
      the_only_one_leaves_and_comes_back, values_of_a_stable_pool_stay_while_others_come_and_go,
      a_span_ends_where_a_block_ends, capacity_grows_at_once_and_goes_when_it_is_cancelled,
      more_than_there_can_be_is_refused, a_join_that_gets_no_memory_leaves_the_pool_as_it_was,
      a_value_is_copied_out_of_the_pool_that_grows_for_it, several_values_are_made_behind_the_last,
      values_are_made_all_or_none, hooks_are_called_once_per_value,
      ticks_tell_the_last_write_of_a_stretch, entities_are_added_and_removed_as_bytes,
      a_full_pool_is_not_ready, room_that_is_not_used_is_given_back,
      holes_between_values_are_found_again_after_reclaiming, an_empty_pool_keeps_nothing,
      a_pool_that_is_abandoned_keeps_nothing, a_stable_pool_that_nobody_is_in_begins_anew,
      one_large_value_takes_no_more_than_a_block,
      a_relocating_pool_moves_its_values_whenever_it_changes)
