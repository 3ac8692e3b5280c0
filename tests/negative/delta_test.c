// The rows of <mica/delta.h>.
#include "negative/table.h"

#include <string.h>

enum { SNAPSHOT_KINDS = 4 };

static const char *const snapshot_kinds[SNAPSHOT_KINDS] = {"none", "garbage", "dropped", "foreign"};

#define BAD_SNAPSHOTS(prefix, form, code, call)                                                    \
    BAD_(mica_snapshot, bad, snapshot_kinds, SNAPSHOT_KINDS, prefix, form, code, call)

// What can be given as a stream.
typedef struct streams {
    mica_buffer buffer;
    mica_stream good, garbage, contradictory;
} streams;

static void open_streams(streams *g)
{
    *g = (streams){.good.buffer = &g->buffer,
                   .contradictory = {.buffer = &g->buffer, .path = "delta.mica"}};
    memset(&g->garbage, 0xA5, sizeof g->garbage);
}

// Begins time, fills in what is wrong, and returns a snapshot.
static mica_snapshot begin_time(table *t, mica_snapshot bad[SNAPSHOT_KINDS])
{
    mica_world *const worlds[] = {t->world, t->foreign};
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(MICA_OK, mica_time_begin(worlds[i], NULL));
    }
    mica_snapshot dropped = mica_snapshot_take(t->world);
    mica_snapshot kept = mica_snapshot_take(t->world);
    CHECK_EQUAL(MICA_OK, mica_snapshot_drop(t->world, dropped));
    bad[0] = (mica_snapshot){0};
    memset(&bad[1], 0xA5, sizeof bad[1]);
    bad[2] = dropped;
    bad[3] = mica_snapshot_take(t->foreign);
    table_settle(t);
    return kept;
}

static void deltas_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_snapshot bad[SNAPSHOT_KINDS];
    const mica_snapshot kept = begin_time(t, bad);
    streams g;
    open_streams(&g);
    const mica_delta_field integer = {t->position, "x", 1};
    const mica_delta_desc unended = {.last_zero = 1};
    const mica_delta_desc oversized = {.fields = &integer, .field_count = 1};
    const mica_delta_desc contradictory = {.field_count = 1};
    mica_delta_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);

    NULL_WORLD(mica_delta_save, FAILS, mica_delta_save(w, kept, kept, &g.good, NULL));
    REFUSED(mica_delta_save, FAILS, mica_delta_save(w, kept, kept, &g.good, NULL));
    BAD_SNAPSHOTS(mica_delta_save.from, FAILS, MICA_ERROR_TIME,
                  mica_delta_save(w, x, kept, &g.good, NULL));
    BAD_SNAPSHOTS(mica_delta_save.to, FAILS, MICA_ERROR_TIME,
                  mica_delta_save(w, kept, x, &g.good, NULL));
    FAILS(mica_delta_save.stream.null, MICA_ERROR_NULL, mica_delta_save(w, kept, kept, NULL, NULL));
    FAILS(mica_delta_save.stream.zeroed, MICA_ERROR_ARGUMENT,
          mica_delta_save(w, kept, kept, &(mica_stream){0}, NULL));
    FAILS(mica_delta_save.stream.garbage, MICA_ERROR_DESC,
          mica_delta_save(w, kept, kept, &g.garbage, NULL));
    FAILS(mica_delta_save.stream.contradictory, MICA_ERROR_ARGUMENT,
          mica_delta_save(w, kept, kept, &g.contradictory, NULL));
    SILENT(mica_delta_save.desc.null, !mica_delta_save(w, kept, kept, &g.good, NULL));
    SILENT(mica_delta_save.desc.zeroed,
           !mica_delta_save(w, kept, kept, &g.good, &(mica_delta_desc){0}));
    FAILS(mica_delta_save.desc.garbage, MICA_ERROR_DESC,
          mica_delta_save(w, kept, kept, &g.good, &garbage));
    FAILS(mica_delta_save.desc.unended, MICA_ERROR_DESC,
          mica_delta_save(w, kept, kept, &g.good, &unended));
    FAILS(mica_delta_save.desc.oversized, MICA_ERROR_FIELD,
          mica_delta_save(w, kept, kept, &g.good, &oversized));
    FAILS(mica_delta_save.desc.contradictory, MICA_ERROR_NULL,
          mica_delta_save(w, kept, kept, &g.good, &contradictory));

    NULL_WORLD(mica_delta_load, FAILS, mica_delta_load(w, &g.good));
    REFUSED(mica_delta_load, FAILS, mica_delta_load(w, &g.good));
    FAILS(mica_delta_load.stream.null, MICA_ERROR_NULL, mica_delta_load(w, NULL));
    FAILS(mica_delta_load.stream.zeroed, MICA_ERROR_ARGUMENT,
          mica_delta_load(w, &(mica_stream){0}));
    FAILS(mica_delta_load.stream.garbage, MICA_ERROR_DESC, mica_delta_load(w, &g.garbage));
    FAILS(mica_delta_load.stream.contradictory, MICA_ERROR_ARGUMENT,
          mica_delta_load(w, &g.contradictory));
    mica_buffer_free(&g.buffer);
    table_end(t);
}

TESTS(table_delta, deltas_refuse_bad_arguments)
