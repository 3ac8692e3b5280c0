// The events of all types as a part of snapshots.
//
// Room:    event. Called by time/.
#ifndef MICAI_EVENT_PART_H
#define MICAI_EVENT_PART_H

#include "state/part.h"

extern const micai_part micai_events_part;

#endif
