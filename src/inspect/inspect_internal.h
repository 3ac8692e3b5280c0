// What all functions that look in from outside (mica/inspect.h) begin with.
//
// Room:    world. Called by the inspect.c of this room and of those above.
#ifndef MICAI_WORLD_INSPECT_H
#define MICAI_WORLD_INSPECT_H

#include <mica/inspect.h>

#include "state/state.h"

// May the world be looked into? What is to be filled in, if it is there, is zeroed first. False, reported:
// MICA_ERROR_NULL, MICA_ERROR_HOOK.
bool micai_inspect_begin(mica_world *world, const char *call, const char *name, void *info_out,
                         size_t size);

// The same where nothing is filled in.
static inline bool micai_inspect_enter(mica_world *world, const char *call)
{
    char nothing[1];
    return micai_inspect_begin(world, call, "", nothing, sizeof nothing);
}

#endif
