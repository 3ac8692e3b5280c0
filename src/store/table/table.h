// Tables: the rows of one archetype, stored in sheets.
//
// Room:    store/table. Called by entity/, query/ (matching, segments), image/ and store/pool.
//
//     table   sheets[0]            sheets[1]            ...        count rows, then free capacity
//              pages[0]  ids        pages[0]  ids
//              pages[1]  strip 1    pages[1]  strip 1
//              ...                  ...
//
// Row r of a table is row r % MICAI_ROWS of sheet r / MICAI_ROWS. The last sheet in use may be a
// small one. It grows to full size before another sheet follows it. A table keeps its capacity when
// rows are removed, until micai_store_reclaim(). Reserved capacity (`promised`, the total number of
// rows) is also kept when sheets move to another table. It is also kept when micai_store_tidy()
// frees empty tables.
//
// A table has an identity, which transitions and queries refer to, and a replaceable state: a
// layout and sheets. Values are accessed through the kinds of their columns (kind.h).
//
// `fast_paths` says which fast paths the rows of the table admit. Only
// micai_table_update_fast_paths() computes it, whenever the result may have changed. Transitions
// derive their own bits from it (transition.h). So hot paths test one set of bits.
//
// Invariants, checked by micai_table_validate() and cited by tests:
//   T1  ids[row] is the entity whose record is (sheet, row). P16 covers tables with an index.
//   T2  Every sheet has a page per strip. All sheets except the last one in use are full-sized.
//   T5  `capacity` is the number of rows that fit into the sheets, and at least `promised`.
//   T6  `tail`, `next` and `end` are the results of micai_table_find_tail(). They tell an append
//       whether and where there is space, without reading capacity, row count and list of sheets.
//       Appends are half of every structural change.
//   T8  `fast_paths` is the result of micai_table_find_fast_paths().
//   T9  No page has a tick later than now.
//   T11 The list of sheets has capacity 1 exactly if it is stored in `only`. Most tables of a world
//       with many tables need one sheet. A block for the list would be larger than its content.
#ifndef MICAI_STORE_TABLE_TABLE_H
#define MICAI_STORE_TABLE_TABLE_H

#include "base/array.h"
#include "base/bits.h"
#include "store/table/index.h"
#include "store/table/sheet.h"
#include "store/table/tick.h"
#include "store/table/toggle.h"

#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_SHEETS_FOURFOLD 2u
#define MICAI_SHEETS_AT_ONCE 3u
#else
#define MICAI_SHEETS_FOURFOLD 64u // tables with fewer sheets grow fourfold, others double
#define MICAI_SHEETS_AT_ONCE 256u // most sheets added at once: one extent per strip
#endif

typedef struct micai_transition micai_transition;

// Fast paths that the rows of a table, a pool, or a transition between tables admit. The fast path
// requires all bits.
enum {
    MICAI_FAST_BYTES = 1,      // rows and values are bytes without hooks; some may be in rings
    MICAI_FAST_PLAIN = 2,      // each value is whole in its row and has no flags or ticks to update
    MICAI_FAST_UNOBSERVED = 4, // no observer is notified
    MICAI_FAST_UNMATCHED = 8,  // no observer of a query is notified
    MICAI_FAST_ALL = 15
};

struct micai_table {
    // identity
    uint32_t id;
    uint32_t word_count;
    uint64_t *words; // the archetype: all types; column words and ranks follow, see below
    uint64_t hash;
    bool facet; // rows are facets: the archetype contains the hidden type
    bool dying; // about to be reclaimed
    bool idle;  // empty and without reserved capacity since the last tidying
    // state
    uint8_t fast_paths;        // for rows that are added and removed as a whole
    uint16_t disabled_columns; // number of columns with disabled values: toggle.h
    uint32_t count;            // rows
    uint32_t capacity;         // rows that fit
    uint32_t promised;         // rows that capacity is reserved for
    uint32_t next;             // position of the next row; 0 if the table is full
    uint32_t end;              // end of the space in its sheet
    micai_sheet *tail;         // sheet of the next row; NULL if the table is full
    micai_layout layout;
    MICAI_ARRAY(micai_sheet *) sheets;
    micai_sheet *only;  // the list of sheets while it has one place; NULL otherwise
    micai_index *index; // from slots to rows; NULL: an archetype's table, records lead here
};

// Sets the tail to a sheet with free space. The row count gives the next row in it.
static inline void micai_table_set_tail(micai_table *table, micai_sheet *tail)
{
    uint32_t first = micai_sheet_where(tail, 0);
    table->tail = tail;
    table->next = first | (table->count & (MICAI_ROWS - 1));
    table->end = first + tail->capacity;
}

// Finds the tail again. Needed after every change except one row more or less.
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

// Change the row count: to any number, by one more, by one less.
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
    // The table was full, or the row was the first of a sheet.
    if ((table->next-- & (MICAI_ROWS - 1)) == 0) {
        micai_table_set_tail(table, table->sheets.items[table->count >> MICAI_ROW_SHIFT]);
    }
}

// Bitset of the types that have columns, as many words as the archetype. The ranks follow: for each
// word, the number of bits in the words below it.
static inline uint64_t *micai_table_column_words(const micai_table *table)
{
    return table->words + table->word_count;
}

static inline uint16_t *micai_table_ranks(const micai_table *table)
{
    return (uint16_t *)(void *)(micai_table_column_words(table) + table->word_count);
}

// Returns the column of a type: 1 plus the number of types with columns below it. Returns 0 if the
// table has none for it.
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

// Reserves `extra` more places in the table's list of sheets, and reports a failure.
// micai_table_free_list() releases the empty list.
bool micai_table_reserve_list(micai_host *host, micai_table *table, uint32_t extra);
void micai_table_free_list(micai_host *host, micai_table *table);

static inline const micai_kind *micai_table_kind(const micai_table *table, uint32_t column)
{
    return micai_column_kind(&table->layout.columns[column]);
}

// Returns the address of a value, or NULL if it is not stored whole.
static inline void *micai_table_at(micai_cell cell)
{
    const micai_kind *kind = micai_table_kind(cell.table, cell.column);
    return kind->at ? kind->at(cell) : kind->read(cell).data;
}

static inline micai_sheet *micai_table_sheet(const micai_table *table, uint32_t row)
{
    return table->sheets.items[row >> MICAI_ROW_SHIFT];
}

// How a value is written to a raw row of a table that admits MICAI_FAST_BYTES.
typedef struct micai_fill {
    uint16_t strip;   // first strip; 0 if the column's kind must create the value
    uint16_t flags;   // strip of its flag; 0 if it has none
    uint16_t ticks;   // first of its two strips of ticks; 0 if it has none
    uint16_t strips;  // number of field strips from `strip` on; 0 if the value is whole
    uint16_t outside; // column whose ring holds it; 0 if it is in strips
    uint32_t size;    // size of the value in bytes
} micai_fill;

// Returns true if writing the value takes only one copy.
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

// Returns the cells of a strip from a row on, and how many are adjacent up to the end of its sheet at
// most. Also for values outside.
micai_span micai_strip_span(const micai_table *table, uint32_t strip, uint32_t row);

// Returns the entity of a row.
static inline mica_entity micai_table_entity(const micai_table *table, uint32_t row)
{
    return micai_sheet_ids(micai_table_sheet(table, row))[row & (MICAI_ROWS - 1)];
}

// Returns the tick of the last write to a column in the rows around `row`. `end_out` receives the
// first row after those.
uint64_t micai_table_tick(const micai_table *table, uint32_t column, uint32_t row,
                          uint32_t *end_out);

// Returns true if rows are only bytes and relocate_always is off.
static inline bool micai_table_is_bytes(const micai_table *table)
{
    return (table->fast_paths & MICAI_FAST_BYTES) != 0;
}

// micai_table_update_fast_paths() recomputes the bits after one of their inputs has changed. The
// caller updates transitions.
void micai_table_update_fast_paths(const micai_store *store, micai_table *table);
uint8_t micai_table_find_fast_paths(const micai_store *store, const micai_table *table);

// Returns how many of the free rows are reserved.
static inline uint32_t micai_table_kept(const micai_table *table)
{
    return table->promised > table->count ? table->promised - table->count : 0;
}

// Reserves capacity for `extra` more rows. Fails with MICA_ERROR_MEMORY or MICA_ERROR_LIMIT. Called
// by micai_table_reserve() if the capacity is too small.
mica_result micai_table_grow(micai_store *store, micai_table *table, uint32_t extra);

static inline bool micai_table_is_ready(const micai_table *table, uint32_t extra)
{
    return extra <= table->capacity - table->count;
}

static inline mica_result micai_table_reserve(micai_store *store, micai_table *table,
                                              uint32_t extra)
{
    return micai_table_is_ready(table, extra) ? MICA_OK : micai_table_grow(store, table, extra);
}

// Returns the capacity that the table would have afterwards.
uint32_t micai_table_plan_capacity(const micai_table *table, uint32_t extra);

// Reserves capacity but nothing ahead, except to fill the last sheet.
mica_result micai_table_reserve_exact(micai_store *store, micai_table *table, uint32_t extra);

// Reserves memory of kinds outside the strips, for `rows` rows in total.
mica_result micai_table_reserve_outside(micai_store *store, micai_table *table, uint32_t rows);

// Destruct the values of `count` rows from `row` on; of all rows, which are then removed.
void micai_table_destruct_values(micai_store *store, micai_table *table, uint32_t row,
                                 uint32_t count);
void micai_table_clear(micai_store *store, micai_table *table);

// micai_table_count_adjacent() returns how many sheets from `index` on are adjacent.
// micai_table_update_adjacent() recomputes it for all sheets after pages of sheets `first` to `end`
// have changed.
uint32_t micai_table_count_adjacent(const micai_table *table, uint32_t index);
void micai_table_update_adjacent(micai_table *table, uint32_t first, uint32_t end);

// Frees all sheets except the first `count`. The freed sheets have no rows.
void micai_table_drop_sheets(micai_store *store, micai_table *table, uint32_t count);

// Free sheets without rows, reserved or not. micai_table_trim() also frees lists and other spare
// memory.
void micai_table_drop_unused(micai_store *store, micai_table *table);
void micai_table_trim(micai_store *store, micai_table *table);

// Shrinks the last sheet to its rows. On MICA_ERROR_MEMORY it stays unchanged.
mica_result micai_table_shrink(micai_store *store, micai_table *table);

// The first requires a valid archetype, the second a valid layout. The third requires that the
// others found no error.
mica_result micai_table_validate(micai_store *store, const micai_table *table);
mica_result micai_table_validate_sheets(micai_store *store, const micai_table *table);
mica_result micai_table_validate_ticks(micai_store *store, const micai_table *table, uint64_t now);

#endif
