// The layout of entity records and rows in memory, for the inline code of mica/accessor.h. Not for
// users: it may change with every version of the library. Treat everything here as read-only.
#ifndef MICA_DETAIL_VIEW_H
#define MICA_DETAIL_VIEW_H

#include <mica/entity.h>

#ifdef __cplusplus
extern "C" {
#endif

// Entities per page of records, rows per sheet, sheets per index block, as powers of two. Tests set
// tiny ones.
#ifdef MICAI_TEST_SMALL_PAGES
#define MICA_VIEW_SLOT_SHIFT 2
#define MICA_VIEW_ROW_SHIFT 2
#define MICA_VIEW_INDEX_SHIFT 1
#else
#define MICA_VIEW_SLOT_SHIFT 12
#define MICA_VIEW_ROW_SHIFT 10
#define MICA_VIEW_INDEX_SHIFT 6
#endif

// The layout that a program was compiled with. A library with another layout refuses accessors.
// Increment the first number with every change of the structs below.
#define MICA_VIEW_LAYOUT                                                                           \
    (UINT32_C(13) << 24 | MICA_VIEW_SLOT_SHIFT << 8 | MICA_VIEW_ROW_SHIFT << 4 |                   \
     MICA_VIEW_INDEX_SHIFT)

// Handles whose high half is at least this belong to no entity.
#define MICA_VIEW_TAG_END UINT32_C(0x80000000)

// One entity slot: the place of its row (sheet number and row in it), and the high half of its
// present handle.
typedef struct mica_view_record {
    uint32_t where;
    uint32_t tag;
} mica_view_record;

typedef struct mica_view_slots {
    mica_view_record **pages; // NULL for pages of slots that were never used
    uint32_t page_count;
} mica_view_slots;

// The values of one type for the rows of one sheet.
typedef struct mica_view_values {
    unsigned char *data;   // NULL: no values, or inline code may not read them
    uint64_t *tick;        // tick of the last write; NULL: inline code may not write them
    uint64_t written_tick; // last tick stored through this, or 0; never later than `*tick`
} mica_view_values;

// All values of a type, by sheet number. Every possible sheet has an index block; all empty blocks
// are the same one.
typedef struct mica_view_type {
    mica_view_values **blocks;   // NULL: the type is unknown here
    mica_view_values *flat;      // all values in one array, by sheet number; NULL: not contiguous
    mica_view_values *flat_open; // the same, to write; blank while systems run together
    mica_view_values **visible_blocks; // saved `blocks` and `flat`, restored when hidden values
    mica_view_values *visible_flat;    // become visible again
    uint64_t bits;                     // handle of the type
    size_t size;                       // size of a value
    uint32_t block_count;
    uint32_t flat_count; // contiguous blocks
} mica_view_type;

typedef struct mica_view_store {
    mica_view_type **types; // by number; entries keep their address
    uint32_t type_count;
} mica_view_store;

// A block of contiguous rows of a sparse type.
typedef struct mica_view_block {
    unsigned char *data;         // values; NULL for a tag
    uint64_t *tick;              // tick of the last write; NULL: inline code may not write them
    const mica_entity *entities; // the entity of each row; a hole has no living entity's handle
    unsigned char *flags;        // 1: the value is disabled; NULL: the type has no toggle
    uint64_t *flags_tick;        // tick of the last write to the flags; NULL: as for `tick`
} mica_view_block;

// The rows of a sparse type, and the index from entity slots to them.
typedef struct mica_view_pool {
    uint32_t **leaves;       // by page of slots: 1 + the row; 0: no row
    mica_view_block *blocks; // blocks of rows
    uint32_t leaf_count;
    uint32_t block_shift; // rows per block, as a power of two
    uint32_t size;        // size of a value
    uint32_t hidden;      // 1: an iteration holds the values, and inline code may not access them
    uint32_t open_leaf_count; // the same as leaf_count, to write; 0 while systems run together
} mica_view_pool;

// The part of a world, or of a recording world, that inline code reads.
typedef struct mica_view_face {
    const mica_view_slots *slots;
    const mica_view_store *store;
    const mica_view_store *flags; // for types with toggles: a byte for each row; 1: disabled
    uint64_t tick;                // tick of present writes
    mica_world *world;
} mica_view_face;

// Returns the record of a living entity; NULL for a dead one.
MICA_INLINE_ static inline const mica_view_record *
mica_view_slots_find(const mica_view_slots *slots, mica_entity entity)
{
    uint32_t slot = MICA_CAST_(uint32_t, entity.bits);
    uint32_t tag = MICA_CAST_(uint32_t, entity.bits >> 32);
    uint32_t page = slot >> MICA_VIEW_SLOT_SHIFT;
    if (page >= slots->page_count || !slots->pages[page]) {
        return NULL;
    }
    const mica_view_record *record =
        &slots->pages[page][slot & ((UINT32_C(1) << MICA_VIEW_SLOT_SHIFT) - 1)];
    return record->tag == tag && tag < MICA_VIEW_TAG_END ? record : NULL;
}

// Returns the values of a known type for the sheet of a record's row.
static inline mica_view_values *mica_view_find(const mica_view_type *type, uint32_t where)
{
    uint32_t sheet = where >> MICA_VIEW_ROW_SHIFT;
    return &type->blocks[sheet >> MICA_VIEW_INDEX_SHIFT]
                        [sheet & ((UINT32_C(1) << MICA_VIEW_INDEX_SHIFT) - 1)];
}

// The same, for a type whose index blocks are contiguous.
MICA_INLINE_ static inline mica_view_values *mica_view_find_flat(const mica_view_type *type,
                                                                 uint32_t where)
{
    return &type->flat[where >> MICA_VIEW_ROW_SHIFT];
}
MICA_INLINE_ static inline mica_view_values *mica_view_open_flat(const mica_view_type *type,
                                                                 uint32_t where)
{
    return &type->flat_open[where >> MICA_VIEW_ROW_SHIFT];
}

// Marks values as written now. Returns false if inline code may not write them. The tick itself is
// elsewhere in memory; most writes need only the copy beside the data.
MICA_INLINE_ static inline bool mica_view_open(mica_view_values *values, uint64_t now)
{
    if (values->written_tick != now) {
        if (!values->tick) {
            return false;
        }
        *values->tick = now;
        values->written_tick = now;
    }
    return true;
}

// Returns the bytes from the start of the values to a record's row, for values of `size` bytes.
static inline size_t mica_view_offset(uint32_t where, size_t size)
{
    return (where & ((UINT32_C(1) << MICA_VIEW_ROW_SHIFT) - 1)) * size;
}

// Returns the row of a slot, or UINT32_MAX without a row. The number of leaves is that of the pool, or the one for
// writing.
MICA_INLINE_ static inline uint32_t mica_view_pool_find(const mica_view_pool *pool, uint32_t slot,
                                                        uint32_t leaf_count)
{
    uint32_t page = slot >> MICA_VIEW_SLOT_SHIFT;
    if (page >= leaf_count || !pool->leaves[page]) {
        return UINT32_MAX;
    }
    return pool->leaves[page][slot & ((UINT32_C(1) << MICA_VIEW_SLOT_SHIFT) - 1)] - 1;
}

// Returns the row of a living entity, or UINT32_MAX without a row or if inline code may not access
// it.
static inline uint32_t mica_view_pool_visible_row(const mica_view_pool *pool,
                                                  const mica_view_slots *slots, mica_entity entity,
                                                  uint32_t leaf_count)
{
    return mica_view_slots_find(slots, entity) && !pool->hidden
               ? mica_view_pool_find(pool, MICA_CAST_(uint32_t, entity.bits), leaf_count)
               : UINT32_MAX;
}

// Returns the block of a row; mica_view_pool_offset() returns the row's number in it.
static inline mica_view_block *mica_view_pool_block(const mica_view_pool *pool, uint32_t row)
{
    return &pool->blocks[row >> pool->block_shift];
}

static inline uint32_t mica_view_pool_offset(const mica_view_pool *pool, uint32_t row)
{
    return row & ((UINT32_C(1) << pool->block_shift) - 1);
}

// Returns the row of an entity without reading its record. An entity with a row is alive, and the
// handle in the block identifies it. Inside hooks, all entities are hidden.
MICA_INLINE_ static inline uint32_t mica_view_pool_row(const mica_view_pool *pool,
                                                       const mica_view_slots *slots,
                                                       mica_entity entity, uint32_t leaf_count)
{
    uint32_t slot = MICA_CAST_(uint32_t, entity.bits);
    uint32_t row = mica_view_pool_find(pool, slot, leaf_count);
    return row != UINT32_MAX &&
                   mica_view_pool_block(pool, row)
                           ->entities[mica_view_pool_offset(pool, row)]
                           .bits == entity.bits &&
                   slot >> MICA_VIEW_SLOT_SHIFT < slots->page_count
               ? row
               : UINT32_MAX;
}

// Returns the value of a row, for values of `size` bytes.
static inline unsigned char *mica_view_pool_value(const mica_view_pool *pool, uint32_t row,
                                                  size_t size)
{
    return mica_view_pool_block(pool, row)->data + mica_view_pool_offset(pool, row) * size;
}

// Writes a flag. If it differs, that counts as a change.
MICA_INLINE_ static inline void mica_view_switch(unsigned char *flag, uint64_t *tick,
                                                 const mica_view_face *face, unsigned char off)
{
    if (*flag != off) {
        uint64_t now = face->tick;
        *flag = off;
        if (*tick != now) { // comparing is faster than writing again
            *tick = now;
        }
    }
}

// Returns the world of a face, or NULL without a face.
static inline mica_world *mica_view_world(const mica_view_face *face)
{
    return face ? face->world : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
