// The rows of <mica/delta.h>.
#include "negative/table.h"

#include <string.h>

static void deltas_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_snapshot kept = table_begin_time(t);
    const mica_delta_field integer = {t->position, "x", 1};
    const mica_delta_desc unended = {.last_zero = 1};
    const mica_delta_desc oversized = {.fields = &integer, .field_count = 1};
    const mica_delta_desc contradictory = {.field_count = 1};
    mica_delta_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);

    NULL_WORLD(mica_delta_save, FAILS, mica_delta_save(w, kept, kept, &t->stream, NULL));
    REFUSED(mica_delta_save, FAILS, mica_delta_save(w, kept, kept, &t->stream, NULL));
    BAD_SNAPSHOTS(mica_delta_save.from, FAILS, MICA_ERROR_TIME,
                  mica_delta_save(w, x, kept, &t->stream, NULL));
    BAD_SNAPSHOTS(mica_delta_save.to, FAILS, MICA_ERROR_TIME,
                  mica_delta_save(w, kept, x, &t->stream, NULL));
    BAD_STREAMS(mica_delta_save.stream, FAILS, mica_delta_save(w, kept, kept, x, NULL));
    SILENT(mica_delta_save.desc.null, !mica_delta_save(w, kept, kept, &t->stream, NULL));
    SILENT(mica_delta_save.desc.zeroed,
           !mica_delta_save(w, kept, kept, &t->stream, &(mica_delta_desc){0}));
    FAILS(mica_delta_save.desc.garbage, MICA_ERROR_DESC,
          mica_delta_save(w, kept, kept, &t->stream, &garbage));
    FAILS(mica_delta_save.desc.unended, MICA_ERROR_DESC,
          mica_delta_save(w, kept, kept, &t->stream, &unended));
    FAILS(mica_delta_save.desc.oversized, MICA_ERROR_FIELD,
          mica_delta_save(w, kept, kept, &t->stream, &oversized));
    FAILS(mica_delta_save.desc.contradictory, MICA_ERROR_NULL,
          mica_delta_save(w, kept, kept, &t->stream, &contradictory));

    NULL_WORLD(mica_delta_load, FAILS, mica_delta_load(w, &t->stream));
    REFUSED(mica_delta_load, FAILS, mica_delta_load(w, &t->stream));
    BAD_STREAMS(mica_delta_load.stream, FAILS, mica_delta_load(w, x));
    table_end(t);
}

TESTS(table_delta, deltas_refuse_bad_arguments)
