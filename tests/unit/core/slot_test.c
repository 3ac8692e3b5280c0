// Slots: handles, generations, pages, limits, validation.
#include "core/slot.h"

#include <stdio.h>

#include "unit/core/slots.h"

// A record as the trace writes it: (E0|V0) is {ALIVE, 0}, (PTR1|V2) is {1, 2}, (INVALID|V2) is
// {MICAI_SLOT_NONE, 2}.
enum { ALIVE = ROW, NONE = -1 };
typedef struct traced {
    int link;
    uint32_t version;
} traced;

#define CHECK_TRACE(f, destroyed, ...)                                                             \
    check_trace(f, destroyed, (const traced[]){__VA_ARGS__},                                       \
                sizeof((const traced[]){__VA_ARGS__}) / sizeof(traced), __LINE__)

static void check_trace(fixture *f, int destroyed, const traced *records, size_t count, int line)
{
    test_check_equal(test_unsigned((uint32_t)destroyed), test_unsigned(f->slots.free_first),
                     __FILE__, line, "destroyed");
    test_check_equal(test_unsigned(count), test_unsigned(f->slots.fresh), __FILE__, line, "length");
    for (uint32_t slot = 0; slot < count; slot++) {
        const micai_record *record = micai_slots_at(&f->slots, slot);
        uint32_t tag = records[slot].version + 1;
        if (records[slot].link != ALIVE) {
            tag |= MICAI_SLOT_FREE;
        }
        test_check_equal(test_unsigned(tag), test_unsigned(record->tag), __FILE__, line, "version");
        test_check_equal(test_unsigned((uint32_t)records[slot].link), test_unsigned(record->where),
                         __FILE__, line, "link");
    }
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f->host, &f->slots));
}

// S2.7
static void the_recycling_trace_is_reproduced_state_by_state(void)
{
    fixture f;
    slots_begin(&f, 0);

    mica_entity e0 = slots_take(&f);
    mica_entity e1 = slots_take(&f);
    mica_entity e2 = slots_take(&f);
    CHECK(slots_is_at(e0, 0, 0) && slots_is_at(e1, 1, 0) && slots_is_at(e2, 2, 0));
    CHECK_TRACE(&f, NONE, {ALIVE, 0}, {ALIVE, 0}, {ALIVE, 0});

    slots_give(&f, e1);
    CHECK_TRACE(&f, 1, {ALIVE, 0}, {NONE, 1}, {ALIVE, 0});

    e1 = slots_take(&f);
    CHECK(slots_is_at(e1, 1, 1));
    CHECK_TRACE(&f, NONE, {ALIVE, 0}, {ALIVE, 1}, {ALIVE, 0});

    slots_give(&f, e1);
    CHECK_TRACE(&f, 1, {ALIVE, 0}, {NONE, 2}, {ALIVE, 0});

    slots_give(&f, e0);
    CHECK_TRACE(&f, 0, {1, 1}, {NONE, 2}, {ALIVE, 0});

    slots_give(&f, e2);
    CHECK_TRACE(&f, 2, {1, 1}, {NONE, 2}, {0, 1});

    CHECK(slots_is_at(slots_take(&f), 2, 1));
    CHECK_TRACE(&f, 0, {1, 1}, {NONE, 2}, {ALIVE, 1});

    CHECK(slots_is_at(slots_take(&f), 0, 1));
    CHECK_TRACE(&f, 1, {ALIVE, 1}, {NONE, 2}, {ALIVE, 1});

    CHECK(slots_is_at(slots_take(&f), 1, 2));
    CHECK_TRACE(&f, NONE, {ALIVE, 1}, {ALIVE, 2}, {ALIVE, 1});

    CHECK(slots_is_at(slots_take(&f), 3, 0));
    CHECK_TRACE(&f, NONE, {ALIVE, 1}, {ALIVE, 2}, {ALIVE, 1}, {ALIVE, 0});
    slots_end(&f);
}

// S2.7
static void a_handle_stores_its_version_plus_one(void)
{
    fixture f;
    slots_begin(&f, 0);
    mica_entity entity = slots_take(&f);
    CHECK_EQUAL(UINT64_C(1) << 32, entity.bits);
    slots_give(&f, entity);
    entity = slots_take(&f);
    CHECK_EQUAL(UINT64_C(2) << 32, entity.bits);
    CHECK_EQUAL(0, mica_entity_slot(entity));
    CHECK_EQUAL(1, mica_entity_generation(entity));
    CHECK(!MICA_IS_NONE(entity));
    CHECK(MICA_IS_NONE((mica_entity){0}));
    CHECK_EQUAL(UINT64_C(0x7fffffff00000007), mica_entity_make(7, MICA_GENERATION_LAST).bits);
    slots_end(&f);
}

static void a_handle_as_text_is_slot_dot_generation(void)
{
    char text[MICA_ENTITY_TEXT_SIZE];
    CHECK_POINTER(text, mica_entity_text(mica_entity_make(12, 3), text));
    CHECK_TEXT("12.3", text);
    CHECK_TEXT("none", mica_entity_text((mica_entity){0}, text));
    CHECK_TEXT("4294967295.4294967294", mica_entity_text((mica_entity){.bits = UINT64_MAX}, text));
    CHECK_TEXT("5.4294967295", mica_entity_text((mica_entity){.bits = 5}, text));
    CHECK_POINTER(NULL, mica_entity_text(mica_entity_make(12, 3), NULL));
}

static void the_record_of_a_living_entity_keeps_its_row(void)
{
    fixture f;
    slots_begin(&f, 0);
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 2));
    mica_entity a = micai_slots_take(&f.slots, 77);
    mica_entity b = micai_slots_take(&f.slots, 88);
    CHECK_EQUAL(77, micai_slots_find(&f.slots, a)->where);
    CHECK_EQUAL(88, micai_slots_find(&f.slots, b)->where);
    mica_entity c = mica_entity_make(9, 4);
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve_at(f.host, &f.slots, c));
    micai_slots_take_at(&f.slots, c, 99);
    CHECK_EQUAL(99, micai_slots_find(&f.slots, c)->where);
    slots_end(&f);
}

// S3.1
static void only_the_handle_of_the_living_occupant_is_found(void)
{
    fixture f;
    slots_begin(&f, 0);
    mica_entity dead = slots_take(&f);
    slots_give(&f, dead);
    mica_entity alive = slots_take(&f);
    mica_entity freed = slots_take(&f);
    slots_give(&f, freed);
    slots_take_at(&f, 5 * MICAI_SLOT_PAGE_SIZE, 0);

    CHECK(micai_slots_find(&f.slots, alive) != NULL);
    const mica_entity nobody[] = {
        (mica_entity){0},
        dead,
        freed,
        mica_entity_make(0, 2),                        // not yet
        mica_entity_make(1, 1),                        // the next occupant
        {.bits = UINT64_C(0x80000002) << 32 | 1},      // what a free record holds
        {.bits = UINT64_C(0x80000001) << 32 | 2},      // what a virgin record holds
        {.bits = 3},                                   // a slot without a generation
        mica_entity_make(2 * MICAI_SLOT_PAGE_SIZE, 0), // a page that is not made
        mica_entity_make(6 * MICAI_SLOT_PAGE_SIZE, 0), // beyond all pages
        {.bits = UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof nobody / sizeof nobody[0]; i++) {
        CHECK_POINTER(NULL, micai_slots_find(&f.slots, nobody[i]));
    }
    slots_end(&f);
}

static void a_bad_handle_is_reported_as_what_it_is(void)
{
    fixture f;
    slots_begin(&f, 0);
    CHECK_EQUAL(MICA_ERROR_ENTITY, micai_slots_fail(f.host, "call", (mica_entity){0}));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY, "call: the entity is none");
    micai_slots_fail(f.host, "call", (mica_entity){.bits = 9});
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY, "call: 0x0000000000000009 is no handle of any entity");
    micai_slots_fail(f.host, "call", (mica_entity){.bits = UINT64_C(0x8000000000000000)});
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY, "call: 0x8000000000000000 is no handle of any entity");
    micai_slots_fail(f.host, "call", mica_entity_make(UINT32_MAX, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY, "call: 0x00000001ffffffff is no handle of any entity");
    micai_slots_fail(f.host, "call", mica_entity_make(12, 3));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY, "call: entity 12.3 is dead, or of another world");
    micai_slots_fail(f.host, "call", mica_entity_make(UINT32_MAX - 1, MICA_GENERATION_LAST));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY,
                "call: entity 4294967294.2147483646 is dead, or of another world");
    slots_end(&f);
}

static void the_last_freed_slot_is_the_first_used_again_across_pages(void)
{
    fixture f;
    slots_begin(&f, 0);
    enum { COUNT = 11 };
    mica_entity entities[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        entities[i] = slots_take(&f);
        CHECK_EQUAL(i, mica_entity_slot(entities[i]));
    }
    const uint32_t order[] = {9, 0, 5, 10, 3};
    for (size_t i = 0; i < 5; i++) {
        slots_give(&f, entities[order[i]]);
    }
    CHECK_EQUAL(5, f.slots.free_count);
    for (size_t i = 5; i-- > 0;) {
        CHECK(slots_is_at(slots_take(&f), order[i], 1));
    }
    CHECK(slots_is_at(slots_take(&f), COUNT, 0));
    slots_end(&f);
}

// S2.6
static void a_slot_far_away_makes_its_own_page_only(void)
{
    fixture f;
    slots_begin(&f, 0);
    slots_take(&f);
    size_t before = f.host->memory.bytes;
    uint32_t page = 1000;
    slots_take_at(&f, page * MICAI_SLOT_PAGE_SIZE + 1, 6);
    CHECK_EQUAL(page + 1, f.slots.view.page_count);
    size_t page_bytes = MICAI_SLOT_PAGE_SIZE * sizeof(micai_record);
    size_t list_bytes = (page + 1) * sizeof *f.slots.view.pages;
    CHECK(f.host->memory.bytes - before <= page_bytes + list_bytes);
    for (uint32_t i = 1; i < page; i++) {
        REQUIRE_POINTER(NULL, f.slots.view.pages[i]);
    }
    CHECK_EQUAL(1, f.slots.ahead);
    CHECK_EQUAL(1, f.slots.fresh);
    slots_end(&f);
}

// S2.6
static void fresh_slots_step_over_those_taken_ahead(void)
{
    fixture f;
    slots_begin(&f, 0);
    slots_take_at(&f, 1, 0);
    mica_entity freed = slots_take_at(&f, 2, 5);
    slots_take_at(&f, 4, 3);
    slots_take_at(&f, 9, 0);
    slots_give(&f, freed);
    CHECK_EQUAL(4, f.slots.ahead);
    CHECK_EQUAL(0, f.slots.fresh);

    CHECK(slots_is_at(slots_take(&f), 2, 6)); // a freed slot first, though it is ahead
    CHECK(slots_is_at(slots_take(&f), 0, 0));
    CHECK(slots_is_at(slots_take(&f), 3, 0));
    CHECK(slots_is_at(slots_take(&f), 5, 0));
    CHECK_EQUAL(1, f.slots.ahead);
    CHECK(slots_is_at(slots_take(&f), 6, 0));
    CHECK(slots_is_at(slots_take_at(&f, 7, 0), 7, 0)); // the fresh one itself, by handle
    CHECK_EQUAL(8, f.slots.fresh);
    CHECK_EQUAL(1, f.slots.ahead);
    CHECK(slots_is_at(slots_take(&f), 8, 0));
    CHECK(slots_is_at(slots_take(&f), 10, 0));
    CHECK_EQUAL(0, f.slots.ahead);
    slots_end(&f);
}

// S2.6
static void a_handle_can_take_any_place_of_the_free_list(void)
{
    for (uint32_t which = 0; which < 5; which++) {
        fixture f;
        slots_begin(&f, 0);
        mica_entity entities[5];
        for (uint32_t i = 0; i < 5; i++) {
            entities[i] = slots_take(&f);
        }
        for (uint32_t i = 0; i < 5; i++) {
            slots_give(&f, entities[i]);
        }
        slots_take_at(&f, which, 1);
        CHECK_EQUAL(4, f.slots.free_count);
        CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots));
        for (uint32_t i = 5; i-- > 0;) {
            if (i != which) {
                CHECK(slots_is_at(slots_take(&f), i, 1));
            }
        }
        CHECK(slots_is_at(slots_take(&f), 5, 0));
        slots_end(&f);
    }
}

static void a_slot_in_use_or_past_the_generation_is_occupied(void)
{
    fixture f;
    slots_begin(&f, 20);
    slots_take(&f);
    slots_take_at(&f, 1, 6);
    slots_give(&f, mica_entity_make(1, 6));
    slots_take_at(&f, 2, MICA_GENERATION_LAST);
    slots_give(&f, mica_entity_make(2, MICA_GENERATION_LAST));

    CHECK_EQUAL(MICA_ERROR_OCCUPIED, slots_reserve_at(&f, 0, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_OCCUPIED, "mica_spawn_at: slot 0 is in use by entity 0.0");
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, slots_reserve_at(&f, 0, 9));
    CHECK_ERROR(&f.t, MICA_ERROR_OCCUPIED, "mica_spawn_at: slot 0 is in use by entity 0.0");
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, slots_reserve_at(&f, 1, 6));
    CHECK_ERROR(&f.t, MICA_ERROR_OCCUPIED,
                "mica_spawn_at: slot 1 has moved past generation 6; its next is 7");
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, slots_reserve_at(&f, 2, MICA_GENERATION_LAST));
    CHECK_ERROR(&f.t, MICA_ERROR_OCCUPIED, "mica_spawn_at: slot 2 is retired");

    CHECK_EQUAL(MICA_ERROR_LIMIT, slots_reserve_at(&f, 20, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT, "mica_spawn_at: slot 20 is beyond the world's limit of 20");
    CHECK_EQUAL(MICA_ERROR_ENTITY, slots_reserve_at(&f, 3, MICA_GENERATION_LAST + 1));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY,
                "mica_spawn_at: 0x8000000000000003 is no handle of any entity");
    CHECK_EQUAL(MICA_ERROR_ENTITY, micai_slots_reserve_at(f.host, &f.slots, (mica_entity){0}));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY, "mica_spawn_at: the entity is none");
    CHECK_EQUAL(MICA_ERROR_ENTITY,
                micai_slots_reserve_at(f.host, &f.slots, (mica_entity){.bits = 3}));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY,
                "mica_spawn_at: 0x0000000000000003 is no handle of any entity");
    CHECK_EQUAL(MICA_ERROR_ENTITY, slots_reserve_at(&f, UINT32_MAX, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY,
                "mica_spawn_at: 0x00000001ffffffff is no handle of any entity");

    CHECK_EQUAL(MICA_OK, slots_reserve_at(&f, 1, 7));
    CHECK_EQUAL(MICA_OK, slots_reserve_at(&f, 1, 700));
    CHECK_EQUAL(MICA_OK, slots_reserve_at(&f, 19, MICA_GENERATION_LAST));
    CHECK_EQUAL(1, f.slots.alive);
    slots_end(&f);
}

// S3.1
static void the_last_generation_retires_the_slot_and_is_logged(void)
{
    fixture f;
    slots_begin(&f, 0);
    mica_entity entity = slots_take(&f);
    slots_take(&f);
    entity = micai_slots_age(&f.slots, entity, MICA_GENERATION_LAST - 1);
    CHECK(slots_is_at(entity, 0, MICA_GENERATION_LAST - 1));
    slots_give(&f, entity);
    CHECK_EQUAL(0, f.log_calls);
    entity = slots_take(&f);
    CHECK(slots_is_at(entity, 0, MICA_GENERATION_LAST));
    slots_give(&f, entity);
    CHECK_EQUAL(1, f.log_calls);
    CHECK_TEXT("entity slot 0 is retired after its last generation", f.log_sentence);
    CHECK_EQUAL(MICAI_SLOT_FREE, micai_slots_at(&f.slots, 0)->tag);
    CHECK_EQUAL(0, f.slots.free_count);
    CHECK_EQUAL(1, f.slots.alive);
    CHECK(slots_is_at(slots_take(&f), 2, 0));
    slots_end(&f);
}

// S0.1
static void running_out_of_slots_is_an_error_and_no_wrap(void)
{
    fixture f;
    slots_begin(&f, 6);
    slots_take_at(&f, 5, 0);
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_slots_reserve(f.host, &f.slots, 6));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT,
                "the world's limit of 6 entity slots would be passed: 1 in use");
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 5));
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(slots_is_at(slots_take(&f), i, 0));
    }
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_slots_reserve(f.host, &f.slots, 1));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT,
                "the world's limit of 6 entity slots would be passed: 6 in use");
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_slots_reserve(f.host, &f.slots, UINT32_MAX));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT,
                "the world's limit of 6 entity slots would be passed: 6 in use");
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 0));
    slots_give(&f, mica_entity_make(3, 0));
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 1));
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_slots_reserve(f.host, &f.slots, 2));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK(slots_is_at(slots_take(&f), 3, 1));
    slots_end(&f);
}

static void no_limit_is_every_slot_but_the_last_number(void)
{
    fixture f;
    slots_begin(&f, 0);
    CHECK_EQUAL(UINT32_MAX, f.slots.limit);
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 0));
    CHECK_EQUAL(0, f.host->memory.blocks);
    slots_end(&f);
}

static void reserved_slots_are_taken_without_memory(void)
{
    fixture f;
    slots_begin(&f, 0);
    mica_entity freed = slots_take(&f);
    slots_take_at(&f, 6, 0);
    slots_take_at(&f, 7, 0);
    slots_give(&f, freed);
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 30));
    uint64_t allocations = f.host->memory.allocations;
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONWARDS);
    for (uint32_t i = 0; i < 30; i++) {
        mica_entity entity = micai_slots_take(&f.slots, ROW);
        CHECK(micai_slots_find(&f.slots, entity) != NULL);
    }
    CHECK_EQUAL(allocations, f.host->memory.allocations);
    CHECK_EQUAL(32, f.slots.alive);
    slots_end(&f);
}

static void reserving_makes_as_many_pages_as_are_needed(void)
{
    fixture f;
    slots_begin(&f, 0);
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 3 * MICAI_SLOT_PAGE_SIZE));
    CHECK_EQUAL(3, f.slots.view.page_count);
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 3 * MICAI_SLOT_PAGE_SIZE + 1));
    CHECK_EQUAL(4, f.slots.view.page_count);
    slots_end(&f);
}

static void a_refused_page_leaves_the_slots_as_they_were(void)
{
    // The list of pages is refused first, then the page.
    for (uint64_t which = 1; which <= 2; which++) {
        fixture f;
        slots_begin(&f, 0);
        mica_entity entity = slots_take_at(&f, 0, 3);
        test_memory_fail_at(&f.t.memory, which, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_ERROR_MEMORY, slots_reserve_at(&f, 50 * MICAI_SLOT_PAGE_SIZE, 0));
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots));
        test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_ERROR_MEMORY, micai_slots_reserve(f.host, &f.slots, MICAI_SLOT_PAGE_SIZE));
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        CHECK_EQUAL(1, f.slots.alive);
        CHECK(slots_is_at(micai_slots_next(&f.slots, 0), 0, 3));
        slots_give(&f, entity);
        CHECK(slots_is_at(slots_take(&f), 0, 4));
        slots_end(&f);
    }
}

static void walking_goes_in_slot_order_over_missing_pages(void)
{
    fixture f;
    slots_begin(&f, 0);
    CHECK(MICA_IS_NONE(micai_slots_next(&f.slots, 0)));
    slots_take_at(&f, 9 * MICAI_SLOT_PAGE_SIZE + 2, 1);
    slots_take_at(&f, 1, 0);
    slots_take_at(&f, 2 * MICAI_SLOT_PAGE_SIZE - 1, 0);
    slots_take_at(&f, 0, 0);
    slots_give(&f, mica_entity_make(0, 0));
    CHECK(slots_is_at(micai_slots_next(&f.slots, 0), 1, 0));
    CHECK(slots_is_at(micai_slots_next(&f.slots, 2), 2 * MICAI_SLOT_PAGE_SIZE - 1, 0));
    CHECK(slots_is_at(micai_slots_next(&f.slots, 2 * MICAI_SLOT_PAGE_SIZE),
                      9 * MICAI_SLOT_PAGE_SIZE + 2, 1));
    CHECK(MICA_IS_NONE(micai_slots_next(&f.slots, 9 * MICAI_SLOT_PAGE_SIZE + 3)));
    CHECK(MICA_IS_NONE(micai_slots_next(&f.slots, UINT32_MAX)));
    slots_end(&f);
}

static void clearing_ends_all_lowest_slot_first(void)
{
    fixture f;
    slots_begin(&f, 0);
    for (uint32_t i = 0; i < 6; i++) {
        slots_take(&f);
    }
    slots_give(&f, mica_entity_make(3, 0));
    slots_take_at(&f, 40, 2);
    micai_slots_age(&f.slots, mica_entity_make(1, 0), MICA_GENERATION_LAST);
    micai_slots_clear(f.host, &f.slots);
    CHECK_EQUAL(0, f.slots.alive);
    CHECK_EQUAL(1, f.log_calls);
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots));
    const uint32_t slots[] = {40, 5, 4, 2, 0, 3, 6};
    const uint32_t generations[] = {3, 1, 1, 1, 1, 1, 0};
    for (size_t i = 0; i < 7; i++) {
        CHECK(slots_is_at(slots_take(&f), slots[i], generations[i]));
    }
    slots_end(&f);
}

#define CHECK_BROKEN(f, sentence)                                                                  \
    (CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_slots_validate((f)->host, &(f)->slots)),                \
     CHECK_ERROR(&(f)->t, MICA_ERROR_CORRUPT, sentence))

// Slots 0 to 4 are fresh: 0 and 4 live, 3 is free, then 1; 2 is retired. 8 is ahead and lives.
static void begin_validate(fixture *f)
{
    slots_begin(f, 10);
    for (uint32_t i = 0; i < 5; i++) {
        slots_take(f);
    }
    slots_take_at(f, 8, 2);
    slots_give(f, mica_entity_make(1, 0));
    slots_give(f, micai_slots_age(&f->slots, mica_entity_make(2, 0), MICA_GENERATION_LAST));
    slots_give(f, mica_entity_make(3, 0));
}

static void validation_finds_a_broken_s1(void)
{
    fixture f;
    begin_validate(&f);
    f.slots.alive++;
    CHECK_BROKEN(&f, "invariant S1 is broken: 3 slots are alive, not 4");
    f.slots.alive--;
    micai_record *record = micai_slots_at(&f.slots, 0);
    const micai_record right = *record;
    *record = (micai_record){.where = MICAI_SLOT_NONE, .tag = MICAI_SLOT_FREE};
    CHECK_BROKEN(&f, "invariant S1 is broken: 2 slots are alive, not 3");
    record->tag = 0;
    CHECK_BROKEN(&f, "invariant S1 is broken: slot 0 is neither alive nor free");
    *record = right;
    slots_end(&f);
}

static void validation_finds_a_broken_s2(void)
{
    fixture f;
    begin_validate(&f);
    micai_slots broken = f.slots;
    f.slots.free_count = 3;
    CHECK_BROKEN(&f, "invariant S2 is broken: 2 slots are free, not 3");
    f.slots = broken;

    f.slots.free_first = 0;
    CHECK_BROKEN(&f, "invariant S2 is broken: slot 0 is in the free list but not free");
    f.slots.free_first = 2;
    CHECK_BROKEN(&f, "invariant S2 is broken: slot 2 is in the free list but not free");
    f.slots.free_first = 5;
    CHECK_BROKEN(&f, "invariant S2 is broken: slot 5 is in the free list but not free");
    f.slots.free_first = 3 * MICAI_SLOT_PAGE_SIZE;
    CHECK_BROKEN(&f, MICAI_SLOT_PAGE_SIZE == 4
                         ? "invariant S2 is broken: the free list leads to slot 12, unheard of"
                         : "invariant S2 is broken: the free list leads to slot 12288, unheard of");
    f.slots.free_first = 3;

    micai_slots_at(&f.slots, 1)->where = 3; // in a circle
    CHECK_BROKEN(&f, "invariant S2 is broken: the free list is longer than its count 2");
    micai_slots_at(&f.slots, 1)->where = MICAI_SLOT_NONE;
    micai_slots_at(&f.slots, 3)->where = MICAI_SLOT_NONE; // lost its tail
    CHECK_BROKEN(&f, "invariant S2 is broken: the free list leads to slot 4294967295, unheard of");
    micai_slots_at(&f.slots, 3)->where = 1;
    slots_end(&f);
}

static void validation_finds_a_free_list_that_leads_to_a_missing_page(void)
{
    fixture f;
    slots_begin(&f, 0);
    slots_give(&f, slots_take(&f));
    slots_take_at(&f, 10 * MICAI_SLOT_PAGE_SIZE, 0);
    f.slots.free_first = 5 * MICAI_SLOT_PAGE_SIZE;
    char sentence[128];
    snprintf(sentence, sizeof sentence,
             "invariant S2 is broken: the free list leads to slot %u, unheard of",
             (unsigned)f.slots.free_first);
    CHECK_BROKEN(&f, sentence);
    f.slots.free_first = 0;
    slots_end(&f);
}

static void validation_finds_a_broken_s3(void)
{
    fixture f;
    begin_validate(&f);
    f.slots.fresh = 6;
    CHECK_BROKEN(&f, "invariant S3 is broken: slot 5 is virgin below fresh 6");
    f.slots.fresh = 4;
    CHECK_BROKEN(&f, "invariant S3 is broken: 2 slots are ahead, not 1");
    f.slots.fresh = 5;
    f.slots.ahead = 0;
    CHECK_BROKEN(&f, "invariant S3 is broken: 1 slots are ahead, not 0");
    f.slots.ahead = 1;
    slots_end(&f);
}

static void validation_finds_a_broken_s4(void)
{
    fixture f;
    begin_validate(&f);
    f.slots.limit = 8;
    CHECK_BROKEN(&f, "invariant S4 is broken: slot 8 is beyond the limit 8");
    f.slots.limit = 10;
    slots_end(&f);
}

TESTS(slot, the_recycling_trace_is_reproduced_state_by_state, a_handle_stores_its_version_plus_one,
      a_handle_as_text_is_slot_dot_generation, the_record_of_a_living_entity_keeps_its_row,
      only_the_handle_of_the_living_occupant_is_found, a_bad_handle_is_reported_as_what_it_is,
      the_last_freed_slot_is_the_first_used_again_across_pages,
      a_slot_far_away_makes_its_own_page_only, fresh_slots_step_over_those_taken_ahead,
      a_handle_can_take_any_place_of_the_free_list,
      a_slot_in_use_or_past_the_generation_is_occupied,
      the_last_generation_retires_the_slot_and_is_logged,
      running_out_of_slots_is_an_error_and_no_wrap, no_limit_is_every_slot_but_the_last_number,
      reserved_slots_are_taken_without_memory, reserving_makes_as_many_pages_as_are_needed,
      a_refused_page_leaves_the_slots_as_they_were, walking_goes_in_slot_order_over_missing_pages,
      clearing_ends_all_lowest_slot_first, validation_finds_a_broken_s1,
      validation_finds_a_broken_s2, validation_finds_a_free_list_that_leads_to_a_missing_page,
      validation_finds_a_broken_s3, validation_finds_a_broken_s4)
