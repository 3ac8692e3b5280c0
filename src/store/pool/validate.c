// The invariants of pools. They are listed in pool.h.
#include <inttypes.h>

#include "core/watch.h"
#include "store/pool/group.h"

static mica_result fail(const micai_pools *pools, const char *which, const micai_pool *pool,
                        const char *what)
{
    return micai_fail_invariant(pools->gate->host, which, "the pool of '%s' %s",
                                pool->type->info.name, what);
}

// P6
static mica_result validate_type(const micai_pools *pools, const micai_registry *registry,
                                 uint32_t number)
{
    const micai_pool *pool = pools->list.items[number];
    const micai_type *type = pool->type;
    bool stable = type->info.stable;
    bool kept = micai_pool_keeps(type);
    bool simple = pool->groups.count == 0 && !type->info.toggle && !type->info.row_stamps;
    bool right =
        micai_registry_knows(registry, type) && (kept || pool->count == 0) &&
        type->sparse == number && type->number < pools->by_type.count &&
        pools->by_type.items[type->number] == (kept ? pool : NULL) &&
        pool->handle == type->info.type.bits && pool->view.size == type->info.size &&
        pool->presence == pools->presence.items[number / 64] &&
        pool->bit == UINT64_C(1) << (number % 64) && pool->view.hidden <= 1 &&
        pool->view.block_shift ==
            (stable ? micai_pool_block_shift(type->info.size) : MICAI_POOL_WHOLE) &&
        (stable || (pool->view.blocks == &pool->room.values && pool->block_capacity == 0)) &&
        pool->view.entities == pool->room.entities &&
        pool->view.ticks == (pool->room.changed ? NULL : pool->room.ticks) &&
        pool->view.flags == pool->room.flags &&
        pool->bare == (!pools->restless && !stable && micai_hook_has_none(type)) &&
        pool->plain == (pool->bare && !micai_watches(type, MICAI_WATCH_ROWS)) &&
        pool->quick == (pool->plain && simple) &&
        pool->told ==
            (pool->bare && !pool->plain && simple && !micai_watches(type, MICAI_WATCH_MATCHES));
    return right ? MICA_OK : fail(pools, "P6", pool, "is that of another type");
}

static bool has_blocks(const micai_pool *pool)
{
    uint32_t shift = pool->view.block_shift;
    uint32_t count = pool->room.capacity >> shift;
    return count << shift == pool->room.capacity && count <= pool->block_capacity;
}

static bool has_room(const micai_pool *pool)
{
    const micai_pool_room *room = &pool->room;
    const mica_type_info *info = &pool->type->info;
    bool any = room->capacity > 0;
    return pool->count <= room->capacity && pool->hole_count <= pool->count &&
           !room->changed == !(any && info->row_stamps) && !room->flags == !(any && info->toggle) &&
           (!info->stable || has_blocks(pool));
}

// P2, P5.
static mica_result validate_module(const micai_pools *pools, const micai_pool *pool, uint64_t tick)
{
    const micai_pool_room *wider = &pool->wider;
    if (wider->capacity || wider->entities || wider->ticks || wider->values || wider->flags ||
        wider->changed || wider->added) {
        return fail(pools, "P5", pool, "is not settled");
    }
    if (!has_room(pool)) {
        return fail(pools, "P2", pool, "lacks room");
    }
    for (uint32_t place = 0; place < pool->count; place++) {
        if (pool->room.ticks[place >> MICAI_POOL_TICK_SHIFT] > tick) {
            return fail(pools, "P2", pool, "was written in the future");
        }
    }
    return MICA_OK;
}

// P4; returns how many places leaves lead to.
static mica_result count_entries(const micai_pools *pools, const micai_pool *pool,
                                 uint32_t *entries_out)
{
    const mica_view_pool *view = &pool->view;
    bool right = view->leaf_count <= pool->leaf_capacity;
    for (uint32_t page = 0; right && page < view->leaf_count; page++) {
        const uint32_t *leaf = view->leaves[page];
        right = !leaf || (page < pool->presence->pages.count && pool->presence->pages.items[page]);
        for (uint32_t i = 0; right && leaf && i < MICAI_SLOT_PAGE_SIZE; i++) {
            *entries_out += leaf[i] != 0;
        }
    }
    return right ? MICA_OK : fail(pools, "P4", pool, "has a leaf without presence");
}

// P1.
static mica_result validate_members(const micai_pools *pools, const micai_pool *pool)
{
    uint32_t entries = 0;
    mica_result result = count_entries(pools, pool, &entries);
    uint32_t holes = 0;
    bool right = true;
    for (uint32_t place = 0; !result && right && place < pool->count; place++) {
        mica_entity entity = pool->room.entities[place];
        uint32_t slot = mica_entity_slot(entity);
        if (micai_pool_is_hole(pool, place)) {
            holes++;
        } else {
            right = micai_slots_find(pools->gate->slots, entity) &&
                    micai_pool_place(pool, slot) == place &&
                    (*micai_pool_mask(pool, slot) & pool->bit);
        }
    }
    if (!result && (!right || entries != pool->count - holes)) {
        result = fail(pools, "P1", pool, "and its entities do not find each other");
    }
    if (!result && holes != pool->hole_count) {
        result = fail(pools, "P3", pool, "miscounts its holes");
    }
    return result;
}

// P3.
static mica_result validate_holes(const micai_pools *pools, const micai_pool *pool)
{
    uint32_t count = 0;
    uint32_t place = pool->first_hole;
    bool right = pool->hole_count == 0 || pool->type->info.stable;
    while (right && place != MICAI_POOL_NONE && count <= pool->hole_count) {
        right = place < pool->count && micai_pool_is_hole(pool, place);
        place = right ? (uint32_t)pool->room.entities[place].bits : MICAI_POOL_NONE;
        count++;
    }
    return right && count == pool->hole_count ? MICA_OK
                                              : fail(pools, "P3", pool, "has lost a hole");
}

// P12.
static mica_result validate_flags(const micai_pools *pools, const micai_pool *pool)
{
    bool right = (pool->type->info.toggle || !pool->dimmed) &&
                 pool->view.switches == (micai_pool_lends_flags(pool) ? pool->room.flags : NULL);
    for (uint32_t place = 0; right && pool->room.flags && place < pool->count; place++) {
        uint32_t most = micai_pool_is_hole(pool, place) ? 0 : pool->dimmed;
        right = pool->room.flags[place] <= most;
    }
    return right ? MICA_OK : fail(pools, "P12", pool, "does not know what is disabled");
}

// P13.
static mica_result validate_ticks(const micai_pools *pools, const micai_pool *pool)
{
    const micai_pool_room *room = &pool->room;
    bool right = true;
    for (uint32_t place = 0; room->changed && place < pool->count; place++) {
        right = right && (micai_pool_is_hole(pool, place) ||
                          (room->added[place] <= room->changed[place] &&
                           room->changed[place] <= room->ticks[place >> MICAI_POOL_TICK_SHIFT]));
    }
    return right ? MICA_OK : fail(pools, "P13", pool, "has a tick that cannot be");
}

static mica_result validate_lists(const micai_pools *pools, const micai_registry *registry)
{
    micai_host *host = pools->gate->host;
    mica_result result = micai_array_validate(host, &pools->by_type, "pools by type");
    result = result ? result : micai_array_validate(host, &pools->list, "pools");
    result = result ? result : micai_array_validate(host, &pools->presence, "presence");
    result = result ? result : micai_array_validate(host, &pools->words, "words of presence");
    bool right = !result && pools->list.count <= registry->sparse_count &&
                 pools->by_type.count <= registry->list.count &&
                 pools->list.count <= (uint64_t)pools->presence.count * 64;
    for (uint32_t w = 0; right && !result && w < pools->presence.count; w++) {
        const micai_presence *presence = pools->presence.items[w];
        result =
            presence ? micai_array_validate(host, &presence->pages, "pages of presence") : MICA_OK;
    }
    return result || right ? result
                           : micai_fail_invariant(host, "P6", "the list of pools is damaged");
}

// P14
static mica_result validate_words(const micai_pools *pools)
{
    bool right = true;
    for (uint32_t w = 0; right && w < pools->presence.count; w++) {
        const micai_presence *presence = pools->presence.items[w];
        right = !presence || presence->pages.count <= pools->words.count;
    }
    for (uint32_t page = 0; right && page < pools->words.count; page++) {
        right = pools->words.items[page] == micai_pools_words(pools, page);
    }
    return right ? MICA_OK
                 : micai_fail_invariant(pools->gate->host, "P14",
                                        "presence is where it is not looked for");
}

// P1: no bit is set that no pool has.
static uint64_t count_present(const micai_pools *pools)
{
    uint64_t count = 0;
    for (uint32_t w = 0; w < pools->presence.count; w++) {
        const micai_presence *presence = pools->presence.items[w];
        for (uint32_t page = 0; presence && page < presence->pages.count; page++) {
            const uint64_t *masks = presence->pages.items[page];
            for (uint32_t i = 0; masks && i < MICAI_SLOT_PAGE_SIZE; i++) {
                count += micai_bits_ones(masks[i]);
            }
        }
    }
    return count;
}

mica_result micai_pools_validate(const micai_pools *pools, const micai_registry *registry,
                                 uint64_t tick)
{
    micai_host *host = pools->gate->host;
    mica_result result = validate_lists(pools, registry);
    result = result ? result : validate_words(pools);
    uint64_t kept = 0;
    uint32_t found = 0;
    for (uint32_t n = 0; !result && n < pools->list.count; n++) {
        const micai_pool *pool = pools->list.items[n];
        if (!pool) {
            continue;
        }
        result = validate_type(pools, registry, n);
        result = result ? result : validate_module(pools, pool, tick);
        result = result ? result : validate_members(pools, pool);
        result = result ? result : validate_holes(pools, pool);
        result = result ? result : validate_flags(pools, pool);
        result = result ? result : validate_ticks(pools, pool);
        kept += result ? 0 : micai_pool_size(pool);
        found += !result && micai_pool_keeps(pool->type);
    }
    for (uint32_t n = 0; !result && n < pools->by_type.count; n++) {
        found -= pools->by_type.items[n] != NULL;
    }
    if (!result && found != 0) {
        result = micai_fail_invariant(host, "P6", "a pool is found that is none");
    }
    if (!result && (kept != pools->kept || kept != count_present(pools))) {
        result = micai_fail_invariant(host, "P7", "pools have %" PRIu64 " values, not %" PRIu32,
                                      kept, pools->kept);
    }
    return result ? result : micai_groups_validate(pools, registry->seal, tick);
}
