// Tracing: being told when steps, phases, systems and the carrying out of commands begin and end, and writing
// that down for a trace viewer.
//
//   mica_trace_begin(world, &(mica_stream){.path = "frame.json"}, NULL);
//   for (int frame = 0; frame < 60; frame++) { mica_step(world, 1.0 / 60); }
//   mica_trace_end(world);
//
// What is written is JSON in the trace event format, which chrome://tracing and ui.perfetto.dev open: what happened
// when, for how long, one inside the other. What is going on inside a system is for it to say:
//
//   mica_span span = mica_span_begin(it->world, "broad phase");
//   ...
//   mica_span_end(&span);
//
// While nobody traces, a step looks once per phase whether somebody does, and once when commands are carried
// out; nothing is asked per system, segment or row. While somebody does, each beginning and each end is a look
// at the clock and a call.
#ifndef MICA_TRACE_H
#define MICA_TRACE_H

#include <mica/stream.h>
#include <mica/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mica_trace_kind {
    MICA_TRACE_STEP,     // mica_step(), or mica_system_run() [trace.step]
    MICA_TRACE_PHASE,    // one run of a phase
    MICA_TRACE_SYSTEM,   // one run of a system, be it that its condition is false [trace.system]
    MICA_TRACE_COMMANDS, // commands are carried out, in a step or not [trace.commands]
    MICA_TRACE_SPAN,     // between mica_span_begin() and mica_span_end()
    MICA_TRACE_MARK,     // mica_trace_mark()
    MICA_TRACE_KIND_COUNT
} mica_trace_kind;

// What a trace function is told. Good until it returns.
typedef struct mica_trace_point {
    mica_world *world;
    void *user;
    mica_trace_kind kind;
    bool ended;        // false: it begins, or is a mark
    const char *name;  // of the phase, the system, the span, the mark; else "step", "commands"
    uint64_t time_ns;  // now, on a clock that only runs on [trace.clock]
    uint64_t began_ns; // when what has ended began; else now [trace.began]
    uint64_t rows;     // of a system that has ended: that it was given, and in how many segments.
    uint64_t segments; // Of commands: how many were carried out. Else 0
} mica_trace_point;

// May look at the world but not change it (MICA_ERROR_HANDLER), as the error handler, and must
// return. [trace.looks]
typedef void mica_trace_fn(const mica_trace_point *point);

// Tells a function from now on; NULL: none any more. [trace.set] Ends come in the opposite order of
// beginnings. [trace.order] A step that is not left by returning (mica_world_end_iterations()
// inside of a system, longjmp(), an exception) is not told to end, nor is what was going on in
// it. [trace.left]
//
// MICA_ERROR_ITERATING in a step, and while anything is iterated. [trace.iterating]
// MICA_ERROR_NULL, _HOOK, _HANDLER, _MEMORY; _RECORDING on a world that records;
// MICA_ERROR_ARGUMENT while mica_trace_begin() has somebody told. [trace.fail]
MICA_API mica_result mica_trace_set(mica_world *world, mica_trace_fn *function, void *user);

// A stretch of time of one's own, and a moment. [span.begin] The name is read when it ends, too;
// what is written has as much as MICA_NAME_SIZE_MAX bytes of it. [span.name] Spans are ended on the
// thread of the world, the inner ones first, before the world is freed; one that was never begun,
// {0}, or begun when nobody traced, or somebody else, ends silently. [span.end]
//
// Cheap while nobody traces: one call and one look. [span.cost] MICA_ERROR_NULL, _HOOK, _HANDLER,
// _RECORDING. [span.fail]
typedef struct mica_span {
    // private
    mica_world *world;
    const char *name;
    uint64_t began_ns;
} mica_span;

MICA_API mica_span mica_span_begin(mica_world *world, const char *name);
MICA_API mica_result mica_span_end(mica_span *span);
MICA_API mica_result mica_trace_mark(mica_world *world, const char *name);

// How. Zero is the default of every field.
typedef struct mica_trace_desc {
    uint32_t first_zero; // must be 0: catches a descriptor that was not zeroed

    const char *name; // what the world is called in it; NULL: "mica"

    uint32_t last_zero; // must be 0
} mica_trace_desc;

// Begins to write a trace to a stream: an array of an object for each thing that has ended, or was
// marked, with times in microseconds since now. [trace.write] It is whole when it ends: with
// mica_trace_end(), or with the world. [trace.whole] Until then, as always with streams, path and
// buffer have what they had before; a function gets what there is, up to 64 kilobytes at a
// time. [trace.until_then] The path is copied; buffer and functions are needed until it
// ends. [trace.path] What the stream refuses is told then; until then nothing more is written to
// it, and everything else goes on. [trace.refused] NULL desc: all defaults. [trace.defaults]
//
// begin: MICA_ERROR_NULL, _DESC, _HOOK, _HANDLER, _ITERATING, _RECORDING, _MEMORY; _NAME; _ARGUMENT
// for no stream to be written to, and if the world is traced already; _STREAM if there is no such
// file to be made. [trace.begin_fail] end: MICA_ERROR_ARGUMENT if nothing is being written;
// _STREAM, or _MEMORY of a buffer, if not all could be. It has ended then, too. [trace.end_fail]
MICA_API mica_result mica_trace_begin(mica_world *world, const mica_stream *stream,
                                      const mica_trace_desc *desc);
MICA_API mica_result mica_trace_end(mica_world *world);

#ifdef __cplusplus
}
#endif

#endif
