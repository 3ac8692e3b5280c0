// The directory of the mirror: entries of tables and pools, and their blocks.
//
// Room:    time. Called by scan.c, which fills the mirror from its world, and by twin.c, which fills it from
//          another mirror.
#ifndef MICAI_TIME_ENTRIES_INTERNAL_H
#define MICAI_TIME_ENTRIES_INTERNAL_H

#include "time/history_internal.h"

// All return NULL or false on MICA_ERROR_MEMORY. What they have added then stays, and is empty.

// Return the entry of a table of the store; of a pool, or the list of a group. A new one is that of an
// empty table.
micai_entry *micai_mirror_table(micai_host *host, micai_history *history, micai_table *table);
micai_entry *micai_mirror_pool(micai_host *host, micai_history *history, micai_pool *pool);

// Returns the block of a page of slots. A new one has virgin records of the first floor, as all older
// states had.
micai_time_block *micai_mirror_slots(micai_host *host, micai_history *history, uint32_t page);

// Ensures that a sheet of an entry has its blocks, for so many rows.
bool micai_mirror_sheet(micai_host *host, micai_history *history, micai_entry *entry,
                        uint32_t index, uint32_t capacity);

// Ensures the size of a block.
bool micai_mirror_grow(micai_host *host, micai_history *history, micai_time_block *block,
                       size_t size);

#endif
