// The stable kind: values never move until they are destroyed. They are in blocks beside the
// sheets. Flags, ticks and ids are in the sheets and move with them.
//
// Room:    store/table. kind_paged.c implements the operations on values. This file says where they
//          are.
//
// Invariants, checked by its validate():
//   P17 There are blocks for all rows of the table's capacity.
#ifndef MICAI_STORE_TABLE_KIND_STABLE_H
#define MICAI_STORE_TABLE_KIND_STABLE_H

#include "store/table/kind.h"

#define MICAI_BLOCK_BYTES (UINT32_C(1) << 16) // maximum size of a block with several values

// Returns log2 of the rows per block: as many as fit, at most MICAI_ROWS.
uint32_t micai_stable_shift(uint32_t size);

// Return the value of a row, and how many of `count` values from it on are adjacent.
void *micai_stable_at(micai_cell cell);
uint32_t micai_stable_rows(micai_cell cell, uint32_t count);

#endif
