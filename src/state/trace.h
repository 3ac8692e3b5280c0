// Calls the trace function of a world at the beginning and the end of steps, phases, systems and
// replays.
//
// Room:    state. Called by system/ (steps, phases, systems) and command/ (replay). The tracing is attached
//          to the state like a module of a higher room and called through pointers only. So
//          programs that do not trace do not link it.
//
// Invariants, swept by inspect/trace:
//   W9  Bytes waiting in the output block of a trace fit there and are included in its count.
#ifndef MICAI_STATE_TRACE_H
#define MICAI_STATE_TRACE_H

#include <mica/trace.h>

#include "base/stream.h"
#include "state/state.h"

typedef struct micai_tracing {
    mica_trace_fn *function;
    void *user;
    uint64_t start_ns;
    // For traces that are written to a stream; otherwise zero.
    mica_stream stream;  // the user's stream, with `path` as its path
    micai_output output; // the output to it
    size_t path_size;    // length with the terminating zero; 0: no path
    char path[];
} micai_tracing;

static inline bool micai_trace_is_on(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_TRACE].data != NULL;
}

// Returns the start time, or 0 if tracing is off.
static inline uint64_t micai_trace_begin(mica_world *world, mica_trace_kind kind, const char *name)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_TRACE];
    if (!module->data) {
        return 0;
    }
    mica_trace_point point = {.kind = kind, .name = name};
    return module->trace(world, module->data, &point);
}

// Reports the end of a span that began at `began_ns`. `rows` and `segments` become part of the
// trace point.
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
