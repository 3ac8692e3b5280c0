// One pool: its room, its values, who comes and who goes. pool.h has the contract.
#include "store/pool/pool.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "store/pool/group.h"

#define LITTLE_BYTES (UINT32_C(1) << 18)
#define LEAST_ROOM 16u // places
#define MOST_ROOM (UINT32_C(1) << MICAI_POOL_WHOLE)

static micai_host *host_of(const micai_pools *pools)
{
    return pools->gate->host;
}

static bool is_stable(const micai_pool *pool)
{
    return pool->type->info.stable;
}

static uint32_t tick_count(uint32_t places)
{
    return (places + (UINT32_C(1) << MICAI_POOL_TICK_SHIFT) - 1) >> MICAI_POOL_TICK_SHIFT;
}

// A cache line, if the type does not want more.
static uint32_t value_align(const micai_pool *pool)
{
    return pool->type->info.align > 64 ? pool->type->info.align : 64;
}

// Room

static void release_room(micai_pools *pools, const micai_pool *pool, micai_pool_room *room)
{
    micai_host *host = host_of(pools);
    micai_release(host, room->entities, sizeof *room->entities * room->capacity, 64);
    micai_release(host, room->ticks, sizeof *room->ticks * tick_count(room->capacity),
                  _Alignof(uint64_t));
    if (room->values) {
        micai_release(host, room->values, (size_t)pool->view.size * room->capacity,
                      value_align(pool));
    }
    if (room->flags) {
        micai_release(host, room->flags, room->capacity, 64);
    }
    if (room->changed) {
        micai_release(host, room->changed, sizeof *room->changed * 2 * room->capacity, 64);
    }
    *room = (micai_pool_room){0};
}

static mica_result get_room(micai_pools *pools, const micai_pool *pool, uint32_t capacity,
                            micai_pool_room *room_out)
{
    micai_host *host = host_of(pools);
    micai_pool_room room = {.capacity = capacity};
    bool values = pool->view.size > 0 && !is_stable(pool);
    if (values) {
        room.values = micai_alloc_array(host, capacity, pool->view.size, value_align(pool));
    }
    if (!values || room.values) {
        room.entities = micai_alloc_array(host, capacity, sizeof *room.entities, 64);
    }
    if (room.entities) {
        size_t size = sizeof *room.ticks * tick_count(capacity);
        room.ticks = micai_alloc_zeroed(host, size, _Alignof(uint64_t));
    }
    if (room.ticks && pool->type->info.toggle) {
        room.flags = micai_alloc(host, capacity, 64);
    }
    bool whole = room.ticks && (!pool->type->info.toggle || room.flags);
    if (whole && pool->type->info.row_stamps) {
        room.changed = micai_alloc_array(host, capacity, sizeof *room.changed * 2, 64);
        room.added = room.changed ? room.changed + capacity : NULL;
        whole = room.changed != NULL;
    }
    if (!whole) {
        release_room(pools, pool, &room);
        return MICA_ERROR_MEMORY;
    }
    *room_out = room;
    return MICA_OK;
}

static size_t block_size(const micai_pool *pool)
{
    return (size_t)pool->view.size << pool->view.block_shift;
}

static uint32_t block_count(const micai_pool *pool, uint32_t places)
{
    uint32_t shift = pool->view.block_shift;
    return (places + (UINT32_C(1) << shift) - 1) >> shift;
}

static void release_blocks(micai_pools *pools, micai_pool *pool, uint32_t from, uint32_t to)
{
    while (to > from) {
        micai_release(host_of(pools), pool->view.blocks[--to], block_size(pool), value_align(pool));
    }
}

// Blocks of a stable pool, for places from its present room on.
static mica_result get_blocks(micai_pools *pools, micai_pool *pool, uint32_t capacity)
{
    uint32_t had = block_count(pool, pool->room.capacity);
    uint32_t count = block_count(pool, capacity);
    if (!micai_array_grow(host_of(pools), &pool->view.blocks, &pool->block_capacity, had,
                          count - had, sizeof *pool->view.blocks, _Alignof(max_align_t))) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = had; i < count; i++) {
        pool->view.blocks[i] = micai_alloc(host_of(pools), block_size(pool), value_align(pool));
        if (!pool->view.blocks[i]) {
            release_blocks(pools, pool, had, i);
            return MICA_ERROR_MEMORY;
        }
    }
    return MICA_OK;
}

// Twice as much, four times while that is little. A first few, but no more than a block of large
// ones.
static uint32_t widen(const micai_pool *pool, uint32_t needed)
{
    uint64_t capacity = pool->room.capacity;
    uint32_t fit = MICAI_POOL_BLOCK_BYTES / (pool->view.size + 1);
    capacity *= capacity * (pool->view.size + 1) < LITTLE_BYTES ? 4 : 2;
    capacity = capacity < LEAST_ROOM && capacity < fit ? LEAST_ROOM : capacity;
    capacity = capacity > MOST_ROOM ? MOST_ROOM : capacity;
    uint32_t wide = needed > capacity ? needed : (uint32_t)capacity;
    return is_stable(pool) ? block_count(pool, wide) << pool->view.block_shift : wide;
}

mica_result micai_pool_reserve(micai_pools *pools, micai_pool *pool, uint32_t extra)
{
    uint64_t needed = (uint64_t)pool->count + extra;
    if (needed <= pool->room.capacity) {
        return MICA_OK;
    }
    if (needed > MOST_ROOM) {
        return micai_fail_within(host_of(pools), MICA_ERROR_LIMIT,
                                 "'%s' cannot have %" PRIu64 " values; %" PRIu32 " are the most",
                                 pool->type->info.name, needed, MOST_ROOM);
    }
    return micai_pool_reserve_places(pools, pool, widen(pool, (uint32_t)needed));
}

mica_result micai_pool_reserve_places(micai_pools *pools, micai_pool *pool, uint32_t capacity)
{
    uint64_t bytes = (uint64_t)capacity * (pool->view.size + sizeof(mica_entity));
    if (!micai_probe(host_of(pools), bytes) || get_room(pools, pool, capacity, &pool->wider)) {
        return MICA_ERROR_MEMORY;
    }
    if (is_stable(pool) && get_blocks(pools, pool, capacity)) {
        release_room(pools, pool, &pool->wider);
        return MICA_ERROR_MEMORY;
    }
    mica_result result = MICA_OK;
    MICAI_FOR_INDEXES(index, pool)
    {
        result = result ? result : micai_pool_reserve_places(pools, index, capacity);
    }
    if (result) {
        micai_pool_cancel(pools, pool);
    }
    return result;
}

// Puts a room in the place of the present one, values included.
static void move_to(micai_pools *pools, micai_pool *pool, micai_pool_room room)
{
    if (pool->count > 0) {
        assert(room.entities); // it is as large as the other
        memcpy(room.entities, pool->room.entities, sizeof *room.entities * pool->count);
        memcpy(room.ticks, pool->room.ticks, sizeof *room.ticks * tick_count(pool->count));
        if (room.flags) {
            memcpy(room.flags, pool->room.flags, pool->count);
        }
        if (room.changed) {
            memcpy(room.changed, pool->room.changed, sizeof *room.changed * pool->count);
            memcpy(room.added, pool->room.added, sizeof *room.added * pool->count);
        }
        if (room.values) {
            micai_hook_relocate(pools->gate, pool->type, room.values, pool->room.values,
                                pool->count);
        }
    }
    release_room(pools, pool, &pool->room);
    pool->room = room;
    pool->view.entities = room.entities;
    pool->view.ticks = room.changed ? NULL : room.ticks; // else each place has its own
    pool->view.flags = room.flags;
    micai_pool_dim(pool, pool->dimmed);
}

void micai_pool_settle(micai_pools *pools, micai_pool *pool)
{
    if (pool->wider.capacity > 0) {
        micai_pool_room room = pool->wider;
        pool->wider = (micai_pool_room){0};
        move_to(pools, pool, room);
        MICAI_FOR_INDEXES(index, pool)
        {
            micai_pool_settle(pools, index);
        }
    }
}

void micai_pool_cancel(micai_pools *pools, micai_pool *pool)
{
    if (pool->wider.capacity > 0) {
        if (is_stable(pool)) { // none, if less room was wanted
            release_blocks(pools, pool, block_count(pool, pool->room.capacity),
                           block_count(pool, pool->wider.capacity));
        }
        release_room(pools, pool, &pool->wider);
        MICAI_FOR_INDEXES(index, pool)
        {
            micai_pool_cancel(pools, index);
        }
    }
}

static bool grow_leaves(micai_pools *pools, micai_pool *pool, uint32_t count)
{
    uint32_t had = pool->view.leaf_count;
    if (count <= had) {
        return true;
    }
    if (!micai_array_grow(host_of(pools), &pool->view.leaves, &pool->leaf_capacity, had,
                          count - had, sizeof *pool->view.leaves, _Alignof(max_align_t))) {
        return false;
    }
    memset(pool->view.leaves + had, 0, sizeof *pool->view.leaves * (count - had));
    pool->view.leaf_count = count;
    return true;
}

static bool grow_presence(micai_pools *pools, micai_presence *presence, uint32_t count)
{
    uint32_t had = presence->pages.count;
    if (count <= had) {
        return true;
    }
    if (!micai_array_reserve(host_of(pools), &presence->pages, count - had)) {
        return false;
    }
    memset(presence->pages.items + had, 0, sizeof *presence->pages.items * (count - had));
    presence->pages.count = count;
    return true;
}

static bool get_leaf(micai_pools *pools, micai_pool *pool, uint32_t page)
{
    if (!grow_leaves(pools, pool, page + 1)) {
        return false;
    }
    uint32_t **leaf = &pool->view.leaves[page];
    *leaf = *leaf ? *leaf : micai_alloc_zeroed(host_of(pools), MICAI_LEAF_BYTES, 64);
    return *leaf != NULL;
}

static bool grow_words(micai_pools *pools, uint32_t count)
{
    uint32_t had = pools->words.count;
    if (count > had && !micai_array_reserve(host_of(pools), &pools->words, count - had)) {
        return false;
    }
    while (pools->words.count < count) {
        pools->words.items[pools->words.count++] = 0;
    }
    return true;
}

static bool get_masks(micai_pools *pools, const micai_pool *pool, uint32_t page)
{
    micai_presence *presence = pool->presence;
    if (!grow_words(pools, page + 1) || !grow_presence(pools, presence, page + 1)) {
        return false;
    }
    uint64_t **masks = &presence->pages.items[page];
    *masks = *masks ? *masks : micai_alloc_zeroed(host_of(pools), MICAI_MASK_BYTES, 64);
    if (*masks) {
        pools->words.items[page] |= micai_presence_bit(pool->type->sparse / 64);
    }
    return *masks != NULL;
}

// A leaf, and before it the page of presence, and the leaves of indexes.
static bool get_page(micai_pools *pools, micai_pool *pool, uint32_t page)
{
    bool got = !pool->presence || get_masks(pools, pool, page);
    MICAI_FOR_INDEXES(index, pool)
    {
        got = got && get_leaf(pools, index, page);
    }
    return got && get_leaf(pools, pool, page);
}

mica_result micai_pool_reserve_slot(micai_pools *pools, micai_pool *pool, uint32_t slot)
{
    bool there = micai_pool_entry(pool, slot) != NULL;
    return there || get_page(pools, pool, slot >> MICAI_SLOT_PAGE_SHIFT) ? MICA_OK
                                                                         : MICA_ERROR_MEMORY;
}

mica_result micai_pool_reserve_slots(micai_pools *pools, micai_pool *pool, micai_slot_room coming)
{
    const micai_slots *slots = pools->gate->slots;
    uint32_t count = slots->view.page_count;
    uint32_t fresh = slots->fresh >> MICAI_SLOT_PAGE_SHIFT;
    uint32_t end = micai_slots_page_end(slots, coming);
    for (uint32_t page = 0; page < count || page < end; page++) {
        bool there = (page < count && slots->view.pages[page]) || (page >= fresh && page < end);
        if (there && !get_page(pools, pool, page)) {
            return MICA_ERROR_MEMORY;
        }
    }
    return MICA_OK;
}

// Raw values

// Where a raw value is to be made: in the room to be, if there is one.
static void *raw_value(const micai_pool *pool, uint32_t place)
{
    return pool->wider.values ? pool->wider.values + (size_t)place * pool->view.size
                              : micai_pool_value(pool, place);
}

static mica_result make_one(micai_pools *pools, micai_pool *pool, uint32_t place, const void *data)
{
    void *target = raw_value(pool, place);
    return data ? micai_hook_copy(pools->gate, pool->type, target, data, 1)
                : micai_hook_construct(pools->gate, pool->type, target, 1);
}

mica_result micai_pool_make(micai_pools *pools, micai_pool *pool, uint32_t place, uint32_t count,
                            const void *data, uint32_t stride)
{
    const unsigned char *source = data;
    for (uint32_t i = 0; pool->view.size > 0 && i < count; i++) {
        const void *from = data ? source + (size_t)i * stride : NULL;
        mica_result result = make_one(pools, pool, place + i, from);
        if (result) {
            micai_pool_unmake(pools, pool, place, i, data, stride);
            return result;
        }
    }
    return MICA_OK;
}

void micai_pool_unmake(micai_pools *pools, micai_pool *pool, uint32_t place, uint32_t count,
                       const void *data, uint32_t stride)
{
    const unsigned char *source = data;
    for (uint32_t i = count; pool->view.size > 0 && i-- > 0;) {
        void *value = raw_value(pool, place + i);
        if (data) {
            micai_hook_undo_copy(pools->gate, pool->type, value, source + (size_t)i * stride, 1);
        } else {
            micai_hook_destruct(pools->gate, pool->type, value, 1);
        }
    }
}

// Coming and going

static void set_place(micai_pool *pool, uint32_t slot, uint32_t place)
{
    *micai_pool_at(pool, slot) = place + 1;
}

void micai_pool_join(micai_pools *pools, micai_pool *pool, uint32_t place, mica_entity entity,
                     uint64_t tick)
{
    uint32_t slot = mica_entity_slot(entity);
    if (place == pool->first_hole) {
        pool->first_hole = (uint32_t)pool->room.entities[place].bits;
        pool->hole_count--;
    } else {
        pool->count++;
    }
    pool->room.entities[place] = entity;
    micai_pool_begin(pool, place, tick);
    set_place(pool, slot, place);
    micai_pool_touch(pool, place, tick);
    if (pool->presence) {
        *micai_pool_mask(pool, slot) |= pool->bit;
        pools->kept++;
        micai_pool_regroup(pools, pool, slot, tick);
    }
}

// The last takes a place that has become free.
static void fill(micai_pools *pools, micai_pool *pool, uint32_t place, uint64_t tick)
{
    uint32_t last = --pool->count;
    if (place == last || MICAI_CANARY("store.pool_fill")) {
        return;
    }
    mica_entity moved = pool->room.entities[last];
    if (pool->view.size > 0) {
        micai_hook_relocate(pools->gate, pool->type, micai_pool_value(pool, place),
                            micai_pool_value(pool, last), 1);
    }
    pool->room.entities[place] = moved;
    if (!MICAI_CANARY("store.pool_flag")) {
        micai_pool_carry(pool, place, last);
    }
    set_place(pool, mica_entity_slot(moved), place);
    micai_pool_touch(pool, place, tick);
}

void micai_pool_fill_quickly(micai_pool *pool, uint32_t place, uint64_t tick)
{
    uint32_t last = pool->count;
    uint32_t size = pool->view.size;
    mica_entity moved = pool->room.entities[last];
    pool->room.entities[place] = moved;
    if (size > 0) {
        micai_copy_bytes(pool->room.values + (size_t)place * size,
                         pool->room.values + (size_t)last * size, size);
    }
    set_place(pool, mica_entity_slot(moved), place);
    micai_pool_touch(pool, place, tick);
}

static void make_hole(micai_pool *pool, uint32_t place)
{
    if (pool->room.flags) {
        pool->room.flags[place] = 0;
    }
    pool->room.entities[place].bits = pool->first_hole;
    pool->first_hole = place;
    pool->hole_count++;
}

void micai_pool_take_out(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick)
{
    uint32_t place = micai_pool_place(pool, slot);
    if (pool->view.size > 0) {
        micai_hook_destruct(pools->gate, pool->type, micai_pool_value(pool, place), 1);
    }
    set_place(pool, slot, MICAI_POOL_NONE);
    if (!is_stable(pool)) {
        fill(pools, pool, place, tick);
    } else if (pool->hole_count + 1 == pool->count) { // nobody is left to stay in place
        pool->count = pool->hole_count = 0;
        pool->first_hole = MICAI_POOL_NONE;
    } else {
        make_hole(pool, place);
    }
}

void micai_pool_leave(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick)
{
    *micai_pool_mask(pool, slot) &= ~pool->bit;
    pools->kept--;
    micai_pool_regroup(pools, pool, slot, tick);
    micai_pool_take_out(pools, pool, slot, tick);
}

void micai_pool_replace(micai_pools *pools, micai_pool *pool, uint32_t place, void *source,
                        uint64_t tick)
{
    void *value = micai_pool_value(pool, place);
    micai_hook_destruct(pools->gate, pool->type, value, 1);
    micai_hook_relocate(pools->gate, pool->type, value, source, 1);
    micai_pool_stamp(pool, place, tick);
}

void micai_pool_look(micai_pool *pool)
{
    bool found = false;
    for (uint32_t place = 0; pool->dimmed && !found && place < pool->count; place++) {
        found = pool->room.flags[place] != 0;
    }
    micai_pool_dim(pool, found);
}

void micai_pool_stir(micai_pools *pools, micai_pool *pool)
{
    micai_pool_room room;
    if (!pools->restless || !pool->room.values) {
        return;
    }
    micai_host *host = host_of(pools);
    room = (micai_pool_room){.capacity = pool->room.capacity};
    room.values = micai_alloc_try(host, (size_t)pool->view.size * room.capacity, value_align(pool));
    if (!room.values) {
        return; // then they stay this time
    }
    micai_hook_relocate(pools->gate, pool->type, room.values, pool->room.values, pool->count);
    micai_release(host, pool->room.values, (size_t)pool->view.size * room.capacity,
                  value_align(pool));
    pool->room.values = room.values;
}

// Ends

// Everybody leaves, and values end, unless they have been relocated.
static void leave_all(micai_pools *pools, micai_pool *pool, bool relocated)
{
    for (uint32_t place = 0; place < pool->count; place++) {
        if (!micai_pool_is_hole(pool, place)) {
            if (pool->view.size > 0 && !relocated) {
                micai_hook_destruct(pools->gate, pool->type, micai_pool_value(pool, place), 1);
            }
            uint32_t slot = mica_entity_slot(pool->room.entities[place]);
            set_place(pool, slot, MICAI_POOL_NONE);
            if (pool->presence) {
                *micai_pool_mask(pool, slot) &= ~pool->bit;
                pools->kept--;
            }
        }
    }
    pool->count = pool->hole_count = 0;
    micai_pool_dim(pool, false);
    pool->first_hole = MICAI_POOL_NONE;
}

void micai_pool_clear(micai_pools *pools, micai_pool *pool)
{
    leave_all(pools, pool, false);
}

static void release_leaves(micai_pools *pools, micai_pool *pool)
{
    micai_host *host = host_of(pools);
    for (uint32_t page = 0; page < pool->view.leaf_count; page++) {
        micai_release(host, pool->view.leaves[page], MICAI_LEAF_BYTES, 64);
    }
    micai_array_drop(host, &pool->view.leaves, &pool->leaf_capacity, sizeof *pool->view.leaves,
                     _Alignof(max_align_t));
    pool->view.leaf_count = 0;
}

void micai_pool_vacate(micai_pools *pools, micai_pool *pool)
{
    leave_all(pools, pool, true);
}

void micai_pool_abandon(micai_pools *pools, micai_pool *pool)
{
    micai_pool_vacate(pools, pool);
    move_to(pools, pool, (micai_pool_room){0});
    release_leaves(pools, pool);
    pools->by_type.items[pool->type->number] = NULL;
}

void micai_pool_free(micai_pools *pools, micai_pool *pool)
{
    micai_host *host = host_of(pools);
    micai_pool_clear(pools, pool);
    if (is_stable(pool)) {
        release_blocks(pools, pool, 0, block_count(pool, pool->room.capacity));
        micai_array_drop(host, &pool->view.blocks, &pool->block_capacity, sizeof *pool->view.blocks,
                         _Alignof(max_align_t));
    }
    release_room(pools, pool, &pool->room);
    release_leaves(pools, pool);
    micai_array_free(host, &pool->groups);
    micai_release(host, pool, sizeof *pool, _Alignof(micai_pool));
}

// Reclaiming

static bool is_empty(const uint32_t *leaf)
{
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        if (leaf[i] != 0) {
            return false;
        }
    }
    return true;
}

// The places up to the last value.
static uint32_t find_end(const micai_pool *pool)
{
    uint32_t end = pool->count;
    while (end > 0 && micai_pool_is_hole(pool, end - 1)) {
        end--;
    }
    return end;
}

// Holes behind the last value go; the list of the others is made anew, lowest first.
static void drop_last_holes(micai_pool *pool)
{
    uint32_t end = find_end(pool);
    pool->hole_count -= pool->count - end;
    pool->count = end;
    pool->first_hole = MICAI_POOL_NONE;
    for (uint32_t place = end; pool->hole_count > 0 && place-- > 0;) {
        if (micai_pool_is_hole(pool, place)) {
            pool->room.entities[place].bits = pool->first_hole;
            pool->first_hole = place;
        }
    }
}

mica_result micai_pool_reserve_reclaim(micai_pools *pools, micai_pool *pool)
{
    uint32_t end = find_end(pool);
    uint32_t capacity = is_stable(pool) ? block_count(pool, end) << pool->view.block_shift : end;
    bool shrinks = capacity > 0 && capacity < pool->room.capacity;
    mica_result result = shrinks ? get_room(pools, pool, capacity, &pool->wider) : MICA_OK;
    MICAI_FOR_INDEXES(index, pool)
    {
        result = result || !shrinks ? result : get_room(pools, index, capacity, &index->wider);
    }
    return result;
}

static void drop_leaf(micai_pools *pools, micai_pool *pool, uint32_t page)
{
    if (page < pool->view.leaf_count) {
        micai_release(host_of(pools), pool->view.leaves[page], MICAI_LEAF_BYTES, 64);
        pool->view.leaves[page] = NULL;
    }
}

// An index has room and leaves where its first pool has.
static void reclaim_index(micai_pools *pools, const micai_pool *pool, micai_pool *index)
{
    if (pool->count == 0) {
        release_room(pools, index, &index->room);
        index->view.entities = NULL;
        index->view.ticks = NULL;
    }
    for (uint32_t page = 0; page < index->view.leaf_count; page++) {
        if (page >= pool->view.leaf_count || !pool->view.leaves[page]) {
            drop_leaf(pools, index, page);
        }
    }
}

void micai_pool_reclaim(micai_pools *pools, micai_pool *pool)
{
    if (is_stable(pool)) {
        drop_last_holes(pool);
        release_blocks(pools, pool, block_count(pool, pool->count),
                       block_count(pool, pool->room.capacity));
    }
    micai_pool_settle(pools, pool);
    micai_pool_look(pool);
    if (pool->count == 0) {
        release_room(pools, pool, &pool->room);
        pool->view.entities = NULL;
        pool->view.ticks = NULL;
        pool->view.flags = NULL;
    }
    for (uint32_t page = 0; page < pool->view.leaf_count; page++) {
        if (pool->view.leaves[page] && is_empty(pool->view.leaves[page])) {
            drop_leaf(pools, pool, page);
        }
    }
    MICAI_FOR_INDEXES(index, pool)
    {
        reclaim_index(pools, pool, index);
    }
}
