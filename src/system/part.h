// Systems and phases as a part of snapshots.
//
// Room:    system. Called by time/.
#ifndef MICAI_SYSTEM_PART_H
#define MICAI_SYSTEM_PART_H

#include "state/part.h"

extern const micai_part micai_systems_part;

#endif
