// Pools: the rows of one sparse type. A pool is a table of one column with an index (store/table/index.h), so
// that values, flags, ticks and hooks are handled as those of any table. It is in no list of tables, is no
// archetype, and no entity's record leads to it.
//
//   index      slot -> row
//   table      ids, and a column of the type unless that is a tag with neither a toggle nor row stamps
//   presence   by slot, over all pools: which of them it is in, a bit per pool, a word for every 64 sparse types.
//              Pages of slots that are in none of these have no such words
//
// Room:    store/pool. Called by entity/, query/ and image/.
//
// The last row fills the place of one that is removed. In a pool of *stable* values rows stay where they are:
// removing one leaves a hole, which the next to be added takes.
//
// Groups (group.h) keep the order of pools: they check each entity that is added or removed. The list of a
// group that owns no pool is a pool, too: of no type, without a column and presence. It has capacity for as many rows
// as the first pool that the group needs, so that entering the group needs no memory.
//
// Invariants, swept by micai_pools_validate() and cited by tests:
//   P1  every entity of a pool has the pool's bit in presence, and no other has. (P16: its row is found.)
//   P3  only pools of stable values have holes. The list of them has them all, and ends.
//   P4  where a pool has a leaf, there is a page of presence.
//   P6  a pool is of a sparse type, under whose number it is found, and knows its size, its handle and its bit.
//       Its flags say rightly which fast paths it admits. That of a type that is not sparse any more is empty, and not found.
//   P7  `kept` counts the rows of all pools.
// P8 to P11 are those of groups: group.h.
//   P14 `words` says of a page of slots which words of presence it has.
#ifndef MICAI_STORE_POOL_POOL_H
#define MICAI_STORE_POOL_POOL_H

#include "core/handles.h"
#include "core/watch.h"
#include "store/table/row.h"

#define MICAI_MASK_BYTES (sizeof(uint64_t) * MICAI_SLOT_PAGE_SIZE)

// Which of up to 64 pools the slots are in.
typedef struct micai_presence {
    MICAI_ARRAY(uint64_t *) pages; // by page of slots; NULL: none there is in any
} micai_presence;

typedef struct micai_group micai_group;

typedef struct micai_pool {
    micai_index index;
    micai_table table;
    const micai_type *type;
    uint64_t handle;          // its type's
    micai_presence *presence; // NULL: of the list of a group
    uint64_t bit;             // there
    uint32_t column;          // of the values, flags and ticks; 0: there is none
    uint8_t
        fast_paths; // of an entity that is added or removed. Plain: without flags, ticks of rows and groups
    MICAI_ARRAY(micai_group *) groups; // that it is in, in whatever way
    micai_group *owner;                // of them, that keeps its order; NULL: none
} micai_pool;

typedef struct micai_pools {
    micai_store *store;
    uint32_t kept;                          // rows of all pools, without holes
    MICAI_ARRAY(micai_pool *) by_type;      // by number of the type; NULL: it has no pool
    MICAI_ARRAY(micai_pool *) list;         // by number of the sparse type; the same
    MICAI_ARRAY(micai_presence *) presence; // for every 64 of these
    MICAI_ARRAY(uint64_t) words;            // of presence, by page of slots: micai_presence_bit()
    micai_handles groups;
} micai_pools;

void micai_pools_init(micai_pools *pools, micai_store *store);

// Destroys all values, and gives back everything.
void micai_pools_free(micai_pools *pools);

// Are the values of a type kept in a pool?
static inline bool micai_pool_keeps(const micai_type *type)
{
    return type->info.storage == MICA_SPARSE;
}

// MICA_ERROR_ARGUMENT unless they are; the sentence is the call, the type's name, and this.
mica_result micai_pool_require(micai_host *host, const char *call, const micai_type *type,
                               const char *sentence);

// The values of a pool have been relocated, and all rows are removed.
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

// The row of a slot; MICAI_INDEX_NONE: it has none.
static inline uint32_t micai_pool_row(const micai_pool *pool, uint32_t slot)
{
    return micai_index_row(&pool->index, slot);
}

// A row's cell in the column of the type.
static inline micai_cell micai_pool_cell(const micai_pool *pool, uint32_t row)
{
    return (micai_cell){(micai_table *)&pool->table, pool->column, row};
}

// The value of a row; of tags, NULL.
static inline void *micai_pool_value(const micai_pool *pool, uint32_t row)
{
    const mica_view_pool *view = &pool->index.view;
    return view->size > 0 ? mica_view_pool_value(view, row, view->size) : NULL;
}

static inline mica_entity micai_pool_entity(const micai_pool *pool, uint32_t row)
{
    return micai_table_entity(&pool->table, row);
}

static inline bool micai_pool_is_hole(const micai_pool *pool, uint32_t row)
{
    return micai_is_hole(micai_pool_entity(pool, row));
}

// The ids of rows from one on, and how many lie side by side, with their values, flags and ticks.
static inline const mica_entity *micai_pool_entities(const micai_pool *pool, uint32_t row)
{
    return micai_sheet_ids(micai_table_sheet(&pool->table, row)) + (row & (MICAI_ROWS - 1));
}

uint32_t micai_pool_span(const micai_pool *pool, uint32_t row);

// How many entities are in a pool.
static inline uint32_t micai_pool_size(const micai_pool *pool)
{
    return pool->table.count - pool->index.hole_count;
}

// May some value be disabled? Is that of a row?
static inline bool micai_pool_has_disabled(const micai_pool *pool)
{
    return pool->table.disabled_columns > 0;
}

static inline bool micai_pool_is_off(const micai_pool *pool, uint32_t row)
{
    return pool->table.disabled_columns > 0 && micai_toggle_is_off(micai_pool_cell(pool, row));
}

// Puts the tick of a write on `count` values.
static inline void micai_pool_stamp(micai_pool *pool, uint32_t row, uint32_t count, uint64_t tick)
{
    uint64_t *written = mica_view_pool_block(&pool->index.view, row)->tick;
    if (count == 1 && written) {
        *written = tick;
    } else {
        micai_paged_touch(micai_pool_cell(pool, row), count, tick);
    }
}

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

// The word of presence after one, passing over those without a bit for a page of slots; UINT32_MAX: there
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

// Capacity. MICA_ERROR_MEMORY, MICA_ERROR_LIMIT. What was got stays if the call fails after all.

// For `extra` more rows. Values of a small pool may move: micai_store_follow().
mica_result micai_pool_reserve(micai_pools *pools, micai_pool *pool, uint32_t extra);

// A call that reserved many rows has failed: gives back sheets that are neither in use nor promised.
void micai_pool_cancel(micai_pools *pools, micai_pool *pool);

// For a slot to be in the pool; for any slot that there is by now, or will be once these pages are used.
mica_result micai_pool_reserve_slot(micai_pools *pools, micai_pool *pool, uint32_t slot);
mica_result micai_pool_reserve_slots(micai_pools *pools, micai_pool *pool,
                                     micai_slot_capacity coming);

// Where the next to be added will be, if there is only one; of several, they will be behind the last.
static inline uint32_t micai_pool_next(const micai_pool *pool)
{
    return pool->index.first_hole != MICAI_INDEX_NONE ? pool->index.first_hole : pool->table.count;
}

// Constructs the values of `count` raw rows, for which there is capacity: copies of values at `data`,
// `stride` bytes from one to the next (0: one for all), or of defaults (NULL). All or none. And undoes
// that: values that cannot be copied go back.
mica_result micai_pool_construct(micai_pools *pools, micai_pool *pool, uint32_t row, uint32_t count,
                                 const void *data, uint32_t stride);
void micai_pool_undo(micai_pools *pools, micai_pool *pool, uint32_t row, uint32_t count,
                     const void *data, uint32_t stride);

// Commits. They cannot fail.

// Adds an entity in a row whose value was constructed: that behind the last, or the first hole.
void micai_pool_add(micai_pools *pools, micai_pool *pool, uint32_t row, mica_entity entity,
                    uint64_t tick);

// Removes an entity of the pool, and destroys its value.
void micai_pool_remove(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick);

// An entity is despawned, and removed from all pools it is in; all are.
void micai_pools_forget(micai_pools *pools, uint32_t slot, uint64_t tick);
void micai_pools_clear(micai_pools *pools);

// Fast paths.

// Does a pool admit the fast path? All of these?
static inline bool micai_pool_is_fast(const micai_pool *pool)
{
    return pool->fast_paths == MICAI_FAST_ALL;
}

static inline bool micai_pool_admits(const micai_pool *pool, uint32_t fast_paths)
{
    return (pool->fast_paths & fast_paths) == fast_paths;
}

// May an entity be added to this pool as bytes, or removed from it, being not there now, or there? The entry of
// its slot; NULL: not this way. The gate is the caller's to look at.
static inline uint32_t *micai_pool_ready_if(const micai_pool *pool, bool may, uint32_t slot,
                                            bool there)
{
    uint32_t *entry = may ? micai_index_entry(&pool->index, slot) : NULL;
    bool ready = entry && (*entry != 0) == there && (there || pool->table.tail);
    return ready ? entry : NULL;
}

static inline uint64_t *micai_pool_mask(const micai_pool *pool, uint32_t slot)
{
    return &pool->presence->pages
                .items[slot >> MICAI_SLOT_PAGE_SHIFT][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// The entry of an entity that is in the pool; NULL: it is not. Entities in a pool are alive (P16), so that their
// records need not be looked at; but for hooks, from which all are hidden: the gate is shut for them.
static inline uint32_t *micai_pool_find(const micai_pool *pool, mica_entity entity)
{
    uint32_t *entry = micai_index_entry(&pool->index, mica_entity_slot(entity));
    bool there = entry && *entry != 0 && micai_pool_entity(pool, *entry - 1).bits == entity.bits;
    return there ? entry : NULL;
}

// Adds an entity behind the last row of a pool that is plain and bytes, with a copy of the data, or zeros (NULL).
// Returns the value; of tags, NULL.
static inline void *micai_pool_add_fast(micai_pools *pools, micai_pool *pool, uint32_t *entry,
                                        mica_entity entity, const void *data, uint64_t tick)
{
    const micai_row raw = micai_row_raw(&pool->table);
    uint32_t size = pool->index.view.size;
    micai_row_append(&pool->table, entity, tick);
    *entry = raw.where + 1;
    *micai_pool_mask(pool, mica_entity_slot(entity)) |= pool->bit;
    pools->kept++;
    if (size == 0) {
        return NULL;
    }
    unsigned char *value = raw.sheet->pages[1].data + (size_t)raw.offset * size;
    if (data) {
        micai_copy_bytes(value, data, size);
    } else {
        memset(value, 0, size);
    }
    return value;
}

// The value of a row of such a pool.
static inline void *micai_pool_value_fast(const micai_pool *pool, uint32_t number)
{
    const micai_row row = micai_row_at(&pool->table, number);
    uint32_t size = pool->index.view.size;
    return size > 0 ? row.sheet->pages[1].data + (size_t)row.offset * size : NULL;
}

// The last row, which has been taken out, takes the place of another. Apart, because most of what needs registers
// is here.
void micai_pool_fill_hole(micai_pool *pool, uint32_t row, uint64_t tick);

// Removes an entity from a pool of bytes, by the entry of its slot; it is in no group of it.
static inline void micai_pool_remove_fast(micai_pools *pools, micai_pool *pool, uint32_t *entry,
                                          uint32_t slot, uint64_t tick)
{
    uint32_t row = *entry - 1;
    *entry = 0;
    *micai_pool_mask(pool, slot) &= ~pool->bit;
    pools->kept--;
    micai_table_pop(&pool->table);
    if (row != pool->table.next) {
        micai_pool_fill_hole(pool, row, tick);
    }
}

// The same for any pool of bytes: flags, ticks and groups are looked after.
void micai_pool_add_bytes(micai_pools *pools, micai_pool *pool, uint32_t *entry, mica_entity entity,
                          const void *data, uint64_t tick);
void micai_pool_remove_bytes(micai_pools *pools, micai_pool *pool, uint32_t *entry, uint32_t slot,
                             uint64_t tick);

// The first, without groups, which the caller notifies.
void micai_pool_append_bytes(micai_pools *pools, micai_pool *pool, uint32_t *entry,
                             mica_entity entity, const void *data, uint64_t tick);

// An entity has been added to a pool, and its value is there; or is about to be removed, and its bit is gone:
// the groups that the pool is in take it in, or let it go.
void micai_pool_regroup(micai_pools *pools, const micai_pool *pool, uint32_t slot, uint64_t tick);

// Finds anew which fast paths a pool admits, and who may write its flags: when it was created, and whenever it
// joined or left a group, or its type is watched or not any more.
void micai_pool_update_fast_paths(const micai_pools *pools, micai_pool *pool);
uint8_t micai_pool_find_fast_paths(const micai_pools *pools, const micai_pool *pool);

// In a world that relocates always, moves the memory of what was changed.
void micai_pool_relocate(micai_pools *pools, micai_pool *pool);

// Of one pool, for all of them: removes an entity that is in no group and whose bit is gone; destroys its
// values; gives back everything. And for groups: a pool of no type.
void micai_pool_take_out(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick);
void micai_pool_clear(micai_pools *pools, micai_pool *pool);
void micai_pool_free(micai_pools *pools, micai_pool *pool);
micai_pool *micai_pool_new(micai_pools *pools, const micai_type *type);

// Has the pool of a type a column? A tag without a toggle and row stamps has none; nor has the list of a group, which is
// of no type (NULL).
bool micai_pool_has_column(const micai_type *type);

// Gives back capacity that is not used. Reserve may fail: MICA_ERROR_MEMORY.
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
