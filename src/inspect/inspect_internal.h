// The checks that all functions of mica/inspect.h begin with.
//
// Room:    inspect.
#ifndef MICAI_WORLD_INSPECT_H
#define MICAI_WORLD_INSPECT_H

#include <mica/inspect.h>

#include "state/state.h"

// Zeroes `info_out` if it is not NULL, and checks that the world may be inspected. Returns false
// with a report of MICA_ERROR_NULL or MICA_ERROR_HOOK if not. `name` is the name of that parameter,
// for the report.
bool micai_inspect_begin(mica_world *world, const char *call, const char *name, void *info_out,
                         size_t size);

// Does the same for functions that fill in nothing.
static inline bool micai_inspect_enter(mica_world *world, const char *call)
{
    char nothing[1];
    return micai_inspect_begin(world, call, "", nothing, sizeof nothing);
}

mica_result micai_tracing_validate(mica_world *world, const void *data);

#endif
