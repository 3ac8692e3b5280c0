// Tracing and profiling: a callback when steps, phases, systems and command buffers begin and end,
// and a file for a trace viewer.
//
//   mica_trace_begin(world, &(mica_stream){.path = "frame.json"}, NULL);
//   for (int frame = 0; frame < 60; frame++) { mica_step(world, 1.0 / 60); }
//   mica_trace_end(world);
//
// The file is JSON in the trace event format, for chrome://tracing and ui.perfetto.dev. It shows
// begin, duration and nesting. Systems can add spans of their own:
//
//   mica_trace_span span = mica_trace_span_begin(it->world, "broad phase");
//   ...
//   mica_trace_span_end(&span);
//
// Without a trace, the cost is one test per phase, and one when commands are applied; none per
// system, segment or row. With a trace, each begin and each end costs a clock read and a call.
#ifndef MICA_TRACE_H
#define MICA_TRACE_H

#include <mica/stream.h>
#include <mica/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mica_trace_kind {
    MICA_TRACE_STEP,  // mica_step(), mica_phases_run(), mica_systems_run() [trace.step]
    MICA_TRACE_PHASE, // one run of a phase
    // One run of a system, also if `when` returns false. [trace.system] If the system is parallel or
    // concurrent (mica/thread.h), one batch. Batches are reported after their wave, in their order,
    // and only their end. [trace.batch]
    MICA_TRACE_SYSTEM,
    MICA_TRACE_COMMANDS, // commands are applied, in a step or not [trace.commands]
    MICA_TRACE_SPAN,     // from mica_trace_span_begin() to mica_trace_span_end()
    MICA_TRACE_MARK,     // mica_trace_mark()
    MICA_TRACE_KIND_COUNT
} mica_trace_kind;

// The argument of a trace function. Valid until it returns.
typedef struct mica_trace_point {
    mica_world *world;
    void *user;
    mica_trace_kind kind;
    bool ended;        // false: a begin, or a mark
    const char *name;  // name of the phase, system, span or mark; else "step", "commands"
    uint64_t time_ns;  // now, on a monotonic clock [trace.clock]; of a batch: when it ended
    uint64_t began_ns; // at an end: the time of the begin; else now [trace.began]
    uint64_t rows;     // end of a system: its rows; of commands: how many were applied; else 0
    uint64_t segments; // end of a system: its segments; else 0
    // end of a batch of a system (mica/thread.h): its number from 1 on, and that of its worker from 0 on;
    // else 0 [trace.thread]
    uint32_t batch;
    uint32_t thread;
} mica_trace_point;

// A trace function may read the world but not change it (MICA_ERROR_HANDLER), like an error
// handler, and must return normally. [trace.looks]
typedef void mica_trace_fn(const mica_trace_point *point);

// Sets the trace function; NULL removes it. [trace.set] Ends come in the opposite order of
// begins. [trace.order] If a step is abandoned (mica_world_end_iterations() inside a system,
// longjmp(), an exception), its end and the ends inside it are not reported. [trace.left]
//
// Fails with MICA_ERROR_ITERATING in a step and during iteration. [trace.iterating] Fails with
// MICA_ERROR_NULL, _HOOK, _HANDLER, _MEMORY, with _RECORDING on a recording world, and with
// MICA_ERROR_ARGUMENT while mica_trace_begin() writes a trace. [trace.fail]
MICA_API mica_result mica_trace_set(mica_world *world, mica_trace_fn *function, void *user);

// Spans and marks of the program. A span is a period of time, a mark a moment. [span.begin] The
// name must be valid until the end of the span. The trace contains up to MICA_NAME_SIZE_MAX bytes
// of the name. [span.name] End spans on the thread of the world, inner ones first, before the world
// is freed. A span that was never begun, {0}, or that began without a trace or with another one,
// ends without an error. [span.end]
//
// Without a trace, this costs one call and one branch. [span.cost] Fails with MICA_ERROR_NULL,
// _HOOK, _HANDLER, _RECORDING. [span.fail]
typedef struct mica_trace_span {
    // private
    mica_world *world;
    const char *name;
    uint64_t began_ns;
} mica_trace_span;

MICA_API mica_trace_span mica_trace_span_begin(mica_world *world, const char *name);
MICA_API mica_result mica_trace_span_end(mica_trace_span *span);
MICA_API mica_result mica_trace_mark(mica_world *world, const char *name);

// How to write a trace. Zero is the default of every field.
typedef struct mica_trace_desc {
    uint32_t first_zero; // must be 0

    const char *name; // the name of the world in the trace; NULL: "mica"

    uint32_t last_zero; // must be 0
} mica_trace_desc;

// mica_trace_begin() begins to write a trace to a stream. The trace is an array with an object for
// each end and each mark, with times in microseconds since the begin. [trace.write] The trace is
// complete after mica_trace_end(), or when the world is freed. [trace.whole] Until then, a path or
// buffer keeps its old content; a callback gets the data in pieces of up to 64
// kilobytes. [trace.until_then] The path is copied. A buffer or callbacks must be valid until the
// end. [trace.path] After a write error, nothing more is written, and everything else continues;
// the end reports the error. [trace.refused] A NULL `desc` means all defaults. [trace.defaults]
//
// mica_trace_begin() fails with MICA_ERROR_NULL, _DESC, _HOOK, _HANDLER, _ITERATING, _RECORDING,
// _MEMORY, _NAME. It fails with _ARGUMENT if the stream cannot be written, and if the world is
// traced already. It fails with _STREAM if the file cannot be created. [trace.begin_fail]
// mica_trace_end() fails with MICA_ERROR_ARGUMENT if no trace is being written, and with _STREAM,
// or _MEMORY for a buffer, if writing failed. The trace has ended then, too. [trace.end_fail]
MICA_API mica_result mica_trace_begin(mica_world *world, const mica_stream *stream,
                                      const mica_trace_desc *desc);
MICA_API mica_result mica_trace_end(mica_world *world);

#ifdef __cplusplus
}
#endif

#endif
