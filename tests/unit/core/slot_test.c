#include "core/slot.h"

#include <stdio.h>
#include <string.h>

#include "runner/host.h"
#include "runner/test.h"

// Rows are numbered from here, so that a row is not taken for a slot.
enum { ROW = 1000 };

typedef struct fixture {
    test_host t;
    micai_host *host;
    micai_slots slots;
    uint32_t log_calls;
    char log_sentence[128];
} fixture;

static void record_log(mica_world *world, mica_log_level level, const char *sentence, void *user)
{
    fixture *f = user;
    CHECK(world == NULL && level == MICA_LOG_INFO);
    f->log_calls++;
    strncpy(f->log_sentence, sentence, sizeof f->log_sentence - 1);
}

static void begin(fixture *f, uint32_t limit)
{
    memset(f, 0, sizeof *f);
    f->host = test_host_begin(&f->t);
    f->host->log_handler = record_log;
    f->host->log_user = f;
    micai_slots_init(&f->slots, limit);
}

static void end(fixture *f)
{
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f->host, &f->slots));
    micai_slots_free(f->host, &f->slots);
    test_host_end(&f->t);
}

static mica_entity take(fixture *f)
{
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve(f->host, &f->slots, 1));
    return micai_slots_take(&f->slots, ROW);
}

static mica_entity take_at(fixture *f, uint32_t slot, uint32_t generation)
{
    mica_entity entity = mica_entity_make(slot, generation);
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve_at(f->host, &f->slots, entity));
    micai_slots_take_at(&f->slots, entity, ROW);
    return entity;
}

static void give(fixture *f, mica_entity entity)
{
    REQUIRE(micai_slots_find(&f->slots, entity) != NULL);
    micai_slots_give(f->host, &f->slots, entity);
}

static bool is_at(mica_entity entity, uint32_t slot, uint32_t generation)
{
    return mica_entity_equal(entity, mica_entity_make(slot, generation));
}

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
    begin(&f, 0);

    mica_entity e0 = take(&f);
    mica_entity e1 = take(&f);
    mica_entity e2 = take(&f);
    CHECK(is_at(e0, 0, 0) && is_at(e1, 1, 0) && is_at(e2, 2, 0));
    CHECK_TRACE(&f, NONE, {ALIVE, 0}, {ALIVE, 0}, {ALIVE, 0});

    give(&f, e1);
    CHECK_TRACE(&f, 1, {ALIVE, 0}, {NONE, 1}, {ALIVE, 0});

    e1 = take(&f);
    CHECK(is_at(e1, 1, 1));
    CHECK_TRACE(&f, NONE, {ALIVE, 0}, {ALIVE, 1}, {ALIVE, 0});

    give(&f, e1);
    CHECK_TRACE(&f, 1, {ALIVE, 0}, {NONE, 2}, {ALIVE, 0});

    give(&f, e0);
    CHECK_TRACE(&f, 0, {1, 1}, {NONE, 2}, {ALIVE, 0});

    give(&f, e2);
    CHECK_TRACE(&f, 2, {1, 1}, {NONE, 2}, {0, 1});

    CHECK(is_at(take(&f), 2, 1));
    CHECK_TRACE(&f, 0, {1, 1}, {NONE, 2}, {ALIVE, 1});

    CHECK(is_at(take(&f), 0, 1));
    CHECK_TRACE(&f, 1, {ALIVE, 1}, {NONE, 2}, {ALIVE, 1});

    CHECK(is_at(take(&f), 1, 2));
    CHECK_TRACE(&f, NONE, {ALIVE, 1}, {ALIVE, 2}, {ALIVE, 1});

    CHECK(is_at(take(&f), 3, 0));
    CHECK_TRACE(&f, NONE, {ALIVE, 1}, {ALIVE, 2}, {ALIVE, 1}, {ALIVE, 0});
    end(&f);
}

// S2.7
static void a_handle_stores_its_version_plus_one(void)
{
    fixture f;
    begin(&f, 0);
    mica_entity entity = take(&f);
    CHECK_EQUAL(UINT64_C(1) << 32, entity.bits);
    give(&f, entity);
    entity = take(&f);
    CHECK_EQUAL(UINT64_C(2) << 32, entity.bits);
    CHECK_EQUAL(0, mica_entity_slot(entity));
    CHECK_EQUAL(1, mica_entity_generation(entity));
    CHECK(!mica_entity_is_none(entity));
    CHECK(mica_entity_is_none(mica_entity_none()));
    CHECK_EQUAL(UINT64_C(0x7fffffff00000007), mica_entity_make(7, MICA_GENERATION_LAST).bits);
    end(&f);
}

static void a_handle_as_text_is_slot_dot_generation(void)
{
    char text[MICA_ENTITY_TEXT_SIZE];
    CHECK_POINTER(text, mica_entity_text(mica_entity_make(12, 3), text));
    CHECK_TEXT("12.3", text);
    CHECK_TEXT("none", mica_entity_text(mica_entity_none(), text));
    CHECK_TEXT("4294967295.4294967294", mica_entity_text((mica_entity){.bits = UINT64_MAX}, text));
    CHECK_TEXT("5.4294967295", mica_entity_text((mica_entity){.bits = 5}, text));
    CHECK_POINTER(NULL, mica_entity_text(mica_entity_make(12, 3), NULL));
}

static void the_record_of_a_living_entity_keeps_its_row(void)
{
    fixture f;
    begin(&f, 0);
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 2));
    mica_entity a = micai_slots_take(&f.slots, 77);
    mica_entity b = micai_slots_take(&f.slots, 88);
    CHECK_EQUAL(77, micai_slots_find(&f.slots, a)->where);
    CHECK_EQUAL(88, micai_slots_find(&f.slots, b)->where);
    mica_entity c = mica_entity_make(9, 4);
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve_at(f.host, &f.slots, c));
    micai_slots_take_at(&f.slots, c, 99);
    CHECK_EQUAL(99, micai_slots_find(&f.slots, c)->where);
    end(&f);
}

// S3.1
static void only_the_handle_of_the_living_occupant_is_found(void)
{
    fixture f;
    begin(&f, 0);
    mica_entity dead = take(&f);
    give(&f, dead);
    mica_entity alive = take(&f);
    mica_entity freed = take(&f);
    give(&f, freed);
    take_at(&f, 5 * MICAI_SLOT_PAGE_SIZE, 0);

    CHECK(micai_slots_find(&f.slots, alive) != NULL);
    const mica_entity nobody[] = {
        mica_entity_none(),
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
    end(&f);
}

static void a_bad_handle_is_told_as_what_it_is(void)
{
    fixture f;
    begin(&f, 0);
    CHECK_EQUAL(MICA_ERROR_ENTITY, micai_slots_fail(f.host, "call", mica_entity_none()));
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
    end(&f);
}

static void the_last_freed_slot_is_the_first_used_again_across_pages(void)
{
    fixture f;
    begin(&f, 0);
    enum { COUNT = 11 };
    mica_entity entities[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        entities[i] = take(&f);
        CHECK_EQUAL(i, mica_entity_slot(entities[i]));
    }
    const uint32_t order[] = {9, 0, 5, 10, 3};
    for (size_t i = 0; i < 5; i++) {
        give(&f, entities[order[i]]);
    }
    CHECK_EQUAL(5, f.slots.free_count);
    for (size_t i = 5; i-- > 0;) {
        CHECK(is_at(take(&f), order[i], 1));
    }
    CHECK(is_at(take(&f), COUNT, 0));
    end(&f);
}

// S2.6
static void a_slot_far_away_makes_its_own_page_only(void)
{
    fixture f;
    begin(&f, 0);
    take(&f);
    size_t before = f.host->memory.bytes;
    uint32_t page = 1000;
    take_at(&f, page * MICAI_SLOT_PAGE_SIZE + 1, 6);
    CHECK_EQUAL(page + 1, f.slots.view.page_count);
    size_t page_bytes = MICAI_SLOT_PAGE_SIZE * sizeof(micai_record);
    size_t list_bytes = (page + 1) * sizeof *f.slots.view.pages;
    CHECK(f.host->memory.bytes - before <= page_bytes + list_bytes);
    for (uint32_t i = 1; i < page; i++) {
        REQUIRE_POINTER(NULL, f.slots.view.pages[i]);
    }
    CHECK_EQUAL(1, f.slots.ahead);
    CHECK_EQUAL(1, f.slots.fresh);
    end(&f);
}

// S2.6
static void fresh_slots_step_over_those_taken_ahead(void)
{
    fixture f;
    begin(&f, 0);
    take_at(&f, 1, 0);
    mica_entity freed = take_at(&f, 2, 5);
    take_at(&f, 4, 3);
    take_at(&f, 9, 0);
    give(&f, freed);
    CHECK_EQUAL(4, f.slots.ahead);
    CHECK_EQUAL(0, f.slots.fresh);

    CHECK(is_at(take(&f), 2, 6)); // a freed slot first, though it is ahead
    CHECK(is_at(take(&f), 0, 0));
    CHECK(is_at(take(&f), 3, 0));
    CHECK(is_at(take(&f), 5, 0));
    CHECK_EQUAL(1, f.slots.ahead);
    CHECK(is_at(take(&f), 6, 0));
    CHECK(is_at(take_at(&f, 7, 0), 7, 0)); // the fresh one itself, by handle
    CHECK_EQUAL(8, f.slots.fresh);
    CHECK_EQUAL(1, f.slots.ahead);
    CHECK(is_at(take(&f), 8, 0));
    CHECK(is_at(take(&f), 10, 0));
    CHECK_EQUAL(0, f.slots.ahead);
    end(&f);
}

// S2.6
static void a_handle_can_take_any_place_of_the_free_list(void)
{
    for (uint32_t which = 0; which < 5; which++) {
        fixture f;
        begin(&f, 0);
        mica_entity entities[5];
        for (uint32_t i = 0; i < 5; i++) {
            entities[i] = take(&f);
        }
        for (uint32_t i = 0; i < 5; i++) {
            give(&f, entities[i]);
        }
        take_at(&f, which, 1);
        CHECK_EQUAL(4, f.slots.free_count);
        CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots));
        for (uint32_t i = 5; i-- > 0;) {
            if (i != which) {
                CHECK(is_at(take(&f), i, 1));
            }
        }
        CHECK(is_at(take(&f), 5, 0));
        end(&f);
    }
}

static mica_result reserve_at(fixture *f, uint32_t slot, uint32_t generation)
{
    return micai_slots_reserve_at(f->host, &f->slots, mica_entity_make(slot, generation));
}

static void a_slot_in_use_or_past_the_generation_is_occupied(void)
{
    fixture f;
    begin(&f, 20);
    take(&f);
    take_at(&f, 1, 6);
    give(&f, mica_entity_make(1, 6));
    take_at(&f, 2, MICA_GENERATION_LAST);
    give(&f, mica_entity_make(2, MICA_GENERATION_LAST));

    CHECK_EQUAL(MICA_ERROR_OCCUPIED, reserve_at(&f, 0, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_OCCUPIED, "mica_spawn_at: slot 0 is in use by entity 0.0");
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, reserve_at(&f, 0, 9));
    CHECK_ERROR(&f.t, MICA_ERROR_OCCUPIED, "mica_spawn_at: slot 0 is in use by entity 0.0");
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, reserve_at(&f, 1, 6));
    CHECK_ERROR(&f.t, MICA_ERROR_OCCUPIED,
                "mica_spawn_at: slot 1 has moved past generation 6; its next is 7");
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, reserve_at(&f, 2, MICA_GENERATION_LAST));
    CHECK_ERROR(&f.t, MICA_ERROR_OCCUPIED, "mica_spawn_at: slot 2 is retired");

    CHECK_EQUAL(MICA_ERROR_LIMIT, reserve_at(&f, 20, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT, "mica_spawn_at: slot 20 is beyond the world's limit of 20");
    CHECK_EQUAL(MICA_ERROR_ENTITY, reserve_at(&f, 3, MICA_GENERATION_LAST + 1));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY,
                "mica_spawn_at: 0x8000000000000003 is no handle of any entity");
    CHECK_EQUAL(MICA_ERROR_ENTITY, micai_slots_reserve_at(f.host, &f.slots, mica_entity_none()));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY, "mica_spawn_at: the entity is none");
    CHECK_EQUAL(MICA_ERROR_ENTITY,
                micai_slots_reserve_at(f.host, &f.slots, (mica_entity){.bits = 3}));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY,
                "mica_spawn_at: 0x0000000000000003 is no handle of any entity");
    CHECK_EQUAL(MICA_ERROR_ENTITY, reserve_at(&f, UINT32_MAX, 0));
    CHECK_ERROR(&f.t, MICA_ERROR_ENTITY,
                "mica_spawn_at: 0x00000001ffffffff is no handle of any entity");

    CHECK_EQUAL(MICA_OK, reserve_at(&f, 1, 7));
    CHECK_EQUAL(MICA_OK, reserve_at(&f, 1, 700));
    CHECK_EQUAL(MICA_OK, reserve_at(&f, 19, MICA_GENERATION_LAST));
    CHECK_EQUAL(1, f.slots.alive);
    end(&f);
}

// S3.1
static void the_last_generation_retires_the_slot_and_is_logged(void)
{
    fixture f;
    begin(&f, 0);
    mica_entity entity = take(&f);
    take(&f);
    entity = micai_slots_age(&f.slots, entity, MICA_GENERATION_LAST - 1);
    CHECK(is_at(entity, 0, MICA_GENERATION_LAST - 1));
    give(&f, entity);
    CHECK_EQUAL(0, f.log_calls);
    entity = take(&f);
    CHECK(is_at(entity, 0, MICA_GENERATION_LAST));
    give(&f, entity);
    CHECK_EQUAL(1, f.log_calls);
    CHECK_TEXT("entity slot 0 is retired after its last generation", f.log_sentence);
    CHECK_EQUAL(MICAI_SLOT_FREE, micai_slots_at(&f.slots, 0)->tag);
    CHECK_EQUAL(0, f.slots.free_count);
    CHECK_EQUAL(1, f.slots.alive);
    CHECK(is_at(take(&f), 2, 0));
    end(&f);
}

// S0.1
static void running_out_of_slots_is_an_error_and_no_wrap(void)
{
    fixture f;
    begin(&f, 6);
    take_at(&f, 5, 0);
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_slots_reserve(f.host, &f.slots, 6));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT,
                "the world's limit of 6 entity slots would be passed: 1 in use");
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 5));
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(is_at(take(&f), i, 0));
    }
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_slots_reserve(f.host, &f.slots, 1));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT,
                "the world's limit of 6 entity slots would be passed: 6 in use");
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_slots_reserve(f.host, &f.slots, UINT32_MAX));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT,
                "the world's limit of 6 entity slots would be passed: 6 in use");
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 0));
    give(&f, mica_entity_make(3, 0));
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 1));
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_slots_reserve(f.host, &f.slots, 2));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK(is_at(take(&f), 3, 1));
    end(&f);
}

static void no_limit_is_every_slot_but_the_last_number(void)
{
    fixture f;
    begin(&f, 0);
    CHECK_EQUAL(UINT32_MAX, f.slots.limit);
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 0));
    CHECK_EQUAL(0, f.host->memory.blocks);
    end(&f);
}

static void reserved_slots_are_taken_without_memory(void)
{
    fixture f;
    begin(&f, 0);
    mica_entity freed = take(&f);
    take_at(&f, 6, 0);
    take_at(&f, 7, 0);
    give(&f, freed);
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 30));
    uint64_t allocations = f.host->memory.allocations;
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONWARDS);
    for (uint32_t i = 0; i < 30; i++) {
        mica_entity entity = micai_slots_take(&f.slots, ROW);
        CHECK(micai_slots_find(&f.slots, entity) != NULL);
    }
    CHECK_EQUAL(allocations, f.host->memory.allocations);
    CHECK_EQUAL(32, f.slots.alive);
    end(&f);
}

static void reserving_makes_as_many_pages_as_are_needed(void)
{
    fixture f;
    begin(&f, 0);
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 3 * MICAI_SLOT_PAGE_SIZE));
    CHECK_EQUAL(3, f.slots.view.page_count);
    CHECK_EQUAL(MICA_OK, micai_slots_reserve(f.host, &f.slots, 3 * MICAI_SLOT_PAGE_SIZE + 1));
    CHECK_EQUAL(4, f.slots.view.page_count);
    end(&f);
}

static void a_refused_page_leaves_the_slots_as_they_were(void)
{
    // The list of pages is refused first, then the page.
    for (uint64_t which = 1; which <= 2; which++) {
        fixture f;
        begin(&f, 0);
        mica_entity entity = take_at(&f, 0, 3);
        test_memory_fail_at(&f.t.memory, which, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_ERROR_MEMORY, reserve_at(&f, 50 * MICAI_SLOT_PAGE_SIZE, 0));
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots));
        test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_ERROR_MEMORY, micai_slots_reserve(f.host, &f.slots, MICAI_SLOT_PAGE_SIZE));
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        CHECK_EQUAL(1, f.slots.alive);
        CHECK(is_at(micai_slots_next(&f.slots, 0), 0, 3));
        give(&f, entity);
        CHECK(is_at(take(&f), 0, 4));
        end(&f);
    }
}

static void walking_goes_in_slot_order_over_missing_pages(void)
{
    fixture f;
    begin(&f, 0);
    CHECK(mica_entity_is_none(micai_slots_next(&f.slots, 0)));
    take_at(&f, 9 * MICAI_SLOT_PAGE_SIZE + 2, 1);
    take_at(&f, 1, 0);
    take_at(&f, 2 * MICAI_SLOT_PAGE_SIZE - 1, 0);
    take_at(&f, 0, 0);
    give(&f, mica_entity_make(0, 0));
    CHECK(is_at(micai_slots_next(&f.slots, 0), 1, 0));
    CHECK(is_at(micai_slots_next(&f.slots, 2), 2 * MICAI_SLOT_PAGE_SIZE - 1, 0));
    CHECK(is_at(micai_slots_next(&f.slots, 2 * MICAI_SLOT_PAGE_SIZE), 9 * MICAI_SLOT_PAGE_SIZE + 2,
                1));
    CHECK(mica_entity_is_none(micai_slots_next(&f.slots, 9 * MICAI_SLOT_PAGE_SIZE + 3)));
    CHECK(mica_entity_is_none(micai_slots_next(&f.slots, UINT32_MAX)));
    end(&f);
}

static void clearing_ends_all_lowest_slot_first(void)
{
    fixture f;
    begin(&f, 0);
    for (uint32_t i = 0; i < 6; i++) {
        take(&f);
    }
    give(&f, mica_entity_make(3, 0));
    take_at(&f, 40, 2);
    micai_slots_age(&f.slots, mica_entity_make(1, 0), MICA_GENERATION_LAST);
    micai_slots_clear(f.host, &f.slots);
    CHECK_EQUAL(0, f.slots.alive);
    CHECK_EQUAL(1, f.log_calls);
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f.host, &f.slots));
    const uint32_t slots[] = {40, 5, 4, 2, 0, 3, 6};
    const uint32_t generations[] = {3, 1, 1, 1, 1, 1, 0};
    for (size_t i = 0; i < 7; i++) {
        CHECK(is_at(take(&f), slots[i], generations[i]));
    }
    end(&f);
}

#define CHECK_BROKEN(f, sentence)                                                                  \
    (CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_slots_validate((f)->host, &(f)->slots)),                \
     CHECK_ERROR(&(f)->t, MICA_ERROR_CORRUPT, sentence))

// Slots 0 to 4 are fresh: 0 and 4 live, 3 is free, then 1; 2 is retired. 8 is ahead and lives.
static void begin_validate(fixture *f)
{
    begin(f, 10);
    for (uint32_t i = 0; i < 5; i++) {
        take(f);
    }
    take_at(f, 8, 2);
    give(f, mica_entity_make(1, 0));
    give(f, micai_slots_age(&f->slots, mica_entity_make(2, 0), MICA_GENERATION_LAST));
    give(f, mica_entity_make(3, 0));
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
    end(&f);
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
    end(&f);
}

static void validation_finds_a_free_list_that_leads_to_a_missing_page(void)
{
    fixture f;
    begin(&f, 0);
    give(&f, take(&f));
    take_at(&f, 10 * MICAI_SLOT_PAGE_SIZE, 0);
    f.slots.free_first = 5 * MICAI_SLOT_PAGE_SIZE;
    char sentence[128];
    snprintf(sentence, sizeof sentence,
             "invariant S2 is broken: the free list leads to slot %u, unheard of",
             (unsigned)f.slots.free_first);
    CHECK_BROKEN(&f, sentence);
    f.slots.free_first = 0;
    end(&f);
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
    end(&f);
}

static void validation_finds_a_broken_s4(void)
{
    fixture f;
    begin_validate(&f);
    f.slots.limit = 8;
    CHECK_BROKEN(&f, "invariant S4 is broken: slot 8 is beyond the limit 8");
    f.slots.limit = 10;
    end(&f);
}

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
    REQUIRE(is_at(entity, slot, generation));
    model_enter(m, slot, generation);
}

static void model_take_at(fixture *f, model *m, uint32_t slot, uint32_t generation)
{
    bool possible =
        m->state[slot] == VIRGIN || (m->state[slot] == FREED && generation >= m->generation[slot]);
    if (generation > MICA_GENERATION_LAST) {
        generation = MICA_GENERATION_LAST;
    }
    mica_result result = reserve_at(f, slot, generation);
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
    give(f, entity);
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
    REQUIRE(mica_entity_is_none(walked));
}

static void random_takes_and_gives_agree_with_a_naive_model(void)
{
    for (uint64_t round = 1; round <= 100; round++) {
        fixture f;
        begin(&f, MODEL_SLOTS);
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
        end(&f);
    }
}

// The order in which slots are used again, with any of them taken out of it by handle.
static void the_free_list_keeps_its_order_whatever_is_taken_out_of_it(void)
{
    enum { COUNT = 60 };
    fixture f;
    begin(&f, COUNT);
    uint32_t stack[COUNT];
    uint32_t count = 0;
    uint32_t generations[COUNT] = {0};
    bool alive[COUNT] = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        alive[mica_entity_slot(take(&f))] = true;
    }
    uint32_t random = 1;
    for (uint32_t step = 0; step < 5000; step++) {
        random = random * 1664525 + 1013904223;
        uint32_t slot = (random >> 16) % COUNT;
        uint32_t what = (random >> 8) % 4;
        if (alive[slot]) {
            give(&f, mica_entity_make(slot, generations[slot]++));
            stack[count++] = slot;
            alive[slot] = false;
        } else if (what == 0) {
            uint32_t last = stack[--count];
            CHECK(is_at(take(&f), last, generations[last]));
            alive[last] = true;
        } else if (what == 1) {
            generations[slot] += step % 3;
            take_at(&f, slot, generations[slot]);
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
        CHECK_EQUAL(stack[--count], mica_entity_slot(take(&f)));
    }
    end(&f);
}

static void reclaim(fixture *f)
{
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve_reclaim(f->host, &f->slots));
    micai_slots_reclaim(f->host, &f->slots);
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f->host, &f->slots));
}

static void reclaiming_gives_back_pages_where_nobody_lives(void)
{
    fixture f;
    begin(&f, 0);
    mica_entity entities[3 * MICAI_SLOT_PAGE_SIZE];
    for (uint32_t i = 0; i < 3 * MICAI_SLOT_PAGE_SIZE; i++) {
        entities[i] = take(&f);
    }
    size_t full = f.t.memory.bytes;
    reclaim(&f); // all are in use
    CHECK_EQUAL(full, f.t.memory.bytes);
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        give(&f, entities[i]);
    }
    give(&f, take(&f)); // one is a generation ahead
    reclaim(&f);
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
        CHECK(is_at(take(&f), i, 2));
    }
    CHECK(is_at(take(&f), 3 * MICAI_SLOT_PAGE_SIZE, 0));
    end(&f);
}

static void a_page_with_a_retired_slot_is_kept(void)
{
    fixture f;
    begin(&f, 0);
    mica_entity last = micai_slots_age(&f.slots, take(&f), MICA_GENERATION_LAST);
    give(&f, last);
    reclaim(&f);
    CHECK(f.slots.view.pages[0] != NULL);
    CHECK_EQUAL(MICA_ERROR_OCCUPIED, micai_slots_reserve_at(f.host, &f.slots, last));
    test_error_clear(&f.t.error);
    CHECK(is_at(take(&f), 1, 0));
    end(&f);
}

static void a_refused_reserve_keeps_nothing(void)
{
    fixture f;
    begin(&f, 0);
    take(&f);
    for (uint64_t which = 1;; which++) {
        size_t before = f.t.memory.bytes;
        test_memory_fail_at(&f.t.memory, which, TEST_MEMORY_ONCE);
        mica_result result = micai_slots_reserve(f.host, &f.slots, 6 * MICAI_SLOT_PAGE_SIZE);
        bool was_refused = f.t.memory.refusals > 0;
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        if (!was_refused) {
            CHECK_EQUAL(MICA_OK, result);
            break;
        }
        CHECK_EQUAL(MICA_ERROR_MEMORY, result);
        CHECK_EQUAL(before, f.t.memory.bytes);
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
    }
    end(&f);
}

static void validation_finds_a_broken_s7(void)
{
    fixture f;
    begin(&f, 0);
    give(&f, take(&f));
    reclaim(&f);
    mica_entity entity = take(&f);
    micai_slots_at(&f.slots, mica_entity_slot(entity))->tag = 1;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_slots_validate(f.host, &f.slots));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT,
                "invariant S7 is broken: slot 0 is in a generation that is over");
    micai_slots_at(&f.slots, mica_entity_slot(entity))->tag = 2;
    end(&f);
}

TESTS(slot, the_recycling_trace_is_reproduced_state_by_state, a_handle_stores_its_version_plus_one,
      a_handle_as_text_is_slot_dot_generation, the_record_of_a_living_entity_keeps_its_row,
      only_the_handle_of_the_living_occupant_is_found, a_bad_handle_is_told_as_what_it_is,
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
      validation_finds_a_broken_s3, validation_finds_a_broken_s4,
      random_takes_and_gives_agree_with_a_naive_model,
      the_free_list_keeps_its_order_whatever_is_taken_out_of_it,
      reclaiming_gives_back_pages_where_nobody_lives, a_page_with_a_retired_slot_is_kept,
      a_refused_reserve_keeps_nothing, validation_finds_a_broken_s7)
