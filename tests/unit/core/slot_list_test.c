// Slots, whatever is taken and given: the free list beside a naive model, pages that are given back.
#include "core/slot.h"

#include <stdlib.h>
#include <string.h>

#include "unit/core/slots.h"

// The naive model: what each slot is, and the free ones as a stack.
enum { MODEL_SLOTS = 23 };
typedef struct model {
    enum { VIRGIN, LIVING, FREED, RETIRED } state[MODEL_SLOTS];
    uint32_t generation[MODEL_SLOTS]; // living: of the occupant; freed: of the next one
    uint32_t freed[MODEL_SLOTS];
    uint32_t freed_count;
    uint32_t alive;
} model;

static uint32_t next_random(uint64_t *seed, uint32_t below)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)(*seed >> 32) % below;
}

static uint32_t model_lowest_virgin(const model *m)
{
    uint32_t slot = 0;
    while (slot < MODEL_SLOTS && m->state[slot] != VIRGIN) {
        slot++;
    }
    return slot;
}

static void model_enter(model *m, uint32_t slot, uint32_t generation)
{
    for (uint32_t i = 0; i < m->freed_count; i++) {
        if (m->freed[i] == slot) {
            m->freed_count--;
            memmove(&m->freed[i], &m->freed[i + 1], (m->freed_count - i) * sizeof m->freed[0]);
        }
    }
    m->state[slot] = LIVING;
    m->generation[slot] = generation;
    m->alive++;
}

static void model_take(fixture *f, model *m)
{
    uint32_t slot = m->freed_count ? m->freed[m->freed_count - 1] : model_lowest_virgin(m);
    mica_result result = micai_slots_reserve(f->host, &f->slots, 1);
    REQUIRE_EQUAL(slot == MODEL_SLOTS ? MICA_ERROR_LIMIT : MICA_OK, result);
    if (result) {
        test_error_clear(&f->t.error);
        return;
    }
    mica_entity entity = micai_slots_take(&f->slots, slot);
    uint32_t generation = m->state[slot] == VIRGIN ? 0 : m->generation[slot];
    REQUIRE(slots_is_at(entity, slot, generation));
    model_enter(m, slot, generation);
}

static void model_take_at(fixture *f, model *m, uint32_t slot, uint32_t generation)
{
    bool possible =
        m->state[slot] == VIRGIN || (m->state[slot] == FREED && generation >= m->generation[slot]);
    if (generation > MICA_GENERATION_LAST) {
        generation = MICA_GENERATION_LAST;
    }
    mica_result result = slots_reserve_at(f, slot, generation);
    REQUIRE_EQUAL(possible ? MICA_OK : MICA_ERROR_OCCUPIED, result);
    if (result) {
        test_error_clear(&f->t.error);
        return;
    }
    micai_slots_take_at(&f->slots, mica_entity_make(slot, generation), slot);
    model_enter(m, slot, generation);
}

static void model_give(fixture *f, model *m, uint32_t slot, bool last)
{
    if (m->state[slot] != LIVING) {
        return;
    }
    mica_entity entity = mica_entity_make(slot, m->generation[slot]);
    if (last) {
        entity = micai_slots_age(&f->slots, entity, MICA_GENERATION_LAST);
        m->generation[slot] = MICA_GENERATION_LAST;
    }
    slots_give(f, entity);
    m->alive--;
    if (m->generation[slot] == MICA_GENERATION_LAST) {
        m->state[slot] = RETIRED;
    } else {
        m->state[slot] = FREED;
        m->generation[slot]++;
        m->freed[m->freed_count++] = slot;
    }
}

static void model_compare(fixture *f, const model *m)
{
    REQUIRE_EQUAL(MICA_OK, micai_slots_validate(f->host, &f->slots));
    REQUIRE_EQUAL(m->alive, f->slots.alive);
    REQUIRE_EQUAL(m->freed_count, f->slots.free_count);
    mica_entity walked = micai_slots_next(&f->slots, 0);
    for (uint32_t slot = 0; slot < MODEL_SLOTS; slot++) {
        mica_entity entity = mica_entity_make(slot, m->generation[slot]);
        REQUIRE_EQUAL(m->state[slot] == LIVING, micai_slots_find(&f->slots, entity) != NULL);
        if (m->state[slot] == LIVING) {
            REQUIRE_EQUAL(entity.bits, walked.bits);
            walked = micai_slots_next(&f->slots, slot + 1);
        }
    }
    REQUIRE(MICA_IS_NONE(walked));
}

static void random_takes_and_gives_agree_with_a_naive_model(void)
{
    for (uint64_t round = 1; round <= 100; round++) {
        fixture f;
        slots_begin(&f, MODEL_SLOTS);
        model m = {0};
        uint64_t seed = round * UINT64_C(0x9e3779b97f4a7c15);
        for (int step = 0; step < 300; step++) {
            uint32_t slot = next_random(&seed, MODEL_SLOTS);
            switch (next_random(&seed, 8)) {
            case 0:
            case 1:
            case 2: model_take(&f, &m); break;
            case 3: model_take_at(&f, &m, slot, m.generation[slot] + next_random(&seed, 3)); break;
            case 4: model_take_at(&f, &m, slot, next_random(&seed, 3)); break;
            default: model_give(&f, &m, slot, next_random(&seed, 100) == 0); break;
            }
            model_compare(&f, &m);
        }
        slots_end(&f);
    }
}

// The order in which slots are used again, with any of them taken out of it by handle.
static void the_free_list_keeps_its_order_whatever_is_taken_out_of_it(void)
{
    enum { COUNT = 60 };
    fixture f;
    slots_begin(&f, COUNT);
    uint32_t stack[COUNT];
    uint32_t count = 0;
    uint32_t generations[COUNT] = {0};
    bool alive[COUNT] = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        alive[mica_entity_slot(slots_take(&f))] = true;
    }
    uint32_t random = 1;
    for (uint32_t step = 0; step < 5000; step++) {
        random = random * 1664525 + 1013904223;
        uint32_t slot = (random >> 16) % COUNT;
        uint32_t what = (random >> 8) % 4;
        if (alive[slot]) {
            slots_give(&f, mica_entity_make(slot, generations[slot]++));
            stack[count++] = slot;
            alive[slot] = false;
        } else if (what == 0) {
            uint32_t last = stack[--count];
            CHECK(slots_is_at(slots_take(&f), last, generations[last]));
            alive[last] = true;
        } else if (what == 1) {
            generations[slot] += step % 3;
            slots_take_at(&f, slot, generations[slot]);
            uint32_t at = 0;
            while (stack[at] != slot) {
                at++;
            }
            memmove(&stack[at], &stack[at + 1], (--count - at) * sizeof stack[0]);
            alive[slot] = true;
        }
        CHECK_EQUAL(count, f.slots.free_count);
    }
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots));
    while (count > 0) {
        CHECK_EQUAL(stack[--count], mica_entity_slot(slots_take(&f)));
    }
    slots_end(&f);
}

static void reclaiming_gives_back_pages_where_nobody_lives(void)
{
    fixture f;
    slots_begin(&f, 0);
    mica_entity entities[3 * MICAI_SLOT_PAGE_SIZE];
    for (uint32_t i = 0; i < 3 * MICAI_SLOT_PAGE_SIZE; i++) {
        entities[i] = slots_take(&f);
    }
    size_t full = f.t.memory.bytes;
    slots_reclaim(&f);                                       // all are in use
    CHECK(MICAI_SLAB_PAGES < 3 || f.t.memory.bytes == full); // or one goes into the slab of another
    CHECK(f.slots.view.pages[2] != NULL);
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        slots_give(&f, entities[i]);
    }
    slots_give(&f, slots_take(&f)); // one is a generation ahead
    slots_reclaim(&f);
    CHECK(f.slots.view.pages[0] == NULL && f.slots.view.pages[1] != NULL);
    CHECK_EQUAL(0, f.slots.free_count);
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        CHECK(micai_slots_find(&f.slots, entities[i]) == NULL);
        CHECK_EQUAL(MICA_ERROR_OCCUPIED,
                    micai_slots_reserve_at(f.host, &f.slots, mica_entity_make(i, 1)));
        CHECK(test_error_clear(&f.t.error) == 1);
    }
    CHECK(f.slots.view.pages[0] == NULL); // a refusal makes no page
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        CHECK(slots_is_at(slots_take(&f), i, 2));
    }
    CHECK(slots_is_at(slots_take(&f), 3 * MICAI_SLOT_PAGE_SIZE, 0));
    slots_end(&f);
}

static void a_page_with_a_retired_slot_is_kept(void)
{
    fixture f;
    slots_begin(&f, 0);
    mica_entity last = micai_slots_age(&f.slots, slots_take(&f), MICA_GENERATION_LAST);
    slots_give(&f, last);
    slots_reclaim(&f);
    CHECK(f.slots.view.pages[0] != NULL);
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, micai_slots_reserve_at(f.host, &f.slots, last));
    test_error_clear(&f.t.error);
    CHECK(slots_is_at(slots_take(&f), 1, 0));
    slots_end(&f);
}

// A slab that is refused is done without: then it works.
static void a_refused_reserve_keeps_nothing(void)
{
    static const test_memory_mode modes[] = {TEST_MEMORY_ONCE, TEST_MEMORY_ONWARDS};
    for (uint32_t m = 0; m < 2; m++) {
        uint32_t failures = 0;
        bool was_refused = true;
        for (uint64_t which = 1; was_refused; which++) {
            fixture f;
            slots_begin(&f, 0);
            slots_take(&f);
            size_t before = f.t.memory.bytes;
            test_memory_fail_at(&f.t.memory, which, modes[m]);
            mica_result result = micai_slots_reserve(f.host, &f.slots, 6 * MICAI_SLOT_PAGE_SIZE);
            was_refused = f.t.memory.refusals > 0;
            test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
            CHECK_EQUAL(result ? 1 : 0, test_error_clear(&f.t.error));
            if (result) {
                CHECK_EQUAL(MICA_ERROR_MEMORY, result);
                CHECK_EQUAL(before, f.t.memory.bytes);
                failures++;
            } else {
                CHECK(!was_refused || (m == 0 && f.slots.slabs.single > 1));
            }
            slots_end(&f);
        }
        CHECK(failures > 0);
    }
}

static void the_pages_of_many_slots_come_from_slabs_and_go_back(void)
{
    fixture f;
    slots_begin(&f, 0);
    enum { SLAB = MICAI_SLAB_PAGES * MICAI_SLOT_PAGE_SIZE, COUNT = 5 * SLAB };
    mica_entity *entities = malloc(COUNT * sizeof *entities);
    REQUIRE(entities != NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK((f.slots.slabs.first != NULL) == (i > SLAB));
        entities[i] = slots_take(&f);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i % SLAB != SLAB - 1) { // one stays of each
            slots_give(&f, entities[i]);
        }
    }
    slots_reclaim(&f); // they are packed
    CHECK_EQUAL(0, f.slots.slabs.single);
    CHECK_EQUAL(5, micai_slabs_count(&f.slots.slabs));
    uint32_t slabs = 0;
    for (const micai_slab *slab = f.slots.slabs.first; slab; slab = slab->next) {
        slabs++;
    }
    CHECK_EQUAL((5 + MICAI_SLAB_PAGES - 1) / MICAI_SLAB_PAGES, slabs);
    for (uint32_t i = SLAB - 1; i < COUNT; i += SLAB) {
        CHECK(micai_slots_find(&f.slots, entities[i]) != NULL);
    }
    free(entities);
    slots_end(&f);
}

static void validation_finds_a_broken_m6(void)
{
    fixture f;
    slots_begin(&f, 0);
    slots_take(&f);
    f.slots.slabs.single = 0;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_slots_validate(f.host, &f.slots));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT,
                "invariant M6 is broken: slabs have other pages than the slots");
    f.slots.slabs.single = 1;
    slots_end(&f);
}

static void validation_finds_a_broken_s7(void)
{
    fixture f;
    slots_begin(&f, 0);
    slots_give(&f, slots_take(&f));
    slots_reclaim(&f);
    mica_entity entity = slots_take(&f);
    micai_slots_at(&f.slots, mica_entity_slot(entity))->tag = 1;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_slots_validate(f.host, &f.slots));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT,
                "invariant S7 is broken: slot 0 is in a generation that is over");
    micai_slots_at(&f.slots, mica_entity_slot(entity))->tag = 2;
    slots_end(&f);
}

TESTS(slot_list, random_takes_and_gives_agree_with_a_naive_model,
      the_free_list_keeps_its_order_whatever_is_taken_out_of_it,
      reclaiming_gives_back_pages_where_nobody_lives, a_page_with_a_retired_slot_is_kept,
      a_refused_reserve_keeps_nothing, the_pages_of_many_slots_come_from_slabs_and_go_back,
      validation_finds_a_broken_m6, validation_finds_a_broken_s7)
