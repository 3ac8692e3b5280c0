// Sheets: the memory of up to MICAI_ROWS rows of a table, a page per strip.
//
// Room:    store/table. Called by this room, and by query/segment.
//
// Sheets are numbered in the store, and an entity's record says sheet number and row in it: a sheet
// that goes to another table, whole, takes its entities along without a record being touched.
//
// One function sets a page of a sheet (micai_sheet_set_page), one puts a tick on it (micai_sheet_touch).
// Whoever wants to know of every write has these to watch.
//
// Ticks. A page's is that of the last write to its cells. The first page's, of the ids, is that of
// the last row that came to the sheet or moved within it: it counts for every strip, so that moving
// a row touches one page and not all. A row that goes changes no value of others.
//
// Invariants, swept by micai_sheet_validate() and cited by tests:
//   T4  sheets[i] of a table knows its table, its index i, and is listed in the store under its
//       number.
//   T7  sheets[i]->reach is the number of sheets from it on that lie side by side in every strip.
//       Iteration reaches across them without looking at each.
#ifndef MICAI_STORE_TABLE_SHEET_H
#define MICAI_STORE_TABLE_SHEET_H

#include "store/table/layout.h"
#include "store/table/page.h"

#define MICAI_ROW_SHIFT MICA_VIEW_ROW_SHIFT
#define MICAI_ROWS (UINT32_C(1) << MICAI_ROW_SHIFT)
#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_ROWS_FIRST 1u
#else
#define MICAI_ROWS_FIRST 16u
#endif

typedef struct micai_sheet {
    micai_table *table;
    uint32_t number; // in the store; of a table with an index, in that
    uint32_t index;  // in the table
    uint32_t reach;
    uint16_t capacity;  // rows
    micai_page pages[]; // one per strip; the first is entity ids
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

static inline uint64_t micai_sheet_tick(const micai_sheet *sheet, uint32_t strip)
{
    uint64_t rows = sheet->pages[0].tick;
    uint64_t values = sheet->pages[strip].tick;
    return rows > values ? rows : values;
}

// How many of `count` rows of a table, from one on, are in its sheet.
static inline uint32_t micai_sheet_rows(uint32_t row, uint32_t count)
{
    uint32_t rows = MICAI_ROWS - (row & (MICAI_ROWS - 1));
    return rows < count ? rows : count;
}

// A cell of a strip.
void *micai_sheet_at(const micai_sheet *sheet, uint32_t strip, uint32_t offset);

// Rows of a sheet that are in use.
uint32_t micai_sheet_used(const micai_sheet *sheet);

// Puts a page in place of the one that is there, which is the caller's then; {0}: none. Spots follow; blocks of an
// index do when all pages are there.
void micai_sheet_set_page(micai_store *store, micai_sheet *sheet, uint32_t strip, micai_page page);

// The same for all pages of a new sheet, which have been put there.
void micai_sheet_enter_pages(micai_store *store, micai_sheet *sheet);

// Takes a page out, and lets it go. Its values must have ended.
void micai_sheet_drop_page(micai_store *store, micai_sheet *sheet, uint32_t strip);

// Relocates the values of a page to another one, which takes its place, and lets it go.
void micai_sheet_move_page(micai_store *store, micai_sheet *sheet, uint32_t strip, micai_page page);

// Takes a page from a sheet to the one that gets its number, and so its spots: they lead to the same
// values, and to the tick in its new place.
void micai_sheet_hand_page(micai_store *store, micai_sheet *source, uint32_t source_strip,
                           micai_sheet *target, uint32_t target_strip);

// Of a strip whose cells, values of a type, lie outside: leads its spot to those of the sheet; NULL: to
// nowhere. Is it right, if it leads somewhere at all?
void micai_sheet_show(micai_store *store, micai_sheet *sheet, uint32_t strip,
                      const micai_type *type, unsigned char *data);
bool micai_sheet_shows(micai_store *store, const micai_sheet *sheet, uint32_t strip,
                       const unsigned char *data);

// A sheet of the given capacity without pages, in no list yet; NULL on refusal. And back: with its
// pages, whose values must have ended, or of one that has none left. The first pair also deals in the sheet's
// number.
micai_sheet *micai_sheet_new(micai_store *store, micai_table *table, uint32_t index,
                             uint32_t capacity);
void micai_sheet_free(micai_store *store, micai_sheet *sheet);
micai_sheet *micai_sheet_make(micai_store *store, micai_table *table, uint32_t capacity);
void micai_sheet_release(micai_store *store, micai_sheet *sheet);
void micai_sheet_release_bare(micai_store *store, micai_sheet *sheet);

// Room for the spots of a sheet of this number and capacity, so that setting pages enters them: of all
// strips, or of one column's.
mica_result micai_sheet_reserve_spots(micai_store *store, const micai_table *table, uint32_t number,
                                      uint32_t capacity);
mica_result micai_sheet_reserve_column(micai_store *store, const micai_table *table,
                                       uint32_t column, uint32_t number, uint32_t capacity);

// Of a table with an index: leads its blocks to the pages. Are they right?
void micai_sheet_show_blocks(const micai_sheet *sheet);
bool micai_sheet_has_blocks(const micai_sheet *sheet);

// Does every page of `b` begin where that of `a` ends?
bool micai_sheet_adjoins(const micai_sheet *a, const micai_sheet *b);

mica_result micai_sheet_validate(micai_store *store, const micai_table *table, uint32_t index);

#endif
