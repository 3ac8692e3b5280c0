// Printed text. print.h has the contract.
#include "runner/print.h"

#include <string.h>

#include "runner/test.h"

static mica_buffer buffer;
static const mica_stream stream = {.buffer = &buffer};

const mica_stream *test_print_begin(void)
{
    return &stream;
}

size_t test_print_end(mica_result result, char *text, size_t size)
{
    size_t length = result ? 0 : buffer.size;
    size_t kept = length < size ? length : size - 1;
    if (kept > 0) {
        memcpy(text, buffer.data, kept);
        CHECK_EQUAL(0, buffer.data[length]);
    }
    text[kept] = '\0';
    mica_buffer_free(&buffer);
    return length;
}
