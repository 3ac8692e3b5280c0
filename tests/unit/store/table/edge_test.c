#include "store/table/edge.h"

#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

// S3.3
static void an_edge_is_worked_out_once(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *a = fixture_table(&f, BIT(A));
    micai_edge *add_b = micai_edge_of(&f.store, a, B, false);
    micai_edge *add_tag = micai_edge_of(&f.store, a, TAG_0, false);
    micai_edge *remove_a = micai_edge_of(&f.store, a, A, true);
    REQUIRE(add_b != NULL && add_tag != NULL && remove_a != NULL);
    CHECK_POINTER(fixture_table(&f, BIT(A) | BIT(B)), add_b->target);
    CHECK_POINTER(fixture_table(&f, BIT(A) | BIT(TAG_0)), add_tag->target);
    CHECK_POINTER(f.store.root, remove_a->target);

    const mica_types several = fixture_set(BIT(B) | BIT(E) | BIT(TAG_3));
    micai_edge *change = micai_edge_to(&f.store, a, &several);
    REQUIRE(change != NULL);
    CHECK_POINTER(fixture_table(&f, several.words[0]), change->target);

    uint64_t allocations = f.t.memory.allocations;
    CHECK_POINTER(add_b, micai_edge_of(&f.store, a, B, false));
    CHECK_POINTER(add_tag, micai_edge_of(&f.store, a, TAG_0, false));
    CHECK_POINTER(remove_a, micai_edge_of(&f.store, a, A, true));
    CHECK_POINTER(change, micai_edge_to(&f.store, a, &several));
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
static void an_edge_lists_what_is_common_dropped_careful_added_and_removed(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(TAG_0) | BIT(A) | BIT(MOVED));
    const micai_edge *add = micai_edge_of(&f.store, table, B, false);
    CHECK_EQUAL(2, add->eight_count);
    CHECK_EQUAL(2, add->strip_count);
    CHECK_EQUAL(0, add->dropped_count);
    CHECK_EQUAL(1, add->careful_count);
    CHECK_EQUAL(1, add->added_count);
    CHECK_EQUAL(0, add->removed_count);
    check_copy(&add->copies[0], 0, 0, 8);
    check_copy(&add->copies[1], 1, 1, 8);
    check_copy(micai_edge_careful(add), 2, 3, sizeof(tracked));
    check_copy(micai_edge_added(add), 0, 2, 4);
    CHECK_EQUAL(f.registry.list.items[B]->info.type.bits, add->type.bits);
    CHECK_EQUAL(4, add->size);
    CHECK_EQUAL(2, add->fill.strip);

    const micai_edge *remove = micai_edge_of(&f.store, table, A, true);
    CHECK_EQUAL(1, remove->strip_count);
    CHECK_EQUAL(1, remove->dropped_count);
    CHECK_EQUAL(1, remove->careful_count);
    CHECK_EQUAL(0, remove->added_count);
    CHECK_EQUAL(1, remove->removed_count);
    check_copy(micai_edge_dropped(remove), 1, 0, 8);
    check_copy(micai_edge_careful(remove), 2, 1, sizeof(tracked));
    check_copy(micai_edge_removed(remove), 1, 0, 8);
    CHECK_EQUAL(0, remove->fill.strip);

    // Of values with hooks but without a move hook, the strips are bytes.
    table = fixture_table(&f, BIT(B) | BIT(HOOKED) | BIT(E));
    const micai_edge *add_moved = micai_edge_of(&f.store, table, MOVED, false);
    CHECK_EQUAL(1, add_moved->eight_count);
    CHECK_EQUAL(4, add_moved->strip_count);
    CHECK_EQUAL(0, add_moved->careful_count);
    check_copy(&add_moved->copies[1], 1, 1, 4);
    check_copy(&add_moved->copies[2], 2, 3, sizeof(tracked));
    check_copy(&add_moved->copies[3], 3, 4, 16);
    check_copy(micai_edge_added(add_moved), 0, 2, sizeof(tracked));
    CHECK_EQUAL(0, add_moved->fill.strip); // its kind makes it

    const micai_edge *tag = micai_edge_of(&f.store, fixture_table(&f, BIT(A)), TAG_3, false);
    CHECK_EQUAL(2, tag->strip_count);
    CHECK_EQUAL(0, tag->dropped_count + tag->careful_count + tag->added_count + tag->removed_count +
                       tag->fill.strip);

    const mica_types several = fixture_set(BIT(B) | BIT(E));
    const micai_edge *to = micai_edge_to(&f.store, fixture_table(&f, BIT(A) | BIT(B)), &several);
    CHECK_EQUAL(0, to->type.bits);
    check_copy(micai_edge_dropped(to), 1, 0, 8);
    check_copy(micai_edge_added(to), 0, 2, 16);
    check_copy(micai_edge_removed(to), 1, 0, 8);
    fixture_end(&f);
}

// G5
static void an_edge_is_remembered_only_between_quick_tables(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *a = fixture_table(&f, BIT(A));
    micai_edge *quick = micai_edge_of(&f.store, a, B, false);
    micai_edge *tag = micai_edge_of(&f.store, a, TAG_0, false);
    micai_edge *gone = micai_edge_of(&f.store, a, A, true);
    micai_edge *to_hooked = micai_edge_of(&f.store, a, HOOKED, false);
    micai_edge *from_hooked = micai_edge_of(&f.store, to_hooked->target, HOOKED, true);
    micai_edge *all[] = {quick, tag, gone, to_hooked, from_hooked};
    for (uint32_t i = 0; i < 5; i++) {
        micai_edge_remember(&f.store, all[i]);
        CHECK_POINTER(i < 3 ? all[i] : micai_edge_nowhere(),
                      f.store.recent.items[all[i]->key << 2]);
    }
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));

    // It is forgotten when either end is not quick any more, and not remembered before that is again.
    micai_table *ends[] = {quick->source, quick->target};
    fixture_spawn(&f, ends[0], 1);
    fixture_spawn(&f, ends[1], 2);
    for (uint32_t i = 0; i < 2; i++) {
        fixture_set_quick(&f, ends[i], false);
        CHECK_POINTER(micai_edge_nowhere(), f.store.recent.items[quick->key << 2]);
        micai_edge_remember(&f.store, quick);
        CHECK_POINTER(micai_edge_nowhere(), f.store.recent.items[quick->key << 2]);
        fixture_set_quick(&f, ends[i], true);
        micai_edge_remember(&f.store, quick);
        CHECK_POINTER(quick, f.store.recent.items[quick->key << 2]);
    }
    fixture_reclaim(&f);
    CHECK_POINTER(micai_edge_nowhere(), f.store.recent.items[quick->key << 2]);
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
        const micai_edge *single = micai_edge_of(&f.store, table, B, false);
        const micai_edge *to = single != NULL ? micai_edge_to(&f.store, table, &several) : NULL;
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

// Two tables with edges and a few rows, of which the tests then break something.
typedef struct breakable {
    fixture f;
    micai_table *a;
    micai_edge *edge;
} breakable;

static void breakable_begin(breakable *b)
{
    fixture_begin(&b->f);
    b->a = fixture_table(&b->f, BIT(A) | BIT(B));
    b->edge = micai_edge_of(&b->f.store, b->a, E, false);
    REQUIRE(micai_edge_of(&b->f.store, b->a, TAG_0, false) != NULL);
    fixture_spawn(&b->f, b->a, 1);
    fixture_spawn(&b->f, b->edge->target, 2);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&b->f.store));
}

static void validate_finds_an_edge_that_leads_astray(void)
{
    breakable b;
    breakable_begin(&b);
    micai_edge *edge = b.edge;
    micai_table *target = edge->target;
    edge->target = b.a;
    CHECK_BROKEN(&b.f, "G2");
    edge->target = fixture_table(&b.f, BIT(A) | BIT(B) | BIT(E) | BIT(TAG_3)); // one too many
    CHECK_BROKEN(&b.f, "G2");
    edge->target = target;
    edge->source = target;
    CHECK_BROKEN(&b.f, "G2");
    edge->source = b.a;
    edge->key ^= 1;
    CHECK_BROKEN(&b.f, "G2");
    edge->key ^= 1;
    edge->type.bits++;
    CHECK_BROKEN(&b.f, "G2");
    edge->type.bits--;
    edge->size++;
    CHECK_BROKEN(&b.f, "G2");
    edge->size--;
    edge->fill.strip--;
    CHECK_BROKEN(&b.f, "G2");
    edge->fill.strip++;
    micai_edge *first = b.a->edges.items[0];
    b.a->edges.items[0] = b.a->edges.items[1];
    b.a->edges.items[1] = first;
    CHECK_BROKEN(&b.f, "G2");
    b.a->edges.items[1] = b.a->edges.items[0];
    b.a->edges.items[0] = first;
    const mica_types several = fixture_set(BIT(E));
    edge = micai_edge_to(&b.f.store, b.a, &several);
    edge->key--;
    CHECK_BROKEN(&b.f, "G2");
    edge->key++;
    fixture_end(&b.f);
}

// An edge with something in each of its lists; every count and every copy is broken in turn.
static void validate_finds_an_edge_with_wrong_copies(void)
{
    breakable b;
    breakable_begin(&b);
    micai_table *table = fixture_table(&b.f, BIT(A) | BIT(B) | BIT(MOVED) | BIT(HOOKED));
    const mica_types several = fixture_set(BIT(B) | BIT(MOVED) | BIT(HOOKED) | BIT(E));
    micai_edge *edge = micai_edge_to(&b.f.store, table, &several);
    uint32_t *counts[] = {&edge->eight_count,   &edge->strip_count, &edge->dropped_count,
                          &edge->careful_count, &edge->added_count, &edge->removed_count};
    uint32_t copies = 0;
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(*counts[i] > 0);
        copies += i > 0 ? *counts[i] : 0;
        --*counts[i];
        CHECK_BROKEN(&b.f, "G2");
        ++*counts[i];
    }
    for (uint32_t i = 0; i < copies; i++) {
        edge->copies[i].source++;
        CHECK_BROKEN(&b.f, "G2");
        edge->copies[i].source--;
        edge->copies[i].target++;
        CHECK_BROKEN(&b.f, "G2");
        edge->copies[i].target--;
        edge->copies[i].size++;
        CHECK_BROKEN(&b.f, "G2");
        edge->copies[i].size--;
    }
    fixture_end(&b.f);
}

static void validate_finds_a_remembered_edge_that_is_no_short_cut(void)
{
    breakable b;
    breakable_begin(&b);
    micai_edge **recent = b.f.store.recent.items;
    micai_edge_remember(&b.f.store, b.edge);
    CHECK_POINTER(b.edge, recent[b.edge->key << 2]);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&b.f.store));
    recent[(b.edge->key ^ 1) << 1] = b.edge; // it adds
    CHECK_BROKEN(&b.f, "G5");
    recent[(b.edge->key ^ 1) << 1] = micai_edge_nowhere();
    recent[A << 2] = b.edge; // it adds another type
    CHECK_BROKEN(&b.f, "G5");
    recent[A << 2] = micai_edge_nowhere();
    recent[b.edge->key << 2] = (micai_edge *)(void *)&b; // there is no such edge
    CHECK_BROKEN(&b.f, "G5");
    recent[b.edge->key << 2] = micai_edge_nowhere();
    micai_edge *hooked = micai_edge_of(&b.f.store, b.a, HOOKED, false);
    recent = b.f.store.recent.items;
    recent[hooked->key << 2] = hooked; // its target is not quick
    CHECK_BROKEN(&b.f, "G5");
    recent[hooked->key << 2] = micai_edge_nowhere();
    fixture_end(&b.f);
}

// As many as there are sets of types, from one table.
static uint32_t make_wide_edges(fixture *f, micai_table *table)
{
    uint32_t made = 0;
    for (uint64_t bits = 1; bits < BIT(TYPES); bits++) {
        if ((bits & BIT(A)) == 0 && (bits & (bits - 1)) != 0) { // two types more or less at least
            const mica_types set = fixture_set(bits);
            const micai_edge *edge = micai_edge_to(&f->store, table, &set);
            REQUIRE(edge != NULL && micai_store_has_set(edge->target, &set));
            made++;
        }
    }
    return made;
}

static void a_table_keeps_the_last_few_edges_of_several_types(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *table = fixture_table(&f, BIT(A));
    REQUIRE(micai_edge_of(&f.store, table, B, false) != NULL);
    const mica_types often = fixture_set(BIT(B) | BIT(E));
    CHECK(make_wide_edges(&f, table) > 2 * MICAI_EDGES_WIDE);
    CHECK_EQUAL(1 + MICAI_EDGES_WIDE, table->edges.count);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
    // One that is used stays, whatever comes after it.
    const micai_edge *used = micai_edge_to(&f.store, table, &often);
    for (uint64_t bits = 1; bits < BIT(TYPES); bits++) {
        const mica_types set = fixture_set(bits | BIT(TAG_0) | BIT(TAG_3));
        REQUIRE(micai_edge_to(&f.store, table, &set) != NULL);
        CHECK_POINTER(used, micai_edge_to(&f.store, table, &often));
    }
    CHECK_EQUAL(1 + MICAI_EDGES_WIDE, table->edges.count);
    fixture_end(&f);
}

static void reclaiming_drops_edges_that_are_not_used(void)
{
    fixture f;
    fixture_begin(&f);
    micai_table *a = fixture_table(&f, BIT(A));
    micai_edge *edge = micai_edge_of(&f.store, a, B, false);
    const mica_types several = fixture_set(BIT(B) | BIT(E));
    micai_table *abe = fixture_table(&f, BIT(B) | BIT(E));
    fixture_spawn(&f, a, 1);
    fixture_spawn(&f, edge->target, 2);
    fixture_spawn(&f, abe, 3);
    REQUIRE(micai_edge_to(&f.store, a, &several) != NULL);
    fixture_reclaim(&f);
    CHECK_EQUAL(2, a->edges.count);
    CHECK_POINTER(edge, micai_edge_of(&f.store, a, B, false));
    fixture_reclaim(&f);
    CHECK_EQUAL(1, a->edges.count); // the one that was looked for since
    fixture_reclaim(&f);
    CHECK_EQUAL(0, a->edges.count);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
    fixture_end(&f);
}

TESTS(edge, an_edge_is_worked_out_once,
      an_edge_lists_what_is_common_dropped_careful_added_and_removed,
      an_edge_is_remembered_only_between_quick_tables, edges_that_cannot_be_made_leave_no_trace,
      validate_finds_an_edge_that_leads_astray, validate_finds_an_edge_with_wrong_copies,
      validate_finds_a_remembered_edge_that_is_no_short_cut,
      a_table_keeps_the_last_few_edges_of_several_types, reclaiming_drops_edges_that_are_not_used)
