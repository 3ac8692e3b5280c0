// Changes that are observed, with the k-th allocation refused, for all k: the call it happens in fails with
// MICA_ERROR_MEMORY, changes nothing and tells nobody; the same call then succeeds.
#include <mica.h>

#include "core/watch.h"
#include "oom/refuse.h"
#include "oom/sites.h"
#include "runner/test.h"
#include "runner/world.h"

enum { QUERIES = 70, ENTITIES = 20 }; // more queries than a word has bits

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type column, pooled, ring, tag;
    mica_query all;
    mica_bundle bundle;
    mica_entity first, clone;
    mica_entity many[ENTITIES];
    uint64_t reported;
} scene;

static void count(const mica_observer_event *h)
{
    scene *s = h->user;
    s->reported++;
    CHECK_EQUAL(MICA_OK, mica_world_validate(h->world));
}

static mica_type register_one(mica_world *world, const char *name, mica_storage kept)
{
    return mica_type_register(
        world,
        &(mica_type_desc){.name = name, .size = 4, .align = 4, .storage = kept, .toggle = true});
}

static bool observe(scene *s, mica_type type, uint32_t on)
{
    return mica_observer_new(
               s->world,
               &(mica_observer_desc){
                   .name = "counting", .type = type, .events = on, .call = count, .user = s})
               .bits != 0;
}

static bool observe_query(scene *s, mica_type a, mica_type b)
{
    return mica_observer_new(
               s->world, &(mica_observer_desc){.query.terms = {{a, MICA_WITH}, {b, MICA_WITHOUT}},
                                               .events = MICA_ON_ENTER | MICA_ON_LEAVE,
                                               .call = count,
                                               .user = s})
               .bits != 0;
}

// Observers that are notified of what is there: of several types, and of a query and its values.
static bool observe_more(scene *s, mica_type a, mica_type b)
{
    return mica_observer_new(s->world, &(mica_observer_desc){.name = "several",
                                                             .types = {a, b, s->tag},
                                                             .events = MICA_ON_ADD | MICA_ON_SPAWN,
                                                             .call = count,
                                                             .user = s,
                                                             .existing = true})
               .bits != 0;
}

static bool observe_values(scene *s, mica_type a, mica_type b)
{
    return mica_observer_new(s->world,
                             &(mica_observer_desc){.name = "values",
                                                   .query.terms = {{a, MICA_READ}, {b, MICA_ANY}},
                                                   .events = MICA_ON_SET | MICA_ON_ENTER,
                                                   .call = count,
                                                   .user = s,
                                                   .existing = true})
               .bits != 0;
}

static bool spawn_many(scene *s)
{
    static const int32_t numbers[ENTITIES];
    const mica_value arrays[] = {{s->column, numbers, 4, ENTITIES, NULL},
                                 {s->pooled, numbers, 4, ENTITIES, NULL},
                                 {s->ring, numbers, 4, ENTITIES, NULL}};
    return mica_spawn_many(s->world, s->bundle, ENTITIES, arrays, 3, s->many) == MICA_OK;
}

static bool set_up(scene *s, uint32_t number)
{
    mica_world *world = s->world;
    const uint32_t on = MICAI_ON_ALL & ~(uint32_t)(MICA_ON_ENTER | MICA_ON_LEAVE);
    switch (number) {
    case 0: return (s->column = register_one(world, "Column", MICA_TABLE)).bits != 0;
    case 1: return (s->pooled = register_one(world, "Pooled", MICA_SPARSE)).bits != 0;
    case 2: return (s->ring = register_one(world, "Ring", MICA_RING)).bits != 0;
    case 3: return (s->tag = MICA_TAG(world, Tag)).bits != 0;
    case 4: return (s->all = mica_query_new(world, &(mica_query_desc){.everything = true})).bits;
    case 5: return observe(s, s->column, on);
    case 6: return observe(s, s->pooled, on);
    case 7: return observe(s, s->ring, on);
    case 8: return observe(s, (mica_type){0}, MICA_ON_SPAWN | MICA_ON_DESPAWN);
    default: return observe_query(s, number % 2 ? s->column : s->pooled, s->tag);
    }
}

// The calls, by number; false: there is none. `done` says whether it did what it should.
static bool call(void *given, uint32_t number, bool *done)
{
    scene *s = given;
    mica_world *world = s->world;
    const int32_t n = 5;
    if (number < 9 + QUERIES) {
        *done = set_up(s, number);
        return true;
    }
    const mica_value both[] = {{s->ring, &n, 4, 1, NULL}, {.type = s->tag}};
    const mica_type types[] = {s->column, s->pooled, s->ring};
    switch (number - 9 - QUERIES) {
    case 0: *done = (s->first = mica_spawn_values(world, NULL, 0)).bits != 0; break;
    case 1: *done = mica_add(world, s->first, s->column) == MICA_OK; break;
    case 2: *done = mica_set_value(world, s->first, s->pooled, &n, 4) == MICA_OK; break;
    case 3: *done = mica_set_value(world, s->first, s->pooled, &n, 4) == MICA_OK; break;
    case 4: *done = mica_change(world, s->first, both, 2, &s->column, 1) == MICA_OK; break;
    case 5: *done = mica_disable(world, s->first, s->pooled) == MICA_OK; break;
    case 6: *done = (s->clone = mica_clone(world, s->first)).bits != 0; break;
    case 7: *done = mica_add(mica_world_later(world), s->first, s->column) == MICA_OK; break;
    case 8: *done = mica_disable(mica_world_later(world), s->first, s->column) == MICA_OK; break;
    case 9: *done = mica_enable(mica_world_later(world), s->first, s->pooled) == MICA_OK; break;
    case 10: *done = mica_commands_apply(world) == MICA_OK; break;
    case 11: *done = (s->bundle = mica_bundle_new(world, types, 3)).bits != 0; break;
    case 12: *done = spawn_many(s); break;
    case 13: *done = mica_add_all(world, s->all, s->column, NULL) == MICA_OK; break;
    case 14: *done = mica_set_all(world, s->all, s->pooled, &n, 4, NULL) == MICA_OK; break;
    case 15: *done = mica_disable_all(world, s->all, s->column, NULL) == MICA_OK; break;
    case 16: *done = mica_add_all(world, s->all, s->tag, NULL) == MICA_OK; break;
    case 17: *done = mica_remove_all(world, s->all, s->pooled, NULL) == MICA_OK; break;
    case 18: *done = mica_remove_all(world, s->all, s->ring, NULL) == MICA_OK; break;
    case 19:
        *done = mica_facet_add(world, s->first, s->tag, 1, MICA_ADD(s->column)).bits != 0;
        break;
    case 20: *done = mica_despawn_many(world, s->many, 5) == MICA_OK; break;
    case 21: *done = mica_despawn(world, s->clone) == MICA_OK; break;
    case 22: *done = observe_more(s, s->column, s->pooled); break;
    case 23: *done = observe_values(s, s->column, s->ring); break;
    case 24: {
        const mica_value values[] = {{s->pooled, &n, 4, 1, NULL}, {s->column, &n, 4, 1, NULL}};
        *done = mica_set_values(world, s->first, values, 2) == MICA_OK;
        break;
    }
    case 25: *done = mica_set_all(world, s->all, s->column, &n, 4, NULL) == MICA_OK; break;
    case 26: *done = mica_modified(world, s->first, s->column) == MICA_OK; break;
    case 27: *done = mica_signal(world, s->first, s->column, &n, 4) == MICA_OK; break;
    case 28: *done = mica_despawn_all(world, s->all, NULL) == MICA_OK; break;
    default: return false;
    }
    return true;
}

// Nobody is reported of what fails.
static uint64_t look(void *given, uint32_t number)
{
    const scene *s = given;
    (void)number;
    return mica_world_digest(s->world) + s->reported;
}

static uint64_t run(uint64_t first)
{
    scene s = {0};
    test_world_prepare(&s.t);
    sites_watch(&s.t);
    s.world = test_world_open(&s.t);
    const refusing what = {&s.t, s.world, &s, call, look, first};
    uint64_t refused = 0;
    bool is = true;
    for (uint32_t number = 0; is; number++) {
        refused += refuse_each(&what, number, &is);
    }
    CHECK_EQUAL(6 + QUERIES, mica_world_get_stats(s.world).observers);
    CHECK_EQUAL(0, mica_entity_count(s.world));
    CHECK(s.reported > 1000);
    test_world_end(&s.t);
    return refused;
}

static void observed_changes_survive_every_refusal(void)
{
    for (uint64_t first = 1; first <= REFUSE_FIRST_MAX; first++) {
        CHECK(run(first) > 100 || first > 1);
    }
}

TESTS(observer, observed_changes_survive_every_refusal)
