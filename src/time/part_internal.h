// Parts: the small state of a world as bytes, for snapshots.
//
// Room:    time. A part is written by the room that owns the state, through the functions of a
//          micai_part (state/part.h).
#ifndef MICAI_TIME_PART_INTERNAL_H
#define MICAI_TIME_PART_INTERNAL_H

#include "state/part.h"

typedef enum micai_part_id {
    MICAI_PART_WORLD,  // the tick, times, counters, and the numbers of slots
    MICAI_PART_TABLES, // their order
    MICAI_PART_RINGS,
    MICAI_PART_GROUPS,
    MICAI_PART_NAMES,
    MICAI_PART_FACETS,
    MICAI_PART_RELATIONS,
    MICAI_PART_RESOURCES,
    MICAI_PART_EVENTS,
    MICAI_PART_QUERIES,
    MICAI_PART_SYSTEMS,
    MICAI_PART_INCLUDED, // memory of the program
    MICAI_PART_COUNT
} micai_part_id;

#endif
