// Slots as they were: those of an image are filled in again, one by one, in slots that are new.
//
// Room:    core. Called by image/ (loading).
//
//   micai_slots_init(&slots, limit);
//   micai_restore_floor(...)      first, the floors of what was given back
//   micai_restore_alive(...)      then everybody, in whatever order
//   micai_restore_free(...)       the free list, from its head on
//   micai_restore_retired(...)
//   micai_restore_end(...)        are they slots that can be?
#ifndef MICAI_CORE_RESTORE_H
#define MICAI_CORE_RESTORE_H

#include "core/slot.h"

// MICA_OK; MICA_ERROR_MEMORY, reported; or MICA_ERROR_CORRUPT, unreported, of what cannot be: a slot that
// is in use already, a handle that is none, a slot beyond the limit.
mica_result micai_restore_floor(micai_host *host, micai_slots *slots, uint32_t first,
                                uint32_t count, uint32_t floor);
mica_result micai_restore_alive(micai_host *host, micai_slots *slots, mica_entity entity);
mica_result micai_restore_free(micai_host *host, micai_slots *slots, mica_entity next,
                               uint32_t *last); // of the list; MICAI_SLOT_NONE at first
mica_result micai_restore_retired(micai_host *host, micai_slots *slots, uint32_t slot);

// Slots from `fresh` on are to be given out next, after the free list.
mica_result micai_restore_end(micai_slots *slots, uint32_t fresh);

#endif
