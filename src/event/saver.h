// The events of types that are saved, for images.
//
// Room:    event. Called by image/.
#ifndef MICAI_EVENT_SAVER_H
#define MICAI_EVENT_SAVER_H

#include "core/archive.h"
#include "state/state.h"

extern const micai_saver micai_queue_saver;

// Are there events of the type of a number?
bool micai_queue_has_events(const micai_state *state, uint32_t number);

// Takes back the queues, which are empty, of types from a number on: there are no such types any more.
void micai_queues_take_back(micai_state *state, uint32_t types);

#endif
