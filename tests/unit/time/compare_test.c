// What mica_snapshot_compare() reports is what two walks over the world find to differ.
#include <mica.h>

#include <stdlib.h>
#include <string.h>

#include "runner/test.h"
#include "runner/tier.h"
#include "unit/image/cast.h"

enum { ITEMS = 4000, ALIVE = -1, NAME = CAST_TYPES, SCORE = CAST_TYPES + 1 };

// An entity (ALIVE), one of its components, its name, or the resource.
typedef struct item {
    mica_entity entity;
    int what;
    bool off;
    uint64_t value; // a hash
} item;

typedef struct census {
    uint32_t count;
    item items[ITEMS];
} census;

static uint64_t hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ at[i]) * 1099511628211u;
    }
    return sum;
}

// Names come after all entities, and the resource last.
static int compare_items(const void *a, const void *b)
{
    const item *one = a;
    const item *other = b;
    uint64_t keys[2][2];
    for (int i = 0; i < 2; i++) {
        const item *it = i == 0 ? one : other;
        keys[i][0] = it->what >= NAME ? (uint64_t)it->what : 0;
        keys[i][1] = it->entity.bits << 32 | it->entity.bits >> 32;
    }
    for (int k = 0; k < 2; k++) {
        if (keys[0][k] != keys[1][k]) {
            return keys[0][k] < keys[1][k] ? -1 : 1;
        }
    }
    return one->what < other->what ? -1 : one->what > other->what;
}

static void add(census *all, item one)
{
    REQUIRE(all->count < ITEMS);
    all->items[all->count++] = one;
}

static uint64_t hash_value(const cast *c, int type, const void *value)
{
    if (!value) {
        return 0;
    }
    if (type == CAST_SHEET) { // without padding: what it was made from
        return hash(value, 1) ^ hash((const char *)value + offsetof(Sheet, u64), 8) ^
               hash((const char *)value + offsetof(Sheet, at), sizeof(Vec2));
    }
    return hash(value, mica_type_get_info(c->world, c->types[type])->size);
}

static void walk(cast *c, mica_query everything, census *all)
{
    mica_iter it;
    all->count = 0;
    mica_iter_begin(c->world, everything, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            mica_entity entity = it.entities[i];
            add(all, (item){entity, ALIVE, false, 0});
            for (int type = 0; type < CAST_TYPES; type++) {
                unsigned char value[sizeof(Sheet)];
                if (!mica_has(c->world, entity, c->types[type])) {
                    continue;
                }
                const mica_type_info *info = mica_type_get_info(c->world, c->types[type]);
                if (info->size > 0) {
                    mica_load(c->world, entity, c->types[type], value, info->size);
                }
                bool off = info->toggle && !mica_is_enabled(c->world, entity, c->types[type]);
                add(all,
                    (item){entity, type, off, info->size > 0 ? hash_value(c, type, value) : 0});
            }
            const char *name = mica_entity_name(c->world, entity);
            if (name) {
                add(all, (item){entity, NAME, false, hash(name, strlen(name))});
            }
        }
    }
    const Vec2 *score = mica_resource_get(c->world, c->score);
    if (score) {
        add(all, (item){{0}, SCORE, false, hash(score, sizeof *score)});
    }
    qsort(all->items, all->count, sizeof *all->items, compare_items);
}

// What is reported is checked against what is expected next.
typedef struct differ {
    cast *c;
    uint32_t expected_count;
    uint32_t reported;
    uint32_t kinds[MICA_STATE_RESOURCE + 1]; // that were reported, ever
    struct expected {
        mica_state_difference_kind kind;
        item before, after;
    } expected[2 * ITEMS];
} differ;

static void expect(differ *d, mica_state_difference_kind kind, const item *before,
                   const item *after)
{
    struct expected *one = &d->expected[d->expected_count++];
    one->kind = kind;
    one->before = before ? *before : *after;
    one->after = after ? *after : *before;
}

static void expect_one(differ *d, const item *before, const item *after)
{
    const item *one = before ? before : after;
    if (one->what == NAME || one->what == SCORE) {
        if (!before || !after || before->value != after->value) {
            expect(d, one->what == NAME ? MICA_STATE_NAME : MICA_STATE_RESOURCE, before, after);
        }
    } else if (one->what == ALIVE) {
        if (!before) {
            expect(d, MICA_STATE_SPAWNED, before, after);
        }
    } else if (!before || !after) {
        expect(d, before ? MICA_STATE_REMOVED : MICA_STATE_ADDED, before, after);
    } else {
        if (before->value != after->value) {
            expect(d, MICA_STATE_CHANGED, before, after);
        }
        if (before->off != after->off) {
            expect(d, MICA_STATE_TOGGLED, before, after);
        }
    }
}

static bool is_there(const census *all, mica_entity entity)
{
    item key = {entity, ALIVE, false, 0};
    return bsearch(&key, all->items, all->count, sizeof key, compare_items) != NULL;
}

static void expect_all(differ *d, const census *before, const census *after)
{
    const item *a = before->items;
    const item *b = after->items;
    d->expected_count = 0;
    while (a < before->items + before->count || b < after->items + after->count) {
        bool more_a = a < before->items + before->count;
        bool more_b = b < after->items + after->count;
        int order = !more_a ? 1 : !more_b ? -1 : compare_items(a, b);
        const item *one = order <= 0 ? a : b;
        expect_one(d, order <= 0 ? a : NULL, order >= 0 ? b : NULL);
        a += order <= 0;
        b += order >= 0;
        const item *next = order <= 0 ? a : b;
        const census *side = order <= 0 ? before : after;
        bool last = next == side->items + side->count || next->entity.bits != one->entity.bits ||
                    next->what == NAME;
        if (last && one->what < NAME && is_there(before, one->entity) &&
            !is_there(after, one->entity)) {
            item gone = {one->entity, ALIVE, false, 0};
            expect(d, MICA_STATE_DESPAWNED, &gone, NULL);
        }
    }
}

static bool check_difference(const mica_state_difference *difference)
{
    differ *d = difference->user;
    REQUIRE(d->reported < d->expected_count);
    const struct expected *one = &d->expected[d->reported++];
    CHECK_EQUAL(one->kind, difference->kind);
    d->kinds[difference->kind]++;
    CHECK_EQUAL(one->before.entity.bits, difference->entity.bits);
    if (one->before.what >= 0 && one->before.what < CAST_TYPES) {
        CHECK_EQUAL(d->c->types[one->before.what].bits, difference->type.bits);
        if (difference->before) {
            CHECK_EQUAL(one->before.value, hash_value(d->c, one->before.what, difference->before));
        }
        if (difference->after) {
            CHECK_EQUAL(one->after.value, hash_value(d->c, one->after.what, difference->after));
        }
    }
    return true;
}

static void check_pair(cast *c, differ *d, mica_snapshot from, mica_snapshot to,
                       const census *before, const census *after)
{
    uint64_t digest = mica_world_digest(c->world);
    expect_all(d, before, after);
    d->reported = 0;
    d->c = c;
    REQUIRE_EQUAL(MICA_OK, mica_snapshot_compare(c->world, from, to, check_difference, d));
    REQUIRE_EQUAL(d->expected_count, d->reported);
    REQUIRE_EQUAL(digest, mica_world_digest(c->world));
}

static void differences_are_those_of_two_walks(void)
{
    enum { KEPT = 5 };
    static census all[KEPT];
    static differ d;
    uint64_t seeds = test_tier_is_small() ? 20 : 400;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        cast c;
        uint64_t random = seed;
        cast_begin_hookless(&c, NULL);
        mica_query everything = mica_query_new(c.world, &(mica_query_desc){.everything = true});
        cast_play(&c, seed, 60);
        REQUIRE_EQUAL(MICA_OK, mica_time_begin(c.world, &(mica_time_desc){.redo = true}));
        mica_snapshot snapshots[KEPT];
        for (int i = 0; i < KEPT; i++) {
            cast_play(&c, cast_random(&random), (uint32_t)(cast_random(&random) % 40));
            walk(&c, everything, &all[i]);
            snapshots[i] = mica_snapshot_take(c.world);
        }
        for (int k = 0; k < 12; k++) {
            uint64_t from = cast_random(&random) % KEPT;
            uint64_t to = cast_random(&random) % KEPT;
            if (k % 4 == 3) {
                REQUIRE_EQUAL(MICA_OK, mica_snapshot_restore(c.world, snapshots[from]));
            }
            check_pair(&c, &d, snapshots[from], snapshots[to], &all[from], &all[to]);
        }
        cast_end(&c);
    }
    for (int kind = 0; kind <= MICA_STATE_RESOURCE; kind++) {
        CHECK(d.kinds[kind] > 10);
    }
}

TESTS(time_compare, differences_are_those_of_two_walks)
