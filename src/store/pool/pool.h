// Pools: the rows of one sparse type (a sparse set). A pool is a table of one column with an index
// (store/table/index.h), so its values, flags, ticks and hooks work like those of any table. It is
// in no list of tables and belongs to no archetype. No entity's record contains its rows.
//
//     index      slot -> row
//     table      ids, and a column of the type, except for a tag without toggle and row stamps
//     presence   by slot, over all pools: a bit per pool the entity is in, a word per 64 sparse types
//                pages of slots without any of these pools have no words
//
// Room:    store/pool. Called by entity/, query/, image/ and inspect/.
//
// The last row fills the hole of a removed one. In a pool of *stable* values rows never move:
// removing one leaves a hole, which the next added row fills.
//
// Groups (group.h) keep pools in order. They check each entity that is added or removed. The list
// of a group that owns no pool is a pool, too, without type, column and presence. It has capacity
// for as many rows as the group's first pool, so that entering the group needs no memory.
//
// Invariants, checked by micai_pools_validate() and cited by tests:
//   P1  Exactly the entities of a pool have the pool's bit in presence. (P16: the index finds their
//       rows.)
//   P3  Only pools of stable values have holes. The list of holes is complete and ends.
//   P4  Where a pool has a leaf, there is a page of presence.
//   P6  A pool has a sparse type and is listed under its number. Size, handle, bit and fast paths
//       are the type's. The pool of a type that is no longer sparse is empty and not listed by
//       type.
//   P7  `row_count` is the number of rows of all pools.
// (P8 to P11 are in group.h.)
//   P14 `words` has a bit for each word of presence that a page of slots has.
#ifndef MICAI_STORE_POOL_POOL_H
#define MICAI_STORE_POOL_POOL_H

#include "core/handles.h"
#include "core/watch.h"
#include "store/pool/link.h"
#include "store/table/row.h"

#define MICAI_MASK_BYTES (sizeof(uint64_t) * MICAI_SLOT_PAGE_SIZE)

// Which of up to 64 pools each slot is in.
typedef struct micai_presence {
    MICAI_ARRAY(uint64_t *) pages; // by page of slots; NULL: none of its slots is in any
} micai_presence;

typedef struct micai_group micai_group;

typedef struct micai_pool {
    micai_index index;
    micai_table table;
    const micai_type *type;
    uint64_t handle;          // that of its type
    micai_presence *presence; // NULL: the list of a group
    uint64_t bit;             // its bit there
    uint32_t column;          // column of the values, flags and ticks; 0 if the pool has none
    uint8_t
        // for adding or removing an entity; plain: no flags, row stamps or groups
        fast_paths;
    MICAI_ARRAY(micai_group *) groups; // all groups that use the pool
    micai_group *owner;                // the group that owns its order; NULL: none
    micai_relation *relation; // whose links the values are; NULL: none, or a state being loaded
} micai_pool;

// `hidden` of the view of a pool of links: inline code never writes its values.
#define MICAI_POOL_LINKS 2u

typedef struct micai_pools micai_pools;

// What spawns and changes of any entity, and states, call of pools. Only programs that may have
// sparse types link it.
typedef struct micai_pool_functions {
    micai_pool *(*open)(micai_pools *pools, const micai_type *type);
    mica_result (*reserve)(micai_pools *pools, micai_pool *pool, uint32_t extra);
    mica_result (*reserve_slot)(micai_pools *pools, micai_pool *pool, uint32_t slot);
    mica_result (*construct)(micai_pools *pools, micai_pool *pool, uint32_t row, uint32_t count,
                             const void *data, uint32_t stride);
    void (*undo)(micai_pools *pools, micai_pool *pool, uint32_t row, uint32_t count,
                 const void *data, uint32_t stride);
    void (*add)(micai_pools *pools, micai_pool *pool, uint32_t row, mica_entity entity,
                uint64_t tick);
    void (*remove)(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick);
    void (*relocate)(micai_pools *pools, micai_pool *pool);
    void (*append_bytes)(micai_pools *pools, micai_pool *pool, uint32_t *entry, mica_entity entity,
                         const void *data, uint64_t tick);
    void (*regroup)(micai_pools *pools, const micai_pool *pool, uint32_t slot, uint64_t tick);
    bool (*hold)(const micai_pools *pools, const void *data, size_t size);
    void (*clear)(micai_pools *pools);
    void (*free)(micai_pools *pools);
} micai_pool_functions;

struct micai_pools {
    micai_store *store;
    const micai_pool_functions *functions; // NULL: no type was ever sparse
    micai_links *links;                // NULL: there are no relations, or the state is being loaded
    uint32_t row_count;                // rows of all pools, without holes
    MICAI_ARRAY(micai_pool *) by_type; // by number of the type; NULL: it has no pool
    MICAI_ARRAY(micai_pool *) list;    // by number of the sparse type; the same pools
    MICAI_ARRAY(micai_presence *) presence; // one for every 64 of these
    MICAI_ARRAY(uint64_t)
    words; // bits of presence words, by page of slots:
           // micai_presence_bit()
    micai_handles groups;
};

static inline void micai_pools_init(micai_pools *pools, micai_store *store)
{
    *pools = (micai_pools){.store = store};
}

// Sets `functions`. Called before the first sparse type exists: query/use.
void micai_pools_use(micai_pools *pools);

// Destroys all values and frees everything.
void micai_pools_free(micai_pools *pools);

// While closed, accessors can write no value of any pool.
void micai_pools_close(const micai_pools *pools, bool closed);

// Returns true if the values of a type are kept in a pool.
static inline bool micai_pool_keeps(const micai_type *type)
{
    return type->info.storage == MICA_SPARSE;
}

// Fails with MICA_ERROR_ARGUMENT if they are not. The message consists of the call, the type's
// name, and `sentence`.
mica_result micai_pool_require(micai_host *host, const char *call, const micai_type *type,
                               const char *sentence);

// Removes all rows after their values have been relocated.
void micai_pool_vacate(micai_pools *pools, micai_pool *pool);

// Does the same after the type has changed its storage. The empty pool stays, because accessors may
// point at it and the type may become sparse again.
void micai_pool_abandon(micai_pools *pools, micai_pool *pool);

// Lookup

// Returns the pool of a type's handle, or NULL if it has none or the handle is invalid.
static inline micai_pool *micai_pools_find(const micai_pools *pools, mica_type type)
{
    uint32_t number = micai_stamp_number(type.bits);
    micai_pool *pool = number < pools->by_type.count ? pools->by_type.items[number] : NULL;
    return pool && pool->handle == type.bits ? pool : NULL;
}

// Does the same for a sparse type, and creates the pool if needed. Returns NULL on
// MICA_ERROR_MEMORY.
micai_pool *micai_pools_open(micai_pools *pools, const micai_type *type);

// Returns the row of a slot, or MICAI_INDEX_NONE.
static inline uint32_t micai_pool_row(const micai_pool *pool, uint32_t slot)
{
    return micai_index_row(&pool->index, slot);
}

// Returns the cell of a row in the column of the type.
static inline micai_cell micai_pool_cell(const micai_pool *pool, uint32_t row)
{
    return (micai_cell){(micai_table *)&pool->table, pool->column, row};
}

// Returns the value of a row, or NULL for tags.
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

// Return the ids of the rows from `row` on, and how many of them have adjacent ids, values, flags
// and ticks.
static inline const mica_entity *micai_pool_entities(const micai_pool *pool, uint32_t row)
{
    return micai_sheet_ids(micai_table_sheet(&pool->table, row)) + (row & (MICAI_ROWS - 1));
}

uint32_t micai_pool_span(const micai_pool *pool, uint32_t row);

// Returns the number of entities in a pool.
static inline uint32_t micai_pool_size(const micai_pool *pool)
{
    return pool->table.count - pool->index.hole_count;
}

// Return whether some value may be disabled, and whether that of a row is.
static inline bool micai_pool_has_disabled(const micai_pool *pool)
{
    return pool->table.disabled_columns > 0;
}

static inline bool micai_pool_is_off(const micai_pool *pool, uint32_t row)
{
    return pool->table.disabled_columns > 0 && micai_toggle_is_off(micai_pool_cell(pool, row));
}

// Set the tick of a write: on one value; on values that a system writes, beside others that may write to the same
// block.
static inline void micai_pool_touch(micai_pool *pool, uint32_t row, uint64_t tick)
{
    uint64_t *written = mica_view_pool_block(&pool->index.view, row)->tick;
    if (written) {
        *written = tick;
    } else {
        micai_paged_touch(micai_pool_cell(pool, row), 1, tick);
    }
}

static inline void micai_pool_stamp(micai_pool *pool, uint32_t row, uint32_t count, uint64_t tick)
{
    micai_paged_touch(micai_pool_cell(pool, row), count, tick);
}

// Returns the bits of the pools that a slot is in, for one word.
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

#define MICAI_WORD_LAST 63u // last bit in `words`

static inline uint64_t micai_presence_bit(uint32_t word)
{
    return UINT64_C(1) << (word < MICAI_WORD_LAST ? word : MICAI_WORD_LAST);
}

// Returns the next word of presence after `word` that a page of slots has. Returns UINT32_MAX after
// the last.
static inline uint32_t micai_presence_next(const micai_pools *pools, uint32_t page, uint32_t word)
{
    if (++word >= pools->presence.count || page >= pools->words.count) {
        return UINT32_MAX;
    }
    uint32_t bit = word < MICAI_WORD_LAST ? word : MICAI_WORD_LAST;
    uint64_t rest = pools->words.items[page] >> bit;
    return rest == 0 ? UINT32_MAX : word + micai_bits_lowest(rest);
}

// Return the correct `words` of a page (P14); set all `words`; free the pages of one word.
uint64_t micai_pools_words(const micai_pools *pools, uint32_t page);
void micai_pools_note_words(micai_pools *pools);
void micai_presence_clear(micai_pools *pools, micai_presence *presence);

// Loops over the words of presence for a slot.
#define MICAI_FOR_PRESENCE(word, pools, slot)                                                      \
    for (uint32_t word = 0; (word) < (pools)->presence.count;                                      \
         (word) = micai_presence_next(pools, (slot) >> MICAI_SLOT_PAGE_SHIFT, word))

// Returns the first type number at or after `number` among the sparse types of a slot. Returns
// MICAI_BITS_END after the last.
uint32_t micai_pools_next(const micai_pools *pools, uint32_t slot, uint32_t number);

// Returns true if any of these bytes are in a pool's memory.
bool micai_pools_hold(const micai_pools *pools, const void *data, size_t size);

// Capacity. These fail with MICA_ERROR_MEMORY or MICA_ERROR_LIMIT. Memory that was allocated stays
// if the call fails later.

// Reserves `extra` more rows. Values of a small pool may move: micai_store_follow().
mica_result micai_pool_reserve(micai_pools *pools, micai_pool *pool, uint32_t extra);

// Frees sheets that are neither used nor reserved, after a call that reserved many rows has failed.
void micai_pool_cancel(micai_pools *pools, micai_pool *pool);

// Reserve the index for one slot; for every slot that exists, or will exist once the pages in
// `coming` are used.
mica_result micai_pool_reserve_slot(micai_pools *pools, micai_pool *pool, uint32_t slot);
mica_result micai_pool_reserve_slots(micai_pools *pools, micai_pool *pool,
                                     micai_slot_capacity coming);

// Returns the row of the next entity to be added, if only one is added. Several are appended after
// the last row.
static inline uint32_t micai_pool_next(const micai_pool *pool)
{
    return pool->index.first_hole != MICAI_INDEX_NONE ? pool->index.first_hole : pool->table.count;
}

// Constructs the values of `count` raw rows within the capacity. They are copies of the values at
// `data`, `stride` bytes apart (0 repeats one), or defaults (NULL). All or none. micai_pool_undo()
// reverses it, and moves values that cannot be copied back.
mica_result micai_pool_construct(micai_pools *pools, micai_pool *pool, uint32_t row, uint32_t count,
                                 const void *data, uint32_t stride);
void micai_pool_undo(micai_pools *pools, micai_pool *pool, uint32_t row, uint32_t count,
                     const void *data, uint32_t stride);

// Commits. They cannot fail.

// Adds an entity in a row whose value was constructed: after the last row, or in the first hole.
void micai_pool_add(micai_pools *pools, micai_pool *pool, uint32_t row, mica_entity entity,
                    uint64_t tick);

// Removes an entity from the pool and destroys its value.
void micai_pool_remove(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick);

// Remove an entity from all its pools, because it is despawned; remove all entities.
void micai_pools_forget(micai_pools *pools, uint32_t slot, uint64_t tick);
void micai_pools_clear(micai_pools *pools);

// Fast paths.

// Return true if a pool admits the fast path, or all given bits.
static inline bool micai_pool_is_fast(const micai_pool *pool)
{
    return pool->fast_paths == MICAI_FAST_ALL;
}

static inline bool micai_pool_admits(const micai_pool *pool, uint32_t fast_paths)
{
    return (pool->fast_paths & fast_paths) == fast_paths;
}

// Returns the entry of a slot if the pool can add it (`there` false) or remove it (`there` true) as
// bytes. Returns NULL otherwise. The caller checks the gate.
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

// Returns the entry of an entity in the pool, or NULL. Entities in a pool are alive (P16), so the
// record needs no check. Hooks are the exception: they must not see any entity, and the gate is
// shut for them.
static inline uint32_t *micai_pool_find(const micai_pool *pool, mica_entity entity)
{
    uint32_t *entry = micai_index_entry(&pool->index, mica_entity_slot(entity));
    bool there = entry && *entry != 0 && micai_pool_entity(pool, *entry - 1).bits == entity.bits;
    return there ? entry : NULL;
}

// Fills a value with zeros. Not inline, because the call would cost the fast path registers.
void micai_pool_zero(void *value, uint32_t size);

// Appends an entity to a plain pool of bytes, with a copy of `data`, or zeros (NULL). Returns the
// value, or NULL for tags.
static inline void *micai_pool_add_fast(micai_pools *pools, micai_pool *pool, uint32_t *entry,
                                        mica_entity entity, const void *data, uint64_t tick)
{
    const micai_row raw = micai_row_raw(&pool->table);
    uint32_t size = pool->index.view.size;
    micai_row_append(&pool->table, entity, tick);
    *entry = raw.where + 1;
    *micai_pool_mask(pool, mica_entity_slot(entity)) |= pool->bit;
    pools->row_count++;
    if (size == 0) {
        return NULL;
    }
    const micai_fill fill = {.strip = 1, .size = size};
    void *value = raw.sheet->pages[1].data + (size_t)raw.offset * size;
    if (MICAI_LIKELY(data)) {
        micai_row_fill(raw, fill, data);
    } else {
        micai_pool_zero(value, size);
    }
    return value;
}

// Returns the value of a row of such a pool.
static inline void *micai_pool_value_fast(const micai_pool *pool, uint32_t number)
{
    const micai_row row = micai_row_at(&pool->table, number);
    uint32_t size = pool->index.view.size;
    return size > 0 ? row.sheet->pages[1].data + (size_t)row.offset * size : NULL;
}

// Fills a row with the last one, which has been removed. Not inline, because it needs most of the
// registers.
void micai_pool_fill_hole(micai_pool *pool, uint32_t row, uint64_t tick);

// Removes an entity from a pool of bytes, by the entry of its slot. Must not be in a group.
static inline void micai_pool_remove_fast(micai_pools *pools, micai_pool *pool, uint32_t *entry,
                                          uint32_t slot, uint64_t tick)
{
    uint32_t row = *entry - 1;
    *entry = 0;
    *micai_pool_mask(pool, slot) &= ~pool->bit;
    pools->row_count--;
    micai_table_pop(&pool->table);
    if (row != pool->table.next) {
        micai_pool_fill_hole(pool, row, tick);
    }
}

// Do the same for any pool of bytes, including flags, ticks and groups.
void micai_pool_add_bytes(micai_pools *pools, micai_pool *pool, uint32_t *entry, mica_entity entity,
                          const void *data, uint64_t tick);
void micai_pool_remove_bytes(micai_pools *pools, micai_pool *pool, uint32_t *entry, uint32_t slot,
                             uint64_t tick);

// Does the same as the first, without groups, which the caller notifies.
void micai_pool_append_bytes(micai_pools *pools, micai_pool *pool, uint32_t *entry,
                             mica_entity entity, const void *data, uint64_t tick);

// Updates the pool's groups after an entity was added with its value. Also before it is removed,
// with its bit already cleared.
void micai_pool_regroup(micai_pools *pools, const micai_pool *pool, uint32_t slot, uint64_t tick);

// Recomputes the fast paths of a pool and whether its flags are writable. Called after it was
// created, joined or left a group, and when its type starts or stops being watched.
void micai_pool_update_fast_paths(const micai_pools *pools, micai_pool *pool);
uint8_t micai_pool_find_fast_paths(const micai_pools *pools, const micai_pool *pool);

// Moves the memory of a changed pool in a world with relocate_always.
void micai_pool_relocate(micai_pools *pools, micai_pool *pool);

// For snapshots, which give rows other entities: unlink_rows() takes the entities of rows out of the
// index and the presence, if they are there with these rows; then the rows are written; link_rows()
// enters the entities that are there now.
void micai_pool_unlink_rows(micai_pools *pools, micai_pool *pool, uint32_t row, uint32_t end);
void micai_pool_link_rows(micai_pools *pools, micai_pool *pool, uint32_t row, uint32_t end);

// Parts of the functions above for one pool. micai_pool_take_out() removes an entity that is in no
// group and whose bit is cleared. micai_pool_clear() destroys all values. micai_pool_free() also
// frees the pool. micai_pool_new() also creates the lists of groups, with type NULL.
void micai_pool_take_out(micai_pools *pools, micai_pool *pool, uint32_t slot, uint64_t tick);
void micai_pool_clear(micai_pools *pools, micai_pool *pool);
void micai_pool_free(micai_pools *pools, micai_pool *pool);
micai_pool *micai_pool_new(micai_pools *pools, const micai_type *type);

// Returns true if the pool of a type has a column. A tag without toggle and row stamps has none,
// nor has the list of a group (NULL).
bool micai_pool_has_column(const micai_type *type);

// Free unused capacity. The reserve functions fail with MICA_ERROR_MEMORY.
mica_result micai_pool_reserve_reclaim(micai_pools *pools, micai_pool *pool);
void micai_pool_reclaim(micai_pools *pools, micai_pool *pool);
mica_result micai_pools_reserve_reclaim(micai_pools *pools);
void micai_pools_reclaim(micai_pools *pools);

// Adds the contents of all pools to a hash: entities in the order of rows, values, flags and ticks; and
// the order of groups.
uint64_t micai_pools_digest(const micai_pools *pools, const micai_registry *types, uint64_t hash);

// Requires valid slots and types. `tick` is the current one.
mica_result micai_pools_validate(const micai_pools *pools, const micai_registry *registry,
                                 uint64_t tick);

#endif
