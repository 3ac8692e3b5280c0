// Sorting of sparse components and groups: S2.5.
#include <mica/group.h>

#include <stdio.h>

#include "unit/query/crew.h"
#include "unit/tracked.h"

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
static uint32_t list_places(crew *f, int32_t *xs)
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
    static crew f;
    mica_world *w = crew_begin(&f);
    int32_t xs[MANY];
    CHECK_EQUAL(0, mica_sort(w, f.place, by_parity, NULL)); // nothing yet
    crew_spawn(&f, 301, 1);
    CHECK_EQUAL(0, mica_sort(w, f.place, by_parity, NULL));
    CHECK_EQUAL(301, list_places(&f, xs));
    for (int32_t i = 0; i < 301; i++) {
        CHECK_EQUAL(i <= 150 ? 2 * i : 2 * (i - 151) + 1, xs[i]);
    }
    uint32_t calls = 0;
    CHECK_EQUAL(0, mica_sort(w, f.place, crew_by_x_down, &calls));
    CHECK_EQUAL(301, list_places(&f, xs));
    for (int32_t i = 0; i < 301; i++) {
        CHECK_EQUAL(300 - i, xs[i]);
    }
    calls = 0;
    CHECK_EQUAL(0, mica_sort(w, f.place, crew_by_x_down, &calls));
    CHECK(calls < 2 * 301); // it was in order
    for (int32_t i = 0; i < 301; i++) {
        CHECK_EQUAL(i, ((const Place *)mica_get(w, f.entities[i], f.place))->x);
    }
    crew_end(&f);
}

static void tags_are_sorted_by_entity(void)
{
    static crew f;
    mica_world *w = crew_begin(&f);
    crew_spawn(&f, 30, 1);
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
    crew_end(&f);
}

static void a_pool_takes_the_order_of_another(void)
{
    static crew f;
    mica_world *w = crew_begin(&f);
    crew_spawn(&f, 20, 1);
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
    crew_end(&f);
}

// S2.5: group order stays aligned.
static void sorting_a_group_sorts_all_it_owns(void)
{
    static crew f;
    mica_world *w = crew_begin(&f);
    crew_spawn(&f, 500, 2);
    for (int32_t i = 0; i < 500; i += 10) {
        mica_set(w, f.entities[i], MICA_VALUE(f.mass, Mass, i));
    }
    mica_group group = crew_own(&f);
    uint32_t calls = 0;
    CHECK_EQUAL(0, mica_group_sort(w, group, f.place, crew_by_x_down, &calls));
    crew_walked all = crew_walk(&f);
    CHECK(all.segments > 0 && all.segments <= crew_segments_max(250));
    for (int32_t i = 0; i < 250; i++) {
        CHECK_EQUAL(498 - 2 * i, all.xs[i]);
    }
    CHECK_EQUAL(0, mica_group_sort_like(w, group, f.mass));
    all = crew_walk(&f);
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
    crew_end(&f);
}

static void order_is_state(void)
{
    static crew f;
    mica_world *w = crew_begin(&f);
    crew_spawn(&f, 30, 1);
    mica_group list = mica_group_new(w, &(mica_group_desc){.required = {f.place, f.speed}});
    uint64_t hash = mica_world_hash(w);
    uint64_t digest = mica_world_digest(w);
    uint32_t calls = 0;
    mica_group_sort(w, list, f.place, crew_by_x_down, &calls);
    CHECK(digest != mica_world_digest(w));
    CHECK_EQUAL(hash, mica_world_hash(w));
    digest = mica_world_digest(w);
    mica_sort(w, f.place, crew_by_x_down, &calls);
    CHECK(digest != mica_world_digest(w));
    CHECK_EQUAL(hash, mica_world_hash(w));
    crew_end(&f);
}

typedef struct meddler {
    crew *f;
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
    static crew f;
    mica_world *w = crew_begin(&f);
    crew_spawn(&f, 5, 1);
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
    crew_end(&f);
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
    static crew f;
    mica_world *w = crew_begin(&f);
    crew_spawn(&f, MANY, 1);
    mica_group group = crew_own(&f);
    uint32_t state = 7;
    CHECK_EQUAL(0, mica_group_sort(w, group, f.speed, nonsense, &state));
    CHECK_EQUAL(MANY, crew_walk(&f).rows);
    crew_end(&f);
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
        static crew f;
        static tracker t;
        tracker_begin(&t);
        mica_world *w = crew_begin(&f);
        mica_type_desc desc = tracked_desc(&t, "Tracked", moved == 1);
        desc.storage = MICA_SPARSE;
        mica_type type = mica_type_register(w, &desc);
        mica_type_desc twin = tracked_desc(&t, "Twin", moved == 1);
        twin.storage = MICA_SPARSE;
        mica_type other = mica_type_register(w, &twin);
        crew_spawn(&f, 60, 1);
        mica_group group =
            mica_group_new(w, &(mica_group_desc){.owned = {type, other}, .required = {f.place}});
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
        CHECK_EQUAL(30, test_group_count(w, group));
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
        crew_end(&f);
        CHECK_TRACKED(&t, 0);
    }
}

TESTS(sort, sorting_a_pool_is_stable, tags_are_sorted_by_entity, a_pool_takes_the_order_of_another,
      sorting_a_group_sorts_all_it_owns, order_is_state, a_comparison_looks_and_does_not_change,
      a_comparison_that_contradicts_itself_gives_some_order, values_with_hooks_are_moved_by_them)
