// Whole rows on their way: values with a move hook, flags and row stamps go together.
#include "unit/store/pool/fixture.h"

enum { COUNT = 2 * (1 << MICA_VIEW_ROW_SHIFT) };

typedef struct rows {
    fixture f;
    micai_pool *pool;
    mica_entity e[COUNT];
} rows;

// Row i says i, was added at tick i + 1 and changed at i + 2, and is disabled if i is odd.
static void rows_begin(rows *r)
{
    fixture_begin(&r->f, false);
    fixture_spawn_many(&r->f, COUNT, r->e);
    r->pool = fixture_pool(&r->f, FULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        r->f.tick = i + 1;
        fixture_give(&r->f, FULL, r->e[i], i);
        r->f.tick = i + 2;
        micai_pool_stamp(r->pool, i, 1, i + 2);
        micai_toggle_set(&r->f.store, micai_pool_cell(r->pool, i), 1, i % 2 == 1, i + 2);
    }
}

// Is all of row `i` in this row now?
static bool is_row(const rows *r, uint32_t row, uint32_t i)
{
    micai_cell cell = micai_pool_cell(r->pool, row);
    micai_ticks ticks = micai_ticks_get(cell);
    return micai_pool_entity(r->pool, row).bits == r->e[i].bits &&
           tracked_is(&r->f.tracker, micai_pool_value(r->pool, row), i) && ticks.added == i + 1 &&
           ticks.changed == i + 2 && micai_toggle_is_off(cell) == (i % 2 == 1);
}

// Rows have been moved: who does that says so to the index and to the sheets.
static void rows_end(rows *r)
{
    for (uint32_t row = 0; row < r->pool->table.count; row++) {
        micai_index_set(&r->pool->index, micai_pool_entity(r->pool, row), row);
        micai_sheet_touch(micai_table_sheet(&r->pool->table, row), 0, r->f.tick);
    }
    fixture_end(&r->f);
}

static void a_row_has_all_that_was_put_there(void)
{
    static rows r;
    rows_begin(&r);
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK(is_row(&r, i, i));
    }
    CHECK(micai_pool_is_off(r.pool, 1) && !micai_pool_is_off(r.pool, 2));
    CHECK_VALID(&r.f);
    uint32_t gone = COUNT - 3;
    fixture_take(&r.f, FULL, r.e[2]); // the last takes its place, with all it has
    CHECK(is_row(&r, 2, COUNT - 1));
    fixture_take(&r.f, FULL, r.e[gone]);
    CHECK(is_row(&r, gone, COUNT - 2));
    rows_end(&r);
}

static void rows_are_exchanged_with_all_they_have(void)
{
    static rows r;
    static const uint32_t pairs[][2] = {{0, 1}, {1, COUNT - 1}, {2, COUNT / 2}, {COUNT - 2, 0}};
    rows_begin(&r);
    uint32_t at[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        at[i] = i;
    }
    tracked memory;
    r.f.tracker.moves = r.f.tracker.copies = r.f.tracker.destructs = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t a = pairs[i][0];
        uint32_t b = pairs[i][1];
        micai_row_exchange(&r.f.store, micai_row_at(&r.pool->table, a),
                           micai_row_at(&r.pool->table, b), &memory);
        uint32_t kept = at[a];
        at[a] = at[b];
        at[b] = kept;
        for (uint32_t row = 0; row < COUNT; row++) {
            CHECK(is_row(&r, row, at[row]));
        }
    }
    CHECK_EQUAL(3 * 4, r.f.tracker.moves);
    CHECK_EQUAL(0, r.f.tracker.copies + r.f.tracker.destructs);
    rows_end(&r);
}

static void rows_of_any_size_are_exchanged(void)
{
    static fixture f;
    static const uint32_t sorts[] = {NOTE, MARK, HOOKED, WIDE};
    fixture_begin(&f, false);
    mica_entity e[2];
    fixture_spawn_many(&f, 2, e);
    for (uint32_t s = 0; s < 4; s++) {
        fixture_give(&f, sorts[s], e[0], 1);
        fixture_give(&f, sorts[s], e[1], 2);
        micai_pool *pool = fixture_pool(&f, sorts[s]);
        micai_row_exchange(&f.store, micai_row_at(&pool->table, 0), micai_row_at(&pool->table, 1),
                           NULL);
        micai_index_set(&pool->index, e[0], 1);
        micai_index_set(&pool->index, e[1], 0);
        CHECK(sorts[s] == MARK ||
              (fixture_says(&f, sorts[s], e[0], 1) && fixture_says(&f, sorts[s], e[1], 2)));
        CHECK_VALID(&f);
    }
    fixture_end(&f);
}

static void a_row_waits_in_memory_with_all_it_has(void)
{
    static rows r;
    rows_begin(&r);
    uint32_t align;
    size_t size = micai_layout_row_size(&r.pool->table.layout, &align);
    CHECK(size >= sizeof(mica_entity) + sizeof(tracked) + 2 * sizeof(uint64_t) + 1);
    CHECK_EQUAL(_Alignof(tracked) > 8 ? _Alignof(tracked) : 8, align);
    unsigned char *memory = micai_alloc(r.f.host, size + 1, align);
    REQUIRE(memory != NULL);
    memory[size] = 0xa5; // nothing is written behind it
    r.f.tracker.moves = r.f.tracker.copies = r.f.tracker.destructs = 0;
    // The first goes behind all others, each of which moves on by one.
    micai_row_lift(&r.f.store, micai_row_at(&r.pool->table, 0), memory);
    CHECK_EQUAL(1, r.f.tracker.moves);
    for (uint32_t row = 0; row + 1 < COUNT; row++) {
        micai_row_relocate(&r.f.store, micai_row_at(&r.pool->table, row),
                           micai_row_at(&r.pool->table, row + 1));
    }
    micai_row_lower(&r.f.store, micai_row_at(&r.pool->table, COUNT - 1), memory);
    for (uint32_t row = 0; row < COUNT; row++) {
        CHECK(is_row(&r, row, (row + 1) % COUNT));
    }
    CHECK_EQUAL(COUNT + 1, r.f.tracker.moves);
    CHECK_EQUAL(0, r.f.tracker.copies + r.f.tracker.destructs);
    CHECK_EQUAL(0xa5, memory[size]);
    micai_release(r.f.host, memory, size + 1, align);
    rows_end(&r);
}

static void a_row_of_bytes_waits_in_memory(void)
{
    static fixture f;
    static const uint32_t sorts[] = {NOTE, MARK, HOOKED, WIDE};
    fixture_begin(&f, false);
    mica_entity e = fixture_spawn(&f);
    for (uint32_t s = 0; s < 4; s++) {
        fixture_give(&f, sorts[s], e, 9);
        const micai_pool *pool = fixture_pool(&f, sorts[s]);
        uint32_t align;
        size_t size = micai_layout_row_size(&pool->table.layout, &align);
        CHECK(sorts[s] != WIDE || (align == 256 && size == 512));
        CHECK(sorts[s] != MARK || (align == 8 && size == 8));
        void *memory = micai_alloc(f.host, size, align);
        REQUIRE(memory != NULL);
        micai_row row = micai_row_at(&pool->table, 0);
        micai_row_lift(&f.store, row, memory);
        micai_sheet_ids(row.sheet)[0] = (mica_entity){0};
        if (pool->index.view.size > 0) {
            memset(micai_pool_value(pool, 0), 0xee, pool->index.view.size);
        }
        micai_row_lower(&f.store, row, memory);
        CHECK_EQUAL(e.bits, micai_pool_entity(pool, 0).bits);
        CHECK(sorts[s] == MARK || fixture_says(&f, sorts[s], e, 9));
        micai_release(f.host, memory, size, align);
    }
    fixture_end(&f);
}

TESTS(pool_row, a_row_has_all_that_was_put_there, rows_are_exchanged_with_all_they_have,
      rows_of_any_size_are_exchanged, a_row_waits_in_memory_with_all_it_has,
      a_row_of_bytes_waits_in_memory)
