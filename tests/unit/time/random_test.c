// Random worlds go back and forth in time. What the world was at a snapshot, a digest tells; and doing the same
// again after a restore must lead where it led the first time.
#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "runner/tier.h"
#include "unit/image/cast.h"

enum { KEPT = 12, AGAIN = 24 };

// A snapshot, and what was done next.
typedef struct moment {
    mica_snapshot snapshot;
    uint64_t digest;
    uint64_t hash;
    uint32_t count;
    uint64_t choices[AGAIN];
    uint64_t digests[AGAIN];
} moment;

typedef struct story {
    cast c;
    uint64_t random;
    bool redo;
    uint32_t count; // of moments, the oldest first
    uint32_t at;    // the moment that was taken or restored last; KEPT: none
    moment moments[KEPT];
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

static void check_moment(story *s, const moment *m)
{
    REQUIRE_TEXT("", mica_world_validate(s->c.world) ? s->c.t.error.last.sentence : "");
    REQUIRE_EQUAL(m->digest, mica_world_digest(s->c.world));
    REQUIRE_EQUAL(m->hash, mica_world_hash(s->c.world));
}

static void take(story *s)
{
    uint64_t digest = mica_world_digest(s->c.world);
    mica_snapshot snapshot = mica_snapshot_take(s->c.world);
    REQUIRE(!MICA_IS_NONE(snapshot));
    REQUIRE_EQUAL(digest, mica_world_digest(s->c.world));
    while (s->count > 0 && !mica_snapshot_is_kept(s->c.world, s->moments[s->count - 1].snapshot)) {
        forget(s, s->count - 1);
    }
    if (s->count == KEPT) {
        REQUIRE_EQUAL(MICA_OK, mica_snapshot_drop(s->c.world, s->moments[0].snapshot));
        forget(s, 0);
    }
    s->at = s->count;
    s->moments[s->count++] =
        (moment){.snapshot = snapshot, .digest = digest, .hash = mica_world_hash(s->c.world)};
}

static void restore(story *s)
{
    uint32_t place = below(s, s->count);
    moment *m = &s->moments[place];
    REQUIRE_EQUAL(MICA_OK, mica_snapshot_restore(s->c.world, m->snapshot));
    check_moment(s, m);
    REQUIRE_EQUAL(m->snapshot.bits, mica_snapshot_current(s->c.world).bits);
    if (!s->redo) {
        while (s->count > place + 1) {
            REQUIRE(!mica_snapshot_is_kept(s->c.world, s->moments[s->count - 1].snapshot));
            forget(s, s->count - 1);
        }
    }
    s->at = place;
    for (uint32_t i = 0; i < m->count && below(s, 8) > 0; i++) {
        cast_do(&s->c, m->choices[i]);
        REQUIRE_EQUAL(m->digests[i], mica_world_digest(s->c.world));
    }
    if (m->count > 0) {
        REQUIRE_EQUAL(MICA_OK, mica_snapshot_restore(s->c.world, m->snapshot));
        check_moment(s, m);
    }
}

static void act(story *s)
{
    uint64_t choice = cast_random(&s->random);
    cast_do(&s->c, choice);
    moment *m = s->at < s->count ? &s->moments[s->at] : NULL;
    if (m && m->count < AGAIN) {
        m->choices[m->count] = choice;
        m->digests[m->count++] = mica_world_digest(s->c.world);
    } else {
        s->at = KEPT;
    }
}

static void tell(uint64_t seed, uint32_t length)
{
    story s = {.random = seed, .at = KEPT};
    cast_begin_hookless(&s.c);
    s.redo = below(&s, 2) == 0;
    cast_play(&s.c, seed, below(&s, 60));
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(s.c.world, &(mica_time_desc){.redo = s.redo}));
    for (uint32_t i = 0; i < length; i++) {
        uint32_t what = below(&s, 100);
        if (what < 78) {
            act(&s);
        } else if (what < 88 || s.count == 0) {
            take(&s);
        } else if (what < 96) {
            restore(&s);
            s.moments[s.at].count = 0; // what follows may differ
        } else {
            uint32_t place = below(&s, s.count);
            bool later = s.at < s.count && place == s.at;
            REQUIRE_EQUAL(MICA_OK, mica_snapshot_drop(s.c.world, s.moments[place].snapshot));
            forget(&s, place);
            while (s.count > 0 &&
                   !mica_snapshot_is_kept(s.c.world, s.moments[s.count - 1].snapshot)) {
                forget(&s, s.count - 1);
            }
            s.at = later || s.at == KEPT ? KEPT : s.at - (place < s.at);
        }
    }
    cast_end(&s.c);
}

static void random_worlds_go_back_in_time(void)
{
    uint64_t seeds = test_tier_is_small() ? 60 : 3000;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        tell(seed, 300);
    }
}

TESTS(time_random, random_worlds_go_back_in_time)
