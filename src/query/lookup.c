// Lookups in several pools at once. lookup_internal.h has the contract.
#include "query/lookup_internal.h"

#include <string.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "base/number.h"

// How many ids are compared at once, at first and at most. It doubles while all are equal.
#define STRIDE (MICAI_SHORT_RUN << 1)
#define STRIDE_MAX (STRIDE << 4)

void micai_lookups_begin(micai_lookups *all_out)
{
    all_out->count = 0;
    all_out->disabled = false;
}

void micai_lookups_add(micai_lookups *all, const micai_pool *pool, bool certain, bool disabled,
                       uint32_t *pool_rows)
{
    micai_lookup *next = &all->list[all->count++];
    next->pool = pool;
    next->view = pool->index.view;
    next->contains_all = certain;
    next->disabled = disabled;
    next->pool_rows = pool_rows ? pool_rows : all->unused_rows;
    all->disabled = all->disabled || disabled;
}

// Row by row

// Stores the pool row of a slot. Returns whether the slot is in the pool.
static inline uint32_t find_row(const micai_lookup *one, uint32_t slot, uint32_t at)
{
    uint32_t row = mica_view_pool_find(&one->view, slot, one->view.leaf_count);
    one->pool_rows[at] = row;
    return row != MICAI_INDEX_NONE;
}

// Does the same, but only for an enabled value.
static inline uint32_t find_enabled_row(const micai_lookup *one, uint32_t slot, uint32_t at)
{
    uint32_t in = find_row(one, slot, at);
    return in && one->disabled ? !micai_pool_is_off(one->pool, one->pool_rows[at]) : in;
}

// Appends candidates that are in all of one or two pools. Returns the number of rows in the block.
// There is no branch: the next candidate overwrites one that does not pass. The number of pools is
// a constant for the compiler, so that their views stay in registers.
static inline uint32_t append_few(const micai_lookups *all, micai_block *block,
                                  const mica_entity *ids, uint32_t row, uint32_t rows, bool two)
{
    const micai_lookup first = all->list[0];
    const micai_lookup second = all->list[two];
    uint32_t *taken = block->rows;
    uint32_t count = block->count;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t slot = mica_entity_slot(ids[i]);
        uint32_t in = find_row(&first, slot, count);
        in &= two ? find_row(&second, slot, count) : 1;
        taken[count] = row + i;
        count += in;
    }
    return count;
}

// Stops at the first entity that is not in the pool.
static inline uint32_t find_leading_rows(const micai_lookup one, const mica_entity *ids,
                                         uint32_t count)
{
    const mica_entity *next = ids;
    uint32_t *row = one.pool_rows;
    for (const mica_entity *end = ids + count; next < end; next++, row++) {
        *row = mica_view_pool_find(&one.view, mica_entity_slot(*next), one.view.leaf_count);
        if (*row == MICAI_INDEX_NONE) {
            break;
        }
    }
    return (uint32_t)(next - ids);
}

static inline uint32_t find_all_rows(const micai_lookup one, const mica_entity *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        one.pool_rows[i] = *micai_index_at(&one.pool->index, mica_entity_slot(ids[i])) - 1;
    }
    return count;
}

uint32_t micai_lookups_find_rows(const micai_lookups *all, const mica_entity *ids, uint32_t count)
{
    for (uint32_t n = 0; n < all->count; n++) {
        const micai_lookup *one = &all->list[n];
        count = one->contains_all ? find_all_rows(*one, ids, count)
                                  : find_leading_rows(*one, ids, count);
    }
    return count;
}

void micai_lookups_filter(const micai_lookups *all, micai_block *block, uint32_t from)
{
    uint32_t count = from;
    for (uint32_t i = from; i < block->count; i++) {
        mica_entity entity = block->entities[i];
        uint32_t in = 1;
        for (uint32_t n = 0; n < all->count; n++) {
            in &= find_enabled_row(&all->list[n], mica_entity_slot(entity), count);
        }
        block->rows[count] = block->rows[i];
        block->entities[count] = entity;
        count += in;
    }
    block->count = count;
}

// Appends candidates without a lookup.
static void append_all(micai_block *block, const mica_entity *ids, uint32_t row, uint32_t rows)
{
    uint32_t from = block->count;
    memcpy(block->entities + from, ids, sizeof *ids * rows);
    for (uint32_t i = 0; i < rows; i++) {
        block->rows[from + i] = row + i;
    }
    block->count = from + rows;
}

void micai_lookups_append(const micai_lookups *all, micai_block *block, const mica_entity *ids,
                          uint32_t row, uint32_t rows, uint32_t found)
{
    append_all(block, ids, row, found);
    ids += found;
    row += found;
    rows -= found;
    uint32_t from = block->count;
    if (all->count == 0 || all->count > 2 || all->disabled) {
        append_all(block, ids, row, rows);
        micai_lookups_filter(all, block, from);
        return;
    }
    block->count = all->count == 1 ? append_few(all, block, ids, row, rows, false)
                                   : append_few(all, block, ids, row, rows, true);
    for (uint32_t i = from; i < block->count; i++) {
        block->entities[i] = ids[block->rows[i] - row];
    }
}

// Runs in the same order

// Returns how many of the first entities are equal.
MICAI_NOINLINE static uint32_t count_same(const mica_entity *here, const mica_entity *others,
                                          uint32_t count)
{
    if (count >= STRIDE && memcmp(here, others, count * sizeof *here) == 0) {
        return count;
    }
    uint32_t same = 0;
    while (same < count && here[same].bits == others[same].bits) {
        same++;
    }
    return MICAI_CANARY("query.run") && same > 0 ? count : same;
}

// Returns the entities of a pool from one on, and stores its pool row. Lowers `most` to the number
// that lie side by side. Returns NULL if the entity is not in the pool.
MICAI_NOINLINE static const mica_entity *find_in_pool(const micai_lookup *one, mica_entity entity,
                                                      uint32_t *most)
{
    uint32_t row = micai_pool_row(one->pool, mica_entity_slot(entity));
    one->pool_rows[0] = row;
    if (row == MICAI_INDEX_NONE) {
        return NULL;
    }
    *most = micai_smaller(*most, micai_pool_span(one->pool, row));
    return micai_pool_entities(one->pool, row);
}

// Only the first entity is looked up. Then ids are compared, one stride in all pools after the
// other.
uint32_t micai_lookups_find_run(const micai_lookups *all, const mica_entity *ids, uint32_t count,
                                bool last)
{
    const mica_entity *others[MICAI_LOOKUPS_MAX];
    uint32_t most = count;
    for (uint32_t n = 0; n < all->count; n++) {
        others[n] = find_in_pool(&all->list[n], ids[0], &most);
        if (!others[n]) {
            return 0;
        }
    }
    uint32_t same = 0;
    uint32_t compared = STRIDE;
    uint32_t equal = compared;
    for (uint32_t stride = STRIDE; equal == compared && same < most; same += equal) {
        equal = compared = micai_smaller(most - same, stride);
        for (uint32_t n = 0; n < all->count; n++) {
            equal = count_same(ids + same, others[n] + same, equal);
        }
        stride = micai_smaller(stride * 2, STRIDE_MAX);
    }
    return same >= MICAI_SHORT_RUN || (last && same == count) ? same : 0;
}
