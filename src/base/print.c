// Printing. print.h has the contract.
#include "base/print.h"

#include <stdarg.h>

mica_result micai_printer_to_file(micai_printer *to_out, micai_host *host, const char *call,
                                  FILE *file)
{
    *to_out = (micai_printer){.file = file};
    return file ? MICA_OK : micai_fail_null(host, call, "file");
}

mica_result micai_printer_to_text(micai_printer *to_out, micai_host *host, const char *call,
                                  char *text, size_t size)
{
    *to_out = (micai_printer){.text = text, .size = size};
    if (!text && size > 0) {
        return micai_fail_null(host, call, "text");
    }
    if (size > 0) {
        text[0] = '\0';
    }
    return MICA_OK;
}

void micai_print(micai_printer *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool room = to->length < to->size;
    int length = to->file ? vfprintf(to->file, format, arguments)
                          : vsnprintf(room ? to->text + to->length : NULL,
                                      room ? to->size - to->length : 0, format, arguments);
    va_end(arguments);
    to->length += length > 0 ? (size_t)length : 0;
}
