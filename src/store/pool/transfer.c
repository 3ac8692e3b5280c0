// Moving values between a pool and tables. transfer.h has the contract.
#include "store/pool/transfer.h"

#include "base/canary.h"
#include "base/number.h"

// Adds rows of a table with a common tick to the pool. Their values are there already.
static void add_rows(micai_pools *pools, micai_pool *pool, micai_cell cell, uint32_t count,
                     uint64_t tick)
{
    for (uint32_t i = 0; i < count; i++, cell.row++) {
        uint32_t row = pool->table.count;
        const micai_cell to = micai_pool_cell(pool, row);
        bool fresh = (row & (MICAI_ROWS - 1)) == 0;
        uint64_t before = fresh ? 0 : pool->table.tail->pages[0].tick;
        micai_pool_add(pools, pool, row, micai_table_entity(cell.table, cell.row),
                       tick > before ? tick : before);
        bool off = pool->type->info.toggle && micai_toggle_is_off(cell);
        if (off && !MICAI_CANARY("store.storage_flag")) {
            micai_toggle_init(pools->store, to, true);
        }
        if (pool->type->info.row_stamps) {
            micai_ticks_set(to, micai_ticks_get(cell));
        }
    }
}

void micai_pool_take_table(micai_pools *pools, micai_pool *pool, const micai_table *table)
{
    micai_cell cell = {(micai_table *)table, micai_table_column(table, pool->type->number), 0};
    while (cell.row < table->count) {
        uint32_t end;
        uint64_t tick = micai_table_tick(table, cell.column, cell.row, &end);
        uint32_t first = pool->table.count;
        uint32_t rows = micai_sheet_rows(first, end - cell.row);
        micai_table_kind(table, cell.column)
            ->give(pools->store, cell, micai_pool_value(pool, first), rows);
        add_rows(pools, pool, cell, rows, tick);
        cell.row += rows;
    }
}

static const micai_record *record_at(const micai_pools *pools, const micai_pool *pool, uint32_t row)
{
    return micai_slots_at(pools->store->slots, mica_entity_slot(micai_pool_entity(pool, row)));
}

// Returns how many values of the pool from `row` on are adjacent and have adjacent target rows.
static uint32_t count_adjacent(const micai_pools *pools, const micai_pool *pool, uint32_t row)
{
    uint32_t most = micai_pool_span(pool, row);
    const micai_row first = micai_row_of(pools->store, record_at(pools, pool, row));
    uint32_t count = 1;
    while (count < most && micai_row_follows(first, record_at(pools, pool, row + count), count)) {
        count++;
    }
    return count;
}

void micai_pool_give_tables(micai_pools *pools, micai_pool *pool)
{
    micai_store *store = pools->store;
    for (uint32_t row = 0; row < pool->table.count;) {
        uint32_t count = count_adjacent(pools, pool, row);
        const micai_row target = micai_row_of(store, record_at(pools, pool, row));
        uint32_t column = micai_table_column(micai_row_table(target), pool->type->number);
        micai_cell cell = micai_row_cell(target, column);
        micai_table_kind(cell.table, column)->take(store, cell, micai_pool_value(pool, row), count);
        for (; count > 0; row++, cell.row++, count--) {
            if (pool->type->info.toggle) {
                micai_toggle_init(store, cell, micai_pool_is_off(pool, row));
            }
            if (pool->type->info.row_stamps) {
                micai_ticks_set(cell, micai_ticks_get(micai_pool_cell(pool, row)));
            }
        }
    }
}
