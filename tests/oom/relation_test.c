// Relations with the k-th allocation refused, for all k: the call it happens in fails with
// MICA_ERROR_MEMORY and changes nothing; the same call then succeeds.
#include <mica.h>

#include "oom/refuse.h"
#include "oom/sites.h"
#include "runner/test.h"
#include "runner/world.h"

enum { ENTITIES = 80, LINKS = 100, BEFORE = 40 };

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type mark;
    mica_relation child_of, holds, near;
    mica_entity entities[ENTITIES];
    mica_bundle bundle;
    mica_buffer buffer;
    mica_snapshot snapshot;
    bool observed;
} scene;

static void note(const mica_observer_event *event)
{
    ++*(uint32_t *)event->user;
}

static bool add(scene *s, mica_relation *relation_out, const char *name, mica_cleanup cleanup)
{
    *relation_out =
        mica_relation_add(s->world, &(mica_relation_desc){.name = name, .cleanup = cleanup});
    return relation_out->bits != 0;
}

static bool observe(scene *s)
{
    static uint32_t noted;
    return !s->observed ||
           mica_observer_new(s->world,
                             &(mica_observer_desc){.type = mica_relation_type(s->world, s->near),
                                                   .events = MICA_ON_REMOVE | MICA_ON_SET,
                                                   .call = note,
                                                   .user = &noted})
                   .bits != 0;
}

static mica_entity *at(scene *s, uint32_t place)
{
    return &s->entities[place % ENTITIES];
}

// Spawns with a link, in several ways.
static bool spawn_linked(scene *s)
{
    const mica_type type = mica_relation_type(s->world, s->child_of);
    mica_entity spawned[9];
    const mica_value arrays[] = {{type, s->entities, sizeof(mica_entity), 9, NULL}};
    return mica_spawn_many(s->world, s->bundle, 9, arrays, 1, spawned) == MICA_OK;
}

static bool record(scene *s)
{
    mica_world *later = mica_world_later(s->world);
    return later && mica_link(later, *at(s, 7), s->child_of, *at(s, 2)) == MICA_OK;
}

static bool end_time(scene *s)
{
    return mica_snapshot_restore(s->world, s->snapshot) == MICA_OK;
}

// The calls, by number; false: there is none. `done` says whether it did what it should.
static bool call(void *given, uint32_t number, bool *done)
{
    scene *s = given;
    mica_world *world = s->world;
    if (number >= 10 && number < 10 + ENTITIES) {
        *at(s, number - 10) = mica_spawn_values(world, NULL, 0);
        *done = at(s, number - 10)->bits != 0;
        return true;
    }
    number -= number >= 10 ? ENTITIES : 0;
    if (number >= 10 && number < 10 + LINKS) {
        uint32_t i = number - 10;
        mica_relation relation = i % 3 == 0 ? s->child_of : i % 3 == 1 ? s->holds : s->near;
        *done = mica_link(world, *at(s, i % 70 + 5), relation, *at(s, i % 5)) == MICA_OK;
        return true;
    }
    number -= number >= 10 ? LINKS : 0;
    if (number >= 10 && number < 10 + BEFORE) {
        uint32_t i = number - 10;
        *done = mica_link_before(world, *at(s, i + 15), s->near, *at(s, 7)) == MICA_OK;
        return true;
    }
    number -= number >= 10 ? BEFORE : 0;
    switch (number) {
    case 0: *done = (s->mark = MICA_TAG(world, Mark)).bits != 0; break;
    case 1: *done = add(s, &s->child_of, "ChildOf", MICA_CASCADE); break;
    case 2: *done = add(s, &s->holds, "Holds", MICA_LIFT); break;
    case 3: *done = add(s, &s->near, "Near", MICA_UNLINK); break;
    case 4: *done = observe(s); break;
    case 5:
        s->bundle =
            mica_bundle_new(world, &(mica_type){mica_relation_type(world, s->child_of).bits}, 1);
        *done = s->bundle.bits != 0;
        break;
    case 6:
    case 7:
    case 8:
    case 9: *done = true; break;
    case 10: *done = spawn_linked(s); break;
    case 11: *done = record(s); break;
    case 12: *done = mica_commands_apply(mica_world_later(world)) == MICA_OK; break;
    case 13: *done = mica_clone(world, *at(s, 8)).bits != 0; break;
    case 14: *done = mica_despawn(world, *at(s, 0)) == MICA_OK; break;
    case 15: *done = mica_despawn_many(world, at(s, 1), 2) == MICA_OK; break;
    case 16:
        mica_buffer_free(&s->buffer);
        *done = mica_world_save(world, &(mica_stream){.buffer = &s->buffer}, NULL) == MICA_OK;
        break;
    case 17:
        *done = mica_world_load(world, &(mica_stream){.buffer = &s->buffer}, NULL) == MICA_OK;
        break;
    case 18: *done = mica_time_begin(world, NULL) == MICA_OK; break;
    case 19: *done = (s->snapshot = mica_snapshot_take(world)).bits != 0; break;
    case 20: *done = mica_despawn(world, *at(s, 3)) == MICA_OK; break;
    case 21: *done = end_time(s); break;
    case 22: *done = mica_time_end(world) == MICA_OK; break;
    case 23:
        *done = mica_subset_load(world, &(mica_stream){.buffer = &s->buffer},
                                 &(mica_load_desc){.drop_names = true}, NULL, 0, NULL) == MICA_OK;
        break;
    case 24: *done = mica_world_reclaim(world) == MICA_OK; break;
    case 25: *done = mica_despawn(world, *at(s, 4)) == MICA_OK; break;
    default: return false;
    }
    return true;
}

static uint64_t run(uint64_t first, bool observed)
{
    scene s = {.observed = observed};
    test_world_prepare(&s.t);
    sites_watch(&s.t);
    s.world = test_world_open(&s.t);
    const refusing what = {&s.t, s.world, &s, call, NULL, first};
    uint64_t refused = 0;
    bool is = true;
    for (uint32_t number = 0; is; number++) {
        refused += refuse_each(&what, number, &is);
    }
    mica_buffer_free(&s.buffer);
    test_world_end(&s.t);
    return refused;
}

static void links_survive_every_refusal(void)
{
    for (uint64_t first = 1; first <= REFUSE_FIRST_MAX; first++) {
        CHECK(run(first, false) > 20 || first > 1);
        CHECK(run(first, true) > 20 || first > 1);
    }
}

TESTS(relation, links_survive_every_refusal)
