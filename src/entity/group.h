// The group of a handle, for the public calls.
//
// Room:    world. Called by world/ and inspect/.
#ifndef MICAI_ENTITY_GROUP_H
#define MICAI_ENTITY_GROUP_H

#include "state/state.h"
#include "store/pool/group.h"

// NULL, reported, if the handle is none, freed or of another world.
micai_group *micai_group_find(mica_world *world, const char *call, mica_group group);

#endif
