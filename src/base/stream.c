// Streams: buffers, outputs, inputs. stream.h has the contract.
#include "base/stream.h"

#include "base/canary.h"

#include <stdio.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)64 << 10) // block of an input
#define GROWN_MIN ((size_t)4 << 10)

// Buffers

// Does not use the host: a buffer belongs to no world.
static void *resize_block(const mica_allocator *allocator, void *block, size_t old_size,
                          size_t new_size)
{
    mica_resize_fn *resize = allocator->resize ? allocator->resize : micai_system_resize;
    return resize(allocator->user, block, old_size, new_size, 1);
}

static void free_data(mica_buffer *buffer)
{
    if (buffer->capacity > 0) {
        resize_block(&buffer->allocator, buffer->data, buffer->capacity, 0);
    }
    buffer->data = NULL;
    buffer->size = buffer->capacity = 0;
}

void mica_buffer_free(mica_buffer *buffer)
{
    if (buffer) {
        free_data(buffer);
    }
}

static bool append(mica_buffer *buffer, const void *data, size_t size)
{
    if (size > SIZE_MAX / 2 - 1 - buffer->size) {
        return false;
    }
    if (size + 1 > buffer->capacity - buffer->size) {
        size_t capacity = buffer->capacity < GROWN_MIN ? GROWN_MIN : buffer->capacity;
        while (capacity < buffer->size + size + 1) {
            capacity += capacity / 2;
        }
        void *grown = resize_block(&buffer->allocator, buffer->data, buffer->capacity, capacity);
        if (!grown) {
            return false;
        }
        buffer->data = grown;
        buffer->capacity = capacity;
    }
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    buffer->data[buffer->size] = 0; // so that text can be used as a C string
    return true;
}

// Shared by outputs and inputs

// The text of a failure.
typedef struct reason {
    char text[MICAI_STREAM_REASON_SIZE];
} reason;

static reason path_reason(const mica_stream *stream, const char *what, int code)
{
    reason why;
    char text[MICAI_FILE_REASON_SIZE];
    (void)snprintf(why.text, sizeof why.text, "'%.120s' cannot be %s: %s", stream->path, what,
                   micai_file_reason_text(code, text));
    return why;
}

static mica_result fail_path(micai_host *host, const char *call, const mica_stream *stream,
                             const char *what, int code)
{
    return micai_fail(host, MICA_ERROR_STREAM, "%s: %s", call,
                      path_reason(stream, what, code).text);
}

// Surrounds a call of a user's function, unless a handler already runs. The function may read the
// world but not change it.
typedef struct user_call {
    bool shut;
    micai_host_saved saved;
} user_call;

static user_call begin_user_call(micai_host *host)
{
    user_call at = {.shut = !host->handler};
    if (at.shut) {
        at.saved = micai_host_begin_stream(host);
    }
    return at;
}

static void end_user_call(micai_host *host, user_call at)
{
    if (at.shut) {
        micai_host_end_stream(host, at.saved);
    }
}

static reason function_reason(micai_host *host, const mica_stream *stream, const char *which)
{
    reason why;
    user_call at = begin_user_call(host);
    const char *said = stream->explain ? stream->explain(stream->user) : NULL;
    (void)snprintf(why.text, sizeof why.text, "the stream's %s function failed%s%.120s", which,
                   said ? ": " : "", said ? said : "");
    end_user_call(host, at);
    return why;
}

static mica_result check_stream(micai_host *host, const char *call, const mica_stream *stream,
                                bool writes)
{
    if (!stream) {
        return micai_fail_null(host, call, "stream");
    }
    if (stream->first_zero || stream->last_zero) {
        return micai_fail(host, MICA_ERROR_DESC, "%s: the mica_stream was not zeroed", call);
    }
    bool functions = stream->write || stream->read;
    bool bytes = stream->data || stream->size > 0;
    int ways = (stream->path != NULL) + (stream->buffer != NULL) + bytes + functions;
    if (ways != 1) {
        return micai_fail(host, MICA_ERROR_ARGUMENT,
                          "%s: the stream has %s of path, buffer, data and functions", call,
                          ways ? "more than one" : "none");
    }
    if (bytes && !stream->data) {
        return micai_fail_null(host, call, "stream.data");
    }
    if (writes && bytes) {
        return micai_fail(host, MICA_ERROR_ARGUMENT,
                          "%s: the stream has data, which can be read only", call);
    }
    if (functions && !(writes ? stream->write != NULL : stream->read != NULL)) {
        return micai_fail(host, MICA_ERROR_ARGUMENT, "%s: the stream has no function that %s", call,
                          writes ? "writes" : "reads");
    }
    if (stream->path && !stream->path[0]) {
        return micai_fail(host, MICA_ERROR_ARGUMENT, "%s: the stream's path is empty", call);
    }
    const mica_buffer *buffer = stream->buffer;
    bool whole = !buffer || (buffer->size <= buffer->capacity &&
                             (buffer->data != NULL) == (buffer->capacity > 0));
    return whole ? MICA_OK
                 : micai_fail(host, MICA_ERROR_ARGUMENT,
                              "%s: the stream's buffer was not zeroed before its first use", call);
}

// Outputs

static mica_result create_file(micai_output *output)
{
    const char *path = output->stream->path;
    output->temporary_size = strlen(path) + MICAI_FILE_SUFFIX_SIZE;
    output->temporary = micai_alloc(output->host, output->temporary_size, 1);
    if (!output->temporary) {
        return MICA_ERROR_MEMORY;
    }
    return micai_file_create(&output->file, path, output->temporary)
               ? MICA_OK
               : fail_path(output->host, output->call, output->stream, "written",
                           output->file.reason);
}

static void release_output(micai_output *output)
{
    micai_release(output->host, output->temporary, output->temporary_size, 1);
    micai_release(output->host, output->block, output->size + MICAI_OUTPUT_SPACE, 1);
    output->temporary = NULL;
    output->block = NULL;
}

mica_result micai_output_open(micai_output *output, micai_host *host, const char *call,
                              const mica_stream *stream, size_t size)
{
    *output = (micai_output){.host = host,
                             .call = call,
                             .stream = stream,
                             .size = size,
                             .file.handle = MICAI_FILE_CLOSED};
    mica_result result = check_stream(host, call, stream, true);
    if (result) {
        return result;
    }
    output->block = micai_alloc(host, size + MICAI_OUTPUT_SPACE, 1);
    result = output->block ? MICA_OK : MICA_ERROR_MEMORY;
    if (!result && stream->path) {
        result = create_file(output);
    }
    if (stream->buffer) {
        output->grown.allocator = stream->buffer->allocator;
    }
    if (result) {
        release_output(output);
    }
    return result;
}

static void fail_output(micai_output *output, mica_result code, reason why)
{
    output->failed = code;
    // only `why` is copied; the rest of the buffer is never read
    memcpy(output->why, why.text, strlen(why.text) + 1);
}

static reason buffer_reason(const mica_buffer *buffer, size_t size)
{
    reason why;
    (void)snprintf(why.text, sizeof why.text, "the allocator of the buffer refused %llu bytes",
                   (unsigned long long)buffer->size + size);
    return why;
}

static void write_block(micai_output *output, const void *data, size_t size)
{
    const mica_stream *stream = output->stream;
    if (stream->path) {
        if (!micai_file_write(&output->file, data, size)) {
            fail_output(output, MICA_ERROR_STREAM,
                        path_reason(stream, "written", output->file.reason));
        }
    } else if (stream->buffer) {
        if (!append(&output->grown, data, size)) {
            fail_output(output, MICA_ERROR_MEMORY, buffer_reason(&output->grown, size));
        }
    } else {
        user_call at = begin_user_call(output->host);
        bool written = stream->write(stream->user, data, size);
        end_user_call(output->host, at);
        if (!written) {
            fail_output(output, MICA_ERROR_STREAM, function_reason(output->host, stream, "write"));
        }
    }
}

void micai_output_flush(micai_output *output)
{
    if (!output->failed && output->used > 0) {
        write_block(output, output->block, output->used);
    }
    output->used = 0;
}

unsigned char *micai_output_reserve(micai_output *output)
{
    return output->block + output->used;
}

// The reserved space may extend beyond the end of the block. The excess becomes the start of the
// next block.
void micai_output_advance(micai_output *output, size_t size)
{
    output->count += output->failed ? 0 : size;
    output->used += size;
    while (output->used >= output->size) {
        if (!output->failed) {
            write_block(output, output->block, output->size);
        }
        output->used -= output->size;
        memmove(output->block, output->block + output->size, output->used);
    }
}

void micai_output_write(micai_output *output, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    while (size > 0 && !output->failed) {
        size_t some = size < MICAI_OUTPUT_SPACE ? size : MICAI_OUTPUT_SPACE;
        memcpy(micai_output_reserve(output), bytes, some);
        micai_output_advance(output, some);
        bytes += some;
        size -= some;
    }
}

static void commit_output(micai_output *output)
{
    const mica_stream *stream = output->stream;
    bool renamed = false;
    if (stream->path &&
        !micai_file_commit(&output->file, output->temporary, stream->path, &renamed)) {
        fail_output(output, MICA_ERROR_STREAM,
                    path_reason(stream,
                                renamed ? "made lasting, although it is written" : "written",
                                output->file.reason));
    }
    if (stream->buffer) {
        free_data(stream->buffer);
        *stream->buffer = output->grown;
    }
}

static void discard_output(micai_output *output)
{
    if (MICAI_CANARY("base.take_back")) {
        return;
    }
    if (output->stream->path) {
        micai_file_discard(&output->file, output->temporary);
    }
    free_data(&output->grown);
}

mica_result micai_output_close(micai_output *output, mica_result result)
{
    if (!result) {
        micai_output_flush(output);
    }
    if (result || output->failed) {
        discard_output(output);
    } else {
        commit_output(output);
    }
    release_output(output);
    return output->failed
               ? micai_fail(output->host, output->failed, "%s: %s", output->call, output->why)
               : result;
}

// Inputs

static mica_result open_file(micai_input *input)
{
    if (!micai_file_open(&input->file, input->stream->path)) {
        return fail_path(input->host, input->call, input->stream, "read", input->file.reason);
    }
    input->left = input->file.size;
    return MICA_OK;
}

static void show_bytes(micai_input *input, const void *data, size_t size)
{
    input->block = data;
    input->end = size;
    input->left = 0;
    input->ended = true;
}

mica_result micai_input_open(micai_input *input, micai_host *host, const char *call,
                             const mica_stream *stream)
{
    *input = (micai_input){.host = host,
                           .call = call,
                           .stream = stream,
                           .left = UINT64_MAX,
                           .file.handle = MICAI_FILE_CLOSED};
    mica_result result = check_stream(host, call, stream, false);
    if (result) {
        return result;
    }
    if (stream->buffer) {
        show_bytes(input, stream->buffer->data, stream->buffer->size);
    } else if (stream->data) {
        show_bytes(input, stream->data, stream->size);
    } else {
        input->own = micai_alloc(host, BLOCK_SIZE, 1);
        input->block = input->own;
        result = input->own ? MICA_OK : MICA_ERROR_MEMORY;
    }
    if (!result && stream->path) {
        result = open_file(input);
    }
    if (result) {
        micai_input_close(input);
    }
    return result;
}

static size_t take_from_function(micai_input *input, void *data, size_t size)
{
    const mica_stream *stream = input->stream;
    user_call at = begin_user_call(input->host);
    size_t count = stream->read(stream->user, data, size);
    end_user_call(input->host, at);
    if (count == MICA_STREAM_FAILED) {
        input->failed = micai_fail(input->host, MICA_ERROR_STREAM, "%s: %s", input->call,
                                   function_reason(input->host, stream, "read").text);
    } else if (count > size) {
        input->failed =
            micai_fail(input->host, MICA_ERROR_STREAM,
                       "%s: the stream's read function gave %llu bytes for %llu", input->call,
                       (unsigned long long)count, (unsigned long long)size);
    }
    return input->failed ? 0 : count;
}

static size_t take_from_file(micai_input *input, void *data, size_t size)
{
    size_t count = micai_file_read(&input->file, data, size);
    if (count == MICAI_FILE_FAILED) {
        input->failed =
            fail_path(input->host, input->call, input->stream, "read", input->file.reason);
        return 0;
    }
    // A file that grew after it was opened delivers more bytes than expected.
    if (input->left != UINT64_MAX) {
        input->left -= count < input->left ? count : input->left;
    }
    return count;
}

static size_t take(micai_input *input, void *data, size_t size)
{
    if (input->ended) {
        return 0;
    }
    size_t count = input->stream->path ? take_from_file(input, data, size)
                                       : take_from_function(input, data, size);
    bool ended = count == 0;
    if (MICAI_CANARY("base.half_read")) {
        ended = count < size; // a pipe may deliver fewer bytes than requested
    }
    if (ended) {
        input->ended = true;
        input->left = 0;
    }
    micai_memory_raise_limit(input->host, count * input->expansion);
    return count;
}

bool micai_input_fill(micai_input *input)
{
    if (input->ended) {
        return false;
    }
    input->count += input->end;
    input->at = input->end = 0;
    input->end = take(input, input->own, BLOCK_SIZE);
    return input->end > 0;
}

size_t micai_input_read(micai_input *input, void *data, size_t size)
{
    unsigned char *target = data;
    size_t got = 0;
    while (got < size) {
        size_t here = input->end - input->at;
        size_t rest = size - got;
        if (here > 0) {
            size_t count = here < rest ? here : rest;
            memcpy(target + got, input->block + input->at, count);
            input->at += count;
            got += count;
        } else if (rest >= BLOCK_SIZE && !input->ended) {
            size_t count = take(input, target + got, rest);
            input->count += count;
            got += count;
        } else if (!micai_input_fill(input)) {
            break;
        }
    }
    return got;
}

void micai_input_close(micai_input *input)
{
    micai_release(input->host, input->own, BLOCK_SIZE, 1);
    input->own = NULL;
    micai_file_close(&input->file);
}
