#include "store/table/store.h"

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

// S3.2
static void a_set_has_one_table_made_when_first_asked_for(void)
{
    fixture f;
    fixture_begin(&f);
    CHECK_EQUAL(1, f.store.tables.count);
    CHECK_POINTER(f.store.root, fixture_table(&f, 0));
    micai_table *a = fixture_table(&f, BIT(A));
    micai_table *ab = fixture_table(&f, BIT(A) | BIT(B));
    CHECK(a != ab && a != f.store.root);
    CHECK_POINTER(a, fixture_table(&f, BIT(A)));
    CHECK_POINTER(ab, fixture_table(&f, BIT(A) | BIT(B)));
    CHECK_EQUAL(3, f.store.tables.count);
    CHECK_EQUAL(0, f.store.root->id);
    CHECK_EQUAL(1, a->id);
    CHECK_EQUAL(2, ab->id);
    CHECK_EQUAL(1, f.store.root->column_count);

    // Words of zeroes at the end do not make another set.
    uint64_t more[3] = {0};
    const mica_types longer = {.words = {BIT(A)}, .more = more, .more_count = 3};
    CHECK_POINTER(a, micai_store_table(&f.store, &longer));
    fixture_end(&f);
}

// S0: pointers into buckets dangle when the map of archetypes grows. Tables and places are right
// after a thousand tables were made.
static void tables_and_places_stay_when_many_tables_are_made(void)
{
    fixture f;
    fixture_begin(&f);
    for (uint32_t number = TYPES; number < 17; number++) {
        char name[8];
        snprintf(name, sizeof name, "T%u", (unsigned)number);
        REQUIRE(!mica_type_is_none(
            micai_registry_register(f.host, &f.registry, &(mica_type_desc){.name = name})));
    }
    micai_table *first = fixture_table(&f, BIT(A) | BIT(MOVED));
    mica_entity entity = fixture_spawn(&f, first, 5);
    micai_place place = fixture_place(&f, entity);
    static micai_table *tables[1024];
    static mica_entity entities[1024];
    for (uint32_t i = 0; i < 1024; i++) {
        tables[i] = fixture_table(&f, BIT(B) | (uint64_t)i << TYPES);
        REQUIRE(tables[i] != NULL);
        entities[i] = fixture_spawn(&f, tables[i], i);
    }
    for (uint32_t i = 0; i < 1024; i++) {
        CHECK_POINTER(tables[i], fixture_table(&f, BIT(B) | (uint64_t)i << TYPES));
        CHECK_POINTER(tables[i], fixture_place(&f, entities[i]).sheet->table);
        CHECK(fixture_holds(&f, entities[i], i, 0));
    }
    CHECK_POINTER(place.sheet, fixture_place(&f, entity).sheet);
    CHECK_POINTER(first, place.sheet->table);
    CHECK(fixture_holds(&f, entity, 5, 0));
    fixture_end(&f);
}

static void an_empty_table_costs_at_most_a_kibibyte_at_64_types(void)
{
    fixture f;
    fixture_begin(&f);
    for (uint32_t number = TYPES; number < 64; number++) {
        char name[8];
        snprintf(name, sizeof name, "T%u", (unsigned)number);
        REQUIRE(!mica_type_is_none(micai_registry_register(
            f.host, &f.registry, &(mica_type_desc){.name = name, .size = 4, .align = 4})));
    }
    // Many, so that the growth of lists and of the map is shared out.
    size_t before = f.host->memory.bytes;
    for (uint32_t i = 0; i < 500; i++) {
        uint64_t bits = BIT(A) | BIT(10 + i % 8) | BIT(20 + i / 8 % 8) | BIT(30 + i / 64);
        REQUIRE(fixture_table(&f, bits) != NULL);
    }
    CHECK_EQUAL(501, f.store.tables.count);
    CHECK((f.host->memory.bytes - before) / 500 <= 1024);

    // With an edge to each of two others.
    before = f.host->memory.bytes;
    micai_table *table = fixture_table(&f, BIT(60) | BIT(61) | BIT(62));
    REQUIRE(micai_store_edge(&f.store, table, 60, true) != NULL);
    REQUIRE(micai_store_edge(&f.store, table, 61, true) != NULL);
    CHECK((f.host->memory.bytes - before) / 3 <= 1024);
    fixture_end(&f);
}

static void an_entity_has_at_most_65533_columns(void)
{
    fixture f;
    fixture_begin(&f);
    mica_types set = {0};
    for (uint32_t number = TYPES; number < TYPES + 65534; number++) {
        char name[8];
        snprintf(name, sizeof name, "T%u", (unsigned)number);
        REQUIRE(!mica_type_is_none(micai_registry_register(
            f.host, &f.registry, &(mica_type_desc){.name = name, .size = 1, .align = 1})));
        REQUIRE_EQUAL(MICA_OK, micai_types_add(f.host, &set, number));
    }
    CHECK_POINTER(NULL, micai_store_table(&f.store, &set));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT, "65534 components of one entity; 65533 is the most");
    CHECK_EQUAL(1, f.store.tables.count);
    micai_types_remove(&set, 100);
    const micai_table *table = micai_store_table(&f.store, &set);
    REQUIRE(table != NULL);
    CHECK_EQUAL(65533, micai_table_column(table, TYPES + 65533));
    micai_types_free(f.host, &set);
    fixture_end(&f);
}

// S3.3
static void an_edge_is_worked_out_once(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *a = fixture_table(&f, BIT(A));
    micai_edge *add_b = micai_store_edge(&f.store, a, B, false);
    micai_edge *add_tag = micai_store_edge(&f.store, a, TAG_0, false);
    micai_edge *remove_a = micai_store_edge(&f.store, a, A, true);
    REQUIRE(add_b != NULL && add_tag != NULL && remove_a != NULL);
    CHECK_POINTER(fixture_table(&f, BIT(A) | BIT(B)), add_b->target);
    CHECK_POINTER(fixture_table(&f, BIT(A) | BIT(TAG_0)), add_tag->target);
    CHECK_POINTER(f.store.root, remove_a->target);

    const mica_types several = fixture_set(BIT(B) | BIT(E) | BIT(TAG_3));
    micai_edge *change = micai_store_edge_to(&f.store, a, &several);
    REQUIRE(change != NULL);
    CHECK_POINTER(fixture_table(&f, several.words[0]), change->target);

    uint64_t allocations = f.t.memory.allocations;
    CHECK_POINTER(add_b, micai_store_edge(&f.store, a, B, false));
    CHECK_POINTER(add_tag, micai_store_edge(&f.store, a, TAG_0, false));
    CHECK_POINTER(remove_a, micai_store_edge(&f.store, a, A, true));
    CHECK_POINTER(change, micai_store_edge_to(&f.store, a, &several));
    CHECK_EQUAL(allocations, f.t.memory.allocations);
    CHECK_EQUAL(4, a->edges.count);
    fixture_end(&f);
}

static void check_copy(const micai_copy *copy, uint32_t source, uint32_t target, uint32_t size)
{
    CHECK_EQUAL(source, copy->source);
    CHECK_EQUAL(target, copy->target);
    CHECK_EQUAL(size, copy->size);
}

// S3.3
static void an_edge_lists_shared_added_and_removed_columns(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(TAG_0) | BIT(A) | BIT(MOVED));
    const micai_edge *add = micai_store_edge(&f.store, table, B, false);
    CHECK_EQUAL(3, add->shared_count);
    CHECK_EQUAL(1, add->added_count);
    CHECK_EQUAL(0, add->removed_count);
    CHECK(!add->plain);
    check_copy(&add->copies[0], 0, 0, 8);
    check_copy(&add->copies[1], 1, 1, 8);
    check_copy(&add->copies[2], 2, 3, sizeof(tracked));
    check_copy(&add->copies[3], 0, 2, 4);

    const micai_edge *remove = micai_store_edge(&f.store, table, A, true);
    CHECK_EQUAL(2, remove->shared_count);
    CHECK_EQUAL(0, remove->added_count);
    CHECK_EQUAL(1, remove->removed_count);
    check_copy(&remove->copies[1], 2, 1, sizeof(tracked));
    check_copy(&remove->copies[2], 1, 0, 8);

    const micai_edge *tag = micai_store_edge(&f.store, fixture_table(&f, BIT(A)), TAG_3, false);
    CHECK(tag->plain);
    CHECK_EQUAL(2, tag->shared_count);
    CHECK_EQUAL(0, tag->added_count + tag->removed_count);
    fixture_end(&f);
}

// S3: telling an addition from a removal by "new > old" is wrong where a change does both. Here the
// set grows as a number while a type goes, and shrinks while one comes.
static void a_mixed_change_adds_and_removes_whatever_the_numbers(void)
{
    fixture f;
    fixture_begin(&f);
    static const struct {
        uint64_t from, to;
    } changes[] = {
        {BIT(A) | BIT(B), BIT(A) | BIT(E)}, // B goes, E, which is higher, comes
        {BIT(A) | BIT(E), BIT(A) | BIT(B)}, // the other way round
        {BIT(E), BIT(A) | BIT(B) | BIT(MOVED)},
        {BIT(A) | BIT(MOVED) | BIT(TAG_0), BIT(B) | BIT(HOOKED) | BIT(MOVED) | BIT(TAG_3)},
    };
    for (uint32_t i = 0; i < 4; i++) {
        micai_table *table = fixture_table(&f, changes[i].from);
        const mica_types to = fixture_set(changes[i].to);
        micai_edge *edge = micai_store_edge_to(&f.store, table, &to);
        mica_entity stays = fixture_spawn(&f, table, 50 + i);
        mica_entity entity = fixture_spawn(&f, table, i);
        mica_entity last = fixture_spawn(&f, table, 60 + i);
        uint64_t moves = f.store.row_moves;
        fixture_move(&f, edge, entity, i);
        CHECK_EQUAL(moves + 2, f.store.row_moves); // the entity, and the last into its place
        CHECK_POINTER(edge->target, fixture_place(&f, entity).sheet->table);
        CHECK(fixture_holds(&f, entity, i, 0));
        CHECK(fixture_holds(&f, stays, 50 + i, 0));
        CHECK(fixture_holds(&f, last, 60 + i, 0));
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
    }
    CHECK_EQUAL(0, f.tracker.constructs); // nothing was made twice
    fixture_end(&f);
}

// S3.3
static void values_are_carried_and_never_copied(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED) | BIT(HOOKED));
    mica_entity entities[7];
    for (uint32_t i = 0; i < 7; i++) {
        entities[i] = fixture_spawn(&f, table, i);
    }
    const uint32_t copies = f.tracker.copies;
    micai_edge *add = micai_store_edge(&f.store, table, E, false);
    micai_edge *drop = micai_store_edge(&f.store, add->target, MOVED, true);
    for (uint32_t i = 0; i < 7; i++) {
        fixture_move(&f, add, entities[i], i);
    }
    for (uint32_t i = 0; i < 7; i += 2) {
        fixture_move(&f, drop, entities[i], i);
    }
    CHECK_EQUAL(copies, f.tracker.copies);
    CHECK_EQUAL(0, f.tracker.constructs);
    for (uint32_t i = 0; i < 7; i++) {
        CHECK(fixture_holds(&f, entities[i], i, 0));
    }
    CHECK_TRACKED(&f.tracker, 7 + 3);
    fixture_end(&f);
}

static void edges_that_cannot_be_made_leave_no_trace(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A));
    const mica_types several = fixture_set(BIT(B) | BIT(E));
    for (uint64_t k = 1;; k++) {
        uint32_t edges = table->edges.count;
        test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
        const micai_edge *single = micai_store_edge(&f.store, table, B, false);
        const micai_edge *to =
            single != NULL ? micai_store_edge_to(&f.store, table, &several) : NULL;
        bool was_refused = f.t.memory.refusals > 0;
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(was_refused, test_error_clear(&f.t.error));
        CHECK_EQUAL(was_refused, to == NULL);
        CHECK(table->edges.count <= edges + 2);
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
        if (!was_refused) {
            break;
        }
    }
    fixture_end(&f);
}

// Writes down what it hears, and refuses the `refuse`-th table.
typedef struct ear {
    micai_host *host;
    uint32_t made, gone, refuse;
    const micai_table *last;
} ear;

static mica_result hear_made(void *user, micai_table *table)
{
    ear *e = user;
    if (++e->made == e->refuse) {
        return micai_fail(e->host, MICA_ERROR_MEMORY, "the listener refuses");
    }
    e->last = table;
    return MICA_OK;
}

static void hear_going(void *user)
{
    ear *e = user;
    e->gone++;
    CHECK(e->last->dying);
}

static void listeners_hear_of_tables_that_come_and_go(void)
{
    fixture f;
    fixture_begin(&f);
    ear e = {.host = f.host};
    micai_store_listen(&f.store, (micai_listener){hear_made, hear_going, &e});
    const micai_table *table = fixture_table(&f, BIT(A));
    CHECK_EQUAL(1, e.made);
    CHECK_POINTER(table, e.last);
    fixture_table(&f, BIT(A)); // is there
    CHECK_EQUAL(1, e.made);
    micai_store_reclaim(&f.store);
    CHECK_EQUAL(1, e.gone);
    CHECK_EQUAL(1, f.store.tables.count); // the root stays
    fixture_end(&f);
}

static void a_listener_that_refuses_undoes_the_table(void)
{
    fixture f;
    fixture_begin(&f);
    ear agrees = {.host = f.host};
    ear refuses = {.host = f.host, .refuse = 2};
    ear unheard = {.host = f.host};
    micai_store_listen(&f.store, (micai_listener){hear_made, hear_going, &agrees});
    micai_store_listen(&f.store, (micai_listener){hear_made, hear_going, &refuses});
    micai_store_listen(&f.store, (micai_listener){hear_made, hear_going, &unheard});
    micai_table *first = fixture_table(&f, BIT(A));
    REQUIRE(first != NULL);
    mica_entity entity = fixture_spawn(&f, first, 3);

    CHECK_POINTER(NULL, micai_store_edge(&f.store, first, B, false));
    CHECK_ERROR(&f.t, MICA_ERROR_MEMORY, "the listener refuses");
    CHECK_EQUAL(2, f.store.tables.count);
    CHECK_EQUAL(0, first->edges.count);
    CHECK_EQUAL(2, agrees.made);
    CHECK_EQUAL(1, agrees.gone); // it was told that the table is gone again
    CHECK_EQUAL(0, refuses.gone);
    CHECK_EQUAL(1, unheard.made);
    CHECK_EQUAL(0, unheard.gone);
    CHECK(fixture_holds(&f, entity, 3, 0));
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));

    micai_edge *edge = micai_store_edge(&f.store, first, B, false);
    REQUIRE(edge != NULL);
    CHECK_EQUAL(2, edge->target->id);
    fixture_end(&f);
}

static void reclaiming_frees_empty_tables_and_the_edges_to_them(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *a = fixture_table(&f, BIT(A));
    micai_edge *to_ab = micai_store_edge(&f.store, a, B, false);
    micai_table *ab = to_ab->target;
    micai_table *ae = micai_store_edge(&f.store, a, E, false)->target;
    micai_store_edge(&f.store, ae, E, true);
    micai_store_edge(&f.store, ab, B, true);
    const mica_types several = fixture_set(BIT(A) | BIT(B));
    micai_store_edge_to(&f.store, f.store.root, &several);
    mica_entity in_a = fixture_spawn(&f, a, 1);
    mica_entity in_ae = fixture_spawn(&f, ae, 2);
    for (uint32_t i = 0; i < 9; i++) {
        fixture_despawn(&f, fixture_spawn(&f, ab, i));
    }
    const uint32_t ab_id = ab->id;

    micai_store_reclaim(&f.store);
    CHECK_EQUAL(3, f.store.tables.count);
    CHECK_EQUAL(1, a->edges.count); // the one to ae
    CHECK_POINTER(ae, a->edges.items[0]->target);
    CHECK_EQUAL(1, ae->edges.count);
    CHECK_EQUAL(0, f.store.root->edges.count);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
    CHECK(fixture_holds(&f, in_a, 1, 0));
    CHECK(fixture_holds(&f, in_ae, 2, 0));

    // Those that stay close ranks: ids go on telling the order of creation.
    CHECK_EQUAL(ab_id, ae->id);
    CHECK_EQUAL(3, fixture_table(&f, BIT(TAG_3))->id);
    ab = micai_store_edge(&f.store, a, B, false)->target;
    CHECK_EQUAL(4, ab->id);
    CHECK(fixture_holds(&f, fixture_spawn(&f, ab, 8), 8, 0));
    fixture_end(&f);
}

static void reclaiming_gives_back_sheets_without_rows(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A) | BIT(MOVED));
    mica_entity entities[30];
    for (uint32_t i = 0; i < 30; i++) {
        entities[i] = fixture_spawn(&f, table, i);
    }
    for (uint32_t i = 3; i < 30; i++) {
        fixture_despawn(&f, entities[i]);
    }
    micai_store_reclaim(&f.store);
    CHECK_EQUAL(1, table->sheets.count);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(fixture_holds(&f, entities[i], i, 0));
    }
    // Sheet numbers are used again.
    uint32_t numbers = f.store.sheet_count;
    for (uint32_t i = 3; i < 30; i++) {
        entities[i] = fixture_spawn(&f, table, i);
    }
    CHECK_EQUAL(numbers, f.store.sheet_count);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
    fixture_end(&f);
}

static void many_tables_come_and_go_without_growth(void)
{
    fixture f;
    fixture_begin(&f);
    size_t bytes = 0;
    for (uint32_t round = 0; round < 20; round++) {
        for (uint64_t bits = 1; bits < BIT(TYPES); bits++) {
            fixture_spawn(&f, fixture_table(&f, bits), (uint32_t)bits);
        }
        CHECK_EQUAL(BIT(TYPES), f.store.tables.count);
        CHECK_EQUAL(BIT(TYPES), f.store.tables.count);
        if (round == 0) {
            bytes = f.t.memory.bytes;
        }
        CHECK_EQUAL(bytes, f.t.memory.bytes);
        micai_store_clear(&f.store);
        micai_slots_clear(f.host, &f.slots);
        micai_store_reclaim(&f.store);
        CHECK_EQUAL(1, f.store.tables.count);
        CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
        CHECK_TRACKED(&f.tracker, 0);
    }
    fixture_end(&f);
}

static void clearing_ends_all_values_and_keeps_tables_and_room(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(MOVED) | BIT(HOOKED));
    for (uint32_t i = 0; i < 9; i++) {
        fixture_spawn(&f, table, i);
    }
    CHECK_TRACKED(&f.tracker, 18);
    const uint32_t capacity = table->capacity;
    micai_store_clear(&f.store);
    micai_slots_clear(f.host, &f.slots);
    CHECK_TRACKED(&f.tracker, 0);
    CHECK_EQUAL(0, f.slots.alive);
    CHECK_EQUAL(2, f.store.tables.count);
    CHECK_EQUAL(capacity, table->capacity);
    fixture_end(&f);
}

// Two tables with an edge either way and a few rows, of which the tests then break something.
typedef struct breakable {
    fixture f;
    micai_table *a;
    micai_edge *edge;
} breakable;

static void breakable_begin(breakable *b)
{
    fixture_begin(&b->f);
    b->a = fixture_table(&b->f, BIT(A) | BIT(B));
    b->edge = micai_store_edge(&b->f.store, b->a, E, false);
    REQUIRE(micai_store_edge(&b->f.store, b->a, TAG_0, false) != NULL);
    fixture_spawn(&b->f, b->a, 1);
    fixture_spawn(&b->f, b->edge->target, 2);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&b->f.store));
}

// Exactly the invariant `which` is reported, and looking changed nothing.
#define CHECK_BROKEN(b, which)                                                                     \
    do {                                                                                           \
        uint32_t tables = (b)->f.store.tables.count;                                               \
        CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_store_validate(&(b)->f.store));                      \
        CHECK(strstr((b)->f.t.error.last.sentence, which) != NULL);                                \
        CHECK_EQUAL(1, test_error_clear(&(b)->f.t.error));                                         \
        CHECK_EQUAL(tables, (b)->f.store.tables.count);                                            \
    } while (0)

static void validate_finds_a_table_that_is_not_found(void)
{
    breakable b;
    breakable_begin(&b);
    b.a->id++;
    CHECK_BROKEN(&b, "G1");
    b.a->id--;
    CHECK(micai_map_remove(&b.f.store.by_set, b.a->hash, b.a->id));
    CHECK_BROKEN(&b, "G1");
    REQUIRE(micai_map_reserve(b.f.host, &b.f.store.by_set, 2));
    micai_map_insert(&b.f.store.by_set, b.a->hash, b.a->id);
    micai_map_insert(&b.f.store.by_set, 12345, b.a->id);
    CHECK_BROKEN(&b, "G1");
    CHECK(micai_map_remove(&b.f.store.by_set, 12345, b.a->id));
    fixture_end(&b.f);
}

static void validate_finds_an_edge_that_leads_astray(void)
{
    breakable b;
    breakable_begin(&b);
    micai_edge *edge = b.edge;
    micai_table *target = edge->target;
    edge->target = b.a;
    CHECK_BROKEN(&b, "G2");
    edge->target = fixture_table(&b.f, BIT(A) | BIT(B) | BIT(E) | BIT(TAG_3)); // one too many
    CHECK_BROKEN(&b, "G2");
    edge->target = target;
    edge->source = target;
    CHECK_BROKEN(&b, "G2");
    edge->source = b.a;
    edge->key ^= 1;
    CHECK_BROKEN(&b, "G2");
    edge->key ^= 1;
    edge->shared_count--;
    CHECK_BROKEN(&b, "G2");
    edge->shared_count++;
    edge->copies[1].source = 2;
    CHECK_BROKEN(&b, "G2");
    edge->copies[1].source = 1;
    edge->copies[2].size++;
    CHECK_BROKEN(&b, "G2");
    edge->copies[2].size--;
    edge->plain = !edge->plain;
    CHECK_BROKEN(&b, "G2");
    edge->plain = !edge->plain;
    micai_edge *first = b.a->edges.items[0];
    b.a->edges.items[0] = b.a->edges.items[1];
    b.a->edges.items[1] = first;
    CHECK_BROKEN(&b, "G2");
    b.a->edges.items[1] = b.a->edges.items[0];
    b.a->edges.items[0] = first;
    const mica_types several = fixture_set(BIT(E));
    edge = micai_store_edge_to(&b.f.store, b.a, &several);
    edge->key--;
    CHECK_BROKEN(&b, "G2");
    edge->key++;
    fixture_end(&b.f);
}

static void validate_finds_a_sheet_that_remembers_an_edge_that_is_not_there(void)
{
    breakable b;
    breakable_begin(&b);
    micai_sheet *sheet = b.a->sheets.items[0];
    sheet->recent[false] = b.edge;
    CHECK_EQUAL(MICA_OK, micai_store_validate(&b.f.store));
    sheet->recent[true] = b.edge; // it adds
    CHECK_BROKEN(&b, "G5");
    sheet->recent[true] = NULL;
    b.edge->target->sheets.items[0]->recent[false] = b.edge; // it is another table's
    CHECK_BROKEN(&b, "G5");
    b.edge->target->sheets.items[0]->recent[false] = NULL;
    fixture_end(&b.f);
}

static void validate_finds_rows_that_are_miscounted(void)
{
    breakable b;
    breakable_begin(&b);
    micai_table_pop(b.a); // an entity in no row
    CHECK_BROKEN(&b, "G3");
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
    CHECK_BROKEN(&b, "G4");
    b.f.store.free_sheets.count++;
    uint32_t number = b.f.store.free_sheets.items[0];
    b.f.store.free_sheets.items[0] = 0; // in use
    CHECK_BROKEN(&b, "G4");
    b.f.store.free_sheets.items[0] = 1000;
    CHECK_BROKEN(&b, "G4");
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
        micai_gate gate = {.host = host, .slots = &slots};
        test_memory_fail_at(&t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = micai_store_init(&store, &gate, &types);
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
      an_empty_table_costs_at_most_a_kibibyte_at_64_types, an_entity_has_at_most_65533_columns,
      an_edge_is_worked_out_once, an_edge_lists_shared_added_and_removed_columns,
      a_mixed_change_adds_and_removes_whatever_the_numbers, values_are_carried_and_never_copied,
      edges_that_cannot_be_made_leave_no_trace, listeners_hear_of_tables_that_come_and_go,
      a_listener_that_refuses_undoes_the_table, reclaiming_frees_empty_tables_and_the_edges_to_them,
      reclaiming_gives_back_sheets_without_rows, many_tables_come_and_go_without_growth,
      clearing_ends_all_values_and_keeps_tables_and_room, validate_finds_a_table_that_is_not_found,
      validate_finds_an_edge_that_leads_astray,
      validate_finds_a_sheet_that_remembers_an_edge_that_is_not_there,
      validate_finds_rows_that_are_miscounted, validate_finds_sheet_numbers_that_are_lost,
      a_store_whose_making_fails_can_be_freed)
