// Tests of src/query/change.c, and of what queries make of changes. S3.5
#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "runner/world.h"
#include "state/state.h"

typedef struct Num {
    int32_t n;
} Num;

enum { MANY = 3000 }; // several stretches of what is stamped together

typedef struct lab {
    test_world t;
    mica_world *world;
    mica_type a, b;  // in tables
    mica_type exact; // with row stamps
    mica_entity e[MANY];
    mica_query changed; // of a
    mica_query rows;    // of exact
} lab;

static mica_type add_type(lab *l, const char *name, mica_storage storage, bool row_stamps)
{
    mica_type_desc desc = MICA_DESCRIBE(Num, n);
    desc.name = name;
    desc.storage = storage;
    desc.row_stamps = row_stamps;
    return mica_type_register(l->world, &desc);
}

static mica_query query_of(lab *l, mica_type type, uint32_t access)
{
    return mica_query_new(l->world, &(mica_query_desc){.terms = {{type, access}}});
}

static void begin(lab *l, uint32_t count)
{
    l->world = test_world_begin(&l->t);
    l->a = add_type(l, "A", MICA_TABLE, false);
    l->b = add_type(l, "B", MICA_TABLE, false);
    l->exact = add_type(l, "Exact", MICA_TABLE, true);
    l->changed = query_of(l, l->a, MICA_READ | MICA_CHANGED);
    l->rows = query_of(l, l->exact, MICA_READ | MICA_CHANGED);
    for (uint32_t i = 0; i < count; i++) {
        l->e[i] = mica_spawn(l->world, MICA_ADD(l->a), MICA_ADD(l->b), MICA_ADD(l->exact));
    }
}

static void end(lab *l)
{
    CHECK_EQUAL(MICA_OK, mica_world_validate(l->world));
    test_world_end(&l->t);
}

// Iterates to the end; returns the rows.
static uint32_t walk(lab *l, mica_query query)
{
    mica_iter it;
    uint32_t rows = 0;
    mica_iter_begin(l->world, query, &it);
    while (mica_iter_next(&it)) {
        rows += it.count;
    }
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    return rows;
}

static void set(lab *l, mica_entity e, mica_type type)
{
    const Num num = {7};
    CHECK_EQUAL(MICA_OK, mica_set_value(l->world, e, type, &num, sizeof num));
}

#define CHECK_WALK(l, expected, query) CHECK_EQUAL(expected, walk(l, query))

// Iterating by hand

static void a_query_sees_all_there_is_at_first_and_then_what_changed(void)
{
    static lab l;
    begin(&l, 5);
    CHECK_WALK(&l, 5, l.rows);
    CHECK_WALK(&l, 0, l.rows);
    set(&l, l.e[3], l.exact);
    CHECK(mica_get_mut(l.world, l.e[1], l.exact) != NULL);
    CHECK(mica_get(l.world, l.e[2], l.exact) != NULL); // is no change
    set(&l, l.e[0], l.a);                              // nor is that of another component
    CHECK_WALK(&l, 2, l.rows);
    mica_despawn(l.world, l.e[0]); // moves others
    CHECK_WALK(&l, 0, l.rows);
    mica_spawn(l.world, MICA_ADD(l.exact));
    CHECK_WALK(&l, 1, l.rows);
    CHECK_EQUAL(MICA_OK, mica_remove(l.world, l.e[1], l.exact));
    CHECK_EQUAL(MICA_OK, mica_add(l.world, l.e[2], l.exact)); // which it has
    CHECK_WALK(&l, 0, l.rows);
    end(&l);
}

static void added_are_those_that_came(void)
{
    static lab l;
    begin(&l, 5);
    mica_query added = query_of(&l, l.exact, MICA_WITH | MICA_ADDED);
    CHECK_WALK(&l, 5, added);
    set(&l, l.e[3], l.exact);
    CHECK_WALK(&l, 0, added);
    mica_remove(l.world, l.e[3], l.exact);
    set(&l, l.e[3], l.exact);
    mica_clone(l.world, l.e[1]);
    mica_facet_add(l.world, l.e[2], l.a, 1, MICA_ADD(l.exact));
    CHECK_WALK(&l, 3, added);
    CHECK_WALK(&l, 0, added);
    end(&l);
}

static void an_iteration_that_is_left_early_moves_nothing(void)
{
    static lab l;
    begin(&l, 5);
    mica_iter it;
    mica_iter_begin(l.world, l.rows, &it);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    CHECK_EQUAL(0, mica_query_since(l.world, l.rows));
    mica_iter_begin(l.world, l.rows, &it);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(1, mica_world_end_iterations(l.world));
    mica_iter_begin_entity(l.world, l.rows, l.e[2], &it);
    CHECK(mica_iter_next(&it) && !mica_iter_next(&it));
    CHECK_WALK(&l, 5, l.rows);
    mica_iter_begin_entity(l.world, l.rows, l.e[2], &it);
    CHECK(!mica_iter_next(&it)); // it has not changed since
    end(&l);
}

static void what_a_loop_changes_belongs_to_it(void)
{
    static lab l;
    begin(&l, 5);
    CHECK_WALK(&l, 5, l.rows);
    set(&l, l.e[1], l.exact);
    mica_iter it;
    mica_iter_begin(l.world, l.rows, &it);
    while (mica_iter_next(&it)) {
        set(&l, l.e[0], l.exact);
    }
    CHECK_WALK(&l, 0, l.rows);
    mica_query written = query_of(&l, l.exact, MICA_WRITE | MICA_CHANGED);
    for (uint32_t round = 0; round < 3; round++) {
        uint32_t rows = 0;
        mica_iter_begin(l.world, written, &it);
        while (mica_iter_next(&it)) {
            CHECK(mica_write(&it, 0) != NULL);
            rows += it.count;
        }
        CHECK_EQUAL(round ? 0 : 5, rows);
    }
    CHECK_WALK(&l, 5, l.rows); // others see it
    end(&l);
}

// What the outer loop has handed out it may write when the inner one is over.
static void an_iteration_inside_one_that_writes_loses_nothing(void)
{
    static lab l;
    begin(&l, 4);
    mica_query writers = query_of(&l, l.exact, MICA_WRITE);
    mica_query readers = query_of(&l, l.exact, MICA_READ);
    mica_iter it;
    mica_iter_begin(l.world, writers, &it);
    CHECK(mica_iter_next(&it));
    Num *nums = mica_write(&it, 0);
    CHECK_WALK(&l, 4, l.rows);
    nums[0].n = 9;
    CHECK(!mica_iter_next(&it));
    CHECK_WALK(&l, 4, l.rows);
    CHECK_WALK(&l, 0, l.rows);
    mica_iter_begin(l.world, readers, &it); // one that only reads is in nobody's way
    CHECK(mica_iter_next(&it));
    set(&l, l.e[0], l.exact);
    CHECK_WALK(&l, 1, l.rows);
    CHECK_WALK(&l, 0, l.rows);
    mica_iter_end(&it);
    end(&l);
}

static void iterations_of_one_query_inside_each_other_lose_nothing(void)
{
    static lab l;
    begin(&l, 5);
    mica_iter it;
    mica_iter_begin(l.world, l.rows, &it);
    CHECK(mica_iter_next(&it));
    CHECK_WALK(&l, 5, l.rows);
    set(&l, l.e[0], l.exact);
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it)); // early, and the inner one has seen all but this
    CHECK_WALK(&l, 1, l.rows);
    end(&l);
}

// Questions

static void questions_go_by_the_same_moment_and_do_not_move_it(void)
{
    static lab l;
    begin(&l, 5);
    CHECK_WALK(&l, 5, l.rows);
    CHECK(MICA_IS_NONE(mica_query_first(l.world, l.rows)));
    set(&l, l.e[3], l.exact);
    for (uint32_t round = 0; round < 2; round++) {
        CHECK_EQUAL(1, mica_query_count(l.world, l.rows));
        CHECK(MICA_EQUAL(l.e[3], mica_query_first(l.world, l.rows)));
        CHECK(mica_query_contains(l.world, l.rows, l.e[3]));
        CHECK(!mica_query_contains(l.world, l.rows, l.e[2]));
    }
    char why[80];
    mica_query_explain(l.world, l.rows, l.e[3], why, sizeof why);
    CHECK_TEXT("entity 3.0 matches", why);
    mica_query_explain(l.world, l.rows, l.e[2], why, sizeof why);
    CHECK_TEXT("entity 2.0 does not match: 'Exact' has not changed since 1", why);
    mica_query added = query_of(&l, l.exact, MICA_READ | MICA_ADDED);
    CHECK_WALK(&l, 5, added);
    mica_query_explain(l.world, added, l.e[3], why, sizeof why);
    CHECK_TEXT("entity 3.0 does not match: 'Exact' was not added since 2", why);
    mica_query any = mica_query_new(
        l.world, &(mica_query_desc){.terms = {{l.exact, MICA_ANY | MICA_ADDED},
                                              {mica_type_find(l.world, "A"), MICA_WITH},
                                              {MICA_TAG(l.world, Tag), MICA_ANY | MICA_CHANGED}}});
    CHECK_WALK(&l, 5, any);
    mica_query_explain(l.world, any, l.e[3], why, sizeof why);
    CHECK_TEXT("entity 3.0 does not match: it has none of 'Exact' (not added), 'Tag'", why);
    end(&l);
}

static void changes_by_query_are_for_those_that_changed(void)
{
    static lab l;
    begin(&l, 5);
    mica_type mark = MICA_TAG(l.world, Marked);
    uint32_t matched = 0;
    CHECK_WALK(&l, 5, l.rows);
    set(&l, l.e[3], l.exact);
    CHECK_EQUAL(MICA_OK, mica_add_all(l.world, l.rows, mark, &matched));
    CHECK_EQUAL(1, matched);
    CHECK(mica_has(l.world, l.e[3], mark) && !mica_has(l.world, l.e[2], mark));
    CHECK_EQUAL(MICA_OK, mica_despawn_all(l.world, l.rows, &matched));
    CHECK_EQUAL(1, matched);
    CHECK_EQUAL(4, mica_entity_count(l.world));
    end(&l);
}

// Terms

static void several_terms_must_all_hold(void)
{
    static lab l;
    begin(&l, 4);
    mica_type other = add_type(&l, "Other", MICA_SPARSE, true);
    for (uint32_t i = 0; i < 4; i++) {
        set(&l, l.e[i], other);
    }
    mica_query both =
        mica_query_new(l.world, &(mica_query_desc){.terms = {{l.exact, MICA_READ | MICA_CHANGED},
                                                             {other, MICA_READ | MICA_CHANGED}}});
    mica_query any =
        mica_query_new(l.world, &(mica_query_desc){.terms = {{l.exact, MICA_ANY | MICA_CHANGED},
                                                             {other, MICA_ANY | MICA_CHANGED}}});
    CHECK_WALK(&l, 4, both);
    CHECK_WALK(&l, 4, any);
    set(&l, l.e[0], l.exact);
    set(&l, l.e[1], other);
    set(&l, l.e[2], l.exact);
    set(&l, l.e[2], other);
    CHECK_WALK(&l, 1, both);
    CHECK_WALK(&l, 3, any);
    CHECK_WALK(&l, 0, any);
    end(&l);
}

static void an_optional_term_is_there_where_it_changed(void)
{
    static lab l;
    begin(&l, 6);
    mica_query maybe = mica_query_new(
        l.world,
        &(mica_query_desc){.terms = {{l.a, MICA_READ}, {l.exact, MICA_OPTIONAL | MICA_CHANGED}}});
    CHECK_WALK(&l, 6, maybe);
    set(&l, l.e[1], l.exact);
    set(&l, l.e[4], l.exact);
    mica_iter it;
    uint32_t rows = 0;
    mica_iter_begin(l.world, maybe, &it);
    while (mica_iter_next(&it)) {
        const Num *nums = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++, rows++) {
            bool changed = MICA_EQUAL(it.entities[i], l.e[1]) || MICA_EQUAL(it.entities[i], l.e[4]);
            CHECK_EQUAL(changed, nums != NULL);
            CHECK(!changed || nums[i].n == 7);
        }
    }
    CHECK_EQUAL(6, rows);
    end(&l);
}

// One that is written where it changed is not stamped where it did not.
static void an_optional_term_that_is_off_is_not_stamped(void)
{
    static lab l;
    begin(&l, 100);
    mica_query maybe = mica_query_new(
        l.world, &(mica_query_desc){
                     .terms = {{l.a, MICA_READ}, {l.exact, MICA_OPTIONAL_WRITE | MICA_CHANGED}}});
    CHECK_WALK(&l, 100, maybe);
    CHECK_WALK(&l, 100, l.rows);
    set(&l, l.e[99], l.exact);
    CHECK_WALK(&l, 1, l.rows);
    CHECK_WALK(&l, 100, maybe);
    CHECK_WALK(&l, 0, query_of(&l, add_type(&l, "Nobody", MICA_TABLE, true), MICA_READ));
    CHECK(walk(&l, l.rows) <= 1);
    end(&l);
}

static void tags_change_when_they_come(void)
{
    static lab l;
    begin(&l, 3);
    mica_type tag = MICA_TAG(l.world, Tag);
    mica_type loose = mica_type_register(
        l.world, &(mica_type_desc){.name = "Loose", .storage = MICA_SPARSE, .row_stamps = true});
    mica_query tags = query_of(&l, tag, MICA_WITH | MICA_ADDED);
    mica_query looses = query_of(&l, loose, MICA_WITH | MICA_CHANGED);
    mica_add(l.world, l.e[0], tag);
    mica_add(l.world, l.e[0], loose);
    CHECK_WALK(&l, 1, tags);
    CHECK_WALK(&l, 1, looses);
    mica_add(l.world, l.e[0], tag);
    mica_add(l.world, l.e[0], loose);
    CHECK(mica_get_mut(l.world, l.e[0], loose) == NULL); // there is nothing to be written
    CHECK_WALK(&l, 0, tags);
    CHECK_WALK(&l, 0, looses);
    mica_add(l.world, l.e[1], tag);
    mica_add(l.world, l.e[1], loose);
    CHECK_WALK(&l, 2, tags); // they lie together
    CHECK_WALK(&l, 1, looses);
    end(&l);
}

static void switching_a_component_off_or_on_changes_it(void)
{
    static lab l;
    begin(&l, 0);
    for (uint32_t s = 0; s < MICA_STORAGE_COUNT; s++) {
        static const char *const names[] = {"0", "1", "2", "3"};
        mica_type_desc desc = MICA_DESCRIBE(Num, n);
        desc.name = names[s];
        desc.storage = (mica_storage)s;
        desc.row_stamps = desc.toggle = true;
        mica_type type = mica_type_register(l.world, &desc);
        mica_accessor nums = mica_accessor_new(l.world, type);
        mica_query on = query_of(&l, type, MICA_WITH | MICA_CHANGED);
        mica_query even = query_of(&l, type, MICA_WITH | MICA_CHANGED | MICA_INCLUDE_DISABLED);
        mica_entity e[2] = {mica_spawn(l.world, MICA_ADD(type)),
                            mica_spawn(l.world, MICA_ADD(type))};
        CHECK_WALK(&l, 2, on);
        CHECK_WALK(&l, 2, even);
        mica_disable(l.world, e[0], type);
        CHECK_WALK(&l, 0, on);
        CHECK_WALK(&l, 1, even);
        mica_disable(l.world, e[0], type); // which it is
        CHECK_WALK(&l, 0, even);
        set(&l, e[0], type);
        CHECK_WALK(&l, 0, on);
        CHECK_WALK(&l, 1, even);
        mica_accessor_enable(&nums, e[0]);
        CHECK_WALK(&l, 1, on);
        CHECK_WALK(&l, 1, even);
    }
    end(&l);
}

// Stretches

// Of what has no row stamps, all pass that lie together with what changed; and no others.
static void without_row_stamps_those_around_pass_too_and_no_others(void)
{
    static lab l;
    static const char *const names[] = {"0", "1", "2", "3"};
    begin(&l, MANY);
    for (uint32_t s = 0; s < MICA_STORAGE_COUNT; s++) {
        mica_type type = add_type(&l, names[s], (mica_storage)s, false);
        CHECK_EQUAL(MICA_OK, mica_add_all(l.world, query_of(&l, l.a, MICA_WITH), type, NULL));
        mica_query changed = query_of(&l, type, MICA_WITH | MICA_CHANGED);
        mica_query mixed = mica_query_new(
            l.world,
            &(mica_query_desc){.terms = {{type, MICA_READ | MICA_CHANGED}, {l.b, MICA_READ}}});
        CHECK_WALK(&l, MANY, changed);
        CHECK_WALK(&l, MANY, mixed);
        CHECK_WALK(&l, 0, changed);
        CHECK_WALK(&l, 0, mixed);
        set(&l, l.e[1500], type);
        CHECK_EQUAL(mica_query_count(l.world, changed), mica_query_count(l.world, mixed));
        uint32_t rows = walk(&l, changed);
        CHECK(rows >= 1 && rows <= 1024);
        CHECK_WALK(&l, rows, mixed);
    }
    end(&l);
}

static void scattered_rows_are_brought_together(void)
{
    static lab l;
    begin(&l, MANY);
    CHECK_WALK(&l, MANY, l.rows);
    for (uint32_t i = 0; i < MANY; i += 100) {
        set(&l, l.e[i], l.exact);
    }
    mica_iter it;
    uint32_t segments = 0;
    uint32_t rows = 0;
    mica_iter_begin(l.world, l.rows, &it);
    for (; mica_iter_next(&it); segments++) {
        const Num *nums = mica_read(&it, 0);
        for (uint32_t i = 0; i < it.count; i++, rows++) {
            CHECK(nums[i].n == 7 && MICA_EQUAL(it.entities[i], l.e[rows * 100]));
        }
    }
    CHECK_EQUAL(MANY / 100, rows);
    CHECK_EQUAL(1, segments);
    end(&l);
}

// Systems

typedef struct seen {
    uint32_t rows;
} seen;

static void look(mica_iter *it)
{
    ((seen *)it->user)->rows += it->count;
}

static void write_all(mica_iter *it)
{
    CHECK(mica_write(it, 0) != NULL);
}

static seen *add_looker(lab *l, const char *name, mica_type type, seen *by)
{
    *by = (seen){0};
    mica_system_add(l->world,
                    &(mica_system_desc){.name = name,
                                        .update = look,
                                        .user = by,
                                        .query.terms = {{type, MICA_READ | MICA_CHANGED}}});
    return by;
}

static void step(lab *l, seen *first, seen *last)
{
    first->rows = last->rows = 0;
    CHECK_EQUAL(MICA_OK, mica_step(l->world, 1));
}

static void a_system_sees_what_changed_since_it_ran_last(void)
{
    static lab l;
    begin(&l, 5);
    mica_type still = MICA_TAG(l.world, Still);
    seen first, last;
    add_looker(&l, "first", l.exact, &first);
    mica_system_add(l.world, &(mica_system_desc){
                                 .name = "write",
                                 .update = write_all,
                                 .query.terms = {{l.exact, MICA_WRITE}, {still, MICA_WITHOUT}}});
    add_looker(&l, "last", l.exact, &last);
    step(&l, &first, &last); // what was set up is seen
    CHECK_EQUAL(5, first.rows);
    CHECK_EQUAL(5, last.rows);
    step(&l, &first, &last); // what was written in the step before, and in this one
    CHECK_EQUAL(5, first.rows);
    CHECK_EQUAL(5, last.rows);
    for (uint32_t i = 0; i < 5; i++) {
        mica_add(l.world, l.e[i], still);
    }
    step(&l, &first, &last);
    CHECK_EQUAL(5, first.rows); // of the step before
    CHECK_EQUAL(0, last.rows);
    step(&l, &first, &last);
    CHECK_EQUAL(0, first.rows);
    CHECK_EQUAL(0, last.rows);
    set(&l, l.e[2], l.exact); // between steps
    step(&l, &first, &last);
    CHECK_EQUAL(1, first.rows);
    CHECK_EQUAL(1, last.rows);
    end(&l);
}

static void write_changed(mica_iter *it)
{
    ((seen *)it->user)->rows += it->count;
    CHECK(mica_write(it, 0) != NULL);
}

static void a_system_does_not_see_what_it_wrote_itself(void)
{
    static lab l;
    begin(&l, 5);
    seen first, last;
    first = (seen){0};
    mica_system_add(l.world,
                    &(mica_system_desc){.name = "write",
                                        .update = write_changed,
                                        .user = &first,
                                        .query.terms = {{l.exact, MICA_WRITE | MICA_CHANGED}}});
    add_looker(&l, "last", l.exact, &last);
    step(&l, &first, &last);
    CHECK_EQUAL(5, first.rows);
    CHECK_EQUAL(5, last.rows);
    step(&l, &first, &last);
    CHECK_EQUAL(0, first.rows);
    CHECK_EQUAL(0, last.rows);
    end(&l);
}

static void change_later(mica_iter *it)
{
    seen *by = it->user;
    const mica_type exact = mica_type_find(it->world, "Exact");
    const Num num = {8};
    by->rows += it->count;
    mica_set_value(mica_later(it), it->entities[0], exact, &num, sizeof num);
}

// Commands are carried out after the run.
static void a_system_sees_what_its_commands_changed(void)
{
    static lab l;
    begin(&l, 4);
    seen first = {0}, last;
    mica_system_add(l.world,
                    &(mica_system_desc){.name = "later",
                                        .update = change_later,
                                        .user = &first,
                                        .query.terms = {{l.exact, MICA_READ | MICA_CHANGED}}});
    add_looker(&l, "last", l.exact, &last);
    step(&l, &first, &last);
    CHECK_EQUAL(4, last.rows);
    step(&l, &first, &last);
    CHECK_EQUAL(1, first.rows);
    CHECK_EQUAL(1, last.rows);
    end(&l);
}

static void leave_open(mica_iter *it)
{
    static mica_iter inner;
    lab *l = it->user;
    mica_iter_begin(it->world, l->changed, &inner);
}

static void a_system_that_fails_sees_the_same_again(void)
{
    static lab l;
    begin(&l, 4);
    seen first, last;
    add_looker(&l, "first", l.exact, &first);
    mica_system failing = mica_system_add(l.world, &(mica_system_desc){.name = "fails",
                                                                       .update = leave_open,
                                                                       .user = &l,
                                                                       .query.everything = true,
                                                                       .queries = {l.changed}});
    add_looker(&l, "last", l.exact, &last);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(l.world, 1));
    CHECK_ERROR(
        &l.t, MICA_ERROR_ITERATING,
        "mica_step: system 'fails' left an iteration of a query of 'A' open; mica_iter_end ends one");
    CHECK_EQUAL(4, first.rows);
    CHECK_EQUAL(0, last.rows);
    mica_system_remove(l.world, failing);
    step(&l, &first, &last);
    CHECK_EQUAL(0, first.rows);
    CHECK_EQUAL(4, last.rows);
    end(&l);
}

// Moments

static void moments_are_kept_by_whoever_wants_to(void)
{
    static lab l;
    begin(&l, 5);
    uint64_t clients[2];
    clients[0] = mica_world_tick(l.world);
    set(&l, l.e[0], l.exact);
    clients[1] = mica_world_tick(l.world);
    CHECK(clients[0] > 0 && clients[1] > clients[0]);
    set(&l, l.e[1], l.exact);
    for (uint32_t c = 0; c < 2; c++) {
        CHECK_EQUAL(MICA_OK, mica_query_set_since(l.world, l.rows, clients[c]));
        CHECK_EQUAL(clients[c], mica_query_since(l.world, l.rows));
        CHECK_EQUAL(2 - c, mica_query_count(l.world, l.rows));
        CHECK_WALK(&l, 2 - c, l.rows);
        clients[c] = mica_query_since(l.world, l.rows);
    }
    set(&l, l.e[2], l.exact);
    for (uint32_t c = 0; c < 2; c++) {
        CHECK_EQUAL(MICA_OK, mica_query_set_since(l.world, l.rows, clients[c]));
        CHECK_WALK(&l, 1, l.rows);
    }
    CHECK_EQUAL(MICA_OK, mica_query_set_since(l.world, l.rows, 0)); // all there ever was
    CHECK_WALK(&l, 5, l.rows);
    end(&l);
}

static void a_mark_inside_an_iteration_that_writes_loses_nothing(void)
{
    static lab l;
    begin(&l, 5);
    mica_iter it;
    mica_iter_begin(l.world, query_of(&l, l.exact, MICA_WRITE), &it);
    CHECK(mica_iter_next(&it));
    Num *nums = mica_write(&it, 0);
    uint64_t mark = mica_world_tick(l.world);
    nums[0].n = 9;
    mica_iter_end(&it);
    CHECK_EQUAL(MICA_OK, mica_query_set_since(l.world, l.rows, mark));
    CHECK_WALK(&l, 5, l.rows);
    end(&l);
}

static void moments_that_cannot_be_are_refused(void)
{
    static lab l;
    begin(&l, 5);
    uint64_t mark = mica_world_tick(l.world);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_query_set_since(l.world, l.rows, mark + 1));
    CHECK_ERROR(&l.t, MICA_ERROR_ARGUMENT,
                "mica_query_set_since: moment 2 is still to come; the last one was 1");
    mica_query plain = query_of(&l, l.exact, MICA_READ);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_query_set_since(l.world, plain, mark));
    CHECK_ERROR(&l.t, MICA_ERROR_ARGUMENT,
                "mica_query_set_since: no term of the query is MICA_CHANGED or MICA_ADDED");
    CHECK_EQUAL(0, mica_query_since(l.world, plain));
    CHECK_ERROR(&l.t, MICA_ERROR_ARGUMENT,
                "mica_query_since: no term of the query is MICA_CHANGED or MICA_ADDED");
    mica_iter it;
    mica_iter_begin(l.world, l.rows, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_query_set_since(l.world, l.rows, mark));
    CHECK_ERROR(
        &l.t, MICA_ERROR_ITERATING,
        "mica_query_set_since: refused while a query of 'Exact' is being iterated; do it afterwards, or "
        "end that with mica_iter_end or, if it is lost, mica_world_end_iterations");
    mica_iter_end(&it);
    CHECK_EQUAL(0, mica_query_since(l.world, l.rows));
    end(&l);
}

// Touching

static void of_a_term_that_is_touched_only_rows_that_are_named_have_changed(void)
{
    static lab l;
    static const char *const names[] = {"0", "1", "2", "3"};
    begin(&l, 200);
    for (uint32_t s = 0; s < 2 * MICA_STORAGE_COUNT; s++) {
        bool mixed = s >= MICA_STORAGE_COUNT; // scattered among those of a pool
        mica_storage storage = (mica_storage)(s % MICA_STORAGE_COUNT);
        mica_type type = add_type(&l, names[storage], storage, true);
        mica_type some = add_type(&l, "Some", MICA_SPARSE, false);
        for (uint32_t i = 0; i < 200; i++) {
            set(&l, l.e[(i * 7) % 200], type);
            set(&l, l.e[i], some);
        }
        mica_query touched = mica_query_new(
            l.world,
            &(mica_query_desc){.terms = {{type, MICA_WRITE | MICA_TOUCH},
                                         {mixed ? some : l.a, mixed ? MICA_READ : MICA_WITH}}});
        mica_query changed = query_of(&l, type, MICA_WITH | MICA_CHANGED);
        CHECK_WALK(&l, 200, changed);
        mica_iter it;
        mica_iter_begin(l.world, touched, &it);
        while (mica_iter_next(&it)) {
            mica_write_fields n = MICA_WRITE_FIELD(&it, 0, Num, n);
            for (uint32_t i = 0; i < it.count; i++) {
                MICA_WRITE_IN(n, i, int32_t) = 11;
                if (MICA_EQUAL(it.entities[i], l.e[5])) {
                    CHECK_EQUAL(MICA_OK, mica_touch(&it, 0, i));
                }
            }
        }
        CHECK(MICA_EQUAL(l.e[5], mica_query_first(l.world, changed)));
        CHECK_WALK(&l, 1, changed);
        Num num;
        CHECK(mica_load(l.world, l.e[100], type, &num, sizeof num) && num.n == 11);
    }
    end(&l);
}

static void touching_without_row_stamps_names_those_around(void)
{
    static lab l;
    begin(&l, MANY);
    CHECK_WALK(&l, MANY, l.changed);
    mica_iter it;
    mica_iter_begin(l.world, query_of(&l, l.a, MICA_WRITE | MICA_TOUCH), &it);
    uint32_t rows = 0;
    for (; mica_iter_next(&it); rows += it.count) {
        CHECK(mica_write(&it, 0) != NULL);
        if (rows == 0) {
            CHECK_EQUAL(MICA_OK, mica_touch(&it, 0, 0));
        }
    }
    rows = walk(&l, l.changed);
    CHECK(rows >= 1 && rows <= 1024);
    end(&l);
}

static void touching_what_is_not_there_is_fine_and_what_cannot_be_is_not(void)
{
    static lab l;
    begin(&l, 3);
    mica_iter it = {0};
    mica_query query = mica_query_new(
        l.world, &(mica_query_desc){
                     .terms = {{l.a, MICA_WRITE}, {l.exact, MICA_OPTIONAL_WRITE | MICA_TOUCH}}});
    mica_remove(l.world, l.e[0], l.exact);
    mica_iter_begin(l.world, query, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_touch(&it, 1, 0));
    CHECK_ERROR(&l.t, MICA_ERROR_ITERATOR, "mica_touch: there is no segment before mica_iter_next");
    while (mica_iter_next(&it)) {
        CHECK_EQUAL(MICA_OK, mica_touch(&it, 1, 0));
        CHECK_EQUAL(MICA_ERROR_TERM, mica_touch(&it, 0, 0));
        CHECK_ERROR(&l.t, MICA_ERROR_TERM,
                    "mica_touch: term 0 ('A') is not MICA_TOUCH: what is written of it counts as "
                    "changed anyway");
        CHECK_EQUAL(MICA_ERROR_TERM, mica_touch(&it, 2, 0));
        CHECK_ERROR(&l.t, MICA_ERROR_TERM, "mica_touch: there is no term 2 of the query; it has 2");
        CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_touch(&it, 1, 9));
        CHECK_ERROR(&l.t, MICA_ERROR_ARGUMENT,
                    it.count == 1 ? "mica_touch: row 9 of a segment of 1"
                                  : "mica_touch: row 9 of a segment of 2");
    }
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_touch(&it, 1, 0));
    CHECK_ERROR(&l.t, MICA_ERROR_ITERATOR, "mica_touch: the iteration has ended");
    end(&l);
}

// Making

#define CHECK_REFUSED(l, type, access, why)                                                        \
    do {                                                                                           \
        CHECK(MICA_IS_NONE(query_of(l, type, access)));                                            \
        CHECK_ERROR(&(l)->t, MICA_ERROR_ARGUMENT, "mica_query_new: term 0: " why);                 \
    } while (0)

static void terms_that_make_no_sense_are_refused(void)
{
    static lab l;
    begin(&l, 0);
    mica_type tag = MICA_TAG(l.world, Tag);
    CHECK_REFUSED(&l, l.a, MICA_WITHOUT | MICA_CHANGED,
                  "'A' cannot be MICA_WITHOUT and MICA_CHANGED or MICA_ADDED: what is not there "
                  "does not change");
    CHECK_REFUSED(&l, l.a, MICA_WITHOUT | MICA_ADDED,
                  "'A' cannot be MICA_WITHOUT and MICA_CHANGED or MICA_ADDED: what is not there "
                  "does not change");
    CHECK_REFUSED(&l, l.a, MICA_READ | MICA_CHANGED | MICA_ADDED,
                  "'A' is MICA_CHANGED and MICA_ADDED: what was added has changed, so the second "
                  "will do");
    CHECK_REFUSED(&l, l.a, MICA_READ | MICA_TOUCH, "'A' is not written, and cannot be MICA_TOUCH");
    CHECK_REFUSED(&l, tag, MICA_WRITE | MICA_TOUCH,
                  "'Tag' is a tag and has no values, and cannot be MICA_TOUCH");
    CHECK_REFUSED(&l, l.a, MICA_CHANGED,
                  "the access of 'A' must be named: MICA_READ, MICA_WITH or another");
    end(&l);
}

static void row_stamps_are_part_of_a_type(void)
{
    static lab l;
    begin(&l, 0);
    CHECK(mica_type_get_info(l.world, l.exact)->row_stamps);
    CHECK(!mica_type_get_info(l.world, l.a)->row_stamps);
    CHECK(MICA_IS_NONE(add_type(&l, "Exact", MICA_TABLE, false)));
    CHECK_ERROR(&l.t, MICA_ERROR_SHAPE,
                "mica_type_register: 'Exact' is registered with row stamps");
    CHECK(MICA_EQUAL(l.exact, add_type(&l, "Exact", MICA_TABLE, true)));
    const mica_type_desc tag = {.name = "Tag", .row_stamps = true};
    CHECK(MICA_IS_NONE(mica_type_register(l.world, &tag)));
    CHECK_ERROR(&l.t, MICA_ERROR_ARGUMENT,
                "mica_type_register: 'Tag' is a tag in tables, which cannot have row stamps; make "
                "it sparse");
    end(&l);
}

static void the_digest_knows_when_each_value_changed(void)
{
    static lab l;
    begin(&l, 5);
    set(&l, l.e[4], l.exact);
    mica_world_tick(l.world);
    uint64_t before = mica_world_digest(l.world);
    set(&l, l.e[1], l.exact);
    uint64_t one = mica_world_digest(l.world);
    set(&l, l.e[2], l.exact); // with the same value, in the same moment
    CHECK(before != one && one != mica_world_digest(l.world));
    end(&l);
}

TESTS(change, a_query_sees_all_there_is_at_first_and_then_what_changed, added_are_those_that_came,
      an_iteration_that_is_left_early_moves_nothing, what_a_loop_changes_belongs_to_it,
      an_iteration_inside_one_that_writes_loses_nothing,
      iterations_of_one_query_inside_each_other_lose_nothing,
      questions_go_by_the_same_moment_and_do_not_move_it,
      changes_by_query_are_for_those_that_changed, several_terms_must_all_hold,
      an_optional_term_is_there_where_it_changed, an_optional_term_that_is_off_is_not_stamped,
      tags_change_when_they_come, switching_a_component_off_or_on_changes_it,
      without_row_stamps_those_around_pass_too_and_no_others, scattered_rows_are_brought_together,
      a_system_sees_what_changed_since_it_ran_last, a_system_does_not_see_what_it_wrote_itself,
      a_system_sees_what_its_commands_changed, a_system_that_fails_sees_the_same_again,
      moments_are_kept_by_whoever_wants_to, a_mark_inside_an_iteration_that_writes_loses_nothing,
      moments_that_cannot_be_are_refused,
      of_a_term_that_is_touched_only_rows_that_are_named_have_changed,
      touching_without_row_stamps_names_those_around,
      touching_what_is_not_there_is_fine_and_what_cannot_be_is_not,
      terms_that_make_no_sense_are_refused, row_stamps_are_part_of_a_type,
      the_digest_knows_when_each_value_changed)
