// Restores the slots of an image, one by one, into slots that are still new.
//
// Room:    core. Called by image/ (loading).
//
//   micai_slots_init(&slots, limit);
//   micai_restore_floor(...)      first, the floors of reclaimed pages
//   micai_restore_alive(...)      then the living entities, in any order
//   micai_restore_free(...)       the free list, from its head
//   micai_restore_retired(...)
//   micai_restore_end(...)        checks the result
#ifndef MICAI_CORE_RESTORE_H
#define MICAI_CORE_RESTORE_H

#include "core/slot.h"

// Fail with MICA_ERROR_MEMORY, which is reported, or MICA_ERROR_CORRUPT, which is not. The data is
// corrupt if a slot is already in use, a handle is impossible, or a slot is beyond the limit.
mica_result micai_restore_floor(micai_host *host, micai_slots *slots, uint32_t first,
                                uint32_t count, uint32_t floor);
mica_result micai_restore_alive(micai_host *host, micai_slots *slots, mica_entity entity);
mica_result micai_restore_free(micai_host *host, micai_slots *slots, mica_entity next,
                               // last slot in the list; MICAI_SLOT_NONE before the first call
                               uint32_t *last);
mica_result micai_restore_retired(micai_host *host, micai_slots *slots, uint32_t slot);

// After the free list, new slots start at `fresh`. MICA_ERROR_CORRUPT if the slots are
// inconsistent.
mica_result micai_restore_end(micai_slots *slots, uint32_t fresh);

#endif
