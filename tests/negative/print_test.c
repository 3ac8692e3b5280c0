// Printers with bad arguments.
#include <string.h>

#include "negative/table.h"

// The rows of the stream of a printer, whose call is right otherwise. `x` is the stream; NULL is standard output.
#define PRINTS(function, call)                                                                     \
    do {                                                                                           \
        BAD_STREAMS_BUT_NULL(function.stream, FAILS, call);                                        \
        const mica_stream *x = NULL;                                                               \
        SILENT(function.stream.null, !call);                                                       \
        x = &t->stream;                                                                            \
        NULL_WORLD(function, FAILS, call);                                                         \
        CHECK(!t->buffer.data);                                                                    \
        ALLOWED(function, !call);                                                                  \
        CHECK(t->buffer.size > 0);                                                                 \
        mica_buffer_free(&t->buffer);                                                              \
    } while (0)

static void printing_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_query q = t->movers;

    PRINTS(mica_entity_print, mica_entity_print(w, t->full, x));
    BAD_ENTITIES(mica_entity_print.entity, SILENT, MICA_OK, !mica_entity_print(w, x, NULL));
    PRINTS(mica_world_print, mica_world_print(w, x));
    PRINTS(mica_table_print, mica_table_print(w, 0, x));
    SILENT(mica_table_print.table.beyond, !mica_table_print(w, 1000, NULL));
    SILENT(mica_table_print.table.huge, !mica_table_print(w, UINT32_MAX, NULL));
    PRINTS(mica_query_print, mica_query_print(w, q, x));
    BAD_QUERIES(mica_query_print.query, SILENT, MICA_OK, !mica_query_print(w, x, NULL));
    PRINTS(mica_schedule_print, mica_schedule_print(w, x));
    PRINTS(mica_timings_print, mica_timings_print(w, x));
    table_end(t);
}

static void quoting_refuses_bad_arguments(void)
{
    table *t = table_begin();
    char text[40];
    APART(NULLS(mica_text_quote.bytes.null, MICA_ERROR_NULL, mica_text_quote(NULL, 4, text, 40)));
    SILENT(mica_text_quote.count.zero,
           mica_text_quote(NULL, 0, text, 40) == 2 && strcmp(text, "\"\"") == 0);
    APART(NULLS(mica_text_quote.text.null, MICA_ERROR_NULL, mica_text_quote("a", 1, NULL, 40)));
    SILENT(mica_text_quote.size.zero, mica_text_quote("a", 1, NULL, 0) == 3);
    table_end(t);
}

TESTS(table_print, printing_refuses_bad_arguments, quoting_refuses_bad_arguments)
