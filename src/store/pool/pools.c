// All pools of a world, and presence. pool.h has the contract.
#include <inttypes.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "core/watch.h"
#include "store/pool/group.h"
#include "store/table/digest.h"

static micai_host *host_of(const micai_pools *pools)
{
    return pools->store->host;
}

#define FOR_POOLS(pool, pools)                                                                     \
    micai_pool *pool;                                                                              \
    for (uint32_t n_ = 0; n_ < (pools)->list.count; n_++)                                          \
        if ((pool = (pools)->list.items[n_]) != NULL)

void micai_presence_clear(micai_pools *pools, micai_presence *presence)
{
    for (uint32_t page = 0; page < presence->pages.count; page++) {
        micai_release(host_of(pools), presence->pages.items[page], MICAI_MASK_BYTES, 64);
    }
    micai_array_free(host_of(pools), &presence->pages);
}

void micai_pools_free(micai_pools *pools)
{
    micai_groups_free(pools);
    FOR_POOLS(pool, pools)
    {
        micai_pool_free(pools, pool);
    }
    for (uint32_t w = 0; w < pools->presence.count; w++) {
        micai_presence *presence = pools->presence.items[w];
        if (presence) {
            micai_presence_clear(pools, presence);
            micai_release(host_of(pools), presence, sizeof *presence, _Alignof(micai_presence));
        }
    }
    micai_array_free(host_of(pools), &pools->by_type);
    micai_array_free(host_of(pools), &pools->list);
    micai_array_free(host_of(pools), &pools->presence);
    micai_array_free(host_of(pools), &pools->words);
}

// Creation

mica_result micai_pool_require(micai_host *host, const char *call, const micai_type *type,
                               const char *sentence)
{
    return micai_pool_keeps(type) ? MICA_OK
                                  : micai_fail(host, MICA_ERROR_ARGUMENT, "%s: '%s' %s", call,
                                               type->info.name, sentence);
}

// Reserves a list up to index `number`; fill_up_to() fills it with NULL.
#define reserve_up_to(host, list, number)                                                          \
    ((number) < (list)->count || micai_array_reserve(host, list, (number) + 1 - (list)->count))

#define fill_up_to(list, number)                                                                   \
    while ((list)->count <= (number)) {                                                            \
        (list)->items[(list)->count++] = NULL;                                                     \
    }

static bool reserve_lists(micai_pools *pools, const micai_type *type)
{
    micai_host *host = host_of(pools);
    uint32_t word = type->sparse / 64;
    if (!reserve_up_to(host, &pools->by_type, type->number) ||
        !reserve_up_to(host, &pools->list, type->sparse) ||
        !reserve_up_to(host, &pools->presence, word)) {
        return false;
    }
    fill_up_to(&pools->presence, word);
    micai_presence **presence = &pools->presence.items[word];
    if (!*presence) {
        *presence = micai_alloc_zeroed(host, sizeof **presence, _Alignof(micai_presence));
    }
    return *presence != NULL;
}

micai_pool *micai_pools_open(micai_pools *pools, const micai_type *type)
{
    micai_pool *pool = micai_pools_find(pools, type->info.type);
    if (pool || !reserve_lists(pools, type)) {
        return pool;
    }
    pool = type->sparse < pools->list.count ? pools->list.items[type->sparse] : NULL;
    if (pool) { // an abandoned pool
        pools->by_type.items[type->number] = pool;
        return pool;
    }
    pool = micai_pool_new(pools, type);
    if (!pool) {
        return NULL;
    }
    pool->handle = type->info.type.bits;
    pool->presence = pools->presence.items[type->sparse / 64];
    pool->bit = UINT64_C(1) << (type->sparse % 64);
    micai_pool_update_fast_paths(pools, pool);
    fill_up_to(&pools->by_type, type->number);
    fill_up_to(&pools->list, type->sparse);
    pools->by_type.items[type->number] = pools->list.items[type->sparse] = pool;
    return pool;
}

// All pools

uint64_t micai_pools_words(const micai_pools *pools, uint32_t page)
{
    uint64_t words = 0;
    for (uint32_t w = 0; w < pools->presence.count; w++) {
        const micai_presence *presence = pools->presence.items[w];
        bool there = presence && page < presence->pages.count && presence->pages.items[page];
        words |= there ? micai_presence_bit(w) : 0;
    }
    return words;
}

uint32_t micai_pools_next(const micai_pools *pools, uint32_t slot, uint32_t number)
{
    uint32_t next = MICAI_BITS_END;
    MICAI_FOR_PRESENCE(w, pools, slot)
    {
        for (uint64_t in = micai_presence_of(pools, w, slot); in != 0; in &= in - 1) {
            uint32_t found = pools->list.items[w * 64 + micai_bits_lowest(in)]->type->number;
            next = found >= number && found < next ? found : next;
        }
    }
    return next;
}

bool micai_pools_hold(const micai_pools *pools, const void *data, size_t bytes)
{
    uintptr_t begin = (uintptr_t)data;
    FOR_POOLS(pool, pools)
    {
        uint32_t size = pool->index.view.size;
        for (uint32_t row = 0; size > 0 && row < pool->table.count;) {
            uint32_t span = micai_pool_span(pool, row);
            uintptr_t values = (uintptr_t)micai_pool_value(pool, row);
            if (begin < values + (uintptr_t)span * size && values < begin + (uintptr_t)bytes) {
                return true;
            }
            row += span;
        }
    }
    return false;
}

// Unlinks a source whose row is bytes. Returns false if rows are relocated for debugging.
static bool leave_target(micai_pools *pools, const micai_pool *pool, uint32_t slot)
{
    if (pools->store->relocate_always) {
        return false;
    }
    pools->links->ops->remove(pools->links, pool->relation,
                              micai_pool_entity(pool, *micai_index_at(&pool->index, slot) - 1));
    return true;
}

// Removes an entity from one pool. It has left the groups already.
static void forget_in(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick)
{
    bool fast = micai_pool_admits(pool, MICAI_FAST_BYTES | MICAI_FAST_UNOBSERVED);
    if (!fast && pool->relation && micai_pool_admits(pool, MICAI_FAST_PLAIN)) {
        fast = leave_target(pools, pool, slot);
    }
    if (fast) {
        micai_pool_remove_fast(pools, pool, micai_index_at(&pool->index, slot), slot, tick);
        return;
    }
    *micai_pool_mask(pool, slot) &= ~pool->bit;
    pools->row_count--;
    micai_pool_take_out(pools, pool, slot, tick);
    micai_pool_relocate(pools, pool);
}

static inline void forget_word(micai_pools *pools, uint32_t word, uint32_t slot, uint64_t tick)
{
    for (uint64_t in = micai_presence_of(pools, word, slot); in != 0; in &= in - 1) {
        forget_in(pools, pools->list.items[word * 64 + micai_bits_lowest(in)], slot, tick);
    }
}

// Does the same for all words of a page of slots, except the first.
MICAI_NOINLINE static void forget_words(micai_pools *pools, uint64_t words, uint32_t slot,
                                        uint64_t tick)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    uint32_t offset = slot & (MICAI_SLOT_PAGE_SIZE - 1);
    for (uint64_t rest = words & (micai_presence_bit(MICAI_WORD_LAST) - 2); rest != 0;
         rest &= rest - 1) {
        uint32_t word = micai_bits_lowest(rest);
        if (pools->presence.items[word]->pages.items[page][offset] != 0) {
            forget_word(pools, word, slot, tick);
        }
    }
    for (uint32_t w = MICAI_WORD_LAST; w < pools->presence.count; w++) {
        forget_word(pools, w, slot, tick);
    }
}

// Leaves the groups first. Otherwise the entity could enter a group when it loses a forbidden
// component before the others.
void micai_pools_forget(micai_pools *pools, uint32_t slot, uint64_t tick)
{
    if (pools->groups.list.count > 0) {
        micai_groups_forget(pools, slot, tick);
    }
    forget_word(pools, 0, slot, tick);
    if (pools->presence.count > 1) {
        uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
        uint64_t words = page < pools->words.count ? pools->words.items[page] : 0;
        if (words > 1) {
            forget_words(pools, words, slot, tick);
        }
    }
}

void micai_pools_clear(micai_pools *pools)
{
    micai_groups_clear(pools);
    FOR_POOLS(pool, pools)
    {
        micai_pool_clear(pools, pool);
    }
}

mica_result micai_pools_reserve_reclaim(micai_pools *pools)
{
    mica_result result = MICA_OK;
    FOR_POOLS(pool, pools)
    {
        result = result ? result : micai_pool_reserve_reclaim(pools, pool);
    }
    return result;
}

void micai_pools_note_words(micai_pools *pools)
{
    for (uint32_t page = 0; page < pools->words.count; page++) {
        pools->words.items[page] = micai_pools_words(pools, page);
    }
}

static bool is_empty(const uint64_t *masks)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        any |= masks[i];
    }
    return any == 0;
}

void micai_pools_reclaim(micai_pools *pools)
{
    FOR_POOLS(pool, pools)
    {
        micai_pool_reclaim(pools, pool);
    }
    for (uint32_t w = 0; w < pools->presence.count; w++) {
        micai_presence *presence = pools->presence.items[w];
        for (uint32_t page = 0; presence && page < presence->pages.count; page++) {
            uint64_t **masks = &presence->pages.items[page];
            if (*masks &&
                // No pool of the word has a leaf there either (P4).
                is_empty(*masks)) {
                micai_release(host_of(pools), *masks, MICAI_MASK_BYTES, 64);
                *masks = NULL;
            }
        }
    }
    micai_pools_note_words(pools);
}

static uint64_t digest_pool(const micai_registry *types, const micai_pool *pool)
{
    micai_hash_stream digest;
    micai_hash_begin(&digest);
    micai_digest_ticks(&digest, &pool->table, pool->column);
    micai_digest_cells(&digest, types, &pool->table, 0);
    if (pool->column > 0) {
        micai_digest_cells(&digest, types, &pool->table, pool->column);
    }
    return micai_hash_add(micai_hash_mix(pool->type->name_hash), micai_hash_end(&digest));
}

// Uses the names of types, so that the order in which types became sparse has no effect.
uint64_t micai_pools_digest(const micai_pools *pools, const micai_registry *types, uint64_t hash)
{
    uint64_t sum = 0;
    FOR_POOLS(pool, pools)
    {
        sum += pool->table.count > 0 ? digest_pool(types, pool) : 0;
    }
    hash = pools->links ? pools->links->ops->digest(pools->links, hash) : hash;
    return micai_groups_digest(pools, types, sum ? micai_hash_add(hash, sum) : hash);
}

void micai_pools_close(const micai_pools *pools, bool closed)
{
    for (uint32_t n = 0; n < pools->list.count; n++) {
        mica_view_pool *view = pools->list.items[n] ? &pools->list.items[n]->index.view : NULL;
        if (view) {
            view->open_leaf_count = closed ? 0 : view->leaf_count;
        }
    }
}

void micai_pools_use(micai_pools *pools)
{
    static const micai_pool_functions functions = {
        .open = micai_pools_open,
        .reserve = micai_pool_reserve,
        .reserve_slot = micai_pool_reserve_slot,
        .construct = micai_pool_construct,
        .undo = micai_pool_undo,
        .add = micai_pool_add,
        .remove = micai_pool_remove,
        .relocate = micai_pool_relocate,
        .append_bytes = micai_pool_append_bytes,
        .regroup = micai_pool_regroup,
        .hold = micai_pools_hold,
        .clear = micai_pools_clear,
        .free = micai_pools_free,
    };
    pools->functions = &functions;
}
