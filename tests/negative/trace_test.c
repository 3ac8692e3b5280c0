// The rows of <mica/trace.h>.
#include "negative/table.h"

#include <string.h>

static void ignore(const mica_trace_point *point)
{
    (void)point;
}

static void tracing_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    char longer[300];
    memset(longer, 'x', sizeof longer);
    longer[299] = '\0';
    mica_trace_desc wild;
    memset(&wild, 0xA5, sizeof wild);
    const mica_trace_desc unended = {.last_zero = 1};

    NULL_WORLD(mica_trace_set, FAILS, mica_trace_set(w, ignore, NULL));
    REFUSED(mica_trace_set, FAILS, mica_trace_set(w, ignore, NULL));
    SILENT(mica_trace_set.function.null, !mica_trace_set(w, NULL, NULL));
    SILENT(mica_trace_set.user.null, !mica_trace_set(w, ignore, NULL));
    mica_trace_set(w, NULL, NULL);

    NULL_WORLD(mica_trace_begin, FAILS, mica_trace_begin(w, &t->stream, NULL));
    REFUSED(mica_trace_begin, FAILS, mica_trace_begin(w, &t->stream, NULL));
    BAD_STREAMS(mica_trace_begin.stream, FAILS, mica_trace_begin(w, x, NULL));
    FAILS(mica_trace_begin.desc.garbage, MICA_ERROR_DESC, mica_trace_begin(w, &t->stream, &wild));
    FAILS(mica_trace_begin.desc.unended, MICA_ERROR_DESC,
          mica_trace_begin(w, &t->stream, &unended));
    FAILS(mica_trace_begin.desc.oversized, MICA_ERROR_NAME,
          mica_trace_begin(w, &t->stream, &(mica_trace_desc){.name = longer}));
    SILENT(mica_trace_begin.desc.null, !mica_trace_begin(w, &t->stream, NULL));
    mica_trace_end(w);
    SILENT(mica_trace_begin.desc.zeroed, !mica_trace_begin(w, &t->stream, &(mica_trace_desc){0}));
    mica_trace_end(w);

    NULL_WORLD(mica_trace_end, FAILS, mica_trace_end(w));
    mica_trace_begin(w, &t->stream, NULL);
    REFUSED(mica_trace_end, FAILS, mica_trace_end(w));
    table_end(t);
}

static bool spans(mica_world *world, const char *name)
{
    mica_trace_span span = mica_trace_span_begin(world, name);
    return span.began_ns > 0 && !mica_trace_span_end(&span);
}

// While somebody traces.
static void spans_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    char longer[300];
    memset(longer, 'x', sizeof longer);
    longer[299] = '\0';
    mica_trace_begin(w, &t->stream, NULL);

    NULL_WORLD(mica_trace_span_begin, NULLS, mica_trace_span_begin(w, "s").began_ns);
    ALLOWED(mica_trace_span_begin, spans(w, "s"));
    NULLS(mica_trace_span_begin.name.null, MICA_ERROR_NULL,
          mica_trace_span_begin(w, NULL).began_ns);
    SILENT(mica_trace_span_begin.name.empty, spans(w, ""));
    SILENT(mica_trace_span_begin.name.long, spans(w, longer));
    SILENT(mica_trace_span_begin.name.control, spans(w, "a\tb"));
    SILENT(mica_trace_span_begin.name.taken, spans(w, "taken"));

    APART(FAILS(mica_trace_span_end.span.null, MICA_ERROR_NULL, mica_trace_span_end(NULL)));
    SILENT(mica_trace_span_end.span.zeroed, !mica_trace_span_end(&(mica_trace_span){0}));

    NULL_WORLD(mica_trace_mark, FAILS, mica_trace_mark(w, "m"));
    ALLOWED(mica_trace_mark, !mica_trace_mark(w, "m"));
    FAILS(mica_trace_mark.name.null, MICA_ERROR_NULL, mica_trace_mark(w, NULL));
    SILENT(mica_trace_mark.name.empty, !mica_trace_mark(w, ""));
    SILENT(mica_trace_mark.name.long, !mica_trace_mark(w, longer));
    SILENT(mica_trace_mark.name.control, !mica_trace_mark(w, "a\tb"));
    SILENT(mica_trace_mark.name.taken, !mica_trace_mark(w, "taken"));
    table_end(t);
}

TESTS(table_trace, tracing_refuses_bad_arguments, spans_refuse_bad_arguments)
