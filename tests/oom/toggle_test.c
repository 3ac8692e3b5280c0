// What has to do with toggles, with the k-th allocation refused, for all k: the call it happens in fails
// with MICA_ERROR_MEMORY and changes nothing; the same call then succeeds.
#include <mica.h>

#include "oom/refuse.h"
#include "oom/sites.h"
#include "runner/test.h"
#include "runner/world.h"

enum { COUNT = 30, CALLS_MAX = 400 };

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type column, pooled, tag;
    mica_entity entities[COUNT];
    mica_query lit, all;
    uint32_t met;
} scene;

static mica_type register_one(mica_world *world, const char *name, uint32_t size, mica_storage kept)
{
    return mica_type_register(
        world, &(mica_type_desc){
                   .name = name, .size = size, .align = size, .storage = kept, .toggle = true});
}

static mica_query ask(scene *s, uint32_t access)
{
    return mica_query_new(
        s->world, &(mica_query_desc){.terms = {{s->column, access}, {s->pooled, MICA_OPTIONAL}}});
}

// The calls, by number; false: there is none. `done` says whether it did what it should.
static bool call(void *given, uint32_t number, bool *done)
{
    scene *s = given;
    mica_world *world = s->world;
    mica_iter it;
    switch (number) {
    case 0: *done = (s->column = register_one(world, "Column", 4, MICA_TABLE)).bits != 0; break;
    case 1: *done = (s->pooled = register_one(world, "Pooled", 8, MICA_SPARSE)).bits != 0; break;
    case 2: *done = (s->tag = register_one(world, "Tag", 0, MICA_SPARSE)).bits != 0; break;
    case 3: *done = (s->lit = ask(s, MICA_WRITE)).bits != 0; break;
    case 4: *done = (s->all = ask(s, MICA_READ | MICA_INCLUDE_DISABLED)).bits != 0; break;
    case 5: *done = mica_disable_all(world, s->all, s->column, NULL) == MICA_OK; break;
    case 6: *done = mica_enable_all(world, s->all, s->tag, NULL) == MICA_OK; break;
    case 7: *done = mica_enable_all(world, s->all, s->column, NULL) == MICA_OK; break;
    case 8: *done = mica_disable(world, s->entities[1], s->column) == MICA_OK; break;
    case 9: *done = mica_disable(world, s->entities[2], s->pooled) == MICA_OK; break;
    case 10: *done = mica_disable(world, s->entities[3], s->tag) == MICA_OK; break;
    case 11: *done = mica_clone(world, s->entities[1]).bits != 0; break;
    case 12: *done = mica_clone(world, s->entities[2]).bits != 0; break;
    case 13: *done = mica_accessor_new(world, s->column).size > 0; break;
    case 14:
        *done = mica_iter_begin(world, s->lit, &it) == MICA_OK;
        for (s->met = 0; mica_iter_next(&it); s->met += it.count) {
            *done = mica_write(&it, 0) && *done;
        }
        break;
    case 15: *done = mica_remove_all(world, s->lit, s->tag, NULL) == MICA_OK; break;
    case 16: *done = mica_despawn_all(world, s->lit, NULL) == MICA_OK; break;
    case 17: *done = mica_world_reclaim(world) == MICA_OK; break;
    default: return false;
    }
    return true;
}

static void populate(scene *s)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        s->entities[i] = mica_spawn(s->world, MICA_ADD(s->column), MICA_ADD(s->tag));
        if (i % 2 == 0) {
            mica_add(s->world, s->entities[i], s->pooled);
        }
    }
}

// All calls, the k-th allocation of each refused until it needs fewer. Returns the refusals.
static uint64_t run(scene *s)
{
    const refusing what = {&s->t, s->world, s, call, NULL, 1};
    uint64_t refused = 0;
    bool is = true;
    for (uint32_t number = 0; is && number < CALLS_MAX; number++) {
        if (number == 5) {
            populate(s);
        }
        refused += refuse_each(&what, number, &is);
    }
    return refused;
}

static void toggles_survive_every_refusal(void)
{
    scene s = {0};
    test_world_prepare(&s.t);
    sites_watch(&s.t);
    s.world = test_world_open(&s.t);
    CHECK(run(&s) > 10);
    CHECK_EQUAL(COUNT, s.met); // the clone of one is as disabled as that one
    test_world_end(&s.t);
}

TESTS(toggle, toggles_survive_every_refusal)
