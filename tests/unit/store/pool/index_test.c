// Indexes, through the pools that have them.
#include "store/pool/group.h"
#include "unit/store/pool/fixture.h"

static uint32_t count_leaves(const micai_index *index)
{
    uint32_t count = 0;
    for (uint32_t page = 0; page < index->view.leaf_count; page++) {
        count += micai_index_has_leaf(index, page);
    }
    return count;
}

static void a_leaf_is_made_on_demand(void)
{
    static fixture f;
    fixture_begin(&f, false);
    micai_index index = {.first_hole = MICAI_INDEX_NONE};
    const uint32_t slot = 3 * MICAI_SLOT_PAGE_SIZE + 1;
    CHECK_POINTER(NULL, micai_index_entry(&index, slot));
    CHECK_EQUAL(MICAI_INDEX_NONE, micai_index_row(&index, slot));
    bool got = false;
    for (uint64_t k = 1; !got; k++) {
        test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
        got = micai_index_reserve_leaf(f.host, &index, 3);
        CHECK_EQUAL(!got, test_error_clear(&f.t.error));
        CHECK_EQUAL(got, count_leaves(&index));
    }
    test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(4, index.view.leaf_count);
    CHECK(micai_index_has_leaf(&index, 3) && !micai_index_has_leaf(&index, 2));
    CHECK(!micai_index_has_leaf(&index, 4));
    CHECK_EQUAL(0, *micai_index_entry(&index, slot));
    CHECK_EQUAL(MICAI_INDEX_NONE, micai_index_row(&index, slot));
    micai_index_set(&index, mica_entity_make(slot, 1), 7);
    CHECK_EQUAL(7, micai_index_row(&index, slot));
    const uint32_t *leaf = index.view.leaves[3];
    CHECK(micai_index_reserve_leaf(f.host, &index, 3)); // it is there
    CHECK_POINTER(leaf, index.view.leaves[3]);
    CHECK(micai_index_reserve_leaf(f.host, &index, 0));
    CHECK_EQUAL(2, count_leaves(&index));
    micai_index_trim(f.host, &index); // that which leads nowhere
    CHECK_EQUAL(1, count_leaves(&index));
    CHECK_EQUAL(7, micai_index_row(&index, slot));
    micai_index_set(&index, mica_entity_make(slot, 1), MICAI_INDEX_NONE);
    CHECK_EQUAL(0, *micai_index_at(&index, slot));
    micai_index_trim(f.host, &index);
    CHECK_EQUAL(0, count_leaves(&index));
    micai_index_free(f.host, &index);
    CHECK(!index.view.leaves && index.view.leaf_count == 0);
    fixture_end(&f);
}

static void a_pool_has_leaves_where_its_entities_are(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity first = fixture_spawn(&f);
    mica_entity last = first;
    while (mica_entity_slot(last) < 2 * MICAI_SLOT_PAGE_SIZE) {
        last = fixture_spawn(&f);
    }
    const micai_pool *pool = fixture_pool(&f, NOTE);
    CHECK_EQUAL(0, count_leaves(&pool->index));
    fixture_give(&f, NOTE, last, 1);
    CHECK_EQUAL(1, count_leaves(&pool->index));
    CHECK(!micai_index_has_leaf(&pool->index, 0) && micai_index_has_leaf(&pool->index, 2));
    fixture_give(&f, NOTE, first, 1);
    CHECK_EQUAL(2, count_leaves(&pool->index));
    fixture_end(&f);
}

// Through the blocks, all rows are found: after growing, shrinking, and moving.
static void blocks_lead_to_all_rows(void)
{
    static fixture f;
    enum { COUNT = 3 * (1 << MICA_VIEW_ROW_SHIFT) + 1 };
    static mica_entity e[COUNT];
    static const uint32_t sorts[] = {NOTE, STABLE, WIDE, FULL, MARK};
    for (uint32_t s = 0; s < 5; s++) {
        fixture_begin(&f, s % 2 == 1);
        fixture_spawn_many(&f, COUNT, e);
        const micai_pool *pool = fixture_pool(&f, sorts[s]);
        for (uint32_t i = 0; i < COUNT; i++) {
            fixture_give(&f, sorts[s], e[i], i);
        }
        for (uint32_t i = 0; i < COUNT; i += 2) {
            fixture_take(&f, sorts[s], e[i]);
        }
        CHECK_EQUAL(MICA_OK, micai_pools_reserve_reclaim(&f.pools));
        micai_pools_reclaim(&f.pools);
        const mica_view_pool *view = &pool->index.view;
        const uint32_t mask = (UINT32_C(1) << view->block_shift) - 1;
        for (uint32_t row = 0; row < pool->table.count; row++) {
            const mica_view_block *block = &view->blocks[row >> view->block_shift];
            CHECK_EQUAL(micai_pool_entity(pool, row).bits, block->entities[row & mask].bits);
            CHECK_EQUAL(sorts[s] == MARK, !block->data);
            CHECK_EQUAL(sorts[s] == FULL || sorts[s] == MARK, !block->tick);
            CHECK_EQUAL(sorts[s] == FULL, block->flags != NULL);
            CHECK_POINTER(NULL, block->flags_tick); // rows have ticks of their own
            CHECK(sorts[s] == MARK || micai_table_at(micai_pool_cell(pool, row)) ==
                                          block->data + (size_t)(row & mask) * view->size);
        }
        CHECK_VALID(&f);
        fixture_end(&f);
    }
}

static void a_block_that_leads_elsewhere_is_named(void)
{
    static fixture f;
    fixture_begin(&f, false);
    fixture_give(&f, NOTE, fixture_spawn(&f), 1);
    micai_pool *pool = fixture_pool(&f, NOTE);
    mica_view_block *block = pool->index.view.blocks;
    const mica_view_block right = *block;
    uint64_t tick = 0;
    block->data++;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_pools_validate(&f.pools, &f.registry, f.tick));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT, "invariant P15 is broken: an index leads to other rows");
    *block = right;
    block->tick = &tick;
    CHECK_BROKEN(&f, "P15");
    *block = right;
    block->entities++;
    CHECK_BROKEN(&f, "P15");
    *block = right;
    block->flags = (unsigned char *)&tick;
    CHECK_BROKEN(&f, "P15");
    *block = right;
    block->flags_tick = &tick;
    CHECK_BROKEN(&f, "P15");
    *block = right;
    uint32_t capacity = pool->index.block_capacity;
    pool->index.block_capacity = 0;
    CHECK_BROKEN(&f, "P15");
    pool->index.block_capacity = capacity;
    capacity = pool->index.leaf_capacity;
    pool->index.leaf_capacity = 0;
    CHECK_BROKEN(&f, "P15");
    pool->index.leaf_capacity = capacity;
    fixture_end(&f);
}

static void a_row_that_is_not_found_is_named(void)
{
    static fixture f;
    fixture_begin(&f, false);
    mica_entity e[3];
    fixture_spawn_many(&f, 3, e);
    fixture_give(&f, NOTE, e[0], 1);
    fixture_give(&f, NOTE, e[1], 1);
    micai_pool *pool = fixture_pool(&f, NOTE);
    uint32_t *first = micai_index_entry(&pool->index, mica_entity_slot(e[0]));
    uint32_t *third = micai_index_entry(&pool->index, mica_entity_slot(e[2]));
    *first = 2; // another's
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_pools_validate(&f.pools, &f.registry, f.tick));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT,
                "invariant P16 is broken: rows and their entities do not find each other");
    *first = 0;
    CHECK_BROKEN(&f, "P16");
    *first = 1;
    *third = 1; // of one that is not there
    CHECK_BROKEN(&f, "P16");
    *third = 0;
    mica_entity *ids = micai_sheet_ids(pool->table.sheets.items[0]);
    ids[1] = mica_entity_make(mica_entity_slot(e[1]), mica_entity_generation(e[1]) + 1);
    CHECK_BROKEN(&f, "P16"); // is not alive
    ids[1] = e[1];
    fixture_end(&f);
}

static void a_leaf_without_presence_is_named(void)
{
    static fixture f;
    fixture_begin(&f, false);
    micai_pool *pool = fixture_pool(&f, NOTE);
    REQUIRE_EQUAL(MICA_OK, micai_pool_reserve_slot(&f.pools, pool, 0));
    uint64_t *masks = pool->presence->pages.items[0];
    pool->presence->pages.items[0] = NULL;
    f.pools.words.items[0] = 0;
    CHECK_BROKEN(&f, "P4");
    pool->presence->pages.items[0] = masks;
    micai_pools_note_words(&f.pools);
    fixture_end(&f);
}

static void the_list_of_a_group_has_what_its_pool_has(void)
{
    static fixture f;
    fixture_begin(&f, false);
    const micai_group_plan plan = {.types = {fixture_type(&f, NOTE), fixture_type(&f, MARK)},
                                   .needed_count = 2,
                                   .type_count = 2};
    mica_entity e = fixture_spawn(&f);
    fixture_give(&f, NOTE, e, 1);
    micai_group *group = micai_group_new(&f.pools, f.registry.seal, &plan, f.tick);
    REQUIRE(group && group->list);
    micai_pool *list = group->list;
    micai_pool *pool = fixture_pool(&f, NOTE);
    CHECK_EQUAL(0, micai_group_size(group));
    CHECK_EQUAL(1, count_leaves(&list->index));
    fixture_give(&f, MARK, e, 0);
    CHECK_EQUAL(1, micai_group_size(group));
    CHECK_EQUAL(e.bits, micai_pool_entity(list, 0).bits);
    CHECK_EQUAL(0, micai_pool_row(list, mica_entity_slot(e)));
    for (uint32_t i = 0; i < 2 * MICAI_ROWS; i++) {
        mica_entity other = fixture_spawn(&f);
        fixture_give(&f, NOTE, other, i);
        CHECK(list->table.capacity >= pool->table.capacity);
    }
    CHECK_EQUAL(count_leaves(&pool->index), count_leaves(&list->index));
    CHECK_VALID(&f);
    uint32_t *leaf = list->index.view.leaves[0];
    list->index.view.leaves[0] = NULL;
    CHECK_BROKEN(&f, "P10");
    list->index.view.leaves[0] = leaf;
    fixture_take(&f, MARK, e);
    CHECK_EQUAL(0, micai_group_size(group));
    CHECK_EQUAL(MICAI_INDEX_NONE, micai_pool_row(list, mica_entity_slot(e)));
    REQUIRE_EQUAL(MICA_OK, micai_pool_reserve(&f.pools, pool, 9 * MICAI_ROWS));
    micai_pool_cancel(&f.pools, pool);
    CHECK_EQUAL(pool->table.sheets.count, list->table.sheets.count);
    CHECK_VALID(&f);
    fixture_end(&f);
}

// Whichever allocation fails, the pool or its list: what was got is used, and what was not is asked for again.
static void a_list_that_gets_no_memory_gets_it_later(void)
{
    for (uint64_t k = 1; k < 12; k++) {
        static fixture f;
        fixture_begin(&f, false);
        const micai_group_plan plan = {.types = {fixture_type(&f, NOTE), fixture_type(&f, MARK)},
                                       .needed_count = 2,
                                       .type_count = 2};
        micai_group *group = micai_group_new(&f.pools, f.registry.seal, &plan, f.tick);
        REQUIRE(group && group->list);
        micai_pool *pool = fixture_pool(&f, NOTE);
        do {
            fixture_give(&f, NOTE, fixture_spawn(&f), 1);
        } while (pool->table.count < pool->table.capacity);
        test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = micai_pool_reserve(&f.pools, pool, 1);
        CHECK_EQUAL(result != MICA_OK, test_error_clear(&f.t.error));
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_VALID(&f);
        CHECK_EQUAL(MICA_OK, micai_pool_reserve(&f.pools, pool, 1));
        CHECK(group->list->table.capacity >= pool->table.capacity);
        CHECK_VALID(&f);
        fixture_end(&f);
    }
}

TESTS(index, a_leaf_is_made_on_demand, a_pool_has_leaves_where_its_entities_are,
      blocks_lead_to_all_rows, a_block_that_leads_elsewhere_is_named,
      a_row_that_is_not_found_is_named, a_leaf_without_presence_is_named,
      the_list_of_a_group_has_what_its_pool_has, a_list_that_gets_no_memory_gets_it_later)
