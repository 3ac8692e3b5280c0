// Text for people: to standard output, to a stream, or into a text of fixed size.
//
// Room:    base. Called by entity/, system/ and inspect/ (printers).
#ifndef MICAI_BASE_PRINT_H
#define MICAI_BASE_PRINT_H

#include <stdio.h>

#include "base/stream.h"

// The destination of text: `file`, or `output`, or else `text`, truncated to `size` bytes with the
// terminating zero.
typedef struct micai_printer {
    FILE *file;
    micai_output *output;
    char *text;
    size_t size;
    size_t length; // of everything that was printed, including what was truncated

    micai_output stream; // `output`, if it is a user's stream
} micai_printer;

// Begins to print to a user's stream or, for NULL, to standard output. Returns another result than
// MICA_OK if the stream cannot be written, which is reported. Otherwise, micai_print_end() must be
// called.
mica_result micai_print_begin(micai_printer *to, micai_host *host, const char *call,
                              const mica_stream *stream);

// Completes the stream, or flushes standard output, for debuggers. If `result` is a failure,
// nothing is left in a path or buffer. Returns the first failure.
mica_result micai_print_end(micai_printer *to, mica_result result);

// Prints up to MICAI_OUTPUT_SPACE - 1 bytes.
void micai_print(micai_printer *to, const char *format, ...) MICA_PRINTF(2, 3);

// Prints in quotes, on one line and safe for a terminal. `"`, `\`, control characters and bytes
// that are not UTF-8 are printed by number, as \x0a. The text ends at its first zero, or after
// `size` bytes.
void micai_print_quoted(micai_printer *to, const char *text, size_t size);

#endif
