// Queries with sparse terms over entities that came in the same order: what is one segment, and where it
// ends.
#include <string.h>

#include "unit/query/small.h"

enum { MANY = 600 };

// Rows of a pool lie side by side in a sheet, at least; in sheets of a few rows stretches are short.
enum { SHEET = 1 << MICA_VIEW_ROW_SHIFT, FITS = MANY <= SHEET };

// Are so many segments, of which the longest has so many rows, all that there may be of `rows` that came in order?
static bool is_in_order(uint32_t segments, uint32_t longest, uint32_t rows)
{
    return segments > 0 && segments <= (rows + SHEET - 1) / SHEET && longest <= rows &&
           longest >= (rows < SHEET ? rows : SHEET);
}

typedef struct line {
    small s;
    mica_world *world;
    mica_entity e[MANY];
    mica_query query;  // of both sparse types, written
    uint32_t segments; // met by the last walk
    uint32_t longest;
    uint32_t copied; // segments with values that do not lie where they are
} line;

// All have `loose`; `other` is for the test to give out.
static void line_begin(line *l)
{
    memset(l, 0, sizeof *l);
    l->world = small_begin(&l->s);
    for (int32_t i = 0; i < MANY; i++) {
        l->e[i] = mica_spawn(l->world, MICA_VALUE(l->s.loose, Num, i));
    }
    l->query = small_query(&l->s, (mica_term){l->s.loose, MICA_WRITE},
                           (mica_term){l->s.other, MICA_WRITE}, NO_TERM);
}

// Everybody in the query is met once, with his own values, which are changed; nobody else is.
static void line_walk(line *l)
{
    static bool seen[MANY];
    memset(seen, 0, sizeof seen);
    uint32_t met = 0;
    l->segments = l->longest = l->copied = 0;
    mica_iter it;
    mica_iter_begin(l->world, l->query, &it);
    while (mica_iter_next(&it)) {
        const void *at = mica_get(l->world, it.entities[0], l->s.loose);
        const void *other_at = mica_get(l->world, it.entities[0], l->s.other);
        Num *loose = mica_write(&it, 0);
        Num *other = mica_write(&it, 1);
        CHECK_EQUAL(MICA_OK, mica_world_validate(l->world));
        for (uint32_t i = 0; i < it.count; i++) {
            uint32_t who = (uint32_t)loose[i].n % 1000;
            REQUIRE(who < MANY && l->e[who].bits == it.entities[i].bits && !seen[who]);
            CHECK_EQUAL(loose[i].n, other[i].n);
            seen[who] = true;
            loose[i].n += 1000;
            other[i].n += 1000;
        }
        met += it.count;
        l->segments++;
        l->longest = it.count > l->longest ? it.count : l->longest;
        l->copied += at != loose || other_at != other;
    }
    CHECK_EQUAL(met, mica_query_count(l->world, l->query));
    for (uint32_t i = 0; i < MANY; i++) {
        CHECK(seen[i] ==
              (mica_has(l->world, l->e[i], l->s.other) && mica_has(l->world, l->e[i], l->s.loose)));
        CHECK(!seen[i] ||
              small_num(&l->s, l->e[i], l->s.loose) == small_num(&l->s, l->e[i], l->s.other));
    }
}

static void line_give(line *l, uint32_t i)
{
    small_put(&l->s, l->e[i], l->s.other, small_num(&l->s, l->e[i], l->s.loose));
}

// S2.2
static void who_came_in_the_same_order_is_one_segment(void)
{
    line l;
    line_begin(&l);
    for (uint32_t i = 0; i < MANY; i++) {
        line_give(&l, i);
    }
    for (int n = 0; n < 2; n++) {
        line_walk(&l);
        CHECK_EQUAL(0, l.copied);
        CHECK(is_in_order(l.segments, l.longest, MANY));
    }
    small_end(&l.s);
}

static void some_are_missing_every_now_and_then(void)
{
    static const uint32_t without[] = {2, 5, 17, 40, 97};
    for (uint32_t w = 0; w < sizeof without / sizeof without[0]; w++) {
        line l;
        line_begin(&l);
        for (uint32_t i = 0; i < MANY; i++) {
            if (i % without[w] != 0) {
                line_give(&l, i);
            }
        }
        line_walk(&l);
        line_walk(&l);
        CHECK(!FITS || without[w] < 40 || l.copied == 0);
        CHECK(!FITS || without[w] < 40 || l.segments <= MANY / without[w] + 1);
        small_end(&l.s);
    }
}

// All are in both, but some have changed places.
static void some_have_changed_places(void)
{
    line l;
    line_begin(&l);
    for (uint32_t i = 0; i < MANY; i += 2) {
        bool swapped = i % 60 == 0; // the first ones, too
        line_give(&l, swapped ? i + 1 : i);
        line_give(&l, swapped ? i : i + 1);
    }
    line_walk(&l);
    line_walk(&l);
    CHECK(!FITS || l.longest == 58); // and not as many as can be copied
    small_end(&l.s);
}

static void both_lack_some(void)
{
    line l;
    line_begin(&l);
    for (uint32_t i = 0; i < MANY; i++) {
        line_give(&l, i);
    }
    for (uint32_t i = MANY; i-- > 0;) { // the last takes the place of one that goes
        if (i % 61 == 7) {
            mica_remove(l.world, l.e[i], l.s.loose);
        }
        if (i % 83 == 11) {
            mica_remove(l.world, l.e[i], l.s.other);
        }
    }
    line_walk(&l);
    line_walk(&l);
    CHECK(l.segments > 1);
    CHECK(l.longest > 16);
    small_end(&l.s);
}

static void who_came_the_other_way_round_is_copied(void)
{
    line l;
    line_begin(&l);
    for (uint32_t i = MANY; i-- > 0;) {
        line_give(&l, i);
    }
    line_walk(&l);
    line_walk(&l);
    CHECK_EQUAL(l.segments, l.copied);
    small_end(&l.s);
}

// Behind the last in a pool there are the handles of those who were there.
static void who_has_gone_from_the_end_is_not_met(void)
{
    line l;
    line_begin(&l);
    for (uint32_t i = 0; i < MANY; i++) {
        line_give(&l, i);
    }
    for (uint32_t i = MANY; i-- > MANY - 100;) {
        mica_remove(l.world, l.e[i], l.s.other);
    }
    line_walk(&l);
    CHECK(is_in_order(l.segments, l.longest, MANY - 100));
    for (uint32_t i = MANY - 100; i-- > 0;) {
        mica_remove(l.world, l.e[i], l.s.other);
    }
    line_walk(&l);
    CHECK_EQUAL(0, l.segments);
    small_end(&l.s);
}

// Walks a query of `loose` and another type, in which everybody has the number of his place; returns how many
// were met.
static uint32_t meet_all(line *l, mica_query query)
{
    uint32_t met = 0;
    mica_iter it;
    mica_iter_begin(l->world, query, &it);
    while (mica_iter_next(&it)) {
        Num *loose = mica_write(&it, 0);
        const Num *other = mica_write(&it, 1);
        CHECK_EQUAL(MICA_OK, mica_world_validate(l->world));
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK_EQUAL(loose[i].n, other[i].n);
            CHECK_EQUAL(l->e[other[i].n].bits, it.entities[i].bits);
            loose[i].n += 1000;
        }
        met += it.count;
    }
    return met;
}

// Where a stable pool has holes, nobody is.
static void holes_are_nobody(void)
{
    line l;
    line_begin(&l);
    mica_query query = small_query(&l.s, (mica_term){l.s.loose, MICA_WRITE},
                                   (mica_term){l.s.stable, MICA_WRITE}, NO_TERM);
    for (int32_t i = 0; i < MANY; i++) {
        small_put(&l.s, l.e[i], l.s.stable, i);
    }
    for (uint32_t i = 0; i < MANY; i += 50) {
        mica_remove(l.world, l.e[i], l.s.stable);
    }
    CHECK_EQUAL(MANY - MANY / 50, meet_all(&l, query));
    CHECK_EQUAL(1599, small_num(&l.s, l.e[599], l.s.loose));
    small_end(&l.s);
}

// Columns beside: the table drives, and a stretch of it is one segment.
static void a_table_and_a_pool_in_the_same_order(void)
{
    line l;
    line_begin(&l);
    mica_query query = small_query(&l.s, (mica_term){l.s.loose, MICA_WRITE},
                                   (mica_term){l.s.column, MICA_WRITE}, NO_TERM);
    for (int32_t i = 0; i < MANY; i++) {
        small_put(&l.s, l.e[i], l.s.column, i);
    }
    for (uint32_t i = 100; i < MANY; i += 100) {
        mica_remove(l.world, l.e[i], l.s.loose);
    }
    CHECK_EQUAL(MANY - 5, meet_all(&l, query));
    CHECK_EQUAL(1599, small_num(&l.s, l.e[599], l.s.loose));
    small_end(&l.s);
}

// mica/toggle.h: who is disabled meanwhile, and has not come up yet, is not met.
static void who_is_disabled_meanwhile_is_not_met(void)
{
    line l;
    line_begin(&l);
    mica_type_desc desc = MICA_DESCRIBE(Num, n);
    desc.name = "switched";
    desc.storage = MICA_SPARSE;
    desc.toggle = true;
    mica_type switched = mica_type_register(l.world, &desc);
    mica_query query = small_query(&l.s, (mica_term){l.s.loose, MICA_READ},
                                   (mica_term){switched, MICA_WRITE}, NO_TERM);
    for (int32_t i = 0; i < MANY; i++) {
        if (i % 30 != 29) {
            small_put(&l.s, l.e[i], switched, i);
        }
    }
    mica_iter it;
    mica_iter_begin(l.world, query, &it);
    REQUIRE(mica_iter_next(&it));
    uint32_t first = it.count;
    REQUIRE(first < MANY - 100);
    uint32_t off = MANY - 41; // which has not come up yet
    mica_disable(l.world, l.e[off], switched);
    uint32_t met = first;
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK(it.entities[i].bits != l.e[off].bits);
        }
        met += it.count;
    }
    CHECK_EQUAL(MANY - MANY / 30 - 1, met);
    small_end(&l.s);
}

// Two pools agree, the third does not: nobody is missed, whatever is compared.
static void a_third_pool_has_its_own_order(void)
{
    for (int other_way = 0; other_way < 2; other_way++) {
        line l;
        line_begin(&l);
        mica_type third = small_register(l.world, "third", false);
        mica_query query =
            small_query(&l.s, (mica_term){l.s.loose, MICA_READ}, (mica_term){l.s.other, MICA_READ},
                        (mica_term){third, MICA_WRITE});
        for (uint32_t i = 0; i < MANY; i++) {
            line_give(&l, i);
        }
        for (uint32_t n = 0; n < MANY; n++) {
            uint32_t i = other_way ? MANY - 1 - n : n;
            small_put(&l.s, l.e[i], third, (int32_t)i);
            if (n % 40 == 39) { // somebody who is nowhere else
                mica_spawn(l.world, MICA_VALUE(third, Num, 0));
            }
        }
        uint32_t met = 0;
        mica_iter it;
        mica_iter_begin(l.world, query, &it);
        while (mica_iter_next(&it)) {
            const Num *loose = mica_read(&it, 0);
            const Num *other = mica_read(&it, 1);
            const Num *mine = mica_write(&it, 2);
            CHECK_EQUAL(MICA_OK, mica_world_validate(l.world));
            for (uint32_t i = 0; i < it.count; i++) {
                CHECK(loose[i].n == other[i].n && loose[i].n == mine[i].n);
                CHECK_EQUAL(l.e[mine[i].n].bits, it.entities[i].bits);
            }
            CHECK(other_way || it.count <= 40);
            met += it.count;
        }
        CHECK_EQUAL(MANY, met);
        CHECK_EQUAL(MANY, mica_query_count(l.world, query));
        CHECK(!MICA_IS_NONE(mica_query_first(l.world, query)));
        small_end(&l.s);
    }
}

// mica/change_detection.h: with row stamps, exactly those pass that changed; also if all of them were read before.
static void one_row_of_a_stretch_that_is_written_is_one_that_changed(void)
{
    for (int in_columns = 0; in_columns < 2; in_columns++) {
        line l;
        line_begin(&l);
        mica_type_desc desc = MICA_DESCRIBE(Num, n);
        desc.name = "stamped";
        desc.storage = in_columns ? MICA_TABLE : MICA_SPARSE;
        desc.row_stamps = true;
        mica_type stamped = mica_type_register(l.world, &desc);
        for (int32_t i = 0; i < MANY; i++) {
            small_put(&l.s, l.e[i], stamped, i);
        }
        mica_query query = small_query(&l.s, (mica_term){l.s.loose, MICA_READ},
                                       (mica_term){stamped, MICA_WRITE}, NO_TERM);
        mica_query changed =
            small_query(&l.s, (mica_term){stamped, MICA_READ | MICA_CHANGED}, NO_TERM, NO_TERM);
        mica_iter it;
        mica_iter_begin(l.world, changed, &it);
        while (mica_iter_next(&it)) {
        }
        CHECK_EQUAL(0, mica_query_count(l.world, changed));
        uint32_t written = 0;
        mica_iter_begin(l.world, query, &it);
        while (mica_iter_next(&it)) {
            const Num *values = mica_read(&it, 1);
            uint32_t row = it.count / 2;
            Num *one = mica_write_row(&it, 1, row);
            CHECK_POINTER(&values[row], one);
            one->n += 1000;
            CHECK_EQUAL(one->n, ((const Num *)mica_read(&it, 1))[row].n);
            CHECK_EQUAL(MICA_OK, mica_world_validate(l.world));
            written++;
        }
        CHECK_EQUAL(written, mica_query_count(l.world, changed));
        small_end(&l.s);
    }
}

TESTS(stretch, who_came_in_the_same_order_is_one_segment, some_are_missing_every_now_and_then,
      some_have_changed_places, both_lack_some, who_came_the_other_way_round_is_copied,
      who_has_gone_from_the_end_is_not_met, holes_are_nobody, a_table_and_a_pool_in_the_same_order,
      who_is_disabled_meanwhile_is_not_met, a_third_pool_has_its_own_order,
      one_row_of_a_stretch_that_is_written_is_one_that_changed)
