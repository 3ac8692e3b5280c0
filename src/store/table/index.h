// Indexes: from an entity's slot to its row, for tables that belong to no archetype. These are the
// pool of a sparse type and the list of a group. Archetype tables need no index, because an
// entity's record contains its row.
//
//     leaves    [0] -> | 0 | 3 | 0 | 1 | ...   [1] NULL      by slot: 1 + row, or 0 without a row
//     blocks    | rows 0 to 1,023 | ...                      addresses of values, ids and flags: mica/detail/view.h
//
// Such a table is in no list of the store. Its sheets are numbered within the table, so that the
// position of a row (micai_row.where) is its number. They have no value pointers in the directory.
// Accessors read the blocks instead.
//
// Room:    store/table. Sheets update the blocks (micai_sheet_set_page), and store/pool the leaves.
//
// Invariants, checked by micai_index_validate():
//   P15 Each sheet has blocks for all its rows, which point at its pages. Flags are writable only
//       if some may be 1, no observer watches them, and rows have no ticks.
//   P16 Each row's entity is found by its slot. All other entries are empty. A hole has no entity.
#ifndef MICAI_STORE_TABLE_INDEX_H
#define MICAI_STORE_TABLE_INDEX_H

#include <mica/detail/view.h>

#include "base/host.h"
#include "core/slot.h"

#define MICAI_INDEX_NONE UINT32_MAX // no row

#define MICAI_LEAF_BYTES (sizeof(uint32_t) * MICAI_SLOT_PAGE_SIZE)

typedef struct micai_table micai_table;
typedef struct micai_store micai_store;

typedef struct micai_index {
    mica_view_pool view;
    uint32_t leaf_capacity;
    uint32_t block_capacity;
    uint32_t hole_count; // rows without an entity, in tables of stable values
    uint32_t first_hole; // each hole's id contains the next one; MICAI_INDEX_NONE ends the list
} micai_index;

// Returns the entry of a slot (row plus one), or NULL if its leaf does not exist.
static inline uint32_t *micai_index_entry(const micai_index *index, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    if (page >= index->view.leaf_count || !index->view.leaves[page]) {
        return NULL;
    }
    return &index->view.leaves[page][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// Does the same for a slot whose leaf exists.
static inline uint32_t *micai_index_at(const micai_index *index, uint32_t slot)
{
    return &index->view.leaves[slot >> MICAI_SLOT_PAGE_SHIFT][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// Returns the row of a slot, or MICAI_INDEX_NONE.
static inline uint32_t micai_index_row(const micai_index *index, uint32_t slot)
{
    const uint32_t *entry = micai_index_entry(index, slot);
    return entry ? *entry - 1 : MICAI_INDEX_NONE;
}

// Sets the row of an entity whose leaf exists. MICAI_INDEX_NONE removes it.
static inline void micai_index_set(const micai_index *index, mica_entity entity, uint32_t row)
{
    *micai_index_at(index, mica_entity_slot(entity)) = row + 1;
}

static inline bool micai_index_has_leaf(const micai_index *index, uint32_t page)
{
    return page < index->view.leaf_count && index->view.leaves[page];
}

// Reserve a leaf for a page of slots, or blocks for `sheets` sheets. Return false on
// MICA_ERROR_MEMORY.
bool micai_index_reserve_leaf(micai_host *host, micai_index *index, uint32_t page);
bool micai_index_reserve_blocks(micai_host *host, micai_index *index, uint32_t sheets);

// Shrinks the blocks to `sheets` sheets. Returns false on MICA_ERROR_MEMORY and leaves them
// unchanged.
bool micai_index_shrink_blocks(micai_host *host, micai_index *index, uint32_t sheets);

// Free a leaf; all empty leaves; everything.
void micai_index_drop_leaf(micai_host *host, micai_index *index, uint32_t page);
void micai_index_trim(micai_host *host, micai_index *index);
void micai_index_free(micai_host *host, micai_index *index);

// Returns true if an id marks a hole in a table of stable values. The lower half of such an id can
// have any value.
static inline bool micai_is_hole(mica_entity id)
{
    return id.bits >> 32 == 0; // a handle of an entity has an upper half other than 0
}

// Checks a table with an index whose sheets are valid.
mica_result micai_index_validate(micai_store *store, const micai_table *table);

#endif
