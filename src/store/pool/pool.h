// Pools: the values of one sparse type, side by side, whatever tables their entities are in.
//
//   leaves    [0] -> | 0 | 3 | 0 | 1 | ...   [1] NULL      by slot: 1 + place, 0: it has none
//   entities  | e3 | e9 | e1 |                             by place
//   values    | v3 | v9 | v1 | raw | ...                   by place; tags have none
//   flags     | 0  | 1  | 0  |                             by place, 1: disabled; with a toggle only
//   ticks     | t  | ...                                   of the last write, per 1,024 places
//   changed   | t3 | t9 | t1 |                             by place; with row stamps only
//   added     | t3 | t9 | t1 |
//
// and over all pools, by slot, which of them it is in: *presence*, a word for every 64 sparse types. Pages of
// slots of which nobody has any of these have no such words.
//
// Room:    store/pool. Called by world/ (value, plan, short cuts) and query/segment.
//
// Who leaves is replaced by the last, so that places have no holes. In a *stable* pool values stay
// where they are: holes wait for the next who join, linked through their entities, and values lie in
// blocks of their own, not in one that grows.
//
// Values behind the last, for which room was made, are raw: they are made there first, and join
// later. More room is a wider block, got when room is reserved; the values move there when the pool is
// settled, which cannot fail. So whatever is copied into a pool may lie in the pool itself.
//
// Groups (group.h) keep the order of pools: whoever joins or leaves one is looked at by the groups the
// pool is in. The list of a group that owns no pool is a pool itself, an *index*: of no type, without
// values, presence and a place among the others. It has room for as many as the first pool that the
// group needs, so that entering asks for no memory.
//
// Invariants, swept by micai_pools_validate() and cited by tests:
//   P1  every entity of a pool is alive, and its slot's leaf leads back to its place; no other entry
//       of a leaf leads anywhere. Its bit is set in presence, and no other is.
//   P2  there is room for all places: entities, values, ticks. No tick is later than the world's.
//   P3  holes are in stable pools only. The list of them has them all, and ends.
//   P4  where a pool has a leaf, there is a page of presence.
//   P5  between calls all pools are settled.
//   P6  a pool is of a sparse type, under whose number it is found, and knows its size, its handle and
//       its bit. It is bare, plain, quick and told exactly if it can be. That of a type that is not sparse any more is
//       empty, and not found.
//   P7  `kept` counts all values of all pools.
// P8 to P11 are those of groups: group.h.
//   P12 types with toggles, and no others, have flags, which are 0 or 1. A pool in which a value is
//       disabled is *dimmed*; it stays so until somebody looks (micai_pool_look). Holes are enabled.
//       Accessors write flags (`switches`) only of dimmed pools without row stamps that nobody watches, and
//       so need not ask.
//   P13 types with row stamps, and no others, have ticks for each place: it was not added after it
//       changed, and that not after the tick of the places around it.
//   P14 `words` says of a page of slots which words of presence it has.
#ifndef MICAI_STORE_POOL_POOL_H
#define MICAI_STORE_POOL_POOL_H

#include <mica/view.h>

#include "base/array.h"
#include "base/bytes.h"
#include "core/handles.h"
#include "core/hook.h"
#include "core/watch.h"

#define MICAI_POOL_NONE UINT32_MAX // no place

#define MICAI_POOL_TICK_SHIFT MICA_VIEW_POOL_SHIFT

// Places per block, as a power of two: everything in one; of stable pools, as many as fit.
#define MICAI_POOL_WHOLE 31u
#define MICAI_POOL_BLOCK_BYTES (UINT32_C(1) << 16)

static inline uint32_t micai_pool_block_shift(uint32_t size)
{
    uint32_t shift = MICA_VIEW_POOL_SHIFT;
    while (shift > 0 && (uint64_t)size << shift > MICAI_POOL_BLOCK_BYTES) {
        shift--;
    }
    return shift;
}

#define MICAI_LEAF_BYTES (sizeof(uint32_t) * MICAI_SLOT_PAGE_SIZE)
#define MICAI_MASK_BYTES (sizeof(uint64_t) * MICAI_SLOT_PAGE_SIZE)

// What places consist of.
typedef struct micai_pool_room {
    mica_entity *entities;
    uint64_t *ticks;
    unsigned char *values; // NULL: of tags; of stable pools, which have blocks
    unsigned char *flags;  // NULL: of types without a toggle
    uint64_t *changed;     // NULL: of types without row stamps
    uint64_t *added;       // in the same block
    uint32_t capacity;     // places
} micai_pool_room;

// Which of up to 64 pools the slots are in.
typedef struct micai_presence {
    MICAI_ARRAY(uint64_t *) pages; // by page of slots; NULL: nobody there is in any
} micai_presence;

typedef struct micai_group micai_group;

typedef struct micai_pool {
    mica_view_pool view; // leaves, blocks, ticks: what accessors look into
    const micai_type *type;
    uint64_t handle;          // its type's
    micai_presence *presence; // NULL: of an index
    uint64_t bit;             // there
    micai_pool_room room;
    micai_pool_room wider; // not settled yet; no capacity: nothing
    uint32_t count;        // places in use, holes included
    uint32_t hole_count;
    uint32_t first_hole; // MICAI_POOL_NONE: there is none
    uint32_t leaf_capacity;
    uint32_t block_capacity; // of the list of blocks; 0: the only block is that of the room
    bool bare;               // values may come and go as bytes
    bool plain;              // and nobody is told
    bool quick;              // and nothing else is to be done: it has no flags, no ticks of places,
                             // and is in no group
    bool told;               // the same, but that observers of its type are told
    bool dimmed;             // some value may be disabled
    MICAI_ARRAY(micai_group *) groups; // that it is in, in whatever way
    micai_group *owner;                // of them, that keeps its order; NULL: none
} micai_pool;

typedef struct micai_pools {
    micai_gate *gate;
    bool restless;
    uint32_t kept;                          // values in all pools
    MICAI_ARRAY(micai_pool *) by_type;      // by number of the type; NULL: it has no pool
    MICAI_ARRAY(micai_pool *) list;         // by number of the sparse type; the same
    MICAI_ARRAY(micai_presence *) presence; // for every 64 of these
    MICAI_ARRAY(uint64_t) words;            // of presence, by page of slots: micai_presence_bit()
    micai_handles groups;
} micai_pools;

void micai_pools_init(micai_pools *pools, micai_gate *gate, bool restless);

// Ends all values, and gives back everything.
void micai_pools_free(micai_pools *pools);

// Are the values of a type kept in a pool?
static inline bool micai_pool_keeps(const micai_type *type)
{
    return type->info.storage == MICA_SPARSE;
}

// The values of a pool have been relocated, and those who had them leave.
void micai_pool_vacate(micai_pools *pools, micai_pool *pool);

// The same, and the type of the pool is kept elsewhere from now on. The pool stays, empty, for accessors
// that look into it, and for the type to come back.
void micai_pool_abandon(micai_pools *pools, micai_pool *pool);

// Finding

// The pool of a type's handle; NULL: it has none, or is no type's.
static inline micai_pool *micai_pools_find(const micai_pools *pools, mica_type type)
{
    uint32_t number = micai_stamp_number(type.bits);
    micai_pool *pool = number < pools->by_type.count ? pools->by_type.items[number] : NULL;
    return pool && pool->handle == type.bits ? pool : NULL;
}

// The same, for a sparse type; one that has none yet gets one. NULL: MICA_ERROR_MEMORY.
micai_pool *micai_pools_open(micai_pools *pools, const micai_type *type);

// Where a leaf has the place of a slot, plus one; NULL if there is no leaf.
static inline uint32_t *micai_pool_entry(const micai_pool *pool, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    if (page >= pool->view.leaf_count || !pool->view.leaves[page]) {
        return NULL;
    }
    return &pool->view.leaves[page][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// The same for a slot whose leaf is there.
static inline uint32_t *micai_pool_at(const micai_pool *pool, uint32_t slot)
{
    return &pool->view.leaves[slot >> MICAI_SLOT_PAGE_SHIFT][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// The place of a slot; MICAI_POOL_NONE: it has none.
static inline uint32_t micai_pool_place(const micai_pool *pool, uint32_t slot)
{
    const uint32_t *entry = micai_pool_entry(pool, slot);
    return entry ? *entry - 1 : MICAI_POOL_NONE;
}

// The value of a place; of tags, NULL. How many from a place on lie side by side.
static inline void *micai_pool_value(const micai_pool *pool, uint32_t place)
{
    return pool->view.size > 0 ? mica_view_pool_value(&pool->view, place, pool->view.size) : NULL;
}

static inline uint32_t micai_pool_span(const micai_pool *pool, uint32_t place)
{
    uint32_t rest = pool->count - place;
    uint32_t block = UINT32_C(1) << pool->view.block_shift;
    uint32_t inside = block - (place & (block - 1));
    return rest < inside ? rest : inside;
}

static inline bool micai_pool_is_hole(const micai_pool *pool, uint32_t place)
{
    return pool->room.entities[place].bits >> 32 == 0; // no living entity's handle is like this
}

// How many entities are in a pool.
static inline uint32_t micai_pool_size(const micai_pool *pool)
{
    return pool->count - pool->hole_count;
}

// Is the value of a place disabled? Of a type with a toggle.
static inline bool micai_pool_is_off(const micai_pool *pool, uint32_t place)
{
    return pool->dimmed && pool->room.flags[place] != 0;
}

// May flags be written by those who ask nobody?
static inline bool micai_pool_lends_flags(const micai_pool *pool)
{
    return pool->dimmed && !pool->room.changed && !micai_watches(pool->type, MICAI_WATCH_TOGGLES);
}

// Puts the mark on a pool of a type with a toggle, or takes it away. Takes it from a pool that is dimmed
// for nothing.
static inline void micai_pool_dim(micai_pool *pool, bool dimmed)
{
    pool->dimmed = dimmed;
    pool->view.switches = micai_pool_lends_flags(pool) ? pool->room.flags : NULL;
}
void micai_pool_look(micai_pool *pool);

// Which pools of a word a slot is in.
static inline uint64_t micai_presence_of(const micai_pools *pools, uint32_t word, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    const micai_presence *presence =
        word < pools->presence.count ? pools->presence.items[word] : NULL;
    if (!presence || page >= presence->pages.count || !presence->pages.items[page]) {
        return 0;
    }
    return presence->pages.items[page][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

#define MICAI_WORD_LAST 63u // of the bits in `words`

static inline uint64_t micai_presence_bit(uint32_t word)
{
    return UINT64_C(1) << (word < MICAI_WORD_LAST ? word : MICAI_WORD_LAST);
}

// The word of presence after one, passing over those that have nobody of a page of slots; UINT32_MAX: there
// is none.
static inline uint32_t micai_presence_next(const micai_pools *pools, uint32_t page, uint32_t word)
{
    if (++word >= pools->presence.count || page >= pools->words.count) {
        return UINT32_MAX;
    }
    uint32_t bit = word < MICAI_WORD_LAST ? word : MICAI_WORD_LAST;
    uint64_t rest = pools->words.items[page] >> bit;
    return rest == 0 ? UINT32_MAX : word + micai_bits_lowest(rest);
}

// What P14 says of a page; all of `words` put right, which are enough. Gives the pages of a word back.
uint64_t micai_pools_words(const micai_pools *pools, uint32_t page);
void micai_pools_note_words(micai_pools *pools);
void micai_presence_clear(micai_pools *pools, micai_presence *presence);

// All of them, for a slot.
#define MICAI_FOR_PRESENCE(word, pools, slot)                                                      \
    for (uint32_t word = 0; (word) < (pools)->presence.count;                                      \
         (word) = micai_presence_next(pools, (slot) >> MICAI_SLOT_PAGE_SHIFT, word))

// The number of the first sparse type at or after `number`, as types are numbered, that a slot has;
// MICAI_BITS_END: none.
uint32_t micai_pools_next(const micai_pools *pools, uint32_t slot, uint32_t number);

// Does memory of a pool hold any of so many bytes?
bool micai_pools_hold(const micai_pools *pools, const void *data, size_t size);

// Room. MICA_ERROR_MEMORY, MICA_ERROR_LIMIT.

// For `extra` more. To be settled, or cancelled, before the call is over.
mica_result micai_pool_reserve(micai_pools *pools, micai_pool *pool, uint32_t extra);

// For exactly so many places, of a pool that has fewer. The same.
mica_result micai_pool_reserve_places(micai_pools *pools, micai_pool *pool, uint32_t capacity);

// For a slot to be in the pool; for any slot that there is by now, or will be once these pages are used.
mica_result micai_pool_reserve_slot(micai_pools *pools, micai_pool *pool, uint32_t slot);
mica_result micai_pool_reserve_slots(micai_pools *pools, micai_pool *pool, micai_slot_room coming);

// What was reserved is used from now on; goes again.
void micai_pool_settle(micai_pools *pools, micai_pool *pool);
void micai_pool_cancel(micai_pools *pools, micai_pool *pool);

// Where the next to join will be, if there is only one; of several, they will be behind the last.
static inline uint32_t micai_pool_next(const micai_pool *pool)
{
    return pool->first_hole != MICAI_POOL_NONE ? pool->first_hole : pool->count;
}

// Makes `count` raw values from a place on, for which room was reserved: copies of values at `data`,
// `stride` bytes from one to the next (0: one for all), or of defaults (NULL). All or none. And undoes
// that: values that cannot be copied go back.
mica_result micai_pool_make(micai_pools *pools, micai_pool *pool, uint32_t place, uint32_t count,
                            const void *data, uint32_t stride);
void micai_pool_unmake(micai_pools *pools, micai_pool *pool, uint32_t place, uint32_t count,
                       const void *data, uint32_t stride);

// Commits, of settled pools. They cannot fail.

// An entity joins, in a place whose value was made: that behind the last, or the first hole.
void micai_pool_join(micai_pools *pools, micai_pool *pool, uint32_t place, mica_entity entity,
                     uint64_t tick);

// An entity of the pool leaves, and its value ends.
void micai_pool_leave(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick);

// A value ends, and that at `source` is relocated to its place.
void micai_pool_replace(micai_pools *pools, micai_pool *pool, uint32_t place, void *source,
                        uint64_t tick);

static inline void micai_pool_touch(micai_pool *pool, uint32_t place, uint64_t tick)
{
    pool->room.ticks[place >> MICAI_POOL_TICK_SHIFT] = tick;
}

// A value has changed, of whatever type; `count` of them have, side by side.
static inline void micai_pool_stamp(micai_pool *pool, uint32_t place, uint64_t tick)
{
    micai_pool_touch(pool, place, tick);
    if (pool->room.changed) {
        pool->room.changed[place] = tick;
    }
}

static inline void micai_pool_stamp_all(micai_pool *pool, uint32_t place, uint32_t count,
                                        uint64_t tick)
{
    for (uint32_t i = place >> MICAI_POOL_TICK_SHIFT;
         count > 0 && i <= (place + count - 1) >> MICAI_POOL_TICK_SHIFT; i++) {
        pool->room.ticks[i] = tick;
    }
    for (uint32_t i = place; pool->room.changed && i < place + count; i++) {
        pool->room.changed[i] = tick;
    }
}

// Has nothing changed after a tick at any of the places around this one? Has it, or was it added, at this
// one, as far as is known?
static inline bool micai_pool_are_old(const micai_pool *pool, uint32_t place, uint64_t since)
{
    return pool->room.ticks[place >> MICAI_POOL_TICK_SHIFT] <= since;
}

static inline bool micai_pool_is_newer(const micai_pool *pool, uint32_t place, bool added,
                                       uint64_t since)
{
    const uint64_t *ticks = added ? pool->room.added : pool->room.changed;
    return ticks ? ticks[place] > since : !micai_pool_are_old(pool, place, since);
}

// What is known of a place apart from its value goes to another place.
static inline void micai_pool_carry(micai_pool *pool, uint32_t to, uint32_t from)
{
    if (pool->room.flags) {
        pool->room.flags[to] = pool->room.flags[from];
    }
    if (pool->room.changed) {
        pool->room.changed[to] = pool->room.changed[from];
        pool->room.added[to] = pool->room.added[from];
    }
}

// What is known of a new value.
static inline void micai_pool_begin(micai_pool *pool, uint32_t place, uint64_t tick)
{
    if (pool->room.flags) {
        pool->room.flags[place] = 0;
    }
    if (pool->room.changed) {
        pool->room.changed[place] = pool->room.added[place] = tick;
    }
}

// Disables the value of a place or enables it, which touches it if that makes a difference: of a type
// with a toggle. What is disabled is not counted: calls that follow each other would wait for the count.
static inline void micai_pool_toggle(micai_pool *pool, uint32_t place, bool off, uint64_t tick)
{
    if (pool->room.flags[place] != off) {
        pool->room.flags[place] = off;
        if (!pool->dimmed) { // then it was off
            micai_pool_dim(pool, true);
        }
        micai_pool_stamp(pool, place, tick);
    }
}

// An entity ends, and leaves all pools it is in; all do.
void micai_pools_forget(micai_pools *pools, uint32_t slot, uint64_t tick);
void micai_pools_clear(micai_pools *pools);

// The short cuts: of a pool that is quick. Of one that is plain there are others, which look after flags and
// ticks, too; its groups are told by the caller (micai_pool_regroup).

// Is this a pool where an entity may come or go as bytes, being not there now, or there? The entry of
// its slot; NULL: not this way. The gate is the caller's to look at.
static inline uint32_t *micai_pool_ready_if(const micai_pool *pool, bool may, uint32_t slot,
                                            bool there)
{
    uint32_t *entry = may ? micai_pool_entry(pool, slot) : NULL;
    bool ready = entry && (*entry != 0) == there && (there || pool->count < pool->room.capacity);
    return ready ? entry : NULL;
}

static inline uint32_t *micai_pool_ready(const micai_pool *pool, uint32_t slot, bool there)
{
    return micai_pool_ready_if(pool, pool->quick, slot, there);
}

static inline uint64_t *micai_pool_mask(const micai_pool *pool, uint32_t slot)
{
    return &pool->presence->pages
                .items[slot >> MICAI_SLOT_PAGE_SHIFT][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// The entry of an entity that is in the pool; NULL: it is not. Who is in a pool is alive (P1), so that
// nobody need ask for its slot; but for hooks, from which everybody is hidden: the gate is shut for them.
static inline uint32_t *micai_pool_find(const micai_pool *pool, mica_entity entity)
{
    uint32_t *entry = micai_pool_entry(pool, mica_entity_slot(entity));
    bool there = entry && *entry != 0 && pool->room.entities[*entry - 1].bits == entity.bits;
    return there ? entry : NULL;
}

// The entity joins behind the last; returns that place, whose value, if any, is the caller's to fill in.
static inline uint32_t micai_pool_join_quickly(micai_pools *pools, micai_pool *pool,
                                               uint32_t *entry, mica_entity entity, uint64_t tick)
{
    uint32_t place = pool->count++;
    *entry = place + 1;
    *micai_pool_mask(pool, mica_entity_slot(entity)) |= pool->bit;
    pool->room.entities[place] = entity;
    micai_pool_touch(pool, place, tick);
    pools->kept++;
    return place;
}

static inline uint32_t micai_pool_join_plainly(micai_pools *pools, micai_pool *pool,
                                               uint32_t *entry, mica_entity entity, uint64_t tick)
{
    if (!pool->quick) {
        micai_pool_begin(pool, pool->count, tick);
    }
    return micai_pool_join_quickly(pools, pool, entry, entity, tick);
}

// Fills it in: with a copy of the data, or of zeroes (NULL).
static inline void micai_pool_fill_in(micai_pool *pool, uint32_t place, const void *data)
{
    uint32_t size = pool->view.size;
    if (size == 0) {
        return;
    }
    unsigned char *value = pool->room.values + (size_t)place * size;
    if (data) {
        micai_copy_bytes(value, data, size);
    } else {
        memset(value, 0, size);
    }
}

// The last has lost its place, and takes another that has become free.
void micai_pool_fill_quickly(micai_pool *pool, uint32_t place, uint64_t tick);

static inline void micai_pool_leave_quickly(micai_pools *pools, micai_pool *pool, uint32_t *entry,
                                            uint32_t slot, uint64_t tick)
{
    uint32_t place = *entry - 1;
    *entry = 0;
    *micai_pool_mask(pool, slot) &= ~pool->bit;
    pools->kept--;
    if (place != --pool->count) {
        micai_pool_fill_quickly(pool, place, tick);
    }
}

static inline void micai_pool_leave_plainly(micai_pools *pools, micai_pool *pool, uint32_t *entry,
                                            uint32_t slot, uint64_t tick)
{
    if (!pool->quick) {
        micai_pool_carry(pool, *entry - 1, pool->count - 1);
    }
    micai_pool_leave_quickly(pools, pool, entry, slot, tick);
}

// An entity has joined a pool, and its value is there; or is about to leave it, and its bit is gone:
// the groups that the pool is in take it in, or let it go.
void micai_pool_regroup(micai_pools *pools, const micai_pool *pool, uint32_t slot, uint64_t tick);

// The road beside the short cuts, for a pool that is plain but not quick: an entity joins, with a copy of
// the data or of zeroes (NULL); leaves. False if it is not to go this way. The gate is looked at.
bool micai_pool_join_beside(micai_pools *pools, micai_pool *pool, mica_entity entity,
                            const void *data, uint64_t tick);
bool micai_pool_leave_beside(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick);

// What has to be known of a pool when it was made, and whenever it joined or left a group.
void micai_pool_judge(const micai_pools *pools, micai_pool *pool);

// In a restless world, moves the memory of what was changed.
void micai_pool_stir(micai_pools *pools, micai_pool *pool);

// Of one pool, for all of them: an entity goes that is in no group and whose bit is gone; ends its
// values; gives back everything.
void micai_pool_take_out(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick);
void micai_pool_clear(micai_pools *pools, micai_pool *pool);
void micai_pool_free(micai_pools *pools, micai_pool *pool);

// Gives back room that is not used. Reserve may fail, MICA_ERROR_MEMORY, and is undone by cancelling.
mica_result micai_pool_reserve_reclaim(micai_pools *pools, micai_pool *pool);
void micai_pool_reclaim(micai_pools *pools, micai_pool *pool);
mica_result micai_pools_reserve_reclaim(micai_pools *pools);
void micai_pools_reclaim(micai_pools *pools);

// Order and ticks.
uint64_t micai_pools_digest(const micai_pools *pools, uint64_t hash);

// Of a state whose slots and types are in order. `tick` is the present one.
mica_result micai_pools_validate(const micai_pools *pools, const micai_registry *registry,
                                 uint64_t tick);

#endif
