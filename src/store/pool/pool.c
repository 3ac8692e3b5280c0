// One pool: capacity, values, adding and removing rows. pool.h has the contract.
#include "store/pool/pool.h"

#include <string.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "base/number.h"
#include "store/pool/group.h"
#include "store/table/debug_relocate.h"
#include "store/table/kind_stable.h"
#include "store/table/shrink.h"

static micai_host *host_of(const micai_pools *pools)
{
    return pools->store->host;
}

static bool is_stable(const micai_pool *pool)
{
    return pool->table.layout.outside;
}

uint32_t micai_pool_span(const micai_pool *pool, uint32_t row)
{
    uint32_t rest = pool->table.count - row;
    if (is_stable(pool)) {
        return micai_stable_rows(micai_pool_cell(pool, row), rest);
    }
    const micai_sheet *sheet = micai_table_sheet(&pool->table, row);
    return micai_smaller(((sheet->index + sheet->adjacent) << MICAI_ROW_SHIFT) - row, rest);
}

// Creation

bool micai_pool_has_column(const micai_type *type)
{
    return type && (type->info.size > 0 || type->info.toggle || type->info.row_stamps);
}

static mica_result make_layout(micai_host *host, const micai_type *type, micai_layout *layout_out)
{
    micai_type *const types[1] = {(micai_type *)type};
    const uint64_t words[1] = {1};
    return micai_layout_make(host, types, words, micai_pool_has_column(type), layout_out);
}

micai_pool *micai_pool_new(micai_pools *pools, const micai_type *type)
{
    micai_host *host = host_of(pools);
    micai_pool *pool = micai_alloc_zeroed(host, sizeof *pool, _Alignof(micai_pool));
    if (!pool) {
        return NULL;
    }
    if (make_layout(host, type, &pool->table.layout)) {
        micai_release(host, pool, sizeof *pool, _Alignof(micai_pool));
        return NULL;
    }
    mica_view_pool *view = &pool->index.view;
    view->size = type ? type->info.size : 0;
    view->hidden = type && type->relation ? MICAI_POOL_LINKS : 0;
    view->block_shift =
        type && type->info.stable ? micai_stable_shift(view->size) : MICAI_ROW_SHIFT;
    pool->index.first_hole = MICAI_INDEX_NONE;
    pool->table.index = &pool->index;
    pool->type = type;
    pool->column = micai_pool_has_column(type);
    pool->relation = type && pools->links ? type->relation : NULL;
    return pool;
}

uint8_t micai_pool_find_fast_paths(const micai_pools *pools, const micai_pool *pool)
{
    const micai_type *type = pool->type;
    bool bytes = pool->table.layout.bytes && !pools->store->relocate_always && !type->relation;
    bool plain = pool->groups.count == 0 && !type->info.toggle && !type->info.row_stamps;
    return (uint8_t)((bytes ? MICAI_FAST_BYTES : 0) | (plain ? MICAI_FAST_PLAIN : 0) |
                     (micai_type_is_watched(type, MICAI_WATCH_ROWS) ? 0 : MICAI_FAST_UNOBSERVED) |
                     (micai_type_is_watched(type, MICAI_WATCH_MATCHES) ? 0 : MICAI_FAST_UNMATCHED));
}

void micai_pool_update_fast_paths(const micai_pools *pools, micai_pool *pool)
{
    pool->fast_paths = micai_pool_find_fast_paths(pools, pool);
    pool->table.fast_paths = pool->fast_paths & MICAI_FAST_BYTES;
    if (pool->type->info.toggle) {
        micai_toggle_update_pointers(pools->store, &pool->table, pool->column);
    }
}

// Capacity

// Gives the lists of groups whose first pool this is at least the same capacity.
static mica_result reserve_lists(micai_pools *pools, const micai_pool *pool, uint32_t capacity)
{
    mica_result result = MICA_OK;
    MICAI_FOR_LISTS(list, pool)
    {
        uint32_t extra = capacity - list->table.count;
        result = result ? result : micai_table_reserve(pools->store, &list->table, extra);
    }
    return result;
}

mica_result micai_pool_reserve(micai_pools *pools, micai_pool *pool, uint32_t extra)
{
    if (micai_table_is_ready(&pool->table, extra)) {
        return MICA_OK;
    }
    mica_result result = reserve_lists(pools, pool, micai_table_plan_capacity(&pool->table, extra));
    return result ? result : micai_table_reserve(pools->store, &pool->table, extra);
}

void micai_pool_cancel(micai_pools *pools, micai_pool *pool)
{
    micai_table *table = &pool->table;
    uint32_t rows = table->promised > table->count ? table->promised : table->count;
    micai_table_drop_sheets(pools->store, table, (rows + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT);
    if (table->layout.outside) {
        micai_table_kind(table, 1)->trim(pools->store, table, 1, table->capacity);
    }
    MICAI_FOR_LISTS(list, pool)
    {
        micai_table_drop_sheets(pools->store, &list->table, table->sheets.count);
    }
}

static bool grow_presence(micai_pools *pools, micai_presence *presence, uint32_t count)
{
    uint32_t had = presence->pages.count;
    if (count <= had) {
        return true;
    }
    if (!micai_array_reserve(host_of(pools), &presence->pages, count - had)) {
        return false;
    }
    memset(presence->pages.items + had, 0, sizeof *presence->pages.items * (count - had));
    presence->pages.count = count;
    return true;
}

static bool grow_words(micai_pools *pools, uint32_t count)
{
    uint32_t had = pools->words.count;
    if (count > had && !micai_array_reserve(host_of(pools), &pools->words, count - had)) {
        return false;
    }
    while (pools->words.count < count) {
        pools->words.items[pools->words.count++] = 0;
    }
    return true;
}

static bool get_masks(micai_pools *pools, const micai_pool *pool, uint32_t page)
{
    micai_presence *presence = pool->presence;
    if (!grow_words(pools, page + 1) || !grow_presence(pools, presence, page + 1)) {
        return false;
    }
    uint64_t **masks = &presence->pages.items[page];
    *masks = *masks ? *masks : micai_alloc_zeroed(host_of(pools), MICAI_MASK_BYTES, 64);
    if (*masks) {
        pools->words.items[page] |= micai_presence_bit(pool->type->sparse / 64);
    }
    return *masks != NULL;
}

// Allocates a leaf, and before it the page of presence and the leaves of lists.
static bool get_page(micai_pools *pools, micai_pool *pool, uint32_t page)
{
    bool got = !pool->presence || get_masks(pools, pool, page);
    MICAI_FOR_LISTS(list, pool)
    {
        got = got && micai_index_reserve_leaf(host_of(pools), &list->index, page);
    }
    return got && micai_index_reserve_leaf(host_of(pools), &pool->index, page);
}

mica_result micai_pool_reserve_slot(micai_pools *pools, micai_pool *pool, uint32_t slot)
{
    bool there = micai_index_entry(&pool->index, slot) != NULL;
    if (!there && !get_page(pools, pool, slot >> MICAI_SLOT_PAGE_SHIFT)) {
        return MICA_ERROR_MEMORY;
    }
    return pool->relation ? pools->links->ops->reserve_slot(pools->links, pool->relation, slot)
                          : MICA_OK;
}

mica_result micai_pool_reserve_slots(micai_pools *pools, micai_pool *pool,
                                     micai_slot_capacity coming)
{
    const micai_slots *slots = pools->store->slots;
    uint32_t count = slots->view.page_count;
    uint32_t fresh = slots->fresh >> MICAI_SLOT_PAGE_SHIFT;
    uint32_t end = micai_slots_page_end(slots, coming);
    for (uint32_t page = 0; page < count || page < end; page++) {
        bool there = (page < count && slots->view.pages[page]) || (page >= fresh && page < end);
        if (there && micai_pool_reserve_slot(pools, pool, page << MICAI_SLOT_PAGE_SHIFT)) {
            return MICA_ERROR_MEMORY;
        }
    }
    return MICA_OK;
}

// Raw values

mica_result micai_pool_construct(micai_pools *pools, micai_pool *pool, uint32_t row, uint32_t count,
                                 const void *data, uint32_t stride)
{
    return pool->index.view.size == 0
               ? MICA_OK
               : micai_paged_construct(pools->store, micai_pool_cell(pool, row), count, data,
                                       stride);
}

void micai_pool_undo(micai_pools *pools, micai_pool *pool, uint32_t row, uint32_t count,
                     const void *data, uint32_t stride)
{
    const unsigned char *source = data;
    if (pool->index.view.size == 0) {
        return;
    }
    if (!data) {
        micai_paged_destruct(pools->store, micai_pool_cell(pool, row), count);
        return;
    }
    for (uint32_t i = count; i-- > 0;) {
        micai_hook_undo_copy(pools->store->gate, pool->type, micai_pool_value(pool, row + i),
                             source + (size_t)i * stride, 1);
    }
}

// Adding and removing

// Sets the flags and ticks of a new row.
static void begin_row(micai_pools *pools, micai_pool *pool, uint32_t row)
{
    if (!pool->type) {
        return;
    }
    if (pool->type->info.toggle) {
        micai_toggle_init(pools->store, micai_pool_cell(pool, row), false);
    }
    if (pool->type->info.row_stamps) {
        micai_ticks_init(pools->store, micai_pool_cell(pool, row), 1);
    }
}

static void fill_first_hole(micai_pool *pool, mica_entity entity, uint64_t tick)
{
    micai_row hole = micai_row_at(&pool->table, pool->index.first_hole);
    pool->index.first_hole = (uint32_t)micai_row_entity(hole).bits;
    pool->index.hole_count--;
    micai_sheet_ids(hole.sheet)[hole.offset] = entity;
    micai_sheet_touch_row(hole.sheet, hole.offset, tick);
}

// Links a new row to the target that is its value.
static void link_row(micai_pools *pools, const micai_pool *pool, uint32_t row, mica_entity source)
{
    mica_entity target;
    memcpy(&target, micai_pool_value(pool, row), sizeof target);
    pools->links->ops->add(pools->links, pool->relation, source, target);
}

void micai_pool_add(micai_pools *pools, micai_pool *pool, uint32_t row, mica_entity entity,
                    uint64_t tick)
{
    uint32_t slot = mica_entity_slot(entity);
    if (row == pool->index.first_hole) {
        fill_first_hole(pool, entity, tick);
    } else {
        micai_row_append(&pool->table, entity, tick);
    }
    begin_row(pools, pool, row);
    micai_index_set(&pool->index, entity, row);
    if (pool->relation) {
        link_row(pools, pool, row, entity);
    }
    if (pool->presence) {
        *micai_pool_mask(pool, slot) |= pool->bit;
        pools->row_count++;
        micai_pool_regroup(pools, pool, slot, tick);
    }
}

MICAI_COLD void micai_pool_zero(void *value, uint32_t size)
{
    memset(value, 0, size);
}

void micai_pool_fill_hole(micai_pool *pool, uint32_t row, uint64_t tick)
{
    const micai_row hole = micai_row_at(&pool->table, row);
    const micai_row last = micai_row_raw(&pool->table);
    uint32_t size = pool->index.view.size;
    micai_index_set(&pool->index, micai_row_fill_id(hole, last, tick), row);
    if (!micai_pool_admits(pool, MICAI_FAST_PLAIN) && !MICAI_CANARY("store.pool_flag")) {
        micai_row_fill_hole(hole, last);
    } else if (size > 0) {
        micai_row_copy_cell(&hole.sheet->pages[1], hole.offset, &last.sheet->pages[1], last.offset,
                            size);
    }
}

void micai_pool_append_bytes(micai_pools *pools, micai_pool *pool, uint32_t *entry,
                             mica_entity entity, const void *data, uint64_t tick)
{
    micai_pool_add_fast(pools, pool, entry, entity, data, tick);
    if (!micai_pool_admits(pool, MICAI_FAST_PLAIN)) {
        begin_row(pools, pool, *entry - 1);
    }
}

void micai_pool_add_bytes(micai_pools *pools, micai_pool *pool, uint32_t *entry, mica_entity entity,
                          const void *data, uint64_t tick)
{
    micai_pool_append_bytes(pools, pool, entry, entity, data, tick);
    micai_pool_regroup(pools, pool, mica_entity_slot(entity), tick);
}

void micai_pool_remove_bytes(micai_pools *pools, micai_pool *pool, uint32_t *entry, uint32_t slot,
                             uint64_t tick)
{
    *micai_pool_mask(pool, slot) &= ~pool->bit;
    micai_pool_regroup(pools, pool, slot, tick);
    micai_pool_remove_fast(pools, pool, entry, slot, tick);
}

static void make_hole(micai_pools *pools, micai_pool *pool, uint32_t row)
{
    if (pool->type->info.toggle) {
        micai_toggle_init(pools->store, micai_pool_cell(pool, row), false);
    }
    micai_row hole = micai_row_at(&pool->table, row);
    micai_sheet_ids(hole.sheet)[hole.offset].bits = pool->index.first_hole;
    micai_sheet_mark_row(hole.sheet, hole.offset);
    pool->index.first_hole = row;
    pool->index.hole_count++;
}

static void forget_rows(micai_pool *pool)
{
    micai_table_set_count(&pool->table, 0);
    pool->index.hole_count = 0;
    pool->index.first_hole = MICAI_INDEX_NONE;
}

void micai_pool_take_out(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick)
{
    uint32_t row = micai_pool_row(pool, slot);
    if (pool->relation) {
        pools->links->ops->remove(pools->links, pool->relation, micai_pool_entity(pool, row));
    }
    if (pool->index.view.size > 0) {
        micai_paged_destruct(pools->store, micai_pool_cell(pool, row), 1);
    }
    *micai_index_at(&pool->index, slot) = 0;
    mica_entity moved;
    if (!is_stable(pool)) {
        bool filled =
            micai_row_drop_indexed(pools->store, micai_row_at(&pool->table, row), tick, &moved);
        if (filled && !MICAI_CANARY("store.pool_fill")) {
            micai_index_set(&pool->index, moved, row);
        }
    } else if (micai_pool_size(pool) == 1) { // the last entity: remove all rows and holes
        forget_rows(pool);
    } else {
        make_hole(pools, pool, row);
    }
}

void micai_pool_remove(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick)
{
    *micai_pool_mask(pool, slot) &= ~pool->bit;
    micai_pool_regroup(pools, pool, slot, tick);
    pools->row_count--;
    micai_pool_take_out(pools, pool, slot, tick);
}

void micai_pool_relocate(micai_pools *pools, micai_pool *pool)
{
    if (pools->store->relocate_always && pool->table.count > 0) {
        micai_debug_relocate_from(pools->store, &pool->table, 0);
    }
}

// Going back in time

void micai_pool_unlink_rows(micai_pools *pools, micai_pool *pool, uint32_t row, uint32_t end)
{
    for (; row < end; row++) {
        mica_entity entity = micai_pool_entity(pool, row);
        uint32_t slot = mica_entity_slot(entity);
        if (micai_is_hole(entity) || *micai_index_at(&pool->index, slot) != row + 1) {
            continue;
        }
        *micai_index_at(&pool->index, slot) = 0;
        if (pool->presence) {
            *micai_pool_mask(pool, slot) &= ~pool->bit;
            pools->row_count--;
        }
    }
}

void micai_pool_link_rows(micai_pools *pools, micai_pool *pool, uint32_t row, uint32_t end)
{
    for (; row < end; row++) {
        mica_entity entity = micai_pool_entity(pool, row);
        uint32_t slot = mica_entity_slot(entity);
        if (micai_is_hole(entity) || *micai_index_at(&pool->index, slot) == row + 1) {
            continue;
        }
        *micai_index_at(&pool->index, slot) = row + 1;
        if (pool->presence) {
            *micai_pool_mask(pool, slot) |= pool->bit;
            pools->row_count++;
        }
    }
}

// All rows

// Removes all rows. Destroys their values unless they have been relocated.
static void remove_all(micai_pools *pools, micai_pool *pool, bool relocated)
{
    if (pool->relation && pools->links) { // relations are freed before pools
        pools->links->ops->clear(pools->links, pool->relation);
    }
    for (uint32_t row = 0; row < pool->table.count; row++) {
        if (!micai_pool_is_hole(pool, row)) {
            if (pool->index.view.size > 0 && !relocated) {
                micai_paged_destruct(pools->store, micai_pool_cell(pool, row), 1);
            }
            mica_entity entity = micai_pool_entity(pool, row);
            *micai_index_at(&pool->index, mica_entity_slot(entity)) = 0;
            if (pool->presence) {
                *micai_pool_mask(pool, mica_entity_slot(entity)) &= ~pool->bit;
                pools->row_count--;
            }
        }
    }
    forget_rows(pool);
    micai_toggle_unmark(pools->store, &pool->table);
}

void micai_pool_clear(micai_pools *pools, micai_pool *pool)
{
    remove_all(pools, pool, false);
}

void micai_pool_vacate(micai_pools *pools, micai_pool *pool)
{
    remove_all(pools, pool, true);
}

// Frees the rows and leaves of an empty pool.
static void release(micai_pools *pools, micai_pool *pool)
{
    micai_store_drop_replaced(pools->store, &pool->table, NULL);
    micai_table_trim(pools->store, &pool->table);
    micai_index_free(host_of(pools), &pool->index);
}

void micai_pool_abandon(micai_pools *pools, micai_pool *pool)
{
    micai_pool_vacate(pools, pool);
    release(pools, pool);
    pools->by_type.items[pool->type->number] = NULL;
    pools->store->structure++;
}

void micai_pool_free(micai_pools *pools, micai_pool *pool)
{
    micai_host *host = host_of(pools);
    micai_pool_clear(pools, pool);
    release(pools, pool);
    micai_layout_free(host, &pool->table.layout);
    micai_array_free(host, &pool->groups);
    micai_release(host, pool, sizeof *pool, _Alignof(micai_pool));
}

// Reclaiming

// Removes holes after the last value. Rebuilds the list of the others, lowest first.
static void drop_last_holes(micai_pool *pool)
{
    micai_index *index = &pool->index;
    uint32_t end = pool->table.count;
    while (end > 0 && micai_pool_is_hole(pool, end - 1)) {
        end--;
    }
    index->hole_count -= pool->table.count - end;
    micai_table_set_count(&pool->table, end);
    index->first_hole = MICAI_INDEX_NONE;
    for (uint32_t row = end; index->hole_count > 0 && row-- > 0;) {
        if (micai_pool_is_hole(pool, row)) {
            micai_row hole = micai_row_at(&pool->table, row);
            micai_sheet_ids(hole.sheet)[hole.offset].bits = index->first_hole;
            micai_sheet_mark_row(hole.sheet, hole.offset);
            index->first_hole = row;
        }
    }
}

mica_result micai_pool_reserve_reclaim(micai_pools *pools, micai_pool *pool)
{
    micai_table_trim(pools->store, &pool->table);
    mica_result result = micai_shrink_table(pools->store, &pool->table);
    bool shrunk =
        result || micai_index_shrink_blocks(host_of(pools), &pool->index, pool->table.sheets.count);
    return shrunk ? result : MICA_ERROR_MEMORY;
}

// Frees capacity and leaves of a list that its first pool does not have.
static void reclaim_list(micai_pools *pools, const micai_pool *pool, micai_pool *list)
{
    micai_table_drop_sheets(pools->store, &list->table, pool->table.sheets.count);
    if (list->table.sheets.count == 0) {
        micai_table_trim(pools->store, &list->table);
    }
    for (uint32_t page = 0; page < list->index.view.leaf_count; page++) {
        if (!micai_index_has_leaf(&pool->index, page)) {
            micai_index_drop_leaf(host_of(pools), &list->index, page);
        }
    }
}

void micai_pool_reclaim(micai_pools *pools, micai_pool *pool)
{
    if (is_stable(pool)) {
        drop_last_holes(pool);
        micai_table_trim(pools->store, &pool->table);
    }
    micai_toggle_unmark(pools->store, &pool->table);
    micai_index_trim(host_of(pools), &pool->index);
    MICAI_FOR_LISTS(list, pool)
    {
        reclaim_list(pools, pool, list);
    }
}
