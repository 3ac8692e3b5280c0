// The events of saved types, for images.
//
// Room:    event. Called by image/.
#ifndef MICAI_EVENT_SAVER_H
#define MICAI_EVENT_SAVER_H

#include "core/archive.h"
#include "state/state.h"

extern const micai_saver micai_queue_saver;

// Returns true if there are events of the type with this number.
bool micai_queue_has_events(const micai_state *state, uint32_t number);

// Frees the queues, which are empty, of all types from number `types` on. These types no longer
// exist.
void micai_queues_free_from(micai_state *state, uint32_t types);

#endif
