// Resources and events, with the k-th allocation refused, for all k: the call fails and changes nothing.
#include <mica.h>

#include <stdio.h>

#include "oom/sites.h"
#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

typedef struct scene {
    test_world t;
    mica_world *world;
    tracker tracker;
    mica_type watched, plain;
    uint64_t refused; // allocations, ever
    uint32_t readers;
} scene;

static void begin(scene *s)
{
    test_world_prepare(&s->t);
    sites_watch(&s->t);
    s->world = test_world_open(&s->t);
    s->refused = 0;
    s->readers = 0;
    tracker_begin(&s->tracker);
    mica_type_desc desc = tracked_desc(&s->tracker, "Tracked", true);
    s->watched = mica_type_register(s->world, &desc);
    s->plain =
        mica_type_register(s->world, &(mica_type_desc){.name = "Plain", .size = 5000, .align = 8});
}

static void end(scene *s)
{
    test_world_end(&s->t);
    CHECK_TRACKED(&s->tracker, 0);
}

static mica_result set(scene *s)
{
    return mica_resource_set(s->world, MICA_ADD(s->plain), MICA_ADD(s->watched));
}

static mica_result send(scene *s)
{
    return mica_send(s->world, MICA_ADD(s->watched), MICA_ADD(s->plain), MICA_ADD(s->watched));
}

// With as many names as it is called with success. A cursor that was refused has read nothing.
static mica_result read_named(scene *s)
{
    char name[24];
    uint32_t count;
    snprintf(name, sizeof name, "reader %u", (unsigned)s->readers);
    mica_cursor cursor = {.name = name};
    if (!mica_events(s->world, s->plain, &cursor, &count)) {
        return MICA_ERROR_MEMORY;
    }
    s->readers++;
    return MICA_OK;
}

// The call, with ever later allocations refused, until it needs fewer.
static void try_all(scene *s, mica_result (*call)(scene *s))
{
    for (uint64_t k = 1;; k++) {
        uint64_t hash = mica_world_hash(s->world);
        uint64_t digest = mica_world_digest(s->world);
        uint32_t alive = s->tracker.alive;
        test_memory_fail_at(&s->t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = call(s);
        uint64_t refusals = s->t.memory.refusals;
        test_memory_fail_at(&s->t.memory, 0, TEST_MEMORY_ONCE);
        s->refused += refusals;
        if (refusals == 0) {
            CHECK_EQUAL(MICA_OK, result);
            return;
        }
        CHECK_EQUAL(MICA_ERROR_MEMORY, result);
        CHECK_EQUAL(1, test_error_clear(&s->t.error));
        CHECK_EQUAL(hash, mica_world_hash(s->world));
        CHECK_EQUAL(digest, mica_world_digest(s->world));
        CHECK_TRACKED(&s->tracker, alive);
        CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
    }
}

static void resources_survive_every_refusal(void)
{
    static scene s;
    begin(&s);
    for (uint32_t round = 0; round < 3; round++) { // two new, two that are there, one of each
        try_all(&s, set);
        CHECK_TRACKED(&s.tracker, 1);
        if (round == 1) {
            mica_resource_remove(s.world, s.plain);
            mica_world_reclaim(s.world);
        }
    }
    CHECK(s.refused > 4);
    end(&s);
}

static void events_survive_every_refusal(void)
{
    static scene s;
    begin(&s);
    for (uint32_t round = 1; round < 200; round++) {
        try_all(&s, send);
        CHECK_TRACKED(&s.tracker, 2 * round);
    }
    CHECK(s.refused > 5);
    end(&s);
}

static void named_cursors_survive_every_refusal(void)
{
    static scene s;
    begin(&s);
    CHECK_EQUAL(MICA_OK, mica_send(s.world, MICA_ADD(s.plain)));
    for (uint32_t round = 0; round < 30; round++) {
        try_all(&s, read_named);
    }
    CHECK(s.refused > 30);
    end(&s);
}

TESTS(resource, resources_survive_every_refusal, events_survive_every_refusal,
      named_cursors_survive_every_refusal)
