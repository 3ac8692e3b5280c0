// Text for people, into a file or into memory.
//
// Room:    base. Called by world/ and system/ (printers).
#ifndef MICAI_BASE_PRINT_H
#define MICAI_BASE_PRINT_H

#include <mica/error.h>
#include <stdio.h>

#include "base/host.h"

// Where text goes: to `file`, or else to `text`, cut to `size` bytes with the zero that ends it.
typedef struct micai_printer {
    FILE *file;
    char *text;
    size_t size;
    size_t length; // of all that was printed, be it cut
} micai_printer;

void micai_print(micai_printer *to, const char *format, ...) MICA_PRINTF(2, 3);

// In quotes, on one line and safe for a terminal: `"`, `\`, control characters and what is not UTF-8 are printed by
// number, as \x0a. Up to the
// first zero among so many bytes.
void micai_print_quoted(micai_printer *to, const char *text, size_t size);

// What prints something, in the name of a call: MICA_OK, or what was wrong, which is reported.
typedef mica_result micai_print_fn(micai_printer *to, const char *call, void *what);

// The three forms in which users have something printed: to standard output, flushed for debuggers; to a
// file; into a text, of which is told how long the whole is. MICA_ERROR_NULL without file or text.
void micai_print_out(const char *call, micai_print_fn *print, void *what);
mica_result micai_print_file(micai_host *host, const char *call, FILE *file, micai_print_fn *print,
                             void *what);
size_t micai_print_text(micai_host *host, const char *call, char *text, size_t size,
                        micai_print_fn *print, void *what);

#endif
