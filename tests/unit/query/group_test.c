// Groups and sorting, through the public functions: S2.3, S2.4, S2.5.
#include <mica/group.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"
#include "store/pool/group.h"
#include "unit/tracked.h"
#include "world/world.h"

#include <mica.h>

typedef struct Place {
    int32_t x, y;
} Place;

typedef struct Speed {
    int32_t x, y, z;
} Speed;

typedef struct Mass {
    int64_t grams;
} Mass;

enum { MANY = 1000 };

typedef struct fixture {
    test_world t;
    mica_world *world;
    mica_type place, speed, mass, rock; // sparse; the last is stable
    mica_type asleep;                   // a sparse tag
    mica_type table;                    // in tables
    mica_query movers;                  // place written, speed read
    mica_entity entities[MANY];
} fixture;

static mica_world *begin_as(fixture *f, bool restless)
{
    test_world_prepare(&f->t);
    f->t.desc.restless = restless;
    mica_world *w = f->world = test_world_open(&f->t);
    f->place = MICA_REGISTER_SPARSE(w, Place, x, y);
    f->speed = MICA_REGISTER_SPARSE(w, Speed, x, y, z);
    f->mass = MICA_REGISTER_SPARSE(w, Mass, grams);
    f->rock = mica_type_register(
        w, &(mica_type_desc){
               .name = "Rock", .size = 8, .align = 8, .storage = MICA_SPARSE, .stable = true});
    f->asleep = MICA_SPARSE_TAG(w, Asleep);
    f->table = mica_type_register(w, &(mica_type_desc){.name = "Table", .size = 4, .align = 4});
    f->movers = mica_query_new(
        w, &(mica_query_desc){.terms = {{f->place, MICA_WRITE}, {f->speed, MICA_READ}}});
    return w;
}

static mica_world *begin(fixture *f)
{
    return begin_as(f, false);
}

static void end(fixture *f)
{
    test_world_end(&f->t);
}

// Entity i has place {i, i}; every `of`-th has speed {i, 0, 0}.
static void spawn(fixture *f, int32_t count, int32_t of)
{
    for (int32_t i = 0; i < count; i++) {
        mica_entity e = mica_spawn_empty(f->world);
        f->entities[i] = e;
        REQUIRE(!mica_set(f->world, e, MICA_VALUE(f->place, Place, i, i)));
        if (i % of == 0) {
            REQUIRE(!mica_set(f->world, e, MICA_VALUE(f->speed, Speed, i, 0, 0)));
        }
    }
}

static mica_group own_movers(fixture *f)
{
    mica_group group = mica_group_new(
        f->world, &(mica_group_desc){.owned = {f->place, f->speed}, .name = "movers"});
    REQUIRE(!mica_group_is_none(group));
    return group;
}

typedef struct walked {
    uint32_t rows;
    uint32_t segments;
    int32_t xs[MANY];
} walked;

// Walks the movers; each must have the values it was given.
static walked walk(fixture *f)
{
    walked all = {0};
    mica_iter it;
    mica_iter_begin(f->world, f->movers, &it);
    while (mica_iter_next(&it)) {
        const Place *p = mica_write(&it, 0);
        const Speed *s = mica_read(&it, 1);
        REQUIRE(p && s);
        for (uint32_t i = 0; i < it.count; i++) {
            const Place *place = mica_get(f->world, it.entities[i], f->place);
            CHECK(p[i].x == s[i].x && p[i].x == p[i].y && place && place->x == p[i].x);
            all.xs[all.rows++ % MANY] = p[i].x;
        }
        all.segments++;
    }
    CHECK_EQUAL(all.rows, mica_query_count(f->world, f->movers));
    CHECK_EQUAL(0, mica_world_validate(f->world));
    return all;
}

static void none_is_no_group(void)
{
    CHECK(mica_group_is_none(mica_group_none()));
    CHECK(mica_group_equal(mica_group_none(), mica_group_none()));
    CHECK(!mica_group_equal(mica_group_none(), (mica_group){1}));
}

// S2.3, and what the issue asserts: one segment.
static void a_query_of_what_a_group_owns_is_one_segment(void)
{
    static fixture f;
    begin(&f);
    spawn(&f, MANY, 2);
    mica_group group = own_movers(&f);
    CHECK_EQUAL(MANY / 2, mica_group_count(f.world, group));
    walked all = walk(&f);
    CHECK_EQUAL(MANY / 2, all.rows);
    CHECK_EQUAL(1, all.segments);
    for (int32_t i = 0; i < MANY / 2; i++) {
        CHECK_EQUAL(2 * i, all.xs[i]);
    }
    end(&f);
}

static void values_of_a_group_lie_in_the_pools_themselves(void)
{
    static fixture f;
    begin(&f);
    spawn(&f, 40, 3);
    own_movers(&f);
    mica_iter it;
    mica_iter_begin(f.world, f.movers, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(14, it.count);
    const Place *p = mica_read(&it, 0);
    const Speed *s = mica_read(&it, 1);
    for (uint32_t i = 0; i < it.count; i++) {
        CHECK_POINTER(mica_get(f.world, it.entities[i], f.place), &p[i]);
        CHECK_POINTER(mica_get(f.world, it.entities[i], f.speed), &s[i]);
        CHECK_POINTER(mica_read_row(&it, 1, i), &s[i]);
    }
    CHECK(!mica_iter_next(&it));
    end(&f);
}

static void a_group_can_be_made_before_the_data(void)
{
    static fixture f;
    begin(&f);
    mica_group group = own_movers(&f);
    CHECK_EQUAL(0, mica_group_count(f.world, group));
    CHECK_EQUAL(0, walk(&f).segments);
    spawn(&f, 300, 3);
    CHECK_EQUAL(100, mica_group_count(f.world, group));
    walked all = walk(&f);
    CHECK_EQUAL(100, all.rows);
    CHECK_EQUAL(1, all.segments);
    end(&f);
}

// S2.3: enter and leave.
static void entities_enter_and_leave_as_components_come_and_go(void)
{
    static fixture f;
    begin(&f);
    spawn(&f, 10, 1);
    mica_group group = own_movers(&f);
    mica_remove(f.world, f.entities[0], f.speed);
    CHECK_EQUAL(9, mica_group_count(f.world, group));
    mica_remove(f.world, f.entities[0], f.place);
    CHECK_EQUAL(9, walk(&f).rows);
    mica_remove(f.world, f.entities[5], f.place);
    CHECK_EQUAL(8, mica_group_count(f.world, group));
    mica_despawn(f.world, f.entities[7]);
    CHECK_EQUAL(7, walk(&f).rows);
    mica_set(f.world, f.entities[5], MICA_VALUE(f.place, Place, 5, 5));
    CHECK_EQUAL(8, walk(&f).rows);
    mica_set(f.world, f.entities[0], MICA_VALUE(f.place, Place, 1, 1),
             MICA_VALUE(f.speed, Speed, 1, 0, 0));
    CHECK_EQUAL(9, walk(&f).rows);
    mica_change(f.world, f.entities[0], &MICA_VALUE(f.speed, Speed, 2, 0, 0), 1, &f.place, 1);
    CHECK_EQUAL(8, walk(&f).rows);
    CHECK_EQUAL(1, walk(&f).segments);
    mica_world_clear(f.world);
    CHECK_EQUAL(0, mica_group_count(f.world, group));
    CHECK_EQUAL(0, walk(&f).rows);
    spawn(&f, 5, 1);
    CHECK_EQUAL(5, walk(&f).rows);
    end(&f);
}

static void a_value_can_be_given_from_one_that_the_group_moves(void)
{
    static fixture f;
    begin(&f);
    spawn(&f, 8, 1);
    own_movers(&f);
    mica_entity e = mica_spawn(f.world, MICA_VALUE(f.speed, Speed, 100, 0, 0));
    for (uint32_t i = 0; i < 3; i++) { // a stranger in front of those who join
        mica_spawn(f.world, MICA_VALUE(f.place, Place, 50, 50));
    }
    const Place *first = mica_get(f.world, f.entities[3], f.place);
    mica_set_value(f.world, e, f.place, first, sizeof *first);
    CHECK_EQUAL(3, ((const Place *)mica_get(f.world, e, f.place))->x);
    CHECK_EQUAL(3, ((const Place *)mica_get(f.world, f.entities[3], f.place))->x);
    CHECK_EQUAL(0, mica_world_validate(f.world));
    end(&f);
}

static void what_a_group_forbids_keeps_entities_out(void)
{
    static fixture f;
    begin(&f);
    spawn(&f, 20, 1);
    for (int32_t i = 0; i < 20; i += 2) {
        mica_add(f.world, f.entities[i], f.asleep);
    }
    mica_group group = mica_group_new(
        f.world, &(mica_group_desc){.owned = {f.place, f.speed}, .without = {f.asleep}});
    mica_query awake =
        mica_query_new(f.world, &(mica_query_desc){.terms = {{f.speed, MICA_READ},
                                                             {f.place, MICA_READ},
                                                             {f.asleep, MICA_WITHOUT}}});
    CHECK_EQUAL(10, mica_group_count(f.world, group));
    mica_remove(f.world, f.entities[0], f.asleep);
    mica_add(f.world, f.entities[1], f.asleep);
    mica_add(f.world, f.entities[3], f.asleep);
    CHECK_EQUAL(9, mica_group_count(f.world, group));
    CHECK_EQUAL(9, mica_query_count(f.world, awake));
    CHECK_EQUAL(20, walk(&f).rows); // which the group does not serve
    mica_iter it;
    mica_iter_begin(f.world, awake, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(9, it.count);
    mica_iter_end(&it);
    // One that ends with what it forbids is not taken in on the way.
    uint64_t digest = mica_world_digest(f.world);
    mica_entity e = mica_spawn(f.world, MICA_ADD(f.place), MICA_ADD(f.speed), MICA_ADD(f.asleep));
    mica_despawn(f.world, e);
    CHECK(digest != mica_world_digest(f.world));
    CHECK_EQUAL(9, mica_group_count(f.world, group));
    CHECK_EQUAL(0, mica_world_validate(f.world));
    end(&f);
}

// S2.4
static void a_group_may_own_some_and_need_others(void)
{
    static fixture f;
    begin(&f);
    spawn(&f, MANY, 1);
    for (int32_t i = MANY; i-- > 0;) {
        mica_set(f.world, f.entities[i], MICA_VALUE(f.mass, Mass, i));
        *(int64_t *)mica_get_mut(f.world, f.entities[i], f.mass) = i;
        mica_set_value(f.world, f.entities[i], f.rock, &(int64_t){i}, 8);
    }
    mica_group group =
        mica_group_new(f.world, &(mica_group_desc){.owned = {f.place}, .also = {f.mass, f.rock}});
    CHECK_EQUAL(MANY, mica_group_count(f.world, group));
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
    end(&f);
}

static int by_x_down(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    const Place *x = a->value;
    const Place *y = b->value;
    ++*(uint32_t *)user;
    return (x->x < y->x) - (x->x > y->x);
}

// S2.4: an order of its own.
static void a_group_that_owns_nothing_has_an_order_of_its_own(void)
{
    static fixture f;
    begin(&f);
    spawn(&f, 600, 2);
    mica_group group =
        mica_group_new(f.world, &(mica_group_desc){.also = {f.place, f.speed}, .name = "list"});
    CHECK_EQUAL(300, mica_group_count(f.world, group));
    const void *first = mica_get(f.world, f.entities[0], f.place);
    uint32_t calls = 0;
    CHECK_EQUAL(0, mica_group_sort(f.world, group, f.place, by_x_down, &calls));
    CHECK_POINTER(first, mica_get(f.world, f.entities[0], f.place));
    walked all = walk(&f);
    CHECK_EQUAL(300, all.rows);
    for (int32_t i = 0; i < 300; i++) {
        CHECK_EQUAL(598 - 2 * i, all.xs[i]);
    }
    mica_remove(f.world, f.entities[598], f.speed);
    mica_remove(f.world, f.entities[0], f.place);
    CHECK_EQUAL(298, walk(&f).rows);
    CHECK_EQUAL(298, mica_group_count(f.world, group));
    mica_set(f.world, f.entities[1], MICA_VALUE(f.speed, Speed, 1, 0, 0));
    CHECK_EQUAL(1, walk(&f).xs[298]);
    mica_world_clear(f.world);
    CHECK_EQUAL(0, mica_world_reclaim(f.world));
    CHECK_EQUAL(0, mica_world_validate(f.world));
    spawn(&f, 100, 1);
    CHECK_EQUAL(100, walk(&f).rows);
    for (int32_t i = 0; i < 100; i += 3) {
        mica_despawn(f.world, f.entities[i]);
    }
    CHECK_EQUAL(0, mica_world_reclaim(f.world));
    CHECK_EQUAL(66, walk(&f).rows);
    spawn(&f, 50, 1);
    CHECK_EQUAL(116, walk(&f).rows);
    end(&f);
}

static void a_pool_can_be_in_many_groups_of_which_one_owns_it(void)
{
    static fixture f;
    begin(&f);
    mica_group a = own_movers(&f);
    mica_group b =
        mica_group_new(f.world, &(mica_group_desc){.owned = {f.mass}, .also = {f.place}});
    mica_group c = mica_group_new(
        f.world, &(mica_group_desc){.also = {f.mass, f.speed}, .without = {f.asleep}});
    spawn(&f, 60, 2);
    for (int32_t i = 0; i < 60; i += 3) {
        mica_set(f.world, f.entities[i], MICA_VALUE(f.mass, Mass, i));
        mica_set_value(f.world, f.entities[i], f.asleep, NULL, 0);
    }
    for (int32_t i = 0; i < 60; i += 12) {
        mica_remove(f.world, f.entities[i], f.asleep);
    }
    CHECK_EQUAL(30, mica_group_count(f.world, a));
    CHECK_EQUAL(20, mica_group_count(f.world, b));
    CHECK_EQUAL(5, mica_group_count(f.world, c));
    CHECK_EQUAL(30, walk(&f).rows);
    CHECK_EQUAL(0, mica_group_free(f.world, a));
    CHECK_EQUAL(30, walk(&f).rows);
    CHECK_EQUAL(0, mica_world_validate(f.world));
    mica_group d = mica_group_new(f.world, &(mica_group_desc){.owned = {f.place, f.speed}});
    CHECK_EQUAL(30, mica_group_count(f.world, d));
    CHECK_EQUAL(0, mica_group_count(f.world, a));
    CHECK_ERROR(&f.t, MICA_ERROR_GROUP,
                "mica_group_count: the group is freed, or of another world");
    end(&f);
}

// A query that asks for more than a group is driven by it all the same.
static void a_query_may_ask_for_more_than_its_group(void)
{
    static fixture f;
    begin(&f);
    spawn(&f, 400, 1);
    mica_type u = f.table;
    for (int32_t i = 0; i < 400; i++) {
        if (i % 2 == 0) {
            mica_set_value(f.world, f.entities[i], u, &i, sizeof i);
        }
        if (i % 5 == 0) {
            mica_set(f.world, f.entities[i], MICA_VALUE(f.mass, Mass, i));
        }
    }
    own_movers(&f);
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
    end(&f);
}

// Everything that makes, changes or ends several at once.
static void changes_of_many_keep_groups(void)
{
    for (uint32_t restless = 0; restless < 2; restless++) {
        static fixture f;
        mica_world *w = begin_as(&f, restless == 1);
        mica_group owning = own_movers(&f);
        mica_group list =
            mica_group_new(w, &(mica_group_desc){.also = {f.speed, f.rock}, .without = {f.asleep}});
        mica_bundle bundle =
            mica_bundle_new(w, (mica_type[]){f.place, f.table, f.speed, f.rock}, 4);
        Place places[50];
        Speed speeds[50];
        for (int32_t i = 0; i < 50; i++) {
            places[i] = (Place){i, i};
            speeds[i] = (Speed){i, 0, 0};
        }
        const mica_value arrays[] = {MICA_FROM_ARRAY(f.place, places), MICA_ADD(f.table),
                                     MICA_FROM_ARRAY(f.speed, speeds), MICA_ADD(f.rock)};
        CHECK_EQUAL(0, mica_spawn_many(w, bundle, 50, arrays, 4, f.entities));
        CHECK_EQUAL(50, walk(&f).rows);
        CHECK_EQUAL(50, mica_group_count(w, list));
        mica_bundle quick = mica_bundle_new(w, (mica_type[]){f.speed, f.place}, 2);
        for (int32_t i = 50; i < 60; i++) {
            const Place p = {i, i};
            const Speed s = {i, 0, 0};
            const mica_value values[] = {MICA_FROM(f.speed, s), MICA_FROM(f.place, p)};
            mica_spawn_bundle(w, quick, values, 2);
        }
        CHECK_EQUAL(60, walk(&f).rows);
        mica_entity clone = mica_clone(w, f.entities[7]);
        CHECK_EQUAL(61, walk(&f).rows);
        CHECK_EQUAL(51, mica_group_count(w, list));
        mica_query rocks = mica_query_new(w, &(mica_query_desc){.terms = {{f.rock, MICA_WITH}}});
        CHECK_EQUAL(0, mica_add_all(w, rocks, f.asleep, NULL));
        CHECK_EQUAL(0, mica_group_count(w, list));
        CHECK_EQUAL(0, mica_world_validate(w));
        CHECK_EQUAL(0, mica_remove_all(w, rocks, f.speed, NULL));
        CHECK_EQUAL(10, walk(&f).rows);
        CHECK_EQUAL(0, mica_remove_all(w, rocks, f.asleep, NULL));
        CHECK_EQUAL(0, mica_set_all(w, rocks, f.speed, &(Speed){0}, sizeof(Speed), NULL));
        CHECK_EQUAL(0, mica_set_all(w, rocks, f.place, &(Place){0}, sizeof(Place), NULL));
        CHECK_EQUAL(61, walk(&f).rows);
        CHECK_EQUAL(51, mica_group_count(w, list));
        mica_despawn(w, clone);
        CHECK_EQUAL(0, mica_despawn_many(w, f.entities, 20));
        CHECK_EQUAL(40, walk(&f).rows);
        CHECK_EQUAL(40, mica_group_count(w, owning));
        CHECK_EQUAL(0, mica_despawn_all(w, rocks, NULL));
        CHECK_EQUAL(10, walk(&f).rows);
        CHECK_EQUAL(0, mica_group_count(w, list));
        CHECK_EQUAL(0, mica_world_reclaim(w));
        CHECK_EQUAL(10, walk(&f).rows);
        end(&f);
    }
}

static void mistakes_name_both_parties(void)
{
    static fixture f;
    mica_world *w = begin(&f);
    mica_group group = own_movers(&f);
    mica_group_new(w, &(mica_group_desc){.owned = {f.mass, f.place}});
    CHECK_ERROR(&f.t, MICA_ERROR_OWNED,
                "mica_group_new: 'Place' is owned by group 'movers' already");
    mica_sort(w, f.place, by_x_down, NULL);
    CHECK_ERROR(&f.t, MICA_ERROR_OWNED,
                "mica_sort: 'Place' is owned by group 'movers'; mica_group_sort sorts that");
    mica_sort_like(w, f.speed, f.mass);
    CHECK_ERROR(&f.t, MICA_ERROR_OWNED,
                "mica_sort_like: 'Speed' is owned by group 'movers'; mica_group_sort sorts that");
    mica_group_sort_like(w, group, f.speed);
    CHECK_ERROR(&f.t, MICA_ERROR_OWNED,
                "mica_group_sort_like: 'Speed' is owned by group 'movers' itself");
    mica_group_sort(w, group, f.mass, by_x_down, NULL);
    CHECK_ERROR(
        &f.t, MICA_ERROR_ARGUMENT,
        "mica_group_sort: group 'movers' does not need 'Mass', so that it cannot be sorted by it");
    mica_group_new(w, &(mica_group_desc){.owned = {f.mass, f.rock}});
    CHECK_ERROR(
        &f.t, MICA_ERROR_ARGUMENT,
        "mica_group_new: values of 'Rock' are stable, and a group moves those it owns; list "
        "it in .also");
    mica_sort(w, f.rock, by_x_down, NULL);
    CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT,
                "mica_sort: values of 'Rock' are stable, and stay where they are");
    mica_group_new(w, &(mica_group_desc){.also = {f.mass, f.table}});
    CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT,
                "mica_group_new: 'Table' is kept in tables; groups are of sparse components");
    mica_sort(w, f.table, by_x_down, NULL);
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
    mica_group_new(w, &(mica_group_desc){.also = {f.mass, {0}, f.rock}});
    CHECK_ERROR(&f.t, MICA_ERROR_TYPE,
                "mica_group_new: also type 1: the component type is none; was it registered?");
    mica_group_new(w, &(mica_group_desc){.owned = {f.mass}, .also = {f.rock}, .name = "a\nb"});
    CHECK_ERROR(&f.t, MICA_ERROR_NAME, "mica_group_new: the name of the group is not printable");
    mica_group nameless =
        mica_group_new(w, &(mica_group_desc){.owned = {f.mass}, .also = {f.rock}});
    CHECK(!mica_group_is_none(nameless));
    mica_sort(w, f.mass, by_x_down, NULL);
    CHECK_ERROR(&f.t, MICA_ERROR_OWNED,
                "mica_sort: 'Mass' is owned by the group of 'Mass'; mica_group_sort sorts that");
    end(&f);
}

static void groups_and_orders_are_not_changed_during_iteration(void)
{
    static fixture f;
    mica_world *w = begin(&f);
    spawn(&f, 3, 1);
    mica_group group = own_movers(&f);
    mica_iter it;
    mica_iter_begin(w, f.movers, &it);
    mica_iter_next(&it);
    mica_group_new(w, &(mica_group_desc){.owned = {f.mass}, .also = {f.rock}});
    CHECK_EQUAL(MICA_ERROR_ITERATING, f.t.error.last.code);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_group_free(w, group));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_group_sort(w, group, f.place, by_x_down, NULL));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_group_sort_like(w, group, f.mass));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_sort(w, f.mass, by_x_down, NULL));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_sort_like(w, f.mass, f.place));
    CHECK_EQUAL(6, test_error_clear(&f.t.error));
    CHECK_EQUAL(3, mica_group_count(w, group));
    mica_iter_end(&it);
    end(&f);
}

// What no group knows of may flip while others are iterated; a group would move values.
static void tags_of_groups_do_not_flip_during_iteration(void)
{
    static fixture f;
    mica_world *w = begin(&f);
    spawn(&f, 20, 1);
    mica_type other = MICA_SPARSE_TAG(w, Other);
    mica_group group =
        mica_group_new(w, &(mica_group_desc){.owned = {f.place, f.speed}, .without = {f.asleep}});
    mica_iter it;
    mica_iter_begin(w, f.movers, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(0, mica_add(w, f.entities[3], other));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_add(w, f.entities[3], f.asleep));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_add_types(w, f.entities[4], &f.asleep, 1));
    CHECK_EQUAL(2, test_error_clear(&f.t.error));
    mica_iter_end(&it);
    CHECK_EQUAL(0, mica_add(w, f.entities[3], f.asleep));
    mica_iter_begin(w, f.movers, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_remove(w, f.entities[3], f.asleep));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    mica_iter_end(&it);
    CHECK_EQUAL(19, mica_group_count(w, group));
    end(&f);
}

// Sorting

static int by_parity(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    return (((const Place *)a->value)->x & 1) - (((const Place *)b->value)->x & 1);
}

static int by_slot_down(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    uint32_t x = mica_entity_slot(a->entity);
    uint32_t y = mica_entity_slot(b->entity);
    CHECK_POINTER(NULL, a->value);
    return (x < y) - (x > y);
}

// The x of all places, in the order of the pool.
static uint32_t list_places(fixture *f, int32_t *xs)
{
    mica_query all = mica_query_new(f->world, &(mica_query_desc){.terms = {{f->place, MICA_READ}}});
    uint32_t count = 0;
    mica_iter it;
    mica_iter_begin(f->world, all, &it);
    while (mica_iter_next(&it)) {
        const Place *p = mica_read(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK_POINTER(mica_get(f->world, it.entities[i], f->place), &p[i]);
            xs[count++] = p[i].x;
        }
    }
    mica_query_free(f->world, all);
    CHECK_EQUAL(0, mica_world_validate(f->world));
    return count;
}

// S2.5
static void sorting_a_pool_is_stable(void)
{
    static fixture f;
    mica_world *w = begin(&f);
    int32_t xs[MANY];
    CHECK_EQUAL(0, mica_sort(w, f.place, by_parity, NULL)); // nothing yet
    spawn(&f, 301, 1);
    CHECK_EQUAL(0, mica_sort(w, f.place, by_parity, NULL));
    CHECK_EQUAL(301, list_places(&f, xs));
    for (int32_t i = 0; i < 301; i++) {
        CHECK_EQUAL(i <= 150 ? 2 * i : 2 * (i - 151) + 1, xs[i]);
    }
    uint32_t calls = 0;
    CHECK_EQUAL(0, mica_sort(w, f.place, by_x_down, &calls));
    CHECK_EQUAL(301, list_places(&f, xs));
    for (int32_t i = 0; i < 301; i++) {
        CHECK_EQUAL(300 - i, xs[i]);
    }
    calls = 0;
    CHECK_EQUAL(0, mica_sort(w, f.place, by_x_down, &calls));
    CHECK(calls < 2 * 301); // it was in order
    for (int32_t i = 0; i < 301; i++) {
        CHECK_EQUAL(i, ((const Place *)mica_get(w, f.entities[i], f.place))->x);
    }
    end(&f);
}

static void tags_are_sorted_by_entity(void)
{
    static fixture f;
    mica_world *w = begin(&f);
    spawn(&f, 30, 1);
    for (int32_t i = 0; i < 30; i++) {
        mica_add(w, f.entities[(i * 7) % 30], f.asleep);
    }
    CHECK_EQUAL(0, mica_sort(w, f.asleep, by_slot_down, NULL));
    mica_query all = mica_query_new(w, &(mica_query_desc){.terms = {{f.asleep, MICA_WITH}}});
    mica_iter it;
    mica_iter_begin(w, all, &it);
    REQUIRE(mica_iter_next(&it));
    for (uint32_t i = 1; i < it.count; i++) {
        CHECK(mica_entity_slot(it.entities[i]) < mica_entity_slot(it.entities[i - 1]));
    }
    mica_iter_end(&it);
    end(&f);
}

static void a_pool_takes_the_order_of_another(void)
{
    static fixture f;
    mica_world *w = begin(&f);
    spawn(&f, 20, 1);
    int32_t xs[MANY];
    for (int32_t i = 0; i < 20; i += 3) {
        mica_set(w, f.entities[18 - i], MICA_VALUE(f.mass, Mass, i));
    }
    mica_spawn(w, MICA_ADD(f.mass));
    CHECK_EQUAL(0, mica_sort_like(w, f.place, f.mass));
    CHECK_EQUAL(20, list_places(&f, xs));
    int32_t at = 0;
    for (int32_t i = 18; i >= 0; i -= 3) {
        CHECK_EQUAL(i, xs[at++]);
    }
    for (int32_t i = 0; i < 20; i++) {
        if (i % 3 != 0) {
            CHECK_EQUAL(i, xs[at++]);
        }
    }
    CHECK_EQUAL(0, mica_sort_like(w, f.place, f.asleep)); // nobody has it
    CHECK_EQUAL(0, mica_sort_like(w, f.place, f.place));
    CHECK_EQUAL(20, list_places(&f, xs));
    CHECK_EQUAL(18, xs[0]);
    end(&f);
}

// S2.5: group order stays aligned.
static void sorting_a_group_sorts_all_it_owns(void)
{
    static fixture f;
    mica_world *w = begin(&f);
    spawn(&f, 500, 2);
    for (int32_t i = 0; i < 500; i += 10) {
        mica_set(w, f.entities[i], MICA_VALUE(f.mass, Mass, i));
    }
    mica_group group = own_movers(&f);
    uint32_t calls = 0;
    CHECK_EQUAL(0, mica_group_sort(w, group, f.place, by_x_down, &calls));
    walked all = walk(&f);
    CHECK_EQUAL(1, all.segments);
    for (int32_t i = 0; i < 250; i++) {
        CHECK_EQUAL(498 - 2 * i, all.xs[i]);
    }
    CHECK_EQUAL(0, mica_group_sort_like(w, group, f.mass));
    all = walk(&f);
    for (int32_t i = 0; i < 50; i++) {
        CHECK_EQUAL(10 * i, all.xs[i]);
    }
    CHECK_EQUAL(498, all.xs[50]);
    // The others of a pool stay behind, where they were.
    int32_t xs[MANY];
    CHECK_EQUAL(500, list_places(&f, xs));
    for (int32_t i = 250; i < 500; i++) {
        CHECK(xs[i] % 2 == 1);
    }
    end(&f);
}

static void order_is_state(void)
{
    static fixture f;
    mica_world *w = begin(&f);
    spawn(&f, 30, 1);
    mica_group list = mica_group_new(w, &(mica_group_desc){.also = {f.place, f.speed}});
    uint64_t hash = mica_world_hash(w);
    uint64_t digest = mica_world_digest(w);
    uint32_t calls = 0;
    mica_group_sort(w, list, f.place, by_x_down, &calls);
    CHECK(digest != mica_world_digest(w));
    CHECK_EQUAL(hash, mica_world_hash(w));
    digest = mica_world_digest(w);
    mica_sort(w, f.place, by_x_down, &calls);
    CHECK(digest != mica_world_digest(w));
    CHECK_EQUAL(hash, mica_world_hash(w));
    end(&f);
}

typedef struct meddler {
    fixture *f;
    mica_iter it;
    uint32_t way;
    mica_result result;
} meddler;

static int meddle(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    meddler *m = user;
    if (m->way == 0) {
        m->result = mica_add(m->f->world, a->entity, m->f->asleep);
    } else if (m->way == 1 && !m->it.walk) {
        m->result = mica_iter_begin(m->f->world, m->f->movers, &m->it);
    } else if (m->way == 2) {
        m->result = mica_world_validate(m->f->world);
    }
    const Place *x = mica_get(m->f->world, a->entity, m->f->place);
    CHECK_POINTER(a->value, x);
    return ((const Place *)b->value)->x - x->x;
}

static void a_comparison_looks_and_does_not_change(void)
{
    static fixture f;
    mica_world *w = begin(&f);
    spawn(&f, 5, 1);
    meddler m = {.f = &f};
    fflush(stderr);
    CHECK_EQUAL(0, mica_sort(w, f.place, meddle, &m));
    CHECK_EQUAL(MICA_ERROR_HANDLER, m.result);
    CHECK_EQUAL(0, mica_world_validate(w));
    m = (meddler){.f = &f, .way = 2, .result = MICA_ERROR_NULL};
    CHECK_EQUAL(0, mica_sort(w, f.place, meddle, &m));
    CHECK_EQUAL(0, m.result);
    // One that leaves an iteration open has kept the world from being sorted.
    uint64_t digest = mica_world_digest(w);
    m = (meddler){.f = &f, .way = 1};
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_sort(w, f.place, meddle, &m));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    mica_iter_end(&m.it);
    CHECK_EQUAL(digest, mica_world_digest(w));
    end(&f);
}

static int nonsense(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)a;
    (void)b;
    uint32_t *state = user;
    *state = *state * 1664525u + 1013904223u;
    return (int)(*state >> 16 & 3) - 1;
}

static void a_comparison_that_contradicts_itself_gives_some_order(void)
{
    static fixture f;
    mica_world *w = begin(&f);
    spawn(&f, MANY, 1);
    mica_group group = own_movers(&f);
    uint32_t state = 7;
    CHECK_EQUAL(0, mica_group_sort(w, group, f.speed, nonsense, &state));
    CHECK_EQUAL(MANY, walk(&f).rows);
    end(&f);
}

// Values with hooks

static int by_number(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    int64_t x = ((const tracked *)a->value)->number;
    int64_t y = ((const tracked *)b->value)->number;
    return (x > y) - (x < y);
}

static void values_with_hooks_are_moved_by_them(void)
{
    for (uint32_t moved = 0; moved < 2; moved++) {
        static fixture f;
        static tracker t;
        tracker_begin(&t);
        mica_world *w = begin(&f);
        mica_type_desc desc = tracked_desc(&t, "Tracked", moved == 1);
        desc.storage = MICA_SPARSE;
        mica_type type = mica_type_register(w, &desc);
        mica_type_desc twin = tracked_desc(&t, "Twin", moved == 1);
        twin.storage = MICA_SPARSE;
        mica_type other = mica_type_register(w, &twin);
        spawn(&f, 60, 1);
        mica_group group =
            mica_group_new(w, &(mica_group_desc){.owned = {type, other}, .also = {f.place}});
        for (int32_t i = 0; i < 60; i++) {
            mica_add(w, f.entities[(i * 7) % 60], type);
            if (i % 2 == 0) {
                mica_add(w, f.entities[(i * 11) % 60], other);
            }
        }
        for (int32_t i = 0; i < 60; i++) {
            tracked *value = mica_get_mut(w, f.entities[i], type);
            value->number = (i * 13) % 60;
        }
        CHECK_EQUAL(30, mica_group_count(w, group));
        CHECK_TRACKED(&t, 90);
        CHECK_EQUAL(0, mica_group_sort(w, group, type, by_number, NULL));
        mica_remove(w, f.entities[0], type);
        mica_remove(w, f.entities[2], other);
        mica_despawn(w, f.entities[4]);
        for (int32_t i = 1; i < 60; i++) {
            CHECK(i == 4 || tracked_is(&t, mica_get(w, f.entities[i], type), (i * 13) % 60));
        }
        CHECK_EQUAL(0, mica_world_validate(w));
        CHECK_EQUAL(0, mica_group_free(w, group));
        CHECK_EQUAL(0, mica_sort(w, type, by_number, NULL));
        CHECK_EQUAL(0, mica_world_validate(w));
        CHECK_EQUAL(0, t.errors);
        end(&f);
        CHECK_TRACKED(&t, 0);
    }
}

// Out of memory

typedef bool step(fixture *f, mica_group *group);

static bool make_owning(fixture *f, mica_group *group)
{
    *group = mica_group_new(f->world, &(mica_group_desc){.owned = {f->place, f->speed},
                                                         .without = {f->asleep},
                                                         .name = "owning"});
    return !mica_group_is_none(*group);
}

static bool make_list(fixture *f, mica_group *group)
{
    *group =
        mica_group_new(f->world, &(mica_group_desc){.also = {f->rock, f->place}, .name = "list"});
    return !mica_group_is_none(*group);
}

static bool join(fixture *f, mica_group *group)
{
    (void)group;
    return !mica_set_value(f->world, f->entities[90], f->rock, &(int64_t){1}, 8);
}

static bool spawn_one(fixture *f, mica_group *group)
{
    (void)group;
    return !mica_entity_is_none(mica_spawn(f->world, MICA_ADD(f->rock), MICA_ADD(f->place)));
}

static bool sort_list(fixture *f, mica_group *group)
{
    uint32_t calls = 0;
    return !mica_group_sort(f->world, *group, f->place, by_x_down, &calls);
}

static bool sort_pool(fixture *f, mica_group *group)
{
    (void)group;
    return !mica_sort_like(f->world, f->speed, f->place);
}

static bool give_back(fixture *f, mica_group *group)
{
    (void)group;
    return !mica_world_reclaim(f->world);
}

static uint64_t fingerprint(fixture *f, mica_group group)
{
    uint64_t count = mica_group_is_none(group) ? 0 : mica_group_count(f->world, group);
    return mica_world_digest(f->world) + count;
}

static void refused_memory_leaves_everything_as_it_was(void)
{
    static step *const steps[] = {make_list, join,      spawn_one,  sort_list,
                                  sort_pool, give_back, make_owning};
    for (uint32_t onwards = 0; onwards < 2; onwards++) {
        static fixture f;
        begin(&f);
        spawn(&f, 91, 1);
        for (int32_t i = 0; i < 64; i++) {
            mica_set_value(f.world, f.entities[i], f.rock, &(int64_t){i}, 8);
        }
        mica_group group = mica_group_none();
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
        end(&f);
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
static uint32_t check_query(fixture *f, mica_query query, const mica_type *types)
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
        static fixture f;
        mica_world *w = begin(&f);
        uint32_t state = seed * 7919;
        static model m;
        memset(&m, 0, sizeof m);
        const mica_type types[KINDS] = {f.place, f.speed, f.mass, f.rock, f.asleep};
        mica_group a = mica_group_none();
        mica_group b = mica_group_none();
        mica_group c = mica_group_none();
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
                if (mica_group_is_none(a)) {
                    a = mica_group_new(
                        w, &(mica_group_desc){.owned = {f.place, f.speed}, .without = {f.asleep}});
                } else if (k == 0) {
                    mica_group_free(w, a);
                    a = mica_group_none();
                }
                break;
            case 2:
                if (mica_group_is_none(b)) {
                    b = mica_group_new(w, &(mica_group_desc){.owned = {f.mass}, .also = {f.rock}});
                } else if (k == 0) {
                    mica_group_free(w, b);
                    b = mica_group_none();
                }
                break;
            case 3:
                if (mica_group_is_none(c)) {
                    c = mica_group_new(w, &(mica_group_desc){.also = {f.rock, f.speed, f.place}});
                } else if (k == 0) {
                    mica_group_free(w, c);
                    c = mica_group_none();
                }
                break;
            case 4:
                if (!mica_group_is_none(a)) {
                    uint32_t calls = 0;
                    mica_group_sort(w, a, f.place, by_x_down, &calls);
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
                    f.entities[i] = mica_spawn_empty(w);
                    m.alive[i] = true;
                }
                int32_t values[3] = {(int32_t)i, (int32_t)i, (int32_t)i};
                static const uint32_t sizes[KINDS] = {8, 12, 8, 8, 0};
                mica_set_value(w, f.entities[i], types[k], sizes[k] ? values : NULL, sizes[k]);
                m.has[i][k] = true;
            }
            REQUIRE_EQUAL(0, mica_world_validate(w));
            if (!mica_group_is_none(a)) {
                CHECK_EQUAL(count_model(&m, 3, 16), mica_group_count(w, a));
            }
            if (!mica_group_is_none(b)) {
                CHECK_EQUAL(count_model(&m, 12, 0), mica_group_count(w, b));
            }
            if (!mica_group_is_none(c)) {
                CHECK_EQUAL(count_model(&m, 11, 0), mica_group_count(w, c));
            }
            if (n % 16 == 0) {
                CHECK_EQUAL(count_model(&m, 3, 16), check_query(&f, awake, types));
                CHECK_EQUAL(count_model(&m, 3, 0), check_query(&f, f.movers, types));
            }
        }
        end(&f);
    }
}

// Groups of pools whose bits are in different words of presence.
static void groups_reach_across_words_of_presence(void)
{
    static fixture f;
    mica_world *w = begin(&f);
    mica_type last = mica_type_none();
    for (uint32_t i = 0; i < 70; i++) {
        char name[16];
        snprintf(name, sizeof name, "Tag%" PRIu32, i);
        last = mica_type_register(w, &(mica_type_desc){.name = name, .storage = MICA_SPARSE});
    }
    mica_group group = mica_group_new(w, &(mica_group_desc){.owned = {f.place, last}});
    spawn(&f, 50, 1);
    for (int32_t i = 0; i < 50; i += 5) {
        mica_add(w, f.entities[i], last);
    }
    CHECK_EQUAL(10, mica_group_count(w, group));
    mica_query query =
        mica_query_new(w, &(mica_query_desc){.terms = {{f.place, MICA_READ}, {last, MICA_WITH}}});
    mica_iter it;
    mica_iter_begin(w, query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(10, it.count);
    const Place *p = mica_read(&it, 0);
    for (uint32_t i = 0; i < it.count; i++) {
        CHECK_EQUAL(0, p[i].x % 5);
    }
    mica_iter_end(&it);
    end(&f);
}

static void a_pool_in_a_group_is_not_quick(void)
{
    static fixture f;
    mica_world *w = begin(&f);
    const micai_pools *pools = &w->core->pools;
    spawn(&f, 1, 1);
    const micai_pool *pool = micai_pools_find(pools, f.place);
    CHECK(pool->quick && pool->plain);
    mica_group group = own_movers(&f);
    CHECK(!pool->quick && pool->plain && pool->owner);
    CHECK_EQUAL(0, mica_group_free(w, group));
    CHECK(pool->quick && !pool->owner);
    end(&f);
}

TESTS(group, none_is_no_group, a_query_of_what_a_group_owns_is_one_segment,
      values_of_a_group_lie_in_the_pools_themselves, a_group_can_be_made_before_the_data,
      entities_enter_and_leave_as_components_come_and_go,
      a_value_can_be_given_from_one_that_the_group_moves, what_a_group_forbids_keeps_entities_out,
      a_group_may_own_some_and_need_others, a_group_that_owns_nothing_has_an_order_of_its_own,
      a_pool_can_be_in_many_groups_of_which_one_owns_it, a_query_may_ask_for_more_than_its_group,
      changes_of_many_keep_groups, mistakes_name_both_parties,
      groups_and_orders_are_not_changed_during_iteration,
      tags_of_groups_do_not_flip_during_iteration, sorting_a_pool_is_stable,
      tags_are_sorted_by_entity, a_pool_takes_the_order_of_another,
      sorting_a_group_sorts_all_it_owns, order_is_state, a_comparison_looks_and_does_not_change,
      a_comparison_that_contradicts_itself_gives_some_order, values_with_hooks_are_moved_by_them,
      refused_memory_leaves_everything_as_it_was, groups_agree_with_a_model,
      groups_reach_across_words_of_presence, a_pool_in_a_group_is_not_quick)
