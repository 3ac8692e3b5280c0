// The rows of <mica/tape.h>.
#include "negative/table.h"

#include <string.h>

// Records a tape without steps.
static void record(table *t)
{
    CHECK(mica_tape_begin(t->world, &t->stream, NULL) != NULL);
    CHECK_EQUAL(MICA_OK, mica_tape_end(t->world));
    table_settle(t);
}

static void tapes_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    record(t);
    mica_tape_desc wild;
    memset(&wild, 0xA5, sizeof wild);
    const mica_tape_desc unended = {.last_zero = 1};
    uint64_t played;

    NULL_WORLD(mica_tape_begin, NULLS, mica_tape_begin(w, &t->stream, NULL));
    REFUSED(mica_tape_begin, NULLS, mica_tape_begin(w, &t->stream, NULL));
    BAD_STREAMS(mica_tape_begin.stream, NULLS, mica_tape_begin(w, x, NULL));
    NULLS(mica_tape_begin.desc.garbage, MICA_ERROR_DESC, mica_tape_begin(w, &t->stream, &wild));
    NULLS(mica_tape_begin.desc.unended, MICA_ERROR_DESC, mica_tape_begin(w, &t->stream, &unended));
    SILENT(mica_tape_begin.desc.null, mica_tape_begin(w, &t->stream, NULL) != NULL);
    mica_tape_end(w);
    SILENT(mica_tape_begin.desc.zeroed,
           mica_tape_begin(w, &t->stream, &(mica_tape_desc){0}) != NULL);
    mica_tape_end(w);

    NULL_WORLD(mica_tape_end, FAILS, mica_tape_end(w));
    CHECK(mica_tape_begin(w, &t->stream, NULL) != NULL);
    REFUSED(mica_tape_end, FAILS, mica_tape_end(w));
    mica_tape_end(w);

    NULL_WORLD(mica_tape_play, FAILS, mica_tape_play(w, &t->stream, 0, 0, &played));
    REFUSED(mica_tape_play, FAILS, mica_tape_play(w, &t->stream, 0, 0, &played));
    BAD_STREAMS(mica_tape_play.stream, FAILS, mica_tape_play(w, x, 0, 0, &played));
    SILENT(mica_tape_play.played_out.null, !mica_tape_play(w, &t->stream, 0, 0, NULL));
    FAILS(mica_tape_play.first.huge, MICA_ERROR_ARGUMENT,
          mica_tape_play(w, &t->stream, UINT64_MAX, 0, &played));
    SILENT(mica_tape_play.count.huge, !mica_tape_play(w, &t->stream, 0, UINT64_MAX, &played));
    table_end(t);
}

TESTS(table_tape, tapes_refuse_bad_arguments)
