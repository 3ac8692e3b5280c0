// Checks the invariants of pools, which pool.h lists.
#include <inttypes.h>

#include "core/watch.h"
#include "store/pool/group.h"
#include "store/table/kind_stable.h"

static mica_result fail(const micai_pools *pools, const char *which, const micai_pool *pool,
                        const char *what)
{
    return micai_fail_invariant(pools->store->host, which, "the pool of '%s' %s",
                                pool->type->info.name, what);
}

// Returns true if the pool has the properties of its type.
static bool is_of_type(const micai_pool *pool)
{
    const micai_type *type = pool->type;
    const mica_view_pool *view = &pool->index.view;
    return pool->table.index == &pool->index && pool->column == micai_pool_has_column(type) &&
           pool->handle == type->info.type.bits && view->size == type->info.size &&
           (type->relation ? view->hidden == MICAI_POOL_LINKS : view->hidden <= 1) &&
           view->block_shift ==
               (type->info.stable ? micai_stable_shift(type->info.size) : MICAI_ROW_SHIFT);
}

static bool has_fast_paths(const micai_pools *pools, const micai_pool *pool)
{
    return pool->fast_paths == micai_pool_find_fast_paths(pools, pool) &&
           pool->table.fast_paths == (pool->fast_paths & MICAI_FAST_BYTES);
}

// P6
static mica_result validate_type(const micai_pools *pools, const micai_registry *registry,
                                 uint32_t number)
{
    const micai_pool *pool = pools->list.items[number];
    const micai_type *type = pool->type;
    bool kept = micai_pool_keeps(type);
    bool right = micai_registry_contains(registry, type) && (kept || pool->table.count == 0) &&
                 type->sparse == number && type->number < pools->by_type.count &&
                 pools->by_type.items[type->number] == (kept ? pool : NULL) &&
                 pool->presence == pools->presence.items[number / 64] &&
                 pool->bit == UINT64_C(1) << (number % 64) && is_of_type(pool) &&
                 has_fast_paths(pools, pool);
    return right ? MICA_OK : fail(pools, "P6", pool, "is that of another type");
}

// A pool whose type is no longer sparse may keep its old layout.
static mica_result validate_table(const micai_pools *pools, const micai_pool *pool, uint64_t tick)
{
    micai_type *const types[1] = {(micai_type *)pool->type};
    const uint64_t words[1] = {1};
    micai_store *store = pools->store;
    mica_result result =
        micai_pool_keeps(pool->type)
            ? micai_layout_validate(store->host, types, words, pool->column, &pool->table.layout)
            : MICA_OK;
    result = result ? result : micai_table_validate_sheets(store, &pool->table);
    return result ? result : micai_table_validate_ticks(store, &pool->table, tick);
}

// P4
static mica_result validate_leaves(const micai_pools *pools, const micai_pool *pool)
{
    bool right = true;
    for (uint32_t page = 0; right && page < pool->index.view.leaf_count; page++) {
        right = !micai_index_has_leaf(&pool->index, page) ||
                (page < pool->presence->pages.count && pool->presence->pages.items[page]);
    }
    return right ? MICA_OK : fail(pools, "P4", pool, "has a leaf without presence");
}

// P1
static mica_result validate_members(const micai_pools *pools, const micai_pool *pool)
{
    bool right = true;
    for (uint32_t row = 0; right && row < pool->table.count; row++) {
        mica_entity entity = micai_pool_entity(pool, row);
        right =
            micai_is_hole(entity) || (*micai_pool_mask(pool, mica_entity_slot(entity)) & pool->bit);
    }
    return right ? MICA_OK : fail(pools, "P1", pool, "has an entity that is not present");
}

// P3
static mica_result validate_holes(const micai_pools *pools, const micai_pool *pool)
{
    const micai_index *index = &pool->index;
    uint32_t count = 0;
    uint32_t row = index->first_hole;
    bool right = index->hole_count == 0 || pool->type->info.stable;
    while (right && row != MICAI_INDEX_NONE && count <= index->hole_count) {
        right = row < pool->table.count && micai_pool_is_hole(pool, row);
        row = right ? (uint32_t)micai_pool_entity(pool, row).bits : MICAI_INDEX_NONE;
        count++;
    }
    return right && count == index->hole_count ? MICA_OK
                                               : fail(pools, "P3", pool, "has lost a hole");
}

static mica_result validate_lists(const micai_pools *pools, const micai_registry *registry)
{
    micai_host *host = pools->store->host;
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
                 : micai_fail_invariant(pools->store->host, "P14",
                                        "presence is where it is not looked for");
}

// P1: every bit in presence belongs to a row of a pool.
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
    micai_host *host = pools->store->host;
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
        result = result ? result : validate_holes(pools, pool);
        result = result ? result : validate_leaves(pools, pool);
        result = result ? result : validate_table(pools, pool, tick);
        result = result ? result : validate_members(pools, pool);
        kept += result ? 0 : micai_pool_size(pool);
        found += !result && micai_pool_keeps(pool->type);
    }
    for (uint32_t n = 0; !result && n < pools->by_type.count; n++) {
        found -= pools->by_type.items[n] != NULL;
    }
    if (!result && found != 0) {
        result = micai_fail_invariant(host, "P6", "a pool is found that is none");
    }
    if (!result && (kept != pools->row_count || kept != count_present(pools))) {
        result = micai_fail_invariant(host, "P7", "pools have %" PRIu64 " values, not %" PRIu32,
                                      kept, pools->row_count);
    }
    return result ? result : micai_groups_validate(pools, registry->seal, tick);
}
