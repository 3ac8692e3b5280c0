// The ring kind of column: the values of a component of all tables in one ring (ring.h), and what is
// not in there yet.
//
// Room:    store/table. Called by the store and by tables, as a kind and to be settled; by query/
//          (sweeps); by world/, to settle.
//
// A table has a *share* of the ring of each such type: a run, and overflow.
//
//   rows        0 .. length-1      in the run: slot base + (tip + row) mod length
//               length ..          in overflow, a block of the table's own
//
// A run has the length that it was settled with, whatever the table's count is by now. Rows that come
// when it is full go to overflow; if rows went, there is a hole at its end, which the next ones fill.
// So a row comes and goes without touching anybody else's. When the ring is settled each run gets the
// length of its table, and overflow is empty: nothing may point into it then, so that is done when no
// one iterates: at the end of calls that change many, at the beginning of a step, on request. Lack of
// memory leaves it as it is, and everything works on.
//
// Invariants, swept by the kind's validate() and micai_rings_validate():
//   R4  a table that has room has a share of the ring of each type that is kept in one, and its run
//       is in the ring's list: by creation of tables. There is no ring without a run. A share knows its
//       table, and which of its columns it is.
//   R5  run and overflow have room for all rows that the table has room for.
//   R6  a ring that is not `unsettled` has the rows of all tables side by side, and nothing else.
//   R7  no ring was written later than now.
//   R8  a spot of a sheet that has rows leads to its values, or nowhere: so it must be where they do not
//       lie side by side, because the run is closed to a ring there, or some of them are in overflow.
#ifndef MICAI_STORE_TABLE_RINGED_H
#define MICAI_STORE_TABLE_RINGED_H

#include "store/table/ring.h"
#include "store/table/sheet.h"

// Memory for values.
typedef struct micai_overflow {
    unsigned char *values;
    uint32_t capacity;
} micai_overflow;

typedef struct micai_share {
    micai_run run;   // the first member: a run in the list of a ring is its share
    uint32_t column; // of the table
    micai_ring *ring;
    micai_table *table;
    micai_overflow overflow;
    micai_overflow old; // where that was before room was made last; without values
} micai_share;

// Where the value of a row is, of this size.
static inline unsigned char *micai_share_at(const micai_share *share, uint32_t row, uint32_t size)
{
    uint32_t length = share->run.length;
    return row < length ? share->ring->values + (size_t)micai_run_slot(&share->run, row) * size
                        : share->overflow.values + (size_t)(row - length) * size;
}

// A row comes that is the first of its sheet, which has a spot then; or the first in overflow of a sheet
// that has others in the run, and so no spot any more.
void micai_share_turn(micai_store *store, const micai_share *share, uint32_t row);

// The value of a row behind the last comes.
static inline void micai_share_enter(micai_store *store, micai_share *share, uint32_t row)
{
    share->ring->unsettled = true;
    if ((row & (MICAI_ROWS - 1)) == 0 || row == share->run.length) {
        micai_share_turn(store, share, row);
    }
}

typedef struct micai_rings {
    MICAI_ARRAY(micai_ring *) list; // in the order in which types came to be used
    uint64_t moves;                 // within those that are gone
} micai_rings;

// Gives back what is left when all tables are gone.
void micai_rings_free(micai_store *store);

// Settles rings, where up to `rows` rows have come or gone: those with more runs than that wait until it
// is worth it. UINT32_MAX: all of them. MICA_ERROR_MEMORY, unreported: some are not settled.
mica_result micai_rings_settle(micai_store *store, uint32_t rows);

// Settles all of them, and gives back what they do not need for the rows there are and those tables
// have room for. MICA_ERROR_MEMORY, reported.
mica_result micai_rings_reclaim(micai_store *store);

// The ring of a type; NULL: there is none.
static inline micai_ring *micai_rings_find(const micai_rings *rings, const micai_type *type)
{
    for (uint32_t i = 0; i < rings->list.count; i++) {
        if (rings->list.items[i]->type == type) {
            return rings->list.items[i];
        }
    }
    return NULL;
}

// The values of all rows of all tables that have a type which is kept in a ring, if they lie side by
// side; no data, if they do not, or if there are none. They are to be written, at a tick, or read (0).
static inline micai_span micai_rings_sweep(const micai_rings *rings, const micai_type *type,
                                           uint64_t tick)
{
    micai_ring *ring = micai_rings_find(rings, type);
    if (!ring || ring->unsettled) {
        return (micai_span){0};
    }
    ring->tick = tick > 0 ? tick : ring->tick;
    const micai_run *last = ring->runs.items[ring->runs.count - 1]; // R4: there is one
    return (micai_span){ring->values, last->base + last->length};
}

// Of a type: how much memory its ring has, beside what tables have ready; and what there is to say.
size_t micai_rings_size(const micai_store *store, const micai_type *type);
uint64_t micai_rings_moves(const micai_store *store);

// Of a store whose tables are in order; the second, if the first finds nothing.
mica_result micai_rings_validate(micai_store *store);
mica_result micai_rings_validate_ticks(micai_store *store, uint64_t now);

#endif
