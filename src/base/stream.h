// Streams inside the library: an output takes bytes, an input delivers them, whatever the target or
// source is. Both buffer a block, so single bytes are cheap. Large reads bypass the block of an
// input. Code that produces bytes can build them inside the block of an output.
//
// Room:    base. Called by image/ (codecs) and inspect/ (traces).
//
// Failures are sticky: a failed output ignores further bytes, a failed input is at its end. So
// codecs need not check every number. Each failure is reported once. An input reports it at once.
// An output reports it when it is closed, because writes can happen where no report is possible.
//
// Invariants, held by the functions of stream.c:
//   I3  Bytes of an output become visible only when it is closed, except to a user's write
//       function.
//   I4  For an input of known size, `left` bytes follow the block.
#ifndef MICAI_BASE_STREAM_H
#define MICAI_BASE_STREAM_H

#include <mica/stream.h>

#include "base/file.h"

#define MICAI_STREAM_REASON_SIZE 240u

typedef struct micai_output {
    micai_host *host;
    const char *call; // the public function, for error sentences
    const mica_stream *stream;
    unsigned char *block;
    size_t size;                        // size of the block; full blocks are passed on
    size_t used;                        // bytes in the block that are not passed on yet
    uint64_t count;                     // bytes written in total
    mica_result failed;                 // the failure; later bytes are ignored
    char why[MICAI_STREAM_REASON_SIZE]; // the text of that failure
    micai_file file;                    // for a path
    char *temporary;                    // the temporary name, for a path
    size_t temporary_size;
    mica_buffer grown; // for a buffer: replaces its content on success
} micai_output;

typedef struct micai_input {
    micai_host *host;
    const char *call;
    const mica_stream *stream;
    const unsigned char *block; // data in memory serves as the block itself
    size_t at;                  // offset of the next byte in the block
    size_t end;                 // offset after the last byte of the block
    uint64_t count;             // bytes before the block
    uint64_t left;              // bytes after the block; UINT64_MAX: unknown
    uint64_t expansion;         // the host's memory limit rises by this for each byte read
    mica_result failed;
    bool ended;         // the input is at its end
    unsigned char *own; // the block, if it was allocated
    micai_file file;
} micai_input;

// Block sizes of an output. Small blocks let a reader follow the progress. Large, aligned blocks
// take the system half the time.
#define MICAI_OUTPUT_SMALL ((size_t)64 << 10)
#define MICAI_OUTPUT_LARGE ((size_t)1 << 20)

// Checks the stream and opens it, with a block of `size` bytes. On failure, the error is reported
// and nothing must be closed: MICA_ERROR_NULL, _DESC, _ARGUMENT, _MEMORY, _STREAM.
mica_result micai_output_open(micai_output *output, micai_host *host, const char *call,
                              const mica_stream *stream, size_t size);

// Appends bytes.
void micai_output_write(micai_output *output, const void *data, size_t size);

// Appends bytes without a copy: reserve returns space for MICAI_OUTPUT_SPACE bytes, advance says
// how many were written there. Both also work after a failure.
#define MICAI_OUTPUT_SPACE ((size_t)80 << 10)
unsigned char *micai_output_reserve(micai_output *output);
void micai_output_advance(micai_output *output, size_t size);

// Passes on what was appended, before the block is full.
void micai_output_flush(micai_output *output);

// Commits the output. If the output or the caller has failed, it discards everything instead.
// Returns the output's own failure, which is reported here, or else `result`.
mica_result micai_output_close(micai_output *output, mica_result result);

mica_result micai_input_open(micai_input *input, micai_host *host, const char *call,
                             const mica_stream *stream);

// Reads bytes and returns their count. It is less than `size` only at the end or after a failure.
size_t micai_input_read(micai_input *input, void *data, size_t size);

// Reads the next block. The current one must be used up. Returns false at the end or after a
// failure.
bool micai_input_fill(micai_input *input);

// Returns the next byte without consuming it, or -1 at the end or after a failure.
static inline int micai_input_peek(micai_input *input)
{
    return input->at < input->end || micai_input_fill(input) ? input->block[input->at] : -1;
}

// Returns the number of bytes that follow; UINT64_MAX: unknown.
static inline uint64_t micai_input_left(const micai_input *input)
{
    return input->left == UINT64_MAX ? UINT64_MAX : input->left + (input->end - input->at);
}

// Returns the number of bytes consumed.
static inline uint64_t micai_input_position(const micai_input *input)
{
    return input->count + input->at;
}

void micai_input_close(micai_input *input);

#endif
