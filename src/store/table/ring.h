// Rings: the values of one component of all tables in one array, a run for each table.
//
// Room:    store/table. Used by the ring kind of column (ringed.c), and by nobody else.
//
//   slots     | a0 a1 a2 | b3 b4 b0 b1 b2 | c0 c1 c2 c3 | room
//   runs        base 0     base 3           base 8
//               tip 0      tip 2            tip 0
//
// A run is cyclic: its row 0 stands `tip` slots behind its base, and rows that reach its end go on at
// its base. So a run gives way to its neighbours by few moves, however long it is: to roll one to the
// right by k, its first k values go behind its end, and all others stay where they are.
//
// Runs get another length in batches: the ring is *settled*. What shrinks gives up its last rows, and
// runs close up to the left, from left to right; what grows makes room, from right to left. Each run
// is rolled once, by as much as all changes in front of it come to:
//
//   to roll a run by k           min(k, length) moves
//   its own growth or shrinking  at most min(tip, length - tip) more, of the larger of both lengths
//
// Invariants, swept by micai_ring_validate() and cited by tests:
//   R1  runs stand in the order of their tables, each behind the one before, the last within the array.
//   R2  a tip is below the length of its run, or both are 0.
//   R3  the array has `capacity` slots; there is none if that is 0.
#ifndef MICAI_STORE_TABLE_RING_H
#define MICAI_STORE_TABLE_RING_H

#include "base/array.h"
#include "core/hook.h"

typedef struct micai_run {
    uint32_t base;   // its first slot
    uint32_t length; // slots
    uint32_t tip;    // of them, in front of that of row 0
} micai_run;

typedef struct micai_ring {
    const micai_type *type;
    unsigned char *values;
    uint32_t capacity; // slots
    bool unsettled;    // rows have come or gone since it was settled last
    uint64_t moves;    // values that were moved within the array, ever
    uint64_t tick;     // of the last write to all of it
    MICAI_ARRAY(micai_run *) runs;
} micai_ring;

// What a run is to become, when its ring is settled.
typedef struct micai_ring_batch {
    uint32_t (*goal)(const micai_run *run); // its length
    // It has that length. Its rows from `first` on are raw, and to be filled.
    void (*fill)(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t first);
} micai_ring_batch;

// The slot of a row below the length of a run, and how many rows from it on lie side by side.
static inline uint32_t micai_run_slot(const micai_run *run, uint32_t row)
{
    uint32_t before = run->length - run->tip; // rows that stand behind the tip
    return run->base + (row < before ? run->tip + row : row - before);
}

static inline uint32_t micai_run_reach(const micai_run *run, uint32_t row)
{
    uint32_t before = run->length - run->tip;
    return row < before ? before - row : run->length - row;
}

static inline void *micai_ring_at(const micai_ring *ring, uint32_t slot)
{
    return ring->values + (size_t)slot * ring->type->info.size;
}

// Moves a run by so many slots, where nobody else's are in the way.
void micai_ring_roll_left(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t slots);
void micai_ring_roll_right(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t slots);

// Gives a run fewer slots: its last rows, without values, go. Or more of them, those behind it: its new
// rows are raw. The slots that it gives up may be on either side.
void micai_ring_shrink(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t length);
void micai_ring_grow(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t length);

// How many slots all runs are to have.
uint64_t micai_ring_total(const micai_ring *ring, const micai_ring_batch *batch);

// Settles a ring whose array is large enough; or puts another one, which is, in the place of its own,
// every run straight. The old one is then the caller's, without values. Cannot fail.
void micai_ring_settle(micai_gate *gate, micai_ring *ring, const micai_ring_batch *batch);
void micai_ring_refit(micai_gate *gate, micai_ring *ring, const micai_ring_batch *batch,
                      unsigned char *values, uint32_t capacity);

// Memory for values of a ring: NULL if there are to be none, or, without a word, if it is refused.
size_t micai_ring_align(const micai_type *type);
unsigned char *micai_ring_alloc(micai_host *host, const micai_type *type, uint32_t capacity);
void micai_ring_release(micai_host *host, const micai_type *type, unsigned char *values,
                        uint32_t capacity);

// Room for how many values to ask for, if `total` are needed: half as much again as there was.
uint32_t micai_ring_room(const micai_ring *ring, uint64_t total);

// Of a ring of a type that is in order.
mica_result micai_ring_validate(micai_host *host, const micai_ring *ring);

#endif
