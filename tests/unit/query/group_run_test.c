// Runs of pools: what is shown where it lies, with groups and without; and where something is disabled or changed. S2.4.
#include <mica/change_detection.h>
#include <mica/group.h>
#include <mica/toggle.h>

#include "unit/query/crew.h"

enum { ALONE, PARTLY, LISTED, KINDS };

// A group of places and speeds that owns the first, or nothing; or none.
static void make_group(crew *f, uint32_t kind)
{
    if (kind == PARTLY) {
        mica_group_new(f->world, &(mica_group_desc){.owned = {f->place}, .required = {f->speed}});
    } else if (kind == LISTED) {
        mica_group_new(f->world, &(mica_group_desc){.required = {f->place, f->speed}});
    }
}

// Do the values of a term lie where they are, in the present segment?
static bool lies(crew *f, const mica_iter *it, uint32_t term, mica_type type)
{
    const void *first = mica_get(f->world, it->entities[0], type);
    return mica_read(it, term) == first;
}

static void pools_in_the_same_order_are_shown_where_they_lie_with_any_group(void)
{
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        static crew f;
        crew_begin(&f);
        crew_spawn(&f, MANY, 1);
        make_group(&f, kind);
        mica_iter it;
        int32_t met = 0;
        uint32_t segments = 0;
        mica_iter_begin(f.world, f.movers, &it);
        for (; mica_iter_next(&it); segments++) {
            CHECK(lies(&f, &it, 0, f.place) && lies(&f, &it, 1, f.speed));
            CHECK_EQUAL(0, mica_world_validate(f.world));
            for (uint32_t i = 0; i < it.count; i++, met++) {
                CHECK_EQUAL(f.entities[met].bits, it.entities[i].bits);
            }
        }
        CHECK_EQUAL(MANY, met);
        CHECK(segments <= crew_segments_max(MANY));
        crew_end(&f);
    }
}

// Speeds are given in the other order, and to those who are reported.
static void give_speeds(crew *f, int32_t of)
{
    for (int32_t i = MANY; i-- > 0;) {
        if (i % of == 0) {
            mica_set(f->world, f->entities[i], MICA_VALUE(f->speed, Speed, i, 0, 0));
        }
    }
}

static void pools_in_other_orders_are_gathered_and_written_back_with_any_group(void)
{
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        static crew f;
        crew_begin(&f);
        crew_spawn(&f, MANY, MANY);
        make_group(&f, kind);
        give_speeds(&f, 3);
        crew_walked before = crew_walk(&f);
        CHECK_EQUAL(MANY / 3 + 1, before.rows);
        mica_iter it;
        mica_iter_begin(f.world, f.movers, &it);
        while (mica_iter_next(&it)) {
            Place *p = mica_write(&it, 0);
            for (uint32_t i = 0; i < it.count; i++) {
                p[i].y += 7;
            }
        }
        for (int32_t i = 0; i < MANY; i++) {
            const Place *p = mica_get(f.world, f.entities[i], f.place);
            CHECK_EQUAL(i + (i % 3 == 0 ? 7 : 0), p->y);
        }
        crew_end(&f);
    }
}

// What the group guarantees is not asked; what else the query needs is.
static void a_query_may_need_a_pool_beside_those_of_its_group(void)
{
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        static crew f;
        crew_begin(&f);
        crew_spawn(&f, MANY, MANY);
        make_group(&f, kind);
        give_speeds(&f, 1);
        for (int32_t i = 0; i < MANY; i += 2) {
            mica_set(f.world, f.entities[i], MICA_VALUE(f.mass, Mass, i));
        }
        mica_query query =
            mica_query_new(f.world, &(mica_query_desc){.terms = {{f.speed, MICA_READ},
                                                                 {f.mass, MICA_WRITE},
                                                                 {f.place, MICA_READ}}});
        uint32_t met = 0;
        mica_iter it;
        mica_iter_begin(f.world, query, &it);
        while (mica_iter_next(&it)) {
            const Speed *s = mica_read(&it, 0);
            Mass *m = mica_write(&it, 1);
            const Place *p = mica_read(&it, 2);
            CHECK_EQUAL(0, mica_world_validate(f.world));
            for (uint32_t i = 0; i < it.count; i++, met++) {
                CHECK(s[i].x == p[i].x && m[i].grams == p[i].x);
                m[i].grams = -1;
            }
        }
        CHECK_EQUAL(MANY / 2, met);
        CHECK_EQUAL(MANY / 2, mica_query_count(f.world, query));
        CHECK_EQUAL(-1, ((const Mass *)mica_get(f.world, f.entities[MANY - 2], f.mass))->grams);
        crew_end(&f);
    }
}

static void what_a_group_excludes_breaks_no_run(void)
{
    static crew f;
    crew_begin(&f);
    crew_spawn(&f, MANY, 1);
    for (int32_t i = 0; i < MANY / 2; i++) {
        mica_add(f.world, f.entities[2 * i], f.asleep);
    }
    mica_group_new(f.world, &(mica_group_desc){.owned = {f.place, f.speed}, .without = {f.asleep}});
    mica_query awake =
        mica_query_new(f.world, &(mica_query_desc){.terms = {{f.place, MICA_READ},
                                                             {f.asleep, MICA_WITHOUT},
                                                             {f.speed, MICA_READ}}});
    mica_iter it;
    uint32_t met = 0;
    uint32_t segments = 0;
    mica_iter_begin(f.world, awake, &it);
    for (; mica_iter_next(&it); segments++) {
        CHECK(lies(&f, &it, 0, f.place) && lies(&f, &it, 2, f.speed));
        met += it.count;
    }
    CHECK_EQUAL(MANY / 2, met);
    CHECK(segments <= crew_segments_max(MANY / 2));
    crew_end(&f);
}

static mica_type register_switched(mica_world *world, bool row_stamps)
{
    mica_type_desc desc = MICA_DESCRIBE(Mass, grams);
    desc.name = "Switched";
    desc.storage = MICA_SPARSE;
    desc.toggle = !row_stamps;
    desc.row_stamps = row_stamps;
    return mica_type_register(world, &desc);
}

// mica/toggle.h
static void one_disabled_value_of_a_pool_ends_a_run_and_another_follows(void)
{
    static crew f;
    crew_begin(&f);
    mica_type switched = register_switched(f.world, false);
    crew_spawn(&f, MANY, 1);
    for (int32_t i = 0; i < MANY; i++) {
        mica_set(f.world, f.entities[i], MICA_VALUE(switched, Mass, i));
    }
    mica_query query = mica_query_new(
        f.world, &(mica_query_desc){.terms = {{switched, MICA_WRITE}, {f.place, MICA_READ}}});
    mica_disable(f.world, f.entities[MANY / 2], switched);
    mica_iter it;
    int32_t met = 0;
    uint32_t segments = 0;
    uint32_t longest = 0;
    mica_iter_begin(f.world, query, &it);
    for (; mica_iter_next(&it); segments++) {
        const Place *p = mica_read(&it, 1);
        bool direct = lies(&f, &it, 0, switched) && lies(&f, &it, 1, f.place);
        longest = direct && it.count > longest ? it.count : longest;
        for (uint32_t i = 0; i < it.count; i++, met++) {
            met += met == MANY / 2;
            CHECK_EQUAL(met, p[i].x);
        }
    }
    CHECK_EQUAL(MANY, met);
    CHECK(MICA_VIEW_ROW_SHIFT < 5 || (segments <= 4 && longest == MANY / 2));
    CHECK_EQUAL(MANY - 1, mica_query_count(f.world, query));
    crew_end(&f);
}

// mica/change_detection.h
static void rows_of_a_pool_that_changed_are_met_and_no_others(void)
{
    static crew f;
    crew_begin(&f);
    mica_type stamped = register_switched(f.world, true);
    crew_spawn(&f, MANY, 1);
    for (int32_t i = 0; i < MANY; i++) {
        mica_set(f.world, f.entities[i], MICA_VALUE(stamped, Mass, i));
    }
    mica_query query = mica_query_new(
        f.world,
        &(mica_query_desc){.terms = {{stamped, MICA_READ | MICA_CHANGED}, {f.speed, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(f.world, query, &it);
    while (mica_iter_next(&it)) {
    }
    CHECK_EQUAL(0, mica_query_count(f.world, query));
    uint32_t written = 0;
    for (int32_t i = 0; i < MANY; i++) { // a long run, and some scattered ones
        if ((i >= 100 && i < 300) || i % 101 == 50) {
            ((Mass *)mica_get_mut(f.world, f.entities[i], stamped))->grams = -i;
            written++;
        }
    }
    CHECK_EQUAL(written, mica_query_count(f.world, query));
    uint32_t met = 0;
    mica_iter_begin(f.world, query, &it);
    while (mica_iter_next(&it)) {
        const Mass *m = mica_read(&it, 0);
        const Speed *s = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++, met++) {
            CHECK_EQUAL(-s[i].x, m[i].grams);
        }
    }
    CHECK_EQUAL(written, met);
    crew_end(&f);
}

TESTS(group_run, pools_in_the_same_order_are_shown_where_they_lie_with_any_group,
      pools_in_other_orders_are_gathered_and_written_back_with_any_group,
      a_query_may_need_a_pool_beside_those_of_its_group, what_a_group_excludes_breaks_no_run,
      one_disabled_value_of_a_pool_ends_a_run_and_another_follows,
      rows_of_a_pool_that_changed_are_met_and_no_others)
