// Looking into several pools at once. plain.h has the contract.
#include "query/iterate_pools_internal.h"

#include <string.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "base/number.h"

#define STRIDE (MICAI_SHORT_RUN << 1) // what is compared at once

void micai_others_begin(micai_others *all_out)
{
    all_out->count = 0;
    all_out->watched = false;
    all_out->list[0] = (micai_other){0};
}

void micai_others_add(micai_others *all, const micai_pool *pool, bool disabled, uint32_t *places)
{
    micai_other *next = &all->list[all->count++];
    next->pool = pool;
    next->view = pool->index.view;
    next->disabled = disabled;
    next->places = places ? places : all->unread;
    all->watched = all->watched || disabled;
}

// One by one

// Is a slot in a pool? Its place is noted.
static inline uint32_t note_place(const micai_other *one, uint32_t slot, uint32_t at)
{
    uint32_t place = mica_view_pool_find(&one->view, slot);
    one->places[at] = place;
    return place != MICAI_INDEX_NONE;
}

// And not disabled there?
static inline uint32_t note_enabled(const micai_other *one, uint32_t slot, uint32_t at)
{
    uint32_t in = note_place(one, slot, at);
    return in && one->disabled ? !micai_pool_is_off(one->pool, one->places[at]) : in;
}

// Notes the rows whose entities are in all pools, of which there is one, or two; returns how many are in the
// block then. Nothing is decided on the way: of rows that do not pass, the next takes the place. What is known of
// the pools is in registers, as the compiler knows how many there are.
static inline uint32_t note_rows(const micai_others *all, micai_block *block,
                                 const mica_entity *ids, uint32_t row, uint32_t rows, bool two)
{
    const micai_other first = all->list[0];
    const micai_other second = all->list[two];
    uint32_t *taken = block->rows;
    uint32_t count = block->count;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t slot = mica_entity_slot(ids[i]);
        uint32_t in = note_place(&first, slot, count);
        in &= two ? note_place(&second, slot, count) : 1;
        taken[count] = row + i;
        count += in;
    }
    return count;
}

// The same of any number of pools, in which something may be disabled.
static uint32_t note_rows_of_many(const micai_others *all, micai_block *block,
                                  const mica_entity *ids, uint32_t row, uint32_t rows)
{
    uint32_t count = block->count;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t slot = mica_entity_slot(ids[i]);
        uint32_t in = 1;
        for (uint32_t n = 0; n < all->count; n++) {
            in &= note_enabled(&all->list[n], slot, count);
        }
        block->rows[count] = row + i;
        count += in;
    }
    return count;
}

void micai_others_take(const micai_others *all, micai_block *block, const mica_entity *ids,
                       uint32_t row, uint32_t rows)
{
    uint32_t begun = block->count;
    if (all->count == 1 && !all->watched) {
        block->count = note_rows(all, block, ids, row, rows, false);
    } else if (all->count == 2 && !all->watched) {
        block->count = note_rows(all, block, ids, row, rows, true);
    } else {
        block->count = note_rows_of_many(all, block, ids, row, rows);
    }
    if (block->count - begun == rows) {
        memcpy(block->entities + begun, ids, sizeof *ids * rows);
        return;
    }
    for (uint32_t i = begun; i < block->count; i++) {
        block->entities[i] = ids[block->rows[i] - row];
    }
}

// In the same order

// How many entities at the beginning are the same, of a stride at most?
MICAI_APART static uint32_t count_same(const mica_entity *here, const mica_entity *there,
                                       uint32_t count)
{
    if (count == STRIDE && memcmp(here, there, STRIDE * sizeof *here) == 0) {
        return STRIDE;
    }
    uint32_t same = 0;
    while (same < count && here[same].bits == there[same].bits) {
        same++;
    }
    return MICAI_CANARY("query.common") && same > 0 ? count : same;
}

// The entities of a pool from one on, whose place is noted, and no more of them than lie side by side; NULL if it
// is not there.
MICAI_APART static const mica_entity *find_there(const micai_other *one, mica_entity entity,
                                                 uint32_t *most)
{
    uint32_t place = micai_pool_row(one->pool, mica_entity_slot(entity));
    one->places[0] = place;
    if (place == MICAI_INDEX_NONE) {
        return NULL;
    }
    *most = micai_smaller(*most, micai_pool_span(one->pool, place));
    return micai_pool_entities(one->pool, place);
}

// It is compared who they are, a stride in all pools before the next; nobody is looked for but the first.
uint32_t micai_others_agree(const micai_others *all, const mica_entity *ids, uint32_t count,
                            bool last)
{
    const mica_entity *there[MICAI_PLAIN_MAX];
    uint32_t most = count;
    for (uint32_t n = 0; n < all->count; n++) {
        there[n] = find_there(&all->list[n], ids[0], &most);
        if (!there[n]) {
            return 0;
        }
    }
    uint32_t same = all->count > 0 ? 0 : most;
    uint32_t equal = STRIDE;
    while (equal == STRIDE && same < most) {
        equal = micai_smaller(most - same, STRIDE);
        for (uint32_t n = 0; n < all->count; n++) {
            equal = count_same(ids + same, there[n] + same, equal);
        }
        same += equal;
    }
    return same >= MICAI_SHORT_RUN || (last && same == count) ? same : 0;
}

// Runs

// Marks where numbers do not follow the one before; false if there are more marks then than are allowed.
static bool mark_breaks(micai_block *block, const uint32_t *numbers, uint32_t *allowed)
{
    uint32_t count = block->sieved;
    for (uint32_t i = 1; i < count; i++) {
        if (numbers[i] - numbers[i - 1] != 1) {
            uint64_t mark = UINT64_C(1) << (i % 64);
            bool fresh = !(block->breaks[i / 64] & mark);
            if (fresh && (*allowed)-- == 0) {
                return false;
            }
            block->breaks[i / 64] |= mark;
        }
    }
    return true;
}

bool micai_runs_find(const micai_query *query, micai_block *block)
{
    uint32_t runs = block->sieved / MICAI_SHORT_RUN;
    uint32_t allowed = runs > 0 ? runs - 1 : 0;
    memset(block->breaks, 0, sizeof block->breaks);
    bool found = block->run || mark_breaks(block, block->rows, &allowed);
    for (uint64_t rest = block->noted; found && rest != 0; rest &= rest - 1) {
        const micai_term *term = &query->terms[micai_bits_lowest(rest)];
        found = mark_breaks(block, micai_mixed_places(block, term), &allowed);
    }
    return found;
}

// The first row behind the present one that does not follow; all of them, if there is none.
static uint32_t find_break(const micai_block *block)
{
    uint32_t row = block->from + 1;
    while (row < block->sieved && !(block->breaks[row / 64] >> (row % 64))) {
        row = (row | 63) + 1;
    }
    if (row < block->sieved) {
        row += micai_bits_lowest(block->breaks[row / 64] >> (row % 64));
    }
    return micai_smaller(row, block->sieved);
}

void micai_runs_show(micai_block *block)
{
    block->ids = block->entities + block->from;
    block->first = *micai_mixed_rows(block);
    block->count = find_break(block) - block->from;
    block->run = true;
    block->placed = block->straight = block->noted;
}
