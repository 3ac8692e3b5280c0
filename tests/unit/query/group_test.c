// Groups, through the public functions: S2.3, S2.4.
#include <mica/group.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "state/state.h"
#include "store/pool/group.h"
#include "unit/query/crew.h"

static void none_is_no_group(void)
{
    CHECK(MICA_IS_NONE((mica_group){0}));
    CHECK(MICA_EQUAL((mica_group){0}, (mica_group){0}));
    CHECK(!MICA_EQUAL((mica_group){0}, (mica_group){1}));
}

// S2.3, and what the issue asserts: one segment.
static void a_query_of_what_a_group_owns_is_one_segment(void)
{
    static crew f;
    crew_begin(&f);
    crew_spawn(&f, MANY, 2);
    mica_group group = crew_own(&f);
    CHECK_EQUAL(MANY / 2, test_group_count(f.world, group));
    crew_walked all = crew_walk(&f);
    CHECK_EQUAL(MANY / 2, all.rows);
    CHECK(all.segments > 0 && all.segments <= crew_segments_max(MANY / 2));
    for (int32_t i = 0; i < MANY / 2; i++) {
        CHECK_EQUAL(2 * i, all.xs[i]);
    }
    crew_end(&f);
}

static void values_of_a_group_lie_in_the_pools_themselves(void)
{
    static crew f;
    crew_begin(&f);
    crew_spawn(&f, 40, 3);
    crew_own(&f);
    mica_iter it;
    mica_iter_begin(f.world, f.movers, &it);
    uint32_t segments = 0;
    uint32_t rows = 0;
    for (; mica_iter_next(&it); segments++) {
        const Place *p = mica_read(&it, 0);
        const Speed *s = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++, rows++) {
            CHECK_POINTER(mica_get(f.world, it.entities[i], f.place), &p[i]);
            CHECK_POINTER(mica_get(f.world, it.entities[i], f.speed), &s[i]);
            CHECK_POINTER(mica_read_row(&it, 1, i), &s[i]);
        }
    }
    CHECK_EQUAL(14, rows);
    CHECK(segments <= crew_segments_max(14));
    crew_end(&f);
}

static void a_group_can_be_made_before_the_data(void)
{
    static crew f;
    crew_begin(&f);
    mica_group group = crew_own(&f);
    CHECK_EQUAL(0, test_group_count(f.world, group));
    CHECK_EQUAL(0, crew_walk(&f).segments);
    crew_spawn(&f, 300, 3);
    CHECK_EQUAL(100, test_group_count(f.world, group));
    crew_walked all = crew_walk(&f);
    CHECK_EQUAL(100, all.rows);
    CHECK(all.segments > 0 && all.segments <= crew_segments_max(all.rows));
    crew_end(&f);
}

// S2.3: enter and leave.
static void entities_enter_and_leave_as_components_come_and_go(void)
{
    static crew f;
    crew_begin(&f);
    crew_spawn(&f, 10, 1);
    mica_group group = crew_own(&f);
    mica_remove(f.world, f.entities[0], f.speed);
    CHECK_EQUAL(9, test_group_count(f.world, group));
    mica_remove(f.world, f.entities[0], f.place);
    CHECK_EQUAL(9, crew_walk(&f).rows);
    mica_remove(f.world, f.entities[5], f.place);
    CHECK_EQUAL(8, test_group_count(f.world, group));
    mica_despawn(f.world, f.entities[7]);
    CHECK_EQUAL(7, crew_walk(&f).rows);
    mica_set(f.world, f.entities[5], MICA_VALUE(f.place, Place, 5, 5));
    CHECK_EQUAL(8, crew_walk(&f).rows);
    mica_set(f.world, f.entities[0], MICA_VALUE(f.place, Place, 1, 1),
             MICA_VALUE(f.speed, Speed, 1, 0, 0));
    CHECK_EQUAL(9, crew_walk(&f).rows);
    mica_change(f.world, f.entities[0], &MICA_VALUE(f.speed, Speed, 2, 0, 0), 1, &f.place, 1);
    CHECK_EQUAL(8, crew_walk(&f).rows);
    CHECK(crew_walk(&f).segments <= crew_segments_max(8));
    mica_world_clear(f.world);
    CHECK_EQUAL(0, test_group_count(f.world, group));
    CHECK_EQUAL(0, crew_walk(&f).rows);
    crew_spawn(&f, 5, 1);
    CHECK_EQUAL(5, crew_walk(&f).rows);
    crew_end(&f);
}

static void a_value_can_be_given_from_one_that_the_group_moves(void)
{
    static crew f;
    crew_begin(&f);
    crew_spawn(&f, 8, 1);
    crew_own(&f);
    mica_entity e = mica_spawn(f.world, MICA_VALUE(f.speed, Speed, 100, 0, 0));
    for (uint32_t i = 0; i < 3; i++) { // a stranger in front of those who join
        mica_spawn(f.world, MICA_VALUE(f.place, Place, 50, 50));
    }
    const Place *first = mica_get(f.world, f.entities[3], f.place);
    mica_set_value(f.world, e, f.place, first, sizeof *first);
    CHECK_EQUAL(3, ((const Place *)mica_get(f.world, e, f.place))->x);
    CHECK_EQUAL(3, ((const Place *)mica_get(f.world, f.entities[3], f.place))->x);
    CHECK_EQUAL(0, mica_world_validate(f.world));
    crew_end(&f);
}

static void what_a_group_forbids_keeps_entities_out(void)
{
    static crew f;
    crew_begin(&f);
    crew_spawn(&f, 20, 1);
    for (int32_t i = 0; i < 20; i += 2) {
        mica_add(f.world, f.entities[i], f.asleep);
    }
    mica_group group = mica_group_new(
        f.world, &(mica_group_desc){.owned = {f.place, f.speed}, .without = {f.asleep}});
    mica_query awake =
        mica_query_new(f.world, &(mica_query_desc){.terms = {{f.speed, MICA_READ},
                                                             {f.place, MICA_READ},
                                                             {f.asleep, MICA_WITHOUT}}});
    CHECK_EQUAL(10, test_group_count(f.world, group));
    mica_remove(f.world, f.entities[0], f.asleep);
    mica_add(f.world, f.entities[1], f.asleep);
    mica_add(f.world, f.entities[3], f.asleep);
    CHECK_EQUAL(9, test_group_count(f.world, group));
    CHECK_EQUAL(9, mica_query_count(f.world, awake));
    CHECK_EQUAL(20, crew_walk(&f).rows); // which the group does not serve
    mica_iter it;
    mica_iter_begin(f.world, awake, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(9 < MICAI_ROWS ? 9 : MICAI_ROWS, it.count);
    mica_iter_end(&it);
    // One that ends with what it forbids is not taken in on the way.
    uint64_t digest = mica_world_digest(f.world);
    mica_entity e = mica_spawn(f.world, MICA_ADD(f.place), MICA_ADD(f.speed), MICA_ADD(f.asleep));
    mica_despawn(f.world, e);
    CHECK(digest != mica_world_digest(f.world));
    CHECK_EQUAL(9, test_group_count(f.world, group));
    CHECK_EQUAL(0, mica_world_validate(f.world));
    crew_end(&f);
}

// S2.4
static void a_group_may_own_some_and_need_others(void)
{
    static crew f;
    crew_begin(&f);
    crew_spawn(&f, MANY, 1);
    for (int32_t i = MANY; i-- > 0;) {
        mica_set(f.world, f.entities[i], MICA_VALUE(f.mass, Mass, i));
        *(int64_t *)mica_get_mut(f.world, f.entities[i], f.mass) = i;
        mica_set_value(f.world, f.entities[i], f.rock, &(int64_t){i}, 8);
    }
    mica_group group = mica_group_new(
        f.world, &(mica_group_desc){.owned = {f.place}, .required = {f.mass, f.rock}});
    CHECK_EQUAL(MANY, test_group_count(f.world, group));
    mica_query query = mica_query_new(
        f.world, &(mica_query_desc){
                     .terms = {{f.mass, MICA_WRITE}, {f.place, MICA_READ}, {f.rock, MICA_READ}}});
    uint32_t rows = 0;
    mica_iter it;
    mica_iter_begin(f.world, query, &it);
    while (mica_iter_next(&it)) {
        Mass *m = mica_write(&it, 0);
        const Place *p = mica_read(&it, 1);
        const int64_t *rock = mica_read(&it, 2);
        CHECK_POINTER(mica_get(f.world, it.entities[0], f.place), p);
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK(m[i].grams == p[i].x && rock[i] == p[i].x);
            m[i].grams += 7;
        }
        rows += it.count;
    }
    CHECK_EQUAL(MANY, rows);
    for (int32_t i = 0; i < MANY; i++) {
        CHECK_EQUAL(i + 7, ((const Mass *)mica_get(f.world, f.entities[i], f.mass))->grams);
    }
    CHECK_EQUAL(0, mica_world_validate(f.world));
    crew_end(&f);
}

// S2.4: an order of its own.
static void a_group_that_owns_nothing_has_an_order_of_its_own(void)
{
    static crew f;
    crew_begin(&f);
    crew_spawn(&f, 600, 2);
    mica_group group =
        mica_group_new(f.world, &(mica_group_desc){.required = {f.place, f.speed}, .name = "list"});
    CHECK_EQUAL(300, test_group_count(f.world, group));
    const void *first = mica_get(f.world, f.entities[0], f.place);
    uint32_t calls = 0;
    CHECK_EQUAL(0, mica_group_sort(f.world, group, f.place, crew_by_x_down, &calls));
    CHECK_POINTER(first, mica_get(f.world, f.entities[0], f.place));
    crew_walked all = crew_walk(&f);
    CHECK_EQUAL(300, all.rows);
    for (int32_t i = 0; i < 300; i++) {
        CHECK_EQUAL(598 - 2 * i, all.xs[i]);
    }
    mica_remove(f.world, f.entities[598], f.speed);
    mica_remove(f.world, f.entities[0], f.place);
    CHECK_EQUAL(298, crew_walk(&f).rows);
    CHECK_EQUAL(298, test_group_count(f.world, group));
    mica_set(f.world, f.entities[1], MICA_VALUE(f.speed, Speed, 1, 0, 0));
    CHECK_EQUAL(1, crew_walk(&f).xs[298]);
    mica_world_clear(f.world);
    CHECK_EQUAL(0, mica_world_reclaim(f.world));
    CHECK_EQUAL(0, mica_world_validate(f.world));
    crew_spawn(&f, 100, 1);
    CHECK_EQUAL(100, crew_walk(&f).rows);
    for (int32_t i = 0; i < 100; i += 3) {
        mica_despawn(f.world, f.entities[i]);
    }
    CHECK_EQUAL(0, mica_world_reclaim(f.world));
    CHECK_EQUAL(66, crew_walk(&f).rows);
    crew_spawn(&f, 50, 1);
    CHECK_EQUAL(116, crew_walk(&f).rows);
    crew_end(&f);
}

static void a_pool_can_be_in_many_groups_of_which_one_owns_it(void)
{
    static crew f;
    crew_begin(&f);
    mica_group a = crew_own(&f);
    mica_group b =
        mica_group_new(f.world, &(mica_group_desc){.owned = {f.mass}, .required = {f.place}});
    mica_group c = mica_group_new(
        f.world, &(mica_group_desc){.required = {f.mass, f.speed}, .without = {f.asleep}});
    crew_spawn(&f, 60, 2);
    for (int32_t i = 0; i < 60; i += 3) {
        mica_set(f.world, f.entities[i], MICA_VALUE(f.mass, Mass, i));
        mica_set_value(f.world, f.entities[i], f.asleep, NULL, 0);
    }
    for (int32_t i = 0; i < 60; i += 12) {
        mica_remove(f.world, f.entities[i], f.asleep);
    }
    CHECK_EQUAL(30, test_group_count(f.world, a));
    CHECK_EQUAL(20, test_group_count(f.world, b));
    CHECK_EQUAL(5, test_group_count(f.world, c));
    CHECK_EQUAL(30, crew_walk(&f).rows);
    CHECK_EQUAL(0, mica_group_free(f.world, a));
    CHECK_EQUAL(30, crew_walk(&f).rows);
    CHECK_EQUAL(0, mica_world_validate(f.world));
    mica_group d = mica_group_new(f.world, &(mica_group_desc){.owned = {f.place, f.speed}});
    CHECK_EQUAL(30, test_group_count(f.world, d));
    CHECK_EQUAL(0, test_group_count(f.world, a));
    CHECK_ERROR(&f.t, MICA_ERROR_GROUP,
                "mica_group_get_info: the group is freed, or of another world");
    crew_end(&f);
}

// A query that asks for more than a group is driven by it all the same.
static void a_query_may_ask_for_more_than_its_group(void)
{
    static crew f;
    crew_begin(&f);
    crew_spawn(&f, 400, 1);
    mica_type u = f.table;
    for (int32_t i = 0; i < 400; i++) {
        if (i % 2 == 0) {
            mica_set_value(f.world, f.entities[i], u, &i, sizeof i);
        }
        if (i % 5 == 0) {
            mica_set(f.world, f.entities[i], MICA_VALUE(f.mass, Mass, i));
        }
    }
    crew_own(&f);
    mica_query query =
        mica_query_new(f.world, &(mica_query_desc){.terms = {{f.place, MICA_READ},
                                                             {u, MICA_READ},
                                                             {f.speed, MICA_READ},
                                                             {f.mass, MICA_OPTIONAL}}});
    uint32_t rows = 0;
    uint32_t with_mass = 0;
    mica_iter it;
    mica_iter_begin(f.world, query, &it);
    while (mica_iter_next(&it)) {
        const Place *p = mica_read(&it, 0);
        const int32_t *t = mica_read(&it, 1);
        const Mass *m = mica_read(&it, 3);
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK(p[i].x == t[i] && (!m || m[i].grams == t[i]));
            CHECK_EQUAL(t[i] % 10 == 0, m != NULL);
            with_mass += m != NULL;
        }
        rows += it.count;
    }
    CHECK_EQUAL(200, rows);
    CHECK_EQUAL(40, with_mass);
    CHECK_EQUAL(200, mica_query_count(f.world, query));
    CHECK(mica_query_contains(f.world, query, mica_query_first(f.world, query)));
    crew_end(&f);
}

// Everything that makes, changes or ends several at once.
static void changes_of_many_keep_groups(void)
{
    for (uint32_t relocate_always = 0; relocate_always < 2; relocate_always++) {
        static crew f;
        mica_world *w = crew_begin_as(&f, relocate_always == 1);
        mica_group owning = crew_own(&f);
        mica_group list = mica_group_new(
            w, &(mica_group_desc){.required = {f.speed, f.rock}, .without = {f.asleep}});
        mica_bundle bundle =
            mica_bundle_new(w, (mica_type[]){f.place, f.table, f.speed, f.rock}, 4);
        Place places[50];
        Speed speeds[50];
        for (int32_t i = 0; i < 50; i++) {
            places[i] = (Place){i, i};
            speeds[i] = (Speed){i, 0, 0};
        }
        const mica_value arrays[] = {MICA_COPY_OF_ARRAY(f.place, places), MICA_ADD(f.table),
                                     MICA_COPY_OF_ARRAY(f.speed, speeds), MICA_ADD(f.rock)};
        CHECK_EQUAL(0, mica_spawn_many(w, bundle, 50, arrays, 4, f.entities));
        CHECK_EQUAL(50, crew_walk(&f).rows);
        CHECK_EQUAL(50, test_group_count(w, list));
        mica_bundle quick = mica_bundle_new(w, (mica_type[]){f.speed, f.place}, 2);
        for (int32_t i = 50; i < 60; i++) {
            const Place p = {i, i};
            const Speed s = {i, 0, 0};
            const mica_value values[] = {MICA_COPY_OF(f.speed, s), MICA_COPY_OF(f.place, p)};
            mica_spawn_bundle(w, quick, values, 2);
        }
        CHECK_EQUAL(60, crew_walk(&f).rows);
        mica_entity clone = mica_clone(w, f.entities[7]);
        CHECK_EQUAL(61, crew_walk(&f).rows);
        CHECK_EQUAL(51, test_group_count(w, list));
        mica_query rocks = mica_query_new(w, &(mica_query_desc){.terms = {{f.rock, MICA_WITH}}});
        CHECK_EQUAL(0, mica_add_all(w, rocks, f.asleep, NULL));
        CHECK_EQUAL(0, test_group_count(w, list));
        CHECK_EQUAL(0, mica_world_validate(w));
        CHECK_EQUAL(0, mica_remove_all(w, rocks, f.speed, NULL));
        CHECK_EQUAL(10, crew_walk(&f).rows);
        CHECK_EQUAL(0, mica_remove_all(w, rocks, f.asleep, NULL));
        CHECK_EQUAL(0, mica_set_all(w, rocks, f.speed, &(Speed){0}, sizeof(Speed), NULL));
        CHECK_EQUAL(0, mica_set_all(w, rocks, f.place, &(Place){0}, sizeof(Place), NULL));
        CHECK_EQUAL(61, crew_walk(&f).rows);
        CHECK_EQUAL(51, test_group_count(w, list));
        mica_despawn(w, clone);
        CHECK_EQUAL(0, mica_despawn_many(w, f.entities, 20));
        CHECK_EQUAL(40, crew_walk(&f).rows);
        CHECK_EQUAL(40, test_group_count(w, owning));
        CHECK_EQUAL(0, mica_despawn_all(w, rocks, NULL));
        CHECK_EQUAL(10, crew_walk(&f).rows);
        CHECK_EQUAL(0, test_group_count(w, list));
        CHECK_EQUAL(0, mica_world_reclaim(w));
        CHECK_EQUAL(10, crew_walk(&f).rows);
        crew_end(&f);
    }
}

static void mistakes_name_both_parties(void)
{
    static crew f;
    mica_world *w = crew_begin(&f);
    mica_group group = crew_own(&f);
    mica_group_new(w, &(mica_group_desc){.owned = {f.mass, f.place}});
    CHECK_ERROR(&f.t, MICA_ERROR_OWNED,
                "mica_group_new: 'Place' is owned by group 'movers' already");
    mica_sort(w, f.place, crew_by_x_down, NULL);
    CHECK_ERROR(&f.t, MICA_ERROR_OWNED,
                "mica_sort: 'Place' is owned by group 'movers'; mica_group_sort sorts that");
    mica_sort_like(w, f.speed, f.mass);
    CHECK_ERROR(&f.t, MICA_ERROR_OWNED,
                "mica_sort_like: 'Speed' is owned by group 'movers'; mica_group_sort sorts that");
    mica_group_sort_like(w, group, f.speed);
    CHECK_ERROR(&f.t, MICA_ERROR_OWNED,
                "mica_group_sort_like: 'Speed' is owned by group 'movers' itself");
    mica_group_sort(w, group, f.mass, crew_by_x_down, NULL);
    CHECK_ERROR(
        &f.t, MICA_ERROR_ARGUMENT,
        "mica_group_sort: group 'movers' does not need 'Mass', so that it cannot be sorted by it");
    mica_group_new(w, &(mica_group_desc){.owned = {f.mass, f.rock}});
    CHECK_ERROR(
        &f.t, MICA_ERROR_ARGUMENT,
        "mica_group_new: values of 'Rock' are stable, and a group moves those it owns; list "
        "it in .required");
    mica_sort(w, f.rock, crew_by_x_down, NULL);
    CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT,
                "mica_sort: values of 'Rock' are stable, and stay where they are");
    mica_group_new(w, &(mica_group_desc){.required = {f.mass, f.table}});
    CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT,
                "mica_group_new: 'Table' is not sparse; groups are of sparse components");
    mica_sort(w, f.table, crew_by_x_down, NULL);
    CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT,
                "mica_sort: 'Table' is kept in tables, which have no order of their own; sparse "
                "components do");
    mica_group_new(w, &(mica_group_desc){.owned = {f.mass}, .without = {f.mass}});
    CHECK_ERROR(&f.t, MICA_ERROR_TERMS, "mica_group_new: 'Mass' is listed twice");
    mica_group_new(w, &(mica_group_desc){0});
    CHECK_ERROR(&f.t, MICA_ERROR_TERMS,
                "mica_group_new: no types; a group is of two types or more, one of them needed");
    mica_group_new(w, &(mica_group_desc){.owned = {f.mass}});
    CHECK_ERROR(&f.t, MICA_ERROR_TERMS,
                "mica_group_new: one type; a group is of two types or more, one of them needed");
    mica_group_new(w, &(mica_group_desc){.without = {f.mass, f.rock}});
    CHECK_ERROR(
        &f.t, MICA_ERROR_TERMS,
        "mica_group_new: no type is needed; a group is of two types or more, one of them needed");
    mica_group_new(w, &(mica_group_desc){.required = {f.mass, {0}, f.rock}});
    CHECK_ERROR(&f.t, MICA_ERROR_TYPE,
                "mica_group_new: required type 1: the component type is none; was it registered?");
    mica_group_new(w, &(mica_group_desc){.owned = {f.mass}, .required = {f.rock}, .name = "a\nb"});
    CHECK_ERROR(&f.t, MICA_ERROR_NAME, "mica_group_new: the name of the group is not printable");
    mica_group nameless =
        mica_group_new(w, &(mica_group_desc){.owned = {f.mass}, .required = {f.rock}});
    CHECK(!MICA_IS_NONE(nameless));
    mica_sort(w, f.mass, crew_by_x_down, NULL);
    CHECK_ERROR(&f.t, MICA_ERROR_OWNED,
                "mica_sort: 'Mass' is owned by the group of 'Mass'; mica_group_sort sorts that");
    crew_end(&f);
}

static void groups_and_orders_are_not_changed_during_iteration(void)
{
    static crew f;
    mica_world *w = crew_begin(&f);
    crew_spawn(&f, 3, 1);
    mica_group group = crew_own(&f);
    mica_iter it;
    mica_iter_begin(w, f.movers, &it);
    mica_iter_next(&it);
    mica_group_new(w, &(mica_group_desc){.owned = {f.mass}, .required = {f.rock}});
    CHECK_EQUAL(MICA_ERROR_ITERATING, f.t.error.last.code);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_group_free(w, group));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_group_sort(w, group, f.place, crew_by_x_down, NULL));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_group_sort_like(w, group, f.mass));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_sort(w, f.mass, crew_by_x_down, NULL));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_sort_like(w, f.mass, f.place));
    CHECK_EQUAL(6, test_error_clear(&f.t.error));
    CHECK_EQUAL(3, test_group_count(w, group));
    mica_iter_end(&it);
    crew_end(&f);
}

// What no group knows of may flip while others are iterated; a group would move values.
static void tags_of_groups_do_not_flip_during_iteration(void)
{
    static crew f;
    mica_world *w = crew_begin(&f);
    crew_spawn(&f, 20, 1);
    mica_type other = MICA_SPARSE_TAG(w, Other);
    mica_group group =
        mica_group_new(w, &(mica_group_desc){.owned = {f.place, f.speed}, .without = {f.asleep}});
    mica_iter it;
    mica_iter_begin(w, f.movers, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(0, mica_add(w, f.entities[3], other));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_add(w, f.entities[3], f.asleep));
    CHECK_EQUAL(MICA_ERROR_ITERATING, test_add_types(w, f.entities[4], &f.asleep, 1));
    CHECK_EQUAL(2, test_error_clear(&f.t.error));
    mica_iter_end(&it);
    CHECK_EQUAL(0, mica_add(w, f.entities[3], f.asleep));
    mica_iter_begin(w, f.movers, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_remove(w, f.entities[3], f.asleep));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    mica_iter_end(&it);
    CHECK_EQUAL(19, test_group_count(w, group));
    crew_end(&f);
}

// Out of memory

typedef bool step(crew *f, mica_group *group);

static bool make_owning(crew *f, mica_group *group)
{
    *group = mica_group_new(f->world, &(mica_group_desc){.owned = {f->place, f->speed},
                                                         .without = {f->asleep},
                                                         .name = "owning"});
    return !MICA_IS_NONE(*group);
}

static bool make_list(crew *f, mica_group *group)
{
    *group = mica_group_new(f->world,
                            &(mica_group_desc){.required = {f->rock, f->place}, .name = "list"});
    return !MICA_IS_NONE(*group);
}

static bool join(crew *f, mica_group *group)
{
    (void)group;
    return !mica_set_value(f->world, f->entities[90], f->rock, &(int64_t){1}, 8);
}

static bool spawn_one(crew *f, mica_group *group)
{
    (void)group;
    return !MICA_IS_NONE(mica_spawn(f->world, MICA_ADD(f->rock), MICA_ADD(f->place)));
}

static bool sort_list(crew *f, mica_group *group)
{
    uint32_t calls = 0;
    return !mica_group_sort(f->world, *group, f->place, crew_by_x_down, &calls);
}

static bool sort_pool(crew *f, mica_group *group)
{
    (void)group;
    return !mica_sort_like(f->world, f->speed, f->place);
}

static bool give_back(crew *f, mica_group *group)
{
    (void)group;
    return !mica_world_reclaim(f->world);
}

static uint64_t fingerprint(crew *f, mica_group group)
{
    uint64_t count = MICA_IS_NONE(group) ? 0 : test_group_count(f->world, group);
    return mica_world_digest(f->world) + count;
}

static void refused_memory_leaves_everything_as_it_was(void)
{
    static step *const steps[] = {make_list, join,      spawn_one,  sort_list,
                                  sort_pool, give_back, make_owning};
    for (uint32_t onwards = 0; onwards < 2; onwards++) {
        static crew f;
        crew_begin(&f);
        crew_spawn(&f, 91, 1);
        for (int32_t i = 0; i < 64; i++) {
            mica_set_value(f.world, f.entities[i], f.rock, &(int64_t){i}, 8);
        }
        mica_group group = (mica_group){0};
        uint32_t refused = 0;
        for (uint32_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            bool done = false;
            for (uint64_t k = 1; !done; k++) {
                mica_group tried = group;
                uint64_t before = fingerprint(&f, group);
                test_memory_fail_at(&f.t.memory, k,
                                    onwards ? TEST_MEMORY_ONWARDS : TEST_MEMORY_ONCE);
                done = steps[i](&f, &tried);
                bool was_refused = f.t.memory.refusals > 0;
                test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
                CHECK(done || was_refused);
                CHECK_EQUAL(0, mica_world_validate(f.world));
                if (!done) {
                    CHECK_EQUAL(MICA_ERROR_MEMORY, f.t.error.last.code);
                    CHECK_EQUAL(1, test_error_clear(&f.t.error));
                    CHECK_EQUAL(before, fingerprint(&f, group));
                    refused++;
                } else {
                    group = tried;
                }
                REQUIRE(k < 200);
            }
        }
        CHECK(refused > 20);
        crew_end(&f);
    }
}

// Beside a plain model

enum { PEOPLE = 60, KINDS = 5 };

typedef struct model {
    bool alive[PEOPLE];
    bool has[PEOPLE][KINDS];
} model;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static uint32_t count_model(const model *m, uint32_t needed, uint32_t forbidden)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < PEOPLE; i++) {
        uint32_t have = 0;
        for (uint32_t k = 0; k < KINDS; k++) {
            have |= (uint32_t)(m->alive[i] && m->has[i][k]) << k;
        }
        count += m->alive[i] && (have & needed) == needed && (have & forbidden) == 0;
    }
    return count;
}

// Walks a query: who comes, comes once, has what it should, and its values are its own.
static uint32_t check_query(crew *f, mica_query query, const mica_type *types)
{
    uint32_t rows = 0;
    mica_iter it;
    mica_iter_begin(f->world, query, &it);
    while (mica_iter_next(&it)) {
        const Place *p = mica_read(&it, 0);
        const Speed *s = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            const Place *place = mica_get(f->world, it.entities[i], types[0]);
            const Speed *speed = mica_get(f->world, it.entities[i], types[1]);
            REQUIRE(place && speed);
            CHECK(p[i].x == place->x && s[i].x == speed->x && p[i].x == s[i].x);
        }
        rows += it.count;
    }
    return rows;
}

static void groups_agree_with_a_model(void)
{
    for (uint32_t seed = 1; seed <= 12; seed++) {
        static crew f;
        mica_world *w = crew_begin(&f);
        uint32_t state = seed * 7919;
        static model m;
        memset(&m, 0, sizeof m);
        const mica_type types[KINDS] = {f.place, f.speed, f.mass, f.rock, f.asleep};
        mica_group a = (mica_group){0};
        mica_group b = (mica_group){0};
        mica_group c = (mica_group){0};
        mica_query awake =
            mica_query_new(w, &(mica_query_desc){.terms = {{f.place, MICA_READ},
                                                           {f.speed, MICA_READ},
                                                           {f.asleep, MICA_WITHOUT}}});
        for (uint32_t n = 0; n < 1500; n++) {
            uint32_t i = next_random(&state) % PEOPLE;
            uint32_t k = next_random(&state) % KINDS;
            switch (next_random(&state) % 12) {
            case 0:
                if (m.alive[i]) {
                    mica_despawn(w, f.entities[i]);
                    memset(m.has[i], 0, sizeof m.has[i]);
                    m.alive[i] = false;
                }
                break;
            case 1:
                if (MICA_IS_NONE(a)) {
                    a = mica_group_new(
                        w, &(mica_group_desc){.owned = {f.place, f.speed}, .without = {f.asleep}});
                } else if (k == 0) {
                    mica_group_free(w, a);
                    a = (mica_group){0};
                }
                break;
            case 2:
                if (MICA_IS_NONE(b)) {
                    b = mica_group_new(w,
                                       &(mica_group_desc){.owned = {f.mass}, .required = {f.rock}});
                } else if (k == 0) {
                    mica_group_free(w, b);
                    b = (mica_group){0};
                }
                break;
            case 3:
                if (MICA_IS_NONE(c)) {
                    c = mica_group_new(w,
                                       &(mica_group_desc){.required = {f.rock, f.speed, f.place}});
                } else if (k == 0) {
                    mica_group_free(w, c);
                    c = (mica_group){0};
                }
                break;
            case 4:
                if (!MICA_IS_NONE(a)) {
                    uint32_t calls = 0;
                    mica_group_sort(w, a, f.place, crew_by_x_down, &calls);
                } else {
                    mica_sort_like(w, f.place, f.speed);
                }
                break;
            case 5:
                if (k == 0) {
                    mica_world_reclaim(w);
                }
                break;
            case 6:
            case 7:
                if (m.alive[i]) {
                    mica_remove(w, f.entities[i], types[k]);
                    m.has[i][k] = false;
                }
                break;
            default:
                if (!m.alive[i]) {
                    f.entities[i] = mica_spawn_values(w, NULL, 0);
                    m.alive[i] = true;
                }
                int32_t values[3] = {(int32_t)i, (int32_t)i, (int32_t)i};
                static const uint32_t sizes[KINDS] = {8, 12, 8, 8, 0};
                mica_set_value(w, f.entities[i], types[k], sizes[k] ? values : NULL, sizes[k]);
                m.has[i][k] = true;
            }
            REQUIRE_EQUAL(0, mica_world_validate(w));
            if (!MICA_IS_NONE(a)) {
                CHECK_EQUAL(count_model(&m, 3, 16), test_group_count(w, a));
            }
            if (!MICA_IS_NONE(b)) {
                CHECK_EQUAL(count_model(&m, 12, 0), test_group_count(w, b));
            }
            if (!MICA_IS_NONE(c)) {
                CHECK_EQUAL(count_model(&m, 11, 0), test_group_count(w, c));
            }
            if (n % 16 == 0) {
                CHECK_EQUAL(count_model(&m, 3, 16), check_query(&f, awake, types));
                CHECK_EQUAL(count_model(&m, 3, 0), check_query(&f, f.movers, types));
            }
        }
        crew_end(&f);
    }
}

// Groups of pools whose bits are in different words of presence.
static void groups_reach_across_words_of_presence(void)
{
    static crew f;
    mica_world *w = crew_begin(&f);
    mica_type last = (mica_type){0};
    for (uint32_t i = 0; i < 70; i++) {
        char name[16];
        snprintf(name, sizeof name, "Tag%" PRIu32, i);
        last = mica_type_register(w, &(mica_type_desc){.name = name, .storage = MICA_SPARSE});
    }
    mica_group group = mica_group_new(w, &(mica_group_desc){.owned = {f.place, last}});
    crew_spawn(&f, 50, 1);
    for (int32_t i = 0; i < 50; i += 5) {
        mica_add(w, f.entities[i], last);
    }
    CHECK_EQUAL(10, test_group_count(w, group));
    mica_query query =
        mica_query_new(w, &(mica_query_desc){.terms = {{f.place, MICA_READ}, {last, MICA_WITH}}});
    mica_iter it;
    mica_iter_begin(w, query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(10 < MICAI_ROWS ? 10 : MICAI_ROWS, it.count);
    const Place *p = mica_read(&it, 0);
    for (uint32_t i = 0; i < it.count; i++) {
        CHECK_EQUAL(0, p[i].x % 5);
    }
    mica_iter_end(&it);
    crew_end(&f);
}

static void a_pool_in_a_group_is_not_fast(void)
{
    static crew f;
    mica_world *w = crew_begin(&f);
    const micai_pools *pools = &w->state->pools;
    crew_spawn(&f, 1, 1);
    const micai_pool *pool = micai_pools_find(pools, f.place);
    CHECK(micai_pool_is_fast(pool));
    mica_group group = crew_own(&f);
    CHECK_EQUAL(MICAI_FAST_ALL & ~MICAI_FAST_PLAIN, pool->fast_paths);
    CHECK(pool->owner);
    CHECK_EQUAL(0, mica_group_free(w, group));
    CHECK(micai_pool_is_fast(pool) && !pool->owner);
    crew_end(&f);
}

// Groups follow. While the world is iterated, nothing changes.
static void entities_of_a_pool_in_a_group_are_added_and_removed_as_bytes(void)
{
    static crew f;
    mica_world *w = crew_begin(&f);
    micai_pools *pools = &w->state->pools;
    crew_spawn(&f, 2, 1);
    crew_own(&f);
    micai_pool *pool = micai_pools_find(pools, f.speed);
    mica_entity e = mica_query_first(w, f.movers);
    uint32_t slot = mica_entity_slot(e);
    mica_iter it;
    mica_iter_begin(w, f.movers, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_remove(w, e, f.speed));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK(mica_has(w, e, f.speed));
    mica_iter_end(&it);
    CHECK(!micai_pool_is_fast(pool));
    const bool bytes = micai_pool_admits(pool, MICAI_FAST_BYTES | MICAI_FAST_UNOBSERVED);
    CHECK_POINTER(NULL, micai_pool_ready_if(pool, bytes, slot, false));
    uint32_t *entry = micai_pool_ready_if(pool, bytes, slot, true);
    REQUIRE(entry != NULL);
    micai_pool_remove_bytes(pools, pool, entry, slot, w->view.tick);
    CHECK(!mica_has(w, e, f.speed) && mica_query_count(w, f.movers) == 1);
    CHECK_EQUAL(0, mica_world_validate(w));
    mica_iter_begin(w, f.movers, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_add(w, e, f.speed));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK(!mica_has(w, e, f.speed));
    mica_iter_end(&it);
    CHECK_POINTER(entry, micai_pool_ready_if(pool, bytes, slot, false));
    micai_pool_add_bytes(pools, pool, entry, e, NULL, w->view.tick);
    CHECK(mica_has(w, e, f.speed) && mica_query_count(w, f.movers) == 2);
    CHECK_EQUAL(0, mica_world_validate(w));
    crew_end(&f);
}

TESTS(group, none_is_no_group, a_query_of_what_a_group_owns_is_one_segment,
      values_of_a_group_lie_in_the_pools_themselves, a_group_can_be_made_before_the_data,
      entities_enter_and_leave_as_components_come_and_go,
      a_value_can_be_given_from_one_that_the_group_moves, what_a_group_forbids_keeps_entities_out,
      a_group_may_own_some_and_need_others, a_group_that_owns_nothing_has_an_order_of_its_own,
      a_pool_can_be_in_many_groups_of_which_one_owns_it, a_query_may_ask_for_more_than_its_group,
      changes_of_many_keep_groups, mistakes_name_both_parties,
      groups_and_orders_are_not_changed_during_iteration,
      tags_of_groups_do_not_flip_during_iteration, refused_memory_leaves_everything_as_it_was,
      groups_agree_with_a_model, groups_reach_across_words_of_presence,
      a_pool_in_a_group_is_not_fast, entities_of_a_pool_in_a_group_are_added_and_removed_as_bytes)
