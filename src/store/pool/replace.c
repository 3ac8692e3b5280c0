// Replacing the content of pools. replace.h has the contract.
#include "store/pool/replace.h"

#include <assert.h>
#include <string.h>

#define FOR_POOLS(pool, pools)                                                                     \
    micai_pool *pool;                                                                              \
    for (uint32_t n_ = 0; n_ < (pools)->list.count; n_++)                                          \
        if ((pool = (pools)->list.items[n_]) != NULL &&                                            \
            micai_pools_find(pools, pool->type->info.type) == pool)

static micai_group_plan plan_of(const micai_group *group)
{
    micai_group_plan plan = {.owned_count = group->owned_count,
                             .needed_count = group->needed_count,
                             .type_count = group->pool_count,
                             .name = group->name};
    for (uint32_t i = 0; i < group->pool_count; i++) {
        plan.types[i] = group->pools[i]->type;
    }
    return plan;
}

// The other groups were created in the order of these, so they have the same order without the free
// numbers.
micai_group *micai_groups_counterpart(const micai_pools *pools, const micai_pools *other,
                                      const micai_group *group)
{
    uint32_t number = 0;
    for (uint32_t n = 0; n < pools->groups.list.count && pools->groups.list.items[n] != group;
         n++) {
        number += pools->groups.list.items[n] != NULL;
    }
    return other->groups.list.items[number];
}

mica_result micai_pools_reserve_exchange(micai_pools *pools, micai_pools *other, uint64_t seal,
                                         uint64_t tick)
{
    micai_host *host = pools->store->host;
    FOR_POOLS(known, pools)
    {
        if (!micai_pools_open(other, known->type)) {
            return MICA_ERROR_MEMORY;
        }
    }
    FOR_POOLS(fresh, other)
    {
        if (!micai_pools_open(pools, fresh->type)) {
            return MICA_ERROR_MEMORY;
        }
    }
    for (uint32_t n = 0; n < pools->groups.list.count; n++) {
        const micai_group *group = pools->groups.list.items[n];
        const micai_group_plan plan = group ? plan_of(group) : (micai_group_plan){0};
        if (group && !micai_group_new(other, seal, &plan, tick)) {
            return host->failed;
        }
    }
    return MICA_OK;
}

// Sets the addresses that a table and its sheets contain, after the table has moved to this pool.
static void adopt_sheets(micai_pool *pool)
{
    micai_table *table = &pool->table;
    table->index = &pool->index;
    if (table->sheets.capacity == 1) { // T11
        table->sheets.items = &table->only;
    }
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        table->sheets.items[i]->table = table;
    }
}

// Swaps rows and index, but not the pool's type and groups.
static void exchange_contents(micai_pools *pools, micai_pool *pool, micai_pools *others,
                              micai_pool *other)
{
    const micai_index index = pool->index;
    const micai_table table = pool->table;
    pool->index = other->index;
    pool->table = other->table;
    other->index = index;
    other->table = table;
    adopt_sheets(pool);
    adopt_sheets(other);
    if (pool->type) {
        micai_pool_update_fast_paths(pools, pool);
        micai_pool_update_fast_paths(others, other);
    }
}

static void exchange_groups(micai_pools *pools, micai_pools *other)
{
    for (uint32_t n = 0; n < pools->groups.list.count; n++) {
        micai_group *group = pools->groups.list.items[n];
        if (group) {
            micai_group *counterpart = micai_groups_counterpart(pools, other, group);
            uint32_t count = group->count;
            group->count = counterpart->count;
            counterpart->count = count;
            if (group->list) {
                exchange_contents(pools, group->list, other, counterpart->list);
            }
        }
    }
}

void micai_pools_exchange(micai_pools *pools, micai_pools *other)
{
    micai_store_clear_replaced(pools->store); // its entries contain table addresses
    micai_store_clear_replaced(other->store);
    FOR_POOLS(pool, pools)
    {
        micai_pool *counterpart = micai_pools_find(other, pool->type->info.type);
        assert(counterpart); // micai_pools_reserve_exchange() has opened it
        exchange_contents(pools, pool, other, counterpart);
    }
    exchange_groups(pools, other);
    for (uint32_t w = 0; w < pools->presence.count; w++) {
        micai_presence *mine = pools->presence.items[w];
        micai_presence *theirs = w < other->presence.count ? other->presence.items[w] : NULL;
        if (mine && theirs) {
            const micai_presence presence = *mine;
            *mine = *theirs;
            *theirs = presence;
        } else if (mine) { // those types were sparse before; the words are empty
            micai_presence_clear(pools, mine);
        }
    }
    const micai_pools were = *pools;
    memcpy(&pools->words, &other->words, sizeof other->words);
    memcpy(&other->words, &were.words, sizeof were.words);
    micai_pools_note_words(other);
    pools->row_count = other->row_count;
    other->row_count = were.row_count;
}

void micai_pools_take_back(micai_pools *pools, uint32_t types, uint32_t sparse_types)
{
    while (pools->by_type.count > types) {
        micai_pool *pool = pools->by_type.items[--pools->by_type.count];
        if (pool) {
            pools->list.items[pool->type->sparse] = NULL;
            micai_pool_free(pools, pool);
        }
    }
    if (pools->list.count > sparse_types) {
        pools->list.count = sparse_types;
    }
}

bool micai_group_reorder(micai_group *group, const mica_entity *entities, uint32_t count)
{
    micai_pool *list = group->list;
    if (!list || list->table.count != count) {
        return false;
    }
    // Checks that each entity is in the list with its generation, and none twice: a duplicate
    // overwrites the entry of the first.
    for (uint32_t i = 0; i < count; i++) {
        if (!micai_pool_find(list, entities[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        micai_index_set(&list->index, entities[i], i);
    }
    bool once = true;
    for (uint32_t i = 0; i < count; i++) {
        once = once && micai_pool_row(list, mica_entity_slot(entities[i])) == i;
    }
    for (uint32_t i = 0; once && i < count; i++) {
        const micai_row row = micai_row_at(&list->table, i);
        micai_sheet_ids(row.sheet)[row.offset] = entities[i];
    }
    for (uint32_t i = 0; !once && i < count; i++) { // restore the old order
        micai_index_set(&list->index, micai_pool_entity(list, i), i);
    }
    return once;
}

mica_result micai_pool_reserve_restore(micai_pools *pools, micai_pool *pool,
                                       const mica_entity *entities, uint32_t count)
{
    mica_result result = micai_pool_reserve(pools, pool, count);
    for (uint32_t i = 0; !result && i < count; i++) {
        uint32_t slot = mica_entity_slot(entities[i]);
        if (MICA_IS_NONE(entities[i])) {
            result = pool->type->info.stable ? MICA_OK : MICA_ERROR_CORRUPT;
            continue;
        }
        result = micai_pool_reserve_slot(pools, pool, slot);
        uint32_t *entry = result ? NULL : micai_index_at(&pool->index, slot);
        if (entry && *entry != 0) {
            result = MICA_ERROR_CORRUPT;
        } else if (entry) {
            *entry = pool->table.count + i + 1; // detects duplicates
        }
    }
    return result;
}

void micai_pool_restore(micai_pools *pools, micai_pool *pool, const mica_entity *entities,
                        uint32_t count, uint64_t tick)
{
    for (uint32_t i = 0; i < count; i++) {
        mica_entity entity = entities[i];
        uint64_t latest = pool->table.tail->pages[0].tick;
        if (MICA_IS_NONE(entity)) {
            entity.bits = MICAI_INDEX_NONE;
            pool->index.hole_count++;
        } else {
            *micai_pool_mask(pool, mica_entity_slot(entity)) |= pool->bit;
            pools->row_count++;
        }
        micai_row_append(&pool->table, entity, tick > latest ? tick : latest);
    }
}

bool micai_pool_restore_holes(micai_pool *pool, const uint64_t *rows, uint32_t count)
{
    uint32_t next = MICAI_INDEX_NONE;
    bool right = count == pool->index.hole_count;
    // From the last to the first. A hole that leads to no other has not been listed yet, except the
    // last itself.
    for (uint32_t i = count; right && i-- > 0;) {
        uint32_t row = rows[i] < pool->table.count ? (uint32_t)rows[i] : MICAI_INDEX_NONE;
        right = row != MICAI_INDEX_NONE && micai_pool_is_hole(pool, row) &&
                (uint32_t)micai_pool_entity(pool, row).bits == MICAI_INDEX_NONE &&
                (i == count - 1 || row != rows[count - 1]);
        if (right) {
            const micai_row hole = micai_row_at(&pool->table, row);
            micai_sheet_ids(hole.sheet)[hole.offset].bits = next;
            next = row;
        }
    }
    pool->index.first_hole = next;
    return right;
}
