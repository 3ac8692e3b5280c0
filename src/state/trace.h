// Telling whoever traces the world what begins and ends.
//
// Room:    state. Called by system/ (steps, phases, systems) and command/ (carrying out). It hangs into the state
//          as modules above the world do, and is reached by pointers alone, so that a program that does not trace
//          links nothing of it.
//
// Invariants, swept by the room's validate:
//   W9  what waits in the block of a trace that is being written fits there, and was counted.
#ifndef MICAI_STATE_TRACE_H
#define MICAI_STATE_TRACE_H

#include <mica/trace.h>

#include "base/stream.h"
#include "state/state.h"

typedef struct micai_tracing {
    mica_trace_fn *function;
    void *user;
    uint64_t start_ns;
    // Of a trace that is being written; else zero.
    mica_stream stream;  // as it was given, but for the path
    micai_output output; // to it
    size_t path_size;    // with the zero at its end; 0: there is none
    char path[];
} micai_tracing;

static inline bool micai_trace_is_on(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_TRACE].data != NULL;
}

// When it began; 0: nobody traces.
static inline uint64_t micai_trace_begin(mica_world *world, mica_trace_kind kind, const char *name)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_TRACE];
    if (!module->data) {
        return 0;
    }
    mica_trace_point point = {.kind = kind, .name = name};
    return module->trace(world, module->data, &point);
}

// The end of what began then. The last two are for the point.
static inline void micai_trace_end(mica_world *world, mica_trace_kind kind, const char *name,
                                   uint64_t began_ns, uint64_t rows, uint64_t segments)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_TRACE];
    if (began_ns > 0 && module->data) {
        mica_trace_point point = {.kind = kind,
                                  .ended = true,
                                  .name = name,
                                  .began_ns = began_ns,
                                  .rows = rows,
                                  .segments = segments};
        (void)module->trace(world, module->data, &point);
    }
}

#endif
