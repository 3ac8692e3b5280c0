// Z2, twins: random worlds are copied to a second one, which has snapshots and changes of its own. Afterwards it is
// what the original was, and goes on in the same way.
#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "unit/time/rich.h"

enum { KEPT = 6, AGAIN = 12 };

typedef struct moment {
    mica_snapshot snapshot;
    uint64_t digest;
    uint64_t hash;
    uint64_t image;
    unsigned char memory[sizeof(((rich *)0)->memory)]; // is not copied
    uint32_t count;
    uint64_t choices[AGAIN];
    uint64_t digests[AGAIN];
} moment;

typedef struct story {
    rich original, twin;
    uint64_t random;
    uint32_t count; // of the original's moments, the oldest first
    moment moments[KEPT];
    mica_snapshot own; // of the twin
    uint64_t own_digest;
} story;

static uint32_t below(story *s, uint32_t end)
{
    return (uint32_t)(cast_random(&s->random) % end);
}

static void act(story *s)
{
    uint64_t choice = cast_random(&s->random);
    rich_do(&s->original, choice);
    moment *last = s->count > 0 ? &s->moments[s->count - 1] : NULL;
    if (last && last->count < AGAIN) {
        last->choices[last->count] = choice;
        last->digests[last->count] = mica_world_digest(s->original.c.world);
        last->count++;
    }
}

static void take(story *s)
{
    mica_world *world = s->original.c.world;
    if (s->count == KEPT) {
        uint32_t place = below(s, KEPT);
        mica_snapshot_drop(world, s->moments[place].snapshot);
        s->count--;
        memmove(&s->moments[place], &s->moments[place + 1],
                (s->count - place) * sizeof *s->moments);
    }
    moment *m = &s->moments[s->count++];
    *m = (moment){.snapshot = mica_snapshot_take(world),
                  .digest = mica_world_digest(world),
                  .hash = mica_world_hash(world),
                  .image = rich_digest(&s->original)};
    memcpy(m->memory, s->original.memory, sizeof m->memory);
    REQUIRE(!MICA_IS_NONE(m->snapshot));
}

static void go_back(story *s)
{
    uint32_t place = below(s, s->count);
    REQUIRE_EQUAL(MICA_OK, mica_snapshot_restore(s->original.c.world, s->moments[place].snapshot));
    s->count = place + 1;
    s->moments[place].count = 0;
}

// The twin's own snapshots stay.
static void use_twin(story *s)
{
    mica_world *twin = s->twin.c.world;
    uint32_t what = below(s, 4);
    if (what > 1) {
        rich_do(&s->twin, cast_random(&s->random));
    } else if (what == 1 && mica_time_get_stats(twin).begun) {
        s->own = mica_snapshot_take(twin);
        s->own_digest = mica_world_digest(twin);
    } else if (!MICA_IS_NONE(s->own)) {
        REQUIRE_EQUAL(MICA_OK, mica_snapshot_restore(twin, s->own));
        REQUIRE_EQUAL(s->own_digest, mica_world_digest(twin));
    }
}

static void copy(story *s)
{
    mica_world *twin = s->twin.c.world;
    moment *m = &s->moments[below(s, s->count)];
    test_memory *memory = &s->twin.c.t.memory;
    uint64_t digest = rich_digest(&s->twin);
    bool trouble = below(s, 4) == 0;
    test_memory_fail_at(memory, trouble ? 1 + below(s, 30) : 0, TEST_MEMORY_ONCE);
    mica_result result = mica_snapshot_copy(s->original.c.world, m->snapshot, twin);
    test_memory_fail_at(memory, 0, TEST_MEMORY_ONCE);
    if (result) {
        REQUIRE(trouble);
        CHECK_REPORTED(&s->twin.c.t, MICA_ERROR_MEMORY);
        REQUIRE_EQUAL(digest, rich_digest(&s->twin));
        REQUIRE_EQUAL(MICA_OK, mica_world_validate(twin));
        result = mica_snapshot_copy(s->original.c.world, m->snapshot, twin);
    }
    REQUIRE_EQUAL(MICA_OK, result);
    REQUIRE_TEXT("", mica_world_validate(twin) ? s->twin.c.t.error.last.sentence : "");
    REQUIRE_EQUAL(m->hash, mica_world_hash(twin));
    REQUIRE_EQUAL(m->digest, mica_world_digest(twin));
    REQUIRE_EQUAL(m->image, rich_digest(&s->twin));
    memcpy(s->twin.memory, m->memory, sizeof m->memory);
    for (uint32_t i = 0; i < m->count && below(s, 4) > 0; i++) {
        rich_do(&s->twin, m->choices[i]);
        REQUIRE_EQUAL(m->digests[i], mica_world_digest(twin));
    }
}

static void go_on(story *s)
{
    uint32_t what = below(s, 100);
    if (what < 60) {
        act(s);
    } else if (what < 72 || s->count == 0) {
        take(s);
    } else if (what < 76) {
        go_back(s);
    } else if (what < 90) {
        use_twin(s);
    } else {
        copy(s);
    }
}

static void run(uint64_t seed)
{
    static story s;
    s = (story){.random = seed};
    rich_begin(&s.original, NULL);
    rich_begin(&s.twin, s.original.c.world);
    for (uint32_t i = below(&s, 60); i > 0; i--) {
        rich_do(&s.original, cast_random(&s.random));
    }
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(s.original.c.world, NULL));
    for (uint32_t i = 0; i < 200; i++) {
        go_on(&s);
    }
    rich_end(&s.twin);
    rich_end(&s.original);
}

static void twins_follow_random_worlds(void)
{
    test_run_seeds(40, 200, run);
}

// Copies while each allocation in turn is refused, until none is.
static void copy_without_memory(story *s, mica_snapshot snapshot)
{
    mica_world *twin = s->twin.c.world;
    uint64_t image = rich_digest(&s->twin);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t which = 1; result; which++) {
        test_memory_fail_at(&s->twin.c.t.memory, which, TEST_MEMORY_ONCE);
        result = mica_snapshot_copy(s->original.c.world, snapshot, twin);
        test_memory_fail_at(&s->twin.c.t.memory, 0, TEST_MEMORY_ONCE);
        REQUIRE_EQUAL(MICA_OK, mica_world_validate(twin));
        if (result) {
            CHECK_REPORTED(&s->twin.c.t, MICA_ERROR_MEMORY);
            REQUIRE_EQUAL(image, rich_digest(&s->twin));
        }
    }
    REQUIRE_EQUAL(mica_snapshot_hash(s->original.c.world, snapshot), mica_world_hash(twin));
}

static void memory_may_run_out_at_any_point(void)
{
    static story s;
    s = (story){.random = 7};
    rich_begin(&s.original, NULL);
    rich_begin(&s.twin, s.original.c.world);
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(s.original.c.world, NULL));
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < 40; i++) {
            rich_do(&s.original, cast_random(&s.random));
        }
        mica_snapshot snapshot = mica_snapshot_take(s.original.c.world);
        copy_without_memory(&s, snapshot);
        if (round == 1) { // the log of the copy becomes part of this one's
            CHECK(!MICA_IS_NONE(mica_snapshot_take(s.twin.c.world)));
        }
    }
    rich_end(&s.twin);
    rich_end(&s.original);
}

// A twin without a set-up.
static void a_bare_twin_has_the_same_content(void)
{
    static rich original;
    rich_begin(&original, NULL);
    test_world t;
    mica_world *twin = test_world_begin_twin(&t, original.c.world);
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(original.c.world, NULL));
    mica_group_free(original.c.world, original.c.owning);
    mica_group_free(original.c.world, original.c.listing);
    uint64_t random = 11;
    for (uint32_t round = 0; round < 10; round++) {
        for (uint32_t i = 0; i < 40; i++) {
            rich_do(&original, cast_random(&random));
        }
        test_error_clear(&original.c.t.error); // of the groups that went
        mica_snapshot snapshot = mica_snapshot_take(original.c.world);
        REQUIRE_EQUAL(MICA_OK, mica_snapshot_copy(original.c.world, snapshot, twin));
        REQUIRE_EQUAL(MICA_OK, mica_world_validate(twin));
        REQUIRE_EQUAL(mica_world_hash(original.c.world), mica_world_hash(twin));
        mica_world_clear(twin);
    }
    test_world_end(&t);
    rich_end(&original);
}

TESTS(time_twin, twins_follow_random_worlds, memory_may_run_out_at_any_point,
      a_bare_twin_has_the_same_content)
