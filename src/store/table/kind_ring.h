// The ring kind: the values of a component of all tables in one ring (ring.h), plus values that are
// not in the ring yet.
//
// Room:    store/table. Called by the store and by tables, as a kind and to compact rings; by
//          query/ (sweeps); by image/.
//
// A table has a *slice* of the ring of each such type: a run, and overflow.
//
//     rows        0 .. length-1      in the run: slot base + (tip + row) mod length
//                 length ..          in overflow, a block of the table's own
//
// A run keeps its length until the ring is compacted, whatever the table's row count is meanwhile.
// Rows that are appended when the run is full go to overflow. Removed rows leave a hole at the end
// of the run, which the next rows fill. So adding or removing a row moves no values of other
// tables.
//
// Compacting gives each run the length of its table and empties overflow. No pointer into the ring
// may be in use then. So it runs only while no iteration is open. That is at the end of calls that
// change many entities, at the beginning of a step, and on request. If memory is short, the ring
// stays as it is and works as before.
//
// Invariants, checked by the kind's validate() and micai_rings_validate():
//   R4  A table with capacity has a slice of the ring of each of its ring types. Its run is in the
//       ring's list, in the order of table creation. Every ring has a run. A slice refers to its
//       table and column.
//   R5  Run and overflow together have space for the table's capacity.
//   R6  A ring that is not `fragmented` has the rows of all tables adjacent, and nothing else.
//   R7  No ring has a tick later than now.
//   R8  A value pointer of a sheet with rows points at its values or is NULL. It is NULL if they
//       are not adjacent: the run wraps around there, or some are in overflow.
#ifndef MICAI_STORE_TABLE_KIND_RING_H
#define MICAI_STORE_TABLE_KIND_RING_H

#include "store/table/ring.h"
#include "store/table/sheet.h"

// Memory for values.
typedef struct micai_overflow {
    unsigned char *values;
    uint32_t capacity;
} micai_overflow;

struct micai_ring_slice {
    micai_run run;   // the first member: a ring lists runs, and a run is cast to its slice
    uint32_t column; // in the table
    micai_ring *ring;
    micai_table *table;
    micai_overflow overflow;
    micai_overflow old; // the block before the last reserve(); without values
};

// Returns the value of a row, which has `size` bytes.
static inline unsigned char *micai_ring_slice_at(const micai_ring_slice *slice, uint32_t row,
                                                 uint32_t size)
{
    uint32_t length = slice->run.length;
    return row < length ? slice->ring->values + (size_t)micai_run_slot(&slice->run, row) * size
                        : slice->overflow.values + (size_t)(row - length) * size;
}

// Calls ring->update_pointer(). Not inline, because that costs the callers registers.
//
// Updates the value pointer when a row is appended that is the first of its sheet, which gets a
// pointer. Also for the first row in overflow of a sheet with other rows in the run, which loses
// its pointer.
void micai_ring_slice_update_pointer(micai_store *store, const micai_ring_slice *slice,
                                     uint32_t row);

// Prepares for a value in the row after the last.
static inline void micai_ring_slice_add_row(micai_store *store, micai_ring_slice *slice,
                                            uint32_t row)
{
    slice->ring->fragmented = true;
    if ((row & (MICAI_ROWS - 1)) == 0 || row == slice->run.length) {
        micai_ring_slice_update_pointer(store, slice, row);
    }
}

typedef struct micai_rings {
    MICAI_ARRAY(micai_ring *) list; // in the order in which the types were first used
    uint64_t moves;                 // moves in rings that were freed
} micai_rings;

// Compacts rings after up to `rows` rows were added or removed. Rings with more runs than that
// wait, because compacting them costs more. UINT32_MAX compacts all. Returns MICA_ERROR_MEMORY
// without reporting it if some stay fragmented.
mica_result micai_rings_compact(micai_store *store, uint32_t rows);

// Compacts all rings and frees memory beyond the capacity of their tables. Fails with
// MICA_ERROR_MEMORY, reported.
mica_result micai_rings_reclaim(micai_store *store);

// Sorts the runs of all rings after tables got other ids.
void micai_rings_sort(micai_store *store);

// Updates the value pointers of a table's ring columns after its count was set.
void micai_rings_update_pointers(micai_store *store, micai_table *table);

// Refitting, for snapshots: gives a ring another capacity, and each run another place and length. All
// values are then raw. The caller lists the runs that stay; others must be gone when it commits.
// reserve() allocates memory; it fails with MICA_ERROR_MEMORY, and leaves the plan to cancel().
typedef struct micai_ring_place {
    micai_ring_slice *slice;
    micai_run run;
    micai_overflow overflow;
} micai_ring_place;

typedef struct micai_ring_plan {
    const micai_type *type;
    unsigned char *values;
    uint32_t capacity;
    MICAI_ARRAY(micai_ring_place) places;
} micai_ring_plan;

mica_result micai_ring_plan_reserve(micai_store *store, micai_ring_plan *plan);
void micai_ring_plan_commit(micai_store *store, micai_ring_plan *plan);
void micai_ring_plan_cancel(micai_store *store, micai_ring_plan *plan);

// Returns the slice of a table's column, and creates it if needed. Returns NULL on MICA_ERROR_MEMORY.
micai_ring_slice *micai_ring_slice_open(micai_store *store, micai_table *table, uint32_t column);

// Returns the ring of a type, or NULL.
static inline micai_ring *micai_rings_find(const micai_rings *rings, const micai_type *type)
{
    for (uint32_t i = 0; i < rings->list.count; i++) {
        if (rings->list.items[i]->type == type) {
            return rings->list.items[i];
        }
    }
    return NULL;
}

// Returns the values of all rows of all tables that have a ring type, if they are adjacent.
// Otherwise `data` is NULL. `tick` is the tick to write with, or 0 to read.
static inline micai_span micai_rings_sweep(const micai_rings *rings, const micai_type *type,
                                           uint64_t tick)
{
    micai_ring *ring = micai_rings_find(rings, type);
    if (!ring || ring->fragmented) {
        return (micai_span){0};
    }
    ring->tick = tick > 0 ? tick : ring->tick;
    const micai_run *last = ring->runs.items[ring->runs.count - 1]; // R4: it has a run
    return (micai_span){ring->values, last->base + last->length};
}

// micai_rings_size() returns the memory of a type's ring, including overflow. micai_rings_moves()
// returns how many values were moved within rings.
size_t micai_rings_size(const micai_store *store, const micai_type *type);
uint64_t micai_rings_moves(const micai_store *store);

// Both require valid tables. The second requires that the first found no error.
mica_result micai_rings_validate(micai_store *store);
mica_result micai_rings_validate_ticks(micai_store *store, uint64_t now);

#endif
