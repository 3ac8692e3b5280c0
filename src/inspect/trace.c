// Tracing: the trace function, spans and marks of users, and the trace that is written to a stream.
// trace.h has the invariants.
//
// A trace contains complete events with a duration, written at their end, not pairs of events. So a
// step that was left by longjmp() leaves no unfinished pair, at which viewers stumble.
#include "state/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/canary.h"
#include "base/clock.h"
#include "base/text.h"
#include "core/field.h"

static micai_tracing *tracing_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_TRACE].data;
}

static bool is_writing(const micai_tracing *tracing)
{
    return tracing->output.block != NULL;
}

static uint64_t notify(mica_world *world, void *data, mica_trace_point *point)
{
    const micai_tracing *tracing = data;
    if (point->ended && point->began_ns < tracing->start_ns) {
        return 0; // a span that began before this trace function was set
    }
    point->world = world;
    point->user = tracing->user;
    point->time_ns = point->time_ns > 0 ? point->time_ns : micai_clock_ns();
    if (!point->ended) {
        point->began_ns = point->time_ns;
    }
    uint64_t now = point->time_ns;
    mica_result failed = micai_host_begin_trace(&world->host);
    tracing->function(point);
    micai_host_end_callback(&world->host, failed);
    return now;
}

// Writing

static void put(micai_tracing *tracing, const char *text, size_t size)
{
    micai_output_write(&tracing->output, text, size);
}

enum { LONGEST = 6 }; // the longest form of one byte of a name: \u001f

// Writes a name as a JSON string without its quotes, cut to MICA_NAME_SIZE_MAX bytes.
static void quote(const char *name, char *text_out)
{
    const unsigned char *from = (const unsigned char *)name;
    uint32_t left = MICA_NAME_SIZE_MAX;
    while (left > 0 && *from) {
        // A character has at most four bytes. The terminating zero also ends a character.
        uint32_t size = (uint32_t)micai_text_character((const char *)from, 4);
        if (size > left) {
            break; // the name is cut before this character
        }
        if (size == 0 || *from < 0x20 || *from == 0x7f) {
            text_out += snprintf(text_out, LONGEST + 1, "\\u%04x", size == 0 ? 0xfffdu : *from);
            from++;
            left--;
            continue;
        }
        bool escaped = *from == '"' || *from == '\\';
        if (MICAI_CANARY("inspect.trace_quote")) {
            escaped = false;
        }
        if (escaped) {
            *text_out++ = '\\';
        }
        memcpy(text_out, from, size);
        text_out += size;
        from += size;
        left -= size;
    }
    *text_out = '\0';
}

typedef struct quoted {
    char text[LONGEST * MICA_NAME_SIZE_MAX + 1];
} quoted;

// A time since the trace began, in microseconds.
typedef struct micros {
    uint64_t whole;
    uint32_t rest; // nanoseconds
} micros;

static micros micros_of(uint64_t ns)
{
    return (micros){ns / 1000, (uint32_t)(ns % 1000)};
}

static const char *const categories[MICA_TRACE_KIND_COUNT] = {"step",     "phase", "system",
                                                              "commands", "span",  "mark"};

static void write_point(const mica_trace_point *point)
{
    micai_tracing *tracing = tracing_of(point->world);
    bool mark = point->kind == MICA_TRACE_MARK;
    if (!point->ended && !mark) {
        return;
    }
    quoted name;
    char line[sizeof name + 256];
    quote(point->name, name.text);
    micros at = micros_of(point->began_ns - tracing->start_ns);
    micros took = micros_of(point->time_ns - point->began_ns);
    size_t size = (size_t)snprintf(
        line, sizeof line,
        ",\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"%s\",\"ts\":%" PRIu64 ".%03" PRIu32
        ",\"pid\":1,\"tid\":%" PRIu32,
        name.text, categories[point->kind], mark ? "i" : "X", at.whole, at.rest, point->thread + 1);
    if (mark) {
        size += (size_t)snprintf(line + size, sizeof line - size, ",\"s\":\"t\"");
    } else {
        size += (size_t)snprintf(line + size, sizeof line - size, ",\"dur\":%" PRIu64 ".%03" PRIu32,
                                 took.whole, took.rest);
    }
    if (point->kind == MICA_TRACE_SYSTEM) {
        size += (size_t)snprintf(line + size, sizeof line - size,
                                 ",\"args\":{\"rows\":%" PRIu64 ",\"segments\":%" PRIu64 "}",
                                 point->rows, point->segments);
    } else if (point->kind == MICA_TRACE_COMMANDS) {
        size += (size_t)snprintf(line + size, sizeof line - size,
                                 ",\"args\":{\"commands\":%" PRIu64 "}", point->rows);
    }
    line[size++] = '}';
    put(tracing, line, size);
}

static void write_begin(micai_tracing *tracing, const char *world_name)
{
    quoted name;
    char line[sizeof name + 128];
    quote(world_name ? world_name : "mica", name.text);
    int size = snprintf(line, sizeof line,
                        "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,"
                        "\"args\":{\"name\":\"%s\"}}",
                        name.text);
    put(tracing, line, (size_t)size);
}

// The module

static size_t size_of(const micai_tracing *tracing)
{
    return sizeof *tracing + tracing->path_size;
}

mica_result micai_tracing_validate(mica_world *world, const void *data)
{
    const micai_output *output = &((const micai_tracing *)data)->output;
    bool right = output->used <= output->count && output->used <= output->size + MICAI_OUTPUT_SPACE;
    return right ? MICA_OK : micai_fail_invariant(&world->host, "W9", "the tracing is damaged");
}

// Closes and frees a tracing. Returns MICA_ERROR_STREAM, or MICA_ERROR_MEMORY from a buffer stream.
static mica_result end_tracing(mica_world *world, const char *call, micai_tracing *tracing)
{
    mica_result result = MICA_OK;
    if (is_writing(tracing)) {
        put(tracing, "\n]\n", 3);
        tracing->output.call = call;
        micai_host_begin(&world->host, call);
        result = micai_output_close(&tracing->output, MICA_OK);
        micai_host_end(&world->host);
    }
    micai_release(&world->host, tracing, size_of(tracing), _Alignof(micai_tracing));
    return result;
}

static void close_module(mica_world *world, void *data)
{
    (void)end_tracing(world, "mica_world_free", data);
}

// Creates a tracing with space for a path; all other members are zero. Returns NULL with
// MICA_ERROR_MEMORY.
static micai_tracing *make_tracing(mica_world *world, const char *call, size_t path_size)
{
    micai_host_begin(&world->host, call);
    micai_tracing *tracing =
        micai_alloc_zeroed(&world->host, sizeof *tracing + path_size, _Alignof(micai_tracing));
    micai_host_end(&world->host);
    if (tracing) {
        tracing->path_size = path_size;
    }
    return tracing;
}

// Starts to call a function for every trace point.
static void begin_tracing(mica_world *world, micai_tracing *tracing, mica_trace_fn *function,
                          void *user)
{
    tracing->function = function;
    tracing->user = user;
    tracing->start_ns = micai_clock_ns();
    world->state->modules[MICAI_MODULE_TRACE] =
        (micai_module){.data = tracing, .close = close_module, .trace = notify};
}

// Detaches the tracing from the world. The caller owns it then.
static micai_tracing *take_tracing(mica_world *world)
{
    micai_tracing *tracing = tracing_of(world);
    world->state->modules[MICAI_MODULE_TRACE] = (micai_module){0};
    return tracing;
}

// Fails if tracing must not be changed now.
static mica_result check_open(mica_world *world, const char *call)
{
    return world ? micai_world_guard_all(world, call) : micai_fail_null(NULL, call, "world");
}

mica_result mica_trace_set(mica_world *world, mica_trace_fn *function, void *user)
{
    static const char call[] = "mica_trace_set";
    mica_result result = check_open(world, call);
    if (result) {
        return result;
    }
    micai_tracing *before = tracing_of(world);
    if (before && is_writing(before)) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: a trace is being written; mica_trace_end ends it", call);
    }
    if (before && function) {
        before->function = function;
        before->user = user;
        before->start_ns = micai_clock_ns();
        return MICA_OK;
    }
    if (before) {
        return end_tracing(world, call, take_tracing(world));
    }
    micai_tracing *tracing = function ? make_tracing(world, call, 0) : NULL;
    if (tracing) {
        begin_tracing(world, tracing, function, user);
    }
    return !function || tracing ? MICA_OK : MICA_ERROR_MEMORY;
}

// Spans and marks

// Fails if a span or mark has no name, or is not allowed here.
static mica_result check_name(mica_world *world, const char *call, const char *name)
{
    if (!world || !name) {
        micai_fail_null(micai_world_host(world), call, world ? "name" : "world");
        return MICA_ERROR_NULL;
    }
    return micai_world_guard_edit(world, call);
}

mica_trace_span mica_trace_span_begin(mica_world *world, const char *name)
{
    mica_trace_span span = {0};
    if (!check_name(world, "mica_trace_span_begin", name)) {
        span.world = world;
        span.name = name;
        span.began_ns = micai_trace_begin(world, MICA_TRACE_SPAN, name);
    }
    return span;
}

mica_result mica_trace_span_end(mica_trace_span *span)
{
    static const char call[] = "mica_trace_span_end";
    if (!span) {
        return micai_fail_null(NULL, call, "span");
    }
    mica_result result = span->began_ns > 0 ? check_name(span->world, call, span->name) : MICA_OK;
    if (!result && span->began_ns > 0) {
        micai_trace_end(span->world, MICA_TRACE_SPAN, span->name, span->began_ns, 0, 0);
    }
    if (!result) {
        *span = (mica_trace_span){0};
    }
    return result;
}

mica_result mica_trace_mark(mica_world *world, const char *name)
{
    mica_result result = check_name(world, "mica_trace_mark", name);
    if (!result) {
        (void)micai_trace_begin(world, MICA_TRACE_MARK, name);
    }
    return result;
}

// Writing a trace to a stream

static mica_result check_desc(mica_world *world, const char *call, const mica_trace_desc *desc)
{
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(&world->host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if (desc->name && !micai_name_is_valid(desc->name)) {
        return micai_fail(&world->host, MICA_ERROR_NAME, "%s: the name is %s", call,
                          micai_name_fault(desc->name));
    }
    if (tracing_of(world)) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: the world is traced already; mica_trace_end ends a written "
                          "trace, mica_trace_set with NULL ends the calls of a function",
                          call);
    }
    return MICA_OK;
}

// Creates a tracing that writes to an open output, and takes ownership of that. Returns NULL with
// MICA_ERROR_MEMORY.
static micai_tracing *take_output(mica_world *world, const char *call, micai_output *output)
{
    const mica_stream *stream = output->stream;
    size_t path_size = stream->path ? strlen(stream->path) + 1 : 0;
    micai_tracing *tracing = make_tracing(world, call, path_size);
    if (!tracing) {
        (void)micai_output_close(output, MICA_ERROR_MEMORY);
        return NULL;
    }
    tracing->stream = *stream;
    if (stream->path) {
        memcpy(tracing->path, stream->path, path_size);
        tracing->stream.path = tracing->path;
    }
    tracing->output = *output;
    tracing->output.stream = &tracing->stream;
    return tracing;
}

mica_result mica_trace_begin(mica_world *world, const mica_stream *stream,
                             const mica_trace_desc *desc)
{
    static const char call[] = "mica_trace_begin";
    const mica_trace_desc defaults = {0};
    desc = desc ? desc : &defaults;
    mica_result result = check_open(world, call);
    result = result ? result : check_desc(world, call, desc);
    if (result) {
        return result;
    }
    micai_output output;
    micai_tracing *tracing = NULL;
    micai_host_begin(&world->host, call);
    result = micai_output_open(&output, &world->host, call, stream, MICAI_OUTPUT_SMALL);
    if (!result) {
        tracing = take_output(world, call, &output);
        result = tracing ? MICA_OK : MICA_ERROR_MEMORY;
    }
    micai_host_end(&world->host);
    if (!result) {
        begin_tracing(world, tracing, write_point, NULL);
        write_begin(tracing, desc->name);
    }
    return result;
}

mica_result mica_trace_end(mica_world *world)
{
    static const char call[] = "mica_trace_end";
    mica_result result = check_open(world, call);
    if (result) {
        return result;
    }
    const micai_tracing *tracing = tracing_of(world);
    if (!tracing || !is_writing(tracing)) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: no trace is being written", call);
    }
    return end_tracing(world, call, take_tracing(world));
}
