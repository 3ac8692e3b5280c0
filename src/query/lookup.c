// Looking into several pools at once. lookup_internal.h has the contract.
#include "query/lookup_internal.h"

#include <string.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "base/number.h"

// What is compared at once, and at most: it doubles while all are the same.
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

// One by one

// Is a slot in a pool? Its row is noted.
static inline uint32_t find_row(const micai_lookup *one, uint32_t slot, uint32_t at)
{
    uint32_t row = mica_view_pool_find(&one->view, slot);
    one->pool_rows[at] = row;
    return row != MICAI_INDEX_NONE;
}

// And not disabled there?
static inline uint32_t find_enabled_row(const micai_lookup *one, uint32_t slot, uint32_t at)
{
    uint32_t in = find_row(one, slot, at);
    return in && one->disabled ? !micai_pool_is_off(one->pool, one->pool_rows[at]) : in;
}

// Notes candidates whose entities are in all pools, of which there is one, or two; returns how many are in the
// block then. Nothing is decided on the way: of candidates that do not pass, the next takes the place. What is known of
// the pools is in registers, as the compiler knows how many there are.
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

// Up to the first entity that is not in the pool.
static inline uint32_t find_leading_rows(const micai_lookup one, const mica_entity *ids,
                                         uint32_t count)
{
    const mica_entity *next = ids;
    uint32_t *row = one.pool_rows;
    for (const mica_entity *end = ids + count; next < end; next++, row++) {
        *row = mica_view_pool_find(&one.view, mica_entity_slot(*next));
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

// Candidates are in the block whatever pools say.
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
                          uint32_t row, uint32_t rows, uint32_t noted)
{
    append_all(block, ids, row, noted);
    ids += noted;
    row += noted;
    rows -= noted;
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

// In the same order

// How many entities at the beginning are the same?
MICAI_NOINLINE static uint32_t count_same(const mica_entity *here, const mica_entity *there,
                                          uint32_t count)
{
    if (count >= STRIDE && memcmp(here, there, count * sizeof *here) == 0) {
        return count;
    }
    uint32_t same = 0;
    while (same < count && here[same].bits == there[same].bits) {
        same++;
    }
    return MICAI_CANARY("query.run") && same > 0 ? count : same;
}

// The entities of a pool from one on, whose row is noted, and no more of them than lie side by side; NULL if it
// is not there.
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

// Ids are compared, a stride in all pools before the next; no entity is looked up but the first.
uint32_t micai_lookups_find_run(const micai_lookups *all, const mica_entity *ids, uint32_t count,
                                bool last)
{
    const mica_entity *there[MICAI_LOOKUPS_MAX];
    uint32_t most = count;
    for (uint32_t n = 0; n < all->count; n++) {
        there[n] = find_in_pool(&all->list[n], ids[0], &most);
        if (!there[n]) {
            return 0;
        }
    }
    uint32_t same = 0;
    uint32_t asked = STRIDE;
    uint32_t equal = asked;
    for (uint32_t stride = STRIDE; equal == asked && same < most; same += equal) {
        equal = asked = micai_smaller(most - same, stride);
        for (uint32_t n = 0; n < all->count; n++) {
            equal = count_same(ids + same, there[n] + same, equal);
        }
        stride = micai_smaller(stride * 2, STRIDE_MAX);
    }
    return same >= MICAI_SHORT_RUN || (last && same == count) ? same : 0;
}
