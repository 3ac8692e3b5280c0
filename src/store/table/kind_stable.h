// The stable kind: values that stay where they are until they are destroyed, in blocks beside the sheets. Flags,
// ticks and ids are in the sheets, and move with them.
//
// Room:    store/table. Values are handled as those of pages are (kind_paged.c); here is where they lie.
//
// Invariants, swept by its validate():
//   P17 there are blocks for all rows that the table has capacity for.
#ifndef MICAI_STORE_TABLE_KIND_STABLE_H
#define MICAI_STORE_TABLE_KIND_STABLE_H

#include "store/table/kind.h"

#define MICAI_BLOCK_BYTES (UINT32_C(1) << 16) // most that a block of several values has

// Rows per block, as a power of two: as many as fit, and no more than a sheet has.
uint32_t micai_stable_shift(uint32_t size);

// The value of a row; how many of `count` lie side by side from there on.
void *micai_stable_at(micai_cell cell);
uint32_t micai_stable_rows(micai_cell cell, uint32_t count);

#endif
