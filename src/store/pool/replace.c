// Replacing what pools have. replace.h has the contract.
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

// Those of the others are made one after the other, and stand where theirs are, but for free numbers.
micai_group *micai_groups_twin(const micai_pools *pools, const micai_pools *other,
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
    micai_host *host = pools->gate->host;
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
        if (group && !micai_group_make(other, seal, &plan, tick)) {
            return host->failed;
        }
    }
    return MICA_OK;
}

// All but who it is, and which groups it is in.
static void exchange_contents(micai_pool *pool, micai_pool *other)
{
    const micai_pool a = *pool;
    const micai_pool b = *other;
    *pool = b;
    *other = a;
    pool->type = a.type;
    pool->handle = a.handle;
    pool->presence = a.presence;
    pool->bit = a.bit;
    pool->bare = a.bare;
    pool->plain = a.plain;
    pool->quick = a.quick;
    memcpy(&pool->groups, &a.groups, sizeof a.groups);
    pool->owner = a.owner;
    other->type = b.type;
    other->handle = b.handle;
    other->presence = b.presence;
    other->bit = b.bit;
    other->bare = b.bare;
    other->plain = b.plain;
    other->quick = b.quick;
    memcpy(&other->groups, &b.groups, sizeof b.groups);
    other->owner = b.owner;
    if (!pool->type->info.stable) {
        pool->view.blocks = &pool->room.values;
        other->view.blocks = &other->room.values;
    }
    micai_pool_dim(pool, pool->dimmed);
    micai_pool_dim(other, other->dimmed);
}

static void exchange_groups(micai_pools *pools, micai_pools *other)
{
    for (uint32_t n = 0; n < pools->groups.list.count; n++) {
        micai_group *group = pools->groups.list.items[n];
        if (group) {
            micai_group *twin = micai_groups_twin(pools, other, group);
            uint32_t count = group->count;
            group->count = twin->count;
            twin->count = count;
            if (group->index) {
                exchange_contents(group->index, twin->index);
            }
        }
    }
}

void micai_pools_exchange(micai_pools *pools, micai_pools *other)
{
    FOR_POOLS(pool, pools)
    {
        micai_pool *twin = micai_pools_find(other, pool->type->info.type);
        assert(twin); // micai_pools_reserve_exchange() has opened it
        exchange_contents(pool, twin);
    }
    exchange_groups(pools, other);
    for (uint32_t w = 0; w < pools->presence.count; w++) {
        micai_presence *mine = pools->presence.items[w];
        micai_presence *theirs = w < other->presence.count ? other->presence.items[w] : NULL;
        if (mine && theirs) {
            const micai_presence presence = *mine;
            *mine = *theirs;
            *theirs = presence;
        } else if (mine) { // of types that were sparse, with nobody in it
            micai_presence_clear(pools, mine);
        }
    }
    const micai_pools were = *pools;
    memcpy(&pools->words, &other->words, sizeof other->words);
    memcpy(&other->words, &were.words, sizeof were.words);
    micai_pools_note_words(other);
    pools->kept = other->kept;
    other->kept = were.kept;
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
    micai_pool *index = group->index;
    if (!index || index->count != count) {
        return false;
    }
    // Each of them is there, in the generation that is listed, and none twice: a leaf that has been
    // written leads to an entity that was.
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *entry = micai_pool_find(index, entities[i]);
        if (!entry) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        *micai_pool_at(index, mica_entity_slot(entities[i])) = i + 1;
    }
    bool once = true;
    for (uint32_t i = 0; i < count; i++) {
        once = once && *micai_pool_at(index, mica_entity_slot(entities[i])) == i + 1;
    }
    if (once && count > 0) {
        memcpy(index->room.entities, entities, count * sizeof *entities);
    }
    for (uint32_t i = 0; !once && i < count; i++) { // as it was
        *micai_pool_at(index, mica_entity_slot(index->room.entities[i])) = i + 1;
    }
    return once;
}

mica_result micai_pool_reserve_revival(micai_pools *pools, micai_pool *pool,
                                       const mica_entity *entities, uint32_t count)
{
    mica_result result = micai_pool_reserve(pools, pool, count);
    micai_pool_settle(pools, pool);
    for (uint32_t i = 0; !result && i < count; i++) {
        uint32_t slot = mica_entity_slot(entities[i]);
        if (mica_entity_is_none(entities[i])) {
            result = pool->type->info.stable ? MICA_OK : MICA_ERROR_CORRUPT;
            continue;
        }
        result = micai_pool_reserve_slot(pools, pool, slot);
        uint32_t *entry = result ? NULL : micai_pool_at(pool, slot);
        if (entry && *entry != 0) {
            result = MICA_ERROR_CORRUPT;
        } else if (entry) {
            *entry = pool->count + i + 1; // so that it is known if it comes again
        }
    }
    return result;
}

void micai_pool_revive(micai_pools *pools, micai_pool *pool, const micai_revival *revival)
{
    bool off = false;
    for (uint32_t i = 0; i < revival->count; i++) {
        mica_entity entity = revival->entities[i];
        uint32_t place = pool->count++;
        uint64_t *tick = &pool->room.ticks[place >> MICAI_POOL_TICK_SHIFT];
        *tick = revival->tick > *tick ? revival->tick : *tick;
        micai_pool_begin(pool, place, 0);
        if (mica_entity_is_none(entity)) {
            pool->room.entities[place].bits = MICAI_POOL_NONE;
            pool->hole_count++;
            continue;
        }
        pool->room.entities[place] = entity;
        *micai_pool_mask(pool, mica_entity_slot(entity)) |= pool->bit;
        pools->kept++;
        if (pool->room.flags) {
            pool->room.flags[place] = revival->flags[i];
            off = off || revival->flags[i];
        }
        if (pool->room.changed) {
            pool->room.changed[place] = revival->changed[i];
            pool->room.added[place] = revival->added[i];
        }
    }
    if (off) {
        micai_pool_dim(pool, true);
    }
}

bool micai_pool_revive_holes(micai_pool *pool, const uint64_t *places, uint32_t count)
{
    uint32_t next = MICAI_POOL_NONE;
    bool right = count == pool->hole_count;
    // From the last: a hole that leads nowhere has not been listed, but for the last itself.
    for (uint32_t i = count; right && i-- > 0;) {
        uint32_t place = places[i] < pool->count ? (uint32_t)places[i] : MICAI_POOL_NONE;
        right = place != MICAI_POOL_NONE && micai_pool_is_hole(pool, place) &&
                (uint32_t)pool->room.entities[place].bits == MICAI_POOL_NONE &&
                (i == count - 1 || place != places[count - 1]);
        if (right) {
            pool->room.entities[place].bits = next;
            next = place;
        }
    }
    pool->first_hole = next;
    return right;
}
