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

// MICA_ERROR_NULL, naming the call, if there is neither file nor text to print to.
mica_result micai_printer_to_file(micai_printer *to_out, micai_host *host, const char *call,
                                  FILE *file);
mica_result micai_printer_to_text(micai_printer *to_out, micai_host *host, const char *call,
                                  char *text, size_t size);

void micai_print(micai_printer *to, const char *format, ...) MICA_PRINTF(2, 3);

#endif
