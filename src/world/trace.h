// Telling whoever traces the world what begins and ends.
//
// Room:    world. Called by system/ (steps, phases, systems) and command/ (carrying out). It hangs into the core
//          as rooms above the world do, and is reached by pointers alone, so that a program that does not trace
//          links nothing of it.
//
// Invariants, swept by the room's validate:
//   W9  what is told, and where a trace is written to, is as it was asked for. No more waits to be written than
//       there is room for.
#ifndef MICAI_WORLD_TRACE_H
#define MICAI_WORLD_TRACE_H

#include <mica/trace.h>

#include "world/world.h"

typedef struct micai_tracing {
    // From here to the check as it was begun.
    mica_trace_fn *function;
    void *user;
    bool (*write)(void *user, const void *data,
                  size_t size); // of a trace that is being written; NULL: none is
    void *write_user;
    uint64_t start_ns;
    uint64_t check;

    uint64_t used;   // of the text, which waits to be written
    uint64_t failed; // 1: something could not be written; or 0
    char text[4096];
} micai_tracing;

static inline bool micai_trace_is_on(const mica_world *world)
{
    return world->core->rooms[MICAI_ROOM_TRACE].state != NULL;
}

// When it began; 0: nobody traces.
static inline uint64_t micai_trace_begin(mica_world *world, mica_trace_kind kind, const char *name)
{
    const micai_room *room = &world->core->rooms[MICAI_ROOM_TRACE];
    if (!room->state) {
        return 0;
    }
    mica_trace_point point = {.kind = kind, .name = name};
    return room->trace(world, room->state, &point);
}

// The end of what began then. The last two are for the point.
static inline void micai_trace_end(mica_world *world, mica_trace_kind kind, const char *name,
                                   uint64_t began_ns, uint64_t rows, uint64_t segments)
{
    const micai_room *room = &world->core->rooms[MICAI_ROOM_TRACE];
    if (began_ns > 0 && room->state) {
        mica_trace_point point = {.kind = kind,
                                  .ended = true,
                                  .name = name,
                                  .began_ns = began_ns,
                                  .rows = rows,
                                  .segments = segments};
        (void)room->trace(world, room->state, &point);
    }
}

#endif
