// Z2, deltas: a world follows another one by deltas alone, exact or rounded. The other one is random, with every storage, toggles,
// groups, facets, names and resources. The one that follows may store its components differently.
#include <mica.h>

#include <math.h>
#include <string.h>

#include "runner/test.h"
#include "unit/time/rich.h"

enum { KEPT = 6, STEPS = 40 };

typedef struct pair {
    rich leader;
    rich follower;
    uint64_t random;
    mica_buffer delta;
    mica_snapshot kept[KEPT]; // of the leader, the oldest first
    uint32_t count;
    uint32_t at; // the state of the follower
    bool rounds;
} pair;

static uint32_t below(pair *p, uint32_t end)
{
    return (uint32_t)(cast_random(&p->random) % end);
}

// The owners have their facets in the same order.
static void check_facets(mica_world *a, mica_world *b)
{
    mica_entity owner = mica_entity_next(a, (mica_entity){0});
    for (; !MICA_IS_NONE(owner); owner = mica_entity_next(a, owner)) {
        mica_entity one = {0}, other = {0};
        do {
            one = mica_facet_next(a, owner, one);
            other = mica_facet_next(b, owner, other);
            REQUIRE_EQUAL(one.bits, other.bits);
        } while (!MICA_IS_NONE(one));
    }
}

// Entities have the same components, enabled and disabled, and the same names. Positions differ by rounding.
static void check_rounded(pair *p)
{
    mica_world *a = p->leader.c.world;
    mica_world *b = p->follower.c.world;
    REQUIRE_EQUAL(mica_entity_count(a), mica_entity_count(b));
    mica_entity entity = mica_entity_next(a, (mica_entity){0});
    for (; !MICA_IS_NONE(entity); entity = mica_entity_next(a, entity)) {
        for (int i = 0; i < RICH_TYPES; i++) {
            mica_type one = p->leader.types[i];
            mica_type other = p->follower.types[i];
            REQUIRE_EQUAL(mica_has(a, entity, one), mica_has(b, entity, other));
            REQUIRE_EQUAL(mica_is_enabled(a, entity, one), mica_is_enabled(b, entity, other));
        }
        Vec2 at, near;
        if (mica_load(a, entity, p->leader.types[CAST_POSITION], &at, sizeof at)) {
            REQUIRE(mica_load(b, entity, p->follower.types[CAST_POSITION], &near, sizeof near));
            REQUIRE(fabsf(at.x - near.x) <= 0.251f && !(at.y < near.y) && !(at.y > near.y));
        }
        const char *name = mica_entity_name(a, entity);
        const char *same = mica_entity_name(b, entity);
        REQUIRE_TEXT(name ? name : "", same ? same : "");
    }
}

// Refuses an allocation now and then. Returns true if the call must be tried again.
static void begin_trouble(pair *p, rich *r)
{
    bool some = below(p, 4) == 0;
    test_memory_fail_at(&r->c.t.memory, some ? 1 + below(p, 60) : 0,
                        below(p, 2) ? TEST_MEMORY_ONCE : TEST_MEMORY_ONWARDS);
}

static bool end_trouble(rich *r, mica_result result, uint64_t digest)
{
    bool refused = r->c.t.memory.refusals > 0;
    test_memory_fail_at(&r->c.t.memory, 0, TEST_MEMORY_ONCE);
    REQUIRE_EQUAL(result != MICA_OK, r->c.t.error.calls);
    if (result) {
        REQUIRE_TEXT("", refused ? "" : r->c.t.error.last.sentence);
        CHECK_REPORTED(&r->c.t, MICA_ERROR_MEMORY);
        REQUIRE_TEXT("", mica_world_validate(r->c.world) ? r->c.t.error.last.sentence : "");
        REQUIRE_EQUAL(digest, rich_digest(r));
    }
    return result != MICA_OK;
}

static void save(pair *p, mica_snapshot from, mica_snapshot to)
{
    rich *r = &p->leader;
    const mica_stream stream = {.buffer = &p->delta};
    const mica_delta_field field = {r->types[CAST_POSITION], "x", 0.5};
    const mica_delta_desc desc = {.fields = &field, .field_count = p->rounds};
    uint64_t digest = rich_digest(r);
    begin_trouble(p, r);
    mica_result result = mica_delta_save(r->c.world, from, to, &stream, &desc);
    if (end_trouble(r, result, digest)) {
        result = mica_delta_save(r->c.world, from, to, &stream, &desc);
    }
    REQUIRE_TEXT("", result ? r->c.t.error.last.sentence : "");
    REQUIRE_EQUAL(digest, rich_digest(r));
}

static void load(pair *p, uint64_t hash)
{
    rich *r = &p->follower;
    const mica_stream stream = {.data = p->delta.data, .size = p->delta.size};
    uint64_t digest = rich_digest(r);
    uint32_t notified = r->notified;
    begin_trouble(p, r);
    mica_result result = mica_delta_load(r->c.world, &stream);
    if (end_trouble(r, result, digest)) {
        result = mica_delta_load(r->c.world, &stream);
    }
    REQUIRE_TEXT("", result ? r->c.t.error.last.sentence : "");
    REQUIRE_EQUAL(notified, r->notified);
    REQUIRE_TEXT("", mica_world_validate(r->c.world) ? r->c.t.error.last.sentence : "");
    REQUIRE(p->rounds || hash == mica_world_hash(r->c.world));
}

static void follow(pair *p, uint32_t to)
{
    mica_world *world = p->leader.c.world;
    save(p, p->kept[p->at], p->kept[to]);
    load(p, mica_snapshot_hash(world, p->kept[to]));
    p->at = to;
    if (to == p->count - 1) {
        check_facets(world, p->follower.c.world);
        check_rounded(p);
    }
}

static void go_on(pair *p)
{
    for (uint32_t i = below(p, 30); i > 0; i--) {
        rich_do(&p->leader, cast_random(&p->random));
    }
    if (p->count == KEPT) {
        if (p->at == 0) {
            follow(p, 1);
        }
        p->count--;
        p->at--;
        REQUIRE_EQUAL(MICA_OK, mica_snapshot_drop(p->leader.c.world, p->kept[0]));
        memmove(p->kept, p->kept + 1, p->count * sizeof *p->kept);
    }
    p->kept[p->count++] = mica_snapshot_take(p->leader.c.world);
    if (below(p, 4) == 0) {
        follow(p, below(p, p->count)); // back, or only a part of the way
    }
    follow(p, p->count - 1);
}

// Changes storages where that is possible.
static void store_otherwise(pair *p)
{
    static const int types[] = {CAST_POSITION, CAST_RING, CAST_SPLIT, CAST_LOOSE, CAST_BYTES,
                                CAST_TEXT,     RICH_BIG,  RICH_SWEPT, RICH_ORDER, RICH_FIELDS};
    rich *r = &p->follower;
    for (uint32_t i = 0; i < sizeof types / sizeof *types; i++) {
        (void)mica_type_change_storage(r->c.world, r->types[types[i]], (mica_storage)below(p, 4));
        test_error_clear(&r->c.t.error);
    }
}

static void play(uint64_t seed)
{
    static pair p;
    memset(&p, 0, sizeof p);
    p.random = seed;
    rich_begin(&p.leader, NULL);
    rich_begin(&p.follower, NULL);
    p.rounds = below(&p, 3) == 0;
    mica_world *world = p.follower.c.world;
    if (below(&p, 2)) {
        store_otherwise(&p);
    }
    if (below(&p, 2)) {
        REQUIRE_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    } else if (below(&p, 3) == 0) {
        REQUIRE_EQUAL(MICA_OK, mica_time_verify(world));
    }
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(p.leader.c.world, NULL));
    p.kept[p.count++] = mica_snapshot_take(p.leader.c.world);
    REQUIRE_EQUAL(mica_world_hash(p.leader.c.world), mica_world_hash(world));
    for (uint32_t i = 0; i < STEPS; i++) {
        go_on(&p);
    }
    mica_buffer_free(&p.delta);
    rich_end(&p.leader);
    rich_end(&p.follower);
}

static void a_world_follows_a_random_one(void)
{
    test_run_seeds(30, 150, play);
}

TESTS(delta_random, a_world_follows_a_random_one)
