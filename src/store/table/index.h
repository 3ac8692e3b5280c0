// Indexes: from an entity's slot to its row, of tables that are no archetype's: the pool of a sparse type, the
// list of a group. An entity's record leads to its row in the table of its archetype; an index leads to any other.
//
//   leaves    [0] -> | 0 | 3 | 0 | 1 | ...   [1] NULL      by slot: 1 + row, 0: it has no row
//   blocks    | rows 0 to 1,023 | ...                      where values, ids and flags are: mica/view.h
//
// Such a table is in no list of the store. Its sheets have no numbers of the store's: they are numbered by their
// place in the table, so that "where" a row is (micai_row) is its number. Nor do they have spots: accessors look
// into the blocks.
//
// Room:    store/table. Blocks are kept by sheets (micai_sheet_set_page); leaves by store/pool.
//
// Invariants, swept by micai_index_validate():
//   P15  there is a block for all rows of each sheet, which leads to the pages of that sheet. Flags are to be
//       written only where they may be anything but 0, nobody watches them, and rows have no ticks of their own.
//   P16  every row's entity is found by its slot, and no other entry leads anywhere. A hole has no entity.
#ifndef MICAI_STORE_TABLE_INDEX_H
#define MICAI_STORE_TABLE_INDEX_H

#include <mica/view.h>

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
    uint32_t hole_count; // rows without an entity, of tables of stable values
    uint32_t first_hole; // each leads to the next by its id; MICAI_INDEX_NONE: there is none
} micai_index;

// Where a leaf has the row of a slot, plus one; NULL if there is no leaf.
static inline uint32_t *micai_index_entry(const micai_index *index, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    if (page >= index->view.leaf_count || !index->view.leaves[page]) {
        return NULL;
    }
    return &index->view.leaves[page][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// The same for a slot whose leaf is there.
static inline uint32_t *micai_index_at(const micai_index *index, uint32_t slot)
{
    return &index->view.leaves[slot >> MICAI_SLOT_PAGE_SHIFT][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// The row of a slot; MICAI_INDEX_NONE: it has none.
static inline uint32_t micai_index_row(const micai_index *index, uint32_t slot)
{
    const uint32_t *entry = micai_index_entry(index, slot);
    return entry ? *entry - 1 : MICAI_INDEX_NONE;
}

// Puts an entity whose leaf is there in a row; MICAI_INDEX_NONE: in none.
static inline void micai_index_set(const micai_index *index, mica_entity entity, uint32_t row)
{
    *micai_index_at(index, mica_entity_slot(entity)) = row + 1;
}

static inline bool micai_index_has_leaf(const micai_index *index, uint32_t page)
{
    return page < index->view.leaf_count && index->view.leaves[page];
}

// A leaf for a page of slots; blocks for so many sheets. False: MICA_ERROR_MEMORY.
bool micai_index_reserve_leaf(micai_host *host, micai_index *index, uint32_t page);
bool micai_index_reserve_blocks(micai_host *host, micai_index *index, uint32_t sheets);

// As few blocks as so many sheets need. False: MICA_ERROR_MEMORY, and they stay.
bool micai_index_shrink_blocks(micai_host *host, micai_index *index, uint32_t sheets);

// Gives back a leaf; those that lead nowhere; everything.
void micai_index_drop_leaf(micai_host *host, micai_index *index, uint32_t page);
void micai_index_trim(micai_host *host, micai_index *index);
void micai_index_free(micai_host *host, micai_index *index);

// Is an id that of a hole, of which there are some in tables of stable values? Then its lower half may be anything.
static inline bool micai_is_hole(mica_entity id)
{
    return id.bits >> 32 == 0; // no living entity's handle is like this
}

// Of a table with an index whose sheets are in order.
mica_result micai_index_validate(micai_store *store, const micai_table *table);

#endif
