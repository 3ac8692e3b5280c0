// The invariant of the history, and of the bytes that it has.
#include "time/history_internal.h"

#include "runner/test.h"
#include "runner/world.h"

static void snapshots_out_of_order_are_found(void)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    for (int i = 0; i < 3; i++) {
        mica_snapshot snapshot = mica_snapshot_take(world);
        CHECK(!MICA_IS_NONE(snapshot));
    }
    micai_history *history = micai_history_of(world);
    const micai_history saved = *history;
    history->here = 4;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    CHECK_ERROR(&t, MICA_ERROR_CORRUPT, "invariant Z1 is broken: the snapshots are out of order");
    *history = saved;
    history->kept.items[1].number = 1;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    CHECK_ERROR(&t, MICA_ERROR_CORRUPT, "invariant Z1 is broken: the snapshots are out of order");
    history->kept.items[1].number = 2;
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    test_world_end(&t);
}

TESTS(time_history, snapshots_out_of_order_are_found)
