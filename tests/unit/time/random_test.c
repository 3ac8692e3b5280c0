// Z1. Random worlds go back and forth in time. What the world was at a snapshot, digests and all that can be read of it
// report; and doing the same again after a restore must lead where it led the first time.
#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "unit/time/rich.h"

enum { KEPT = 12, AGAIN = 24, STEPS = 300, NONE = KEPT };

// A snapshot, and what was done next.
typedef struct moment {
    mica_snapshot snapshot;
    uint64_t digest;
    uint64_t image; // with the digest; 0: unknown
    uint64_t hash;
    uint64_t look; // 0: unknown
    bool pinned;
    uint32_t count;
    uint64_t choices[AGAIN];
    uint64_t digests[AGAIN];
} moment;

typedef struct story {
    rich r;
    mica_world *world;
    uint64_t random;
    mica_time_desc desc;
    uint32_t count; // of moments, the oldest first
    uint32_t
        at; // the moment that was taken or restored last, unless more was done than is repeated
    moment moments[KEPT];
    uint32_t defined; // types, queries and systems that were added
    bool rare;        // storages change, groups come and go
} story;

static uint32_t below(story *s, uint32_t end)
{
    return (uint32_t)(cast_random(&s->random) % end);
}

static void forget(story *s, uint32_t place)
{
    s->count--;
    memmove(&s->moments[place], &s->moments[place + 1], (s->count - place) * sizeof *s->moments);
}

// Forgets what is not kept any more, and finds where the world is now. `done`: more was done since.
static void update(story *s, bool done)
{
    mica_snapshot current = mica_snapshot_current(s->world);
    s->at = NONE;
    for (uint32_t i = 0; i < s->count;) {
        if (!mica_snapshot_is_kept(s->world, s->moments[i].snapshot)) {
            forget(s, i);
            continue;
        }
        s->at = !done && MICA_EQUAL(current, s->moments[i].snapshot) ? i : s->at;
        i++;
    }
    REQUIRE_EQUAL(s->count, mica_time_get_stats(s->world).snapshots);
    mica_snapshot snapshot = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        snapshot = mica_snapshot_next(s->world, snapshot);
        REQUIRE_EQUAL(s->moments[i].snapshot.bits, snapshot.bits);
    }
}

static void check_moment(story *s, const moment *m)
{
    REQUIRE_TEXT("", mica_world_validate(s->world) ? s->r.c.t.error.last.sentence : "");
    uint64_t digest = mica_world_digest(s->world);
    REQUIRE_EQUAL(m->digest ? m->digest : digest, digest);
    uint64_t image = rich_digest(&s->r);
    REQUIRE_EQUAL(m->image ? m->image : image, image);
    REQUIRE_EQUAL(m->hash, mica_world_hash(s->world));
    uint64_t look = rich_look(&s->r);
    REQUIRE_EQUAL(m->look ? m->look : look, look);
}

// The next allocations fail, or none do. Returns true if the call must be tried again.
static void begin_trouble(story *s)
{
    bool some = below(s, 6) == 0;
    test_memory_fail_at(&s->r.c.t.memory, some ? 1 + below(s, 20) : 0,
                        below(s, 2) ? TEST_MEMORY_ONCE : TEST_MEMORY_ONWARDS);
}

static bool end_trouble(story *s, bool failed, uint64_t digest)
{
    bool refused = s->r.c.t.memory.refusals > 0;
    test_memory_fail_at(&s->r.c.t.memory, 0, TEST_MEMORY_ONCE);
    REQUIRE_EQUAL(failed, s->r.c.t.error.calls);
    if (failed) {
        REQUIRE(refused);
        CHECK_REPORTED(&s->r.c.t, MICA_ERROR_MEMORY);
        REQUIRE_TEXT("", mica_world_validate(s->world) ? s->r.c.t.error.last.sentence : "");
        REQUIRE_EQUAL(digest, rich_digest(&s->r));
    }
    return failed;
}

static Vec2 *find_stable(story *s)
{
    mica_entity entity = rich_choose(&s->r, cast_random(&s->random));
    return MICA_IS_NONE(entity) ? NULL : mica_accessor_get_mut(&s->r.stable, entity);
}

static void take(story *s)
{
    Vec2 *stable = find_stable(s);
    uint64_t digest = rich_digest(&s->r);
    if (s->count == KEPT) {
        REQUIRE_EQUAL(MICA_OK, mica_snapshot_drop(s->world, s->moments[0].snapshot));
        forget(s, 0);
    }
    begin_trouble(s);
    mica_snapshot snapshot = mica_snapshot_take(s->world);
    if (end_trouble(s, MICA_IS_NONE(snapshot), digest)) {
        snapshot = mica_snapshot_take(s->world);
    }
    REQUIRE(!MICA_IS_NONE(snapshot));
    REQUIRE_EQUAL(digest, rich_digest(&s->r));
    s->moments[s->count++] = (moment){.snapshot = snapshot,
                                      .digest = mica_world_digest(s->world),
                                      .image = digest,
                                      .hash = mica_world_hash(s->world),
                                      .look = rich_look(&s->r)};
    update(s, false);
    REQUIRE(s->at == s->count - 1);
    if (stable && below(s, 2)) {
        stable->x += 1; // pointers to stable values live longer
        s->at = NONE;
    }
}

static void go_to(story *s, const moment *m)
{
    uint64_t digest = rich_digest(&s->r);
    uint32_t notified = s->r.notified;
    begin_trouble(s);
    mica_result result = mica_snapshot_restore(s->world, m->snapshot);
    if (end_trouble(s, result != MICA_OK, digest)) {
        result = mica_snapshot_restore(s->world, m->snapshot);
    }
    REQUIRE_EQUAL(MICA_OK, result);
    REQUIRE_EQUAL(notified, s->r.notified);
    REQUIRE_EQUAL(m->snapshot.bits, mica_snapshot_current(s->world).bits);
    check_moment(s, m);
}

static void hash(story *s)
{
    const moment *m = &s->moments[below(s, s->count)];
    uint64_t digest = rich_digest(&s->r);
    begin_trouble(s);
    uint64_t result = mica_snapshot_hash(s->world, m->snapshot);
    bool failed = result == 0 && s->r.c.t.error.calls > 0; // that of an empty world is 0, too
    if (end_trouble(s, failed, digest)) {
        result = mica_snapshot_hash(s->world, m->snapshot);
    }
    REQUIRE_EQUAL(m->hash, result);
    REQUIRE_EQUAL(digest, rich_digest(&s->r));
}

// Images are compared now and then.
static uint64_t look_after(story *s, uint32_t place)
{
    return place % 4 == 3 ? rich_digest(&s->r) : mica_world_digest(s->world);
}

static void restore(story *s)
{
    uint32_t place = below(s, s->count);
    moment *m = &s->moments[place];
    go_to(s, m);
    uint32_t count = s->count;
    update(s, false);
    REQUIRE_EQUAL(s->desc.redo ? count : place + 1, s->count);
    for (uint32_t i = 0; i < m->count && below(s, 8) > 0; i++) {
        s->r.tests = below(s, 4) == 0;
        rich_do(&s->r, m->choices[i]);
        REQUIRE_EQUAL(m->digests[i], look_after(s, i));
    }
    if (m->count > 0) {
        go_to(s, m);
    }
    update(s, false);
    m->count = 0; // what follows may differ
}

static void drop(story *s)
{
    uint32_t place = below(s, s->count);
    bool here = s->at != NONE && MICA_EQUAL(s->moments[s->at].snapshot, s->moments[place].snapshot);
    mica_snapshot at = s->at != NONE ? s->moments[s->at].snapshot : (mica_snapshot){0};
    REQUIRE_EQUAL(MICA_OK, mica_snapshot_drop(s->world, s->moments[place].snapshot));
    forget(s, place);
    uint32_t count = s->count;
    update(s, here || MICA_IS_NONE(at));
    REQUIRE(count == s->count || s->desc.redo);
}

static void pin(story *s)
{
    moment *m = &s->moments[below(s, s->count)];
    m->pinned = !m->pinned;
    REQUIRE_EQUAL(MICA_OK, mica_snapshot_pin(s->world, m->snapshot, m->pinned));
}

static void act(story *s)
{
    uint64_t choice = cast_random(&s->random);
    s->r.tests = below(s, 4) == 0;
    rich_do(&s->r, choice);
    moment *m = s->at != NONE ? &s->moments[s->at] : NULL;
    if (m && m->count < AGAIN) {
        m->choices[m->count] = choice;
        m->digests[m->count] = look_after(s, m->count);
        m->count++;
    } else {
        s->at = NONE;
    }
}

// Definitions are no state. But doing the same again may lead elsewhere then.

static void add_definition(story *s)
{
    mica_world *world = s->world;
    char text[16] = "new 00";
    text[4] = (char)('0' + s->defined / 10 % 10);
    text[5] = (char)('0' + s->defined % 10);
    uint32_t kind = below(s, 6);
    if (s->defined++ >= 40) {
        return;
    }
    if (kind == 0) {
        mica_type_desc desc = MICA_DESCRIBE(Vec2, x, y);
        desc.name = text;
        desc.storage = (mica_storage)below(s, 4);
        mica_type type = mica_type_register(world, &desc);
        mica_entity entity = rich_choose(&s->r, cast_random(&s->random));
        if (!MICA_IS_NONE(entity)) {
            mica_add(world, entity, type);
        }
        mica_send(world, MICA_VALUE(type, Vec2, 1, 1));
    } else if (kind == 1) {
        mica_system_add(world, &(mica_system_desc){.name = text,
                                                   .update = rich_follow,
                                                   .query.terms = {{s->r.types[CAST_POSITION],
                                                                    MICA_READ | MICA_CHANGED}},
                                                   .events = {{s->r.c.score, MICA_READ}}});
    } else if (kind == 2) {
        mica_phase_add(world, &(mica_phase_desc){.name = text, .fixed_dt = 0.1});
        for (uint32_t i = 0; i < s->count; i++) {
            s->moments[i].digest = 0; // unknown: it has the time of the phase
        }
    } else if (kind == 3) {
        mica_system system = mica_system_find(world, "new 01");
        if (!MICA_IS_NONE(system)) {
            mica_system_remove(world, system);
        }
    } else if (kind == 4) {
        mica_query query = s->r.queries[RICH_CHANGED];
        mica_query_free(world, query);
        rich_add_query(&s->r, RICH_CHANGED);
        for (uint32_t i = 0; i < s->count; i++) {
            s->moments[i].look = 0; // unknown: the query is another one
        }
    } else {
        const mica_type types[] = {s->r.types[below(s, RICH_TYPES)]};
        mica_bundle_new(world, types, 1);
        mica_accessor accessor = mica_accessor_new(world, s->r.types[CAST_BYTES]);
        CHECK(accessor.size > 0);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        s->moments[i].count = 0;
        s->moments[i].image = 0; // it has types and moments of systems
    }
    s->at = NONE;
}

// After these, no snapshot can be restored.
static void change_structure(story *s)
{
    mica_world *world = s->world;
    const mica_storage storages[] = {MICA_TABLE, MICA_RING, MICA_SPARSE};
    uint32_t kind = below(s, 3);
    if (kind == 0) {
        REQUIRE_EQUAL(
            MICA_OK, mica_type_change_storage(world, s->r.types[CAST_TEXT], storages[below(s, 3)]));
    } else if (kind == 1) {
        mica_group group = mica_group_new(
            world, &(mica_group_desc){.required = {s->r.types[RICH_ORDER], s->r.types[CAST_MARK]}});
        if (below(s, 2)) {
            mica_group_free(world, group);
        }
    } else {
        mica_buffer buffer = {0};
        cast_save(&s->r.c, &buffer);
        cast_load(&s->r.c, &buffer);
        mica_buffer_free(&buffer);
    }
    if (s->count > 0 && !mica_snapshot_is_kept(world, s->moments[0].snapshot)) {
        REQUIRE_EQUAL(MICA_ERROR_TIME, mica_snapshot_restore(world, s->moments[0].snapshot));
        CHECK_REPORTED(&s->r.c.t, MICA_ERROR_TIME);
    }
    update(s, true);
}

static void begin(story *s)
{
    static const size_t budgets[] = {0, 0, 0, 20000, 200000};
    s->desc = (mica_time_desc){.redo = below(s, 2) == 0, .budget = budgets[below(s, 5)]};
    s->desc.thin = s->desc.budget > 0 && below(s, 2);
    s->desc.dense = below(s, 3);
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(s->world, &s->desc));
    REQUIRE_EQUAL(MICA_OK,
                  mica_time_include(s->world, s->r.memory, sizeof s->r.memory, "of the program"));
    s->count = 0;
    s->at = NONE;
}

static void go_on(story *s)
{
    uint32_t what = below(s, 1000);
    if (what < 760) {
        act(s);
    } else if (what < 780 && s->count > 0) {
        hash(s);
    } else if (what < 870 || s->count == 0) {
        take(s);
    } else if (what < 940) {
        restore(s);
    } else if (what < 970) {
        drop(s);
    } else if (what < 980) {
        pin(s);
    } else if (what < 990) {
        add_definition(s);
    } else if (s->rare && what < 994) {
        change_structure(s);
    } else if (s->rare && what < 996) {
        REQUIRE_EQUAL(MICA_OK, mica_time_end(s->world));
        begin(s);
    }
}

static void run(uint64_t seed)
{
    static story s;
    s = (story){.random = seed};
    rich_begin(&s.r, NULL);
    s.world = s.r.c.world;
    s.rare = below(&s, 4) == 0;
    for (uint32_t i = below(&s, 60); i > 0; i--) {
        rich_do(&s.r, cast_random(&s.random));
    }
    begin(&s);
    for (uint32_t i = 0; i < STEPS; i++) {
        go_on(&s);
    }
    rich_end(&s.r);
}

static void random_worlds_go_back_in_time(void)
{
    test_run_seeds(60, 250, run);
}

TESTS(time_random, random_worlds_go_back_in_time)
