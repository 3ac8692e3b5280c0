#include "store/table/store.h"

#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

// S3.2
TEST_WITH(fixture, f, a_set_has_one_table_made_when_first_asked_for)
{
    CHECK_EQUAL(1, f->store.tables.count);
    CHECK_POINTER(f->store.root, fixture_table(f, 0));
    micai_table *a = fixture_table(f, BIT(A));
    micai_table *ab = fixture_table(f, BIT(A) | BIT(B));
    CHECK(a != ab && a != f->store.root);
    CHECK_POINTER(a, fixture_table(f, BIT(A)));
    CHECK_POINTER(ab, fixture_table(f, BIT(A) | BIT(B)));
    CHECK_EQUAL(3, f->store.tables.count);
    CHECK_EQUAL(0, f->store.root->id);
    CHECK_EQUAL(1, a->id);
    CHECK_EQUAL(2, ab->id);
    CHECK_EQUAL(1, f->store.root->layout.column_count);

    // Words of zeroes at the end do not make another set.
    uint64_t more[3] = {0};
    const mica_type_set longer = {.words = {BIT(A)}, .more = more, .more_count = 3};
    CHECK_POINTER(a, micai_store_table(&f->store, &longer));
}

// S0: pointers into buckets dangle when the map of archetypes grows. Tables and places are right
// after a thousand tables were made.
TEST_WITH(fixture, f, tables_and_places_stay_when_many_tables_are_made)
{
    for (uint32_t number = TYPES; number < 17; number++) {
        fixture_register(f, number, 0);
    }
    micai_table *first = fixture_table(f, BIT(A) | BIT(MOVED));
    mica_entity entity = fixture_spawn(f, first, 5);
    micai_row place = fixture_row(f, entity);
    static micai_table *tables[1024];
    static mica_entity entities[1024];
    for (uint32_t i = 0; i < 1024; i++) {
        tables[i] = fixture_table(f, BIT(B) | (uint64_t)i << TYPES);
        REQUIRE(tables[i] != NULL);
        entities[i] = fixture_spawn(f, tables[i], i);
    }
    for (uint32_t i = 0; i < 1024; i++) {
        CHECK_POINTER(tables[i], fixture_table(f, BIT(B) | (uint64_t)i << TYPES));
        CHECK_POINTER(tables[i], fixture_row(f, entities[i]).sheet->table);
        CHECK(fixture_holds(f, entities[i], i, 0));
    }
    CHECK_POINTER(place.sheet, fixture_row(f, entity).sheet);
    CHECK_POINTER(first, place.sheet->table);
    CHECK(fixture_holds(f, entity, 5, 0));
}

TEST_WITH(fixture, f, an_empty_table_costs_at_most_a_kibibyte_at_64_types)
{
    for (uint32_t number = TYPES; number < 64; number++) {
        fixture_register(f, number, 4);
    }
    // Many, so that the growth of lists and of the map is shared out.
    size_t before = f->host->memory.bytes;
    for (uint32_t i = 0; i < 500; i++) {
        uint64_t bits = BIT(A) | BIT(10 + i % 8) | BIT(20 + i / 8 % 8) | BIT(30 + i / 64);
        REQUIRE(fixture_table(f, bits) != NULL);
    }
    CHECK_EQUAL(501, f->store.tables.count);
    CHECK((f->host->memory.bytes - before) / 500 <= 1024);

    // With a transition to each of two others.
    REQUIRE(fixture_one(f, f->store.root, 61, false) != NULL);
    before = f->host->memory.bytes;
    micai_table *table = fixture_table(f, BIT(60) | BIT(61) | BIT(62));
    REQUIRE(fixture_one(f, table, 60, true) != NULL);
    REQUIRE(fixture_one(f, table, 61, true) != NULL);
    CHECK((f->host->memory.bytes - before) / 3 <= 1024);
}

// Writes down what it hears, and refuses the `refuse`-th table.
typedef struct table_log {
    micai_host *host;
    uint32_t made, gone, refuse;
    const micai_table *last;
} table_log;

static mica_result hear_made(void *user, micai_table *table)
{
    table_log *e = user;
    if (++e->made == e->refuse) {
        return micai_fail(e->host, MICA_ERROR_MEMORY, "the listener refuses");
    }
    e->last = table;
    return MICA_OK;
}

static void hear_going(void *user)
{
    table_log *e = user;
    e->gone++;
    CHECK(e->last->dying);
}

static void listen(fixture *f, table_log *e)
{
    const micai_listener listener = {.created = hear_made, .freeing = hear_going, .user = e};
    REQUIRE_EQUAL(MICA_OK, micai_store_listen(&f->store, listener));
}

TEST_WITH(fixture, f, listeners_hear_of_tables_that_come_and_go)
{
    table_log e = {.host = f->host};
    listen(f, &e);
    const micai_table *table = fixture_table(f, BIT(A));
    CHECK_EQUAL(1, e.made);
    CHECK_POINTER(table, e.last);
    fixture_table(f, BIT(A)); // is there
    CHECK_EQUAL(1, e.made);
    fixture_reclaim(f);
    CHECK_EQUAL(1, e.gone);
    CHECK_EQUAL(1, f->store.tables.count); // the root stays
}

TEST_WITH(fixture, f, there_may_be_any_number_of_listeners)
{
    table_log listeners[20];
    for (uint32_t i = 0; i < 20; i++) {
        listeners[i] = (table_log){.host = f->host};
        listen(f, &listeners[i]);
    }
    micai_table *table = fixture_table(f, BIT(A));
    for (uint32_t i = 0; i < 20; i++) {
        CHECK_EQUAL(1, listeners[i].made);
        CHECK_POINTER(table, listeners[i].last);
    }
    fixture_reclaim(f);
    for (uint32_t i = 0; i < 20; i++) {
        CHECK_EQUAL(1, listeners[i].gone);
    }
}

static void a_listener_that_finds_no_memory_is_not_reported(void)
{
    for (uint32_t there = 0; there < 40; there++) {
        fixture f;
        fixture_begin(&f);
        table_log e = {.host = f.host};
        for (uint32_t i = 0; i < there; i++) {
            listen(&f, &e);
        }
        test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
        table_log refused = {.host = f.host};
        mica_result result = micai_store_listen(
            &f.store,
            (micai_listener){.created = hear_made, .freeing = hear_going, .user = &refused});
        bool was_refused = f.t.memory.refusals > 0;
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(was_refused ? MICA_ERROR_MEMORY : MICA_OK, result);
        CHECK_EQUAL(was_refused, test_error_clear(&f.t.error));
        fixture_table(&f, BIT(A));
        CHECK_EQUAL(there, e.made);
        CHECK_EQUAL(!was_refused, refused.made);
        fixture_end(&f);
    }
}

TEST_WITH(fixture, f, a_listener_may_care_for_some_news_only)
{
    table_log e = {.host = f->host};
    const micai_listener listener = {.freeing = hear_going, .user = &e};
    REQUIRE_EQUAL(MICA_OK, micai_store_listen(&f->store, listener));
    const micai_listener other = {.created = hear_made, .freeing = hear_going, .user = &e};
    REQUIRE_EQUAL(MICA_OK, micai_store_listen(&f->store, other));
    fixture_table(f, BIT(A));
    CHECK_EQUAL(1, e.made);
    fixture_reclaim(f);
    CHECK_EQUAL(2, e.gone);
}

TEST_WITH(fixture, f, a_listener_that_refuses_undoes_the_table)
{
    table_log agrees = {.host = f->host};
    table_log refuses = {.host = f->host, .refuse = 2};
    table_log unheard = {.host = f->host};
    listen(f, &agrees);
    listen(f, &refuses);
    listen(f, &unheard);
    micai_table *first = fixture_table(f, BIT(A));
    REQUIRE(first != NULL);
    mica_entity entity = fixture_spawn(f, first, 3);

    CHECK_POINTER(NULL, fixture_one(f, first, B, false));
    CHECK_ERROR(&f->t, MICA_ERROR_MEMORY, "the listener refuses");
    CHECK_EQUAL(2, f->store.tables.count);
    CHECK_EQUAL(0, fixture_transitions(f));
    CHECK_EQUAL(2, agrees.made);
    CHECK_EQUAL(1, agrees.gone); // it was reported that the table is gone again
    CHECK_EQUAL(0, refuses.gone);
    CHECK_EQUAL(1, unheard.made);
    CHECK_EQUAL(0, unheard.gone);
    CHECK(fixture_holds(f, entity, 3, 0));
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));

    const micai_transition *t = fixture_one(f, first, B, false);
    REQUIRE(t != NULL);
    CHECK_EQUAL(2, t->target->id);
}

// Nobody hears of a table that never was.
static void a_table_that_cannot_be_made_leaves_no_trace(void)
{
    static const uint64_t sets[] = {BIT(A) | BIT(B), BIT(TAG_0), BIT(MOVED) | BIT(E), BIT(20)};
    for (uint32_t i = 0; i < 4; i++) {
        for (uint64_t k = 1;; k++) {
            fixture f;
            fixture_begin(&f);
            for (uint32_t number = TYPES; number <= 20; number++) {
                fixture_register(&f, number, 4); // the last, beyond what the directory knows
            }
            table_log e = {.host = f.host};
            listen(&f, &e);
            micai_table *table = fixture_table(&f, BIT(A));
            const micai_transition *t = fixture_one(&f, table, A, true);
            const table_log before = e;
            test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
            const micai_table *made = fixture_table(&f, sets[i]);
            bool was_refused = f.t.memory.refusals > 0;
            test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
            CHECK_EQUAL(was_refused, made == NULL);
            CHECK_EQUAL(was_refused, test_error_clear(&f.t.error));
            CHECK_EQUAL(2 + !was_refused, f.store.tables.count);
            CHECK_EQUAL(before.made + !was_refused, e.made);
            CHECK_EQUAL(before.gone, e.gone);
            CHECK_EQUAL(1, fixture_transitions(&f));
            CHECK_POINTER(t, fixture_one(&f, table, A, true));
            CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
            CHECK(fixture_holds(&f, fixture_spawn(&f, fixture_table(&f, sets[i]), 3), 3, 0));
            fixture_end(&f);
            if (!was_refused) {
                break;
            }
        }
    }
}

TEST_WITH(fixture, f, reclaiming_frees_empty_tables_and_the_transitions_to_them)
{
    micai_table *a = fixture_table(f, BIT(A));
    micai_transition *to_ab = fixture_one(f, a, B, false);
    micai_table *ab = to_ab->target;
    micai_transition *to_ae = fixture_one(f, a, E, false);
    micai_table *ae = to_ae->target;
    micai_transition *from_ae = fixture_one(f, ae, E, true);
    micai_transition *from_ab = fixture_one(f, ab, B, true);
    micai_transition *several = fixture_to(f, f->store.root, BIT(A) | BIT(B));
    micai_transition *all[] = {to_ab, to_ae, from_ae, from_ab, several};
    for (uint32_t i = 0; i < 5; i++) {
        all[i]->pins = 1; // so that they go for their tables alone
    }
    mica_entity in_a = fixture_spawn(f, a, 1);
    mica_entity in_ae = fixture_spawn(f, ae, 2);
    for (uint32_t i = 0; i < 9; i++) {
        fixture_despawn(f, fixture_spawn(f, ab, i));
    }
    const uint32_t ab_id = ab->id;

    fixture_reclaim(f);
    CHECK_EQUAL(3, f->store.tables.count);
    CHECK_EQUAL(2, fixture_transitions(f));
    CHECK_POINTER(to_ae, fixture_one(f, a, E, false));
    CHECK_POINTER(from_ae, fixture_one(f, ae, E, true));
    to_ae->pins = from_ae->pins = 0;
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    CHECK(fixture_holds(f, in_a, 1, 0));
    CHECK(fixture_holds(f, in_ae, 2, 0));

    // Those that stay close ranks: ids go on telling the order of creation.
    CHECK_EQUAL(ab_id, ae->id);
    CHECK_EQUAL(3, fixture_table(f, BIT(TAG_3))->id);
    ab = fixture_one(f, a, B, false)->target;
    CHECK_EQUAL(4, ab->id);
    CHECK(fixture_holds(f, fixture_spawn(f, ab, 8), 8, 0));
}

TEST_WITH(fixture, f, reclaiming_gives_back_sheets_without_rows)
{
    micai_table *table = fixture_table(f, BIT(A) | BIT(MOVED));
    mica_entity entities[30];
    for (uint32_t i = 0; i < 30; i++) {
        entities[i] = fixture_spawn(f, table, i);
    }
    for (uint32_t i = 3; i < 30; i++) {
        fixture_despawn(f, entities[i]);
    }
    fixture_reclaim(f);
    CHECK_EQUAL(1, table->sheets.count);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(fixture_holds(f, entities[i], i, 0));
    }
    // Sheet numbers are used again.
    uint32_t numbers = f->store.sheets.count;
    for (uint32_t i = 3; i < 30; i++) {
        entities[i] = fixture_spawn(f, table, i);
    }
    CHECK_EQUAL(numbers, f->store.sheets.count);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
}

TEST_WITH(fixture, f, many_tables_come_and_go_without_growth)
{
    size_t empty = 0;
    size_t bytes[2] = {0}; // sheets are numbered the other way round every second time
    for (uint32_t round = 0; round < 20; round++) {
        for (uint64_t bits = 1; bits < BIT(TYPES); bits++) {
            fixture_spawn(f, fixture_table(f, bits), (uint32_t)bits);
        }
        CHECK_EQUAL(BIT(TYPES), f->store.tables.count);
        if (round <= 1) {
            bytes[round] = f->t.memory.bytes;
        }
        CHECK_EQUAL(bytes[round % 2], f->t.memory.bytes);
        micai_store_clear(&f->store);
        micai_slots_clear(f->host, &f->slots);
        fixture_reclaim(f);
        empty = round == 0 ? f->t.memory.bytes : empty;
        CHECK_EQUAL(empty, f->t.memory.bytes);
        CHECK_EQUAL(1, f->store.tables.count);
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
        CHECK_TRACKED(&f->tracker, 0);
    }
}

TEST_WITH(fixture, f, clearing_ends_all_values_and_keeps_tables_and_room)
{
    micai_table *table = fixture_table(f, BIT(MOVED) | BIT(HOOKED));
    for (uint32_t i = 0; i < 9; i++) {
        fixture_spawn(f, table, i);
    }
    CHECK_TRACKED(&f->tracker, 18);
    const uint32_t capacity = table->capacity;
    micai_store_clear(&f->store);
    micai_slots_clear(f->host, &f->slots);
    CHECK_TRACKED(&f->tracker, 0);
    CHECK_EQUAL(0, f->slots.alive);
    CHECK_EQUAL(2, f->store.tables.count);
    CHECK_EQUAL(capacity, table->capacity);
}

// Two tables with a transition and a few rows, of which the tests then break something.
typedef struct breakable {
    fixture f;
    micai_table *a;
    micai_transition *t;
} breakable;

static void breakable_begin(breakable *b)
{
    fixture_begin(&b->f);
    b->a = fixture_table(&b->f, BIT(A) | BIT(B));
    b->t = fixture_one(&b->f, b->a, E, false);
    REQUIRE(fixture_one(&b->f, b->a, TAG_0, false) != NULL);
    fixture_spawn(&b->f, b->a, 1);
    fixture_spawn(&b->f, b->t->target, 2);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&b->f.store));
}

static void validate_finds_a_table_that_is_not_found(void)
{
    breakable b;
    breakable_begin(&b);
    b.a->id++;
    CHECK_BROKEN(&b.f, "G1");
    b.a->id--;
    CHECK(micai_map_remove(&b.f.store.by_set, b.a->hash, b.a->id));
    CHECK_BROKEN(&b.f, "G1");
    REQUIRE(micai_map_reserve(b.f.host, &b.f.store.by_set, 2));
    micai_map_insert(&b.f.store.by_set, b.a->hash, b.a->id);
    micai_map_insert(&b.f.store.by_set, 12345, b.a->id);
    CHECK_BROKEN(&b.f, "G1");
    CHECK(micai_map_remove(&b.f.store.by_set, 12345, b.a->id));
    fixture_end(&b.f);
}

static void validate_finds_rows_that_are_miscounted(void)
{
    breakable b;
    breakable_begin(&b);
    micai_table_pop(b.a); // an entity in no row
    CHECK_BROKEN(&b.f, "G3");
    micai_table_push(b.a);
    fixture_end(&b.f);
}

static void validate_finds_sheet_numbers_that_are_lost(void)
{
    breakable b;
    breakable_begin(&b);
    micai_table *other = fixture_table(&b.f, BIT(HOOKED));
    fixture_despawn(&b.f, fixture_spawn(&b.f, other, 1));
    micai_table_trim(&b.f.store, other);
    REQUIRE_EQUAL(1, b.f.store.free_sheets.count);
    b.f.store.free_sheets.count--;
    CHECK_BROKEN(&b.f, "G4");
    b.f.store.free_sheets.count++;
    uint32_t number = b.f.store.free_sheets.items[0];
    b.f.store.free_sheets.items[0] = 0; // in use
    CHECK_BROKEN(&b.f, "G4");
    b.f.store.free_sheets.items[0] = 1000;
    CHECK_BROKEN(&b.f, "G4");
    b.f.store.free_sheets.items[0] = number;
    fixture_end(&b.f);
}

static void a_store_whose_making_fails_can_be_freed(void)
{
    for (uint64_t k = 1;; k++) {
        test_host t;
        micai_host *host = test_host_begin(&t);
        micai_slots slots;
        micai_registry types;
        micai_store store;
        micai_slots_init(&slots, 0);
        micai_registry_init(&types, 0, 7);
        uint32_t busy = 0;
        const uint64_t now = 1;
        micai_gate gate = {.host = host, .slots = &slots, .busy = &busy};
        test_memory_fail_at(&t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = micai_store_init(&store, &gate, &types, &now, false);
        CHECK_EQUAL(t.memory.refusals > 0 ? MICA_ERROR_MEMORY : MICA_OK, result);
        CHECK_EQUAL(result != MICA_OK, test_error_clear(&t.error));
        micai_store_free(&store);
        micai_registry_free(host, &types);
        micai_slots_free(host, &slots);
        test_host_end(&t);
        if (!result) {
            break;
        }
    }
}

TESTS(store, a_set_has_one_table_made_when_first_asked_for,
      tables_and_places_stay_when_many_tables_are_made,
      an_empty_table_costs_at_most_a_kibibyte_at_64_types,
      listeners_hear_of_tables_that_come_and_go, there_may_be_any_number_of_listeners,
      a_listener_that_finds_no_memory_is_not_reported, a_listener_may_care_for_some_news_only,
      a_listener_that_refuses_undoes_the_table, a_table_that_cannot_be_made_leaves_no_trace,
      reclaiming_frees_empty_tables_and_the_transitions_to_them,
      reclaiming_gives_back_sheets_without_rows, many_tables_come_and_go_without_growth,
      clearing_ends_all_values_and_keeps_tables_and_room, validate_finds_a_table_that_is_not_found,
      validate_finds_rows_that_are_miscounted, validate_finds_sheet_numbers_that_are_lost,
      a_store_whose_making_fails_can_be_freed)
