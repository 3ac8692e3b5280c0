// Tests of src/core/slot_lane.c.
#include <string.h>

#include "unit/core/slots.h"

enum { LANES = 3, TAKEN_MAX = 64 };

typedef struct lanes {
    micai_lane lanes[LANES];
    uint32_t count;
    mica_entity taken[LANES][TAKEN_MAX];
    uint32_t taken_count[LANES];
} lanes;

static void open(fixture *f, lanes *l, uint32_t count, uint32_t most)
{
    memset(l, 0, sizeof *l);
    l->count = count;
    REQUIRE_EQUAL(MICA_OK, micai_lanes_open(f->host, &f->slots, most, l->lanes, count));
}

// Takes slots of a lane in a copy, as a batch does. Returns how many there were.
static uint32_t take(fixture *f, lanes *l, uint32_t lane, uint32_t count)
{
    micai_slots copy = f->slots;
    micai_lane_enter(&l->lanes[lane], &copy);
    uint32_t taken = 0;
    while (taken < count && micai_slots_are_ready(&copy, 1)) {
        mica_entity entity = micai_slots_pend(&copy);
        CHECK(micai_slots_is_pending(&copy, entity));
        REQUIRE(l->taken_count[lane] < TAKEN_MAX);
        l->taken[lane][l->taken_count[lane]++] = entity;
        taken++;
    }
    micai_lane_leave(&l->lanes[lane], &copy);
    return taken;
}

// Closes all, and makes entities of what was taken.
static void close(fixture *f, lanes *l)
{
    bool above = false;
    uint32_t pending = f->slots.pending;
    uint32_t taken = 0;
    for (uint32_t i = l->count; i-- > 0;) {
        micai_lane_close(&f->slots, &l->lanes[i], &above);
        taken += l->taken_count[i];
    }
    CHECK_EQUAL(pending + taken, f->slots.pending);
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f->host, &f->slots));
    for (uint32_t i = 0; i < l->count; i++) {
        for (uint32_t k = 0; k < l->taken_count[i]; k++) {
            micai_slots_activate(&f->slots, l->taken[i][k], ROW);
        }
    }
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f->host, &f->slots));
}

static void lanes_that_are_not_used_leave_no_trace(void)
{
    fixture f;
    slots_begin(&f, 0);
    mica_entity old[5];
    for (uint32_t i = 0; i < 5; i++) {
        old[i] = slots_take(&f);
    }
    slots_give(&f, old[1]);
    slots_give(&f, old[3]);
    lanes l;
    open(&f, &l, 3, 7);
    close(&f, &l);
    CHECK(!f.slots.relinked);
    CHECK_EQUAL(5, f.slots.fresh);
    CHECK(slots_is_at(slots_take(&f), 3, 1));
    CHECK(slots_is_at(slots_take(&f), 1, 1));
    CHECK(slots_is_at(slots_take(&f), 5, 0));
    slots_end(&f);
}

static void handles_follow_from_the_lane(void)
{
    for (uint32_t reversed = 0; reversed < 2; reversed++) {
        fixture f;
        slots_begin(&f, 0);
        mica_entity old[8];
        for (uint32_t i = 0; i < 8; i++) {
            old[i] = slots_take(&f);
        }
        for (uint32_t i = 0; i < 7; i++) {
            slots_give(&f, old[i]); // the list begins with 6
        }
        lanes l;
        open(&f, &l, 3, 4);
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t lane = reversed ? 2 - i : i;
            CHECK_EQUAL(lane == 1 ? 4 : 3, take(&f, &l, lane, lane == 1 ? 9 : 3));
        }
        close(&f, &l);
        for (uint32_t lane = 0; lane < 3; lane++) { // each has 2 of the list and 2 virgins
            CHECK(slots_is_at(l.taken[lane][0], 6 - 2 * lane, 1));
            CHECK(slots_is_at(l.taken[lane][1], 5 - 2 * lane, 1));
            CHECK(slots_is_at(l.taken[lane][2], 8 + 2 * lane, 0));
        }
        CHECK(slots_is_at(l.taken[1][3], 11, 0));

        // what is left comes in the order of lanes, and then what was not divided
        CHECK_EQUAL(3, f.slots.free_count);
        CHECK(slots_is_at(slots_take(&f), 9, 1));
        CHECK(slots_is_at(slots_take(&f), 13, 1));
        CHECK(slots_is_at(slots_take(&f), 0, 1));
        CHECK(slots_is_at(slots_take(&f), 14, 0));
        slots_end(&f);
    }
}

static void slots_behind_the_last_taken_one_are_virgins_again(void)
{
    fixture f;
    slots_begin(&f, 0);
    lanes l;
    open(&f, &l, 3, 4);
    CHECK_EQUAL(12, f.slots.fresh);
    CHECK_EQUAL(2, take(&f, &l, 0, 2));
    close(&f, &l);
    CHECK_EQUAL(4, f.slots.fresh); // the last two of the first lane are in the list
    CHECK_EQUAL(2, f.slots.free_count);
    CHECK(slots_is_at(slots_take(&f), 2, 1));
    CHECK(slots_is_at(slots_take(&f), 3, 1));
    CHECK(slots_is_at(slots_take(&f), 4, 0));
    slots_end(&f);
}

static void a_balanced_world_needs_no_more_slots(void)
{
    fixture f;
    slots_begin(&f, 0);
    mica_entity alive[2 * LANES];
    uint32_t count = 0;
    for (uint32_t round = 0; round < 500; round++) {
        lanes l;
        open(&f, &l, LANES, 5);
        for (uint32_t i = 0; i < LANES; i++) {
            take(&f, &l, i, (round + i) % 3);
        }
        close(&f, &l);
        while (count > 0) {
            slots_give(&f, alive[--count]);
        }
        for (uint32_t i = 0; i < LANES; i++) {
            for (uint32_t k = 0; k < l.taken_count[i]; k++) {
                alive[count++] = l.taken[i][k];
            }
        }
        CHECK(f.slots.fresh <= 40);
    }
    slots_end(&f);
}

// Entities with given handles, far ahead of all others.
static void slots_ahead_do_not_push_lanes_away(void)
{
    fixture f;
    slots_begin(&f, 0);
    CHECK(slots_is_at(slots_take_at(&f, 3 * MICAI_SLOT_PAGE_SIZE + 1, 0),
                      3 * MICAI_SLOT_PAGE_SIZE + 1, 0));
    CHECK(slots_is_at(slots_take_at(&f, 2, 0), 2, 0));
    mica_entity alive[2 * LANES];
    uint32_t count = 0;
    for (uint32_t round = 0; round < 200; round++) {
        lanes l;
        open(&f, &l, LANES, 5);
        for (uint32_t i = 0; i < LANES; i++) {
            CHECK_EQUAL((round + i) % 3, take(&f, &l, i, (round + i) % 3));
        }
        close(&f, &l);
        while (count > 0) {
            slots_give(&f, alive[--count]);
        }
        for (uint32_t i = 0; i < LANES; i++) {
            for (uint32_t k = 0; k < l.taken_count[i]; k++) {
                alive[count++] = l.taken[i][k];
            }
        }
        CHECK(f.slots.view.page_count <= 6);
    }
    slots_end(&f);
}

static void the_limit_is_divided(void)
{
    fixture f;
    slots_begin(&f, 10);
    mica_entity far = slots_take_at(&f, 9, 0); // the gap below belongs to lanes, too
    CHECK(slots_is_at(far, 9, 0));
    lanes l;
    open(&f, &l, 3, 100);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQUAL(3, take(&f, &l, i, 100));
    }
    close(&f, &l);
    CHECK_EQUAL(10, f.slots.alive);
    open(&f, &l, 2, 100);
    CHECK_EQUAL(0, take(&f, &l, 0, 100));
    close(&f, &l);
    slots_end(&f);

    slots_begin(&f, 7);
    open(&f, &l, 3, 100);
    CHECK_EQUAL(2, take(&f, &l, 2, 100));
    close(&f, &l);
    CHECK_EQUAL(7, f.slots.free_count + f.slots.alive + (7 - f.slots.fresh));
    slots_end(&f);
}

// Handles that are free are taken from the middle of the list, by links back.
static void links_back_are_right_after_lanes(void)
{
    fixture f;
    slots_begin(&f, 0);
    mica_entity old[12];
    for (uint32_t i = 0; i < 12; i++) {
        old[i] = slots_take(&f);
    }
    for (uint32_t i = 0; i < 12; i++) {
        slots_give(&f, old[i]);
    }
    slots_take_at(&f, 2, 1); // links all
    for (uint32_t round = 0; round < 4; round++) {
        lanes l;
        open(&f, &l, 3, 3);
        take(&f, &l, round % 3, 2);
        take(&f, &l, 1, 1);
        close(&f, &l);
        uint32_t free_count = f.slots.free_count;
        mica_entity at = slots_take_at(&f, round == 0 ? 0 : round == 1 ? 4 : round == 2 ? 1 : 3, 1);
        CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots));
        CHECK_EQUAL(free_count - 1, f.slots.free_count);
        slots_give(&f, at);
        CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots));
        for (uint32_t i = 0; i < 3; i++) {
            for (uint32_t k = 0; k < l.taken_count[i]; k++) {
                slots_give(&f, l.taken[i][k]);
            }
        }
    }
    slots_end(&f);
}

static void lanes_take_what_was_reclaimed(void)
{
    fixture f;
    slots_begin(&f, 0);
    static mica_entity many[3 * MICAI_SLOT_PAGE_SIZE];
    for (uint32_t i = 0; i < 3 * MICAI_SLOT_PAGE_SIZE; i++) {
        many[i] = slots_take(&f);
    }
    for (uint32_t i = 0; i < 2 * MICAI_SLOT_PAGE_SIZE; i++) {
        slots_give(&f, many[i]);
    }
    slots_reclaim(&f);
    lanes l;
    for (uint32_t round = 0; round < 20; round++) {
        open(&f, &l, 2, 3);
        CHECK_EQUAL(3, take(&f, &l, 0, 5));
        CHECK_EQUAL(1, take(&f, &l, 1, 1));
        close(&f, &l);
        CHECK(mica_entity_slot(l.taken[0][0]) < 2 * MICAI_SLOT_PAGE_SIZE);
        CHECK(mica_entity_slot(l.taken[1][0]) < 2 * MICAI_SLOT_PAGE_SIZE);
        for (uint32_t k = 0; k < 3; k++) {
            slots_give(&f, l.taken[0][k]);
        }
        slots_give(&f, l.taken[1][0]);
        slots_reclaim(&f);
        CHECK(f.slots.view.page_count <= 3);
    }
    slots_end(&f);
}

// Opens lanes while the k-th allocation is refused. Returns false if none was.
static bool open_refused(uint64_t k, bool ahead)
{
    fixture f;
    slots_begin(&f, 0);
    slots_give(&f, slots_take(&f));
    if (ahead) {
        slots_take_at(&f, 3 * MICAI_SLOT_PAGE_SIZE, 0);
    }
    micai_lane some[LANES];
    test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
    mica_result result = micai_lanes_open(f.host, &f.slots, MICAI_SLOT_PAGE_SIZE, some, LANES);
    bool refused = f.t.memory.refusals > 0;
    test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK(!result || refused); // it may do with less memory at once
    if (!result) {
        bool above = false;
        for (uint32_t i = LANES; i-- > 0;) {
            micai_lane_close(&f.slots, &some[i], &above);
        }
    }
    test_error_clear(&f.t.error);
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots));
    CHECK(!result || (f.slots.free_count == 1 && f.slots.fresh == 1));
    CHECK(slots_is_at(slots_take(&f), 0, 1));
    slots_end(&f);
    return refused;
}

static void memory_that_runs_out_leaves_the_slots_as_they_were(void)
{
    for (uint32_t ahead = 0; ahead < 2; ahead++) {
        uint64_t k = 1;
        while (open_refused(k, ahead)) {
            k++;
        }
        CHECK(k > 1);
    }
}

TESTS(lane, lanes_that_are_not_used_leave_no_trace, handles_follow_from_the_lane,
      slots_behind_the_last_taken_one_are_virgins_again, a_balanced_world_needs_no_more_slots,
      slots_ahead_do_not_push_lanes_away, the_limit_is_divided, links_back_are_right_after_lanes,
      lanes_take_what_was_reclaimed, memory_that_runs_out_leaves_the_slots_as_they_were)
