// Creating groups, entering and leaving them. group.h has the contract.
#include "store/pool/group.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"
#include "core/stamp.h"
#include "store/table/digest.h"

static micai_host *host_of(const micai_pools *pools)
{
    return pools->store->host;
}

#define FOR_GROUPS(group, pools)                                                                   \
    micai_group *group;                                                                            \
    for (uint32_t n_ = 0; n_ < (pools)->groups.list.count; n_++)                                   \
        if ((group = (pools)->groups.list.items[n_]) != NULL)

// Swaps the row of a slot with another row of the pool.
static inline void swap_with(micai_pools *pools, const micai_group *group, micai_pool *pool,
                             uint32_t slot, uint32_t row, uint64_t tick)
{
    uint32_t *entry = micai_index_at(&pool->index, slot);
    uint32_t from = *entry - 1;
    if (from == row) {
        return;
    }
    micai_row a = micai_row_at(&pool->table, from);
    micai_row b = micai_row_at(&pool->table, row);
    micai_index_set(&pool->index, micai_row_entity(b), from);
    *entry = row + 1;
    micai_row_exchange(pools->store, a, b, group->scratch);
    micai_sheet_touch_row(a.sheet, a.offset, tick);
    micai_sheet_touch_row(b.sheet, b.offset, tick);
}

// Entering and leaving

static inline bool passes(const micai_pools *pools, const micai_group *group, uint32_t slot)
{
    bool pass = true;
    for (uint32_t i = 0; i < group->word_count; i++) {
        const micai_group_word *word = &group->words[i];
        uint64_t in = micai_presence_of(pools, word->word, slot);
        pass = pass && (in & (word->needed | word->forbidden)) == word->needed;
    }
    return pass;
}

static inline bool has(const micai_group *group, uint32_t slot)
{
    return micai_pool_row(micai_group_front(group), slot) < micai_group_size(group);
}

static void enter(micai_pools *pools, micai_group *group, uint32_t slot, uint64_t tick)
{
    if (group->list) {
        const micai_pool *lead = group->pools[0];
        mica_entity entity = micai_pool_entity(lead, micai_pool_row(lead, slot));
        micai_pool_add(pools, group->list, group->list->table.count, entity, tick);
        return;
    }
    uint32_t row = group->count++;
    for (uint32_t i = 0; i < group->owned_count; i++) {
        if (MICAI_CANARY("store.group_align")) {
            break;
        }
        swap_with(pools, group, group->pools[i], slot, row, tick);
    }
}

static void leave(micai_pools *pools, micai_group *group, uint32_t slot, uint64_t tick)
{
    if (group->list) {
        micai_pool_take_out(pools, group->list, slot, tick);
        return;
    }
    uint32_t row = --group->count;
    for (uint32_t i = 0; i < group->owned_count; i++) {
        swap_with(pools, group, group->pools[i], slot, row, tick);
    }
}

void micai_pool_regroup(micai_pools *pools, const micai_pool *pool, uint32_t slot, uint64_t tick)
{
    for (uint32_t g = 0; g < pool->groups.count; g++) {
        micai_group *group = pool->groups.items[g];
        bool should = passes(pools, group, slot);
        if (MICAI_CANARY("store.group_leave")) {
            should = should || has(group, slot);
        }
        if (should != has(group, slot)) {
            (should ? enter : leave)(pools, group, slot, tick);
        }
    }
}

void micai_groups_forget(micai_pools *pools, uint32_t slot, uint64_t tick)
{
    MICAI_FOR_PRESENCE(w, pools, slot)
    {
        for (uint64_t in = micai_presence_of(pools, w, slot); in != 0; in &= in - 1) {
            const micai_pool *pool = pools->list.items[w * 64 + micai_bits_lowest(in)];
            for (uint32_t g = 0; g < pool->groups.count; g++) {
                if (has(pool->groups.items[g], slot)) {
                    leave(pools, pool->groups.items[g], slot, tick);
                }
            }
        }
    }
}

void micai_groups_clear(micai_pools *pools)
{
    FOR_GROUPS(group, pools)
    {
        group->count = 0;
        if (group->list) {
            micai_pool_clear(pools, group->list);
        }
    }
}

// Creation

static mica_result open_pools(micai_pools *pools, const micai_group_plan *plan, micai_group *group)
{
    for (uint32_t i = 0; i < plan->type_count; i++) {
        micai_pool *pool = micai_pools_open(pools, plan->types[i]);
        if (!pool || !micai_array_reserve(host_of(pools), &pool->groups, 1)) {
            return MICA_ERROR_MEMORY;
        }
        group->pools[i] = pool;
    }
    return MICA_OK;
}

static micai_group_word *find_word(micai_group *group, uint32_t number)
{
    uint32_t i = 0;
    while (i < group->word_count && group->words[i].word != number) {
        i++;
    }
    if (i == group->word_count) {
        group->words[group->word_count++] = (micai_group_word){.word = number};
    }
    return &group->words[i];
}

static void note_words(micai_group *group)
{
    for (uint32_t i = 0; i < group->pool_count; i++) {
        const micai_pool *pool = group->pools[i];
        micai_group_word *word = find_word(group, pool->type->sparse / 64);
        *(i < group->needed_count ? &word->needed : &word->forbidden) |= pool->bit;
    }
}

// Returns the size and alignment of scratch memory that suit every owned type.
static size_t measure_scratch(const micai_group *group, uint32_t *align_out)
{
    size_t size = 0;
    *align_out = 1;
    for (uint32_t i = 0; i < group->owned_count; i++) {
        const mica_type_info *info = &group->pools[i]->type->info;
        if (info->size > 0 && info->hooks.move) {
            size = info->size > size ? info->size : size;
            *align_out = info->align > *align_out ? info->align : *align_out;
        }
    }
    return size;
}

static mica_result get_scratch(micai_pools *pools, micai_group *group)
{
    group->scratch_size = measure_scratch(group, &group->scratch_align);
    group->scratch = micai_alloc(host_of(pools), group->scratch_size, group->scratch_align);
    return group->scratch || group->scratch_size == 0 ? MICA_OK : MICA_ERROR_MEMORY;
}

static mica_result get_list(micai_pools *pools, micai_group *group)
{
    const micai_pool *lead = group->pools[0];
    group->list = micai_pool_new(pools, NULL);
    mica_result result =
        group->list ? micai_table_reserve(pools->store, &group->list->table, lead->table.capacity)
                    : MICA_ERROR_MEMORY;
    for (uint32_t page = 0; !result && page < lead->index.view.leaf_count; page++) {
        bool got = !micai_index_has_leaf(&lead->index, page) ||
                   micai_index_reserve_leaf(host_of(pools), &group->list->index, page);
        result = got ? MICA_OK : MICA_ERROR_MEMORY;
    }
    return result;
}

static void release_group(micai_pools *pools, micai_group *group)
{
    micai_host *host = host_of(pools);
    if (group->list) {
        micai_pool_free(pools, group->list);
    }
    micai_release(host, group->scratch, group->scratch_size, group->scratch_align);
    micai_release_text(host, group->name);
    micai_release(host, group, sizeof *group, _Alignof(micai_group));
}

// Performs all steps that may fail.
static micai_group *build(micai_pools *pools, const micai_group_plan *plan)
{
    micai_host *host = host_of(pools);
    micai_group *group = micai_alloc_zeroed(host, sizeof *group, _Alignof(micai_group));
    if (!group) {
        return NULL;
    }
    group->owned_count = plan->owned_count;
    group->needed_count = plan->needed_count;
    group->pool_count = plan->type_count;
    mica_result result = open_pools(pools, plan, group);
    if (!result && plan->name) {
        group->name = micai_copy_text(host, plan->name);
        result = group->name ? MICA_OK : MICA_ERROR_MEMORY;
    }
    result = result ? result : get_scratch(pools, group);
    if (!result && group->owned_count == 0) {
        result = get_list(pools, group);
    }
    if (result) {
        release_group(pools, group);
        return NULL;
    }
    note_words(group);
    return group;
}

// Enters all matching entities, in the order of the first pool. If the pool is owned, rows that are
// swapped backwards have been checked already.
static void enter_all(micai_pools *pools, micai_group *group, uint64_t tick)
{
    const micai_pool *lead = group->pools[0];
    for (uint32_t row = 0; row < lead->table.count; row++) {
        uint32_t slot = mica_entity_slot(micai_pool_entity(lead, row));
        if (!micai_pool_is_hole(lead, row) && passes(pools, group, slot)) {
            enter(pools, group, slot, tick);
        }
    }
}

// Mixes the types' names into the handle, so that a handle kept from a freed world is detected.
static mica_group make_handle(uint64_t seal, const micai_group *group, uint32_t number)
{
    uint64_t hash = group->seed;
    for (uint32_t i = 0; i < group->pool_count; i++) {
        hash = micai_hash_add(hash, group->pools[i]->type->name_hash);
    }
    return (mica_group){micai_stamp_make(seal, hash, number)};
}

micai_group *micai_group_new(micai_pools *pools, uint64_t seal, const micai_group_plan *plan,
                             uint64_t tick)
{
    micai_host *host = host_of(pools);
    micai_group *group = micai_handles_reserve(host, &pools->groups, "mica_group_new", "groups")
                             ? build(pools, plan)
                             : NULL;
    if (!group) {
        return NULL;
    }
    uint32_t number = micai_handles_add(&pools->groups, group);
    group->seed = pools->groups.created;
    group->handle = make_handle(seal, group, number);
    for (uint32_t i = 0; i < group->pool_count; i++) {
        micai_pool *pool = group->pools[i];
        pool->groups.items[pool->groups.count++] = group;
        pool->owner = i < group->owned_count ? group : pool->owner;
        micai_pool_update_fast_paths(pools, pool);
    }
    enter_all(pools, group, tick);
    pools->store->structure++;
    return group;
}

static void strike_out(micai_pool *pool, const micai_group *group)
{
    uint32_t kept = 0;
    for (uint32_t g = 0; g < pool->groups.count; g++) {
        if (pool->groups.items[g] != group) {
            pool->groups.items[kept++] = pool->groups.items[g];
        }
    }
    pool->groups.count = kept;
    pool->owner = pool->owner == group ? NULL : pool->owner;
}

void micai_group_free(micai_pools *pools, micai_group *group)
{
    uint32_t number = micai_stamp_number(group->handle.bits);
    pools->store->structure++;
    for (uint32_t i = 0; i < group->pool_count; i++) {
        strike_out(group->pools[i], group);
        micai_pool_update_fast_paths(pools, group->pools[i]);
    }
    micai_handles_remove(&pools->groups, number);
    release_group(pools, group);
}

void micai_groups_free(micai_pools *pools)
{
    FOR_GROUPS(group, pools)
    {
        micai_group_free(pools, group);
    }
    micai_handles_free(host_of(pools), &pools->groups);
}

// Labels and hashes

micai_group_label micai_group_describe(const micai_group *group)
{
    micai_group_label label;
    const char *name = group->name ? group->name : group->pools[0]->type->info.name;
    snprintf(label.text, sizeof label.text, "%s '%.80s'", group->name ? "group" : "the group of",
             name);
    return label;
}

uint64_t micai_groups_digest(const micai_pools *pools, const micai_registry *types, uint64_t hash)
{
    FOR_GROUPS(group, pools)
    {
        if (group->list) {
            micai_hash_stream digest;
            micai_hash_begin(&digest);
            micai_digest_cells(&digest, types, &group->list->table, 0);
            hash = micai_hash_add(hash, micai_hash_end(&digest));
        }
    }
    return hash;
}

bool micai_groups_have(const micai_pools *pools, const micai_group *group)
{
    bool found = false;
    for (uint32_t n = 0; n < pools->groups.list.count; n++) {
        found = found || pools->groups.list.items[n] == group;
    }
    return found && group;
}

// Validation

static mica_result fail(const micai_pools *pools, const char *which, uint32_t number,
                        const char *what)
{
    return micai_fail_invariant(host_of(pools), which, "group %" PRIu32 " %s", number, what);
}

// P11: its pools exist.
static bool has_pools(const micai_pools *pools, const micai_group *group)
{
    bool right = group->pool_count <= MICAI_GROUP_POOLS &&
                 group->needed_count <= group->pool_count && group->needed_count > 0 &&
                 group->owned_count <= group->needed_count && group->pool_count > 1;
    for (uint32_t i = 0; right && i < MICAI_GROUP_POOLS; i++) {
        bool known = i >= group->pool_count && !group->pools[i];
        for (uint32_t n = 0; !known && i < group->pool_count && n < pools->list.count; n++) {
            known = pools->list.items[n] && pools->list.items[n] == group->pools[i];
        }
        right = known;
    }
    return right;
}

static bool has_words(const micai_group *group)
{
    micai_group asked = {.pool_count = group->pool_count, .needed_count = group->needed_count};
    memcpy(asked.pools, group->pools, sizeof asked.pools);
    note_words(&asked);
    bool right = asked.word_count == group->word_count;
    for (uint32_t i = 0; right && i < MICAI_GROUP_POOLS; i++) {
        right = asked.words[i].word == group->words[i].word &&
                asked.words[i].needed == group->words[i].needed &&
                asked.words[i].forbidden == group->words[i].forbidden;
    }
    return right;
}

static bool has_scratch(const micai_group *group)
{
    uint32_t align;
    size_t size = measure_scratch(group, &align);
    return group->scratch_size == size && group->scratch_align == align &&
           !group->scratch == (size == 0);
}

static mica_result validate_group(const micai_pools *pools, uint32_t number, uint64_t seal)
{
    const micai_group *group = pools->groups.list.items[number];
    bool right = has_pools(pools, group) && has_words(group) && has_scratch(group) &&
                 group->seed <= pools->groups.created &&
                 group->handle.bits == make_handle(seal, group, number).bits &&
                 !group->list == (group->owned_count > 0);
    return right ? MICA_OK : fail(pools, "P11", number, "is not what it was made of");
}

// Returns how often a group is in a pool's list.
static uint32_t count_in(const micai_pool *pool, const micai_group *group)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < pool->groups.count; g++) {
        count += pool->groups.items[g] == group;
    }
    return count;
}

// P8
static mica_result validate_pools(const micai_pools *pools, uint32_t number, uint32_t *links_out)
{
    const micai_group *group = pools->groups.list.items[number];
    bool right = true;
    for (uint32_t i = 0; right && i < group->pool_count; i++) {
        const micai_pool *pool = group->pools[i];
        bool owned = i < group->owned_count;
        right = count_in(pool, group) == 1 && (pool->owner == group) == owned &&
                !(owned && pool->type->info.stable);
    }
    *links_out += group->pool_count;
    return right ? MICA_OK : fail(pools, "P8", number, "and its pools do not know each other");
}

// P10
static bool has_capacity(const micai_pool *list, const micai_pool *lead)
{
    bool right = list->table.capacity >= lead->table.capacity;
    for (uint32_t page = 0; right && page < lead->index.view.leaf_count; page++) {
        right =
            micai_index_has_leaf(&list->index, page) || !micai_index_has_leaf(&lead->index, page);
    }
    return right;
}

static mica_result validate_list(const micai_pools *pools, uint32_t number, uint64_t tick)
{
    const micai_group *group = pools->groups.list.items[number];
    const micai_pool *list = group->list;
    if (!list) {
        return MICA_OK;
    }
    bool right = !list->type && !list->presence && list->table.layout.strip_count == 1 &&
                 list->table.index == &list->index && !list->owner && list->groups.count == 0 &&
                 has_capacity(list, group->pools[0]);
    mica_result result = right ? MICA_OK : fail(pools, "P10", number, "has a damaged list");
    result = result ? result : micai_table_validate_sheets(pools->store, &list->table);
    return result ? result : micai_table_validate_ticks(pools->store, &list->table, tick);
}

// P9
static mica_result validate_members(const micai_pools *pools, uint32_t number)
{
    const micai_group *group = pools->groups.list.items[number];
    const micai_pool *lead = group->pools[0];
    uint32_t size = micai_group_size(group);
    bool right = group->owned_count > 0 ? size <= lead->table.count : group->count == 0;
    uint32_t passing = 0;
    for (uint32_t row = 0; right && row < lead->table.count; row++) {
        mica_entity entity = micai_pool_entity(lead, row);
        uint32_t slot = mica_entity_slot(entity);
        if (micai_pool_is_hole(lead, row)) {
            continue;
        }
        bool pass = passes(pools, group, slot);
        passing += pass;
        right = pass == has(group, slot);
        for (uint32_t i = 1; right && pass && i < group->owned_count; i++) {
            right = micai_pool_row(group->pools[i], slot) == row;
        }
    }
    return right && passing == size ? MICA_OK
                                    : fail(pools, "P9", number, "has not the entities that match");
}

// P8: a pool lists only groups that list it.
static mica_result validate_links(const micai_pools *pools, uint32_t links)
{
    uint32_t listed = 0;
    bool right = true;
    for (uint32_t n = 0; n < pools->list.count; n++) {
        const micai_pool *pool = pools->list.items[n];
        listed += pool ? pool->groups.count : 0;
        right = right && (!pool || !pool->owner || count_in(pool, pool->owner) == 1);
    }
    return right && listed == links
               ? MICA_OK
               : micai_fail_invariant(host_of(pools), "P8", "a pool is in a group that is none");
}

mica_result micai_groups_validate(const micai_pools *pools, uint64_t seal, uint64_t tick)
{
    micai_host *host = host_of(pools);
    mica_result result = micai_handles_validate(host, &pools->groups, "groups");
    for (uint32_t n = 0; !result && n < pools->list.count; n++) {
        const micai_pool *pool = pools->list.items[n];
        result = pool ? micai_array_validate(host, &pool->groups, "groups of a pool") : MICA_OK;
    }
    uint32_t links = 0;
    for (uint32_t n = 0; !result && n < pools->groups.list.count; n++) {
        if (pools->groups.list.items[n]) {
            result = validate_group(pools, n, seal);
            result = result ? result : validate_pools(pools, n, &links);
            result = result ? result : validate_list(pools, n, tick);
            result = result ? result : validate_members(pools, n);
        }
    }
    return result ? result : validate_links(pools, links);
}
