// What inline code sees of a world: the layout of entity records and of rows in memory. For
// mica/accessor.h, not for users: it may change with every version of the library, and nothing here
// may be written to.
#ifndef MICA_VIEW_H
#define MICA_VIEW_H

#include <mica/entity.h>

#ifdef __cplusplus
extern "C" {
#endif

// Entities per page of records, rows per sheet, sheets per shelf, as powers of two. Tests make them tiny.
#ifdef MICAI_TEST_SMALL_PAGES
#define MICA_VIEW_SLOT_SHIFT 2
#define MICA_VIEW_ROW_SHIFT 2
#define MICA_VIEW_SHELF_SHIFT 1
#else
#define MICA_VIEW_SLOT_SHIFT 12
#define MICA_VIEW_ROW_SHIFT 10
#define MICA_VIEW_SHELF_SHIFT 6
#endif

// What a program was compiled against; a library that has another layout refuses accessors. The
// first number moves on with every change of the structs below.
#define MICA_VIEW_LAYOUT                                                                           \
    (UINT32_C(12) << 24 | MICA_VIEW_SLOT_SHIFT << 8 | MICA_VIEW_ROW_SHIFT << 4 |                   \
     MICA_VIEW_SHELF_SHIFT)

// Handles whose high half is this or more belong to nobody.
#define MICA_VIEW_TAG_END UINT32_C(0x80000000)

// One entity slot: where its row is (sheet number and row in it), and the high half of the handle
// it belongs to.
typedef struct mica_view_record {
    uint32_t where;
    uint32_t tag;
} mica_view_record;

typedef struct mica_view_slots {
    mica_view_record **pages; // NULL where no slot was ever used
    uint32_t page_count;
} mica_view_slots;

// Where the values of one type are for the rows of one sheet.
typedef struct mica_view_spot {
    unsigned char *data; // NULL: nowhere, or not to be found this way
    uint64_t *tick;      // of the last write to them; NULL: not to be written this way
    uint64_t seen;       // the last put there by way of this spot, or 0; never later than `*tick`
} mica_view_spot;

// All spots of a type, by sheet number. There is a shelf for every sheet there may be; one that holds
// nothing is the same for all.
typedef struct mica_view_type {
    mica_view_spot **shelves;  // NULL: the type is not known here
    mica_view_spot *flat;      // all of them side by side, by sheet number; NULL: they are not
    mica_view_spot **kept;     // shelves and flat; while values are hidden, what will be in their
    mica_view_spot *kept_flat; // place again
    uint64_t bits;             // its handle
    size_t size;               // of a value
    uint32_t shelf_count;
    uint32_t flat_count; // shelves that lie side by side
} mica_view_type;

typedef struct mica_view_store {
    mica_view_type **types; // by number; what is known of a type stays where it is
    uint32_t type_count;
} mica_view_store;

// Where some rows of a sparse type are, side by side.
typedef struct mica_view_block {
    unsigned char *data;         // values; NULL: of tags
    uint64_t *tick;              // of the last write to them; NULL: not to be written this way
    const mica_entity *entities; // whose rows they are; a hole has no living entity's handle
    unsigned char *flags;        // 1: the value is disabled; NULL: the type has no toggle
    uint64_t *flags_tick;        // of the last write to these; NULL: not to be written this way
} mica_view_block;

// The rows of a sparse type, and the way there from an entity's slot.
typedef struct mica_view_pool {
    uint32_t **leaves;       // by page of slots: 1 + the row, 0: there is none
    mica_view_block *blocks; // of rows
    uint32_t leaf_count;
    uint32_t block_shift; // rows per block, as a power of two
    uint32_t size;        // of a value
    uint32_t hidden;      // 1: an iteration has the values, and they are not to be reached
} mica_view_pool;

// A world as its user holds it.
typedef struct mica_view_face {
    const mica_view_slots *slots;
    const mica_view_store *store;
    const mica_view_store *flags; // of types with toggles: a byte for each row, 1: it is disabled
    uint64_t tick;                // of writes that happen now
    mica_world *world;
} mica_view_face;

// The record of a living entity; NULL for the dead.
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

// The spot of a type that is known, for a record's row.
static inline mica_view_spot *mica_view_find(const mica_view_type *type, uint32_t where)
{
    uint32_t sheet = where >> MICA_VIEW_ROW_SHIFT;
    return &type->shelves[sheet >> MICA_VIEW_SHELF_SHIFT]
                         [sheet & ((UINT32_C(1) << MICA_VIEW_SHELF_SHIFT) - 1)];
}

// The same, of a type whose spots lie side by side.
MICA_INLINE_ static inline mica_view_spot *mica_view_find_flat(const mica_view_type *type,
                                                               uint32_t where)
{
    return &type->flat[where >> MICA_VIEW_ROW_SHIFT];
}

// Says that values are written now. False: not this way. The tick itself lies elsewhere; most writes find what
// they need beside the data.
MICA_INLINE_ static inline bool mica_view_open(mica_view_spot *spot, uint64_t now)
{
    if (spot->seen != now) {
        if (!spot->tick) {
            return false;
        }
        *spot->tick = now;
        spot->seen = now;
    }
    return true;
}

// The bytes from the start of a spot to a record's row, of values of a size.
static inline size_t mica_view_offset(uint32_t where, size_t size)
{
    return (where & ((UINT32_C(1) << MICA_VIEW_ROW_SHIFT) - 1)) * size;
}

// The row of a slot; UINT32_MAX: there is none.
MICA_INLINE_ static inline uint32_t mica_view_pool_find(const mica_view_pool *pool, uint32_t slot)
{
    uint32_t page = slot >> MICA_VIEW_SLOT_SHIFT;
    if (page >= pool->leaf_count || !pool->leaves[page]) {
        return UINT32_MAX;
    }
    return pool->leaves[page][slot & ((UINT32_C(1) << MICA_VIEW_SLOT_SHIFT) - 1)] - 1;
}

// The row of a living entity; UINT32_MAX: there is none, or it is not to be reached.
static inline uint32_t mica_view_pool_reach(const mica_view_pool *pool,
                                            const mica_view_slots *slots, mica_entity entity)
{
    return mica_view_slots_find(slots, entity) && !pool->hidden
               ? mica_view_pool_find(pool, MICA_CAST_(uint32_t, entity.bits))
               : UINT32_MAX;
}

// The block of a row, and the row's number in it.
static inline mica_view_block *mica_view_pool_block(const mica_view_pool *pool, uint32_t row)
{
    return &pool->blocks[row >> pool->block_shift];
}

static inline uint32_t mica_view_pool_offset(const mica_view_pool *pool, uint32_t row)
{
    return row & ((UINT32_C(1) << pool->block_shift) - 1);
}

// The row of an entity, without a look at its record: who has a row is alive, and is known by the handle that is
// kept there; from hooks all entities are hidden.
MICA_INLINE_ static inline uint32_t
mica_view_pool_row(const mica_view_pool *pool, const mica_view_slots *slots, mica_entity entity)
{
    uint32_t slot = MICA_CAST_(uint32_t, entity.bits);
    uint32_t row = mica_view_pool_find(pool, slot);
    return row != UINT32_MAX &&
                   mica_view_pool_block(pool, row)
                           ->entities[mica_view_pool_offset(pool, row)]
                           .bits == entity.bits &&
                   slot >> MICA_VIEW_SLOT_SHIFT < slots->page_count
               ? row
               : UINT32_MAX;
}

// The value of a row, of values of a size.
static inline unsigned char *mica_view_pool_value(const mica_view_pool *pool, uint32_t row,
                                                  size_t size)
{
    return mica_view_pool_block(pool, row)->data + mica_view_pool_offset(pool, row) * size;
}

// Writes a flag if it is another, which counts as a change.
MICA_INLINE_ static inline void mica_view_switch(unsigned char *flag, uint64_t *tick,
                                                 const mica_view_face *face, unsigned char off)
{
    if (*flag != off) {
        uint64_t now = face->tick;
        *flag = off;
        if (*tick != now) { // asking is quicker than writing again
            *tick = now;
        }
    }
}

// The world of a face; NULL: there is none.
static inline mica_world *mica_view_world(const mica_view_face *face)
{
    return face ? face->world : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
