// Printing. print.h has the contract.
#include "base/print.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

void micai_print(micai_printer *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool fits = to->length < to->size;
    int length = to->file ? vfprintf(to->file, format, arguments)
                          : vsnprintf(fits ? to->text + to->length : NULL,
                                      fits ? to->size - to->length : 0, format, arguments);
    va_end(arguments);
    to->length += length > 0 ? (size_t)length : 0;
}

static bool is_shown(const char *text, size_t size)
{
    return !micai_text_is_control(text, size) && text[0] != '"' && text[0] != '\\';
}

void micai_print_quoted(micai_printer *to, const char *text, size_t size)
{
    const char *end = size > 0 ? memchr(text, 0, size) : NULL;
    size = end ? (size_t)(end - text) : size;
    micai_print(to, "\"");
    for (size_t i = 0; i < size;) {
        size_t count = micai_text_character(text + i, size - i);
        if (count > 0 && is_shown(text + i, size - i)) {
            micai_print(to, "%.*s", (int)count, text + i);
        } else {
            count = count > 0 ? count : 1;
            for (size_t k = 0; k < count; k++) {
                micai_print(to, "\\x%02x", (unsigned)(unsigned char)text[i + k]);
            }
        }
        i += count;
    }
    micai_print(to, "\"");
}

void micai_print_out(const char *call, micai_print_fn *print, void *what)
{
    (void)print(&(micai_printer){.file = stdout}, call, what);
    (void)fflush(stdout);
}

mica_result micai_print_file(micai_host *host, const char *call, FILE *file, micai_print_fn *print,
                             void *what)
{
    return file ? print(&(micai_printer){.file = file}, call, what)
                : micai_fail_null(host, call, "file");
}

size_t micai_print_text(micai_host *host, const char *call, char *text, size_t size,
                        micai_print_fn *print, void *what)
{
    micai_printer to = {.text = text, .size = size};
    if (!text && size > 0) {
        (void)micai_fail_null(host, call, "text");
        return 0;
    }
    if (size > 0) {
        text[0] = '\0';
    }
    (void)print(&to, call, what);
    return to.length;
}
