// The layout of a pool's values. inspect.h has the contract.
#include "store/pool/inspect.h"

#include "store/pool/group.h"
#include "store/table/inspect.h"

void micai_pool_inspect(const micai_pool *pool, mica_pool_info *info_out)
{
    mica_table_info table = {0};
    micai_table_inspect(&pool->table, &table);
    info_out->count = micai_pool_size(pool);
    info_out->capacity = table.capacity;
    info_out->holes = pool->index.hole_count;
    info_out->bytes = table.bytes;
    info_out->groups = pool->groups.count;
    info_out->owner = pool->owner ? pool->owner->handle : (mica_group){0};
}

void micai_pool_inspect_rows(const micai_pool *pool, uint32_t row, mica_row_range *range_out)
{
    while (row < pool->table.count && micai_pool_is_hole(pool, row)) {
        row++;
    }
    if (row >= pool->table.count) {
        return;
    }
    micai_table_inspect_rows(&pool->table, pool->index.view.size > 0 ? pool->column : 0, row,
                             range_out);
    uint32_t end;
    range_out->changed = micai_table_tick(&pool->table, pool->column, row, &end);
    uint32_t count = 1;
    while (count < range_out->count && !micai_pool_is_hole(pool, row + count)) {
        count++;
    }
    range_out->count = count;
}
