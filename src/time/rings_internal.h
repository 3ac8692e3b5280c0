// Rings as a part of snapshots.
//
// Room:    time. Called by parts.c.
#ifndef MICAI_TIME_RINGS_INTERNAL_H
#define MICAI_TIME_RINGS_INTERNAL_H

#include "state/part.h"

extern const micai_part micai_rings_part;

#endif
