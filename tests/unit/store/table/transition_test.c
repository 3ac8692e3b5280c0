#include "store/table/transition.h"

#include <string.h>

#include "core/watch.h"
#include "runner/test.h"
#include "unit/store/table/fixture.h"

// Building

// S3.3
TEST_WITH(fixture, f, a_transition_is_built_once)
{
    micai_table *a = fixture_table(f, BIT(A));
    const micai_transition *add_b = fixture_one(f, a, B, false);
    const micai_transition *add_tag = fixture_one(f, a, TAG_0, false);
    const micai_transition *remove_a = fixture_one(f, a, A, true);
    REQUIRE(add_b != NULL && add_tag != NULL && remove_a != NULL);
    CHECK_POINTER(fixture_table(f, BIT(A) | BIT(B)), add_b->target);
    CHECK_POINTER(fixture_table(f, BIT(A) | BIT(TAG_0)), add_tag->target);
    CHECK_POINTER(f->store.root, remove_a->target);

    const uint32_t several[] = {B, E, TAG_3, A};
    const micai_transition *change = fixture_list(f, a, several, 3, 4);
    const micai_transition *spawn = fixture_list(f, NULL, several, 3, 3);
    REQUIRE(change != NULL && spawn != NULL);
    CHECK_POINTER(fixture_table(f, BIT(B) | BIT(E) | BIT(TAG_3)), change->target);
    CHECK_POINTER(change->target, spawn->target);

    uint64_t allocations = f->t.memory.allocations;
    CHECK_POINTER(add_b, fixture_one(f, a, B, false));
    CHECK_POINTER(add_tag, fixture_one(f, a, TAG_0, false));
    CHECK_POINTER(remove_a, fixture_one(f, a, A, true));
    CHECK_POINTER(change, fixture_list(f, a, several, 3, 4));
    CHECK_POINTER(spawn, fixture_list(f, NULL, several, 3, 3));
    CHECK_EQUAL(allocations, f->t.memory.allocations);
    CHECK_EQUAL(5, fixture_transitions(f));
}

static void check_copy(const micai_copy *copy, uint32_t source, uint32_t target, uint32_t size)
{
    CHECK_EQUAL(source, copy->source);
    CHECK_EQUAL(target, copy->target);
    CHECK_EQUAL(size, copy->size);
}

static void check_adding_and_removing(fixture *f)
{
    micai_table *table = fixture_table(f, BIT(TAG_0) | BIT(A) | BIT(MOVED));
    const micai_transition *add = fixture_one(f, table, B, false);
    CHECK_EQUAL(2, add->eight_count);
    CHECK_EQUAL(2, add->strip_count);
    CHECK_EQUAL(0, add->dropped_count);
    CHECK_EQUAL(1, add->careful_count);
    CHECK_EQUAL(1, add->added_count);
    CHECK_EQUAL(0, add->removed_count);
    check_copy(&add->copies[0], 0, 0, 8);
    check_copy(&add->copies[1], 1, 1, 8);
    check_copy(micai_transition_careful(add), 2, 3, sizeof(tracked));
    check_copy(micai_transition_added(add), 0, 2, 4);

    const micai_transition *remove = fixture_one(f, table, A, true);
    CHECK_EQUAL(1, remove->strip_count);
    CHECK_EQUAL(1, remove->dropped_count);
    CHECK_EQUAL(1, remove->careful_count);
    CHECK_EQUAL(0, remove->added_count);
    CHECK_EQUAL(1, remove->removed_count);
    check_copy(micai_transition_dropped(remove), 1, 0, 8);
    check_copy(micai_transition_careful(remove), 2, 1, sizeof(tracked));
    check_copy(micai_transition_removed(remove), 1, 0, 8);
}

// G2
TEST_WITH(fixture, f, a_transition_lists_what_is_common_dropped_careful_added_and_removed)
{
    check_adding_and_removing(f);
    // Of values with hooks but without a move hook, the strips are bytes.
    micai_table *table = fixture_table(f, BIT(B) | BIT(HOOKED) | BIT(E));
    const micai_transition *add_moved = fixture_one(f, table, MOVED, false);
    CHECK_EQUAL(1, add_moved->eight_count);
    CHECK_EQUAL(4, add_moved->strip_count);
    CHECK_EQUAL(0, add_moved->careful_count);
    check_copy(&add_moved->copies[1], 1, 1, 4);
    check_copy(&add_moved->copies[2], 2, 3, sizeof(tracked));
    check_copy(&add_moved->copies[3], 3, 4, 16);
    check_copy(micai_transition_added(add_moved), 0, 2, sizeof(tracked));

    const micai_transition *tag = fixture_one(f, fixture_table(f, BIT(A)), TAG_3, false);
    CHECK_EQUAL(2, tag->strip_count);
    CHECK_EQUAL(0, tag->dropped_count + tag->careful_count + tag->added_count + tag->removed_count);

    table = fixture_table(f, BIT(A) | BIT(B));
    const micai_transition *to = fixture_to(f, table, BIT(B) | BIT(E));
    check_copy(micai_transition_dropped(to), 1, 0, 8);
    check_copy(micai_transition_added(to), 0, 2, 16);
    check_copy(micai_transition_removed(to), 1, 0, 8);
    const micai_transition *spawn = fixture_list(f, NULL, (uint32_t[]){E, A}, 2, 2);
    CHECK_EQUAL(0, spawn->strip_count + spawn->dropped_count + spawn->careful_count +
                       spawn->removed_count + spawn->added_count);
}

// The number of the type, where its value is filled in, and with how many bytes; the column it gets.
static void check_step(const fixture *f, const micai_step *step, uint32_t number, uint32_t strip,
                       uint32_t column)
{
    const micai_type *type = f->registry.list.items[number];
    CHECK_POINTER(type, step->type);
    CHECK_EQUAL(type->info.type.bits, step->bits);
    CHECK_EQUAL(type->info.size ? UINT64_C(1) << 32 | type->info.size : 0, step->expected);
    CHECK_EQUAL(strip, step->fill.strip);
    CHECK_EQUAL(strip ? type->info.size : 0, step->fill.size);
    CHECK_EQUAL(column, step->column);
}

// G2
TEST_WITH(fixture, f, the_steps_of_a_transition_are_the_types_of_its_list)
{
    micai_table *table = fixture_table(f, BIT(TAG_0) | BIT(A) | BIT(MOVED));
    const uint32_t list[] = {E, A, HOOKED, TAG_3, MOVED, B};
    const micai_transition *t = fixture_list(f, table, list, 4, 6);
    CHECK_EQUAL(4, t->given_count);
    CHECK_EQUAL(6, t->step_count);
    CHECK_POINTER(fixture_table(f, BIT(TAG_0) | BIT(A) | BIT(HOOKED) | BIT(TAG_3) | BIT(E)),
                  t->target);
    check_step(f, &t->steps[0], E, 3, 3);
    check_step(f, &t->steps[1], A, 0, 0);      // is there, and is overwritten
    check_step(f, &t->steps[2], HOOKED, 0, 2); // its kind constructs it
    check_step(f, &t->steps[3], TAG_3, 0, 0);
    check_step(f, &t->steps[4], MOVED, 0, 0);
    check_step(f, &t->steps[5], B, 0, 0); // removed, but never there
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_EQUAL(i == 1 || i == 4, t->steps[i].present);
        CHECK(!t->steps[i].sparse);
    }
    const micai_transition *one = fixture_one(f, table, B, false);
    CHECK_EQUAL(1, one->step_count);
    check_step(f, one->steps, B, 2, 2);

    const mica_value value = {f->registry.list.items[B]->info.type, f, 4, 1, NULL};
    mica_value no_data = value, other_size = value, several = value, other_type = value;
    no_data.data = NULL;
    other_size.size = 8;
    several.count = 2;
    other_type.type.bits ^= 1;
    CHECK(micai_step_takes(one->steps, &value) && micai_step_expects(one->steps, &no_data));
    CHECK(!micai_step_takes(one->steps, &no_data) && !micai_step_takes(one->steps, &other_size));
    CHECK(!micai_step_takes(one->steps, &several) && !micai_step_takes(one->steps, &other_type));
    const mica_value tag = {.type = f->registry.list.items[TAG_3]->info.type};
    CHECK(micai_step_takes(&t->steps[3], &tag));
}

// Fast paths

// G5
TEST_WITH(fixture, f, a_transition_admits_the_fast_path_only_between_tables_of_bytes)
{
    micai_table *a = fixture_table(f, BIT(A));
    const micai_transition *fast = fixture_one(f, a, B, false);
    const micai_transition *tag = fixture_one(f, a, TAG_0, false);
    const micai_transition *gone = fixture_one(f, a, A, true);
    const micai_transition *to_hooked = fixture_one(f, a, HOOKED, false);
    const micai_transition *from_hooked = fixture_one(f, to_hooked->target, HOOKED, true);
    const micai_transition *all[] = {fast, tag, gone, to_hooked, from_hooked};
    for (uint32_t i = 0; i < 5; i++) {
        CHECK_EQUAL(i < 3, micai_transition_is_fast(all[i]));
        CHECK_EQUAL(i == 0 ? 4 : MICAI_TRANSITION_NO_SIZE, all[i]->size);
        CHECK((all[i]->fast_paths & MICAI_FAST_UNOBSERVED) != 0);
    }
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));

    // No more when either end is not of bytes any more, until it is again.
    fixture_spawn(f, fast->source, 1);
    fixture_spawn(f, fast->target, 2);
    micai_table *ends[] = {fast->source, fast->target};
    for (uint32_t i = 0; i < 2; i++) {
        fixture_set_bytes(f, ends[i], false);
        CHECK(!(fast->fast_paths & MICAI_FAST_BYTES));
        CHECK_EQUAL(MICAI_TRANSITION_NO_SIZE, fast->size);
        CHECK_EQUAL(i == 1, micai_transition_is_fast(tag));
        fixture_set_bytes(f, ends[i], true);
        CHECK(micai_transition_is_fast(fast) && micai_transition_is_fast(tag));
        CHECK_EQUAL(4, fast->size);
    }
}

// G5
TEST_WITH(fixture, f, lists_and_spawns_admit_the_fast_path_if_all_is_filled_in)
{
    micai_table *a = fixture_table(f, BIT(A));
    static const struct {
        bool spawn;
        uint32_t list[3], given, count;
        bool bytes;
    } cases[] = {{false, {B, E, A}, 2, 3, true},
                 {false, {TAG_0, TAG_3}, 2, 2, true},
                 {false, {B, A}, 2, 2, false},      // A is there, and is to be overwritten
                 {false, {B, E}, 1, 2, false},      // E is to be removed, and is not there
                 {false, {B, HOOKED}, 2, 2, false}, // not filled in as bytes
                 {true, {B, A, TAG_0}, 3, 3, true},
                 {true, {B, MOVED}, 2, 2, false},
                 {true, {0}, 0, 0, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const micai_transition *t = fixture_list(f, cases[i].spawn ? NULL : a, cases[i].list,
                                                 cases[i].given, cases[i].count);
        REQUIRE(t != NULL);
        CHECK_EQUAL(cases[i].bytes, (t->fast_paths & MICAI_FAST_BYTES) != 0);
        CHECK_EQUAL(cases[i].bytes, micai_transition_is_fast(t));
        CHECK_EQUAL(MICAI_TRANSITION_NO_SIZE, t->size);
    }
}

static void watch(fixture *f, uint32_t number, uint32_t kinds)
{
    f->registry.list.items[number]->watched = kinds;
    for (uint32_t id = 0; id < f->store.tables.count; id++) {
        micai_table_update_fast_paths(&f->store, f->store.tables.items[id]);
    }
    micai_transitions_update(&f->store, NULL);
}

// G5: a change is observed with what changes, a spawn with all that the new entity has.
TEST_WITH(fixture, f, transitions_say_what_is_observed)
{
    micai_table *a = fixture_table(f, BIT(A));
    const micai_transition *of_b[] = {fixture_one(f, a, B, false),
                                      fixture_list(f, a, (uint32_t[]){E, B}, 2, 2),
                                      fixture_list(f, NULL, (uint32_t[]){B, A}, 2, 2)};
    const micai_transition *others[] = {fixture_one(f, a, E, false),
                                        fixture_one(f, of_b[0]->target, A, true),
                                        fixture_list(f, NULL, (uint32_t[]){A}, 1, 1)};
    const uint32_t observed = MICAI_FAST_BYTES | MICAI_FAST_PLAIN | MICAI_FAST_UNMATCHED;
    watch(f, B, MICA_ON_ADD);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQUAL(observed, of_b[i]->fast_paths);
        CHECK_EQUAL(MICAI_TRANSITION_NO_SIZE, of_b[i]->size);
        CHECK_EQUAL(MICAI_FAST_ALL, others[i]->fast_paths);
    }
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    watch(f, B, MICA_ON_ENTER); // an observer of a query
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQUAL(MICAI_FAST_BYTES | MICAI_FAST_PLAIN, of_b[i]->fast_paths);
    }
    watch(f, B, MICA_ON_SPAWN); // changes are no spawns
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQUAL(i == 2 ? observed : MICAI_FAST_ALL, of_b[i]->fast_paths);
    }
    watch(f, B, 0);
    f->registry.watched = MICA_ON_SPAWN; // whatever they have
    watch(f, B, 0);
    CHECK_EQUAL(MICAI_FAST_BYTES | MICAI_FAST_PLAIN, of_b[2]->fast_paths);
    CHECK_EQUAL(MICAI_FAST_ALL, of_b[0]->fast_paths);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    f->registry.watched = 0;
    watch(f, B, 0);
}

// G5
TEST_WITH(fixture, f, rows_with_disabled_values_are_not_bytes_where_that_is_news)
{
    const mica_type_desc desc = {.name = "Lamp", .size = 4, .align = 4, .toggle = true};
    REQUIRE(
        !MICA_IS_NONE(micai_registry_register(f->host, &f->registry, "mica_type_register", &desc)));
    micai_table *lamps = fixture_table(f, BIT(A) | BIT(TYPES));
    const micai_transition *add = fixture_one(f, lamps, B, false);
    const micai_transition *lamp = fixture_one(f, add->target, TYPES, true);
    const micai_transition *to_lamps = fixture_one(f, lamp->target, TYPES, false);
    CHECK(micai_transition_is_fast(add));
    CHECK(!micai_transition_is_fast(lamp)); // its value and its flag
    CHECK_EQUAL(MICAI_FAST_ALL & ~MICAI_FAST_PLAIN, to_lamps->fast_paths);
    CHECK(to_lamps->steps->fill.flags != 0);
    CHECK_EQUAL(MICAI_TRANSITION_NO_SIZE, to_lamps->size);

    micai_toggle_mark(&f->store, lamps, 2);
    CHECK(!(add->fast_paths & MICAI_FAST_BYTES));
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    micai_toggle_spread(&f->store, add);
    CHECK(micai_transition_is_fast(add));
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    micai_toggle_unmark(&f->store, add->target); // none is disabled
    CHECK(!(add->fast_paths & MICAI_FAST_BYTES));
    micai_toggle_unmark(&f->store, lamps);
    CHECK(micai_transition_is_fast(add));
}

// Failing

enum { FAIL_ADD, FAIL_REMOVE, FAIL_LIST, FAIL_SPAWN, FAIL_PROMISED, FAILS };

static micai_transition *build(fixture *f, micai_table *table, uint32_t which)
{
    static const uint32_t list[] = {B, E, A};
    switch (which) {
    case FAIL_ADD: return fixture_one(f, table, B, false);
    case FAIL_REMOVE: return fixture_one(f, table, A, true);
    case FAIL_LIST: return fixture_list(f, table, list, 2, 3);
    case FAIL_SPAWN: return fixture_list(f, NULL, list, 2, 2);
    default: return fixture_list(f, NULL, list + 2, 1, 1);
    }
}

static void begin_to_fail(fixture *f, uint32_t which)
{
    fixture_begin(f);
    for (uint32_t number = TYPES; number < 300; number++) {
        fixture_register(f, number, 0); // so many that sets need memory
    }
    micai_table *table = fixture_table(f, BIT(A) | BIT(TAG_0));
    fixture_spawn(f, table, 1);
    fixture_spawn(f, fixture_table(f, BIT(A)), 2);
    fixture_one(f, f->store.root, TAG_3, false);
    fixture_one(f, fixture_table(f, BIT(TAG_3)), TAG_3, true);
    if (which == FAIL_PROMISED) {
        REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f->store, fixture_table(f, BIT(A)), 3));
        fixture_table(f, BIT(A))->promised = 4;
    }
}

static void transitions_that_cannot_be_built_leave_no_trace(void)
{
    for (uint32_t which = 0; which < FAILS; which++) {
        bool was_refused = true;
        for (uint64_t k = 1; was_refused; k++) {
            fixture f;
            begin_to_fail(&f, which);
            micai_table *table = fixture_table(&f, BIT(A) | BIT(TAG_0));
            uint32_t there = fixture_transitions(&f);
            test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
            const micai_transition *built = build(&f, table, which);
            was_refused = f.t.memory.refusals > 0;
            test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
            CHECK_EQUAL(was_refused, test_error_clear(&f.t.error));
            CHECK_EQUAL(was_refused, built == NULL);
            CHECK_EQUAL(there + (!was_refused && which != FAIL_PROMISED), fixture_transitions(&f));
            CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
            CHECK(build(&f, table, which) != NULL);
            fixture_table(&f, BIT(A))->promised = 0;
            fixture_end(&f);
            CHECK(was_refused || k > 2);
        }
    }
}

// Validation

// A table with transitions of all kinds and a few rows, of which the tests then break something.
typedef struct breakable {
    fixture f;
    micai_table *a;
    micai_transition *one, *list, *spawn;
} breakable;

static void breakable_begin(breakable *b)
{
    fixture_begin(&b->f);
    b->a = fixture_table(&b->f, BIT(A) | BIT(B));
    b->one = fixture_one(&b->f, b->a, E, false);
    b->list = fixture_list(&b->f, b->a, (uint32_t[]){E, TAG_3, B}, 2, 3);
    b->spawn = fixture_list(&b->f, NULL, (uint32_t[]){B, A}, 2, 2);
    REQUIRE(fixture_one(&b->f, b->a, TAG_0, false) != NULL);
    fixture_spawn(&b->f, b->a, 1);
    fixture_spawn(&b->f, b->one->target, 2);
    CHECK_EQUAL(MICA_OK, micai_store_validate(&b->f.store));
}

// Breaks a number, and mends it again.
#define CHECK_NUMBER(b, number, which)                                                             \
    do {                                                                                           \
        (number)++;                                                                                \
        CHECK_BROKEN(&(b).f, which);                                                               \
        (number)--;                                                                                \
    } while (0)

// Breaks a bool or some bits, and mends them again.
#define CHECK_BITS(b, value, bits, which)                                                          \
    do {                                                                                           \
        (value) ^= (bits);                                                                         \
        CHECK_BROKEN(&(b).f, which);                                                               \
        (value) ^= (bits);                                                                         \
    } while (0)

static void validate_finds_a_transition_that_leads_astray(void)
{
    static breakable b;
    breakable_begin(&b);
    micai_transition *all[] = {b.one, b.list, b.spawn};
    for (uint32_t i = 0; i < 3; i++) {
        micai_transition *t = all[i];
        micai_table *source = t->source;
        micai_table *target = t->target;
        t->target = fixture_table(&b.f, BIT(TAG_0));
        CHECK_BROKEN(&b.f, "G2");
        t->target = fixture_table(&b.f, target->words[0] | BIT(HOOKED)); // one too many
        CHECK_BROKEN(&b.f, "G2");
        t->target = target;
        t->source = source ? NULL : b.a;
        CHECK_BROKEN(&b.f, "G2");
        t->source = b.f.store.root;
        CHECK_BROKEN(&b.f, "G2");
        t->source = source;
        CHECK_BITS(b, t->key, 1, "G2");
        CHECK_BITS(b, t->kind, 1, "G2");
        CHECK_NUMBER(b, t->steps->bits, "G2");
        CHECK_NUMBER(b, t->steps->expected, "G2");
        CHECK_NUMBER(b, t->steps->column, "G2");
        CHECK_NUMBER(b, t->steps->fill.strip, "G2");
        CHECK_NUMBER(b, t->steps->fill.size, "G2");
        CHECK_BITS(b, t->steps->present, true, "G2");
        CHECK_BITS(b, t->steps->sparse, true, "G2");
        const micai_type *type = t->steps->type;
        t->steps->type = b.f.registry.list.items[MOVED];
        CHECK_BROKEN(&b.f, "G2");
        t->steps->type = type;
        t->given_count--;
        CHECK_BROKEN(&b.f, "G2");
        t->given_count++;
    }
    fixture_end(&b.f);
}

// A transition with something in each of its lists; every count and every copy is broken in turn.
static void validate_finds_a_transition_with_wrong_copies(void)
{
    static breakable b;
    breakable_begin(&b);
    micai_table *table = fixture_table(&b.f, BIT(A) | BIT(B) | BIT(MOVED) | BIT(HOOKED));
    micai_transition *t = fixture_to(&b.f, table, BIT(B) | BIT(MOVED) | BIT(HOOKED) | BIT(E));
    uint32_t *counts[] = {&t->eight_count,   &t->strip_count, &t->dropped_count,
                          &t->careful_count, &t->added_count, &t->removed_count};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(*counts[i] > 0);
        count += i > 0 ? *counts[i] : 0;
        --*counts[i];
        CHECK_BROKEN(&b.f, "G2");
        ++*counts[i];
    }
    micai_copy *copies = (micai_copy *)(void *)(t->steps + t->step_count);
    CHECK_POINTER(copies, t->copies);
    for (uint32_t i = 0; i < count; i++) {
        CHECK_NUMBER(b, copies[i].source, "G2");
        CHECK_NUMBER(b, copies[i].target, "G2");
        CHECK_NUMBER(b, copies[i].size, "G2");
    }
    CHECK_NUMBER(b, t->copies, "G2");
    fixture_end(&b.f);
}

static void validate_finds_wrong_fast_paths_of_a_transition(void)
{
    static breakable b;
    breakable_begin(&b);
    micai_transition *all[] = {b.one, b.list, b.spawn};
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t bit = 1; bit < MICAI_FAST_ALL; bit *= 2) {
            CHECK_BITS(b, all[i]->fast_paths, (uint8_t)bit, "G5");
        }
        CHECK_NUMBER(b, all[i]->size, "G5");
    }
    // What is not updated is found, too.
    b.f.registry.list.items[E]->watched = MICA_ON_ADD;
    CHECK_BROKEN(&b.f, "T8");
    for (uint32_t id = 0; id < b.f.store.tables.count; id++) {
        micai_table_update_fast_paths(&b.f.store, b.f.store.tables.items[id]);
    }
    CHECK_BROKEN(&b.f, "G5");
    watch(&b.f, E, 0);
    fixture_end(&b.f);
}

TESTS(transition, a_transition_is_built_once,
      a_transition_lists_what_is_common_dropped_careful_added_and_removed,
      the_steps_of_a_transition_are_the_types_of_its_list,
      a_transition_admits_the_fast_path_only_between_tables_of_bytes,
      lists_and_spawns_admit_the_fast_path_if_all_is_filled_in, transitions_say_what_is_observed,
      rows_with_disabled_values_are_not_bytes_where_that_is_news,
      transitions_that_cannot_be_built_leave_no_trace,
      validate_finds_a_transition_that_leads_astray, validate_finds_a_transition_with_wrong_copies,
      validate_finds_wrong_fast_paths_of_a_transition)
