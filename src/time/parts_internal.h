// The parts of a world: those of this room, and those of other rooms.
//
// Room:    time.
#ifndef MICAI_TIME_PARTS_INTERNAL_H
#define MICAI_TIME_PARTS_INTERNAL_H

#include "time/history_internal.h"

// Writes the size of a part in 8 bytes, then the part. Fails as blobs do.
void micai_part_write(mica_world *world, const micai_history *history, micai_part_id id,
                      micai_blob *to);

// Returns the bytes that the mirror has of a part.
micai_bytes micai_part_bytes(const micai_history *history, micai_part_id id);

// Reserve, read and cancel a part, like the functions of micai_part.
mica_result micai_part_reserve(micai_restoring *r, micai_part_id id);
void micai_part_read(micai_restoring *r, micai_part_id id);
void micai_part_cancel(micai_restoring *r, micai_part_id id);

// Returns the entry of an archetype's table, or NULL.
micai_entry *micai_history_find(const micai_history *history, const micai_table *table);

#endif
