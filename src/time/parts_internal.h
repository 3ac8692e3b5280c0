// The parts of a world: those of this room, and those of other rooms.
//
// Room:    time.
#ifndef MICAI_TIME_PARTS_INTERNAL_H
#define MICAI_TIME_PARTS_INTERNAL_H

#include "time/history_internal.h"

// Returns true if a part of the world differs from the mirror's. `to` then has its size in 8 bytes and its
// bytes. Fails as blobs do.
bool micai_part_differs(mica_world *world, const micai_history *history, micai_part_id id,
                        micai_blob *to);

// Returns true if the revision tells that a part has not changed since micai_parts_settle().
bool micai_part_is_unchanged(const mica_world *world, const micai_history *history,
                             micai_part_id id);
void micai_parts_settle(const mica_world *world, micai_history *history);

// Returns the bytes that the mirror has of a part.
micai_bytes micai_part_bytes(const micai_history *history, micai_part_id id);

// Reserve, read and cancel a part, like the functions of micai_part.
mica_result micai_part_reserve(micai_restoring *r, micai_part_id id);
void micai_part_read(micai_restoring *r, micai_part_id id);
void micai_part_cancel(micai_restoring *r, micai_part_id id);

// Returns the entry of an archetype's table, or NULL.
micai_entry *micai_history_find(const micai_history *history, const micai_table *table);

#endif
