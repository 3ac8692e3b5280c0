// Printers with bad arguments.
#include <string.h>

#include "negative/table.h"

typedef struct streams {
    mica_buffer buffer;
    mica_stream good, garbage, contradictory;
} streams;

static const streams *open_streams(void)
{
    static streams g;
    g = (streams){.good.buffer = &g.buffer,
                  .contradictory = {.buffer = &g.buffer, .path = "print.txt"}};
    memset(&g.garbage, 0xA5, sizeof g.garbage);
    return &g;
}

// `y` is the stream; the first is standard output. Prints the rows of a stream of a printer, whose call is right otherwise.
#define BAD_STREAMS(function, call)                                                                \
    do {                                                                                           \
        const streams *g = open_streams();                                                         \
        const mica_stream *y = NULL;                                                               \
        SILENT(function.stream.null, !call);                                                       \
        y = &(mica_stream){0};                                                                     \
        FAILS(function.stream.zeroed, MICA_ERROR_ARGUMENT, call);                                  \
        y = &g->garbage;                                                                           \
        FAILS(function.stream.garbage, MICA_ERROR_DESC, call);                                     \
        y = &g->contradictory;                                                                     \
        FAILS(function.stream.contradictory, MICA_ERROR_ARGUMENT, call);                           \
        y = &g->good;                                                                              \
        NULL_WORLD(function, FAILS, call);                                                         \
        CHECK(!g->buffer.data);                                                                    \
        ALLOWED(function, !call);                                                                  \
        CHECK(g->buffer.size > 0);                                                                 \
        mica_buffer_free(g->good.buffer);                                                          \
    } while (0)

static void printing_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_query q = t->movers;

    BAD_STREAMS(mica_entity_print, mica_entity_print(w, t->full, y));
    BAD_ENTITIES(mica_entity_print.entity, SILENT, MICA_OK, !mica_entity_print(w, x, NULL));
    BAD_STREAMS(mica_world_print, mica_world_print(w, y));
    BAD_STREAMS(mica_table_print, mica_table_print(w, 0, y));
    SILENT(mica_table_print.table.beyond, !mica_table_print(w, 1000, NULL));
    SILENT(mica_table_print.table.huge, !mica_table_print(w, UINT32_MAX, NULL));
    BAD_STREAMS(mica_query_print, mica_query_print(w, q, y));
    BAD_QUERIES(mica_query_print.query, SILENT, MICA_OK, !mica_query_print(w, x, NULL));
    BAD_STREAMS(mica_schedule_print, mica_schedule_print(w, y));
    BAD_STREAMS(mica_timings_print, mica_timings_print(w, y));
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
