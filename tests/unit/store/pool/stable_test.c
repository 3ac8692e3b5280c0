// The stable kind: values that stay where they are.
#include "store/table/kind_stable.h"
#include "unit/store/pool/fixture.h"

static void a_block_has_as_many_rows_as_fit(void)
{
    CHECK_EQUAL(MICAI_ROW_SHIFT, micai_stable_shift(1));
    CHECK_EQUAL(MICAI_ROW_SHIFT, micai_stable_shift(MICAI_BLOCK_BYTES / MICAI_ROWS));
    CHECK_EQUAL(1, micai_stable_shift(MICAI_BLOCK_BYTES / 2));
    CHECK_EQUAL(0, micai_stable_shift(MICAI_BLOCK_BYTES / 2 + 1));
    CHECK_EQUAL(0, micai_stable_shift(MICA_TYPE_SIZE_MAX));
    for (uint32_t size = 1; size <= MICA_TYPE_SIZE_MAX; size = size * 3 / 2 + 1) {
        uint32_t shift = micai_stable_shift(size);
        CHECK(shift == 0 || (uint64_t)size << shift <= MICAI_BLOCK_BYTES);
        CHECK(shift == MICAI_ROW_SHIFT || (uint64_t)size << (shift + 1) > MICAI_BLOCK_BYTES);
    }
}

static void check_values(const fixture *f, uint32_t number, const mica_entity *e,
                         const void *const *at, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        CHECK_POINTER(at[i], fixture_value(f, number, e[i]));
        CHECK(fixture_says(f, number, e[i], i));
    }
}

// Whatever happens to ids, flags and ticks of the rows, which do move.
static void a_value_never_moves_while_the_pool_grows_and_shrinks(void)
{
    enum { COUNT = 4 * (1 << MICA_VIEW_ROW_SHIFT) + 1, KEPT = 3 };
    static fixture f;
    static mica_entity e[COUNT];
    static const void *at[COUNT];
    static const uint32_t stable[] = {STABLE, STABLE_HOOKED};
    for (uint32_t s = 0; s < 4; s++) {
        uint32_t number = stable[s / 2];
        fixture_begin(&f, s % 2 == 1); // also in a world that relocates always
        fixture_spawn_many(&f, COUNT, e);
        micai_pool *pool = fixture_pool(&f, number);
        for (uint32_t i = 0; i < COUNT; i++) {
            fixture_give(&f, number, e[i], i);
            at[i] = fixture_value(&f, number, e[i]);
            check_values(&f, number, e, at, 0, i < KEPT ? i + 1 : KEPT);
        }
        check_values(&f, number, e, at, 0, COUNT);
        REQUIRE_EQUAL(MICA_OK, micai_pool_reserve(&f.pools, pool, 3 * COUNT));
        CHECK_POINTER(at[1], micai_store_follow(&f.store, at[1]));
        check_values(&f, number, e, at, 0, COUNT);
        micai_pool_cancel(&f.pools, pool);
        micai_store_clear_replaced(&f.store);
        check_values(&f, number, e, at, 0, COUNT);
        CHECK_VALID(&f);
        for (uint32_t i = KEPT; i < COUNT; i++) {
            fixture_take(&f, number, e[i]);
        }
        check_values(&f, number, e, at, 0, KEPT);
        size_t bytes = f.host->memory.bytes;
        REQUIRE_EQUAL(MICA_OK, micai_pools_reserve_reclaim(&f.pools));
        micai_pools_reclaim(&f.pools);
        CHECK(f.host->memory.bytes < bytes);
        check_values(&f, number, e, at, 0, KEPT);
        CHECK_EQUAL(0, pool->index.hole_count);
        for (uint32_t i = KEPT; i < COUNT; i++) {
            fixture_give(&f, number, e[i], i);
        }
        check_values(&f, number, e, at, 0, KEPT);
        CHECK_EQUAL(0, f.tracker.moves);
        CHECK_VALID(&f);
        fixture_end(&f);
    }
}

static void a_table_with_too_few_blocks_is_named(void)
{
    static fixture f;
    fixture_begin(&f, false);
    fixture_give(&f, STABLE, fixture_spawn(&f), 1);
    micai_pool *pool = fixture_pool(&f, STABLE);
    const micai_kind *kind = micai_table_kind(&pool->table, pool->column);
    CHECK_POINTER(&micai_kind_stable, kind);
    CHECK_EQUAL(MICA_OK, kind->validate(&f.store, &pool->table, pool->column));
    uint32_t capacity = pool->table.capacity;
    pool->table.capacity = MICAI_ROWS + 1;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, kind->validate(&f.store, &pool->table, pool->column));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT, "invariant P17 is broken: 'Stable' has too few blocks");
    pool->table.capacity = capacity;
    void **outside = micai_layout_outside(&pool->table.layout, pool->column);
    void *blocks = *outside;
    *outside = NULL;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, kind->validate(&f.store, &pool->table, pool->column));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    *outside = blocks;
    fixture_end(&f);
}

static void memory_of_blocks_is_known(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity e = fixture_spawn(&f);
    fixture_give(&f, STABLE, e, 1);
    const micai_pool *pool = fixture_pool(&f, STABLE);
    const micai_kind *kind = micai_table_kind(&pool->table, pool->column);
    const unsigned char *value = fixture_value(&f, STABLE, e);
    CHECK(kind->holds(&pool->table, pool->column, value, 1));
    CHECK(kind->holds(&pool->table, pool->column, value + 8 * MICAI_ROWS - 1, 1));
    CHECK(!kind->holds(&pool->table, pool->column, value + 8 * MICAI_ROWS, 1));
    CHECK(kind->holds(&pool->table, pool->column, value - 1, 2));
    CHECK(!kind->holds(&pool->table, pool->column, value - 1, 1));
    CHECK_EQUAL(8, micai_stable_rows(micai_pool_cell(pool, MICAI_ROWS), 8) +
                       (MICAI_ROWS < 8 ? 8 - MICAI_ROWS : 0));
    CHECK_EQUAL(1, micai_stable_rows(micai_pool_cell(pool, MICAI_ROWS - 1), 8));
    fixture_end(&f);
}

TESTS(stable, a_block_has_as_many_rows_as_fit, a_value_never_moves_while_the_pool_grows_and_shrinks,
      a_table_with_too_few_blocks_is_named, memory_of_blocks_is_known)
