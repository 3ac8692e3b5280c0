// Finding the group of a handle for the public calls.
//
// Room:    entity. Called by inspect/.
#ifndef MICAI_ENTITY_GROUP_H
#define MICAI_ENTITY_GROUP_H

#include "state/state.h"
#include "store/pool/group.h"

// Returns NULL, reported, if the handle is null, freed or of another world.
micai_group *micai_group_find(mica_world *world, const char *call, mica_group group);

#endif
