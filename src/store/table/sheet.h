// Sheets: the memory of up to MICAI_ROWS rows of a table, one page per strip.
//
// Room:    store/table. Called by this room, store/pool and query/ (segments, row filters).
//
// Sheets are numbered in the store. An entity's record contains the sheet number and the row in the
// sheet. If a whole sheet moves to another table, the records of its entities stay valid.
//
// Only micai_sheet_set_page() sets a page of a sheet, and only micai_sheet_touch() and micai_sheet_stamp()
// set its tick. These functions see every write of a value. micai_sheet_mark_rows() sees every row that was
// added or moved: it sets a *card*, one byte for MICAI_CARD_ROWS rows. A new sheet has all cards set.
// Snapshots (time/) read and clear the cards.
//
// Ticks. The tick of a page is that of the last write to its cells. The tick of the first page (the
// ids) is that of the last row that was added to the sheet or moved within it. It counts for every
// strip, so moving a row touches one page instead of all. Removing a row changes no value of other
// rows.
//
// Invariants, checked by micai_sheet_validate() and cited by tests:
//   T4  sheets[i] of a table refers to its table, has index i, and is listed in the store under its
//       number.
//   T7  sheets[i]->adjacent is the number of sheets, starting with it, that are adjacent in every
//       strip. Iteration uses it to span sheets without checking each one.
#ifndef MICAI_STORE_TABLE_SHEET_H
#define MICAI_STORE_TABLE_SHEET_H

#include <string.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "store/table/layout.h"
#include "store/table/page.h"

#define MICAI_ROW_SHIFT MICA_VIEW_ROW_SHIFT
#define MICAI_ROWS (UINT32_C(1) << MICAI_ROW_SHIFT)
#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_ROWS_FIRST 1u
#define MICAI_CARD_SHIFT 1
#else
#define MICAI_ROWS_FIRST 16u
#define MICAI_CARD_SHIFT 2
#endif
#define MICAI_CARD_ROWS (UINT32_C(1) << MICAI_CARD_SHIFT)
#define MICAI_CARDS (MICAI_ROWS >> MICAI_CARD_SHIFT)

typedef struct micai_sheet {
    micai_table *table;
    uint32_t number; // in the store; in the table if that has an index
    uint32_t index;  // in the table
    uint32_t adjacent;
    uint16_t capacity;          // rows
    uint8_t cards[MICAI_CARDS]; // not 0: rows were added or moved since the last snapshot
    micai_page pages[];         // one per strip; the first holds the entity ids
} micai_sheet;

static inline mica_entity *micai_sheet_ids(const micai_sheet *sheet)
{
    return (mica_entity *)(void *)sheet->pages[0].data;
}

static inline uint32_t micai_sheet_where(const micai_sheet *sheet, uint32_t offset)
{
    return sheet->number << MICAI_ROW_SHIFT | offset;
}

static inline void micai_sheet_touch(micai_sheet *sheet, uint32_t strip, uint64_t tick)
{
    sheet->pages[strip].tick = tick;
}

// The same for values that a system writes. Others that run beside it may write other rows of the page.
static inline void micai_sheet_stamp(micai_sheet *sheet, uint32_t strip, uint64_t tick)
{
    MICAI_STORE_RELAXED(&sheet->pages[strip].tick, tick);
}

// Notes rows that were added or moved. micai_sheet_touch_row() also sets the tick of the ids.
static inline void micai_sheet_mark_row(micai_sheet *sheet, uint32_t offset)
{
    sheet->cards[offset >> MICAI_CARD_SHIFT] = !MICAI_CANARY("store.card");
}

static inline void micai_sheet_mark_rows(micai_sheet *sheet, uint32_t offset, uint32_t count)
{
    uint32_t first = offset >> MICAI_CARD_SHIFT;
    uint32_t end = (offset + count + MICAI_CARD_ROWS - 1) >> MICAI_CARD_SHIFT;
    memset(sheet->cards + first, 1, end - first);
}

static inline void micai_sheet_touch_row(micai_sheet *sheet, uint32_t offset, uint64_t tick)
{
    micai_sheet_touch(sheet, 0, tick);
    micai_sheet_mark_row(sheet, offset);
}

static inline uint64_t micai_sheet_tick(const micai_sheet *sheet, uint32_t strip)
{
    uint64_t rows = sheet->pages[0].tick;
    uint64_t values = sheet->pages[strip].tick;
    return rows > values ? rows : values;
}

// Returns how many of `count` rows, starting with `row`, are in the same sheet.
static inline uint32_t micai_sheet_rows(uint32_t row, uint32_t count)
{
    uint32_t rows = MICAI_ROWS - (row & (MICAI_ROWS - 1));
    return rows < count ? rows : count;
}

// Returns the address of a cell of a strip.
void *micai_sheet_at(const micai_sheet *sheet, uint32_t strip, uint32_t offset);

// Returns the number of rows in use.
uint32_t micai_sheet_used(const micai_sheet *sheet);

// Replaces a page of a sheet. The caller owns the old page. {0} means no page. Updates the value
// pointer. The blocks of an index must be updated by the caller, once all pages are set.
void micai_sheet_set_page(micai_store *store, micai_sheet *sheet, uint32_t strip, micai_page page);

// Enters all pages of a new sheet that were stored in it directly.
void micai_sheet_enter_pages(micai_store *store, micai_sheet *sheet);

// Removes a page and releases it. Its values must have been destructed.
void micai_sheet_drop_page(micai_store *store, micai_sheet *sheet, uint32_t strip);

// Relocates the values of a page to `page`, which replaces the old one, and releases the old one.
void micai_sheet_move_page(micai_store *store, micai_sheet *sheet, uint32_t strip, micai_page page);

// Moves a page to the sheet that takes over the source's number and value pointers. The pointers
// refer to the same values and to the tick at its new address.
void micai_sheet_transfer_page(micai_store *store, micai_sheet *source, uint32_t source_strip,
                               micai_sheet *target, uint32_t target_strip);

// Sets the tick of a page back to an earlier one. So later writes through the value pointer set it again.
void micai_sheet_rewind(micai_store *store, micai_sheet *sheet, uint32_t strip, uint64_t tick);

// For a strip whose values lie outside: micai_sheet_set_pointer() points the value pointer at
// `data`, or clears it if that is NULL. micai_sheet_has_pointer() returns true if the pointer is
// correct or empty.
void micai_sheet_set_pointer(micai_store *store, micai_sheet *sheet, uint32_t strip,
                             const micai_type *type, unsigned char *data);
bool micai_sheet_has_pointer(micai_store *store, const micai_sheet *sheet, uint32_t strip,
                             const unsigned char *data);

// Creates a sheet of the given capacity without pages, in no list yet, or returns NULL.
// micai_sheet_new() also assigns a number, and micai_sheet_free() returns it. micai_sheet_free()
// and micai_sheet_release() also release the pages, whose values must have been destructed.
// micai_sheet_release_bare() requires that no pages are left.
micai_sheet *micai_sheet_new(micai_store *store, micai_table *table, uint32_t index,
                             uint32_t capacity);
void micai_sheet_free(micai_store *store, micai_sheet *sheet);
micai_sheet *micai_sheet_make(micai_store *store, micai_table *table, uint32_t capacity);
void micai_sheet_release(micai_store *store, micai_sheet *sheet);
void micai_sheet_release_bare(micai_store *store, micai_sheet *sheet);

// Reserves the value pointers of a sheet with this number and capacity, so that setting pages
// cannot fail. The first function covers all strips, the second those of one column.
mica_result micai_sheet_reserve_pointers(micai_store *store, const micai_table *table,
                                         uint32_t number, uint32_t capacity);
mica_result micai_sheet_reserve_column(micai_store *store, const micai_table *table,
                                       uint32_t column, uint32_t number, uint32_t capacity);

// For a table with an index: micai_sheet_update_blocks() points the index's blocks at the pages.
// micai_sheet_has_blocks() returns true if they are correct.
void micai_sheet_update_blocks(const micai_sheet *sheet);
bool micai_sheet_has_blocks(const micai_sheet *sheet);

// Returns true if every page of `b` begins where that of `a` ends.
bool micai_sheet_adjoins(const micai_sheet *a, const micai_sheet *b);

mica_result micai_sheet_validate(micai_store *store, const micai_table *table, uint32_t index);

#endif
