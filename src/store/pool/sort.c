// Sorting pools and groups. group.h has the contract.
#include <string.h>

#include "base/canary.h"
#include "base/number.h"
#include "store/pool/group.h"

#define SHORT_RUN 8u // runs of this length are sorted by insertion

// Computes the scratch memory for one row of each pool.
static void measure_scratch(micai_sorting *s)
{
    s->scratch_align = 1;
    for (uint32_t i = 0; i < s->list_count; i++) {
        uint32_t align;
        size_t size = micai_layout_row_size(&s->list[i]->table.layout, &align);
        s->offsets[i] = micai_round_up(s->scratch_size, align);
        s->scratch_size = s->offsets[i] + size;
        s->scratch_align = align > s->scratch_align ? align : s->scratch_align;
    }
}

mica_result micai_sorting_begin(micai_sorting *s, micai_pools *pools, micai_pool *const *list,
                                uint32_t list_count, uint32_t count)
{
    micai_host *host = pools->store->host;
    *s = (micai_sorting){.pools = pools, .list_count = list_count, .count = count};
    memcpy(s->list, list, sizeof *list * list_count);
    measure_scratch(s);
    s->from = micai_alloc_array(host, count, sizeof *s->from, _Alignof(uint32_t));
    bool got = s->from || count == 0;
    if (got) {
        s->items = micai_alloc_array(host, count, 2 * sizeof *s->items, _Alignof(mica_sort_item));
        got = s->items || count == 0;
    }
    if (got) {
        s->scratch = micai_alloc(host, s->scratch_size, s->scratch_align);
        got = s->scratch || s->scratch_size == 0;
    }
    s->spare = s->items ? s->items + count : NULL;
    return got ? MICA_OK : MICA_ERROR_MEMORY;
}

void micai_sorting_end(micai_sorting *s)
{
    micai_host *host = s->pools->store->host;
    mica_sort_item *items = s->items < s->spare ? s->items : s->spare;
    micai_release(host, s->from, sizeof *s->from * s->count, _Alignof(uint32_t));
    micai_release(host, items, 2 * sizeof *items * s->count, _Alignof(mica_sort_item));
    micai_release(host, s->scratch, s->scratch_size, s->scratch_align);
}

// Comparing

static void sort_run(mica_sort_item *items, uint32_t count, mica_compare *compare, void *user)
{
    for (uint32_t i = 1; i < count; i++) {
        mica_sort_item item = items[i];
        uint32_t to = i;
        while (to > 0 && compare(&items[to - 1], &item, user) > 0) {
            items[to] = items[to - 1];
            to--;
        }
        items[to] = item;
    }
}

// Merges two adjacent runs into another array.
static void merge(mica_sort_item *to, const mica_sort_item *items, uint32_t middle, uint32_t end,
                  mica_compare *compare, void *user)
{
    if (middle == end || compare(&items[middle - 1], &items[middle], user) <= 0) {
        memcpy(to, items, sizeof *to * end);
        return;
    }
    uint32_t a = 0;
    uint32_t b = middle;
    while (a < middle && b < end) {
        *to++ = compare(&items[a], &items[b], user) <= 0 ? items[a++] : items[b++];
    }
    memcpy(to, items + a, sizeof *to * (middle - a));
    memcpy(to + (middle - a), items + b, sizeof *to * (end - b));
}

static uint32_t at_most(uint64_t length, uint32_t rest)
{
    return length < rest ? (uint32_t)length : rest;
}

// Doubles the length of runs until one is left. Stable, and safe for inconsistent comparisons.
static void sort_items(micai_sorting *s, mica_compare *compare, void *user)
{
    for (uint64_t run = 0; run < s->count; run += SHORT_RUN) {
        sort_run(s->items + run, at_most(SHORT_RUN, s->count - (uint32_t)run), compare, user);
    }
    for (uint64_t length = SHORT_RUN; length < s->count; length *= 2) {
        for (uint64_t run = 0; run < s->count; run += 2 * length) {
            uint32_t rest = s->count - (uint32_t)run;
            merge(s->spare + run, s->items + run, at_most(length, rest), at_most(2 * length, rest),
                  compare, user);
        }
        mica_sort_item *sorted = s->spare;
        s->spare = s->items;
        s->items = sorted;
    }
}

void micai_sorting_by(micai_sorting *s, const micai_pool *values, mica_compare *compare, void *user)
{
    const micai_pool *pool = s->list[0];
    for (uint32_t row = 0; row < s->count; row++) {
        mica_entity entity = micai_pool_entity(pool, row);
        uint32_t at = values == pool ? row : micai_pool_row(values, mica_entity_slot(entity));
        if (MICAI_CANARY("store.sort_place")) {
            at = row;
        }
        s->items[row] = (mica_sort_item){entity, micai_pool_value(values, at)};
    }
    sort_items(s, compare, user);
    for (uint32_t row = 0; row < s->count; row++) {
        s->from[row] = micai_pool_row(pool, mica_entity_slot(s->items[row].entity));
    }
}

// First the entities of the other pool, in its order, then the rest.
void micai_sorting_like(micai_sorting *s, const micai_pool *other)
{
    const micai_pool *pool = s->list[0];
    uint32_t to = 0;
    for (uint32_t row = 0; other && row < other->table.count; row++) {
        if (!micai_pool_is_hole(other, row)) {
            uint32_t from = micai_pool_row(pool, mica_entity_slot(micai_pool_entity(other, row)));
            if (from < s->count) {
                s->from[to++] = from;
            }
        }
    }
    for (uint32_t row = 0; row < s->count; row++) {
        uint32_t slot = mica_entity_slot(micai_pool_entity(pool, row));
        if (!other || micai_pool_row(other, slot) == MICAI_INDEX_NONE) {
            s->from[to++] = row;
        }
    }
}

// Moving

// Updates the index after a row was filled.
static void update_index(micai_pool *pool, micai_row row, uint64_t tick)
{
    micai_index_set(&pool->index, micai_row_entity(row), row.where);
    micai_sheet_touch_row(row.sheet, row.offset, tick);
}

// Fills a row with its successor, then the successor's row, until the cycle closes. The first row
// waits in scratch memory.
static void rotate(micai_sorting *s, uint32_t i, uint32_t start, uint64_t tick)
{
    micai_store *store = s->pools->store;
    micai_pool *pool = s->list[i];
    uint32_t hole = start;
    micai_row_lift(store, micai_row_at(&pool->table, start), s->scratch + s->offsets[i]);
    while (s->from[hole] != start) {
        uint32_t from = s->from[hole];
        const micai_row to = micai_row_at(&pool->table, hole);
        micai_row_relocate(store, to, micai_row_at(&pool->table, from));
        update_index(pool, to, tick);
        hole = from;
    }
    const micai_row last = micai_row_at(&pool->table, hole);
    micai_row_lower(store, last, s->scratch + s->offsets[i]);
    update_index(pool, last, tick);
}

void micai_sorting_apply(micai_sorting *s, uint64_t tick)
{
    for (uint32_t row = 0; row < s->count; row++) {
        if (s->from[row] == row) {
            continue;
        }
        for (uint32_t i = 0; i < s->list_count; i++) {
            rotate(s, i, row, tick);
        }
        for (uint32_t hole = row; s->from[hole] != hole;) { // mark the rows of the cycle as done
            uint32_t from = s->from[hole];
            s->from[hole] = hole;
            hole = from;
        }
    }
    for (uint32_t i = 0; i < s->list_count; i++) {
        micai_pool_relocate(s->pools, s->list[i]);
    }
}
