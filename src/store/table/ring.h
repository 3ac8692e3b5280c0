// Rings: the values of one component of all tables in one array, one run per table.
//
// Room:    store/table. Called by the ring kind (kind_ring.c) only.
//
//     slots     | a0 a1 a2 | b3 b4 b0 b1 b2 | c0 c1 c2 c3 | free
//     runs        base 0     base 3           base 8
//                 tip 0      tip 2            tip 0
//
// A run is cyclic: row 0 is `tip` slots after its base, and the rows after its last slot continue
// at its base. So a run shifts by few moves, however long it is. To roll a run right by k slots,
// its first k values move behind its end. All others stay.
//
// Runs change length in batches: the ring is *compacted*. From left to right, shrinking runs drop
// their last rows and runs close up to the left. From right to left, runs make space for those that
// grow. Each run is rolled once, by the sum of all changes before it:
//
//     to roll a run by k           min(k, length) moves
//     its own growth or shrinking  at most min(tip, length - tip) more, with the larger length
//
// Invariants, checked by micai_ring_validate() and cited by tests:
//   R1  Runs are in the order of their tables and do not overlap. The last ends within the array.
//   R2  A tip is less than the length of its run, or both are 0.
//   R3  The array has `capacity` slots. It is NULL if `capacity` is 0.
#ifndef MICAI_STORE_TABLE_RING_H
#define MICAI_STORE_TABLE_RING_H

#include "base/array.h"
#include "core/hook.h"

typedef struct micai_store micai_store;
typedef struct micai_ring_slice micai_ring_slice;

typedef struct micai_run {
    uint32_t base;   // first slot
    uint32_t length; // number of slots
    uint32_t tip;    // number of slots before row 0
} micai_run;

typedef struct micai_ring {
    const micai_type *type;
    unsigned char *values;
    uint32_t capacity; // in slots
    bool fragmented;   // rows have been added or removed since the ring was compacted
    uint64_t moves;    // values moved within the array, in total
    uint64_t tick;     // tick of the last write to all values
    MICAI_ARRAY(micai_run *) runs;
    // What stores and rows of bytes call. Only programs with rings link it: kind_ring.h.
    mica_result (*compact)(micai_store *store, uint32_t rows);
    void (*update_pointer)(micai_store *store, const micai_ring_slice *slice, uint32_t row);
} micai_ring;

// Describes the new lengths of runs when a ring is compacted.
typedef struct micai_ring_batch {
    uint32_t (*goal)(const micai_run *run); // returns the new length of a run
    // Called when the run has its new length. Fills its rows from `first` on, which are raw.
    void (*fill)(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t first);
} micai_ring_batch;

// Return the slot of a row below the length of a run, and how many rows from it on are adjacent.
static inline uint32_t micai_run_slot(const micai_run *run, uint32_t row)
{
    uint32_t before = run->length - run->tip; // rows from the tip to the end of the run
    return run->base + (row < before ? run->tip + row : row - before);
}

static inline uint32_t micai_run_adjacent(const micai_run *run, uint32_t row)
{
    uint32_t before = run->length - run->tip;
    return row < before ? before - row : run->length - row;
}

static inline void *micai_ring_at(const micai_ring *ring, uint32_t slot)
{
    return ring->values + (size_t)slot * ring->type->info.size;
}

// Roll a run by `slots` slots. No other run may be in the way.
void micai_ring_roll_left(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t slots);
void micai_ring_roll_right(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t slots);

// Change the length of a run. Shrinking drops its last rows, whose values must be raw. Growing
// takes slots after the run, and the new rows are raw. Shrinking can free slots at either end.
void micai_ring_shrink(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t length);
void micai_ring_grow(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t length);

// Returns the total of the new lengths of all runs.
uint64_t micai_ring_total(const micai_ring *ring, const micai_ring_batch *batch);

// micai_ring_compact() works in place, if the array is large enough. micai_ring_refit() moves all
// values to a larger array, where every tip is 0. The caller owns the old array, without values.
// Both cannot fail.
void micai_ring_compact(micai_gate *gate, micai_ring *ring, const micai_ring_batch *batch);
void micai_ring_refit(micai_gate *gate, micai_ring *ring, const micai_ring_batch *batch,
                      unsigned char *values, uint32_t capacity);

// Memory for the values of a ring. micai_ring_alloc() returns NULL if `capacity` is 0, or if the
// allocation fails, which it does not report.
size_t micai_ring_align(const micai_type *type);
unsigned char *micai_ring_alloc(micai_host *host, const micai_type *type, uint32_t capacity);
void micai_ring_release(micai_host *host, const micai_type *type, unsigned char *values,
                        uint32_t capacity);

// Returns the capacity to allocate if `total` values are needed: at least half more than before.
uint32_t micai_ring_grown_capacity(const micai_ring *ring, uint64_t total);

// Requires that the ring's type is valid.
mica_result micai_ring_validate(micai_host *host, const micai_ring *ring);

#endif
