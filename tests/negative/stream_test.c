// The rows of <mica/stream.h>. What is wrong with a stream is reported by those who are given one.
#include "negative/table.h"

static void buffers_refuse_nothing(void)
{
    table *t = table_begin();
    mica_buffer buffer = {0};
    SILENT(mica_buffer_free.buffer.null, (mica_buffer_free(NULL), true));
    SILENT(mica_buffer_free.buffer.zeroed, (mica_buffer_free(&buffer), buffer.data == NULL));
    table_end(t);
}

TESTS(table_stream, buffers_refuse_nothing)
