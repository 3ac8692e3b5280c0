// Leaves and blocks. index.h has the contract.
#include "store/table/index.h"

#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "store/table/store.h"

static bool grow_leaves(micai_host *host, micai_index *index, uint32_t count)
{
    mica_view_pool *view = &index->view;
    uint32_t had = view->leaf_count;
    if (count <= had) {
        return true;
    }
    if (!micai_array_grow(host, &view->leaves, &index->leaf_capacity, had, count - had,
                          sizeof *view->leaves, _Alignof(max_align_t))) {
        return false;
    }
    memset(view->leaves + had, 0, sizeof *view->leaves * (count - had));
    view->leaf_count = view->open_leaf_count = count;
    return true;
}

bool micai_index_reserve_leaf(micai_host *host, micai_index *index, uint32_t page)
{
    if (!grow_leaves(host, index, page + 1)) {
        return false;
    }
    uint32_t **leaf = &index->view.leaves[page];
    *leaf = *leaf ? *leaf : micai_alloc_zeroed(host, MICAI_LEAF_BYTES, 64);
    return *leaf != NULL;
}

// Returns log2 of the blocks per sheet.
static uint32_t sheet_shift(const micai_index *index)
{
    return MICAI_ROW_SHIFT - index->view.block_shift;
}

bool micai_index_reserve_blocks(micai_host *host, micai_index *index, uint32_t sheets)
{
    mica_view_pool *view = &index->view;
    uint32_t count = sheets << sheet_shift(index);
    return count <= index->block_capacity ||
           micai_array_grow(host, &view->blocks, &index->block_capacity, index->block_capacity,
                            count - index->block_capacity, sizeof *view->blocks,
                            _Alignof(max_align_t));
}

void micai_index_drop_leaf(micai_host *host, micai_index *index, uint32_t page)
{
    if (page < index->view.leaf_count) {
        micai_release(host, index->view.leaves[page], MICAI_LEAF_BYTES, 64);
        index->view.leaves[page] = NULL;
    }
}

static bool is_empty(const uint32_t *leaf)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        any |= leaf[i];
    }
    return any == 0;
}

static void drop_blocks(micai_host *host, micai_index *index)
{
    micai_array_drop(host, &index->view.blocks, &index->block_capacity, sizeof *index->view.blocks,
                     _Alignof(max_align_t));
}

bool micai_index_shrink_blocks(micai_host *host, micai_index *index, uint32_t sheets)
{
    uint32_t count = sheets << sheet_shift(index);
    if (count >= index->block_capacity) {
        return true;
    }
    mica_view_block *blocks = micai_alloc_array(host, count, sizeof *blocks, _Alignof(max_align_t));
    if (!blocks && count > 0) {
        return false;
    }
    if (count > 0) {
        memcpy(blocks, index->view.blocks, count * sizeof *blocks);
    }
    drop_blocks(host, index);
    index->view.blocks = blocks;
    index->block_capacity = count;
    return true;
}

void micai_index_trim(micai_host *host, micai_index *index)
{
    for (uint32_t page = 0; page < index->view.leaf_count; page++) {
        if (index->view.leaves[page] && is_empty(index->view.leaves[page])) {
            micai_index_drop_leaf(host, index, page);
        }
    }
}

void micai_index_free(micai_host *host, micai_index *index)
{
    mica_view_pool *view = &index->view;
    for (uint32_t page = 0; page < view->leaf_count; page++) {
        micai_index_drop_leaf(host, index, page);
    }
    micai_array_drop(host, &view->leaves, &index->leaf_capacity, sizeof *view->leaves,
                     _Alignof(max_align_t));
    drop_blocks(host, index);
    view->leaf_count = view->open_leaf_count = 0;
}

// Validation

static bool has_blocks(const micai_table *table)
{
    const micai_index *index = table->index;
    bool right = index->view.leaf_count <= index->leaf_capacity &&
                 index->view.open_leaf_count == index->view.leaf_count &&
                 table->sheets.count << sheet_shift(index) <= index->block_capacity;
    for (uint32_t i = 0; right && i < table->sheets.count; i++) {
        right = micai_sheet_has_blocks(table->sheets.items[i]);
    }
    return right;
}

static uint32_t count_entries(const micai_index *index)
{
    uint32_t entries = 0;
    for (uint32_t page = 0; page < index->view.leaf_count; page++) {
        const uint32_t *leaf = index->view.leaves[page];
        for (uint32_t i = 0; leaf && i < MICAI_SLOT_PAGE_SIZE; i++) {
            entries += leaf[i] != 0;
        }
    }
    return entries;
}

mica_result micai_index_validate(micai_store *store, const micai_table *table)
{
    if (!has_blocks(table)) {
        return micai_fail_invariant(store->host, "P15", "an index leads to other rows");
    }
    uint32_t found = 0;
    for (uint32_t row = 0; row < table->count; row++) {
        mica_entity entity = micai_table_entity(table, row);
        if (!micai_is_hole(entity)) {
            found += micai_slots_find(store->slots, entity) &&
                     micai_index_row(table->index, mica_entity_slot(entity)) == row;
        }
    }
    return found == table->count - table->index->hole_count && found == count_entries(table->index)
               ? MICA_OK
               : micai_fail_invariant(store->host, "P16",
                                      "rows and their entities do not find each other");
}
