// Tables: the rows of one archetype, kept in sheets.
//
// Room:    store/table. Called by world/ (all), query/ (segments, whole tables).
//
//   table   sheets[0]            sheets[1]            ...        count rows, then room
//            pages[0]  ids        pages[0]  ids
//            pages[1]  strip 1    pages[1]  strip 1
//            ...                  ...
//
// Row r of a table is row r % MICAI_ROWS of sheet r / MICAI_ROWS. The last sheet in use may be a
// small one; it grows until it is full-sized before another follows it. Room is kept when rows go,
// until micai_store_reclaim(); room that somebody was promised (`promised`, rows in all) also when
// sheets are handed on, and when tables that stay empty are given back (micai_store_tidy).
//
// A table has an identity, which transitions and queries remember, and what it holds now: a layout and
// sheets. Values are reached through the kinds of their columns (kind.h).
//
// `fast_paths` says what may be done to rows without asking anybody. One function decides that,
// micai_table_update_fast_paths(), whenever the answer may have changed; transitions follow (transition.h). So hot
// paths test one set of bits.
//
// Invariants, swept by micai_table_validate() and cited by tests:
//   T1  ids[row] names the entity whose record is (sheet, row); of a table with an index, see P16.
//   T2  every sheet has a page per strip; all but the last one that is in use are full-sized.
//   T5  `capacity` is the number of rows the sheets have room for: no fewer than were promised.
//   T6  `tail`, `next` and `end` are what micai_table_find_tail() finds. They tell appending, which is
//       half of every structural change, whether there is room and where, without a look at capacity,
//       row number and list of sheets.
//   T8  `fast_paths` are what micai_table_update_fast_paths() would find.
//   T9  no page was written later than now.
//   T11 the list of sheets has room for one exactly if it lies in `only`: most tables of a world that has
//       many need no more, and a block for it would be larger than what it holds.
#ifndef MICAI_STORE_TABLE_TABLE_H
#define MICAI_STORE_TABLE_TABLE_H

#include "base/array.h"
#include "base/bits.h"
#include "store/table/index.h"
#include "store/table/sheet.h"
#include "store/table/tick.h"
#include "store/table/toggle.h"

#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_SHEETS_LEAP 2u
#define MICAI_SHEETS_AT_ONCE 3u
#else
#define MICAI_SHEETS_LEAP 64u     // a table of fewer sheets grows fourfold, of more doubles
#define MICAI_SHEETS_AT_ONCE 256u // at most this much at once: one extent per strip
#endif

typedef struct micai_transition micai_transition;

// What rows admit: of tables, of pools, and of transitions between tables. The fast path needs all of these.
enum {
    MICAI_FAST_BYTES = 1, // rows and values are bytes, without hooks; some may lie in rings
    MICAI_FAST_PLAIN =
        2, // each value lies whole in its row, with neither flag nor ticks to be looked after
    MICAI_FAST_UNOBSERVED = 4, // no observer is notified
    MICAI_FAST_UNMATCHED = 8,  // no observer of a query is
    MICAI_FAST_ALL = 15
};

struct micai_table {
    // identity
    uint32_t id;
    uint32_t word_count;
    uint64_t *words; // the archetype: all types. More stands behind them, see below
    uint64_t hash;
    bool facet; // its rows are facets: it has the type that is hidden
    bool dying; // about to be reclaimed
    bool idle;  // it has been empty, and without room, since the last tidying
    // state
    uint8_t fast_paths;        // of rows that are added and removed as a whole
    uint16_t disabled_columns; // columns that are: toggle.h
    uint32_t count;            // rows
    uint32_t capacity;         // rows there is room for
    uint32_t promised;         // rows for which room is kept
    uint32_t next;     // where the row behind the last is, if there is room for it; 0 otherwise
    uint32_t end;      // where the room in its sheet ends
    micai_sheet *tail; // that of the next row; NULL: there is no room
    micai_layout layout;
    MICAI_ARRAY(micai_sheet *) sheets;
    micai_sheet *only;  // the list of sheets while it needs one place; NULL otherwise
    micai_index *index; // from slots to rows, of what is no archetype's; NULL: records lead here
};

// The tail is a sheet with room, and the next row in it that which the count says.
static inline void micai_table_set_tail(micai_table *table, micai_sheet *tail)
{
    uint32_t first = micai_sheet_where(tail, 0);
    table->tail = tail;
    table->next = first | (table->count & (MICAI_ROWS - 1));
    table->end = first + tail->capacity;
}

// Looks for the tail anew, after anything but one row more or less.
static inline void micai_table_find_tail(micai_table *table)
{
    uint32_t sheet = table->count >> MICAI_ROW_SHIFT;
    micai_sheet *tail = sheet < table->sheets.count ? table->sheets.items[sheet] : NULL;
    if (tail && (table->count & (MICAI_ROWS - 1)) < tail->capacity) {
        micai_table_set_tail(table, tail);
    } else {
        table->tail = NULL;
        table->next = 0;
        table->end = 0;
    }
}

// Changes the number of rows: by any, by one more, by one less.
static inline void micai_table_set_count(micai_table *table, uint32_t count)
{
    table->count = count;
    micai_table_find_tail(table);
}

static inline void micai_table_push(micai_table *table)
{
    table->count++;
    if (++table->next == table->end) {
        micai_table_find_tail(table);
    }
}

static inline void micai_table_pop(micai_table *table)
{
    table->count--;
    if ((table->next-- & (MICAI_ROWS - 1)) == 0) { // there was no room, or the first of a sheet
        micai_table_set_tail(table, table->sheets.items[table->count >> MICAI_ROW_SHIFT]);
    }
}

// The types that have columns, in as many words; and for each word, how many of these are in the words below.
static inline uint64_t *micai_table_column_words(const micai_table *table)
{
    return table->words + table->word_count;
}

static inline uint16_t *micai_table_ranks(const micai_table *table)
{
    return (uint16_t *)(void *)(micai_table_column_words(table) + table->word_count);
}

// The column of a type: 1 + the types with columns below it; 0 if the table has none for it.
static inline uint32_t micai_table_column(const micai_table *table, uint32_t number)
{
    const uint64_t *words = micai_table_column_words(table);
    if (!micai_bits_has(words, table->word_count, number)) {
        return 0;
    }
    uint64_t below = words[number / 64] & ((UINT64_C(1) << (number % 64)) - 1);
    return 1 + micai_table_ranks(table)[number / 64] + micai_bits_ones(below);
}

static inline bool micai_table_has(const micai_table *table, uint32_t number)
{
    return micai_bits_has(table->words, table->word_count, number);
}

// Room for `extra` more sheets in the list of a table, reported if refused; gives the list back, which is empty.
bool micai_table_reserve_list(micai_host *host, micai_table *table, uint32_t extra);
void micai_table_free_list(micai_host *host, micai_table *table);

static inline const micai_kind *micai_table_kind(const micai_table *table, uint32_t column)
{
    return micai_column_kind(&table->layout.columns[column]);
}

// Where one value is; NULL: nowhere whole.
static inline void *micai_table_at(micai_cell cell)
{
    const micai_kind *kind = micai_table_kind(cell.table, cell.column);
    return kind->at ? kind->at(cell) : kind->read(cell).data;
}

static inline micai_sheet *micai_table_sheet(const micai_table *table, uint32_t row)
{
    return table->sheets.items[row >> MICAI_ROW_SHIFT];
}

// How a value is filled into a raw row of a quick table.
typedef struct micai_fill {
    uint16_t strip;   // 0: not as bytes; its kind makes it
    uint16_t flags;   // the strip where it is said to be enabled; 0: none
    uint16_t ticks;   // the strips that say when it came begin here; 0: none
    uint16_t strips;  // strips that it is cut for, from that one on; 0: it lies whole
    uint16_t outside; // the column whose ring it lies in; 0: it lies in strips
    uint32_t size;    // of the value
} micai_fill;

// Is one copy all there is to it?
static inline bool micai_fill_is_plain(micai_fill fill)
{
    return (fill.flags | fill.ticks | fill.strips | fill.outside) == 0;
}

static inline bool micai_fill_equal(micai_fill a, micai_fill b)
{
    return a.strip == b.strip && a.flags == b.flags && a.ticks == b.ticks && a.strips == b.strips &&
           a.outside == b.outside && a.size == b.size;
}

micai_fill micai_table_fill(const micai_table *table, uint32_t column);

// The entity of a row.
static inline mica_entity micai_table_entity(const micai_table *table, uint32_t row)
{
    return micai_sheet_ids(micai_table_sheet(table, row))[row & (MICAI_ROWS - 1)];
}

// The tick of the last write to the values of a column in the rows around this one, and the first
// row beyond those it speaks of.
uint64_t micai_table_tick(const micai_table *table, uint32_t column, uint32_t row,
                          uint32_t *end_out);

// Are rows nothing but bytes, and does nothing relocate always?
static inline bool micai_table_is_bytes(const micai_table *table)
{
    return (table->fast_paths & MICAI_FAST_BYTES) != 0;
}

// Finds anew which fast paths rows admit, after something has changed that they depend on. Transitions are for the
// caller to update.
void micai_table_update_fast_paths(const micai_store *store, micai_table *table);
uint8_t micai_table_find_fast_paths(const micai_store *store, const micai_table *table);

// Of the room there is, how many rows are promised.
static inline uint32_t micai_table_kept(const micai_table *table)
{
    return table->promised > table->count ? table->promised - table->count : 0;
}

// Reserve: room for `extra` more rows at the end. MICA_ERROR_MEMORY, MICA_ERROR_LIMIT. Called only if
// there is too little, by micai_table_reserve().
mica_result micai_table_make_room(micai_store *store, micai_table *table, uint32_t extra);

static inline bool micai_table_is_ready(const micai_table *table, uint32_t extra)
{
    return extra <= table->capacity - table->count;
}

static inline mica_result micai_table_reserve(micai_store *store, micai_table *table,
                                              uint32_t extra)
{
    return micai_table_is_ready(table, extra) ? MICA_OK
                                              : micai_table_make_room(store, table, extra);
}

// The capacity that a table would have then.
uint32_t micai_table_plan_capacity(const micai_table *table, uint32_t extra);

// The same, and no room is kept ready beyond that, but for what fills the last sheet.
mica_result micai_table_reserve_exact(micai_store *store, micai_table *table, uint32_t extra);

// Room that kinds keep outside the strips, for so many rows in all.
mica_result micai_table_reserve_outside(micai_store *store, micai_table *table, uint32_t rows);

// Ends the values of `count` rows from `row` on; of all rows, which then go.
void micai_table_end_values(micai_store *store, micai_table *table, uint32_t row, uint32_t count);
void micai_table_clear(micai_store *store, micai_table *table);

// How many sheets from `index` on lie side by side; finds that out anew for all sheets, after pages
// of sheets `first` to `end` have changed.
uint32_t micai_table_reach(const micai_table *table, uint32_t index);
void micai_table_find_reach(micai_table *table, uint32_t first, uint32_t end);

// Gives back all sheets but the first `count`, of which there is no row.
void micai_table_drop_sheets(micai_store *store, micai_table *table, uint32_t count);

// Gives back sheets without rows, promised or not; and all else that is kept ready, lists included.
void micai_table_drop_room(micai_store *store, micai_table *table);
void micai_table_trim(micai_store *store, micai_table *table);

// Makes the last sheet as small as its rows allow. MICA_ERROR_MEMORY leaves it as it is.
mica_result micai_table_shrink(micai_store *store, micai_table *table);

// Of a table whose archetype is in order; the second, of one whose layout is; the third, if these find nothing.
mica_result micai_table_validate(micai_store *store, const micai_table *table);
mica_result micai_table_validate_sheets(micai_store *store, const micai_table *table);
mica_result micai_table_validate_ticks(micai_store *store, const micai_table *table, uint64_t now);

#endif
