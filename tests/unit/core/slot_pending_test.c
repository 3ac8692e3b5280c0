// Slots that commands have taken for entities to be.
#include "unit/core/slots.h"

static mica_entity pend(fixture *f)
{
    REQUIRE(micai_slots_reserve(f->host, &f->slots, 1) == MICA_OK);
    return micai_slots_pend(&f->slots);
}

static void a_pending_slot_is_nobodys_until_it_is_lived_in(void)
{
    fixture f;
    slots_begin(&f, 0);
    mica_entity first = slots_take(&f);
    slots_give(&f, first);
    mica_entity again = pend(&f); // the freed one
    mica_entity fresh = pend(&f);
    CHECK_EQUAL(mica_entity_slot(first), mica_entity_slot(again));
    CHECK(micai_slots_is_pending(&f.slots, again) && micai_slots_is_pending(&f.slots, fresh));
    CHECK(!micai_slots_is_pending(&f.slots, first) && !micai_slots_find(&f.slots, again));
    CHECK(!micai_slots_is_pending(&f.slots, (mica_entity){0}));
    CHECK(!micai_slots_is_pending(&f.slots, mica_entity_make(100000, 0)));
    CHECK_EQUAL(0, f.slots.alive);
    CHECK_EQUAL(again.bits + fresh.bits, micai_slots_sum_pending(&f.slots));
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, micai_slots_reserve_at(f.host, &f.slots, fresh));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    slots_reclaim(&f);                                            // it is kept
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots)); // S9
    micai_slots_activate(&f.slots, again, 5);
    CHECK_EQUAL(5, micai_slots_find(&f.slots, again)->where);
    micai_slots_discard(f.host, &f.slots, fresh); // nobody ever
    mica_entity next = slots_take(&f);
    CHECK_EQUAL(mica_entity_slot(fresh), mica_entity_slot(next));
    CHECK_EQUAL(1, mica_entity_generation(next));
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots));
    slots_end(&f);
}

static void pend_and_put_back(fixture *f, mica_entity *pending, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        pending[i] = pend(f);
    }
    for (uint32_t i = count; i-- > 0;) {
        micai_slots_put_back(&f->slots, pending[i]);
        CHECK_EQUAL(MICA_OK, micai_slots_validate(f->host, &f->slots));
    }
}

static void slots_that_are_put_back_were_never_taken(void)
{
    fixture f;
    slots_begin(&f, 0);
    enum { MANY = MICAI_SLOT_PAGE_SIZE + 3 }; // also over the end of what lies together
    static mica_entity pending[MANY];
    mica_entity old[3];
    for (int i = 0; i < 3; i++) {
        old[i] = slots_take(&f);
    }
    slots_give(&f, old[1]);
    slots_give(&f, old[0]);
    pend_and_put_back(&f, pending, MANY);
    for (uint32_t i = 0; i < MANY; i++) { // the same again, in order
        CHECK_EQUAL(pending[i].bits, slots_take(&f).bits);
    }
    slots_end(&f);
}

// What was taken by handle lies between them, and has been passed.
static void slots_that_are_put_back_lie_before_those_that_were_taken_ahead(void)
{
    fixture f;
    slots_begin(&f, 0);
    enum { END = 2 * MICAI_SLOT_PAGE_SIZE }; // of what lies together
    const uint32_t ahead[] = {1, 2, END - 1, END, END + 2};
    for (uint32_t i = 0; i < sizeof ahead / sizeof ahead[0]; i++) {
        slots_take_at(&f, ahead[i], 1);
    }
    static mica_entity pending[END];
    pend_and_put_back(&f, pending, END);
    static mica_entity taken[END];
    micai_slots_take_many(&f.slots, ROW, END, taken);
    for (uint32_t i = 0; i < END; i++) {
        CHECK_EQUAL(pending[i].bits, taken[i].bits);
    }
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots));
    slots_end(&f);
}

// What is ready is taken at once, and no further than a page goes.
static void validation_finds_what_is_ready_over_the_end_of_a_page(void)
{
    fixture f;
    slots_begin(&f, 0);
    REQUIRE(micai_slots_reserve(f.host, &f.slots, 2 * MICAI_SLOT_PAGE_SIZE) == MICA_OK);
    micai_slots_take(&f.slots, ROW);
    CHECK_EQUAL(MICAI_SLOT_PAGE_SIZE, f.slots.ready);
    f.slots.ready++; // a virgin, too, whose page exists
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_slots_validate(f.host, &f.slots));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT,
                "invariant S5 is broken: slots are ready up to 5, from 1 on");
    f.slots.ready--;
    slots_end(&f);
}

static void validation_finds_a_broken_s9(void)
{
    fixture f;
    slots_begin(&f, 0);
    pend(&f);
    f.slots.pending = 0;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_slots_validate(f.host, &f.slots));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT, "invariant S9 is broken: 1 slots are pending, not 0");
    f.slots.pending = 1;
    slots_end(&f);
}

TESTS(slot_pending, a_pending_slot_is_nobodys_until_it_is_lived_in,
      slots_that_are_put_back_were_never_taken,
      slots_that_are_put_back_lie_before_those_that_were_taken_ahead,
      validation_finds_what_is_ready_over_the_end_of_a_page, validation_finds_a_broken_s9)
