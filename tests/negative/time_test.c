// The rows of <mica/time.h>.
#include "negative/table.h"

#include <math.h>
#include <string.h>

static void time_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    int number = 0;
    mica_time_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    const mica_time_desc unended = {.last_zero = 1};
    const mica_time_desc contradictory = {.budget = 9, .thin = true, .fail_when_full = true};

    NULL_WORLD(mica_time_begin, FAILS, mica_time_begin(w, NULL));
    REFUSED(mica_time_begin, FAILS, mica_time_begin(w, NULL));
    WORKS(mica_time_begin.desc.null, !mica_time_begin(w, NULL));
    WORKS(mica_time_begin.desc.zeroed, !mica_time_begin(w, &(mica_time_desc){0}));
    FAILS(mica_time_begin.desc.garbage, MICA_ERROR_DESC, mica_time_begin(w, &garbage));
    FAILS(mica_time_begin.desc.unended, MICA_ERROR_DESC, mica_time_begin(w, &unended));
    FAILS(mica_time_begin.desc.contradictory, MICA_ERROR_ARGUMENT,
          mica_time_begin(w, &contradictory));
    WORKS(mica_time_include.name.taken,
          !mica_time_begin(w, NULL) && !mica_time_include(w, &number, sizeof number, "number") &&
              !mica_time_include(w, &garbage, sizeof garbage, "number"));

    table_begin_time(t);
    NULL_WORLD(mica_time_end, FAILS, mica_time_end(w));
    REFUSED(mica_time_end, FAILS, mica_time_end(w));

    NULL_WORLD(mica_time_include, FAILS, mica_time_include(w, &number, sizeof number, "number"));
    REFUSED(mica_time_include, FAILS, mica_time_include(w, &number, sizeof number, "number"));
    FAILS(mica_time_include.data.null, MICA_ERROR_NULL,
          mica_time_include(w, NULL, sizeof number, "number"));
    FAILS(mica_time_include.size.zero, MICA_ERROR_ARGUMENT,
          mica_time_include(w, &number, 0, "number"));
    FAILS(mica_time_include.name.null, MICA_ERROR_NULL,
          mica_time_include(w, &number, sizeof number, NULL));
    BAD_NAMES(mica_time_include.name, FAILS, MICA_ERROR_NAME,
              mica_time_include(w, &number, sizeof number, x));

    NULL_WORLD(mica_time_exclude, FAILS, mica_time_exclude(w, &number));
    REFUSED(mica_time_exclude, FAILS, mica_time_exclude(w, &number));
    FAILS(mica_time_exclude.data.null, MICA_ERROR_NULL, mica_time_exclude(w, NULL));

    NULL_WORLD(mica_time_verify, FAILS, mica_time_verify(w));
    REFUSED(mica_time_verify, FAILS, mica_time_verify(w));

    NULL_WORLD(mica_time_get_stats, NULLS, mica_time_get_stats(w).begun);
    ALLOWED(mica_time_get_stats, mica_time_get_stats(w).begun);
    table_end(t);
}

static bool ignore(const mica_state_difference *difference)
{
    (void)difference;
    return true;
}

static void snapshots_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_snapshot kept = table_begin_time(t);

    NULL_WORLD(mica_snapshot_take, NONES, mica_snapshot_take(w));
    REFUSED(mica_snapshot_take, NONES, mica_snapshot_take(w));

    NULL_WORLD(mica_snapshot_restore, FAILS, mica_snapshot_restore(w, kept));
    REFUSED(mica_snapshot_restore, FAILS, mica_snapshot_restore(w, kept));
    BAD_SNAPSHOTS(mica_snapshot_restore.snapshot, FAILS, MICA_ERROR_TIME,
                  mica_snapshot_restore(w, x));

    NULL_WORLD(mica_snapshot_drop, FAILS, mica_snapshot_drop(w, kept));
    REFUSED(mica_snapshot_drop, FAILS, mica_snapshot_drop(w, kept));
    BAD_SNAPSHOTS(mica_snapshot_drop.snapshot, FAILS, MICA_ERROR_TIME, mica_snapshot_drop(w, x));

    NULL_WORLD(mica_snapshot_pin, FAILS, mica_snapshot_pin(w, kept, true));
    REFUSED(mica_snapshot_pin, FAILS, mica_snapshot_pin(w, kept, true));
    BAD_SNAPSHOTS(mica_snapshot_pin.snapshot, FAILS, MICA_ERROR_TIME,
                  mica_snapshot_pin(w, x, true));

    NULL_WORLD(mica_snapshot_hash, NULLS, mica_snapshot_hash(w, kept));
    REFUSED(mica_snapshot_hash, NULLS, mica_snapshot_hash(w, kept));
    BAD_SNAPSHOTS(mica_snapshot_hash.snapshot, NULLS, MICA_ERROR_TIME, mica_snapshot_hash(w, x));

    NULL_WORLD(mica_snapshot_compare, FAILS, mica_snapshot_compare(w, kept, kept, ignore, NULL));
    REFUSED(mica_snapshot_compare, FAILS, mica_snapshot_compare(w, kept, kept, ignore, NULL));
    BAD_SNAPSHOTS(mica_snapshot_compare.from, FAILS, MICA_ERROR_TIME,
                  mica_snapshot_compare(w, x, kept, ignore, NULL));
    BAD_SNAPSHOTS(mica_snapshot_compare.to, FAILS, MICA_ERROR_TIME,
                  mica_snapshot_compare(w, kept, x, ignore, NULL));
    FAILS(mica_snapshot_compare.function.null, MICA_ERROR_NULL,
          mica_snapshot_compare(w, kept, kept, NULL, NULL));
    SILENT(mica_snapshot_compare.user.null, !mica_snapshot_compare(w, kept, kept, ignore, NULL));

    NULL_WORLD(mica_snapshot_is_kept, NULLS, mica_snapshot_is_kept(w, kept));
    ALLOWED(mica_snapshot_is_kept, mica_snapshot_is_kept(w, kept));
    BAD_SNAPSHOTS(mica_snapshot_is_kept.snapshot, SILENT, MICA_OK, !mica_snapshot_is_kept(w, x));

    NULL_WORLD(mica_snapshot_next, NONES, mica_snapshot_next(w, kept));
    ALLOWED(mica_snapshot_next, MICA_IS_NONE(mica_snapshot_next(w, kept)));
    SILENT(mica_snapshot_next.snapshot.none,
           MICA_EQUAL(mica_snapshot_next(w, t->snapshots[0]), kept));
    BAD_SNAPSHOTS_BUT_NONE(mica_snapshot_next.snapshot, NONES, MICA_ERROR_TIME,
                           mica_snapshot_next(w, x));

    NULL_WORLD(mica_snapshot_previous, NONES, mica_snapshot_previous(w, kept));
    ALLOWED(mica_snapshot_previous, MICA_IS_NONE(mica_snapshot_previous(w, kept)));
    SILENT(mica_snapshot_previous.snapshot.none,
           MICA_EQUAL(mica_snapshot_previous(w, t->snapshots[0]), kept));
    BAD_SNAPSHOTS_BUT_NONE(mica_snapshot_previous.snapshot, NONES, MICA_ERROR_TIME,
                           mica_snapshot_previous(w, x));

    NULL_WORLD(mica_snapshot_current, NONES, mica_snapshot_current(w));
    ALLOWED(mica_snapshot_current, MICA_EQUAL(mica_snapshot_current(w), kept));
    table_end(t);
}

static void copies_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_world_desc unended = {.last_zero = 1};
    mica_world_desc oversized = {.max_types = UINT32_MAX};
    mica_world_desc garbage;
    memset(&garbage, 0xee, sizeof garbage);
    mica_snapshot kept = table_begin_time(t);
    mica_world *twin = mica_twin_new(w, NULL);

    NULL_WORLD(mica_twin_new, NULLS, mica_twin_new(w, NULL));
    ALLOWED(mica_twin_new, !mica_world_free(mica_twin_new(w, NULL)));
    SILENT(mica_twin_new.desc.null, !mica_world_free(mica_twin_new(w, NULL)));
    SILENT(mica_twin_new.desc.zeroed, !mica_world_free(mica_twin_new(w, &(mica_world_desc){0})));
    APART(NULLS(mica_twin_new.desc.garbage, MICA_ERROR_DESC, mica_twin_new(w, &garbage)));
    APART(NULLS(mica_twin_new.desc.unended, MICA_ERROR_DESC, mica_twin_new(w, &unended)));
    APART(NULLS(mica_twin_new.desc.oversized, MICA_ERROR_ARGUMENT, mica_twin_new(w, &oversized)));

    NULL_WORLD(mica_snapshot_copy, FAILS, mica_snapshot_copy(w, kept, twin));
    REFUSED(mica_snapshot_copy, FAILS, mica_snapshot_copy(w, kept, twin));
    BAD_SNAPSHOTS(mica_snapshot_copy.snapshot, FAILS, MICA_ERROR_TIME,
                  mica_snapshot_copy(w, x, twin));
    FAILS(mica_snapshot_copy.twin.null, MICA_ERROR_NULL, mica_snapshot_copy(w, kept, NULL));
    FAILS(mica_snapshot_copy.twin.same, MICA_ERROR_ARGUMENT, mica_snapshot_copy(w, kept, w));
    FAILS(mica_snapshot_copy.twin.foreign, MICA_ERROR_ARGUMENT,
          mica_snapshot_copy(w, kept, t->foreign));
    mica_world_free(twin);
    table_end(t);
}

static void sync_tests_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    table_begin_time(t);

    NULL_WORLD(mica_sync_test, FAILS, mica_sync_test(w, 1, NULL));
    REFUSED(mica_sync_test, FAILS, mica_sync_test(w, 1, NULL));
    FAILS(mica_sync_test.dt.negative, MICA_ERROR_ARGUMENT, mica_sync_test(w, -1, NULL));
    FAILS(mica_sync_test.dt.nan, MICA_ERROR_ARGUMENT, mica_sync_test(w, NAN, NULL));
    FAILS(mica_sync_test.dt.infinite, MICA_ERROR_ARGUMENT, mica_sync_test(w, INFINITY, NULL));
    WORKS(mica_sync_test.desync_out.null, !mica_sync_test(w, 1, NULL));
    table_end(t);
}

TESTS(table_time, time_refuses_bad_arguments, snapshots_refuse_bad_arguments,
      copies_refuse_bad_arguments, sync_tests_refuse_bad_arguments)
