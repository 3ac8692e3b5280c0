// Streams from the inside: an output that bytes are put into, an input that they are taken from, whatever
// is behind. Both have a block between their user and what is behind, so that single bytes cost little;
// what is larger than that of an input goes past it, and what is put together for an output can be put together there.
//
// Room:    base. Called by image/ (codecs) and world/ (traces).
//
// A failure is kept: an output that has failed swallows what follows, an input that has failed is at its end.
// So codecs need not look after every number. It is reported once: that of an input where it happens, that of
// an output when it is closed, since an output may be written to from where nothing can be reported.
//
// Invariants, held by the functions of stream.c:
//   I3  until an output is closed, nobody can see what was put into it, but a function of the user's.
//   I4  an input of known size has `left` bytes beyond its block.
#ifndef MICAI_BASE_STREAM_H
#define MICAI_BASE_STREAM_H

#include <mica/stream.h>

#include "base/file.h"

#define MICAI_STREAM_REASON_SIZE 240u

typedef struct micai_output {
    micai_host *host;
    const char *call; // the public function that reports
    const mica_stream *stream;
    unsigned char *block;
    size_t size;                        // bytes of the block, which are handed out at once
    size_t used;                        // and of those, what was put into it
    uint64_t count;                     // bytes that were put into it
    mica_result failed;                 // why it takes no more,
    char why[MICAI_STREAM_REASON_SIZE]; // in words
    micai_file file;                    // of a path
    char *temporary;                    // and its name until it is whole
    size_t temporary_size;
    mica_buffer grown; // of a buffer, whose place it will take
} micai_output;

typedef struct micai_input {
    micai_host *host;
    const char *call;
    const mica_stream *stream;
    const unsigned char *block; // what is in memory is a block by itself
    size_t at;                  // of the block: the next byte
    size_t end;                 // and behind its last
    uint64_t count;             // bytes in front of the block
    uint64_t left;              // and behind it; UINT64_MAX: not known
    uint64_t expansion; // the host's limit of memory rises by so much for each byte that comes
    mica_result failed;
    bool ended;         // nothing comes any more
    unsigned char *own; // the block, if it was allocated
    micai_file file;
} micai_input;

// How much of an output is handed out at once: often, where somebody may want to see how far it is; or in large
// blocks, at multiples of their size, which systems take in half the time.
#define MICAI_OUTPUT_SMALL ((size_t)64 << 10)
#define MICAI_OUTPUT_LARGE ((size_t)1 << 20)

// Judges the stream and prepares to write, so much at once. A result other than MICA_OK has been reported, and there is
// nothing to close: MICA_ERROR_NULL, _DESC, _ARGUMENT, _MEMORY, _STREAM.
mica_result micai_output_open(micai_output *output, micai_host *host, const char *call,
                              const mica_stream *stream, size_t size);

// Puts bytes in.
void micai_output_write(micai_output *output, const void *data, size_t size);

// The same without a copy: where the next bytes are to stand, with room for so many; and so many stand there
// now. Also of an output that has failed.
#define MICAI_OUTPUT_SPACE ((size_t)80 << 10)
unsigned char *micai_output_reserve(micai_output *output);
void micai_output_advance(micai_output *output, size_t size);

// Makes what was written take its place; or, if the output or somebody else has failed, takes everything
// back. Returns the first failure: that of the output, which is reported in the name of its call, or else
// `result`.
mica_result micai_output_close(micai_output *output, mica_result result);

mica_result micai_input_open(micai_input *input, micai_host *host, const char *call,
                             const mica_stream *stream);

// Takes bytes out, and returns how many: fewer than asked only at the end, or after a failure.
size_t micai_input_read(micai_input *input, void *data, size_t size);

// Gets a new block; only when the last one is used up. False: this is the end, or a failure.
bool micai_input_fill(micai_input *input);

// The next byte, which stays; -1 at the end, or after a failure.
static inline int micai_input_peek(micai_input *input)
{
    return input->at < input->end || micai_input_fill(input) ? input->block[input->at] : -1;
}

// How many bytes there are still to come; UINT64_MAX: that is not known.
static inline uint64_t micai_input_left(const micai_input *input)
{
    return input->left == UINT64_MAX ? UINT64_MAX : input->left + (input->end - input->at);
}

// How many have come.
static inline uint64_t micai_input_position(const micai_input *input)
{
    return input->count + input->at;
}

void micai_input_close(micai_input *input);

#endif
