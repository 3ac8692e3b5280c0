// Readable text, to a file or to memory.
//
// Room:    base. Called by entity/, system/ and inspect/ (printers).
#ifndef MICAI_BASE_PRINT_H
#define MICAI_BASE_PRINT_H

#include <mica/error.h>
#include <stdio.h>

#include "base/host.h"

// The target of a text: `file`, or else `text`, truncated to `size` bytes with its terminating zero.
typedef struct micai_printer {
    FILE *file;
    char *text;
    size_t size;
    size_t length; // length of the complete text, with truncated characters
} micai_printer;

void micai_print(micai_printer *to, const char *format, ...) MICA_PRINTF(2, 3);

// Prints text in quotes, on one line, safe for a terminal. Quotes, backslashes, control characters and
// bytes that are not UTF-8 are printed as \x0a. Stops at the first zero or after `size` bytes.
void micai_print_quoted(micai_printer *to, const char *text, size_t size);

// Prints something on behalf of a public call. Returns MICA_OK or the error that it has reported.
typedef mica_result micai_print_fn(micai_printer *to, const char *call, void *what);

// The three forms of public print functions. The first prints to stdout and flushes it, for debuggers. The
// second prints to a file. The third prints to memory and returns the length of the complete text.
// MICA_ERROR_NULL if file or text is missing.
void micai_print_out(const char *call, micai_print_fn *print, void *what);
mica_result micai_print_file(micai_host *host, const char *call, FILE *file, micai_print_fn *print,
                             void *what);
size_t micai_print_text(micai_host *host, const char *call, char *text, size_t size,
                        micai_print_fn *print, void *what);

#endif
