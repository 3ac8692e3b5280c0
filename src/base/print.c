// Printing. print.h has the contract.
#include "base/print.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

mica_result micai_print_begin(micai_printer *to, micai_host *host, const char *call,
                              const mica_stream *stream)
{
    to->text = NULL;
    to->size = to->length = 0;
    to->file = stream ? NULL : stdout;
    to->output = stream ? &to->stream : NULL;
    if (!stream) {
        return MICA_OK;
    }
    host = micai_host_main(host); // whose callbacks the world refuses changes from
    micai_host_begin(host, call);
    mica_result result = micai_output_open(to->output, host, call, stream, MICAI_OUTPUT_SMALL);
    if (result) {
        micai_host_end(host);
    }
    return result;
}

mica_result micai_print_end(micai_printer *to, mica_result result)
{
    if (to->file) {
        (void)fflush(to->file);
        return result;
    }
    micai_host *host = to->output->host;
    result = micai_output_close(to->output, result);
    micai_host_end(host);
    return result;
}

static size_t print_at(char *text, size_t size, const char *format, va_list arguments)
{
    int length = vsnprintf(text, size, format, arguments);
    return length > 0 ? (size_t)length : 0;
}

void micai_print(micai_printer *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (to->file) {
        (void)vfprintf(to->file, format, arguments);
    } else if (to->output) {
        size_t length = print_at((char *)micai_output_reserve(to->output), MICAI_OUTPUT_SPACE,
                                 format, arguments);
        micai_output_advance(to->output,
                             length < MICAI_OUTPUT_SPACE ? length : MICAI_OUTPUT_SPACE - 1);
    } else {
        bool room = to->length < to->size;
        to->length += print_at(room ? to->text + to->length : NULL,
                               room ? to->size - to->length : 0, format, arguments);
    }
    va_end(arguments);
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
