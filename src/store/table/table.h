// Tables: the rows of one archetype, kept in sheets.
//
// Room:    store/table. Called by world/ (all), query/ (segments, whole tables).
//
//   table   sheets[0]            sheets[1]            ...        count rows, then room
//            pages[0]  ids        pages[0]  ids
//            pages[1]  column 1   pages[1]  column 1
//            ...                  ...
//
// A sheet is the memory of up to MICAI_ROWS rows: one page per column. Row r of a table is row
// r % MICAI_ROWS of sheet r / MICAI_ROWS. Sheets are numbered in the store, and an entity's record
// says sheet number and row in it: a sheet that goes to another table, whole, takes its entities
// along without a record being touched. The last sheet in use may be a small one; it grows until it
// is full-sized before another follows it. Room is kept when rows go, until micai_store_reclaim().
//
// Column 0 is the entity ids; a data column's number is 1 plus the number of data-carrying types
// below its own in the archetype. So column 0 also says "has no column".
//
// The column contract, signed by pages so far. Another kind of column has to keep these promises:
//   read span    micai_table_read_span(): from row r, where is the data, how many rows lie side by
//                side. Whoever knows the sheet reads its page.
//   write span   micai_table_write_span(), micai_sheet_open() for one sheet: the same, after making
//                the page one's own and stamping it with the tick.
//   row plan     reserve everywhere (may fail, leaves no trace), then commit everywhere (cannot):
//                append at the end (micai_table_reserve, micai_table_push); fill a hole from the
//                last row and drop that (micai_table_reserve_remove, micai_store_drop, _move).
//
// Invariants, swept by micai_table_validate() and cited by tests:
//   T1  ids[row] names the entity whose record is (sheet, row).
//   T2  every sheet has a page per column; all but the last one that is in use are full-sized.
//   T3  a page with references > 1 is never written.
//   T4  sheets[i] knows its table, its index i, the columns of the first types, and is listed in
//       the store under its number.
//   T5  `capacity` is the number of rows the sheets have room for.
//   T6  `tail` and `next` are right while there is room. They save appending, which is half of
//       every structural change, the way over row number and list of sheets.
//   T7  sheets[i]->run is the number of sheets from it on that lie side by side in every column.
//       Iteration runs across them without looking at each.
#ifndef MICAI_STORE_TABLE_TABLE_H
#define MICAI_STORE_TABLE_TABLE_H

#include "base/array.h"
#include "base/bits.h"
#include "core/slot.h"
#include "store/table/page.h"

#define MICAI_ROW_SHIFT MICA_VIEW_ROW_SHIFT
#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_ROWS_FIRST 1u
#define MICAI_SHEETS_LEAP 2u
#define MICAI_SHEETS_AT_ONCE 3u
#else
#define MICAI_ROWS_FIRST 16u
#define MICAI_SHEETS_LEAP 64u     // a table of fewer sheets grows fourfold, of more doubles
#define MICAI_SHEETS_AT_ONCE 256u // at most this much at once: one extent per column
#endif
#define MICAI_ROWS (UINT32_C(1) << MICAI_ROW_SHIFT)

#define MICAI_COLUMNS_MAX 65534u

typedef struct micai_table micai_table;
typedef struct micai_store micai_store;
typedef struct micai_edge micai_edge;

typedef mica_view_sheet micai_sheet;

struct micai_table {
    // identity
    uint32_t id;
    uint32_t word_count;
    uint64_t *words;      // the archetype: all types
    uint64_t *data_words; // those of them that carry data
    uint64_t hash;
    uint32_t column_count; // ids included
    bool dying;            // about to be reclaimed
    bool plain;            // no column has hooks
    micai_column *columns;
    MICAI_ARRAY(micai_edge *) edges; // ascending keys
    // state
    uint32_t count;    // rows
    uint32_t capacity; // rows there is room for
    micai_sheet *tail; // the sheet of the row behind the last, if there is one
    uint32_t next;     // and where that row is, if there is room for it
    MICAI_ARRAY(micai_sheet *) sheets;
};

// Looks for the tail anew, after anything but one row more or less.
static inline void micai_table_find_tail(micai_table *table)
{
    uint32_t sheet = table->count >> MICAI_ROW_SHIFT;
    micai_sheet *tail = sheet < table->sheets.count ? table->sheets.items[sheet] : NULL;
    table->tail = tail;
    table->next = tail ? tail->number << MICAI_ROW_SHIFT | (table->count & (MICAI_ROWS - 1)) : 0;
}

// Changes the number of rows: by any, by one more, by one less.
static inline void micai_table_set_count(micai_table *table, uint32_t count)
{
    table->count = count;
    micai_table_find_tail(table);
}

static inline void micai_table_push(micai_table *table)
{
    table->next++;
    if ((++table->count & (MICAI_ROWS - 1)) == 0) {
        micai_table_find_tail(table);
    }
}

static inline void micai_table_pop(micai_table *table)
{
    table->next--;
    if ((table->count-- & (MICAI_ROWS - 1)) == 0) {
        micai_table_find_tail(table);
    }
}

// A row and how many follow it side by side.
typedef struct micai_span {
    void *data;
    uint32_t count;
} micai_span;

// The column of a type: 1 + the data-carrying types below it; 0 if the table has none for it.
static inline uint32_t micai_table_column(const micai_table *table, uint32_t number)
{
    return micai_bits_has(table->data_words, table->word_count, number)
               ? 1 + micai_bits_rank(table->data_words, table->word_count, number)
               : 0;
}

static inline bool micai_table_has(const micai_table *table, uint32_t number)
{
    return micai_bits_has(table->words, table->word_count, number);
}

static inline micai_sheet *micai_table_sheet(const micai_table *table, uint32_t row)
{
    return table->sheets.items[row >> MICAI_ROW_SHIFT];
}

static inline void *micai_sheet_at(const micai_sheet *sheet, uint32_t column, uint32_t offset)
{
    return sheet->pages[column].data + (size_t)offset * sheet->table->columns[column].size;
}

static inline mica_entity *micai_sheet_ids(const micai_sheet *sheet)
{
    return (mica_entity *)(void *)sheet->pages[0].data;
}

// Rows of a sheet that are in use.
static inline uint32_t micai_sheet_used(const micai_sheet *sheet)
{
    uint32_t first = sheet->index << MICAI_ROW_SHIFT;
    uint32_t rows = sheet->table->count > first ? sheet->table->count - first : 0;
    return rows < MICAI_ROWS ? rows : MICAI_ROWS;
}

static inline uint32_t micai_sheet_where(const micai_sheet *sheet, uint32_t offset)
{
    return sheet->number << MICAI_ROW_SHIFT | offset;
}

// Spans. The write span's data is NULL if a shared page could not be copied, which was reported.
micai_span micai_table_read_span(const micai_table *table, uint32_t column, uint32_t row);
micai_span micai_table_write_span(micai_store *store, micai_table *table, uint32_t column,
                                  uint32_t row, uint64_t tick);

// Makes all pages of a sheet, or one of them, one's own. A store in which nothing was ever shared
// (micai_store.sharing) need not ask.
mica_result micai_sheet_own(micai_store *store, micai_sheet *sheet);
mica_result micai_sheet_own_page(micai_store *store, micai_sheet *sheet, uint32_t column);

// Adds a reference to a page, as whoever keeps a snapshot does.
void micai_sheet_share_page(micai_store *store, micai_sheet *sheet, uint32_t column);

// Reserve: room for `extra` more rows at the end, and the right to write them. MICA_ERROR_MEMORY,
// MICA_ERROR_LIMIT. And the right to take row `row` out: its sheet and the last one can then be
// written. micai_table_reserve() and micai_table_reserve_remove() in store.h ask only if needed.
mica_result micai_table_make_room(micai_store *store, micai_table *table, uint32_t extra);
mica_result micai_table_own_ends(micai_store *store, micai_table *table, uint32_t row);

// Destructs the values of a row; of all rows.
void micai_table_destruct_row(micai_store *store, micai_table *table, uint32_t row);
void micai_table_destruct_all(micai_store *store, micai_table *table);

// Stamps. A page's tick is that of the last write to its values. The first page's, of the ids, is
// that of the last row that came to the sheet or moved within it: it counts for every column, so
// that moving a row stamps once and not once per column. A row that goes changes no value of others.
static inline void micai_sheet_stamp(micai_sheet *sheet, uint64_t tick)
{
    sheet->pages[0].tick = tick;
}

static inline uint64_t micai_sheet_tick(const micai_sheet *sheet, uint32_t column)
{
    uint64_t rows = sheet->pages[0].tick;
    uint64_t values = sheet->pages[column].tick;
    return rows > values ? rows : values;
}

// Sheets: one of the given capacity without pages, in no list yet; NULL on refusal. And back: with
// its pages, which must hold no values that are to be destructed. The first pair also deals in the
// sheet's number.
micai_sheet *micai_sheet_new(micai_store *store, micai_table *table, uint32_t capacity);
void micai_sheet_free(micai_store *store, micai_sheet *sheet);
micai_sheet *micai_sheet_make(micai_store *store, micai_table *table, uint32_t capacity);
void micai_sheet_release(micai_store *store, micai_sheet *sheet);

// Finds the runs of sheets anew, after pages of sheets `first` to `end` have changed.
void micai_table_find_runs(micai_table *table, uint32_t first, uint32_t end);

// Gives back what a sheet that grew left behind.
void micai_store_clear_left(micai_store *store);

// Gives back sheets without rows.
void micai_table_trim(micai_store *store, micai_table *table);

mica_result micai_table_validate(micai_store *store, const micai_table *table);

#endif
