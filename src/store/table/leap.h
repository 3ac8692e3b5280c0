// Leaps: lists of types that led along an edge of several types last, so that the next entity of the same
// table that is given or loses the same ones, listed in the same order, needs no set of them.
//
// Room:    store/table. Called by world/ (changes of several types); found by micai_row_ready_to_leap().
//
// What was listed is kept by the edge, as its steps. A leap is found by a key, that of the list and of the
// table it leads from, and has one of a few places: remembering one asks for no memory and cannot fail.
//
// Invariants, swept by micai_leap_validate():
//   G8  the edges of leaps exist, and can be gone along as bytes. None of their types is watched. Each has
//       one leap, whose key is that of its steps, and of the way it is gone.
#ifndef MICAI_STORE_TABLE_LEAP_H
#define MICAI_STORE_TABLE_LEAP_H

#include "core/stamp.h"
#include "store/table/edge.h"

#define MICAI_LEAPS 32u      // that are remembered: a power of two
#define MICAI_LEAP_TURNS 4u  // places that each may have
#define MICAI_LEAP_TYPES 32u // that a list may have at most

typedef struct micai_leap {
    uint64_t key;     // micai_leap_key()
    micai_edge *edge; // NULL: there is none here
} micai_leap;

// The key of a list, which is that of the handles given, of how many they are, and of the handles removed; from a
// table, as rows go from there: quickly, with nothing but plain values, or lightly.
static inline uint64_t micai_leap_key(uint64_t list, const micai_table *source, micai_edge_way way)
{
    return micai_stamp_mix(micai_stamp_add(list, (uint64_t)source->id << 2 | (uint64_t)way));
}

// Where a key is looked for in turn.
static inline uint32_t micai_leap_place(uint64_t key, uint32_t turn)
{
    return ((uint32_t)(key >> 32) + turn) % MICAI_LEAPS;
}

// Remembers that a list of types, of which the first `given` come, led along an edge, if that can be a short
// cut. Cannot fail.
void micai_leap_remember(micai_store *store, micai_edge *edge, const uint64_t *bits, uint32_t count,
                         uint32_t given);

// Forgets the leap of an edge; those of all edges from and to a table, or of all (NULL).
void micai_leap_forget(micai_store *store, const micai_edge *edge);
void micai_leap_forget_table(micai_store *store, const micai_table *table);

// Of a store whose edges are in order.
mica_result micai_leap_validate(micai_store *store);

#endif
