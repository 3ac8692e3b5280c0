// The rows of <mica/tape.h>.
#include "negative/table.h"

#include <string.h>

static bool swallow(void *user, const void *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return true;
}

// Records a tape without steps.
static void record(table *t, mica_buffer *tape)
{
    CHECK(mica_tape_begin(t->world, &(mica_stream){.buffer = tape}, NULL) != NULL);
    CHECK_EQUAL(MICA_OK, mica_tape_end(t->world));
    table_settle(t);
}

static void tapes_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_buffer tape = {0};
    record(t, &tape);
    const mica_stream good = {.write = swallow};
    const mica_stream bytes = {.buffer = &tape};
    const mica_stream contradictory = {.buffer = &tape, .path = "tape.mica"};
    mica_stream garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    mica_tape_desc wild;
    memset(&wild, 0xA5, sizeof wild);
    const mica_tape_desc unended = {.last_zero = 1};
    uint64_t played;

    NULL_WORLD(mica_tape_begin, NULLS, mica_tape_begin(w, &good, NULL));
    REFUSED(mica_tape_begin, NULLS, mica_tape_begin(w, &good, NULL));
    NULLS(mica_tape_begin.stream.null, MICA_ERROR_NULL, mica_tape_begin(w, NULL, NULL));
    NULLS(mica_tape_begin.stream.zeroed, MICA_ERROR_ARGUMENT,
          mica_tape_begin(w, &(mica_stream){0}, NULL));
    NULLS(mica_tape_begin.stream.garbage, MICA_ERROR_DESC, mica_tape_begin(w, &garbage, NULL));
    NULLS(mica_tape_begin.stream.contradictory, MICA_ERROR_ARGUMENT,
          mica_tape_begin(w, &contradictory, NULL));
    NULLS(mica_tape_begin.desc.garbage, MICA_ERROR_DESC, mica_tape_begin(w, &good, &wild));
    NULLS(mica_tape_begin.desc.unended, MICA_ERROR_DESC, mica_tape_begin(w, &good, &unended));
    SILENT(mica_tape_begin.desc.null, mica_tape_begin(w, &good, NULL) != NULL);
    mica_tape_end(w);
    SILENT(mica_tape_begin.desc.zeroed, mica_tape_begin(w, &good, &(mica_tape_desc){0}) != NULL);
    mica_tape_end(w);

    NULL_WORLD(mica_tape_end, FAILS, mica_tape_end(w));
    CHECK(mica_tape_begin(w, &good, NULL) != NULL);
    REFUSED(mica_tape_end, FAILS, mica_tape_end(w));
    mica_tape_end(w);

    NULL_WORLD(mica_tape_play, FAILS, mica_tape_play(w, &bytes, 0, 0, &played));
    REFUSED(mica_tape_play, FAILS, mica_tape_play(w, &bytes, 0, 0, &played));
    FAILS(mica_tape_play.stream.null, MICA_ERROR_NULL, mica_tape_play(w, NULL, 0, 0, &played));
    FAILS(mica_tape_play.stream.zeroed, MICA_ERROR_ARGUMENT,
          mica_tape_play(w, &(mica_stream){0}, 0, 0, &played));
    FAILS(mica_tape_play.stream.garbage, MICA_ERROR_DESC,
          mica_tape_play(w, &garbage, 0, 0, &played));
    FAILS(mica_tape_play.stream.contradictory, MICA_ERROR_ARGUMENT,
          mica_tape_play(w, &contradictory, 0, 0, &played));
    SILENT(mica_tape_play.played_out.null, !mica_tape_play(w, &bytes, 0, 0, NULL));
    FAILS(mica_tape_play.first.huge, MICA_ERROR_ARGUMENT,
          mica_tape_play(w, &bytes, UINT64_MAX, 0, &played));
    SILENT(mica_tape_play.count.huge, !mica_tape_play(w, &bytes, 0, UINT64_MAX, &played));
    mica_buffer_free(&tape);
    table_end(t);
}

TESTS(table_tape, tapes_refuse_bad_arguments)
